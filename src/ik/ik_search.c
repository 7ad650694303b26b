// Searches: restarts, why there is no solution, many targets, branches.
//
// A start that does not get a solution is given up early; only the best of all is followed to its end, for the report.
#include "ik/ik_impl.h"

#include "limb/assemble.h"

#include "base/numeric.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define SAME      1e-6 // solutions less apart are one
#define PUSHES    1e-6 // share of the error by which a limit holds a joint back
#define UNIT      1e-6 // of a rotation
#define FULL_TURN 6.28318530717958647692
#define LOOSE     1e-8 // [rad, m] loops that are open by more are not closed

enum { POLISH = 10, WITHOUT_LIMITS = 20, FREELY = 4 };

// ---- starts -------------------------------------------------------------------------------------------------

void limb_ik_clamp(const limb_ik* ik, double* q)
{
  for (int j = 0; j < ik->nv; j++) {
    const int k = ik->coordinate[j];
    if (k >= 0 && !ik->held[j]) q[k] = fmin(fmax(q[k], ik->lower[j]), ik->upper[j]);
  }
}

void limb_ik_place(const limb_ik* ik, limb_ik_space* s, int k)
{
  uint64_t seed = limb_mixed_bits(s->seed + (uint64_t)k);
  if (k == 0 || limb_random(ik->m, &seed, s->q) != LIMB_OK) {
    memcpy(s->q, s->q_start, (size_t)ik->nq * sizeof *s->q);
    return;
  }
  for (int i = 0; i < ik->nq; i++) s->q[i] = ik->kept[i] ? s->q_start[i] : s->q[i];
}

static bool is_rotation(sp_mat3 R)
{
  const sp_mat3 X = sp_mul3(sp_transpose3(R), R), one = sp_identity3();
  double apart = 0;
  for (int k = 0; k < 9; k++) apart = fmax(apart, fabs(X.m[k] - one.m[k]));
  const sp_vec3 x = sp_v3(R.m[0], R.m[3], R.m[6]), y = sp_v3(R.m[1], R.m[4], R.m[7]), z = sp_v3(R.m[2], R.m[5], R.m[8]);
  return apart <= UNIT && sp_dot3(sp_cross3(x, y), z) > 0;
}

limb_status limb_ik_begin(const limb_ik* ik, limb_ik_space* s, const sp_pose* targets, const double* start)
{
  for (int k = 0; k < ik->ngoal; k++) {
    if (!limb_finite(9, targets[k].R.m) || !limb_finite3(targets[k].p)) return LIMB_E_NONFINITE;
    if (!is_rotation(targets[k].R)) return LIMB_E_ARG;
  }
  s->target = targets;
  s->iterations = s->starts = 0;
  memset(s->limits, 0, (size_t)ik->nv);
  if (!start) start = ik->options.reference;
  if (!start) return limb_start(ik->m, s->q_start);
  if (!limb_finite(ik->nq, start)) return LIMB_E_NONFINITE;
  memset(s->step, 0, (size_t)ik->nv * sizeof *s->step);
  return limb_integrate(ik->m, start, s->step, 0, s->q_start); // unit quaternions, checked
}

// ---- search -------------------------------------------------------------------------------------------------

bool limb_ik_closed(const limb_ik* ik, limb_ik_space* s)
{
  if (!s->loops) return true;
  limb_loop_options o = limb_default_loop_options();
  limb_loop_gap gap;
  o.time = ik->options.time;
  return limb_loop_gap_of(s->loops, s->q, NULL, &o, &gap) == LIMB_OK && gap.position < LOOSE + ik->options.tolerance;
}

// A start from where the descent without limits ends, by whole turns moved within them: a limit may be in the way of a
// solution that is within all of them.
static void begin_freely(const limb_ik* ik, limb_ik_space* s)
{
  const limb_ik_descent freely = {ik->options.max_iterations, false, false};
  (void)limb_ik_descend(ik, s, &freely);
  for (int j = 0; j < ik->nv; j++) {
    const int k = ik->angle[j];
    if (k < 0 || ik->coordinate[j] < 0) continue;
    const double below = ceil((ik->lower[j] - s->q[k]) / FULL_TURN),
                 above = floor((ik->upper[j] - s->q[k]) / FULL_TURN);
    if (below <= above) s->q[k] += FULL_TURN * fmin(fmax(0, below), above);
  }
}

