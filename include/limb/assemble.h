// limb: robot dynamics in C. Closing loops: assembly, branches, projection, maps, completion of states, other cuts.
//
//     limb_assembly_report report;
//     if (limb_assemble(d, NULL, q, &report) != LIMB_OK)
//       printf("loop %d is %g apart\n", report.loop, report.residual);
//
// Equations, sizes and statuses are those of limb/loops.h. Assembly is the iteration of Levenberg and Marquardt on the
// manifold of configurations, quaternions included, loop by loop where loops share no joints.
#ifndef LIMB_ASSEMBLE_H
#define LIMB_ASSEMBLE_H

#include "limb/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from limb_default_assembly().
typedef struct limb_assembly {
  size_t size;               ///< sizeof(limb_assembly), set by the default function
  double time;               ///< of prescribed motions s(t) [s]
  double tolerance;          ///< largest residual of a closed loop [m, rad]; default 1e-12. At least 1e-14 of the
                             ///< largest distance of a body from the origin of the world, which is rounding
  int max_iterations;        ///< per start; default 200
  int restarts;              ///< random starts after the given one; default 0
  uint64_t seed;             ///< of the random starts
  int within_limits;         ///< 1: reject configurations outside the limits of joints in loops; default 0
  const unsigned char* held; ///< nv flags: 1 for coordinates that must not change (ball and free joints: all of a joint
                             ///< or none); NULL: none
} limb_assembly;

LIMB_API limb_assembly limb_default_assembly(void);

/// Results of limb_assemble and limb_project.
typedef struct limb_assembly_report {
  double residual;        ///< largest remaining residual [m, rad]
  int loop;               ///< the loop that it belongs to; -1: no loops
  int iterations, starts; ///< of all starts; number of starts
  int limits;             ///< 1: the loops close, but only outside the limits of joints
} limb_assembly_report;

/// Closes all loops: changes q to a nearby configuration that closes them. A start that is exactly singular (an
/// extended four-bar) is perturbed by a small random step. Closures that are closed the wrong way round (limb_loop_gap)
/// do not count as closed. Overconstrained loops whose poses have few digits count as closed if least squares leave
/// them open by at most limb_model_loop_tolerance; the report has their residual. Only loops that do not close are
/// tried again.
/// Cost per iteration: O(n), and cubes of the sizes of the clusters.
/// @param options  NULL: the defaults
/// @param q        nq (in and out); on failure the best configuration found
/// @param report   NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_NOCONV (no such configuration was found; report has the loop and its residual).
LIMB_NODISCARD LIMB_API limb_status limb_assemble(limb_data* d, const limb_assembly* options, double* q,
                                                  limb_assembly_report* report);

/// Finds different ways to close the loops with the held coordinates as in q: starts from q and from random
/// configurations (options.restarts of them). Configurations that differ by less than 1e-6 count once. For mechanisms
/// whose motions are all held; otherwise every start may end in another configuration, and one continuous branch yields
/// many results.
/// @param max_count  capacity of q_out
/// @param q_out      max_count x nq; the configurations found, that of q first (output)
/// @param found      their number (output)
/// @return LIMB_OK; LIMB_E_NOCONV (none was found).
LIMB_NODISCARD LIMB_API limb_status limb_assembly_branches(limb_data* d, const double* q, const limb_assembly* options,
                                                           int max_count, double* q_out, int* found);

/// Which of these configurations a configuration is: the first that differs by less than 1e-6 in every coordinate,
/// angles modulo whole turns.
/// @param q         nq
/// @param branches  count x nq, as limb_assembly_branches finds them
/// @param which     index; -1: none of them (output)
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NONFINITE; LIMB_E_UNSUPPORTED (no loops).
LIMB_NODISCARD LIMB_API limb_status limb_branch_of(limb_data* d, const double* q, int count, const double* branches,
                                                   int* which);

