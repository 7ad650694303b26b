// The estimators: from ordinary least squares to maximum likelihood, each by the residuals of the one before; friction
// of Stribeck; validation.
//
// Reference: M. Gautier, Dynamic identification of robots with power model, ICRA 1997; J. Swevers, C. Ganseman, D.
//            Tukel, J. De Schutter, H. Van Brussel, Optimal robot excitation and identification, IEEE Trans. Robotics
//            and Automation 13(5), 1997 (maximum likelihood); G. Golub, V. Pereyra, The differentiation of
//            pseudo-inverses and nonlinear least squares problems whose variables separate, 1973 (Stribeck); G.
//            Ljung, G. Box, On a measure of lack of fit in time series models, 1978.
//
//   A x = tau + e,   cov(e) = Sigma per row,   x = (A' Sigma^-1 A)^-1 A' Sigma^-1 tau
#include "estimate/ident_impl.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 }; // in which the noise is estimated anew

// ---- the noise --------------------------------------------------------------------------------------------

// Joints are weighed one by one: what matters of their equations are triangles, and one pass over the log is enough.
static bool by_joint(const limb_ident* x)
{
  return x->o.method != LIMB_IDENT_ROBUST && x->o.method != LIMB_IDENT_LIKELIHOOD;
}

// |R [x; -1]|^2, the squares that estimates leave of one joint.
static double squares_of(const limb_triangle* t, const double* x)
{
  const int size = t->n + 1;
  double sum = 0;
  for (int i = 0; i < size; i++) {
    double e = -t->R[i + (ptrdiff_t)t->n * size];
    for (int k = i; k < t->n; k++) e += t->R[i + (ptrdiff_t)k * size] * x[k];
    sum += e * e;
  }
  return sum;
}

// Fitted rows of a joint, less its share of the parameters.
static double freedom_of(const limb_ident* x, int joint)
{
  int rows = 0;
  for (int r = 0; r < x->count && x->o.min_speed > 0; r++) rows += x->role[r] && limb_counts(x, r, joint);
  return fmax((x->o.min_speed > 0 ? rows : x->train) - (double)x->best.rank / x->nv, 1);
}

// Covariance of the residuals of fitted rows, divided by what n parameters leave; only its diagonal unless all.
// noise: its Cholesky factor.
static void estimate_noise(limb_ident* x, bool all)
{
  const int nv = x->nv;
  double* S = x->noise;
  memset(S, 0, (size_t)nv * (size_t)nv * sizeof *S);
  for (int j = 0; j < nv && by_joint(x); j++) S[j * nv + j] = squares_of(&x->joint[j], x->best.x);
  for (int r = 0; r < x->count && !by_joint(x); r++) {
    const double* e = x->residual + (size_t)r * (size_t)nv;
    for (int i = 0; i < nv && x->role[r]; i++)
      for (int j = 0; j <= i; j++)
        if (all || i == j) S[i * nv + j] += e[i] * e[j];
  }
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = S[i * nv + j] / sqrt(freedom_of(x, i) * freedom_of(x, j));
      for (int k = 0; k < j; k++) sum -= S[i * nv + k] * S[j * nv + k];
      S[i * nv + j] = i == j ? sqrt(fmax(sum, 1e-24)) : sum / S[j * nv + j];
    }
  }
}

// The equations of all joints, weighed.
static limb_status collect(limb_ident* x, limb_whitening how, limb_triangle* t)
{
  if (!by_joint(x)) return limb_gather(x, how, x->best.x, t);
  limb_status s = LIMB_OK;
  for (int j = 0; j < x->nv && s == LIMB_OK; j++) {
    const double noise = x->noise[j * x->nv + j];
    const double weight = how == BY_NOTHING ? 1 : how == TIMES_NOISE ? noise : 1 / noise;
    if (x->counts[j]) s = limb_triangle_merge(t, weight, &x->joint[j]);
  }
  return s;
}

