// Accelerations at a state of a simulation.
//
//   forces x     of actuators (inputs.c); Coulomb friction of slipping joints and springs of stops
//                (stops_and_friction.c)
//   held         acceleration given: prescribed motion (inputs.c), joints that stick or rest at a stop
//   trees        forward dynamics, or hybrid dynamics if some are held (Featherstone 2008, 9.2)
//   loops        constrained forward dynamics (limb/loops.h); if some are held, by responses to unit forces
//
// Viscous friction, springs, shafts, gravity and force laws belong to the dynamics.
//
// Responses: constrained forward dynamics is linear in the forces, a = a0 + R tau. The forces mu that hold the
// velocities H follow from R_HH mu = a_H - a0_H. R is the inverse of the mass matrix along the motion that the loops
// allow: symmetric, and singular if held velocities depend on each other. The forces are then those of least norm;
// accelerations that cannot be held are an error. Cost: one forward dynamics for each held velocity, and two.
#include "sim/sim_impl.h"

#include "base/numeric.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

limb_status limb_sim_load(limb_sim* sim, double t, double* q, double* v)
{
  const size_t bytes = (size_t)sim->nv * sizeof(double);
  limb_status s = LIMB_OK;
  memset(sim->tau, 0, bytes);
  if (sim->inputs) {
    if (sim->motion.given) s = limb_sim_impose(sim, t, q, v);
    if (s == LIMB_OK) s = limb_sim_add_inputs(sim, t, q, v, sim->tau);
    if (s == LIMB_OK) s = limb_sim_set_wrenches(sim, t, q, v);
    if (s != LIMB_OK) return s;
  }
  memcpy(sim->x, sim->tau, bytes);
  if (sim->nmode) limb_sim_mode_forces(sim, q, v, sim->x);
  if (!limb_finite(sim->nv, sim->x)) return LIMB_E_NONFINITE; // forces on held joints are not checked later
  if (!sim->nheld) return LIMB_OK;
  for (int k = 0; k < sim->nv; k++) {
    if (!sim->held[k]) continue;
    sim->applied[k] = sim->x[k];
    sim->x[k] = sim->motion.given && sim->motion.given[k] ? sim->given_a[k] : 0;
  }
  return LIMB_OK;
}

void limb_sim_split_holding(limb_sim* sim, const double* v, const double* total)
{
  for (int k = 0; k < sim->nv; k++) {
    if (!sim->held[k]) continue;
    if (sim->motion.given && sim->motion.given[k])
      sim->tau[k] = total[k];
    else
      sim->holding[k] = total[k] - sim->applied[k];
  }
  if (sim->motion.given) limb_sim_given_friction(sim, v);
}

static limb_status solve_tree(limb_sim* sim, const double* q, const double* v, double* a)
{
  if (!sim->nheld) return limb_forward_dynamics(sim->d, q, v, sim->x, sim->env_arg, a);
  const limb_status s = limb_hybrid_dynamics(sim->d, q, v, sim->held, sim->x, sim->env_arg, a, sim->y);
  if (s == LIMB_OK) limb_sim_split_holding(sim, v, sim->y);
  return s;
}

limb_status limb_sim_set_loops(limb_sim* sim, double alpha, double beta)
{
  limb_loop_settings s = limb_default_loop_settings();
  s.solver = sim->o.loops;
  s.solver.alpha = alpha, s.solver.beta = beta;
  s.multipliers = 1;
  return sim->loops ? limb_set_loops(sim->loops, &s) : LIMB_OK;
}

// Forward dynamics with the loops closed, at the time in sim->o.loops; lambda goes to sim->lambda.
static limb_status forward_closed(limb_sim* sim, const double* q, const double* v, const double* x, double* a)
{
  limb_loop_details details;
  sim->env.time = sim->o.loops.loops.time;
  limb_status s = limb_forward_dynamics(sim->loops, q, v, x, &sim->env, a);
  if (s != LIMB_OK) return s;
  s = limb_get_loop_details(sim->loops, &details);
  if (s == LIMB_OK) limb_sim_note_pivots(sim, sim->env.time, details.pivots);
  if (s == LIMB_OK) memcpy(sim->lambda, details.lambda, (size_t)limb_constraint_count(sim->m) * sizeof *sim->lambda);
  return s;
}

static limb_status solve_closed(limb_sim* sim, const double* q, const double* v, double* a)
{
  if (sim->nheld) {
    const limb_status s = limb_sim_closed_held(sim, q, v, a);
    if (s == LIMB_OK) limb_sim_split_holding(sim, v, sim->x);
    return s;
  }
  return forward_closed(sim, q, v, sim->x, a);
}

