// Numbers as text: against the compiler's constants, strtod and printf in the C locale, and against
// values that are known by construction (half way between two doubles), where strtod may err.
#include "base/number.h"
#include "support/check.h"
#include "support/rng.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = CHECK_SANITIZED ? 10000 : 100000 };

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double from_bits(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Scans all of text, from memory that ends with it.
static double scan(const char* text)
{
  const size_t length = strlen(text);
  char* copy = malloc(length + 1);
  assert_that(copy);
  memcpy(copy + 1, text, length); // at the end of the block, for the address sanitizer
  double x = -77;
  const char* end = limb_scan_number(copy + 1, copy + 1 + length, &x);
  check_at("'%.60s'", text);
  assert_that(end == copy + 1 + length);
  free(copy);
  return x;
}

static void assert_scan(const char* text, double want)
{
  const double got = scan(text);
  check_at("'%.60s': %a, want %a", text, got, want);
  assert_that(bits_of(got) == bits_of(want));
}

static void assert_print(double x, const char* want)
{
  char text[LIMB_NUMBER_SPACE];
  const size_t length = limb_print_number(x, text);
  check_at("%a: '%s', want '%s'", x, text, want);
  assert_that(strcmp(text, want) == 0);
  assert_that(length == strlen(want));
}

// ---- scanning --------------------------------------------------------------------------------------

START_TEST(test_scan_known)
{
  static const struct {
    const char* text;
    double want;
  } known[] = {
    // clang-format off
    {"0", 0}, {"-0", -0.0}, {"+0.0", 0}, {"00012", 12}, {".5", 0.5}, {"5.", 5}, {"-.5e1", -5},
    {"1E3", 1000}, {"1e+3", 1000}, {"1e-3", 0.001}, {"0e999999999999999999999", 0},
    {"3.141592653589793", 3.141592653589793}, {"0.1", 0.1}, {"1e22", 1e22}, {"1e23", 1e23},
    {"9007199254740993", 9007199254740992.0}, {"9007199254740993.0", 9007199254740992.0},
    {"9007199254740993.00000000000000000001", 9007199254740994.0},
    {"9007199254740995", 9007199254740996.0}, {"18446744073709551615", 0x1p64},
    {"18446744073709551616", 0x1p64}, {"99999999999999999999999", 1e23},
    {"5.000000000000000000e-01", 0.5}, {"1.7976931348623157e308", DBL_MAX},
    {"1.7976931348623158e308", DBL_MAX}, {"1.7976931348623159e308", HUGE_VAL},
    {"1e309", HUGE_VAL}, {"-1e309", -HUGE_VAL}, {"1e999999999999", HUGE_VAL},
    {"1e99999999999999999999999999", HUGE_VAL}, {"1e-99999999999999999999999999", 0},
    {"2.2250738585072014e-308", DBL_MIN}, {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
    {"2.2250738585072012e-308", DBL_MIN}, {"4.9406564584124654e-324", 0x1p-1074},
    {"5e-324", 0x1p-1074}, {"3e-324", 0x1p-1074}, {"2e-324", 0}, {"-2e-324", -0.0},
    {"2.4703282292062327e-324", 0}, {"2.4703282292062328e-324", 0x1p-1074}, {"1e-400", 0},
    {"7.4109846876186981e-324", 0x1p-1074}, {"7.4109846876186982e-324", 0x1p-1073},
    {"6929495644600919.5", 6929495644600920.0},
    {"3.2378839133029012895883524125015321748630094e-319", 0xffffp-1074}, {"8.41e21", 8.41e21},
    {"2.0919495182368195e19", 2.0919495182368195e19}, {"1.448997445238699", 1.448997445238699},
    {"0.500000000000000166533453693773481063544750213623046875", 0x1.0000000000002p-1}, // to even
    {"358416272e-33", 358416272e-33},
    {"0.000000000000000000000000000000000000012345678901234567", 1.2345678901234567e-38},
    // clang-format on
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    assert_scan(known[i].text, known[i].want);
  }
}
END_TEST

// How far it reads, and what is no number at all.
START_TEST(test_scan_end)
{
  static const struct {
    const char* text;
    int length; // -1: none
    double want;
  } known[] = {
    // clang-format off
    {"", -1, 0}, {"-", -1, 0}, {"+", -1, 0}, {".", -1, 0}, {"-.", -1, 0}, {".e1", -1, 0},
    {"e5", -1, 0}, {"nan", -1, 0}, {"-nan", -1, 0}, {"inf", -1, 0}, {"Infinity", -1, 0},
    {"0x10", -1, 0}, {"-0X1p3", -1, 0}, {" 1", -1, 0}, {"--1", -1, 0}, {"+-1", -1, 0},
    {"\xd9\xa1", -1, 0}, {"1,5", 1, 1}, {"1.5.2", 3, 1.5}, {"1e", 1, 1}, {"1e+", 1, 1},
    {"1e-x", 1, 1}, {"1.e3x", 4, 1000}, {"12x", 2, 12}, {"1.5f", 3, 1.5}, {"7 ", 1, 7},
    {"123456789012345678901234 5", 24, 123456789012345678901234.0}, {"12345678;", 8, 12345678},
    {"1234567a", 7, 1234567}, {"00x1", 2, 0}, {"1_000", 1, 1}, {"1e5e5", 3, 1e5},
    // clang-format on
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const char* text = known[i].text;
    double x = -77;
    const char* end = limb_scan_number(text, text + strlen(text), &x);
    check_at("'%s'", text);
    assert_that((end ? (int)(end - text) : -1) == known[i].length);
    assert_that(x == (end ? known[i].want : -77));
  }
}
END_TEST

// Every prefix of a number is read as far as strtod reads it.
START_TEST(test_scan_prefixes)
{
  const char* whole = "-1234567890.12345678901234567890e-0123";
  for (size_t n = 0; n <= strlen(whole); n++) {
    char prefix[64] = "";
    memcpy(prefix, whole, n);
    char* stop;
    const double want = strtod(prefix, &stop);
    double x = 0;
    const char* end = limb_scan_number(whole, whole + n, &x);
    check_at("'%s'", prefix);
    assert_that((end ? end - whole : 0) == stop - prefix);
    assert_that(x == want);
  }
}
END_TEST

// Strings of a million characters, in linear time.
START_TEST(test_scan_long)
{
  enum { N = 1000000 };
  char* text = malloc(N + 64);
  assert_that(text);

  memset(text, '0', N); // 0.000...01e1000000 = 10
  text[1] = '.';
  (void)snprintf(text + N, 64, "1e1000000");
  assert_scan(text, 10);

  memset(text, '9', N); // 999...9e-1000000 = 1
  (void)snprintf(text + N, 64, "e-1000000");
  assert_scan(text, 1);
  (void)snprintf(text + N, 64, "e-1000330");
  assert_scan(text, 0);
  (void)snprintf(text + N, 64, "e-999600");
  assert_scan(text, HUGE_VAL);

  memset(text, '0', N); // half way from 1 to the next double, and a last digit that decides
  memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55);
  text[N] = 0;
  assert_scan(text, 1);
  text[N - 1] = '1';
  assert_scan(text, 1 + DBL_EPSILON);

  memset(text + 1, '7', N - 1);
  text[0] = '1';
  (void)snprintf(text + N, 64, "e99999999999999999999");
  assert_scan(text, HUGE_VAL);
  memset(text, '1', N);
  text[N / 2] = '.';
  (void)snprintf(text + N, 64, "e-500000");
  assert_scan(text, 1.0 / 9); // 0.111... with N / 2 digits, then as many behind the point
  free(text);
}
END_TEST

// Half way between m 2^e and the next double there are up to 768 digits; a digit more decides.
static void check_half_way(uint64_t m, int e, int digits)
{
  const uint64_t low = bits_of(ldexp((double)m, e)), even = low + (low & 1);
  const long double half = ldexpl(2 * (long double)m + 1, e - 1);
  char text[2048];
  (void)snprintf(text, sizeof text, "%.*Le", digits, half);
  assert_scan(text, from_bits(even));
  char* mark = strchr(text, 'e');
  memmove(mark + 1, mark, strlen(mark) + 1);
  *mark = '1';
  assert_scan(text, from_bits(low + 1));
  // one unit less in the last of all digits
  (void)snprintf(text, sizeof text, "%.*Le", digits, half);
  char* last = strchr(text, 'e') - 1;
  while (*last == '0' || *last == '.') {
    if (*last == '0') *last = '9';
    last--;
  }
  --*last;
  assert_scan(text, from_bits(low));
}

START_TEST(test_scan_half_way)
{
  if (LDBL_MANT_DIG < 64) return; // half of a last bit must fit
  rng r = {.state = 31};
  for (int i = 0; i < SAMPLES / 50; i++) {
    const int e = rng_below(&r, 2045) - 1074;
    const uint64_t m = (rng_next(&r) >> 12 | (uint64_t)1 << 52) - (uint64_t)rng_below(&r, 2);
    check_half_way(m < (uint64_t)1 << 52 ? m + 1 : m, e, 770 + 700 * rng_below(&r, 2));
  }
  for (int i = 0; i < SAMPLES / 100; i++) { // subnormals
    check_half_way(rng_next(&r) >> (12 + rng_below(&r, 52)), -1074, 780);
  }
  check_half_way(0, -1074, 780);
  check_half_way(((uint64_t)1 << 53) - 1, 971, 780); // half way to infinity
}
END_TEST

// A subnormal three quarters of the way to the next: libraries have been wrong about this one.
START_TEST(test_scan_subnormal_quarter)
{
  const double low = 0x0.de8ca4b4fcb3cp-1022;
  const long double x = (long double)low + 0.75L * 0x1p-1074L;
  char text[2048];
  (void)snprintf(text, sizeof text, "%.780Le", x);
  if (LDBL_MANT_DIG >= 64) assert_scan(text, from_bits(bits_of(low) + 1));
}
END_TEST

// ---- printing --------------------------------------------------------------------------------------

START_TEST(test_print_known)
{
  static const struct {
    double x;
    const char* want;
  } known[] = {
    // clang-format off
    {0, "0"}, {-0.0, "-0"}, {1, "1"}, {-3, "-3"}, {10, "10"}, {100, "100"}, {0.1, "0.1"},
    {0.5, "0.5"}, {-1.5, "-1.5"}, {123.456, "123.456"},
    {0.30000000000000004, "0.30000000000000004"}, {3.141592653589793, "3.141592653589793"},
    {0.0001, "0.0001"}, {0.00012345, "0.00012345"}, {0.00001, "1e-05"}, {1.5e-7, "1.5e-07"},
    {1e16, "10000000000000000"}, {1e17, "1e+17"}, {12345678901234568.0, "12345678901234568"},
    {123456789012345680.0, "1.2345678901234568e+17"}, {1e20, "1e+20"}, {1e22, "1e+22"},
    {1e23, "1e+23"}, {9.5e-100, "9.5e-100"}, {1e100, "1e+100"},
    {9007199254740991.0, "9007199254740991"}, {9007199254740993.0, "9007199254740992"},
    {0.99999999999999989, "0.9999999999999999"}, {9.9999999999999982, "9.999999999999998"},
    {DBL_MAX, "1.7976931348623157e+308"}, {-DBL_MAX, "-1.7976931348623157e+308"},
    {DBL_MIN, "2.2250738585072014e-308"}, {0x0.fffffffffffffp-1022, "2.225073858507201e-308"},
    {0x1p-1074, "5e-324"}, {0x3p-1074, "1.5e-323"}, {0x1p-1073, "1e-323"}, {1e-310, "1e-310"},
    {0x1p-44, "5.684341886080802e-14"}, // a power of two: its nearest 16 digits do not read back
    {0x1p-24, "5.960464477539063e-08"}, {1 + DBL_EPSILON, "1.0000000000000002"}, {2.5, "2.5"},
    {1024, "1024"}, {0x1p70, "1.1805916207174113e+21"}, {5e-5, "5e-05"},
    // clang-format on
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    assert_print(known[i].x, known[i].want);
  }
  assert_print(HUGE_VAL, "inf");
  assert_print(-HUGE_VAL, "-inf");
  assert_print(nan(""), "nan");
  assert_print(-nan(""), "nan");
}
END_TEST

static int significant_digits(const char* text)
{
  int count = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
    count++;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return count - zeros;
}

// The fewest digits for which printf reads back; the same text, if it takes all 17.
static void check_print(double x)
{
  char text[LIMB_NUMBER_SPACE], other[64];
  const size_t length = limb_print_number(x, text);
  check_at("%a: '%s'", x, text);
  assert_that(length == strlen(text));
  assert_that(bits_of(strtod(text, NULL)) == bits_of(x));
  assert_scan(text, x);
  const int digits = significant_digits(text);
  // a power of two may do with fewer digits than its nearest decimals
  const int power = (bits_of(x) & (((uint64_t)1 << 52) - 1)) == 0;
  if (digits > 1) {
    (void)snprintf(other, sizeof other, "%.*e", digits - 2, x);
    check_at("%a: '%s', but also '%s'", x, text, other);
    assert_that(strtod(other, NULL) != x);
  }
  if (!power) { // the nearest of so many digits
    (void)snprintf(other, sizeof other, "%.*e", digits - 1, x);
    check_at("%a: '%s', nearer '%s'", x, text, other);
    assert_that(strtod(other, NULL) == x && significant_digits(other) == digits);
    for (const char *p = text + (*text == '-'), *q = other + (*other == '-'); *q && *q != 'e'; q++) {
      if (*q == '.') continue;
      while (*p == '.' || (*p == '0' && q == other + (*other == '-'))) p++;
      assert_that(*p == *q);
      p++;
    }
  }
  if (digits == 17) {
    (void)snprintf(other, sizeof other, "%.17g", x);
    check_at("%a: '%s', %%.17g is '%s'", x, text, other);
    assert_that(strcmp(text, other) == 0);
  }
}

// What printf writes in any form is read to the bits that strtod reads.
static void check_scan(rng* r, double x)
{
  char text[512];
  const char form[] = "gef";
  for (int i = 0; i < 3; i++) {
    const char format[] = {'%', '.', '*', form[i], 0};
    if (form[i] == 'f' && fabs(x) > 1e60) continue;
    (void)snprintf(text, sizeof text, format, rng_below(r, 30), x);
    assert_scan(text, strtod(text, NULL));
  }
}

START_TEST(test_random_bits)
{
  rng r = {.state = 7};
  for (int i = 0; i < SAMPLES; i++) {
    const double x = from_bits(rng_next(&r));
    if (!isfinite(x)) continue;
    check_print(x);
    if (i % 4 == 0) check_scan(&r, x);
  }
}
END_TEST

// Sizes that trajectories have, steps of time, whole numbers, dyadic fractions.
START_TEST(test_random_sizes)
{
  rng r = {.state = 8};
  for (int i = 0; i < SAMPLES; i++) {
    const double x = rng_uniform(&r, -10, 10) * pow(10, rng_below(&r, 24) - 18);
    check_print(x);
    if (i % 4 == 0) check_scan(&r, x);
    if (i % 8 == 0) check_print(i * 0.001);
    if (i % 8 == 1) check_print(rng_below(&r, 1000000000));
    const int exponent = rng_below(&r, 300) - 150;
    if (i % 8 == 2) check_print(ldexp(rng_below(&r, 1 << 20), exponent));
    if (i % 8 == 3) check_print(from_bits(rng_next(&r) >> (12 + rng_below(&r, 51))));
    if (i % 8 == 4) check_print(rng_below(&r, 1000) * pow(10, rng_below(&r, 600) - 300));
  }
  for (int e = -1074; e <= 1023; e++) {
    check_print(ldexp(1, e));
    if (e > -1074) check_print(nextafter(ldexp(1, e), 0));
  }
  for (int e = -323; e <= 308; e++) { // where the decade changes
    char text[16];
    (void)snprintf(text, sizeof text, "1e%d", e);
    const double x = strtod(text, NULL);
    check_print(x);
    check_print(nextafter(x, 0));
    check_print(nextafter(x, HUGE_VAL));
  }
}
END_TEST

// The result must not change with the decimal comma, and errno must stay.
START_TEST(test_decimal_comma)
{
  static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",       "fr_FR.UTF-8", "fr_FR.utf8",
                                      "es_ES.UTF-8", "it_IT.UTF-8", "nl_NL.UTF-8", "pt_BR.UTF-8"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (!setlocale(LC_ALL, names[i]) || strcmp(localeconv()->decimal_point, ",") != 0) continue;
    errno = 0;
    assert_scan("1.5", 1.5);
    double x;
    const char* text = "1,5";
    assert_that(limb_scan_number(text, text + 3, &x) == text + 1);
    assert_print(0.1, "0.1");
    assert_print(1234567.25, "1234567.25");
    assert_that(errno == 0);
    break;
  }
  (void)setlocale(LC_ALL, "C");
}
END_TEST

CHECK_MAIN("number", 1, test_scan_known, test_scan_end, test_scan_prefixes, test_scan_long, test_scan_half_way,
           test_scan_subnormal_quarter, test_print_known, test_random_bits, test_random_sizes, test_decimal_comma)
