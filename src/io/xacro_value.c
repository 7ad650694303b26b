// Values of xacro expressions: Python's None, bool, int, float, str, list, tuple and dict, and how they print.
#include "base/number.h"
#include "io/file_text.h"
#include "io/reading.h"
#include "io/xacro.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- making them ----------------------------------------------------------------------------------

xacro_value limb_xacro_text_n(xacro* x, const char* text, size_t length)
{
  if (!limb_xacro_work(x, (long long)(length / 64))) return xacro_none();
  const char* copy = limb_mempool_text(x->pool, text, length);
  return copy ? xacro_text(copy) : limb_xacro_no_memory(x);
}

xacro_value limb_xacro_unquote(xacro* x, const char* text, size_t length)
{
  char* copy = limb_mempool_text(x->pool, text, length);
  char* out = copy;
  if (!copy) return limb_xacro_no_memory(x);
  for (const char* p = copy; *p; p++) {
    const int escaped = *p == '\\' && p[1] && strchr("nt\\'\"", p[1]);
    p += escaped;
    *out++ = *p;
    if (escaped && *p == 'n') out[-1] = '\n';
    if (escaped && *p == 't') out[-1] = '\t';
  }
  *out = 0;
  return xacro_text(copy);
}

xacro_value limb_xacro_new_list(xacro* x, int tuple)
{
  xacro_list* list = limb_mempool_alloc(x->pool, sizeof *list);
  if (!list) return limb_xacro_no_memory(x);
  list->tuple = tuple;
  return (xacro_value){.kind = XACRO_LIST, .list = list};
}

xacro_value limb_xacro_new_dict(xacro* x)
{
  xacro_dict* dict = limb_mempool_alloc(x->pool, sizeof *dict);
  return dict ? (xacro_value){.kind = XACRO_DICT, .dict = dict} : limb_xacro_no_memory(x);
}

void limb_xacro_append(xacro* x, xacro_value list, xacro_value item)
{
  if (!limb_xacro_work(x, 1) || list.kind != XACRO_LIST) return;
  xacro_list* l = list.list;
  xacro_value* grown = limb_mempool_grow(x->pool, l->item, &l->capacity, l->count, sizeof *l->item);
  if (!grown) {
    (void)limb_xacro_no_memory(x);
    return;
  }
  l->item = grown;
  l->item[l->count++] = item;
}

static xacro_value* slot(const xacro_dict* d, xacro_value key)
{
  for (int i = 0; i < d->count; i++) {
    if (limb_xacro_equal(d->key[i], key)) return &d->value[i];
  }
  return NULL;
}

const xacro_value* limb_xacro_find(xacro_value dict, xacro_value key) { return slot(dict.dict, key); }

void limb_xacro_put(xacro* x, xacro_value dict, xacro_value key, xacro_value value)
{
  if (dict.kind != XACRO_DICT || !limb_xacro_work(x, 1 + dict.dict->count / 16)) return;
  xacro_dict* d = dict.dict;
  xacro_value* found = slot(d, key);
  if (found) {
    *found = value;
    return;
  }
  xacro_value* keys = limb_mempool_grow(x->pool, d->key, &d->capacity, d->count, sizeof *d->key);
  xacro_value* values = limb_mempool_grow(x->pool, d->value, &d->value_capacity, d->count, sizeof *d->value);
  if (!keys || !values) {
    (void)limb_xacro_no_memory(x);
    return;
  }
  d->key = keys;
  d->value = values;
  d->key[d->count] = key;
  d->value[d->count++] = value;
}

// ---- comparing them -------------------------------------------------------------------------------

double limb_xacro_number(xacro_value v) { return v.kind == XACRO_FLOAT ? v.x : (double)v.i; }

int limb_xacro_truth(xacro_value v)
{
  switch (v.kind) {
  case XACRO_NONE: return 0;
  case XACRO_BOOL:
  case XACRO_INT: return v.i != 0;
  case XACRO_FLOAT: return v.x != 0;
  case XACRO_TEXT: return *v.text != 0;
  case XACRO_LIST: return v.list->count > 0;
  case XACRO_DICT: return v.dict->count > 0;
  case XACRO_BLOCK:
  case XACRO_FUNCTION:
  case XACRO_NAMESPACE: break;
  }
  return 1;
}

static int equal_lists(const xacro_list* a, const xacro_list* b)
{
  int equal = a->count == b->count && a->tuple == b->tuple;
  for (int i = 0; equal && i < a->count; i++) equal = limb_xacro_equal(a->item[i], b->item[i]);
  return equal;
}

static int equal_dicts(xacro_value a, xacro_value b)
{
  int equal = a.dict->count == b.dict->count;
  for (int i = 0; equal && i < a.dict->count; i++) {
    const xacro_value* other = limb_xacro_find(b, a.dict->key[i]);
    equal = other && limb_xacro_equal(a.dict->value[i], *other);
  }
  return equal;
}

