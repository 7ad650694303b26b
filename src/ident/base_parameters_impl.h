// Base parameters inside: what its files share.
//
// Link parameters are the ten inertial parameters of every compiled link, in link axes about the link's
// origin, then the five of every joint that has an actuator and the three of every shaft: the columns of
// `row`s below. (The user's are those of the bodies; a body has a constant pose in its link.)
#ifndef LIMB_BASE_PARAMETERS_IMPL_H
#define LIMB_BASE_PARAMETERS_IMPL_H

#include "limb/regressor.h"

#include "base/number.h"
#include "model/data_impl.h"

#include <stdbool.h>
#include <stddef.h>

// ---- regressor ----------------------------------------------------------------------------------------------

// The form that is linear in the ten inertial parameters of a body, as a row of ten numbers.
//
//   x . I y = m xv.yv + h.(yv x xw + xv x yw) + xw' I yw          x, y motions (w; v) at the body's origin

// out += k times the row of x . I y; everything in body axes at the body's origin.
static inline void limb_add_inertia_row(double k, sp_motion x, sp_motion y, double* out)
{
  const sp_vec3 a = x.w, b = y.w;
  const sp_vec3 h = sp_add3(sp_cross3(y.v, a), sp_cross3(x.v, b));
  out[0] += k * sp_dot3(x.v, y.v);
  out[1] += k * h.x, out[2] += k * h.y, out[3] += k * h.z;
  out[4] += k * (a.x * b.x);
  out[5] += k * (a.x * b.y + a.y * b.x);
  out[6] += k * (a.x * b.z + a.z * b.x);
  out[7] += k * (a.y * b.y);
  out[8] += k * (a.y * b.z + a.z * b.y);
  out[9] += k * (a.z * b.z);
}

// Whether the world body is at rest.
static inline bool limb_base_rests(const limb_environment* e)
{
  const sp_vec3 x[4] = {e->base_velocity.w, e->base_velocity.v, e->base_acceleration.w, e->base_acceleration.v};
  for (int k = 0; k < 4; k++)
    if (x[k].x != 0 || x[k].y != 0 || x[k].z != 0) return false;
  return true;
}

enum {
  LIMB_INERTIAL = LIMB_BODY_PARAMETERS,
  // Entries of a vector that may leave a link: its ten inertial parameters, and those of its actuator that
  // can be grouped with them.
  LIMB_LEAVE_ROTOR = LIMB_INERTIAL,
  LIMB_LEAVE_OFFSET,
  LIMB_LEAVE
};

// The parameter that an entry stands for.
static inline limb_parameter_kind limb_leave_kind(int entry)
{
  if (entry < LIMB_INERTIAL) return (limb_parameter_kind)entry;
  return entry == LIMB_LEAVE_ROTOR ? LIMB_PARAMETER_ROTOR : LIMB_PARAMETER_OFFSET;
}

#define LIMB_BASE_ZERO 1e-9 // relative to the robot's own size: smaller numbers count as zero

// Terms this small beside the largest of their row, in numbers of the robot's own size, are left out of
// formulas: they are rounding, or angles that a file gives in eleven digits. K keeps them.
#define LIMB_BASE_DUST 1e-10

// Blocks of memory that are freed together: a list, each with its head in front.
typedef struct limb_block limb_block;

typedef struct limb_blocks {
  limb_allocator alloc;
  limb_block* last;
} limb_blocks;

// count zeros of that size; NULL when out of memory.
void* limb_blocks_take(limb_blocks* b, size_t count, size_t size);

// What one link lets go (base_parameters_structure.c): a basis of the vectors that leave it, reduced, so
// that basis[k] is 1 at leaver[k], and 0 at the leavers of the others.
typedef struct limb_leaving {
  int count;
  int leaver[LIMB_LEAVE];
  double basis[LIMB_LEAVE][LIMB_LEAVE];
} limb_leaving;

