// limb: robot dynamics in C. Analytic first and second derivatives of inverse, forward and hybrid dynamics; linear
// models.
//
//     limb_id_derivatives out = {.dtau_dq = K, .dtau_dv = D};                       // nv x nv each
//     if (limb_inverse_dynamics_derivatives(d, q, v, a, NULL, &out) != LIMB_OK) return 1;
//     if (limb_linearise(d, q, v, tau, NULL, A, B) != LIMB_OK) return 1;            // x' = A x + B u
//
// A derivative with respect to q is taken along the tangent: column k is the change per unit of v_k, so ball and free
// joints have as many columns as velocities (q (+) dq of limb/model.h). Row i, column k of a matrix is d x_i / d y_k;
// matrices are nv x nv, row-major, full. Held constant are the components of v, a or tau; the components of wrenches as
// given (a wrench in world axes does not turn with the frame, one in axes of the frame does); gravity; and the motion
// of the base.
//
// Coulomb friction is differentiated as it is computed: smooth for coulomb_width > 0; otherwise the derivative of
// Fs sign(v) is 0.
//
// Calls never allocate. Statuses are those of limb/dynamics.h, and LIMB_E_UNSUPPORTED for an environment with force
// laws, whose derivatives are not known, and for calls with nv x nv matrices if the robot has more than
// LIMB_DERIVATIVES_MAX velocities.
//
// Robots with loops: the derivatives of inverse dynamics are by the independent coordinates, with the loops closed;
// those of forward dynamics are by the coordinates of all joints, through the constraints. Hybrid dynamics, derivatives
// along directions and second derivatives are for trees only (LIMB_E_UNSUPPORTED).
#ifndef LIMB_DERIVATIVES_H
#define LIMB_DERIVATIVES_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_DERIVATIVES_MAX = 16384 ///< velocities of a robot; a matrix then has 2 GiB
};

/// Outputs of limb_inverse_dynamics_derivatives. NULL: not computed.
typedef struct limb_id_derivatives {
  double* tau;     ///< nv: the forces
  double* dtau_dq; ///< nv x nv
  double* dtau_dv; ///< nv x nv
  double* M;       ///< nv x nv: d tau / d a, rotors included
} limb_id_derivatives;

/// tau(q, v, a) of limb_inverse_dynamics and its derivatives, with friction, springs, rotors, mimic joints, wrenches
/// and the motion of the base. O(n depth).
/// Reference: Singh, Russell, Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector
/// algebra, 2022; docs/derivatives.md.
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_derivatives(limb_data* d, const double* q, const double* v,
                                                                      const double* a, const limb_environment* env,
                                                                      const limb_id_derivatives* out);

/// Outputs of limb_forward_dynamics_derivatives. All three matrices are required (LIMB_E_ARG if one is NULL), because
/// each is computed from the others.
typedef struct limb_fd_derivatives {
  double* acc;       ///< nv: the accelerations; NULL: not computed
  double* dacc_dq;   ///< nv x nv
  double* dacc_dv;   ///< nv x nv
  double* dacc_dtau; ///< nv x nv: M^-1
} limb_fd_derivatives;

/// a(q, v, tau) of limb_forward_dynamics and its derivatives: -M^-1 dtau/dq, -M^-1 dtau/dv, M^-1. O(n depth) and three
/// products with M^-1.
/// @return also LIMB_E_SINGULAR (M is not positive definite to working precision).
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_derivatives(limb_data* d, const double* q, const double* v,
                                                                      const double* tau, const limb_environment* env,
                                                                      const limb_fd_derivatives* out);

/// d tau / d wrench of limb_inverse_dynamics: -J', for a wrench (moment; force) on a frame, in ref.
/// @param out  nv x 6 (output)
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_by_wrench(limb_data* d, const double* q, int frame,
                                                                    limb_ref ref, double* out);

/// d tau / d gravity, where gravity is the acceleration of gravity in world axes.
/// @param out  nv x 3 (output)
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_by_gravity(limb_data* d, const double* q, double* out);

