// Levenberg and Marquardt's iteration for closed loops, on the manifold of configurations.
//
// Reference: J. More, The Levenberg-Marquardt algorithm: implementation and theory, 1977; J. Fan, Y. Yuan, On the
//            quadratic convergence of the Levenberg-Marquardt method without nonsingularity assumption, 2005:
//            redundant constraints do no harm. Cost per iteration O(n), and O(constraints^2 (constraints +
//            velocities)) per cluster.
//
//   phi          what is to become zero, holonomic constraints
//   x            step: x = -A' (A A' + mu)^-1 phi, then q <- q exp(x)
//   mu           falls when |phi| falls, grows when it does not

#include "loops/loops_impl.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LONGEST_STEP 0.5   // [rad] or [m]
#define NO_STEP      1e-14 // a step below moves nothing
#define DEAD_END     1e6   // damping above which nothing helps
#define ROUNDING     1e-15 // residual below which there is nothing to gain
#define OF_POSITIONS 1e-14 // rounding of positions, relative

// ---- steps of least norm ------------------------------------------------------------------------------------

// Local constraints of the set, ascending.
static int constraints_of_set(const limb_loops* w, int cluster, limb_constraint_set set, int* list)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  int count = 0, l = 0;
  for (int i = 0; i < w->nlive[cluster]; i++) {
    const int r = w->live[k->row + i];
    while (r >= w->m->loop[k->loop[l]].local + w->m->loop[k->loop[l]].nrow) l++;
    const limb_loop* loop = &w->m->loop[k->loop[l]];
    if (set == LIMB_CONSTRAINTS_ALL || r < loop->local + loop->holonomic) list[count++] = r;
  }
  return count;
}

// (A A')_ij over the columns that are not held
static double row_product(const limb_cluster* k, const unsigned char* held, const double* x, const double* y)
{
  double sum = 0;
  for (int j = 0; j < k->nv; j++) {
    if (!held || !held[k->v[j]]) sum += x[j] * y[j];
  }
  return sum;
}

void limb_min_norm_step(limb_loops* w, int cluster, limb_constraint_set rows, const unsigned char* held, double damping,
                        const double* b, double* x)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const double* Psi = w->Psi + k->block;
  int* list = w->reduced.row;
  const ptrdiff_t n = constraints_of_set(w, cluster, rows, list);
  double *A = w->cluster_work, *y = A + n * n;
  for (int j = 0; j < k->nv; j++) x[k->v[j]] = 0;
  double largest = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const double* row = Psi + (ptrdiff_t)list[i] * k->nv;
    largest = fmax(largest, row_product(k, held, row, row));
  }
  if (largest == 0) return; // nothing can move
  double mu = fmax(damping, 64 * (double)n * DBL_EPSILON);
  bool solved = false;
  while (!solved) { // soon: the sum becomes the unit matrix, times mu
    for (ptrdiff_t i = 0; i < n; i++) {
      const double* row = Psi + (ptrdiff_t)list[i] * k->nv;
      for (ptrdiff_t j = 0; j <= i; j++) A[i * n + j] = row_product(k, held, row, Psi + (ptrdiff_t)list[j] * k->nv);
      A[i * n + i] += mu * largest;
      y[i] = b[k->row + list[i]];
    }
    solved = limb_cholesky((int)n, A) || !(mu < 1e100);
    mu *= 100;
  }
  limb_cholesky_solve((int)n, A, y);
  for (ptrdiff_t i = 0; i < n; i++) {
    const double* row = Psi + (ptrdiff_t)list[i] * k->nv;
    for (int j = 0; j < k->nv; j++) {
      if (!held || !held[k->v[j]]) x[k->v[j]] += row[j] * y[i];
    }
  }
}

// ---- clusters and coordinates -------------------------------------------------------------------------------

void limb_set_clusters(limb_loops* w, int state)
{
  for (int c = 0; c < w->m->clusters.count; c++) w->order[c] = state;
}

void limb_copy_clusters(const limb_loops* w, int state, const unsigned char* held, const double* from, double* to)
{
  const limb_model* m = w->m;
  for (int i = 0; i < m->njoint && m->clusters.count > 0; i++) {
    const limb_joint* j = &m->joint[i];
    const int c = j->nv > 0 ? m->clusters.of_v[j->v] : -1;
    if (c < 0 || w->order[c] != state) continue;
    for (int k = 0; k < j->nq; k++) { // quaternions: all or none is held
      if (!held || !held[j->v + (j->nq == j->nv ? k : 0)]) to[j->q + k] = from[j->q + k];
    }
  }
}

