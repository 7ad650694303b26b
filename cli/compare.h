// Random numbers to try, and how far two answers are apart.
#ifndef LIMB_CLI_COMPARE_H
#define LIMB_CLI_COMPARE_H

#include <stddef.h>
#include <stdint.h>

// A number in [-1, 1): a linear congruential generator, good enough to pick states.
double cli_draw(uint64_t* seed);

// The largest difference of n numbers relative to the largest of them, or to size if that is larger. Infinite
// when one of them is not a number.
double cli_differ(size_t n, const double* x, const double* y, double size);

#endif
