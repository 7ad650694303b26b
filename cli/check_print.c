// What `limb check` prints for people, and the list of rules.
#include "check.h"
#include "cli.h"
#include "table.h"

#include <string.h>

const char* check_verdict(const check_result* x)
{
  if (x->unreadable || x->code == EXIT_USAGE) return "cannot be read";
  if (x->code == EXIT_MODEL) return "no model";
  if (x->errors > 0) return "errors";
  return x->warnings > 0 ? "warnings" : "fine";
}

static cli_colour colour_of(limb_severity severity)
{
  if (severity == LIMB_ERROR) return CLI_RED;
  return severity == LIMB_WARNING ? CLI_YELLOW : CLI_FAINT;
}

void check_print_finding(check_run* run, const char* file, const limb_finding* f)
{
  FILE* out = run->out;
  limb_rule_info rule;
  const int index = limb_find_rule(f->rule);
  const cli_colour colour = colour_of(f->severity);
  (void)fprintf(out, "%s:", file);
  if (f->line > 0) (void)fprintf(out, "%d:", f->line);
  if (f->line > 0 && f->column > 0) (void)fprintf(out, "%d:", f->column);
  (void)fprintf(out, " %s%s%s: %s%s%s [%s]\n", cli_on(out, colour), limb_severity_name(f->severity),
                cli_off(out, colour), f->where, *f->where ? ": " : "", f->text, f->rule);
  const int first = index >= 0 && run->told && !run->told[index];
  const int known = first && limb_get_rule(index, &rule) == LIMB_OK;
  if (known) (void)fprintf(out, "    why: %s\n", rule.why);
  if (*f->hint) (void)fprintf(out, "    likely: %s\n", f->hint);
  if (known && strcmp(rule.fix, "nothing to do") != 0) (void)fprintf(out, "    fix: %s\n", rule.fix);
  if (first) run->told[index] = 1;
}

static const char* plural(int n) { return n == 1 ? "" : "s"; }

static void print_one(const check_run* run, const check_result* x)
{
  FILE* out = run->out;
  const int bad = x->errors > 0 || x->code != EXIT_FINE;
  const cli_colour colour = bad ? CLI_RED : x->warnings ? CLI_YELLOW : CLI_GREEN;
  (void)fprintf(out, "%s: %s%s%s", x->name, cli_on(out, colour), check_verdict(x), cli_off(out, colour));
  if (!x->unreadable)
    (void)fprintf(out, ": %d error%s, %d warning%s, %d note%s", x->errors, plural(x->errors), x->warnings,
                  plural(x->warnings), x->notes, plural(x->notes));
  (void)fprintf(out, "\n");
}

void check_print_summary(const check_run* run, int n, const check_result* results)
{
  check_result sum = {0};
  if (n == 1) {
    print_one(run, results);
    return;
  }
  cli_table t = cli_table_make("lrrrl");
  static const char* const names[] = {"file", "errors", "warnings", "notes", "verdict"};
  int fine = 0;
  for (int k = 0; k < 5; k++) cli_cell(&t, "%s", names[k]);
  for (int i = 0; i < n; i++) {
    const check_result* x = &results[i];
    cli_cell(&t, "%s", x->name);
    const int counts[] = {x->errors, x->warnings, x->notes};
    for (int k = 0; k < 3; k++) {
      if (x->unreadable) {
        cli_cell(&t, "-");
      } else {
        cli_cell(&t, "%d", counts[k]);
      }
    }
    cli_cell(&t, "%s", check_verdict(x));
    fine += x->code == EXIT_FINE;
    if (x->unreadable) continue;
    sum.errors += x->errors, sum.warnings += x->warnings, sum.notes += x->notes;
  }
  cli_cell(&t, "%d files", n);
  cli_cell(&t, "%d", sum.errors);
  cli_cell(&t, "%d", sum.warnings);
  cli_cell(&t, "%d", sum.notes);
  cli_cell(&t, "%d passed", fine);
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
    json_t* x = json_object();
    (void)json_object_set_new(x, "rule", cli_json_text(rule.name));
    (void)json_object_set_new(x, "severity", cli_json_text(limb_severity_name(rule.severity)));
    (void)json_object_set_new(x, "why", cli_json_text(rule.why));
    (void)json_object_set_new(x, "fix", cli_json_text(rule.fix));
    (void)json_array_append_new(list, x);
  }
  (void)json_object_set_new(answer, "rules", list);
  return answer;
}

int check_print_rules(const check_run* run)
{
  limb_rule_info rule;
  if (run->json) {
    const int code = cli_json_print(rules_json(), stdout, cli_title(run->args));
    return code == EXIT_FINE ? limb_cli_close_output(cli_title(run->args)) : code;
  }
  for (int i = 0; i < limb_rule_count(); i++) {
    if (limb_get_rule(i, &rule) != LIMB_OK) continue;
    printf("%s%s%s (%s)\n    why: %s\n    fix: %s\n", cli_on(stdout, CLI_BOLD), rule.name, cli_off(stdout, CLI_BOLD),
           limb_severity_name(rule.severity), rule.why, rule.fix);
  }
  return limb_cli_close_output(cli_title(run->args));
}
