// Workspaces of loops: one layout function that measures and lays out.

#include "base/memory.h"
#include "linalg/dense.h"
#include "loops/tree_response.h"

#include <math.h>

static double* take(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(double)); }

static int* take_ints(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(int)); }

static size_t dense_size(const limb_model* m)
{
  const size_t n = (size_t)m->nv + (size_t)m->nrow + 1;
  return LIMB_DENSE_PARTS * n * n;
}

static limb_dual_number* take_duals(limb_arena* a, size_t n) { return limb_arena_take(a, n, sizeof(limb_dual_number)); }

static limb_loop_tangents lay_out_tangents(limb_arena* a, const limb_model* m)
{
  const size_t links = LIMB_WS_FORCE * (size_t)m->nlink, nr = (size_t)m->nrow;
  return (limb_loop_tangents){.X = take_duals(a, 2 * links),
                              .vel = take_duals(a, links),
                              .acc = take_duals(a, links),
                              .acc_v = take_duals(a, links),
                              .Psi = take_duals(a, (size_t)m->clusters.entries),
                              .bias = take_duals(a, nr),
                              .reach = take_duals(a, LIMB_WS_FORCE * nr),
                              .lambda = take_duals(a, nr),
                              .wrench = take_duals(a, links),
                              .tau = take_duals(a, (size_t)m->nv)};
}

typedef struct blocks { // of the workspaces inside
  void *data, *dual;
} blocks;

static limb_loops* lay_out(limb_arena* a, const limb_model* m, limb_loops_use use, blocks* in)
{
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nr = (size_t)m->nrow;
  const size_t cv = (size_t)m->clusters.max_nv, cr = (size_t)m->clusters.max_nrow;
  limb_loops* w = limb_arena_take(a, 1, sizeof *w);
  limb_loops t = {.m = m, .use = use, .full = true};
  const limb_model* tree = limb_spanning_tree(m);
  in->data = limb_arena_take(a, limb_data_size(tree), 1);
  t.Psi = take(a, (size_t)m->clusters.entries);
  t.phi = take(a, nr), t.bias = take(a, nr), t.rate = take(a, nr), t.gamma = take(a, nr);
  t.reach = take(a, LIMB_WS_FORCE * nr);
  t.user_index = take_ints(a, nr), t.live = take_ints(a, nr);
  t.nlive = take_ints(a, (size_t)m->clusters.count);
  t.wanted = limb_arena_take(a, (size_t)m->nloop, 1);
  t.mixed = limb_arena_take(a, (size_t)m->clusters.count, 1);
  t.clusters = limb_arena_take(a, (size_t)m->clusters.count, sizeof *t.clusters);
  t.reductions = take(a, (size_t)m->clusters.entries + LIMB_QUAD * nr);
  t.pivots = take_ints(a, nv), t.rows = take_ints(a, nr);
  t.column = take_ints(a, (size_t)m->ncdof), t.first = take_ints(a, (size_t)m->clusters.count);
  t.weight = take_ints(a, nv);
  t.work = take(a, limb_cluster_scratch(cv)), t.kept = take(a, LIMB_CLUSTER_DOF * nv);
  t.held = limb_held_lay_out(a, m);
  t.closures = take(a, LIMB_HELD_CLOSURE * (size_t)m->nloop);
  t.share = take(a, LIMB_HELD_COLUMNS * (size_t)m->nlink);
  t.reduced.A = take(a, cr * (cv + cr + 1));
  t.reduced.pivot = take_ints(a, cv), t.reduced.row = take_ints(a, cr);
  t.cluster_work = take(a, (cv + cr + 2) * (cv + cr + 2));
  t.marks = limb_arena_take(a, nv, 1), t.active = limb_arena_take(a, nv, 1);
  t.prefer = limb_arena_take(a, nv, 1), t.chosen = limb_arena_take(a, nv, 1);
  t.sharing = take(a, limb_sharing_size(cv)), t.sharing_index = take_ints(a, 4 * cv);
  t.sharing_marks = limb_arena_take(a, 2 * cv, 1), t.passive = limb_arena_take(a, nv, 1);
  t.closure = limb_arena_take(a, 2 * (size_t)m->nloop, sizeof *t.closure);
  t.v1 = take(a, nv), t.v2 = take(a, nv), t.v3 = take(a, nv), t.v4 = take(a, nv);
  t.r1 = take(a, nr), t.r2 = take(a, nr), t.r3 = take(a, nr);
  t.q1 = take(a, nq), t.q2 = take(a, nq), t.q3 = take(a, nq);
  t.order = take_ints(a, nv + 2 * nr);
  t.dependent = limb_arena_take(a, nv, 1);
  t.dense = use == LIMB_LOOPS_DENSE ? take(a, dense_size(m)) : NULL;
  t.lambda = take(a, nr);
  t.response = limb_response_lay_out(a, m);
  t.iterate = take(a, 7 * nr), t.blocks = take(a, (size_t)36 * (size_t)m->nloop);
  if (use == LIMB_LOOPS_DENSE) t.along = lay_out_tangents(a, m);
  if (use == LIMB_LOOPS_DENSE) in->dual = limb_arena_take(a, limb_dual_size(tree, LIMB_DUAL_VECTORS), 1);
  if (w) *w = t;
  return w;
}

