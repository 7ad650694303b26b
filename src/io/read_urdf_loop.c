// URDF: closures of loops, beside the tree of joints. URDF has no word for them, and tools have several:
//   <loop_joint>   Isaac Sim, and Drake once: <link1>, <link2>, each with its pose, and one <axis>
//   <loop>         URDF+: <predecessor>, <successor>, each with its <origin>, and one <axis>
//   <constraint>   proposed for urdfdom (pull request 264): <parent>, <child>, origin and axis of each
// All of them are read by the same words. What none of them can say stands in limb's own element <limb>.
#include "io/read_urdf_impl.h"

#include "io/angles.h"
#include "io/blank.h"
#include "io/loops.h"
#include "io/numbers.h"

#include <math.h>
#include <string.h>

// ---- words ----------------------------------------------------------------------------------------

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

enum { NTYPE = sizeof types / sizeof types[0] };

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
  limb_subject about;
  sketch_loop* x;
} loop_reader;

static const loop_type* read_type(urdf_reader* r, limb_subject about, const xml_node* n)
{
  const char* name = limb_urdf_name(r, about, n, "type", 1);
  if (!name) return NULL;
  for (int i = 0; i < NTYPE; i++) {
    if (strcmp(types[i].name, name) == 0) return &types[i];
  }
  char mean[LIMB_WHERE_SPACE];
  limb_urdf_error(r, RULE_BAD_LOOP, limb_urdf_mark(r, n, "type"), about, "no loop is closed by type '%.60s'%s", name,
                  limb_did_you_mean(r->findings, name, NTYPE, type_name, NULL, mean));
  limb_report_hint(r->findings, "types are revolute, prismatic, fixed, spherical, planar, cylindrical, "
                                "universal; and, of limb, lock, point_on_line, point_on_plane, distance, gear, "
                                "polynomial, knife_edge, wheel, rolling_disc");
  return NULL;
}

// ---- ends -----------------------------------------------------------------------------------------

static int has_pose(const xml_node* n)
{
  return limb_xml_get(n, "xyz") || limb_xml_get(n, "rpy") || limb_xml_get(n, "quat_xyzw");
}

// The element of an end; NULL and a finding when there is none. The manual of Isaac Sim calls both of them
// <link1>.
static const xml_node* find_end(const loop_reader* t, int k)
{
  const char *first = t->form->end[0], *name = t->form->end[k];
  const xml_node *n = limb_xml_child(t->n, name), *one = limb_xml_child(t->n, first);
  const xml_node* twin = one ? limb_xml_next(one) : NULL;
  if (!n && k == 1 && twin) {
    limb_report(t->r->findings, RULE_ASSUMED, twin->mark, t->about,
                "there are two <%s> and no <%s>: the second is taken for it", first, name);
    if (limb_xml_next(twin))
      limb_urdf_error(t->r, RULE_DUPLICATE_KEY, limb_xml_next(twin)->mark, t->about,
                      "a third <%s>: a loop closes two links", first);
    return twin;
  }
  if (!n)
    limb_urdf_error(t->r, RULE_MISSING_KEY, t->n->mark, t->about, "it has no <%s link=>", name);
  else if (limb_xml_next(n) && (k == 1 || limb_xml_child(t->n, t->form->end[1])))
    limb_urdf_error(t->r, RULE_DUPLICATE_KEY, limb_xml_next(n)->mark, t->about,
                    "a second <%s>: the first stands on line %d", name, n->mark.line);
  return n;
}

