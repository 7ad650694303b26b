// Writing a CSV table: fields go into a buffer, full buffers to the stream, which has none of its own. After a failure,
// such as a full disk, a file is truncated to whole rows, because a number that was cut looks like another number; and
// every call fails, so that no row is lost unnoticed.
#include "io/table.h"

#include "limb/batch.h"

#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 17 };

struct limb_csv_writer {
  limb_allocator alloc;
  FILE* stream;
  size_t used;
  size_t open; // bytes of an unfinished row that were written before
  bool begun;  // the row has a field
  bool hollow; // the row consists of one empty field
  bool failed;
  char buffer[BUFFER];
};

// Bytes behind the last whole row, once this much of them was written.
static size_t behind_rows(const limb_csv_writer* w, const char* bytes, size_t written)
{
  for (size_t i = written; i > 0; i--) {
    if (bytes[i - 1] == '\n') return written - i;
  }
  return w->open + written;
}

// After a failure of a write that began at a position of the file.
static void keep_whole_rows(const limb_csv_writer* w, const char* bytes, off_t from)
{
  struct stat about;
  const int cause = errno, file = fileno(w->stream);
  const off_t to = lseek(file, 0, SEEK_CUR);
  if (from < 0 || to < from || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return;
  const off_t rows = to - (off_t)behind_rows(w, bytes, (size_t)(to - from));
  if (ftruncate(file, rows) == 0) (void)lseek(file, rows, SEEK_SET);
  errno = cause;
}

static limb_status write_out(limb_csv_writer* w, const char* bytes, size_t size)
{
  const off_t from = lseek(fileno(w->stream), 0, SEEK_CUR);
  if (!w->failed && fwrite(bytes, 1, size, w->stream) < size) {
    w->failed = true;
    keep_whole_rows(w, bytes, from);
  }
  w->open = behind_rows(w, bytes, size);
  return w->failed ? LIMB_E_IO : LIMB_OK;
}

static limb_status drain(limb_csv_writer* w)
{
  const limb_status s = write_out(w, w->buffer, w->used);
  w->used = 0;
  return s;
}

// Makes space for some bytes, at most BUFFER.
static inline limb_status reserve(limb_csv_writer* w, size_t bytes)
{
  return BUFFER - w->used < bytes || w->failed ? drain(w) : LIMB_OK;
}

static limb_status put(limb_csv_writer* w, char c)
{
  if (reserve(w, 1) != LIMB_OK) return LIMB_E_IO;
  w->buffer[w->used++] = c;
  return LIMB_OK;
}

// Texts that a reader could misunderstand are quoted: separators of any kind, quotes, line ends, blanks at either end,
// a comment.
static bool needs_quotes(const char* text)
{
  const size_t length = strlen(text);
  if (length == 0) return false;
  const char last = text[length - 1];
  return strpbrk(text, ",;\t\"\r\n") || text[0] == ' ' || last == ' ' || text[0] == '#';
}

limb_status limb_csv_text(limb_csv_writer* w, const char* text)
{
  if (!w || !text) return LIMB_E_ARG;
  limb_status status = w->begun ? put(w, ',') : LIMB_OK;
  w->hollow = !w->begun && !*text;
  w->begun = true;
  const bool quotes = needs_quotes(text);
  if (quotes && status == LIMB_OK) status = put(w, '"');
  for (; *text && status == LIMB_OK; text++) {
    if (*text == '"') status = put(w, '"');
    if (status == LIMB_OK) status = put(w, *text);
  }
  if (quotes && status == LIMB_OK) status = put(w, '"');
  return status;
}

limb_status limb_csv_numbers(limb_csv_writer* w, const double* x, int count)
{
  if (!w || count < 0 || (!x && count > 0)) return LIMB_E_ARG;
  for (int i = 0; i < count; i++) {
    if (reserve(w, 1 + LIMB_NUMBER_SPACE) != LIMB_OK) return LIMB_E_IO;
    if (w->begun) w->buffer[w->used++] = ',';
    w->used += limb_print_number(x[i], w->buffer + w->used);
    w->begun = true;
    w->hollow = false;
  }
  return w->failed ? LIMB_E_IO : LIMB_OK;
}

limb_status limb_csv_number(limb_csv_writer* w, double x) { return limb_csv_numbers(w, &x, 1); }

limb_status limb_csv_end_row(limb_csv_writer* w)
{
  if (!w || !w->begun) return LIMB_E_ARG;
  if (reserve(w, 3) != LIMB_OK) return LIMB_E_IO;
  if (w->hollow) { // otherwise it would be an empty line
    memcpy(w->buffer + w->used, "\"\"", 2);
    w->used += 2;
  }
  w->buffer[w->used++] = '\n';
  w->begun = w->hollow = false;
  return LIMB_OK;
}

// ---- rows on threads -------------------------------------------------------------------------------

enum { TASKS = 64, TASK_NUMBERS = 1 << 10 };

typedef struct print_task {
  const double* x;
  size_t rows, columns;
  int tasks;
  char* text; // of all, one task behind the other, each with space for its longest rows
  size_t used[TASKS];
} print_task;

static size_t first_row(const print_task* t, int index) { return t->rows * (size_t)index / (size_t)t->tasks; }

static char* text_of(const print_task* t, int index)
{
  return t->text + first_row(t, index) * t->columns * LIMB_NUMBER_SPACE;
}

static void print_rows(void* argument, int index)
{
  print_task* t = argument;
  char* const begin = text_of(t, index);
  char* p = begin;
  for (size_t i = first_row(t, index); i < first_row(t, index + 1); i++) {
    for (size_t k = 0; k < t->columns; k++) {
      p += limb_print_number(t->x[i * t->columns + k], p);
      *p++ = k + 1 < t->columns ? ',' : '\n';
    }
  }
  t->used[index] = (size_t)(p - begin);
}

limb_status limb_csv_rows(limb_csv_writer* w, const double* x, size_t rows, size_t columns, const limb_pool* pool)
{
  const size_t tasks = rows * columns / TASK_NUMBERS, max = 4 * (size_t)pool->threads;
  print_task t = {.x = x, .rows = rows, .columns = columns};
  t.tasks = (int)(tasks < 1 ? 1 : tasks > max ? max : tasks);
  if (t.tasks > TASKS) t.tasks = TASKS;
  const size_t size = rows * columns * LIMB_NUMBER_SPACE;
  t.text = limb_alloc(&w->alloc, size);
  if (!t.text) return LIMB_E_NOMEM;
  if (t.tasks > 1)
    pool->run(pool->context, t.tasks, print_rows, &t);
  else
    print_rows(&t, 0);
  limb_status s = drain(w);
  for (int i = 0; i < t.tasks && s == LIMB_OK; i++) s = write_out(w, text_of(&t, i), t.used[i]);
  limb_free(&w->alloc, t.text, size);
  return s;
}

// ---- the end, the beginning ------------------------------------------------------------------------

limb_status limb_csv_finish(limb_csv_writer* w)
{
  if (!w) return LIMB_E_ARG;
  if (drain(w) != LIMB_OK) return LIMB_E_IO;
  w->failed = fflush(w->stream) != 0;
  return w->failed ? LIMB_E_IO : LIMB_OK;
}

limb_status limb_csv_create(FILE* stream, const limb_allocator* alloc, limb_csv_writer** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (!stream || (alloc && (!alloc->alloc || !alloc->free))) return LIMB_E_ARG;
  const limb_allocator a = alloc ? *alloc : limb_default_allocator();
  limb_csv_writer* w = limb_alloc(&a, sizeof *w);
  if (!w) return LIMB_E_NOMEM;
  w->alloc = a;
  w->stream = stream;
  w->used = w->open = 0;
  (void)fflush(stream);
  if (fileno(stream) >= 0) (void)setvbuf(stream, NULL, _IONBF, 0); // streams in memory need their buffer
  w->begun = w->hollow = w->failed = false;
  *out = w;
  return LIMB_OK;
}

void limb_csv_destroy(limb_csv_writer* w)
{
  if (!w) return;
  const limb_allocator a = w->alloc;
  limb_free(&a, w, sizeof *w);
}
