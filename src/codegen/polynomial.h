// Polynomials in many variables, with like terms combined: what expressions of small robots become before
// they are written.
//
// A ring knows the variables and every monomial that occurred, each once; a polynomial is a list of numbers
// and monomials, in the order of the monomials' first appearance. Polynomials are values: they are never
// changed, and live as long as their ring. A variable may be the sine to a cosine: its square is 1 - c^2,
// so that equal polynomials have equal terms.
//
// A ring that has no memory left, or would need more terms than it may have or far too many products of
// terms, says so (limb_ring_status); polynomials are zero from then on.
#ifndef LIMB_POLYNOMIAL_H
#define LIMB_POLYNOMIAL_H

#include "limb/base.h"

#include <stdbool.h>

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

// count: variables; most: terms of a polynomial. NULL when out of memory.
limb_ring* limb_ring_create(const limb_allocator* alloc, int count, int max_terms);
void limb_ring_free(limb_ring* r);

// LIMB_OK, LIMB_E_NOMEM, or LIMB_E_UNSUPPORTED: a polynomial has too many terms.
limb_status limb_ring_status(const limb_ring* r);

// Memory that lives as long as the ring, zeroed; NULL when there is none.
void* limb_ring_alloc(limb_ring* r, size_t count, size_t size);

// From now on the square of `sine` is one less the square of `cosine`.
void limb_ring_pair(limb_ring* r, int sine, int cosine);

int limb_ring_count(const limb_ring* r);                              // of the variables
const unsigned char* limb_monomial(const limb_ring* r, int monomial); // its exponents
int limb_monomial_of(limb_ring* r, const unsigned char* exponent);    // -1: no memory

limb_poly limb_poly_number(limb_ring* r, double x);
limb_poly limb_poly_variable(limb_ring* r, int variable);
limb_poly limb_poly_term(limb_ring* r, limb_term term); // as it is: no square of a sine is replaced
limb_poly limb_poly_scale(limb_ring* r, limb_poly a, double x);
limb_poly limb_poly_sum(limb_ring* r, limb_poly a, limb_poly b, double x); // a + x b
limb_poly limb_poly_product(limb_ring* r, limb_poly a, limb_poly b);

// Derivative by a variable, all others held.
limb_poly limb_poly_derivative(limb_ring* r, limb_poly a, int variable);

// Values of all variables in x.
double limb_poly_value(const limb_ring* r, limb_poly a, const double* x);

#endif
