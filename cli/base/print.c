// Text for people: aligned tables, and colours on terminals.
#define _POSIX_C_SOURCE 200809L // isatty, fileno

#include "base/print.h"
#include "base/command.h"
#include "base/output.h"
#include <errno.h>
#include <float.h>

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
    cli_note_out_of_memory(0);
    return;
  }
  va_start(list, format);
  (void)vsnprintf(cell, (size_t)length + 1, format, list);
  va_end(list);
  t->cells[t->count++] = cell;
}

double cli_clean(double x, double size) { return fabs(x) < 16 * DBL_EPSILON * size ? 0 : x; }

double cli_largest(const double* x, size_t count)
{
  double largest = 0;
  for (size_t k = 0; k < count; k++)
    if (isfinite(x[k])) largest = fmax(largest, fabs(x[k]));
  return largest;
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
    cli_note_out_of_memory(0);
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

// ---- JSON of the tool ------------------------------------------------------------------------------

json_t* cli_json_number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

json_t* cli_json_text(const char* text)
{
  if (!text) return json_null();
  json_t* r = json_string(text);
  char* copy = r ? NULL : malloc(strlen(text) + 1);
  if (!copy) return r;
  // Not UTF-8: what is not ASCII becomes a question mark.
  size_t n = 0;
  for (; text[n]; n++) {
    copy[n] = text[n];
    if ((unsigned char)text[n] >= 128) copy[n] = '?';
  }
  copy[n] = '\0';
  r = json_string(copy);
  free(copy);
  return r;
}

json_t* cli_json_numbers(int n, const double* x)
{
  json_t* r = json_array();
  for (int i = 0; i < n; i++) (void)json_array_append_new(r, cli_json_number(x[i]));
  return r;
}

json_t* cli_json_matrix(int rows, int columns, const double* x)
{
  json_t* r = json_array();
  for (int i = 0; i < rows; i++)
    (void)json_array_append_new(r, cli_json_numbers(columns, x + (size_t)i * (size_t)columns));
  return r;
}

json_t* cli_json_vec3(sp_vec3 x)
{
  const double c[3] = {x.x, x.y, x.z};
  return cli_json_numbers(3, c);
}

json_t* cli_json_pose(sp_pose X)
{
  const sp_quat q = sp_quat_rot(X.R);
  const double parts[4] = {q.x, q.y, q.z, q.w};
  json_t* r = json_object();
  cli_json_set(r, "position quaternion rotation", cli_json_vec3(X.p), cli_json_numbers(4, parts),
               cli_json_matrix(3, 3, X.R.m));
  return r;
}

json_t* cli_json_inertia(const sp_inertia* Y)
{
  const double moments[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  json_t* r = json_object();
  cli_json_set(r, "mass com inertia", cli_json_number(Y->mass), cli_json_vec3(Y->com), cli_json_numbers(6, moments));
  return r;
}

void cli_json_set(json_t* object, const char* keys, ...)
{
  va_list values;
  va_start(values, keys);
  while (*keys) {
    const size_t length = strcspn(keys, " ");
    char key[64];
    (void)snprintf(key, sizeof key, "%.*s", (int)length, keys);
    (void)json_object_set_new(object, key, va_arg(values, json_t*));
    keys += length + (keys[length] == ' ');
  }
  va_end(values);
}

json_t* cli_json_answer(void)
{
  json_t* r = json_object();
  (void)json_object_set_new(r, "schema", json_integer(1));
  return r;
}

int cli_json_print(json_t* root, FILE* out, const char* command)
{
  char* text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(root);
  if (!text || cli_is_out_of_memory()) cli_note_out_of_memory(0);
  errno = 0;
  const int failed = cli_is_out_of_memory() || fputs(text, out) == EOF || fputc('\n', out) == EOF || fflush(out) != 0;
  const int code = errno;
  free(text);
  if (!failed) return EXIT_FINE;
  if (cli_is_out_of_memory()) return EXIT_USAGE;
  errno = code;
  return cli_unwritten(command, "the JSON", "unknown error");
}

// ---- Findings as JSON ------------------------------------------------------------------------------

json_t* cli_json_finding(const limb_finding* f)
{
  json_t* r = json_object();
  limb_rule_info rule = {.why = "", .fix = ""};
  (void)!limb_get_rule(limb_find_rule(f->rule), &rule);
  cli_json_set(r, "rule severity file line column where text why fix hint", cli_json_text(f->rule),
               cli_json_text(limb_severity_name(f->severity)), cli_json_text(f->file ? f->file : ""),
               json_integer(f->line), json_integer(f->column), cli_json_text(f->where), cli_json_text(f->text),
               cli_json_text(rule.why), cli_json_text(rule.fix), cli_json_text(f->hint));
  return r;
}

json_t* cli_json_findings(const limb_findings* f)
{
  json_t* r = json_array();
  limb_finding x;
  for (int i = 0; i < limb_findings_count(f); i++)
    if (limb_findings_get(f, i, &x) == LIMB_OK) (void)json_array_append_new(r, cli_json_finding(&x));
  return r;
}
// ---- csv -------------------------------------------------------------------------------------------

int cli_csv_print(FILE* out, const char* command, cli_csv_fn* rows, const void* context)
{
  limb_csv_writer* w = NULL;
  errno = 0;
  limb_status s = limb_csv_create(out, NULL, &w);
  if (s == LIMB_OK) s = rows(w, context);
  if (s == LIMB_OK) s = limb_csv_finish(w);
  limb_csv_destroy(w);
  return s == LIMB_OK ? EXIT_FINE : cli_unwritten(command, "the CSV", limb_status_text(s));
}

limb_status cli_csv_head(limb_csv_writer* w, const char* const* names)
{
  limb_status s = LIMB_OK;
  while (*names && s == LIMB_OK) s = limb_csv_text(w, *names++);
  return s == LIMB_OK ? limb_csv_end_row(w) : s;
}
