// A torque loop at 1 kHz for an arm with two joints, without allocation: the workspace lies in memory
// of the caller. Compares gravity compensation with a PD law and computed torque on a fast sine.
#include <limb/limb.h>
#include <stdio.h>

enum { N = 2 };
static const double DT = 1e-3, KP = 400, KD = 40; // [s], [1/s^2], [1/s]

static limb_status make_arm(limb_model** robot)
{
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(NULL, &b);
  for (int i = 0; i < N && s == LIMB_OK; i++) {
    limb_body_def link = limb_default_body_def(i ? "forearm" : "upper arm");
    link.inertia = limb_inertia_box(i ? 3 : 5, 0.5, 0.06, 0.06);
    link.inertia.com = sp_v3(0.25, 0, 0);
    limb_joint_def joint = limb_default_joint_def(i ? "elbow" : "shoulder", LIMB_REVOLUTE, i, i + 1);
    joint.placement.p = sp_v3(i ? 0.5 : 0, 0, 0);
    joint.axis = sp_v3(0, 1, 0);
    s = limb_builder_add_body(b, &link, NULL, NULL);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &joint, NULL, NULL);
  }
  if (s == LIMB_OK) s = limb_builder_build(b, robot, NULL);
  limb_builder_destroy(b);
  return s;
}

// One tick of the controller: tau from the measured state and the wanted motion.
static limb_status control(limb_data* d, int computed_torque, const double* q, const double* v, const double want[3],
                           double* tau)
{
  double a[N], g[N];
  for (int i = 0; i < N; i++) a[i] = KP * (want[0] - q[i]) + KD * (want[1] - v[i]);
  if (computed_torque) { // tau = M(q) (a_wanted + KP e + KD e') + h(q, v)
    for (int i = 0; i < N; i++) a[i] += want[2];
    return limb_inverse_dynamics(d, q, v, a, NULL, tau);
  }
  const limb_status s = limb_gravity_forces(d, q, NULL, g);
  for (int i = 0; i < N; i++) tau[i] = g[i] + 0.3 * a[i]; // with a guess of the inertia
  return s;
}

// Largest tracking error in 3 s [rad]. The plant is simulated with forward dynamics.
static limb_status track(limb_data* d, int computed_torque, double* worst)
{
  double q[N] = {0, 0}, v[N] = {1.8, 1.8}, tau[N], a[N];
  *worst = 0;
  for (int k = 0; k < 3000; k++) {
    const double t = k * DT, want[3] = {0.6 * sin(3 * t), 1.8 * cos(3 * t), -5.4 * sin(3 * t)};
    limb_status s = control(d, computed_torque, q, v, want, tau);
    if (s == LIMB_OK) s = limb_forward_dynamics(d, q, v, tau, NULL, a);
    if (s != LIMB_OK) return s;
    for (int i = 0; i < N; i++) {
      *worst = fmax(*worst, fabs(want[0] - q[i]));
      q[i] += DT * (v[i] + DT / 2 * a[i]);
      v[i] += DT * a[i];
    }
  }
  return LIMB_OK;
}

int main(void)
{
  static _Alignas(LIMB_DATA_ALIGN) unsigned char memory[32768];
  limb_model* robot = NULL;
  limb_data* d = NULL;
  double pd = 0, ct = 0;
  limb_status s = make_arm(&robot);
  if (s == LIMB_OK) s = limb_data_init(robot, memory, sizeof memory, &d);
  if (s == LIMB_OK) s = track(d, 0, &pd);
  if (s == LIMB_OK) s = track(d, 1, &ct);
  if (s != LIMB_OK) fprintf(stderr, "%s\n", limb_status_text(s));
  printf("workspace: %zu bytes\n", limb_data_size(robot));
  printf("largest tracking error: gravity compensation and PD %.4f rad, computed torque %.6f rad\n", pd, ct);
  limb_model_destroy(robot);
  return s == LIMB_OK && ct < 1e-3 && ct < pd / 20 ? 0 : 1;
}
