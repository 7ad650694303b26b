// Which velocities of a robot with loops follow from which, chosen once for all states.
//
// Dependent velocities d are as many as Psi has rank, with Psi_d of that rank; the others, y, are
// independent:
//
//   Psi_d v_d = -Psi_y v_y
//
// Motors come first among the independent ones. The choice is made at configurations taken at random that
// close the loops, and holds at all of them.
#ifndef LIMB_LOOP_SPLIT_H
#define LIMB_LOOP_SPLIT_H

#include "codegen/program.h"
#include "loops/loops_impl.h"

typedef struct limb_split {
  int ny, *y;               // independent velocities, ascending
  unsigned char* dependent; // nv marks
  int *rank, *undriven;     // of the clusters; motions that no motor of theirs determines
  double worth;             // least pivot of Psi_d, beside the greatest, at all configurations
  int *live, *nlive;        // as in limb_loops
} limb_split;

// Configurations that close the loops, at most `most` of them, nq numbers each; how many were found. The same
// ones for a seed. Those where the equations have less rank than elsewhere, or nearly so, or those
// of the joints without motor, are left out; singular: how many (output).
int limb_closed_configurations(limb_loops* w, uint64_t seed, int most, double* q, int* singular);

// prefer: nv marks of velocities that should be dependent; NULL: those without motor. Memory is p's.
// LIMB_E_UNSUPPORTED with a sentence: laws in time, loops that do not close, rank that is not the same
// everywhere, no choice that holds everywhere; LIMB_E_NOMEM.
limb_status limb_split_choose(const limb_model* m, const unsigned char* prefer, limb_program* p, limb_split* out,
                              limb_error* error);

#endif
