// Expressions: numbers with units.
//
//   quantity = number [unit {("*" | "/") unit}],   unit = word ["^" whole number]
//
// Between the parts of a unit there are no spaces, so that 4 m/s is a speed and 4 m / s a quotient.
#include "sim/expression_impl.h"

#include "base/names.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

typedef struct unit {
  const char* name;
  double factor;
} unit;

static const unit units[] = {
  {"rad", 1},
  {"deg", EXPRESSION_PI / 180},
  {"rev", 2 * EXPRESSION_PI},
  {"rpm", EXPRESSION_PI / 30},
  {"um", 1e-6},
  {"mm", 1e-3},
  {"cm", 1e-2},
  {"m", 1},
  {"km", 1e3},
  {"us", 1e-6},
  {"ms", 1e-3},
  {"s", 1},
  {"min", 60},
  {"h", 3600},
  {"g", 1e-3},
  {"kg", 1},
  {"mN", 1e-3},
  {"N", 1},
  {"kN", 1e3},
  {"mNm", 1e-3},
  {"Nm", 1},
  {"kNm", 1e3},
  {"Hz", 1},
  {"kHz", 1e3},
  {"mJ", 1e-3},
  {"J", 1},
  {"kJ", 1e3},
  {"mW", 1e-3},
  {"W", 1},
  {"kW", 1e3},
  {"%", 1e-2},
};

enum { UNITS = sizeof units / sizeof units[0] };

static const unit* find_unit(const char* word, size_t length)
{
  for (int i = 0; i < UNITS; i++) {
    if (strlen(units[i].name) == length && memcmp(units[i].name, word, length) == 0) return &units[i];
  }
  return NULL;
}

bool limb_is_unit(const char* word, size_t length) { return find_unit(word, length) != NULL; }

static const char* unit_name(const void* context, int i)
{
  (void)context;
  return units[i].name;
}

static size_t unit_length(const char* s) { return *s == '%' ? 1 : limb_name_length(s); }

static bool known(const expression_parser* p, const char* word, size_t length)
{
  char name[NAME_SPACE];
  if (length >= sizeof name || !p->names.find) return false;
  memcpy(name, word, length);
  name[length] = 0;
  return p->names.find(p->names.context, name) >= 0;
}

static bool no_such_unit(const expression_parser* p, const char* word, size_t length)
{
  char name[NAME_SPACE];
  const int shown = length < 40 ? (int)length : 40;
  if (known(p, word, length) || *limb_skip_space(word + length) == '(' || length >= sizeof name)
    return limb_expression_fail(p, word, "'%.*s' is not a unit; an operator is missing before it", shown, word);
  memcpy(name, word, length);
  name[length] = 0;
  const char* near = limb_nearest(name, UNITS, unit_name, NULL);
  if (near) return limb_expression_fail(p, word, "unknown unit '%.*s'; did you mean '%s'?", shown, word, near);
  return limb_expression_fail(p, word, "unknown unit '%.*s'; units are deg, mm, Nm, kg, s and such", shown, word);
}

// The exponent of a unit, if it has one.
static bool read_exponent(expression_parser* p, int* exponent)
{
  *exponent = 1;
  if (*p->at != '^') return true;
  const char* s = p->at + 1;
  const int sign = *s == '-' ? -1 : 1;
  s += *s == '-';
  if (*s < '1' || *s > '9' || (s[1] >= '0' && s[1] <= '9') || s[1] == '.')
    return limb_expression_fail(p, p->at,
                                "the exponent of a unit is a whole number up to 9; put number "
                                "and unit into brackets for a power of both");
  *exponent = sign * (*s - '0');
  p->at = s + 1;
  return true;
}

static bool read_unit(expression_parser* p, const unit* u, size_t length, double* factor)
{
  int exponent;
  p->at += length;
  if (!read_exponent(p, &exponent)) return false;
  *factor = pow(u->factor, exponent);
  return true;
}

// What is multiplied to or divides the unit before, as long as it is a unit and not meant otherwise.
static bool read_more_units(expression_parser* p, double* factor)
{
  while (*p->at == '*' || *p->at == '/') {
    const char* word = p->at + 1;
    const bool divides = *p->at == '/';
    const size_t length = limb_name_length(word);
    const unit* u = find_unit(word, length);
    if (!u || *limb_skip_space(word + length) == '(') return true;
    if (known(p, word, length))
      return limb_expression_fail(p, word,
                                  "'%s' is a unit and a name: put the name into single "
                                  "quotes, or the unit behind a number of its own",
                                  u->name);
    p->at = word;
    double f;
    if (!read_unit(p, u, length, &f)) return false;
    *factor = divides ? *factor / f : *factor * f;
  }
  return true;
}

static bool is_word(const char* word, size_t length, const char* text)
{
  return strlen(text) == length && memcmp(word, text, length) == 0;
}

bool limb_read_quantity(expression_parser* p, double* x)
{
  const char* start = p->at;
  const char* end = limb_scan_number(start, start + strlen(start), x);
  if (!end) return limb_expression_fail(p, start, "a number was expected");
  if (!isfinite(*x)) return limb_expression_fail(p, start, "the number is too large");
  p->at = end;
  const char* word = limb_skip_space(end);
  const size_t length = unit_length(word);
  if (length == 0 || is_word(word, length, "and") || is_word(word, length, "or")) return true;
  const unit* u = find_unit(word, length);
  if (!u || (*word != '%' && *limb_skip_space(word + length) == '(')) return no_such_unit(p, word, length);
  double factor;
  p->at = word;
  if (!read_unit(p, u, length, &factor) || !read_more_units(p, &factor)) return false;
  if (*limb_skip_space(p->at) == '^')
    return limb_expression_fail(p, limb_skip_space(p->at), "put number and unit into brackets for a power of both");
  *x *= factor;
  return isfinite(*x) ? true : limb_expression_fail(p, start, "the number is too large");
}
