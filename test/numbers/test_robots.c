// Real robots against an independent library: $LIMB_SHARED/robots/<robot>/vectors.json. Skipped,
// with a message, when there are no such files.
#include "numbers/shared_bench.h"

#define TOL_ROBOTS  1e-10
#define TOL_INVERSE 1e-9 // accelerations and inverses

// ---- comparing ----------------------------------------------------------------------------------

static void compare_dynamics(const bench* b, const state* x)
{
  static double M[MAX_NV * MAX_NV], want_M[MAX_NV * MAX_NV];
  double got[MAX_NV], want[MAX_NV];
  velocities(b, x->s, "tau_rnea", want);
  assert_ok(limb_inverse_dynamics(b->d, x->q, x->v, x->a, NULL, got));
  assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
  velocities(b, x->s, "nle", want);
  assert_ok(limb_bias_forces(b->d, x->q, x->v, NULL, got));
  assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
  velocities(b, x->s, "gravity", want);
  assert_ok(limb_gravity_forces(b->d, x->q, NULL, got));
  assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
  matrix(b, x->s, "M", want_M);
  assert_ok(limb_mass_matrix(b->d, x->q, M));
  assert_close_matrix(M, want_M, b->nv, b->nv, TOL_ROBOTS, 0);
  matrix(b, x->s, "C", want_M);
  assert_ok(limb_coriolis_matrix(b->d, x->q, x->v, M));
  assert_close_matrix(M, want_M, b->nv, b->nv, TOL_ROBOTS, 0);
  matrix(b, x->s, "Minv", want_M);
  assert_ok(limb_mass_matrix_inverse(b->d, x->q, M));
  assert_close_matrix(M, want_M, b->nv, b->nv, TOL_INVERSE, 0);
  velocities(b, x->s, "ddq_aba", want);
  assert_ok(limb_forward_dynamics(b->d, x->q, x->v, x->tau, NULL, got));
  assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
  assert_ok(limb_forward_dynamics_aba(b->d, x->q, x->v, x->tau, NULL, got));
  assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
  assert_ok(limb_forward_dynamics_by_mass_matrix(b->d, x->q, x->v, x->tau, NULL, M, got));
  assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
}

// Wrenches on some bodies, as the file gives them in the body's axes and in the world's.
static void compare_wrenches(const bench* b, const state* x)
{
  const json_t* fext = json_object_get(x->s, "rnea_fext");
  const json_t* list = json_object_get(fext, "forces");
  limb_wrench w[MAX_NV];
  double got[MAX_NV], want[MAX_NV];
  limb_environment env = limb_default_environment(b->m);
  env.nwrench = (int)json_array_size(list), env.wrench = w;
  for (int aligned = 0; aligned < 2; aligned++) {
    for (int i = 0; i < env.nwrench; i++) {
      const json_t* f = json_array_get(list, (size_t)i);
      w[i].frame = integer(f, "joint");
      w[i].ref = aligned ? LIMB_ALIGNED : LIMB_BODY;
      w[i].wrench = force(f, aligned ? "f_world_aligned_at_joint_origin" : "f_local");
    }
    velocities(b, fext, "tau_rnea", want);
    assert_ok(limb_inverse_dynamics(b->d, x->q, x->v, x->a, &env, got));
    assert_close_array(got, want, b->nv, TOL_ROBOTS, 0);
    velocities(b, fext, "ddq_aba", want);
    assert_ok(limb_forward_dynamics(b->d, x->q, x->v, x->tau, &env, got));
    assert_close_array(got, want, b->nv, TOL_INVERSE, 0);
  }
}

static void compare_jacobian(const bench* b, const state* x, limb_ref ref, const char* key)
{
  static double want[MAX_NV][6];
  sp_motion J[MAX_NV], expected[MAX_NV];
  columns(b, x->s, key, want);
  for (int k = 0; k < b->nv; k++) expected[k] = sp_motion_from_linear_first(want[k]);
  assert_ok(limb_frame_jacobian(b->d, b->frame, ref, J));
  assert_close_motions(J, expected, b->nv, TOL_ROBOTS, 0);
}

