// The load of a gripper from the momentum observer: recursive least squares in constant memory.
//
// Reference: C. Atkeson, C. An, J. Hollerbach, Estimation of inertial parameters of manipulator loads and links, Int.
//            J. Robotics Research 5(3), 1986; A. De Luca and others 2006 (observer.c).
// Cost:      that of the observer and some 600 nv operations per step.
//
//   Y_p phi = J' (I A + V x* I V - I g) = d/dt (J' I V) - Jdot' I V + J' (V x* I V - I g),   all in axes of the frame
//   F x:  y' = K (x - y), y(0) = 0.   Of the observer r = -F (tau - Y_robot theta), so that
//   -r = F Y_p phi + F (offset, v, sign v) of each joint + noise
//
// Of each joint the sums of squares of [F Y_p, terms, -r] are kept, every 2 / K seconds, when the noise has forgotten
// what it was, and products of consecutive rows. An estimate eliminates the terms of each joint, and weighs joints by
// the variance of their residuals, with a factor for what correlation is left:
//
//   phi = (sum S_j / s_j^2)^-1 sum z_j / s_j^2,   s_j^2 = |e_j|^2 / rows (1 + c) / (1 - c)
#include "estimate/physical_impl.h"

#include "base/numeric.h"
#include "base/status.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PHI = LIMB_BODY_PARAMETERS, EXTRA = 3, WIDE = PHI + EXTRA + 1, SQUARE = WIDE * WIDE, ROUNDS = 5, FEWEST = 15 };

static const double SPACING = 2;      // of rows, in 1 / gain
static const double HIDDEN = 1e-10;   // what is left of a squared column beside the others
static const double COULOMB_AT = 200; // Coulomb friction by tanh(200 v): noise of a joint at rest hardly turns it round

struct limb_payload {
  limb_payload_options o;
  limb_environment env;
  limb_observer observer;
  int nv, frame;
  bool begun;
  double since; // time since the last row
  uint64_t samples;
  double rows;          // with regard to memory
  double *integral, *y; // nv x PHI: of the observer of the columns
  double* term;         // nv x EXTRA: F of offset, v, sign v
  double *row, *last;   // nv x WIDE: the row at hand, the one before
  bool has_last;
  double *sums, *lagged; // nv x SQUARE
  double *P, *rate;      // nv x PHI
  sp_motion *J, *dJ;     // nv
};

limb_payload_options limb_default_payload_options(void)
{
  return (limb_payload_options){
    .size = sizeof(limb_payload_options), .friction = LIMB_IDENT_OFFSET | LIMB_PAYLOAD_FRICTION, .gain = 20};
}

// ---- creation ---------------------------------------------------------------------------------------------

// Numbers of an estimator; with a block their places.
static size_t place(limb_payload* x, double* block)
{
  const size_t nv = (size_t)x->nv, motions = sizeof(sp_motion) / sizeof(double) * nv;
  limb_observer* o = &x->observer;
  double* place[14];
  const size_t size[14] = {nv,          nv,        limb_observer_work(limb_data_model(o->d)),
                           nv * PHI,    nv * PHI,  nv * EXTRA,
                           nv * WIDE,   nv * WIDE, nv * SQUARE,
                           nv * SQUARE, nv * PHI,  nv * PHI,
                           motions,     motions};
  size_t used = 0;
  for (int k = 0; k < 14; k++) place[k] = block ? block + used : NULL, used += size[k];
  o->integral = place[0], o->r = place[1], o->work = place[2];
  x->integral = place[3], x->y = place[4], x->term = place[5], x->row = place[6], x->last = place[7];
  x->sums = place[8], x->lagged = place[9], x->P = place[10], x->rate = place[11];
  x->J = (sp_motion*)place[12], x->dJ = (sp_motion*)place[13];
  return used;
}

// A frame that joints move.
static bool moves(const limb_model* m, int frame)
{
  limb_frame_info f;
  limb_body_info body;
  return limb_get_frame(m, frame, &f) == LIMB_OK && limb_get_body(m, f.body, &body) == LIMB_OK && body.moved_by > 0;
}