// The robot seen from its base parameters.
typedef struct limb_grouping {
  const limb_model* m;
  limb_environment env;
  unsigned flags;
  double length;       // size of the robot, to distinguish small numbers from zero [m]
  int nactuator;       // joints with an actuator
  int nparameter;      // link parameters: 10 nlink + 5 nactuator + 3 nshaft
  int* actuator;       // njoint: which of them a joint has; -1: none
  int* source;         // nactuator: the one it follows; itself unless a mimic joint
  int* body;           // nlink: body whose parameters the link has; -1: none (inside a compound joint)
  sp_pose* joint_pose; // nlink: pose in the parent (of a root: in the world) at some configuration
  limb_leaving* leave; // nlink
} limb_grouping;

// Size of one unit of a parameter when the robot has the size 1: kg, kg m, kg m^2 in powers of length.
double limb_grouping_unit(const limb_grouping* g, limb_parameter_kind kind, bool turns);

static inline bool limb_grouping_turns(const limb_model* m, int link)
{
  return m->link[link].joint_class != CLASS_TRANS;
}

// Column of a link parameter.
static inline int limb_link_column(int link, int k) { return LIMB_INERTIAL * link + k; }

static inline int limb_actuator_column(const limb_grouping* g, int actuator, limb_parameter_kind kind)
{
  const int first = LIMB_INERTIAL * g->m->nlink + LIMB_JOINT_PARAMETERS * actuator;
  return first + (int)kind - (int)LIMB_PARAMETER_ROTOR;
}

static inline int limb_shaft_column(const limb_grouping* g, int shaft, limb_parameter_kind kind)
{
  const int first = g->nparameter - LIMB_SHAFT_PARAMETERS * (g->m->nshaft - shaft);
  return first + (int)kind - (int)LIMB_PARAMETER_SHAFT_STIFFNESS;
}

// Parameters behind the inertial ones: the same for links and for bodies.
static inline int limb_other_parameters(const limb_grouping* g)
{
  return LIMB_JOINT_PARAMETERS * g->nactuator + LIMB_SHAFT_PARAMETERS * g->m->nshaft;
}

// Actuator of a link, when its rotor or offset can be grouped with inertial parameters; else -1. Mimic
// joints hand theirs to their source.
int limb_grouping_actuator(const limb_grouping* g, int link);

// Which kinds of parameters are left out.
bool limb_grouping_leaves_out(const limb_grouping* g, limb_parameter_kind kind);

// Ten parameters given in a frame whose pose in another is X: there. out may not be theta.
void limb_parameters_move(const sp_pose* X, const double* theta, double* out);

// Fills leave of all links.
limb_status limb_grouping_structure(limb_grouping* g, limb_blocks* scratch);

// What a row of the grouping is about: the parameter that stays, and may have others with it.
typedef struct limb_kept {
  int link;                 // its link
  limb_parameter_kind kind; // which of its parameters, of those of its joint or of its shaft
} limb_kept;

// Its column.
static inline int limb_kept_column(const limb_grouping* g, const limb_kept* kept)
{
  const int joint = g->m->link[kept->link].joint;
  if (kept->kind < LIMB_PARAMETER_ROTOR) return limb_link_column(kept->link, (int)kept->kind);
  if (kept->kind < LIMB_PARAMETER_SHAFT_STIFFNESS) return limb_actuator_column(g, g->actuator[joint], kept->kind);
  return limb_shaft_column(g, g->m->joint[joint].shaft, kept->kind);
}

// The grouping in link parameters (base_parameters_matrices.c): row r over the columns above.
typedef struct limb_rows {
  int count;
  limb_kept* kept; // count
  double* row;     // count x nparameter
} limb_rows;

limb_status limb_grouping_rows(const limb_grouping* g, limb_blocks* scratch, limb_rows* out);

// Base parameters, as the user sees them.
struct limb_base_parameters {
  limb_blocks blocks; // everything, this struct too
  const limb_model* m;
  limb_environment env;
  limb_base_facts facts;
  int nv, np, nb;
  double* theta; // np: of the model
  double* K;     // nb x np
  // Y_b = Y Z: column r of Z has the numbers value[start[r]] ... value[start[r+1] - 1] in rows index[...]
  int* start;
  int* index;
  double* value;
  limb_base_effect* effect; // np
  const char** name;        // nb
  const char** formula;     // nb
};

