// Expressions: from text to a program.
//
//   choice     = or ["?" choice ":" choice]
//   or         = and {"or" and}
//   and        = denial {"and" denial}
//   denial     = "not" denial | comparison
//   comparison = sum [("<" | "<=" | ">" | ">=" | "=" | "==" | "!=") sum]
//   sum        = product {("+" | "-") product}
//   product    = signed {("*" | "/") signed}
//   signed     = ("-" | "+") signed | power
//   power      = primary ["^" signed]
//   primary    = quantity | name | function "(" choice {"," choice} ")" | "(" choice ")"
//   condition  = sum comparison-sign sum
//
// One function per line, each of which reads its part and appends the steps that leave its value on the
// stack; false after an error. Every step needs a character of the text, which bounds the size of the
// program. Recursion is bounded by LIMB_EXPRESSION_DEEPEST.
#include "sim/expression_impl.h"

#include "base/memory.h"
#include "base/status.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- characters and errors -------------------------------------------------------------------------

bool limb_expression_fail(const expression_parser* p, const char* at, const char* format, ...)
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
  while (is_letter(s[n]) || is_digit(s[n]) || (s[n] == '.' && (is_letter(s[n + 1]) || is_digit(s[n + 1])))) {
    n++;
  }
  return n;
}

const char* limb_skip_space(const char* s)
{
  while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r') s++;
  return s;
}

// Skips space, then a sign if it is there.
static bool take(expression_parser* p, char sign)
{
  p->at = limb_skip_space(p->at);
  if (*p->at != sign) return false;
  p->at++;
  return true;
}

// Whether the next word is that one.
static bool next_is(const expression_parser* p, const char* word)
{
  const char* s = limb_skip_space(p->at);
  const size_t n = strlen(word);
  return limb_name_length(s) == n && memcmp(s, word, n) == 0;
}

static bool take_word(expression_parser* p, const char* word)
{
  if (!next_is(p, word)) return false;
  p->at = limb_skip_space(p->at) + strlen(word);
  return true;
}

// What stands where it cannot: after a complete value.
static bool unexpected(expression_parser* p)
{
  const char* s = p->at = limb_skip_space(p->at);
  if (*s == ')') return limb_expression_fail(p, s, "')' without '(' before it");
  if (*s == ',') return limb_expression_fail(p, s, "',' outside of a function's brackets");
  if (*s == '&' || *s == '|') return limb_expression_fail(p, s, "'%c' is not known here; write 'and' and 'or'", *s);
  const size_t n = limb_name_length(s);
  if (n > 0 || is_digit(*s) || *s == '(' || *s == '\'')
    return limb_expression_fail(p, s, "an operator is missing before '%.*s'", n ? (int)(n < 40 ? n : 40) : 1, s);
  if (*s > ' ' && *s <= '~') return limb_expression_fail(p, s, "'%c' cannot stand here", *s);
  return limb_expression_fail(p, s, "a character that cannot stand here (byte %d)", (unsigned char)*s);
}

// ---- steps ---------------------------------------------------------------------------------------------

static bool enter(expression_parser* p)
{
  if (p->nesting++ < LIMB_EXPRESSION_DEEPEST) return true;
  return limb_expression_fail(p, p->at, "too deep: more than %d brackets, signs or powers in each other",
                              LIMB_EXPRESSION_DEEPEST);
}

static bool push(expression_parser* p, int op, int index)
{
  if (p->waiting++ == LIMB_EXPRESSION_DEEPEST)
    return limb_expression_fail(p, p->at, "too deep: more than %d values wait for others", LIMB_EXPRESSION_DEEPEST);
  p->e->step[p->e->nstep++] = (expression_step){(uint8_t)op, 0, (uint16_t)index};
  return true;
}

static bool push_number(expression_parser* p, double x)
{
  p->e->number[p->e->nnumber] = x;
  return push(p, OP_NUMBER, p->e->nnumber++);
}

static bool push_symbol(expression_parser* p, int id)
{
  limb_expression* e = p->e;
  int i = 0;
  while (i < e->nsymbol && e->symbol[i] != id) i++;
  if (i == e->nsymbol) e->symbol[e->nsymbol++] = id;
  return push(p, OP_SYMBOL, i);
}

