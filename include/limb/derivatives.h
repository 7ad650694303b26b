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
// matrices of nv x nv, for robots with more than LIMB_DERIVATIVES_MAX velocities.
#ifndef LIMB_DERIVATIVES_H
#define LIMB_DERIVATIVES_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_DERIVATIVES_MAX = 16384 ///< velocities of a robot; its matrices have 2 GiB then
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

// ---- along directions, in O(n) ----------------------------------------------------------------------
//
// Derivatives along directions, in O(n).
//
// A direction says how fast the arguments of a function change; the answer is how fast its result does.
// A derivative along q is one along the tangent, as in limb/derivatives.h: dq has nv numbers, and the
// configuration moves as it would with velocity dq. What is held fixed, and how Coulomb friction counts,
// is said there, too.
//
// The calls work with dual numbers (docs/derivatives.md), in a workspace of their own: only who asks for
// such derivatives pays for it. They never allocate. Statuses are those of limb/derivatives.h.

/// Workspace of one thread for derivatives along directions. The calls of other headers do not need it.
typedef struct limb_dual limb_dual;

/// What a workspace is for. Values are pinned.
typedef enum limb_dual_use {
  LIMB_DUAL_VECTORS = 0, ///< this header: O(n) memory for trees without mimic joints
  LIMB_DUAL_MATRICES = 1 ///< limb/derivatives.h as well: 120 nv^2 bytes more
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

// ---- hybrid dynamics --------------------------------------------------------------------------------

/// Where hybrid dynamics and its derivatives go. y is what was not given: the force where the acceleration
/// is, and the other way round. The three matrices are all needed (LIMB_E_ARG for NULL).
typedef struct limb_hybrid_derivatives {
  double* y;     ///< nv; NULL: not wanted
  double* dy_dq; ///< nv x nv
  double* dy_dv; ///< nv x nv
  double* dy_dx; ///< nv x nv
} limb_hybrid_derivatives;

/// y(q, v, x) of limb_hybrid_dynamics and its derivatives. With f for force-given and g for the others,
///     dy_f/dq = -M_ff^-1 dtau_f/dq,   dy_g/dq = dtau_g/dq + M_gf dy_f/dq      (the same by v)
///     dy/dx = [M_ff^-1, -M_ff^-1 M_fg; M_gf M_ff^-1, M_gg - M_gf M_ff^-1 M_fg]
/// O(n depth) and an exchange of O(n^2) for each force-given degree of freedom.
/// @return also LIMB_E_SINGULAR, and LIMB_E_UNSUPPORTED beyond LIMB_DERIVATIVES_MAX velocities.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_derivatives(limb_data* d, const limb_hybrid* in,
                                                                     const limb_hybrid_derivatives* out);

/// Derivatives along directions: dy = dy/dq dq + dy/dv dv + dy/dx dx, O(n) a direction. In `along` the
/// change of x is said by da where the acceleration is given and by dtau where the force is: both may be
/// there, entries that the marks do not ask for are not looked at.
/// @param dy  along->count x nv
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_along(limb_dual* w, const limb_hybrid* in,
                                                               const limb_directions* along, double* dy);

/// dy / d wrench, for a wrench (moment; force) on a frame in ref.
/// @param work  nv x nv scratch
/// @param out   nv x 6
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_wrench(limb_data* d, const double* q,
                                                                   const unsigned char* given, int frame, limb_ref ref,
                                                                   double* work, double* out);

/// dy / d gravity, the acceleration of gravity in world axes.
/// @param work  nv x nv scratch
/// @param out   nv x 3
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_gravity(limb_data* d, const double* q,
                                                                    const unsigned char* given, double* work,
                                                                    double* out);

// ---- second derivatives -----------------------------------------------------------------------------
//
// Second derivatives of inverse and forward dynamics: along directions, as
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

// ---- linear models: about a state, along a trajectory, sampled --------------------------------------
//
// Linear models of a robot: about a state, along a trajectory, sampled.
//
// State x and input u are deviations from a state (q, v) and forces tau:
//
//   x = (dq; dv), 2 nv numbers     q (+) dq as in limb/model.h, so dq is a tangent vector
//   u = d tau, nv numbers
//
// Matrices are dense, row-major, full; outputs must not overlap inputs. None of the calls allocates; those
// with a workspace leave what limb_kinematics() computed alone. Coulomb friction as in limb/derivatives.h:
// give it a width, or its derivative is 0. Equations: docs/linearisation.md.

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
