// Writing URDF: links, joints, loops, and an element <limb> for what URDF cannot express.
//
// Inertias are written in link axes. Rotations are written as roll, pitch and yaw, which all tools understand, and
// read back to about 1e-16; all other numbers read back to the same bits. Where URDF requires a limit and there is
// none, 1e308 is written, which limb reads as no limit.
#include "io/geometry.h"
#include "io/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What is not part of the standard, counted so that each kind is reported once.
enum {
  USES_ROTOR,
  USES_GEAR,
  USES_SPRING,
  USES_PITCH,
  USES_AXIS2,
  USES_DRIVE,
  USES_SHAFT,
  USES_START,
  USES_DIRECTIONS,
  USES_TYPE,
  NUSE
};

static const char* const use_words[NUSE] = {"the rotor inertia",
                                            "the gear ratio",
                                            "the spring",
                                            "the pitch",
                                            "the second axis",
                                            "whether a motor drives it",
                                            "the elastic shaft",
                                            "the starting value for closing loops",
                                            "armature or damping by directions",
                                            "the type"};

static const file_pos nowhere = {0, 0, 0};

typedef struct urdf_writer {
  const limb_writer* out;
  limb_base base; // how the root is attached to the world; AS_FILE: the world is written as a link
  int uses[NUSE];
  const char* first[NUSE]; // the first joint
} urdf_writer;

static void use(urdf_writer* w, int what, const char* joint)
{
  if (w->uses[what]++ == 0) w->first[what] = joint;
}

static void report_uses(const urdf_writer* w)
{
  for (int i = 0; i < NUSE; i++) {
    char others[48] = "";
    if (w->uses[i] > 1) (void)snprintf(others, sizeof others, ", here and in %d more", w->uses[i] - 1);
    if (w->uses[i] > 0)
      limb_report(w->out->findings, RULE_EXTENSION, nowhere, (limb_subject){"joint", w->first[i]}, "%s is %s%s",
                  use_words[i], i == USES_TYPE ? "not part of the URDF standard" : "written in <limb>", others);
  }
}

// A line with an element <origin>; nothing for the identity.
static void put_origin(const limb_writer* o, const char* indent, const sp_pose* X)
{
  const sp_vec3 rpy = sp_rpy_rot(X->R);
  if (limb_is_identity(X)) return;
  limb_put(o, "%s<origin xyz=%v", indent, &X->p);
  if (!limb_no_rotation(&X->R)) limb_put(o, " rpy=%v", &rpy);
  limb_put(o, "/>\n");
}

static void put_inertial(const limb_writer* o, const sp_inertia* Y)
{
  const sp_pose com = sp_pose_make(sp_identity3(), Y->com);
  limb_put(o, "    <inertial>\n");
  put_origin(o, "      ", &com);
  limb_put(o, "      <mass value=%g/>\n      <inertia ixx=%g ixy=%g ixz=%g", Y->mass, Y->xx, Y->xy, Y->xz);
  limb_put(o, " iyy=%g iyz=%g izz=%g/>\n    </inertial>\n", Y->yy, Y->yz, Y->zz);
}

// 1 when a body has a shape, which may be one that cannot be written.
static int has_shape(const limb_builder* b, int body)
{
  limb_shape_def s;
  for (int i = 0; limb_builder_get_shape(b, i, &s) == LIMB_OK; i++)
    if (s.body == body) return 1;
  return 0;
}

// body: whose shapes it has; -1: none
static void put_link(const limb_writer* o, const char* name, int body, const sp_inertia* Y)
{
  const int massless = !limb_has_inertia(Y) && limb_is_zero(Y->com), plain = body < 0 || !has_shape(o->b, body);
  limb_put(o, massless && plain ? "  <link name=%q/>\n" : "  <link name=%q>\n", name);
  if (massless && plain) return;
  if (!massless) put_inertial(o, Y);
  if (!plain) limb_put_urdf_shapes(o, body);
  limb_put(o, "  </link>\n");
}

// ---- joints ---------------------------------------------------------------------------------------

static int is_unlimited(const limb_joint_def* j) { return isinf(j->q_min) && isinf(j->q_max); }

