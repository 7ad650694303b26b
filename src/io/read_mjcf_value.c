// MJCF: default classes, and attributes as numbers, words and poses. A class gives attributes to elements of a kind;
// what it does not give is inherited from its parent, and so on up to the class main.
#include "io/read_mjcf.h"

#include "io/geometry.h"

#include <stdio.h>
#include <string.h>

limb_subject limb_mjcf_subject(const xml_node* n)
{
  const char* name = limb_xml_get(n, "name");
  return name ? (limb_subject){n->name, name} : (limb_subject){"element", n->name};
}

void limb_mjcf_report(mjcf* m, limb_rule rule, const xml_node* n, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  limb_report_args(m->findings, rule, n->pos, limb_mjcf_subject(n), format, args);
  va_end(args);
}

const char* limb_mjcf_join(mjcf* m, const char* a, const char* b, const char* c)
{
  const char* text = limb_mempool_join(m->pool, a, b, c);
  m->no_memory |= !text;
  return text;
}

void* limb_mjcf_grow(mjcf* m, void* items, int* cap, int count, size_t size)
{
  void* all = limb_mempool_grow(m->pool, items, cap, count, size);
  m->no_memory |= !all;
  return all;
}

const char* limb_mjcf_name(mjcf* m, const xml_node* n, const char* stem, const char* middle, int number, int unnamed)
{
  const char* name = limb_mjcf_scoped(m, n, "name");
  if (name && *name) return name;
  char digits[16];
  (void)snprintf(digits, sizeof digits, "%d", number);
  name = limb_mjcf_join(m, stem, middle, digits);
  if (!name || !unnamed || m->unnamed++ > 0) return name;
  m->first_unnamed = n->pos;
  m->first_given = name;
  return name;
}

// ---- default classes ------------------------------------------------------------------------------

enum { MAX_DEPTH = 64 }; // classes above a class: every attribute searches them

static const char kinds[] = "joint geom site tendon equality general mesh material"; // mjcf_kind

static const char* class_name(const void* context, int i) { return ((const mjcf_model*)context)->class_list[i].name; }

// A new class; -1 when out of memory or too deep.
static int add_class(mjcf* m, const char* name, int parent, file_pos at)
{
  const int depth = parent < 0 ? 0 : m->model->class_list[parent].depth + 1;
  if (depth > MAX_DEPTH) {
    limb_report(m->findings, RULE_TOO_DEEP, at, (limb_subject){"default", name},
                "default classes are nested more than %d deep", MAX_DEPTH);
    return -1;
  }
  mjcf_class* all = limb_mjcf_grow(m, m->model->class_list, &m->model->class_cap, m->model->nclass, sizeof *all);
  if (!all) return -1;
  m->model->class_list = all;
  m->model->class_list[m->model->nclass] = (mjcf_class){.name = name, .pos = at, .parent = parent, .depth = depth};
  return m->model->nclass++;
}

// Defaults of elements that do not affect dynamics.
static const char other_defaults[] = "camera light pair adhesion plugin flex default";

// Actuators share their defaults.
static const char actuators[] = "motor position velocity cylinder muscle intvelocity damper dcmotor pid orientation";

// 1 when the defaults of an actuator were given before, for another kind of it.
static int is_second_actuator(mjcf* m, const xml_node* c, const xml_node* first)
{
  if (!first || strcmp(first->name, c->name) == 0) return 0;
  if (limb_xml_get(c, "armature") || limb_xml_get(c, "damping") || limb_xml_get(c, "gear"))
    limb_mjcf_report(m, RULE_DROPPED, c, "the class has defaults of <%s> already: these are not used", first->name);
  return 1;
}

static void read_items(mjcf* m, const xml_node* n, int index)
{
  for (const xml_node* c = n->first; c; c = c->next) {
    int kind = limb_find_word(kinds, c->name, strlen(c->name));
    if (kind < 0 && limb_has_word(actuators, c->name)) kind = MJCF_GENERAL;
    if (kind < 0) {
      if (!limb_has_word(other_defaults, c->name))
        limb_report_once(m->findings, RULE_UNKNOWN_TAG, c->pos, (limb_subject){"default", c->name},
                         "MJCF has no defaults for <%s>", c->name);
      continue;
    }
    const xml_node** item = &m->model->class_list[index].item[kind];
    if (kind == MJCF_GENERAL && is_second_actuator(m, c, *item)) continue;
    if (*item)
      limb_report(m->findings, RULE_DUPLICATE_KEY, c->pos, (limb_subject){"default", c->name},
                  "this class already has a <%s>, on %s", c->name,
                  limb_show_line(m->findings, (*item)->pos, c->pos).text);
    else
      *item = c;
  }
}

