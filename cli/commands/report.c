// `limb report`: what a designer hands on: a page about a robot along a motion, or about the robot alone; the same as
// JSON and CSV.
#include "commands/report.h"

#include "base/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a robot along a motion ------------------------------------------------------------------------

static int open_drawings(const cli_args* args, report_case* c)
{
  const int nv = c->motion.robot.dofs.nv, nq = c->motion.robot.dofs.nq;
  const int coordinates = nq < LIMB_PLOT_MAX ? nq : LIMB_PLOT_MAX;
  limb_animation_options o = limb_default_animation();
  o.still = 1, o.width = 620, o.height = 460, o.title = "";
  limb_status s = limb_plot_create(coordinates, &c->positions);
  for (int k = 0; k < nv && k < REPORT_JOINTS && s == LIMB_OK; k++) {
    s = limb_plot_create(REPORT_CURVES, &c->joint[k]);
    if (s == LIMB_OK) s = limb_envelope_create(&c->envelope[k]);
  }
  if (s == LIMB_OK) s = limb_animation_create(c->motion.robot.model, &o, &c->animation);
  return cli_failed(args, "the drawings", s, NULL);
}

static int take_row(void* context, const cli_motion* m)
{
  report_case* c = context;
  const cli_states* s = &m->states;
  const limb_sizing_row row = cli_motion_row(m);
  limb_sizing_add(c->sizing, &row);
  limb_plot_add(c->positions, s->time, s->q);
  for (int k = 0; k < m->robot.dofs.nv && k < REPORT_JOINTS; k++) {
    double speed = s->v[k], torque = m->tau[k];
    limb_plot_add(c->joint[k], s->time, (const double[REPORT_CURVES]){torque, speed, torque * speed});
    if (limb_sizing_motor_now(c->sizing, k, &speed, &torque) == LIMB_OK) speed *= 30 / 3.141592653589793; // rpm
    limb_envelope_add(c->envelope[k], speed, torque);
  }
  const limb_status shown = limb_animation_add(c->animation, s->time, s->q);
  return shown == LIMB_OK ? EXIT_FINE : cli_states_failure(&c->motion.states, shown, "the picture");
}

static int run_case(const cli_args* args, report_case* c, const char* model, const char* path)
{
  c->motion = (cli_motion){.args = args, .loads = 1, .differentiate = cli_has(args, "differentiate")};
  int code = cli_read_motors(args, &c->motors);
  if (code == EXIT_FINE) code = cli_robot_open(args, model, &c->motion.robot);
  if (code != EXIT_FINE || !path) return code;
  code = cli_states_open(&c->motion.states, args, &c->motion.robot, path);
  if (code == EXIT_FINE) code = cli_motion_open(&c->motion, "limb report");
  if (code == EXIT_FINE && limb_sizing_create(c->motion.robot.model, &c->sizing) != LIMB_OK)
    code = cli_out_of_memory(args);
  if (code == EXIT_FINE) code = cli_take_motors(args, &c->motion.robot, c->motors, c->sizing);
  if (code == EXIT_FINE) code = open_drawings(args, c);
  if (code == EXIT_FINE) code = cli_motion_run(&c->motion, take_row, c);
  if (code == EXIT_FINE && c->motion.states.count == 0) code = cli_usage(args, "%s: there are no rows", path);
  if (code != EXIT_FINE) return code;
  c->table = (cli_sizing){.sizing = c->sizing, .robot = &c->motion.robot, .trajectory = path};
  code = cli_sizing_open(&c->table, args);
  if (code == EXIT_FINE) cli_motion_report(&c->motion);
  return code;
}

static void close_case(report_case* c)
{
  cli_sizing_close(&c->table);
  limb_plot_destroy(c->positions);
  for (int k = 0; k < REPORT_JOINTS; k++) limb_plot_destroy(c->joint[k]), limb_envelope_destroy(c->envelope[k]);
  limb_animation_destroy(c->animation);
  limb_sizing_destroy(c->sizing);
  limb_reading_destroy(c->motors);
  cli_motion_close(&c->motion);
}

// ---- the robot alone -------------------------------------------------------------------------------

static int take_rest(cli_report* r)
{
  const cli_robot* robot = &r->a.motion.robot;
  if (limb_facts_of(robot->model, &r->facts) != LIMB_OK) return cli_out_of_memory(r->args);
  if (r->moves) return EXIT_FINE;
  r->torque = calloc((size_t)robot->dofs.nv + 1, sizeof *r->torque);
  if (!r->torque) return cli_out_of_memory(r->args);
  const limb_status s = limb_rest_extremes(robot->model, &robot->env, r->torque, &r->reach);
  r->has_rest = s == LIMB_OK;
  return s == LIMB_E_UNSUPPORTED ? EXIT_FINE : cli_failed(r->args, "the workspace", s, NULL);
}

// Of degree of freedom k; infinite: none.
static double torque_limit(const cli_robot* robot, int k)
{
  limb_joint_info x;
  const int limited = limb_get_joint(robot->model, robot->dofs.v[k].joint, &x) == LIMB_OK && x.nv == 1;
  return limited ? x.def.effort_max : HUGE_VAL;
}