// URDF has its own words for two types.
static const char* joint_type(const limb_joint_def* j)
{
  if (j->type == LIMB_FREE) return "floating";
  return j->type == LIMB_REVOLUTE && is_unlimited(j) ? "continuous" : joint_type_words[j->type];
}

static double finite(double limit) { return isinf(limit) ? copysign(1e308, limit) : limit; }

static void put_limit(const limb_writer* o, const limb_joint_def* j)
{
  const int range = !is_unlimited(j) || j->type == LIMB_PRISMATIC; // for which URDF requires it
  if (!range && isinf(j->v_max) && isinf(j->effort_max) && !has_motion_limits(j)) return;
  limb_put(o, "    <limit");
  if (range) limb_put(o, " lower=%g upper=%g", finite(j->q_min), finite(j->q_max));
  limb_put(o, " effort=%g velocity=%g", finite(j->effort_max), finite(j->v_max));
  if (isfinite(j->a_max)) limb_put(o, " acceleration=%g", j->a_max);
  if (isfinite(j->deceleration_max)) limb_put(o, " deceleration=%g", j->deceleration_max);
  if (isfinite(j->jerk_max)) limb_put(o, " jerk=%g", j->jerk_max);
  limb_put(o, "/>\n");
}

// 1 when axis2 is the default of a reader, which is known for the plane normal to z.
static int is_default_axis2(const limb_joint_def* j)
{
  return j->type == LIMB_PLANAR && limb_same_vector(j->axis, sp_v3(0, 0, 1)) &&
         limb_same_vector(j->axis2, sp_v3(1, 0, 0));
}

static void put_own(urdf_writer* w, const limb_joint_def* j, const char* name, double x, int what)
{
  limb_put(w->out, " %s=%g", name, x);
  use(w, what, j->name);
}

// Whether one of the numbers of a joint's directions is not zero.
static int is_any(const double x[LIMB_JOINT_DOFS])
{
  for (int k = 0; k < LIMB_JOINT_DOFS; k++)
    if (x[k] != 0) return 1;
  return 0;
}

static void put_extension(urdf_writer* w, const limb_joint_def* j)
{
  const int spring = j->stiffness != 0 || j->rest != 0, axis2 = !limb_is_zero(j->axis2) && !is_default_axis2(j);
  const int pitch = j->type == LIMB_HELICAL, drive = j->drive != LIMB_DRIVE_AUTO, start = j->start != 0;
  const int damped = is_any(j->damping), heavy = is_any(j->armature);
  if (!axis2 && !spring && !pitch && !drive && !start && !damped && !heavy && j->rotor_inertia == 0 &&
      j->gear_ratio == 1)
    return;
  limb_put(w->out, "    <limb");
  if (j->rotor_inertia != 0) put_own(w, j, "rotor_inertia", j->rotor_inertia, USES_ROTOR);
  if (j->gear_ratio != 1) put_own(w, j, "gear_ratio", j->gear_ratio, USES_GEAR);
  if (spring) put_own(w, j, "stiffness", j->stiffness, USES_SPRING);
  if (spring && one_dof(j->type)) limb_put(w->out, " rest=%g", j->rest);
  if (pitch) put_own(w, j, "pitch", j->pitch, USES_PITCH);
  if (axis2) limb_put(w->out, " axis2=%v", &j->axis2);
  if (axis2) use(w, USES_AXIS2, j->name);
  if (drive) limb_put(w->out, " drive=%q", drive_words[j->drive]);
  if (drive) use(w, USES_DRIVE, j->name);
  if (start) put_own(w, j, "start", j->start, USES_START);
  if (heavy) limb_put(w->out, " armature=%l", (int)joint_dofs[j->type], j->armature);
  if (damped) limb_put(w->out, " damping=%l", (int)joint_dofs[j->type], j->damping);
  if (damped || heavy) use(w, USES_DIRECTIONS, j->name);
  limb_put(w->out, "/>\n");
}

// The opening tag of a joint, and its parent, child and origin.
static void begin_joint(const limb_writer* o, const char* name, const char* type, int parent, const char* child,
                        const sp_pose* placement)
{
  limb_put(o, "  <joint name=%q type=%q>\n    <parent link=%B/>\n    <child link=%q/>\n", name, type, parent, child);
  put_origin(o, "    ", placement);
}