// K and Z of the user's parameters from the rows, in scratch memory; both nb x np, row-major, Z transposed.
typedef struct limb_matrices {
  int nb, np;
  int* row; // nb: which row of the grouping each is
  double *K, *Z;
} limb_matrices;

limb_status limb_grouping_matrices(const limb_grouping* g, const limb_rows* rows, limb_blocks* scratch,
                                   limb_matrices* out);

// Size of one unit of the user's parameters, np numbers; of the link parameters, nparameter numbers.
void limb_grouping_units(const limb_grouping* g, double* unit);
void limb_grouping_link_units(const limb_grouping* g, double* unit);

// What |entry| unit of a row of n must reach to count: LIMB_BASE_DUST of the largest.
double limb_grouping_threshold(size_t n, const double* unit, const double* row);

// Combinations that the structure missed: dropped rows, and what the others gain from them. Both NULL: none.
typedef struct limb_merge {
  bool* dropped; // nb
  double* by;    // nb x nb: row i gains by[i nb + r] times the dropped row r
} limb_merge;

// Compares with the regressor at random states: fills numeric, agree, kept, dropped and residual, and merge
// when the rank is clear and less than the rows. LIMB_E_SINGULAR when Y is not Y Z K.
limb_status limb_grouping_check(const limb_grouping* g, const limb_matrices* x, limb_blocks* scratch,
                                limb_base_facts* facts, limb_merge* merge);

// Names and formulas of the rows (base_parameters_formula.c), in memory of `keep`.
limb_status limb_grouping_formulas(const limb_grouping* g, const limb_rows* rows, limb_blocks* keep,
                                   limb_blocks* scratch, const char** name, const char** formula);

// ---- coefficients of formulas -------------------------------------------------------------------------------

// Small polynomials in the constants of the Denavit-Hartenberg table, each with its value. A polynomial that grows too
// long is kept as its value only.

enum {
  LIMB_COEFFICIENT_TERMS = 4,
  LIMB_COEFFICIENT_FACTORS = 4,
  LIMB_COEFFICIENT_TEXT = 256 // capacity for the text of any
};

// Constants of a link: d3, r3, b3, and the sines and cosines of alpha, gamma and theta.
typedef enum limb_constant {
  LIMB_CONSTANT_D,
  LIMB_CONSTANT_R,
  LIMB_CONSTANT_B,
  LIMB_CONSTANT_SA,
  LIMB_CONSTANT_CA,
  LIMB_CONSTANT_SG,
  LIMB_CONSTANT_CG,
  LIMB_CONSTANT_ST,
  LIMB_CONSTANT_CT
} limb_constant;

// number times the product of symbols
typedef struct limb_monomial {
  double number;
  int count;
  int symbol[LIMB_COEFFICIENT_FACTORS]; // in rising order, repeated for powers
} limb_monomial;

typedef struct limb_coefficient {
  double value;
  int count; // of terms; 0: the coefficient is zero; -1: only the value is known
  limb_monomial term[LIMB_COEFFICIENT_TERMS];
} limb_coefficient;

limb_coefficient limb_coefficient_number(double x);

// A constant of a link. A length of 0, and a sine or cosine of 0, 1 or -1, are numbers, not symbols.
limb_coefficient limb_coefficient_constant(int link, limb_constant what, double value);

limb_coefficient limb_coefficient_sum(const limb_coefficient* x, const limb_coefficient* y);
limb_coefficient limb_coefficient_product(const limb_coefficient* x, const limb_coefficient* y);

// Text of |x| to stand before a name, such as "d3^2 " or "(d3^2 + r4^2) "; empty for 1. *negative: whether
// the sign must be written in front.
void limb_coefficient_text(const limb_coefficient* x, bool* negative, char buffer[LIMB_COEFFICIENT_TEXT]);

// Text of a positive number in at most ten digits, whatever the locale; false when they say 1, which need not
// be written as a factor.
bool limb_coefficient_factor(double x, char text[LIMB_NUMBER_SPACE]);

#endif
