// From samples to rows: uneven steps become even ones, a filter without phase smooths and differentiates, one of
// several rows is kept.
//
// Reference: J. Hollerbach, W. Khalil, M. Gautier, Model identification, in: Springer Handbook of Robotics, 2nd
//            edition, 2016, section 6.3.4: filters without phase, the same for motion and torques, then fewer rows.
//            Here the filter is a finite impulse response, so that a log streams through it.
// Cost:      taps / (samples per row) products per number of a sample, some 15 for v and a.
//
//   y(t) = sum_m h(s_m) x(t + s_m) dt,   y'(t) = sum_m -h'(s_m) x(t + s_m) dt,   s_m = (m - half) dt
//
// This filter is wide; the equations pass a narrow one afterwards (equations.c).
#include "estimate/ident_impl.h"

#include "base/numeric.h"
#include "base/status.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// ---- the filter -------------------------------------------------------------------------------------------

// h, h' and h'' at t, for a window of half width T.
static void kernel(double f, double T, double t, double h[3])
{
  const double w = 2 * PI * f, x = w * t, k = PI / T;
  const double window[3] = {(1 + cos(k * t)) / 2, -k * sin(k * t) / 2, -k * k * cos(k * t) / 2};
  double s[3]; // sin(w t) / (pi t) and its derivatives
  if (fabs(x) < 1e-3) {
    s[0] = w / PI * (1 - x * x / 6), s[1] = -w * w / PI * x / 3, s[2] = -w * w * w / PI / 3;
  } else {
    s[0] = sin(x) / (PI * t);
    s[1] = w * cos(x) / (PI * t) - s[0] / t;
    s[2] = -w * w * sin(x) / (PI * t) - 2 * s[1] / t;
  }
  h[0] = s[0] * window[0];
  h[1] = s[1] * window[0] + s[0] * window[1];
  h[2] = s[2] * window[0] + 2 * s[1] * window[1] + s[0] * window[2];
}

// Sum of taps times s^power.
static double moment(const limb_filter* f, int k, int power)
{
  double sum = 0;
  for (int m = 0; m <= 2 * f->half; m++) sum += f->h[k][m] * pow((m - f->half) * f->dt, power);
  return sum;
}

// Taps sum up to what is exact for parabolas: 1 for values, s for rates, s^2 / 2 for second derivatives.
static void normalise(limb_filter* f)
{
  const int taps = 2 * f->half + 1;
  const double gain[2] = {moment(f, 0, 0), moment(f, 1, 1)};
  for (int m = 0; m < taps; m++) f->h[0][m] /= gain[0], f->h[1][m] /= gain[1];
  const double sum = moment(f, 2, 0);
  for (int m = 0; m < taps; m++) f->h[2][m] -= sum * f->h[0][m];
  const double curvature = moment(f, 2, 2) / 2;
  for (int m = 0; m < taps; m++) f->h[2][m] /= curvature;
  f->passed = 0;
  for (int m = 0; m < taps; m++) f->passed += f->h[0][m] * f->h[0][m];
}

limb_status limb_filter_make(double cutoff, double dt, limb_filter* out)
{
  const double T = 3.1 / cutoff;
  *out = (limb_filter){.half = (int)ceil(T / dt) - 1, .dt = dt};
  const size_t taps = 2 * (size_t)out->half + 1;
  for (int k = 0; k < 3; k++) {
    out->h[k] = malloc(taps * sizeof **out->h);
    if (!out->h[k]) return LIMB_E_NOMEM;
  }
  for (int m = 0; m < (int)taps; m++) {
    double h[3];
    kernel(cutoff, T, (m - out->half) * dt, h);
    out->h[0][m] = h[0], out->h[1][m] = -h[1], out->h[2][m] = h[2];
  }
  normalise(out);
  return LIMB_OK;
}

// The stop band begins at half of the rate of what is kept.
int limb_filter_every(double cutoff, double dt)
{
  const int every = (int)(1 / (2.5 * cutoff * dt));
  return every > 1 ? every : 1;
}

void limb_filter_free(limb_filter* f)
{
  for (int k = 0; k < 3; k++) free(f->h[k]);
  *f = (limb_filter){0};
}

// ---- rows -------------------------------------------------------------------------------------------------

