// Numbers of cases. Each follows from seed, sample and dimension alone, in any order and on any computer.
//
// Random bits: Philox4x32-10, J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// Sobol's sequence: direction numbers of S. Joe and F. Kuo, SIAM J. Sci. Comput. 30 (2008), the file new-joe-kuo-6.
#include "run/sweep_impl.h"

#include <math.h>

// ---- random bits ------------------------------------------------------------------------------------------

void limb_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)0xD2511F53U * c0, b = (uint64_t)0xCD9E8D57U * c2;
    c0 = (uint32_t)(b >> 32) ^ c1 ^ k0, c1 = (uint32_t)b;
    c2 = (uint32_t)(a >> 32) ^ c3 ^ k1, c3 = (uint32_t)a;
    k0 += 0x9E3779B9U, k1 += 0xBB67AE85U;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

// What bits are for: the fourth number of the counter.
enum { FOR_SAMPLES, FOR_ORDER, FOR_SHIFT };

static uint64_t bits(uint64_t seed, uint64_t sample, uint32_t dimension, uint32_t use)
{
  const uint32_t counter[4] = {(uint32_t)sample, (uint32_t)(sample >> 32), dimension, use};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t out[4];
  limb_philox(counter, key, out);
  return (uint64_t)out[1] << 32 | out[0];
}

double limb_sample_random(uint64_t seed, uint64_t sample, uint32_t dimension)
{
  return ((double)(bits(seed, sample, dimension, FOR_SAMPLES) >> 11) + 0.5) * 0x1p-53;
}

// ---- Latin hypercube --------------------------------------------------------------------------------------

// A permutation of 0 ... n - 1: a Feistel network on the next power of four, repeated until it falls below n.
static uint64_t permuted(uint64_t seed, uint64_t i, uint64_t n, uint32_t dimension)
{
  int half = 1;
  while (half < 32 && (uint64_t)1 << 2 * half < n) half++;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (uint32_t round = 0; round < 6; round++) {
      const uint64_t mixed = left ^ (bits(seed, right << 8 | round, dimension, FOR_ORDER) & mask);
      left = right, right = mixed;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

double limb_sample_latin(uint64_t seed, uint64_t sample, uint64_t n, uint32_t dimension)
{
  return ((double)permuted(seed, sample, n, dimension) + limb_sample_random(seed, sample, dimension)) / (double)n;
}

// ---- Sobol's sequence -------------------------------------------------------------------------------------

// Primitive polynomials with all their coefficients, and the first direction numbers.
static const struct {
  unsigned char polynomial, m[7];
} sobol[SOBOL_DIMENSIONS] = {
  {1, {1}},
  {3, {1}},
  {7, {1, 3}},
  {11, {1, 3, 1}},
  {13, {1, 1, 1}},
  {19, {1, 1, 3, 3}},
  {25, {1, 3, 5, 13}},
  {37, {1, 1, 5, 5, 17}},
  {41, {1, 1, 5, 5, 5}},
  {47, {1, 1, 7, 11, 19}},
  {55, {1, 1, 5, 1, 1}},
  {59, {1, 1, 1, 3, 11}},
  {61, {1, 3, 5, 5, 31}},
  {67, {1, 3, 3, 9, 7, 49}},
  {91, {1, 1, 1, 15, 21, 21}},
  {97, {1, 3, 1, 13, 27, 49}},
  {103, {1, 1, 1, 15, 7, 5}},
  {109, {1, 3, 1, 15, 13, 25}},
  {115, {1, 1, 5, 5, 19, 61}},
  {131, {1, 3, 7, 11, 23, 15, 103}},
  {137, {1, 3, 7, 13, 13, 15, 69}},
  {143, {1, 1, 3, 13, 7, 35, 63}},
  {145, {1, 3, 5, 9, 1, 25, 53}},
  {157, {1, 3, 1, 13, 9, 35, 107}},
  {167, {1, 3, 1, 5, 27, 61, 31}},
  {171, {1, 1, 5, 11, 19, 41, 61}},
  {185, {1, 3, 5, 3, 3, 13, 69}},
  {191, {1, 1, 7, 13, 1, 19, 1}},
  {193, {1, 3, 7, 5, 13, 19, 59}},
  {203, {1, 1, 3, 9, 25, 29, 41}},
  {211, {1, 3, 5, 13, 23, 1, 55}},
  {213, {1, 3, 7, 3, 13, 59, 17}},
};

// x = XOR of the directions v_i where the Gray code of the sample has a bit.
// m_i = 2 a_1 m_{i-1} ^ 4 a_2 m_{i-2} ^ ... ^ 2^d m_{i-d} ^ m_{i-d},  v_i = m_i 2^(32-i)
uint32_t limb_sobol_bits(uint32_t sample, uint32_t dimension)
{
  const unsigned polynomial = sobol[dimension].polynomial;
  uint32_t m[32] = {0}, x = 0, gray = sample ^ sample >> 1;
  int degree = 0;
  while (polynomial >> (degree + 1)) degree++;
  for (int i = 0; i < 32 && gray >> i; i++) {
    if (dimension == 0)
      m[i] = 1;
    else if (i < degree)
      m[i] = sobol[dimension].m[i];
    else {
      m[i] = m[i - degree];
      for (int k = 1; k <= degree; k++)
        if (polynomial >> (degree - k) & 1) m[i] ^= m[i - k] << k;
    }
    if (gray >> i & 1) x ^= m[i] << (31 - i);
  }
  return x;
}

double limb_sample_sobol(uint64_t seed, uint64_t sample, uint32_t dimension)
{
  const uint32_t shift = (uint32_t)bits(seed, 0, dimension, FOR_SHIFT);
  return ((double)(limb_sobol_bits((uint32_t)sample, dimension) ^ shift) + 0.5) * 0x1p-32;
}

// ---- distributions ----------------------------------------------------------------------------------------

static double normal_probability(double x) { return 0.5 * erfc(-x / sqrt(2)); }

// P. Acklam's rational approximation (relative error 1.2e-9), and one step of Halley's method to the last digits.
double limb_normal_quantile(double p)
{
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                             1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                             6.680131188771972e+01,  -1.328068155288572e+01, 1};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                             -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
                             1};
  const double pi = 3.14159265358979323846, tail = fmin(p, 1 - p);
  double top = 0, bottom = 0, x;
  if (!(tail > 0)) return p > 0.5 ? HUGE_VAL : -HUGE_VAL;
  if (tail < 0.02425) {
    const double r = sqrt(-2 * log(tail));
    for (int i = 0; i < 6; i++) top = top * r + c[i];
    for (int i = 0; i < 5; i++) bottom = bottom * r + d[i];
    x = top / bottom; // of the lower tail
  } else {
    const double r = tail - 0.5;
    for (int i = 0; i < 6; i++) top = top * r * r + a[i];
    for (int i = 0; i < 6; i++) bottom = bottom * r * r + b[i];
    x = r * top / bottom;
  }
  const double u = (normal_probability(x) - tail) * sqrt(2 * pi) * exp(x * x / 2);
  x -= u / (1 + x * u / 2);
  return p > 0.5 ? -x : x;
}

