// A point-to-point motion of the Panda arm that takes the least energy in its motors (Park, Bobrow, Ploen 1995).
//
// The motors of an arm that holds and moves itself lose energy in proportion to torque squared. With
//
//     q(t) = sum over c of b_c(t) P_c          quintic B-splines b, control points P
//     cost = integral of tau' tau dt           tau = inverse dynamics of (q, q', q'')
//
// the first and last three control points are the two poses, so that the arm starts and stops at rest exactly
// there; the others are free. The gradient is analytic,
//
//     d cost / d P_c = integral of 2 (b_c dtau/dq' + b_c' dtau/dv' + b_c'' M) tau dt
//
// and feeds a quasi-Newton method (BFGS). A penalty keeps joints and speeds inside their limits.
#include <limb/limb.h>
#include <limb/read.h>
#include <stdio.h>
#include <string.h>

enum {
  N = 7,
  DEGREE = 5,
  POINTS = 14,       // control points
  FREE = POINTS - 6, // of them free
  VARIABLES = FREE * N,
  SPANS = POINTS - DEGREE, // pieces of the spline
  GAUSS = 4,               // points of the quadrature on each
  NODES = SPANS * GAUSS
};
static const double DURATION = 2;  // [s]
static const double PENALTY = 2e4; // per square of what leaves the limits
static const double INSIDE = 0.95; // the part of the range that is used
static const double START[N] = {-1, 0.6, 0, -1.6, 0, 2.2, 0}, GOAL[N] = {1, 0.9, 0, -0.9, 0, 1.8, 0};

typedef struct problem {
  limb_data* d;
  double middle[2][N], reach[2][N];  // range of positions and speeds
  double time[NODES], weight[NODES]; // of the quadrature
  double basis[NODES][POINTS][3];    // b_c, b_c', b_c'' at its points
} problem;

// ---- the spline -----------------------------------------------------------------------------------

static double knot(int i)
{
  const int k = i - DEGREE;
  return DURATION * (k < 0 ? 0 : k > SPANS ? SPANS : k) / SPANS;
}

// A derivative of the B-spline number i, by the recursion of Cox and de Boor.
static double spline(int i, int degree, int derivative, double t)
{
  if (degree == 0) // the last piece includes its end
    return t >= knot(i) && (t < knot(i + 1) || (t == DURATION && i == POINTS - 1));
  const double left = knot(i + degree) - knot(i), right = knot(i + degree + 1) - knot(i + 1);
  const int lower = derivative > 0 ? derivative - 1 : 0;
  const double a = left > 0 ? spline(i, degree - 1, lower, t) / left : 0;
  const double b = right > 0 ? spline(i + 1, degree - 1, lower, t) / right : 0;
  if (derivative > 0) return degree * (a - b);
  return (t - knot(i)) * a + (knot(i + degree + 1) - t) * b;
}

static void prepare(problem* p)
{
  const double x[GAUSS] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
  const double w[GAUSS] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
  const double span = DURATION / SPANS;
  for (int k = 0; k < NODES; k++) {
    const double t = span * (k / GAUSS + (1 + x[k % GAUSS]) / 2);
    p->time[k] = t;
    p->weight[k] = span / 2 * w[k % GAUSS];
    for (int c = 0; c < POINTS; c++) {
      for (int i = 0; i < 3; i++) p->basis[k][c][i] = spline(c, DEGREE, i, t);
    }
  }
}

// Coordinate j of control point c.
static double control_point(const double* x, int c, int j)
{
  if (c < 3) return START[j];
  return c < POINTS - 3 ? x[(c - 3) * N + j] : GOAL[j];
}

// q, q', q'' at a point of the quadrature.
static void motion(const problem* p, const double* x, int node, double state[3][N])
{
  memset(state, 0, 3 * N * sizeof(double));
  for (int c = 0; c < POINTS; c++) {
    for (int j = 0; j < N; j++) {
      for (int i = 0; i < 3; i++) state[i][j] += p->basis[node][c][i] * control_point(x, c, j);
    }
  }
}

// How far the motion is from rest at the two poses: positions, speeds and accelerations.
static double end_error(const double* x)
{
  double worst = 0;
  for (int k = 0; k < 2 * N; k++) {
    const int last = k / N, j = k % N;
    double state[3] = {last ? -GOAL[j] : -START[j], 0, 0};
    for (int c = 0; c < POINTS; c++) {
      for (int i = 0; i < 3; i++) state[i] += spline(c, DEGREE, i, last ? DURATION : 0) * control_point(x, c, j);
    }
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(state[i]));
  }
  return worst;
}

// ---- limits -----------------------------------------------------------------------------------------

