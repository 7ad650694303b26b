// The own sincos against long double libm: alone, for every instruction set this machine can run; and
// where the kernels of the library call it, compiled with their flags and lanes.
#include "kernel/sincos.h"
#include "kernel/tables.h"
#include "support/check.h"
#include "support/rng.h"
#include "support/robots_impl.h"
#include "support/sincos_isa.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_ULP 2.0
#define CHUNK   1024

typedef struct variant {
  const char* name;
  int runs_here;
  void (*f64)(int n, const double* x, double* s, double* c);
  void (*f32)(int n, const float* x, float* s, float* c);
} variant;

#if defined(__x86_64__)
#define VARIANTS 3
static variant get_variant(int i)
{
  const int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl");
  const variant all[VARIANTS] = {{"base", 1, test_sincos_f64_base, test_sincos_f32_base},
                                 {"v3", v3, test_sincos_f64_v3, test_sincos_f32_v3},
                                 {"v4", v4, test_sincos_f64_v4, test_sincos_f32_v4}};
  return all[i];
}
#else
#define VARIANTS 1
static variant get_variant(int i)
{
  (void)i;
  return (variant){"base", 1, test_sincos_f64_base, test_sincos_f32_base};
}
#endif

// ---- angles to try -----------------------------------------------------------------------------

// In [-1, 1), another one for each i.
static double uniform(int i)
{
  rng r = {.state = (uint64_t)i};
  return rng_uniform(&r, -1, 1);
}

// Sample i of a family of angles.
typedef double sample_f64(int i);
typedef float sample_f32(int i);

static double wide_f64(int i) { return 1e4 * uniform(i); }
static double full_f64(int i) { return LIMB_SINCOS_LIMIT_F64 * uniform(i); }
static float wide_f32(int i) { return (float)(1e4 * uniform(i)); }

// The five doubles about every k pi/2 below the limit, of either sign.
#define QUARTERS_F64 (63660 * 5)
static double quarter_f64(int i)
{
  const long double half_pi = 1.57079632679489661923132169163975144L;
  double x = (double)((long double)(i / 5) * half_pi);
  for (int j = 2; j > i % 5; j--) x = nextafter(x, 0.0);
  for (int j = 2; j < i % 5; j++) x = nextafter(x, HUGE_VAL);
  return uniform(i) < 0 ? x : -x;
}

#define QUARTERS_F32 (7630 * 5)
static float quarter_f32(int i)
{
  float x = (float)((i / 5) * 1.57079632679489661923);
  for (int j = 2; j > i % 5; j--) x = nextafterf(x, 0.0f);
  for (int j = 2; j < i % 5; j++) x = nextafterf(x, INFINITY);
  return uniform(i) < 0 ? x : -x;
}

// About the odd multiples of pi/4, where the rounding of k changes from one quarter to the next.
static double eighth_f64(int i)
{
  const double x = (i + 0.5) * 1.5707963267948966;
  return x * (1.0 + 4 * DBL_EPSILON * uniform(i));
}
static float eighth_f32(int i)
{
  const double x = (i + 0.5) * 1.5707963267948966;
  return (float)(x * (1.0 + 4 * (double)FLT_EPSILON * uniform(i)));
}

// Every order of magnitude below 1, down to the denormals.
static double tiny_f64(int i) { return uniform(i) * pow(10.0, -(i % 325)); }
static float tiny_f32(int i) { return (float)(uniform(i) * pow(10.0, -(i % 46))); }

// Up to the largest numbers there are; a few are within the limit, so that near and far meet.
static double huge_f64(int i) { return uniform(i) * pow(10.0, i % 308); }
static float huge_f32(int i) { return (float)(uniform(i) * pow(10.0, i % 38)); }

// The last numbers within the limit and the first beyond it.
static double edge_f64(int i)
{
  double x = LIMB_SINCOS_LIMIT_F64;
  for (int j = 0; j < i / 2; j++) x = nextafter(x, i % 2 ? HUGE_VAL : 0.0);
  return i % 4 < 2 ? x : -x;
}
static float edge_f32(int i)
{
  float x = LIMB_SINCOS_LIMIT_F32;
  for (int j = 0; j < i / 2; j++) x = nextafterf(x, i % 2 ? INFINITY : 0.0f);
  return i % 4 < 2 ? x : -x;
}

