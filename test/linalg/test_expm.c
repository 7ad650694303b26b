// Matrix exponential and exact sampling: exponentials known in closed form, laws, edges.
#include "limb/derivatives.h"

#include "linalg/dense.h"
#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

enum { MOST = 12, ROOM = 16 * MOST * MOST };

static void expm(int n, const double* A, double t, double* E)
{
  static double work[LIMB_EXPM_WORK * MOST * MOST];
  for (int k = 0; k < n * n; k++) E[k] = t * A[k];
  assert_ok(limb_expm(n, E, work));
}

// C = A B, rows x inner times inner x columns
static void product(int rows, int inner, int columns, const double* A, const double* B, double* C)
{
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      double sum = 0;
      for (int k = 0; k < inner; k++) sum += A[i * inner + k] * B[k * columns + j];
      C[i * columns + j] = sum;
    }
  }
}

static void unit_matrix(int n, double* E)
{
  for (int k = 0; k < n * n; k++) E[k] = k % (n + 1) == 0;
}

// ---- known exponentials -----------------------------------------------------------------------------

START_TEST(zero_and_diagonal)
{
  const double zero[9] = {0}, D[9] = {-1, 0, 0, 0, 2, 0, 0, 0, 0.5};
  const double want[9] = {exp(-1), 0, 0, 0, exp(2), 0, 0, 0, exp(0.5)};
  double E[9], one[9];
  unit_matrix(3, one);
  expm(3, zero, 1, E);
  assert_close_array(E, one, 9, 0, 0);
  expm(3, D, 1, E);
  assert_close_array(E, want, 9, 1e-15, 0);
}
END_TEST

// The shift: entry (i, j) is t^(j - i) / (j - i)!, whatever the size of t.
START_TEST(nilpotent)
{
  enum { N = 6 };
  double A[N * N] = {0}, E[N * N], want[N * N] = {0};
  const double times[] = {1e-3, 1, 7, 300};
  for (int i = 0; i + 1 < N; i++) A[i * N + i + 1] = 1;
  for (int c = 0; c < 4; c++) {
    for (int i = 0; i < N; i++) {
      double x = 1;
      for (int j = i; j < N; j++) want[i * N + j] = x, x *= times[c] / (j - i + 1);
    }
    expm(N, A, times[c], E);
    for (int k = 0; k < N * N; k++) assert_close(E[k], want[k], 1e-13, 0);
  }
}
END_TEST

START_TEST(rotations)
{
  rng r = {3};
  for (int c = 0; c < 50; c++) {
    const double angle = rng_uniform(&r, -3, 3) * pow(10, c % 4);
    const sp_vec3 e = rng_direction(&r);
    const double A[9] = {0, -e.z, e.y, e.z, 0, -e.x, -e.y, e.x, 0};
    double E[9];
    expm(3, A, angle, E);
    // the angle itself is known to its last digit only
    assert_close_array(E, sp_rot_axis(e, angle).m, 9, 0, 1e-14 + 4e-16 * fabs(angle));
  }
}
END_TEST

// Moler and Van Loan, Nineteen dubious ways (SIAM Review 45, 2003): eigenvalues -1 and -17, eigenvectors
// (1, 2) and (3, 4); the series loses everything here.
START_TEST(dubious)
{
  const double A[4] = {-49, 24, -64, 31}, a = exp(-1), b = exp(-17);
  const double want[4] = {-2 * a + 3 * b, (3 * a - 3 * b) / 2, -4 * a + 4 * b, 3 * a - 2 * b};
  double E[4];
  expm(2, A, 1, E);
  assert_close_array(E, want, 4, 1e-13, 0);
}
END_TEST

// One eigenvalue, one eigenvector: exp(t J) = e^(-t) (1 + t N).
START_TEST(defective_with_large_norm)
{
  const double J[4] = {-1, 1, 0, -1};
  for (double t = 1; t < 600; t *= 5) {
    const double e = exp(-t), want[4] = {e, t * e, 0, e};
    double E[4];
    expm(2, J, t, E);
    assert_close_array(E, want, 4, 1e-13 * (1 + t), 0);
  }
}
END_TEST