// A class and those in it; parent -1: a section. Recursion is limited by the depth of XML.
static void read_class(mjcf* m, const xml_node* n, int parent)
{
  const char* name = limb_xml_get(n, "class");
  limb_mjcf_check_attributes(m, n, "class", NULL, 0);
  if (!name && m->model->main_class != parent) {
    limb_report(m->findings, RULE_NO_NAME, n->pos, (limb_subject){"default", NULL},
                "a default class inside another needs a class attribute");
    return;
  }
  const int index = add_class(m, name ? name : "main", parent, n->pos);
  if (index < 0) return;
  read_items(m, n, index);
  for (const xml_node* c = limb_xml_child(n, "default"); c; c = limb_xml_next(c)) read_class(m, c, index);
}

// A section adds to the class main: later sections change it, earlier classes keep what they inherited.
static void read_section(mjcf* m, const xml_node* n)
{
  const int before = m->model->nclass;
  read_class(m, n, m->model->main_class);
  if (m->model->nclass == before) return;
  m->model->class_list[before].section = 1;
  m->model->main_class = before;
}

static void enter_names(mjcf* m)
{
  if (!limb_mempool_new_names(m->pool, &m->model->class_names, m->model->nclass)) {
    m->no_memory = 1;
    return;
  }
  if (m->model->main_class >= 0)
    limb_names_put(&m->model->class_names, m->model->class_list[m->model->main_class].name, m->model->main_class);
  for (int i = 0; i < m->model->nclass; i++) {
    const mjcf_class* c = &m->model->class_list[i];
    const int first = limb_names_find(&m->model->class_names, c->name, class_name, m->model);
    if (first < 0)
      limb_names_put(&m->model->class_names, c->name, i);
    else if (first != i && !(c->section && m->model->class_list[first].section))
      limb_report(m->findings, RULE_DUPLICATE_NAME, c->pos, (limb_subject){"default", c->name},
                  "the default class on %s has the same name",
                  limb_show_line(m->findings, m->model->class_list[first].pos, c->pos).text);
  }
}

void limb_mjcf_read_defaults(mjcf* m)
{
  m->model->main_class = -1;
  for (const xml_node* n = limb_xml_child(m->model->root, "default"); n; n = limb_xml_next(n)) read_section(m, n);
  enter_names(m);
}

int limb_mjcf_named_class(mjcf* m, const xml_node* n, const char* attribute, int inherited)
{
  const char* name = limb_xml_get(n, attribute);
  if (!name || m->no_memory) return inherited;
  const int found = limb_names_find(&m->model->class_names, name, class_name, m->model);
  if (found >= 0) return found;
  if (strcmp(name, "main") == 0) return m->model->main_class;
  limb_mjcf_report(m, RULE_BAD_VALUE, n, "there is no default class '%s'%s", name,
                   limb_did_you_mean(m->s->findings, name, m->model->nclass, class_name, m->model).text);
  return inherited;
}

mjcf_item limb_mjcf_make_item(mjcf* m, const xml_node* n, mjcf_kind kind, int childclass)
{
  return (mjcf_item){n, kind, limb_mjcf_named_class(m, n, "class", childclass), m->scope};
}

mjcf_item limb_mjcf_plain(const xml_node* n) { return (mjcf_item){n, MJCF_PLAIN, -1, NULL}; }

const char* limb_mjcf_get(const mjcf* m, mjcf_item it, const char* name)
{
  const char* value = limb_xml_get(it.node, name);
  if (it.kind == MJCF_PLAIN) return value;
  for (int c = it.class_index; !value && c >= 0; c = m->model->class_list[c].parent) {
    if (m->model->class_list[c].item[it.kind]) value = limb_xml_get(m->model->class_list[c].item[it.kind], name);
  }
  return value;
}

