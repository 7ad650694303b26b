// URDF: the words that an element may contain, its numbers and poses. Mistyped names would change a robot silently, so
// every unknown word is reported, once for each name. Messages state what is expected and what was found.
#include "io/read_urdf.h"

#include "base/number.h"
#include "io/file_text.h"
#include "io/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- positions ---------------------------------------------------------------------------------------

// Start of the attribute in the text of its tag; NULL when it is not found, as in a file that is not UTF-8.
static const char* find_attribute(const char* tag, const char* end, const char* attribute)
{
  const size_t length = strlen(attribute);
  char quote = 0; // inside a value: its closing quote
  for (const char* p = tag; p + length < end; p++) {
    if (quote) {
      if (*p == quote) quote = 0;
    } else if (*p == '"' || *p == '\'') {
      quote = *p;
    } else if (p > tag && is_blank(p[-1]) && memcmp(p, attribute, length) == 0 &&
               (p[length] == '=' || is_blank(p[length]))) {
      return p;
    }
  }
  return NULL;
}

file_pos limb_urdf_attribute_pos(urdf_reader* r, const xml_node* n, const char* attribute)
{
  enum { TIMES = 8 }; // the size of the text: a thousand faults in one huge tag cannot take long
  const limb_source* src = r->src;
  if (r->searched / TIMES > src->size) return n->pos;
  if (n->byte > src->size || n->bytes > src->size - n->byte) return n->pos;
  r->searched += n->bytes;
  const char* tag = src->text + n->byte;
  const char* at = find_attribute(tag, tag + n->bytes, attribute);
  file_pos m = n->pos;
  for (const char* p = tag; at && p < at; p++) {
    m.column++;
    if (*p == '\n') {
      m.line++;
      m.column = 1;
    }
  }
  return m;
}

// ---- attributes -----------------------------------------------------------------------------------

int limb_urdf_first(urdf_reader* r, const char* element, const char* name)
{
  for (int i = 0; i < r->nreported; i++) {
    const char* other = r->reported[i].element;
    if (strcmp(r->reported[i].name, name) == 0 && (other && element ? strcmp(other, element) == 0 : other == element))
      return 0;
  }
  if (r->nreported == URDF_MAX_REPORTED) return 0;
  r->reported[r->nreported].element = element;
  r->reported[r->nreported].name = name;
  r->nreported++;
  if (r->nreported == URDF_MAX_REPORTED)
    limb_report(r->report.findings, RULE_UNKNOWN_TAG, (file_pos){0}, (limb_subject){NULL, NULL},
                "there are more unknown names than are listed");
  return 1;
}

// iyx of a symmetric matrix is ixy. 1 when name is the mirror image of an attribute.
static int is_mirrored(const xml_node* n, const char* name, const char* attributes, limb_phrase* mean)
{
  if (strlen(name) != 3 || name[0] != 'i') return 0;
  const char other[] = {'i', name[2], name[1], 0};
  if (!limb_has_word(attributes, other)) return 0;
  if (limb_xml_get(n, other))
    (void)snprintf(mean->text, sizeof mean->text, ": the matrix is symmetric, and '%s' is given", other);
  else
    (void)snprintf(mean->text, sizeof mean->text, "; did you mean '%s'?", other);
  return 1;
}

static void check_attribute(urdf_reader* r, const xml_node* n, const char* name, const urdf_words* w)
{
  limb_phrase mean;
  if (limb_has_word(w->attributes, name) || strncmp(name, "xmlns", 5) == 0) return;
  if (!w->strict && !limb_urdf_first(r, n->name, name)) return;
  const file_pos at = limb_urdf_attribute_pos(r, n, name);
  if (!is_mirrored(n, name, w->attributes, &mean)) mean = limb_suggest_word(r->report.findings, name, w->attributes);
  if (w->strict) {
    limb_report_error(&r->report, RULE_UNKNOWN_KEY, at, "<%s> has no attribute '%s'%s", n->name, name, mean.text);
    limb_report_hint(r->report.findings, "its attributes are: %s", w->attributes);
  } else {
    limb_report_note(&r->report, RULE_UNKNOWN_TAG, at, "attribute '%s' of <%s> is not known and has no effect%s", name,
                     n->name, mean.text);
  }
}

static int is_expression(const char* text) { return strstr(text, "${") || strstr(text, "$("); }

// Reports the first expression of xacro; the others are counted.
static void report_expression(urdf_reader* r, const xml_node* n, const char* attribute)
{
  if (r->expressions++ > 0) return;
  limb_report_error(&r->report, RULE_XACRO, limb_urdf_attribute_pos(r, n, attribute),
                    "%s=\"%.60s\" of <%s> contains a xacro expression, which was not evaluated", attribute,
                    limb_xml_get(n, attribute), n->name);
}

