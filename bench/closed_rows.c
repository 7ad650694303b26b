// limb on robots with loops, behind the benchmark's interface: the public calls as a user makes them, default
// environment and options, no multipliers asked for.
//
// What "generic" is for inverse dynamics of a platform:
//   ID loops    limb_inverse_dynamics, which eliminates passive velocities group by group; a is given
//   ID forces   [S Psi'] [tau_active; lambda] = Gamma_tr, nv equations; a is given
//   ID KKT      all equations at once, nv + rows + motors of them; the motion of the platform is given:
//                   [ M   -Psi'  -S ] [ a          ]   [ -h    ]
//                   [ Psi   0     0 ] [ lambda     ] = [ gamma ]
//                   [ P     0     0 ] [ tau_active ]   [ dV/dt ]
// S and P are columns and rows of the unit matrix. M, h, Psi, gamma and Gamma_tr come from limb, the dense
// elimination with row pivots is here. The platform form (ID platf) is given the motion of the platform, and
// finds v and a of the legs itself.
#include "closed.h"
#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
  limb_data *d, *closed; // of the spanning tree; with the loops closed
  limb_parallel* p;      // NULL: not asked for
  const bench_states* s;
  size_t nq, nv, nrow;
  int mask;
  limb_status status;      // LIMB_OK, or one that went wrong
  double* x;               // nv: the answer
  double *A, *b, *M, *Psi; // equations, M and Psi of the whole robot; NULL: not asked for
  size_t* active;          // velocities with motor, nactive of them
  size_t nactive;
  size_t platform;              // first velocity of its free joint
  limb_platform_motion* motion; // of every state; NULL without platform
} subject;

static void destroy(void* self)
{
  subject* t = self;
  if (!t) return;
  limb_data_destroy(t->d);
  limb_data_destroy(t->closed);
  limb_parallel_destroy(t->p);
  free(t->x);
  free(t->A);
  free(t->b);
  free(t->M);
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
    for (int i = 0; i < joint.nv && !joint.passive; i++) t->active[t->nactive++] = (size_t)(joint.v + i);
  }
  return LIMB_OK;
}

// Takes the robot apart, and the motion of its platform from all states.
static limb_status find_platform(subject* t, const limb_model* m)
{
  limb_parallel_info info = {.platform = -1};
  limb_body_info body;
  limb_joint_info joint;
  limb_status s = limb_parallel_create(m, -1, NULL, &t->p, NULL);
  if (s == LIMB_OK) s = limb_parallel_get(t->p, &info);
  if (s == LIMB_OK) s = limb_get_body(m, info.platform, &body);
  if (s == LIMB_OK) s = limb_get_joint(m, body.joint, &joint);
  if (s != LIMB_OK) return s;
  if (joint.def.type != LIMB_FREE || t->nactive != 6) return LIMB_E_UNSUPPORTED;
  t->platform = (size_t)joint.v;
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

// Room for all equations at once.
static limb_status make_room(subject* t)
{
  const size_t size = t->nv + t->nrow + t->nactive;
  t->A = calloc(size * size, sizeof *t->A);
  t->b = calloc(size, sizeof *t->b);
  t->M = calloc(t->nv * t->nv, sizeof *t->M);
  t->Psi = calloc(t->nrow * t->nv, sizeof *t->Psi);
  return t->A && t->b && t->M && t->Psi ? LIMB_OK : LIMB_E_NOMEM;
}

static void* make(const bench_library* library, const bench_robot* robot, const bench_states* states)
{
  (void)library;
  subject* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  const limb_model* m = robot->model;
  const size_t nv = (size_t)robot->nv;
  t->s = states;
  t->nq = (size_t)robot->nq, t->nv = nv, t->nrow = (size_t)robot->nrow;
  t->mask = states->count - 1;
  t->x = calloc(nv, sizeof *t->x);
  t->active = calloc(nv, sizeof *t->active);
  limb_status s = t->x && t->active ? limb_data_create(limb_spanning_tree(m), NULL, &t->d) : LIMB_E_NOMEM;
  if (s == LIMB_OK) s = limb_data_create(m, NULL, &t->closed);
  if (s == LIMB_OK) s = list_active(t, m);
  if (s == LIMB_OK && bench_is_platform(robot)) s = make_room(t);
  if (s == LIMB_OK && bench_is_platform(robot)) s = find_platform(t, m);
  if (s == LIMB_OK) return t;
  destroy(t);
  return NULL;
}

static void keep(subject* t, limb_status status)
{
  if (status != LIMB_OK) t->status = status;
}

// ---- forward dynamics ----------------------------------------------------------------------------

static void run_by(void* self, limb_loop_method method, int first, int count)
{
  subject* t = self;
  limb_loop_settings o = limb_default_loop_settings();
  o.solver.method = method;
  keep(t, limb_set_loops(t->closed, &o));
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    const double *q = t->s->q + k * t->nq, *v = t->s->v + n;
    keep(t, limb_forward_dynamics(t->closed, q, v, t->s->tau + n, NULL, t->x));
  }
}

