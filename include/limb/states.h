// limb: robot dynamics in C. States of a robot by their names: coordinates, units, and states of robots with loops
// completed from the coordinates that are known.
#ifndef LIMB_STATES_H
#define LIMB_STATES_H

#include "limb/loops.h"
#include "limb/moving_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- names and units ------------------------------------------------------------------------------------

/// One number of q, or one of v, a and tau. Members are appended only.
typedef struct limb_dof_info {
  const char* name; ///< that of the joint, and the suffix of the component where it has several: "base.wx"
  int joint;        ///< of the model
  int index;        ///< component of that joint
  int linear;       ///< 1: m, m/s, N; 0: rad, rad/s, N m
  int quaternion;   ///< 1: component of a quaternion, without unit
  int passive;      ///< 1: its joint has no motor
  int root;         ///< 1: between its joint and the world nothing moves
  int base;         ///< 1: of v, of the moving base (limb_mark_base)
  int moves;        ///< 1: of v, of that base, or of a free or planar joint on the world with a motor
} limb_dof_info;

/// Names of all coordinates of a model. Never changes: threads may share it.
typedef struct limb_dofs limb_dofs;

/// @return LIMB_OK; LIMB_E_ARG (NULL, half an allocator); LIMB_E_NOMEM. The model must outlive it.
LIMB_NODISCARD LIMB_API limb_status limb_dofs_create(const limb_model* m, const limb_allocator* alloc, limb_dofs** out);
LIMB_API void limb_dofs_destroy(limb_dofs* d); ///< NULL is accepted

/// Number k of q, or of v; NULL when out of range.
LIMB_API const limb_dof_info* limb_get_coordinate(const limb_dofs* d, int k);
LIMB_API const limb_dof_info* limb_get_velocity(const limb_dofs* d, int k);

/// Units of a position, velocity, acceleration and force along it: "rad" or "m", ... "" for a quaternion's position.
LIMB_API const char* limb_position_unit(const limb_dof_info* d);
LIMB_API const char* limb_velocity_unit(const limb_dof_info* d);
LIMB_API const char* limb_acceleration_unit(const limb_dof_info* d);
LIMB_API const char* limb_force_unit(const limb_dof_info* d);

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

/// 1 when some equation of the loops follows a prescribed motion, a function of time. 0 for NULL.
LIMB_API int limb_has_prescribed_motion(const limb_model* m);

#ifdef __cplusplus
}
#endif

#endif
