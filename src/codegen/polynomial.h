// Polynomials in many variables in normal form: like terms are combined, so equal polynomials have equal terms. The
// expressions of small robots become polynomials before they are written.
//
// A ring holds the variables and every monomial that has occurred. A polynomial is a list of coefficients and
// monomials, in the order in which the monomials first appeared. Polynomials are immutable values that live as long
// as their ring. A variable may be declared as the sine of a cosine: its square is replaced by 1 - c^2.
//
// When memory, the number of terms or the number of products exceeds its limit, limb_ring_status reports it and all
// further polynomials are zero.
#ifndef LIMB_POLYNOMIAL_H
#define LIMB_POLYNOMIAL_H

#include "codegen/program.h"

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