int limb_xacro_equal(xacro_value a, xacro_value b)
{
  if (xacro_is_number(a) && xacro_is_number(b))
    return a.kind == XACRO_FLOAT || b.kind == XACRO_FLOAT ? limb_xacro_number(a) == limb_xacro_number(b) : a.i == b.i;
  if (a.kind != b.kind) return 0;
  switch (a.kind) {
  case XACRO_TEXT:
  case XACRO_FUNCTION: return strcmp(a.text, b.text) == 0;
  case XACRO_LIST: return equal_lists(a.list, b.list);
  case XACRO_DICT: return equal_dicts(a, b);
  case XACRO_BLOCK: return a.block == b.block;
  case XACRO_NAMESPACE: return a.scope == b.scope;
  case XACRO_NONE:
  case XACRO_BOOL:
  case XACRO_INT:
  case XACRO_FLOAT: break;
  }
  return 1;
}

static int compare_numbers(xacro_value a, xacro_value b)
{
  if (a.kind != XACRO_FLOAT && b.kind != XACRO_FLOAT) return a.i < b.i ? -1 : a.i > b.i;
  const double p = limb_xacro_number(a), q = limb_xacro_number(b);
  return isnan(p) || isnan(q) ? 2 : p < q ? -1 : p > q;
}

int limb_xacro_compare(xacro* x, xacro_value a, xacro_value b)
{
  if (xacro_is_number(a) && xacro_is_number(b)) return compare_numbers(a, b);
  if (a.kind == XACRO_TEXT && b.kind == XACRO_TEXT) {
    const int order = strcmp(a.text, b.text);
    return order < 0 ? -1 : order > 0;
  }
  if (a.kind == XACRO_LIST && b.kind == XACRO_LIST) {
    for (int i = 0; i < a.list->count && i < b.list->count; i++) {
      if (!limb_xacro_equal(a.list->item[i], b.list->item[i]))
        return limb_xacro_compare(x, a.list->item[i], b.list->item[i]);
    }
    return a.list->count < b.list->count ? -1 : a.list->count > b.list->count;
  }
  (void)limb_xacro_fail(x, "%s and %s have no order", limb_xacro_kind(a), limb_xacro_kind(b));
  return 0;
}

const char* limb_xacro_kind(xacro_value v)
{
  static const char* const words[] = {"None",   "a truth value", "a whole number", "a number",   "a text",
                                      "a list", "a dictionary",  "a block",        "a function", "a namespace"};
  return v.kind == XACRO_LIST && v.list->tuple ? "a tuple" : words[v.kind];
}

// ---- printing them --------------------------------------------------------------------------------

// The fewest digits that read back; as 1.0, 0.0001, 1e-05, 1e+16.
static const char* print_float(xacro* x, double value)
{
  char text[LIMB_NUMBER_SPACE], out[64];
  (void)limb_print_number(value, text);
  char digits[LIMB_NUMBER_SPACE] = "";
  int count = 0, point = 0, seen = 0, exponent = 0, leading = 1;
  const char* p = text + (*text == '-');
  if (!is_digit(*p)) return limb_mempool_text(x->pool, text, strlen(text)); // inf, nan
  for (; is_digit(*p) || *p == '.'; p++) {
    if (*p == '.') {
      seen = 1;
      continue;
    }
    if (leading && *p == '0') {
      point -= seen;
      continue;
    }
    leading = 0;
    digits[count++] = *p;
    point += !seen;
  }
  if (*p == 'e') exponent = (int)strtol(p + 1, NULL, 10);
  while (count > 1 && digits[count - 1] == '0') count--;
  digits[count] = 0;
  point += exponent; // value = 0.digits 10^point
  const char* sign = signbit(value) ? "-" : "";
  if (count == 0)
    (void)snprintf(out, sizeof out, "%s0.0", sign);
  else if (point - 1 < -4 || point - 1 >= 16)
    (void)snprintf(out, sizeof out, "%s%c%s%se%c%02d", sign, digits[0], count > 1 ? "." : "", digits + 1,
                   point > 0 ? '+' : '-', abs(point - 1));
  else if (point <= 0)
    (void)snprintf(out, sizeof out, "%s0.%.*s%s", sign, -point, "0000", digits);
  else if (point >= count)
    (void)snprintf(out, sizeof out, "%s%s%.*s.0", sign, digits, point - count, "0000000000000000");
  else
    (void)snprintf(out, sizeof out, "%s%.*s.%s", sign, point, digits, digits + point);
  return limb_mempool_text(x->pool, out, strlen(out));
}

// In quotes, as Python chooses them.
static const char* quote(xacro* x, const char* text)
{
  const char q = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
  char* out = limb_mempool_alloc(x->pool, 2 * strlen(text) + 3);
  char* p = out;
  if (!out) return NULL;
  *p++ = q;
  for (; *text; text++) {
    if (*text == q || *text == '\\' || *text == '\n') *p++ = '\\';
    *p++ = (char)(*text == '\n' ? 'n' : *text);
  }
  *p = q;
  return out;
}

