// Scheduling for latency (schedule.h): list scheduling, and sums balanced by when their terms are ready.
//
// List scheduling (P. Gibbons, S. Muchnick, Efficient instruction scheduling for a pipelined architecture, 1986):
// statements in the order in which a processor with two multiply-add units would issue them, those with the longest
// path to an output first; once the registers are full, those that end most lives. Cost: statements times the
// logarithm of those that wait at once.
//
// Balanced sums (tree-height reduction): a sum whose inner sums nobody else uses is a list of terms. It is rebuilt
// from the two terms that are ready first, repeatedly, as in Huffman's trees: the last to arrive passes a single
// addition. Cost: linear in the nodes, and the square of the terms of a sum, at most SUM_MAX.
//
//   ready    cycles until a value is there, on a processor with many units: 4 for an addition or a product, none
//            for a product that goes into a sum (a multiply-add), 13 for a division
#include "base/memory.h"
#include "codegen/schedule.h"

#include <string.h>

// ---- list scheduling -----------------------------------------------------------------------------------------------

enum {
  HALF_CYCLES = 8, // latency of an addition or multiply-add
  HALF_CYCLES_DIVISION = 26,
  LIVE_MAX = 28,       // values that fit in registers
  CANDIDATES_MAX = 128 // ready statements that are compared, at most
};

typedef struct heap {
  uint32_t* item;
  const uint32_t* key; // the largest comes first, and among equals the smaller item
  uint32_t count;
} heap;

typedef struct list_scheduler {
  limb_schedule* l;
  uint32_t* begin;   // count + 1: where the users of a statement begin
  uint32_t* user;    // positions, with repetitions
  uint32_t* first;   // count + 1: where its operands begin
  uint32_t* operand; // positions, with repetitions
  uint32_t* left;    // remaining uses
  uint32_t* missing; // operands that are not issued yet
  uint32_t* path;    // critical path from its start to the end, in half cycles
  uint32_t* from;    // UINT32_MAX - half cycle at which its operands are ready
  heap ready, waiting;
  uint32_t alive;
  uint32_t at; // statement being visited
  bool fill;   // second visit: users are entered
} list_scheduler;

// ---- latency -------------------------------------------------------------------------------------------------------

typedef struct op_mix {
  uint32_t mul, add, div;
} op_mix;

static void add_ops(const limb_schedule* l, uint32_t node, bool root, op_mix* t)
{
  const limb_node* x = limb_graph_node(l->g, node);
  const int operands = limb_operands((limb_op)x->op);
  if (operands == 0 || (l->position[node] && !root)) return;
  t->mul += x->op == OP_MUL, t->add += x->op == OP_ADD;
  t->div += x->op != OP_MUL && x->op != OP_ADD;
  add_ops(l, limb_edge_node(x->a), false, t);
  if (operands > 1) add_ops(l, limb_edge_node(x->b), false, t);
}

// Half cycles of the units, and until the value is ready. A product in a sum is one operation.
static uint32_t units_of(const op_mix* t)
{
  const uint32_t n = (t->mul > t->add ? t->mul : t->add) + t->div;
  return n ? n : 1;
}

static uint32_t latency_of(const op_mix* t)
{
  const uint32_t chain = t->add + (t->mul > t->add);
  return HALF_CYCLES * (chain ? chain : t->div == 0) + HALF_CYCLES_DIVISION * t->div;
}

// ---- heaps ---------------------------------------------------------------------------------------------------------

static bool is_before(const heap* h, uint32_t a, uint32_t b)
{
  return h->key[a] > h->key[b] || (h->key[a] == h->key[b] && a < b);
}

// Puts an item at an index or above it.
static void lift(heap* h, uint32_t at, uint32_t item)
{
  for (; at > 0 && is_before(h, item, h->item[(at - 1) / 2]); at = (at - 1) / 2) h->item[at] = h->item[(at - 1) / 2];
  h->item[at] = item;
}

static void put(heap* h, uint32_t item) { lift(h, h->count++, item); }