/// d a / d wrench of limb_forward_dynamics: M^-1 J'.
/// @param out  nv x 6 (output)
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_by_wrench(limb_data* d, const double* q, int frame,
                                                                    limb_ref ref, double* out);

/// d a / d gravity.
/// @param out  nv x 3 (output)
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_by_gravity(limb_data* d, const double* q, double* out);

// ---- along directions, in O(n) ----------------------------------------------------------------------
//
//     limb_directions along = {.count = 1, .dq = dq};
//     if (limb_dual_create(model, LIMB_DUAL_VECTORS, NULL, &w) != LIMB_OK) return 1;
//     if (limb_inverse_dynamics_along(w, q, v, a, NULL, &along, dtau) != LIMB_OK) return 1;
//
// A direction is a rate of change of the arguments; the result is the rate of change of the function. Along q it is a
// tangent vector: dq has nv numbers, and the configuration moves as with the velocity dq.
//
// The calls compute with dual numbers (docs/derivatives.md), in a workspace of their own. They never allocate.

/// Workspace of one thread for derivatives along directions. The calls above do not need it.
typedef struct limb_dual limb_dual;

/// Purpose of a workspace. Values are pinned.
typedef enum limb_dual_use {
  LIMB_DUAL_VECTORS = 0, ///< first derivatives along directions: O(n) memory for trees without mimic joints
  LIMB_DUAL_MATRICES = 1 ///< second derivatives as well: another 120 nv^2 bytes
} limb_dual_use;

enum {
  LIMB_DIRECTIONS = 4 ///< directions of one pass, which costs hardly more than a pass with one
};

/// Bytes that limb_dual_init needs. 0 if m is NULL or the use is unknown.
LIMB_API size_t limb_dual_size(const limb_model* m, limb_dual_use use);

/// Lays out a workspace in the caller's memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, unknown use); LIMB_E_NOMEM (size too
///         small).
LIMB_NODISCARD LIMB_API limb_status limb_dual_init(const limb_model* m, limb_dual_use use, void* memory, size_t size,
                                                   limb_dual** out);

/// Allocates (alloc NULL: malloc) and initialises a workspace. Free with limb_dual_destroy.
/// @return LIMB_OK; LIMB_E_ARG (NULL, incomplete allocator, unknown use); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_dual_create(const limb_model* m, limb_dual_use use,
                                                     const limb_allocator* alloc, limb_dual** out);

/// Ends a workspace, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_dual_destroy(limb_dual* w);

LIMB_API const limb_model* limb_dual_model(const limb_dual* w); ///< NULL if w is NULL

/// Directions: row k of each matrix (count x nv) belongs to direction k. NULL: that argument does not change.
typedef struct limb_directions {
  int count;          ///< any number; groups of LIMB_DIRECTIONS share a pass
  const double* dq;   ///< tangent vectors
  const double* dv;   ///< changes of the velocities
  const double* da;   ///< of the accelerations: inverse and hybrid; must be NULL for forward dynamics
  const double* dtau; ///< of the forces: forward and hybrid; must be NULL for inverse dynamics
} limb_directions;

/// Derivatives of limb_inverse_dynamics:
///     dtau = dtau/dq dq + dtau/dv dv + M da
/// without forming the matrices. O(n) per direction.
/// @param dtau  count x nv (output)
/// @return also LIMB_E_ARG (along->dtau is not NULL).
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_along(limb_dual* w, const double* q, const double* v,
                                                                const double* a, const limb_environment* env,
                                                                const limb_directions* along, double* dtau);

/// Derivatives of limb_forward_dynamics:
///     da = da/dq dq + da/dv dv + M^-1 dtau
/// by articulated bodies, O(n) per direction; with mimic joints by the factors of M, at the cost of
/// limb_forward_dynamics.
/// @param da  count x nv (output)
/// @return also LIMB_E_SINGULAR (M is not positive definite to working precision); LIMB_E_ARG (along->da is not NULL).
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_along(limb_dual* w, const double* q, const double* v,
                                                                const double* tau, const limb_environment* env,
                                                                const limb_directions* along, double* da);

