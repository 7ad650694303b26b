// Descents: from a configuration down to a solution, and along solutions to the reference.
//
// A step d of the velocities minimises |e + A d|^2 + lambda |d - z|^2 between the bounds. Its free part is
//
//     d = z + A_f' y      (A_f A_f' + lambda) y = -(e + A_f z + A d_fixed)
//
// in as many unknowns as there are errors. z is zero, or with a tiny lambda the way to the reference, which makes it
// the step of Gauss and Newton onto e = 0 that ends nearest to it. A velocity that would pass a bound is fixed there,
// and the others are solved for again.
//
// Reference: T. Sugihara, 2011, for lambda = mu |e|^2; J. Nocedal, S. Wright, Numerical optimization, 2nd edition,
//            chapters 10 and 16.7.
// Cost:      kinematics, and rows^2 (nv + rows) per step, times the bounds that are met.
#include "ik/ik_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define MU_START   1e-2
#define MU_MIN     1e-9
#define MU_MAX     1e12
#define RIDGE      1e-13 // of the largest row: rows may depend on each other
#define FALL       0.3   // of the cost in WINDOW steps, or else a start is hopeless
#define STANDSTILL 1e-12 // of the cost: what a step may promise at a stationary point

enum { WINDOW = 4, APPROACHES = 200, HALVINGS = 8, CORRECTIONS = 6 };

// ---- errors and Jacobian ------------------------------------------------------------------------------------

double limb_ik_cost(const limb_ik* ik, const double* e) { return limb_dot((size_t)ik->rows, e, e); }

// Errors at q, and with A their derivatives.
static bool evaluate(const limb_ik* ik, limb_ik_space* s, const double* q, double* e, double* A)
{
  if (limb_kinematics(s->d, q, NULL, NULL) != LIMB_OK) return false;
  int row = 0;
  s->angle = s->position = s->gap = 0;
  for (int k = 0; k < ik->ngoal; k++) {
    const limb_ik_goal* g = &ik->goal[k];
    sp_pose at;
    if (limb_frame_pose(s->d, g->task.frame, &at) != LIMB_OK ||
        limb_frame_jacobian(s->d, g->task.frame, LIMB_ALIGNED, s->J) != LIMB_OK)
      return false;
    const limb_ik_error x = limb_ik_goal_error(g, &s->target[k], &at);
    s->angle = fmax(s->angle, x.angle);
    s->position = fmax(s->position, x.position);
    row += limb_ik_goal_rows(g, &s->target[k], &at, ik->nv, s->J, e + row, A + (ptrdiff_t)row * ik->nv);
  }
  if (!s->loops) return true;
  limb_loop_options o = limb_default_loop_options();
  o.time = ik->options.time;
  const limb_loop_equations loops = {.residual = e + row, .Psi = A + (ptrdiff_t)row * ik->nv};
  if (limb_loop_equations_at(s->loops, q, NULL, &o, &loops) != LIMB_OK) return false;
  s->gap = limb_largest((size_t)ik->nc, e + row);
  for (int i = row; i < ik->rows; i++) {
    const double weight = ik->closes[i - row] ? IK_LOOP_WEIGHT : 0;
    e[i] *= weight;
    for (int j = 0; j < ik->nv; j++) A[(ptrdiff_t)i * ik->nv + j] *= weight;
  }
  return true;
}

static bool is_solved(const limb_ik* ik, const limb_ik_space* s)
{
  const double tolerance = ik->options.tolerance;
  return s->angle <= tolerance && s->position <= tolerance && s->gap <= tolerance;
}

// ---- a step -------------------------------------------------------------------------------------------------

