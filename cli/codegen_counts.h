// Operations of inverse dynamics as the literature counts them, to stand beside those of generated code.
#ifndef LIMB_CLI_CODEGEN_COUNTS_H
#define LIMB_CLI_CODEGEN_COUNTS_H

#include "limb/limb.h"

typedef struct codegen_count {
  const char* method; // in a few words
  const char* source; // paper
  long mul, add;
} codegen_count;

// What is published for a quantity of such a robot: the first, the second ... 0 beyond the last. Formulas are
// of chains of n rotations without friction and rotors; they are given for robots with n joints of one
// velocity each on a fixed base.
int codegen_published(const limb_model* m, const char* quantity, int index, codegen_count* out);

#endif
