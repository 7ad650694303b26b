// Signals: what they reproduce exactly, continuity, the edges, and what is refused.
#include "limb/control.h"

#include "robust/purse.h"
#include "support/check.h"
#include "support/rng.h"

#include <math.h>
#include <string.h>

enum { MOST = 60 };

// A polynomial and its derivatives.
static void polynomial(const double* c, int degree, double t, double x[3])
{
  x[0] = x[1] = x[2] = 0;
  for (int k = degree; k >= 0; k--) {
    x[2] = x[2] * t + 2 * x[1];
    x[1] = x[1] * t + x[0];
    x[0] = x[0] * t + c[k];
  }
}

static void random_times(rng* r, int n, double* t)
{
  t[0] = rng_uniform(r, -1, 1);
  for (int i = 1; i < n; i++) t[i] = t[i - 1] + rng_uniform(r, 0.02, 0.1);
}

static limb_signal* make(limb_signal_kind kind, int n, const double* t, int m, const double* x)
{
  const limb_samples samples = {(size_t)n, t, m, x, 0};
  limb_signal* s = NULL;
  assert_ok(limb_signal_create(kind, &samples, NULL, &s, NULL));
  ck_assert_int_eq(limb_signal_columns(s), m);
  return s;
}

static void at(const limb_signal* s, double t, double x[3]) { assert_ok(limb_signal_at(s, t, &x[0], &x[1], &x[2])); }

// Degree that n samples reproduce.
static int reproduced(int n) { return n > 5 ? 5 : n > 3 ? 3 : n - 1; }

START_TEST(splines_reproduce_polynomials)
{
  rng r = {5};
  for (int n = 1; n <= 30; n++) {
    double t[MOST], x[MOST], c[6];
    random_times(&r, n, t);
    rng_fill(&r, 1, 6, c);
    for (int i = 0; i < n; i++) {
      double y[3];
      polynomial(c, reproduced(n), t[i], y);
      x[i] = y[0];
    }
    limb_signal* s = make(LIMB_SIGNAL_SPLINE, n, t, 1, x);
    for (int k = 0; k <= 20 && n > 1; k++) {
      const double share = k / 20.0, now = (1 - share) * t[0] + share * t[n - 1];
      double got[3], want[3];
      check_at("%d samples, %d/20 of the way", n, k);
      at(s, now, got);
      polynomial(c, reproduced(n), now, want);
      assert_close(got[0], want[0], 1e-12, 1e-12);
      assert_close(got[1], want[1], 1e-10, 1e-10);
      assert_close(got[2], want[2], 1e-8, 1e-8);
    }
    limb_signal_destroy(s);
  }
}
END_TEST

// Through all samples, and of a sine to the sixth order.
START_TEST(splines_follow_a_sine)
{
  double worst[2][3] = {{0}};
  for (int round = 0; round < 2; round++) {
    enum { N = 21 };
    const int n = round ? 2 * N - 1 : N;
    double t[2 * N], x[2 * N], y[3];
    for (int i = 0; i < n; i++) t[i] = 4.0 * i / (n - 1), x[i] = sin(t[i]);
    limb_signal* s = make(LIMB_SIGNAL_SPLINE, n, t, 1, x);
    for (int i = 0; i < n; i++) {
      at(s, t[i], y);
      assert_close(y[0], x[i], 1e-14, 1e-14);
    }
    for (double now = 1; now < 3; now += 0.01) {
      at(s, now, y);
      const double e[3] = {y[0] - sin(now), y[1] - cos(now), y[2] + sin(now)};
      for (int k = 0; k < 3; k++) worst[round][k] = fmax(worst[round][k], fabs(e[k]));
    }
    limb_signal_destroy(s);
  }
  // halved intervals: 2^6, 2^5, 2^4
  for (int k = 0; k < 3; k++) {
    assert_that(worst[0][k] < 1e-4);
    assert_that(worst[0][k] / worst[1][k] > 0.7 * pow(2, 6 - k));
  }
}
END_TEST

// Value and derivatives from both sides of every sample.
START_TEST(splines_are_smooth_at_samples)
{
  rng r = {11};
  for (int n = 5; n <= 40; n += 5) {
    double t[MOST], x[MOST], a[3], b[3];
    random_times(&r, n, t);
    rng_fill(&r, 1, n, x);
    limb_signal* s = make(LIMB_SIGNAL_SPLINE, n, t, 1, x);
    for (int i = 1; i + 1 < n; i++) {
      at(s, nextafter(t[i], -HUGE_VAL), a);
      at(s, t[i], b);
      assert_close_array(a, b, 3, 1e-10, 1e-10);
    }
    limb_signal_destroy(s);
  }
}
END_TEST

