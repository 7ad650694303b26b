// Expression graphs: nodes, the hash table that finds them again, the arithmetic of edges, derivatives.
//
// Derivatives follow the chain rule along the live nodes, symbol by symbol: the derivative of every node from those of
// its operands. With L live nodes these are ns L steps.
//
//   d (a + b) = da + db                 d (a b) = da b + a db         d (a/b) = (da - (a/b) db) / b
//   d sin a = cos a da                  d cos a = -sin a da           d sqrt a = da / (2 sqrt a)
//   d tanh a = (1 - tanh^2 a) da        d sign a = 0
#include "codegen/graph.h"

#include "base/memory.h"
#include "codegen/program.h"

#include <math.h>
#include <string.h>

struct limb_graph {
  limb_allocator alloc;
  limb_node* node;
  uint32_t* slot; // hash table of nodes; 0: free
  uint32_t count, capacity, slots, max_nodes;
  limb_edge* demand; // what must be positive
  uint32_t ndemand, demand_capacity;
  bool full, singular;
};

// ---- memory --------------------------------------------------------------------------------------------------------

// Doubles the capacity.
static bool grow(limb_graph* g)
{
  const uint32_t more = g->capacity ? 2 * g->capacity : 1024;
  limb_node* to = limb_alloc(&g->alloc, more * sizeof *to);
  if (!to) return false;
  if (g->node) memcpy(to, g->node, g->capacity * sizeof *to);
  limb_free(&g->alloc, g->node, g->capacity * sizeof *to);
  g->node = to, g->capacity = more;
  return true;
}

static uint32_t hash(limb_node n)
{
  uint64_t h = ((uint64_t)n.a << 32 | n.b) * 0x9e3779b97f4a7c15U;
  h = (h ^ h >> 29 ^ n.op) * 0xbf58476d1ce4e5b9U;
  return (uint32_t)(h >> 32);
}

// The slot of an equal node, or the free slot where it belongs.
static uint32_t find(const limb_graph* g, limb_node n)
{
  uint32_t at = hash(n) & (g->slots - 1);
  for (; g->slot[at]; at = (at + 1) & (g->slots - 1)) {
    const limb_node* x = &g->node[g->slot[at]];
    if (x->op == n.op && x->a == n.a && x->b == n.b) break;
  }
  return at;
}

// Enters all nodes into an empty table.
static void fill_slots(limb_graph* g)
{
  memset(g->slot, 0, g->slots * sizeof *g->slot);
  for (uint32_t i = 1; i < g->count; i++) g->slot[find(g, g->node[i])] = i;
}

// Doubles the hash table.
static bool grow_table(limb_graph* g)
{
  const uint32_t old = g->slots, more = old ? 2 * old : 4096;
  uint32_t* to = limb_alloc(&g->alloc, more * sizeof *to);
  if (!to) return false;
  limb_free(&g->alloc, g->slot, old * sizeof *g->slot);
  g->slot = to, g->slots = more;
  fill_slots(g);
  return true;
}

limb_graph* limb_graph_create(const limb_allocator* alloc, uint32_t max_nodes)
{
  const limb_allocator use = alloc ? *alloc : limb_default_allocator();
  limb_graph* g = limb_alloc(&use, sizeof *g);
  if (!g) return NULL;
  *g = (limb_graph){.alloc = use, .max_nodes = max_nodes};
  if (!grow(g) || !grow_table(g)) {
    limb_graph_free(g);
    return NULL;
  }
  g->node[0] = (limb_node){.op = OP_NUMBER}; // zero
  g->count = 1;
  return g;
}

void limb_graph_free(limb_graph* g)
{
  if (!g) return;
  const limb_allocator use = g->alloc;
  limb_free(&use, g->node, g->capacity * sizeof *g->node);
  limb_free(&use, g->slot, g->slots * sizeof *g->slot);
  limb_free(&use, g->demand, g->demand_capacity * sizeof *g->demand);
  limb_free(&use, g, sizeof *g);
}

