// Writing SDF 1.9: a model whose links stand where their joints hold them, in a world where gravity is not the usual
// one. The frame of a joint is given in its parent, and that of its child is the same.
//
// SDF has no free joints: a model that nothing holds floats. What it has no element for is said by Drake's extensions
// (rotors, gear ratios) or reported.
#include "base/status.h"
#include "io/geometry.h"
#include "io/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const file_pos nowhere = {0, 0, 0};

// Joints of which something is not written, or in words of other programs.
typedef struct sdf_writer {
  const limb_writer* out;
  int base; // the body that floats; -1: none
  int lost_start, lost_drive, lost_directions, lost_motion, renamed, rotors;
  const char *first_start, *first_drive, *first_directions, *first_motion, *first_renamed, *first_rotor;
} sdf_writer;

static void lose(int* count, const char** first, const char* name)
{
  if ((*count)++ == 0) *first = name;
}

static void report_lost(const sdf_writer* w, int count, const char* name, limb_rule rule, const char* what)
{
  char others[48] = "";
  if (count > 1) (void)snprintf(others, sizeof others, "; so for %d more", count - 1);
  if (count > 0) limb_report(w->out->findings, rule, nowhere, (limb_subject){"joint", name}, "%s%s", what, others);
}

// The name of a body or frame. In SDF joints are frames, too, and all frames have different names: one that is called
// like a joint gets a suffix.
typedef struct sdf_name {
  char text[LIMB_NAME_MAX + 8];
} sdf_name;

static sdf_name frame_name(const limb_builder* b, const char* name, const char* suffix)
{
  sdf_name out;
  (void)snprintf(out.text, sizeof out.text, "%s%s", name, limb_builder_find_joint(b, name) >= 0 ? suffix : "");
  return out;
}

static sdf_name body_name(const limb_builder* b, int body)
{
  limb_body_def def = limb_default_body_def("world");
  if (body != LIMB_WORLD_BODY) (void)!limb_builder_get_body(b, body, &def);
  return body == LIMB_WORLD_BODY ? (sdf_name){"world"} : frame_name(b, def.name, "_link");
}

// xyz and rpy, relative to a link or joint; nothing for the identity in the default frame.
static void put_pose(const limb_writer* o, const char* in, const char* relative_to, const sp_pose* X)
{
  const sp_vec3 a = sp_rpy_rot(X->R);
  const double x[6] = {X->p.x, X->p.y, X->p.z, a.x, a.y, a.z};
  if (!relative_to && limb_is_identity(X)) return;
  limb_put(o, "%s<pose", in);
  if (relative_to) limb_put(o, " relative_to=%q", relative_to);
  limb_put(o, ">%n</pose>\n", 6, x);
}

static void put_number(const limb_writer* o, const char* name, double x)
{
  limb_put(o, "          <%s>%n</%s>\n", name, 1, &x, name);
}

// ---- links --------------------------------------------------------------------------------------------

static void put_link(const limb_writer* o, int index, const limb_body_def* body, const limb_joint_def* joint)
{
  const sdf_name name = frame_name(o->b, body->name, "_link");
  static const char* const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  const sp_inertia* Y = &body->inertia;
  const sp_pose here = sp_pose_identity(), com = sp_pose_make(here.R, Y->com);
  double I[6];
  limb_get_moments(Y, I);
  limb_put(o, "    <link name=%q>\n", name.text);
  if (joint) put_pose(o, "      ", joint->name, &here);
  limb_put(o, "      <inertial>\n");
  put_pose(o, "        ", NULL, &com);
  limb_put(o, "        <mass>%n</mass>\n        <inertia>\n", 1, &Y->mass);
  for (int k = 0; k < 6; k++) put_number(o, names[k], I[k]);
  limb_put(o, "        </inertia>\n      </inertial>\n");
  limb_put_sdf_shapes(o, index);
  limb_put(o, "    </link>\n");
}

// ---- joints -------------------------------------------------------------------------------------------

