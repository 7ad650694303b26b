// Formulas: the grammar, from text to a program.
//
//   choice     = or ["?" choice ":" choice]
//   or         = and {"or" and}
//   and        = negation {"and" negation}
//   negation   = "not" negation | comparison
//   comparison = sum [("<" | "<=" | ">" | ">=" | "=" | "==" | "!=") sum]
//   sum        = product {("+" | "-") product}
//   product    = signed {("*" | "/") signed}
//   signed     = ("-" | "+") signed | power
//   power      = primary ["^" signed]
//   primary    = quantity | name | function "(" choice {"," choice} ")" | "(" choice ")"
//   condition  = sum comparison-sign sum
//
// One function per line. Each reads its part and appends the steps that leave its value on the stack; it returns
// false after an error. Every step consumes at least one character, which bounds the size of the program;
// LIMB_FORMULA_MAX_DEPTH bounds the recursion.
#include "control/control_impl.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- characters and errors ------------------------------------------------------------------------------

bool limb_formula_fail(const formula_parser* p, const char* at, const char* format, ...)
{
  if (!p->err) return false;
  char text[sizeof p->err->text];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  (void)limb_fail(p->err, LIMB_E_SYNTAX, p->what, "%s", text);
  p->err->line = 1, p->err->column = 1;
  for (const char* s = p->text; s < at; s++) {
    p->err->column = *s == '\n' ? 1 : p->err->column + 1;
    p->err->line += *s == '\n';
  }
  return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

size_t limb_name_length(const char* s)
{
  if (!is_letter(*s)) return 0;
  size_t n = 1;
  while (is_letter(s[n]) || is_digit(s[n]) || (s[n] == '.' && (is_letter(s[n + 1]) || is_digit(s[n + 1])))) n++;
  return n;
}

const char* limb_skip_space(const char* s)
{
  while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r') s++;
  return s;
}

// Skips space; takes the sign if it comes next.
static bool take(formula_parser* p, char sign)
{
  p->at = limb_skip_space(p->at);
  if (*p->at != sign) return false;
  p->at++;
  return true;
}

// Whether that word comes next.
static bool next_is(const formula_parser* p, const char* word)
{
  const char* s = limb_skip_space(p->at);
  const size_t n = strlen(word);
  return limb_name_length(s) == n && memcmp(s, word, n) == 0;
}

static bool take_word(formula_parser* p, const char* word)
{
  if (!next_is(p, word)) return false;
  p->at = limb_skip_space(p->at) + strlen(word);
  return true;
}

// An error: something that cannot follow a complete value.
static bool unexpected(formula_parser* p)
{
  const char* s = p->at = limb_skip_space(p->at);
  if (*s == ')') return limb_formula_fail(p, s, "unmatched ')'");
  if (*s == ',') return limb_formula_fail(p, s, "',' outside a function call");
  if (*s == '&' || *s == '|') return limb_formula_fail(p, s, "unknown operator '%c'; write 'and' or 'or'", *s);
  const size_t n = limb_name_length(s);
  if (n > 0 || is_digit(*s) || *s == '(' || *s == '\'')
    return limb_formula_fail(p, s, "an operator is missing before '%.*s'", n ? (int)(n < 40 ? n : 40) : 1, s);
  if (*s > ' ' && *s <= '~') return limb_formula_fail(p, s, "unexpected '%c'", *s);
  return limb_formula_fail(p, s, "unexpected character (byte %d)", (unsigned char)*s);
}

// ---- steps ----------------------------------------------------------------------------------------------

static bool enter(formula_parser* p)
{
  if (p->nesting++ < LIMB_FORMULA_MAX_DEPTH) return true;
  return limb_formula_fail(p, p->at, "too deep: more than %d nested brackets, signs or powers", LIMB_FORMULA_MAX_DEPTH);
}

static bool push(formula_parser* p, int op, int index)
{
  if (p->height++ == LIMB_FORMULA_MAX_DEPTH)
    return limb_formula_fail(p, p->at, "too deep: more than %d values on the stack", LIMB_FORMULA_MAX_DEPTH);
  p->e->step[p->e->nstep++] = (formula_step){(uint8_t)op, 0, (uint16_t)index};
  return true;
}

static bool push_number(formula_parser* p, double x)
{
  p->e->number[p->e->nnumber] = x;
  return push(p, OP_NUMBER, p->e->nnumber++);
}

static bool push_symbol(formula_parser* p, int id)
{
  limb_formula* e = p->e;
  int i = 0;
  while (i < e->nsymbol && e->symbol[i] != id) i++;
  if (i == e->nsymbol) e->symbol[e->nsymbol++] = id;
  return push(p, OP_SYMBOL, i);
}

static bool apply(formula_parser* p, int op, int count)
{
  p->e->step[p->e->nstep++] = (formula_step){(uint8_t)op, (uint8_t)count, 0};
  p->height -= count - 1;
  return true;
}

// ---- names and functions --------------------------------------------------------------------------------

static bool choice(formula_parser* p);

static bool wrong_count(const formula_parser* p, const char* at, const formula_function* f, int count)
{
  if (f->max > f->min)
    return limb_formula_fail(p, at, "%s takes %d to %d arguments, not %d", f->name, f->min, f->max, count);
  return limb_formula_fail(p, at, "%s takes %d argument%s, not %d", f->name, f->min, f->min == 1 ? "" : "s", count);
}

// Follows the opening bracket.
static bool arguments(formula_parser* p, const char* at, const formula_function* f)
{
  int count = 0;
  if (!take(p, ')')) {
    do {
      if (!choice(p)) return false;
      count++;
    } while (take(p, ','));
    if (!take(p, ')')) {
      if (*p->at) return unexpected(p);
      return limb_formula_fail(p, p->at, "the bracket of %s is not closed: ')' is missing", f->name);
    }
  }
  if (count < f->min || count > f->max) return wrong_count(p, at, f, count);
  return apply(p, f->op, count);
}

static bool call(formula_parser* p, const char* at, const char* name)
{
  const formula_function* f = limb_find_function(name);
  return f ? arguments(p, at, f) : limb_no_such_function(p, at, name);
}

// A constant, unless the caller has the same name: that is ambiguous.
static bool constant(formula_parser* p, const char* at, const char* name, double x)
{
  if (limb_find_symbol(p, name) < 0) return push_number(p, x);
  return limb_formula_fail(p, at,
                           "'%s' is a constant and a name: put the name in single quotes, or "
                           "write %s for the constant",
                           name, *name == 'e' ? "exp(1)" : "acos(-1)");
}

static bool word(formula_parser* p)
{
  char name[NAME_SIZE];
  const char* at = p->at;
  const size_t n = limb_name_length(at);
  if (n >= sizeof name) return limb_formula_fail(p, at, "a name longer than %d characters", NAME_SIZE - 1);
  memcpy(name, at, n);
  name[n] = 0;
  p->at += n;
  const bool keyword = limb_is_keyword(name);
  if (!keyword && take(p, '(')) return call(p, at, name);
  if (strcmp(name, "pi") == 0) return constant(p, at, name, FORMULA_PI);
  if (strcmp(name, "e") == 0) return constant(p, at, name, 2.71828182845904523536);
  const int id = keyword ? -1 : limb_find_symbol(p, name);
  return id >= 0 ? push_symbol(p, id) : limb_no_such_word(p, at, name);
}

static bool quoted(formula_parser* p)
{
  char name[NAME_SIZE];
  const char* at = p->at++;
  const char* end = strchr(p->at, '\'');
  if (!end) return limb_formula_fail(p, at, "the quote is not closed: ' is missing");
  const size_t n = (size_t)(end - p->at);
  if (n == 0 || n >= sizeof name) return limb_formula_fail(p, at, "a name has 1 to %d characters", NAME_SIZE - 1);
  memcpy(name, p->at, n);
  name[n] = 0;
  p->at = end + 1;
  const int id = limb_find_symbol(p, name);
  return id >= 0 ? push_symbol(p, id) : limb_no_such_symbol(p, at, name);
}

// ---- the grammar ----------------------------------------------------------------------------------------

static bool bracket(formula_parser* p)
{
  const char* at = p->at++;
  if (!choice(p)) return false;
  if (take(p, ')')) return true;
  if (*p->at) return unexpected(p);
  return limb_formula_fail(p, at, "the bracket is not closed: ')' is missing");
}

static bool primary(formula_parser* p)
{
  const char* s = p->at = limb_skip_space(p->at);
  double x;
  if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) return limb_read_quantity(p, &x) && push_number(p, x);
  if (*s == '(') return bracket(p);
  if (*s == '\'') return quoted(p);
  if (is_letter(*s)) return word(p);
  if (!*s) return limb_formula_fail(p, s, "a value is missing at the end");
  if (*s > ' ' && *s <= '~') return limb_formula_fail(p, s, "a value was expected before '%c'", *s);
  return unexpected(p);
}

