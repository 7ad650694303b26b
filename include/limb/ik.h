// limb: robot dynamics in C. Inverse kinematics: configurations at which frames have given poses.
//
//     const limb_ik_goal hand = limb_default_ik_goal(tool);
//     limb_ik* ik = NULL;
//     if (limb_ik_create(model, 1, &hand, NULL, NULL, &ik) != LIMB_OK) return 1;
//     if (limb_ik_solve(ik, &target, NULL, q, &report) != LIMB_OK) puts(limb_ik_reason_text(report.reason));
//
// Several goals at once: each is a frame, the directions of it that count, and weights. Errors of a goal with target
// (R*, p*) at a pose (R, p) of the frame:
//
//     LIMB_BODY                angular log(R' R*)    linear R*' (p* - p)    axes of the target
//     LIMB_ALIGNED and _WORLD  angular log(R* R')    linear p* - p          axes of the world
//
// of which the directions are selected: LIMB_TWIST the pose, LIMB_LINEAR the position, LIMB_ANGULAR the rotation. Two
// angular directions align an axis: LIMB_BODY with LIMB_WX | LIMB_WY turns the z axis of the frame into that of the
// target and leaves the rotation about it free. The error is then the angle between the axes.
//
// Solutions lie within the limits of joints (those of mimic joints included), close the loops of the robot, and are
// found on the manifold of configurations: ball and free joints are solved for as well. Velocities that are held do
// not change. Constraints on velocities only (rolling, knife edges) leave every configuration possible.
//
// Method: Levenberg and Marquardt on the manifold with analytic Jacobians, bounds by an active set, random restarts
// that depend on the seed only. A start that stops improving is given up early. Reference: T. Sugihara,
// Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011; Lynch and Park 2017, chapter 6;
// docs/inverse-kinematics.md.
//
// A limb_ik belongs to one caller at a time; the model and the pool must outlive it. Solving does not allocate. Results
// do not depend on the number of threads.
#ifndef LIMB_IK_H
#define LIMB_IK_H

#include "limb/batch.h"
#include "limb/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limb_ik limb_ik;

/// A goal. Start from limb_default_ik_goal().
typedef struct limb_ik_goal {
  limb_task task; ///< frame, axes of the directions, directions
  double angular; ///< weight of angular errors, > 0 [1/rad]; default 1
  double linear;  ///< weight of linear errors, > 0 [1/m]; default 1. Weights decide which pose is nearest if the
                  ///< targets are out of reach
} limb_ik_goal;

/// The pose of a frame: LIMB_TWIST in LIMB_BODY.
LIMB_API limb_ik_goal limb_default_ik_goal(int frame);

/// Start from limb_default_ik_options(); NULL: these defaults.
typedef struct limb_ik_options {
  size_t size;               ///< sizeof(limb_ik_options), set by the default function
  double tolerance;          ///< largest error of a solution, angular and linear of each goal and of the loops
                             ///< [rad, m]; default 1e-10
  int max_iterations;        ///< per start; default 200
  int restarts;              ///< random starts after the given one; default 200
  uint64_t seed;             ///< of the random starts; default 0
  int ignore_limits;         ///< 1: joints may leave their limits; default 0
  const unsigned char* held; ///< nv flags: 1 for velocities that stay zero, at the start (ball and free joints: all of
                             ///< a joint or none); NULL: none. Copied
  const double* reference;   ///< nq: of a redundant robot, the solution becomes the nearest one to this posture that
                             ///< self-motion from the first solution leads to; NULL: the first solution. Copied
  double time;               ///< of loops with prescribed motion [s]; default 0
  const limb_pool* pool;     ///< threads of limb_ik_solve_many; default NULL: the caller's
  uint64_t first;            ///< number of the first target of limb_ik_solve_many, by which random starts differ: a
                             ///< part of a list then has the solutions of the whole; default 0
} limb_ik_options;

LIMB_API limb_ik_options limb_default_ik_options(void);

/// @return LIMB_OK; LIMB_E_ARG (NULL, no goal, no such frame, no or unknown directions, weights that are not positive,
///         invalid options, part of a ball or free joint held); LIMB_E_NONFINITE; LIMB_E_NOMEM; those of
///         limb_data_create.
LIMB_NODISCARD LIMB_API limb_status limb_ik_create(const limb_model* m, int count, const limb_ik_goal* goals,
                                                   const limb_ik_options* options, const limb_allocator* alloc,
                                                   limb_ik** out);
