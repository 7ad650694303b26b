// limb: robot dynamics in C. Derivatives along directions, in O(n).
//
// A direction says how fast the arguments of a function change; the answer is how fast its result does.
// A derivative along q is one along the tangent, as in limb/derivatives.h: dq has nv numbers, and the
// configuration moves as it would with velocity dq. What is held fixed, and how Coulomb friction counts,
// is said there, too.
//
// The calls work with dual numbers (docs/derivatives.md), in a workspace of their own: only who asks for
// such derivatives pays for it. They never allocate. Statuses are those of limb/derivatives.h.
#ifndef LIMB_DIRECTIONAL_H
#define LIMB_DIRECTIONAL_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Workspace of one thread for derivatives along directions. The calls of other headers do not need it.
typedef struct limb_dual limb_dual;

/// What a workspace is for. Values are pinned.
typedef enum limb_dual_use {
  LIMB_DUAL_VECTORS = 0, ///< this header: O(n) memory for trees without mimic joints
  LIMB_DUAL_MATRICES = 1 ///< limb/second_derivatives.h as well: 120 nv^2 bytes more
} limb_dual_use;

enum {
  LIMB_DIRECTIONS = 4 ///< directions of one pass: as many cost hardly more than one
};

/// Bytes that limb_dual_init needs. 0 for NULL or a use that is none.
LIMB_API size_t limb_dual_size(const limb_model* m, limb_dual_use use);

/// Lays a workspace out in caller memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, no such use);
///         LIMB_E_NOMEM (size too small).
LIMB_NODISCARD LIMB_API limb_status limb_dual_init(const limb_model* m, limb_dual_use use, void* memory, size_t size,
                                                   limb_dual** out);

/// Convenience: allocates (alloc NULL: malloc) and initialises. Free with limb_dual_destroy.
/// @return LIMB_OK; LIMB_E_ARG (NULL, half an allocator, no such use); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_dual_create(const limb_model* m, limb_dual_use use,
                                                     const limb_allocator* alloc, limb_dual** out);

/// Ends a workspace, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_dual_destroy(limb_dual* w);

LIMB_API const limb_model* limb_dual_model(const limb_dual* w); ///< NULL for NULL

/// Directions: row k of each matrix (count x nv) belongs to the k-th. NULL: no change of that argument.
typedef struct limb_directions {
  int count;          ///< any number; groups of LIMB_DIRECTIONS share a pass
  const double* dq;   ///< tangent
  const double* dv;   ///< change of the velocities
  const double* da;   ///< of the accelerations: inverse and hybrid; NULL for forward dynamics
  const double* dtau; ///< of the forces: forward and hybrid; NULL for inverse dynamics
} limb_directions;

/// Derivatives of limb_inverse_dynamics:
///     dtau = dtau/dq dq + dtau/dv dv + M da
/// without any of the matrices. O(n) a direction.
/// @param dtau  count x nv
/// @return also LIMB_E_ARG when along->dtau is not NULL.
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_along(limb_dual* w, const double* q, const double* v,
                                                                const double* a, const limb_environment* env,
                                                                const limb_directions* along, double* dtau);

/// Derivatives of limb_forward_dynamics:
///     da = da/dq dq + da/dv dv + M^-1 dtau
/// through articulated bodies, with mimic joints through the factors of M: O(n) a direction, or as
/// limb_forward_dynamics with mimic joints.
/// @param da  count x nv
/// @return also LIMB_E_SINGULAR when M is not positive definite to working precision, and LIMB_E_ARG when
///         along->da is not NULL.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_along(limb_dual* w, const double* q, const double* v,
                                                                const double* tau, const limb_environment* env,
                                                                const limb_directions* along, double* da);

#ifdef __cplusplus
}
#endif

#endif