size_t limb_loops_size(const limb_model* m, limb_loops_use use)
{
  limb_arena a = {0};
  blocks in;
  (void)lay_out(&a, m, use, &in);
  return a.used;
}

// ---- what does not change -----------------------------------------------------------------------------------

// Whether entries of a constraint between joints may be far from 1: gears of large ratios, polynomials.
static bool has_own_units(const limb_loop* loop)
{
  if (!limb_between_joints(loop)) return false;
  const double first = fabs(loop->mult[0]);
  const double peak = fmax(first, fabs(loop->mult[1] * loop->def.coefficient[1]));
  return loop->def.kind != LIMB_LOOP_GEAR || peak < 1e-2 || peak > 1e2;
}

static void number_constraints_and_columns(limb_loops* w)
{
  const limb_model* m = w->m;
  for (int c = 0; c < m->clusters.count; c++) w->mixed[c] = 0;
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const int first = m->clusters.cluster[loop->cluster].row + loop->local;
    for (int r = 0; r < loop->nrow; r++) w->user_index[first + r] = loop->row + r;
    w->mixed[loop->cluster] |= has_own_units(loop);
    w->has_prescribed |= loop->prescribed;
    w->has_wheels |= limb_is_wheel(loop);
  }
  int before = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    w->first[c] = before;
    before += m->clusters.cluster[c].nv;
  }
  for (int i = 0; i < before; i++) w->weight[i] = 0;
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    for (int x = 0; x < loop->naxis; x++) w->weight[w->first[loop->cluster] + loop->axis[x].column]++;
  }
  for (int c = 0; c < m->ncdof && m->nloop > 0; c++) {
    const int v = m->dof[c].v, of = m->clusters.of_v[v];
    w->column[c] = of < 0 ? -1 : limb_cluster_column(&m->clusters.cluster[of], v);
  }
  for (int v = 0; v < m->nv; v++) {
    w->active[v] = w->d->inverse[v] == LIMB_ACCELERATION_GIVEN;
    w->passive[v] = !w->active[v];
  }
}

// A share of the largest entry that counts as nothing.
#define IDLE 1e-12

// Largest entry of the constraints of a loop.
static double largest_in_loop(const limb_loops* w, const limb_loop* loop)
{
  const limb_cluster* k = &w->m->clusters.cluster[loop->cluster];
  return limb_largest((size_t)loop->nrow * (size_t)k->nv, w->Psi + k->block + (ptrdiff_t)loop->local * k->nv);
}

