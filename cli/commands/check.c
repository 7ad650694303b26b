// `limb check`: the doctor. Reads models, checks them critically, prints what it finds, and repairs inertias; the exit
// code is for scripts.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"

#include "limb/read.h"

#include <stdlib.h>
#include <string.h>

typedef struct check_result {
  const char* file; // as on the command line
  const char* name; // as in messages
  int errors, warnings, notes;
  int unreadable; // there is nothing to count
  int code;       // of this file alone
} check_result;

// A run over all files.
typedef struct check_run {
  const cli_args* args;
  int strict, quiet, json;
  int repaired;    // a repair was started, which prints the summary of the file itself
  FILE* out;       // of text for people
  char* explained; // per rule: its why and fix were printed
  json_t* list;    // one object per file
} check_run;

// Loops that cannot be closed, or leave nothing to move: the robot has no state to compute with.
static int cannot_move(const limb_findings* f)
{
  limb_finding x;
  for (int i = 0; i < limb_findings_count(f); i++) {
    if (limb_findings_get(f, i, &x) != LIMB_OK) continue;
    if (strcmp(x.rule, "loop-open") == 0 || strcmp(x.rule, "loop-locked") == 0) return 1;
  }
  return 0;
}

static void count_findings(const check_run* run, const limb_findings* f, check_result* x)
{
  const int all = limb_findings_count(f);
  const int from_warning = limb_findings_count_from(f, LIMB_WARNING);
  x->errors = limb_findings_count_from(f, LIMB_ERROR);
  x->warnings = from_warning - x->errors;
  x->notes = all - from_warning;
  x->code = (run->strict ? from_warning : x->errors) > 0 ? EXIT_FINDINGS : EXIT_FINE;
  if (x->code == EXIT_FINDINGS && cannot_move(f)) x->code = EXIT_NUMERICAL;
}

// ---- text ------------------------------------------------------------------------------------------

static const char* verdict(const check_result* x)
{
  if (x->unreadable || x->code == EXIT_USAGE) return "cannot be read";
  if (x->code == EXIT_MODEL) return "no model";
  if (x->errors > 0) return "errors";
  return x->warnings > 0 ? "warnings" : "fine";
}

static void print_finding(check_run* run, const char* file, const limb_finding* f)
{
  FILE* out = run->out;
  limb_rule_info rule;
  const int index = limb_find_rule(f->rule);
  cli_print_finding(out, file, f);
  const int first = index >= 0 && run->explained && !run->explained[index];
  const int known = first && limb_get_rule(index, &rule) == LIMB_OK;
  if (known) (void)fprintf(out, "    why: %s\n", rule.why);
  if (*f->hint) (void)fprintf(out, "    likely: %s\n", f->hint);
  if (known && strcmp(rule.fix, "nothing to do") != 0) (void)fprintf(out, "    fix: %s\n", rule.fix);
  if (first) run->explained[index] = 1;
}

static const char* plural(int n) { return n == 1 ? "" : "s"; }

static void print_one(const check_run* run, const check_result* x)
{
  FILE* out = run->out;
  const int bad = x->errors > 0 || x->code != EXIT_FINE;
  const cli_colour colour = bad ? CLI_RED : x->warnings ? CLI_YELLOW : CLI_GREEN;
  (void)fprintf(out, "%s: %s%s%s", x->name, cli_on(out, colour), verdict(x), cli_off(out, colour));
  if (!x->unreadable)
    (void)fprintf(out, ": %d error%s, %d warning%s, %d note%s", x->errors, plural(x->errors), x->warnings,
                  plural(x->warnings), x->notes, plural(x->notes));
  (void)fprintf(out, "\n");
}

static void print_summary(const check_run* run, int n, const check_result* results)
{
  check_result sum = {0};
  if (n == 1) {
    print_one(run, results);
    return;
  }
  cli_table t = cli_table_make("<file;>errors;>warnings;>notes;<verdict");
  int fine = 0;
  for (int i = 0; i < n; i++) {
    const check_result* x = &results[i];
    cli_cell(&t, "%s", x->name);
    const int counts[] = {x->errors, x->warnings, x->notes};
    for (int k = 0; k < 3; k++) cli_cell(&t, x->unreadable ? "-" : "%d", counts[k]);
    cli_cell(&t, "%s", verdict(x));
    fine += x->code == EXIT_FINE;
    if (x->unreadable) continue;
    sum.errors += x->errors, sum.warnings += x->warnings, sum.notes += x->notes;
  }
  cli_cell(&t, "%d files", n), cli_cell(&t, "%d", sum.errors), cli_cell(&t, "%d", sum.warnings);
  cli_cell(&t, "%d", sum.notes), cli_cell(&t, "%d passed", fine);
  if (!run->quiet) (void)fprintf(run->out, "\n");
  cli_table_print(&t, run->out, "");
}

