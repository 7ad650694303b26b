// Balance an acrobot: a double pendulum, upright, driven at the elbow only (Spong 1995).
//
// The robot is linearised about the upright pose, sampled exactly at the rate of the controller, and a linear
// quadratic regulator is found by iterating the Riccati equation. The law u = -K x then balances the
// nonlinear robot from a start that is off by some degrees.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>

enum { N = 2, NX = 2 * N, ELBOW = 1 };
static const double DT = 0.02, PI = 3.14159265358979323846; // [s], of the controller

typedef struct lqr {
  double A[NX][NX], B[NX]; // sampled: x+ = A x + B u
  double K[NX];
} lqr;

// Linear model about the upright pose, where the robot can rest without torque.
static limb_status linear_model(limb_data* d, const double* q, lqr* r)
{
  const double rest[N] = {0, 0};
  double A[NX * NX], B[NX * N], Bd[NX * N], work[6 * (NX + N) * (NX + N)];
  limb_status s = limb_linearise(d, q, rest, rest, NULL, A, B);
  if (s == LIMB_OK) s = limb_discretise(NX, N, A, B, DT, &r->A[0][0], Bd, work);
  for (int i = 0; s == LIMB_OK && i < NX; i++) r->B[i] = Bd[i * N + ELBOW];
  return s;
}

// One step of P = Q + A' P (A - B K), K = (R + B' P B)^-1 B' P A with Q = 1 and R = 1. How much P grew.
static double riccati(lqr* r, double P[NX][NX])
{
  double PB[NX] = {0}, next[NX][NX], BPB = 1, change = 0;
  for (int i = 0; i < NX; i++) {
    for (int j = 0; j < NX; j++) PB[i] += P[i][j] * r->B[j];
  }
  for (int i = 0; i < NX; i++) BPB += r->B[i] * PB[i];
  for (int j = 0; j < NX; j++) {
    r->K[j] = 0;
    for (int i = 0; i < NX; i++) r->K[j] += PB[i] * r->A[i][j] / BPB;
  }
  for (int i = 0; i < NX; i++) {
    for (int j = 0; j < NX; j++) {
      next[i][j] = i == j;
      for (int k = 0; k < NX; k++) {
        for (int l = 0; l < NX; l++) next[i][j] += r->A[k][i] * P[k][l] * (r->A[l][j] - r->B[l] * r->K[j]);
      }
    }
  }
  for (int i = 0; i < NX * NX; i++) {
    const double x = (next[i / NX][i % NX] + next[i % NX][i / NX]) / 2; // symmetric, whatever rounding does
    change = fmax(change, fabs(x - P[i / NX][i % NX]) / fmax(1, fabs(x)));
    P[i / NX][i % NX] = x;
  }
  return change;
}

static int regulate(lqr* r)
{
  double P[NX][NX] = {{0}};
  for (int i = 0; i < NX; i++) P[i][i] = 1;
  for (int k = 1; k < 10000; k++) {
    if (riccati(r, P) < 1e-12) return k;
  }
  return 0;
}

// Largest modulus of an eigenvalue of A - B K: the power |M^k|^(1/k), by squaring.
static double decay_per_step(const lqr* r)
{
  double M[NX][NX], T[NX][NX], log_norm = 0, power = 1;
  for (int i = 0; i < NX * NX; i++) M[i / NX][i % NX] = r->A[i / NX][i % NX] - r->B[i / NX] * r->K[i % NX];
  for (int k = 0; k < 30; k++) {
    double norm = 0;
    for (int i = 0; i < NX * NX; i++) norm = fmax(norm, fabs(M[i / NX][i % NX]));
    log_norm += log(norm) / power, power *= 2;
    for (int i = 0; i < NX; i++) {
      for (int j = 0; j < NX; j++) {
        T[i][j] = 0;
        for (int l = 0; l < NX; l++) T[i][j] += M[i][l] / norm * (M[l][j] / norm);
      }
    }
    for (int i = 0; i < NX * NX; i++) M[i / NX][i % NX] = T[i / NX][i % NX];
  }
  return exp(log_norm);
}