limb_ik_end limb_ik_search(const limb_ik* ik, limb_ik_space* s, bool limited)
{
  const limb_ik_descent quick = {ik->options.max_iterations, false, limited};
  const limb_ik_descent patient = {ik->options.max_iterations * POLISH, true, limited};
  const int starts = 1 + (limited == ik->limited ? ik->options.restarts : WITHOUT_LIMITS);
  double best = HUGE_VAL;
  memcpy(s->q_best, s->q_start, (size_t)ik->nq * sizeof *s->q);
  for (int k = 0; k < starts; k++) {
    limb_ik_place(ik, s, k);
    s->starts++;
    if (limited && k % FREELY == FREELY - 1) begin_freely(ik, s);
    if (limb_ik_descend(ik, s, &quick) == IK_SOLVED && limb_ik_closed(ik, s)) return IK_SOLVED;
    const double cost = limb_ik_cost(ik, s->e);
    if (!(cost < best)) continue;
    best = cost;
    memcpy(s->q_best, s->q, (size_t)ik->nq * sizeof *s->q);
  }
  memcpy(s->q, s->q_best, (size_t)ik->nq * sizeof *s->q);
  const limb_ik_end end = limb_ik_descend(ik, s, &patient);
  return end == IK_SOLVED && !limb_ik_closed(ik, s) ? IK_STATIONARY : end;
}

// ---- why not ------------------------------------------------------------------------------------------------

// Limits that hold joints at s->q back: the cost would fall beyond them.
static bool find_limits(const limb_ik* ik, limb_ik_space* s)
{
  const double size = sqrt(limb_ik_cost(ik, s->e));
  bool any = false;
  for (int j = 0; j < ik->nv; j++) {
    if (ik->coordinate[j] < 0 || ik->held[j]) continue;
    double slope = 0;
    for (int i = 0; i < ik->rows; i++) slope += s->A[(ptrdiff_t)i * ik->nv + j] * s->e[i];
    const double x = s->q[ik->coordinate[j]];
    if (x >= ik->upper[j] && -slope > PUSHES * size) s->limits[j] = 1;
    if (x <= ik->lower[j] && slope > PUSHES * size) s->limits[j] = -1;
    any |= s->limits[j] != 0;
  }
  return any;
}

// Whether the directions of the goals depend on each other at s->q.
static bool is_singular(const limb_ik* ik, limb_ik_space* s)
{
  const int rows = ik->rows - ik->nc;
  if (rows > ik->nv) return true;
  memcpy(s->Af, s->A, (size_t)rows * (size_t)ik->nv * sizeof *s->Af);
  if (!limb_singular_values(rows, ik->nv, s->Af, s->B)) return false;
  return s->B[rows - 1] <= 1e-6 * s->B[0];
}

static limb_ik_reason find_reason(const limb_ik* ik, limb_ik_space* s, limb_ik_end end)
{
  if (s->gap > LOOSE + ik->options.tolerance) return LIMB_IK_LOOPS;
  const bool limits = ik->limited && find_limits(ik, s);
  const bool singular = is_singular(ik, s);
  if (limits && limb_ik_search(ik, s, false) == IK_SOLVED) return LIMB_IK_LIMITS;
  if (end == IK_STATIONARY && (limits || ik->options.restarts > 0)) return LIMB_IK_OUT_OF_REACH;
  return singular ? LIMB_IK_SINGULAR : LIMB_IK_ITERATIONS;
}

// Closes the loops of the nearest configuration, which pull the goals and the loops left open.
static void close_loops(const limb_ik* ik, limb_ik_space* s)
{
  limb_loop_options o = limb_default_loop_options();
  o.time = ik->options.time;
  o.held = ik->held;
  if (!s->loops || limb_project(s->loops, &o, s->q, NULL, NULL) != LIMB_OK) return;
  const limb_ik_descent look = {.max_iterations = 0, .limited = false};
  (void)limb_ik_descend(ik, s, &look);
}

limb_status limb_ik_solve_in(const limb_ik* ik, limb_ik_space* s, uint64_t i, const sp_pose* targets,
                             const double* start, double* q, limb_ik_report* report)
{
  limb_status status = limb_ik_begin(ik, s, targets, start);
  if (status != LIMB_OK) return status;
  s->seed = limb_mixed_bits(ik->options.seed ^ limb_mixed_bits(i));
  const limb_ik_end end = limb_ik_search(ik, s, ik->limited);
  const bool solved = end == IK_SOLVED;
  if (solved && ik->options.reference) limb_ik_approach(ik, s);
  if (!solved) close_loops(ik, s);
  limb_ik_report r = {.angle = s->angle, .position = s->position, .loops = s->gap};
  r.distance = limb_ik_distance(ik, s, ik->options.reference ? ik->options.reference : s->q_start, s->q);
  memcpy(q, s->q, (size_t)ik->nq * sizeof *q);
  if (!limb_finite(ik->nq, q) || !limb_finite(1, &r.angle) || !limb_finite(1, &r.position)) return LIMB_E_NONFINITE;
  r.iterations = s->iterations, r.starts = s->starts;
  if (!solved) r.reason = find_reason(ik, s, end);
  if (report) *report = r;
  return solved ? LIMB_OK : LIMB_E_NOCONV;
}

// ---- many targets -------------------------------------------------------------------------------------------

typedef struct many {
  limb_ik* ik;
  size_t n, nstart;
  const sp_pose* targets;
  const double* start;
  double* q;
  limb_ik_report* reports;
  limb_status* status;
} many;

