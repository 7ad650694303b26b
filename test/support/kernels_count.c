// The kernels over the counting scalar, and the counts of whole calls.

#include "support/count.h"
#include "support/real_count.h"
#include "support/scalars.h"

#include "base/numeric.h"

#include <math.h>
#include <string.h>

typedef LIMB_LINK_CONST(par) link_count;

LIMB_KERNEL_TYPES(kernel_set_count, real, link_count);

KERNEL bool any_nonfinite(int n, const real* x)
{
  (void)n, (void)x;
  return false;
}

KERNEL bool any_nonfinite_input(int n, const real* x) { return any_nonfinite(n, x); }

KERNEL void sines(int n, const real* x, real* s, real* c)
{
  for (int i = 0; i < n; i++) {
    const uint32_t node = record(OP_SINCOS, x[i].node, 0);
    s[i] = (real){sin(x[i].x), node, 0};
    c[i] = (real){cos(x[i].x), node, 0};
  }
}

// Only a comparison as long as it is not smoothed, as here.
KERNEL real sign_of(real x, double width) { return (real){limb_smooth_sign(x.x, width), x.node, 0}; }

KERNEL real root(real x) { return (real){sqrt(x.x), record(OP_DIV, x.node, 0), 0}; }

#define LINK_CONST link_count
#define KERNEL_SET kernel_set_count
// One case serves all classes: the scalar, not the compiler, removes what the class fixes.
#define JOINT_CLASS_AT_RUN_TIME 1
#define WITHIN_CASE(...) \
  begin_case();          \
  __VA_ARGS__            \
  end_case();
#include "kernel/kernel_set.h"

// ---- calls ----------------------------------------------------------------------------------------

static void* take(size_t n, size_t size)
{
  void* p = calloc(n ? n : 1, size);
  if (!p) abort();
  return p;
}

static link_count* constants(const limb_model* m)
{
  enum { COUNT = sizeof(limb_link_f64) / sizeof(double) };
  _Static_assert(sizeof(link_count) == COUNT * sizeof(par), "constants are of one type");
  link_count* k = take((size_t)m->nlink, sizeof *k);
  for (int i = 0; i < m->nlink; i++) {
    double from[COUNT];
    par to[COUNT];
    memcpy(from, &m->k64[i], sizeof from);
    for (int j = 0; j < COUNT; j++) to[j] = parameter(from[j]);
    memcpy(&k[i], to, sizeof to);
  }
  return k;
}

static real* inputs(int n, const double* x)
{
  real* y = take((size_t)n, sizeof *y);
  for (int i = 0; i < n; i++) y[i] = (real){x[i], 0, 0};
  return y;
}

typedef struct call {
  scalar_space space;
  link_count* k;
  real *q, *v, *in, *out;
  size_t nout;
} call;

// v and in may be NULL.
static call begin_call(const limb_model* m, const double* q, const double* v, const double* in, size_t nout)
{
  return (call){.space = scalar_space_make(m, sizeof(real)),
                .k = constants(m),
                .q = inputs(m->nq, q),
                .v = v ? inputs(m->nv, v) : NULL,
                .in = in ? inputs(m->nv, in) : NULL,
                .out = take(nout, sizeof(real)),
                .nout = nout};
}

// Whatever a kernel stores in the workspace is computed, too. All of it is scalars but base and marks.
static void keep_workspace(const limb_model* m, scalar_space* s)
{
  limb_arena_release(s->block, s->size);
  memset(s->ws.base, 0, (size_t)m->nroot * LIMB_WS_STATE * sizeof(double));
  memset(s->ws.given, 0, (size_t)m->ncdof);
  keep_live(s->block, s->size / sizeof(real));
}

static limb_count end_call(call* c, const limb_model* m, const real* min_pivot, double* out)
{
  keep_workspace(m, &c->space);
  keep_live(c->out, c->nout);
  if (min_pivot) keep_live(min_pivot, 1);
  for (size_t i = 0; i < c->nout; i++) out[i] = c->out[i].x;
  scalar_space_free(&c->space);
  free(c->k);
  free(c->q);
  free(c->v);
  free(c->in);
  free(c->out);
  return count_live();
}

