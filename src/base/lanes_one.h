// Lanes of the row kernels: one, for scalars that are no vectors (complex, float, dual, counting).
//
// Row kernels (dynamics/row_kernel.h) work on `real`, which holds LANES neighbours of a row of `cell`s.
// This file makes both the same; base/lanes_f64.h has vectors of double.
#ifndef LIMB_LANES_ONE_H
#define LIMB_LANES_ONE_H

#include <stdbool.h>

enum { LANES = 1 };

typedef real cell;

KERNEL real lanes_at(const cell* x) { return *x; }
KERNEL real given_lanes(const double* x) { return number(parameter(*x)); } // of the robot
KERNEL real every_lane(cell x) { return x; }
KERNEL cell add_cell(cell a, cell b) { return add(a, b); }
KERNEL cell scale_cell(par k, cell a) { return scale(k, a); }

KERNEL cell lesser_cell(cell a, cell b) { return lesser(a, b); }
KERNEL cell lane(real x, int l) { return (void)l, x; }
KERNEL real with_lane(real x, int l, cell y) { return (void)x, (void)l, y; }

// Sums over the lanes up to each one, and from each one on; lanes moved up by one, with
// a newcomer in the first.
KERNEL real sum_up(real x) { return x; }
KERNEL real sum_down(real x) { return x; }
KERNEL real move_up(real x, cell first) { return (void)x, first; }

KERNEL void put_lanes(cell* to, real x) { *to = x; }

// The first lanes only, end of them; the others zero.
KERNEL real some_at(const cell* x, int end) { return (void)end, *x; }

KERNEL void put_some(cell* to, real x, int end)
{
  if (end > 0) *to = x;
}

// Lanes first .. end - 1; those of a where a set of lanes says so, of b elsewhere.
typedef bool lane_set;
KERNEL lane_set lanes_within(int first, int end) { return first <= 0 && end > 0; }
KERNEL lane_set lanes_in_either(lane_set a, lane_set b) { return a || b; }
KERNEL real choose(lane_set s, real a, real b) { return s ? a : b; }

#endif