// Stages of a step are slightly off the constraint manifold. Robots with constraints that depend on each other only on
// the manifold (Bennett's linkage) have no accelerations there: the equations are evaluated at the nearest point on it.
static limb_status solve_loops(limb_sim* sim, const double* q, const double* v, double* a)
{
  sim_point* p = &sim->projected;
  if (!sim->redundant && !sim->passage.near) return solve_closed(sim, q, v, a);
  memcpy(p->q, q, (size_t)sim->nq * sizeof *q);
  memcpy(p->v, v, (size_t)sim->nv * sizeof *v);
  const limb_status s = sim->redundant ? limb_sim_project_state(sim, p->q, p->v) : limb_sim_close_loops(sim, p);
  return s == LIMB_OK ? solve_closed(sim, p->q, p->v, a) : s;
}

limb_status limb_sim_solve(limb_sim* sim, const double* q, const double* v, double* a)
{
  return sim->loops ? solve_loops(sim, q, v, a) : solve_tree(sim, q, v, a);
}

limb_status limb_sim_accelerate(limb_sim* sim, double t, double* q, double* v, double* a)
{
  sim->summary.evaluations++;
  sim->known = false;
  sim->o.loops.loops.time = t;
  const limb_status s = limb_sim_load(sim, t, q, v);
  return s == LIMB_OK ? limb_sim_solve(sim, q, v, a) : s;
}

limb_status limb_sim_perturbed(limb_sim* sim, const sim_point* at, const double* x, double e, sim_function* f,
                               double* y)
{
  const sim_point* to = &sim->shifted;
  for (int k = 0; k < sim->nv; k++) {
    sim->shift[k] = e * x[k];
    to->v[k] = at->v[k] + e * x[sim->nv + k];
  }
  const limb_status s = limb_sim_displace(sim, at->q, sim->shift, 1, to->q);
  return s == LIMB_OK ? f(sim, at->t, to->q, to->v, y) : s;
}

// Power of wrenches and force laws.
static limb_status wrench_power(limb_sim* sim, const double* q, const double* v, double* power)
{
  const limb_environment* e = &sim->env;
  limb_wrench* law = sim->wrench + sim->nwrench;
  limb_status s = limb_force_law_wrenches(sim->d, q, v, e, law);
  if (s == LIMB_OK) s = limb_kinematics(sim->d, q, v, NULL);
  for (int k = 0; k < sim->nwrench + e->nlaw && s == LIMB_OK; k++) {
    const limb_wrench* w = &sim->wrench[k];
    sp_motion velocity;
    s = limb_frame_velocity(sim->d, w->frame, w->ref, &velocity);
    if (s == LIMB_OK) *power += sp_dot(velocity, w->wrench);
  }
  return s;
}

limb_status limb_sim_power(limb_sim* sim, const double* q, const double* v, double* power)
{
  *power = 0;
  if (!sim->o.work) return LIMB_OK;
  limb_status s = limb_friction_forces_at(sim->d, q, v, &sim->env, sim->y);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < sim->nv; k++) {
    const double force = sim->held[k] ? sim->tau[k] + sim->holding[k] : sim->x[k];
    *power += (force - sim->y[k]) * v[k];
  }
  if (sim->nwrench + sim->env.nlaw && (s = wrench_power(sim, q, v, power)) != LIMB_OK) return s;
  if (!sim->loops) return LIMB_OK;
  const limb_loop_equations rate = {NULL, NULL, sim->rate, NULL};
  s = limb_loop_equations_at(sim->loops, q, v, &sim->o.loops.loops, &rate);
  for (int i = 0; i < sim->nc; i++) *power += sim->lambda[i] * sim->rate[i];
  return s;
}

// ---- held joints of robots with loops -------------------------------------------------------------------

// Arrays in sim->responses.
typedef struct responses {
  double *R, *factor;            // nv x nv each, of which h x h are used
  double *a, *b, *mu, *left, *x; // nv
} responses;

static responses lay_out(const limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv;
  double* w = sim->responses;
  double* r = w + 2 * nv * nv;
  return (responses){w, w + nv * nv, r, r + nv, r + 2 * nv, r + 3 * nv, r + 4 * nv};
}

size_t limb_sim_responses_work(const limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv;
  return 2 * nv * nv + 5 * nv;
}

