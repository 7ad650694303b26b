// Every public call rejects what its header says it rejects: NULL, indices, values that are not
// finite, quaternions that are not unit, wrong sizes and alignment.
#include "robust/hot_calls.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(hot_calls_reject_null)
{
  bed b = bed_make();
  for (int i = 0; i < HOT; i++) {
    check_at("%s", hot[i].name);
    inputs in = inputs_of(&b);
    assert_ok(hot[i].call(&in));
    in.d = NULL, in.w = NULL, in.series = NULL;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    in = inputs_of(&b), in.q = NULL;
    if (hot[i].takes & TAKES_Q) assert_status(hot[i].call(&in), LIMB_E_ARG);
    const int must = hot[i].takes & TAKES_NULL ? 0 : hot[i].takes;
    in = inputs_of(&b), in.v = NULL;
    if (must & TAKES_V) assert_status(hot[i].call(&in), LIMB_E_ARG);
    in = inputs_of(&b), in.third = NULL;
    if (must & TAKES_THIRD) assert_status(hot[i].call(&in), LIMB_E_ARG);
    in = inputs_of(&b), in.out = NULL;
    if (!(hot[i].takes & WANTS_NOTHING)) assert_status(hot[i].call(&in), LIMB_E_ARG);
  }
  assert_status(limb_kinematics(b.d, b.q, NULL, b.a), LIMB_E_ARG);
  assert_status(limb_forward_dynamics_by_mass_matrix(b.d, b.q, b.v, b.a, NULL, NULL, b.x), LIMB_E_ARG);
  assert_status(limb_mass_matrix_solve(b.d, b.q, -1, b.a, b.x), LIMB_E_ARG);
  bed_free(&b);
}
END_TEST

// NaN and infinities at every position of every input in turn.
START_TEST(hot_calls_reject_what_is_not_finite)
{
  static const double bad[3] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  bed b = bed_make();
  for (int i = 0; i < HOT; i++) {
    for (int which = 0; which < 3; which++) {
      if (!(hot[i].takes & 1 << which)) continue;
      const int n = which == 0 ? NQ : NV;
      for (int k = 0; k < n; k++) {
        double values[NQ];
        const double* const source[3] = {b.q, b.v, b.a};
        memcpy(values, source[which], (size_t)n * sizeof *values);
        values[k] = bad[(i + k) % 3];
        inputs in = inputs_of(&b);
        if (which == 0) in.q = values;
        if (which == 1) in.v = values;
        if (which == 2) in.third = values;
        check_at("%s, input %d, position %d", hot[i].name, which, k);
        assert_status(hot[i].call(&in), LIMB_E_NONFINITE);
      }
    }
    // And the workspace is as good as before.
    inputs in = inputs_of(&b);
    check_at("%s after a refusal", hot[i].name);
    assert_ok(hot[i].call(&in));
  }
  bed_free(&b);
}
END_TEST

START_TEST(hot_calls_reject_quaternions_that_are_none)
{
  bed b = bed_make();
  static const double scale[3] = {0, 1.0011, 0.9989};
  for (int i = 0; i < HOT; i++) {
    if (!(hot[i].takes & TAKES_Q)) continue;
    for (int k = 0; k < 3; k++) {
      double q[NQ];
      memcpy(q, b.q, sizeof q);
      for (int j = 3; j < 7; j++) q[j] *= scale[k];
      inputs in = inputs_of(&b);
      in.q = q;
      check_at("%s, quaternion of norm %g", hot[i].name, scale[k]);
      assert_status(hot[i].call(&in), LIMB_E_ARG);
    }
    // A little off is put right, not refused.
    double q[NQ];
    memcpy(q, b.q, sizeof q);
    for (int j = 3; j < 7; j++) q[j] *= 1.0005;
    inputs in = inputs_of(&b);
    in.q = q;
    assert_ok(hot[i].call(&in));
  }
  double q[NQ], want[NV], got[NV];
  memcpy(q, b.q, sizeof q);
  for (int j = 3; j < 7; j++) q[j] *= 0.9993;
  assert_ok(limb_inverse_dynamics(b.d, b.q, b.v, b.a, NULL, want));
  assert_ok(limb_inverse_dynamics(b.d, q, b.v, b.a, NULL, got));
  assert_close_array(got, want, NV, TOL_ALGEBRA, 0);
  bed_free(&b);
}
END_TEST

