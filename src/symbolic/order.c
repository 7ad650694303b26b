// Statements in order, and the values that are alive (order.h); counts of operations.
#include "symbolic/order.h"

#include "base/memory.h"

#include <string.h>

// ---- live nodes -------------------------------------------------------------------------------------

limb_edge limb_entry_edge(const limb_function* f, uint32_t entry, int* output, uint32_t* index)
{
  int o = 0;
  for (;; o++) {
    const uint32_t n = (uint32_t)f->output[o].rows * (uint32_t)f->output[o].columns;
    if (entry < n) break;
    entry -= n;
  }
  if (output) *output = o;
  if (index) *index = entry;
  return f->output[o].entry[entry];
}

void limb_count_uses(const limb_graph* g, const limb_function* f, bool given_sines, uint32_t* uses, uint32_t nodes)
{
  for (int o = 0; o < f->noutput; o++) {
    const int n = f->output[o].rows * f->output[o].columns;
    for (int i = 0; i < n; i++) uses[limb_edge_node(f->output[o].entry[i])]++;
  }
  for (uint32_t n = nodes; n-- > 0;) { // operands come before what uses them
    const limb_node* x = limb_graph_node(g, n);
    const limb_op op = (limb_op)x->op;
    if (!uses[n] || (given_sines && limb_is_sine(op))) continue;
    const int operands = limb_operands(op);
    if (operands > 0) uses[limb_edge_node(x->a)]++;
    if (operands > 1) uses[limb_edge_node(x->b)]++;
  }
}

// Adds a live node.
static void count_node(const limb_node* x, limb_operations* out)
{
  switch ((limb_op)x->op) {
  case OP_NUMBER:
  case OP_SYMBOL:
  case OP_SIN:
  case OP_COS: break;
  case OP_ADD: out->add++; break;
  case OP_MUL: out->mul++; break;
  case OP_DIV: out->div++; break;
  case OP_SQRT:
  case OP_SIGN:
  case OP_TANH: out->other++; break;
  }
}

limb_operations limb_listing_operations(const limb_listing* l)
{
  limb_operations sum = {.sines = (long)l->nangle};
  for (uint32_t n = 0; n < l->nodes; n++) {
    if (l->uses[n]) count_node(limb_graph_node(l->g, n), &sum);
  }
  return sum;
}

bool limb_count_operations(const limb_graph* g, const limb_function* f, limb_operations* out)
{
  const limb_allocator alloc = *limb_graph_allocator(g);
  const uint32_t nodes = limb_graph_count(g);
  uint32_t* uses = limb_alloc(&alloc, 2 * (size_t)nodes * sizeof *uses);
  if (!uses) return false;
  memset(uses, 0, 2 * (size_t)nodes * sizeof *uses);
  uint32_t* turned = uses + nodes; // angles that have been counted
  limb_count_uses(g, f, false, uses, nodes);
  *out = (limb_operations){0};
  for (uint32_t n = 0; n < nodes; n++) {
    const limb_node* x = limb_graph_node(g, n);
    if (!uses[n]) continue;
    count_node(x, out);
    if (limb_is_sine((limb_op)x->op)) out->sines += !turned[limb_edge_node(x->a)]++;
  }
  limb_free(&alloc, uses, 2 * (size_t)nodes * sizeof *uses);
  return true;
}

// ---- leaves -----------------------------------------------------------------------------------------

static void visit_operand(const limb_listing* l, uint32_t node, limb_leaf_fn* visit, void* context)
{
  if (l->place[node] || !limb_operands((limb_op)limb_graph_node(l->g, node)->op)) {
    visit(context, node);
  } else {
    limb_statement_leaves(l, node, visit, context);
  }
}

// As deep as an expression has leaves.
void limb_statement_leaves(const limb_listing* l, uint32_t node, limb_leaf_fn* visit, void* context)
{
  const limb_node* x = limb_graph_node(l->g, node);
  const int operands = limb_operands((limb_op)x->op);
  if (operands == 0) visit(context, node); // an input that is an answer
  if (l->options.given_sines && limb_is_sine((limb_op)x->op)) return;
  if (operands > 0) visit_operand(l, limb_edge_node(x->a), visit, context);
  if (operands > 1) visit_operand(l, limb_edge_node(x->b), visit, context);
}

// ---- an order and what it comes to --------------------------------------------------------------------

typedef struct measuring {
  limb_listing* l;
  uint32_t at;
} measuring;

