// Values of edges for given values of the symbols.
#ifndef LIMB_EVALUATE_H
#define LIMB_EVALUATE_H

#include "codegen/graph.h"

// The nodes that some edges need, in order: made once, run in as many states as one likes.
typedef struct limb_tape limb_tape;

// NULL when out of memory. The graph may grow afterwards; it has to live as long.
limb_tape* limb_tape_create(const limb_graph* g, const limb_edge* of, size_t n);
void limb_tape_free(limb_tape* t); // NULL is accepted

size_t limb_tape_length(const limb_tape* t); // nodes, leaves among them

// out: n values. input[kind][index] is the value of limb_symbol_of(kind, index); kinds that no symbol is of
// may be NULL. Does not allocate.
void limb_tape_run(limb_tape* t, const double* const* input, double* out);

// All of that at once; false when out of memory.
bool limb_evaluate(const limb_graph* g, const limb_edge* of, size_t n, const double* const* input, double* out);

// marks[i] = 1 for the nodes i < count that the edges need, else 0. All of them are below count.
void limb_mark_live(const limb_graph* g, const limb_edge* of, size_t n, unsigned char* marks, uint32_t count);

#endif
