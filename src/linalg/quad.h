// Four doubles that are worked on together, wherever they lie in memory.
#ifndef LIMB_QUAD_H
#define LIMB_QUAD_H

typedef double limb_quad __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

enum { LIMB_QUAD = sizeof(limb_quad) / sizeof(double) };

// The quad that begins at a number.
#define QUAD_AT(x)       (*(limb_quad*)(x))
#define CONST_QUAD_AT(x) (*(const limb_quad*)(x))

// The least multiple of LIMB_QUAD above n.
static inline int limb_quads_above(int n) { return n / LIMB_QUAD * LIMB_QUAD + LIMB_QUAD; }

#endif
