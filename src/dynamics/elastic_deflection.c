// Static deflection: where joints that give way come to rest under load. Newton's method.
//
// Cost: O(n depth + f^3) for each iteration, with f coordinates that give way.
//
//   r(q) = springs(q) + g(q) - sum J' wrench - tau       forces out of balance, of those that give way
//   K = d r / d q,   q <- q (+) t x,   K x = -r          t = 1, 1/2, 1/4, ... until |r| falls; |t x| <= 1
//
// Where K has a pivot that is not positive, a load that pushes outweighs the springs; a step then goes
// downhill with each diagonal entry raised by its row and by |r_i|, which makes x at most 1. An equilibrium
// with such a K is none to come to rest at.

#include "limb/derivatives.h"
#include "limb/dynamics.h"

#include "base/numeric.h"
#include "base/status.h"
#include "dynamics/dynamics_impl.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct balance {
  limb_data* d;
  const unsigned char* given;
  const double* tau; // NULL: zero
  const limb_environment* env;
  int n;       // coordinates that give way
  double* K;   // n x n; capacity nv x nv
  double* r;   // n
  double* x;   // nv: the step, zero where nothing gives way
  double* old; // n: the diagonal of K; capacity nv
  double* at;  // nq
  double left; // largest of r that is more than rounding
} balance;

