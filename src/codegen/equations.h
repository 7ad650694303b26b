// Equations of motion: the robot's numbers as symbols, and its equations as polynomials in them.
//
// Angles are sums of coordinates: theta = sum w_i q_i + offset. Links that turn about parallel axes form a group; the
// angle of a link is the sum of those of its group up to it, so that the direction of the link is (cos, sin) of one
// angle. Polynomials are in cosines and sines of these angles. Differences and sums of two angles of a group occur
// only in the form for reading.
#ifndef LIMB_CODEGEN_EQUATIONS_H
#define LIMB_CODEGEN_EQUATIONS_H

#include "limb/codegen.h"

#include "codegen/program.h"
#include "codegen/simplify.h"
#include "codegen/text.h"
#include "codegen/trace.h"

// ---- symbols of the robot's numbers (equations_symbols.c) ----------------------------------------------------------

// The robot's numbers as symbols, named as a person would name them:
//
//   m  mass            r  centre of mass in link axes       I  moments of inertia about it, in link axes
//   l  from a joint of the link to the next                 d  the same along the axis of the next
//   g  gravity         p  pitch of a screw                  J  rotor inertia as felt at the joint
//
// Numbers that are zero for this robot are not symbols; twists and directions stay numbers. Link i is called i + 1.
// Where only one length, one coordinate of the centre of mass or one moment of a link occurs, the name is short: l1,
// r1, I1; else it says which: lx1, ry1, Ixz1.

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
  int owner;     // link, -1: the world; of rotors: velocity
  int end;       // of lengths: which end of the link
  int component; // 0..2: x y z, 3: along the axis of the next (lengths); inertias: xx xy xz yy yz zz
  double value;
  bool used;
  char letters[4], index[28]; // its name: letters and a subscript
} limb_parameter_symbol;

typedef struct limb_parameters {
  const limb_model* m;
  limb_program* program;
  bool numbers; // insert all numbers
  int count, capacity;
  limb_parameter_symbol* list;
  limb_link_symbol* k; // constants of the links, inertias not regrouped (limb_trace_regroup)
  double longest;      // length; what is far below it is rounding
} limb_parameters;

// Creates the constants of all links, and gravity. LIMB_E_NOMEM.
limb_status limb_parameters_create(limb_parameters* p, const limb_model* m, limb_program* program, bool numbers);

// A number as a scalar: its symbol, new or existing; or the number itself if it is zero or numbers are inserted.
limb_scalar limb_parameter_scalar(limb_parameters* p, limb_parameter_symbol what);

// Component of the origin of a loop's frame (0: a, 1: b) in its link; in the world, a number.
limb_scalar limb_cut_scalar(limb_parameters* p, int loop, int frame, int component);

// Magnitude of gravity.
limb_scalar limb_gravity_scalar(limb_parameters* p);

// Names the symbols that are used.
void limb_parameters_name(limb_parameters* p);

// "mass of upper_arm", and its unit.
void limb_parameter_meaning(const limb_parameters* p, const limb_parameter_symbol* x, limb_text* t);
const char* limb_parameter_unit(const limb_parameters* p, const limb_parameter_symbol* x);

// A coordinate by its joint, and by its component where the joint has several, "platform.px"; its unit.
void limb_coordinate_name(const limb_model* m, int q, limb_text* t);
const char* limb_coordinate_unit(const limb_model* m, int q);

// The same of a velocity, "platform.wx".
void limb_rate_name(const limb_model* m, int v, limb_text* t);
const char* limb_rate_unit(const limb_model* m, int v);

// ---- equations -----------------------------------------------------------------------------------------------------

// sense (weight q + offset)
typedef struct limb_plane_angle {
  double* weight; // nq
  double offset;
  double sense;  // of sums and differences: -1 if reversed
  bool constant; // of those: only the offset is left
  int group;
} limb_plane_angle;

// (cos, sin) of an angle as polynomials
typedef struct limb_direction_poly {
  limb_poly c, s;
} limb_direction_poly;

