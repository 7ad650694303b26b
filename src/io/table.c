// Tables over time: reading CSV as a whole, writing CSV and NPY. table_hdf5.c writes HDF5.
//
// NPY: one structured array with a field of 8 bytes per column, 80 for texts (NumPy enhancement proposal 1). The header
// contains the number of rows; every flush rewrites it. After a failure, such as a full disk, the file is truncated to
// whole rows.
#include "io/table.h"

#include "base/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

limb_status limb_table_open_stream(limb_table_writer* w, const char* mode)
{
  errno = 0;
  w->stream = strcmp(w->path, "-") == 0 ? stdout : fopen(w->path, mode);
  return w->stream ? LIMB_OK : LIMB_E_IO;
}

limb_status limb_table_close_stream(limb_table_writer* w, limb_status s)
{
  if (!w->stream || w->stream == stdout) return s;
  const int cause = errno; // of what failed before
  errno = 0;
  const int failed = fclose(w->stream);
  w->stream = NULL;
  if (s != LIMB_OK) errno = cause;
  return s == LIMB_OK && failed ? LIMB_E_IO : s;
}

// ---- CSV -------------------------------------------------------------------------------------------------

static limb_status csv_open(limb_table_writer* w, const limb_table_column* column, limb_error* err)
{
  (void)err;
  limb_csv_writer* csv = NULL;
  limb_status s = limb_table_open_stream(w, "w");
  if (s == LIMB_OK) s = limb_csv_create(w->stream, NULL, &csv);
  w->own = csv;
  for (int k = 0; k < w->columns && s == LIMB_OK; k++) s = limb_csv_text(csv, column[k].name);
  return s == LIMB_OK ? limb_csv_end_row(csv) : s;
}

static limb_status write_block(limb_table_writer* w)
{
  const size_t rows = w->block_rows;
  w->block_rows = 0;
  return rows > 0 ? limb_csv_rows(w->own, w->block, rows, (size_t)w->columns, w->pool) : LIMB_OK;
}

static limb_status csv_row(limb_table_writer* w, const double* x, const char* const* text)
{
  limb_status s = LIMB_OK;
  if (w->pool) {
    const size_t n = (size_t)w->columns;
    memcpy(w->block + w->block_rows++ * n, x, n * sizeof *x);
    return w->block_rows == w->block_max ? write_block(w) : s;
  }
  for (int k = 0; k < w->columns && s == LIMB_OK; k++)
    s = w->kind[k] == LIMB_TABLE_TEXT ? limb_csv_text(w->own, table_text(text, k)) : limb_csv_number(w->own, x[k]);
  return s == LIMB_OK ? limb_csv_end_row(w->own) : s;
}

static limb_status csv_flush(limb_table_writer* w)
{
  const limb_status s = write_block(w);
  const limb_status finished = limb_csv_finish(w->own);
  return s == LIMB_OK ? finished : s;
}

static limb_status csv_end(limb_table_writer* w) { return limb_table_close_stream(w, csv_flush(w)); }

static void csv_free(limb_table_writer* w)
{
  if (w->pool) (void)write_block(w); // rows in front of a failure
  limb_csv_destroy(w->own);
  (void)limb_table_close_stream(w, LIMB_OK);
}

// ---- NPY -------------------------------------------------------------------------------------------------

enum { PREFIX = 12, ALIGN = 64, DIGITS = 20, TEXT = 80 };

typedef struct npy {
  char* head; // up to the number of rows
  size_t size;
  off_t rows_at; // position of the first row in the file
  size_t width;  // of a row in bytes
  bool mixed;    // not numbers alone
} npy;

static char byte_order(void)
{
  const unsigned one = 1;
  unsigned char first = 0;
  memcpy(&first, &one, 1);
  return first ? '<' : '>';
}

// Appends the description of a field, its name as a Python string.
static char* put_field(char* to, const char* name, limb_table_kind kind)
{
  to += sprintf(to, "('");
  for (; *name; name++) {
    if (*name == '\'' || *name == '\\') *to++ = '\\';
    *to++ = (char)((unsigned char)*name < ' ' ? '_' : *name);
  }
  if (kind == LIMB_TABLE_TEXT) return to + sprintf(to, "', '|S%d'), ", TEXT);
  return to + sprintf(to, "', '%c%c8'), ", byte_order(), kind == LIMB_TABLE_INTEGER ? 'i' : 'f');
}

