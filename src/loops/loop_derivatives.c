// Derivatives of dynamics with loops: changes along directions by dual numbers, forward dynamics through the
// constraints, inverse dynamics along motions that keep the loops closed.
//
// Dual numbers go through the motion of the links, the constraints, and the inverse dynamics of the tree with the
// closures' forces. Cost: O(n + constraints) for each group of LIMB_TANGENTS directions.

#include "limb/derivatives.h"
#include "limb/loops.h"

#include "base/numeric.h"
#include "kernel/tables.h"
#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <float.h>
#include <string.h>

static void clear(double* x, ptrdiff_t n) { memset(x, 0, (size_t)n * sizeof *x); }

// ---- changes along directions -------------------------------------------------------------------------------

// The motion of the links and the constraints, along what the dual workspace holds.
static void constraints_along(limb_loops* w, limb_dual* u, bool with_psi)
{
  const limb_model* m = w->m;
  const limb_loop_tangents* t = &w->along;
  u->kernels->link_motion(m, m->k64, &u->ws, u->q, u->v, u->x, t->X, t->vel, t->acc, t->acc_v);
  const limb_loop_kernels_dual_in in = {.q = u->q, .v = u->v, .a = u->x, .X = t->X, .vel = t->vel, .acc = t->acc};
  const limb_loop_kernels_dual_out out = {.Psi = with_psi ? t->Psi : NULL, .bias = t->bias, .reach = t->reach};
  limb_loop_kernels_dual_here()->rows(m, m->k64, &in, &out);
}

// F, with what the environment's wrenches and the closures do.
static void forces_along(limb_loops* w, limb_dual* u, const limb_call_environment* x, const limb_directions* along,
                         int first)
{
  const limb_model* m = w->m;
  const limb_loop_tangents* t = &w->along;
  const size_t links = LIMB_WS_FORCE * (size_t)m->nlink;
  const limb_dual_number* given = limb_dual_wrench_group(u, x, along, first);
  if (given)
    memcpy(t->wrench, given, links * sizeof *given);
  else
    memset(t->wrench, 0, links * sizeof *t->wrench);
  memset(t->tau, 0, (size_t)m->nv * sizeof *t->tau);
  limb_loop_kernels_dual_here()->forces(m, t->X, t->reach, t->lambda, t->wrench, t->tau);
  u->kernels->inverse_dynamics(m, m->k64, &u->ws, u->q, u->v, u->x, &x->terms, t->wrench, u->y);
}

// (dPsi z)_r for a slot
static void psi_change_times(const limb_loops* w, int slot, const double* z, double* out)
{
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      const limb_dual_number* row = w->along.Psi + k->block + (ptrdiff_t)r * k->nv;
      double sum = 0;
      for (int j = 0; j < k->nv; j++) sum += limb_tangent(&row[j], slot) * z[k->v[j]];
      out[k->row + r] = sum;
    }
  }
}

static void take_changes(const limb_loops* w, const limb_dual* u, int direction, int slot, const limb_loop_changes* out)
{
  const limb_model* m = w->m;
  if (out->dF) {
    double* row = out->dF + (ptrdiff_t)direction * m->nv;
    for (int i = 0; i < m->nv; i++) row[i] = limb_tangent(&u->y[i], slot) - limb_tangent(&w->along.tau[i], slot);
  }
  if (out->dc) {
    double* row = out->dc + (ptrdiff_t)direction * m->nrow;
    for (int r = 0; r < m->nrow; r++) row[r] = limb_tangent(&w->along.bias[r], slot);
  }
  if (out->dPsi_z) psi_change_times(w, slot, out->z, out->dPsi_z + (ptrdiff_t)direction * m->nrow);
}

