// Formulas: the known words (functions, units, names) and what to suggest for unknown ones.
//
//   quantity = number [unit {("*" | "/") unit}],   unit = word ["^" whole number]
//
// No spaces within a unit, so that 4 m/s is a speed and 4 m / s a quotient.
#include "control/control_impl.h"

#include "base/names.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

// ---- functions and names --------------------------------------------------------------------------------

static const formula_function functions[] = {
#define LIMB_X(name, text, min, max, value) {text, OP_##name, min, max},
  LIMB_FUNCTION_LIST(LIMB_X)
#undef LIMB_X
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

const formula_function* limb_find_function(const char* name)
{
  for (int i = 0; i < FUNCTIONS; i++) {
    if (strcmp(functions[i].name, name) == 0) return &functions[i];
  }
  return NULL;
}

int limb_find_symbol(const formula_parser* p, const char* name)
{
  return p->names.find ? p->names.find(p->names.context, name) : -1;
}

bool limb_is_keyword(const char* name)
{
  return strcmp(name, "and") == 0 || strcmp(name, "or") == 0 || strcmp(name, "not") == 0;
}

static const char* function_name(const void* context, int i)
{
  (void)context;
  return functions[i].name;
}

static const char* symbol_name(const void* context, int i)
{
  const limb_formula_names* names = context;
  return names->name(names->context, i);
}

static int symbol_names(const limb_formula_names* names)
{
  enum { ENOUGH = 2000 };
  int n = 0;
  while (names->name && n < ENOUGH && names->name(names->context, n)) n++;
  return n;
}

bool limb_no_such_symbol(const formula_parser* p, const char* at, const char* name)
{
  const char* near = limb_nearest(name, symbol_names(&p->names), symbol_name, &p->names);
  if (near) return limb_formula_fail(p, at, "unknown name '%.80s'; did you mean '%.80s'?", name, near);
  return limb_formula_fail(p, at, "unknown name '%.80s'", name);
}

bool limb_no_such_word(const formula_parser* p, const char* at, const char* name)
{
  if (limb_find_function(name)) return limb_formula_fail(p, at, "'%s' is a function: write %s(...)", name, name);
  if (limb_is_keyword(name))
    return limb_formula_fail(p, at, "a value is missing before '%s', or brackets around it", name);
  if (limb_find_unit(name, strlen(name)))
    return limb_formula_fail(p, at, "unknown name '%s'; a unit needs a number before it", name);
  return limb_no_such_symbol(p, at, name);
}

bool limb_no_such_function(const formula_parser* p, const char* at, const char* name)
{
  const char* near = limb_nearest(name, FUNCTIONS, function_name, NULL);
  if (near) return limb_formula_fail(p, at, "unknown function '%.80s'; did you mean '%s'?", name, near);
  return limb_formula_fail(p, at, "unknown function '%.80s'", name);
}

// ---- quantities -----------------------------------------------------------------------------------------

static size_t unit_length(const char* s) { return *s == '%' ? 1 : limb_name_length(s); }

static bool known(const formula_parser* p, const char* word, size_t length)
{
  char name[NAME_SIZE];
  if (length >= sizeof name || !p->names.find) return false;
  memcpy(name, word, length);
  name[length] = 0;
  return p->names.find(p->names.context, name) >= 0;
}

static bool no_such_unit(const formula_parser* p, const char* word, size_t length)
{
  char name[NAME_SIZE];
  const int shown = length < 40 ? (int)length : 40;
  if (known(p, word, length) || *limb_skip_space(word + length) == '(' || length >= sizeof name)
    return limb_formula_fail(p, word, "'%.*s' is not a unit; an operator is missing before it", shown, word);
  memcpy(name, word, length);
  name[length] = 0;
  int count = 0;
  while (limb_unit_name(NULL, count)) count++;
  const char* near = limb_nearest(name, count, limb_unit_name, NULL);
  if (near) return limb_formula_fail(p, word, "unknown unit '%.*s'; did you mean '%s'?", shown, word, near);
  return limb_formula_fail(p, word, "unknown unit '%.*s'; known are deg, mm, Nm, kg, s and others", shown, word);
}

// The exponent of a unit; 1 without one.
static bool read_exponent(formula_parser* p, int* exponent)
{
  *exponent = 1;
  if (*p->at != '^') return true;
  const char* s = p->at + 1;
  const int sign = *s == '-' ? -1 : 1;
  s += *s == '-';
  if (*s < '1' || *s > '9' || (s[1] >= '0' && s[1] <= '9') || s[1] == '.')
    return limb_formula_fail(p, p->at,
                             "the exponent of a unit is a whole number up to 9; put number "
                             "and unit in brackets for a power of both");
  *exponent = sign * (*s - '0');
  p->at = s + 1;
  return true;
}

static bool read_unit(formula_parser* p, const limb_si_unit* u, size_t length, double* factor, limb_dimension* of)
{
  int exponent;
  p->at += length;
  if (!read_exponent(p, &exponent)) return false;
  limb_add_dimension(of, u->of, exponent);
  *factor = pow(u->factor, exponent);
  return true;
}

// Further units after * or /, as long as they are units and not names or functions.
static bool read_more_units(formula_parser* p, double* factor, limb_dimension* of)
{
  while (*p->at == '*' || *p->at == '/') {
    const char* word = p->at + 1;
    const bool divides = *p->at == '/';
    const size_t length = limb_name_length(word);
    const limb_si_unit* u = limb_find_unit(word, length);
    if (!u || *limb_skip_space(word + length) == '(') return true;
    if (known(p, word, length))
      return limb_formula_fail(p, word,
                               "'%s' is a unit and a name: put the name in single "
                               "quotes, or give the unit a number of its own",
                               u->name);
    p->at = word;
    double f;
    limb_dimension more = {0};
    if (!read_unit(p, u, length, &f, &more)) return false;
    limb_add_dimension(of, more, divides ? -1 : 1);
    *factor = divides ? *factor / f : *factor * f;
  }
  return true;
}

static bool is_word(const char* word, size_t length, const char* text)
{
  return strlen(text) == length && memcmp(word, text, length) == 0;
}

bool limb_read_quantity(formula_parser* p, double* x)
{
  const char* start = p->at;
  const char* end = limb_scan_number(start, start + strlen(start), x);
  if (!end) return limb_formula_fail(p, start, "a number is expected");
  if (!isfinite(*x)) return limb_formula_fail(p, start, "the number is too large");
  p->at = end;
  const char* word = limb_skip_space(end);
  const size_t length = unit_length(word);
  if (length == 0 || is_word(word, length, "and") || is_word(word, length, "or")) return true;
  const limb_si_unit* u = limb_find_unit(word, length);
  if (!u || (*word != '%' && *limb_skip_space(word + length) == '(')) return no_such_unit(p, word, length);
  double factor;
  limb_dimension of = {0};
  p->at = word;
  if (!read_unit(p, u, length, &factor, &of) || !read_more_units(p, &factor, &of)) return false;
  if (p->expected && !p->odd && !limb_same_dimension(of, *p->expected))
    p->odd = word, p->odd_length = (int)(p->at - word);
  if (*limb_skip_space(p->at) == '^')
    return limb_formula_fail(p, limb_skip_space(p->at), "put number and unit in brackets for a power of both");
  *x *= factor;
  return isfinite(*x) ? true : limb_formula_fail(p, start, "the number is too large");
}
