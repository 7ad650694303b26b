// `limb check`: the doctor. Reads, examines, tells; the exit code is for scripts.
#include "check.h"
#include "cli.h"
#include "commands.h"
#include "json_findings.h"

#include "limb/check.h"

#include <stdlib.h>
#include <string.h>

// Loops that cannot be closed, or leave nothing to move: no state of the robot can be computed with.
static int cannot_move(const limb_findings* f)
{
  limb_finding x;
  for (int i = 0; i < limb_findings_count(f); i++) {
    if (limb_findings_get(f, i, &x) != LIMB_OK) continue;
    if (strcmp(x.rule, "loop-open") == 0 || strcmp(x.rule, "loop-locked") == 0) return 1;
  }
  return 0;
}

void check_count(const check_run* run, const limb_findings* f, check_result* x)
{
  const int all = limb_findings_count(f);
  const int from_warning = limb_findings_count_from(f, LIMB_WARNING);
  x->errors = limb_findings_count_from(f, LIMB_ERROR);
  x->warnings = from_warning - x->errors;
  x->notes = all - from_warning;
  x->code = (run->strict ? from_warning : x->errors) > 0 ? EXIT_FINDINGS : EXIT_FINE;
  if (x->code == EXIT_FINDINGS && cannot_move(f)) x->code = EXIT_NUMERICAL;
}

// ---- one file --------------------------------------------------------------------------------------

// Everything that was found, and the error that is not among it (a file that cannot be opened).
static void tell(check_run* run, limb_reading* r, const check_result* x, const limb_error* unsaid)
{
  const limb_findings* f = limb_reading_findings(r);
  const char* name = r ? limb_reading_source(r) : x->name;
  limb_finding finding;
  for (int i = 0; i < limb_findings_count(f) && !run->quiet; i++)
    if (limb_findings_get(f, i, &finding) == LIMB_OK) check_print_finding(run, name, &finding);
  if (unsaid) cli_print_error(stderr, name, unsaid->status, unsaid);
  if (x->unreadable && !run->quiet) cli_suggest_robot(run->out, x->file);
}

static json_t* result_json(limb_reading* r, const check_result* x, const limb_error* unsaid)
{
  json_t* out = json_object();
  const limb_format format = limb_reading_format(r);
  (void)json_object_set_new(out, "file", cli_json_text(x->name));
  (void)json_object_set_new(out, "format", format ? cli_json_text(limb_format_name(format)) : json_null());
  (void)json_object_set_new(out, "verdict", cli_json_text(check_verdict(x)));
  (void)json_object_set_new(out, "exit", json_integer(x->code));
  (void)json_object_set_new(out, "errors", json_integer(x->errors));
  (void)json_object_set_new(out, "warnings", json_integer(x->warnings));
  (void)json_object_set_new(out, "notes", json_integer(x->notes));
  if (unsaid)
    (void)json_object_set_new(out, "message",
                              cli_json_text(*unsaid->text ? unsaid->text : limb_status_text(unsaid->status)));
  (void)json_object_set_new(out, "findings", cli_json_findings(limb_reading_findings(r)));
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
  const int said = limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) > 0;
  if (s == LIMB_OK) s = limb_check(r, &err);
  if (s == LIMB_OK) s = limb_check_loops(r, &err);
  if (s == LIMB_OK) s = try_build(r, &err);
  limb_findings_sort(limb_reading_findings(r));
  check_count(run, limb_reading_findings(r), x);
  if (s != LIMB_OK) x->code = cli_exit_code(s);
  x->unreadable = s == LIMB_E_IO;
  err.status = s;
  const limb_error* unsaid = s != LIMB_OK && !said ? &err : NULL;
  if (unsaid) x->errors++;
  json_t* answer = result_json(r, x, unsaid);
  if (!run->json) tell(run, r, x, unsaid);
  int code = EXIT_FINE;
  const char* repair = cli_get(run->args, "repair");
  run->repaired = repair && s == LIMB_OK;
  if (run->repaired) code = check_repair(run, r, repair, x, answer);
  if (repair && s != LIMB_OK)
    (void)cli_usage(run->args, "%s: nothing is repaired in a file that gives no model", x->name);
  (void)json_array_append_new(run->list, answer);
  limb_reading_destroy(r);
  return code;
}