double limb_cluster_residual(const limb_loops* w, int cluster)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  double largest = 0;
  for (int r = k->row; r < k->row + k->nrow; r++) largest = fmax(largest, fabs(w->phi[r]));
  return largest;
}

// Least squares leave constraints open that a file gives with few digits, and leave them pivots of that size where
// they should depend on each other. Whether those depend on each other here only is judged apart (redundancy).
#define ROUNDED 1e-10 // [m, rad]: less is no matter of digits

double limb_rounded_gap(const limb_loops* w, int cluster)
{
  const double gap = limb_cluster_residual(w, cluster);
  return gap > ROUNDED && gap <= w->m->loop_tolerance ? gap : 0;
}

double limb_rounded_damping(const limb_loops* w, int cluster)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const double gap = limb_rounded_gap(w, cluster);
  const double largest = gap > 0 ? limb_largest((size_t)k->nrow * (size_t)k->nv, w->Psi + k->block) : 0;
  return largest > 0 ? fmin(1, gap / largest) : 0;
}

double limb_rank_tolerance(const limb_loops* w, int cluster, double tolerance)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const double gap = limb_rounded_gap(w, cluster);
  double largest = 0; // entry, which pivots are relative to
  if (gap == 0) return tolerance;
  for (int i = 0; i < w->nlive[cluster]; i++) {
    const ptrdiff_t row = k->block + (ptrdiff_t)w->live[k->row + i] * k->nv;
    largest = fmax(largest, limb_largest((size_t)k->nv, w->Psi + row));
  }
  return largest > 0 ? fmax(tolerance, gap / (LIMB_FAR_BELOW * largest)) : tolerance;
}

limb_status limb_check_held(const limb_model* m, const unsigned char* held)
{
  for (int i = 0; held && i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    for (int k = 0; k < j->nv; k++) {
      if (held[j->v + k] > 1) return LIMB_E_ARG;
      if (j->nq != j->nv && held[j->v + k] != held[j->v]) return LIMB_E_ARG;
    }
  }
  return LIMB_OK;
}

// phi <- -(2 - |phi|) phi / |phi|. Entry angle is no sine and stays; -1: all are sines.
static void turn_back_sines(int count, int angle, double* phi)
{
  double size = 0;
  for (int r = 0; r < count; r++) size = r == angle ? size : hypot(size, phi[r]);
  const double factor = size > 0 ? -(2 - size) / size : 0;
  for (int r = 0; r < count; r++) phi[r] *= r == angle ? 1 : factor;
  if (size == 0) phi[angle == 0 ? 1 : 0] = -2; // half a turn: any way will do
}

// Constraints of turns are sines: beyond a right angle they fall again, and lead to a closure that is turned round.
// There the rest to two replaces them, which goes on growing, with the sign that leads back.
static void turn_back(limb_loops* w)
{
  const limb_model* m = w->m;
  for (int l = 0; l < m->nloop; l++) {
    if (!limb_loop_is_flipped(w, l)) continue;
    const limb_loop* loop = &m->loop[l];
    double* phi = w->phi + m->clusters.cluster[loop->cluster].row + loop->local;
    const int turns = (loop->locked & 7U) == 7U ? 3 : 2; // with one or none nothing is turned round
    const int angle = loop->angle >= 0 ? loop->def.motion.constraint : -1;
    turn_back_sines(turns, angle, phi);
  }
}

static limb_status constraints_at(limb_loops* w, const double* q, double time)
{
  const limb_status s = limb_constraints_at(w, q, NULL, time, LIMB_NEED_PSI);
  if (s == LIMB_OK) turn_back(w);
  return s;
}

static bool is_within_limits(const limb_loops* w, int cluster, const double* q)
{
  const limb_model* m = w->m;
  for (int i = 0; i < m->njoint; i++) {
    const limb_joint* j = &m->joint[i];
    const limb_joint_def* def = &j->def;
    const bool one = j->nv == 1 || def->mimic >= 0;
    if (!one || m->clusters.of_v[j->v] != cluster) continue;
    const double x = j->multiplier * q[j->q] + j->offset;
    if (x < def->q_min || x > def->q_max) return false;
  }
  return true;
}

// ---- the iteration ------------------------------------------------------------------------------------------

