// Splines of degree p: B-splines on the knots t_0 (p + 1 times), then samples inside, t_{n-1} (p + 1 times),
// one for each of the n samples. Of the quintic ones the knots inside are t_3 ... t_{n-4}, of the cubic ones
// t_2 ... t_{n-3}: "not a knot" are the samples next to the ends. The matrix of their values at the samples
// is banded and totally positive, so that Gauss elimination needs no pivoting.
// Reference: de Boor, A Practical Guide to Splines, chapters X and XIII.
#include "control/spline.h"

enum { ORDER = SPLINE_MOST + 1 };

size_t limb_spline_degree(size_t n) { return n > SPLINE_MOST ? SPLINE_MOST : n > 3 ? 3 : n - 1; }

void limb_spline_place_knots(limb_spline* s)
{
  const size_t n = s->n, p = s->degree;
  for (size_t k = 0; k < n + p + 1; k++)
    s->knot[k] = k <= p ? s->time[0] : k >= n ? s->time[n - 1] : s->time[k - (p + 1) / 2];
}

// knot[k] <= t < knot[k + 1], and the last one at the end. Functions k - degree ... k are the ones that are
// not zero there.
size_t limb_spline_interval(const limb_spline* s, double t)
{
  size_t low = s->degree, high = s->n; // knot[low] <= t, and t < knot[high] unless it is the end
  while (high - low > 1) {
    const size_t k = low + (high - low) / 2;
    if (s->knot[k] <= t)
      low = k;
    else
      high = k;
  }
  return low;
}

// Values of the functions of one degree on interval k at x (Cox and de Boor); b[0] belongs to function
// k - degree.
static void values(const double* knot, size_t k, double x, size_t degree, double b[ORDER])
{
  b[0] = 1;
  for (size_t d = 1; d <= degree; d++) {
    double saved = 0;
    for (size_t r = 0; r < d; r++) {
      const double right = knot[k + r + 1], left = knot[k + r + 1 - d];
      const double share = b[r] / (right - left);
      b[r] = saved + (right - x) * share;
      saved = (x - left) * share;
    }
    b[d] = saved;
  }
}

// Sample i of the values at the samples: a row of the matrix. |first + j - i| <= degree for every function
// that is not zero.
static void fill_row(const limb_spline* s, size_t i, double* row)
{
  const size_t p = s->degree, k = limb_spline_interval(s, s->time[i]), first = k - p;
  double b[ORDER];
  values(s->knot, k, s->time[i], p, b);
  for (size_t j = 0; j < SPLINE_BAND; j++) row[j] = 0;
  for (size_t j = 0; j <= p; j++) {
    const size_t at = first + j + SPLINE_MOST; // plus i: no negative numbers
    if (at >= i && at - i < SPLINE_BAND) row[at - i] = b[j];
  }
}

void limb_spline_factor(const limb_spline* s, double* band)
{
  for (size_t i = 0; i < s->n; i++) fill_row(s, i, band + i * SPLINE_BAND);
  for (size_t i = 0; i < s->n; i++) {
    const double* pivot = band + i * SPLINE_BAND;
    for (size_t down = 1; down <= SPLINE_MOST && i + down < s->n; down++) {
      double* row = band + (i + down) * SPLINE_BAND;
      const double factor = row[SPLINE_MOST - down] / pivot[SPLINE_MOST];
      row[SPLINE_MOST - down] = factor;
      for (size_t j = 1; j <= SPLINE_MOST; j++) row[SPLINE_MOST - down + j] -= factor * pivot[SPLINE_MOST + j];
    }
  }
}

void limb_spline_solve(const limb_spline* s, const double* band, double* y, size_t stride)
{
  const size_t n = s->n;
  for (size_t i = 0; i < n; i++) { // L z = y
    const double* row = band + i * SPLINE_BAND;
    for (size_t j = 1; j <= SPLINE_MOST && j <= i; j++) y[i * stride] -= row[SPLINE_MOST - j] * y[(i - j) * stride];
  }
  for (size_t i = n; i-- > 0;) { // U c = z
    const double* row = band + i * SPLINE_BAND;
    double sum = y[i * stride];
    for (size_t j = 1; j <= SPLINE_MOST && i + j < n; j++) sum -= row[SPLINE_MOST + j] * y[(i + j) * stride];
    y[i * stride] = sum / row[SPLINE_MOST];
  }
}

void limb_spline_at(const limb_spline* s, const double* c, size_t stride, size_t interval, double t, double x[3])
{
  const size_t k = interval;
  double d[ORDER], b[ORDER];
  x[1] = x[2] = 0;
  for (size_t j = 0; j <= s->degree; j++) d[j] = c[(k - s->degree + j) * stride];
  for (size_t m = 0; m <= 2 && m <= s->degree; m++) {
    const size_t degree = s->degree - m;
    // Coefficients of the derivative: differences over the knots they span.
    for (size_t j = 0; m > 0 && j <= degree; j++) {
      const size_t left = k - degree + j;
      const double span = s->knot[left + degree + 1] - s->knot[left];
      d[j] = (double)(degree + 1) * (d[j + 1] - d[j]) / span;
    }
    values(s->knot, k, t, degree, b);
    x[m] = 0;
    for (size_t j = 0; j <= degree; j++) x[m] += d[j] * b[j];
  }
}