limb_status limb_loop_along(limb_loops* w, limb_dual* u, const limb_loop_point* point, const limb_directions* along,
                            const limb_loop_changes* out)
{
  limb_call_environment x;
  const limb_status s = limb_dual_enter(u, &point->at, true, &x);
  if (s != LIMB_OK) return s;
  limb_dual_point(u, &point->at);
  for (int r = 0; r < w->m->nrow; r++)
    w->along.lambda[r] = (limb_dual_number){.x = point->lambda ? point->lambda[r] : 0};
  for (int first = 0; first < along->count; first += LIMB_TANGENTS) {
    limb_dual_group(u, along, along->da, first);
    constraints_along(w, u, out->dPsi_z != NULL);
    if (out->dF) forces_along(w, u, &x, along, first);
    const int used = limb_dual_used(along, first);
    for (int slot = 0; slot < used; slot++) take_changes(w, u, first + slot, slot, out);
  }
  limb_leave(u->d, &x);
  return LIMB_OK;
}

// ---- forward dynamics ---------------------------------------------------------------------------------------

// Reference: implicit differentiation of Ghosal 2010, (14)-(17); J. Carpentier, N. Mansard, Analytical
//            derivatives of rigid body dynamics algorithms, 2018, for trees.
// Cost:      O(n^2) for dF and dc by dual numbers, O(n m^2 + m^3) for the factors, O(n^2 m) for the rest.
//
// With F and c of loops_impl.h, both at fixed a and lambda, and the independent equations R = T Psi with R_p = 1 of
// loops/forward_methods.c, X = M^-1 R' and A = R X,
//
//     A dmu = R M^-1 dF - T dc        da = -M^-1 dF + X dmu        dlambda = T' dmu
//     by tau:    dF = -1, dc = 0
//
// Psi M^-1 Psi' itself would square the condition of Psi, and that of a robot with light and heavy bodies is high.
// The force f = R' dmu = Psi' dlambda has dmu in the columns p.
//
// Where constraints depend on each other, these are of the robot that has the independent ones only, with
// multipliers T' f_p that make the same force f = Psi' lambda: it moves alike, but for states that do not close
// the loops.

typedef struct forward_parts {
  limb_schur k;
  double* T;    // rank x nrow
  double* Z;    // n x n: M^-1 dF of each direction
  double* dc;   // n x nrow
  double* unit; // n x n
} forward_parts;

// A part of dense scratch has (nv + nrow + 1)^2 numbers.
static forward_parts forward_layout(const limb_loops* w)
{
  const limb_dense dense = limb_dense_parts(w);
  const size_t n = (size_t)w->m->nv, m = (size_t)w->m->nrow;
  return (forward_parts){.k = {.n = w->m->nv, .R = dense.part[3], .X = dense.part[0], .A = dense.part[0] + m * n},
                         .T = dense.part[4],
                         .Z = dense.part[1],
                         .dc = dense.part[1] + n * n,
                         .unit = dense.part[2]};
}

// R and T; w->order[i] is the column p of equation i.
static void reduce_constraints(limb_loops* w, double tolerance, forward_parts* p)
{
  const limb_model* m = w->m;
  int rank = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_STEPS, tolerance);
    for (int i = 0; i < r->rank; i++, rank++) {
      const double* from = r->A + (ptrdiff_t)i * (r->columns + r->extra);
      double *R = p->k.R + (ptrdiff_t)rank * m->nv, *T = p->T + (ptrdiff_t)rank * m->nrow;
      clear(R, m->nv), clear(T, m->nrow);
      for (int j = 0; j < r->columns; j++) R[k->v[j]] = from[j];
      for (int j = 0; j < r->rows; j++) T[k->row + w->live[k->row + j]] = from[r->columns + j];
      w->order[rank] = k->v[r->pivot[i]];
    }
  }
  p->k.rank = rank;
}

// lambda = T' f_p, in the order of the clusters.
static void multipliers_of(const limb_loops* w, const forward_parts* p, const double* f, double* lambda)
{
  const int nrow = w->m->nrow;
  clear(lambda, nrow);
  for (int i = 0; i < p->k.rank; i++) {
    const double* T = p->T + (ptrdiff_t)i * nrow;
    for (int r = 0; r < nrow; r++) lambda[r] += f[w->order[i]] * T[r];
  }
}

