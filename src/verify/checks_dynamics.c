// Checks of inverse, forward and hybrid dynamics, of the mass matrix and of the Coriolis matrix.
#include "verify/verify_impl.h"

#include <string.h>

// Torques are sums of weight, inertia, friction and springs.
static limb_status same_force(const verify* t, limb_status s, double* off, const double* x, const double* y)
{
  return verify_compare(s, off, t->nv, x, y, t->size.force);
}

// sum += friction + springs; z is overwritten.
static limb_status add_passive(verify* t, double* sum)
{
  limb_status s = LIMB_OK;
  if (t->env.friction) s = limb_friction_forces_at(t->d, t->q, t->v, &t->env, t->z);
  for (int k = 0; k < t->nv && t->env.friction; k++) sum[k] += t->z[k];
  if (s == LIMB_OK) s = limb_spring_forces(t->d, t->q, t->z);
  for (int k = 0; k < t->nv; k++) sum[k] += t->z[k];
  return s;
}

// ---- inverse dynamics ------------------------------------------------------------------------------

static limb_status tau_lie(verify* t, double* off)
{
  const limb_status s = limb_reference_inverse_dynamics(t->m, t->q, t->v, t->a, &t->env, t->x, NULL);
  return same_force(t, s, off, t->tau, t->x);
}

static limb_status tau_kane(verify* t, double* off)
{
  const limb_status s = limb_reference_kane(t->m, t->q, t->v, t->a, &t->env, t->x);
  return same_force(t, s, off, t->tau, t->x);
}

static limb_status tau_mass_matrix(verify* t, double* off)
{
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  verify_times(t->nv, t->nv, t->M, t->a, t->x);
  if (s == LIMB_OK) s = limb_bias_forces(t->d, t->q, t->v, &t->env, t->y);
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k];
  if (s == LIMB_OK) s = add_passive(t, t->x);
  return same_force(t, s, off, t->tau, t->x);
}

static limb_status tau_closed_form(verify* t, double* off)
{
  limb_status s = limb_reference_closed_form(t->m, t->q, t->v, &t->env, t->A, t->y, t->z);
  verify_times(t->nv, t->nv, t->A, t->a, t->x);
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k] + t->z[k];
  if (s == LIMB_OK) s = add_passive(t, t->x);
  return same_force(t, s, off, t->tau, t->x);
}

// A wrench on a frame reduces the torques by J' w.
static limb_status tau_wrench(verify* t, double* off)
{
  limb_environment env = t->env;
  const limb_wrench w = {t->frame, LIMB_ALIGNED, {{0.3, -0.5, 0.7}, {2, 3, -5}}};
  env.nwrench = 1, env.wrench = &w;
  limb_status s = limb_inverse_dynamics(t->d, t->q, t->v, t->a, &env, t->x);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->q, NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_jacobian(t->d, t->frame, LIMB_ALIGNED, t->J);
  for (int k = 0; k < t->nv && s == LIMB_OK; k++) t->y[k] = t->tau[k] - sp_dot(t->J[k], w.wrench);
  return same_force(t, s, off, t->x, t->y);
}

// ---- mass matrix -----------------------------------------------------------------------------------

// The largest stiffness times angle: springs near rest are differences of them.
static double spring_size(const verify* t)
{
  double size = verify_largest(t->nv, t->w);
  limb_joint_info x;
  for (int j = 0; j < t->njoint && limb_get_joint(t->m, j, &x) == LIMB_OK; j++) {
    for (int k = 0; k < x.nq && k < x.nv; k++) size = fmax(size, fabs(x.def.stiffness * t->q[x.q + k]));
  }
  return size;
}

// Column k of M: the torques of an acceleration of coordinate k alone, at rest and without weight. Springs are
// subtracted.
static limb_status mass_columns(verify* t, double* off)
{
  limb_environment env = t->env;
  env.gravity = sp_v3(0, 0, 0);
  memset(t->x, 0, (size_t)t->nv * sizeof *t->x);
  memset(t->y, 0, (size_t)t->nv * sizeof *t->y);
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_spring_forces(t->d, t->q, t->w);
  for (int k = 0; k < t->nv && s == LIMB_OK; k++) {
    t->y[k] = 1;
    s = limb_inverse_dynamics(t->d, t->q, t->x, t->y, &env, t->z);
    t->y[k] = 0;
    for (int i = 0; i < t->nv; i++) t->A[(size_t)i * (size_t)t->nv + (size_t)k] = t->z[i] - t->w[i];
  }
  return verify_compare(s, off, t->nv * t->nv, t->M, t->A, VERIFY_PART * fmax(t->size.inertia, spring_size(t)));
}

