// Reading NPY: one structured array with a field of 8-byte floats per column, as limb_table_create writes it (NumPy
// enhancement proposal 1).
#include "io/table.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 12, HEADER_MAX = 1 << 26 };

struct npy_reader {
  limb_allocator alloc;
  FILE* stream;
  char* text; // of the names
  size_t text_size, max_columns;
  char** name;
  char** sorted; // max_columns more of them: the names by text
  int columns;
  uint64_t rows, next, head; // rows that the header counts; that come next, from 0; bytes in front of them
  bool swapped;              // numbers are in the other byte order
};

static const char not_ours[] =
  "the NPY file is no table: it must be a structured array with one field of 8-byte floats per column";

static const char no_memory[] = "out of memory";

static bool is_little(void)
{
  const unsigned one = 1;
  unsigned char first = 0;
  memcpy(&first, &one, 1);
  return first;
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

// "[('time', '<f8'), ...]" of 'descr'. 0: it has another form.
static bool read_fields(npy_reader* r, char* at)
{
  if (!(at = skip(at, "["))) return false;
  while (!skip(at, "]")) {
    char *name = NULL, *type = NULL;
    if (!(at = skip(at, "(")) || !(at = read_string(at, &name)) || !(at = skip(at, ",")) ||
        !(at = read_string(at, &type)) || !(at = skip(at, ")")))
      return false;
    if ((*type != '<' && *type != '>') || strcmp(type + 1, "f8") != 0) return false;
    if ((size_t)r->columns == r->max_columns) return false;
    r->swapped = (*type == '<') != is_little();
    r->name[r->columns++] = name;
    char* next = skip(at, ",");
    at = next ? next : at;
  }
  return r->columns > 0;
}

static int by_text(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

// NULL, or what is wrong with the names.
static const char* check_names(npy_reader* r)
{
  const size_t n = (size_t)r->columns;
  r->sorted = r->name + r->max_columns;
  memcpy(r->sorted, r->name, n * sizeof *r->name);
  qsort(r->sorted, n, sizeof *r->sorted, by_text);
  if (!*r->sorted[0]) return "a column of the NPY file has no name";
  for (size_t k = 1; k < n; k++)
    if (strcmp(r->sorted[k - 1], r->sorted[k]) == 0) return "two columns of the NPY file have the same name";
  return NULL;
}

// The header is a Python dictionary with three keys, in any order.
static bool read_header(npy_reader* r)
{
  char* shape = strstr(r->text, "'shape'");
  char* order = strstr(r->text, "'fortran_order'");
  char* fields = strstr(r->text, "'descr'");
  char* end = NULL;
  if (!shape || !order || !fields || !(shape = skip(shape + 7, ":")) || !(shape = skip(shape, "("))) return false;
  r->rows = strtoull(shape, &end, 10);
  if (end == shape || !(end = skip(end, ",")) || !skip(end, ")")) return false; // one axis
  fields = skip(fields + 7, ":");
  return fields && read_fields(r, fields);
}

// NULL, or what is wrong.
static const char* open_header(npy_reader* r)
{
  static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  unsigned char prefix[PREFIX] = {0};
  if (fread(prefix, 1, 10, r->stream) != 10 || memcmp(prefix, magic, sizeof magic) != 0) return not_ours;
  size_t length = prefix[8] | (size_t)prefix[9] << 8;
  if (prefix[6] > 1) {
    if (fread(prefix + 10, 1, 2, r->stream) != 2) return not_ours;
    length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
  }
  if (length > HEADER_MAX) return not_ours;
  r->head = length + (prefix[6] > 1 ? 12 : 10);
  r->text_size = length + 1;
  r->text = limb_alloc(&r->alloc, r->text_size);
  if (!r->text) return no_memory;
  if (fread(r->text, 1, length, r->stream) != length) return "the NPY file ends in its header";
  r->text[length] = '\0';
  for (const char* c = strchr(r->text, '('); c; c = strchr(c + 1, '(')) r->max_columns++;
  r->name = limb_alloc(&r->alloc, (2 * r->max_columns + 1) * sizeof *r->name);
  if (!r->name) return no_memory;
  return read_header(r) ? check_names(r) : not_ours;
}

limb_status limb_npy_open(FILE* stream, const limb_allocator* a, npy_reader** out, limb_error* err)
{
  npy_reader* r = limb_alloc(a, sizeof *r);
  if (!r) return limb_fail(err, LIMB_E_NOMEM, "header", "%s", no_memory);
  *r = (npy_reader){.alloc = *a, .stream = stream};
  const char* wrong = open_header(r);
  if (!wrong) {
    *out = r;
    return LIMB_OK;
  }
  const bool memory = wrong == no_memory;
  limb_npy_close(r);
  return limb_fail(err, memory ? LIMB_E_NOMEM : LIMB_E_SYNTAX, "header", "%s", wrong);
}

void limb_npy_close(npy_reader* r)
{
  if (!r) return;
  const limb_allocator a = r->alloc;
  limb_free(&a, r->text, r->text_size);
  limb_free(&a, r->name, (2 * r->max_columns + 1) * sizeof *r->name);
  limb_free(&a, r, sizeof *r);
}

int limb_npy_columns(const npy_reader* r) { return r->columns; }

const char* limb_npy_column(const npy_reader* r, int k) { return r->name[k]; }

int limb_npy_find(const npy_reader* r, const char* name)
{
  if (!bsearch(&name, r->sorted, (size_t)r->columns, sizeof *r->sorted, by_text)) return -1;
  int k = 0;
  while (strcmp(r->name[k], name) != 0) k++;
  return k;
}

uint64_t limb_npy_bytes(const npy_reader* r) { return r->head + r->next * 8 * (uint64_t)r->columns; }

static double swap(double x)
{
  unsigned char a[sizeof x], b[sizeof x];
  memcpy(a, &x, sizeof x);
  for (size_t k = 0; k < sizeof x; k++) b[k] = a[sizeof x - 1 - k];
  memcpy(&x, b, sizeof x);
  return x;
}

// A row that cannot be read ends the table.
static limb_status end_at(npy_reader* r, limb_error* err, const char* wrong)
{
  char where[32];
  (void)snprintf(where, sizeof where, "row %llu", (unsigned long long)r->next + 1);
  r->rows = r->next;
  return limb_fail(err, LIMB_E_SYNTAX, where, "%s", wrong);
}

limb_status limb_npy_next(npy_reader* r, double* row, int* got, limb_error* err)
{
  const size_t n = (size_t)r->columns;
  if (r->next >= r->rows) return LIMB_OK;
  if (fread(row, sizeof *row, n, r->stream) != n) return end_at(r, err, "the NPY file ends before its last row");
  for (size_t k = 0; k < n; k++) {
    if (r->swapped) row[k] = swap(row[k]);
    if (!isfinite(row[k])) return end_at(r, err, "a number of the NPY file is not finite");
  }
  r->next++;
  *got = 1;
  return LIMB_OK;
}
