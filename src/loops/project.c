// The nearest state that satisfies the equations of closures.
//
// Reference: loops/closing.c; velocities v -= Psi^+ (Psi v - s'), repeated, because the pseudo-inverse is
//            regularised as far as rounding needs. Cost O(n), and O(rows^2 (rows + velocities)) per cluster
//            and step.

#include "limb/assemble.h"

#include "base/numeric.h"
#include "loops/closing.h"

#include <math.h>
#include <string.h>

#define CLOSED   1e-12 // residual of places
#define FARTHEST 1.0   // [rad] or [m] that a projection moves a joint
#define WITHIN   1e-10 // of velocities, relative to what they are the sum of

enum { STEPS = 30, VELOCITY_STEPS = 6 };

// What is left of Psi v = s', in r1; its largest entry. size: the largest number that it is the sum of, so
// far.
static double velocity_gap(limb_loops* w, const double* v, double* size)
{
  const limb_model* m = w->m;
  limb_psi_times(w, v, w->r1);
  double gap = 0;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    for (int r = 0; r < k->nrow; r++) {
      const double* row = w->Psi + k->block + (ptrdiff_t)r * k->nv;
      for (int j = 0; j < k->nv; j++) *size = fmax(*size, fabs(row[j] * v[k->v[j]]));
      *size = fmax(*size, fabs(w->rate[k->row + r]));
      w->r1[k->row + r] = w->rate[k->row + r] - w->r1[k->row + r];
      gap = fmax(gap, fabs(w->r1[k->row + r]));
    }
  }
  return gap;
}

// v in w->v2. Rows are those at q.
static limb_status project_velocities(limb_loops* w, const unsigned char* held)
{
  const limb_model* m = w->m;
  double size = 0, gap = velocity_gap(w, w->v2, &size), before = HUGE_VAL;
  for (int i = 0; i < VELOCITY_STEPS && gap > 0 && gap < before / 2; i++) {
    for (int c = 0; c < m->clusters.count; c++) {
      const limb_cluster* k = &m->clusters.cluster[c];
      limb_least_step(w, c, LIMB_ROWS_ALL, held, 0, w->r1, w->v1);
      for (int j = 0; j < k->nv; j++) w->v2[k->v[j]] += w->v1[k->v[j]];
    }
    before = gap;
    gap = velocity_gap(w, w->v2, &size);
  }
  if (!limb_finite(m->nv, w->v2)) return LIMB_E_NONFINITE;
  return gap <= WITHIN * size ? LIMB_OK : LIMB_E_NOCONV;
}

limb_status limb_project(limb_loops* w, const limb_loop_options* options, double* q, double* v,
                         limb_assembly_report* report)
{
  if (report) *report = (limb_assembly_report){.loop = -1};
  if (!w || !q) return LIMB_E_ARG;
  const limb_model* m = w->m;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_check_held(m, o.held);
  if (s == LIMB_OK && v && !limb_finite(m->nv, v)) s = LIMB_E_NONFINITE;
  if (s != LIMB_OK) return s;
  memcpy(w->q2, q, (size_t)m->nq * sizeof *q);
  limb_set_clusters(w, LIMB_CLUSTER_OPEN);
  const limb_closing closing = {.time = o.time, .tolerance = CLOSED, .iterations = STEPS, .held = o.held};
  int iterations = 0;
  s = limb_close(w, &closing, w->q2, &iterations);
  bool closed = s == LIMB_OK;
  for (int c = 0; closed && c < m->clusters.count; c++) closed = w->order[c] == LIMB_CLUSTER_CLOSED;
  limb_loop_gap gap = {0, 0, -1, -1};
  if (s == LIMB_OK) s = limb_difference(m, q, w->q2, w->v3);
  for (int i = 0; s == LIMB_OK && i < m->nv; i++) closed = closed && fabs(w->v3[i]) <= FARTHEST;
  if (s == LIMB_OK) s = limb_loop_gap_of(w, w->q2, v, &o, &gap);
  if (s != LIMB_OK) return s;
  if (report) *report = (limb_assembly_report){gap.place, gap.place_loop, iterations, 1, 0};
  if (!closed) return LIMB_E_NOCONV;
  if (v) { // the rows are those of the gap, Psi included
    memcpy(w->v2, v, (size_t)m->nv * sizeof *v);
    s = project_velocities(w, o.held);
    if (s != LIMB_OK) return s;
    memcpy(v, w->v2, (size_t)m->nv * sizeof *v);
  }
  memcpy(q, w->q2, (size_t)m->nq * sizeof *q);
  return LIMB_OK;
}
