// Cases that are handed out, and the threads that take them.
//
// A queue is a cursor over the cases of a part; what the folder has already is skipped. Workers take as many cases as
// keep them busy for a while, and fewer when few are left, so that all of them end at about the same time.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "run/sweep_impl.h"

#include "limb/batch.h"
#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// How long a worker is busy with the cases that it takes [s]; thousands of workers take more, so that whoever hands out
// answers at most 5000 times a second.
static const double busy_for = 0.2, flush_after = 0.1;

static double clock_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the queue --------------------------------------------------------------------------------------------

struct limb_sweep_queue {
  uint64_t part, parts, count, before, workers;
  unsigned char* done; // bits
  _Atomic uint64_t cursor, taken;
};

static bool is_done(const limb_sweep_queue* q, uint64_t i) { return q->done[i >> 3] >> (i & 7) & 1; }

static limb_status scan_file(const limb_sweep* s, limb_sweep_queue* q, const char* path, int resume, limb_error* err)
{
  sweep_reader* r = NULL;
  sweep_row row;
  limb_status status = limb_reader_open(s, path, &r, err);
  if (status != LIMB_OK) return status;
  const sweep_part part = limb_reader_part(r);
  const bool ours = part.parts == q->parts && part.part == q->part, none = part.parts == 0;
  if (ours && !resume)
    status = limb_fail(err, LIMB_E_ORDER, "", "%.180s has rows of this study already", path);
  else if (ours && limb_rows_is_busy(path))
    status = limb_fail(err, LIMB_E_ORDER, "", "%.180s is being written by another process", path);
  else if (!none && part.parts != q->parts)
    status = limb_fail(err, LIMB_E_ORDER, "", "%.140s is of part %llu of %llu, and this is one of %llu", path,
                       (unsigned long long)part.part, (unsigned long long)part.parts, (unsigned long long)q->parts);
  while (status == LIMB_OK && ours && limb_reader_next(r, &row)) {
    const uint64_t i = row.k / q->parts;
    if (row.k % q->parts != q->part - 1 || i >= q->count || is_done(q, i)) continue;
    q->done[i >> 3] = (unsigned char)(q->done[i >> 3] | 1U << (i & 7));
    q->before++;
  }
  limb_reader_close(r);
  return status;
}

static limb_status scan_folder(const limb_sweep* s, limb_sweep_queue* q, const limb_sweep_place* at, limb_error* err)
{
  sweep_paths p;
  if (mkdir(at->folder, 0777) != 0 && errno != EEXIST)
    return limb_fail(err, LIMB_E_IO, "", "the folder %.150s cannot be made: %s", at->folder, strerror(errno));
  limb_status status = limb_rows_list(at->folder, &p, err);
  for (int i = 0; i < p.count && status == LIMB_OK; i++) status = scan_file(s, q, p.path[i], at->resume, err);
  limb_paths_free(&p);
  return status;
}

limb_status limb_sweep_queue_create(const limb_sweep* s, const limb_sweep_place* at, limb_sweep_queue** out,
                                    limb_error* err)
{
  if (out) *out = NULL;
  if (!s || !at || !out || !at->folder)
    return limb_fail(err, LIMB_E_ARG, "", "a study, a folder and a place are needed");
  if (at->part < 1 || at->part > at->parts)
    return limb_fail(err, LIMB_E_ARG, "", "there is no part %llu of %llu", (unsigned long long)at->part,
                     (unsigned long long)at->parts);
  const uint64_t cases = limb_sweep_cases(s);
  const uint64_t count = at->part > cases ? 0 : (cases - at->part) / at->parts + 1;
  limb_sweep_queue* q = calloc(1, sizeof *q);
  unsigned char* done = calloc((size_t)(count / 8 + 1), 1);
  if (!q || !done) {
    free(q), free(done);
    return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  }
  q->part = at->part, q->parts = at->parts, q->count = count, q->done = done;
  q->workers = at->workers > 0 ? (uint64_t)at->workers : 1;
  const limb_status status = scan_folder(s, q, at, err);
  if (status == LIMB_OK)
    *out = q;
  else
    limb_sweep_queue_destroy(q);
  return status;
}

void limb_sweep_queue_destroy(limb_sweep_queue* q)
{
  if (!q) return;
  free(q->done);
  free(q);
}

uint64_t limb_sweep_queue_next(void* context, uint64_t wanted, uint64_t* first)
{
  limb_sweep_queue* q = context;
  if (!q || !first) return 0;
  uint64_t from = atomic_load(&q->cursor), begin, end;
  do {
    begin = from;
    while (begin < q->count && is_done(q, begin)) begin++;
    const uint64_t fair = (q->count - begin) / (2 * q->workers);
    const uint64_t count = wanted < fair ? wanted : fair;
    end = begin;
    while (end < q->count && !is_done(q, end) && (end == begin || end - begin < count)) end++;
  } while (!atomic_compare_exchange_weak(&q->cursor, &from, end));
  atomic_fetch_add(&q->taken, end - begin);
  *first = q->part - 1 + begin * q->parts;
  return end - begin;
}

uint64_t limb_sweep_queue_count(const limb_sweep_queue* q) { return q ? q->count : 0; }
uint64_t limb_sweep_queue_before(const limb_sweep_queue* q) { return q ? q->before : 0; }
uint64_t limb_sweep_queue_taken(const limb_sweep_queue* q) { return q ? atomic_load(&q->taken) : 0; }

