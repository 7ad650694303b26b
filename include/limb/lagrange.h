// limb: robot dynamics in C. The Lagrangian form: derivatives of M, Christoffel symbols, energies.
//
//     tau = M a + (dM/dt) v + hamel - dT/dq + dU/dq + friction - sum J' wrench,     U: gravity and springs
//
// A derivative with respect to q_k is one along the tangent, per unit of v_k, as in limb/derivatives.h. Of
// joints with one degree of freedom v is the rate of q. Those of ball and free joints are quasi-velocities:
// the directions E_k do not commute, [E_k, E_l] = sum c^m_kl E_m, and terms with c appear that the textbook
// does not have; the calls say where. docs/geometry.md has the formulas.
//
// Calls never allocate and do not disturb what limb_kinematics left; statuses as in limb/dynamics.h.
// Tensors are dense, the last index fastest: entry (i, j, k) is at (i nv + j) nv + k. Calls that fill nv^3
// numbers return LIMB_E_UNSUPPORTED for more than LIMB_TENSOR3_MOST velocities, and the functions for the
// length of their scratch memory 0. Outputs must not overlap inputs.
#ifndef LIMB_LAGRANGE_H
#define LIMB_LAGRANGE_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_TENSOR3_MOST = 2048 ///< velocities of a robot; nv^3 numbers have 64 GiB then
};

// ---- derivatives of the mass matrix -----------------------------------------------------------------

/// dM/dq by Lie brackets of the joint axes (Park, Bobrow, Ploen 1995, Proposition 1). O(n depth^2), and nv^3 to clear.
/// @param dM  nv^3 numbers: (i, j, k) is d M_ij / d q_k
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_derivative(limb_data* d, const double* q, double* dM);

/// d(M u)/dq for a fixed u. O(n depth).
/// @param out  nv x nv: (i, k) is sum_j u_j d M_ij / d q_k
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_derivative_times(limb_data* d, const double* q, const double* u,
                                                                      double* out);

/// d(u' M w)/dq for fixed u and w. O(n).
/// @param out  nv numbers
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_gradient(limb_data* d, const double* q, const double* u,
                                                              const double* w, double* out);

/// dM/dt = C + C' along v. O(n depth).
/// @param Mdot  nv x nv
/// @return also LIMB_E_UNSUPPORTED beyond LIMB_DERIVATIVES_MOST velocities (limb/derivatives.h).
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_rate(limb_data* d, const double* q, const double* v, double* Mdot);

// ---- Christoffel symbols ----------------------------------------------------------------------------

/// Christoffel symbols of the first kind, symmetric in j and k: the Coriolis and centrifugal forces are
///   c_i = sum_jk G_ijk v_j v_k,     G_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2
/// (Lynch and Park 2017, (9.13); Park, Bobrow, Ploen 1995 lowers the third index: its Gamma_jki is G_ijk here). With
/// ball or free joints G is the symmetric half of limb_connection. By the closed forms Park, Bobrow, Ploen 1995,
/// (55)-(57), for trees and all joints. O(n depth^2), and nv^3 to clear.
/// @param G  nv^3 numbers
LIMB_NODISCARD LIMB_API limb_status limb_christoffel(limb_data* d, const double* q, double* G);

/// Coefficients of the Levi-Civita connection, G_ijk = <nabla_k E_j, E_i>: sum_k G_ijk v_k is
/// limb_coriolis_matrix, G_ijk + G_jik = dM_ij/dq_k, and G_ijk - G_ikj = <[E_k, E_j], E_i>. The same as
/// limb_christoffel for joints with one degree of freedom. Cost as there.
/// @param G  nv^3 numbers
LIMB_NODISCARD LIMB_API limb_status limb_connection(limb_data* d, const double* q, double* G);

/// limb_christoffel by polarisation of the velocity forces c = C v, nothing differentiated:
///   G_ijk = (c(e_j + e_k) - c(e_j) - c(e_k))_i / 2
/// O(nv^2 n): nv (nv + 3) / 2 runs of inverse dynamics. A check of the other, and slower.
/// @param work  limb_christoffel_by_polarisation_work() numbers
/// @param G     nv^3 numbers
LIMB_NODISCARD LIMB_API limb_status limb_christoffel_by_polarisation(limb_data* d, const double* q, double* work,
                                                                     double* G);

/// nv (nv + 1)
LIMB_API size_t limb_christoffel_by_polarisation_work(const limb_model* m);

/// The Coriolis matrix of the symbols, C_ij = sum_k G_ijk v_k with G of limb_christoffel: half of dc/dv.
/// C v = c. It is limb_coriolis_matrix for joints with one degree of freedom; with ball or free joints
/// dM/dt - 2 C is skew for that one only, and C(q, v) w = C(q, w) v holds for this one only. O(n depth).
/// @param C  nv x nv
/// @return also LIMB_E_UNSUPPORTED beyond LIMB_DERIVATIVES_MOST velocities (limb/derivatives.h).
LIMB_NODISCARD LIMB_API limb_status limb_coriolis_matrix_christoffel(limb_data* d, const double* q, const double* v,
                                                                     double* C);

// ---- energies ---------------------------------------------------------------------------------------

/// Gravity forces as the gradient of the potential -sum m g . c (Park, Bobrow, Ploen 1995, (58), (59), with the sign of
/// their g corrected). limb_gravity_forces gives the same by Newton-Euler. Base motion and wrenches of env
/// must be valid, but do not enter. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_gravity_from_potential(limb_data* d, const double* q,
                                                                const limb_environment* env, double* tau);

/// Derivatives of the kinetic energy T (rotors included) and of the potential U of gravity and springs;
/// what is NULL is not wanted, nv numbers else. Base motion and wrenches of env must be valid, but do not
/// enter. O(n).
/// @param dT_dv  M v, the generalised momentum
LIMB_NODISCARD LIMB_API limb_status limb_energy_derivatives(limb_data* d, const double* q, const double* v,
                                                            const limb_environment* env, double* dT_dq, double* dT_dv,
                                                            double* dU_dq);

/// The terms of the Lagrangian L = T - U. Set the pointers before the call; what is NULL is not wanted.
typedef struct limb_lagrangian {
  limb_energy energy; ///< T, and the two parts of U
  double L;           ///< T - U
  double* p;          ///< nv: generalised momentum dT/dv = M v
  double* dT_dq;      ///< nv
  double* dU_dq;      ///< nv: gravity and springs
  double* hamel;      ///< nv, needs p: -sum_km c^m_ki v_k p_m; of a ball joint w x p, zero for one-dof joints
} limb_lagrangian;

/// With dp/dt = M a + (dM/dt) v the forces are dp/dt + hamel - dT/dq + dU/dq (Euler-Lagrange, Hamel). env as
/// in limb_energy_derivatives. LIMB_E_ARG also for hamel without p. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_lagrangian_terms(limb_data* d, const double* q, const double* v,
                                                          const limb_environment* env, limb_lagrangian* out);

#ifdef __cplusplus
}
#endif

#endif
