// Which velocities follow from which: candidates from each configuration, judged at all of them.
//
// Cost: configurations^2 reductions of Psi.
#include "symbolic/loop_split.h"

#include "limb/assemble.h"

#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { CONFIGURATIONS = 12 };

#define DEPENDENT 1e-9 // what is left of a row that depends on others
#define THIN      1e-5 // pivot of an equation that hardly counts, beside the greatest

#define LEAST 1e-6 // pivot of a choice that holds, beside the greatest

// ---- configurations -----------------------------------------------------------------------------------

#define REACH 0.5 // of steps away from the start [rad, m]

// Near the start configuration, or anywhere.
static limb_status begin_at(limb_loops* w, bool anywhere, uint64_t* seed, double* q)
{
  const limb_model* m = w->m;
  if (anywhere) return limb_random(m, seed, q);
  for (int v = 0; v < m->nv; v++) w->v1[v] = REACH * limb_random_sign(seed);
  const limb_status s = limb_start(m, w->q1);
  return s == LIMB_OK ? limb_integrate(m, w->q1, w->v1, 1, q) : s;
}

// Rank of all rows at a configuration that closes the loops, and of what the joints without motor have of
// them, together; -1: hardly anything is left of some row, as where a chain is stretched out.
static int rank_at(limb_loops* w, const double* q)
{
  int rank = 0;
  if (limb_constraints_at(w, q, NULL, 0, LIMB_NEED_PSI) != LIMB_OK) return -1;
  for (int k = 0; k < w->m->clusters.count; k++) {
    const limb_reduction* r = limb_reduce_cluster(w, k, w->passive, LIMB_CARRY_NOTHING, DEPENDENT);
    if (r->min_pivot < THIN * r->max_pivot) return -1;
    rank += r->rank + r->preferred;
  }
  return rank;
}

