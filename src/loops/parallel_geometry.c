// Geometric models of parallel robots: coordinates from the platform's pose, and from those of the drives.
//
// Reference: Newton's iteration on the manifold of configurations; the steps solve the equations of the legs
//            (parallel_impl.h) with g = -phi. Cost per step as parallel_constraints.c; mostly 3 to 6 steps.
//
// Inverse: V = 0, the platform stays where it is put. From a configuration that closes the loops the platform
// is led to its goal in pieces that turn no joint far, so that every leg stays on its branch. From any other,
// straight to it.
// Forward: V from the equations that hold the drives, B_a V = -(T g)_a, and from what the legs forbid.

#include "base/numeric.h"
#include "linalg/dense.h"
#include "loops/parallel_impl.h"

#include <math.h>
#include <string.h>

#define CLOSED    1e-9 // largest residual of a closed loop [m, rad]
#define LAST_STEP 1e-8 // beyond such a step of Newton's, rounding is left
#define FARTHEST  0.3  // that a joint may turn in a step [rad]
#define SHORTEST  1e-4 // share of the way to a goal that is still tried
enum { STEPS_MAX = 60 };

// ---- poses --------------------------------------------------------------------------------------------------

// Rotation vector, at most pi long.
static sp_vec3 turn_of(sp_mat3 R)
{
  const sp_quat q = sp_quat_rot(R);
  const sp_vec3 s = sp_v3(q.x, q.y, q.z);
  const double n = sp_norm3(s);
  return sp_scale3(n > 0 ? 2 * atan2(n, q.w) / n : 2, s);
}

// Part s of the way from X to Y.
static sp_pose between(const sp_pose* X, const sp_pose* Y, double s)
{
  const sp_vec3 turn = turn_of(sp_mul3(sp_transpose3(X->R), Y->R));
  const double angle = sp_norm3(turn);
  const sp_vec3 p = sp_add3(X->p, sp_scale3(s, sp_sub3(Y->p, X->p)));
  if (s >= 1 || !(angle > 0)) return sp_pose_make(Y->R, p);
  return sp_pose_make(sp_mul3(X->R, sp_rot_axis(sp_scale3(1 / angle, turn), s * angle)), p);
}

// Puts a platform that floats to a pose.
static void put(const limb_parallel* p, const sp_pose* pose, double* q)
{
  const sp_pose link = sp_compose(*pose, sp_invert(p->in_link));
  const sp_pose X = sp_compose(sp_invert(p->home), link);
  const sp_quat r = sp_quat_rot(X.R);
  double* x = q + p->m->link[p->link].q;
  x[0] = X.p.x, x[1] = X.p.y, x[2] = X.p.z;
  x[3] = r.x, x[4] = r.y, x[5] = r.z, x[6] = r.w;
}

// Where the platform is, seen from its goal, as a small motion in its own axes.
static void pose_error(const limb_parallel* p, const sp_pose* goal, double* e)
{
  const sp_pose X = limb_platform_pose(p);
  const sp_vec3 w = turn_of(sp_mul3(sp_transpose3(goal->R), X.R));
  const sp_vec3 v = sp_tmulv(X.R, sp_sub3(X.p, goal->p));
  e[0] = w.x, e[1] = w.y, e[2] = w.z, e[3] = v.x, e[4] = v.y, e[5] = v.z;
}

// ---- steps --------------------------------------------------------------------------------------------------

// Largest turn of a joint in a step, and largest step of all.
static void measure(const limb_parallel* p, const double* step, double* turn, double* largest)
{
  const limb_model* m = p->m;
  *turn = *largest = 0;
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const double size = fabs(step[m->dof[m->link[i].dof + k].v]);
      *largest = fmax(*largest, size);
      if (m->link[i].joint_class != CLASS_TRANS && k < 3) *turn = fmax(*turn, size);
    }
  }
}

static double extent(const limb_model* m, const double* q)
{
  double largest = 1;
  for (int i = 0; i < m->nq; i++) largest = fmax(largest, fabs(q[i]));
  return largest;
}

