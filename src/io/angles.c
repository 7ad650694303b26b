// Rotations with exact zeros and ones at right angles. cos(pi/2) of the double nearest to pi/2 is 6e-17: true
// to the last digit, and never what the author of a file means.
#include "io/angles.h"

#include <math.h>

int limb_looks_like_degrees(double radians)
{
  return fabs(radians) > 6.2832; // a little more than two pi
}

// cos and sin. 1e-15 are four units in the last place of pi/2. Around zero nothing needs mending.
static void turn(double angle, double* c, double* s)
{
  const double small = 1e-15;
  *c = cos(angle);
  *s = sin(angle);
  if (fabs(*c) < small) {
    *c = 0;
    *s = *s > 0 ? 1 : -1;
  } else if (fabs(*s) < small && fabs(angle) > 1) {
    *s = 0;
    *c = *c > 0 ? 1 : -1;
  }
}

// The sum with 0 makes every zero a positive one.
static sp_mat3 without_minus_zero(sp_mat3 R)
{
  for (int i = 0; i < 9; i++) R.m[i] += 0.0;
  return R;
}

sp_mat3 limb_rot_rpy(const double rpy[3])
{
  double cr, sr, cp, sp, cy, sy;
  turn(rpy[0], &cr, &sr);
  turn(rpy[1], &cp, &sp);
  turn(rpy[2], &cy, &sy);
  const sp_mat3 R = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
                      sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
  return without_minus_zero(R);
}

// Roll is read off the last row. The others are those that fit this very roll, so that near a pitch of +-90
// degrees, where roll alone is all noise, their product is still R:
//   R Rx(-roll) e_y = (-sin yaw, cos yaw, 0),   Rz(-yaw) R e_x = (cos pitch, 0, -sin pitch)
sp_vec3 limb_rpy_of(const sp_mat3* R)
{
  const double* m = R->m;
  const double roll = m[7] == 0 && m[8] == 0 ? 0 : atan2(m[7], m[8]);
  const double cr = cos(roll), sr = sin(roll);
  const double yaw = atan2(sr * m[2] - cr * m[1], cr * m[4] - sr * m[5]);
  const double pitch = atan2(-m[6], cos(yaw) * m[0] + sin(yaw) * m[3]);
  return sp_v3(roll + 0.0, pitch + 0.0, yaw + 0.0);
}

sp_mat3 limb_rot_axis(sp_vec3 axis, double angle)
{
  double c, s;
  turn(angle, &c, &s);
  const double x = axis.x, y = axis.y, z = axis.z, t = 1 - c;
  const sp_mat3 R = {{t * x * x + c, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c,
                      t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c}};
  return without_minus_zero(R);
}

sp_mat3 limb_rot_to(sp_vec3 from, sp_vec3 to)
{
  const sp_vec3 axis = sp_cross3(from, to);
  const double s = sp_norm3(axis), c = sp_dot3(from, to);
  const sp_vec3 next = sp_v3(from.z, from.x, from.y); // at right angles to from
  if (s < 1e-10) return limb_rot_axis(next, c > 0 ? 0 : 3.14159265358979323846);
  return limb_rot_axis(sp_scale3(1 / s, axis), atan2(s, c));
}

sp_mat3 limb_rot_quat(double x, double y, double z, double w)
{
  return without_minus_zero(sp_rot_quat((sp_quat){x, y, z, w}));
}

double limb_length(sp_vec3 x) { return hypot(hypot(x.x, x.y), x.z); }

sp_vec3 limb_unit(sp_vec3 x)
{
  const double largest = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
  const sp_vec3 near = sp_v3(x.x / largest, x.y / largest, x.z / largest);
  return sp_scale3(1 / sp_norm3(near), near);
}
