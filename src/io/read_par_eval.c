// SYMORO .par files, entries to numbers: + - * / ^ ( ), Pi, some functions, symbols with values, and the variable of a
// joint, in which an expression may be linear. Recursion is limited.
#include "base/number.h"
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/read_par.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 64 }; // nesting of parentheses and of symbols that refer to symbols

// constant + slope * variable
typedef struct linear {
  double constant, slope;
} linear;

typedef struct evaluation {
  par_file* p;
  const char *text, *at, *end;
  file_pos pos;        // of text
  const char* counted; // the last result of pos_at; NULL: none yet
  file_pos counted_pos;
  limb_subject about;   // for messages
  limb_rule missing;    // how a symbol without value is reported
  const char* variable; // the joint variable; NULL: none
  int depth;
  int failed;
} evaluation;

// Line and column of a character of the expression, which may have several lines. Counted from the last result, because
// positions are mostly requested from left to right.
static file_pos pos_at(evaluation* e, const char* at)
{
  if (!e->counted || at < e->counted) {
    e->counted = e->text;
    e->counted_pos = e->pos;
  }
  for (; e->counted < at; e->counted++) {
    e->counted_pos.column++;
    if (*e->counted != '\n') continue;
    e->counted_pos.line++;
    e->counted_pos.column = 1;
  }
  return e->counted_pos;
}

// Reports the first fault of an expression.
static void fail(evaluation* e, limb_rule rule, const char* at, const char* what)
{
  enum { SHOWN = 60 };
  const int length = e->end - e->text > SHOWN ? SHOWN : (int)(e->end - e->text);
  if (!e->failed) limb_report(e->p->findings, rule, pos_at(e, at), e->about, "%s in '%.*s'", what, length, e->text);
  e->failed = 1;
}

static linear sum(evaluation* e);

static void skip(evaluation* e)
{
  while (e->at < e->end && is_blank(*e->at)) e->at++;
}

static int take(evaluation* e, char x)
{
  skip(e);
  if (e->at == e->end || *e->at != x) return 0;
  e->at++;
  return 1;
}

// ---- symbols --------------------------------------------------------------------------------------

static const char* symbol_name(const void* context, int i) { return ((const par_file*)context)->symbol[i].name; }

static int find_symbol(const par_file* p, const char* name) { return limb_names_find(&p->names, name, symbol_name, p); }

static int is_pi(const char* name)
{
  return strcmp(name, "Pi") == 0 || strcmp(name, "pi") == 0 || strcmp(name, "PI") == 0;
}

// The next name, in the pool; NULL when out of memory.
static const char* take_name(evaluation* e)
{
  const char* from = e->at;
  while (e->at < e->end && (is_letter(*e->at) || is_digit(*e->at))) e->at++;
  const char* name = limb_mempool_text(e->p->pool, from, (size_t)(e->at - from));
  if (!name) e->p->no_memory = e->failed = 1;
  return name;
}

static void report_missing(evaluation* e, const char* at, const char* name)
{
  limb_findings* f = e->p->findings;
  const int before = limb_findings_count(f);
  limb_report_once(f, e->missing, pos_at(e, at), (limb_subject){"symbol", name},
                   "it is used in the %s %s, but has no value", e->about.kind, e->about.name);
  if (limb_findings_count(f) > before)
    limb_report_hint(f, "write a number instead, or add a line such as %s = 0.5", name);
}

// Value of a symbol with a line of its own.
static linear symbol_value(evaluation* e, int index, const char* at)
{
  par_symbol* s = &e->p->symbol[index];
  s->used = 1;
  if (s->state == PAR_BUSY) fail(e, RULE_BAD_VALUE, at, "a symbol is defined by itself");
  if (s->state == PAR_FAULTY) e->failed = 1; // reported where it is defined
  if (e->failed || s->state == PAR_KNOWN) return (linear){s->number, 0};
  s->state = PAR_BUSY;
  evaluation own = *e;
  own.text = own.at = s->value.text;
  own.end = s->value.end;
  own.pos = s->value.pos;
  own.counted = NULL;
  own.about = (limb_subject){"symbol", s->name};
  own.missing = RULE_MISSING_KEY;
  own.variable = NULL;
  const linear x = sum(&own);
  if (!own.failed && own.at < own.end) fail(&own, RULE_BAD_NUMBER, own.at, "syntax error");
  s->number = x.constant;
  s->state = own.failed ? PAR_FAULTY : PAR_KNOWN;
  if (own.failed) e->failed = 1;
  return (linear){s->number, 0};
}

