// What the values of a YAML tree are asked for: words, numbers, angles, lists. Messages say what was wanted
// and what was found.
#include "io/yaml.h"

#include "base/number.h"
#include "io/utf8.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- words for messages -----------------------------------------------------------------------------

static const char* show(const yml_node* n, char out[YML_LABEL_SPACE])
{
  char text[LIMB_SHOWN_SPACE];
  switch (n->kind) {
  case YML_LIST: return "a list";
  case YML_MAP: return "a mapping";
  case YML_REFUSED: return "something else";
  case YML_SCALAR: break;
  }
  if (!*n->text && !n->quoted) return "nothing";
  (void)limb_shown(n->text, n->text + strlen(n->text), text);
  (void)snprintf(out, YML_LABEL_SPACE, n->quoted ? "the text \"%s\"" : "'%s'", text);
  return out;
}

const char* limb_yml_label(const yml_node* n, char text[YML_LABEL_SPACE])
{
  char key[LIMB_SHOWN_SPACE];
  const char* name = n->key ? limb_shown(n->key, n->key + strlen(n->key), key) : "the file";
  if (n->index < 0)
    (void)snprintf(text, YML_LABEL_SPACE, "%s", name);
  else
    (void)snprintf(text, YML_LABEL_SPACE, "entry %d of %s", n->index + 1, name);
  return text;
}

// "mass must be a number, found 'heavy'". Always 0.
static int wrong(yml_check* c, limb_rule rule, const yml_node* n, const char* wanted)
{
  char label[YML_LABEL_SPACE], found[YML_LABEL_SPACE];
  if (n->kind != YML_REFUSED)
    limb_yml_error(c, rule, n->mark, "%s must be %s, found %s", limb_yml_label(n, label), wanted, show(n, found));
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

const yml_node* limb_yml_need(yml_check* c, const yml_node* map, const char* key)
{
  const yml_node* n = limb_yml_get(map, key);
  if (!n && map && map->kind == YML_MAP) limb_yml_error(c, RULE_MISSING_KEY, map->mark, "the key '%s' is missing", key);
  return n;
}

int limb_yml_is(yml_check* c, const yml_node* n, yml_kind kind)
{
  if (!n) return 0;
  if (n->kind == kind) return 1;
  return wrong(c, RULE_BAD_VALUE, n,
               kind == YML_LIST  ? "a list"
               : kind == YML_MAP ? "a mapping (key: value)"
                                 : "a single value");
}

static const char* word_of(const void* words, int i) { return ((const char* const*)words)[i]; }

static int find_word(const char* text, const char* const* words, int count)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(text, words[i]) == 0) return i;
  }
  return -1;
}

void limb_yml_check_keys(yml_check* c, const yml_node* map, const char* const* known, int count)
{
  if (!map || map->kind != YML_MAP) return;
  for (const yml_node* n = map->first; n; n = n->next) {
    if (find_word(n->key, known, count) >= 0) continue;
    char key[LIMB_SHOWN_SPACE], mean[LIMB_WHERE_SPACE];
    limb_yml_error(c, RULE_UNKNOWN_KEY, n->key_mark, "there is no key '%s' here%s",
                   limb_shown(n->key, n->key + strlen(n->key), key),
                   limb_did_you_mean(c->findings, n->key, count, word_of, known, mean));
  }
}

const yml_node* limb_yml_one_of(yml_check* c, const yml_node* map, const char* const* keys, int count)
{
  const yml_node* found = NULL;
  for (int i = 0; i < count; i++) {
    const yml_node* n = limb_yml_get(map, keys[i]);
    if (n && found)
      limb_yml_error(c, RULE_BAD_VALUE, n->key_mark, "%s and %s exclude each other: give one", found->key, n->key);
    if (n && !found) found = n;
  }
  return found;
}

// ---- words ------------------------------------------------------------------------------------------

int limb_yml_text(yml_check* c, const yml_node* n, const char** text)
{
  if (!n) return 0;
  if (n->kind != YML_SCALAR || !*n->text) return wrong(c, RULE_BAD_VALUE, n, "a text");
  *text = n->text;
  return 1;
}

int limb_yml_choice(yml_check* c, const yml_node* n, const char* const* words, int count, int* index)
{
  if (!n) return 0;
  const int i = n->kind == YML_SCALAR ? find_word(n->text, words, count) : -1;
  if (i >= 0) {
    *index = i;
    return 1;
  }
  char wanted[256] = "";
  size_t used = 0;
  for (int k = 0; k < count && used < sizeof wanted - 1; k++) {
    const char* between = k == 0 ? "" : k == count - 1 ? " or " : ", ";
    const int more = snprintf(wanted + used, sizeof wanted - used, "%s%s", between, words[k]);
    used += more > 0 ? (size_t)more : 0;
  }
  return wrong(c, RULE_BAD_VALUE, n, wanted);
}