// (A_f A_f' + lambda) y = -(e + A d) for the d in s->step, then d += A_f' y. False: not positive definite.
static bool solve_step(const limb_ik* ik, limb_ik_space* s, double lambda)
{
  const int rows = ik->rows, nv = ik->nv;
  for (int i = 0; i < rows; i++) {
    const double* a = s->A + (ptrdiff_t)i * nv;
    double* f = s->Af + (ptrdiff_t)i * nv;
    for (int j = 0; j < nv; j++) f[j] = s->fixed[j] ? 0 : a[j];
    s->y[i] = -s->e[i] - limb_dot((size_t)nv, a, s->step);
  }
  double largest = 0;
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k <= i; k++)
      s->B[i * rows + k] = limb_dot((size_t)nv, s->Af + (ptrdiff_t)i * nv, s->Af + (ptrdiff_t)k * nv);
    largest = fmax(largest, s->B[i * rows + i]);
  }
  const double ridge = lambda + RIDGE * rows * largest + 1e-300;
  for (int i = 0; i < rows; i++) s->B[i * rows + i] += ridge;
  if (!limb_cholesky(rows, s->B)) return false;
  limb_cholesky_solve(rows, s->B, s->y);
  for (int i = 0; i < rows; i++) {
    const double* f = s->Af + (ptrdiff_t)i * nv;
    for (int j = 0; j < nv; j++) s->step[j] += f[j] * s->y[i];
  }
  return true;
}

// Fixes what passes a bound there; false if nothing does.
static bool meet_bounds(const limb_ik* ik, limb_ik_space* s)
{
  bool met = false;
  for (int j = 0; j < ik->nv; j++) {
    if (s->fixed[j] || ik->coordinate[j] < 0) continue;
    const double x = s->q[ik->coordinate[j]], d = s->step[j];
    if (x + d >= ik->lower[j] && x + d <= ik->upper[j]) continue;
    s->fixed[j] = 1;
    s->step[j] = (x + d < ik->lower[j] ? ik->lower[j] : ik->upper[j]) - x;
    met = true;
  }
  return met;
}

// The step in s->step; pull: z, or NULL for zero.
static bool take_step(const limb_ik* ik, limb_ik_space* s, double lambda, const double* pull, bool limited)
{
  const size_t nv = (size_t)ik->nv;
  memcpy(s->fixed, ik->held, nv);
  memset(s->step, 0, nv * sizeof *s->step);
  for (int round = 0; round <= ik->nv; round++) {
    for (size_t j = 0; j < nv; j++) {
      if (!s->fixed[j]) s->step[j] = pull ? pull[j] : 0;
    }
    if (!solve_step(ik, s, lambda)) return false;
    if (!limited || !meet_bounds(ik, s)) break;
  }
  return true;
}

static bool advance(const limb_ik* ik, const limb_ik_space* s, double share, bool limited, double* q)
{
  if (ik->flat) {
    for (int k = 0; k < ik->nq; k++) q[k] = s->q[k] + share * s->step[k];
  } else if (limb_integrate(ik->m, s->q, s->step, share, q) != LIMB_OK) {
    return false;
  }
  if (limited) limb_ik_clamp(ik, q);
  return true;
}

// |e + A d|^2
static double promised(const limb_ik* ik, const limb_ik_space* s)
{
  double sum = 0;
  for (int i = 0; i < ik->rows; i++) {
    const double x = s->e[i] + limb_dot((size_t)ik->nv, s->A + (ptrdiff_t)i * ik->nv, s->step);
    sum += x * x;
  }
  return sum;
}

// ---- descent ------------------------------------------------------------------------------------------------

// Errors and Jacobian of the trial become those of q.
static void accept(limb_ik_space* s)
{
  double* const q = s->q;
  double* const e = s->e;
  double* const A = s->A;
  s->q = s->q_try, s->q_try = q;
  s->e = s->e_try, s->e_try = e;
  s->A = s->A_try, s->A_try = A;
}

// What lambda becomes after a step that fell by `fall` where `hope` was promised.
static double next_mu(double mu, double fall, double hope)
{
  if (fall > 0.75 * hope) return fmax(mu * 0.1, MU_MIN);
  return fall < 0.25 * hope ? fmin(mu * 8, MU_MAX) : mu;
}

