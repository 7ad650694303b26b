// What expressions of xacro can call: Python's mathematics, conversions and methods of texts, lists and dictionaries.
#include "io/file_text.h"
#include "io/xacro.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- mathematics ----------------------------------------------------------------------------------

static double degrees(double x) { return x * (180 / 3.14159265358979323846); }
static double radians(double x) { return x * (3.14159265358979323846 / 180); }

static const struct {
  const char* name;
  double (*f)(double);
} of_one[] = {{"acos", acos},   {"acosh", acosh}, {"asin", asin}, {"asinh", asinh},     {"atan", atan},
              {"atanh", atanh}, {"cos", cos},     {"cosh", cosh}, {"erf", erf},         {"erfc", erfc},
              {"exp", exp},     {"expm1", expm1}, {"fabs", fabs}, {"gamma", tgamma},    {"lgamma", lgamma},
              {"log10", log10}, {"log1p", log1p}, {"log2", log2}, {"sin", sin},         {"sinh", sinh},
              {"sqrt", sqrt},   {"tan", tan},     {"tanh", tanh}, {"degrees", degrees}, {"radians", radians},
              {"cbrt", cbrt}};

static const struct {
  const char* name;
  double (*f)(double, double);
} of_two[] = {{"atan2", atan2}, {"copysign", copysign}, {"fmod", fmod},
              {"hypot", hypot}, {"pow", pow},           {"remainder", remainder}};

static const struct {
  const char* name;
  double value;
} constants[] = {{"pi", 3.14159265358979323846},
                 {"e", 2.71828182845904523536},
                 {"tau", 6.28318530717958647693},
                 {"inf", (double)INFINITY},
                 {"nan", (double)NAN}};

// ---- names ----------------------------------------------------------------------------------------

// Functions that are not of one or two numbers. Without a prefix, in python. or in xacro.
static const char others[] = "ceil floor trunc log isnan isinf isfinite factorial gcd len str float int bool min max "
                             "round list dict sorted range abs sum all any repr tuple zip enumerate reversed "
                             "load_yaml arg abs_filename dotify tokenize message warning error fatal print_location";
static const char modules[] = "math python xacro";

static int is_function(const char* name)
{
  for (int i = 0; i < COUNT(of_one); i++) {
    if (strcmp(name, of_one[i].name) == 0) return 1;
  }
  for (int i = 0; i < COUNT(of_two); i++) {
    if (strcmp(name, of_two[i].name) == 0) return 1;
  }
  return limb_has_word(others, name);
}

int limb_xacro_global(const char* name, xacro_value* out)
{
  for (int i = 0; i < COUNT(constants); i++) {
    if (strcmp(name, constants[i].name) != 0) continue;
    *out = xacro_float(constants[i].value);
    return 1;
  }
  *out = (xacro_value){.kind = XACRO_FUNCTION, .text = name};
  if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0) *out = xacro_bool(*name == 'T');
  return out->kind == XACRO_BOOL || limb_has_word(modules, name) || is_function(name);
}

xacro_value limb_xacro_member(xacro* x, xacro_value object, const char* name)
{
  xacro_value v = xacro_none();
  if (!name) return v;
  if (object.kind == XACRO_FUNCTION && limb_has_word(modules, object.text) && limb_xacro_global(name, &v)) return v;
  if (object.kind == XACRO_NAMESPACE) {
    if (limb_xacro_lookup(x, object.scope, name, &v)) return v;
    return limb_xacro_fail(x, "the namespace has no property '%.60s'", name);
  }
  if (object.kind != XACRO_DICT) return limb_xacro_fail(x, "%s has no '.%.60s'", limb_xacro_kind(object), name);
  const xacro_value* found = limb_xacro_find(object, xacro_text(name));
  return found ? *found : limb_xacro_fail(x, "the dictionary has no key '%.60s'", name);
}

// ---- arguments ------------------------------------------------------------------------------------

typedef xacro_call call;

int limb_xacro_takes(const call* c, int min, int max)
{
  if (c->count >= min && c->count <= max) return 1;
  (void)limb_xacro_fail(c->x, "%s() does not take %d argument%s", c->name, c->count, c->count == 1 ? "" : "s");
  return 0;
}

static int number_at(const call* c, int i, double* value)
{
  if (xacro_is_number(c->argument[i])) {
    *value = limb_xacro_number(c->argument[i]);
    return 1;
  }
  (void)limb_xacro_fail(c->x, "%s() takes numbers, not %s", c->name, limb_xacro_kind(c->argument[i]));
  return 0;
}