// Removes the item at an index of the heap; 0: the first.
static uint32_t take(heap* h, uint32_t at)
{
  const uint32_t taken = h->item[at], item = h->item[--h->count];
  if (at == h->count) return taken;
  for (uint32_t child = 2 * at + 1; child < h->count; child = 2 * at + 1) {
    if (child + 1 < h->count && is_before(h, h->item[child + 1], h->item[child])) child++;
    if (!is_before(h, h->item[child], item)) break;
    h->item[at] = h->item[child];
    at = child;
  }
  lift(h, at, item);
  return taken;
}

// ---- users and operands --------------------------------------------------------------------------------------------

static void count_operand(void* context, uint32_t leaf)
{
  list_scheduler* x = context;
  const uint32_t position = x->l->position[leaf];
  if (position <= x->l->prologue || position - 1 == x->at) return; // not a statement, in the prologue, or itself
  if (x->fill) {
    x->user[x->begin[position - 1]++] = x->at;
    x->operand[x->first[x->at + 1]++] = position - 1;
    x->missing[x->at]++;
    x->left[position - 1]++;
  } else {
    x->begin[position - 1]++;
  }
}

static void count_operands(list_scheduler* x)
{
  for (x->at = x->l->prologue; x->at < x->l->count; x->at++) {
    x->first[x->at + 1] = x->first[x->at];
    limb_statement_leaves(x->l, x->l->node[x->at], count_operand, x);
  }
}

// Lists the users of all statements, with repetitions.
static void list_users(list_scheduler* x)
{
  count_operands(x);
  uint32_t sum = 0;
  for (uint32_t i = 0; i <= x->l->count; i++) {
    const uint32_t n = x->begin[i];
    x->begin[i] = sum;
    sum += n;
  }
  x->fill = true;
  count_operands(x); // leaves begin[i] at the begin of i + 1
  for (uint32_t i = x->l->count; i > 0; i--) x->begin[i] = x->begin[i - 1];
  x->begin[0] = 0;
}

static void measure_paths(list_scheduler* x)
{
  for (uint32_t i = x->l->count; i-- > x->l->prologue;) {
    op_mix t = {0};
    add_ops(x->l, x->l->node[i], true, &t);
    uint32_t longest = 0;
    for (uint32_t u = x->begin[i]; u < x->begin[i + 1]; u++) {
      if (x->path[x->user[u]] > longest) longest = x->path[x->user[u]];
    }
    x->path[i] = latency_of(&t) + longest;
  }
}

// ---- the order -----------------------------------------------------------------------------------------------------

// Moves statements whose operands are ready at that time.
static void wake(list_scheduler* x, uint32_t time)
{
  while (x->waiting.count && UINT32_MAX - x->from[x->waiting.item[0]] <= time) put(&x->ready, take(&x->waiting, 0));
}

static void issue(list_scheduler* x, uint32_t at, uint32_t end)
{
  for (uint32_t u = x->begin[at]; u < x->begin[at + 1]; u++) {
    const uint32_t user = x->user[u];
    if (UINT32_MAX - end < x->from[user]) x->from[user] = UINT32_MAX - end;
    if (--x->missing[user] == 0) put(&x->waiting, user);
  }
}

// Removes or restores the uses of a statement's operands; returns how many have none left.
static uint32_t use_operands(list_scheduler* x, uint32_t at, bool back)
{
  uint32_t ended = 0;
  for (uint32_t i = x->first[at]; i < x->first[at + 1]; i++) {
    uint32_t* left = &x->left[x->operand[i]];
    if (back) {
      (*left)++;
    } else {
      ended += --(*left) == 0;
    }
  }
  return ended;
}

// While registers are free, the statement with the longest path; else the one that ends the most lives.
static uint32_t choose(list_scheduler* x)
{
  if (x->alive < LIVE_MAX) return 0;
  uint32_t best = 0, max_ended = 0;
  for (uint32_t i = 0; i < x->ready.count && i < CANDIDATES_MAX; i++) {
    const uint32_t at = x->ready.item[i], ended = use_operands(x, at, false);
    (void)use_operands(x, at, true);
    const bool tie = ended == max_ended && is_before(&x->ready, at, x->ready.item[best]);
    if (ended > max_ended || tie) max_ended = ended, best = i;
  }
  return best;
}

