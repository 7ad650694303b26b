// Calibration of a Panda: the lengths and angles of its Denavit-Hartenberg rows are found again from measured poses of
// the flange. The robot that is measured differs from the maker's table by tenths of millimetres and of milliradians,
// and the measurements are noisy. Least squares by the method of Levenberg and Marquardt, with the derivatives of the
// pose by the parameters.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>
#include <stdlib.h>

enum { NP = 42, NQ = 7, POSES = 80, CHECKS = 200 };

static const double NOISE_P = 0.1e-3, NOISE_R = 0.1e-3; // of a measurement, standard deviations [m, rad]

// ---- random numbers --------------------------------------------------------------------------------

static double uniform(uint64_t* seed) // in (-1, 1)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*seed / 9223372036854775808.0;
}

static double normal(uint64_t* seed) // the sum of twelve has variance 1, nearly
{
  double x = 0;
  for (int k = 0; k < 12; k++) x += 0.5 * uniform(seed);
  return x;
}

// ---- the measurements ------------------------------------------------------------------------------

typedef struct cell {
  limb_model *table, *real; // the maker's robot, the one on the floor
  limb_geometry* geometry;  // of the table
  int flange;
  double q[POSES][NQ];
  sp_pose measured[POSES];
} cell;

static limb_status pose_of(limb_data* d, int flange, const double* q, sp_pose* X)
{
  const limb_status s = limb_kinematics(d, q, NULL, NULL);
  return s == LIMB_OK ? limb_frame_pose(d, flange, X) : s;
}

static limb_status measure(cell* c, uint64_t* seed)
{
  limb_data* d = NULL;
  limb_status s = limb_data_create(c->real, NULL, &d);
  for (int i = 0; i < POSES && s == LIMB_OK; i++) {
    s = limb_random(c->real, seed, c->q[i]);
    sp_pose* X = &c->measured[i];
    if (s == LIMB_OK) s = pose_of(d, c->flange, c->q[i], X);
    double e[6];
    for (int k = 0; k < 6; k++) e[k] = normal(seed) * (k < 3 ? NOISE_P : NOISE_R);
    X->p = sp_add3(X->p, sp_v3(e[0], e[1], e[2]));
    X->R = sp_mul3(sp_rot_rpy(e[3], e[4], e[5]), X->R);
  }
  limb_data_destroy(d);
  return s;
}

// ---- least squares ---------------------------------------------------------------------------------

// From the pose of the model to the measured one, as a small motion with world axes.
static void difference(const sp_pose* X, const sp_pose* Y, double e[6])
{
  const sp_mat3 R = sp_mul3(Y->R, sp_transpose3(X->R));
  const sp_vec3 p = sp_sub3(Y->p, X->p);
  e[0] = (R.m[7] - R.m[5]) / 2, e[1] = (R.m[2] - R.m[6]) / 2, e[2] = (R.m[3] - R.m[1]) / 2;
  e[3] = p.x, e[4] = p.y, e[5] = p.z;
}

// A = sum J'J, b = sum J'e at the values x; the sum of squares.
static limb_status sum_up(const cell* c, const double* x, double A[NP][NP], double b[NP], double* squares)
{
  limb_model* m = NULL;
  limb_data* d = NULL;
  limb_geometry* g = NULL;
  sp_motion J[NP];
  sp_pose X;
  *squares = 0;
  for (int i = 0; i < NP; i++) {
    b[i] = 0;
    for (int j = 0; j < NP; j++) A[i][j] = 0;
  }
  limb_status s = limb_geometry_build(c->geometry, x, &m, NULL);
  if (s == LIMB_OK) s = limb_data_create(m, NULL, &d);
  if (s == LIMB_OK) s = limb_geometry_create(m, LIMB_FORM_MDH, NULL, &g, NULL);
  for (int n = 0; n < POSES && s == LIMB_OK; n++) {
    double e[6];
    s = pose_of(d, c->flange, c->q[n], &X);
    if (s == LIMB_OK) s = limb_geometry_pose_derivative(g, c->q[n], c->flange, LIMB_ALIGNED, J);
    difference(&X, &c->measured[n], e);
    for (int k = 0; k < 6; k++) *squares += e[k] * e[k];
    for (int i = 0; i < NP && s == LIMB_OK; i++) {
      const double* Ji = &J[i].w.x;
      for (int k = 0; k < 6; k++) b[i] += Ji[k] * e[k];
      for (int j = 0; j < NP; j++) {
        const double* Jj = &J[j].w.x;
        for (int k = 0; k < 6; k++) A[i][j] += Ji[k] * Jj[k];
      }
    }
  }
  limb_geometry_destroy(g);
  limb_data_destroy(d);
  limb_model_destroy(m);
  return s;
}