// ---- the list of rules -----------------------------------------------------------------------------

static json_t* rules_json(void)
{
  json_t *answer = cli_json_answer(), *list = json_array();
  limb_rule_info rule;
  for (int i = 0; i < limb_rule_count(); i++) {
    if (limb_get_rule(i, &rule) != LIMB_OK) continue;
    (void)json_array_append_new(list, cli_json_object("rule severity why fix", cli_json_text(rule.name),
                                                      cli_json_text(limb_severity_name(rule.severity)),
                                                      cli_json_text(rule.why), cli_json_text(rule.fix)));
  }
  (void)json_object_set_new(answer, "rules", list);
  return answer;
}

static int print_rules(const check_run* run)
{
  limb_rule_info rule;
  if (run->json) return cli_json_print(rules_json(), stdout, cli_title(run->args));
  for (int i = 0; i < limb_rule_count(); i++) {
    if (limb_get_rule(i, &rule) != LIMB_OK) continue;
    printf("%s%s%s (%s)\n    why: %s\n    fix: %s\n", cli_on(stdout, CLI_BOLD), rule.name, cli_off(stdout, CLI_BOLD),
           limb_severity_name(rule.severity), rule.why, rule.fix);
  }
  return EXIT_FINE;
}

// ---- repair ----------------------------------------------------------------------------------------
//
// The nearest inertias that bodies can have are written to a new file, which is read and checked again before it is
// saved.

// The language of the output: by its name, otherwise that of the input; AUTO when it cannot be written.
static limb_format output_format(const limb_reading* r, const char* path)
{
  const limb_format named = strcmp(path, "-") == 0 ? LIMB_FORMAT_AUTO : limb_format_of_name(path);
  const limb_format format = named ? named : limb_reading_format(r);
  return format == LIMB_FORMAT_URDF || format == LIMB_FORMAT_YAML ? format : LIMB_FORMAT_AUTO;
}

// A URDF keeps every byte except the numbers that changed.
static limb_status write_text(limb_reading* r, limb_format format, cli_text* text, limb_error* err)
{
  limb_status s;
  if (format == LIMB_FORMAT_URDF && limb_reading_format(r) == LIMB_FORMAT_URDF)
    s = limb_write_repaired(r, cli_text_add, text, err);
  else
    s = limb_write(limb_reading_builder(r), format, cli_text_add, text, limb_reading_findings(r), err);
  return s == LIMB_OK && text->failed ? LIMB_E_NOMEM : s;
}

// Reads and checks the text; its counts go to x.
static limb_status check_again(const check_run* run, const cli_text* text, limb_format format, const char* path,
                               check_result* x)
{
  limb_reading* again = NULL;
  limb_status s = cli_text_read(text, format, path, &again, NULL);
  if (s == LIMB_OK) s = limb_check(again, NULL);
  if (s == LIMB_OK) s = limb_check_loops(again, NULL);
  if (s == LIMB_OK) count_findings(run, limb_reading_findings(again), x);
  limb_reading_destroy(again);
  return s;
}

// The findings that limb_repair and the writer added.
static void print_changes(check_run* run, const limb_reading* r, const limb_findings* f, int from)
{
  limb_finding x;
  for (int i = from; i < limb_findings_count(f) && !run->quiet && !run->json; i++)
    if (limb_findings_get(f, i, &x) == LIMB_OK) print_finding(run, limb_reading_source(r), &x);
}

static json_t* repair_json(const limb_findings* f, int from, int changed, const check_result* left)
{
  return cli_json_object("output changed changes errors warnings", cli_json_text(left->file), json_integer(changed),
                         cli_json_findings(f, from), json_integer(left->errors), json_integer(left->warnings));
}

