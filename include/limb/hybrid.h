// limb: robot dynamics in C. Known and unknown joints: hybrid dynamics.
//
// Of every degree of freedom either the acceleration is given, and its force is the answer, or the force
// is given, and its acceleration is the answer. All accelerations given: inverse dynamics. All forces:
// forward dynamics. In between are robots with passive or elastic joints, with a moving base, with motors
// that impose a motion. Who is who is said per call by marks, one per velocity:
//
//     given[k] = LIMB_ACCELERATION_GIVEN    x[k] is an acceleration; tau[k] is computed
//     given[k] = LIMB_FORCE_GIVEN           x[k] is a force; a[k] is computed
//
// Where marks are taken, NULL stands for those of limb_mark_passive: the inverse problem of the model (other
// headers have defaults of their own). Any other value than the two is LIMB_E_ARG. Equations, conventions and
// statuses are those of limb/dynamics.h.
#ifndef LIMB_HYBRID_H
#define LIMB_HYBRID_H

#include "limb/directional.h"
#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is given of a degree of freedom. Values are pinned.
typedef enum limb_given { LIMB_FORCE_GIVEN = 0, LIMB_ACCELERATION_GIVEN = 1 } limb_given;

/// Marks for the inverse problem: forces of passive joints (limb_joint_info) are given, of all others the
/// accelerations.
/// @param given  nv marks (output)
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_mark_passive(const limb_model* m, unsigned char* given);

/// Marks all degrees of freedom of one joint, and leaves the others as they are.
/// @return LIMB_OK or LIMB_E_ARG (NULL, no such joint, a mimic joint, no such mark).
LIMB_NODISCARD LIMB_API limb_status limb_mark_joint(const limb_model* m, int joint, limb_given mark,
                                                    unsigned char* given);

/// How many of nv marks are like that: nb and nm of limb/moving_base.h, say. -1 for NULL. O(n).
LIMB_API int limb_mark_count(const limb_model* m, const unsigned char* given, limb_given mark);

/// Hybrid dynamics: completes x to a and tau with tau = M a + h + friction + springs - sum J' wrench.
/// One sweep over articulated bodies, O(n); when the force of a joint with mimic joints is given, through M
/// and its factors instead. limb_joint_reactions gives the wrenches in the joints, from a.
/// @param given  nv marks; NULL: limb_mark_passive
/// @param x      nv: accelerations and forces, as the marks say
/// @param a,tau  nv each, complete (output); one of them may be NULL
/// @return also LIMB_E_SINGULAR when the mass matrix of the force-given ones is not positive definite to
///         working precision.
/// Reference: Featherstone 2008, section 9.2; Khalil 2010, (72)-(82) and (99)-(112) corrected.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics(limb_data* d, const double* q, const double* v,
                                                         const unsigned char* given, const double* x,
                                                         const limb_environment* env, double* a, double* tau);

/// The inputs of limb_hybrid_dynamics, for calls that take more besides.
typedef struct limb_hybrid {
  const double* q;            ///< nq
  const double* v;            ///< nv
  const unsigned char* given; ///< nv marks; NULL: limb_mark_passive
  const double* x;            ///< nv
  const limb_environment* env;
} limb_hybrid;

/// The same by the rows of M of the force-given ones: the dense partition, O(n depth^2).
/// @param work  nv x nv scratch
/// @param a,tau  as in limb_hybrid_dynamics
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_mass_matrix(limb_data* d, const limb_hybrid* in,
                                                                        double* work, double* a, double* tau);

// ---- derivatives (limb/derivatives.h: along the tangent; what is held fixed) ------------------------

/// Where hybrid dynamics and its derivatives go. y is what was not given: the force where the acceleration
/// is, and the other way round. The three matrices are all needed (LIMB_E_ARG for NULL).
typedef struct limb_hybrid_derivatives {
  double* y;     ///< nv; NULL: not wanted
  double* dy_dq; ///< nv x nv
  double* dy_dv; ///< nv x nv
  double* dy_dx; ///< nv x nv
} limb_hybrid_derivatives;

/// y(q, v, x) of limb_hybrid_dynamics and its derivatives. With f for force-given and g for the others,
///     dy_f/dq = -M_ff^-1 dtau_f/dq,   dy_g/dq = dtau_g/dq + M_gf dy_f/dq      (the same by v)
///     dy/dx = [M_ff^-1, -M_ff^-1 M_fg; M_gf M_ff^-1, M_gg - M_gf M_ff^-1 M_fg]
/// O(n depth) and an exchange of O(n^2) for each force-given degree of freedom.
/// @return also LIMB_E_SINGULAR, and LIMB_E_UNSUPPORTED beyond LIMB_DERIVATIVES_MOST velocities.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_derivatives(limb_data* d, const limb_hybrid* in,
                                                                     const limb_hybrid_derivatives* out);

/// Derivatives along directions: dy = dy/dq dq + dy/dv dv + dy/dx dx, O(n) a direction. In `along` the
/// change of x is said by da where the acceleration is given and by dtau where the force is: both may be
/// there, entries that the marks do not ask for are not looked at.
/// @param dy  along->count x nv
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_along(limb_dual* w, const limb_hybrid* in,
                                                               const limb_directions* along, double* dy);

/// dy / d wrench, for a wrench (moment; force) on a frame in ref.
/// @param work  nv x nv scratch
/// @param out   nv x 6
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_wrench(limb_data* d, const double* q,
                                                                   const unsigned char* given, int frame, limb_ref ref,
                                                                   double* work, double* out);

/// dy / d gravity, the acceleration of gravity in world axes.
/// @param work  nv x nv scratch
/// @param out   nv x 3
/// @return also LIMB_E_SINGULAR.
LIMB_NODISCARD LIMB_API limb_status limb_hybrid_dynamics_by_gravity(limb_data* d, const double* q,
                                                                    const unsigned char* given, double* work,
                                                                    double* out);

#ifdef __cplusplus
}
#endif

#endif