// ---- expressions ----------------------------------------------------------------------------------

typedef double math_function(double);

// A function of one argument; NULL when there is none of this name.
static math_function* find_function(const char* name)
{
  static const struct {
    const char* name;
    math_function* function;
  } known[] = {{"sqrt", sqrt}, {"sin", sin},   {"cos", cos},  {"tan", tan},
               {"asin", asin}, {"acos", acos}, {"atan", atan}};
  for (int i = 0; i < COUNT(known); i++) {
    if (strcmp(name, known[i].name) == 0) return known[i].function;
  }
  return NULL;
}

static linear function(evaluation* e, const char* name, const char* at)
{
  const int two = strcmp(name, "atan2") == 0;
  const linear x = sum(e);
  linear y = {0, 0};
  if (two && !take(e, ',')) fail(e, RULE_BAD_NUMBER, e->at, "atan2 needs two arguments");
  if (two && !e->failed) y = sum(e);
  if (!take(e, ')')) fail(e, RULE_BAD_NUMBER, e->at, "')' is missing");
  if (x.slope != 0 || y.slope != 0) fail(e, RULE_BAD_VALUE, at, "a function of the joint variable is not supported");
  math_function* f = two ? NULL : find_function(name);
  if (!two && !f) fail(e, RULE_BAD_NUMBER, at, "this function is not known");
  return (linear){two ? atan2(x.constant, y.constant) : f ? f(x.constant) : 0, 0};
}

static linear name_or_function(evaluation* e)
{
  const char* at = e->at;
  const char* name = take_name(e);
  if (!name) return (linear){0, 0};
  if (take(e, '(')) return function(e, name, at);
  if (is_pi(name)) return (linear){LIMB_PI, 0};
  if (e->variable && strcmp(name, e->variable) == 0) return (linear){0, 1};
  const int symbol = find_symbol(e->p, name);
  if (symbol >= 0) return symbol_value(e, symbol, at);
  report_missing(e, at, name);
  if (e->missing == RULE_MISSING_KEY) e->failed = 1;
  return (linear){0, 0};
}

static linear primary(evaluation* e)
{
  linear x = {0, 0};
  skip(e);
  if (e->failed) return x;
  if (e->at < e->end && is_letter(*e->at)) return name_or_function(e);
  if (take(e, '(')) {
    x = sum(e);
    if (!take(e, ')')) fail(e, RULE_BAD_NUMBER, e->at, "')' is missing");
    return x;
  }
  // signs are operators, so that 1-2 is -1
  const int number = e->at < e->end && (is_digit(*e->at) || *e->at == '.');
  const char* next = number ? limb_scan_number(e->at, e->end, &x.constant) : NULL;
  if (next)
    e->at = next;
  else
    fail(e, RULE_BAD_NUMBER, e->at, "a number is expected");
  return x;
}

static linear power(evaluation* e);

static linear signed_value(evaluation* e)
{
  linear x = {0, 0};
  if (++e->depth > MAX_DEPTH) {
    fail(e, RULE_TOO_DEEP, e->at, "the expression is nested too deeply");
  } else if (take(e, '-')) {
    x = signed_value(e);
    x = (linear){-x.constant, -x.slope};
  } else {
    x = take(e, '+') ? signed_value(e) : power(e);
  }
  e->depth--;
  return x;
}

static linear power(evaluation* e)
{
  const linear x = primary(e);
  const char* at = e->at;
  if (e->failed || !take(e, '^')) return x;
  const linear y = signed_value(e);
  if (x.slope != 0 || y.slope != 0) fail(e, RULE_BAD_VALUE, at, "a power of the joint variable is not supported");
  return (linear){pow(x.constant, y.constant), 0};
}

