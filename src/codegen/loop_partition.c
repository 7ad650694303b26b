// Coordinate partitioning: which velocities follow from which. Candidates come from configurations that close the
// loops, and each is judged at all of them (trace.h).
//
// Reference: R. A. Wehage, E. J. Haug, Generalized coordinate partitioning for dimension reduction in analysis of
// constrained dynamic systems, J. Mech. Des. 104, 1982. Cost: configurations^2 reductions of Psi.
#include "limb/assemble.h"

#include "base/numeric.h"
#include "base/status.h"
#include "codegen/trace.h"

#include <math.h>
#include <string.h>

enum { CONFIGURATIONS = 12 };

#define RANK_TOLERANCE 1e-9 // remainder of a row that depends on others
#define PIVOT_THIN     1e-5 // pivot of a nearly dependent row, relative to the greatest

#define PIVOT_MIN 1e-6 // smallest pivot of a valid choice, relative to the greatest

// ---- configurations ------------------------------------------------------------------------------------------------

#define REACH 0.5 // steps away from the start [rad, m]

// A first guess near the start configuration, or anywhere.
static limb_status begin_at(limb_loops* w, bool anywhere, uint64_t* seed, double* q)
{
  const limb_model* m = w->m;
  if (anywhere) return limb_random(m, seed, q);
  for (int v = 0; v < m->nv; v++) w->v1[v] = REACH * limb_random_sign(seed);
  const limb_status s = limb_start(m, w->q1);
  return s == LIMB_OK ? limb_integrate(m, w->q1, w->v1, 1, q) : s;
}

// Rank of Psi plus that of its columns of passive joints, at a configuration that closes the loops; -1: nearly
// singular, as where a chain is stretched out.
static int rank_at(limb_loops* w, const double* q)
{
  int rank = 0;
  if (limb_constraints_at(w, q, NULL, 0, LIMB_NEED_PSI) != LIMB_OK) return -1;
  for (int k = 0; k < w->m->clusters.count; k++) {
    const limb_reduction* r = limb_reduce_cluster(w, k, w->passive, LIMB_CARRY_NOTHING, RANK_TOLERANCE);
    if (r->min_pivot < PIVOT_THIN * r->max_pivot) return -1;
    rank += r->rank + r->preferred;
  }
  return rank;
}

int limb_draw_closed_configurations(limb_loops* w, uint64_t seed, int max_count, double* q, int* singular)
{
  limb_assembly how = limb_default_assembly();
  int found = 0, best = 0;
  *singular = 0;
  for (int i = 0; i < 3 * max_count && found < max_count; i++) {
    double* at = q + (ptrdiff_t)found * w->m->nq;
    if (begin_at(w, i % 2, &seed, at) != LIMB_OK) continue;
    how.seed = (uint64_t)i;
    if (limb_assemble(w->owner, &how, at, NULL) != LIMB_OK) continue;
    const int rank = rank_at(w, at);
    if (rank > best && found > 0) { // the earlier ones were singular
      memcpy(q, at, (size_t)w->m->nq * sizeof *q);
      *singular += found, found = 0;
    }
    if (rank >= best)
      best = rank, found++;
    else
      ++*singular;
  }
  return found;
}

// ---- the choice ----------------------------------------------------------------------------------------------------

typedef struct chooser {
  limb_loops* w;
  int nq;              // configurations
  double* q;           // the configurations
  double* pivot;       // clusters: smallest pivot of the best choice so far
  unsigned char* mark; // nv: dependent velocities of the current choice
  double* min_pivot;   // clusters: smallest pivot of the current choice
  limb_partition* to;
  limb_error* error;
} chooser;

static limb_status rows_of_configuration(const chooser* c, int i)
{
  return limb_constraints_at(c->w, c->q + (ptrdiff_t)i * c->w->m->nq, NULL, 0, LIMB_NEED_PSI);
}

static limb_status singular(const chooser* c, int cluster, const char* why)
{
  const limb_model* m = c->w->m;
  const int loop = m->clusters.cluster[cluster].loop[0];
  return limb_fail(c->error, LIMB_E_UNSUPPORTED, m->loop[loop].def.name,
                   "singular closed form: %s; limb_forward_dynamics and limb_project of the library need none", why);
}

static const char rank_varies[] = "the rank of the loop equations varies with the configuration";

static int passive_in(const limb_loops* w, int cluster)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  int n = 0;
  for (int j = 0; j < k->nv; j++) n += w->passive[k->v[j]];
  return n;
}

// Ranks of the clusters, and motions without motor.
static limb_status find_ranks(const chooser* c)
{
  const limb_clusters* all = &c->w->m->clusters;
  for (int i = 0; i < c->nq; i++) {
    const limb_status s = rows_of_configuration(c, i);
    if (s != LIMB_OK) return s;
    for (int k = 0; k < all->count; k++) {
      const limb_reduction* r = limb_reduce_cluster(c->w, k, c->w->passive, LIMB_CARRY_NOTHING, RANK_TOLERANCE);
      if (i > 0 && r->rank != c->to->rank[k]) return singular(c, k, rank_varies);
      c->to->rank[k] = r->rank;
      c->to->undriven[k] = passive_in(c->w, k) - r->preferred;
    }
  }
  return LIMB_OK;
}

// Sets c->mark to the dependent velocities that configuration i suggests.
static limb_status candidate(const chooser* c, int i, const unsigned char* prefer)
{
  const limb_clusters* all = &c->w->m->clusters;
  const limb_status s = rows_of_configuration(c, i);
  memset(c->mark, 0, (size_t)c->w->m->nv);
  for (int k = 0; s == LIMB_OK && k < all->count; k++) {
    const limb_reduction* r = limb_reduce_cluster(c->w, k, prefer, LIMB_CARRY_NOTHING, RANK_TOLERANCE);
    for (int p = 0; p < r->rank; p++) c->mark[all->cluster[k].v[r->pivot[p]]] = 1;
  }
  return s;
}

