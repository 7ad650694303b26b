// Linear models: the derivative of the motion itself, laws on groups, trajectories, sampled models; statuses.
#include "limb/derivatives.h"

#include "support/trial.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { STATES = CHECK_SANITIZED ? 2 : 10 };

// Friction is smooth, and the forces belong to moderate accelerations.
static double* prepare(trial* t)
{
  double* tau = trial_doubles(t, (size_t)t->nv);
  t->env.coulomb_width = 0.3;
  assert_ok(limb_inverse_dynamics(t->d, t->q, t->v, t->a, &t->env, tau));
  return tau;
}

static double largest(const double* A, size_t n)
{
  double x = 0;
  for (size_t i = 0; i < n; i++) x = fmax(x, fabs(A[i]));
  return x;
}

// ---- blocks -------------------------------------------------------------------------------------------

static void blocks(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  const double* tau = prepare(t);
  double *A = trial_doubles(t, 4 * n * n), *B = trial_doubles(t, 2 * n * n);
  double *A1 = trial_doubles(t, 4 * n * n), *B1 = trial_doubles(t, 2 * n * (n + 1));
  double *dq = trial_doubles(t, n * n), *dv = trial_doubles(t, n * n);
  double *Minv = trial_doubles(t, n * n), *a = trial_doubles(t, n);
  const limb_fd_derivatives out = {a, dq, dv, Minv};
  assert_ok(limb_forward_dynamics_derivatives(t->d, t->q, t->v, tau, &t->env, &out));
  assert_ok(limb_linearise(t->d, t->q, t->v, tau, &t->env, A, B));
  assert_ok(limb_linearise_affine(t->d, t->q, t->v, tau, &t->env, A1, B1));
  for (size_t e = 0; e < n * n; e++) {
    const size_t i = e / n, j = e % n, upper = i * 2 * n + j, lower = (n + i) * 2 * n + j;
    assert_that(A[upper + n] == (i == j) && A1[upper + n] == (i == j));
    assert_that(A1[upper] == A[upper] / 2); // counted from a fixed state
    assert_that(A[lower] == dq[e] && A[lower + n] == dv[e]);
    assert_that(A1[lower] == dq[e] && A1[lower + n] == dv[e]);
    assert_that(B[e] == 0 && B[n * n + e] == Minv[e]);
    assert_that(B1[i * (n + 1) + j] == 0 && B1[(n + i) * (n + 1) + j] == Minv[e]);
  }
  for (size_t i = 0; i < n; i++) {
    assert_that(B1[i * (n + 1) + n] == t->v[i] && B1[(n + i) * (n + 1) + n] == a[i]);
  }
}

START_TEST(blocks_are_the_derivatives) { trial_over(_i, STATES, blocks); }
END_TEST

// ---- the motion itself --------------------------------------------------------------------------------

#define STEP 3e-5 // in time and in the state

typedef struct flow {
  trial* t;
  const double *x, *u, *tau; // direction in the state, in the input; forces of the nominal motion
  double *q, *v, *f, *a;     // a state off the nominal one, its forces and accelerations
  double *at, *nominal, *step;
} flow;

static flow flow_make(trial* t, const double* x, const double* u, const double* tau)
{
  const size_t nq = (size_t)t->nq, n = (size_t)t->nv;
  flow s = {.t = t, .x = x, .u = u, .tau = tau};
  s.q = trial_doubles(t, nq), s.at = trial_doubles(t, nq), s.nominal = trial_doubles(t, nq);
  s.v = trial_doubles(t, n), s.f = trial_doubles(t, n), s.a = trial_doubles(t, n);
  s.step = trial_doubles(t, n);
  return s;
}

// q at time h after (q, v) under forces, to the third order, and the accelerations at the start.
static void advance(flow* s, const double* q, const double* v, const double* tau, double h, double* out)
{
  trial* t = s->t;
  assert_ok(limb_forward_dynamics(t->d, q, v, tau, &t->env, s->a));
  for (int i = 0; i < t->nv; i++) s->step[i] = v[i] + h / 2 * s->a[i];
  assert_ok(limb_integrate(t->m, q, s->step, h, out));
}

