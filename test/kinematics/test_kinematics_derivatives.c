// Derivatives of frames against the complex step, over every fixture robot; statuses.
#include "limb/kinematics.h"
#include "kinematics/complex_motion.h"

#include <stdlib.h>

enum { STATES = CHECK_SANITIZED ? 2 : 6, FRAMES = 2 };

static const limb_ref REFS[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};

// ---- against the complex step -----------------------------------------------------------------------

// Compares nv motions with the derivatives of what is observed.
static void compare(complex_motion* c, int frame, limb_ref ref, observed what, step_of by, const sp_motion* got)
{
  const trial* t = c->t;
  const limb_site s = limb_site_of(t->m, frame);
  for (int k = 0; k < t->nv; k += column_step(t)) {
    cplx x[6];
    complex_motion_at(c, by, k);
    complex_observe(c, &s, ref, what, x);
    check_entry(t, &got->w.x, k, 6, x);
  }
}

static void compare_pose(complex_motion* c, int frame)
{
  trial* t = c->t;
  const limb_site s = limb_site_of(t->m, frame);
  sp_pose* got = trial_poses(t, (size_t)t->nv);
  assert_ok(limb_frame_pose_derivative(t->d, frame, got));
  for (int k = 0; k < t->nv; k += column_step(t)) {
    cplx x[12];
    complex_motion_at(c, STEP_Q, k);
    complex_pose(c, &s, x);
    check_entry(t, got->R.m, k, 12, x);
  }
}

static void compare_frame(complex_motion* c, int frame, limb_ref ref, sp_motion* const out[3])
{
  limb_data* d = c->t->d;
  sp_motion *dq = out[0], *dv = out[1], *da = out[2];
  assert_ok(limb_frame_velocity_derivatives(d, frame, ref, dq, dv));
  compare(c, frame, ref, VELOCITY, STEP_Q, dq);
  compare(c, frame, ref, VELOCITY, STEP_V, dv);
  assert_ok(limb_frame_acceleration_derivatives(d, frame, ref, dq, dv, da));
  compare(c, frame, ref, SPATIAL, STEP_Q, dq);
  compare(c, frame, ref, SPATIAL, STEP_V, dv);
  compare(c, frame, ref, SPATIAL, STEP_A, da);
  assert_ok(limb_frame_classical_acceleration_derivatives(d, frame, ref, dq, dv, da));
  compare(c, frame, ref, CLASSICAL, STEP_Q, dq);
  compare(c, frame, ref, CLASSICAL, STEP_V, dv);
  compare(c, frame, ref, CLASSICAL, STEP_A, da);
}

static void frames(trial* t)
{
  const size_t n = (size_t)t->nv;
  sp_motion* const out[3] = {trial_motions(t, n), trial_motions(t, n), trial_motions(t, n)};
  complex_motion c = complex_motion_make(t);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  for (int f = 0; f < FRAMES; f++) {
    const int frame = f ? t->nframe - 1 : rng_below(&t->r, t->nframe);
    compare_pose(&c, frame);
    for (int k = 0; k < 3; k++) compare_frame(&c, frame, REFS[k], out);
  }
  complex_motion_free(&c);
}

START_TEST(poses_velocities_accelerations) { trial_over(_i, STATES, frames); }
END_TEST

// The oracle itself: its real parts are what the library gives.
static void oracle(trial* t)
{
  complex_motion c = complex_motion_make(t);
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  complex_motion_at(&c, STEP_Q, 0);
  const int frame = rng_below(&t->r, t->nframe);
  const limb_site s = limb_site_of(t->m, frame);
  for (int k = 0; k < 9; k++) {
    const limb_ref ref = REFS[k % 3];
    cplx x[6];
    double want[6];
    sp_motion got;
    complex_observe(&c, &s, ref, (observed)(k / 3), x);
    for (int i = 0; i < 6; i++) want[i] = creal(x[i]);
    if (k / 3 == VELOCITY) assert_ok(limb_frame_velocity(t->d, frame, ref, &got));
    if (k / 3 == SPATIAL) assert_ok(limb_frame_acceleration(t->d, frame, ref, &got));
    if (k / 3 == CLASSICAL) assert_ok(limb_frame_classical_acceleration(t->d, frame, ref, &got));
    assert_close_array(&got.w.x, want, 6, TOL_ALGEBRA, TOL_ALGEBRA);
  }
  complex_motion_free(&c);
}