START_TEST(hold_and_lines)
{
  const double t[4] = {0, 1, 3, 4}, x[8] = {1, 10, 5, 20, -3, 30, 2, 40};
  limb_signal *hold = make(LIMB_SIGNAL_HOLD, 4, t, 2, x), *line = make(LIMB_SIGNAL_LINEAR, 4, t, 2, x);
  static const struct {
    double t, hold, line, slope;
  } want[] = {{-9, 1, 1, 0},  {0, 1, 1, 4},       {0.5, 1, 3, 4}, {1, 5, 5, -4}, {2, 5, 1, -4},
              {3, -3, -3, 5}, {3.5, -3, -0.5, 5}, {4, 2, 2, 5},   {4.1, 2, 2, 0}};
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    double y[2], d[2], d2[2];
    check_at("t = %g", want[i].t);
    assert_ok(limb_signal_at(hold, want[i].t, y, d, d2));
    assert_close(y[0], want[i].hold, 0, 0);
    assert_that(d[0] == 0 && d[1] == 0 && d2[0] == 0 && d2[1] == 0);
    assert_ok(limb_signal_at(line, want[i].t, y, d, d2));
    assert_close(y[0], want[i].line, 1e-15, 0);
    assert_close(d[0], want[i].slope, 1e-15, 0);
    assert_that(d2[0] == 0 && d2[1] == 0);
  }
  double y[2];
  assert_ok(limb_signal_at(line, 2, y, NULL, NULL));
  assert_close(y[1], 25, 1e-15, 0);
  assert_ok(limb_signal_at(hold, nextafter(1, 0), y, NULL, NULL));
  assert_that(y[0] == 1 && y[1] == 10);
  limb_signal_destroy(hold);
  limb_signal_destroy(line);
}
END_TEST

START_TEST(outside_the_samples)
{
  rng r = {3};
  double t[8], x[16], y[2], d[2], d2[2];
  random_times(&r, 8, t);
  rng_fill(&r, 5, 16, x);
  for (int kind = 0; kind < 3; kind++) {
    for (int n = 1; n <= 8; n++) {
      limb_signal* s = make((limb_signal_kind)kind, n, t, 2, x);
      assert_ok(limb_signal_at(s, t[0] - 3, y, d, d2));
      assert_that(y[0] == x[0] && y[1] == x[1]);
      assert_that(d[0] == 0 && d[1] == 0 && d2[0] == 0 && d2[1] == 0);
      assert_ok(limb_signal_at(s, t[n - 1] + 3, y, d, d2));
      assert_that(y[0] == x[2 * n - 2] && y[1] == x[2 * n - 1]);
      assert_that(d[0] == 0 && d[1] == 0 && d2[0] == 0 && d2[1] == 0);
      limb_signal_destroy(s);
    }
  }
}
END_TEST

START_TEST(breaks)
{
  const double t[4] = {0, 1, 3, 4}, x[4] = {1, 5, -3, 2};
  for (int kind = 0; kind < 2; kind++) {
    limb_signal* s = make((limb_signal_kind)kind, 4, t, 1, x);
    assert_that(limb_signal_next_break(s, -HUGE_VAL) == 0);
    assert_that(limb_signal_next_break(s, 0) == 1);
    assert_that(limb_signal_next_break(s, 0.99) == 1);
    assert_that(limb_signal_next_break(s, 1) == 3);
    assert_that(limb_signal_next_break(s, 3.5) == 4);
    assert_that(limb_signal_next_break(s, 4) == HUGE_VAL);
    assert_that(limb_signal_next_break(s, nan("")) == HUGE_VAL);
    limb_signal_destroy(s);
  }
  limb_signal* s = make(LIMB_SIGNAL_SPLINE, 4, t, 1, x);
  assert_that(limb_signal_next_break(s, -1) == 0);
  assert_that(limb_signal_next_break(s, 0) == 4);
  assert_that(limb_signal_next_break(s, 4) == HUGE_VAL);
  limb_signal_destroy(s);
  s = make(LIMB_SIGNAL_HOLD, 1, t, 1, x);
  assert_that(limb_signal_next_break(s, -1) == HUGE_VAL);
  limb_signal_destroy(s);
  assert_that(limb_signal_next_break(NULL, 0) == HUGE_VAL);
}
END_TEST

// Rows that stand apart, and no columns at all.
START_TEST(strides)
{
  const double t[2] = {0, 2}, x[6] = {1, 2, 99, 3, 4, 99};
  const limb_samples apart = {2, t, 2, x, 3}, empty = {2, t, 0, NULL, 0};
  limb_signal* s = NULL;
  double y[2];
  for (int kind = 1; kind < 3; kind++) {
    assert_ok(limb_signal_create((limb_signal_kind)kind, &apart, NULL, &s, NULL));
    assert_ok(limb_signal_at(s, 1, y, NULL, NULL));
    assert_close(y[0], 2, 1e-15, 0);
    assert_close(y[1], 3, 1e-15, 0);
    limb_signal_destroy(s);
    assert_ok(limb_signal_create((limb_signal_kind)kind, &empty, NULL, &s, NULL));
    assert_ok(limb_signal_at(s, 1, NULL, NULL, NULL));
    limb_signal_destroy(s);
  }
}
END_TEST

