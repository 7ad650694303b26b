// Uses an installed limb_sim from C: a weight that falls for a second, by every method that there is.
#include <limb/limb.h>
#include <limb/sim.h>
#include <math.h>
#include <stdio.h>

static limb_model* weight(void)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_body_def body = limb_default_body_def("weight");
  limb_joint_def slide = limb_default_joint_def("slide", LIMB_PRISMATIC, 0, 1);
  body.inertia.mass = 2;
  slide.axis = sp_v3(0, 0, 1);
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = limb_builder_add_body(b, &body, NULL, NULL);
  if (s == LIMB_OK) s = limb_builder_add_joint(b, &slide, NULL, NULL);
  if (s == LIMB_OK) s = limb_builder_build(b, &m, NULL);
  limb_builder_destroy(b);
  return s == LIMB_OK ? m : NULL;
}

// How far it is after a second.
static double fall(const limb_model* m, limb_sim_method method)
{
  const double from = 0;
  limb_sim* sim = NULL;
  limb_sim_state now = {0};
  limb_sim_options o = limb_default_sim_options(m);
  o.method = method;
  limb_status s = limb_sim_create(m, &o, NULL, &sim, NULL);
  if (s == LIMB_OK) s = limb_sim_start(sim, 0, &from, NULL, NULL);
  if (s == LIMB_OK) s = limb_sim_advance(sim, 1, NULL);
  if (s == LIMB_OK) s = limb_sim_now(sim, &now);
  const double q = s == LIMB_OK ? now.q[0] : 0;
  limb_sim_destroy(sim);
  return q;
}

int main(void)
{
  limb_model* m = weight();
  int wrong = !m;
  for (int k = LIMB_SIM_AUTO; m && k <= LIMB_SIM_IDA; k++) {
    const limb_sim_method method = (limb_sim_method)k;
    if (!limb_sim_has_method(method)) continue;
    const double q = fall(m, method);
    (void)printf("%s %.6f\n", limb_sim_method_name(method), q);
    wrong |= !(fabs(q + 9.81 / 2) < 0.01);
  }
  limb_model_destroy(m);
  return wrong;
}