// Finite input whose result is beyond the numbers: an arm of 1e200 m about a hinge.
START_TEST(results_beyond_the_numbers_are_told)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  for (int i = 0; i < 2; i++) {
    limb_body_def body = limb_default_body_def(i ? "slide" : "hub");
    body.inertia = limb_inertia_sphere(1, 0.1);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    limb_joint_def joint = limb_default_joint_def(i ? "out" : "about", i ? LIMB_PRISMATIC : LIMB_REVOLUTE, i, i + 1);
    if (i) joint.axis = sp_v3(1, 0, 0);
    assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  }
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  const double q[2] = {0.3, 1e200}, one[2] = {1, 1};
  double x[4];
  assert_status(limb_mass_matrix(d, q, x), LIMB_E_NONFINITE);
  assert_status(limb_inverse_dynamics(d, q, one, one, NULL, x), LIMB_E_NONFINITE);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(forces_beyond_the_numbers_are_told)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  limb_body_def body = limb_default_body_def("arm");
  body.inertia = limb_inertia_sphere(1, 0.1);
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  limb_joint_def joint = limb_default_joint_def("hinge", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  joint.viscous = 1e10, joint.stiffness = 1e10;
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_data_create(m, NULL, &d));
  const double far = -1e300, near = 2;
  double tau = 0;
  assert_status(limb_friction_forces(d, &far, NULL, &tau), LIMB_E_NONFINITE);
  assert_status(limb_spring_forces(d, &far, &tau), LIMB_E_NONFINITE);
  assert_ok(limb_friction_forces(d, &near, NULL, &tau));
  assert_that(tau == 2e10);
  assert_ok(limb_spring_forces(d, &near, &tau));
  assert_that(tau == 2e10);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
}
END_TEST

// ---- the environment ----------------------------------------------------------------------------

// Every number of the environment and of a wrench in turn.
static double* number_of(limb_environment* env, limb_wrench* w, int k)
{
  sp_vec3* const place[] = {
    &env->gravity, &env->base_velocity.w, &env->base_velocity.v, &env->base_acceleration.w, &env->base_acceleration.v,
    &w->wrench.m,  &w->wrench.f};
  sp_vec3* x = place[k / 3];
  return k % 3 == 0 ? &x->x : k % 3 == 1 ? &x->y : &x->z;
}

START_TEST(environments_are_checked)
{
  bed b = bed_make();
  const limb_wrench good = {1, LIMB_BODY, {{1, 2, 3}, {4, 5, 6}}};
  for (int i = 0; i < HOT; i++) {
    if (!(hot[i].takes & TAKES_ENV)) continue;
    inputs in = inputs_of(&b);
    limb_environment env = limb_default_environment(b.m);
    limb_wrench w = good;
    env.nwrench = 1, env.wrench = &w;
    in.env = &env;
    check_at("%s with a wrench", hot[i].name);
    assert_ok(hot[i].call(&in));
    const int wrenchless = !(hot[i].takes & TAKES_WRENCH); // they are not looked at
    for (int k = 0; k < (wrenchless ? 15 : 21); k++) {
      double* x = number_of(&env, &w, k);
      const double keep = *x;
      *x = k % 2 ? (double)NAN : HUGE_VAL;
      check_at("%s, number %d of the environment", hot[i].name, k);
      assert_status(hot[i].call(&in), LIMB_E_NONFINITE);
      *x = keep;
    }
    if (wrenchless) continue;
    check_at("%s, wrenches", hot[i].name);
    w.frame = -1;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    w.frame = limb_frame_count(b.m);
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    w = good, w.ref = (limb_ref)3;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    w = good, env.wrench = NULL;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    env.wrench = &w, env.nwrench = -1;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    env.nwrench = 1, env.coulomb_width = (double)NAN;
    assert_status(hot[i].call(&in), LIMB_E_NONFINITE);
    env.coulomb_width = 0, env.size = 0;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    env.size = sizeof env;
    assert_ok(hot[i].call(&in));
  }
  limb_environment moving = limb_default_environment(b.m);
  moving.base_velocity.w.x = 1;
  limb_power p;
  assert_status(limb_power_balance(b.d, b.q, b.v, b.a, &moving, &p), LIMB_E_ARG);
  bed_free(&b);
}
END_TEST

