// Stiff shafts: whatever an elastic robot does tends to what the rigid one does, and the difference goes with
// 1 / k. Spong's model tends to the robot whose joints have rotor inertia and gear, the full model to the one
// whose motor joints follow the arm's.
#include "dynamics/elastic_robots.h"

enum { N_ARM = 2, DECADES = 5 }; // k = 1e3 ... 1e7

#define RATIO 15.0

typedef struct pair {
  limb_model *elastic, *rigid;
  limb_data *de, *dr;
  limb_series* w;
} pair;

static limb_model* rigid_arm(bool coupled)
{
  limb_builder* b = fixture_begin("rigid");
  fixture_gravity(b, sp_v3(0, -ARM_GRAVITY, 0));
  int body[3] = {LIMB_WORLD_BODY};
  for (int j = 0; j < N_ARM; j++) {
    const char* name = j == 0 ? "upper" : "lower";
    const sp_inertia tip = {.mass = ARM_MASS[j], .com = {ARM_LENGTH[j], 0, 0}};
    body[j + 1] = fixture_body(b, name, tip);
    limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, body[j], body[j + 1]);
    def.placement = fixture_at(j == 0 ? 0 : ARM_LENGTH[0], 0, 0);
    if (!coupled) def.rotor_inertia = ARM_ROTOR, def.gear_ratio = RATIO;
    fixture_joint(b, &def);
  }
  for (int j = 0; coupled && j < N_ARM; j++) {
    const char* name = j == 0 ? "first" : "second";
    const sp_inertia disc = {.mass = ARM_ROTOR_MASS, .xx = ARM_ROTOR / 2, .yy = ARM_ROTOR / 2, .zz = ARM_ROTOR};
    const int rotor = fixture_body(b, name, disc);
    limb_joint_def def = limb_default_joint_def(name, LIMB_REVOLUTE, body[j], rotor);
    def.placement = fixture_at(j == 0 ? 0 : ARM_LENGTH[0], 0, 0);
    def.mimic = j, def.multiplier = RATIO;
    fixture_joint(b, &def);
  }
  return fixture_end(b);
}

static pair pair_make(double k, bool coupled)
{
  const arm_options o = {k, 0, RATIO, 0, coupled, 3, 0, 0};
  pair p = {.elastic = elastic_arm(&o), .rigid = rigid_arm(coupled)};
  assert_ok(limb_data_create(p.elastic, NULL, &p.de));
  assert_ok(limb_data_create(p.rigid, NULL, &p.dr));
  assert_ok(limb_series_create(p.elastic, NULL, &p.w));
  return p;
}

static void pair_free(pair* p)
{
  limb_series_destroy(p->w);
  limb_data_destroy(p->de), limb_data_destroy(p->dr);
  limb_model_destroy(p->elastic), limb_model_destroy(p->rigid);
}

// ---- measured at one stiffness ---------------------------------------------------------------------------

// Links at time t, and all derivatives of the elastic robot's coordinates; motors do not matter.
static void links_at(double t, double* q, int order, double* d)
{
  static const double size[2] = {0.8, -0.6}, rate[2] = {1.3, 1.9}, phase[2] = {0.3, 1.1};
  const double quarter = 1.57079632679489661923;
  for (int j = 0; j < N_ARM; j++) {
    q[j] = 0.4 + size[j] * sin(rate[j] * t + phase[j]), q[N_ARM + j] = 0;
    for (int n = 0; n < order; n++) {
      d[n * 4 + j] = size[j] * pow(rate[j], n + 1) * sin(rate[j] * t + phase[j] + (n + 1) * quarter);
      d[n * 4 + N_ARM + j] = 0;
    }
  }
}

// Torques at the motors that move the rigid robot that way.
static void rigid_torques(const pair* p, double t, double* tau)
{
  double q[4], d[8], joint[N_ARM];
  links_at(t, q, 2, d);
  assert_ok(limb_inverse_dynamics(p->dr, q, d, d + 4, NULL, joint));
  for (int j = 0; j < N_ARM; j++) tau[j] = joint[j] / RATIO;
}

static void elastic_answer(const pair* p, double t, state* s)
{
  double q[4], d[4 * LIMB_ELASTIC_ORDER_MAX];
  links_at(t, q, LIMB_ELASTIC_ORDER_MAX, d);
  const limb_trajectory path = {q, LIMB_ELASTIC_ORDER_MAX, d};
  assert_ok(limb_elastic_inverse(p->w, &path, NULL, s->q, s->v, s->a, s->tau));
}