static sp_pose read_pose(const loop_reader* t, const xml_node* end, int k)
{
  static const char* const attributes[] = {"xyz", "rpy", "quat_xyzw", NULL};
  static const urdf_words words = {.attribute = attributes};
  if (!t->form->origin[k]) {
    if (!has_pose(end)) return limb_urdf_origin(t->r, t->about, end);
    if (limb_xml_child(end, "origin"))
      limb_urdf_error(t->r, RULE_DUPLICATE_KEY, end->mark, t->about,
                      "<%s> has a pose of its own and an <origin>: only one can be meant", end->name);
    return limb_urdf_pose(t->r, t->about, end);
  }
  const xml_node* n = limb_xml_child(t->n, t->form->origin[k]);
  if (!n) return sp_pose_identity();
  limb_urdf_check(t->r, t->about, n, &words);
  return limb_urdf_pose(t->r, t->about, n);
}

static void read_end(const loop_reader* t, int k)
{
  static const char* const placed[] = {"link", "xyz", "rpy", "quat_xyzw", NULL};
  static const char* const plain[] = {"link", NULL};
  static const char* const children[] = {"origin", NULL};
  const int own = !t->form->origin[k];
  const urdf_words words = {.attribute = own ? placed : plain, .child = own ? children : NULL};
  const xml_node* n = find_end(t, k);
  if (!n) return;
  limb_urdf_check(t->r, t->about, n, &words);
  const char* link = limb_urdf_name(t->r, t->about, n, "link", 1);
  sketch_end* end = &t->x->end[k];
  end->body = link ? link : "";
  end->mark = n->mark;
  end->pose = read_pose(t, n, k);
}

// ---- axes -----------------------------------------------------------------------------------------

// The axis of end k in its frame; fallback when the file gives none.
static sp_vec3 read_axis(const loop_reader* t, int k, sp_vec3 fallback)
{
  static const char* const attributes[] = {"xyz", NULL};
  static const urdf_words words = {.attribute = attributes};
  const xml_node* n = limb_xml_child(t->n, t->form->axis[k]);
  sp_vec3 a = fallback;
  int told = 0;
  if (n) {
    limb_urdf_check(t->r, t->about, n, &words);
    told = limb_urdf_vector(t->r, t->about, n, "xyz", &a);
  }
  if (told > 0 && a.x == 0 && a.y == 0 && a.z == 0) {
    limb_urdf_error(t->r, RULE_BAD_AXIS, limb_urdf_mark(t->r, n, "xyz"), t->about,
                    "its axis is zero, and the loop is %s", t->type->name);
    return fallback;
  }
  if (told == 0 && t->type->axis == BOTH_Z)
    limb_report(t->r->findings, RULE_ASSUMED, n ? n->mark : t->n->mark, t->about,
                "it states no <%s>: 1 0 0 is taken, the default of URDF", t->form->axis[k]);
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
    limb_report(t->r->findings, RULE_IGNORED, n->mark, t->about,
                "<%s> has no effect on a loop of type %s: its frames are where the origins are", n->name,
                t->type->name);
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
  if (own && limb_urdf_vector(t->r, t->about, own, "axis2", &second) > 0 && second.x == 0 && second.y == 0 &&
      second.z == 0) {
    limb_urdf_error(t->r, RULE_BAD_AXIS, limb_urdf_mark(t->r, own, "axis2"), t->about, "its second axis is zero");
    second = y;
  }
  turn_end(t, 0, x, first);
  turn_end(t, 1, y, second);
}

// ---- <limb> of a loop -----------------------------------------------------------------------------

#define KIND(name) (1u << LIMB_LOOP_##name)

// Attributes by the kinds that have them; needed: these kinds cannot do without.
static const struct {
  const char* name;
  unsigned kinds;
  int needed;
} properties[] = {
  {"locked", KIND(LOCK), 1},
  {"length", KIND(DISTANCE), 1},
  {"radius", KIND(WHEEL) | KIND(ROLLING_DISC), 1},
  {"joint", KIND(GEAR) | KIND(POLYNOMIAL), 1},
  {"other", KIND(GEAR) | KIND(POLYNOMIAL), 1},
  {"ratio", KIND(GEAR), 0},
  {"offset", KIND(GEAR), 0},
  {"coefficients", KIND(POLYNOMIAL), 1},
  {"axis2", KIND(UNIVERSAL), 0},
};