static double square(int n, const double* x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

// Of nv forces those out of balance, in place.
static void pick(const balance* b, double* r)
{
  for (int k = 0, i = 0; k < b->d->m->nv; k++) {
    if (b->given[k] == LIMB_FORCE_GIVEN) r[i++] = r[k] - (b->tau ? b->tau[k] : 0);
  }
}

// A force is rounding where it is no more than that of the stiffnesses in its own row.
static void measure(balance* b)
{
  const double farthest = fmax(1, limb_largest((size_t)b->d->m->nq, b->at));
  b->left = 0;
  for (int i = 0; i < b->n; i++) {
    const double* row = b->K + (ptrdiff_t)i * b->n;
    double stiffness = 0;
    for (int j = 0; j < b->n; j++) stiffness += fabs(row[j]);
    if (fabs(b->r[i]) > 32 * DBL_EPSILON * farthest * stiffness) b->left = fmax(b->left, fabs(b->r[i]));
  }
}

// r and K at b->at.
static limb_status look(balance* b)
{
  const limb_model* m = b->d->m;
  const double* rest = b->d->zeros;
  const limb_id_derivatives out = {b->r, b->K, NULL, NULL};
  const limb_status s = limb_inverse_dynamics_derivatives(b->d, b->at, rest, rest, b->env, &out);
  if (s != LIMB_OK) return s;
  pick(b, b->r);
  double* to = b->K;
  for (int i = 0; i < m->nv; i++) {
    if (b->given[i] != LIMB_FORCE_GIVEN) continue;
    for (int k = 0; k < m->nv; k++) {
      if (b->given[k] == LIMB_FORCE_GIVEN) *to++ = b->K[(ptrdiff_t)i * m->nv + k];
    }
  }
  measure(b);
  return LIMB_OK;
}

// x = -K^-1 r by exchange steps. False unless every pivot is positive and more than rounding.
static bool solve(balance* b)
{
  const int n = b->n, nv = b->d->m->nv;
  for (int i = 0; i < n; i++) b->old[i] = b->K[(ptrdiff_t)i * (n + 1)];
  for (int i = 0; i < n; i++) {
    const double min_pivot = 4 * (double)n * DBL_EPSILON * fabs(b->old[i]);
    if (!limb_exchange(n, i, min_pivot, b->K)) return false;
  }
  for (int k = 0, i = 0; k < nv; k++) {
    b->x[k] = 0;
    if (b->given[k] != LIMB_FORCE_GIVEN) continue;
    for (int j = 0; j < n; j++) b->x[k] -= b->K[(ptrdiff_t)i * n + j] * b->r[j];
    i++;
  }
  return true;
}

// A step downhill where nothing pulls back.
static limb_status slide(balance* b)
{
  const limb_status s = look(b);
  if (s != LIMB_OK) return s;
  for (int i = 0; i < b->n; i++) {
    double* row = b->K + (ptrdiff_t)i * b->n;
    double sum = fabs(b->r[i]);
    for (int j = 0; j < b->n; j++) sum += fabs(row[j]);
    row[i] += sum;
  }
  if (!solve(b)) return LIMB_E_SINGULAR;
  return limb_integrate(b->d->m, b->at, b->x, 1, b->at);
}

// The longest of the steps x, x / 2, x / 4, ... that brings the forces nearer to balance.
static limb_status search(balance* b)
{
  const limb_model* m = b->d->m;
  const double* rest = b->d->zeros;
  const double before = square(b->n, b->r);
  double *next = b->K, *r = b->old; // neither is needed any more; nq <= nv^2
  const double whole = 1 / fmax(1, limb_largest((size_t)m->nv, b->x));
  for (int half = 0; half < 30; half++) {
    const double t = ldexp(whole, -half);
    limb_status s = limb_integrate(m, b->at, b->x, t, next);
    if (s == LIMB_OK) s = limb_inverse_dynamics(b->d, next, rest, rest, b->env, r);
    if (s != LIMB_OK && s != LIMB_E_NONFINITE) return s;
    if (s != LIMB_OK) continue; // too far
    pick(b, r);
    if (square(b->n, r) < (1 - 1e-4 * t) * before) {
      memcpy(b->at, next, (size_t)m->nq * sizeof *next);
      return LIMB_OK;
    }
  }
  return LIMB_E_NOCONV;
}

// The largest force on what gives way: at rest, that of a spring or one that was given.
static double load_scale(balance* b, limb_status* s)
{
  double largest = b->tau ? limb_largest((size_t)b->d->m->nv, b->tau) : 0;
  *s = limb_spring_forces(b->d, b->at, b->old);
  if (*s != LIMB_OK) return 0;
  for (int k = 0; k < b->d->m->nv; k++) {
    if (b->given[k] == LIMB_FORCE_GIVEN) largest = fmax(largest, fabs(b->old[k]));
  }
  return largest;
}

// The step that is left is as small as the forces: a soft spring moves far under what a hard one does not
// feel.
static bool arrived(const balance* b, const limb_deflection* o)
{
  const limb_model* m = b->d->m;
  return limb_largest((size_t)m->nv, b->x) <= o->tolerance * fmax(1, limb_largest((size_t)m->nq, b->at));
}

static limb_status relax(balance* b, limb_deflection* o)
{
  for (o->iterations = 0;; o->iterations++) {
    limb_status s;
    const double load = load_scale(b, &s);
    if (s == LIMB_OK) s = look(b);
    if (s != LIMB_OK) return s;
    o->out_of_balance = limb_largest((size_t)b->n, b->r);
    const bool held = solve(b), balanced = b->left <= o->tolerance * load;
    const bool last = o->iterations >= o->max_iterations;
    if (!held && (balanced || last)) return LIMB_E_SINGULAR;
    if (balanced && (last || arrived(b, o))) return LIMB_OK;
    if (last) return LIMB_E_NOCONV;
    s = held ? search(b) : slide(b);
    if (s == LIMB_E_NOCONV && balanced) return LIMB_OK; // no nearer for rounding
    if (s != LIMB_OK) return s;
  }
}

limb_deflection limb_default_deflection(void)
{
  return (limb_deflection){.size = sizeof(limb_deflection), .tolerance = 1e-12, .max_iterations = 50};
}

static limb_status read_options(const limb_deflection* o, limb_deflection* own)
{
  *own = limb_default_deflection();
  if (!o) return LIMB_OK;
  const limb_status s = limb_sized_read(own, sizeof *own, o, sizeof *own);
  if (s != LIMB_OK) return s;
  if (!limb_finite(1, &own->tolerance)) return LIMB_E_NONFINITE;
  return own->tolerance >= 0 && own->max_iterations >= 0 ? LIMB_OK : LIMB_E_ARG;
}

limb_status limb_static_deflection(limb_data* d, const unsigned char* given, const double* tau,
                                   const limb_environment* env, limb_deflection* o, double* work, double* q)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d || !work || !q) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_deflection own;
  limb_status s = read_options(o, &own);
  if (s == LIMB_OK) s = limb_check_state(d, q, tau, NULL);
  if (s != LIMB_OK) return s;
  const size_t nv = (size_t)m->nv;
  balance b = {.d = d, .tau = tau, .env = env};
  b.K = work, b.r = b.K + nv * nv, b.x = b.r + nv, b.old = b.x + nv, b.at = b.old + nv;
  unsigned char* elastic = (unsigned char*)(b.at + m->nq); // the last nv numbers
  if (!given) s = limb_given_for_elastic(m, elastic);
  b.given = limb_read_given(d, given ? given : elastic);
  if (!b.given || s != LIMB_OK) return LIMB_E_ARG;
  for (int k = 0; k < m->nv; k++) b.n += b.given[k] == LIMB_FORCE_GIVEN;
  memcpy(b.at, q, (size_t)m->nq * sizeof *q);
  s = relax(&b, &own);
  if (o) o->iterations = own.iterations, o->out_of_balance = own.out_of_balance;
  if (s == LIMB_OK) memcpy(q, b.at, (size_t)m->nq * sizeof *q);
  return s;
}
