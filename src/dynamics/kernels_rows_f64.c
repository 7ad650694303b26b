// The row kernels over lanes of double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "model/kernels.h"

#define LIMB_FINITE_ANGLES 1 // the entry points reject NaN and infinity
#include "base/lanes_f64_type.h"
#include "base/sincos.h"

// The scalar vocabulary over vectors: a number of the robot or of the algorithm reaches all lanes.
#define SETTLES      1
#define REAL         lanes_f64
#define PAR          double
#define REAL_PART(x) (x)[0]
#include "base/real_native.h"

#include "base/lanes_f64.h"

// Sine and cosine of every lane.
KERNEL void sines_of_lanes(real x, real* s, real* c)
{
  if (__builtin_expect(limb_sincos_block_f64(x, s, c) != 0, 0)) {
    double at[LANES], to[2][LANES];
    memcpy(at, &x, sizeof x), memcpy(to[0], s, sizeof x), memcpy(to[1], c, sizeof x);
    limb_sincos_far_f64(LANES, at, to[0], to[1]);
    memcpy(s, to[0], sizeof x), memcpy(c, to[1], sizeof x);
  }
}

typedef limb_kernels_rows_in row_in;
typedef limb_kernels_rows_out row_out;

#include "dynamics/row_set.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)

const limb_kernels_rows PASTE(limb_rows_f64_, LIMB_ISA) = ROW_KERNELS;