static limb_status mass_closed_form(verify* t, double* off)
{
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_reference_closed_form(t->m, t->q, t->v, &t->env, t->A, NULL, NULL);
  return verify_compare(s, off, t->nv * t->nv, t->M, t->A, VERIFY_PART * t->size.inertia);
}

static limb_status mass_energy(verify* t, double* off)
{
  limb_energy e = {0};
  double twice = 0, size = VERIFY_PART * t->size.inertia * t->size.speed * t->size.speed;
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  if (s == LIMB_OK) s = limb_energies(t->d, t->q, t->v, &t->env, &e);
  verify_times(t->nv, t->nv, t->M, t->v, t->x);
  verify_combine(t->nv, 1, t->v, t->x, &twice, &size);
  const double kinetic = twice / 2;
  return verify_compare(s, off, 1, &e.kinetic, &kinetic, size);
}

static limb_status mass_inverse(verify* t, double* off)
{
  const limb_status s = verify_condition(t, t->d, t->q, t->size.force, t->size.change);
  if (s != LIMB_OK) return s;
  verify_times(t->nv, t->nv, t->M, t->a, t->x);
  verify_times(t->nv, t->nv, t->A, t->x, t->y);
  return verify_compare(s, off, t->nv, t->a, t->y, 0);
}

// ---- forward dynamics ------------------------------------------------------------------------------

// Accelerations are measured by those without torques: w.
static limb_status same_acceleration(verify* t, limb_status s, const double* x, const double* y, double* off)
{
  if (s == LIMB_OK) s = limb_forward_dynamics(t->d, t->q, t->v, t->nothing, &t->env, t->w);
  return verify_compare(s, off, t->nv, x, y, verify_largest(t->nv, t->w));
}

static limb_status forward_back(verify* t, double* off)
{
  limb_status s = limb_forward_dynamics(t->d, t->q, t->v, t->tau, &t->env, t->x);
  return same_acceleration(t, s, t->a, t->x, off);
}

static limb_status forward_aba(verify* t, double* off)
{
  limb_status s = limb_forward_dynamics_aba(t->d, t->q, t->v, t->tau, &t->env, t->x);
  if (s == LIMB_OK) s = limb_forward_dynamics_by_mass_matrix(t->d, t->q, t->v, t->tau, &t->env, t->A, t->y);
  return same_acceleration(t, s, t->x, t->y, off);
}

// Joins refine what they find, as long as the factors of a part have digits left for forces on the rest.
static const double JOINED = 1e-5;

static limb_status forward_joins(verify* t, double* off)
{
  if (t->lost > JOINED) return LIMB_E_SINGULAR;
  limb_status s = limb_forward_dynamics_aba(t->d, t->q, t->v, t->tau, &t->env, t->x);
  if (s == LIMB_OK) s = limb_reference_joins(t->m, NULL, t->q, t->v, t->tau, &t->env, t->y, NULL);
  return same_acceleration(t, s, t->x, t->y, off);
}

// a = M^-1 (tau - h - friction - springs)
static limb_status forward_solve(verify* t, double* off)
{
  limb_status s = limb_bias_forces(t->d, t->q, t->v, &t->env, t->x);
  if (s == LIMB_OK) s = add_passive(t, t->x);
  for (int k = 0; k < t->nv; k++) t->x[k] = t->tau[k] - t->x[k];
  if (s == LIMB_OK) s = limb_mass_matrix_solve(t->d, t->q, 1, t->x, t->y);
  if (s == LIMB_OK) s = limb_forward_dynamics(t->d, t->q, t->v, t->tau, &t->env, t->x);
  return same_acceleration(t, s, t->y, t->x, off);
}

// ---- Coriolis and gravity --------------------------------------------------------------------------

static limb_status coriolis_bias(verify* t, double* off)
{
  limb_status s = limb_coriolis_matrix(t->d, t->q, t->v, t->A);
  verify_times(t->nv, t->nv, t->A, t->v, t->x);
  if (s == LIMB_OK) s = limb_gravity_forces(t->d, t->q, &t->env, t->y);
  for (int k = 0; k < t->nv; k++) t->x[k] += t->y[k];
  if (s == LIMB_OK) s = limb_bias_forces(t->d, t->q, t->v, &t->env, t->z);
  return same_force(t, s, off, t->z, t->x);
}

