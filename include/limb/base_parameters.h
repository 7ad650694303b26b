// limb: robot dynamics in C. Base parameters: the fewest numbers that decide a robot's inverse dynamics.
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
#ifndef LIMB_BASE_PARAMETERS_H
#define LIMB_BASE_PARAMETERS_H

#include "limb/regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limb_base_parameters limb_base_parameters;

enum {
  LIMB_BASE_MOST = 2048, ///< parameters of a model: time grows with their cube

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
///         LIMB_E_UNSUPPORTED (more than LIMB_BASE_MOST parameters); LIMB_E_SINGULAR (Y and Y_b K differ: the
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