// b - R mu
static void residual(const sim_system* p, double* left)
{
  for (int i = 0; i < p->n; i++) {
    left[i] = p->b[i];
    for (int j = 0; j < p->n; j++) left[i] -= p->R[i * p->n + j] * p->mu[j];
  }
}

// Adds a small share of the diagonal, so that dependent velocities share the force; iteration removes the error.
bool limb_sim_solve_shared(const sim_system* p)
{
  enum { ROUNDS = 20 };
  const double share = 1e-8, exact = 1e-13, enough = 1e-9, rounding = 1e-9; // in units of b
  const int n = p->n;
  const double size = limb_largest((size_t)n, p->b);
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, p->R[i * n + i]);
  memcpy(p->factor, p->R, (size_t)n * (size_t)n * sizeof *p->R);
  for (int i = 0; i < n; i++) p->factor[i * n + i] += share * largest;
  if (!limb_cholesky(n, p->factor)) return false;
  memset(p->mu, 0, (size_t)n * sizeof *p->mu);
  memcpy(p->left, p->b, (size_t)n * sizeof *p->left);
  for (int round = 0; round < ROUNDS && limb_largest((size_t)n, p->left) > exact * size; round++) {
    limb_cholesky_solve(n, p->factor, p->left);
    for (int i = 0; i < n; i++) p->mu[i] += p->left[i];
    residual(p, p->left);
  }
  return limb_largest((size_t)n, p->left) <= enough * size + rounding;
}

limb_status limb_sim_closed_held(limb_sim* sim, const double* q, const double* v, double* a)
{
  const responses r = lay_out(sim);
  const int nv = sim->nv, n = sim->nheld;
  for (int k = 0; k < nv; k++) r.x[k] = sim->held[k] ? 0 : sim->x[k];
  const double unit = fmax(0x1p20, 4 * limb_largest((size_t)nv, r.x)); // the others are negligible next to it
  limb_status s = forward_closed(sim, q, v, r.x, a);
  sim->unheld = 0;
  for (int k = 0, row = 0; k < nv && s == LIMB_OK; k++) {
    if (!sim->held[k]) continue;
    r.b[row] = sim->x[k] - a[k];
    sim->unheld = fmax(sim->unheld, fabs(r.b[row]));
    r.x[k] = unit;
    s = forward_closed(sim, q, v, r.x, r.a);
    r.x[k] = 0;
    for (int i = 0, column = 0; i < nv; i++) {
      if (sim->held[i]) r.R[row * n + column++] = (r.a[i] - a[i]) / unit;
    }
    row++;
  }
  if (s != LIMB_OK) return s;
  const sim_system system = {n, r.R, r.b, r.factor, r.left, r.mu};
  if (!limb_sim_solve_shared(&system))
    return limb_sim_fail(sim, LIMB_E_SINGULAR, "held joints or prescribed motion open the loops");
  for (int k = 0, row = 0; k < nv; k++) {
    if (sim->held[k]) r.x[k] = r.mu[row++];
  }
  s = forward_closed(sim, q, v, r.x, a);
  for (int k = 0; k < nv; k++) {
    if (!sim->held[k]) continue;
    a[k] = sim->x[k]; // except for rounding
    sim->x[k] = r.x[k];
  }
  return s;
}

// Accelerations at rest for the forces sim->x; nothing else acts but springs, which cancel in differences.
static limb_status at_rest(limb_sim* sim, const double* q, double* a)
{
  memset(sim->rest, 0, (size_t)sim->nv * sizeof *sim->rest);
  return limb_sim_solve(sim, q, sim->rest, a);
}

limb_status limb_sim_impulse_response(limb_sim* sim, const double* q, int k, double* dv)
{
  const double force = 0x1p40; // springs are negligible next to it
  const limb_environment env = sim->env, *env_arg = sim->env_arg;
  sim->env = limb_default_environment(sim->m);
  sim->env.gravity = (sp_vec3){0, 0, 0};
  sim->env.friction = 0;
  sim->env_arg = &sim->env;
  memset(sim->x, 0, (size_t)sim->nv * sizeof *sim->x);
  limb_status s = at_rest(sim, q, sim->answer);
  memset(sim->x, 0, (size_t)sim->nv * sizeof *sim->x); // entries of held joints were overwritten
  sim->x[k] = force;
  if (s == LIMB_OK) s = at_rest(sim, q, dv);
  for (int i = 0; i < sim->nv; i++) dv[i] = (dv[i] - sim->answer[i]) / force;
  sim->env = env, sim->env_arg = env_arg;
  sim->known = false;
  return s;
}
