// Values of a YAML tree as words, numbers, angles and lists. Messages state what is expected and what was found.
#include "base/number.h"
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/yaml.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// ---- messages -----------------------------------------------------------------------------

static const char* show(const yml_node* n, char out[YML_LABEL_SPACE])
{
  switch (n->kind) {
  case YML_LIST: return "a list";
  case YML_MAP: return "a mapping";
  case YML_REFUSED: return "something else";
  case YML_SCALAR: break;
  }
  if (!*n->text && !n->quoted) return "nothing";
  (void)snprintf(out, YML_LABEL_SPACE, n->quoted ? "the text \"%s\"" : "'%s'", limb_excerpt(n->text, NULL).text);
  return out;
}

const char* limb_yml_label(const yml_node* n, char text[YML_LABEL_SPACE])
{
  const limb_quote name = limb_excerpt(n->key ? n->key : "the file", NULL);
  if (n->index < 0)
    (void)snprintf(text, YML_LABEL_SPACE, "%s", name.text);
  else
    (void)snprintf(text, YML_LABEL_SPACE, "entry %d of %s", n->index + 1, name.text);
  return text;
}

// "mass must be a number, found 'heavy'". Returns 0.
static int wrong(limb_reporter* c, limb_rule rule, const yml_node* n, const char* expected)
{
  char label[YML_LABEL_SPACE], found[YML_LABEL_SPACE];
  if (n->kind != YML_REFUSED)
    limb_report_error(c, rule, n->pos, "%s must be %s, found %s", limb_yml_label(n, label), expected, show(n, found));
  return 0;
}

// ---- mappings ---------------------------------------------------------------------------------------

const yml_node* limb_yml_get(const yml_node* map, const char* key)
{
  if (!map || map->kind != YML_MAP) return NULL;
  for (const yml_node* n = map->first; n; n = n->next) {
    if (strcmp(n->key, key) == 0) return n;
  }
  return NULL;
}

const yml_node* limb_yml_need(limb_reporter* c, const yml_node* map, const char* key)
{
  const yml_node* n = limb_yml_get(map, key);
  if (!n && map && map->kind == YML_MAP)
    limb_report_error(c, RULE_MISSING_KEY, map->pos, "the key '%s' is missing", key);
  return n;
}

int limb_yml_is(limb_reporter* c, const yml_node* n, yml_kind kind)
{
  if (!n) return 0;
  if (n->kind == kind) return 1;
  return wrong(c, RULE_BAD_VALUE, n,
               kind == YML_LIST  ? "a list"
               : kind == YML_MAP ? "a mapping (key: value)"
                                 : "a single value");
}

void limb_yml_check_keys(limb_reporter* c, const yml_node* map, const char* known)
{
  for (const yml_node* n = map && map->kind == YML_MAP ? map->first : NULL; n; n = n->next) {
    if (limb_has_word(known, n->key)) continue;
    limb_report_error(c, RULE_UNKNOWN_KEY, n->key_pos, "unknown key '%s'%s", limb_excerpt(n->key, NULL).text,
                      limb_suggest_word(c->findings, n->key, known).text);
    limb_report_hint(c->findings, "the keys here are: %s", known);
  }
}

const yml_node* limb_yml_one_of(limb_reporter* c, const yml_node* map, const char* keys)
{
  const yml_node* found = NULL;
  for (; *keys; keys += strcspn(keys, " "), keys += *keys == ' ') {
    const size_t length = strcspn(keys, " ");
    const yml_node* n = map && map->kind == YML_MAP ? map->first : NULL;
    while (n && (strlen(n->key) != length || memcmp(n->key, keys, length) != 0)) n = n->next;
    if (n && found)
      limb_report_error(c, RULE_BAD_VALUE, n->key_pos, "%s and %s exclude each other: remove one", found->key, n->key);
    if (n && !found) found = n;
  }
  return found;
}

void limb_yml_check_schema(limb_reporter* c, const yml_node* root, const char* key, int version, const char* file)
{
  const yml_node* n = limb_yml_get(root, key);
  int given = 0;
  if (!n || n != root->first)
    limb_report_error(c, RULE_MISSING_KEY, root->first ? root->first->key_pos : root->pos,
                      "the first line of a %s file must be '%s: %d'", file, key, version);
  if (!n || !limb_yml_integer(c, n, 1, INT_MAX, &given) || given == version) return;
  limb_report_error(c, RULE_UNSUPPORTED, n->pos, "the file has schema %d, but this program supports %d", given,
                    version);
  limb_report_hint(c->findings, "use a newer limb");
}

