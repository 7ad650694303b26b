// Writing limb YAML: joints placed by poses, defaults left out (except axes), every number in the digits that read
// back to the same bits. A rotation is written as angles or as a quaternion where these give exactly the same matrix,
// otherwise as the matrix.
#include "base/number.h"
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/properties.h"
#include "io/raw_robot.h"
#include "io/reading.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct yaml_output {
  const limb_builder* b;
  limb_text_fn* write;
  void* context;
} yaml_output;

static void put(const yaml_output* o, const char* text) { o->write(o->context, text); }

static bool same_bits(const void* a, const void* b, size_t size) { return memcmp(a, b, size) == 0; }

static bool same_number(double a, double b) { return same_bits(&a, &b, sizeof a); }

// No bit is set: zeros with a sign are written.
static bool is_positive_zero(sp_vec3 x) { return same_number(x.x, 0) && same_number(x.y, 0) && same_number(x.z, 0); }

// ---- numbers ----------------------------------------------------------------------------------------

static void put_number(const yaml_output* o, double x)
{
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(x, text);
  put(o, isinf(x) ? x > 0 ? ".inf" : "-.inf" : text);
}

static void put_angle(const yaml_output* o, double x)
{
  static const struct {
    double angle;
    const char* text;
  } known[] = {{LIMB_PI, "pi"}, {-LIMB_PI, "-pi"}, {LIMB_PI / 2, "pi/2"}, {-LIMB_PI / 2, "-pi/2"}};
  for (int i = 0; i < COUNT(known); i++) {
    if (!same_number(x, known[i].angle)) continue;
    put(o, known[i].text);
    return;
  }
  put_number(o, x);
}

// The key, then [x, y, ...].
static void put_list(const yaml_output* o, const char* key, int n, const double* x,
                     void (*item)(const yaml_output*, double))
{
  put(o, key);
  put(o, "[");
  for (int i = 0; i < n; i++) {
    if (i) put(o, ", ");
    item(o, x[i]);
  }
  put(o, "]");
}

static void put_vec3(const yaml_output* o, const char* key, sp_vec3 x)
{
  put_list(o, key, 3, (const double[3]){x.x, x.y, x.z}, put_number);
}

// The key and number of a property after the text before, unless it is the same as in unset. Returns whether it was
// written.
static bool put_property(const yaml_output* o, const char* before, const property* p, const void* def,
                         const void* unset)
{
  const double x = get_property(p, def);
  if (same_number(x, get_property(p, unset))) return false;
  put(o, before);
  put(o, p->key);
  put(o, ": ");
  put_number(o, x);
  return true;
}

// A property on a line of its own.
static void put_property_line(const yaml_output* o, const property* p, const void* def, const void* unset)
{
  if (put_property(o, "    ", p, def, unset)) put(o, "\n");
}

// ---- names ------------------------------------------------------------------------------------------

// Words that other YAML readers take for a truth value or for nothing, in upper or lower case.
static bool is_special(const char* text)
{
  char low[8] = "";
  const size_t n = strlen(text);
  for (size_t i = 0; i < n && i < sizeof low - 1; i++) low[i] = lower_case(text[i]);
  return n < sizeof low - 1 && limb_has_word("y n yes no true false null on off inf nan", low);
}

static bool is_plain(const char* text)
{
  if (!is_letter(text[0]) || is_special(text)) return false;
  for (const char* c = text; *c; c++) {
    if (!is_letter(*c) && !is_digit(*c) && *c != '.' && *c != '-' && *c != '/') return false;
  }
  return true;
}

// The key, then the name, in double quotes unless it is a plain word.
static void put_name(const yaml_output* o, const char* key, const char* name)
{
  put(o, key);
  if (is_plain(name)) {
    put(o, name);
    return;
  }
  put(o, "\"");
  const char* end = name + strlen(name);
  for (size_t n = 1; name < end; name += n) {
    char text[16];
    uint32_t code = 0;
    n = limb_utf8(name, end, &code);
    const bool escaped = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
                         code == 0xfeff || code == 0xfffe || code == 0xffff;
    if (code == '"' || code == '\\')
      (void)snprintf(text, sizeof text, "\\%c", (char)code);
    else if (escaped)
      (void)snprintf(text, sizeof text, "\\u%04x", (unsigned)code);
    else
      (void)snprintf(text, sizeof text, "%.*s", (int)n, name);
    put(o, text);
  }
  put(o, "\"");
}

static void put_body_name(const yaml_output* o, const char* key, int body)
{
  limb_body_def def = limb_default_body_def("");
  (void)!limb_builder_get_body(o->b, body, &def);
  put_name(o, key, def.name);
}

static void put_joint_name(const yaml_output* o, const char* key, int joint)
{
  limb_joint_def def = limb_default_joint_def("", LIMB_FIXED, 0, 0);
  (void)!limb_builder_get_joint(o->b, joint, &def);
  put_name(o, key, def.name);
}

