// The kernels of chains over vectors of double, compiled once per instruction set (LIMB_ISA: base, v3 or
// v4); there are none for those with fewer than eight lanes.

#include "model/kernels.h"

#include "base/lanes_f64_type.h"

#if LIMB_LANES == 8
#include "dynamics/scalar_f64.h"

#include "base/lanes_f64.h"

#define LINK_CONST limb_link_f64

#include "linalg/composite_ops.h"
#include "linalg/spatial_ops.h"
#include "model/place.h"

#include "dynamics/rnea_kernel.h"

#include "dynamics/actuator_kernel.h"

#include "dynamics/chain_kernel.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b)  PASTE2(a, b)

const limb_chain_kernels PASTE(limb_chain_f64_, LIMB_ISA) = {chain_mass_matrix, forward_chain};
#endif
