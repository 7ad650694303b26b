// limb: robot dynamics in C. The Lagrangian form: derivatives of M, Christoffel symbols, energies, curvature.
//
//     if (limb_mass_matrix_derivative(d, q, dM) != LIMB_OK) return 1;    // nv x nv x nv
//     if (limb_christoffel(d, q, G) != LIMB_OK) return 1;                // (C v)_i = sum_jk G_ijk v_j v_k
//     if (limb_energy_derivatives(d, q, v, NULL, dT_dq, p, dU_dq) != LIMB_OK) return 1;
//
// The equations of motion are
//
//     tau = M a + (dM/dt) v + hamel - dT/dq + dU/dq + friction - sum J' wrench,     U: gravity and springs
//
// A derivative with respect to q_k is taken along the tangent, per unit of v_k, as in limb/derivatives.h. For joints
// with one degree of freedom v is the rate of q. The velocities of ball and free joints are quasi-velocities: their
// directions E_k do not commute, [E_k, E_l] = sum c^m_kl E_m, and terms with c appear that the textbook form lacks; the
// calls state where. docs/geometry.md has the formulas.
//
// Tensors are dense, the last index fastest: entry (i, j, k) is at (i nv + j) nv + k. Outputs must not overlap inputs.
// Calls never allocate and do not change what limb_kinematics stored. Statuses are those of limb/dynamics.h, and
// LIMB_E_UNSUPPORTED for robots with loops (use limb_spanning_tree), and from calls that fill nv^3 numbers for more
// than LIMB_TENSOR3_MAX velocities; the functions that return the size of their scratch memory then return 0.
#ifndef LIMB_LAGRANGE_H
#define LIMB_LAGRANGE_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_TENSOR3_MAX = 2048 ///< velocities of a robot; nv^3 numbers then have 64 GiB
};

// ---- derivatives of the mass matrix -----------------------------------------------------------------

/// dM/dq by Lie brackets of the joint axes (Park, Bobrow, Ploen 1995, Proposition 1). O(n depth^2), and nv^3 to clear.
/// @param dM  nv^3 numbers: (i, j, k) is d M_ij / d q_k (output)
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_derivative(limb_data* d, const double* q, double* dM);

/// d(M u)/dq at constant u. O(n depth).
/// @param out  nv x nv: (i, k) is sum_j u_j d M_ij / d q_k (output)
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_derivative_times(limb_data* d, const double* q, const double* u,
                                                                      double* out);

/// d(u' M w)/dq at constant u and w. O(n).
/// @param out  nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_gradient(limb_data* d, const double* q, const double* u,
                                                              const double* w, double* out);

/// dM/dt = C + C' along v. O(n depth).
/// @param Mdot  nv x nv (output)
/// @return also LIMB_E_UNSUPPORTED (more than LIMB_DERIVATIVES_MAX velocities, limb/derivatives.h).
LIMB_NODISCARD LIMB_API limb_status limb_mass_matrix_rate(limb_data* d, const double* q, const double* v, double* Mdot);

// ---- Christoffel symbols ----------------------------------------------------------------------------

/// Christoffel symbols of the first kind, symmetric in j and k: the Coriolis and centrifugal forces are
///   c_i = sum_jk G_ijk v_j v_k,     G_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2
/// (Lynch and Park 2017, (9.13); Park, Bobrow, Ploen 1995 lowers the third index: its Gamma_jki is G_ijk here). With
/// ball or free joints G is the symmetric part of limb_connection. By the closed forms of Park, Bobrow, Ploen 1995,
/// (55)-(57), for trees and all joints. O(n depth^2), and nv^3 to clear.
/// @param G  nv^3 numbers (output)
LIMB_NODISCARD LIMB_API limb_status limb_christoffel(limb_data* d, const double* q, double* G);

/// Coefficients of the Levi-Civita connection, G_ijk = <nabla_k E_j, E_i>: sum_k G_ijk v_k is limb_coriolis_matrix,
/// G_ijk + G_jik = dM_ij/dq_k, and G_ijk - G_ikj = <[E_k, E_j], E_i>. Equal to limb_christoffel for joints with one
/// degree of freedom, and of the same cost.
/// @param G  nv^3 numbers (output)
LIMB_NODISCARD LIMB_API limb_status limb_connection(limb_data* d, const double* q, double* G);

