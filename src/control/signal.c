// Signals from samples: hold, straight lines, splines. Prescribed motion of one joint.
//
//   t_i, x_i     samples
//   on [t_i, t_{i+1}):   hold x = x_i;   linear x = x_i + (t - t_i) (x_{i+1} - x_i) / (t_{i+1} - t_i)
//
// Splines of degree p are sums of n B-splines over the knots t_0 (p + 1 times), samples inside, t_{n-1} (p + 1
// times). The inner knots are t_3 ... t_{n-4} of quintic and t_2 ... t_{n-3} of cubic splines: the samples next to
// the ends are "not a knot". The matrix of the B-splines at the samples is banded and totally positive, so that
// Gaussian elimination needs no pivoting. Reference: de Boor, A Practical Guide to Splines, chapters X and XIII.
#include "limb/control.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { MAX_DEGREE = 5, BAND = 2 * MAX_DEGREE + 1, ORDER = MAX_DEGREE + 1 };

typedef struct spline {
  size_t n;           // samples, and B-splines
  size_t degree;      // spline_degree(n)
  const double* time; // n, rising
  double* knot;       // n + degree + 1
} spline;

struct limb_signal {
  limb_allocator alloc;
  size_t size; // of the block, which holds everything
  limb_signal_kind kind;
  size_t n;      // samples
  size_t m;      // columns
  double* time;  // n
  double* value; // n x m; of a spline: coefficients of the B-splines
  double* last;  // of a spline: m, the value after the end
  spline spline;
};

static const char* const kind_names[] = {
#define LIMB_X(name, value, text) [value] = text,
  LIMB_SIGNAL_LIST(LIMB_X)
#undef LIMB_X
};

enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

const char* limb_signal_kind_name(limb_signal_kind kind)
{
  const int k = (int)kind;
  return k >= 0 && k < KINDS ? kind_names[k] : NULL;
}

// ---- splines --------------------------------------------------------------------------------------------

static size_t spline_degree(size_t n) { return n > MAX_DEGREE ? MAX_DEGREE : n > 3 ? 3 : n - 1; }

static void set_knots(spline* s)
{
  const size_t n = s->n, p = s->degree;
  for (size_t k = 0; k < n + p + 1; k++)
    s->knot[k] = k <= p ? s->time[0] : k >= n ? s->time[n - 1] : s->time[k - (p + 1) / 2];
}

// The interval of knots that contains t: knot[k] <= t < knot[k + 1], the last one at the end. B-splines
// k - degree ... k do not vanish there. O(log n).
static size_t knot_interval(const spline* s, double t)
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

// Values of the B-splines of one degree on interval k at x (Cox and de Boor); b[0] belongs to number k - degree.
static void basis(const double* knot, size_t k, double x, size_t degree, double b[ORDER])
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

// Row i of the matrix: all B-splines at sample i. |first + j - i| <= degree where they do not vanish.
static void fill_row(const spline* s, size_t i, double* row)
{
  const size_t p = s->degree, k = knot_interval(s, s->time[i]), first = k - p;
  double b[ORDER];
  basis(s->knot, k, s->time[i], p, b);
  for (size_t j = 0; j < BAND; j++) row[j] = 0;
  for (size_t j = 0; j <= p; j++) {
    const size_t at = first + j + MAX_DEGREE; // plus i: no negative numbers
    if (at >= i && at - i < BAND) row[at - i] = b[j];
  }
}

// Factors the matrix: n rows of BAND. O(n).
static void factor_spline(const spline* s, double* band)
{
  for (size_t i = 0; i < s->n; i++) fill_row(s, i, band + i * BAND);
  for (size_t i = 0; i < s->n; i++) {
    const double* pivot = band + i * BAND;
    for (size_t down = 1; down <= MAX_DEGREE && i + down < s->n; down++) {
      double* row = band + (i + down) * BAND;
      const double factor = row[MAX_DEGREE - down] / pivot[MAX_DEGREE];
      row[MAX_DEGREE - down] = factor;
      for (size_t j = 1; j <= MAX_DEGREE; j++) row[MAX_DEGREE - down + j] -= factor * pivot[MAX_DEGREE + j];
    }
  }
}

