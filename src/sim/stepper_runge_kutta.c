// Runge-Kutta methods with fixed steps.
//
//   Euler             q1 = q (+) h v         v1 = v + h a          k = 0 ... N-1
//   semi-implicit     v1 = v + h a           q1 = q (+) h v1
//   RK4               stages in local coordinates of the step, q = q0 (+) u, u' = dexp^-1(u) v
//   RODAS             linearly implicit (Rosenbrock), order 4, for stiff robots
//
// Reference: Lynch and Park 2017, Euler integration (its loop begins at 0, not at 1 as printed); H. Munthe-Kaas, High
//            order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29, 1999; E. Hairer, G. Wanner,
//            Solving ordinary differential equations II, 2nd edition, section IV.7 and code RODAS.
// Cost:      1, 1 and 4 evaluations of accelerations a step; RODAS: six, one of the derivatives, and one factorisation
//            of nv x nv numbers.
#include "sim/sim_impl.h"

#include "linalg/dense.h"

#include <string.h>

// ---- explicit methods -----------------------------------------------------------------------------------

typedef struct explicit_state {
  double *u, *v;         // nv: stage
  double *du[4], *dv[4]; // nv: rates at the stages
  double* q;             // nq: stage
} explicit_state;

static limb_status create_explicit(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv, nq = (size_t)sim->nq;
  explicit_state* e = limb_sim_alloc(sim, 1, sizeof *e);
  double* x = limb_sim_alloc(sim, 10 * nv + nq + 1, sizeof *x);
  if (!e || !x) return LIMB_E_NOMEM;
  e->u = x, e->v = x + nv;
  for (int k = 0; k < 4; k++) e->du[k] = x + (2 + (size_t)k) * nv, e->dv[k] = x + (6 + (size_t)k) * nv;
  e->q = x + 10 * nv;
  sim->state = e;
  return LIMB_OK;
}

static void add_scaled(int n, double k, const double* x, double* y)
{
  for (int i = 0; i < n; i++) y[i] += k * x[i];
}

// Accelerations at the beginning of the step into dv[0], and the power there.
static limb_status begin_step(limb_sim* sim, explicit_state* e, double* power)
{
  sim_point* b = &sim->begin;
  const limb_status s = limb_sim_accelerate(sim, b->t, b->q, b->v, e->dv[0]);
  return s == LIMB_OK ? limb_sim_power(sim, b->q, b->v, power) : s;
}

static limb_status euler_step(limb_sim* sim, double t)
{
  explicit_state* e = sim->state;
  const sim_point* b = &sim->begin;
  sim_point* f = &sim->front;
  const double h = t - b->t;
  double power;
  limb_status s = begin_step(sim, e, &power);
  if (s != LIMB_OK) return s;
  if ((s = limb_sim_displace(sim, b->q, b->v, h, f->q)) != LIMB_OK) return s;
  add_scaled(sim->nv, h, e->dv[0], f->v);
  f->work += h * power;
  f->t = t;
  return LIMB_OK;
}

static limb_status semi_implicit_step(limb_sim* sim, double t)
{
  explicit_state* e = sim->state;
  sim_point* f = &sim->front;
  const double h = t - sim->begin.t;
  double power;
  const limb_status s = begin_step(sim, e, &power);
  if (s != LIMB_OK) return s;
  add_scaled(sim->nv, h, e->dv[0], f->v);
  f->work += h * power;
  f->t = t;
  return limb_sim_displace(sim, sim->begin.q, f->v, h, f->q);
}

// Rates at stage k, at the state that is `share` h times the rates of the previous stage from the beginning.
static limb_status rk4_stage(limb_sim* sim, int k, double h, double share, double* power)
{
  explicit_state* e = sim->state;
  const sim_point* b = &sim->begin;
  const int nv = sim->nv;
  for (int i = 0; i < nv; i++) {
    e->u[i] = share * h * e->du[k - 1][i];
    e->v[i] = b->v[i] + share * h * e->dv[k - 1][i];
  }
  limb_status s = limb_sim_displace(sim, b->q, e->u, 1, e->q);
  if (s != LIMB_OK) return s;
  s = limb_sim_accelerate(sim, b->t + share * h, e->q, e->v, e->dv[k]);
  if (s != LIMB_OK) return s;
  limb_sim_tangent_rate(sim, e->u, e->v, e->du[k]);
  return limb_sim_power(sim, e->q, e->v, power);
}

// The weighted mean of the four stages (Simpson's rule).
static double mean(double a, double b, double c, double d) { return (a + 2 * (b + c) + d) / 6; }

