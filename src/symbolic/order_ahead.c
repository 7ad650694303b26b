// An order for processors that work ahead (order.h): statements as they would be issued by one with units
// for two multiply-adds a cycle, those with the longest path behind them first (list scheduling, as in
// P. Gibbons, S. Muchnick, Efficient instruction scheduling for a pipelined architecture, 1986).
//
// Cost: statements times the logarithm of those that wait at once.
#include "symbolic/order.h"

#include "base/memory.h"

#include <string.h>

enum {
  HALF_CYCLES = 8, // of an addition or multiply-add
  HALF_CYCLES_DIVISION = 26,
  ALIVE_MOST = 28, // values that registers hold
  LOOKED_AT = 128  // statements, when there are more
};

typedef struct heap {
  uint32_t* item;
  const uint32_t* key; // the largest comes first, and among equals the one that was there first
  uint32_t count;
} heap;

typedef struct schedule {
  limb_listing* l;
  uint32_t* begin;   // count + 1: where the users of a statement begin
  uint32_t* user;    // positions, with repetitions
  uint32_t* first;   // count + 1: where its operands begin
  uint32_t* operand; // positions, with repetitions
  uint32_t* left;    // uses of it to come
  uint32_t* missing; // operands that have no place yet
  uint32_t* path;    // half cycles from its start to the end
  uint32_t* from;    // half cycles at which its operands are there, counted down (heaps are of the largest)
  heap ready, waiting;
  uint32_t alive;
  uint32_t at; // of the visit
  bool fill;   // second visit: users are put in
} schedule;

// ---- what a statement takes ---------------------------------------------------------------------------

typedef struct takes {
  uint32_t mul, add, div;
} takes;

static void add_takes(const limb_listing* l, uint32_t node, bool root, takes* t)
{
  const limb_node* x = limb_graph_node(l->g, node);
  const int operands = limb_operands((limb_op)x->op);
  if (operands == 0 || (l->place[node] && !root)) return;
  t->mul += x->op == OP_MUL, t->add += x->op == OP_ADD;
  t->div += x->op != OP_MUL && x->op != OP_ADD;
  add_takes(l, limb_edge_node(x->a), false, t);
  if (operands > 1) add_takes(l, limb_edge_node(x->b), false, t);
}

// Half cycles of the units; until the value is there. A product and a sum are one operation.
static uint32_t units_of(const takes* t)
{
  const uint32_t n = (t->mul > t->add ? t->mul : t->add) + t->div;
  return n ? n : 1;
}

static uint32_t latency_of(const takes* t)
{
  const uint32_t chain = t->add + (t->mul > t->add);
  return HALF_CYCLES * (chain ? chain : t->div == 0) + HALF_CYCLES_DIVISION * t->div;
}

// ---- heaps ----------------------------------------------------------------------------------------------

static bool is_before(const heap* h, uint32_t a, uint32_t b)
{
  return h->key[a] > h->key[b] || (h->key[a] == h->key[b] && a < b);
}

static void put(heap* h, uint32_t item)
{
  uint32_t at = h->count++;
  for (; at > 0 && is_before(h, item, h->item[(at - 1) / 2]); at = (at - 1) / 2) {
    h->item[at] = h->item[(at - 1) / 2];
  }
  h->item[at] = item;
}

// Takes the item at a place of the heap, 0: the first.
static uint32_t take(heap* h, uint32_t at)
{
  const uint32_t taken = h->item[at], item = h->item[--h->count];
  if (at == h->count) return taken;
  for (; at > 0 && is_before(h, item, h->item[(at - 1) / 2]); at = (at - 1) / 2) {
    h->item[at] = h->item[(at - 1) / 2];
  }
  for (uint32_t child = 2 * at + 1; child < h->count; child = 2 * at + 1) {
    if (child + 1 < h->count && is_before(h, h->item[child + 1], h->item[child])) child++;
    if (!is_before(h, h->item[child], item)) break;
    h->item[at] = h->item[child];
    at = child;
  }
  h->item[at] = item;
  return taken;
}

// ---- who uses what --------------------------------------------------------------------------------------

static void see_operand(void* context, uint32_t leaf)
{
  schedule* x = context;
  const uint32_t place = x->l->place[leaf];
  if (place <= x->l->early || place - 1 == x->at) return; // no statement, one that comes first, itself
  if (x->fill) {
    x->user[x->begin[place - 1]++] = x->at;
    x->operand[x->first[x->at + 1]++] = place - 1;
    x->missing[x->at]++;
    x->left[place - 1]++;
  } else {
    x->begin[place - 1]++;
  }
}

