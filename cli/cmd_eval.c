// `limb eval`: any quantity of the library, for each row of a table of states.
#include "cli.h"
#include "commands.h"
#include "eval.h"
#include "output.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const cli_option own_options[] = {
  {"", NULL, "what to compute"},
  {"states", "FILE.csv", "table of states, one row each; - is standard input. What needs no state does without"},
  {"what", "LIST", "quantities, with commas between them"},
  {"frame", "NAME", "body or frame that J, pose, velocity, Lambda and others are of"},
  {"ref", "body|world|aligned", "axes and point of what is of a frame, and of reactions (default: aligned)"},
  {"directions", "LIST",
   "of the task of Lambda, eta, mu, p, Jbar, N, condition: some of wx,wy,wz,vx,vy,vz, or angular, "
   "or linear (default: all six)"},
  {"damping", "X", "added to the diagonal of J M^-1 J' before it becomes Lambda (default: 0)"},
  {"dt", "T", "time between samples of Ad and Bd in s"},
  {"list", NULL, "print the quantities, what each needs and its shape; as text, or by --format json"},
  {0},
};

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"format", "json|csv|text", "how results are printed (default: json)"},
  {"output", "FILE", "where to (default: standard output)"},
  {0},
};

static const cli_option* const options[] = {
  own_options, cli_model_options, cli_world_options, cli_wrench_options, cli_loop_options, output_options, NULL};

static const char* const about[] = {
  "Reads a table of states and computes the quantities that --what lists, row by",
  "row. Columns of the table are called q.<joint>, v.<joint>, a.<joint> and",
  "tau.<joint>; joints with several components have suffixes (limb --conventions).",
  "A column time is optional. Nothing is assumed: a quantity that needs columns",
  "that are not there is an error, and columns that belong to nothing are named.",
  "",
  "External wrenches act on the robot: columns wrench.<frame>.mx .my .mz .fx .fy",
  ".fz, at the frame's origin, in world axes (see --wrench-ref); those that are",
  "not there are zero, one of a frame that is not there is an error. They enter tau,",
  "acc, hybrid, base_acc, deflection, reactions, power, and the derivatives of tau,",
  "acc and hybrid.",
  "",
  "hybrid is given, of each joint, its acceleration or its force, by the column that",
  "is there: a.<joint> or tau.<joint>. It answers with all of both. Of a joint without",
  "motor (limb info names them) neither stands for no force. base_acc is of a moving",
  "base, the joints without motor between the world and the first that has one: of",
  "these it takes tau, or zero, of the others a, or else tau. In a robot without such",
  "joints, the base are those on the world of which tau is there and a is not. Its",
  "answer is in the order of v, wx wy wz vx vy vz for a free base: rates of these",
  "components, which are in the axes of the body. base_acc_frame is the angular",
  "acceleration of a frame and the acceleration of its origin in space, when the",
  "base moves like that.",
  "",
  "References: body is the frame's axes at its origin, aligned the world's axes at",
  "the frame's origin, world the world's axes at its own origin. Spatial vectors",
  "are angular first; J has 6 rows.",
  "",
  "Of a robot with loops most of the dynamics here is that of its tree of joints, the",
  "loops cut open: a note names these quantities, as tree_only does in JSON. Rows that",
  "do not close the loops are told. With the loops closed: tau_active, closed_acc and",
  "its derivatives, lambda, loop_loads, joint_loads, passive, mobility. For these, rows",
  "that do not close them are errors, exit code 4, and columns q, v and a of joints that",
  "follow from the others may be missing; q_closed are all coordinates. lambda and the",
  "loads are of the motion when there are columns a, else of the one that tau causes.",
  "Laws of time are taken at the time of a row. psi and lambda have a row per equation,",
  "<loop>.turn_x ... .move_z for directions that are locked, or .distance, .gear,",
  ".polynomial, .knife, .along, .across, .height; a pin among parallel axes has rows",
  "that are zero.",
  "",
  "A derivative with respect to q is one along the tangent, per unit of v. What it",
  "is by comes last: (i, j, k) of dM_dq is of M_ij by q_k, of dqdv in d2tau that of",
  "tau_i by q_j and v_k. Derivatives of Coulomb friction are zero unless it is",
  "smooth: --coulomb-width.",
  "",
  "JSON is one object with schema, model, gravity, friction, mimic, base (fixed,",
  "floating, planar, another type of joint, or other when they differ), frame, ref,",
  "joints, dofs, nq, nv, and results: an array of one object per row. Matrices and",
  "tensors are nested arrays, the last index innermost; directions and parameters",
  "name their indices where there are any, rows, active_dofs and coordinates those of",
  "psi, tau_active and q_closed; given says what hybrid took of each of",
  "dofs, base_given what base_acc did. Numbers have 17 digits. CSV has a column per",
  "number, such as M.<dof>.<dof>, J.wx.<dof>, Y.<dof>.<body>.mx, A.q.<dof>.v.<dof>,",
  "hybrid.a.<dof>, pose.px, energy.kinetic, reactions.<joint>.mx. When a row fails,",
  "what was printed before stays, JSON with an object error behind the results; a",
  "file of --output is not written then.",
  NULL,
};

