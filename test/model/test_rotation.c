// Rotations: the quaternion of a matrix, at every angle and near half a turn.
#include "limb/spatial.h"

#include "support/check.h"
#include "support/rng.h"

#include <float.h>
#include <math.h>

START_TEST(quaternion_of_a_rotation)
{
  rng r = {(uint64_t)_i + 1};
  const double pi = 3.14159265358979324;
  const double angle[] = {0, 1e-12, 1e-3, 1, 2, 3, pi - 1e-9, pi, rng_uniform(&r, 0, pi)};
  sp_vec3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, 0, 0}};
  axis[4] = rng_direction(&r);
  for (size_t i = 0; i < sizeof angle / sizeof angle[0]; i++) {
    for (int k = 0; k < 5; k++) {
      const sp_mat3 R = sp_rot_axis(axis[k], angle[i]);
      const sp_quat q = sp_quat_rot(R);
      assert_that(q.w >= 0);
      assert_close(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1, 4 * DBL_EPSILON, 0);
      assert_close_matrix(sp_rot_quat(q).m, R.m, 3, 3, 8 * DBL_EPSILON, 0);
      if (i < 6) { // small angles keep their relative accuracy
        const sp_vec3 v = sp_scale3(sin(angle[i] / 2), axis[k]);
        assert_close_vec3(sp_v3(q.x, q.y, q.z), v, 8 * DBL_EPSILON, 0);
      }
    }
  }
}
END_TEST

CHECK_MAIN("rotation", 50, quaternion_of_a_rotation)
