// Equations in the making: the polynomials of a robot, and the variables that they are in.
//
// Angles are sums of coordinates: theta = sum w_i q_i + offset. Links that turn about parallel axes form a
// group; the angle of a link is the sum of those of its group up to it, so that the direction of the link is
// (cos, sin) of one angle. Polynomials are formed in cosines and sines of these. Differences and sums of two
// angles of a group are angles as well, which only what is written has.
#ifndef LIMB_CODEGEN_EQUATIONS_H
#define LIMB_CODEGEN_EQUATIONS_H

#include "limb/codegen.h"

#include "codegen/polynomial.h"
#include "codegen/program.h"
#include "codegen/text.h"
#include "codegen/trace.h"

// ---- symbols of the robot's numbers (equations_symbols.c) -------------------------------------------

typedef enum limb_parameter_kind { // in the order of factors in a product
  PARAMETER_MASS,
  PARAMETER_GRAVITY,
  PARAMETER_LENGTH,
  PARAMETER_COM,
  PARAMETER_INERTIA,
  PARAMETER_PITCH,
  PARAMETER_ROTOR
} limb_parameter_kind;

typedef struct limb_parameter_symbol {
  limb_parameter_kind kind;
  int owner;     // link; -1: the world; rotors: velocity
  int end;       // lengths: which end of the link
  int component; // 0..2: x y z, 3: along the axis of the next (lengths); inertias: xx xy xz yy yz zz
  double value;
  bool used;
  char letters[4], index[28]; // its name: letters, and the index below them
} limb_parameter_symbol;

typedef struct limb_parameters {
  const limb_model* m;
  limb_program* program;
  bool numbers; // no symbols at all
  int count, capacity;
  limb_parameter_symbol* list;
  limb_link_symbol* k; // constants of the links, inertias not regrouped (limb_trace_regroup)
  double longest;      // length: what is far below is rounding
} limb_parameters;

// Constants of all links, and gravity. LIMB_E_NOMEM.
limb_status limb_parameters_create(limb_parameters* p, const limb_model* m, limb_program* program, bool numbers);

// A number as a scalar: a symbol of its own, the one that is there for the same thing, or the number if it is
// zero or numbers are wanted.
limb_scalar limb_parameter_scalar(limb_parameters* p, limb_parameter_symbol what);

// Component of the origin of a loop's frame (0: a, 1: b) in its link; in the world, a number.
limb_scalar limb_cut_scalar(limb_parameters* p, int loop, int frame, int component);

// Magnitude of gravity.
limb_scalar limb_gravity_scalar(limb_parameters* p);

// A component of a direction without the rounding around 0, 1 and -1.
double limb_clean_direction(double x);

// Names for those that are used.
void limb_parameters_name(limb_parameters* p);

// "mass of upper_arm", and its unit.
void limb_parameter_meaning(const limb_parameters* p, const limb_parameter_symbol* x, limb_text* t);
const char* limb_parameter_unit(const limb_parameters* p, const limb_parameter_symbol* x);

// A coordinate by its joint, and by its component where the joint has several, "platform.px"; its unit.
void limb_coordinate_name(const limb_model* m, int q, limb_text* t);
const char* limb_coordinate_unit(const limb_model* m, int q);

// ---- equations --------------------------------------------------------------------------------------

// sense (weight q + offset)
typedef struct limb_plane_angle {
  double* weight; // nq
  double offset;
  double sense;  // of sums and differences: -1 if turned round
  bool constant; // of those: nothing but the offset
  int group;
} limb_plane_angle;

// (cos, sin) of an angle as polynomials
typedef struct limb_direction_poly {
  limb_poly c, s;
} limb_direction_poly;

typedef struct limb_equations {
  const limb_model* m;
  limb_model view; // the same without actuators, base frames free of rounding
  limb_equation_options options;
  limb_program* program; // memory, and the graph
  limb_parameters parameters;
  limb_ws ws;
  void* memory; // of the workspace
  size_t ws_size;
  limb_scalar* base;       // states of the base frames
  limb_scalar *q, *v, *a;  // inputs
  int nangle, nlink_angle; // all; of links, which come first
  limb_plane_angle* angle;
  int* difference; // nlink_angle x nlink_angle: angle of b less a, for a < b of one group; else -1
  int* sum;
  limb_plane_angle* of_link_angle; // nlink: their directions
  limb_ring* ring;
  int first_angle, first_q, first_sign, first_v, first_a; // variables; parameters are first
  limb_poly* of_node;                                     // of the graph; count -1: not yet
  uint32_t nodes;                                         // of_node has
  bool not_polynomial;                                    // something recorded is no polynomial
  bool no_constraints;                                    // Psi was asked for and has no rows
  int nv, nrow;
  limb_poly *M, *C;        // nv x nv
  limb_poly *Cv, *g;       // nv
  limb_poly* joint_forces; // nv: friction, springs and shafts
  limb_poly* Psi;          // nrow x nv
  limb_error* error;
} limb_equations;