// ---- numbers ----------------------------------------------------------------------------------------

// All of the text as a number.
static bool scan(const char* text, double* x)
{
  const char* end = text + strlen(text);
  return limb_scan_number(text, end, x) == end && end != text;
}

static int finite_number(yml_check* c, const yml_node* n, const char* wanted, double* value)
{
  double x = 0;
  if (n->kind != YML_SCALAR || n->quoted || !scan(n->text, &x)) {
    (void)wrong(c, RULE_BAD_NUMBER, n, wanted);
    if (n->kind == YML_SCALAR && n->quoted && scan(n->text, &x))
      limb_report_hint(c->findings, "what stands in quotes is text: remove the quotes");
    return 0;
  }
  if (!isfinite(x)) return wrong(c, RULE_BAD_NUMBER, n, "a number within 1.8e308");
  *value = x;
  return 1;
}

int limb_yml_number(yml_check* c, const yml_node* n, double* value)
{
  return n ? finite_number(c, n, "a number", value) : 0;
}

int limb_yml_limit(yml_check* c, const yml_node* n, double* value)
{
  if (!n) return 0;
  const bool plain = n->kind == YML_SCALAR && !n->quoted;
  const bool plus = plain && (strcmp(n->text, ".inf") == 0 || strcmp(n->text, "+.inf") == 0);
  if (plus || (plain && strcmp(n->text, "-.inf") == 0)) {
    *value = plus ? HUGE_VAL : -HUGE_VAL;
    return 1;
  }
  return finite_number(c, n, "a number (or .inf, -.inf)", value);
}

int limb_yml_integer(yml_check* c, const yml_node* n, int lowest, int highest, int* value)
{
  if (!n) return 0;
  double x = 0;
  if (n->kind == YML_SCALAR && !n->quoted && scan(n->text, &x) && x >= lowest && x <= highest && x == floor(x)) {
    *value = (int)x;
    return 1;
  }
  char wanted[80];
  if (highest == INT_MAX)
    (void)snprintf(wanted, sizeof wanted, "a whole number, at least %d", lowest);
  else
    (void)snprintf(wanted, sizeof wanted, "a whole number from %d to %d", lowest, highest);
  return wrong(c, RULE_BAD_NUMBER, n, wanted);
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
  *x = sign * factor * PI / divisor;
  return *text == 0 && isfinite(*x);
}

int limb_yml_angle(yml_check* c, const yml_node* n, double unit, double* radians)
{
  if (!n) return 0;
  double x = 0;
  if (n->kind == YML_SCALAR && !n->quoted && scan_pi(n->text, &x)) {
    if (unit != 1) return wrong(c, RULE_BAD_NUMBER, n, "a number of degrees, as the file states");
    *radians = x;
    return 1;
  }
  if (!finite_number(c, n, unit == 1 ? "a number, or such as pi/2" : "a number", &x)) return 0;
  *radians = unit * x;
  return 1;
}

// ---- lists ------------------------------------------------------------------------------------------

static int is_list_of(yml_check* c, const yml_node* n, int count)
{
  if (n->kind == YML_LIST && n->count == count) return 1;
  if (n->kind == YML_REFUSED) return 0;
  char wanted[48], label[YML_LABEL_SPACE];
  (void)snprintf(wanted, sizeof wanted, "a list of %d numbers", count);
  if (n->kind != YML_LIST) return wrong(c, RULE_BAD_VALUE, n, wanted);
  limb_yml_error(c, RULE_WRONG_COUNT, n->mark, "%s must be %s, found %d entries", limb_yml_label(n, label), wanted,
                 n->count);
  if (n->count > count) limb_report_hint(c->findings, "a comma separates numbers; decimals have a point: 0.5");
  return 0;
}

int limb_yml_angles(yml_check* c, const yml_node* n, int count, double unit, double* radians)
{
  if (!n || !is_list_of(c, n, count)) return 0;
  int good = 1;
  for (const yml_node* entry = n->first; entry; entry = entry->next) {
    if (!limb_yml_angle(c, entry, unit, radians++)) good = 0;
  }
  return good;
}

int limb_yml_numbers(yml_check* c, const yml_node* n, int count, double* values)
{
  if (!n || !is_list_of(c, n, count)) return 0;
  int good = 1;
  for (const yml_node* entry = n->first; entry; entry = entry->next) {
    if (!limb_yml_number(c, entry, values++)) good = 0;
  }
  return good;
}
