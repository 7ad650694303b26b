// Rows of cases on disk, appended by one worker per file.
//
//   file     = header row*
//   header   = "limbrow2" hash[32] part:u64 parts:u64 width:u64
//   row      = length:u32 check:u32 case:u64 status:u64 then width doubles, or the reason as a text
//
// length counts what follows check, check is a hash of it; numbers are those of the processor that wrote them. A
// process that is killed leaves at most one row that is cut off, at the end of its file. Files are only appended to, by
// who created them, so none is ever repaired: a later process makes another.
#define _POSIX_C_SOURCE 200809L // open, flock's kind of locks by fcntl

#include "run/sweep_impl.h"

#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HASH = 32, REASON = 240, BUFFER = 1 << 16, TRIES = 100000 };
static const char magic[] = "limbrow2";

typedef struct rows_header {
  char magic[8], hash[HASH];
  uint64_t part, parts, width;
} rows_header;

typedef struct row_head {
  uint32_t length, check;
  uint64_t k, failed;
} row_head;

struct sweep_rows {
  int file;
  size_t width, used;
  unsigned char buffer[BUFFER];
};

static uint64_t mix(uint64_t h, uint64_t word)
{
  h = (h ^ word) * 0x9e3779b97f4a7c15U;
  return h ^ h >> 32;
}

static uint32_t check_of(const void* bytes, size_t size)
{
  const unsigned char* c = bytes;
  uint64_t h = 0xcbf29ce484222325U, word;
  for (; size >= sizeof word; c += sizeof word, size -= sizeof word) {
    memcpy(&word, c, sizeof word);
    h = mix(h, word);
  }
  word = 0;
  memcpy(&word, c, size);
  return (uint32_t)mix(mix(h, word), size);
}

// ---- writing ----------------------------------------------------------------------------------------------

static limb_status write_all(int file, const void* bytes, size_t size)
{
  const char* at = bytes;
  while (size > 0) {
    const ssize_t n = write(file, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return LIMB_E_IO;
    at += n, size -= (size_t)n;
  }
  return LIMB_OK;
}

// From now on limb_rows_is_busy sees that the file is written.
static void lock(int file)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  (void)fcntl(file, F_SETLK, &whole);
}

int limb_rows_is_busy(const char* path)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  const int file = open(path, O_RDWR);
  const int busy = file >= 0 && fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  if (file >= 0) (void)close(file);
  return busy;
}

// How names of files of a part begin.
static int name_begin(char* text, size_t size, uint64_t part, uint64_t parts)
{
  return snprintf(text, size, "part-%llu-of-%llu.", (unsigned long long)part, (unsigned long long)parts);
}

limb_status limb_rows_create(const limb_sweep* s, const char* folder, uint64_t part, uint64_t parts, int worker,
                             sweep_rows** out, limb_error* err)
{
  const size_t size = strlen(folder) + 100;
  sweep_rows* r = calloc(1, sizeof *r);
  char* path = malloc(size);
  if (!r || !path) {
    free(r), free(path);
    return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  }
  r->file = -1, r->width = (size_t)limb_sweep_row_width(s);
  for (int again = 1; r->file < 0 && again < TRIES; again++) { // after a process that was killed: another name
    char begin[64];
    (void)name_begin(begin, sizeof begin, part, parts);
    (void)snprintf(path, size, "%s/%s%d.%d.rows", folder, begin, worker, again);
    r->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (r->file < 0 && errno != EEXIST) break;
  }
  rows_header h = {.part = part, .parts = parts, .width = r->width};
  memcpy(h.magic, magic, sizeof h.magic);
  memcpy(h.hash, limb_sweep_hash(s), HASH);
  limb_status status = r->file >= 0 ? LIMB_OK : LIMB_E_IO;
  if (status == LIMB_OK) lock(r->file);
  if (status == LIMB_OK) status = write_all(r->file, &h, sizeof h);
  if (status != LIMB_OK) {
    (void)limb_fail(err, status, "", "%.180s cannot be written: %s", path, strerror(errno));
    (void)limb_rows_close(r);
    r = NULL;
  }
  free(path);
  *out = r;
  return status;
}

