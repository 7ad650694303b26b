// An order from the last statement to the first (order.h): of those that nothing before needs any more, the
// one comes next that brings the fewest new values to life, and among equals the one that was needed last.
//
// Cost: statements times those that wait at once; ORDER_GREEDY_MOST statements at most.
#include "symbolic/order.h"

#include "base/memory.h"

#include <string.h>

typedef struct greedy {
  limb_listing* l;
  uint32_t* begin;   // count + 1: where the operands of a statement begin
  uint32_t* operand; // positions, each at most once for a statement
  uint32_t* pending; // statements that use it and have no place yet
  uint32_t* ready;   // those that may come next
  uint32_t* order;   // positions, last to first
  unsigned char* alive;
  uint32_t operands, nready, at;
} greedy;

static void add_operand(void* context, uint32_t leaf)
{
  greedy* x = context;
  const uint32_t place = x->l->place[leaf];
  if (place <= x->l->early) return; // no statement, or one that comes first
  if (place - 1 == x->at) return;   // an input that is an answer
  for (uint32_t i = x->begin[x->at]; i < x->operands; i++) {
    if (x->operand[i] == place - 1) return;
  }
  x->operand[x->operands++] = place - 1;
  x->pending[place - 1]++;
}

// Values that would come to life.
static uint32_t brings(const greedy* x, uint32_t at)
{
  uint32_t n = 0;
  for (uint32_t i = x->begin[at]; i < x->begin[at + 1]; i++) n += !x->alive[x->operand[i]];
  return n;
}

static uint32_t take_best(greedy* x)
{
  uint32_t best = x->nready - 1, least = UINT32_MAX;
  for (uint32_t i = x->nready; i-- > 0 && least > 0;) {
    const uint32_t n = brings(x, x->ready[i]);
    if (n < least) least = n, best = i;
  }
  const uint32_t at = x->ready[best];
  x->nready--;
  memmove(x->ready + best, x->ready + best + 1, (x->nready - best) * sizeof *x->ready);
  return at;
}

static void run(greedy* x)
{
  limb_listing* l = x->l;
  for (x->at = 0; x->at < l->count; x->at++) {
    x->begin[x->at] = x->operands;
    if (x->at >= l->early) limb_statement_leaves(l, l->node[x->at], add_operand, x);
  }
  x->begin[l->count] = x->operands;
  for (uint32_t i = l->early; i < l->count; i++) {
    if (!x->pending[i]) x->ready[x->nready++] = i;
  }
  for (uint32_t to = l->count; to-- > l->early;) {
    const uint32_t at = take_best(x);
    x->order[to] = l->node[at];
    for (uint32_t i = x->begin[at]; i < x->begin[at + 1]; i++) {
      const uint32_t of = x->operand[i];
      x->alive[of] = 1;
      if (--x->pending[of] == 0) x->ready[x->nready++] = of;
    }
  }
  memcpy(l->node + l->early, x->order + l->early, (l->count - l->early) * sizeof *l->node);
}

bool limb_order_greedily(limb_listing* l)
{
  const size_t n = (size_t)l->count + 1;
  const size_t words = (4 + LIMB_LEAVES) * n, size = words * sizeof(uint32_t) + n;
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
  run(&x);
  limb_free(&l->alloc, memory, size);
  return true;
}
