// The path of least kinetic energy between two configurations, and what curvature has to do with it (Park, Bobrow,
// Ploen 1995, section 4.4).
//
// Kinetic energy v' M v / 2 measures lengths on the space of configurations. Among all motions from A to B in a given
// time, the integral of the kinetic energy is least for a geodesic at constant speed,
//
//     M a + C v = 0            no torque, no weight: the robot coasts
//
// (examples/09_minimum_energy.c minimises the integral of tau' tau instead). So a geodesic is found by shooting:
// Newton's method on the velocity v_0 with which a robot that coasts arrives at B.
//
// Curvature tells how unique that is. Geodesics that leave A at a small angle are j(t) apart, with s their speed and
//
//     j'' = -K s^2 j           K: sectional curvature (Jacobi's equation)
//
// K < 0 drives them apart: each B is reached by one geodesic, and small errors of v_0 grow. K > 0 brings them together;
// where j returns to zero a geodesic stops being the shortest path. The program solves Jacobi's equation with
// limb_sectional_curvature and compares j with two geodesics that it computes.
#include <limb/lagrange.h>
#include <limb/limb.h>
#include <limb/read.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 2, STEPS = 400, WORK = 112, TRIES = 20 };
// WORK: limb_sectional_curvature_work(), 8 nv and 48 for each joint
static const double TIME = 1; // [s]
static const double A[N] = {0.2, 0.4}, B[N] = {1.1, 2.3};

typedef struct space {
  limb_data* d;
  limb_environment env; // without weight and friction
} space;

typedef struct path {
  double q[STEPS + 1][N], v[STEPS + 1][N];
} path;

// v, a of the robot that coasts.
static limb_status coast(const space* x, const double* q, const double* v, double* a)
{
  const double none[N] = {0};
  return limb_forward_dynamics(x->d, q, v, none, &x->env, a);
}

// The geodesic from A with velocity v0 (RK4).
static limb_status shoot(const space* x, const double* v0, path* p)
{
  const double h = TIME / STEPS, at[4] = {0, h / 2, h / 2, h}, share[4] = {h / 6, h / 3, h / 3, h / 6};
  limb_status s = LIMB_OK;
  memcpy(p->q[0], A, sizeof A), memcpy(p->v[0], v0, sizeof p->v[0]);
  for (int k = 0; k < STEPS && s == LIMB_OK; k++) {
    double dq[N] = {0}, dv[N] = {0};
    memcpy(p->q[k + 1], p->q[k], sizeof p->q[k]), memcpy(p->v[k + 1], p->v[k], sizeof p->v[k]);
    for (int i = 0; i < 4 && s == LIMB_OK; i++) {
      double q[N], v[N];
      for (int j = 0; j < N; j++) q[j] = p->q[k][j] + at[i] * dq[j], v[j] = p->v[k][j] + at[i] * dv[j];
      s = coast(x, q, v, dv);
      memcpy(dq, v, sizeof dq);
      for (int j = 0; j < N; j++) p->q[k + 1][j] += share[i] * dq[j], p->v[k + 1][j] += share[i] * dv[j];
    }
  }
  return s;
}

// Newton's method on v0; miss: how far from B it ends.
static limb_status connect(const space* x, double* v0, path* p, double* miss)
{
  limb_status s = LIMB_OK;
  for (int j = 0; j < N; j++) v0[j] = (B[j] - A[j]) / TIME; // as if the space were flat
  for (int k = 0; k < TRIES && s == LIMB_OK; k++) {
    double J[N][N], r[N];
    const double step = 1e-6;
    path near[2];
    s = shoot(x, v0, p);
    for (int j = 0; j < N && s == LIMB_OK; j++) {
      double v[N] = {v0[0], v0[1]};
      v[j] = v0[j] + step, s = shoot(x, v, &near[0]);
      v[j] = v0[j] - step;
      if (s == LIMB_OK) s = shoot(x, v, &near[1]);
      for (int i = 0; i < N; i++) J[i][j] = (near[0].q[STEPS][i] - near[1].q[STEPS][i]) / (2 * step);
    }
    for (int j = 0; j < N; j++) r[j] = B[j] - p->q[STEPS][j];
    *miss = fmax(fabs(r[0]), fabs(r[1]));
    if (*miss < 1e-12) break;
    const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    v0[0] += (J[1][1] * r[0] - J[0][1] * r[1]) / det, v0[1] += (J[0][0] * r[1] - J[1][0] * r[0]) / det;
  }
  return s;
}

// <u, w> = u' M(q) w
static limb_status product(const space* x, const double* q, const double* u, const double* w, double* out)
{
  double M[N * N];
  const limb_status s = limb_mass_matrix(x->d, q, M);
  *out = u[0] * (M[0] * w[0] + M[1] * w[1]) + u[1] * (M[2] * w[0] + M[3] * w[1]);
  return s;
}

// Integral of the kinetic energy of q(t) = geodesic (or the straight line) + bump sin^2, which ends as it began.
static limb_status energy(const space* x, const path* p, int straight, const double* bump, double* out)
{
  limb_status s = LIMB_OK;
  *out = 0;
  for (int k = 0; k <= STEPS && s == LIMB_OK; k++) {
    const double t = (double)k / STEPS, pi = acos(-1), wave = sin(pi * t), rate = pi / TIME * sin(2 * pi * t);
    const double weight = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * TIME / STEPS / 3; // Simpson
    double q[N], v[N], twice = 0;
    for (int j = 0; j < N; j++) {
      q[j] = (straight ? A[j] + t * (B[j] - A[j]) : p->q[k][j]) + bump[j] * wave * wave;
      v[j] = (straight ? (B[j] - A[j]) / TIME : p->v[k][j]) + bump[j] * rate;
    }
    s = product(x, q, v, v, &twice);
    *out += weight * twice / 2;
  }
  return s;
}

