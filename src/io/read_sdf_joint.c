// SDF: joints. A joint is placed by its frame on the child, and by where the model has parent and child: the robot is
// at q = 0 there. A second joint to the same child closes a loop.
#include "io/file_text.h"
#include "io/geometry.h"
#include "io/read_sdf.h"

#include <math.h>
#include <string.h>

typedef struct sdf_type {
  const char* name;
  limb_joint_type type;
  int axes;
  limb_loop_kind loop; // when it closes one; LIMB_LOOP_LOCK: it cannot
} sdf_type;

static const sdf_type types[] = {
  {"revolute", LIMB_REVOLUTE, 1, LIMB_LOOP_PIN},         {"continuous", LIMB_REVOLUTE, 1, LIMB_LOOP_PIN},
  {"prismatic", LIMB_PRISMATIC, 1, LIMB_LOOP_SLIDER},    {"fixed", LIMB_FIXED, 0, LIMB_LOOP_WELD},
  {"ball", LIMB_SPHERICAL, 0, LIMB_LOOP_BALL},           {"universal", LIMB_UNIVERSAL, 2, LIMB_LOOP_UNIVERSAL},
  {"revolute2", LIMB_UNIVERSAL, 2, LIMB_LOOP_UNIVERSAL}, {"screw", LIMB_HELICAL, 1, LIMB_LOOP_LOCK},
  {"planar", LIMB_PLANAR, 0, LIMB_LOOP_PLANAR}}; // of Drake, in the x-y plane

static const char* type_name(const void* context, int i)
{
  (void)context;
  return types[i].name;
}

static const sdf_type* read_type(sdf* s, const xml_node* n)
{
  const char* name = limb_urdf_name(&s->r, n, "type", 1);
  for (int i = 0; name && i < COUNT(types); i++) {
    if (strcmp(types[i].name, name) == 0) return &types[i];
  }
  if (name && strcmp(name, "gearbox") == 0) {
    limb_report_error(&s->r.report, RULE_UNSUPPORTED, n->pos, "gearbox joints are not supported");
    limb_report_hint(s->r.report.findings, "write <mimic> in the axis of the driven joint");
  } else if (name) {
    limb_report_error(&s->r.report, RULE_BAD_JOINT, n->pos, "there is no joint type '%.60s'%s", name,
                      limb_did_you_mean(s->r.report.findings, name, COUNT(types), type_name, NULL).text);
  }
  return NULL;
}

// ---- the axis -------------------------------------------------------------------------------------

// The direction of an axis in the joint's frame. Files before 1.5 state it in the frame of the model, those up to 1.6
// may do so, later ones name the frame.
static sp_vec3 read_direction(sdf* s, int frame, const xml_node* axis)
{
  const sdf_frame f = s->frame[frame];
  const xml_node* xyz = axis ? limb_xml_child(axis, "xyz") : NULL;
  double a[3] = {0, 0, 1};
  if (xyz && *xyz->text) {
    const number_list list = limb_scan_list(xyz->text, 3, a);
    if (list.bad || list.count != 3)
      limb_report_error(&s->r.report, RULE_BAD_NUMBER, xyz->pos, "<xyz> must be three numbers, not '%.60s'", xyz->text);
  }
  const char* named = xyz ? limb_xml_get(xyz, "expressed_in") : NULL;
  const int in_model = s->minor < 5 || (s->minor < 7 && axis && limb_sdf_flag(axis, "use_parent_model_frame", 0));
  const int in = named && *named ? limb_sdf_find(s, f.model, named, xyz, "the frame") : in_model ? f.model : frame;
  const sp_vec3 v = sp_v3(a[0], a[1], a[2]);
  if (in < 0 || in == frame) return v;
  return sp_tmulv(limb_sdf_resolve(s, frame).R, sp_mulv(limb_sdf_resolve(s, in).R, v));
}

