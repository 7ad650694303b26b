#include "ident/base_parameters_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CONSTANTS = 16 }; // symbols of a link: its number times this, plus limb_constant

limb_coefficient limb_coefficient_number(double x)
{
  limb_coefficient r = {.value = x, .count = x != 0};
  r.term[0].number = x;
  return r;
}

limb_coefficient limb_coefficient_constant(int link, limb_constant what, double value)
{
  const double whole = round(value);
  const bool length = what <= LIMB_CONSTANT_B;
  if (fabs(value - whole) < (length ? 1e-12 : 1e-10) && fabs(whole) <= (length ? 0 : 1))
    return limb_coefficient_number(whole);
  limb_coefficient r = {.value = value, .count = 1};
  r.term[0] = (limb_monomial){.number = 1, .count = 1, .symbol = {link * CONSTANTS + (int)what}};
  return r;
}

static bool same_symbols(const limb_monomial* x, const limb_monomial* y)
{
  return x->count == y->count && memcmp(x->symbol, y->symbol, (size_t)x->count * sizeof *x->symbol) == 0;
}

static void drop_term(limb_coefficient* x, int k)
{
  x->count--;
  memmove(&x->term[k], &x->term[k + 1], (size_t)(x->count - k) * sizeof *x->term);
}

// x += t; the value is the caller's.
static void add_term(limb_coefficient* x, const limb_monomial* t)
{
  for (int k = 0; k < x->count; k++) {
    if (!same_symbols(&x->term[k], t)) continue;
    x->term[k].number += t->number;
    if (x->term[k].number == 0) drop_term(x, k);
    return;
  }
  if (x->count < 0) return;
  if (x->count == LIMB_COEFFICIENT_TERMS) {
    x->count = -1;
  } else {
    x->term[x->count++] = *t;
  }
}

limb_coefficient limb_coefficient_sum(const limb_coefficient* x, const limb_coefficient* y)
{
  limb_coefficient r = *x;
  r.value = x->value + y->value;
  if (y->count < 0) r.count = -1;
  for (int k = 0; k < y->count; k++) add_term(&r, &y->term[k]);
  if (r.count == 0) r.value = 0;
  return r;
}

// Product of monomials; false when it has too many factors.
static bool times(const limb_monomial* x, const limb_monomial* y, limb_monomial* out)
{
  if (x->count + y->count > LIMB_COEFFICIENT_FACTORS) return false;
  *out = (limb_monomial){.number = x->number * y->number};
  int i = 0, j = 0;
  while (i < x->count || j < y->count) {
    const bool first = j == y->count || (i < x->count && x->symbol[i] <= y->symbol[j]);
    out->symbol[out->count++] = first ? x->symbol[i++] : y->symbol[j++];
  }
  return true;
}

limb_coefficient limb_coefficient_product(const limb_coefficient* x, const limb_coefficient* y)
{
  limb_coefficient r = {.value = x->value * y->value};
  if (x->count == 0 || y->count == 0) return limb_coefficient_number(0);
  if (x->count < 0 || y->count < 0) r.count = -1;
  for (int i = 0; i < x->count && r.count >= 0; i++) {
    for (int j = 0; j < y->count && r.count >= 0; j++) {
      limb_monomial t;
      if (times(&x->term[i], &y->term[j], &t)) {
        add_term(&r, &t);
      } else {
        r.count = -1;
      }
    }
  }
  return r;
}

// ---- text ---------------------------------------------------------------------------------------------------

typedef struct text {
  char* at;
  size_t capacity;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(text* t, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(t->at, t->capacity, format, list);
  va_end(list);
  const size_t used = n < 0 ? 0 : (size_t)n < t->capacity ? (size_t)n : t->capacity - 1;
  t->at += used, t->capacity -= used;
}

// In at most ten digits, whatever the locale.
static void write_digits(double x, char digits[LIMB_NUMBER_SPACE])
{
  // powers of ten up to 10^22 are exact: the quotient is the double next to the ten digits
  const double decade = x == 0 ? 0 : floor(log10(fabs(x))), unit = pow(10, fabs(9 - decade));
  const double rounded = decade <= 9 ? round(x * unit) / unit : round(x / unit) * unit;
  (void)limb_print_number(isfinite(rounded) ? rounded : x, digits);
}

bool limb_coefficient_factor(double x, char digits[LIMB_NUMBER_SPACE])
{
  write_digits(x, digits);
  return strcmp(digits, "1") != 0;
}

static void put_monomial(text* t, const limb_monomial* x)
{
  static const char* const name[] = {"d", "r", "b", "Sa", "Ca", "Sg", "Cg", "St", "Ct"};
  const double size = fabs(x->number);
  const char* blank = "";
  char digits[LIMB_NUMBER_SPACE];
  if (limb_coefficient_factor(size, digits) || x->count == 0) put(t, "%s", digits), blank = " ";
  for (int i = 0; i < x->count;) {
    int power = 1;
    while (i + power < x->count && x->symbol[i + power] == x->symbol[i]) power++;
    put(t, "%s%s%d", blank, name[x->symbol[i] % CONSTANTS], x->symbol[i] / CONSTANTS + 1);
    if (power > 1) put(t, "^%d", power);
    blank = " ";
    i += power;
  }
}

void limb_coefficient_text(const limb_coefficient* x, bool* negative, char buffer[LIMB_COEFFICIENT_TEXT])
{
  text t = {buffer, LIMB_COEFFICIENT_TEXT};
  const double lead = x->count > 0 ? x->term[0].number : x->value;
  char digits[LIMB_NUMBER_SPACE];
  buffer[0] = '\0';
  *negative = lead < 0;
  if (x->count <= 0 || (x->count == 1 && x->term[0].count == 0)) { // a number
    if (limb_coefficient_factor(fabs(lead), digits)) put(&t, "%s ", digits);
    return;
  }
  if (x->count > 1) put(&t, "(");
  for (int k = 0; k < x->count; k++) {
    const bool minus = (x->term[k].number < 0) != *negative;
    if (k > 0) put(&t, minus ? " - " : " + ");
    put_monomial(&t, &x->term[k]);
  }
  put(&t, x->count > 1 ? ") " : " ");
}
