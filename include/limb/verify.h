// limb: robot dynamics in C. Verification: the same quantities by independent formulations, and how far they differ.
//
//     limb_verification* v = NULL;
//     limb_verify_result r;
//     status = limb_verify(model, NULL, &v, NULL);
//     for (int k = 0; limb_verification_get(v, k, &r) == LIMB_OK; k++) puts(limb_verdict_name(r.verdict));
//
// A check computes one quantity in two ways that share as little as possible, in random states of the robot, and
// reports the largest difference, relative to the size of the quantity or of the terms that it is the sum of.
// limb_verify belongs to the library limb_study.
#ifndef LIMB_VERIFY_H
#define LIMB_VERIFY_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- all checks at once ----------------------------------------------------------------------------

/// Start from limb_default_verify().
typedef struct limb_verify_options {
  size_t size;                   ///< sizeof(limb_verify_options), set by the default function
  int states;                    ///< random states; default 100. Checks whose work grows with powers of the robot's
                                 ///< size are made in fewer
  uint64_t seed;                 ///< of the random states; default 1
  double tolerance;              ///< largest relative difference; default 1e-9. Looser for finite differences, and
                                 ///< where the mass matrix is ill-conditioned
  const limb_environment* env;   ///< gravity and friction; default NULL: limb_default_environment. Wrenches are ignored
  const char* const* quantities; ///< only checks of these (limb_verify_result.quantity), NULL at the end; default
                                 ///< NULL: all
  void (*progress)(void* context, uint64_t done, uint64_t total); ///< called before each check; default NULL
  void* context;                                                  ///< of progress
} limb_verify_options;

LIMB_API limb_verify_options limb_default_verify(void);

typedef enum limb_verdict {
  LIMB_VERDICT_OK = 0,
  LIMB_VERDICT_FAILED = 1,         ///< the difference is above the tolerance, or a call failed
  LIMB_VERDICT_NOT_APPLICABLE = 2, ///< the check does not exist for this robot
  LIMB_VERDICT_SKIPPED = 3         ///< too much work for a robot of this size
} limb_verdict;

/// "ok", "FAILED", "not applicable", "skipped"
LIMB_API const char* limb_verdict_name(limb_verdict verdict);

/// One check.
typedef struct limb_verify_result {
  const char* quantity; ///< names of quantities (limb/quantities.h), as "tau" or "acc, lambda"
  const char* first;    ///< how it is computed: "RNEA" ...
  const char* second;   ///< ... and how else: "Lie-group recursion"
  const char* kind;     ///< what the tolerance is for: "algebra", "inverse" (of M), "differences" (finite)
  limb_verdict verdict;
  const char* reason; ///< why there is no difference to report; "" if there is one
  double difference;  ///< the largest
  double tolerance;
  int state;          ///< in which state the difference was largest, or the call failed; from 1
  int states;         ///< in how many states the check was made ...
  int singular;       ///< ... and in how many it was not, because a matrix was singular
  limb_status status; ///< of the calls
} limb_verify_result;

/// The results of all checks.
typedef struct limb_verification limb_verification;

typedef struct limb_verify_summary {
  int checks;       ///< number of results
  int failed;       ///< verdicts LIMB_VERDICT_FAILED
  int complete;     ///< 1: every check that applies was made, in all states
  double condition; ///< largest condition number of the mass matrix seen; 0: not known
  sp_vec3 gravity;  ///< of all checks
} limb_verify_summary;

/// Runs all checks. Most see the tree of joints; those of robots with loops run in states that close them: near the
/// start configuration, with independent velocities and accelerations at random. Allocates; cost: states times the
/// work of the checks.
/// @param options  NULL: the defaults
/// @param out      NULL on failure (output)
/// @return LIMB_OK, also if checks failed; LIMB_E_ARG, LIMB_E_NOMEM; LIMB_E_NOCONV: no configuration closes the
///         loops, err names the loop.
LIMB_NODISCARD LIMB_API limb_status limb_verify(const limb_model* m, const limb_verify_options* options,
                                                limb_verification** out, limb_error* err);

/// @return LIMB_E_ARG: there is no result of that index.
LIMB_NODISCARD LIMB_API limb_status limb_verification_get(const limb_verification* v, int index,
                                                          limb_verify_result* out);
LIMB_API limb_verify_summary limb_verification_summary(const limb_verification* v);
LIMB_API void limb_verification_destroy(limb_verification* v); ///< NULL is fine