// ---- workers ----------------------------------------------------------------------------------------------

typedef struct sweep_crew {
  const limb_sweep* s;
  const limb_sweep_job* job;
  limb_error* err;
  _Atomic uint64_t done;
  _Atomic int failed; // the first status that ends the crew
  atomic_flag ticking;
  double ticked;
} sweep_crew;

typedef struct sweep_worker {
  sweep_crew* crew;
  limb_sweep* s;
  sweep_rows* rows;
  double* x;
  double flushed;
} sweep_worker;

static void fail(sweep_crew* c, limb_status s, const limb_error* why)
{
  int none = LIMB_OK;
  if (!atomic_compare_exchange_strong(&c->failed, &none, (int)s)) return;
  (void)limb_fail(c->err, s, why->where, "%s", *why->text ? why->text : limb_status_text(s));
}

static int must_stop(void* context)
{
  const sweep_worker* w = context;
  const limb_sweep_job* job = w->crew->job;
  return atomic_load(&w->crew->failed) != LIMB_OK || (job->stop && job->stop(job->stop_context));
}

static void tick(sweep_crew* c, double now)
{
  if (!c->job->tick || atomic_flag_test_and_set(&c->ticking)) return;
  if (now - c->ticked > 0.1) {
    c->ticked = now;
    c->job->tick(c->job->tick_context);
  }
  atomic_flag_clear(&c->ticking);
}

static limb_status do_case(sweep_worker* w, uint64_t k, bool last, limb_error* err)
{
  limb_error why = {0};
  const limb_status failed = limb_sweep_case(w->s, k, w->x, &why);
  if (failed == LIMB_E_NOMEM) return limb_fail(err, failed, "", "out of memory");
  if (w->s->stopped) return LIMB_OK;
  const double now = clock_now();
  const bool flush = last || now - w->flushed > flush_after;
  if (flush) w->flushed = now;
  const limb_status s = limb_rows_add(w->rows, k, failed, w->x + w->s->ndimension, why.text, flush);
  if (s != LIMB_OK)
    return limb_fail(err, s, "", "rows cannot be written to %.150s: %s", w->crew->job->place.folder, strerror(errno));
  atomic_fetch_add(&w->crew->done, 1);
  tick(w->crew, now);
  return s;
}

// Takes cases until none is left.
static limb_status work(sweep_worker* w, int number, limb_error* err)
{
  const limb_sweep_job* job = w->crew->job;
  const limb_sweep_place* at = &job->place;
  uint64_t wanted = 1, first = 0, n;
  limb_status s = LIMB_OK;
  while (s == LIMB_OK && !must_stop(w) && (n = job->next(job->queue, wanted, &first)) > 0) {
    const double begin = clock_now();
    if (!w->rows) s = limb_rows_create(w->s, at->folder, at->part, at->parts, number, &w->rows, err);
    for (uint64_t i = 0; i < n && s == LIMB_OK && !must_stop(w); i++)
      s = do_case(w, first + i * at->parts, i + 1 == n, err);
    const double each = (clock_now() - begin) / (double)n;
    const double busy = busy_for * fmax(1, at->workers / 1000.0);
    wanted = each > 1e-6 ? (uint64_t)(busy / each) : 100000;
    if (wanted < 1) wanted = 1;
  }
  return s;
}

static void run_worker(void* context, int index)
{
  sweep_crew* c = context;
  sweep_worker w = {.crew = c};
  limb_error err = {0};
  limb_status s = limb_sweep_copy(c->s, &w.s, &err);
  if (s == LIMB_OK && !(w.x = calloc((size_t)limb_sweep_columns(c->s) + 1, sizeof *w.x))) s = LIMB_E_NOMEM;
  if (s == LIMB_OK) {
    limb_sweep_set_stop(w.s, must_stop, &w);
    s = work(&w, c->job->worker + index, &err);
  }
  if (s != LIMB_OK) fail(c, s, &err);
  if (limb_rows_close(w.rows) != LIMB_OK && s == LIMB_OK) {
    (void)limb_fail(&err, LIMB_E_IO, "", "rows cannot be written to %.150s: %s", c->job->place.folder, strerror(errno));
    fail(c, LIMB_E_IO, &err);
  }
  free(w.x);
  limb_sweep_close(w.s);
}

limb_status limb_sweep_run(const limb_sweep* s, const limb_sweep_job* job, uint64_t* done, limb_error* err)
{
  limb_threads* threads = NULL;
  if (done) *done = 0;
  if (!s || !job || !job->next || !job->place.folder)
    return limb_fail(err, LIMB_E_ARG, "", "a study, a queue and a folder are needed");
  limb_status status = limb_threads_create(job->threads, NULL, &threads);
  if (status != LIMB_OK) return limb_fail(err, status, "", "%d threads cannot be started", job->threads);
  const limb_pool* pool = limb_threads_pool(threads);
  sweep_crew c = {.s = s, .job = job, .err = err, .ticking = ATOMIC_FLAG_INIT};
  pool->run(pool->context, pool->threads, run_worker, &c);
  limb_threads_destroy(threads);
  if (done) *done = atomic_load(&c.done);
  return (limb_status)atomic_load(&c.failed);
}