// ---- numbers and words ----------------------------------------------------------------------------

// Scans min to max numbers; 0 after an error.
static int scan_numbers(mjcf* m, mjcf_item it, const char* name, const char* text, int min, int max, double* x)
{
  const number_list list = limb_scan_list(text, max, x);
  if (!list.bad && list.count >= min && list.count <= max) return list.count;
  char count[40];
  if (min == max)
    (void)snprintf(count, sizeof count, "%d number%s", min, min == 1 ? "" : "s");
  else
    (void)snprintf(count, sizeof count, "%d to %d numbers", min, max);
  if (list.bad)
    limb_mjcf_report(m, RULE_BAD_NUMBER, it.node, "%s=\"%.60s\" should be %s", name, text, count);
  else
    limb_mjcf_report(m, RULE_WRONG_COUNT, it.node, "%s=\"%.60s\" should be %s, found %d", name, text, count,
                     list.count);
  return 0;
}

int limb_mjcf_numbers(mjcf* m, mjcf_item it, const char* name, int min, int max, double* x)
{
  enum { MAX = 8 };
  double found[MAX];
  const char* text = limb_mjcf_get(m, it, name);
  if (!text) return 0;
  const int n = scan_numbers(m, it, name, text, min, max < MAX ? max : MAX, found);
  if (n) memcpy(x, found, (size_t)n * sizeof *x);
  return n;
}

int limb_mjcf_layered(mjcf* m, mjcf_item it, const char* name, double x[3])
{
  int given = 0; // numbers that the element or a nearer class has set
  const char* text = limb_xml_get(it.node, name);
  for (int c = it.class_index;; c = m->model->class_list[c].parent) {
    double own[3];
    const int n = text ? scan_numbers(m, it, name, text, 1, 3, own) : 0;
    if (text && n == 0) return -1;
    for (; given < n; given++) x[given] = own[given];
    if (c < 0) return given;
    const xml_node* layer = m->model->class_list[c].item[it.kind];
    text = layer ? limb_xml_get(layer, name) : NULL;
  }
}

int limb_mjcf_word(mjcf* m, mjcf_item it, const char* name, const char* words, int fallback)
{
  const char* text = limb_mjcf_get(m, it, name);
  if (!text) return fallback;
  const int index = limb_find_word(words, text, strlen(text));
  if (index >= 0) return index;
  limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "%s=\"%.60s\" should be one of: %s", name, text, words);
  return fallback;
}

void limb_mjcf_check_attributes(mjcf* m, const xml_node* n, const char* used, const char* ignored, int quiet)
{
  for (int i = 0; i < n->nattribute; i++) {
    const char* name = n->attribute[i].name;
    if (limb_has_word(used, name)) continue;
    char both[LIMB_WHERE_SPACE];
    (void)snprintf(both, sizeof both, "%.40s %.40s", n->name, name);
    if (limb_has_word(ignored, name)) {
      if (!quiet)
        limb_report_once(m->findings, RULE_IGNORED, n->pos, (limb_subject){"attribute", both}, "it has no effect");
    } else if (m->findings) {
      limb_report_once(m->findings, RULE_UNKNOWN_TAG, n->pos, (limb_subject){"attribute", both},
                       "<%s> has no known attribute of this name%s", n->name,
                       limb_suggest_word(m->findings, name, used).text);
    }
  }
}

// ---- orientations ---------------------------------------------------------------------------------

// The smallest rotation from z to the direction of v.
static sp_mat3 rotation_to(sp_vec3 v) { return limb_rot_to(sp_v3(0, 0, 1), sp_scale3(1 / sp_norm3(v), v)); }

static sp_mat3 from_euler(const mjcf* m, const double x[3])
{
  sp_mat3 R = sp_identity3();
  for (int i = 0; i < 3; i++) {
    const char letter = m->model->eulerseq[i];
    const int fixed = letter < 'a'; // upper case: axes of the parent
    const char low = (char)(fixed ? letter - 'A' + 'a' : letter);
    double rpy[3] = {0, 0, 0};
    rpy[low - 'x'] = m->model->angle * x[i];
    const sp_mat3 one = limb_rot_rpy(rpy);
    R = fixed ? sp_mul3(one, R) : sp_mul3(R, one);
  }
  return R;
}

