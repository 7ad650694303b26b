// Closing loops: from any start and in all ways there are, from nearby, and along a branch.

#include "limb/assemble.h"

#include "base/numeric.h"
#include "base/status.h"
#include "linalg/dense.h"
#include "loops/loops_impl.h"

#include <math.h>
#include <string.h>

// ---- assembly from any start --------------------------------------------------------------------------------

// Reference: loops/closing.c. Clusters that do not close are started again at random, the others stay as they
// are: the cost is linear in the number of clusters.

#define SAME      1e-6 // configurations less apart are one
#define KICKS     6    // per start: each is three times as long as the one before
#define FULL_TURN 6.28318530717958647692
#define KICK_SEED 0x6b69636bU

limb_assembly limb_default_assembly(void)
{
  return (limb_assembly){.size = sizeof(limb_assembly), .tolerance = 1e-12, .max_iterations = 200};
}

static limb_status read_assembly(const limb_model* m, const limb_assembly* given, limb_assembly* out)
{
  *out = limb_default_assembly();
  const size_t min_size = offsetof(limb_assembly, held) + sizeof out->held;
  if (given) {
    const limb_status s = limb_sized_read(out, sizeof *out, given, min_size);
    if (s != LIMB_OK) return s;
  }
  if (!limb_finite(1, &out->time) || !limb_finite(1, &out->tolerance)) return LIMB_E_NONFINITE;
  if (!(out->tolerance > 0) || out->max_iterations < 1 || out->restarts < 0) return LIMB_E_ARG;
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

static limb_status report_on(limb_loops* w, double time, const double* q, int iterations, int starts,
                             limb_assembly_report* report)
{
  limb_loop_options o = limb_default_loop_options();
  o.time = time;
  limb_loop_gap gap;
  const limb_status s = limb_loop_gap_of(w->owner, q, NULL, &o, &gap);
  if (s == LIMB_OK && report) *report = (limb_assembly_report){gap.position, gap.position_loop, iterations, starts, 0};
  return s;
}

// Whether all stuck clusters did come that close, if outside the limits of joints.
static bool only_limits(const limb_loops* w, double tolerance)
{
  for (int c = 0; c < w->m->clusters.count; c++) {
    if (w->order[c] == LIMB_CLUSTER_STUCK && !(w->v2[c] <= tolerance)) return false;
  }
  return true;
}

// Closes what is open, with as many starts as allowed. q: the best that was found.
static limb_status close_all(limb_loops* w, const limb_assembly* o, uint64_t* seed, double* q,
                             limb_assembly_report* report)
{
  uint64_t kicks = *seed ^ KICK_SEED;
  const limb_closing closing = {.time = o->time,
                                .tolerance = o->tolerance,
                                .iterations = o->max_iterations,
                                .damping = 1e-3,
                                .held = o->held,
                                .kicks = KICKS,
                                .within_limits = o->within_limits != 0,
                                .seed = &kicks};
  int iterations = 0, starts = 0, stuck = 1;
  limb_status s = LIMB_OK;
  while (s == LIMB_OK && stuck > 0 && starts <= o->restarts) {
    if (starts > 0) s = start_again(w, o->held, seed, q);
    if (s == LIMB_OK) s = limb_close(w, &closing, q, &iterations);
    if (s == LIMB_OK) keep_best(w, starts == 0, q);
    stuck = count_state(w, LIMB_CLUSTER_STUCK);
    starts++;
  }
  if (s != LIMB_OK) return s;
  limb_copy_clusters(w, LIMB_CLUSTER_STUCK, NULL, w->q2, q);
  const bool limits = stuck > 0 && only_limits(w, fmax(w->m->loop_tolerance, limb_closing_tolerance(w, o->tolerance)));
  s = report_on(w, o->time, q, iterations, starts, report);
  if (s == LIMB_OK && report) report->limits = limits;
  return s != LIMB_OK ? s : stuck > 0 ? LIMB_E_NOCONV : LIMB_OK;
}

// Of a robot without loops, which is closed.
static limb_status assemble_tree(limb_data* d, const double* q, const double* v, limb_assembly_report* report)
{
  const limb_status s = limb_check_tree_state(d, q, v);
  if (s == LIMB_OK && report) report->starts = 1;
  return s;
}

limb_status limb_assemble(limb_data* d, const limb_assembly* options, double* q, limb_assembly_report* report)
{
  if (report) *report = (limb_assembly_report){.loop = -1};
  if (!d || !q) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  limb_assembly o;
  const limb_status s = read_assembly(d->m, options, &o);
  if (s != LIMB_OK) return s;
  if (!w) return assemble_tree(d, q, NULL, report);
  limb_set_clusters(w, LIMB_CLUSTER_OPEN);
  return close_all(w, &o, &o.seed, q, report);
}

// ---- branches -----------------------------------------------------------------------------------------------

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
      *distance = fmax(*distance, fabs(angle ? remainder(x, FULL_TURN) : x));
    }
  }
  return s;
}

