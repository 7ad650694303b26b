// What is about to be written, evaluated in random states and compared with the library.
#include "symbolic/equations_impl.h"

#include "limb/assemble.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { STATES = 5, TRIES = 20 };

static const double AGREES = 1e-9;

typedef struct trial {
  limb_equations* x;
  limb_data* data;
  limb_loops* loops;
  double* value; // of all variables
  double *q, *v, *a, *ours, *theirs;
  double least; // size of what counts
} trial;

// ---- states -----------------------------------------------------------------------------------------------

static void set_values(const trial* t)
{
  const limb_equations* x = t->x;
  const limb_model* m = x->m;
  for (int i = 0; i < x->parameters.count; i++) t->value[i] = x->parameters.list[i].value;
  for (int k = 0; k < x->nangle; k++) {
    double angle = x->angle[k].offset;
    for (int i = 0; i < m->nq; i++) angle += x->angle[k].weight[i] * t->q[i];
    t->value[limb_cosine(x, k)] = cos(angle), t->value[limb_sine(x, k)] = sin(angle);
  }
  for (int i = 0; i < m->nq; i++) t->value[x->first_q + i] = t->q[i];
  for (int i = 0; i < m->nv; i++) {
    t->value[x->first_sign + i] = (t->v[i] > 0) - (t->v[i] < 0);
    t->value[x->first_v + i] = t->v[i], t->value[x->first_a + i] = t->a[i];
  }
}

static double value(const trial* t, limb_poly a) { return limb_poly_value(t->x->ring, a, t->value); }

// ---- comparing --------------------------------------------------------------------------------------------

