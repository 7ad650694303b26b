// limb: robot dynamics in C. Closing loops: assembly, branches, staying on the manifold, maps.
//
// Equations are those of limb/loops.h. Assembly is Levenberg and Marquardt's iteration on the manifold of
// configurations, quaternions included, loop by loop where loops share no joints.
#ifndef LIMB_ASSEMBLE_H
#define LIMB_ASSEMBLE_H

#include "limb/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Start from limb_default_assembly().
typedef struct limb_assembly {
  size_t size;               ///< sizeof(limb_assembly), set by the default function
  double time;               ///< of the laws s(t)
  double tolerance;          ///< largest residual of a closed loop [m, rad]; default 1e-12. No less than 1e-14 of the
                             ///< largest distance of a body from the world's origin counts: that is rounding
  int max_iterations;        ///< of a try; default 200
  int max_tries;             ///< starts: the given one, then random ones; default 1
  uint64_t seed;             ///< of the random starts
  int within_limits;         ///< 1: configurations outside the limits of joints in loops do not count; default 0
  const unsigned char* held; ///< nv marks: 1 for coordinates that stay as they are (ball and free joints: all
                             ///< or none of a joint). NULL: none
} limb_assembly;

LIMB_API limb_assembly limb_default_assembly(void);

/// What came of it.
typedef struct limb_assembly_report {
  double residual; ///< largest left
  int loop;        ///< that it belongs to; -1: no loops
  int iterations, tries;
  int limits; ///< 1: the loops close, but were found to do so outside the joints' limits only
} limb_assembly_report;

/// Closes all loops: q becomes a configuration near it that does. A start that is exactly singular (a four-bar
/// stretched out) is left by a small random step. Closures that are turned round (limb_loop_gap) do not count. Over-
/// constrained loops whose poses have few digits, which least squares leave open by 1e-7 [m, rad] at most, count as
/// closed; the report says how far they stay open. Only loops that do not close are tried again. Cost per iteration:
/// O(n), and cubes of the groups of loops that share joints.
/// @param q       nq (in and out); on failure the best that was found
/// @param report  may be NULL (output)
/// @return LIMB_OK; LIMB_E_NOCONV (no such configuration found: report says which loop, and how far apart).
LIMB_NODISCARD LIMB_API limb_status limb_assemble(limb_loops* w, const limb_assembly* options, double* q,
                                                  limb_assembly_report* report);

/// Looks for different ways to close the loops with the held coordinates as they are in q: from q, and from
/// random starts. Two that can be told apart by less than 1e-6 count once. For mechanisms whose mobility is
/// held: with motion left, every start ends somewhere else; then those on one continuous branch are many.
/// @param max_count  capacity of q_out
/// @param q_out  max_count x nq; those found, q's own first (output)
/// @param found  how many (output)
/// @return LIMB_OK; LIMB_E_NOCONV when none was found. options.max_tries is the number of starts.
LIMB_NODISCARD LIMB_API limb_status limb_assembly_branches(limb_loops* w, const double* q, const limb_assembly* options,
                                                           int max_count, double* q_out, int* found);

/// The exact projection: the nearest state that satisfies the equations. Places first, by Gauss-Newton steps
/// of least norm, then velocities: v -= Psi^+ (Psi v - s'). Weighted by masses it would be nearest in kinetic
/// energy, and cost more; so near, it makes no difference that counts. Quadratic convergence: from a residual
/// of 1e-4 it takes two steps. Cost as limb_mobility_at per step.
/// What options.held marks stays as it is; the others move.
/// @param v  nv; NULL: places only (in and out)
/// @return also LIMB_E_NOCONV: too far away for a projection (a joint would move by more than 1 rad or m),
///         assemble; or velocities that contradict each other. q and v are left as they were then.
LIMB_NODISCARD LIMB_API limb_status limb_project(limb_loops* w, const limb_loop_options* options, double* q, double* v,
                                                 limb_assembly_report* report);

/// Follows a branch: moves the held coordinates from where they are in q to q_goal in steps small enough that
/// the others follow continuously, by the tangent and then the projection.
/// @param q_goal  nq; only the held coordinates are read
/// @param held    nv marks; NULL: active joints
/// @param q       nq, closed (in and out); on failure the last that was closed
/// @return also LIMB_E_SINGULAR where the branch meets another or ends before the goal, or when held
///         coordinates depend on each other; LIMB_E_NOCONV when q is not closed, nor can be as it is held.
LIMB_NODISCARD LIMB_API limb_status limb_follow_branch(limb_loops* w, const double* q_goal, const unsigned char* held,
                                                       const limb_loop_options* options, double* q);

/// A map over one or two coordinates: a grid of values of held coordinates, and at every point whether the
/// loops close on the branch of q, where a frame is, and how well conditioned the robot is there.
typedef struct limb_map {
  size_t size;     ///< sizeof(limb_map), set by the default function
  int velocity[2]; ///< the coordinates, by their velocities; second -1: a line
  double lower[2], upper[2];
  int count[2]; ///< grid points each, >= 1
  int frame;    ///< -1: none
} limb_map;

typedef struct limb_map_point {
  int closed; ///< 1: the loops close here, on the branch
  limb_mobility mobility;
  sp_pose pose; ///< of the frame in the world
} limb_map_point;

LIMB_API limb_map limb_default_map(void);