// ---- errors ------------------------------------------------------------------------------------

// |got - exact| in units of the last place that a number as large as exact has.
static double ulp_f64(double got, long double exact)
{
  int e;
  (void)frexpl(exact, &e);
  if (e < DBL_MIN_EXP) e = DBL_MIN_EXP;
  return (double)ldexpl(fabsl((long double)got - exact), DBL_MANT_DIG - e);
}

static double ulp_f32(float got, double exact)
{
  int e;
  (void)frexp(exact, &e);
  if (e < FLT_MIN_EXP) e = FLT_MIN_EXP;
  return ldexp(fabs((double)got - exact), FLT_MANT_DIG - e);
}

static void check_ulp(const char* isa, const char* family, double x, double sin_ulp, double cos_ulp)
{
  // Written so that NaN fails; Check's own assertions are too slow for millions.
  if (sin_ulp <= MAX_ULP && cos_ulp <= MAX_ULP) return;
  ck_abort_msg("%s, %s: sin(%a) is %g ulp off, cos %g", isa, family, x, sin_ulp, cos_ulp);
}

// Checks n answers; the largest error, or that of the answers before.
static double worst_f64(const char* isa, const char* family, int n, const double* x, const double* s, const double* c,
                        double worst)
{
  for (int i = 0; i < n; i++) {
    const double sin_ulp = ulp_f64(s[i], sinl((long double)x[i]));
    const double cos_ulp = ulp_f64(c[i], cosl((long double)x[i]));
    check_ulp(isa, family, x[i], sin_ulp, cos_ulp);
    worst = fmax(worst, fmax(sin_ulp, cos_ulp));
  }
  return worst;
}

static const struct {
  const char* name;
  int count;
  sample_f64* sample;
} families_f64[] = {
  {"within 1e4", 1000000, wide_f64},      {"within limit", 200000, full_f64}, {"at k pi/2", QUARTERS_F64, quarter_f64},
  {"at (k+1/2) pi/2", 63660, eighth_f64}, {"tiny", 20000, tiny_f64},          {"huge", 20000, huge_f64},
  {"at the limit", 200, edge_f64}};

enum { FAMILIES_F64 = sizeof families_f64 / sizeof families_f64[0] };

static void check_family_f64(const variant* v, int family)
{
  const char* name = families_f64[family].name;
  const int count = families_f64[family].count;
  double worst = 0.0, x[CHUNK], s[CHUNK], c[CHUNK];
  for (int first = 0; first < count; first += CHUNK) {
    const int n = count - first < CHUNK ? count - first : CHUNK;
    for (int i = 0; i < n; i++) x[i] = families_f64[family].sample(first + i);
    v->f64(n, x, s, c);
    worst = worst_f64(v->name, name, n, x, s, c, worst);
  }
  printf("sincos f64 %-4s %-14s %8d angles, worst %.3f ulp\n", v->name, name, count, worst);
}

static void check_family_f32(const variant* v, const char* family, int count, sample_f32* sample)
{
  double worst = 0.0;
  float x[CHUNK], s[CHUNK], c[CHUNK];
  for (int first = 0; first < count; first += CHUNK) {
    const int n = count - first < CHUNK ? count - first : CHUNK;
    for (int i = 0; i < n; i++) x[i] = sample(first + i);
    v->f32(n, x, s, c);
    for (int i = 0; i < n; i++) {
      const double sin_ulp = ulp_f32(s[i], sin((double)x[i]));
      const double cos_ulp = ulp_f32(c[i], cos((double)x[i]));
      check_ulp(v->name, family, (double)x[i], sin_ulp, cos_ulp);
      worst = fmax(worst, fmax(sin_ulp, cos_ulp));
    }
  }
  printf("sincos f32 %-4s %-14s %8d angles, worst %.3f ulp\n", v->name, family, count, worst);
}

