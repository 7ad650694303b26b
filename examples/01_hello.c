// A rod of 2 kg and 0.5 m hangs on a hinge. Which torque lifts it with 3 rad/s^2 from level?
#include <limb/limb.h>
#include <stdio.h>

int main(void)
{
  limb_builder* b = NULL;
  limb_model* robot = NULL;
  limb_data* work = NULL;
  const double q = 1.57079632679489662, v = 0, a = 3; // angle, its rate, its acceleration
  double tau = 0;

  limb_body_def rod = limb_default_body_def("rod");
  rod.inertia = limb_inertia_rod(2, 0.5); // along z, about its centre
  rod.inertia.com = sp_v3(0, 0, -0.25);   // which is 0.25 m below the hinge
  limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
  hinge.axis = sp_v3(0, 1, 0);
  if (limb_builder_create(NULL, &b) || limb_builder_add_body(b, &rod, NULL, NULL) ||
      limb_builder_add_joint(b, &hinge, NULL, NULL) || limb_builder_build(b, &robot, NULL) ||
      limb_data_create(robot, NULL, &work) || limb_inverse_dynamics(work, &q, &v, &a, NULL, &tau))
    return 1;
  printf("%.3f N m\n", tau); // m g l/2 + (m l^2 / 3) a = 4.905 + 0.5
  limb_data_destroy(work);
  limb_model_destroy(robot);
  limb_builder_destroy(b);
  return fabs(tau - 5.405) < 1e-12 ? 0 : 1;
}
