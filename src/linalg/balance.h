// Few unknowns between bounds that balance forces: least squares in two stages, by active sets.
//
//     first    |E x - b| is smallest among all x with lower <= x <= upper
//     then     sum of weight (x - preferred)^2 is smallest among those
//
// Reference: without bounds, G. Golub, C. Van Loan, Matrix Computations, 4th edition, sections 5.2 (Gram
//            and Schmidt, here twice) and 6.2. First stage: C. Lawson, R. Hanson, Solving least squares
//            problems, 1974, chapter 23, with two bounds as P. Stark, R. Parker, Bounded-variable least
//            squares, 1995. Second stage: J. Nocedal, S. Wright, Numerical optimization, 2nd edition,
//            algorithm 16.3, with R. Bland's choice of the lowest index, 1977.
// Cost:      O(rows^2 columns) without bounds in the way; with them as much for every bound that is met or
//            left.
#ifndef LIMB_BALANCE_H
#define LIMB_BALANCE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct limb_balance {
  int rows, columns;
  const double *E, *b;              // rows x columns, row-major; rows
  const double *weight, *preferred; // columns; weight > 0
  const double *lower, *upper;      // columns, lower <= upper; infinite: none
  double tolerance;                 // of the rank of E, relative to its largest entry
  double* x;                        // columns (output)
  int rank;                         // of E (output)
  double left;                      // largest |b - E x|; 0 where it is rounding (output)
} limb_balance;

// Scratch of limb_balance_solve.
typedef struct limb_balance_scratch {
  double* work;         // limb_balance_work(rows, columns)
  int* index;           // rows + 2 columns
  unsigned char* marks; // 2 columns
} limb_balance_scratch;

size_t limb_balance_work(int rows, int columns);

// Numbers must be finite but for bounds. False when the active sets do not come to an end within a number
// of steps that is far beyond need; x is between the bounds then.
bool limb_balance_solve(limb_balance* p, const limb_balance_scratch* scratch);

#endif
