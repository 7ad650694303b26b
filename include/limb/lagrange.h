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
// numbers return LIMB_E_UNSUPPORTED for more than LIMB_TENSOR3_MAX velocities, and the functions for the
// length of their scratch memory 0. Outputs must not overlap inputs.
#ifndef LIMB_LAGRANGE_H
#define LIMB_LAGRANGE_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_TENSOR3_MAX = 2048 ///< velocities of a robot; nv^3 numbers have 64 GiB then
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
/// @return also LIMB_E_UNSUPPORTED beyond LIMB_DERIVATIVES_MAX velocities (limb/derivatives.h).
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
/// @return also LIMB_E_UNSUPPORTED beyond LIMB_DERIVATIVES_MAX velocities (limb/derivatives.h).
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

// ---- the configuration space with M as its metric: connection and curvature -------------------------
//
// The configuration space with M as its metric: connection and curvature.
//
// Without forces a robot moves along geodesics of M (rotors included). Curvature says how M bends: where it
// vanishes there are coordinates in which M is constant (Park, Bobrow, Ploen 1995, section 5).
//
// Indices are those of limb/lagrange.h; of ball and free joints they count the directions E_k of the
// velocities, and structure constants enter (docs/geometry.md). Signs are those of Park, Bobrow, Ploen 1995,
// (66): a sphere has positive curvature,
//
//   R_ijkl = <nabla_k nabla_l E_j - nabla_l nabla_k E_j - nabla_[E_k, E_l] E_j, E_i>
//   K = R_1212 / (M_11 M_22 - M_12^2) for two velocities
//
// What is a trace or a quotient needs M^-1: LIMB_E_SINGULAR when M is not positive definite to working
// precision, and for traces also when the largest diagonal entries of M and M^-1 multiply to more than 1e11:
// near such poses rounding takes all digits of a curvature (of sectional ones, too: see there).
//
// Tensors grow fast: four indices are 19 KB for 7 velocities, 1.6 MB for 21, 134 MB for 64. Calls that fill
// nv^4 numbers return LIMB_E_UNSUPPORTED for more than LIMB_TENSOR4_MAX velocities, and the functions for
// the length of their scratch memory 0. Statuses else as in limb/dynamics.h.

enum {
  LIMB_TENSOR4_MAX = 256 ///< velocities of a robot; nv^4 numbers have 32 GiB then
};

/// Christoffel symbols of the second kind, G^i_jk = sum_h (M^-1)_ih G_hjk with those of limb_christoffel:
/// a_i = (M^-1 (tau - g))_i - sum_jk G^i_jk v_j v_k. O(nv^2) solves with M.
/// @param work  limb_christoffel_second_work() numbers
/// @param G     nv^3 numbers, (i, j, k)
LIMB_NODISCARD LIMB_API limb_status limb_christoffel_second(limb_data* d, const double* q, double* work, double* G);

/// nv^3
LIMB_API size_t limb_christoffel_second_work(const limb_model* m);

/// Derivatives of the symbols of limb_christoffel, in closed form (Park, Bobrow, Ploen 1995, Propositions 1 and 2,
/// for trees and all joints). O(n depth^3), and nv^4 to clear.
/// @param dG  nv^4 numbers: (i, j, k, l) is d G_ijk / d q_l
LIMB_NODISCARD LIMB_API limb_status limb_christoffel_derivative(limb_data* d, const double* q, double* dG);

/// The same of limb_connection.
LIMB_NODISCARD LIMB_API limb_status limb_connection_derivative(limb_data* d, const double* q, double* dG);

/// Riemann's curvature tensor, first index lowered: Park, Bobrow, Ploen 1995, (66) with the derivatives above.
/// R_ijkl = -R_jikl = -R_ijlk = R_klij. O(nv^5).
/// @param work  limb_curvature_work() numbers
/// @param R     nv^4 numbers, (i, j, k, l)
LIMB_NODISCARD LIMB_API limb_status limb_curvature(limb_data* d, const double* q, double* work, double* R);

/// 2 nv^3
LIMB_API size_t limb_curvature_work(const limb_model* m);

/// Ricci curvature sum_ik (M^-1)_ik R_ijkl, symmetric. Cost of limb_curvature.
/// @param work  limb_ricci_curvature_work() numbers
/// @param Ric   nv x nv, (j, l)
LIMB_NODISCARD LIMB_API limb_status limb_ricci_curvature(limb_data* d, const double* q, double* work, double* Ric);

/// nv^4 + 2 nv^3
LIMB_API size_t limb_ricci_curvature_work(const limb_model* m);

/// Scalar curvature, the trace sum_jl (M^-1)_jl Ric_jl: twice the sum of the sectional curvatures of all
/// planes of an orthonormal basis [1/(kg m^2), for turning joints].
/// @param work  limb_scalar_curvature_work() numbers
LIMB_NODISCARD LIMB_API limb_status limb_scalar_curvature(limb_data* d, const double* q, double* work, double* out);

/// nv^4 + 2 nv^3 + nv^2
LIMB_API size_t limb_scalar_curvature_work(const limb_model* m);

/// Sectional curvature of the plane of two velocities u and w, by Gauss's equation from the accelerations of
/// the particles: no derivative and no tensor. Its error is about 1e-16 times the largest entry of M^-1, so
/// near poses where M is singular it has no digits. O(n), and two solves with M.
/// @return also LIMB_E_SINGULAR when u and w span no plane: sine of their angle in the metric below 1e-8.
/// @param work  limb_sectional_curvature_work() numbers
LIMB_NODISCARD LIMB_API limb_status limb_sectional_curvature(limb_data* d, const double* q, const double* u,
                                                             const double* w, double* work, double* K);

/// 8 nv, and 48 for every elementary joint
LIMB_API size_t limb_sectional_curvature_work(const limb_model* m);

#ifdef __cplusplus
}
#endif

#endif
