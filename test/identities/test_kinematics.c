// Identities of kinematics and of the configuration manifold, over every fixture robot.
#include "support/trial.h"

#include "limb/verify.h"

#include <math.h>
#include <string.h>

static const limb_ref refs[3] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};

// Every frame of a small robot; a few of a long chain.
static int frame_step(const trial* t) { return trial_small(t) ? 1 : t->nframe / 5; }

static sp_motion times(const sp_motion* J, const double* x, int n)
{
  sp_motion sum = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < n; k++) sum = sp_addm(sum, sp_scalem(x[k], J[k]));
  return sum;
}

static double size_of(sp_motion v) { return fmax(sp_norm3(v.w), sp_norm3(v.v)); }

// ---- poses --------------------------------------------------------------------------------------

// The product of exponentials loses digits with the square of a chain's length (against long
// double: 1.6e-12 at a thousand links, where the library is 7e-15 off), and positions are sums of
// many steps that cancel.
static void poses(trial* t)
{
  const double tol = trial_small(t) ? TOL_ALGEBRA : 1e-10;
  sp_pose* want = trial_poses(t, (size_t)t->nbody);
  assert_ok(limb_reference_poses(t->m, t->q, want));
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  for (int i = 0; i < t->nframe; i++) {
    limb_frame_info info;
    sp_pose X;
    assert_ok(limb_get_frame(t->m, i, &info));
    assert_ok(limb_frame_pose(t->d, i, &X));
    const sp_pose expected = sp_compose(want[info.body], info.pose);
    assert_close_pose(X, expected, tol, tol);
    const sp_mat3 RtR = sp_mul3(sp_transpose3(X.R), X.R);
    assert_close_matrix(RtR.m, sp_identity3().m, 3, 3, TOL_ALGEBRA, 0);
  }
}

START_TEST(poses_by_product_of_exponentials) { trial_over(_i, TRIAL_STATES, poses); }
END_TEST

// ---- velocities and Jacobians -------------------------------------------------------------------

// A motion in BODY reference, in another one.
static sp_motion in_reference(sp_pose X, limb_ref ref, sp_motion body)
{
  if (ref == LIMB_BODY) return body;
  if (ref == LIMB_WORLD) return sp_motion_out(X, body);
  return sp_motion_make(sp_mulv(X.R, body.w), sp_mulv(X.R, body.v));
}

static void velocities(trial* t)
{
  sp_motion *J = trial_motions(t, (size_t)t->nv), *alone = trial_motions(t, (size_t)t->nv);
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  for (int i = 0; i < t->nframe; i += frame_step(t)) {
    sp_pose X;
    sp_motion body;
    assert_ok(limb_frame_pose(t->d, i, &X));
    assert_ok(limb_frame_velocity(t->d, i, LIMB_BODY, &body));
    for (int k = 0; k < 3; k++) {
      sp_motion v;
      assert_ok(limb_frame_velocity(t->d, i, refs[k], &v));
      assert_ok(limb_frame_jacobian(t->d, i, refs[k], J));
      assert_ok(limb_frame_jacobian_at(t->d, t->q, i, refs[k], alone));
      assert_close_motions(alone, J, t->nv, TOL_ALGEBRA, 0);
      assert_close_motion(v, times(J, t->v, t->nv), TOL_ALGEBRA, 0);
      assert_close_motion(v, in_reference(X, refs[k], body), TOL_ALGEBRA, 0);
    }
  }
}

START_TEST(velocity_is_jacobian_times_v) { trial_over(_i, TRIAL_STATES, velocities); }
END_TEST

// acceleration = J a + Jdot v: spatial for BODY and WORLD, classical for ALIGNED.
static void accelerations(trial* t)
{
  const size_t n = (size_t)t->nv;
  sp_motion *J = trial_motions(t, n), *Jdot = trial_motions(t, n);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  for (int i = 0; i < t->nframe; i += frame_step(t)) {
    for (int k = 0; k < 3; k++) {
      sp_motion a, drift;
      assert_ok(limb_frame_jacobian(t->d, i, refs[k], J));
      assert_ok(limb_frame_jacobian_rate(t->d, i, refs[k], Jdot));
      assert_ok(limb_frame_jacobian_rate_times_v(t->d, i, refs[k], &drift));
      if (refs[k] == LIMB_ALIGNED)
        assert_ok(limb_frame_classical_acceleration(t->d, i, refs[k], &a));
      else
        assert_ok(limb_frame_acceleration(t->d, i, refs[k], &a));
      const sp_motion Ja = times(J, t->a, t->nv), Jdv = times(Jdot, t->v, t->nv);
      const double size = size_of(Ja) + size_of(Jdv);
      assert_close_motion(drift, Jdv, TOL_ALGEBRA, TOL_ALGEBRA * size);
      assert_close_motion(a, sp_addm(Ja, Jdv), TOL_ALGEBRA, TOL_ALGEBRA * size);
    }
  }
}

