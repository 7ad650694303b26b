// The table of a study: the files of rows, each in rising order, merged by case.
#define _XOPEN_SOURCE 700 // getrlimit

#include "run/sweep_impl.h"

#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { OWN = 3 }; // columns before those of the study: case, status, reason

// ---- merging ----------------------------------------------------------------------------------------------

typedef struct merged_file {
  sweep_reader* reader;
  sweep_row row; // the next one
} merged_file;

// A heap of files by their next case.
typedef struct merger {
  int count;
  merged_file* heap;
  uint64_t parts;
} merger;

static void sink(merger* m, int i)
{
  for (int child; (child = 2 * i + 1) < m->count; i = child) {
    if (child + 1 < m->count && m->heap[child + 1].row.k < m->heap[child].row.k) child++;
    if (m->heap[i].row.k <= m->heap[child].row.k) return;
    const merged_file x = m->heap[i];
    m->heap[i] = m->heap[child], m->heap[child] = x;
  }
}

// Goes on in the first file of the heap.
static void step(merger* m)
{
  if (!limb_reader_next(m->heap[0].reader, &m->heap[0].row)) {
    limb_reader_close(m->heap[0].reader);
    m->heap[0] = m->heap[--m->count];
  }
  sink(m, 0);
}

static void close_all(merger* m)
{
  for (int i = 0; i < m->count; i++) limb_reader_close(m->heap[i].reader);
  free(m->heap);
}

