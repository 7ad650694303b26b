// Forward dynamics of robots whose loops hold the ends of chains: feet on the ground, legs of a platform, four-bars.
//
// The algorithm is in kernel/held_kernel.h. Here is which robots it is for, decided once per workspace, and the call,
// which says so when a state is not for it: chains that are stretched, moving bases. Those go cluster by cluster.
//
// A plan exists when every closure is between frames and has chains with as many joints as it has constraints, which
// move them independently at configurations taken at random. Of its two ends, at most one anchor is a link.

#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <math.h>

enum { LARGE = 8 }; // velocities of a cluster, below which eliminating it as a whole is faster

limb_held_plan limb_held_lay_out(limb_arena* a, const limb_model* m)
{
  const size_t links = (size_t)m->nlink;
  return (limb_held_plan){.held = limb_arena_take(a, (size_t)m->nloop, sizeof(limb_held)),
                          .chain = limb_arena_take(a, links, sizeof(int)),
                          .at = limb_arena_take(a, links, sizeof(int))};
}

// ---- the plan -----------------------------------------------------------------------------------------------

// Whether link i has a joint with one velocity, which moves this loop and no other.
static bool is_private(const limb_loops* w, const limb_loop* loop, int i)
{
  const limb_link* link = &w->m->link[i];
  if (link->ndof != 1) return false;
  for (int x = 0; x < loop->naxis; x++)
    if (loop->axis[x].link == i) return w->weight[w->first[loop->cluster] + loop->axis[x].column] == 1;
  return false;
}

// Marks a chain from its tip on; its anchor. top: its last link, -1: it has none.
static int climb(limb_loops* w, int l, int e, int tip, int* top)
{
  int i = tip;
  for (*top = -1; i >= 0 && is_private(w, &w->m->loop[l], i); i = w->m->link[i].parent) {
    w->held.chain[i] = 2 * l + e;
    *top = i;
  }
  return i;
}

// A closure with its chains; false: it is not like that.
static bool plan_closure(limb_loops* w, int l)
{
  const limb_loop* loop = &w->m->loop[l];
  const int first = w->m->clusters.cluster[loop->cluster].row + loop->local;
  limb_held* x = &w->held.held[l];
  if (limb_between_joints(loop) || loop->prescribed || loop->holonomic < loop->nrow) return false;
  *x = (limb_held){.tip = {loop->link_b, loop->link_a}, .anchor = -1, .next = -1};
  for (int r = 0; r < loop->nrow; r++)
    if (w->wanted[l] & 1U << (unsigned)r) x->row[x->rows++] = first + r;
  int top[2];
  for (int e = 0; e < 2; e++) x->end[e] = climb(w, l, e, x->tip[e], &top[e]);
  if (x->end[0] >= 0 && x->end[1] >= 0 && x->end[0] != x->end[1]) return false;
  x->anchor = x->end[0] >= 0 ? x->end[0] : x->end[1];
  for (int e = 0; e < 2; e++)
    if (top[e] >= 0 && top[e] < x->anchor) return false; // chains arrive before the anchor goes on
  if (x->anchor < 0) return true;
  x->next = w->held.at[x->anchor];
  w->held.at[x->anchor] = l;
  return true;
}

// Whether the chains of a closure move its constraints independently; needs Psi.
static bool chains_span(limb_loops* w, int l)
{
  const limb_loop* loop = &w->m->loop[l];
  const limb_cluster* k = &w->m->clusters.cluster[loop->cluster];
  const limb_held* x = &w->held.held[l];
  limb_reduction* r = &w->reduced;
  int columns = 0;
  for (int a = 0; a < loop->naxis; a++) columns += w->held.chain[loop->axis[a].link] >> 1 == l;
  if (columns < x->rows) return false;
  r->rows = x->rows, r->columns = columns, r->extra = 0;
  double* to = r->A;
  for (int i = 0; i < x->rows; i++) {
    const double* row = w->Psi + k->block + (ptrdiff_t)(x->row[i] - k->row) * k->nv;
    for (int a = 0; a < loop->naxis; a++)
      if (w->held.chain[loop->axis[a].link] >> 1 == l) *to++ = row[loop->axis[a].column];
  }
  const double share = sqrt(LIMB_HELD_SPAN);
  limb_row_reduce(r, NULL, share);
  return r->rank == x->rows;
}

static bool all_span(limb_loops* w)
{
  for (int l = 0; l < w->m->nloop; l++)
    if (!chains_span(w, l)) return false;
  return true;
}

void limb_plan_held(limb_loops* w)
{
  enum { TRIES = 4 };
  const limb_model* m = w->m;
  uint64_t seed = 1;
  for (int i = 0; i < m->nlink; i++) w->held.chain[i] = w->held.at[i] = -1;
  bool fits = w->held_kernels->forward && !m->has_mimic && m->clusters.max_nv >= LARGE;
  for (int l = 0; fits && l < m->nloop; l++) fits = plan_closure(w, l);
  for (int k = 0; fits && k < TRIES; k++) {
    limb_status s = limb_random(m, &seed, w->q1);
    if (s == LIMB_OK) s = limb_constraints_at(w, w->q1, NULL, 0, LIMB_NEED_PSI);
    if (s != LIMB_OK) return;
    if (all_span(w)) {
      w->held.count = m->nloop;
      return;
    }
  }
}

// ---- the call -----------------------------------------------------------------------------------------------

static bool run_held(limb_loops* w, const limb_forward_in* in, const limb_call_environment* x, double* a)
{
  const limb_link_motion* own = &w->d->own;
  if (w->d->ws.base_turns) return false;
  const limb_held_in held = {.plan = &w->held,
                             .v = in->v,
                             .tau = in->tau,
                             .terms = &x->terms,
                             .wrench = x->wrench,
                             .X = &own->X->R.m[0],
                             .vel = &own->v->w.x,
                             .acc_v = &own->a_v->w.x,
                             .reach = w->reach,
                             .gamma = w->gamma,
                             .closures = w->closures,
                             .share = w->share};
  const double margin = w->held_kernels->forward(w->m, w->m->k64, &w->d->ws, &held, a);
  return margin > 0 && limb_finite_v(w->d, a);
}

limb_status limb_forward_held(limb_loops* w, const limb_forward_in* in, const limb_loop_solver* o, double* a,
                              bool* done)
{
  limb_call_environment x;
  *done = false;
  limb_status s = limb_constraints_at(w, in->q, in->v, o->loops.time,
                                      LIMB_NEED_GAMMA | LIMB_NEED_REACH | LIMB_NEED_LEAN | LIMB_NEED_RAW);
  if (s == LIMB_OK) s = limb_enter(w->d, in->env, in->q, in->v, &x);
  if (s != LIMB_OK) return s;
  *done = run_held(w, in, &x, a);
  limb_leave(w->d, &x);
  return LIMB_OK;
}