static double largest(const double* x, int n)
{
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

static limb_status agree(const trial* t, const char* what, int n)
{
  double apart = 0;
  const double size = fmax(largest(t->theirs, n), t->least);
  for (int i = 0; i < n; i++) {
    const double d = fabs(t->ours[i] - t->theirs[i]);
    if (!(d <= apart)) apart = d; // NaN stays, and is no agreement
    if (isnan(d)) break;
  }
  if (apart <= AGREES * size) return LIMB_OK;
  return limb_fail(t->x->error, LIMB_E_UNSUPPORTED, what,
                   "the equations and the library differ by %.2g of %.2g: nothing is written", apart, size);
}

static void evaluate(const trial* t, const limb_poly* A, int n)
{
  for (int i = 0; i < n; i++) t->ours[i] = value(t, A[i]);
}

static limb_status check_matrices(trial* t, unsigned needs)
{
  const limb_equations* x = t->x;
  const int n = x->nv;
  limb_status s = limb_mass_matrix(t->data, t->q, t->theirs);
  if (s == LIMB_OK) t->least = 1e-6 * largest(t->theirs, n * n);
  if (s == LIMB_OK && limb_asks(needs, WHAT_M)) {
    evaluate(t, x->M, n * n);
    s = agree(t, "M", n * n);
  }
  if (s == LIMB_OK && limb_asks(needs, WHAT_C)) {
    s = limb_coriolis_matrix(t->data, t->q, t->v, t->theirs);
    evaluate(t, x->C, n * n);
    if (s == LIMB_OK) s = agree(t, "C", n * n);
  }
  if (s == LIMB_OK && limb_asks(needs, WHAT_G)) {
    s = limb_gravity_forces(t->data, t->q, NULL, t->theirs);
    evaluate(t, x->g, n);
    if (s == LIMB_OK) s = agree(t, "g", n);
  }
  return s;
}

// h = C v + g;  tau = M a + h + what is lost
static limb_status check_forces(const trial* t, unsigned needs)
{
  const limb_equations* x = t->x;
  const int n = x->nv;
  if (!limb_asks(needs, WHAT_H)) return LIMB_OK;
  for (int i = 0; i < n; i++) t->ours[i] = value(t, x->Cv[i]) + value(t, x->g[i]);
  limb_status s = limb_bias_forces(t->data, t->q, t->v, NULL, t->theirs);
  if (s == LIMB_OK) s = agree(t, "h", n);
  if (s != LIMB_OK || !limb_asks(needs, WHAT_TAU)) return s;
  for (int i = 0; i < n; i++) {
    t->ours[i] += value(t, x->lost[i]);
    for (int j = 0; j < n; j++) t->ours[i] += value(t, x->M[i * n + j]) * t->a[j];
  }
  s = limb_inverse_dynamics(t->data, t->q, t->v, t->a, NULL, t->theirs);
  return s == LIMB_OK ? agree(t, "tau", n) : s;
}

// ---- loops ------------------------------------------------------------------------------------------------

// Takes from row b (n entries) its part along row a, of length one.
static void take_part(const double* a, double* b, int n)
{
  double along = 0;
  for (int k = 0; k < n; k++) along += a[k] * b[k];
  for (int k = 0; k < n; k++) b[k] -= along * a[k];
}

static double length(const double* a, int n)
{
  double square = 0;
  for (int k = 0; k < n; k++) square += a[k] * a[k];
  return sqrt(square);
}

// Rows made orthonormal; those that depend on others are left out. Their number.
static int orthonormal(double* A, int rows, int n)
{
  int kept = 0;
  double size = 0;
  for (int i = 0; i < rows; i++) size = fmax(size, length(A + (ptrdiff_t)i * n, n));
  for (int i = 0; i < rows; i++) {
    double *row = A + (ptrdiff_t)i * n, *to = A + (ptrdiff_t)kept * n;
    for (int pass = 0; pass < 2; pass++) {
      for (int k = 0; k < kept; k++) take_part(A + (ptrdiff_t)k * n, row, n);
    }
    const double left = length(row, n);
    if (left <= 1e-7 * size) continue;
    for (int k = 0; k < n; k++) to[k] = row[k] / left;
    kept++;
  }
  return kept;
}

// On the surface of the constraints both matrices have the same rows, but for combinations.
static limb_status check_rows(const trial* t)
{
  const limb_equations* x = t->x;
  const int n = x->nv, nc = limb_row_count(x->m);
  const limb_loop_equations out = {.Psi = t->theirs};
  limb_status s = limb_loop_equations_at(t->loops, t->q, NULL, NULL, &out);
  if (s != LIMB_OK) return s;
  evaluate(t, x->Psi, x->nrow * n);
  const int theirs = orthonormal(t->theirs, nc, n);
  double apart = 0;
  for (int i = 0; i < x->nrow; i++) {
    double* row = t->ours + (ptrdiff_t)i * n;
    const double size = length(row, n);
    for (int k = 0; k < theirs; k++) take_part(t->theirs + (ptrdiff_t)k * n, row, n);
    if (size > 0) apart = fmax(apart, length(row, n) / size);
  }
  evaluate(t, x->Psi, x->nrow * n);
  const int ours = orthonormal(t->ours, x->nrow, n);
  if (apart <= 1e-7 && ours == theirs) return LIMB_OK;
  return limb_fail(x->error, LIMB_E_UNSUPPORTED, "Psi",
                   "the rows and the library's differ (%.2g; rank %d, %d): nothing is written", apart, ours, theirs);
}

static limb_status check_loops(const trial* t)
{
  uint64_t seed = 7;
  limb_status s = limb_start(t->x->m, t->q);
  int checked = 0;
  for (int k = 0; k < TRIES && s == LIMB_OK && checked < STATES; k++) {
    const bool closed = limb_assemble(t->loops, NULL, t->q, NULL) == LIMB_OK;
    set_values(t);
    if (closed) s = check_rows(t), checked++;
    if (s == LIMB_OK) s = limb_random(t->x->m, &seed, t->q);
  }
  if (s == LIMB_OK && checked == 0)
    return limb_fail(t->x->error, LIMB_E_UNSUPPORTED, "Psi",
                     "no configuration closes the loops: the rows cannot be compared");
  return s;
}

// ---- all --------------------------------------------------------------------------------------------------

static limb_status check_states(trial* t, unsigned what)
{
  uint64_t seed = 3;
  limb_status s = LIMB_OK;
  for (int k = 0; k < STATES && s == LIMB_OK; k++) {
    s = limb_random(t->x->m, &seed, t->q);
    for (int i = 0; i < t->x->nv; i++) {
      t->v[i] = limb_random_sign(&seed), t->a[i] = limb_random_sign(&seed);
    }
    set_values(t);
    if (s == LIMB_OK) s = check_matrices(t, limb_needs(what));
    if (s == LIMB_OK) s = check_forces(t, limb_needs(what));
  }
  if (s == LIMB_OK && what & 1U << WHAT_PSI) s = check_loops(t);
  return s;
}

limb_status limb_equations_check(limb_equations* x, unsigned what)
{
  const limb_model* m = x->m;
  const limb_allocator* alloc = &x->program->alloc;
  const size_t n = (size_t)m->nv, rows = (size_t)limb_row_count(m) + (size_t)x->nrow + n + 1;
  trial t = {.x = x};
  t.value = limb_ring_take(x->ring, (size_t)limb_ring_count(x->ring), sizeof *t.value);
  t.q = limb_ring_take(x->ring, (size_t)m->nq, sizeof *t.q);
  t.v = limb_ring_take(x->ring, n, sizeof *t.v);
  t.a = limb_ring_take(x->ring, n, sizeof *t.a);
  t.ours = limb_ring_take(x->ring, n * rows, sizeof *t.ours);
  t.theirs = limb_ring_take(x->ring, n * rows, sizeof *t.theirs);
  limb_status s = limb_ring_status(x->ring);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(m), alloc, &t.data);
  if (s == LIMB_OK && what & 1U << WHAT_PSI) s = limb_loops_create(m, LIMB_LOOPS_LINEAR, alloc, &t.loops);
  if (s == LIMB_OK) s = check_states(&t, what);
  limb_loops_destroy(t.loops);
  limb_data_destroy(t.data);
  return s;
}
