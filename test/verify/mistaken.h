// A comparison for tests of limb_verify that is given a wrong second formulation: checks that are compiled
// with it in the place of verify_compare must notice.
#ifndef LIMB_TEST_MISTAKEN_H
#define LIMB_TEST_MISTAKEN_H

#include "verify/verify_impl.h"

#include <stdlib.h>

static double mistake; // relative, in all numbers of the second formulation

static limb_status compare_mistaken(limb_status s, double* off, int n, const double* x, const double* y, double size)
{
  double* wrong = calloc((size_t)n + 1, sizeof *wrong);
  if (!wrong) abort();
  for (int i = 0; i < n; i++) wrong[i] = y[i] * (1 + mistake);
  s = verify_compare(s, off, n, x, wrong, size);
  free(wrong);
  return s;
}

#endif
