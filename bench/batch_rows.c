// limb's batch calls behind the benchmark's interface: many states a call, default environment, on one thread
// or on those of a pool, over double or float, row-major or in lanes.
//
// State i of a batch is state i of the ring, which is gone round as often as it takes. A batch is as long as
// inputs and outputs stay in a second-level cache, which is the same number of states in all modes.
#include "limb/batch.h"
#include "limb/regressor.h"

#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  BLOCK = 16,               // states; a multiple of all numbers of lanes
  BLOCKS_MIN = 4,           // so that threads have something to share,
  BLOCKS_BYTES = 1 << 25,   // unless they are longer than this
  BATCH_MAX = 2048,         // states
  BATCH_BYTES = 512 * 1024, // of inputs and outputs over double
  STEPS = 8,                // of a simulation, each call; then it begins again
  WORKSPACE_MAX = 1 << 30,  // bytes; longer chains are left out
  MATRIX_LINKS = 200,       // longest chain whose matrices are kept for a block
  STEP_LINKS = 1000,        // longest chain that is simulated, as in sim_rows.c
};

typedef struct arrays_f64 {
  double *q, *v, *a, *tau, *out;
} arrays_f64;

typedef struct arrays_f32 {
  float *q, *v, *a, *tau, *out;
} arrays_f32;

typedef struct subject {
  limb_batch* b;
  const bench_states* s;
  size_t nq, nv, np;
  int tip, is_float, lanes;
  size_t states[BENCH_KERNELS]; // of a call; 0: not asked for
  size_t room;                  // states that there are inputs for
  arrays_f64 f64;               // one of the two
  arrays_f32 f32;
  limb_status status[BENCH_KERNELS]; // LIMB_OK, or one that went wrong
} subject;

// ---- sizes ---------------------------------------------------------------------------------------

// Numbers that one state takes in.
static size_t width_in(const subject* t) { return t->nq + 3 * t->nv; }

// Numbers that one state gives.
static size_t width_out(const subject* t, bench_kernel kernel)
{
  const size_t nv = t->nv;
  switch (kernel) {
  case BENCH_CRBA:
  case BENCH_CORIOLIS:
  case BENCH_INVERSE: return nv * nv;
  case BENCH_REGRESSOR: return nv * t->np;
  case BENCH_JACOBIAN: return 6 * nv;
  case BENCH_ID_DERIVATIVES:
  case BENCH_FD_DERIVATIVES: return nv + 3 * nv * nv;
  case BENCH_STEP_RK4: return t->nq + nv; // where the states are while they move
  default: return nv;
  }
}

static int is_offered(const bench_robot* r, bench_kernel kernel, int lanes)
{
  switch (kernel) {
  case BENCH_RNEA:
  case BENCH_FD: return 1;
  case BENCH_CRBA: return r->nlink <= MATRIX_LINKS;
  case BENCH_JACOBIAN: return !lanes;
  case BENCH_REGRESSOR:
  case BENCH_CORIOLIS:
  case BENCH_INVERSE:
  case BENCH_ID_DERIVATIVES:
  case BENCH_FD_DERIVATIVES: return !lanes && r->nlink <= MATRIX_LINKS;
  case BENCH_STEP_RK4: return !lanes && bench_steps(r) && r->nlink <= STEP_LINKS;
  default: return 0;
  }
}

// States of a batch, for each kernel. Returns how many numbers the longest output has.
static size_t set_sizes(subject* t, const bench_robot* robot)
{
  size_t most = 0;
  for (int k = 0; k < BENCH_KERNELS; k++) {
    if (!is_offered(robot, (bench_kernel)k, t->lanes)) continue;
    const size_t wide = width_out(t, (bench_kernel)k);
    const size_t bytes = (width_in(t) + wide) * sizeof(double);
    const size_t least = bytes * BLOCKS_MIN * BLOCK <= BLOCKS_BYTES ? BLOCKS_MIN * BLOCK : BLOCK;
    size_t n = BATCH_BYTES / bytes / BLOCK * BLOCK;
    n = n < least ? least : n > BATCH_MAX ? BATCH_MAX : n;
    t->states[k] = n;
    t->room = n > t->room ? n : t->room;
    most = n * wide > most ? n * wide : most;
  }
  return most;
}

