// All batch kernels over one scalar type. No guard: a translation unit includes it once, after defining
// LANE_BITS and LINK_CONST. BATCH_KERNELS fills a table of them.

#define LONG_SCALAR        1
#define LIMB_FINITE_ANGLES 1 // states with NaN and infinity fail, whatever becomes of them here
#define LIMB_SINCOS_WIDE   1
#include "base/real_states.h"

#include "dynamics/factors.h"

LIMB_KERNEL_TYPES(kernels_of_states, real, LINK_CONST);
#define KERNEL_SET  kernels_of_states
#define ROW_CHAINS  1
#define COLUMN_WALK 1 // vectors are long: columns of the mass matrix stay in registers
#include "dynamics/kernel_set.h"

#include "batch/step_kernel.h"

#include "batch/transpose_kernel.h"

#include "batch/batch_kernel.h"

#include "batch/batch_dynamics_kernel.h"

#include "batch/batch_motion_kernel.h"

static void batch_to_lanes(ptrdiff_t n, ptrdiff_t width, const void* rows, void* lanes)
{
  for (ptrdiff_t first = 0; first < n; first += STATES) {
    const row_block b = {width, first, n};
    rows_to_whole_lanes(&b, rows, (real*)lanes + first / STATES * width);
  }
}

static void batch_to_rows(ptrdiff_t n, ptrdiff_t width, const void* lanes, void* rows)
{
  for (ptrdiff_t first = 0; first < n; first += STATES) {
    const row_block b = {width, first, n};
    whole_lanes_to_rows(&b, (const real*)lanes + first / STATES * width, rows);
  }
}

#define BATCH_KERNELS                                                                                              \
  {                                                                                                                \
    STATES, batch_to_lanes, batch_to_rows, batch_inverse_dynamics, batch_mass_matrix, batch_mass_matrix_inverse,   \
      batch_forward_dynamics, batch_id_derivatives, batch_fd_derivatives, batch_frame_poses, batch_frame_jacobian, \
      batch_regressor, batch_steps, NULL                                                                           \
  }
