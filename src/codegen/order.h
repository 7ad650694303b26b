// The statements of a function: which values get a name, and in which order they are computed.
//
// A node gets a statement of its own when it is used more than once, when it is an answer, a sine or a
// cosine, or when the expression around it would become too long. Every other node is written where it is
// used.
//
// Order. Compilers keep it by and large, and decide about registers after it; the fewer values are alive at
// once, the fewer travel through memory. For small processors four orders are tried: that of the graph; those
// of walks from the answers downwards, first to last and last to first, in which the operand that needs more
// registers comes first (R. Sethi, J. D. Ullman, The generation of optimal code for arithmetic expressions,
// J. ACM 17, 1970); and a greedy one (order_greedy.c). The one with the fewest values alive is kept. Sines of
// angles come first in all of them.
//
// Answers are stored as soon as all inputs have been read, and so may lie in the same memory.
//
// Cost: linear in the nodes of the graph; the greedy order statements times those that wait at once, up to
// ORDER_GREEDY_MOST of them; order_ahead.c statements times a logarithm.
#ifndef LIMB_ORDER_H
#define LIMB_ORDER_H

#include "codegen/program.h"

enum {
  LIMB_ANGLE_NAME = 32,
  ORDER_GREEDY_MOST = 10000, // statements
  LIMB_LEAVES = 8            // of one expression, at most
};

typedef enum limb_order_kind {
  ORDER_BEST, // of those up to ORDER_GREEDY
  ORDER_GRAPH,
  ORDER_WALK,
  ORDER_WALK_BACK,
  ORDER_GREEDY, // of long functions: a walk
  ORDER_AHEAD   // for processors that work ahead (order_ahead.c), whatever is alive
} limb_order_kind;

// An angle whose sine or cosine is taken; name: "3" of q[2] (and what is a number more), "12" of q[0] + q[1],
// else "a<number>".
typedef struct limb_angle {
  uint32_t node;
  uint32_t sine, cosine; // nodes; 0: not used
  char name[LIMB_ANGLE_NAME];
} limb_angle;

typedef struct limb_listing_options {
  limb_order_kind order;
  bool named_arguments; // sines, roots and so on get names, and their operands as well
  bool given_sines;     // they are inputs: what only leads to their angles is no part of the function
} limb_listing_options;

typedef struct limb_listing {
  limb_allocator alloc;
  const limb_graph* g;
  const limb_function* f;
  limb_listing_options options;
  uint32_t nodes;   // of the graph
  uint32_t* uses;   // nodes: by live nodes and by answers; 0: not live
  uint32_t* place;  // nodes: 1 + position of its statement; 0: has none
  uint32_t* number; // nodes: k of the name t<k>, index of the angle of sines; 0: an answer, not named
  uint32_t* node;   // count: what is computed, in order
  uint32_t* last;   // count: position of the last statement that uses or stores it
  uint32_t* store;  // entries of all outputs, one after the other, in the order they are stored
  uint32_t* stores; // count + 2: where those stored after statement i begin; numbers: after all
  uint32_t entries;
  uint32_t count;    // of statements
  uint32_t sums;     // of these, the first ones: angles
  uint32_t early;    // and their sines
  uint32_t reads;    // position of the last statement that reads an input
  uint32_t live;     // values alive at once, at most
  bool nested;       // there are sines of angles that depend on sines
  limb_angle* angle; // in the order of the graph
  uint32_t nangle, angles_room;
} limb_listing;

// false when out of memory, with nothing to free.
bool limb_listing_create(const limb_graph* g, const limb_function* f, const limb_allocator* alloc,
                         limb_listing_options options, limb_listing* out);
void limb_listing_free(limb_listing* l);

// What its statements come to; what leads to angles counts only if the sines are not given.
limb_operations limb_listing_operations(const limb_listing* l);

// Lines: every statement, and behind it a line for each answer that is stored then; numbers come after all.
static inline uint32_t limb_line_of(const limb_listing* l, uint32_t statement)
{
  return statement + l->stores[statement];
}
uint32_t limb_statement_at(const limb_listing* l, uint32_t line); // that it is, or follows

// The edge of an entry of all outputs, one after the other; which output, and where in it.
limb_edge limb_entry_edge(const limb_function* f, uint32_t entry, int* output, uint32_t* index);

// Calls visit for every leaf of the statement of a node: nodes with a place, symbols and numbers.
typedef void limb_leaf_fn(void* context, uint32_t leaf);
void limb_statement_leaves(const limb_listing* l, uint32_t node, limb_leaf_fn* visit, void* context);

// ---- between order.c and listing.c ------------------------------------------------------------------

// Puts the statements (nodes with a place) in an order, best or as asked for. false: out of memory.
bool limb_order_statements(limb_listing* l);

// The greedy one, and that for processors that work ahead, from one that is there. false: out of memory.
bool limb_order_greedily(limb_listing* l);
bool limb_order_ahead(limb_listing* l);

// Uses of live nodes, zeroed before.
void limb_count_uses(const limb_graph* g, const limb_function* f, bool given_sines, uint32_t* uses, uint32_t nodes);

#endif
