// Tables of a run: signals over time, and a row of states to start from.
#include "run/run_impl.h"

#include "limb/table.h"
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A table that is being read.
typedef struct source {
  const limb_runner* r;
  const limb_run_value* at; // what names it
  char* path;
  FILE* stream;
  limb_csv_reader* csv;
} source;

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static void
note(const source* t, limb_severity severity, int line, int column, const char* format, ...)
{
  char text[320];
  va_list list;
  if (!t->r->o.note) return;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const limb_finding f = {.rule = "",
                          .severity = severity,
                          .line = line,
                          .column = column,
                          .where = "",
                          .text = text,
                          .hint = "",
                          .file = ""};
  t->r->o.note(t->r->o.context, t->path, &f);
}

static void close_source(source* t)
{
  limb_csv_close(t->csv);
  if (t->stream && t->stream != stdin) (void)fclose(t->stream);
  free(t->path);
}

// What the reader of tables says.
static limb_status refuse(const source* t, limb_status s, const limb_error* err)
{
  if (s == LIMB_E_NOMEM) return limb_run_no_memory(t->r);
  const char* why = *err->text ? err->text : limb_status_text(s);
  char column[32] = "";
  note(t, LIMB_ERROR, err->line, err->column, "%s", why);
  if (err->line > 0 && err->column > 0) (void)snprintf(column, sizeof column, ":%d", err->column);
  if (err->line > 0) return limb_run_wrong(t->r->err, t->at, "%s:%d%s: %s", t->path, err->line, column, why);
  return limb_run_wrong(t->r->err, t->at, "%s: %s", t->path, why);
}

static limb_status open_source(source* t, const limb_runner* r, const limb_run_value* at)
{
  limb_error err = {0};
  const size_t size = limb_run_path(r->o.path, at, NULL, 0) + 1;
  *t = (source){.r = r, .at = at, .path = malloc(size)};
  if (!t->path) return limb_run_no_memory(r);
  (void)limb_run_path(r->o.path, at, t->path, size);
  errno = 0;
  t->stream = strcmp(t->path, "-") == 0 ? stdin : fopen(t->path, "rb");
  if (!t->stream) return limb_run_wrong(r->err, at, "%s: %s", t->path, strerror(errno));
  const limb_status s = limb_csv_open(t->stream, NULL, &t->csv, &err);
  return s == LIMB_OK ? s : refuse(t, s, &err);
}

static void warn_of_end(const source* t)
{
  if (limb_csv_unended(t->csv))
    note(t, LIMB_WARNING, limb_csv_line(t->csv), 0,
         "the last line does not end: its last number may have been cut off");
}

// ---- signals -----------------------------------------------------------------------------------------------

// Finds the columns for us; a note names the others. column: of the table, for each of ours
static limb_status find_columns(const source* s, run_column_fn* where, const void* context, run_table* t, int* time,
                                int* column)
{
  const int n = limb_csv_column_count(s->csv);
  int others = 0;
  const char* other = NULL;
  *time = limb_csv_find(s->csv, "time");
  if (*time < 0) return limb_run_wrong(s->r->err, s->at, "%s has no column time", s->path);
  for (int k = 0; k < n; k++) {
    const int to = k == *time ? -1 : where(context, limb_csv_column(s->csv, k));
    if (to == RUN_COLUMN_NONE && k != *time) others++, other = limb_csv_column(s->csv, k);
    if (to < 0) continue;
    column[t->columns] = k;
    t->to[t->columns++] = to;
  }
  if (t->columns == 0)
    return limb_run_wrong(s->r->err, s->at, "%s has no suitable column, only others such as '%s'", s->path,
                          other ? other : "time");
  if (others > 0)
    note(s, LIMB_NOTE, 1, 0, "%d column%s not used, such as '%s'", others, others == 1 ? " is" : "s are", other);
  return LIMB_OK;
}

static limb_status make_signal(const source* from, const limb_table* data, limb_signal_kind kind, run_table* t)
{
  const limb_samples samples = {.count = data->rows, .time = data->time, .columns = t->columns, .value = data->value};
  limb_error err = {0};
  const limb_status s = limb_signal_create(kind, &samples, NULL, &t->signal, &err);
  if (s != LIMB_OK && s != LIMB_E_NOMEM) return limb_run_wrong(from->r->err, from->at, "%s: %s", from->path, err.text);
  t->x = limb_run_zeros(t->columns), t->x1 = limb_run_zeros(t->columns), t->x2 = limb_run_zeros(t->columns);
  return s == LIMB_OK && t->x && t->x1 && t->x2 ? LIMB_OK : limb_run_no_memory(from->r);
}