START_TEST(real_parts_of_the_oracle) { trial_over(_i, STATES, oracle); }
END_TEST

// ---- the Hessian ------------------------------------------------------------------------------------

// d(J x)/dq is the derivative of the velocity that x gives.
static void times_vector(trial* t)
{
  double* x = trial_doubles(t, (size_t)t->nv);
  sp_motion* out = trial_motions(t, (size_t)t->nv);
  rng_fill(&t->r, 2, t->nv, x);
  complex_motion c = complex_motion_make(t);
  c.v = x;
  assert_ok(limb_kinematics(t->d, t->q, NULL, NULL));
  const int frame = rng_below(&t->r, t->nframe);
  for (int k = 0; k < 3; k++) {
    assert_ok(limb_frame_jacobian_derivative_times(t->d, frame, REFS[k], x, out));
    compare(&c, frame, REFS[k], VELOCITY, STEP_Q, out);
  }
  complex_motion_free(&c);
}

START_TEST(hessian_times_a_vector) { trial_over(_i, STATES, times_vector); }
END_TEST

// Sum over j of H[k][j] x_j, over k of H[k][j] v_k, and of H[k][j] . f.
static void contracted(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  double *x = trial_doubles(t, n), *K = trial_doubles(t, n * n), *want = trial_doubles(t, n * n);
  sp_motion *H = trial_motions(t, n * n), *times = trial_motions(t, n), *sum = trial_motions(t, n);
  sp_motion *Jdot = trial_motions(t, n), *rate = trial_motions(t, n);
  const sp_force f = {rng_vec3(&t->r, 1), rng_vec3(&t->r, 1)};
  rng_fill(&t->r, 2, t->nv, x);
  assert_ok(limb_kinematics(t->d, t->q, t->v, NULL));
  const int frame = t->nframe - 1;
  for (int r = 0; r < 3; r++) {
    assert_ok(limb_frame_jacobian_derivative(t->d, frame, REFS[r], H));
    assert_ok(limb_frame_jacobian_derivative_times(t->d, frame, REFS[r], x, times));
    assert_ok(limb_frame_jacobian_derivative_transposed(t->d, frame, REFS[r], f, K));
    assert_ok(limb_frame_jacobian_rate(t->d, frame, REFS[r], Jdot));
    for (size_t k = 0; k < n; k++) sum[k] = rate[k] = (sp_motion){{0, 0, 0}, {0, 0, 0}};
    for (size_t e = 0; e < n * n; e++) {
      const size_t k = e / n, j = e % n;
      sum[k] = sp_addm(sum[k], sp_scalem(x[j], H[e]));
      rate[j] = sp_addm(rate[j], sp_scalem(t->v[k], H[e]));
      want[j * n + k] = sp_dot(H[e], f);
    }
    assert_close_motions(times, sum, t->nv, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_close_motions(Jdot, rate, t->nv, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_close_matrix(K, want, t->nv, t->nv, TOL_ALGEBRA, TOL_ALGEBRA);
  }
}

START_TEST(hessian_contracted) { trial_over(_i, STATES, contracted); }
END_TEST

// ---- statuses -----------------------------------------------------------------------------------------

static limb_status pose(limb_data* d, int frame, limb_ref ref, sp_motion* x)
{
  (void)ref;
  return limb_frame_pose_derivative(d, frame, (sp_pose*)(void*)x);
}

static limb_status velocity(limb_data* d, int frame, limb_ref ref, sp_motion* x)
{
  return limb_frame_velocity_derivatives(d, frame, ref, x, x);
}

static limb_status spatial(limb_data* d, int frame, limb_ref ref, sp_motion* x)
{
  return limb_frame_acceleration_derivatives(d, frame, ref, x, NULL, x);
}

static limb_status classical(limb_data* d, int frame, limb_ref ref, sp_motion* x)
{
  return limb_frame_classical_acceleration_derivatives(d, frame, ref, NULL, x, NULL);
}

static limb_status hessian(limb_data* d, int frame, limb_ref ref, sp_motion* x)
{
  return limb_frame_jacobian_derivative(d, frame, ref, x);
}

static limb_status transposed(limb_data* d, int frame, limb_ref ref, sp_motion* x)
{
  const sp_force f = {{1, 0, 0}, {0, 0, 1}};
  return limb_frame_jacobian_derivative_transposed(d, frame, ref, f, x ? &x->w.x : NULL);
}

static limb_status times(limb_data* d, int frame, limb_ref ref, sp_motion* x)
{
  static const double one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  return limb_frame_jacobian_derivative_times(d, frame, ref, one, x);
}

typedef struct call {
  limb_status (*of)(limb_data* d, int frame, limb_ref ref, sp_motion* x);
  int needs;        // 0 positions, 1 velocities, 2 accelerations
  int has_ref, out; // takes a reference; an output that must be there
} call;

static const call CALLS[] = {{pose, 0, 0, 1},    {velocity, 1, 1, 0},   {spatial, 2, 1, 0}, {classical, 2, 1, 0},
                             {hessian, 0, 1, 1}, {transposed, 0, 1, 1}, {times, 0, 1, 1}};

START_TEST(arguments)
{
  enum { N = 7 };
  limb_model* m = robot_panda();
  limb_data* d = NULL;
  const double q[N] = {0.1, 0.2, 0.3, -1, 0.5, 0.6, 0.7}, v[N] = {1, 1, 1, 1, 1, 1, 1};
  sp_motion x[N * N];
  const int count = limb_frame_count(m);
  for (size_t k = 0; k < sizeof CALLS / sizeof *CALLS; k++) {
    const call* c = &CALLS[k];
    check_at("call %zu", k);
    assert_ok(limb_data_create(m, NULL, &d));
    assert_status(c->of(d, 1, LIMB_BODY, x), LIMB_E_ORDER);
    assert_ok(limb_kinematics(d, q, c->needs > 1 ? v : NULL, NULL));
    if (c->needs > 0) assert_status(c->of(d, 1, LIMB_BODY, x), LIMB_E_ORDER);
    assert_ok(limb_kinematics(d, q, v, v));
    assert_ok(c->of(d, 1, LIMB_BODY, x));
    assert_status(c->of(NULL, 1, LIMB_BODY, x), LIMB_E_ARG);
    assert_status(c->of(d, -1, LIMB_BODY, x), LIMB_E_ARG);
    assert_status(c->of(d, count, LIMB_BODY, x), LIMB_E_ARG);
    if (c->has_ref) assert_status(c->of(d, 1, (limb_ref)3, x), LIMB_E_ARG);
    assert_status(c->of(d, 1, LIMB_BODY, NULL), c->out ? LIMB_E_ARG : LIMB_OK);
    limb_data_destroy(d);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(numbers_that_are_none)
{
  limb_model* m = robot_planar_2r();
  limb_data* d = NULL;
  const double q[2] = {0.1, 0.2}, huge[2] = {1e200, 1e200};
  double x[2] = {1, nan("")}, K[4];
  sp_motion out[4];
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_status(limb_frame_jacobian_derivative_times(d, 2, LIMB_BODY, NULL, out), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_derivative_times(d, 2, LIMB_BODY, x, out), LIMB_E_NONFINITE);
  const sp_force f = {{HUGE_VAL, 0, 0}, {0, 0, 0}};
  assert_status(limb_frame_jacobian_derivative_transposed(d, 2, LIMB_BODY, f, K), LIMB_E_NONFINITE);
  // squares of velocities are too large for a number
  assert_ok(limb_kinematics(d, q, huge, q));
  assert_status(limb_frame_acceleration_derivatives(d, 2, LIMB_WORLD, out, out + 2, NULL), LIMB_E_NONFINITE);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

static int run_all(void)
{
  const TTest* const over_robots[] = {poses_velocities_accelerations, real_parts_of_the_oracle, hessian_times_a_vector,
                                      hessian_contracted, NULL};
  const TTest* const once[] = {arguments, numbers_that_are_none, NULL};
  const int failed = check_run("kinematics/derivatives", trial_robots(), over_robots);
  return failed | check_run("kinematics/derivatives: statuses", 1, once);
}

int CHECK_NAME(void) { return run_all(); }