static linear product(evaluation* e)
{
  linear x = signed_value(e);
  while (!e->failed) {
    const char* at = e->at;
    const int times = take(e, '*'), over = !times && take(e, '/');
    if (!times && !over) break;
    const linear y = signed_value(e);
    if ((y.slope != 0 && (over || x.slope != 0)) || (over && y.constant == 0 && !e->failed)) {
      fail(e, RULE_BAD_VALUE, at, y.slope != 0 ? "the joint variable may only be added" : "a division by zero");
      break;
    }
    x = over ? (linear){x.constant / y.constant, x.slope / y.constant}
             : (linear){x.constant * y.constant, x.constant * y.slope + x.slope * y.constant};
  }
  return x;
}

static linear sum(evaluation* e)
{
  linear x = product(e);
  while (!e->failed) {
    const int plus = take(e, '+'), minus = !plus && take(e, '-');
    if (!plus && !minus) break;
    const linear y = product(e);
    const double s = plus ? 1 : -1;
    x = (linear){x.constant + s * y.constant, x.slope + s * y.slope};
  }
  return x;
}

// ---- entries --------------------------------------------------------------------------------------

static int evaluate(par_file* p, const par_value* v, limb_subject about, limb_rule missing, const char* variable,
                    linear* x)
{
  evaluation e = {.p = p,
                  .text = v->text,
                  .at = v->text,
                  .end = v->end,
                  .pos = v->pos,
                  .about = about,
                  .missing = missing,
                  .variable = variable};
  const linear value = sum(&e);
  skip(&e);
  if (!e.failed && e.at < e.end) fail(&e, RULE_BAD_NUMBER, e.at, "syntax error");
  if (!e.failed && !isfinite(value.constant)) fail(&e, RULE_BAD_NUMBER, v->text, "the value is not finite");
  if (!e.failed) *x = value;
  return !e.failed;
}

int limb_par_number(par_file* p, par_slot at, limb_rule missing, double* x)
{
  linear value = {0, 0};
  const limb_subject about = limb_par_subject(at.key);
  if (!evaluate(p, &p->list[at.key].value[at.index], about, missing, NULL, &value)) return 0;
  *x = value.constant;
  return 1;
}

// The joint whose variable SYMORO calls so: 3 for t3, th3, theta3, r3, q3; 0 for other names.
static int usual_joint(const char* name)
{
  static const char* const stems[] = {"t", "th", "theta", "r", "q", "T", "TH", "R", "Q"};
  for (int i = 0; i < COUNT(stems); i++) {
    const size_t n = strlen(stems[i]);
    if (strncmp(name, stems[i], n) != 0 || !is_digit(name[n]) || name[n] == '0') continue;
    int number = 0;
    const char* s = name + n;
    while (is_digit(*s) && number < 100000000) number = 10 * number + (*s++ - '0');
    if (!*s) return number;
  }
  return 0;
}

// The joint variable in an entry: the usual name, otherwise the first name without a value.
static const char* find_variable(par_file* p, const par_value* v, int joint)
{
  evaluation e = {.p = p, .text = v->text, .at = v->text, .end = v->end};
  const char* found = NULL;
  while (e.at < e.end) {
    if (!is_letter(*e.at)) {
      const char* next = NULL;
      double number;
      if (is_digit(*e.at)) next = limb_scan_number(e.at, e.end, &number);
      e.at = next ? next : e.at + 1;
      continue;
    }
    const char* name = take_name(&e);
    if (!name) return NULL;
    const char* behind = e.at;
    if (take(&e, '(') || is_pi(name) || find_symbol(p, name) >= 0) continue;
    e.at = behind;
    if (usual_joint(name) == joint) return name;
    if (!found) found = name;
  }
  return found;
}

static const char* variable_name(const void* context, int i) { return ((const par_file*)context)->variable[i]; }

