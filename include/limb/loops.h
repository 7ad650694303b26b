// limb: robot dynamics in C. Closed loops: constraints, mobility, dependent motions, and how dynamics treats them.
//
//     limb_data* d = NULL;                                            // of a robot with loops: they stay closed
//     if (limb_data_create(four_bar, NULL, &d) != LIMB_OK) return 1;
//     if (limb_complete_velocities(d, q, NULL, NULL, v) != LIMB_OK) return 1;
//     if (limb_forward_dynamics(d, q, v, tau, NULL, a) != LIMB_OK) return 1;
//
// A robot with loops is a tree of joints and a list of closures (limb_loop_def in limb/builder.h). The closures are
// constraints on the coordinates of the tree: nc = limb_constraint_count() scalar equations, in the order of the loops,
//
//     phi(q) = s(t)      Psi(q) v = s'(t)      Psi a = s''(t) - Psi' v = gamma       (Psi' here: dPsi/dt)
//
// s is zero except for constraints with prescribed motion. Non-holonomic constraints (rolling, knife edges) begin with
// the second equation. The multipliers lambda are the forces of the closures:
//
//     M a + h + friction + springs = tau + sum J' wrench + Psi' lambda               (Psi' here: the transpose)
//
// lambda acts on frame b of its closure along the constraint, and the opposite on frame a.
//
// Sizes: q nq; v, a, tau nv; constraints nc; Psi nc x nv, row-major. Calls never allocate, lock, print or read the
// locale. Statuses are those of limb/dynamics.h, and LIMB_E_ORDER where a call needs dense matrices and the workspace
// has none (LIMB_LOOPS_DENSE_MAX). Robots without loops are accepted: nc is 0, and every configuration is closed.
//
// Singular cases.
// - A wheel or disc that lies flat (limb/builder.h): LIMB_E_SINGULAR from every call that evaluates constraints.
// - Ranks that cannot be determined: LIMB_E_SINGULAR from every call that needs to know which constraints depend on
//   others (mobility, redundant constraints, independent velocities and what follows from them, dynamics). This
//   happens where q is so far from closing the loops that a small pivot may be due to the gap: the smallest pivot of a
//   cluster is below 1e-4 of the largest (1e-2 if other constraints of the cluster depend on each other), and some
//   residual is above 1e-3 of it. Rotations, positions, and each gear or polynomial have units of their own. Call
//   limb_project first, or widen the tolerance.
// - A pin or weld that is closed the wrong way round (limb_loop_gap) satisfies the equations. Only limb_loop_gap_of and
//   the calls of limb/assemble.h detect it.
//
// Reference: Khalil 2010, sections 2.2 and 4; Ghosal 2010, (12)-(20); docs/loops.md.
#ifndef LIMB_LOOPS_H
#define LIMB_LOOPS_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How constraints are evaluated and solved. Start from limb_default_loop_options(); NULL means these defaults.
typedef struct limb_loop_options {
  size_t size;               ///< sizeof(limb_loop_options), set by the default function
  double time;               ///< of prescribed motions s(t) [s]; default 0
  double tolerance;          ///< a constraint depends on others if elimination leaves less than this share of the
                             ///< largest entry; default 1e-9. Gears and polynomials are scaled to the others first
  const unsigned char* held; ///< nv flags: velocities that limb_project must not change; NULL: none
} limb_loop_options;

LIMB_API limb_loop_options limb_default_loop_options(void);

// ---- the constraints -----------------------------------------------------------------------------------------

/// Results of limb_loop_equations_at. Set the pointers before the call; NULL: not computed.
typedef struct limb_loop_equations {
  double* residual; ///< nc: phi - s(t); zero for non-holonomic constraints
  double* Psi;      ///< nc x nv
  double* rate;     ///< nc: s'(t), which Psi v must equal
  double* gamma;    ///< nc: what Psi a must equal at this v
} limb_loop_equations;

/// The constraints at q; gamma at v. O(n + size of the results).
/// @param v  nv; NULL: at rest
LIMB_NODISCARD LIMB_API limb_status limb_loop_equations_at(limb_data* d, const double* q, const double* v,
                                                           const limb_loop_options* options,
                                                           const limb_loop_equations* out);

