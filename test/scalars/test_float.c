// The kernels over float against those over double, on the same numbers: states are rounded to float
// first, so that only the arithmetic differs. Every short fixture robot; a long chain has no digits left.
#include "dynamics/dynamics_impl.h"
#include "support/scalars.h"
#include "support/trial.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define TOL_DIRECT  1e-5 // nothing is inverted
#define TOL_FORWARD 1e-4

static const limb_terms all_terms = {true, true, true, 0};

// Both sides of a comparison, and the state in float.
typedef struct sides {
  const limb_model* m;
  scalar_space f32, f64;
  limb_link_f32* k;
  float *q, *v, *a;
} sides;

static float* floats(trial* t, size_t n) { return (float*)(void*)trial_doubles(t, n); }

// x in float; x itself becomes what is left.
static float* rounded(trial* t, double* x, int n)
{
  float* y = floats(t, (size_t)n);
  for (int i = 0; i < n; i++) y[i] = (float)x[i], x[i] = (double)y[i];
  return y;
}

static double* widened(trial* t, const float* x, size_t n)
{
  double* y = trial_doubles(t, n);
  for (size_t i = 0; i < n; i++) y[i] = (double)x[i];
  return y;
}

static sides begin(trial* t)
{
  return (sides){.m = t->m,
                 .f32 = scalar_space_make(t->m, sizeof(float)),
                 .f64 = scalar_space_make(t->m, sizeof(double)),
                 .k = link_constants_f32(t->m),
                 .q = rounded(t, t->q, t->nq),
                 .v = rounded(t, t->v, t->nv),
                 .a = rounded(t, t->a, t->nv)};
}

static void end(sides* s)
{
  scalar_space_free(&s->f32);
  scalar_space_free(&s->f64);
  free(s->k);
}

// tau over double.
static void inverse_f64(const sides* s, const trial* t, const double* a, double* tau)
{
  limb_kernels_here()->inverse_dynamics(s->m, s->m->k64, &s->f64.ws, t->q, t->v, a, &all_terms, NULL, tau);
}

// ---- without an inverse ---------------------------------------------------------------------------

static void direct(trial* t)
{
  if (!trial_small(t)) return;
  sides s = begin(t);
  const limb_model* m = s.m;
  const size_t n = (size_t)t->nv, poses = 12 * (size_t)m->nlink;
  float *tau = floats(t, n), *M = floats(t, n * n), *X = floats(t, poses);
  double *want_tau = trial_doubles(t, n), *want_M = trial_doubles(t, n * n);
  double *want_X = trial_doubles(t, poses), *want_C = trial_doubles(t, n * n);
  float* C = floats(t, n * n);
  assert_that(limb_kernels_f32.finite(m, s.q, s.v, s.a));
  limb_kernels_f32.inverse_dynamics(m, s.k, &s.f32.ws, s.q, s.v, s.a, &all_terms, NULL, tau);
  limb_kernels_f32.mass_matrix(m, s.k, &s.f32.ws, s.q, M);
  limb_kernels_f32.coriolis_matrix(m, s.k, &s.f32.ws, s.q, s.v, SLOPES_SKEW, C);
  limb_kernels_f32.link_motion(m, s.k, &s.f32.ws, s.q, NULL, NULL, X, NULL, NULL, NULL);
  inverse_f64(&s, t, t->a, want_tau);
  limb_kernels_here()->mass_matrix(m, m->k64, &s.f64.ws, t->q, want_M);
  limb_kernels_here()->coriolis_matrix(m, m->k64, &s.f64.ws, t->q, t->v, SLOPES_SKEW, want_C);
  limb_kernels_here()->link_motion(m, m->k64, &s.f64.ws, t->q, NULL, NULL, want_X, NULL, NULL, NULL);
  assert_close_array(widened(t, tau, n), want_tau, t->nv, TOL_DIRECT, 0);
  assert_close_matrix(widened(t, M, n * n), want_M, t->nv, t->nv, TOL_DIRECT, 0);
  assert_close_matrix(widened(t, C, n * n), want_C, t->nv, t->nv, TOL_DIRECT, 0);
  assert_close_matrix(widened(t, X, poses), want_X, m->nlink, 12, TOL_DIRECT, 0);
  end(&s);
}

START_TEST(inverse_dynamics_matrices_and_poses) { trial_over(_i, TRIAL_STATES, direct); }
END_TEST

// ---- derivatives ------------------------------------------------------------------------------------

