// Writing limb YAML, which can express everything: defaults left out (except axes), every number in the digits that
// read back to the same bits. A rotation is written as angles or as a quaternion where these give exactly the same
// matrix, otherwise as the matrix. Joints are placed by poses, by modified Denavit-Hartenberg rows, or by screws and
// homes. Rows and screws are computed from poses: what is within rounding of a short number, or of a simple fraction of
// pi, is written as that.
//
//   row    placement = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r),  the joint about or along z
//   screw  S = Ad(home of the joint frame) s,  s = (axis; pitch axis) or (0; axis)
//   home   M_child = M_parent placement offset
#include "base/memory.h"
#include "base/numeric.h"
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/reading.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// No bit is set: zeros with a sign are written.
static int is_positive_zero(int count, const double* x)
{
  for (int k = 0; k < count; k++)
    if (!limb_same_number(x[k], 0)) return 0;
  return 1;
}

// ---- poses ----------------------------------------------------------------------------------------

// Angles that give R, exactly or up to off: as computed, or rounded, as somebody may have written them.
static int find_rpy(const sp_mat3* R, double off, double rpy[3])
{
  static const double grids[] = {0, 1e12, 1e6};
  const sp_vec3 angles = sp_rpy_rot(*R);
  const double raw[3] = {angles.x, angles.y, angles.z};
  for (int k = 0; k < COUNT(grids); k++) {
    for (int i = 0; i < 3; i++) rpy[i] = grids[k] == 0 ? raw[i] : round(raw[i] * grids[k]) / grids[k] + 0.0;
    const sp_mat3 again = limb_rot_rpy(rpy);
    double worst = 0;
    for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(R->m[i] - again.m[i]));
    if (worst <= off) return 1;
  }
  return 0;
}

static void put_angle(const limb_writer* w, const char* before, double x)
{
  static const struct {
    double angle;
    const char* text;
  } known[] = {{LIMB_PI, "pi"}, {-LIMB_PI, "-pi"}, {LIMB_PI / 2, "pi/2"}, {-LIMB_PI / 2, "-pi/2"}};
  int i = 0;
  while (i < COUNT(known) && !limb_same_number(x, known[i].angle)) i++;
  if (i < COUNT(known))
    limb_put(w, "%s%s", before, known[i].text);
  else
    limb_put(w, "%s%g", before, x);
}

static void put_rotation(const limb_writer* w, const sp_mat3* R)
{
  double rpy[3];
  const sp_quat q = sp_quat_rot(*R);
  const sp_mat3 by_quaternion = limb_rot_quat(q.x, q.y, q.z, q.w);
  if (find_rpy(R, w->form == LIMB_FORM_POSES ? 0 : 4 * DBL_EPSILON, rpy)) {
    for (int i = 0; i < 3; i++) put_angle(w, i ? ", " : "rpy: [", rpy[i]);
    limb_put(w, "]");
  } else if (limb_same_rotation(R, &by_quaternion)) {
    limb_put(w, "quaternion: %l", 4, (const double[4]){q.x, q.y, q.z, q.w});
  } else {
    limb_put(w, "matrix: %l", 9, R->m);
  }
}

static void put_pose(const limb_writer* w, const char* before, const sp_pose* X, const char* after)
{
  const int moved = !is_positive_zero(3, &X->p.x), turned = !limb_no_rotation(&X->R);
  if (!moved && !turned) return;
  limb_put(w, before);
  if (moved) limb_put(w, turned ? "xyz: %v, " : "xyz: %v", &X->p);
  if (turned) put_rotation(w, &X->R);
  limb_put(w, after);
}

struct limb_homes {
  sp_pose* home;         // per body, at q = 0
  int* joint;            // per body: the joint that carries it
  int* behind;           // per body: the body that it stands for; -1: none
  unsigned char* hidden; // per joint: between such bodies
};

// ---- numbers --------------------------------------------------------------------------------------

static int close_to(double x, double y, double scale) { return fabs(x - y) <= 4 * DBL_EPSILON * (fabs(x) + scale); }

