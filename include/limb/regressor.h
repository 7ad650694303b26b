// limb: robot dynamics in C. The parameters of a model, and what is linear in them.
//
//     tau = Y(q, v, a) theta        inverse dynamics without external wrenches
//
// theta holds, for every body that a moving joint carries (bodies fixed to it merged with it, in the order
// of the bodies), the ten inertial parameters m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz, the inertia
// about the origin of that body and in its axes; then for every joint with one degree of freedom, mimic
// joints too, in the order of the joints: rotor inertia, viscous and Coulomb friction, stiffness, offset;
// then for every shaft, in the order of the shafts: stiffness, damping, offset.
// docs/parameters.md tells more.
//
// Calls with a workspace never allocate; threads share the model, not the workspace; statuses as in
// limb/dynamics.h. Matrices are row-major; np is limb_parameter_count(). Inputs must not overlap outputs.
#ifndef LIMB_REGRESSOR_H
#define LIMB_REGRESSOR_H

#include "limb/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// X(ENUM, value, "symbol"): what a parameter is. Values are pinned; the first ten are in the order of
/// limb_inertia_to_parameters, the others in that of the columns of a joint, and of a shaft.
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

/// One entry of theta. Its name is that of the body or joint, a dot, and the symbol: "forearm.mx",
/// "elbow.viscous"; a shaft goes by the joint it drives: "elbow.shaft_stiffness". Texts live as long as the
/// model.
typedef struct limb_parameter_info {
  limb_parameter_kind kind;
  int body;           ///< -1 for a parameter of a joint
  int joint;          ///< -1 for a parameter of a body; of a shaft: the joint it drives
  const char* of;     ///< name of the body or joint
  const char* symbol; ///< "mx", "viscous", ...
  const char* unit;   ///< "kg", "kg m", "kg m^2", "N m s/rad", ...
} limb_parameter_info;

/// Length np of theta. O(n); 0 for NULL.
LIMB_API int limb_parameter_count(const limb_model* m);

/// O(n).
/// @return LIMB_OK or LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_parameter(const limb_model* m, int index, limb_parameter_info* out);

/// The model's own values. The rotor inertia is the reflected one, gear_ratio^2 rotor_inertia; the offset is
/// -stiffness rest, what the spring exerts at q = 0, and so is that of a shaft. O(n), and n for every body
/// fixed to a moving one.
/// @param theta  np numbers (output)
/// @return LIMB_OK, LIMB_E_ARG (NULL) or LIMB_E_NONFINITE (gear_ratio^2 overflows, say).
LIMB_NODISCARD LIMB_API limb_status limb_parameters(const limb_model* m, double* theta);

/// Regressor of inverse dynamics: Y theta = tau of limb_inverse_dynamics with the same q, v, a and env, but
/// without the wrenches of env, for every theta. The five columns of a joint, in the row of its velocity,
/// are k k a (rotor), k k v (viscous), k sign(k v) (Coulomb), k q_joint (stiffness) and k (offset), where k
/// is the multiplier of a mimic joint, else 1. The three columns of a shaft are x (stiffness), x' (damping)
/// and 1 (offset), where x = q_motor / ratio - q_joint, times -1 in the row of the joint and 1 / ratio in
/// that of the motor. With friction 0 in env those of friction and damping are zero.
/// @param Y  nv x np (output)
/// Reference: Atkeson, An, Hollerbach, Estimation of inertial parameters of manipulator loads and links,
/// 1986. O(n depth), and nv np for the zeros.
LIMB_NODISCARD LIMB_API limb_status limb_regressor(limb_data* d, const double* q, const double* v, const double* a,
                                                   const limb_environment* env, double* Y);

/// Regressor of the generalised momentum: Y theta = M(q) v, rotors included.
/// @param Y  nv x np (output)
LIMB_NODISCARD LIMB_API limb_status limb_generalized_momentum_regressor(limb_data* d, const double* q, const double* v,
                                                                        double* Y);

/// Regressor of the momentum of all bodies, as limb_momentum gives it: world axes, about the world's origin.
/// Rotors do not enter.
/// @param Y  6 x np, rows mx my mz fx fy fz (output)
LIMB_NODISCARD LIMB_API limb_status limb_momentum_regressor(limb_data* d, const double* q, const double* v, double* Y);

/// Regressors of the energies of limb_energies, one row each: kinetic theta = kinetic energy; potential
/// theta = gravity + springs - c, where the constant c, which no motion changes, is the energy of bodies
/// fixed to the world and stiffness rest^2 / 2 of every spring and shaft. O(n).
/// @param kinetic, potential  np numbers each (output); NULL: not wanted
LIMB_NODISCARD LIMB_API limb_status limb_energy_regressor(limb_data* d, const double* q, const double* v,
                                                          const limb_environment* env, double* kinetic,
                                                          double* potential);

// ---- base parameters: the fewest numbers that decide inverse dynamics -------------------------------
//
// Base parameters: the fewest numbers that decide a robot's inverse dynamics.
//
// Of the parameters theta (limb/regressor.h) some have no effect on tau, and some only in combination with
// others. The base parameters theta_b = K theta are the smallest set with
//
//     tau = Y(q, v, a) theta = Y_b(q, v, a) theta_b
//
// They are found twice: from the structure of the robot, by the energy argument of Gautier and Khalil on
// the compiled links, which gives formulas; and from the rank of the regressor at random states, by pivoted
// QR. limb_base_facts tells whether the two agree. docs/parameters.md tells how, and how to read a formula.
//
// The object is made once (it allocates) and never changes: threads may share it.

