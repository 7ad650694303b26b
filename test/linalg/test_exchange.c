// Exchange steps: there and back, the inverse, and a partly solved system against its definition.
#include "linalg/dense.h"
#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

enum { N = 7, C = 3 };

// y = A x + B u with A = G G' + 0.1 and any B, and vectors that fulfil it.
typedef struct linear {
  double A[N * N], B[N * C], x[N], y[N], u[C];
} linear;

static void product(const linear* s, double* y)
{
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int j = 0; j < N; j++) y[i] += s->A[i * N + j] * s->x[j];
    for (int j = 0; j < C; j++) y[i] += s->B[i * C + j] * s->u[j];
  }
}

static linear draw(int seed)
{
  rng r = {(uint64_t)seed};
  linear s = {0};
  double G[N * N];
  rng_fill(&r, 1, N * N, G);
  rng_fill(&r, 1, N * C, s.B);
  rng_fill(&r, 1, N, s.x);
  rng_fill(&r, 1, C, s.u);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      s.A[i * N + j] = i == j ? 0.1 : 0;
      for (int k = 0; k < N; k++) s.A[i * N + j] += G[i * N + k] * G[j * N + k];
    }
  }
  product(&s, s.y);
  return s;
}

static void step(linear* s, int k)
{
  assert_that(limb_exchange(N, k, 0, s->A));
  limb_exchange_beside(N, k, s->A, C, s->B);
}

// Any set of steps: x and y change places in it.
START_TEST(arguments_and_results_change_places)
{
  for (unsigned set = 0; set < 1u << N; set++) {
    linear s = draw(_i);
    check_at("seed %d, set %x", _i, set);
    for (int k = 0; k < N; k++) {
      if (!(set >> k & 1)) continue;
      step(&s, k);
      const double swapped = s.x[k];
      s.x[k] = s.y[k], s.y[k] = swapped;
    }
    double got[N];
    product(&s, got);
    assert_close_array(got, s.y, N, TOL_SOLVE, 0);
  }
}
END_TEST

START_TEST(two_steps_undo_each_other)
{
  const linear before = draw(_i);
  for (int k = 0; k < N; k++) {
    linear s = before;
    step(&s, k);
    step(&s, k);
    assert_close_matrix(s.A, before.A, N, N, TOL_ALGEBRA, 0);
    assert_close_matrix(s.B, before.B, N, C, TOL_ALGEBRA, 0);
  }
}
END_TEST

// Rows that do not feel the exchanged argument are left alone, bit for bit.
START_TEST(zeros_stay)
{
  linear s = draw(_i);
  for (int i = 1; i < N; i += 2) s.A[i * N] = s.A[i] = 0;
  const linear before = s;
  step(&s, 0);
  for (int i = 1; i < N; i += 2) {
    assert_that(memcmp(&s.A[i * N], &before.A[i * N], N * sizeof(double)) == 0);
    assert_that(memcmp(&s.B[i * C], &before.B[i * C], C * sizeof(double)) == 0);
    assert_that(s.A[i] == 0);
  }
}
END_TEST

START_TEST(pivots_must_be_above_the_least)
{
  linear s = draw(_i);
  const linear before = s;
  const double pivot = s.A[2 * N + 2];
  assert_that(!limb_exchange(N, 2, pivot, s.A));
  s.A[2 * N + 2] = nan("");
  assert_that(!limb_exchange(N, 2, 0, s.A));
  s.A[2 * N + 2] = pivot;
  assert_that(memcmp(&s, &before, sizeof s) == 0);
  assert_that(limb_exchange(N, 2, pivot / 2, s.A));
}
END_TEST

CHECK_MAIN("linalg/exchange", 10, arguments_and_results_change_places, two_steps_undo_each_other, zeros_stay,
           pivots_must_be_above_the_least)