// ---- laws -------------------------------------------------------------------------------------------

START_TEST(laws_of_random_matrices)
{
  rng r = {(uint64_t)_i + 17};
  const int n = 1 + rng_below(&r, MOST);
  const double size = pow(10, rng_uniform(&r, -3, 0.7));
  double A[MOST * MOST], E[MOST * MOST], E2[MOST * MOST], P[MOST * MOST], one[MOST * MOST];
  rng_fill(&r, size, n * n, A);
  expm(n, A, 1, E);
  expm(n, A, 2, E2);
  product(n, n, n, E, E, P);
  assert_close_array(P, E2, n * n, 1e-11, 0);
  expm(n, A, -1, E2);
  product(n, n, n, E, E2, P);
  unit_matrix(n, one);
  const double cond = limb_norm1(n, n, E) * limb_norm1(n, n, E2);
  assert_close_array(P, one, n * n, 0, 1e-14 * cond);
}
END_TEST

// ---- sampling ---------------------------------------------------------------------------------------

static void sample(int nx, int nu, const double* A, const double* B, double dt, double* Ad, double* Bd)
{
  static double work[ROOM];
  ck_assert_uint_le(limb_discretise_work(nx, nu), ROOM);
  assert_ok(limb_discretise(nx, nu, A, B, dt, Ad, Bd, work));
}

START_TEST(double_integrator)
{
  const double A[4] = {0, 1, 0, 0}, B[4] = {0, 0, 1, 1e12}, times[] = {-0.3, 0, 1e-3, 2, 1e4};
  for (int c = 0; c < 5; c++) {
    const double t = times[c], ad[4] = {1, t, 0, 1}, bd[4] = {t * t / 2, t * t / 2 * 1e12, t, t * 1e12};
    double Ad[4], Bd[4];
    sample(2, 2, A, B, t, Ad, Bd);
    for (int k = 0; k < 4; k++) assert_close(Ad[k], ad[k], 1e-14, 0);
    for (int k = 0; k < 4; k++) assert_close(Bd[k], bd[k], 1e-13, 0);
  }
}
END_TEST

// x'' = -w^2 x + u: (1 - cos w t) / w^2 and sin(w t) / w
START_TEST(oscillator)
{
  const double w = 3, A[4] = {0, 1, -9, 0}, B[2] = {0, 1};
  for (double t = 0.01; t < 50; t *= 3) {
    const double c = cos(w * t), s = sin(w * t);
    const double ad[4] = {c, s / w, -w * s, c}, bd[2] = {(1 - c) / (w * w), s / w};
    double Ad[4], Bd[2];
    sample(2, 1, A, B, t, Ad, Bd);
    assert_close_array(Ad, ad, 4, 1e-13 * (1 + t), 0);
    assert_close_array(Bd, bd, 2, 1e-13 * (1 + t), 0);
  }
}
END_TEST

// Two steps are one of twice the length: Ad(2t) = Ad^2, Bd(2t) = Ad Bd + Bd.
START_TEST(two_steps_are_one)
{
  enum { NX = 6, NU = 3 };
  rng r = {(uint64_t)_i + 5};
  double A[NX * NX], B[NX * NU], Ad[NX * NX], Bd[NX * NU], Ad2[NX * NX], Bd2[NX * NU];
  double P[NX * NX], Q[NX * NU];
  rng_fill(&r, 2, NX * NX, A);
  rng_fill(&r, 50, NX * NU, B);
  const double t = rng_uniform(&r, 0.01, 0.6);
  sample(NX, NU, A, B, t, Ad, Bd);
  sample(NX, NU, A, B, 2 * t, Ad2, Bd2);
  product(NX, NX, NX, Ad, Ad, P);
  product(NX, NX, NU, Ad, Bd, Q);
  for (int k = 0; k < NX * NU; k++) Q[k] += Bd[k];
  assert_close_array(P, Ad2, NX * NX, 1e-12, 0);
  assert_close_array(Q, Bd2, NX * NU, 1e-12, 0);
}
END_TEST