const char* limb_xacro_text_at(const call* c, int i)
{
  if (i < c->count && c->argument[i].kind == XACRO_TEXT) return c->argument[i].text;
  (void)limb_xacro_fail(c->x, "%s() takes a text", c->name);
  return NULL;
}

xacro_value limb_xacro_items(xacro* x, xacro_value v)
{
  if (v.kind == XACRO_LIST) return v;
  xacro_value list = limb_xacro_new_list(x, 0);
  for (int i = 0; v.kind == XACRO_DICT && i < v.dict->count; i++) limb_xacro_append(x, list, v.dict->key[i]);
  for (const char* p = v.kind == XACRO_TEXT ? v.text : ""; *p; p++)
    limb_xacro_append(x, list, limb_xacro_text_n(x, p, 1));
  if (v.kind != XACRO_DICT && v.kind != XACRO_TEXT) return limb_xacro_fail(x, "%s has no entries", limb_xacro_kind(v));
  return list;
}

// ---- functions of numbers -------------------------------------------------------------------------

xacro_value limb_xacro_whole(xacro* x, double value)
{
  if (!(fabs(value) < 9e18)) return limb_xacro_fail(x, "a whole number is too large");
  return xacro_int((long long)value);
}

// Half to even, as Python.
static xacro_value call_round(const call* c)
{
  double value = 0, digits = 0;
  if (!limb_xacro_takes(c, 1, 2) || !number_at(c, 0, &value)) return xacro_none();
  if (c->count == 1)
    return c->argument[0].kind == XACRO_FLOAT ? limb_xacro_whole(c->x, nearbyint(value)) : c->argument[0];
  if (!number_at(c, 1, &digits) || c->argument[0].kind != XACRO_FLOAT) return c->argument[0];
  if (!(digits >= 0 && digits <= 17)) return xacro_float(nearbyint(value * pow(10, digits)) / pow(10, digits));
  char text[400];
  (void)snprintf(text, sizeof text, "%.*f", (int)digits, value);
  return limb_xacro_scan_float(text, &value) ? xacro_float(value) : xacro_none();
}

static xacro_value call_extreme(const call* c)
{
  if (c->count == 0) return limb_xacro_fail(c->x, "%s() needs an argument", c->name);
  const xacro_value list = c->count == 1 ? limb_xacro_items(c->x, c->argument[0]) : xacro_none();
  const xacro_value* item = c->count == 1 && list.kind == XACRO_LIST ? list.list->item : c->argument;
  const int count = c->count == 1 && list.kind == XACRO_LIST ? list.list->count : c->count;
  if (count == 0) return limb_xacro_fail(c->x, "%s() needs a list that is not empty", c->name);
  xacro_value best = item[0];
  for (int i = 1; i < count && !c->x->failed; i++) {
    const int order = limb_xacro_compare(c->x, item[i], best);
    if (c->name[1] == 'i' ? order < 0 : order == 1) best = item[i];
  }
  return best;
}

static xacro_value call_log(const call* c)
{
  double value = 0, base = 0;
  if (!limb_xacro_takes(c, 1, 2) || !number_at(c, 0, &value) || (c->count == 2 && !number_at(c, 1, &base)))
    return xacro_none();
  return xacro_float(c->count == 2 ? log(value) / log(base) : log(value));
}

static xacro_value call_gcd(const call* c)
{
  if (!limb_xacro_takes(c, 2, 2) || c->argument[0].kind != XACRO_INT || c->argument[1].kind != XACRO_INT)
    return limb_xacro_fail(c->x, "gcd() takes two whole numbers");
  unsigned long long a = (unsigned long long)llabs(c->argument[0].i), b = (unsigned long long)llabs(c->argument[1].i);
  while (b) {
    const unsigned long long r = a % b;
    a = b;
    b = r;
  }
  return xacro_int((long long)a);
}

static xacro_value call_factorial(const call* c)
{
  if (!limb_xacro_takes(c, 1, 1) || c->argument[0].kind != XACRO_INT || c->argument[0].i < 0 || c->argument[0].i > 20)
    return limb_xacro_fail(c->x, "factorial() takes a whole number from 0 to 20");
  long long product = 1;
  for (long long i = 2; i <= c->argument[0].i; i++) product *= i;
  return xacro_int(product);
}