// With twelve decimals, if these are all that it has up to rounding of numbers of this size.
static double short_number(double x, double scale)
{
  const double rounded = round(x * 1e12) / 1e12 + 0.0;
  return close_to(x, rounded, scale) ? rounded : x;
}

static void put_fraction(const limb_writer* w, const char* key, double x)
{
  static const int parts[] = {1, 2, 3, 4, 6, 12};
  for (int k = 0; k < COUNT(parts); k++) {
    const int n = (int)round(x / LIMB_PI * parts[k]);
    if (n == 0 || !close_to(x, n * LIMB_PI / parts[k], 1)) continue;
    char text[48], times[16] = "", over[16] = "";
    if (n != 1 && n != -1) (void)snprintf(times, sizeof times, "%d*", n);
    if (parts[k] > 1) (void)snprintf(over, sizeof over, "/%d", parts[k]);
    (void)snprintf(text, sizeof text, "%s%spi%s", n == -1 ? "-" : "", times, over);
    limb_put(w, "%s: %s", key, text);
    return;
  }
  limb_put(w, "%s: %g", key, short_number(x, 1));
}

static int is_rounding(double x, double scale) { return fabs(x) <= 4 * DBL_EPSILON * scale; }

// ---- rows -----------------------------------------------------------------------------------------

static int about_z(const limb_joint_def* def)
{
  return !has_axis(def->type) || (def->axis.x == 0 && def->axis.y == 0 && def->axis.z > 0);
}

static int put_row(const limb_writer* w, const limb_joint_def* def)
{
  static const char* const keys[] = {"gamma", "b", "alpha", "d", "theta", "r"};
  if (!about_z(def)) return 0;
  const limb_mdh k = limb_mdh_of_pose(def->placement);
  const double number[] = {k.gamma, k.b, k.alpha, k.d, k.theta, k.r};
  const double scale = limb_length(def->placement.p) + fabs(k.b) + fabs(k.r);
  const int sigma = def->type == LIMB_FIXED ? 2 : def->type == LIMB_PRISMATIC ? 1 : def->type == LIMB_REVOLUTE ? 0 : -1;
  if (sigma < 0) limb_put(w, "\n    type: %s", joint_type_words[def->type]);
  limb_put(w, "\n    antecedent: %B\n    child: %B\n    dh: {", def->parent, def->child);
  int count = 0;
  if (sigma >= 0) limb_put(w, "sigma: %d", sigma), count++;
  for (int i = 0; i < COUNT(keys); i++) {
    const int angle = i % 2 == 0 && i != 0 ? 1 : i == 0;
    if (is_rounding(number[i], angle ? 1 : scale)) continue;
    if (count++) limb_put(w, ", ");
    if (angle)
      put_fraction(w, keys[i], number[i]);
    else
      limb_put(w, "%s: %g", keys[i], short_number(number[i], scale));
  }
  limb_put(w, "}");
  if (def->type == LIMB_HELICAL) limb_put(w, "\n    pitch: %g", def->pitch);
  return 1;
}

// ---- screws ---------------------------------------------------------------------------------------

static int has_screw(limb_joint_type type) { return one_dof(type) || type == LIMB_CYLINDRICAL; }

static void put_screw(const limb_writer* w, const limb_joint_def* def)
{
  const sp_pose frame = sp_compose(w->homes->home[def->parent], def->placement);
  const sp_vec3 n = def->axis, none = sp_v3(0, 0, 0);
  const int slides = def->type == LIMB_PRISMATIC;
  const double pitch = def->type == LIMB_HELICAL ? def->pitch : 0;
  const sp_motion S = sp_motion_out(frame, sp_motion_make(slides ? none : n, slides ? n : sp_scale3(pitch, n)));
  const double scale = 1 + limb_length(frame.p) + fabs(pitch);
  double number[6] = {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z};
  for (int k = 0; k < 6; k++) number[k] = is_rounding(number[k], scale) ? 0 : short_number(number[k], scale);
  limb_put(w, "\n    screw: %l", 6, number);
}