static limb_status create(limb_payload* x, const limb_model* m, int frame, const limb_payload_options* options)
{
  x->o = limb_default_payload_options();
  limb_status s = options ? limb_sized_read(&x->o, sizeof x->o, options, sizeof x->o) : LIMB_OK;
  if (s != LIMB_OK) return s;
  const limb_payload_options* o = &x->o;
  const bool fine = !(o->friction & ~(unsigned)(LIMB_IDENT_OFFSET | LIMB_PAYLOAD_FRICTION)) && o->gain > 0 &&
                    isfinite(o->gain) && isfinite(o->memory) &&
                    (o->memory == 0 || o->memory * o->gain > FEWEST * SPACING);
  if (!fine || !moves(m, frame)) return LIMB_E_ARG;
  if (limb_loop_count(m) > 0 || limb_nv(m) > LIMB_DERIVATIVES_MAX) return LIMB_E_UNSUPPORTED;
  x->env = o->env ? *o->env : limb_default_environment(m);
  x->env.nwrench = 0, x->env.wrench = NULL, x->env.nlaw = 0, x->env.law = NULL, x->o.env = NULL;
  x->nv = limb_nv(m), x->frame = frame;
  s = limb_data_create(m, NULL, &x->observer.d);
  if (s != LIMB_OK) return s;
  double* block = calloc(place(x, NULL), sizeof *block);
  if (!block) return LIMB_E_NOMEM;
  (void)place(x, block);
  x->observer.env = &x->env, x->observer.gain = o->gain;
  return LIMB_OK;
}

limb_status limb_payload_create(const limb_model* m, int frame, const limb_payload_options* options, limb_payload** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!m) return LIMB_E_ARG;
  limb_payload* x = calloc(1, sizeof *x);
  if (!x) return LIMB_E_NOMEM;
  const limb_status s = create(x, m, frame, options);
  if (s == LIMB_OK)
    *out = x;
  else
    limb_payload_destroy(x);
  return s;
}

void limb_payload_destroy(limb_payload* x)
{
  if (!x) return;
  limb_data_destroy(x->observer.d);
  free(x->observer.integral); // the whole block
  free(x);
}

void limb_payload_gap(limb_payload* x)
{
  if (x) x->begun = false;
}

void limb_payload_reset(limb_payload* x)
{
  if (!x) return;
  const size_t size = (size_t)x->nv * SQUARE * sizeof(double);
  memset(x->sums, 0, size), memset(x->lagged, 0, size);
  x->begun = false, x->samples = 0, x->rows = 0;
}

// ---- a step -----------------------------------------------------------------------------------------------

// Columns of I x by the ten parameters: entry k is (m; f) for parameter k alone.
static void inertia_columns(sp_motion x, sp_force out[PHI])
{
  const sp_vec3 w = x.w, v = x.v, e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none = {0, 0, 0};
  out[0] = sp_force_make(none, v);
  for (int k = 0; k < 3; k++) out[1 + k] = sp_force_make(sp_cross3(e[k], v), sp_cross3(w, e[k]));
  out[4] = sp_force_make(sp_v3(w.x, 0, 0), none), out[5] = sp_force_make(sp_v3(w.y, w.x, 0), none);
  out[6] = sp_force_make(sp_v3(w.z, 0, w.x), none), out[7] = sp_force_make(sp_v3(0, w.y, 0), none);
  out[8] = sp_force_make(sp_v3(0, w.z, w.y), none), out[9] = sp_force_make(sp_v3(0, 0, w.z), none);
}

// P = J' I V and rate = -Jdot' I V + J' (V x* I V - I g), nv x PHI each.
static limb_status columns(limb_payload* x, const double* q, const double* v)
{
  limb_data* d = x->observer.d;
  sp_motion V, g = {{0, 0, 0}, {0, 0, 0}};
  sp_pose X;
  sp_force IV[PHI], Ig[PHI];
  limb_status s = limb_kinematics(d, q, v, NULL);
  if (s == LIMB_OK) s = limb_frame_pose(d, x->frame, &X);
  if (s == LIMB_OK) s = limb_frame_velocity(d, x->frame, LIMB_BODY, &V);
  if (s == LIMB_OK) s = limb_frame_jacobian(d, x->frame, LIMB_BODY, x->J);
  if (s == LIMB_OK) s = limb_frame_jacobian_rate(d, x->frame, LIMB_BODY, x->dJ);
  if (s != LIMB_OK) return s;
  g.v = sp_tmulv(X.R, x->env.gravity);
  inertia_columns(V, IV), inertia_columns(g, Ig);
  for (int k = 0; k < PHI; k++) {
    const sp_force f = sp_addf(sp_crf(V, IV[k]), sp_scalef(-1, Ig[k]));
    for (int j = 0; j < x->nv; j++) {
      x->P[j * PHI + k] = sp_dot(x->J[j], IV[k]);
      x->rate[j * PHI + k] = sp_dot(x->J[j], f) - sp_dot(x->dJ[j], IV[k]);
    }
  }
  return LIMB_OK;
}

