// `limb fd`: direct dynamics along a trajectory: positions, velocities and torques in, accelerations out.
#include "cli.h"
#include "commands.h"
#include "output.h"
#include "states.h"

#include <stdlib.h>

static const cli_option output_options[] = {
  {"", NULL, "the output"},
  {"output", "FILE.csv", "where to (default: standard output)"},
  {0},
};

static const cli_option* const options[] = {cli_model_options, cli_world_options,
                                            cli_wrench_options, output_options, NULL};

static const char* const about[] = {
  "Reads a table with the columns q.<joint>, v.<joint> and tau.<joint> and writes",
  "one with time, when there is one, and a.<joint>: the accelerations that follow,",
  "row by row and each for itself. Joints with several components have suffixes",
  "(limb --conventions). - is standard input. Memory does not grow with the number",
  "of rows.",
  "",
  "External wrenches act on the robot: columns wrench.<frame>.mx .my .mz .fx .fy",
  ".fz, at the frame's origin, in world axes (see --wrench-ref); those that are",
  "not there are zero.",
  "",
  "tau of a joint without motor is what acts there besides springs and shafts. It may",
  "be left out: it is zero then, and a note says so.",
  "",
  "A row whose mass matrix is singular ends the command with exit code 4.",
  NULL,
};

static const char* const examples[] = {
  "limb fd ur5 recorded.csv --output accelerations.csv",
  "accelerations of the built-in UR5 along a recording",
  "limb fd cart_pole states.csv --no-friction",
  "without friction, to standard output",
  NULL,
};

static int run_rows(cli_robot* robot, cli_states* s, limb_csv_writer* w, double* a)
{
  cli_progress progress = cli_progress_begin("fd", s->bytes);
  int code = cli_states_write_head(s, w, "a."), got = 0;
  while (code == EXIT_FINE) {
    code = cli_interrupted() ? EXIT_USAGE : cli_states_next(s, &got);
    if (code != EXIT_FINE || !got) break;
    const limb_status status =
      limb_forward_dynamics(robot->data, s->q, s->v, s->tau, &robot->env, a);
    code = status == LIMB_OK ? cli_states_write_row(s, w, a)
                             : cli_states_failure(s, status, "direct dynamics");
    cli_progress_update(&progress, limb_csv_bytes(s->reader));
  }
  if (code == EXIT_FINE) code = cli_states_write_end(s, w);
  cli_progress_end(&progress);
  return code;
}

static int write_rows(const cli_args* args, cli_robot* robot, cli_states* s)
{
  limb_csv_writer* w = NULL;
  cli_output out;
  int code = cli_states_need(s, STATES_Q | STATES_V | STATES_TAU | STATES_IDLE, "direct dynamics");
  if (code != EXIT_FINE) return code;
  code = cli_output_open(&out, cli_title(args), cli_get(args, "output"));
  if (code != EXIT_FINE) return code;
  double* a = calloc((size_t)s->dofs->nv + 1, sizeof *a);
  if (a && limb_csv_create(out.stream, NULL, &w) == LIMB_OK) {
    code = run_rows(robot, s, w, a);
  } else {
    code = cli_usage(args, "out of memory");
  }
  limb_csv_destroy(w);
  free(a);
  if (code == EXIT_FINE) code = cli_output_commit(&out, cli_title(args));
  cli_output_abandon(&out);
  return code;
}

static int run_fd(const cli_args* args)
{
  cli_robot robot;
  cli_states states;
  cli_dofs dofs;
  int code = cli_only_once(args, cli_operand(args, 0), cli_operand(args, 1));
  if (code == EXIT_FINE) code = cli_robot_open(args, cli_operand(args, 0), &robot);
  if (code != EXIT_FINE) return code;
  if (cli_dofs_make(robot.model, &dofs)) {
    code = cli_states_open(&states, args, &robot, &dofs, cli_operand(args, 1));
    if (code == EXIT_FINE) {
      code = write_rows(args, &robot, &states);
      cli_states_close(&states);
    }
    cli_dofs_free(&dofs);
  } else {
    code = cli_usage(args, "out of memory");
  }
  cli_robot_close(&robot);
  return code;
}

const cli_command cli_fd = {
  "fd",
  "MODEL TRAJECTORY.csv",
  "direct dynamics along a trajectory: accelerations from torques",
  about,
  examples,
  options,
  2,
  2,
  run_fd,
};
