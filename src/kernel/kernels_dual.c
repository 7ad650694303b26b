// The kernels over dual numbers, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "kernel/scalar_dual.h"

#define KERNEL_SET        limb_kernels_dual
#define LOOP_KERNEL_SET   limb_loop_kernels_dual
#define FEW_JOINT_CLASSES 1
#define ALL_MATRICES      1
#define GIVEN_AT_RUN_TIME 1
#include "kernel/kernel_set.h"

#include "kernel/constraint_kernel.h"

const limb_kernels_dual LIMB_JOIN(limb_kernels_dual_, LIMB_ISA) = {
  SET(finite_result), SET(link_motion),    SET(inverse_dynamics), SET(id_derivatives),       SET(fd_derivatives),
  SET(aba),           SET(by_mass_matrix), SET(hybrid),           SET(hybrid_by_mass_matrix)};

const limb_loop_kernels_dual LIMB_JOIN(limb_loop_kernels_dual_, LIMB_ISA) = {SET(rows), SET(forces)};
