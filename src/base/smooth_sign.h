// The sign in Coulomb friction.
#ifndef LIMB_SMOOTH_SIGN_H
#define LIMB_SMOOTH_SIGN_H

#include <math.h>

// sign(x) with sign(0) = 0, or tanh(x / width) when width > 0.
static inline double limb_smooth_sign(double x, double width)
{
  return width > 0 ? tanh(x / width) : (double)((x > 0) - (x < 0));
}

#endif
