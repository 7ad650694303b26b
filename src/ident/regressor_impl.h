// The form that is linear in the ten inertial parameters of a body, as a row of ten numbers.
//
//   x . I y = m xv.yv + h.(yv x xw + xv x yw) + xw' I yw          x, y motions (w; v) at the body's origin
#ifndef LIMB_REGRESSOR_IMPL_H
#define LIMB_REGRESSOR_IMPL_H

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

#endif
