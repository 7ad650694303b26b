// limb: robot dynamics in C. The parameters of a model, regressors, base parameters.
//
//     const int np = limb_parameter_count(model);
//     if (limb_parameters(model, theta) != LIMB_OK) return 1;            // np numbers
//     if (limb_regressor(d, q, v, a, NULL, Y) != LIMB_OK) return 1;      // nv x np: tau = Y theta
//
// Inverse dynamics without external wrenches is linear in the parameters: tau = Y(q, v, a) theta. theta consists of
// - for each body that has a moving joint, in the order of the bodies: the ten inertial parameters m, mx, my, mz, Ixx,
//   Ixy, Ixz, Iyy, Iyz, Izz, with the inertia about the origin and in the axes of that body; bodies fixed to it are
//   merged with it, auxiliary bodies that readers add (limb_stands_for) are not named;
// - for each joint with one degree of freedom, mimic joints included, in the order of the joints: rotor inertia,
//   viscous friction, Coulomb friction, stiffness, offset;
// - for each shaft, in the order of the shafts: stiffness, damping, offset.
// Tendons, and armature and damping of joints with several degrees of freedom, are not among them: Y theta is tau
// without these forces, and a note of the model names them. See docs/parameters.md.
//
// np is limb_parameter_count(). Matrices are row-major. Inputs must not overlap outputs. Calls with a workspace never
// allocate; threads share the model, not the workspace. Statuses are those of limb/dynamics.h. For a robot with loops
// Y has the forces along the independent velocities; base parameters are those of the spanning tree.
#ifndef LIMB_REGRESSOR_H
#define LIMB_REGRESSOR_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// X(ENUM, value, "symbol"): kinds of parameters. Values are pinned. The first ten are in the order of
/// limb_inertia_to_parameters, the others in the order of the columns of a joint and of a shaft.
#define LIMB_PARAMETER_LIST(X)              \
  X(M, 0, "m")                              \
  X(MX, 1, "mx")                            \
  X(MY, 2, "my")                            \
  X(MZ, 3, "mz")                            \
  X(IXX, 4, "Ixx")                          \
  X(IXY, 5, "Ixy")                          \
  X(IXZ, 6, "Ixz")                          \
  X(IYY, 7, "Iyy")                          \
  X(IYZ, 8, "Iyz")                          \
  X(IZZ, 9, "Izz")                          \
  X(ROTOR, 10, "rotor")                     \
  X(VISCOUS, 11, "viscous")                 \
  X(COULOMB, 12, "coulomb")                 \
  X(STIFFNESS, 13, "stiffness")             \
  X(OFFSET, 14, "offset")                   \
  X(SHAFT_STIFFNESS, 15, "shaft_stiffness") \
  X(SHAFT_DAMPING, 16, "shaft_damping")     \
  X(SHAFT_OFFSET, 17, "shaft_offset")

typedef enum limb_parameter_kind {
#define LIMB_X(name, value, text) LIMB_PARAMETER_##name = (value),
  LIMB_PARAMETER_LIST(LIMB_X)
#undef LIMB_X
} limb_parameter_kind;

enum {
  LIMB_BODY_PARAMETERS = 10, ///< of a body
  LIMB_JOINT_PARAMETERS = 5, ///< of a joint with one degree of freedom
  LIMB_SHAFT_PARAMETERS = 3  ///< of a shaft
};

/// One entry of theta. Its name is that of the body or joint, a dot, and the symbol: "forearm.mx", "elbow.viscous"; for
/// a shaft, that of the joint it drives: "elbow.shaft_stiffness". Strings are valid as long as the model.
typedef struct limb_parameter_info {
  limb_parameter_kind kind;
  int body;           ///< -1: a parameter of a joint or shaft
  int joint;          ///< -1: a parameter of a body; for a shaft the joint it drives
  const char* of;     ///< name of the body or joint
  const char* symbol; ///< "mx", "viscous", ...
  const char* unit;   ///< "kg", "kg m", "kg m^2", "N m s/rad", ...
} limb_parameter_info;

/// Length np of theta; 0 if m is NULL. O(n).
LIMB_API int limb_parameter_count(const limb_model* m);

/// Describes one parameter. O(n).
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_parameter(const limb_model* m, int index, limb_parameter_info* out);

/// The parameters of the model. The rotor inertia is the reflected one, gear_ratio^2 rotor_inertia. The offset of a
/// spring or shaft is -stiffness rest, its force at q = 0. O(n), and another O(n) for each body fixed to a moving one.
/// @param theta  np numbers (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NONFINITE (a product such as gear_ratio^2 overflows).
LIMB_NODISCARD LIMB_API limb_status limb_parameters(const limb_model* m, double* theta);

