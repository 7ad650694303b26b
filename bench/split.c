// limb_bench_split: one call on several processors (limb_split of limb/batch.h), in one run.
//
//     limb_bench_split [QUICK]        any argument: short runs, chains up to 10,000
//
// Prints CSV, `table,quantity,n,processors,plain_ns,split_ns,error,residual`:
//
//   handoff   what two tasks at the same time take more than one
//   branches  two equal branches of n joints each on a root: the plain call, and split, on two threads
//   chain     a chain of n joints: the same
//   model     a chain of n joints cut for so many processors, every task timed by itself on one: the longest
//             of each phase, what the caller does in between, and the handoffs
//   tree      the same with the parts joined in a binary tree (divide and conquer, O(log n)): joins of a
//             level at the same time, each as long as JOIN of those in a row
//   error     accelerations of forward dynamics against those that the torques were made from, relative to
//             the largest; residual tau - ID(a), relative to the largest torque. Processors 1: the plain call
//
// Times are the best of many, plain and split call in turn; states vary from call to call.
#include "limb/batch.h"

#include "spin.h"

#include "support/rng.h"
#include "support/robots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  PHASES = 3,
  ROUNDS = 6,
  NUMBERS = 1 << 21, // of all states of a robot, at most
  JOIN = 3           // joining two parts seen from both ends: 4800 multiplications against 1600
};

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void* need(void* p)
{
  if (!p) {
    (void)fputs("out of memory, or no threads\n", stderr);
    exit(1);
  }
  return p;
}

static void good(limb_status s)
{
  if (s == LIMB_OK) return;
  (void)fprintf(stderr, "%s\n", limb_status_text(s));
  exit(1);
}

// ---- a robot and its states ------------------------------------------------------------------------------

typedef struct scene {
  limb_model* m;
  limb_data* d;
  int n, states;
  double *q, *v, *a, *tau, *out;
} scene;

static double* at(const scene* x, double* array, int state) { return array + (size_t)state * (size_t)x->n; }

static scene open_scene(limb_model* m)
{
  scene x = {.m = need(m), .n = limb_nv(m)};
  const size_t n = (size_t)x.n;
  x.states = NUMBERS / x.n < 512 ? NUMBERS / x.n : 512;
  if (x.states < 2) x.states = 2;
  const size_t all = n * (size_t)x.states;
  good(limb_data_create(m, NULL, &x.d));
  x.q = need(malloc(all * sizeof *x.q)), x.v = need(malloc(all * sizeof *x.v));
  x.a = need(malloc(all * sizeof *x.a)), x.tau = need(malloc(all * sizeof *x.tau));
  x.out = need(malloc(n * sizeof *x.out));
  rng r = {42};
  for (int i = 0; i < x.states; i++) {
    rng_fill(&r, 3, x.n, at(&x, x.q, i));
    rng_fill(&r, x.n > 2000 ? 0.2 : 2, x.n, at(&x, x.v, i)); // the tip of a long chain would be fast
    rng_fill(&r, 5, x.n, at(&x, x.a, i));
    good(limb_inverse_dynamics(x.d, at(&x, x.q, i), at(&x, x.v, i), at(&x, x.a, i), NULL, at(&x, x.tau, i)));
  }
  return x;
}

static void close_scene(scene* x)
{
  free(x->q), free(x->v), free(x->a), free(x->tau), free(x->out);
  limb_data_destroy(x->d);
  limb_model_destroy(x->m);
}

static limb_split* cut(const scene* x, const limb_pool* pool, int processors)
{
  limb_split_options o = limb_default_split_options();
  o.processors = processors;
  o.min_saving = 1;
  limb_split* s;
  good(limb_split_create(x->m, pool, &o, NULL, &s));
  return s;
}

typedef enum quantity { INVERSE, FORWARD } quantity;
static const char* const quantity_name[] = {"rnea", "fd"};

// s NULL: the plain call
static void call(const scene* x, limb_split* s, quantity what, int state)
{
  const double *q = at(x, x->q, state), *v = at(x, x->v, state);
  const double *a = at(x, x->a, state), *tau = at(x, x->tau, state);
  if (what == INVERSE) {
    good(s ? limb_split_inverse_dynamics(s, q, v, a, NULL, x->out)
           : limb_inverse_dynamics(x->d, q, v, a, NULL, x->out));
  } else {
    good(s ? limb_split_forward_dynamics(s, q, v, tau, NULL, x->out)
           : limb_forward_dynamics(x->d, q, v, tau, NULL, x->out));
  }
}