static int repair_file(check_run* run, limb_reading* r, const char* path, check_result* x, json_t* answer)
{
  limb_error err = {0};
  cli_text text = {0};
  check_result left = {.file = path};
  int changed = 0;
  const limb_findings* f = limb_reading_findings(r);
  const int from = limb_findings_count(f);
  const limb_format format = output_format(r, path);
  if (!format)
    return cli_usage(run->args, "--repair %s: limb writes urdf and yaml only; name the output *.urdf or *.limb.yaml",
                     path);
  if (!run->json) print_summary(run, 1, x); // of the original file
  limb_status s = limb_repair(r, &changed, &err);
  if (s == LIMB_OK) s = write_text(r, format, &text, &err);
  if (s == LIMB_OK) s = check_again(run, &text, format, path, &left);
  int code = cli_failed(run->args, path, s, &err);
  if (code == EXIT_FINE) code = cli_text_save(&text, cli_title(run->args), path);
  if (code == EXIT_FINE) {
    print_changes(run, r, f, from);
    if (!run->json)
      (void)fprintf(run->out, "%s: written, %d inertia%s changed; %d error%s, %d warning%s left\n", path, changed,
                    plural(changed), left.errors, plural(left.errors), left.warnings, plural(left.warnings));
    (void)json_object_set_new(answer, "repair", repair_json(f, from, changed, &left));
    x->code = left.code; // of the repaired file
  }
  cli_text_free(&text);
  return code;
}

// ---- one file --------------------------------------------------------------------------------------

// All findings, and an error that is not one of them (a file that cannot be opened).
static void print_findings(check_run* run, limb_reading* r, const check_result* x, const limb_error* other_error)
{
  const limb_findings* f = limb_reading_findings(r);
  const char* name = r ? limb_reading_source(r) : x->name;
  limb_finding finding;
  for (int i = 0; i < limb_findings_count(f) && !run->quiet; i++)
    if (limb_findings_get(f, i, &finding) == LIMB_OK) print_finding(run, name, &finding);
  if (other_error) cli_print_error(stderr, name, other_error->status, other_error);
}

static json_t* result_json(limb_reading* r, const check_result* x, const limb_error* other_error)
{
  json_t* out = json_object();
  const limb_format format = limb_reading_format(r);
  cli_json_set(out, "file format verdict exit errors warnings notes", cli_json_text(x->name),
               format ? cli_json_text(limb_format_name(format)) : json_null(), cli_json_text(verdict(x)),
               json_integer(x->code), json_integer(x->errors), json_integer(x->warnings), json_integer(x->notes));
  if (other_error)
    (void)json_object_set_new(
      out, "message", cli_json_text(*other_error->text ? other_error->text : limb_status_text(other_error->status)));
  (void)json_object_set_new(out, "findings", cli_json_findings(limb_reading_findings(r), 0));
  return out;
}

// A robot that can be read must also compile.
static limb_status try_build(limb_reading* r, limb_error* err)
{
  limb_model* m = NULL;
  const limb_status s = limb_builder_build(limb_reading_builder(r), &m, err);
  limb_model_destroy(m);
  return s;
}

static int check_file(check_run* run, const limb_read_options* opt, check_result* x)
{
  limb_reading* r = NULL;
  limb_error err = {0};
  limb_status s = limb_read(x->file, opt, &r, &err);
  if (s == LIMB_OK) s = limb_check(r, &err);
  if (s == LIMB_OK) s = limb_check_loops(r, &err);
  int changed = EXIT_FINE;
  if (s == LIMB_OK) changed = cli_change(run->args, NULL, opt, r); // what was examined is the file
  if (changed == EXIT_FINE && s == LIMB_OK) s = try_build(r, &err);
  const int reported = limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) > 0;
  limb_findings_sort(limb_reading_findings(r));
  count_findings(run, limb_reading_findings(r), x);
  if (s != LIMB_OK) x->code = cli_exit_code(s);
  x->unreadable = s == LIMB_E_IO;
  err.status = s;
  const limb_error* other_error = s == LIMB_E_NOMEM || (s != LIMB_OK && !reported) ? &err : NULL;
  if (other_error) x->errors++;
  json_t* answer = result_json(r, x, other_error);
  if (!run->json) print_findings(run, r, x, other_error);
  if (run->json && s == LIMB_E_NOMEM) cli_print_error(stderr, x->name, s, &err);
  int code = EXIT_FINE;
  const char* repair = cli_get(run->args, "repair");
  run->repaired = repair && s == LIMB_OK;
  if (run->repaired) code = repair_file(run, r, repair, x, answer);
  if (repair && s != LIMB_OK && s != LIMB_E_NOMEM)
    (void)cli_usage(run->args, "%s: a file without a model cannot be repaired", x->name);
  (void)json_array_append_new(run->list, answer);
  limb_reading_destroy(r);
  return code == EXIT_FINE ? changed : code;
}

