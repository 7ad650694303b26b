// Forward dynamics with loops, regularised and iterated: for rows that depend on each other, or nearly do.
//
// Reference: J. Carpentier, R. Budhiraja, N. Mansard, Proximal and sparse resolution of constrained dynamic
//            equations, RSS 2021; R. Rockafellar, Augmented Lagrangians and applications of the proximal
//            point algorithm, 1976.
// Cost:      O(n m^2 + m^3) once, O(n m) per step.
//
//     (Psi M^-1 Psi' + rho 1) dlambda = gamma - Psi a,     a += M^-1 Psi' dlambda
//
// from a of the tree and lambda = 0 on. The matrix is positive definite whatever the rows are, and no rank
// is decided on to find a. A direction in which Psi M^-1 Psi' is sigma loses all but rho / (sigma + rho) of
// its error in a step; one in which it is zero stays, and does not matter to a. The steps end when the rows
// do not come nearer any more.
//
//   rho         regularisation times the mean of the diagonal
//   B, X        live rows of Psi, and M^-1 of them

#include "linalg/dense.h"
#include "loops/derivatives_impl.h"
#include "loops/forward_impl.h"

#include <math.h>
#include <string.h>

// Residuals that do not fall below this share of the one before have stopped falling.
#define STILL_FALLING 0.99

typedef struct regular {
  int n, rows;
  double *B, *X, *A;
  double *target, *rest; // rows: gamma of the live ones, and what is left of it
  double* f;             // n: Psi' lambda
} regular;

static void find_rows(const limb_loops* w, regular* p)
{
  const limb_model* m = w->m;
  p->rows = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    for (int i = 0; i < w->nlive[c]; i++, p->rows++) {
      const int r = k->row + w->live[k->row + i];
      limb_loop_full_row(w, r, p->B + (ptrdiff_t)p->rows * m->nv);
      p->target[p->rows] = w->gamma[r];
    }
  }
}

// A = Psi M^-1 Psi' + rho 1, factored
static bool factor(const regular* p, double regularisation)
{
  double trace = 0;
  for (ptrdiff_t i = 0; i < p->rows; i++) {
    for (ptrdiff_t j = 0; j <= i; j++) p->A[i * p->rows + j] = limb_dot((size_t)p->n, p->B + i * p->n, p->X + j * p->n);
    trace += p->A[i * p->rows + i];
  }
  const double rho = trace > 0 ? regularisation * trace / p->rows : 1;
  for (ptrdiff_t i = 0; i < p->rows; i++) p->A[i * p->rows + i] += rho;
  return limb_cholesky(p->rows, p->A);
}

// rest = target - Psi a; the largest of it.
static double find_rest(const regular* p, const double* a)
{
  double largest = 0;
  for (ptrdiff_t i = 0; i < p->rows; i++) {
    p->rest[i] = p->target[i] - limb_dot((size_t)p->n, p->B + i * p->n, a);
    largest = fmax(largest, fabs(p->rest[i]));
  }
  return largest;
}

static void step(const regular* p, double* a)
{
  limb_cholesky_solve(p->rows, p->A, p->rest);
  for (ptrdiff_t i = 0; i < p->rows; i++) {
    const double *B = p->B + i * p->n, *X = p->X + i * p->n;
    for (int j = 0; j < p->n; j++) {
      a[j] += p->rest[i] * X[j];
      p->f[j] += p->rest[i] * B[j];
    }
  }
}

limb_status limb_forward_by_proximal(limb_loops* w, const limb_forward_in* in, const limb_closed_options* o, double* a,
                                     double* lambda, int* iterations)
{
  const limb_dense dense = limb_dense_parts(w);
  regular p = {.n = w->m->nv, .B = dense.part[0], .X = dense.part[1], .A = dense.part[2]};
  p.target = w->r1, p.rest = w->r2, p.f = w->v1;
  limb_status s = limb_forward_dynamics(w->d, in->q, in->v, in->tau, in->env, a);
  if (s != LIMB_OK) return s;
  find_rows(w, &p);
  s = limb_mass_matrix_solve(w->d, in->q, p.rows, p.B, p.X);
  if (s != LIMB_OK) return s;
  if (!factor(&p, o->regularisation)) return LIMB_E_SINGULAR;
  memset(p.f, 0, (size_t)p.n * sizeof *p.f);
  double before = HUGE_VAL, left = find_rest(&p, a);
  for (*iterations = 0; *iterations < o->iterations; ++*iterations) {
    if (!(left > 0) || !(left < STILL_FALLING * before)) break;
    step(&p, a);
    before = left, left = find_rest(&p, a);
  }
  // Rounding adds to lambda where it does not matter to a: not to the one of least norm.
  if (lambda) limb_least_multipliers(w, p.f, o->loops.tolerance, lambda);
  return LIMB_OK;
}
