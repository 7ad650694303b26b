// Writing URDF: links, joints, loops, and an element <limb> for what URDF cannot express.
//
// Inertias are written in link axes. Rotations are written as roll, pitch and yaw, which all tools understand, and
// read back to about 1e-16; all other numbers read back to the same bits. Where URDF requires a limit and there is
// none, 1e308 is written, which limb reads as no limit.
#include "base/number.h"
#include "io/geometry.h"
#include "io/properties.h"
#include "io/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What is not part of the standard, counted so that each kind is reported once.
enum { USES_ROTOR, USES_GEAR, USES_SPRING, USES_PITCH, USES_AXIS2, USES_DRIVE, USES_SHAFT, USES_START, USES_TYPE };

static const char* const use_words[] = {[USES_ROTOR] = "the rotor inertia",
                                        [USES_GEAR] = "the gear ratio",
                                        [USES_SPRING] = "the spring",
                                        [USES_PITCH] = "the pitch",
                                        [USES_AXIS2] = "the second axis",
                                        [USES_DRIVE] = "whether a motor drives it",
                                        [USES_SHAFT] = "the elastic shaft",
                                        [USES_START] = "the starting value for closing loops",
                                        [USES_TYPE] = "the type"};

enum { NUSE = sizeof use_words / sizeof use_words[0] };

static const file_pos nowhere = {0, 0};

typedef struct urdf_writer {
  const limb_builder* b;
  limb_text_fn* write;
  void* context;
  limb_findings* findings;
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
      limb_report(w->findings, RULE_EXTENSION, nowhere, (limb_subject){"joint", w->first[i]}, "%s is %s%s",
                  use_words[i], i == USES_TYPE ? "not part of the URDF standard" : "written in <limb>", others);
  }
}

// ---- text -----------------------------------------------------------------------------------------

static void put(const urdf_writer* w, const char* text) { w->write(w->context, text); }

static void put_number(const urdf_writer* w, double x)
{
  char text[LIMB_NUMBER_SPACE];
  (void)limb_print_number(x == 0 ? 0 : x, text); // without the sign of a zero
  put(w, text);
}

// The escaped form of a character that an attribute cannot contain; NULL for all others.
static const char* escape(char c)
{
  static const char special[] = "&<>\"\t\n\r";
  static const char* const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#9;", "&#10;", "&#13;"};
  const char* at = strchr(special, c);
  return at ? escaped[at - special] : NULL;
}

static void begin_attribute(const urdf_writer* w, const char* name)
{
  put(w, " ");
  put(w, name);
  put(w, "=\"");
}

// ` name="text"`, escaped.
static void put_text(const urdf_writer* w, const char* name, const char* text)
{
  begin_attribute(w, name);
  for (; *text; text++) {
    const char plain[2] = {*text, 0}, *escaped = escape(*text);
    put(w, escaped ? escaped : plain);
  }
  put(w, "\"");
}

static void put_values(const urdf_writer* w, const char* name, const double* x, int count)
{
  begin_attribute(w, name);
  for (int i = 0; i < count; i++) {
    if (i) put(w, " ");
    put_number(w, x[i]);
  }
  put(w, "\"");
}

static void put_value(const urdf_writer* w, const char* name, double x) { put_values(w, name, &x, 1); }

static void put_vector(const urdf_writer* w, const char* name, sp_vec3 x)
{
  put_values(w, name, (const double[3]){x.x, x.y, x.z}, 3);
}

static void put_properties(const urdf_writer* w, const property* p, int count, const void* def)
{
  for (int i = 0; i < count; i++) put_value(w, p[i].key, get_property(&p[i], def));
}

// A line with an element <origin>; nothing for the identity.
static void put_origin(const urdf_writer* w, const char* indent, const sp_pose* X)
{
  if (limb_is_identity(X)) return;
  put(w, indent);
  put(w, "<origin");
  put_vector(w, "xyz", X->p);
  if (!limb_no_rotation(&X->R)) put_vector(w, "rpy", limb_rpy_of(&X->R));
  put(w, "/>\n");
}

// ---- names ----------------------------------------------------------------------------------------

static const char* body_name(const urdf_writer* w, int body)
{
  limb_body_def def;
  return limb_builder_get_body(w->b, body, &def) ? "" : def.name;
}

