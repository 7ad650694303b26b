// The equations of the rows: base regressor and terms of friction, filtered, weighed by the noise, gathered in a
// triangle.
//
// Reference: J. Hollerbach, W. Khalil, M. Gautier, Model identification, in: Springer Handbook of Robotics, 2nd
//            edition, 2016, section 6.3.4 (the same filter for the columns of the regressor and the torques);
//            M. Gautier, Dynamic identification of robots with power model, ICRA 1997 (weights by joint); P. Huber,
//            Robust estimation of a location parameter, 1964; B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, A
//            survey of models, analysis tools and compensation methods for the control of machines with friction,
//            1994, section 2.1 (Stribeck).
// Cost:      per row the regressor; per equation some 30 nv n for the filter and 2 nv n^2 for the triangle.
//
//   F tau = F (Y_b theta_b + ...) = (F Y_b) theta_b + ...: a linear filter F changes the equations, not their solution
//
//   tau = Y_b theta_b + c + d |v| + s sign(v) exp(-(v / v_s)^2)       L L' = covariance of the residuals of a row
#include "estimate/ident_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HUBER = 1.345; // 95 % of the efficiency of least squares when the noise is normal

enum { ROWS_TOGETHER = 64 };

// ---- equations of one row, and filtered ---------------------------------------------------------------------

// Which rows are in the middle of an equation: those with half a window on either side.
static limb_status place(limb_ident* x)
{
  const int rows = limb_log_rows(x), half = x->filter.half;
  x->middle = malloc(((size_t)rows + 1) * sizeof *x->middle);
  if (!x->middle) return LIMB_E_NOMEM;
  for (int from = 0, to; from < rows; from = to) {
    for (to = from; to < rows && limb_log_row(x, to).window == limb_log_row(x, from).window;) to++;
    for (int k = from + half; k + half < to; k += x->every) x->middle[x->count++] = k;
  }
  return LIMB_OK;
}

static limb_status ring_make(const limb_ident* x, limb_ring* ring)
{
  const size_t taps = 2 * (size_t)x->filter.half + 1;
  ring->single = malloc(taps * (size_t)x->nv * ((size_t)x->n + 1) * sizeof *ring->single);
  ring->row = malloc(taps * sizeof *ring->row);
  if (!ring->single || !ring->row) return LIMB_E_NOMEM;
  for (size_t m = 0; m < taps; m++) ring->row[m] = -1;
  return LIMB_OK;
}

limb_status limb_equations_make(limb_ident* x)
{
  const double dt = x->log.dt * x->log.every;
  limb_status s = limb_filter_make(x->log.cutoff, dt, &x->filter);
  x->every = limb_filter_every(x->log.cutoff, dt);
  if (s == LIMB_OK) s = ring_make(x, &x->measured);
  if (s == LIMB_OK && x->o.method == LIMB_IDENT_INSTRUMENTAL) {
    s = ring_make(x, &x->instruments);
    if (s == LIMB_OK && !x->log.has_reference) s = limb_smooth_rows(x);
  }
  return s == LIMB_OK ? place(x) : s;
}

void limb_forget_instruments(limb_ident* x)
{
  for (int m = 0; m <= 2 * x->filter.half; m++) x->instruments.row[m] = -1;
}

// The columns of one row but for those of currents; the last is 0.
static limb_status columns_at(limb_ident* x, const double* q, const double* v, const double* a, double* A)
{
  const int nv = x->nv, nb = x->nb, n = x->n;
  const limb_status s = limb_base_regressor(x->base, x->d, q, v, a, x->Y + (size_t)nv * (size_t)nb, x->Y);
  memset(A, 0, (size_t)nv * ((size_t)n + 1) * sizeof *A);
  for (int j = 0; j < nv && s == LIMB_OK; j++) {
    const limb_terms_of_joint* term = &x->term[j];
    double* line = A + (size_t)j * ((size_t)n + 1);
    memcpy(line, x->Y + (size_t)j * (size_t)nb, (size_t)nb * sizeof *A);
    const double sign = (v[j] > 0) - (v[j] < 0), fast = v[j] / term->speed;
    if (term->offset >= 0) line[term->offset] = 1;
    if (term->asymmetry >= 0) line[term->asymmetry] = fabs(v[j]);
    if (term->stribeck >= 0) line[term->stribeck] = sign * exp(-fast * fast);
  }
  return s;
}

