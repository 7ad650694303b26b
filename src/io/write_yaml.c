// Writing limb YAML, which can express everything: defaults left out (except axes), every number in the digits that
// read back to the same bits. A rotation is written as angles or as a quaternion where these give exactly the same
// matrix, otherwise as the matrix. Joints are placed by poses, or in the forms of write_form.c.
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

void limb_write_pose_keys(const limb_writer* w, const char* before, const sp_pose* X, const char* after)
{
  const int moved = !is_positive_zero(3, &X->p.x), turned = !limb_no_rotation(&X->R);
  if (!moved && !turned) return;
  limb_put(w, before);
  if (moved) limb_put(w, turned ? "xyz: %v, " : "xyz: %v", &X->p);
  if (turned) put_rotation(w, &X->R);
  limb_put(w, after);
}

// ---- bodies, joints, frames, shafts ---------------------------------------------------------------

static void put_body(const limb_writer* w, int index, const limb_body_def* body)
{
  if (limb_hides_body(w, index)) return;
  const sp_inertia* Y = &body->inertia;
  double I[6];
  limb_get_moments(Y, I);
  limb_put(w, "  - name: %q\n    mass: %g", body->name, Y->mass);
  if (!is_positive_zero(3, &Y->com.x)) limb_put(w, "\n    com: %v", &Y->com);
  if (!is_positive_zero(6, I))
    limb_put(w, "\n    inertia: %l", 6, I);
  else if (Y->mass != 0)
    limb_put(w, "\n    solid: point");
  limb_put_home(w, index);
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

// Bodies, type, place and axis: those of a pose.
static void put_place(const limb_writer* w, const limb_joint_def* def)
{
  limb_put(w, "\n    type: %s\n    parent: %B\n    child: %B", joint_type_words[def->type], def->parent, def->child);
  limb_write_pose_keys(w, "\n    pose: {", &def->placement, "}");
  if (has_axis(def->type)) limb_put(w, "\n    axis: %v", &def->axis);
  if (def->type == LIMB_HELICAL) limb_put(w, "\n    pitch: %g", def->pitch);
}

static void put_joint(const limb_writer* w, int index, const limb_joint_def* def)
{
  static const char* const sections[] = {JOINT_SECTIONS};
  const limb_joint_def unset = limb_default_joint_def(NULL, LIMB_FIXED, 0, 0);
  if (limb_hides_joint(w, index)) return;
  limb_put(w, "  - name: %q", def->name);
  if (!limb_put_in_form(w, def)) put_place(w, def);
  if (!is_positive_zero(3, &def->axis2.x)) limb_put(w, "\n    axis2: %v", &def->axis2);
  if (def->drive != LIMB_DRIVE_AUTO) limb_put(w, "\n    drive: %s", drive_words[def->drive]);
  (void)limb_put_properties(w, &start_property, 1, def, &unset, "\n    ", "");
  limb_put(w, "\n");
  for (int i = 0; i < COUNT(sections); i++) put_section(w, def, sections[i]);
}

static void put_frame(const limb_writer* w, const limb_frame_info* frame)
{
  limb_put(w, "  - {name: %q, body: %B", frame->name, frame->body);
  limb_write_pose_keys(w, ", ", &frame->pose, "");
  limb_put(w, "}\n");
}

static void put_shaft(const limb_writer* w, const limb_shaft_def* shaft)
{
  const limb_shaft_def unset = limb_default_shaft_def(0, 0);
  limb_put(w, "  - {joint: %J, motor: %J", shaft->joint, shaft->motor);
  (void)limb_put_properties(w, shaft_properties, NSHAFT_PROPERTY, shaft, &unset, ", ", ", ");
  limb_put(w, "}\n");
}

// ---- loops ----------------------------------------------------------------------------------------

static void put_end(const limb_writer* w, const char* end, int body, const sp_pose* pose)
{
  limb_put(w, "\n    %s: {body: %B", end, body);
  limb_write_pose_keys(w, ", ", pose, "");
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

void limb_write_yaml(const limb_writer* w)
{
  const limb_builder* b = w->b;
  const sp_vec3 g = limb_builder_gravity(b);
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_shaft_def shaft;
  limb_loop_def loop;
  limb_put(w, "# Units: m, kg, s, rad, N, N m. Inertia about the centre of mass: ixx, ixy, ixz, iyy, iyz, izz.\n");
  limb_put(w, "limb: %d\nname: %q\ngravity: %v\n", (int)LIMB_YAML_SCHEMA, limb_builder_name(b), &g);
  if (w->form == LIMB_FORM_MDH) limb_put(w, "dh: modified\n");
  if (w->form == LIMB_FORM_POE) limb_put(w, "poe: space\n");
  limb_put(w, "\nbodies:\n");
  for (int i = 1; limb_builder_get_body(b, i, &body) == LIMB_OK; i++) put_body(w, i, &body);
  if (limb_builder_joint_count(b) > 0) limb_put(w, "\njoints:\n");
  for (int i = 0; limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++) put_joint(w, i, &joint);
  if (limb_builder_shaft_count(b) > 0) limb_put(w, "\nshafts:\n");
  for (int i = 0; limb_builder_get_shaft(b, i, &shaft) == LIMB_OK; i++) put_shaft(w, &shaft);
  if (limb_builder_frame_count(b) > 0) limb_put(w, "\nframes:\n");
  for (int i = 0; limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++) put_frame(w, &frame);
  if (limb_builder_loop_count(b) > 0) limb_put(w, "\nloops:\n");
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++) put_loop(w, &loop);
}