static void measure_leaf(void* context, uint32_t leaf)
{
  measuring* x = context;
  const limb_op op = (limb_op)limb_graph_node(x->l->g, leaf)->op;
  if (op == OP_SYMBOL && x->at > x->l->reads) x->l->reads = x->at;
  if (x->l->place[leaf]) x->l->last[x->l->place[leaf] - 1] = x->at;
}

// An answer is stored once all inputs have been read.
static void measure_stores(limb_listing* l)
{
  for (uint32_t e = 0; e < l->entries; e++) {
    const uint32_t node = limb_edge_node(limb_entry_edge(l->f, e, NULL, NULL));
    if (!l->place[node]) continue; // a number
    uint32_t* last = &l->last[l->place[node] - 1];
    if (*last < l->reads) *last = l->reads;
  }
}

// From l->node: places, last uses, and how many values are alive at once.
static void measure(limb_listing* l, uint32_t* ends)
{
  measuring x = {l, 0};
  l->reads = l->early < l->count ? l->early : l->early ? l->early - 1 : 0; // sines come from inputs
  for (uint32_t i = 0; i < l->count; i++) l->place[l->node[i]] = i + 1, l->last[i] = i;
  for (x.at = 0; x.at < l->count; x.at++) {
    limb_statement_leaves(l, l->node[x.at], measure_leaf, &x);
    // an input that is both an answer and an operand has a place, but is read all the same
    if (limb_graph_node(l->g, l->node[x.at])->op != OP_SYMBOL) continue;
    if (x.at > l->reads) l->reads = x.at;
  }
  measure_stores(l);
  memset(ends, 0, ((size_t)l->count + 1) * sizeof *ends);
  for (uint32_t i = 0; i < l->count; i++) ends[l->last[i]]++;
  uint32_t alive = 0;
  l->live = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    alive++;
    if (alive > l->live) l->live = alive;
    alive -= ends[i];
  }
}

// ---- walks from the answers ---------------------------------------------------------------------------

// Registers that a node takes, if it were the root of a tree.
static void registers(const limb_listing* l, uint32_t* need)
{
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    const int operands = limb_operands((limb_op)x->op);
    need[n] = 0;
    if (!l->uses[n] || operands == 0 || limb_is_sine((limb_op)x->op)) continue;
    const uint32_t a = need[limb_edge_node(x->a)];
    const uint32_t b = operands > 1 ? need[limb_edge_node(x->b)] : 0;
    need[n] = a > b ? a : b > a ? b : a + 1;
  }
}

enum { UNSEEN, OPEN, DONE };

typedef struct walk {
  limb_listing* l;
  const uint32_t* need;
  unsigned char* mark; // nodes
  uint32_t* stack;     // 2 nodes + 1
  uint32_t depth;
} walk;

static void push(walk* w, uint32_t node)
{
  if (w->mark[node] == UNSEEN) w->stack[w->depth++] = node;
}

// Marks a node open and puts its operands on the stack, the one that needs more on top.
static void open_node(walk* w, uint32_t node)
{
  const limb_node* x = limb_graph_node(w->l->g, node);
  const int operands = limb_operands((limb_op)x->op);
  w->mark[node] = OPEN;
  if (operands == 0) return;
  const uint32_t a = limb_edge_node(x->a), b = operands > 1 ? limb_edge_node(x->b) : a;
  const bool a_first = w->need[a] >= w->need[b];
  if (operands > 1) push(w, a_first ? b : a);
  push(w, a_first ? a : b);
}

static uint32_t walk_from(walk* w, uint32_t root, uint32_t count)
{
  limb_listing* l = w->l;
  w->depth = 0;
  push(w, root);
  while (w->depth) {
    const uint32_t node = w->stack[w->depth - 1];
    if (w->mark[node] == UNSEEN) {
      open_node(w, node);
      continue;
    }
    w->depth--;
    if (w->mark[node] == OPEN && l->place[node]) l->node[count++] = node;
    w->mark[node] = DONE;
  }
  return count;
}

static void order_by_walk(limb_listing* l, walk* w, bool back)
{
  memset(w->mark, UNSEEN, l->nodes);
  uint32_t count = l->early;
  for (uint32_t i = 0; i < count; i++) w->mark[l->node[i]] = DONE;
  for (uint32_t i = 0; i < l->entries; i++) {
    const uint32_t e = back ? l->entries - 1 - i : i;
    count = walk_from(w, limb_edge_node(limb_entry_edge(l->f, e, NULL, NULL)), count);
  }
}