// (A + damping) x = b by Cholesky's factors; the damping leaves what the poses cannot tell as it is in the table: gamma
// and b of a row and theta and r of the row before are the same motion.
static void solve(double A[NP][NP], double damping, double b[NP])
{
  for (int i = 0; i < NP; i++) {
    A[i][i] += damping;
    for (int j = 0; j <= i; j++) {
      double sum = A[i][j];
      for (int k = 0; k < j; k++) sum -= A[i][k] * A[j][k];
      A[i][j] = i == j ? sqrt(sum) : sum / A[j][j];
    }
  }
  for (int i = 0; i < NP; i++) {
    for (int k = 0; k < i; k++) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
  for (int i = NP - 1; i >= 0; i--) {
    for (int k = i + 1; k < NP; k++) b[i] -= A[k][i] * b[k];
    b[i] /= A[i][i];
  }
}

static limb_status calibrate(const cell* c, double x[NP])
{
  static double A[NP][NP], b[NP];
  double squares = 0, damping = 1e-3;
  limb_status s = sum_up(c, x, A, b, &squares);
  for (int step = 0; step < 3 && s == LIMB_OK; step++, damping *= 0.1) {
    printf("step %d: residual %.4f mm or mrad\n", step, 1e3 * sqrt(squares / (6 * POSES)));
    solve(A, damping < 1e-6 ? 1e-6 : damping, b);
    for (int i = 0; i < NP; i++) x[i] += b[i];
    s = sum_up(c, x, A, b, &squares);
  }
  return s;
}

// ---- what it is worth ------------------------------------------------------------------------------

// Mean distance of the flange from where the real robot has it, in new configurations.
static limb_status error_of(const cell* c, const limb_model* m, double* mean)
{
  limb_data *d = NULL, *truth = NULL;
  uint64_t seed = 99;
  *mean = 0;
  limb_status s = limb_data_create(m, NULL, &d);
  if (s == LIMB_OK) s = limb_data_create(c->real, NULL, &truth);
  for (int i = 0; i < CHECKS && s == LIMB_OK; i++) {
    double q[NQ];
    sp_pose X, Y;
    s = limb_random(c->real, &seed, q);
    if (s == LIMB_OK) s = pose_of(d, c->flange, q, &X);
    if (s == LIMB_OK) s = pose_of(truth, c->flange, q, &Y);
    if (s == LIMB_OK) *mean += sp_norm3(sp_sub3(X.p, Y.p)) / CHECKS;
  }
  limb_data_destroy(d);
  limb_data_destroy(truth);
  return s;
}

static limb_status make(cell* c, double x[NP], uint64_t* seed, limb_error* err)
{
  double real[NP];
  limb_geometry_info p;
  limb_status s = limb_load("panda", NULL, &c->table, err);
  if (s == LIMB_OK) s = limb_geometry_create(c->table, LIMB_FORM_MDH, NULL, &c->geometry, err);
  for (int i = 0; i < NP && s == LIMB_OK; i++) {
    s = limb_geometry_get(c->geometry, i, &p);
    x[i] = p.value;
    real[i] = p.value + uniform(seed) * (p.angle ? 1e-3 : 0.5e-3);
  }
  if (s == LIMB_OK) s = limb_geometry_build(c->geometry, real, &c->real, err);
  c->flange = limb_find_frame(c->table, "flange");
  return s == LIMB_OK ? measure(c, seed) : s;
}

int main(void)
{
  static cell c;
  limb_model* found = NULL;
  limb_error err = {0};
  uint64_t seed = 1;
  double x[NP], before = 0, after = 0;
  limb_status s = make(&c, x, &seed, &err);
  if (s == LIMB_OK) s = calibrate(&c, x);
  if (s == LIMB_OK) s = limb_geometry_build(c.geometry, x, &found, &err);
  if (s == LIMB_OK) s = error_of(&c, c.table, &before);
  if (s == LIMB_OK) s = error_of(&c, found, &after);
  if (s == LIMB_OK)
    printf("distance in %d new configurations: %.3f mm with the table, %.3f mm calibrated\n", CHECKS, 1e3 * before,
           1e3 * after);
  else
    printf("%s: %s\n", err.where, *err.text ? err.text : limb_status_text(s));
  limb_model_destroy(found);
  limb_model_destroy(c.real);
  limb_geometry_destroy(c.geometry);
  limb_model_destroy(c.table);
  return s == LIMB_OK && before > 0.5e-3 && after < 0.1e-3 ? 0 : 1;
}