static limb_status rk4_step(limb_sim* sim, double t)
{
  static const double share[4] = {0, 0.5, 0.5, 1};
  explicit_state* e = sim->state;
  const sim_point* b = &sim->begin;
  sim_point* f = &sim->front;
  const double h = t - b->t;
  double power[4];
  limb_status s = begin_step(sim, e, &power[0]);
  memcpy(e->du[0], b->v, (size_t)sim->nv * sizeof *e->du[0]);
  for (int k = 1; k < 4 && s == LIMB_OK; k++) s = rk4_stage(sim, k, h, share[k], &power[k]);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < sim->nv; i++) {
    e->u[i] = mean(e->du[0][i], e->du[1][i], e->du[2][i], e->du[3][i]);
    f->v[i] = b->v[i] + h * mean(e->dv[0][i], e->dv[1][i], e->dv[2][i], e->dv[3][i]);
  }
  f->work += h * mean(power[0], power[1], power[2], power[3]);
  f->t = t;
  return limb_sim_displace(sim, b->q, e->u, h, f->q);
}

const sim_stepper limb_sim_euler = {LIMB_SIM_EULER, SIM_FIXED, create_explicit, NULL, NULL, euler_step, NULL, NULL};
const sim_stepper limb_sim_semi_implicit = {
  LIMB_SIM_SEMI_IMPLICIT, SIM_FIXED, create_explicit, NULL, NULL, semi_implicit_step, NULL, NULL};
const sim_stepper limb_sim_rk4 = {LIMB_SIM_RK4, SIM_FIXED, create_explicit, NULL, NULL, rk4_step, NULL, NULL};

// ---- RODAS ----------------------------------------------------------------------------------------------
//
// In local coordinates of the step, q = q0 (+) u, with y = (u, v), f = (dexp^-1(u) v, a(t, q, v)) and
// J = df/dy = [-ad(v)/2  1; da/dq  da/dv] at the beginning:
//
//   (1/(gamma h) - J) U_i = f(t0 + alpha_i h, y0 + sum_j a_ij U_j) + sum_j c_ij/h U_j + gamma_i h df/dt
//   y1 = y0 + sum_j a_6j U_j + U_6                    a_6j = a_5j, a_65 = 1
//
// The linear equations for U = (x, y), with (r, s) on the right and G = 1/(gamma h) + ad(v)/2, are solved by
//
//   (1/(gamma h) - da/dv - B) y = s + B r        B = da/dq G^-1
//   x = G^-1 (r + y)
//
// Stiffly accurate and L-stable: whatever decays faster than a step has vanished after it, without iteration. Work is
// integrated by Simpson's rule, with Hermite's polynomial for the middle.

enum { STAGES = 6 };

