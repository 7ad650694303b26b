// Generated code behind the benchmark's interface: functions for one robot, written by limb codegen when the
// program was built, compiled once per instruction set.
#include "peer.h"

#include "limb/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void inverse_fn(const double* q, const double* v, const double* a, double* tau);
typedef void matrix_fn(const double* q, double* M);

typedef struct functions {
  const char* name; // robot_isa
  inverse_fn* id;
  matrix_fn* M;
  inverse_fn* fd; // forces instead of accelerations, and the other way round
} functions;

// LIMB_HAVE_BASE, LIMB_HAVE_V3 and LIMB_HAVE_V4 say for which instruction sets there are functions.
#define DECLARE(robot, isa)                                                     \
  void robot##_tau_##isa(const double*, const double*, const double*, double*); \
  void robot##_M_##isa(const double*, double*);                                 \
  void robot##_acc_##isa(const double*, const double*, const double*, double*);
#define DECLARE_ALL(isa) DECLARE(ur5, isa) DECLARE(panda, isa)
#define ENTRY(robot, isa)                                                                           \
  {                                                                                                 \
    .name = #robot "_" #isa, .id = robot##_tau_##isa, .M = robot##_M_##isa, .fd = robot##_acc_##isa \
  }
#define ENTRIES(isa) ENTRY(ur5, isa), ENTRY(panda, isa)

#ifdef LIMB_HAVE_BASE
DECLARE_ALL(base)
#endif
#ifdef LIMB_HAVE_V3
DECLARE_ALL(v3)
#endif
#ifdef LIMB_HAVE_V4
DECLARE_ALL(v4)
#endif

static const functions list[] = {
#ifdef LIMB_HAVE_BASE
  ENTRIES(base),
#endif
#ifdef LIMB_HAVE_V3
  ENTRIES(v3),
#endif
#ifdef LIMB_HAVE_V4
  ENTRIES(v4),
#endif
};

typedef struct subject {
  const functions* call;
  const bench_states* s;
  size_t nv;
  int mask;
  double *x, *M;
} subject;

static const functions* find(const char* robot)
{
  char name[32];
  (void)snprintf(name, sizeof name, "%s_%s", robot, limb_isa_name());
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    if (!strcmp(list[i].name, name)) return &list[i];
  }
  return NULL;
}

static void destroy(void* self)
{
  subject* t = self;
  if (!t) return;
  free(t->x);
  free(t->M);
  free(t);
}

static void* make(const bench_library* library, const bench_robot* robot, const bench_states* states)
{
  (void)library;
  const functions* call = find(robot->name);
  subject* t = call ? calloc(1, sizeof *t) : NULL;
  if (!t) return NULL;
  const size_t nv = (size_t)robot->nv;
  *t = (subject){call, states, nv, states->count - 1, calloc(nv, sizeof *t->x), calloc(nv * nv, sizeof *t->M)};
  if (t->x && t->M) return t;
  destroy(t);
  return NULL;
}

// Copies of what calls need: the compiler does not know that they do not change it.
static void run_id(void* self, int first, int count)
{
  const subject t = *(const subject*)self;
  const bench_states s = *t.s;
  inverse_fn* const id = t.call->id;
  for (int i = 0; i < count; i++) {
    const size_t n = (size_t)((first + i) & t.mask) * t.nv;
    id(s.q + n, s.v + n, s.a + n, t.x);
  }
}

static void run_matrix(void* self, int first, int count)
{
  const subject t = *(const subject*)self;
  const bench_states s = *t.s;
  matrix_fn* const M = t.call->M;
  for (int i = 0; i < count; i++) M(s.q + (size_t)((first + i) & t.mask) * t.nv, t.M);
}

static void run_fd(void* self, int first, int count)
{
  const subject t = *(const subject*)self;
  const bench_states s = *t.s;
  inverse_fn* const fd = t.call->fd;
  for (int i = 0; i < count; i++) {
    const size_t n = (size_t)((first + i) & t.mask) * t.nv;
    fd(s.q + n, s.v + n, s.tau + n, t.x);
  }
}

static int answer(void* self, bench_kernel kernel, int k, double* out)
{
  const subject* t = self;
  (void)k;
  const size_t n = kernel == BENCH_CRBA ? t->nv * t->nv : t->nv;
  memcpy(out, kernel == BENCH_CRBA ? t->M : t->x, n * sizeof *out);
  return 0;
}

const bench_library* bench_limb_generated(void)
{
  static const bench_library generated = {
    .name = "limb",
    .version = BENCH_LIMB_VERSION,
    .max_links = 16,
    .make = make,
    .destroy = destroy,
    .run = {[BENCH_RNEA] = run_id, [BENCH_CRBA] = run_matrix, [BENCH_FD] = run_fd},
    .answer = answer,
    .mode = BENCH_GENERATED};
  return &generated;
}
