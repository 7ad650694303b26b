// Tables as NPY: reading.
#include "states/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 12, HEADER_MAX = 1 << 26 };

static int is_little(void)
{
  const unsigned one = 1;
  unsigned char first = 0;
  memcpy(&first, &one, 1);
  return first;
}

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

int cli_is_npy(FILE* stream)
{
  unsigned char first[sizeof magic];
  const int is = fread(first, 1, sizeof first, stream) == sizeof first && memcmp(first, magic, sizeof magic) == 0;
  return fseek(stream, 0, SEEK_SET) == 0 && is;
}

static const char no_memory[] = "out of memory";
static const char not_ours[] =
  "the NPY file is no table: it must be a structured array with one field of 8-byte floats per column";

static int add_name(cli_npy_reader* r, char* name)
{
  if (r->columns == r->capacity) {
    const int capacity = r->capacity ? 2 * r->capacity : 64;
    char** more = realloc(r->name, (size_t)capacity * sizeof *more);
    if (!more) return 0;
    r->name = more;
    r->capacity = capacity;
  }
  r->name[r->columns++] = name;
  return 1;
}

// Behind blanks; NULL when the text is not there.
static char* skip(char* at, const char* text)
{
  at += strspn(at, " \t\n");
  const size_t n = strlen(text);
  return strncmp(at, text, n) == 0 ? at + n : NULL;
}

// A quoted string, put where it stands without its escapes. Returns what is behind it; NULL: none.
static char* read_string(char* at, char** out)
{
  at += strspn(at, " \t\n");
  const char quote = *at;
  if (quote != '\'' && quote != '"') return NULL;
  char* to = ++at;
  *out = to;
  for (; *at && *at != quote; at++) {
    if (*at == '\\' && at[1]) at++;
    *to++ = *at;
  }
  if (!*at) return NULL;
  *to = '\0';
  return at + 1;
}

// "[('time', '<f8'), ...]" of 'descr'. NULL, or what is wrong.
static const char* read_fields(cli_npy_reader* r, char* at)
{
  if (!(at = skip(at, "["))) return not_ours;
  while (!skip(at, "]")) {
    char *name = NULL, *type = NULL;
    if (!(at = skip(at, "(")) || !(at = read_string(at, &name)) || !(at = skip(at, ",")) ||
        !(at = read_string(at, &type)) || !(at = skip(at, ")")))
      return not_ours;
    if ((*type != '<' && *type != '>') || strcmp(type + 1, "f8") != 0) return not_ours;
    r->swapped = (*type == '<') != is_little();
    if (!add_name(r, name)) return no_memory;
    char* next = skip(at, ",");
    at = next ? next : at;
  }
  return NULL;
}

// The header is a Python dictionary with three keys, in any order.
static const char* read_header(cli_npy_reader* r)
{
  char* shape = strstr(r->text, "'shape'");
  char* order = strstr(r->text, "'fortran_order'");
  char* fields = strstr(r->text, "'descr'");
  char* end = NULL;
  if (!shape || !order || !fields || !(shape = skip(shape + 7, ":")) || !(shape = skip(shape, "("))) return not_ours;
  r->rows = strtoull(shape, &end, 10);
  if (end == shape || !(end = skip(end, ",")) || !skip(end, ")")) return not_ours; // one axis
  fields = skip(fields + 7, ":");
  return fields ? read_fields(r, fields) : not_ours;
}

const char* cli_npy_open(cli_npy_reader* r, FILE* stream)
{
  unsigned char prefix[PREFIX] = {0};
  *r = (cli_npy_reader){.stream = stream};
  if (fread(prefix, 1, 10, stream) != 10 || memcmp(prefix, magic, sizeof magic) != 0) return not_ours;
  size_t length = prefix[8] | (size_t)prefix[9] << 8;
  if (prefix[6] > 1) {
    if (fread(prefix + 10, 1, 2, stream) != 2) return not_ours;
    length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
  }
  if (length > HEADER_MAX) return not_ours;
  r->text = calloc(length + 1, 1);
  if (!r->text) return no_memory;
  return fread(r->text, 1, length, stream) == length ? read_header(r) : "the NPY file ends in its header";
}

void cli_npy_close(cli_npy_reader* r)
{
  free(r->name);
  free(r->text);
  *r = (cli_npy_reader){0};
}

static double swap(double x)
{
  unsigned char a[sizeof x], b[sizeof x];
  memcpy(a, &x, sizeof x);
  for (size_t k = 0; k < sizeof x; k++) b[k] = a[sizeof x - 1 - k];
  memcpy(&x, b, sizeof x);
  return x;
}

const char* cli_npy_next(cli_npy_reader* r, double* row, int* got)
{
  const size_t n = (size_t)r->columns;
  *got = 0;
  if (r->next == r->rows) return NULL;
  if (fread(row, sizeof *row, n, r->stream) != n) return "the NPY file ends before its last row";
  for (size_t k = 0; k < n; k++) {
    if (r->swapped) row[k] = swap(row[k]);
    if (!isfinite(row[k])) return "a number of the NPY file is not finite";
  }
  r->next++;
  *got = 1;
  return NULL;
}