// The limit, and how much of it is used; returns 1 if that is more than all of it.
static int put_limit(cli_table* t, double load, double bound)
{
  const double used = bound > 0 ? load / bound : load > 0 ? HUGE_VAL : 0;
  cli_cell_number(t, bound);
  if (!isfinite(bound))
    cli_cell_json(t, json_null(), "-");
  else if (!isfinite(used))
    cli_cell_json(t, json_null(), "OVER");
  else
    cli_cell_json(t, cli_json_number(used), "%.0f %%%s", 100 * used, used > 1 ? " OVER" : "");
  return isfinite(bound) && used > 1;
}

cli_table report_rest_table(const cli_report* r, int* over, int* limits)
{
  cli_table t = cli_table_make("<gravity torque=joint;>largest=torque;<unit=unit;>limit=limit;<used=used");
  const cli_robot* robot = &r->a.motion.robot;
  double size = 0;
  *over = *limits = 0;
  for (int k = 0; k < robot->dofs.nv && r->has_rest; k++) size = fmax(size, fabs(r->torque[k].value));
  for (int k = 0; k < robot->dofs.nv && r->has_rest; k++) {
    const cli_dof* dof = &robot->dofs.v[k];
    const double tau = fabs(r->torque[k].value) <= cli_sizing_noise(size) ? 0 : r->torque[k].value;
    const double bound = torque_limit(robot, k);
    if (dof->passive) continue; // nothing holds it
    cli_cell(&t, "%s", dof->name);
    cli_cell_json(&t, cli_json_number(tau), "%.4g", tau);
    cli_cell(&t, "%s", limb_force_unit(dof));
    *over += put_limit(&t, r->safety * fabs(tau), bound);
    *limits += isfinite(bound) != 0;
  }
  return t;
}

// ---- JSON and CSV ----------------------------------------------------------------------------------

static json_t* json_robot(const cli_report* r)
{
  const cli_robot* robot = &r->a.motion.robot;
  json_t* bodies = json_array();
  limb_body_info b;
  for (int k = 1; limb_get_body(robot->model, k, &b) == LIMB_OK; k++)
    if (b.inertia.mass > 0)
      (void)json_array_append_new(bodies,
                                  cli_json_object("name inertia", cli_json_text(b.name), cli_json_inertia(&b.inertia)));
  return cli_json_object("name mass reach bodies findings", cli_json_text(limb_model_name(robot->model)),
                         cli_json_number(r->facts.mass), cli_json_number(r->facts.reach), bodies,
                         cli_json_findings(limb_reading_findings(robot->reading), 0));
}

static int print_json(const cli_report* r, FILE* out)
{
  json_t* answer = r->moves ? cli_sizing_json(&r->a.table) : cli_json_answer();
  cli_json_set(answer, "robot safety", json_robot(r), cli_json_number(r->safety));
  if (r->two) cli_json_set(answer, "compared_with", cli_sizing_json(&r->b.table));
  if (r->has_rest) {
    int over, limits;
    cli_table t = report_rest_table(r, &over, &limits);
    cli_json_set(answer, "gravity_torques reach_found reach_frame", cli_table_json(&t), cli_json_number(r->reach.value),
                 cli_json_text(cli_body_name(r->a.motion.robot.model, r->reach.frame)));
  }
  return cli_json_print(answer, out, cli_title(r->args));
}

static limb_status rest_rows(limb_csv_writer* w, const void* report)
{
  static const char* const head[] = {"joint", "gravity_torque", "torque_limit", NULL};
  const cli_report* r = report;
  const cli_robot* robot = &r->a.motion.robot;
  limb_status s = cli_csv_head(w, head);
  for (int k = 0; k < robot->dofs.nv && r->has_rest && s == LIMB_OK; k++) {
    const double bound = torque_limit(robot, k);
    if (robot->dofs.v[k].passive) continue;
    s = limb_csv_text(w, robot->dofs.v[k].name);
    if (s == LIMB_OK) s = limb_csv_number(w, r->torque[k].value);
    if (s == LIMB_OK) s = isfinite(bound) ? limb_csv_number(w, bound) : limb_csv_text(w, "");
    if (s == LIMB_OK) s = limb_csv_end_row(w);
  }
  return s;
}

// ---- the command -----------------------------------------------------------------------------------

static int write_report(cli_report* r, const char* format, const char* path)
{
  cli_output o = {0};
  int code = cli_output_open(&o, cli_title(r->args), path);
  if (code != EXIT_FINE) return code;
  if (strcmp(format, "json") == 0)
    code = print_json(r, o.stream);
  else if (strcmp(format, "html") == 0)
    code = report_write_page(r, o.stream);
  else if (r->moves)
    code = cli_sizing_print(&r->a.table, format, o.stream, cli_title(r->args));
  else
    code = cli_csv_print(o.stream, cli_title(r->args), rest_rows, r);
  if (code == EXIT_FINE) code = cli_output_commit(&o, cli_title(r->args));
  cli_output_abandon(&o);
  return code;
}

