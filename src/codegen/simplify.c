// Value numbering by random evaluation (simplify.h): the search over operations of equal value, and sums that are
// zero.
//
// The search makes passes over the value graph, each in another order. The first has a wide window and takes what is
// cheaper; then come sums of angles; then many passes with a narrow window that also accept exchanges at equal cost
// (plateau moves), which bring others within reach. In the second third of them an addition costs a little more than
// a multiplication, because which of the two is left matters to later exchanges. Work that is left goes into searches
// in other orders; the best result counts. Cost: work, shared by all passes; memory linear in the nodes.
//
// Sums that are zero whatever the symbols are (1 - 1 after long detours) are found by their values in random states,
// and replaced in one pass. Rounding is all that is left of such a sum; dividing by it gives nonsense.
#include "codegen/simplify.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "codegen/program.h"

#include <math.h>
#include <string.h>

enum {
  WORK_MIN = 48,    // units of work for each node
  WORK_MAX = 30000, // of one search, for each node: more does not help
  WIDE_MAX = 600,   // widest window, of the first pass and some later ones
  WIDE_EVERY = 24,
  NARROW_MIN = 16, // windows of the other passes
  NARROW_MAX = 100,
  PASSES_MIN = 2,
  PASSES_IDLE = 24,    // passes without gain after which a search ends
  VARIANT_STEP = 5000, // between the orders of two searches
  VARIANTS_IDLE = 8    // searches without gain after which all ends
};

typedef struct plan {
  uint32_t wide, narrow; // windows
  int passes;            // with the narrow window
} plan;

static plan plan_for(uint32_t nodes, uint64_t work)
{
  const double share = fmin(fmax((double)work / (nodes + 1), WORK_MIN), WORK_MAX);
  plan p;
  p.wide = (uint32_t)fmin(fmax(share / 4, NARROW_MIN), WIDE_MAX);
  p.narrow = (uint32_t)fmin(fmax(1.2 * sqrt(share), NARROW_MIN), NARROW_MAX);
  p.passes = (int)fmin(fmax((share - p.wide) / (p.narrow + p.wide / (double)WIDE_EVERY), PASSES_MIN), 1000);
  return p;
}

// A search, and the work it has spent.
typedef struct search {
  value_graph values;
  plan p;
  uint32_t variant; // 0, 1 ...: searches of different variants take different orders
  uint64_t spent;
} search;

static bool match_pass(search* x, const match_options* o, uint32_t order, long* gain)
{
  if (!limb_values_sort(&x->values, order)) return false;
  x->spent += (uint64_t)x->values.norder * o->window;
  return limb_values_match(&x->values, o, gain);
}

// Accepts exchanges at equal cost as well. New constants are allowed only in some passes, because they hide common
// factors.
static bool plateau_search(search* x, int first, int end)
{
  int idle = 0;
  for (int pass = first; pass < end && idle < PASSES_IDLE; pass++) {
    const uint32_t order = (uint32_t)pass + x->variant * VARIANT_STEP;
    const match_options o = {.window = pass % WIDE_EVERY == WIDE_EVERY - 1 ? x->p.wide : x->p.narrow,
                             .seed = pass % 3 == 0 ? 0 : order,
                             .numbers = pass % 8 > 4};
    long gain = 0;
    if (!limb_values_sort(&x->values, order) || !limb_values_expand_sums(&x->values, o.seed, &gain)) return false;
    if (!match_pass(x, &o, order, &gain)) return false;
    idle = gain > 0 ? 0 : idle + 1;
  }
  return true;
}

static bool search_passes(search* x)
{
  const plan* p = &x->p;
  const match_options greedy = {.window = p->wide};
  long gain = 0;
  if (!match_pass(x, &greedy, x->variant * VARIANT_STEP, &gain)) return false;
  const int tries = p->passes * (int)p->narrow / (8 * (int)p->wide); // an eighth of the work
  if (!limb_values_add_angles(&x->values, &greedy, tries)) return false;
  for (int third = 0; third < 3; third++) {
    x->values.add_cost = COST_MUL + (third == 1);
    if (!plateau_search(x, p->passes * third / 3 + 1, p->passes * (third + 1) / 3 + 1)) return false;
  }
  return true;
}

// One search from the original edges. The result goes to best if it costs less than the best so far.
static bool search_once(limb_graph* g, const limb_edge* out, size_t n, uint64_t work, search* x, limb_edge* best,
                        long* cost)
{
  if (!limb_values_load(&x->values, g, out, n)) return false;
  const long before = limb_values_cost(&x->values);
  if (x->variant == 0) *cost = before;
  x->p = plan_for(x->values.count, work);
  bool good = search_passes(x);
  const long after = limb_values_cost(&x->values);
  if (good && after < *cost) *cost = after, good = limb_values_store(&x->values, best);
  limb_values_free(&x->values);
  return good;
}

