// The kernels over double, compiled once per instruction set (LIMB_ISA: base, v3 or v4).

#include "model/kernels.h"

#include "base/lanes_f64_type.h"
#include "dynamics/scalar_f64.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)
#define LINK_CONST   limb_link_f64
#define KERNEL_SET   limb_kernels
#ifdef LIMB_SMALL // one arm for all rotations; rows of one lane
KERNEL void sines(int n, const real* x, real* s, real* c) { limb_sincos_f64(n, x, s, c); }
#include "linalg/spatial_ops.h"

#include "model/place.h"

#undef FOR_SHAPE
#define FOR_SHAPE FOR_FEW_SHAPES
#else
#define ROWS PASTE(limb_rows_f64_, LIMB_ISA)           // over lanes: kernels_rows_f64.c
#if LIMB_LANES == 8                                    // fewer columns at a time pay for long chains only
#define CHAIN         PASTE(limb_chain_f64_, LIMB_ISA) // by columns: kernels_chain_f64.c
#define CHAIN_PAYS(n) (((n) >= 5 && (n) <= 8) || (n) >= 12)
#endif
#endif
#include "dynamics/kernel_set.h"

const limb_kernels PASTE(limb_kernels_f64_, LIMB_ISA) = {SET(finite),
                                                         SET(finite_result),
                                                         SET(finite_matrix),
                                                         SET(link_motion),
                                                         SET(inverse_dynamics),
                                                         SET(loaded_inverse_dynamics),
                                                         SET(mass_matrix),
                                                         SET(coriolis_matrix),
                                                         SET(id_derivatives),
                                                         SET(fd_derivatives),
                                                         SET(factor),
                                                         SET(invert),
                                                         SET(solve),
                                                         SET(aba),
                                                         SET(by_mass_matrix),
                                                         SET(hybrid),
                                                         SET(hybrid_by_mass_matrix),
                                                         SET(regressor),
                                                         SET(add_wrench),
                                                         SET(frame_jacobian),
                                                         SET(forward_chain)};