// The deviation at time h of the motion that starts eps off the nominal one: (dq; dv). From the nominal
// motion, or from its start.
static void deviation(flow* s, double eps, double h, bool from_start, double* out)
{
  trial* t = s->t;
  const int n = t->nv;
  assert_ok(limb_integrate(t->m, t->q, s->x, eps, s->q));
  for (int i = 0; i < n; i++) {
    s->v[i] = t->v[i] + eps * s->x[n + i];
    s->f[i] = s->tau[i] + eps * s->u[i];
  }
  advance(s, t->q, t->v, s->tau, h, s->nominal);
  for (int i = 0; i < n; i++) out[n + i] = -(from_start ? 0 : h * s->a[i]);
  advance(s, s->q, s->v, s->f, h, s->at);
  for (int i = 0; i < n; i++) out[n + i] += s->v[i] + h * s->a[i] - t->v[i];
  assert_ok(limb_difference(t->m, from_start ? t->q : s->nominal, s->at, out));
}

// Its rate per eps by central differences in both.
static void rate(flow* s, bool from_start, double* out)
{
  const int n = 2 * s->t->nv;
  double* x = trial_doubles(s->t, (size_t)n);
  for (int k = 0; k < 4; k++) {
    const double eps = k & 1 ? STEP : -STEP, h = k & 2 ? STEP : -STEP;
    deviation(s, eps, h, from_start, x);
    for (int i = 0; i < n; i++) out[i] += (eps * h > 0 ? x[i] : -x[i]) / (4 * STEP * STEP);
  }
}

static void motion(trial* t)
{
  if (!trial_small(t)) return;
  const int n = t->nv;
  const size_t nn = (size_t)n * (size_t)n;
  const double* tau = prepare(t);
  double *A = trial_doubles(t, 4 * nn), *B = trial_doubles(t, 2 * nn + 2 * (size_t)n);
  double *x = trial_doubles(t, 2 * (size_t)n), *u = trial_doubles(t, (size_t)n + 1);
  double *Ax = trial_doubles(t, 2 * (size_t)n), *Bu = trial_doubles(t, 2 * (size_t)n);
  rng_fill(&t->r, 1, 2 * n, x);
  rng_fill(&t->r, 1, n, u); // u[n] = 0: the affine term is no change
  flow s = flow_make(t, x, u, tau);
  for (int affine = 0; affine < 2; affine++) {
    double* want = trial_doubles(t, 2 * (size_t)n);
    assert_ok((affine ? limb_linearise_affine : limb_linearise)(t->d, t->q, t->v, tau, &t->env, A, B));
    trial_times(A, x, 2 * n, 2 * n, Ax);
    trial_times(B, u, 2 * n, affine ? n + 1 : n, Bu);
    for (int i = 0; i < 2 * n; i++) Ax[i] += Bu[i];
    rate(&s, affine, want);
    assert_close_array(Ax, want, n, 1e-5, 1e-5);
    assert_close_array(Ax + n, want + n, n, 1e-6, 1e-6 * largest(A, 4 * nn));
  }
}

START_TEST(derivative_of_the_motion) { trial_over(_i, STATES, motion); }
END_TEST

// At constant velocity the deviation of ball and free joints is exact at any size: Q exp(V h) exp(dq(h)) =
// Q exp(dq) exp(V h) with dq(h) = exp(-ad(V) h) dq.
static void group(trial* t)
{
  if (!trial_small(t)) return;
  const int n = t->nv;
  const size_t nn = (size_t)n * (size_t)n, nq = (size_t)t->nq;
  const double* tau = prepare(t);
  const double h = 0.3;
  double *A = trial_doubles(t, 4 * nn), *B = trial_doubles(t, 2 * nn);
  double *D = trial_doubles(t, nn), *E = trial_doubles(t, nn), *work = trial_doubles(t, 6 * nn);
  double *dq = trial_doubles(t, (size_t)n), *moved = trial_doubles(t, (size_t)n);
  double *q0 = trial_doubles(t, nq), *q1 = trial_doubles(t, nq), *off = trial_doubles(t, (size_t)n);
  assert_ok(limb_linearise(t->d, t->q, t->v, tau, &t->env, A, B));
  for (size_t e = 0; e < nn; e++) D[e] = A[e / (size_t)n * 2 * (size_t)n + e % (size_t)n];
  assert_ok(limb_discretise(n, 0, D, NULL, h, E, NULL, work));
  rng_fill(&t->r, 0.5, n, dq);
  trial_times(E, dq, n, n, moved);
  assert_ok(limb_integrate(t->m, t->q, t->v, h, q0));
  assert_ok(limb_integrate(t->m, q0, moved, 1, q0));
  assert_ok(limb_integrate(t->m, t->q, dq, 1, q1));
  assert_ok(limb_integrate(t->m, q1, t->v, h, q1));
  assert_ok(limb_difference(t->m, q0, q1, off));
  assert_close_array(off, trial_doubles(t, (size_t)n), n, 0, TOL_ALGEBRA);
}

