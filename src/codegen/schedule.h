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
  LIMB_LEAVES_MAX = 8 // leaves of one expression
};

typedef enum limb_schedule_kind {
  SCHEDULE_REGISTERS, // the one of the next four with the fewest live values
  SCHEDULE_GRAPH,
  SCHEDULE_WALK,
  SCHEDULE_WALK_BACK,
  SCHEDULE_GREEDY, // beyond GREEDY_MAX statements: a walk
  SCHEDULE_LATENCY // list scheduling, whatever is live
} limb_schedule_kind;

// An angle whose sine or cosine is computed. Its name is "3" for q[2] (plus a number), "12" for q[0] + q[1], else
// "a<number>".
typedef struct limb_angle {
  uint32_t node;
  uint32_t sine, cosine; // nodes; 0: none
  char name[LIMB_ANGLE_NAME];
} limb_angle;

typedef struct limb_schedule_options {
  limb_schedule_kind order;
  bool named_arguments; // function calls and their operands get names
  bool given_sines;     // sines are inputs: operations that only lead to angles are not part of the function
} limb_schedule_options;

typedef struct limb_schedule {
  limb_allocator alloc;
  const limb_graph* g;
  const limb_function* f;
  limb_schedule_options options;
  uint32_t nodes;     // of the graph
  uint32_t* uses;     // nodes: uses by live nodes and outputs; 0: dead
  uint32_t* position; // nodes: 1 + position of its statement; 0: none
  uint32_t* number;   // nodes: k of the name t<k>; of sines, the index of the angle; 0: an output without a name
  uint32_t* node;     // count: the statements, in order
  uint32_t* last;     // count: position of the last statement that uses or stores it
  uint32_t* store;    // entries of all outputs, in the order in which they are stored
  uint32_t* stores;   // count + 2: first of those stored after statement i; constants come after all
  uint32_t entries;
  uint32_t count;      // of statements
  uint32_t angle_sums; // the first of these compute angles
  uint32_t prologue;   // end of the sines that follow them
  uint32_t last_read;  // position of the last statement that reads an input
  uint32_t max_live;   // values live at once, at most
  bool nested_sines;   // some angles depend on sines
  limb_angle* angle;   // in the order of the graph
  uint32_t nangle, angles_capacity;
} limb_schedule;

// false when out of memory, with nothing to free.
bool limb_schedule_create(const limb_graph* g, const limb_function* f, const limb_allocator* alloc,
                          limb_schedule_options options, limb_schedule* out);
void limb_schedule_free(limb_schedule* l);

// Operations of all statements; those that lead to angles count only if sines are not given.
limb_operations limb_schedule_operations(const limb_schedule* l);

// Lines: every statement, followed by a line for each output stored after it; constants come after all.
static inline uint32_t limb_line_of(const limb_schedule* l, uint32_t statement)
{
  return statement + l->stores[statement];
}
uint32_t limb_statement_at(const limb_schedule* l, uint32_t line); // the one on this line, or before it

// The edge of an entry, counted over all outputs; output and index, if not NULL, get its place.
limb_edge limb_entry_edge(const limb_function* f, uint32_t entry, int* output, uint32_t* index);

// Calls visit for every leaf of the statement of a node: named nodes, symbols and numbers.
typedef void limb_leaf_fn(void* context, uint32_t leaf);
void limb_statement_leaves(const limb_schedule* l, uint32_t node, limb_leaf_fn* visit, void* context);

// ---- orders (schedule_registers.c, schedule_latency.c) -------------------------------------------------------------

// Orders the statements (nodes with a position) as the options say. false when out of memory.
bool limb_schedule_statements(limb_schedule* l);

// The greedy order and list scheduling, starting from an existing order. false when out of memory.
bool limb_schedule_greedily(limb_schedule* l);
bool limb_schedule_for_latency(limb_schedule* l);

// Counts the uses of live nodes; uses must be zero before.
void limb_count_uses(const limb_graph* g, const limb_function* f, bool given_sines, uint32_t* uses, uint32_t nodes);

// ---- balanced sums (schedule_latency.c) ----------------------------------------------------------------------------

// Rewrites n edges with balanced sums: as many operations, a shorter critical path. false when out of memory; then
// the edges are unchanged.
bool limb_balance_sums(limb_graph* g, limb_edge* edge, size_t n);

#endif
