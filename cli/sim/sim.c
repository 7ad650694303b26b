// `limb sim`: a robot in motion, by a run file or by options. Reads and checks the whole run, then advances it from row
// to row: events, signals, progress.
//
// A condition that is never met is evaluated once per step. It updates the progress bar and, after a signal, ends the
// step with an error: the state is then the last good one.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "sim/sim.h"
#include "base/command.h"
#include "base/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- events ----------------------------------------------------------------------------------------

enum { MAX_EVENTS = 100000 }; // kept; others are counted

typedef struct sim_condition {
  sim_job* job;
  sim_formulas formula;
  const char* name;
} sim_condition;

// NaN, if there is no value, ends the simulation; job->trouble has the reason.
static double value_at(void* context, const limb_sim_state* at)
{
  sim_condition* c = context;
  if (sim_formulas_read(&c->formula, c->job, at) != LIMB_OK) return nan("");
  return c->formula.value[0];
}

static int open_condition(sim_job* job, sim_condition* c, const limb_run_event* run)
{
  static const char* const actions[] = {"log", "stop", NULL};
  limb_sim_condition how = {.value = value_at, .context = c};
  int code = sim_word_of(&job->plan, &run->action, actions, &how.ends);
  c->job = job;
  c->name = run->name.text ? run->name.text : run->when.text;
  if (code == EXIT_FINE) code = sim_formulas_add(&c->formula, job, &run->when, &how.direction, NULL);
  if (code == EXIT_FINE) code = sim_formulas_ready(&c->formula);
  if (code != EXIT_FINE) return code;
  how.dynamics = sim_probe_needs_dynamics(&c->formula.probe);
  const limb_status s = limb_sim_add_condition(job->sim, &how, NULL);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "events");
}

static int open_events(sim_job* job)
{
  const limb_run* run = &job->plan.run;
  sim_events* e = calloc(1, sizeof *e);
  int code = EXIT_FINE;
  job->events = e;
  if (!e) return sim_out_of_memory(&job->plan);
  e->condition = calloc((size_t)run->nevent + 1, sizeof *e->condition);
  if (!e->condition) return sim_out_of_memory(&job->plan);
  for (int i = 0; i < run->nevent && code == EXIT_FINE; i++) {
    sim_formulas_begin(&e->condition[i].formula, job, SIM_KNOWN_ALL);
    e->count++;
    code = open_condition(job, &e->condition[i], &run->event[i]);
  }
  return code;
}

static void close_events(sim_job* job)
{
  sim_events* e = job->events;
  if (!e) return;
  for (int i = 0; i < e->count; i++) sim_formulas_free(&e->condition[i].formula);
  free(e->condition);
  free(e->happened);
  free(e);
  job->events = NULL;
}

static const char* name_of(const sim_job* job, const limb_sim_event* event)
{
  limb_joint_info info;
  if (event->kind == LIMB_EVENT_CONDITION && event->condition < job->events->count)
    return job->events->condition[event->condition].name;
  if (event->joint >= 0 && limb_get_joint(job->robot.model, event->joint, &info) == LIMB_OK) return info.def.name;
  return "";
}

static limb_status keep_event(sim_job* job, const limb_sim_event* event)
{
  sim_events* e = job->events;
  if (e->nhappened == MAX_EVENTS) {
    e->more++;
    return LIMB_OK;
  }
  sim_happened* grown = sim_grow(e->happened, &e->capacity, e->nhappened, sizeof *grown);
  if (!grown) return LIMB_E_NOMEM;
  e->happened = grown;
  e->happened[e->nhappened++] = (sim_happened){*event, name_of(job, event)};
  return LIMB_OK;
}

// ---- progress, once per step -----------------------------------------------------------------------

struct sim_pulse {
  cli_progress progress;
  char what[48];
  int shown; // whether there is a progress bar
};

static double wall_clock(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double pulse(void* context, const limb_sim_state* at)
{
  sim_job* job = context;
  sim_pulse* p = job->pulse;
  if (cli_interrupted()) return nan("");
  if (!p->shown) return 1;
  const double part = (at->time - job->start) / (job->end - job->start);
  (void)snprintf(p->what, sizeof p->what, "sim %.4g s", at->time);
  cli_progress_update(&p->progress, (uint64_t)(1e9 * fmin(fmax(part, 0), 1)));
  return 1;
}

// From now on; before limb_sim_start.
static int watch_signals(sim_job* job)
{
  const limb_sim_condition c = {.value = pulse, .context = job, .polled = 1};
  sim_pulse* p = sim_keep(&job->plan, 1, sizeof *p);
  if (!p) return sim_out_of_memory(&job->plan);
  job->pulse = p;
  p->shown = !job->quiet && !cli_has(job->plan.args, "no-progress") && job->end > job->start;
  (void)snprintf(p->what, sizeof p->what, "sim");
  p->progress = cli_progress_begin(p->what, 1000000000);
  p->shown = p->shown && p->progress.terminal;
  cli_wait_for_signals();
  const limb_status s = limb_sim_add_condition(job->sim, &c, NULL);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "events");
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
  const char* own = limb_sim_error(job->sim);
  const char* why = *job->trouble ? job->trouble : *own ? own : limb_status_text(s);
  const int grown = s == LIMB_E_NONFINITE && !*job->trouble;
  out->ending = SIM_FAILED;
  out->status = s;
  cli_progress_end(&job->pulse->progress);
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
  if (limb_energies(job->robot.data, at.q, at.v, &job->options.env, &energy) == LIMB_OK)
    out->kinetic = fmax(out->kinetic, energy.kinetic);
  return sim_write_rows(job, &at, last);
}

// Advances to the next row, event, or the end. *over: the run is over.
static int go_on(sim_job* job, sim_outcome* out, int* over)
{
  const double goal = fmin(sim_next_row(job), job->end);
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
    *over = goal >= job->end;
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
  out->conserved = sim_conserves_momentum(job);
  job->now = job->start;
  int code = write_rows(job, out, 0);
  while (code == EXIT_FINE && !over) {
    code = go_on(job, out, &over);
    if (code == EXIT_FINE) code = flush_sometimes(job, &flushed);
  }
  cli_progress_end(&job->pulse->progress);
  if (code != EXIT_FINE) spoil(job, out);
  code = end_of(job, out, code);
  if (code != EXIT_FINE && out->ending != SIM_INTERRUPTED) spoil(job, out);
  out->wall = wall_clock() - begin;
  return code;
}

// ---- the command -----------------------------------------------------------------------------------

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
  close_events(job);
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
  if (code == EXIT_FINE) code = open_events(job);
  if (code == EXIT_FINE) code = watch_signals(job);
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
    code = run_to_end(&job, &out);
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
