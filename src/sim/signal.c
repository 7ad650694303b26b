// Signals from samples: hold, straight lines, splines.
//
//   t_i, x_i     samples
//   c_i          coefficients of the spline's B-splines
//   on [t_i, t_{i+1}):   hold x = x_i;   linear x = x_i + (t - t_i) (x_{i+1} - x_i) / (t_{i+1} - t_i)
#include "limb/signal.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "sim/spline.h"

#include <math.h>
#include <string.h>

struct limb_signal {
  limb_allocator alloc;
  size_t size; // of the one block that it is
  limb_signal_kind kind;
  size_t n;           // samples
  size_t m;           // columns
  double* time;       // n
  double* value;      // n x m; of a spline: coefficients
  double* last;       // of a spline: m, what is held after the end
  limb_spline spline; // of a spline
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

// ---- making -------------------------------------------------------------------------------------------

static limb_status fail_at(limb_error* err, limb_status status, size_t i, const char* text)
{
  (void)limb_fail(err, status, "signal", "sample %llu: %s", (unsigned long long)i + 1, text);
  if (err) err->line = i < 1000000000 ? (int)i + 1 : 0;
  return status;
}

static limb_status check_samples(const limb_samples* g, size_t stride, limb_error* err)
{
  if (g->count == 0) return limb_fail(err, LIMB_E_ARG, "signal", "there are no samples");
  if (!g->time || (g->columns > 0 && !g->value) || g->columns < 0 || stride < (size_t)g->columns)
    return limb_fail(err, LIMB_E_ARG, "signal", "samples are NULL, or rows overlap");
  for (size_t i = 0; i < g->count; i++) {
    if (!limb_finite(1, g->time + i)) return fail_at(err, LIMB_E_NONFINITE, i, "the time is not finite");
    if (g->columns > 0 && !limb_finite(g->columns, g->value + i * stride))
      return fail_at(err, LIMB_E_NONFINITE, i, "a value is not finite");
    if (i > 0 && g->time[i] <= g->time[i - 1]) return fail_at(err, LIMB_E_ARG, i, "the time does not rise");
    const double since = g->time[i] - g->time[0];
    if (!limb_finite(1, &since)) return fail_at(err, LIMB_E_NONFINITE, i, "too long after the first one");
  }
  return LIMB_OK;
}

// One block: the signal, times, values, of a spline the last value and knots. 0: more than can be addressed.
static size_t block_size(limb_signal_kind kind, size_t n, size_t m)
{
  const size_t most = SIZE_MAX / sizeof(double) / 32;
  if (m >= most || n >= most / (m + 1)) return 0;
  size_t doubles = n * (m + 1);
  if (kind == LIMB_SIGNAL_SPLINE) doubles += m + n + SPLINE_MOST + 1;
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
    s->spline = (limb_spline){n, limb_spline_degree(n), s->time, s->last + m};
  }
  return s;
}

static limb_status fit(limb_signal* s, limb_error* err)
{
  const size_t size = s->n * SPLINE_BAND * sizeof(double);
  double* band = limb_alloc(&s->alloc, size);
  if (!band) return limb_fail(err, LIMB_E_NOMEM, "signal", "out of memory");
  memcpy(s->last, s->value + (s->n - 1) * s->m, s->m * sizeof *s->last);
  limb_spline_place_knots(&s->spline);
  limb_spline_factor(&s->spline, band);
  for (size_t k = 0; k < s->m; k++) limb_spline_solve(&s->spline, band, s->value + k, s->m);
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
    return limb_fail(err, LIMB_E_ARG, "signal", "no samples, half an allocator, or no such kind");
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

// ---- looking ------------------------------------------------------------------------------------------

// How many samples are not after t. O(log n).
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

// Column k inside the samples; i is the interval's first sample, or its interval of knots.
static void inside(const limb_signal* s, size_t i, size_t k, double t, double x[3])
{
  const double* v = s->value + k;
  x[0] = x[1] = x[2] = 0;
  if (s->kind == LIMB_SIGNAL_SPLINE) {
    limb_spline_at(&s->spline, v, s->m, i, t, x);
  } else if (s->kind == LIMB_SIGNAL_HOLD || s->n == 1) {
    x[0] = v[i * s->m];
  } else {
    const double a = v[i * s->m], b = v[(i + 1) * s->m];
    const double span = s->time[i + 1] - s->time[i], share = (t - s->time[i]) / span;
    x[0] = (1 - share) * a + share * b; // exact at both ends
    x[1] = (b - a) / span;
  }
}

// Column k where nothing changes any more.
static void outside(const limb_signal* s, size_t k, double t, double x[3])
{
  const bool before = t < s->time[0];
  const double* last = s->last ? s->last : s->value + (s->n - 1) * s->m;
  x[0] = before ? s->value[k] : last[k]; // the first coefficient of a spline is its first value
  x[1] = x[2] = 0;
}

static size_t interval(const limb_signal* s, double t)
{
  if (s->kind == LIMB_SIGNAL_SPLINE) return limb_spline_interval(&s->spline, t);
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
