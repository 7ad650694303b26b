// Writing URDF: links, joints, and an element <limb> for what URDF has no word for.
//
// Inertias are written in link axes. A rotation is written as roll, pitch and yaw, which all tools know: it
// reads back to about 1e-16, all other numbers to the same bits. A limit that is not there is written as
// 1e308 where URDF wants a number; our reader takes that as none.
#include "limb/read.h"

#include "io/findings.h"
#include "io/joints.h"
#include "io/write_urdf_impl.h"
#include "io/writers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- links ----------------------------------------------------------------------------------------

static int has_inertia(const sp_inertia* Y)
{
  return Y->mass != 0 || !zero3(Y->com) || Y->xx != 0 || Y->xy != 0 || Y->xz != 0 || Y->yy != 0 || Y->yz != 0 ||
         Y->zz != 0;
}

static void put_link(const urdf_writer* w, const char* name, const sp_inertia* Y)
{
  put(w, "  <link");
  limb_urdf_put_text(w, "name", name);
  if (!has_inertia(Y)) {
    put(w, "/>\n");
    return;
  }
  const sp_pose com = sp_pose_make(sp_identity3(), Y->com);
  put(w, ">\n    <inertial>\n");
  limb_urdf_put_origin(w, "      ", &com);
  put(w, "      <mass");
  limb_urdf_put_value(w, "value", Y->mass);
  put(w, "/>\n      <inertia");
  limb_urdf_put_value(w, "ixx", Y->xx);
  limb_urdf_put_value(w, "ixy", Y->xy);
  limb_urdf_put_value(w, "ixz", Y->xz);
  limb_urdf_put_value(w, "iyy", Y->yy);
  limb_urdf_put_value(w, "iyz", Y->yz);
  limb_urdf_put_value(w, "izz", Y->zz);
  put(w, "/>\n    </inertial>\n  </link>\n");
}

// ---- joints ---------------------------------------------------------------------------------------

static int unlimited(const limb_joint_def* j) { return isinf(j->q_min) && isinf(j->q_max); }

static const char* type_word(const limb_joint_def* j)
{
  switch (j->type) {
  case LIMB_FIXED: return "fixed";
  case LIMB_REVOLUTE: return unlimited(j) ? "continuous" : "revolute";
  case LIMB_PRISMATIC: return "prismatic";
  case LIMB_HELICAL: return "helical";
  case LIMB_CYLINDRICAL: return "cylindrical";
  case LIMB_UNIVERSAL: return "universal";
  case LIMB_PLANAR: return "planar";
  case LIMB_SPHERICAL: return "spherical";
  case LIMB_FREE: return "floating";
  }
  return "fixed";
}

static void put_limit_value(const urdf_writer* w, const char* name, double x)
{
  limb_urdf_put_value(w, name, isinf(x) ? (x < 0 ? -1e308 : 1e308) : x);
}

static void put_limit(const urdf_writer* w, const limb_joint_def* j)
{
  const int range = !unlimited(j) || j->type == LIMB_PRISMATIC; // which URDF never lets go without
  if (!range && isinf(j->v_max) && isinf(j->effort_max)) return;
  put(w, "    <limit");
  if (range) {
    put_limit_value(w, "lower", j->q_min);
    put_limit_value(w, "upper", j->q_max);
  }
  put_limit_value(w, "effort", j->effort_max);
  put_limit_value(w, "velocity", j->v_max);
  put(w, "/>\n");
}

static void put_mimic(const urdf_writer* w, const limb_joint_def* j)
{
  limb_joint_def leader;
  if (j->mimic < 0 || limb_builder_get_joint(w->b, j->mimic, &leader)) return;
  put(w, "    <mimic");
  limb_urdf_put_text(w, "joint", leader.name);
  limb_urdf_put_value(w, "multiplier", j->multiplier);
  limb_urdf_put_value(w, "offset", j->offset);
  put(w, "/>\n");
}

