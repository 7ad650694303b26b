// limb: robot dynamics in C. Verification: quantities computed by independent formulations, and their differences.
//
//     limb_verification* v = NULL;
//     limb_verify_result r;
//     if (limb_verify(model, NULL, &v, NULL) != LIMB_OK) return 1;
//     for (int k = 0; limb_verification_get(v, k, &r) == LIMB_OK; k++) puts(limb_verdict_name(r.verdict));
//
// A check computes one quantity in two ways that share as little as possible, in random states of the robot, and
// reports the largest difference, relative to the size of the quantity or of the terms of which it is the sum.
//
// This header belongs to the library limb_study, except for the reference formulations at its end.
#ifndef LIMB_VERIFY_H
#define LIMB_VERIFY_H

#include "limb/batch.h"
#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- all checks at once ----------------------------------------------------------------------------

/// Start from limb_default_verify().
typedef struct limb_verify_options {
  size_t size;                   ///< sizeof(limb_verify_options), set by the default function
  int states;                    ///< number of random states; default 100. Checks whose cost grows with powers of the
                                 ///< size of the robot use fewer
  uint64_t seed;                 ///< of the random states; default 1
  double tolerance;              ///< largest relative difference; default 1e-9. Larger for finite differences, and if
                                 ///< the mass matrix is ill-conditioned
  const limb_environment* env;   ///< gravity and friction; default NULL: limb_default_environment. Wrenches are ignored
  const char* const* quantities; ///< only checks of these (limb_verify_result.quantity), ends with NULL; default
                                 ///< NULL: all
  void (*progress)(void* context, uint64_t done, uint64_t total); ///< called before each check; default NULL
  void* context;                                                  ///< of progress
} limb_verify_options;

LIMB_API limb_verify_options limb_default_verify(void);

typedef enum limb_verdict {
  LIMB_VERDICT_OK = 0,
  LIMB_VERDICT_FAILED = 1,         ///< the difference is above the tolerance, or a call failed
  LIMB_VERDICT_NOT_APPLICABLE = 2, ///< the check does not exist for this robot
  LIMB_VERDICT_SKIPPED = 3         ///< too expensive for a robot of this size
} limb_verdict;

/// "ok", "FAILED", "not applicable", "skipped"
LIMB_API const char* limb_verdict_name(limb_verdict verdict);

/// One check.
typedef struct limb_verify_result {
  const char* quantity; ///< names of quantities (limb/quantities.h), as "tau" or "acc, lambda"
  const char* first;    ///< the first formulation: "RNEA" ...
  const char* second;   ///< the second: "Lie-group recursion"
  const char* kind;     ///< of tolerance: "algebra", "inverse" (of M), "differences" (finite)
  limb_verdict verdict;
  const char* reason; ///< why there is no difference; "": there is one
  double difference;  ///< the largest
  double tolerance;
  int state;          ///< number, from 1, of the state with the largest difference or a failed call
  int states;         ///< number of states in which the check was made
  int singular;       ///< number of states in which it was not made: a matrix was singular, or no step of differences
                      ///< was both short and long enough
  limb_status status; ///< of the calls
} limb_verify_result;

/// The results of all checks.
typedef struct limb_verification limb_verification;

typedef struct limb_verify_summary {
  int checks;       ///< number of results
  int failed;       ///< verdicts LIMB_VERDICT_FAILED
  int complete;     ///< 1: every check that applies was made, in all states
  double condition; ///< largest condition number of the mass matrix found; 0: unknown
  sp_vec3 gravity;  ///< of all checks [m/s^2]
  double open;      ///< how far the loops stay open where they are closed best [m, rad]; 0: no loops
} limb_verify_summary;

/// Runs all checks. Most of them use the spanning tree; those of loops use states that close the loops: near the start
/// configuration, with random independent velocities and accelerations. Allocates. Cost: number of states times that of
/// the checks.
/// @param options  NULL: the defaults
/// @param out      NULL on failure (output)
/// @param err      the loop that does not close; NULL: not needed (output)
/// @return LIMB_OK, also if checks failed; LIMB_E_ARG; LIMB_E_NOMEM; LIMB_E_NOCONV (no configuration that closes the
///         loops was found).
LIMB_NODISCARD LIMB_API limb_status limb_verify(const limb_model* m, const limb_verify_options* options,
                                                limb_verification** out, limb_error* err);

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_verification_get(const limb_verification* v, int index,
                                                          limb_verify_result* out);
LIMB_API limb_verify_summary limb_verification_summary(const limb_verification* v);
LIMB_API void limb_verification_destroy(limb_verification* v); ///< NULL is accepted

