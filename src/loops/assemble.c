// Assembly: closing loops from any start, and the different ways to do so.
//
// Reference: loops/closing.c. Clusters that do not close are started again at random, the others stay as they
// are: the cost is linear in the number of clusters.

#include "limb/assemble.h"

#include "base/numeric.h"
#include "base/status.h"
#include "loops/closing.h"

#include <math.h>
#include <string.h>

#define SAME      1e-6 // configurations less apart are one
#define KICKS     6    // per try: each is three times as long as the one before
#define TURN      6.28318530717958647692
#define KICK_SEED 0x6b69636bU

static limb_status read_assembly(const limb_model* m, const limb_assembly* given, limb_assembly* out)
{
  *out = limb_default_assembly();
  const size_t least = offsetof(limb_assembly, held) + sizeof out->held;
  if (given) {
    const limb_status s = limb_sized_read(out, sizeof *out, given, least);
    if (s != LIMB_OK) return s;
  }
  if (!limb_finite(1, &out->time) || !limb_finite(1, &out->tolerance)) return LIMB_E_NONFINITE;
  if (!(out->tolerance > 0) || out->iterations < 1 || out->tries < 1) return LIMB_E_ARG;
  return limb_check_held(m, out->held);
}

static int count_state(const limb_loops* w, int state)
{
  int count = 0;
  for (int c = 0; c < w->m->clusters.count; c++) count += w->order[c] == state;
  return count;
}

// Keeps in q2 the best that stuck clusters came to; best residuals in v2.
static void keep_best(limb_loops* w, bool first, const double* q)
{
  for (int c = 0; c < w->m->clusters.count; c++) {
    if (w->order[c] != LIMB_CLUSTER_STUCK) continue;
    const double residual = limb_cluster_residual(w, c);
    if (!first && !(residual < w->v2[c])) continue;
    w->v2[c] = residual;
    w->order[c] = LIMB_CLUSTER_OPEN; // for the moment: the ones to copy
  }
  limb_copy_clusters(w, LIMB_CLUSTER_OPEN, NULL, q, w->q2);
  for (int c = 0; c < w->m->clusters.count; c++) {
    if (w->order[c] == LIMB_CLUSTER_OPEN) w->order[c] = LIMB_CLUSTER_STUCK;
  }
}

// Stuck clusters begin again elsewhere.
static limb_status start_again(limb_loops* w, const unsigned char* held, uint64_t* seed, double* q)
{
  const limb_status s = limb_random(w->m, seed, w->q1);
  limb_copy_clusters(w, LIMB_CLUSTER_STUCK, held, w->q1, q);
  for (int c = 0; c < w->m->clusters.count; c++) {
    if (w->order[c] == LIMB_CLUSTER_STUCK) w->order[c] = LIMB_CLUSTER_OPEN;
  }
  return s;
}

static limb_status report_on(limb_loops* w, double time, const double* q, int iterations, int tries,
                             limb_assembly_report* report)
{
  limb_loop_options o = limb_default_loop_options();
  o.time = time;
  limb_loop_gap gap;
  const limb_status s = limb_loop_gap_of(w, q, NULL, &o, &gap);
  if (s == LIMB_OK && report) *report = (limb_assembly_report){gap.place, gap.place_loop, iterations, tries, 0};
  return s;
}

// Whether all stuck clusters did close, if outside the limits of joints.
static bool only_limits(const limb_loops* w, double tolerance)
{
  for (int c = 0; c < w->m->clusters.count; c++) {
    if (w->order[c] == LIMB_CLUSTER_STUCK && !(w->v2[c] <= tolerance)) return false;
  }
  return true;
}