// Turns values at the samples into coefficients, in place; y[i * stride] is sample i. O(n).
static void solve_spline(const spline* s, const double* band, double* y, size_t stride)
{
  const size_t n = s->n;
  for (size_t i = 0; i < n; i++) { // L z = y
    const double* row = band + i * BAND;
    for (size_t j = 1; j <= MAX_DEGREE && j <= i; j++) y[i * stride] -= row[MAX_DEGREE - j] * y[(i - j) * stride];
  }
  for (size_t i = n; i-- > 0;) { // U c = z
    const double* row = band + i * BAND;
    double sum = y[i * stride];
    for (size_t j = 1; j <= MAX_DEGREE && i + j < n; j++) sum -= row[MAX_DEGREE + j] * y[(i + j) * stride];
    y[i * stride] = sum / row[MAX_DEGREE];
  }
}

// Value, first and second derivative at t in that interval, from coefficients.
static void spline_at(const spline* s, const double* c, size_t stride, size_t interval, double t, double x[3])
{
  const size_t k = interval;
  double d[ORDER], b[ORDER];
  x[1] = x[2] = 0;
  for (size_t j = 0; j <= s->degree; j++) d[j] = c[(k - s->degree + j) * stride];
  for (size_t m = 0; m <= 2 && m <= s->degree; m++) {
    const size_t degree = s->degree - m;
    // Coefficients of the derivative: differences divided by the knots they span.
    for (size_t j = 0; m > 0 && j <= degree; j++) {
      const size_t left = k - degree + j;
      const double span = s->knot[left + degree + 1] - s->knot[left];
      d[j] = (double)(degree + 1) * (d[j + 1] - d[j]) / span;
    }
    basis(s->knot, k, t, degree, b);
    x[m] = 0;
    for (size_t j = 0; j <= degree; j++) x[m] += d[j] * b[j];
  }
}

// ---- creating -------------------------------------------------------------------------------------------

static limb_status fail_at(limb_error* err, limb_status status, size_t i, const char* text)
{
  (void)limb_fail(err, status, "signal", "sample %llu: %s", (unsigned long long)i + 1, text);
  if (err) err->line = i < 1000000000 ? (int)i + 1 : 0;
  return status;
}

static limb_status check_samples(const limb_samples* g, size_t stride, limb_error* err)
{
  if (g->count == 0) return limb_fail(err, LIMB_E_ARG, "signal", "no samples");
  if (!g->time || (g->columns > 0 && !g->value) || g->columns < 0 || stride < (size_t)g->columns)
    return limb_fail(err, LIMB_E_ARG, "signal", "samples are NULL, or the stride is less than a row");
  for (size_t i = 0; i < g->count; i++) {
    if (!limb_finite(1, g->time + i)) return fail_at(err, LIMB_E_NONFINITE, i, "the time is not finite");
    if (g->columns > 0 && !limb_finite(g->columns, g->value + i * stride))
      return fail_at(err, LIMB_E_NONFINITE, i, "a value is not finite");
    if (i > 0 && g->time[i] <= g->time[i - 1]) return fail_at(err, LIMB_E_ARG, i, "the time does not rise");
    const double since = g->time[i] - g->time[0];
    if (!limb_finite(1, &since)) return fail_at(err, LIMB_E_NONFINITE, i, "too far from the first one");
  }
  return LIMB_OK;
}

// One block: the signal, times, values; of a spline the last value and the knots. 0: not addressable.
static size_t block_size(limb_signal_kind kind, size_t n, size_t m)
{
  const size_t max = SIZE_MAX / sizeof(double) / 32;
  if (m >= max || n >= max / (m + 1)) return 0;
  size_t doubles = n * (m + 1);
  if (kind == LIMB_SIGNAL_SPLINE) doubles += m + n + MAX_DEGREE + 1;
  return sizeof(limb_signal) + doubles * sizeof(double);
}

static limb_signal* lay_out(const limb_allocator* alloc, limb_signal_kind kind, size_t n, size_t m)
{
  const size_t size = block_size(kind, n, m);
  limb_signal* s = limb_alloc(alloc, size);
  if (!s) return NULL;
  *s = (limb_signal){.alloc = *alloc, .size = size, .kind = kind, .n = n, .m = m};
  s->time = (double*)(void*)(s + 1);
  s->value = s->time + n;
  if (kind == LIMB_SIGNAL_SPLINE) {
    s->last = s->value + n * m;
    s->spline = (spline){n, spline_degree(n), s->time, s->last + m};
  }
  return s;
}

