// Inputs from CSV: some columns of a table with a column time, as a signal.
#include "limb/table.h"

#include "cli.h"
#include "sim_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const size_t most_numbers = 134217728; // of one table: 1 GiB

typedef struct table_reader {
  sim_job* job;
  const limb_run_value* file;
  const char* path;
  limb_csv_reader* csv;
  int time;      // column
  int* column;   // of each that is for us
  double* row;   // as read
  double *t, *x; // what was read so far
  size_t count, room;
} table_reader;

static int out_of_memory(const table_reader* r) { return sim_out_of_memory(&r->job->plan); }

static int syntax(const table_reader* r, limb_status s, const limb_error* err)
{
  cli_print_error(stderr, r->path, s, err);
  return EXIT_USAGE;
}

// Which columns are for us; the others are told.
static int find_columns(table_reader* r, sim_table* t, sim_column_fn* where, const void* context)
{
  const int n = limb_csv_column_count(r->csv);
  int others = 0;
  const char* other = NULL;
  r->time = limb_csv_find(r->csv, "time");
  if (r->time < 0) return sim_wrong(&r->job->plan, r->file, "%s has no column time", r->path);
  r->column = calloc((size_t)n + 1, sizeof *r->column);
  t->to = calloc((size_t)n + 1, sizeof *t->to);
  r->row = sim_zeros(n);
  if (!r->column || !t->to || !r->row) return out_of_memory(r);
  for (int k = 0; k < n; k++) {
    const int to = k == r->time ? -1 : where(context, limb_csv_column(r->csv, k));
    if (to == SIM_COLUMN_NONE && k != r->time) others++, other = limb_csv_column(r->csv, k);
    if (to < 0) continue;
    r->column[t->columns] = k;
    t->to[t->columns++] = to;
  }
  if (t->columns == 0)
    return sim_wrong(&r->job->plan, r->file, "%s has no column for this, only such as '%s'", r->path,
                     other ? other : "time");
  if (others > 0 && !r->job->quiet)
    (void)fprintf(stderr, "%s:1: note: %d column%s not used, such as '%s'\n", r->path, others,
                  others == 1 ? " is" : "s are", other);
  return EXIT_FINE;
}

static int grow(table_reader* r, int columns)
{
  const size_t room = r->room ? 2 * r->room : 256, m = columns > 0 ? (size_t)columns : 1;
  if (room * (m + 1) > most_numbers)
    return sim_wrong(&r->job->plan, r->file, "%s is too large: more than %zu numbers", r->path, most_numbers);
  double* t = realloc(r->t, room * sizeof *t);
  if (t) r->t = t;
  double* x = realloc(r->x, room * m * sizeof *x);
  if (x) r->x = x;
  if (!t || !x) return out_of_memory(r);
  r->room = room;
  return EXIT_FINE;
}

static int read_rows(table_reader* r, const sim_table* t)
{
  const size_t m = (size_t)t->columns;
  int got = 1;
  while (got) {
    limb_error err = {0};
    const limb_status s = limb_csv_next(r->csv, r->row, &got, &err);
    if (s != LIMB_OK) return syntax(r, s, &err);
    if (!got) break;
    if (r->count == r->room) {
      const int code = grow(r, t->columns);
      if (code != EXIT_FINE) return code;
    }
    r->t[r->count] = r->row[r->time];
    if (r->count > 0 && !(r->t[r->count] > r->t[r->count - 1])) {
      (void)fprintf(stderr, "%s:%d: error: time %.9g does not come after %.9g\n", r->path, limb_csv_line(r->csv),
                    r->t[r->count], r->t[r->count - 1]);
      return EXIT_USAGE;
    }
    for (size_t k = 0; k < m; k++) r->x[r->count * m + k] = r->row[r->column[k]];
    r->count++;
  }
  if (r->count > 0) return EXIT_FINE;
  return sim_wrong(&r->job->plan, r->file, "%s has no rows", r->path);
}

static int make_signal(const table_reader* r, limb_signal_kind kind, sim_table* t)
{
  const limb_samples samples = {r->count, r->t, t->columns, r->x, 0};
  limb_error err = {0};
  const limb_status s = limb_signal_create(kind, &samples, NULL, &t->signal, &err);
  if (s == LIMB_E_NOMEM) return out_of_memory(r);
  if (s != LIMB_OK) return sim_wrong(&r->job->plan, r->file, "%s: %s", r->path, err.text);
  t->x = sim_zeros(t->columns), t->x1 = sim_zeros(t->columns), t->x2 = sim_zeros(t->columns);
  return t->x && t->x1 && t->x2 ? EXIT_FINE : out_of_memory(r);
}

int sim_table_open(sim_table* t, sim_job* job, const limb_run_value* file, limb_signal_kind kind, sim_column_fn* where,
                   const void* context)
{
  table_reader r = {.job = job, .file = file};
  limb_error err = {0};
  r.path = sim_beside(&job->plan, file);
  if (!r.path) return EXIT_USAGE;
  errno = 0;
  FILE* stream = fopen(r.path, "rb");
  if (!stream) return sim_wrong(&job->plan, file, "%s: %s", r.path, strerror(errno));
  if (job->ninput < SIM_INPUTS && fstat(fileno(stream), &job->input[job->ninput]) == 0) job->ninput++;
  const limb_status s = limb_csv_open(stream, NULL, &r.csv, &err);
  int code = s == LIMB_OK ? EXIT_FINE : syntax(&r, s, &err);
  if (code == EXIT_FINE) code = find_columns(&r, t, where, context);
  if (code == EXIT_FINE) code = read_rows(&r, t);
  if (code == EXIT_FINE) code = make_signal(&r, kind, t);
  limb_csv_close(r.csv);
  (void)fclose(stream);
  free(r.column);
  free(r.row);
  free(r.t);
  free(r.x);
  return code;
}

void sim_table_free(sim_table* t)
{
  limb_signal_destroy(t->signal);
  free(t->to);
  free(t->x);
  free(t->x1);
  free(t->x2);
  *t = (sim_table){0};
}