START_TEST(acceleration_is_jacobian_and_its_rate) { trial_over(_i, TRIAL_STATES, accelerations); }
END_TEST

// The two kinds of acceleration: classical = spatial + w x v, with v of the point in question.
static void kinds_of_acceleration(trial* t)
{
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  for (int i = 0; i < t->nframe; i += frame_step(t)) {
    sp_pose X;
    sp_motion body;
    assert_ok(limb_frame_pose(t->d, i, &X));
    assert_ok(limb_frame_acceleration(t->d, i, LIMB_BODY, &body));
    for (int k = 0; k < 3; k++) {
      sp_motion spatial, classical, v;
      assert_ok(limb_frame_velocity(t->d, i, refs[k], &v));
      assert_ok(limb_frame_acceleration(t->d, i, refs[k], &spatial));
      assert_ok(limb_frame_classical_acceleration(t->d, i, refs[k], &classical));
      assert_close_motion(spatial, in_reference(X, refs[k], body), TOL_ALGEBRA, 0);
      const sp_motion want = sp_motion_make(spatial.w, sp_add3(spatial.v, sp_cross3(v.w, v.v)));
      assert_close_motion(classical, want, TOL_ALGEBRA, 0);
    }
  }
}

START_TEST(classical_and_spatial_acceleration) { trial_over(_i, TRIAL_STATES, kinds_of_acceleration); }
END_TEST

// ---- finite differences -------------------------------------------------------------------------

// Kinematics at the configuration a time h away along the given velocity.
static void kinematics_at(trial* t, const double* v, double h)
{
  double* q = trial_doubles(t, (size_t)t->nq);
  assert_ok(limb_integrate(t->m, t->q, v, h, q));
  assert_ok(limb_kinematics(t->d, q, NULL, NULL));
}

static void jacobian_rates(trial* t)
{
  const double h = 1e-5;
  const size_t n = (size_t)t->nv;
  sp_motion *after = trial_motions(t, n), *before = trial_motions(t, n);
  sp_motion* Jdot = trial_motions(t, n);
  const int frame = rng_below(&t->r, t->nframe);
  for (int k = 0; k < 3; k++) {
    kinematics_at(t, t->v, h);
    assert_ok(limb_frame_jacobian(t->d, frame, refs[k], after));
    kinematics_at(t, t->v, -h);
    assert_ok(limb_frame_jacobian(t->d, frame, refs[k], before));
    assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
    assert_ok(limb_frame_jacobian_rate(t->d, frame, refs[k], Jdot));
    for (size_t i = 0; i < n; i++) {
      after[i] = sp_scalem(1 / (2 * h), sp_addm(after[i], sp_scalem(-1, before[i])));
    }
    assert_close_motions(after, Jdot, t->nv, TOL_FD, 1e-9);
  }
}

START_TEST(jacobian_rate_by_differences) { trial_over(_i, TRIAL_STATES, jacobian_rates); }
END_TEST

// The twist that the change of a pose shows: R' (R+ - R-) / 2h is skew with w, R' (p+ - p-) / 2h is
// v.
static void body_velocities(trial* t)
{
  const double h = 1e-5, k = 1 / (2 * h);
  const int frame = rng_below(&t->r, t->nframe);
  sp_pose X, after, before;
  sp_motion v;
  kinematics_at(t, t->v, h);
  assert_ok(limb_frame_pose(t->d, frame, &after));
  kinematics_at(t, t->v, -h);
  assert_ok(limb_frame_pose(t->d, frame, &before));
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  assert_ok(limb_frame_pose(t->d, frame, &X));
  assert_ok(limb_frame_velocity(t->d, frame, LIMB_BODY, &v));
  const sp_mat3 P = sp_mul3(sp_transpose3(X.R), after.R);
  const sp_mat3 Q = sp_mul3(sp_transpose3(X.R), before.R);
  const sp_vec3 w = sp_v3(k * (P.m[7] - Q.m[7]), k * (P.m[2] - Q.m[2]), k * (P.m[3] - Q.m[3]));
  const sp_vec3 u = sp_tmulv(X.R, sp_scale3(k, sp_sub3(after.p, before.p)));
  assert_close_motion(sp_motion_make(w, u), v, TOL_FD, 1e-9);
}

