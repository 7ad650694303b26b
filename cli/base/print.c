// What commands print: tables as text and JSON, colours on terminals, JSON, CSV.
#define _POSIX_C_SOURCE 200809L // isatty, fileno

#include "base/print.h"
#include "limb/draw.h"
#include "base/command.h"
#include "base/output.h"
#include <errno.h>
#include <float.h>

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- tables ----------------------------------------------------------------------------------------

struct cli_table_cell {
  char* text;
  json_t* value; // in JSON; NULL: none
  int is_text;   // it is the text
};

// One column of the form.
typedef struct column {
  int is_text, is_left; // is_text 0: only in JSON
  const char *heading, *key;
  int nheading, nkey; // their lengths; nkey 0: only in text
  int width;          // of the text
} column;

// Reads the column at *form and moves on; 0 at the end.
static int next_column(const char** form, column* out)
{
  const char* at = *form;
  if (!*at) return 0;
  const size_t length = strcspn(at, ";");
  *out = (column){.is_text = *at == '<' || *at == '>', .is_left = *at == '<'};
  out->heading = at + out->is_text;
  out->nheading = (int)strcspn(out->heading, "=;");
  const int named = out->heading[out->nheading] == '=';
  out->key = named ? out->heading + out->nheading + 1 : out->heading;
  out->nkey = (int)(at + length - out->key);
  *form = at + length + (at[length] == ';');
  return 1;
}

cli_table cli_table_make(const char* form)
{
  cli_table t = {.form = form};
  column c;
  while (next_column(&form, &c)) t.columns++;
  return t;
}

void cli_table_free(cli_table* t)
{
  for (int i = 0; i < t->count; i++) free(t->cells[i].text), json_decref(t->cells[i].value);
  free(t->cells);
  *t = (cli_table){0};
}

static int reserve(cli_table* t)
{
  if (t->count < t->capacity) return 1;
  const int capacity = t->capacity ? 2 * t->capacity : 64;
  struct cli_table_cell* cells = realloc(t->cells, (size_t)capacity * sizeof *cells);
  if (!cells) return 0;
  t->cells = cells;
  t->capacity = capacity;
  return 1;
}

static void add_cell(cli_table* t, int is_text, json_t* value, const char* format, va_list list)
{
  va_list again;
  va_copy(again, list);
  const int length = vsnprintf(NULL, 0, format, list);
  char* text = length >= 0 && reserve(t) ? malloc((size_t)length + 1) : NULL;
  if (text) {
    (void)vsnprintf(text, (size_t)length + 1, format, again);
    t->cells[t->count++] = (struct cli_table_cell){text, value, is_text};
  } else {
    json_decref(value);
    t->failed = 1;
    cli_note_out_of_memory(0);
  }
  va_end(again);
}

void cli_cell(cli_table* t, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  add_cell(t, 1, NULL, format, list);
  va_end(list);
}

void cli_cell_json(cli_table* t, json_t* value, const char* format, ...)
{
  va_list list;
  va_start(list, format);
  add_cell(t, 0, value, format, list);
  va_end(list);
}

void cli_cell_number(cli_table* t, double x)
{
  if (isfinite(x))
    cli_cell_json(t, cli_json_number(x), "%.6g", x == 0 ? 0.0 : x); // not -0
  else
    cli_cell_json(t, json_null(), "-");
}

void cli_cell_integer(cli_table* t, long long x) { cli_cell_json(t, json_integer(x), "%lld", x); }

json_t* cli_table_json(cli_table* t)
{
  json_t* list = json_array();
  if (t->failed) cli_note_out_of_memory(0);
  for (int i = 0; i + t->columns <= t->count && t->columns > 0; i += t->columns) {
    json_t* row = json_object();
    const char* form = t->form;
    column c;
    for (int k = i; next_column(&form, &c); k++) {
      const struct cli_table_cell* cell = &t->cells[k];
      char key[64];
      if (c.nkey == 0 || (!cell->value && !cell->is_text)) continue;
      (void)snprintf(key, sizeof key, "%.*s", c.nkey, c.key);
      (void)json_object_set_new(row, key, cell->is_text ? cli_json_text(cell->text) : json_incref(cell->value));
    }
    (void)json_array_append_new(list, row);
  }
  cli_table_free(t);
  return list;
}

double cli_clean(double x, double size) { return fabs(x) < 16 * DBL_EPSILON * size ? 0 : x; }

double cli_largest(const double* x, size_t count)
{
  double largest = 0;
  for (size_t k = 0; k < count; k++)
    if (isfinite(x[k])) largest = fmax(largest, fabs(x[k]));
  return largest;
}

