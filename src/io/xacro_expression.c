// Expressions of xacro: the part of Python's grammar that descriptions of robots use, evaluated while it is parsed.
//
//   expression  = or ["if" or "else" expression]
//   or          = and {"or" and}              and  = not {"and" not}           not = "not" not | comparison
//   comparison  = sum {("<" | "<=" | "==" | ... | ["not"] "in" | "is" ["not"]) sum}
//   sum         = product {("+" | "-") product}
//   product     = unary {("*" | "/" | "//" | "%") unary}
//   unary       = ("+" | "-") unary | power   power = postfix ["**" unary]
//   postfix     = atom {"(" arguments ")" | "[" index or slice "]" | "." name}
//   atom        = number | text {text} | name | "(" ... ")" | "[" list or comprehension "]" | "{" dictionary "}"
//
// What is not chosen (the other branch of a condition, the rest of "a or b") is parsed, but not evaluated: e->skip.
#include "io/file_text.h"
#include "io/xacro.h"

#include <stdio.h>
#include <string.h>

typedef enum token_kind { END, NUMBER, TEXT, NAME, SIGN } token_kind;

typedef struct token {
  token_kind kind;
  const char* begin;
  size_t length;
} token;

typedef struct expression {
  xacro* x;
  xacro_scope* scope;
  const char* next; // after the current token
  token now;
  int skip; // above 0: parse only
} expression;

static xacro_value parse(expression* e);
static xacro_value parse_or(expression* e);

static int on(const expression* e) { return !e->skip && !e->x->failed; }

// ---- words ----------------------------------------------------------------------------------------

static xacro_value fail_at(expression* e, const char* what)
{
  if (!e->x->failed)
    (void)limb_xacro_fail(e->x, "%s at '%s'", what,
                          e->now.kind == END ? "its end" : limb_excerpt(e->now.begin, NULL).text);
  e->now = (token){END, e->next, 0};
  return xacro_none();
}

static size_t text_length(const char* p)
{
  const char quote = *p;
  size_t n = 1;
  while (p[n] && p[n] != quote) n += p[n] == '\\' && p[n + 1] ? 2 : 1;
  return p[n] ? n + 1 : 0;
}

static size_t number_length(const char* p)
{
  size_t n = 0;
  while (is_digit(p[n])) n++;
  if (p[n] == '.')
    for (n++; is_digit(p[n]);) n++;
  if ((p[n] == 'e' || p[n] == 'E') &&
      (is_digit(p[n + 1]) || ((p[n + 1] == '-' || p[n + 1] == '+') && is_digit(p[n + 2]))))
    for (n += 2; is_digit(p[n]);) n++;
  return n;
}

static void advance(expression* e)
{
  static const char* const two[] = {"**", "//", "<=", ">=", "==", "!="};
  const char* p = e->next;
  if (!limb_xacro_work(e->x, 1)) {
    e->now = (token){END, p, 0};
    return;
  }
  while (is_blank(*p)) p++;
  e->now = (token){SIGN, p, 1};
  if (*p == 0) {
    e->now = (token){END, p, 0};
  } else if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
    e->now = (token){NUMBER, p, number_length(p)};
  } else if (*p == '\'' || *p == '"') {
    e->now = (token){TEXT, p, text_length(p)};
    if (e->now.length == 0) {
      (void)fail_at(e, "a quote is not closed");
      return;
    }
  } else if (is_letter(*p)) {
    size_t n = 1;
    while (is_letter(p[n]) || is_digit(p[n])) n++;
    e->now = (token){NAME, p, n};
  } else {
    for (int i = 0; i < COUNT(two); i++) {
      if (strncmp(p, two[i], 2) == 0) e->now.length = 2;
    }
  }
  e->next = e->now.begin + e->now.length;
}

static int is(const expression* e, const char* word)
{
  return (e->now.kind == SIGN || e->now.kind == NAME) && strlen(word) == e->now.length &&
         memcmp(e->now.begin, word, e->now.length) == 0;
}

static int accept(expression* e, const char* word)
{
  if (!is(e, word)) return 0;
  advance(e);
  return 1;
}

static void expect(expression* e, const char* word)
{
  char what[40];
  if (accept(e, word)) return;
  (void)snprintf(what, sizeof what, "expected '%s'", word);
  (void)fail_at(e, what);
}

// ---- comparison -----------------------------------------------------------------------------------