// y = F Y_p by its momentum, as the observer has r by that of the robot.
static void filter(limb_payload* x, double dt, const double* v)
{
  const double K = x->o.gain, step = K * dt / (1 + K * dt);
  for (int i = 0; i < x->nv * PHI; i++) {
    x->integral[i] -= dt * x->rate[i];
    x->y[i] = K * (x->P[i] - x->integral[i]) / (1 + K * dt);
    x->integral[i] += dt * x->y[i];
  }
  for (int j = 0; j < x->nv; j++) {
    double* term = x->term + j * EXTRA;
    const double now[EXTRA] = {1, v[j], tanh(COULOMB_AT * v[j])};
    for (int k = 0; k < EXTRA; k++) term[k] += step * (now[k] - term[k]);
  }
}

// Rows of all joints into the sums.
static void take_row(limb_payload* x)
{
  const double kept = x->o.memory > 0 ? exp(-x->since / x->o.memory) : 1;
  const bool offset = x->o.friction & LIMB_IDENT_OFFSET, friction = x->o.friction & LIMB_PAYLOAD_FRICTION;
  for (int j = 0; j < x->nv; j++) {
    double *row = x->row + j * WIDE, *sums = x->sums + j * SQUARE, *lagged = x->lagged + j * SQUARE;
    const double *term = x->term + j * EXTRA, *last = x->last + j * WIDE;
    memcpy(row, x->y + j * PHI, PHI * sizeof *row);
    row[PHI] = offset * term[0], row[PHI + 1] = friction * term[1], row[PHI + 2] = friction * term[2];
    row[WIDE - 1] = -x->observer.r[j];
    for (int a = 0; a < WIDE; a++) {
      for (int b = 0; b < WIDE; b++) {
        sums[a * WIDE + b] = kept * sums[a * WIDE + b] + row[a] * row[b];
        lagged[a * WIDE + b] = kept * lagged[a * WIDE + b] + (x->has_last ? row[a] * last[b] : 0);
      }
    }
  }
  memcpy(x->last, x->row, (size_t)x->nv * WIDE * sizeof *x->row);
  x->has_last = true, x->rows = kept * x->rows + 1, x->since = 0;
}

static limb_status begin(limb_payload* x, const double* q, const double* v)
{
  limb_status s = limb_observer_start(&x->observer, q, v);
  if (s == LIMB_OK) s = columns(x, q, v);
  if (s != LIMB_OK) return s;
  memcpy(x->integral, x->P, (size_t)x->nv * PHI * sizeof *x->P);
  memset(x->y, 0, (size_t)x->nv * PHI * sizeof *x->y), memset(x->term, 0, (size_t)x->nv * EXTRA * sizeof *x->term);
  x->begun = true, x->has_last = false, x->since = 0, x->samples++;
  return LIMB_OK;
}

limb_status limb_payload_step(limb_payload* x, double dt, const double* q, const double* v, const double* tau)
{
  if (!x || !q || !v || !tau || !(dt > 0) || !isfinite(dt)) return LIMB_E_ARG;
  if (!limb_finite(x->nv, tau)) return LIMB_E_NONFINITE;
  if (!x->begun) return begin(x, q, v);
  limb_status s = columns(x, q, v);
  if (s == LIMB_OK) s = limb_observer_step(&x->observer, dt, q, v, tau);
  if (s != LIMB_OK) return s;
  filter(x, dt, v);
  x->since += dt, x->samples++;
  if (x->since >= SPACING / x->o.gain) take_row(x);
  return LIMB_OK;
}

// ---- an estimate ------------------------------------------------------------------------------------------

typedef struct joint_terms {
  double value[EXTRA];
} joint_terms;