static void nonnegative(sdf* s, const xml_node* n, const char* child, double* x)
{
  double found = 0;
  if (!limb_sdf_number(s, n, child, &found)) return;
  if (found >= 0)
    *x = found;
  else
    limb_report_error(&s->r.report, RULE_BAD_VALUE, n->pos, "<%s> is negative", child);
}

// Limits beyond 1e16 are none, negative ones of effort and speed, too.
static void read_limits(sdf* s, const xml_node* axis, limb_joint_def* def)
{
  const xml_node* n = limb_xml_child(axis, "limit");
  double lower = -1e16, upper = 1e16, effort = -1, speed = -1;
  if (!n) return;
  (void)limb_sdf_number(s, n, "lower", &lower);
  (void)limb_sdf_number(s, n, "upper", &upper);
  (void)limb_sdf_number(s, n, "effort", &effort);
  (void)limb_sdf_number(s, n, "velocity", &speed);
  def->q_min = lower <= -1e16 ? -HUGE_VAL : lower;
  def->q_max = upper >= 1e16 ? HUGE_VAL : upper;
  if (effort >= 0 && effort < 1e16) def->effort_max = effort;
  if (speed >= 0 && speed < 1e16) def->v_max = speed;
  limb_raw_check_limits(s->r.report.findings, n->pos, s->r.report.about, def);
}

static void read_dynamics(sdf* s, const xml_node* axis, limb_joint_def* def)
{
  const xml_node* n = limb_xml_child(axis, "dynamics");
  if (!n) return;
  nonnegative(s, n, "damping", &def->viscous);
  nonnegative(s, n, "friction", &def->coulomb);
  nonnegative(s, n, "spring_stiffness", &def->stiffness);
  (void)limb_sdf_number(s, n, "spring_reference", &def->rest);
}

// q = multiplier (q_leader - reference) + offset
static void read_mimic(sdf* s, int frame, const xml_node* axis, raw_joint* j)
{
  const xml_node* n = limb_xml_child(axis, "mimic");
  double reference = 0;
  if (!n) n = limb_xml_child(s->frame[frame].node, "drake:mimic");
  if (!n) return;
  const char* leader = limb_urdf_name(&s->r, n, "joint", 1);
  const int index = leader ? limb_sdf_find(s, s->frame[frame].model, leader, n, "the joint") : -1;
  j->mimic = index >= 0 ? s->frame[index].name : "";
  j->mimic_pos = n->pos;
  if (strcmp(n->name, "drake:mimic") == 0) {
    (void)limb_urdf_number(&s->r, n, "multiplier", &j->def.multiplier);
    (void)limb_urdf_number(&s->r, n, "offset", &j->def.offset);
    return;
  }
  (void)limb_sdf_number(s, n, "multiplier", &j->def.multiplier);
  (void)limb_sdf_number(s, n, "offset", &j->def.offset);
  (void)limb_sdf_number(s, n, "reference", &reference);
  j->def.offset -= j->def.multiplier * reference;
}

// Advance per radian: <screw_thread_pitch> is metres per turn, <thread_pitch> radians per metre with the other sign.
static void read_pitch(sdf* s, const xml_node* n, limb_joint_def* def)
{
  double pitch = 0;
  if (limb_sdf_number(s, n, "screw_thread_pitch", &pitch)) {
    def->pitch = pitch / (2 * LIMB_PI);
  } else if (limb_sdf_number(s, n, "thread_pitch", &pitch) && pitch != 0) {
    def->pitch = -1 / pitch;
  } else {
    limb_report_error(&s->r.report, RULE_MISSING_KEY, n->pos, "a screw joint needs <screw_thread_pitch>");
  }
}

// Rotor inertia and gear ratio of Drake.
static void read_drake(sdf* s, const xml_node* n, limb_joint_def* def)
{
  nonnegative(s, n, "drake:rotor_inertia", &def->rotor_inertia);
  double ratio = 0;
  if (!limb_sdf_number(s, n, "drake:gear_ratio", &ratio)) return;
  if (ratio == 0)
    limb_report_error(&s->r.report, RULE_BAD_VALUE, n->pos, "<drake:gear_ratio> is zero");
  else
    def->gear_ratio = ratio;
}

