// Robots with loops some of whose velocities are held: by responses.
//
// Constrained forward dynamics is linear in the forces, a = a0 + R tau. With unit forces at the held
// velocities H, the forces that hold them follow from
//
//     R_HH mu = a_H - a0_H
//
// R is the inverse of the mass matrix along what the loops let move: symmetric, and singular when the held
// velocities depend on each other. The forces are then those of least norm, and what cannot be held is an
// error.
//
// Cost: one forward dynamics for each held velocity, and two.
#include "sim/sim_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Where things are in the scratch.
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

static limb_status forward(limb_sim* sim, const double* q, const double* v, const double* x, double* a)
{
  const limb_closed_motion in = {q, v, NULL, &sim->env};
  return limb_closed_forward_dynamics(sim->loops, &in, x, &sim->o.closed, a, sim->lambda, NULL);
}

// b - R mu
static void residual(const sim_system* p, double* left)
{
  for (int i = 0; i < p->n; i++) {
    left[i] = p->b[i];
    for (int j = 0; j < p->n; j++) left[i] -= p->R[i * p->n + j] * p->mu[j];
  }
}

// A small share of the diagonal is added, so that velocities that depend on each other share the force; what
// that leaves is taken away by iteration.
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
  const double unit = fmax(0x1p20, 4 * limb_largest((size_t)nv, r.x)); // next to it the others do not count
  limb_status s = forward(sim, q, v, r.x, a);
  sim->freely = 0;
  for (int k = 0, row = 0; k < nv && s == LIMB_OK; k++) {
    if (!sim->held[k]) continue;
    r.b[row] = sim->x[k] - a[k];
    sim->freely = fmax(sim->freely, fabs(r.b[row]));
    r.x[k] = unit;
    s = forward(sim, q, v, r.x, r.a);
    r.x[k] = 0;
    for (int i = 0, column = 0; i < nv; i++) {
      if (sim->held[i]) r.R[row * n + column++] = (r.a[i] - a[i]) / unit;
    }
    row++;
  }
  if (s != LIMB_OK) return s;
  const sim_system system = {n, r.R, r.b, r.factor, r.left, r.mu};
  if (!limb_sim_solve_shared(&system))
    return limb_sim_fail(sim, LIMB_E_SINGULAR, "what is held or given opens the loops");
  for (int k = 0, row = 0; k < nv; k++) {
    if (sim->held[k]) r.x[k] = r.mu[row++];
  }
  s = forward(sim, q, v, r.x, a);
  for (int k = 0; k < nv; k++) {
    if (!sim->held[k]) continue;
    a[k] = sim->x[k]; // but for rounding
    sim->x[k] = r.x[k];
  }
  return s;
}

// Accelerations at rest for forces sim->x, nothing else acting but springs, which cancel in differences.
static limb_status at_rest(limb_sim* sim, const double* q, double* a)
{
  memset(sim->rest, 0, (size_t)sim->nv * sizeof *sim->rest);
  return limb_sim_solve(sim, q, sim->rest, a);
}

limb_status limb_sim_impulse_response(limb_sim* sim, const double* q, int k, double* dv)
{
  const double force = 0x1p40; // next to which springs are nothing
  const limb_environment env = sim->env, *around = sim->around;
  sim->env = limb_default_environment(sim->m);
  sim->env.gravity = (sp_vec3){0, 0, 0};
  sim->env.friction = 0;
  sim->around = &sim->env;
  memset(sim->x, 0, (size_t)sim->nv * sizeof *sim->x);
  limb_status s = at_rest(sim, q, sim->answer);
  memset(sim->x, 0, (size_t)sim->nv * sizeof *sim->x); // held ones were overwritten
  sim->x[k] = force;
  if (s == LIMB_OK) s = at_rest(sim, q, dv);
  for (int i = 0; i < sim->nv; i++) dv[i] = (dv[i] - sim->answer[i]) / force;
  sim->env = env, sim->around = around;
  sim->known = false;
  return s;
}