static limb_status flush(sweep_rows* r)
{
  const limb_status s = write_all(r->file, r->buffer, r->used);
  r->used = 0;
  return s;
}

limb_status limb_rows_add(sweep_rows* r, uint64_t k, limb_status failed, const double* x, const char* why,
                          bool flush_now)
{
  const size_t body = failed ? strnlen(why, REASON) : r->width * sizeof *x;
  const void* bytes = failed ? (const void*)why : x;
  row_head h = {.length = (uint32_t)(body + 2 * sizeof(uint64_t)), .k = k, .failed = (uint64_t)(unsigned)failed};
  limb_status s = LIMB_OK;
  h.check = check_of(&h.k, 2 * sizeof(uint64_t)) ^ check_of(bytes, body);
  if (r->used + sizeof h + body > BUFFER) s = flush(r);
  if (s == LIMB_OK && sizeof h + body > BUFFER) { // a long row: straight to the file
    s = write_all(r->file, &h, sizeof h);
    return s == LIMB_OK ? write_all(r->file, bytes, body) : s;
  }
  memcpy(r->buffer + r->used, &h, sizeof h);
  memcpy(r->buffer + r->used + sizeof h, bytes, body);
  r->used += sizeof h + body;
  return s == LIMB_OK && flush_now ? flush(r) : s;
}

limb_status limb_rows_close(sweep_rows* r)
{
  if (!r) return LIMB_OK;
  limb_status s = r->file >= 0 ? flush(r) : LIMB_OK;
  if (r->file >= 0 && close(r->file) != 0 && s == LIMB_OK) s = LIMB_E_IO;
  free(r);
  return s;
}

// ---- reading ----------------------------------------------------------------------------------------------

struct sweep_reader {
  FILE* file;
  sweep_part part;
  size_t width;
  bool cut;
  unsigned char* body; // of a row
};

limb_status limb_reader_open(const limb_sweep* s, const char* path, sweep_reader** out, limb_error* err)
{
  rows_header h;
  const size_t width = (size_t)limb_sweep_row_width(s), numbers = width * sizeof(double);
  sweep_reader* r = calloc(1, sizeof *r);
  unsigned char* body = malloc((numbers > REASON ? numbers : REASON) + 1);
  *out = NULL;
  if (!r || !body) {
    free(r), free(body);
    return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  }
  *r = (sweep_reader){.file = fopen(path, "rb"), .width = width, .body = body};
  limb_status status = LIMB_OK;
  if (!r->file)
    status = limb_fail(err, LIMB_E_IO, "", "%.180s cannot be read: %s", path, strerror(errno));
  else if (fread(&h, 1, sizeof h, r->file) != sizeof h)
    r->cut = true; // killed while it was created
  else if (memcmp(h.magic, magic, sizeof h.magic) != 0)
    status = limb_fail(err, LIMB_E_MODEL, "", "%.180s is not a file of rows", path);
  else if (memcmp(h.hash, limb_sweep_hash(s), HASH) != 0 || h.width != width)
    status = limb_fail(err, LIMB_E_MODEL, "",
                       "%.150s has rows of another study: study, run, model or limb itself have changed", path);
  else
    r->part = (sweep_part){h.part, h.parts};
  if (status == LIMB_OK)
    *out = r;
  else
    limb_reader_close(r);
  return status;
}

