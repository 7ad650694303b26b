// Torques at active joints, cluster by cluster.
//
// Reference: Khalil 2010, (55)-(57), (57) transposed where it must be; for redundant drives Y. Nakamura, M.
//            Ghodoussi, Dynamics computation of closed-link robot mechanisms with nonredundant and
//            redundant actuators, 1989.
// Cost:      O(n), and cubes of the clusters.
//
//   paper          code     meaning
//   q_a, q_p       -        active and passive joints of the tree
//   G = dq/dq_y    r        velocities by independent ones y: 1 in the rows of y, -A_y in those of pivots
//   Gamma_tr       tree     what the tree would need
//   Gamma_c        tau
//
// Virtual work along the independent velocities:   G_a' tau = G' Gamma_tr,   G_a: rows of G of active joints.
// Where y are the active joints, G_a is a unit matrix. Joints in no loop stand for themselves.

#include "base/numeric.h"
#include "base/status.h"
#include "linalg/balance.h"
#include "linalg/dense.h"
#include "loops/closed_impl.h"

#include <math.h>

// ---- what is said about drives --------------------------------------------------------------------------

static bool bounds_make_sense(double lower, double upper)
{
  return lower <= upper && lower < HUGE_VAL && upper > -HUGE_VAL;
}

limb_status limb_actuation_read(const limb_loops* w, const limb_actuation* given, limb_actuation* out)
{
  *out = limb_default_actuation();
  if (!given) return LIMB_OK;
  const limb_status s = limb_sized_read(out, sizeof *out, given, offsetof(limb_actuation, upper) + sizeof out->upper);
  if (s != LIMB_OK) return s;
  for (int v = 0; v < w->m->nv; v++) {
    if (!w->active[v]) continue;
    const double lower = out->lower ? out->lower[v] : -HUGE_VAL;
    const double upper = out->upper ? out->upper[v] : HUGE_VAL;
    const double numbers[2] = {out->weight ? out->weight[v] : 1, out->preferred ? out->preferred[v] : 0};
    if (!limb_finite(2, numbers) || isnan(lower) || isnan(upper)) return LIMB_E_NONFINITE;
    if (!(numbers[0] > 0) || !bounds_make_sense(lower, upper)) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

// One drive: its numbers, defaults filled in.
typedef struct drive {
  double weight, preferred, lower, upper;
} drive;

static drive drive_of(const limb_actuation* how, int v)
{
  return (drive){how->weight ? how->weight[v] : 1, how->preferred ? how->preferred[v] : 0,
                 how->lower ? how->lower[v] : -HUGE_VAL, how->upper ? how->upper[v] : HUGE_VAL};
}

// ---- a cluster ------------------------------------------------------------------------------------------

// Arrays for n velocities, in w->sharing.
typedef struct group {
  const limb_cluster* k;
  const limb_reduction* r;
  int ny, na;
  int* active; // na: columns of active joints
  double *E, *b, *weight, *preferred, *lower, *upper, *x;
  limb_balance_room room;
} group;

size_t limb_sharing_room(size_t n) { return n * n + 6 * n + limb_balance_work((int)n, (int)n); }

static group group_of(limb_loops* w, int cluster, double tolerance)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  group g = {.k = k, .r = limb_reduce_cluster(w, cluster, w->passive, LIMB_CARRY_NOTHING, tolerance)};
  const size_t n = (size_t)k->nv;
  g.ny = k->nv - g.r->rank;
  g.active = w->sharing_index;
  for (int j = 0; j < k->nv; j++) {
    if (w->active[k->v[j]]) g.active[g.na++] = j;
  }
  double* at = w->sharing;
  g.E = at, at += n * n;
  g.b = at, g.weight = at + n, g.preferred = at + 2 * n, g.lower = at + 3 * n;
  g.upper = at + 4 * n, g.x = at + 5 * n;
  g.room = (limb_balance_room){at + 6 * n, w->sharing_index + n, w->sharing_marks};
  return g;
}

// E = G_a' and b = G' Gamma_tr
static void virtual_work(const group* g, const double* tree)
{
  const limb_reduction* r = g->r;
  const int *y = r->pivot + r->rank, *v = g->k->v;
  for (int i = 0; i < g->ny; i++) {
    g->b[i] = tree[v[y[i]]];
    for (int p = 0; p < r->rank; p++) g->b[i] -= r->A[(ptrdiff_t)p * r->columns + y[i]] * tree[v[r->pivot[p]]];
    for (int a = 0; a < g->na; a++) g->E[(ptrdiff_t)i * g->na + a] = y[i] == g->active[a];
  }
  for (int a = 0; a < g->na; a++) {
    for (int p = 0; p < r->rank; p++) {
      if (r->pivot[p] != g->active[a]) continue;
      for (int i = 0; i < g->ny; i++) g->E[(ptrdiff_t)i * g->na + a] = -r->A[(ptrdiff_t)p * r->columns + y[i]];
    }
  }
}

// The tolerance is a share of the largest entry of G, of which E is a part: as a share of the largest entry
// of E. An E that is all rounding becomes zero.
static double tolerance_in_E(const group* g, double tolerance)
{
  const limb_reduction* r = g->r;
  const int* y = r->pivot + r->rank;
  double in_G = 1;
  for (int i = 0; i < g->ny; i++) {
    for (int p = 0; p < r->rank; p++) in_G = fmax(in_G, fabs(r->A[(ptrdiff_t)p * r->columns + y[i]]));
  }
  const size_t entries = (size_t)g->ny * (size_t)g->na;
  const double in_E = limb_largest(entries, g->E);
  if (in_E > tolerance * in_G) return tolerance * in_G / in_E;
  for (size_t k = 0; k < entries; k++) g->E[k] = 0;
  return tolerance;
}

static limb_status share_in_cluster(limb_loops* w, int cluster, const limb_actuation* how, double tolerance,
                                    const double* tree, double* tau, limb_closed_forces* out)
{
  const group g = group_of(w, cluster, tolerance);
  w->doubtful |= limb_is_doubtful(g.r);
  virtual_work(&g, tree);
  if (!limb_finite(g.ny, g.b)) return LIMB_E_NONFINITE;
  for (int a = 0; a < g.na; a++) {
    const drive d = drive_of(how, g.k->v[g.active[a]]);
    g.weight[a] = d.weight, g.preferred[a] = d.preferred;
    g.lower[a] = d.lower, g.upper[a] = d.upper;
  }
  limb_balance p = {.rows = g.ny,
                    .columns = g.na,
                    .E = g.E,
                    .b = g.b,
                    .weight = g.weight,
                    .preferred = g.preferred,
                    .lower = g.lower,
                    .upper = g.upper,
                    .tolerance = tolerance_in_E(&g, tolerance),
                    .x = g.x};
  const bool solved = limb_balance_solve(&p, &g.room);
  for (int a = 0; a < g.na; a++) tau[g.k->v[g.active[a]]] = g.x[a];
  out->undriven += g.ny - p.rank;
  out->overdriven += g.na - p.rank;
  out->unbalanced = fmax(out->unbalanced, p.left);
  return solved ? LIMB_OK : LIMB_E_NOCONV;
}

// ---- all ------------------------------------------------------------------------------------------------

// A joint in no loop.
static void share_alone(const limb_loops* w, int v, const limb_actuation* how, const double* tree, double* tau,
                        limb_closed_forces* out)
{
  const drive d = drive_of(how, v);
  if (w->active[v] || out->as_tree) tau[v] = fmin(fmax(tree[v], d.lower), d.upper);
  out->undriven += !w->active[v];
  out->unbalanced = fmax(out->unbalanced, fabs(tree[v] - tau[v]));
}

// Torques come out at a bound to rounding.
static bool is_at(double tau, double bound) { return isfinite(bound) && fabs(tau - bound) <= 1e-12 * fabs(bound); }

limb_status limb_share_torques(limb_loops* w, const limb_actuation* how, double tolerance, const double* tree,
                               double* tau, limb_closed_forces* out)
{
  const limb_model* m = w->m;
  limb_status s = LIMB_OK;
  w->doubtful = false;
  out->unbalanced = 0;
  out->undriven = out->overdriven = out->bounded = 0;
  for (int v = 0; v < m->nv; v++) tau[v] = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_status of = share_in_cluster(w, c, how, tolerance, tree, tau, out);
    if (of != LIMB_OK) s = of;
  }
  for (int v = 0; v < m->nv; v++) {
    if (m->nloop == 0 || m->clusters.of_v[v] < 0) share_alone(w, v, how, tree, tau, out);
    const drive d = drive_of(how, v);
    out->bounded += w->active[v] && (is_at(tau[v], d.lower) || is_at(tau[v], d.upper));
  }
  return s;
}