static void put_joint(urdf_writer* w, const limb_joint_def* j)
{
  const limb_writer* o = w->out;
  const limb_joint_type type = j->type;
  limb_body_def child = limb_default_body_def("");
  (void)!limb_builder_get_body(o->b, j->child, &child);
  begin_joint(o, j->name, joint_type(j), j->parent, child.name, &j->placement);
  if (has_axis(type)) limb_put(o, "    <axis xyz=%v/>\n", &j->axis);
  if (one_dof(type)) put_limit(o, j);
  if (one_dof(type) && (j->viscous != 0 || j->coulomb != 0))
    limb_put(o, "    <dynamics damping=%g friction=%g/>\n", j->viscous, j->coulomb);
  if (one_dof(type) && j->mimic >= 0)
    limb_put(o, "    <mimic joint=%J multiplier=%g offset=%g/>\n", j->mimic, j->multiplier, j->offset);
  put_extension(w, j);
  limb_put(o, "  </joint>\n");
  if (type == LIMB_SPHERICAL || type == LIMB_HELICAL || type == LIMB_CYLINDRICAL || type == LIMB_UNIVERSAL)
    use(w, USES_TYPE, j->name);
}

// A name for the joint of a frame that no other joint has; 0 when none is found.
static int frame_joint_name(const limb_builder* b, const char* frame, char* name, size_t size)
{
  for (int i = 0; i < 1000; i++) {
    char number[16] = "";
    if (i > 0) (void)snprintf(number, sizeof number, "%d", i);
    const int n = snprintf(name, size, "%s.frame%s", frame, number);
    if (n < 0 || (size_t)n >= size) return 0;
    if (limb_builder_find_joint(b, name) < 0) return 1;
  }
  return 0;
}

static void put_frame(const limb_writer* o, const limb_frame_info* f)
{
  const sp_inertia none = {0};
  const limb_subject about = {"frame", f->name};
  char joint[256];
  if (!frame_joint_name(o->b, f->name, joint, sizeof joint)) {
    limb_report(o->findings, RULE_NOT_WRITTEN, nowhere, about, "no name was found for the joint that would carry it");
    return;
  }
  put_link(o, f->name, -1, &none);
  begin_joint(o, joint, "fixed", f->body, f->name, &f->pose);
  limb_put(o, "  </joint>\n");
  limb_report(o->findings, RULE_REPHRASED, nowhere, about,
              "it is written as a massless link on a fixed joint '%s', and reads back as a body", joint);
}

// ---- loops ----------------------------------------------------------------------------------------
//
// <loop_joint>, as in Drake and Isaac Sim, with an element <limb> for what that cannot express.

// The type of a joint that leaves the same motions free, where there is one.
static const char* loop_type(limb_loop_kind kind)
{
  static const char* const joint[NLOOP_KIND] = {[LIMB_LOOP_WELD] = "fixed",
                                                [LIMB_LOOP_PIN] = "revolute",
                                                [LIMB_LOOP_SLIDER] = "prismatic",
                                                [LIMB_LOOP_BALL] = "spherical"};
  return joint[kind] ? joint[kind] : loop_words[kind];
}

static void put_end(const limb_writer* o, const char* element, int body, const sp_pose* pose)
{
  const int plain = limb_is_identity(pose);
  limb_put(o, plain ? "    <%s link=%B/>\n" : "    <%s link=%B>\n", element, body);
  put_origin(o, "      ", pose);
  if (!plain) limb_put(o, "    </%s>\n", element);
}

