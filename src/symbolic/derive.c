// Derivatives of edges: the chain rule along the nodes that are needed, outwards or inwards.
//
// Outwards (few symbols): the derivative of every node by one symbol, from its operands', once per symbol.
// Inwards (few edges): the derivative of one edge by every node, from the nodes that use it, once per edge.
// With L nodes needed: ns L or n L steps; the smaller of the two is taken.
//
//   d (a + b) = da + db                 d (a b) = da b + a db         d (a/b) = (da - (a/b) db) / b
//   d sin a = cos a da                  d cos a = -sin a da           d sqrt a = da / (2 sqrt a)
//   d tanh a = (1 - tanh^2 a) da        d sign a = 0
#include "symbolic/derive.h"

#include "base/memory.h"
#include "symbolic/evaluate.h"

#include <string.h>

// What both ways share: the nodes below count that are needed, and a derivative for each.
typedef struct sweep {
  limb_graph* g;
  uint32_t count;
  unsigned char* live;
  limb_edge* d;
} sweep;

// d f(a) / d a, of the node that is f(a).
static limb_edge slope(limb_graph* g, limb_op op, limb_edge node, limb_edge a)
{
  switch (op) {
  case OP_SIN: return limb_unary_edge(g, OP_COS, a);
  case OP_COS: return limb_edge_neg(limb_unary_edge(g, OP_SIN, a));
  case OP_SQRT: return limb_div_edge(g, limb_number_edge(g, 0.5), node);
  case OP_TANH: {
    const limb_edge square = limb_mul_edge(g, node, node);
    return limb_add_edge(g, limb_number_edge(g, 1), limb_edge_neg(square));
  }
  default: return EDGE_ZERO;
  }
}

// ---- outwards ---------------------------------------------------------------------------------------

static limb_edge outward(limb_graph* g, limb_node x, limb_edge node, limb_edge da, limb_edge db)
{
  switch (x.op) {
  case OP_ADD: return limb_add_edge(g, da, db);
  case OP_MUL: return limb_add_edge(g, limb_mul_edge(g, da, x.b), limb_mul_edge(g, x.a, db));
  case OP_DIV: {
    const limb_edge rest = limb_edge_neg(limb_mul_edge(g, node, db));
    return limb_div_edge(g, limb_add_edge(g, da, rest), x.b);
  }
  default:
    if (da == EDGE_ZERO) return EDGE_ZERO;
    return limb_mul_edge(g, slope(g, (limb_op)x.op, node, x.a), da);
  }
}

static void outwards(sweep* s, uint32_t symbol)
{
  for (uint32_t i = 0; i < s->count; i++) {
    if (!s->live[i]) continue;
    const limb_node x = *limb_graph_node(s->g, i);
    if (limb_op_leaf(x.op)) {
      const bool it = x.op == OP_SYMBOL && x.a == symbol;
      s->d[i] = it ? limb_number_edge(s->g, 1) : EDGE_ZERO;
      continue;
    }
    const limb_edge da = limb_edge_signed(s->d[limb_edge_node(x.a)], x.a);
    const bool two = limb_op_binary(x.op);
    const limb_edge db = two ? limb_edge_signed(s->d[limb_edge_node(x.b)], x.b) : EDGE_ZERO;
    s->d[i] = outward(s->g, x, limb_edge_of(i), da, db);
  }
}

// ---- inwards ----------------------------------------------------------------------------------------

// Adds what goes to one operand.
static void hand(sweep* s, limb_edge to, limb_edge part)
{
  limb_edge* d = &s->d[limb_edge_node(to)];
  *d = limb_add_edge(s->g, *d, limb_edge_signed(part, to));
}

static void inward(sweep* s, limb_node x, limb_edge node, limb_edge d)
{
  limb_graph* g = s->g;
  switch (x.op) {
  case OP_ADD: hand(s, x.a, d), hand(s, x.b, d); break;
  case OP_MUL: hand(s, x.a, limb_mul_edge(g, d, x.b)), hand(s, x.b, limb_mul_edge(g, d, x.a)); break;
  case OP_DIV: {
    const limb_edge part = limb_div_edge(g, d, x.b);
    hand(s, x.a, part), hand(s, x.b, limb_edge_neg(limb_mul_edge(g, part, node)));
    break;
  }
  default: hand(s, x.a, limb_mul_edge(g, slope(g, (limb_op)x.op, node, x.a), d));
  }
}

static void inwards(sweep* s, limb_edge of)
{
  memset(s->d, 0, s->count * sizeof *s->d);
  s->d[limb_edge_node(of)] = limb_edge_signed(limb_number_edge(s->g, 1), of);
  for (uint32_t i = limb_edge_node(of) + 1; i-- > 0;) {
    const limb_node x = *limb_graph_node(s->g, i);
    if (s->live[i] && s->d[i] != EDGE_ZERO && !limb_op_leaf(x.op)) {
      inward(s, x, limb_edge_of(i), s->d[i]);
    }
  }
}

// ---- both -------------------------------------------------------------------------------------------

static void fill(sweep* s, const limb_edge* of, size_t n, const uint32_t* symbols, size_t ns, limb_edge* out)
{
  for (size_t j = 0; ns <= n && j < ns; j++) {
    outwards(s, symbols[j]);
    for (size_t i = 0; i < n; i++) out[i * ns + j] = limb_edge_signed(s->d[limb_edge_node(of[i])], of[i]);
  }
  for (size_t i = 0; ns > n && i < n; i++) {
    inwards(s, of[i]);
    for (size_t j = 0; j < ns; j++) {
      const uint32_t at = limb_edge_node(limb_symbol_edge(s->g, symbols[j]));
      out[i * ns + j] = at < s->count ? s->d[at] : EDGE_ZERO;
    }
  }
}

bool limb_derive(limb_graph* g, const limb_edge* of, size_t n, const uint32_t* symbols, size_t ns, limb_edge* out)
{
  if (n == 0 || ns == 0) return true;
  const limb_allocator alloc = *limb_graph_allocator(g);
  sweep s = {.g = g, .count = limb_graph_count(g)};
  s.live = limb_alloc(&alloc, s.count);
  s.d = limb_alloc(&alloc, s.count * sizeof *s.d);
  const bool room = s.live && s.d;
  if (room) {
    limb_mark_live(g, of, n, s.live, s.count);
    fill(&s, of, n, symbols, ns, out);
  }
  limb_free(&alloc, s.live, s.count);
  limb_free(&alloc, s.d, s.count * sizeof *s.d);
  return room && !limb_graph_full(g);
}
