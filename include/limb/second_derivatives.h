// limb: robot dynamics in C. Second derivatives of inverse and forward dynamics: along directions, as
// Hessians of a weighted sum, as tensors.
//
// Everything is exact to rounding: the analytic first derivatives, differentiated once more along dual
// numbers (docs/derivatives.md). Calls take a workspace made with LIMB_DUAL_MATRICES (LIMB_E_ARG for another
// one), never allocate, and return the statuses of limb/derivatives.h; those of forward dynamics also
// LIMB_E_SINGULAR.
//
// A second derivative is one of the first: d/dy_k of (dx_i / dz_j), where the columns of dx/dz are those
// of limb/derivatives.h. By q it is along the tangent, twice. Along q of ball and free joints the order
// counts: turning about x and then about y is not turning about y and then about x, and d2tau/dqdq is not
// symmetric in j and k among the velocities of one such joint. Everything else is symmetric.
#ifndef LIMB_SECOND_DERIVATIVES_H
#define LIMB_SECOND_DERIVATIVES_H

#include "limb/derivatives.h"
#include "limb/directional.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- along directions ------------------------------------------------------------------------------

/// How the results of limb_inverse_dynamics_derivatives change along directions: for each of them a block
/// of out, one behind the other; along->count blocks of nv (tau) or nv x nv numbers. What is NULL is not
/// wanted. O(n depth) a direction.
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_derivatives_along(limb_dual* w, const double* q,
                                                                            const double* v, const double* a,
                                                                            const limb_environment* env,
                                                                            const limb_directions* along,
                                                                            const limb_id_derivatives* out);

/// The same for limb_forward_dynamics_derivatives. O(n^3) a direction: the matrices are dense.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_derivatives_along(limb_dual* w, const double* q,
                                                                            const double* v, const double* tau,
                                                                            const limb_environment* env,
                                                                            const limb_directions* along,
                                                                            const limb_fd_derivatives* out);

/// Second derivatives of tau along pairs of directions: the derivative along row k of `then` of the
/// derivative along row k of `first`, whose numbers are held fixed. O(n depth) a pair.
/// @param out  count x nv; both have the same count (LIMB_E_ARG)
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_along_twice(limb_dual* w, const double* q, const double* v,
                                                                      const double* a, const limb_environment* env,
                                                                      const limb_directions* first,
                                                                      const limb_directions* then, double* out);

/// The same for the accelerations of limb_forward_dynamics. O(n depth) a pair, and a solve with M.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_along_twice(limb_dual* w, const double* q, const double* v,
                                                                      const double* tau, const limb_environment* env,
                                                                      const limb_directions* first,
                                                                      const limb_directions* then, double* out);

// ---- of a weighted sum, lambda' tau or lambda' a ---------------------------------------------------

/// The gradient of a weighted sum, changed along directions: count x nv each; NULL: not wanted.
typedef struct limb_gradients {
  double* dq;
  double* dv;
  double* dx; ///< by the accelerations (inverse dynamics) or forces (forward dynamics)
} limb_gradients;

/// Products of the Hessian of lambda' tau with directions:
///     d/ds of ((dtau/dq)' lambda,  (dtau/dv)' lambda,  M lambda)
/// O(n depth) a direction.
/// @param lambda  nv
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_hessian_along(limb_dual* w, const double* q, const double* v,
                                                                        const double* a, const limb_environment* env,
                                                                        const double* lambda,
                                                                        const limb_directions* along,
                                                                        const limb_gradients* out);

/// The same for lambda' a of forward dynamics. O(n depth) a direction, and a solve with M.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_hessian_along(limb_dual* w, const double* q, const double* v,
                                                                        const double* tau, const limb_environment* env,
                                                                        const double* lambda,
                                                                        const limb_directions* along,
                                                                        const limb_gradients* out);

/// Second derivatives of all kinds; what is NULL is not wanted. x are the accelerations (inverse dynamics)
/// or the forces (forward dynamics), by which second derivatives vanish, as do those by v and x.
typedef struct limb_second_derivatives {
  double* dqdq;
  double* dqdv;
  double* dvdv;
  double* dqdx;
} limb_second_derivatives;

/// The Hessian of lambda' tau: entry (j, k) of dydz (nv x nv) is sum_i lambda_i d2tau_i / dy_j dz_k.
/// O(n^2 depth).
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_hessian(limb_dual* w, const double* q, const double* v,
                                                                  const double* a, const limb_environment* env,
                                                                  const double* lambda,
                                                                  const limb_second_derivatives* out);

/// The Hessian of lambda' a of forward dynamics. O(n^2 depth) and 2 n solves with M.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_hessian(limb_dual* w, const double* q, const double* v,
                                                                  const double* tau, const limb_environment* env,
                                                                  const double* lambda,
                                                                  const limb_second_derivatives* out);

// ---- tensors ---------------------------------------------------------------------------------------

/// Tensors of inverse dynamics: entry [i][j][k] of dydz (nv x nv x nv, row-major) is d2tau_i / dy_j dz_k.
/// O(n^2 depth), and n^3 to write them.
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_second_derivatives(limb_dual* w, const double* q,
                                                                             const double* v, const double* a,
                                                                             const limb_environment* env,
                                                                             const limb_second_derivatives* out);

/// Tensors of forward dynamics: d2a_i / dy_j dz_k. O(n^4): products with M^-1.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_second_derivatives(limb_dual* w, const double* q,
                                                                             const double* v, const double* tau,
                                                                             const limb_environment* env,
                                                                             const limb_second_derivatives* out);

#ifdef __cplusplus
}
#endif

#endif
