// Arithmetic of xacro expressions, as in Python: whole numbers stay whole, quotients round down, texts and lists join.
#include "io/file_text.h"
#include "io/xacro.h"

#include <math.h>
#include <string.h>

// ---- arithmetic -----------------------------------------------------------------------------------

xacro_value limb_xacro_bad_operands(xacro* x, const char* sign, xacro_value a, xacro_value b)
{
  return limb_xacro_fail(x, "'%s' does not take %s and %s", sign, limb_xacro_kind(a), limb_xacro_kind(b));
}

static xacro_value whole_overflow(xacro* x) { return limb_xacro_fail(x, "a whole number is too large"); }

xacro_value limb_xacro_join(xacro* x, xacro_value a, xacro_value b)
{
  xacro_value sum = limb_xacro_new_list(x, a.list->tuple);
  for (int i = 0; !x->failed && i < a.list->count; i++) limb_xacro_append(x, sum, a.list->item[i]);
  for (int i = 0; !x->failed && i < b.list->count; i++) limb_xacro_append(x, sum, b.list->item[i]);
  return sum;
}

static xacro_value join_texts(xacro* x, const char* a, const char* b)
{
  if (!limb_xacro_work(x, (long long)((strlen(a) + strlen(b)) / 64))) return xacro_none();
  const char* text = limb_mempool_join(x->pool, a, b, "");
  return text ? xacro_text(text) : limb_xacro_no_memory(x);
}

// A text or a list, repeated.
static xacro_value repeat(xacro* x, xacro_value v, long long times)
{
  xacro_value all = v.kind == XACRO_TEXT ? xacro_text("") : limb_xacro_new_list(x, v.list->tuple);
  for (long long i = 0; !x->failed && i < times; i++) {
    if (!limb_xacro_work(x, 1)) break;
    all = v.kind == XACRO_TEXT ? join_texts(x, all.text, v.text) : limb_xacro_join(x, all, v);
  }
  return all;
}

xacro_value limb_xacro_add(xacro* x, xacro_value a, xacro_value b)
{
  long long sum = 0;
  if (a.kind == XACRO_TEXT && b.kind == XACRO_TEXT) return join_texts(x, a.text, b.text);
  if (a.kind == XACRO_LIST && b.kind == XACRO_LIST && a.list->tuple == b.list->tuple) return limb_xacro_join(x, a, b);
  if (!xacro_is_number(a) || !xacro_is_number(b)) return limb_xacro_bad_operands(x, "+", a, b);
  if (a.kind == XACRO_FLOAT || b.kind == XACRO_FLOAT) return xacro_float(limb_xacro_number(a) + limb_xacro_number(b));
  return __builtin_add_overflow(a.i, b.i, &sum) ? whole_overflow(x) : xacro_int(sum);
}

xacro_value limb_xacro_subtract(xacro* x, xacro_value a, xacro_value b)
{
  long long difference = 0;
  if (!xacro_is_number(a) || !xacro_is_number(b)) return limb_xacro_bad_operands(x, "-", a, b);
  if (a.kind == XACRO_FLOAT || b.kind == XACRO_FLOAT) return xacro_float(limb_xacro_number(a) - limb_xacro_number(b));
  return __builtin_sub_overflow(a.i, b.i, &difference) ? whole_overflow(x) : xacro_int(difference);
}

xacro_value limb_xacro_multiply(xacro* x, xacro_value a, xacro_value b)
{
  long long product = 0;
  const int a_whole = a.kind == XACRO_INT || a.kind == XACRO_BOOL,
            b_whole = b.kind == XACRO_INT || b.kind == XACRO_BOOL;
  if ((a.kind == XACRO_TEXT || a.kind == XACRO_LIST) && b_whole) return repeat(x, a, b.i);
  if ((b.kind == XACRO_TEXT || b.kind == XACRO_LIST) && a_whole) return repeat(x, b, a.i);
  if (!xacro_is_number(a) || !xacro_is_number(b)) return limb_xacro_bad_operands(x, "*", a, b);
  if (!a_whole || !b_whole) return xacro_float(limb_xacro_number(a) * limb_xacro_number(b));
  return __builtin_mul_overflow(a.i, b.i, &product) ? whole_overflow(x) : xacro_int(product);
}

// Python rounds quotients down, and remainders have the sign of the divisor.
xacro_value limb_xacro_divide(xacro* x, const char* sign, xacro_value a, xacro_value b)
{
  if (!xacro_is_number(a) || !xacro_is_number(b)) return limb_xacro_bad_operands(x, sign, a, b);
  const double p = limb_xacro_number(a), q = limb_xacro_number(b);
  if (q == 0) return limb_xacro_fail(x, "division by zero");
  if (strcmp(sign, "/") == 0) return xacro_float(p / q);
  const int remainder = strcmp(sign, "%") == 0;
  if (a.kind == XACRO_FLOAT || b.kind == XACRO_FLOAT) {
    double r = fmod(p, q);
    if (r != 0 && (r < 0) != (q < 0)) r += q;
    return xacro_float(remainder ? r : floor((p - r) / q + 0.5));
  }
  if (b.i == -1) return remainder ? xacro_int(0) : limb_xacro_subtract(x, xacro_int(0), a);
  long long r = a.i % b.i;
  if (r != 0 && (r < 0) != (b.i < 0)) r += b.i;
  return xacro_int(remainder ? r : (a.i - r) / b.i);
}