bool limb_numbers_add(limb_numbers* a, const double* x, size_t count)
{
  if (a->count + count > a->capacity) {
    const size_t capacity = a->capacity ? 2 * a->capacity : 64 * count;
    double* larger = realloc(a->x, capacity * sizeof *larger);
    if (!larger) return false;
    a->x = larger, a->capacity = capacity;
  }
  memcpy(a->x + a->count, x, count * sizeof *x);
  a->count += count;
  return true;
}

int limb_log_rows(const limb_ident* x) { return (int)(x->log.rows.count / limb_row_size(&x->log)); }

limb_row limb_log_row(const limb_ident* x, int row)
{
  const limb_log* log = &x->log;
  const double* r = log->rows.x + (size_t)row * limb_row_size(log);
  const int nq = log->nq, nv = log->nv;
  limb_row out = {.time = r[ROW_TIME], .log = (int)r[ROW_LOG], .window = (int)r[ROW_WINDOW], .q = r + ROW_Q};
  out.v = out.q + nq, out.a = out.v + nv, out.tau = out.a + nv;
  if (log->has_reference) out.reference = out.tau + nv;
  if (x->smooth) out.reference = x->smooth + (size_t)row * ((size_t)nq + 2 * (size_t)nv);
  if (out.reference) out.reference_v = out.reference + nq, out.reference_a = out.reference_v + nv;
  return out;
}

// Derivative k of n channels from one on, over the whole window.
static void filter(const limb_log* log, int k, int channel, int n, double* y)
{
  const int channels = log->channels, taps = 2 * log->filter.half + 1;
  const double *h = log->filter.h[k], *x = log->ring + (size_t)log->head * (size_t)channels + channel;
  for (int j = 0; j < n; j++) y[j] = 0;
  for (int m = 0; m < taps; m++, x += channels)
    for (int j = 0; j < n; j++) y[j] += h[m] * x[j];
}

// Derivatives of q are behind the row: limb_row_finish makes velocities of them where none are measured.
static limb_status emit(limb_ident* x)
{
  limb_log* log = &x->log;
  const int nq = log->nq, nv = log->nv;
  double *q = log->row + ROW_Q, *v = q + nq, *a = v + nv, *tau = a + nv, *reference = tau + nv;
  double* rate = log->row + limb_row_size(log);
  log->row[ROW_TIME] = log->grid - log->filter.half * log->dt;
  log->row[ROW_LOG] = log->logs, log->row[ROW_WINDOW] = log->windows;
  filter(log, 0, 0, nq, q);
  filter(log, 0, limb_channel_of_tau(log), nv, tau);
  if (log->has_v) filter(log, 0, limb_channel_of_v(log), nv, v), filter(log, 1, limb_channel_of_v(log), nv, a);
  if (!log->has_v) filter(log, 1, 0, nq, rate), filter(log, 2, 0, nq, rate + nq);
  for (int k = 0; k < 3 && log->has_reference; k++)
    filter(log, k, limb_channel_of_reference(log), nq, k ? rate + (k + 1) * nq : reference);
  const limb_status s = limb_row_finish(x);
  if (s != LIMB_OK) return s;
  return limb_numbers_add(&log->rows, log->row, limb_row_size(log)) ? LIMB_OK : LIMB_E_NOMEM;
}

// One tap more, w of the way from the sample before to this one.
static limb_status push(limb_ident* x, double w, const double* sample)
{
  limb_log* log = &x->log;
  const int taps = 2 * log->filter.half + 1;
  const size_t channels = (size_t)log->channels, size = channels * sizeof(double);
  double* tap = log->ring + (size_t)log->head * channels;
  for (size_t c = 0; c < channels; c++) tap[c] = log->last[c] + w * (sample[c] - log->last[c]);
  memcpy(tap + (size_t)taps * channels, tap, size);
  log->head = (log->head + 1) % taps;
  log->held++;
  if (log->held < taps || (log->held - taps) % log->every) return LIMB_OK;
  return emit(x);
}

// A sample enters the window; after a gap, or at the beginning of a log, an empty one.
static limb_status feed(limb_ident* x, double time, const double* sample)
{
  limb_log* log = &x->log;
  limb_status s = LIMB_OK;
  const size_t size = (size_t)log->channels * sizeof *sample;
  if (!log->open || time - log->last_time > LIMB_IDENT_GAP * log->dt) {
    log->open = true, log->held = 0, log->windows++;
    log->grid = time, log->last_time = time - log->dt;
    memcpy(log->last, sample, size);
  }
  const double step = time - log->last_time;
  while (s == LIMB_OK && log->grid <= time + 1e-6 * log->dt) {
    s = push(x, fmin((log->grid - log->last_time) / step, 1), sample);
    log->grid += log->dt;
  }
  log->last_time = time;
  memcpy(log->last, sample, size);
  return s;
}