static const double GAMMA = 0.25;
static const double ALPHA[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double GAMMA_I[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double A[STAGES][STAGES] = {
  {0},
  {1.544},
  {0.9466785280815826, 0.2557011698983284},
  {3.314825187068521, 2.896124015972201, 0.9986419139977817},
  {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
  {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};
static const double C[STAGES][STAGES] = {
  {0},
  {-5.6688},
  {-2.430093356833875, -0.2063599157091915},
  {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
  {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
  {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
};

typedef struct rosenbrock {
  double *B, *a_v;    // nv x nv
  double *a, *a_t;    // nv: accelerations at the beginning, their rate
  double* S;          // nv x nv: 1/(gamma h) - da/dv - B, factored
  double* scale;      // nv
  int* pivot;         // nv
  double* U[STAGES];  // 2 nv
  double *u, *v, *du; // nv: of a stage
  double* q;          // nq: of a stage
} rosenbrock;

static limb_status create_rodas(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv, nq = (size_t)sim->nq;
  rosenbrock* r = limb_sim_alloc(sim, 1, sizeof *r);
  if (!r) return LIMB_E_NOMEM;
  double** const part[] = {&r->B, &r->a_v, &r->S, &r->a, &r->a_t, &r->scale, &r->u, &r->v, &r->du, &r->q};
  const size_t size[] = {nv * nv, nv * nv, nv * nv, nv, nv, nv, nv, nv, nv, nq};
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
    if (!(*part[k] = limb_sim_alloc(sim, size[k], sizeof(double)))) return LIMB_E_NOMEM;
  }
  for (int i = 0; i < STAGES; i++) {
    if (!(r->U[i] = limb_sim_alloc(sim, 2 * nv, sizeof(double)))) return LIMB_E_NOMEM;
  }
  if (!(r->pivot = limb_sim_alloc(sim, nv, sizeof *r->pivot))) return LIMB_E_NOMEM;
  sim->state = r;
  return limb_sim_begin_derivatives(sim);
}

// B from da/dq, and the factors of S.
static limb_status factor(limb_sim* sim, rosenbrock* r, double h)
{
  const size_t nv = (size_t)sim->nv;
  const double g = 1 / (GAMMA * h);
  for (size_t i = 0; i < nv; i++) {
    limb_sim_tangent_solve_row(sim, sim->begin.v, g, r->B + i * nv);
    for (size_t j = 0; j < nv; j++) r->S[i * nv + j] = -r->a_v[i * nv + j] - r->B[i * nv + j];
    r->S[i * nv + i] += g;
  }
  if (limb_lu_factor(sim->nv, r->S, r->pivot, r->scale)) return LIMB_OK;
  return limb_sim_fail(sim, LIMB_E_SINGULAR, "the linear equations of a step of %.3g s are singular", h);
}

static void solve(const limb_sim* sim, const rosenbrock* r, double h, double* U)
{
  const size_t nv = (size_t)sim->nv;
  double *x = U, *y = U + nv;
  for (size_t i = 0; i < nv; i++) y[i] += limb_dot(nv, r->B + i * nv, x);
  limb_lu_solve(sim->nv, r->S, r->pivot, y);
  for (size_t i = 0; i < nv; i++) x[i] += y[i];
  limb_sim_tangent_solve(sim, sim->begin.v, 1 / (GAMMA * h), x);
}

// y0 + sum_j a_ij U_j: u, v and q.
static limb_status set_stage(limb_sim* sim, rosenbrock* r, int i)
{
  const int nv = sim->nv;
  memset(r->u, 0, (size_t)nv * sizeof *r->u);
  memcpy(r->v, sim->begin.v, (size_t)nv * sizeof *r->v);
  for (int j = 0; j < i; j++) {
    for (int k = 0; k < nv; k++) r->u[k] += A[i][j] * r->U[j][k], r->v[k] += A[i][j] * r->U[j][nv + k];
  }
  return limb_sim_displace(sim, sim->begin.q, r->u, 1, r->q);
}

static limb_status rodas_stage(limb_sim* sim, rosenbrock* r, int i, double h)
{
  const int nv = sim->nv;
  double* U = r->U[i];
  limb_status s = LIMB_OK;
  if (i == 0) {
    memcpy(U, sim->begin.v, (size_t)nv * sizeof *U);
    memcpy(U + nv, r->a, (size_t)nv * sizeof *U);
  } else {
    if ((s = set_stage(sim, r, i)) != LIMB_OK) return s;
    if ((s = limb_sim_accelerate(sim, sim->begin.t + ALPHA[i] * h, r->q, r->v, U + nv)) != LIMB_OK) return s;
    limb_sim_tangent_rate(sim, r->u, r->v, U);
  }
  for (int j = 0; j < i; j++) {
    for (int k = 0; k < 2 * nv; k++) U[k] += C[i][j] / h * r->U[j][k];
  }
  for (int k = 0; k < nv; k++) U[nv + k] += GAMMA_I[i] * h * r->a_t[k];
  solve(sim, r, h, U);
  return LIMB_OK;
}

// Simpson's rule for the work: power at the beginning, in the middle and at the end.
static limb_status add_work(limb_sim* sim, rosenbrock* r, double h, double power)
{
  if (!sim->o.work) return LIMB_OK;
  sim_point* f = &sim->front;
  double middle, end;
  limb_status s = limb_sim_accelerate(sim, f->t, f->q, f->v, r->du);
  if (s == LIMB_OK) s = limb_sim_power(sim, f->q, f->v, &end);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < sim->nv; k++) r->v[k] = (sim->begin.v[k] + f->v[k]) / 2 + h / 8 * (r->a[k] - r->du[k]);
  limb_sim_tangent_rate(sim, r->u, f->v, r->du);
  for (int k = 0; k < sim->nv; k++) r->u[k] = r->u[k] / 2 + h / 8 * (sim->begin.v[k] - r->du[k]);
  s = limb_sim_displace(sim, sim->begin.q, r->u, 1, r->q);
  if (s == LIMB_OK) s = limb_sim_accelerate(sim, f->t - h / 2, r->q, r->v, r->du);
  if (s == LIMB_OK) s = limb_sim_power(sim, r->q, r->v, &middle);
  if (s == LIMB_OK) f->work += h / 6 * (power + 4 * middle + end);
  return s;
}

static limb_status rodas_step(limb_sim* sim, double t)
{
  rosenbrock* r = sim->state;
  sim_point *b = &sim->begin, *f = &sim->front;
  const int nv = sim->nv;
  const double h = t - b->t;
  double power;
  limb_status s = limb_sim_accelerate(sim, b->t, b->q, b->v, r->a);
  if (s == LIMB_OK) s = limb_sim_power(sim, b->q, b->v, &power);
  if (s == LIMB_OK) s = limb_sim_derivatives(sim, b, h, r->a, r->B, r->a_v, r->a_t);
  if (s == LIMB_OK) s = factor(sim, r, h);
  for (int i = 0; i < STAGES && s == LIMB_OK; i++) s = rodas_stage(sim, r, i, h);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < nv; k++) {
    r->u[k] += r->U[STAGES - 1][k]; // the last stage was at y0 + sum a_6j U_j
    f->v[k] = r->v[k] + r->U[STAGES - 1][nv + k];
  }
  f->t = t;
  s = limb_sim_displace(sim, b->q, r->u, 1, f->q);
  return s == LIMB_OK ? add_work(sim, r, h, power) : s;
}

const sim_stepper limb_sim_rosenbrock = {LIMB_SIM_IMPLICIT, SIM_FIXED, create_rodas, NULL, NULL,
                                         rodas_step,        NULL,      NULL};