static void put_axis(const limb_writer* o, const char* element, const limb_joint_def* j, int k, sp_vec3 axis)
{
  const double damping = j->viscous + j->damping[k];
  limb_put(o, "      <%s>\n        <xyz>%n</xyz>\n", element, 3, (const double[3]){axis.x, axis.y, axis.z});
  if (isfinite(j->q_min) || isfinite(j->q_max) || isfinite(j->v_max) || isfinite(j->effort_max)) {
    limb_put(o, "        <limit>\n");
    if (isfinite(j->q_min)) put_number(o, "lower", j->q_min);
    if (isfinite(j->q_max)) put_number(o, "upper", j->q_max);
    if (isfinite(j->effort_max)) put_number(o, "effort", j->effort_max);
    if (isfinite(j->v_max)) put_number(o, "velocity", j->v_max);
    limb_put(o, "        </limit>\n");
  }
  const double stiffness = one_dof(j->type) ? j->stiffness : 0; // SDF's springs have one axis
  if (damping != 0 || j->coulomb != 0 || stiffness != 0) {
    limb_put(o, "        <dynamics>\n");
    if (damping != 0) put_number(o, "damping", damping);
    if (j->coulomb != 0) put_number(o, "friction", j->coulomb);
    if (stiffness != 0) put_number(o, "spring_reference", j->rest);
    if (stiffness != 0) put_number(o, "spring_stiffness", stiffness);
    limb_put(o, "        </dynamics>\n");
  }
  if (j->mimic >= 0) {
    limb_put(o, "        <mimic joint=%J>\n", j->mimic);
    put_number(o, "multiplier", j->multiplier);
    put_number(o, "offset", j->offset);
    put_number(o, "reference", 0);
    limb_put(o, "        </mimic>\n");
  }
  limb_put(o, "      </%s>\n", element);
}

// 1 for a ball joint with the same damping about all axes, which Drake reads from its axis.
static int is_damped_ball(const limb_joint_def* j)
{
  const double* d = j->damping;
  return j->type == LIMB_SPHERICAL && d[0] != 0 && d[0] == d[1] && d[0] == d[2];
}

static const char* sdf_type(const limb_joint_def* j)
{
  static const char* const words[] = {
    [LIMB_FIXED] = "fixed",   [LIMB_REVOLUTE] = "revolute",   [LIMB_PRISMATIC] = "prismatic",
    [LIMB_HELICAL] = "screw", [LIMB_UNIVERSAL] = "universal", [LIMB_SPHERICAL] = "ball",
    [LIMB_FREE] = NULL};
  return words[j->type];
}

static limb_status put_joint(sdf_writer* w, const limb_joint_def* j, limb_error* err)
{
  const limb_writer* o = w->out;
  const char* type = sdf_type(j);
  if (!type)
    return limb_fail(err, LIMB_E_UNSUPPORTED, j->name, "SDF has no %s joints%s", joint_type_words[j->type],
                     j->type == LIMB_FREE ? ", but for a single base at the origin of the world" : "");
  const int world = j->parent == LIMB_WORLD_BODY;
  const sdf_name parent = body_name(o->b, j->parent), child = body_name(o->b, j->child);
  limb_put(o, "    <joint name=%q type=%q>\n", j->name, type);
  put_pose(o, "      ", world ? "__model__" : parent.text, &j->placement);
  limb_put(o, "      <parent>%t</parent>\n      <child>%t</child>\n", parent.text, child.text);
  if (has_axis(j->type) || is_damped_ball(j)) put_axis(o, "axis", j, 0, has_axis(j->type) ? j->axis : sp_v3(0, 0, 1));
  if (j->type == LIMB_UNIVERSAL) put_axis(o, "axis2", j, 1, j->axis2);
  const double thread = 2 * LIMB_PI * j->pitch;
  if (j->type == LIMB_HELICAL) limb_put(o, "      <screw_thread_pitch>%n</screw_thread_pitch>\n", 1, &thread);
  if (j->rotor_inertia != 0) {
    limb_put(o, "      <drake:rotor_inertia>%n</drake:rotor_inertia>\n", 1, &j->rotor_inertia);
    limb_put(o, "      <drake:gear_ratio>%n</drake:gear_ratio>\n", 1, &j->gear_ratio);
    lose(&w->rotors, &w->first_rotor, j->name);
  }
  limb_put(o, "    </joint>\n");
  if (j->start != 0) lose(&w->lost_start, &w->first_start, j->name);
  if (has_motion_limits(j)) lose(&w->lost_motion, &w->first_motion, j->name);
  if (j->drive != LIMB_DRIVE_AUTO) lose(&w->lost_drive, &w->first_drive, j->name);
  return LIMB_OK;
}

// Armature of joints with several axes, damping of ball and free joints, springs of ball joints.
static int has_lost_directions(const limb_joint_def* j)
{
  int lost = j->type == LIMB_SPHERICAL && j->stiffness != 0;
  for (int k = 0; k < LIMB_JOINT_DOFS; k++)
    lost |= j->armature[k] != 0 || (j->damping[k] != 0 && j->type != LIMB_UNIVERSAL && !is_damped_ball(j));
  return lost;
}