static xacro_value call_test(const call* c)
{
  double value = 0;
  if (!limb_xacro_takes(c, 1, 1) || !number_at(c, 0, &value)) return xacro_none();
  const int is = strcmp(c->name, "isnan") == 0   ? isnan(value)
                 : strcmp(c->name, "isinf") == 0 ? isinf(value)
                                                 : isfinite(value);
  return xacro_bool(is);
}

static xacro_value call_to_whole(const call* c)
{
  double value = 0;
  if (!limb_xacro_takes(c, 1, 1) || !number_at(c, 0, &value)) return xacro_none();
  if (c->argument[0].kind != XACRO_FLOAT) return xacro_int(c->argument[0].i);
  return limb_xacro_whole(c->x, *c->name == 'c' ? ceil(value) : *c->name == 'f' ? floor(value) : trunc(value));
}

static xacro_value call_abs(const call* c)
{
  double value = 0;
  if (!limb_xacro_takes(c, 1, 1) || !number_at(c, 0, &value)) return xacro_none();
  return c->argument[0].kind == XACRO_FLOAT ? xacro_float(fabs(value)) : xacro_int(llabs(c->argument[0].i));
}

// ---- conversions ----------------------------------------------------------------------------------

static xacro_value call_number(const call* c)
{
  const int to_int = strcmp(c->name, "int") == 0;
  double value = 0;
  long long i = 0;
  if (!limb_xacro_takes(c, 0, 1)) return xacro_none();
  if (c->count == 0) return to_int ? xacro_int(0) : xacro_float(0);
  const xacro_value v = c->argument[0];
  if (xacro_is_number(v))
    return !to_int                 ? xacro_float(limb_xacro_number(v))
           : v.kind == XACRO_FLOAT ? limb_xacro_whole(c->x, trunc(v.x))
                                   : xacro_int(v.i);
  if (v.kind == XACRO_TEXT && to_int && limb_xacro_scan_int(v.text, &i)) return xacro_int(i);
  if (v.kind == XACRO_TEXT && !to_int && limb_xacro_scan_float(v.text, &value)) return xacro_float(value);
  return limb_xacro_fail(c->x, "%s() does not take %s", c->name,
                         v.kind == XACRO_TEXT ? limb_xacro_repr(c->x, v) : limb_xacro_kind(v));
}

static xacro_value call_text(const call* c)
{
  if (!limb_xacro_takes(c, 0, 1)) return xacro_none();
  if (c->count == 0) return xacro_text("");
  return xacro_text(*c->name == 'r' ? limb_xacro_repr(c->x, c->argument[0]) : limb_xacro_str(c->x, c->argument[0]));
}

static xacro_value call_bool(const call* c)
{
  return limb_xacro_takes(c, 0, 1) ? xacro_bool(c->count && limb_xacro_truth(c->argument[0])) : xacro_none();
}

static xacro_value call_len(const call* c)
{
  if (!limb_xacro_takes(c, 1, 1)) return xacro_none();
  const xacro_value list = limb_xacro_items(c->x, c->argument[0]);
  return list.kind == XACRO_LIST ? xacro_int(list.list->count) : list;
}

// ---- lists ----------------------------------------------------------------------------------------

static xacro_value call_list(const call* c)
{
  if (!limb_xacro_takes(c, 0, 1)) return xacro_none();
  xacro_value copy = limb_xacro_new_list(c->x, *c->name == 't');
  const xacro_value list = c->count ? limb_xacro_items(c->x, c->argument[0]) : copy;
  const int count = list.kind == XACRO_LIST ? list.list->count : 0, back = strcmp(c->name, "reversed") == 0;
  for (int i = 0; i < count && c->count; i++) limb_xacro_append(c->x, copy, list.list->item[back ? count - 1 - i : i]);
  return copy;
}

static xacro_value call_sorted(const call* c)
{
  xacro_value copy = call_list(c);
  for (int i = 1; !c->x->failed && i < copy.list->count; i++) { // stable; lists of descriptions are short
    const xacro_value v = copy.list->item[i];
    int k = i;
    for (; k > 0 && limb_xacro_work(c->x, 1) && limb_xacro_compare(c->x, v, copy.list->item[k - 1]) < 0; k--)
      copy.list->item[k] = copy.list->item[k - 1];
    copy.list->item[k] = v;
  }
  return copy;
}