const char* limb_urdf_name(urdf_reader* r, const xml_node* n, const char* attribute, int needed)
{
  const char* name = limb_xml_get(n, attribute);
  if (!name || !*name) {
    if (needed)
      limb_report_error(&r->report, RULE_MISSING_KEY, n->pos, "<%s> needs the attribute '%s'", n->name, attribute);
    return NULL;
  }
  if (is_expression(name)) report_expression(r, n, attribute);
  return name;
}

// ---- elements -------------------------------------------------------------------------------------

// An inclusion of old xacro, without a prefix: a part of the robot is missing.
static void report_include(urdf_reader* r, const xml_node* n)
{
  limb_report_error(&r->report, RULE_XACRO, n->pos, "<%s> without the prefix xacro: is not executed: %s", n->name,
                    "what it would have added is missing");
}

static void check_child(urdf_reader* r, const xml_node* n, const urdf_words* w)
{
  const limb_subject element = {"element", n->name}, parent = r->report.about;
  if (strcmp(n->name, "include") == 0) {
    report_include(r, n);
  } else if (limb_has_word(w->ignored, n->name)) {
    if (limb_urdf_first(r, NULL, n->name))
      limb_report(r->report.findings, RULE_IGNORED, n->pos, element, "<%s> is not read, here and anywhere else",
                  n->name);
  } else if (limb_has_word("coupling closed_loop", n->name)) { // loops of other tools
    r->report.errors++;
    limb_report(r->report.findings, RULE_UNSUPPORTED, n->pos, element,
                "<%s> closes a kinematic loop in a form that is not supported", n->name);
    limb_report_hint(r->report.findings,
                     "write it as a <loop_joint>, or leave it out to get the tree without the loop");
  } else if (w->strict || limb_urdf_first(r, NULL, n->name)) {
    char known[256];
    (void)snprintf(known, sizeof known, "%s%s%s", w->children ? w->children : "", w->children && w->many ? " " : "",
                   w->many ? w->many : "");
    limb_report(r->report.findings, RULE_UNKNOWN_TAG, n->pos, element,
                "<%s> in %s%s%s%s is not known and has no effect%s", n->name, parent.kind, parent.name ? " '" : "",
                parent.name ? parent.name : "", parent.name ? "'" : "",
                limb_suggest_word(r->report.findings, n->name, known).text);
  }
}

void limb_urdf_check(urdf_reader* r, const xml_node* n, const urdf_words* w)
{
  enum { MAX_CHILDREN = 16 }; // no element has more kinds of them
  const xml_node* seen[MAX_CHILDREN] = {NULL};
  for (int i = 0; i < n->nattribute; i++) check_attribute(r, n, n->attribute[i].name, w);
  for (const xml_node* c = n->first; c; c = c->next) {
    const int word = limb_find_word(w->children, c->name, strlen(c->name));
    if (word < 0) {
      if (!limb_has_word(w->many, c->name)) check_child(r, c, w);
      continue;
    }
    if (seen[word])
      limb_report_error(&r->report, RULE_DUPLICATE_KEY, c->pos, "a second <%s>: the first is on %s", c->name,
                        limb_show_line(r->report.findings, seen[word]->pos, c->pos).text);
    else
      seen[word] = c;
  }
}

void limb_urdf_check_attributes(urdf_reader* r, const xml_node* n, const char* attributes)
{
  limb_urdf_check(r, n, &(urdf_words){.attributes = attributes});
}

const xml_node* limb_urdf_child(urdf_reader* r, const xml_node* parent, const char* name, const char* attributes)
{
  const xml_node* n = limb_xml_child(parent, name);
  if (n) limb_urdf_check_attributes(r, n, attributes);
  return n;
}

// ---- numbers --------------------------------------------------------------------------------------

static void report_numbers(urdf_reader* r, const xml_node* n, const char* attribute, int count, const number_list* list)
{
  static const char* const forms[] = {
    "", "one number", "two numbers", "three numbers", "four numbers", "five numbers", "six numbers"};
  const char* text = limb_xml_get(n, attribute);
  if (is_expression(text)) {
    report_expression(r, n, attribute);
    return;
  }
  const file_pos at = limb_urdf_attribute_pos(r, n, attribute);
  if (!list->bad) {
    limb_report_error(&r->report, RULE_WRONG_COUNT, at, "%s=\"%.80s\" of <%s>: %s expected, %d found", attribute, text,
                      n->name, forms[count], list->count);
    return;
  }
  const char* bad = list->bad;
  const int length = list->bad_length < 40 ? list->bad_length : 40;
  double x;
  const int huge = limb_scan_number(bad, bad + length, &x) == bad + length;
  limb_report_error(&r->report, RULE_BAD_NUMBER, at, "%s=\"%.80s\" of <%s>: '%.*s' is %s; %s expected", attribute, text,
                    n->name, length, bad, huge ? "too large for a number" : "not a finite number", forms[count]);
  if (memchr(bad, ',', (size_t)length))
    limb_report_hint(r->report.findings, "write numbers with a decimal point and separate them by blanks");
}

