// The model of a command line: options of reading, what was found, building, the environment.
#include "robot/robot.h"
#include "base/command.h"

#include "limb/study.h"

#include "limb/read.h"
#include "base/output.h"
#include "base/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_note_is_auxiliary(const limb_model* m, const limb_note* note)
{
  limb_body_info x;
  return note->kind == LIMB_NOTE_MERGED && limb_get_body(m, limb_find_body(m, note->subject), &x) == LIMB_OK &&
         limb_stands_for(m, x.parent) >= 0;
}

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
  case LIMB_E_NOMEM: cli_note_out_of_memory(1); break;
  case LIMB_E_ARG:
  case LIMB_E_ORDER:
  case LIMB_E_IO: break;
  }
  return EXIT_USAGE;
}

int cli_failed(const cli_args* args, const char* about, limb_status s, const limb_error* err)
{
  if (s == LIMB_OK) return EXIT_FINE;
  (void)cli_usage(args, "%s%s%s", about, *about ? ": " : "", err && *err->text ? err->text : limb_status_text(s));
  return cli_exit_code(s);
}

// ---- findings --------------------------------------------------------------------------------------

void cli_print_position(FILE* out, const char* file, const limb_finding* f)
{
  (void)fprintf(out, "%s:", f->file && *f->file ? f->file : file);
  if (f->line > 0) (void)fprintf(out, "%d:", f->line);
  if (f->line > 0 && f->column > 0) (void)fprintf(out, "%d:", f->column);
}

static void print_as(FILE* out, const char* file, const limb_finding* f, limb_severity severity)
{
  const cli_colour colour = severity == LIMB_ERROR ? CLI_RED : severity == LIMB_WARNING ? CLI_YELLOW : CLI_FAINT;
  cli_print_position(out, file, f);
  (void)fprintf(out, " %s%s%s: %s%s%s [%s]\n", cli_on(out, colour), limb_severity_name(severity), cli_off(out, colour),
                f->where, *f->where ? ": " : "", f->text, f->rule);
}

void cli_print_finding(FILE* out, const char* file, const limb_finding* f) { print_as(out, file, f, f->severity); }

// The fix, once per rule; printed has an entry per rule, or is NULL if memory ran out.
static void print_fix(FILE* out, const limb_finding* f, char* printed)
{
  const int rule = limb_find_rule(f->rule);
  limb_rule_info info;
  if (f->severity != LIMB_ERROR || limb_get_rule(rule, &info) != LIMB_OK) return;
  if (printed && printed[rule]++) return;
  (void)fprintf(out, "    fix: %s\n", info.fix);
}

void cli_print_findings(FILE* out, const char* file, const limb_findings* f, limb_severity from)
{
  char* printed = calloc((size_t)limb_rule_count() + 1, 1);
  limb_finding x;
  for (int i = 0; i < limb_findings_count(f); i++) {
    if (limb_findings_get(f, i, &x) != LIMB_OK || x.severity < from) continue;
    cli_print_finding(out, file, &x);
    if (*x.hint) (void)fprintf(out, "    %s\n", x.hint);
    print_fix(out, &x, printed);
  }
  free(printed);
}

int cli_robot_finding(const cli_robot* r, int index, limb_finding* out)
{
  limb_rule_info rule;
  if (limb_findings_get(limb_reading_findings(r->reading), index, out) != LIMB_OK) return 0;
  if (index < r->nread) return 1;
  return limb_get_rule(limb_find_rule(out->rule), &rule) == LIMB_OK && rule.severity == LIMB_ERROR;
}

void cli_print_error(FILE* out, const char* file, limb_status s, const limb_error* err)
{
  cli_print_position(out, file, &(limb_finding){.line = err->line, .column = err->column});
  const int other = *err->where && strcmp(err->where, file) != 0; // the file is named already
  (void)fprintf(out, " error: %s%s%s\n", other ? err->where : "", other ? ": " : "",
                *err->text ? err->text : limb_status_text(s));
}

// ---- options ---------------------------------------------------------------------------------------

limb_ref cli_ref(const cli_args* args, const char* option)
{
  return cli_is(args, option, "body") ? LIMB_BODY : cli_is(args, option, "world") ? LIMB_WORLD : LIMB_ALIGNED;
}