// [A tau] of one row, before the filter: what is known stands on the right. g i = Y x has -i among the columns.
static limb_status equations_of_row(limb_ident* x, int row, double* A)
{
  const int n = x->n;
  const limb_row r = limb_log_row(x, row);
  const double* load = limb_load_of(x, r.log);
  const limb_status s = columns_at(x, r.q, r.v, r.a, A);
  for (int j = 0; j < x->nv && s == LIMB_OK; j++, A += n + 1) {
    const int gain = x->term[j].gain;
    if (gain >= 0) A[gain] = -r.tau[j];
    if (gain < 0) A[n] = r.tau[j];
    for (int k = 0; k < x->nb && load; k++) A[n] -= A[k] * load[k];
  }
  return s;
}

// The same along the instruments; a current is the one that the estimate predicts.
static limb_status instruments_of_row(limb_ident* x, int row, const double* estimate, double* Z)
{
  const int n = x->n;
  const limb_row r = limb_log_row(x, row);
  const double* load = limb_load_of(x, r.log);
  const limb_status s = columns_at(x, r.reference, r.reference_v, r.reference_a, Z);
  for (int j = 0; j < x->nv && s == LIMB_OK; j++, Z += n + 1) {
    const int gain = x->term[j].gain;
    if (gain < 0 || estimate[gain] == 0) continue;
    double torque = 0;
    for (int k = 0; k < n; k++) torque += Z[k] * estimate[k];
    for (int k = 0; k < x->nb && load; k++) torque += Z[k] * load[k];
    Z[gain] = -torque / estimate[gain];
  }
  return s;
}

// estimate: NULL for what was measured.
static limb_status filtered(limb_ident* x, int k, limb_ring* ring, const double* estimate, double* A)
{
  const int half = x->filter.half, taps = 2 * half + 1, from = x->middle[k] - half;
  const size_t size = (size_t)x->nv * ((size_t)x->n + 1);
  memset(A, 0, size * sizeof *A);
  for (int m = 0; m < taps; m++) {
    const int row = from + m, slot = row % taps;
    double* single = ring->single + (size_t)slot * size;
    if (ring->row[slot] != row) {
      const limb_status s = estimate ? instruments_of_row(x, row, estimate, single) : equations_of_row(x, row, single);
      if (s != LIMB_OK) return s;
      ring->row[slot] = row;
    }
    const double h = x->filter.h[0][m];
    for (size_t i = 0; i < size; i++) A[i] += h * single[i];
  }
  return LIMB_OK;
}

limb_status limb_equations_of(limb_ident* x, int k, double* A) { return filtered(x, k, &x->measured, NULL, A); }

limb_status limb_instruments_of(limb_ident* x, int k, const double* estimate, double* Z)
{
  return filtered(x, k, &x->instruments, estimate, Z);
}

limb_row limb_middle_row(const limb_ident* x, int k) { return limb_log_row(x, x->middle[k]); }

bool limb_counts(const limb_ident* x, int k, int joint)
{
  return x->counts[joint] && fabs(limb_middle_row(x, k).v[joint]) >= x->o.min_speed;
}

// e = tau - A theta of equation k; zero where it does not count
static void residual_of(const limb_ident* x, int k, const double* A, const double* theta, double* e)
{
  for (int j = 0; j < x->nv; j++, A += x->n + 1) {
    e[j] = A[x->n];
    for (int i = 0; i < x->n; i++) e[j] -= A[i] * theta[i];
    if (!limb_counts(x, k, j)) e[j] = 0;
  }
}

limb_status limb_residuals(limb_ident* x, const double* estimate)
{
  limb_status s = LIMB_OK;
  for (int r = 0; r < x->count && s == LIMB_OK; r++) {
    s = limb_equations_of(x, r, x->block);
    if (s == LIMB_OK) residual_of(x, r, x->block, estimate, x->residual + (size_t)r * (size_t)x->nv);
  }
  return s;
}

// ---- weights ------------------------------------------------------------------------------------------------

