// Christoffel symbols two ways, the connection, their matrices and derivatives, over every fixture robot.
#include "dynamics/complex_step.h"

#include "limb/lagrange.h"

enum { STATES = CHECK_SANITIZED ? 1 : 4, MOST3 = 60, MOST4 = 36 }; // velocities, for nv^3 and nv^4

// out_ij = sum_k G_ijk v_k
static void contract(const double* G, const double* v, size_t n, double* out)
{
  for (size_t ij = 0; ij < n * n; ij++) {
    out[ij] = 0;
    for (size_t k = 0; k < n; k++) out[ij] += G[ij * n + k] * v[k];
  }
}

// ---- symbols ----------------------------------------------------------------------------------------

static void two_ways(trial* t)
{
  if (t->nv > MOST3) return;
  const size_t n = (size_t)t->nv, n3 = n * n * n;
  double *G = trial_doubles(t, n3), *want = trial_doubles(t, n3);
  double* work = trial_doubles(t, limb_christoffel_by_polarisation_work(t->m));
  assert_ok(limb_christoffel(t->d, t->q, G));
  assert_ok(limb_christoffel_by_polarisation(t->d, t->q, work, want));
  assert_tensor(G, want, n3, TOL_ALGEBRA, 1e-3);
}

START_TEST(brackets_are_polarised_forces) { trial_over(_i, STATES, two_ways); }
END_TEST

// G_ijk + G_jik = dM_ij/dq_k, sum_k G_ijk v_k = C: the Levi-Civita connection, and its symmetric half.
static void connection(trial* t)
{
  if (t->nv > MOST3) return;
  const size_t n = (size_t)t->nv, n3 = n * n * n;
  double *L = trial_doubles(t, n3), *G = trial_doubles(t, n3), *dM = trial_doubles(t, n3);
  double *sum = trial_doubles(t, n3), *half = trial_doubles(t, n3);
  double *C = trial_doubles(t, n * n), *want = trial_doubles(t, n * n);
  assert_ok(limb_connection(t->d, t->q, L));
  assert_ok(limb_christoffel(t->d, t->q, G));
  assert_ok(limb_mass_matrix_derivative(t->d, t->q, dM));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      for (size_t k = 0; k < n; k++) {
        sum[(i * n + j) * n + k] = L[(i * n + j) * n + k] + L[(j * n + i) * n + k];
        half[(i * n + j) * n + k] = (L[(i * n + j) * n + k] + L[(i * n + k) * n + j]) / 2;
      }
    }
  }
  assert_tensor(sum, dM, n3, TOL_ALGEBRA, 1e-3);
  assert_tensor(half, G, n3, TOL_ALGEBRA, 1e-3);
  if (!has_quaternions(t)) assert_tensor(L, G, n3, TOL_ALGEBRA, 1e-3);
  assert_ok(limb_coriolis_matrix(t->d, t->q, t->v, want));
  contract(L, t->v, n, C);
  assert_tensor(C, want, n * n, TOL_ALGEBRA, 1e-3);
}

START_TEST(the_connection_is_that_of_the_coriolis_matrix) { trial_over(_i, STATES, connection); }
END_TEST

// ---- the matrix of the symbols ----------------------------------------------------------------------

// C = sum_k G_ijk v_k, C v = c, C(v) w = C(w) v
static void matrix(trial* t)
{
  if (trial_enough(t)) return;
  const size_t n = (size_t)t->nv;
  double* C = trial_doubles(t, n * n);
  double *x = trial_doubles(t, n), *y = trial_doubles(t, n);
  limb_environment env = t->env;
  env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_coriolis_matrix_christoffel(t->d, t->q, t->v, C));
  assert_ok(limb_bias_forces(t->d, t->q, t->v, &env, y));
  trial_times(C, t->v, t->nv, t->nv, x);
  assert_tensor(x, y, n, TOL_ALGEBRA, largest(C, n * n));
  if (t->nv <= MOST3) {
    double *G = trial_doubles(t, n * n * n), *want = trial_doubles(t, n * n);
    assert_ok(limb_christoffel(t->d, t->q, G));
    contract(G, t->v, n, want);
    assert_tensor(C, want, n * n, TOL_ALGEBRA, 1e-3);
  }
  trial_times(C, t->a, t->nv, t->nv, x);
  assert_ok(limb_coriolis_matrix_christoffel(t->d, t->q, t->a, C));
  trial_times(C, t->v, t->nv, t->nv, y);
  assert_tensor(x, y, n, TOL_ALGEBRA, largest(C, n * n));
}