/// limb_christoffel by polarisation of the velocity forces c = C v, without derivatives:
///   G_ijk = (c(e_j + e_k) - c(e_j) - c(e_k))_i / 2
/// nv (nv + 3) / 2 runs of inverse dynamics, O(nv^2 n): slower, and a check of limb_christoffel.
/// @param work  limb_christoffel_by_polarisation_work() numbers of scratch
/// @param G     nv^3 numbers (output)
LIMB_NODISCARD LIMB_API limb_status limb_christoffel_by_polarisation(limb_data* d, const double* q, double* work,
                                                                     double* G);

/// nv (nv + 1). 0 if m is NULL.
LIMB_API size_t limb_christoffel_by_polarisation_work(const limb_model* m);

/// The Coriolis matrix of the Christoffel symbols, C_ij = sum_k G_ijk v_k with G of limb_christoffel: half of dc/dv,
/// and C v = c. Equal to limb_coriolis_matrix for joints with one degree of freedom. With ball or free joints dM/dt - 2
/// C is skew-symmetric for limb_coriolis_matrix only, and C(q, v) w = C(q, w) v holds for this matrix only. O(n depth).
/// @param C  nv x nv (output)
/// @return also LIMB_E_UNSUPPORTED (more than LIMB_DERIVATIVES_MAX velocities, limb/derivatives.h).
LIMB_NODISCARD LIMB_API limb_status limb_coriolis_matrix_christoffel(limb_data* d, const double* q, const double* v,
                                                                     double* C);

// ---- energies ---------------------------------------------------------------------------------------

/// Gravity forces as the gradient of the potential -sum m g . c (Park, Bobrow, Ploen 1995, (58), (59), with the sign of
/// their g corrected); limb_gravity_forces computes the same by Newton-Euler. Base motion and wrenches of env are
/// checked, but have no effect. O(n).
LIMB_NODISCARD LIMB_API limb_status limb_gravity_from_potential(limb_data* d, const double* q,
                                                                const limb_environment* env, double* tau);

/// Derivatives of the kinetic energy T (rotors included) and of the potential energy U of gravity and springs: nv
/// numbers each. NULL: not computed. Base motion and wrenches of env are checked, but have no effect. O(n).
/// @param dT_dv  M v, the generalised momentum (output)
LIMB_NODISCARD LIMB_API limb_status limb_energy_derivatives(limb_data* d, const double* q, const double* v,
                                                            const limb_environment* env, double* dT_dq, double* dT_dv,
                                                            double* dU_dq);

/// The terms of the Lagrangian L = T - U. Set the pointers before the call; NULL: not computed.
typedef struct limb_lagrangian {
  limb_energy energy; ///< T, and the two parts of U
  double L;           ///< T - U
  double* p;          ///< nv: generalised momentum dT/dv = M v
  double* dT_dq;      ///< nv
  double* dU_dq;      ///< nv: gravity and springs
  double* hamel;      ///< nv, requires p: -sum_km c^m_ki v_k p_m; w x p for a ball joint, zero for one-dof joints
} limb_lagrangian;

/// With dp/dt = M a + (dM/dt) v the forces are dp/dt + hamel - dT/dq + dU/dq (Euler-Lagrange, Hamel). env as in
/// limb_energy_derivatives. O(n).
/// @return also LIMB_E_ARG (hamel without p).
LIMB_NODISCARD LIMB_API limb_status limb_lagrangian_terms(limb_data* d, const double* q, const double* v,
                                                          const limb_environment* env, limb_lagrangian* out);

// ---- connection and curvature: the configuration space with M as its metric -------------------------
//
// Without forces a robot moves along geodesics of M (rotors included). Curvature describes how M varies: where it
// vanishes there are coordinates in which M is constant (Park, Bobrow, Ploen 1995, section 5).
//
// For ball and free joints the indices count the directions E_k of the velocities, and structure constants enter
// (docs/geometry.md). Signs are those of Park, Bobrow, Ploen 1995, (66): a sphere has positive curvature,
//
//   R_ijkl = <nabla_k nabla_l E_j - nabla_l nabla_k E_j - nabla_[E_k, E_l] E_j, E_i>
//   K = R_1212 / (M_11 M_22 - M_12^2) for two velocities
//
// Tensors with four indices have 19 KB for 7 velocities, 1.6 MB for 21, 134 MB for 64. Calls that fill nv^4 numbers
// return LIMB_E_UNSUPPORTED for more than LIMB_TENSOR4_MAX velocities; the functions that return the size of their
// scratch memory then return 0.
//
// Traces and quotients need M^-1. They return LIMB_E_SINGULAR if M is not positive definite to working precision,
// traces also if the product of the largest diagonal entries of M and M^-1 exceeds 1e11: near such poses rounding
// destroys all digits of a curvature, also of limb_sectional_curvature, which does not check this.

