// limb: robot dynamics in C. Closed loops: their equations, what moves freely, what follows from what.
//
// A robot with loops is a tree of joints and a list of closures (limb_loop_def). The closures are equations,
// or rows, on the coordinates of the tree, limb_row_count of them in the order of the loops:
//
//     phi(q) = s(t)      Psi(q) v = s'(t)      Psi a = s''(t) - Psi' v = gamma       (Psi' here: dPsi/dt)
//
// s is zero but for the rows with a law. Non-holonomic rows (rolling, knife edges) begin with the second
// equation. Forces of the closures, the multipliers, enter as
//
//     M a + h + friction + springs = tau + sum J' wrench + Psi^T lambda
//
// so lambda is what a closure does to its frame b, along the row, and the opposite to its frame a.
//
// Calls work in a workspace of one thread. They never allocate, lock, print or read the locale. Sizes: q nq,
// v a tau nv, rows nc = limb_row_count(), Psi nc x nv row-major. Statuses are those of limb/dynamics.h, and
// LIMB_E_ORDER where a workspace was made for less (LIMB_LOOPS_LINEAR). All calls accept robots without
// loops: nc is 0 then.
//
// All calls that look at the rows return LIMB_E_SINGULAR where a wheel or disc lies flat (limb/builder.h).
// Calls that decide which rows depend on others (mobility, redundant rows, independent velocities and what
// follows from them, dynamics) return it also when that cannot be told: so near a singularity, or rows that
// agree on the surface of the constraints only (Bennett's), with q so far from closing the loops that what
// is left of a row may be due to that. Project first (limb_project), or widen the tolerance. In figures: the
// least pivot of a group of loops that share joints is below 1e-4 of the greatest (1e-2 where other rows of
// it depend on each other), and some residual is above 1e-3 of it; rows of turns, of places, and of each
// gear or polynomial have units of their own.
// Places that close the loops only because a pin or weld is turned round (limb_loop_gap) are taken as they
// are: none of the calls but limb_loop_gap_of and those of limb/assemble.h looks for that.
// Reference: Khalil 2010, sections 2.2 and 4; Ghosal 2010, (12)-(20); docs/loops.md.
#ifndef LIMB_LOOPS_H
#define LIMB_LOOPS_H

#include "limb/derivatives.h"
#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Workspace of one thread for robots with loops.
typedef struct limb_loops limb_loops;

/// What a workspace is for. Values are pinned.
typedef enum limb_loops_use {
  LIMB_LOOPS_LINEAR = 0, ///< memory linear in the robot, quadratic only in the largest group of loops that
                         ///< share joints: everything but what is said to need LIMB_LOOPS_DENSE
  LIMB_LOOPS_DENSE = 1   ///< also what needs matrices of the whole robot: 8 (nv + nc)^2 bytes, some times
} limb_loops_use;

/// Bytes that limb_loops_init needs. 0 for NULL or a use that is none.
LIMB_API size_t limb_loops_size(const limb_model* m, limb_loops_use use);

/// Lays a workspace out in caller memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, no such use);
///         LIMB_E_NOMEM (size too small); LIMB_E_SINGULAR (a wheel or disc that lies flat wherever the
///         joints are); LIMB_E_NONFINITE (rows that overflow).
/// Which rows no joint moves anywhere is found here, at configurations taken at random.
LIMB_NODISCARD LIMB_API limb_status limb_loops_init(const limb_model* m, limb_loops_use use, void* memory, size_t size,
                                                    limb_loops** out);

/// Convenience: allocates (alloc NULL: malloc) and initialises. Free with limb_loops_destroy.
/// @return LIMB_OK; LIMB_E_ARG (NULL, half an allocator, no such use); LIMB_E_NOMEM; LIMB_E_SINGULAR and
///         LIMB_E_NONFINITE as limb_loops_init.
LIMB_NODISCARD LIMB_API limb_status limb_loops_create(const limb_model* m, limb_loops_use use,
                                                      const limb_allocator* alloc, limb_loops** out);

