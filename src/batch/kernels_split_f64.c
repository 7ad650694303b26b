// The kernels on parts of a robot, over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "batch/split_impl.h"

#include "dynamics/scalar_f64.h"

#define LINK_CONST limb_link_f64

#include "linalg/composite_ops.h"
#include "linalg/spatial_ops.h"
#include "model/place.h"

#include "kinematics/link_motion_kernel.h"

#include "dynamics/rnea_kernel.h"

#include "dynamics/articulated_kernel.h"

#include "dynamics/marked_kernel.h"

#include "dynamics/aba_kernel.h"
#include "dynamics/actuator_kernel.h"

#include "batch/part_kernel.h"

_Static_assert(sizeof(held) == sizeof(limb_held) && (int)HELD == (int)LIMB_HELD, "one layout");

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
const limb_split_kernels PASTE(limb_split_kernels_f64_, LIMB_ISA) = {
  part_load,    part_inverse_out, part_inverse_back, part_inverse_end,  part_relative,
  part_advance, part_hand_on,     part_forward_out,  part_forward_back, part_forward_end};
