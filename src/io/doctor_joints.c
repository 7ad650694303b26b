// The doctor on joints: those that move nothing, limits, friction, mimics, elasticity.
#include "io/doctor.h"

#include "limb/spatial.h"
#include "io/properties.h"

#include <math.h>

static int moves(const limb_joint_def* j) { return j->type != LIMB_FIXED; }

// ---- joints without inertia -----------------------------------------------------------------------

// leader[k]: the joint whose coordinate moves joint k, at the end of a chain of mimics. O(n): the whole chain is set at
// once.
static void find_leaders(const doctor* d, int* leader)
{
  for (int k = 0; k < d->njoint; k++) leader[k] = -1;
  for (int k = 0; k < d->njoint; k++) {
    int last = k;
    for (int steps = 0; steps < d->njoint && leader[last] < 0 && d->joint[last].mimic >= 0; steps++)
      last = d->joint[last].mimic;
    const int found = leader[last] < 0 ? last : leader[last];
    for (int i = k; i >= 0 && leader[i] < 0; i = d->joint[i].mimic) leader[i] = found;
  }
}

static int has_inertia_behind(const doctor* d, int joint)
{
  const doctor_body* child = &d->body[d->joint[joint].child];
  return child->behind != 0 || child->rotational || d->joint[joint].rotor_inertia > 0;
}

typedef struct joint_group {
  int members; // the leader and its followers
  int loaded;  // those that move something with inertia
} joint_group;

// Columns of a joint's motion, the angular part first, at the child's origin.
static int motion_columns(const limb_joint_def* j, sp_motion S[6])
{
  const sp_vec3 none = sp_v3(0, 0, 0), e[3] = {sp_v3(1, 0, 0), sp_v3(0, 1, 0), sp_v3(0, 0, 1)};
  const sp_motion about = sp_motion_make(j->axis, none), along = sp_motion_make(none, j->axis);
  const sp_vec3 side = fabs(j->axis.x) < 0.7 ? e[0] : e[1];
  const sp_vec3 n = sp_cross3(j->axis, side);
  switch (j->type) {
  case LIMB_FIXED: return 0;
  case LIMB_REVOLUTE: S[0] = about; return 1;
  case LIMB_PRISMATIC: S[0] = along; return 1;
  case LIMB_HELICAL: S[0] = sp_motion_make(j->axis, sp_scale3(j->pitch, j->axis)); return 1;
  case LIMB_CYLINDRICAL:
    S[0] = about;
    S[1] = along;
    return 2;
  case LIMB_UNIVERSAL:
    S[0] = about;
    S[1] = sp_motion_make(j->axis2, none);
    return 2;
  case LIMB_PLANAR:
    S[0] = sp_motion_make(none, n);
    S[1] = sp_motion_make(none, sp_cross3(j->axis, n));
    S[2] = about;
    return 3;
  case LIMB_SPHERICAL:
    for (int k = 0; k < 3; k++) S[k] = sp_motion_make(e[k], none);
    return 3;
  case LIMB_FREE:
    for (int k = 0; k < 3; k++) S[k] = sp_motion_make(none, e[k]);
    for (int k = 0; k < 3; k++) S[3 + k] = sp_motion_make(e[k], none);
    return 6;
  }
  return 0;
}

// Kinetic energy product of two motions of an inertia: a' Y b.
static double energy(const sp_inertia* Y, sp_motion a, sp_motion b)
{
  const sp_mat3 I = {{Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz}};
  const sp_vec3 va = sp_add3(a.v, sp_cross3(a.w, Y->com)), vb = sp_add3(b.v, sp_cross3(b.w, Y->com));
  return Y->mass * sp_dot3(va, vb) + sp_dot3(a.w, sp_mulv(I, b.w));
}

