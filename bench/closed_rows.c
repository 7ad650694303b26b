// limb on robots with loops, behind the benchmark's interface: the public calls as a user makes them, default
// environment and options, no multipliers asked for.
//
// What "generic" is for inverse dynamics of a platform: limb_closed_inverse_dynamics, which eliminates
// passive velocities group by group, and all equations at once,
//
//     [ S  Psi' ] [ tau_active; lambda ] = Gamma_tr          S: columns of the unit matrix
//
// with Gamma_tr and Psi of limb and elimination with row pivots below, nv x nv. Both begin with the
// accelerations of all joints, which the platform form finds itself from those of the platform.
#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_LINKS = 100 }; // longest robot for which matrices of the whole robot are kept

typedef struct subject {
  limb_data* d;
  limb_loops* w;
  limb_parallel* p; // NULL: not asked for
  const bench_states* s;
  size_t nq, nv, nrow;
  int mask;
  limb_status status;            // LIMB_OK, or one that went wrong
  double* x;                     // nv: the answer
  double *A, *Psi;               // nv x nv, nrow x nv; NULL for long robots
  size_t* active;                // velocities with motor, nactive of them
  size_t nactive;
  limb_platform_motion* motion;  // of every state; NULL without platform
} subject;

static void destroy(void* self)
{
  subject* t = self;
  if (!t) return;
  limb_data_destroy(t->d);
  limb_loops_destroy(t->w);
  limb_parallel_destroy(t->p);
  free(t->x);
  free(t->A);
  free(t->Psi);
  free(t->active);
  free(t->motion);
  free(t);
}

static limb_status list_active(subject* t, const limb_model* m)
{
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info joint;
    const limb_status s = limb_get_joint(m, j, &joint);
    if (s != LIMB_OK) return s;
    for (int i = 0; i < joint.nv && !joint.passive; i++)
      t->active[t->nactive++] = (size_t)(joint.v + i);
  }
  return LIMB_OK;
}

// Takes the robot apart, and the motion of its platform from all states.
static limb_status find_platform(subject* t, const limb_model* m)
{
  limb_parallel_info info;
  limb_status s = limb_parallel_create(m, -1, NULL, &t->p, NULL);
  if (s == LIMB_OK) s = limb_parallel_get(t->p, &info);
  t->motion = calloc((size_t)t->s->count, sizeof *t->motion);
  if (!t->motion) return LIMB_E_NOMEM;
  for (size_t k = 0; k < (size_t)t->s->count && s == LIMB_OK; k++) {
    limb_platform_motion* o = &t->motion[k];
    s = limb_kinematics(t->d, t->s->q + k * t->nq, t->s->v + k * t->nv, t->s->a + k * t->nv);
    if (s == LIMB_OK) s = limb_frame_pose(t->d, info.platform, &o->pose);
    if (s == LIMB_OK) s = limb_frame_velocity(t->d, info.platform, LIMB_BODY, &o->velocity);
    if (s == LIMB_OK) s = limb_frame_acceleration(t->d, info.platform, LIMB_BODY, &o->acceleration);
  }
  return s;
}

static void* make(const bench_robot* robot, const bench_states* states)
{
  subject* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  const limb_model* m = robot->model;
  const size_t nv = (size_t)robot->nv, nrow = (size_t)robot->nrow;
  const int dense = robot->nlink <= DENSE_LINKS;
  t->s = states;
  t->nq = (size_t)robot->nq, t->nv = nv, t->nrow = nrow;
  t->mask = states->count - 1;
  t->x = calloc(nv, sizeof *t->x);
  t->active = calloc(nv, sizeof *t->active);
  if (dense) t->A = calloc(nv * nv, sizeof *t->A);
  if (dense) t->Psi = calloc(nrow * nv, sizeof *t->Psi);
  const limb_loops_use use = dense ? LIMB_LOOPS_DENSE : LIMB_LOOPS_LINEAR;
  const int ok = t->x && t->active && (!dense || (t->A && t->Psi)) &&
                 limb_data_create(m, NULL, &t->d) == LIMB_OK &&
                 limb_loops_create(m, use, NULL, &t->w) == LIMB_OK &&
                 list_active(t, m) == LIMB_OK &&
                 (!bench_is_exact(robot) || find_platform(t, m) == LIMB_OK);
  if (ok) return t;
  destroy(t);
  return NULL;
}

static void keep(subject* t, limb_status status)
{
  if (status != LIMB_OK) t->status = status;
}

// ---- forward dynamics ----------------------------------------------------------------------------