static xacro_relation scan_relation(expression* e)
{
  static const char* const signs[] = {"<", "<=", ">", ">=", "==", "!="};
  for (int i = 0; i < COUNT(signs); i++) {
    if (accept(e, signs[i])) return (xacro_relation)(LT + i);
  }
  if (accept(e, "in")) return IN;
  if (accept(e, "is")) return accept(e, "not") ? IS_NOT : IS;
  if (!is(e, "not")) return NO_RELATION;
  advance(e);
  expect(e, "in");
  return NOT_IN;
}

// ---- atoms ----------------------------------------------------------------------------------------

static xacro_value parse_number(expression* e)
{
  char text[64];
  const size_t n = e->now.length;
  long long i = 0;
  double value = 0;
  if (n >= sizeof text) return fail_at(e, "a number is too long");
  memcpy(text, e->now.begin, n);
  text[n] = 0;
  const int whole = limb_xacro_scan_int(text, &i);
  if (!whole && !limb_xacro_scan_float(text, &value)) return fail_at(e, "this is not a number");
  advance(e);
  return whole ? xacro_int(i) : xacro_float(value);
}

// Texts in quotes; those after each other are one.
static xacro_value parse_text(expression* e)
{
  xacro_value v = xacro_text("");
  while (e->now.kind == TEXT && !e->x->failed) {
    const xacro_value text = limb_xacro_unquote(e->x, e->now.begin + 1, e->now.length - 2);
    v = on(e) ? limb_xacro_add(e->x, v, text) : v;
    advance(e);
  }
  return v;
}

// The word of a NAME token, which is consumed. NULL when it is none, or out of memory.
static const char* take_name(expression* e)
{
  if (e->now.kind != NAME) {
    (void)fail_at(e, "expected a name");
    return NULL;
  }
  const char* name = limb_mempool_text(e->x->pool, e->now.begin, e->now.length);
  if (!name) (void)limb_xacro_no_memory(e->x);
  advance(e);
  return name;
}

static xacro_value name_value(expression* e, const char* name)
{
  xacro_value v = xacro_none();
  if (strcmp(name, "None") == 0) return v;
  if (limb_xacro_lookup(e->x, e->scope, name, &v) || e->x->failed) return v;
  if (limb_xacro_global(name, &v)) return v;
  return limb_xacro_fail(e->x, "'%.60s' is not defined", name);
}

static xacro_value parse_name(expression* e)
{
  static const char python[] = "lambda for while yield await async import def class return del global assert";
  const int formatted = *e->next == '\'' || *e->next == '"'; // as f'...'
  const char* name = take_name(e);
  if (!name) return xacro_none();
  if (limb_has_word(python, name) || formatted) return limb_xacro_fail(e->x, "'%s' of Python is not supported", name);
  return on(e) ? name_value(e, name) : xacro_none();
}

// [item for name in list if condition], from the item on; first: where the item begins. The item and the condition are
// parsed once for each entry of the list.
static xacro_value parse_comprehension(expression* e, expression first)
{
  xacro_value all = limb_xacro_new_list(e->x, 0);
  advance(e);
  const char* name = take_name(e);
  expect(e, "in");
  const xacro_value over = parse_or(e), list = on(e) ? limb_xacro_items(e->x, over) : over;
  const expression condition = *e;
  xacro_scope scope = {.parent = e->scope};
  expression one;
  for (int i = 0; on(e) && i < list.list->count; i++) {
    limb_xacro_define(e->x, &scope, name, list.list->item[i], 0);
    one = condition;
    one.scope = &scope;
    const int keep = accept(&one, "if") ? limb_xacro_truth(parse(&one)) : 1;
    if (!keep) continue;
    one = first;
    one.skip = 0;
    one.scope = &scope;
    const xacro_value item = parse(&one);
    if (on(e)) limb_xacro_append(e->x, all, item);
  }
  if (!accept(e, "if")) return all;
  e->skip++;
  (void)parse(e);
  e->skip--;
  return all;
}

// What is between brackets, up to the closing one: a list, or a tuple.
static xacro_value parse_items(expression* e, const char* close, int tuple)
{
  xacro_value list = limb_xacro_new_list(e->x, tuple);
  while (!is(e, close) && !e->x->failed) {
    const expression first = *e;
    e->skip +=
      !tuple && list.kind == XACRO_LIST && list.list->count == 0; // an item of a comprehension has no value yet
    const int skipped = e->skip > first.skip;
    xacro_value item = parse(e);
    e->skip = first.skip;
    if (skipped && is(e, "for")) return parse_comprehension(e, first);
    if (skipped && !e->skip) {
      *e = first;
      item = parse(e);
    }
    if (on(e)) limb_xacro_append(e->x, list, item);
    if (!accept(e, ",")) break;
  }
  return list;
}

