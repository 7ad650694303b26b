// Robots with loops over symbols: rows, blocks, and what follows from the independent velocities.
//
// Cost: O(n) for the rows; n^2 ny for G' M G, of which zeros are no operations.
#include "symbolic/loop_trace.h"

#include "base/status.h"
#include "kernel/vectors.h"

#include "symbolic/parameters.h"
#include "symbolic/solve_kernel.h"

#include <math.h>
#include <string.h>

// Rows and dependent columns of a cluster that are solved at once.
struct limb_trace_block {
  const limb_cluster* of;
  int *row, *column; // local
  dense A;
};

// ---- the robot ----------------------------------------------------------------------------------------

static double settled_length(double x) { return fabs(x) < LIMB_SQUARE ? 0 : x; }

sp_pose limb_settled_pose(sp_pose X)
{
  for (int i = 0; i < 9; i++) X.R.m[i] = limb_direction_number(X.R.m[i]);
  X.p = sp_v3(settled_length(X.p.x), settled_length(X.p.y), settled_length(X.p.z));
  return X;
}

// A model that has the poses of base frames and closures without rounding; the rest is the robot's own.
static limb_status settle_poses(limb_tracer* t, limb_model* out)
{
  const limb_model* m = t->m;
  *out = *m;
  out->base = limb_program_take(t->program, (size_t)m->nroot + 1, sizeof *out->base);
  out->loop = limb_program_take(t->program, (size_t)m->nloop + 1, sizeof *out->loop);
  if (!out->base || !out->loop) return LIMB_E_NOMEM;
  for (int r = 0; r < m->nroot; r++) out->base[r] = limb_settled_pose(m->base[r]);
  for (int l = 0; l < m->nloop; l++) {
    out->loop[l] = m->loop[l];
    out->loop[l].in_a = limb_settled_pose(m->loop[l].in_a);
    out->loop[l].in_b = limb_settled_pose(m->loop[l].in_b);
  }
  return LIMB_OK;
}

// ---- rows ---------------------------------------------------------------------------------------------

static limb_status take_rows(limb_loop_trace* c)
{
  const size_t n = (size_t)c->m.nlink, rows = (size_t)c->m.nrow;
  c->X = limb_trace_scalars(c->t, 12 * n);
  c->vel = limb_trace_scalars(c->t, 6 * n);
  c->acc = limb_trace_scalars(c->t, 6 * n);
  c->acc_v = limb_trace_scalars(c->t, 6 * n);
  c->Psi = limb_trace_scalars(c->t, (size_t)c->m.clusters.entries);
  c->gamma = limb_trace_scalars(c->t, rows);
  const bool all = c->X && c->vel && c->acc && c->acc_v && c->Psi && c->gamma;
  return all ? LIMB_OK : LIMB_E_NOMEM;
}

limb_status limb_trace_rows(limb_tracer* t, bool moving, limb_loop_trace* out)
{
  *out = (limb_loop_trace){.t = t};
  if (t->m->nloop == 0)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->name, "the robot has no loops: it is a tree of joints");
  limb_status s = settle_poses(t, &out->m);
  if (s == LIMB_OK) s = take_rows(out);
  if (s != LIMB_OK) return s;
  for (int l = 0; l < t->m->nloop && moving; l++) {
    if (limb_is_prescribed(&t->m->loop[l].def.law))
      return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->loop[l].def.name,
                       "the loop follows a law in time, which generated code does not know");
  }
  limb_trace_kernels.link_motion(&out->m, t->k, &t->ws, t->q, moving ? t->v : NULL, NULL, out->X, out->vel, out->acc,
                                 out->acc_v);
  const limb_loop_kernels_symbol_in in = {.q = t->q,
                                          .v = moving ? t->v : NULL,
                                          .X = out->X,
                                          .vel = moving ? out->vel : NULL,
                                          .acc = moving ? out->acc_v : NULL};
  const limb_loop_kernels_symbol_out rows = {.Psi = out->Psi, .bias = moving ? out->gamma : NULL};
  limb_loop_trace_kernels.rows(&out->m, t->k, &in, &rows);
  for (int r = 0; r < out->m.nrow; r++) out->gamma[r] = neg(out->gamma[r]);
  return LIMB_OK;
}

