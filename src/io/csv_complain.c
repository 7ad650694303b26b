// What to say about a row of a CSV table that cannot be read. Slow and thorough: the fast path in
// csv_read.c only knows that something is wrong.
#include "base/number.h"
#include "base/status.h"
#include "io/csv.h"
#include "io/utf8.h"

#include <string.h>

// ---- places and texts ------------------------------------------------------------------------------

limb_status limb_csv_place(limb_error* err, csv_line line, const char* at, limb_status status)
{
  if (!err) return status;
  err->line = line.number;
  err->column = 1;
  for (const char* p = line.text; p != at; p++) err->column += (*p & 0xc0) != 0x80;
  return status;
}

// ---- a field ---------------------------------------------------------------------------------------

static bool has(const char* text, const char* end, int c)
{
  return text < end && memchr(text, c, (size_t)(end - text)) != NULL;
}

// "nan", "-inf", "Infinity", "1.#IND" and the like.
static bool is_not_finite(const char* text, const char* end)
{
  if (has(text, end, '#')) return true;
  if (text < end && (*text == '-' || *text == '+')) text++;
  char word[4] = "";
  for (int i = 0; i < 3 && text + i < end; i++) word[i] = (char)(text[i] | 0x20);
  return strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0;
}

// What is wrong with the text of a field, blanks trimmed.
static const char* reason(const char* text, const char* end)
{
  double x;
  const char* behind = limb_scan_number(text, end, &x);
  if (behind == end) return "is too large for a number; write less than 1e308";
  if (is_not_finite(text, end)) {
    return "is not a finite number; leave the row out, or give its value";
  }
  if (behind && *behind == ',') return "has a decimal comma; write a point";
  if (behind && *behind == ';') return "has a semicolon; separate fields by commas";
  if (behind && csv_blank(*behind)) {
    return "is more than one number; separate fields by commas, leave out units";
  }
  return "is not a number; write it like 0.5 or 5e-1, without units";
}

limb_status limb_csv_complain_field(const limb_csv_reader* r, csv_line line, const char* at, int column,
                                    limb_error* err)
{
  const char *text = csv_skip_blanks(at, line.end), *end = csv_field_end(text, line.end);
  while (end > text && csv_blank(end[-1])) end--;
  const char* const start = text;
  const char* const name = r->name[column].text;
  char room[LIMB_SHOWN_SPACE], where[CSV_WHERE_SPACE];
  (void)snprintf(where, sizeof where, "column '%s'", limb_shown(name, name + strlen(name), room));

  const char* message = NULL;
  const bool quoted = text < end && *text == '"';
  if (quoted && (end - text < 2 || end[-1] != '"')) {
    message = "the quotes do not hold the whole field; close them on this line, or leave them away";
  } else if (quoted) {
    text = csv_skip_blanks(text + 1, end), end--;
    while (end > text && csv_blank(end[-1])) end--;
  }
  if (has(text, end, 0)) {
    message = "a zero byte; the file is damaged, or is not text";
  } else if (has(text, end, '\r')) {
    message = "a carriage return inside the line; end lines with LF or CR LF";
  } else if (text == end && !message) {
    message = "there is no number; every row needs one in every column";
  }
  const limb_status status =
    message ? limb_fail(err, LIMB_E_SYNTAX, where, "%s", message)
            : limb_fail(err, LIMB_E_SYNTAX, where, "'%s' %s", limb_shown(text, end, room), reason(text, end));
  return limb_csv_place(err, line, start, status);
}

// ---- a row -----------------------------------------------------------------------------------------

limb_status limb_csv_complain_count(const limb_csv_reader* r, csv_line line, limb_error* err)
{
  // the place is the first field that is too much, or the end of the row
  const char* at = line.end;
  long long count = 0;
  for (const char* p = line.text;; p++) {
    if (count++ == r->columns) at = p;
    p = csv_field_end(p, line.end);
    if (p == line.end) break;
  }
  const char* advice = "give every row one number per column";
  if (count < r->columns && r->over && r->at == r->end) advice = "the file may be cut off here";
  if (count > r->columns) {
    advice = "give every row one number per column, and decimals a point, not a comma";
  }
  return limb_csv_place(err, line, at,
                        limb_fail(err, LIMB_E_SYNTAX, "row", "%lld field%s, but %d column%s; %s", count,
                                  count == 1 ? "" : "s", r->columns, r->columns == 1 ? "" : "s", advice));
}