// 1 when S' Y S is singular: a pivot of its Cholesky factorisation vanishes compared with the inertia of the group for
// such a motion.
static int is_singular(const sp_inertia* Y, const sp_motion* S, int n)
{
  double L[6][6] = {{0}};
  const double reach = sp_dot3(Y->com, Y->com) * Y->mass + fabs(Y->xx) + fabs(Y->yy) + fabs(Y->zz);
  for (int i = 0; i < n; i++) {
    const double scale = sp_dot3(S[i].w, S[i].w) * reach + sp_dot3(S[i].v, S[i].v) * Y->mass;
    for (int k = 0; k <= i; k++) {
      double x = energy(Y, S[i], S[k]);
      for (int m = 0; m < k; m++) x -= L[i][m] * L[k][m];
      if (k < i) {
        L[i][k] = x / L[k][k];
        continue;
      }
      if (!(x > 1e-13 * scale)) return 1;
      L[i][i] = sqrt(x);
    }
  }
  return 0;
}

// The last joint of a branch, when all mass behind it lies on its axis.
static void check_line(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  const doctor_body* child = &d->body[j->child];
  sp_motion S[6];
  const int n = motion_columns(j, S);
  if (d->not_credible || child->carries || j->rotor_inertia > 0 || child->group.mass <= 0) return;
  if (!is_singular(&child->group, S, n)) return;
  limb_doctor_joint_report(d, RULE_JOINT_WITHOUT_INERTIA, k, "the %s kg behind it have no inertia about %s",
                           limb_show_rounded(child->behind).text, n == 1 ? "its axis" : "one of its axes");
}

static limb_status check_inertia_behind(doctor* d)
{
  joint_group* group = limb_mempool_alloc(&d->pool, ((size_t)d->njoint + 1) * sizeof *group);
  int* leader = limb_mempool_alloc(&d->pool, ((size_t)d->njoint + 1) * sizeof *leader);
  if (!group || !leader) return LIMB_E_NOMEM;
  find_leaders(d, leader);
  d->r->massless = -1;
  for (int k = 0; k < d->njoint; k++) {
    if (!moves(&d->joint[k])) continue;
    joint_group* g = &group[leader[k]];
    g->members++;
    g->loaded += has_inertia_behind(d, k);
  }
  for (int k = 0; k < d->njoint; k++) {
    const limb_joint_def* j = &d->joint[k];
    if (!moves(j) || j->mimic >= 0) continue;
    if (group[k].loaded > 0) {
      if (group[k].members == 1 && !d->in_loop[k]) check_line(d, k);
      continue;
    }
    if (d->in_loop[k]) { // limb_check_loops judges the robot with its loops closed
      if (d->r->massless < 0) d->r->massless = k;
      continue;
    }
    limb_doctor_joint_report(d, RULE_MASSLESS_SUBTREE, k, "%s '%s' and everything behind it have no mass%s",
                             d->body_word, d->body[j->child].def.name,
                             group[k].members > 1 ? ", nor has what its mimics move" : "");
  }
  return LIMB_OK;
}

static void check_tiny_mass(const doctor* d)
{
  for (int k = 0; k < d->njoint && !d->not_credible; k++) {
    const limb_joint_def* j = &d->joint[k];
    const double mass = d->body[j->child].behind;
    if (!moves(j) || j->mimic >= 0 || j->rotor_inertia > 0) continue;
    if (mass <= 0 || mass >= 1e-6 * d->mass) continue;
    limb_doctor_joint_report(d, RULE_MASS_TINY, k, "it moves %s kg in a robot of %s kg", limb_show_rounded(mass).text,
                             limb_show_rounded(d->mass).text);
  }
}

// ---- limits ---------------------------------------------------------------------------------------

static void check_zero(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  if (j->q_min == j->q_max)
    limb_doctor_joint_report(d, RULE_LIMIT_ZERO, k, "its limits leave no range: %s to %s", limb_show(j->q_min).text,
                             limb_show(j->q_max).text);
  if (j->a_max == 0 || j->deceleration_max == 0 || j->jerk_max == 0)
    limb_doctor_joint_report(d, RULE_LIMIT_ZERO, k, "its maximum %s is zero",
                             j->a_max == 0              ? "acceleration"
                             : j->deceleration_max == 0 ? "deceleration"
                                                        : "jerk");
  if (j->mimic >= 0 || (j->effort_max != 0 && j->v_max != 0)) return; // a mimic is driven by its leader
  limb_doctor_joint_report(d, RULE_LIMIT_ZERO, k, "its maximum %s zero",
                           j->effort_max != 0 ? "speed is"
                           : j->v_max != 0    ? "effort is"
                                              : "effort and its maximum speed are");
}

