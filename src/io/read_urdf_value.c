// URDF: numbers in attributes, poses. What cannot be read is told with the form that is wanted and with what
// was found.
#include "io/read_urdf_impl.h"

#include "base/number.h"
#include "io/angles.h"
#include "io/blank.h"
#include "io/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- places ---------------------------------------------------------------------------------------

// Start of the attribute in the text of its tag; NULL when it is not found, as in a file that is not UTF-8.
static const char* find_attribute(const char* tag, const char* end, const char* attribute)
{
  const size_t length = strlen(attribute);
  char quote = 0; // inside a value: what closes it
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

limb_mark limb_urdf_mark(urdf_reader* r, const xml_node* n, const char* attribute)
{
  enum { TIMES = 8 }; // as much as the whole text: a thousand faults of one huge tag do not add up
  const limb_source* src = r->src;
  if (r->searched / TIMES > src->size) return n->mark;
  if (n->byte > src->size || n->bytes > src->size - n->byte) return n->mark;
  r->searched += n->bytes;
  const char* tag = src->text + n->byte;
  const char* at = find_attribute(tag, tag + n->bytes, attribute);
  limb_mark m = n->mark;
  for (const char* p = tag; at && p < at; p++) {
    m.column++;
    if (*p == '\n') {
      m.line++;
      m.column = 1;
    }
  }
  return m;
}

// ---- numbers --------------------------------------------------------------------------------------

static const char* wanted_form(int count)
{
  static const char* const forms[] = {"", "a number", "two numbers", "three numbers", "four numbers"};
  return forms[count];
}

static void report_numbers(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, int count,
                           const number_list* list)
{
  const char* text = limb_xml_get(n, attribute);
  const limb_mark at = limb_urdf_mark(r, n, attribute);
  if (strstr(text, "${") || strstr(text, "$(")) {
    if (r->expressions++ > 0) return;
    limb_urdf_error(r, RULE_XACRO, at, about,
                    "%s=\"%.60s\" of <%s> holds an expression of xacro, which was not evaluated", attribute, text,
                    n->name);
    return;
  }
  if (!list->bad) {
    limb_urdf_error(r, RULE_WRONG_COUNT, at, about, "%s=\"%.80s\" of <%s>: %s wanted, %d found", attribute, text,
                    n->name, wanted_form(count), list->count);
    return;
  }
  const char* bad = list->bad;
  const int length = list->bad_length < 40 ? list->bad_length : 40;
  double x;
  const int huge = limb_scan_number(bad, bad + length, &x) == bad + length;
  limb_urdf_error(r, RULE_BAD_NUMBER, at, about, "%s=\"%.80s\" of <%s>: '%.*s' is %s; %s wanted", attribute, text,
                  n->name, length, bad, huge ? "too large for a number" : "no finite number", wanted_form(count));
  if (memchr(bad, ',', (size_t)length))
    limb_report_hint(r->findings, "numbers have a decimal point and are separated by blanks");
}

int limb_urdf_numbers(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, int count,
                      double* x)
{
  double found[4];
  const char* text = limb_xml_get(n, attribute);
  if (!text) return 0;
  const number_list list = limb_scan_list(text, count, found);
  if (list.bad || list.count != count) {
    report_numbers(r, about, n, attribute, count, &list);
    return -1;
  }
  memcpy(x, found, (size_t)count * sizeof *x);
  return 1;
}

int limb_urdf_number(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, double* x)
{
  return limb_urdf_numbers(r, about, n, attribute, 1, x);
}

int limb_urdf_vector(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, sp_vec3* x)
{
  double v[3];
  const int told = limb_urdf_numbers(r, about, n, attribute, 3, v);
  if (told > 0) *x = sp_v3(v[0], v[1], v[2]);
  return told;
}

// "inf", "-Infinity" and the like: 1, -1; 0 for anything else.
static int infinite_word(const char* text)
{
  static const char* const words[] = {"inf", "infinity"};
  const int sign = *text == '-' ? -1 : 1;
  if (*text == '-' || *text == '+') text++;
  for (int w = 0; w < 2; w++) {
    int i = 0; // letters in ASCII, upper or lower case
    while (text[i] && words[w][i] && (text[i] | 0x20) == words[w][i]) i++;
    if (!text[i] && !words[w][i]) return sign;
  }
  return 0;
}

int limb_urdf_limit(urdf_reader* r, limb_subject about, const xml_node* n, const char* attribute, double* x)
{
  const double none = 1e308; // what our own writer says for "no limit", which URDF has no word for
  const char* text = limb_xml_get(n, attribute);
  const int sign = text ? infinite_word(text) : 0;
  const int told = sign ? 1 : limb_urdf_number(r, about, n, attribute, x);
  if (told > 0 && (sign || fabs(*x) >= none)) *x = (sign ? sign : *x) < 0 ? -HUGE_VAL : HUGE_VAL;
  return told;
}

// ---- poses ----------------------------------------------------------------------------------------

static void read_rpy(urdf_reader* r, limb_subject about, const xml_node* n, sp_mat3* R)
{
  double rpy[3];
  if (limb_urdf_numbers(r, about, n, "rpy", 3, rpy) <= 0) return;
  if (limb_looks_like_degrees(rpy[0]) || limb_looks_like_degrees(rpy[1]) || limb_looks_like_degrees(rpy[2]))
    limb_report(r->findings, RULE_ANGLE_DEGREES, limb_urdf_mark(r, n, "rpy"), about,
                "rpy=\"%.80s\" of <%s> is more than a turn", limb_xml_get(n, "rpy"), n->name);
  *R = limb_rot_rpy(rpy);
}

static void read_quaternion(urdf_reader* r, limb_subject about, const xml_node* n, sp_mat3* R)
{
  double q[4];
  if (limb_urdf_numbers(r, about, n, "quat_xyzw", 4, q) <= 0) return;
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const limb_mark at = limb_urdf_mark(r, n, "quat_xyzw");
  if (!(fabs(norm - 1) <= 1e-3)) {
    char text[LIMB_NUMBER_SPACE];
    (void)limb_print_number(norm, text);
    limb_urdf_error(r, RULE_BAD_VALUE, at, about, "the quaternion %s of <%s> has length %s, and should have length 1",
                    limb_xml_get(n, "quat_xyzw"), n->name, text);
    return;
  }
  if (fabs(norm - 1) > 1e-6)
    limb_report(r->findings, RULE_NORMALISED, at, about, "the quaternion of <%s> was normalised", n->name);
  *R = limb_rot_quat(q[0], q[1], q[2], q[3]);
}

sp_pose limb_urdf_pose(urdf_reader* r, limb_subject about, const xml_node* n)
{
  sp_pose X = sp_pose_identity();
  (void)limb_urdf_vector(r, about, n, "xyz", &X.p);
  read_rpy(r, about, n, &X.R);
  read_quaternion(r, about, n, &X.R);
  if (limb_xml_get(n, "rpy") && limb_xml_get(n, "quat_xyzw"))
    limb_urdf_error(r, RULE_DUPLICATE_KEY, n->mark, about, "<%s> has both rpy and quat_xyzw: only one can be meant",
                    n->name);
  return X;
}

sp_pose limb_urdf_origin(urdf_reader* r, limb_subject about, const xml_node* parent)
{
  static const char* const attributes[] = {"xyz", "rpy", "quat_xyzw", NULL};
  static const urdf_words words = {.attribute = attributes};
  const xml_node* n = limb_xml_child(parent, "origin");
  if (!n) return sp_pose_identity();
  limb_urdf_check(r, about, n, &words);
  return limb_urdf_pose(r, about, n);
}