static limb_status fit(limb_signal* s, limb_error* err)
{
  const size_t size = s->n * BAND * sizeof(double);
  double* band = limb_alloc(&s->alloc, size);
  if (!band) return limb_fail(err, LIMB_E_NOMEM, "signal", "out of memory");
  memcpy(s->last, s->value + (s->n - 1) * s->m, s->m * sizeof *s->last);
  set_knots(&s->spline);
  factor_spline(&s->spline, band);
  for (size_t k = 0; k < s->m; k++) solve_spline(&s->spline, band, s->value + k, s->m);
  limb_free(&s->alloc, band, size);
  if (limb_finite((ptrdiff_t)(s->n * s->m), s->value)) return LIMB_OK;
  return limb_fail(err, LIMB_E_NONFINITE, "signal", "the spline overflows: times too close, or values too large");
}

limb_status limb_signal_create(limb_signal_kind kind, const limb_samples* samples, const limb_allocator* alloc,
                               limb_signal** out, limb_error* err)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  const limb_allocator own = alloc ? *alloc : limb_default_allocator();
  if (!samples || !own.alloc || !own.free || !limb_signal_kind_name(kind))
    return limb_fail(err, LIMB_E_ARG, "signal", "no samples, incomplete allocator, or unknown kind");
  const size_t m = samples->columns > 0 ? (size_t)samples->columns : 0;
  const size_t stride = samples->stride ? samples->stride : m;
  limb_status status = check_samples(samples, stride, err);
  if (status != LIMB_OK) return status;
  limb_signal* s = lay_out(&own, kind, samples->count, m);
  if (!s) return limb_fail(err, LIMB_E_NOMEM, "signal", "out of memory");
  memcpy(s->time, samples->time, s->n * sizeof *s->time);
  for (size_t i = 0; i < s->n && m > 0; i++)
    memcpy(s->value + i * m, samples->value + i * stride, m * sizeof *s->value);
  if (kind == LIMB_SIGNAL_SPLINE) status = fit(s, err);
  if (status == LIMB_OK)
    *out = s;
  else
    limb_signal_destroy(s);
  return status;
}

void limb_signal_destroy(limb_signal* s)
{
  if (!s) return;
  const limb_allocator alloc = s->alloc;
  limb_free(&alloc, s, s->size);
}

int limb_signal_columns(const limb_signal* s) { return s ? (int)s->m : 0; }

// ---- evaluating -----------------------------------------------------------------------------------------

