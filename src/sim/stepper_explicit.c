// Explicit steps: Euler, semi-implicit Euler, Runge-Kutta-Munthe-Kaas of order 4.
//
//   Euler             q1 = q (+) h v         v1 = v + h a          k = 0 ... N-1
//   semi-implicit     v1 = v + h a           q1 = q (+) h v1
//   RK4               stages in local coordinates of the step, q = q0 (+) u, u' = dexp^-1(u) v
//
// Reference: Lynch and Park 2017, Euler integration (its loop begins at 0, not at 1 as printed); H. Munthe-Kaas, High
//            order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29, 1999.
// Cost:      1, 1 and 4 evaluations of accelerations a step.
#include "sim/sim_impl.h"

#include <string.h>

typedef struct explicit_state {
  double *u, *v;         // nv: stage
  double *du[4], *dv[4]; // nv: rates at the stages
  double* q;             // nq: stage
} explicit_state;

static limb_status create(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv, nq = (size_t)sim->nq;
  explicit_state* e = limb_sim_take(sim, 1, sizeof *e);
  double* x = limb_sim_take(sim, 10 * nv + nq + 1, sizeof *x);
  if (!e || !x) return LIMB_E_NOMEM;
  e->u = x, e->v = x + nv;
  for (int k = 0; k < 4; k++) e->du[k] = x + (2 + (size_t)k) * nv, e->dv[k] = x + (6 + (size_t)k) * nv;
  e->q = x + 10 * nv;
  sim->state = e;
  return LIMB_OK;
}

static void add_scaled(int n, double k, const double* x, double* y)
{
  for (int i = 0; i < n; i++) y[i] += k * x[i];
}

// Accelerations at the beginning of the step into dv[0], and the power there.
static limb_status begin(limb_sim* sim, explicit_state* e, double* power)
{
  sim_point* b = &sim->begin;
  const limb_status s = limb_sim_accelerate(sim, b->t, b->q, b->v, e->dv[0]);
  return s == LIMB_OK ? limb_sim_power(sim, b->q, b->v, power) : s;
}

static limb_status euler_step(limb_sim* sim, double t)
{
  explicit_state* e = sim->state;
  const sim_point* b = &sim->begin;
  sim_point* f = &sim->front;
  const double h = t - b->t;
  double power;
  limb_status s = begin(sim, e, &power);
  if (s != LIMB_OK) return s;
  if ((s = limb_sim_displace(sim, b->q, b->v, h, f->q)) != LIMB_OK) return s;
  add_scaled(sim->nv, h, e->dv[0], f->v);
  f->work += h * power;
  f->t = t;
  return LIMB_OK;
}

static limb_status semi_implicit_step(limb_sim* sim, double t)
{
  explicit_state* e = sim->state;
  sim_point* f = &sim->front;
  const double h = t - sim->begin.t;
  double power;
  const limb_status s = begin(sim, e, &power);
  if (s != LIMB_OK) return s;
  add_scaled(sim->nv, h, e->dv[0], f->v);
  f->work += h * power;
  f->t = t;
  return limb_sim_displace(sim, sim->begin.q, f->v, h, f->q);
}

// Rates at stage k, whose state is h times those of the stage before, share of them, from the beginning.
static limb_status stage(limb_sim* sim, int k, double h, double share, double* power)
{
  explicit_state* e = sim->state;
  const sim_point* b = &sim->begin;
  const int nv = sim->nv;
  for (int i = 0; i < nv; i++) {
    e->u[i] = share * h * e->du[k - 1][i];
    e->v[i] = b->v[i] + share * h * e->dv[k - 1][i];
  }
  limb_status s = limb_sim_displace(sim, b->q, e->u, 1, e->q);
  if (s != LIMB_OK) return s;
  s = limb_sim_accelerate(sim, b->t + share * h, e->q, e->v, e->dv[k]);
  if (s != LIMB_OK) return s;
  limb_sim_tangent_rate(sim, e->u, e->v, e->du[k]);
  return limb_sim_power(sim, e->q, e->v, power);
}

// The mean of what the four stages say, with the weights of Simpson's rule.
static double mean(double a, double b, double c, double d) { return (a + 2 * (b + c) + d) / 6; }

static limb_status rk4_step(limb_sim* sim, double t)
{
  static const double share[4] = {0, 0.5, 0.5, 1};
  explicit_state* e = sim->state;
  const sim_point* b = &sim->begin;
  sim_point* f = &sim->front;
  const double h = t - b->t;
  double power[4];
  limb_status s = begin(sim, e, &power[0]);
  memcpy(e->du[0], b->v, (size_t)sim->nv * sizeof *e->du[0]);
  for (int k = 1; k < 4 && s == LIMB_OK; k++) s = stage(sim, k, h, share[k], &power[k]);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < sim->nv; i++) {
    e->u[i] = mean(e->du[0][i], e->du[1][i], e->du[2][i], e->du[3][i]);
    f->v[i] = b->v[i] + h * mean(e->dv[0][i], e->dv[1][i], e->dv[2][i], e->dv[3][i]);
  }
  f->work += h * mean(power[0], power[1], power[2], power[3]);
  f->t = t;
  return limb_sim_displace(sim, b->q, e->u, h, f->q);
}

const sim_stepper limb_sim_euler = {LIMB_SIM_EULER, SIM_FIXED, create, NULL, NULL, euler_step, NULL, NULL};
const sim_stepper limb_sim_semi_implicit = {LIMB_SIM_SEMI_IMPLICIT, SIM_FIXED, create, NULL, NULL,
                                            semi_implicit_step,     NULL,      NULL};
const sim_stepper limb_sim_rk4 = {LIMB_SIM_RK4, SIM_FIXED, create, NULL, NULL, rk4_step, NULL, NULL};