static const limb_terms all_terms = {true, true, true, 0};

limb_count limb_counted_rnea(const limb_model* m, const double* q, const double* v, const double* a, double* tau)
{
  call c = begin_call(m, q, v, a, (size_t)m->nv);
  set_inverse_dynamics(m, c.k, &c.space.ws, c.q, c.v, c.in, &all_terms, NULL, c.out);
  return end_call(&c, m, NULL, tau);
}

limb_count limb_counted_crba(const limb_model* m, const double* q, double* M)
{
  call c = begin_call(m, q, NULL, NULL, (size_t)m->nv * (size_t)m->nv);
  set_mass_matrix(m, c.k, &c.space.ws, c.q, c.out);
  return end_call(&c, m, NULL, M);
}

limb_count limb_counted_coriolis(const limb_model* m, const double* q, const double* v, double* C)
{
  call c = begin_call(m, q, v, NULL, (size_t)m->nv * (size_t)m->nv);
  set_coriolis_matrix(m, c.k, &c.space.ws, c.q, c.v, SLOPES_SKEW, c.out);
  return end_call(&c, m, NULL, C);
}

limb_count limb_counted_aba(const limb_model* m, const double* q, const double* v, const double* tau, double* a)
{
  call c = begin_call(m, q, v, tau, (size_t)m->nv);
  const real min_pivot = set_aba(m, c.k, &c.space.ws, c.q, c.v, c.in, &all_terms, NULL, c.out);
  return end_call(&c, m, &min_pivot, a);
}

static limb_count forward_of(const limb_model* m, const double* q, const double* v, const double* tau, double* a)
{
  if (!limb_is_short_chain(m)) return limb_counted_aba(m, q, v, tau, a);
  call c = begin_call(m, q, v, tau, (size_t)m->nv);
  const real min_pivot = set_forward_chain(m, c.k, &c.space.ws, c.q, c.v, c.in, &all_terms, NULL, c.out);
  return end_call(&c, m, &min_pivot, a);
}

limb_count limb_counted_hybrid(const limb_model* m, const double* q, const double* v, const unsigned char* given,
                               const double* x, double* out)
{
  call c = begin_call(m, q, v, x, 2 * (size_t)m->nv);
  const kernel_set_count_hybrid in = {c.q, c.v, given, c.in, &all_terms, NULL};
  const real min_pivot = set_hybrid(m, c.k, &c.space.ws, &in, c.out, c.out + (ptrdiff_t)m->nv);
  return end_call(&c, m, &min_pivot, out);
}

static size_t slopes_size(const limb_model* m) { return (size_t)m->nv + 3 * (size_t)m->nv * (size_t)m->nv; }

// The matrices stand behind the vector.
static kernel_set_count_slopes slopes_of(const limb_model* m, const call* c)
{
  const ptrdiff_t nv = m->nv, nn = nv * nv;
  real* dq = c->out + nv;
  return (kernel_set_count_slopes){c->out, dq, dq + nn, dq + 2 * nn};
}

limb_count limb_counted_id_derivatives(const limb_model* m, const double* q, const double* v, const double* a,
                                       double* out)
{
  call c = begin_call(m, q, v, a, slopes_size(m));
  const kernel_set_count_motion in = {c.q, c.v, c.in, &all_terms, NULL, 0, NULL, 0};
  const kernel_set_count_slopes to = slopes_of(m, &c);
  set_id_derivatives(m, c.k, &c.space.ws, &in, &to);
  return end_call(&c, m, NULL, out);
}

limb_count limb_counted_fd_derivatives(const limb_model* m, const double* q, const double* v, const double* tau,
                                       double* out)
{
  call c = begin_call(m, q, v, tau, slopes_size(m));
  const kernel_set_count_motion in = {c.q, c.v, c.in, &all_terms, NULL, 0, NULL, 0};
  const kernel_set_count_slopes to = slopes_of(m, &c);
  const real min_pivot = set_fd_derivatives(m, c.k, &c.space.ws, &in, &to);
  return end_call(&c, m, &min_pivot, out);
}

