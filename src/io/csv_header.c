// The header row of a CSV table: names, each once, none of them a number.
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "io/csv.h"
#include "io/utf8.h"

#include <stdlib.h>
#include <string.h>

// An error about the name at `at`; column counts from 1.
static limb_status wrong_name(csv_line line, const char* at, int column, const char* message, limb_error* err)
{
  char where[32];
  (void)snprintf(where, sizeof where, "column %d", column);
  return limb_csv_place(err, line, at, limb_fail(err, LIMB_E_SYNTAX, where, "%s", message));
}

// ---- one name --------------------------------------------------------------------------------------

// A name in quotes, at text, into *to; doubled quotes are single ones. Returns behind the last quote;
// NULL when there is none.
static const char* unquote(const char* text, const char* end, char** to)
{
  for (text++; text < end; text++) {
    if (*text == '"' && (text + 1 == end || text[1] != '"')) return text + 1;
    if (*text == '"') text++;
    *(*to)++ = *text;
  }
  return NULL;
}

static const char* trim(const char* text, const char* end)
{
  while (end > text && csv_blank(end[-1])) end--;
  return end;
}

// A name without quotes must not hold what separates fields elsewhere.
static limb_status check_plain(csv_line line, const char* text, const char* end, int column, limb_error* err)
{
  const size_t length = (size_t)(end - text);
  if (memchr(text, ';', length)) {
    return wrong_name(line, text, column, "semicolons separate the names; use commas, and points as decimal marks",
                      err);
  }
  if (memchr(text, '\t', length)) {
    return wrong_name(line, text, column, "tabs separate the names; use commas", err);
  }
  if (memchr(text, '"', length)) {
    return wrong_name(line, text, column,
                      "a quote inside a name; put the whole name in quotes and double the inner one", err);
  }
  if (*text == '#' && column == 1) {
    return wrong_name(line, text, column, "the header is a comment; remove the '#' (numpy.savetxt: comments='')", err);
  }
  return LIMB_OK;
}

// What every name must be, in quotes or not. It stands in [name, end), and in the line at `at`.
static limb_status check_name(csv_line line, const char* at, const char* name, const char* end, int column,
                              limb_error* err)
{
  if (name == end) {
    return wrong_name(line, at, column, "the column has no name; name it, or remove the comma that is too much", err);
  }
  for (const char* p = name; p < end;) {
    const size_t length = limb_utf8(p, end, NULL);
    if (!length) {
      return wrong_name(line, at, column, "the name is not UTF-8; save the file as UTF-8", err);
    }
    const bool mark = length == 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0; // not at the start: unseen
    if ((unsigned char)*p < ' ' || *p == 0x7f || mark) {
      return wrong_name(line, at, column,
                        "an invisible character in the name; remove it, and end lines with LF or CR LF", err);
    }
    p += length;
  }
  double x;
  if (limb_scan_number(name, end, &x) == end) {
    char room[LIMB_SHOWN_SPACE], message[200];
    (void)snprintf(message, sizeof message, "'%s' is a number; the first row must name the columns, e.g. time,q.j1",
                   limb_shown(name, end, room));
    return wrong_name(line, at, column, message, err);
  }
  return LIMB_OK;
}

// Takes the name at *at, which moves to the comma behind it or to the end of the line.
static limb_status take_name(limb_csv_reader* r, csv_line line, const char** at, char** to, limb_error* err)
{
  const int column = r->columns + 1;
  const char* p = csv_skip_blanks(*at, line.end);
  char* const name = *to;
  const char* stop = csv_field_end(p, line.end);
  *at = stop;
  if (p < line.end && *p == '"') {
    const char* behind = unquote(p, line.end, to);
    if (!behind) {
      return wrong_name(line, p, column, "the quote is not closed; end the name with \"", err);
    }
    if (csv_skip_blanks(behind, line.end) != stop) {
      return wrong_name(line, p, column, "text behind a quoted name; put a comma between them", err);
    }
  } else {
    stop = trim(p, stop);
    if (p < stop) {
      const limb_status status = check_plain(line, p, stop, column, err);
      if (status != LIMB_OK) return status;
    }
    memcpy(name, p, (size_t)(stop - p));
    *to += stop - p;
  }
  const limb_status status = check_name(line, p, name, *to, column, err);
  *(*to)++ = 0;
  r->name[r->columns] = (csv_name){.text = name, .column = r->columns};
  r->columns++;
  return status;
}

// ---- all names -------------------------------------------------------------------------------------

// By text; the same ones by column.
static int by_text(const void* a, const void* b)
{
  const csv_name *x = a, *y = b;
  const int order = strcmp(x->text, y->text);
  return order ? order : (x->column > y->column) - (x->column < y->column);
}

static int text_only(const void* key, const void* item)
{
  const csv_name* name = item;
  return strcmp(key, name->text);
}

static const char* start_of_column(csv_line line, int column)
{
  const char* p = csv_skip_blanks(line.text, line.end);
  for (; column > 0; column--) p = csv_skip_blanks(csv_field_end(p, line.end) + 1, line.end);
  return p;
}

static limb_status sort_names(limb_csv_reader* r, csv_line line, limb_error* err)
{
  memcpy(r->sorted, r->name, (size_t)r->columns * sizeof *r->name);
  qsort(r->sorted, (size_t)r->columns, sizeof *r->sorted, by_text);
  for (int i = 1; i < r->columns; i++) {
    const csv_name *first = &r->sorted[i - 1], *again = &r->sorted[i];
    if (strcmp(first->text, again->text) != 0) continue;
    char room[LIMB_SHOWN_SPACE], message[200];
    (void)snprintf(message, sizeof message, "the name '%s' stands in column %d already; rename or remove one of them",
                   limb_shown(again->text, again->text + strlen(again->text), room), first->column + 1);
    return wrong_name(line, start_of_column(line, again->column), again->column + 1, message, err);
  }
  return LIMB_OK;
}

static limb_status make_room(limb_csv_reader* r, csv_line line, limb_error* err)
{
  int commas = 0;
  for (const char* p = line.text; p < line.end; p++) commas += *p == ',';
  r->room = commas + 1;
  r->name = limb_alloc(&r->alloc, (size_t)r->room * sizeof *r->name);
  r->sorted = limb_alloc(&r->alloc, (size_t)r->room * sizeof *r->sorted);
  r->text_size = (size_t)(line.end - line.text) + 1; // a comma becomes a zero, and one more
  r->text = limb_alloc(&r->alloc, r->text_size);
  if (r->name && r->sorted && r->text) return LIMB_OK;
  return limb_fail(err, LIMB_E_NOMEM, NULL, "out of memory for the names of the columns");
}

limb_status limb_csv_read_header(limb_csv_reader* r, csv_line line, limb_error* err)
{
  limb_status status = make_room(r, line, err);
  char* to = r->text;
  const char* at = line.text;
  while (status == LIMB_OK) {
    status = take_name(r, line, &at, &to, err);
    if (status != LIMB_OK || at == line.end) break;
    at++;
  }
  return status == LIMB_OK ? sort_names(r, line, err) : status;
}

int limb_csv_find(const limb_csv_reader* r, const char* name)
{
  if (!r || !name) return -1;
  const csv_name* found = bsearch(name, r->sorted, (size_t)r->columns, sizeof *r->sorted, text_only);
  return found ? found->column : -1;
}