START_TEST(constant_velocity_on_the_group) { trial_over(_i, STATES, group); }
END_TEST

// ---- trajectories and samples -------------------------------------------------------------------------

static void trajectory(trial* t)
{
  if (!trial_small(t)) return;
  enum { COUNT = 3 };
  const size_t n = (size_t)t->nv, nq = (size_t)t->nq, a = 4 * n * n, b = 2 * n * n;
  const double* tau = prepare(t);
  double *q = trial_doubles(t, COUNT * nq), *v = trial_doubles(t, COUNT * n);
  double *f = trial_doubles(t, COUNT * n), *A = trial_doubles(t, COUNT * a);
  double *B = trial_doubles(t, COUNT * b), *A1 = trial_doubles(t, a), *B1 = trial_doubles(t, b);
  for (size_t k = 0; k < COUNT; k++) {
    assert_ok(limb_integrate(t->m, t->q, t->v, 0.1 * (double)k, q + k * nq));
    for (size_t i = 0; i < n; i++) v[k * n + i] = t->v[i] * (double)k, f[k * n + i] = tau[i];
  }
  assert_ok(limb_linearise_trajectory(t->d, COUNT, q, v, f, &t->env, A, B));
  for (size_t k = 0; k < COUNT; k++) {
    assert_ok(limb_linearise(t->d, q + k * nq, v + k * n, f + k * n, &t->env, A1, B1));
    assert_that(memcmp(A1, A + k * a, a * sizeof *A) == 0);
    assert_that(memcmp(B1, B + k * b, b * sizeof *B) == 0);
  }
  v[2 * n] = nan("");
  assert_status(limb_linearise_trajectory(t->d, COUNT, q, v, f, &t->env, A, B), LIMB_E_NONFINITE);
}

START_TEST(along_a_trajectory) { trial_over(_i, 2, trajectory); }
END_TEST

// Error of the sampled affine model of a state in motion after a time h.
static double sampling_error(trial* t, const double* tau, double h)
{
  enum { PIECES = 64 };
  const int n = t->nv, nx = 2 * n;
  const size_t size = (size_t)nx;
  double *A = trial_doubles(t, size * size), *Ad = trial_doubles(t, size * size);
  double *B = trial_doubles(t, size * size), *Bd = trial_doubles(t, size * size);
  double* work = trial_doubles(t, limb_discretise_work(nx, n + 1));
  double *u = trial_doubles(t, size), *x = trial_doubles(t, size), *dq = trial_doubles(t, size);
  double *q = trial_doubles(t, (size_t)t->nq), *v = trial_doubles(t, size);
  assert_ok(limb_linearise_affine(t->d, t->q, t->v, tau, &t->env, A, B));
  assert_ok(limb_discretise(nx, n + 1, A, B, h, Ad, Bd, work));
  u[n] = 1; // forces as they are
  trial_times(Bd, u, nx, n + 1, x);
  // the motion: midpoints, h / PIECES each
  flow s = flow_make(t, x, u, tau);
  const double dt = h / PIECES;
  memcpy(q, t->q, (size_t)t->nq * sizeof *q);
  memcpy(v, t->v, (size_t)n * sizeof *v);
  for (int k = 0; k < PIECES; k++) {
    advance(&s, q, v, tau, dt / 2, s.q);
    for (int i = 0; i < n; i++) s.v[i] = v[i] + dt / 2 * s.a[i];
    assert_ok(limb_forward_dynamics(t->d, s.q, s.v, tau, &t->env, s.a));
    assert_ok(limb_integrate(t->m, q, s.v, dt, q));
    for (int i = 0; i < n; i++) v[i] += dt * s.a[i];
  }
  assert_ok(limb_difference(t->m, t->q, q, dq));
  double worst = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(x[i] - dq[i]));
    worst = fmax(worst, fabs(x[n + i] - (v[i] - t->v[i])));
  }
  return worst;
}

