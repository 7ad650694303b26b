// A Panda that does not know what it carries: adaptive control of Slotine and Li (1987). Its hand holds 3 kg that its
// model lacks; it follows a path all the same, and learns the load while it moves.
//
//     e = q - q_d,   v_r = v_d - L e,   s = v - v_r
//     tau = Y_r theta^ - K s,   d theta^ / dt = -G Y_r' s          Y_r = limb_slotine_li_regressor(q, v, v_r, dv_r/dt)
//
// Only the ten parameters of the last link are learned. With theta~ = theta^ - theta
//
//     W = s' M s / 2 + theta~' G^-1 theta~ / 2,   dW/dt = -s' K s     because dM/dt - 2 C is skew
//
// so that s goes to zero, and e with it: whether or not theta^ becomes theta. The program checks both, W at every step,
// and compares with the same controller when it does not learn. Robot and controller are integrated together (RK4).
#include <limb/limb.h>
#include <limb/read.h>
#include <limb/regressor.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 7, NP = N * (LIMB_BODY_PARAMETERS + LIMB_JOINT_PARAMETERS), LEARNED = LIMB_BODY_PARAMETERS, STEPS = 10000 };
static const double DT = 2e-3, L = 8, K = 12; // [s, 1/s, N m s]
static const double HOME[N] = {0, -0.4, 0, -2, 0, 1.6, 0.8};
// G: squares of what is believed possible, 6 kg, 1 kg m, 0.5 kg m^2, times a common rate
static const double G[LEARNED] = {360, 10, 10, 10, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5};

// Robot and controller: q, v, and the parameters of the last link as the controller believes them.
typedef struct state {
  double q[N], v[N], theta[LEARNED];
} state;

typedef struct plant {
  limb_model* m; // with the load
  limb_data* d;
  double truth[NP], believed[NP]; // parameters with the load, and of the model without
  int first;                      // of the last link's
  int learns;
} plant;

static void path(double t, double* q, double* v, double* a)
{
  for (int k = 0; k < N; k++) {
    const double w = 1 + 0.25 * k, c = 0.3;
    q[k] = HOME[k] + c * sin(w * t) * sin(w * t);
    v[k] = c * w * sin(2 * w * t), a[k] = 2 * c * w * w * cos(2 * w * t);
  }
}

// s and Y_r at a state; returns the largest |e|.
static limb_status errors(const plant* p, double t, const state* x, double* s, double* Y, double* largest)
{
  double q[N], v[N], a[N], v_r[N], a_r[N];
  path(t, q, v, a);
  *largest = 0;
  for (int k = 0; k < N; k++) {
    const double e = x->q[k] - q[k];
    v_r[k] = v[k] - L * e, a_r[k] = a[k] - L * (x->v[k] - v[k]), s[k] = x->v[k] - v_r[k];
    *largest = fmax(*largest, fabs(e));
  }
  return limb_slotine_li_regressor(p->d, x->q, x->v, v_r, a_r, NULL, Y);
}

// dx/dt of robot and controller.
static limb_status rates(const plant* p, double t, const state* x, state* dx)
{
  double s[N], Y[N * NP], theta[NP], tau[N], e;
  limb_status status = errors(p, t, x, s, Y, &e);
  if (status != LIMB_OK) return status;
  memcpy(theta, p->believed, sizeof theta);
  memcpy(theta + p->first, x->theta, sizeof x->theta);
  for (int i = 0; i < N; i++) {
    tau[i] = -K * s[i];
    for (int k = 0; k < NP; k++) tau[i] += Y[i * NP + k] * theta[k];
  }
  for (int k = 0; k < LEARNED; k++) {
    dx->theta[k] = 0;
    for (int i = 0; i < N && p->learns; i++) dx->theta[k] -= G[k] * Y[i * NP + p->first + k] * s[i];
  }
  memcpy(dx->q, x->v, sizeof dx->q);
  return limb_forward_dynamics(p->d, x->q, x->v, tau, NULL, dx->v);
}

static state moved(const state* x, double h, const state* dx)
{
  state y = *x;
  for (int k = 0; k < N; k++) y.q[k] += h * dx->q[k], y.v[k] += h * dx->v[k];
  for (int k = 0; k < LEARNED; k++) y.theta[k] += h * dx->theta[k];
  return y;
}

static limb_status step(const plant* p, double t, state* x)
{
  state k[4], y = *x;
  const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  limb_status s = LIMB_OK;
  for (int i = 0; i < 4 && s == LIMB_OK; i++) {
    const state stage = i ? moved(x, DT * at[i], &k[i - 1]) : *x;
    s = rates(p, t + DT * at[i], &stage, &k[i]);
    y = moved(&y, DT * share[i], &k[i]);
  }
  *x = y;
  return s;
}