// One estimate more.
static limb_status improve(limb_ident* x, limb_whitening how)
{
  limb_triangle t;
  limb_status s = limb_triangle_make(x->n, &t) ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = collect(x, how, &t);
  if (s == LIMB_OK) s = limb_solve(&t, &x->best);
  if (s == LIMB_OK && x->o.method == LIMB_IDENT_TOTAL) s = limb_solve_total(&t, x->exact, &x->best);
  if (s == LIMB_OK && how == BY_NOISE && x->o.method == LIMB_IDENT_INSTRUMENTAL) s = limb_solve_instrumental(x);
  if (s == LIMB_OK && !by_joint(x)) s = limb_residuals(x, x->best.x);
  limb_triangle_free(&t);
  return s;
}

// After ordinary least squares, whose weights are not those of the noise: C (A' Sigma A) C, C = (A' A)^-1.
static limb_status sandwich(limb_ident* x)
{
  const size_t n = (size_t)x->n;
  limb_triangle t;
  double* RC = malloc(n * n * sizeof *RC);
  limb_status s = limb_triangle_make(x->n, &t) && RC ? LIMB_OK : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = collect(x, TIMES_NOISE, &t);
  double* C = x->best.covariance;
  for (size_t i = 0; i < n && s == LIMB_OK; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = i; k < n; k++) sum += t.R[i + k * (n + 1)] * C[k * n + j];
      RC[i * n + j] = sum;
    }
  }
  for (size_t i = 0; i < n && s == LIMB_OK; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += RC[k * n + i] * RC[k * n + j];
      C[i * n + j] = sum;
    }
  }
  limb_triangle_free(&t);
  free(RC);
  return s;
}

static limb_status estimate(limb_ident* x)
{
  const limb_ident_method method = x->o.method;
  limb_status s = by_joint(x) ? limb_gather_joints(x) : LIMB_OK;
  if (s == LIMB_OK) s = improve(x, BY_NOTHING);
  for (int round = 0; round < ROUNDS && s == LIMB_OK && method != LIMB_IDENT_ORDINARY; round++) {
    estimate_noise(x, method == LIMB_IDENT_LIKELIHOOD);
    s = improve(x, method == LIMB_IDENT_ROBUST && round > 0 ? BY_ROBUST : BY_NOISE);
  }
  if (s == LIMB_OK && by_joint(x)) s = limb_residuals(x, x->best.x);
  if (s != LIMB_OK) return s;
  estimate_noise(x, method == LIMB_IDENT_LIKELIHOOD);
  return method == LIMB_IDENT_ORDINARY ? sandwich(x) : LIMB_OK;
}

// ---- Stribeck's speed -------------------------------------------------------------------------------------

enum { OWN = 5 }; // columns of one joint: v, sign, 1, |v|, Stribeck's

// What is left of a joint's residual after its own friction is fitted again, with another speed.
static double left_over(const limb_ident* x, int joint, double speed)
{
  limb_triangle t;
  double block[OWN + 1], left = HUGE_VAL;
  if (limb_triangle_make(OWN, &t)) {
    for (int r = 0; r < x->count; r++) {
      if (!x->role[r]) continue;
      const double v = limb_middle_row(x, r).v[joint], sign = (v > 0) - (v < 0);
      const double own[OWN + 1] = {v,
                                   sign,
                                   1,
                                   fabs(v),
                                   sign * exp(-(v / speed) * (v / speed)),
                                   x->residual[(size_t)r * (size_t)x->nv + (size_t)joint]};
      memcpy(block, own, sizeof own);
      if (limb_triangle_add(&t, 1, 1, block) != LIMB_OK) break;
    }
    left = fabs(t.R[(OWN + 1) * (OWN + 1) - 1]);
  }
  limb_triangle_free(&t);
  return left;
}