static const char* const examples[] = {
  "limb eval --list",
  "the quantities, what they need, their shapes",
  "limb eval ur5 --states states.csv --what tau,M",
  "torques and mass matrix of the built-in UR5, as JSON",
  "limb eval arm.urdf --states states.csv --what J,pose --frame tool0 --ref body --format text",
  "Jacobian and pose of a frame, to look at",
  "limb eval dog.urdf --base floating --states s.csv --what reactions --output loads.json",
  "loads on all joints of a robot that walks, to a file",
  "limb eval acrobot --states examples/acrobot_up.csv --what A,B",
  "linear model about a state, for a controller",
  "limb eval panda --states s.csv --what Lambda --frame flange --directions linear",
  "what mass the hand has in each direction",
  "limb eval elastic2r --states s.csv --what hybrid --format text",
  "a.joint1 is a column: torque of joint1, acceleration of the elastic joint2",
  "limb eval space_arm --states s.csv --what base_acc",
  "how the base moves when the joints do",
  "limb eval five_bar --states s.csv --what tau_active,lambda",
  "torques of the motors with the loop closed, and the force in its pin",
  NULL,
};

// ---- options ---------------------------------------------------------------------------------------

static int unknown_quantity(const cli_args* args, const char* name)
{
  const char* close = eval_nearest(name);
  if (close) return cli_usage(args, "--what: unknown quantity '%s'; did you mean '%s'?", name, close);
  return cli_usage(args, "--what: unknown quantity '%s'; limb eval --list names them", name);
}

static int add_quantity(eval_sheet* s, const char* name)
{
  const eval_quantity* e = eval_get(0);
  for (int k = 1; e && strcmp(e->name, name) != 0; k++) e = eval_get(k);
  if (!e) return unknown_quantity(s->args, name);
  for (int i = 0; i < s->count; i++) {
    if (s->quantity[i] == e) return cli_usage(s->args, "--what: '%s' is there twice", name);
  }
  assert(s->count < EVAL_MOST); // each is there once
  s->quantity[s->count++] = e;
  return EXIT_FINE;
}

// Takes the list of --what apart.
static int read_what(eval_sheet* s)
{
  const char* list = cli_get(s->args, "what");
  if (!list || !*list) {
    return cli_usage(s->args, "--what LIST is missing: what shall be computed? limb eval --list");
  }
  for (;;) {
    const size_t length = strcspn(list, ",");
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), list);
    const int code = add_quantity(s, name);
    if (code != EXIT_FINE || !list[length]) return code;
    list += length + 1;
  }
}

static limb_ref read_ref(const cli_args* args)
{
  const char* ref = cli_get(args, "ref");
  if (ref && strcmp(ref, "body") == 0) return LIMB_BODY;
  if (ref && strcmp(ref, "world") == 0) return LIMB_WORLD;
  return LIMB_ALIGNED;
}

static int unknown_frame(const cli_args* args, const limb_model* m, const char* name)
{
  const char* close = cli_nearest_frame(m, name);
  if (close) return cli_usage(args, "--frame: the model has no frame '%s'; did you mean '%s'?", name, close);
  return cli_usage(args, "--frame: the model has no frame '%s'; limb info names its bodies", name);
}

static int read_frame(eval_sheet* s)
{
  const char* name = cli_get(s->args, "frame");
  s->run->ref = read_ref(s->args);
  s->run->frame = -1;
  if (name) {
    s->run->frame = limb_find_frame(s->run->robot->model, name);
    if (s->run->frame < 0) return unknown_frame(s->args, s->run->robot->model, name);
    s->run->task = (limb_task){.frame = s->run->frame, .ref = s->run->ref};
    return EXIT_FINE;
  }
  for (int i = 0; i < s->count; i++) {
    if (!(s->quantity[i]->of & OF_FRAME)) continue;
    return cli_usage(s->args, "'%s' is of a frame: name it with --frame", s->quantity[i]->name);
  }
  return EXIT_FINE;
}

// ---- running ---------------------------------------------------------------------------------------

static int check_needs(eval_sheet* s)
{
  int code = EXIT_FINE;
  for (int i = 0; i < s->count; i++) {
    const int c = eval_need(s, s->quantity[i]);
    if (c != EXIT_FINE) code = c;
  }
  return code;
}

limb_status eval_move(eval_run* run)
{
  const cli_states* t = run->states;
  if (run->level == 0) return LIMB_OK;
  return limb_kinematics(run->robot->data, t->q, run->level > 1 ? t->v : NULL, run->level > 2 ? t->a : NULL);
}