/// How far a state is from closing the loops: the largest |phi - s| and the largest |Psi v - s'|, and the loops that
/// they belong to (-1: the robot has none). A pin or weld that is closed the wrong way round counts as a position gap
/// of 2.
typedef struct limb_loop_gap {
  double position, velocity;
  int position_loop, velocity_loop;
} limb_loop_gap;

/// @param v  nv; NULL: positions only
LIMB_NODISCARD LIMB_API limb_status limb_loop_gap_of(limb_data* d, const double* q, const double* v,
                                                     const limb_loop_options* options, limb_loop_gap* out);

// ---- mobility ------------------------------------------------------------------------------------------------

/// Kinds of singular configurations: where a matrix has a smaller rank than at neighbouring closed configurations.
/// Values are pinned. C. Gosselin and J. Angeles, 1990, define the first and second kind; their output frame, without
/// which the first kind is undefined, is here the frames of the closures.
typedef enum limb_singularity {
  LIMB_REGULAR = 0,
  LIMB_SINGULAR_DRIVES = 1,   ///< first kind, serial: a drive moves while the frames of the closures stand still, and
                              ///< they resist any load in some direction
  LIMB_SINGULAR_PLATFORM = 2, ///< second kind, parallel: something moves although the active joints are held, and some
                              ///< motion of the drives is impossible
  LIMB_SINGULAR_BOTH = 3,
  LIMB_SINGULAR_CLOSURE = 4 ///< Psi itself loses rank: branches of motion meet, or the structure is shaky
} limb_singularity;

LIMB_API const char* limb_singularity_name(limb_singularity s); ///< "regular", "drives", "platform", "both", "closure"

/// Mobility of a robot in one configuration.
typedef struct limb_mobility {
  int nv, constraints;
  int rank;                 ///< of Psi
  int gruebler;             ///< nv - constraints: mobility by counting (Gruebler, Kutzbach)
  int mobility;             ///< nv - rank: actual mobility
  int redundant;            ///< constraints - rank
  int idle;                 ///< constraints that no joint ever moves, such as redundant ones of planar mechanisms
  int active, passive;      ///< velocities of joints with and without a motor
  int driven;               ///< motions that the active joints determine
  int undriven;             ///< mobility - driven: motions left when all active joints are held
  int overdriven;           ///< active - driven: motors in excess
  double condition;         ///< of Psi, counting as many singular values as are not zero nearby: distance from
                            ///< LIMB_SINGULAR_CLOSURE; infinite there, up to rounding
  double condition_passive; ///< of the columns of passive joints: distance from LIMB_SINGULAR_PLATFORM
  double condition_active;  ///< of Psi with both sides of each closure apart: distance from LIMB_SINGULAR_DRIVES
  limb_singularity singularity;
} limb_mobility;

/// Mobility and conditioning at q, which must close the loops (not checked: see limb_loop_gap_of). Angles and lengths
/// are not scaled against each other. Cost: cubes of the sizes of the clusters.
LIMB_NODISCARD LIMB_API limb_status limb_mobility_at(limb_data* d, const double* q, const limb_loop_options* options,
                                                     limb_mobility* out);

/// Which constraints are redundant at q: 1 where elimination leaves nothing of a constraint.
/// @param redundant  nc (output)
LIMB_NODISCARD LIMB_API limb_status limb_redundant_constraints(limb_data* d, const double* q,
                                                               const limb_loop_options* options,
                                                               unsigned char* redundant);

// ---- independent and dependent motion ------------------------------------------------------------------------

/// Independent velocities at q, as many as the mobility: active joints are preferred, then pivots of the elimination.
/// The calls below make the same choice if `independent` is NULL.
/// @param independent  nv flags: 1 for an independent velocity (output)
LIMB_NODISCARD LIMB_API limb_status limb_independent_velocities(limb_data* d, const double* q,
                                                                const limb_loop_options* options,
                                                                unsigned char* independent);

/// All velocities from the independent ones: v = G v_i + the part of prescribed motions. (Khalil 2010, (56).)
/// @param independent  nv flags; NULL: limb_independent_velocities
/// @param v            nv: the independent ones are read, the others written (in and out); unchanged on failure
/// @return also LIMB_E_SINGULAR if the flagged velocities depend on each other or do not determine the others, or if
///         constraints contradict each other.
LIMB_NODISCARD LIMB_API limb_status limb_complete_velocities(limb_data* d, const double* q,
                                                             const unsigned char* independent,
                                                             const limb_loop_options* options, double* v);

