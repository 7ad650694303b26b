// A comparison for tests of limb_verify that is given a wrong second formulation: checks that are compiled
// with it in the place of verify_differ must notice.
#ifndef LIMB_TEST_MISTAKEN_H
#define LIMB_TEST_MISTAKEN_H

#include "verify/verify_impl.h"

#include <stdlib.h>

static double mistake; // relative, in all numbers of the second formulation

static double differ_mistaken(size_t n, const double* x, const double* y, double size)
{
  double* wrong = calloc(n + 1, sizeof *wrong);
  if (!wrong) abort();
  for (size_t i = 0; i < n; i++) wrong[i] = y[i] * (1 + mistake);
  const double off = verify_differ(n, x, wrong, size);
  free(wrong);
  return off;
}

#endif
