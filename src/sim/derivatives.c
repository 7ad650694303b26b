// Derivatives of what limb_sim_accelerate computes, for implicit methods.
//
//   a_q, a_v    of the dynamics: analytic (limb/derivatives.h, limb/hybrid.h, limb/closed.h)
//   a_x x_q     of forces that depend on the state (callbacks, springs of stops): x by central differences
//   a_t         by differences inside the step to come, when something depends on time
//
// Where there are no analytic ones (force laws, wrenches of callbacks, held joints in loops), all are
// central differences of the accelerations, whose error is the cube root of rounding squared, 4e-11; for
// the last of these along what can move.
#include "sim/sim_impl.h"

#include "limb/derivatives.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

limb_status limb_sim_begin_derivatives(limb_sim* sim)
{
  sim_slopes* w = &sim->slopes;
  const size_t nv = (size_t)sim->nv;
  if (w->ready) return LIMB_OK;
  double** const part[] = {&w->a_x, &w->x_q, &w->x_v, &w->plus, &w->minus, &w->e};
  const size_t size[] = {nv * nv, nv * nv, nv * nv, nv, nv, 2 * nv};
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
    if (!(*part[k] = limb_sim_take(sim, size[k], sizeof(double)))) return LIMB_E_NOMEM;
  }
  for (int l = 0; l < limb_loop_count(sim->m); l++) {
    limb_loop_info info;
    const limb_status s = limb_get_loop(sim->m, l, &info);
    if (s != LIMB_OK) return s;
    const limb_time_law* law = &info.def.law;
    w->laws = w->laws || law->fn || law->rate != 0 || law->amplitude != 0;
  }
  limb_status s = sim->loops ? limb_sim_take_surface(sim) : LIMB_OK;
  if (s == LIMB_OK && sim->loops) s = limb_dual_create(sim->m, LIMB_DUAL_VECTORS, &sim->alloc, &w->dual);
  w->ready = s == LIMB_OK;
  return s;
}

// ---- by differences --------------------------------------------------------------------------------------

// Forces as limb_sim_load makes them.
static limb_status forces(limb_sim* sim, double t, double* q, double* v, double* y)
{
  const limb_status s = limb_sim_load(sim, t, q, v);
  memcpy(y, sim->x, (size_t)sim->nv * sizeof *y);
  return s;
}

// Direction e: velocity k (of q, then of v), or what P lets move of it. False when that is nothing.
static bool set_direction(limb_sim* sim, const double* P, int k)
{
  const size_t nv = (size_t)sim->nv, own = (size_t)k % nv;
  double* e = sim->slopes.e;
  memset(e, 0, 2 * nv * sizeof *e);
  e[k] = 1;
  if (P) memcpy(e + ((size_t)k - own), P + own * nv, nv * sizeof *e);
  return limb_largest(2 * nv, e) > 1e-9;
}

// Central differences by the tangent and by v: nv x nv each; along what P lets move (NULL: everything).
static limb_status differences(limb_sim* sim, sim_function* f, const sim_point* at, const double* P, double* y_q,
                               double* y_v)
{
  sim_slopes* w = &sim->slopes;
  const int nv = sim->nv;
  const double reach = cbrt(DBL_EPSILON);
  for (int k = 0; k < 2 * nv; k++) {
    const double x = k < nv ? 1 : fmax(1, fabs(at->v[k - nv])), size = reach * x;
    const bool moves = set_direction(sim, P, k);
    limb_status s = moves ? limb_sim_beside(sim, at, w->e, size, f, w->plus) : LIMB_OK;
    if (s == LIMB_OK && moves) s = limb_sim_beside(sim, at, w->e, -size, f, w->minus);
    if (s != LIMB_OK) return s;
    double* column = k < nv ? y_q + k : y_v + (k - nv);
    for (int i = 0; i < nv; i++) column[(size_t)i * (size_t)nv] = moves ? (w->plus[i] - w->minus[i]) / (2 * size) : 0;
  }
  memset(w->e, 0, 2 * (size_t)nv * sizeof *w->e);
  return LIMB_OK;
}

