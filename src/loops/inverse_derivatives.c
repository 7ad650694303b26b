// Derivatives of inverse dynamics with loops, along motions that keep them closed.
//
// Cost:      O(n^2) by dual numbers, O((n + m)^3) for the factors.
//
// The independent coordinates y, their velocities and accelerations decide about q, v and a of the tree.
// Along each of them, first the others follow from the rows, differentiated:
//
//     Psi dq = 0        Psi dv = -(dPsi) v        Psi da = -dc          c = Psi a + Psi' v, at fixed a
//
// Torques of least norm are those of a virtual velocity z that the loops allow, tau = S z (S: active joints).
// With F = inverse dynamics of the tree - Psi' lambda,
//
//     [ S   Psi' ] [ z      ]   [ Gamma_tr ]        [ S   Psi' ] [ dz      ]   [ dF       ]
//     [ Psi 0    ] [ lambda ] = [ 0        ]        [ Psi 0    ] [ dlambda ] = [ -dPsi z  ]

#include "limb/closed.h"

#include "base/numeric.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "loops/derivatives_impl.h"

#include <float.h>
#include <string.h>

typedef struct parts {
  int n, m, y, size;    // velocities, live rows, independent velocities, n + m
  double* K;            // size x size: factors
  double* G;            // nv x nv room
  double *dq, *dv, *da; // y x n: directions
  double* dF;           // y x n
  double *dc, *dPsi;    // y x nrow
  double *x, *z;        // size, n
  int* pivot;           // size
  const limb_loop_options* o;
} parts;

// A part of dense scratch has (nv + nrow + 1)^2 numbers.
static parts lay_out(const limb_loops* w, const limb_loop_options* o)
{
  const limb_dense dense = limb_dense_parts(w);
  const size_t n = (size_t)w->m->nv, m = (size_t)w->m->nrow, most = n + m;
  return (parts){.n = w->m->nv,
                 .K = dense.part[0],
                 .x = dense.part[0] + most * most,
                 .G = dense.part[1],
                 .dc = dense.part[1] + n * n,
                 .dq = dense.part[2],
                 .dPsi = dense.part[2] + n * n,
                 .dv = dense.part[3],
                 .da = dense.part[4],
                 .dF = dense.part[5],
                 .z = dense.part[5] + n * n,
                 .pivot = w->order + w->m->nrow,
                 .o = o};
}

// ---- what follows ---------------------------------------------------------------------------------------

static void clear(double* x, ptrdiff_t n) { memset(x, 0, (size_t)n * sizeof *x); }

// Directions of y: row d is column d of G.
static void put_map(const parts* p, double* to)
{
  for (ptrdiff_t d = 0; d < p->y; d++) {
    for (ptrdiff_t i = 0; i < p->n; i++) to[d * p->n + i] = p->G[i * p->y + d];
  }
}

// ---- torques ----------------------------------------------------------------------------------------------

// The matrix; its factors.
static limb_status factor(limb_loops* w, parts* p)
{
  const ptrdiff_t n = p->n, N = p->size;
  clear(p->K, N * N);
  for (ptrdiff_t i = 0; i < n; i++) p->K[i * N + i] = w->active[i];
  for (ptrdiff_t r = 0; r < p->m; r++) {
    limb_loop_full_row(w, w->order[r], p->K + (n + r) * N);
    for (ptrdiff_t i = 0; i < n; i++) p->K[i * N + n + r] = p->K[(n + r) * N + i];
  }
  int negative;
  const double rounding = 4 * p->size * DBL_EPSILON;
  const bool regular = limb_indefinite_factor(p->size, rounding, p->K, p->pivot, &negative);
  return regular && negative == p->m ? LIMB_OK : LIMB_E_SINGULAR;
}

// z, and the multipliers in the order of the clusters.
static limb_status find_torques(limb_loops* w, const limb_loop_point* point, const parts* p, double* lambda)
{
  const limb_dual_at* at = &point->at;
  const limb_status s = limb_inverse_dynamics(w->d, at->q, at->v, at->x, at->env, p->x);
  if (s != LIMB_OK) return s;
  clear(p->x + p->n, p->m);
  limb_indefinite_solve(p->size, p->K, p->pivot, p->x);
  memcpy(p->z, p->x, (size_t)p->n * sizeof *p->z);
  clear(lambda, w->m->nrow);
  for (int r = 0; r < p->m; r++) lambda[w->order[r]] = p->x[p->n + r];
  return LIMB_OK;
}

// dtau (nv x y) from dF and dPsi z.
static limb_status put_torques(limb_loops* w, limb_dual* u, const limb_loop_point* point, const parts* p,
                               const limb_directions* along, double* dtau)
{
  const limb_loop_changes out = {.dF = p->dF, .dPsi_z = p->dPsi, .z = p->z};
  const limb_status s = limb_loop_along(w, u, point, along, &out);
  for (ptrdiff_t d = 0; s == LIMB_OK && d < p->y; d++) {
    memcpy(p->x, p->dF + d * p->n, (size_t)p->n * sizeof *p->x);
    for (int r = 0; r < p->m; r++) p->x[p->n + r] = -p->dPsi[d * w->m->nrow + w->order[r]];
    limb_indefinite_solve(p->size, p->K, p->pivot, p->x);
    for (ptrdiff_t i = 0; i < p->n; i++) dtau[i * p->y + d] = w->active[i] ? p->x[i] : 0;
  }
  return s;
}