enum { NPROPERTY = sizeof properties / sizeof properties[0] };

static void check_properties(const loop_reader* t, const xml_node* own)
{
  const unsigned kind = 1u << t->type->kind;
  for (int i = 0; i < NPROPERTY; i++) {
    const char* name = properties[i].name;
    const int given = own && limb_xml_get(own, name);
    if (given && !(properties[i].kinds & kind))
      limb_urdf_error(t->r, RULE_BAD_LOOP, limb_urdf_mark(t->r, own, name), t->about, "a loop of type %s has no %s",
                      t->type->name, name);
    else if (!given && properties[i].needed && (properties[i].kinds & kind))
      limb_urdf_error(t->r, RULE_MISSING_KEY, own ? own->mark : t->n->mark, t->about,
                      "a loop of type %s needs <limb %s=\"...\"/>", t->type->name, name);
  }
}

// Directions, separated by blanks.
static void read_locked(const loop_reader* t, const xml_node* own)
{
  const char* word = limb_xml_get(own, "locked");
  if (!word) return;
  while (*word) {
    size_t length = 0;
    while (is_blank(*word)) word++;
    while (word[length] && !is_blank(word[length])) length++;
    int i = 0;
    while (i < LOOP_NDIRECTION &&
           (strlen(direction_words[i]) != length || memcmp(direction_words[i], word, length) != 0))
      i++;
    if (length && i == LOOP_NDIRECTION)
      limb_urdf_error(t->r, RULE_BAD_VALUE, limb_urdf_mark(t->r, own, "locked"), t->about,
                      "locked: '%.*s' is not one of turn_x, turn_y, turn_z, move_x, move_y, move_z",
                      length > 40 ? 40 : (int)length, word);
    else if (length && t->x->def.locked & 1u << i)
      limb_urdf_error(t->r, RULE_BAD_VALUE, limb_urdf_mark(t->r, own, "locked"), t->about, "%s stands twice in locked",
                      direction_words[i]);
    else if (length)
      t->x->def.locked |= 1u << i;
    word += length;
  }
}

static void read_coefficients(const loop_reader* t, const xml_node* own)
{
  const char* text = limb_xml_get(own, "coefficients");
  double c[LIMB_LOOP_COEFFICIENTS];
  if (!text) return;
  const number_list list = limb_scan_list(text, LIMB_LOOP_COEFFICIENTS, c);
  const limb_mark at = limb_urdf_mark(t->r, own, "coefficients");
  if (list.bad)
    limb_urdf_error(t->r, RULE_BAD_NUMBER, at, t->about, "coefficients=\"%.80s\": '%.*s' is no finite number", text,
                    list.bad_length > 40 ? 40 : list.bad_length, list.bad);
  else if (list.count < 1 || list.count > LIMB_LOOP_COEFFICIENTS)
    limb_urdf_error(t->r, RULE_WRONG_COUNT, at, t->about, "coefficients=\"%.80s\": 1 to %d numbers wanted, %d found",
                    text, LIMB_LOOP_COEFFICIENTS, list.count);
  else
    memcpy(t->x->def.coefficient, c, (size_t)list.count * sizeof c[0]);
}

static void read_law(const loop_reader* t, const xml_node* own)
{
  static const char* const attributes[] = {"row", "constant", "rate", "amplitude", "frequency", "phase", NULL};
  static const urdf_words words = {.attribute = attributes, .strict = 1};
  const xml_node* n = limb_xml_child(own, "law");
  limb_time_law* law = &t->x->def.law;
  double* const number[] = {&law->constant, &law->rate, &law->amplitude, &law->frequency, &law->phase};
  double row = 0;
  if (!n) return;
  limb_urdf_check(t->r, t->about, n, &words);
  for (int i = 0; i < 5; i++) (void)limb_urdf_number(t->r, t->about, n, attributes[i + 1], number[i]);
  if (limb_urdf_number(t->r, t->about, n, "row", &row) <= 0) return;
  if (row >= 0 && row < 6 && row == floor(row))
    law->row = (int)row;
  else
    limb_urdf_error(t->r, RULE_BAD_VALUE, limb_urdf_mark(t->r, n, "row"), t->about,
                    "row=\"%.60s\" of <law> is not one of 0, 1, ..., 5", limb_xml_get(n, "row"));
}

