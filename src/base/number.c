// Decimal text to double and back: exact, without the locale, without memory. What both ways need of
// numbers w 10^q is in base/decimal.h; here are the characters, and the choice of the digits.
#include "base/number.h"

#include "base/decimal.h"

#include <string.h>

// ---- text to double -----------------------------------------------------------------------------------------

static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

// Eight digits at once, from the front of [text, end); false when there are fewer. The first byte is the
// low one; pairs of digits are added up to numbers of two digits, those to four, those to eight.
static inline bool eight_digits(const char* text, const char* end, uint64_t* w)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (end - text < 8) return false;
  uint64_t v;
  memcpy(&v, text, sizeof v);
  v ^= 0x3030303030303030;
  if ((v | (v + 0x7676767676767676)) & 0x8080808080808080) return false;
  v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ff;
  v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffff;
  v = (v * 10000 + (v >> 32)) & 0xffffffff;
  *w = 100000000 * *w + v;
  return true;
#else
  (void)text, (void)end, (void)w;
  return false;
#endif
}

// Adds the digits at the front of [text, end) to w, which wraps round when there are too many.
static inline const char* scan_digits(const char* text, const char* end, uint64_t* w)
{
  while (eight_digits(text, end, w)) text += 8;
  for (; text < end && is_digit(*text); text++) *w = 10 * *w + (uint64_t)(*text - '0');
  return text;
}

// The next digit of [*text, end), which may have a point; false at the end.
static bool next_digit(const char** text, const char* end, uint32_t* digit)
{
  if (*text < end && **text == '.') ++*text;
  if (*text == end) return false;
  *digit = (uint32_t)(*(*text)++ - '0');
  return true;
}

// All digits, and none of them zero at the front, times 10^q; w 10^top is the start of them.
static double from_all_digits(const char* text, const char* end, int64_t q, uint64_t w, int top)
{
  big d = {0};
  uint32_t digit;
  int count = 0;
  for (; count < EXACT_DIGITS && next_digit(&text, end, &digit); count++) big_multiply(&d, 10, digit);
  int64_t dropped = 0;
  bool more = false;
  for (; next_digit(&text, end, &digit); dropped++) more |= digit != 0;
  int p = (int)(q + dropped);
  if (more) big_multiply(&d, 10, 1), p--;
  return nearest_exact(&d, p, w, top);
}

// A string of digits, perhaps with a point, too long for a word, times 10^q.
static double from_digits(const char* text, const char* end, int64_t q)
{
  while (text < end && (*text == '0' || *text == '.')) text++;
  const char* p = text;
  uint64_t w = 0;
  uint32_t digit;
  int count = 0;
  for (; count < WORD_DIGITS && next_digit(&p, end, &digit); count++) w = 10 * w + digit;
  if (p == end) return from_decimal(w, q);

  const bool point = memchr(p, '.', (size_t)(end - p)) != NULL;
  q += end - p - point;
  if (q + WORD_DIGITS > MAX_DECADE) return from_decimal(1, MAX_DECADE);
  if (q + WORD_DIGITS < MIN_DECADE) return 0;
  double x, y;
  if (nearest(w, (int)q, &x) && nearest(w + 1, (int)q, &y) && x == y) return x;
  return from_all_digits(text, end, q - (end - p - point), w, (int)q);
}

// The digits behind e or E; text stays where it is when there are none.
static const char* scan_exponent(const char* text, const char* end, int64_t* q)
{
  const char* p = text + 1;
  const bool minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end || !is_digit(*p)) return text;
  const int64_t limit = INT64_MAX / 100;
  int64_t e = 0;
  for (; p < end && is_digit(*p); p++) e = e < limit ? 10 * e + (*p - '0') : limit;
  *q += minus ? -e : e;
  return p;
}

