// Clusters reduced: which velocities follow from which, which rows from which, and the multipliers of least
// norm.
//
// With Psi_y left beside the unit matrix of the pivot columns p, v_p = rate - Psi_y v_y (Khalil 2010, (56)).
//
// Multipliers: f = Psi' lambda is read off in the pivot columns. With T for the steps, T Psi = [1 B; 0 0],
//
//     lambda' Psi = f'   holds for   lambda' = f_p' T_i        T_i: the first rank rows
//
// and so it does with any combination of the rows of T_r, those of zeros, added: of least norm is the one at
// right angles to them, lambda - T_r' (T_r T_r')^-1 T_r lambda. Cost O(rows^2 (rows + columns)) per cluster.

#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

// ---- rows of different units ----------------------------------------------------------------------------

typedef enum row_kind { TURN, PLACE, OF_JOINTS } row_kind;

// Of live row i of a cluster. *loop: where to look for it from; 0 to begin with, rows ascending.
static row_kind kind_of(const limb_loops* w, int cluster, int i, int* loop)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const int r = w->live[k->row + i];
  const limb_loop* x = &w->m->loop[k->loop[*loop]];
  for (; r >= x->local + x->nrow; x = &w->m->loop[k->loop[*loop]]) ++*loop;
  const unsigned turns = x->locked & 7U;
  if (limb_between_joints(x)) return OF_JOINTS;
  return r - x->local < (int)((turns & 1U) + (turns >> 1 & 1U) + (turns >> 2)) ? TURN : PLACE;
}

void limb_even_rows(const limb_loops* w, int cluster, bool apart, limb_reduction* r)
{
  const ptrdiff_t wide = r->columns + r->extra;
  double most[2] = {0, 0};
  int loop = 0;
  for (int i = 0; i < r->rows; i++) {
    const row_kind kind = kind_of(w, cluster, i, &loop);
    if (kind != OF_JOINTS) most[kind] = fmax(most[kind], limb_largest((size_t)r->columns, r->A + i * wide));
  }
  const double geometric = fmax(most[TURN], most[PLACE]);
  loop = 0;
  for (int i = 0; i < r->rows; i++) {
    const row_kind kind = kind_of(w, cluster, i, &loop);
    double* row = r->A + i * wide;
    double factor = apart && kind != OF_JOINTS && most[kind] > 0 ? 1 / most[kind] : 1;
    if (kind == OF_JOINTS) // its first entry is that of a joint: not zero
      factor = (!apart && geometric > 0 ? geometric : 1) / limb_largest((size_t)r->columns, row);
    for (ptrdiff_t j = 0; j < wide; j++) row[j] *= factor;
  }
}

// ---- reductions -----------------------------------------------------------------------------------------

limb_reduction* limb_load_cluster(limb_loops* w, int cluster, limb_carry carry)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const int *live = w->live + k->row, rows = w->nlive[cluster];
  const double* vector = carry == LIMB_CARRY_RESIDUAL ? w->phi : carry == LIMB_CARRY_RATE ? w->rate : w->gamma;
  limb_reduction* r = &w->reduced;
  r->rows = rows, r->columns = k->nv;
  r->extra = carry == LIMB_CARRY_NOTHING ? 0 : carry == LIMB_CARRY_STEPS ? rows : 1;
  const ptrdiff_t wide = r->columns + r->extra;
  for (int i = 0; i < rows; i++) {
    double* row = r->A + i * wide;
    memcpy(row, w->Psi + k->block + (ptrdiff_t)live[i] * k->nv, (size_t)k->nv * sizeof *row);
    for (int j = 0; j < r->extra; j++) row[k->nv + j] = carry == LIMB_CARRY_STEPS ? (i == j) : vector[k->row + live[i]];
  }
  return r;
}

const limb_reduction* limb_reduce_cluster(limb_loops* w, int cluster, const unsigned char* prefer, limb_carry carry,
                                          double tolerance)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  limb_reduction* r = limb_load_cluster(w, cluster, carry);
  if (w->mixed[cluster]) limb_even_rows(w, cluster, false, r);
  if (!prefer) {
    limb_row_reduce(r, NULL, tolerance);
    return r;
  }
  for (int j = 0; j < k->nv; j++) w->marks[j] = prefer[k->v[j]];
  limb_row_reduce(r, w->marks, tolerance);
  return r;
}

void limb_least_multipliers(limb_loops* w, const double* f, double tolerance, double* lambda)
{
  const limb_model* m = w->m;
  for (int i = 0; i < m->nrow; i++) lambda[i] = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_STEPS, tolerance);
    const ptrdiff_t wide = r->columns + r->extra;
    double *x = w->cluster_work, *work = x + r->rows;
    for (int j = 0; j < r->rows; j++) {
      x[j] = 0;
      for (int i = 0; i < r->rank; i++) x[j] += f[k->v[r->pivot[i]]] * r->A[i * wide + r->columns + j];
    }
    if (r->rank < r->rows) limb_take_off_dependent(r, work, x);
    for (int j = 0; j < r->rows; j++) lambda[k->row + w->live[k->row + j]] = x[j];
  }
}