xacro_value limb_xacro_power(xacro* x, xacro_value a, xacro_value b)
{
  if (!xacro_is_number(a) || !xacro_is_number(b)) return limb_xacro_bad_operands(x, "**", a, b);
  if (a.kind == XACRO_FLOAT || b.kind == XACRO_FLOAT || b.i < 0)
    return xacro_float(pow(limb_xacro_number(a), limb_xacro_number(b)));
  long long result = 1;
  for (long long i = 0; i < b.i && a.i != 1 && result != 0; i++) {
    if (__builtin_mul_overflow(result, a.i, &result)) return whole_overflow(x);
    if (a.i == -1) return xacro_int(b.i % 2 ? -1 : 1);
  }
  return xacro_int(result);
}

static int contains(xacro* x, xacro_value in, xacro_value v)
{
  if (in.kind == XACRO_TEXT && v.kind == XACRO_TEXT) return strstr(in.text, v.text) != NULL;
  if (in.kind == XACRO_DICT) return limb_xacro_find(in, v) != NULL;
  for (int i = 0; in.kind == XACRO_LIST && i < in.list->count; i++) {
    if (limb_xacro_equal(in.list->item[i], v)) return 1;
  }
  if (in.kind != XACRO_LIST) (void)limb_xacro_bad_operands(x, "in", v, in);
  return 0;
}

// ---- comparison -----------------------------------------------------------------------------------

int limb_xacro_holds(xacro* x, xacro_relation r, xacro_value a, xacro_value b)
{
  switch (r) {
  case EQ: return limb_xacro_equal(a, b);
  case NE: return !limb_xacro_equal(a, b);
  case IS: return a.kind == b.kind && limb_xacro_equal(a, b);
  case IS_NOT: return a.kind != b.kind || !limb_xacro_equal(a, b);
  case IN: return contains(x, b, a);
  case NOT_IN: return !contains(x, b, a);
  case NO_RELATION:
  case LT:
  case LE:
  case GT:
  case GE: break;
  }
  const int order = limb_xacro_compare(x, a, b);
  if (order == 2) return 0;
  return r == LT ? order < 0 : r == LE ? order <= 0 : r == GT ? order > 0 : order >= 0;
}

// ---- entries --------------------------------------------------------------------------------------

// An index that may count from the end; -1 when there is no such entry.
static int entry_of(xacro_value index, int count)
{
  if (index.kind != XACRO_INT && index.kind != XACRO_BOOL) return -1;
  const long long i = index.i < 0 ? index.i + count : index.i;
  return i >= 0 && i < count ? (int)i : -1;
}

xacro_value limb_xacro_entry(xacro* x, xacro_value v, xacro_value index)
{
  if (v.kind == XACRO_DICT) {
    const xacro_value* found = limb_xacro_find(v, index);
    if (found) return *found;
    return limb_xacro_fail(x, "there is no entry %.60s in the dictionary", limb_xacro_repr(x, index));
  }
  const int count = v.kind == XACRO_LIST ? v.list->count : v.kind == XACRO_TEXT ? (int)strlen(v.text) : -1;
  if (count < 0) return limb_xacro_fail(x, "%s has no entries", limb_xacro_kind(v));
  const int i = entry_of(index, count);
  if (i < 0) return limb_xacro_fail(x, "there is no entry %.40s of %d", limb_xacro_repr(x, index), count);
  return v.kind == XACRO_LIST ? v.list->item[i] : limb_xacro_text_n(x, v.text + i, 1);
}

// The bound of a slice: within 0 to count.
static int bound(xacro_value v, int count, int otherwise)
{
  if (v.kind != XACRO_INT) return otherwise;
  const long long i = v.i < 0 ? v.i + count : v.i;
  return i < 0 ? 0 : i > count ? count : (int)i;
}

xacro_value limb_xacro_slice(xacro* x, xacro_value v, xacro_value from, xacro_value to)
{
  const int count = v.kind == XACRO_LIST ? v.list->count : v.kind == XACRO_TEXT ? (int)strlen(v.text) : -1;
  if (count < 0) return limb_xacro_fail(x, "%s has no entries", limb_xacro_kind(v));
  const int begin = bound(from, count, 0), end = bound(to, count, count);
  if (v.kind == XACRO_TEXT) return limb_xacro_text_n(x, v.text + begin, end > begin ? (size_t)(end - begin) : 0);
  xacro_value part = limb_xacro_new_list(x, v.list->tuple);
  for (int i = begin; i < end && !x->failed; i++) limb_xacro_append(x, part, v.list->item[i]);
  return part;
}
