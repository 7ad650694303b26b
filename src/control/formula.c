// Expressions: what a compiled one comes to.
#include "control/formula_impl.h"

#include <errno.h>
#include <math.h>

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

// Of a choice only the condition is looked at: the branch that is not taken may have no value.
static bool spoilt(int op, int n, const double* a)
{
  for (int i = 0; i < (op == OP_SELECT ? 1 : n); i++) {
    if (isnan(a[i])) return true;
  }
  return false;
}

static double apply(int op, int n, const double* a)
{
  if (spoilt(op, n, a)) return nan("");
  switch (op) {
#define LIMB_X(name, arguments, value) \
  case OP_##name: return (value);
    LIMB_OPERATOR_LIST(LIMB_X)
#undef LIMB_X
#define LIMB_X(name, text, least, most, value) \
  case OP_##name: return (value);
    LIMB_FUNCTION_LIST(LIMB_X)
#undef LIMB_X
  default: return nan("");
  }
}

double limb_expression_value(const limb_expression* e, const double* x)
{
  if (!e || (e->nsymbol > 0 && !x)) return nan("");
  const int kept = errno; // libm's functions may set it
  double stack[LIMB_EXPRESSION_DEEPEST];
  stack[0] = 0;
  int top = 0;
  for (int i = 0; i < e->nstep; i++) {
    const expression_step s = e->step[i];
    if (s.op == OP_NUMBER) {
      stack[top++] = e->number[s.index];
    } else if (s.op == OP_SYMBOL) {
      stack[top++] = x[s.index];
    } else {
      top -= s.count;
      stack[top] = apply(s.op, s.count, stack + top);
      top++;
    }
  }
  errno = kept;
  return stack[0];
}

int limb_expression_symbol_count(const limb_expression* e) { return e ? e->nsymbol : 0; }

int limb_expression_symbol(const limb_expression* e, int i)
{
  return e && i >= 0 && i < e->nsymbol ? e->symbol[i] : -1;
}
