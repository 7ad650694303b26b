// The numbers w 10^q for base/number.c: to the nearest double, and compared with doubles, exactly.
//
// w 10^q, with w a whole number of at most 64 bits, is computed in 128 bits from a table of powers of
// five, with a known bound of its error (struct scaled). But for exact ties that all but always decides how
// it is rounded. Where it does not, two whole numbers of as many digits as it takes are compared
// (struct big). Nothing is ever rounded twice.
//
// The first step follows D. Lemire, Number parsing at a gigabyte per second, Software: Practice and
// Experience 51 (2021), with a shorter table.
#ifndef LIMB_DECIMAL_H
#define LIMB_DECIMAL_H

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// ---- w 10^q in 128 bits -------------------------------------------------------------------------------------

enum {
  POWER_STEP = 28,    // 5^27 is the last to fit 64 bits
  POWER_FIRST = -13,  // the table of large powers begins with 5^(28 POWER_FIRST)
  POWER_ERROR = 8,    // of struct scaled, in units of its last bit
  MAX_DECADE = 310,   // 10^310 is beyond every double
  MIN_DECADE = -326,  // and 10^-326 rounds to zero
  WORD_DIGITS = 19,   // every whole number of so many digits fits 64 bits
  EXACT_DIGITS = 800, // half way between two doubles are at most 768: what follows says only "more"
};

// 5^0 ... 5^27, shifted to the left as far as it goes.
static const uint64_t small_power[POWER_STEP] = {
  0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000, 0x9c40000000000000,
  0xc350000000000000, 0xf424000000000000, 0x9896800000000000, 0xbebc200000000000, 0xee6b280000000000,
  0x9502f90000000000, 0xba43b74000000000, 0xe8d4a51000000000, 0x9184e72a00000000, 0xb5e620f480000000,
  0xe35fa931a0000000, 0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000, 0x8ac7230489e80000,
  0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400, 0xd3c21bcecceda100,
  0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a,
};

// 5^(28 j) for j = -13 ... 12: the first 128 bits of it, cut off.
static const uint64_t large_power[][2] = {
  {0xe1afa13afbd14d6d, 0x82189c09a3a1ec21}, {0xe3e27a444d8d98b7, 0xfd1b1b2308169b25},
  {0xe61acf033d1a45df, 0x6fb92487298e33bd}, {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68},
  {0xea9c227723ee8bcb, 0x465e15a979c1cadc}, {0xece53cec4a314ebd, 0xa4f8bf5635246428},
  {0xef340a98172aace4, 0x86fb897116c87c34}, {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1},
  {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa}, {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5},
  {0xf8a95fcf88747d94, 0x75a44c6397ce912a}, {0xfb158592be068d2e, 0xeed6e2f0f0d56712},
  {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc}, {0x8000000000000000, 0x0000000000000000},
  {0x813f3978f8940984, 0x4000000000000000}, {0x82818f1281ed449f, 0xbff8f10e7a8921a4},
  {0x83c7088e1aab65db, 0x792667c6da79e0fa}, {0x850fadc09923329e, 0x03e2cf6bc604ddb0},
  {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2}, {0x87aa9aff79042286, 0x90fb44d2f05d0842},
  {0x88fcf317f22241e2, 0x441fece3bdf81f03}, {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f},
  {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e}, {0x8d07e33455637eb2, 0xdb0b487b6423e1e8},
  {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648}, {0x8fcac257558ee4e6, 0x213a4f0aa5e8a7b1},
};

typedef struct wide {
  uint64_t high, low;
} wide;

static inline wide multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 u128;
  const u128 p = (u128)a * b;
  return (wide){(uint64_t)(p >> 64), (uint64_t)p};
#else
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t m = a1 * b0 + (a0 * b0 >> 32), n = a0 * b1 + (m & 0xffffffff);
  return (wide){a1 * b1 + (m >> 32) + (n >> 32), a * b};
#endif
}

// The first 128 bits of a b.
static inline wide multiply_wide(uint64_t a, wide b)
{
  const wide p = multiply(a, b.high), q = multiply(a, b.low);
  const uint64_t low = p.low + q.high;
  return (wide){p.high + (low < p.low), low};
}

static inline wide double_it(wide a) { return (wide){a.high << 1 | a.low >> 63, a.low << 1}; }

static inline int leading_zeros(uint64_t w) { return __builtin_clzll(w); }

// w 10^q as (bits / 2^127) 2^exponent, 2^127 <= bits. The truth is not less, and less than POWER_ERROR
// units of the last bit more; if exact, there is no error.
typedef struct scaled {
  wide bits;
  int exponent;
  bool exact;
} scaled;

static inline scaled scale(uint64_t w, int q)
{
  const int j = (q + POWER_STEP * -POWER_FIRST) / POWER_STEP + POWER_FIRST;
  const int b = q - POWER_STEP * j;
  const bool exact = j == 0;
  wide five = {small_power[b], 0};
  if (!exact) {
    // cut off 5^(28 j), and the product, and perhaps once more when doubled: 3 units at most
    const uint64_t* large = large_power[j - POWER_FIRST];
    five = multiply_wide(small_power[b], (wide){large[0], large[1]});
    if (!(five.high >> 63)) five = double_it(five);
  }
  // 3 units of the power and one for the product, doubled
  const int zeros = leading_zeros(w);
  const int log2_five = q * 152170 >> 16; // floor(log2(5^q)), right for |q| <= 400
  scaled s = {.bits = multiply_wide(w << zeros, five), .exact = exact};
  s.exponent = 63 - zeros + log2_five + q + 1;
  if (!(s.bits.high >> 63)) s.bits = double_it(s.bits), s.exponent--;
  return s;
}