static limb_status read_limits(problem* p, const limb_model* robot)
{
  for (int j = 0; j < N; j++) {
    limb_joint_info joint;
    const limb_status s = limb_get_joint(robot, j, &joint);
    if (s != LIMB_OK) return s;
    const double lower = joint.def.q_min, upper = joint.def.q_max;
    p->middle[0][j] = (lower + upper) / 2, p->reach[0][j] = (upper - lower) / 2;
    p->middle[1][j] = 0, p->reach[1][j] = joint.def.v_max;
  }
  return LIMB_OK;
}

// How far x is outside a range about its middle, with its sign.
static double outside(double x, double middle, double reach)
{
  const double off = x - middle;
  return fabs(off) <= reach ? 0 : off - copysign(reach, off);
}

// Largest use of a range at the points of the quadrature; 1 is the limit.
static double use_of_ranges(const problem* p, const double* x)
{
  double state[3][N], most = 0;
  for (int k = 0; k < NODES; k++) {
    motion(p, x, k, state);
    for (int i = 0; i < 2 * N; i++)
      most = fmax(most, fabs(state[i / N][i % N] - p->middle[i / N][i % N]) / p->reach[i / N][i % N]);
  }
  return most;
}

// ---- cost and gradient ----------------------------------------------------------------------------

static limb_status cost(const problem* p, const double* x, double* out, double* gradient)
{
  double state[3][N], tau[N], by[3][N][N]; // tau by q, v, a
  const limb_id_derivatives want = {tau, by[0][0], by[1][0], by[2][0]};
  *out = 0;
  memset(gradient, 0, VARIABLES * sizeof *gradient);
  for (int k = 0; k < NODES; k++) {
    motion(p, x, k, state);
    const limb_status s = limb_inverse_dynamics_derivatives(p->d, state[0], state[1], state[2], NULL, &want);
    if (s != LIMB_OK) return s;
    for (int r = 0; r < N; r++) *out += p->weight[k] * tau[r] * tau[r];
    for (int j = 0; j < N; j++) {
      double slope[3] = {0}; // d(tau' tau) by q_j, v_j, a_j, with the penalty
      for (int i = 0; i < 3; i++) {
        for (int r = 0; r < N; r++) slope[i] += 2 * tau[r] * by[i][r][j];
      }
      for (int i = 0; i < 2; i++) {
        const double e = outside(state[i][j], p->middle[i][j], INSIDE * p->reach[i][j]);
        *out += p->weight[k] * PENALTY * e * e;
        slope[i] += 2 * PENALTY * e;
      }
      for (int c = 0; c < FREE; c++) {
        const double* b = p->basis[k][c + 3];
        gradient[c * N + j] += p->weight[k] * (b[0] * slope[0] + b[1] * slope[1] + b[2] * slope[2]);
      }
    }
  }
  return LIMB_OK;
}

// Largest difference between the gradient and central differences, relative to its largest entry.
static limb_status gradient_error(const problem* p, const double* x, double* error)
{
  const double h = 1e-5;
  double g[VARIABLES], other[VARIABLES], y[VARIABLES], f[2], largest = 0;
  limb_status s = cost(p, x, f, g);
  *error = 0;
  for (int i = 0; i < VARIABLES && s == LIMB_OK; i++) {
    memcpy(y, x, sizeof y);
    y[i] = x[i] - h, s = cost(p, y, &f[0], other);
    y[i] = x[i] + h;
    if (s == LIMB_OK) s = cost(p, y, &f[1], other);
    *error = fmax(*error, fabs((f[1] - f[0]) / (2 * h) - g[i]));
    largest = fmax(largest, fabs(g[i]));
  }
  *error /= largest;
  return s;
}

// ---- quasi-Newton method ----------------------------------------------------------------------------

typedef double matrix[VARIABLES][VARIABLES];

static double dot(const double* a, const double* b)
{
  double sum = 0;
  for (int i = 0; i < VARIABLES; i++) sum += a[i] * b[i];
  return sum;
}

static void times(matrix H, const double* x, double* y)
{
  for (int i = 0; i < VARIABLES; i++) y[i] = dot(H[i], x);
}

// H = (1 - s y'/s'y) H (1 - y s'/s'y) + s s'/s'y: the inverse Hessian learns that dg = y for dx = s.
static void learn(matrix H, const double* s, const double* y)
{
  double Hy[VARIABLES];
  const double sy = dot(s, y);
  if (sy <= 1e-12 * sqrt(dot(s, s) * dot(y, y))) return; // no curvature to learn from
  times(H, y, Hy);
  const double factor = (1 + dot(y, Hy) / sy) / sy;
  for (int i = 0; i < VARIABLES; i++) {
    for (int j = 0; j < VARIABLES; j++) H[i][j] += factor * s[i] * s[j] - (s[i] * Hy[j] + Hy[i] * s[j]) / sy;
  }
}