static int base_motion(const cli_args* args, const char* option, sp_motion* out)
{
  double x[6];
  if (!cli_has(args, option)) return EXIT_FINE;
  if (!cli_numbers(args, option, 6, x)) return EXIT_USAGE;
  *out = sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
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
  const int code = base_motion(args, "base-velocity", &r->env.base_velocity);
  if (code != EXIT_FINE || base_motion(args, "base-acceleration", &r->env.base_acceleration) != EXIT_FINE)
    return EXIT_USAGE;
  r->env.friction = !cli_has(args, "no-friction");
  return cli_positive(args, "coulomb-width", &r->env.coulomb_width);
}

// ---- opening ---------------------------------------------------------------------------------------

// Reads; EXIT_FINE, or an exit code after all findings from a severity on were reported.
static int read_robot(const cli_args* args, const char* source, const limb_read_options* opt, limb_severity from,
                      cli_robot* r)
{
  limb_error err = {0};
  if (cli_reads(args, source) != EXIT_FINE) return EXIT_USAGE;
  const limb_status s = limb_read(source, opt, &r->reading, &err);
  limb_findings* f = limb_reading_findings(r->reading);
  const char* name = r->reading ? limb_reading_source(r->reading) : source;
  limb_findings_sort(f);
  cli_print_findings(stderr, name, f, from);
  r->nread = limb_findings_count(f);
  if (s == LIMB_OK) return EXIT_FINE;
  if (limb_findings_count_from(f, LIMB_ERROR) == 0)
    cli_print_error(stderr, name, s, &err);
  else if (s != LIMB_E_IO && strcmp(source, "-") != 0)
    (void)fprintf(stderr, "limb check %s reports more\n", source);
  return cli_exit_code(s);
}

// The doctor. Its findings follow those of the reader.
static int examine_robot(cli_robot* r)
{
  limb_error err = {0};
  const limb_status s = limb_check(r->reading, &err);
  if (s != LIMB_OK) cli_print_error(stderr, limb_reading_source(r->reading), s, &err);
  return cli_exit_code(s);
}

// Names and units of the coordinates.
static limb_status make_dofs(const limb_model* m, cli_dofs* out)
{
  *out = (cli_dofs){.nq = limb_nq(m), .nv = limb_nv(m)};
  out->q = calloc((size_t)out->nq + 1, sizeof *out->q);
  out->v = calloc((size_t)out->nv + 1, sizeof *out->v);
  if (!out->q || !out->v) return LIMB_E_NOMEM;
  const limb_status s = limb_dofs_create(m, NULL, &out->own);
  for (int k = 0; k < out->nq && s == LIMB_OK; k++) out->q[k] = *limb_get_coordinate(out->own, k);
  for (int k = 0; k < out->nv && s == LIMB_OK; k++) out->v[k] = *limb_get_velocity(out->own, k);
  return s;
}

static int build_robot(cli_robot* r)
{
  limb_error err = {0};
  limb_status s = limb_builder_build(limb_reading_builder(r->reading), &r->model, &err);
  if (s == LIMB_OK) s = limb_data_create(limb_spanning_tree(r->model), NULL, &r->data);
  if (s == LIMB_OK) s = make_dofs(r->model, &r->dofs);
  if (s != LIMB_OK) cli_print_error(stderr, limb_reading_source(r->reading), s, &err);
  return cli_exit_code(s);
}

// The doctor's errors, as warnings: the first few of each rule, the others counted. Returns how many.
static int report_errors(const cli_robot* r)
{
  enum { SHOWN = 3 };
  const char* name = limb_reading_source(r->reading);
  const int count = limb_findings_count(limb_reading_findings(r->reading));
  int* seen = calloc((size_t)limb_rule_count() + 1, sizeof *seen);
  int errors = 0;
  limb_rule_info rule;
  limb_finding x;
  for (int i = r->nread; i < count; i++) {
    if (!cli_robot_finding(r, i, &x)) continue;
    const int k = limb_find_rule(x.rule);
    errors++;
    if (!seen || k < 0 || seen[k]++ < SHOWN) print_as(stderr, name, &x, LIMB_WARNING);
  }
  for (int k = 0; seen && k < limb_rule_count(); k++)
    if (seen[k] > SHOWN && limb_get_rule(k, &rule) == LIMB_OK)
      (void)fprintf(stderr, "%s: warning: %d more of these [%s]\n", name, seen[k] - SHOWN, rule.name);
  free(seen);
  return errors;
}

// Notes are only counted.
static void report_rest(const cli_robot* r, const char* source, int errors)
{
  const char* name = limb_reading_source(r->reading);
  int notes = 0;
  limb_finding x;
  for (int i = 0; i < r->nread; i++) notes += cli_robot_finding(r, i, &x) && x.severity == LIMB_NOTE;
  if (errors > 0 && strcmp(source, "-") != 0) {
    (void)fprintf(stderr, "limb check %s reports more\n", source);
  } else if (notes > 0) {
    (void)fprintf(stderr, "%s: %d note%s; limb check lists %s\n", name, notes, notes == 1 ? "" : "s",
                  notes == 1 ? "it" : "them");
  }
}