bool limb_simplify(limb_graph* g, limb_edge* out, size_t n, uint64_t work)
{
  if (n == 0) return true;
  const limb_allocator alloc = *limb_graph_allocator(g);
  limb_edge* best = limb_alloc(&alloc, n * sizeof *best);
  if (!best) return false;
  memcpy(best, out, n * sizeof *best);
  search x = {.variant = 0};
  long cost = 0;
  bool good = true;
  // small graphs converge early: the remaining work goes into searches from the start in other orders
  for (int idle = 0; good && idle < VARIANTS_IDLE && x.spent <= work - work / (x.variant + 1); x.variant++) {
    const long before = cost;
    good = search_once(g, out, n, work, &x, best, &cost);
    idle = x.variant == 0 || cost < before ? 0 : idle + 1;
  }
  if (good) memcpy(out, best, n * sizeof *best);
  limb_free(&alloc, best, n * sizeof *best);
  return good;
}

// ---- sums that are zero --------------------------------------------------------------------------------------------

enum { STATES = 4 };

#define ROUNDING 1e-13 // rounding of a sum that is zero, relative to its operands

// A random number in +-[0.25, 1.75] for each state and each symbol, or operation on an operand.
static double random_value(uint32_t op, uint32_t of, int state)
{
  uint64_t seed = ((uint64_t)of << 4 | op) << 8 | (uint64_t)state;
  const double x = 0.25 + 1.5 * limb_unit_number(limb_random_bits(&seed));
  return limb_random_bits(&seed) & 1U ? -x : x;
}

static double value_of_edge(const double* value, limb_edge e)
{
  const double x = value[limb_edge_node(e)];
  return limb_edge_minus(e) ? -x : x;
}

// Value of a node; zero for a sum that cancels. Signs and hyperbolic tangents get random values: an identity that
// holds for some operands (sign x = 1) need not hold for all.
static double value_of(const limb_graph* g, uint32_t node, int state, const double* value)
{
  const limb_node* x = limb_graph_node(g, node);
  if (x->op == OP_NUMBER) return limb_graph_number(g, node);
  if (x->op == OP_SYMBOL) return random_value(x->op, x->a, state);
  const double a = value_of_edge(value, x->a);
  if (limb_is_sine((limb_op)x->op) || (x->op == OP_SQRT && a >= 0)) return limb_op_value((limb_op)x->op, a);
  if (!limb_op_binary(x->op)) return random_value(x->op, x->a, state);
  const double b = value_of_edge(value, x->b);
  if (x->op == OP_MUL) return a * b;
  if (x->op == OP_DIV) return a / b;
  return fabs(a + b) <= ROUNDING * (fabs(a) + fabs(b)) ? 0 : a + b;
}

static limb_edge edge_to(const limb_edge* to, limb_edge e) { return limb_edge_signed(to[limb_edge_node(e)], e); }

// Rebuilds a node from its rewritten operands.
static limb_edge rebuild(limb_graph* g, uint32_t node, const limb_edge* to)
{
  const limb_node x = *limb_graph_node(g, node);
  if (limb_op_leaf(x.op)) return limb_edge_of(node);
  const limb_edge a = edge_to(to, x.a), b = limb_op_binary(x.op) ? edge_to(to, x.b) : EDGE_ZERO;
  return limb_operation_edge(g, (limb_op)x.op, a, b);
}

typedef struct zero_work {
  double* value;
  limb_edge* to;
  unsigned char *live, *zero;
} zero_work;

// Finds the sums that are zero in all states; returns their number.
static uint32_t find_zeros(const limb_graph* g, uint32_t count, const zero_work* r)
{
  uint32_t zeros = 0;
  for (int s = 0; s < STATES; s++) {
    zeros = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (!r->live[i]) continue;
      r->value[i] = value_of(g, i, s, r->value);
      const bool vanishes = limb_graph_node(g, i)->op == OP_ADD && r->value[i] == 0;
      r->zero[i] = vanishes && (s == 0 || r->zero[i]);
      zeros += r->zero[i];
    }
  }
  return zeros;
}

bool limb_fold_zeros(limb_graph* g, limb_edge* edge, size_t n)
{
  const limb_allocator* alloc = limb_graph_allocator(g);
  const uint32_t count = limb_graph_count(g);
  const size_t each = sizeof(double) + sizeof(limb_edge) + 2;
  char* memory = limb_alloc(alloc, count * each);
  if (!memory) return false;
  memset(memory, 0, count * each);
  zero_work r = {.value = (double*)(void*)memory};
  r.to = (limb_edge*)(void*)(r.value + count);
  r.live = (unsigned char*)(r.to + count), r.zero = r.live + count;
  limb_mark_live(g, edge, n, r.live, count);
  if (find_zeros(g, count, &r) > 0) {
    for (uint32_t i = 0; i < count; i++)
      if (r.live[i]) r.to[i] = r.zero[i] ? EDGE_ZERO : rebuild(g, i, r.to);
    for (size_t k = 0; k < n && !limb_graph_full(g); k++) edge[k] = edge_to(r.to, edge[k]);
  }
  limb_free(alloc, memory, count * each);
  return !limb_graph_full(g);
}
