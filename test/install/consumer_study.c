// Uses an installed limb_study from C: a pendulum verified, sized along a swing, and drawn.
#include <limb/draw.h>
#include <limb/limb.h>
#include <limb/study.h>
#include <limb/verify.h>
#include <math.h>
#include <stdio.h>

static limb_model* pendulum(void)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_body_def body = limb_default_body_def("bob");
  limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, 0, 1);
  body.inertia = limb_inertia_box(2, 0.1, 0.1, 0.1);
  body.inertia.com = sp_v3(0, 0, -1);
  hinge.axis = sp_v3(0, 1, 0);
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = limb_builder_add_body(b, &body, NULL, NULL);
  if (s == LIMB_OK) s = limb_builder_add_joint(b, &hinge, NULL, NULL);
  if (s == LIMB_OK) s = limb_builder_build(b, &m, NULL);
  limb_builder_destroy(b);
  return s == LIMB_OK ? m : NULL;
}

// Verdicts that are not ok.
static int verify(const limb_model* m)
{
  limb_verification* v = NULL;
  const limb_status s = limb_verify(m, NULL, &v, NULL);
  const int failed = s == LIMB_OK ? limb_verification_summary(v).failed : 1;
  limb_verification_destroy(v);
  return failed;
}

// The torque that holds it level, at the end of a slow swing by 90 degrees.
static double swing(const limb_model* m, FILE* picture)
{
  limb_data* d = NULL;
  limb_sizing* sizing = NULL;
  limb_animation* animation = NULL;
  limb_sizing_dof dof = {0};
  limb_status s = limb_data_create(m, NULL, &d);
  if (s == LIMB_OK) s = limb_sizing_create(m, &sizing);
  if (s == LIMB_OK) s = limb_animation_create(m, NULL, &animation);
  for (int i = 0; i <= 90 && s == LIMB_OK; i++) {
    const double q = acos(0.0) * i / 90, still = 0;
    double tau = 0;
    sp_force load;
    s = limb_inverse_dynamics(d, &q, &still, &still, NULL, &tau);
    if (s == LIMB_OK) s = limb_joint_reactions(d, &q, &still, &still, NULL, LIMB_BODY, &load);
    if (s == LIMB_OK) limb_sizing_add(sizing, &(limb_sizing_row){i, &q, &still, &tau, &load, NULL, NULL});
    if (s == LIMB_OK) s = limb_animation_add(animation, i, &q);
  }
  if (s == LIMB_OK) s = limb_sizing_get_dof(sizing, 0, &dof);
  if (s == LIMB_OK) s = limb_animation_write(animation, LIMB_PICTURE_SVG, picture);
  limb_animation_destroy(animation);
  limb_sizing_destroy(sizing);
  limb_data_destroy(d);
  return s == LIMB_OK ? fabs(dof.torque.value) : 0;
}

int main(void)
{
  limb_model* m = pendulum();
  FILE* picture = tmpfile();
  if (!m || !picture) return 1;
  const int failed = verify(m);
  const double torque = swing(m, picture);
  (void)printf("%d checks failed, %.6f N m, %ld bytes\n", failed, torque, ftell(picture));
  const int right = failed == 0 && fabs(torque - 2 * 9.81) < 1e-9 && ftell(picture) > 1000;
  (void)fclose(picture);
  limb_model_destroy(m);
  return right ? 0 : 1;
}
