// MJCF: joints. A body can have several, which act one after the other, each in the body frame as moved by those before
// it. limb has one joint between two bodies, so all but the last get a massless body of their own, <body>.<joint>.
//
// q is MuJoCo's qpos: ref is part of the placement, and the file shows the pose at q = ref.
#include "io/geometry.h"
#include "io/properties.h"
#include "io/read_mjcf.h"

#include <math.h>
#include <string.h>

typedef enum joint_kind { FREE, BALL, SLIDE, HINGE } joint_kind;

static int is_free(const mjcf_joint* j) { return strcmp(j->item.node->name, "freejoint") == 0; }

static joint_kind kind_of(mjcf* m, const mjcf_joint* j)
{
  return is_free(j) ? FREE : (joint_kind)limb_mjcf_word(m, j->item, "type", "free ball slide hinge", HINGE);
}

static void check_attributes(mjcf* m, const mjcf_joint* j)
{
  if (is_free(j)) {
    limb_mjcf_check_attributes(m, j->item.node, "name align", "group", 1);
    return;
  }
  limb_mjcf_check_attributes(
    m, j->item.node,
    "name class type pos axis springdamper limited range actuatorfrclimited actuatorfrcrange align "
    "stiffness armature damping frictionloss ref springref",
    "group solreflimit solimplimit solreffriction solimpfriction margin user actuatorgravcomp", 0);
}

// ---- properties --------------------------------------------------------------------------------------

// The first number of an attribute, 0 when it is not given. With max > 1 they are the coefficients of a polynomial, of
// which only the linear part is used.
static double number(mjcf* m, mjcf_item it, const char* name, int max)
{
  double x[3] = {0, 0, 0};
  (void)limb_mjcf_numbers(m, it, name, 1, max, x);
  if (x[1] != 0 || x[2] != 0) limb_mjcf_report(m, RULE_DROPPED, it.node, "%s: only its linear part is used", name);
  return x[0];
}

// The same for a number that must not be negative.
static double nonnegative(mjcf* m, mjcf_item it, const char* name, int max)
{
  const double x = number(m, it, name, max);
  if (x >= 0) return x;
  limb_mjcf_report(m, RULE_BAD_VALUE, it.node, "%s is negative", name);
  return 0;
}

// Limits of position or effort: 1 when they are given and enabled.
static int read_range(mjcf* m, mjcf_item it, const char* range, const char* limited, double x[2])
{
  const int given = limb_mjcf_numbers(m, it, range, 2, 2, x);
  const int on = limb_mjcf_word(m, it, limited, "false true auto", 2);
  if (on == 1 && !given && !limb_mjcf_get(m, it, range))
    limb_mjcf_report(m, RULE_MISSING_KEY, it.node, "it is limited, but %s is not given", range);
  return given && (on == 1 || (on == 2 && m->model->autolimits));
}

static void read_limits(mjcf* m, mjcf_item it, double unit, limb_joint_def* def)
{
  double x[2];
  if (read_range(m, it, "range", "limited", x)) {
    def->q_min = unit * x[0];
    def->q_max = unit * x[1];
  }
  if (!read_range(m, it, "actuatorfrcrange", "actuatorfrclimited", x)) return;
  def->effort_max = fmax(fabs(x[0]), fabs(x[1]));
  if (x[0] != -x[1])
    limb_mjcf_report(m, RULE_ASSUMED, it.node, "the larger of both effort limits is used for both directions");
}

// Of the joint that was added last.
static void remember_spring(mjcf* m, const double s[2])
{
  mjcf_spring* all = limb_mjcf_grow(m, m->spring, &m->spring_cap, m->nspring, sizeof *all);
  if (!all) return;
  m->spring = all;
  all[m->nspring++] = (mjcf_spring){m->s->njoint - 1, s[0], s[1]};
}

// Rotor, friction, spring and limits of a hinge or a slide.
static void read_properties(mjcf* m, mjcf_item it, double unit, limb_joint_def* def)
{
  double s[2] = {0, 0};
  def->rotor_inertia = nonnegative(m, it, "armature", 1);
  def->viscous = nonnegative(m, it, "damping", 3);
  def->coulomb = nonnegative(m, it, "frictionloss", 1);
  def->stiffness = nonnegative(m, it, "stiffness", 3);
  def->rest = unit * number(m, it, "springref", 1);
  read_limits(m, it, unit, def);
  if (limb_mjcf_numbers(m, it, "springdamper", 2, 2, s) && s[0] > 0 && s[1] > 0) remember_spring(m, s);
}