/// Ends a workspace, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_loops_destroy(limb_loops* w);

LIMB_API const limb_model* limb_loops_model(const limb_loops* w); ///< NULL for NULL

/// How a call goes about constraints. Start from limb_default_loop_options(); NULL stands for the defaults.
typedef struct limb_loop_options {
  size_t size;               ///< sizeof(limb_loop_options), set by the default function
  double time;               ///< of the laws s(t) [s]; default 0
  double tolerance;          ///< rows count as dependent when no more is left of them than this share of the largest
                             ///< entry; default 1e-9. Gears and polynomials are scaled to the others before
  const unsigned char* held; ///< nv marks: what limb_project leaves as it is; NULL: nothing
} limb_loop_options;

static inline limb_loop_options limb_default_loop_options(void)
{
  const limb_loop_options o = {sizeof(limb_loop_options), 0, 1e-9, NULL};
  return o;
}

// ---- the equations --------------------------------------------------------------------------------

/// Where the equations go; NULL: not wanted.
typedef struct limb_loop_equations {
  double* residual; ///< nc: phi - s(t); zero for non-holonomic rows
  double* Psi;      ///< nc x nv
  double* rate;     ///< nc: s'(t), what Psi v has to be
  double* gamma;    ///< nc: what Psi a has to be at this v
} limb_loop_equations;

/// The equations at q, and at v for gamma. O(n + size of what is asked for).
/// @param v  nv; NULL: at rest
LIMB_NODISCARD LIMB_API limb_status limb_loop_equations_at(limb_loops* w, const double* q, const double* v,
                                                           const limb_loop_options* options,
                                                           const limb_loop_equations* out);

/// How far a state is from closing the loops: the largest |phi - s|, the largest |Psi v - s'|, and the loop
/// that each belongs to (-1: no loops). A pin or weld that is turned the wrong way round (its rows vanish
/// there, too) counts with a residual of 2.
typedef struct limb_loop_gap {
  double place, velocity;
  int place_loop, velocity_loop;
} limb_loop_gap;

/// @param v  nv; NULL: places only
LIMB_NODISCARD LIMB_API limb_status limb_loop_gap_of(limb_loops* w, const double* q, const double* v,
                                                     const limb_loop_options* options, limb_loop_gap* out);

// ---- what moves ----------------------------------------------------------------------------------------

/// Where a robot stands still against its own construction: less rank here than next to here, where the loops
/// close as well. Values are pinned. Gosselin and Angeles, 1990, speak of the first and the second kind;
/// their output, without which the first kind has no meaning, is the frames of the closures here.
typedef enum limb_singularity {
  LIMB_REGULAR = 0,
  LIMB_SINGULAR_DRIVES = 1,   ///< serial, first kind: some drive moves while the frames of the closures stand
                              ///< still, and they resist any load in some direction
  LIMB_SINGULAR_PLATFORM = 2, ///< parallel, second kind: something moves though the active joints are held, and
                              ///< some motion of the drives is impossible
  LIMB_SINGULAR_BOTH = 3,
  LIMB_SINGULAR_CLOSURE = 4 ///< Psi has less rank: branches of motion meet, or a structure is shaky
} limb_singularity;

/// Mobility of a robot at a configuration.
typedef struct limb_mobility {
  int nv, rows;
  int rank;                 ///< of Psi
  int gruebler;             ///< nv - rows: what counting says (Gruebler, Kutzbach)
  int mobility;             ///< nv - rank: what moves
  int redundant;            ///< rows - rank
  int idle;                 ///< rows that no joint moves, anywhere: redundant ones of planar mechanisms, say
  int active, passive;      ///< velocities of joints with and without motor
  int driven;               ///< how many of the motions the active joints determine
  int undriven;             ///< mobility - driven: motions left when all active joints are held
  int overdriven;           ///< active - driven: more motors than motions
  double condition;         ///< of Psi: largest singular value over the last that counts next to here: how near
                            ///< LIMB_SINGULAR_CLOSURE; infinite there, or nearly so
  double condition_passive; ///< of its columns of the passive joints: LIMB_SINGULAR_PLATFORM
  double condition_active;  ///< of Psi with the rows of both sides of a closure apart: LIMB_SINGULAR_DRIVES
  limb_singularity singularity;
} limb_mobility;