// The number of samples at or before t. O(log n).
static size_t samples_until(const limb_signal* s, double t)
{
  size_t low = 0, high = s->n;
  while (low < high) {
    const size_t i = low + (high - low) / 2;
    if (s->time[i] <= t)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

// Column k between the samples; i is the first sample of the interval, or the interval of knots.
static void inside(const limb_signal* s, size_t i, size_t k, double t, double x[3])
{
  const double* v = s->value + k;
  x[0] = x[1] = x[2] = 0;
  if (s->kind == LIMB_SIGNAL_SPLINE) {
    spline_at(&s->spline, v, s->m, i, t, x);
  } else if (s->kind == LIMB_SIGNAL_HOLD || s->n == 1) {
    x[0] = v[i * s->m];
  } else {
    const double a = v[i * s->m], b = v[(i + 1) * s->m];
    const double span = s->time[i + 1] - s->time[i], share = (t - s->time[i]) / span;
    x[0] = (1 - share) * a + share * b; // exact at both ends
    x[1] = (b - a) / span;
  }
}

// Column k before or after all samples.
static void outside(const limb_signal* s, size_t k, double t, double x[3])
{
  const bool before = t < s->time[0];
  const double* last = s->last ? s->last : s->value + (s->n - 1) * s->m;
  x[0] = before ? s->value[k] : last[k]; // a spline's first coefficient is its first value
  x[1] = x[2] = 0;
}

static size_t interval(const limb_signal* s, double t)
{
  if (s->kind == LIMB_SIGNAL_SPLINE) return knot_interval(&s->spline, t);
  const size_t i = samples_until(s, t) - 1;
  return s->kind == LIMB_SIGNAL_LINEAR && i + 1 == s->n && i > 0 ? i - 1 : i;
}

limb_status limb_signal_at(const limb_signal* s, double t, double* x, double* x1, double* x2)
{
  if (!s) return LIMB_E_ARG;
  if (!limb_finite(1, &t)) return LIMB_E_NONFINITE;
  const bool out = t < s->time[0] || t > s->time[s->n - 1];
  const size_t i = out ? 0 : interval(s, t);
  double sum = 0;
  for (size_t k = 0; k < s->m; k++) {
    double y[3];
    if (out)
      outside(s, k, t, y);
    else
      inside(s, i, k, t, y);
    if (x) x[k] = y[0], sum += 0 * y[0];
    if (x1) x1[k] = y[1], sum += 0 * y[1];
    if (x2) x2[k] = y[2], sum += 0 * y[2];
  }
  return sum == 0 ? LIMB_OK : LIMB_E_NONFINITE;
}

double limb_signal_next_break(const limb_signal* s, double t)
{
  if (!s || isnan(t) || s->n == 1) return HUGE_VAL;
  const double first = s->time[0], last = s->time[s->n - 1];
  if (t >= last) return HUGE_VAL;
  if (s->kind == LIMB_SIGNAL_SPLINE) return t < first ? first : last;
  return s->time[samples_until(s, t)];
}

// ---- prescribed motion of a joint -------------------------------------------------------------------------

limb_status limb_joint_motion_at(const limb_joint_motion* m, double t, double x[3])
{
  if (!m || !x) return LIMB_E_ARG;
  const limb_formula* const* f = m->formula;
  if (f[0] || f[1] || f[2]) {
    for (int k = 0; k < 3; k++) {
      if (!f[k] || limb_formula_symbol_count(f[k]) > 1) return LIMB_E_ARG;
      x[k] = limb_formula_value(f[k], &t);
    }
    return limb_finite(3, x) ? LIMB_OK : LIMB_E_NONFINITE;
  }
  if (m->signal) {
    if (limb_signal_columns(m->signal) != 1) return LIMB_E_ARG;
    return limb_signal_at(m->signal, t, &x[0], &x[1], &x[2]);
  }
  const double w = 2 * acos(-1.0) * m->frequency, phi = w * t + m->phase;
  x[0] = m->constant + m->rate * t + m->amplitude * sin(phi);
  x[1] = m->rate + m->amplitude * w * cos(phi);
  x[2] = -m->amplitude * w * w * sin(phi);
  return limb_finite(3, x) ? LIMB_OK : LIMB_E_NONFINITE;
}

double limb_joint_motion_next_break(const limb_joint_motion* m, double t)
{
  return m && !m->formula[0] ? limb_signal_next_break(m->signal, t) : HUGE_VAL;
}

// Whether dx is not the derivative of a function with these values at the ends of an interval dt.
static int differs(double before, double after, double dt, double dx)
{
  const double d = (after - before) / dt, size = fmax(fabs(d), fabs(dx));
  return fabs(d - dx) > 1e-3 * size + 1e-6 * fmax(1, fabs(after));
}

int limb_joint_motion_contradiction(const limb_joint_motion* m, double from, double to)
{
  enum { TIMES = 7 };
  int wrong[2] = {0, 0};
  if (!m || !m->formula[0] || !(to > from)) return 0;
  for (int i = 1; i <= TIMES; i++) {
    const double t = from + fmod(0.6180339887 * i, 1) * (to - from), h = 1e-8 * fmax(1, fabs(t));
    double a[3], b[3], c[3]; // times without a value are skipped
    if (limb_joint_motion_at(m, t - h, a) != LIMB_OK || limb_joint_motion_at(m, t, b) != LIMB_OK ||
        limb_joint_motion_at(m, t + h, c) != LIMB_OK)
      continue;
    for (int k = 0; k < 2; k++) wrong[k] += differs(a[k], c[k], (t + h) - (t - h), b[k + 1]);
  }
  return wrong[0] > 1 ? 1 : wrong[1] > 1 ? 2 : 0;
}
