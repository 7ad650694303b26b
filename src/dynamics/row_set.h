// All row kernels over one scalar type. No guard: a translation unit includes it once, after the scalar
// vocabulary and the lanes (base/lanes_one.h or base/lanes_f64.h). ROW_KERNELS fills a table of them
// (LIMB_ROW_SET, model/kernels.h).

#include "linalg/composite_ops.h"
#include "model/sheet.h"

#include "dynamics/row_kernel.h"

#include "dynamics/row_products_kernel.h"
#include "linalg/row_matrix_kernel.h"

#define ROW_KERNELS                                                                          \
  {                                                                                          \
    row_velocities, row_accelerations, row_bodies, row_forces, row_columns_v, row_columns_q, \
      row_tau, row_products, row_invert, row_take_product                                    \
  }