/// Mobility and conditioning at q, which should close the loops, and no pin or weld turned round
/// (limb_loop_gap_of): neither is looked at here. Angles and lengths are taken as they are.
/// @return also LIMB_E_SINGULAR: see the head of this file.
/// Cost O(sum of cubes of the groups of loops that share joints).
LIMB_NODISCARD LIMB_API limb_status limb_mobility_at(limb_loops* w, const double* q, const limb_loop_options* options,
                                                     limb_mobility* out);

/// Which rows are redundant at q, in terms of the others: 1 where elimination found nothing left of a row.
/// @param redundant  nc (output)
LIMB_NODISCARD LIMB_API limb_status limb_redundant_rows(limb_loops* w, const double* q,
                                                        const limb_loop_options* options, unsigned char* redundant);

// ---- what follows from what --------------------------------------------------------------------------

/// Independent velocities at q: as many as the mobility, chosen among active joints first, then where the
/// equations are solved best. The same choice is used by the calls below, with `independent` NULL.
/// @param independent  nv marks: 1 for an independent velocity (output)
LIMB_NODISCARD LIMB_API limb_status limb_independent_velocities(limb_loops* w, const double* q,
                                                                const limb_loop_options* options,
                                                                unsigned char* independent);

/// All velocities from the independent ones: v = G v_i + what laws add. (Khalil 2010, (56).)
/// @param v    nv: the independent ones are read, the others written (in and out)
/// @param independent  nv marks; NULL: limb_independent_velocities
/// @return also LIMB_E_SINGULAR when the marked ones do not determine the others, or not freely, or when rows
///         contradict each other. v is left as it was then.
LIMB_NODISCARD LIMB_API limb_status limb_complete_velocities(limb_loops* w, const double* q,
                                                             const unsigned char* independent,
                                                             const limb_loop_options* options, double* v);

/// The same for accelerations, at consistent velocities: a = G a_i + g, Psi a = gamma.
LIMB_NODISCARD LIMB_API limb_status limb_complete_accelerations(limb_loops* w, const double* q, const double* v,
                                                                const unsigned char* independent,
                                                                const limb_loop_options* options, double* a);

/// The matrix G itself.
/// @param count  number of independent velocities, ny (output)
/// @param G      nv x ny, ny in the order of v (output); room for nv x nv
LIMB_NODISCARD LIMB_API limb_status limb_velocity_map(limb_loops* w, const double* q, const unsigned char* independent,
                                                      const limb_loop_options* options, int* count, double* G);

// ---- dynamics ---------------------------------------------------------------------------------------
//
// Dynamics of robots with closed loops: which torques, which motion, which loads.
//
//     M a + h + friction + springs = tau + sum J' wrench + Psi^T lambda,     Psi a = gamma
//
// with Psi, gamma and lambda of limb/loops.h. tau is zero at passive joints in inverse dynamics, and whatever
// is given in forward dynamics. Workspaces, sizes and statuses as there.

// ---- inverse dynamics ---------------------------------------------------------------------------------

/// How torques are shared when there are more motors than motions: the tau at active joints that balance the
/// motion with the least sum of weight (tau - preferred)^2, and lower <= tau <= upper. Start from
/// limb_default_actuation(); NULL stands for that.
typedef struct limb_actuation {
  size_t size;             ///< sizeof(limb_actuation), set by the default function
  const double* weight;    ///< nv, > 0 at active joints; NULL: 1
  const double* preferred; ///< nv: tau = preferred where nothing speaks against it (null space); NULL: 0
  const double* lower;     ///< nv, -infinity for none; NULL: none
  const double* upper;     ///< nv, +infinity for none; NULL: none
} limb_actuation;

