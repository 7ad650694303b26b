// Checks of hybrid dynamics: of some degrees of freedom, picked at random, the acceleration is given, of the
// others the force; and of robots whose base moves freely.
#include "verify.h"

#include <string.h>

// What hybrid dynamics is asked in this state.
static limb_hybrid question(const verify* t) { return (limb_hybrid){t->q, t->v, t->given, t->mixed, &t->env}; }

static limb_status answer(verify* t, double* a, double* tau)
{
  return limb_hybrid_dynamics(t->d, t->q, t->v, t->given, t->mixed, &t->env, a, tau);
}

typedef struct motion {
  const double *a, *tau;
} motion;

// Answers are what is given causes, less what weight and the rest would without it.
static limb_status differ_motions(verify* t, const unsigned char* given, motion x, motion y, double* off)
{
  const size_t n = (size_t)t->nv;
  const limb_status s = limb_hybrid_dynamics(t->d, t->q, t->v, given, t->nothing, &t->env, t->idle_a, t->idle_tau);
  if (s != LIMB_OK) return s;
  const double force = fmax(t->size.force, verify_largest(t->nv, t->idle_tau));
  *off = fmax(cli_differ(n, x.a, y.a, verify_largest(t->nv, t->idle_a)), cli_differ(n, x.tau, y.tau, force));
  return s;
}

// ---- any marks -------------------------------------------------------------------------------------

static limb_status hybrid_back(verify* t, double* off)
{
  limb_status s = answer(t, t->x, t->y);
  if (s == LIMB_OK) s = differ_motions(t, t->given, (motion){t->a, t->tau}, (motion){t->x, t->y}, off);
  return s;
}

static limb_status hybrid_partition(verify* t, double* off)
{
  const limb_hybrid in = question(t);
  limb_status s = answer(t, t->x, t->y);
  if (s == LIMB_OK) s = limb_hybrid_dynamics_by_mass_matrix(t->d, &in, t->A, t->z, t->w);
  if (s == LIMB_OK) s = differ_motions(t, t->given, (motion){t->x, t->y}, (motion){t->z, t->w}, off);
  return s;
}

static limb_status hybrid_recursion(verify* t, double* off)
{
  limb_status s = answer(t, t->x, t->y);
  if (s == LIMB_OK) s = limb_reference_hybrid(t->m, t->q, t->v, t->given, t->mixed, &t->env, t->z, t->w);
  if (s == LIMB_OK) s = differ_motions(t, t->given, (motion){t->x, t->y}, (motion){t->z, t->w}, off);
  return s;
}

static limb_status hybrid_forces(verify* t, double* off)
{
  limb_status s = limb_hybrid_dynamics(t->d, t->q, t->v, t->all_forces, t->tau, &t->env, t->x, t->y);
  if (s == LIMB_OK) s = limb_forward_dynamics(t->d, t->q, t->v, t->tau, &t->env, t->z);
  if (s == LIMB_OK) s = differ_motions(t, t->all_forces, (motion){t->x, t->y}, (motion){t->z, t->tau}, off);
  return s;
}

static limb_status hybrid_accelerations(verify* t, double* off)
{
  const limb_status s = limb_hybrid_dynamics(t->d, t->q, t->v, t->all_accelerations, t->a, &t->env, t->x, t->y);
  *off = cli_differ((size_t)t->nv, t->y, t->tau, t->size.force);
  return s;
}

// ---- a free base -----------------------------------------------------------------------------------

// Marks the free joints on the world, and takes their forces for zero: what is given goes to vt. No free
// base, or another one beside it: LIMB_E_UNSUPPORTED.
static limb_status release_base(verify* t)
{
  int roots = 0;
  memset(t->free_base, LIMB_ACCELERATION_GIVEN, (size_t)t->nv);
  memcpy(t->vt, t->a, (size_t)t->nv * sizeof *t->vt);
  for (int j = 0; j < t->njoint; j++) {
    limb_joint_info info;
    const limb_status s = limb_get_joint(t->m, j, &info);
    if (s != LIMB_OK) return s;
    if (info.def.parent != LIMB_WORLD_BODY) continue;
    if (info.def.type != LIMB_FREE) return LIMB_E_UNSUPPORTED;
    memset(t->free_base + info.v, LIMB_FORCE_GIVEN, (size_t)info.nv);
    memset(t->vt + info.v, 0, (size_t)info.nv * sizeof *t->vt);
    roots++;
  }
  return roots > 0 ? LIMB_OK : LIMB_E_UNSUPPORTED;
}

static limb_status float_freely(verify* t, double* a, double* tau)
{
  limb_status s = release_base(t);
  if (s == LIMB_OK) s = limb_hybrid_dynamics(t->d, t->q, t->v, t->free_base, t->vt, &t->env, a, tau);
  return s;
}

static limb_status base_inverse(verify* t, double* off)
{
  limb_status s = float_freely(t, t->x, t->y);
  if (s != LIMB_OK) return s;
  memcpy(t->z, t->a, (size_t)t->nv * sizeof *t->z);
  s = limb_reference_moving_base_inverse(t->m, t->q, t->v, t->z, &t->env, t->w, NULL);
  if (s == LIMB_OK) s = differ_motions(t, t->free_base, (motion){t->x, t->y}, (motion){t->z, t->w}, off);
  return s;
}