// ---- all files -------------------------------------------------------------------------------------

// Usage and I/O errors take precedence over invalid models, these over findings.
static int worse(int a, int b)
{
  static const int rank[] = {
    [EXIT_FINE] = 0, [EXIT_FINDINGS] = 1, [EXIT_USAGE] = 4, [EXIT_MODEL] = 3, [EXIT_NUMERICAL] = 2};
  return rank[a] >= rank[b] ? a : b;
}

static int finish(check_run* run, int n, const check_result* results)
{
  if (run->json) {
    json_t* answer = cli_json_answer();
    (void)json_object_set_new(answer, "files", json_incref(run->list));
    return cli_json_print(answer, stdout, cli_title(run->args));
  }
  if (!run->repaired) print_summary(run, n, results);
  return EXIT_FINE;
}

static int check_all(check_run* run, const limb_read_options* opt)
{
  const int n = cli_operand_count(run->args);
  check_result* results = calloc((size_t)n, sizeof *results);
  run->explained = calloc((size_t)limb_rule_count() + 1, 1);
  run->list = json_array();
  int code = EXIT_USAGE;
  if (!results || !run->explained || !run->list) {
    (void)cli_out_of_memory(run->args);
  } else {
    code = EXIT_FINE;
    for (int i = 0; i < n; i++) {
      results[i].file = cli_operand(run->args, i);
      results[i].name = strcmp(results[i].file, "-") == 0 ? "standard input" : results[i].file;
      code = worse(code, check_file(run, opt, &results[i]));
      code = worse(code, results[i].code);
    }
    code = worse(code, finish(run, n, results));
  }
  json_decref(run->list);
  free(run->explained);
  free(results);
  return code;
}

static int run_check(const cli_args* args)
{
  const char* repair = cli_get(args, "repair");
  limb_read_options opt;
  check_run run = {.args = args, .out = stdout};
  run.strict = cli_has(args, "strict");
  run.quiet = cli_has(args, "quiet");
  run.json = cli_is(args, "format", "json");
  if (cli_has(args, "rules")) {
    if (cli_operand_count(args) == 0) return print_rules(&run);
    return cli_usage(args, "--rules lists the rules and takes no files");
  }
  if (cli_operand_count(args) == 0) return cli_usage(args, "nothing to check; usage: limb check [options] MODEL...");
  for (int i = 0; i < cli_operand_count(args); i++)
    if (cli_reads(args, cli_operand(args, i)) != EXIT_FINE) return EXIT_USAGE;
  if (repair && cli_operand_count(args) > 1) return cli_usage(args, "--repair takes one model at a time");
  if (repair && strcmp(repair, "-") == 0) {
    if (run.json) return cli_usage(args, "--repair - and --format json both use standard output");
    run.out = stderr;
  }
  const int code = cli_read_options(args, &opt);
  return code == EXIT_FINE ? check_all(&run, &opt) : code;
}

static const cli_option options[] = {
  {"", NULL, "checks"},
  {"strict", NULL, "warnings count as errors"},
  {"repair", "OUT",
   "write the model to this file with the nearest inertias that bodies can have, and print what changed; a URDF keeps "
   "every other byte; the exit code is that of the repaired file"},
  {"quiet", NULL, "only the summary"},
  {"rules", NULL, "list the rules, why each matters and what to do"},
  {"format", "text|json", "output format"},
  {0},
};

const cli_command cli_check = {
  .name = "check",
  .operands = "[MODEL...]",
  .summary = "the doctor: find errors and suspicious values in model files",
  .about =
    "Each finding names the file, the line, what it is about, and a rule. The first finding of a rule also states "
    "why it matters and what to do; the likely cause is printed if it is known. Several files are summarised in a "
    "table.\n"
    "The exit code is 0 without errors, 1 with errors (--strict: or warnings), 4 when loops cannot be closed or "
    "leave nothing to move, 3 when a file has no model, 2 when one cannot be read. Of several files the worst "
    "counts: 2, 3, 4, then 1.",
  .examples =
    (const char* const[]){"limb check arm.urdf", "check a file", "limb check --strict --quiet robots/*.urdf",
                          "a table of all files, for continuous integration", "limb check arm.urdf --repair fixed.urdf",
                          "repair inertias that no body can have, and print what changed", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, cli_change_options, NULL},
  .run = run_check,
  .writes = (const cli_written[]){{"repair", ""}, {0}},
};