START_TEST(the_matrix_of_the_symbols) { trial_over(_i, STATES, matrix); }
END_TEST

// C = dc/dv / 2 by the complex step, a few columns
static void half_of_dc_dv(trial* t)
{
  if (trial_enough(t)) return;
  static const limb_terms none = {0};
  const size_t n = (size_t)t->nv;
  double* C = trial_doubles(t, n * n);
  double *column = trial_doubles(t, n), *want = trial_doubles(t, n), *still = trial_doubles(t, n);
  assert_ok(limb_coriolis_matrix_christoffel(t->d, t->q, t->v, C));
  complex_step c = step_begin(t);
  step_along(&c, still);
  cplx* rest = cplx_zeros(t, n);
  for (int round = 0; round < 4; round++) {
    const size_t k = (size_t)rng_below(&t->r, t->nv);
    for (size_t i = 0; i < n; i++) c.x[i] = t->v[i];
    const double part[2] = {t->v[k], COMPLEX_STEP};
    memcpy(&c.x[k], part, sizeof part);
    limb_kernels_c64.inverse_dynamics(t->m, t->m->k64, &c.s.ws, c.q, c.x, rest, &none, NULL, c.y);
    cplx_derivative(c.y, n, want);
    for (size_t i = 0; i < n; i++) column[i] = 2 * C[i * n + k];
    assert_close_array(column, want, t->nv, 0, TOL_ALGEBRA * largest(C, n * n));
  }
  step_end(&c);
}

START_TEST(the_matrix_of_the_symbols_is_half_of_dc_dv) { trial_over(_i, STATES, half_of_dc_dv); }
END_TEST

// ---- derivatives ------------------------------------------------------------------------------------

// E_l of the connection: complex Coriolis matrices at unit velocities, stepped along q_l.
static void derivatives(trial* t)
{
  if (t->nv > MOST4) return;
  const size_t n = (size_t)t->nv, n2 = n * n, n4 = n2 * n2;
  double *dL = trial_doubles(t, n4), *want = trial_doubles(t, n4), *slope = trial_doubles(t, n2);
  cplx *C = cplx_zeros(t, n2), *unit = cplx_zeros(t, n);
  complex_step c = step_begin(t);
  for (size_t l = 0; l < n; l++) {
    step_along_axis(&c, (int)l);
    for (size_t k = 0; k < n; k++) {
      unit[k] = 1;
      limb_kernels_c64.coriolis_matrix(t->m, t->m->k64, &c.s.ws, c.q, unit, SLOPES_SKEW, C);
      unit[k] = 0;
      cplx_derivative(C, n2, slope);
      for (size_t ij = 0; ij < n2; ij++) want[(ij * n + k) * n + l] = slope[ij];
    }
  }
  step_end(&c);
  assert_ok(limb_connection_derivative(t->d, t->q, dL));
  assert_tensor(dL, want, n4, TOL_ALGEBRA, 1e-3);
  for (size_t i = 0; i < n; i++) { // the symmetric half
    for (size_t jk = 0; jk < n2; jk++) {
      const size_t j = jk / n, k = jk % n;
      for (size_t l = 0; l < n && k <= j; l++) {
        double *x = &want[((i * n + j) * n + k) * n + l], *y = &want[((i * n + k) * n + j) * n + l];
        *x = *y = (*x + *y) / 2;
      }
    }
  }
  assert_ok(limb_christoffel_derivative(t->d, t->q, dL));
  assert_tensor(dL, want, n4, TOL_ALGEBRA, 1e-3);
}

START_TEST(derivatives_of_the_symbols) { trial_over(_i, CHECK_SANITIZED ? 1 : 2, derivatives); }
END_TEST

