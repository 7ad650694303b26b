// limb: robot dynamics in C. Linear models of a robot: about a state, along a trajectory, sampled.
//
// State x and input u are deviations from a state (q, v) and forces tau:
//
//   x = (dq; dv), 2 nv numbers     q (+) dq as in limb/model.h, so dq is a tangent vector
//   u = d tau, nv numbers
//
// Matrices are dense, row-major, full; outputs must not overlap inputs. None of the calls allocates; those
// with a workspace leave what limb_kinematics() computed alone. Coulomb friction as in limb/derivatives.h:
// give it a width, or its derivative is 0. Equations: docs/linearisation.md.
#ifndef LIMB_LINEARISE_H
#define LIMB_LINEARISE_H

#include "limb/derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif

/// x' = A x + B u: how a motion through (q, v) with forces tau deviates when state and forces do, to first
/// order. The motion itself goes on: dq is counted from where it is at the time.
///   dq' = -ad(v) dq + dv                    ad(v): zero but for ball and free joints
///   dv' = da/dq dq + da/dv dv + M^-1 u      limb_forward_dynamics_derivatives
/// @param A  2 nv x 2 nv
/// @param B  2 nv x nv
/// @return statuses of limb_forward_dynamics_derivatives; also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_linearise(limb_data* d, const double* q, const double* v, const double* tau,
                                                   const limb_environment* env, double* A, double* B);

/// x' = A x + B (u; 1): the same counted from the state (q, v) at rest, with what happens there besides,
/// (v; a), in the last column of B. For robots without ball and free joints A is that of limb_linearise;
/// of those it has -ad(v) / 2 instead of -ad(v), because q exp(dq) is followed from a fixed q.
/// @param A  2 nv x 2 nv
/// @param B  2 nv x (nv + 1); limb_discretise takes it as nv + 1 inputs
/// @return as limb_linearise.
LIMB_NODISCARD LIMB_API limb_status limb_linearise_affine(limb_data* d, const double* q, const double* v,
                                                          const double* tau, const limb_environment* env, double* A,
                                                          double* B);

/// limb_linearise at count states: rows of q (nq each), v and tau (nv each); A and B one after the other.
/// @return the first status that is not LIMB_OK; outputs are then unspecified.
LIMB_NODISCARD LIMB_API limb_status limb_linearise_trajectory(limb_data* d, int count, const double* q, const double* v,
                                                              const double* tau, const limb_environment* env, double* A,
                                                              double* B);

/// Numbers of scratch that limb_discretise needs, 6 (nx + nu)^2; 0 for a size that is negative or too large.
LIMB_API size_t limb_discretise_work(int nx, int nu);

/// Exact sampling with a zero-order hold: of x' = A x + B u with u constant for a time dt
///   x(dt) = Ad x(0) + Bd u,   Ad = exp(A dt),   Bd = integral from 0 to dt of exp(A s) ds B
/// both from one exponential, of [A B; 0 0] dt. For any linear system, not only robots.
/// @param nx    states; A and Ad are nx x nx
/// @param nu    inputs; B and Bd are nx x nu; with nu = 0 B and Bd may be NULL
/// @param dt    any finite time, negative ones included [s]
/// @param work  limb_discretise_work(nx, nu) numbers
/// @return LIMB_OK; LIMB_E_ARG (NULL, sizes); LIMB_E_NONFINITE (an input or the result);
///         LIMB_E_UNSUPPORTED when the 1-norm of A dt is above 2^26: half of the digits would be gone.
/// O((nx + nu)^3).
LIMB_NODISCARD LIMB_API limb_status limb_discretise(int nx, int nu, const double* A, const double* B, double dt,
                                                    double* Ad, double* Bd, double* work);

#ifdef __cplusplus
}
#endif

#endif