START_TEST(velocity_by_differences) { trial_over(_i, TRIAL_STATES, body_velocities); }
END_TEST

// ---- the configuration manifold -----------------------------------------------------------------

static void manifold(trial* t)
{
  double *q = trial_doubles(t, (size_t)t->nq), *v = trial_doubles(t, (size_t)t->nv);
  double* back = trial_doubles(t, (size_t)t->nq);
  // Increments of less than half a turn come back as they were.
  assert_ok(limb_integrate(t->m, t->q, t->v, 0.5, q));
  assert_ok(limb_difference(t->m, t->q, q, v));
  for (int k = 0; k < t->nv; k++) v[k] *= 2;
  assert_close_array(v, t->v, t->nv, TOL_ALGEBRA, TOL_ALGEBRA);
  // And the way back leads to the same place; a quaternion may come back with the other sign.
  assert_ok(limb_integrate(t->m, q, t->v, -0.5, back));
  assert_ok(limb_difference(t->m, t->q, back, v));
  double* zero = trial_doubles(t, (size_t)t->nv);
  assert_close_array(v, zero, t->nv, 0, TOL_ALGEBRA);
  // In place; two half steps are one step; no time, no step.
  memcpy(back, t->q, (size_t)t->nq * sizeof *back);
  assert_ok(limb_integrate(t->m, back, t->v, 0.25, back));
  assert_ok(limb_integrate(t->m, back, t->v, 0.25, back));
  assert_ok(limb_difference(t->m, q, back, v));
  assert_close_array(v, zero, t->nv, 0, TOL_ALGEBRA);
  assert_ok(limb_integrate(t->m, t->q, t->v, 0, q));
  assert_ok(limb_difference(t->m, t->q, q, v));
  assert_close_array(v, zero, t->nv, 0, TOL_ALGEBRA);
}

START_TEST(integrate_and_difference) { trial_over(_i, TRIAL_STATES, manifold); }
END_TEST

// Any two configurations: q0 (+) (q1 (-) q0) puts every body where q1 puts it.
static void any_two(trial* t)
{
  double *other = trial_doubles(t, (size_t)t->nq), *q = trial_doubles(t, (size_t)t->nq);
  double* v = trial_doubles(t, (size_t)t->nv);
  sp_pose *want = trial_poses(t, (size_t)t->nbody), *got = trial_poses(t, (size_t)t->nbody);
  uint64_t seed = rng_next(&t->r);
  assert_ok(limb_random(t->m, &seed, other));
  assert_ok(limb_difference(t->m, t->q, other, v));
  assert_ok(limb_integrate(t->m, t->q, v, 1, q));
  assert_ok(limb_reference_poses(t->m, other, want));
  assert_ok(limb_reference_poses(t->m, q, got));
  for (int i = 0; i < t->nbody; i++) assert_close_pose(got[i], want[i], 1e-11, 1e-11);
}

START_TEST(difference_leads_there) { trial_over(_i, TRIAL_STATES, any_two); }
END_TEST

// Random configurations: within the limits, repeatable, and with unit quaternions.
static void random_configurations(trial* t)
{
  double *q = trial_doubles(t, (size_t)t->nq), *again = trial_doubles(t, (size_t)t->nq);
  const uint64_t start = rng_next(&t->r);
  uint64_t one = start, two = start;
  assert_ok(limb_random(t->m, &one, q));
  assert_ok(limb_random(t->m, &two, again));
  assert_that(one == two && one != start);
  assert_that(memcmp(q, again, (size_t)t->nq * sizeof *q) == 0);
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    if (info.nq == 1) assert_that(q[info.q] >= info.def.q_min && q[info.q] <= info.def.q_max);
    if (info.def.type != LIMB_FREE && info.def.type != LIMB_SPHERICAL) continue;
    const double* x = q + info.q + (info.def.type == LIMB_FREE ? 3 : 0);
    assert_close(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], 1, 1e-14, 0);
  }
  // A quaternion of another length is put right.
  memcpy(again, q, (size_t)t->nq * sizeof *q);
  for (int j = 0; j < limb_joint_count(t->m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(t->m, j, &info));
    if (info.def.type != LIMB_FREE && info.def.type != LIMB_SPHERICAL) continue;
    double* x = again + info.q + (info.def.type == LIMB_FREE ? 3 : 0);
    for (int k = 0; k < 4; k++) x[k] *= 7;
  }
  assert_ok(limb_normalize(t->m, again));
  assert_close_array(again, q, t->nq, 1e-14, 0);
}

START_TEST(random_stays_in_the_limits) { trial_over(_i, TRIAL_STATES, random_configurations); }
END_TEST

