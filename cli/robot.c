// The model of a command line: options of reading, what was found, building, the environment.
#include "robot.h"
#include "cli.h"

#include <string.h>

int cli_exit_code(limb_status s)
{
  switch (s) {
  case LIMB_OK: return EXIT_FINE;
  case LIMB_E_SYNTAX:
  case LIMB_E_MODEL:
  case LIMB_E_UNSUPPORTED: return EXIT_MODEL;
  case LIMB_E_SINGULAR:
  case LIMB_E_NOCONV:
  case LIMB_E_NONFINITE: return EXIT_NUMERICAL;
  case LIMB_E_ARG:
  case LIMB_E_NOMEM:
  case LIMB_E_ORDER:
  case LIMB_E_IO: break;
  }
  return EXIT_USAGE;
}

// ---- findings --------------------------------------------------------------------------------------

void cli_print_finding(FILE* out, const char* file, const limb_finding* f)
{
  (void)fprintf(out, "%s:", file);
  if (f->line > 0) (void)fprintf(out, "%d:", f->line);
  if (f->line > 0 && f->column > 0) (void)fprintf(out, "%d:", f->column);
  (void)fprintf(out, " %s: %s%s%s [%s]\n", limb_severity_name(f->severity), f->where,
                *f->where ? ": " : "", f->text, f->rule);
}

void cli_print_findings(FILE* out, const char* file, const limb_findings* f, limb_severity from)
{
  limb_finding x;
  for (int i = 0; i < limb_findings_count(f); i++) {
    if (limb_findings_get(f, i, &x) != LIMB_OK || x.severity < from) continue;
    cli_print_finding(out, file, &x);
    if (*x.hint) (void)fprintf(out, "    %s\n", x.hint);
  }
}

// The built-in robot whose name is near; NULL when there is none, or the name is that of a file.
static const char* nearest_robot(const char* name)
{
  enum { MOST = 64 };
  const char* names[MOST + 1] = {NULL};
  limb_robot_info robot;
  for (int i = 0; i < limb_robot_count() && i < MOST; i++)
    if (limb_get_robot(i, &robot) == LIMB_OK) names[i] = robot.name;
  return strpbrk(name, "/.") ? NULL : cli_nearest(name, names);
}

void cli_print_error(FILE* out, const char* file, limb_status s, const limb_error* err)
{
  (void)fprintf(out, "%s:", file);
  if (err->line > 0) (void)fprintf(out, "%d:", err->line);
  if (err->line > 0 && err->column > 0) (void)fprintf(out, "%d:", err->column);
  const int other = *err->where && strcmp(err->where, file) != 0; // the file is named already
  (void)fprintf(out, " error: %s%s%s", other ? err->where : "", other ? ": " : "",
                *err->text ? err->text : limb_status_text(s));
  const char* near = s == LIMB_E_IO ? nearest_robot(file) : NULL;
  if (near) (void)fprintf(out, "; did you mean '%s'?", near);
  (void)fprintf(out, "\n");
}

// ---- options ---------------------------------------------------------------------------------------

static limb_format format_option(const char* name)
{
  static const limb_format all[] = {LIMB_FORMAT_URDF, LIMB_FORMAT_YAML, LIMB_FORMAT_PAR,
                                    LIMB_FORMAT_MJCF};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(name, limb_format_name(all[i])) == 0) return all[i];
  return LIMB_FORMAT_AUTO;
}

static limb_base base_option(const char* name)
{
  if (strcmp(name, "fixed") == 0) return LIMB_BASE_FIXED;
  if (strcmp(name, "floating") == 0) return LIMB_BASE_FLOATING;
  if (strcmp(name, "planar") == 0) return LIMB_BASE_PLANAR;
  return LIMB_BASE_AS_FILE;
}

