// Simplification: fewer operations for the same values.
//
// Method: value numbering by random evaluation. Value numbering gives equal expressions one number and computes each
// number once (P. Briggs, K. Cooper, L. T. Simpson, Value numbering, Software: Practice and Experience 27(6), 1997).
// Here values decide, not form (S. Gulwani, G. Necula, Discovering affine equalities using random interpretation, POPL
// 2003): every expression is evaluated at a few random states (samples); expressions that agree in all of them, up to
// rounding, are the same function with probability close to one (J. T. Schwartz, Fast probabilistic algorithms for
// verification of polynomial identities, J. ACM 27, 1980). A search then exchanges the operation that computes a value
// for a cheaper one of equal value on values that are there already. That finds common subexpressions and common
// factors, reassociated sums and products, cancellation, like terms, constants (folding), c^2 + s^2 = 1, and sums of
// angles about parallel axes (c1 c2 - s1 s2 once for all that use it), without a rule for each of them.
//
// Rewritings are identities of the functions, up to rounding of the robot's numbers. None may let the bound of the
// rounding error of a value grow beyond twice what it was.
#ifndef LIMB_CODEGEN_SIMPLIFY_H
#define LIMB_CODEGEN_SIMPLIFY_H

#include "codegen/graph.h"
#include "codegen/program.h"

enum { LIMB_SIMPLIFY_WORK = 11000000 };

// Replaces the n edges by cheaper ones of the same graph: a multiplication and an addition cost one each, a division
// ten. The result never costs more. Deterministic. A unit of work tries one value with another and takes about 40 ns;
// LIMB_SIMPLIFY_WORK is the default, and large graphs take at least 48 units for each node. false when out of memory,
// or when the graph is full; then the edges are unchanged.
bool limb_simplify(limb_graph* g, limb_edge* out, size_t n, uint64_t work);

// ---- sums that are zero (simplify.c) -------------------------------------------------------------------------------

// Constant folding by value: sums that are zero whatever the symbols are, though their form does not show it, become
// zero. A sum counts as zero if its operands cancel up to rounding in several random states. false when out of
// memory; then the edges are unchanged.
bool limb_fold_zeros(limb_graph* g, limb_edge* edge, size_t n);

// ---- the value graph (value_graph.c) -------------------------------------------------------------------------------

// The live nodes of some edges, as values whose operation may be exchanged for another of equal value. Every node
// carries its values in the samples, and a bound of the rounding error of each:
//
//   e(a + b) = e(a) + e(b) + |a + b|        e(a b) = |a| e(b) + |b| e(a) + |a b|       in units of 2^-53
//
// "Equal" means equal up to rounding in all samples, and an exchange that is less accurate is refused. Signs, roots
// and hyperbolic tangents get random values of their own: nothing is assumed about them. No node comes to depend on a
// divisor that it did not depend on: where that is zero, the node keeps its value. A node is live while others or
// outputs use it; a dead one stays in the graph and can be used again at its full cost.

enum { SAMPLES = 4, COST_MUL = 16, COST_DIV = 160, UNDO_MAX = 64 };

// A value, and the operation that computes it at present. Edges are 2 node + (1: minus), as in graphs.
typedef struct value_node {
  uint32_t op;
  limb_edge a, b;             // operands; for a symbol, a is its number
  uint32_t uses;              // by live nodes and by outputs
  limb_edge same;             // the node with the same value number that represents it; itself if it does
  long double value[SAMPLES]; // value number: the values in the samples
  double error[SAMPLES];      // bound of the rounding error
  double allowed[SAMPLES];    // what that bound may become
  uint64_t divisors;          // hash set of the divisors it depends on, one bit each
} value_node;

typedef struct value_graph {
  limb_graph* g;
  limb_allocator alloc;
  value_node* node;
  uint32_t count, capacity;
  limb_edge* out; // outputs
  size_t outputs;
  limb_edge pinned[2]; // nodes that come first in every order, used or not
  int pins;
  uint32_t* order; // live nodes, operands first
  uint32_t norder, order_capacity;
  uint32_t* stack; // work space for walks
  unsigned char* seen;
  uint32_t undo[UNDO_MAX]; // uses changed on trial: 2 node + (1: one more)
  uint32_t nundo;
  long add_cost; // cost of an addition: COST_MUL, or a little more
} value_graph;

// false when out of memory.
bool limb_values_load(value_graph* s, limb_graph* g, const limb_edge* out, size_t n);
void limb_values_free(value_graph* s);

// Writes the outputs into the graph; false when it is full.
bool limb_values_store(value_graph* s, limb_edge* out);

// Cost of all live nodes, with an addition at the cost of a multiplication.
long limb_values_cost(const value_graph* s);

// Sorts the live nodes, operands first; variant: which of many such orders. false when out of memory.
bool limb_values_sort(value_graph* s, uint32_t variant);

// The representative of an edge.
static inline limb_edge limb_values_find(const value_graph* s, limb_edge e)
{
  while (s->node[e >> 1].same != (e & ~1U)) e = s->node[e >> 1].same ^ (e & 1U);
  return e;
}

static inline long double sample_of(const value_graph* s, limb_edge e, int sample)
{
  const long double x = s->node[e >> 1].value[sample];
  return e & 1U ? -x : x;
}

