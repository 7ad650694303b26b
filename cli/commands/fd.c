// `limb fd`: forward dynamics along a trajectory: positions, velocities and torques in, accelerations out.
#include "limb/batch.h"

#include "base/command.h"
#include "base/output.h"
#include "robot/robot.h"
#include "states/states.h"

#include <stdlib.h>
#include <string.h>

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"output", "FILE", "where to write: .csv, .npy, .arrow or .parquet (default: CSV on standard output)"},
  {0},
};

static const cli_option method_options[] = {
  {"loop-method", "auto|clusters|schur|kkt|proximal|mexx|sequential",
   "how the equations are solved; proximal is for redundant and singular loops, mexx and sequential for large robots "
   "(docs/long-chains.md; default: auto)"},
  {0},
};

static const cli_option* const options[] = {
  cli_model_options, cli_change_options, cli_world_options,  cli_wrench_options,
  method_options,    output_options,     cli_thread_options, NULL};

static const char about[] = //
  "Reads a table with the columns q.<joint>, v.<joint> and tau.<joint> and writes one with time, if there is one, "
  "and a.<joint>: the resulting accelerations, each row independently. Joints with several components have "
  "suffixes (limb --conventions). - is standard input. Memory does not grow with the number of rows.\n"
  "External wrenches act on the robot: columns wrench.<frame>.mx .my .mz .fx .fy .fz, at the frame's origin, in "
  "world axes (see --wrench-ref); those that are missing are zero.\n"
  "tau of a joint without a motor is what acts there besides springs and shafts. If it is left out, it is zero, "
  "and a note reports this.\n"
  "For a robot with loops the accelerations are those with the loops closed. Columns q and v of joints that follow "
  "from the others may be missing, as for limb id; rows that do not close the loops are errors, exit code 4. "
  "Redundant loop equations are reported in a note.\n"
  "A row whose mass matrix is singular ends the command with exit code 4.";

static const char* const examples[] = {
  "limb fd ur5 recorded.csv --output accelerations.csv",
  "accelerations of the built-in UR5 along a recording",
  "limb fd cart_pole states.csv --no-friction",
  "without friction, to standard output",
  NULL,
};

typedef struct fd_run {
  limb_evaluator* e;
  const cli_robot* robot;
  cli_states* s;
  cli_answers answers;
  double* a;
} fd_run;

static int compute(const fd_run* r)
{
  cli_states* s = r->s;
  limb_error err = {0};
  const limb_state state = {
    .q = s->q, .v = s->v, .tau = s->tau, .time = s->has_time ? s->time : 0, .env = &r->robot->env};
  const limb_status status = limb_evaluator_run(r->e, &state, r->a);
  if (status == LIMB_OK) return EXIT_FINE;
  (void)limb_evaluator_failure(r->e, &err);
  return cli_states_failed(s, status, "forward dynamics", err.text);
}

static int do_row(void* context, const double* x)
{
  fd_run* r = context;
  const int code = x ? EXIT_FINE : compute(r);
  return code == EXIT_FINE ? cli_answers_row(&r->answers, x ? x : r->a) : code;
}

static int write_rows(const cli_args* args, limb_evaluator* e, const cli_robot* robot, cli_states* s)
{
  fd_run r = {.e = e, .robot = robot, .s = s, .a = calloc((size_t)s->dofs->nv + 1, sizeof *r.a)};
  int code = r.a ? cli_answers_open(&r.answers, s, cli_get(args, "output"), "a.", 1) : cli_out_of_memory(args);
  if (code == EXIT_FINE) code = cli_states_stream(s, e, &robot->env, do_row, &r);
  if (code == EXIT_FINE) code = cli_answers_end(&r.answers);
  if (code == EXIT_FINE) code = cli_output_commit(&r.answers.out, cli_title(args));
  if (code != EXIT_FINE) cli_answers_stop(&r.answers);
  cli_answers_close(&r.answers);
  free(r.a);
  return code;
}

static int run_states(const cli_args* args, cli_robot* robot, cli_states* s)
{
  const int loops = limb_loop_count(robot->model) > 0;
  limb_evaluator_options o = limb_default_evaluator_options();
  limb_evaluator* e = NULL;
  limb_error err = {0};
  o.method = (limb_loop_method)cli_choice(args, "loop-method");
  int code =
    cli_states_need(s, STATES_Q | STATES_V | STATES_TAU | STATES_IDLE | (loops ? STATES_PART : 0), "forward dynamics");
  if (code == EXIT_FINE && !loops && cli_has(args, "loop-method"))
    code = cli_usage(args, "--loop-method is for robots with loops, and this one has none");
  if (code == EXIT_FINE && loops) code = cli_states_complete(s, STATES_Q | STATES_V);
  if (code != EXIT_FINE) return code;
  limb_threads* threads = NULL;
  code = cli_threads_open(s, &threads);
  o.pool = limb_threads_pool(threads);
  limb_status status = code == EXIT_FINE ? limb_evaluator_create(robot->model, &o, NULL, &e) : LIMB_OK;
  if (e && status == LIMB_OK) status = limb_evaluator_add(e, "acc", NULL, NULL, &err);
  if (code == EXIT_FINE) code = cli_failed(args, "forward dynamics", status, &err);
  if (code == EXIT_FINE) code = write_rows(args, e, robot, s);
  if (code == EXIT_FINE) cli_report_loops(e, robot->model, s->path);
  limb_evaluator_destroy(e);
  limb_threads_destroy(threads);
  return code;
}

static int run_fd(const cli_args* args)
{
  cli_robot robot;
  cli_states states = {0};
  int code = cli_robot_open(args, cli_operand(args, 0), &robot);
  if (code == EXIT_FINE) code = cli_states_open(&states, args, &robot, cli_operand(args, 1));
  if (code == EXIT_FINE) code = run_states(args, &robot, &states);
  cli_states_close(&states);
  cli_robot_close(&robot);
  return code;
}

const cli_command cli_fd = {
  .name = "fd",
  .operands = "MODEL TRAJECTORY.csv",
  .summary = "forward dynamics along a trajectory: accelerations from torques",
  .about = about,
  .examples = examples,
  .options = options,
  .run = run_fd,
  .writes = (const cli_written[]){{"output", CLI_TABLES}, {0}},
};
