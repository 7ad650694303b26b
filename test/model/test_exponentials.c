// Exponential and logarithm of rigid motions, Ad and ad and inertias as matrices, against plain power series.
#include "limb/spatial.h"

#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

// exp(A) of an n x n matrix by its power series, for matrices of moderate size.
static void series(int n, const double* A, double* sum)
{
  double term[36], next[36];
  for (int i = 0; i < n * n; i++) sum[i] = term[i] = i % (n + 1) == 0;
  for (int k = 1; k < 60; k++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        next[i * n + j] = 0;
        for (int l = 0; l < n; l++) next[i * n + j] += term[i * n + l] * A[l * n + j] / k;
      }
    memcpy(term, next, sizeof term);
    for (int i = 0; i < n * n; i++) sum[i] += term[i];
  }
}

static sp_motion random_twist(rng* r, double size)
{
  double x[6];
  rng_fill(r, size, 6, x);
  return (sp_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

static void numbers_of(sp_motion V, double x[6])
{
  const double all[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  memcpy(x, all, sizeof all);
}

START_TEST(exponential)
{
  static const double sizes[] = {1e-12, 1e-5, 0.1, 1, 3};
  rng r = {5};
  for (int k = 0; k < 200; k++) {
    const sp_motion V = random_twist(&r, sizes[k % 5]);
    const double A[16] = {0, -V.w.z, V.w.y, V.v.x, V.w.z, 0, -V.w.x, V.v.y, -V.w.y, V.w.x, 0, V.v.z, 0, 0, 0, 0};
    double E[16];
    series(4, A, E);
    const sp_pose X = sp_exp(V);
    for (int i = 0; i < 9; i++) assert_close(X.R.m[i], E[i / 3 * 4 + i % 3], 0, 1e-13);
    assert_close(X.p.x, E[3], 0, 1e-12), assert_close(X.p.y, E[7], 0, 1e-12), assert_close(X.p.z, E[11], 0, 1e-12);
  }
  // Lynch and Park 2017: a quarter turn about x with (2.35619449, 2.35619449) along y and z ends at (0, 0, 3)
  const double q = acos(0);
  const sp_pose X = sp_exp((sp_motion){{q, 0, 0}, {0, 1.5 * q, 1.5 * q}});
  const double want[12] = {1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 3};
  assert_close_array(X.R.m, want, 9, 0, 1e-15), assert_close_array(&X.p.x, want + 9, 3, 0, 1e-15);
}
END_TEST

// log exp V = V below half a turn, and exp log X = X also at half a turn.
START_TEST(logarithm)
{
  static const double sizes[] = {0, 1e-14, 1e-7, 0.3, 1.7};
  rng r = {8};
  for (int k = 0; k < 200; k++) {
    double V[6], W[6];
    numbers_of(random_twist(&r, sizes[k % 5]), V);
    const sp_motion log = sp_log(sp_exp((sp_motion){{V[0], V[1], V[2]}, {V[3], V[4], V[5]}}));
    numbers_of(log, W);
    assert_close_array(W, V, 6, 1e-13, 1e-15);
  }
  for (int k = 0; k < 60; k++) {
    sp_motion V = random_twist(&r, 1);
    const double angle = acos(-1.0) - (k % 3 == 0 ? 0 : k % 3 == 1 ? 1e-9 : 1e-5);
    V.w = sp_scale3(angle / sp_norm3(V.w), V.w);
    const sp_pose X = sp_exp(V), Y = sp_exp(sp_log(X));
    assert_close(sp_norm3(sp_log(X).w), angle, 0, 1e-7);
    assert_close_array(Y.R.m, X.R.m, 9, 0, 1e-14), assert_close_array(&Y.p.x, &X.p.x, 3, 0, 1e-13);
  }
}
END_TEST

// exp(ad_V) = Ad of exp V, and the matrices are the maps.
START_TEST(adjoints)
{
  rng r = {13};
  for (int k = 0; k < 50; k++) {
    const sp_motion V = random_twist(&r, 1), x = random_twist(&r, 1);
    const sp_pose X = sp_exp(V);
    const sp_force f = {x.w, x.v}, in = sp_force_in(X, f), turned = sp_crf(V, f);
    double ad[36], Ad[36], E[36], y[6];
    sp_ad_matrix(V, ad);
    sp_adjoint_matrix(X, Ad);
    series(6, ad, E);
    assert_close_array(Ad, E, 36, 0, 1e-12);
    numbers_of(x, y);
    const double want[6] = {in.m.x, in.m.y, in.m.z, in.f.x, in.f.y, in.f.z};
    const double star[6] = {turned.m.x, turned.m.y, turned.m.z, turned.f.x, turned.f.y, turned.f.z};
    for (int i = 0; i < 6; i++) {
      double transposed = 0, crossed = 0;
      for (int j = 0; j < 6; j++) transposed += Ad[6 * j + i] * y[j], crossed -= ad[6 * j + i] * y[j];
      assert_close(transposed, want[i], 0, 1e-13), assert_close(crossed, star[i], 0, 1e-13);
    }
  }
}
END_TEST

// [I_c - m [c]^2, m [c]; -m [c], m 1], written out
START_TEST(inertia)
{
  const sp_inertia Y = {2, {0.1, -0.2, 0.3}, 1, 0.01, 0.02, 1.1, 0.03, 1.2};
  const double x = 0.1, y = -0.2, z = 0.3, m = 2;
  const double want[36] = {1 + m * (y * y + z * z),
                           0.01 - m * x * y,
                           0.02 - m * x * z,
                           0,
                           -m * z,
                           m * y,
                           0.01 - m * x * y,
                           1.1 + m * (x * x + z * z),
                           0.03 - m * y * z,
                           m * z,
                           0,
                           -m * x,
                           0.02 - m * x * z,
                           0.03 - m * y * z,
                           1.2 + m * (x * x + y * y),
                           -m * y,
                           m * x,
                           0,
                           0,
                           m * z,
                           -m * y,
                           m,
                           0,
                           0,
                           -m * z,
                           0,
                           m * x,
                           0,
                           m,
                           0,
                           m * y,
                           -m * x,
                           0,
                           0,
                           0,
                           m};
  double G[36];
  sp_inertia_matrix(&Y, G);
  assert_close_array(G, want, 36, 0, 1e-15);
  sp_inertia_matrix(NULL, G);
  for (int i = 0; i < 36; i++) assert_that(isnan(G[i]));
}
END_TEST

CHECK_MAIN("exponentials", 1, exponential, logarithm, adjoints, inertia)
