// Dynamics in task space.
//
// Reference: Lynch and Park 2017, section 9.6, (9.90)-(9.99), with (9.95) corrected (J^-T does not belong to b there);
//            Ghosal 2010, (22), (23); O. Khatib, A unified approach for motion and force control of robot
//            manipulators: the operational space formulation, IEEE Journal of Robotics and Automation 3,
//            1987; Y. Nakamura, H. Hanafusa, Inverse kinematic solutions with singularity robustness for
//            robot manipulator control, 1986 (damping).
// Cost:      O(n depth k + nv k^2 + k^3); N is O(nv^2 k).
//
//   paper          code     meaning
//   J              J        k x nv
//   M^-1 J'        B        k x nv, its transpose: B_r is the acceleration under a unit force along row r
//   J M^-1 J'      A        mobility, k x k
//   A + delta      L        its Cholesky factor, so that Lambda x is a solve with it
//   Jbar' x        L^-1 (B x)
//
// The eigenvalues l of A decide. The smallest damping that keeps the condition c is
//   (l_1 + delta) / (l_k + delta) = c,   delta = (l_1 - c l_k) / (c - 1)
//
// A row that ought to be zero comes out as rounding where lengths cancel: the radial velocity of a stretched
// arm, the velocity of a point on the axis it turns about. A single row of that kind has no other row to be
// small against, and its inverse would be garbage. Rows whose largest entry is below the floor are therefore
// set to zero:
//
//   angular rows   ROUNDING w              w  largest entry of the frame's three angular rows
//   linear rows    ROUNDING (v + reach w)  v  largest entry of the frame's three linear rows
//
// where reach is the largest coordinate of a point on the way from the frame to the world: positions are
// known to eps times that.

#include "limb/task.h"

#include "base/numeric.h"
#include "base/status.h"
#include "dynamics/environment.h"
#include "kinematics/kinematics_impl.h"
#include "linalg/dense.h"
#include "model/loop_calls.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- tasks as rows ------------------------------------------------------------------------------------------

#define ROUNDING 1e-14

static int directions_of(const limb_task* t)
{
  int n = 0;
  for (unsigned bits = t->directions; bits; bits &= bits - 1) n++;
  return n;
}

int limb_task_rows(const limb_task_stack* tasks)
{
  if (!tasks || tasks->count < 0 || (tasks->count > 0 && !tasks->task)) return -1;
  int rows = 0;
  for (int i = 0; i < tasks->count; i++) {
    if (tasks->task[i].directions & ~(unsigned)LIMB_TWIST || rows > INT_MAX - 6) return -1;
    rows += directions_of(&tasks->task[i]);
  }
  return rows;
}

