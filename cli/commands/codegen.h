// Operation counts of inverse dynamics from the literature, for comparison with generated code.
#ifndef LIMB_CLI_CODEGEN_COUNTS_H
#define LIMB_CLI_CODEGEN_COUNTS_H

#include "limb/limb.h"

typedef struct codegen_count {
  const char* method; // in a few words
  const char* source; // paper
  long mul, add;
} codegen_count;

// The published counts for a quantity of a robot: index 0, 1 ...; returns 0 beyond the last. The formulas are for
// chains of n revolute joints without friction and rotors; they are returned for robots with n joints of one velocity
// each on a fixed base.
int codegen_published(const limb_model* m, const char* quantity, int index, codegen_count* out);

#endif