// ---- blocks -------------------------------------------------------------------------------------------

static bool is_zero(limb_scalar x) { return !x.graph && x.x == 0; }

static limb_scalar* entry(const limb_loop_trace* c, const limb_cluster* k, int row, int column)
{
  return c->Psi + k->block + (ptrdiff_t)row * k->nv + column;
}

// What is still to be put into blocks, in a cluster.
typedef struct rest {
  limb_loop_trace* c;
  int cluster;
  const limb_cluster* k;
  unsigned char *row, *column; // marks by local number
} rest;

// Rows of a loop that are left (loop -1: of all), and the columns that are left in them. Counts; lists may be
// NULL.
static int rows_left(const rest* x, int loop, int* list)
{
  const limb_loop* l = loop < 0 ? NULL : &x->c->m.loop[loop];
  int n = 0;
  for (int r = l ? l->local : 0; r < (l ? l->local + l->nrow : x->k->nrow); r++) {
    if (!x->row[r]) continue;
    if (list) list[n] = r;
    n++;
  }
  return n;
}

// Rows that are left in which a column is not zero.
static int height(const rest* x, int loop, int column)
{
  const limb_loop* l = loop < 0 ? NULL : &x->c->m.loop[loop];
  int n = 0;
  for (int r = l ? l->local : 0; r < (l ? l->local + l->nrow : x->k->nrow); r++)
    n += x->row[r] && !is_zero(*entry(x->c, x->k, r, column));
  return n;
}

// Those with fewest entries first: orthogonal columns stay sparse.
static int columns_left(const rest* x, int loop, int* list)
{
  int n = 0;
  for (int j = 0; j < x->k->nv; j++) {
    const int own = x->column[j] ? height(x, loop, j) : 0;
    if (own == 0) continue;
    int at = n++;
    for (; list && at > 0 && height(x, loop, list[at - 1]) > own; at--) list[at] = list[at - 1];
    if (list) list[at] = j;
  }
  return n;
}

// A block of the rows of a loop, or of all that is left.
static limb_status add_block(const rest* x, int loop)
{
  limb_loop_trace* c = x->c;
  limb_trace_block* b = &c->block[c->nblock++];
  const int rows = rows_left(x, loop, NULL), n = columns_left(x, loop, NULL);
  *b = (limb_trace_block){.of = x->k, .A = {.rows = rows, .n = n}};
  b->row = limb_program_take(c->t->program, (size_t)rows + 1, sizeof *b->row);
  b->column = limb_program_take(c->t->program, (size_t)n + 1, sizeof *b->column);
  b->A.Q = limb_trace_scalars(c->t, (size_t)rows * (size_t)n);
  b->A.R = limb_trace_scalars(c->t, (size_t)n * (size_t)n);
  if (!b->row || !b->column || !b->A.Q || !b->A.R) return LIMB_E_NOMEM;
  (void)rows_left(x, loop, b->row);
  (void)columns_left(x, loop, b->column);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < n; j++) b->A.Q[i * n + j] = *entry(c, x->k, b->row[i], b->column[j]);
  }
  for (int i = 0; i < rows; i++) x->row[b->row[i]] = 0;
  for (int j = 0; j < n; j++) x->column[b->column[j]] = 0;
  factor_dense(&b->A);
  return LIMB_OK;
}

