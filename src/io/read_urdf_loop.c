// URDF: loops, beside the tree of joints. URDF itself has none, but tools have several forms:
//   <loop_joint>   Isaac Sim, and formerly Drake: <link1>, <link2>, each with its pose, and one <axis>
//   <loop>         URDF+: <predecessor>, <successor>, each with its <origin>, and one <axis>
//   <constraint>   proposed for urdfdom (pull request 264): <parent>, <child>, origin and axis of each
// All of them are read with the same types. What they cannot express is in limb's own element <limb>.
#include "io/read_urdf.h"

#include "io/file_text.h"
#include "io/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- forms and types ----------------------------------------------------------------------------------------

typedef struct loop_form {
  const char* element;
  const char* end[2];    // elements that name the links of a and b
  const char* origin[2]; // elements with their poses; NULL: <origin> inside the end
  const char* axis[2];   // elements with the axes, each in its own frame
} loop_form;

static const loop_form forms[] = {
  {"loop_joint", {"link1", "link2"}, {NULL, NULL}, {"axis", "axis"}},
  {"loop", {"predecessor", "successor"}, {NULL, NULL}, {"axis", "axis"}},
  {"constraint", {"parent", "child"}, {"parent_origin", "child_origin"}, {"parent_axis", "child_axis"}},
};

// Forms with poses of their own have an axis for each end, the others one for both.
static int one_axis(const loop_form* f) { return !f->origin[0]; }

// What the axis of a loop is. Universal: x of a is along the first axis, y of b along the second.
typedef enum axis_use { NO_AXIS, BOTH_Z, X_AND_Y } axis_use;

typedef struct loop_type {
  const char* name;
  limb_loop_kind kind;
  axis_use axis;
} loop_type;

static const loop_type types[] = {
  {"revolute", LIMB_LOOP_PIN, BOTH_Z},
  {"continuous", LIMB_LOOP_PIN, BOTH_Z},
  {"prismatic", LIMB_LOOP_SLIDER, BOTH_Z},
  {"fixed", LIMB_LOOP_WELD, NO_AXIS},
  {"spherical", LIMB_LOOP_BALL, NO_AXIS},
  {"planar", LIMB_LOOP_PLANAR, BOTH_Z},
  {"cylindrical", LIMB_LOOP_CYLINDRICAL, BOTH_Z},
  {"universal", LIMB_LOOP_UNIVERSAL, X_AND_Y},
  {"pin", LIMB_LOOP_PIN, BOTH_Z},
  {"slider", LIMB_LOOP_SLIDER, BOTH_Z},
  {"weld", LIMB_LOOP_WELD, NO_AXIS},
  {"ball", LIMB_LOOP_BALL, NO_AXIS},
  {"lock", LIMB_LOOP_LOCK, NO_AXIS},
  {"point_on_line", LIMB_LOOP_POINT_ON_LINE, NO_AXIS},
  {"point_on_plane", LIMB_LOOP_POINT_ON_PLANE, NO_AXIS},
  {"distance", LIMB_LOOP_DISTANCE, NO_AXIS},
  {"gear", LIMB_LOOP_GEAR, NO_AXIS},
  {"polynomial", LIMB_LOOP_POLYNOMIAL, NO_AXIS},
  {"knife_edge", LIMB_LOOP_KNIFE_EDGE, NO_AXIS},
  {"wheel", LIMB_LOOP_WHEEL, NO_AXIS},
  {"rolling_disc", LIMB_LOOP_ROLLING_DISC, NO_AXIS},
};

static const char* type_name(const void* context, int i)
{
  (void)context;
  return types[i].name;
}

// One element while it is read.
typedef struct loop_reader {
  urdf_reader* r;
  const xml_node* n;
  const loop_form* form;
  const loop_type* type;
  raw_loop* x;
} loop_reader;

static const loop_type* read_type(urdf_reader* r, const xml_node* n)
{
  const char* name = limb_urdf_name(r, n, "type", 1);
  if (!name) return NULL;
  for (int i = 0; i < COUNT(types); i++) {
    if (strcmp(types[i].name, name) == 0) return &types[i];
  }
  limb_report_error(&r->report, RULE_BAD_LOOP, limb_urdf_attribute_pos(r, n, "type"), "there is no loop type '%.60s'%s",
                    name, limb_did_you_mean(r->report.findings, name, COUNT(types), type_name, NULL).text);
  limb_report_hint(
    r->report.findings,
    "types are revolute, prismatic, fixed, spherical, planar, cylindrical, universal; and, in limb only, lock, "
    "point_on_line, point_on_plane, distance, gear, polynomial, knife_edge, wheel, rolling_disc");
  return NULL;
}