// ---- ends -----------------------------------------------------------------------------------------

// The link of <parent> or <child>; RAW_WORLD for the world, RAW_NONE after an error.
static int read_end(sdf* s, int frame, const char* end)
{
  const xml_node* n = s->frame[frame].node;
  const char* name = limb_sdf_text(n, end);
  if (!name) {
    limb_report_error(&s->r.report, RULE_MISSING_KEY, n->pos, "it has no <%s>", end);
    return RAW_NONE;
  }
  if (strcmp(name, "world") == 0) return RAW_WORLD;
  const int found = limb_sdf_find(s, s->frame[frame].model, name, n, "the link");
  const int link = found < 0 ? -1 : limb_sdf_link_of(s, found);
  return link < 0 ? RAW_NONE : link;
}

static sp_pose pose_of(sdf* s, int end) { return end < 0 ? sp_invert(s->world) : limb_sdf_resolve(s, end); }

static int is_carried(const sdf* s, const char* link)
{
  for (int k = 0; k < s->r.raw->njoint; k++) {
    if (strcmp(s->r.raw->joint[k].child, link) == 0) return 1;
  }
  return 0;
}

// A frame whose z is along an axis of the joint: loops turn about and slide along z.
static sp_pose on_axis(sp_pose X, sp_vec3 axis)
{
  return sp_pose_make(sp_mul3(X.R, limb_rot_to(sp_v3(0, 0, 1), limb_unit(axis))), X.p);
}

static int add_loop(sdf* s, int frame, const sdf_type* type, const int end[2], sp_vec3 axis)
{
  const sdf_frame f = s->frame[frame];
  if (type->loop == LIMB_LOOP_LOCK || type->loop == LIMB_LOOP_UNIVERSAL) {
    limb_report_error(&s->r.report, RULE_UNSUPPORTED, f.node->pos, "a %s joint cannot close a loop here", type->name);
    return 1;
  }
  raw_loop* x = limb_raw_add_loop(s->r.raw, f.name, type->loop, f.node->pos);
  if (!x) return 0;
  limb_report_note(&s->r.report, RULE_ASSUMED, f.node->pos,
                   "its child has another joint already: this one closes a loop, without friction and limits");
  sp_pose X = limb_sdf_resolve(s, frame);
  if (type->axes == 1) X = on_axis(X, axis);
  for (int k = 0; k < 2; k++) {
    x->end[k].pos = f.node->pos;
    x->end[k].body = end[k] < 0 ? NULL : s->frame[end[k]].name;
    x->end[k].pose = sp_compose(sp_invert(pose_of(s, end[k])), X);
  }
  return 1;
}

// Drake's: point P of body A, p_AP in its frame, coincides with point Q of body B.
int limb_sdf_ball(sdf* s, const xml_node* n, int k)
{
  static const char* const words[2][2] = {{"drake:ball_constraint_body_A", "drake:ball_constraint_p_AP"},
                                          {"drake:ball_constraint_body_B", "drake:ball_constraint_p_BQ"}};
  const char *given = limb_xml_get(n, "name"),
             *name = given ? given : limb_mempool_numbered(s->r.src->pool, "ball_", k);
  raw_loop* x = name ? limb_raw_add_loop(s->r.raw, name, LIMB_LOOP_BALL, n->pos) : NULL;
  if (!x) return 0;
  s->r.report.about = (limb_subject){"loop", name};
  for (int e = 0; e < 2; e++) {
    const char *body = limb_sdf_text(n, words[e][0]), *text = limb_sdf_text(n, words[e][1]);
    double p[3] = {0, 0, 0};
    const number_list list = limb_scan_list(text ? text : "0 0 0", 3, p);
    const int world = body && strcmp(body, "world") == 0;
    const int found = body && !world ? limb_sdf_find(s, 0, body, n, "the body") : -1;
    x->end[e].pos = n->pos;
    x->end[e].body = found >= 0 ? s->frame[found].name : world ? NULL : "";
    x->end[e].pose.p = sp_v3(p[0], p[1], p[2]);
    if (!body)
      limb_report_error(&s->r.report, RULE_MISSING_KEY, n->pos, "it has no <%s>", words[e][0]);
    else if (list.bad || list.count != 3)
      limb_report_error(&s->r.report, RULE_BAD_NUMBER, n->pos, "<%s> must be three numbers", words[e][1]);
  }
  return 1;
}

