// A four-bar hangs under its own weight. Where does it come to rest, and how fast does it swing there?
//
// Both answers are in the derivatives of inverse dynamics through the loop (limb/derivatives.h), by the crank's
// angle y with coupler and rocker following: Newton's method on tau(y) = 0 finds the rest, and there
// stiffness d tau / dy and inertia d tau / dy'' give the frequency. Then the linkage is let go next to its
// rest, and the swings are timed: they take longer by the square of the angle.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>

enum { N = 3 }; // crank, coupler, rocker
static const double TURN = 6.283185307179586, DT = 1e-3;

typedef struct robot {
  limb_model* m;
  limb_data* d;
  double q[N], stiffness, inertia;
} robot;

// Torque that holds the crank at q, and its derivatives.
static limb_status look(robot* r, double* torque)
{
  static const double none[N] = {0};
  double tau[N], by_y[N * N], by_ydot[N * N], by_yddot[N * N];
  const limb_id_derivatives out = {tau, by_y, by_ydot, by_yddot}; // in the columns of the crank: the others follow
  const limb_status s = limb_inverse_dynamics_derivatives(r->d, r->q, none, none, NULL, &out);
  if (s == LIMB_OK) *torque = tau[0], r->stiffness = by_y[0], r->inertia = by_yddot[0];
  return s;
}

// The crank turned by dy, the others with it.
static limb_status turn(robot* r, double dy)
{
  const double goal[N] = {r->q[0] + dy, 0, 0};
  return limb_follow_branch(r->d, goal, NULL, NULL, r->q);
}

static limb_status find_rest(robot* r)
{
  double torque = 1;
  limb_status s = LIMB_OK;
  printf("step   crank       torque\n");
  for (int k = 0; k < 20 && s == LIMB_OK && fabs(torque) > 1e-13; k++) {
    s = look(r, &torque);
    printf("%4d %8.4f rad %9.1e N m\n", k, r->q[0], torque);
    // downhill, and not far where the slope says nothing
    const double far = -torque / fabs(r->stiffness), dy = fmax(-0.3, fmin(0.3, far));
    if (s == LIMB_OK) s = turn(r, dy);
  }
  return s != LIMB_OK || (fabs(torque) < 1e-12 && r->stiffness > 0) ? s : LIMB_E_NOCONV;
}

// One step of Runge and Kutta without torques, and back onto the loop.
static limb_status step(robot* r, double* q, double* v)
{
  static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  static const double none[N] = {0};
  double p[N], u[N] = {0}, a[N] = {0}, dq[N] = {0}, dv[N] = {0};
  limb_status s = LIMB_OK;
  for (int k = 0; k < 4 && s == LIMB_OK; k++) {
    for (int i = 0; i < N; i++) p[i] = q[i] + at[k] * DT * u[i], u[i] = v[i] + at[k] * DT * a[i];
    s = limb_forward_dynamics(r->d, p, u, none, NULL, a);
    for (int i = 0; i < N; i++) dq[i] += share[k] * DT * u[i], dv[i] += share[k] * DT * a[i];
  }
  for (int i = 0; i < N; i++) q[i] += dq[i], v[i] += dv[i];
  return s == LIMB_OK ? limb_project(r->d, NULL, q, v, NULL) : s;
}

// Lets go of the crank at an angle from its rest: mean time of ten swings, from upward passages of the rest.
static limb_status time_swings(robot* r, double angle, double* period)
{
  const double rest = r->q[0];
  double v[N] = {0}, first = 0, before = angle;
  int passed = 0;
  limb_status s = turn(r, angle);
  for (int k = 1; s == LIMB_OK && passed <= 10; k++) {
    s = k < 100000 ? step(r, r->q, v) : LIMB_E_NOCONV;
    const double now = r->q[0] - rest, t = DT * (k - now / (now - before));
    if (before < 0 && now >= 0 && passed++ == 0) first = t;
    if (before < 0 && now >= 0) *period = (t - first) / 10;
    before = now;
  }
  return s == LIMB_OK ? turn(r, rest - r->q[0]) : s;
}

static limb_status swing(robot* r)
{
  const double expected = TURN * sqrt(r->inertia / r->stiffness);
  double off = HUGE_VAL;
  limb_status s = LIMB_OK;
  printf("stiffness %.4f N m/rad, inertia %.5f kg m^2: a swing takes %.6f s\n", r->stiffness, r->inertia, expected);
  for (double angle = 0.4; angle > 0.005 && s == LIMB_OK; angle /= 2) {
    double period = 0;
    s = time_swings(r, angle, &period);
    const double longer = period / expected - 1;
    printf("let go at %6.4f rad: %.6f s, longer by %.2e of it\n", angle, period, longer);
    if (s == LIMB_OK && !(fabs(longer) < off / 3)) s = LIMB_E_NOCONV; // as the square of the angle
    off = fabs(longer);
  }
  return s != LIMB_OK || off < 1e-4 ? s : LIMB_E_NOCONV;
}

int main(void)
{
  robot r = {.m = NULL};
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  const limb_assembly how = limb_default_assembly();
  limb_status s = limb_load("four_bar", NULL, &r.m, &err);
  if (s == LIMB_OK) s = limb_data_create(r.m, NULL, &r.d);
  if (s == LIMB_OK) s = limb_start(r.m, r.q);
  if (s == LIMB_OK) s = limb_assemble(r.d, &how, r.q, NULL);
  if (s == LIMB_OK) s = find_rest(&r);
  if (s == LIMB_OK) s = swing(&r);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s %s\n", limb_status_text(s), err.where, err.text);
  limb_data_destroy(r.d);
  limb_model_destroy(r.m);
  return s == LIMB_OK ? 0 : 1;
}