int cli_read_options(const cli_args* args, limb_read_options* opt)
{
  const char *from = cli_get(args, "from"), *base = cli_get(args, "base");
  *opt = limb_default_read_options();
  if (from) opt->format = format_option(from);
  if (base) opt->base = base_option(base);
  opt->no_mimic = cli_has(args, "no-mimic");
  if (cli_has(args, "max-bytes")) {
    double bytes = 0;
    if (!cli_numbers(args, "max-bytes", 1, &bytes)) return EXIT_USAGE;
    if (bytes < 1 || bytes > 1e15) return cli_usage(args, "--max-bytes must be from 1 to 1e15");
    opt->max_bytes = (size_t)bytes;
  }
  return EXIT_FINE;
}

static int environment_options(const cli_args* args, cli_robot* r)
{
  double g[3];
  r->env = limb_default_environment(r->model);
  if (cli_has(args, "gravity")) {
    if (!cli_numbers(args, "gravity", 3, g)) return EXIT_USAGE;
    r->env.gravity = sp_v3(g[0], g[1], g[2]);
  }
  r->env.friction = !cli_has(args, "no-friction");
  return EXIT_FINE;
}

// ---- opening ---------------------------------------------------------------------------------------

// Reads; EXIT_FINE, or an exit code after everything from a severity on was said.
static int read_robot(const cli_args* args, const char* source, limb_severity from, cli_robot* r)
{
  limb_read_options opt;
  limb_error err = {0};
  const int code = cli_read_options(args, &opt);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_read(source, &opt, &r->reading, &err);
  limb_findings* f = limb_reading_findings(r->reading);
  const char* name = r->reading ? limb_reading_source(r->reading) : source;
  limb_findings_sort(f);
  cli_print_findings(stderr, name, f, from);
  if (s != LIMB_OK && limb_findings_count_from(f, LIMB_ERROR) == 0)
    cli_print_error(stderr, name, s, &err);
  return cli_exit_code(s);
}

static int build_robot(cli_robot* r)
{
  limb_error err = {0};
  limb_status s = limb_builder_build(limb_reading_builder(r->reading), &r->model, &err);
  if (s == LIMB_OK) s = limb_data_create(r->model, NULL, &r->data);
  if (s != LIMB_OK) cli_print_error(stderr, limb_reading_source(r->reading), s, &err);
  return cli_exit_code(s);
}

// What the compiler doubts is a warning here; what was noted is only counted.
static void tell_notes(const cli_robot* r)
{
  const char* name = limb_reading_source(r->reading);
  const limb_findings* f = limb_reading_findings(r->reading);
  const int notes = limb_findings_count(f) - limb_findings_count_from(f, LIMB_WARNING);
  limb_note note;
  for (int i = 0; i < limb_model_note_count(r->model); i++) {
    if (limb_model_note(r->model, i, &note) != LIMB_OK) continue;
    if (note.kind == LIMB_NOTE_MASSLESS || note.kind == LIMB_NOTE_NONPHYSICAL)
      (void)fprintf(stderr, "%s: warning: %s: %s [%s]\n", name, note.subject, note.text,
                    limb_note_kind_name(note.kind));
  }
  if (notes > 0)
    (void)fprintf(stderr, "%s: %d note%s; limb check lists %s\n", name, notes,
                  notes == 1 ? "" : "s", notes == 1 ? "it" : "them");
}

static int open_robot(const cli_args* args, const char* source, limb_severity from, cli_robot* r)
{
  *r = (cli_robot){0};
  int code = read_robot(args, source, from, r);
  if (code == EXIT_FINE) code = build_robot(r);
  if (code == EXIT_FINE) code = environment_options(args, r);
  if (code != EXIT_FINE) cli_robot_close(r);
  return code;
}

int cli_robot_open_quietly(const cli_args* args, const char* source, cli_robot* r)
{
  return open_robot(args, source, LIMB_ERROR, r);
}

int cli_robot_open(const cli_args* args, const char* source, cli_robot* r)
{
  const int code = open_robot(args, source, LIMB_WARNING, r);
  if (code == EXIT_FINE) tell_notes(r);
  return code;
}

void cli_robot_close(cli_robot* r)
{
  limb_data_destroy(r->data);
  limb_model_destroy(r->model);
  limb_reading_destroy(r->reading);
  *r = (cli_robot){0};
}
