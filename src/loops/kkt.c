// Forward dynamics with loops: all equations at once.
//
// Reference: Ghosal 2010, (14)-(17) (saddle form); Featherstone 2008, section 8.3.
// Cost:      O((n + m)^3).
//
//     [ M  R' ] [  a  ]   [ tau - h ]
//     [ R  0  ] [ -mu ] = [ b       ]         R x = b: the independent rows (schur.c), Psi' lambda = R' mu
//
// M may be singular: the matrix is regular when M is positive definite along the motions that R leaves, and
// then has as many positive eigenvalues as there are velocities, and as many negative ones as rows. Rows
// and columns are scaled by D, so that the diagonal of M and the largest entry of each row of R are 1; what
// vanishes besides that is rounding.

#include "linalg/dense.h"
#include "loops/forward_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct saddle {
  int n, rank, size; // size = n + rank
  double *K, *LD;    // the scaled matrix, its factors
  double *M, *R;     // as they are
  double *scale, *rhs, *x;
} saddle;

// Where everything is: a part of dense scratch has (nv + nrow + 1)^2 numbers. After the matrices, which take
// (nv + rank)^2, there is room for 2 (nv + nrow) + 1 more.
static saddle lay_out(const limb_loops* w)
{
  const limb_dense dense = limb_dense_parts(w);
  const size_t n = (size_t)w->m->nv, most = n + (size_t)w->m->nrow;
  saddle k = {.n = w->m->nv, .K = dense.part[0], .LD = dense.part[1], .M = dense.part[2]};
  k.R = k.M + n * n; // n^2 + nrow n <= most^2
  k.scale = k.K + most * most;
  k.rhs = k.LD + most * most;
  k.x = k.M + most * most;
  return k;
}

// h, friction, springs, wrenches: tau of the motion without acceleration.
static limb_status find_right_side(limb_loops* w, const limb_forward_in* in, double* rhs)
{
  double *none = w->v1, *h = w->v2;
  memset(none, 0, (size_t)w->m->nv * sizeof *none);
  const limb_status s = limb_inverse_dynamics(w->d, in->q, in->v, none, in->env, h);
  for (int i = 0; i < w->m->nv; i++) rhs[i] = in->tau[i] - h[i];
  return s;
}

static void find_scales(const saddle* k)
{
  double most = 0;
  for (ptrdiff_t i = 0; i < k->n; i++) most = fmax(most, k->M[i * k->n + i]);
  for (ptrdiff_t i = 0; i < k->n; i++) {
    const double d = k->M[i * k->n + i];
    k->scale[i] = d > DBL_EPSILON * most ? 1 / sqrt(d) : most > 0 ? 1 / sqrt(most) : 1;
  }
  for (ptrdiff_t r = 0; r < k->rank; r++) {
    double largest = 0;
    for (ptrdiff_t i = 0; i < k->n; i++) largest = fmax(largest, fabs(k->R[r * k->n + i]) * k->scale[i]);
    k->scale[k->n + r] = 1 / largest; // R has a 1 in every row
  }
}

// K = D [M R'; R 0] D, and its factors. False when it is not regular, or not as it should be.
static bool factor(const saddle* k, int* pivot)
{
  const ptrdiff_t n = k->n, N = k->size;
  memset(k->K, 0, (size_t)(N * N) * sizeof *k->K);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) k->K[i * N + j] = k->M[i * n + j] * k->scale[i] * k->scale[j];
    for (ptrdiff_t r = 0; r < k->rank; r++)
      k->K[i * N + n + r] = k->K[(n + r) * N + i] = k->R[r * n + i] * k->scale[i] * k->scale[n + r];
  }
  memcpy(k->LD, k->K, (size_t)(N * N) * sizeof *k->K);
  int negative;
  const double rounding = 4 * k->size * DBL_EPSILON;
  return limb_indefinite_factor(k->size, rounding, k->LD, pivot, &negative) && negative == k->rank;
}

// K y = D rhs, x = D y. The second step takes the rounding of the first one away.
static void solve(const saddle* k, const int* pivot, double* y, double* rest)
{
  enum { STEPS = 2 };
  const size_t N = (size_t)k->size;
  memset(y, 0, N * sizeof *y);
  for (int step = 0; step < STEPS; step++) {
    for (size_t i = 0; i < N; i++) rest[i] = k->scale[i] * k->rhs[i] - limb_dot(N, k->K + i * N, y);
    limb_indefinite_solve(k->size, k->LD, pivot, rest);
    for (size_t i = 0; i < N; i++) y[i] += rest[i];
  }
  for (size_t i = 0; i < N; i++) k->x[i] = k->scale[i] * y[i];
}

limb_status limb_forward_by_kkt(limb_loops* w, const limb_forward_in* in, double tolerance, double* a, double* lambda)
{
  saddle k = lay_out(w);
  limb_status s = find_right_side(w, in, k.rhs);
  if (s == LIMB_OK) s = limb_mass_matrix(w->d, in->q, k.M);
  if (s != LIMB_OK) return s;
  k.rank = limb_independent_rows(w, LIMB_CARRY_GAMMA, tolerance, k.R, k.rhs + k.n);
  k.size = k.n + k.rank;
  find_scales(&k);
  if (!factor(&k, w->order)) return LIMB_E_SINGULAR;
  solve(&k, w->order, k.scale + k.size, k.rhs + k.size);
  memcpy(a, k.x, (size_t)k.n * sizeof *a);
  if (!lambda) return LIMB_OK;
  double* f = w->v1;
  for (int i = 0; i < k.n; i++) { // f = R' mu
    f[i] = 0;
    for (ptrdiff_t r = 0; r < k.rank; r++) f[i] -= k.R[r * k.n + i] * k.x[k.n + r];
  }
  limb_least_multipliers(w, f, tolerance, lambda);
  return LIMB_OK;
}