// ---- the reference formulations --------------------------------------------------------------------
//
// The same dynamics in the form of the papers: Lynch and Park 2017, Khalil 2010 and Park, Bobrow, Ploen 1995, line by
// line, as corrected in docs/books.md, on the robot as it was described: nothing merged, lowered, re-framed or
// regrouped. Every joint type, mimic joints included. They allocate, and are written to be read, not to be fast.
// Threads may share the model. They belong to the library limb.

/// Inverse dynamics in body twists (Ad, ad): Lynch and Park 2017, (9.53)-(9.61);
/// Park, Bobrow, Ploen 1995, (22)-(27), for trees.
/// @param reactions  wrench on every body by its joint, body axes and origin: one per body (zero for the
///                   world), or NULL
LIMB_NODISCARD LIMB_API limb_status limb_reference_inverse_dynamics(const limb_model* m, const double* q,
                                                                    const double* v, const double* a,
                                                                    const limb_environment* env, double* tau,
                                                                    sp_force* reactions);

/// Closed form of Lynch and Park 2017, (9.82)-(9.84): M = A' L' G L A, c and g by stacked matrices. O(n^3) time,
/// O(n^2) memory. Any output may be NULL.
/// @param M  nv x nv with rotor inertias
/// @param c  C v, with what a moving base adds
/// @param g  gravity forces alone
LIMB_NODISCARD LIMB_API limb_status limb_reference_closed_form(const limb_model* m, const double* q, const double* v,
                                                               const limb_environment* env, double* M, double* c,
                                                               double* g);

/// Known and unknown joints, Khalil 2010, (72)-(82) and, for robots without known ones, (36)-(43), corrected:
/// what limb_hybrid_dynamics (limb/dynamics.h) computes, in Khalil's classical accelerations. Joints with
/// more columns than one have a matrix H_j instead of a number.
/// @param given  nv marks: what is given of each; NULL: limb_given_for_passive
/// @param x      nv: the accelerations and forces that are given
/// @param a,tau  nv each, complete (output)
/// @return also LIMB_E_UNSUPPORTED when the force of a joint with mimic joints is given, LIMB_E_SINGULAR
///         when the mass matrix of the force-given ones is not positive definite to working precision.
LIMB_NODISCARD LIMB_API limb_status limb_reference_hybrid(const limb_model* m, const double* q, const double* v,
                                                          const unsigned char* given, const double* x,
                                                          const limb_environment* env, double* a, double* tau);

/// Moving base, Khalil 2010, section 7, in the axes and at the origin of its body.
typedef struct limb_reference_base {
  sp_motion acceleration; ///< angular, and classical linear of the origin; true: gravity included
  sp_force J[6];          ///< columns of J_0^c (95) or J_0^* (105), by unit motions, angular first
  sp_force beta;          ///< beta_0^c (96) or beta_0^* (108)
} limb_reference_base;

/// Moving base, inverse, Khalil 2010, (89)-(100): base acceleration and joint forces of a joint motion. The one
/// joint on the world must be free, and nothing drives it.
/// @param a     nv: the joints' are read, the base's are written (in and out)
/// @param tau   nv; zero for the base (output)
/// @param base  may be NULL (output)
/// @return also LIMB_E_UNSUPPORTED for another base, LIMB_E_SINGULAR for one that has no inertia.
LIMB_NODISCARD LIMB_API limb_status limb_reference_moving_base_inverse(const limb_model* m, const double* q,
                                                                       const double* v, double* a,
                                                                       const limb_environment* env, double* tau,
                                                                       limb_reference_base* base);

/// Moving base, forward, Khalil 2010, (101)-(112): accelerations under joint forces.
/// @param tau   nv; those of the base are not read
/// @param a     nv (output)
/// @return as limb_reference_hybrid and limb_reference_moving_base_inverse.
LIMB_NODISCARD LIMB_API limb_status limb_reference_moving_base_forward(const limb_model* m, const double* q,
                                                                       const double* v, const double* tau,
                                                                       const limb_environment* env, double* a,
                                                                       limb_reference_base* base);

/// Pose of every body in the world by the product of exponentials; one per body.
LIMB_NODISCARD LIMB_API limb_status limb_reference_poses(const limb_model* m, const double* q, sp_pose* poses);

#ifdef __cplusplus
}
#endif

#endif
