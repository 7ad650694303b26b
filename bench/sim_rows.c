// limb's simulation behind the benchmark's interface: what one step of 1 ms costs, free motion under gravity.
//
// A run goes on from where the last one ended; nothing is sampled, watched or summed up unless the kernel
// says so. Adaptive methods choose their own steps: what is counted is 1 ms of motion, tolerances as by
// default.
#include "limb/sim.h"

#include "peer.h"

#include <stdlib.h>
#include <string.h>

enum { KERNELS = BENCH_STEP_BDF - BENCH_STEP_RK4 + 1 };

typedef struct subject {
  limb_sim* sim[KERNELS];
  const bench_robot* robot;
  const bench_states* s;
  limb_status status; // LIMB_OK, or one that went wrong
} subject;

static void destroy(void* self)
{
  subject* t = self;
  for (int k = 0; k < KERNELS; k++) limb_sim_destroy(t->sim[k]);
  free(t);
}

static void keep(subject* t, limb_status s)
{
  if (s != LIMB_OK) t->status = s;
}

// Never zero: what it costs to look.
static double far_away(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->q[0] - 1e6;
}

static limb_status start(limb_sim* sim, const subject* t, int k)
{
  const size_t nq = (size_t)t->robot->nq, nv = (size_t)t->robot->nv, i = (size_t)k;
  return limb_sim_start(sim, 0, t->s->q + i * nq, t->s->v + i * nv, NULL);
}

// NULL: this build has no such method.
static limb_sim* simulate(subject* t, int kernel)
{
  static const limb_sim_method methods[KERNELS] = {LIMB_SIM_RK4,         LIMB_SIM_RK4, LIMB_SIM_IMPLICIT,
                                                   LIMB_SIM_VARIATIONAL, LIMB_SIM_ERK, LIMB_SIM_BDF};
  limb_sim_options o = limb_default_sim_options(t->robot->model);
  limb_sim* sim = NULL;
  o.method = methods[kernel];
  o.step = bench_step;
  if (!limb_sim_has_method(o.method)) return NULL;
  keep(t, limb_sim_create(t->robot->model, &o, NULL, &sim, NULL));
  const limb_sim_condition c = {.value = far_away};
  if (sim && kernel == BENCH_STEP_WATCHED - BENCH_STEP_RK4) keep(t, limb_sim_add_condition(sim, &c, NULL));
  if (sim) keep(t, start(sim, t, 0));
  return sim;
}

static void* make(const bench_library* library, const bench_robot* robot, const bench_states* states)
{
  (void)library;
  subject* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->robot = robot, t->s = states;
  for (int k = 0; k < KERNELS && (!k || bench_steps_all(robot)); k++) t->sim[k] = simulate(t, k);
  return t;
}

static void run(void* self, bench_kernel kernel, int count)
{
  subject* t = self;
  limb_sim* sim = t->sim[kernel - BENCH_STEP_RK4];
  limb_sim_state now;
  if (!sim) return;
  keep(t, limb_sim_now(sim, &now));
  keep(t, limb_sim_advance(sim, now.time + count * bench_step, NULL));
}

#define RUN(name, kernel)                            \
  static void name(void* self, int first, int count) \
  {                                                  \
    (void)first;                                     \
    run(self, kernel, count);                        \
  }
RUN(run_rk4, BENCH_STEP_RK4)
RUN(run_watched, BENCH_STEP_WATCHED)
RUN(run_implicit, BENCH_STEP_IMPLICIT)
RUN(run_variational, BENCH_STEP_VARIATIONAL)
RUN(run_erk, BENCH_STEP_ERK)
RUN(run_bdf, BENCH_STEP_BDF)
#undef RUN

// Velocities after one step from state k.
static int answer(void* self, bench_kernel kernel, int k, double* out)
{
  subject* t = self;
  limb_sim* sim = t->sim[kernel - BENCH_STEP_RK4];
  limb_sim_state now;
  if (!sim) return -1;
  keep(t, start(sim, t, k));
  keep(t, limb_sim_advance(sim, bench_step, NULL));
  keep(t, limb_sim_now(sim, &now));
  if (t->status != LIMB_OK) return -1;
  memcpy(out, now.v, (size_t)t->robot->nv * sizeof *out);
  return 0;
}

const bench_library* bench_limb_sim(void)
{
  static bench_library limb = {.name = "limb",
                               .version = BENCH_LIMB_VERSION,
                               .max_links = 1000,
                               .make = make,
                               .destroy = destroy,
                               .run = {[BENCH_STEP_RK4] = run_rk4,
                                       [BENCH_STEP_WATCHED] = run_watched,
                                       [BENCH_STEP_IMPLICIT] = run_implicit,
                                       [BENCH_STEP_VARIATIONAL] = run_variational},
                               .answer = answer};
  if (limb_sim_has_method(LIMB_SIM_ERK)) limb.run[BENCH_STEP_ERK] = run_erk;
  if (limb_sim_has_method(LIMB_SIM_BDF)) limb.run[BENCH_STEP_BDF] = run_bdf;
  return &limb;
}
