// The instruction set that this process uses (limb/base.h).
#ifndef LIMB_ISA_IMPL_H
#define LIMB_ISA_IMPL_H

#include <stdbool.h>

// Its index in a list of { base, v3, v4 }.
int limb_isa_here(void);

// Whether this processor runs that set; if not, `limb_isa_name` is what it would have to run.
bool limb_isa_runs(void);

#endif