int limb_closed_configurations(limb_loops* w, uint64_t seed, int most, double* q, int* singular)
{
  limb_assembly how = limb_default_assembly();
  int found = 0, best = 0;
  *singular = 0;
  for (int i = 0; i < 3 * most && found < most; i++) {
    double* at = q + (ptrdiff_t)found * w->m->nq;
    if (begin_at(w, i % 2, &seed, at) != LIMB_OK) continue;
    how.seed = (uint64_t)i;
    if (limb_assemble(w, &how, at, NULL) != LIMB_OK) continue;
    const int rank = rank_at(w, at);
    if (rank > best && found > 0) { // those before were the singular ones
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

// ---- the choice ---------------------------------------------------------------------------------------

typedef struct chooser {
  limb_loops* w;
  int nq;              // configurations
  double* q;           // of them
  double* worth;       // clusters: least pivot of the best choice so far
  unsigned char* mark; // nv: the choice that is looked at
  double* least;       // clusters: its least pivot
  limb_split* to;
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
                   "singular closed form: %s; limb_closed_forward_dynamics and limb_project of the "
                   "library do without one",
                   why);
}

static const char varies[] = "the rank of the loops' equations is not the same everywhere";

static int passive_in(const limb_loops* w, int cluster)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  int n = 0;
  for (int j = 0; j < k->nv; j++) n += w->passive[k->v[j]];
  return n;
}

// Ranks of the clusters, and what is not driven.
static limb_status find_ranks(const chooser* c)
{
  const limb_clusters* all = &c->w->m->clusters;
  for (int i = 0; i < c->nq; i++) {
    const limb_status s = rows_of_configuration(c, i);
    if (s != LIMB_OK) return s;
    for (int k = 0; k < all->count; k++) {
      const limb_reduction* r = limb_reduce_cluster(c->w, k, c->w->passive, LIMB_CARRY_NOTHING, DEPENDENT);
      if (i > 0 && r->rank != c->to->rank[k]) return singular(c, k, varies);
      c->to->rank[k] = r->rank;
      c->to->undriven[k] = passive_in(c->w, k) - r->preferred;
    }
  }
  return LIMB_OK;
}

// c->mark: dependent velocities of all clusters as the rows of configuration i have them.
static limb_status candidate(const chooser* c, int i, const unsigned char* prefer)
{
  const limb_clusters* all = &c->w->m->clusters;
  const limb_status s = rows_of_configuration(c, i);
  memset(c->mark, 0, (size_t)c->w->m->nv);
  for (int k = 0; s == LIMB_OK && k < all->count; k++) {
    const limb_reduction* r = limb_reduce_cluster(c->w, k, prefer, LIMB_CARRY_NOTHING, DEPENDENT);
    for (int p = 0; p < r->rank; p++) c->mark[all->cluster[k].v[r->pivot[p]]] = 1;
  }
  return s;
}

// c->least: 0 where the choice does not hold.
static limb_status judge(const chooser* c)
{
  const int count = c->w->m->clusters.count;
  for (int k = 0; k < count; k++) c->least[k] = 1;
  for (int i = 0; i < c->nq; i++) {
    const limb_status s = rows_of_configuration(c, i);
    if (s != LIMB_OK) return s;
    for (int k = 0; k < count; k++) {
      const limb_reduction* r = limb_reduce_cluster(c->w, k, c->mark, LIMB_CARRY_NOTHING, DEPENDENT);
      if (r->rank == 0) continue;
      const double share = r->preferred == r->rank ? r->min_pivot / r->max_pivot : 0;
      c->least[k] = fmin(c->least[k], share);
    }
  }
  return LIMB_OK;
}

// Cluster by cluster, what is better than before.
static void keep_better(const chooser* c)
{
  const limb_clusters* all = &c->w->m->clusters;
  for (int k = 0; k < all->count; k++) {
    if (!(c->least[k] > c->worth[k])) continue;
    const limb_cluster* x = &all->cluster[k];
    for (int j = 0; j < x->nv; j++) c->to->dependent[x->v[j]] = c->mark[x->v[j]];
    c->worth[k] = c->least[k];
  }
}

static limb_status choose(const chooser* c, const unsigned char* prefer)
{
  limb_status s = find_ranks(c);
  for (int i = 0; s == LIMB_OK && i < c->nq; i++) {
    s = candidate(c, i, prefer);
    if (s == LIMB_OK) s = judge(c);
    if (s == LIMB_OK) keep_better(c);
  }
  c->to->worth = 1;
  for (int k = 0; s == LIMB_OK && k < c->w->m->clusters.count; k++) {
    c->to->worth = fmin(c->to->worth, c->worth[k]);
    if (!(c->worth[k] > LEAST)) s = singular(c, k, "no choice of independent velocities holds everywhere");
  }
  return s;
}

// ---- all ----------------------------------------------------------------------------------------------

static bool take_room(limb_program* p, const limb_model* m, limb_split* to)
{
  const size_t nv = (size_t)m->nv + 1, rows = (size_t)m->nrow + 1;
  const size_t clusters = (size_t)m->clusters.count + 1;
  *to = (limb_split){.y = limb_program_take(p, nv, sizeof(int)),
                     .dependent = limb_program_take(p, nv, 1),
                     .rank = limb_program_take(p, clusters, sizeof(int)),
                     .undriven = limb_program_take(p, clusters, sizeof(int)),
                     .live = limb_program_take(p, rows, sizeof(int)),
                     .nlive = limb_program_take(p, clusters, sizeof(int))};
  return to->y && to->dependent && to->rank && to->undriven && to->live && to->nlive;
}

static void copy_rows(const limb_loops* w, limb_split* to)
{
  const limb_model* m = w->m;
  for (int r = 0; r < m->nrow; r++) to->live[r] = w->live[r];
  for (int k = 0; k < m->clusters.count; k++) to->nlive[k] = w->nlive[k];
}

static limb_status choose_in(limb_loops* w, const unsigned char* prefer, limb_program* p, limb_split* to,
                             limb_error* error)
{
  const limb_model* m = w->m;
  const size_t clusters = (size_t)m->clusters.count + 1;
  chooser c = {.w = w,
               .q = limb_program_take(p, CONFIGURATIONS * (size_t)m->nq + 1, sizeof(double)),
               .worth = limb_program_take(p, clusters, sizeof(double)),
               .mark = limb_program_take(p, (size_t)m->nv + 1, 1),
               .least = limb_program_take(p, clusters, sizeof(double)),
               .to = to,
               .error = error};
  if (!c.q || !c.worth || !c.mark || !c.least || !take_room(p, m, to)) return LIMB_E_NOMEM;
  if (w->has_prescribed)
    return limb_fail(error, LIMB_E_UNSUPPORTED, NULL,
                     "a loop follows a law in time, which generated code does not know; take the "
                     "law away, or use the library");
  int less;
  c.nq = limb_closed_configurations(w, 1, CONFIGURATIONS, c.q, &less);
  if (less > c.nq) return singular(&c, 0, varies);
  if (c.nq == 0)
    return limb_fail(error, LIMB_E_UNSUPPORTED, NULL,
                     "no configuration was found that closes the loops; `limb assemble` says "
                     "which loop is in the way");
  copy_rows(w, to);
  const limb_status s = choose(&c, prefer ? prefer : w->passive);
  for (int v = 0; v < m->nv; v++) {
    if (!to->dependent[v]) to->y[to->ny++] = v;
  }
  return s;
}

limb_status limb_split_choose(const limb_model* m, const unsigned char* prefer, limb_program* p, limb_split* out,
                              limb_error* error)
{
  limb_loops* w;
  limb_status s = limb_loops_create(m, LIMB_LOOPS_LINEAR, &p->alloc, &w);
  if (s != LIMB_OK)
    return limb_fail(error, s == LIMB_E_NOMEM ? s : LIMB_E_UNSUPPORTED, NULL, "singular closed form: %s",
                     limb_status_text(s));
  s = choose_in(w, prefer, p, out, error);
  limb_loops_destroy(w);
  return s;
}