static const char* joint_name(const urdf_writer* w, int joint)
{
  limb_joint_def def;
  return limb_builder_get_joint(w->b, joint, &def) ? "" : def.name;
}

// ---- links ----------------------------------------------------------------------------------------

static void put_link(const urdf_writer* w, const char* name, const sp_inertia* Y)
{
  static const char* const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  const double I[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  const sp_pose com = sp_pose_make(sp_identity3(), Y->com);
  put(w, "  <link");
  put_text(w, "name", name);
  if (!limb_has_inertia(Y) && limb_is_zero(Y->com)) {
    put(w, "/>\n");
    return;
  }
  put(w, ">\n    <inertial>\n");
  put_origin(w, "      ", &com);
  put(w, "      <mass");
  put_value(w, "value", Y->mass);
  put(w, "/>\n      <inertia");
  for (int i = 0; i < 6; i++) put_value(w, names[i], I[i]);
  put(w, "/>\n    </inertial>\n  </link>\n");
}

// ---- joints ---------------------------------------------------------------------------------------

static int is_unlimited(const limb_joint_def* j) { return isinf(j->q_min) && isinf(j->q_max); }

// URDF has its own words for two types.
static const char* joint_type(const limb_joint_def* j)
{
  if (j->type == LIMB_FREE) return "floating";
  return j->type == LIMB_REVOLUTE && is_unlimited(j) ? "continuous" : joint_type_words[j->type];
}

static void put_limit(const urdf_writer* w, const limb_joint_def* j)
{
  static const char* const names[] = {"lower", "upper", "effort", "velocity"};
  const double limits[] = {j->q_min, j->q_max, j->effort_max, j->v_max};
  const int range = !is_unlimited(j) || j->type == LIMB_PRISMATIC; // for which URDF requires it
  if (!range && isinf(j->v_max) && isinf(j->effort_max)) return;
  put(w, "    <limit");
  for (int i = range ? 0 : 2; i < 4; i++)
    put_value(w, names[i], isinf(limits[i]) ? copysign(1e308, limits[i]) : limits[i]);
  put(w, "/>\n");
}

static void put_friction_and_mimic(const urdf_writer* w, const limb_joint_def* j)
{
  if (j->viscous != 0 || j->coulomb != 0) {
    put(w, "    <dynamics");
    put_value(w, "damping", j->viscous);
    put_value(w, "friction", j->coulomb);
    put(w, "/>\n");
  }
  if (j->mimic < 0) return;
  put(w, "    <mimic");
  put_text(w, "joint", joint_name(w, j->mimic));
  put_value(w, "multiplier", j->multiplier);
  put_value(w, "offset", j->offset);
  put(w, "/>\n");
}

static int same3(sp_vec3 a, sp_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// 1 when axis2 is the default of a reader, which is known for the plane normal to z.
static int is_default_axis2(const limb_joint_def* j)
{
  return j->type == LIMB_PLANAR && same3(j->axis, sp_v3(0, 0, 1)) && same3(j->axis2, sp_v3(1, 0, 0));
}

static void put_own(urdf_writer* w, const char* name, double x, int what, const char* joint)
{
  put_value(w, name, x);
  use(w, what, joint);
}

static void put_extension(urdf_writer* w, const limb_joint_def* j)
{
  const int spring = j->stiffness != 0 || j->rest != 0, axis2 = !limb_is_zero(j->axis2) && !is_default_axis2(j);
  const int pitch = j->type == LIMB_HELICAL, drive = j->drive != LIMB_DRIVE_AUTO, start = j->start != 0;
  if (!axis2 && !spring && !pitch && !drive && !start && j->rotor_inertia == 0 && j->gear_ratio == 1) return;
  put(w, "    <limb");
  if (j->rotor_inertia != 0) put_own(w, "rotor_inertia", j->rotor_inertia, USES_ROTOR, j->name);
  if (j->gear_ratio != 1) put_own(w, "gear_ratio", j->gear_ratio, USES_GEAR, j->name);
  if (spring) {
    put_own(w, "stiffness", j->stiffness, USES_SPRING, j->name);
    put_value(w, "rest", j->rest);
  }
  if (pitch) put_own(w, "pitch", j->pitch, USES_PITCH, j->name);
  if (axis2) {
    put_vector(w, "axis2", j->axis2);
    use(w, USES_AXIS2, j->name);
  }
  if (drive) {
    put_text(w, "drive", drive_words[j->drive]);
    use(w, USES_DRIVE, j->name);
  }
  if (start) put_own(w, "start", j->start, USES_START, j->name);
  put(w, "/>\n");
}

// The opening tag of a joint, and its parent, child and origin.
static void begin_joint(const urdf_writer* w, const char* name, const char* type, int parent, const char* child,
                        const sp_pose* placement)
{
  put(w, "  <joint");
  put_text(w, "name", name);
  put_text(w, "type", type);
  put(w, ">\n    <parent");
  put_text(w, "link", body_name(w, parent));
  put(w, "/>\n    <child");
  put_text(w, "link", child);
  put(w, "/>\n");
  put_origin(w, "    ", placement);
}

static void put_joint(urdf_writer* w, const limb_joint_def* j)
{
  const limb_joint_type type = j->type;
  begin_joint(w, j->name, joint_type(j), j->parent, body_name(w, j->child), &j->placement);
  if (has_axis(type)) {
    put(w, "    <axis");
    put_vector(w, "xyz", j->axis);
    put(w, "/>\n");
  }
  if (one_dof(type)) {
    put_limit(w, j);
    put_friction_and_mimic(w, j);
  }
  put_extension(w, j);
  put(w, "  </joint>\n");
  if (type == LIMB_SPHERICAL || type == LIMB_HELICAL || type == LIMB_CYLINDRICAL || type == LIMB_UNIVERSAL)
    use(w, USES_TYPE, j->name);
}

// ---- frames ---------------------------------------------------------------------------------------

enum { JOINT_NAME_SPACE = 256 };

// A name for the joint of a frame that no other joint has; 0 when none is found.
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
    limb_report(w->findings, RULE_NOT_WRITTEN, nowhere, about, "no name was found for the joint that would carry it");
    return;
  }
  put_link(w, f->name, &none);
  begin_joint(w, joint, "fixed", f->body, f->name, &f->pose);
  put(w, "  </joint>\n");
  limb_report(w->findings, RULE_REPHRASED, nowhere, about,
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

static void put_end(const urdf_writer* w, const char* element, int body, const sp_pose* pose)
{
  put(w, "    <");
  put(w, element);
  put_text(w, "link", body_name(w, body));
  if (limb_is_identity(pose)) {
    put(w, "/>\n");
    return;
  }
  put(w, ">\n");
  put_origin(w, "      ", pose);
  put(w, "    </");
  put(w, element);
  put(w, ">\n");
}

static void put_locked(const urdf_writer* w, unsigned locked)
{
  const char* before = " locked=\"";
  for (int i = 0; i < NDIRECTION; i++) {
    if (!(locked & 1u << i)) continue;
    put(w, before);
    put(w, direction_words[i]);
    before = " ";
  }
  put(w, "\"");
}

static void put_law(const urdf_writer* w, const limb_time_law* law)
{
  put(w, "      <law");
  put_value(w, "row", law->row);
  put_properties(w, law_properties, NLAW_PROPERTY, law);
  put(w, "/>\n    </limb>\n");
}

static void put_loop_extension(const urdf_writer* w, const limb_loop_def* def)
{
  const limb_loop_kind kind = def->kind;
  const int lock = kind == LIMB_LOOP_LOCK, distance = kind == LIMB_LOOP_DISTANCE;
  int law = def->law.row != 0;
  for (int i = 0; i < NLAW_PROPERTY; i++) law |= get_property(&law_properties[i], &def->law) != 0;
  if (!law && !lock && !distance && !loop_has_radius(kind) && !loop_of_joints(kind)) return;
  put(w, "    <limb");
  if (lock) put_locked(w, def->locked);
  if (distance) put_value(w, "length", def->length);
  if (loop_has_radius(kind)) put_value(w, "radius", def->radius);
  if (loop_of_joints(kind)) {
    put_text(w, "joint", joint_name(w, def->joint));
    put_text(w, "other", joint_name(w, def->other));
  }
  if (kind == LIMB_LOOP_GEAR) {
    put_value(w, "ratio", def->coefficient[1]);
    put_value(w, "offset", def->coefficient[0]);
  }
  if (kind == LIMB_LOOP_POLYNOMIAL) put_values(w, "coefficients", def->coefficient, loop_coefficients(def));
  put(w, law ? ">\n" : "/>\n");
  if (law) put_law(w, &def->law);
}

static void put_loop(const urdf_writer* w, const limb_loop_def* def)
{
  const limb_loop_kind kind = def->kind;
  put(w, "  <loop_joint");
  put_text(w, "name", def->name);
  put_text(w, "type", loop_type(kind));
  put(w, ">\n");
  if (!loop_of_joints(kind)) {
    put_end(w, "link1", def->body_a, &def->pose_a);
    put_end(w, "link2", def->body_b, &def->pose_b);
  }
  if (kind == LIMB_LOOP_PIN || kind == LIMB_LOOP_SLIDER || kind == LIMB_LOOP_CYLINDRICAL || kind == LIMB_LOOP_PLANAR)
    put(w, "    <axis xyz=\"0 0 1\"/>\n");
  put_loop_extension(w, def);
  put(w, "  </loop_joint>\n");
}

static void put_loops(const urdf_writer* w)
{
  limb_loop_def def;
  for (int i = 0; limb_builder_get_loop(w->b, i, &def) == LIMB_OK; i++) {
    put_loop(w, &def);
    if (i > 0) continue;
    limb_report(w->findings, RULE_EXTENSION, nowhere, (limb_subject){"loop", def.name},
                "it is written as <loop_joint>, which few readers understand%s",
                limb_builder_loop_count(w->b) > 1 ? ", and so are the others" : "");
  }
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
  put(w, "    <shaft");
  put_text(w, "joint", joint_name(w, x->joint));
  put_text(w, "motor", joint_name(w, x->motor));
  put_properties(w, shaft_properties, NSHAFT_PROPERTY, x);
  put(w, "/>\n");
  use(w, USES_SHAFT, joint_name(w, x->joint));
}

static void put_robot_extension(urdf_writer* w)
{
  const sp_vec3 g = limb_builder_gravity(w->b);
  const int other_gravity = !same3(g, sp_v3(0, 0, -9.81)), nshaft = limb_builder_shaft_count(w->b);
  const int moves = w->base == LIMB_BASE_FLOATING || w->base == LIMB_BASE_PLANAR;
  limb_shaft_def shaft;
  if (!other_gravity && !moves && nshaft == 0) return;
  put(w, "  <limb");
  if (other_gravity) {
    put_vector(w, "gravity", g);
    limb_report(w->findings, RULE_EXTENSION, nowhere, (limb_subject){"gravity", NULL},
                "it is written in <limb> of the robot");
  }
  if (moves) {
    put_text(w, "base", w->base == LIMB_BASE_FLOATING ? "floating" : "planar");
    limb_report(w->findings, RULE_EXTENSION, nowhere, (limb_subject){"joint", "base"},
                "that the root can move is written in <limb> of the robot");
  }
  put(w, nshaft ? ">\n" : "/>\n");
  for (int i = 0; limb_builder_get_shaft(w->b, i, &shaft) == LIMB_OK; i++) put_shaft(w, &shaft);
  if (nshaft) put(w, "  </limb>\n");
}

limb_status limb_write_urdf(const limb_builder* b, limb_text_fn* write, void* context, limb_findings* findings)
{
  urdf_writer writer = {.b = b, .write = write, .context = context, .findings = findings, .base = find_base(b)};
  urdf_writer* w = &writer;
  const sp_inertia none = {0};
  limb_body_def body;
  limb_joint_def joint;
  limb_frame_info frame;
  put(w, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<robot");
  put_text(w, "name", limb_builder_name(b));
  put(w, ">\n");
  put_robot_extension(w);
  if (w->base == LIMB_BASE_AS_FILE) put_link(w, body_name(w, LIMB_WORLD_BODY), &none);
  for (int i = 1; limb_builder_get_body(b, i, &body) == LIMB_OK; i++) put_link(w, body.name, &body.inertia);
  for (int i = w->base == LIMB_BASE_AS_FILE ? 0 : 1; limb_builder_get_joint(b, i, &joint) == LIMB_OK; i++)
    put_joint(w, &joint);
  for (int i = 0; limb_builder_get_frame(b, i, &frame) == LIMB_OK; i++) put_frame(w, &frame);
  put_loops(w);
  put(w, "</robot>\n");
  report_uses(w);
  return LIMB_OK;
}
