// limb: robot dynamics in C. The configuration space with M as its metric: connection and curvature.
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
// nv^4 numbers return LIMB_E_UNSUPPORTED for more than LIMB_TENSOR4_MOST velocities, and the functions for
// the length of their scratch memory 0. Statuses else as in limb/dynamics.h.
#ifndef LIMB_GEOMETRY_H
#define LIMB_GEOMETRY_H

#include "limb/lagrange.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_TENSOR4_MOST = 256 ///< velocities of a robot; nv^4 numbers have 32 GiB then
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