// Column `direction` of da and dlambda from z = M^-1 dF and dc.
static void put_column(limb_loops* w, const forward_parts* p, int direction, double* da, double* dlambda)
{
  const ptrdiff_t n = p->k.n, nrow = w->m->nrow;
  const double *z = p->Z + direction * n, *dc = p->dc + direction * nrow;
  double *b = w->r1, *work = w->r2, *x = w->v1, *f = w->v2;
  for (ptrdiff_t i = 0; i < n; i++) x[i] = -z[i];
  for (int i = 0; i < p->k.rank; i++) b[i] = -limb_dot((size_t)nrow, p->T + i * nrow, dc);
  limb_schur_solve(&p->k, b, work, x, f);
  for (ptrdiff_t i = 0; da && i < n; i++) da[i * n + direction] = x[i];
  if (!dlambda) return;
  multipliers_of(w, p, f, work);
  for (int r = 0; r < nrow; r++) dlambda[(ptrdiff_t)w->user_index[r] * n + direction] = work[r];
}

// Constraints that some joint moves.
static int live_count(const limb_loops* w)
{
  int count = 0;
  for (int c = 0; c < w->m->clusters.count; c++) count += w->nlive[c];
  return count;
}

// The multipliers of the independent constraints that make the same force as those of all, in the order of the
// clusters.
static void gather_multipliers(limb_loops* w, const forward_parts* p, double* lambda)
{
  const ptrdiff_t n = p->k.n;
  double* force = w->v3;
  clear(force, n);
  for (int r = 0; r < w->m->nrow; r++) {
    limb_psi_row(w, r, p->unit); // free as yet
    for (ptrdiff_t i = 0; i < n; i++) force[i] += lambda[r] * p->unit[i];
  }
  multipliers_of(w, p, force, lambda);
}

typedef enum by_what { BY_Q, BY_V } by_what;

static limb_status by_state(limb_loops* w, limb_dual* u, const limb_loop_point* point, const forward_parts* p,
                            by_what what, double* da, double* dlambda)
{
  if (!da && !dlambda) return LIMB_OK;
  const limb_directions along = {
    .count = p->k.n, .dq = what == BY_Q ? p->unit : NULL, .dv = what == BY_V ? p->unit : NULL};
  const limb_loop_changes out = {.dF = p->Z, .dc = p->dc};
  limb_status s = limb_loop_along(w, u, point, &along, &out);
  if (s == LIMB_OK) s = limb_mass_matrix_solve(w->d, point->at.q, p->k.n, p->Z, p->Z);
  for (int k = 0; s == LIMB_OK && k < p->k.n; k++) put_column(w, p, k, da, dlambda);
  return s;
}

// The change of tau_k is one of F by -1.
static limb_status by_tau(limb_loops* w, const double* q, const forward_parts* p, double* da, double* dlambda)
{
  if (!da && !dlambda) return LIMB_OK;
  const ptrdiff_t n = p->k.n;
  const limb_status s = limb_mass_matrix_solve(w->d, q, p->k.n, p->unit, p->Z);
  for (ptrdiff_t i = 0; i < n * n; i++) p->Z[i] = -p->Z[i];
  clear(p->dc, n * w->m->nrow);
  for (int k = 0; s == LIMB_OK && k < p->k.n; k++) put_column(w, p, k, da, dlambda);
  return s;
}

static bool all_finite(const limb_model* m, const limb_closed_derivatives* out)
{
  const ptrdiff_t square = (ptrdiff_t)m->nv * m->nv, rows = (ptrdiff_t)m->nrow * m->nv;
  return limb_finite_if(square, out->da_dq) && limb_finite_if(square, out->da_dv) &&
         limb_finite_if(square, out->da_dtau) && limb_finite_if(rows, out->dlambda_dq) &&
         limb_finite_if(rows, out->dlambda_dv) && limb_finite_if(rows, out->dlambda_dtau);
}