// ---- loops --------------------------------------------------------------------------------------------
//
// Balls are constraints of Drake, which state both ends. Other loops are joints whose child has another joint already:
// they state one frame, which is that of both ends where the links are.

// The pose of a body in the world with every joint at 0.
static sp_pose home_of(const limb_builder* b, int body)
{
  sp_pose X = sp_pose_identity();
  limb_joint_def j;
  for (int steps = 0; body != LIMB_WORLD_BODY && steps < limb_builder_body_count(b); steps++) {
    int k = 0;
    while (limb_builder_get_joint(b, k, &j) == LIMB_OK && j.child != body) k++;
    X = sp_compose(j.placement, X);
    body = j.parent;
  }
  return X;
}

// How far the loop is open there, in the directions that it locks.
static double opening(const limb_builder* b, const limb_loop_def* def)
{
  const sp_pose A = sp_compose(home_of(b, def->body_a), def->pose_a),
                B = sp_compose(home_of(b, def->body_b), def->pose_b);
  const sp_pose X = sp_compose(sp_invert(A), B);
  const double *R = X.R.m, along = def->kind == LIMB_LOOP_SLIDER ? 0 : fabs(X.p.z);
  const double turn = fabs(R[2]) + fabs(R[5]), about = def->kind == LIMB_LOOP_PIN ? 0 : fabs(R[1]) + fabs(R[3]);
  return fabs(X.p.x) + fabs(X.p.y) + along + turn + about;
}

static void put_ball(const limb_writer* o, const limb_loop_def* def)
{
  const sdf_name a = body_name(o->b, def->body_a), b = body_name(o->b, def->body_b);
  const sp_vec3 p = def->pose_a.p, q = def->pose_b.p;
  limb_put(o, "    <drake:ball_constraint name=%q>\n", def->name);
  limb_put(o, "      <drake:ball_constraint_body_A>%t</drake:ball_constraint_body_A>\n", a.text);
  limb_put(o, "      <drake:ball_constraint_body_B>%t</drake:ball_constraint_body_B>\n", b.text);
  limb_put(o, "      <drake:ball_constraint_p_AP>%n</drake:ball_constraint_p_AP>\n", 3,
           (const double[3]){p.x, p.y, p.z});
  limb_put(o, "      <drake:ball_constraint_p_BQ>%n</drake:ball_constraint_p_BQ>\n", 3,
           (const double[3]){q.x, q.y, q.z});
  limb_put(o, "    </drake:ball_constraint>\n");
}

static void put_loop(const limb_writer* o, const limb_loop_def* def)
{
  static const char* const types[NLOOP_KIND] = {
    [LIMB_LOOP_WELD] = "fixed", [LIMB_LOOP_PIN] = "revolute", [LIMB_LOOP_SLIDER] = "prismatic"};
  const limb_subject about = {"loop", def->name};
  const char* type = types[def->kind];
  double law = fabs((double)def->motion.constraint);
  for (int i = 0; i < NLAW_PROPERTY; i++) law += fabs(get_property(&law_properties[i], &def->motion));
  if (law != 0) limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, about, "its prescribed motion");
  if (def->kind == LIMB_LOOP_BALL) {
    put_ball(o, def);
    limb_report(o->findings, RULE_EXTENSION, nowhere, about, "it is written as a constraint of Drake");
    return;
  }
  if (!type || def->body_b == LIMB_WORLD_BODY || opening(o->b, def) > 1e-12) {
    limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, about, "%s",
                !type || def->body_b == LIMB_WORLD_BODY ? "SDF has no loops of its kind"
                                                        : "it is open where all joints are zero");
    return;
  }
  const sdf_name parent = body_name(o->b, def->body_a), child = body_name(o->b, def->body_b);
  limb_put(o, "    <joint name=%q type=%q>\n", def->name, type);
  put_pose(o, "      ", child.text, &def->pose_b);
  limb_put(o, "      <parent>%t</parent>\n      <child>%t</child>\n", parent.text, child.text);
  if (def->kind != LIMB_LOOP_WELD) limb_put(o, "      <axis>\n        <xyz>0 0 1</xyz>\n      </axis>\n");
  limb_put(o, "    </joint>\n");
}

// ---- the robot ------------------------------------------------------------------------------------------

