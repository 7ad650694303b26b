// Sums that are zero: found by values, replaced in one pass.
//
// What is left of such a sum is rounding, and whatever is divided by it or compared with it is nonsense.
// Cost: linear in the nodes, some times.
#include "symbolic/vanish.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "symbolic/evaluate.h"

#include <math.h>
#include <string.h>

enum { STATES = 4 };

#define ROUNDING 1e-13 // what is left of the operands of a sum, relative to them

// A number in +-[0.25, 1.75], another one for every symbol, or operation on an operand, and state.
static double drawn(uint32_t op, uint32_t of, int state)
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

// Value of a node; of a sum that vanishes, zero. Signs and hyperbolic tangents are just numbers: what holds
// of them for some operands (sign x = 1) need not hold for all.
static double value_of(const limb_graph* g, uint32_t node, int state, const double* value)
{
  const limb_node* x = limb_graph_node(g, node);
  if (x->op == OP_NUMBER) return limb_graph_number(g, node);
  if (x->op == OP_SYMBOL) return drawn(x->op, x->a, state);
  const double a = value_of_edge(value, x->a);
  if (limb_is_sine((limb_op)x->op) || (x->op == OP_SQRT && a >= 0)) {
    return limb_op_value((limb_op)x->op, a);
  }
  if (!limb_op_binary(x->op)) return drawn(x->op, x->a, state);
  const double b = value_of_edge(value, x->b);
  if (x->op == OP_MUL) return a * b;
  if (x->op == OP_DIV) return a / b;
  return fabs(a + b) <= ROUNDING * (fabs(a) + fabs(b)) ? 0 : a + b;
}

static limb_edge edge_to(const limb_edge* to, limb_edge e) { return limb_edge_signed(to[limb_edge_node(e)], e); }

// A node once more, from the edges that its operands have become.
static limb_edge again(limb_graph* g, uint32_t node, const limb_edge* to)
{
  const limb_node x = *limb_graph_node(g, node);
  if (limb_op_leaf(x.op)) return limb_edge_of(node);
  const limb_edge a = edge_to(to, x.a);
  if (!limb_op_binary(x.op)) return limb_unary_edge(g, (limb_op)x.op, a);
  const limb_edge b = edge_to(to, x.b);
  if (x.op == OP_ADD) return limb_add_edge(g, a, b);
  return x.op == OP_MUL ? limb_mul_edge(g, a, b) : limb_div_edge(g, a, b);
}

typedef struct room {
  double* value;
  limb_edge* to;
  unsigned char *live, *zero;
} room;

// Sums that are zero in all states; how many.
static uint32_t find_zeros(const limb_graph* g, uint32_t count, const room* r)
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

bool limb_vanish(limb_graph* g, limb_edge* edge, size_t n)
{
  const limb_allocator* alloc = limb_graph_allocator(g);
  const uint32_t count = limb_graph_count(g);
  const size_t each = sizeof(double) + sizeof(limb_edge) + 2;
  char* memory = limb_alloc(alloc, count * each);
  if (!memory) return false;
  memset(memory, 0, count * each);
  room r = {.value = (double*)(void*)memory};
  r.to = (limb_edge*)(void*)(r.value + count);
  r.live = (unsigned char*)(r.to + count), r.zero = r.live + count;
  limb_mark_live(g, edge, n, r.live, count);
  if (find_zeros(g, count, &r) > 0) {
    for (uint32_t i = 0; i < count; i++)
      if (r.live[i]) r.to[i] = r.zero[i] ? EDGE_ZERO : again(g, i, r.to);
    for (size_t k = 0; k < n && !limb_graph_full(g); k++) edge[k] = edge_to(r.to, edge[k]);
  }
  limb_free(alloc, memory, count * each);
  return !limb_graph_full(g);
}
