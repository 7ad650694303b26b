// --attach, --root, --lock, --payload: the robot that a command works on is that of the file with these changes.
#include "base/output.h"
#include "robot/robot.h"

#include "limb/runner.h"

#include <stdlib.h>
#include <string.h>

const cli_option cli_change_options[] = {
  {"", NULL, "changes of the model, in this order"},
  {"attach", "FILE:FRAME[:PREFIX],...",
   "put other models on bodies or frames: hand.urdf:flange; a prefix goes before their names, so that they are unique"},
  {"root", "BODY",
   "hold the robot by another body: with --base floating the same robot in other coordinates, else fixed there"},
  {"lock", "JOINT[=X],...", "fix joints, at X (30deg, 2cm) or else where they start; what follows them is fixed, too"},
  {"payload", "MASS[@FRAME],...",
   "fix point masses to the origins of bodies or frames: 5kg@hand; without a name: to the end of the robot"},
  {0},
};

// Files that are read: outputs must not overwrite them.
static int announce(const cli_args* args, const cli_changes* c)
{
  const limb_run_values* list = &c->run->model.attach;
  int code = EXIT_FINE;
  for (int i = 0; i < list->count && code == EXIT_FINE; i++) {
    limb_run_value file = list->value[i];
    char* text = strdup(file.text);
    const size_t size = text ? limb_run_path(c->path, &file, NULL, 0) + 1 : 0;
    char* path = text ? malloc(size) : NULL;
    if (path) {
      text[strcspn(text, ":")] = '\0';
      file.text = text;
      (void)limb_run_path(c->path, &file, path, size);
    }
    code = path ? cli_reads(args, path) : cli_out_of_memory(args);
    free(path);
    free(text);
  }
  return code;
}

static int apply(const cli_args* args, const cli_changes* c, const limb_read_options* opt, limb_reading* r)
{
  limb_error err = {0};
  int code = announce(args, c);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_run_change_model(c->run, c->path, opt, limb_reading_builder(r), &err);
  if (s == LIMB_OK) return EXIT_FINE;
  if (s == LIMB_E_NOMEM) return cli_out_of_memory(args);
  if (err.line > 0)
    (void)fprintf(stderr, "%s:%d:%d: error: %s: %s\n", c->path, err.line, err.column, err.where, err.text);
  else
    (void)cli_usage(args, "%s: %s", err.where, err.text);
  return cli_exit_code(s);
}

int cli_change(const cli_args* args, const cli_changes* c, const limb_read_options* opt, limb_reading* r)
{
  limb_run_setting settings[8] = {{0}};
  limb_run_override* own = NULL;
  limb_error err = {0};
  int count = 0;
  if (c) return apply(args, c, opt, r);
  for (const cli_option* o = cli_change_options; o->name; o++)
    if (*o->name && cli_has(args, o->name)) settings[count++] = (limb_run_setting){o->name, cli_get(args, o->name)};
  if (count == 0) return EXIT_FINE;
  const limb_status s = limb_run_override_create(NULL, settings, &own, &err);
  if (s != LIMB_OK) return cli_failed(args, err.where, s, &err);
  const cli_changes mine = {limb_run_override_run(own), NULL};
  const int code = apply(args, &mine, opt, r);
  limb_run_override_destroy(own);
  return code;
}