static void compare_kinematics(const bench* b, const state* x)
{
  sp_pose X, want;
  sp_motion v;
  assert_ok(limb_kinematics(b->d, x->q, x->v, x->a));
  assert_ok(limb_frame_pose(b->d, b->frame, &X));
  numbers(x->s, "frame_R", 9, want.R.m);
  want.p = vector(x->s, "frame_p");
  assert_close_pose(X, want, TOL_ROBOTS, 0);
  compare_jacobian(b, x, LIMB_BODY, "frame_J_LOCAL");
  compare_jacobian(b, x, LIMB_ALIGNED, "frame_J_LWA");
  assert_ok(limb_frame_jacobian_rate_times_v(b->d, b->frame, LIMB_BODY, &v));
  assert_close_motion(v, motion(x->s, "frame_dJ_LOCAL_v"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_jacobian_rate_times_v(b->d, b->frame, LIMB_ALIGNED, &v));
  assert_close_motion(v, motion(x->s, "frame_dJ_LWA_v"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_velocity(b->d, b->frame, LIMB_BODY, &v));
  assert_close_motion(v, motion(x->s, "frame_v_LOCAL"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_acceleration(b->d, b->frame, LIMB_BODY, &v));
  assert_close_motion(v, motion(x->s, "frame_a_spatial_LOCAL"), TOL_ROBOTS, 0);
  assert_ok(limb_frame_classical_acceleration(b->d, b->frame, LIMB_ALIGNED, &v));
  assert_close_motion(v, motion(x->s, "frame_a_classical_LWA"), TOL_ROBOTS, 0);
}

static void compare_whole(const bench* b, const state* x)
{
  static double want[MAX_NV][6];
  sp_force h, A[MAX_NV], expected[MAX_NV];
  sp_vec3 com, velocity, acceleration;
  limb_energy e;
  assert_ok(limb_energies(b->d, x->q, x->v, NULL, &e));
  assert_close(e.kinetic, number(x->s, "kinetic_energy"), TOL_ROBOTS, 0);
  assert_close(e.gravity, number(x->s, "potential_energy"), TOL_ROBOTS, 0);
  assert_ok(limb_center_of_mass(b->d, &com, &velocity, &acceleration));
  assert_close_vec3(com, vector(x->s, "com"), TOL_ROBOTS, 0);
  assert_close_vec3(velocity, vector(x->s, "vcom"), TOL_ROBOTS, 0);
  assert_close_vec3(acceleration, vector(x->s, "acom"), TOL_ROBOTS, 0);
  assert_ok(limb_momentum(b->d, 1, &h));
  assert_close_force(h, force(x->s, "centroidal_momentum"), TOL_ROBOTS, 0);
  assert_ok(limb_momentum_rate(b->d, 1, &h));
  assert_close_force(h, force(x->s, "centroidal_momentum_rate"), TOL_ROBOTS, 0);
  columns(b, x->s, "Ag", want);
  for (int k = 0; k < b->nv; k++) expected[k] = sp_force_from_linear_first(want[k]);
  assert_ok(limb_momentum_matrix(b->d, 1, A));
  assert_close_forces(A, expected, b->nv, TOL_ROBOTS, 0);
}

START_TEST(agrees_with_another_library)
{
  json_t* file = shared_vectors(shared_robots[_i]);
  if (!file) return;
  bench b = bench_of(file);
  const json_t* states = json_object_get(file, "states");
  for (size_t i = 0; i < json_array_size(states); i++) {
    check_at("robot %s, state %d of the file", shared_robots[_i], (int)i);
    state x = {0};
    read_state(&b, json_array_get(states, i), &x);
    compare_dynamics(&b, &x);
    compare_wrenches(&b, &x);
    compare_kinematics(&b, &x);
    compare_whole(&b, &x);
  }
  bench_end(&b);
}
END_TEST

CHECK_MAIN("numbers/robots", SHARED_ROBOTS, agrees_with_another_library)
