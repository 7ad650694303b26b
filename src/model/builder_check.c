// The rules for joints, shafts and poses (loops: builder_parts.c). A definition that passes is finite and
// normalised, so that nothing behind the builder has to ask again.
#include "model/builder_impl.h"

#include "base/numeric.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Directions closer than this angle [rad] count as parallel.
#define PARALLEL 1e-8

static bool one_dof(limb_joint_type type)
{
  return type == LIMB_REVOLUTE || type == LIMB_PRISMATIC || type == LIMB_HELICAL;
}

static bool zero3(sp_vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

// Any length but zero, also where the squares overflow. A unit vector comes back bit by bit.
static sp_vec3 unit(sp_vec3 a)
{
  if (fabs(sp_dot3(a, a) - 1) <= 4 * DBL_EPSILON) return a;
  int e;
  (void)frexp(fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))), &e);
  const sp_vec3 s = sp_v3(ldexp(a.x, -e), ldexp(a.y, -e), ldexp(a.z, -e));
  return sp_scale3(1 / sp_norm3(s), s);
}

// ---- poses --------------------------------------------------------------------------------------------------

// Largest entry of R'R - 1, or how far the determinant is from +1.
static double rotation_defect(sp_mat3 R)
{
  const double* m = R.m;
  const sp_mat3 G = sp_mul3(sp_transpose3(R), R);
  const double det = sp_dot3(sp_v3(m[0], m[1], m[2]), sp_cross3(sp_v3(m[3], m[4], m[5]), sp_v3(m[6], m[7], m[8])));
  double worst = fabs(det - 1);
  for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(G.m[i] - (i % 4 == 0 ? 1 : 0)));
  return worst;
}

// Newton-Schulz step to the nearest rotation: R (3 - R'R) / 2. Squares the defect.
static sp_mat3 orthonormalise(sp_mat3 R)
{
  sp_mat3 G = sp_mul3(sp_transpose3(R), R);
  for (int i = 0; i < 9; i++) G.m[i] = (i % 4 == 0 ? 1.5 : 0) - 0.5 * G.m[i];
  return sp_mul3(R, G);
}

limb_status limb_check_pose(sp_pose* pose, const char* where, limb_error* err)
{
  if (!limb_finite3(pose->p)) return limb_fail(err, LIMB_E_NONFINITE, where, "the position is not finite");
  if (!limb_finite(9, pose->R.m)) return limb_fail(err, LIMB_E_NONFINITE, where, "the rotation is not finite");
  const double defect = rotation_defect(pose->R);
  if (!(defect <= 1e-6))
    return limb_fail(err, LIMB_E_ARG, where,
                     "the matrix is not a rotation: orthonormality or determinant +1 is off by %.3g "
                     "(at most 1e-6); sp_rot_rpy and sp_rot_quat make rotations",
                     defect);
  if (defect > 1e-12) pose->R = orthonormalise(orthonormalise(pose->R));
  return LIMB_OK;
}

// ---- axes ---------------------------------------------------------------------------------------------------

static limb_status check_axis(limb_joint_def* def, const char* where, limb_error* err)
{
  if (def->type == LIMB_FIXED || def->type == LIMB_SPHERICAL || def->type == LIMB_FREE) {
    def->axis = sp_v3(0, 0, 1);
    return LIMB_OK;
  }
  if (!limb_finite3(def->axis)) return limb_fail(err, LIMB_E_NONFINITE, where, "the axis is not finite");
  if (zero3(def->axis)) return limb_fail(err, LIMB_E_ARG, where, "the axis is zero: give it a direction");
  def->axis = unit(def->axis);
  return LIMB_OK;
}

// The x axis turned as z is turned onto the unit axis a by the smallest rotation,
//   x - a.x (a + z) / (1 + a.z);   for a = -z any half turn does it: the one about x.
static sp_vec3 planar_default(sp_vec3 a)
{
  const double s2 = a.x * a.x + a.y * a.y;
  if (s2 == 0) return sp_v3(1, 0, 0);
  const double k = a.x / (a.z > 0 ? 1 + a.z : s2 / (1 - a.z));
  return unit(sp_v3(1 - k * a.x, -k * a.y, -a.x));
}

// The direction of unit vector e without its part along n; unchanged when it has none.
static sp_vec3 into_plane(sp_vec3 n, sp_vec3 e)
{
  const double along = sp_dot3(n, e);
  return fabs(along) <= 4 * DBL_EPSILON ? e : unit(sp_sub3(e, sp_scale3(along, n)));
}