static void run_closed(subject* t, const limb_closed_options* options, int first, int count)
{
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_closed_forward_dynamics(t->w, t->s->q + k * t->nq, t->s->v + n, t->s->tau + n,
                                         NULL, options, t->x, NULL, NULL));
  }
}

static void run_by(void* self, limb_closed_method method, int first, int count)
{
  limb_closed_options o = limb_default_closed_options();
  o.method = method;
  run_closed(self, &o, first, count);
}

static void run_fd(void* self, int first, int count) { run_closed(self, NULL, first, count); }

static void run_schur(void* self, int first, int count)
{
  run_by(self, LIMB_CLOSED_SCHUR, first, count);
}

static void run_kkt(void* self, int first, int count)
{
  run_by(self, LIMB_CLOSED_KKT, first, count);
}

static void run_platform_fd(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_parallel_forward_dynamics(t->p, t->s->q + k * t->nq, t->s->v + n, t->s->tau + n,
                                           NULL, NULL, t->x));
  }
}

// ---- inverse dynamics ----------------------------------------------------------------------------

static void run_id(void* self, int first, int count)
{
  subject* t = self;
  limb_closed_forces out = {.tau = t->x};
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    const limb_closed_motion in = {t->s->q + k * t->nq, t->s->v + n, t->s->a + n, NULL};
    keep(t, limb_closed_inverse_dynamics(t->w, &in, NULL, NULL, &out));
  }
}

static void swap(size_t n, double* x, double* y)
{
  for (size_t j = 0; j < n; j++) {
    const double z = x[j];
    x[j] = y[j], y[j] = z;
  }
}

// A x = b by elimination with row pivots; b becomes x.
static limb_status solve(size_t n, double* A, double* b)
{
  for (size_t k = 0; k < n; k++) {
    size_t p = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    if (A[p * n + k] == 0) return LIMB_E_SINGULAR;
    if (p != k) swap(n - k, &A[p * n + k], &A[k * n + k]), swap(1, &b[p], &b[k]);
    for (size_t i = k + 1; i < n; i++) {
      const double f = A[i * n + k] / A[k * n + k];
      if (f == 0) continue;
      for (size_t j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return LIMB_OK;
}

// Columns of multipliers first: their pivots are the better ones. x: Gamma_tr in, tau out.
static void share(subject* t)
{
  const size_t n = t->nv, nrow = t->nrow;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < nrow; j++) t->A[i * n + j] = t->Psi[j * n + i];
    for (size_t j = nrow; j < n; j++) t->A[i * n + j] = 0;
  }
  for (size_t j = 0; j < t->nactive; j++) t->A[t->active[j] * n + nrow + j] = 1;
  keep(t, solve(n, t->A, t->x));
  for (size_t j = 0, i = 0; i < n; i++) {
    const int motor = j < t->nactive && t->active[j] == i;
    t->A[i] = motor ? t->x[nrow + j] : 0;
    if (motor) j++;
  }
  memcpy(t->x, t->A, n * sizeof *t->x);
}

static void run_id_kkt(void* self, int first, int count)
{
  subject* t = self;
  const limb_loop_equations out = {.Psi = t->Psi};
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    const double* q = t->s->q + k * t->nq;
    keep(t, limb_inverse_dynamics(t->d, q, t->s->v + n, t->s->a + n, NULL, t->x));
    keep(t, limb_loop_equations_at(t->w, q, NULL, NULL, &out));
    share(t);
  }
}

static void run_platform_id(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask);
    keep(t, limb_parallel_inverse_dynamics(t->p, t->s->q + k * t->nq, &t->motion[k], NULL, t->x));
  }
}

static int answer(void* self, bench_kernel kernel, int k, double* out)
{
  const subject* t = self;
  (void)kernel, (void)k;
  if (t->status != LIMB_OK) return -1;
  memcpy(out, t->x, t->nv * sizeof *out);
  return 0;
}

const bench_library* bench_limb_closed(void)
{
  static const bench_library limb = {
    .name = "limb",
    .version = BENCH_LIMB_VERSION,
    .max_links = 1 << 30,
    .make = make,
    .destroy = destroy,
    .run = {[BENCH_CLOSED_FD] = run_fd,
            [BENCH_CLOSED_SCHUR] = run_schur,
            [BENCH_CLOSED_KKT] = run_kkt,
            [BENCH_PLATFORM_FD] = run_platform_fd,
            [BENCH_CLOSED_ID] = run_id,
            [BENCH_CLOSED_ID_KKT] = run_id_kkt,
            [BENCH_PLATFORM_ID] = run_platform_id},
    .answer = answer};
  return &limb;
}