/// Exact projection onto the nearest state that satisfies the equations: positions by Gauss-Newton steps of least norm,
/// then velocities: v -= Psi^+ (Psi v - s'). Weighting by masses would give the nearest state in kinetic energy at a
/// higher cost; for small residuals the difference is negligible. Convergence is quadratic: two steps from a residual
/// of 1e-4. Cost per step as limb_mobility_at. Coordinates marked in options.held do not change.
/// @param v  nv; NULL: positions only (in and out)
/// @return also LIMB_E_NOCONV (a joint would move by more than 1 rad or m: use limb_assemble; or velocities contradict
///         each other). q and v are then unchanged.
LIMB_NODISCARD LIMB_API limb_status limb_project(limb_data* d, const limb_loop_options* options, double* q, double* v,
                                                 limb_assembly_report* report);

/// Follows a branch: moves the held coordinates from their values in q to those in q_goal, in steps small enough for
/// the others to follow continuously (tangent, then projection).
/// @param q_goal  nq; only the held coordinates are read
/// @param held    nv flags; NULL: active joints
/// @param q       nq, closed (in and out); on failure the last closed configuration
/// @return also LIMB_E_SINGULAR (the branch meets another one or ends before the goal, or held coordinates depend on
///         each other); LIMB_E_NOCONV (q does not close the loops, and cannot with these coordinates held).
LIMB_NODISCARD LIMB_API limb_status limb_follow_branch(limb_data* d, const double* q_goal, const unsigned char* held,
                                                       const limb_loop_options* options, double* q);

/// A map over one or two coordinates: a grid of their values. At each point the map has whether the loops close on the
/// branch of q, the pose of a frame, and the conditioning of the robot. Start from limb_default_map().
typedef struct limb_map {
  size_t size;     ///< sizeof(limb_map), set by the default function
  int velocity[2]; ///< the coordinates, by the indices of their velocities; second -1: a line
  double lower[2], upper[2];
  int count[2]; ///< grid points in each direction, >= 1
  int frame;    ///< -1: none
} limb_map;

typedef struct limb_map_point {
  int closed; ///< 1: the loops close here, on the branch of q
  limb_mobility mobility;
  sp_pose pose; ///< of the frame in the world
} limb_map_point;

LIMB_API limb_map limb_default_map(void);

/// Computes a map of workspace and singularities. Proceeds from the points nearest to q to their neighbours, so that
/// all points belong to one branch. The coordinates of the map are held; if all of them are active and no joints are
/// active in excess, so are the other active ones. Coordinates of ball and free joints cannot be mapped. Points at
/// which the loops do not close are all zero.
/// @param q      nq, closed
/// @param point  count[0] x count[1], the second index fastest (output)
/// @param q_out  count[0] x count[1] x nq: configurations of the closed points (output)
/// @return LIMB_OK, also if the loops close at few points only.
LIMB_NODISCARD LIMB_API limb_status limb_map_over(limb_data* d, const double* q, const limb_map* map,
                                                  const limb_loop_options* options, limb_map_point* point,
                                                  double* q_out);

// ---- states of robots with loops ------------------------------------------------------------------------
//
//     if (limb_completion_create(model, NULL, NULL, &c, &error) != LIMB_OK) return 1;
//     if (limb_complete_state(c, 0, q, v, a, &error) != LIMB_OK) puts(error.text);

/// Completes states: given numbers must close the loops, the others follow from them. Positions that follow are on the
/// branch of the previous state; for the first state, on that of the closed start configuration.
typedef struct limb_completion limb_completion;

/// Start from limb_default_completion_options(); NULL: these defaults.
typedef struct limb_completion_options {
  size_t size;                  ///< sizeof(limb_completion_options), set by the default function
  int velocities;               ///< 1: states have velocities; default 1
  int accelerations;            ///< 1: states have accelerations; default 1
  const unsigned char* given_q; ///< nq: 1 where the coordinate is given (a quaternion: all or none); NULL: all. Copied
  const unsigned char* given_v; ///< nv; NULL: all. Copied
  const unsigned char* given_a; ///< nv; NULL: all. Copied
  double tolerance;             ///< largest residual of given states [m, rad; per s and s^2], for rates relative to the
                                ///< largest v and a if these are above 1; default 1e-6, at least
                                ///< limb_model_loop_tolerance
} limb_completion_options;

