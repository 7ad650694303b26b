// Simplification: fewer operations for the same values.
//
// Method: value numbering by random evaluation. Every expression is evaluated at a few random states (samples);
// expressions that agree in all of them, up to rounding, are the same function with probability close to one
// (J. T. Schwartz, Fast probabilistic algorithms for verification of polynomial identities, J. ACM 27, 1980), and
// get one value number. A search then exchanges the operation that computes a value for a cheaper one of equal
// value on values that are there already. That finds common subexpressions and common factors, reassociated sums
// and products, cancellation, like terms, constants (folding), c^2 + s^2 = 1, and sums of angles about parallel
// axes (c1 c2 - s1 s2 once for all that use it), without a rule for each of them.
//
// Rewritings are identities of the functions, up to rounding of the robot's numbers. None may let the bound of the
// rounding error of a value grow beyond twice what it was.
#ifndef LIMB_CODEGEN_SIMPLIFY_H
#define LIMB_CODEGEN_SIMPLIFY_H

#include "codegen/graph.h"

enum { LIMB_SIMPLIFY_WORK = 11000000 };

// Replaces the n edges by cheaper ones of the same graph: a multiplication and an addition count one each, a
// division ten. Never dearer. Deterministic. false when out of memory, or when the graph has no room; then
// the edges are as they were.
bool limb_simplify(limb_graph* g, limb_edge* out, size_t n);

// The same with another effort than LIMB_SIMPLIFY_WORK: how often some value is tried with some other; about
// 40 ns each. Large graphs take at least 48 for each node.
bool limb_simplify_within(limb_graph* g, limb_edge* out, size_t n, uint64_t work);

// ---- zeros (simplify.c) -----------------------------------------------------------------------------

// Rewrites edges without them. A sum counts as zero when no more than rounding is left of its operands in
// several random states. false: out of memory, and the edges are as they were.
bool limb_fold_zeros(limb_graph* g, limb_edge* edge, size_t n);

// ---- the value graph (value_graph.c) ----------------------------------------------------------------

enum { SAMPLES = 4, COST_MUL = 16, COST_DIV = 160, UNDO_MAX = 64 };

// Edges of a value_graph: 2 cell + (1: minus), as in graphs.
typedef struct value_node {
  uint32_t op;
  limb_edge a, b;             // operands; of a symbol: a is its number
  uint32_t uses;              // by living cells and by outputs
  limb_edge same;             // the cell that stands for this one; itself if it does
  long double value[SAMPLES]; // in the samples
  double error[SAMPLES];      // bound of the rounding error now
  double allowed[SAMPLES];    // and what it may become
  uint64_t divisors;          // a bit for each that it may depend on, or for several
} value_node;

typedef struct value_graph {
  limb_graph* g;
  limb_allocator alloc;
  value_node* node;
  uint32_t count, capacity;
  limb_edge* out; // outputs
  size_t outputs;
  limb_edge pinned[2]; // cells that come first in every order, used or not
  int pins;
  uint32_t* order; // living cells, operands first
  uint32_t norder, order_capacity;
  uint32_t* stack; // room cells
  unsigned char* seen;
  uint32_t undo[UNDO_MAX]; // uses that a trial changed: 2 cell + (1: one more)
  uint32_t nundo;
  long add_cost; // of an addition; COST_MUL, or a little more
} value_graph;

// false when out of memory.
bool limb_values_load(value_graph* s, limb_graph* g, const limb_edge* out, size_t n);
void limb_values_free(value_graph* s);

// Writes the outputs into the graph; false when it has no room.
bool limb_values_store(value_graph* s, limb_edge* out);

// Of all living cells, an addition like a multiplication.
long limb_values_cost(const value_graph* s);

// Living cells, operands first; turn: which of many such orders. false when out of memory.
bool limb_values_sort(value_graph* s, uint32_t variant);

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

// One more, one less use of an edge, and of what begins or ceases to live by that.
void limb_values_add_use(value_graph* s, limb_edge e);
void limb_values_drop_use(value_graph* s, limb_edge e);

// The same on trial, to be undone, and what it costs or saves: what more than TRAIL uses change is not looked
// into. Then what is taken costs more than anything saves, and what is dropped saves less than it would.
long limb_values_try_use(value_graph* s, limb_edge e);
long limb_values_try_drop(value_graph* s, limb_edge e);
void limb_values_undo(value_graph* s);

// Dropped on trial: the operation of a cell with what lives only through it.
long limb_values_try_free(value_graph* s, uint32_t n);

// Sets the operation of a cell; uses of its operands move.
void limb_values_set_operation(value_graph* s, uint32_t n, uint32_t op, limb_edge a, limb_edge b);

// A new cell without uses, its values set; UINT32_MAX when out of memory.
uint32_t limb_values_new(value_graph* s, uint32_t op, limb_edge a, limb_edge b);
uint32_t limb_values_new_number(value_graph* s, double x);

#define LIMB_VALUES_SAME 0x1p-44 // relative difference of what is equal

// Equal up to rounding, whatever the bound of a long computation says.
bool limb_values_equal(long double x, long double y, double error);

// Whether a value and its error, in all samples, may stand for a cell.
bool limb_values_agree(const value_node* n, const long double* value, const double* error);

// Value and error of an operation on two edges.
void limb_values_operate(const value_graph* s, uint32_t op, limb_edge a, limb_edge b, long double* value,
                         double* error);

// ---- matching (value_match.c) -----------------------------------------------------------------------

typedef struct match_options {
  uint32_t window; // how many earlier cells a cell is tried with; at most 16000
  uint64_t seed;   // not 0: exchanges at equal price as well, chosen at random
  bool numbers;    // also those that bring a new number
} match_options;

// One run over the living cells of s in their order (limb_values_sort). Adds to gain what was saved. false when
// out of memory; the value_graph is right nevertheless.
bool limb_values_match(value_graph* s, const match_options* options, long* gain);

// ---- rules of their own (simplify_rules.c) ----------------------------------------------------------

// One run over the living cells of s in their order (limb_values_sort). seed: not 0 for exchanges at equal price
// as well, chosen at random. Adds to gain what was saved. false when out of memory; the value_graph is right
// nevertheless.
bool limb_values_expand_sums(value_graph* s, uint64_t seed, long* gain);

// Offers cosine and sine of sums and differences of two angles as products of those of each, and keeps them
// where the value_graph becomes cheaper. tries: runs over the value_graph at most. false when out of memory.
bool limb_values_add_angles(value_graph* s, const match_options* options, int tries);

#endif