int limb_urdf_numbers(urdf_reader* r, const xml_node* n, const char* attribute, int count, double* x)
{
  double found[LIMB_JOINT_DOFS];
  const char* text = limb_xml_get(n, attribute);
  if (!text) return 0;
  const number_list list = limb_scan_list(text, count, found);
  if (list.bad || list.count != count) {
    report_numbers(r, n, attribute, count, &list);
    return -1;
  }
  memcpy(x, found, (size_t)count * sizeof *x);
  return 1;
}

int limb_urdf_number(urdf_reader* r, const xml_node* n, const char* attribute, double* x)
{
  return limb_urdf_numbers(r, n, attribute, 1, x);
}

int limb_urdf_vector(urdf_reader* r, const xml_node* n, const char* attribute, sp_vec3* x)
{
  double v[3];
  const int given = limb_urdf_numbers(r, n, attribute, 3, v);
  if (given > 0) *x = sp_v3(v[0], v[1], v[2]);
  return given;
}

int limb_urdf_property(urdf_reader* r, const xml_node* n, const property* p, void* to)
{
  double x = 0;
  if (limb_urdf_number(r, n, p->key, &x) <= 0) return 0;
  if (is_possible(p, x)) {
    set_property(p, x, to);
    return 1;
  }
  limb_report_error(&r->report, RULE_BAD_VALUE, limb_urdf_attribute_pos(r, n, p->key),
                    "%s=\"%.60s\" of <%s> must not be %s", p->key, limb_xml_get(n, p->key), n->name,
                    p->rule & NONZERO ? "zero" : "negative");
  return 0;
}

// "inf", "-Infinity" and the like: 1, -1; 0 for anything else.
static int infinite_word(const char* text)
{
  static const char* const words[] = {"inf", "infinity"};
  const int sign = *text == '-' ? -1 : 1;
  if (*text == '-' || *text == '+') text++;
  for (int w = 0; w < 2; w++) {
    int i = 0;
    while (text[i] && words[w][i] && lower_case(text[i]) == words[w][i]) i++;
    if (!text[i] && !words[w][i]) return sign;
  }
  return 0;
}

int limb_urdf_limit(urdf_reader* r, const xml_node* n, const char* attribute, double* x)
{
  const double none = 1e308; // what limb writes for "no limit", which URDF cannot express
  const char* text = limb_xml_get(n, attribute);
  const int sign = text ? infinite_word(text) : 0;
  const int given = sign ? 1 : limb_urdf_number(r, n, attribute, x);
  if (given > 0 && (sign || fabs(*x) >= none)) *x = (sign ? sign : *x) < 0 ? -HUGE_VAL : HUGE_VAL;
  return given;
}

// ---- poses ----------------------------------------------------------------------------------------

static void read_rpy(urdf_reader* r, const xml_node* n, sp_mat3* R)
{
  double rpy[3];
  if (limb_urdf_numbers(r, n, "rpy", 3, rpy) <= 0) return;
  if (limb_looks_like_degrees(rpy[0]) || limb_looks_like_degrees(rpy[1]) || limb_looks_like_degrees(rpy[2]))
    limb_report_note(&r->report, RULE_ANGLE_DEGREES, limb_urdf_attribute_pos(r, n, "rpy"),
                     "rpy=\"%.80s\" of <%s> is more than one turn", limb_xml_get(n, "rpy"), n->name);
  *R = limb_rot_rpy(rpy);
}

static void read_quaternion(urdf_reader* r, const xml_node* n, sp_mat3* R)
{
  double q[4];
  if (limb_urdf_numbers(r, n, "quat_xyzw", 4, q) <= 0) return;
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const file_pos at = limb_urdf_attribute_pos(r, n, "quat_xyzw");
  if (!(fabs(norm - 1) <= 1e-3)) {
    limb_report_error(&r->report, RULE_BAD_VALUE, at, "the quaternion %s of <%s> has length %s instead of 1",
                      limb_xml_get(n, "quat_xyzw"), n->name, limb_show(norm).text);
    return;
  }
  if (fabs(norm - 1) > 1e-6)
    limb_report_note(&r->report, RULE_NORMALISED, at, "the quaternion of <%s> was normalised", n->name);
  *R = limb_rot_quat(q[0], q[1], q[2], q[3]);
}

sp_pose limb_urdf_pose(urdf_reader* r, const xml_node* n)
{
  sp_pose X = sp_pose_identity();
  (void)limb_urdf_vector(r, n, "xyz", &X.p);
  read_rpy(r, n, &X.R);
  read_quaternion(r, n, &X.R);
  if (limb_xml_get(n, "rpy") && limb_xml_get(n, "quat_xyzw"))
    limb_report_error(&r->report, RULE_DUPLICATE_KEY, n->pos, "<%s> has both rpy and quat_xyzw: remove one", n->name);
  return X;
}

sp_pose limb_urdf_origin(urdf_reader* r, const xml_node* parent)
{
  const xml_node* n = limb_urdf_child(r, parent, "origin", URDF_POSE_WORDS);
  return n ? limb_urdf_pose(r, n) : sp_pose_identity();
}