// Time of a call, of as many as fill a slice, behind some that wake threads and caches.
static double slice(const scene* x, limb_split* s, quantity what, int calls, int* state)
{
  for (int i = 0; i < (calls + 3) / 4; i++) call(x, s, what, (*state + i) % x->states);
  const double start = now();
  for (int i = 0; i < calls; i++) {
    call(x, s, what, *state);
    *state = (*state + 1) % x->states;
  }
  return (now() - start) / calls;
}

static void report(const char* table, quantity what, int n, int processors, double plain, double split)
{
  printf("%s,%s,%d,%d,%.0f,%.0f,,\n", table, quantity_name[what], n, processors, plain, split);
  (void)fflush(stdout);
}

// The plain call and the split one in turn; best of each.
static void compare(const char* table, const scene* x, const limb_pool* pool, int n, double seconds)
{
  limb_split* s = cut(x, pool, 2);
  for (int what = INVERSE; what <= FORWARD; what++) {
    int state = 0;
    const double once = slice(x, NULL, (quantity)what, 1, &state);
    const int calls = once < 50e3 ? 1 + (int)(100e3 / once) : 1;
    double plain = HUGE_VAL, split = HUGE_VAL;
    const double end = now() + 1e9 * seconds;
    for (int i = 0; i < ROUNDS || now() < end; i++) {
      plain = fmin(plain, slice(x, NULL, (quantity)what, calls, &state));
      split = fmin(split, slice(x, s, (quantity)what, calls, &state));
    }
    report(table, (quantity)what, n, 2, plain, split);
  }
  limb_split_destroy(s);
}

// ---- many processors, one after the other ----------------------------------------------------------------

// A pool that runs its tasks by itself and times them: best of each task, and of what lies between.
typedef struct stopwatch {
  int phase;
  int count[PHASES];
  double task[PHASES][LIMB_SPLIT_PROCESSORS_MAX + 1];
  double inside; // of this call
} stopwatch;

static void run_timed(void* context, int count, limb_pool_task* task, void* argument)
{
  stopwatch* w = context;
  for (int i = 0; i < count; i++) {
    const double start = now();
    task(argument, i);
    const double took = now() - start;
    double* best = &w->task[w->phase][i];
    w->inside += took;
    *best = fmin(*best, took);
  }
  w->count[w->phase++] = count;
}

static double longest(const stopwatch* w)
{
  double sum = 0;
  for (int p = 0; p < w->phase; p++) {
    double most = 0;
    for (int i = 0; i < w->count[p]; i++) most = fmax(most, w->task[p][i]);
    sum += most;
  }
  return sum;
}

static void model(const scene* x, quantity what, int processors, double handoff, double seconds)
{
  stopwatch w; // 6 kB
  const limb_pool pool = {sizeof pool, 1, &w, run_timed};
  limb_split* s = cut(x, &pool, processors);
  double between = HUGE_VAL, plain = HUGE_VAL;
  int state = 0;
  for (int p = 0; p < PHASES; p++) {
    for (int i = 0; i <= LIMB_SPLIT_PROCESSORS_MAX; i++) w.task[p][i] = HUGE_VAL;
  }
  const double end = now() + 1e9 * seconds;
  for (int i = 0; i < ROUNDS || now() < end; i++) {
    plain = fmin(plain, slice(x, NULL, what, 1, &state));
    w.phase = 0, w.inside = 0;
    const double start = now();
    call(x, s, what, state);
    between = fmin(between, now() - start - w.inside);
  }
  const int parts = what == INVERSE ? limb_split_inverse_parts(s) : limb_split_forward_parts(s);
  limb_split_destroy(s);
  if (parts == 1) return;
  const double tasks = longest(&w), levels = ceil(log2(parts));
  report("model", what, x->n, processors, plain, tasks + between + w.phase * handoff);
  // joins of a level at the same time, on the way to the root and back
  const double joins = JOIN * between / parts * levels + 2 * levels * handoff;
  report("tree", what, x->n, processors, plain, tasks + joins + w.phase * handoff);
}

