// Instruction scheduling: which values of a function get a name, and in which order they are computed.
//
// A node gets a statement of its own when it is used more than once, when it is an output, a sine or a cosine, or
// when the expression around it would become too long. Every other node is written where it is used.
//
// Compilers keep the order of statements by and large and allocate registers after it; the fewer values are live at
// once, the fewer are spilled to memory. There are two aims:
//
//   latency     for processors that execute out of order: list scheduling (schedule_latency.c), with sums balanced
//   registers   for small processors: the order of four with the fewest live values (schedule_registers.c): that of
//               the graph; two walks from the outputs, first to last and last to first, in which the operand that
//               needs more registers comes first (R. Sethi, J. D. Ullman, The generation of optimal code for
//               arithmetic expressions, J. ACM 17, 1970); and a greedy one
//
// Sines of angles come first in all of them. Outputs are stored once all inputs have been read, so that they may
// share memory with inputs.
//
// Cost: linear in the nodes of the graph. The greedy order takes statements times those that are ready at once, and
// is tried up to GREEDY_MAX statements; list scheduling takes statements times a logarithm.
#ifndef LIMB_CODEGEN_SCHEDULE_H
#define LIMB_CODEGEN_SCHEDULE_H

#include "codegen/graph.h"
#include "codegen/program.h"

enum {
  LIMB_ANGLE_NAME = 32,
  GREEDY_MAX = 10000, // statements
  LIMB_LEAVES_MAX = 8 // of one expression, at most
};

typedef enum limb_schedule_kind {
  SCHEDULE_REGISTERS, // of those up to SCHEDULE_GREEDY
  SCHEDULE_GRAPH,
  SCHEDULE_WALK,
  SCHEDULE_WALK_BACK,
  SCHEDULE_GREEDY, // of long functions: a walk
  SCHEDULE_LATENCY // for processors that work ahead (order_ahead.c), whatever is alive
} limb_schedule_kind;

// An angle whose sine or cosine is taken; name: "3" of q[2] (and what is a number more), "12" of q[0] + q[1],
// else "a<number>".
typedef struct limb_angle {
  uint32_t node;
  uint32_t sine, cosine; // nodes; 0: not used
  char name[LIMB_ANGLE_NAME];
} limb_angle;

typedef struct limb_schedule_options {
  limb_schedule_kind order;
  bool named_arguments; // sines, roots and so on get names, and their operands as well
  bool given_sines;     // they are inputs: what only leads to their angles is no part of the function
} limb_schedule_options;

typedef struct limb_schedule {
  limb_allocator alloc;
  const limb_graph* g;
  const limb_function* f;
  limb_schedule_options options;
  uint32_t nodes;     // of the graph
  uint32_t* uses;     // nodes: by live nodes and by answers; 0: not live
  uint32_t* position; // nodes: 1 + position of its statement; 0: has none
  uint32_t* number;   // nodes: k of the name t<k>, index of the angle of sines; 0: an answer, not named
  uint32_t* node;     // count: what is computed, in order
  uint32_t* last;     // count: position of the last statement that uses or stores it
  uint32_t* store;    // entries of all outputs, one after the other, in the order they are stored
  uint32_t* stores;   // count + 2: where those stored after statement i begin; numbers: after all
  uint32_t entries;
  uint32_t count;      // of statements
  uint32_t angle_sums; // of these, the first ones: angles
  uint32_t prologue;   // and their sines
  uint32_t last_read;  // position of the last statement that reads an input
  uint32_t max_live;   // values alive at once, at most
  bool nested_sines;   // there are sines of angles that depend on sines
  limb_angle* angle;   // in the order of the graph
  uint32_t nangle, angles_capacity;
} limb_schedule;

// false when out of memory, with nothing to free.
bool limb_schedule_create(const limb_graph* g, const limb_function* f, const limb_allocator* alloc,
                          limb_schedule_options options, limb_schedule* out);
void limb_schedule_free(limb_schedule* l);

// What its statements come to; what leads to angles counts only if the sines are not given.
limb_operations limb_schedule_operations(const limb_schedule* l);

// Lines: every statement, and behind it a line for each answer that is stored then; numbers come after all.
static inline uint32_t limb_line_of(const limb_schedule* l, uint32_t statement)
{
  return statement + l->stores[statement];
}
uint32_t limb_statement_at(const limb_schedule* l, uint32_t line); // that it is, or follows

// The edge of an entry of all outputs, one after the other; which output, and where in it.
limb_edge limb_entry_edge(const limb_function* f, uint32_t entry, int* output, uint32_t* index);

// Calls visit for every leaf of the statement of a node: nodes with a place, symbols and numbers.
typedef void limb_leaf_fn(void* context, uint32_t leaf);
void limb_statement_leaves(const limb_schedule* l, uint32_t node, limb_leaf_fn* visit, void* context);

// ---- between order.c and listing.c ------------------------------------------------------------------

// Puts the statements (nodes with a place) in an order, best or as asked for. false: out of memory.
bool limb_schedule_statements(limb_schedule* l);

// The greedy one, and that for processors that work ahead, from one that is there. false: out of memory.
bool limb_schedule_greedily(limb_schedule* l);
bool limb_schedule_for_latency(limb_schedule* l);

// Uses of live nodes, zeroed before.
void limb_count_uses(const limb_graph* g, const limb_function* f, bool given_sines, uint32_t* uses, uint32_t nodes);

// ---- balanced sums (schedule_latency.c) -------------------------------------------------------------

// Rewrites n edges so that no sum waits longer than it must: as many operations, a shorter longest path.
// false: out of memory, and the edges are as they were.
bool limb_balance_sums(limb_graph* g, limb_edge* edge, size_t n);

#endif
