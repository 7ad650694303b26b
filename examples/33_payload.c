// What a gripper holds: a UR5 carries a box that its model does not know along a motion that limb_excite found, with
// noise in its torques. After every millisecond limb_payload knows the box better; a real program would run the same
// calls in its control loop.
#include "limb/edit.h"
#include "limb/ident.h"
#include "limb/limb.h"
#include "limb/read.h"

#include <math.h>
#include <stdio.h>

enum { JOINTS = 6 };

static const double STEP = 1e-3, SECONDS = 5, MASS = 1.8, NOISE = 0.3;

static double noise(unsigned* seed) // uniform in [-1, 1]
{
  *seed = *seed * 1664525U + 1013904223U;
  return *seed / 2147483648.0 - 1;
}

// The robot at hand: the model, and a box on its tip.
static limb_status load_robot(const limb_model* m, limb_model** out, limb_error* err)
{
  limb_builder* b = NULL;
  sp_inertia box = limb_inertia_box(MASS, 0.1, 0.2, 0.15);
  box.com = sp_v3(0.02, 0, 0.08);
  limb_status s = limb_builder_from_model(m, NULL, &b);
  if (s == LIMB_OK) s = limb_builder_add_payload(b, "box", "tip", NULL, &box, err);
  if (s == LIMB_OK) s = limb_builder_build(b, out, err);
  limb_builder_destroy(b);
  return s;
}

static limb_status find_motion(const limb_model* m, limb_excitation** out, limb_error* err)
{
  limb_excite_options o = limb_default_excite_options();
  o.duration = SECONDS, o.max_acceleration = 10, o.starts = 1, o.steps = 15;
  const limb_status s = limb_excite(m, &o, out, err);
  limb_excitation_facts f;
  if (s == LIMB_OK && limb_excitation_get_facts(*out, &f) == LIMB_OK)
    printf("a motion of %g s: condition %.1f, before the search %.1f\n", f.duration, f.condition, f.random);
  return s;
}

static limb_status carry(limb_data* robot, const limb_excitation* motion, limb_payload* x)
{
  unsigned seed = 1;
  limb_status s = LIMB_OK;
  for (int i = 0; i * STEP <= SECONDS && s == LIMB_OK; i++) {
    double q[JOINTS], v[JOINTS], a[JOINTS], tau[JOINTS];
    s = limb_excitation_at(motion, i * STEP, q, v, a);
    if (s == LIMB_OK) s = limb_inverse_dynamics(robot, q, v, a, NULL, tau);
    for (int j = 0; j < JOINTS; j++) tau[j] += NOISE * noise(&seed);
    if (s == LIMB_OK) s = limb_payload_step(x, STEP, q, v, tau);
    limb_payload_result r;
    if (i % 1000 == 0 && i > 1000 && s == LIMB_OK && limb_payload_estimate(x, &r) == LIMB_OK)
      printf("after %d s: %.3f +- %.3f kg, %.3f +- %.3f m above the tip\n", i / 1000, r.load.mass, r.mass_std,
             r.load.com.z, r.com_std[2]);
  }
  return s;
}

int main(void)
{
  limb_error err = {0};
  limb_model *model = NULL, *loaded = NULL;
  limb_data* robot = NULL;
  limb_excitation* motion = NULL;
  limb_payload* x = NULL;
  limb_payload_result r = {0};
  limb_status s = limb_load("ur5", NULL, &model, &err);
  if (s == LIMB_OK) s = load_robot(model, &loaded, &err);
  if (s == LIMB_OK) s = limb_data_create(loaded, NULL, &robot);
  if (s == LIMB_OK) s = find_motion(model, &motion, &err);
  if (s == LIMB_OK) s = limb_payload_create(model, limb_find_frame(model, "tip"), NULL, &x);
  if (s == LIMB_OK) s = carry(robot, motion, x);
  if (s == LIMB_OK) s = limb_payload_estimate(x, &r);
  if (s != LIMB_OK) printf("%s: %s\n", limb_status_text(s), err.text);
  limb_payload_destroy(x);
  limb_excitation_destroy(motion);
  limb_data_destroy(robot);
  limb_model_destroy(loaded);
  limb_model_destroy(model);
  return s == LIMB_OK && fabs(r.load.mass - MASS) < 4 * r.mass_std && r.mass_std < 0.05 ? 0 : 1;
}