// The joint that a name without a number belongs to: the first one. 0 when out of memory.
static int owner_of(par_file* p, const char* name, int joint, int njoint)
{
  if (!p->variable) {
    p->variable = limb_mempool_alloc(p->pool, (size_t)njoint * sizeof *p->variable);
    if (!p->variable || !limb_mempool_new_names(p->pool, &p->variables, njoint)) {
      p->variable = NULL;
      p->no_memory = 1;
      return 0;
    }
  }
  const int first = limb_names_find(&p->variables, name, variable_name, p);
  if (first >= 0) return first + 1;
  p->variable[joint - 1] = name;
  limb_names_put(&p->variables, name, joint - 1);
  return joint;
}

// Whether an unusual variable belongs to this joint: two joints cannot share one.
static int judge_variable(par_file* p, par_slot at, int joint, const char* name)
{
  const par_list* list = &p->list[at.key];
  const file_pos pos = list->value[at.index].pos;
  const limb_subject about = limb_par_subject(at.key);
  const int usual = usual_joint(name);
  const int owner = usual > 0 && usual <= list->count ? usual : owner_of(p, name, joint, list->count);
  if (owner == 0) return 0;
  if (owner == joint) {
    limb_report(p->findings, RULE_ASSUMED, pos, about,
                "entry %d: '%s' has no value, and is assumed to be the variable of joint %d", joint, name, joint);
    return 1;
  }
  limb_report(p->findings, RULE_UNSUPPORTED, pos, about,
              "entry %d contains '%s', the variable of joint %d: coupled joints are not supported", joint, name, owner);
  limb_report_hint(
    p->findings,
    "if joint %d moves independently, call its variable %c%d; limb YAML has joints that follow others (mimic)", joint,
    at.key == PAR_R ? 'r' : 't', joint);
  return 0;
}

int limb_par_variable(par_file* p, par_slot at, int joint, double* constant, int* sign)
{
  const par_value* v = &p->list[at.key].value[at.index];
  const limb_subject about = limb_par_subject(at.key);
  linear x = {0, 0};
  const char* variable = find_variable(p, v, joint);
  if (variable && usual_joint(variable) != joint && !judge_variable(p, at, joint, variable)) return 0;
  if (!evaluate(p, v, about, RULE_MISSING_KEY, variable, &x)) return 0;
  if (x.slope != 0 && fabs(x.slope) != 1) {
    limb_report(p->findings, RULE_BAD_JOINT, v->pos, about, "the joint variable %s has a factor other than 1 or -1",
                variable);
    return 0;
  }
  *constant = x.constant;
  *sign = x.slope > 0 ? 1 : x.slope < 0 ? -1 : 0;
  return 1;
}

static int to_integer(par_file* p, const par_value* v, limb_subject about, int* x)
{
  linear value = {0, 0};
  if (!evaluate(p, v, about, RULE_MISSING_KEY, NULL, &value)) return 0;
  if (value.constant != floor(value.constant) || fabs(value.constant) > 1e8) {
    limb_report(p->findings, RULE_BAD_VALUE, v->pos, about, "a whole number is expected");
    return 0;
  }
  *x = (int)value.constant;
  return 1;
}

int limb_par_integer(par_file* p, par_slot at, int* x)
{
  return to_integer(p, &p->list[at.key].value[at.index], limb_par_subject(at.key), x);
}

static int is_text(const par_value* v, const char* word)
{
  const size_t n = strlen(word);
  return (size_t)(v->end - v->text) == n && memcmp(v->text, word, n) == 0;
}

int limb_par_count(par_file* p, par_scalar which, int* x)
{
  static const char* const names[PAR_SCALARS] = {
#define PAR_X(id, name) name,
    PAR_SCALAR_LIST(PAR_X)
#undef PAR_X
  };
  const par_value* v = &p->scalar[which];
  const int yes = is_text(v, "True") || is_text(v, "true");
  if (yes || is_text(v, "False") || is_text(v, "false")) {
    *x = yes;
    return 1;
  }
  return to_integer(p, v, (limb_subject){"value", names[which]}, x);
}

int limb_par_is_unset(par_file* p, par_slot at)
{
  const par_value* v = &p->list[at.key].value[at.index];
  if (find_variable(p, v, 0)) return 1;
  linear x = {0, 0};
  return !evaluate(p, v, limb_par_subject(at.key), RULE_MISSING_KEY, NULL, &x) || x.constant == 0;
}