// ---- the frequencies of a motion --------------------------------------------------------------------------
//
// Reference: M. Gautier, A. Janot, P. Vandanjon, A new closed-loop output error method for parameter identification of
//            robot dynamics, IEEE Trans. Control Systems Technology 21(2), 2013, section II: the cut-off is five to ten
//            times the frequency of the motion. J. Cooley, J. Tukey, An algorithm for the machine calculation of
//            complex Fourier series, 1965.
//
// Measured velocities have a spectrum of their own; positions have that of velocities times 1 / w. Noise is what the
// upper half of the spectrum has: where the power is less than FLOOR times its median there, it does not count.

static const double SHARE = 0.99, FLOOR = 20;

static int ascending(const void* a, const void* b)
{
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// X_k = sum_i x_i exp(-2 pi i k / n), n a power of two.
static void fourier(size_t n, double complex* x)
{
  for (size_t i = 1, j = 0; i < n; i++) { // reversed bits
    size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const double complex swap = x[i];
    x[i] = x[j], x[j] = swap;
  }
  for (size_t half = 1; half < n; half *= 2) {
    for (size_t k = 0; k < half; k++) {
      const double angle = PI * (double)k / (double)half;
      const double complex w = cos(angle) - sin(angle) * (double complex)I;
      for (size_t i = k; i < n; i += 2 * half) {
        const double complex u = x[i], t = w * x[i + half];
        x[i] = u + t, x[i + half] = u - t;
      }
    }
  }
}

// The frequency, as a share of the rate of the samples, below which SHARE of the power of a velocity is. positions: x
// are positions. power: n / 2 numbers of scratch, twice.
static double band_of(size_t n, const double complex* x, bool positions, double* power)
{
  const size_t count = n / 2, upper = count / 2;
  double* sorted = power + count;
  for (size_t k = 0; k < count; k++) power[k] = creal(x[k] * conj(x[k]));
  memcpy(sorted, power + upper, (count - upper) * sizeof *power);
  qsort(sorted, count - upper, sizeof *sorted, ascending);
  const double floor = FLOOR * sorted[(count - upper) / 2];
  double sum = 0, part = 0;
  for (size_t k = 0; k < count; k++) {
    power[k] = power[k] > floor ? power[k] * (positions ? (double)k * (double)k : 1) : 0;
    sum += power[k];
  }
  size_t k = 0;
  for (; k < count && part < SHARE * sum; k++) part += power[k];
  return (double)k / (double)n;
}

// Below this frequency is SHARE of the power of the fastest velocity, of the samples that wait.
static double motion_band(const limb_log* log)
{
  const size_t channels = (size_t)log->channels, size = channels + 1;
  size_t n = 2;
  while (n < log->waiting) n *= 2;
  double complex* x = malloc(n * sizeof *x);
  double *power = malloc(n * sizeof *power), band = 0;
  for (int j = 0; j < (log->has_v ? log->nv : log->nq) && x && power; j++) {
    const size_t channel = 1 + (size_t)j + (log->has_v ? (size_t)limb_channel_of_v(log) : 0);
    double mean = 0;
    size_t count = 0;
    for (size_t i = 0; i < log->waiting; i++)
      if (isfinite(log->first.x[i * size])) mean += log->first.x[i * size + channel], count++;
    mean /= (double)count;
    for (size_t i = 0; i < n; i++) x[i] = 0;
    for (size_t i = 0; i < log->waiting; i++) { // with a Hann window
      const double *sample = log->first.x + i * size, w = 2 * PI * ((double)i + 0.5) / (double)log->waiting;
      if (isfinite(sample[0])) x[i] = (sample[channel] - mean) * (1 - cos(w)) / 2;
    }
    fourier(n, x);
    band = fmax(band, band_of(n, x, !log->has_v, power));
  }
  free(x), free(power);
  return band / log->dt;
}

// ---- the cut-off ------------------------------------------------------------------------------------------

// The median step of the samples that wait; 0: there are not two.
static limb_status find_step(limb_log* log)
{
  const size_t size = (size_t)log->channels + 1;
  double* step = malloc((log->waiting + 1) * sizeof *step);
  if (!step) return LIMB_E_NOMEM;
  size_t count = 0;
  for (size_t i = 1; i < log->waiting; i++) {
    const double dt = log->first.x[i * size] - log->first.x[(i - 1) * size];
    if (isfinite(dt)) step[count++] = dt;
  }
  qsort(step, count, sizeof *step, ascending);
  log->dt = count ? step[count / 2] : 0;
  free(step);
  return LIMB_OK;
}

// The cut-off is that of the equations; samples pass a wider filter. The window of the equations is at most a third of
// the samples that wait.
static const double CUTOFF_PER_MOTION = 10, SAMPLES_PER_CUTOFF = 5, WIDER = 4;

static limb_status choose_filter(limb_ident* x)
{
  limb_log* log = &x->log;
  log->motion = motion_band(log);
  const double rate = 1 / log->dt, max = rate / SAMPLES_PER_CUTOFF, min = 18.6 * rate / (double)log->waiting;
  log->cutoff = x->o.cutoff > 0 ? x->o.cutoff : fmax(CUTOFF_PER_MOTION * log->motion, min);
  log->cutoff = fmin(log->cutoff, max);
  const double wide = fmin(WIDER * log->cutoff, max);
  log->every = limb_filter_every(wide, log->dt);
  const limb_status s = limb_filter_make(wide, log->dt, &log->filter);
  if (s != LIMB_OK) return s;
  const size_t taps = 2 * (size_t)log->filter.half + 1;
  log->ring = malloc(2 * taps * (size_t)log->channels * sizeof *log->ring);
  return log->ring ? LIMB_OK : LIMB_E_NOMEM;
}

// Chooses the filter by the samples that wait, and feeds them.
static limb_status start(limb_ident* x, limb_error* err)
{
  limb_log* log = &x->log;
  const size_t size = (size_t)log->channels + 1;
  limb_status s = find_step(log);
  if (s == LIMB_OK && log->dt <= 0)
    return limb_fail(err, LIMB_E_ARG, "log", "too few samples (%llu): record some seconds of motion",
                     (unsigned long long)log->samples);
  if (s == LIMB_OK) limb_suspect_log(x);
  if (s == LIMB_OK) s = choose_filter(x);
  for (size_t i = 0; i < log->waiting && s == LIMB_OK; i++) {
    const double* sample = log->first.x + i * size;
    if (isfinite(sample[0]))
      s = feed(x, sample[0], sample + 1);
    else
      log->open = false, log->logs++;
  }
  free(log->first.x);
  log->first = (limb_numbers){0}, log->waiting = 0;
  return s == LIMB_OK ? s : limb_fail(err, s, "log", "%s", limb_status_text(s));
}

// ---- samples ----------------------------------------------------------------------------------------------

static limb_status check(const limb_ident* x, const limb_ident_sample* given, limb_error* err)
{
  const limb_log* log = &x->log;
  static const char group[4][10] = {"tau", "v", "q", "reference"};
  const double* number[4] = {given->tau, given->v, given->q, given->reference};
  for (int g = 0; g < 4; g++) {
    for (int k = 0; number[g] && k < (g < 2 ? x->nv : x->nq); k++)
      if (!isfinite(number[g][k]))
        return limb_fail(err, LIMB_E_NONFINITE,
                         (g < 2 ? limb_get_velocity(x->dofs, k) : limb_get_coordinate(x->dofs, k))->name,
                         "its %s is %g at %.6g s", group[g], number[g][k], given->time);
    if (g < 2 || !number[g]) continue;
    const limb_status s = limb_check_quaternions(x, number[g], given->time, err);
    if (s != LIMB_OK) return s;
  }
  if (!isfinite(given->time)) return limb_fail(err, LIMB_E_NONFINITE, "time", "it is %g", given->time);
  if (log->begun && given->time <= log->last_time)
    return limb_fail(err, LIMB_E_ARG, "time", "it runs backwards or stops: %.9g s after %.9g s", given->time,
                     log->last_time);
  return LIMB_OK;
}

static limb_status begin(limb_ident* x, const limb_ident_sample* given)
{
  limb_log* log = &x->log;
  if (log->row) return LIMB_OK;
  log->has_v = given->v != NULL, log->has_reference = given->reference != NULL;
  log->channels = limb_channel_of_reference(log) + (log->has_reference ? log->nq : 0);
  log->row = calloc(limb_row_size(log) + 4 * (size_t)x->nq, sizeof *log->row);
  log->last = calloc((size_t)log->channels + 1, sizeof *log->last);
  log->before = calloc(2 * (size_t)x->nq, sizeof *log->before);
  return log->row && log->last && log->before ? LIMB_OK : LIMB_E_NOMEM;
}

// Time, then channels. Quaternions of one log stay on one side: q and -q are the same rotation.
static limb_status pack(limb_ident* x, const limb_ident_sample* sample, double* packed)
{
  limb_log* log = &x->log;
  const size_t nq = (size_t)x->nq, nv = (size_t)x->nv;
  double *q = packed + 1, *tau = q + limb_channel_of_tau(log), *reference = q + limb_channel_of_reference(log);
  packed[0] = sample->time;
  memcpy(q, sample->q, nq * sizeof *packed);
  memcpy(tau, sample->tau, nv * sizeof *packed);
  if (log->has_v) memcpy(q + limb_channel_of_v(log), sample->v, nv * sizeof *packed);
  if (log->has_reference) memcpy(reference, sample->reference, nq * sizeof *packed);
  limb_keep_side(x, log->before, q);
  if (log->has_reference) limb_keep_side(x, log->before + nq, reference);
  memcpy(log->before, q, nq * sizeof *packed);
  if (log->has_reference) memcpy(log->before + nq, reference, nq * sizeof *packed);
  return sample->nwrench > 0 ? limb_add_wrenches(x, sample, tau) : LIMB_OK;
}

limb_status limb_ident_add(limb_ident* x, const limb_ident_sample* sample, limb_error* err)
{
  if (!x || !sample || !sample->q || !sample->tau) return limb_fail(err, LIMB_E_ARG, "log", "a sample is NULL");
  if (x->fitted) return limb_fail(err, LIMB_E_ORDER, "log", "samples come before the fit");
  limb_log* log = &x->log;
  limb_status s = begin(x, sample);
  if (s == LIMB_OK && (log->has_v != (sample->v != NULL) || log->has_reference != (sample->reference != NULL)))
    return limb_fail(err, LIMB_E_ARG, "log", "velocities and references are in all samples or in none");
  if (s == LIMB_OK) s = check(x, sample, err);
  if (s != LIMB_OK) return s;
  double* packed = x->block;
  s = pack(x, sample, packed);
  if (s != LIMB_OK) return limb_fail(err, s, "wrench", "%s", limb_status_text(s));
  log->begun = true, log->samples++;
  if (log->ring) {
    s = feed(x, packed[0], packed + 1);
  } else {
    s = limb_numbers_add(&log->first, packed, (size_t)log->channels + 1) ? LIMB_OK : LIMB_E_NOMEM;
    log->waiting += s == LIMB_OK;
    log->last_time = sample->time;
    if (s == LIMB_OK && log->waiting == LIMB_IDENT_FIRST) s = start(x, err);
  }
  if (s == LIMB_E_NOCONV) return limb_fail(err, s, "loops", "they do not close at %.6g s", sample->time);
  return s == LIMB_OK ? s : limb_fail(err, s, "log", "%s", limb_status_text(s));
}

limb_status limb_ident_end_log(limb_ident* x, limb_error* err)
{
  if (!x) return limb_fail(err, LIMB_E_ARG, "log", "there is none");
  limb_log* log = &x->log;
  if (!log->begun) return LIMB_OK;
  log->begun = false;
  if (!limb_end_load(x)) return limb_fail(err, LIMB_E_NOMEM, "log", "%s", limb_status_text(LIMB_E_NOMEM));
  if (log->ring) {
    log->open = false, log->logs++;
    return LIMB_OK;
  }
  x->block[0] = (double)NAN;
  if (!limb_numbers_add(&log->first, x->block, (size_t)log->channels + 1))
    return limb_fail(err, LIMB_E_NOMEM, "log", "%s", limb_status_text(LIMB_E_NOMEM));
  log->waiting++;
  return LIMB_OK;
}

limb_status limb_log_flush(limb_ident* x, limb_error* err)
{
  const limb_status s = limb_ident_end_log(x, err);
  if (s != LIMB_OK || x->log.ring) return s;
  return start(x, err);
}

void limb_log_free(limb_log* log)
{
  limb_filter_free(&log->filter);
  free(log->first.x), free(log->rows.x), free(log->ring);
  free(log->row), free(log->last), free(log->before);
}