static void put_by_homes(const limb_writer* w, const limb_joint_def* def)
{
  const int behind = w->homes->behind[def->child];
  limb_put(w, "\n    type: %s\n    parent: %B\n    child: %B", joint_type_words[def->type], def->parent,
           behind >= 0 ? behind : def->child);
  if (has_screw(def->type))
    put_screw(w, def);
  else if (has_axis(def->type))
    limb_put(w, "\n    axis: %v", &def->axis);
}

static int put_in_form(const limb_writer* w, const limb_joint_def* def)
{
  if (w->form == LIMB_FORM_MDH) return put_row(w, def);
  if (w->homes) put_by_homes(w, def);
  return w->homes != NULL;
}

// ---- homes ----------------------------------------------------------------------------------------

static void put_home(const limb_writer* w, int body)
{
  if (!w->homes) return;
  sp_pose M = w->homes->home[body];
  const double scale = 1 + limb_length(M.p);
  double* const p[] = {&M.p.x, &M.p.y, &M.p.z};
  for (int k = 0; k < 9; k++)
    if (is_rounding(M.R.m[k], 2) || is_rounding(fabs(M.R.m[k]) - 1, 2)) M.R.m[k] = round(M.R.m[k]) + 0.0;
  for (int k = 0; k < 3; k++) *p[k] = is_rounding(*p[k], scale) ? 0 : short_number(*p[k], scale);
  if (limb_is_identity(&M))
    limb_put(w, "\n    home: {xyz: [0, 0, 0]}");
  else
    put_pose(w, "\n    home: {", &M, "}");
}

static int hides_body(const limb_writer* w, int body) { return w->homes && w->homes->behind[body] >= 0; }
static int hides_joint(const limb_writer* w, int joint) { return w->homes && w->homes->hidden[joint]; }

// 1 if text is name with the suffix.
static int is_suffixed(const char* text, const char* name, const char* suffix)
{
  const size_t n = strlen(name);
  return strncmp(text, name, n) == 0 && strcmp(text + n, suffix) == 0;
}

// The bodies "NAME.axis" and joints "NAME.offset" that a reader of screws adds, unless something else refers to them.
static void find_hidden(const limb_builder* b, struct limb_homes* h)
{
  limb_joint_def def, moving;
  limb_body_def axis, body;
  limb_frame_info frame;
  limb_loop_def loop;
  for (int k = 0; limb_builder_get_joint(b, k, &def) == LIMB_OK; k++) {
    if (def.type != LIMB_FIXED || limb_builder_get_body(b, def.parent, &axis) != LIMB_OK ||
        limb_builder_get_body(b, def.child, &body) != LIMB_OK || limb_has_inertia(&axis.inertia) ||
        !is_suffixed(axis.name, body.name, ".axis") || !is_suffixed(def.name, body.name, ".offset"))
      continue;
    const int carrier = h->joint[def.parent];
    if (limb_builder_get_joint(b, carrier, &moving) != LIMB_OK || !has_screw(moving.type)) continue;
    h->behind[def.parent] = def.child, h->hidden[k] = 1;
  }
  for (int k = 0; limb_builder_get_joint(b, k, &def) == LIMB_OK; k++)
    if (!h->hidden[k]) h->behind[def.parent] = -1;
  for (int k = 0; limb_builder_get_frame(b, k, &frame) == LIMB_OK; k++) h->behind[frame.body] = -1;
  for (int k = 0; limb_builder_get_loop(b, k, &loop) == LIMB_OK; k++) {
    if (loop.body_a >= 0) h->behind[loop.body_a] = -1;
    if (loop.body_b >= 0) h->behind[loop.body_b] = -1;
  }
  for (int k = 0; limb_builder_get_joint(b, k, &def) == LIMB_OK; k++)
    if (h->hidden[k]) h->hidden[k] = h->behind[def.parent] >= 0;
}