// Of a ball or free joint: rotors, friction and spring, which are the same for all its motions.
static void read_dofs(mjcf* m, mjcf_item it, limb_joint_def* def)
{
  const double armature = nonnegative(m, it, "armature", 1), damping = nonnegative(m, it, "damping", 3);
  double range[2], s[2] = {0, 0};
  for (int k = 0; k < joint_dofs[def->type]; k++) {
    def->damping[k] = damping;
    if (k < 3) def->armature[k] = armature;
  }
  def->stiffness = nonnegative(m, it, "stiffness", 3);
  if (def->stiffness != 0 && def->type == LIMB_FREE) {
    limb_mjcf_report(m, RULE_DROPPED, it.node, "stiffness: in limb free joints have no springs");
    def->stiffness = 0;
  }
  if (nonnegative(m, it, "frictionloss", 1) != 0)
    limb_mjcf_report(m, RULE_DROPPED, it.node, "frictionloss: in limb only hinges and slides have it");
  if (limb_mjcf_numbers(m, it, "springdamper", 2, 2, s) && s[0] > 0 && s[1] > 0) {
    if (def->type != LIMB_SPHERICAL)
      limb_mjcf_report(m, RULE_DROPPED, it.node, "springdamper: the damper is read, free joints have no springs");
    remember_spring(m, s);
  }
  if (def->type == LIMB_SPHERICAL && read_range(m, it, "range", "limited", range)) // not of free ones in MuJoCo
    limb_mjcf_report(m, RULE_IGNORED, it.node, "range: in limb only hinges and slides have limits");
}

// ---- one joint ------------------------------------------------------------------------------------

static void store_ref(mjcf* m, double ref)
{
  const int index = m->s->njoint - 1;
  double* all = limb_mjcf_grow(m, m->ref, &m->ref_cap, index, sizeof *all);
  if (!all) return;
  m->ref = all;
  m->ref[index] = ref;
}

static raw_joint* new_joint(mjcf* m, const char* name, file_pos at)
{
  raw_joint* j = name ? limb_raw_add_joint(m->s, name, at) : NULL;
  if (!j)
    m->no_memory = 1;
  else
    store_ref(m, 0);
  return j;
}

// Fills in a hinge or slide, whose frame would be X if ref were 0.
static void fill_axis_joint(mjcf* m, const mjcf_joint* part, joint_kind kind, sp_pose X, raw_joint* j)
{
  const double unit = kind == HINGE ? m->model->angle : 1;
  double a[3] = {0, 0, 1};
  (void)limb_mjcf_numbers(m, part->item, "axis", 3, 3, a);
  sp_vec3 axis = sp_mulv(part->X.R, sp_v3(a[0], a[1], a[2]));
  const double length = sp_norm3(axis), ref = unit * number(m, part->item, "ref", 1);
  axis = length < 1e-14 ? sp_v3(0, 0, 0) : sp_scale3(1 / length, axis); // zero is an error later
  j->def.axis = axis;
  j->def.type = kind == HINGE ? LIMB_REVOLUTE : LIMB_PRISMATIC;
  const sp_pose back = kind == HINGE ? sp_pose_make(limb_rot_axis(axis, -ref), sp_v3(0, 0, 0))
                                     : sp_pose_make(sp_identity3(), sp_scale3(-ref, axis));
  j->def.placement = ref == 0 || length < 1e-14 ? X : sp_compose(X, back);
  read_properties(m, part->item, unit, &j->def);
  m->ref[m->s->njoint - 1] = ref;
}

// The position of the joint in the body; slides have none.
static sp_vec3 anchor_of(mjcf* m, const mjcf_joint* part, joint_kind kind)
{
  double p[3] = {0, 0, 0};
  if (kind == SLIDE || kind == FREE) return sp_v3(0, 0, 0);
  (void)limb_mjcf_numbers(m, part->item, "pos", 3, 3, p);
  return sp_point(part->X, sp_v3(p[0], p[1], p[2]));
}

// The body that a joint carries: the body itself for the last joint, otherwise a massless one.
static const char* carried_name(mjcf* m, const mjcf_carried* b, const char* joint, file_pos at, int last)
{
  if (last || !joint) return b->name;
  const char* name = limb_mjcf_join(m, b->name, ".", joint);
  if (name && !limb_raw_add_body(m->s, name, at)) m->no_memory = 1;
  return name;
}

static void check_free(mjcf* m, const mjcf_carried* b, const mjcf_joint* part, int count)
{
  if (!b->parent && count == 1) return;
  limb_report(m->findings, RULE_BAD_JOINT, part->item.node->pos, (limb_subject){"body", b->name},
              b->parent ? "only bodies directly below <worldbody> can have a free joint"
                        : "a free joint cannot be combined with other joints");
}

void limb_mjcf_report_start(mjcf* m, const mjcf_carried* b)
{
  if (limb_no_rotation(&b->X.R) && sp_norm3(b->X.p) == 0) return;
  limb_report(m->findings, RULE_IGNORED, b->pos, (limb_subject){"body", b->name},
              "its pose in the file is only a starting value: q of its free joint is its pose in the world");
}