// Bd by quadrature: Gauss-Legendre with three points on 40 pieces.
START_TEST(integral_of_the_exponential)
{
  enum { NX = 5, NU = 2, PIECES = 40 };
  rng r = {(uint64_t)_i + 50};
  double A[NX * NX], B[NX * NU], Ad[NX * NX], Bd[NX * NU], sum[NX * NU] = {0};
  const double x[3] = {-sqrt(0.6), 0, sqrt(0.6)}, w[3] = {5. / 18, 8. / 18, 5. / 18};
  rng_fill(&r, 2, NX * NX, A);
  rng_fill(&r, 3, NX * NU, B);
  const double t = 0.7, h = t / PIECES;
  for (int k = 0; k < 3 * PIECES; k++) {
    double E[NX * NX], EB[NX * NU];
    expm(NX, A, h * (k / 3 + (1 + x[k % 3]) / 2), E);
    product(NX, NX, NU, E, B, EB);
    for (int i = 0; i < NX * NU; i++) sum[i] += h * w[k % 3] * EB[i];
  }
  sample(NX, NU, A, B, t, Ad, Bd);
  assert_close_array(Bd, sum, NX * NU, 1e-10, 0);
}
END_TEST

// ---- edges ------------------------------------------------------------------------------------------

START_TEST(statuses)
{
  double A[4] = {0, 1, 0, 0}, B[2] = {0, 1}, Ad[4], Bd[2], work[6 * 9];
  assert_status(limb_discretise(2, 1, NULL, B, 1, Ad, Bd, work), LIMB_E_ARG);
  assert_status(limb_discretise(2, 1, A, NULL, 1, Ad, Bd, work), LIMB_E_ARG);
  assert_status(limb_discretise(2, 1, A, B, 1, NULL, Bd, work), LIMB_E_ARG);
  assert_status(limb_discretise(2, 1, A, B, 1, Ad, NULL, work), LIMB_E_ARG);
  assert_status(limb_discretise(2, 1, A, B, 1, Ad, Bd, NULL), LIMB_E_ARG);
  assert_status(limb_discretise(-1, 1, A, B, 1, Ad, Bd, work), LIMB_E_ARG);
  assert_status(limb_discretise(2, -1, A, B, 1, Ad, Bd, work), LIMB_E_ARG);
  assert_status(limb_discretise(2, 2147483647, A, B, 1, Ad, Bd, work), LIMB_E_ARG);
  assert_status(limb_discretise(2, 1, A, B, nan(""), Ad, Bd, work), LIMB_E_NONFINITE);
  assert_status(limb_discretise(2, 1, A, B, HUGE_VAL, Ad, Bd, work), LIMB_E_NONFINITE);
  assert_ok(limb_discretise(2, 0, A, NULL, 1, Ad, NULL, work));
  assert_ok(limb_discretise(0, 0, NULL, NULL, 1, NULL, NULL, NULL));
  B[0] = nan("");
  assert_status(limb_discretise(2, 1, A, B, 1, Ad, Bd, work), LIMB_E_NONFINITE);
  B[0] = 0, A[0] = nan("");
  assert_status(limb_discretise(2, 1, A, B, 1, Ad, Bd, work), LIMB_E_NONFINITE);
  A[1] = 1e9; // what is no number goes before what is too large
  assert_status(limb_discretise(2, 1, A, B, 1, Ad, Bd, work), LIMB_E_NONFINITE);
  A[1] = 1, A[0] = -1e9; // too stiff for a second
  assert_status(limb_discretise(2, 1, A, B, 1, Ad, Bd, work), LIMB_E_UNSUPPORTED);
  A[0] = 1000; // e^1000 is no number
  assert_status(limb_discretise(2, 1, A, B, 1, Ad, Bd, work), LIMB_E_NONFINITE);
  ck_assert_uint_eq(limb_discretise_work(2, 1), 54);
  ck_assert_uint_eq(limb_discretise_work(-1, 1), 0);
  ck_assert_uint_eq(limb_discretise_work(2147483647, 1), 0);
}
END_TEST

CHECK_MAIN("linalg/expm", 20, zero_and_diagonal, nilpotent, rotations, dubious, defective_with_large_norm,
           laws_of_random_matrices, double_integrator, oscillator, two_steps_are_one, integral_of_the_exponential,
           statuses)