/// The parameters of the bodies alone, which come first: 10 for each body that a moving joint carries.
LIMB_API int limb_inertial_parameter_count(const limb_model* m);

/// The columns of these: the first ones of limb_regressor, at a third of its cost or less.
/// @param Y  nv x limb_inertial_parameter_count() (output)
/// @return as limb_regressor.
LIMB_NODISCARD LIMB_API limb_status limb_inertial_regressor(limb_data* d, const double* q, const double* v,
                                                            const double* a, const limb_environment* env, double* Y);

/// Regressor of inverse dynamics: for every theta, Y theta = tau of limb_inverse_dynamics at the same q, v, a and env,
/// but without the wrenches of env. The five columns of a joint, in the row of its velocity, are k k a (rotor), k k v
/// (viscous), k sign(k v) (Coulomb), k q_joint (stiffness) and k (offset), where k is the multiplier of a mimic joint,
/// otherwise 1. The three columns of a shaft are x (stiffness), x' (damping) and 1 (offset), where
/// x = q_motor / ratio - q_joint, times -1 in the row of the joint and times 1 / ratio in that of the motor. Without
/// friction in env the columns of friction and damping are zero. O(n depth), and nv np to clear.
/// @param Y  nv x np (output)
/// Reference: Atkeson, An, Hollerbach, Estimation of inertial parameters of manipulator loads and links, 1986.
LIMB_NODISCARD LIMB_API limb_status limb_regressor(limb_data* d, const double* q, const double* v, const double* a,
                                                   const limb_environment* env, double* Y);

/// Regressor of Slotine and Li, for adaptive control: Y theta = M(q) a_r + C(q, v) v_r + g(q) + springs, with the C of
/// limb_coriolis_matrix (dM/dt - 2 C is skew), and the friction of env at v_r. With v_r = v and a_r = a it is
/// limb_regressor. In a controller v_r = v_d - Lambda e and a_r = dv_r/dt; where friction counts at v_r instead of v,
/// the difference is dissipated. The base must be at rest. O(n depth), and nv np to clear.
/// @param Y  nv x np (output)
/// @return also LIMB_E_ARG (a moving base); LIMB_E_UNSUPPORTED (loops).
/// Reference: J.-J. Slotine, W. Li, On the adaptive control of robot manipulators, 1987.
LIMB_NODISCARD LIMB_API limb_status limb_slotine_li_regressor(limb_data* d, const double* q, const double* v,
                                                              const double* v_r, const double* a_r,
                                                              const limb_environment* env, double* Y);

/// Regressor of the generalised momentum: Y theta = M(q) v, rotors included.
/// @param Y  nv x np (output)
LIMB_NODISCARD LIMB_API limb_status limb_generalized_momentum_regressor(limb_data* d, const double* q, const double* v,
                                                                        double* Y);

/// Regressor of limb_momentum about the origin of the world, in world axes. Rotors have no effect.
/// @param Y  6 x np, rows mx my mz fx fy fz (output)
LIMB_NODISCARD LIMB_API limb_status limb_momentum_regressor(limb_data* d, const double* q, const double* v, double* Y);

/// Regressors of limb_energies, one row each: kinetic theta = kinetic energy, potential theta = gravity + springs - c.
/// The constant c does not depend on the motion: it is the energy of bodies fixed to the world, and stiffness rest^2 /
/// 2 of each spring and shaft. O(n).
/// @param kinetic, potential  np numbers each; NULL: not computed (output)
LIMB_NODISCARD LIMB_API limb_status limb_energy_regressor(limb_data* d, const double* q, const double* v,
                                                          const limb_environment* env, double* kinetic,
                                                          double* potential);

// ---- base parameters: the smallest set that determines inverse dynamics ------------------------------
//
//     limb_base_parameters* b = NULL;
//     if (limb_base_create(model, NULL, 0, NULL, &b) != LIMB_OK) return 1;
//     for (int k = 0; k < limb_base_count(b); k++) printf("%s = %s\n", limb_base_name(b, k), limb_base_formula(b, k));
//
// Some of the parameters theta have no effect on tau, others only in combination. The base parameters theta_b = K theta
// are the smallest set with
//
//     tau = Y(q, v, a) theta = Y_b(q, v, a) theta_b
//
// They are computed in two ways: from the structure of the robot, by the energy argument of Gautier and Khalil on the
// compiled links, which yields formulas; and from the rank of the regressor at random states, by pivoted QR.
// limb_base_get_facts reports whether both agree. docs/parameters.md explains the method and how to read a formula.
//
// limb_base_create allocates. The result is immutable: threads may share it.

typedef struct limb_base_parameters limb_base_parameters;

enum {
  LIMB_BASE_MAX = 2048, ///< parameters of a model: time grows with the cube of their number