// Characters of UTF-8 text: bytes that do not continue one.
static int width(const char* text, int length)
{
  int n = 0;
  for (int i = 0; i < length; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
  return n;
}

// The row whose cells begin at first; -1: the headings.
static void print_row(const cli_table* t, int first, FILE* out, const column* c)
{
  int owed = 0; // blanks, printed only if something follows them
  for (int k = 0; k < t->columns; k++) {
    const char* cell = first < 0 ? c[k].heading : t->cells[first + k].text;
    const int length = first < 0 ? c[k].nheading : (int)strlen(cell);
    const int blank = c[k].width - width(cell, length), left = c[k].is_left ? 0 : blank;
    if (!c[k].is_text) continue;
    if (length > 0) (void)fprintf(out, "%*s%.*s", owed + left, "", length, cell), owed = -left;
    owed += blank + 2;
  }
}

void cli_table_print(cli_table* t, FILE* out, const char* indent)
{
  column* c = calloc((size_t)t->columns + 1, sizeof *c);
  const char* form = t->form;
  int top = 0; // -1: the row of headings
  for (int k = 0; c && next_column(&form, &c[k]); k++) {
    c[k].width = c[k].is_text ? width(c[k].heading, c[k].nheading) : 0;
    if (c[k].width > 0) top = -1;
    for (int i = k; i < t->count; i += t->columns) {
      const int w = width(t->cells[i].text, (int)strlen(t->cells[i].text));
      if (w > c[k].width) c[k].width = w;
    }
  }
  if (!c || t->failed) cli_note_out_of_memory(0);
  for (int i = top; c && !t->failed && i < t->count; i = i < 0 ? 0 : i + t->columns) {
    (void)fprintf(out, "%s%s", indent, i == top ? cli_on(out, CLI_BOLD) : "");
    print_row(t, i, out, c);
    (void)fprintf(out, "%s\n", i == top ? cli_off(out, CLI_BOLD) : "");
  }
  free(c);
  cli_table_free(t);
}

void cli_table_page(cli_table* t, FILE* out)
{
  enum { COLUMNS = 24 };
  const char *heading[COLUMNS], *form = t->form;
  char* text = strdup(form); // the headings, each closed by the zero in place of what separates them
  unsigned char left[COLUMNS] = {0};
  column c;
  int columns = 0, rows = t->columns > 0 ? t->count / t->columns : 0, from[COLUMNS]; // which are not for JSON alone
  for (int k = 0; text && columns < COLUMNS && next_column(&form, &c); k++) {
    if (!c.is_text) continue;
    heading[columns] = text + (c.heading - t->form), left[columns] = (unsigned char)c.is_left;
    text[c.heading - t->form + c.nheading] = '\0';
    from[columns++] = k;
  }
  const char** cell = calloc((size_t)t->count + 1, sizeof *cell);
  unsigned char* mark = calloc((size_t)t->count + 1, 1);
  for (int i = 0; cell && mark && i < rows * columns; i++) {
    const char* entry = t->cells[i / columns * t->columns + from[i % columns]].text;
    const size_t n = strlen(entry);
    cell[i] = entry;
    const int red = (n >= 4 && strcmp(entry + n - 4, "OVER") == 0) || strcmp(entry, "error") == 0;
    mark[i] = red ? LIMB_PAGE_OVER : strcmp(entry, "-") == 0 ? LIMB_PAGE_FAIR : 0;
  }
  if (!text || !cell || !mark || t->failed)
    cli_note_out_of_memory(0);
  else
    limb_page_table_write(out, &(limb_page_table){columns, rows, heading, left, cell, mark});
  free(text);
  free(cell);
  free(mark);
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
  return cli_json_object("position quaternion rotation", cli_json_vec3(X.p), cli_json_numbers(4, parts),
                         cli_json_matrix(3, 3, X.R.m));
}

json_t* cli_json_inertia(const sp_inertia* Y)
{
  const double moments[6] = {Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  return cli_json_object("mass com inertia", cli_json_number(Y->mass), cli_json_vec3(Y->com),
                         cli_json_numbers(6, moments));
}

static void set_keys(json_t* object, const char* keys, va_list values)
{
  while (*keys) {
    const size_t length = strcspn(keys, " ");
    char key[64];
    (void)snprintf(key, sizeof key, "%.*s", (int)length, keys);
    (void)json_object_set_new(object, key, va_arg(values, json_t*));
    keys += length + (keys[length] == ' ');
  }
}

void cli_json_set(json_t* object, const char* keys, ...)
{
  va_list values;
  va_start(values, keys);
  set_keys(object, keys, values);
  va_end(values);
}

json_t* cli_json_object(const char* keys, ...)
{
  json_t* object = json_object();
  va_list values;
  va_start(values, keys);
  set_keys(object, keys, values);
  va_end(values);
  return object;
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

json_t* cli_json_findings(const limb_findings* f, int from)
{
  json_t* r = json_array();
  limb_finding x;
  for (int i = from; i < limb_findings_count(f); i++)
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
