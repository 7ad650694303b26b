// `limb sim`: a robot in motion, by a run file or by options.
#include "sim/sim.h"
#include "base/command.h"
#include "base/output.h"
#include "states/states.h"

#include <stdlib.h>
#include <string.h>

static const cli_option* const options[] = {sim_plan_options,  sim_input_options,  cli_model_options,
                                            cli_world_options, sim_output_options, NULL};

static const char* const about[] = {
  "Simulates a robot: from forces to accelerations to motion. The operand is a model, or a",
  "run file: YAML that begins with schema: 1 and names model, start, inputs, controller,",
  "solver, events and outputs (docs/simulation.md). Options override the run file.",
  "",
  "Numbers are formulas with units: 45deg, 2 Nm * sin(2*pi*t). Formulas of forces may use",
  "time (t), q.<joint>, v.<joint>, energy, pos.<frame>.x, vel.<frame>.vx in world axes,",
  "body.<frame>.vx in the frame's own axes, and any quantity of limb eval that follows",
  "from q and v. Events may also use a.<joint>, tau.<joint> and lambda.<loop>.<row>.",
  "",
  "Channels are the quantities of limb eval, whole or in part: q, v, a, tau, energy,",
  "M.elbow, lambda.loop1.fx, pose.tool, velocity@body.tool.vx. Rows are written at the",
  "given rate from the start on, and at the end.",
  "",
  "Loops are closed at the start: given joints stay fixed, the others follow.",
  "",
  "Ctrl-C ends the simulation and writes everything up to that time (exit code 130);",
  "likewise if the integrator cannot advance (exit code 4).",
  NULL,
};

static const char* const examples[] = {
  "limb sim planar_2r --duration 10 --method rk4 --output fall.csv",
  "two falling links, as a table",
  "limb sim acrobot --duration 5 --q 'shoulder=45deg' --animate swing.html",
  "an animation",
  "limb sim ur5 --duration 2 --controller 'computed_torque,kp=100,kd=20,q.elbow=1,rate=1kHz'",
  "a sampled controller",
  "limb sim four_bar.yaml --event 'lambda.pin.fx > 1000' --summary json",
  "a run file with an additional event, and a summary for programs",
  NULL,
};

static void close_job(sim_job* job)
{
  limb_sim_destroy(job->sim);
  sim_close_outputs(job);
  sim_close_events(job);
  sim_close_control(job);
  sim_close_inputs(job);
  free(job->q);
  free(job->v);
  cli_dofs_free(&job->dofs);
  cli_robot_close(&job->robot);
  sim_plan_close(&job->plan);
}

static int create(sim_job* job)
{
  limb_error err = {0};
  const limb_status s = limb_sim_create(job->robot.model, &job->options, NULL, &job->sim, &err);
  if (s == LIMB_OK) return EXIT_FINE;
  (void)cli_usage(job->plan.args, "%s", *err.text ? err.text : limb_status_text(s));
  return s == LIMB_E_UNSUPPORTED ? EXIT_USAGE : cli_exit_code(s);
}

static int start(sim_job* job)
{
  limb_error err = {0};
  const limb_status s = limb_sim_start(job->sim, job->start, job->q, job->v, &err);
  if (s == LIMB_OK) return EXIT_FINE;
  const char* why = *job->trouble ? job->trouble : *err.text ? err.text : limb_status_text(s);
  (void)cli_usage(job->plan.args, "start: %s", why);
  const int code = cli_exit_code(s);
  return code == EXIT_MODEL ? EXIT_USAGE : code;
}

// Checks everything before the first file is written.
static int prepare(sim_job* job)
{
  int code = sim_open_robot(job);
  if (code == EXIT_FINE) code = sim_read_settings(job);
  if (code == EXIT_FINE) code = sim_open_motion(job);
  if (code == EXIT_FINE) code = sim_read_start(job);
  if (code == EXIT_FINE) code = sim_read_times(job);
  if (code == EXIT_FINE) code = create(job);
  if (code == EXIT_FINE) code = sim_attach_motion(job);
  if (code == EXIT_FINE) code = sim_open_inputs(job);
  if (code == EXIT_FINE) code = sim_open_control(job);
  if (code == EXIT_FINE) code = sim_open_events(job);
  if (code == EXIT_FINE) code = sim_watch_signals(job);
  if (code == EXIT_FINE) code = sim_plan_outputs(job);
  if (code == EXIT_FINE) code = start(job);
  return code == EXIT_FINE ? sim_open_outputs(job) : code;
}

static int summarise(sim_job* job, const sim_outcome* out, int code)
{
  const char* summary = cli_get(job->plan.args, "summary");
  const int json = summary && strcmp(summary, "json") == 0;
  const int none = summary && strcmp(summary, "none") == 0;
  if (none || (job->quiet && !json)) return code;
  const int printed = sim_print_summary(job, out, json);
  return code == EXIT_FINE ? printed : code;
}

static int run_sim(const cli_args* args)
{
  sim_job job = {.quiet = cli_has(args, "quiet")};
  sim_outcome out = {.ending = SIM_REACHED};
  int code = sim_plan_open(&job.plan, args);
  if (code == EXIT_FINE) code = prepare(&job);
  if (code == EXIT_FINE) {
    limb_sim_state at;
    if (limb_sim_now(job.sim, &at) == LIMB_OK) (void)sim_momentum(&job, at.q, at.v, &out.momentum[0]);
    code = sim_run_to_end(&job, &out);
    code = summarise(&job, &out, code);
    if (code == EXIT_FINE) code = sim_judge_drift(&job, &out);
  }
  close_job(&job);
  return code;
}

const cli_command cli_sim = {
  .name = "sim",
  .operands = "MODEL|RUN.yaml",
  .summary = "simulate motion under forces, controllers and events; write tables and pictures",
  .about = about,
  .examples = examples,
  .options = options,
  .least = 1,
  .most = 1,
  .run = run_sim,
};
