// Nets: the nodes that some edges need, as cells whose operation may be exchanged for another of equal value.
//
// Every cell carries its values in a few random states (samples), and a bound of the rounding error of each:
//
//   e(a + b) = e(a) + e(b) + |a + b|        e(a b) = |a| e(b) + |b| e(a) + |a b|       in units of 2^-53
//
// so that "equal" means equal up to rounding in all samples, and an exchange can be refused that is less
// accurate. Signs, roots and hyperbolic tangents have random values of their own: nothing is assumed of them.
// No cell comes to depend on a divisor that it did not depend on: where that is zero, it still has its value.
// A cell is alive while others or outputs use it; a dead one stays, and comes back at its full price.
#ifndef LIMB_SIMPLIFY_NET_H
#define LIMB_SIMPLIFY_NET_H

#include "codegen/graph.h"

enum { SAMPLES = 4, COST_MUL = 16, COST_DIV = 160, TRAIL = 64 };

// Edges of a net: 2 cell + (1: minus), as in graphs.
typedef struct net_cell {
  uint32_t op;
  limb_edge a, b;             // operands; of a symbol: a is its number
  uint32_t uses;              // by living cells and by outputs
  limb_edge same;             // the cell that stands for this one; itself if it does
  long double value[SAMPLES]; // in the samples
  double error[SAMPLES];      // bound of the rounding error now
  double allowed[SAMPLES];    // and what it may become
  uint64_t divisors;          // a bit for each that it may depend on, or for several
} net_cell;

typedef struct net {
  limb_graph* g;
  limb_allocator alloc;
  net_cell* cell;
  uint32_t count, room;
  limb_edge* out; // outputs
  size_t outputs;
  limb_edge pinned[2]; // cells that come first in every order, used or not
  int pins;
  uint32_t* order; // living cells, operands first
  uint32_t ordered, order_room;
  uint32_t* stack; // room cells
  unsigned char* seen;
  uint32_t trail[TRAIL]; // uses that a trial changed: 2 cell + (1: one more)
  uint32_t tried;
  long add_cost; // of an addition; COST_MUL, or a little more
} net;

// false when out of memory.
bool limb_net_load(net* s, limb_graph* g, const limb_edge* out, size_t n);
void limb_net_free(net* s);

// Writes the outputs into the graph; false when it has no room.
bool limb_net_store(net* s, limb_edge* out);

// Of all living cells, an addition like a multiplication.
long limb_net_cost(const net* s);

// Living cells, operands first; turn: which of many such orders. false when out of memory.
bool limb_net_sort(net* s, uint32_t turn);

static inline limb_edge net_edge(const net* s, limb_edge e)
{
  while (s->cell[e >> 1].same != (e & ~1U)) e = s->cell[e >> 1].same ^ (e & 1U);
  return e;
}

static inline long double net_value(const net* s, limb_edge e, int sample)
{
  const long double x = s->cell[e >> 1].value[sample];
  return e & 1U ? -x : x;
}

static inline long op_cost(const net* s, uint32_t op)
{
  return op == OP_ADD ? s->add_cost : op == OP_MUL ? COST_MUL : op == OP_DIV ? COST_DIV : 0;
}

// One more, one less use of an edge, and of what begins or ceases to live by that.
void limb_net_take(net* s, limb_edge e);
void limb_net_drop(net* s, limb_edge e);

// The same on trial, to be undone, and what it costs or saves: what more than TRAIL uses change is not looked
// into. Then what is taken costs more than anything saves, and what is dropped saves less than it would.
long limb_net_try_take(net* s, limb_edge e);
long limb_net_try_drop(net* s, limb_edge e);
void limb_net_undo(net* s);

// Dropped on trial: the operation of a cell with what lives only through it.
long limb_net_try_free(net* s, uint32_t n);

// Sets the operation of a cell; uses of its operands move.
void limb_net_become(net* s, uint32_t n, uint32_t op, limb_edge a, limb_edge b);

// A new cell without uses, its values set; UINT32_MAX when out of memory.
uint32_t limb_net_new(net* s, uint32_t op, limb_edge a, limb_edge b);
uint32_t limb_net_new_number(net* s, double x);

#define LIMB_NET_SAME 0x1p-44 // relative difference of what is equal

// Equal up to rounding, whatever the bound of a long computation says.
bool limb_net_equal(long double x, long double y, double error);

// Whether a value and its error, in all samples, may stand for a cell.
bool limb_net_stands_for(const net_cell* n, const long double* value, const double* error);

// Value and error of an operation on two edges.
void limb_net_operate(const net* s, uint32_t op, limb_edge a, limb_edge b, long double* value, double* error);

#endif
