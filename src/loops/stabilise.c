// Gains of Baumgarte's stabilisation from the step of the integrator: alpha = beta = 1 / (50 h).
//
// Reference: J. Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems,
//            Computer Methods in Applied Mechanics and Engineering 1, 1972; Ghosal 2010, which leaves the
//            choice open.
//
// The residual e of a row obeys e'' + 2 alpha e' + beta^2 e = 0. alpha = beta is the fastest decay without
// overshoot: a double root at -alpha. A step h multiplies it by R(-alpha h), R being the stability function
// of the integrator:
//
//     Euler  1 - z                                       no overshoot up to z = 1, stable below 2
//     RK4    1 - z + z^2 / 2 - z^3 / 6 + z^4 / 24        positive everywhere, stable below 2.78
//
// with z = alpha h. Stability would allow z = 1. Accuracy does not: a stage half a step ahead is off the
// surface of the constraints by the curvature, h^2 / 8 of Psi' v, and the feedback takes that for an error
// of the motion, z^2 / 8 of gamma itself. So z has to be small, and the drift that builds up in 1 / alpha
// sets the other bound. z = 1/50 (5e-5 of gamma; errors fall to 1/e in 50 steps) is where neither places,
// velocities nor energies of RK4 over 10 s are worse than without feedback, for steps of 1 to 20 ms
// (docs/loops.md has the figures): places are 40 to 450 times better.

#include "limb/closed.h"

#include "base/numeric.h"

#define DECAY_STEPS 50

limb_status limb_baumgarte(double step, limb_closed_options* o)
{
  if (!o || !limb_finite(1, &step) || !(step > 0)) return LIMB_E_ARG;
  const double gain = 1 / (DECAY_STEPS * step);
  if (!limb_finite(1, &gain)) return LIMB_E_ARG;
  o->alpha = o->beta = gain;
  return LIMB_OK;
}