// Constraints with something in them at a configuration taken at random: marked in r1. Those of gears and
// polynomials, which have units of their own, always have.
static limb_status mark_moved_constraints(limb_loops* w, uint64_t* seed)
{
  const limb_model* m = w->m;
  limb_status s = limb_random(m, seed, w->q1);
  if (s == LIMB_OK) s = limb_constraints_at(w, w->q1, NULL, 0, LIMB_NEED_PSI);
  for (int c = 0; s == LIMB_OK && c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    double largest = 0;
    for (int l = 0; l < k->nloop; l++) {
      const limb_loop* loop = &m->loop[k->loop[l]];
      if (!limb_between_joints(loop)) largest = fmax(largest, largest_in_loop(w, loop));
    }
    for (int l = 0; l < k->nloop; l++) {
      const limb_loop* loop = &m->loop[k->loop[l]];
      const double threshold = limb_between_joints(loop) ? 0 : IDLE * largest;
      for (int r = loop->local; r < loop->local + loop->nrow; r++) {
        const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
        if (limb_largest((size_t)k->nv, row) > threshold) w->r1[k->row + r] = 1;
      }
    }
  }
  return s;
}

// Constraints that no joint moves anywhere: three configurations taken at random agree on it. Those of a planar
// mechanism that hold it in its plane, say. Where a wheel happens to lie flat nothing is learnt;
// LIMB_E_SINGULAR when it always does.
static limb_status find_idle_constraints(limb_loops* w)
{
  const limb_model* m = w->m;
  enum { TRIES = 3 };
  uint64_t seed = 1;
  limb_status s = LIMB_OK;
  int flat = 0;
  for (int r = 0; r < m->nrow; r++) w->r1[r] = 0;
  for (int i = 0; s == LIMB_OK && i < TRIES; i++) {
    s = mark_moved_constraints(w, &seed);
    if (s == LIMB_E_SINGULAR && ++flat < TRIES) s = LIMB_OK;
  }
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    w->nlive[c] = 0;
    for (int r = 0; r < k->nrow; r++) {
      if (w->r1[k->row + r] > 0) w->live[k->row + w->nlive[c]++] = r;
    }
  }
  for (int l = 0; l < m->nloop; l++) {
    const int first = m->clusters.cluster[m->loop[l].cluster].row + m->loop[l].local;
    unsigned bits = 0;
    for (int r = 0; r < m->loop[l].nrow; r++) bits |= (w->r1[first + r] > 0 ? 1U : 0U) << r;
    w->wanted[l] = (unsigned char)bits;
  }
  return s;
}

limb_loop_settings limb_default_loop_settings(void)
{
  return (limb_loop_settings){
    .size = sizeof(limb_loop_settings), .solver = limb_default_loop_solver(), .actuation = limb_default_actuation()};
}

// ---- life ---------------------------------------------------------------------------------------------------

limb_status limb_loops_init(limb_data* owner, limb_loops_use use, void* memory, limb_loops** out)
{
  const limb_model *m = owner->m, *tree = limb_spanning_tree(m);
  limb_arena a = limb_arena_over(memory, limb_loops_size(m, use));
  blocks in;
  limb_loops* w = lay_out(&a, m, use, &in);
  w->owner = owner;
  w->settings = limb_default_loop_settings();
  for (int r = 0; r < m->nrow; r++) w->lambda[r] = 0;
  limb_status s = limb_data_init(tree, in.data, limb_data_size(tree), &w->d);
  if (s == LIMB_OK && use == LIMB_LOOPS_DENSE)
    s = limb_dual_init(tree, LIMB_DUAL_VECTORS, in.dual, limb_dual_size(tree, LIMB_DUAL_VECTORS), &w->dual);
  if (s != LIMB_OK) return s;
  w->kernels = limb_loop_kernels_here();
  w->cluster_kernels = limb_cluster_kernels_here();
  w->held_kernels = limb_held_kernels_here();
  number_constraints_and_columns(w);
  s = find_idle_constraints(w);
  if (s == LIMB_OK) limb_plan_held(w);
  *out = w;
  return s;
}
