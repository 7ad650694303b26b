// Rows in blocks: long tables are read a few thousand rows at a time, and computed by limb_evaluator_run_many on the
// threads of its pool. Order and bits are those of one row after the other, which is how rows go that need more than an
// evaluator: loops to be closed, wrenches and motions of the base by row. Blocks last a twentieth of a second at most,
// so that Ctrl-C is heard soon.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "base/output.h"
#include "states/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 4096, NUMBERS = 1 << 21, INPUTS = 6 }; // of a block, at most
static const double block_lasts = 0.05;              // s

const cli_option cli_thread_options[] = {
  {"", NULL, "long tables"},
  {"threads", "N", "threads that compute them (default: 0, one per processor)"},
  {"resume", NULL,
   "go on with OUTPUT.part, the rows of a run that was stopped (docs/scale.md); begins if there is none"},
  {0},
};

int cli_threads_open(cli_states* s, limb_threads** out)
{
  double n = 0;
  const int code = cli_whole(s->args, "threads", 0, CLI_THREADS_MAX, &n);
  *out = NULL;
  if (code == EXIT_FINE && n != 1) (void)!limb_threads_create((int)n, NULL, out); // without: the caller's alone
  s->pool = limb_threads_pool(*out);
  if (s->reader) (void)!limb_csv_set_pool(s->reader, s->pool); // without memory: one after the other
  return code;
}

// ---- a block ---------------------------------------------------------------------------------------

typedef struct block {
  cli_states* s;
  limb_evaluator* e;
  const limb_environment* env;
  size_t capacity, rows, full; // full: rows that are read, as many as last for block_lasts
  int items;
  double* input[INPUTS]; // q, v, a, tau, v_r, a_r: capacity rows each
  double* time;
  uint64_t* count;
  int* line;
  double** out; // items
  limb_status* status;
  double* x; // of one row
} block;

static double** input_at(cli_states* s, int k)
{
  double** const at[INPUTS] = {&s->q, &s->v, &s->a, &s->tau, &s->v_r, &s->a_r};
  return at[k];
}

static size_t width_of(const block* b, int k) { return (size_t)(k == 0 ? b->s->dofs->nq : b->s->dofs->nv); }

static int may_block(const cli_states* s, const limb_model* m)
{
  if (!s->reader || s->completion || s->nwrench > 0 || s->given.mark || s->base.mark || limb_loop_count(m) > 0)
    return 0;
  for (int k = 0; k < 12; k++)
    if (s->base_column[k] >= 0) return 0;
  return 1;
}

static void close_block(block* b)
{
  for (int k = 0; k < INPUTS; k++) free(b->input[k]);
  for (int k = 0; b->out && k < b->items; k++) free(b->out[k]);
  free(b->out), free(b->time), free(b->count), free(b->line), free(b->status), free(b->x);
}

// 0: the rows are too wide, or memory is short: one row after the other.
static int open_block(block* b)
{
  const size_t width = limb_evaluator_width(b->e) + 1;
  b->capacity = NUMBERS / width < ROWS ? NUMBERS / width : (size_t)ROWS;
  b->items = limb_evaluator_count(b->e);
  if (b->capacity < 64) return 0;
  b->full = 64;
  b->out = calloc((size_t)b->items + 1, sizeof *b->out);
  b->time = calloc(b->capacity, sizeof *b->time);
  b->count = calloc(b->capacity, sizeof *b->count);
  b->line = calloc(b->capacity, sizeof *b->line);
  b->status = calloc(b->capacity, sizeof *b->status);
  b->x = calloc(width, sizeof *b->x);
  int fine = b->out && b->time && b->count && b->line && b->status && b->x;
  for (int k = 0; k < INPUTS && fine; k++)
    if (b->s->wanted & states_bit(k)) fine = (b->input[k] = calloc(b->capacity * width_of(b, k) + 1, 8)) != NULL;
  for (int k = 0; k < b->items && fine; k++) {
    limb_item item = {0};
    fine = limb_evaluator_get(b->e, k, &item) == LIMB_OK &&
           (b->out[k] = calloc(b->capacity * item.size + 1, sizeof **b->out)) != NULL;
  }
  return fine;
}

// Reads rows until the block is full; *got 0: the table has ended.
static int fill(block* b, int* got)
{
  cli_states* s = b->s;
  int code = EXIT_FINE;
  for (b->rows = 0; b->rows < b->full; b->rows++) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, got);
    if (code != EXIT_FINE || !*got) return code;
    const size_t i = b->rows;
    for (int k = 0; k < INPUTS; k++)
      if (b->input[k]) memcpy(b->input[k] + i * width_of(b, k), *input_at(s, k), width_of(b, k) * sizeof(double));
    b->time[i] = s->time, b->count[i] = s->count, b->line[i] = s->line;
  }
  return code;
}