// ---- hybrid dynamics --------------------------------------------------------------------------------

/// Outputs of limb_hybrid_dynamics_derivatives. y is what is computed: the force where the acceleration is given, the
/// acceleration where the force is given. All three matrices are required (LIMB_E_ARG if one is NULL).
typedef struct limb_hybrid_derivatives {
  double* y;     ///< nv; NULL: not computed
  double* dy_dq; ///< nv x nv
  double* dy_dv; ///< nv x nv
  double* dy_dx; ///< nv x nv
} limb_hybrid_derivatives;

/// y(q, v, x) of limb_hybrid_dynamics and its derivatives. With f for force-given and g for acceleration-given,
///     dy_f/dq = -M_ff^-1 dtau_f/dq,   dy_g/dq = dtau_g/dq + M_gf dy_f/dq      (the same by v)
///     dy/dx = [M_ff^-1, -M_ff^-1 M_fg; M_gf M_ff^-1, M_gg - M_gf M_ff^-1 M_fg]
/// O(n depth), and an exchange step of O(n^2) for each force-given degree of freedom.
/// @return also LIMB_E_SINGULAR; LIMB_E_UNSUPPORTED (more than LIMB_DERIVATIVES_MAX velocities, loops).
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_derivatives(limb_data* d, const limb_hybrid* in,
                                                                     const limb_hybrid_derivatives* out);

/// Derivatives along directions: dy = dy/dq dq + dy/dv dv + dy/dx dx. O(n) per direction. The change of x is along->da
/// where the acceleration is given and along->dtau where the force is given. Both may be set; entries that do not
/// match the marks are ignored.
/// @param dy  along->count x nv (output)
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_along(limb_dual* w, const limb_hybrid* in,
                                                               const limb_directions* along, double* dy);

/// dy / d wrench, for a wrench (moment; force) on a frame, in ref.
/// @param work  nv x nv numbers of scratch
/// @param out   nv x 6 (output)
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_wrench(limb_data* d, const double* q,
                                                                   const unsigned char* given, int frame, limb_ref ref,
                                                                   double* work, double* out);

/// dy / d gravity, where gravity is the acceleration of gravity in world axes.
/// @param work  nv x nv numbers of scratch
/// @param out   nv x 3 (output)
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_gravity(limb_data* d, const double* q,
                                                                    const unsigned char* given, double* work,
                                                                    double* out);

// ---- second derivatives -----------------------------------------------------------------------------
//
// Second derivatives of inverse and forward dynamics: along directions, as Hessians of a weighted sum, as tensors.
//
// They are exact up to rounding: the analytic first derivatives, differentiated by dual numbers
// (docs/derivatives.md). Calls need a workspace made with LIMB_DUAL_MATRICES (LIMB_E_ARG otherwise). They never
// allocate. Those of forward dynamics also return LIMB_E_SINGULAR.
//
// A second derivative is a derivative of a first one: d/dy_k of (dx_i / dz_j), where the columns of dx/dz are those of
// the first part of this header. By q both are along the tangent. For q of ball and free joints the order matters:
// rotations about x and y do not commute, and d2tau/dqdq is not symmetric in j and k among the velocities of one such
// joint. All other second derivatives are symmetric.

// ---- along directions ------------------------------------------------------------------------------

/// Rates of change of the results of limb_inverse_dynamics_derivatives along directions. Each output holds
/// along->count consecutive blocks of nv (tau) or nv x nv numbers. NULL: not computed. O(n depth) per direction.
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_derivatives_along(limb_dual* w, const double* q,
                                                                            const double* v, const double* a,
                                                                            const limb_environment* env,
                                                                            const limb_directions* along,
                                                                            const limb_id_derivatives* out);