// Sets c->min_pivot; 0 where the choice does not hold.
static limb_status evaluate_choice(const chooser* c)
{
  const int count = c->w->m->clusters.count;
  for (int k = 0; k < count; k++) c->min_pivot[k] = 1;
  for (int i = 0; i < c->nq; i++) {
    const limb_status s = rows_of_configuration(c, i);
    if (s != LIMB_OK) return s;
    for (int k = 0; k < count; k++) {
      const limb_reduction* r = limb_reduce_cluster(c->w, k, c->mark, LIMB_CARRY_NOTHING, RANK_TOLERANCE);
      if (r->rank == 0) continue;
      const double share = r->preferred == r->rank ? r->min_pivot / r->max_pivot : 0;
      c->min_pivot[k] = fmin(c->min_pivot[k], share);
    }
  }
  return LIMB_OK;
}

// Keeps the current choice in the clusters where it is better.
static void keep_better(const chooser* c)
{
  const limb_clusters* all = &c->w->m->clusters;
  for (int k = 0; k < all->count; k++) {
    if (!(c->min_pivot[k] > c->pivot[k])) continue;
    const limb_cluster* x = &all->cluster[k];
    for (int j = 0; j < x->nv; j++) c->to->dependent[x->v[j]] = c->mark[x->v[j]];
    c->pivot[k] = c->min_pivot[k];
  }
}

static limb_status choose(const chooser* c, const unsigned char* prefer)
{
  limb_status s = find_ranks(c);
  for (int i = 0; s == LIMB_OK && i < c->nq; i++) {
    s = candidate(c, i, prefer);
    if (s == LIMB_OK) s = evaluate_choice(c);
    if (s == LIMB_OK) keep_better(c);
  }
  c->to->min_pivot = 1;
  for (int k = 0; s == LIMB_OK && k < c->w->m->clusters.count; k++) {
    c->to->min_pivot = fmin(c->to->min_pivot, c->pivot[k]);
    if (!(c->pivot[k] > PIVOT_MIN)) s = singular(c, k, "no choice of independent velocities holds everywhere");
  }
  return s;
}

// ---- entry point ---------------------------------------------------------------------------------------------------

static bool alloc_partition(limb_program* p, const limb_model* m, limb_partition* to)
{
  const size_t nv = (size_t)m->nv + 1, rows = (size_t)m->nrow + 1;
  const size_t clusters = (size_t)m->clusters.count + 1;
  *to = (limb_partition){.y = limb_program_alloc(p, nv, sizeof(int)),
                         .dependent = limb_program_alloc(p, nv, 1),
                         .rank = limb_program_alloc(p, clusters, sizeof(int)),
                         .undriven = limb_program_alloc(p, clusters, sizeof(int)),
                         .live = limb_program_alloc(p, rows, sizeof(int)),
                         .nlive = limb_program_alloc(p, clusters, sizeof(int))};
  return to->y && to->dependent && to->rank && to->undriven && to->live && to->nlive;
}

static void copy_rows(const limb_loops* w, limb_partition* to)
{
  const limb_model* m = w->m;
  for (int r = 0; r < m->nrow; r++) to->live[r] = w->live[r];
  for (int k = 0; k < m->clusters.count; k++) to->nlive[k] = w->nlive[k];
}

static limb_status choose_in(limb_loops* w, const unsigned char* prefer, limb_program* p, limb_partition* to,
                             limb_error* error)
{
  const limb_model* m = w->m;
  const size_t clusters = (size_t)m->clusters.count + 1;
  chooser c = {.w = w,
               .q = limb_program_alloc(p, CONFIGURATIONS * (size_t)m->nq + 1, sizeof(double)),
               .pivot = limb_program_alloc(p, clusters, sizeof(double)),
               .mark = limb_program_alloc(p, (size_t)m->nv + 1, 1),
               .min_pivot = limb_program_alloc(p, clusters, sizeof(double)),
               .to = to,
               .error = error};
  if (!c.q || !c.pivot || !c.mark || !c.min_pivot || !alloc_partition(p, m, to)) return LIMB_E_NOMEM;
  if (w->has_prescribed)
    return limb_fail(
      error, LIMB_E_UNSUPPORTED, NULL,
      "a loop has a prescribed motion, which generated code does not support; remove it, or use the library");
  int less;
  c.nq = limb_draw_closed_configurations(w, 1, CONFIGURATIONS, c.q, &less);
  if (less > c.nq) return singular(&c, 0, rank_varies);
  if (c.nq == 0)
    return limb_fail(error, LIMB_E_UNSUPPORTED, NULL,
                     "no configuration was found that closes the loops; `limb assemble` reports which loop fails");
  copy_rows(w, to);
  const limb_status s = choose(&c, prefer ? prefer : w->passive);
  for (int v = 0; v < m->nv; v++) {
    if (!to->dependent[v]) to->y[to->ny++] = v;
  }
  return s;
}

limb_status limb_partition_choose(const limb_model* m, const unsigned char* prefer, limb_program* p,
                                  limb_partition* out, limb_error* error)
{
  limb_data* d;
  limb_status s = limb_data_create(m, &p->alloc, &d);
  if (s != LIMB_OK)
    return limb_fail(error, s == LIMB_E_NOMEM ? s : LIMB_E_UNSUPPORTED, NULL, "singular closed form: %s",
                     limb_status_text(s));
  s = choose_in(d->loops, prefer, p, out, error);
  limb_data_destroy(d);
  return s;
}