// Joints in any order: from each body up to one whose home is known, and back. known: per body, scratch; joints of a
// cycle, which cannot be built, end at themselves.
static void find_homes(const limb_builder* b, struct limb_homes* h, unsigned char* known, int* path)
{
  const int count = limb_builder_body_count(b);
  limb_joint_def def;
  h->home[LIMB_WORLD_BODY] = sp_pose_identity();
  known[LIMB_WORLD_BODY] = 1;
  for (int i = 1; i < count; i++) {
    int top = 0;
    for (int at = i; !known[at] && top < count; at = def.parent) {
      path[top++] = at;
      if (limb_builder_get_joint(b, h->joint[at], &def) != LIMB_OK) return;
    }
    while (top > 0) {
      const int at = path[--top];
      if (limb_builder_get_joint(b, h->joint[at], &def) != LIMB_OK) return;
      h->home[at] = sp_compose(h->home[def.parent], def.placement);
      known[at] = 1;
    }
  }
}

// ---- bodies, joints, frames, shafts ---------------------------------------------------------------

static void put_body(const limb_writer* w, int index, const limb_body_def* body)
{
  if (hides_body(w, index)) return;
  const sp_inertia* Y = &body->inertia;
  double I[6];
  limb_get_moments(Y, I);
  limb_put(w, "  - name: %q\n    mass: %g", body->name, Y->mass);
  if (!is_positive_zero(3, &Y->com.x)) limb_put(w, "\n    com: %v", &Y->com);
  if (!is_positive_zero(6, I))
    limb_put(w, "\n    inertia: %l", 6, I);
  else if (Y->mass != 0)
    limb_put(w, "\n    solid: point");
  put_home(w, index);
  limb_put(w, "\n");
}

// The properties of a section that are not the default; a mimic also names the joint that it follows.
static void put_section(const limb_writer* w, const limb_joint_def* def, const char* section)
{
  const limb_joint_def unset = limb_default_joint_def(NULL, def->type, 0, 0);
  const int mimic = def->mimic >= 0 && strcmp(section, "mimic") == 0;
  int first = 0, count = 0;
  char head[32];
  while (strcmp(joint_properties[first].section, section) != 0) first++;
  while (first + count < NJOINT_PROPERTY && strcmp(joint_properties[first + count].section, section) == 0) count++;
  (void)snprintf(head, sizeof head, "    %s: {", section);
  if (mimic) limb_put(w, "    mimic: {joint: %J", def->mimic);
  if (limb_put_properties(w, &joint_properties[first], count, def, &unset, mimic ? ", " : head, ", ") || mimic)
    limb_put(w, "}\n");
}

// Of a joint with several degrees of freedom: one number for all, or a list.
static void put_dofs(const limb_writer* w, const char* section, const char* key, int count, const double* x)
{
  int same = 1;
  for (int k = 1; k < count; k++) same &= limb_same_number(x[k], x[0]);
  if (count < 2 || (same && x[0] == 0)) return;
  limb_put(w, "    %s: {%s: ", section, key);
  if (same)
    limb_put(w, "%g}\n", x[0]);
  else
    limb_put(w, "%l}\n", count, x);
}

// Bodies, type, place and axis: those of a pose.
static void put_place(const limb_writer* w, const limb_joint_def* def)
{
  limb_put(w, "\n    type: %s\n    parent: %B\n    child: %B", joint_type_words[def->type], def->parent, def->child);
  put_pose(w, "\n    pose: {", &def->placement, "}");
  if (has_axis(def->type)) limb_put(w, "\n    axis: %v", &def->axis);
  if (def->type == LIMB_HELICAL) limb_put(w, "\n    pitch: %g", def->pitch);
}

static void put_joint(const limb_writer* w, int index, const limb_joint_def* def)
{
  static const char* const sections[] = {JOINT_SECTIONS};
  const limb_joint_def unset = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  if (hides_joint(w, index)) return;
  limb_put(w, "  - name: %q", def->name);
  if (!put_in_form(w, def)) put_place(w, def);
  if (!is_positive_zero(3, &def->axis2.x)) limb_put(w, "\n    axis2: %v", &def->axis2);
  if (def->drive != LIMB_DRIVE_AUTO) limb_put(w, "\n    drive: %s", drive_words[def->drive]);
  (void)limb_put_properties(w, &start_property, 1, def, &unset, "\n    ", "");
  limb_put(w, "\n");
  for (int i = 0; i < COUNT(sections); i++) put_section(w, def, sections[i]);
  put_dofs(w, "rotor", "inertia", joint_dofs[def->type], def->armature);
  put_dofs(w, "friction", "viscous", joint_dofs[def->type], def->damping);
}

