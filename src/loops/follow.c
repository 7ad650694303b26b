// Following a branch: from one configuration of the held coordinates to another without changing sides.
//
// Reference: E. Allgower, K. Georg, Numerical continuation methods, 1990: tangent, then projection. Cost as
//            limb_mobility_at per step.
//
// How long a step may be is told by the pivots of the columns that follow: they change by a share of the
// largest one that is not much larger than the step. A step of a quarter of the least pivot, relative to the
// greatest, before it and after it, passes no place where it is zero; towards such a place steps become
// shorter and shorter.

#include "limb/assemble.h"

#include "base/numeric.h"
#include "linalg/dense.h"
#include "loops/closing.h"

#include <math.h>
#include <string.h>

#define LONGEST  0.1   // [rad] or [m]
#define SHARE    0.25  // of the least pivot
#define SHORTEST 1e-6  // the branch ends here
#define CLOSED   1e-12 // [m] or [rad]: residual of a closed loop

enum { CORRECTIONS = 15, MOST_STEPS = 100000 };

typedef struct follow {
  limb_loops* w;
  const unsigned char* held;
  limb_loop_options o;
} follow;

// Least over greatest pivot of the columns that follow, of the worst cluster; 0 when held ones depend on each
// other.
static double room_at(const follow* f)
{
  limb_loops* w = f->w;
  const limb_model* m = w->m;
  for (int v = 0; v < m->nv; v++) w->prefer[v] = !f->held[v];
  double room = 1;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_reduction* r = limb_reduce_cluster(w, c, w->prefer, LIMB_CARRY_NOTHING, f->o.tolerance);
    if (r->preferred < r->rank) return 0;
    if (r->rank > 0) room = fmin(room, r->least / r->greatest);
  }
  return room;
}

// Closes the loops at a configuration with the held coordinates as they are. LIMB_E_NOCONV: it does not.
static limb_status correct(const follow* f, double* q)
{
  limb_loops* w = f->w;
  limb_set_clusters(w, LIMB_CLUSTER_OPEN);
  const limb_closing closing = {.time = f->o.time, .tolerance = CLOSED, .iterations = CORRECTIONS, .held = f->held};
  limb_status s = limb_close(w, &closing, q, NULL);
  for (int c = 0; s == LIMB_OK && c < w->m->clusters.count; c++) {
    if (w->order[c] != LIMB_CLUSTER_CLOSED) s = LIMB_E_NOCONV;
  }
  return s;
}

// v2 = what is left to go for the held coordinates, and along the tangent for the others: Psi v2 = 0
static limb_status tangent(const follow* f, const double* q, const double* goal)
{
  limb_loops* w = f->w;
  const limb_model* m = w->m;
  const limb_status s = limb_difference(m, q, goal, w->v2);
  if (s != LIMB_OK) return s;
  for (int v = 0; v < m->nv; v++) w->v2[v] = f->held[v] ? w->v2[v] : 0;
  limb_psi_times(w, w->v2, w->r1);
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_cluster* k = &m->clusters.cluster[c];
    limb_least_step(w, c, LIMB_ROWS_ALL, f->held, 0, w->r1, w->v1);
    for (int j = 0; j < k->nv; j++) w->v2[k->v[j]] -= w->v1[k->v[j]];
  }
  return LIMB_OK;
}

// A step along v2 by that share of it, into q2. LIMB_E_NOCONV: it was too long.
static limb_status try_step(const follow* f, const double* q, double share, double length)
{
  limb_loops* w = f->w;
  limb_status s = limb_integrate(w->m, q, w->v2, share, w->q2);
  if (s == LIMB_OK) s = correct(f, w->q2);
  if (s == LIMB_OK) s = limb_difference(w->m, q, w->q2, w->v3);
  if (s != LIMB_OK) return s;
  for (int v = 0; v < w->m->nv; v++) w->v3[v] -= share * w->v2[v];
  const double corrected = limb_largest((size_t)w->m->nv, w->v3), room = room_at(f);
  // A correction may be half the step, or no more than what a residual leaves open.
  const double most = fmax(length / 2, fmin(CLOSED / room, SHARE * room));
  return corrected <= most && length <= 2 * SHARE * room ? LIMB_OK : LIMB_E_NOCONV;
}

// The next step; *arrived when it was the last.
static limb_status advance(const follow* f, const double* goal, double* q, bool* arrived)
{
  limb_loops* w = f->w;
  const limb_model* m = w->m;
  limb_status s = limb_loop_rows_at(w, q, NULL, f->o.time, LIMB_ROWS_PSI);
  if (s != LIMB_OK) return s;
  const double limit = fmin(LONGEST, SHARE * room_at(f));
  s = tangent(f, q, goal);
  if (s != LIMB_OK) return s;
  const double way = limb_largest((size_t)m->nv, w->v2);
  *arrived = way == 0;
  double length = 2 * fmin(way, limit);
  while (way > 0) {
    length /= 2;
    if (length < fmin(SHORTEST, way)) return LIMB_E_SINGULAR;
    *arrived = length == way;
    s = try_step(f, q, *arrived ? 1 : length / way, length);
    if (s == LIMB_OK) break;
    if (s != LIMB_E_NOCONV) return s;
  }
  if (way > 0) memcpy(q, w->q2, (size_t)m->nq * sizeof *q);
  return LIMB_OK;
}

limb_status limb_follow_branch(limb_loops* w, const double* q_goal, const unsigned char* held,
                               const limb_loop_options* options, double* q)
{
  if (!w || !q_goal || !q) return LIMB_E_ARG;
  follow f = {w, held ? held : w->active, {0}};
  limb_status s = limb_loop_options_read(options, &f.o);
  if (s == LIMB_OK) s = limb_check_held(w->m, f.held);
  if (s == LIMB_OK && !limb_finite(w->m->nq, q_goal)) s = LIMB_E_NONFINITE;
  if (s == LIMB_OK) s = correct(&f, q);
  bool arrived = false;
  for (int i = 0; s == LIMB_OK && !arrived; i++) s = i < MOST_STEPS ? advance(&f, q_goal, q, &arrived) : LIMB_E_NOCONV;
  return s;
}