static int is_power_of_ten(double x)
{
  const double k = round(log10(fabs(x)));
  return x != 0 && fabs(fabs(x) - pow(10, k)) < 1e-9 * fabs(x);
}

// A whole number that may be in degrees.
static int looks_like_degrees(double x) { return fabs(x) <= 720 && x == round(x); }

static void check_units(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  const double max = fmax(fabs(j->q_min), fabs(j->q_max));
  // People write powers of ten for "no limit".
  if (!isfinite(max) || (is_power_of_ten(max) && j->q_min == -j->q_max)) return;
  if (turns(j->type) && max >= 30 && looks_like_degrees(j->q_min) && looks_like_degrees(j->q_max)) {
    limb_doctor_joint_report(d, RULE_LIMIT_DEGREES, k, "its limits are %s and %s rad: %s turns",
                             limb_show(j->q_min).text, limb_show(j->q_max).text,
                             limb_show_rounded((j->q_max - j->q_min) / 6.283185307179586).text);
    limb_report_hint(d->f, "as degrees they would be %s and %s rad",
                     limb_show_rounded(j->q_min * 0.017453292519943295).text,
                     limb_show_rounded(j->q_max * 0.017453292519943295).text);
  }
  if (j->type == LIMB_PRISMATIC && max > 10 && max > 10 * d->extent) {
    limb_doctor_joint_report(d, RULE_LIMIT_MILLIMETRES, k, "its limits are %s and %s m, in a robot of %s m",
                             limb_show(j->q_min).text, limb_show(j->q_max).text, limb_show_rounded(d->extent).text);
  }
}

// The range of a mimic that follows from the limits of its leader.
static void check_mimic(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  if (j->mimic < 0 || j->mimic >= d->njoint) return;
  const limb_joint_def* lead = &d->joint[j->mimic];
  const double a = j->multiplier * lead->q_min + j->offset;
  const double b = j->multiplier * lead->q_max + j->offset;
  const double low = fmin(a, b), high = fmax(a, b);
  const double range = isfinite(j->q_max - j->q_min) ? j->q_max - j->q_min : 0;
  const double tolerance = 1e-6 + 1e-3 * range; // limits are rounded numbers
  if (low >= j->q_min - tolerance && high <= j->q_max + tolerance) return;
  limb_doctor_joint_report(d, RULE_MIMIC_LIMITS, k, "its limits are %s and %s, but joint '%s' moves it from %s to %s",
                           limb_show(j->q_min).text, limb_show(j->q_max).text, lead->name, limb_show(low).text,
                           limb_show(high).text);
}

// ---- friction -------------------------------------------------------------------------------------

static void check_friction(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  const char* unit = j->type == LIMB_PRISMATIC ? "N" : "N m";
  const double effort = j->effort_max, speed = j->v_max;
  if (!isfinite(effort) || effort <= 0 || j->mimic >= 0) return;
  const double slow = j->coulomb + j->viscous * fmin(speed, turns(j->type) ? 1 : 0.1);
  const double fast = j->coulomb + j->viscous * speed;
  if (j->coulomb >= effort || slow >= effort) {
    limb_doctor_joint_report(d, RULE_FRICTION_LARGE, k,
                             "friction of %s %s and damping of %s %s s%s exceed its effort of %s %s",
                             limb_show(j->coulomb).text, unit, limb_show(j->viscous).text, unit,
                             turns(j->type) ? "/rad" : "/m", limb_show(effort).text, unit);
  } else if (isfinite(speed) && speed < 100 && fast > 1.05 * effort) {
    limb_doctor_joint_report(d, RULE_FRICTION_LARGE, k,
                             "at its maximum speed friction and damping need %s %s, but its maximum effort is %s %s",
                             limb_show_rounded(fast).text, unit, limb_show(effort).text, unit);
    limb_report_as(d->f, LIMB_NOTE);
  }
}

// ---- elasticity -----------------------------------------------------------------------------------

