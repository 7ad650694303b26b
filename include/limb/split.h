// limb: robot dynamics in C. One call on several processors.
//
// A limb_split cuts one robot into parts that a pool (limb/pool.h) works on at the same time. Two kinds of
// robots can be cut: trees with independent branches (two arms, many legs), and long serial chains. Others,
// and those too small to gain, go through the plain calls of limb/dynamics.h: asking costs nothing.
//
//     limb_split* s;
//     limb_split_create(model, pool, NULL, NULL, &s);
//     limb_split_forward_dynamics(s, q, v, tau, NULL, a);
//
// Results are those of the plain calls: by the same operations in the same order for trees, up to rounding
// for chains. They depend on the model and the options, never on the pool: any number of threads gives the
// same bits. docs/long-chains.md has the algorithms, what they cost and how exact they are.
//
// Measured on two processors, a tree breaks even with two branches of 20 joints (inverse dynamics; forward:
// between 10 and 20), a chain with 200 (forward: between 300 and 500). Cuts are made from
// about twice that on.
//
// Many states are better served by limb/batch.h: whole states need no cuts.
#ifndef LIMB_SPLIT_H
#define LIMB_SPLIT_H

#include "limb/dynamics.h"
#include "limb/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A robot cut into parts, and their workspaces. Belongs to one caller at a time; model and pool must outlive
/// it.
typedef struct limb_split limb_split;

enum {
  LIMB_SPLIT_PROCESSORS = 256 ///< most that a robot is cut for
};

/// Start from limb_default_split_options(); NULL stands for that.
typedef struct limb_split_options {
  size_t size;    ///< sizeof(limb_split_options), set by the default function
  int processors; ///< what the cuts are made for, 1 ... LIMB_SPLIT_PROCESSORS; default 2. Results of chains
                  ///< depend on it in their last digits
  int least;      ///< joints that a call must save, or it is not split; 0, the default: as measured
} limb_split_options;

static inline limb_split_options limb_default_split_options(void)
{
  const limb_split_options o = {sizeof(limb_split_options), 2, 0};
  return o;
}

/// Bytes that limb_split_init needs; O(n). 0 for a NULL model or options that are none.
LIMB_API size_t limb_split_size(const limb_model* m, const limb_split_options* options);

/// Cuts a robot in caller memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, options or a pool that are
/// none);
///         LIMB_E_NOMEM (size too small).
LIMB_NODISCARD LIMB_API limb_status limb_split_init(const limb_model* m, const limb_pool* pool,
                                                    const limb_split_options* options, void* memory, size_t size,
                                                    limb_split** out);

/// Convenience: allocates (alloc NULL: malloc) and initialises. Free with limb_split_destroy.
LIMB_NODISCARD LIMB_API limb_status limb_split_create(const limb_model* m, const limb_pool* pool,
                                                      const limb_split_options* options, const limb_allocator* alloc,
                                                      limb_split** out);

/// Ends it, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_split_destroy(limb_split* s);

LIMB_API const limb_model* limb_split_model(const limb_split* s); ///< NULL for NULL

/// Parts that the two calls work on; 1: the plain call is made. 0 for NULL.
LIMB_API int limb_split_inverse_parts(const limb_split* s);
LIMB_API int limb_split_forward_parts(const limb_split* s);

/// limb_inverse_dynamics. Wrenches and force laws cost one more pass, which is not split.
LIMB_NODISCARD LIMB_API limb_status limb_split_inverse_dynamics(limb_split* s, const double* q, const double* v,
                                                                const double* a, const limb_environment* env,
                                                                double* tau);

/// limb_forward_dynamics. As exact as the plain call, unless parts are shorter than a hundred joints.
LIMB_NODISCARD LIMB_API limb_status limb_split_forward_dynamics(limb_split* s, const double* q, const double* v,
                                                                const double* tau, const limb_environment* env,
                                                                double* a);

#ifdef __cplusplus
}
#endif

#endif