static int compute_row(eval_sheet* s)
{
  cli_states* t = s->run->states;
  const limb_status moved = eval_move(s->run);
  if (moved != LIMB_OK) return cli_states_failure(t, moved, "kinematics");
  const limb_status watched = eval_watch_row(s);
  if (watched != LIMB_OK) return cli_states_failure(t, watched, "loops");
  for (int i = 0; i < s->count; i++) {
    *s->run->because = '\0';
    const limb_status status = s->quantity[i]->compute(s->run, s->x[i]);
    if (status == LIMB_OK) continue;
    return cli_states_failure_because(t, status, s->quantity[i]->name, s->run->because);
  }
  return EXIT_FINE;
}

static int run_rows(eval_sheet* s, const eval_printer* printer)
{
  cli_states* t = s->run->states;
  cli_progress progress = cli_progress_begin("eval", t->bytes);
  int got = 0, printed = EXIT_FINE;
  for (int i = 0; i < s->count; i++) {
    if (s->quantity[i]->level > s->run->level) s->run->level = s->quantity[i]->level;
  }
  int code = printed = printer->begin(s);
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(t, &got);
    if (code == EXIT_FINE && got) code = compute_row(s);
    if (code != EXIT_FINE || !got) break;
    code = printed = printer->row(s);
    cli_progress_update(&progress, limb_csv_bytes(t->reader));
  }
  if (code == EXIT_FINE) {
    code = printer->end(s);
  } else if (printed == EXIT_FINE) {
    (void)printer->fail(s, code); // the row is what is told
  }
  cli_progress_end(&progress);
  return code;
}

static int print_rows(eval_sheet* s)
{
  const char *format = cli_get(s->args, "format"), *title = cli_title(s->args);
  const eval_printer* printer = !format || strcmp(format, "json") == 0 ? &eval_json
                                : strcmp(format, "csv") == 0           ? &eval_csv
                                                                       : &eval_text;
  cli_output out;
  int code = cli_output_open(&out, title, cli_get(s->args, "output"));
  if (code != EXIT_FINE) return code;
  s->out = out.stream;
  code = run_rows(s, printer);
  if (code == EXIT_FINE) code = cli_output_commit(&out, title);
  cli_output_abandon(&out);
  return code;
}

static int run_sheet(eval_sheet* s, const char* path)
{
  eval_run* run = s->run;
  int code = eval_refuse_tree(s);
  if (code == EXIT_FINE) code = read_frame(s);
  if (code == EXIT_FINE) code = eval_read_task(s);
  if (code != EXIT_FINE) return code;
  if (path) {
    code = cli_states_open(run->states, s->args, run->robot, run->dofs, path);
  } else {
    cli_states_none(run->states, s->args, run->robot, run->dofs);
  }
  if (code != EXIT_FINE) return code;
  code = eval_find_floating(s);
  if (code == EXIT_FINE) code = check_needs(s);
  if (code == EXIT_FINE) code = eval_make_room(s);
  if (code == EXIT_FINE) code = eval_loops_open(s);
  if (code == EXIT_FINE) code = eval_watch_open(s);
  if (code == EXIT_FINE) code = print_rows(s);
  eval_watch_close(s);
  eval_loops_close(s, code);
  cli_states_close(run->states);
  return code;
}

// Only what is the same in all states can do without them.
static int check_states(const eval_sheet* s, const char* path)
{
  for (int i = 0; i < s->count && !path; i++) {
    if (s->quantity[i]->needs != 0)
      return cli_usage(s->args, "--states FILE.csv is missing: the states to compute '%s' for", s->quantity[i]->name);
  }
  return EXIT_FINE;
}

static int run_eval(const cli_args* args)
{
  const char *model = cli_operand(args, 0), *path = cli_get(args, "states");
  cli_robot robot;
  cli_states states;
  cli_dofs dofs = {0};
  eval_run run = {.robot = &robot, .states = &states, .dofs = &dofs};
  eval_sheet sheet = {.args = args, .run = &run};
  if (cli_has(args, "list")) return eval_list(args);
  if (!model) return cli_usage(args, "nothing to work on: name a model; limb eval --help");
  int code = cli_only_once(args, model, path);
  if (code == EXIT_FINE) code = read_what(&sheet);
  if (code == EXIT_FINE) code = check_states(&sheet, path);
  if (code == EXIT_FINE) code = cli_robot_open(args, model, &robot);
  if (code == EXIT_FINE) {
    code = cli_dofs_make(robot.model, &dofs) ? run_sheet(&sheet, path) : cli_usage(args, "out of memory");
    cli_dofs_free(&dofs);
    cli_robot_close(&robot);
  }
  eval_free(&sheet);
  return code;
}

const cli_command cli_eval = {
  "eval", "MODEL", "compute any quantity for each row of a table of states", about, examples, options, 0, 1, run_eval,
};