static limb_status check_axis2(limb_joint_def* def, const char* where, limb_error* err)
{
  const bool universal = def->type == LIMB_UNIVERSAL, none = zero3(def->axis2);
  if (!universal && def->type != LIMB_PLANAR) {
    if (none) return LIMB_OK;
    return limb_fail(err, LIMB_E_ARG, where, "axis2 is set, but a %s joint has none: leave it zero",
                     limb_joint_type_name(def->type));
  }
  if (!limb_finite3(def->axis2)) return limb_fail(err, LIMB_E_NONFINITE, where, "axis2 is not finite");
  if (none && universal)
    return limb_fail(err, LIMB_E_ARG, where, "axis2 is zero: set it to the second axis of the universal joint");
  if (none) {
    def->axis2 = planar_default(def->axis);
    return LIMB_OK;
  }
  const sp_vec3 n = def->axis, e = unit(def->axis2);
  if (sp_norm3(sp_cross3(n, e)) <= PARALLEL)
    return limb_fail(err, LIMB_E_ARG, where, "axis2 is parallel to axis: %s",
                     universal ? "the two axes of a universal joint must differ"
                               : "the first direction must lie in the plane normal to it");
  def->axis2 = universal ? e : into_plane(n, into_plane(n, e)); // twice: the first may lose digits
  return LIMB_OK;
}

// ---- properties of one-dof joints ---------------------------------------------------------------------------

enum {
  ANY = 0,
  NONNEGATIVE = 1,
  NONZERO = 2,
  LIMIT = 4 // may be infinite
};

typedef struct property {
  const char* name;
  size_t at; // of the double in limb_joint_def
  double unset;
  int rule;
} property;

#define AT(member) #member, offsetof(limb_joint_def, member)

static const property properties[] = {
  {AT(q_min), -HUGE_VAL, LIMIT},
  {AT(q_max), HUGE_VAL, LIMIT},
  {AT(v_max), HUGE_VAL, LIMIT | NONNEGATIVE},
  {AT(effort_max), HUGE_VAL, LIMIT | NONNEGATIVE},
  {AT(a_max), HUGE_VAL, LIMIT | NONNEGATIVE},
  {AT(deceleration_max), HUGE_VAL, LIMIT | NONNEGATIVE},
  {AT(jerk_max), HUGE_VAL, LIMIT | NONNEGATIVE},
  {AT(rotor_inertia), 0, NONNEGATIVE},
  {AT(gear_ratio), 1, NONZERO},
  {AT(coulomb), 0, NONNEGATIVE},
  {AT(viscous), 0, NONNEGATIVE},
  {AT(stiffness), 0, NONNEGATIVE},
  {AT(rest), 0, ANY},
  {AT(multiplier), 1, ANY},
  {AT(offset), 0, ANY},
  {AT(start), 0, ANY},
};

enum { NPROPERTY = sizeof properties / sizeof properties[0] };

static double value_of(const limb_joint_def* def, const property* p)
{
  double x;
  memcpy(&x, (const char*)def + p->at, sizeof x);
  return x;
}

static limb_status check_unset(const limb_joint_def* def, const char* where, limb_error* err)
{
  const char* set = def->mimic == -1 ? NULL : "mimic";
  for (int i = 0; i < NPROPERTY && !set; i++) {
    if (def->type == LIMB_SPHERICAL && properties[i].at == offsetof(limb_joint_def, stiffness)) continue;
    if (value_of(def, &properties[i]) != properties[i].unset) set = properties[i].name;
  }
  if (!set) return LIMB_OK;
  return limb_fail(err, LIMB_E_ARG, where,
                   "%s is set, but a %s joint cannot have it: only joints with one degree of freedom", set,
                   limb_joint_type_name(def->type));
}

// Whether entry k is another than the first of its direction, turning or sliding, where all must be the same.
static bool differs(const limb_joint_def* def, int k)
{
  return (def->type == LIMB_SPHERICAL || def->type == LIMB_FREE) && k < 3 && def->armature[k] != def->armature[0];
}

static limb_status check_dof(const limb_joint_def* def, int k, const char* where, limb_error* err)
{
  const double x[] = {def->armature[k], def->damping[k]};
  static const char* const name[] = {"armature", "damping"};
  const int nv = limb_type_nv(def->type);
  for (int i = 0; i < 2; i++) {
    if (!isfinite(x[i])) return limb_fail(err, LIMB_E_NONFINITE, where, "%s[%d] is not finite", name[i], k);
    if (x[i] < 0) return limb_fail(err, LIMB_E_ARG, where, "%s[%d] is negative (%.6g)", name[i], k, x[i]);
    if (x[i] == 0) continue;
    if (nv == 1)
      return limb_fail(err, LIMB_E_ARG, where, "%s is set, but the joint has one degree of freedom: set %s", name[i],
                       i ? "viscous" : "rotor_inertia");
    if (k >= nv)
      return limb_fail(err, LIMB_E_ARG, where, "%s[%d] is set, but a %s joint has %d degrees of freedom", name[i], k,
                       limb_joint_type_name(def->type), nv);
  }
  return LIMB_OK;
}