const char* limb_scan_number(const char* text, const char* end, double* x)
{
  const char* p = text;
  const bool minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;

  const char* const first = p;
  uint64_t w = 0;
  p = scan_digits(p, end, &w);
  ptrdiff_t count = p - first;
  int64_t q = 0;
  if (p < end && *p == '.') {
    const char* const point = p++;
    p = scan_digits(p, end, &w);
    const ptrdiff_t shift = point + 1 - p;
    q = shift;
    count -= shift;
  }
  if (count == 0) return NULL;
  const char* const last = p;
  if (p < end && (*p == 'x' || *p == 'X') && p == first + 1 && *first == '0') return NULL;
  if (p < end && (*p == 'e' || *p == 'E')) p = scan_exponent(p, end, &q);

  const double size = count <= WORD_DIGITS ? from_decimal(w, q) : from_digits(first, last, q);
  *x = minus ? -size : size;
  return p;
}

// ---- double to text -----------------------------------------------------------------------------------------

enum { DIGITS = 17 };

static const uint64_t ten_8 = 100000000, ten_16 = 10000000000000000, ten_17 = 100000000000000000;

// A double, X 10^-p, and the 17 digits of X.
typedef struct decimal {
  uint64_t digits; // nearest to X, ties to even; 10^16 <= digits < 10^17
  int beyond;      // sign of X - digits
  int p;
} decimal;

// floor(log10(m 2^e)), or one less. log2(1 + f) is at least f; the slope is log10(2) 2^32, cut off.
static int decade_of(uint64_t m, int e)
{
  const int zeros = leading_zeros(m);
  const int64_t log2_x = (int64_t)(e + 63 - zeros) * 1024 + (int64_t)(m << zeros << 1 >> 54);
  return (int)(log2_x * 1292913986 >> 42);
}

static decimal to_decimal(uint64_t m, int e)
{
  decimal x = {.p = DIGITS - 1 - decade_of(m, e)};
  scaled s = scale(m, x.p);
  int cut = 63 - (s.exponent + e);
  if (s.bits.high >> cut >= ten_17) {
    s = scale(m, --x.p);
    cut = 63 - (s.exponent + e);
  }
  // X = whole + part / 2^64 and a little, if not exact. No tie is lost by that: for p < 0 a double has
  // too few bits for one, and for p > 27 the 17 digits too few fives. Else the digits read back anyway.
  const uint64_t whole = s.bits.high >> cut, half = (uint64_t)1 << 63;
  const uint64_t part = s.bits.high << (64 - cut) | s.bits.low >> cut;
  const bool rest = s.bits.low << (64 - cut) != 0;
  const bool up = part > half || (part == half && (rest || (whole & 1)));
  x.beyond = up ? -1 : part != 0 || rest;
  x.digits = whole + up;
  if (x.digits == ten_17) x.digits = ten_16, x.p--;
  return x;
}

// The digits of x without the last few, which count up to unit: nearest to x, ties to even.
static inline uint64_t shorten(const decimal* x, uint64_t unit)
{
  const uint64_t kept = x->digits / unit, rest = x->digits % unit;
  if (2 * rest != unit) return kept + (2 * rest > unit);
  return kept + (x->beyond > 0 || (x->beyond == 0 && (kept & 1)));
}

// Whether x without its last digits (drop of them, unit is 10^drop) reads back to size: then, with
// zeros instead of them, it becomes the digits of x. above: size is a power of two, with more space
// above than below, where the nearest decimal may be too far and the next one above may not.
static inline bool drop_digits(decimal* x, int drop, uint64_t unit, double size, bool above)
{
  uint64_t d = shorten(x, unit);
  if (from_decimal(d, drop - x->p) != size) {
    if (!above || from_decimal(++d, drop - x->p) != size) return false;
  }
  x->digits = d * unit;
  return true;
}

// Leaves the fewest digits that read back to size, which is m times a power of two.
static void drop_needless_digits(decimal* x, uint64_t m, double size)
{
  if (m >> 52) {
    // A normal double has all of 15 digits, so that fewer need not be tried, and half a unit of its
    // last bit is at most 12 units of the 17th digit.
    const uint64_t last = x->digits % 100;
    const bool above = m == (uint64_t)1 << 52;
    if ((last <= 12 || last >= 88) && drop_digits(x, 2, 100, size, above)) return;
    (void)drop_digits(x, 1, 10, size, above);
  } else {
    uint64_t unit = ten_16;
    for (int drop = DIGITS - 1; drop > 0; drop--, unit /= 10) {
      if (drop_digits(x, drop, unit, size, false)) return;
    }
  }
}

