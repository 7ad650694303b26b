// Tables of `limb ik`: row after row, each from the solution of the one before, or all from the start on threads.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "base/output.h"
#include "commands/ik.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 4096, ROWS_FIRST = 16 };  // of a block on threads
static const double block_lasts = 0.05; // s: Ctrl-C is heard between blocks

typedef struct ik_rows {
  ik_run* r;
  limb_csv_writer* w;
  cli_progress progress;
} ik_rows;

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- rows ------------------------------------------------------------------------------------------

static int put(const ik_rows* x, limb_status s)
{
  if (s == LIMB_OK) s = limb_csv_end_row(x->w);
  return s == LIMB_OK ? EXIT_FINE : cli_unwritten(cli_title(x->r->args), "the CSV", limb_status_text(s));
}

static int write_row(ik_rows* x, const double* q)
{
  const ik_run* r = x->r;
  limb_status s = r->time_column < 0 ? LIMB_OK : limb_csv_number(x->w, r->time);
  if (s == LIMB_OK) s = limb_csv_numbers(x->w, q, r->robot.dofs.nq);
  x->r->written++;
  return put(x, s);
}

static int write_head(const ik_rows* x)
{
  const limb_status s = x->r->time_column < 0 ? LIMB_OK : limb_csv_text(x->w, "time");
  return put(x, s == LIMB_OK ? cli_csv_coordinates(x->w, &x->r->robot.dofs) : s);
}

// Between rows.
static int pause_rows(ik_rows* x)
{
  ik_run* r = x->r;
  x->progress.counted = (double)((uint64_t)r->written - r->kept.rows);
  cli_progress_update(&x->progress, limb_csv_bytes(r->reader));
  if (!cli_kept_is_due(&r->kept)) return EXIT_FINE;
  const limb_status s = limb_csv_finish(x->w);
  return s == LIMB_OK ? EXIT_FINE : cli_unwritten(cli_title(r->args), "the CSV", limb_status_text(s));
}

static int next_target(ik_run* r, int* got) { return cli_interrupted() ? EXIT_USAGE : ik_targets_next(r, got); }

// ---- of an earlier run -----------------------------------------------------------------------------

// Random starts differ by the number of the row, from 0: a solver for rows from this one on.
static limb_status begin_at(ik_run* r, int row)
{
  limb_ik* ik = NULL;
  r->options.first = (uint64_t)row;
  const limb_status s = limb_ik_create(r->robot.model, r->frames, r->goal, &r->options, NULL, &ik);
  if (s != LIMB_OK) return s;
  limb_ik_destroy(r->ik);
  r->ik = ik;
  return s;
}

// What this run finds for a row of it.
static int compare(ik_run* r)
{
  const int first = r->time_column >= 0;
  double* mine = calloc((size_t)r->robot.dofs.nq + 2, sizeof *mine);
  if (!mine) return cli_out_of_memory(r->args);
  limb_status s = r->threads ? begin_at(r, r->rows - 1) : LIMB_OK;
  if (s == LIMB_OK && r->threads)
    s = limb_ik_solve_many(r->ik, 1, r->target, r->start, 1, mine + first, &r->report, NULL);
  else if (s == LIMB_OK)
    s = limb_ik_solve(r->ik, r->target, r->start, mine + first, &r->report);
  mine[0] = first ? r->time : mine[0];
  const int code = s == LIMB_OK ? cli_kept_same(&r->kept, mine) : s == LIMB_E_NOCONV ? ik_explain(r) : ik_failed(r, s);
  free(mine);
  return code;
}

static int take_over(ik_rows* x)
{
  ik_run* r = x->r;
  const size_t nq = (size_t)r->robot.dofs.nq;
  const int first = r->time_column >= 0;
  const double* theirs = NULL;
  int got = 0;
  for (;;) {
    int code = cli_kept_next(&r->kept, &theirs);
    if (code != EXIT_FINE || !theirs) return code;
    code = next_target(r, &got);
    if (code == EXIT_FINE && got && r->kept.check) code = compare(r);
    if (code == EXIT_FINE && got) code = write_row(x, theirs + first);
    if (!r->threads) memcpy(r->start, theirs + first, nq * sizeof *theirs);
    if (code == EXIT_FINE) code = cli_kept_over(&r->kept, got);
    if (code != EXIT_FINE) return code;
  }
}

// ---- one after the other ---------------------------------------------------------------------------

static int solve_rows(ik_rows* x)
{
  ik_run* r = x->r;
  char position[IK_POSITION];
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    code = next_target(r, &got);
    if (code != EXIT_FINE || !got) break;
    const limb_status s = limb_ik_solve(r->ik, r->target, r->start, r->q, &r->report);
    if (s == LIMB_E_NOCONV) return ik_explain(r);
    if (s != LIMB_OK) return ik_failed(r, s);
    if (r->written > 0 && r->report.starts > 1)
      (void)fprintf(stderr, "%s: warning: cannot be reached continuously from the row before\n",
                    ik_position(r, position));
    memcpy(r->start, r->q, (size_t)r->robot.dofs.nq * sizeof *r->q);
    code = write_row(x, r->q);
    if (code == EXIT_FINE) code = pause_rows(x);
  }
  return code;
}

// ---- apart, on threads -----------------------------------------------------------------------------