static void slopes(trial* t)
{
  if (!trial_small(t)) return;
  sides s = begin(t);
  const limb_model* m = s.m;
  const size_t n = (size_t)t->nv, nn = n * n;
  float *got = floats(t, n + 3 * nn), *gq = got + n;
  double *want = trial_doubles(t, n + 3 * nn), *wq = want + n;
  const limb_kernel_set_f32_motion in_f = {s.q, s.v, s.a, &all_terms, NULL, 0, NULL, 0};
  const limb_kernels_motion in = {t->q, t->v, t->a, &all_terms, NULL, 0, NULL, 0};
  const limb_kernel_set_f32_slopes to_f = {got, gq, gq + nn, gq + 2 * nn};
  const limb_kernels_slopes to = {want, wq, wq + nn, wq + 2 * nn};
  limb_kernels_f32.id_derivatives(m, s.k, &s.f32.ws, &in_f, &to_f);
  limb_kernels_here()->id_derivatives(m, m->k64, &s.f64.ws, &in, &to);
  assert_close_array(widened(t, got, n), want, t->nv, TOL_DIRECT, 0);
  for (size_t k = 0; k < 3; k++) {
    const double* x = widened(t, gq + k * nn, nn);
    assert_close_matrix(x, wq + k * nn, t->nv, t->nv, TOL_DIRECT, 0);
  }
  end(&s);
}

START_TEST(derivatives_of_inverse_dynamics) { trial_over(_i, TRIAL_STATES, slopes); }
END_TEST

// ---- forward dynamics -----------------------------------------------------------------------------

// Largest sum of magnitudes along a row.
static double norm(const double* A, int n)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

static double condition(trial* t)
{
  const size_t n = (size_t)t->nv;
  double *M = trial_doubles(t, n * n), *Minv = trial_doubles(t, n * n);
  assert_ok(limb_mass_matrix(t->d, t->q, M));
  assert_ok(limb_mass_matrix_inverse(t->d, t->q, Minv));
  return norm(M, t->nv) * norm(Minv, t->nv);
}

// Accelerations that belong to nearly the same forces, always; and right to four digits unless the
// condition number of M times the unit roundoff says that float has not that many: then that bound,
// times a small constant.
static void check_forward(trial* t, const sides* s, const double* tau, const float* a)
{
  const size_t n = (size_t)t->nv;
  double* felt = trial_doubles(t, n);
  const double* got = widened(t, a, n);
  inverse_f64(s, t, got, felt);
  assert_close_array(felt, tau, t->nv, TOL_DIRECT, 0);
  double *want = trial_doubles(t, n), *work = trial_doubles(t, n * n);
  limb_kernels_here()->by_mass_matrix(s->m, s->m->k64, &s->f64.ws, t->q, t->v, tau, &all_terms, NULL, work, want);
  const double bound = (double)FLT_EPSILON / 2 * condition(t);
  assert_close_array(got, want, t->nv, bound < TOL_FORWARD ? TOL_FORWARD : 4 * bound, 0);
}

static void forward(trial* t)
{
  if (!trial_small(t)) return;
  sides s = begin(t);
  const limb_model* m = s.m;
  const size_t n = (size_t)t->nv;
  double* tau = trial_doubles(t, n);
  inverse_f64(&s, t, t->a, tau);
  const float* tau_f = rounded(t, tau, t->nv);
  float *a = floats(t, n), *work = floats(t, n * n);
  assert_that(limb_kernels_f32.by_mass_matrix(m, s.k, &s.f32.ws, s.q, s.v, tau_f, &all_terms, NULL, work, a) > 0);
  check_forward(t, &s, tau, a);
  if (!m->has_mimic) {
    assert_that(limb_kernels_f32.aba(m, s.k, &s.f32.ws, s.q, s.v, tau_f, &all_terms, NULL, a) > 0);
    check_forward(t, &s, tau, a);
  }
  end(&s);
}

// ---- hybrid dynamics ------------------------------------------------------------------------------