// ---- ends -----------------------------------------------------------------------------------------

static int has_pose(const xml_node* n)
{
  return limb_xml_get(n, "xyz") || limb_xml_get(n, "rpy") || limb_xml_get(n, "quat_xyzw");
}

// The element of an end; NULL after an error. The manual of Isaac Sim calls both of them <link1>.
static const xml_node* find_end(const loop_reader* t, int k)
{
  const char *first = t->form->end[0], *name = t->form->end[k];
  const xml_node *n = limb_xml_child(t->n, name), *one = limb_xml_child(t->n, first);
  const xml_node* twin = one ? limb_xml_next(one) : NULL;
  if (!n && k == 1 && twin) {
    limb_report_note(&t->r->report, RULE_ASSUMED, twin->pos,
                     "there are two <%s> and no <%s>: the second one is used instead", first, name);
    if (limb_xml_next(twin))
      limb_report_error(&t->r->report, RULE_DUPLICATE_KEY, limb_xml_next(twin)->pos,
                        "a third <%s>: a loop connects two links", first);
    return twin;
  }
  if (!n)
    limb_report_error(&t->r->report, RULE_MISSING_KEY, t->n->pos, "it has no <%s link=>", name);
  else if (limb_xml_next(n) && (k == 1 || limb_xml_child(t->n, t->form->end[1])))
    limb_report_error(&t->r->report, RULE_DUPLICATE_KEY, limb_xml_next(n)->pos, "a second <%s>: the first is on %s",
                      name, limb_show_line(t->r->report.findings, n->pos, limb_xml_next(n)->pos).text);
  return n;
}

static sp_pose read_pose(const loop_reader* t, const xml_node* end, int k)
{
  const char* origin = t->form->origin[k];
  if (origin) {
    const xml_node* n = limb_urdf_child(t->r, t->n, origin, URDF_POSE_WORDS);
    return n ? limb_urdf_pose(t->r, n) : sp_pose_identity();
  }
  if (!has_pose(end)) return limb_urdf_origin(t->r, end);
  if (limb_xml_child(end, "origin"))
    limb_report_error(&t->r->report, RULE_DUPLICATE_KEY, end->pos,
                      "<%s> has a pose of its own and an <origin>: remove one", end->name);
  return limb_urdf_pose(t->r, end);
}

static void read_end(const loop_reader* t, int k)
{
  static const urdf_words placed = {.attributes = "link " URDF_POSE_WORDS, .children = "origin"};
  static const urdf_words plain = {.attributes = "link"};
  const xml_node* n = find_end(t, k);
  if (!n) return;
  limb_urdf_check(t->r, n, t->form->origin[k] ? &plain : &placed);
  const char* link = limb_urdf_name(t->r, n, "link", 1);
  raw_end* end = &t->x->end[k];
  end->body = link ? link : "";
  end->pos = n->pos;
  end->pose = read_pose(t, n, k);
}

// ---- axes -----------------------------------------------------------------------------------------

// The axis of end k in its frame; fallback when the file gives none.
static sp_vec3 read_axis(const loop_reader* t, int k, sp_vec3 fallback)
{
  const xml_node* n = limb_urdf_child(t->r, t->n, t->form->axis[k], "xyz");
  sp_vec3 a = fallback;
  const int given = n ? limb_urdf_vector(t->r, n, "xyz", &a) : 0;
  if (given > 0 && limb_is_zero(a)) {
    limb_report_error(&t->r->report, RULE_BAD_AXIS, limb_urdf_attribute_pos(t->r, n, "xyz"),
                      "its axis is zero, but the loop is %s", t->type->name);
    return fallback;
  }
  if (given == 0 && t->type->axis == BOTH_Z)
    limb_report_note(&t->r->report, RULE_ASSUMED, n ? n->pos : t->n->pos,
                     "it has no <%s>: 1 0 0 is assumed, the default of URDF", t->form->axis[k]);
  return a;
}

static void turn_end(const loop_reader* t, int k, sp_vec3 from, sp_vec3 to)
{
  sp_mat3* R = &t->x->end[k].pose.R;
  *R = sp_mul3(*R, limb_rot_to(from, limb_unit(to)));
}