static void put_loop_extension(const limb_writer* o, const limb_loop_def* def)
{
  const limb_loop_kind kind = def->kind;
  const int lock = kind == LIMB_LOOP_LOCK, distance = kind == LIMB_LOOP_DISTANCE, pair = loop_of_joints(kind);
  int law = def->motion.constraint != 0;
  for (int i = 0; i < NLAW_PROPERTY; i++) law |= get_property(&law_properties[i], &def->motion) != 0;
  if (!law && !lock && !distance && !loop_has_radius(kind) && !pair) return;
  limb_put(o, "    <limb");
  for (int i = 0, n = 0; lock && i < NDIRECTION; i++) {
    if (def->locked & 1u << i) limb_put(o, n++ ? " %s" : " locked=\"%s", direction_words[i]);
  }
  if (lock) limb_put(o, "\"");
  if (distance) limb_put(o, " length=%g", def->length);
  if (loop_has_radius(kind)) limb_put(o, " radius=%g", def->radius);
  if (pair) limb_put(o, " joint=%J other=%J", def->joint, def->other);
  if (kind == LIMB_LOOP_GEAR) limb_put(o, " ratio=%g offset=%g", def->coefficient[1], def->coefficient[0]);
  if (kind == LIMB_LOOP_POLYNOMIAL) limb_put(o, " coefficients=%l", loop_coefficients(def), def->coefficient);
  limb_put(o, law ? ">\n" : "/>\n");
  if (!law) return;
  limb_put(o, "      <law row=%d", def->motion.constraint);
  (void)limb_put_properties(o, law_properties, NLAW_PROPERTY, &def->motion, NULL, " ", " ");
  limb_put(o, "/>\n    </limb>\n");
}

static void put_loops(const limb_writer* o)
{
  limb_loop_def def;
  for (int i = 0; limb_builder_get_loop(o->b, i, &def) == LIMB_OK; i++) {
    const limb_loop_kind kind = def.kind;
    limb_put(o, "  <loop_joint name=%q type=%q>\n", def.name, loop_type(kind));
    if (!loop_of_joints(kind)) {
      put_end(o, "link1", def.body_a, &def.pose_a);
      put_end(o, "link2", def.body_b, &def.pose_b);
    }
    if (kind == LIMB_LOOP_PIN || kind == LIMB_LOOP_SLIDER || kind == LIMB_LOOP_CYLINDRICAL || kind == LIMB_LOOP_PLANAR)
      limb_put(o, "    <axis xyz=\"0 0 1\"/>\n");
    put_loop_extension(o, &def);
    limb_put(o, "  </loop_joint>\n");
    if (i == 0)
      limb_report(o->findings, RULE_EXTENSION, nowhere, (limb_subject){"loop", def.name},
                  "it is written as <loop_joint>, which few readers understand%s",
                  limb_builder_loop_count(o->b) > 1 ? ", and so are the others" : "");
  }
}

// ---- what is lost ---------------------------------------------------------------------------------

static void report_lost(const limb_writer* o)
{
  limb_tendon_def tendon;
  for (int i = 0; limb_builder_get_tendon(o->b, i, &tendon) == LIMB_OK; i++)
    limb_report(o->findings, RULE_DROPPED, nowhere, (limb_subject){"tendon", tendon.name},
                "URDF has no tendons: it is not written");
}

// ---- the robot ------------------------------------------------------------------------------------

// 1 when a joint other than the first, a frame or a loop is attached to the world.
static int is_world_used(const limb_builder* b)
{
  limb_joint_def j;
  limb_frame_info f;
  limb_loop_def loop;
  int used = 0;
  for (int i = 1; limb_builder_get_joint(b, i, &j) == LIMB_OK; i++) used |= j.parent == LIMB_WORLD_BODY;
  for (int i = 0; limb_builder_get_frame(b, i, &f) == LIMB_OK; i++) used |= f.body == LIMB_WORLD_BODY;
  for (int i = 0; limb_builder_get_loop(b, i, &loop) == LIMB_OK; i++)
    used |= loop.body_a == LIMB_WORLD_BODY || loop.body_b == LIMB_WORLD_BODY;
  return used;
}

// How the root is attached to the world, if that can be written without a link for the world: by one joint, the
// first, with the name that readers give it, at the origin, and nothing else refers to the world.
static limb_base find_base(const limb_builder* b)
{
  limb_joint_def j;
  if (is_world_used(b) || limb_builder_get_joint(b, 0, &j) || strcmp(j.name, "base") != 0 ||
      j.parent != LIMB_WORLD_BODY || !limb_is_identity(&j.placement))
    return LIMB_BASE_AS_FILE;
  if (j.type == LIMB_FIXED) return LIMB_BASE_FIXED;
  if (j.type == LIMB_FREE && j.drive == LIMB_DRIVE_AUTO) return LIMB_BASE_FLOATING;
  return is_default_axis2(&j) && j.drive == LIMB_DRIVE_PASSIVE ? LIMB_BASE_PLANAR : LIMB_BASE_AS_FILE;
}

