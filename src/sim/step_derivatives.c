// Derivatives of limb_sim_accelerate, for implicit methods.
//
//   a_q, a_v    of the dynamics: analytic (limb/derivatives.h)
//   a_x x_q     of forces that depend on the state (callbacks, springs of stops): x by central differences
//   a_t         by differences within the next step, if anything depends on time
//
// Where there are no analytic derivatives (force laws, wrenches of callbacks, held joints in loops), all are central
// differences of the accelerations, with an error of about 4e-11; for held joints in loops along the possible motion.
#include "sim/sim_impl.h"

#include "limb/derivatives.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

limb_status limb_sim_begin_derivatives(limb_sim* sim)
{
  sim_derivatives* w = &sim->derivatives;
  const size_t nv = (size_t)sim->nv;
  if (w->ready) return LIMB_OK;
  double** const part[] = {&w->a_x, &w->x_q, &w->x_v, &w->plus, &w->minus, &w->e};
  const size_t size[] = {nv * nv, nv * nv, nv * nv, nv, nv, 2 * nv};
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
    if (!(*part[k] = limb_sim_alloc(sim, size[k], sizeof(double)))) return LIMB_E_NOMEM;
  }
  for (int l = 0; l < limb_loop_count(sim->m); l++) {
    limb_loop_info info;
    const limb_status s = limb_get_loop(sim->m, l, &info);
    if (s != LIMB_OK) return s;
    const limb_prescribed_motion* law = &info.def.motion;
    w->laws = w->laws || law->fn || law->rate != 0 || law->amplitude != 0;
  }
  limb_status s = sim->loops ? limb_sim_create_constraints(sim) : LIMB_OK;
  w->ready = s == LIMB_OK;
  return s;
}

// ---- by differences -------------------------------------------------------------------------------------

// Forces as in limb_sim_load.
static limb_status forces(limb_sim* sim, double t, double* q, double* v, double* y)
{
  const limb_status s = limb_sim_load(sim, t, q, v);
  memcpy(y, sim->x, (size_t)sim->nv * sizeof *y);
  return s;
}

// Direction e: unit vector k (of q, then of v), projected by P. False if nothing is left.
static bool set_direction(limb_sim* sim, const double* P, int k)
{
  const size_t nv = (size_t)sim->nv, own = (size_t)k % nv;
  double* e = sim->derivatives.e;
  memset(e, 0, 2 * nv * sizeof *e);
  e[k] = 1;
  if (P) memcpy(e + ((size_t)k - own), P + own * nv, nv * sizeof *e);
  return limb_largest(2 * nv, e) > 1e-9;
}

// Central differences by the tangent and by v, nv x nv each; projected by P (NULL: not).
static limb_status differences(limb_sim* sim, sim_function* f, const sim_point* at, const double* P, double* y_q,
                               double* y_v)
{
  sim_derivatives* w = &sim->derivatives;
  const int nv = sim->nv;
  const double reach = cbrt(DBL_EPSILON);
  for (int k = 0; k < 2 * nv; k++) {
    const double x = k < nv ? 1 : fmax(1, fabs(at->v[k - nv])), size = reach * x;
    const bool moves = set_direction(sim, P, k);
    limb_status s = moves ? limb_sim_perturbed(sim, at, w->e, size, f, w->plus) : LIMB_OK;
    if (s == LIMB_OK && moves) s = limb_sim_perturbed(sim, at, w->e, -size, f, w->minus);
    if (s != LIMB_OK) return s;
    double* column = k < nv ? y_q + k : y_v + (k - nv);
    for (int i = 0; i < nv; i++) column[(size_t)i * (size_t)nv] = moves ? (w->plus[i] - w->minus[i]) / (2 * size) : 0;
  }
  memset(w->e, 0, 2 * (size_t)nv * sizeof *w->e);
  return LIMB_OK;
}

// Derivatives of the accelerations by differences. Off the constraint manifold, held joints that depend on each other
// cannot be held: differences are then taken along it, without Baumgarte's terms. Held joints do not move.
static limb_status of_accelerations(limb_sim* sim, const sim_point* at, bool exact, double* a_q, double* a_v)
{
  const bool tied = sim->loops && sim->nheld;
  limb_status s = LIMB_E_SINGULAR;
  if (!tied || exact) s = differences(sim, limb_sim_accelerate, at, NULL, a_q, a_v);
  if (!tied || s != LIMB_E_SINGULAR) return s;
  sim->error[0] = 0;
  double* P = sim->derivatives.a_x;
  s = limb_sim_movable(sim, at->t, at->q, P);
  if (s == LIMB_OK) s = limb_sim_set_loops(sim, 0, 0);
  if (s == LIMB_OK) s = differences(sim, limb_sim_accelerate, at, P, a_q, a_v);
  const limb_status restored = limb_sim_set_loops(sim, sim->o.loops.alpha, sim->o.loops.beta);
  return s == LIMB_OK ? restored : s;
}

// ---- analytic -------------------------------------------------------------------------------------------