// An environment of a caller compiled with a longer struct: taken while it says nothing that this
// library would have to know.
START_TEST(environments_of_newer_callers)
{
  bed b = bed_make();
  struct {
    limb_environment env;
    double more[4];
  } newer = {.env = limb_default_environment(b.m)};
  newer.env.size = sizeof newer;
  for (int i = 0; i < HOT; i++) {
    if (!(hot[i].takes & TAKES_ENV)) continue;
    inputs in = inputs_of(&b);
    in.env = &newer.env;
    check_at("%s with a newer environment", hot[i].name);
    assert_ok(hot[i].call(&in));
    newer.more[3] = 1;
    assert_status(hot[i].call(&in), LIMB_E_UNSUPPORTED);
    newer.more[3] = 0;
    limb_environment env = newer.env;
    in.env = &env;
    env.size = (size_t)1 << 20;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
    env.size = SIZE_MAX;
    assert_status(hot[i].call(&in), LIMB_E_ARG);
  }
  bed_free(&b);
}
END_TEST

// ---- kinematics ---------------------------------------------------------------------------------

START_TEST(frames_are_checked)
{
  bed b = bed_make();
  assert_ok(limb_kinematics(b.d, b.q, b.v, b.a));
  const int frames[3] = {-1, limb_frame_count(b.m), 1 << 30};
  sp_pose X;
  sp_motion v, J[NV];
  for (int i = 0; i < 3; i++) {
    const int f = frames[i];
    check_at("frame %d", f);
    assert_status(limb_frame_pose(b.d, f, &X), LIMB_E_ARG);
    assert_status(limb_frame_velocity(b.d, f, LIMB_BODY, &v), LIMB_E_ARG);
    assert_status(limb_frame_acceleration(b.d, f, LIMB_BODY, &v), LIMB_E_ARG);
    assert_status(limb_frame_classical_acceleration(b.d, f, LIMB_BODY, &v), LIMB_E_ARG);
    assert_status(limb_frame_jacobian(b.d, f, LIMB_BODY, J), LIMB_E_ARG);
    assert_status(limb_frame_jacobian_rate(b.d, f, LIMB_BODY, J), LIMB_E_ARG);
    assert_status(limb_frame_jacobian_rate_times_v(b.d, f, LIMB_BODY, &v), LIMB_E_ARG);
  }
  const limb_ref none = (limb_ref)7;
  check_at("reference 7");
  assert_status(limb_frame_velocity(b.d, 1, none, &v), LIMB_E_ARG);
  assert_status(limb_frame_acceleration(b.d, 1, none, &v), LIMB_E_ARG);
  assert_status(limb_frame_classical_acceleration(b.d, 1, none, &v), LIMB_E_ARG);
  assert_status(limb_frame_jacobian(b.d, 1, none, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate(b.d, 1, none, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate_times_v(b.d, 1, none, &v), LIMB_E_ARG);
  sp_force f[32];
  assert_status(limb_joint_reactions(b.d, b.q, b.v, b.a, NULL, none, f), LIMB_E_ARG);
  bed_free(&b);
}
END_TEST

// Derivatives of what belongs to a frame.
static void refuse_derivatives(const bed* b, int frame, limb_ref ref, limb_status status)
{
  sp_motion* m = (sp_motion*)(void*)b->X;
  const limb_data* d = b->d;
  assert_status(limb_frame_velocity_derivatives(d, frame, ref, m, m + NV), status);
  assert_status(limb_frame_acceleration_derivatives(d, frame, ref, m, m + NV, m + 2 * NV), status);
  assert_status(limb_frame_classical_acceleration_derivatives(d, frame, ref, m, m + NV, m + 2 * NV), status);
  assert_status(limb_frame_jacobian_derivative(d, frame, ref, m), status);
  assert_status(limb_frame_jacobian_derivative_times(d, frame, ref, b->a, m), status);
  assert_status(limb_frame_jacobian_derivative_transposed(d, frame, ref, (sp_force){{1, 2, 3}, {4, 5, 6}}, b->X),
                status);
}

START_TEST(frames_of_derivatives_are_checked)
{
  bed b = bed_make();
  sp_pose* X = (sp_pose*)(void*)b.X;
  refuse_derivatives(&b, 1, LIMB_BODY, LIMB_E_ORDER);
  assert_ok(limb_kinematics(b.d, b.q, b.v, b.a));
  refuse_derivatives(&b, 1, LIMB_BODY, LIMB_OK);
  const int frames[3] = {-1, limb_frame_count(b.m), 1 << 30};
  for (int i = 0; i < 3; i++) {
    check_at("frame %d", frames[i]);
    refuse_derivatives(&b, frames[i], LIMB_ALIGNED, LIMB_E_ARG);
    assert_status(limb_frame_pose_derivative(b.d, frames[i], X), LIMB_E_ARG);
    assert_status(limb_inverse_dynamics_by_wrench(b.d, b.q, frames[i], LIMB_BODY, b.X), LIMB_E_ARG);
    assert_status(limb_forward_dynamics_by_wrench(b.d, b.q, frames[i], LIMB_BODY, b.X), LIMB_E_ARG);
  }
  check_at("reference 7");
  const limb_ref none = (limb_ref)7;
  refuse_derivatives(&b, 1, none, LIMB_E_ARG);
  assert_status(limb_inverse_dynamics_by_wrench(b.d, b.q, 1, none, b.X), LIMB_E_ARG);
  assert_status(limb_forward_dynamics_by_wrench(b.d, b.q, 1, none, b.X), LIMB_E_ARG);
  limb_data* const d = b.d;
  b.d = NULL;
  check_at("no workspace");
  refuse_derivatives(&b, 1, LIMB_BODY, LIMB_E_ARG);
  assert_status(limb_frame_pose_derivative(NULL, 1, X), LIMB_E_ARG);
  assert_status(limb_center_of_mass_derivatives(NULL, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_momentum_derivative(NULL, 0, (sp_force*)(void*)b.X), LIMB_E_ARG);
  assert_status(limb_momentum_rate_derivatives(NULL, 0, NULL, NULL), LIMB_E_ARG);
  b.d = d;
  bed_free(&b);
}
END_TEST

// What else the calls of the new headers take: counts, tasks, workspaces of another kind.
START_TEST(counts_tasks_and_uses_are_checked)
{
  bed b = bed_make();
  limb_dual* vectors = NULL;
  const limb_task task = {5, LIMB_ALIGNED, LIMB_LINEAR},
                  wrong[] = {{-1, LIMB_BODY, LIMB_TWIST}, {5, (limb_ref)9, LIMB_TWIST}, {5, LIMB_BODY, 64}};
  const limb_task_stack bad_counts[] = {{-1, &task}, {1, NULL}};
  limb_task_space out = {.Lambda = b.X};
  for (int k = 0; k < 3; k++) {
    const limb_task_stack tasks = {1, &wrong[k]};
    check_at("wrong task %d", k);
    assert_status(limb_task_dynamics(b.d, b.q, b.v, NULL, &tasks, NULL, b.work, &out), LIMB_E_ARG);
    assert_status(limb_task_acceleration(b.d, b.q, b.v, b.a, NULL, &tasks, b.work, b.X), LIMB_E_ARG);
  }
  for (int k = 0; k < 2; k++)
    assert_status(limb_task_dynamics(b.d, b.q, b.v, NULL, &bad_counts[k], NULL, b.work, &out), LIMB_E_ARG);
  const limb_task_stack good = {1, &task};
  limb_task_options o = limb_default_task_options();
  assert_ok(limb_task_dynamics(b.d, b.q, b.v, NULL, &good, &o, b.work, &out));
  o.damping = -1;
  assert_status(limb_task_dynamics(b.d, b.q, b.v, NULL, &good, &o, b.work, &out), LIMB_E_ARG);
  o = limb_default_task_options(), o.condition_limit = (double)NAN;
  assert_status(limb_task_dynamics(b.d, b.q, b.v, NULL, &good, &o, b.work, &out), LIMB_E_NONFINITE);
  assert_status(limb_task_dynamics(b.d, b.q, b.v, NULL, &good, NULL, NULL, &out), LIMB_E_ARG);
  const limb_directions none = {.count = -1, .dq = b.v}, both = {1, b.v, b.v, b.v, b.v};
  assert_status(limb_inverse_dynamics_along(b.w, b.q, b.v, b.a, NULL, &none, b.X), LIMB_E_ARG);
  assert_status(limb_inverse_dynamics_along(b.w, b.q, b.v, b.a, NULL, &both, b.X), LIMB_E_ARG);
  assert_status(limb_forward_dynamics_along(b.w, b.q, b.v, b.a, NULL, &both, b.X), LIMB_E_ARG);
  assert_status(limb_inverse_dynamics_along(b.w, b.q, b.v, b.a, NULL, NULL, b.X), LIMB_E_ARG);
  assert_ok(limb_dual_create(b.m, LIMB_DUAL_VECTORS, NULL, &vectors));
  const limb_second_derivatives second = {.dqdq = b.X};
  assert_status(limb_inverse_dynamics_second_derivatives(vectors, b.q, b.v, b.a, NULL, &second), LIMB_E_ARG);
  limb_dual_destroy(vectors);
  assert_status(limb_linearise_trajectory(b.d, -1, b.q, b.v, b.a, NULL, b.X, b.work), LIMB_E_ARG);
  bed_free(&b);
}
END_TEST

START_TEST(kinematics_rejects_null)
{
  bed b = bed_make();
  sp_pose X;
  sp_motion v, J[NV];
  sp_vec3 c[NV];
  sp_force h[NV];
  assert_ok(limb_kinematics(b.d, b.q, b.v, b.a));
  assert_status(limb_frame_pose(NULL, 1, &X), LIMB_E_ARG);
  assert_status(limb_frame_pose(b.d, 1, NULL), LIMB_E_ARG);
  assert_status(limb_frame_velocity(NULL, 1, LIMB_BODY, &v), LIMB_E_ARG);
  assert_status(limb_frame_velocity(b.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_frame_acceleration(NULL, 1, LIMB_BODY, &v), LIMB_E_ARG);
  assert_status(limb_frame_acceleration(b.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_frame_classical_acceleration(NULL, 1, LIMB_BODY, &v), LIMB_E_ARG);
  assert_status(limb_frame_classical_acceleration(b.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_frame_jacobian(NULL, 1, LIMB_BODY, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian(b.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate(NULL, 1, LIMB_BODY, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate(b.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate_times_v(NULL, 1, LIMB_BODY, &v), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate_times_v(b.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_center_of_mass(NULL, c, NULL, NULL), LIMB_E_ARG);
  assert_ok(limb_center_of_mass(b.d, NULL, NULL, NULL));
  assert_status(limb_center_of_mass_jacobian(NULL, c), LIMB_E_ARG);
  assert_status(limb_center_of_mass_jacobian(b.d, NULL), LIMB_E_ARG);
  assert_status(limb_momentum(NULL, 0, h), LIMB_E_ARG);
  assert_status(limb_momentum(b.d, 0, NULL), LIMB_E_ARG);
  assert_status(limb_momentum_rate(NULL, 0, h), LIMB_E_ARG);
  assert_status(limb_momentum_rate(b.d, 0, NULL), LIMB_E_ARG);
  assert_status(limb_momentum_matrix(NULL, 0, h), LIMB_E_ARG);
  assert_status(limb_momentum_matrix(b.d, 0, NULL), LIMB_E_ARG);
  bed_free(&b);
}
END_TEST

// A call that was refused leaves nothing behind that later calls would take for an answer.
START_TEST(refused_kinematics_is_no_kinematics)
{
  bed b = bed_make();
  sp_pose X;
  double q[NQ];
  memcpy(q, b.q, sizeof q);
  q[0] = (double)NAN;
  assert_status(limb_kinematics(b.d, q, b.v, b.a), LIMB_E_NONFINITE);
  assert_status(limb_frame_pose(b.d, 1, &X), LIMB_E_ORDER);
  const double* const refused[2][3] = {{NULL, b.v, b.a}, {b.q, NULL, b.a}};
  for (int k = 0; k < 2; k++) {
    assert_ok(limb_kinematics(b.d, b.q, b.v, b.a));
    assert_ok(limb_frame_pose(b.d, 1, &X));
    check_at(k ? "a without v" : "no q");
    assert_status(limb_kinematics(b.d, refused[k][0], refused[k][1], refused[k][2]), LIMB_E_ARG);
    assert_status(limb_frame_pose(b.d, 1, &X), LIMB_E_ORDER);
  }
  bed_free(&b);
}
END_TEST

CHECK_MAIN("robust/arguments", 1, hot_calls_reject_null, hot_calls_reject_what_is_not_finite,
           hot_calls_reject_quaternions_that_are_none, results_beyond_the_numbers_are_told,
           forces_beyond_the_numbers_are_told, environments_are_checked, environments_of_newer_callers,
           frames_are_checked, frames_of_derivatives_are_checked, counts_tasks_and_uses_are_checked,
           kinematics_rejects_null, refused_kinematics_is_no_kinematics)
