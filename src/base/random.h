// Random numbers that are the same on every machine: splitmix64.
//
// Reference: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014.
#ifndef LIMB_BASE_RANDOM_H
#define LIMB_BASE_RANDOM_H

#include <stdint.h>

// Bits of a number, each dependent on all of it.
static inline uint64_t limb_mixed_bits(uint64_t z)
{
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

// Of bits, a number in [0, 1); all operations are exact.
static inline double limb_unit_number(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

static inline uint64_t limb_random_bits(uint64_t* seed)
{
  *seed += UINT64_C(0x9e3779b97f4a7c15);
  return limb_mixed_bits(*seed);
}

// The next number in [-1, 1).
static inline double limb_random_sign(uint64_t* seed) { return 2 * limb_unit_number(limb_random_bits(seed)) - 1; }

#endif