// ---- all files -------------------------------------------------------------------------------------

// Usage and I/O go before invalid models, these before findings.
static int worse(int a, int b)
{
  static const int rank[] = {
    [EXIT_FINE] = 0, [EXIT_FINDINGS] = 1, [EXIT_USAGE] = 4, [EXIT_MODEL] = 3, [EXIT_NUMERICAL] = 2};
  return rank[a] >= rank[b] ? a : b;
}

static int finish(check_run* run, int n, const check_result* results)
{
  const char* title = cli_title(run->args);
  if (!run->json) {
    if (!run->repaired) check_print_summary(run, n, results);
  } else {
    json_t* answer = cli_json_answer();
    (void)json_object_set_new(answer, "files", json_incref(run->list));
    if (cli_json_print(answer, stdout, title) != EXIT_FINE) return EXIT_USAGE;
  }
  return limb_cli_close_output(title);
}

static int check_all(check_run* run, const limb_read_options* opt)
{
  const int n = cli_operand_count(run->args);
  check_result* results = calloc((size_t)n, sizeof *results);
  run->told = calloc((size_t)limb_rule_count() + 1, 1);
  run->list = json_array();
  int code = EXIT_USAGE;
  if (!results || !run->told || !run->list) {
    (void)cli_usage(run->args, "%s", limb_status_text(LIMB_E_NOMEM));
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
  free(run->told);
  free(results);
  return code;
}

static int run_check(const cli_args* args)
{
  const char *format = cli_get(args, "format"), *repair = cli_get(args, "repair");
  limb_read_options opt;
  check_run run = {.args = args, .out = stdout};
  run.strict = cli_has(args, "strict");
  run.quiet = cli_has(args, "quiet");
  run.json = format && strcmp(format, "json") == 0;
  if (cli_has(args, "rules")) {
    if (cli_operand_count(args) == 0) return check_print_rules(&run);
    return cli_usage(args, "--rules lists the rules and takes no files");
  }
  if (cli_operand_count(args) == 0) return cli_usage(args, "nothing to check; usage: limb check [options] MODEL...");
  for (int i = 0, inputs = 0; i < cli_operand_count(args); i++) {
    inputs += strcmp(cli_operand(args, i), "-") == 0;
    if (inputs > 1) return cli_only_once(args, "-", "-");
  }
  if (repair && cli_operand_count(args) > 1) return cli_usage(args, "--repair takes one model at a time");
  if (repair && strcmp(repair, "-") == 0) {
    if (run.json) return cli_usage(args, "--repair - and --format json both want standard output");
    run.out = stderr;
  }
  const int code = cli_read_options(args, &opt);
  return code == EXIT_FINE ? check_all(&run, &opt) : code;
}

static const cli_option options[] = {
  {"", NULL, "the examination"},
  {"strict", NULL, "warnings count as errors"},
  {"repair", "OUT",
   "write the model to this file with the nearest inertias that bodies can have, and tell what "
   "changed; a "
   "URDF keeps every other byte; the exit code is that of the repaired file"},
  {"quiet", NULL, "only the summary"},
  {"rules", NULL, "list the rules, what each is for and how to mend it"},
  {"format", "text|json", "how it is printed"},
  {0},
};

const cli_command cli_check = {
  .name = "check",
  .operands = "MODEL...",
  .summary = "the doctor: what is wrong or doubtful in model files",
  .about = (const char* const[]){"Each finding names file, line, the thing it is about, and a rule. The first",
                                 "finding of a rule says why it matters and how to mend it; the likely cause is",
                                 "given where it could be told. Several files get a table at the end.", "",
                                 "The exit code is 0 without errors, 1 with errors (--strict: or warnings), 4 when",
                                 "loops cannot be closed or leave nothing to move, 3 when a file gives no model, 2",
                                 "when one cannot be read. Of several files the worst counts: 2 before 3 before 4",
                                 "before 1.", NULL},
  .examples =
    (const char* const[]){"limb check arm.urdf", "examine a file", "limb check --strict --quiet robots/*.urdf",
                          "a table of all files, for continuous integration", "limb check arm.urdf --repair fixed.urdf",
                          "mend inertias that no body can have, and say what changed", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, NULL},
  .least = 0,
  .most = -1,
  .run = run_check,
};
