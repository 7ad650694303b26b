// limb behind the benchmark's interface: the public calls as a user makes them, arguments checked,
// default environment.
#include "peer.h"

#include "limb/derivatives.h"
#include "limb/regressor.h"

#include <stdlib.h>
#include <string.h>

typedef struct subject {
  limb_data* d;
  const bench_states* s;
  size_t nq, nv;
  int mask, tip;
  limb_status status; // LIMB_OK, or one that went wrong
  double *x, *y, *M, *work;
  double *dq, *dv; // where derivatives are measured
  size_t np;       // parameters
  double* Y;       // nv x np
  limb_dual* w;
  double* tensor[4];
  sp_motion tip_acceleration;
  sp_motion* J;
  unsigned char* forces; // marks: all forces are given
  double* mixed;         // like tau of the states, but a where a joint has a motor
} subject;

static void destroy(void* self)
{
  subject* t = self;
  if (!t) return;
  limb_data_destroy(t->d);
  free(t->x);
  free(t->y);
  free(t->forces);
  free(t->mixed);
  free(t->M);
  free(t->work);
  free(t->dq);
  free(t->dv);
  free(t->Y);
  for (int k = 0; k < 4; k++) free(t->tensor[k]);
  limb_dual_destroy(t->w);
  free(t->J);
  free(t);
}

// What hybrid dynamics is given. 1, or 0 when memory runs out.
static int mix(subject* t, const limb_model* m)
{
  const size_t n = t->nv * (size_t)t->s->count;
  unsigned char* given = calloc(t->nv, 1);
  t->forces = calloc(t->nv, 1);
  t->mixed = calloc(n, sizeof *t->mixed);
  const int ok = given && t->forces && t->mixed && limb_given_for_passive(m, given) == LIMB_OK;
  for (size_t i = 0; i < n && ok; i++) t->mixed[i] = given[i % t->nv] == LIMB_FORCE_GIVEN ? t->s->tau[i] : t->s->a[i];
  free(given);
  return ok;
}

// What is too large for very long chains. 1, or 0 when memory runs out.
static int make_matrices(subject* t, const limb_model* m)
{
  const size_t nv = t->nv;
  double** square[] = {&t->M, &t->work, &t->dq, &t->dv};
  if (nv > 1000) return 1;
  int ok = 1;
  for (int k = 0; k < 4; k++) ok &= (*square[k] = calloc(nv * nv, sizeof(double))) != NULL;
  t->np = (size_t)limb_inertial_parameter_count(m);
  t->Y = calloc(nv * t->np, sizeof *t->Y);
  ok &= t->Y != NULL;
  if (!bench_has_tensors(t->nv)) return ok;
  for (int k = 0; k < 4; k++) ok &= (t->tensor[k] = calloc(nv * nv * nv, sizeof(double))) != NULL;
  return ok && (limb_loop_count(m) || limb_dual_create(m, LIMB_DUAL_MATRICES, NULL, &t->w) == LIMB_OK);
}

static void* make(const bench_library* library, const bench_robot* robot, const bench_states* states)
{
  (void)library;
  subject* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  const size_t nv = (size_t)robot->nv;
  t->s = states;
  t->nq = (size_t)robot->nq;
  t->nv = nv;
  t->mask = states->count - 1;
  t->tip = robot->link[robot->tip].body;
  t->x = calloc(nv, sizeof *t->x);
  t->y = calloc(nv, sizeof *t->y);
  t->J = calloc(nv, sizeof *t->J);
  const int ok = t->x && t->y && t->J && mix(t, robot->model) && make_matrices(t, robot->model) &&
                 limb_data_create(limb_spanning_tree(robot->model), NULL, &t->d) == LIMB_OK;
  if (ok) return t;
  destroy(t);
  return NULL;
}

static void keep(subject* t, limb_status status)
{
  if (status != LIMB_OK) t->status = status;
}

static void run_rnea(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_inverse_dynamics(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->a + n, NULL, t->x));
  }
}

static void run_crba(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask);
    keep(t, limb_mass_matrix(t->d, t->s->q + k * t->nq, t->M));
  }
}

static void run_fd(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_forward_dynamics(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->tau + n, NULL, t->x));
  }
}

static void run_aba(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_forward_dynamics_aba(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->tau + n, NULL, t->x));
  }
}

static void run_fd_matrix(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_forward_dynamics_by_mass_matrix(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->tau + n, NULL, t->work,
                                                 t->x));
  }
}