// The composite inertia of every body and what it carries at q = 0, in its own frame; NULL when out of memory.
static sp_inertia* composite(doctor* d)
{
  sp_inertia* whole = limb_mempool_alloc(&d->pool, (size_t)d->nbody * sizeof *whole);
  if (!whole) return NULL;
  for (int i = 0; i < d->nbody; i++) whole[i] = d->body[i].def.inertia;
  for (int n = d->norder - 1; n > 0; n--) {
    const limb_joint_def* j = &d->joint[d->body[d->order[n]].joint];
    whole[j->parent] = limb_inertia_add(whole[j->parent], limb_inertia_move(j->placement, whole[j->child]));
  }
  return whole;
}

// Reports a spring that makes a joint oscillate absurdly slowly or fast while everything else is at rest. ratio: turns
// of the joint per turn of the spring.
static void check_frequency(const doctor* d, int k, const sp_inertia* whole, double stiffness, double ratio)
{
  static const double slowest = 0.01, fastest = 1e5; // Hz
  const limb_joint_def* j = &d->joint[k];
  sp_motion S[6];
  (void)motion_columns(j, S);
  const double inertia = energy(&whole[j->child], S[0], S[0]) + j->gear_ratio * j->gear_ratio * j->rotor_inertia;
  const double f = sqrt(stiffness / inertia) / fabs(ratio) / 6.283185307179586;
  if (!(stiffness > 0) || !(inertia > 0) || (f >= slowest && f <= fastest)) return;
  limb_doctor_joint_report(d, RULE_ELASTIC_FREQUENCY, k, "a stiffness of %s %s and an inertia of %s %s give %s Hz",
                           limb_show(stiffness).text, turns(j->type) ? "N m/rad" : "N/m",
                           limb_show_rounded(inertia).text, turns(j->type) ? "kg m^2" : "kg",
                           limb_show_rounded(f).text);
}

// Passive joints with a spring, and both ends of shafts. Springs of other joints assist a motor.
static limb_status check_elastic(doctor* d)
{
  const int nshaft = limb_builder_shaft_count(d->r->builder);
  const sp_inertia* whole = NULL;
  limb_shaft_def x;
  for (int k = 0; k < d->njoint && !d->not_credible; k++) {
    if (d->joint[k].drive != LIMB_DRIVE_PASSIVE || !(d->joint[k].stiffness > 0)) continue;
    if (!whole) whole = composite(d);
    if (!whole) return LIMB_E_NOMEM;
    check_frequency(d, k, whole, d->joint[k].stiffness, 1);
  }
  for (int i = 0; i < nshaft; i++) {
    if (limb_builder_get_shaft(d->r->builder, i, &x) != LIMB_OK) continue;
    if (x.stiffness == 0)
      limb_doctor_joint_report(d, RULE_SHAFT_SLACK, x.joint, "its shaft from '%s' has no stiffness%s",
                               d->joint[x.motor].name, x.damping > 0 ? ", only damping" : "");
    if (d->not_credible) continue;
    if (!whole) whole = composite(d);
    if (!whole) return LIMB_E_NOMEM;
    check_frequency(d, x.joint, whole, x.stiffness, 1);
    check_frequency(d, x.motor, whole, x.stiffness, x.ratio);
  }
  return LIMB_OK;
}

// ---- all joints ----------------------------------------------------------------------------------

static void check_nothing_moves(const doctor* d)
{
  for (int k = 0; k < d->njoint; k++) {
    if (moves(&d->joint[k])) return;
  }
  limb_report(d->f, RULE_NOTHING_MOVES, (file_pos){0}, (limb_subject){NULL, NULL}, "no joint of the robot moves");
}

limb_status limb_doctor_joints(doctor* d)
{
  check_nothing_moves(d);
  const limb_status status = check_inertia_behind(d);
  check_tiny_mass(d);
  for (int k = 0; k < d->njoint; k++) {
    if (!moves(&d->joint[k])) continue;
    check_zero(d, k);
    check_units(d, k);
    check_mimic(d, k);
    check_friction(d, k);
  }
  return status ? status : check_elastic(d);
}
