// Quintic spline: B-splines on the knots t_0 (six times), t_3 ... t_{n-4}, t_{n-1} (six times), one for each
// of the n samples. The matrix of their values at the samples is banded and totally positive, so that Gauss
// elimination needs no pivoting. Reference: de Boor, A Practical Guide to Splines, chapters X and XIII.
#include "spline.h"

#include <stdlib.h>
#include <string.h>

enum { DEGREE = 5, ORDER = DEGREE + 1, BAND = 2 * DEGREE + 1 };

struct cli_spline {
  size_t n;
  double* t;    // n samples
  double* knot; // n + ORDER
  double* band; // n rows of BAND: L below, U on and above the diagonal, centred at DEGREE
};

// The interval of knots that holds sample i: knot[k] <= t_i < knot[k + 1], and the last one at the end.
// Functions k - DEGREE ... k are the ones that are not zero there.
static size_t interval(const cli_spline* s, size_t i)
{
  if (i < 3) return DEGREE;
  if (i + 3 >= s->n) return s->n - 1;
  return i + 3; // knot[i + 3] is t_i
}

// Values of the six functions on interval k at x (Cox and de Boor), of one degree; b[0] belongs to
// function k - degree.
static void values(const double* knot, size_t k, double x, int degree, double b[ORDER])
{
  b[0] = 1;
  for (int d = 1; d <= degree; d++) {
    double saved = 0;
    for (int r = 0; r < d; r++) {
      const double right = knot[k + (size_t)r + 1], left = knot[k + (size_t)r + 1 - (size_t)d];
      const double share = b[r] / (right - left);
      b[r] = saved + (right - x) * share;
      saved = (x - left) * share;
    }
    b[d] = saved;
  }
}

// Fills the band with values at the samples and factors it: L U without pivots.
static void factor(cli_spline* s)
{
  const size_t n = s->n;
  for (size_t i = 0; i < n; i++) {
    const size_t k = interval(s, i), first = k - DEGREE;
    double b[ORDER];
    values(s->knot, k, s->t[i], DEGREE, b);
    for (size_t j = 0; j < ORDER; j++) {
      // |first + j - i| <= DEGREE for every function that is not zero.
      const ptrdiff_t at = (ptrdiff_t)(first + j) - (ptrdiff_t)i + DEGREE;
      if (at >= 0 && at < BAND) s->band[i * BAND + (size_t)at] = b[j];
    }
  }
  for (size_t i = 0; i < n; i++) {
    const double* pivot = s->band + i * BAND;
    for (size_t down = 1; down <= DEGREE && i + down < n; down++) {
      double* row = s->band + (i + down) * BAND;
      const double factor = row[DEGREE - down] / pivot[DEGREE];
      row[DEGREE - down] = factor;
      for (size_t j = 1; j <= DEGREE; j++) row[DEGREE - down + j] -= factor * pivot[DEGREE + j];
    }
  }
}

cli_spline* cli_spline_create(size_t n, const double* t)
{
  cli_spline* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->n = n;
  s->t = calloc(n, sizeof *s->t);
  s->knot = calloc(n + ORDER, sizeof *s->knot);
  s->band = calloc(n * BAND, sizeof *s->band);
  if (!s->t || !s->knot || !s->band) {
    cli_spline_destroy(s);
    return NULL;
  }
  memcpy(s->t, t, n * sizeof *t);
  for (size_t k = 0; k < n + ORDER; k++) {
    s->knot[k] = k < ORDER ? t[0] : k >= n ? t[n - 1] : t[k - 3];
  }
  factor(s);
  return s;
}

void cli_spline_destroy(cli_spline* s)
{
  if (!s) return;
  free(s->t);
  free(s->knot);
  free(s->band);
  free(s);
}

void cli_spline_solve(const cli_spline* s, double* y, size_t stride)
{
  const size_t n = s->n;
  for (size_t i = 0; i < n; i++) { // L z = y
    const double* row = s->band + i * BAND;
    for (size_t j = 1; j <= DEGREE && j <= i; j++) {
      y[i * stride] -= row[DEGREE - j] * y[(i - j) * stride];
    }
  }
  for (size_t i = n; i-- > 0;) { // U c = z
    const double* row = s->band + i * BAND;
    double sum = y[i * stride];
    for (size_t j = 1; j <= DEGREE && i + j < n; j++) sum -= row[DEGREE + j] * y[(i + j) * stride];
    y[i * stride] = sum / row[DEGREE];
  }
}

void cli_spline_derivatives(const cli_spline* s, const double* c, size_t stride, size_t i,
                            double* first, double* second)
{
  const size_t k = interval(s, i);
  double d[ORDER], b[ORDER];
  for (size_t j = 0; j < ORDER; j++) d[j] = c[(k - DEGREE + j) * stride];
  double* const result[2] = {first, second};
  for (size_t m = 1; m <= 2; m++) {
    // Coefficients of the derivative: differences over the knots they span.
    const size_t degree = DEGREE - m;
    for (size_t j = 0; j <= degree; j++) {
      const size_t left = k - degree + j;
      const double span = s->knot[left + degree + 1] - s->knot[left];
      d[j] = (double)(degree + 1) * (d[j + 1] - d[j]) / span;
    }
    values(s->knot, k, s->t[i], (int)degree, b);
    double sum = 0;
    for (size_t j = 0; j <= degree; j++) sum += d[j] * b[j];
    *result[m - 1] = sum;
  }
}
