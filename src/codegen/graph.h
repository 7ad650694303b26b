// Expression graphs with common subexpressions shared.
//
// A node is an operation on earlier nodes; creating a node that exists already returns the existing one (hash
// consing), so common subexpressions are shared as they arise. An edge is a node with a sign: a change of sign needs
// no node and is absorbed by the node that uses the edge. Normal form of a node:
//
//   ADD    the operand that came first is plus:  b - a = -(a - b),  -a - b = -(a + b)
//   MUL    no signs, numbers first, else the operand that came first;  DIV no signs;  SIN odd, COS even
//   NUMBER positive, or zero
//
// Constants are folded; operations with zero and one disappear. When there is no memory for a node, the graph is
// marked as full (limb_graph_full) and all further edges are zero. When a number would not be finite, as in a
// division by zero, it is marked as singular (limb_graph_singular).
#ifndef LIMB_CODEGEN_GRAPH_H
#define LIMB_CODEGEN_GRAPH_H

#include "limb/base.h"

#include <stdbool.h>

typedef enum limb_op {
  OP_NUMBER, // a, b: the halves of its bits
  OP_SYMBOL, // a: index of the symbol
  OP_ADD,
  OP_MUL,
  OP_DIV,
  OP_SIN, // one operand, here and below
  OP_COS,
  OP_SQRT,
  OP_SIGN, // -1, 0 or 1
  OP_TANH
} limb_op;

typedef uint32_t limb_edge; // 2 node + (1: minus)

enum { EDGE_ZERO = 0 }; // node 0 is the number zero

typedef struct limb_node {
  limb_edge a, b;
  uint32_t op;
} limb_node;

typedef struct limb_graph limb_graph;

static inline uint32_t limb_edge_node(limb_edge e) { return e >> 1; }
static inline bool limb_edge_minus(limb_edge e) { return e & 1U; }
static inline limb_edge limb_edge_of(uint32_t node) { return node << 1; }
static inline limb_edge limb_edge_neg(limb_edge e) { return e == EDGE_ZERO ? e : e ^ 1U; }
static inline limb_edge limb_edge_signed(limb_edge e, limb_edge sign) // times the sign of the second
{
  return limb_edge_minus(sign) ? limb_edge_neg(e) : e;
}

// NULL when out of memory.
limb_graph* limb_graph_create(const limb_allocator* alloc, uint32_t max_nodes);
void limb_graph_free(limb_graph* g);

bool limb_graph_full(const limb_graph* g); // there was no memory for some node
bool limb_graph_singular(const limb_graph* g);
uint32_t limb_graph_count(const limb_graph* g);
const limb_node* limb_graph_node(const limb_graph* g, uint32_t node);
double limb_graph_number(const limb_graph* g, uint32_t node); // of an OP_NUMBER
const limb_allocator* limb_graph_allocator(const limb_graph* g);

// Removes all but the first `count` nodes, and the marks full and singular. Edges to removed nodes become invalid.
void limb_graph_shrink(limb_graph* g, uint32_t count);

static inline bool limb_op_binary(uint32_t op) { return op >= OP_ADD && op <= OP_DIV; }
static inline bool limb_op_leaf(uint32_t op) { return op <= OP_SYMBOL; }
static inline int limb_operands(limb_op op) { return limb_op_leaf(op) ? 0 : limb_op_binary(op) ? 2 : 1; }
static inline int limb_operand_nodes(const limb_node* x, uint32_t node[2]) // their number
{
  const int n = limb_operands((limb_op)x->op);
  if (n > 0) node[0] = limb_edge_node(x->a);
  if (n > 1) node[1] = limb_edge_node(x->b);
  return n;
}
static inline bool limb_is_sine(limb_op op) { return op == OP_SIN || op == OP_COS; }

// Notes what must be positive for results to have digits, such as pivots less what may be their rounding: the list, and
// an empty one again. A number that is positive needs no note.
void limb_graph_demand(limb_graph* g, limb_edge e);
uint32_t limb_graph_demands(const limb_graph* g, const limb_edge** list);
void limb_graph_forget_demands(limb_graph* g);

// Whether the edge is a number, and which.
bool limb_edge_number(const limb_graph* g, limb_edge e, double* x);

limb_edge limb_number_edge(limb_graph* g, double x);
limb_edge limb_symbol_edge(limb_graph* g, uint32_t symbol);
limb_edge limb_add_edge(limb_graph* g, limb_edge a, limb_edge b);
limb_edge limb_mul_edge(limb_graph* g, limb_edge a, limb_edge b);
limb_edge limb_div_edge(limb_graph* g, limb_edge a, limb_edge b);
limb_edge limb_unary_edge(limb_graph* g, limb_op op, limb_edge a);
limb_edge limb_operation_edge(limb_graph* g, limb_op op, limb_edge a, limb_edge b); // any; b counts if binary

double limb_op_value(limb_op op, double x); // of one operand

// marks[i] = 1 for the live nodes i < count: those that the edges need; else 0. All edges are to nodes below count.
void limb_mark_live(const limb_graph* g, const limb_edge* of, size_t n, unsigned char* marks, uint32_t count);

// out: n x ns, row-major; out[i ns + j] = d of[i] / d symbols[j], new nodes of the same graph. The derivative of a
// sign is zero. false when out of memory, or when the graph is full.
bool limb_derive(limb_graph* g, const limb_edge* of, size_t n, const uint32_t* symbols, size_t ns, limb_edge* out);

#endif