static double component(sp_motion a, int c)
{
  const double x[6] = {a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
  return x[c];
}

// Largest coordinate in the world of the frame and of the links that move it.
static double reach_of(const limb_model* m, const limb_site* s, const sp_pose* X)
{
  double reach = limb_largest3(limb_site_pose(s, X).p);
  for (int i = s->link; i >= 0; i = m->link[i].parent) reach = fmax(reach, limb_largest3(X[i].p));
  return reach;
}

// Sizes at which a row of the frame's Jacobian, angular and linear, is rounding.
static void floors_of(const limb_data* d, const limb_task* t, const sp_motion* J, double floor[2])
{
  const limb_site site = limb_site_of(d->m, t->frame);
  double w = 0, v = 0;
  for (int k = 0; k < d->m->nv; k++) w = fmax(w, limb_largest3(J[k].w)), v = fmax(v, limb_largest3(J[k].v));
  floor[0] = ROUNDING * w;
  floor[1] = ROUNDING * v + ROUNDING * reach_of(d->m, &site, d->own.X) * w;
}

// Row c of the columns.
static void take_row(int nv, const sp_motion* J, int c, double floor, double* row)
{
  double size = 0;
  for (int k = 0; k < nv; k++) {
    row[k] = component(J[k], c);
    size = fmax(size, fabs(row[k]));
  }
  if (size > floor) return;
  for (int k = 0; k < nv; k++) row[k] = 0;
}

// J and Jdot v of the motion in d->own, which must hold poses and velocities of the state q, v. LIMB_E_ARG for a
// frame or reference that does not exist, LIMB_E_NONFINITE when a number overflows.
//   columns  6 nv scratch;   J  k x nv;   Jdot_v  k, or NULL
static limb_status task_jacobian(const limb_data* d, const double* q, const double* v, const limb_task_stack* tasks,
                                 double* columns, double* J, double* Jdot_v)
{
  // the kinematics calls, as if limb_kinematics had been called with the state
  limb_data view = *d;
  view.motion = d->own;
  view.q = q, view.v = v;
  view.have = LIMB_HAS_POSES | LIMB_HAS_VELOCITIES;
  sp_motion* all = (sp_motion*)columns;
  const int nv = d->m->nv;
  ptrdiff_t row = 0;
  for (int i = 0; i < tasks->count; i++) {
    const limb_task* t = &tasks->task[i];
    sp_motion drift;
    double floor[2];
    limb_status s = limb_frame_jacobian(&view, t->frame, t->ref, all);
    if (s == LIMB_OK) s = limb_frame_jacobian_rate_times_v(&view, t->frame, t->ref, &drift);
    if (s != LIMB_OK) return s;
    floors_of(d, t, all, floor);
    const bool finite = limb_finite(6 * (ptrdiff_t)nv, columns) && limb_finite(2, floor) && limb_finite3(drift.w) &&
                        limb_finite3(drift.v);
    if (!finite) return LIMB_E_NONFINITE;
    for (int c = 0; c < 6; c++) {
      if (!(t->directions & 1u << c)) continue;
      take_row(nv, all, c, floor[c / 3], J + row * nv);
      if (Jdot_v) Jdot_v[row] = component(drift, c);
      row++;
    }
  }
  return LIMB_OK;
}

#define MAX_CONDITION 1e13

typedef struct parts {
  int k, nv;
  double *J, *B;            // k x nv
  double *A, *L;            // k x k
  double *Jdot_v, *x, *eig; // k
  double* columns;          // 6 nv: scratch, also for forces
} parts;

size_t limb_task_work(const limb_model* m, int rows)
{
  if (!m || rows < 0) return 0;
  const size_t k = (size_t)rows, nv = (size_t)m->nv;
  // the sum below is less than 2 (k + 3) (k + nv + 1)
  if (k + 3 > SIZE_MAX / sizeof(double) / 2 / (k + nv + 1)) return 0;
  return 1 + 2 * k * nv + 2 * k * k + 3 * k + 6 * nv;
}

static parts lay_out(const limb_model* m, int rows, double* work)
{
  const ptrdiff_t k = rows, nv = m->nv;
  parts p = {.k = rows, .nv = m->nv};
  p.J = work, p.B = p.J + k * nv;
  p.A = p.B + k * nv, p.L = p.A + k * k;
  p.Jdot_v = p.L + k * k, p.x = p.Jdot_v + k, p.eig = p.x + k;
  p.columns = p.eig + k;
  return p;
}

limb_task_options limb_default_task_options(void)
{
  return (limb_task_options){.size = sizeof(limb_task_options), .condition_limit = 1e12};
}

static limb_status read_options(const limb_task_options* given, limb_task_options* out)
{
  *out = limb_default_task_options();
  const size_t min_size = offsetof(limb_task_options, raise_damping) + sizeof out->raise_damping;
  if (given) {
    const limb_status s = limb_sized_read(out, sizeof *out, given, min_size);
    if (s != LIMB_OK) return s;
  }
  if (!limb_finite(1, &out->condition_limit) || !limb_finite(1, &out->damping)) return LIMB_E_NONFINITE;
  if (out->condition_limit <= 1 || out->condition_limit > MAX_CONDITION) return LIMB_E_ARG;
  return out->damping >= 0 ? LIMB_OK : LIMB_E_ARG;
}

// y_r = row_r . x
static void rows_times(const parts* p, const double* rows, const double* x, double* y)
{
  const size_t nv = (size_t)p->nv;
  for (ptrdiff_t r = 0; r < p->k; r++) y[r] = limb_dot(nv, rows + r * p->nv, x);
}

static void copy(double* to, const double* from, ptrdiff_t n)
{
  if (to) memcpy(to, from, (size_t)n * sizeof *to);
}

// ---- J, and what is known without an inverse ----------------------------------------------------------------

// Singular values; A is destroyed.
static limb_status singular_values(int rows, int columns, double* A, double* sigma)
{
  if (!limb_singular_values(rows, columns, A, sigma)) return LIMB_E_NOCONV;
  return limb_finite(rows, sigma) ? LIMB_OK : LIMB_E_NONFINITE;
}

static limb_status kinematic_part(const limb_data* d, const double* q, const double* v, const limb_task_stack* tasks,
                                  const parts* p, const limb_task_space* out)
{
  const limb_status s = task_jacobian(d, q, v, tasks, p->columns, p->J, p->Jdot_v);
  if (s != LIMB_OK) return s;
  const ptrdiff_t size = (ptrdiff_t)p->k * p->nv;
  copy(out->J, p->J, size);
  copy(out->Jdot_v, p->Jdot_v, p->k);
  if (out->xdot) rows_times(p, p->J, v, out->xdot);
  if (out->xdot && !limb_finite(p->k, out->xdot)) return LIMB_E_NONFINITE;
  copy(p->B, p->J, size);
  return out->sigma ? singular_values(p->k, p->nv, p->B, out->sigma) : LIMB_OK;
}

// B = J M^-1, A = B J' and its eigenvalues, largest first.
static limb_status mobility(limb_data* d, const double* q, const parts* p)
{
  const limb_status s = limb_mass_matrix_solve(d, q, p->k, p->J, p->B);
  if (s != LIMB_OK) return s;
  const size_t nv = (size_t)p->nv;
  for (ptrdiff_t i = 0, k = p->k; i < k; i++) {
    for (ptrdiff_t j = 0; j <= i; j++)
      p->A[i * k + j] = p->A[j * k + i] = limb_dot(nv, p->B + i * p->nv, p->J + j * p->nv);
  }
  const ptrdiff_t size = (ptrdiff_t)p->k * p->k;
  if (!limb_finite(size, p->A)) return LIMB_E_NONFINITE;
  copy(p->L, p->A, size);
  return singular_values(p->k, p->k, p->L, p->eig);
}

// ---- the inverse, damped if need be -------------------------------------------------------------------------

static double ratio(double largest, double smallest) { return smallest > 0 ? largest / smallest : HUGE_VAL; }

static limb_status invert(const parts* p, const limb_task_options* o, limb_task_space* out)
{
  const double largest = p->k > 0 ? p->eig[0] : 1;
  double delta = o->damping, smallest = p->k > 0 ? p->eig[p->k - 1] : 1;
  if (p->k > p->nv) smallest = 0; // dependent rows, and no rounding about it
  out->condition = ratio(largest, smallest);
  if (ratio(largest + delta, smallest + delta) > o->condition_limit) {
    if (!o->raise_damping) return LIMB_E_SINGULAR;
    delta = (largest - o->condition_limit * smallest) / (o->condition_limit - 1);
  }
  copy(p->L, p->A, (ptrdiff_t)p->k * p->k);
  for (ptrdiff_t i = 0; i < p->k; i++) p->L[i * p->k + i] += delta;
  if (!limb_cholesky(p->k, p->L)) return LIMB_E_SINGULAR;
  out->damping = delta;
  return LIMB_OK;
}

// Row i of Jbar is Lambda times column i of B.
static void consistent_inverse(const parts* p, double* Jbar)
{
  for (ptrdiff_t i = 0, k = p->k; i < p->nv; i++) {
    for (ptrdiff_t r = 0; r < k; r++) Jbar[i * k + r] = p->B[r * p->nv + i];
    limb_cholesky_solve(p->k, p->L, Jbar + i * k);
  }
}

// Row i of N is e_i - (row i of Jbar) J.
static void null_space(const parts* p, double* N)
{
  const ptrdiff_t nv = p->nv;
  for (ptrdiff_t i = 0; i < nv; i++) {
    double* row = N + i * nv;
    for (ptrdiff_t r = 0; r < p->k; r++) p->x[r] = p->B[r * nv + i];
    limb_cholesky_solve(p->k, p->L, p->x);
    for (ptrdiff_t j = 0; j < nv; j++) row[j] = i == j;
    for (ptrdiff_t r = 0; r < p->k; r++) {
      for (ptrdiff_t j = 0; j < nv; j++) row[j] -= p->x[r] * p->J[r * nv + j];
    }
  }
}

// ---- forces -------------------------------------------------------------------------------------------------

// mu = Jbar' (h - g) - Lambda Jdot v, with h - g the bias without gravity.
static limb_status velocity_forces(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                   const parts* p, double* mu)
{
  limb_environment weightless = *env;
  weightless.gravity = sp_v3(0, 0, 0);
  const limb_status s = limb_bias_forces(d, q, v, &weightless, p->columns);
  if (s != LIMB_OK) return s;
  rows_times(p, p->B, p->columns, mu);
  for (int r = 0; r < p->k; r++) mu[r] -= p->Jdot_v[r];
  limb_cholesky_solve(p->k, p->L, mu);
  return LIMB_OK;
}

// p = Jbar' g
static limb_status gravity_forces(limb_data* d, const double* q, const limb_environment* env, const parts* p,
                                  double* out)
{
  const limb_status s = limb_gravity_forces(d, q, env, p->columns);
  if (s != LIMB_OK) return s;
  rows_times(p, p->B, p->columns, out);
  limb_cholesky_solve(p->k, p->L, out);
  return LIMB_OK;
}

// other = Jbar' (friction + springs - sum J' wrench): the last two are what holds the robot at rest where
// there is no gravity. Force laws see the robot as it moves, base included.
static limb_status other_forces(limb_data* d, const double* q, const double* v, const limb_environment* env,
                                const parts* p, double* out)
{
  const limb_model* m = d->m;
  double *friction = p->columns, *hold = p->columns + p->nv;
  limb_call_environment x;
  limb_status s = limb_friction_forces_at(d, q, v, env, friction);
  if (s == LIMB_OK) s = limb_enter(d, env, q, v, &x);
  if (s != LIMB_OK) return s;
  limb_enter_void(d);
  limb_kernels_of(d)->inverse_dynamics(m, m->k64, &d->ws, q, d->zeros, d->zeros, &x.terms, x.wrench, hold);
  limb_leave(d, &x);
  for (int i = 0; i < p->nv; i++) hold[i] += friction[i];
  if (d->loops) s = m->loop_calls->reduce(d->loops, q, 1, hold);
  if (s != LIMB_OK) return s;
  rows_times(p, p->B, hold, out);
  limb_cholesky_solve(p->k, p->L, out);
  return LIMB_OK;
}

// eta = mu + p; the two go to scratch when they are not requested.
static limb_status forces(limb_data* d, const double* q, const double* v, const limb_environment* env, const parts* p,
                          const limb_task_space* out)
{
  double *mu = out->mu ? out->mu : p->x, *pull = out->p ? out->p : p->eig;
  limb_status s = LIMB_OK;
  if (out->mu || out->eta) s = velocity_forces(d, q, v, env, p, mu);
  if (s == LIMB_OK && (out->p || out->eta)) s = gravity_forces(d, q, env, p, pull);
  if (s == LIMB_OK && out->other) s = other_forces(d, q, v, env, p, out->other);
  for (int r = 0; s == LIMB_OK && out->eta && r < p->k; r++) out->eta[r] = mu[r] + pull[r];
  return s;
}

static bool all_finite(const parts* p, const limb_task_space* out)
{
  const double* const vectors[] = {out->mu, out->p, out->eta, out->other};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    if (vectors[i] && !limb_finite(p->k, vectors[i])) return false;
  }
  const ptrdiff_t k = p->k, nv = p->nv;
  return (!out->Lambda || limb_finite(k * k, out->Lambda)) && (!out->Jbar || limb_finite(nv * k, out->Jbar)) &&
         (!out->N || limb_finite(nv * nv, out->N));
}

