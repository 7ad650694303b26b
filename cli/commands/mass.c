// `limb mass`: masses, centres and inertias of the bodies of a file; of a URDF also those that follow from its shapes.
#include "base/command.h"
#include "base/output.h"
#include "base/print.h"
#include "robot/robot.h"

#include "limb/read.h"

#include <string.h>

static void add_body(const limb_body_def* body, cli_table* t)
{
  const sp_inertia* Y = &body->inertia;
  const double c[] = {Y->com.x, Y->com.y, Y->com.z}, I[] = {Y->xx, Y->yy, Y->zz, Y->xy, Y->xz, Y->yz};
  cli_cell(t, "%s", body->name);
  cli_cell_number(t, Y->mass);
  for (int i = 0; i < 3; i++) cli_cell_number(t, cli_clean(c[i], cli_largest(c, 3)));
  for (int i = 0; i < 6; i++) cli_cell_number(t, cli_clean(I[i], cli_largest(I, 6)));
}

// The findings about bodies whose mass follows from shapes have their volumes: printed, or as a list.
static json_t* put_volumes(const limb_findings* f, FILE* out)
{
  json_t* list = out ? NULL : json_array();
  limb_finding x;
  for (int i = 0; limb_findings_get(f, i, &x) == LIMB_OK; i++) {
    if (strcmp(x.rule, "derived-inertia") != 0) continue;
    if (out)
      (void)fprintf(out, "%s: %s\n", x.where, x.text);
    else
      (void)json_array_append_new(list, cli_json_object("body text", cli_json_text(x.where), cli_json_text(x.text)));
  }
  return list;
}

static int print_bodies(const cli_args* args, const limb_reading* r, const limb_builder* b, const limb_findings* f)
{
  cli_table t = cli_table_make("<body;>mass;>cx;>cy;>cz;>Ixx;>Iyy;>Izz;>Ixy;>Ixz;>Iyz");
  limb_body_def body;
  double mass = 0;
  for (int i = 1; limb_builder_get_body(b, i, &body) == LIMB_OK; i++) {
    add_body(&body, &t);
    mass += body.inertia.mass;
  }
  if (cli_is(args, "format", "json")) {
    json_t* answer = cli_json_answer();
    (void)json_object_set_new(answer, "mass", cli_json_number(mass));
    (void)json_object_set_new(answer, "bodies", cli_table_json(&t));
    (void)json_object_set_new(answer, "shapes", put_volumes(f, NULL));
    return cli_json_print(answer, stdout, cli_title(args));
  }
  (void)printf("%s: %.6g kg\n\nbodies (kg, m, kg m^2 about the centre of mass)\n", limb_reading_source(r), mass);
  cli_table_print(&t, stdout, "  ");
  (void)put_volumes(f, stdout);
  return EXIT_FINE;
}

static int run(const cli_args* args)
{
  limb_read_options opt;
  limb_reading* r = NULL;
  limb_error err = {0};
  int code = cli_read_options(args, &opt);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_read(cli_operand(args, 0), &opt, &r, &err);
  limb_findings* f = limb_reading_findings(r);
  cli_print_findings(stderr, cli_operand(args, 0), f, s == LIMB_OK ? LIMB_WARNING : LIMB_ERROR);
  if (s != LIMB_OK)
    code = limb_findings_count(f) > 0 ? cli_exit_code(s) : cli_failed(args, cli_operand(args, 0), s, &err);
  else
    code = print_bodies(args, r, limb_reading_builder(r), f);
  limb_reading_destroy(r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "output"},
  {"format", "text|json", "default: text"},
  {0},
};

const cli_command cli_mass = {
  .name = "mass",
  .operands = "MODEL",
  .summary = "masses and inertias of all bodies, also from shapes and a density",
  .about =
    "With --density, links of a URDF file that have no mass get mass, centre and inertia of their shapes: boxes, "
    "cylinders, spheres, capsules, and meshes (STL, OBJ, DAE, glTF) in metres. Faces of meshes are turned outwards; a "
    "mesh "
    "with "
    "holes is a warning. Shapes that overlap count twice.\n"
    "--density is an option of every command that reads a model: `limb convert` saves the robot with these masses.",
  .examples = (const char* const[]){"limb mass arm.urdf --density 2700", "links of aluminium",
                                    "limb convert arm.urdf arm.limb.yaml --density 2700", "the same, saved", NULL},
  .options = (const cli_option* const[]){options, cli_model_options, NULL},
  .run = run,
};