static limb_status of_tree(limb_sim* sim, const double* q, const double* v, double* a_q, double* a_v)
{
  double* a_x = sim->derivatives.a_x;
  if (!sim->nheld) {
    const limb_fd_derivatives out = {NULL, a_q, a_v, a_x};
    return limb_forward_dynamics_derivatives(sim->d, q, v, sim->x, &sim->env, &out);
  }
  const limb_hybrid in = {q, v, sim->held, sim->x, &sim->env};
  const limb_hybrid_derivatives out = {NULL, a_q, a_v, a_x};
  const limb_status s = limb_hybrid_dynamics_derivatives(sim->d, &in, &out);
  const size_t row = (size_t)sim->nv;
  for (size_t k = 0; k < row && s == LIMB_OK; k++) {
    if (!sim->held[k]) continue;
    for (size_t i = 0; i < row && sim->motion.given && sim->motion.given[k]; i++)
      a_q[i * row + k] = a_v[i * row + k] = 0; // their q and v depend on time only
    memset(a_q + k * row, 0, row * sizeof *a_q);
    memset(a_v + k * row, 0, row * sizeof *a_v);
    memset(a_x + k * row, 0, row * sizeof *a_x);
  }
  return s;
}

// exact: Baumgarte's terms vanish on the constraint manifold, but their derivatives do not; and with redundant
// constraints, accelerations.c extends the accelerations off it differently from the library's derivatives.
static limb_status of_loops(limb_sim* sim, const double* q, const double* v, bool exact, const limb_fd_derivatives* out)
{
  const limb_loop_solver* o = &sim->o.loops;
  const bool stabilised = o->alpha != 0 || o->beta != 0;
  if (sim->nheld || (exact && (stabilised || sim->redundant || sim->passage.near))) return LIMB_E_UNSUPPORTED;
  limb_status s = stabilised ? limb_sim_set_loops(sim, 0, 0) : LIMB_OK;
  sim->env.time = o->loops.time;
  if (s == LIMB_OK) s = limb_forward_dynamics_derivatives(sim->loops, q, v, sim->x, &sim->env, out);
  const limb_status restored = stabilised ? limb_sim_set_loops(sim, o->alpha, o->beta) : LIMB_OK;
  if (s == LIMB_OK) return restored;
  return s == LIMB_E_SINGULAR ? LIMB_E_UNSUPPORTED : s; // uncertain rank: by differences
}

// y += a_x x_y
static void add_product(int n, const double* a_x, const double* x_y, double* y)
{
  const size_t row = (size_t)n;
  for (size_t i = 0; i < row; i++) {
    for (size_t k = 0; k < row; k++) {
      const double f = a_x[i * row + k];
      if (f == 0) continue;
      for (size_t j = 0; j < row; j++) y[i * row + j] += f * x_y[k * row + j];
    }
  }
}

static limb_status analytic(limb_sim* sim, const sim_point* at, bool exact, double* a_q, double* a_v)
{
  sim_derivatives* w = &sim->derivatives;
  double *q = at->q, *v = at->v;
  if (sim->nwrenches || sim->env.nlaw) return LIMB_E_UNSUPPORTED;
  sim->o.loops.loops.time = at->t;
  limb_status s = limb_sim_load(sim, at->t, q, v);
  if (s != LIMB_OK) return s;
  const limb_fd_derivatives out = {.dacc_dq = a_q, .dacc_dv = a_v, .dacc_dtau = w->a_x};
  s = sim->loops ? of_loops(sim, q, v, exact, &out) : of_tree(sim, q, v, a_q, a_v);
  if (s != LIMB_OK || (!sim->nsource && !sim->nmode)) return s;
  if ((s = differences(sim, forces, at, NULL, w->x_q, w->x_v)) != LIMB_OK) return s;
  add_product(sim->nv, w->a_x, w->x_q, a_q);
  add_product(sim->nv, w->a_x, w->x_v, a_v);
  return LIMB_OK;
}

// A part of the step whose sum with t is exact, as are its multiples.
static double exact_part(double t, double h)
{
  const double d = (t + h / 64) - t;
  return d > 0 ? d : (t + h / 4) - t;
}

// (18 x(d) - 9 x(2 d) + 2 x(3 d)) / (6 d) with x(d) = a(t + d) - a(t), within the step. The error, d^3 / 4 times the
// fourth derivative, preserves order 4.
static limb_status by_time(limb_sim* sim, const sim_point* at, double h, const double* a, double* a_t)
{
  sim_derivatives* w = &sim->derivatives;
  if (!a_t) return LIMB_OK;
  static const double weight[] = {0, 18, -9, 2};
  const double d = exact_part(at->t, h);
  memset(a_t, 0, (size_t)sim->nv * sizeof *a_t);
  if ((!sim->inputs && !w->laws) || d == 0) return LIMB_OK;
  for (int k = 1; k < 4; k++) {
    const sim_point later = {at->t + k * d, at->q, at->v, 0};
    const limb_status s = limb_sim_perturbed(sim, &later, w->e, 0, limb_sim_accelerate, w->plus);
    if (s != LIMB_OK) return s;
    for (int i = 0; i < sim->nv; i++) a_t[i] += weight[k] * (w->plus[i] - a[i]) / (6 * d);
  }
  return LIMB_OK;
}

limb_status limb_sim_derivatives(limb_sim* sim, const sim_point* at, double h, const double* a, double* a_q,
                                 double* a_v, double* a_t)
{
  sim->summary.derivatives++;
  limb_status s = analytic(sim, at, a_t != NULL, a_q, a_v);
  if (s == LIMB_E_UNSUPPORTED) s = of_accelerations(sim, at, a_t != NULL, a_q, a_v);
  return s == LIMB_OK ? by_time(sim, at, h, a, a_t) : s;
}
