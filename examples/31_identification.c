// Identification: a UR5 that has friction and a load that its model does not know is logged while it moves, with noise
// in its torques. The log goes into limb_ident, which returns the base parameters, friction, and what they are worth.
#include "limb/ident.h"
#include "limb/limb.h"
#include "limb/read.h"

#include <math.h>
#include <stdio.h>

enum { JOINTS = 6, RATE = 200, SECONDS = 40 };

static const double VISCOUS = 0.4, COULOMB = 1.5, NOISE = 0.2, LOAD = 2;

// The robot at hand: 2 kg more at the flange than the model has. Its friction is added to the torques below.
static limb_model* real_robot(limb_error* err)
{
  limb_reading* r = NULL;
  limb_model* m = NULL;
  if (limb_read_robot("ur5", NULL, &r, err) == LIMB_OK) {
    limb_builder* b = limb_reading_builder(r);
    const int last = limb_builder_body_count(b) - 1;
    limb_body_def body;
    if (limb_builder_get_body(b, last, &body) == LIMB_OK) {
      body.inertia.mass += LOAD;
      if (limb_builder_set_inertia(b, last, &body.inertia) == LIMB_OK) (void)!limb_builder_build(b, &m, err);
    }
  }
  limb_reading_destroy(r);
  return m;
}

static double noise(unsigned* seed) // uniform in [-1, 1]
{
  *seed = *seed * 1664525U + 1013904223U;
  return *seed / 2147483648.0 - 1;
}

// Sines of two frequencies per joint, which are no multiples of each other.
static void move(double t, double* q, double* v, double* a)
{
  for (int j = 0; j < JOINTS; j++) {
    q[j] = v[j] = a[j] = 0;
    for (int k = 0; k < 2; k++) {
      const double w = 0.7 + 0.31 * j + 1.13 * k, size = 0.9 / (1 + k), phase = j + 2 * k;
      q[j] += size * sin(w * t + phase), v[j] += size * w * cos(w * t + phase);
      a[j] -= size * w * w * sin(w * t + phase);
    }
  }
}

static limb_status log_motion(limb_data* robot, limb_ident* x, limb_error* err)
{
  unsigned seed = 1;
  limb_status s = LIMB_OK;
  for (int i = 0; i < RATE * SECONDS && s == LIMB_OK; i++) {
    double q[JOINTS], v[JOINTS], a[JOINTS], tau[JOINTS];
    const double t = (double)i / RATE;
    move(t, q, v, a);
    s = limb_inverse_dynamics(robot, q, v, a, NULL, tau);
    for (int j = 0; j < JOINTS; j++) tau[j] += VISCOUS * v[j] + COULOMB * (v[j] > 0 ? 1 : -1) + NOISE * noise(&seed);
    if (s == LIMB_OK) s = limb_ident_add(x, &(limb_ident_sample){.time = t, .q = q, .v = v, .tau = tau}, err);
  }
  return s;
}

static int report(const limb_ident* x)
{
  limb_ident_facts f;
  limb_ident_residual r;
  limb_ident_parameter p;
  int right = 0, all = 0;
  if (limb_ident_get_facts(x, &f) != LIMB_OK || limb_ident_get_residual(x, -1, LIMB_IDENT_VALIDATION, &r) != LIMB_OK)
    return 1;
  printf("cut-off %.2f Hz, %d rows, %d parameters: %d known, %d uncertain\n", f.cutoff, f.rows, limb_ident_count(x),
         f.known, f.uncertain);
  printf("validation: %.2f %% of the torques are not explained\n", 100 * r.rms / r.torque);
  for (int k = 0; limb_ident_get_parameter(x, k, &p) == LIMB_OK; k++) {
    const int viscous = p.name[0] == 'F' && p.name[1] == 'v', dry = p.name[0] == 'F' && p.name[1] == 's';
    if (!viscous && !dry) continue;
    const double truth = viscous ? VISCOUS : COULOMB;
    printf("%s %.3f +- %.3f, in truth %.1f\n", p.name, p.value, p.std, truth);
    right += fabs(p.value - truth) < 4 * p.std, all++;
  }
  return right == all && all == 2 * JOINTS && r.rms < 0.01 * r.torque ? 0 : 1;
}

int main(void)
{
  limb_error err = {0};
  limb_model *model = NULL, *robot = real_robot(&err);
  limb_data* d = NULL;
  limb_ident* x = NULL;
  int code = 1;
  limb_status s = robot ? limb_load("ur5", NULL, &model, &err) : err.status;
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &d);
  if (s == LIMB_OK) s = limb_ident_create(model, NULL, &x);
  if (s == LIMB_OK) s = log_motion(d, x, &err);
  if (s == LIMB_OK) s = limb_ident_fit(x, &err);
  if (s == LIMB_OK)
    code = report(x);
  else
    printf("%s: %s\n", limb_status_text(s), err.text);
  limb_ident_destroy(x);
  limb_data_destroy(d);
  limb_model_destroy(model);
  limb_model_destroy(robot);
  return code;
}
