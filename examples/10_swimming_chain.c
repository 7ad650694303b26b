// An eel: eight rods that nothing holds, in water. Its joints bend as a wave that runs from head to tail;
// where that takes the body is the answer. The water is a force law on each rod: buoyancy, and a drag that
// is small along the rod and large across it, with a linear part and Morison's quadratic one. The wave
// pushes water back, so the eel goes ahead.
// The joints are given by their accelerations, the free head by its force, which is none: hybrid dynamics.
#include <limb/limb.h>
#include <stdio.h>
#include <string.h>

enum { RODS = 8, NQ = 7 + RODS - 1, NV = 6 + RODS - 1, STEPS = 2000, COLUMNS = 64 };
static const double LENGTH = 0.1, THICK = 0.03, WATER = 1000;          // rods [m], water [kg/m^3]
static const double DT = 4e-3, BEND = 0.55, TURN = 6.2831853071795865; // [s, rad, rad]

typedef struct eel {
  limb_data* d;
  limb_environment env;
} eel;

// The wrench of the water on a rod whose frame is at its front; x points ahead.
static sp_force water(void* context, const limb_frame_state* at)
{
  const double weight = *(const double*)context; // of the water that the rod displaces [N]
  const sp_pose middle = sp_pose_make(sp_identity3(), sp_v3(-LENGTH / 2, 0, 0));
  const sp_motion V = sp_motion_in(middle, at->velocity);
  const double across = 0.3 + 0.5 * WATER * 1.1 * THICK * LENGTH * hypot(V.v.y, V.v.z);
  const sp_vec3 up = sp_tmulv(at->pose.R, sp_v3(0, 0, weight));
  const sp_vec3 drag = sp_v3(-0.05 * V.v.x, -across * V.v.y, -across * V.v.z);
  const sp_vec3 moment = sp_cross3(sp_v3(0, 0, 0.003), up); // lifted above its middle: it stays upright
  const sp_force F = {sp_sub3(moment, sp_scale3(1e-3, V.w)), sp_add3(up, drag)};
  return sp_force_out(middle, F);
}

static limb_status describe(limb_builder* b, limb_error* err)
{
  limb_status s = LIMB_OK;
  for (int i = 0, body = 0, parent = 0; i < RODS && s == LIMB_OK; i++, parent = body) {
    const char name[] = {'r', 'o', 'd', ' ', (char)('0' + i), 0};
    limb_body_def rod = limb_default_body_def(name);
    rod.inertia = limb_inertia_box(WATER * LENGTH * THICK * THICK, LENGTH, THICK, THICK);
    rod.inertia.com = sp_v3(-LENGTH / 2, 0, 0);
    s = limb_builder_add_body(b, &rod, &body, err);
    limb_joint_def joint = limb_default_joint_def(name, i ? LIMB_REVOLUTE : LIMB_FREE, parent, body);
    joint.placement.p = sp_v3(i ? -LENGTH : 0, 0, 0);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &joint, NULL, err);
  }
  return s;
}

// The joints at time t: a wave from head to tail once a second, which grows from nothing.
static void bend(double t, double* q, double* v, double* x)
{
  const double left = exp(-t * t), g = 1 - left, dg = 2 * t * left, ddg = (2 - 4 * t * t) * left;
  for (int i = 0; i < RODS - 1; i++) {
    const double size = BEND * (0.4 + 0.6 * i / (RODS - 2)), phase = TURN * (t + 0.3 - i / 8.0);
    const double wave = sin(phase), dwave = TURN * cos(phase);
    q[7 + i] = size * g * wave;
    v[6 + i] = size * (dg * wave + g * dwave);
    x[6 + i] = size * (ddg * wave + 2 * dg * dwave - TURN * TURN * g * wave);
  }
}

// Where the head goes is q exp(u), and u changes with w + [u, w] / 2 + [u, [u, w]] / 12 + ... when the head
// moves with w (Munthe-Kaas). With w alone the step below would be of second order: turns do not commute.
static void follow_turns(double h, const double* last, double* rate)
{
  const sp_motion u = {{h * last[0], h * last[1], h * last[2]}, {h * last[3], h * last[4], h * last[5]}};
  const sp_motion w = {{rate[0], rate[1], rate[2]}, {rate[3], rate[4], rate[5]}};
  const sp_motion c = sp_crm(u, w), cc = sp_crm(u, c);
  const sp_motion r = sp_addm(w, sp_addm(sp_scalem(1 / 2.0, c), sp_scalem(1 / 12.0, cc)));
  rate[0] = r.w.x, rate[1] = r.w.y, rate[2] = r.w.z;
  rate[3] = r.v.x, rate[4] = r.v.y, rate[5] = r.v.z;
}