// The affine model has the first two derivatives of the motion: half the time, an eighth of the error.
static void sampled(trial* t)
{
  if (!trial_small(t) || t->nv > 40) return;
  const double* tau = prepare(t);
  const double coarse = sampling_error(t, tau, 4e-3), fine = sampling_error(t, tau, 2e-3);
  assert_that(coarse < 1e-2);
  assert_that(fine < coarse / 6 + 1e-8);
}

START_TEST(sampled_model_of_third_order) { trial_over(_i, 2, sampled); }
END_TEST

// ---- edges --------------------------------------------------------------------------------------------

static void undisturbed(trial* t)
{
  if (!trial_small(t)) return;
  const size_t n = (size_t)t->nv;
  const double* tau = prepare(t);
  double *A = trial_doubles(t, 4 * n * n), *B = trial_doubles(t, 2 * n * n);
  double* other = trial_doubles(t, (size_t)t->nq);
  uint64_t seed = rng_next(&t->r);
  sp_motion a, b;
  assert_ok(limb_random(t->m, &seed, other));
  assert_ok(limb_kinematics(t->d, t->q, t->v, t->a));
  assert_ok(limb_frame_acceleration(t->d, t->nframe - 1, LIMB_WORLD, &a));
  assert_ok(limb_linearise(t->d, other, t->v, tau, &t->env, A, B));
  assert_ok(limb_frame_acceleration(t->d, t->nframe - 1, LIMB_WORLD, &b));
  assert_that(memcmp(&a, &b, sizeof a) == 0);
}

START_TEST(kinematics_is_left_alone) { trial_over(_i, 2, undisturbed); }
END_TEST

typedef limb_status linearise_fn(limb_data* d, const double* q, const double* v, const double* tau,
                                 const limb_environment* env, double* A, double* B);

START_TEST(statuses)
{
  limb_model* m = robot_planar_2r();
  limb_data* d = NULL;
  double q[2] = {0.1, 0.2}, v[2] = {1, 1}, tau[2] = {0, 0}, A[16], B[12];
  linearise_fn* const calls[] = {limb_linearise, limb_linearise_affine};
  assert_ok(limb_data_create(m, NULL, &d));
  for (int k = 0; k < 2; k++) {
    linearise_fn* f = calls[k];
    assert_ok(f(d, q, v, tau, NULL, A, B));
    assert_status(f(NULL, q, v, tau, NULL, A, B), LIMB_E_ARG);
    assert_status(f(d, NULL, v, tau, NULL, A, B), LIMB_E_ARG);
    assert_status(f(d, q, NULL, tau, NULL, A, B), LIMB_E_ARG);
    assert_status(f(d, q, v, NULL, NULL, A, B), LIMB_E_ARG);
    assert_status(f(d, q, v, tau, NULL, NULL, B), LIMB_E_ARG);
    assert_status(f(d, q, v, tau, NULL, A, NULL), LIMB_E_ARG);
    q[1] = HUGE_VAL;
    assert_status(f(d, q, v, tau, NULL, A, B), LIMB_E_NONFINITE);
    q[1] = 0.2;
  }
  assert_ok(limb_linearise_trajectory(d, 0, NULL, NULL, NULL, NULL, NULL, NULL));
  assert_status(limb_linearise_trajectory(d, -1, q, v, tau, NULL, A, B), LIMB_E_ARG);
  assert_status(limb_linearise_trajectory(d, 1, q, v, tau, NULL, NULL, B), LIMB_E_ARG);
  assert_status(limb_linearise_trajectory(NULL, 1, q, v, tau, NULL, A, B), LIMB_E_ARG);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const over_robots[] = {blocks_are_the_derivatives,
                                      derivative_of_the_motion,
                                      constant_velocity_on_the_group,
                                      along_a_trajectory,
                                      sampled_model_of_third_order,
                                      kinematics_is_left_alone,
                                      NULL};
  const TTest* const once[] = {statuses, NULL};
  const int failed = check_run("dynamics/linearise", trial_robots(), over_robots);
  return failed | check_run("dynamics/linearise: statuses", 1, once);
}
