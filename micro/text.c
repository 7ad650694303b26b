// snprintf and vsnprintf without a heap, in place of the C library's, which take memory from malloc to print
// numbers. What messages and notes of the library need:
//
//   %s %.9s %c %d %u %ld %zu   with a smallest width: %8d, %-12s
//   %g %.3g                    halves are rounded up; the last of more than 15 digits may be off

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct page {
  char* at;
  size_t size, used; // used: what there would be, had there been room for it
} page;

typedef struct spec {
  bool left;
  int width, precision; // -1: none given
} spec;

static void put(page* p, char c)
{
  if (p->used + 1 < p->size) p->at[p->used] = c;
  p->used++;
}

static void put_field(page* p, const char* text, int length, const spec* s)
{
  const int blanks = s->width - length;
  for (int i = 0; i < blanks && !s->left; i++) put(p, ' ');
  for (int i = 0; i < length; i++) put(p, text[i]);
  for (int i = 0; i < blanks && s->left; i++) put(p, ' ');
}

static void put_text(page* p, const char* text, const spec* s)
{
  int length = 0;
  while ((s->precision < 0 || length < s->precision) && text[length]) length++;
  put_field(p, text, length, s);
}

// Digits of n, the last one at end - 1; returns where the first one is.
static char* digits_before(char* end, uint64_t n)
{
  do {
    *--end = (char)('0' + n % 10);
    n /= 10;
  } while (n);
  return end;
}

static void put_integer(page* p, int64_t n, const spec* s)
{
  char text[24], *end = text + sizeof text;
  char* first = digits_before(end, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
  if (n < 0) *--first = '-';
  put_field(p, first, (int)(end - first), s);
}

// x > 0 as d.ddd 10^exponent with so many digits, as a whole number.
static uint64_t rounded(double x, int digits, int* exponent)
{
  *exponent = (int)floor(log10(x));
  const int shift = digits - 1 - *exponent;
  double n = floor((shift >= 0 ? x * pow(10, shift) : x / pow(10, -shift)) + 0.5);
  if (n >= pow(10, digits)) n /= 10, ++*exponent;
  return (uint64_t)n;
}

// As %g does: without trailing zeros; with an exponent below 1e-4 and from 10^digits on.
static void put_real(page* p, double x, const spec* s)
{
  char text[64], digit[24];
  int length = 0, exponent = 0;
  const int digits = s->precision < 0 ? 6 : s->precision == 0 ? 1 : s->precision;
  if (!isfinite(x) || x == 0 || digits > 17) {
    put_text(p, isnan(x) ? "nan" : x == 0 ? "0" : digits > 17 ? "?" : x > 0 ? "inf" : "-inf", s);
    return;
  }
  uint64_t n = rounded(fabs(x), digits, &exponent);
  while (n && n % 10 == 0) n /= 10;
  char* end = digit + sizeof digit;
  const char* next = digits_before(end, n);
  const bool scaled = exponent < -4 || exponent >= digits;
  int before = scaled ? 1 : exponent + 1; // digits before the point
  if (x < 0) text[length++] = '-';
  if (before <= 0) text[length++] = '0', text[length++] = '.';
  for (; before < 0; before++) text[length++] = '0';
  for (int i = 0; i < before; i++) text[length++] = next < end ? *next++ : '0';
  if (next < end && before > 0) text[length++] = '.';
  while (next < end) text[length++] = *next++;
  if (scaled) {
    const int size = exponent < 0 ? -exponent : exponent;
    text[length++] = 'e', text[length++] = exponent < 0 ? '-' : '+';
    if (size < 10) text[length++] = '0';
    for (next = digits_before(end, (uint64_t)size); next < end;) text[length++] = *next++;
  }
  put_field(p, text, length, s);
}

static const char* number_at(const char* f, int* n)
{
  for (*n = 0; *f >= '0' && *f <= '9'; f++) *n = 10 * *n + (*f - '0');
  return f;
}

// One conversion behind a %; returns the character behind it.
static const char* convert(page* p, const char* f, va_list* args)
{
  spec s = {false, 0, -1};
  int longs = 0;
  if (*f == '-') s.left = true, f++;
  f = number_at(f, &s.width);
  if (*f == '.') f = number_at(f + 1, &s.precision);
  bool of_size = false;
  for (; *f == 'l' || *f == 'z'; f++) longs += *f == 'l', of_size |= *f == 'z';
  switch (*f) {
  case 's': put_text(p, va_arg(*args, const char*), &s); break;
  case 'c': put_field(p, (const char[]){(char)va_arg(*args, int)}, 1, &s); break;
  case 'd':
    put_integer(p, longs > 1 ? va_arg(*args, long long) : longs ? va_arg(*args, long) : va_arg(*args, int), &s);
    break;
  case 'u':
    put_integer(p,
                (int64_t)(of_size     ? va_arg(*args, size_t)
                          : longs > 1 ? va_arg(*args, unsigned long long)
                          : longs     ? va_arg(*args, unsigned long)
                                      : va_arg(*args, unsigned)),
                &s);
    break;
  case 'g': put_real(p, va_arg(*args, double), &s); break;
  case '%': put(p, '%'); break;
  default: put(p, '?'); return f + strlen(f); // who knows what arguments follow: the text ends here
  }
  return *f ? f + 1 : f;
}

int vsnprintf(char* restrict text, size_t size, const char* restrict format, va_list given)
{
  page p = {text, size, 0};
  va_list args;
  va_copy(args, given);
  while (*format) {
    if (*format == '%') {
      format = convert(&p, format + 1, &args);
    } else {
      put(&p, *format++);
    }
  }
  va_end(args);
  if (size) text[p.used < size ? p.used : size - 1] = 0;
  return (int)p.used;
}

int snprintf(char* restrict text, size_t size, const char* restrict format, ...)
{
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(text, size, format, args);
  va_end(args);
  return length;
}