// A step that turns no joint farther than allowed. 1: it was the last one.
static int take_step(const limb_parallel* p, double* q, limb_status* s)
{
  double turn, largest;
  measure(p, p->step, &turn, &largest);
  const double share = turn > FARTHEST ? FARTHEST / turn : 1;
  *s = limb_integrate(p->m, q, p->step, share, q);
  return *s == LIMB_OK && largest <= LAST_STEP * extent(p->m, q);
}

// Whether all loops are closed at q; if not, which leg is farthest from it (-1: the platform itself).
static limb_status judge(limb_parallel* p, const double* q, int* failed)
{
  const limb_status s = limb_constraints_at(p->w, q, NULL, 0, 0);
  if (s != LIMB_OK) return s;
  double largest = 0;
  for (int i = 0; i < p->ngroup; i++) {
    const double gap = limb_leg_gap(p, &p->leg[i]);
    if (gap > largest && failed) *failed = i < p->nleg ? i : -1;
    largest = fmax(largest, gap);
  }
  return largest <= CLOSED ? LIMB_OK : LIMB_E_NOCONV;
}

// ---- inverse ------------------------------------------------------------------------------------------------

// The leg that carries the platform has it where it should be.
static limb_status judge_pose(limb_parallel* p, const sp_pose* goal, int* failed)
{
  double e[PLATFORM];
  pose_error(p, goal, e);
  if (p->floats || limb_largest(PLATFORM, e) <= CLOSED * fmax(1, sp_norm3(goal->p))) return LIMB_OK;
  const int leg = p->of_link[p->link];
  if (failed) *failed = leg < p->nleg ? leg : -1;
  return LIMB_E_NOCONV;
}

// All legs to a pose of the platform, from q. follow: the first step must be a small one. What the legs
// forbid is not checked: it may be violated on the way; judge() checks it at the goal.
static limb_status settle(limb_parallel* p, const sp_pose* goal, bool follow, double* q, int* failed)
{
  if (p->floats) put(p, goal, q);
  for (int i = 0; i < STEPS_MAX; i++) {
    limb_status s = limb_legs_at(p, q, failed);
    if (s != LIMB_OK) return s;
    double e[PLATFORM];
    pose_error(p, goal, e);
    limb_legs_set(p, -1, p->w->phi, e);
    limb_legs_follow(p, NULL, p->step);
    double turn, largest;
    measure(p, p->step, &turn, &largest);
    if (follow && turn > FARTHEST) break;
    if (take_step(p, q, &s)) return LIMB_OK;
    if (s != LIMB_OK) return s;
  }
  const limb_status s = judge(p, q, failed);
  return s == LIMB_OK ? LIMB_E_NOCONV : s;
}

static limb_status arrive(limb_parallel* p, const sp_pose* goal, const double* q, int* failed)
{
  const limb_status s = judge(p, q, failed);
  return s == LIMB_OK ? judge_pose(p, goal, failed) : s;
}

// From p->q, closed with the platform in `from`.
static limb_status lead(limb_parallel* p, const sp_pose* from, const sp_pose* goal, int* failed)
{
  const size_t size = (size_t)p->m->nq * sizeof *p->q;
  double at = 0, piece = 1;
  while (at < 1) {
    const double to = fmin(at + piece, 1);
    const sp_pose pose = between(from, goal, to);
    memcpy(p->q_try, p->q, size);
    const limb_status s = settle(p, &pose, true, p->q_try, failed);
    if (s == LIMB_OK) {
      memcpy(p->q, p->q_try, size);
      at = to, piece *= 2;
      continue;
    }
    if (s != LIMB_E_NOCONV && s != LIMB_E_SINGULAR) return s;
    piece /= 2;
    if (piece < SHORTEST) return LIMB_E_NOCONV;
  }
  return arrive(p, goal, p->q, failed);
}

