// Symplectic steps from a discrete Lagrangian: energy and momentum of long runs do not drift.
//
//   q1 = q0 exp(h xi),  qm = q0 exp(h xi / 2),  L_d = h L(qm, xi)         L = kinetic - potential energy
//
// Its discrete Legendre transforms give momenta at both ends of a step, in child axes:
//
//   mu0 = B' P - h/2 (1 - T)' Q        P = M(qm) xi               momentum in the middle
//   mu1 = A' P + h/2 (1 + T)' Q        Q = C' xi - ad*(xi) P - g + other forces: its rate of change
//
//   A = dexp^-1(-h xi), B = dexp^-1(h xi), T = tanh(ad(h xi / 2) / 2): unity and zero except for ball and free joints
//
// Given mu0 = M(q0) v0, the first is solved for xi by Newton's method with the derivative, up to terms of second order
// in h,
//
//   J = M + h/2 (dn/dv - C - C') + h^2/4 dn/dq        n = C xi + g + friction + springs - wrenches
//
// at the beginning. Then q1 and mu1 = M(q1) v1. Forces outside the Lagrangian act as h times their value in the middle
// (Lagrange and d'Alembert). Loops have multipliers at both ends,
//
//   mu0 + Psi(q0)' nu0 = B' P - ...,  phi(q1) = s(t1)      mu1 + Psi(q1)' nu1 = M(q1) v1,  Psi(q1) v1 = s'(t1)
//
// and Psi(qm) xi = s'(tm) for nonholonomic constraints. Held velocities (joints that stick, prescribed motion) are not
// unknowns; their xi takes them to their given position.
//
// Order 2, symmetric. Reference: J. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10,
// 2001; A. Iserles et al., Lie-group methods, Acta Numerica 9, 2000, for dexp; H. Andersen, RATTLE, Journal of
// Computational Physics 52, 1983, for the constraints. Cost: a step: derivatives of inverse dynamics and a
// factorisation of size nv + nc; an iteration: a mass matrix, a Coriolis matrix and inverse dynamics.
#include "sim/sim_impl.h"

#include "limb/derivatives.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 200 };

// The last steps, to extrapolate from.
typedef struct past {
  double* xi[3]; // nv: the last one first
  int count;     // of these
  double end, h; // of the last one
} past;

typedef struct variational {
  past past;
  double *M, *C, *n_q, *n_v;   // nv x nv
  double *xi, *P, *Q, *mu, *d; // nv
  double *qm, *q1;             // nq
  double *Psi0, *Psi;          // nc x nv: at the beginning, and elsewhere
  double *phi, *rate;          // nc
  double* K;                   // (nv + nc)^2: the equations of a step, factored
  double *r, *scale;           // nv + nc: right-hand side and solution; scratch
  double* nu;                  // nc
  int* pivot;                  // nv + nc
  unsigned char* redundant;    // nc marks
  unsigned char* holonomic;    // nc: 1 for positions, 0 for velocities
} variational;

static limb_status create(limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv, nq = (size_t)sim->nq, nc = (size_t)sim->nc, n = nv + nc;
  variational* w = limb_sim_alloc(sim, 1, sizeof *w);
  if (!w) return LIMB_E_NOMEM;
  double** const part[] = {&w->M, &w->C,     &w->n_q, &w->n_v,        &w->xi,         &w->P,         &w->Q,    &w->mu,
                           &w->d, &w->qm,    &w->q1,  &w->Psi0,       &w->Psi,        &w->phi,       &w->rate, &w->K,
                           &w->r, &w->scale, &w->nu,  &w->past.xi[0], &w->past.xi[1], &w->past.xi[2]};
  const size_t size[] = {nv * nv, nv * nv, nv * nv, nv * nv, nv,    nv, nv, nv, nv, nq, nq,
                         nc * nv, nc * nv, nc,      nc,      n * n, n,  n,  nc, nv, nv, nv};
  for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
    if (!(*part[k] = limb_sim_alloc(sim, size[k], sizeof(double)))) return LIMB_E_NOMEM;
  }
  w->pivot = limb_sim_alloc(sim, n, sizeof *w->pivot);
  w->redundant = limb_sim_alloc(sim, nc, 1);
  w->holonomic = limb_sim_alloc(sim, nc, 1);
  if (!w->pivot || !w->redundant || !w->holonomic) return LIMB_E_NOMEM;
  sim->state = w;
  const limb_status s = sim->loops ? limb_sim_create_constraints(sim) : LIMB_OK;
  return s == LIMB_OK ? limb_sim_mark_holonomic(sim, w->holonomic) : s;
}

// ---- small algebra --------------------------------------------------------------------------------------

static void times(int n, const double* A, const double* x, double* y)
{
  for (int i = 0; i < n; i++) y[i] = limb_dot((size_t)n, A + (size_t)i * (size_t)n, x);
}