// Parts of a list in brackets, joined; depth is bounded by that of expressions.
static const char* print_list(xacro* x, const xacro_list* l)
{
  const char *text = l->tuple ? "(" : "[", *close = l->tuple ? (l->count == 1 ? ",)" : ")") : "]";
  for (int i = 0; text && i < l->count; i++) {
    const char* item = limb_xacro_repr(x, l->item[i]);
    if (!limb_xacro_work(x, 1 + (long long)(strlen(text) / 64))) return "";
    text = limb_mempool_join(x->pool, text, i ? ", " : "", item);
  }
  return text ? limb_mempool_join(x->pool, text, close, "") : NULL;
}

static const char* print_dict(xacro* x, const xacro_dict* d)
{
  const char* text = "{";
  for (int i = 0; text && i < d->count; i++) {
    const char *key = limb_xacro_repr(x, d->key[i]), *value = limb_xacro_repr(x, d->value[i]);
    if (!limb_xacro_work(x, 1 + (long long)(strlen(text) / 64))) return "";
    text = limb_mempool_join(x->pool, text, i ? ", " : "", key);
    if (text) text = limb_mempool_join(x->pool, text, ": ", value);
  }
  return text ? limb_mempool_join(x->pool, text, "}", "") : NULL;
}

static const char* print(xacro* x, xacro_value v)
{
  char number[32];
  switch (v.kind) {
  case XACRO_NONE: return "None";
  case XACRO_BOOL: return v.i ? "True" : "False";
  case XACRO_INT:
    (void)snprintf(number, sizeof number, "%lld", v.i);
    return limb_mempool_text(x->pool, number, strlen(number));
  case XACRO_FLOAT: return print_float(x, v.x);
  case XACRO_TEXT: return quote(x, v.text);
  case XACRO_LIST: return print_list(x, v.list);
  case XACRO_DICT: return print_dict(x, v.dict);
  case XACRO_BLOCK:
  case XACRO_FUNCTION:
  case XACRO_NAMESPACE: break;
  }
  (void)limb_xacro_fail(x, "%s cannot be written as a text", limb_xacro_kind(v));
  return "";
}

const char* limb_xacro_repr(xacro* x, xacro_value v)
{
  if (x->depth >= XACRO_MAX_DEPTH) (void)limb_xacro_fail(x, "a value is nested too deep");
  if (x->failed) return "";
  x->depth++;
  const char* text = print(x, v);
  x->depth--;
  if (!text) (void)limb_xacro_no_memory(x);
  return text ? text : "";
}

const char* limb_xacro_str(xacro* x, xacro_value v) { return v.kind == XACRO_TEXT ? v.text : limb_xacro_repr(x, v); }

// ---- reading them ---------------------------------------------------------------------------------

int limb_xacro_scan_int(const char* text, long long* i)
{
  while (is_blank(*text)) text++;
  const char* p = text + (*text == '-' || *text == '+');
  if (!is_digit(*p)) return 0;
  char* end = NULL;
  errno = 0;
  *i = strtoll(text, &end, 10);
  while (is_blank(*end)) end++;
  return *end == 0 && errno == 0;
}

int limb_xacro_scan_float(const char* text, double* value)
{
  static const struct {
    const char* word;
    double value;
  } words[] = {{"inf", (double)INFINITY}, {"infinity", (double)INFINITY}, {"nan", (double)NAN}};
  while (is_blank(*text)) text++;
  size_t length = strlen(text);
  while (length && is_blank(text[length - 1])) length--;
  const char *end = text + length, *p = text + (*text == '-' || *text == '+');
  for (int k = 0; k < COUNT(words); k++) {
    size_t i = 0;
    while (words[k].word[i] && p + i < end && lower_case(p[i]) == words[k].word[i]) i++;
    if (words[k].word[i] || p + i != end) continue;
    *value = *text == '-' ? -words[k].value : words[k].value;
    return 1;
  }
  return limb_scan_number(text, end, value) == end && length > 0;
}

xacro_value limb_xacro_literal(xacro* x, xacro_value v)
{
  if (v.kind != XACRO_TEXT) return v;
  const size_t length = strlen(v.text);
  long long i = 0;
  double number = 0;
  if (length >= 2 && v.text[0] == '\'' && v.text[length - 1] == '\'')
    return limb_xacro_text_n(x, v.text + 1, length - 2);
  if (length == 0 || strchr(v.text, '_')) return v;
  if (limb_xacro_scan_int(v.text, &i)) return xacro_int(i);
  if (limb_xacro_scan_float(v.text, &number)) return xacro_float(number);
  if (limb_has_word("true True", v.text)) return xacro_bool(1);
  if (limb_has_word("false False", v.text)) return xacro_bool(0);
  return v;
}