static void run_fd(void* self, int first, int count) { run_by(self, LIMB_LOOP_METHOD_AUTO, first, count); }

static void run_schur(void* self, int first, int count) { run_by(self, LIMB_LOOP_METHOD_SCHUR, first, count); }

static void run_kkt(void* self, int first, int count) { run_by(self, LIMB_LOOP_METHOD_KKT, first, count); }

static void run_platform_fd(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_parallel_forward_dynamics(t->p, t->s->q + k * t->nq, t->s->v + n, t->s->tau + n, NULL, NULL, t->x));
  }
}

// ---- inverse dynamics ----------------------------------------------------------------------------

static void run_id(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_inverse_dynamics(t->closed, t->s->q + k * t->nq, t->s->v + n, t->s->a + n, NULL, t->x));
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
    const double* restrict from = &A[k * n];
    const double scale = 1 / from[k];
    for (size_t i = k + 1; i < n; i++) {
      double* restrict row = &A[i * n];
      const double f = row[k] * scale;
      for (size_t j = k + 1; j < n; j++) row[j] -= f * from[j];
      b[i] -= f * b[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return LIMB_OK;
}

// value S into the columns of A, n x n, from the given one on.
static void put_motors(const subject* t, size_t n, size_t column, double value)
{
  for (size_t j = 0; j < t->nactive; j++) t->A[t->active[j] * n + column + j] = value;
}

// x = S tau_active
static void spread_motors(subject* t, const double* tau)
{
  memset(t->x, 0, t->nv * sizeof *t->x);
  for (size_t j = 0; j < t->nactive; j++) t->x[t->active[j]] = tau[j];
}

static void run_id_forces(void* self, int first, int count)
{
  subject* t = self;
  const size_t nv = t->nv, nrow = t->nrow;
  const limb_loop_equations out = {.Psi = t->Psi};
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * nv;
    const double* q = t->s->q + k * t->nq;
    keep(t, limb_inverse_dynamics(t->d, q, t->s->v + n, t->s->a + n, NULL, t->b));
    keep(t, limb_loop_equations_at(t->closed, q, NULL, NULL, &out));
    memset(t->A, 0, nv * nv * sizeof *t->A);
    for (size_t r = 0; r < nrow; r++)
      for (size_t c = 0; c < nv; c++) t->A[c * nv + r] = t->Psi[r * nv + c];
    put_motors(t, nv, nrow, 1);
    keep(t, solve(nv, t->A, t->b));
    spread_motors(t, t->b + nrow);
  }
}

static void fill_kkt(subject* t, size_t size, const double* a)
{
  const size_t nv = t->nv, nrow = t->nrow;
  memset(t->A, 0, size * size * sizeof *t->A);
  for (size_t r = 0; r < nv; r++) {
    memcpy(&t->A[r * size], &t->M[r * nv], nv * sizeof *t->A);
    for (size_t c = 0; c < nrow; c++) t->A[r * size + nv + c] = -t->Psi[c * nv + r];
    t->b[r] = -t->b[r];
  }
  put_motors(t, size, nv + nrow, -1);
  for (size_t r = 0; r < nrow; r++) memcpy(&t->A[(nv + r) * size], &t->Psi[r * nv], nv * sizeof *t->A);
  for (size_t j = 0; j < t->nactive; j++) {
    const size_t row = nv + nrow + j, c = t->platform + j;
    t->A[row * size + c] = 1;
    t->b[row] = a[c];
  }
}

static void run_id_kkt(void* self, int first, int count)
{
  subject* t = self;
  const size_t nv = t->nv, size = nv + t->nrow + t->nactive;
  const limb_loop_equations out = {.Psi = t->Psi, .gamma = t->b + nv};
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * nv;
    const double *q = t->s->q + k * t->nq, *v = t->s->v + n;
    keep(t, limb_bias_forces(t->d, q, v, NULL, t->b));
    keep(t, limb_mass_matrix(t->d, q, t->M));
    keep(t, limb_loop_equations_at(t->closed, q, v, NULL, &out));
    fill_kkt(t, size, t->s->a + n);
    keep(t, solve(size, t->A, t->b));
    spread_motors(t, t->b + nv + t->nrow);
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
  static const bench_library limb = {.name = "limb",
                                     .version = BENCH_LIMB_VERSION,
                                     .max_links = 1 << 30,
                                     .make = make,
                                     .destroy = destroy,
                                     .run = {[BENCH_CLOSED_FD] = run_fd,
                                             [BENCH_CLOSED_SCHUR] = run_schur,
                                             [BENCH_CLOSED_KKT] = run_kkt,
                                             [BENCH_PLATFORM_FD] = run_platform_fd,
                                             [BENCH_CLOSED_ID] = run_id,
                                             [BENCH_CLOSED_ID_FORCES] = run_id_forces,
                                             [BENCH_CLOSED_ID_KKT] = run_id_kkt,
                                             [BENCH_PLATFORM_ID] = run_platform_id},
                                     .answer = answer};
  return &limb;
}
