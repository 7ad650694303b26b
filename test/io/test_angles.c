// Angles as rotations: exact at right angles in every language, and nowhere else.
#include "limb/limb.h"
#include "limb/read.h"

#include "io/geometry.h"

#include "io/faults.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// Entries are -1, 0 or 1, and no zero is a negative one.
static int is_exact(const sp_mat3* R)
{
  int exact = 1;
  for (int i = 0; i < 9; i++) exact &= (R->m[i] == 0 && !signbit(R->m[i])) || fabs(R->m[i]) == 1;
  return exact;
}

START_TEST(right_angles_are_exact)
{
  for (int k = -8; k <= 8; k++) {
    for (int axis = 0; axis < 3; axis++) {
      double rpy[3] = {0, 0, 0};
      rpy[axis] = k * (PI / 2);
      const sp_mat3 R = limb_rot_rpy(rpy);
      const sp_mat3 Q = limb_rot_axis(sp_v3(axis == 0, axis == 1, axis == 2), rpy[axis]);
      check_at("%d right angles about axis %d", k, axis);
      assert_that(is_exact(&R) && is_exact(&Q));
      assert_that(memcmp(&R, &Q, sizeof R) == 0);
      const sp_mat3 plain = sp_rot_rpy(rpy[0], rpy[1], rpy[2]);
      for (int i = 0; i < 9; i++) assert_close(R.m[i], plain.m[i], 0, 2e-15);
    }
  }
}
END_TEST

// What is rounded to fewer digits is taken at its word.
START_TEST(other_angles_stay)
{
  static const double angles[] = {1.5708, 1.57079633,         1.5707963268, 1.57079632679, 3.1416, 1e-15,
                                  1e-300, 0.7853981633974483, 2.5};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    const double rpy[3] = {0, 0, angles[i]};
    const sp_mat3 R = limb_rot_rpy(rpy);
    check_at("%.17g", angles[i]);
    assert_that(R.m[0] == cos(angles[i]) && R.m[3] == sin(angles[i]));
  }
}
END_TEST

START_TEST(lengths_of_any_size)
{
  assert_close(limb_length(sp_v3(3e200, 4e200, 0)), 5e200, 1e-15, 0);
  assert_close(limb_length(sp_v3(0, 3e-200, 4e-200)), 5e-200, 1e-15, 0);
  assert_close_vec3(limb_unit(sp_v3(0, 3e200, 4e200)), sp_v3(0, 0.6, 0.8), 1e-15, 0);
  assert_close_vec3(limb_unit(sp_v3(3e-320, 0, 4e-320)), sp_v3(0.6, 0, 0.8), 1e-3, 0);
  assert_that(limb_looks_like_degrees(-90) && !limb_looks_like_degrees(2 * PI));
}
END_TEST

// The placement of the joint 'j' of a text.
static sp_pose placement_of(limb_format format, const char* text)
{
  limb_reading* r = NULL;
  limb_joint_def def = {0};
  check_at("%.80s", text);
  const limb_status status = read_as(format, text, strlen(text), &r);
  if (status) print_findings(r);
  assert_ok(status);
  limb_builder* b = limb_reading_builder(r);
  for (int i = 0; limb_builder_get_joint(b, i, &def) == LIMB_OK; i++) {
    if (strcmp(def.name, "j") == 0 || strcmp(def.name, "joint1") == 0) break;
  }
  limb_reading_destroy(r);
  return def.placement;
}

START_TEST(all_languages_agree)
{
  static const char urdf[] = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
                             "<parent link='a'/><child link='b'/><origin rpy='1.5707963267948966 0 %s'/>"
                             "<axis xyz='0 0 1'/></joint></robot>";
  static const char yaml[] =
    "limb: 1\nbodies: [{name: a, mass: 1, solid: point}]\njoints:\n  - {name: j, type: revolute, "
    "parent: world, child: a, pose: {rpy: [pi/2, 0, 3.141592653589793]}, axis: [0, 0, 1]}\n";
  static const char mjcf[] = "<mujoco><worldbody><body name='a' euler='0 0 180'><body name='b' euler='90 0 0'>"
                             "<joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></body>"
                             "</worldbody></mujoco>";
  static const char par[] = "NL = 1\nAnt = {0}\nSigma = {0}\nB = {0}\nR = {0}\ngamma = {0}\nAlpha = {Pi/2}\nd = {0}\n"
                            "Theta = {t1}\nXX = {1}\nXY = {0}\nXZ = {0}\nYY = {1}\nYZ = {0}\nZZ = {1}\nMX = {0}\n"
                            "MY = {0}\nMZ = {0}\nM = {1}\nIA = {0}\nFV = {0}\nFS = {0}\n";
  char text[512];
  (void)snprintf(text, sizeof text, urdf, "3.141592653589793");
  const sp_pose by_urdf = placement_of(LIMB_FORMAT_URDF, text);
  const sp_pose by_yaml = placement_of(LIMB_FORMAT_YAML, yaml);
  assert_that(is_exact(&by_urdf.R) && is_exact(&by_yaml.R));
  assert_that(memcmp(&by_urdf.R, &by_yaml.R, sizeof by_urdf.R) == 0);
  (void)snprintf(text, sizeof text, urdf, "0");
  const sp_pose flat = placement_of(LIMB_FORMAT_URDF, text);
  const sp_pose by_mjcf = placement_of(LIMB_FORMAT_MJCF, mjcf);
  const sp_pose by_par = placement_of(LIMB_FORMAT_PAR, par);
  assert_that(memcmp(&flat.R, &by_mjcf.R, sizeof flat.R) == 0);
  assert_that(memcmp(&flat.R, &by_par.R, sizeof flat.R) == 0);
}
END_TEST

CHECK_MAIN("angles", 1, right_angles_are_exact, other_angles_stay, lengths_of_any_size, all_languages_agree)