static inline void write_eight(uint32_t value, char* text)
{
  for (int i = 6; i >= 0; i -= 2) {
    const uint32_t pair = value % 100;
    value /= 100;
    text[i] = (char)('0' + pair / 10);
    text[i + 1] = (char)('0' + pair % 10);
  }
}

// 17 digits as text; returns how many there are without the zeros at the end.
static int write_digits(uint64_t digits, char* text)
{
  text[0] = (char)('0' + digits / ten_16);
  const uint32_t high = (uint32_t)(digits % ten_16 / ten_8), low = (uint32_t)(digits % ten_8);
  write_eight(high, text + 1);
  write_eight(low, text + 9);
  int count = low ? DIGITS : 9;
  while (count > 1 && text[count - 1] == '0') count--;
  return count;
}

// digits 10^(decade - 16), as printf's %.17g would, but without zeros at the end.
static char* write_decimal(uint64_t digits, int decade, char* p)
{
  if (decade < 0 && decade >= -4) {
    p[0] = '0', p[1] = '.';
    memset(p + 2, '0', 3);
    p += 1 - decade;
    return p + write_digits(digits, p);
  }
  // leave space for the point, and move what stands in front of it
  const int count = write_digits(digits, p + 1);
  const bool plain = decade >= 0 && decade < DIGITS;
  const int before = plain ? decade + 1 : 1;
  for (int i = 0; i < before; i++) p[i] = p[i + 1];
  p[before] = '.';
  p += count > before ? count + 1 : before;
  if (plain) return p;
  *p++ = 'e';
  *p++ = decade < 0 ? '-' : '+';
  const int size = decade < 0 ? -decade : decade;
  if (size >= 100) *p++ = (char)('0' + size / 100);
  *p++ = (char)('0' + size / 10 % 10);
  *p++ = (char)('0' + size % 10);
  return p;
}

size_t limb_print_number(double x, char text[LIMB_NUMBER_SPACE])
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int exponent = (int)(bits >> 52 & 2047);
  const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
  char* p = text;
  if (bits >> 63 && !(exponent == 2047 && fraction)) *p++ = '-';
  if (exponent == 2047) {
    memcpy(p, fraction ? "nan" : "inf", 3);
    p += 3;
  } else if (exponent == 0 && fraction == 0) {
    *p++ = '0';
  } else {
    const uint64_t m = exponent ? fraction | (uint64_t)1 << 52 : fraction;
    decimal d = to_decimal(m, exponent ? exponent - 1075 : -1074);
    drop_needless_digits(&d, m, x < 0 ? -x : x);
    const bool carry = d.digits == ten_17; // 9.99... became 10
    p = write_decimal(carry ? ten_16 : d.digits, DIGITS - 1 - d.p + carry, p);
  }
  *p = 0;
  return (size_t)(p - text);
}

// ---- units ----------------------------------------------------------------------------------------

#define UNIT_PI 3.14159265358979323846

// clang-format off
// Dimensions: exponents of m, kg, s, rad.
#define ANGLE  {.rad = 1}
#define LENGTH {.m = 1}
#define MASS   {.kg = 1}
#define TIME   {.s = 1}
#define RATE   {.s = -1}
#define FORCE  {1, 1, -2, 0}
#define TORQUE {2, 1, -2, 0}
#define POWER  {2, 1, -3, 0}

