// Lanes: one, for scalars that are no vectors (complex, float, dual, counting) or that hold a state per lane.
//
// Kernels over several degrees of freedom at once work on `lane_vec`, which holds LANES neighbours of a row of
// `cell`s. Here all three are one scalar. kernel/lanes_f64.h has vectors of double; included before, it takes the
// place of this file.
#if !defined(LIMB_KERNEL_LANES_ONE_H) && !defined(LIMB_KERNEL_LANES_F64_H)
#define LIMB_KERNEL_LANES_ONE_H

#include "kernel/vectors.h"

#include <stdbool.h>

enum { LANES = 1 };

typedef real cell;
typedef real lane_vec;

KERNEL lane_vec lanes_at(const cell* x) { return *x; }
KERNEL lane_vec every_lane(cell x) { return x; }
KERNEL cell lane(lane_vec x, int l) { return (void)l, x; }
KERNEL void put_lanes(cell* to, lane_vec x) { *to = x; }

// Lane by lane, and a scalar or a parameter times all lanes.
KERNEL lane_vec addw(lane_vec a, lane_vec b) { return add(a, b); }
KERNEL lane_vec subw(lane_vec a, lane_vec b) { return sub(a, b); }
KERNEL lane_vec timesw(lane_vec a, lane_vec b) { return mul(a, b); }
KERNEL lane_vec recipw(lane_vec a) { return recip(a); }
KERNEL lane_vec lesser_lanes(lane_vec a, lane_vec b) { return lesser(a, b); }
KERNEL lane_vec mulw(real k, lane_vec a) { return mul(k, a); }
KERNEL lane_vec scalew(par k, lane_vec a) { return scale(k, a); }
KERNEL lane_vec settledw(lane_vec a) { return settled(a); }

// Sets of lanes, one of them; those of a where a set says so, of b elsewhere.
typedef bool lane_set;
KERNEL lane_set one_lane(int l) { return l == 0; }
KERNEL lane_vec choose(lane_set s, lane_vec a, lane_vec b) { return s ? a : b; }

KERNEL real given_lanes(const double* x) { return number(parameter(*x)); } // of the robot
KERNEL cell add_cell(cell a, cell b) { return add(a, b); }
KERNEL cell scale_cell(par k, cell a) { return scale(k, a); }

KERNEL real with_lane(real x, int l, cell y) { return (void)x, (void)l, y; }

// Lanes moved up or down by d: with one lane only what comes in is left.
KERNEL real lanes_up(real x, int d, real in) { return (void)x, (void)d, in; }
KERNEL real lanes_down(real x, int d, real in) { return (void)x, (void)d, in; }

// A square of lanes, turned over.
KERNEL void turn_square(real x[LANES]) { (void)x; }

// Sine and cosine of every lane; the scalar's own function works on whole groups of angles, of one angle where it holds
// states.
#ifdef STATES
enum { ANGLES = 1 };
#else
enum { ANGLES = 8 };
#endif

KERNEL void sines_of_lanes(real x, real* s, real* c)
{
  real at[ANGLES], sine[ANGLES], cosine[ANGLES];
  for (int k = 0; k < ANGLES; k++) at[k] = x;
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