/// The same for accelerations, at consistent velocities: a = G a_i + g, with Psi a = gamma.
LIMB_NODISCARD LIMB_API limb_status limb_complete_accelerations(limb_data* d, const double* q, const double* v,
                                                                const unsigned char* independent,
                                                                const limb_loop_options* options, double* a);

/// The matrix G.
/// @param count  number of independent velocities, ny (output)
/// @param G      nv x ny, columns in the order of v; capacity nv x nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_velocity_map(limb_data* d, const double* q, const unsigned char* independent,
                                                      const limb_loop_options* options, int* count, double* G);

// ---- dynamics: settings --------------------------------------------------------------------------------------
//
// The calls of limb/dynamics.h and limb/derivatives.h on a limb_data of a robot with loops keep the loops closed.
// What they cannot take as arguments are settings of the limb_data:
//
//     limb_loop_settings s = limb_default_loop_settings();
//     s.solver.method = LIMB_LOOP_METHOD_KKT;
//     s.multipliers = 1;
//     if (limb_set_loops(d, &s) != LIMB_OK) return 1;

/// How inverse dynamics shares forces among more motors than motions: tau at active joints balances the motion with the
/// smallest sum of weight (tau - preferred)^2, within lower <= tau <= upper. Start from limb_default_actuation().
typedef struct limb_actuation {
  size_t size;             ///< sizeof(limb_actuation), set by the default function
  const double* weight;    ///< nv, > 0 at active joints; NULL: 1
  const double* preferred; ///< nv: projected onto the null space; NULL: 0
  const double* lower;     ///< nv, -infinity for none; NULL: none
  const double* upper;     ///< nv, +infinity for none; NULL: none
} limb_actuation;

LIMB_API limb_actuation limb_default_actuation(void);

/// Methods of forward dynamics. Values are pinned.
typedef enum limb_loop_method {
  LIMB_LOOP_METHOD_AUTO = 0,
  LIMB_LOOP_METHOD_CLUSTERS = 1, ///< articulated bodies with clusters as joints: linear in the number of clusters
  LIMB_LOOP_METHOD_SCHUR = 2,    ///< Psi M^-1 Psi', O(n nc^2 + nc^3). Needs dense matrices
  LIMB_LOOP_METHOD_KKT = 3,      ///< all equations at once, O((n + nc)^3): a check. Needs dense matrices
  LIMB_LOOP_METHOD_PROXIMAL =
    4, ///< regularised and iterated, for redundant and singular constraints. Needs dense matrices
  LIMB_LOOP_METHOD_MEXX =
    5, ///< articulated bodies first, multipliers of all closures last: O(n + nc^3). Needs dense matrices
  LIMB_LOOP_METHOD_SEQUENTIAL = 6 ///< sequential regularisation: multipliers iterated, O(n) and O(nc) per iteration
} limb_loop_method;

/// How forward dynamics solves for accelerations and multipliers. Start from limb_default_loop_solver().
typedef struct limb_loop_solver {
  size_t size; ///< sizeof(limb_loop_solver), set by the default function
  limb_loop_options loops;
  limb_loop_method method;
  double alpha, beta;    ///< Baumgarte: Psi a = gamma - 2 alpha (Psi v - s') - beta^2 (phi - s); default 0. See
                         ///< limb_baumgarte; limb_project is exact
  double regularisation; ///< proximal, sequential: relative size; default 1e-6
  int max_iterations;    ///< proximal, sequential; default 50
} limb_loop_solver;

LIMB_API limb_loop_solver limb_default_loop_solver(void);

/// Gains of Baumgarte's stabilisation for the step of an explicit integrator: alpha = beta = 1 / (50 step). Residuals
/// fall to 1/e in 50 steps, without overshoot; docs/loops.md explains why not faster.
/// @return LIMB_OK or LIMB_E_ARG (solver is NULL, a step that is not positive and finite, a gain that overflows).
LIMB_NODISCARD LIMB_API limb_status limb_baumgarte(double step, limb_loop_solver* solver);