// ---- second kind ------------------------------------------------------------------------------------

// Accelerations without forces and gravity: a_i = -sum_jk G^i_jk v_j v_k
static void geodesics(trial* t)
{
  if (t->nv > MOST3) return;
  const size_t n = (size_t)t->nv;
  double *G = trial_doubles(t, n * n * n), *A = trial_doubles(t, n * n);
  double* work = trial_doubles(t, limb_christoffel_second_work(t->m));
  double *a = trial_doubles(t, n), *c = trial_doubles(t, n);
  limb_environment env = t->env;
  env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_bias_forces(t->d, t->q, t->v, &env, c));
  assert_ok(limb_mass_matrix_solve(t->d, t->q, 1, c, c));
  assert_ok(limb_christoffel_second(t->d, t->q, work, G));
  contract(G, t->v, n, A);
  trial_times(A, t->v, t->nv, t->nv, a);
  assert_tensor(a, c, n, t->solve, largest(A, n * n));
}

START_TEST(the_second_kind_gives_geodesics) { trial_over(_i, STATES, geodesics); }
END_TEST

// ---- edges ------------------------------------------------------------------------------------------

static void bad_arguments(trial* t)
{
  if (t->nv > MOST4) return;
  const size_t n = (size_t)t->nv;
  double *x = trial_doubles(t, n * n * n * n), *work = trial_doubles(t, n * n * n + n);
  const double *q = t->q, *v = t->v;
  limb_data* d = t->d;
  limb_status (*const plain[])(limb_data*, const double*, double*) = {
    limb_christoffel, limb_connection, limb_christoffel_derivative, limb_connection_derivative};
  for (int k = 0; k < 4; k++) {
    assert_status(plain[k](NULL, q, x), LIMB_E_ARG);
    assert_status(plain[k](d, NULL, x), LIMB_E_ARG);
    assert_status(plain[k](d, q, NULL), LIMB_E_ARG);
  }
  limb_status (*const worked[])(limb_data*, const double*, double*, double*) = {limb_christoffel_by_polarisation,
                                                                                limb_christoffel_second};
  for (int k = 0; k < 2; k++) {
    assert_status(worked[k](NULL, q, work, x), LIMB_E_ARG);
    assert_status(worked[k](d, NULL, work, x), LIMB_E_ARG);
    assert_status(worked[k](d, q, NULL, x), LIMB_E_ARG);
    assert_status(worked[k](d, q, work, NULL), LIMB_E_ARG);
  }
  assert_status(limb_coriolis_matrix_christoffel(NULL, q, v, x), LIMB_E_ARG);
  assert_status(limb_coriolis_matrix_christoffel(d, NULL, v, x), LIMB_E_ARG);
  assert_status(limb_coriolis_matrix_christoffel(d, q, NULL, x), LIMB_E_ARG);
  assert_status(limb_coriolis_matrix_christoffel(d, q, v, NULL), LIMB_E_ARG);
  ck_assert_uint_eq(limb_christoffel_second_work(NULL), 0);
  ck_assert_uint_eq(limb_christoffel_by_polarisation_work(NULL), 0);
  t->q[t->nq - 1] = nan("");
  for (int k = 0; k < 4; k++) assert_status(plain[k](d, q, x), LIMB_E_NONFINITE);
  for (int k = 0; k < 2; k++) assert_status(worked[k](d, q, work, x), LIMB_E_NONFINITE);
  assert_status(limb_coriolis_matrix_christoffel(d, q, v, x), LIMB_E_NONFINITE);
}

START_TEST(what_cannot_be_computed_is_refused) { trial_over(_i, 1, bad_arguments); }
END_TEST

CHECK_MAIN("dynamics/christoffel", trial_robots(), brackets_are_polarised_forces,
           the_connection_is_that_of_the_coriolis_matrix, the_matrix_of_the_symbols,
           the_matrix_of_the_symbols_is_half_of_dc_dv, derivatives_of_the_symbols, the_second_kind_gives_geodesics,
           what_cannot_be_computed_is_refused)
