// The kernels over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "kernel/scalar_f64.h"

#ifdef LIMB_SMALL // one case for all rotations; one lane
#define FEW_JOINT_CLASSES 1
#else
#define LANE_KERNELS       LIMB_JOIN(limb_lanes_f64_, LIMB_ISA) // over lanes: kernels_lanes_f64.c
#define LANE_KERNELS_APART 1
#if LIMB_LANES == 8                                        // fewer columns at a time pay for long chains only
#define CHAIN         LIMB_JOIN(limb_chain_f64_, LIMB_ISA) // by columns: kernels_chain_f64.c
#define CHAIN_PAYS(n) (((n) >= 5 && (n) <= 8) || (n) >= 12)
#endif
#endif
#include "kernel/kernel_set.h"

const limb_kernels LIMB_JOIN(limb_kernels_f64_, LIMB_ISA) = {SET(finite),
                                                             SET(finite_result),
                                                             SET(finite_matrix),
                                                             SET(link_motion),
                                                             SET(inverse_dynamics),
                                                             SET(loaded_inverse_dynamics),
                                                             SET(passive),
                                                             SET(mass_matrix),
                                                             SET(coriolis_matrix),
                                                             SET(id_derivatives),
                                                             SET(fd_derivatives),
#ifdef LANE_KERNELS_APART
                                                             SET(id_second),
                                                             SET(id_hessian),
                                                             SET(fd_second),
                                                             SET(take_product),
#endif
                                                             SET(factor),
                                                             SET(invert),
                                                             SET(solve),
                                                             SET(aba),
                                                             SET(by_mass_matrix),
                                                             SET(hybrid),
                                                             SET(hybrid_by_mass_matrix),
                                                             SET(regressor),
                                                             SET(momentum_matrix),
                                                             SET(add_wrench),
                                                             SET(frame_jacobian),
                                                             SET(forward_chain),
                                                             SET(momentum_matrix_at),
                                                             SET(way_poses)};