// Blocks of a cluster. Where rows are redundant all of them are one, so that multipliers are of least norm.
static limb_status add_blocks(const rest* x)
{
  const limb_split* split = &x->c->split;
  limb_status s = LIMB_OK;
  bool more = split->rank[x->cluster] == split->nlive[x->cluster];
  while (more && s == LIMB_OK) {
    more = false;
    for (int l = 0; l < x->k->nloop && s == LIMB_OK; l++) {
      const int loop = x->k->loop[l], rows = rows_left(x, loop, NULL);
      if (rows == 0 || rows != columns_left(x, loop, NULL)) continue;
      s = add_block(x, loop);
      more = true;
    }
  }
  if (s == LIMB_OK && rows_left(x, -1, NULL) > 0) s = add_block(x, -1);
  return s;
}

static limb_status find_blocks(limb_loop_trace* c)
{
  const limb_clusters* all = &c->m.clusters;
  const size_t most = (size_t)c->m.nloop + (size_t)all->count;
  unsigned char* marks = limb_program_take(c->t->program, (size_t)(c->m.nrow + c->m.nv) + 1, 1);
  c->block = limb_program_take(c->t->program, most + 1, sizeof *c->block);
  limb_status s = marks && c->block ? LIMB_OK : LIMB_E_NOMEM;
  for (int k = 0; s == LIMB_OK && k < all->count; k++) {
    const limb_cluster* of = &all->cluster[k];
    const rest x = {c, k, of, marks, marks + of->nrow};
    memset(marks, 0, (size_t)(of->nrow + of->nv));
    for (int i = 0; i < c->split.nlive[k]; i++) x.row[c->split.live[of->row + i]] = 1;
    for (int j = 0; j < of->nv; j++) x.column[j] = c->split.dependent[of->v[j]];
    if (c->split.rank[k] > 0) s = add_blocks(&x);
  }
  return s;
}

// ---- what follows -------------------------------------------------------------------------------------

// Room for the right-hand side and the answer of one block.
static limb_scalar* block_room(limb_loop_trace* c)
{
  return limb_trace_scalars(c->t, (size_t)(c->m.clusters.max_nrow + c->m.clusters.max_nv));
}

// Dependent velocities x with Psi x = b; x comes with the independent ones, or
// zeros. room: block_room.
static void complete(limb_loop_trace* c, const limb_scalar* b, limb_scalar* room, limb_scalar* x)
{
  for (int i = 0; i < c->nblock; i++) {
    const limb_trace_block* B = &c->block[i];
    const limb_cluster* k = B->of;
    limb_scalar *right = room, *y = room + B->A.rows;
    for (int r = 0; r < B->A.rows; r++) {
      right[r] = b ? b[k->row + B->row[r]] : zero();
      for (int j = 0; j < k->nv; j++) right[r] = msub(right[r], *entry(c, k, B->row[r], j), x[k->v[j]]);
    }
    solve_dense(&B->A, right, y);
    for (int j = 0; j < B->A.n; j++) x[k->v[B->column[j]]] = y[j];
  }
}

static limb_status find_map(limb_loop_trace* c, bool moving)
{
  const int nv = c->m.nv, ny = c->split.ny;
  c->G = limb_trace_scalars(c->t, (size_t)nv * (size_t)ny);
  c->g = limb_trace_scalars(c->t, (size_t)nv);
  limb_scalar *x = limb_trace_scalars(c->t, (size_t)nv), *room = block_room(c);
  if (!c->G || !c->g || !x || !room) return LIMB_E_NOMEM;
  for (int j = 0; j < ny; j++) {
    for (int v = 0; v < nv; v++) x[v] = plain(v == c->split.y[j]);
    complete(c, NULL, room, x);
    for (ptrdiff_t v = 0; v < nv; v++) c->G[v * ny + j] = x[v];
  }
  if (moving) complete(c, c->gamma, room, c->g);
  return LIMB_OK;
}