enum {
  LIMB_TENSOR4_MAX = 256 ///< velocities of a robot; nv^4 numbers then have 32 GiB
};

/// Christoffel symbols of the second kind, G^i_jk = sum_h (M^-1)_ih G_hjk with G of limb_christoffel:
/// a_i = (M^-1 (tau - g))_i - sum_jk G^i_jk v_j v_k. O(nv^2) solves with M.
/// @param work  limb_christoffel_second_work() numbers of scratch
/// @param G     nv^3 numbers, (i, j, k) (output)
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_christoffel_second(limb_data* d, const double* q, double* work, double* G);

/// nv^3. 0 if m is NULL.
LIMB_API size_t limb_christoffel_second_work(const limb_model* m);

/// Derivatives of the symbols of limb_christoffel in closed form (Park, Bobrow, Ploen 1995, Propositions 1 and 2, for
/// trees and all joints). O(n depth^3), and nv^4 to clear.
/// @param dG  nv^4 numbers: (i, j, k, l) is d G_ijk / d q_l (output)
LIMB_NODISCARD LIMB_API limb_status limb_christoffel_derivative(limb_data* d, const double* q, double* dG);

/// The same for limb_connection.
LIMB_NODISCARD LIMB_API limb_status limb_connection_derivative(limb_data* d, const double* q, double* dG);

/// Riemann's curvature tensor with lowered first index: Park, Bobrow, Ploen 1995, (66) with the derivatives above.
/// R_ijkl = -R_jikl = -R_ijlk = R_klij. O(nv^5). LIMB_E_UNSUPPORTED also for rotors of ball and free joints, here and
/// in the calls below.
/// @param work  limb_curvature_work() numbers of scratch
/// @param R     nv^4 numbers, (i, j, k, l) (output)
LIMB_NODISCARD LIMB_API limb_status limb_curvature(limb_data* d, const double* q, double* work, double* R);

/// 2 nv^3. 0 if m is NULL.
LIMB_API size_t limb_curvature_work(const limb_model* m);

/// Ricci curvature sum_ik (M^-1)_ik R_ijkl, symmetric. Cost of limb_curvature.
/// @param work  limb_ricci_curvature_work() numbers of scratch
/// @param Ric   nv x nv, (j, l) (output)
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_ricci_curvature(limb_data* d, const double* q, double* work, double* Ric);

/// nv^4 + 2 nv^3. 0 if m is NULL.
LIMB_API size_t limb_ricci_curvature_work(const limb_model* m);

/// Scalar curvature, the trace sum_jl (M^-1)_jl Ric_jl: twice the sum of the sectional curvatures of all planes of an
/// orthonormal basis [1/(kg m^2) for revolute joints].
/// @param work  limb_scalar_curvature_work() numbers of scratch
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_scalar_curvature(limb_data* d, const double* q, double* work, double* out);

/// nv^4 + 2 nv^3 + nv^2. 0 if m is NULL.
LIMB_API size_t limb_scalar_curvature_work(const limb_model* m);

/// Sectional curvature of the plane of two velocities u and w, by Gauss's equation from the accelerations of the
/// particles, without derivatives and tensors. O(n), and two solves with M. The error is about 1e-16 times the largest
/// entry of M^-1: near poses where M is singular the result has no correct digits.
/// @param work  limb_sectional_curvature_work() numbers of scratch
/// @return also LIMB_E_SINGULAR (u and w do not span a plane: the sine of their angle in the metric M is below 1e-8).
LIMB_NODISCARD LIMB_API limb_status limb_sectional_curvature(limb_data* d, const double* q, const double* u,
                                                             const double* w, double* work, double* K);

/// 8 nv, and 48 for each elementary joint. 0 if m is NULL.
LIMB_API size_t limb_sectional_curvature_work(const limb_model* m);

#ifdef __cplusplus
}
#endif

#endif