LIMB_API void limb_ik_destroy(limb_ik* ik); ///< NULL is accepted

/// Why there is no solution. Values are pinned.
typedef enum limb_ik_reason {
  LIMB_IK_SOLVED = 0,
  LIMB_IK_OUT_OF_REACH = 1, ///< no start comes closer than the errors of the report
  LIMB_IK_LIMITS = 2,       ///< limits of joints are in the way; without them there is a solution
  LIMB_IK_SINGULAR = 3,     ///< the robot cannot move towards the target: the error is along a singular direction
  LIMB_IK_ITERATIONS = 4,   ///< iterations ended while the errors still fell
  LIMB_IK_LOOPS = 5         ///< the loops could not be closed
} limb_ik_reason;

/// A reason in words; NULL for an unknown one.
LIMB_API const char* limb_ik_reason_text(limb_ik_reason reason);

/// Findings of one solve: of the solution, or of the nearest configuration.
typedef struct limb_ik_report {
  limb_ik_reason reason;
  int iterations, starts; ///< of all starts; number of starts
  double angle, position; ///< largest errors of a goal [rad, m]
  double loops;           ///< largest residual of a loop [rad, m]
  double distance;        ///< |q (-) reference|, from the start if there is no reference [rad, m mixed]
} limb_ik_report;

/// Solves for the targets.
/// @param targets  one pose in the world per goal
/// @param start    nq; NULL: the reference if there is one, otherwise limb_start. Is moved into the limits
/// @param q        nq; may be start. Without a solution the nearest configuration found (output)
/// @param report   NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_NOCONV (no solution was found: the report has the reason); LIMB_E_ARG (NULL, a target that
///         is not a rotation, a quaternion far from unit norm): q is unchanged; LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_ik_solve(limb_ik* ik, const sp_pose* targets, const double* start, double* q,
                                                  limb_ik_report* report);

/// A goal after the last limb_ik_solve.
typedef struct limb_ik_result {
  sp_pose pose;           ///< of its frame, at q
  double angle, position; ///< errors [rad, m]
  sp_motion error;        ///< the errors, in the axes of the goal; directions that are not selected are zero
} limb_ik_result;

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range); LIMB_E_ORDER (nothing was solved yet).
LIMB_NODISCARD LIMB_API limb_status limb_ik_get_result(const limb_ik* ik, int goal, limb_ik_result* out);

/// Which limits hold the robot back after the last limb_ik_solve: nv numbers, 1 at an upper limit, -1 at a lower
/// limit, 0 elsewhere. A solution has none. NULL for NULL.
LIMB_API const signed char* limb_ik_limits(const limb_ik* ik);

/// Solves n times, on the threads of the pool; each result is that of limb_ik_solve with a seed of its own.
/// @param targets  n x the number of goals
/// @param start    nstart x nq
/// @param nstart   n: a start of its own for each, 1: the same for all, 0: as start == NULL in limb_ik_solve
/// @param q        n x nq (output)
/// @param reports  n; NULL: not needed (output)
/// @param status   n; NULL: not needed (output)
/// @return the first status that is not LIMB_OK; LIMB_E_ARG for the call as a whole (NULL, nstart): nothing is written.
LIMB_NODISCARD LIMB_API limb_status limb_ik_solve_many(limb_ik* ik, size_t n, const sp_pose* targets,
                                                       const double* start, size_t nstart, double* q,
                                                       limb_ik_report* reports, limb_status* status);

/// Different solutions, from the start and from every restart: sorted by the distance to the reference (without one, to
/// the start). Solutions that differ by less than 1e-6, or by whole turns, count once. A redundant robot has
/// infinitely many: with a reference, they are those nearest to it on each self-motion.
/// @param max    capacity of q
/// @param q      max x nq (output)
/// @param found  their number (output)
/// @return LIMB_OK; LIMB_E_NOCONV (none); LIMB_E_ARG; LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_ik_branches(limb_ik* ik, const sp_pose* targets, const double* start, int max,
                                                     double* q, int* found);

#ifdef __cplusplus
}
#endif

#endif