static bool apply(expression_parser* p, int op, int count)
{
  p->e->step[p->e->nstep++] = (expression_step){(uint8_t)op, (uint8_t)count, 0};
  p->waiting -= count - 1;
  return true;
}

// ---- names and functions -----------------------------------------------------------------------------

static bool choice(expression_parser* p);

static bool wrong_count(const expression_parser* p, const char* at, const expression_function* f, int count)
{
  if (f->most > f->least)
    return limb_expression_fail(p, at, "%s takes %d arguments or more, up to %d, not %d", f->name, f->least, f->most,
                                count);
  return limb_expression_fail(p, at, "%s takes %d argument%s, not %d", f->name, f->least, f->least == 1 ? "" : "s",
                              count);
}

// Behind the opening bracket.
static bool arguments(expression_parser* p, const char* at, const expression_function* f)
{
  int count = 0;
  if (!take(p, ')')) {
    do {
      if (!choice(p)) return false;
      count++;
    } while (take(p, ','));
    if (!take(p, ')')) {
      if (*p->at) return unexpected(p);
      return limb_expression_fail(p, p->at, "the bracket of %s is not closed: ')' is missing", f->name);
    }
  }
  if (count < f->least || count > f->most) return wrong_count(p, at, f, count);
  return apply(p, f->op, count);
}

static bool call(expression_parser* p, const char* at, const char* name)
{
  const expression_function* f = limb_find_function(name);
  return f ? arguments(p, at, f) : limb_no_such_function(p, at, name);
}

// A constant, unless the caller has a name like that: then it must be said which is meant.
static bool constant(expression_parser* p, const char* at, const char* name, double x)
{
  if (limb_find_symbol(p, name) < 0) return push_number(p, x);
  return limb_expression_fail(p, at,
                              "'%s' is a constant and a name: put the name into single quotes, or "
                              "write %s for the constant",
                              name, *name == 'e' ? "exp(1)" : "acos(-1)");
}

static bool word(expression_parser* p)
{
  char name[NAME_SPACE];
  const char* at = p->at;
  const size_t n = limb_name_length(at);
  if (n >= sizeof name) return limb_expression_fail(p, at, "a name of more than %d characters", NAME_SPACE - 1);
  memcpy(name, at, n);
  name[n] = 0;
  p->at += n;
  const bool keyword = limb_is_keyword(name);
  if (!keyword && take(p, '(')) return call(p, at, name);
  if (strcmp(name, "pi") == 0) return constant(p, at, name, EXPRESSION_PI);
  if (strcmp(name, "e") == 0) return constant(p, at, name, 2.71828182845904523536);
  const int id = keyword ? -1 : limb_find_symbol(p, name);
  return id >= 0 ? push_symbol(p, id) : limb_no_such_word(p, at, name);
}

static bool quoted(expression_parser* p)
{
  char name[NAME_SPACE];
  const char* at = p->at++;
  const char* end = strchr(p->at, '\'');
  if (!end) return limb_expression_fail(p, at, "the quote is not closed: ' is missing");
  const size_t n = (size_t)(end - p->at);
  if (n == 0 || n >= sizeof name) return limb_expression_fail(p, at, "a name has 1 to %d characters", NAME_SPACE - 1);
  memcpy(name, p->at, n);
  name[n] = 0;
  p->at = end + 1;
  const int id = limb_find_symbol(p, name);
  return id >= 0 ? push_symbol(p, id) : limb_no_such_symbol(p, at, name);
}

// ---- the grammar ----------------------------------------------------------------------------------------

static bool bracket(expression_parser* p)
{
  const char* at = p->at++;
  if (!choice(p)) return false;
  if (take(p, ')')) return true;
  if (*p->at) return unexpected(p);
  return limb_expression_fail(p, at, "the bracket is not closed: ')' is missing");
}