static xacro_value parse_dict(expression* e)
{
  xacro_value dict = limb_xacro_new_dict(e->x);
  while (!is(e, "}") && !e->x->failed) {
    const xacro_value key = parse(e);
    expect(e, ":");
    const xacro_value value = parse(e);
    if (on(e)) limb_xacro_put(e->x, dict, key, value);
    if (!accept(e, ",")) break;
  }
  expect(e, "}");
  return dict;
}

// A tuple, from the comma after its first entry on.
static xacro_value parse_tuple(expression* e, xacro_value first, const char* close)
{
  xacro_value all = limb_xacro_new_list(e->x, 1);
  expect(e, ",");
  const xacro_value rest = parse_items(e, close, 1);
  if (!on(e)) return all;
  limb_xacro_append(e->x, all, first);
  return limb_xacro_join(e->x, all, rest);
}

// A value in brackets, or a tuple.
static xacro_value parse_brackets(expression* e)
{
  xacro_value v = is(e, ")") ? limb_xacro_new_list(e->x, 1) : parse(e);
  if (is(e, ",")) v = parse_tuple(e, v, ")");
  expect(e, ")");
  return v;
}

static xacro_value parse_atom(expression* e)
{
  if (e->now.kind == NUMBER) return parse_number(e);
  if (e->now.kind == TEXT) return parse_text(e);
  if (e->now.kind == NAME) return parse_name(e);
  if (accept(e, "(")) return parse_brackets(e);
  if (accept(e, "{")) return parse_dict(e);
  if (!accept(e, "[")) return fail_at(e, "expected a value");
  const xacro_value list = parse_items(e, "]", 0);
  expect(e, "]");
  return list;
}

// ---- calls, entries, members ----------------------------------------------------------------------

static xacro_value parse_index(expression* e, xacro_value v)
{
  const xacro_value from = is(e, ":") ? xacro_none() : parse(e);
  if (accept(e, "]")) return on(e) ? limb_xacro_entry(e->x, v, from) : v;
  expect(e, ":");
  const xacro_value to = is(e, "]") ? xacro_none() : parse(e);
  expect(e, "]");
  return on(e) ? limb_xacro_slice(e->x, v, from, to) : v;
}

// v.name, or a call of the method v.name.
static xacro_value parse_member(expression* e, xacro_value v)
{
  const char* name = take_name(e);
  const int method = name && v.kind != XACRO_FUNCTION && v.kind != XACRO_NAMESPACE && accept(e, "(");
  const xacro_value arguments = method ? parse_items(e, ")", 1) : xacro_none();
  if (method) expect(e, ")");
  if (!on(e)) return v;
  return method ? limb_xacro_method(e->x, v, name, arguments.list) : limb_xacro_member(e->x, v, name);
}

static xacro_value parse_postfix(expression* e)
{
  xacro_value v = parse_atom(e);
  while (!e->x->failed) {
    if (accept(e, "(")) {
      const xacro_value arguments = parse_items(e, ")", 1);
      expect(e, ")");
      if (!on(e)) continue;
      if (v.kind != XACRO_FUNCTION) return limb_xacro_fail(e->x, "%s cannot be called", limb_xacro_kind(v));
      v = limb_xacro_invoke(e->x, v.text, arguments.list);
    } else if (accept(e, "[")) {
      v = parse_index(e, v);
    } else if (accept(e, ".")) {
      v = parse_member(e, v);
    } else {
      break;
    }
  }
  return v;
}

// ---- operators ------------------------------------------------------------------------------------

static xacro_value parse_unary(expression* e)
{
  const int minus = accept(e, "-");
  if (minus || accept(e, "+")) {
    if (++e->x->depth > XACRO_MAX_DEPTH) return fail_at(e, "the expression is nested too deep");
    const xacro_value v = parse_unary(e);
    e->x->depth--;
    if (!on(e)) return v;
    if (!xacro_is_number(v)) return limb_xacro_bad_operands(e->x, minus ? "-" : "+", v, xacro_int(0));
    return v.kind == XACRO_FLOAT ? xacro_float(minus ? -v.x : v.x)
           : minus               ? limb_xacro_subtract(e->x, xacro_int(0), v)
                                 : v;
  }
  const xacro_value base = parse_postfix(e);
  if (!accept(e, "**")) return base;
  const xacro_value exponent = parse_unary(e);
  return on(e) ? limb_xacro_power(e->x, base, exponent) : base;
}