limb_status limb_trace_map(limb_tracer* t, const unsigned char* prefer, bool moving, limb_loop_trace* out)
{
  limb_status s = limb_trace_rows(t, moving, out);
  if (s == LIMB_OK) s = limb_split_choose(t->m, prefer, t->program, &out->split, t->error);
  if (s == LIMB_OK && out->split.ny == 0)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->name,
                     "singular closed form: the loops leave nothing that moves");
  if (s == LIMB_OK) s = find_blocks(out);
  return s == LIMB_OK ? find_map(out, moving) : s;
}

void limb_trace_follow(const limb_loop_trace* c, const limb_scalar* y, const limb_scalar* more, limb_scalar* x)
{
  const int ny = c->split.ny;
  for (ptrdiff_t v = 0; v < c->m.nv; v++) {
    x[v] = more ? more[v] : zero();
    for (int j = 0; j < ny; j++) x[v] = madd(x[v], c->G[v * ny + j], y[j]);
  }
}

void limb_trace_along(const limb_loop_trace* c, const limb_scalar* f, limb_scalar* out)
{
  const int ny = c->split.ny;
  for (int j = 0; j < ny; j++) {
    out[j] = zero();
    for (ptrdiff_t v = 0; v < c->m.nv; v++) out[j] = madd(out[j], c->G[v * ny + j], f[v]);
  }
}

// ---- dynamics -----------------------------------------------------------------------------------------

void limb_trace_tree(limb_loop_trace* c, const limb_scalar* v, const limb_scalar* a, limb_scalar* out)
{
  limb_tracer* t = c->t;
  limb_trace_kernels.inverse_dynamics(t->m, t->k, &t->ws, t->q, v, a, &t->terms, NULL, out);
}

limb_status limb_trace_reduced_mass(limb_loop_trace* c, limb_scalar* out)
{
  limb_tracer* t = c->t;
  const ptrdiff_t nv = c->m.nv, ny = c->split.ny;
  limb_scalar* M = limb_trace_scalars(t, (size_t)(nv * nv));
  limb_scalar* MG = limb_trace_scalars(t, (size_t)nv);
  if (!M || !MG) return LIMB_E_NOMEM;
  limb_trace_kernels.mass_matrix(t->m, t->k, &t->ws, t->q, M);
  for (ptrdiff_t j = 0; j < ny; j++) {
    for (ptrdiff_t i = 0; i < nv; i++) {
      MG[i] = zero();
      for (ptrdiff_t k = 0; k < nv; k++) MG[i] = madd(MG[i], M[i * nv + k], c->G[k * ny + j]);
    }
    for (ptrdiff_t i = j; i < ny; i++) {
      limb_scalar sum = zero();
      for (ptrdiff_t k = 0; k < nv; k++) sum = madd(sum, c->G[k * ny + i], MG[k]);
      out[i * ny + j] = out[j * ny + i] = sum;
    }
  }
  return LIMB_OK;
}

limb_status limb_trace_forward(limb_loop_trace* c, const limb_scalar* tau, limb_scalar* a)
{
  limb_tracer* t = c->t;
  const int nv = c->m.nv, ny = c->split.ny;
  limb_scalar* M = limb_trace_scalars(t, (size_t)ny * (size_t)ny);
  limb_scalar* y = limb_trace_scalars(t, (size_t)ny);
  limb_scalar* f = limb_trace_scalars(t, (size_t)nv);
  if (!M || !y || !f) return LIMB_E_NOMEM;
  limb_trace_tree(c, t->v, c->g, f); // M g + h
  for (int v = 0; v < nv; v++) f[v] = sub(tau[v], f[v]);
  limb_trace_along(c, f, y);
  limb_trace_clear(t);
  const limb_status s = limb_trace_reduced_mass(c, M);
  if (s != LIMB_OK) return s;
  solve_definite(ny, M, y);
  limb_trace_follow(c, y, c->g, a);
  return LIMB_OK;
}

