// Dual numbers: a value and its derivatives along several directions at once.
//
//     x + sum_k d_k e_k,   e_j e_k = 0
//
// A function of dual numbers carries derivatives along, exact to rounding. The tangents are vectors (GCC's
// extension) as wide as the instruction set of the file has them, because wider ones would live in memory.
// The layout is the same everywhere, five numbers in a row; limb_tangent and
// limb_set_tangent are for those who are not kernels.
#ifndef LIMB_KERNEL_NUMBERS_H
#define LIMB_KERNEL_NUMBERS_H

enum { LIMB_TANGENTS = 4 };

#if defined(__AVX__)
enum { LIMB_DUAL_WIDTH = 4 };
#else
enum { LIMB_DUAL_WIDTH = 2 };
#endif

typedef double limb_dual_vector __attribute__((vector_size(LIMB_DUAL_WIDTH * sizeof(double)), aligned(sizeof(double))));

typedef struct limb_dual_number {
  double x;
#if defined(__AVX__)
  limb_dual_vector d;
#else
  limb_dual_vector d, e;
#endif
} limb_dual_number;

_Static_assert(sizeof(limb_dual_number) == (1 + LIMB_TANGENTS) * sizeof(double), "no gaps");

static inline double limb_tangent(const limb_dual_number* a, int slot)
{
  return ((const double*)(const void*)a)[1 + slot];
}

static inline void limb_set_tangent(limb_dual_number* a, int slot, double d) { ((double*)(void*)a)[1 + slot] = d; }

// ----------------------------------------------------------------------------------------------------
// Truncated power series in time: a value and its derivatives, divided by factorials.
//
//     x(t) = c_0 + c_1 t + ... + c_n t^n,   c_k = x^(k)(0) / k!
//
// A function of series carries derivatives along, exact to rounding.

enum { LIMB_SERIES_DEGREE = 14 }; // at most

// What moves has the same degree n throughout a computation; what does not has degree 0. Coefficients above
// the degree are zero.
typedef struct limb_series_number {
  double c[LIMB_SERIES_DEGREE + 1];
  int n;
} limb_series_number;

#endif