static xacro_value parse_product(expression* e)
{
  static const char* const signs[] = {"*", "/", "//", "%"};
  xacro_value v = parse_unary(e);
  for (int found = 1; found && !e->x->failed;) {
    found = 0;
    for (int i = 0; i < COUNT(signs) && !found; i++) {
      if (!accept(e, signs[i])) continue;
      found = 1;
      const xacro_value w = parse_unary(e);
      if (!on(e)) continue;
      v = i == 0                           ? limb_xacro_multiply(e->x, v, w)
          : i == 3 && v.kind == XACRO_TEXT ? limb_xacro_format(e->x, v.text, w)
                                           : limb_xacro_divide(e->x, signs[i], v, w);
    }
  }
  return v;
}

static xacro_value parse_sum(expression* e)
{
  xacro_value v = parse_product(e);
  while (!e->x->failed && (is(e, "+") || is(e, "-"))) {
    const int minus = is(e, "-");
    advance(e);
    const xacro_value w = parse_product(e);
    if (on(e)) v = minus ? limb_xacro_subtract(e->x, v, w) : limb_xacro_add(e->x, v, w);
  }
  return v;
}

// a < b < c: every pair must hold.
static xacro_value parse_comparison(expression* e)
{
  xacro_value v = parse_sum(e), result = v;
  int all = 1;
  for (;;) {
    const xacro_relation r = scan_relation(e);
    if (r == NO_RELATION || e->x->failed) return result;
    const xacro_value w = parse_sum(e);
    if (on(e)) all = all && limb_xacro_holds(e->x, r, v, w);
    result = xacro_bool(all);
    v = w;
  }
}

static xacro_value parse_not(expression* e)
{
  if (!accept(e, "not")) return parse_comparison(e);
  if (++e->x->depth > XACRO_MAX_DEPTH) return fail_at(e, "the expression is nested too deep");
  const xacro_value v = parse_not(e);
  e->x->depth--;
  return on(e) ? xacro_bool(!limb_xacro_truth(v)) : v;
}

// a and b, a or b: the first value that decides, false or true, else the last. next: what stands between the words.
static xacro_value parse_choice(expression* e, const char* word, int decisive, xacro_value (*next)(expression*))
{
  xacro_value v = next(e);
  while (!e->x->failed && accept(e, word)) {
    const int decided = on(e) && limb_xacro_truth(v) == decisive;
    e->skip += decided;
    const xacro_value w = next(e);
    if (on(e)) v = w;
    e->skip -= decided;
  }
  return v;
}

static xacro_value parse_and(expression* e) { return parse_choice(e, "and", 0, parse_not); }

static xacro_value parse_or(expression* e) { return parse_choice(e, "or", 1, parse_and); }

// a if condition else b. The condition comes after a: a is parsed, and evaluated only when it is chosen.
static xacro_value parse_condition(expression* e)
{
  const expression first = *e;
  e->skip++;
  (void)parse_or(e);
  e->skip--;
  if (e->x->failed) return xacro_none();
  if (!is(e, "if")) {
    *e = first;
    return parse_or(e);
  }
  advance(e);
  const int chosen = limb_xacro_truth(parse_or(e));
  xacro_value v = xacro_none();
  if (on(e) && chosen) {
    expression again = first;
    v = parse_or(&again);
  }
  expect(e, "else");
  e->skip += chosen;
  const xacro_value other = parse(e);
  e->skip -= chosen;
  return chosen ? v : other;
}

static xacro_value parse(expression* e)
{
  if (++e->x->depth > XACRO_MAX_DEPTH) return fail_at(e, "the expression is nested too deep");
  const xacro_value v = e->skip ? parse_or(e) : parse_condition(e);
  if (e->skip && !e->x->failed && accept(e, "if")) {
    (void)parse_or(e);
    expect(e, "else");
    (void)parse(e);
  }
  e->x->depth--;
  return v;
}

xacro_value limb_xacro_expression(xacro* x, const char* text, xacro_scope* scope)
{
  expression e = {.x = x, .scope = scope, .next = text};
  const char* outer = x->expression; // a property that is used may be an expression of its own
  const int depth = x->depth;
  x->expression = text;
  advance(&e);
  xacro_value v = parse(&e);
  if (is(&e, ",")) v = parse_tuple(&e, v, "");
  if (e.now.kind != END) (void)fail_at(&e, "unexpected text");
  x->depth = depth;
  x->expression = outer;
  return x->failed ? xacro_none() : v;
}