static xacro_value call_range(const call* c)
{
  xacro_value list = limb_xacro_new_list(c->x, 0);
  long long n[3] = {0, 0, 1};
  if (!limb_xacro_takes(c, 1, 3)) return list;
  for (int i = 0; i < c->count; i++) {
    if (c->argument[i].kind != XACRO_INT) return limb_xacro_fail(c->x, "range() takes whole numbers");
    n[c->count == 1 ? 1 : i] = c->argument[i].i;
  }
  if (n[2] == 0) return limb_xacro_fail(c->x, "the step of range() is zero");
  for (long long i = n[0]; (n[2] > 0 ? i < n[1] : i > n[1]) && limb_xacro_work(c->x, 1);) {
    limb_xacro_append(c->x, list, xacro_int(i));
    if (__builtin_add_overflow(i, n[2], &i)) break;
  }
  return list;
}

static xacro_value call_sum(const call* c)
{
  double sum = 0;
  long long whole_sum = 0;
  int is_whole = 1;
  if (!limb_xacro_takes(c, 1, 1)) return xacro_none();
  const xacro_value list = limb_xacro_items(c->x, c->argument[0]);
  for (int i = 0; list.kind == XACRO_LIST && i < list.list->count; i++) {
    const xacro_value v = list.list->item[i];
    if (!xacro_is_number(v)) return limb_xacro_fail(c->x, "sum() takes numbers, not %s", limb_xacro_kind(v));
    is_whole = is_whole && v.kind != XACRO_FLOAT && !__builtin_add_overflow(whole_sum, v.i, &whole_sum);
    sum += limb_xacro_number(v);
  }
  return is_whole ? xacro_int(whole_sum) : xacro_float(sum);
}

static xacro_value call_all(const call* c)
{
  if (!limb_xacro_takes(c, 1, 1)) return xacro_none();
  const xacro_value list = limb_xacro_items(c->x, c->argument[0]);
  const int every = strcmp(c->name, "all") == 0;
  for (int i = 0; list.kind == XACRO_LIST && i < list.list->count; i++) {
    if (limb_xacro_truth(list.list->item[i]) != every) return xacro_bool(!every);
  }
  return xacro_bool(every);
}

// Tuples of the entries of several lists; enumerate counts the entries of one.
static xacro_value call_zip(const call* c)
{
  xacro_value all = limb_xacro_new_list(c->x, 0);
  const int counted = strcmp(c->name, "enumerate") == 0;
  if (!limb_xacro_takes(c, 1, counted ? 1 : 8)) return all;
  for (int i = 0; !c->x->failed; i++) {
    xacro_value one = limb_xacro_new_list(c->x, 1);
    if (counted) limb_xacro_append(c->x, one, xacro_int(i));
    for (int k = 0; k < c->count; k++) {
      const xacro_value list = limb_xacro_items(c->x, c->argument[k]);
      if (list.kind != XACRO_LIST || i >= list.list->count) return all;
      limb_xacro_append(c->x, one, list.list->item[i]);
    }
    limb_xacro_append(c->x, all, one);
  }
  return all;
}

static xacro_value call_dict(const call* c)
{
  if (!limb_xacro_takes(c, 0, 1)) return xacro_none();
  if (c->count && c->argument[0].kind == XACRO_DICT) return c->argument[0];
  xacro_value dict = limb_xacro_new_dict(c->x);
  const xacro_value list = c->count ? limb_xacro_items(c->x, c->argument[0]) : xacro_none();
  for (int i = 0; list.kind == XACRO_LIST && i < list.list->count; i++) {
    const xacro_value pair = list.list->item[i];
    if (pair.kind != XACRO_LIST || pair.list->count != 2) return limb_xacro_fail(c->x, "dict() takes a list of pairs");
    limb_xacro_put(c->x, dict, pair.list->item[0], pair.list->item[1]);
  }
  return dict;
}

// ---- xacro. ---------------------------------------------------------------------------------------

static xacro_value call_tokenize(const call* c)
{
  xacro_value list = limb_xacro_new_list(c->x, 0);
  const char *text = limb_xacro_takes(c, 1, 2) ? limb_xacro_text_at(c, 0) : NULL,
             *separators = c->count == 2 ? limb_xacro_text_at(c, 1) : ",; ";
  while (text && separators && *text) {
    const size_t n = strcspn(text, separators);
    if (n) limb_xacro_append(c->x, list, limb_xacro_text_n(c->x, text, n));
    text += n + (text[n] != 0);
  }
  return list;
}

