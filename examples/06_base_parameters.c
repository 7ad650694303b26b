// What a robot's torques can tell: an arm with two rotations swings through some motions, its torques are
// recorded, and least squares finds its base parameters again. The parameters of the bodies themselves cannot
// be found, whatever the motion: the formulas show which combinations can.
#include <limb/limb.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, SAMPLES = 200 };

// An arm of two links in a vertical plane, with motors, gears and friction.
static limb_status make_arm(limb_model** arm)
{
  static const double length[2] = {0.5, 0.4}, mass[2] = {6, 3};
  limb_builder* b = NULL;
  limb_status s = limb_builder_create(NULL, &b);
  for (int k = 0; k < 2 && s == LIMB_OK; k++) {
    const char* name = k ? "forearm" : "upper arm";
    limb_body_def link = limb_default_body_def(name);
    link.inertia = limb_inertia_box(mass[k], length[k], 0.08, 0.1);
    link.inertia.com = sp_v3(length[k] / 2, 0.01, 0);
    limb_joint_def joint = limb_default_joint_def(name, LIMB_REVOLUTE, k, k + 1);
    joint.placement.p = sp_v3(k ? length[0] : 0, 0, 0);
    joint.axis = sp_v3(0, 1, 0);
    joint.rotor_inertia = 1e-4, joint.gear_ratio = 50;
    joint.viscous = 0.8 - 0.3 * k, joint.coulomb = 1.5 - 0.5 * k;
    s = limb_builder_add_body(b, &link, NULL, NULL);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &joint, NULL, NULL);
  }
  if (s == LIMB_OK) s = limb_builder_build(b, arm, NULL);
  limb_builder_destroy(b);
  return s;
}

// Adds one sample to the normal equations A x = r of least squares: A = sum Y'Y, r = sum Y'tau.
static limb_status add_sample(const limb_base_parameters* b, limb_data* arm, double t, double* work,
                              double A[MOST][MOST], double r[MOST])
{
  // two motions with frequencies that have nothing in common excite everything
  const double q[2] = {1.5 * sin(1.3 * t) + sin(0.4 * t), sin(2.1 * t) - 1.2 * cos(0.7 * t)};
  const double v[2] = {1.95 * cos(1.3 * t) + 0.4 * cos(0.4 * t), 2.1 * cos(2.1 * t) + 0.84 * sin(0.7 * t)};
  const double a[2] = {-2.535 * sin(1.3 * t) - 0.16 * sin(0.4 * t), -4.41 * sin(2.1 * t) + 0.588 * cos(0.7 * t)};
  double tau[2], Y[2 * MOST];
  const int n = limb_base_count(b);
  limb_status s = limb_inverse_dynamics(arm, q, v, a, NULL, tau); // the measurement
  if (s == LIMB_OK) s = limb_base_regressor(b, arm, q, v, a, work, Y);
  for (int k = 0; k < 2 && s == LIMB_OK; k++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) A[i][j] += Y[k * n + i] * Y[k * n + j];
      r[i] += Y[k * n + i] * tau[k];
    }
  }
  return s;
}

// Gauss elimination of a positive definite system; the solution is in r.
static void solve(int n, double A[MOST][MOST], double r[MOST])
{
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      r[i] -= factor * r[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) r[k] -= A[k][j] * r[j];
    r[k] /= A[k][k];
  }
}

int main(void)
{
  limb_model* arm = NULL;
  limb_data* d = NULL;
  limb_base_parameters* b = NULL;
  double A[MOST][MOST] = {{0}}, found[MOST] = {0}, known[MOST] = {0}, wrong = 0, *work = NULL;
  limb_status s = make_arm(&arm);
  if (s == LIMB_OK) s = limb_data_create(arm, NULL, &d);
  if (s == LIMB_OK) s = limb_base_create(arm, NULL, LIMB_BASE_NO_SPRINGS, NULL, &b);
  const int n = limb_base_count(b);
  if (s == LIMB_OK && n > MOST) s = LIMB_E_NOMEM;
  if (s == LIMB_OK) work = malloc(limb_base_work(b) * sizeof *work);
  if (s == LIMB_OK && !work) s = LIMB_E_NOMEM;
  for (int k = 0; k < SAMPLES && s == LIMB_OK; k++) s = add_sample(b, d, 0.05 * k, work, A, found);
  if (s == LIMB_OK) s = limb_base_values(b, NULL, known);
  if (s == LIMB_OK) {
    solve(n, A, found);
    printf("%d parameters, of which the torques tell %d:\n", limb_parameter_count(arm), n);
    for (int i = 0; i < n; i++) {
      printf("%-5s found %9.6f  is %9.6f  = %s\n", limb_base_name(b, i), found[i], known[i], limb_base_formula(b, i));
      wrong += fabs(found[i] - known[i]);
    }
    printf("errors add up to %.1e\n", wrong);
  } else {
    fprintf(stderr, "%s\n", limb_status_text(s));
  }
  free(work);
  limb_base_destroy(b);
  limb_data_destroy(d);
  limb_model_destroy(arm);
  return s == LIMB_OK && wrong < 1e-8 ? 0 : 1;
}