// y += A' x
static void add_transposed(int rows, int columns, const double* A, const double* x, double* y)
{
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) y[j] += A[(size_t)i * (size_t)columns + (size_t)j] * x[i];
  }
}

// ---- the middle of the step -----------------------------------------------------------------------------

// P and Q for the step xi, at qm. C v is removed from inverse dynamics, because it is not a force. Prescribed motion
// goes into copies: xi takes it to where it will be.
static limb_status middle(limb_sim* sim, variational* w, double h)
{
  const sim_point* b = &sim->begin;
  const int nv = sim->nv;
  limb_status s = limb_integrate(sim->m, b->q, w->xi, h / 2, w->qm);
  memcpy(w->q1, w->qm, (size_t)sim->nq * sizeof *w->q1);
  memcpy(w->d, w->xi, (size_t)nv * sizeof *w->d);
  if (s == LIMB_OK) s = limb_sim_load(sim, b->t + h / 2, w->q1, w->d);
  if (s == LIMB_OK) s = limb_mass_matrix(sim->d, w->qm, w->M);
  if (s == LIMB_OK) s = limb_coriolis_matrix(sim->d, w->qm, w->xi, w->C);
  memset(w->d, 0, (size_t)nv * sizeof *w->d);
  if (s == LIMB_OK) s = limb_inverse_dynamics(sim->d, w->qm, w->xi, w->d, &sim->env, w->r);
  if (s != LIMB_OK) return s;
  sim->summary.evaluations++;
  times(nv, w->M, w->xi, w->P);
  times(nv, w->C, w->xi, w->Q);
  for (int i = 0; i < nv; i++) w->Q[i] += (sim->held[i] ? 0 : sim->x[i]) - w->r[i];
  add_transposed(nv, nv, w->C, w->xi, w->Q);
  limb_sim_add_bracket(sim, w->xi, w->P, w->Q);
  return LIMB_OK;
}

static limb_status rows_at(limb_sim* sim, double t, const double* q, limb_loop_equations out)
{
  sim->o.loops.loops.time = t;
  return limb_loop_equations_at(sim->loops, q, NULL, &sim->o.loops.loops, &out);
}

// ---- linear equations of nv + nc numbers ----------------------------------------------------------------

// Factors [J -Psi_force'; Psi_row 0], with unit rows for held velocities and redundant multipliers.
static limb_status factor(const limb_sim* sim, variational* w, const double* J, const double* Psi_force,
                          const double* Psi_row)
{
  const int nv = sim->nv, nc = sim->nc, n = nv + nc;
  memset(w->K, 0, (size_t)n * (size_t)n * sizeof *w->K);
  for (int i = 0; i < nv; i++) {
    double* row = w->K + (size_t)i * (size_t)n;
    row[i] = 1;
    if (sim->held[i]) continue;
    memcpy(row, J + (size_t)i * (size_t)nv, (size_t)nv * sizeof *row);
    for (int k = 0; k < nc; k++) row[nv + k] = -Psi_force[(size_t)k * (size_t)nv + (size_t)i];
  }
  for (int k = 0; k < nc; k++) {
    double* row = w->K + (size_t)(nv + k) * (size_t)n;
    if (w->redundant[k])
      row[nv + k] = 1;
    else
      memcpy(row, Psi_row + (size_t)k * (size_t)nv, (size_t)nv * sizeof *row);
  }
  return limb_lu_factor(n, w->K, w->pivot, w->scale) ? LIMB_OK : LIMB_E_SINGULAR;
}

// Solves for the right-hand side in w->r, its first nv entries, c for the constraints, and `held` for held velocities
// (NULL: 0). The solution replaces it.
static void solve(const limb_sim* sim, variational* w, const double* c, const double* held)
{
  for (int i = 0; i < sim->nv; i++) {
    if (sim->held[i]) w->r[i] = held ? held[i] : 0;
  }
  for (int k = 0; k < sim->nc; k++) w->r[sim->nv + k] = w->redundant[k] ? 0 : c[k];
  limb_lu_solve(sim->nv + sim->nc, w->K, w->pivot, w->r);
}