static int states_of(const void* self, bench_kernel kernel)
{
  const subject* t = self;
  return (int)t->states[kernel] * (kernel == BENCH_STEP_RK4 ? STEPS : 1);
}

// ---- making --------------------------------------------------------------------------------------

static void destroy(void* self)
{
  subject* t = self;
  if (!t) return;
  limb_batch_destroy(t->b);
  double* const f64[] = {t->f64.q, t->f64.v, t->f64.a, t->f64.tau, t->f64.out};
  float* const f32[] = {t->f32.q, t->f32.v, t->f32.a, t->f32.tau, t->f32.out};
  for (int k = 0; k < 5; k++) free(f64[k]), free(f32[k]);
  free(t);
}

static void* take(size_t count, size_t size)
{
  const size_t bytes = (count * size + LIMB_DATA_ALIGN - 1) / LIMB_DATA_ALIGN * LIMB_DATA_ALIGN;
  void* x = aligned_alloc(LIMB_DATA_ALIGN, bytes ? bytes : LIMB_DATA_ALIGN);
  if (x) memset(x, 0, bytes);
  return x;
}

// An input of all states, row after row.
static double* repeat(const subject* t, size_t width, const double* ring)
{
  double* x = take(t->room * width, sizeof *x);
  const size_t count = (size_t)t->s->count;
  for (size_t i = 0; i < t->room && x; i++) memcpy(x + i * width, ring + i % count * width, width * sizeof *x);
  return x;
}

static double* input(const subject* t, size_t width, const double* ring)
{
  double* rows = repeat(t, width, ring);
  if (!rows || !t->lanes) return rows;
  double* x = take(t->room * width, sizeof *x);
  const int ok = x && limb_batch_to_lanes(t->b, t->room, width, rows, x) == LIMB_OK;
  free(rows);
  if (!ok) free(x);
  return ok ? x : NULL;
}

static float* input_f32(const subject* t, size_t width, const double* ring)
{
  double* rows = repeat(t, width, ring);
  float* x = rows ? take(t->room * width, sizeof *x) : NULL;
  for (size_t i = 0; i < t->room * width && x; i++) x[i] = (float)rows[i];
  free(rows);
  return x;
}

// 1, or 0 when memory runs out.
static int fill(subject* t, size_t out)
{
  const bench_states* s = t->s;
  if (t->is_float) {
    t->f32 = (arrays_f32){input_f32(t, t->nq, s->q), input_f32(t, t->nv, s->v), input_f32(t, t->nv, s->a),
                          input_f32(t, t->nv, s->tau), take(out, sizeof(float))};
    return t->f32.q && t->f32.v && t->f32.a && t->f32.tau && t->f32.out;
  }
  t->f64 = (arrays_f64){input(t, t->nq, s->q), input(t, t->nv, s->v), input(t, t->nv, s->a), input(t, t->nv, s->tau),
                        take(out, sizeof(double))};
  return t->f64.q && t->f64.v && t->f64.a && t->f64.tau && t->f64.out;
}

static void* make(const bench_library* library, const bench_robot* robot, const bench_states* states)
{
  limb_batch_options o = limb_default_batch_options();
  o.layout = library->lanes ? LIMB_BATCH_BY_LANE : LIMB_BATCH_BY_STATE;
  o.pool = library->pool;
  const size_t size = limb_batch_size(robot->model, &o);
  if (robot->nrow || size == 0 || size > WORKSPACE_MAX) return NULL;
  subject* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->s = states;
  t->nq = (size_t)robot->nq, t->nv = (size_t)robot->nv;
  t->np = (size_t)limb_inertial_parameter_count(robot->model);
  t->tip = robot->link[robot->tip].body;
  t->is_float = library->mode == BENCH_FLOAT;
  t->lanes = library->lanes;
  const size_t out = set_sizes(t, robot);
  if (limb_batch_create(robot->model, &o, NULL, &t->b) == LIMB_OK && fill(t, out)) return t;
  destroy(t);
  return NULL;
}

// ---- calls ---------------------------------------------------------------------------------------

static limb_status call_rnea(subject* t, size_t n)
{
  const arrays_f64* x = &t->f64;
  const arrays_f32* y = &t->f32;
  if (t->is_float) return limb_batch_inverse_dynamics_f32(t->b, n, y->q, y->v, y->a, NULL, y->out, NULL);
  return limb_batch_inverse_dynamics(t->b, n, x->q, x->v, x->a, NULL, x->out, NULL);
}