static sp_mat3 from_axes(sp_vec3 x, sp_vec3 y)
{
  x = sp_scale3(1 / sp_norm3(x), x);
  y = sp_sub3(y, sp_scale3(sp_dot3(x, y), x));
  y = sp_scale3(1 / sp_norm3(y), y);
  const sp_vec3 z = sp_cross3(x, y);
  const sp_mat3 R = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  return R;
}

sp_mat3 limb_mjcf_euler(mjcf* m, const xml_node* n, double times)
{
  double x[3] = {0, 0, 0};
  (void)limb_mjcf_numbers(m, limb_mjcf_plain(n), "euler", 3, 3, x);
  for (int i = 0; i < 3; i++) x[i] *= times;
  return from_euler(m, x);
}

typedef enum turn { QUAT, AXISANGLE, XYAXES, ZAXIS, EULER, TURNS } turn;

// 0 when the numbers are no rotation.
static int to_rotation(const mjcf* m, turn how, const double x[6], sp_mat3* R)
{
  const double tiny = 1e-14;
  const sp_vec3 a = sp_v3(x[0], x[1], x[2]), b = sp_v3(x[3], x[4], x[5]);
  const double length = sp_norm3(a);
  switch (how) {
  case QUAT:
    if (sp_dot3(a, a) + x[3] * x[3] < tiny) return 0;
    *R = limb_rot_quat(x[1], x[2], x[3], x[0]);
    return 1;
  case AXISANGLE:
    if (length < tiny) return 0;
    *R = limb_rot_axis(sp_scale3(1 / length, a), m->model->angle * x[3]);
    return 1;
  case XYAXES:
    if (length < tiny || sp_norm3(sp_cross3(a, b)) < tiny * length) return 0;
    *R = from_axes(a, b);
    return 1;
  case ZAXIS:
    if (length < tiny) return 0;
    *R = rotation_to(a);
    return 1;
  case EULER: *R = from_euler(m, x); return 1;
  case TURNS: break;
  }
  return 0;
}

static sp_mat3 orientation(mjcf* m, mjcf_item it)
{
  static const char* const names[TURNS] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
  static const int counts[TURNS] = {4, 4, 6, 3, 3};
  sp_mat3 R = sp_identity3();
  int given = -1;
  for (int how = 0; how < TURNS; how++) {
    if (!limb_mjcf_get(m, it, names[how])) continue;
    if (given >= 0) {
      limb_mjcf_report(m, RULE_DUPLICATE_KEY, it.node, "its orientation is given twice, as %s and %s", names[given],
                       names[how]);
      return R;
    }
    given = how;
  }
  double x[6] = {0};
  if (given < 0 || !limb_mjcf_numbers(m, it, names[given], counts[given], counts[given], x)) return R;
  if (!to_rotation(m, (turn)given, x, &R))
    limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "%s=\"%.60s\" is not an orientation", names[given],
                     limb_mjcf_get(m, it, names[given]));
  return R;
}

sp_pose limb_mjcf_pose(mjcf* m, mjcf_item it)
{
  double p[3] = {0, 0, 0};
  (void)limb_mjcf_numbers(m, it, "pos", 3, 3, p);
  return sp_pose_make(orientation(m, it), sp_v3(p[0], p[1], p[2]));
}

int limb_mjcf_fromto(mjcf* m, mjcf_item it, sp_pose* X, double* half)
{
  double x[6];
  if (!limb_mjcf_numbers(m, it, "fromto", 6, 6, x)) return 0;
  const sp_vec3 a = sp_v3(x[0], x[1], x[2]), b = sp_v3(x[3], x[4], x[5]);
  const sp_vec3 along = sp_sub3(a, b); // z, as in MuJoCo
  if (sp_norm3(along) < 1e-14) {
    limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "both points of fromto are the same");
    return 0;
  }
  *half = sp_norm3(along) / 2;
  *X = sp_pose_make(rotation_to(along), sp_scale3(0.5, sp_add3(a, b)));
  return 1;
}