static void put_frame(const limb_writer* w, const limb_frame_info* frame)
{
  limb_put(w, "  - {name: %q, body: %B", frame->name, frame->body);
  put_pose(w, ", ", &frame->pose, "");
  limb_put(w, "}\n");
}

static void put_shaft(const limb_writer* w, const limb_shaft_def* shaft)
{
  const limb_shaft_def unset = limb_default_shaft_def(0, 0);
  limb_put(w, "  - {joint: %J, motor: %J", shaft->joint, shaft->motor);
  (void)limb_put_properties(w, shaft_properties, NSHAFT_PROPERTY, shaft, &unset, ", ", ", ");
  limb_put(w, "}\n");
}

static void put_tendon(const limb_writer* w, const limb_tendon_def* tendon)
{
  const limb_tendon_def unset = limb_default_tendon_def(NULL);
  const char* head = tendon->points > 0 ? "  - {name: %q, points: [" : "  - {name: %q, joints: {";
  limb_put(w, head, tendon->name);
  for (int k = 0; k < tendon->count; k++)
    limb_put(w, k ? ", %J: %g" : "%J: %g", tendon->joint[k], tendon->coefficient[k]);
  for (int k = 0; k < tendon->points; k++) {
    const limb_tendon_point* p = &tendon->point[k];
    limb_put(w, k ? ",\n      {body: %B, xyz: %v" : "\n      {body: %B, xyz: %v", p->body, &p->at);
    if (p->pulley > 0) limb_put(w, ", pulley: %g", p->pulley);
    limb_put(w, "}");
  }
  limb_put(w, tendon->points > 0 ? "]" : "}");
  (void)limb_put_properties(w, tendon_properties, NTENDON_PROPERTY, tendon, &unset, ", ", ", ");
  limb_put(w, "}\n");
}

// ---- loops ----------------------------------------------------------------------------------------

static void put_end(const limb_writer* w, const char* end, int body, const sp_pose* pose)
{
  limb_put(w, "\n    %s: {body: %B", end, body);
  put_pose(w, ", ", pose, "");
  limb_put(w, "}");
}

static void put_law(const limb_writer* w, const limb_prescribed_motion* law)
{
  const limb_prescribed_motion unset = {0};
  char row[32], head[40];
  (void)snprintf(row, sizeof row, "    law: {row: %d", law->constraint);
  (void)snprintf(head, sizeof head, "%s, ", row);
  const int begun = law->constraint != 0;
  if (begun) limb_put(w, row);
  if (limb_put_properties(w, law_properties, NLAW_PROPERTY, law, &unset, begun ? ", " : head, ", ") || begun)
    limb_put(w, "}\n");
}

static void put_loop(const limb_writer* w, const limb_loop_def* def)
{
  const limb_loop_def unset = limb_default_loop_def(NULL, def->kind, 0, 0);
  limb_put(w, "  - name: %q\n    type: %s", def->name, loop_words[def->kind]);
  if (loop_of_joints(def->kind)) {
    limb_put(w, "\n    joint: %J\n    other: %J", def->joint, def->other);
  } else {
    put_end(w, "a", def->body_a, &def->pose_a);
    put_end(w, "b", def->body_b, &def->pose_b);
  }
  for (int i = 0, n = 0; def->kind == LIMB_LOOP_LOCK && i < NDIRECTION; i++) {
    if (def->locked & 1u << i) limb_put(w, n++ ? ", %s" : "\n    locked: [%s", direction_words[i]);
  }
  if (def->kind == LIMB_LOOP_LOCK) limb_put(w, "]");
  if (def->kind == LIMB_LOOP_POLYNOMIAL)
    limb_put(w, "\n    coefficients: %l", loop_coefficients(def), def->coefficient);
  else
    (void)limb_put_properties(w, loop_numbers, NLOOP_NUMBER, def, &unset, "\n    ", "\n    ");
  limb_put(w, "\n");
  put_law(w, &def->motion);
}

