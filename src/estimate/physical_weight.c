// The weight of the model in the physical fit: by cross-validation, or at the corner of the L-curve.
//
// Reference: P. Hansen, D. O'Leary, The use of the L-curve in the regularization of discrete ill-posed problems, SIAM
//            J. Scientific Computing 14(6), 1993; M. Stone, Cross-validatory choice and assessment of statistical
//            predictions, 1974.
// Cost:      six weights, each on five folds, or once on the whole log.
#include "estimate/physical_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHTS = 6 };

// ---- cross-validation -------------------------------------------------------------------------------------

// Triangles of the folds, consecutive parts of what is fitted.
limb_status limb_physical_folds(limb_ident* x, limb_triangle* fold)
{
  limb_status s = LIMB_OK;
  unsigned char* role = malloc((size_t)x->count + 1);
  if (!role) return LIMB_E_NOMEM;
  memcpy(role, x->role, (size_t)x->count);
  for (int f = 0; f < FOLDS && s == LIMB_OK; f++) {
    for (int k = 0, seen = 0; k < x->count; k++) {
      x->role[k] = role[k] && (long long)seen * FOLDS / x->train == f;
      seen += role[k];
    }
    s = limb_triangle_make(x->n, &fold[f]) ? limb_gather(x, BY_NOISE, NULL, &fold[f]) : LIMB_E_NOMEM;
  }
  memcpy(x->role, role, (size_t)x->count);
  free(role);
  return s;
}

// All folds but one.
limb_status limb_physical_merge(const limb_ident* x, const limb_triangle* fold, int without, limb_triangle* out)
{
  limb_status s = limb_triangle_make(x->n, out) ? LIMB_OK : LIMB_E_NOMEM;
  for (int f = 0; f < FOLDS && s == LIMB_OK; f++)
    if (f != without) s = limb_triangle_merge(out, 1, &fold[f]);
  return s;
}

// Squares that a fold leaves: those of its rows, by the parameters of the others.
static double left_over(physical* p, const limb_triangle* t)
{
  double sum = 0;
  limb_physical_equations(p, t);
  (void)limb_physical_value(p, p->u);
  for (int i = 0; i < p->x->n; i++) sum += p->residual[i] * p->residual[i];
  return sum;
}

limb_status limb_cross_validate(physical* p, const limb_triangle* fold, double* weight)
{
  double error[WEIGHTS] = {0};
  limb_status s = LIMB_OK;
  for (int f = 0; f < FOLDS && s == LIMB_OK; f++) {
    limb_triangle others;
    s = limb_physical_merge(p->x, fold, f, &others);
    memcpy(p->u, p->start, (size_t)p->nu * sizeof *p->u);
    bool solved = s == LIMB_OK;
    for (int i = 0; i < WEIGHTS; i++) {
      limb_physical_equations(p, &others);
      p->weight = LARGEST_WEIGHT / pow(WEIGHT_RATIO, i);
      solved = solved && limb_physical_minimise(p) == LIMB_OK;
      error[i] += solved ? left_over(p, &fold[f]) : HUGE_VAL;
    }
    limb_triangle_free(&others);
  }
  int best = 0;
  for (int i = 1; i < WEIGHTS; i++) best = error[i] < error[best] ? i : best;
  *weight = LARGEST_WEIGHT / pow(WEIGHT_RATIO, best);
  return s == LIMB_OK && !isfinite(error[best]) ? LIMB_E_NOCONV : s;
}

// ---- the L-curve --------------------------------------------------------------------------------------------

// Curvature of the polygon (a, b) at point i, by the circle through it and its neighbours.
static double curvature(const double* a, const double* b, int i)
{
  const double ux = a[i] - a[i - 1], uy = b[i] - b[i - 1], wx = a[i + 1] - a[i], wy = b[i + 1] - b[i];
  const double size = hypot(ux, uy) * hypot(wx, wy) * hypot(ux + wx, uy + wy);
  return size > 0 ? 2 * (ux * wy - uy * wx) / size : 0;
}

// Logarithms of the squares that are left and of the divergence, from the largest weight to the smallest: along the
// curve the squares fall first, then the divergence rises; the corner turns most, clockwise or not as it is drawn.
limb_status limb_l_curve(physical* p, const limb_triangle* all, double* weight)
{
  const double rho = all->R[(size_t)(all->n + 1) * (size_t)(all->n + 1) - 1]; // what no parameters explain
  double left[WEIGHTS], far[WEIGHTS], sharpest = 0;
  limb_physical_equations(p, all);
  memcpy(p->u, p->start, (size_t)p->nu * sizeof *p->u);
  for (int i = 0; i < WEIGHTS; i++) {
    p->weight = LARGEST_WEIGHT / pow(WEIGHT_RATIO, i);
    const limb_status s = limb_physical_minimise(p);
    if (s != LIMB_OK) return s;
    left[i] = log(left_over(p, all) + rho * rho + 1e-300), far[i] = log(limb_physical_divergence(p) + 1e-300);
  }
  int corner = WEIGHTS / 2;
  for (int i = 1; i + 1 < WEIGHTS; i++)
    if (fabs(curvature(left, far, i)) > sharpest) corner = i, sharpest = fabs(curvature(left, far, i));
  *weight = LARGEST_WEIGHT / pow(WEIGHT_RATIO, corner);
  return LIMB_OK;
}