static inline limb_actuation limb_default_actuation(void)
{
  const limb_actuation o = {sizeof(limb_actuation), NULL, NULL, NULL, NULL};
  return o;
}

/// A motion of the tree: q and v close the loops, and a does (limb_complete_accelerations). Whether they do
/// is not looked at (limb_loop_gap_of), but where ranks depend on it (limb/loops.h).
typedef struct limb_closed_motion {
  const double *q, *v, *a;
  const limb_environment* env; ///< NULL: the default
} limb_closed_motion;

/// Where inverse dynamics goes; what is NULL is not wanted.
typedef struct limb_closed_forces {
  double* tau;       ///< nv: at active joints; zero at passive ones
  double* tree;      ///< nv: Gamma_tr, what the tree without closures would need
  double* lambda;    ///< nc: of least norm where rows are redundant
  double unbalanced; ///< largest generalised force that no motor can balance, along the independent
                     ///< velocities; 0 for robots that are driven throughout (output)
  int undriven;      ///< motions that no motor reaches (output)
  int overdriven;    ///< motors in excess (output)
  int bounded;       ///< torques that are at a bound (output)
  int as_tree;       ///< not 0: a joint that no loop ties gets the force that the motion needs, motor or not
} limb_closed_forces;

/// Inverse dynamics: Gamma_c = G' Gamma_tr.
/// @return also LIMB_E_SINGULAR when the motion cannot be balanced: a robot with undriven motions that would
///         not move like that by itself (unbalanced says by how much), or bounds that leave no torques.
///         Also where ranks cannot be told (limb/loops.h); then nothing is written. Outputs are otherwise
///         those that come nearest, in least squares along the independent velocities; 1e-9 of the forces at
///         work counts as rounding. LIMB_E_ARG for a weight that is not positive or bounds that cross;
///         LIMB_E_NOCONV should bounds not be sorted out, which has not been seen.
/// O(n), and cubes of the groups of loops that share joints. Reference: Khalil 2010, (55)-(57) corrected.
LIMB_NODISCARD LIMB_API limb_status limb_closed_inverse_dynamics(limb_loops* w, const limb_closed_motion* in,
                                                                 const limb_actuation* actuation,
                                                                 const limb_loop_options* options,
                                                                 limb_closed_forces* out);

/// A_c and H_c of Khalil 2010, (58): tau_i = A_c a_i + H_c for the independent velocities i, with
/// A_c = G' M G and H_c = G' (M g + h), friction, springs and wrenches included. in->a is not read.
/// @param independent  nv marks; NULL: limb_independent_velocities
/// @param count  ny (output)
/// @param A      ny x ny; room for nv x nv (output)
/// @param H      ny; room for nv (output)
/// Needs LIMB_LOOPS_DENSE.
LIMB_NODISCARD LIMB_API limb_status limb_closed_reduced_dynamics(limb_loops* w, const limb_closed_motion* in,
                                                                 const unsigned char* independent,
                                                                 const limb_loop_options* options, int* count,
                                                                 double* A, double* H);

/// Internal loads of a motion with its multipliers: the six-axis wrench that every joint transmits, and every
/// closure. (limb_joint_reactions with the closures' wrenches acting.) Gears and polynomials act along the
/// axes of their joints, and are part of what these transmit there, as motors, springs and friction are.
/// @param lambda  nc
/// @param ref     of the joints, as in limb_joint_reactions
/// @param joint   one per joint (output; NULL: not wanted)
/// @param loop    one per loop: the wrench on frame b, from a; axes of a at the origin of b. Gears and
///                polynomials, which are not wrenches: zero (output; NULL: not wanted)
LIMB_NODISCARD LIMB_API limb_status limb_closed_loads(limb_loops* w, const limb_closed_motion* in, const double* lambda,
                                                      limb_ref ref, const limb_loop_options* options, sp_force* joint,
                                                      sp_force* loop);

