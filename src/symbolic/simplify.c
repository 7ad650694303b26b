// Fewer operations for the same values: runs over the net (simplify_net.h), each in another order.
//
// First one run with a wide window that takes what is cheaper, and sums of angles. Then many with a narrow
// one, which also exchange operations for others of the same price: what was out of reach comes into it. In
// the second third of them an addition counts a little more than a multiplication: which of the two is left
// is not the same to all that comes after. Where work is left, all that again in other orders, and the best
// counts. Cost: work, shared by all runs; memory of the nodes.
#include "symbolic/simplify.h"

#include "base/memory.h"
#include "symbolic/simplify_angles.h"
#include "symbolic/simplify_blend.h"

#include <math.h>
#include <string.h>

enum {
  WORK_LEAST = 48,   // for each node
  WORK_MOST = 30000, // of one search, for each node: more changes nothing
  WIDE = 600,        // widest window of the first run, and of some later ones
  WIDE_EVERY = 24,
  NARROW_LEAST = 16, // windows of the others
  NARROW_MOST = 100,
  RUNS_LEAST = 2,
  RUNS_IDLE = 24, // without gain, after which no more is expected
  TURN = 5000,    // between the orders of two searches
  TURNS_IDLE = 8  // searches without gain
};

typedef struct plan {
  uint32_t wide, narrow; // windows
  int runs;              // with the narrow one
} plan;

static plan plan_for(uint32_t cells, uint64_t work)
{
  const double share = fmin(fmax((double)work / (cells + 1), WORK_LEAST), WORK_MOST);
  plan p;
  p.wide = (uint32_t)fmin(fmax(share / 4, NARROW_LEAST), WIDE);
  p.narrow = (uint32_t)fmin(fmax(1.2 * sqrt(share), NARROW_LEAST), NARROW_MOST);
  p.runs = (int)fmin(fmax((share - p.wide) / (p.narrow + p.wide / (double)WIDE_EVERY), RUNS_LEAST), 1000);
  return p;
}

// A search: what it works on, and what it has spent of its work.
typedef struct search {
  net s;
  plan p;
  uint32_t turn; // 0, 1 ...: searches of other turns go other ways
  uint64_t spent;
} search;

static bool match(search* x, const net_match_options* o, uint32_t order, long* gain)
{
  if (!limb_net_sort(&x->s, order)) return false;
  x->spent += (uint64_t)x->s.ordered * o->window;
  return limb_net_match(&x->s, o, gain);
}

// Exchanges at equal price as well: numbers in every fourth run or so, which hide common factors.
static bool wander(search* x, int first, int end)
{
  int idle = 0;
  for (int run = first; run < end && idle < RUNS_IDLE; run++) {
    const uint32_t order = (uint32_t)run + x->turn * TURN;
    const net_match_options o = {.window = run % WIDE_EVERY == WIDE_EVERY - 1 ? x->p.wide : x->p.narrow,
                                 .seed = run % 3 == 0 ? 0 : order,
                                 .numbers = run % 8 > 4};
    long gain = 0;
    if (!limb_net_sort(&x->s, order) || !limb_net_blend(&x->s, o.seed, &gain)) return false;
    if (!match(x, &o, order, &gain)) return false;
    idle = gain > 0 ? 0 : idle + 1;
  }
  return true;
}

static bool run_all(search* x)
{
  const plan* p = &x->p;
  const net_match_options greedy = {.window = p->wide};
  long gain = 0;
  if (!match(x, &greedy, x->turn * TURN, &gain)) return false;
  const int tries = p->runs * (int)p->narrow / (8 * (int)p->wide); // an eighth of the work
  if (!limb_net_add_angles(&x->s, &greedy, tries)) return false;
  for (int third = 0; third < 3; third++) {
    x->s.add_cost = COST_MUL + (third == 1);
    if (!wander(x, p->runs * third / 3 + 1, p->runs * (third + 1) / 3 + 1)) return false;
  }
  return true;
}

// One search from the edges as they are; the result is kept in best if it costs less than what is there.
static bool search_once(limb_graph* g, const limb_edge* out, size_t n, uint64_t work, search* x, limb_edge* best,
                        long* cost)
{
  if (!limb_net_load(&x->s, g, out, n)) return false;
  const long before = limb_net_cost(&x->s);
  if (x->turn == 0) *cost = before;
  x->p = plan_for(x->s.count, work);
  bool good = run_all(x);
  const long after = limb_net_cost(&x->s);
  if (good && after < *cost) *cost = after, good = limb_net_store(&x->s, best);
  limb_net_free(&x->s);
  return good;
}

bool limb_simplify_within(limb_graph* g, limb_edge* out, size_t n, uint64_t work)
{
  if (n == 0) return true;
  const limb_allocator alloc = *limb_graph_allocator(g);
  limb_edge* best = limb_alloc(&alloc, n * sizeof *best);
  if (!best) return false;
  memcpy(best, out, n * sizeof *best);
  search x = {.turn = 0};
  long cost = 0;
  bool good = true;
  // small graphs settle early: what is left of the work goes into other ways from the beginning
  for (int idle = 0; good && idle < TURNS_IDLE && x.spent <= work - work / (x.turn + 1); x.turn++) {
    const long before = cost;
    good = search_once(g, out, n, work, &x, best, &cost);
    idle = x.turn == 0 || cost < before ? 0 : idle + 1;
  }
  if (good) memcpy(out, best, n * sizeof *best);
  limb_free(&alloc, best, n * sizeof *best);
  return good;
}

bool limb_simplify(limb_graph* g, limb_edge* out, size_t n)
{
  return limb_simplify_within(g, out, n, LIMB_SIMPLIFY_WORK);
}