bool limb_reader_next(sweep_reader* r, sweep_row* out)
{
  row_head h;
  if (r->cut) return false;
  const size_t got = fread(&h, 1, sizeof h, r->file), numbers = r->width * sizeof(double);
  const size_t body = got == sizeof h ? (size_t)h.length - 2 * sizeof(uint64_t) : 0;
  r->cut = got > 0; // until the row turns out to be whole
  if (got != sizeof h || h.length < 2 * sizeof(uint64_t)) return false;
  if (h.failed ? body > REASON : body != numbers) return false;
  if (fread(r->body, 1, body, r->file) != body) return false;
  if (h.check != (check_of(&h.k, 2 * sizeof(uint64_t)) ^ check_of(r->body, body))) return false;
  r->cut = false;
  r->body[body] = '\0';
  *out =
    (sweep_row){h.k, (limb_status)h.failed, (const double*)(const void*)r->body, h.failed ? (const char*)r->body : ""};
  return true;
}

sweep_part limb_reader_part(const sweep_reader* r) { return r->part; }

bool limb_reader_is_cut(const sweep_reader* r) { return r->cut; }

void limb_reader_close(sweep_reader* r)
{
  if (!r) return;
  if (r->file) (void)fclose(r->file);
  free(r->body);
  free(r);
}

// ---- folders ----------------------------------------------------------------------------------------------

static int by_name(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

static limb_status keep_path(sweep_paths* p, const char* folder, const char* name)
{
  char** grown = realloc(p->path, ((size_t)p->count + 1) * sizeof *grown);
  const size_t size = strlen(folder) + strlen(name) + 2;
  if (grown) p->path = grown;
  char* path = grown ? malloc(size) : NULL;
  if (!path) return LIMB_E_NOMEM;
  (void)snprintf(path, size, "%s/%s", folder, name);
  p->path[p->count++] = path;
  return LIMB_OK;
}

limb_status limb_rows_list(const char* folder, sweep_paths* out, limb_error* err)
{
  *out = (sweep_paths){0};
  limb_status s = LIMB_OK;
  DIR* d = opendir(folder);
  if (!d && errno == ENOENT) return LIMB_OK;
  if (!d) return limb_fail(err, LIMB_E_IO, "", "%.180s: %s", folder, strerror(errno));
  for (const struct dirent* e; s == LIMB_OK && (e = readdir(d));) {
    const char* dot = strrchr(e->d_name, '.');
    if (dot && strcmp(dot, ".rows") == 0) s = keep_path(out, folder, e->d_name);
  }
  (void)closedir(d);
  if (out->count > 1) qsort(out->path, (size_t)out->count, sizeof *out->path, by_name);
  return s == LIMB_OK ? s : limb_fail(err, s, "", "out of memory");
}

void limb_paths_free(sweep_paths* p)
{
  for (int i = 0; i < p->count; i++) free(p->path[i]);
  free(p->path);
  *p = (sweep_paths){0};
}

static bool is_of_part(const char* path, uint64_t part, uint64_t parts)
{
  char begin[64];
  const char* slash = strrchr(path, '/');
  const int n = name_begin(begin, sizeof begin, part, parts);
  return parts == 1 || strncmp(slash ? slash + 1 : path, begin, (size_t)n) == 0;
}

limb_status limb_sweep_clear(const char* folder, uint64_t part, uint64_t parts, limb_error* err)
{
  sweep_paths p;
  if (!folder || part < 1 || part > parts) return limb_fail(err, LIMB_E_ARG, "", "a folder and a part are needed");
  limb_status s = limb_rows_list(folder, &p, err);
  for (int i = 0; i < p.count && s == LIMB_OK; i++)
    if (is_of_part(p.path[i], part, parts) && limb_rows_is_busy(p.path[i]))
      s = limb_fail(err, LIMB_E_ORDER, "", "%.180s is being written by another process", p.path[i]);
  for (int i = 0; i < p.count && s == LIMB_OK; i++)
    if (is_of_part(p.path[i], part, parts) && unlink(p.path[i]) != 0)
      s = limb_fail(err, LIMB_E_IO, "", "%.180s: %s", p.path[i], strerror(errno));
  limb_paths_free(&p);
  if (s == LIMB_OK) (void)rmdir(folder); // stays if it has other files
  return s;
}