// J at the first guess, into n_v. Force laws have no derivatives: M replaces J then.
static limb_status derivative(limb_sim* sim, variational* w, double h)
{
  const size_t nv = (size_t)sim->nv;
  limb_status s = middle(sim, w, h);
  if (s != LIMB_OK) return s;
  memset(w->d, 0, nv * sizeof *w->d);
  const limb_id_derivatives out = {.dtau_dq = w->n_q, .dtau_dv = w->n_v};
  s = limb_inverse_dynamics_derivatives(sim->d, w->qm, w->xi, w->d, &sim->env, &out);
  if (s == LIMB_E_UNSUPPORTED) {
    memcpy(w->n_v, w->M, nv * nv * sizeof *w->n_v);
    return LIMB_OK;
  }
  sim->summary.derivatives++;
  for (size_t i = 0; i < nv && s == LIMB_OK; i++) {
    for (size_t j = 0; j < nv; j++) {
      const double turns = w->n_v[i * nv + j] - w->C[i * nv + j] - w->C[j * nv + i];
      w->n_v[i * nv + j] = w->M[i * nv + j] + h / 2 * turns + h * h / 4 * w->n_q[i * nv + j];
    }
  }
  return s;
}

// ---- the step -------------------------------------------------------------------------------------------

// Residuals of the constraints at the end of the step (positions, over h) or in its middle (velocities), into phi.
static limb_status missing(limb_sim* sim, variational* w, double h)
{
  const sim_point* b = &sim->begin;
  limb_status s = rows_at(sim, b->t + h / 2, w->qm, (limb_loop_equations){.Psi = w->Psi, .rate = w->rate});
  if (s == LIMB_OK) s = limb_integrate(sim->m, b->q, w->xi, h, w->q1);
  if (s == LIMB_OK) s = rows_at(sim, b->t + h, w->q1, (limb_loop_equations){.residual = w->phi});
  for (int i = 0; i < sim->nc && s == LIMB_OK; i++) {
    const double slides = w->rate[i] - limb_dot((size_t)sim->nv, w->Psi + (size_t)i * (size_t)sim->nv, w->xi);
    w->phi[i] = w->holonomic[i] ? -w->phi[i] / h : slides;
  }
  return s;
}

// One iteration; *change is the largest change of xi. P and Q belong to xi before and after.
static limb_status iterate(limb_sim* sim, variational* w, double h, double* change)
{
  const int nv = sim->nv;
  const limb_status s = sim->nc ? missing(sim, w, h) : LIMB_OK;
  if (s != LIMB_OK) return s;
  limb_sim_momentum(sim, -1, w->xi, h, w->P, w->Q, w->r);
  for (int i = 0; i < nv; i++) w->r[i] = w->mu[i] - w->r[i];
  add_transposed(sim->nc, nv, w->Psi0, w->nu, w->r);
  solve(sim, w, w->phi, NULL);
  *change = 0;
  for (int i = 0; i < nv; i++) {
    w->xi[i] += w->r[i];
    *change = fmax(*change, fabs(w->r[i]));
  }
  for (int k = 0; k < sim->nc; k++) w->nu[k] += w->r[nv + k];
  sim->summary.iterations++;
  return middle(sim, w, h);
}

// Iterates until changes are rounding (of velocities; with loops, of positions over the step) or stop decreasing near
// it: forces have the rounding of positions, which dominates at rest. The next change is predicted from the last two.
static limb_status find_step(limb_sim* sim, variational* w, double h)
{
  double before = HUGE_VAL;
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    double change;
    const limb_status s = iterate(sim, w, h, &change);
    if (s != LIMB_OK) return s;
    const double positions = fmax(1, limb_largest((size_t)sim->nq, w->qm)) / h;
    const double size = limb_largest((size_t)sim->nv, w->xi) + (sim->nc ? positions : 0) + DBL_MIN;
    const double near = fmax(1e-11 * size, 16 * DBL_EPSILON * positions);
    const double next = k ? change * fmin(1, change / before) : change;
    if (next <= DBL_EPSILON * size || (change >= before && change < near)) return LIMB_OK;
    before = change;
  }
  return limb_sim_fail(sim, LIMB_E_NOCONV, "the variational method requires a step shorter than %.3g s", h);
}

// Forces that hold the held joints during the step: the defect of both momenta, over h. After the step: r has the
// multipliers at its end, n_v the momenta there.
static void find_holding(limb_sim* sim, variational* w, double h)
{
  const int nv = sim->nv;
  const double* after = w->n_v;
  double* lacking = w->n_q;
  limb_sim_momentum(sim, -1, w->xi, h, w->P, w->Q, lacking);
  add_transposed(sim->nc, nv, w->Psi0, w->nu, w->mu);
  times(nv, w->M, sim->front.v, w->d);
  for (int i = 0; i < nv; i++) lacking[i] = (lacking[i] - w->mu[i] + w->d[i] - after[i]) / h;
  for (int k = 0; k < sim->nc; k++) w->r[nv + k] /= -h;
  add_transposed(sim->nc, nv, w->Psi, w->r + nv, lacking);
  limb_sim_split_holding(sim, w->xi, lacking);
}

