// Which frequencies a motion has, so that the filter can be chosen from the data.
//
// Reference: M. Gautier, A. Janot, P. Vandanjon, A new closed-loop output error method for parameter identification of
//            robot dynamics, IEEE Trans. Control Systems Technology 21(2), 2013, section II: the cut-off is five to ten
//            times the frequency of the motion. J. Cooley, J. Tukey, An algorithm for the machine calculation of
//            complex Fourier series, 1965.
// Cost:      n log n per joint.
//
// Measured velocities have a spectrum of their own; positions have that of velocities times 1 / w. Noise is what the
// upper half of the spectrum has: where the power is less than FLOOR times its median there, it does not count.
#include "estimate/ident_impl.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, SHARE = 0.99, FLOOR = 20;

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

static int ascending(const void* a, const void* b)
{
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
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

double limb_motion_band(const limb_log* log)
{
  const size_t channels = (size_t)log->channels, size = channels + 1;
  size_t n = 2;
  while (n < log->waiting) n *= 2;
  double complex* x = malloc(n * sizeof *x);
  double *power = malloc(n * sizeof *power), band = 0;
  for (int j = 0; j < log->n && x && power; j++) {
    const size_t channel = 1 + (size_t)j + (log->has_v ? 2 * (size_t)log->n : 0);
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