// ---- entry points -------------------------------------------------------------------------------------------

limb_status limb_task_dynamics(limb_data* d, const double* q, const double* v, const limb_environment* env,
                               const limb_task_stack* tasks, const limb_task_options* options, double* work,
                               limb_task_space* out)
{
  const int rows = limb_task_rows(tasks);
  if (!d || !q || !v || !work || !out || rows < 0) return LIMB_E_ARG;
  out->rows = rows, out->condition = HUGE_VAL, out->damping = 0;
  limb_environment e;
  limb_task_options o;
  const parts p = lay_out(d->m, rows, work);
  limb_status s = read_options(options, &o);
  if (s == LIMB_OK) s = limb_environment_read(d->m, env, &e);
  if (s == LIMB_OK) s = limb_link_kinematics(d, q, v, NULL, &d->own);
  if (s == LIMB_OK) s = kinematic_part(d, q, v, tasks, &p, out);
  if (s == LIMB_OK) s = mobility(d, q, &p);
  if (s != LIMB_OK) return s;
  copy(out->mobility, p.A, (ptrdiff_t)rows * rows);
  s = invert(&p, &o, out);
  if (s != LIMB_OK) return s;
  if (out->Lambda) limb_cholesky_inverse(rows, p.L, out->Lambda);
  if (out->Jbar) consistent_inverse(&p, out->Jbar);
  if (out->N) null_space(&p, out->N);
  s = forces(d, q, v, &e, &p, out);
  if (s != LIMB_OK) return s;
  return all_finite(&p, out) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_task_acceleration(limb_data* d, const double* q, const double* v, const double* tau,
                                   const limb_environment* env, const limb_task_stack* tasks, double* work,
                                   double* xddot)
{
  const int rows = limb_task_rows(tasks);
  if (!d || !q || !v || !tau || !work || !xddot || rows < 0) return LIMB_E_ARG;
  const parts p = lay_out(d->m, rows, work);
  limb_status s = limb_link_kinematics(d, q, v, NULL, &d->own);
  if (s == LIMB_OK) s = task_jacobian(d, q, v, tasks, p.columns, p.J, p.Jdot_v);
  if (s == LIMB_OK) s = limb_forward_dynamics(d, q, v, tau, env, p.columns);
  if (s != LIMB_OK) return s;
  // xddot = J a + Jdot v
  rows_times(&p, p.J, p.columns, xddot);
  for (int r = 0; r < rows; r++) xddot[r] += p.Jdot_v[r];
  return limb_finite(rows, xddot) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_task_torque(const limb_model* m, const limb_task_space* s, const double* F, const double* tau0,
                             double* tau)
{
  if (!m || !s || s->rows < 0 || !tau || (s->rows > 0 && !F)) return LIMB_E_ARG;
  if (s->rows > 0 && (!s->J || (tau0 && !s->Jbar))) return LIMB_E_ARG;
  const ptrdiff_t k = s->rows, nv = m->nv;
  for (ptrdiff_t i = 0; i < nv; i++) tau[i] = tau0 ? tau0[i] : 0;
  // tau = tau0 + J' (F - Jbar' tau0)
  for (ptrdiff_t r = 0; r < k; r++) {
    double f = F[r];
    for (ptrdiff_t i = 0; tau0 && i < nv; i++) f -= s->Jbar[i * k + r] * tau0[i];
    for (ptrdiff_t i = 0; i < nv; i++) tau[i] += s->J[r * nv + i] * f;
  }
  return limb_finite(nv, tau) ? LIMB_OK : LIMB_E_NONFINITE;
}