// The terms of a joint that fit best beside phi: sums over its rows. Those that the motion does not show are zero.
static joint_terms fit_terms(const double* N, const double* phi)
{
  joint_terms t = {{0}};
  double A[EXTRA][EXTRA + 1];
  for (int a = 0; a < EXTRA; a++) {
    const double* row = N + (PHI + a) * WIDE;
    for (int b = 0; b < EXTRA; b++) A[a][b] = row[PHI + b];
    A[a][EXTRA] = row[WIDE - 1];
    for (int k = 0; k < PHI; k++) A[a][EXTRA] -= row[k] * phi[k];
  }
  bool used[EXTRA] = {false};
  for (int a = 0; a < EXTRA; a++) { // Gauss and Jordan on the diagonal
    const double pivot = A[a][a];
    used[a] = pivot > 1e-9 * N[(PHI + a) * WIDE + PHI + a];
    for (int i = 0; i < EXTRA && used[a]; i++) {
      const double factor = i == a ? 0 : A[i][a] / pivot;
      for (int b = a; b <= EXTRA && i != a; b++) A[i][b] -= factor * A[a][b];
    }
  }
  for (int a = 0; a < EXTRA; a++)
    if (used[a]) t.value[a] = A[a][EXTRA] / A[a][a];
  return t;
}

// S: the sums of [phi, -r] after the terms of the joint are eliminated, (PHI + 1) squared.
static void eliminate(const double* N, double* S)
{
  double A[SQUARE];
  memcpy(A, N, sizeof A);
  for (int p = PHI; p < PHI + EXTRA; p++) {
    const double pivot = A[p * WIDE + p];
    if (!(pivot > 1e-9 * N[p * WIDE + p])) continue;
    for (int i = 0; i < WIDE; i++) {
      const double factor = i == p ? 0 : A[i * WIDE + p] / pivot;
      for (int k = 0; k < WIDE && factor != 0; k++) A[i * WIDE + k] -= factor * A[p * WIDE + k];
    }
  }
  for (int a = 0; a <= PHI; a++)
    for (int b = 0; b <= PHI; b++) S[a * (PHI + 1) + b] = A[(a < PHI ? a : WIDE - 1) * WIDE + (b < PHI ? b : WIDE - 1)];
}

static double form(const double* N, const double* u)
{
  double sum = 0;
  for (int a = 0; a < WIDE; a++)
    for (int b = 0; b < WIDE; b++) sum += u[a] * N[a * WIDE + b] * u[b];
  return sum;
}

// Variance of the equations of a joint, with regard to what correlation is left, at least that of white noise after the
// filter; squares: of the residuals.
static double variance_of(const limb_payload* x, int joint, const double* phi, double* squares)
{
  const double* N = x->sums + joint * SQUARE;
  const joint_terms t = fit_terms(N, phi);
  double u[WIDE];
  for (int k = 0; k < WIDE; k++) u[k] = k < PHI ? -phi[k] : k < WIDE - 1 ? -t.value[k - PHI] : 1;
  *squares = fmax(form(N, u), 0);
  const double c = *squares > 0 ? form(x->lagged + joint * SQUARE, u) / *squares : 0;
  const double correlation = fmin(fmax(c, exp(-SPACING)), 0.95), rows = x->rows - EXTRA - (double)PHI / x->nv;
  const double floor = 1e-20 * N[SQUARE - 1] + 1e-300; // of logs without noise
  return fmax(*squares, floor) / fmax(rows, 1) * (1 + correlation) / (1 - correlation);
}

// Cholesky of the scaled sums A with hidden columns left out: phi, and its covariance.
static limb_status solve(const double* A, const double* b, limb_payload_result* r)
{
  double L[PHI * PHI], X[PHI * PHI], scale[PHI], y[PHI];
  int kept[PHI], n = 0;
  r->hidden = 0;
  memset(r->covariance, 0, sizeof r->covariance), memset(r->phi, 0, sizeof r->phi);
  for (int c = 0; c < PHI; c++) {
    scale[c] = A[c * PHI + c] > 0 ? 1 / sqrt(A[c * PHI + c]) : 0;
    double left = scale[c] > 0;
    double* row = L + n * PHI;
    for (int k = 0; k < n; k++) {
      row[k] = scale[c] * scale[kept[k]] * A[c * PHI + kept[k]] - limb_dot((size_t)k, row, L + k * PHI);
      row[k] /= L[k * PHI + k];
      left -= row[k] * row[k];
    }
    if (left > HIDDEN)
      row[n] = sqrt(left), kept[n++] = c;
    else
      r->hidden |= 1U << c;
  }
  if (n == 0) return LIMB_E_SINGULAR;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) L[i * n + k] = L[i * PHI + k];
    y[i] = scale[kept[i]] * b[kept[i]];
  }
  limb_cholesky_solve(n, L, y);
  limb_cholesky_inverse(n, L, X);
  for (int i = 0; i < n; i++) {
    r->phi[kept[i]] = scale[kept[i]] * y[i];
    for (int k = 0; k < n; k++) r->covariance[kept[i] * PHI + kept[k]] = scale[kept[i]] * scale[kept[k]] * X[i * n + k];
  }
  return LIMB_OK;
}