static limb_status sample_mass(verify* t, double h, double* M)
{
  const limb_status s = verify_move(t, 0, h);
  return s == LIMB_OK ? limb_mass_matrix(t->d, t->qt, M) : s;
}

// dM/dt - 2 C is skew: dM/dt = C + C'. Both are zero where M is constant: M v is their size then.
static limb_status coriolis_skew(verify* t, double* off)
{
  const size_t n = (size_t)t->nv;
  limb_status s = limb_mass_matrix(t->d, t->q, t->M);
  const double size = fmax(verify_norm(t, t->M), VERIFY_PART * t->size.inertia) * t->size.speed;
  if (s == LIMB_OK) s = verify_rate(t, size, sample_mass, t->nv * t->nv, t->B);
  if (s == LIMB_OK) s = limb_coriolis_matrix(t->d, t->q, t->v, t->A);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) t->M[i * n + k] = t->A[i * n + k] + t->A[k * n + i];
  return verify_compare(s, off, (int)(n * n), t->B, t->M, size);
}

static limb_status sample_potential(verify* t, double h, double* out)
{
  limb_energy e = {0};
  limb_status s = limb_integrate(t->m, t->q, t->z, h, t->qt);
  if (s == LIMB_OK) s = limb_energies(t->d, t->qt, t->v, &t->env, &e);
  *out = e.gravity;
  return s;
}

// g_k is the slope of the potential along coordinate k. Its rounding is that of the energies of the bodies.
static limb_status gravity_gradient(verify* t, double* off)
{
  limb_status s = limb_gravity_forces(t->d, t->q, &t->env, t->x);
  const double size = VERIFY_PART_DIFFERENCES * t->size.moment * sp_norm3(t->env.gravity);
  memset(t->z, 0, (size_t)t->nv * sizeof *t->z);
  for (int k = 0; k < t->nv && s == LIMB_OK; k++) {
    t->z[k] = 1;
    s = verify_difference(t, 1e-3, size, sample_potential, 1, &t->y[k]);
    t->z[k] = 0;
  }
  return verify_compare(s, off, t->nv, t->x, t->y, size);
}

const verify_check verify_dynamics[] = {
  {"tau", "RNEA", "Lie-group recursion", VERIFY_ALGEBRA, 1, tau_lie, 0, NULL},
  {"tau", "RNEA", "Kane's equations", VERIFY_ALGEBRA, 2, tau_kane, 0, NULL},
  {"tau", "RNEA", "M a + h + friction + springs", VERIFY_ALGEBRA, 2, tau_mass_matrix, 0, NULL},
  {"tau", "RNEA", "closed form A'L'GLA", VERIFY_ALGEBRA, 3, tau_closed_form, 0, NULL},
  {"tau", "RNEA with a wrench", "RNEA - J' wrench", VERIFY_ALGEBRA, 1, tau_wrench, 0, NULL},
  {"M", "CRBA", "columns by RNEA", VERIFY_ALGEBRA, 2, mass_columns, 0, NULL},
  {"M", "CRBA", "closed form A'L'GLA", VERIFY_ALGEBRA, 3, mass_closed_form, 0, NULL},
  {"M", "v' M v / 2", "kinetic energy of the bodies", VERIFY_ALGEBRA, 2, mass_energy, 0, NULL},
  {"Minv", "Minv M a", "a", VERIFY_INVERSE, 2, mass_inverse, 0, NULL},
  {"acc", "forward(inverse(a))", "a", VERIFY_INVERSE, 1, forward_back, 0, NULL},
  {"acc", "ABA", "L'DL factors of M", VERIFY_INVERSE, 2, forward_aba, 0, "not for mimic joints"},
  {"acc", "ABA", "divide and conquer", VERIFY_INVERSE, 1, forward_joins, 0, "not for mimic joints"},
  {"acc", "forward dynamics", "Minv (tau - h - ...)", VERIFY_INVERSE, 2, forward_solve, 0, NULL},
  {"C", "C v + g", "h by RNEA", VERIFY_ALGEBRA, 2, coriolis_bias, 0, NULL},
  {"C", "C + C'", "dM/dt by differences", VERIFY_DIFFERENCES, 2, coriolis_skew, 0, NULL},
  {"g", "RNEA at rest", "slope of the potential", VERIFY_DIFFERENCES, 2, gravity_gradient, 0, NULL},
  {0},
};

