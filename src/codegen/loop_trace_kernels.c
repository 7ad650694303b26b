// The kernels of loops over symbols: the same text as for numbers (kernel/constraint_kernel.h), recorded.
#include "codegen/trace.h"

// Required by the vocabulary, but not called: the kernels of dynamics load the coordinates.
__attribute__((unused)) KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) s[i] = unary(OP_SIN, x[i]), c[i] = unary(OP_COS, x[i]);
}

#define LINK_CONST      limb_link_symbol
#define LOOP_KERNEL_SET limb_loop_kernels_symbol
#include "kernel/constraint_kernel.h"

const limb_loop_kernels_symbol limb_loop_trace_kernels = {SET(rows)};