// ---- whole numbers of any size ------------------------------------------------------------------------------

enum { BIG_WORDS = 96 }; // 800 digits times a double, over the power of five that belongs to them

typedef struct big {
  int count; // words in use, the lowest first
  uint32_t word[BIG_WORDS];
} big;

// a := a f + c
static inline void big_multiply(big* a, uint32_t f, uint32_t c)
{
  uint64_t carry = c;
  for (int i = 0; i < a->count; i++) {
    carry += (uint64_t)a->word[i] * f;
    a->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (!carry) return;
  assert(a->count < BIG_WORDS);
  a->word[a->count++] = (uint32_t)carry;
}

static inline big big_make(uint64_t w)
{
  big a = {.count = w >> 32 ? 2 : w > 0};
  a.word[0] = (uint32_t)w;
  a.word[1] = (uint32_t)(w >> 32);
  return a;
}

static inline void big_times_five(big* a, int power)
{
  const uint32_t five_13 = 1220703125;
  for (; power >= 13; power -= 13) big_multiply(a, five_13, 0);
  for (; power > 0; power--) big_multiply(a, 5, 0);
}

static inline void big_shift(big* a, int bits)
{
  if (!a->count) return;
  const int words = bits / 32;
  assert(a->count + words <= BIG_WORDS);
  memmove(a->word + words, a->word, (size_t)a->count * sizeof a->word[0]);
  memset(a->word, 0, (size_t)words * sizeof a->word[0]);
  a->count += words;
  big_multiply(a, (uint32_t)1 << bits % 32, 0);
}

static inline int big_compare(const big* a, const big* b)
{
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (int i = a->count - 1; i >= 0; i--) {
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  }
  return 0;
}

// The sign of d 10^q - m 2^e.
static inline int compare(const big* d, int q, uint64_t m, int e)
{
  big left = *d, right = big_make(m);
  big_times_five(q > 0 ? &left : &right, q > 0 ? q : -q);
  big_shift(q > e ? &left : &right, q > e ? q - e : e - q);
  return big_compare(&left, &right);
}

// ---- decimal to double --------------------------------------------------------------------------------------

// The nearest double of w 10^q; false where its bits do not decide, and for what is hardly a double.
static inline bool nearest(uint64_t w, int q, double* x)
{
#if FLT_EVAL_METHOD == 0
  static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (w <= (uint64_t)1 << 53 && q >= -22 && q <= 22) { // both exact, so that one rounding is left
    *x = q < 0 ? (double)w / ten[-q] : (double)w * ten[q];
    return true;
  }
#endif
  const scaled s = scale(w, q);
  const int exponent = s.exponent > -1022 ? s.exponent : -1022; // subnormals have fewer bits
  const int cut = 11 + exponent - s.exponent;
  if (cut > 63 || exponent > 1023) return false;
  // what is cut off: is it just below half, or at it?
  const uint64_t half = (uint64_t)1 << (cut - 1), rest = s.bits.high & (2 * half - 1);
  if (!s.exact && rest == half - 1 && s.bits.low >= (uint64_t)0 - POWER_ERROR) return false;
  if (!s.exact && rest == half && s.bits.low == 0) return false;
  uint64_t m = s.bits.high >> cut;
  m += rest > half || (rest == half && (s.bits.low != 0 || (m & 1)));
  const uint64_t bits = ((uint64_t)(exponent + 1022) << 52) + m; // m brings its leading 1
  memcpy(x, &bits, sizeof *x);
  return true;
}

// The nearest double of d 10^p, where w 10^q is not above it, and below by a part in 10^18 at most.
static inline double nearest_exact(const big* d, int p, uint64_t w, int q)
{
  const scaled s = scale(w, q);
  uint64_t bits = (uint64_t)2047 << 52;
  if (s.exponent <= 1023) {
    // m 2^e is the double at or under w 10^q; what is sought is that one or the next
    const int e = s.exponent > -1022 ? s.exponent - 52 : -1074, cut = 63 - s.exponent + e;
    uint64_t m = cut < 64 ? s.bits.high >> cut : 0;
    const int side = compare(d, p, 2 * m + 1, e - 1);
    m += side > 0 || (side == 0 && (m & 1));
    bits = ((uint64_t)(e + 1074) << 52) + m;
  }
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The nearest double of w 10^q.
static inline double from_decimal(uint64_t w, int64_t q)
{
  if (w == 0 || q < MIN_DECADE - WORD_DIGITS) return 0;
  const int p = q > MAX_DECADE ? MAX_DECADE : (int)q;
  double x;
  if (nearest(w, p, &x)) return x;
  const big d = big_make(w);
  return nearest_exact(&d, p, w, p);
}

#endif