static limb_status put_parts(sdf_writer* w, limb_error* err)
{
  const limb_builder* b = w->out->b;
  limb_body_def body;
  limb_joint_def j;
  limb_frame_info f;
  limb_status s = LIMB_OK;
  for (int k = 0; s == LIMB_OK && limb_builder_get_joint(b, k, &j) == LIMB_OK; k++) {
    if (limb_builder_get_body(b, j.child, &body) != LIMB_OK) continue;
    const int floats = w->base == j.child;
    if (has_lost_directions(&j)) lose(&w->lost_directions, &w->first_directions, j.name);
    if (limb_builder_find_joint(b, body.name) >= 0) lose(&w->renamed, &w->first_renamed, body.name);
    put_link(w->out, j.child, &body, floats ? NULL : &j);
    if (!floats) s = put_joint(w, &j, err);
    if (floats && strcmp(j.name, "base") != 0)
      limb_report(w->out->findings, RULE_REPHRASED, nowhere, (limb_subject){"joint", j.name},
                  "a floating model has no joint: it reads back as 'base'");
  }
  for (int i = 0; limb_builder_get_frame(b, i, &f) == LIMB_OK; i++) {
    const int world = f.body == LIMB_WORLD_BODY;
    if (world)
      limb_report(w->out->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"frame", f.name},
                  "it is fixed to the world");
    if (world) continue;
    const sdf_name name = frame_name(b, f.name, "_frame"), body_of = body_name(b, f.body);
    limb_put(w->out, "    <frame name=%q attached_to=%q>\n", name.text, body_of.text);
    put_pose(w->out, "      ", NULL, &f.pose);
    limb_put(w->out, "    </frame>\n");
  }
  return s;
}

// A free joint that is the only one on the world, and nothing else is there, makes a model that floats.
static int find_base(const limb_builder* b)
{
  limb_joint_def j, base = {.type = LIMB_FIXED};
  int count = 0;
  for (int k = 0; limb_builder_get_joint(b, k, &j) == LIMB_OK; k++) {
    if (j.parent != LIMB_WORLD_BODY) continue;
    base = j;
    count++;
  }
  const int floats = count == 1 && base.type == LIMB_FREE && limb_is_identity(&base.placement);
  return floats ? base.child : -1;
}

static void report_rest(const sdf_writer* w)
{
  const limb_builder* b = w->out->b;
  limb_shaft_def shaft;
  limb_tendon_def tendon;
  if (limb_builder_get_shaft(b, 0, &shaft) == LIMB_OK)
    limb_report(w->out->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"shaft", NULL},
                "SDF has no elastic shafts");
  for (int i = 0; limb_builder_get_tendon(b, i, &tendon) == LIMB_OK; i++)
    limb_report(w->out->findings, RULE_NOT_WRITTEN, nowhere, (limb_subject){"tendon", tendon.name},
                "SDF has no tendons");
  report_lost(w, w->lost_directions, w->first_directions, RULE_NOT_WRITTEN, "its armature or damping by directions");
  report_lost(w, w->renamed, w->first_renamed, RULE_REPHRASED,
              "a body has this name, too, which SDF does not allow: its link gets the suffix _link");
  report_lost(w, w->rotors, w->first_rotor, RULE_EXTENSION,
              "its rotor and gear ratio are written as Drake's extensions");
  report_lost(w, w->lost_start, w->first_start, RULE_NOT_WRITTEN, "its starting value for closing loops");
  report_lost(w, w->lost_motion, w->first_motion, RULE_NOT_WRITTEN, "its limits of acceleration and jerk");
  report_lost(w, w->lost_drive, w->first_drive, RULE_NOT_WRITTEN, "whether a motor drives it");
}

limb_status limb_write_sdf(const limb_writer* o, limb_error* err)
{
  const sp_vec3 g = limb_builder_gravity(o->b);
  const int world = !limb_same_vector(g, sp_v3(0, 0, -9.81));
  sdf_writer w = {.out = o, .base = find_base(o->b)};
  limb_put(o, "<?xml version=\"1.0\"?>\n<sdf version=\"1.9\" xmlns:drake=\"http://drake.mit.edu\">\n");
  if (world) limb_put(o, "  <world name=\"world\">\n    <gravity>%n</gravity>\n", 3, (const double[3]){g.x, g.y, g.z});
  limb_put(o, "  <model name=%q>\n", limb_builder_name(o->b));
  const limb_status s = put_parts(&w, err);
  limb_loop_def loop;
  for (int i = 0; limb_builder_get_loop(o->b, i, &loop) == LIMB_OK; i++) put_loop(o, &loop);
  limb_put(o, world ? "  </model>\n  </world>\n</sdf>\n" : "  </model>\n</sdf>\n");
  report_rest(&w);
  limb_report_shapes(o);
  return s;
}
