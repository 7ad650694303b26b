// The library's kernels of loops over complex numbers: support/scalars.h says what for.
#ifndef LIMB_TEST_SCALARS_LOOPS_H
#define LIMB_TEST_SCALARS_LOOPS_H

#include "kernel/tables.h"
#include "support/scalars.h"

LIMB_LOOP_KERNEL_TYPES(limb_loop_kernel_set_c64, double complex, limb_link_f64);

typedef struct limb_loop_kernel_set_c64 {
  LIMB_KERNEL(limb_loop_kernel_set_c64, rows);
} limb_loop_kernel_set_c64;

extern const limb_loop_kernel_set_c64 limb_loop_kernels_c64;

#endif