static void solve_share(void* argument, int index)
{
  const many* job = argument;
  limb_ik* ik = job->ik;
  limb_ik_space* s = &ik->space[index];
  const size_t nq = (size_t)ik->nq, parts = (size_t)ik->nspace, part = (size_t)index;
  const size_t begin = job->n / parts * part + (part < job->n % parts ? part : job->n % parts);
  const size_t end = begin + job->n / parts + (part < job->n % parts);
  s->failed = LIMB_OK;
  for (size_t i = begin; i < end; i++) {
    const double* start = job->nstart == 0 ? NULL : job->start + (job->nstart == 1 ? 0 : i * nq);
    limb_ik_report report = {.reason = LIMB_IK_ITERATIONS};
    const limb_status x = limb_ik_solve_in(ik, s, ik->options.first + i, job->targets + i * (size_t)ik->ngoal, start,
                                           job->q + i * nq, &report);
    if (x != LIMB_OK && x != LIMB_E_NOCONV) {
      for (size_t k = 0; k < nq; k++) job->q[i * nq + k] = nan("");
    }
    if (job->reports) job->reports[i] = report;
    if (job->status) job->status[i] = x;
    if (s->failed == LIMB_OK) s->failed = x;
  }
}

limb_status limb_ik_solve_many(limb_ik* ik, size_t n, const sp_pose* targets, const double* start, size_t nstart,
                               double* q, limb_ik_report* reports, limb_status* status)
{
  if (!ik || (n > 0 && (!targets || !q)) || (nstart > 1 && nstart != n) || (nstart > 0 && !start)) return LIMB_E_ARG;
  many job = {.ik = ik, .n = n, .nstart = nstart, .targets = targets, .start = start, .reports = reports};
  job.q = q;
  job.status = status;
  const limb_pool* pool = ik->options.pool;
  if (pool) {
    pool->run(pool->context, ik->nspace, solve_share, &job);
  } else {
    solve_share(&job, 0);
  }
  for (int k = 0; k < ik->nspace; k++) {
    if (ik->space[k].failed != LIMB_OK) return ik->space[k].failed;
  }
  return LIMB_OK;
}

// ---- branches -----------------------------------------------------------------------------------------------

static bool is_same(const limb_ik* ik, limb_ik_space* s, const double* a, const double* b)
{
  if (limb_difference(ik->m, a, b, s->step) != LIMB_OK) return false;
  for (int k = 0; k < ik->nv; k++) {
    if (fabs(ik->turns[k] ? remainder(s->step[k], FULL_TURN) : s->step[k]) > SAME) return false;
  }
  return true;
}

// Takes whole turns off the angles of s->q, towards `from`, as far as limits allow.
static void take_turns(const limb_ik* ik, limb_ik_space* s, const double* from)
{
  for (int j = 0; j < ik->nv; j++) {
    const int k = ik->angle[j];
    if (k < 0) continue;
    const double x = from[k] + remainder(s->q[k] - from[k], FULL_TURN);
    if (x >= ik->lower[j] && x <= ik->upper[j]) s->q[k] = x;
  }
}

// Sorts the solution s->q in, by its distance to `from`; of too many the farthest goes.
static int insert(const limb_ik* ik, limb_ik_space* s, const double* from, int max, int count, double* q)
{
  const size_t nq = (size_t)ik->nq;
  const double distance = limb_ik_distance(ik, s, from, s->q);
  int at = count;
  for (int k = 0; k < count; k++) {
    if (is_same(ik, s, q + (size_t)k * nq, s->q)) return count;
  }
  while (at > 0 && limb_ik_distance(ik, s, from, q + (size_t)(at - 1) * nq) > distance) at--;
  if (at == max) return count;
  const int moved = (count < max ? count : max - 1) - at;
  memmove(q + (size_t)(at + 1) * nq, q + (size_t)at * nq, (size_t)moved * nq * sizeof *q);
  memcpy(q + (size_t)at * nq, s->q, nq * sizeof *q);
  return count < max ? count + 1 : max;
}

limb_status limb_ik_branches(limb_ik* ik, const sp_pose* targets, const double* start, int max, double* q, int* found)
{
  if (found) *found = 0;
  if (!ik || !targets || !q || !found || max < 1) return LIMB_E_ARG;
  limb_ik_space* s = &ik->space[0];
  const limb_status status = limb_ik_begin(ik, s, targets, start);
  if (status != LIMB_OK) return status;
  s->seed = limb_mixed_bits(ik->options.seed);
  const limb_ik_descent quick = {ik->options.max_iterations, false, ik->limited};
  const double* from = ik->options.reference ? ik->options.reference : s->q_start;
  for (int k = 0; k <= ik->options.restarts; k++) {
    limb_ik_place(ik, s, k);
    if (limb_ik_descend(ik, s, &quick) != IK_SOLVED || !limb_ik_closed(ik, s)) continue;
    if (ik->options.reference) limb_ik_approach(ik, s);
    take_turns(ik, s, from);
    *found = insert(ik, s, from, max, *found, q);
  }
  return *found > 0 ? LIMB_OK : LIMB_E_NOCONV;
}