// ==== hybrid dynamics =============================================================================

// The problem of hybrid dynamics in this state.
static limb_hybrid problem(const verify* t) { return (limb_hybrid){t->q, t->v, t->given, t->mixed, &t->env}; }

static limb_status answer(verify* t, double* a, double* tau)
{
  return limb_hybrid_dynamics(t->d, t->q, t->v, t->given, t->mixed, &t->env, a, tau);
}

typedef struct motion {
  const double *a, *tau;
} motion;

// Answers are measured by those with nothing given.
static limb_status same_motion(verify* t, limb_status s, const unsigned char* given, motion x, motion y, double* off)
{
  if (s == LIMB_OK) s = limb_hybrid_dynamics(t->d, t->q, t->v, given, t->nothing, &t->env, t->idle_a, t->idle_tau);
  s = verify_compare(s, off, t->nv, x.a, y.a, verify_largest(t->nv, t->idle_a));
  return verify_compare(s, off, t->nv, x.tau, y.tau, fmax(t->size.force, verify_largest(t->nv, t->idle_tau)));
}

// ---- given at random -------------------------------------------------------------------------------------

static limb_status hybrid_back(verify* t, double* off)
{
  limb_status s = answer(t, t->x, t->y);
  return same_motion(t, s, t->given, (motion){t->a, t->tau}, (motion){t->x, t->y}, off);
}

static limb_status hybrid_partition(verify* t, double* off)
{
  const limb_hybrid in = problem(t);
  limb_status s = answer(t, t->x, t->y);
  if (s == LIMB_OK) s = limb_hybrid_dynamics_by_mass_matrix(t->d, &in, t->A, t->z, t->w);
  return same_motion(t, s, t->given, (motion){t->x, t->y}, (motion){t->z, t->w}, off);
}

static limb_status hybrid_recursion(verify* t, double* off)
{
  limb_status s = answer(t, t->x, t->y);
  if (s == LIMB_OK) s = limb_reference_hybrid(t->m, t->q, t->v, t->given, t->mixed, &t->env, t->z, t->w);
  return same_motion(t, s, t->given, (motion){t->x, t->y}, (motion){t->z, t->w}, off);
}

static limb_status hybrid_forces(verify* t, double* off)
{
  limb_status s = limb_hybrid_dynamics(t->d, t->q, t->v, t->all_forces, t->tau, &t->env, t->x, t->y);
  if (s == LIMB_OK) s = limb_forward_dynamics(t->d, t->q, t->v, t->tau, &t->env, t->z);
  return same_motion(t, s, t->all_forces, (motion){t->x, t->y}, (motion){t->z, t->tau}, off);
}

static limb_status hybrid_accelerations(verify* t, double* off)
{
  const limb_status s = limb_hybrid_dynamics(t->d, t->q, t->v, t->all_accelerations, t->a, &t->env, t->x, t->y);
  return verify_compare(s, off, t->nv, t->y, t->tau, t->size.force);
}

// ---- a free base -----------------------------------------------------------------------------------

// The forces of the free joints on the world are given, as zero; what is given is written to vt. LIMB_E_UNSUPPORTED
// without a base that is free of forces, or with another one beside it.
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
    for (int k = 0; k < info.nv; k++)
      if (info.def.armature[k] > 0 || info.def.damping[k] > 0) return LIMB_E_UNSUPPORTED;
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
  return same_motion(t, s, t->free_base, (motion){t->x, t->y}, (motion){t->z, t->w}, off);
}

// The torques of the motion above must give that motion.
static limb_status base_forward(verify* t, double* off)
{
  limb_status s = float_freely(t, t->x, t->y);
  if (s == LIMB_OK) s = limb_reference_moving_base_forward(t->m, t->q, t->v, t->y, &t->env, t->z, NULL);
  return same_motion(t, s, t->all_forces, (motion){t->x, t->y}, (motion){t->z, t->y}, off);
}

