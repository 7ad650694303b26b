// Derivatives of what limb_sim_accelerate computes, for implicit methods.
//
//   a_q, a_v    of the dynamics: analytic (limb/derivatives.h, limb/hybrid.h, limb/closed.h)
//   a_x x_q     of forces that depend on the state (callbacks, springs of stops): x by central differences
//   a_t         by differences inside the step to come, when something depends on time
//
// Where there are no analytic ones (force laws, wrenches of callbacks, held joints in loops), all are
// central differences of the accelerations, whose error is the cube root of rounding squared, 4e-11.
#include "sim/sim_impl.h"

#include "limb/derivatives.h"

#include <float.h>
#include <math.h>
#include <string.h>

limb_status limb_sim_begin_derivatives(limb_sim* sim)
{
  sim_slopes* w = &sim->slopes;
  const size_t nv = (size_t)sim->nv, nq = (size_t)sim->nq;
  if (w->ready) return LIMB_OK;
  double** const part[] = {&w->a_x, &w->x_q, &w->x_v, &w->plus, &w->minus, &w->u, &w->v, &w->q};
  const size_t size[] = {nv * nv, nv * nv, nv * nv, nv, nv, nv, nv, nq};
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
  const limb_status s =
    sim->loops ? limb_dual_create(sim->m, LIMB_DUAL_VECTORS, &sim->alloc, &w->dual) : LIMB_OK;
  w->ready = s == LIMB_OK;
  return s;
}

// ---- by differences --------------------------------------------------------------------------------------

typedef limb_status sim_function(limb_sim* sim, double t, double* q, double* v, double* y);

// Forces as limb_sim_load makes them.
static limb_status forces(limb_sim* sim, double t, double* q, double* v, double* y)
{
  const limb_status s = limb_sim_load(sim, t, q, v);
  memcpy(y, sim->x, (size_t)sim->nv * sizeof *y);
  return s;
}

// y at q (+) size e_k (or v + size e_k).
static limb_status beside(limb_sim* sim, sim_function* f, double t, const double* q,
                          const double* v, int k, double size, double* y)
{
  sim_slopes* w = &sim->slopes;
  const size_t nv = (size_t)sim->nv;
  const bool of_q = k < sim->nv;
  memset(w->u, 0, nv * sizeof *w->u);
  memcpy(w->v, v, nv * sizeof *w->v);
  (of_q ? w->u : w->v)[of_q ? k : k - sim->nv] += size;
  const limb_status s = limb_integrate(sim->m, q, w->u, 1, w->q);
  return s == LIMB_OK ? f(sim, t, w->q, w->v, y) : s;
}

// Central differences by the tangent and by v: nv x nv each.
static limb_status differences(limb_sim* sim, sim_function* f, double t, const double* q,
                               const double* v, double* y_q, double* y_v)
{
  sim_slopes* w = &sim->slopes;
  const int nv = sim->nv;
  const double reach = cbrt(DBL_EPSILON);
  for (int k = 0; k < 2 * nv; k++) {
    const double x = k < nv ? 1 : fmax(1, fabs(v[k - nv])), size = reach * x;
    limb_status s = beside(sim, f, t, q, v, k, size, w->plus);
    if (s == LIMB_OK) s = beside(sim, f, t, q, v, k, -size, w->minus);
    if (s != LIMB_OK) return s;
    double* column = k < nv ? y_q + k : y_v + (k - nv);
    for (int i = 0; i < nv; i++)
      column[(size_t)i * (size_t)nv] = (w->plus[i] - w->minus[i]) / (2 * size);
  }
  return LIMB_OK;
}

// ---- analytic --------------------------------------------------------------------------------------------

static limb_status of_tree(limb_sim* sim, const double* q, const double* v, double* a_q,
                           double* a_v)
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
      a_q[i * row + k] = a_v[i * row + k] =
        0; // their q and v are those of the time, whatever the state
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
  if (sim->nheld || (exact && (o.alpha != 0 || o.beta != 0 || sim->redundant)))
    return LIMB_E_UNSUPPORTED;
  o.alpha = o.beta = 0;
  const limb_closed_motion in = {q, v, NULL, &sim->env};
  const limb_status s =
    limb_closed_forward_dynamics_derivatives(sim->loops, sim->slopes.dual, &in, sim->x, &o, out);
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

static limb_status analytic(limb_sim* sim, double t, double* q, double* v, bool exact, double* a_q,
                            double* a_v)
{
  sim_slopes* w = &sim->slopes;
  if (sim->nwrenches || sim->env.nlaw) return LIMB_E_UNSUPPORTED;
  sim->o.closed.loops.time = t;
  limb_status s = limb_sim_load(sim, t, q, v);
  if (s != LIMB_OK) return s;
  const limb_closed_derivatives out = {.da_dq = a_q, .da_dv = a_v, .da_dtau = w->a_x};
  s = sim->loops ? of_loops(sim, q, v, exact, &out) : of_tree(sim, q, v, a_q, a_v);
  if (s != LIMB_OK || (!sim->nsource && !sim->nedge)) return s;
  if ((s = differences(sim, forces, t, q, v, w->x_q, w->x_v)) != LIMB_OK) return s;
  add_product(sim->nv, w->a_x, w->x_q, a_q);
  add_product(sim->nv, w->a_x, w->x_v, a_v);
  return LIMB_OK;
}

// (-3 a(t) + 4 a(t + d) - a(t + 2 d)) / (2 d), inside the step
static limb_status by_time(limb_sim* sim, const sim_point* at, double h, const double* a,
                           double* a_t)
{
  sim_slopes* w = &sim->slopes;
  if (!a_t) return LIMB_OK;
  const double d = h / 64;
  memset(a_t, 0, (size_t)sim->nv * sizeof *a_t);
  if (!sim->inputs && !w->laws) return LIMB_OK;
  double* const at_times[] = {w->plus, w->minus};
  for (int k = 0; k < 2; k++) {
    memcpy(w->q, at->q, (size_t)sim->nq * sizeof *w->q);
    memcpy(w->v, at->v, (size_t)sim->nv * sizeof *w->v);
    const limb_status s = limb_sim_accelerate(sim, at->t + (k + 1) * d, w->q, w->v, at_times[k]);
    if (s != LIMB_OK) return s;
  }
  for (int i = 0; i < sim->nv; i++) a_t[i] = (-3 * a[i] + 4 * w->plus[i] - w->minus[i]) / (2 * d);
  return LIMB_OK;
}

limb_status limb_sim_derivatives(limb_sim* sim, const sim_point* at, double h, const double* a,
                                 double* a_q, double* a_v, double* a_t)
{
  sim->summary.derivatives++;
  limb_status s = analytic(sim, at->t, at->q, at->v, a_t != NULL, a_q, a_v);
  if (s == LIMB_E_UNSUPPORTED)
    s = differences(sim, limb_sim_accelerate, at->t, at->q, at->v, a_q, a_v);
  return s == LIMB_OK ? by_time(sim, at, h, a, a_t) : s;
}