START_TEST(accurate_f64)
{
  const variant v = get_variant(_i);
  if (!v.runs_here) {
    printf("sincos %s: not run, this machine cannot\n", v.name);
    return;
  }
  if (LDBL_MANT_DIG < 64) return; // nothing to compare with
  for (int family = 0; family < FAMILIES_F64; family++) check_family_f64(&v, family);
}
END_TEST

START_TEST(accurate_f32)
{
  const variant v = get_variant(_i);
  if (!v.runs_here) return;
  check_family_f32(&v, "within 1e4", 1000000, wide_f32);
  check_family_f32(&v, "at k pi/2", QUARTERS_F32, quarter_f32);
  check_family_f32(&v, "at (k+1/2) pi/2", 7630, eighth_f32);
  check_family_f32(&v, "tiny", 20000, tiny_f32);
  check_family_f32(&v, "huge", 20000, huge_f32);
  check_family_f32(&v, "at the limit", 200, edge_f32);
}
END_TEST

// ---- inside the kernels --------------------------------------------------------------------------

enum { JOINTS = 1021 }; // an odd number: the last lanes have no joint of their own

// Hinges side by side.
static limb_model* many_hinges(void)
{
  const double inertia[6] = {1, 0, 0, 1, 0, 1};
  limb_builder* b = fixture_begin("hinges");
  for (int i = 0; i < JOINTS; i++) {
    char name[24];
    (void)snprintf(name, sizeof name, "hinge%d", i);
    (void)fixture_link(b, name, LIMB_REVOLUTE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                       fixture_inertia(1, sp_v3(1, 0, 0), inertia));
  }
  return fixture_end(b);
}

// Sines and cosines as a kernel leaves them in the workspace. It sees finite angles only.
static void check_family_in_kernels(const limb_kernels* set, limb_data* d, const char* isa, int family)
{
  const char* name = families_f64[family].name;
  const int count = families_f64[family].count / CHECK_EFFORT(20, 4, 1);
  const limb_model* m = d->m;
  double worst = 0.0, x[JOINTS];
  for (int first = 0; first < count; first += JOINTS) {
    for (int i = 0; i < JOINTS; i++) x[i] = families_f64[family].sample(first + i);
    set->link_motion(m, m->k64, &d->ws, x, NULL, NULL, &d->own.X[0].R.m[0], NULL, NULL, NULL);
    const double *q = d->ws.q, *s = d->ws.s, *c = d->ws.c;
    for (int i = 0; i < JOINTS; i++) ck_assert(q[i] == x[i]);
    worst = worst_f64(isa, name, JOINTS, x, s, c, worst);
  }
  printf("sincos f64 %s %-14s %8d angles, worst %.3f ulp\n", isa, name, count, worst);
}