// Makes a row of the block the row at hand, with its numbers in x.
static void take_row(block* b, size_t i)
{
  cli_states* s = b->s;
  for (int k = 0; k < INPUTS; k++)
    if (b->input[k]) memcpy(*input_at(s, k), b->input[k] + i * width_of(b, k), width_of(b, k) * sizeof(double));
  s->time = b->time[i], s->count = b->count[i], s->line = b->line[i];
  for (int k = 0; k < b->items; k++) {
    limb_item item;
    if (limb_evaluator_get(b->e, k, &item) == LIMB_OK)
      memcpy(b->x + item.offset, b->out[k] + i * item.size, item.size * sizeof(double));
  }
}

static int use_rows(block* b, cli_row_fn* row, void* context)
{
  const limb_states all = {.n = b->rows,
                           .q = b->input[0],
                           .v = b->input[1],
                           .a = b->input[2],
                           .tau = b->input[3],
                           .v_r = b->input[4],
                           .a_r = b->input[5],
                           .time = b->s->has_time ? b->time : NULL,
                           .env = b->env,
                           .singly = 1};
  int code = EXIT_FINE;
  for (size_t i = 0; i < b->rows; i++) b->status[i] = LIMB_OK;
  const limb_status s = b->rows > 0 ? limb_evaluator_run_many(b->e, &all, b->out, b->status) : LIMB_OK;
  const int none = s == LIMB_E_ARG || s == LIMB_E_NOMEM; // nothing was computed
  for (size_t i = 0; i < b->rows && code == EXIT_FINE; i++) {
    take_row(b, i);
    code = row(context, none || b->status[i] != LIMB_OK ? NULL : b->x);
    b->s->written += code == EXIT_FINE;
  }
  return code;
}

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// How many rows the next block has, after one that took so long.
static void choose_size(block* b, double took)
{
  const double rows = took > 0 ? (double)b->rows * block_lasts / took : ROWS;
  const size_t max = 4 * b->full < b->capacity ? 4 * b->full : b->capacity;
  b->full = rows < 1 ? 1 : rows < (double)max ? (size_t)rows : max;
}

static void show(cli_progress* progress, const cli_states* s)
{
  progress->counted = (double)(s->written - (s->kept ? s->kept->rows : 0));
  cli_progress_update(progress, cli_states_bytes(s));
}

static int flush_sometimes(cli_states* s)
{
  return s->kept && cli_kept_is_due(s->kept) ? s->take(s->take_context, NULL) : EXIT_FINE;
}

static int stream_blocks(block* b, cli_row_fn* row, void* context, cli_progress* progress)
{
  int code = EXIT_FINE, read = EXIT_FINE, got = 1;
  while (code == EXIT_FINE && read == EXIT_FINE && got) {
    read = fill(b, &got);
    const cli_states ahead = *b->s; // where reading goes on
    const double begin = now();
    code = cli_interrupted() ? EXIT_USAGE : use_rows(b, row, context);
    choose_size(b, now() - begin);
    b->s->time = ahead.time, b->s->count = ahead.count, b->s->line = ahead.line;
    show(progress, b->s);
    if (code == EXIT_FINE) code = flush_sometimes(b->s);
  }
  return code == EXIT_FINE ? read : code;
}

static int stream_rows(cli_states* s, cli_row_fn* row, void* context, cli_progress* progress)
{
  int code = EXIT_FINE, got = 0;
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, &got);
    if (code != EXIT_FINE || !got) break;
    code = row(context, NULL);
    s->written += code == EXIT_FINE;
    show(progress, s);
    if (code == EXIT_FINE) code = flush_sometimes(s);
  }
  return code;
}

// The rows of an earlier run (resume.c).
static int take_over(cli_states* s, cli_row_fn* row, void* context)
{
  cli_kept* k = s->kept;
  const double* theirs = NULL;
  int got = 0;
  for (;;) {
    int code = cli_interrupted() ? EXIT_USAGE : cli_kept_next(k, &theirs);
    if (code != EXIT_FINE || !theirs) return code;
    code = cli_states_next(s, &got);
    if (code == EXIT_FINE && got && k->check) code = row(context, NULL);
    k->check = 0;
    if (code == EXIT_FINE && got) code = s->take(s->take_context, theirs);
    s->written++;
    if (code == EXIT_FINE) code = cli_kept_over(k, got);
    if (code != EXIT_FINE) return code;
  }
}

int cli_states_stream(cli_states* s, limb_evaluator* e, const limb_environment* env, cli_row_fn* row, void* context)
{
  cli_progress progress = cli_progress_begin("rows", s->bytes);
  block b = {.s = s, .e = e, .env = env};
  progress.unit = "rows";
  int code = s->kept && s->kept->more ? take_over(s, row, context) : EXIT_FINE;
  if (code == EXIT_FINE && s->written > 0) cli_progress_skip(&progress, cli_states_bytes(s));
  if (code == EXIT_FINE) {
    const int blocks = may_block(s, s->model) && open_block(&b);
    code = blocks ? stream_blocks(&b, row, context, &progress) : stream_rows(s, row, context, &progress);
  }
  close_block(&b);
  cli_progress_end(&progress);
  return code;
}