static limb_status call_crba(subject* t, size_t n)
{
  if (t->is_float) return limb_batch_mass_matrix_f32(t->b, n, t->f32.q, t->f32.out, NULL);
  return limb_batch_mass_matrix(t->b, n, t->f64.q, t->f64.out, NULL);
}

static limb_status call_fd(subject* t, size_t n)
{
  const arrays_f64* x = &t->f64;
  const arrays_f32* y = &t->f32;
  if (t->is_float) return limb_batch_forward_dynamics_f32(t->b, n, y->q, y->v, y->tau, NULL, y->out, NULL);
  return limb_batch_forward_dynamics(t->b, n, x->q, x->v, x->tau, NULL, x->out, NULL);
}

static limb_status call_jacobian(subject* t, size_t n)
{
  if (t->is_float) return limb_batch_frame_jacobian_f32(t->b, n, t->f32.q, t->tip, LIMB_ALIGNED, t->f32.out, NULL);
  return limb_batch_frame_jacobian(t->b, n, t->f64.q, t->tip, LIMB_ALIGNED, t->f64.out, NULL);
}

static limb_status call_inverse(subject* t, size_t n)
{
  if (t->is_float) return limb_batch_mass_matrix_inverse_f32(t->b, n, t->f32.q, t->f32.out, NULL);
  return limb_batch_mass_matrix_inverse(t->b, n, t->f64.q, t->f64.out, NULL);
}

static limb_status call_coriolis(subject* t, size_t n)
{
  if (t->is_float) return limb_batch_coriolis_matrix_f32(t->b, n, t->f32.q, t->f32.v, t->f32.out, NULL);
  return limb_batch_coriolis_matrix(t->b, n, t->f64.q, t->f64.v, t->f64.out, NULL);
}

static limb_status call_regressor(subject* t, size_t n)
{
  const arrays_f64* x = &t->f64;
  const arrays_f32* y = &t->f32;
  if (t->is_float) return limb_batch_inertial_regressor_f32(t->b, n, y->q, y->v, y->a, NULL, y->out, NULL);
  return limb_batch_inertial_regressor(t->b, n, x->q, x->v, x->a, NULL, x->out, NULL);
}

// The derivatives by q come first: they are compared.
static limb_status call_id_derivatives(subject* t, size_t n)
{
  const size_t M = n * t->nv * t->nv;
  const arrays_f64* x = &t->f64;
  const arrays_f32* y = &t->f32;
  if (t->is_float) {
    const limb_id_derivatives_f32 out = {y->out + 3 * M, y->out, y->out + M, y->out + 2 * M};
    return limb_batch_inverse_dynamics_derivatives_f32(t->b, n, y->q, y->v, y->a, NULL, &out, NULL);
  }
  const limb_id_derivatives out = {x->out + 3 * M, x->out, x->out + M, x->out + 2 * M};
  return limb_batch_inverse_dynamics_derivatives(t->b, n, x->q, x->v, x->a, NULL, &out, NULL);
}

static limb_status call_fd_derivatives(subject* t, size_t n)
{
  const size_t M = n * t->nv * t->nv;
  const arrays_f64* x = &t->f64;
  const arrays_f32* y = &t->f32;
  if (t->is_float) {
    const limb_fd_derivatives_f32 out = {y->out + 3 * M, y->out, y->out + M, y->out + 2 * M};
    return limb_batch_forward_dynamics_derivatives_f32(t->b, n, y->q, y->v, y->tau, NULL, &out, NULL);
  }
  const limb_fd_derivatives out = {x->out + 3 * M, x->out, x->out + M, x->out + 2 * M};
  return limb_batch_forward_dynamics_derivatives(t->b, n, x->q, x->v, x->tau, NULL, &out, NULL);
}