// ---- by y, y' and y'' -------------------------------------------------------------------------------------

// Accelerations that follow along dq and dv.
static limb_status follow_accelerations(limb_loops* w, limb_dual* u, const limb_loop_point* point, const parts* p,
                                        const limb_directions* along)
{
  const limb_loop_changes out = {.dc = p->dc};
  const limb_status s = limb_loop_along(w, u, point, along, &out);
  clear(p->da, (ptrdiff_t)p->y * p->n);
  return s == LIMB_OK ? limb_follow_rows(w, p->y, p->o->tolerance, p->dc, p->da) : s;
}

static limb_status by_places(limb_loops* w, limb_dual* u, const limb_loop_point* point, const parts* p, double* dtau)
{
  put_map(p, p->dq);
  limb_directions along = {.count = p->y, .dq = p->dq};
  const limb_loop_changes velocities = {.dPsi_z = p->dPsi, .z = point->at.v};
  limb_status s = limb_loop_along(w, u, point, &along, &velocities);
  clear(p->dv, (ptrdiff_t)p->y * p->n);
  if (s == LIMB_OK) s = limb_follow_rows(w, p->y, p->o->tolerance, p->dPsi, p->dv);
  along.dv = p->dv;
  if (s == LIMB_OK) s = follow_accelerations(w, u, point, p, &along);
  along.da = p->da;
  return s == LIMB_OK ? put_torques(w, u, point, p, &along, dtau) : s;
}

static limb_status by_velocities(limb_loops* w, limb_dual* u, const limb_loop_point* point, const parts* p,
                                 double* dtau)
{
  put_map(p, p->dv);
  limb_directions along = {.count = p->y, .dv = p->dv};
  const limb_status s = follow_accelerations(w, u, point, p, &along);
  along.da = p->da;
  return s == LIMB_OK ? put_torques(w, u, point, p, &along, dtau) : s;
}

static limb_status by_accelerations(limb_loops* w, limb_dual* u, const limb_loop_point* point, const parts* p,
                                    double* dtau)
{
  put_map(p, p->da);
  const limb_directions along = {.count = p->y, .da = p->da};
  return put_torques(w, u, point, p, &along, dtau);
}

// ---- the call ---------------------------------------------------------------------------------------------

// Marks of dependent velocities, G, the completed accelerations in v4, and the rows at q.
static limb_status prepare(limb_loops* w, const limb_closed_motion* in, const unsigned char* independent, parts* p)
{
  const limb_model* m = w->m;
  limb_status s = LIMB_OK;
  if (!independent)
    s = limb_independent_velocities(w, in->q, p->o, w->chosen);
  else if (independent != w->chosen)
    memcpy(w->chosen, independent, (size_t)m->nv);
  if (s == LIMB_OK) s = limb_velocity_map(w, in->q, w->chosen, p->o, &p->y, p->G);
  memcpy(w->v4, in->a, (size_t)m->nv * sizeof *w->v4);
  if (s == LIMB_OK) s = limb_complete_accelerations(w, in->q, in->v, w->chosen, p->o, w->v4);
  if (s == LIMB_OK) s = limb_loop_rows_at(w, in->q, in->v, p->o->time, LIMB_ROWS_PSI);
  if (s != LIMB_OK) return s;
  p->m = limb_loop_independent_rows(w, p->o->tolerance);
  p->size = p->n + p->m;
  return factor(w, p);
}

limb_status limb_closed_inverse_dynamics_derivatives(limb_loops* w, limb_dual* dual, const limb_closed_motion* in,
                                                     const unsigned char* independent, const limb_loop_options* options,
                                                     int* count, const limb_closed_inverse_derivatives* out)
{
  if (!w || !dual || !in || !in->q || !in->v || !in->a || !count || !out || limb_spanning_tree(dual->m) != w->d->m)
    return LIMB_E_ARG;
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_check_state(w->d, in->q, in->v, in->a);
  if (s != LIMB_OK) return s;
  parts p = lay_out(w, &o);
  s = prepare(w, in, independent, &p);
  *count = p.y;
  const limb_loop_point point = {{in->q, in->v, w->v4, in->env}, w->r3};
  if (s == LIMB_OK) s = find_torques(w, &point, &p, w->r3);
  for (int i = 0; s == LIMB_OK && out->tau && i < p.n; i++) out->tau[i] = w->active[i] ? p.z[i] : 0;
  if (s == LIMB_OK && out->dtau_dy) s = by_places(w, dual, &point, &p, out->dtau_dy);
  if (s == LIMB_OK && out->dtau_dydot) s = by_velocities(w, dual, &point, &p, out->dtau_dydot);
  if (s == LIMB_OK && out->dtau_dyddot) s = by_accelerations(w, dual, &point, &p, out->dtau_dyddot);
  if (s != LIMB_OK) return s;
  const ptrdiff_t size = (ptrdiff_t)p.n * p.y;
  const bool fine = limb_finite_if(p.n, out->tau) && limb_finite_if(size, out->dtau_dy) &&
                    limb_finite_if(size, out->dtau_dydot) && limb_finite_if(size, out->dtau_dyddot);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}