static const limb_si_unit units[] = {
  {"rad", 1, ANGLE}, {"deg", UNIT_PI / 180, ANGLE}, {"rev", 2 * UNIT_PI, ANGLE},
  {"rpm", UNIT_PI / 30, {.s = -1, .rad = 1}},
  {"um", 1e-6, LENGTH}, {"mm", 1e-3, LENGTH}, {"cm", 1e-2, LENGTH}, {"m", 1, LENGTH}, {"km", 1e3, LENGTH},
  {"us", 1e-6, TIME}, {"ms", 1e-3, TIME}, {"s", 1, TIME}, {"min", 60, TIME}, {"h", 3600, TIME},
  {"g", 1e-3, MASS}, {"kg", 1, MASS},
  {"mN", 1e-3, FORCE}, {"N", 1, FORCE}, {"kN", 1e3, FORCE},
  {"mNm", 1e-3, TORQUE}, {"Nm", 1, TORQUE}, {"kNm", 1e3, TORQUE},
  {"Hz", 1, RATE}, {"kHz", 1e3, RATE},
  {"mJ", 1e-3, TORQUE}, {"J", 1, TORQUE}, {"kJ", 1e3, TORQUE}, {"mW", 1e-3, POWER}, {"W", 1, POWER}, {"kW", 1e3, POWER},
  {"%", 1e-2, {0}},
};

static const struct {
  limb_dimension of;
  const char* text;
} dimensions[] = {
  {ANGLE, "an angle: rad, deg, rev"},
  {{.s = -1, .rad = 1}, "an angular velocity: rad/s, deg/s, rpm"},
  {{.s = -2, .rad = 1}, "an angular acceleration: rad/s^2, deg/s^2"},
  {LENGTH, "a length: m, cm, mm"},
  {{.m = 1, .s = -1}, "a velocity: m/s, mm/s"},
  {{.m = 1, .s = -2}, "an acceleration: m/s^2, mm/s^2"},
  {MASS, "a mass: kg, g"},
  {TIME, "a time: s, ms, min"},
  {RATE, "a frequency: Hz, kHz"},
  {FORCE, "a force: N, kN"},
  {TORQUE, "a torque: Nm, N*m, mNm"},
  {{2, 1, 0, 0}, "a moment of inertia: kg*m^2, g*cm^2"},
  {{.m = -3, .kg = 1}, "a density: kg/m^3, g/cm^3"},
  {{0}, "a number without unit"},
};
// clang-format on

enum { UNITS = sizeof units / sizeof units[0] };

const char* limb_unit_name(const void* context, int i)
{
  (void)context;
  return i < UNITS ? units[i].name : NULL;
}

const limb_si_unit* limb_find_unit(const char* word, size_t length)
{
  for (int i = 0; i < UNITS; i++) {
    if (strlen(units[i].name) == length && memcmp(units[i].name, word, length) == 0) return &units[i];
  }
  return NULL;
}

void limb_add_dimension(limb_dimension* sum, limb_dimension of, int exponent)
{
  sum->m += exponent * of.m, sum->kg += exponent * of.kg;
  sum->s += exponent * of.s, sum->rad += exponent * of.rad;
}

int limb_same_dimension(limb_dimension a, limb_dimension b)
{
  return a.m == b.m && a.kg == b.kg && a.s == b.s && a.rad == b.rad;
}

const char* limb_dimension_text(limb_dimension of)
{
  for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
    if (limb_same_dimension(dimensions[i].of, of)) return dimensions[i].text;
  }
  return NULL;
}

const char* limb_scan_units(const char* text, const char* end, double* factor, limb_dimension* of)
{
  *factor = 1;
  *of = (limb_dimension){0};
  for (char sign = '*';; sign = *text++) {
    const char* word = text;
    while (text < end && ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '%')) text++;
    const limb_si_unit* u = limb_find_unit(word, (size_t)(text - word));
    if (!u) return NULL;
    int exponent = 1;
    if (end - text >= 2 && *text == '^' && text[1] >= '1' && text[1] <= '9') {
      exponent = text[1] - '0';
      text += 2;
    }
    for (int i = 0; i < exponent; i++) *factor = sign == '*' ? *factor * u->factor : *factor / u->factor;
    limb_add_dimension(of, u->of, sign == '*' ? exponent : -exponent);
    if (text == end || (*text != '*' && *text != '/')) break;
  }
  return text;
}
