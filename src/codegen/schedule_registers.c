// Scheduling for few registers (schedule.h): the order of four with the fewest live values.
//
// The greedy order is built from the last statement to the first: among the statements that no placed one waits for,
// the next is the one that makes the fewest new values live, and among equals the one that became ready last.
#include "base/memory.h"
#include "codegen/schedule.h"

#include <string.h>

// ---- live values ---------------------------------------------------------------------------------------------------

typedef struct measuring {
  limb_schedule* l;
  uint32_t at;
} measuring;

static void measure_leaf(void* context, uint32_t leaf)
{
  measuring* x = context;
  const limb_op op = (limb_op)limb_graph_node(x->l->g, leaf)->op;
  if (op == OP_SYMBOL && x->at > x->l->last_read) x->l->last_read = x->at;
  if (x->l->position[leaf]) x->l->last[x->l->position[leaf] - 1] = x->at;
}

// An output is stored once all inputs have been read.
static void measure_stores(limb_schedule* l)
{
  for (uint32_t e = 0; e < l->entries; e++) {
    const uint32_t node = limb_edge_node(limb_entry_edge(l->f, e, NULL, NULL));
    if (!l->position[node]) continue; // a number
    uint32_t* last = &l->last[l->position[node] - 1];
    if (*last < l->last_read) *last = l->last_read;
  }
}

// Computes from l->node the positions, the last uses, and the number of live values.
static void measure(limb_schedule* l, uint32_t* ends)
{
  measuring x = {l, 0};
  l->last_read = l->prologue < l->count ? l->prologue : l->prologue ? l->prologue - 1 : 0; // sines come from inputs
  for (uint32_t i = 0; i < l->count; i++) l->position[l->node[i]] = i + 1, l->last[i] = i;
  for (x.at = 0; x.at < l->count; x.at++) {
    limb_statement_leaves(l, l->node[x.at], measure_leaf, &x);
    // an input that is both output and operand has a position, but is read all the same
    if (limb_graph_node(l->g, l->node[x.at])->op != OP_SYMBOL) continue;
    if (x.at > l->last_read) l->last_read = x.at;
  }
  measure_stores(l);
  memset(ends, 0, ((size_t)l->count + 1) * sizeof *ends);
  for (uint32_t i = 0; i < l->count; i++) ends[l->last[i]]++;
  uint32_t alive = 0;
  l->max_live = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    alive++;
    if (alive > l->max_live) l->max_live = alive;
    alive -= ends[i];
  }
}

// ---- walks from the outputs ----------------------------------------------------------------------------------------

// Sethi-Ullman numbers: registers that a node needs, if the graph were a tree.
static void registers(const limb_schedule* l, uint32_t* need)
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
  limb_schedule* l;
  const uint32_t* need;
  unsigned char* mark; // nodes
  uint32_t* stack;     // 2 nodes + 1
  uint32_t depth;
} walk;

static void push(walk* w, uint32_t node)
{
  if (w->mark[node] == UNSEEN) w->stack[w->depth++] = node;
}

// Marks a node as open and pushes its operands, the one that needs more registers on top.
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
  limb_schedule* l = w->l;
  w->depth = 0;
  push(w, root);
  while (w->depth) {
    const uint32_t node = w->stack[w->depth - 1];
    if (w->mark[node] == UNSEEN) {
      open_node(w, node);
      continue;
    }
    w->depth--;
    if (w->mark[node] == OPEN && l->position[node]) l->node[count++] = node;
    w->mark[node] = DONE;
  }
  return count;
}

static void order_by_walk(limb_schedule* l, walk* w, bool back)
{
  memset(w->mark, UNSEEN, l->nodes);
  uint32_t count = l->prologue;
  for (uint32_t i = 0; i < count; i++) w->mark[l->node[i]] = DONE;
  for (uint32_t i = 0; i < l->entries; i++) {
    const uint32_t e = back ? l->entries - 1 - i : i;
    count = walk_from(w, limb_edge_node(limb_entry_edge(l->f, e, NULL, NULL)), count);
  }
}

// ---- the choice ----------------------------------------------------------------------------------------------------

enum { AFTER_SINE = 1, TO_SINE = 2 }; // marks: depends on a sine; a sine depends on it

static void mark_sines(limb_schedule* l, unsigned char* mark)
{
  for (uint32_t n = 0; n < l->nodes; n++) {
    const limb_node* x = limb_graph_node(l->g, n);
    const int operands = limb_operands((limb_op)x->op);
    if (!l->uses[n] || operands == 0) continue;
    const bool below =
      (mark[limb_edge_node(x->a)] & AFTER_SINE) || (operands > 1 && (mark[limb_edge_node(x->b)] & AFTER_SINE));
    const bool sine = limb_is_sine((limb_op)x->op);
    if (sine && below) l->nested_sines = true;
    mark[n] = (unsigned char)((sine || below ? AFTER_SINE : 0) | (sine && !below ? TO_SINE : 0));
  }
  for (uint32_t n = l->nodes; n-- > 0;) {
    const limb_node* x = limb_graph_node(l->g, n);
    uint32_t of[2];
    if (!(mark[n] & TO_SINE)) continue;
    for (int k = limb_operand_nodes(x, of); k-- > 0;) mark[of[k]] |= TO_SINE;
  }
}