// Which of those that were found a configuration is; -1: none.
static limb_status find_branch(limb_loops* w, const double* x, int found, const double* q, int* which)
{
  limb_status s = LIMB_OK;
  *which = -1;
  for (int i = 0; s == LIMB_OK && i < found && *which < 0; i++) {
    double distance = 0;
    s = apart(w, q + (ptrdiff_t)i * w->m->nq, x, &distance);
    if (distance < SAME) *which = i;
  }
  return s;
}

limb_status limb_branch_of(limb_data* d, const double* q, int count, const double* branches, int* which)
{
  if (!d || !q || !branches || !which || count < 0) return LIMB_E_ARG;
  if (!d->loops) return LIMB_E_UNSUPPORTED;
  const limb_status s = limb_check_tree_state(d, q, NULL);
  return s == LIMB_OK ? find_branch(d->loops, q, count, branches, which) : s;
}

limb_status limb_assembly_branches(limb_data* d, const double* q, const limb_assembly* options, int max, double* q_out,
                                   int* found)
{
  if (found) *found = 0;
  if (!d || !q || !q_out || !found || max < 1) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_loops* w = d->loops;
  limb_assembly o;
  limb_status s = read_assembly(m, options, &o);
  if (!w) {
    if (s == LIMB_OK) s = limb_check_tree_state(d, q, NULL);
    if (s == LIMB_OK) memcpy(q_out, q, (size_t)m->nq * sizeof *q), *found = 1;
    return s;
  }
  const int restarts = o.restarts;
  o.restarts = 0;
  for (int t = 0; s == LIMB_OK && t <= restarts && *found < max; t++) {
    double* x = q_out + (ptrdiff_t)*found * m->nq;
    int known = 0;
    memcpy(x, q, (size_t)m->nq * sizeof *x);
    limb_set_clusters(w, t == 0 ? LIMB_CLUSTER_OPEN : LIMB_CLUSTER_STUCK);
    if (t > 0) s = start_again(w, o.held, &o.seed, x);
    if (s == LIMB_OK) s = close_all(w, &o, &o.seed, x, NULL);
    if (s == LIMB_OK) s = find_branch(w, x, *found, q_out, &known);
    *found += s == LIMB_OK && known < 0;
    if (s == LIMB_E_NOCONV) s = LIMB_OK;
  }
  return s != LIMB_OK ? s : *found > 0 ? LIMB_OK : LIMB_E_NOCONV;
}

// ---- the nearest state that closes the loops ----------------------------------------------------------------

// Reference: loops/closing.c; velocities v -= Psi^+ (Psi v - s'), repeated, because the pseudo-inverse is regularised
//            as far as rounding needs. Cost O(n), and O(constraints^2 (constraints + velocities)) per cluster and
//            step.

#define PROJECTED         1e-12 // residual of positions
#define PROJECTION_MAX    1.0   // [rad] or [m] that a projection moves a joint
#define VELOCITIES_WITHIN 1e-10 // of velocities, relative to what they are the sum of

enum { PROJECTION_STEPS = 30, VELOCITY_STEPS = 6 };

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

// What rounded loops contradict each other by at the velocities v: a few gaps in the arms of their points.
static double contradicted(const limb_loops* w, const double* v)
{
  double max = 0;
  for (int c = 0; c < w->m->clusters.count; c++) {
    const limb_cluster* k = &w->m->clusters.cluster[c];
    const double gap = limb_rounded_gap(w, c);
    for (int j = 0; j < k->nv && gap > 0; j++) max = fmax(max, LIMB_BENT * gap * fabs(v[k->v[j]]));
  }
  return max;
}