// What is remembered of each cluster.
typedef struct progress {
  double* damping; // r1
  double* cost;    // r2: at q
  double* kicks;   // r3
} progress;

static progress progress_in(const limb_loops* w) { return (progress){w->r1, w->r2, w->r3}; }

// Half the sum of squares that steps are judged by.
static double cost_of(const limb_loops* w, int cluster)
{
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  double sum = 0;
  for (int r = k->row; r < k->row + k->nrow; r++) sum += w->phi[r] * w->phi[r];
  return sum / 2;
}

// The way to a random configuration, in v4: drawn at the first kick of a round.
static bool draw_way(limb_loops* w, const limb_closing* o, const double* q, bool* drawn)
{
  if (*drawn) return true;
  limb_status s = limb_random(w->m, o->seed, w->q1);
  if (s == LIMB_OK) s = limb_difference(w->m, q, w->q1, w->v4);
  return *drawn = s == LIMB_OK;
}

typedef struct round_of_steps { // of steps
  const double* q;
  bool drawn;
} round_of_steps;

// A random step instead, larger every time; the cluster is stuck when there were enough of them.
static void kick(limb_loops* w, const limb_closing* o, int cluster, double size, round_of_steps* now)
{
  const progress p = progress_in(w);
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  w->order[cluster] = LIMB_CLUSTER_STUCK;
  if (!o->seed || p.kicks[cluster] >= o->kicks) return;
  if (!draw_way(w, o, now->q, &now->drawn)) return;
  double largest = 0;
  for (int j = 0; j < k->nv; j++) {
    const int v = k->v[j];
    w->v1[v] = o->held && o->held[v] ? 0 : w->v4[v];
    largest = fmax(largest, fabs(w->v1[v]));
  }
  if (largest == 0) return; // all is held
  const double length = fmin(1.5, size * pow(3, p.kicks[cluster]));
  for (int j = 0; j < k->nv; j++) w->v1[k->v[j]] *= length / largest;
  w->order[cluster] = LIMB_CLUSTER_OPEN;
  p.kicks[cluster]++;
  p.damping[cluster] = -1; // to be taken whatever comes of it
}

#define OF_DIGITS 1e-7 // [m, rad]
#define DEPENDENT 1e-9 // pivots of constraints that depend on others, relative

// The residual that least squares may leave of a cluster where it stands: the model's tolerance if its constraints
// depend on each other here, so that rounded poses contradict each other.
static double left_open(limb_loops* w, const limb_closing* o, int cluster)
{
  if (limb_cluster_residual(w, cluster) > w->m->loop_tolerance) return o->tolerance;
  const limb_reduction* r = limb_reduce_cluster(w, cluster, NULL, LIMB_CARRY_NOTHING, DEPENDENT);
  const bool overconstrained = r->rank < w->m->clusters.cluster[cluster].nrow;
  return overconstrained ? fmax(o->tolerance, w->m->loop_tolerance) : o->tolerance;
}

// The step of a cluster from where it stands, in v1; or that it is closed or stuck.
static void next_step(limb_loops* w, const limb_closing* o, int cluster, round_of_steps* now)
{
  const progress p = progress_in(w);
  const limb_cluster* k = &w->m->clusters.cluster[cluster];
  const double residual = limb_cluster_residual(w, cluster);
  const bool closed = residual <= o->tolerance;
  const bool done = residual <= ROUNDING || p.damping[cluster] > DEAD_END;
  p.cost[cluster] = cost_of(w, cluster);
  if (!done) {
    const double damping = fmax(p.damping[cluster], limb_rounded_damping(w, cluster));
    limb_min_norm_step(w, cluster, LIMB_CONSTRAINTS_HOLONOMIC, o->held, damping, w->phi, w->v1);
    double largest = 0;
    for (int j = 0; j < k->nv; j++) largest = fmax(largest, fabs(w->v1[k->v[j]]));
    const double scale = largest > LONGEST_STEP ? LONGEST_STEP / largest : 1;
    for (int j = 0; j < k->nv; j++) w->v1[k->v[j]] *= -scale;
    if (largest > NO_STEP || closed) return;
  }
  // Where least squares leave more than digits of files usually lose, one kick shows whether the start is singular.
  // More of them would end on another branch.
  const bool kicked = !o->seed || p.kicks[cluster] > 0;
  if (!closed && !(residual <= left_open(w, o, cluster) && (residual <= OF_DIGITS || kicked)))
    kick(w, o, cluster, 0.02, now);
  else if (o->within_limits && !is_within_limits(w, cluster, now->q))
    kick(w, o, cluster, 1, now);
  else
    w->order[cluster] = LIMB_CLUSTER_CLOSED;
}