static void refused(limb_samples g, limb_status want, int line)
{
  limb_signal* s = NULL;
  limb_error err = {0};
  for (int kind = 0; kind < 3; kind++) {
    assert_status(limb_signal_create((limb_signal_kind)kind, &g, NULL, &s, &err), want);
    ck_assert_int_eq(err.line, line);
    assert_that(err.text[0] != 0 && s == NULL);
    assert_status(limb_signal_create((limb_signal_kind)kind, &g, NULL, &s, NULL), want);
  }
}

START_TEST(bad_samples)
{
  const double t[3] = {0, 1, 2}, x[3] = {1, 2, 3};
  const double same[3] = {0, 1, 1}, back[3] = {0, -1, 2}, hole[3] = {0, nan(""), 2};
  const double end[3] = {0, 1, HUGE_VAL}, wide[3] = {-1.7e308, 0, 1.7e308};
  refused((limb_samples){0, t, 1, x, 0}, LIMB_E_ARG, 0);
  refused((limb_samples){3, NULL, 1, x, 0}, LIMB_E_ARG, 0);
  refused((limb_samples){3, t, 1, NULL, 0}, LIMB_E_ARG, 0);
  refused((limb_samples){3, t, -1, x, 0}, LIMB_E_ARG, 0);
  refused((limb_samples){1, t, 3, x, 2}, LIMB_E_ARG, 0);
  refused((limb_samples){3, same, 1, x, 0}, LIMB_E_ARG, 3);
  refused((limb_samples){3, back, 1, x, 0}, LIMB_E_ARG, 2);
  refused((limb_samples){3, hole, 1, x, 0}, LIMB_E_NONFINITE, 2);
  refused((limb_samples){3, end, 1, x, 0}, LIMB_E_NONFINITE, 3);
  refused((limb_samples){3, wide, 1, x, 0}, LIMB_E_NONFINITE, 3);
  refused((limb_samples){3, t, 1, hole, 0}, LIMB_E_NONFINITE, 2);
}
END_TEST

START_TEST(bad_arguments)
{
  const double t[7] = {0, 1, 2, 3, 4, 5, 6}, x[7] = {1, 2, 3, 1, 2, 3, 5}, big[2] = {-1.7e308, 1.7e308};
  const limb_samples g = {7, t, 1, x, 0}, steep = {2, t, 1, big, 0};
  const limb_allocator half = {purse_alloc, NULL, NULL};
  limb_signal* s = NULL;
  double y;
  assert_status(limb_signal_create(LIMB_SIGNAL_HOLD, NULL, NULL, &s, NULL), LIMB_E_ARG);
  assert_status(limb_signal_create(LIMB_SIGNAL_HOLD, &g, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_signal_create(LIMB_SIGNAL_HOLD, &g, &half, &s, NULL), LIMB_E_ARG);
  assert_status(limb_signal_create((limb_signal_kind)3, &g, NULL, &s, NULL), LIMB_E_ARG);
  assert_status(limb_signal_create((limb_signal_kind)-1, &g, NULL, &s, NULL), LIMB_E_ARG);
  ck_assert_str_eq(limb_signal_kind_name(LIMB_SIGNAL_SPLINE), "spline");
  assert_that(limb_signal_kind_name((limb_signal_kind)3) == NULL);
  assert_status(limb_signal_at(NULL, 0, &y, NULL, NULL), LIMB_E_ARG);
  assert_ok(limb_signal_create(LIMB_SIGNAL_LINEAR, &steep, NULL, &s, NULL));
  assert_status(limb_signal_at(s, nan(""), &y, NULL, NULL), LIMB_E_NONFINITE);
  assert_status(limb_signal_at(s, 0.5, NULL, &y, NULL), LIMB_E_NONFINITE);
  assert_ok(limb_signal_at(s, 0.5, &y, NULL, NULL));
  limb_signal_destroy(s);
  limb_signal_destroy(NULL);
  ck_assert_int_eq(limb_signal_columns(NULL), 0);
  for (int budget = 0; budget <= 2; budget++) {
    purse p = {.budget = budget};
    const limb_allocator poor = {purse_alloc, purse_free, &p};
    const limb_status want = budget == 2 ? LIMB_OK : LIMB_E_NOMEM;
    assert_status(limb_signal_create(LIMB_SIGNAL_SPLINE, &g, &poor, &s, NULL), want);
    limb_signal_destroy(s);
    assert_that(p.alive == 0 && !p.misused);
  }
}
END_TEST

CHECK_MAIN("signal", 1, splines_reproduce_polynomials, splines_follow_a_sine, splines_are_smooth_at_samples,
           hold_and_lines, outside_the_samples, breaks, strides, bad_samples, bad_arguments)