// Steps from the states of the ring; velocities come to stand first, then configurations.
static limb_status step(subject* t, size_t n, int steps)
{
  const limb_batch_steps by = {bench_step, steps};
  const size_t nv = n * t->nv, nq = n * t->nq;
  if (t->is_float) {
    float *v = t->f32.out, *q = v + nv;
    memcpy(v, t->f32.v, nv * sizeof *v);
    memcpy(q, t->f32.q, nq * sizeof *q);
    return limb_batch_step_f32(t->b, n, q, v, NULL, NULL, &by, NULL);
  }
  double *v = t->f64.out, *q = v + nv;
  memcpy(v, t->f64.v, nv * sizeof *v);
  memcpy(q, t->f64.q, nq * sizeof *q);
  return limb_batch_step(t->b, n, q, v, NULL, NULL, &by, NULL);
}

static limb_status call_steps(subject* t, size_t n) { return step(t, n, STEPS); }

#define RUN(name, kernel, call)                         \
  static void name(void* self, int first, int count)    \
  {                                                     \
    subject* t = self;                                  \
    (void)first;                                        \
    for (int i = 0; i < count; i++) {                   \
      const limb_status s = call(t, t->states[kernel]); \
      if (s != LIMB_OK) t->status[kernel] = s;          \
    }                                                   \
  }
RUN(run_rnea, BENCH_RNEA, call_rnea)
RUN(run_crba, BENCH_CRBA, call_crba)
RUN(run_fd, BENCH_FD, call_fd)
RUN(run_jacobian, BENCH_JACOBIAN, call_jacobian)
RUN(run_inverse, BENCH_INVERSE, call_inverse)
RUN(run_id_derivatives, BENCH_ID_DERIVATIVES, call_id_derivatives)
RUN(run_fd_derivatives, BENCH_FD_DERIVATIVES, call_fd_derivatives)
RUN(run_coriolis, BENCH_CORIOLIS, call_coriolis)
RUN(run_regressor, BENCH_REGRESSOR, call_regressor)
RUN(run_steps, BENCH_STEP_RK4, call_steps)
#undef RUN

// ---- answers -------------------------------------------------------------------------------------

// Numbers of one state that are compared: of derivatives the first matrix, of steps the velocities.
static size_t width_answer(const subject* t, bench_kernel kernel)
{
  if (kernel == BENCH_REGRESSOR) return t->nv * t->np;
  if (bench_is_matrix(kernel)) return t->nv * t->nv;
  return kernel == BENCH_JACOBIAN ? 6 * t->nv : t->nv;
}

static int answer(void* self, bench_kernel kernel, int k, double* out)
{
  subject* t = self;
  const size_t wide = width_answer(t, kernel), first = (size_t)k * wide;
  const size_t n = t->states[kernel];
  if (kernel == BENCH_STEP_RK4 && step(t, n, 1) != LIMB_OK) return -1;
  if (t->status[kernel] != LIMB_OK) return -1;
  if (t->is_float) {
    for (size_t i = 0; i < wide; i++) out[i] = (double)t->f32.out[first + i];
    return 0;
  }
  if (!t->lanes) {
    memcpy(out, t->f64.out + first, wide * sizeof *out);
    return 0;
  }
  double* rows = take(n * wide, sizeof *rows);
  const int ok = rows && limb_batch_to_states(t->b, n, wide, t->f64.out, rows) == LIMB_OK;
  if (ok) memcpy(out, rows + first, wide * sizeof *out);
  free(rows);
  return ok ? 0 : -1;
}

bench_library bench_limb_batch(bench_mode mode, int lanes, const limb_pool* pool)
{
  return (bench_library){.name = "limb",
                         .version = BENCH_LIMB_VERSION,
                         .max_links = 1 << 30,
                         .make = make,
                         .destroy = destroy,
                         .run = {[BENCH_RNEA] = run_rnea,
                                 [BENCH_CRBA] = run_crba,
                                 [BENCH_FD] = run_fd,
                                 [BENCH_JACOBIAN] = run_jacobian,
                                 [BENCH_INVERSE] = run_inverse,
                                 [BENCH_ID_DERIVATIVES] = run_id_derivatives,
                                 [BENCH_FD_DERIVATIVES] = run_fd_derivatives,
                                 [BENCH_CORIOLIS] = run_coriolis,
                                 [BENCH_REGRESSOR] = run_regressor,
                                 [BENCH_STEP_RK4] = run_steps},
                         .answer = answer,
                         .softness = mode == BENCH_FLOAT ? HUGE_VAL : 0,
                         .mode = mode,
                         .lanes = lanes,
                         .pool = pool,
                         .states = states_of};
}