LIMB_API limb_completion_options limb_default_completion_options(void);

/// @return LIMB_OK; LIMB_E_ARG (NULL, invalid options, part of a quaternion); LIMB_E_UNSUPPORTED (a position that is
///         not given, and loops that constrain velocities only); LIMB_E_NOMEM; those of limb_data_create.
LIMB_NODISCARD LIMB_API limb_status limb_completion_create(const limb_model* m, const limb_completion_options* options,
                                                           const limb_allocator* alloc, limb_completion** out,
                                                           limb_error* error);
LIMB_API void limb_completion_destroy(limb_completion* c); ///< NULL is accepted

/// Completes and checks the next state. If numbers are missing: O(nv ny^2) for ny motions, in addition to the loops.
/// @param q,v,a  given numbers are read, the others are written (in and out); v and a as in the options, else NULL
/// @return LIMB_OK; LIMB_E_NOCONV (given numbers do not close the loops, contradict what follows from others, or do not
///         determine the rest); LIMB_E_SINGULAR and the other statuses of limb/loops.h. error explains.
LIMB_NODISCARD LIMB_API limb_status limb_complete_state(limb_completion* c, double time, double* q, double* v,
                                                        double* a, limb_error* error);

/// Makes v and a consistent at a closed q: the independent ones do not change, the others follow.
LIMB_NODISCARD LIMB_API limb_status limb_complete_rates(limb_completion* c, double time, const double* q, double* v,
                                                        double* a, limb_error* error);

/// Observations since limb_completion_create.
typedef struct limb_completion_facts {
  int start_closed; ///< 1: the start configuration could be closed
  int undriven;     ///< number of motions without a motor there
  int other_branch; ///< 1: the first state is not on the branch of the start configuration
} limb_completion_facts;

/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_completion_get_facts(const limb_completion* c, limb_completion_facts* out);

// ---- the same robot, its loops cut elsewhere --------------------------------------------------------
//
// Any joint of a loop may be its closure. Another cut gives another tree, other coordinates and other constraints, and
// the same motion.

/// Cuts a loop elsewhere: its closure becomes a passive joint, and one of its joints becomes the closure.
///     pin - revolute   ball - spherical   slider - prismatic   cylindrical   universal   planar   weld - fixed
/// The joint must be on the loop, passive or fixed, without friction, spring, rotor, mimic (in either direction), shaft
/// and gear; a universal joint must have perpendicular axes. Its limits and its start are lost.
///
/// The bodies between the joint and the closure are then connected through the closure: the joints between them are
/// reversed. Bodies, frames and joints keep index and name. The new joint has the index of the old one and the name of
/// the closure, the new closure the index of the old one and the name of the joint (with "_joint" or "_loop" appended
/// if that name exists). A reversed joint keeps its coordinate if it has one, with the axis in the opposite direction;
/// a universal joint has its coordinates in reverse order. Massless bodies and fixed joints named "<joint>_turned" are
/// appended where the axis of a joint would not pass through the frame of its body.
/// @param loop   the closure
/// @param joint  on the loop, between the two frames of the closure
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range, incomplete allocator, a joint that is not on the loop);
///         LIMB_E_UNSUPPORTED (a closure or joint that cannot be exchanged: err explains); LIMB_E_MODEL (another
///         closure
///         would connect bodies that are then rigidly connected); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_recut(const limb_model* m, int loop, int joint, const limb_allocator* alloc,
                                               limb_model** out, limb_error* err);

/// Converts a state to the coordinates of the other cut. O(n).
/// @param d           a workspace of the model that was cut; what limb_kinematics stored in it does not change
/// @param to          result of limb_recut for that model
/// @param q           closes the loops
/// @param v           consistent; NULL: not converted
/// @param q_to, v_to  state of `to` (output); an angle of the new joint is within -pi and pi
/// @return LIMB_OK; LIMB_E_ARG (NULL, another robot, a quaternion far from unit norm); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_recut_state(limb_data* d, const limb_model* to, const double* q,
                                                     const double* v, double* q_to, double* v_to);

#ifdef __cplusplus
}
#endif

#endif
