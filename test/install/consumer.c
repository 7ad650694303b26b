// Uses an installed limb from C: the torque that holds a rod out level is m g l / 2.
#include <limb/limb.h>
#include <math.h>
#include <stdio.h>

static limb_status holding_torque(double mass, double length, double* tau)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_data* d = NULL;
  limb_body_def rod = limb_default_body_def("rod");
  rod.inertia = limb_inertia_move(sp_pose_make(sp_rot_rpy(0, acos(-1.0) / 2, 0), sp_v3(length / 2, 0, 0)),
                                  limb_inertia_rod(mass, length));
  int body = 0;
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = limb_builder_add_body(b, &rod, &body, NULL);
  limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, LIMB_WORLD_BODY, body);
  hinge.axis = sp_v3(0, -1, 0);
  if (s == LIMB_OK) s = limb_builder_add_joint(b, &hinge, NULL, NULL);
  if (s == LIMB_OK) s = limb_builder_build(b, &m, NULL);
  if (s == LIMB_OK) s = limb_data_create(m, NULL, &d);
  const double zero = 0;
  if (s == LIMB_OK) s = limb_inverse_dynamics(d, &zero, &zero, &zero, NULL, tau);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
  return s;
}

int main(void)
{
  double tau = 0;
  const limb_status s = holding_torque(2.0, 0.5, &tau);
  (void)printf("%s: %.17g N m\n", limb_status_text(s), tau);
  const int right = s == LIMB_OK && fabs(tau - 2.0 * 9.81 * 0.25) < 1e-12;
  return right && limb_version() == LIMB_VERSION ? 0 : 1;
}