// The torques are those of the motion above: the motion comes back.
static limb_status base_direct(verify* t, double* off)
{
  limb_status s = float_freely(t, t->x, t->y);
  if (s == LIMB_OK) s = limb_reference_moving_base_direct(t->m, t->q, t->v, t->y, &t->env, t->z, NULL);
  if (s == LIMB_OK) s = differ_motions(t, t->all_forces, (motion){t->x, t->y}, (motion){t->z, t->y}, off);
  return s;
}

// Nothing but the weight changes the momentum.
static limb_status base_momentum(verify* t, double* off)
{
  sp_force rate = {{0, 0, 0}, {0, 0, 0}};
  sp_vec3 com = {0, 0, 0};
  limb_status s = float_freely(t, t->x, t->y);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->q, t->v, t->x);
  if (s == LIMB_OK) s = limb_momentum_rate(t->d, 0, &rate);
  if (s == LIMB_OK) s = limb_center_of_mass(t->d, &com, NULL, NULL);
  if (s != LIMB_OK) return s;
  const sp_vec3 weight = sp_scale3(limb_total_mass(t->m), t->env.gravity);
  const sp_force moment = sp_force_make(sp_cross3(com, weight), weight);
  const double of_weight = fmax(sp_norm3(moment.m), sp_norm3(moment.f));
  const double of_motion =
    VERIFY_PART * fmax(t->size.moment, t->size.inertia) * (verify_largest(t->nv, t->x) + t->size.speed * t->size.speed);
  const double got[6] = {rate.m.x, rate.m.y, rate.m.z, rate.f.x, rate.f.y, rate.f.z};
  const double due[6] = {moment.m.x, moment.m.y, moment.m.z, moment.f.x, moment.f.y, moment.f.z};
  *off = cli_differ(6, got, due, fmax(t->size.force, fmax(of_weight, of_motion)));
  return s;
}

// ---- derivatives -----------------------------------------------------------------------------------

// The numbers of x with this mark, zero for the others.
static void select(const verify* t, int mark, const double* x, double* out)
{
  for (int k = 0; k < t->nv; k++) out[k] = t->given[k] == mark ? x[k] : 0;
}

// Accelerations and forces, each by its own size: the larger one of three terms.
static double differ_kinds(const verify* t, const double* terms, const double* x, const double* y)
{
  double off = 0;
  for (int mark = LIMB_FORCE_GIVEN; mark <= LIMB_ACCELERATION_GIVEN; mark++) {
    double size = mark == LIMB_ACCELERATION_GIVEN ? VERIFY_PART * t->size.force : 0;
    for (size_t i = 0; i < 3; i++) {
      select(t, mark, terms + i * (size_t)t->nv, t->idle_a);
      size = fmax(size, verify_largest(t->nv, t->idle_a));
    }
    select(t, mark, x, t->idle_a);
    select(t, mark, y, t->idle_tau);
    off = fmax(off, cli_differ((size_t)t->nv, t->idle_a, t->idle_tau, size));
  }
  return off;
}

// v for q, a for v, and what is given for itself.
static limb_status hybrid_dual(verify* t, double* off)
{
  const limb_hybrid in = question(t);
  const limb_hybrid_derivatives out = {NULL, t->A, t->B, t->M};
  const limb_directions along = {.count = 1, .dq = t->v, .dv = t->a, .da = t->a, .dtau = t->tau};
  double* terms = t->big;
  limb_status s = limb_hybrid_dynamics_derivatives(t->d, &in, &out);
  if (s != LIMB_OK) return s;
  verify_times(t, t->A, t->v, terms);
  verify_times(t, t->B, t->a, terms + t->nv);
  verify_times(t, t->M, t->mixed, terms + 2 * (size_t)t->nv);
  for (int k = 0; k < t->nv; k++) t->x[k] = terms[k] + terms[t->nv + k] + terms[2 * t->nv + k];
  s = verify_dual(t);
  if (s == LIMB_OK) s = limb_hybrid_dynamics_along(t->dual, &in, &along, t->y);
  *off = differ_kinds(t, terms, t->x, t->y);
  return s;
}

static const char not_free[] = "its base is not one free joint";
static const char not_mimic[] = "not for mimic joints";

const verify_check verify_hybrid[] = {
  {"hybrid", "a, tau from some of them", "a, tau", VERIFY_INVERSE, 1, hybrid_back, 0, NULL},
  {"hybrid", "articulated bodies", "partition of M", VERIFY_INVERSE, 2, hybrid_partition, 0, NULL},
  {"hybrid", "articulated bodies", "Khalil's recursion", VERIFY_INVERSE, 1, hybrid_recursion, 0, not_mimic},
  {"hybrid", "all forces given", "forward dynamics", VERIFY_INVERSE, 1, hybrid_forces, 0, NULL},
  {"hybrid", "all accelerations given", "RNEA", VERIFY_ALGEBRA, 1, hybrid_accelerations, 0, NULL},
  {"free base", "hybrid", "Khalil's recursion, inverse", VERIFY_INVERSE, 1, base_inverse, 0, not_free},
  {"free base", "hybrid", "Khalil's recursion, direct", VERIFY_INVERSE, 1, base_direct, 0, not_free},
  {"free base", "rate of momentum", "weight", VERIFY_INVERSE, 1, base_momentum, 0, not_free},
  {"dhybrid", "along a direction", "dual numbers", VERIFY_INVERSE, 3, hybrid_dual, VERIFY_WIDE, NULL},
  {0},
};
