// Studies and blocks of tables on several threads, as the thread sanitizer sees them: the same numbers as on one.
#define _DEFAULT_SOURCE 1 // mkdtemp

#include "limb/batch.h"
#include "limb/quantities.h"
#include "limb/read.h"
#include "limb/runner.h"
#include "support/check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4 };

static const char study[] = //
  "study: 1\n"
  "run: {model: planar_2r, duration: 5ms, solver: {method: rk4}, start: {q: {joint1: 30deg}}}\n"
  "samples: 24\n"
  "vary:\n"
  "  start.q.joint2: {uniform: [0, 1]}\n"
  "  model.parameters.link2.mass: {uniform: [1, 2]}\n"
  "collect: {final: [q], max: [v.joint1]}\n";

static atomic_int ticks, stops;

static void tick(void* context)
{
  (void)context;
  atomic_fetch_add(&ticks, 1);
}

static int never(void* context)
{
  (void)context;
  atomic_fetch_add(&stops, 1);
  return 0;
}

// The table of a study, on so many threads.
static char* run_study(const char* path, const char* folder, const char* out, int threads)
{
  limb_sweep* s = NULL;
  limb_sweep_queue* q = NULL;
  limb_sweep_state x;
  limb_error err = {0};
  uint64_t done = 0;
  assert_ok(limb_sweep_open(path, NULL, &s, &err));
  limb_sweep_job job = {.place = {.folder = folder, .part = 1, .parts = 1, .workers = threads}, .threads = threads};
  assert_ok(limb_sweep_queue_create(s, &job.place, &q, &err));
  job.next = limb_sweep_queue_next, job.queue = q, job.stop = never, job.tick = tick;
  assert_ok(limb_sweep_run(s, &job, &done, &err));
  ck_assert_uint_eq(done, limb_sweep_cases(s));
  assert_ok(limb_sweep_write(s, folder, out, LIMB_TABLE_CSV, 0, &x, &err));
  assert_that(x.failed == 0 && x.missing == 0);
  assert_ok(limb_sweep_clear(folder, 1, 1, &err));
  limb_sweep_queue_destroy(q);
  limb_sweep_close(s);
  FILE* f = fopen(out, "rb");
  char* text = calloc(1 << 14, 1);
  assert_that(f && text && fread(text, 1, (1 << 14) - 1, f) > 100);
  (void)fclose(f);
  (void)remove(out);
  return text;
}

START_TEST(a_sweep)
{
  const char* temporary = getenv("TMPDIR");
  char folder[64], path[96], rows[96], out[96];
  (void)snprintf(folder, sizeof folder, "%.40s/limb_study_XXXXXX", temporary ? temporary : "/tmp");
  assert_that(mkdtemp(folder) != NULL);
  (void)snprintf(path, sizeof path, "%s/study.yaml", folder);
  (void)snprintf(rows, sizeof rows, "%s/rows", folder);
  (void)snprintf(out, sizeof out, "%s/out.csv", folder);
  FILE* f = fopen(path, "w");
  assert_that(f && fputs(study, f) >= 0 && fclose(f) == 0);
  char *one = run_study(path, rows, out, 1), *four = run_study(path, rows, out, THREADS);
  ck_assert_str_eq(one, four);
  assert_that(atomic_load(&stops) > 0);
  free(one), free(four);
  (void)remove(path);
  assert_that(rmdir(folder) == 0);
}
END_TEST

// What limb id, fd and eval do with a block of rows; matrices and kinematics along.
START_TEST(blocks_of_a_table)
{
  enum { N = 200, NV = 7 };
  static double q[N * NV], v[N * NV], a[N * NV], tau[2][N * NV], M[2][N * NV * NV];
  limb_model* m = NULL;
  limb_error err = {0};
  assert_ok(limb_load("panda", NULL, &m, &err));
  for (int i = 0; i < N * NV; i++) q[i] = 0.01 * (i % 97), v[i] = 0.02 * (i % 89), a[i] = 0.03 * (i % 83);
  for (int k = 0; k < 2; k++) {
    limb_threads* t = NULL;
    limb_evaluator* e = NULL;
    limb_evaluator_options o = limb_default_evaluator_options();
    assert_ok(limb_threads_create(k ? (int)THREADS : 1, NULL, &t));
    o.pool = limb_threads_pool(t);
    assert_ok(limb_evaluator_create(m, &o, NULL, &e));
    assert_ok(limb_evaluator_add(e, "tau", NULL, NULL, &err));
    assert_ok(limb_evaluator_add(e, "M", NULL, NULL, &err));
    const limb_states states = {.n = N, .q = q, .v = v, .a = a, .singly = 1};
    limb_status status[N];
    double* out[] = {tau[k], M[k]};
    assert_ok(limb_evaluator_run_many(e, &states, out, status));
    limb_evaluator_destroy(e);
    limb_threads_destroy(t);
  }
  assert_that(memcmp(tau[0], tau[1], sizeof tau[0]) == 0 && memcmp(M[0], M[1], sizeof M[0]) == 0);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("study/thread_study", 2, a_sweep, blocks_of_a_table)