// ---- forward dynamics -----------------------------------------------------------------------------------

/// Ways to the same answer. Values are pinned.
typedef enum limb_closed_method {
  LIMB_CLOSED_AUTO = 0,
  LIMB_CLOSED_CLUSTERS = 1, ///< articulated bodies with groups of loops as joints: linear in the number of groups
  LIMB_CLOSED_SCHUR = 2,    ///< Psi M^-1 Psi^T, O(n m^2 + m^3). Needs LIMB_LOOPS_DENSE
  LIMB_CLOSED_KKT = 3,      ///< all equations at once, O((n + m)^3): a check. Needs LIMB_LOOPS_DENSE
  LIMB_CLOSED_PROXIMAL = 4  ///< regularised, iterated until the rows hold: for redundant and singular ones. Needs
                            ///< LIMB_LOOPS_DENSE
} limb_closed_method;

/// Start from limb_default_closed_options(); NULL stands for that.
typedef struct limb_closed_options {
  size_t size; ///< sizeof(limb_closed_options), set by the default function
  limb_loop_options loops;
  limb_closed_method method;
  double alpha,
    beta;                ///< Baumgarte: Psi a = gamma - 2 alpha (Psi v - s') - beta^2 (phi - s); default 0.
                         ///< limb_baumgarte chooses them; limb_project is the exact way
  double regularisation; ///< proximal: relative size; default 1e-6
  int iterations;        ///< proximal: most; default 50
} limb_closed_options;

static inline limb_closed_options limb_default_closed_options(void)
{
  const limb_closed_options o = {
    sizeof(limb_closed_options), {sizeof(limb_loop_options), 0, 1e-9, NULL}, LIMB_CLOSED_AUTO, 0, 0, 1e-6, 50};
  return o;
}

/// Gains from the step of an explicit integrator: alpha = beta = 1 / (50 step). Residuals fall to 1/e in 50
/// steps, without overshoot; docs/loops.md says why not faster.
/// @return LIMB_OK or LIMB_E_ARG (o is NULL, a step that is not positive and finite, or too small for a
///         finite gain).
LIMB_NODISCARD LIMB_API limb_status limb_baumgarte(double step, limb_closed_options* o);

/// How it went.
typedef struct limb_closed_report {
  limb_closed_method method; ///< the one that was used
  int redundant;             ///< rows that others imply, idle ones too (limb_mobility): lambda is of least norm
  double residual;           ///< largest |Psi a - gamma|; of rows that contradict each other when some do. When ranks
                             ///< are not to be trusted: residual of the place, or how much redundant rows disagree
  int loop;                  ///< that it belongs to; -1: no loops
  int iterations;            ///< proximal
} limb_closed_report;

