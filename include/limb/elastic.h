// limb: robot dynamics in C. Elastic joints: motor trajectories and static deflection.
//
//     const limb_trajectory path = {q_links, limb_elastic_order(model), derivatives};
//     if (limb_series_create(model, NULL, &w) != LIMB_OK) return 1;
//     if (limb_elastic_inverse(w, &path, NULL, q, v, a, tau) != LIMB_OK) return 1;
//
// A joint is elastic in one of two ways. Lumped (Khalil 2010, section 6): it has a spring (stiffness, rest), a damper
// (viscous) and no motor; it is passive, and limb_hybrid_dynamics computes its acceleration and the torques of the
// other joints. Series elastic: a motor drives it through a shaft (limb_shaft_def in limb/builder.h); motor and link
// have a coordinate each, and all calls handle both. With gear ratio N, the torque of the shaft on the joint is
//
//     T = k (q_motor / N - q - rest) + c (v_motor / N - v)
//
// and -T / N acts on the motor. See docs/elastic.md.
//
// Statuses are those of limb/dynamics.h. Both calls are for trees only (LIMB_E_UNSUPPORTED).
#ifndef LIMB_ELASTIC_H
#define LIMB_ELASTIC_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_ELASTIC_ORDER_MAX = 16 ///< highest derivative of a link trajectory that is used
};

/// Number of derivatives of the link trajectory that limb_elastic_inverse needs in the default environment: 2 for rigid
/// robots, 4 with shafts without damping and uncoupled rotors (Spong's model), 3 with damping. If the equation of an
/// elastic joint contains the acceleration of another joint's motor (the full model), each such motor along the chain
/// adds two, or one if its shaft is damped; a chain of n such joints needs 2 (n + 1). Without friction dampers have no
/// effect, and the number is that without damping. The tree determines which equation contains which motor: a joint and
/// a motor of which one carries the other, if the outer one moves some inertia. Allocates temporarily, with the
/// allocator of the model.
/// @return the number; -1: m is NULL, the number exceeds LIMB_ELASTIC_ORDER_MAX, the shafts cannot be solved one after
///         the other (a motor that drives two joints, that carries its own joint or is carried by it), or out of
///         memory.
LIMB_API int limb_elastic_order(const limb_model* m);

/// Workspace of limb_elastic_inverse, for one thread.
typedef struct limb_series limb_series;

/// Allocates (alloc NULL: malloc) and initialises a workspace. Free with limb_series_destroy.
/// @return LIMB_OK; LIMB_E_ARG (NULL, incomplete allocator); LIMB_E_UNSUPPORTED (loops, or limb_elastic_order is -1);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_series_create(const limb_model* m, const limb_allocator* alloc,
                                                       limb_series** out);
LIMB_API void limb_series_destroy(limb_series* w);

/// A trajectory at one instant. Entries of the motors of shafts are ignored, except for q of motors with damped shafts,
/// which is an input.
typedef struct limb_trajectory {
  const double* q; ///< nq
  int order;       ///< number of derivatives, at least limb_elastic_order()
  const double* d; ///< order x nv: v, a, and the further derivatives of the components of v
} limb_trajectory;

/// The motion and the torques of the motors for which the links follow the trajectory. Analytic: Taylor series in time
/// through the recursive Newton-Euler kernel. O(n) for each level of coupled motors.
/// Without damping q_motor = N (q + rest + T / k), where T is the torque that the joint requires. With damping that is
/// a differential equation for the angle of the motor; the angle is therefore an input, and its velocity is computed.
/// Coulomb friction without a width is constant near v: T jumps where v changes its sign.
/// @param q    nq: complete, motors included (output)
/// @param v,a  nv each, complete (output)
/// @param tau  nv: forces at motors and at joints without shafts, passive ones included, that this motion requires; 0
///             for joints with shafts (output)
/// @param env  wrenches are constant in the components as given, and must not act on bodies that the motor of a shaft
///             turns; the base must be at rest, and there must be no force laws (LIMB_E_UNSUPPORTED)
/// @return also LIMB_E_ARG (too few derivatives); LIMB_E_UNSUPPORTED (without friction more than
///         LIMB_ELASTIC_ORDER_MAX would be needed); LIMB_E_SINGULAR (a shaft without stiffness and damping). On failure
///         outputs are unspecified.
/// Reference: De Luca, Book, Robots with flexible elements, Springer Handbook of Robotics, ch. 11; Spong 1987;
/// docs/elastic.md.
LIMB_NODISCARD LIMB_API limb_status limb_elastic_inverse(limb_series* w, const limb_trajectory* path,
                                                         const limb_environment* env, double* q, double* v, double* a,
                                                         double* tau);

/// Marks of the coordinates that deflect under load: force given for passive joints with a spring and for joints with
/// a shaft, acceleration given for all others (motors, rigid joints, passive joints without a spring).
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_given_for_elastic(const limb_model* m, unsigned char* given);

/// Options and results of limb_static_deflection. Start from limb_default_deflection().
typedef struct limb_deflection {
  size_t size;           ///< sizeof(limb_deflection), set by the default function
  double tolerance;      ///< of the imbalance, relative to the largest spring or given force, and of the last step
                         ///< [rad or m], relative to the largest coordinate or 1; default 1e-12
  int max_iterations;    ///< default 50
  int iterations;        ///< number of iterations (output)
  double out_of_balance; ///< largest remaining force [N m or N] (output)
} limb_deflection;

LIMB_API limb_deflection limb_default_deflection(void);

/// Static equilibrium under gravity and wrenches: acceleration-given coordinates do not move, force-given ones deflect
/// until springs(q) + g(q) - sum J' wrench = tau for the latter.
/// Newton's method with the analytic stiffness d tau / d q, damped so that the imbalance decreases; a step is at most 1
/// (rad or m). Where a load exceeds the springs it descends in energy. It ends if the imbalance is within the tolerance
/// or within the rounding errors of stiff springs. O(n depth + f^3) per iteration, for f force-given coordinates.
/// @param given  nv marks; NULL: limb_given_for_elastic
/// @param tau    nv: forces of the force-given coordinates; NULL: zero
/// @param o      NULL: defaults
/// @param work   nv (nv + 4) + nq numbers of scratch
/// @param q      nq: start (in), equilibrium (out); unchanged on failure
/// @return also LIMB_E_NOCONV; LIMB_E_SINGULAR (nothing holds a deflecting coordinate: it has no spring, or the load
///         makes the equilibrium unstable: buckling); LIMB_E_UNSUPPORTED (force laws, loops, more than
///         LIMB_DERIVATIVES_MAX velocities).
LIMB_NODISCARD LIMB_API limb_status limb_static_deflection(limb_data* d, const unsigned char* given, const double* tau,
                                                           const limb_environment* env, limb_deflection* o,
                                                           double* work, double* q);

#ifdef __cplusplus
}
#endif

#endif
