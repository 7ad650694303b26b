// Where a simulation starts: the model's start configuration, or a row of a table; what is given by joint
// over that. Loops are closed from there: what is given stays, the others follow.
#include "cli.h"
#include "closure.h"
#include "sim_job.h"
#include "states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct starting {
  sim_job* job;
  unsigned char *held, *moves; // nv: places, velocities that are given
  limb_loops* loops;
  limb_loop_options options;
} starting;

// ---- what is given ---------------------------------------------------------------------------------------

// Marks what belongs to a coordinate: its own velocity, or all of its ball or free joint.
static void hold(starting* s, int k)
{
  const cli_dofs* d = &s->job->dofs;
  for (int i = 0; i < d->nv; i++) {
    limb_joint_info x;
    if (d->v[i].joint != d->q[k].joint) continue;
    if (limb_get_joint(s->job->robot.model, d->v[i].joint, &x) != LIMB_OK) continue;
    if (x.nq != x.nv || d->v[i].index == d->q[k].index) s->held[i] = 1;
  }
}

// A row of a table of states.
static int read_row(starting* s)
{
  sim_job* job = s->job;
  const limb_run_start* run = &job->plan.run.start;
  cli_robot robot = job->robot; // the table would put its wrenches there
  cli_states t;
  double row = 1;
  int got = 1, code = sim_whole(&job->plan, &run->row, 1e15, &row);
  if (code == EXIT_FINE && row < 1) code = sim_wrong(&job->plan, &run->row, "rows count from 1");
  const char* path = code == EXIT_FINE ? sim_beside(&job->plan, &run->file) : NULL;
  if (!path) return EXIT_USAGE;
  code = cli_states_open(&t, job->plan.args, &robot, &job->dofs, path);
  if (code != EXIT_FINE) return code;
  const int moves = cli_states_has(&t, STATES_V);
  const unsigned part = limb_loop_count(job->robot.model) > 0 ? STATES_PART : 0;
  code = cli_states_need(&t, STATES_Q | part | (moves ? STATES_V : 0), "the start");
  for (double i = 0; i < row && got && code == EXIT_FINE; i++) code = cli_states_next(&t, &got);
  if (code == EXIT_FINE && !got)
    code = sim_wrong(&job->plan, run->row.text ? &run->row : &run->file, "%s has %llu rows", path,
                     (unsigned long long)t.count);
  for (int k = 0; k < job->dofs.nq && code == EXIT_FINE; k++) {
    if (t.column[0][k] < 0) continue;
    job->q[k] = t.q[k];
    hold(s, k);
  }
  for (int k = 0; k < job->dofs.nv && code == EXIT_FINE && moves; k++) {
    if (t.column[1][k] < 0) continue;
    job->v[k] = t.v[k];
    s->moves[k] = 1;
  }
  if (code == EXIT_FINE && t.has_time && !run->time.text) job->start = t.time;
  cli_states_close(&t);
  return code;
}

static int read_entries(starting* s)
{
  sim_job* job = s->job;
  const limb_run_start* run = &job->plan.run.start;
  int code = EXIT_FINE;
  for (int i = 0; i < run->q.count && code == EXIT_FINE; i++) {
    const int k = sim_find_dof(job, &run->q.value[i], 1);
    if (k < 0) return EXIT_USAGE;
    code = sim_number(&job->plan, &run->q.value[i], &job->q[k]);
    hold(s, k);
  }
  for (int i = 0; i < run->v.count && code == EXIT_FINE; i++) {
    const int k = sim_find_dof(job, &run->v.value[i], 0);
    if (k < 0) return EXIT_USAGE;
    code = sim_number(&job->plan, &run->v.value[i], &job->v[k]);
    s->moves[k] = 1;
  }
  return code;
}

// keep: in place of what is given.
static int read_keep(starting* s)
{
  const limb_run_values* keep = &s->job->plan.run.start.keep;
  const cli_dofs* d = &s->job->dofs;
  if (keep->count > 0) memset(s->held, 0, (size_t)d->nv);
  for (int i = 0; i < keep->count; i++) {
    limb_run_value joint = keep->value[i];
    int found = 0;
    joint.name = joint.text;
    for (int k = 0; k < d->nv; k++) {
      limb_joint_info x;
      if (limb_get_joint(s->job->robot.model, d->v[k].joint, &x) != LIMB_OK) continue;
      if (strcmp(x.def.name, joint.text) == 0) s->held[k] = 1, found = 1;
    }
    if (!found && sim_find_dof(s->job, &joint, 0) < 0) return EXIT_USAGE;
  }
  return EXIT_FINE;
}

// Quaternions must be units; what is nearly one becomes one.
static int check_quaternions(const sim_job* job)
{
  const limb_model* m = job->robot.model;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) != LIMB_OK || x.nq == x.nv) continue;
    double* q = job->q + x.q + x.nq - 4;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1) <= 1e-3)) {
      (void)cli_usage(job->plan.args,
                      "start: the quaternion of '%s' is (%g %g %g %g), x y z w; its norm is %g and "
                      "must be 1",
                      x.def.name, q[0], q[1], q[2], q[3], norm);
      return EXIT_USAGE;
    }
    for (int k = 0; k < 4; k++) q[k] /= norm;
  }
  return EXIT_FINE;
}

