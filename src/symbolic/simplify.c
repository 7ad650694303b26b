// Fewer operations for the same values: runs over the net (simplify_net.h), each in another order.
//
// First one run with a wide window that takes what is cheaper, and sums of angles. Then many with a narrow
// one, which also exchange operations for others of the same price: what was out of reach comes into it. In
// the second third of them an addition counts a little more than a multiplication: which of the two is left
// is not the same to all that comes after. Cost: work, shared by all runs; memory of the nodes.
#include "symbolic/simplify.h"

#include "symbolic/simplify_angles.h"

#include <math.h>

enum {
  WORK_LEAST = 48, // for each node
  WIDE = 600,      // widest window of the first run, and of some later ones
  WIDE_EVERY = 24,
  NARROW_LEAST = 16, // windows of the others
  NARROW_MOST = 100,
  RUNS_LEAST = 2,
  RUNS_IDLE = 24 // without gain, after which no more is expected
};

typedef struct plan {
  uint32_t wide, narrow; // windows
  int runs;              // with the narrow one
} plan;

static plan plan_for(uint32_t cells, uint64_t work)
{
  const double share = fmax((double)work / (cells + 1), WORK_LEAST);
  plan p;
  p.wide = (uint32_t)fmin(fmax(share / 4, NARROW_LEAST), WIDE);
  p.narrow = (uint32_t)fmin(fmax(1.2 * sqrt(share), NARROW_LEAST), NARROW_MOST);
  p.runs =
    (int)fmin(fmax((share - p.wide) / (p.narrow + p.wide / (double)WIDE_EVERY), RUNS_LEAST), 1000);
  return p;
}

// Exchanges at equal price as well: numbers in every fourth run or so, which hide common factors.
static bool wander(net* s, const plan* p, int first, int end)
{
  int idle = 0;
  for (int run = first; run < end && idle < RUNS_IDLE; run++) {
    const net_match_options o = {.window = run % WIDE_EVERY == WIDE_EVERY - 1 ? p->wide : p->narrow,
                                 .seed = run % 3 == 0 ? 0 : (uint64_t)run,
                                 .numbers = run % 8 > 4};
    long gain = 0;
    if (!limb_net_sort(s, (uint32_t)run) || !limb_net_match(s, &o, &gain)) return false;
    idle = gain > 0 ? 0 : idle + 1;
  }
  return true;
}

static bool run_all(net* s, uint64_t work)
{
  const plan p = plan_for(s->count, work);
  const net_match_options greedy = {.window = p.wide};
  long gain = 0;
  if (!limb_net_sort(s, 0) || !limb_net_match(s, &greedy, &gain)) return false;
  const int tries = p.runs * (int)p.narrow / (8 * (int)p.wide); // an eighth of the work
  if (!limb_net_add_angles(s, &greedy, tries)) return false;
  for (int third = 0; third < 3; third++) {
    s->add_cost = COST_MUL + (third == 1);
    if (!wander(s, &p, p.runs * third / 3 + 1, p.runs * (third + 1) / 3 + 1)) return false;
  }
  return true;
}

bool limb_simplify_within(limb_graph* g, limb_edge* out, size_t n, uint64_t work)
{
  if (n == 0) return true;
  net s;
  if (!limb_net_load(&s, g, out, n)) return false;
  const long before = limb_net_cost(&s);
  bool good = run_all(&s, work);
  if (good && limb_net_cost(&s) < before) good = limb_net_store(&s, out);
  limb_net_free(&s);
  return good;
}

bool limb_simplify(limb_graph* g, limb_edge* out, size_t n)
{
  return limb_simplify_within(g, out, n, LIMB_SIMPLIFY_WORK);
}