// ---- words ------------------------------------------------------------------------------------------

int limb_yml_text(limb_reporter* c, const yml_node* n, const char** text)
{
  if (!n) return 0;
  if (n->kind != YML_SCALAR || !*n->text) return wrong(c, RULE_BAD_VALUE, n, "a single value");
  *text = n->text;
  return 1;
}

int limb_yml_choice(limb_reporter* c, const yml_node* n, const char* words, int* index)
{
  if (!n) return 0;
  const int i = n->kind == YML_SCALAR ? limb_find_word(words, n->text, strlen(n->text)) : -1;
  if (i >= 0) {
    *index = i;
    return 1;
  }
  char expected[256] = "";
  size_t used = 0;
  for (size_t length = 0; *words && used < sizeof expected - 1; words += length + (words[length] == ' ')) {
    length = strcspn(words, " ");
    const char* between = used == 0 ? "" : words[length] && words[length + 1] ? ", " : " or ";
    const int more = snprintf(expected + used, sizeof expected - used, "%s%.*s", between, (int)length, words);
    used += more > 0 ? (size_t)more : 0;
  }
  return wrong(c, RULE_BAD_VALUE, n, expected);
}

// ---- numbers ----------------------------------------------------------------------------------------

// The whole text as a number.
static bool scan(const char* text, double* x)
{
  const char* end = text + strlen(text);
  return limb_scan_number(text, end, x) == end && end != text;
}

// The same with units of this kind, as in 90deg, 12mm, 50 g*cm^2; the number in SI.
static bool scan_quantity(const char* text, bool angle, double* x)
{
  const char* end = text + strlen(text);
  const char* units = limb_scan_number(text, end, x);
  double factor = 1;
  limb_dimension of;
  while (units && *units == ' ') units++;
  if (!units || limb_scan_units(units, end, &factor, &of) != end) return false;
  if (angle != (of.rad != 0 && of.m == 0 && of.kg == 0)) return false;
  *x *= factor;
  return true;
}

// Whether a unit is one of angles, or of their rates.
static bool is_angular(const char* unit)
{
  double factor;
  limb_dimension of;
  return unit && limb_scan_units(unit, unit + strlen(unit), &factor, &of) && of.rad != 0 && of.m == 0 && of.kg == 0;
}

static int finite_number(limb_reporter* c, const yml_node* n, bool angle, const char* expected, double* value)
{
  double x = 0;
  const bool plain = n->kind == YML_SCALAR && !n->quoted;
  if (!(plain && (scan(n->text, &x) || scan_quantity(n->text, angle, &x)))) {
    (void)wrong(c, RULE_BAD_NUMBER, n, expected);
    if (n->kind == YML_SCALAR && n->quoted && scan(n->text, &x))
      limb_report_hint(c->findings, "a value in quotes is text: remove the quotes");
    return 0;
  }
  if (!isfinite(x)) return wrong(c, RULE_BAD_NUMBER, n, "a number below 1.8e308");
  *value = x;
  return 1;
}

// What is expected of a number with units of another dimension than that of the unit; NULL: it has none.
static const char* other_dimension(const char* text, const char* unit)
{
  const char* end = text + strlen(text);
  double x;
  limb_dimension given, wanted;
  const char* units = limb_scan_number(text, end, &x);
  while (units && *units == ' ') units++;
  if (!unit || !units || limb_scan_units(units, end, &x, &given) != end) return NULL;
  if (!limb_scan_units(unit, unit + strlen(unit), &x, &wanted) || limb_same_dimension(given, wanted)) return NULL;
  return limb_dimension_text(wanted);
}

int limb_yml_quantity(limb_reporter* c, const yml_node* n, const char* unit, double* value)
{
  if (!n) return 0;
  const char* other = n->kind == YML_SCALAR && !n->quoted ? other_dimension(n->text, unit) : NULL;
  return other ? wrong(c, RULE_BAD_NUMBER, n, other) : finite_number(c, n, is_angular(unit), "a number", value);
}

int limb_yml_number(limb_reporter* c, const yml_node* n, double* value) { return limb_yml_quantity(c, n, NULL, value); }

int limb_yml_limit(limb_reporter* c, const yml_node* n, double* value)
{
  if (!n) return 0;
  const bool plain = n->kind == YML_SCALAR && !n->quoted;
  const bool plus = plain && (strcmp(n->text, ".inf") == 0 || strcmp(n->text, "+.inf") == 0);
  if (plus || (plain && strcmp(n->text, "-.inf") == 0)) {
    *value = plus ? HUGE_VAL : -HUGE_VAL;
    return 1;
  }
  return finite_number(c, n, false, "a number (or .inf, -.inf)", value);
}