// ---- loops -----------------------------------------------------------------------------------------------

static int all_marked(const starting* s, const unsigned char* marks)
{
  for (int k = 0; k < s->job->dofs.nv; k++)
    if (!marks[k]) return 0;
  return 1;
}

static int assemble(starting* s)
{
  const sim_job* job = s->job;
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report = {.loop = -1};
  how.held = s->held;
  how.time = job->start;
  how.tries = CLOSURE_TRIES;
  const limb_status status = limb_assemble(s->loops, &how, job->q, &report);
  if (status == LIMB_OK) return EXIT_FINE;
  if (status != LIMB_E_NOCONV) return sim_failed(job, status, "start");
  (void)cli_usage(job->plan.args,
                  "start: no way to close the loops was found with the given joints as they are: "
                  "loop '%s' stays %.3g apart; give fewer joints, or others (start: keep)",
                  cli_loop_name(job->robot.model, report.loop), report.residual);
  return EXIT_NUMERICAL;
}

// Puts a velocity that is given among the independent ones, in the place of one that is not. 1: it is.
static int exchange(const starting* s, unsigned char* own, double* trial, int k)
{
  const sim_job* job = s->job;
  const size_t bytes = (size_t)job->dofs.nv * sizeof *trial;
  for (int i = 0; i < job->dofs.nv && !own[k]; i++) {
    if (!own[i] || s->moves[i]) continue;
    own[i] = 0, own[k] = 1;
    memcpy(trial, job->v, bytes);
    if (limb_complete_velocities(s->loops, job->q, own, &s->options, trial) == LIMB_OK) return 1;
    own[i] = 1, own[k] = 0;
  }
  return own[k];
}

// The given velocities determine the others; of those that nobody gives, independent ones rest.
static int complete(starting* s)
{
  sim_job* job = s->job;
  const int nv = job->dofs.nv;
  unsigned char* own = calloc((size_t)nv + 1, 1);
  double* trial = sim_zeros(nv);
  int code = own && trial ? EXIT_FINE : sim_out_of_memory(&job->plan);
  limb_status status = LIMB_OK;
  if (code == EXIT_FINE) status = limb_independent_velocities(s->loops, job->q, &s->options, own);
  for (int k = 0; k < nv && code == EXIT_FINE && status == LIMB_OK; k++)
    if (s->moves[k]) (void)exchange(s, own, trial, k);
  if (code == EXIT_FINE && status == LIMB_OK) {
    memcpy(trial, job->v, (size_t)nv * sizeof *trial);
    status = limb_complete_velocities(s->loops, job->q, own, &s->options, trial);
  }
  if (code == EXIT_FINE && status != LIMB_OK)
    code = sim_failed(job, status, "velocities at the start");
  for (int k = 0; k < nv && code == EXIT_FINE; k++) {
    if (!s->moves[k] || fabs(trial[k] - job->v[k]) <= 1e-6) continue;
    (void)cli_usage(
      job->plan.args,
      "start: the velocity of '%s' is given as %.9g, but %.9g follows from the others "
      "with the loops closed",
      job->dofs.v[k].name, job->v[k], trial[k]);
    code = EXIT_NUMERICAL;
  }
  if (code == EXIT_FINE) memcpy(job->v, trial, (size_t)nv * sizeof *trial);
  free(own);
  free(trial);
  return code;
}

static int close_loops(starting* s)
{
  sim_job* job = s->job;
  const limb_model* m = job->robot.model;
  int wanted = 1, code = sim_truth(&job->plan, &job->plan.run.start.assemble, &wanted);
  if (code != EXIT_FINE || limb_loop_count(m) == 0 || !wanted) return code;
  const limb_status status = limb_loops_create(m, cli_loops_use(m), NULL, &s->loops);
  if (status != LIMB_OK) return sim_failed(job, status, "loops");
  s->options = limb_default_loop_options();
  s->options.time = job->start;
  code = read_keep(s);
  if (code == EXIT_FINE && !all_marked(s, s->held)) code = assemble(s);
  if (code == EXIT_FINE && !all_marked(s, s->moves)) code = complete(s);
  limb_loops_destroy(s->loops);
  return code;
}

int sim_read_start(sim_job* job)
{
  const int nv = job->dofs.nv;
  starting s = {.job = job, .held = calloc((size_t)nv + 1, 1), .moves = calloc((size_t)nv + 1, 1)};
  job->q = sim_zeros(job->dofs.nq);
  job->v = sim_zeros(nv);
  int code = EXIT_FINE;
  if (!s.held || !s.moves || !job->q || !job->v) {
    code = sim_out_of_memory(&job->plan);
  } else {
    const limb_status status = limb_start(job->robot.model, job->q);
    if (status != LIMB_OK) code = sim_failed(job, status, "start");
  }
  if (code == EXIT_FINE && job->plan.run.start.file.text) code = read_row(&s);
  if (code == EXIT_FINE) code = read_entries(&s);
  if (code == EXIT_FINE) code = check_quaternions(job);
  if (code == EXIT_FINE) code = close_loops(&s);
  free(s.held);
  free(s.moves);
  return code;
}