// Inertia about the origin minus that of the centre of mass, as functions of phi: d(com, Ic)/dphi, 9 x 10.
static void derivatives_of(const double* phi, double D[9][PHI])
{
  static const int pair[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  const double m = phi[0], *h = phi + 1, square = h[0] * h[0] + h[1] * h[1] + h[2] * h[2];
  memset(D, 0, 9 * sizeof *D);
  for (int i = 0; i < 3; i++) D[i][0] = -h[i] / (m * m), D[i][1 + i] = 1 / m;
  for (int k = 0; k < 6; k++) { // Ic = I - (h.h 1 - h h') / m
    const int a = pair[k][0], b = pair[k][1];
    D[3 + k][4 + k] = 1;
    D[3 + k][0] = ((a == b) * square - h[a] * h[b]) / (m * m);
    for (int i = 0; i < 3; i++) D[3 + k][1 + i] = -(2 * (a == b) * h[i] - (i == a) * h[b] - (i == b) * h[a]) / m;
  }
}

// Mass, centre of mass and inertia about it, and their standard deviations.
void limb_payload_interpret(limb_payload_result* r)
{
  double D[9][PHI], variance[9] = {0};
  r->load = limb_inertia_from_parameters(r->phi);
  r->mass_std = sqrt(r->covariance[0]);
  r->physical = r->load.mass > 0 && !limb_inertia_defect(&r->load);
  derivatives_of(r->phi, D);
  for (int i = 0; i < 9; i++) {
    for (int a = 0; a < PHI; a++)
      for (int b = 0; b < PHI; b++) variance[i] += D[i][a] * r->covariance[a * PHI + b] * D[i][b];
    const double std = r->phi[0] != 0 ? sqrt(fmax(variance[i], 0)) : HUGE_VAL;
    if (i < 3)
      r->com_std[i] = std;
    else
      r->inertia_std[i - 3] = std;
  }
}

static limb_status estimate(const limb_payload* x, limb_payload_result* r)
{
  double A[PHI * PHI], b[PHI], S[(PHI + 1) * (PHI + 1)], squares, all = 0, before = 0;
  limb_status s = LIMB_OK;
  for (int round = 0; round < ROUNDS && s == LIMB_OK; round++) {
    memset(A, 0, sizeof A), memset(b, 0, sizeof b);
    for (int j = 0; j < x->nv; j++) {
      const double weight = round ? 1 / variance_of(x, j, r->phi, &squares) : 1;
      eliminate(x->sums + j * SQUARE, S);
      for (int a = 0; a < PHI; a++) {
        for (int c = 0; c < PHI; c++) A[a * PHI + c] += weight * S[a * (PHI + 1) + c];
        b[a] += weight * S[a * (PHI + 1) + PHI];
      }
    }
    s = solve(A, b, r);
  }
  static const double none[PHI] = {0};
  for (int j = 0; j < x->nv && s == LIMB_OK; j++) {
    (void)variance_of(x, j, r->phi, &squares), all += squares;
    (void)variance_of(x, j, none, &squares), before += squares;
  }
  r->residual = sqrt(all / x->rows / x->nv), r->before = sqrt(before / x->rows / x->nv);
  return s;
}

limb_status limb_payload_estimate(const limb_payload* x, limb_payload_result* out)
{
  if (!x || !out) return LIMB_E_ARG;
  if (x->rows < FEWEST - 0.5) return LIMB_E_ORDER;
  *out = (limb_payload_result){.samples = x->samples, .equations = (int)(x->rows + 0.5)};
  const limb_status s = estimate(x, out);
  if (s == LIMB_OK) limb_payload_interpret(out);
  return s;
}

limb_status limb_payload_subtract(const limb_payload_result* loaded, const limb_payload_result* empty,
                                  limb_payload_result* out)
{
  if (!loaded || !empty || !out) return LIMB_E_ARG;
  limb_payload_result r = *loaded;
  r.hidden |= empty->hidden;
  for (int k = 0; k < PHI; k++) r.phi[k] = r.hidden & 1U << k ? 0 : r.phi[k] - empty->phi[k];
  for (int k = 0; k < PHI * PHI; k++) r.covariance[k] += empty->covariance[k];
  limb_payload_interpret(&r);
  *out = r;
  return LIMB_OK;
}