// ---- in any state -----------------------------------------------------------------------------------

// The neutral state: counts do not depend on it. Three vectors of that length: q, v, and a or tau.
static double* neutral(const limb_model* m, size_t* n)
{
  *n = (size_t)(m->nq > m->nv ? m->nq : m->nv);
  double* q = take(3 * *n, sizeof *q);
  if (limb_neutral(m, q) != LIMB_OK) abort();
  return q;
}

typedef limb_count counted_fn(const limb_model* m, const double* q, const double* v, const double* in, double* out);

static limb_count in_neutral_state(const limb_model* m, counted_fn* counted, size_t nout)
{
  size_t n;
  double *x = neutral(m, &n), *out = take(nout, sizeof *out);
  const limb_count c = counted(m, x, x + n, x + 2 * n, out);
  free(out);
  free(x);
  return c;
}

static limb_count crba_of(const limb_model* m, const double* q, const double* v, const double* in, double* out)
{
  (void)v, (void)in;
  return limb_counted_crba(m, q, out);
}

static limb_count coriolis_of(const limb_model* m, const double* q, const double* v, const double* in, double* out)
{
  (void)in;
  return limb_counted_coriolis(m, q, v, out);
}

limb_count limb_count_rnea(const limb_model* m) { return in_neutral_state(m, limb_counted_rnea, (size_t)m->nv); }

limb_count limb_count_crba(const limb_model* m) { return in_neutral_state(m, crba_of, (size_t)m->nv * (size_t)m->nv); }

limb_count limb_count_coriolis(const limb_model* m)
{
  return in_neutral_state(m, coriolis_of, (size_t)m->nv * (size_t)m->nv);
}

limb_count limb_count_aba(const limb_model* m) { return in_neutral_state(m, limb_counted_aba, (size_t)m->nv); }

limb_count limb_count_forward(const limb_model* m) { return in_neutral_state(m, forward_of, (size_t)m->nv); }

limb_count limb_count_hybrid(const limb_model* m, int forces)
{
  size_t n;
  double *x = neutral(m, &n), *out = take(2 * n, sizeof *out);
  unsigned char* given = take(n, 1);
  for (int k = 0; k < m->nv; k++) given[k] = k >= forces;
  const limb_count c = limb_counted_hybrid(m, x, x + n, given, x + 2 * n, out);
  free(given);
  free(out);
  free(x);
  return c;
}

limb_count limb_count_id_derivatives(const limb_model* m)
{
  return in_neutral_state(m, limb_counted_id_derivatives, slopes_size(m));
}

static limb_count minv_of(const limb_model* m, const double* q, const double* v, const double* in, double* out)
{
  call c = begin_call(m, q, v, in, (size_t)m->nv * (size_t)m->nv);
  real* packed = take(m->elim.packed, sizeof *packed);
  const real min_pivot = set_invert(m, c.k, &c.space.ws, c.q, packed, c.out);
  const limb_count n = end_call(&c, m, &min_pivot, out);
  free(packed);
  return n;
}

limb_count limb_count_minv(const limb_model* m) { return in_neutral_state(m, minv_of, (size_t)m->nv * (size_t)m->nv); }

static limb_count regressor_of(const limb_model* m, const double* q, const double* v, const double* in, double* out)
{
  const int np = limb_inertial_parameter_count(m);
  call c = begin_call(m, q, v, in, (size_t)m->nv * (size_t)np);
  const kernel_set_count_motion given = {c.q, c.v, c.in, &all_terms, NULL, 0, NULL, 0};
  set_regressor(m, c.k, &c.space.ws, &given, np, c.out);
  return end_call(&c, m, NULL, out);
}

limb_count limb_count_regressor(const limb_model* m)
{
  return in_neutral_state(m, regressor_of, (size_t)m->nv * (size_t)limb_inertial_parameter_count(m));
}

limb_count limb_count_fd_derivatives(const limb_model* m)
{
  return in_neutral_state(m, limb_counted_fd_derivatives, slopes_size(m));
}