void limb_graph_demand(limb_graph* g, limb_edge e)
{
  double x;
  if (limb_edge_number(g, e, &x) && x > 0) return;
  if (g->ndemand == g->demand_capacity) {
    const uint32_t more = g->demand_capacity ? 2 * g->demand_capacity : 64;
    limb_edge* to = limb_alloc(&g->alloc, more * sizeof *to);
    if (!to) {
      g->full = true;
      return;
    }
    if (g->demand) memcpy(to, g->demand, g->ndemand * sizeof *to);
    limb_free(&g->alloc, g->demand, g->demand_capacity * sizeof *to);
    g->demand = to, g->demand_capacity = more;
  }
  g->demand[g->ndemand++] = e;
}

uint32_t limb_graph_demands(const limb_graph* g, const limb_edge** list)
{
  *list = g->demand;
  return g->ndemand;
}

void limb_graph_forget_demands(limb_graph* g) { g->ndemand = 0; }

void limb_graph_shrink(limb_graph* g, uint32_t count)
{
  g->ndemand = 0;
  g->count = count;
  g->full = g->singular = false;
  fill_slots(g);
}

bool limb_graph_full(const limb_graph* g) { return g->full; }
bool limb_graph_singular(const limb_graph* g) { return g->singular; }
uint32_t limb_graph_count(const limb_graph* g) { return g->count; }
const limb_node* limb_graph_node(const limb_graph* g, uint32_t node) { return &g->node[node]; }
const limb_allocator* limb_graph_allocator(const limb_graph* g) { return &g->alloc; }

