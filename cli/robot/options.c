// The options of a model: how it is read; --attach, --root, --lock, --payload, the changes with which a command works
// on the robot of the file; --pose.
#include "base/output.h"
#include "robot/page.h"
#include "robot/robot.h"

#include "limb/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- reading ---------------------------------------------------------------------------------------

// The words of --args, which the options of reading point to until the next call. EXIT_FINE, or EXIT_USAGE with a
// message.
static int xacro_arguments(const cli_args* args, limb_read_options* opt)
{
  enum { MAX_ARGUMENTS = 100 };
  static char* text;
  static const char* list[MAX_ARGUMENTS + 1];
  const char* value = cli_get(args, "args");
  int count = 0;
  free(text);
  text = value ? strdup(value) : NULL;
  if (value && !text) return cli_out_of_memory(args);
  for (char* word = text ? strtok(text, " ") : NULL; word; word = strtok(NULL, " ")) {
    if (count == MAX_ARGUMENTS) return cli_usage(args, "--args: at most %d arguments are supported", MAX_ARGUMENTS);
    if (!strstr(word, ":=")) return cli_usage(args, "--args: '%s' is not of the form NAME:=VALUE", word);
    list[count++] = word;
  }
  list[count] = NULL;
  opt->xacro_arguments = list;
  return EXIT_FINE;
}

int cli_read_options(const cli_args* args, limb_read_options* opt)
{
  static const limb_format formats[] = {LIMB_FORMAT_URDF, LIMB_FORMAT_YAML, LIMB_FORMAT_PAR, LIMB_FORMAT_MJCF,
                                        LIMB_FORMAT_SDF};
  *opt = limb_default_read_options();
  if (cli_has(args, "from")) opt->format = formats[cli_choice(args, "from")];
  opt->base = (limb_base)cli_choice(args, "base");
  opt->no_mimic = cli_has(args, "no-mimic");
  double bytes = (double)opt->max_bytes;
  const int code = cli_whole(args, "max-bytes", 1, 1e15, &bytes);
  opt->max_bytes = (size_t)bytes;
  opt->model_name = cli_get(args, "model-name");
  if (cli_has(args, "loop-tolerance")) {
    if (!cli_numbers(args, "loop-tolerance", 1, &opt->loop_tolerance)) return EXIT_USAGE;
    if (!(opt->loop_tolerance > 0)) return cli_usage(args, "--loop-tolerance must be above zero");
    opt->loop_tolerance = fmin(opt->loop_tolerance, LIMB_LOOP_TOLERANCE_MAX); // rows of tables may be open by more
  }
  opt->package_path = cli_get(args, "package-path");
  opt->any_file = cli_has(args, "any-file");
  opt->shapes = cli_is_page(cli_get(args, "animate"));
  if (cli_has(args, "density")) {
    if (!cli_numbers(args, "density", 1, &opt->density)) return EXIT_USAGE;
    if (!(opt->density > 0)) return cli_usage(args, "--density must be above zero");
  }
  opt->srdf = cli_get(args, "srdf");
  if (cli_reads(args, opt->srdf) != EXIT_FINE) return EXIT_USAGE;
  return code == EXIT_FINE ? xacro_arguments(args, opt) : code;
}

// ---- changes ---------------------------------------------------------------------------------------

const cli_option cli_change_options[] = {
  {"", NULL, "changes of the model, in this order"},
  {"attach", "FILE:FRAME[:PREFIX],...",
   "put other models on bodies or frames: hand.urdf:flange; a prefix in front of their names makes them unique"},
  {"root", "BODY",
   "hold the robot by another body: with --base floating the same robot in other coordinates, else fixed there"},
  {"lock", "JOINT[=X],...", "fix joints, at X (30deg, 2cm) or else where they start; what follows them is fixed, too"},
  {"payload", "MASS[@FRAME],...",
   "fix loads to bodies or frames: 5kg@hand,com=(0,0,10cm),inertia=(xx,yy,zz); without a name to the end of the robot, "
   "without com at the origin of the frame, without inertia (about com) a point"},
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

// ---- poses -----------------------------------------------------------------------------------------

int cli_take_pose(const cli_args* args, const cli_robot* r, double* q, unsigned char* named)
{
  const char* name = cli_get(args, "pose");
  limb_error err = {0};
  if (!name || limb_run_take_pose(r->reading, name, r->model, q, named, &err) == LIMB_OK) return EXIT_FINE;
  return cli_usage(args, "--pose: %s", err.text);
}