static bool make_head(npy* n, int columns, const limb_table_column* column)
{
  static const char begin[] = "{'descr': [", end[] = "], 'fortran_order': False, 'shape': (";
  size_t size = sizeof begin + sizeof end;
  for (int k = 0; k < columns; k++) size += 2 * strlen(column[k].name) + 16;
  n->head = malloc(size);
  if (!n->head) return false;
  char* to = n->head + sprintf(n->head, "%s", begin);
  for (int k = 0; k < columns; k++) to = put_field(to, column[k].name, column[k].kind);
  to += sprintf(to, "%s", end);
  n->size = (size_t)(to - n->head);
  return true;
}

// Version 3 has UTF-8 names and a length of 4 bytes.
static limb_status write_header(limb_table_writer* w)
{
  npy* n = w->own;
  char rows[DIGITS + 40];
  const int tail = snprintf(rows, sizeof rows, "%*llu,), }", DIGITS, (unsigned long long)w->rows);
  const size_t body = n->size + (size_t)tail;
  const size_t length = (PREFIX + body + 1 + ALIGN - 1) / ALIGN * ALIGN - PREFIX;
  unsigned char prefix[PREFIX] = {0x93, 'N', 'U', 'M', 'P', 'Y', 3, 0};
  for (int k = 0; k < 4; k++) prefix[8 + k] = (unsigned char)(length >> (8 * k) & 0xff);
  n->rows_at = (off_t)(PREFIX + length);
  bool fine = fwrite(prefix, 1, PREFIX, w->stream) == PREFIX && fwrite(n->head, 1, n->size, w->stream) == n->size &&
              fwrite(rows, 1, (size_t)tail, w->stream) == (size_t)tail;
  for (size_t k = body; k + 1 < length && fine; k++) fine = fputc(' ', w->stream) != EOF;
  return fine && fputc('\n', w->stream) != EOF ? LIMB_OK : LIMB_E_IO;
}

static limb_status npy_open(limb_table_writer* w, const limb_table_column* column, limb_error* err)
{
  (void)err;
  npy* n = calloc(1, sizeof *n);
  w->own = n;
  if (!n || !make_head(n, w->columns, column)) return LIMB_E_NOMEM;
  for (int k = 0; k < w->columns; k++) {
    n->width += w->kind[k] == LIMB_TABLE_TEXT ? (size_t)TEXT : sizeof(double);
    n->mixed |= w->kind[k] != LIMB_TABLE_NUMBER;
  }
  const limb_status s = limb_table_open_stream(w, "w+b");
  return s == LIMB_OK ? write_header(w) : s;
}

static limb_status npy_cells(limb_table_writer* w, const double* x, const char* const* text)
{
  bool fine = true;
  for (int k = 0; k < w->columns && fine; k++) {
    const int64_t whole = (int64_t)x[k];
    char own[TEXT] = "";
    if (w->kind[k] == LIMB_TABLE_TEXT) {
      (void)snprintf(own, sizeof own, "%s", table_text(text, k));
      fine = fwrite(own, sizeof own, 1, w->stream) == 1;
    } else {
      fine = fwrite(w->kind[k] == LIMB_TABLE_INTEGER ? (const void*)&whole : &x[k], 8, 1, w->stream) == 1;
    }
  }
  return fine ? LIMB_OK : LIMB_E_IO;
}

static limb_status npy_row(limb_table_writer* w, const double* x, const char* const* text)
{
  const size_t n = (size_t)w->columns;
  if (((const npy*)w->own)->mixed) return npy_cells(w, x, text);
  return fwrite(x, sizeof *x, n, w->stream) == n ? LIMB_OK : LIMB_E_IO;
}

static limb_status npy_flush(limb_table_writer* w)
{
  if (fseeko(w->stream, 0, SEEK_SET) != 0) return LIMB_E_IO;
  const limb_status s = write_header(w);
  if (s != LIMB_OK) return s;
  return fseeko(w->stream, 0, SEEK_END) == 0 && fflush(w->stream) == 0 ? LIMB_OK : LIMB_E_IO;
}

// After a failure: truncates the file to whole rows.
static void keep_whole_rows(limb_table_writer* w)
{
  const npy* n = w->own;
  const off_t width = (off_t)n->width;
  (void)fclose(w->stream); // its buffer cannot be written
  w->stream = fopen(w->path, "r+b");
  if (!w->stream || fseeko(w->stream, 0, SEEK_END) != 0) return;
  const off_t end = ftello(w->stream);
  if (end < n->rows_at) return;
  w->rows = (uint64_t)((end - n->rows_at) / width);
  if (ftruncate(fileno(w->stream), n->rows_at + (off_t)w->rows * width) == 0) (void)npy_flush(w);
}