/// How a limb_data treats loops. Start from limb_default_loop_settings().
typedef struct limb_loop_settings {
  size_t size;                      ///< sizeof(limb_loop_settings), set by the default function
  limb_loop_solver solver;          ///< of forward dynamics; its tolerance is that of all calls, its time is not used:
                                    ///< limb_environment has the time
  limb_actuation actuation;         ///< of inverse dynamics
  const unsigned char* independent; ///< nv flags: the independent velocities; NULL: chosen in each state, active joints
                                    ///< first. Must live as long as it is set
  int multipliers;                  ///< not 0: limb_loop_details has lambda; default 0
  int report;                       ///< not 0: limb_loop_details has the rest; default 0
} limb_loop_settings;

LIMB_API limb_loop_settings limb_default_loop_settings(void);

/// Changes the settings of d; NULL: the defaults. Without effect for a robot without loops.
/// @return LIMB_OK; LIMB_E_ARG (weights that are not positive, bounds that cross, unknown method, ...);
///         LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_set_loops(limb_data* d, const limb_loop_settings* settings);

/// Findings of the last call of inverse or forward dynamics, or of limb_loop_impulse, also if it failed.
typedef struct limb_loop_details {
  const double* lambda;    ///< nc multipliers, of least norm if constraints are redundant; in the workspace. NULL
                           ///< without the setting `multipliers`
  limb_loop_method method; ///< forward: the method used
  int redundant;           ///< forward: constraints that follow from others, idle ones included
  double residual;         ///< forward: largest |Psi a - gamma|. If constraints contradict each other: of those that
                           ///< do; if ranks cannot be determined: of the configuration, or of redundant constraints
  int loop;                ///< forward: that the residual belongs to; -1: none
  int iterations;          ///< forward: of the proximal and the sequential method
  double unbalanced;       ///< inverse: largest generalised force, along independent velocities, that no motor can
                           ///< balance; 0 for fully driven robots
  int undriven;            ///< inverse: motions that no motor drives
  int overdriven;          ///< inverse: motors in excess
  int bounded;             ///< inverse: forces at a bound
  double pivots;           ///< forward: smallest pivot of the constraints over the largest, of the worst cluster: the
                           ///< distance from a singular configuration, where it vanishes
} limb_loop_details;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_ORDER (no loops, no such call yet, or settings that keep nothing).
LIMB_NODISCARD LIMB_API limb_status limb_get_loop_details(const limb_data* d, limb_loop_details* out);

// limb_inverse_dynamics: tau = G_a^-T G' Gamma_tr, where Gamma_tr are the forces of the spanning tree. q, v and a must
// close the loops (not checked). Passive joints get zero; joints outside all loops get the force that the motion
// needs, motor or not.
// - LIMB_E_SINGULAR if the motion cannot be balanced: an undriven motion that the robot would not make by itself
//   (limb_loop_details.unbalanced), or bounds that leave no solution. tau is then the nearest solution, in least
//   squares along the independent velocities; 1e-9 of the forces at work counts as rounding. Also if ranks cannot be
//   determined; nothing is written then.
// - LIMB_E_NOCONV if the active sets of the bounds do not converge.
// O(n), and cubes of the sizes of the clusters. Reference: Khalil 2010, (55)-(57) corrected.
//
// limb_forward_dynamics: tau of passive joints counts as well. LIMB_LOOP_METHOD_AUTO uses clusters, or Schur's method
// for robots with mimic joints and where a cluster has 64 velocities or more with few constraints; all equations at
// once if these find the mass matrix singular and the workspace has dense matrices (LIMB_LOOPS_DENSE_MAX). Chains whose
// ends are held on the ground or on a platform are eliminated one by one, if only accelerations are requested.
// LIMB_LOOP_METHOD_KKT also solves trees whose own mass matrix is singular.
// - LIMB_E_SINGULAR if the mass matrix is not positive definite along the motions that the loops leave.
// - LIMB_E_SINGULAR if constraints contradict each other: more than ten tolerances of the terms of a constraint are
//   left. LIMB_LOOP_METHOD_PROXIMAL and _SEQUENTIAL return LIMB_E_NOCONV instead, also if they still improve after the
//   last iteration. Baumgarte's terms need not agree with each other while positions and velocities are off by less
//   than 1e-3.
// - LIMB_E_SINGULAR if constraints depend on each other in this configuration only: branches of motion meet, or the
//   structure is shaky, and Psi does not determine how motion continues. Proximal and sequential methods answer, as if
//   the constraints were redundant.
// - LIMB_E_SINGULAR if ranks cannot be determined. Robots whose redundant constraints agree on the surface of the
//   constraints only (Bennett's) need a tolerance of about 1e-3 and projection after each step of an integrator.
// - LIMB_E_UNSUPPORTED for clusters, MEXX and the sequential method with mimic joints; LIMB_E_ORDER for a dense method
//   without dense matrices.
// Reference: Ghosal 2010, (14)-(20); Khalil 2010, (58); R. Featherstone, Rigid body dynamics algorithms, 2008, chapter
// 8; for clusters M. Chignoli et al., 2023.