static void allow_files(int count)
{
  struct rlimit limit;
  const rlim_t needed = (rlim_t)count + 64;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static limb_status open_all(merger* m, const limb_sweep* s, const char* folder, limb_error* err)
{
  sweep_paths p;
  *m = (merger){.parts = 1};
  limb_status status = limb_rows_list(folder, &p, err);
  if (status == LIMB_OK && !(m->heap = calloc((size_t)p.count + 1, sizeof *m->heap))) status = LIMB_E_NOMEM;
  allow_files(p.count);
  for (int i = 0; i < p.count && status == LIMB_OK; i++) {
    merged_file f = {0};
    status = limb_reader_open(s, p.path[i], &f.reader, err);
    if (status != LIMB_OK) break;
    const sweep_part part = limb_reader_part(f.reader);
    if (part.parts > m->parts) m->parts = part.parts;
    if (limb_reader_next(f.reader, &f.row))
      m->heap[m->count++] = f;
    else
      limb_reader_close(f.reader);
  }
  limb_paths_free(&p);
  for (int i = m->count / 2; i >= 0; i--) sink(m, i);
  return status;
}

// ---- counting ---------------------------------------------------------------------------------------------

static limb_status count_rows(const limb_sweep* s, const char* folder, limb_sweep_state* x, uint64_t** by_part,
                              uint64_t* parts, limb_error* err)
{
  merger m;
  uint64_t next = 0; // case that is expected
  limb_status status = open_all(&m, s, folder, err);
  *parts = m.parts;
  if (status == LIMB_OK && !(*by_part = calloc((size_t)m.parts + 1, sizeof **by_part))) status = LIMB_E_NOMEM;
  *x = (limb_sweep_state){.first_missing = s->cases};
  for (; status == LIMB_OK && m.count > 0; step(&m)) {
    const sweep_row* row = &m.heap[0].row;
    if (row->k < next || row->k >= s->cases) continue; // a second time
    if (row->k > next && x->first_missing == s->cases) x->first_missing = next;
    next = row->k + 1;
    x->rows++, (*by_part)[row->k % m.parts]++;
    if (row->failed && x->failed++ == 0) (void)snprintf(x->reason, sizeof x->reason, "%s", row->why);
  }
  x->missing = s->cases - x->rows;
  if (next < s->cases && x->first_missing == s->cases) x->first_missing = next;
  if (x->missing == 0) x->first_missing = 0;
  close_all(&m);
  return status;
}

static limb_status report_missing(const limb_sweep* s, const limb_sweep_state* x, const uint64_t* by_part,
                                  uint64_t parts, limb_error* err)
{
  char list[160] = "";
  size_t used = 0;
  for (uint64_t p = 0; p < parts && parts > 1 && used < sizeof list - 40; p++) {
    const uint64_t all = p < s->cases ? (s->cases - 1 - p) / parts + 1 : 0;
    if (by_part[p] < all)
      used += (size_t)snprintf(list + used, sizeof list - used, "%spart %llu has %llu of %llu", used ? ", " : ": ",
                               (unsigned long long)p + 1, (unsigned long long)by_part[p], (unsigned long long)all);
  }
  return limb_fail(err, LIMB_E_ORDER, "", "%llu of %llu cases are missing, the first is %llu%s%s",
                   (unsigned long long)x->missing, (unsigned long long)s->cases, (unsigned long long)x->first_missing,
                   list, used >= sizeof list - 40 ? " ..." : "");
}

// ---- writing ----------------------------------------------------------------------------------------------

static limb_status open_table(const limb_sweep* s, const char* path, limb_table_format format, limb_table_writer** w,
                              limb_error* err)
{
  const int columns = OWN + s->ncolumn;
  limb_table_column* column = calloc((size_t)columns, sizeof *column);
  if (!column) return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  column[0] = (limb_table_column){"case", "", LIMB_TABLE_INTEGER};
  column[1] = (limb_table_column){"status", "", LIMB_TABLE_INTEGER};
  column[2] = (limb_table_column){"reason", "", LIMB_TABLE_TEXT};
  for (int k = 0; k < s->ncolumn; k++)
    column[OWN + k] = (limb_table_column){s->column[k].name, s->column[k].unit,
                                          limb_sweep_word(s, k, 0) ? LIMB_TABLE_TEXT : LIMB_TABLE_NUMBER};
  errno = 0;
  const limb_status status =
    limb_table_create(path, format ? format : limb_table_format_of(path), columns, column, w, err);
  free(column);
  if (status == LIMB_E_IO) return limb_fail(err, status, "", "%.180s cannot be written: %s", path, strerror(errno));
  return status;
}

static limb_status put_row(limb_sweep* s, limb_table_writer* w, const sweep_row* row, double* x, const char** text)
{
  x[0] = (double)row->k, x[1] = row->failed;
  text[2] = row->why;
  limb_sweep_take_case(s, row->k, x + OWN);
  for (int i = 0; i < s->ndimension; i++) text[OWN + i] = limb_sweep_word(s, i, x[OWN + i]);
  double* collected = x + OWN + s->ndimension;
  for (int i = 0; i < limb_sweep_row_width(s); i++) collected[i] = row->failed ? nan("") : row->x[i];
  return limb_table_row_texts(w, x, text);
}

static limb_status write_rows(limb_sweep* s, const char* folder, limb_table_writer* w, limb_error* err)
{
  merger m;
  uint64_t next = 0;
  const size_t columns = (size_t)(OWN + s->ncolumn);
  double* x = calloc(columns, sizeof *x);
  const char** text = calloc(columns, sizeof *text);
  limb_status status = open_all(&m, s, folder, err);
  if (status == LIMB_OK && (!x || !text)) status = LIMB_E_NOMEM;
  for (; status == LIMB_OK && m.count > 0; step(&m)) {
    const sweep_row* row = &m.heap[0].row;
    if (row->k < next || row->k >= s->cases) continue;
    next = row->k + 1;
    status = put_row(s, w, row, x, text);
  }
  close_all(&m);
  free(text);
  free(x);
  return status;
}

limb_status limb_sweep_write(limb_sweep* s, const char* folder, const char* path, limb_table_format format, int missing,
                             limb_sweep_state* state, limb_error* err)
{
  limb_sweep_state own;
  limb_table_writer* w = NULL;
  uint64_t *by_part = NULL, parts = 1;
  if (!s || !folder) return limb_fail(err, LIMB_E_ARG, "", "a study and a folder are needed");
  limb_status status = count_rows(s, folder, &own, &by_part, &parts, err);
  if (state) *state = own;
  if (status == LIMB_OK && own.missing > 0 && !missing && path) status = report_missing(s, &own, by_part, parts, err);
  free(by_part);
  if (status != LIMB_OK || !path) return status;
  status = open_table(s, path, format, &w, err);
  if (status != LIMB_OK) return status;
  status = write_rows(s, folder, w, err);
  const limb_status ended = limb_table_end(w);
  const int cause = errno;
  limb_table_destroy(w);
  if (status == LIMB_OK) status = ended;
  return status == LIMB_E_IO ? limb_fail(err, status, "", "%.180s cannot be written: %s", path, strerror(cause))
                             : status;
}