// Nothing but the weight changes the momentum.
static limb_status base_momentum(verify* t, double* off)
{
  sp_force rate = {0}, weight = {0};
  limb_status s = float_freely(t, t->x, t->y);
  const double change = verify_largest(t->nv, t->x) + t->size.speed * t->size.speed;
  double size = fmax(t->size.force, VERIFY_PART * fmax(t->size.moment, t->size.inertia) * change);
  if (s == LIMB_OK) s = limb_kinematics(t->d, t->q, t->v, t->x);
  if (s == LIMB_OK) s = limb_momentum_rate(t->d, 0, &rate);
  if (s == LIMB_OK) s = verify_weight(t, &weight, &size);
  return verify_compare(s, off, 6, &rate.m.x, &weight.m.x, size);
}

// ---- derivatives -----------------------------------------------------------------------------------

// The numbers of x of which this is given, zero for the others.
static void select(const verify* t, int kind, const double* x, double* out)
{
  for (int k = 0; k < t->nv; k++) out[k] = t->given[k] == kind ? x[k] : 0;
}

// Accelerations and forces, each by its own size: the larger one of three terms.
static limb_status same_kinds(const verify* t, limb_status s, double* off, const double* terms, const double* x,
                              const double* y)
{
  for (int kind = LIMB_FORCE_GIVEN; kind <= LIMB_ACCELERATION_GIVEN; kind++) {
    double size = kind == LIMB_ACCELERATION_GIVEN ? VERIFY_PART * t->size.force : 0;
    for (size_t i = 0; i < 3; i++) {
      select(t, kind, terms + i * (size_t)t->nv, t->idle_a);
      size = fmax(size, verify_largest(t->nv, t->idle_a));
    }
    select(t, kind, x, t->idle_a);
    select(t, kind, y, t->idle_tau);
    s = verify_compare(s, off, t->nv, t->idle_a, t->idle_tau, size);
  }
  return s;
}

// v for q, a for v, and what is given for itself.
static limb_status hybrid_dual(verify* t, double* off)
{
  const limb_hybrid in = problem(t);
  const limb_hybrid_derivatives out = {NULL, t->A, t->B, t->M};
  const limb_directions along = {.count = 1, .dq = t->v, .dv = t->a, .da = t->a, .dtau = t->tau};
  double* terms = t->big;
  limb_status s = limb_hybrid_dynamics_derivatives(t->d, &in, &out);
  if (s != LIMB_OK) return s;
  verify_times(t->nv, t->nv, t->A, t->v, terms);
  verify_times(t->nv, t->nv, t->B, t->a, terms + t->nv);
  verify_times(t->nv, t->nv, t->M, t->mixed, terms + 2 * (size_t)t->nv);
  for (int k = 0; k < t->nv; k++) t->x[k] = terms[k] + terms[t->nv + k] + terms[2 * t->nv + k];
  s = verify_dual(t);
  if (s == LIMB_OK) s = limb_hybrid_dynamics_along(t->dual, &in, &along, t->y);
  return same_kinds(t, s, off, terms, t->x, t->y);
}

static const char not_free[] = "its base is not one free joint without rotors and friction";
static const char not_mimic[] = "not for mimic joints";

const verify_check verify_hybrid[] = {
  {"hybrid", "a, tau from some of them", "a, tau", VERIFY_INVERSE, 1, hybrid_back, 0, NULL},
  {"hybrid", "articulated bodies", "partition of M", VERIFY_INVERSE, 2, hybrid_partition, 0, NULL},
  {"hybrid", "articulated bodies", "Khalil's recursion", VERIFY_INVERSE, 1, hybrid_recursion, 0, not_mimic},
  {"hybrid", "all forces given", "forward dynamics", VERIFY_INVERSE, 1, hybrid_forces, 0, NULL},
  {"hybrid", "all accelerations given", "RNEA", VERIFY_ALGEBRA, 1, hybrid_accelerations, 0, NULL},
  {"base_acc", "hybrid", "Khalil's recursion, inverse", VERIFY_INVERSE, 1, base_inverse, 0, not_free},
  {"base_acc", "hybrid", "Khalil's recursion, forward", VERIFY_INVERSE, 1, base_forward, 0, not_free},
  {"base_acc", "rate of momentum", "weight", VERIFY_INVERSE, 1, base_momentum, 0, not_free},
  {"dhybrid_dq", "dq, dv, dx along a direction", "dual numbers", VERIFY_INVERSE, 3, hybrid_dual, VERIFY_WIDE, NULL},
  {0},
};
