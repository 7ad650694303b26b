// What the library answers where a function of a program was traced: the same quantity from its own calls.
#ifndef LIMB_ANSWER_H
#define LIMB_ANSWER_H

#include "limb/dynamics.h"

#include "codegen/loop_reference.h"

typedef struct limb_answering {
  const limb_model* m;
  limb_allocator alloc;
  limb_data* d;
  limb_environment env;
  int frame;                  // of J and pose
  limb_loop_reference* loops; // NULL: the robot has none
} limb_answering;

// Entries of all outputs of f, one after the other, in one state. LIMB_E_UNSUPPORTED: no call of the library
// answers that; LIMB_E_SINGULAR and so on: the call did.
limb_status limb_answer(const limb_answering* x, const limb_function* f, const double* const input[INPUT_KINDS],
                        double* out);

#endif
