// `limb sim`: a robot in motion, by a run file or by options. Reads and checks the whole run, then advances it from row
// to row: events, signals, progress.
//
// A condition that is never met is evaluated once per step. It updates the progress bar and, after a signal, ends the
// step with an error: the state is then the last good one.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "sim/sim.h"
#include "base/command.h"
#include "base/output.h"
#include "robot/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- events ----------------------------------------------------------------------------------------

enum { MAX_EVENTS = 100000 }; // kept; others are counted

static limb_status keep_event(sim_job* job, const limb_sim_event* event)
{
  sim_events* e = &job->events;
  if (e->nhappened == MAX_EVENTS) {
    e->more++;
    return LIMB_OK;
  }
  sim_happened* grown = sim_grow(e->happened, &e->capacity, e->nhappened, sizeof *grown);
  if (!grown) return LIMB_E_NOMEM;
  e->happened = grown;
  e->happened[e->nhappened++] = (sim_happened){*event, limb_runner_event_name(job->runner, event)};
  return LIMB_OK;
}

// ---- progress, once per step -----------------------------------------------------------------------

static double wall_clock(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double pulse(void* context, const limb_sim_state* at)
{
  sim_job* job = context;
  if (cli_interrupted()) return nan("");
  if (!job->has_progress) return 1;
  const double part = (at->time - job->setup->start) / (job->setup->end - job->setup->start);
  job->progress.counted = at->time - (job->resumed.rows > 0 ? job->resumed.time : job->setup->start);
  (void)snprintf(job->stage, sizeof job->stage, "sim %.4g s", at->time);
  cli_progress_update(&job->progress, (uint64_t)(1e9 * fmin(fmax(part, 0), 1)));
  return 1;
}

// From now on; before limb_sim_start.
static int watch_signals(sim_job* job)
{
  const limb_sim_condition c = {.value = pulse, .context = job, .polled = 1};
  (void)snprintf(job->stage, sizeof job->stage, "sim");
  job->progress = cli_progress_begin(job->stage, 1000000000);
  job->has_progress = job->progress.terminal && !job->quiet && !cli_has(job->plan.args, "no-progress") &&
                      job->setup->end > job->setup->start;
  job->progress.unit = "simulated s";
  cli_wait_for_signals();
  return cli_failed(job->plan.args, "events", limb_sim_add_condition(job->sim, &c, NULL), NULL);
}

// ---- the run ---------------------------------------------------------------------------------------

// The time that was reached, also if accelerations there fail.
static void look_at_time(sim_job* job)
{
  limb_sim_state at = {.time = job->now};
  if (limb_sim_now(job->sim, &at) != LIMB_E_ORDER) job->now = at.time;
}

static int fail(sim_job* job, sim_outcome* out, limb_status s)
{
  const char* own = limb_runner_error(job->runner);
  const char* why = *own ? own : limb_status_text(s);
  const int grown = s == LIMB_E_NONFINITE && !limb_runner_error_is_own(job->runner);
  out->ending = SIM_FAILED;
  out->status = s;
  cli_progress_end(&job->progress);
  (void)snprintf(out->error, sizeof out->error, "%s%s", why,
                 grown ? "; a shorter step or another method may help" : "");
  look_at_time(job);
  (void)cli_usage(job->plan.args, "the simulation ended at %.9g s: %s", job->now, out->error);
  const int code = cli_exit_code(s);
  return code == EXIT_MODEL ? EXIT_NUMERICAL : code;
}

// Writes the rows that are due at the current state.
static int write_rows(sim_job* job, sim_outcome* out, int last)
{
  limb_sim_state at;
  limb_energy energy;
  const limb_status s = limb_sim_now(job->sim, &at);
  if (s != LIMB_OK) return fail(job, out, s);
  if (limb_energies(job->robot.data, at.q, at.v, &job->setup->sim.env, &energy) == LIMB_OK)
    out->kinetic = fmax(out->kinetic, energy.kinetic);
  return sim_write_rows(job, &at, last);
}

// Advances to the next row, event, or the end. *over: the run is over.
static int go_on(sim_job* job, sim_outcome* out, int* over)
{
  const double goal = fmin(sim_next_row(job), job->setup->end);
  limb_sim_event event = {.kind = LIMB_EVENT_NONE};
  const limb_status s = limb_sim_advance(job->sim, goal, &event);
  *over = 1;
  if (cli_interrupted()) {
    look_at_time(job);
    out->ending = SIM_INTERRUPTED;
    out->signal = cli_interrupted();
    return EXIT_FINE;
  }
  if (s != LIMB_OK) return fail(job, out, s);
  if (event.kind == LIMB_EVENT_NONE) {
    job->now = goal;
    *over = goal >= job->setup->end;
    return write_rows(job, out, 0);
  }
  job->now = event.time;
  if (keep_event(job, &event) != LIMB_OK) return sim_out_of_memory(&job->plan);
  *over = event.ends;
  if (event.ends) out->ending = SIM_STOPPED;
  return EXIT_FINE;
}

// Flushes files once a second.
static int flush_sometimes(sim_job* job, double* last)
{
  const double now = wall_clock();
  if (now - *last < 1) return EXIT_FINE;
  *last = now;
  return sim_flush_outputs(job);
}

static int end_of(sim_job* job, sim_outcome* out, int code)
{
  limb_sim_state at;
  if (cli_is_out_of_memory()) return code; // no half files
  if (code == EXIT_FINE) code = write_rows(job, out, 1);
  if (out->ending == SIM_FAILED) sim_write_last_good(job);
  const int ended = sim_end_outputs(job);
  if (code == EXIT_FINE) code = ended;
  if (limb_sim_now(job->sim, &at) == LIMB_OK) (void)sim_momentum(job, at.q, at.v, &out->momentum[1]);
  if (code == EXIT_FINE && out->ending == SIM_INTERRUPTED) code = 128 + out->signal;
  return code;
}

// A channel without value, or a file that could not be written: reported, and a failure of the run.
static void spoil(const sim_job* job, sim_outcome* out)
{
  if (out->ending == SIM_FAILED) return;
  out->ending = SIM_FAILED;
  (void)snprintf(out->error, sizeof out->error, "%s", *job->trouble ? job->trouble : "the rows could not be written");
}

// EXIT_FINE, 128 + the signal, or the exit code of a failure, after a message.
static int run_to_end(sim_job* job, sim_outcome* out)
{
  double begin = wall_clock(), flushed = begin;
  int over = 0;
  job->now = job->resumed.rows > 0 ? job->resumed.time : job->setup->start;
  int code = write_rows(job, out, 0);
  while (code == EXIT_FINE && !over) {
    code = go_on(job, out, &over);
    if (code == EXIT_FINE) code = flush_sometimes(job, &flushed);
  }
  cli_progress_end(&job->progress);
  if (code != EXIT_FINE) spoil(job, out);
  code = end_of(job, out, code);
  if (code != EXIT_FINE && out->ending != SIM_INTERRUPTED) spoil(job, out);
  out->wall = wall_clock() - begin;
  return code;
}

// ---- the command -----------------------------------------------------------------------------------

static const cli_option* const options[] = {
  sim_plan_options,  sim_input_options,  cli_model_options,  cli_change_options,
  cli_world_options, sim_output_options, sim_report_options, NULL};

static const char about[] = //
  "Simulates a robot: from forces to accelerations to motion. The operand is a model, or a run file: YAML that "
  "begins with schema: 1 and names model, start, inputs, controller, solver, events and outputs "
  "(docs/simulation.md). Options override the run file.\n"
  "Numbers are formulas with units: 45deg, 2 Nm * sin(2*pi*t). Formulas of forces may use time (t), q.<joint>, "
  "v.<joint>, energy, pos.<frame>.x, vel.<frame>.vx in world axes, body.<frame>.vx in the frame's own axes, and any "
  "quantity of limb eval that follows from q and v. Events may also use a.<joint>, tau.<joint> and "
  "lambda.<loop>.<row>.\n"
  "Channels are the quantities of limb eval, whole or in part: q, v, a, tau, energy, M.elbow, lambda.loop1.fx, "
  "pose.tool, velocity@body.tool.vx. Rows are written at the given rate from the start on, and at the end.\n"
  "Loops are closed at the start: given joints stay fixed, the others follow.\n"
  "Ctrl-C ends the simulation and writes everything up to that time (exit code 130); likewise if the integrator "
  "cannot advance (exit code 4). --resume goes on from there: the same command with it reads position and velocity in "
  "its own table, OUTPUT, or OUTPUT.part of a run that was killed.";

static const char* const examples[] = {
  "limb sim planar_2r --duration 10 --method rk4 --output fall.csv",
  "two falling links, as a table",
  "limb sim acrobot --duration 5 --q 'shoulder=45deg' --animate swing.svg",
  "an animation",
  "limb sim ur5 --duration 2 --controller 'computed_torque,kp=100,kd=20,q.elbow=1,rate=1kHz'",
  "a sampled controller",
  "limb sim four_bar.yaml --event 'lambda.pin.fx > 1000' --summary json",
  "a run file with an additional event, and a summary for programs",
  NULL,
};

static void close_job(sim_job* job)
{
  limb_runner_destroy(job->runner);
  sim_close_outputs(job);
  sim_resume_close(&job->resumed);
  free(job->events.happened);
  cli_robot_close(&job->robot);
  sim_plan_close(&job->plan);
}

int sim_failed(const sim_job* job, limb_status status, const char* what)
{
  return cli_failed(job->plan.args, what, status, NULL);
}

static int open_robot(sim_job* job)
{
  const limb_run_value* name = &job->plan.run.model.name;
  limb_read_options opt = limb_default_read_options();
  limb_error err = {0};
  limb_robot_info info;
  const char* path = name->text;
  int built_in = 0, code = cli_read_options(job->plan.args, &opt);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_run_model_options(&job->plan.run, &opt, &err);
  if (s != LIMB_OK) return sim_refused(&job->plan, s, &err);
  if (cli_reads(job->plan.args, opt.srdf) != EXIT_FINE) return EXIT_USAGE;
  for (int i = 0; i < job->plan.run.noutput; i++) opt.shapes |= cli_is_page(job->plan.run.output[i].animation.text);
  for (int i = 0; i < limb_robot_count() && !built_in; i++)
    built_in = limb_get_robot(i, &info) == LIMB_OK && strcmp(info.name, path) == 0;
  if (!built_in && !(path = sim_input_path(&job->plan, name))) return EXIT_USAGE;
  const cli_changes changes = {&job->plan.run, job->plan.path};
  return cli_robot_open_as(job->plan.args, path, &opt, &changes, &job->robot);
}

// Files that the run reads, which outputs must not overwrite.
static int announce_inputs(sim_job* job)
{
  sim_plan* p = &job->plan;
  const limb_run_inputs* in = &p->run.inputs;
  int code = EXIT_FINE;
  for (int i = -2; i < in->ntable + in->nmotion && code == EXIT_FINE; i++) {
    const limb_run_value* at = i == -2          ? &p->run.start.file
                               : i == -1        ? &p->run.controller.file
                               : i < in->ntable ? &in->table[i].file
                                                : &in->motion[i - in->ntable].file;
    const char* path = at->text ? sim_input_path(p, at) : NULL;
    if (at->text) code = path ? cli_reads(p->args, path) : EXIT_USAGE;
  }
  return code;
}

// What only options can lack.
static int check_options(const sim_job* job)
{
  const sim_plan* p = &job->plan;
  if (!p->run.duration.text && !p->run.end.text)
    return cli_usage(p->args, "the duration is missing: --duration T%s", p->path ? ", or duration: in the file" : "");
  if (!p->run.controller.type.text && cli_has(p->args, "controller"))
    return cli_usage(p->args, "--controller must begin with a type, such as pd_gravity");
  return EXIT_FINE;
}

static void print_note(void* context, const char* file, const limb_finding* f)
{
  sim_job* job = context;
  if (job->quiet && f->severity == LIMB_NOTE) return;
  job->reported |= f->severity == LIMB_ERROR;
  cli_print_position(stderr, file ? file : cli_title(job->plan.args), f);
  (void)fprintf(stderr, " %s: %s\n", limb_severity_name(f->severity), f->text);
}

static int open_runner(sim_job* job)
{
  limb_runner_options o = limb_default_runner_options(job->robot.model);
  limb_error err = {0};
  int code = check_options(job);
  if (code == EXIT_FINE) code = announce_inputs(job);
  if (code != EXIT_FINE) return code;
  o.path = job->plan.path;
  o.env = job->robot.env;
  o.note = print_note, o.context = job;
  o.poses = job->robot.reading;
  o.table_ref = cli_ref(job->plan.args, "wrench-ref");
  const limb_status s = limb_runner_create(&job->plan.run, job->robot.model, &o, &job->runner, &err);
  if (s != LIMB_OK) return job->reported ? EXIT_USAGE : sim_refused(&job->plan, s, &err);
  job->sim = limb_runner_sim(job->runner);
  job->setup = limb_runner_setup_of(job->runner);
  return EXIT_FINE;
}

static int start(sim_job* job)
{
  limb_error err = {0};
  const limb_status s = job->resumed.rows > 0 ? sim_resume_start(job, &err) : limb_runner_start(job->runner, &err);
  if (job->resumed.rows > 0) {
    const double done = (job->resumed.time - job->setup->start) / (job->setup->end - job->setup->start);
    cli_progress_skip(&job->progress, (uint64_t)(1e9 * done));
  }
  if (s == LIMB_OK) return EXIT_FINE;
  const int code = sim_refused(&job->plan, s, &err);
  return code == EXIT_MODEL ? EXIT_USAGE : code;
}

// Checks everything before the first file is written.
static int prepare(sim_job* job)
{
  int code = open_robot(job);
  if (code == EXIT_FINE) code = open_runner(job);
  if (code == EXIT_FINE) code = watch_signals(job);
  if (code == EXIT_FINE) code = sim_plan_outputs(job);
  if (code == EXIT_FINE) code = sim_find_resumed(job);
  if (code == EXIT_FINE) code = start(job);
  return code == EXIT_FINE ? sim_open_outputs(job) : code;
}

static int summarise(sim_job* job, const sim_outcome* out, int code)
{
  const int json = cli_is(job->plan.args, "summary", "json");
  if (cli_is(job->plan.args, "summary", "none") || (job->quiet && !json)) return code;
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
    code = run_to_end(&job, &out);
    if (!cli_is_out_of_memory()) code = summarise(&job, &out, code);
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
  .run = run_sim,
};
