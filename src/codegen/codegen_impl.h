// What the files behind limb/codegen.h share.
#ifndef LIMB_CODEGEN_IMPL_H
#define LIMB_CODEGEN_IMPL_H

#include "codegen/answer.h"
#include "codegen/emit.h"

// ---- options and names (codegen_options.c) --------------------------------------------------------------

// LIMB_E_ARG with a sentence for options that do not go together; statements: too large for the language.
limb_status limb_codegen_check_options(const limb_codegen_options* o, limb_error* error);
limb_status limb_codegen_check_size(const limb_codegen_options* o, const limb_piece* p, limb_error* error);

// The prefix: as asked for (LIMB_E_ARG when it is no identifier), or made from the name of the robot.
limb_status limb_codegen_make_prefix(const limb_codegen_options* o, const char* robot, char* prefix, size_t room,
                                     limb_error* error);

// ---- comparison with the library (codegen_check.c) ------------------------------------------------------

enum { LIMB_TRIAL_STATES = 5 };

// Random states and room for answers, in the program's memory. any_gravity: random as well, not the robot's
// own. LIMB_E_NOMEM.
limb_status limb_trial_create(const limb_model* m, limb_program* p, bool any_gravity, limb_trial* out);

// Makes states of a robot with loops such that these are closed, where that can be done.
void limb_trial_close(limb_trial* t, const limb_program* p, limb_loop_reference* loops);

// Answers to function number k: those of the library, or where no call of it answers, of the edges
// themselves. To be called before they are simplified. LIMB_E_UNSUPPORTED with a sentence when the quantity
// is singular.
limb_status limb_trial_answer(limb_trial* t, limb_answering* x, limb_program* p, int k, limb_error* error);

// Compares the edges with the answers: the largest relative difference, and the tolerance of the test
// program. LIMB_E_UNSUPPORTED when they are not the same.
limb_status limb_trial_compare(limb_trial* t, limb_program* p, int k, bool single, double* disagrees,
                               limb_error* error);

#endif
