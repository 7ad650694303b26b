// Lanes of the row kernels: one, for scalars that are no vectors (complex, float, dual, counting).
//
// Row kernels (dynamics/row_kernel.h) work on `real`, which holds LANES neighbours of a row of `cell`s.
// This file makes both the same; base/lanes_f64.h has vectors of double.
#ifndef LIMB_LANES_ONE_H
#define LIMB_LANES_ONE_H

#include "base/wide_one.h"

KERNEL real given_lanes(const double* x) { return number(parameter(*x)); } // of the robot
KERNEL cell add_cell(cell a, cell b) { return add(a, b); }
KERNEL cell scale_cell(par k, cell a) { return scale(k, a); }

KERNEL real with_lane(real x, int l, cell y) { return (void)x, (void)l, y; }

// Lanes moved up or down by d: with one lane only what comes in is left.
KERNEL real lanes_up(real x, int d, real in) { return (void)x, (void)d, in; }
KERNEL real lanes_down(real x, int d, real in) { return (void)x, (void)d, in; }

// Sine and cosine of every lane; the scalar's own function works on whole groups of angles.
KERNEL void sines_of_lanes(real x, real* s, real* c)
{
  real at[8] = {x}, sine[8], cosine[8];
  sines(1, at, sine, cosine);
  *s = sine[0], *c = cosine[0];
}

KERNEL bool finite_lanes(real x) { return !any_nonfinite(1, &x); }

// The first lanes only, end of them; the others zero.
KERNEL real some_at(const cell* x, int end) { return (void)end, *x; }

KERNEL void put_some(cell* to, real x, int end)
{
  if (end > 0) *to = x;
}

// Sets of lanes: first .. end - 1; where a number of the robot is not zero; where begin <= x < end.
KERNEL lane_set lanes_within(int first, int end) { return first <= 0 && end > 0; }
KERNEL lane_set lanes_in_either(lane_set a, lane_set b) { return a || b; }
KERNEL lane_set given_set(const double* x) { return *x != 0; }

KERNEL lane_set given_around(double x, const double* begin, const double* end) { return *begin <= x && x < *end; }

KERNEL bool any_lane(lane_set s) { return s; }

#endif