typedef struct ik_block {
  int rows, full; // full: rows that are read
  sp_pose* target;
  double *time, *q;
  int* line;
  limb_status* status;
} ik_block;

static int open_block(const ik_run* r, ik_block* b)
{
  *b = (ik_block){.full = ROWS_FIRST,
                  .target = calloc((size_t)ROWS * (size_t)r->frames, sizeof *b->target),
                  .time = calloc(ROWS, sizeof *b->time),
                  .q = calloc((size_t)ROWS * (size_t)r->robot.dofs.nq, sizeof *b->q),
                  .line = calloc(ROWS, sizeof *b->line),
                  .status = calloc(ROWS, sizeof *b->status)};
  return b->target && b->time && b->q && b->line && b->status;
}

static void close_block(ik_block* b) { free(b->target), free(b->time), free(b->q), free(b->line), free(b->status); }

static int fill(ik_run* r, ik_block* b, int* got)
{
  const size_t n = (size_t)r->frames;
  int code = EXIT_FINE;
  for (b->rows = 0; b->rows < b->full; b->rows++) {
    code = next_target(r, got);
    if (code != EXIT_FINE || !*got) return code;
    memcpy(b->target + (size_t)b->rows * n, r->target, n * sizeof *b->target);
    b->time[b->rows] = r->time, b->line[b->rows] = r->line;
  }
  return code;
}

// Row by row, what limb_ik_solve_many found; the first that was not reached is explained.
static int write_block(ik_rows* x, ik_block* b)
{
  ik_run* r = x->r;
  const int before = r->rows - b->rows;
  int code = EXIT_FINE;
  for (int i = 0; i < b->rows && code == EXIT_FINE; i++) {
    r->time = b->time[i];
    if (b->status[i] == LIMB_OK) {
      code = write_row(x, b->q + (ptrdiff_t)i * r->robot.dofs.nq);
      continue;
    }
    const limb_status s = limb_ik_solve(r->ik, b->target + (ptrdiff_t)i * r->frames, r->start, r->q, &r->report);
    if (s != LIMB_OK && s != LIMB_E_NOCONV) return ik_failed(r, s);
    r->line = b->line[i], r->rows = before + i + 1;
    code = s == LIMB_OK ? write_row(x, r->q) : ik_explain(r);
  }
  return code;
}

static void choose_size(ik_block* b, double took)
{
  const double fits = took > 0 ? b->rows * block_lasts / took : ROWS;
  const int max = 4 * b->full < ROWS ? 4 * b->full : ROWS;
  b->full = fits < 1 ? 1 : fits < max ? (int)fits : max;
}

static int solve_apart(ik_rows* x)
{
  ik_run* r = x->r;
  ik_block b;
  int got = 1, code = open_block(r, &b) ? EXIT_FINE : cli_out_of_memory(r->args);
  while (code == EXIT_FINE && got) {
    code = fill(r, &b, &got);
    if (code != EXIT_FINE || b.rows == 0) break;
    const double begin = now();
    limb_status s = begin_at(r, r->rows - b.rows);
    if (s != LIMB_OK) code = ik_failed(r, s);
    if (code != EXIT_FINE) break;
    s = limb_ik_solve_many(r->ik, (size_t)b.rows, b.target, r->start, 1, b.q, NULL, b.status);
    code = s == LIMB_E_ARG || s == LIMB_E_NOMEM ? ik_failed(r, s) : write_block(x, &b);
    choose_size(&b, now() - begin);
    if (code == EXIT_FINE) code = pause_rows(x);
  }
  close_block(&b);
  return code;
}

// ---- the table -------------------------------------------------------------------------------------

static int solve_table(ik_rows* x, cli_output* file)
{
  ik_run* r = x->r;
  int code = EXIT_FINE;
  if (file && cli_has(r->args, "resume") && limb_csv_finish(x->w) != LIMB_OK)
    return cli_unwritten(cli_title(r->args), "the CSV", limb_status_text(LIMB_E_IO));
  if (file) code = cli_kept_open(&r->kept, r->args, file, r->repeats);
  if (code == EXIT_FINE && r->kept.more) code = take_over(x);
  x->progress = cli_progress_begin("poses", r->bytes);
  x->progress.unit = "poses";
  if (r->written > 0) cli_progress_skip(&x->progress, limb_csv_bytes(r->reader));
  if (code == EXIT_FINE) code = r->threads ? solve_apart(x) : solve_rows(x);
  cli_progress_end(&x->progress);
  return code;
}

int ik_print_csv(ik_run* r, FILE* out, cli_output* file)
{
  ik_rows x = {.r = r};
  if (limb_csv_create(out, NULL, &x.w) != LIMB_OK) return cli_out_of_memory(r->args);
  int code = write_head(&x);
  if (code == EXIT_FINE && r->path) code = solve_table(&x, file);
  for (int i = 0; i < r->count && code == EXIT_FINE; i++)
    code = write_row(&x, r->q + (size_t)i * (size_t)r->robot.dofs.nq);
  const limb_status s = limb_csv_finish(x.w);
  limb_csv_destroy(x.w);
  if (s != LIMB_OK && code == EXIT_FINE) return cli_unwritten(cli_title(r->args), "the CSV", limb_status_text(s));
  return code;
}