// ---- the best of them ---------------------------------------------------------------------------------

enum { BELOW_SINE = 1, TO_SINE = 2 }; // marks: depends on a sine, leads to one

static void mark_sines(limb_listing* l, unsigned char* mark)
{
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    const int operands = limb_operands((limb_op)x->op);
    if (!l->uses[n] || operands == 0) continue;
    const bool below =
      (mark[limb_edge_node(x->a)] & BELOW_SINE) || (operands > 1 && (mark[limb_edge_node(x->b)] & BELOW_SINE));
    const bool sine = limb_is_sine((limb_op)x->op);
    if (sine && below) l->nested = true;
    mark[n] = (unsigned char)((sine || below ? BELOW_SINE : 0) | (sine && !below ? TO_SINE : 0));
  }
  for (uint32_t n = l->nodes; n-- > 0;) {
    const limb_node* x = limb_graph_node(l->g, n);
    const int operands = limb_operands((limb_op)x->op);
    if (!(mark[n] & TO_SINE)) continue;
    if (operands > 0) mark[limb_edge_node(x->a)] |= TO_SINE;
    if (operands > 1) mark[limb_edge_node(x->b)] |= TO_SINE;
  }
}

// Angles first, then their sines, then the rest as in the graph.
static bool order_as_graph(limb_listing* l)
{
  unsigned char* mark = limb_alloc(&l->alloc, l->nodes);
  if (!mark) return false;
  memset(mark, 0, l->nodes);
  mark_sines(l, mark);
  uint32_t count = 0;
  for (int part = 0; part < 3; part++) {
    for (uint32_t n = 0; n < l->nodes; n++) {
      if (!l->place[n]) continue;
      const bool sine = mark[n] & BELOW_SINE;
      const int belongs = mark[n] & TO_SINE ? sine : 2;
      if (belongs == part) l->node[count++] = n;
    }
    if (part == 0) l->sums = count;
    if (part == 1) l->early = count;
  }
  limb_free(&l->alloc, mark, l->nodes);
  return true;
}

typedef struct scratch {
  uint32_t *ends, *need, *stack, *best;
  unsigned char* mark;
} scratch;

// Puts the statements in one of the orders.
static bool arrange(limb_listing* l, const scratch* s, limb_order_kind order)
{
  walk w = {l, s->need, s->mark, s->stack, 0};
  if (order == ORDER_GREEDY && l->count <= ORDER_GREEDY_MOST) return limb_order_greedily(l);
  order_by_walk(l, &w, order == ORDER_WALK_BACK);
  return true;
}

// Keeps the order with the fewest values alive, or the one that was asked for. That of the graph is there.
static bool choose(limb_listing* l, const scratch* s)
{
  const size_t size = l->count * sizeof *l->node;
  const limb_order_kind asked = l->options.order;
  measure(l, s->ends);
  if (asked == ORDER_GRAPH) return true;
  if (asked == ORDER_AHEAD) {
    if (!limb_order_ahead(l)) return false;
    measure(l, s->ends);
    return true;
  }
  memcpy(s->best, l->node, size);
  uint32_t least = asked == ORDER_BEST ? l->live : UINT32_MAX;
  registers(l, s->need);
  for (int order = ORDER_WALK; order <= ORDER_GREEDY; order++) {
    if (asked != ORDER_BEST && (int)asked != order) continue;
    if (!arrange(l, s, (limb_order_kind)order)) return false;
    measure(l, s->ends);
    if (l->live >= least) continue;
    least = l->live;
    memcpy(s->best, l->node, size);
  }
  memcpy(l->node, s->best, size);
  measure(l, s->ends);
  return true;
}

bool limb_order_statements(limb_listing* l)
{
  if (!order_as_graph(l)) return false;
  const size_t n = (size_t)l->nodes, count = (size_t)l->count + 1;
  const size_t words = count + n + (2 * n + 1) + count;
  uint32_t* memory = limb_alloc(&l->alloc, words * sizeof *memory + n);
  if (!memory) return false;
  scratch s = {.ends = memory, .need = memory + count, .stack = memory + count + n};
  s.best = s.stack + (2 * n + 1);
  s.mark = (unsigned char*)(s.best + count);
  const bool done = choose(l, &s);
  limb_free(&l->alloc, memory, words * sizeof *memory + n);
  return done;
}
