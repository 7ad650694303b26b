// Whether the rank of a cluster's rows says what it seems to say.
//
// Cost: that of a reduction or two per cluster, and once the rows at another velocity. Only where a rank is
// in doubt.
//
// Distance. Rows may depend on each other on the surface of the constraints only (Bennett's do). So far from
// it that the residual is phi they leave pivots of the size of phi. A least pivot that is not far above phi
// may be one of those, or belong to a robot that stands next to a singularity: nothing at hand tells which.
// Sizes are relative, rows of turns, of places and of joints each to their own.
//
// Redundancy. Let c' Psi = 0 here. When it is so at all places around, the motion goes on along every
// velocity with Psi v = 0: there is an a with Psi a = -Psi' v (Psi' here: dPsi/dt), so c' Psi' v = 0. One
// velocity taken at random for which it is not tells that rank is missing here only. (Where all of that
// vanishes, too, and only a higher order does not, it does not tell.)

#include "loops/forward_impl.h"

#include <math.h>

#define FAR_BELOW 1e-3 // a residual beside the least pivot
#define NO_BIAS   1e-6 // of what c' Psi' v is the sum of

int limb_loop_of_row(const limb_loops* w, int cluster, int i)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const int r = w->live[k->row + i];
  int l = 0;
  while (r >= w->m->loop[k->loop[l]].local + w->m->loop[k->loop[l]].nrow) l++;
  return k->loop[l];
}

void limb_find_doubts(limb_loops* w, double tolerance)
{
  w->full = true, w->doubtful = false;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance);
    w->full &= r->rank == r->rows;
    w->doubtful |= limb_is_doubtful(r);
  }
}

// ---- distance -------------------------------------------------------------------------------------------

static limb_status check_cluster(limb_loops* w, int cluster, double tolerance, limb_doubt* out)
{
  limb_reduction* r = limb_load_cluster(w, cluster, LIMB_CARRY_RESIDUAL);
  limb_even_rows(w, cluster, true, r);
  const ptrdiff_t wide = r->columns + r->extra;
  double gap = 0;
  int worst = 0;
  for (int i = 0; i < r->rows; i++) {
    const double size = fabs(r->A[i * wide + r->columns]);
    if (size > gap) gap = size, worst = i;
  }
  limb_row_reduce(r, NULL, tolerance);
  if (!limb_is_doubtful(r) || gap <= FAR_BELOW * r->least) return LIMB_OK;
  const int row = w->m->clusters.cluster[cluster].row;
  if (out) *out = (limb_doubt){limb_loop_of_row(w, cluster, worst), fabs(w->phi[row + w->live[row + worst]])};
  return LIMB_E_SINGULAR;
}

limb_status limb_check_distance(limb_loops* w, double tolerance, limb_doubt* out)
{
  limb_status s = LIMB_OK;
  for (int c = 0; s == LIMB_OK && c < w->m->clusters.count; c++) {
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance);
    if (limb_is_doubtful(r)) s = check_cluster(w, c, tolerance, out);
  }
  return s;
}

// ---- redundancy -----------------------------------------------------------------------------------------

// Numbers that have nothing to do with the robot: fractions of multiples of the golden ratio.
static double some_number(int i)
{
  const double x = 0.61803398874989485 * (i + 1);
  return (i % 2 ? -1 : 1) * (0.5 + x - floor(x));
}

// A velocity that the closures allow, its largest entry 1, of each cluster with rows that depend on others,
// in v1; the rest is zero.
static void allowed_velocity(limb_loops* w, double tolerance)
{
  const limb_model* m = w->m;
  for (int v = 0; v < m->nv; v++) w->v1[v] = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const int* v = m->clusters.cluster[c].v;
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance);
    if (r->rank == r->rows) continue;
    double most = 0;
    for (int j = r->rank; j < r->columns; j++) w->v1[v[r->pivot[j]]] = some_number(j);
    for (int i = 0; i < r->rank; i++) { // v_p = -B v_y
      for (int j = r->rank; j < r->columns; j++)
        w->v1[v[r->pivot[i]]] -= r->A[i * (ptrdiff_t)r->columns + r->pivot[j]] * w->v1[v[r->pivot[j]]];
    }
    for (int j = 0; j < r->columns; j++) most = fmax(most, fabs(w->v1[v[j]]));
    for (int j = 0; j < r->columns && most > 0; j++) w->v1[v[j]] /= most;
  }
}

// c' Psi' v for the rows of a cluster that depend on others.
static limb_status check_dependent(limb_loops* w, int cluster, double tolerance, limb_doubt* out)
{
  const int first = w->m->clusters.cluster[cluster].row;
  const limb_reduction* r = limb_reduce_cluster(w, cluster, NULL, LIMB_CARRY_STEPS, tolerance);
  const double share = fmax(NO_BIAS, LIMB_CONTRADICTION * tolerance);
  for (int i = r->rank; i < r->rows; i++) {
    const double* c = r->A + (ptrdiff_t)i * (r->columns + r->extra) + r->columns;
    double sum = 0, size = 0, parts = 0;
    for (int j = 0; j < r->rows; j++) {
      const double bias = c[j] * w->bias[first + w->live[first + j]];
      sum += bias, size += fabs(bias), parts += fabs(c[j]);
    }
    if (fabs(sum) <= share * size + LIMB_ROW_ROUNDING * parts) continue;
    if (out) *out = (limb_doubt){limb_loop_of_row(w, cluster, r->row[i]), fabs(sum)};
    return LIMB_E_SINGULAR;
  }
  return LIMB_OK;
}

limb_status limb_check_redundancy(limb_loops* w, const double* q, double time, double tolerance, limb_doubt* out)
{
  allowed_velocity(w, tolerance);
  limb_status s = limb_loop_rows_at(w, q, w->v1, time, LIMB_ROWS_PSI | LIMB_ROWS_GAMMA | LIMB_ROWS_LEAN);
  for (int c = 0; s == LIMB_OK && c < w->m->clusters.count; c++) s = check_dependent(w, c, tolerance, out);
  return s;
}