// By golden section over the logarithm, from a hundredth of the largest speed to all of it.
static void find_speed(limb_ident* x, int joint)
{
  static const double GOLDEN = 0.6180339887498949;
  double fastest = 0;
  for (int r = 0; r < x->count; r++) fastest = fmax(fastest, fabs(limb_middle_row(x, r).v[joint]));
  if (fastest <= 0) return;
  double low = log(fastest / 100), high = log(fastest);
  for (int i = 0; i < 20; i++) {
    const double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
    if (left_over(x, joint, exp(a)) < left_over(x, joint, exp(b)))
      high = b;
    else
      low = a;
  }
  x->term[joint].speed = exp((low + high) / 2);
}

// ---- validation -------------------------------------------------------------------------------------------

// What was measured of a joint in the middle of an equation.
static double torque_of(const limb_ident* x, int k, int joint)
{
  const int gain = x->term[joint].gain;
  const double* estimate = x->estimate ? x->estimate : x->best.x;
  return limb_middle_row(x, k).tau[joint] * (gain >= 0 ? estimate[gain] : 1);
}

// Residuals of a joint, all: -1, in rows of one role.
static limb_ident_residual summarise(const limb_ident* x, int joint, int role)
{
  limb_ident_residual out = {0};
  const int nv = x->nv, from = joint < 0 ? 0 : joint, to = joint < 0 ? nv : joint + 1;
  double residual = 0, torque = 0, spread = 0, lagged = 0;
  for (int j = from; j < to; j++) {
    double mean = 0, square = 0, before = 0;
    if (!x->counts[j]) continue;
    out.rows = 0;
    for (int r = 0; r < x->count; r++) {
      if (x->role[r] != role || !limb_counts(x, r, j)) continue;
      const double e = x->residual[r * nv + j], tau = torque_of(x, r, j);
      residual += e * e, torque += tau * tau, mean += tau, square += tau * tau, lagged += e * before;
      before = e, out.rows++;
    }
    if (out.rows) spread += square - mean * mean / out.rows;
  }
  if (!out.rows) return out;
  out.rms = sqrt(residual / out.rows), out.torque = sqrt(torque / out.rows);
  out.r_squared = spread > 0 ? 1 - residual / spread : 0;
  if (joint >= 0 && residual > 0) out.correlation = lagged / residual;
  return out;
}

// Correlation that the filter itself gives to white noise, from row to row.
static double filtered_correlation(const limb_ident* x)
{
  const limb_filter* f = &x->filter;
  double sum = 0;
  for (int m = 0; m + x->every <= 2 * f->half; m++) sum += f->h[0][m] * f->h[0][m + x->every];
  return sum / f->passed;
}

// By how much the variance of estimates exceeds that of rows with independent noise: for white noise before the filter
// its power in the pass band, otherwise 1 + 2 sum rho_k of the residuals (Bartlett's window).
static double inflation_of(const limb_ident* x, int joint, bool white)
{
  const double filtered = 1 / (x->every * x->filter.passed);
  const int nv = x->nv, lags = (int)(4 * cbrt(x->train));
  double sum = 0, zero = 0;
  for (int k = 0; k <= lags && !white; k++) {
    double product = 0;
    for (int r = k; r < x->count; r++)
      if (x->role[r] && x->role[r - k]) product += x->residual[r * nv + joint] * x->residual[(r - k) * nv + joint];
    if (k == 0) zero = product;
    sum += (k ? 2 : 1) * (1 - k / (lags + 1.0)) * product;
  }
  return zero > 0 ? fmax(filtered, sum / zero) : filtered;
}

void limb_summarise(const limb_ident* x, limb_ident_residual* out)
{
  const int nv = x->nv;
  const double own = filtered_correlation(x);
  for (int role = 1; role >= 0; role--, out += nv + 1) {
    for (int j = 0; j < nv; j++) {
      out[j] = summarise(x, j, role);
      out[j].white = fabs(out[j].correlation - own) < 1.96 / sqrt(out[j].rows + 1.0);
    }
    out[nv] = summarise(x, -1, role);
  }
}

