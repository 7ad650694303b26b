// limb: robot dynamics in C. Parallel robots: a platform and its legs.
//
// The platform is a body that several chains of joints hold, the legs. Its twist V (in its own axes, at its
// own origin) decides how they move,
//
//     J_i v_i = J_vi V        v_i: velocities of leg i;  rows: the closures between leg and platform
//
// so that forces of the legs can be taken to the platform, and from there to the drives:
//
//     tau = J_p' [ F_p + sum over legs J_vi' J_i^-T tau_i ],      V = J_p v_active
//
// tau_i are the forces of a leg alone, F_p those of the platform. Nothing is factored but one small matrix a
// leg and one of the platform's. Platform and legs are found in the model. What a leg must not have, the
// generic calls of limb/loops.h still do.
// Reference: Khalil 2010, section 5, (59)-(66).
#ifndef LIMB_PARALLEL_H
#define LIMB_PARALLEL_H

#include "limb/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A parallel robot, taken apart, with workspace: belongs to one thread.
typedef struct limb_parallel limb_parallel;

/// Takes a robot apart. Cold: allocates.
/// A leg is a set of joints and closures that hang together, reach from the world to the platform, and touch
/// others nowhere else; its velocities follow from those of the platform. The platform may float on a free
/// joint (a passive planar one, in a plane), all legs closed by loops, or hang on one of them; legs may hang
/// on the platform. Every other joint is in a leg.
/// @param platform  body; -1: the one that most legs hold (LIMB_E_MODEL when that is not one)
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_MODEL (no parallel robot with that platform: err says what is in the
///         way); LIMB_E_UNSUPPORTED (a joint that is in no leg, as of a second stage on the platform; a leg
///         whose velocities do not follow from the platform's; a motor at the platform's free joint; closures
///         that roll or follow a law in time); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_create(const limb_model* m, int platform, const limb_allocator* alloc,
                                                         limb_parallel** out, limb_error* err);
LIMB_API void limb_parallel_destroy(limb_parallel* p); ///< NULL is accepted

/// What was found.
typedef struct limb_parallel_info {
  int platform; ///< body
  int legs;     ///< number
  int mobility; ///< of the platform at the start: 6, or less; -1: that cannot be closed
  int drives;   ///< active velocities
} limb_parallel_info;

LIMB_NODISCARD LIMB_API limb_status limb_parallel_get(const limb_parallel* p, limb_parallel_info* out);

/// Leg of a joint: 0 ... legs-1; -1: none (the platform's own free or planar joint, fixed joints). -2 for
/// NULL or no such joint.
LIMB_API int limb_parallel_leg_of(const limb_parallel* p, int joint);

/// Motion of the platform: pose in the world; twist and its derivative (spatial acceleration) in its own
/// axes, at its own origin.
typedef struct limb_platform_motion {
  sp_pose pose;
  sp_motion velocity, acceleration;
} limb_platform_motion;

// Calls below never allocate. States that close the loops do so to 1e-6 [m, rad], and velocities to that
// share of the fastest: LIMB_E_ARG otherwise. Other statuses are those of limb/loops.h.

/// Inverse geometric model: coordinates of all joints for a pose of the platform, leg by leg. From a q that
/// closes the loops the platform is led to the pose, straight and turning evenly, and every leg stays on its
/// branch.
/// @param q       nq: start, and result (in and out); unchanged on failure
/// @param failed  leg that cannot follow, -1: none; may be NULL (output)
/// @return also LIMB_E_NOCONV (out of reach, or the legs forbid the pose).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_inverse_geometry(limb_parallel* p, const sp_pose* pose, double* q,
                                                                   int* failed);

/// Forward geometric model: everything from the active coordinates in q, on the branch next to the others.
/// @param q     nq: active coordinates, and a start for the others (in and out); unchanged on failure
/// @param pose  of the platform; may be NULL (output)
/// @return also LIMB_E_NOCONV, LIMB_E_SINGULAR (on the way, the drives did not determine the platform).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_forward_geometry(limb_parallel* p, double* q, sp_pose* pose);

/// Velocities and accelerations of all joints for a motion of the platform that the legs allow.
/// @param q  nq, closed, platform in pose
/// @param a  nv; NULL: not wanted (output)
/// @return also LIMB_E_SINGULAR (a leg at a singularity of its own), LIMB_E_ARG (a motion that the legs
///         forbid).
LIMB_NODISCARD LIMB_API limb_status limb_parallel_motion(limb_parallel* p, const double* q,
                                                         const limb_platform_motion* motion, double* v, double* a);

/// J_p of (60): V = J_p v_active.
/// @param J  as many motion columns as active velocities, in the order of v (output)
/// @return also LIMB_E_SINGULAR when the active velocities do not determine the platform's, and
///         LIMB_E_UNSUPPORTED when they are more than its motions.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_jacobian(limb_parallel* p, const double* q, sp_motion* J);

/// Inverse dynamics (66): torques of the drives for a motion of the platform.
/// @param q    nq, closed, platform in pose
/// @param tau  nv: at active joints; zero at passive ones (output)
/// @return as limb_parallel_motion, and LIMB_E_SINGULAR when the drives cannot hold the platform. With more
///         drives than motions: of least norm.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_inverse_dynamics(limb_parallel* p, const double* q,
                                                                   const limb_platform_motion* motion,
                                                                   const limb_environment* env, double* tau);

/// Forward dynamics in the space of the platform: Lambda dV/dt = sum of forces, with
/// Lambda = I_p + sum J_vi' J_i^-T M_i J_i^-1 J_vi.
/// @param v    nv, consistent
/// @param tau  nv
/// @param acceleration  of the platform, spatial, own axes; may be NULL (output)
/// @param a    nv; may be NULL (output)
/// @return also LIMB_E_SINGULAR (a leg at a singularity of its own; Lambda is not positive definite). Where
///         only the drives are singular, there is an answer.
LIMB_NODISCARD LIMB_API limb_status limb_parallel_forward_dynamics(limb_parallel* p, const double* q, const double* v,
                                                                   const double* tau, const limb_environment* env,
                                                                   sp_motion* acceleration, double* a);

#ifdef __cplusplus
}
#endif

#endif
