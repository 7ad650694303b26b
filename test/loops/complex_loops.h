// Robots with loops over complex numbers: the equations of motion at a state with an imaginary step, and
// their solution by plain elimination. The oracle of derivatives through constraints.
#ifndef LIMB_TEST_COMPLEX_LOOPS_H
#define LIMB_TEST_COMPLEX_LOOPS_H

#include "support/closed.h"
#include "support/complex.h"
#include "support/scalars_loops.h"

#include <stdlib.h>

typedef struct cplx_robot {
  const limb_model* m;
  int n, rows, size;
  scalar_space space;
  cplx *q, *v, *a;
  cplx *X, *vel, *acc, *acc_v;
  cplx *Psi, *phi, *bias; // blocks of the clusters, rows in their order
  cplx *M, *h, *K, *x;    // n x n, n, size x (size + 1), size
  int* live;              // rows that are used, in the order of the clusters
  int nlive;
} cplx_robot;

static inline cplx* cplx_room(size_t n)
{
  cplx* x = calloc(n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

static inline cplx_robot cplx_robot_make(const limb_model* m)
{
  const size_t n = (size_t)m->nv, rows = (size_t)m->nrow, nl = (size_t)m->nlink, size = n + rows;
  cplx_robot c = {.m = m, .n = m->nv, .rows = m->nrow, .size = m->nv + m->nrow};
  c.space = scalar_space_make(m, sizeof(cplx));
  c.q = cplx_room((size_t)m->nq), c.v = cplx_room(n), c.a = cplx_room(n);
  c.X = cplx_room(12 * nl), c.vel = cplx_room(6 * nl), c.acc = cplx_room(6 * nl);
  c.acc_v = cplx_room(6 * nl);
  c.Psi = cplx_room((size_t)m->clusters.entries), c.phi = cplx_room(rows), c.bias = cplx_room(rows);
  c.M = cplx_room(n * n), c.h = cplx_room(n), c.x = cplx_room(size);
  c.K = cplx_room(size * (size + 1));
  c.live = calloc(rows + 1, sizeof *c.live);
  if (!c.live) abort();
  return c;
}

static inline void cplx_robot_free(cplx_robot* c)
{
  scalar_space_free(&c->space);
  cplx* const all[] = {c->q,   c->v,   c->a,    c->X, c->vel, c->acc, c->acc_v,
                       c->Psi, c->phi, c->bias, c->M, c->h,   c->K,   c->x};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  free(c->live);
}

// x + i h dx; dx NULL: x
static inline void cplx_step(int n, const double* x, const double* dx, cplx* out)
{
  for (int i = 0; i < n; i++) out[i] = cplx_make(x[i], dx ? COMPLEX_STEP * dx[i] : 0);
}

// q moved along the velocity dq.
static inline void cplx_move(cplx_robot* c, const double* q, const double* dq)
{
  double* rate = calloc((size_t)c->m->nq + 1, sizeof *rate);
  if (!rate) abort();
  if (dq) configuration_rate(c->m, q, dq, rate);
  cplx_step(c->m->nq, q, rate, c->q);
  free(rate);
}

// Psi, phi, and bias at v with the accelerations c->a.
static inline void cplx_rows(cplx_robot* c)
{
  const limb_model* m = c->m;
  limb_kernels_c64.link_motion(m, m->k64, &c->space.ws, c->q, c->v, c->a, c->X, c->vel, c->acc, c->acc_v);
  const limb_loop_kernel_set_c64_in in = {.q = c->q, .v = c->v, .a = c->a, .X = c->X, .vel = c->vel, .acc = c->acc};
  const limb_loop_kernel_set_c64_out out = {.Psi = c->Psi, .phi = c->phi, .bias = c->bias};
  limb_loop_kernels_c64.rows(m, m->k64, &in, &out);
}

static inline cplx cplx_psi(const cplx_robot* c, int row, int v)
{
  const limb_clusters* all = &c->m->clusters;
  for (int k = 0; k < all->count; k++) {
    const limb_cluster* s = &all->cluster[k];
    if (row < s->row || row >= s->row + s->nrow) continue;
    for (int j = 0; j < s->nv; j++) {
      if (s->v[j] == v) return c->Psi[s->block + (ptrdiff_t)(row - s->row) * s->nv + j];
    }
  }
  return 0;
}

// Rows with something in them.
static inline void cplx_find_live(cplx_robot* c)
{
  c->nlive = 0;
  for (int r = 0; r < c->rows; r++) {
    double most = 0;
    for (int v = 0; v < c->n; v++) most = fmax(most, cabs(cplx_psi(c, r, v)));
    if (most > 1e-11) c->live[c->nlive++] = r;
  }
}

// x = K^-1 (last column), by elimination with row exchanges.
static inline void cplx_eliminate(cplx* K, int size, cplx* x)
{
  const ptrdiff_t wide = size + 1;
  for (ptrdiff_t k = 0; k < size; k++) {
    ptrdiff_t best = k;
    for (ptrdiff_t i = k + 1; i < size; i++) {
      if (cabs(K[i * wide + k]) > cabs(K[best * wide + k])) best = i;
    }
    for (ptrdiff_t j = k; j < wide; j++) {
      const cplx y = K[k * wide + j];
      K[k * wide + j] = K[best * wide + j], K[best * wide + j] = y;
    }
    for (ptrdiff_t i = 0; i < size; i++) {
      const cplx f = i == k ? 0 : K[i * wide + k] / K[k * wide + k];
      for (ptrdiff_t j = k; j < wide; j++) K[i * wide + j] -= f * K[k * wide + j];
    }
  }
  for (ptrdiff_t i = 0; i < size; i++) x[i] = K[i * wide + size] / K[i * wide + i];
}

// [D sign Psi'; Psi 0] x = [top; below]: D is n x n. x: c->x.
static inline void cplx_saddle(cplx_robot* c, const cplx* D, double sign, const cplx* top, const cplx* below)
{
  const ptrdiff_t n = c->n, size = n + c->nlive, wide = size + 1;
  memset(c->K, 0, (size_t)(size * wide) * sizeof *c->K);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) c->K[i * wide + j] = D[i * n + j];
    c->K[i * wide + size] = top[i];
  }
  for (int r = 0; r < c->nlive; r++) {
    for (int i = 0; i < c->n; i++) {
      const cplx p = cplx_psi(c, c->live[r], i);
      c->K[(n + r) * wide + i] = p;
      c->K[i * wide + n + r] = sign * p;
    }
    c->K[(n + r) * wide + size] = below ? below[c->live[r]] : 0;
  }
  cplx_eliminate(c->K, (int)size, c->x);
}

#endif