// v in w->v2. Constraints are those at q.
static limb_status project_velocities(limb_loops* w, const unsigned char* held)
{
  const limb_model* m = w->m;
  double size = 0, gap = velocity_gap(w, w->v2, &size), before = HUGE_VAL;
  for (int i = 0; i < VELOCITY_STEPS && gap > 0 && gap < before / 2; i++) {
    for (int c = 0; c < m->clusters.count; c++) {
      const limb_cluster* k = &m->clusters.cluster[c];
      limb_min_norm_step(w, c, LIMB_CONSTRAINTS_ALL, held, limb_rounded_damping(w, c), w->r1, w->v1);
      for (int j = 0; j < k->nv; j++) w->v2[k->v[j]] += w->v1[k->v[j]];
    }
    before = gap;
    gap = velocity_gap(w, w->v2, &size);
  }
  if (!limb_finite(m->nv, w->v2)) return LIMB_E_NONFINITE;
  return gap <= fmax(VELOCITIES_WITHIN * size, contradicted(w, w->v2)) ? LIMB_OK : LIMB_E_NOCONV;
}

// Closes the loops near q, into q2; *closed: they are, and no joint moved far.
static limb_status close_near(limb_loops* w, const limb_loop_options* o, const double* q, int* iterations, bool* closed)
{
  const limb_model* m = w->m;
  memcpy(w->q2, q, (size_t)m->nq * sizeof *q);
  limb_set_clusters(w, LIMB_CLUSTER_OPEN);
  const limb_closing closing = {
    .time = o->time, .tolerance = PROJECTED, .iterations = PROJECTION_STEPS, .held = o->held};
  limb_status s = limb_close(w, &closing, w->q2, iterations);
  *closed = s == LIMB_OK;
  for (int c = 0; *closed && c < m->clusters.count; c++) *closed = w->order[c] == LIMB_CLUSTER_CLOSED;
  if (s == LIMB_OK) s = limb_difference(m, q, w->q2, w->v3);
  for (int i = 0; s == LIMB_OK && i < m->nv; i++) *closed = *closed && fabs(w->v3[i]) <= PROJECTION_MAX;
  return s;
}

limb_status limb_project(limb_data* d, const limb_loop_options* options, double* q, double* v,
                         limb_assembly_report* report)
{
  if (report) *report = (limb_assembly_report){.loop = -1};
  if (!d || !q) return LIMB_E_ARG;
  const limb_model* m = d->m;
  limb_loops* w = d->loops;
  limb_loop_options o;
  limb_status s = limb_loop_options_read(options, &o);
  if (s == LIMB_OK) s = limb_check_held(m, o.held);
  if (s == LIMB_OK && v && !limb_finite(m->nv, v)) s = LIMB_E_NONFINITE;
  if (s != LIMB_OK) return s;
  if (!w) return assemble_tree(d, q, v, report);
  int iterations = 0;
  bool closed = false;
  limb_loop_gap gap = {0, 0, -1, -1};
  s = close_near(w, &o, q, &iterations, &closed);
  if (s == LIMB_OK) s = limb_loop_gap_of(d, w->q2, v, &o, &gap);
  if (s != LIMB_OK) return s;
  if (report) *report = (limb_assembly_report){gap.position, gap.position_loop, iterations, 1, 0};
  if (!closed) return LIMB_E_NOCONV;
  if (v) { // the constraints are those of the gap, Psi included
    memcpy(w->v2, v, (size_t)m->nv * sizeof *v);
    s = project_velocities(w, o.held);
    if (s != LIMB_OK) return s;
    memcpy(v, w->v2, (size_t)m->nv * sizeof *v);
  }
  memcpy(q, w->q2, (size_t)m->nq * sizeof *q);
  return LIMB_OK;
}

// ---- following a branch -------------------------------------------------------------------------------------

// From one configuration of the held coordinates to another without changing sides.
//
// Reference: E. Allgower, K. Georg, Numerical continuation methods, 1990: tangent, then projection. Cost as
//            limb_mobility_at per step.
//
// The pivots of the dependent columns decide how long a step may be: they change by a share of the largest one that
// is not much larger than the step. A step of a quarter of the smallest pivot, relative to the largest, before it and
// after it, passes no configuration where that pivot is zero; towards one, steps become shorter and shorter.

#define STEP_MAX  0.1   // [rad] or [m]
#define SHARE     0.25  // of the smallest pivot
#define STEP_MIN  1e-6  // the branch ends here
#define CORRECTED 1e-12 // [m] or [rad]: residual of a closed loop

enum { CORRECTIONS = 15, STEPS_MAX = 100000 };

typedef struct follow {
  limb_loops* w;
  const unsigned char* held;
  limb_loop_options o;
} follow;