// u = L^-1 u, or u = L' u: one number per joint, `step` apart.
void limb_whiten(const limb_ident* x, bool inverse, size_t step, double* u)
{
  const int nv = x->nv;
  const double* L = x->noise;
  for (int i = 0; i < nv && inverse; i++) {
    for (int k = 0; k < i; k++) u[(size_t)i * step] -= L[i * nv + k] * u[(size_t)k * step];
    u[(size_t)i * step] /= L[i * nv + i];
  }
  for (int i = 0; i < nv && !inverse; i++) {
    double sum = 0;
    for (int k = i; k < nv; k++) sum += L[k * nv + i] * u[(size_t)k * step];
    u[(size_t)i * step] = sum;
  }
}

// Lines that do not count: torques that are not measured, joints below the least speed.
void limb_leave_out(const limb_ident* x, int k, double* A)
{
  const size_t line = (size_t)x->n + 1;
  for (int j = 0; j < x->nv; j++)
    if (!limb_counts(x, k, j)) memset(A + (size_t)j * line, 0, line * sizeof *A);
}

// One equation, weighed. e: nv numbers of scratch.
static limb_status weighed(limb_ident* x, int k, limb_whitening how, const double* estimate, double* A, double* e)
{
  const int nv = x->nv, line = x->n + 1;
  const limb_status s = limb_equations_of(x, k, A);
  if (s != LIMB_OK) return s;
  if (how == BY_ROBUST) residual_of(x, k, A, estimate, e);
  limb_leave_out(x, k, A);
  if (how == BY_NOTHING) return s;
  for (int i = 0; i < line; i++) limb_whiten(x, how != TIMES_NOISE, (size_t)line, A + i);
  if (how != BY_ROBUST) return s;
  limb_whiten(x, true, 1, e);
  for (int j = 0; j < nv; j++) {
    const double weight = fabs(e[j]) > HUBER ? sqrt(HUBER / fabs(e[j])) : 1;
    for (int i = 0; i < line; i++) A[j * line + i] *= weight;
  }
  return s;
}

limb_status limb_gather(limb_ident* x, limb_whitening how, const double* estimate, limb_triangle* out)
{
  const int nv = x->nv, line = x->n + 1, together = ROWS_TOGETHER * nv;
  const size_t column = (size_t)together;
  double *A = x->block, *e = A + (size_t)nv * (size_t)line, *block = e + nv;
  limb_status s = LIMB_OK;
  int filled = 0;
  for (int k = 0; k < x->count && s == LIMB_OK; k++) {
    if (!x->role[k]) continue;
    s = weighed(x, k, how, estimate, A, e);
    for (int j = 0; j < nv; j++, filled++) {
      double* to = block + filled;
      for (int i = 0; i < line; i++) to[(size_t)i * column] = A[j * line + i];
    }
    if (filled == together && s == LIMB_OK) s = limb_triangle_add(out, filled, together, block), filled = 0;
  }
  if (s == LIMB_OK) s = limb_triangle_add(out, filled, together, block);
  return s;
}

limb_status limb_gather_joints(limb_ident* x)
{
  const int nv = x->nv, line = x->n + 1;
  const size_t size = ROWS_TOGETHER * (size_t)line;
  double *A = x->block, *block = A + (size_t)nv * (size_t)line;
  limb_status s = LIMB_OK;
  for (int j = 0; j < nv; j++)
    memset(x->joint[j].R, 0, (size_t)line * (size_t)line * sizeof *A), x->joint[j].equations = 0;
  for (int k = 0, filled = 0; k <= x->count && s == LIMB_OK; k++) {
    if (k < x->count && !x->role[k]) continue;
    if (filled == ROWS_TOGETHER || k == x->count) {
      for (int j = 0; j < nv && s == LIMB_OK; j++)
        if (x->counts[j]) s = limb_triangle_add(&x->joint[j], filled, ROWS_TOGETHER, block + (size_t)j * size);
      filled = 0;
    }
    if (k == x->count || s != LIMB_OK) break;
    s = limb_equations_of(x, k, A);
    limb_leave_out(x, k, A);
    for (int j = 0; j < nv; j++)
      for (int i = 0; i < line; i++) block[(size_t)j * size + (size_t)(i * ROWS_TOGETHER + filled)] = A[j * line + i];
    filled++;
  }
  return s;
}

size_t limb_equations_work(const limb_ident* x)
{
  const size_t equations = (ROWS_TOGETHER + 2) * (size_t)x->nv * ((size_t)x->n + 1) + (size_t)x->nv;
  const size_t sample = 2 * (size_t)x->nq + 2 * (size_t)x->nv + 1;
  return equations > sample ? equations : sample;
}