// Closes what is open, with as many tries as allowed. q: the best that was found.
static limb_status close_all(limb_loops* w, const limb_assembly* o, uint64_t* seed, double* q,
                             limb_assembly_report* report)
{
  uint64_t kicks = *seed ^ KICK_SEED;
  const limb_closing closing = {.time = o->time,
                                .tolerance = o->tolerance,
                                .iterations = o->iterations,
                                .damping = 1e-3,
                                .held = o->held,
                                .kicks = KICKS,
                                .within_limits = o->within_limits != 0,
                                .seed = &kicks};
  int iterations = 0, tries = 0, stuck = 1;
  limb_status s = LIMB_OK;
  while (s == LIMB_OK && stuck > 0 && tries < o->tries) {
    if (tries > 0) s = start_again(w, o->held, seed, q);
    if (s == LIMB_OK) s = limb_close(w, &closing, q, &iterations);
    if (s == LIMB_OK) keep_best(w, tries == 0, q);
    stuck = count_state(w, LIMB_CLUSTER_STUCK);
    tries++;
  }
  if (s != LIMB_OK) return s;
  limb_copy_clusters(w, LIMB_CLUSTER_STUCK, NULL, w->q2, q);
  const bool limits = stuck > 0 && only_limits(w, limb_closing_tolerance(w, o->tolerance));
  s = report_on(w, o->time, q, iterations, tries, report);
  if (s == LIMB_OK && report) report->limits = limits;
  return s != LIMB_OK ? s : stuck > 0 ? LIMB_E_NOCONV : LIMB_OK;
}

limb_status limb_assemble(limb_loops* w, const limb_assembly* options, double* q, limb_assembly_report* report)
{
  if (report) *report = (limb_assembly_report){.loop = -1};
  if (!w || !q) return LIMB_E_ARG;
  limb_assembly o;
  const limb_status s = read_assembly(w->m, options, &o);
  if (s != LIMB_OK) return s;
  limb_set_clusters(w, LIMB_CLUSTER_OPEN);
  return close_all(w, &o, &o.seed, q, report);
}

// ---- branches ---------------------------------------------------------------------------------------------

// The distance of two configurations in their largest coordinate, angles modulo whole turns.
static limb_status apart(limb_loops* w, const double* a, const double* b, double* distance)
{
  const limb_model* m = w->m;
  const limb_status s = limb_difference(m, a, b, w->v3);
  *distance = 0;
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    for (int k = 0; k < j->nv; k++) {
      const limb_joint_type type = j->def.type;
      const bool angle = type == LIMB_REVOLUTE || type == LIMB_UNIVERSAL || (type == LIMB_CYLINDRICAL && k == 0) ||
                         (type == LIMB_PLANAR && k == 2);
      const double x = w->v3[j->v + k];
      *distance = fmax(*distance, fabs(angle ? remainder(x, TURN) : x));
    }
  }
  return s;
}

limb_status limb_assembly_branches(limb_loops* w, const double* q, const limb_assembly* options, int most,
                                   double* q_out, int* found)
{
  if (found) *found = 0;
  if (!w || !q || !q_out || !found || most < 1) return LIMB_E_ARG;
  const limb_model* m = w->m;
  limb_assembly o;
  limb_status s = read_assembly(m, options, &o);
  const int tries = o.tries;
  o.tries = 1;
  for (int t = 0; s == LIMB_OK && t < tries && *found < most; t++) {
    double* x = q_out + (ptrdiff_t)*found * m->nq;
    memcpy(x, q, (size_t)m->nq * sizeof *x);
    limb_set_clusters(w, t == 0 ? LIMB_CLUSTER_OPEN : LIMB_CLUSTER_STUCK);
    if (t > 0) s = start_again(w, o.held, &o.seed, x);
    if (s == LIMB_OK) s = close_all(w, &o, &o.seed, x, NULL);
    bool is_new = s == LIMB_OK;
    for (int i = 0; s == LIMB_OK && i < *found; i++) {
      double distance = 0;
      s = apart(w, q_out + (ptrdiff_t)i * m->nq, x, &distance);
      if (distance < SAME) is_new = false;
    }
    if (is_new && s == LIMB_OK) ++*found;
    if (s == LIMB_E_NOCONV) s = LIMB_OK;
  }
  return s != LIMB_OK ? s : *found > 0 ? LIMB_OK : LIMB_E_NOCONV;
}