// Whether the step of a cluster is kept, and what damping comes next.
static bool judge_step(limb_loops* w, const limb_closing* o, int cluster)
{
  const progress p = progress_in(w);
  const double cost = cost_of(w, cluster), before = p.cost[cluster];
  if (p.damping[cluster] < 0) { // a kick
    p.damping[cluster] = 1e-3;
    return true;
  }
  const bool closed = limb_cluster_residual(w, cluster) <= o->tolerance;
  if (cost < before) {
    const bool slow = closed ? cost > before / 4 : cost > before * (1 - 1e-5);
    p.damping[cluster] = slow ? 2 * DEAD_END : p.damping[cluster] * (cost < before / 4 ? 0.01 : 0.3);
    return true;
  }
  const bool enough = sqrt(2 * before) <= o->tolerance;
  p.damping[cluster] = enough ? 2 * DEAD_END : fmax(p.damping[cluster], 1e-4) * 10;
  return false;
}

// Steps of all open clusters; how many there are.
static int next_steps(limb_loops* w, const limb_closing* o, const double* q)
{
  round_of_steps now = {q, false};
  int open = 0;
  memset(w->v1, 0, (size_t)w->m->nv * sizeof *w->v1);
  for (int c = 0; c < w->m->clusters.count; c++) {
    if (w->order[c] != LIMB_CLUSTER_OPEN) continue;
    next_step(w, o, c, &now);
    if (w->order[c] == LIMB_CLUSTER_OPEN) open++;
  }
  return open;
}

enum { REJECTED = 100 }; // a state for the moment

// Takes the steps that help. The constraints are those at q afterwards.
static limb_status take_steps(limb_loops* w, const limb_closing* o, double* q)
{
  const progress p = progress_in(w);
  const int count = w->m->clusters.count;
  limb_status s = limb_integrate(w->m, q, w->v1, 1, w->q1);
  if (s == LIMB_OK) s = constraints_at(w, w->q1, o->time);
  int rejected = 0;
  for (int c = 0; c < count; c++) {
    if (w->order[c] != LIMB_CLUSTER_OPEN) continue;
    if (s != LIMB_OK) p.damping[c] = fmax(p.damping[c], 1e-4) * 100; // constraints that are not finite
    if (s == LIMB_OK && judge_step(w, o, c)) continue;
    w->order[c] = REJECTED, rejected++;
  }
  limb_copy_clusters(w, LIMB_CLUSTER_OPEN, NULL, w->q1, q);
  for (int c = 0; c < count; c++) {
    if (w->order[c] == REJECTED) w->order[c] = LIMB_CLUSTER_OPEN;
  }
  return rejected > 0 ? constraints_at(w, q, o->time) : LIMB_OK;
}

double limb_closing_tolerance(const limb_loops* w, double tolerance)
{
  double farthest = 0;
  for (int i = 0; i < w->m->nlink; i++) farthest = fmax(farthest, sp_norm3(w->d->own.X[i].p));
  return fmax(tolerance, OF_POSITIONS * farthest);
}

limb_status limb_close(limb_loops* w, const limb_closing* given, double* q, int* iterations)
{
  const progress p = progress_in(w);
  limb_closing closing = *given;
  const limb_closing* o = &closing;
  for (int c = 0; c < w->m->clusters.count; c++) p.damping[c] = o->damping, p.kicks[c] = 0;
  limb_status s = constraints_at(w, q, o->time);
  closing.tolerance = limb_closing_tolerance(w, given->tolerance);
  for (int i = 0; s == LIMB_OK && next_steps(w, o, q) > 0; i++) {
    if (i == o->iterations) break;
    if (iterations) ++*iterations;
    s = take_steps(w, o, q);
  }
  for (int c = 0; c < w->m->clusters.count; c++) {
    if (w->order[c] != LIMB_CLUSTER_OPEN) continue;
    const bool closed = s == LIMB_OK && limb_cluster_residual(w, c) <= left_open(w, o, c) &&
                        (!o->within_limits || is_within_limits(w, c, q));
    w->order[c] = closed ? LIMB_CLUSTER_CLOSED : LIMB_CLUSTER_STUCK;
  }
  return s;
}
