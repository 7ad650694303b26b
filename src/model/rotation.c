// Rotations: what of limb/spatial.h is too long to be inline.
#include "limb/spatial.h"

#include <math.h>

sp_quat sp_quat_rot(sp_mat3 R)
{
  // Shepperd's method: 4 w^2 = 1 + trace and so on; the largest of the four is divided by.
  const double *m = R.m, xx = m[0], yy = m[4], zz = m[8];
  const double x = m[7] - m[5], y = m[2] - m[6], z = m[3] - m[1];
  const double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
  sp_quat q = {x, y, z, 1 + xx + yy + zz};
  if (xx + yy + zz < fmax(xx, fmax(yy, zz))) {
    if (xx >= yy && xx >= zz)
      q = (sp_quat){1 + xx - yy - zz, xy, xz, x};
    else if (yy >= zz)
      q = (sp_quat){xy, 1 - xx + yy - zz, yz, y};
    else
      q = (sp_quat){xz, yz, 1 - xx - yy + zz, z};
  }
  const double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const double k = q.w < 0 ? -1 / n : 1 / n;
  return (sp_quat){k * q.x, k * q.y, k * q.z, k * q.w};
}
