// Rotations with exact zeros and ones at right angles. The cosine of the double nearest to pi/2 is 6e-17, which
// is exact, but never what the author of a file means.
#include "io/geometry.h"

#include <math.h>

int limb_looks_like_degrees(double radians)
{
  return fabs(radians) > 6.2832; // a little more than two pi
}

// cos and sin. 1e-15 is four units in the last place of pi/2. Around zero nothing needs to be corrected.
static void cos_sin(double angle, double* c, double* s)
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

// Adding 0 turns every zero into a positive one.
static sp_mat3 without_minus_zero(sp_mat3 R)
{
  for (int i = 0; i < 9; i++) R.m[i] += 0.0;
  return R;
}

sp_mat3 limb_rot_rpy(const double rpy[3])
{
  double cr, sr, cp, sp, cy, sy;
  cos_sin(rpy[0], &cr, &sr);
  cos_sin(rpy[1], &cp, &sp);
  cos_sin(rpy[2], &cy, &sy);
  const sp_mat3 R = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
                      sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
  return without_minus_zero(R);
}

sp_mat3 limb_rot_axis(sp_vec3 axis, double angle)
{
  double c, s;
  cos_sin(angle, &c, &s);
  const double x = axis.x, y = axis.y, z = axis.z, t = 1 - c;
  const sp_mat3 R = {{t * x * x + c, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c,
                      t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c}};
  return without_minus_zero(R);
}

sp_mat3 limb_rot_to(sp_vec3 from, sp_vec3 to)
{
  const sp_vec3 axis = sp_cross3(from, to);
  const double s = sp_norm3(axis), c = sp_dot3(from, to);
  const sp_vec3 next = sp_v3(from.z, from.x, from.y); // perpendicular to from
  if (s < 1e-10) return limb_rot_axis(next, c > 0 ? 0 : LIMB_PI);
  return limb_rot_axis(sp_scale3(1 / s, axis), atan2(s, c));
}

sp_mat3 limb_rot_quat(double x, double y, double z, double w)
{
  return without_minus_zero(sp_rot_quat((sp_quat){x, y, z, w}));
}

sp_pose limb_screw_z(double rz, double z)
{
  return sp_pose_make(limb_rot_rpy((const double[3]){0, 0, rz}), sp_v3(0, 0, z));
}

sp_pose limb_screw_x(double rx, double x)
{
  return sp_pose_make(limb_rot_rpy((const double[3]){rx, 0, 0}), sp_v3(x, 0, 0));
}

int limb_same_rotation(const sp_mat3* A, const sp_mat3* B)
{
  for (int i = 0; i < 9; i++) {
    if (A->m[i] != B->m[i]) return 0;
  }
  return 1;
}

int limb_no_rotation(const sp_mat3* R)
{
  const sp_mat3 one = sp_identity3();
  return limb_same_rotation(R, &one);
}

int limb_same_vector(sp_vec3 a, sp_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

int limb_is_zero(sp_vec3 x) { return x.x == 0 && x.y == 0 && x.z == 0; }

int limb_is_identity(const sp_pose* X) { return limb_is_zero(X->p) && limb_no_rotation(&X->R); }

double limb_length(sp_vec3 x) { return hypot(hypot(x.x, x.y), x.z); }

sp_vec3 limb_unit(sp_vec3 x)
{
  const double largest = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
  const sp_vec3 near = sp_v3(x.x / largest, x.y / largest, x.z / largest);
  return sp_scale3(1 / sp_norm3(near), near);
}

void limb_get_moments(const sp_inertia* Y, double I[6])
{
  I[0] = Y->xx, I[1] = Y->xy, I[2] = Y->xz, I[3] = Y->yy, I[4] = Y->yz, I[5] = Y->zz;
}

void limb_set_moments(sp_inertia* Y, const double I[6])
{
  Y->xx = I[0], Y->xy = I[1], Y->xz = I[2], Y->yy = I[3], Y->yz = I[4], Y->zz = I[5];
}

int limb_has_inertia(const sp_inertia* Y)
{
  return Y->mass != 0 || Y->xx != 0 || Y->yy != 0 || Y->zz != 0 || Y->xy != 0 || Y->xz != 0 || Y->yz != 0;
}