static bool primary(expression_parser* p)
{
  const char* s = p->at = limb_skip_space(p->at);
  double x;
  if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) return limb_read_quantity(p, &x) && push_number(p, x);
  if (*s == '(') return bracket(p);
  if (*s == '\'') return quoted(p);
  if (is_letter(*s)) return word(p);
  if (!*s) return limb_expression_fail(p, s, "a value is missing at the end");
  if (*s > ' ' && *s <= '~') return limb_expression_fail(p, s, "a value was expected before '%c'", *s);
  return unexpected(p);
}

static bool with_sign(expression_parser* p);

static bool power(expression_parser* p)
{
  if (!primary(p)) return false;
  if (!take(p, '^')) return true;
  if (!enter(p) || !with_sign(p)) return false;
  p->nesting--;
  return apply(p, OP_POWER, 2);
}

static bool with_sign(expression_parser* p)
{
  const bool minus = take(p, '-');
  if (!minus && !take(p, '+')) return power(p);
  if (!enter(p) || !with_sign(p)) return false;
  p->nesting--;
  return minus ? apply(p, OP_NEGATE, 1) : true;
}

static bool product(expression_parser* p)
{
  if (!with_sign(p)) return false;
  for (;;) {
    const bool times = take(p, '*');
    if (!times && !take(p, '/')) return true;
    if (!with_sign(p)) return false;
    (void)apply(p, times ? OP_MULTIPLY : OP_DIVIDE, 2);
  }
}

static bool sum(expression_parser* p)
{
  if (!product(p)) return false;
  for (;;) {
    const bool plus = take(p, '+');
    if (!plus && !take(p, '-')) return true;
    if (!product(p)) return false;
    (void)apply(p, plus ? OP_ADD : OP_SUBTRACT, 2);
  }
}

// The sign of a comparison, longer ones first; its operation, or -1.
static int take_comparison(expression_parser* p)
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

static bool comparison(expression_parser* p)
{
  if (!sum(p)) return false;
  const int op = take_comparison(p);
  if (op < 0) return true;
  if (!sum(p)) return false;
  const char* at = limb_skip_space(p->at);
  if (take_comparison(p) >= 0)
    return limb_expression_fail(p, at, "comparisons cannot be chained: write a < b and b < c");
  return apply(p, op, 2);
}

static bool denial(expression_parser* p)
{
  if (!take_word(p, "not")) return comparison(p);
  if (!enter(p) || !denial(p)) return false;
  p->nesting--;
  return apply(p, OP_NOT, 1);
}

static bool conjunction(expression_parser* p)
{
  if (!denial(p)) return false;
  while (take_word(p, "and")) {
    if (!denial(p)) return false;
    (void)apply(p, OP_AND, 2);
  }
  return true;
}

static bool alternative(expression_parser* p)
{
  if (!conjunction(p)) return false;
  while (take_word(p, "or")) {
    if (!conjunction(p)) return false;
    (void)apply(p, OP_OR, 2);
  }
  return true;
}

static bool choice(expression_parser* p)
{
  if (!enter(p) || !alternative(p)) return false;
  const char* at = p->at;
  if (take(p, '?')) {
    if (!choice(p)) return false;
    if (!take(p, ':'))
      return *p->at ? unexpected(p) : limb_expression_fail(p, limb_skip_space(at), "'?' without ':' behind it");
    if (!choice(p)) return false;
    (void)apply(p, OP_SELECT, 3);
  }
  p->nesting--;
  return true;
}

static bool whole(expression_parser* p)
{
  if (!choice(p)) return false;
  return *limb_skip_space(p->at) ? unexpected(p) : true;
}

static bool not_a_condition(const expression_parser* p, const char* at)
{
  return limb_expression_fail(p, at,
                              "a condition is one comparison by =, < or >, such as "
                              "q.elbow = 90deg, and nothing else");
}