// The set that is used here; test_isa compares all.
START_TEST(accurate_in_kernels)
{
  if (_i > 0 || LDBL_MANT_DIG < 64) return;
  limb_model* m = many_hinges();
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  for (int family = 0; family < FAMILIES_F64; family++)
    check_family_in_kernels(limb_kernels_here(), d, "kernels", family);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- special values ----------------------------------------------------------------------------

START_TEST(exact_at_zero)
{
  const variant v = get_variant(_i);
  if (!v.runs_here) return;
  const double x[8] = {0.0, -0.0, 0x1p-1074, -0x1p-1074};
  const float xf[8] = {0.0f, -0.0f, 0x1p-149f, -0x1p-149f};
  double s[8], c[8];
  float sf[8], cf[8];
  v.f64(8, x, s, c);
  v.f32(8, xf, sf, cf);
  for (int i = 0; i < 8; i++) {
    ck_assert(s[i] == x[i] && !signbit(s[i]) == !signbit(x[i]) && c[i] == 1.0);
    ck_assert(sf[i] == xf[i] && !signbit(sf[i]) == !signbit(xf[i]) && cf[i] == 1.0f);
  }
}
END_TEST

// Strange angles give NaN, leave errno alone and do not touch their neighbours.
START_TEST(strange_angles_stay_alone)
{
  const variant v = get_variant(_i);
  if (!v.runs_here) return;
  const double strange[4] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e22};
  const double plain[8] = {0.1, -1.2, 2.3, -3.4, 4.5, -5.6, 6.7, -7.8};
  double x[8], s[8], c[8], s0[8], c0[8];
  float xf[8], sf[8], cf[8], s0f[8], c0f[8];
  for (int i = 0; i < 8; i++) xf[i] = (float)plain[i];
  v.f64(8, plain, s0, c0);
  v.f32(8, xf, s0f, c0f);
  for (int at = 0; at < 32; at++) {
    for (int i = 0; i < 8; i++) {
      x[i] = i == at / 4 ? strange[at % 4] : plain[i];
      xf[i] = (float)x[i];
    }
    errno = 0;
    v.f64(8, x, s, c);
    v.f32(8, xf, sf, cf);
    ck_assert_int_eq(errno, 0);
    for (int i = 0; i < 8; i++) {
      if (i != at / 4) {
        ck_assert(s[i] == s0[i] && c[i] == c0[i] && sf[i] == s0f[i] && cf[i] == c0f[i]);
      } else if (at % 4 < 3) {
        ck_assert(isnan(s[i]) && isnan(c[i]) && isnan(sf[i]) && isnan(cf[i]));
      } else {
        ck_assert(s[i] == sin(x[i]) && c[i] == cos(x[i]));
        ck_assert(sf[i] == sinf(xf[i]) && cf[i] == cosf(xf[i]));
      }
    }
  }
}
END_TEST

// ---- lengths -----------------------------------------------------------------------------------

// n angles give the same as one at a time, whatever the padding holds; no write behind it.
START_TEST(any_length_f64)
{
  const variant v = get_variant(_i);
  if (!v.runs_here) return;
  for (int n = -1; n <= 20; n++) {
    const int room = n <= 0 ? 0 : (n + LIMB_SINCOS_PAD - 1) / LIMB_SINCOS_PAD * LIMB_SINCOS_PAD;
    // Off the vector boundary by one, as the caller's arrays may be.
    double x[33], s[33], c[33];
    for (int i = 0; i < 33; i++) {
      x[i] = i <= n ? wide_f64(i) : i % 2 ? (double)NAN : 1e300;
      s[i] = c[i] = 777.0;
    }
    v.f64(n, x + 1, s + 1, c + 1);
    for (int i = 0; i < n; i++) {
      double x1[8] = {x[i + 1]}, s1[8], c1[8];
      v.f64(1, x1, s1, c1);
      ck_assert(s[i + 1] == s1[0] && c[i + 1] == c1[0]);
    }
    ck_assert(s[0] == 777.0 && c[0] == 777.0);
    for (int i = room + 1; i < 33; i++) ck_assert(s[i] == 777.0 && c[i] == 777.0);
  }
}
END_TEST

START_TEST(any_length_f32)
{
  const variant v = get_variant(_i);
  if (!v.runs_here) return;
  for (int n = -1; n <= 20; n++) {
    const int room = n <= 0 ? 0 : (n + LIMB_SINCOS_PAD - 1) / LIMB_SINCOS_PAD * LIMB_SINCOS_PAD;
    float x[33], s[33], c[33];
    for (int i = 0; i < 33; i++) {
      x[i] = i <= n ? wide_f32(i) : i % 2 ? NAN : 1e30f;
      s[i] = c[i] = 777.0f;
    }
    v.f32(n, x + 1, s + 1, c + 1);
    for (int i = 0; i < n; i++) {
      float x1[8] = {x[i + 1]}, s1[8], c1[8];
      v.f32(1, x1, s1, c1);
      ck_assert(s[i + 1] == s1[0] && c[i + 1] == c1[0]);
    }
    ck_assert(s[0] == 777.0f && c[0] == 777.0f);
    for (int i = room + 1; i < 33; i++) ck_assert(s[i] == 777.0f && c[i] == 777.0f);
  }
}
END_TEST

CHECK_MAIN("sincos", VARIANTS, accurate_f64, accurate_f32, accurate_in_kernels, exact_at_zero,
           strange_angles_stay_alone, any_length_f64, any_length_f32)