/// The same for limb_forward_dynamics_derivatives. O(n^3) per direction, because the matrices are dense.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_derivatives_along(limb_dual* w, const double* q,
                                                                            const double* v, const double* tau,
                                                                            const limb_environment* env,
                                                                            const limb_directions* along,
                                                                            const limb_fd_derivatives* out);

/// Second derivatives of tau along pairs of directions: the derivative along row k of `then` of the derivative along
/// row k of `first`, whose numbers are held constant. O(n depth) per pair.
/// @param out  count x nv; both must have the same count (LIMB_E_ARG) (output)
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_along_twice(limb_dual* w, const double* q, const double* v,
                                                                      const double* a, const limb_environment* env,
                                                                      const limb_directions* first,
                                                                      const limb_directions* then, double* out);

/// The same for the accelerations of limb_forward_dynamics. O(n depth) and a solve with M per pair.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_along_twice(limb_dual* w, const double* q, const double* v,
                                                                      const double* tau, const limb_environment* env,
                                                                      const limb_directions* first,
                                                                      const limb_directions* then, double* out);

// ---- second derivatives of a weighted sum, lambda' tau or lambda' a ---------------------------------

/// Changes of the gradient of a weighted sum along directions: count x nv each. NULL: not computed.
typedef struct limb_gradients {
  double* dq;
  double* dv;
  double* dx; ///< by the accelerations (inverse dynamics) or forces (forward dynamics)
} limb_gradients;

/// Products of the Hessian of lambda' tau with directions:
///     d/ds of ((dtau/dq)' lambda,  (dtau/dv)' lambda,  M lambda)
/// O(n depth) per direction.
/// @param lambda  nv
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_hessian_along(limb_dual* w, const double* q, const double* v,
                                                                        const double* a, const limb_environment* env,
                                                                        const double* lambda,
                                                                        const limb_directions* along,
                                                                        const limb_gradients* out);

/// The same for lambda' a of forward dynamics. O(n depth) and a solve with M per direction.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_hessian_along(limb_dual* w, const double* q, const double* v,
                                                                        const double* tau, const limb_environment* env,
                                                                        const double* lambda,
                                                                        const limb_directions* along,
                                                                        const limb_gradients* out);

/// Second derivatives of all kinds. NULL: not computed. x are the accelerations (inverse dynamics) or the forces
/// (forward dynamics); second derivatives by x and x and by v and x are zero.
typedef struct limb_second_derivatives {
  double* dqdq;
  double* dqdv;
  double* dvdv;
  double* dqdx;
} limb_second_derivatives;

/// The Hessian of lambda' tau: entry (j, k) of dydz (nv x nv) is sum_i lambda_i d2tau_i / dy_j dz_k. O(n depth), as
/// first derivatives; with wrenches or mimic joints O(n^2 depth).
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_hessian(limb_dual* w, const double* q, const double* v,
                                                                  const double* a, const limb_environment* env,
                                                                  const double* lambda,
                                                                  const limb_second_derivatives* out);

/// The Hessian of lambda' a of forward dynamics. First derivatives and three products of nv x nv matrices; with
/// wrenches or mimic joints O(n^2 depth) and 2 n solves with M.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_hessian(limb_dual* w, const double* q, const double* v,
                                                                  const double* tau, const limb_environment* env,
                                                                  const double* lambda,
                                                                  const limb_second_derivatives* out);

// ---- tensors ---------------------------------------------------------------------------------------

/// Tensors of inverse dynamics: entry [i][j][k] of dydz (nv x nv x nv, row-major) is d2tau_i / dy_j dz_k. O(n depth^2)
/// and n^3 zeros; with wrenches or mimic joints O(n^2 depth).
LIMB_NODISCARD LIMB_API limb_status limb_inverse_dynamics_second_derivatives(limb_dual* w, const double* q,
                                                                             const double* v, const double* a,
                                                                             const limb_environment* env,
                                                                             const limb_second_derivatives* out);