limb_status limb_closed_forward_dynamics_derivatives(limb_data* d, limb_dual* dual, const limb_closed_motion* in,
                                                     const double* tau, const limb_loop_solver* options,
                                                     const limb_closed_derivatives* out)
{
  limb_loops* w = limb_data_loops(d);
  if (!w || !dual || !in || !in->q || !in->v || !tau || !out || limb_spanning_tree(dual->m) != w->d->m)
    return LIMB_E_ARG;
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  limb_loop_solver o;
  limb_status s = limb_loop_solver_read(options, &o);
  if (s != LIMB_OK) return s;
  if (o.alpha != 0 || o.beta != 0) return LIMB_E_ARG;
  double *a = out->a ? out->a : w->v4, *lambda = out->lambda ? out->lambda : w->r2;
  s = limb_closed_forward_dynamics(w->owner, in, tau, &o, a, lambda, NULL);
  if (s != LIMB_OK) return s;
  if (a != w->v4) memcpy(w->v4, a, (size_t)w->m->nv * sizeof *a);
  limb_constraints_from_user(w, lambda, w->r3);
  const limb_loop_point point = {{in->q, in->v, w->v4, in->env}, w->r3};
  forward_parts p = forward_layout(w);
  reduce_constraints(w, o.loops.tolerance, &p);
  const bool redundant = p.k.rank < live_count(w);
  if (redundant && (out->dlambda_dq || out->dlambda_dv || out->dlambda_dtau)) return LIMB_E_SINGULAR;
  s = limb_mass_matrix_solve(w->d, in->q, p.k.rank, p.k.R, p.k.X);
  if (s == LIMB_OK && !limb_schur_factor(&p.k)) s = LIMB_E_SINGULAR;
  if (s != LIMB_OK) return s;
  if (redundant) gather_multipliers(w, &p, w->r3);
  const ptrdiff_t n = p.k.n;
  for (ptrdiff_t i = 0; i < n * n; i++) p.unit[i] = i % (n + 1) == 0;
  s = by_state(w, dual, &point, &p, BY_Q, out->da_dq, out->dlambda_dq);
  if (s == LIMB_OK) s = by_state(w, dual, &point, &p, BY_V, out->da_dv, out->dlambda_dv);
  if (s == LIMB_OK) s = by_tau(w, in->q, &p, out->da_dtau, out->dlambda_dtau);
  if (s != LIMB_OK) return s;
  return all_finite(w->m, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_multiplier_derivatives_at(limb_data* d, const double* q, const double* v, const double* tau,
                                           const limb_environment* env, const limb_multiplier_derivatives* out)
{
  if (!d || !q || !v || !tau || !out) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  if (!w) return limb_check_state(d, q, v, tau); // there are no multipliers
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  const limb_closed_motion in = {.q = q, .v = v, .env = env};
  const limb_closed_derivatives x = {.lambda = out->lambda,
                                     .dlambda_dq = out->dlambda_dq,
                                     .dlambda_dv = out->dlambda_dv,
                                     .dlambda_dtau = out->dlambda_dtau};
  limb_loop_solver o = w->settings.solver;
  if (o.alpha != 0 || o.beta != 0) return LIMB_E_UNSUPPORTED;
  const limb_status s = limb_loop_options_at(w, env, &o.loops);
  return s == LIMB_OK ? limb_closed_forward_dynamics_derivatives(w->owner, w->dual, &in, tau, &o, &x) : s;
}

// ---- inverse dynamics ---------------------------------------------------------------------------------------

// Cost:      O(n^2) by dual numbers, O((n + m)^3) for the factors.
//
// The independent coordinates y, their velocities and accelerations decide about q, v and a of the tree.
// Along each of them, first the others follow from the constraints, differentiated:
//
//     Psi dq = 0        Psi dv = -(dPsi) v        Psi da = -dc          c = Psi a + Psi' v, at fixed a
//
// Torques of least norm are those of a virtual velocity z that the loops allow, tau = S z (S: active joints).
// With F = inverse dynamics of the tree - Psi' lambda,
//
//     [ S   Psi' ] [ z      ]   [ Gamma_tr ]        [ S   Psi' ] [ dz      ]   [ dF       ]
//     [ Psi 0    ] [ lambda ] = [ 0        ]        [ Psi 0    ] [ dlambda ] = [ -dPsi z  ]

typedef struct inverse_parts {
  int n, m, y, size;    // velocities, live constraints, independent velocities, n + m
  double* K;            // size x size: factors
  double* G;            // up to nv x nv
  double *dq, *dv, *da; // y x n: directions
  double* dF;           // y x n
  double *dc, *dPsi;    // y x nrow
  double *x, *z;        // size, n
  int* pivot;           // size
  const limb_loop_options* o;
} inverse_parts;

// A part of dense scratch has (nv + nrow + 1)^2 numbers.
static inverse_parts inverse_layout(const limb_loops* w, const limb_loop_options* o)
{
  const limb_dense dense = limb_dense_parts(w);
  const size_t n = (size_t)w->m->nv, m = (size_t)w->m->nrow, max_size = n + m;
  return (inverse_parts){.n = w->m->nv,
                         .K = dense.part[0],
                         .x = dense.part[0] + max_size * max_size,
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

// Directions of y: row d is column d of G.
static void put_map(const inverse_parts* p, double* to)
{
  for (ptrdiff_t d = 0; d < p->y; d++) {
    for (ptrdiff_t i = 0; i < p->n; i++) to[d * p->n + i] = p->G[i * p->y + d];
  }
}

// ---- inverse dynamics: torques ------------------------------------------------------------------------------

// Constraints that do not depend on others: w->order[0 ... count-1], in the order of the clusters. Returns how many
// there are. A robot with these constraints only moves as the one with all of them does. Needs Psi.
static int independent_constraints(limb_loops* w, double tolerance)
{
  int count = 0;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const int first = w->m->clusters.cluster[c].row;
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance);
    for (int i = 0; i < r->rank; i++) w->order[count++] = first + w->live[first + r->row[i]];
  }
  return count;
}

// The matrix; its factors.
static limb_status factor_inverse(limb_loops* w, inverse_parts* p)
{
  const ptrdiff_t n = p->n, N = p->size;
  clear(p->K, N * N);
  for (ptrdiff_t i = 0; i < n; i++) p->K[i * N + i] = w->active[i];
  for (ptrdiff_t r = 0; r < p->m; r++) {
    limb_psi_row(w, w->order[r], p->K + (n + r) * N);
    for (ptrdiff_t i = 0; i < n; i++) p->K[i * N + n + r] = p->K[(n + r) * N + i];
  }
  int negative;
  const double rounding = 4 * p->size * DBL_EPSILON;
  const bool regular = limb_indefinite_factor(p->size, rounding, p->K, p->pivot, &negative);
  return regular && negative == p->m ? LIMB_OK : LIMB_E_SINGULAR;
}

// z, and the multipliers in the order of the clusters.
static limb_status find_torques(limb_loops* w, const limb_loop_point* point, const inverse_parts* p, double* lambda)
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
static limb_status put_torques(limb_loops* w, limb_dual* u, const limb_loop_point* point, const inverse_parts* p,
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

// ---- inverse dynamics: by y, y' and y'' ---------------------------------------------------------------------

// Accelerations that follow along dq and dv.
static limb_status follow_accelerations(limb_loops* w, limb_dual* u, const limb_loop_point* point,
                                        const inverse_parts* p, const limb_directions* along)
{
  const limb_loop_changes out = {.dc = p->dc};
  const limb_status s = limb_loop_along(w, u, point, along, &out);
  clear(p->da, (ptrdiff_t)p->y * p->n);
  return s == LIMB_OK ? limb_follow_constraints(w, p->y, p->o->tolerance, p->dc, p->da) : s;
}

static limb_status by_positions(limb_loops* w, limb_dual* u, const limb_loop_point* point, const inverse_parts* p,
                                double* dtau)
{
  put_map(p, p->dq);
  limb_directions along = {.count = p->y, .dq = p->dq};
  const limb_loop_changes velocities = {.dPsi_z = p->dPsi, .z = point->at.v};
  limb_status s = limb_loop_along(w, u, point, &along, &velocities);
  clear(p->dv, (ptrdiff_t)p->y * p->n);
  if (s == LIMB_OK) s = limb_follow_constraints(w, p->y, p->o->tolerance, p->dPsi, p->dv);
  along.dv = p->dv;
  if (s == LIMB_OK) s = follow_accelerations(w, u, point, p, &along);
  along.da = p->da;
  return s == LIMB_OK ? put_torques(w, u, point, p, &along, dtau) : s;
}

static limb_status by_velocities(limb_loops* w, limb_dual* u, const limb_loop_point* point, const inverse_parts* p,
                                 double* dtau)
{
  put_map(p, p->dv);
  limb_directions along = {.count = p->y, .dv = p->dv};
  const limb_status s = follow_accelerations(w, u, point, p, &along);
  along.da = p->da;
  return s == LIMB_OK ? put_torques(w, u, point, p, &along, dtau) : s;
}

static limb_status by_accelerations(limb_loops* w, limb_dual* u, const limb_loop_point* point, const inverse_parts* p,
                                    double* dtau)
{
  put_map(p, p->da);
  const limb_directions along = {.count = p->y, .da = p->da};
  return put_torques(w, u, point, p, &along, dtau);
}

// ---- inverse dynamics: the call -----------------------------------------------------------------------------

// Marks of dependent velocities, G, the completed accelerations in v4, and the constraints at q.
static limb_status prepare(limb_loops* w, const limb_closed_motion* in, const unsigned char* independent,
                           inverse_parts* p)
{
  const limb_model* m = w->m;
  limb_status s = independent ? LIMB_OK : limb_independent_velocities(w->owner, in->q, p->o, w->chosen);
  if (independent && independent != w->chosen) memcpy(w->chosen, independent, (size_t)m->nv);
  if (s == LIMB_OK) s = limb_velocity_map(w->owner, in->q, w->chosen, p->o, &p->y, p->G);
  memcpy(w->v4, in->a, (size_t)m->nv * sizeof *w->v4);
  if (s == LIMB_OK) s = limb_complete_accelerations(w->owner, in->q, in->v, w->chosen, p->o, w->v4);
  if (s == LIMB_OK) s = limb_constraints_at(w, in->q, in->v, p->o->time, LIMB_NEED_PSI);
  if (s != LIMB_OK) return s;
  p->m = independent_constraints(w, p->o->tolerance);
  p->size = p->n + p->m;
  return factor_inverse(w, p);
}

limb_status limb_closed_inverse_dynamics_derivatives(limb_data* d, limb_dual* dual, const limb_closed_motion* in,
                                                     const unsigned char* independent, const limb_loop_options* options,
                                                     int* count, const limb_closed_inverse_derivatives* out)
{
  limb_loops* w = limb_data_loops(d);
  if (!w || !dual || !in || !in->q || !in->v || !in->a || !count || !out || limb_spanning_tree(dual->m) != w->d->m)
    return LIMB_E_ARG;
  if (w->use != LIMB_LOOPS_DENSE) return LIMB_E_ORDER;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_check_state(w->d, in->q, in->v, in->a);
  if (s != LIMB_OK) return s;
  inverse_parts p = inverse_layout(w, &o);
  s = prepare(w, in, independent, &p);
  *count = p.y;
  const limb_loop_point point = {{in->q, in->v, w->v4, in->env}, w->r3};
  if (s == LIMB_OK) s = find_torques(w, &point, &p, w->r3);
  for (int i = 0; s == LIMB_OK && out->tau && i < p.n; i++) out->tau[i] = w->active[i] ? p.z[i] : 0;
  if (s == LIMB_OK && out->dtau_dy) s = by_positions(w, dual, &point, &p, out->dtau_dy);
  if (s == LIMB_OK && out->dtau_dydot) s = by_velocities(w, dual, &point, &p, out->dtau_dydot);
  if (s == LIMB_OK && out->dtau_dyddot) s = by_accelerations(w, dual, &point, &p, out->dtau_dyddot);
  if (s != LIMB_OK) return s;
  const ptrdiff_t size = (ptrdiff_t)p.n * p.y;
  const bool fine = limb_finite_if(p.n, out->tau) && limb_finite_if(size, out->dtau_dy) &&
                    limb_finite_if(size, out->dtau_dydot) && limb_finite_if(size, out->dtau_dyddot);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}