// Summaries; the covariance is scaled by the mean of the inflation of the joints.
static void validate(limb_ident* x)
{
  const int nv = x->nv;
  double inflation = 0, counted = 0;
  limb_summarise(x, x->summary);
  for (int j = 0; j < nv; j++)
    if (x->counts[j]) inflation += inflation_of(x, j, x->summary[j].white), counted++;
  inflation /= counted;
  for (int i = 0; i < x->n * x->n; i++) x->best.covariance[i] *= inflation;
}

// ---- verdicts ---------------------------------------------------------------------------------------------

static const double ENOUGH = 0.3, SIGNIFICANT = 1.96;

// Backward elimination: the least significant parameter goes, the others follow by its covariance, until all are.
//
//   x -= C_k x_k / C_kk,   C -= C_k C_k' / C_kk
static limb_status find_essential(limb_ident* x)
{
  const int n = x->n;
  double* C = malloc(((size_t)n * (size_t)n + (size_t)n) * sizeof *C);
  if (!C) return LIMB_E_NOMEM;
  double* value = C + (size_t)n * (size_t)n;
  memcpy(C, x->best.covariance, (size_t)n * (size_t)n * sizeof *C);
  memcpy(value, x->best.x, (size_t)n * sizeof *C);
  for (int k = 0; k < n; k++) x->parameter[k].essential = !x->best.hidden[k];
  for (;;) {
    int weakest = -1;
    double smallest = SIGNIFICANT * SIGNIFICANT;
    for (int k = 0; k < n; k++) {
      const double t = C[k * n + k] > 0 ? value[k] * value[k] / C[k * n + k] : HUGE_VAL;
      if (x->parameter[k].essential && t < smallest) weakest = k, smallest = t;
    }
    if (weakest < 0) break;
    x->parameter[weakest].essential = 0;
    const double pivot = C[weakest * n + weakest], gone = value[weakest];
    for (int i = 0; i < n; i++) {
      const double factor = C[i * n + weakest] / pivot;
      value[i] -= factor * gone;
      for (int j = 0; j < n && i != weakest; j++) C[i * n + j] -= factor * C[weakest * n + j];
    }
    for (int i = 0; i < n; i++) C[i * n + weakest] = C[weakest * n + i] = 0;
  }
  free(C);
  return LIMB_OK;
}

static void judge(limb_ident* x, int k)
{
  const int n = x->n;
  const double* C = x->best.covariance;
  limb_ident_parameter* p = &x->parameter[k];
  p->value = x->best.x[k], p->std = sqrt(C[k * n + k]), p->partner = -1;
  for (int i = 0; i < n; i++) {
    const double scale = sqrt(C[i * n + i]) * p->std, r = scale > 0 ? C[k * n + i] / scale : 0;
    if (i != k && fabs(r) > fabs(p->correlation)) p->correlation = r, p->partner = i;
  }
  p->verdict = x->best.hidden[k]                  ? LIMB_IDENT_HIDDEN
               : p->std > ENOUGH * fabs(p->value) ? LIMB_IDENT_UNCERTAIN
                                                  : LIMB_IDENT_KNOWN;
}

// Why the motion does not show a parameter: nothing depends on it, or its effect is a sum of those of others.
static void explain(limb_ident* x, int k)
{
  const double* combination = x->best.combination + (size_t)k * (size_t)x->n;
  char* why = x->why[k];
  size_t used = 0;
  double largest = 0;
  x->parameter[k].why = why;
  if (!x->best.hidden[k]) return;
  for (int i = 0; i < x->n; i++) largest = fmax(largest, fabs(combination[i]));
  (void)snprintf(why, sizeof *x->why, "no torque of the log depends on it");
  for (int i = 0, parts = 0; i < x->n && largest > 0; i++) {
    if (fabs(combination[i]) < 1e-3 * largest) continue;
    const char* text = parts == 3 ? " + ..." : NULL;
    const int n = text ? snprintf(why + used, sizeof *x->why - used, "%s", text)
                       : snprintf(why + used, sizeof *x->why - used, "%s%.3g %s",
                                  parts ? " + " : "in this log it acts as ", combination[i], x->parameter[i].name);
    if (n < 0 || (size_t)n >= sizeof *x->why - used || parts++ == 3) break;
    used += (size_t)n;
  }
}

