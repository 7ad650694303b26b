// Instrumental variables: estimates that noise in the motion does not bias.
//
// Reference: A. Janot, P. Vandanjon, M. Gautier, A generic instrumental variable approach for industrial robot
//            identification, IEEE Trans. Control Systems Technology 22(1), 2014; T. Soderstrom, P. Stoica, Instrumental
//            variable methods for system identification, 1983.
// Cost:      per equation 4 nv n^2, and that of one more regressor.
//
//   Noise of q is in the columns of A = Y(q, v, a), so that A' e has a mean and least squares are biased. Columns Z of
//   a motion without this noise have none:
//
//   x = (Z' Sigma^-1 A)^-1 Z' Sigma^-1 tau,      cov x = (Z' Sigma^-1 A)^-1 Z' Sigma^-1 Z (A' Sigma^-1 Z)^-1
#include "estimate/ident_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct products {
  int m;                               // columns that count
  int* column;                         // m
  double *ZA, *ZZ, *Zt, *scale, *work; // m x m, m x m, m, m, m
  int* pivot;
} products;

static bool reserve(const limb_ident* x, products* p)
{
  const size_t n = (size_t)x->n;
  p->column = calloc(2 * n + 2, sizeof *p->column), p->pivot = p->column + n;
  p->ZA = calloc(2 * n * n + 3 * n, sizeof *p->ZA);
  if (!p->column || !p->ZA) return false;
  p->ZZ = p->ZA + n * n, p->Zt = p->ZZ + n * n, p->scale = p->Zt + n, p->work = p->scale + n;
  for (int k = 0; k < x->n; k++) {
    const double variance = x->best.covariance[k * x->n + k];
    if (!x->best.hidden[k]) p->scale[p->m] = sqrt(variance), p->column[p->m++] = k;
  }
  return true;
}

// Sums over the lines of one equation; columns in units of their standard deviation.
static void add_line(const products* p, const double* A, const double* Z, double tau)
{
  for (int i = 0; i < p->m; i++) {
    const double z = Z[p->column[i]] * p->scale[i];
    double *ZA = p->ZA + (ptrdiff_t)i * p->m, *ZZ = p->ZZ + (ptrdiff_t)i * p->m;
    if (z == 0) continue;
    for (int k = 0; k < p->m; k++) {
      ZA[k] += z * A[p->column[k]] * p->scale[k];
      ZZ[k] += z * Z[p->column[k]] * p->scale[k];
    }
    p->Zt[i] += z * tau;
  }
}

// What hidden parameters explain stays with them.
static double without_hidden(const limb_ident* x, const double* A)
{
  double tau = A[x->n];
  for (int k = 0; k < x->n; k++) tau -= x->best.hidden[k] ? A[k] * x->best.x[k] : 0;
  return tau;
}

static limb_status sum_up(limb_ident* x, const double* estimate, const products* p)
{
  const int nv = x->nv, line = x->n + 1;
  double *A = x->block, *Z = A + (size_t)nv * (size_t)line;
  limb_status s = LIMB_OK;
  limb_forget_instruments(x);
  for (int k = 0; k < x->count && s == LIMB_OK; k++) {
    if (!x->role[k]) continue;
    s = limb_equations_of(x, k, A);
    if (s == LIMB_OK) s = limb_instruments_of(x, k, estimate, Z);
    limb_leave_out(x, k, A), limb_leave_out(x, k, Z);
    for (int i = 0; i < line; i++) limb_whiten(x, true, (size_t)line, A + i), limb_whiten(x, true, (size_t)line, Z + i);
    for (int j = 0; j < nv; j++) add_line(p, A + j * line, Z + j * line, without_hidden(x, A + j * line));
  }
  return s;
}

// covariance = W ZZ W' with W = ZA^-1, in the units of the parameters.
static void put_covariance(limb_ident* x, const products* p)
{
  const int m = p->m, n = x->n;
  double* C = x->best.covariance;
  memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
  for (int turn = 0; turn < 2; turn++) { // W ZZ by columns; then its transpose, ZZ W', again
    for (int k = 0; k < m; k++) {
      for (int i = 0; i < m; i++) p->work[i] = p->ZZ[i * m + k];
      limb_lu_solve(m, p->ZA, p->pivot, p->work);
      for (int i = 0; i < m; i++) p->ZZ[i * m + k] = p->work[i];
    }
    limb_transpose(m, m, p->ZZ);
  }
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++)
      C[p->column[i] * n + p->column[k]] = (p->ZZ[i * m + k] + p->ZZ[k * m + i]) / 2 * p->scale[i] * p->scale[k];
}

// From the least squares in x->best, which tell what is hidden.
limb_status limb_solve_instrumental(limb_ident* x)
{
  products p = {0};
  limb_status s = reserve(x, &p) ? sum_up(x, x->best.x, &p) : LIMB_E_NOMEM;
  if (s == LIMB_OK && !limb_lu_factor(p.m, p.ZA, p.pivot, p.work)) {
    limb_ident_report(x, "the instruments do not show what the motion shows: least squares are kept");
  } else if (s == LIMB_OK) {
    limb_lu_solve(p.m, p.ZA, p.pivot, p.Zt);
    for (int i = 0; i < p.m; i++) x->best.x[p.column[i]] = p.Zt[i] * p.scale[i];
    put_covariance(x, &p);
  }
  free(p.column), free(p.ZA);
  return s;
}