// Three slides along the axes of the world, each to a massless body, with the rotors and friction of a free joint in
// translation: the same motion, q and v as MuJoCo's. Returns what carries the ball that follows.
static const char* add_slides(mjcf* m, const mjcf_carried* b, const mjcf_joint* part, const char* name)
{
  static const char* const axis[] = {"x", "y", "z"};
  const file_pos at = part->item.node->pos;
  const char* parent = NULL;
  for (int k = 0; k < 3 && name && !m->no_memory; k++) {
    const char* own = limb_mjcf_join(m, name, ".", axis[k]);
    const char* child = own ? carried_name(m, b, own, at, 0) : NULL;
    raw_joint* j = child ? new_joint(m, own, at) : NULL;
    if (!j) return NULL;
    j->parent = parent;
    j->child = parent = child;
    j->def.type = LIMB_PRISMATIC;
    j->def.drive = LIMB_DRIVE_PASSIVE;
    j->def.axis = sp_v3(k == 0, k == 1, k == 2);
    j->def.rotor_inertia = nonnegative(m, part->item, "armature", 1);
    j->def.viscous = nonnegative(m, part->item, "damping", 3);
  }
  limb_mjcf_report(m, RULE_ASSUMED, part->item.node,
                   "because of its armature it is read as three slides and a ball, with the same q");
  return parent;
}

static void add_free(mjcf* m, const mjcf_carried* b, const mjcf_joint* part, int count)
{
  check_free(m, b, part, count);
  const char* name = limb_mjcf_name(m, part->item.node, b->name, ".joint", 1, 1);
  const int split = !is_free(part) && number(m, part->item, "armature", 1) > 0;
  const char* carrier = split ? add_slides(m, b, part, name) : NULL;
  raw_joint* j = new_joint(m, name, part->item.node->pos);
  if (!j) return;
  j->parent = carrier;
  j->child = b->name;
  j->def.type = split ? LIMB_SPHERICAL : LIMB_FREE;
  if (split) j->def.drive = LIMB_DRIVE_PASSIVE;
  if (!is_free(part)) read_dofs(m, part->item, &j->def);
  const int align = limb_mjcf_word(m, part->item, "align", "false true auto", 2);
  if (b->aligned && (align == 1 || (align == 2 && m->model->align_free))) {
    j->offset = sp_invert(*b->aligned);
    limb_mjcf_report(m, RULE_ASSUMED, part->item.node,
                     "it is aligned: q and v are those of the principal axes of inertia of '%s'", b->name);
  }
  limb_mjcf_report_start(m, b);
}

// ---- all joints of a body -------------------------------------------------------------------------

static void add_weld(mjcf* m, const mjcf_carried* b)
{
  raw_joint* j = new_joint(m, limb_mjcf_join(m, b->name, ".", "fixed"), b->pos);
  if (!j) return;
  j->parent = b->parent;
  j->child = b->name;
  j->def.placement = b->X;
}

// Where the joints of a body are: what the next one is on.
typedef struct joint_chain {
  const char* parent;
  sp_pose X;      // of the body frame in the parent, so far
  sp_vec3 behind; // of the body frame in the frame of the previous joint
} joint_chain;

static void add_joint(mjcf* m, const mjcf_carried* b, const mjcf_joint* part, int k, int count, joint_chain* c)
{
  const file_pos at = part->item.node->pos;
  const joint_kind kind = kind_of(m, part);
  const char* name = limb_mjcf_name(m, part->item.node, b->name, ".joint", k + 1, 1);
  const char* child = carried_name(m, b, name, at, k == count - 1);
  const sp_vec3 anchor = anchor_of(m, part, kind);
  const sp_pose frame = sp_compose(c->X, sp_pose_make(sp_identity3(), sp_add3(c->behind, anchor)));
  raw_joint* j = new_joint(m, name, at);
  if (!j) return;
  j->parent = c->parent;
  j->child = child;
  if (kind == BALL) {
    j->def.type = LIMB_SPHERICAL;
    j->def.placement = frame;
    read_dofs(m, part->item, &j->def);
  } else {
    fill_axis_joint(m, part, kind, frame, j);
  }
  c->behind = sp_scale3(-1, anchor);
  if (k == count - 1) j->offset.p = c->behind;
  c->parent = child;
  c->X = sp_pose_identity();
}

void limb_mjcf_add_joints(mjcf* m, const mjcf_carried* b, const mjcf_joint* joint, int count)
{
  joint_chain c = {b->parent, b->X, sp_v3(0, 0, 0)};
  int is_free = 0;
  if (count == 0) add_weld(m, b);
  for (int k = 0; k < count && !is_free && !m->no_memory; k++) {
    const mjcf_scope* outside = limb_mjcf_enter(m, joint[k].item.scope); // it may be of an attached model
    is_free = kind_of(m, &joint[k]) == FREE;
    check_attributes(m, &joint[k]);
    if (is_free)
      add_free(m, b, &joint[k], count);
    else
      add_joint(m, b, &joint[k], k, count, &c);
    (void)limb_mjcf_enter(m, outside);
  }
}