/// Workspace and singularities on a grid: goes outwards from the points nearest to q, neighbour by neighbour,
/// so that all points belong to one branch. Held are the coordinates of the map; when all of these are
/// active, and no joints are active in excess, the other active ones, too. Coordinates of ball and free
/// joints cannot be mapped. Points that do not close are all zero.
/// @param q      nq, closed
/// @param point  count[0] x count[1], the second index fastest (output)
/// @param q_out  count[0] x count[1] x nq: configurations of the closed points (output)
/// @return LIMB_OK even when few points close.
LIMB_NODISCARD LIMB_API limb_status limb_map_over(limb_loops* w, const double* q, const limb_map* map,
                                                  const limb_loop_options* options, limb_map_point* point,
                                                  double* q_out);

// ---- states of robots with loops ------------------------------------------------------------------------

/// Completes states: what is given must close the loops, what is not given follows from them. Positions that follow
/// are those on the branch of the state before, in the first state on that of the start configuration, closed
/// (limb/assemble.h).
typedef struct limb_completion limb_completion;

/// Start from limb_default_completion_options(); NULL stands for that.
typedef struct limb_completion_options {
  size_t size;                  ///< sizeof(limb_completion_options), set by the default function
  int velocities;               ///< 1: states have velocities; default 1
  int accelerations;            ///< 1: states have accelerations; default 1
  const unsigned char* given_q; ///< nq: 1 where the coordinate is given, of a quaternion all or none; NULL: all. Copied
  const unsigned char* given_v; ///< nv; NULL: all. Copied
  const unsigned char* given_a; ///< nv; NULL: all. Copied
  double tolerance;             ///< how far loops may be apart [m, rad], also per s and s^2, relative to the largest v
                                ///< and a when these are above 1; default 1e-6
} limb_completion_options;

LIMB_API limb_completion_options limb_default_completion_options(void);

/// @return LIMB_OK; LIMB_E_ARG (NULL, options that are none, part of a quaternion); LIMB_E_UNSUPPORTED (a position that
///         is not given, and loops that hold velocities only); LIMB_E_NOMEM; what limb_loops_create says.
LIMB_NODISCARD LIMB_API limb_status limb_completion_create(const limb_model* m, const limb_completion_options* options,
                                                           const limb_allocator* alloc, limb_completion** out,
                                                           limb_error* error);
LIMB_API void limb_completion_destroy(limb_completion* c); ///< NULL is accepted

/// Completes and checks the next state. Cost with missing numbers: O(nv ny^2) for ny motions, beside that of the loops.
/// @param q,v,a  what is given is read, what is not is written (in and out); v and a as the options say, else NULL
/// @return LIMB_OK; LIMB_E_NOCONV: given numbers that do not close the loops, contradict what follows from others, or
///         do not determine the rest; LIMB_E_SINGULAR and what else the calls of limb/loops.h return. error tells more.
LIMB_NODISCARD LIMB_API limb_status limb_complete_state(limb_completion* c, double time, double* q, double* v,
                                                        double* a, limb_error* error);

/// v and a become consistent at a closed q: the independent ones stay, the others follow.
LIMB_NODISCARD LIMB_API limb_status limb_complete_rates(limb_completion* c, double time, const double* q, double* v,
                                                        double* a, limb_error* error);

/// What was met so far.
typedef struct limb_completion_facts {
  int start_closed; ///< 1: the start configuration could be closed
  int undriven;     ///< motions without a motor there
  int other_branch; ///< 1: the first state is not on the branch of the start configuration
} limb_completion_facts;

/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_completion_get_facts(const limb_completion* c, limb_completion_facts* out);

// ---- the same robot, its loops cut elsewhere --------------------------------------------------------
//
// The same robot, its loops cut elsewhere.
//
// Where a loop is cut is a matter of description: any joint of it may be the closure. Another cut gives
// another tree, other coordinates and other rows, and the same motion.

/// Cuts a loop elsewhere: its closure becomes a passive joint, and one of its joints becomes the closure.
///     pin - revolute   ball - spherical   slider - prismatic   cylindrical   universal   planar   weld -
///     fixed
/// The joint must be on the loop, passive or fixed, without friction, spring, rotor, mimic (either way),
/// shaft or gear; a universal joint must have its axes at right angles. Its limits and its start are lost.
///
/// What hung on the joint up to the closure now hangs on the closure: joints in between are turned round.
/// Bodies, frames, and joints keep index and name; the new joint has the old one's index and the closure's
/// name, the new closure the other way round (with "_joint" or "_loop" behind when that is taken). A joint
/// that is turned round keeps its coordinate where it has one, its axis the other way; a universal joint has
/// them in reverse order. Massless bodies and fixed joints called "<joint>_turned" are added at the end where
/// a joint's axis would miss the frame of its body.
/// @param loop   closure
/// @param joint  between its two frames
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range, half an allocator, a joint that is not on the
///         loop); LIMB_E_UNSUPPORTED (a closure or joint that cannot change places: err says why);
///         LIMB_E_MODEL (another closure would hold bodies that are then rigidly connected); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_recut(const limb_model* m, int loop, int joint, const limb_allocator* alloc,
                                               limb_model** out, limb_error* err);

/// A state of the robot in the coordinates of its other cut.
/// @param d   workspace of the model that was cut; what limb_kinematics left in it stays
/// @param to  what limb_recut made of that model
/// @param q   closes the loops
/// @param v   consistent; NULL: not wanted
/// @param q_to, v_to  state of `to` (output); an angle of the new joint is within -pi and pi
/// @return LIMB_OK; LIMB_E_ARG (NULL, another robot, a quaternion far from unit norm); LIMB_E_NONFINITE.
///         O(n).
LIMB_NODISCARD LIMB_API limb_status limb_recut_state(limb_data* d, const limb_model* to, const double* q,
                                                     const double* v, double* q_to, double* v_to);

#ifdef __cplusplus
}
#endif

#endif