// Minimises from x; the number of iterations, 0 when it fails.
static int minimise(const problem* p, double* x, matrix H, double* best)
{
  double g[VARIABLES], step[VARIABLES], y[VARIABLES], g1[VARIABLES], f1;
  if (cost(p, x, best, g) != LIMB_OK) return 0;
  const double first = sqrt(dot(g, g));
  for (int i = 0; i < VARIABLES * VARIABLES; i++) H[i / VARIABLES][i % VARIABLES] = 0;
  for (int i = 0; i < VARIABLES; i++) H[i][i] = 0.1 / first;
  for (int k = 1; k < 3000; k++) {
    times(H, g, step);
    double length = -1;
    const double slope = dot(g, step);
    for (;; length /= 2) { // until the cost falls by a part of what the slope promises
      for (int i = 0; i < VARIABLES; i++) y[i] = x[i] + length * step[i];
      if (cost(p, y, &f1, g1) == LIMB_OK && f1 <= *best + 1e-4 * length * slope) break;
      if (length > -1e-10) return 0;
    }
    for (int i = 0; i < VARIABLES; i++) step[i] = length * step[i], g[i] = g1[i] - g[i];
    learn(H, step, g);
    memcpy(x, y, sizeof y);
    memcpy(g, g1, sizeof g);
    *best = f1;
    if (sqrt(dot(g, g)) < 1e-4 * first) return k;
  }
  return 0;
}

// ---- report -----------------------------------------------------------------------------------------

// Straight from pose to pose: the control points on a line.
static void straight(double* x)
{
  for (int c = 0; c < FREE; c++) {
    for (int j = 0; j < N; j++) x[c * N + j] = START[j] + (GOAL[j] - START[j]) * (c + 1) / (FREE + 1);
  }
}

static limb_status compare(const problem* p, const double* before, const double* after)
{
  const double* const x[2] = {before, after};
  double state[3][N], tau[2][N];
  printf("norm of the torques [N m], straight o and best *:\n         0");
  for (int k = 1; k <= 5; k++) printf("%10d", 20 * k); // half a column for 1 N m
  printf("\n");
  for (int k = 1; k < NODES; k += 2) {
    int at[2];
    char line[52];
    for (int c = 0; c < 2; c++) {
      motion(p, x[c], k, state);
      const limb_status s = limb_inverse_dynamics(p->d, state[0], state[1], state[2], NULL, tau[c]);
      if (s != LIMB_OK) return s;
      double sum = 0;
      for (int j = 0; j < N; j++) sum += tau[c][j] * tau[c][j];
      at[c] = (int)fmin(50, sqrt(sum) / 2);
    }
    memset(line, ' ', 51);
    line[51] = '\0', line[at[0]] = 'o', line[at[1]] = '*';
    printf("%5.2f s |%s\n", p->time[k], line);
  }
  return LIMB_OK;
}

int main(void)
{
  static problem p;
  static matrix H;
  limb_model* robot = NULL;
  limb_error err = {LIMB_OK, 0, 0, "", ""};
  double x[VARIABLES], line[VARIABLES], before = 0, after = HUGE_VAL, error = HUGE_VAL;
  int iterations = 0;
  prepare(&p);
  straight(line);
  limb_status s = limb_load("panda", NULL, &robot, &err);
  if (s == LIMB_OK) s = limb_data_create(robot, NULL, &p.d);
  if (s == LIMB_OK) s = read_limits(&p, robot);
  for (int i = 0; i < VARIABLES; i++) x[i] = line[i] + 0.5 * sin(i); // beyond some limits
  if (s == LIMB_OK) s = gradient_error(&p, x, &error);
  if (s == LIMB_OK) s = cost(&p, line, &before, H[0]);
  memcpy(x, line, sizeof x);
  if (s == LIMB_OK) iterations = minimise(&p, x, H, &after);
  if (s == LIMB_OK) s = compare(&p, line, x);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s: %s\n", limb_status_text(s), err.text);
  const double use = s == LIMB_OK ? use_of_ranges(&p, x) : HUGE_VAL, ends = end_error(x);
  printf("gradient against differences: %.1e\n", error);
  printf("cost: %.1f straight, %.1f best, %.0f %% less, %d iterations\n", before, after, 100 * (1 - after / before),
         iterations);
  printf("largest use of a joint's range or speed: %.3f\n", use);
  printf("off the two poses, at rest: %.1e\n", ends);
  limb_data_destroy(p.d);
  limb_model_destroy(robot);
  const int better = iterations > 0 && after < 0.9 * before;
  return s == LIMB_OK && better && error < 1e-7 && use < 1 && ends < 1e-10 ? 0 : 1;
}