// The angle between geodesics, by Jacobi's equation and by two of them; apart: how far the two answers are.
static limb_status spread(const space* x, const double* v0, const path* p, double* K_ends, double* apart)
{
  const double h = TIME / STEPS, angle = 1e-5;
  double M[N * N], s2 = 0, w2 = 0, w[N], work[WORK], j = 0, dj, largest = 0;
  path side[2];
  limb_status s = limb_mass_matrix(x->d, A, M);
  w[0] = -(M[2] * v0[0] + M[3] * v0[1]), w[1] = M[0] * v0[0] + M[1] * v0[1]; // v0' M w = 0
  if (s == LIMB_OK) s = product(x, A, v0, v0, &s2);
  if (s == LIMB_OK) s = product(x, A, w, w, &w2);
  for (int i = 0; i < N; i++) w[i] *= sqrt(s2 / w2);
  for (int i = 0; i < 2 && s == LIMB_OK; i++) {
    const double e = i ? -angle : angle, v[N] = {v0[0] + e * w[0], v0[1] + e * w[1]};
    s = shoot(x, v, &side[i]);
  }
  dj = sqrt(s2), *apart = 0; // j(0) = 0, j'(0) = s
  for (int k = 0; k < STEPS && s == LIMB_OK; k++) {
    const double e1[N] = {1, 0}, e2[N] = {0, 1};
    double K[2] = {0}, Y[N], found = 0;
    for (int i = 0; i < 2 && s == LIMB_OK; i++) s = limb_sectional_curvature(x->d, p->q[k + i], e1, e2, work, &K[i]);
    const double a = -K[0] * s2 * j, next = j + h * dj + h * h / 2 * a; // Verlet
    dj += h / 2 * (a - K[1] * s2 * next), j = next;
    for (int i = 0; i < N; i++) Y[i] = (side[0].q[k + 1][i] - side[1].q[k + 1][i]) / (2 * angle);
    if (s == LIMB_OK) s = product(x, p->q[k + 1], Y, Y, &found);
    *apart = fmax(*apart, fabs(j - sqrt(found))), largest = fmax(largest, j);
    K_ends[k > 0] = K[k > 0];
  }
  printf("geodesics at 1 rad: %.4f m sqrt(kg) apart at B by Jacobi's equation, in a flat space %.4f\n", j,
         sqrt(s2) * TIME);
  *apart /= largest;
  return s;
}

static limb_status load(limb_model** m, limb_data** d, limb_error* err)
{
  limb_reading* r = NULL;
  limb_status s = limb_read("planar_2r", NULL, &r, err);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), m, err);
  if (s == LIMB_OK) s = limb_data_create(*m, NULL, d);
  limb_reading_destroy(r);
  return s;
}

int main(void)
{
  space x = {NULL, {0}};
  limb_model* m = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  path p;
  double v0[N] = {0}, miss = 0, least = 0, straight = 0, drift = 0, first = 0, last = 0, K[2] = {0}, apart = 0;
  const double none[N] = {0};
  int higher = 0;
  limb_status s = load(&m, &x.d, &err);
  if (s == LIMB_OK) {
    x.env = limb_default_environment(m);
    x.env.gravity = sp_v3(0, 0, 0), x.env.friction = 0;
    s = connect(&x, v0, &p, &miss);
  }
  if (s == LIMB_OK) s = energy(&x, &p, 0, none, &least);
  if (s == LIMB_OK) s = energy(&x, &p, 1, none, &straight);
  if (s == LIMB_OK) s = product(&x, p.q[0], p.v[0], p.v[0], &first);
  if (s == LIMB_OK) s = product(&x, p.q[STEPS], p.v[STEPS], p.v[STEPS], &last);
  drift = fabs(last / first - 1);
  for (int k = 0; k < TRIES && s == LIMB_OK; k++) {
    const double bump[N] = {0.1 * cos(k), 0.1 * sin(k)};
    double more = 0;
    s = energy(&x, &p, 0, bump, &more);
    higher += more > least;
  }
  if (s == LIMB_OK) s = spread(&x, v0, &p, K, &apart);
  limb_data_destroy(x.d);
  limb_model_destroy(m);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s: %s\n", limb_status_text(s), err.where, err.text);
  if (s != LIMB_OK) return 1;
  printf("v0 = (%.9f, %.9f) rad/s misses B by %.0e rad; speed constant to %.0e\n", v0[0], v0[1], miss, drift);
  printf("integral of the kinetic energy: %.6f J s, along the straight line in joint angles %.6f J s\n", least,
         straight);
  printf("%d of %d paths nearby take more; curvature %.4f at A, %.4f at B [1/(kg m^2)]\n", higher, TRIES, K[0], K[1]);
  printf("two geodesics and Jacobi's equation: %.0e apart\n", apart);
  return miss < 1e-9 && drift < 1e-9 && least < straight && higher == TRIES && apart < 1e-4 ? 0 : 1;
}