static limb_status read_signal(source* from, run_table* t, limb_signal_kind kind, run_column_fn* where,
                               const void* context)
{
  const size_t n = (size_t)limb_csv_column_count(from->csv) + 1;
  int time = -1, *column = calloc(n, sizeof *column);
  limb_table data = {0};
  limb_error err = {0};
  t->to = calloc(n, sizeof *t->to);
  limb_status s = column && t->to ? find_columns(from, where, context, t, &time, column) : limb_run_no_memory(from->r);
  if (s == LIMB_OK) {
    s = limb_table_read(from->csv, time, t->columns, column, &data, &err);
    if (s == LIMB_OK) warn_of_end(from);
    s = s == LIMB_OK ? make_signal(from, &data, kind, t) : refuse(from, s, &err);
  }
  free(column);
  limb_table_free(&data);
  return s;
}

limb_status limb_run_table_open(run_table* t, const limb_runner* r, const limb_run_value* file, limb_signal_kind kind,
                                run_column_fn* where, const void* context)
{
  source from;
  limb_status s = open_source(&from, r, file);
  if (s == LIMB_OK) s = read_signal(&from, t, kind, where, context);
  close_source(&from);
  return s;
}

void limb_run_table_free(run_table* t)
{
  limb_signal_destroy(t->signal);
  free(t->to);
  free(t->x);
  free(t->x1);
  free(t->x2);
  *t = (run_table){0};
}

// ---- states ------------------------------------------------------------------------------------------------

static int column_of(const source* t, const char* group, const char* joint)
{
  char name[160];
  (void)snprintf(name, sizeof name, "%s.%s", group, joint);
  return limb_csv_find(t->csv, name);
}

static limb_status take_row(const source* t, const double* x, unsigned char* has_q, unsigned char* has_v, double* time)
{
  const limb_runner* r = t->r;
  const int at = limb_csv_find(t->csv, "time");
  int moves = 0;
  for (int k = 0; k < r->nv; k++) {
    const int column = column_of(t, "v", r->dv[k].name);
    if (column >= 0) r->v[k] = x[column], has_v[k] = 1, moves = 1;
  }
  for (int k = 0; k < r->nq; k++) {
    const int column = column_of(t, "q", r->dq[k].name);
    if (column >= 0) r->q[k] = x[column], has_q[k] = 1;
  }
  if (at >= 0) *time = x[at];
  const char* missing = NULL;
  int any = 0;
  for (int k = 0; k < r->nq; k++) any |= has_q[k];
  for (int k = r->nv - 1; k >= 0 && moves; k--)
    if (!has_v[k]) missing = r->dv[k].name;
  if (missing && limb_loop_count(r->model) == 0)
    return limb_run_wrong(r->err, t->at, "%s: the start needs the v. columns; v.%s is missing", t->path, missing);
  for (int k = r->nq - 1; k >= 0; k--)
    if (!has_q[k]) missing = r->dq[k].name;
  if (missing && (limb_loop_count(r->model) == 0 || !any))
    return limb_run_wrong(r->err, t->at, "%s: the start needs the q. columns; q.%s is missing", t->path, missing);
  return LIMB_OK;
}

static limb_status find_row(const source* t, const limb_run_value* at_row, uint64_t row, double* x)
{
  limb_error err = {0};
  int got = 1;
  for (uint64_t i = 0; i < row; i++) {
    const limb_status s = limb_csv_next(t->csv, x, &got, &err);
    if (s != LIMB_OK) return refuse(t, s, &err);
    if (!got)
      return limb_run_wrong(t->r->err, at_row->text ? at_row : t->at, "%s has %llu rows", t->path,
                            (unsigned long long)i);
  }
  warn_of_end(t);
  return LIMB_OK;
}

limb_status limb_run_state_row(const limb_runner* r, const limb_run_value* file, const limb_run_value* at_row,
                               uint64_t row, unsigned char* has_q, unsigned char* has_v, double* time)
{
  source from;
  double* x = NULL;
  limb_status s = open_source(&from, r, file);
  if (s == LIMB_OK) x = limb_run_zeros(limb_csv_column_count(from.csv));
  if (s == LIMB_OK && !x) s = limb_run_no_memory(r);
  if (s == LIMB_OK) s = find_row(&from, at_row, row, x);
  if (s == LIMB_OK) s = take_row(&from, x, has_q, has_v, time);
  free(x);
  close_source(&from);
  return s;
}
