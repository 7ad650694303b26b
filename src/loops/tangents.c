// Loops along directions: dual numbers through the motion of the links, the rows, and the inverse dynamics of
// the tree with the closures' forces.
//
// Cost O(n + rows) for each group of LIMB_TANGENTS directions.

#include "loops/derivatives_impl.h"

#include <string.h>

// The motion of the links and the rows, along what the dual workspace holds.
static void rows_along(limb_loops* w, limb_dual* u, bool with_psi)
{
  const limb_model* m = w->m;
  const limb_loop_tangents* t = &w->along;
  u->kernels->link_motion(m, m->k64, &u->ws, u->q, u->v, u->x, t->X, t->vel, t->acc, t->acc_v);
  const limb_loop_kernels_dual_in in = {.q = u->q, .v = u->v, .a = u->x, .X = t->X, .vel = t->vel, .acc = t->acc};
  const limb_loop_kernels_dual_out out = {.Psi = with_psi ? t->Psi : NULL, .bias = t->bias, .reach = t->reach};
  limb_loop_kernels_dual_here()->rows(m, m->k64, &in, &out);
}

// F, with what the environment's wrenches and the closures do.
static void forces_along(limb_loops* w, limb_dual* u, const limb_surroundings* x, const limb_directions* along,
                         int first)
{
  const limb_model* m = w->m;
  const limb_loop_tangents* t = &w->along;
  const size_t links = LIMB_WS_FORCE * (size_t)m->nlink;
  const limb_dual_number* given = limb_dual_wrench_group(u, x, along, first);
  if (given)
    memcpy(t->wrench, given, links * sizeof *given);
  else
    memset(t->wrench, 0, links * sizeof *t->wrench);
  memset(t->tau, 0, (size_t)m->nv * sizeof *t->tau);
  limb_loop_kernels_dual_here()->forces(m, t->X, t->reach, t->lambda, t->wrench, t->tau);
  u->kernels->inverse_dynamics(m, m->k64, &u->ws, u->q, u->v, u->x, &x->terms, t->wrench, u->y);
}

// (dPsi z)_r for a slot
static void psi_change_times(const limb_loops* w, int slot, const double* z, double* out)
{
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      const limb_dual_number* row = w->along.Psi + k->block + (ptrdiff_t)r * k->nv;
      double sum = 0;
      for (int j = 0; j < k->nv; j++) sum += limb_tangent(&row[j], slot) * z[k->v[j]];
      out[k->row + r] = sum;
    }
  }
}

static void take_changes(const limb_loops* w, const limb_dual* u, int direction, int slot, const limb_loop_changes* out)
{
  const limb_model* m = w->m;
  if (out->dF) {
    double* row = out->dF + (ptrdiff_t)direction * m->nv;
    for (int i = 0; i < m->nv; i++) row[i] = limb_tangent(&u->y[i], slot) - limb_tangent(&w->along.tau[i], slot);
  }
  if (out->dc) {
    double* row = out->dc + (ptrdiff_t)direction * m->nrow;
    for (int r = 0; r < m->nrow; r++) row[r] = limb_tangent(&w->along.bias[r], slot);
  }
  if (out->dPsi_z) psi_change_times(w, slot, out->z, out->dPsi_z + (ptrdiff_t)direction * m->nrow);
}

limb_status limb_loop_along(limb_loops* w, limb_dual* u, const limb_loop_point* point, const limb_directions* along,
                            const limb_loop_changes* out)
{
  limb_surroundings x;
  const limb_status s = limb_dual_enter(u, &point->at, true, &x);
  if (s != LIMB_OK) return s;
  limb_dual_point(u, &point->at);
  for (int r = 0; r < w->m->nrow; r++)
    w->along.lambda[r] = (limb_dual_number){.x = point->lambda ? point->lambda[r] : 0};
  for (int first = 0; first < along->count; first += LIMB_TANGENTS) {
    limb_dual_group(u, along, along->da, first);
    rows_along(w, u, out->dPsi_z != NULL);
    if (out->dF) forces_along(w, u, &x, along, first);
    const int used = limb_dual_used(along, first);
    for (int slot = 0; slot < used; slot++) take_changes(w, u, first + slot, slot, out);
  }
  limb_leave(u->d, &x);
  return LIMB_OK;
}

int limb_loop_independent_rows(limb_loops* w, double tolerance)
{
  int count = 0;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const int first = w->m->clusters.cluster[c].row;
    const limb_reduction* r = limb_reduce_cluster(w, c, NULL, LIMB_CARRY_NOTHING, tolerance);
    for (int i = 0; i < r->rank; i++) w->order[count++] = first + w->live[first + r->row[i]];
  }
  return count;
}