// Of the accelerations. Beside the surface of the constraints joints that are held, and depend on each other
// there, cannot be held any more: differences are along it then, without Baumgarte's terms. Held ones do not
// move at all.
static limb_status of_accelerations(limb_sim* sim, const sim_point* at, bool exact, double* a_q, double* a_v)
{
  const bool tied = sim->loops && sim->nheld;
  limb_status s = LIMB_E_SINGULAR;
  if (!tied || exact) s = differences(sim, limb_sim_accelerate, at, NULL, a_q, a_v);
  if (!tied || s != LIMB_E_SINGULAR) return s;
  sim->error[0] = 0;
  const limb_closed_options o = sim->o.closed;
  double* P = sim->slopes.a_x;
  s = limb_sim_movable(sim, at->t, at->q, P);
  sim->o.closed.alpha = sim->o.closed.beta = 0;
  if (s == LIMB_OK) s = differences(sim, limb_sim_accelerate, at, P, a_q, a_v);
  sim->o.closed = o;
  return s;
}

// ---- analytic --------------------------------------------------------------------------------------------

static limb_status of_tree(limb_sim* sim, const double* q, const double* v, double* a_q, double* a_v)
{
  double* a_x = sim->slopes.a_x;
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
      a_q[i * row + k] = a_v[i * row + k] = 0; // their q and v are those of the time, whatever the state
    memset(a_q + k * row, 0, row * sizeof *a_q);
    memset(a_v + k * row, 0, row * sizeof *a_v);
    memset(a_x + k * row, 0, row * sizeof *a_x);
  }
  return s;
}

// exact: Baumgarte's terms vanish on the surface of the constraints, but not their derivatives; and where
// rows depend on each other, equations.c goes on beyond that surface in another way than limb/closed.h.
static limb_status of_loops(limb_sim* sim, const double* q, const double* v, bool exact,
                            const limb_closed_derivatives* out)
{
  limb_closed_options o = sim->o.closed;
  if (sim->nheld || (exact && (o.alpha != 0 || o.beta != 0 || sim->redundant))) return LIMB_E_UNSUPPORTED;
  o.alpha = o.beta = 0;
  const limb_closed_motion in = {q, v, NULL, &sim->env};
  const limb_status s = limb_closed_forward_dynamics_derivatives(sim->loops, sim->slopes.dual, &in, sim->x, &o, out);
  return s == LIMB_E_SINGULAR ? LIMB_E_UNSUPPORTED : s; // ranks in doubt: by differences
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
  sim_slopes* w = &sim->slopes;
  double *q = at->q, *v = at->v;
  if (sim->nwrenches || sim->env.nlaw) return LIMB_E_UNSUPPORTED;
  sim->o.closed.loops.time = at->t;
  limb_status s = limb_sim_load(sim, at->t, q, v);
  if (s != LIMB_OK) return s;
  const limb_closed_derivatives out = {.da_dq = a_q, .da_dv = a_v, .da_dtau = w->a_x};
  s = sim->loops ? of_loops(sim, q, v, exact, &out) : of_tree(sim, q, v, a_q, a_v);
  if (s != LIMB_OK || (!sim->nsource && !sim->nedge)) return s;
  if ((s = differences(sim, forces, at, NULL, w->x_q, w->x_v)) != LIMB_OK) return s;
  add_product(sim->nv, w->a_x, w->x_q, a_q);
  add_product(sim->nv, w->a_x, w->x_v, a_v);
  return LIMB_OK;
}

// A part of the step whose sum with t is exact: its multiples are, too.
static double exact_part(double t, double h)
{
  const double d = (t + h / 64) - t;
  return d > 0 ? d : (t + h / 4) - t;
}

// (18 x(d) - 9 x(2 d) + 2 x(3 d)) / (6 d) with x(d) = a(t + d) - a(t), inside the step. Its error, d^3 / 4
// times the fourth derivative, leaves a method its order 4.
static limb_status by_time(limb_sim* sim, const sim_point* at, double h, const double* a, double* a_t)
{
  sim_slopes* w = &sim->slopes;
  if (!a_t) return LIMB_OK;
  static const double weight[] = {0, 18, -9, 2};
  const double d = exact_part(at->t, h);
  memset(a_t, 0, (size_t)sim->nv * sizeof *a_t);
  if ((!sim->inputs && !w->laws) || d == 0) return LIMB_OK;
  for (int k = 1; k < 4; k++) {
    const sim_point later = {at->t + k * d, at->q, at->v, 0};
    const limb_status s = limb_sim_beside(sim, &later, w->e, 0, limb_sim_accelerate, w->plus);
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
