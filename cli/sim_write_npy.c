// Rows of a simulation as NPY: one structured array with a field of 8-byte floats per column, so that
// numpy.load(path)["q.elbow"] is a column. Format: NumPy enhancement proposal 1. The header says how many
// rows there are; it is written anew whenever the file is flushed. When a disk is full, what lies behind the
// last whole row is cut off, and the header counts the others.
#define _POSIX_C_SOURCE 200809L // fseeko, ftruncate

#include "cli.h"
#include "output.h"
#include "sim_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { PREFIX = 12, ALIGN = 64, DIGITS = 20 };

typedef struct npy {
  cli_text head; // up to the number of rows
  off_t rows_at; // where they begin in the file
} npy;

static char byte_order(void)
{
  const unsigned one = 1;
  unsigned char first = 0;
  memcpy(&first, &one, 1);
  return first ? '<' : '>';
}

// A name as Python writes it.
static void add_name(cli_text* t, const char* name)
{
  char one[2] = "";
  for (; *name; name++) {
    if (*name == '\'' || *name == '\\') cli_text_add(t, "\\");
    one[0] = *name;
    cli_text_add(t, (unsigned char)*name < ' ' ? "_" : one);
  }
}

static void add_field(cli_text* t, const char* name)
{
  const char type[] = {'\'', ',', ' ', '\'', byte_order(), 'f', '8', '\'', ')', ',', ' ', '\0'};
  cli_text_add(t, "('");
  add_name(t, name);
  cli_text_add(t, type);
}

// Version 3 has UTF-8 names and a length of 4 bytes.
static int write_header(sim_writer* w)
{
  npy* n = w->own;
  char rows[DIGITS + 40];
  const int tail = snprintf(rows, sizeof rows, "%*llu,), }", DIGITS, (unsigned long long)w->rows);
  const size_t body = n->head.size + (size_t)tail;
  const size_t length = (PREFIX + body + 1 + ALIGN - 1) / ALIGN * ALIGN - PREFIX;
  unsigned char prefix[PREFIX] = {0x93, 'N', 'U', 'M', 'P', 'Y', 3, 0};
  for (int k = 0; k < 4; k++) prefix[8 + k] = (unsigned char)(length >> (8 * k) & 0xff);
  n->rows_at = (off_t)(PREFIX + length);
  errno = 0;
  int fine = fwrite(prefix, 1, PREFIX, w->stream) == PREFIX &&
             fwrite(n->head.bytes, 1, n->head.size, w->stream) == n->head.size &&
             fwrite(rows, 1, (size_t)tail, w->stream) == (size_t)tail;
  for (size_t k = body; k + 1 < length && fine; k++) fine = fputc(' ', w->stream) != EOF;
  return fine && fputc('\n', w->stream) != EOF ? EXIT_FINE : sim_unwritten(w);
}

static int npy_open(sim_writer* w)
{
  npy* n = calloc(1, sizeof *n);
  char name[SIM_NAME_SPACE];
  if (!n) return sim_out_of_memory(&w->job->plan);
  w->own = n;
  cli_text_add(&n->head, "{'descr': [");
  add_field(&n->head, "time");
  for (int k = 0; k < w->probe->count; k++) {
    sim_probe_name(w->probe, k, name, sizeof name);
    add_field(&n->head, name);
  }
  cli_text_add(&n->head, "], 'fortran_order': False, 'shape': (");
  if (n->head.failed) return sim_out_of_memory(&w->job->plan);
  const int code = sim_writer_stream(w, "w+b");
  return code == EXIT_FINE ? write_header(w) : code;
}

static int npy_row(sim_writer* w, const double* x)
{
  const size_t n = (size_t)w->probe->count + 1;
  errno = 0;
  return fwrite(x, sizeof *x, n, w->stream) == n ? EXIT_FINE : sim_unwritten(w);
}

static int npy_flush(sim_writer* w)
{
  errno = 0;
  if (fseek(w->stream, 0, SEEK_SET) != 0) return sim_unwritten(w);
  int code = write_header(w);
  errno = 0;
  if (code == EXIT_FINE && (fseek(w->stream, 0, SEEK_END) != 0 || fflush(w->stream) != 0)) code = sim_unwritten(w);
  return code;
}

// After a failure: the whole rows that are on disk are all there is.
static void keep_whole_rows(sim_writer* w)
{
  const npy* n = w->own;
  const off_t width = (off_t)(8 * (w->probe->count + 1));
  (void)fclose(w->stream); // what it still holds cannot be written
  w->stream = fopen(w->path, "r+b");
  if (!w->stream || fseeko(w->stream, 0, SEEK_END) != 0) return;
  const off_t end = ftello(w->stream);
  if (end < n->rows_at) return;
  w->rows = (uint64_t)((end - n->rows_at) / width);
  if (ftruncate(fileno(w->stream), n->rows_at + (off_t)w->rows * width) == 0) (void)npy_flush(w);
}

static int npy_end(sim_writer* w)
{
  const int code = w->broken ? EXIT_USAGE : npy_flush(w);
  if (code != EXIT_FINE) keep_whole_rows(w);
  if (!w->stream) return code;
  errno = 0;
  const int failed = fclose(w->stream);
  w->stream = NULL;
  return code == EXIT_FINE && failed ? sim_unwritten(w) : code;
}

static void npy_free(sim_writer* w)
{
  npy* n = w->own;
  if (w->stream) (void)fclose(w->stream);
  if (n) cli_text_free(&n->head);
  free(n);
}

const sim_format sim_npy = {"NPY", 1, npy_open, npy_row, npy_flush, npy_end, npy_free};