static void refuse_axes(const loop_reader* t)
{
  for (int k = 0; k < 2; k++) {
    const xml_node* n = limb_xml_child(t->n, t->form->axis[k]);
    if (!n || (k == 1 && one_axis(t->form))) continue;
    limb_report_note(&t->r->report, RULE_IGNORED, n->pos,
                     "<%s> has no effect on a loop of type %s: its frames are the origins", n->name, t->type->name);
  }
}

static void read_axes(const loop_reader* t, const xml_node* own)
{
  const sp_vec3 x = sp_v3(1, 0, 0), y = sp_v3(0, 1, 0), z = sp_v3(0, 0, 1);
  const int one = one_axis(t->form);
  if (t->type->axis == NO_AXIS) {
    refuse_axes(t);
    return;
  }
  const sp_vec3 first = read_axis(t, 0, x);
  if (t->type->axis == BOTH_Z) {
    turn_end(t, 0, z, first);
    turn_end(t, 1, z, one ? first : read_axis(t, 1, x));
    return;
  }
  sp_vec3 second = one ? y : read_axis(t, 1, y);
  if (own && limb_urdf_vector(t->r, own, "axis2", &second) > 0 && limb_is_zero(second)) {
    limb_report_error(&t->r->report, RULE_BAD_AXIS, limb_urdf_attribute_pos(t->r, own, "axis2"),
                      "its second axis is zero");
    second = y;
  }
  turn_end(t, 0, x, first);
  turn_end(t, 1, y, second);
}

// ---- <limb> of a loop -----------------------------------------------------------------------------

static void check_properties(const loop_reader* t, const xml_node* own)
{
  for (int i = 0; i < NLOOP_PROPERTY; i++) {
    const char* name = loop_properties[i].name;
    const int given = own && limb_xml_get(own, name), possible = loop_has(i, t->type->kind);
    if (given && !possible)
      limb_report_error(&t->r->report, RULE_BAD_LOOP, limb_urdf_attribute_pos(t->r, own, name),
                        "a loop of type %s has no %s", t->type->name, name);
    else if (!given && loop_properties[i].needed && possible)
      limb_report_error(&t->r->report, RULE_MISSING_KEY, own ? own->pos : t->n->pos,
                        "a loop of type %s needs <limb %s=\"...\"/>", t->type->name, name);
  }
}

// Directions, separated by blanks.
static void read_locked(const loop_reader* t, const xml_node* own)
{
  const char* word = limb_xml_get(own, "locked");
  for (size_t length = 0; word && *word; word += length) {
    while (is_blank(*word)) word++;
    for (length = 0; word[length] && !is_blank(word[length]);) length++;
    if (length == 0) return;
    const int i = limb_find_word(DIRECTIONS, word, length);
    const file_pos at = limb_urdf_attribute_pos(t->r, own, "locked");
    if (i < 0)
      limb_report_error(&t->r->report, RULE_BAD_VALUE, at,
                        "locked: '%.*s' is not one of turn_x, turn_y, turn_z, move_x, move_y, move_z",
                        length > 40 ? 40 : (int)length, word);
    else if (t->x->def.locked & 1u << i)
      limb_report_error(&t->r->report, RULE_BAD_VALUE, at, "%s appears twice in locked", direction_words[i]);
    else
      t->x->def.locked |= 1u << i;
  }
}

static void read_coefficients(const loop_reader* t, const xml_node* own)
{
  const char* text = limb_xml_get(own, "coefficients");
  double c[LIMB_LOOP_COEFFICIENTS];
  if (!text) return;
  const number_list list = limb_scan_list(text, LIMB_LOOP_COEFFICIENTS, c);
  const file_pos at = limb_urdf_attribute_pos(t->r, own, "coefficients");
  if (list.bad)
    limb_report_error(&t->r->report, RULE_BAD_NUMBER, at, "coefficients=\"%.80s\": '%.*s' is not a finite number", text,
                      list.bad_length > 40 ? 40 : list.bad_length, list.bad);
  else if (list.count < 1 || list.count > LIMB_LOOP_COEFFICIENTS)
    limb_report_error(&t->r->report, RULE_WRONG_COUNT, at, "coefficients=\"%.80s\": 1 to %d numbers expected, %d found",
                      text, LIMB_LOOP_COEFFICIENTS, list.count);
  else
    memcpy(t->x->def.coefficient, c, (size_t)list.count * sizeof c[0]);
}

