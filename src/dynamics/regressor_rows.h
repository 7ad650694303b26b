// The forms that are linear in the ten inertial parameters of a body, as rows of ten numbers.
//
//   x . I y = m xv.yv + h.(yv x xw + xv x yw) + xw' I yw          x, y motions (w; v) at the body's origin
//
// and with it the power of the inertial force of a body on a unit motion s (principle of virtual power),
// the velocity of the body being v and its acceleration a:
//
//   s . (I a + v x* I v) = s . I a - (v x s) . I v
#ifndef LIMB_REGRESSOR_ROWS_H
#define LIMB_REGRESSOR_ROWS_H

#include "limb/regressor.h"

// out += k times the row of x . I y; everything in body axes at the body's origin.
static inline void limb_add_inertia_row(double k, sp_motion x, sp_motion y, double* out)
{
  const sp_vec3 a = x.w, b = y.w;
  const sp_vec3 h = sp_add3(sp_cross3(y.v, a), sp_cross3(x.v, b));
  out[0] += k * sp_dot3(x.v, y.v);
  out[1] += k * h.x, out[2] += k * h.y, out[3] += k * h.z;
  out[4] += k * (a.x * b.x);
  out[5] += k * (a.x * b.y + a.y * b.x);
  out[6] += k * (a.x * b.z + a.z * b.x);
  out[7] += k * (a.y * b.y);
  out[8] += k * (a.y * b.z + a.z * b.y);
  out[9] += k * (a.z * b.z);
}

// out += k times the row of s . (I a + v x* I v).
static inline void limb_add_force_row(double k, sp_motion s, sp_motion v, sp_motion a, double* out)
{
  limb_add_inertia_row(k, s, a, out);
  limb_add_inertia_row(-k, sp_crm(v, s), v, out);
}

#endif