static double deflection(const pair* p)
{
  double q[4] = {0.4, -0.3, 0.4 * RATIO, -0.3 * RATIO}, work[4 * 8 + 4];
  assert_ok(limb_static_deflection(p->de, NULL, NULL, NULL, NULL, work, q));
  return fmax(fabs(q[0] - 0.4), fabs(q[1] + 0.3));
}

static double twist(const pair* p)
{
  state s;
  elastic_answer(p, 0.2, &s);
  return fmax(fabs(s.q[2] / RATIO - s.q[0]), fabs(s.q[3] / RATIO - s.q[1]));
}

static double torque_off(const pair* p)
{
  state s;
  double tau[N_ARM];
  elastic_answer(p, 0.2, &s);
  rigid_torques(p, 0.2, tau);
  return fmax(fabs(s.tau[2] - tau[0]), fabs(s.tau[3] - tau[1]));
}

// Accelerations of the links under the elastic robot's torques.
static double acceleration_off(const pair* p)
{
  state s;
  double a[4], q[4], d[8], rigid[N_ARM];
  elastic_answer(p, 0.2, &s);
  links_at(0.2, q, 2, d);
  const double joint[N_ARM] = {RATIO * s.tau[2], RATIO * s.tau[3]};
  assert_ok(limb_forward_dynamics(p->dr, q, d, joint, NULL, rigid));
  assert_ok(limb_forward_dynamics(p->de, s.q, s.v, s.tau, NULL, a));
  return fmax(fabs(a[0] - rigid[0]), fabs(a[1] - rigid[1]));
}

// The elastic robot under the rigid one's torques, from the state in which its fast oscillations are at rest:
// how far its links are from the rigid robot's after a while.
static double drift(const pair* p)
{
  enum { STEPS = 10000 }; // the fastest oscillation has 7000 rad/s
  const double end = 0.5, h = end / STEPS, at[4] = {0, h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
  state s;
  double x[8], y[8], k[8], sum[8], q[4], d[4];
  elastic_answer(p, 0, &s);
  memcpy(x, s.q, 4 * sizeof *x), memcpy(x + 4, s.v, 4 * sizeof *x);
  for (int i = 0; i < STEPS; i++) {
    memset(k, 0, sizeof k), memset(sum, 0, sizeof sum);
    for (int n = 0; n < 4; n++) {
      double tau[4] = {0}, a[4];
      rigid_torques(p, i * h + at[n], tau + 2);
      for (int l = 0; l < 8; l++) y[l] = x[l] + at[n] * k[l];
      assert_ok(limb_forward_dynamics(p->de, y, y + 4, tau, NULL, a));
      memcpy(k, y + 4, 4 * sizeof *k), memcpy(k + 4, a, sizeof a);
      for (int l = 0; l < 8; l++) sum[l] += weight[n] * k[l];
    }
    for (int l = 0; l < 8; l++) x[l] += sum[l];
  }
  links_at(end, q, 1, d);
  return fmax(fabs(x[0] - q[0]), fabs(x[1] - q[1]));
}

// ---- over all stiffnesses ---------------------------------------------------------------------------------

// Slopes between decades within 5 % of 1, and the error itself small at the end.
static void goes_with_compliance(const char* what, double (*measure)(const pair*))
{
  for (int coupled = 0; coupled < 2; coupled++) {
    double last = 0;
    for (int i = 0; i < DECADES; i++) {
      const double k = pow(10, 3 + i);
      pair p = pair_make(k, coupled);
      const double x = measure(&p);
      check_at("%s, %s, k = %.0e: %.3e after %.3e", what, coupled ? "full" : "Spong", k, x, last);
      if (i > 0) assert_that(fabs(log10(last / x) - 1) < 0.05);
      last = x;
      pair_free(&p);
    }
    assert_that(last < 1e-4);
  }
}

START_TEST(static_deflection) { goes_with_compliance("static deflection", deflection); }
END_TEST
START_TEST(twist_of_shafts) { goes_with_compliance("twist", twist); }
END_TEST
START_TEST(motor_torques) { goes_with_compliance("motor torque", torque_off); }
END_TEST
START_TEST(accelerations) { goes_with_compliance("acceleration", acceleration_off); }
END_TEST
START_TEST(simulated_motion) { goes_with_compliance("simulated motion", drift); }
END_TEST

CHECK_MAIN("elastic_limit", 1, static_deflection, twist_of_shafts, motor_torques, accelerations, simulated_motion)
