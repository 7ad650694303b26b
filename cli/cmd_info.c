// `limb info`: what was read, assumed, merged, lowered, dropped; and what the robot is.
#include "cli.h"
#include "commands.h"
#include "info.h"

#include <string.h>

// "1 body", "2 bodies"
static void print_count(int n, const char* one, const char* many, const char* end)
{
  printf("%d %s%s", n, n == 1 ? one : many, end);
}

static void print_summary(const cli_robot* r, const info_facts* x)
{
  const limb_model* m = r->model;
  const sp_vec3 g = limb_model_gravity(m), c = x->whole.com;
  const sp_inertia* Y = &x->whole;
  printf("%s%s%s, %s (%s)\n\n", cli_on(stdout, CLI_BOLD), limb_model_name(m), cli_off(stdout, CLI_BOLD),
         limb_reading_source(r->reading), limb_format_name(limb_reading_format(r->reading)));
  printf("  ");
  print_count(limb_body_count(m) - 1, "body", "bodies", ", ");
  print_count(limb_joint_count(m), "joint", "joints", ", ");
  print_count(limb_frame_count(m) - limb_body_count(m), "added frame", "added frames", "; ");
  printf("nq %d, nv %d\n", limb_nq(m), limb_nv(m));
  info_print_base(m);
  printf("  gravity %.6g %.6g %.6g m/s^2\n", g.x, g.y, g.z);
  printf("  mass %.6g kg\n", x->mass);
  if (x->has_com) {
    printf("  centre of mass %.6g %.6g %.6g m, at the neutral configuration\n", c.x, c.y, c.z);
    printf("  inertia about it xx %.6g  yy %.6g  zz %.6g  xy %.6g  xz %.6g  yz %.6g kg m^2\n", Y->xx, Y->yy, Y->zz,
           Y->xy, Y->xz, Y->yz);
  }
  printf("  reach %.6g m: no frame gets farther from the base", x->reach);
  limb_joint_info joint;
  if (limb_get_joint(m, x->travels, &joint) == LIMB_OK) printf(", without the travel of %s", joint.def.name);
  if (x->travelling > 1)
    printf(" and %d other%s, which have no limits", x->travelling - 1, x->travelling > 2 ? "s" : "");
  else if (x->travelling == 1)
    printf(", which has no limit");
  printf("\n");
}

static int print_text(const cli_args* args, const cli_robot* r, const info_facts* facts)
{
  const int tree = cli_has(args, "tree"), mdh = cli_has(args, "mdh"), all = cli_has(args, "all");
  if (tree) info_print_tree(r->model);
  if (tree) info_print_loops(r->model);
  if (tree && mdh) printf("\n");
  if (mdh) info_print_mdh(r->model);
  if (!tree && !mdh) {
    print_summary(r, facts);
    info_print_joints(r->model);
    info_print_elastic(r->model, facts->diagonal);
    info_print_loops(r->model);
    info_print_mobility(&facts->closure);
    info_print_bodies(r->model);
    info_print_findings(r, all);
    info_print_notes(r->model, all);
  }
  return limb_cli_close_output(cli_title(args));
}

static int print_json(const cli_args* args, const cli_robot* r, const info_facts* facts)
{
  json_t* out = info_json(r, facts);
  if (cli_has(args, "mdh")) (void)json_object_set_new(out, "mdh", info_json_mdh(r->model));
  const int code = cli_json_print(out, stdout, cli_title(args));
  return code == EXIT_FINE ? limb_cli_close_output(cli_title(args)) : code;
}

// Loops that stay open are told whatever is printed.
static void warn_open(const cli_closure* c, const char* source)
{
  if (!c->model || c->closed) return;
  (void)fprintf(stderr,
                "%s: warning: loop '%s': cannot be closed from the start configuration: it stays "
                "%.3g apart, at best of %d tries\n",
                source, cli_loop_name(c->model, c->report.loop), c->report.residual, c->report.tries);
}

static int run(const cli_args* args)
{
  const char *format = cli_get(args, "format"), *source = cli_operand(args, 0);
  const int json = format && strcmp(format, "json") == 0;
  const int shows_findings = json || (!cli_has(args, "tree") && !cli_has(args, "mdh"));
  cli_robot r;
  info_facts facts = {0};
  int code = shows_findings ? cli_robot_open_quietly(args, source, &r) : cli_robot_open(args, source, &r);
  if (code != EXIT_FINE) return code;
  const limb_status s = info_facts_of(&r, &facts);
  if (s == LIMB_OK) warn_open(&facts.closure, limb_reading_source(r.reading));
  if (s != LIMB_OK) {
    (void)cli_usage(args, "%s", limb_status_text(s));
    code = cli_exit_code(s);
  } else if (json) {
    code = print_json(args, &r, &facts);
  } else {
    code = print_text(args, &r, &facts);
  }
  info_facts_free(&facts);
  cli_robot_close(&r);
  return code;
}

static const cli_option options[] = {
  {"", NULL, "the output"},
  {"tree", NULL, "only the tree of bodies and joints"},
  {"mdh", NULL,
   "only the compiled robot as a table of modified Denavit-Hartenberg parameters, with its own and "
   "its "
   "regrouped inertial parameters"},
  {"all", NULL, "every finding and note, not only the first of each kind"},
  {"format", "text|json", "how it is printed; JSON always has everything, the table of --mdh if asked for"},
  {0},
};

const cli_command cli_info = {
  .name = "info",
  .operands = "MODEL",
  .summary = "what is in a model file, and what was made of it",
  .about = (const char* const[]){"Tells what was read, assumed and dropped (findings of the reader), what no real",
                                 "robot can be (errors of the doctor), what was merged, lowered and regrouped",
                                 "(notes of the compiler), and the base, joints, limits, motors, elasticity,",
                                 "masses, reach and inertia of the robot. limb check tells more about what is",
                                 "wrong or doubtful.", "",
                                 "Of a robot with loops also its mobility, with the loops closed from the start",
                                 "configuration: what counting says (Gruebler), what truly moves there, rows of",
                                 "equations that others imply and the loops that they belong to, motors and motions,",
                                 "condition numbers and the kind of singularity. Loops that do not close are named,",
                                 "with how far they stay apart; limb assemble looks harder.", NULL},
  .examples =
    (const char* const[]){"limb info arm.urdf", "everything about a file", "limb info panda --tree",
                          "how the bodies of a built-in robot hang together", "limb info --mdh --format json arm.urdf",
                          "the compiled frames and inertial parameters, in 17 digits", NULL},
  .options = (const cli_option* const[]){cli_model_options, options, NULL},
  .least = 1,
  .most = 1,
  .run = run,
};
