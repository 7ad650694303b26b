// Text for people: aligned tables, and colours on terminals.
#define _POSIX_C_SOURCE 200809L // isatty, fileno

#include "base/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cli_table cli_table_make(const char* align) { return (cli_table){.columns = (int)strlen(align), .align = align}; }

void cli_table_free(cli_table* t)
{
  for (int i = 0; i < t->count; i++) free(t->cells[i]);
  free(t->cells);
  *t = (cli_table){0};
}

static int make_room(cli_table* t)
{
  if (t->count < t->capacity) return 1;
  const int capacity = t->capacity ? 2 * t->capacity : 64;
  char** cells = realloc(t->cells, (size_t)capacity * sizeof *cells);
  if (!cells) return 0;
  t->cells = cells;
  t->capacity = capacity;
  return 1;
}

void cli_cell(cli_table* t, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  char* cell = length >= 0 && make_room(t) ? malloc((size_t)length + 1) : NULL;
  if (!cell) {
    t->failed = 1;
    return;
  }
  va_start(list, format);
  (void)vsnprintf(cell, (size_t)length + 1, format, list);
  va_end(list);
  t->cells[t->count++] = cell;
}

void cli_cell_number(cli_table* t, double x)
{
  if (isfinite(x)) {
    cli_cell(t, "%.6g", x == 0 ? 0.0 : x); // not -0
  } else {
    cli_cell(t, "-");
  }
}

// Characters of UTF-8 text: bytes that do not continue one.
static int width(const char* text)
{
  int n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

static int column_width(const cli_table* t, int column)
{
  int widest = 0;
  for (int i = column; i < t->count; i += t->columns) {
    const int w = width(t->cells[i]);
    if (w > widest) widest = w;
  }
  return widest;
}

static void print_row(const cli_table* t, int first, FILE* out, const int* widths)
{
  int owed = 0; // blanks, printed only if something follows them
  for (int c = 0; c < t->columns && first + c < t->count; c++) {
    const char* cell = t->cells[first + c];
    const int blank = widths[c] - width(cell), left = t->align[c] == 'r' ? blank : 0;
    if (*cell) {
      (void)fprintf(out, "%*s%s", owed + left, "", cell);
      owed = 0;
    } else {
      owed += left;
    }
    owed += blank - left + 2;
  }
}

void cli_table_print(cli_table* t, FILE* out, const char* indent)
{
  int* widths = calloc((size_t)t->columns + 1, sizeof *widths);
  if (!widths || t->failed) {
    (void)fprintf(out, "%s(not enough memory for a table)\n", indent);
    free(widths);
    cli_table_free(t);
    return;
  }
  for (int c = 0; c < t->columns; c++) widths[c] = column_width(t, c);
  for (int i = 0; i < t->count; i += t->columns) {
    (void)fprintf(out, "%s%s", indent, i == 0 ? cli_on(out, CLI_BOLD) : "");
    print_row(t, i, out, widths);
    (void)fprintf(out, "%s\n", i == 0 ? cli_off(out, CLI_BOLD) : "");
  }
  free(widths);
  cli_table_free(t);
}

// ---- colours ---------------------------------------------------------------------------------------

int cli_has_colour(FILE* out)
{
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (no && *no) return 0;
  return term && strcmp(term, "dumb") != 0 && isatty(fileno(out));
}

const char* cli_on(FILE* out, cli_colour colour)
{
  static const char* const code[] = {"\033[1m", "\033[32m", "\033[33m", "\033[1;31m", "\033[2m", ""};
  return cli_has_colour(out) ? code[colour] : "";
}

const char* cli_off(FILE* out, cli_colour colour)
{
  return colour != CLI_PLAIN && cli_has_colour(out) ? "\033[0m" : "";
}
