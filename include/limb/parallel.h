// limb: robot dynamics in C. Parallel robots: a platform and its legs.
//
//     limb_parallel* p = NULL;
//     if (limb_parallel_create(stewart, -1, NULL, &p, &error) != LIMB_OK) return 1;
//     if (limb_parallel_inverse_geometry(p, &pose, q, NULL) != LIMB_OK) return 1;
//     if (limb_parallel_inverse_dynamics(p, q, &motion, NULL, tau) != LIMB_OK) return 1;
//
// The platform is a body held by several chains of joints, the legs. Its twist V (in its own axes, at its own origin)
// determines the velocities of the legs,
//
//     J_i v_i = J_vi V        v_i: velocities of leg i;  rows: the closures between leg and platform
//
// so that forces of the legs can be mapped to the platform, and from there to the drives:
//
//     tau = J_p' [ F_p + sum over legs J_vi' J_i^-T tau_i ],      V = J_p v_active
//
// tau_i are the forces of a leg alone, F_p those of the platform. Only one small matrix per leg and one for the
// platform are factored. Platform and legs are found in the model. For robots with legs that are not supported here,
// use the general calls of limb/dynamics.h and limb/loops.h.
//
// Only limb_parallel_create allocates. States must close the loops to 1e-6 [m, rad], and velocities to 1e-6 of the
// fastest (LIMB_E_ARG otherwise). Other statuses are those of limb/loops.h.
//
// Reference: Khalil 2010, section 5, (59)-(66).
#ifndef LIMB_PARALLEL_H
#define LIMB_PARALLEL_H

#include "limb/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Decomposition of a parallel robot, with workspace. Belongs to one thread at a time.
typedef struct limb_parallel limb_parallel;

/// Finds platform and legs.
/// A leg is a connected set of joints and closures that reaches from the world to the platform, and is connected to
/// nothing else; its velocities follow from those of the platform. The platform may float on a free joint (a passive
/// planar one, in a plane) with all legs closed by loops, or be part of the chain of one leg; legs may also start at
/// the platform. Every other joint belongs to a leg.
/// @param platform  body; -1: the one that is held by the most legs (LIMB_E_MODEL if that is not unique)
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_MODEL (not a parallel robot with that platform: err gives the reason);
///         LIMB_E_UNSUPPORTED (a joint in no leg, as in a second stage on the platform; a leg whose velocities do not
///         follow from those of the platform; a motor at the free joint of the platform; closures that roll or have
///         prescribed motion); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_create(const limb_model* m, int platform, const limb_allocator* alloc,
                                                         limb_parallel** out, limb_error* err);
LIMB_API void limb_parallel_destroy(limb_parallel* p); ///< NULL is accepted

/// Properties of the decomposition.
typedef struct limb_parallel_info {
  int platform; ///< body
  int legs;     ///< number of legs
  int mobility; ///< of the platform at the start configuration: 6 or less; -1: its loops cannot be closed
  int drives;   ///< number of active velocities
} limb_parallel_info;

/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_get(const limb_parallel* p, limb_parallel_info* out);

/// Leg of a joint: 0 ... legs-1; -1: none (the free or planar joint of the platform, fixed joints); -2: p is NULL, or
/// no such joint.
LIMB_API int limb_parallel_leg_of(const limb_parallel* p, int joint);

/// Motion of the platform: pose in the world; twist and its derivative (spatial acceleration) in its own axes, at its
/// own origin.
typedef struct limb_platform_motion {
  sp_pose pose;
  sp_motion velocity, acceleration;
} limb_platform_motion;

/// Inverse geometric model: coordinates of all joints for a pose of the platform, leg by leg. Starting from a q that
/// closes the loops, the platform moves to the pose on a straight line with uniform rotation, and each leg stays on its
/// branch.
/// @param q       nq: start, and result (in and out); unchanged on failure
/// @param failed  the leg that cannot follow, -1: none; NULL: not needed (output)
/// @return also LIMB_E_NOCONV (out of reach, or the legs do not allow the pose).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_inverse_geometry(limb_parallel* p, const sp_pose* pose, double* q,
                                                                   int* failed);

/// Forward geometric model: all coordinates from the active ones in q, on the branch nearest to the others.
/// @param q     nq: active coordinates, and a start for the others (in and out); unchanged on failure
/// @param pose  of the platform; NULL: not computed (output)
/// @return also LIMB_E_NOCONV; LIMB_E_SINGULAR (on the way, the drives did not determine the platform).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_forward_geometry(limb_parallel* p, double* q, sp_pose* pose);