double limb_graph_number(const limb_graph* g, uint32_t node)
{
  const uint64_t bits = (uint64_t)g->node[node].a << 32 | g->node[node].b;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The edge of a node in normal form, new or existing.
static limb_edge intern(limb_graph* g, limb_op op, limb_edge a, limb_edge b)
{
  const limb_node n = {a, b, op};
  uint32_t at = find(g, n);
  if (g->slot[at]) return limb_edge_of(g->slot[at]);
  const bool dense = 2 * g->count >= g->slots;
  if (g->full || g->count >= g->max_nodes || (dense && !grow_table(g)) || (g->count == g->capacity && !grow(g))) {
    g->full = true;
    return EDGE_ZERO;
  }
  if (dense) at = find(g, n);
  g->node[g->count] = n;
  g->slot[at] = g->count;
  return limb_edge_of(g->count++);
}

// ---- leaves --------------------------------------------------------------------------------------------------------

bool limb_edge_number(const limb_graph* g, limb_edge e, double* x)
{
  const uint32_t node = limb_edge_node(e);
  if (g->node[node].op != OP_NUMBER) return false;
  const double size = limb_graph_number(g, node);
  *x = limb_edge_minus(e) ? -size : size;
  return true;
}

limb_edge limb_number_edge(limb_graph* g, double x)
{
  g->singular = g->singular || !isfinite(x);
  if (x == 0 || !isfinite(x)) return EDGE_ZERO;
  const double size = fabs(x);
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  const limb_edge e = intern(g, OP_NUMBER, (uint32_t)(bits >> 32), (uint32_t)bits);
  return x < 0 ? limb_edge_neg(e) : e;
}

limb_edge limb_symbol_edge(limb_graph* g, uint32_t symbol) { return intern(g, OP_SYMBOL, symbol, 0); }

// ---- arithmetic ----------------------------------------------------------------------------------------------------

static limb_edge with_sign(limb_edge e, bool minus) { return minus ? limb_edge_neg(e) : e; }

limb_edge limb_add_edge(limb_graph* g, limb_edge a, limb_edge b)
{
  if (a == EDGE_ZERO) return b;
  if (b == EDGE_ZERO) return a;
  if (a == limb_edge_neg(b)) return EDGE_ZERO;
  double x, y;
  if (limb_edge_number(g, a, &x) && limb_edge_number(g, b, &y)) return limb_number_edge(g, x + y);
  if (limb_edge_node(a) > limb_edge_node(b)) {
    const limb_edge c = a;
    a = b, b = c;
  }
  const bool minus = limb_edge_minus(a);
  return with_sign(intern(g, OP_ADD, with_sign(a, minus), with_sign(b, minus)), minus);
}

// a times the number y
static limb_edge scaled(limb_graph* g, limb_edge a, double y)
{
  if (y == 1) return a;
  if (y == -1) return limb_edge_neg(a);
  if (y == 0) return EDGE_ZERO; // a product of numbers has underflowed
  const limb_node n = *limb_graph_node(g, limb_edge_node(a));
  double k;
  if (n.op == OP_MUL && limb_edge_number(g, n.a, &k)) { // k x times y: one number
    return with_sign(scaled(g, n.b, k * y), limb_edge_minus(a));
  }
  const limb_edge s = limb_number_edge(g, fabs(y));
  const limb_edge e = intern(g, OP_MUL, s, with_sign(a, limb_edge_minus(a)));
  return with_sign(e, limb_edge_minus(a) != (y < 0));
}

limb_edge limb_mul_edge(limb_graph* g, limb_edge a, limb_edge b)
{
  if (a == EDGE_ZERO || b == EDGE_ZERO) return EDGE_ZERO;
  double x, y;
  const bool na = limb_edge_number(g, a, &x), nb = limb_edge_number(g, b, &y);
  if (na && nb) return limb_number_edge(g, x * y);
  if (na) return scaled(g, b, x);
  if (nb) return scaled(g, a, y);
  const bool minus = limb_edge_minus(a) != limb_edge_minus(b);
  uint32_t first = limb_edge_node(a), second = limb_edge_node(b);
  if (first > second) first = limb_edge_node(b), second = limb_edge_node(a);
  return with_sign(intern(g, OP_MUL, limb_edge_of(first), limb_edge_of(second)), minus);
}

limb_edge limb_div_edge(limb_graph* g, limb_edge a, limb_edge b)
{
  double y;
  if (limb_edge_number(g, b, &y)) return limb_mul_edge(g, a, limb_number_edge(g, 1 / y));
  if (a == EDGE_ZERO) return a;
  if (limb_edge_node(a) == limb_edge_node(b)) return limb_number_edge(g, a == b ? 1 : -1);
  const bool minus = limb_edge_minus(a) != limb_edge_minus(b);
  const limb_edge up = limb_edge_of(limb_edge_node(a)), down = limb_edge_of(limb_edge_node(b));
  return with_sign(intern(g, OP_DIV, up, down), minus);
}

double limb_op_value(limb_op op, double x)
{
  switch (op) {
  case OP_SIN: return sin(x);
  case OP_COS: return cos(x);
  case OP_SQRT: return sqrt(x);
  case OP_TANH: return tanh(x);
  default: return (x > 0) - (x < 0);
  }
}

// The number of quarter turns in x; false if it is not an integer up to rounding.
static bool quarter_turns(double x, int* turns)
{
  const double quarter = 1.5707963267948966, n = nearbyint(x / quarter);
  if (fabs(n) > 8 || fabs(x - n * quarter) > 4e-15) return false;
  *turns = (int)n & 3;
  return true;
}

// sin and cos of x plus quarter turns: those of x, swapped and with signs.
static limb_edge turned(limb_graph* g, limb_op op, limb_edge x, int turns)
{
  const int phase = (op == OP_SIN ? turns : turns + 1) & 3; // sin(x + phase)
  const limb_edge e = limb_unary_edge(g, phase & 1 ? OP_COS : OP_SIN, x);
  return with_sign(e, phase >= 2);
}

limb_edge limb_unary_edge(limb_graph* g, limb_op op, limb_edge a)
{
  double x;
  if (limb_edge_number(g, a, &x)) return limb_number_edge(g, limb_op_value(op, x));
  if (op == OP_SQRT) return intern(g, op, a, 0);
  const limb_node n = *limb_graph_node(g, limb_edge_node(a));
  if ((op == OP_SIN || op == OP_COS) && n.op == OP_ADD) {
    const bool first = limb_edge_number(g, n.a, &x);
    int turns;
    if ((first || limb_edge_number(g, n.b, &x)) && quarter_turns(limb_edge_minus(a) ? -x : x, &turns))
      return turned(g, op, with_sign(first ? n.b : n.a, limb_edge_minus(a)), turns);
  }
  const bool odd = op != OP_COS;
  return with_sign(intern(g, op, limb_edge_of(limb_edge_node(a)), 0), odd && limb_edge_minus(a));
}

limb_edge limb_operation_edge(limb_graph* g, limb_op op, limb_edge a, limb_edge b)
{
  switch (op) {
  case OP_ADD: return limb_add_edge(g, a, b);
  case OP_MUL: return limb_mul_edge(g, a, b);
  case OP_DIV: return limb_div_edge(g, a, b);
  default: return limb_unary_edge(g, op, a);
  }
}

// ---- live nodes ----------------------------------------------------------------------------------------------------

void limb_mark_live(const limb_graph* g, const limb_edge* of, size_t n, unsigned char* marks, uint32_t count)
{
  memset(marks, 0, count);
  for (size_t i = 0; i < n; i++) marks[limb_edge_node(of[i])] = 1;
  for (uint32_t i = count; i-- > 0;) {
    const limb_node* x = limb_graph_node(g, i);
    if (!marks[i]) continue;
    uint32_t operand[2];
    for (int k = limb_operand_nodes(x, operand); k-- > 0;) marks[operand[k]] = 1;
  }
}

// ---- derivatives ---------------------------------------------------------------------------------------------------

// d f(a) / d a, of the node that is f(a).
static limb_edge unary_derivative(limb_graph* g, limb_op op, limb_edge node, limb_edge a)
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

static limb_edge node_derivative(limb_graph* g, limb_node x, limb_edge node, limb_edge da, limb_edge db)
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
    return limb_mul_edge(g, unary_derivative(g, (limb_op)x.op, node, x.a), da);
  }
}

