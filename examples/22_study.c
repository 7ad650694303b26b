// Can the motors of a Panda make this motion, and can the answer be trusted?
//
// limb/verify.h compares the dynamics of the robot with independent formulations. limb/study.h differentiates a table
// of positions, gathers peaks, energies and loads, and judges a motor. limb/draw.h draws the motion:
//
//     ./22_study motion.svg
#include <limb/draw.h>
#include <limb/limb.h>
#include <limb/read.h>
#include <limb/study.h>
#include <limb/verify.h>
#include <math.h>
#include <stdio.h>

enum { N = 7, JOINTS = 24, ROWS = 101 };

// Positions of the motion, there and back in two seconds, as a table has them.
static limb_status read_positions(limb_track* track)
{
  static const double home[N] = {0, -0.8, 0, -2.2, 0, 1.6, 0.8};
  double q[N];
  limb_status s = LIMB_OK;
  for (int i = 0; i < ROWS && s == LIMB_OK; i++) {
    const double t = 0.02 * i, x = sin(acos(-1.0) * t / 2);
    for (int k = 0; k < N; k++) q[k] = home[k] + (k % 2 ? -0.4 : 0.6) * x * x;
    s = limb_track_add(track, t, q, NULL);
  }
  return s == LIMB_OK ? limb_track_fit(track, NULL) : s;
}

static limb_status study(const limb_model* m, limb_track* track, limb_sizing* sizing, limb_animation* animation)
{
  limb_data* d = NULL;
  limb_status s = limb_data_create(m, NULL, &d);
  for (size_t i = 0; i < limb_track_rows(track) && s == LIMB_OK; i++) {
    double t, q[N], v[N], a[N], tau[N];
    sp_force load[JOINTS];
    s = limb_track_get(track, i, &t, q, v, a);
    if (s == LIMB_OK) s = limb_inverse_dynamics(d, q, v, a, NULL, tau);
    if (s == LIMB_OK) s = limb_joint_reactions(d, q, v, a, NULL, LIMB_BODY, load);
    if (s == LIMB_OK) limb_sizing_add(sizing, &(limb_sizing_row){t, q, v, tau, load, NULL, a});
    if (s == LIMB_OK) s = limb_animation_add(animation, t, q);
  }
  limb_data_destroy(d);
  return s;
}

// 1 if the formulations agree.
static int is_trusted(const limb_model* m)
{
  limb_verification* v = NULL;
  limb_verify_options o = limb_default_verify();
  o.states = 10;
  if (limb_verify(m, &o, &v, NULL) != LIMB_OK) return 0;
  const limb_verify_summary sum = limb_verification_summary(v);
  printf("%d of %d checks failed\n", sum.failed, sum.checks);
  limb_verification_destroy(v);
  return sum.failed == 0;
}

static void print(const limb_model* m, const limb_sizing* sizing)
{
  limb_sizing_dof d;
  limb_joint_info joint;
  for (int k = 0; limb_sizing_get_dof(sizing, k, &d) == LIMB_OK; k++) {
    if (limb_get_joint(m, d.joint, &joint) != LIMB_OK) continue;
    printf("%s: peak %7.2f of %g N m, rms %6.2f N m, %5.2f J delivered, %5.2f J absorbed, %.2f rad to the limit\n",
           joint.def.name, d.torque.value, d.torque_limit, d.torque_rms, d.energy_delivered, d.energy_absorbed,
           d.margin);
  }
}

// A motor and a gearbox for the shoulder, here as numbers; limb_read_motors (limb/read.h) reads them from a file.
static limb_status choose_motor(limb_sizing* sizing)
{
  const limb_gearmotor g = {.joint = "joint2",
                            .rated_torque = 0.3,
                            .peak_torque = 1.0,
                            .rated_speed = 200,
                            .max_speed = 400,
                            .inertia = 9e-5,
                            .ratio = 100,
                            .efficiency = 0.75};
  return limb_sizing_set_gearmotor(sizing, 1, &g);
}

static void judge_motor(const limb_sizing* sizing)
{
  enum { MAX = 40 };
  limb_sizing_check check[MAX];
  limb_sizing_motor motor;
  int count = 0;
  if (limb_sizing_get_motor(sizing, 1, &motor) == LIMB_OK)
    printf("motor of joint2: peak %.3f N m, rms %.3f N m, peak power %.0f W\n", motor.torque.value, motor.torque_rms,
           motor.power.value);
  if (limb_sizing_checks(sizing, MAX, check, &count) != LIMB_OK) return;
  for (int k = 0; k < count && k < MAX && (check[k].over || k == 0); k++) // the most used first
    printf("%s: %.0f %% used%s\n", limb_sizing_limit_words(check[k].limit), 100 * check[k].used,
           check[k].over ? ": over the limit" : "");
}

static limb_status draw(const limb_animation* a, const char* path)
{
  FILE* file = fopen(path, "w");
  if (!file) return LIMB_E_IO;
  const limb_status s = limb_animation_write(a, limb_picture_of(path), file);
  return fclose(file) == 0 ? s : LIMB_E_IO;
}

int main(int argc, char** argv)
{
  limb_model* m = NULL;
  limb_track* track = NULL;
  limb_sizing* sizing = NULL;
  limb_animation* animation = NULL;
  limb_status s = limb_load("panda", NULL, &m, NULL);
  if (s == LIMB_OK && (limb_nq(m) != N || limb_joint_count(m) > JOINTS)) s = LIMB_E_MODEL;
  const int trusted = s == LIMB_OK && is_trusted(m);
  if (s == LIMB_OK) s = limb_track_create(m, &track);
  if (s == LIMB_OK) s = limb_sizing_create(m, &sizing);
  if (s == LIMB_OK) s = choose_motor(sizing);
  if (s == LIMB_OK) s = limb_animation_create(m, NULL, &animation);
  if (s == LIMB_OK) s = read_positions(track);
  if (s == LIMB_OK) s = study(m, track, sizing, animation);
  if (s == LIMB_OK) print(m, sizing);
  if (s == LIMB_OK) judge_motor(sizing);
  if (s == LIMB_OK && argc > 1) s = draw(animation, argv[1]);
  // The motion ends where it began, at rest, and there is no friction: what was delivered is absorbed.
  const limb_sizing_summary sum = limb_sizing_get_summary(sizing);
  const double left = sum.energy_delivered - sum.energy_absorbed;
  printf("%s: %.3f J left of %.3f J\n", limb_status_text(s), left, sum.energy_delivered);
  limb_animation_destroy(animation);
  limb_sizing_destroy(sizing);
  limb_track_destroy(track);
  limb_model_destroy(m);
  return s == LIMB_OK && trusted && sum.energy_delivered > 1 && fabs(left) < 0.05 * sum.energy_delivered ? 0 : 1;
}