/// Forward dynamics. in->a is not read.
/// @param tau     nv, passive joints included
/// @param a       nv (output)
/// @param lambda  nc; NULL: not wanted (output)
/// @param report  NULL: not wanted (output)
/// @return also LIMB_E_SINGULAR when
///         - the mass matrix is not positive definite along the motions that the loops leave;
///         - rows contradict each other: more than ten tolerances of what a row is made of are left, in a
///           group of loops that share joints. LIMB_E_NOCONV instead from LIMB_CLOSED_PROXIMAL, which also
///           ends so when the rows still come nearer after the last iteration. Baumgarte's terms need not
///           agree with each other while places and velocities are off by less than 1e-3;
///         - rows depend on each other here only: branches of motion meet, or a structure is shaky. Psi does
///           not say which way it goes on. LIMB_CLOSED_PROXIMAL answers there, as if rows were redundant;
///         - ranks cannot be told at this distance from the surface of the constraints (limb/loops.h).
///         The report has loop and residual of the last three. LIMB_E_UNSUPPORTED: clusters with mimic
///         joints.
/// LIMB_CLOSED_AUTO takes clusters, or Schur's method (LIMB_LOOPS_DENSE) for robots with mimic joints, and
/// articulated bodies without loops; all equations at once when these find the mass matrix singular and the
/// workspace is LIMB_LOOPS_DENSE. LIMB_CLOSED_KKT also takes trees whose own mass matrix is singular.
/// States between the steps of an integrator are a little off: robots whose redundant rows agree on the
/// surface of the constraints only (Bennett's) then need a wider tolerance, 1e-3 say, and projection after
/// the step. A pin or weld that is turned round (limb_loop_gap) is not noticed.
/// Reference: Ghosal 2010, (14)-(20); Khalil 2010, (58); R. Featherstone, Rigid body dynamics algorithms, 2008,
/// chapter 8; for groups of loops as joints M. Chignoli et al., 2023.
LIMB_NODISCARD LIMB_API limb_status limb_closed_forward_dynamics(limb_loops* w, const limb_closed_motion* in,
                                                                 const double* tau, const limb_closed_options* options,
                                                                 double* a, double* lambda, limb_closed_report* report);

/// Impact: velocities after the closures act at once, without rebound: M (v_after - v) = Psi^T impulse,
/// Psi v_after = s'. The loss of kinetic energy is that of the motion that the closures forbid.
/// @param options  of them, only loops matters
/// @param v_after  nv; may be v (output)
/// @param impulse  nc, of least norm; NULL: not wanted (output)
/// @return also LIMB_E_SINGULAR: M is not positive definite, rows contradict each other, depend on each other
///         here only, or q is too far from closing the loops, as limb_closed_forward_dynamics.
/// Needs LIMB_LOOPS_DENSE.
LIMB_NODISCARD LIMB_API limb_status limb_closed_impulse(limb_loops* w, const double* q, const double* v,
                                                        const limb_closed_options* options, double* v_after,
                                                        double* impulse, limb_closed_report* report);

// ---- settings of a workspace, and what a call found out -------------------------------------------------

/// How a limb_data computes with loops. Start from limb_default_loop_settings().
typedef struct limb_loop_settings {
  size_t size;                      ///< sizeof(limb_loop_settings), set by the default function
  limb_closed_options forward;      ///< method, tolerance, stabilisation; its time is that of the environment
  limb_actuation actuation;         ///< how motors in excess share the forces
  const unsigned char* independent; ///< nv marks: which velocities are independent; NULL: chosen for each state,
                                    ///< active joints first. Must live as long as it is set
  int multipliers;                  ///< not 0: inverse and forward dynamics keep lambda in limb_loop_details; default 0
  int report;                       ///< not 0: and the rest of it; default 0
} limb_loop_settings;

LIMB_API limb_loop_settings limb_default_loop_settings(void);

/// Sets how d computes with loops; NULL: the defaults. Does nothing for a robot without loops.
/// @return LIMB_OK; LIMB_E_ARG, LIMB_E_NONFINITE (settings that make no sense).
LIMB_NODISCARD LIMB_API limb_status limb_set_loops(limb_data* d, const limb_loop_settings* settings);

/// What the last inverse or forward dynamics call found out.
typedef struct limb_loop_details {
  const double* lambda;      ///< nc multipliers, of least norm where rows are redundant; in the workspace. NULL:
                             ///< settings without multipliers
  limb_closed_method method; ///< forward: the one that was used
  int redundant;             ///< forward: rows that others imply
  double residual;           ///< forward: largest |Psi a - gamma|
  int loop;                  ///< forward: that it belongs to; -1: none
  int iterations;            ///< forward: of the proximal method
  double unbalanced;         ///< inverse: largest generalised force that no motor can balance
  int undriven;              ///< inverse: motions that no motor reaches
  int overdriven;            ///< inverse: motors in excess
  int bounded;               ///< inverse: torques at a bound
  double pivots;             ///< forward: smallest pivot of the constraints over the largest, of the worst cluster: the
                             ///< distance from a singular configuration, where it vanishes
} limb_loop_details;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_ORDER (no loops, no such call yet, or settings that keep nothing).
LIMB_NODISCARD LIMB_API limb_status limb_get_loop_details(const limb_data* d, limb_loop_details* out);

