// The kernels of loops over one scalar type, gathered in a table. No guard: a translation unit includes it
// once, after defining
//
//   the scalar vocabulary   base/real_native.h or a file with the same words, sines() and root()
//   LINK_CONST              struct of link constants over its parameter type
//   LOOP_KERNEL_SET         name of the table's type (see loops/loop_kernels.h)
//   KERNEL_TABLE            name of the table

#include "linalg/composite_ops.h"
#include "linalg/spatial_ops.h"
#include "model/place.h"

#define LOOP_JOIN2(a, b) a##b
#define LOOP_JOIN(a, b)  LOOP_JOIN2(a, b)
typedef LOOP_JOIN(LOOP_KERNEL_SET, _in) loop_in;
typedef LOOP_JOIN(LOOP_KERNEL_SET, _out) loop_out;

#include "loops/loop_axis_kernel.h"

#include "loops/constraint_kernel.h"

const LOOP_KERNEL_SET KERNEL_TABLE = {set_rows, set_closure_forces};
