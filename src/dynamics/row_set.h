// All row kernels over one scalar type. No guard: a translation unit includes it once, after the scalar
// vocabulary and the lanes (base/lanes_one.h or base/lanes_f64.h), with row_in and row_out
// naming the types of their arguments. ROW_KERNELS fills a table of them (LIMB_ROW_SET, model/kernels.h).

#include "linalg/composite_ops.h"
#include "model/sheet.h"

#include "dynamics/row_tree_kernel.h"

#include "dynamics/row_kernel.h"

#include "dynamics/row_products_kernel.h"

#include "linalg/row_matrix_kernel.h"

#ifdef ROW_CHAINS
#include "dynamics/row_sweep_kernel.h"
#endif

#include "dynamics/row_passes_kernel.h"

#define ROW_KERNELS                                                                                           \
  {                                                                                                           \
    LANES, row_inverse, row_bias, row_slopes, row_coriolis, LANES > 1 ? row_forward_block : NULL, row_invert, \
      row_take_product                                                                                        \
  }