static void derive_nodes(limb_graph* g, uint32_t symbol, const unsigned char* live, uint32_t count, limb_edge* d)
{
  for (uint32_t i = 0; i < count; i++) {
    if (!live[i]) continue;
    const limb_node x = *limb_graph_node(g, i);
    if (limb_op_leaf(x.op)) {
      d[i] = x.op == OP_SYMBOL && x.a == symbol ? limb_number_edge(g, 1) : EDGE_ZERO;
      continue;
    }
    const limb_edge da = limb_edge_signed(d[limb_edge_node(x.a)], x.a);
    const limb_edge db = limb_op_binary(x.op) ? limb_edge_signed(d[limb_edge_node(x.b)], x.b) : EDGE_ZERO;
    d[i] = node_derivative(g, x, limb_edge_of(i), da, db);
  }
}

bool limb_derive(limb_graph* g, const limb_edge* of, size_t n, const uint32_t* symbols, size_t ns, limb_edge* out)
{
  const limb_allocator alloc = *limb_graph_allocator(g);
  const uint32_t count = limb_graph_count(g);
  const size_t size = count * (sizeof(limb_edge) + 1);
  limb_edge* d = limb_alloc(&alloc, size);
  if (!d) return false;
  unsigned char* live = (unsigned char*)(d + count);
  limb_mark_live(g, of, n, live, count);
  for (size_t j = 0; j < ns; j++) {
    derive_nodes(g, symbols[j], live, count, d);
    for (size_t i = 0; i < n; i++) out[i * ns + j] = limb_edge_signed(d[limb_edge_node(of[i])], of[i]);
  }
  limb_free(&alloc, d, size);
  return !limb_graph_full(g);
}