static void run_jacobian(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask);
    keep(t, limb_frame_jacobian_at(t->d, t->s->q + k * t->nq, t->tip, LIMB_ALIGNED, t->J));
  }
}

static void run_coriolis(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask);
    keep(t, limb_coriolis_matrix(t->d, t->s->q + k * t->nq, t->s->v + k * t->nv, t->M));
  }
}

static void run_inverse(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask);
    keep(t, limb_mass_matrix_inverse(t->d, t->s->q + k * t->nq, t->M));
  }
}

static void run_id_derivatives(void* self, int first, int count)
{
  subject* t = self;
  const limb_id_derivatives out = {t->x, t->dq, t->dv, t->M};
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_inverse_dynamics_derivatives(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->a + n, NULL, &out));
  }
}

static void run_fd_derivatives(void* self, int first, int count)
{
  subject* t = self;
  const limb_fd_derivatives out = {t->x, t->dq, t->dv, t->M};
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_forward_dynamics_derivatives(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->tau + n, NULL, &out));
  }
}

static void run_regressor(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_inertial_regressor(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->a + n, NULL, t->Y));
  }
}

static void run_id_second(void* self, int first, int count)
{
  subject* t = self;
  const limb_second_derivatives out = {t->tensor[0], t->tensor[1], t->tensor[2], t->tensor[3]};
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_inverse_dynamics_second_derivatives(t->w, t->s->q + k * t->nq, t->s->v + n, t->s->a + n, NULL, &out));
  }
}

static void run_centroidal(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask);
    keep(t, limb_momentum_matrix_at(t->d, t->s->q + k * t->nq, 1, (sp_force*)(void*)t->J));
  }
}

static void run_bias(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask);
    keep(t, limb_bias_forces(t->d, t->s->q + k * t->nq, t->s->v + k * t->nv, NULL, t->x));
  }
}

static void run_kinematics(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_kinematics(t->d, t->s->q + k * t->nq, t->s->v + n, t->s->a + n));
  }
  keep(t, limb_frame_acceleration(t->d, t->tip, LIMB_ALIGNED, &t->tip_acceleration));
}

static void run_hybrid(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_hybrid_dynamics(t->d, t->s->q + k * t->nq, t->s->v + n, NULL, t->mixed + n, NULL, t->x, t->y));
  }
}

static void run_hybrid_forces(void* self, int first, int count)
{
  subject* t = self;
  for (int i = 0; i < count; i++) {
    const size_t k = (size_t)((first + i) & t->mask), n = k * t->nv;
    keep(t, limb_hybrid_dynamics(t->d, t->s->q + k * t->nq, t->s->v + n, t->forces, t->s->tau + n, NULL, t->x, t->y));
  }
}

static int answer(void* self, bench_kernel kernel, int k, double* out)
{
  const subject* t = self;
  (void)k;
  if (t->status != LIMB_OK) return -1;
  switch (kernel) {
  case BENCH_JACOBIAN:
  case BENCH_CENTROIDAL: memcpy(out, t->J, t->nv * sizeof *t->J); return 0;
  case BENCH_ID_SECOND: memcpy(out, t->tensor[2], t->nv * t->nv * t->nv * sizeof *out); return 0;
  case BENCH_KINEMATICS: memcpy(out, &t->tip_acceleration, sizeof t->tip_acceleration); return 0;
  case BENCH_REGRESSOR: memcpy(out, t->Y, t->nv * t->np * sizeof *out); return 0;
  default: break;
  }
  if (bench_is_matrix(kernel)) {
    memcpy(out, kernel >= BENCH_ID_DERIVATIVES ? t->dq : t->M, t->nv * t->nv * sizeof *out);
  } else {
    memcpy(out, t->x, t->nv * sizeof *out);
  }
  return 0;
}

const bench_library* bench_limb(void)
{
  static const bench_library limb = {.name = "limb",
                                     .version = BENCH_LIMB_VERSION,
                                     .max_links = 1 << 30,
                                     .make = make,
                                     .destroy = destroy,
                                     .run = {run_rnea, run_crba, run_fd, run_jacobian, run_aba, run_fd_matrix,
                                             run_coriolis, run_inverse, run_id_derivatives, run_fd_derivatives,
                                             run_regressor, run_id_second, run_centroidal, run_bias, run_kinematics,
                                             run_hybrid, run_hybrid_forces},
                                     .answer = answer};
  return &limb;
}