static void count_verdicts(limb_ident* x)
{
  limb_ident_facts* f = &x->facts;
  int* count[3] = {&f->known, &f->uncertain, &f->hidden};
  for (int k = 0; k < x->n; k++) ++*count[x->parameter[k].verdict], f->essential += x->parameter[k].essential;
  f->samples = x->log.samples, f->logs = x->log.logs, f->windows = x->log.windows;
  f->rows = x->count, f->fitted = x->train, f->condition = x->best.condition;
  f->rate = 1 / x->log.dt, f->row_rate = f->rate / x->log.every / x->every;
  f->cutoff = x->log.cutoff, f->motion = x->log.motion;
}

// ---- all of it --------------------------------------------------------------------------------------------

// The first part of every log is fitted.
static limb_status assign_roles(limb_ident* x, limb_error* err)
{
  x->role = calloc((size_t)x->count + 1, 1);
  x->residual = calloc((size_t)x->count * (size_t)x->nv + 1, sizeof *x->residual);
  if (!x->role || !x->residual) return LIMB_E_NOMEM;
  for (int from = 0, to; from < x->count; from = to) {
    for (to = from; to < x->count && limb_middle_row(x, to).log == limb_middle_row(x, from).log;) to++;
    const int train = (int)ceil(x->o.train * (to - from));
    memset(x->role + from, 1, (size_t)train);
    x->train += train;
  }
  int counted = 0;
  for (int j = 0; j < x->nv; j++) counted += x->counts[j];
  if ((long long)x->train * counted >= 2LL * x->n) return LIMB_OK;
  const limb_log* log = &x->log;
  const double dt = log->every * log->dt, lost = 2 * (log->filter.half * log->dt + x->filter.half * dt);
  const double seconds = lost + 2.0 * x->n / fmax(counted, 1) * x->every * dt / x->o.train;
  return limb_fail(err, LIMB_E_ARG, "log",
                   "%llu samples are %d rows after the filter of %.3g Hz, too few for %d parameters: it takes at least "
                   "%.2g s of motion without a gap, or a higher cut-off",
                   (unsigned long long)log->samples, x->count, log->cutoff, x->n, seconds);
}

static limb_status fit(limb_ident* x, limb_error* err)
{
  limb_status s = limb_log_flush(x, err);
  if (s == LIMB_OK) s = limb_equations_make(x);
  if (s == LIMB_OK) s = assign_roles(x, err);
  if (s == LIMB_OK) s = estimate(x);
  for (int round = 0; round < 2 && s == LIMB_OK && x->o.friction & LIMB_IDENT_STRIBECK; round++) {
    for (int j = 0; j < x->nv; j++) find_speed(x, j);
    s = estimate(x);
  }
  if (s == LIMB_OK && x->best.rank == 0)
    return limb_fail(err, LIMB_E_SINGULAR, "log", "the motion shows no parameter: no joint moves");
  if (s != LIMB_OK) return s;
  validate(x);
  for (int k = 0; k < x->n; k++) judge(x, k), explain(x, k);
  s = find_essential(x);
  if (s != LIMB_OK) return s;
  count_verdicts(x);
  limb_suspect_fit(x);
  return LIMB_OK;
}

limb_status limb_ident_fit(limb_ident* x, limb_error* err)
{
  if (err) *err = (limb_error){0};
  if (!x) return limb_fail(err, LIMB_E_ARG, "log", "there is none");
  if (x->fitted) return limb_fail(err, LIMB_E_ORDER, "log", "it is fitted already");
  const limb_status s = fit(x, err);
  x->fitted = s == LIMB_OK;
  return s == LIMB_OK || (err && *err->text) ? s : limb_fail(err, s, "log", "%s", limb_status_text(s));
}