// ---- the robot ------------------------------------------------------------------------------------

// Springs between joints.
static void put_springs(const limb_writer* w)
{
  limb_shaft_def shaft;
  limb_tendon_def tendon;
  if (limb_builder_shaft_count(w->b) > 0) limb_put(w, "\nshafts:\n");
  for (int i = 0; limb_builder_get_shaft(w->b, i, &shaft) == LIMB_OK; i++) put_shaft(w, &shaft);
  if (limb_builder_tendon_count(w->b) > 0) limb_put(w, "\ntendons:\n");
  for (int i = 0; limb_builder_get_tendon(w->b, i, &tendon) == LIMB_OK; i++) put_tendon(w, &tendon);
}

static void put_shapes(const limb_writer* w)
{
  limb_shape_def s;
  if (limb_builder_shape_count(w->b) > 0) limb_put(w, "\nshapes:\n");
  for (int i = 0; limb_builder_get_shape(w->b, i, &s) == LIMB_OK; i++) {
    if (!limb_put_yaml_shape(w, &s)) continue;
    put_pose(w, ", ", &s.pose, "");
    limb_put(w, "}\n");
  }
  limb_report_shapes(w);
}

void limb_write_yaml(const limb_writer* w)
{
  const limb_builder* b = w->b;
  const sp_vec3 g = limb_builder_gravity(b);
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_loop_def loop;
  limb_put(w, "# Units: m, kg, s, rad, N, N m. Inertia about the centre of mass: ixx, ixy, ixz, iyy, iyz, izz.\n");
  limb_put(w, "limb: %d\nname: %q\ngravity: %v\n", (int)LIMB_YAML_SCHEMA, limb_builder_name(b), &g);
  if (limb_builder_loop_count(b) > 0) limb_put(w, "loop_tolerance: %g\n", limb_builder_loop_tolerance(b));
  if (w->form == LIMB_FORM_MDH) limb_put(w, "dh: modified\n");
  if (w->form == LIMB_FORM_POE) limb_put(w, "poe: space\n");
  limb_put(w, "\nbodies:\n");
  for (int i = 1; limb_builder_get_body(b, i, &body) == LIMB_OK; i++) put_body(w, i, &body);
  if (limb_builder_joint_count(b) > 0) limb_put(w, "\njoints:\n");
  for (int i = 0; limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++) put_joint(w, i, &joint);
  put_springs(w);
  if (limb_builder_frame_count(b) > 0) limb_put(w, "\nframes:\n");
  for (int i = 0; limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++) put_frame(w, &frame);
  if (limb_builder_loop_count(b) > 0) limb_put(w, "\nloops:\n");
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) put_loop(w, &loop);
  put_shapes(w);
}

static limb_status write_screws(limb_writer* w)
{
  const limb_allocator a = limb_default_allocator();
  const size_t bodies = (size_t)limb_builder_body_count(w->b), joints = (size_t)limb_builder_joint_count(w->b) + 1;
  const size_t size = bodies * (sizeof(sp_pose) + 3 * sizeof(int) + 1) + joints;
  struct limb_homes h = {.home = limb_alloc(&a, size)};
  if (!h.home) return LIMB_E_NOMEM;
  memset(h.home, 0, size);
  h.joint = (int*)(h.home + bodies);
  h.behind = h.joint + bodies;
  int* path = h.behind + bodies;
  h.hidden = (unsigned char*)(path + bodies);
  limb_joint_def def;
  for (size_t i = 0; i < bodies; i++) h.behind[i] = -1;
  for (int k = 0; limb_builder_get_joint(w->b, k, &def) == LIMB_OK; k++) h.joint[def.child] = k;
  find_homes(w->b, &h, h.hidden + joints, path);
  find_hidden(w->b, &h);
  w->homes = &h;
  limb_write_yaml(w);
  w->homes = NULL;
  limb_free(&a, h.home, size);
  return LIMB_OK;
}

limb_status limb_write_yaml_in(limb_writer* w, limb_form form)
{
  w->form = form;
  if (form == LIMB_FORM_POE) return write_screws(w);
  limb_write_yaml(w);
  return LIMB_OK;
}
