// The measuring loop.
//
// Machines are shared and change their clock, so a long average says little. A row is run in slices
// of about 0.1 ms; in every round each row has its turn, and so has the yardstick. What a row can
// do is its best slice; rows that stand side by side in the report were measured side by side. Each
// slice is led in by some calls that are not timed, which bring the row's own data back into the
// caches.
#if defined(__linux__)
#define _GNU_SOURCE // sched_setaffinity
#include <sched.h>
#else
#define _POSIX_C_SOURCE 200809L
#endif

#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const double slice_ns = 1e5; // aim; at most 150 us unless one call takes longer
// Slices beyond this are timed by the clock of the thread, unless there are several.
static const double switch_ns = 1e6;

void bench_pin(void)
{
#if defined(__linux__)
  const int cpu = sched_getcpu();
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  (void)sched_setaffinity(0, sizeof set, &set);
#endif
}

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void call(bench_row* r, int count)
{
  const int mask = r->states->count - 1;
  r->library->run[r->kernel](r->self, r->next, count);
  r->next = (r->next + count) & mask;
}

// Doubles the calls until they take long enough to judge, then sets the size of the slice.
static void calibrate(bench_row* r)
{
  double t = 0;
  call(r, 1);
  for (r->count = 1; r->count < 1 << 20; r->count *= 2) {
    const double start = now(CLOCK_MONOTONIC);
    call(r, r->count);
    t = now(CLOCK_MONOTONIC) - start;
    if (t > slice_ns / 4) break;
  }
  const double fit = slice_ns * r->count / t;
  r->count = fit < 1 ? 1 : (int)fit;
  r->best = t / r->count / r->each;
}

static void slice(bench_row* r, int room)
{
  const double begin = now(CLOCK_MONOTONIC);
  call(r, 1 + r->count / 4);
  const int alone = r->library->mode != BENCH_THREADED;
  const int cpu_time = alone && r->best * r->count * r->each > switch_ns;
  const clockid_t clock = cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const double start = now(clock);
  call(r, r->count);
  const double t = (now(clock) - start) / r->count / r->each;
  if (!r->nsample || t < r->best) r->best = t;
  if (r->nsample < room) r->sample[r->nsample++] = t;
  r->spent += now(CLOCK_MONOTONIC) - begin;
}

static double rate_of(bench_yardstick y, volatile double* sink)
{
  *sink = y.block();
  const double start = now(CLOCK_MONOTONIC);
  *sink = y.block();
  return y.operations / (now(CLOCK_MONOTONIC) - start);
}

// One round: the yardsticks, and every row once. A slow row sits out until its share of the time has come.
static void measure_round(bench_row* rows, int n, double allowed, const bench_yardstick* sticks, double* rate, int room)
{
  volatile double sink = 0;
  for (int u = 0; u < BENCH_UNITS; u++) rate[u] = fmax(rate[u], rate_of(sticks[u], &sink));
  for (int i = 0; i < n; i++)
    if (rows[i].spent <= allowed) slice(&rows[i], room);
}

static int ascending(const void* a, const void* b)
{
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int bench_measure(bench_row* rows, int n, const bench_measuring* how, double rate[BENCH_UNITS])
{
  const double share = how->seconds * 1e9 / (n > 0 ? n : 1);
  const int rounds = share > 3 * slice_ns ? (int)(share / (1.5 * slice_ns)) : 2;
  bench_yardstick sticks[BENCH_UNITS];
  int ok = 1;
  for (int u = 0; u < BENCH_UNITS; u++) {
    sticks[u] = bench_yardstick_of((bench_unit)u, how->isa);
    rate[u] = 0;
  }
  for (int i = 0; i < n; i++) {
    rows[i].sample = calloc((size_t)rounds, sizeof(double));
    ok = ok && rows[i].sample;
  }
  for (int i = 0; i < n && ok; i++) calibrate(&rows[i]);
  for (int k = 0; k < rounds && ok; k++) {
    measure_round(rows, n, share * k / rounds, sticks, rate, rounds);
    if (how->progress) how->progress(how->context, (double)(k + 1) / rounds);
  }
  for (int i = 0; i < n; i++) {
    bench_row* r = &rows[i];
    if (ok) {
      qsort(r->sample, (size_t)r->nsample, sizeof(double), ascending);
      r->median = r->sample[r->nsample / 2];
    }
    free(r->sample);
    r->sample = NULL;
  }
  return ok ? 0 : -1;
}