static int same3(sp_vec3 a, sp_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// 1 when axis2 is what a reader takes that is told nothing: known for the plane normal to z.
static int usual_axis2(const limb_joint_def* j)
{
  return j->type == LIMB_PLANAR && same3(j->axis, sp_v3(0, 0, 1)) && same3(j->axis2, sp_v3(1, 0, 0));
}

static void put_extension(urdf_writer* w, const limb_joint_def* j)
{
  const int axis2 = !zero3(j->axis2) && !usual_axis2(j), spring = j->stiffness != 0 || j->rest != 0;
  const int pitch = j->type == LIMB_HELICAL, drive = j->drive != LIMB_DRIVE_AUTO;
  const int start = j->start != 0;
  if (!axis2 && !spring && !pitch && !drive && !start && j->rotor_inertia == 0 && j->gear_ratio == 1) return;
  put(w, "    <limb");
  if (j->rotor_inertia != 0) {
    limb_urdf_put_value(w, "rotor_inertia", j->rotor_inertia);
    use(w, USES_ROTOR, j->name);
  }
  if (j->gear_ratio != 1) {
    limb_urdf_put_value(w, "gear_ratio", j->gear_ratio);
    use(w, USES_GEAR, j->name);
  }
  if (spring) {
    limb_urdf_put_value(w, "stiffness", j->stiffness);
    limb_urdf_put_value(w, "rest", j->rest);
    use(w, USES_SPRING, j->name);
  }
  if (pitch) {
    limb_urdf_put_value(w, "pitch", j->pitch);
    use(w, USES_PITCH, j->name);
  }
  if (axis2) {
    limb_urdf_put_vector(w, "axis2", j->axis2);
    use(w, USES_AXIS2, j->name);
  }
  if (drive) {
    limb_urdf_put_text(w, "drive", j->drive == LIMB_DRIVE_ACTIVE ? "active" : "passive");
    use(w, USES_DRIVE, j->name);
  }
  if (start) {
    limb_urdf_put_value(w, "start", j->start);
    use(w, USES_START, j->name);
  }
  put(w, "/>\n");
}

static void put_ends(const urdf_writer* w, const char* parent, const char* child)
{
  put(w, "    <parent");
  limb_urdf_put_text(w, "link", parent);
  put(w, "/>\n    <child");
  limb_urdf_put_text(w, "link", child);
  put(w, "/>\n");
}

static void put_joint(urdf_writer* w, const limb_joint_def* j)
{
  const limb_joint_type type = j->type;
  put(w, "  <joint");
  limb_urdf_put_text(w, "name", j->name);
  limb_urdf_put_text(w, "type", type_word(j));
  put(w, ">\n");
  put_ends(w, limb_urdf_body_name(w, j->parent), limb_urdf_body_name(w, j->child));
  limb_urdf_put_origin(w, "    ", &j->placement);
  if (has_axis(type)) {
    put(w, "    <axis");
    limb_urdf_put_vector(w, "xyz", j->axis);
    put(w, "/>\n");
  }
  if (one_dof(type)) {
    put_limit(w, j);
    if (j->viscous != 0 || j->coulomb != 0) {
      put(w, "    <dynamics");
      limb_urdf_put_value(w, "damping", j->viscous);
      limb_urdf_put_value(w, "friction", j->coulomb);
      put(w, "/>\n");
    }
    put_mimic(w, j);
  }
  put_extension(w, j);
  put(w, "  </joint>\n");
  if (type == LIMB_SPHERICAL || type == LIMB_HELICAL || type == LIMB_CYLINDRICAL || type == LIMB_UNIVERSAL)
    use(w, USES_TYPE, j->name);
}

// ---- frames ---------------------------------------------------------------------------------------

enum { JOINT_NAME_SPACE = 256 };

// A name for the joint of a frame that no joint has yet; 0 when that does not succeed.
static int frame_joint_name(const limb_builder* b, const char* frame, char name[JOINT_NAME_SPACE])
{
  for (int i = 0; i < 1000; i++) {
    char number[16] = "";
    if (i > 0) (void)snprintf(number, sizeof number, "%d", i);
    const int n = snprintf(name, JOINT_NAME_SPACE, "%s.frame%s", frame, number);
    if (n < 0 || n >= JOINT_NAME_SPACE) return 0;
    if (limb_builder_find_joint(b, name) < 0) return 1;
  }
  return 0;
}

static void put_frame(const urdf_writer* w, const limb_frame_info* f)
{
  const sp_inertia none = {0};
  const limb_subject about = {"frame", f->name};
  char joint[JOINT_NAME_SPACE];
  if (!frame_joint_name(w->b, f->name, joint)) {
    limb_report(w->findings, RULE_NOT_WRITTEN, (limb_mark){0, 0}, about,
                "no name was found for the joint that would carry it");
    return;
  }
  put_link(w, f->name, &none);
  put(w, "  <joint");
  limb_urdf_put_text(w, "name", joint);
  put(w, " type=\"fixed\">\n");
  put_ends(w, limb_urdf_body_name(w, f->body), f->name);
  limb_urdf_put_origin(w, "    ", &f->pose);
  put(w, "  </joint>\n");
  limb_report(w->findings, RULE_REPHRASED, (limb_mark){0, 0}, about,
              "it is written as a link without mass on a fixed joint '%s', and reads back as a body", joint);
}

// ---- the robot ------------------------------------------------------------------------------------

// How the root hangs on the world, when this can be said without a link for the world: by one joint, the
// first, called as readers call it, at the origin, and nothing else refers to the world.
static limb_base settle_base(const limb_builder* b)
{
  limb_joint_def j;
  limb_frame_info f;
  limb_loop_def loop;
  for (int i = 1; i < limb_builder_joint_count(b); i++) {
    if (limb_builder_get_joint(b, i, &j) || j.parent == LIMB_WORLD_BODY) return LIMB_BASE_AS_FILE;
  }
  for (int i = 0; i < limb_builder_frame_count(b); i++) {
    if (limb_builder_get_frame(b, i, &f) || f.body == LIMB_WORLD_BODY) return LIMB_BASE_AS_FILE;
  }
  for (int i = 0; i < limb_builder_loop_count(b); i++) {
    if (limb_builder_get_loop(b, i, &loop) || loop.body_a == LIMB_WORLD_BODY || loop.body_b == LIMB_WORLD_BODY)
      return LIMB_BASE_AS_FILE;
  }
  if (limb_builder_get_joint(b, 0, &j) || strcmp(j.name, "base") != 0 || j.parent != LIMB_WORLD_BODY ||
      !zero3(j.placement.p) || !limb_urdf_no_turn(&j.placement.R))
    return LIMB_BASE_AS_FILE;
  if (j.type == LIMB_FIXED) return LIMB_BASE_FIXED;
  if (j.type == LIMB_FREE && j.drive == LIMB_DRIVE_AUTO) return LIMB_BASE_FLOATING;
  return usual_axis2(&j) && j.drive == LIMB_DRIVE_PASSIVE ? LIMB_BASE_PLANAR : LIMB_BASE_AS_FILE;
}

static void put_shaft(urdf_writer* w, const limb_shaft_def* x)
{
  limb_joint_def joint, motor;
  if (limb_builder_get_joint(w->b, x->joint, &joint) || limb_builder_get_joint(w->b, x->motor, &motor)) return;
  put(w, "    <shaft");
  limb_urdf_put_text(w, "joint", joint.name);
  limb_urdf_put_text(w, "motor", motor.name);
  limb_urdf_put_value(w, "ratio", x->ratio);
  limb_urdf_put_value(w, "stiffness", x->stiffness);
  limb_urdf_put_value(w, "damping", x->damping);
  limb_urdf_put_value(w, "rest", x->rest);
  put(w, "/>\n");
  use(w, USES_SHAFT, joint.name);
}

static void put_robot_extension(urdf_writer* w)
{
  const sp_vec3 g = limb_builder_gravity(w->b), usual = sp_v3(0, 0, -9.81);
  const int moves = w->base == LIMB_BASE_FLOATING || w->base == LIMB_BASE_PLANAR;
  const int nshaft = limb_builder_shaft_count(w->b);
  limb_shaft_def shaft;
  if (same3(g, usual) && !moves && nshaft == 0) return;
  put(w, "  <limb");
  if (!same3(g, usual)) {
    limb_urdf_put_vector(w, "gravity", g);
    limb_report(w->findings, RULE_EXTENSION, (limb_mark){0, 0}, (limb_subject){"gravity", NULL},
                "it is written in <limb> of the robot");
  }
  if (moves) {
    limb_urdf_put_text(w, "base", w->base == LIMB_BASE_FLOATING ? "floating" : "planar");
    limb_report(w->findings, RULE_EXTENSION, (limb_mark){0, 0}, (limb_subject){"joint", "base"},
                "that the root can move is written in <limb> of the robot");
  }
  put(w, nshaft ? ">\n" : "/>\n");
  for (int i = 0; i < nshaft; i++) {
    if (limb_builder_get_shaft(w->b, i, &shaft) == LIMB_OK) put_shaft(w, &shaft);
  }
  if (nshaft) put(w, "  </limb>\n");
}

static void report_uses(const urdf_writer* w)
{
  static const char* const what[USES_COUNT] = {"the rotor inertia", "the gear ratio",
                                               "the spring",        "the pitch",
                                               "the second axis",   "whether a motor drives it",
                                               "the elastic shaft", "where loops are closed from",
                                               "the type"};
  for (int i = 0; i < USES_COUNT; i++) {
    if (w->uses[i] == 0) continue;
    char others[48] = "";
    if (w->uses[i] > 1) (void)snprintf(others, sizeof others, ", here and of %d more", w->uses[i] - 1);
    limb_report(w->findings, RULE_EXTENSION, (limb_mark){0, 0}, (limb_subject){"joint", w->first[i]},
                i == USES_TYPE ? "%s is not of the URDF standard%s" : "%s is written in <limb>%s", what[i], others);
  }
}

static void put_robot(urdf_writer* w)
{
  const limb_builder* b = w->b;
  const sp_inertia none = {0};
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  put(w, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<robot");
  limb_urdf_put_text(w, "name", limb_builder_name(b));
  put(w, ">\n");
  put_robot_extension(w);
  if (w->base == LIMB_BASE_AS_FILE) put_link(w, limb_urdf_body_name(w, LIMB_WORLD_BODY), &none);
  for (int i = 1; i < limb_builder_body_count(b); i++) {
    if (limb_builder_get_body(b, i, &body) == LIMB_OK) put_link(w, body.name, &body.inertia);
  }
  for (int i = w->base == LIMB_BASE_AS_FILE ? 0 : 1; i < limb_builder_joint_count(b); i++) {
    if (limb_builder_get_joint(b, i, &joint) == LIMB_OK) put_joint(w, &joint);
  }
  for (int i = 0; i < limb_builder_frame_count(b); i++) {
    if (limb_builder_get_frame(b, i, &frame) == LIMB_OK) put_frame(w, &frame);
  }
  limb_urdf_put_loops(w);
  put(w, "</robot>\n");
}

limb_status limb_write_urdf(const limb_builder* b, limb_text_fn* write, void* context, limb_findings* findings,
                            limb_error* err)
{
  const limb_status status = limb_urdf_can_say(b, err);
  if (status) return status;
  urdf_writer w = {.b = b, .write = write, .context = context, .findings = findings, .base = settle_base(b)};
  put_robot(&w);
  report_uses(&w);
  return LIMB_OK;
}