static void read_law(const loop_reader* t, const xml_node* own)
{
  const xml_node* n = limb_xml_child(own, "law");
  limb_prescribed_motion* law = &t->x->def.motion;
  double row = 0;
  if (!n) return;
  limb_urdf_check(t->r, n, &(urdf_words){.attributes = "row constant rate amplitude frequency phase", .strict = 1});
  for (int i = 0; i < NLAW_PROPERTY; i++) (void)limb_urdf_property(t->r, n, &law_properties[i], law);
  if (limb_urdf_number(t->r, n, "row", &row) <= 0) return;
  if (row >= 0 && row < 6 && row == floor(row))
    law->constraint = (int)row;
  else
    limb_report_error(&t->r->report, RULE_BAD_VALUE, limb_urdf_attribute_pos(t->r, n, "row"),
                      "row=\"%.60s\" of <law> must be one of 0, 1, ..., 5", limb_xml_get(n, "row"));
}

static void read_own(const loop_reader* t, const xml_node* own)
{
  static const urdf_words words = {
    .attributes = "locked length radius joint other ratio offset coefficients axis2", .children = "law", .strict = 1};
  limb_loop_def* def = &t->x->def;
  limb_urdf_check(t->r, own, &words);
  read_locked(t, own);
  read_coefficients(t, own);
  read_law(t, own);
  if (t->type->kind == LIMB_LOOP_GEAR) def->coefficient[1] = 1;
  for (int i = 0; i < NLOOP_NUMBER; i++) {
    double x = 0; // the builder checks its range
    if (limb_urdf_number(t->r, own, loop_numbers[i].key, &x) > 0 &&
        loop_has(loop_property(loop_numbers[i].key), t->type->kind))
      set_property(&loop_numbers[i], x, def);
  }
  const char *joint = limb_urdf_name(t->r, own, "joint", 0), *other = limb_urdf_name(t->r, own, "other", 0);
  if (joint) t->x->joint = joint;
  if (other) t->x->other = other;
}

// ---- the loop -------------------------------------------------------------------------------------

int limb_urdf_is_loop(const xml_node* n)
{
  for (int i = 0; i < COUNT(forms); i++) {
    if (strcmp(n->name, forms[i].element) == 0) return 1;
  }
  return 0;
}

// The words of an element: ends may appear twice, which find_end checks.
static void check_words(const loop_reader* t)
{
  const loop_form* f = t->form;
  char children[80], many[40];
  (void)snprintf(many, sizeof many, "%s %s", f->end[0], f->end[1]);
  if (one_axis(f))
    (void)snprintf(children, sizeof children, "limb %s", f->axis[0]);
  else
    (void)snprintf(children, sizeof children, "limb %s %s %s %s", f->axis[0], f->axis[1], f->origin[0], f->origin[1]);
  limb_urdf_check(t->r, t->n, &(urdf_words){.attributes = "name type", .children = children, .many = many});
}

int limb_urdf_loop(urdf_reader* r, const xml_node* n)
{
  const loop_form* form = forms;
  while (strcmp(form->element, n->name) != 0) form++;
  loop_reader t = {.r = r, .n = n, .form = form};
  r->report.about = (limb_subject){"loop", limb_xml_get(n, "name")};
  const char* name = limb_urdf_name(r, n, "name", 0);
  check_words(&t);
  t.type = read_type(r, n);
  t.x = limb_raw_add_loop(r->raw, name, t.type ? t.type->kind : LIMB_LOOP_WELD, n->pos);
  if (!t.x) return 0;
  if (!t.type) return 1; // the meaning of the rest depends on it
  const xml_node* own = limb_xml_child(n, "limb");
  check_properties(&t, own);
  if (own) read_own(&t, own);
  for (int k = 0; k < 2; k++) {
    const xml_node* end = limb_xml_child(n, form->end[k]);
    if (!loop_of_joints(t.type->kind))
      read_end(&t, k);
    else if (end)
      limb_report_error(&r->report, RULE_BAD_LOOP, end->pos, "a loop of type %s connects joints, and has no <%s>",
                        t.type->name, end->name);
  }
  if (!loop_of_joints(t.type->kind)) read_axes(&t, own);
  return 1;
}