// As check_forward, of accelerations and forces together: those of M_ff are at least as well conditioned.
static void check_hybrid(trial* t, const sides* s, const limb_kernels_hybrid* in, const float* a, const float* tau)
{
  const size_t n = (size_t)t->nv;
  double *felt = trial_doubles(t, n), *want_a = trial_doubles(t, n), *want = trial_doubles(t, n);
  double* work = trial_doubles(t, n * n);
  const double *got_a = widened(t, a, n), *got = widened(t, tau, n);
  inverse_f64(s, t, got_a, felt);
  assert_close_array(got, felt, t->nv, TOL_DIRECT, 0);
  limb_kernels_here()->hybrid_by_mass_matrix(s->m, s->m->k64, &s->f64.ws, in, work, want_a, want);
  const double tolerance = fmax(TOL_FORWARD, 4 * (double)FLT_EPSILON / 2 * condition(t));
  assert_close_array(got_a, want_a, t->nv, tolerance, 0);
  assert_close_array(got, want, t->nv, tolerance, 0);
}

static void hybrid(trial* t)
{
  if (!trial_small(t)) return;
  sides s = begin(t);
  const limb_model* m = s.m;
  const size_t n = (size_t)t->nv;
  double *x = trial_doubles(t, n), *forces = trial_doubles(t, n);
  unsigned char* given = (unsigned char*)trial_doubles(t, n);
  inverse_f64(&s, t, t->a, forces);
  for (size_t k = 0; k < n; k++) {
    given[k] = (unsigned char)rng_chance(&t->r, 0.5);
    x[k] = given[k] ? t->a[k] : forces[k];
  }
  const float* x_f = rounded(t, x, t->nv);
  float *a = floats(t, n), *tau = floats(t, n), *work = floats(t, n * n);
  const limb_kernels_hybrid in = {t->q, t->v, given, x, &all_terms, NULL};
  const limb_kernel_set_f32_hybrid in_f = {s.q, s.v, given, x_f, &all_terms, NULL};
  assert_that(limb_kernels_f32.hybrid_by_mass_matrix(m, s.k, &s.f32.ws, &in_f, work, a, tau) > 0);
  check_hybrid(t, &s, &in, a, tau);
  if (limb_given_sweeps(m, given)) {
    assert_that(limb_kernels_f32.hybrid(m, s.k, &s.f32.ws, &in_f, a, tau) > 0);
    check_hybrid(t, &s, &in, a, tau);
  }
  end(&s);
}

START_TEST(hybrid_dynamics) { trial_over(_i, TRIAL_STATES, hybrid); }
END_TEST

// Through an explicit inverse: right to four digits, or as many as the condition number leaves.
static void forward_slopes(trial* t)
{
  if (!trial_small(t)) return;
  sides s = begin(t);
  const limb_model* m = s.m;
  const size_t n = (size_t)t->nv, nn = n * n;
  double *tau = trial_doubles(t, n), *want = trial_doubles(t, n + 3 * nn), *wq = want + n;
  inverse_f64(&s, t, t->a, tau);
  const float* tau_f = rounded(t, tau, t->nv);
  float *got = floats(t, n + 3 * nn), *gq = got + n;
  const limb_kernel_set_f32_motion in_f = {s.q, s.v, tau_f, &all_terms, NULL, 0, NULL, 0};
  const limb_kernels_motion in = {t->q, t->v, tau, &all_terms, NULL, 0, NULL, 0};
  const limb_kernel_set_f32_slopes to_f = {got, gq, gq + nn, gq + 2 * nn};
  const limb_kernels_slopes to = {want, wq, wq + nn, wq + 2 * nn};
  assert_that(limb_kernels_f32.fd_derivatives(m, s.k, &s.f32.ws, &in_f, &to_f) > 0);
  assert_that(limb_kernels_here()->fd_derivatives(m, m->k64, &s.f64.ws, &in, &to) > 0);
  const double tolerance = fmax(TOL_FORWARD, 4 * (double)FLT_EPSILON / 2 * condition(t));
  assert_close_array(widened(t, got, n), want, t->nv, tolerance, 0);
  for (size_t k = 0; k < 3; k++) {
    const double* x = widened(t, gq + k * nn, nn);
    assert_close_matrix(x, wq + k * nn, t->nv, t->nv, tolerance, 0);
  }
  end(&s);
}

START_TEST(derivatives_of_forward_dynamics) { trial_over(_i, TRIAL_STATES, forward_slopes); }
END_TEST

START_TEST(forward_dynamics) { trial_over(_i, TRIAL_STATES, forward); }
END_TEST

CHECK_MAIN("scalars/float", trial_robots(), inverse_dynamics_matrices_and_poses, forward_dynamics, hybrid_dynamics,
           derivatives_of_inverse_dynamics, derivatives_of_forward_dynamics)