typedef struct limb_equations {
  const limb_model* m;
  limb_model view; // the model without actuators, base frames cleaned of rounding
  limb_equation_options options;
  limb_program* program; // owns memory and graph
  limb_parameters parameters;
  limb_tracer t;           // kernels over symbols
  int nangle, nlink_angle; // all angles; those of links, which come first
  limb_plane_angle* angle;
  int* difference; // nlink_angle x nlink_angle: index of b - a, for a < b of one group; else -1
  int* sum;
  limb_plane_angle* of_link_angle; // nlink: their directions
  limb_ring* ring;
  int first_angle, first_q, first_sign, first_v, first_a; // variables; parameters are first
  limb_poly* of_node;                                     // polynomials of graph nodes; count -1: not yet made
  uint32_t nodes;                                         // length of of_node
  bool not_polynomial;                                    // some expression is not a polynomial
  bool no_constraints;                                    // Psi was requested and has no rows
  bool spins;   // some joint is a ball or free: velocities are not derivatives of coordinates
  int* spin_of; // nv: first coordinate of the ball or free joint that a velocity belongs to; -1: it is of another joint
  int* q_of;    // nv: the coordinate; of ball and free joints: which of the joint's velocities
  bool* free_of; // nv: the joint is free
  int nv, nrow;
  limb_poly *M, *C;        // nv x nv
  limb_poly *Cv, *g;       // nv
  limb_poly* joint_forces; // nv: friction, springs and shafts
  limb_poly T, U, L;       // without terms that are the same in all states
  limb_poly* Gamma;        // nv x nv x nv: Christoffel symbols
  limb_poly *Psi, *Psidot; // nrow x nv
  limb_error* error;
} limb_equations;

// The quantities, in the order in which they are written.
enum {
  EQUATION_M,
  EQUATION_C,
  EQUATION_G,
  EQUATION_H,
  EQUATION_TAU,
  EQUATION_T,
  EQUATION_U,
  EQUATION_L,
  EQUATION_CHRISTOFFEL,
  EQUATION_PSI,
  EQUATION_PSIDOT,
  EQUATIONS
};

static inline bool limb_equations_has(unsigned what, int quantity) { return what >> quantity & 1U; }

// All quantities that these are made of.
static inline unsigned limb_equations_needed(unsigned what)
{
  if (limb_equations_has(what, EQUATION_TAU)) what |= 1U << EQUATION_H | 1U << EQUATION_M;
  if (limb_equations_has(what, EQUATION_H)) what |= 1U << EQUATION_C | 1U << EQUATION_G;
  if (limb_equations_has(what, EQUATION_L)) what |= 1U << EQUATION_T | 1U << EQUATION_U;
  if (limb_equations_has(what, EQUATION_PSIDOT)) what |= 1U << EQUATION_PSI;
  return what;
}

static inline int limb_cosine(const limb_equations* x, int angle) { return x->first_angle + 2 * angle; }
static inline int limb_sine(const limb_equations* x, int angle) { return limb_cosine(x, angle) + 1; }

// ---- polynomials (equations_form.c) --------------------------------------------------------------------------------

// Forms M, C, Cv, g and joint_forces, as far as needed, in angles of the links.
limb_status limb_equations_form(limb_equations* x, unsigned needs);

limb_poly limb_equations_poly(limb_equations* x, limb_scalar a);

// ---- derivatives (equations_rates.c) -------------------------------------------------------------------------------

limb_status limb_equations_map_velocities(limb_equations* x);               // which coordinates change with a velocity
limb_poly limb_equations_derivative(limb_equations* x, limb_poly a, int v); // along velocity v

// ---- angles, and the form for reading (equations_angles.c) ---------------------------------------------------------

limb_status limb_equations_angles(limb_equations* x); // fills the table of angles
void limb_equations_pair_angles(limb_equations* x);   // declares sines and cosines to the ring

// (cos, sin) of an angle that some link turns by: theta = sum weight q + offset.
bool limb_equations_direction(limb_equations* x, const double* weight, double offset,
                              limb_direction_poly* out); // false: no link does