/// Tensors of forward dynamics: d2a_i / dy_j dz_k. O(n^4): products of the tensors of inverse dynamics with M^-1;
/// several times slower without dqdx, which the others are made of, and with wrenches or mimic joints.
LIMB_NODISCARD LIMB_API limb_status limb_forward_dynamics_second_derivatives(limb_dual* w, const double* q,
                                                                             const double* v, const double* tau,
                                                                             const limb_environment* env,
                                                                             const limb_second_derivatives* out);

// ---- linear models: about a state, along a trajectory, sampled --------------------------------------
//
// State x and input u are deviations from a state (q, v) and forces tau:
//
//   x = (dq; dv), 2 nv numbers     q (+) dq as in limb/model.h, so dq is a tangent vector
//   u = d tau, nv numbers
//
// Outputs must not overlap inputs. Calls never allocate and do not change what limb_kinematics() stored. The
// derivative of Coulomb friction is 0 unless coulomb_width is set. Equations: docs/linearisation.md.

/// x' = A x + B u: the deviation from a motion through (q, v) with forces tau, to first order in the deviations of
/// state and forces. The motion itself proceeds: dq is measured from its current configuration.
///   dq' = -ad(v) dq + dv                    ad(v): zero except for ball and free joints
///   dv' = da/dq dq + da/dv dv + M^-1 u      limb_forward_dynamics_derivatives
/// @param A  2 nv x 2 nv (output)
/// @param B  2 nv x nv (output)
/// @return as limb_forward_dynamics_derivatives.
LIMB_NODISCARD LIMB_API limb_status limb_linearise(limb_data* d, const double* q, const double* v, const double* tau,
                                                   const limb_environment* env, double* A, double* B);

/// x' = A x + B (u; 1): the same measured from the fixed state (q, v). The last column of B is the drift there, (v; a).
/// A is that of limb_linearise for robots without ball and free joints; for those it contains -ad(v) / 2 instead of
/// -ad(v), because q exp(dq) is measured from a fixed q.
/// @param A  2 nv x 2 nv (output)
/// @param B  2 nv x (nv + 1); limb_discretise takes it with nv + 1 inputs (output)
/// @return as limb_linearise.
LIMB_NODISCARD LIMB_API limb_status limb_linearise_affine(limb_data* d, const double* q, const double* v,
                                                          const double* tau, const limb_environment* env, double* A,
                                                          double* B);

/// limb_linearise at count states: rows of q (nq each), v and tau (nv each); A and B of consecutive states.
/// @return the first status that is not LIMB_OK; outputs are then unspecified.
LIMB_NODISCARD LIMB_API limb_status limb_linearise_trajectory(limb_data* d, int count, const double* q, const double* v,
                                                              const double* tau, const limb_environment* env, double* A,
                                                              double* B);

/// Numbers of scratch that limb_discretise needs: 6 (nx + nu)^2. 0 if a size is negative or too large.
LIMB_API size_t limb_discretise_work(int nx, int nu);

/// Exact sampling of x' = A x + B u with a zero-order hold (u constant for a time dt):
///   x(dt) = Ad x(0) + Bd u,   Ad = exp(A dt),   Bd = integral from 0 to dt of exp(A s) ds B
/// both from one exponential, of [A B; 0 0] dt. For any linear system, not only robots. O((nx + nu)^3).
/// @param nx    states; A and Ad are nx x nx
/// @param nu    inputs; B and Bd are nx x nu, and may be NULL if nu is 0
/// @param dt    any finite time, also negative [s]
/// @param work  limb_discretise_work(nx, nu) numbers
/// @return LIMB_OK; LIMB_E_ARG (NULL, sizes); LIMB_E_NONFINITE (an input or the result); LIMB_E_UNSUPPORTED (the
///         1-norm of A dt is above 2^26: half of the digits would be lost).
LIMB_NODISCARD LIMB_API limb_status limb_discretise(int nx, int nu, const double* A, const double* B, double dt,
                                                    double* Ad, double* Bd, double* work);

