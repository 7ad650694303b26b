// Prescribed motion of one joint.
#include "limb/control.h"

#include "base/numeric.h"

#include <math.h>

limb_status limb_joint_motion_at(const limb_joint_motion* m, double t, double x[3])
{
  if (!m || !x) return LIMB_E_ARG;
  const limb_formula* const* f = m->formula;
  if (f[0] || f[1] || f[2]) {
    for (int k = 0; k < 3; k++) {
      if (!f[k] || limb_formula_symbol_count(f[k]) > 1) return LIMB_E_ARG;
      x[k] = limb_formula_value(f[k], &t);
    }
    return limb_finite(3, x) ? LIMB_OK : LIMB_E_NONFINITE;
  }
  if (m->signal) {
    if (limb_signal_columns(m->signal) != 1) return LIMB_E_ARG;
    return limb_signal_at(m->signal, t, &x[0], &x[1], &x[2]);
  }
  const double w = 2 * acos(-1.0) * m->frequency, phi = w * t + m->phase;
  x[0] = m->constant + m->rate * t + m->amplitude * sin(phi);
  x[1] = m->rate + m->amplitude * w * cos(phi);
  x[2] = -m->amplitude * w * w * sin(phi);
  return limb_finite(3, x) ? LIMB_OK : LIMB_E_NONFINITE;
}

double limb_joint_motion_next_break(const limb_joint_motion* m, double t)
{
  return m && !m->formula[0] ? limb_signal_next_break(m->signal, t) : HUGE_VAL;
}

// Whether dx is not the derivative of a function with these values at the ends of an interval dt.
static int differs(double before, double after, double dt, double dx)
{
  const double d = (after - before) / dt, size = fmax(fabs(d), fabs(dx));
  return fabs(d - dx) > 1e-3 * size + 1e-6 * fmax(1, fabs(after));
}

int limb_joint_motion_contradiction(const limb_joint_motion* m, double from, double to)
{
  enum { TIMES = 7 };
  int wrong[2] = {0, 0};
  if (!m || !m->formula[0] || !(to > from)) return 0;
  for (int i = 1; i <= TIMES; i++) {
    const double t = from + fmod(0.6180339887 * i, 1) * (to - from), h = 1e-8 * fmax(1, fabs(t));
    double a[3], b[3], c[3]; // times without a value are skipped
    if (limb_joint_motion_at(m, t - h, a) != LIMB_OK || limb_joint_motion_at(m, t, b) != LIMB_OK ||
        limb_joint_motion_at(m, t + h, c) != LIMB_OK)
      continue;
    for (int k = 0; k < 2; k++) wrong[k] += differs(a[k], c[k], (t + h) - (t - h), b[k + 1]);
  }
  return wrong[0] > 1 ? 1 : wrong[1] > 1 ? 2 : 0;
}
