// Formulas: compiling and evaluating them. The grammar is in formula_parse.c.
#include "control/control_impl.h"

#include "base/memory.h"
#include "base/status.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

// ---- compiling ------------------------------------------------------------------------------------------

// One block, large enough for the steps, numbers and names of any text of that length.
static limb_formula* allocate(const limb_allocator* alloc, size_t length)
{
  const size_t each = sizeof(double) + sizeof(int) + sizeof(formula_step);
  const size_t head = (sizeof(limb_formula) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
  const size_t size = head + (length + 1) * each;
  limb_formula* e = limb_alloc(alloc, size);
  if (!e) return NULL;
  *e = (limb_formula){.alloc = *alloc, .size = size};
  e->number = (double*)(void*)((char*)e + head);
  e->symbol = (int*)(void*)(e->number + length + 1);
  e->step = (formula_step*)(void*)(e->symbol + length + 1);
  return e;
}

// direction NULL: a formula, not a condition.
static limb_status parse(formula_parser* p, const limb_allocator* alloc, limb_formula** out, int* direction)
{
  const limb_allocator own = alloc ? *alloc : limb_default_allocator();
  if (!own.alloc || !own.free) return limb_fail(p->err, LIMB_E_ARG, p->what, "incomplete allocator");
  const size_t length = strlen(p->text);
  if (length > LIMB_FORMULA_MAX_LENGTH) {
    (void)limb_formula_fail(p, p->text, "too long: more than %d characters", LIMB_FORMULA_MAX_LENGTH);
    return LIMB_E_SYNTAX;
  }
  if (!*limb_skip_space(p->text)) {
    (void)limb_formula_fail(p, p->text, "the %s is empty", p->what);
    return LIMB_E_SYNTAX;
  }
  p->e = allocate(&own, length);
  if (!p->e) return limb_fail(p->err, LIMB_E_NOMEM, p->what, "out of memory");
  if (direction ? !limb_parse_condition(p, direction) : !limb_parse_formula(p)) {
    limb_formula_destroy(p->e);
    return LIMB_E_SYNTAX;
  }
  assert(p->height == 1 && (size_t)p->e->nstep <= length);
  *out = p->e;
  return LIMB_OK;
}

static limb_status start(const char* text, const limb_formula_names* names, const char* what, limb_error* err,
                         formula_parser* p)
{
  *p = (formula_parser){.text = text, .at = text, .err = err, .what = what};
  if (!text) return limb_fail(err, LIMB_E_ARG, what, "text is NULL");
  if (names && !names->find) return limb_fail(err, LIMB_E_ARG, what, "names without find");
  if (names) p->names = *names;
  return LIMB_OK;
}

limb_status limb_formula_parse(const char* text, const limb_formula_names* names, const limb_allocator* alloc,
                               limb_formula** out, limb_error* err)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  formula_parser p;
  const limb_status s = start(text, names, "formula", err, &p);
  return s == LIMB_OK ? parse(&p, alloc, out, NULL) : s;
}

// Whether it is a sum of literals, where every unit is that of the value.
static bool is_sum(const limb_formula* f)
{
  for (int i = 0; i < f->nstep; i++) {
    const int op = f->step[i].op;
    if (op != OP_NUMBER && op != OP_NEGATE && op != OP_ADD && op != OP_SUBTRACT) return false;
  }
  return true;
}

limb_status limb_formula_number(const char* text, const char* unit, double* out, limb_error* err)
{
  if (!out) return LIMB_E_ARG;
  limb_dimension of = {0};
  double factor;
  formula_parser p;
  limb_formula* f = NULL;
  limb_status s = start(text, NULL, "formula", err, &p);
  if (s != LIMB_OK) return s;
  if (unit && *unit && limb_scan_units(unit, unit + strlen(unit), &factor, &of) != unit + strlen(unit))
    return limb_fail(err, LIMB_E_ARG, p.what, "unknown unit '%.40s'", unit);
  if (unit) p.expected = &of;
  s = parse(&p, NULL, &f, NULL);
  if (s != LIMB_OK) return s;
  if (p.odd && is_sum(f)) {
    const char* kind = limb_dimension_text(of);
    (void)limb_formula_fail(&p, p.odd, "the unit '%.*s' does not fit; expected is %s%s", p.odd_length, p.odd,
                            kind ? kind : "a value in ", kind ? "" : unit);
    s = LIMB_E_SYNTAX;
  } else {
    *out = limb_formula_value(f, NULL);
  }
  limb_formula_destroy(f);
  return s;
}

limb_status limb_formula_parse_condition(const char* text, const limb_formula_names* names, const limb_allocator* alloc,
                                         limb_formula** out, int* direction, limb_error* err)
{
  if (!out || !direction) return LIMB_E_ARG;
  *out = NULL;
  *direction = 0;
  formula_parser p;
  const limb_status s = start(text, names, "condition", err, &p);
  return s == LIMB_OK ? parse(&p, alloc, out, direction) : s;
}

void limb_formula_destroy(limb_formula* f)
{
  if (!f) return;
  const limb_allocator alloc = f->alloc;
  limb_free(&alloc, f, f->size);
}

// ---- evaluating -----------------------------------------------------------------------------------------

// x - y floor(x / y), exact but for the last sum.
static double modulo(double x, double y)
{
  const double r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static double smallest(int n, const double* a)
{
  double x = a[0];
  for (int i = 1; i < n; i++) x = fmin(x, a[i]);
  return x;
}

static double largest(int n, const double* a)
{
  double x = a[0];
  for (int i = 1; i < n; i++) x = fmax(x, a[i]);
  return x;
}

static double smoothstep(double x, double from, double to)
{
  if (from == to) return x >= to;
  const double s = fmin(fmax((x - from) / (to - from), 0), 1);
  return s * s * (3 - 2 * s);
}

// Whether an argument is NaN. Of a choice only the condition counts: the branch not taken may have no value.
static bool has_nan(int op, int n, const double* a)
{
  for (int i = 0; i < (op == OP_SELECT ? 1 : n); i++) {
    if (isnan(a[i])) return true;
  }
  return false;
}

static double apply(int op, int n, const double* a)
{
  if (has_nan(op, n, a)) return nan("");
  switch (op) {
#define LIMB_X(name, arguments, value) \
  case OP_##name: return (value);
    LIMB_OPERATOR_LIST(LIMB_X)
#undef LIMB_X
#define LIMB_X(name, text, min, max, value) \
  case OP_##name: return (value);
    LIMB_FUNCTION_LIST(LIMB_X)
#undef LIMB_X
  default: return nan("");
  }
}

double limb_formula_value(const limb_formula* e, const double* x)
{
  if (!e) return nan("");
  const int kept = errno; // libm may set it
  double stack[LIMB_FORMULA_MAX_DEPTH];
  stack[0] = 0;
  int top = 0;
  for (int i = 0; i < e->nstep; i++) {
    const formula_step s = e->step[i];
    if (s.op == OP_NUMBER) {
      stack[top++] = e->number[s.index];
    } else if (s.op == OP_SYMBOL) {
      stack[top++] = x ? x[s.index] : nan("");
    } else {
      top -= s.count;
      stack[top] = apply(s.op, s.count, stack + top);
      top++;
    }
  }
  errno = kept;
  return stack[0];
}

int limb_formula_symbol_count(const limb_formula* e) { return e ? e->nsymbol : 0; }

int limb_formula_symbol(const limb_formula* e, int i) { return e && i >= 0 && i < e->nsymbol ? e->symbol[i] : -1; }
