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

#ifdef __cplusplus
}
#endif

#endif