// left - right, and the direction in which that goes through zero.
static bool crossing(expression_parser* p, int* direction)
{
  if (next_is(p, "not")) return not_a_condition(p, limb_skip_space(p->at));
  if (!sum(p)) return false;
  const char* at = limb_skip_space(p->at);
  const bool other = *at == '?' || next_is(p, "and") || next_is(p, "or");
  if (*at && !other && !strchr("<>=!", *at)) return unexpected(p);
  const int op = take_comparison(p);
  if (op < 0 || op == OP_OTHER) return not_a_condition(p, at);
  if (!sum(p)) return false;
  at = limb_skip_space(p->at);
  if (*at == '?' || next_is(p, "and") || next_is(p, "or") || take_comparison(p) >= 0) return not_a_condition(p, at);
  if (*at) return unexpected(p);
  *direction = op == OP_SAME ? 0 : op == OP_ABOVE || op == OP_NOT_LESS ? 1 : -1;
  return apply(p, OP_SUBTRACT, 2);
}

// ---- the calls ------------------------------------------------------------------------------------------

// One block for as many steps, numbers and names as a text of that length can have.
static limb_expression* make_room(const limb_allocator* alloc, size_t length)
{
  const size_t each = sizeof(double) + sizeof(int) + sizeof(expression_step);
  const size_t head = (sizeof(limb_expression) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
  const size_t size = head + (length + 1) * each;
  limb_expression* e = limb_alloc(alloc, size);
  if (!e) return NULL;
  *e = (limb_expression){.alloc = *alloc, .size = size};
  e->number = (double*)(void*)((char*)e + head);
  e->symbol = (int*)(void*)(e->number + length + 1);
  e->step = (expression_step*)(void*)(e->symbol + length + 1);
  return e;
}

// direction NULL: a formula.
static limb_status parse(expression_parser* p, const limb_allocator* alloc, limb_expression** out, int* direction)
{
  const limb_allocator own = alloc ? *alloc : limb_default_allocator();
  if (!own.alloc || !own.free) return limb_fail(p->err, LIMB_E_ARG, p->what, "half an allocator");
  const size_t length = strlen(p->text);
  if (length > LIMB_EXPRESSION_LONGEST) {
    (void)limb_expression_fail(p, p->text, "too long: more than %d characters", LIMB_EXPRESSION_LONGEST);
    return LIMB_E_SYNTAX;
  }
  if (!*limb_skip_space(p->text)) {
    (void)limb_expression_fail(p, p->text, "the %s is empty", p->what);
    return LIMB_E_SYNTAX;
  }
  p->e = make_room(&own, length);
  if (!p->e) return limb_fail(p->err, LIMB_E_NOMEM, p->what, "out of memory");
  if (direction ? !crossing(p, direction) : !whole(p)) {
    limb_expression_destroy(p->e);
    return LIMB_E_SYNTAX;
  }
  assert(p->waiting == 1 && (size_t)p->e->nstep <= length);
  *out = p->e;
  return LIMB_OK;
}

static limb_status start(const char* text, const limb_expression_names* names, const char* what, limb_error* err,
                         expression_parser* p)
{
  *p = (expression_parser){.text = text, .at = text, .err = err, .what = what};
  if (!text) return limb_fail(err, LIMB_E_ARG, what, "there is no text");
  if (names && !names->find) return limb_fail(err, LIMB_E_ARG, what, "names cannot be looked up");
  if (names) p->names = *names;
  return LIMB_OK;
}

limb_status limb_expression_parse(const char* text, const limb_expression_names* names, const limb_allocator* alloc,
                                  limb_expression** out, limb_error* err)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  expression_parser p;
  const limb_status s = start(text, names, "expression", err, &p);
  return s == LIMB_OK ? parse(&p, alloc, out, NULL) : s;
}

limb_status limb_condition_parse(const char* text, const limb_expression_names* names, const limb_allocator* alloc,
                                 limb_expression** out, int* direction, limb_error* err)
{
  if (!out || !direction) return LIMB_E_ARG;
  *out = NULL;
  *direction = 0;
  expression_parser p;
  const limb_status s = start(text, names, "condition", err, &p);
  return s == LIMB_OK ? parse(&p, alloc, out, direction) : s;
}

void limb_expression_destroy(limb_expression* e)
{
  if (e) limb_free(&(limb_allocator){e->alloc.alloc, e->alloc.free, e->alloc.context}, e, e->size);
}