// ---- the reference formulations --------------------------------------------------------------------
//
// Dynamics in the form of the papers: Lynch and Park 2017, Khalil 2010, Park, Bobrow, Ploen 1995, and Kane's equations,
// line by line, as corrected in docs/books.md. They use the robot as described, without merging, lowering, re-framing
// or regrouping, with all joint types and mimic joints. They allocate unless stated otherwise, and are written for
// clarity, not for speed. Threads may share the model. Statuses are those of limb/dynamics.h, and LIMB_E_NOMEM. This
// part belongs to the library limb.

/// Inverse dynamics in body twists (Ad, ad): Lynch and Park 2017, (9.53)-(9.61);
/// Park, Bobrow, Ploen 1995, (22)-(27), for trees.
/// @param reactions  the wrench on each body by its joint, in the axes and at the origin of the body: one per body
///                   (zero for the world); NULL: not computed (output)
LIMB_NODISCARD LIMB_API limb_status limb_reference_inverse_dynamics(const limb_model* m, const double* q,
                                                                    const double* v, const double* a,
                                                                    const limb_environment* env, double* tau,
                                                                    sp_force* reactions);

/// Inverse dynamics by Kane's equations: partial velocities of the centres of mass and partial angular velocities of
/// the bodies, generalised active and inertia forces. Kane and Levinson 1985, 6.1. O(n depth) time.
LIMB_NODISCARD LIMB_API limb_status limb_reference_kane(const limb_model* m, const double* q, const double* v,
                                                        const double* a, const limb_environment* env, double* tau);

/// Closed form of Lynch and Park 2017, (9.82)-(9.84): M = A' L' G L A, c and g by stacked matrices. NULL: not computed.
/// O(n^3) time, O(n^2) memory.
/// @param M  nv x nv, with rotor inertias (output)
/// @param c  nv: C v, and the forces of a moving base (output)
/// @param g  nv: gravity forces alone (output)
LIMB_NODISCARD LIMB_API limb_status limb_reference_closed_form(const limb_model* m, const double* q, const double* v,
                                                               const limb_environment* env, double* M, double* c,
                                                               double* g);

/// The matrices of the closed form, Lynch and Park 2017, (9.62)-(9.82). Set the pointers before the call; NULL: not
/// computed. Bodies are the n of limb_described_bodies, in their order: rows 6 k to 6 k + 5 belong to the k-th, angular
/// first, in its own axes at its origin. Row-major.
typedef struct limb_factors {
  double* A;     ///< 6n x nv: the axes A_i in body axes, on the diagonal. Park, Bobrow, Ploen 1995 call it S, (47)
  double* S;     ///< 6n x nv: the screw axes S_i = Ad_(M_i) A_i in world axes at home (9.40); their A, (41)
  double* G;     ///< 6n x 6n: the inertias G_i on the diagonal; their J, (48)
  double* Gamma; ///< 6n x 6n: Ad of T_(i,p) in the block of body i and its parent p
  double* L;     ///< 6n x 6n: (1 - Gamma)^-1; their G, (49)
  double* ad_Av; ///< 6n x 6n: ad of A_i v_i on the diagonal (9.67). Needs v
  double* ad_V;  ///< 6n x 6n: ad of V_i on the diagonal (9.66), with the motion of the base. Needs v
} limb_factors;

/// M = A' L' G L A, without rotors, and c = A' L' (-G L ad_Av Gamma - ad_V' G) L A v for a base at rest. Does not
/// allocate.
/// @param v     NULL: none of the matrices that need it are computed
/// @param work  limb_reference_factors_work() numbers of scratch
/// @return also LIMB_E_ARG (a matrix that needs v, without v).
LIMB_NODISCARD LIMB_API limb_status limb_reference_factors(const limb_model* m, const double* q, const double* v,
                                                           const limb_environment* env, double* work,
                                                           const limb_factors* out);

/// 19 per body. 0 if m is NULL.
LIMB_API size_t limb_reference_factors_work(const limb_model* m);

/// Articulated bodies: Ghosal 2010, (46)-(50), Khalil 2010, (32)-(40), both corrected, with all forces given. The
/// wrench that the joint of body i transmits to it is f_i = IA_i a_i + p_i, whatever the acceleration a_i of the body
/// (spatial, less gravity), if all joints beyond have the forces tau. In the axes and at the origin of each body. Does
/// not allocate. O(n).
/// @param tau   nv
/// @param work  limb_reference_articulated_work() numbers of scratch
/// @param IA    36 numbers per body, row-major, the world first; NULL: not computed (output)
/// @param p     one per body; NULL: not computed (output)
/// @return also LIMB_E_UNSUPPORTED (mimic joints); LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_reference_articulated(const limb_model* m, const double* q, const double* v,
                                                               const double* tau, const limb_environment* env,
                                                               double* work, double* IA, sp_force* p);

