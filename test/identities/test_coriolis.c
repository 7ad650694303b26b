// Identities of the Coriolis matrix, over every fixture robot. Together the three say that it is the
// Levi-Civita connection of M: there is only one.
#include "support/scalars.h"
#include "support/trial.h"

#include <math.h>
#include <string.h>

#define STEP 1e-20 // of the complex step: its square vanishes beside 1

static double largest(const double* A, size_t n)
{
  double x = 0;
  for (size_t i = 0; i < n; i++) x = fmax(x, fabs(A[i]));
  return x;
}

// C v + g = h
static void forces(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  double *C = trial_doubles(t, n * n), *Cv = trial_doubles(t, n);
  double *h = trial_doubles(t, n), *g = trial_doubles(t, n);
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, C));
  assert_ok(limb_bias_forces(t->d, t->q, t->v, NULL, h));
  assert_ok(limb_gravity_forces(t->d, t->q, NULL, g));
  trial_times(C, t->v, t->nv, t->nv, Cv);
  for (size_t k = 0; k < n; k++) Cv[k] += g[k];
  assert_close_array(Cv, h, t->nv, TOL_ALGEBRA, TOL_ALGEBRA * largest(h, n));
}

START_TEST(coriolis_matrix_gives_the_coriolis_forces) { trial_over(_i, TRIAL_STATES, forces); }
END_TEST

// dM/dt = C + C', with dM/dt by the complex step along v
static void rate_of_mass_matrix(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  double *C = trial_doubles(t, n * n), *both = trial_doubles(t, n * n);
  double *rate = trial_doubles(t, n * n), *dq = trial_doubles(t, (size_t)t->nq);
  double complex* q = (double complex*)(void*)trial_doubles(t, 2 * (size_t)t->nq);
  double complex* M = (double complex*)(void*)trial_doubles(t, 2 * n * n);
  scalar_space s = scalar_space_make(t->m, sizeof(double complex));
  configuration_rate(t->m, t->q, t->v, dq);
  for (int i = 0; i < t->nq; i++) {
    const double part[2] = {t->q[i], STEP * dq[i]};
    memcpy(&q[i], part, sizeof q[i]);
  }
  limb_kernels_c64.mass_matrix(t->m, t->m->k64, &s.ws, q, M);
  scalar_space_free(&s);
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, C));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      rate[i * n + j] = cimag(M[i * n + j]) / STEP;
      both[i * n + j] = C[i * n + j] + C[j * n + i];
    }
  }
  assert_close_array(both, rate, t->nv * t->nv, 0, TOL_ALGEBRA * largest(rate, n * n));
}

START_TEST(mass_matrix_rate_minus_twice_coriolis_is_skew) { trial_over(_i, TRIAL_STATES / 4, rate_of_mass_matrix); }
END_TEST

static int has_quaternions(const trial* t) { return t->nq != t->nv; }

// C(q, v) w = C(q, w) v where velocities are rates of coordinates: Christoffel symbols are symmetric
static void symmetry(trial* t)
{
  if (trial_enough(t) || has_quaternions(t)) return;
  const size_t n = (size_t)t->nv;
  double *C = trial_doubles(t, n * n), *Cvw = trial_doubles(t, n), *Cwv = trial_doubles(t, n);
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, C));
  trial_times(C, t->a, t->nv, t->nv, Cvw);
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->a, C));
  trial_times(C, t->v, t->nv, t->nv, Cwv);
  assert_close_array(Cvw, Cwv, t->nv, TOL_ALGEBRA, TOL_ALGEBRA * largest(Cvw, n));
}

START_TEST(coriolis_matrix_is_made_of_christoffel_symbols) { trial_over(_i, TRIAL_STATES, symmetry); }
END_TEST

static void bad_arguments(trial* t)
{
  double* C = trial_doubles(t, (size_t)t->nv * (size_t)t->nv);
  assert_status(limb_coriolis_matrix(NULL, t->q, t->v, C), LIMB_E_ARG);
  assert_status(limb_coriolis_matrix(t->d, NULL, t->v, C), LIMB_E_ARG);
  assert_status(limb_coriolis_matrix(t->d, t->q, NULL, C), LIMB_E_ARG);
  assert_status(limb_coriolis_matrix(t->d, t->q, t->v, NULL), LIMB_E_ARG);
  t->v[0] = nan("");
  assert_status(limb_coriolis_matrix(t->d, t->q, t->v, C), LIMB_E_NONFINITE);
}

START_TEST(what_cannot_be_computed_is_refused) { trial_over(_i, 1, bad_arguments); }
END_TEST

CHECK_MAIN("identities/coriolis", trial_robots(), coriolis_matrix_gives_the_coriolis_forces,
           mass_matrix_rate_minus_twice_coriolis_is_skew, coriolis_matrix_is_made_of_christoffel_symbols,
           what_cannot_be_computed_is_refused)