// v1 from mu1, on the constraint manifold.
static limb_status finish(limb_sim* sim, variational* w, double h)
{
  sim_point* f = &sim->front;
  limb_status s = limb_integrate(sim->m, sim->begin.q, w->xi, h, f->q);
  if (s == LIMB_OK) s = limb_mass_matrix(sim->d, f->q, w->M);
  if (s == LIMB_OK && sim->nc) s = rows_at(sim, f->t, f->q, (limb_loop_equations){.Psi = w->Psi, .rate = w->rate});
  if (s == LIMB_OK) s = factor(sim, w, w->M, w->Psi, w->Psi);
  if (s != LIMB_OK) return s;
  limb_sim_momentum(sim, 1, w->xi, h, w->P, w->Q, w->n_v);
  memcpy(w->r, w->n_v, (size_t)sim->nv * sizeof *w->r);
  memset(w->d, 0, (size_t)sim->nv * sizeof *w->d);
  if (sim->motion.given && (s = limb_sim_impose(sim, f->t, f->q, w->d)) != LIMB_OK) return s;
  solve(sim, w, w->rate, w->d);
  memcpy(f->v, w->r, (size_t)sim->nv * sizeof *f->v);
  for (int k = 0; k < sim->nc; k++) sim->lambda[k] = (w->nu[k] + w->r[sim->nv + k]) / h;
  if (sim->nheld) find_holding(sim, w, h);
  double power;
  sim->o.loops.loops.time = sim->begin.t + h / 2;
  s = limb_sim_power(sim, w->qm, w->xi, &power);
  f->work += h * power;
  return s;
}

// A polynomial through the last steps, if this one continues them with the same length; else v0.
static void extrapolate(const limb_sim* sim, variational* w, double h)
{
  const past* p = &w->past;
  const bool next = p->end == sim->begin.t && fabs(p->h - h) <= 1e-9 * h;
  for (int k = 0; k < sim->nv; k++) {
    const double a = p->xi[0][k], b = p->xi[1][k], c = p->xi[2][k];
    w->xi[k] = !next || p->count < 2 ? sim->begin.v[k] : p->count == 2 ? 2 * a - b : 3 * (a - b) + c;
  }
}

static void remember(const limb_sim* sim, variational* w, double h)
{
  past* p = &w->past;
  const bool next = p->end == sim->begin.t && fabs(p->h - h) <= 1e-9 * h;
  double* oldest = p->xi[2];
  p->xi[2] = p->xi[1], p->xi[1] = p->xi[0], p->xi[0] = oldest;
  memcpy(oldest, w->xi, (size_t)sim->nv * sizeof *oldest);
  p->count = !next ? 1 : p->count < 3 ? p->count + 1 : 3;
  p->end = sim->front.t, p->h = h;
}

// xi of held velocities: the displacement to where they will be.
static limb_status first_guess(limb_sim* sim, variational* w, double h)
{
  const sim_point* b = &sim->begin;
  extrapolate(sim, w, h);
  memset(w->nu, 0, (size_t)sim->nc * sizeof *w->nu);
  if (!sim->nheld) return LIMB_OK;
  memcpy(w->q1, b->q, (size_t)sim->nq * sizeof *w->q1);
  limb_status s = sim->motion.given ? limb_sim_impose(sim, b->t + h, w->q1, w->xi) : LIMB_OK;
  if (s == LIMB_OK) s = limb_difference(sim->m, b->q, w->q1, w->d);
  for (int k = 0; k < sim->nv; k++) {
    if (sim->held[k]) w->xi[k] = w->d[k] / h;
  }
  return s;
}

static limb_status step(limb_sim* sim, double t)
{
  variational* w = sim->state;
  const sim_point* b = &sim->begin;
  const double h = t - b->t;
  limb_status s = limb_mass_matrix(sim->d, b->q, w->M);
  if (s != LIMB_OK) return s;
  times(sim->nv, w->M, b->v, w->mu);
  if ((s = first_guess(sim, w, h)) != LIMB_OK) return s;
  if (sim->nc) {
    s = rows_at(sim, b->t, b->q, (limb_loop_equations){.Psi = w->Psi0});
    if (s == LIMB_OK) s = limb_sim_redundant_constraints(sim, b->t, b->q, w->redundant);
  }
  if (s == LIMB_OK) s = derivative(sim, w, h);
  if (s == LIMB_OK) s = factor(sim, w, w->n_v, w->Psi0, w->Psi0);
  if (s != LIMB_OK) return s;
  sim->front.t = t;
  if ((s = find_step(sim, w, h)) != LIMB_OK) return s;
  remember(sim, w, h);
  return finish(sim, w, h);
}

// The same start gives the same bits.
static limb_status restart(limb_sim* sim)
{
  ((variational*)sim->state)->past.count = 0;
  return LIMB_OK;
}

const sim_stepper limb_sim_variational = {LIMB_SIM_VARIATIONAL, SIM_FIXED, create, NULL, restart, step, NULL, NULL};