// Smallest over largest pivot of the dependent columns, of the worst cluster; 0 when held ones depend on each
// other.
static double pivot_ratio(const follow* f)
{
  limb_loops* w = f->w;
  const limb_model* m = w->m;
  for (int v = 0; v < m->nv; v++) w->prefer[v] = !f->held[v];
  double ratio = 1;
  for (int c = 0; c < m->clusters.count; c++) {
    const limb_reduction* r = limb_reduce_cluster(w, c, w->prefer, LIMB_CARRY_NOTHING, f->o.tolerance);
    if (r->preferred < r->rank) return 0;
    if (r->rank > 0) ratio = fmin(ratio, r->min_pivot / r->max_pivot);
  }
  return ratio;
}

// Closes the loops at a configuration with the held coordinates as they are. LIMB_E_NOCONV: it does not.
static limb_status correct(const follow* f, double* q)
{
  limb_loops* w = f->w;
  limb_set_clusters(w, LIMB_CLUSTER_OPEN);
  const limb_closing closing = {.time = f->o.time, .tolerance = CORRECTED, .iterations = CORRECTIONS, .held = f->held};
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
    limb_min_norm_step(w, c, LIMB_CONSTRAINTS_ALL, f->held, 0, w->r1, w->v1);
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
  const double corrected = limb_largest((size_t)w->m->nv, w->v3), ratio = pivot_ratio(f);
  // A correction may be half the step, or no more than what a residual leaves open.
  const double allowed = fmax(length / 2, fmin(CORRECTED / ratio, SHARE * ratio));
  return corrected <= allowed && length <= 2 * SHARE * ratio ? LIMB_OK : LIMB_E_NOCONV;
}

// The next step; *arrived when it was the last.
static limb_status advance(const follow* f, const double* goal, double* q, bool* arrived)
{
  limb_loops* w = f->w;
  const limb_model* m = w->m;
  limb_status s = limb_constraints_at(w, q, NULL, f->o.time, LIMB_NEED_PSI);
  if (s != LIMB_OK) return s;
  const double limit = fmin(STEP_MAX, SHARE * pivot_ratio(f));
  s = tangent(f, q, goal);
  if (s != LIMB_OK) return s;
  const double way = limb_largest((size_t)m->nv, w->v2);
  *arrived = way == 0;
  double length = 2 * fmin(way, limit);
  while (way > 0) {
    length /= 2;
    if (length < fmin(STEP_MIN, way)) return LIMB_E_SINGULAR;
    *arrived = length == way;
    s = try_step(f, q, *arrived ? 1 : length / way, length);
    if (s == LIMB_OK) break;
    if (s != LIMB_E_NOCONV) return s;
  }
  if (way > 0) memcpy(q, w->q2, (size_t)m->nq * sizeof *q);
  return LIMB_OK;
}

// Without loops, the held coordinates go where they should.
static limb_status go_to(limb_data* d, const double* q_goal, const unsigned char* held, double* q)
{
  const limb_model* m = d->m;
  double *way = d->user_v, *to = d->probe_q + m->nq;
  limb_status s = limb_difference(m, q, q_goal, way);
  for (int v = 0; v < m->nv; v++)
    if (held ? !held[v] : d->inverse[v] != LIMB_ACCELERATION_GIVEN) way[v] = 0;
  if (s == LIMB_OK) s = limb_integrate(m, q, way, 1, to);
  if (s == LIMB_OK) memcpy(q, to, (size_t)m->nq * sizeof *q);
  return s;
}

limb_status limb_follow_branch(limb_data* d, const double* q_goal, const unsigned char* held,
                               const limb_loop_options* options, double* q)
{
  if (!d || !q_goal || !q) return LIMB_E_ARG;
  limb_loops* w = d->loops;
  follow f = {w, held || !w ? held : w->active, {0}};
  limb_status s = limb_loop_options_read(options, &f.o);
  if (s == LIMB_OK) s = limb_check_held(d->m, f.held);
  if (s == LIMB_OK && !limb_finite(d->m->nq, q_goal)) s = LIMB_E_NONFINITE;
  if (s == LIMB_OK && !w) s = go_to(d, q_goal, held, q);
  if (!w) return s;
  if (s == LIMB_OK) s = correct(&f, q);
  bool arrived = false;
  for (int i = 0; s == LIMB_OK && !arrived; i++) s = i < STEPS_MAX ? advance(&f, q_goal, q, &arrived) : LIMB_E_NOCONV;
  return s;
}