static limb_status npy_end(limb_table_writer* w)
{
  const limb_status s = w->broken ? LIMB_E_IO : npy_flush(w);
  const int cause = errno;
  if (s != LIMB_OK) keep_whole_rows(w);
  const limb_status closed = limb_table_close_stream(w, s);
  if (s != LIMB_OK) errno = cause;
  return closed;
}

static void npy_free(limb_table_writer* w)
{
  npy* n = w->own;
  (void)limb_table_close_stream(w, LIMB_OK);
  if (n) free(n->head);
  free(n);
}

// ---- writing ---------------------------------------------------------------------------------------------

limb_table_format limb_table_format_of(const char* path)
{
  if (!path) return LIMB_TABLE_NONE;
  const char* dot = strrchr(path, '.');
  if (strcmp(path, "-") == 0 || (dot && strcmp(dot, ".csv") == 0)) return LIMB_TABLE_CSV;
  if (dot && strcmp(dot, ".npy") == 0) return LIMB_TABLE_NPY;
  if (dot && (strcmp(dot, ".arrow") == 0 || strcmp(dot, ".feather") == 0)) return LIMB_TABLE_ARROW;
  if (dot && strcmp(dot, ".parquet") == 0) return LIMB_TABLE_PARQUET;
  return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0) ? LIMB_TABLE_HDF5 : LIMB_TABLE_NONE;
}

static const table_format* find_format(limb_table_format format)
{
  static const table_format to_csv = {csv_open, csv_row, csv_flush, csv_end, csv_free};
  static const table_format to_npy = {npy_open, npy_row, npy_flush, npy_end, npy_free};
  switch (format) {
  case LIMB_TABLE_CSV: return &to_csv;
  case LIMB_TABLE_NPY: return &to_npy;
  case LIMB_TABLE_HDF5: return &limb_table_hdf5;
  case LIMB_TABLE_ARROW: return &limb_table_arrow;
  case LIMB_TABLE_PARQUET: return &limb_table_parquet;
  case LIMB_TABLE_NONE: break;
  }
  return NULL;
}

static int by_text(const void* a, const void* b) { return strcmp(*(const char* const*)a, *(const char* const*)b); }

// Readers find columns by their names.
static limb_status check_names(int columns, const limb_table_column* column, limb_error* err)
{
  const size_t n = (size_t)columns;
  const char** name = calloc(n, sizeof *name);
  if (!name) return limb_fail(err, LIMB_E_NOMEM, "table", "out of memory");
  limb_status s = LIMB_OK;
  for (size_t k = 0; k < n && s == LIMB_OK; k++) {
    name[k] = column[k].name;
    if (!name[k] || !*name[k]) s = limb_fail(err, LIMB_E_ARG, "table", "column %zu has no name", k + 1);
  }
  if (s == LIMB_OK) qsort(name, n, sizeof *name, by_text);
  for (size_t k = 1; k < n && s == LIMB_OK; k++)
    if (strcmp(name[k - 1], name[k]) == 0)
      s = limb_fail(err, LIMB_E_ARG, "table", "two columns have the name '%.80s'", name[k]);
  free(name);
  return s;
}

limb_status limb_table_create(const char* path, limb_table_format format, int columns, const limb_table_column* column,
                              limb_table_writer** out, limb_error* err)
{
  if (out) *out = NULL;
  const table_format* f = find_format(format);
  if (!out || !path || !f || columns <= 0 || !column)
    return limb_fail(err, LIMB_E_ARG, "table", "an argument is NULL, the format is unknown, or there are no columns");
  const limb_status named = check_names(columns, column, err);
  if (named != LIMB_OK) return named;
  limb_table_writer* w = calloc(1, sizeof *w);
  const size_t length = strlen(path) + 1;
  char* own = malloc(length);
  limb_table_kind* kind = malloc((size_t)columns * sizeof *kind);
  if (!w || !own || !kind) {
    free(w);
    free(own);
    free(kind);
    return limb_fail(err, LIMB_E_NOMEM, "table", "out of memory");
  }
  *w = (limb_table_writer){.format = f, .path = memcpy(own, path, length), .columns = columns, .kind = kind};
  for (int k = 0; k < columns; k++) kind[k] = column[k].kind;
  const limb_status s = f->open(w, column, err);
  if (s == LIMB_OK) {
    *out = w;
    return s;
  }
  const int cause = errno;
  limb_table_destroy(w);
  errno = cause;
  return s;
}

static limb_status note(limb_table_writer* w, limb_status s)
{
  if (s != LIMB_OK) w->broken = true;
  return s;
}

