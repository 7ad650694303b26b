// Uses an installed limb_io from C: a built-in robot, and a text.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  static const char text[] = "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='2'/>"
                             "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                             "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
                             "</robot>";
  limb_model *ur5 = NULL, *robot = NULL;
  limb_reading* reading = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  limb_status s = limb_load("ur5", NULL, &ur5, &err);
  if (s == LIMB_OK) s = limb_read_text(text, strlen(text), "text.urdf", NULL, &reading, &err);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(reading), &robot, &err);
  (void)printf("%s %s %s\n", limb_status_text(s), err.where, err.text);
  const int right = s == LIMB_OK && limb_nv(ur5) == 6 && limb_total_mass(robot) == 2;
  limb_model_destroy(robot);
  limb_reading_destroy(reading);
  limb_model_destroy(ur5);
  return right ? 0 : 1;
}