// x' of the nonlinear robot, x = (q, v).
static limb_status rate(limb_data* d, const double* x, double u, double* dx)
{
  const double tau[N] = {0, u};
  for (int i = 0; i < N; i++) dx[i] = x[N + i];
  return limb_forward_dynamics(d, x, x + N, tau, NULL, dx + N);
}

// One step of the classical Runge-Kutta method.
static limb_status step(limb_data* d, double* x, double u, double h)
{
  const double at[4] = {0, h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
  double k[NX] = {0}, y[NX], sum[NX] = {0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < NX; i++) y[i] = x[i] + at[s] * k[i];
    const limb_status status = rate(d, y, u, k);
    if (status != LIMB_OK) return status;
    for (int i = 0; i < NX; i++) sum[i] += weight[s] * k[i];
  }
  for (int i = 0; i < NX; i++) x[i] += sum[i];
  return LIMB_OK;
}

static void draw(double t, double deviation, double u)
{
  const int middle = 30, at = middle + (int)lround(deviation * 180 / PI * 2);
  char line[62];
  for (int i = 0; i < 61; i++) line[i] = ' ';
  line[61] = '\0', line[middle] = '|';
  if (at >= 0 && at < 61) line[at] = 'o';
  printf("%5.1f s  %s %8.3f N m\n", t, line, u);
}

// Runs the robot for ten seconds from a start off the pose; how far it is from it at the end.
static limb_status run(limb_data* d, const lqr* r, const double* pose, int controlled, double* off)
{
  enum { PIECES = 20 }; // of the simulation per step of the controller
  double x[NX] = {pose[0] + 0.08, pose[1] - 0.12, 0, 0}, u = 0;
  limb_status s = LIMB_OK;
  for (int k = 0; s == LIMB_OK && k < 500; k++) {
    u = 0;
    for (int i = 0; i < NX && controlled; i++) u -= r->K[i] * (i < N ? x[i] - pose[i] : x[i]);
    if (controlled && k < 200 && k % 10 == 0) draw(k * DT, x[0] - pose[0], u);
    for (int i = 0; s == LIMB_OK && i < PIECES; i++) s = step(d, x, u, DT / PIECES);
  }
  *off = 0;
  for (int i = 0; i < NX; i++) *off = fmax(*off, fabs(i < N ? x[i] - pose[i] : x[i]));
  return s;
}

int main(void)
{
  limb_model* robot = NULL;
  limb_data* d = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  lqr r = {{{0}}, {0}, {0}};
  const double upright[N] = {PI / 2, 0};
  double balanced = HUGE_VAL, left_alone = 0;
  limb_status s = limb_load("acrobot", NULL, &robot, &err);
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &d);
  if (s == LIMB_OK) s = linear_model(d, upright, &r);
  const int iterations = s == LIMB_OK ? regulate(&r) : 0;
  const double decay = decay_per_step(&r);
  printf("gains %.3f %.3f %.3f %.3f after %d iterations\n", r.K[0], r.K[1], r.K[2], r.K[3], iterations);
  printf("slowest mode %.6f per step of %g s: time constant %.3f s\n", decay, DT, -DT / log(decay));
  printf("shoulder, half a degree per column:\n");
  if (s == LIMB_OK) s = run(d, &r, upright, 1, &balanced);
  if (s == LIMB_OK) s = run(d, &r, upright, 0, &left_alone);
  printf("after 10 s: %.1e off with the regulator, %.1f without\n", balanced, left_alone);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s\n", limb_status_text(s), err.text);
  limb_data_destroy(d);
  limb_model_destroy(robot);
  return s == LIMB_OK && iterations > 0 && decay < 1 && balanced < 1e-6 && left_alone > 1 ? 0 : 1;
}