static limb_status check_dofs(const limb_joint_def* def, const char* where, limb_error* err)
{
  for (int k = 0; k < LIMB_JOINT_DOFS; k++) {
    const limb_status s = check_dof(def, k, where, err);
    if (s) return s;
    if (differs(def, k))
      return limb_fail(err, LIMB_E_ARG, where,
                       "armature[%d] (%.6g) is not armature[0] (%.6g): a %s joint feels the same about all axes", k,
                       def->armature[k], def->armature[0], limb_joint_type_name(def->type));
    if (def->type == LIMB_FREE && k >= 3 && def->armature[k] != 0)
      return limb_fail(
        err, LIMB_E_ARG, where,
        "armature[%d] is set, but a free joint has none in translation: use three prismatic joints and a "
        "spherical one",
        k);
  }
  return LIMB_OK;
}

static limb_status check_property(const limb_joint_def* def, const property* p, const char* where, limb_error* err)
{
  const double x = value_of(def, p);
  if (isnan(x) || (isinf(x) && !(p->rule & LIMIT)))
    return limb_fail(err, LIMB_E_NONFINITE, where, "%s is not finite", p->name);
  if ((p->rule & NONNEGATIVE) && x < 0) return limb_fail(err, LIMB_E_ARG, where, "%s is negative (%.6g)", p->name, x);
  if ((p->rule & NONZERO) && x == 0) return limb_fail(err, LIMB_E_ARG, where, "%s is zero", p->name);
  return LIMB_OK;
}

static limb_status check_mimic(const limb_joint_def* def, int self, const char* where, limb_error* err)
{
  if (def->mimic < -1)
    return limb_fail(err, LIMB_E_ARG, where, "mimic is %d: a joint's index, or -1 for none", def->mimic);
  if (def->mimic == self) return limb_fail(err, LIMB_E_ARG, where, "the joint mimics itself");
  if (def->mimic < 0 && (def->multiplier != 1 || def->offset != 0))
    return limb_fail(err, LIMB_E_ARG, where, "multiplier or offset is set, but the joint follows none: set mimic too");
  if (def->multiplier == 0)
    return limb_fail(err, LIMB_E_ARG, where, "multiplier is zero: a joint that never moves is a fixed joint");
  if (def->mimic >= 0 && def->start != 0)
    return limb_fail(err, LIMB_E_ARG, where, "start is set, but the joint follows another: set start there");
  return LIMB_OK;
}

static limb_status check_drive(const limb_joint_def* def, const char* where, limb_error* err)
{
  const bool known =
    def->drive == LIMB_DRIVE_AUTO || def->drive == LIMB_DRIVE_ACTIVE || def->drive == LIMB_DRIVE_PASSIVE;
  if (!known) return limb_fail(err, LIMB_E_ARG, where, "there is no drive %d: use limb_drive", (int)def->drive);
  if (def->drive != LIMB_DRIVE_AUTO && (def->type == LIMB_FIXED || def->mimic >= 0))
    return limb_fail(err, LIMB_E_ARG, where, "drive is set, but a %s joint has no motion of its own",
                     def->type == LIMB_FIXED ? "fixed" : "mimic");
  return LIMB_OK;
}

static limb_status check_properties(const limb_joint_def* def, int self, const char* where, limb_error* err)
{
  limb_status s = one_dof(def->type) ? LIMB_OK : check_unset(def, where, err);
  if (s) return s;
  for (int i = 0; i < NPROPERTY; i++) {
    s = check_property(def, &properties[i], where, err);
    if (s) return s;
  }
  if (!(def->q_min <= def->q_max) || def->q_min == HUGE_VAL || def->q_max == -HUGE_VAL)
    return limb_fail(err, LIMB_E_ARG, where, "no position lies between q_min (%.6g) and q_max (%.6g)", def->q_min,
                     def->q_max);
  if (def->start != 0 && !(def->q_min <= def->start && def->start <= def->q_max))
    return limb_fail(err, LIMB_E_ARG, where, "start (%.6g) is not between q_min (%.6g) and q_max (%.6g)", def->start,
                     def->q_min, def->q_max);
  return check_mimic(def, self, where, err);
}

// ---- the joint ----------------------------------------------------------------------------------------------

