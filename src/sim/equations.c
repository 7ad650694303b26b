// Accelerations at a state of a simulation: everything that acts there.
//
//   forces x     of actuators (inputs.c), Coulomb friction of joints that slip and springs of stops (edges.c)
//   held         accelerations are given: motion imposed (inputs.c), joints that stick or rest (edges.c)
//   trees        forward dynamics, or hybrid dynamics when some are held (Featherstone 2008, 9.2)
//   loops        constrained forward dynamics (limb/closed.h), or responses.c when some are held
//
// Viscous friction, springs, shafts, gravity and force laws are those of the dynamics.
#include "sim/sim_impl.h"

#include "base/numeric.h"

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
  if (sim->nedge) limb_sim_mode_forces(sim, q, v, sim->x);
  if (!limb_finite(sim->nv, sim->x)) return LIMB_E_NONFINITE; // nobody looks at forces on the held
  if (!sim->nheld) return LIMB_OK;
  for (int k = 0; k < sim->nv; k++) {
    if (!sim->held[k]) continue;
    sim->aside[k] = sim->x[k];
    sim->x[k] = sim->motion.given && sim->motion.given[k] ? sim->law_a[k] : 0;
  }
  return LIMB_OK;
}

// What holds the held ones beside the actuators; the actuators' own share where the motion is given.
void limb_sim_share_holding(limb_sim* sim, const double* v, const double* total)
{
  for (int k = 0; k < sim->nv; k++) {
    if (!sim->held[k]) continue;
    if (sim->motion.given && sim->motion.given[k])
      sim->tau[k] = total[k];
    else
      sim->holding[k] = total[k] - sim->aside[k];
  }
  if (sim->motion.given) limb_sim_given_friction(sim, v);
}

static limb_status solve_tree(limb_sim* sim, const double* q, const double* v, double* a)
{
  if (!sim->nheld) return limb_forward_dynamics(sim->d, q, v, sim->x, sim->around, a);
  const limb_status s = limb_hybrid_dynamics(sim->d, q, v, sim->held, sim->x, sim->around, a, sim->y);
  if (s == LIMB_OK) limb_sim_share_holding(sim, v, sim->y);
  return s;
}

static limb_status solve_closed(limb_sim* sim, const double* q, const double* v, double* a)
{
  if (sim->nheld) {
    const limb_status s = limb_sim_closed_held(sim, q, v, a);
    if (s == LIMB_OK) limb_sim_share_holding(sim, v, sim->x);
    return s;
  }
  const limb_closed_motion in = {q, v, NULL, &sim->env};
  return limb_closed_forward_dynamics(sim->loops, &in, sim->x, &sim->o.closed, a, sim->lambda, NULL);
}

// Stages of a step are a little off the surface of the constraints. Robots some of whose rows depend on
// each other on that surface only (Bennett's linkage) have no accelerations there: the equations are taken
// at the nearest place on the surface, which is another way to go on beyond it.
static limb_status solve_loops(limb_sim* sim, const double* q, const double* v, double* a)
{
  sim_point* p = &sim->projected;
  if (!sim->redundant) return solve_closed(sim, q, v, a);
  memcpy(p->q, q, (size_t)sim->nq * sizeof *q);
  memcpy(p->v, v, (size_t)sim->nv * sizeof *v);
  const limb_status s = limb_sim_onto_surface(sim, p->q, p->v);
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
  sim->o.closed.loops.time = t;
  const limb_status s = limb_sim_load(sim, t, q, v);
  return s == LIMB_OK ? limb_sim_solve(sim, q, v, a) : s;
}

limb_status limb_sim_beside(limb_sim* sim, const sim_point* at, const double* x, double e, sim_function* f, double* y)
{
  const sim_point* to = &sim->shifted;
  for (int k = 0; k < sim->nv; k++) {
    sim->shift[k] = e * x[k];
    to->v[k] = at->v[k] + e * x[sim->nv + k];
  }
  const limb_status s = limb_sim_displace(sim, at->q, sim->shift, 1, to->q);
  return s == LIMB_OK ? f(sim, at->t, to->q, to->v, y) : s;
}

// Power of wrenches and laws, with the velocities of their frames.
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
  limb_status s = limb_friction_forces(sim->d, v, &sim->env, sim->y);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < sim->nv; k++) {
    const double force = sim->held[k] ? sim->tau[k] + sim->holding[k] : sim->x[k];
    *power += (force - sim->y[k]) * v[k];
  }
  if (sim->nwrench + sim->env.nlaw && (s = wrench_power(sim, q, v, power)) != LIMB_OK) return s;
  if (!sim->loops) return LIMB_OK;
  const limb_loop_equations rate = {NULL, NULL, sim->rate, NULL};
  s = limb_loop_equations_at(sim->loops, q, v, &sim->o.closed.loops, &rate);
  for (int i = 0; i < sim->nc; i++) *power += sim->lambda[i] * sim->rate[i];
  return s;
}