static void read_own(const loop_reader* t, const xml_node* own)
{
  static const char* const attributes[] = {"locked", "length", "radius",       "joint", "other",
                                           "ratio",  "offset", "coefficients", "axis2", NULL};
  static const char* const children[] = {"law", NULL};
  static const urdf_words words = {.attribute = attributes, .child = children, .strict = 1};
  limb_loop_def* def = &t->x->def;
  limb_urdf_check(t->r, t->about, own, &words);
  read_locked(t, own);
  read_coefficients(t, own);
  read_law(t, own);
  (void)limb_urdf_number(t->r, t->about, own, "length", &def->length);
  (void)limb_urdf_number(t->r, t->about, own, "radius", &def->radius);
  if (t->type->kind == LIMB_LOOP_GEAR) {
    def->coefficient[1] = 1;
    (void)limb_urdf_number(t->r, t->about, own, "offset", &def->coefficient[0]);
    (void)limb_urdf_number(t->r, t->about, own, "ratio", &def->coefficient[1]);
  }
  const char *joint = limb_urdf_name(t->r, t->about, own, "joint", 0),
             *other = limb_urdf_name(t->r, t->about, own, "other", 0);
  if (joint) t->x->joint = joint;
  if (other) t->x->other = other;
}

// ---- the loop -------------------------------------------------------------------------------------

int limb_urdf_is_loop(const xml_node* n)
{
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    if (strcmp(n->name, forms[i].element) == 0) return 1;
  }
  return 0;
}

// The words of an element: ends may be there twice, which find_end looks into.
static void check_words(const loop_reader* t)
{
  static const char* const attributes[] = {"name", "type", NULL};
  const loop_form* f = t->form;
  const char* many[] = {f->end[0], f->end[1], NULL};
  const char* children[] = {"limb", f->axis[0], one_axis(f) ? NULL : f->axis[1], f->origin[0], f->origin[1], NULL};
  const urdf_words words = {.attribute = attributes, .child = children, .many = many};
  limb_urdf_check(t->r, t->about, t->n, &words);
}

int limb_urdf_loop(urdf_reader* r, const xml_node* n)
{
  const loop_form* form = forms;
  while (strcmp(form->element, n->name) != 0) form++;
  loop_reader t = {.r = r, .n = n, .form = form};
  t.about = (limb_subject){"loop", limb_xml_get(n, "name")};
  const char* name = limb_urdf_name(r, t.about, n, "name", 0);
  check_words(&t);
  t.type = read_type(r, t.about, n);
  t.x = limb_sketch_loop(r->sketch, name, t.type ? t.type->kind : LIMB_LOOP_WELD, n->mark);
  if (!t.x) return 0;
  if (!t.type) return 1; // what the rest means depends on it
  const xml_node* own = limb_xml_child(n, "limb");
  check_properties(&t, own);
  if (own) read_own(&t, own);
  if (loop_of_joints(t.type->kind)) {
    for (int k = 0; k < 2; k++) {
      const xml_node* end = limb_xml_child(n, form->end[k]);
      if (end)
        limb_urdf_error(r, RULE_BAD_LOOP, end->mark, t.about, "a loop of type %s is between joints, and has no <%s>",
                        t.type->name, end->name);
    }
    return 1;
  }
  for (int k = 0; k < 2; k++) read_end(&t, k);
  read_axes(&t, own);
  return 1;
}
