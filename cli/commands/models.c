// `limb models`: the built-in robots.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"

#include "limb/read.h"

#include <string.h>

// ---- the list --------------------------------------------------------------------------------------

static limb_status add_robot(int index, cli_table* t, const char** name, limb_error* err)
{
  limb_robot_info robot;
  limb_model* m = NULL;
  limb_status s = limb_get_robot(index, &robot);
  if (s != LIMB_OK) return s;
  *name = robot.name;
  s = cli_load_built_in(robot.name, &m, err);
  if (s != LIMB_OK) return s;
  const double mass = limb_total_mass(m);
  cli_cell(t, "%s", robot.name), cli_cell_integer(t, limb_nv(m)), cli_cell_json(t, cli_json_number(mass), "%.4g", mass);
  cli_cell(t, "%s", robot.title), cli_cell(t, "%s", robot.origin), cli_cell_integer(t, limb_nq(m));
  limb_model_destroy(m);
  return LIMB_OK;
}

static int print_list(const cli_args* args)
{
  cli_table t = cli_table_make("<name;>nv;>mass [kg]=mass;<robot=title;=origin;=nq");
  limb_error err = {0};
  limb_status s = LIMB_OK;
  const char* name = "";
  int code = EXIT_FINE;
  for (int i = 0; i < limb_robot_count() && s == LIMB_OK; i++) s = add_robot(i, &t, &name, &err);
  if (s != LIMB_OK) {
    code = cli_failed(args, name, s, &err);
    cli_table_free(&t);
  } else if (cli_is(args, "format", "json")) {
    json_t* answer = cli_json_answer();
    (void)json_object_set_new(answer, "models", cli_table_json(&t));
    code = cli_json_print(answer, stdout, cli_title(args));
  } else {
    cli_table_print(&t, stdout, "");
  }
  return code;
}

// ---- one robot -------------------------------------------------------------------------------------

// The text of its file; for a robot made by a program, the output of the writer.
static limb_status text_of(const limb_robot_info* robot, cli_text* text, limb_error* err)
{
  if (robot->text) {
    cli_text_add(text, robot->text);
    return text->failed ? LIMB_E_NOMEM : LIMB_OK;
  }
  limb_reading* r = NULL;
  limb_status s = limb_read_robot(robot->name, NULL, &r, err);
  if (s == LIMB_OK) s = limb_write(limb_reading_builder(r), LIMB_FORMAT_YAML, cli_text_add, text, NULL, err);
  limb_reading_destroy(r);
  return s == LIMB_OK && text->failed ? LIMB_E_NOMEM : s;
}

static const char* text_or_empty(const cli_text* text) { return text->bytes ? text->bytes : ""; }

static int print_one(const cli_args* args, const limb_robot_info* robot)
{
  cli_text text = {0};
  limb_error err = {0};
  limb_model* m = NULL;
  limb_status s = text_of(robot, &text, &err);
  if (s == LIMB_OK) s = cli_load_built_in(robot->name, &m, &err);
  int code = EXIT_FINE;
  if (s != LIMB_OK) {
    code = cli_failed(args, robot->name, s, &err);
  } else if (cli_is(args, "format", "json")) {
    json_t *answer = cli_json_answer(), *model = json_object();
    cli_json_set(model, "name title origin nq nv mass text", cli_json_text(robot->name), cli_json_text(robot->title),
                 cli_json_text(robot->origin), json_integer(limb_nq(m)), json_integer(limb_nv(m)),
                 cli_json_number(limb_total_mass(m)), cli_json_text(text_or_empty(&text)));
    (void)json_object_set_new(answer, "model", model);
    code = cli_json_print(answer, stdout, cli_title(args));
  } else {
    // Comments of YAML: the output is a model file. Most files begin with them.
    if (!strstr(text_or_empty(&text), "# origin:"))
      printf("# %s: %s\n# origin: %s\n", robot->name, robot->title, robot->origin);
    printf("%s", text_or_empty(&text));
  }
  limb_model_destroy(m);
  cli_text_free(&text);
  return code;
}

static int run(const cli_args* args)
{
  enum { MAX_NAMES = 64 };
  const char *name = cli_operand(args, 0), *names[MAX_NAMES + 1] = {NULL};
  limb_robot_info robot;
  if (!name) return print_list(args);
  for (int i = 0; i < limb_robot_count(); i++) {
    if (limb_get_robot(i, &robot) != LIMB_OK) continue;
    if (strcmp(robot.name, name) == 0) return print_one(args, &robot);
    if (i < MAX_NAMES) names[i] = robot.name;
  }
  const char* near = limb_nearest_name(name, names);
  if (near) return cli_usage(args, "there is no robot '%s'; did you mean '%s'?", name, near);
  return cli_usage(args, "there is no robot '%s'; limb models lists them", name);
}

static const cli_option options[] = {
  {"format", "text|json", "output format"},
  {0},
};

const cli_command cli_models = {
  .name = "models",
  .operands = "[NAME]",
  .summary = "the built-in robots, or the model file of one",
  .about =
    "The names can be used wherever a model file is expected; a file of that name takes precedence. With NAME, the "
    "file of the robot and the source of its numbers are printed.",
  .examples = (const char* const[]){"limb models", "list them", "limb models ur5 > mine.limb.yaml",
                                    "start a model of your own from one of them", NULL},
  .options = (const cli_option* const[]){options, NULL},
  .run = run,
};
