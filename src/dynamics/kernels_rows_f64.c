// The row kernels over lanes of double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "model/kernels.h"

#include "base/lanes_f64.h"

typedef limb_kernels_rows_in row_in;
typedef limb_kernels_rows_out row_out;

#include "dynamics/row_set.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)

const limb_kernels_rows PASTE(limb_rows_f64_, LIMB_ISA) = ROW_KERNELS;