// The quantities, in the order in which they are written.
enum { EQUATION_M, EQUATION_C, EQUATION_G, EQUATION_H, EQUATION_TAU, EQUATION_PSI, EQUATIONS };

static inline bool limb_equations_has(unsigned what, int quantity) { return what >> quantity & 1U; }

// All that these quantities are made of.
static inline unsigned limb_equations_needed(unsigned what)
{
  if (limb_equations_has(what, EQUATION_TAU)) what |= 1U << EQUATION_H | 1U << EQUATION_M;
  if (limb_equations_has(what, EQUATION_H)) what |= 1U << EQUATION_C | 1U << EQUATION_G;
  return what;
}

static inline int limb_cosine(const limb_equations* x, int angle) { return x->first_angle + 2 * angle; }
static inline int limb_sine(const limb_equations* x, int angle) { return limb_cosine(x, angle) + 1; }

// ---- equations_form.c: the robot's kernels over symbols ------------------------------------------------

// M, C, Cv, g and lost, in variables of the links' angles: what is needed of them.
limb_status limb_equations_form(limb_equations* x, unsigned needs);

limb_poly limb_equations_poly(limb_equations* x, limb_scalar a);
limb_poly limb_equations_derivative(limb_equations* x, limb_poly a, int q); // derivative by a coordinate

// The workspace of the kernels, cleared.
void limb_equations_clear(limb_equations* x);

// ---- equations_angles.c ----------------------------------------------------------------------------------

limb_status limb_equations_angles(limb_equations* x); // fills the table
void limb_equations_pair_angles(limb_equations* x);   // tells the ring

// Direction of an angle that some link turns by: theta = sum weight q + offset.
bool limb_equations_direction(limb_equations* x, const double* weight, double offset,
                              limb_direction_poly* out); // false: no link does

// ---- equations_loops.c -----------------------------------------------------------------------------------

limb_status limb_equations_form_loops(limb_equations* e); // Psi

// ---- equations_tidy.c ------------------------------------------------------------------------------------

// As it is written: cos a cos b + sin a sin b = cos(b - a), 1 - cos^2 = sin^2, and terms in reading order.
limb_poly limb_equations_tidy(limb_equations* x, limb_poly a);

// ---- equations_check.c -----------------------------------------------------------------------------------

// Compares what will be written with the library in random states.
limb_status limb_equations_check(limb_equations* x, unsigned what);

// ---- equations_write.c, equations_layout.c ----------------------------------------------------------------

// The sum, in the notation of the options. first: nothing is before it on the line; else it begins with its
// sign, and nothing is written for zero.
void limb_equations_sum(const limb_equations* x, limb_text* t, limb_poly a, bool first);

void limb_equations_variable(const limb_equations* x, limb_text* t, int variable, int power);
void limb_equations_number(const limb_equations* x, limb_text* t, double number);
void limb_equations_angle(const limb_equations* x, limb_text* t, int angle);
bool limb_equations_short_angle(const limb_equations* x, int angle, char* index, size_t capacity);

// An entry of a quantity: row i, column j.
void limb_equations_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j);

// Whether it is zero in all states, and whether so many are that they are not written one by one; all: there
// is no other.
bool limb_equations_is_zero(const limb_equations* x, int quantity, int i, int j);
bool limb_equations_sparse(const limb_equations* x, int quantity, bool* all);

// Whether the quantity is tau + Psi^T lambda: what motors and loops apply cannot be told apart by M, C and g.
bool limb_equations_with_loops(const limb_equations* x, int quantity);

// A matrix or a vector.
typedef struct limb_equations_dims {
  const char* name;
  int rows, columns; // 0 columns: a vector
} limb_equations_dims;

limb_equations_dims limb_equations_size(const limb_equations* x, int quantity);

// Breaks a line at signs where it is too long; lines below the first begin with `indent`.
void limb_equations_break_lines(limb_text* t, const char* line, const char* indent);

// Everything, in the notation of the options.
void limb_equations_document_text(const limb_equations* x, limb_text* t, unsigned what);
void limb_equations_document_latex(const limb_equations* x, limb_text* t, unsigned what);
void limb_equations_document_c(const limb_equations* x, limb_text* t, unsigned what);

// "M(q) a + C(q, v) v + g(q) = tau", and below it what else there is to say, line by line; NULL: no more.
const char* limb_equations_headline(const limb_equations* x);
const char* limb_equations_note(const limb_equations* x, int k);

// What lambda is, and whose axes x, y and z are in the meanings of symbols; NULL: they do not occur.
const char* limb_equations_lambda(const limb_equations* x);
const char* limb_equations_axes(const limb_equations* x, const bool* marks);

// Which of the variables occur in what is written; marks: as many as there are variables.
void limb_equations_mark_used(const limb_equations* x, unsigned what, bool* marks);

#endif