static void see_all(schedule* x)
{
  for (x->at = x->l->early; x->at < x->l->count; x->at++) {
    x->first[x->at + 1] = x->first[x->at];
    limb_statement_leaves(x->l, x->l->node[x->at], see_operand, x);
  }
}

// Users of a statement, with repetitions, in a row.
static void list_users(schedule* x)
{
  see_all(x);
  uint32_t sum = 0;
  for (uint32_t i = 0; i <= x->l->count; i++) {
    const uint32_t n = x->begin[i];
    x->begin[i] = sum;
    sum += n;
  }
  x->fill = true;
  see_all(x); // leaves begin[i] where those of i + 1 begin
  for (uint32_t i = x->l->count; i > 0; i--) x->begin[i] = x->begin[i - 1];
  x->begin[0] = 0;
}

static void measure_paths(schedule* x)
{
  for (uint32_t i = x->l->count; i-- > x->l->early;) {
    takes t = {0};
    add_takes(x->l, x->l->node[i], true, &t);
    uint32_t longest = 0;
    for (uint32_t u = x->begin[i]; u < x->begin[i + 1]; u++) {
      if (x->path[x->user[u]] > longest) longest = x->path[x->user[u]];
    }
    x->path[i] = latency_of(&t) + longest;
  }
}

// ---- the order --------------------------------------------------------------------------------------------

// Those whose operands are there at that time.
static void wake(schedule* x, uint32_t time)
{
  while (x->waiting.count && UINT32_MAX - x->from[x->waiting.item[0]] <= time) {
    put(&x->ready, take(&x->waiting, 0));
  }
}

static void issue(schedule* x, uint32_t at, uint32_t end)
{
  for (uint32_t u = x->begin[at]; u < x->begin[at + 1]; u++) {
    const uint32_t user = x->user[u];
    if (UINT32_MAX - end < x->from[user]) x->from[user] = UINT32_MAX - end;
    if (--x->missing[user] == 0) put(&x->waiting, user);
  }
}

// Uses of its operands, gone or back; how many of them have none left.
static uint32_t use_operands(schedule* x, uint32_t at, bool back)
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

// With room in the registers the one with the longest path, else the one that ends most lives.
static uint32_t choose(schedule* x)
{
  if (x->alive < ALIVE_MOST) return 0;
  uint32_t best = 0, most = 0;
  for (uint32_t i = 0; i < x->ready.count && i < LOOKED_AT; i++) {
    const uint32_t at = x->ready.item[i], ended = use_operands(x, at, false);
    (void)use_operands(x, at, true);
    const bool tie = ended == most && is_before(&x->ready, at, x->ready.item[best]);
    if (ended > most || tie) most = ended, best = i;
  }
  return best;
}

static void run(schedule* x, uint32_t* order)
{
  limb_listing* l = x->l;
  list_users(x);
  measure_paths(x);
  for (uint32_t i = l->early; i < l->count; i++) {
    x->from[i] = UINT32_MAX;
    if (!x->missing[i]) put(&x->waiting, i);
  }
  uint32_t time = 0;
  for (uint32_t to = l->early; to < l->count; to++) {
    wake(x, time);
    if (!x->ready.count) {
      time = UINT32_MAX - x->from[x->waiting.item[0]];
      wake(x, time);
    }
    const uint32_t at = take(&x->ready, choose(x));
    x->alive -= use_operands(x, at, false);
    x->alive += x->left[at] > 0;
    takes t = {0};
    add_takes(l, l->node[at], true, &t);
    order[to] = l->node[at];
    issue(x, at, time + latency_of(&t));
    time += units_of(&t);
  }
  memcpy(l->node + l->early, order + l->early, (l->count - l->early) * sizeof *order);
}

bool limb_order_ahead(limb_listing* l)
{
  const size_t n = (size_t)l->count + 1, words = (9 + 2 * LIMB_LEAVES) * n;
  uint32_t* memory = limb_alloc(&l->alloc, words * sizeof *memory);
  if (!memory) return false;
  memset(memory, 0, words * sizeof *memory);
  schedule x = {.l = l,
                .begin = memory,
                .missing = memory + n,
                .path = memory + 2 * n,
                .from = memory + 3 * n,
                .first = memory + 7 * n,
                .left = memory + 8 * n,
                .user = memory + 9 * n,
                .operand = memory + (9 + LIMB_LEAVES) * n};
  x.ready = (heap){memory + 4 * n, x.path, 0};
  x.waiting = (heap){memory + 5 * n, x.from, 0};
  run(&x, memory + 6 * n);
  limb_free(&l->alloc, memory, words * sizeof *memory);
  return true;
}
