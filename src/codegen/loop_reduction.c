// Robots with loops over symbols: constraints, blocks of them that are solved at once, and the reduced form (trace.h).
//
// Dependent velocities are found block by block: a loop with as many unknowns as constraints is a block of its own,
// given those of earlier blocks; what is left of a cluster is one more block.
// Cost: O(n) for the constraints; n^2 ny for G' M G, without products with zero.
#include "base/status.h"
#include "codegen/trace.h"
#include "kernel/vectors.h"

#include "codegen/solve_kernel.h"

#include <math.h>
#include <string.h>

// Constraints and dependent velocities of a cluster that are solved at once.
struct limb_trace_block {
  const limb_cluster* of;
  int *row, *column; // local
  dense A;
};

// ---- the model -----------------------------------------------------------------------------------------------------

static double clean_length(double x) { return fabs(x) < LIMB_SQUARE ? 0 : x; }

sp_pose limb_clean_pose(sp_pose X)
{
  for (int i = 0; i < 9; i++) X.R.m[i] = limb_clean_direction(X.R.m[i]);
  X.p = sp_v3(clean_length(X.p.x), clean_length(X.p.y), clean_length(X.p.z));
  return X;
}

// A copy of the model with poses of base frames and closures cleaned of rounding.
static limb_status clean_poses(limb_tracer* t, limb_model* out)
{
  const limb_model* m = t->m;
  *out = *m;
  out->base = limb_program_alloc(t->program, (size_t)m->nroot + 1, sizeof *out->base);
  out->loop = limb_program_alloc(t->program, (size_t)m->nloop + 1, sizeof *out->loop);
  if (!out->base || !out->loop) return LIMB_E_NOMEM;
  for (int r = 0; r < m->nroot; r++) out->base[r] = limb_clean_pose(m->base[r]);
  for (int l = 0; l < m->nloop; l++) {
    out->loop[l] = m->loop[l];
    out->loop[l].in_a = limb_clean_pose(m->loop[l].in_a);
    out->loop[l].in_b = limb_clean_pose(m->loop[l].in_b);
  }
  return LIMB_OK;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static limb_status alloc_constraints(limb_loop_trace* c)
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

limb_status limb_trace_constraints(limb_tracer* t, bool moving, limb_loop_trace* out)
{
  *out = (limb_loop_trace){.t = t};
  if (t->m->nloop == 0)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->name, "the robot has no loops: it is a tree of joints");
  limb_status s = clean_poses(t, &out->m);
  if (s == LIMB_OK) s = alloc_constraints(out);
  if (s != LIMB_OK) return s;
  for (int l = 0; l < t->m->nloop && moving; l++) {
    if (t->m->loop[l].prescribed)
      return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->loop[l].def.name,
                       "the loop has a prescribed motion, which generated code does not support");
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

// ---- blocks --------------------------------------------------------------------------------------------------------

static bool is_zero(limb_scalar x) { return !x.graph && x.x == 0; }

static limb_scalar* entry(const limb_loop_trace* c, const limb_cluster* k, int row, int column)
{
  return c->Psi + k->block + (ptrdiff_t)row * k->nv + column;
}

// What remains to be put into blocks, in a cluster.
typedef struct remaining {
  limb_loop_trace* c;
  int cluster;
  const limb_cluster* k;
  unsigned char *row, *column; // marks by local number
} remaining;

// The rows of a loop, or of all loops (-1): begin and end by local number.
static int first_row(const remaining* x, int loop) { return loop < 0 ? 0 : x->c->m.loop[loop].local; }
static int end_row(const remaining* x, int loop)
{
  return loop < 0 ? x->k->nrow : x->c->m.loop[loop].local + x->c->m.loop[loop].nrow;
}

// Lists the remaining rows; returns their number. The list may be NULL, here and below.
static int rows_left(const remaining* x, int loop, int* list)
{
  int n = 0;
  for (int r = first_row(x, loop); r < end_row(x, loop); r++) {
    if (!x->row[r]) continue;
    if (list) list[n] = r;
    n++;
  }
  return n;
}

// Number of remaining rows in which a column is not zero.
static int height(const remaining* x, int loop, int column)
{
  int n = 0;
  for (int r = first_row(x, loop); r < end_row(x, loop); r++) n += x->row[r] && !is_zero(*entry(x->c, x->k, r, column));
  return n;
}

// Lists the remaining columns in these rows, those with the fewest entries first, so that orthogonal columns stay
// sparse.
static int columns_left(const remaining* x, int loop, int* list)
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

// Adds a block with the rows of a loop, or with all remaining rows.
static limb_status add_block(const remaining* x, int loop)
{
  limb_loop_trace* c = x->c;
  limb_trace_block* b = &c->block[c->nblock++];
  const int rows = rows_left(x, loop, NULL), n = columns_left(x, loop, NULL);
  *b = (limb_trace_block){.of = x->k, .A = {.rows = rows, .n = n}};
  b->row = limb_program_alloc(c->t->program, (size_t)rows + 1, sizeof *b->row);
  b->column = limb_program_alloc(c->t->program, (size_t)n + 1, sizeof *b->column);
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

// Adds the blocks of a cluster. With redundant rows there is a single block, so that multipliers have least norm.
static limb_status add_blocks(const remaining* x)
{
  const limb_partition* partition = &x->c->partition;
  limb_status s = LIMB_OK;
  bool more = partition->rank[x->cluster] == partition->nlive[x->cluster];
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
  const size_t max_blocks = (size_t)c->m.nloop + (size_t)all->count;
  unsigned char* marks = limb_program_alloc(c->t->program, (size_t)(c->m.nrow + c->m.nv) + 1, 1);
  c->block = limb_program_alloc(c->t->program, max_blocks + 1, sizeof *c->block);
  limb_status s = marks && c->block ? LIMB_OK : LIMB_E_NOMEM;
  for (int k = 0; s == LIMB_OK && k < all->count; k++) {
    const limb_cluster* of = &all->cluster[k];
    const remaining x = {c, k, of, marks, marks + of->nrow};
    memset(marks, 0, (size_t)(of->nrow + of->nv));
    for (int i = 0; i < c->partition.nlive[k]; i++) x.row[c->partition.live[of->row + i]] = 1;
    for (int j = 0; j < of->nv; j++) x.column[j] = c->partition.dependent[of->v[j]];
    if (c->partition.rank[k] > 0) s = add_blocks(&x);
  }
  return s;
}

// ---- the reduced form ----------------------------------------------------------------------------------------------

// Scratch for the right-hand side and the solution of one block.
static limb_scalar* block_work(limb_loop_trace* c)
{
  return limb_trace_scalars(c->t, (size_t)(c->m.clusters.max_nrow + c->m.clusters.max_nv));
}

// Finds the dependent velocities in x with Psi x = b, given the independent ones. work: from block_work.
static void complete(limb_loop_trace* c, const limb_scalar* b, limb_scalar* work, limb_scalar* x)
{
  for (int i = 0; i < c->nblock; i++) {
    const limb_trace_block* B = &c->block[i];
    const limb_cluster* k = B->of;
    limb_scalar *right = work, *y = work + B->A.rows;
    for (int r = 0; r < B->A.rows; r++) {
      right[r] = b ? b[k->row + B->row[r]] : zero();
      for (int j = 0; j < k->nv; j++) right[r] = msub(right[r], *entry(c, k, B->row[r], j), x[k->v[j]]);
    }
    solve_dense(&B->A, right, y);
    for (int j = 0; j < B->A.n; j++) x[k->v[B->column[j]]] = y[j];
  }
}

static limb_status find_velocity_map(limb_loop_trace* c, bool moving)
{
  const int nv = c->m.nv, ny = c->partition.ny;
  c->G = limb_trace_scalars(c->t, (size_t)nv * (size_t)ny);
  c->g = limb_trace_scalars(c->t, (size_t)nv);
  limb_scalar *x = limb_trace_scalars(c->t, (size_t)nv), *work = block_work(c);
  if (!c->G || !c->g || !x || !work) return LIMB_E_NOMEM;
  for (int j = 0; j < ny; j++) {
    for (int v = 0; v < nv; v++) x[v] = plain(v == c->partition.y[j]);
    complete(c, NULL, work, x);
    for (ptrdiff_t v = 0; v < nv; v++) c->G[v * ny + j] = x[v];
  }
  if (moving) complete(c, c->gamma, work, c->g);
  return LIMB_OK;
}

limb_status limb_trace_reduce(limb_tracer* t, const unsigned char* prefer, bool moving, limb_loop_trace* out)
{
  limb_status s = limb_trace_constraints(t, moving, out);
  if (s == LIMB_OK) s = limb_partition_choose(t->m, prefer, t->program, &out->partition, t->error);
  if (s == LIMB_OK && out->partition.ny == 0)
    return limb_fail(t->error, LIMB_E_UNSUPPORTED, t->m->name,
                     "singular closed form: the loops leave nothing that moves");
  if (s == LIMB_OK) s = find_blocks(out);
  return s == LIMB_OK ? find_velocity_map(out, moving) : s;
}

void limb_trace_from_independent(const limb_loop_trace* c, const limb_scalar* y, const limb_scalar* more,
                                 limb_scalar* x)
{
  const int ny = c->partition.ny;
  for (ptrdiff_t v = 0; v < c->m.nv; v++) {
    x[v] = more ? more[v] : zero();
    for (int j = 0; j < ny; j++) x[v] = madd(x[v], c->G[v * ny + j], y[j]);
  }
}

void limb_trace_to_independent(const limb_loop_trace* c, const limb_scalar* f, limb_scalar* out)
{
  const int ny = c->partition.ny;
  for (int j = 0; j < ny; j++) {
    out[j] = zero();
    for (ptrdiff_t v = 0; v < c->m.nv; v++) out[j] = madd(out[j], c->G[v * ny + j], f[v]);
  }
}

// ---- dynamics ------------------------------------------------------------------------------------------------------

void limb_trace_tree_forces(limb_loop_trace* c, const limb_scalar* v, const limb_scalar* a, limb_scalar* out)
{
  limb_tracer* t = c->t;
  limb_trace_kernels.inverse_dynamics(t->m, t->k, &t->ws, t->q, v, a, &t->terms, NULL, out);
}

limb_status limb_trace_reduced_mass(limb_loop_trace* c, limb_scalar* out)
{
  limb_tracer* t = c->t;
  const ptrdiff_t nv = c->m.nv, ny = c->partition.ny;
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
  const int nv = c->m.nv, ny = c->partition.ny;
  limb_scalar* M = limb_trace_scalars(t, (size_t)ny * (size_t)ny);
  limb_scalar *y = limb_trace_scalars(t, (size_t)ny), *diagonal = limb_trace_scalars(t, (size_t)ny);
  limb_scalar* f = limb_trace_scalars(t, (size_t)nv);
  if (!M || !y || !diagonal || !f) return LIMB_E_NOMEM;
  limb_trace_tree_forces(c, t->v, c->g, f); // M g + h
  for (int v = 0; v < nv; v++) f[v] = sub(tau[v], f[v]);
  limb_trace_to_independent(c, f, y);
  limb_trace_clear(t);
  const limb_status s = limb_trace_reduced_mass(c, M);
  if (s != LIMB_OK) return s;
  solve_definite(ny, M, diagonal, y);
  limb_trace_from_independent(c, y, c->g, a);
  return LIMB_OK;
}

limb_status limb_trace_multipliers(limb_loop_trace* c, limb_scalar* f, limb_scalar* lambda)
{
  limb_scalar* work = block_work(c);
  if (!work) return LIMB_E_NOMEM;
  for (int i = c->nblock - 1; i >= 0; i--) {
    const limb_trace_block* B = &c->block[i];
    const limb_cluster* k = B->of;
    limb_scalar *right = work, *x = work + B->A.n;
    for (int j = 0; j < B->A.n; j++) right[j] = f[k->v[B->column[j]]];
    solve_dense_transposed(&B->A, right, x);
    for (int r = 0; r < B->A.rows; r++) {
      lambda[k->row + B->row[r]] = x[r];
      for (int j = 0; j < k->nv; j++) f[k->v[j]] = msub(f[k->v[j]], *entry(c, k, B->row[r], j), x[r]);
    }
  }
  return LIMB_OK;
}

// ---- forces of motors ----------------------------------------------------------------------------------------------

// Marks the velocities that a motor drives.
static unsigned char* driven_marks(limb_loop_trace* c)
{
  unsigned char* marks = limb_program_alloc(c->t->program, (size_t)c->m.nv + 1, 1);
  return marks && limb_given_for_passive(c->t->m, marks) == LIMB_OK ? marks : NULL;
}

// Solves G_a' tau = G' tree in a cluster. reduced: G' tree.
static limb_status motor_forces_in_cluster(limb_loop_trace* c, const limb_cluster* k, const unsigned char* driven,
                                           const limb_scalar* reduced, limb_scalar* tau)
{
  const int ny = c->partition.ny, n = k->nv;
  int* list = limb_program_alloc(c->t->program, 2 * (size_t)n + 1, sizeof *list);
  limb_scalar* work = limb_trace_scalars(c->t, 2 * (size_t)n * (size_t)n + 2 * (size_t)n);
  if (!list || !work) return LIMB_E_NOMEM;
  int *active = list, *own = list + n;
  dense A = {.Q = work, .R = work + (ptrdiff_t)n * n};
  for (int j = 0; j < n; j++) {
    if (driven[k->v[j]]) active[A.rows++] = k->v[j];
  }
  for (int j = 0; j < ny; j++) {
    if (c->m.clusters.of_v[c->partition.y[j]] == (int)(k - c->m.clusters.cluster)) own[A.n++] = j;
  }
  limb_scalar *f = A.R + (ptrdiff_t)n * n, *x = f + n;
  for (int i = 0; i < A.rows; i++) {
    for (int j = 0; j < A.n; j++) A.Q[i * A.n + j] = c->G[(ptrdiff_t)active[i] * ny + own[j]];
  }
  for (int j = 0; j < A.n; j++) f[j] = reduced[own[j]];
  factor_dense(&A);
  solve_dense_transposed(&A, f, x);
  for (int i = 0; i < A.rows; i++) tau[active[i]] = x[i];
  return LIMB_OK;
}

limb_status limb_trace_motor_forces(limb_loop_trace* c, const limb_scalar* tree, limb_scalar* tau)
{
  const limb_clusters* all = &c->m.clusters;
  const unsigned char* driven = driven_marks(c);
  limb_scalar* reduced = limb_trace_scalars(c->t, (size_t)c->partition.ny);
  if (!driven || !reduced) return LIMB_E_NOMEM;
  limb_trace_to_independent(c, tree, reduced);
  for (int v = 0; v < c->m.nv; v++) tau[v] = all->of_v[v] < 0 && driven[v] ? tree[v] : zero();
  limb_status s = LIMB_OK;
  for (int k = 0; k < all->count && s == LIMB_OK; k++) {
    const limb_cluster* of = &all->cluster[k];
    if (c->partition.undriven[k] > 0)
      return limb_fail(c->t->error, LIMB_E_UNSUPPORTED, c->m.loop[of->loop[0]].def.name,
                       "no motor determines %d of the motions of the joints in this loop, so the forces of the motors "
                       "do not follow from a motion; request acc",
                       c->partition.undriven[k]);
    s = motor_forces_in_cluster(c, of, driven, reduced, tau);
  }
  return s;
}