limb_status limb_table_row_texts(limb_table_writer* w, const double* x, const char* const* text)
{
  if (!w || !x) return LIMB_E_ARG;
  errno = 0;
  const limb_status s = note(w, w->format->row(w, x, text));
  if (s == LIMB_OK) w->rows++;
  return s;
}

limb_status limb_table_row(limb_table_writer* w, const double* x) { return limb_table_row_texts(w, x, NULL); }

limb_status limb_table_set_pool(limb_table_writer* w, const limb_pool* pool)
{
  enum { NUMBERS = 1 << 16, ROWS = 1 << 13 };
  if (!w || !pool || pool->size != sizeof *pool || pool->threads < 1 || !pool->run) return LIMB_E_ARG;
  if (w->format->row != csv_row || w->pool || pool->threads == 1) return LIMB_OK;
  for (int k = 0; k < w->columns; k++)
    if (w->kind[k] == LIMB_TABLE_TEXT) return LIMB_OK;
  const size_t n = (size_t)w->columns, rows = NUMBERS / n;
  w->block_max = rows > ROWS ? ROWS : rows < 1 ? 1 : rows;
  w->block = malloc(w->block_max * n * sizeof *w->block);
  if (!w->block) return LIMB_E_NOMEM;
  w->pool = pool;
  return LIMB_OK;
}

limb_status limb_table_flush(limb_table_writer* w)
{
  if (!w) return LIMB_E_ARG;
  errno = 0;
  return note(w, w->format->flush(w));
}

limb_status limb_table_end(limb_table_writer* w)
{
  if (!w) return LIMB_E_ARG;
  errno = 0;
  return w->format->end(w);
}

void limb_table_destroy(limb_table_writer* w)
{
  if (!w) return;
  w->format->free(w);
  free(w->block);
  free(w->kind);
  free(w->path);
  free(w);
}

// ---- reading ---------------------------------------------------------------------------------------------

void limb_table_free(limb_table* t)
{
  if (!t) return;
  free(t->time);
  free(t->value);
  *t = (limb_table){0};
}

static limb_status grow(limb_table* t, size_t* capacity, limb_error* err)
{
  static const size_t max_numbers = 134217728; // 1 GiB
  const size_t more = *capacity ? 2 * *capacity : 256, m = (size_t)t->columns;
  if (more * (m + 1) > max_numbers)
    return limb_fail(err, LIMB_E_UNSUPPORTED, "table", "too large: more than %zu numbers", max_numbers);
  double* time = realloc(t->time, more * sizeof *time);
  if (time) t->time = time;
  double* value = realloc(t->value, more * (m ? m : 1) * sizeof *value);
  if (value) t->value = value;
  if (!time || !value) return limb_fail(err, LIMB_E_NOMEM, "table", "out of memory");
  *capacity = more;
  return LIMB_OK;
}

// Adds a row as it was read.
static limb_status add_row(limb_table* t, int line, const double* row, int time, const int* column, limb_error* err)
{
  const size_t i = t->rows, m = (size_t)t->columns;
  t->time[i] = row[time];
  if (i > 0 && !(t->time[i] > t->time[i - 1])) {
    (void)limb_fail(err, LIMB_E_SYNTAX, NULL, "time %.9g does not come after %.9g", t->time[i], t->time[i - 1]);
    if (err) err->line = line;
    return LIMB_E_SYNTAX;
  }
  for (size_t k = 0; k < m; k++) t->value[i * m + k] = row[column[k]];
  t->rows++;
  return LIMB_OK;
}

limb_status limb_table_read(limb_csv_reader* r, int time, int columns, const int* column, limb_table* out,
                            limb_error* err)
{
  const int n = limb_csv_column_count(r);
  if (!r || !out || columns < 0 || (columns > 0 && !column) || time < 0 || time >= n) return LIMB_E_ARG;
  *out = (limb_table){.columns = columns};
  double* row = calloc((size_t)n, sizeof *row);
  size_t capacity = 0;
  int got = 1;
  limb_status s = row ? LIMB_OK : LIMB_E_NOMEM;
  while (s == LIMB_OK) {
    s = limb_csv_next(r, row, &got, err);
    if (s != LIMB_OK || !got) break;
    if (out->rows == capacity) s = grow(out, &capacity, err);
    if (s == LIMB_OK) s = add_row(out, limb_csv_line(r), row, time, column, err);
  }
  if (s == LIMB_OK && out->rows == 0) s = limb_fail(err, LIMB_E_SYNTAX, NULL, "the table has no rows");
  free(row);
  if (s != LIMB_OK) limb_table_free(out);
  return s;
}