// ---- by the parameters of the geometry ---------------------------------------------------------------
//
//     limb_geometry* g = NULL;
//     if (limb_geometry_create(model, LIMB_FORM_MDH, NULL, &g, &error) != LIMB_OK) return 1;
//     if (limb_geometry_pose_derivative(g, q, tool, LIMB_ALIGNED, J) != LIMB_OK) return 1;   // limb_geometry_count(g)
//     if (limb_geometry_build(g, x, &calibrated, &error) != LIMB_OK) return 1;               // with other values
//
// Derivatives by the lengths, angles and axes of the description: for design and calibration. A parameter is treated as
// the coordinate of a further joint, which is where its elementary transformation stands and does not move: the
// derivatives are those by that coordinate, with the recursions of the first part (Park, Bobrow, Ploen 1995 have them
// in closed form). For trees; the loops of a robot are cut open.

/// Derivatives by geometric parameters, with workspace. Belongs to one thread at a time.
typedef struct limb_geometry limb_geometry;

/// One parameter.
typedef struct limb_geometry_info {
  const char* name; ///< "elbow.alpha"; valid as long as the limb_geometry
  int joint;        ///< index in the model
  int angle;        ///< 1: [rad], 0: [m]
  double value;     ///< in the model
} limb_geometry_info;

/// Finds the parameters of a robot in a form of description (limb_form), joint by joint:
///   POSES  x y z roll pitch yaw of its pose in the parent
///   MDH    gamma b alpha d theta r: modified row of the frame with z on the axis. Rows of a chain have redundant
///          parameters: gamma and b of a row and theta and r of the row before
///   DH     theta d a alpha: standard row; fixed joints as POSES
///   POE    axis_rx axis_ry axis_rz axis_x axis_y axis_z: turn and shift of the screw S, in world axes at q = 0, while
///          the homes stay; home_rx ... home_z: of the home M, in its own axes, while all screws stay. All are 0 in the
///          model. Joints without screw (spherical, universal, planar, free) have none
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (DH: a joint without such a row; more than LIMB_DERIVATIVES_MAX parameters and
///         velocities); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_geometry_create(const limb_model* m, limb_form form,
                                                         const limb_allocator* alloc, limb_geometry** out,
                                                         limb_error* err);
LIMB_API void limb_geometry_destroy(limb_geometry* g); ///< NULL is accepted

LIMB_API int limb_geometry_count(const limb_geometry* g); ///< np; 0 if g is NULL

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_geometry_get(const limb_geometry* g, int index, limb_geometry_info* out);

/// Builds the same robot with other values of the parameters.
/// @param value  np
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NONFINITE; those of limb_builder_build.
LIMB_NODISCARD LIMB_API limb_status limb_geometry_build(const limb_geometry* g, const double* value, limb_model** out,
                                                        limb_error* err);

/// limb_frame_pose: out[p] is the velocity of the frame while parameter p changes at the rate 1. O(n + np).
/// @param out  np (output)
LIMB_NODISCARD LIMB_API limb_status limb_geometry_pose_derivative(limb_geometry* g, const double* q, int frame,
                                                                  limb_ref ref, sp_motion* out);

/// limb_frame_jacobian: out[p nv + j] = dJ_j/dp. O((nv + np)^2).
/// @param out  np x nv motions (output)
LIMB_NODISCARD LIMB_API limb_status limb_geometry_jacobian_derivative(limb_geometry* g, const double* q, int frame,
                                                                      limb_ref ref, sp_motion* out);

/// limb_inverse_dynamics: out(i, p) = d tau_i / dp. O((nv + np) depth).
/// @param out  nv x np (output)
/// @return also LIMB_E_UNSUPPORTED (force laws, more than 256 wrenches).
LIMB_NODISCARD LIMB_API limb_status limb_geometry_torque_derivative(limb_geometry* g, const double* q, const double* v,
                                                                    const double* a, const limb_environment* env,
                                                                    double* out);

#ifdef __cplusplus
}
#endif

#endif