  // Parameters to exclude, combined by |. Excluded parameters count as zero.
  LIMB_BASE_NO_ROTORS = 1,
  LIMB_BASE_NO_SPRINGS = 2,     ///< stiffness and offset
  LIMB_BASE_STRUCTURE_ONLY = 4, ///< no random states: limb_base_facts.numeric is -1
};

/// Computes the base parameters of a model. The model must outlive them.
/// @param env    gravity, friction (0: excluded) and coulomb_width; NULL: the default environment. The base must be at
///               rest; wrenches have no effect
/// @param flags  LIMB_BASE_NO_ROTORS, ... or 0
/// @param alloc  NULL: malloc. Copied
/// @param out    free with limb_base_destroy (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, unknown flags, incomplete allocator, a moving base); LIMB_E_UNSUPPORTED (more
///         than LIMB_BASE_MAX parameters); LIMB_E_SINGULAR (Y and Y_b K differ: the geometry is too ill-conditioned to
///         determine which axes are parallel); LIMB_E_NONFINITE (env, or lengths whose squares overflow);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_base_create(const limb_model* m, const limb_environment* env, unsigned flags,
                                                     const limb_allocator* alloc, limb_base_parameters** out);

/// Frees base parameters; NULL is accepted.
LIMB_API void limb_base_destroy(limb_base_parameters* b);

/// Number nb of base parameters. 0 if b is NULL.
LIMB_API int limb_base_count(const limb_base_parameters* b);

/// How the set was computed, and how reliable it is.
typedef struct limb_base_facts {
  int parameters;  ///< length np of theta
  int considered;  ///< parameters that were not excluded
  int structure;   ///< number of base parameters by the rules of structure
  int numeric;     ///< rank of the regressor at random states; -1: not computed
  int agree;       ///< 1: both have the same number and span; 0: see limb_base_get_facts
  double kept;     ///< last pivot that counts, relative to the largest
  double dropped;  ///< first pivot that does not; the decision is clear if none is between 1e-6 and 1e-11
  double residual; ///< largest |Y - Y_b K| at the random states, relative to the largest entry
} limb_base_facts;

/// Facts about the set. If the two methods disagree: with mimic joints the rules of structure may miss combinations
/// (numeric < structure); then the set is the one of the QR decomposition, with numbers as coefficients. Otherwise, or
/// if the decision is not clear, the set is the one of structure, and not proven minimal. The usual reason is axes that
/// are almost parallel or perpendicular.
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_base_get_facts(const limb_base_parameters* b, limb_base_facts* out);

/// Name and formula of a base parameter, such as "ZZR2" and "ZZ2 + Ia2 + d3^2 M3"; NULL if the index is out of range.
/// They are in the parameters of the compiled links, numbered from 1 in the order of limb_get_mdh. Formulas omit terms
/// below 1e-10 of the largest of their row, in lengths of the robot; K includes them.
LIMB_API const char* limb_base_name(const limb_base_parameters* b, int index);
LIMB_API const char* limb_base_formula(const limb_base_parameters* b, int index);

/// K: nb x np, row-major. NULL if b is NULL.
LIMB_API const double* limb_base_matrix(const limb_base_parameters* b);

/// theta_b = K theta.
/// @param theta    np numbers; NULL: those of the model
/// @param theta_b  nb numbers (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_base_values(const limb_base_parameters* b, const double* theta,
                                                     double* theta_b);

/// How a parameter of theta affects tau, that is, whether it can be identified. Values are pinned.
typedef enum limb_base_effect {
  LIMB_EFFECT_NONE = 0,     ///< no effect
  LIMB_EFFECT_COMBINED = 1, ///< only in combination with others
  LIMB_EFFECT_ALONE = 2,    ///< it is itself a base parameter
  LIMB_EFFECT_LEFT_OUT = 3  ///< excluded by the flags, or no friction in the environment
} limb_base_effect;

/// LIMB_EFFECT_NONE also if b is NULL or the index is out of range.
LIMB_API limb_base_effect limb_base_effect_of(const limb_base_parameters* b, int parameter);

/// Regressor of the base parameters: Y_b theta_b = tau of limb_inverse_dynamics in the environment passed to
/// limb_base_create, without the excluded parameters.
/// @param d     a workspace of the same model
/// @param work  limb_base_work(b) numbers of scratch
/// @param Y_b   nv x nb, row-major (output)
/// @return as limb_regressor; LIMB_E_ARG also for a workspace of another model.
LIMB_NODISCARD LIMB_API limb_status limb_base_regressor(const limb_base_parameters* b, limb_data* d, const double* q,
                                                        const double* v, const double* a, double* work, double* Y_b);

/// nv np. 0 if b is NULL.
LIMB_API size_t limb_base_work(const limb_base_parameters* b);

#ifdef __cplusplus
}
#endif

#endif