// The doctor examines the file, not what changes make of it.
static int open_robot(const cli_args* args, const char* source, const limb_read_options* given, const cli_changes* c,
                      limb_severity from, cli_robot* r)
{
  limb_read_options own = {0};
  const limb_read_options* opt = given ? given : &own;
  *r = (cli_robot){0};
  int code = given ? EXIT_FINE : cli_read_options(args, &own);
  if (code == EXIT_FINE) code = read_robot(args, source, opt, from, r);
  if (code == EXIT_FINE) code = examine_robot(r);
  if (code == EXIT_FINE) code = cli_change(args, c, opt, r->reading);
  if (code == EXIT_FINE) code = build_robot(r);
  if (code == EXIT_FINE) code = environment_options(args, r);
  if (code != EXIT_FINE) cli_robot_close(r);
  return code;
}

int cli_robot_open_quietly(const cli_args* args, const char* source, cli_robot* r)
{
  return open_robot(args, source, NULL, NULL, LIMB_ERROR, r);
}

int cli_robot_open_as(const cli_args* args, const char* source, const limb_read_options* opt, const cli_changes* c,
                      cli_robot* r)
{
  const int code = open_robot(args, source, opt, c, LIMB_WARNING, r);
  if (code == EXIT_FINE) report_rest(r, source, report_errors(r));
  return code;
}

int cli_robot_open(const cli_args* args, const char* source, cli_robot* r)
{
  return cli_robot_open_as(args, source, NULL, NULL, r);
}

void cli_robot_close(cli_robot* r)
{
  free(r->dofs.q);
  free(r->dofs.v);
  limb_dofs_destroy(r->dofs.own);
  limb_data_destroy(r->data);
  limb_model_destroy(r->model);
  limb_reading_destroy(r->reading);
  *r = (cli_robot){0};
}

limb_status cli_text_read(const cli_text* text, limb_format format, const char* path, limb_reading** out,
                          limb_error* err)
{
  limb_read_options o = limb_default_read_options();
  o.format = format;
  o.max_bytes = text->size + 1;
  return limb_read_text(text->bytes, text->size, path, &o, out, err);
}

limb_status cli_load_built_in(const char* name, limb_model** out, limb_error* err)
{
  limb_reading* r = NULL;
  limb_status s = limb_read_robot(name, NULL, &r, err);
  if (s == LIMB_OK) s = limb_builder_build(limb_reading_builder(r), out, err);
  limb_reading_destroy(r);
  return s;
}

// ---- coordinates -----------------------------------------------------------------------------------

const char* cli_base_type(limb_joint_type type) { return type == LIMB_FREE ? "floating" : limb_joint_type_name(type); }

const char* cli_base_name(const limb_model* m, const cli_dofs* d)
{
  const char* name = "fixed";
  int joints = 0, others = 0;
  for (int k = 0; k < d->nv; k++) {
    limb_joint_info x;
    if (d->v[k].index > 0 || limb_get_joint(m, d->v[k].joint, &x) != LIMB_OK) continue;
    const char* type = cli_base_type(x.def.type);
    if (!d->v[k].moves)
      others += d->v[k].root;
    else if (joints++ == 0)
      name = type;
    else
      others += strcmp(name, type) != 0;
  }
  return joints > 0 && others > 0 ? "other" : name;
}

json_t* cli_json_dofs(int n, const cli_dof* d, const unsigned char* mark)
{
  json_t* list = json_array();
  for (int k = 0; k < n; k++)
    if (!mark || mark[k]) (void)json_array_append_new(list, cli_json_text(d[k].name));
  return list;
}

limb_status cli_csv_coordinates(limb_csv_writer* w, const cli_dofs* d)
{
  limb_status s = LIMB_OK;
  for (int k = 0; k < d->nq && s == LIMB_OK; k++) {
    char name[CLI_NAME_SPACE];
    (void)snprintf(name, sizeof name, "q.%s", d->q[k].name);
    s = limb_csv_text(w, name);
  }
  return s;
}