int limb_yml_integer(limb_reporter* c, const yml_node* n, int lowest, int highest, int* value)
{
  if (!n) return 0;
  double x = 0;
  if (n->kind == YML_SCALAR && !n->quoted && scan(n->text, &x) && x >= lowest && x <= highest && x == floor(x)) {
    *value = (int)x;
    return 1;
  }
  char expected[80];
  if (highest == INT_MAX)
    (void)snprintf(expected, sizeof expected, "a whole number, at least %d", lowest);
  else
    (void)snprintf(expected, sizeof expected, "a whole number from %d to %d", lowest, highest);
  return wrong(c, RULE_BAD_NUMBER, n, expected);
}

// ---- angles -----------------------------------------------------------------------------------------

// [+-][number*]pi[/number], as in -3*pi/4.
static bool scan_pi(const char* text, double* x)
{
  const char* end = text + strlen(text);
  double factor = 1, divisor = 1;
  const double sign = *text == '-' ? -1 : 1;
  if (*text == '-' || *text == '+') text++;
  if (*text != 'p') {
    if (*text == '-' || *text == '+') return false;
    text = limb_scan_number(text, end, &factor);
    if (!text || *text != '*') return false;
    text++;
  }
  if (strncmp(text, "pi", 2) != 0) return false;
  text += 2;
  if (*text == '/') {
    if (text[1] == '-' || text[1] == '+' || limb_scan_number(text + 1, end, &divisor) != end) return false;
    text = end;
  }
  *x = sign * factor * LIMB_PI / divisor;
  return *text == 0 && isfinite(*x);
}

int limb_yml_angle(limb_reporter* c, const yml_node* n, double unit, double* radians)
{
  if (!n) return 0;
  double x = 0;
  if (n->kind == YML_SCALAR && !n->quoted && scan_quantity(n->text, true, &x)) {
    *radians = x;
    return isfinite(x) ? 1 : wrong(c, RULE_BAD_NUMBER, n, "a number below 1.8e308");
  }
  if (n->kind == YML_SCALAR && !n->quoted && scan_pi(n->text, &x)) {
    if (unit != 1) return wrong(c, RULE_BAD_NUMBER, n, "a number of degrees, as the file states");
    *radians = x;
    return 1;
  }
  // without units: those of other quantities are refused
  if (n->kind != YML_SCALAR || n->quoted || !scan(n->text, &x) || !isfinite(x)) {
    const int good =
      finite_number(c, n, false, unit == 1 ? "a number or a multiple of pi, such as pi/2" : "a number", &x);
    return good ? wrong(c, RULE_BAD_NUMBER, n, "an angle") : 0;
  }
  *radians = unit * x;
  return 1;
}

int limb_yml_is_bare(const yml_node* n)
{
  double x;
  return n->kind == YML_SCALAR && scan(n->text, &x);
}

// ---- lists ------------------------------------------------------------------------------------------

static int is_list_of(limb_reporter* c, const yml_node* n, int count)
{
  if (n->kind == YML_LIST && n->count == count) return 1;
  if (n->kind == YML_REFUSED) return 0;
  char expected[48], label[YML_LABEL_SPACE];
  (void)snprintf(expected, sizeof expected, "a list of %d numbers", count);
  if (n->kind != YML_LIST) return wrong(c, RULE_BAD_VALUE, n, expected);
  limb_report_error(c, RULE_WRONG_COUNT, n->pos, "%s must be %s, found %d entries", limb_yml_label(n, label), expected,
                    n->count);
  if (n->count > count) limb_report_hint(c->findings, "commas separate numbers; write decimals with a point: 0.5");
  return 0;
}

int limb_yml_angles(limb_reporter* c, const yml_node* n, int count, double unit, double* radians)
{
  if (!n || !is_list_of(c, n, count)) return 0;
  int good = 1;
  for (const yml_node* entry = n->first; entry; entry = entry->next) {
    if (!limb_yml_angle(c, entry, unit, radians++)) good = 0;
  }
  return good;
}

int limb_yml_numbers(limb_reporter* c, const yml_node* n, int count, double* values)
{
  return limb_yml_quantities(c, n, count, NULL, values);
}

int limb_yml_quantities(limb_reporter* c, const yml_node* n, int count, const char* unit, double* values)
{
  if (!n || !is_list_of(c, n, count)) return 0;
  int good = 1;
  for (const yml_node* entry = n->first; entry; entry = entry->next) {
    if (!limb_yml_quantity(c, entry, unit, values++)) good = 0;
  }
  return good;
}
