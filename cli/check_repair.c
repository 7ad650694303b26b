// `limb check --repair`: the nearest inertias that bodies can have, written to a new file, which is read and
// examined again before it appears.
#include "check.h"
#include "cli.h"
#include "json_findings.h"
#include "output.h"

#include "limb/check.h"
#include "limb/write.h"

#include <string.h>

// The language of the output: by its name, else that of the input; AUTO when that cannot be written.
static limb_format output_format(const limb_reading* r, const char* path)
{
  const limb_format named = strcmp(path, "-") == 0 ? LIMB_FORMAT_AUTO : limb_format_of_name(path);
  const limb_format format = named ? named : limb_reading_format(r);
  return format == LIMB_FORMAT_URDF || format == LIMB_FORMAT_YAML ? format : LIMB_FORMAT_AUTO;
}

// A URDF keeps every byte but the figures that changed.
static limb_status write_text(limb_reading* r, limb_format format, cli_text* text, limb_error* err)
{
  limb_status s;
  if (format == LIMB_FORMAT_URDF && limb_reading_format(r) == LIMB_FORMAT_URDF) {
    s = limb_write_repaired(r, cli_text_add, text, err);
  } else {
    s = limb_write(limb_reading_builder(r), format, cli_text_add, text, limb_reading_findings(r), err);
  }
  return s == LIMB_OK && text->failed ? LIMB_E_NOMEM : s;
}

// Reads and examines the text; its counts go to x.
static limb_status examine(const check_run* run, const cli_text* text, limb_format format, const char* path,
                           check_result* x)
{
  limb_read_options opt = limb_default_read_options();
  limb_reading* again = NULL;
  opt.format = format;
  opt.max_bytes = text->size + 1;
  limb_status s = limb_read_text(text->bytes, text->size, path, &opt, &again, NULL);
  if (s == LIMB_OK) s = limb_check(again, NULL);
  if (s == LIMB_OK) s = limb_check_loops(again, NULL);
  if (s == LIMB_OK) check_count(run, limb_reading_findings(again), x);
  limb_reading_destroy(again);
  return s;
}

// What limb_repair and the writer added to the findings.
static void tell_changes(check_run* run, const limb_reading* r, const limb_findings* f, int from)
{
  limb_finding x;
  for (int i = from; i < limb_findings_count(f) && !run->quiet && !run->json; i++)
    if (limb_findings_get(f, i, &x) == LIMB_OK) check_print_finding(run, limb_reading_source(r), &x);
}

static int failed(const check_run* run, const char* path, limb_status s, const limb_error* err)
{
  (void)cli_usage(run->args, "%s: %s", path, *err->text ? err->text : limb_status_text(s));
  return cli_exit_code(s);
}

static json_t* repair_json(const limb_findings* f, int from, int changed, const check_result* left)
{
  json_t *r = json_object(), *list = json_array();
  limb_finding x;
  for (int i = from; i < limb_findings_count(f); i++)
    if (limb_findings_get(f, i, &x) == LIMB_OK) (void)json_array_append_new(list, cli_json_finding(&x));
  (void)json_object_set_new(r, "output", cli_json_text(left->file));
  (void)json_object_set_new(r, "changed", json_integer(changed));
  (void)json_object_set_new(r, "changes", list);
  (void)json_object_set_new(r, "errors", json_integer(left->errors));
  (void)json_object_set_new(r, "warnings", json_integer(left->warnings));
  return r;
}

int check_repair(check_run* run, limb_reading* r, const char* path, check_result* x, json_t* answer)
{
  limb_error err = {0};
  cli_text text = {0};
  check_result left = {.file = path};
  int changed = 0;
  const limb_findings* f = limb_reading_findings(r);
  const int from = limb_findings_count(f);
  const limb_format format = output_format(r, path);
  if (!format)
    return cli_usage(run->args,
                     "--repair %s: limb writes urdf and yaml only; name the output *.urdf or "
                     "*.limb.yaml",
                     path);
  if (!run->json) check_print_summary(run, 1, x); // of the file as it was
  limb_status s = limb_repair(r, &changed, &err);
  if (s == LIMB_OK) s = write_text(r, format, &text, &err);
  if (s == LIMB_OK) s = examine(run, &text, format, path, &left);
  int code = s == LIMB_OK ? EXIT_FINE : failed(run, path, s, &err);
  if (code == EXIT_FINE) code = cli_text_save(&text, cli_title(run->args), path);
  if (code == EXIT_FINE) {
    tell_changes(run, r, f, from);
    if (!run->json)
      (void)fprintf(run->out, "%s: written, %d inertia%s changed; %d error%s, %d warning%s left\n", path, changed,
                    changed == 1 ? "" : "s", left.errors, left.errors == 1 ? "" : "s", left.warnings,
                    left.warnings == 1 ? "" : "s");
    (void)json_object_set_new(answer, "repair", repair_json(f, from, changed, &left));
    x->code = left.code; // what the repaired file would give
  }
  cli_text_free(&text);
  return code;
}