static double normal_value(const sweep_dimension* d, double u, bool of_logarithm)
{
  const double mean = of_logarithm ? log(d->p[0]) : d->p[0], width = d->p[1];
  if (d->limited) {
    const double low = of_logarithm ? log(d->low) : d->low, high = of_logarithm ? log(d->high) : d->high;
    const double from = normal_probability((low - mean) / width), to = normal_probability((high - mean) / width);
    u = from + u * (to - from);
  }
  double x = mean + width * limb_normal_quantile(u);
  if (of_logarithm) x = exp(x);
  return d->limited ? fmin(fmax(x, d->low), d->high) : x;
}

static double triangular_value(const double p[3], double u)
{
  const double low = p[0], mode = p[1], high = p[2], at_mode = (mode - low) / (high - low);
  return u < at_mode ? low + sqrt(u * (high - low) * (mode - low))
                     : high - sqrt((1 - u) * (high - low) * (high - mode));
}

double limb_dimension_at(const sweep_dimension* d, sweep_sampling how, uint64_t seed, uint64_t sample, uint64_t samples)
{
  const double drawn = how == SAMPLE_LATIN   ? limb_sample_latin(seed, sample, samples, d->index)
                       : how == SAMPLE_SOBOL ? limb_sample_sobol(seed, sample, d->index)
                                             : limb_sample_random(seed, sample, d->index);
  const double u = fmin(drawn, 1 - 0x1p-53); // rounding may reach 1, which is behind the last entry
  switch (d->from->kind) {
  case LIMB_STUDY_UNIFORM: return d->p[0] + u * (d->p[1] - d->p[0]);
  case LIMB_STUDY_LOG_UNIFORM: return exp(log(d->p[0]) + u * (log(d->p[1]) - log(d->p[0])));
  case LIMB_STUDY_NORMAL: return normal_value(d, u, false);
  case LIMB_STUDY_LOG_NORMAL: return normal_value(d, u, true);
  case LIMB_STUDY_TRIANGULAR: return triangular_value(d->p, u);
  case LIMB_STUDY_CHOOSE: return floor(u * d->count);
  case LIMB_STUDY_LIST:
  case LIMB_STUDY_GRID:
  case LIMB_STUDY_LOG_GRID: break;
  }
  return 0;
}

double limb_dimension_entry(const sweep_dimension* d, uint64_t entry)
{
  const double x = (double)entry;
  if (d->from->kind == LIMB_STUDY_LIST) return x;
  if (entry == 0) return d->p[0];
  if (entry + 1 == (uint64_t)d->count) return d->p[1];
  const double part = x / (d->count - 1);
  if (d->from->kind == LIMB_STUDY_GRID) return d->p[0] + part * (d->p[1] - d->p[0]);
  return exp(log(d->p[0]) + part * (log(d->p[1]) - log(d->p[0])));
}