static limb_status check_bodies(const limb_builder* b, const limb_joint_def* def, const char* where, limb_error* err)
{
  if (def->parent < 0 || def->parent >= b->nbody)
    return limb_fail(err, LIMB_E_ARG, where, "parent is %d: there are bodies 0 to %d", def->parent, b->nbody - 1);
  if (def->child < 0 || def->child >= b->nbody)
    return limb_fail(err, LIMB_E_ARG, where, "child is %d: there are bodies 0 to %d", def->child, b->nbody - 1);
  if (def->child == LIMB_WORLD_BODY)
    return limb_fail(err, LIMB_E_ARG, where, "the child is the world, which cannot be moved");
  if (def->parent == def->child)
    return limb_fail(err, LIMB_E_ARG, where, "the joint connects body '%s' with itself", b->body[def->child].name);
  return LIMB_OK;
}

limb_status limb_check_joint(const limb_builder* b, int self, limb_joint_def* def, const char* where, limb_error* err)
{
  if (!limb_joint_type_name(def->type))
    return limb_fail(err, LIMB_E_ARG, where, "there is no joint type %d", (int)def->type);
  limb_status s = check_bodies(b, def, where, err);
  if (!s) s = limb_check_pose(&def->placement, where, err);
  if (!s) s = check_axis(def, where, err);
  if (!s) s = check_axis2(def, where, err);
  if (s) return s;
  if (!isfinite(def->pitch)) return limb_fail(err, LIMB_E_NONFINITE, where, "pitch is not finite");
  if (def->pitch != 0 && def->type != LIMB_HELICAL)
    return limb_fail(err, LIMB_E_ARG, where, "pitch is set, but a %s joint has none: use helical",
                     limb_joint_type_name(def->type));
  s = check_properties(def, self, where, err);
  if (!s) s = check_dofs(def, where, err);
  return s ? s : check_drive(def, where, err);
}

// ---- the shaft ----------------------------------------------------------------------------------------------

limb_status limb_check_one_dof(const limb_builder* b, int joint, const char* end, const char* user, const char* where,
                               limb_error* err)
{
  if (joint < 0 || joint >= b->njoint)
    return limb_fail(err, LIMB_E_ARG, where, "%s is %d: there are %d joints so far", end, joint, b->njoint);
  const limb_joint_def* def = &b->joint[joint];
  if (!one_dof(def->type))
    return limb_fail(err, LIMB_E_ARG, where, "%s is '%s', a %s joint: a %s is for joints with one degree of freedom",
                     end, def->name, limb_joint_type_name(def->type), user);
  return LIMB_OK;
}

static limb_status check_end(const limb_builder* b, int joint, const char* end, const char* where, limb_error* err)
{
  const limb_status s = limb_check_one_dof(b, joint, end, "shaft", where, err);
  if (s) return s;
  const limb_joint_def* def = &b->joint[joint];
  if (def->mimic >= 0)
    return limb_fail(err, LIMB_E_ARG, where, "%s is '%s', which follows another joint: put the shaft on that one", end,
                     def->name);
  return LIMB_OK;
}

static limb_status check_shaft_numbers(const limb_shaft_def* def, const char* where, limb_error* err)
{
  const double x[] = {def->ratio, def->stiffness, def->damping, def->rest};
  static const char* const name[] = {"ratio", "stiffness", "damping", "rest"};
  for (int i = 0; i < 4; i++) {
    if (!isfinite(x[i])) return limb_fail(err, LIMB_E_NONFINITE, where, "%s is not finite", name[i]);
    if ((i == 1 || i == 2) && x[i] < 0)
      return limb_fail(err, LIMB_E_ARG, where, "%s is negative (%.6g)", name[i], x[i]);
  }
  if (def->ratio == 0 || !isfinite(1 / def->ratio)) return limb_fail(err, LIMB_E_ARG, where, "ratio is zero");
  return LIMB_OK;
}

limb_status limb_check_shaft(const limb_builder* b, const limb_shaft_def* def, const char* where, limb_error* err)
{
  limb_status s = check_end(b, def->joint, "joint", where, err);
  if (!s) s = check_end(b, def->motor, "motor", where, err);
  if (!s) s = check_shaft_numbers(def, where, err);
  if (s) return s;
  if (def->joint == def->motor)
    return limb_fail(err, LIMB_E_ARG, where, "the shaft connects joint '%s' with itself", b->joint[def->joint].name);
  if (def->joint < b->driven_cap && b->driven[def->joint])
    return limb_fail(err, LIMB_E_ARG, where, "joint '%s' is driven by a shaft already", b->joint[def->joint].name);
  return LIMB_OK;
}