static inline long op_cost(const value_graph* s, uint32_t op)
{
  return op == OP_ADD ? s->add_cost : op == OP_MUL ? COST_MUL : op == OP_DIV ? COST_DIV : 0;
}

// Adds or removes a use of an edge. Nodes that become live or dead by that use or release their operands.
void limb_values_add_use(value_graph* s, limb_edge e);
void limb_values_drop_use(value_graph* s, limb_edge e);

// The same on trial, to be undone; returns the cost added or saved. At most UNDO_MAX uses are followed: beyond, a use
// costs more than anything saves, and a drop saves less than it would.
long limb_values_try_use(value_graph* s, limb_edge e);
long limb_values_try_drop(value_graph* s, limb_edge e);
void limb_values_undo(value_graph* s);

// Drops on trial the operation of a node with all that becomes dead; returns the cost saved.
long limb_values_try_free(value_graph* s, uint32_t n);

// Sets the operation of a node, and moves the uses of its operands.
void limb_values_set_operation(value_graph* s, uint32_t n, uint32_t op, limb_edge a, limb_edge b);

// A new node without uses, with its sample values; UINT32_MAX when out of memory.
uint32_t limb_values_new(value_graph* s, uint32_t op, limb_edge a, limb_edge b);
uint32_t limb_values_new_number(value_graph* s, double x);

#define LIMB_VALUES_SAME 0x1p-44 // relative difference up to which values are equal

// Equal up to the bound of the rounding error, and never farther apart than LIMB_VALUES_SAME.
bool limb_values_equal(long double x, long double y, double error);

// Whether a value with this error agrees with a node in all samples, and is accurate enough to replace it.
bool limb_values_agree(const value_node* n, const long double* value, const double* error);

// Sample values and error bounds of an operation on two edges.
void limb_values_operate(const value_graph* s, uint32_t op, limb_edge a, limb_edge b, long double* value,
                         double* error);

// ---- matching (value_match.c) --------------------------------------------------------------------------------------

typedef struct match_options {
  uint32_t window; // number of earlier nodes that a node is tried with; at most 16000
  uint64_t seed;   // not 0: exchanges at equal cost as well, chosen at random
  bool numbers;    // also those that need a new constant
} match_options;

// One pass over the live nodes in their order (limb_values_sort). Adds the cost saved to gain. false when out of
// memory; the graph stays correct.
bool limb_values_match(value_graph* s, const match_options* options, long* gain);

// ---- rules (simplify_rules.c) --------------------------------------------------------------------------------------

// Expands sums of multiples of sums: one pass over the live nodes in their order (limb_values_sort). seed not 0:
// exchanges at equal cost as well, chosen at random. Adds the cost saved to gain. false when out of memory; the graph
// stays correct.
bool limb_values_expand_sums(value_graph* s, uint64_t seed, long* gain);

// Adds cosines and sines of sums and differences of two angles, and keeps them where the graph becomes cheaper.
// tries: passes at most. false when out of memory.
bool limb_values_add_angles(value_graph* s, const match_options* options, int tries);

// ---- polynomials --------------------------------------------------------------------------------------------

// Polynomials in many variables in normal form: like terms are combined, so equal polynomials have equal terms. The
// expressions of small robots become polynomials before they are written.
//
// A ring holds the variables and every monomial that has occurred. A polynomial is a list of coefficients and
// monomials, in the order in which the monomials first appeared. Polynomials are immutable values that live as long
// as their ring. A variable may be declared as the sine of a cosine: its square is replaced by 1 - c^2.
//
// When memory, the number of terms or the number of products exceeds its limit, limb_ring_status reports it and all
// further polynomials are zero.

typedef struct limb_ring limb_ring;

typedef struct limb_term {
  double k;
  int monomial;
} limb_term;

typedef struct limb_poly {
  int count;
  limb_term* term;
} limb_poly;

enum { LIMB_EXPONENT_MAX = 255 };

// count: number of variables; max_terms: of a polynomial. It lives as long as the program, in its memory. NULL when out
// of memory.
limb_ring* limb_ring_create(limb_program* program, int count, int max_terms);

// LIMB_OK, LIMB_E_NOMEM, or LIMB_E_UNSUPPORTED: a polynomial has too many terms.
limb_status limb_ring_status(const limb_ring* r);

// Zeroed memory that lives as long as the ring; NULL when out of memory.
void* limb_ring_alloc(limb_ring* r, size_t count, size_t size);

// Declares that sine^2 = 1 - cosine^2.
void limb_ring_pair(limb_ring* r, int sine, int cosine);

int limb_ring_count(const limb_ring* r);                              // number of variables
const unsigned char* limb_monomial(const limb_ring* r, int monomial); // its exponents
int limb_monomial_of(limb_ring* r, const unsigned char* exponent);    // -1: out of memory

limb_poly limb_poly_number(limb_ring* r, double x);
limb_poly limb_poly_variable(limb_ring* r, int variable);
limb_poly limb_poly_scale(limb_ring* r, limb_poly a, double x);
limb_poly limb_poly_sum(limb_ring* r, limb_poly a, limb_poly b, double x); // a + x b
limb_poly limb_poly_product(limb_ring* r, limb_poly a, limb_poly b);

// Partial derivative by a variable.
limb_poly limb_poly_derivative(limb_ring* r, limb_poly a, int variable);

// Value for given values of all variables.
double limb_poly_value(const limb_ring* r, limb_poly a, const double* x);

#endif