// One step of Runge and Kutta; work of motors and of water, and the worst balance of power.
static limb_status step(eel* e, double t, double* q, double* v, double work[3])
{
  static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  const limb_model* m = limb_data_model(e->d);
  double qs[NQ], vs[NV], a[NV] = {0}, dq[NV] = {0}, dv[NV] = {0};
  double rate[NV] = {0}, last[NV]; // of u: of this stage, of the one before
  double x[NV] = {0};              // no force on the head; accelerations of the joints
  for (int i = 0; i < 4; i++) {
    limb_power p = {.residual = 0};
    memcpy(last, rate, sizeof last);
    limb_status s = limb_integrate(m, q, last, at[i] * DT, qs);
    for (int j = 0; j < NV; j++) vs[j] = v[j] + at[i] * DT * a[j];
    bend(t + at[i] * DT, qs, vs, x);
    if (s == LIMB_OK) s = limb_hybrid_dynamics(e->d, qs, vs, NULL, x, &e->env, a, NULL);
    if (s == LIMB_OK) s = limb_power_balance(e->d, qs, vs, a, &e->env, &p);
    if (s != LIMB_OK) return s;
    memcpy(rate, vs, sizeof rate);
    follow_turns(at[i] * DT, last, rate);
    for (int j = 0; j < NV; j++) dq[j] += share[i] * rate[j], dv[j] += share[i] * a[j];
    work[0] += share[i] * DT * p.actuators, work[1] += share[i] * DT * p.wrenches;
    work[2] = fmax(work[2], fabs(p.residual));
  }
  for (int j = 0; j < NV; j++) v[j] += DT * dv[j];
  return limb_integrate(m, q, dq, DT, q);
}

// The eel from above in one line: the lower the sign, the further it is to the right.
static limb_status draw(eel* e, double t, const double* q)
{
  char line[COLUMNS + 1] = {0};
  memset(line, ' ', COLUMNS);
  limb_status s = limb_kinematics(e->d, q, NULL, NULL);
  for (int i = 0; i < RODS && s == LIMB_OK; i++) {
    sp_pose X = sp_pose_identity();
    s = limb_frame_pose(e->d, 1 + i, &X);
    for (int j = 0; j < 4; j++) {
      const sp_vec3 p = sp_point(X, sp_v3(-LENGTH * j / 4, 0, 0));
      const int column = (int)(20 * (p.x + 0.9)), level = (int)floor(2.5 + 30 * p.y);
      if (column >= 0 && column < COLUMNS && line[column] == ' ')
        line[column] = "_.-'`O"[i + j == 0 ? 5 : level < 0 ? 0 : level > 4 ? 4 : level];
    }
  }
  printf("%4.1f s |%s|\n", t, line);
  return s;
}

static limb_status journey(eel* e)
{
  double q[NQ] = {0, 0, 0, 0, 0, 0, 1}, v[NV] = {0}, a[NV], work[3] = {0, 0, 0}, halfway = 0;
  limb_energy has = {0, 0, 0};
  limb_status s = LIMB_OK;
  for (int k = 0; k <= STEPS && s == LIMB_OK; k++) {
    if (k % (STEPS / 10) == 0) s = draw(e, k * DT, q);
    if (k == STEPS / 2) halfway = q[0];
    if (s == LIMB_OK && k < STEPS) s = step(e, k * DT, q, v, work);
  }
  bend(STEPS * DT, q, v, a); // the joints where the wave has them
  if (s == LIMB_OK) s = limb_energies(e->d, q, v, &e->env, &has);
  const double speed = (q[0] - halfway) / (STEPS * DT / 2), energy = has.kinetic + has.gravity;
  const double gap = fabs(work[0] + work[1] - energy);
  printf("speed %.3f m/s ahead; %.3f m aside in %.0f s\n", speed, q[1], STEPS * DT);
  printf("motors gave %.4f J, water took %.4f J, the eel has %.4f J\n", work[0], -work[1], energy);
  printf("balance of power to %.0e W, of energy to %.0e J\n", work[2], gap);
  if (s != LIMB_OK) return s;
  return speed > 0.1 && work[2] < 1e-12 && gap < 1e-6 ? LIMB_OK : LIMB_E_NOCONV;
}

int main(void)
{
  double weight = 9.81 * WATER * LENGTH * THICK * THICK;
  limb_force_law law[RODS];
  for (int i = 0; i < RODS; i++) law[i] = (limb_force_law){1 + i, LIMB_BODY, water, &weight};
  eel e = {0};
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  limb_status s = limb_builder_create(NULL, &b);
  if (s == LIMB_OK) s = describe(b, &err);
  if (s == LIMB_OK) s = limb_builder_build(b, &m, &err);
  if (s == LIMB_OK) s = limb_data_create(m, NULL, &e.d);
  if (s == LIMB_OK) e.env = limb_default_environment(m);
  e.env.nlaw = RODS, e.env.law = law;
  if (s == LIMB_OK) s = journey(&e);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(e.d);
  limb_model_destroy(m);
  limb_builder_destroy(b);
  return s == LIMB_OK ? 0 : 1;
}