static bool is_rotation(const sp_mat3* R)
{
  const sp_mat3 x = sp_mul3(sp_transpose3(*R), *R);
  double largest = 0;
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(x.m[i] - (i % 4 == 0 ? 1 : 0)));
  const sp_vec3 a = {R->m[0], R->m[3], R->m[6]}, b = {R->m[1], R->m[4], R->m[7]};
  const sp_vec3 c = {R->m[2], R->m[5], R->m[8]};
  return largest <= 1e-6 && sp_dot3(sp_cross3(a, b), c) > 0;
}

limb_status limb_parallel_inverse_geometry(limb_parallel* p, const sp_pose* pose, double* q, int* failed)
{
  if (failed) *failed = -1;
  if (!p || !pose || !q) return LIMB_E_ARG;
  if (!limb_finite(9, pose->R.m) || !limb_finite(3, &pose->p.x)) return LIMB_E_NONFINITE;
  if (!is_rotation(&pose->R)) return LIMB_E_ARG;
  memcpy(p->q, q, (size_t)p->m->nq * sizeof *q);
  int leg = -1;
  limb_status s = judge(p, p->q, &leg);
  if (s == LIMB_OK) {
    const sp_pose from = limb_platform_pose(p);
    s = lead(p, &from, pose, &leg);
  } else if (s == LIMB_E_NOCONV) {
    s = settle(p, pose, false, p->q, &leg);
    if (s == LIMB_OK) s = arrive(p, pose, p->q, &leg);
  }
  if (s == LIMB_E_SINGULAR) s = LIMB_E_NOCONV;
  if (s == LIMB_OK) memcpy(q, p->q, (size_t)p->m->nq * sizeof *q);
  if (failed) *failed = s == LIMB_E_NOCONV && leg < p->nleg ? leg : -1;
  return s;
}

// ---- forward ------------------------------------------------------------------------------------------------

// Equations that hold the drives, below those that the legs forbid: V. False when they leave it some motion.
static bool solve_platform(limb_parallel* p, double* V)
{
  const limb_reduction* forbidden = &p->allowed;
  limb_reduction* r = &p->drives;
  const ptrdiff_t wide = PLATFORM + 1;
  r->columns = PLATFORM, r->extra = 1;
  r->rows = forbidden->rank + p->nactive;
  memcpy(r->A, forbidden->A, (size_t)forbidden->rank * (size_t)wide * sizeof *r->A);
  for (int k = 0; k < p->nactive; k++) {
    double* A = r->A + (forbidden->rank + k) * wide;
    for (int c = 0; c < PLATFORM; c++) A[c] = p->B[(ptrdiff_t)p->active[k] * PLATFORM + c];
    A[PLATFORM] = -p->step[p->active[k]];
  }
  limb_row_reduce(r, NULL, LIMB_DEPENDENT);
  for (int k = 0; k < r->rank; k++) V[r->pivot[k]] = r->A[k * wide + PLATFORM];
  return r->rank == PLATFORM;
}

limb_status limb_parallel_forward_geometry(limb_parallel* p, double* q, sp_pose* pose)
{
  static const double none[PLATFORM] = {0};
  if (!p || !q) return LIMB_E_ARG;
  const size_t size = (size_t)p->m->nq * sizeof *q;
  memcpy(p->q, q, size);
  limb_status s = LIMB_OK;
  bool last = false;
  for (int i = 0; i < STEPS_MAX && !last; i++) {
    s = limb_legs_at(p, p->q, NULL);
    if (s != LIMB_OK) return s;
    limb_legs_set(p, -1, p->w->phi, none);
    limb_legs_restrict(p);
    limb_legs_follow(p, NULL, p->step);
    double V[PLATFORM];
    if (!solve_platform(p, V)) return LIMB_E_SINGULAR;
    limb_legs_follow(p, V, p->step);
    for (int k = 0; k < p->nactive; k++) p->step[p->active[k]] = 0; // exactly
    last = take_step(p, p->q, &s);
    if (s != LIMB_OK) return s;
  }
  s = judge(p, p->q, NULL);
  if (s != LIMB_OK) return s;
  if (pose) *pose = limb_platform_pose(p);
  memcpy(q, p->q, size);
  return LIMB_OK;
}