// ---- loops (equations_loops.c) -------------------------------------------------------------------------------------

limb_status limb_equations_form_loops(limb_equations* e); // Psi and dPsi/dt

// The form for reading: cos a cos b + sin a sin b = cos(b - a), 1 - cos^2 = sin^2, and terms in reading order.
limb_poly limb_equations_tidy(limb_equations* x, limb_poly a);

// ---- comparison with the library (equations_write.c) ---------------------------------------------------------------

// Compares the equations with the library in random states.
limb_status limb_equations_check(limb_equations* x, unsigned what);

// ---- writing (equations_expression.c, equations_text.c, equations_latex_c.c) ---------------------------------------

// Writes a sum in the notation of the options. first: it begins the expression; else it starts with a sign, and zero
// is not written.
void limb_equations_sum(const limb_equations* x, limb_text* t, limb_poly a, bool first);

void limb_equations_variable(const limb_equations* x, limb_text* t, int variable, int power);
void limb_equations_number(const limb_equations* x, limb_text* t, double number);
void limb_equations_angle(const limb_equations* x, limb_text* t, int angle);
bool limb_equations_short_angle(const limb_equations* x, int angle, char* index, size_t capacity);

// The entry of a quantity that is a polynomial; NULL for h and tau, which are sums of others.
const limb_poly* limb_equations_entry_of(const limb_equations* x, int quantity, int i, int j);

// One number; a quantity with velocities; an entry that symmetry makes equal to (*i2, *j2), an earlier one.
static inline bool limb_equations_is_scalar(int quantity)
{
  return quantity == EQUATION_T || quantity == EQUATION_U || quantity == EQUATION_L;
}

static inline bool limb_equations_moves(int quantity)
{
  return quantity == EQUATION_C || quantity == EQUATION_H || quantity == EQUATION_TAU || quantity == EQUATION_T ||
         quantity == EQUATION_L || quantity == EQUATION_PSIDOT;
}

bool limb_equations_repeats(const limb_equations* x, int quantity, int i, int j, int* i2, int* j2);

// Writes an entry of a quantity: row i, column j.
void limb_equations_entry(const limb_equations* x, limb_text* t, int quantity, int i, int j);

// Whether an entry is zero in all states. Whether so many entries are that they are not written one by one; all:
// every one is.
bool limb_equations_is_zero(const limb_equations* x, int quantity, int i, int j);
bool limb_equations_sparse(const limb_equations* x, int quantity, bool* all);

// Whether the quantity is tau + Psi^T lambda: M, C and g do not separate forces of motors and loops.
bool limb_equations_with_loops(const limb_equations* x, int quantity);

// Name and size of a matrix or vector.
typedef struct limb_equations_dims {
  const char* name;
  int rows, columns; // 0 columns: a vector
} limb_equations_dims;

limb_equations_dims limb_equations_size(const limb_equations* x, int quantity);

// Breaks a long line at signs; continuation lines begin with `indent`.
void limb_equations_break_lines(limb_text* t, const char* line, const char* indent);

// The whole document in each notation. marks: the variables that occur; overwritten.
void limb_equations_document_text(const limb_equations* x, limb_text* t, unsigned what, bool* marks);
void limb_equations_document_latex(const limb_equations* x, limb_text* t, unsigned what, bool* marks);
void limb_equations_document_c(const limb_equations* x, limb_text* t, unsigned what, bool* marks);

// "M(q) a + C(q, v) v + g(q) = tau", and the notes below it; NULL beyond the last.
const char* limb_equations_headline(const limb_equations* x);
const char* limb_equations_note(const limb_equations* x, int k);

// Explanations of lambda and of the axes x, y, z; NULL: they do not occur.
const char* limb_equations_lambda(const limb_equations* x);
const char* limb_equations_axes(const limb_equations* x, const bool* marks);

// Marks the variables that occur in the quantities; marks: one for each variable.
void limb_equations_mark_used(const limb_equations* x, unsigned what, bool* marks);

#endif