static bool with_sign(formula_parser* p);

static bool power(formula_parser* p)
{
  if (!primary(p)) return false;
  if (!take(p, '^')) return true;
  if (!enter(p) || !with_sign(p)) return false;
  p->nesting--;
  return apply(p, OP_POWER, 2);
}

static bool with_sign(formula_parser* p)
{
  const bool minus = take(p, '-');
  if (!minus && !take(p, '+')) return power(p);
  if (!enter(p) || !with_sign(p)) return false;
  p->nesting--;
  return minus ? apply(p, OP_NEGATE, 1) : true;
}

// operand {sign operand}, with one of two signs.
static bool chain(formula_parser* p, bool (*operand)(formula_parser*), const char* signs, int first, int second)
{
  if (!operand(p)) return false;
  for (;;) {
    const bool is_first = take(p, signs[0]);
    if (!is_first && !take(p, signs[1])) return true;
    if (!operand(p)) return false;
    (void)apply(p, is_first ? first : second, 2);
  }
}

static bool product(formula_parser* p) { return chain(p, with_sign, "*/", OP_MULTIPLY, OP_DIVIDE); }

static bool sum(formula_parser* p) { return chain(p, product, "+-", OP_ADD, OP_SUBTRACT); }

// The sign of a comparison, longer ones first; its operation, or -1.
static int take_comparison(formula_parser* p)
{
  static const struct {
    const char* text;
    int op;
  } signs[] = {{"<=", OP_NOT_ABOVE}, {">=", OP_NOT_LESS}, {"==", OP_SAME}, {"!=", OP_OTHER},
               {"<", OP_LESS},       {">", OP_ABOVE},     {"=", OP_SAME}};
  const char* s = limb_skip_space(p->at);
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    const size_t n = strlen(signs[i].text);
    if (strncmp(s, signs[i].text, n) != 0) continue;
    p->at = s + n;
    return signs[i].op;
  }
  return -1;
}