// Angles first, then their sines, then the rest in the order of the graph.
static bool order_as_graph(limb_schedule* l)
{
  unsigned char* mark = limb_alloc(&l->alloc, l->nodes);
  if (!mark) return false;
  memset(mark, 0, l->nodes);
  mark_sines(l, mark);
  uint32_t count = 0;
  for (int part = 0; part < 3; part++) {
    for (uint32_t n = 0; n < l->nodes; n++) {
      if (!l->position[n]) continue;
      const bool sine = mark[n] & AFTER_SINE;
      const int belongs = mark[n] & TO_SINE ? sine : 2;
      if (belongs == part) l->node[count++] = n;
    }
    if (part == 0) l->angle_sums = count;
    if (part == 1) l->prologue = count;
  }
  limb_free(&l->alloc, mark, l->nodes);
  return true;
}

typedef struct scratch {
  uint32_t *ends, *need, *stack, *best;
  unsigned char* mark;
} scratch;

// Applies one of the orders.
static bool arrange(limb_schedule* l, const scratch* s, limb_schedule_kind order)
{
  walk w = {l, s->need, s->mark, s->stack, 0};
  if (order == SCHEDULE_GREEDY && l->count <= GREEDY_MAX) return limb_schedule_greedily(l);
  order_by_walk(l, &w, order == SCHEDULE_WALK_BACK);
  return true;
}

// Keeps the order with the fewest live values, or the requested one. At entry the order is that of the graph.
static bool choose(limb_schedule* l, const scratch* s)
{
  const size_t size = l->count * sizeof *l->node;
  const limb_schedule_kind kind = l->options.order;
  measure(l, s->ends);
  if (kind == SCHEDULE_GRAPH) return true;
  if (kind == SCHEDULE_LATENCY) {
    if (!limb_schedule_for_latency(l)) return false;
    measure(l, s->ends);
    return true;
  }
  memcpy(s->best, l->node, size);
  uint32_t fewest = kind == SCHEDULE_REGISTERS ? l->max_live : UINT32_MAX;
  registers(l, s->need);
  for (int order = SCHEDULE_WALK; order <= SCHEDULE_GREEDY; order++) {
    if (kind != SCHEDULE_REGISTERS && (int)kind != order) continue;
    if (!arrange(l, s, (limb_schedule_kind)order)) return false;
    measure(l, s->ends);
    if (l->max_live >= fewest) continue;
    fewest = l->max_live;
    memcpy(s->best, l->node, size);
  }
  memcpy(l->node, s->best, size);
  measure(l, s->ends);
  return true;
}

bool limb_schedule_statements(limb_schedule* l)
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

// ---- the greedy order ----------------------------------------------------------------------------------------------

typedef struct greedy {
  limb_schedule* l;
  uint32_t* begin;   // count + 1: where the operands of a statement begin
  uint32_t* operand; // positions, each at most once for a statement
  uint32_t* pending; // users that are not placed yet
  uint32_t* ready;   // candidates for the next place
  uint32_t* order;   // positions, last to first
  unsigned char* alive;
  uint32_t operands, nready, at;
} greedy;

static void add_operand(void* context, uint32_t leaf)
{
  greedy* x = context;
  const uint32_t position = x->l->position[leaf];
  if (position <= x->l->prologue) return; // not a statement, or in the prologue
  if (position - 1 == x->at) return;      // an input that is an output
  for (uint32_t i = x->begin[x->at]; i < x->operands; i++) {
    if (x->operand[i] == position - 1) return;
  }
  x->operand[x->operands++] = position - 1;
  x->pending[position - 1]++;
}

// Values that would become live.
static uint32_t new_live_values(const greedy* x, uint32_t at)
{
  uint32_t n = 0;
  for (uint32_t i = x->begin[at]; i < x->begin[at + 1]; i++) n += !x->alive[x->operand[i]];
  return n;
}

static uint32_t take_best(greedy* x)
{
  uint32_t best = x->nready - 1, fewest = UINT32_MAX;
  for (uint32_t i = x->nready; i-- > 0 && fewest > 0;) {
    const uint32_t n = new_live_values(x, x->ready[i]);
    if (n < fewest) fewest = n, best = i;
  }
  const uint32_t at = x->ready[best];
  x->nready--;
  memmove(x->ready + best, x->ready + best + 1, (x->nready - best) * sizeof *x->ready);
  return at;
}

static void run_greedy(greedy* x)
{
  limb_schedule* l = x->l;
  for (x->at = 0; x->at < l->count; x->at++) {
    x->begin[x->at] = x->operands;
    if (x->at >= l->prologue) limb_statement_leaves(l, l->node[x->at], add_operand, x);
  }
  x->begin[l->count] = x->operands;
  for (uint32_t i = l->prologue; i < l->count; i++) {
    if (!x->pending[i]) x->ready[x->nready++] = i;
  }
  for (uint32_t to = l->count; to-- > l->prologue;) {
    const uint32_t at = take_best(x);
    x->order[to] = l->node[at];
    for (uint32_t i = x->begin[at]; i < x->begin[at + 1]; i++) {
      const uint32_t of = x->operand[i];
      x->alive[of] = 1;
      if (--x->pending[of] == 0) x->ready[x->nready++] = of;
    }
  }
  memcpy(l->node + l->prologue, x->order + l->prologue, (l->count - l->prologue) * sizeof *l->node);
}

bool limb_schedule_greedily(limb_schedule* l)
{
  const size_t n = (size_t)l->count + 1;
  const size_t words = (4 + LIMB_LEAVES_MAX) * n, size = words * sizeof(uint32_t) + n;
  uint32_t* memory = limb_alloc(&l->alloc, size);
  if (!memory) return false;
  memset(memory, 0, size);
  greedy x = {.l = l,
              .begin = memory,
              .pending = memory + n,
              .ready = memory + 2 * n,
              .order = memory + 3 * n,
              .operand = memory + 4 * n,
              .alive = (unsigned char*)(memory + words)};
  run_greedy(&x);
  limb_free(&l->alloc, memory, size);
  return true;
}