/// Velocities and accelerations of all joints for a motion of the platform that the legs allow.
/// @param q  nq, closed, with the platform at motion->pose
/// @param v  nv (output)
/// @param a  nv; NULL: not computed (output)
/// @return also LIMB_E_SINGULAR (a leg at a singularity of its own); LIMB_E_ARG (the legs do not allow the motion).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_motion(limb_parallel* p, const double* q,
                                                         const limb_platform_motion* motion, double* v, double* a);

/// J_p of (60): V = J_p v_active.
/// @param J  as many motion columns as active velocities, in the order of v (output)
/// @return also LIMB_E_SINGULAR (the active velocities do not determine those of the platform); LIMB_E_UNSUPPORTED
///         (more active velocities than motions of the platform).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_jacobian(limb_parallel* p, const double* q, sp_motion* J);

/// Inverse dynamics (66): torques of the drives for a motion of the platform, of least norm if there are more drives
/// than motions.
/// @param q    nq, closed, with the platform at motion->pose
/// @param tau  nv: at active joints; zero at passive ones (output)
/// @return as limb_parallel_motion; LIMB_E_SINGULAR also if the drives cannot hold the platform.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_inverse_dynamics(limb_parallel* p, const double* q,
                                                                   const limb_platform_motion* motion,
                                                                   const limb_environment* env, double* tau);

/// Forward dynamics in the space of the platform: Lambda dV/dt = sum of forces, with
/// Lambda = I_p + sum J_vi' J_i^-T M_i J_i^-1 J_vi.
/// @param v             nv, consistent
/// @param tau           nv
/// @param acceleration  of the platform, spatial, own axes; NULL: not computed (output)
/// @param a             nv; NULL: not computed (output)
/// @return also LIMB_E_SINGULAR (a leg at a singularity of its own; Lambda is not positive definite). Singularities of
///         the drives alone are not an error.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_forward_dynamics(limb_parallel* p, const double* q, const double* v,
                                                                   const double* tau, const limb_environment* env,
                                                                   sp_motion* acceleration, double* a);

// ---- modules in series ---------------------------------------------------------------------------------

/// One module of several that stand on each other: a model of its own, whose world is what it stands on.
typedef struct limb_parallel_module {
  limb_parallel* p;            ///< of that model
  sp_pose mount;               ///< pose of its world in the platform below; of the first module in the ground
  const double* q;             ///< nq, closed, with the platform at motion.pose
  limb_platform_motion motion; ///< of its platform, against its own world
  double* tau;                 ///< nv: at active joints; zero at passive ones (output)
} limb_parallel_module;

/// Inverse dynamics of modules in series, as stacked platforms: outward from the ground, each module moves on a moving
/// base; inward, each loads the platform that it stands on. Allocates.
/// @param module   count modules, from the ground on; each with a limb_parallel of its own
/// @param env      in the axes of the ground; NULL: the default of the first model. Without wrenches and laws
///                 (LIMB_E_UNSUPPORTED)
/// @param on_base  the wrench that the first module asks of the ground, in its axes, at its origin; NULL: not needed
///                 (output)
/// @return as limb_parallel_inverse_dynamics; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_series_inverse_dynamics(const limb_parallel_module* module, int count,
                                                                          const limb_environment* env,
                                                                          sp_force* on_base);

/// One module of several that stand on each other, with its torques given.
typedef struct limb_parallel_driven_module {
  limb_parallel* p;       ///< of that model
  sp_pose mount;          ///< pose of its world in the platform below; of the first module in the ground
  const double* q;        ///< nq, closed
  const double* v;        ///< nv, consistent: against its own world
  const double* tau;      ///< nv
  double* a;              ///< nv (output)
  sp_motion acceleration; ///< of its platform against its own world, spatial, own axes (output)
} limb_parallel_driven_module;

/// Forward dynamics of modules in series, as limb_parallel_forward_dynamics for one: articulated modules. Inward, each
/// module asks W = I^A V'_0 + p^A of the platform that it stands on, the motion of its own platform eliminated;
/// outward, accelerations follow. Of a module, one matrix per leg and one of the size of its mobility are factored.
/// Allocates.
/// @param module   count modules, from the ground on; each with a limb_parallel of its own (LIMB_E_ARG if two share it)
/// @param env      as limb_parallel_series_inverse_dynamics
/// @param on_base  the same
/// @return as limb_parallel_forward_dynamics; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_series_forward_dynamics(limb_parallel_driven_module* module,
                                                                          int count, const limb_environment* env,
                                                                          sp_force* on_base);

#ifdef __cplusplus
}
#endif

#endif