static bool comparison(formula_parser* p)
{
  if (!sum(p)) return false;
  const int op = take_comparison(p);
  if (op < 0) return true;
  if (!sum(p)) return false;
  const char* at = limb_skip_space(p->at);
  if (take_comparison(p) >= 0) return limb_formula_fail(p, at, "comparisons cannot be chained; write a < b and b < c");
  return apply(p, op, 2);
}

static bool negation(formula_parser* p)
{
  if (!take_word(p, "not")) return comparison(p);
  if (!enter(p) || !negation(p)) return false;
  p->nesting--;
  return apply(p, OP_NOT, 1);
}

// operand {word operand}
static bool chain_word(formula_parser* p, bool (*operand)(formula_parser*), const char* word, int op)
{
  if (!operand(p)) return false;
  while (take_word(p, word)) {
    if (!operand(p)) return false;
    (void)apply(p, op, 2);
  }
  return true;
}

static bool conjunction(formula_parser* p) { return chain_word(p, negation, "and", OP_AND); }

static bool alternative(formula_parser* p) { return chain_word(p, conjunction, "or", OP_OR); }

static bool choice(formula_parser* p)
{
  if (!enter(p) || !alternative(p)) return false;
  const char* at = p->at;
  if (take(p, '?')) {
    if (!choice(p)) return false;
    if (!take(p, ':')) return *p->at ? unexpected(p) : limb_formula_fail(p, limb_skip_space(at), "'?' without ':'");
    if (!choice(p)) return false;
    (void)apply(p, OP_SELECT, 3);
  }
  p->nesting--;
  return true;
}

bool limb_parse_formula(formula_parser* p)
{
  if (!choice(p)) return false;
  return *limb_skip_space(p->at) ? unexpected(p) : true;
}

static bool not_a_condition(const formula_parser* p, const char* at)
{
  return limb_formula_fail(p, at,
                           "a condition is a single comparison by =, < or >, such as "
                           "q.elbow = 90deg");
}

// left - right, and the direction in which it crosses zero.
bool limb_parse_condition(formula_parser* p, int* direction)
{
  if (next_is(p, "not")) return not_a_condition(p, limb_skip_space(p->at));
  if (!enter(p) || !sum(p)) return false; // as deep as a formula: every condition is one
  const char* at = limb_skip_space(p->at);
  const bool other = *at == '?' || next_is(p, "and") || next_is(p, "or");
  if (*at && !other && !strchr("<>=!", *at)) return unexpected(p);
  const int op = take_comparison(p);
  if (op < 0 || op == OP_OTHER) return not_a_condition(p, at);
  if (!sum(p)) return false;
  at = limb_skip_space(p->at);
  if (*at == '?' || next_is(p, "and") || next_is(p, "or") || take_comparison(p) >= 0) return not_a_condition(p, at);
  if (*at) return unexpected(p);
  p->nesting--;
  *direction = op == OP_SAME ? 0 : op == OP_ABOVE || op == OP_NOT_LESS ? 1 : -1;
  return apply(p, OP_SUBTRACT, 2);
}