/// 0 if m is NULL.
LIMB_API size_t limb_reference_articulated_work(const limb_model* m);

/// Known and unknown joints, Khalil 2010, (72)-(82) and, without known joints, (36)-(43), corrected: the results of
/// limb_hybrid_dynamics (limb/dynamics.h) by Khalil's classical accelerations. Joints with several columns have a
/// matrix H_j instead of a number.
/// @param given  nv marks; NULL: limb_given_for_passive
/// @param x      nv: the given accelerations and forces
/// @param a,tau  nv each, complete (output)
/// @return also LIMB_E_UNSUPPORTED (the force of a joint with mimic joints is given); LIMB_E_SINGULAR (the mass matrix
///         of the force-given joints is not positive definite to working precision).
LIMB_NODISCARD LIMB_API limb_status limb_reference_hybrid(const limb_model* m, const double* q, const double* v,
                                                          const unsigned char* given, const double* x,
                                                          const limb_environment* env, double* a, double* tau);

/// Moving base, Khalil 2010, section 7, in the axes and at the origin of its body.
typedef struct limb_reference_base {
  sp_motion acceleration; ///< angular, and classical linear of the origin; the true one, gravity included
  sp_force J[6];          ///< columns of J_0^c (95) or J_0^* (105), one per unit motion, angular first
  sp_force beta;          ///< beta_0^c (96) or beta_0^* (108)
} limb_reference_base;

/// Moving base, inverse, Khalil 2010, (89)-(100): base acceleration and joint forces of a joint motion. Exactly one
/// joint must be on the world; it must be a free joint without motor.
/// @param a     nv: those of the joints are read, those of the base are written (in and out)
/// @param tau   nv; zero for the base (output)
/// @param base  NULL: not computed (output)
/// @return also LIMB_E_UNSUPPORTED (another kind of base); LIMB_E_SINGULAR (a base without inertia).
LIMB_NODISCARD LIMB_API limb_status limb_reference_moving_base_inverse(const limb_model* m, const double* q,
                                                                       const double* v, double* a,
                                                                       const limb_environment* env, double* tau,
                                                                       limb_reference_base* base);

/// Moving base, forward, Khalil 2010, (101)-(112): accelerations under joint forces.
/// @param tau  nv; those of the base are ignored
/// @param a    nv (output)
/// @return as limb_reference_hybrid and limb_reference_moving_base_inverse.
LIMB_NODISCARD LIMB_API limb_status limb_reference_moving_base_forward(const limb_model* m, const double* q,
                                                                       const double* v, const double* tau,
                                                                       const limb_environment* env, double* a,
                                                                       limb_reference_base* base);

enum {
  LIMB_REFERENCE_JOINS_TIMES = 11 ///< numbers of processors: 1, 2, 4 ... 1024
};

/// What divide and conquer took. Operations are additions, multiplications and divisions, counted while they are made;
/// those of wrenches, friction and springs, which do not depend on each other, are left out.
typedef struct limb_reference_joins_report {
  int links;       ///< leaves of the tree
  int levels;      ///< steps of a sweep up or down the tree that depend on each other
  int solves;      ///< solutions of M x = r, each with two sweeps, after four that computed r
  double residual; ///< largest entry of tau - ID(q, v, a), relative to the largest in tau and in ID(q, v, 0)
  double work;     ///< operations
  double path;     ///< of them on the longest path: as many processors as there are links
  double time[LIMB_REFERENCE_JOINS_TIMES]; ///< one after the other on 1, 2, 4 ... 1024 processors, level by level
} limb_reference_joins_report;

/// Forward dynamics by divide and conquer, Featherstone 1999: a tree of joins with one link at each leaf. O(n) work,
/// O(log n) steps for a chain, O(log^2 n) for a tree. Solutions are refined, so that the digits are those of
/// limb_forward_dynamics_aba. docs/long-chains.md.
/// @param pool    NULL: the caller's thread. Any number of threads gives the same bits
/// @param a       nv (output)
/// @param report  NULL: not needed (output)
/// @return also LIMB_E_UNSUPPORTED (mimic joints, loops); LIMB_E_SINGULAR (M, or what a link carries).
LIMB_NODISCARD LIMB_API limb_status limb_reference_joins(const limb_model* m, const limb_pool* pool, const double* q,
                                                         const double* v, const double* tau,
                                                         const limb_environment* env, double* a,
                                                         limb_reference_joins_report* report);

/// Pose of each body in the world by the product of exponentials.
/// @param poses  one per body (output)
LIMB_NODISCARD LIMB_API limb_status limb_reference_poses(const limb_model* m, const double* q, sp_pose* poses);

#ifdef __cplusplus
}
#endif

#endif
