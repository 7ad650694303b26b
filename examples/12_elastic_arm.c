// An arm with series-elastic joints follows a smooth motion. Its motors sit behind soft gears, and what the
// links do is the motors' only to a few degrees: a controller that takes the gears for stiff misses the
// motion.
//
// limb_elastic_inverse tells which motor angles and torques belong to the motion of the links, up to its
// sixth derivative because the rotors are carried along (the full model). Fed forward, with a weak feedback
// of the motors, the links stay on their way.
#include <limb/limb.h>
#include <stdio.h>

enum { JOINTS = 2, N = 2 * JOINTS, ORDER = 6 }; // links first, then motors
static const double RATIO = 50, STIFFNESS = 400, DT = 2e-4, PI = 3.14159265358979323846;

static limb_status describe(limb_builder* b, limb_error* err)
{
  static const char* const name[JOINTS] = {"shoulder", "elbow"};
  limb_status s = limb_builder_set_gravity(b, sp_v3(0, -9.81, 0));
  for (int j = 0; s == LIMB_OK && j < JOINTS; j++) {
    limb_body_def rod = limb_default_body_def(name[j]);
    rod.inertia = limb_inertia_box(2, 0.5, 0.05, 0.05);
    rod.inertia.com = sp_v3(0.25, 0, 0);
    limb_joint_def hinge = limb_default_joint_def(name[j], LIMB_REVOLUTE, j, j + 1);
    hinge.placement.p = sp_v3(j == 0 ? 0 : 0.5, 0, 0);
    hinge.viscous = 0.5;
    s = limb_builder_add_body(b, &rod, NULL, err);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &hinge, NULL, err);
  }
  for (int j = 0; s == LIMB_OK && j < JOINTS; j++) {
    limb_motor_def motor = limb_default_motor_def(j);
    motor.coupled = 1, motor.rotor_inertia = 1e-4, motor.rotor_mass = 0.3;
    motor.ratio = RATIO, motor.stiffness = STIFFNESS;
    s = limb_builder_add_motor(b, &motor, NULL, err);
  }
  return s;
}

typedef struct plan {
  double q[N], v[N], a[N], tau[N];
} plan;

// Links on sines, with all derivatives; motors are left open.
static void links(double t, double* q, double d[ORDER][N])
{
  static const double size[JOINTS] = {0.9, -1.2}, rate[JOINTS] = {3, 4.5};
  for (int j = 0; j < JOINTS; j++) {
    q[j] = size[j] * sin(rate[j] * t), q[JOINTS + j] = 0;
    for (int n = 0; n < ORDER; n++) {
      d[n][j] = size[j] * pow(rate[j], n + 1) * sin(rate[j] * t + (n + 1) * PI / 2);
      d[n][JOINTS + j] = 0;
    }
  }
}

static limb_status plan_elastic(limb_series* w, double t, plan* p)
{
  double q[N], d[ORDER][N];
  links(t, q, d);
  const limb_trajectory path = {q, ORDER, &d[0][0]};
  return limb_elastic_inverse(w, &path, NULL, p->q, p->v, p->a, p->tau);
}

// As if the gears were stiff: motors turn with their joints, and bear what those need.
static limb_status plan_rigid(limb_data* d, double t, plan* p)
{
  double rows[ORDER][N];
  links(t, p->q, rows);
  for (int j = 0; j < JOINTS; j++) {
    p->v[j] = rows[0][j], p->a[j] = rows[1][j];
    p->q[JOINTS + j] = RATIO * p->q[j];
    p->v[JOINTS + j] = RATIO * p->v[j], p->a[JOINTS + j] = RATIO * p->a[j];
  }
  const limb_status s = limb_inverse_dynamics(d, p->q, p->v, p->a, NULL, p->tau);
  for (int j = 0; j < JOINTS; j++) p->tau[JOINTS + j] += p->tau[j] / RATIO, p->tau[j] = 0;
  return s;
}

// Torques: the plan's, and a feedback of the motors alone.
static void control(const plan* p, const double* q, const double* v, double* tau)
{
  for (int i = 0; i < N; i++) {
    const double pull = 0.05 * (p->q[i] - q[i]) + 0.005 * (p->v[i] - v[i]);
    tau[i] = i < JOINTS ? 0 : p->tau[i] + pull;
  }
}

// Two seconds of the robot under either plan; off: how far the links were from their way at most.
static limb_status follow(limb_data* d, limb_series* w, int elastic, double* off)
{
  plan p;
  limb_status s = plan_elastic(w, 0, &p);
  double q[N], v[N], tau[N], a[N];
  for (int i = 0; i < N; i++) q[i] = p.q[i], v[i] = p.v[i];
  *off = 0;
  for (int k = 0; s == LIMB_OK && k < 10000; k++) {
    double now = 0;
    s = elastic ? plan_elastic(w, k * DT, &p) : plan_rigid(d, k * DT, &p);
    for (int j = 0; j < JOINTS; j++) now = fmax(now, fabs(q[j] - p.q[j]));
    *off = fmax(*off, now);
    if (k % 1250 == 0) printf("%8.2f s  %10.2e rad\n", k * DT, now);
    control(&p, q, v, tau);
    if (s == LIMB_OK) s = limb_forward_dynamics(d, q, v, tau, NULL, a);
    for (int i = 0; i < N; i++) q[i] += DT * (v[i] + DT / 2 * a[i]), v[i] += DT * a[i];
  }
  return s;
}

int main(void)
{
  limb_builder* b = NULL;
  limb_model* robot = NULL;
  limb_data* d = NULL;
  limb_series* w = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  double with = HUGE_VAL, without = 0;
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = describe(b, &err);
  if (s == LIMB_OK) s = limb_builder_build(b, &robot, &err);
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &d);
  if (s == LIMB_OK) s = limb_series_create(robot, NULL, &w);
  const int order = limb_elastic_order(robot);
  printf("the motion is needed with %d derivatives\n", order);
  printf("off the way with the plan of the elastic robot:\n");
  if (s == LIMB_OK) s = follow(d, w, 1, &with);
  printf("with that of a rigid one:\n");
  if (s == LIMB_OK) s = follow(d, w, 0, &without);
  printf("at most %.1e rad instead of %.1e\n", with, without);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s\n", limb_status_text(s), err.text);
  limb_series_destroy(w);
  limb_data_destroy(d);
  limb_model_destroy(robot);
  limb_builder_destroy(b);
  return s == LIMB_OK && order == ORDER && with < 1e-3 && without > 30 * with ? 0 : 1;
}