limb_ik_end limb_ik_descend(const limb_ik* ik, limb_ik_space* s, const limb_ik_descent* how)
{
  if (how->limited) limb_ik_clamp(ik, s->q);
  if (!evaluate(ik, s, s->q, s->e, s->A)) return IK_HOPELESS;
  double cost = limb_ik_cost(ik, s->e), mark = cost, mu = MU_START;
  for (int k = 0; k < how->max_iterations; k++) {
    if (is_solved(ik, s)) return IK_SOLVED;
    s->iterations++;
    if (!how->patient && k % WINDOW == WINDOW - 1) {
      if (cost > FALL * mark) return IK_HOPELESS;
      mark = cost;
    }
    if (!take_step(ik, s, mu * cost, NULL, how->limited)) return IK_STATIONARY;
    const double hope = cost - promised(ik, s);
    if (!(hope > STANDSTILL * cost) || mu >= MU_MAX) return IK_STATIONARY;
    const double angle = s->angle, position = s->position, gap = s->gap;
    const bool fine = advance(ik, s, 1, how->limited, s->q_try) && evaluate(ik, s, s->q_try, s->e_try, s->A_try);
    const double next = fine ? limb_ik_cost(ik, s->e_try) : HUGE_VAL;
    mu = next_mu(mu, cost - next, hope);
    if (next < cost) {
      accept(s);
      cost = next;
    } else {
      s->angle = angle, s->position = position, s->gap = gap;
    }
  }
  return is_solved(ik, s) ? IK_SOLVED : IK_EXHAUSTED;
}

// ---- the reference ------------------------------------------------------------------------------------------

double limb_ik_distance(const limb_ik* ik, limb_ik_space* s, const double* a, const double* b)
{
  if (limb_difference(ik->m, b, a, s->step) != LIMB_OK) return HUGE_VAL;
  return sqrt(limb_dot((size_t)ik->nv, s->step, s->step));
}

// One more step onto the solution, so that rounding is all that hides which of two is nearer to the reference.
static void refine(const limb_ik* ik, limb_ik_space* s)
{
  const double cost = limb_ik_cost(ik, s->e), angle = s->angle, position = s->position, gap = s->gap;
  if (take_step(ik, s, 0, NULL, ik->limited) && advance(ik, s, 1, ik->limited, s->q_try) &&
      evaluate(ik, s, s->q_try, s->e_try, s->A_try) && limb_ik_cost(ik, s->e_try) < cost) {
    accept(s);
  } else {
    s->angle = angle, s->position = position, s->gap = gap;
  }
}

// From the solution s->q_best towards the reference, by a share of the step: 1 if a solution nearer than `distance` was
// found, which s->q and s->q_best then are.
static bool move_closer(const limb_ik* ik, limb_ik_space* s, double* distance)
{
  const limb_ik_descent correct = {.max_iterations = CORRECTIONS, .patient = true, .limited = ik->limited};
  const size_t nq = (size_t)ik->nq;
  for (int k = 0; k < HALVINGS; k++) {
    const double share = 1.0 / (1 << k);
    memcpy(s->q, s->q_best, nq * sizeof *s->q);
    if (!evaluate(ik, s, s->q, s->e, s->A) || !take_step(ik, s, 0, s->pull, ik->limited) ||
        !advance(ik, s, share, ik->limited, s->q_try))
      return false;
    memcpy(s->q, s->q_try, nq * sizeof *s->q);
    if (limb_ik_descend(ik, s, &correct) != IK_SOLVED) continue;
    refine(ik, s);
    const double reached = limb_ik_distance(ik, s, ik->options.reference, s->q);
    if (!(reached < *distance)) continue;
    *distance = reached;
    memcpy(s->q_best, s->q, nq * sizeof *s->q);
    return true;
  }
  return false;
}

void limb_ik_approach(const limb_ik* ik, limb_ik_space* s)
{
  const size_t nq = (size_t)ik->nq, nv = (size_t)ik->nv;
  refine(ik, s);
  memcpy(s->q_best, s->q, nq * sizeof *s->q);
  double distance = limb_ik_distance(ik, s, ik->options.reference, s->q);
  for (int k = 0; k < APPROACHES; k++) {
    if (limb_difference(ik->m, s->q_best, ik->options.reference, s->pull) != LIMB_OK) break;
    for (size_t j = 0; j < nv; j++) s->pull[j] *= !ik->held[j];
    if (!move_closer(ik, s, &distance)) break;
  }
  memcpy(s->q, s->q_best, nq * sizeof *s->q);
  (void)evaluate(ik, s, s->q, s->e, s->A);
}
