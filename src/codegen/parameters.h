// The robot's numbers as symbols with names, as a person would give them.
//
//   m  mass            r  centre of mass in link axes       I  moments of inertia about it, in link axes
//   l  from a joint of the link to the next                 d  the same along the axis of the next
//   g  gravity         p  pitch of a screw                  J  rotor inertia as felt at the joint
//
// Numbers that are zero for this robot are no symbols; twists and directions stay numbers. Link i is called
// i + 1. Where a link has one length, one coordinate of its centre of mass or one moment that occurs, the
// name says no more than that: l1, r1, I1; else it says which: lx1, ry1, Ixz1.
#ifndef LIMB_PARAMETERS_H
#define LIMB_PARAMETERS_H

#include "codegen/program.h"
#include "codegen/text.h"
#include "codegen/trace_kernels.h"

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
  int count, room;
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
double limb_direction_number(double x);

// Names for those that are used.
void limb_parameters_name(limb_parameters* p);

// "mass of upper_arm", and its unit.
void limb_parameter_meaning(const limb_parameters* p, const limb_parameter_symbol* x, limb_text* t);
const char* limb_parameter_unit(const limb_parameters* p, const limb_parameter_symbol* x);

// A coordinate by its joint, and by its component where the joint has several, "platform.px"; its unit.
void limb_coordinate_name(const limb_model* m, int q, limb_text* t);
const char* limb_coordinate_unit(const limb_model* m, int q);

#endif
