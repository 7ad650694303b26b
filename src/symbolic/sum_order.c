// Sums in the order in which their terms are ready.
//
// A sum whose inner sums nobody else uses is a list of terms. It is made anew from the two that are ready
// first, and again, as in Huffman's trees: the last to arrive passes one addition only. Cost: linear in the
// nodes, and the square of a sum's terms, SUM_MOST at most.
//
//   ready    cycles until a value is there, on a processor with many units: 4 for an addition or a product,
//            none for a product that goes into a sum (a multiply-add), 13 for a division
#include "symbolic/sum_order.h"

#include "base/memory.h"

#include <string.h>

enum { SUM_MOST = 64, CYCLES = 4, CYCLES_DIVISION = 13, CYCLES_SINE = 30 };

typedef struct balancing {
  limb_graph* g;
  uint32_t nodes;
  uint32_t* uses;  // nodes: 0: not live
  uint32_t* ready; // nodes
  limb_edge* now;  // nodes: what became of it
  uint8_t* in_sum; // nodes: its last user is a sum
} balancing;

typedef struct term {
  limb_edge edge;
  uint32_t ready;
} term;

static bool is_inner(const balancing* b, uint32_t node)
{
  return limb_graph_node(b->g, node)->op == OP_ADD && b->uses[node] == 1 && b->in_sum[node];
}

static term term_of(const balancing* b, limb_edge e)
{
  const uint32_t node = limb_edge_node(e);
  return (term){limb_edge_signed(b->now[node], e), b->ready[node]};
}

// Terms of a sum that an operand brings.
static uint32_t terms_of(const balancing* b, limb_edge e)
{
  const uint32_t node = limb_edge_node(e);
  return is_inner(b, node) ? b->ready[node] : 1;
}

// Cuts sums of more than SUM_MOST terms into several: what is no inner sum any more is a term. Counts the
// terms in `ready`.
static void cut_long_sums(balancing* b)
{
  for (uint32_t node = 0; node < b->nodes; node++) {
    const limb_node* x = limb_graph_node(b->g, node);
    if (!b->uses[node] || x->op != OP_ADD) continue;
    while (terms_of(b, x->a) + terms_of(b, x->b) > SUM_MOST) { // the larger one, and perhaps both
      b->in_sum[limb_edge_node(terms_of(b, x->a) > terms_of(b, x->b) ? x->a : x->b)] = 0;
    }
    b->ready[node] = terms_of(b, x->a) + terms_of(b, x->b);
  }
  memset(b->ready, 0, b->nodes * sizeof *b->ready);
}

// The terms of a sum.
static int collect(const balancing* b, limb_edge e, term* list, int count)
{
  const uint32_t node = limb_edge_node(e);
  if (!is_inner(b, node)) {
    list[count] = term_of(b, e);
    return count + 1;
  }
  const limb_node n = *limb_graph_node(b->g, node);
  count = collect(b, limb_edge_signed(n.a, e), list, count);
  return collect(b, limb_edge_signed(n.b, e), list, count);
}

static term take_first(term* list, int* count)
{
  int first = 0;
  for (int i = 1; i < *count; i++) {
    if (list[i].ready < list[first].ready) first = i;
  }
  const term t = list[first];
  (*count)--;
  memmove(list + first, list + first + 1, (size_t)(*count - first) * sizeof *list);
  return t;
}

static term added(limb_graph* g, term a, term b)
{
  const uint32_t later = a.ready > b.ready ? a.ready : b.ready;
  return (term){limb_add_edge(g, a.edge, b.edge), later + CYCLES};
}

static void rebuild_sum(balancing* b, uint32_t node)
{
  const limb_node n = *limb_graph_node(b->g, node);
  term list[SUM_MOST];
  int count = collect(b, n.a, list, 0);
  count = collect(b, n.b, list, count);
  while (count > 1) {
    const term x = take_first(list, &count), y = take_first(list, &count);
    list[count++] = added(b->g, x, y);
  }
  b->now[node] = list[0].edge, b->ready[node] = list[0].ready;
}

static uint32_t cycles_of(const balancing* b, uint32_t node, limb_op op)
{
  if (op == OP_MUL) return b->uses[node] == 1 && b->in_sum[node] ? 0 : CYCLES;
  return limb_is_sine(op) ? CYCLES_SINE : CYCLES_DIVISION;
}

static void rebuild(balancing* b, uint32_t node)
{
  const limb_node n = *limb_graph_node(b->g, node);
  const limb_op op = (limb_op)n.op;
  const int operands = limb_operands(op);
  if (operands == 0) {
    b->now[node] = limb_edge_of(node);
    return;
  }
  const term x = term_of(b, n.a), y = operands > 1 ? term_of(b, n.b) : x;
  b->ready[node] = (x.ready > y.ready ? x.ready : y.ready) + cycles_of(b, node, op);
  if (op == OP_MUL) {
    b->now[node] = limb_mul_edge(b->g, x.edge, y.edge);
  } else if (op == OP_DIV) {
    b->now[node] = limb_div_edge(b->g, x.edge, y.edge);
  } else {
    b->now[node] = limb_unary_edge(b->g, op, x.edge);
  }
}

static void count_uses(balancing* b, const limb_edge* edge, size_t n)
{
  for (size_t i = 0; i < n; i++) b->uses[limb_edge_node(edge[i])]++;
  for (uint32_t node = b->nodes; node-- > 0;) { // operands come before what uses them
    const limb_node* x = limb_graph_node(b->g, node);
    const int operands = limb_operands((limb_op)x->op);
    if (!b->uses[node]) continue;
    const limb_edge of[2] = {x->a, x->b};
    for (int i = 0; i < operands; i++) {
      b->uses[limb_edge_node(of[i])]++;
      b->in_sum[limb_edge_node(of[i])] = x->op == OP_ADD;
    }
  }
}

// The graph grows meanwhile, behind the nodes that were there.
bool limb_order_sums(limb_graph* g, limb_edge* edge, size_t n)
{
  const limb_allocator alloc = *limb_graph_allocator(g);
  const uint32_t nodes = limb_graph_count(g);
  const size_t size = (size_t)nodes * (3 * sizeof(uint32_t) + 1);
  uint32_t* memory = limb_alloc(&alloc, size);
  if (!memory) return false;
  memset(memory, 0, size);
  balancing b = {g, nodes, memory, memory + nodes, memory + 2 * (size_t)nodes, NULL};
  b.in_sum = (uint8_t*)(memory + 3 * (size_t)nodes);
  count_uses(&b, edge, n);
  cut_long_sums(&b);
  for (uint32_t node = 0; node < nodes; node++) {
    if (!b.uses[node] || is_inner(&b, node)) continue;
    if (limb_graph_node(g, node)->op == OP_ADD) {
      rebuild_sum(&b, node);
    } else {
      rebuild(&b, node);
    }
  }
  const bool done = !limb_graph_full(g);
  for (size_t i = 0; i < n && done; i++) {
    edge[i] = limb_edge_signed(b.now[limb_edge_node(edge[i])], edge[i]);
  }
  limb_free(&alloc, memory, size);
  return done;
}