static int check(const cli_args* args, const char* format)
{
  static const char* const of_motion[] = {"differentiate", "motors", "compare", "compare-model"};
  const int moves = cli_operand_count(args) > 1;
  for (size_t k = 0; k < sizeof of_motion / sizeof *of_motion && !moves; k++)
    if (cli_has(args, of_motion[k]))
      return cli_usage(args, "--%s is for a motion: name a table of states after the model", of_motion[k]);
  if (strcmp(format, "csv") == 0 && (cli_has(args, "compare") || cli_has(args, "compare-model")))
    return cli_usage(args, "a CSV table has one motion; --format json has both");
  if (strcmp(format, "text") == 0 && !moves)
    return cli_usage(args, "--format text is for a motion; limb info describes a robot");
  return EXIT_FINE;
}

static int run(const cli_args* args)
{
  const char *given = cli_get(args, "output"), *path = given ? given : "report.html";
  const char* format = cli_format(args, "html");
  cli_report r = {.args = args,
                  .moves = cli_operand_count(args) > 1,
                  .two = cli_has(args, "compare") || cli_has(args, "compare-model"),
                  .safety = 1};
  if (!format) return EXIT_USAGE;
  if (!given && strcmp(format, "html") != 0) path = "-";
  int code = check(args, format);
  if (code == EXIT_FINE && !given) code = cli_writes_to(args, "the report", path, "");
  if (code == EXIT_FINE) code = cli_positive(args, "safety", &r.safety); // cli_read_motors checks it further
  const char* motion = r.moves ? cli_operand(args, 1) : NULL;
  if (code == EXIT_FINE) code = run_case(args, &r.a, cli_operand(args, 0), motion);
  if (code == EXIT_FINE && r.two)
    code = run_case(args, &r.b, cli_has(args, "compare-model") ? cli_get(args, "compare-model") : cli_operand(args, 0),
                    cli_has(args, "compare") ? cli_get(args, "compare") : motion);
  if (code == EXIT_FINE) (void)!limb_check_loops(r.a.motion.robot.reading, NULL); // for its findings
  if (code == EXIT_FINE) code = take_rest(&r);
  if (code == EXIT_FINE) code = write_report(&r, format, path);
  if (code == EXIT_FINE && strcmp(format, "html") == 0 && strcmp(path, "-") != 0)
    (void)fprintf(stderr, "%s: written; open it in a browser, or print it\n", path);
  close_case(&r.a);
  close_case(&r.b);
  free(r.torque);
  return code;
}

static const cli_option own_options[] = {
  {"", NULL, "the motion"},
  {"differentiate", NULL, "velocities and accelerations from the positions, by a quintic spline"},
  {"compare", "OTHER.csv", "another motion beside it"},
  {"compare-model", "OTHER", "another robot beside it, along the same motion or that of --compare"},
  {0},
};

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"output", "FILE", "the report (default: report.html): .html, .json, .csv or .txt; - is standard output; also -o"},
  {"format", "html|json|csv|text", "the form, if the ending does not say it"},
  {0},
};

const cli_command cli_report_command = {
  .name = "report",
  .operands = "MODEL [MOTION.csv]",
  .summary = "a page to hand on: limits, drives, motors, bearings along a motion",
  .about =
    "Writes a page that needs nothing else and prints on A4: first what is over a limit, then the robot with its "
    "masses and findings, the motion, torque, speed and power of each joint over time with their RMS and limits, "
    "torque over speed against what the motor can deliver, gearboxes, energies and braking energy, loads on bearings "
    "(axial, radial, tilting; peak and cubic mean by ISO 281), and on the foundation. The table of the motion is that "
    "of limb id.\n"
    "--motors names a file of motors and gearboxes, which joints have which, with units: rated and peak torque, rated "
    "and maximal speed, inertia, ratio, efficiency. With the ratio N, the efficiency eta and the inertia J the motor "
    "delivers tau_o / (N eta) + J N a while it drives, tau_o eta / N + J N a while it brakes; tau_o is the torque of "
    "the joint without the rotor of the model, whose place J takes.\n"
    "--safety X: X times the torque must be within its limit. --payload 5kg adds a load. --compare and "
    "--compare-model put another motion or robot beside the first.\n"
    "Without a motion: masses, findings, reach, and the largest gravity torques of all configurations within the "
    "limits of the joints.",
  .examples =
    (const char* const[]){
      "limb report panda move.csv --motors motors.yaml -o report.html", "the whole report of a motion",
      "limb report arm.urdf positions.csv --differentiate --payload 5kg@flange --safety 1.5",
      "with a load, from positions alone", "limb report arm.urdf fast.csv --compare slow.csv",
      "two motions beside each other", "limb report arm.urdf -o arm.json", "the robot alone, for a program", NULL},
  .options = (const cli_option* const[]){own_options, cli_motor_options, cli_model_options, cli_change_options,
                                         cli_world_options, cli_wrench_options, output_options, NULL},
  .run = run,
  .writes = (const cli_written[]){{"output", ".html .htm .json .csv .txt"}, {0}},
};
