// Running a simulation: from row to row, events between them, signals and the progress bar on the way.
//
// A condition that never happens is asked once per step. It shows the progress, and ends the step with an
// error when a signal came: the state is then the last good one.
#define _POSIX_C_SOURCE 200809L // sigaction, clock_gettime

#include "sim_loop.h"
#include "cli.h"
#include "output.h"
#include "sim_events.h"
#include "sim_outputs.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// ---- signals ---------------------------------------------------------------------------------------------

static volatile sig_atomic_t caught;

// The second signal ends the process at once.
static void on_signal(int number)
{
  caught = number;
  (void)signal(number, SIG_DFL);
}

static void listen(void)
{
  static const int numbers[] = {SIGINT, SIGTERM};
  struct sigaction act = {0}, old;
  act.sa_handler = on_signal;
  (void)sigemptyset(&act.sa_mask);
  for (int i = 0; i < 2; i++) {
    // nohup and the like have reasons to ignore a signal.
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) (void)sigaction(numbers[i], &act, NULL);
  }
  (void)signal(SIGPIPE, SIG_IGN); // a pipe that is closed is an error of writing
}

// ---- once per step ---------------------------------------------------------------------------------------

struct sim_pulse {
  cli_progress progress;
  char what[48];
  int shown; // progress is wanted
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
  if (caught) return nan("");
  if (!p->shown) return 1;
  const double part = (at->time - job->start) / (job->end - job->start);
  (void)snprintf(p->what, sizeof p->what, "sim %.4g s", at->time);
  cli_progress_update(&p->progress, (uint64_t)(1e9 * fmin(fmax(part, 0), 1)));
  return 1;
}

int sim_watch_signals(sim_job* job)
{
  const limb_sim_condition c = {.value = pulse, .context = job};
  sim_pulse* p = sim_keep(&job->plan, 1, sizeof *p);
  if (!p) return sim_out_of_memory(&job->plan);
  job->pulse = p;
  p->shown = !job->quiet && !cli_has(job->plan.args, "no-progress") && job->end > job->start;
  (void)snprintf(p->what, sizeof p->what, "sim");
  p->progress = cli_progress_begin(p->what, 1000000000);
  p->shown = p->shown && p->progress.terminal;
  listen();
  const limb_status s = limb_sim_add_condition(job->sim, &c, NULL);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "events");
}

// ---- running ---------------------------------------------------------------------------------------------

// Time of the state that was reached, also when nothing follows from it.
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

// The rows that are due at the state that was reached.
static int write_rows(sim_job* job, sim_outcome* out, int last)
{
  limb_sim_state at;
  const limb_status s = limb_sim_now(job->sim, &at);
  return s == LIMB_OK ? sim_write_rows(job, &at, last) : fail(job, out, s);
}

// Goes to the next row, or event, or the end. *over: it is.
static int go_on(sim_job* job, sim_outcome* out, int* over)
{
  const double goal = fmin(sim_next_row(job), job->end);
  limb_sim_event event = {.kind = LIMB_EVENT_NONE};
  const limb_status s = limb_sim_advance(job->sim, goal, &event);
  *over = 1;
  if (caught) {
    look_at_time(job);
    out->ending = SIM_INTERRUPTED;
    out->signal = (int)caught;
    return EXIT_FINE;
  }
  if (s != LIMB_OK) return fail(job, out, s);
  if (event.kind == LIMB_EVENT_NONE) {
    job->now = goal;
    *over = goal >= job->end;
    return write_rows(job, out, 0);
  }
  job->now = event.time;
  if (sim_keep_event(job, &event) != LIMB_OK) return sim_out_of_memory(&job->plan);
  *over = event.ends;
  if (event.ends) out->ending = SIM_STOPPED;
  return EXIT_FINE;
}

// Now and then what was written goes to disk.
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

// A channel without value, or a file that could not be written, which was told: no good ending.
static void spoil(const sim_job* job, sim_outcome* out)
{
  if (out->ending == SIM_FAILED) return;
  out->ending = SIM_FAILED;
  (void)snprintf(out->error, sizeof out->error, "%s", *job->trouble ? job->trouble : "the rows could not be written");
}

int sim_run_to_end(sim_job* job, sim_outcome* out)
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
