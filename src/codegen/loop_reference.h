// What the library itself says of functions of robots with loops: states to ask in, and answers.
#ifndef LIMB_LOOP_REFERENCE_H
#define LIMB_LOOP_REFERENCE_H

#include "limb/codegen.h"

#include "codegen/program.h"

typedef struct limb_loop_reference limb_loop_reference;

// For a program that was traced with these options, which must live as long. Memory is the program's; what
// workspaces have is freed by limb_loop_reference_end. LIMB_E_NOMEM, or what kept the robot's own calls from
// being made.
limb_status limb_loop_reference_begin(const limb_model* m, const limb_codegen_options* options, limb_program* p,
                                      limb_loop_reference** out);
void limb_loop_reference_end(limb_loop_reference* r); // NULL is accepted

// A state for every seed, as functions of loops want it: q closes the loops, v and a fit to it, and the twist
// of a platform to these; all else at random. For robots without loops q is anything. input: room for the
// components of every kind but gravity and parameters; those of forces and twists may be NULL.
// LIMB_E_NOCONV: no such state.
limb_status limb_loop_reference_state(limb_loop_reference* r, uint64_t seed, double* const input[INPUT_KINDS]);

// The outputs of a function, one behind the other. LIMB_E_UNSUPPORTED: it is none of
// these.
limb_status limb_loop_reference_answer(limb_loop_reference* r, const limb_function* f,
                                       const double* const input[INPUT_KINDS], double* out);

#endif
