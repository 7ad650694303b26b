// Collision detection without a sensor: a UR5 holds a trajectory, somebody pushes its hand, and the momentum observer
// sees it from the torques of the motors within milliseconds.
#include "limb/ident.h"
#include "limb/limb.h"
#include "limb/read.h"

#include <math.h>
#include <stdio.h>

enum { JOINTS = 6 };

static const double STEP = 1e-3, GAIN = 80, THRESHOLD = 2, PUSHED_AT = 1;

// Torques of a controller: inverse dynamics along sines, and feedback.
static limb_status control(limb_data* d, double t, const double* q, const double* v, double* tau)
{
  double a[JOINTS];
  for (int j = 0; j < JOINTS; j++) {
    const double w = 1.5 + 0.3 * j;
    const double goal = 0.5 * sin(w * t) + 0.3 * j - 1, rate = 0.5 * w * cos(w * t), change = -0.5 * w * w * sin(w * t);
    a[j] = change + 20 * (rate - v[j]) + 100 * (goal - q[j]);
  }
  return limb_inverse_dynamics(d, q, v, a, NULL, tau);
}

static int run(const limb_model* m, limb_data* d)
{
  double q[JOINTS], v[JOINTS], a[JOINTS], tau[JOINTS], integral[JOINTS], r[JOINTS], work[JOINTS * JOINTS + 3 * JOINTS];
  limb_observer o = {d, NULL, GAIN, integral, r, work};
  limb_wrench push = {.frame = limb_find_frame(m, "link6"), .ref = LIMB_ALIGNED};
  limb_environment env = limb_default_environment(m);
  push.wrench = sp_force_make(sp_v3(0, 0, 0), sp_v3(0, 0, -25));
  env.wrench = &push;
  for (int j = 0; j < JOINTS; j++) q[j] = 0.3 * j - 1, v[j] = 0.5 * (1.5 + 0.3 * j);
  limb_status s = limb_observer_start(&o, q, v);
  for (int i = 0; i < 2000 && s == LIMB_OK; i++) {
    const double t = i * STEP;
    env.nwrench = t >= PUSHED_AT;
    s = control(d, t, q, v, tau);
    if (s == LIMB_OK) s = limb_forward_dynamics(d, q, v, tau, &env, a);
    for (int j = 0; j < JOINTS; j++) v[j] += STEP * a[j], q[j] += STEP * v[j];
    if (s == LIMB_OK) s = limb_observer_step(&o, STEP, q, v, tau);
    for (int j = 0; j < JOINTS; j++) {
      if (s != LIMB_OK || fabs(r[j]) < THRESHOLD) continue;
      const double delay = 1e3 * (t + STEP - PUSHED_AT);
      printf("joint %d feels %.1f N m from outside, %.0f ms after the push\n", j + 1, r[j], delay);
      return delay > 0 && delay < 30 ? 0 : 1;
    }
  }
  printf("%s\n", s == LIMB_OK ? "the push was not noticed" : limb_status_text(s));
  return 1;
}

int main(void)
{
  limb_error err;
  limb_model* m = NULL;
  limb_data* d = NULL;
  if (limb_load("ur5", NULL, &m, &err) != LIMB_OK || limb_data_create(m, NULL, &d) != LIMB_OK) return 1;
  const int code = run(m, d);
  limb_data_destroy(d);
  limb_model_destroy(m);
  return code;
}
