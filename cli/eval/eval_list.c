// `limb eval --list`: the registry of quantities, for people, for programs, and as docs/quantities.md.
#include "base/command.h"
#include "base/print.h"
#include "eval/eval.h"

#include <string.h>

enum { CELL = 400 };

void eval_shape(const limb_quantity_info* q, char* text, size_t size)
{
  const int record = q->axis[0] == LIMB_AXIS_FIELD && q->axis[1] != LIMB_AXIS_NONE;
  size_t used = 0;
  *text = '\0';
  for (int k = 0; record && q->fields[k] && used < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", k ? ", " : "", q->fields[k]);
  for (int k = record; used < size && (k == record || q->axis[k] != LIMB_AXIS_NONE); k++) {
    const char* gap = k > record ? " x " : record ? ": " : "";
    used += (size_t)snprintf(text + used, size - used, "%s%s", gap, limb_axis_length_text(q->axis[k]));
  }
  const char* key = q->axis[0] == LIMB_AXIS_JOINT  ? "joint"
                    : q->axis[0] == LIMB_AXIS_LOOP ? "loop"
                    : q->axis[0] == LIMB_AXIS_BODY ? "body"
                                                   : NULL;
  if (key && used < size) (void)snprintf(text + used, size - used, ", keyed by %s", key); // so JSON has objects
}

// Words for the bits of what a quantity needs.
static const struct {
  unsigned bit;
  const char* word;
} need[] = {
  {LIMB_NEEDS_Q, "q"},
  {LIMB_NEEDS_V, "v"},
  {LIMB_NEEDS_A, "a"},
  {LIMB_NEEDS_TAU, "tau"},
  {LIMB_NEEDS_TIME, "time"},
  {LIMB_NEEDS_V_R, "v_r"},
  {LIMB_NEEDS_A_R, "a_r"},
  {LIMB_NEEDS_A_OR_TAU, "a or tau"},
  {LIMB_NEEDS_GIVEN, "a or tau by joint"},
  {LIMB_NEEDS_BASE, "a or tau by joint"},
  {LIMB_NEEDS_FRAME, "frame"},
  {LIMB_NEEDS_REFERENCE, "ref"},
  {LIMB_NEEDS_DIRECTIONS, "directions"},
  {LIMB_NEEDS_DT, "dt"},
};

enum { NEEDS = sizeof need / sizeof *need };

static void needs_text(const limb_quantity_info* q, char* text, size_t size)
{
  size_t used = 0;
  *text = '\0';
  for (int k = 0; k < NEEDS && used < size; k++)
    if (q->needs & need[k].bit)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", need[k].word);
  if (!*text) (void)snprintf(text, size, "-");
}

// ---- text and JSON ---------------------------------------------------------------------------------

// A row per quantity.
static cli_table quantities(void)
{
  cli_table t = cli_table_make("<name;=group;=equation;<needs=;=needs;=frame;=ref;=robots;<shape;=axes;=unit;=fields;"
                               "<what it is=meaning;=note;=functions");
  for (int i = 0; limb_get_quantity(i); i++) {
    const limb_quantity_info* q = limb_get_quantity(i);
    json_t *needs = json_array(), *fields = json_array(), *axes = json_array();
    char text[CELL];
    for (int k = 0; k < NEEDS; k++)
      if (q->needs & need[k].bit && !(need[k].bit & (LIMB_NEEDS_FRAME | LIMB_NEEDS_REFERENCE)))
        (void)json_array_append_new(needs, cli_json_text(need[k].word));
    for (int k = 0; q->fields && q->fields[k]; k++) (void)json_array_append_new(fields, cli_json_text(q->fields[k]));
    for (int k = 0; q->axis[k] != LIMB_AXIS_NONE; k++)
      (void)json_array_append_new(axes, cli_json_text(limb_axis_text(q->axis[k])));
    needs_text(q, text, sizeof text);
    cli_cell(&t, "%s", q->name), cli_cell(&t, "%s", q->group), cli_cell(&t, "%s", q->equation);
    cli_cell(&t, "%s", text), cli_cell_json(&t, needs, "-");
    cli_cell_json(&t, json_boolean((q->needs & LIMB_NEEDS_FRAME) != 0), "-");
    cli_cell_json(&t, json_boolean((q->needs & LIMB_NEEDS_REFERENCE) != 0), "-");
    cli_cell(&t, "%s", limb_robots_text(q->robots));
    eval_shape(q, text, sizeof text);
    cli_cell(&t, "%s", text), cli_cell_json(&t, axes, "-");
    cli_cell(&t, "%s", q->unit), cli_cell_json(&t, fields, "-");
    cli_cell(&t, "%s", q->meaning), cli_cell(&t, "%s", q->note), cli_cell(&t, "%s", q->functions);
  }
  return t;
}

static void print_text(void)
{
  cli_table t = quantities();
  cli_table_print(&t, stdout, "");
  (void)fputs("\n  Names are <quantity>[@body|@world|@aligned][.<frame>][.<label>...], as M.elbow.wrist and\n"
              "  velocity@body.tool.vx; all stands for everything that the robot has and that the inputs allow.\n"
              "  Robots with loops: the loops are closed; --tree cuts them open.\n"
              "  limb eval --list --what tau prints equation, unit and all else about one quantity.\n",
              stdout);
}

static int print_json(const char* title)
{
  json_t* answer = cli_json_answer();
  cli_table t = quantities();
  (void)json_object_set_new(answer, "quantities", cli_table_json(&t));
  return cli_json_print(answer, stdout, title);
}

// All about one quantity.
static int print_card(const cli_args* args, const char* name)
{
  const limb_quantity_info* q = limb_find_quantity(name);
  char text[CELL];
  if (!q) {
    const char* near = limb_nearest_quantity(name);
    return cli_usage(args, "--what: there is no quantity '%s'%s%s%s", name, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
  }
  cli_table t = cli_table_make("<;<");
  cli_cell(&t, "%s", q->name), cli_cell(&t, "%s", q->meaning);
  cli_cell(&t, "equation"), cli_cell(&t, "%s", q->equation);
  needs_text(q, text, sizeof text);
  cli_cell(&t, "needs"), cli_cell(&t, "%s", text);
  eval_shape(q, text, sizeof text);
  cli_cell(&t, "shape"), cli_cell(&t, "%s", text);
  for (int k = 0; q->axis[k] != LIMB_AXIS_NONE; k++)
    cli_cell(&t, "  axis %d", k + 1), cli_cell(&t, "%s", limb_axis_text(q->axis[k]));
  cli_cell(&t, "unit"), cli_cell(&t, "%s", q->unit);
  cli_cell(&t, "robots"), cli_cell(&t, "%s", limb_robots_text(q->robots));
  cli_cell(&t, "in C"), cli_cell(&t, "%s", *q->functions ? q->functions : "-");
  if (*q->note) cli_cell(&t, "note"), cli_cell(&t, "%s", q->note);
  cli_table_print(&t, stdout, "");
  return EXIT_FINE;
}

// ---- Markdown --------------------------------------------------------------------------------------

static const char* const intro[] = {
  "# Quantities",
  "",
  "Every quantity that `limb eval`, the channels and formulas of `limb sim`, and `limb_evaluator` of",
  "[limb/quantities.h](../include/limb/quantities.h) know. This page is made by",
  "`limb eval --list --format markdown`; a test compares.",
  "",
  "A name is `<quantity>[@body|@world|@aligned][.<frame>][.<label>...]`:",
  "",
  "    M    M.elbow    M.elbow.wrist    J.tool    velocity@body.tool.vx    energy.kinetic    reactions.elbow.fz",
  "",
  "The frame follows where a quantity needs one, unless `--frame` names one for all. Labels select along the axes,",
  "first axis first, and may be left open at a dot: `v.base` stands for `v.base.wx` to `v.base.vz`. `all` stands for",
  "everything that the robot has and that the inputs allow.",
  "",
  "Robots with loops have the same names: `tau`, `acc`, `M`, `h`, ... are those with the loops closed, for states that",
  "close them. Matrices have the same size as for trees; rows and columns of dependent velocities are zero, and",
  "`independent` reports which velocities are independent. `limb eval --tree` computes the quantities of the spanning",
  "tree, with the loops cut open. With `--tree` only, a robot with loops also has the quantities of trees.",
  "",
  "Axes: nq coordinates, nv velocities, 6 components of a motion (wx wy wz vx vy vz) or of a wrench (mx my mz fx fy",
  "fz), 3 of a vector, np parameters, nb base parameters, nc equations and ny independent velocities of the loops, n",
  "bodies as described (without the world), 6n components of all of them. Axes of joints, loops, bodies and fields are",
  "objects in JSON, keyed by joint, loop, body or field; all others are arrays.",
  NULL,
};

// Vertical bars would end a cell.
static void put_cell(const char* text)
{
  (void)fputs(" ", stdout);
  for (; *text; text++) {
    if (*text == '|') (void)fputc('\\', stdout);
    (void)fputc(*text, stdout);
  }
  (void)fputs(" |", stdout);
}

static void put_row(const limb_quantity_info* q)
{
  char name[CELL], equation[CELL], meaning[2 * CELL], shape[CELL], needs[CELL], functions[CELL];
  (void)snprintf(name, sizeof name, "`%s`", q->name);
  (void)snprintf(equation, sizeof equation, "`%s`", q->equation);
  (void)snprintf(meaning, sizeof meaning, "%s%s%s", q->meaning, *q->note ? ". Note: " : "", q->note);
  (void)snprintf(functions, sizeof functions, *q->functions ? "`%s`" : "%s", q->functions);
  eval_shape(q, shape, sizeof shape);
  needs_text(q, needs, sizeof needs);
  const char* const cells[] = {name, equation, meaning, shape, q->unit, needs, limb_robots_text(q->robots), functions};
  (void)fputs("|", stdout);
  for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) put_cell(cells[k]);
  (void)fputs("\n", stdout);
}

static void print_markdown(void)
{
  const char* group = "";
  for (int k = 0; intro[k]; k++) (void)printf("%s\n", intro[k]);
  for (int k = 0; limb_get_quantity(k); k++) {
    const limb_quantity_info* q = limb_get_quantity(k);
    if (strcmp(q->group, group) != 0) {
      group = q->group;
      (void)printf("\n## %c%s\n\n", *group - 'a' + 'A', group + 1);
      (void)printf("| name | equation | meaning | shape | unit | needs | robots | C functions |\n"
                   "|---|---|---|---|---|---|---|---|\n");
    }
    put_row(q);
  }
}

int eval_list(const cli_args* args)
{
  const char *format = cli_get(args, "format"), *title = cli_title(args);
  int code = EXIT_FINE;
  if (cli_get(args, "what") && (!format || strcmp(format, "text") == 0)) return print_card(args, cli_get(args, "what"));
  if (!format || strcmp(format, "text") == 0)
    print_text();
  else if (strcmp(format, "markdown") == 0)
    print_markdown();
  else if (strcmp(format, "json") == 0)
    code = print_json(title);
  else
    return cli_usage(args, "--list is text, json or markdown");
  return code;
}