// W, which must fall; largest |e|.
static limb_status lyapunov(const plant* p, double t, const state* x, double* W, double* e)
{
  double s[N], Y[N * NP], M[N * N];
  limb_status status = errors(p, t, x, s, Y, e);
  if (status == LIMB_OK) status = limb_mass_matrix(p->d, x->q, M);
  *W = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) *W += s[i] * M[i * N + k] * s[k] / 2;
  for (int k = 0; k < LEARNED; k++) {
    const double off = x->theta[k] - p->truth[p->first + k];
    *W += off * off / G[k] / 2;
  }
  return status;
}

// 20 s from rest. early, late: the largest error in the first and in the last two seconds.
static limb_status follow(const plant* p, double* early, double* late, double* rise, double* mass)
{
  state x = {{0}, {0}, {0}};
  double W, before = HUGE_VAL, e;
  memcpy(x.q, HOME, sizeof x.q);
  memcpy(x.theta, p->believed + p->first, sizeof x.theta);
  *early = *late = *rise = 0;
  for (int k = 0; k <= STEPS; k++) {
    limb_status s = lyapunov(p, k * DT, &x, &W, &e);
    if (s != LIMB_OK) return s;
    if (k * DT <= 2) *early = fmax(*early, e);
    if (k * DT >= 18) *late = fmax(*late, e);
    *rise = fmax(*rise, W - before), before = W;
    if (k % 1000 == 0)
      printf("%5.0f s  error %9.6f rad  W %9.6f  mass of the hand %6.3f kg\n", k * DT, e, W, x.theta[0]);
    if (k < STEPS) s = step(p, k * DT, &x);
    if (s != LIMB_OK) return s;
  }
  *mass = x.theta[0];
  return LIMB_OK;
}

// The Panda; with_load: 3 kg at its flange.
static limb_status load(int with_load, limb_model** m, limb_error* err)
{
  limb_reading* r = NULL;
  limb_body_def def;
  limb_status s = limb_read("panda", NULL, &r, err);
  if (s != LIMB_OK) return s;
  limb_builder* b = limb_reading_builder(r);
  const int link = limb_builder_find_body(b, "link7");
  s = limb_builder_get_body(b, link, &def);
  if (s == LIMB_OK && with_load) {
    limb_body_def thing = limb_default_body_def("load");
    limb_joint_def grip;
    int body = -1;
    thing.inertia = limb_inertia_box(3, 0.1, 0.1, 0.2);
    s = limb_builder_add_body(b, &thing, &body, err);
    grip = limb_default_joint_def("grip", LIMB_FIXED, link, body);
    grip.placement.p = sp_v3(0.05, 0, 0.2);
    if (s == LIMB_OK) s = limb_builder_add_joint(b, &grip, NULL, err);
  }
  if (s == LIMB_OK) s = limb_builder_build(b, m, err);
  limb_reading_destroy(r);
  return s;
}

int main(void)
{
  plant p = {.first = (N - 1) * LIMB_BODY_PARAMETERS};
  limb_model* without = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  double early[2] = {0}, late[2] = {0}, rise[2] = {0}, mass[2] = {0};
  limb_status s = load(1, &p.m, &err);
  if (s == LIMB_OK) s = load(0, &without, &err);
  if (s == LIMB_OK) s = limb_data_create(p.m, NULL, &p.d);
  if (s == LIMB_OK) s = limb_parameters(p.m, p.truth);
  if (s == LIMB_OK) s = limb_parameters(without, p.believed);
  for (p.learns = 0; p.learns < 2 && s == LIMB_OK; p.learns++) {
    printf("%s\n", p.learns ? "learning" : "not learning");
    s = follow(&p, &early[p.learns], &late[p.learns], &rise[p.learns], &mass[p.learns]);
  }
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s: %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(p.d);
  limb_model_destroy(p.m);
  limb_model_destroy(without);
  if (s != LIMB_OK) return 1;
  printf("largest error in the last 2 s: %.2e rad, without learning %.2e rad; largest rise of W in a step %.1e\n",
         late[1], late[0], rise[1]);
  const double off = fabs(mass[1] - p.truth[p.first]);
  const int converges = late[1] < 5e-4 && late[1] < late[0] / 300 && rise[1] < 1e-9 && off < 0.05;
  return converges ? 0 : 1;
}
