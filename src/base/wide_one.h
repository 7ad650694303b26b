// Columns of the mass matrix (dynamics/column_kernel.h), one at a time: for all scalars but double in a
// chain, which has base/lanes_f64.h. `lane_vec` holds LANES neighbours of a row of `cell`s.
#ifndef LIMB_WIDE_ONE_H
#define LIMB_WIDE_ONE_H

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

#endif
