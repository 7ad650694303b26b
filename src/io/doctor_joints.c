// The doctor on joints: those that move nothing, limits, friction, followers, elasticity.
#include "io/doctor.h"

#include "io/joints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int moves(const limb_joint_def* j) { return j->type != LIMB_FIXED; }

// ---- joints without inertia -----------------------------------------------------------------------

// leader[k]: the joint whose coordinate moves joint k, at the end of a chain of mimics. Every joint is passed
// twice at most: the whole way to the end learns of it at once.
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
  return child->behind != 0 || child->bears || d->joint[joint].rotor_inertia > 0;
}

typedef struct joint_group {
  int members; // the leader and its followers
  int felt;    // those of them that move something
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

// 1 when S' Y S has no inverse: a pivot of its Cholesky factorisation vanishes against the inertia that
// the group has for such a motion of its mass.
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

// The last joint of a branch that turns bodies about a line or point on which all their mass lies.
static void check_line(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  const doctor_body* child = &d->body[j->child];
  sp_motion S[6];
  const int n = motion_columns(j, S);
  if (d->beyond || child->carries || j->rotor_inertia > 0 || child->group.mass <= 0) return;
  if (!is_singular(&child->group, S, n)) return;
  limb_report(d->f, RULE_JOINT_WITHOUT_INERTIA, limb_doctor_joint_mark(d, k), limb_doctor_joint(d, k),
              "the %s kg behind it have no inertia about %s", limb_show_short(child->behind).text,
              n == 1 ? "its axis" : "one of its axes");
}

static limb_status check_inertia_behind(doctor* d)
{
  joint_group* group = limb_store_take(&d->pool, ((size_t)d->njoint + 1) * sizeof *group);
  int* leader = limb_store_take(&d->pool, ((size_t)d->njoint + 1) * sizeof *leader);
  if (!group || !leader) return LIMB_E_NOMEM;
  find_leaders(d, leader);
  for (int k = 0; k < d->njoint; k++) {
    if (!moves(&d->joint[k])) continue;
    joint_group* g = &group[leader[k]];
    g->members++;
    g->felt += has_inertia_behind(d, k);
  }
  for (int k = 0; k < d->njoint; k++) {
    const limb_joint_def* j = &d->joint[k];
    if (!moves(j) || j->mimic >= 0) continue;
    if (group[k].felt > 0) {
      if (group[k].members == 1) check_line(d, k);
      continue;
    }
    limb_report(d->f, RULE_MASSLESS_SUBTREE, limb_doctor_joint_mark(d, k), limb_doctor_joint(d, k),
                "%s '%s' and all that is behind it have no mass%s", d->body_word, d->body[j->child].def.name,
                group[k].members > 1 ? ", nor has what its followers move" : "");
  }
  return LIMB_OK;
}

static void check_light(const doctor* d)
{
  for (int k = 0; k < d->njoint && !d->beyond; k++) {
    const limb_joint_def* j = &d->joint[k];
    const double mass = d->body[j->child].behind;
    if (!moves(j) || j->mimic >= 0 || j->rotor_inertia > 0) continue;
    if (mass <= 0 || mass >= 1e-6 * d->mass) continue;
    limb_report(d->f, RULE_MASS_TINY, limb_doctor_joint_mark(d, k), limb_doctor_joint(d, k),
                "it moves %s kg of a robot of %s kg", limb_show_short(mass).text, limb_show_short(d->mass).text);
  }
}

// ---- limits ---------------------------------------------------------------------------------------

static void check_zero(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  const limb_mark at = limb_doctor_joint_mark(d, k);
  const limb_subject about = limb_doctor_joint(d, k);
  if (j->q_min == j->q_max)
    limb_report(d->f, RULE_LIMIT_ZERO, at, about, "its limits leave it no range: %s to %s", limb_show(j->q_min).text,
                limb_show(j->q_max).text);
  if (j->mimic >= 0 || (j->effort_max != 0 && j->v_max != 0)) return; // its leader drives a follower
  limb_report(d->f, RULE_LIMIT_ZERO, at, about, "its greatest %s zero",
              j->effort_max != 0 ? "speed is"
              : j->v_max != 0    ? "effort is"
                                 : "effort and its greatest speed are");
}

static int is_power_of_ten(double x)
{
  const double k = round(log10(fabs(x)));
  return x != 0 && fabs(fabs(x) - pow(10, k)) < 1e-9 * fabs(x);
}

// A whole number that may well be one of degrees.
static int looks_like_degrees(double x) { return fabs(x) <= 720 && x == round(x); }

static void check_units(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  const limb_mark at = limb_doctor_joint_mark(d, k);
  const limb_subject about = limb_doctor_joint(d, k);
  const double most = fmax(fabs(j->q_min), fabs(j->q_max));
  // Powers of ten are what people write for "none".
  if (!isfinite(most) || (is_power_of_ten(most) && j->q_min == -j->q_max)) return;
  if (turns(j->type) && most >= 30 && looks_like_degrees(j->q_min) && looks_like_degrees(j->q_max)) {
    limb_report(d->f, RULE_LIMIT_DEGREES, at, about, "its limits are %s and %s rad: %s turns", limb_show(j->q_min).text,
                limb_show(j->q_max).text, limb_show_short((j->q_max - j->q_min) / 6.283185307179586).text);
    limb_report_hint(d->f, "as degrees they would be %s and %s rad",
                     limb_show_short(j->q_min * 0.017453292519943295).text,
                     limb_show_short(j->q_max * 0.017453292519943295).text);
  }
  if (j->type == LIMB_PRISMATIC && most > 10 && most > 10 * d->extent) {
    limb_report(d->f, RULE_LIMIT_MILLIMETRES, at, about, "its limits are %s and %s m, in a robot of %s m",
                limb_show(j->q_min).text, limb_show(j->q_max).text, limb_show_short(d->extent).text);
  }
}

// Where the limits of the leader take the follower.
static void check_follower(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  if (j->mimic < 0 || j->mimic >= d->njoint) return;
  const limb_joint_def* lead = &d->joint[j->mimic];
  const double a = j->multiplier * lead->q_min + j->offset;
  const double b = j->multiplier * lead->q_max + j->offset;
  const double low = fmin(a, b), high = fmax(a, b);
  const double range = isfinite(j->q_max - j->q_min) ? j->q_max - j->q_min : 0;
  const double room = 1e-6 + 1e-3 * range; // limits are rounded figures
  if (low >= j->q_min - room && high <= j->q_max + room) return;
  limb_report(d->f, RULE_MIMIC_LIMITS, limb_doctor_joint_mark(d, k), limb_doctor_joint(d, k),
              "its limits are %s and %s, but joint '%s' takes it from %s to %s", limb_show(j->q_min).text,
              limb_show(j->q_max).text, lead->name, limb_show(low).text, limb_show(high).text);
}

// ---- friction -------------------------------------------------------------------------------------

static void check_friction(const doctor* d, int k)
{
  const limb_joint_def* j = &d->joint[k];
  const limb_mark at = limb_doctor_joint_mark(d, k);
  const limb_subject about = limb_doctor_joint(d, k);
  const char* unit = j->type == LIMB_PRISMATIC ? "N" : "N m";
  const double effort = j->effort_max, speed = j->v_max;
  if (!isfinite(effort) || effort <= 0 || j->mimic >= 0) return;
  const double slow = j->coulomb + j->viscous * fmin(speed, turns(j->type) ? 1 : 0.1);
  const double fast = j->coulomb + j->viscous * speed;
  if (j->coulomb >= effort || slow >= effort) {
    limb_report(d->f, RULE_FRICTION_LARGE, at, about,
                "friction of %s %s and damping of %s %s s%s leave nothing of its effort of %s %s",
                limb_show(j->coulomb).text, unit, limb_show(j->viscous).text, unit, turns(j->type) ? "/rad" : "/m",
                limb_show(effort).text, unit);
  } else if (isfinite(speed) && speed < 100 && fast > 1.05 * effort) {
    limb_report(d->f, RULE_FRICTION_LARGE, at, about,
                "at its greatest speed friction and damping take %s %s, its greatest effort is %s %s",
                limb_show_short(fast).text, unit, limb_show(effort).text, unit);
    limb_report_as(d->f, LIMB_NOTE);
  }
}

// ---- elasticity -----------------------------------------------------------------------------------

// What every body carries at q = 0, itself included, in its own frame; NULL when out of memory.
static sp_inertia* composite(doctor* d)
{
  sp_inertia* whole = limb_store_take(&d->pool, (size_t)d->nbody * sizeof *whole);
  if (!whole) return NULL;
  for (int i = 0; i < d->nbody; i++) whole[i] = d->body[i].def.inertia;
  for (int n = d->norder - 1; n > 0; n--) {
    const limb_joint_def* j = &d->joint[d->body[d->order[n]].joint];
    whole[j->parent] = limb_inertia_add(whole[j->parent], limb_inertia_move(j->placement, whole[j->child]));
  }
  return whole;
}

// Says so when a spring of this stiffness swings a joint absurdly while all else stands. ratio: turns of the
// joint per turn of the spring.
static void check_frequency(const doctor* d, int k, const sp_inertia* whole, double stiffness, double ratio)
{
  static const double slowest = 0.01, fastest = 1e5; // Hz
  const limb_joint_def* j = &d->joint[k];
  sp_motion S[6];
  (void)motion_columns(j, S);
  const double felt = energy(&whole[j->child], S[0], S[0]) + j->gear_ratio * j->gear_ratio * j->rotor_inertia;
  const double f = sqrt(stiffness / felt) / fabs(ratio) / 6.283185307179586;
  if (!(stiffness > 0) || !(felt > 0) || (f >= slowest && f <= fastest)) return;
  limb_report(d->f, RULE_ELASTIC_FREQUENCY, limb_doctor_joint_mark(d, k), limb_doctor_joint(d, k),
              "a stiffness of %s %s and an inertia of %s %s give %s Hz", limb_show(stiffness).text,
              turns(j->type) ? "N m/rad" : "N/m", limb_show_short(felt).text, turns(j->type) ? "kg m^2" : "kg",
              limb_show_short(f).text);
}

// Passive joints with a spring, and shafts from both ends. Springs of other joints are helpers of a motor.
static limb_status check_elastic(doctor* d)
{
  const int nshaft = limb_builder_shaft_count(d->r->builder);
  const sp_inertia* whole = NULL;
  limb_shaft_def x;
  for (int k = 0; k < d->njoint && !d->beyond; k++) {
    if (d->joint[k].drive != LIMB_DRIVE_PASSIVE || !(d->joint[k].stiffness > 0)) continue;
    if (!whole) whole = composite(d);
    if (!whole) return LIMB_E_NOMEM;
    check_frequency(d, k, whole, d->joint[k].stiffness, 1);
  }
  for (int i = 0; i < nshaft; i++) {
    if (limb_builder_get_shaft(d->r->builder, i, &x) != LIMB_OK) continue;
    if (x.stiffness == 0)
      limb_report(d->f, RULE_SHAFT_SLACK, limb_doctor_joint_mark(d, x.joint), limb_doctor_joint(d, x.joint),
                  "its shaft from '%s' has no stiffness%s", d->joint[x.motor].name,
                  x.damping > 0 ? ", only damping" : "");
    if (d->beyond) continue;
    if (!whole) whole = composite(d);
    if (!whole) return LIMB_E_NOMEM;
    check_frequency(d, x.joint, whole, x.stiffness, 1);
    check_frequency(d, x.motor, whole, x.stiffness, x.ratio);
  }
  return LIMB_OK;
}

// ---- all of them ----------------------------------------------------------------------------------

static void check_nothing_moves(const doctor* d)
{
  for (int k = 0; k < d->njoint; k++) {
    if (moves(&d->joint[k])) return;
  }
  limb_report(d->f, RULE_NOTHING_MOVES, (limb_mark){0, 0}, (limb_subject){NULL, NULL}, "no joint of the robot moves");
}

limb_status limb_doctor_joints(doctor* d)
{
  check_nothing_moves(d);
  const limb_status status = check_inertia_behind(d);
  check_light(d);
  for (int k = 0; k < d->njoint; k++) {
    if (!moves(&d->joint[k])) continue;
    check_zero(d, k);
    check_units(d, k);
    check_follower(d, k);
    check_friction(d, k);
  }
  return status ? status : check_elastic(d);
}