// ---- poses ------------------------------------------------------------------------------------------

// Angles that give exactly R: as computed, or rounded, as somebody may have written them.
static bool find_rpy(const sp_mat3* R, double rpy[3])
{
  static const double grids[] = {0, 1e12, 1e6};
  const sp_vec3 angles = limb_rpy_of(R);
  const double raw[3] = {angles.x, angles.y, angles.z};
  for (int k = 0; k < COUNT(grids); k++) {
    for (int i = 0; i < 3; i++) rpy[i] = grids[k] == 0 ? raw[i] : round(raw[i] * grids[k]) / grids[k] + 0.0;
    const sp_mat3 again = limb_rot_rpy(rpy);
    if (limb_same_rotation(R, &again)) return true;
  }
  return false;
}

static void put_rotation(const yaml_output* o, const sp_mat3* R)
{
  double rpy[3];
  const sp_quat q = sp_quat_rot(*R);
  const sp_mat3 by_quaternion = limb_rot_quat(q.x, q.y, q.z, q.w);
  if (find_rpy(R, rpy))
    put_list(o, "rpy: ", 3, rpy, put_angle);
  else if (limb_same_rotation(R, &by_quaternion))
    put_list(o, "quaternion: ", 4, (const double[4]){q.x, q.y, q.z, q.w}, put_number);
  else
    put_list(o, "matrix: ", 9, R->m, put_number);
}

// The parts of a pose that are not the identity, between two texts; nothing for the identity.
static void put_pose(const yaml_output* o, const char* before, const sp_pose* X, const char* after)
{
  const bool moved = !is_positive_zero(X->p), turned = !limb_no_rotation(&X->R);
  if (!moved && !turned) return;
  put(o, before);
  if (moved) put_vec3(o, "xyz: ", X->p);
  if (moved && turned) put(o, ", ");
  if (turned) put_rotation(o, &X->R);
  put(o, after);
}

// ---- bodies, joints, frames, shafts -----------------------------------------------------------------

static void put_body(const yaml_output* o, const limb_body_def* body)
{
  const sp_inertia* Y = &body->inertia;
  const double I[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz}, none[6] = {0};
  put_name(o, "  - name: ", body->name);
  put(o, "\n    mass: ");
  put_number(o, Y->mass);
  if (!is_positive_zero(Y->com)) put_vec3(o, "\n    com: ", Y->com);
  if (!same_bits(I, none, sizeof I))
    put_list(o, "\n    inertia: ", 6, I, put_number);
  else if (Y->mass != 0)
    put(o, "\n    solid: point");
  put(o, "\n");
}

// The properties of a section that are not the default; a mimic also names the joint that it follows.
static void put_section(const yaml_output* o, const limb_joint_def* def, const char* section)
{
  const limb_joint_def unset = limb_default_joint_def(NULL, def->type, 0, 0);
  char head[32];
  (void)snprintf(head, sizeof head, "    %s: {", section);
  bool begun = def->mimic >= 0 && strcmp(section, "mimic") == 0;
  if (begun) put_joint_name(o, "    mimic: {joint: ", def->mimic);
  for (int i = 0; i < NJOINT_PROPERTY; i++) {
    const property* p = &joint_properties[i];
    if (strcmp(p->section, section) == 0) begun |= put_property(o, begun ? ", " : head, p, def, &unset);
  }
  if (begun) put(o, "}\n");
}

static void put_joint(const yaml_output* o, const limb_joint_def* def)
{
  static const char* const sections[] = {JOINT_SECTIONS};
  const limb_joint_def unset = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  put_name(o, "  - name: ", def->name);
  put(o, "\n    type: ");
  put(o, joint_type_words[def->type]);
  put_body_name(o, "\n    parent: ", def->parent);
  put_body_name(o, "\n    child: ", def->child);
  put_pose(o, "\n    pose: {", &def->placement, "}");
  if (has_axis(def->type)) put_vec3(o, "\n    axis: ", def->axis);
  if (!is_positive_zero(def->axis2)) put_vec3(o, "\n    axis2: ", def->axis2);
  if (def->type == LIMB_HELICAL) {
    put(o, "\n    pitch: ");
    put_number(o, def->pitch);
  }
  if (def->drive != LIMB_DRIVE_AUTO) {
    put(o, "\n    drive: ");
    put(o, drive_words[def->drive]);
  }
  put(o, "\n");
  put_property_line(o, &start_property, def, &unset);
  for (int i = 0; i < COUNT(sections); i++) put_section(o, def, sections[i]);
}

static void put_frame(const yaml_output* o, const limb_frame_info* frame)
{
  put_name(o, "  - {name: ", frame->name);
  put_body_name(o, ", body: ", frame->body);
  put_pose(o, ", ", &frame->pose, "");
  put(o, "}\n");
}