int cli_find_dof(const cli_dofs* d, const char* name, int of_q, const char** near)
{
  const int n = of_q ? d->nq : d->nv;
  const cli_dof* dof = of_q ? d->q : d->v;
  const char** names = calloc((size_t)n + 1, sizeof *names);
  int found = -1;
  *near = NULL;
  for (int k = 0; k < n && found < 0; k++) {
    if (strcmp(dof[k].name, name) == 0) found = k;
    if (names) names[k] = dof[k].name;
  }
  if (found < 0 && names) *near = limb_nearest_name(name, names);
  free(names);
  return found;
}

// ---- directions ------------------------------------------------------------------------------------

int cli_directions(const cli_args* args, unsigned* bits)
{
  static const struct {
    const char* name;
    unsigned bits;
  } known[] = {{"wx", LIMB_WX}, {"wy", LIMB_WY}, {"wz", LIMB_WZ},         {"vx", LIMB_VX},
               {"vy", LIMB_VY}, {"vz", LIMB_VZ}, {"linear", LIMB_LINEAR}, {"angular", LIMB_ANGULAR}};
  const char* list = cli_get(args, "directions");
  if (list) *bits = 0;
  while (list) {
    const size_t length = strcspn(list, ",");
    unsigned one = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      if (strlen(known[i].name) == length && strncmp(list, known[i].name, length) == 0) one = known[i].bits;
    if (one == 0 || *bits & one)
      return cli_usage(args, "--directions: '%.*s' is %s wx, wy, wz, vx, vy, vz, angular, linear",
                       (int)(length < 40 ? length : 40), list, one == 0 ? "none of" : "there twice; they are");
    *bits |= one;
    list = list[length] ? list + length + 1 : NULL;
  }
  return EXIT_FINE;
}

int cli_find_frame(const cli_args* args, const limb_model* m, const char* name, int* frame)
{
  *frame = name ? limb_find_frame(m, name) : -1;
  if (!name || *frame >= 0) return EXIT_FINE;
  char hint[LIMB_FRAME_HINT];
  limb_frame_hint(m, name, hint);
  return cli_usage(args, "the model has no frame '%s'%s", name, *hint ? hint : "; limb info names its bodies");
}

void cli_print_configurations(FILE* out, const limb_model* m, const cli_dofs* dofs, int count, const double* q)
{
  enum { SHOWN = 10 };
  const int shown = count < SHOWN ? count : SHOWN;
  char form[2 * CLI_NAME_SPACE] = "<coordinate";
  for (int i = 0, n = (int)strlen(form); i < shown; i++)
    n += snprintf(form + n, sizeof form - (size_t)n, ";>%d", i + 1);
  cli_table t = cli_table_make(form);
  for (int k = 0; k < dofs->nq; k++) {
    cli_cell(&t, "%s", dofs->q[k].name);
    for (int i = 0; i < shown; i++) cli_cell_number(&t, cli_clean(q[i * dofs->nq + k], 1));
  }
  (void)fprintf(out, "%s: %d configuration%s (rad, m)\n", limb_model_name(m), count, count == 1 ? "" : "s");
  cli_table_print(&t, out, "  ");
  if (shown < count) (void)fprintf(out, "  ... and %d more: --format csv\n", count - shown);
}

// ---- names and loops -----------------------------------------------------------------------------------------

const char* cli_body_name(const limb_model* m, int body)
{
  limb_body_info x;
  return limb_get_body(m, body, &x) == LIMB_OK ? x.name : "?";
}

const char* cli_joint_name(const limb_model* m, int joint)
{
  limb_joint_info x;
  return limb_get_joint(m, joint, &x) == LIMB_OK ? x.def.name : "?";
}

const char* cli_loop_name(const limb_model* m, int loop)
{
  limb_loop_info x;
  return limb_get_loop(m, loop, &x) == LIMB_OK ? x.def.name : "?";
}

void cli_report_loops(const limb_evaluator* e, const limb_model* m, const char* path)
{
  limb_evaluator_facts f = {0};
  if (limb_evaluator_get_facts(e, &f) != LIMB_OK) return;
  if (f.unbalanced > 0)
    (void)fprintf(stderr,
                  "%s: note: %d motion%s no motor, and %.3g of the forces along %s is left without balance: something "
                  "else must deliver it\n",
                  path, f.undriven, f.undriven == 1 ? " has" : "s have", f.unbalanced, f.undriven == 1 ? "it" : "them");
  if (f.overdriven > 0)
    (void)fprintf(stderr, "%s: note: %d motor%s more than motions: the torques are those of least norm\n", path,
                  f.overdriven, f.overdriven == 1 ? "" : "s");
  if (f.redundant > 0)
    (void)fprintf(stderr, "%s: note: %d of %d equations of the loops follow from others\n", path, f.redundant,
                  limb_constraint_count(m));
}