// ---- the joint ------------------------------------------------------------------------------------

static void read_axes(sdf* s, int frame, const sdf_type* type, sp_vec3 axis, raw_joint* j)
{
  const xml_node *n = s->frame[frame].node, *one = limb_xml_child(n, "axis"), *two = limb_xml_child(n, "axis2");
  j->def.axis = axis;
  if (type->axes == 2) j->def.axis2 = read_direction(s, frame, two);
  if (type->axes > 0 && limb_is_zero(axis))
    limb_report_error(&s->r.report, RULE_BAD_AXIS, one ? one->pos : n->pos, "its axis is zero");
  if (type->type == LIMB_PLANAR) j->def.axis2 = sp_v3(1, 0, 0);
  if (type->type == LIMB_SPHERICAL && one && limb_xml_child(one, "dynamics")) { // as Drake has it
    nonnegative(s, limb_xml_child(one, "dynamics"), "damping", &j->def.damping[0]);
    j->def.damping[1] = j->def.damping[2] = j->def.damping[0];
  }
  if (type->axes != 1 || !one) return;
  if (strcmp(type->name, "continuous") != 0) read_limits(s, one, &j->def);
  read_dynamics(s, one, &j->def);
  read_mimic(s, frame, one, j);
}

int limb_sdf_joint(sdf* s, int frame)
{
  static const urdf_words words = {
    .attributes = "name type",
    .children = "parent child pose axis axis2 thread_pitch screw_thread_pitch drake:rotor_inertia drake:gear_ratio "
                "drake:mimic",
    .ignored = "physics sensor gearbox_ratio gearbox_reference_body drake:controller_gains drake:damping"};
  const sdf_frame f = s->frame[frame];
  s->r.report.about = (limb_subject){"joint", f.name};
  limb_urdf_check(&s->r, f.node, &words);
  const sdf_type* type = read_type(s, f.node);
  const int end[2] = {read_end(s, frame, "parent"), read_end(s, frame, "child")};
  if (!type || end[0] == RAW_NONE || end[1] == RAW_NONE) return 1;
  if (end[1] == RAW_WORLD) {
    limb_report_error(&s->r.report, RULE_BAD_JOINT, f.node->pos, "the world cannot be the child of a joint");
    return 1;
  }
  const sp_vec3 axis = read_direction(s, frame, limb_xml_child(f.node, "axis"));
  if (is_carried(s, s->frame[end[1]].name)) return add_loop(s, frame, type, end, axis);
  raw_joint* j = limb_raw_add_joint(s->r.raw, f.name, f.node->pos);
  if (!j) return 0;
  const sp_pose X = limb_sdf_resolve(s, frame);
  j->parent = end[0] < 0 ? NULL : s->frame[end[0]].name;
  j->child = s->frame[end[1]].name;
  j->def.type = type->type;
  j->def.placement = sp_compose(sp_invert(pose_of(s, end[0])), X);
  j->offset = sp_compose(sp_invert(X), pose_of(s, end[1]));
  read_axes(s, frame, type, axis, j);
  if (type->type == LIMB_HELICAL) read_pitch(s, f.node, &j->def);
  if (type->axes == 1) read_drake(s, f.node, &j->def);
  return 1;
}