static void run(list_scheduler* x, uint32_t* order)
{
  limb_schedule* l = x->l;
  list_users(x);
  measure_paths(x);
  for (uint32_t i = l->prologue; i < l->count; i++) {
    x->from[i] = UINT32_MAX;
    if (!x->missing[i]) put(&x->waiting, i);
  }
  uint32_t time = 0;
  for (uint32_t to = l->prologue; to < l->count; to++) {
    wake(x, time);
    if (!x->ready.count) {
      time = UINT32_MAX - x->from[x->waiting.item[0]];
      wake(x, time);
    }
    const uint32_t at = take(&x->ready, choose(x));
    x->alive -= use_operands(x, at, false);
    x->alive += x->left[at] > 0;
    op_mix t = {0};
    add_ops(l, l->node[at], true, &t);
    order[to] = l->node[at];
    issue(x, at, time + latency_of(&t));
    time += units_of(&t);
  }
  memcpy(l->node + l->prologue, order + l->prologue, (l->count - l->prologue) * sizeof *order);
}

bool limb_schedule_for_latency(limb_schedule* l)
{
  const size_t n = (size_t)l->count + 1, words = (9 + 2 * LIMB_LEAVES_MAX) * n;
  uint32_t* memory = limb_alloc(&l->alloc, words * sizeof *memory);
  if (!memory) return false;
  memset(memory, 0, words * sizeof *memory);
  list_scheduler x = {.l = l,
                      .begin = memory,
                      .missing = memory + n,
                      .path = memory + 2 * n,
                      .from = memory + 3 * n,
                      .first = memory + 7 * n,
                      .left = memory + 8 * n,
                      .user = memory + 9 * n,
                      .operand = memory + (9 + LIMB_LEAVES_MAX) * n};
  x.ready = (heap){memory + 4 * n, x.path, 0};
  x.waiting = (heap){memory + 5 * n, x.from, 0};
  run(&x, memory + 6 * n);
  limb_free(&l->alloc, memory, words * sizeof *memory);
  return true;
}

// ---- balanced sums -------------------------------------------------------------------------------------------------

enum { SUM_MAX = 64, CYCLES = 4, CYCLES_DIVISION = 13, CYCLES_SINE = 30 };

typedef struct balancing {
  limb_graph* g;
  uint32_t nodes;
  uint32_t* uses;  // nodes; 0: dead
  uint32_t* ready; // nodes
  limb_edge* now;  // nodes: the rewritten edge
  uint8_t* in_sum; // nodes: whether the last user is a sum
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

// Number of terms that an operand adds to a sum.
static uint32_t terms_of(const balancing* b, limb_edge e)
{
  const uint32_t node = limb_edge_node(e);
  return is_inner(b, node) ? b->ready[node] : 1;
}

// Cuts sums of more than SUM_MAX terms: what is no longer an inner sum is a term. Uses `ready` to count terms.
static void cut_long_sums(balancing* b)
{
  for (uint32_t node = 0; node < b->nodes; node++) {
    const limb_node* x = limb_graph_node(b->g, node);
    if (!b->uses[node] || x->op != OP_ADD) continue;
    while (terms_of(b, x->a) + terms_of(b, x->b) > SUM_MAX) { // the larger operand, perhaps both
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
  term list[SUM_MAX];
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
  b->now[node] = limb_operation_edge(b->g, op, x.edge, y.edge);
}

static void count_uses(balancing* b, const limb_edge* edge, size_t n)
{
  for (size_t i = 0; i < n; i++) b->uses[limb_edge_node(edge[i])]++;
  for (uint32_t node = b->nodes; node-- > 0;) { // operands come before their users
    const limb_node* x = limb_graph_node(b->g, node);
    uint32_t of[2];
    if (!b->uses[node]) continue;
    for (int i = limb_operand_nodes(x, of); i-- > 0;) b->uses[of[i]]++, b->in_sum[of[i]] = x->op == OP_ADD;
  }
}

// New nodes are appended; the existing ones stay.
bool limb_balance_sums(limb_graph* g, limb_edge* edge, size_t n)
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
  for (size_t i = 0; i < n && done; i++) edge[i] = limb_edge_signed(b.now[limb_edge_node(edge[i])], edge[i]);
  limb_free(&alloc, memory, size);
  return done;
}