/// limb_joint_reactions, and the wrench of each closure on its frame b, from a: axes of a at the origin of b; zero for
/// gears and polynomials, which are no wrenches.
/// @param joint  one per joint; NULL: not wanted (output)
/// @param loop   one per loop; NULL: not wanted (output)
LIMB_NODISCARD LIMB_API limb_status limb_loop_loads(limb_data* d, const double* q, const double* v, const double* a,
                                                    const limb_environment* env, limb_ref ref, sp_force* joint,
                                                    sp_force* loop);

/// The workspace of limb/loops.h inside d, for the calls there and in limb/assemble.h; NULL for a robot without loops.
LIMB_API limb_loops* limb_data_loops(limb_data* d);

// ---- derivatives (limb/derivatives.h: along the tangent; what is held fixed) ----------------------------

/// Where derivatives of forward dynamics go; NULL: not wanted. Time is held.
typedef struct limb_closed_derivatives {
  double* a;                                      ///< nv
  double* lambda;                                 ///< nc
  double *da_dq, *da_dv, *da_dtau;                ///< nv x nv
  double *dlambda_dq, *dlambda_dv, *dlambda_dtau; ///< nc x nv
} limb_closed_derivatives;

/// Derivatives of limb_closed_forward_dynamics by the coordinates of the tree, through the constraints: with
/// F = M a + h - tau - Psi^T lambda and c = Psi a - gamma, both at fixed a and lambda,
///     [M -Psi^T; Psi 0] [da; dlambda] = -[dF; dc]
/// Where rows are redundant (but not idle), those of the robot that has the independent rows only: the same
/// along motions that keep the loops closed. Multipliers have no derivatives there (LIMB_E_SINGULAR when they
/// are asked for). Without Baumgarte's terms (LIMB_E_ARG). in->a is not read. O(n^2 + n m^2 + m^3); dual
/// numbers carry dF and dc. Needs LIMB_LOOPS_DENSE.
/// @param dual  workspace for vectors of the same model
LIMB_NODISCARD LIMB_API limb_status limb_closed_forward_dynamics_derivatives(limb_loops* w, limb_dual* dual,
                                                                             const limb_closed_motion* in,
                                                                             const double* tau,
                                                                             const limb_closed_options* options,
                                                                             const limb_closed_derivatives* out);

/// Where derivatives of inverse dynamics go; columns: the independent velocities, ny of them. NULL: not
/// wanted.
typedef struct limb_closed_inverse_derivatives {
  double* tau;         ///< nv
  double* dtau_dy;     ///< nv x ny: by independent coordinates, the loops staying closed
  double* dtau_dydot;  ///< nv x ny: by their velocities
  double* dtau_dyddot; ///< nv x ny: by their accelerations
} limb_closed_inverse_derivatives;

/// Derivatives of limb_closed_inverse_dynamics with the least-norm sharing, along motions that keep the loops
/// closed: q, v and a of the tree are functions of y, y', y''. Of in->a, only the independent entries are
/// read. Needs LIMB_LOOPS_DENSE.
/// @param independent  nv marks; NULL: limb_independent_velocities
/// @param count        ny (output)
/// @return also LIMB_E_SINGULAR for robots with undriven motions, and when the marked velocities do not
///         determine the others.
LIMB_NODISCARD LIMB_API limb_status limb_closed_inverse_dynamics_derivatives(
  limb_loops* w, limb_dual* dual, const limb_closed_motion* in, const unsigned char* independent,
  const limb_loop_options* options, int* count, const limb_closed_inverse_derivatives* out);

#ifdef __cplusplus
}
#endif

#endif
