// limb: robot dynamics in C. First derivatives of inverse and forward dynamics, analytic.
//
// A derivative with respect to q is one along the tangent: column k is what changes per unit of v_k, so
// ball and free joints have as many columns as velocities (q (+) dq of limb/model.h). Row i, column k of
// a matrix is d x_i / d y_k; matrices are nv x nv, row-major and full. What is held fixed: v, a or tau as
// components; a wrench as the components it was given by (in axes of the world it does not turn with the
// frame, in axes of the frame it does); gravity and the base's motion.
//
// Coulomb friction is differentiated as it is computed: with coulomb_width > 0 it is smooth, without it
// the derivative of Fs sign(v) counts as 0. Calls never allocate; statuses as in limb/dynamics.h, and
// LIMB_E_UNSUPPORTED for an environment with force laws, whose slopes are not known, and, of calls with
// matrices of nv x nv, for robots with more than LIMB_DERIVATIVES_MOST velocities.
#ifndef LIMB_DERIVATIVES_H
#define LIMB_DERIVATIVES_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_DERIVATIVES_MOST = 16384 ///< velocities of a robot; its matrices have 2 GiB then
};

/// Where inverse dynamics and its derivatives go; what is NULL is not wanted.
typedef struct limb_id_derivatives {
  double* tau;     ///< nv: the forces themselves
  double* dtau_dq; ///< nv x nv
  double* dtau_dv; ///< nv x nv
  double* M;       ///< nv x nv: d tau / d a, rotors included
} limb_id_derivatives;

/// tau(q, v, a) of limb_inverse_dynamics and its derivatives: friction, springs, rotors, mimic joints,
/// external wrenches and the base's motion included. O(n depth).
/// Reference: Singh, Russell, Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
/// vector algebra, 2022; docs/derivatives.md.
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_derivatives(limb_data* d, const double* q, const double* v,
                                                                      const double* a, const limb_environment* env,
                                                                      const limb_id_derivatives* out);

/// Where forward dynamics and its derivatives go; the three matrices are all needed (LIMB_E_ARG for NULL),
/// because each is made of the others.
typedef struct limb_fd_derivatives {
  double* acc;       ///< nv: the accelerations themselves; NULL: not wanted
  double* dacc_dq;   ///< nv x nv
  double* dacc_dv;   ///< nv x nv
  double* dacc_dtau; ///< nv x nv: M^-1
} limb_fd_derivatives;

/// a(q, v, tau) of limb_forward_dynamics and its derivatives: -M^-1 dtau/dq, -M^-1 dtau/dv, M^-1.
/// @return also LIMB_E_SINGULAR when M is not positive definite to working precision.
/// O(n depth) and three products with M^-1.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_derivatives(limb_data* d, const double* q, const double* v,
                                                                      const double* tau, const limb_environment* env,
                                                                      const limb_fd_derivatives* out);

/// d tau / d wrench of limb_inverse_dynamics: -J', for a wrench (moment; force) on a frame in ref.
/// @param out  nv x 6
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_by_wrench(limb_data* d, const double* q, int frame,
                                                                    limb_ref ref, double* out);

/// d tau / d gravity, the acceleration of gravity in world axes.
/// @param out  nv x 3
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_by_gravity(limb_data* d, const double* q, double* out);

/// d a / d wrench of limb_forward_dynamics: M^-1 J'.
/// @param out  nv x 6
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_by_wrench(limb_data* d, const double* q, int frame,
                                                                    limb_ref ref, double* out);

/// d a / d gravity.
/// @param out  nv x 3
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_by_gravity(limb_data* d, const double* q, double* out);

#ifdef __cplusplus
}
#endif

#endif