static void put_shaft(const yaml_output* o, const limb_shaft_def* shaft)
{
  const limb_shaft_def unset = limb_default_shaft_def(0, 0);
  put_joint_name(o, "  - {joint: ", shaft->joint);
  put_joint_name(o, ", motor: ", shaft->motor);
  for (int i = 0; i < NSHAFT_PROPERTY; i++) put_property(o, ", ", &shaft_properties[i], shaft, &unset);
  put(o, "}\n");
}

// ---- loops ------------------------------------------------------------------------------------------

static void put_end(const yaml_output* o, const char* key, int body, const sp_pose* pose)
{
  put_body_name(o, key, body);
  put_pose(o, ", ", pose, "");
  put(o, "}\n");
}

static void put_locked(const yaml_output* o, unsigned locked)
{
  const char* before = "    locked: [";
  for (int i = 0; i < NDIRECTION; i++) {
    if (!(locked & 1u << i)) continue;
    put(o, before);
    put(o, direction_words[i]);
    before = ", ";
  }
  put(o, "]\n");
}

static void put_law(const yaml_output* o, const limb_time_law* law)
{
  const limb_time_law unset = {0};
  char row[32], head[40];
  (void)snprintf(row, sizeof row, "    law: {row: %d", law->row);
  (void)snprintf(head, sizeof head, "%s, ", row);
  bool begun = law->row != 0;
  if (begun) put(o, row);
  for (int i = 0; i < NLAW_PROPERTY; i++)
    begun |= put_property(o, begun ? ", " : head, &law_properties[i], law, &unset);
  if (begun) put(o, "}\n");
}

static void put_between_joints(const yaml_output* o, const limb_loop_def* def, const limb_loop_def* unset)
{
  put_joint_name(o, "    joint: ", def->joint);
  put_joint_name(o, "\n    other: ", def->other);
  put(o, "\n");
  if (def->kind == LIMB_LOOP_POLYNOMIAL) {
    put_list(o, "    coefficients: ", loop_coefficients(def), def->coefficient, put_number);
    put(o, "\n");
  } else {
    put_property_line(o, &loop_ratio, def, unset); // never zero
    put_property_line(o, &loop_offset, def, unset);
  }
}

static void put_between_bodies(const yaml_output* o, const limb_loop_def* def, const limb_loop_def* unset)
{
  put_end(o, "    a: {body: ", def->body_a, &def->pose_a);
  put_end(o, "    b: {body: ", def->body_b, &def->pose_b);
  if (def->kind == LIMB_LOOP_LOCK) put_locked(o, def->locked);
  put_property_line(o, &loop_length, def, unset);
  put_property_line(o, &loop_radius, def, unset);
}

static void put_loop(const yaml_output* o, const limb_loop_def* def)
{
  const limb_loop_def unset = limb_default_loop_def(NULL, def->kind, 0, 0);
  put_name(o, "  - name: ", def->name);
  put(o, "\n    type: ");
  put(o, loop_words[def->kind]);
  put(o, "\n");
  if (loop_of_joints(def->kind))
    put_between_joints(o, def, &unset);
  else
    put_between_bodies(o, def, &unset);
  put_law(o, &def->law);
}

// ---- the robot --------------------------------------------------------------------------------------

static void put_lists(const yaml_output* o)
{
  const limb_builder* b = o->b;
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_shaft_def shaft;
  limb_loop_def loop;
  put(o, "\nbodies:\n");
  for (int i = 1; limb_builder_get_body(b, i, &body) == LIMB_OK; i++) put_body(o, &body);
  if (limb_builder_joint_count(b) > 0) put(o, "\njoints:\n");
  for (int i = 0; limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++) put_joint(o, &joint);
  if (limb_builder_shaft_count(b) > 0) put(o, "\nshafts:\n");
  for (int i = 0; limb_builder_get_shaft(b, i, &shaft) == LIMB_OK; i++) put_shaft(o, &shaft);
  if (limb_builder_frame_count(b) > 0) put(o, "\nframes:\n");
  for (int i = 0; limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++) put_frame(o, &frame);
  if (limb_builder_loop_count(b) > 0) put(o, "\nloops:\n");
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) put_loop(o, &loop);
}

limb_status limb_write_yaml(const limb_builder* b, limb_text_fn* write, void* context, limb_findings* findings)
{
  (void)findings; // limb YAML can express everything
  const yaml_output o = {b, write, context};
  char schema[24];
  put(&o, "# Units: m, kg, s, rad, N, N m. Inertia about the centre of mass: ixx, ixy, ixz, iyy, iyz, izz.\n");
  (void)snprintf(schema, sizeof schema, "limb: %d\nname: ", (int)LIMB_YAML_SCHEMA);
  put_name(&o, schema, limb_builder_name(b));
  put_vec3(&o, "\ngravity: ", limb_builder_gravity(b));
  put(&o, "\n");
  put_lists(&o);
  return LIMB_OK;
}
