// The kernels of loops over one scalar type. No guard: a translation unit includes it once, and makes a table
// of those it has users for. It defines before
//
//   the scalar vocabulary   base/real_native.h or a file with the same words, sines() and root()
//   LINK_CONST              struct of link constants over its parameter type
//   LOOP_KERNEL_SET         name of LIMB_LOOP_KERNEL_TYPES (loops/loop_kernels.h)

// Kernels that nobody asks for.
#pragma GCC diagnostic ignored "-Wunused-function"

#include "linalg/composite_ops.h"
#include "linalg/spatial_ops.h"
#include "model/place.h"

#define LOOP_JOIN2(a, b) a##b
#define LOOP_JOIN(a, b)  LOOP_JOIN2(a, b)
typedef LOOP_JOIN(LOOP_KERNEL_SET, _in) loop_in;
typedef LOOP_JOIN(LOOP_KERNEL_SET, _out) loop_out;

#include "loops/loop_axis_kernel.h"

#include "loops/constraint_kernel.h"

#define SET(x) .x = set_##x