// ---- dynamics: further results -------------------------------------------------------------------------------

/// A_c and H_c of Khalil 2010, (58): tau_i = A_c a_i + H_c for the independent velocities i, with A_c = G' M G and
/// H_c = G' (M g + h), friction, springs and wrenches included. The independent velocities are those of the settings.
/// @param count  ny (output)
/// @param A      ny x ny; capacity nv x nv (output)
/// @param H      ny; capacity nv (output)
/// @return also LIMB_E_ORDER without dense matrices.
LIMB_NODISCARD LIMB_API limb_status limb_reduced_dynamics(limb_data* d, const double* q, const double* v,
                                                          const limb_environment* env, int* count, double* A,
                                                          double* H);

/// A motion that closes the loops, and the forces of the closures in it.
typedef struct limb_loop_motion {
  const double *q, *v, *a;
  const limb_environment* env; ///< NULL: the default
  const double* lambda;        ///< nc multipliers; NULL: those of inverse dynamics
} limb_loop_motion;

/// Internal loads: what limb_joint_reactions returns, and the wrench of each closure on its frame b, from a. Gears and
/// polynomials act along the axes of their joints and are part of the reactions there, as motors, springs and friction
/// are; their own wrenches are zero.
/// @param ref    of the joints, as in limb_joint_reactions; of the closures: LIMB_ALIGNED, axes of the world at the
///               origin of b; LIMB_BODY, axes of a there, as lambda; LIMB_WORLD, at the world's origin
/// @param joint  one per joint; NULL: not computed (output)
/// @param loop   one per loop; NULL: not computed (output)
LIMB_NODISCARD LIMB_API limb_status limb_loop_loads(limb_data* d, const limb_loop_motion* motion, limb_ref ref,
                                                    sp_force* joint, sp_force* loop);

/// Impact: the velocities after all closures act at once, without rebound: M (v_after - v) = Psi' impulse and
/// Psi v_after = s'. The kinetic energy lost is that of the motion that the closures forbid.
/// @param time     of prescribed motions
/// @param v_after  nv; may be v (output)
/// @param impulse  nc, of least norm; NULL: not computed (output)
/// @return also LIMB_E_SINGULAR as forward dynamics, LIMB_E_ORDER without dense matrices.
LIMB_NODISCARD LIMB_API limb_status limb_loop_impulse(limb_data* d, const double* q, const double* v, double time,
                                                      double* v_after, double* impulse);

/// Results of limb_multiplier_derivatives_at, by the coordinates of the tree at constant time. NULL: not computed.
typedef struct limb_multiplier_derivatives {
  double* lambda;                                 ///< nc
  double *dlambda_dq, *dlambda_dv, *dlambda_dtau; ///< nc x nv
} limb_multiplier_derivatives;

/// Derivatives of the multipliers of forward dynamics; limb_forward_dynamics_derivatives has those of the
/// accelerations. With F = M a + h - tau - Psi' lambda and c = Psi a - gamma, both at constant a and lambda,
///     [M -Psi'; Psi 0] [da; dlambda] = -[dF; dc]
/// O(n^2 + n nc^2 + nc^3); dual numbers provide dF and dc.
/// @return also LIMB_E_SINGULAR if constraints are redundant (other than idle ones): their multipliers have no
///         derivatives; LIMB_E_UNSUPPORTED with Baumgarte's terms; LIMB_E_ORDER without dense matrices.
LIMB_NODISCARD LIMB_API limb_status limb_multiplier_derivatives_at(limb_data* d, const double* q, const double* v,
                                                                   const double* tau, const limb_environment* env,
                                                                   const limb_multiplier_derivatives* out);

#ifdef __cplusplus
}
#endif

#endif
