// Where a robot is cut.
//
// Trees. The trunk begins as the roots, each carries a limb. Again and again the largest limb is replaced by
// those behind its first junction, whose way joins the trunk. Of all stages the one is taken that is done
// first: trunk, and the limbs dealt to the processors, the largest first. Cost O(limbs processors) a stage.
//
// Chains. The root is the trunk. For k processors, inverse dynamics takes k + 1 parts: the first one needs no
// preparation and the last one is prepared by nobody; forward dynamics takes k (docs/long-chains.md).

#include "batch/batch_impl.h"

enum {
  STAGES = 2 * LIMB_SPLIT_PARTS,
  // Joints that must be saved, measured on two processors: what handing over costs, and half as much again.
  MIN_INVERSE = 40,
  MIN_FORWARD = 20,
  MIN_CHAIN_INVERSE = 100,
  MIN_CHAIN_FORWARD = 200,
  CHAIN_PART = 128, // joints for each processor: joins are one after the other
  // Length of the last part of a chain, in hundredths of another's: they do different work.
  LAST_INVERSE = 85,
  LAST_FORWARD = 170
};

typedef struct limbs {
  int count;
  int link[LIMB_SPLIT_PARTS]; // that carry them
} limbs;

static int size_of(const limb_model* m, int link) { return m->link[link].end - link - 1; }

static bool begin_with_roots(const limb_model* m, limbs* x)
{
  x->count = 0;
  for (int i = 0; i < m->nlink; i = m->link[i].end) {
    if (x->count == LIMB_SPLIT_PARTS) return false;
    x->link[x->count++] = i;
  }
  return true;
}

// Replaces the largest limb by those behind its first junction. False: it is a chain, or there are too many limbs.
static bool next_stage(const limb_model* m, limbs* x)
{
  int largest = 0;
  if (x->count == 0) return false;
  for (int i = 1; i < x->count; i++) {
    if (size_of(m, x->link[i]) > size_of(m, x->link[largest])) largest = i;
  }
  int j = x->link[largest];
  const int end = m->link[j].end;
  while (j + 1 < end && m->link[j + 1].end == end) j++;
  if (j + 1 == end) return false;
  x->link[largest] = x->link[--x->count];
  for (int c = j + 1; c < end; c = m->link[c].end) {
    if (x->count == LIMB_SPLIT_PARTS) return false;
    x->link[x->count++] = c;
  }
  return true;
}

// Ascending, without those too small to be worth a task.
static limbs worth_it(const limb_model* m, const limbs* x, int small)
{
  limbs y = {0};
  for (int i = 0; i < x->count; i++) {
    if (size_of(m, x->link[i]) < small) continue;
    int at = y.count++;
    for (; at > 0 && y.link[at - 1] > x->link[i]; at--) y.link[at] = y.link[at - 1];
    y.link[at] = x->link[i];
  }
  return y;
}

// Links on the longest way through a call: the trunk, and the processor with most of the limbs.
static int longest(const limb_model* m, const limbs* x, int processors)
{
  int load[LIMB_SPLIT_PROCESSORS_MAX] = {0}, max = 0, trunk = m->nlink;
  bool dealt[LIMB_SPLIT_PARTS] = {0};
  for (int k = 0; k < x->count; k++) {
    int next = -1, idle = 0;
    for (int i = 0; i < x->count; i++) {
      if (!dealt[i] && (next < 0 || size_of(m, x->link[i]) > size_of(m, x->link[next]))) next = i;
    }
    for (int p = 1; p < processors; p++) {
      if (load[p] < load[idle]) idle = p;
    }
    const int links = size_of(m, x->link[next]);
    dealt[next] = true;
    load[idle] += links;
    trunk -= links;
    if (load[idle] > max) max = load[idle];
  }
  return trunk + max;
}

static void plan_tree(const limb_model* m, int processors, int min_saved, limb_plan* plan)
{
  const int small = min_saved / 4 > 0 ? min_saved / 4 : 1;
  limbs x, best = {0};
  int shortest = m->nlink;
  bool more = begin_with_roots(m, &x);
  for (int stage = 0; more && stage < STAGES; stage++) {
    const limbs y = worth_it(m, &x, small);
    const int length = longest(m, &y, processors);
    if (length < shortest) shortest = length, best = y;
    more = next_stage(m, &x);
  }
  if (best.count < 2 || m->nlink - shortest < min_saved) return;
  plan->count = best.count;
  for (int i = 0; i < best.count; i++) {
    plan->part[i].begin = best.link[i] + 1;
    plan->part[i].end = m->link[best.link[i]].end;
    plan->part[i].previous = -1;
  }
}

// Holding parts have joints with one degree of freedom only.
static bool can_hold(const limb_model* m)
{
  for (int i = 1; i < m->nlink; i++) {
    if (m->link[i].ndof != 1) return false;
  }
  return true;
}

static void plan_chain(const limb_model* m, limb_split_way way, int processors, int min_saved, limb_plan* plan)
{
  const int n = m->nlink - 1;
  const int count = way == LIMB_SPLIT_INVERSE ? processors + 1 : processors;
  const int last = way == LIMB_SPLIT_INVERSE ? LAST_INVERSE : LAST_FORWARD;
  const int saved = (int)((int64_t)n * (processors - 1) / (2 * (int64_t)processors));
  if (n < 2 * count || saved < min_saved) return;
  if (way == LIMB_SPLIT_FORWARD && !can_hold(m)) return;
  plan->count = count;
  for (int i = 0; i < count; i++) {
    const int64_t before = 100 * (int64_t)i, whole = 100 * (int64_t)(count - 1) + last;
    plan->part[i].begin = 1 + (int)(n * before / whole);
    plan->part[i].end = m->nlink;
    plan->part[i].previous = i - 1;
    if (i > 0) plan->part[i - 1].end = plan->part[i].begin;
  }
}

limb_plan limb_plan_cut(const limb_model* m, limb_split_way way, const limb_split_options* options)
{
  limb_plan plan = {0};
  const bool inverse = way == LIMB_SPLIT_INVERSE;
  int processors = options->processors, min_saved = options->min_saving;
  if (processors < 2 || m->has_mimic || m->ncoupling > 0 || m->has_ball_springs) return plan;
  if (m->serial) {
    if (min_saved == 0) {
      min_saved = inverse ? MIN_CHAIN_INVERSE : MIN_CHAIN_FORWARD;
      const int max = m->nlink / CHAIN_PART;
      if (processors > max) processors = max > 2 ? max : 2;
    }
    plan_chain(m, way, processors, min_saved, &plan);
  } else {
    if (min_saved == 0) min_saved = inverse ? MIN_INVERSE : MIN_FORWARD;
    plan_tree(m, processors, min_saved, &plan);
  }
  return plan;
}
