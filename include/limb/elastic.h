// limb: robot dynamics in C. Elastic joints: motor trajectories and static deflection.
//
// A joint is elastic in one of two ways. Lumped (Khalil 2010, section 6): it has a spring (stiffness, rest), a
// damper (viscous) and no motor; it is passive, and limb_hybrid_dynamics tells its acceleration and the
// torques of the others. Series elastic: a motor drives it through a shaft (limb_shaft_def in
// limb/builder.h); motor and link are two coordinates, and all calls know both. With gear ratio N,
//
//     T = k (q_motor / N - q - rest) + c (v_motor / N - v)       what the shaft does to the joint
//     the joint's equation has T among its forces, the motor's -T / N
//
// docs/elastic.md tells more.
#ifndef LIMB_ELASTIC_H
#define LIMB_ELASTIC_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  LIMB_ELASTIC_ORDER_MAX = 16 ///< highest derivative of a link trajectory that is looked at
};

/// Derivatives of the link trajectory that limb_elastic_inverse needs in the default environment: 2 for
/// rigid robots, 4 with shafts without damping and uncoupled rotors (Spong's model), 3 with damping. Where
/// the equation of an elastic joint contains the acceleration of another's motor (the full model), two more
/// for each of them along the way, or one if its shaft is damped; a chain of n such joints needs 2 (n + 1).
/// Without friction dampers do nothing, and as many are needed as without them. Who contains whom is told
/// by the tree: a joint and a motor of which one carries the other, if the outer one moves some inertia.
/// @return -1 for NULL, when it is more than LIMB_ELASTIC_ORDER_MAX, when the shafts cannot be solved one after
///         the other (a motor that drives two joints, that carries its own joint or is carried by it), and
///         when there is no memory to find out: it allocates for a moment, from where the model came from.
LIMB_API int limb_elastic_order(const limb_model* m);

/// Workspace of limb_elastic_inverse, for one thread.
typedef struct limb_series limb_series;

/// Allocates (alloc NULL: malloc). Free with limb_series_destroy.
/// @return LIMB_OK; LIMB_E_ARG (NULL, half an allocator); LIMB_E_UNSUPPORTED (limb_elastic_order is -1);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_series_create(const limb_model* m, const limb_allocator* alloc,
                                                       limb_series** out);
LIMB_API void limb_series_destroy(limb_series* w);

/// A trajectory at one instant. What it says of the motors of shafts is not looked at, but for the q of those
/// behind dampers: it is where they are, and the rest follows.
typedef struct limb_trajectory {
  const double* q; ///< nq
  int order;       ///< derivatives given, at least limb_elastic_order()
  const double* d; ///< order x nv: v, a, and the further derivatives of the components of v
} limb_trajectory;

/// What motors must do so that the links move as the trajectory says: analytic, by Taylor series in time
/// through the recursive Newton-Euler kernel; O(n) for each level of coupled motors.
/// Without damping q_motor = N (q + rest + T / k), where T is what the joint needs. With damping T is a
/// differential equation for the motor's angle, which therefore is an input: its velocity is the answer.
/// Coulomb friction without a width is constant next to v: T jumps where v changes its sign.
/// @param q    nq: complete, motors included (output)
/// @param v,a  nv each, complete (output)
/// @param tau  nv: forces of motors and of joints without shafts, passive ones included: what must act there
///             for this motion; 0 for joints behind shafts (output)
/// @param env  wrenches are fixed in the components they are given by, and may not act on what a shaft's
///             motor turns; the base must be at rest and force laws are not followed (LIMB_E_UNSUPPORTED)
/// @return also LIMB_E_ARG when the order is too low, LIMB_E_UNSUPPORTED when without friction it would be
///         more than LIMB_ELASTIC_ORDER_MAX, LIMB_E_SINGULAR for a shaft without stiffness and damping. The
///         outputs are then not to be used.
/// Reference: De Luca, Book, Robots with flexible elements, Springer Handbook of Robotics, ch. 11;
/// Spong 1987; docs/elastic.md.
LIMB_NODISCARD LIMB_API limb_status limb_elastic_inverse(limb_series* w, const limb_trajectory* path,
                                                         const limb_environment* env, double* q, double* v, double* a,
                                                         double* tau);

/// Marks of what gives way under load: passive joints with a spring and joints behind a shaft are
/// force-given, everything else (motors, rigid joints, passive joints without a spring) holds still.
LIMB_NODISCARD LIMB_API limb_status limb_given_for_elastic(const limb_model* m, unsigned char* given);

/// Options and report of limb_static_deflection. Start from limb_default_deflection().
typedef struct limb_deflection {
  size_t size;           ///< sizeof(limb_deflection), set by the default function
  double tolerance;      ///< on the imbalance, of the largest spring or given force, and on the step
                         ///< that is left [rad or m], of the largest coordinate or 1; default 1e-12
  int max_iterations;    ///< default 50
  int iterations;        ///< taken (output)
  double out_of_balance; ///< largest force that is left [N m or N] (output)
} limb_deflection;

LIMB_API limb_deflection limb_default_deflection(void);

/// Where the robot comes to rest under gravity and wrenches when the acceleration-given coordinates hold
/// still and the force-given ones give way: springs(q) + g(q) - sum J' wrench = tau for the latter.
/// Newton's method with the analytic stiffness d tau / d q, damped so that the imbalance falls; a step is
/// at most 1 (rad or m). Where a load outweighs the springs it goes downhill. Done when the imbalance is
/// within the tolerance, or is what rounding makes of stiff springs. O(n depth + f^3) an iteration, with f
/// force-given ones.
/// @param given  nv marks; NULL: limb_given_for_elastic
/// @param tau    nv: forces of the force-given ones; NULL: zero
/// @param o      NULL: defaults
/// @param work   nv (nv + 4) + nq numbers of scratch
/// @param q      nq: start (in), equilibrium (out); untouched on failure
/// @return also LIMB_E_NOCONV, LIMB_E_SINGULAR when nothing holds a coordinate that gives way (no spring, an
///         equilibrium that the load pushes out of: buckling), and LIMB_E_UNSUPPORTED with force laws and
///         beyond LIMB_DERIVATIVES_MAX velocities.
LIMB_NODISCARD LIMB_API limb_status limb_static_deflection(limb_data* d, const unsigned char* given, const double* tau,
                                                           const limb_environment* env, limb_deflection* o,
                                                           double* work, double* q);

#ifdef __cplusplus
}
#endif

#endif