// ---- what must come first -----------------------------------------------------------------------

static void order(trial* t)
{
  limb_data* d;
  sp_pose X;
  sp_motion v;
  sp_force f;
  sp_vec3 c, u;
  sp_motion* J = trial_motions(t, (size_t)t->nv);
  double* tau = trial_doubles(t, (size_t)t->nv);
  assert_ok(limb_data_create(t->m, NULL, &d));
  assert_status(limb_frame_pose(d, 0, &X), LIMB_E_ORDER);
  assert_status(limb_center_of_mass(d, &c, NULL, NULL), LIMB_E_ORDER);
  assert_ok(limb_inverse_dynamics(d, t->q, t->v, t->a, NULL, tau));
  assert_status(limb_frame_pose(d, 0, &X), LIMB_E_ORDER);
  assert_ok(limb_kinematics(d, t->q, NULL, NULL));
  assert_ok(limb_frame_pose(d, 0, &X));
  assert_ok(limb_frame_jacobian(d, 0, LIMB_BODY, J));
  assert_status(limb_frame_velocity(d, 0, LIMB_BODY, &v), LIMB_E_ORDER);
  assert_status(limb_frame_jacobian_rate(d, 0, LIMB_BODY, J), LIMB_E_ORDER);
  assert_status(limb_frame_jacobian_rate_times_v(d, 0, LIMB_BODY, &v), LIMB_E_ORDER);
  assert_status(limb_momentum(d, 0, &f), LIMB_E_ORDER);
  assert_status(limb_center_of_mass(d, &c, &u, NULL), LIMB_E_ORDER);
  assert_ok(limb_kinematics(d, t->q, t->v, NULL));
  assert_ok(limb_frame_velocity(d, 0, LIMB_BODY, &v));
  assert_ok(limb_momentum(d, 1, &f));
  assert_status(limb_frame_acceleration(d, 0, LIMB_BODY, &v), LIMB_E_ORDER);
  assert_status(limb_frame_classical_acceleration(d, 0, LIMB_BODY, &v), LIMB_E_ORDER);
  assert_status(limb_momentum_rate(d, 0, &f), LIMB_E_ORDER);
  assert_status(limb_center_of_mass(d, &c, &u, &c), LIMB_E_ORDER);
  assert_ok(limb_kinematics(d, t->q, t->v, t->a));
  assert_ok(limb_momentum_rate(d, 0, &f));
  // Positions only: what was known of velocities is no longer.
  assert_ok(limb_kinematics(d, t->q, NULL, NULL));
  assert_status(limb_frame_velocity(d, 0, LIMB_BODY, &v), LIMB_E_ORDER);
  limb_data_destroy(d);
}

START_TEST(calls_in_the_wrong_order) { trial_over(_i, 1, order); }
END_TEST

// Dynamics calls leave what limb_kinematics() computed alone.
static void undisturbed(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *other = trial_doubles(t, (size_t)t->nq), *x = trial_doubles(t, n);
  sp_force* f = trial_forces(t, (size_t)limb_joint_count(t->m));
  uint64_t seed = rng_next(&t->r);
  assert_ok(limb_random(t->m, &seed, other));
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  const int frame = t->nframe - 1;
  sp_pose X, Y;
  sp_motion a, b;
  assert_ok(limb_frame_pose(t->d, frame, &X));
  assert_ok(limb_frame_acceleration(t->d, frame, LIMB_WORLD, &a));
  assert_ok(limb_inverse_dynamics(t->d, other, t->a, t->v, &t->env, x));
  assert_ok(limb_forward_dynamics(t->d, other, t->a, t->v, &t->env, x));
  assert_ok(limb_joint_reactions(t->d, other, t->a, t->v, &t->env, LIMB_WORLD, f));
  assert_ok(limb_frame_pose(t->d, frame, &Y));
  assert_ok(limb_frame_acceleration(t->d, frame, LIMB_WORLD, &b));
  assert_that(memcmp(&X, &Y, sizeof X) == 0 && memcmp(&a, &b, sizeof a) == 0);
}

START_TEST(dynamics_leaves_kinematics_alone) { trial_over(_i, 10, undisturbed); }
END_TEST

CHECK_MAIN("identities/kinematics", trial_robots(), poses_by_product_of_exponentials, velocity_is_jacobian_times_v,
           acceleration_is_jacobian_and_its_rate, classical_and_spatial_acceleration, jacobian_rate_by_differences,
           velocity_by_differences, integrate_and_difference, difference_leads_there, random_stays_in_the_limits,
           calls_in_the_wrong_order, dynamics_leaves_kinematics_alone)