typedef struct limb_base_parameters limb_base_parameters;

enum {
  LIMB_BASE_MAX = 2048, ///< parameters of a model: time grows with their cube

  // What to leave out, to be combined by |. Parameters that are left out count as zero.
  LIMB_BASE_NO_ROTORS = 1,
  LIMB_BASE_NO_SPRINGS = 2,     ///< stiffness and offset
  LIMB_BASE_STRUCTURE_ONLY = 4, ///< no random states: the facts have numeric -1
};

/// Finds the base parameters of a model.
/// @param env    gravity, whether there is friction (0: left out), coulomb_width; NULL: the default. The
///               base must be at rest; wrenches do not enter
/// @param flags  LIMB_BASE_NO_ROTORS, ... or 0
/// @param alloc  NULL: malloc. Copied
/// @param out    to be freed with limb_base_destroy; the model must live as long
/// @return LIMB_OK; LIMB_E_ARG (NULL, unknown flags, half an allocator, a base that moves);
///         LIMB_E_UNSUPPORTED (more than LIMB_BASE_MAX parameters); LIMB_E_SINGULAR (Y and Y_b K differ: the
///         geometry is too ill-conditioned to tell what is parallel); LIMB_E_NONFINITE (env, or a robot
///         beyond all measure: squares of its lengths must be numbers); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_base_create(const limb_model* m, const limb_environment* env, unsigned flags,
                                                     const limb_allocator* alloc, limb_base_parameters** out);

/// NULL is accepted.
LIMB_API void limb_base_destroy(limb_base_parameters* b);

/// Number nb of base parameters. 0 for NULL.
LIMB_API int limb_base_count(const limb_base_parameters* b);

/// How the set was found, and how sure it is.
typedef struct limb_base_facts {
  int parameters;  ///< length np of theta
  int considered;  ///< those that were not left out
  int structure;   ///< base parameters by the rules of structure
  int numeric;     ///< rank of the regressor at random states; -1: not asked for
  int agree;       ///< 1: the same number and the same span. 0: see below
  double kept;     ///< last pivot that counts, relative to the largest
  double dropped;  ///< first that does not; it is clear when none is between 1e-6 and 1e-11
  double residual; ///< largest |Y - Y_b K| at the random states, relative to the largest entry
} limb_base_facts;

/// When the two do not agree: with mimic joints the rules of structure may miss combinations (numeric <
/// structure), and those that the QR found are then used, with numbers for coefficients. Otherwise, or when
/// the decision is not clear, the set is the one of structure, and not proven minimal: mostly because axes
/// are nearly, but not quite, parallel or at right angles.
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_base_get_facts(const limb_base_parameters* b, limb_base_facts* out);

/// Name and formula of a base parameter; NULL when the index is out of range. They are in the parameters
/// of the compiled links, numbered from 1 as the rows of limb_get_mdh: "ZZR2" and "ZZ2 + Ia2 + d3^2 M3".
/// Terms below 1e-10 of the largest of their row, in lengths of the robot, are left out; K has them.
LIMB_API const char* limb_base_name(const limb_base_parameters* b, int index);
LIMB_API const char* limb_base_formula(const limb_base_parameters* b, int index);

/// K: nb x np, row-major. NULL for NULL.
LIMB_API const double* limb_base_matrix(const limb_base_parameters* b);

/// theta_b = K theta.
/// @param theta    np numbers; NULL: those of the model
/// @param theta_b  nb numbers (output)
/// @return LIMB_OK, LIMB_E_ARG (NULL) or LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_base_values(const limb_base_parameters* b, const double* theta,
                                                     double* theta_b);

/// What can be known about one parameter of theta from motions and torques. Values are pinned.
typedef enum limb_base_effect {
  LIMB_EFFECT_NONE = 0,     ///< no influence on tau
  LIMB_EFFECT_COMBINED = 1, ///< only in combination with others
  LIMB_EFFECT_ALONE = 2,    ///< it is a base parameter itself
  LIMB_EFFECT_LEFT_OUT = 3  ///< by the flags, or no friction in the environment
} limb_base_effect;

/// LIMB_EFFECT_NONE also for an index out of range.
LIMB_API limb_base_effect limb_base_effect_of(const limb_base_parameters* b, int parameter);

/// Reduced regressor: Y_b theta_b = tau of limb_inverse_dynamics in the environment that b was made for
/// (without the parameters that were left out).
/// @param d     a workspace of the same model
/// @param work  limb_base_work(b) numbers: scratch
/// @param Y_b   nv x nb, row-major (output)
/// @return as limb_regressor; LIMB_E_ARG also for a workspace of another model.
LIMB_NODISCARD LIMB_API limb_status limb_base_regressor(const limb_base_parameters* b, limb_data* d, const double* q,
                                                        const double* v, const double* a, double* work, double* Y_b);

/// nv np. 0 for NULL.
LIMB_API size_t limb_base_work(const limb_base_parameters* b);

#ifdef __cplusplus
}
#endif

#endif