// ---- how exact -------------------------------------------------------------------------------------------

static double off_by(int n, const double* got, const double* want)
{
  double error = 0, size = 0;
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(got[i] - want[i]));
    size = fmax(size, fabs(want[i]));
  }
  return error / size;
}

static void errors(const scene* x, const limb_pool* pool)
{
  double* back = need(malloc((size_t)x->n * sizeof *back));
  for (int processors = 1; processors <= 256 && 2 * processors < x->n; processors *= 4) {
    limb_split* s = cut(x, pool, processors);
    call(x, s, FORWARD, 0);
    good(limb_inverse_dynamics(x->d, x->q, x->v, x->out, NULL, back));
    printf("error,fd,%d,%d,,,%.1e,%.1e\n", x->n, processors, off_by(x->n, x->out, x->a), off_by(x->n, back, x->tau));
    limb_split_destroy(s);
  }
  free(back);
}

// ---- robots ----------------------------------------------------------------------------------------------

// Two chains of n joints each on a root.
static limb_model* two_branches(int n)
{
  limb_model* chain = need(robot_chain(n + 1));
  limb_builder* b;
  limb_model* m = NULL;
  limb_error err;
  good(limb_builder_from_model(chain, NULL, &b));
  for (int i = 2; i <= n + 1; i++) {
    limb_body_info body;
    limb_joint_info joint;
    char body_name[32], joint_name[32];
    good(limb_get_body(chain, i, &body));
    good(limb_get_joint(chain, body.joint, &joint));
    (void)snprintf(body_name, sizeof body_name, "second %d", i);
    (void)snprintf(joint_name, sizeof joint_name, "second joint %d", i);
    limb_body_def body_def = limb_default_body_def(body_name);
    body_def.inertia = body.inertia;
    int index;
    good(limb_builder_add_body(b, &body_def, &index, &err));
    limb_joint_def def = joint.def;
    def.name = joint_name;
    def.child = index;
    if (i > 2) def.parent = index - 1;
    good(limb_builder_add_joint(b, &def, &index, &err));
  }
  good(limb_builder_build(b, &m, &err));
  limb_builder_destroy(b);
  limb_model_destroy(chain);
  return m;
}

// Some microseconds of work.
static void dawdle(void* argument, int index)
{
  volatile double* x = (double*)argument + 8 * index;
  for (int i = 0; i < 2000; i++) *x = *x * 0.999 + 1;
}

// Two such tasks at the same time, less one of them.
static double measure_handoff(const limb_pool* pool)
{
  double both = HUGE_VAL, one = HUGE_VAL, room[16] = {0};
  for (int i = 0; i < 20000; i++) {
    const double start = now();
    pool->run(pool->context, 2, dawdle, room);
    both = fmin(both, now() - start);
    const double between = now();
    dawdle(room, 0);
    one = fmin(one, now() - between);
  }
  return both - one;
}

int main(int argc, char** argv)
{
  (void)argv;
  const double seconds = argc > 1 ? 0.05 : 0.2;
  const int most = argc > 1 ? 10000 : 1000000;
  bench_spin* threads = need(bench_spin_start());
  const limb_pool* pool = bench_spin_pool(threads);
  const double handoff = measure_handoff(pool);
  printf("table,quantity,n,processors,plain_ns,split_ns,error,residual\n");
  printf("handoff,,,2,,%.0f,,\n", handoff);
  static const int branches[] = {5, 10, 20, 30, 50, 100, 200, 500};
  for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
    scene x = open_scene(two_branches(branches[i]));
    compare("branches", &x, pool, branches[i], seconds);
    close_scene(&x);
  }
  static const int lengths[] = {50, 100, 200, 300, 500, 1000, 2000, 10000, 100000, 1000000};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && lengths[i] <= most; i++) {
    scene x = open_scene(robot_chain(lengths[i]));
    compare("chain", &x, pool, lengths[i], seconds);
    for (int p = 2; lengths[i] >= 1000 && lengths[i] <= 100000 && p <= 256; p *= 2) {
      model(&x, INVERSE, p, handoff, seconds);
      model(&x, FORWARD, p, handoff, seconds);
    }
    if (lengths[i] >= 1000 && lengths[i] <= 100000) errors(&x, pool);
    close_scene(&x);
  }
  bench_spin_end(threads);
  return 0;
}
