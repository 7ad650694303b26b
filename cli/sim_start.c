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
  unsigned char* driven;       // nv: of given motion
  limb_loops* loops;
  limb_loop_options options;
} starting;

// ---- what is given ---------------------------------------------------------------------------------------

// Marks what belongs to a coordinate: its own velocity, or all of its ball or free joint.
static void hold(const starting* s, int k)
{
  const cli_dofs* d = &s->job->dofs;
  for (int i = 0; i < d->nv; i++) {
    limb_joint_info x;
    if (d->v[i].joint != d->q[k].joint) continue;
    if (limb_get_joint(s->job->robot.model, d->v[i].joint, &x) != LIMB_OK) continue;
    if (x.nq != x.nv || d->v[i].index == d->q[k].index) s->held[i] = 1;
  }
}

static void take_row(const starting* s, const cli_states* t, int moves)
{
  const sim_job* job = s->job;
  for (int k = 0; k < job->dofs.nq; k++) {
    if (t->column[0][k] < 0) continue;
    job->q[k] = t->q[k];
    hold(s, k);
  }
  for (int k = 0; k < job->dofs.nv && moves; k++) {
    if (t->column[1][k] < 0) continue;
    job->v[k] = t->v[k];
    s->moves[k] = 1;
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
  for (uint64_t i = 0; i < (uint64_t)row && got && code == EXIT_FINE; i++) code = cli_states_next(&t, &got);
  if (code == EXIT_FINE && !got)
    code = sim_wrong(&job->plan, run->row.text ? &run->row : &run->file, "%s has %llu rows", path,
                     (unsigned long long)t.count);
  if (code == EXIT_FINE) take_row(s, &t, moves);
  if (code == EXIT_FINE && t.has_time && !run->time.text) job->start = t.time;
  cli_states_close(&t);
  return code;
}

// One value for all coordinates, or velocities, but those of ball and free joints. Nothing is held by it.
static int read_all(const sim_job* job, const limb_run_value* at, int of_q)
{
  const cli_dofs* d = &job->dofs;
  double x = 0;
  const int code = sim_number(&job->plan, at, &x);
  for (int k = 0; k < (of_q ? d->nq : d->nv) && code == EXIT_FINE; k++) {
    limb_joint_info joint;
    if (limb_get_joint(job->robot.model, (of_q ? d->q : d->v)[k].joint, &joint) != LIMB_OK) continue;
    if (joint.nq == joint.nv) (of_q ? job->q : job->v)[k] = x;
  }
  return code;
}

static int read_entry(const starting* s, const limb_run_value* at, int of_q)
{
  const sim_job* job = s->job;
  if (strcmp(at->name, "*") == 0) return read_all(job, at, of_q);
  const int k = sim_find_dof(job, at, of_q);
  if (k < 0) return EXIT_USAGE;
  if (of_q)
    hold(s, k);
  else
    s->moves[k] = 1;
  return sim_number(&job->plan, at, of_q ? &job->q[k] : &job->v[k]);
}

static int read_entries(const starting* s)
{
  const limb_run_start* run = &s->job->plan.run.start;
  int code = EXIT_FINE;
  for (int i = 0; i < run->q.count && code == EXIT_FINE; i++) code = read_entry(s, &run->q.value[i], 1);
  for (int i = 0; i < run->v.count && code == EXIT_FINE; i++) code = read_entry(s, &run->v.value[i], 0);
  return code;
}

// What was given by joint must be where a given motion begins: x is after it came.
static int check_begin(const sim_job* job, const limb_run_values* list, int of_q, const double* x)
{
  for (int i = 0; i < list->count; i++) {
    double given = 0;
    if (strcmp(list->value[i].name, "*") == 0) continue;
    const int k = sim_find_dof(job, &list->value[i], of_q);
    if (k < 0 || sim_number(&job->plan, &list->value[i], &given) != EXIT_FINE) return EXIT_USAGE;
    if (fabs(given - x[k]) <= 1e-6 * fmax(1, fabs(given))) continue;
    return sim_wrong(&job->plan, &list->value[i], "is %.9g, but the motion that is given begins with %.9g", given,
                     x[k]);
  }
  return EXIT_FINE;
}

// Joints whose motion is given begin where it does.
static int begin_motion(const starting* s)
{
  sim_job* job = s->job;
  const limb_status status = sim_motion_at(job, job->start, job->q, job->v, s->driven);
  for (int k = 0; k < job->dofs.nv; k++) s->held[k] |= s->driven[k], s->moves[k] |= s->driven[k];
  if (status != LIMB_OK) return sim_failed(job, status, *job->trouble ? job->trouble : "motion");
  const int code = check_begin(job, &job->plan.run.start.q, 1, job->q);
  return code == EXIT_FINE ? check_begin(job, &job->plan.run.start.v, 0, job->v) : code;
}

// keep: in place of what is given.
static int read_keep(starting* s)
{
  const limb_run_values* keep = &s->job->plan.run.start.keep;
  const cli_dofs* d = &s->job->dofs;
  if (keep->count > 0) memcpy(s->held, s->driven, (size_t)d->nv);
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

// The given velocities determine the others; of those that nobody gives, independent ones rest. v: nv
// (output).
static limb_status follow(const starting* s, unsigned char* own, double* v)
{
  const sim_job* job = s->job;
  const int nv = job->dofs.nv;
  limb_status status = limb_independent_velocities(s->loops, job->q, &s->options, own);
  for (int k = 0; k < nv && status == LIMB_OK; k++)
    if (s->moves[k]) (void)exchange(s, own, v, k);
  memcpy(v, job->v, (size_t)nv * sizeof *v);
  if (status == LIMB_OK) status = limb_complete_velocities(s->loops, job->q, own, &s->options, v);
  return status;
}

// Velocities that were given, and follow from others: both must agree.
static int compare(const starting* s, const double* v)
{
  const sim_job* job = s->job;
  for (int k = 0; k < job->dofs.nv; k++) {
    if (!s->moves[k] || fabs(v[k] - job->v[k]) <= 1e-6) continue;
    (void)cli_usage(job->plan.args,
                    "start: the velocity of '%s' is given as %.9g, but %.9g follows from the others "
                    "with the loops closed",
                    job->dofs.v[k].name, job->v[k], v[k]);
    return EXIT_NUMERICAL;
  }
  return EXIT_FINE;
}

static int complete(const starting* s)
{
  const sim_job* job = s->job;
  const size_t nv = (size_t)job->dofs.nv;
  unsigned char* own = calloc(nv + 1, 1);
  double* v = sim_zeros(job->dofs.nv);
  int code = EXIT_FINE;
  if (own && v) {
    const limb_status status = follow(s, own, v);
    code = status == LIMB_OK ? compare(s, v) : sim_failed(job, status, "velocities at the start");
    if (code == EXIT_FINE) memcpy(job->v, v, nv * sizeof *v);
  } else {
    code = sim_out_of_memory(&job->plan);
  }
  free(own);
  free(v);
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

static int read_start(starting* s)
{
  sim_job* job = s->job;
  const limb_run_start* run = &job->plan.run.start;
  const limb_status status = limb_start(job->robot.model, job->q);
  if (status != LIMB_OK) return sim_failed(job, status, "start");
  int code = sim_number(&job->plan, &run->time, &job->start);
  if (code == EXIT_FINE && run->file.text) code = read_row(s);
  if (code == EXIT_FINE) code = read_entries(s);
  if (code == EXIT_FINE) code = begin_motion(s);
  if (code == EXIT_FINE) code = check_quaternions(job);
  return code == EXIT_FINE ? close_loops(s) : code;
}

int sim_read_start(sim_job* job)
{
  const size_t n = (size_t)job->dofs.nv + 1;
  starting s = {.job = job, .held = calloc(n, 1), .moves = calloc(n, 1), .driven = calloc(n, 1)};
  job->q = sim_zeros(job->dofs.nq);
  job->v = sim_zeros(job->dofs.nv);
  const int fine = s.held && s.moves && s.driven && job->q && job->v;
  const int code = fine ? read_start(&s) : sim_out_of_memory(&job->plan);
  free(s.held);
  free(s.moves);
  free(s.driven);
  return code;
}