static void put_shaft(urdf_writer* w, const limb_shaft_def* x)
{
  limb_joint_def joint = limb_default_joint_def("", LIMB_FIXED, 0, 0);
  (void)!limb_builder_get_joint(w->out->b, x->joint, &joint);
  limb_put(w->out, "    <shaft joint=%q motor=%J", joint.name, x->motor);
  (void)limb_put_properties(w->out, shaft_properties, NSHAFT_PROPERTY, x, NULL, " ", " ");
  limb_put(w->out, "/>\n");
  use(w, USES_SHAFT, joint.name);
}

static void put_robot_extension(urdf_writer* w)
{
  const limb_writer* o = w->out;
  const sp_vec3 g = limb_builder_gravity(o->b);
  const int other_gravity = !limb_same_vector(g, sp_v3(0, 0, -9.81)), nshaft = limb_builder_shaft_count(o->b);
  const int moves = w->base == LIMB_BASE_FLOATING || w->base == LIMB_BASE_PLANAR;
  const double open = limb_builder_loop_tolerance(o->b);
  const int opens = limb_builder_loop_count(o->b) > 0 && open > 1e-7;
  limb_shaft_def shaft;
  if (!other_gravity && !moves && !opens && nshaft == 0) return;
  limb_put(o, "  <limb");
  if (other_gravity) {
    limb_put(o, " gravity=%v", &g);
    limb_report(o->findings, RULE_EXTENSION, nowhere, (limb_subject){"gravity", NULL},
                "it is written in <limb> of the robot");
  }
  if (moves) {
    limb_put(o, " base=%q", w->base == LIMB_BASE_FLOATING ? "floating" : "planar");
    limb_report(o->findings, RULE_EXTENSION, nowhere, (limb_subject){"joint", "base"},
                "that the root can move is written in <limb> of the robot");
  }
  if (opens) limb_put(o, " loop_tolerance=%g", open);
  limb_put(o, nshaft ? ">\n" : "/>\n");
  for (int i = 0; limb_builder_get_shaft(o->b, i, &shaft) == LIMB_OK; i++) put_shaft(w, &shaft);
  if (nshaft) limb_put(o, "  </limb>\n");
}

// Limits of acceleration and jerk, and capsules; other readers may refuse a version that they do not know.
static int needs_version_1_2(const limb_writer* o)
{
  limb_joint_def j;
  limb_shape_def shape;
  int needed = 0;
  for (int k = 0; k < limb_builder_joint_count(o->b) && !needed; k++)
    needed = limb_builder_get_joint(o->b, k, &j) == LIMB_OK && has_motion_limits(&j);
  for (int k = 0; limb_builder_get_shape(o->b, k, &shape) == LIMB_OK && !needed; k++)
    needed = shape.type == LIMB_SHAPE_CAPSULE;
  return needed;
}

void limb_write_urdf(limb_writer* o)
{
  urdf_writer w = {.out = o, .base = find_base(o->b)};
  o->has_world = w.base == LIMB_BASE_AS_FILE;
  const int own = w.base != LIMB_BASE_AS_FILE; // the first joint is not written
  const sp_inertia none = {0};
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  limb_put(o, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<robot name=%q", limb_builder_name(o->b));
  limb_put(o, needs_version_1_2(o) ? " version=\"1.2\">\n" : ">\n");
  put_robot_extension(&w);
  for (int i = own; limb_builder_get_body(o->b, i, &body) == LIMB_OK; i++)
    put_link(o, body.name, i, i == LIMB_WORLD_BODY ? &none : &body.inertia);
  for (int i = own; limb_builder_get_joint(o->b, i, &joint) == LIMB_OK; i++) put_joint(&w, &joint);
  for (int i = 0; limb_builder_get_frame(o->b, i, &frame) == LIMB_OK; i++) put_frame(o, &frame);
  put_loops(o);
  limb_put(o, "</robot>\n");
  report_uses(&w);
  report_lost(o);
  limb_report_shapes(o);
}