limb_status limb_trace_multipliers(limb_loop_trace* c, limb_scalar* f, limb_scalar* lambda)
{
  limb_scalar* room = block_room(c);
  if (!room) return LIMB_E_NOMEM;
  for (int i = c->nblock - 1; i >= 0; i--) {
    const limb_trace_block* B = &c->block[i];
    const limb_cluster* k = B->of;
    limb_scalar *right = room, *x = room + B->A.n;
    for (int j = 0; j < B->A.n; j++) right[j] = f[k->v[B->column[j]]];
    solve_dense_transposed(&B->A, right, x);
    for (int r = 0; r < B->A.rows; r++) {
      lambda[k->row + B->row[r]] = x[r];
      for (int j = 0; j < k->nv; j++) f[k->v[j]] = msub(f[k->v[j]], *entry(c, k, B->row[r], j), x[r]);
    }
  }
  return LIMB_OK;
}

// ---- drives -------------------------------------------------------------------------------------------

// Whether a motor drives a velocity: marks, as the inverse problem has them.
static unsigned char* driven_marks(limb_loop_trace* c)
{
  unsigned char* marks = limb_program_take(c->t->program, (size_t)c->m.nv + 1, 1);
  return marks && limb_mark_passive(c->t->m, marks) == LIMB_OK ? marks : NULL;
}

// G_a' tau = G' tree in a cluster. along: G' tree.
static limb_status share_in_cluster(limb_loop_trace* c, const limb_cluster* k, const unsigned char* driven,
                                    const limb_scalar* along, limb_scalar* tau)
{
  const int ny = c->split.ny, n = k->nv;
  int* list = limb_program_take(c->t->program, 2 * (size_t)n + 1, sizeof *list);
  limb_scalar* room = limb_trace_scalars(c->t, 2 * (size_t)n * (size_t)n + 2 * (size_t)n);
  if (!list || !room) return LIMB_E_NOMEM;
  int *active = list, *own = list + n;
  dense A = {.Q = room, .R = room + (ptrdiff_t)n * n};
  for (int j = 0; j < n; j++) {
    if (driven[k->v[j]]) active[A.rows++] = k->v[j];
  }
  for (int j = 0; j < ny; j++) {
    if (c->m.clusters.of_v[c->split.y[j]] == (int)(k - c->m.clusters.cluster)) own[A.n++] = j;
  }
  limb_scalar *f = A.R + (ptrdiff_t)n * n, *x = f + n;
  for (int i = 0; i < A.rows; i++) {
    for (int j = 0; j < A.n; j++) A.Q[i * A.n + j] = c->G[(ptrdiff_t)active[i] * ny + own[j]];
  }
  for (int j = 0; j < A.n; j++) f[j] = along[own[j]];
  factor_dense(&A);
  solve_dense_transposed(&A, f, x);
  for (int i = 0; i < A.rows; i++) tau[active[i]] = x[i];
  return LIMB_OK;
}

limb_status limb_trace_share(limb_loop_trace* c, const limb_scalar* tree, limb_scalar* tau)
{
  const limb_clusters* all = &c->m.clusters;
  const unsigned char* driven = driven_marks(c);
  limb_scalar* along = limb_trace_scalars(c->t, (size_t)c->split.ny);
  if (!driven || !along) return LIMB_E_NOMEM;
  limb_trace_along(c, tree, along);
  for (int v = 0; v < c->m.nv; v++) tau[v] = all->of_v[v] < 0 && driven[v] ? tree[v] : zero();
  limb_status s = LIMB_OK;
  for (int k = 0; k < all->count && s == LIMB_OK; k++) {
    const limb_cluster* of = &all->cluster[k];
    if (c->split.undriven[k] > 0)
      return limb_fail(c->t->error, LIMB_E_UNSUPPORTED, c->m.loop[of->loop[0]].def.name,
                       "no motor determines %d of the motions of the joints in this loop: what "
                       "the motors must do is not settled by a motion; ask for closed_acc",
                       c->split.undriven[k]);
    s = share_in_cluster(c, of, driven, along, tau);
  }
  return s;
}