// What the file reports itself: message, warning, error; fatal stops.
static xacro_value call_report(const call* c)
{
  const char* text = "";
  for (int i = 0; i < c->count && text; i++)
    text = limb_mempool_join(c->x->pool, text, i ? " " : "", limb_xacro_str(c->x, c->argument[i]));
  if (!text) return limb_xacro_no_memory(c->x);
  if (strcmp(c->name, "fatal") == 0) return limb_xacro_fail(c->x, "%.200s", text);
  if (!*text) return xacro_text("");
  limb_report(c->x->findings, RULE_XACRO_REPORT, c->x->at, (limb_subject){NULL, NULL}, "%s", text);
  limb_report_as(c->x->findings, strcmp(c->name, "message") == 0 ? LIMB_NOTE : LIMB_WARNING);
  return xacro_text("");
}

static xacro_value call_arg(const call* c)
{
  const char* name = limb_xacro_takes(c, 1, 1) ? limb_xacro_text_at(c, 0) : NULL;
  const char* value = name ? limb_xacro_argument(c->x, name) : NULL;
  if (name && !value) return limb_xacro_fail(c->x, "there is no argument '%.60s'", name);
  return value ? xacro_text(value) : xacro_none();
}

static xacro_value call_load_yaml(const call* c)
{
  const char* name = limb_xacro_takes(c, 1, 1) ? limb_xacro_text_at(c, 0) : NULL;
  return name ? limb_xacro_load_yaml(c->x, name) : xacro_none();
}

static xacro_value call_abs_filename(const call* c)
{
  const char* name = limb_xacro_takes(c, 1, 1) ? limb_xacro_text_at(c, 0) : NULL;
  const char* slash = name && *name != '/' && c->x->path ? strrchr(c->x->path, '/') : NULL;
  if (!slash) return name ? c->argument[0] : xacro_none();
  const xacro_value folder = limb_xacro_text_n(c->x, c->x->path, (size_t)(slash - c->x->path) + 1);
  const char* path = folder.kind == XACRO_TEXT ? limb_mempool_join(c->x->pool, folder.text, name, "") : NULL;
  return path ? xacro_text(path) : limb_xacro_no_memory(c->x);
}

static xacro_value call_dotify(const call* c) { return limb_xacro_takes(c, 1, 1) ? c->argument[0] : xacro_none(); }

// ---- calls ----------------------------------------------------------------------------------------

typedef xacro_value function(const call* c);

static const struct {
  const char* names;
  function* f;
} functions[] = {{"ceil floor trunc", call_to_whole},
                 {"log", call_log},
                 {"isnan isinf isfinite", call_test},
                 {"factorial", call_factorial},
                 {"gcd", call_gcd},
                 {"len", call_len},
                 {"str repr", call_text},
                 {"float int", call_number},
                 {"bool", call_bool},
                 {"min max", call_extreme},
                 {"round", call_round},
                 {"list tuple reversed", call_list},
                 {"dict", call_dict},
                 {"sorted", call_sorted},
                 {"range", call_range},
                 {"abs", call_abs},
                 {"sum", call_sum},
                 {"all any", call_all},
                 {"zip enumerate", call_zip},
                 {"load_yaml", call_load_yaml},
                 {"arg", call_arg},
                 {"abs_filename", call_abs_filename},
                 {"dotify", call_dotify},
                 {"tokenize", call_tokenize},
                 {"message warning error fatal print_location", call_report}};

xacro_value limb_xacro_invoke(xacro* x, const char* name, const xacro_list* arguments)
{
  const call c = {x, name, arguments->item, arguments->count};
  double a = 0, b = 0;
  for (int i = 0; i < COUNT(of_one); i++) {
    if (strcmp(name, of_one[i].name) != 0) continue;
    if (!limb_xacro_takes(&c, 1, 1) || !number_at(&c, 0, &a)) return xacro_none();
    const double y = of_one[i].f(a);
    return isnan(y) && !isnan(a) ? limb_xacro_fail(x, "%s() is not defined there", name) : xacro_float(y);
  }
  for (int i = 0; i < COUNT(of_two); i++) {
    if (strcmp(name, of_two[i].name) != 0) continue;
    return limb_xacro_takes(&c, 2, 2) && number_at(&c, 0, &a) && number_at(&c, 1, &b) ? xacro_float(of_two[i].f(a, b))
                                                                                      : xacro_none();
  }
  for (int i = 0; i < COUNT(functions); i++) {
    if (limb_has_word(functions[i].names, name)) return functions[i].f(&c);
  }
  return limb_xacro_fail(x, "'%s' cannot be called", name);
}
