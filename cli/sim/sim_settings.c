// Settings of a run: model, environment, solver, times, start.
#include "base/command.h"
#include "robot/robot.h"
#include "sim/sim.h"
#include "states/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double* sim_zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

int sim_failed(const sim_job* job, limb_status status, const char* what)
{
  (void)cli_usage(job->plan.args, "%s: %s", what, limb_status_text(status));
  return cli_exit_code(status);
}

int sim_find_dof(const sim_job* job, const limb_run_value* at, int of_q)
{
  const cli_dofs* d = &job->dofs;
  const cli_dof* dof = of_q ? d->q : d->v;
  const int n = of_q ? d->nq : d->nv;
  int begins = 0;
  const size_t length = strlen(at->name);
  for (int k = 0; k < n; k++) {
    if (strcmp(dof[k].name, at->name) == 0) return k;
    begins += strncmp(dof[k].name, at->name, length) == 0 && dof[k].name[length] == '.';
  }
  if (begins > 0) {
    for (int k = 0; k < n; k++)
      if (strncmp(dof[k].name, at->name, length) == 0 && dof[k].name[length] == '.')
        return sim_wrong(&job->plan, at, "'%.64s' has %d components: name one, as in %s", at->name, begins,
                         dof[k].name),
               -1;
  }
  const char** names = calloc((size_t)n + 1, sizeof *names);
  for (int k = 0; k < n && names; k++) names[k] = dof[k].name;
  const char* near = names ? cli_nearest(at->name, names) : NULL;
  (void)sim_wrong(&job->plan, at, "the model has no joint '%.64s'%s%s%s", at->name, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "; limb info names them");
  free(names);
  return -1;
}

int sim_find_frame(const sim_job* job, const limb_run_value* at)
{
  const limb_model* m = job->robot.model;
  const int frame = limb_find_frame(m, at->text);
  if (frame >= 0) return frame;
  const char* near = cli_nearest_frame(m, at->text);
  (void)sim_wrong(&job->plan, at, "the model has no frame '%.64s'%s%s%s", at->text, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "");
  return -1;
}

// ---- model and environment -------------------------------------------------------------------------

static int read_model_options(sim_job* job, limb_read_options* opt)
{
  static const char* const bases[] = {"as-file", "fixed", "floating", "planar", NULL};
  static const limb_base base[] = {LIMB_BASE_AS_FILE, LIMB_BASE_FIXED, LIMB_BASE_FLOATING, LIMB_BASE_PLANAR};
  const limb_run_model* m = &job->plan.run.model;
  int word = -1, mimic = 1;
  int code = cli_read_options(job->plan.args, opt);
  if (code == EXIT_FINE) code = sim_word_of(&job->plan, &m->base, bases, &word);
  if (code == EXIT_FINE) code = sim_truth(&job->plan, &m->mimic, &mimic);
  if (word >= 0) opt->base = base[word];
  if (!mimic) opt->no_mimic = 1;
  return code;
}

static int read_environment(sim_job* job)
{
  const limb_run_environment* e = &job->plan.run.environment;
  limb_environment* env = &job->robot.env;
  double* const g[] = {&env->gravity.x, &env->gravity.y, &env->gravity.z};
  int without = !env->friction, code = EXIT_FINE;
  for (int k = 0; k < 3 && k < e->gravity.count && code == EXIT_FINE; k++)
    code = sim_number(&job->plan, &e->gravity.value[k], g[k]);
  if (code == EXIT_FINE) code = sim_truth(&job->plan, &e->no_friction, &without);
  if (code == EXIT_FINE) code = sim_positive(&job->plan, &e->coulomb_width, &env->coulomb_width);
  env->friction = !without;
  return code;
}

int sim_open_robot(sim_job* job)
{
  const limb_run_value* name = &job->plan.run.model.name;
  limb_read_options opt = limb_default_read_options();
  const char* path = name->text;
  limb_robot_info info;
  int built_in = 0, code = read_model_options(job, &opt);
  for (int i = 0; i < limb_robot_count() && !built_in; i++)
    built_in = limb_get_robot(i, &info) == LIMB_OK && strcmp(info.name, path) == 0;
  if (code == EXIT_FINE && !built_in && !(path = sim_input_path(&job->plan, name))) code = EXIT_USAGE;
  if (code == EXIT_FINE) code = cli_robot_open_as(job->plan.args, path, &opt, &job->robot);
  if (code != EXIT_FINE) return code;
  if (!cli_dofs_make(job->robot.model, &job->dofs)) return sim_out_of_memory(&job->plan);
  return read_environment(job);
}

// ---- solver ----------------------------------------------------------------------------------------

static int read_method(sim_job* job)
{
  enum { MAX = 16 };
  const char* words[MAX + 1] = {NULL};
  int k = 0, word = LIMB_SIM_AUTO;
  for (; k < MAX && limb_sim_method_name((limb_sim_method)k); k++) words[k] = limb_sim_method_name((limb_sim_method)k);
  const limb_run_value* at = &job->plan.run.solver.method;
  const int code = sim_word_of(&job->plan, at, words, &word);
  job->options.method = (limb_sim_method)word;
  if (code == EXIT_FINE && !limb_sim_has_method(job->options.method))
    return sim_wrong(&job->plan, at, "method %s requires SUNDIALS, which this build lacks", at->text);
  return code;
}

static int read_steps(sim_job* job)
{
  const sim_plan* p = &job->plan;
  const limb_run_solver* s = &p->run.solver;
  limb_sim_options* o = &job->options;
  double order = 0, max = 0;
  if (limb_sim_method_order(o->method) == 0) o->step = 0; // adaptive methods choose it
  int code = sim_positive(p, &s->step, &o->step);
  if (code == EXIT_FINE) code = sim_positive(p, &s->relative, &o->relative);
  if (code == EXIT_FINE) code = sim_positive(p, &s->absolute, &o->absolute);
  if (code == EXIT_FINE) code = sim_positive(p, &s->max_step, &o->max_step);
  job->max_drift = -1;
  if (code == EXIT_FINE) code = sim_positive(p, &s->max_drift, &job->max_drift);
  if (code == EXIT_FINE) code = sim_whole(p, &s->order, 20, &order);
  if (code == EXIT_FINE) code = sim_whole(p, &s->max_steps, 1e15, &max);
  o->order = (int)order;
  o->max_steps = (uint64_t)max;
  if (o->method == LIMB_SIM_AUTO && o->step == 0) o->step = 1e-3;
  return code;
}

static int read_stops(sim_job* job)
{
  static const char* const stops[] = {"none", "hold", "spring", "impact", "end", NULL};
  static const char* const stictions[] = {"exact", "smooth", NULL};
  const sim_plan* p = &job->plan;
  const limb_run_solver* s = &p->run.solver;
  limb_sim_options* o = &job->options;
  int stop = 0, stiction = o->env.coulomb_width > 0 ? LIMB_STICTION_SMOOTH : LIMB_STICTION_EXACT;
  int code = sim_word_of(p, &s->stop, stops, &stop);
  if (code == EXIT_FINE) code = sim_word_of(p, &s->stiction, stictions, &stiction);
  if (code == EXIT_FINE) code = sim_not_negative(p, &s->restitution, &o->restitution);
  if (code == EXIT_FINE && o->restitution > 1) code = sim_wrong(p, &s->restitution, "must be from 0 to 1");
  if (code == EXIT_FINE) code = sim_positive(p, &s->stiffness, &o->stiffness);
  if (code == EXIT_FINE) code = sim_not_negative(p, &s->damping, &o->damping);
  o->stop = (limb_stop)stop;
  o->stiction = (limb_stiction)stiction;
  return code;
}

static int read_loops(sim_job* job)
{
  static const char* const methods[] = {"auto", "clusters", "schur", "kkt", "proximal", NULL};
  const sim_plan* p = &job->plan;
  const limb_run_solver* s = &p->run.solver;
  limb_sim_options* o = &job->options;
  int method = 0, baumgarte = 0, work = 1, code = EXIT_FINE;
  if (s->project.text && strcmp(s->project.text, "off") == 0)
    o->project = HUGE_VAL;
  else
    code = sim_not_negative(p, &s->project, &o->project);
  if (code == EXIT_FINE) code = sim_word_of(p, &s->closed, methods, &method);
  if (code == EXIT_FINE) code = sim_truth(p, &s->baumgarte, &baumgarte);
  if (code == EXIT_FINE) code = sim_not_negative(p, &s->condition, &o->condition);
  if (code == EXIT_FINE) code = sim_truth(p, &s->work, &work);
  if (code != EXIT_FINE) return code;
  o->loops.method = (limb_loop_method)method;
  o->work = work;
  if (baumgarte && limb_baumgarte(o->step > 0 ? o->step : 1e-3, &o->loops) != LIMB_OK)
    return sim_wrong(p, &s->baumgarte, "the step is too small for it");
  return EXIT_FINE;
}

int sim_read_settings(sim_job* job)
{
  job->options = limb_default_sim_options(job->robot.model);
  job->options.env = job->robot.env;
  int code = read_method(job);
  if (code == EXIT_FINE) code = read_steps(job);
  if (code == EXIT_FINE) code = read_stops(job);
  return code == EXIT_FINE ? read_loops(job) : code;
}

// ---- time ------------------------------------------------------------------------------------------

int sim_read_times(sim_job* job)
{
  const sim_plan* p = &job->plan;
  const limb_run* run = &p->run;
  double duration = 0;
  int code = sim_not_negative(p, &run->duration, &duration);
  job->end = job->start + duration;
  if (code == EXIT_FINE) code = sim_number(p, &run->end, &job->end);
  if (code != EXIT_FINE) return code;
  if (!run->duration.text && !run->end.text)
    return cli_usage(p->args, "the duration is missing: --duration T%s", p->path ? ", or duration: in the file" : "");
  if (job->end < job->start)
    return sim_wrong(p, &run->end, "is %.9g s, before the start at %.9g s", job->end, job->start);
  return EXIT_FINE;
}

// ---- start -----------------------------------------------------------------------------------------

typedef struct starting {
  sim_job* job;
  unsigned char *held, *moves; // nv: positions and velocities that are given
  unsigned char* driven;       // nv: with prescribed motion
} starting;

// Marks the velocity of a coordinate, or all of its ball or free joint.
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
  cli_robot robot = job->robot; // the table would set its wrenches
  cli_states t;
  double row = 1;
  int got = 1, code = sim_whole(&job->plan, &run->row, 1e15, &row);
  if (code == EXIT_FINE && row < 1) code = sim_wrong(&job->plan, &run->row, "rows are counted from 1");
  const char* path = code == EXIT_FINE ? sim_input_path(&job->plan, &run->file) : NULL;
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

// One value for all coordinates, or velocities, except those of ball and free joints. It holds nothing.
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

// Given entries must agree with prescribed motion, which has been put into x.
static int check_begin(const sim_job* job, const limb_run_values* list, int of_q, const double* x)
{
  for (int i = 0; i < list->count; i++) {
    double given = 0;
    if (strcmp(list->value[i].name, "*") == 0) continue;
    const int k = sim_find_dof(job, &list->value[i], of_q);
    if (k < 0 || sim_number(&job->plan, &list->value[i], &given) != EXIT_FINE) return EXIT_USAGE;
    if (fabs(given - x[k]) <= 1e-6 * fmax(1, fabs(given))) continue;
    return sim_wrong(&job->plan, &list->value[i], "is %.9g, but the prescribed motion begins with %.9g", given, x[k]);
  }
  return EXIT_FINE;
}

// Joints with prescribed motion start where it begins.
static int begin_motion(const starting* s)
{
  sim_job* job = s->job;
  const limb_status status = sim_motion_at(job, job->start, job->q, job->v, s->driven);
  for (int k = 0; k < job->dofs.nv; k++) s->held[k] |= s->driven[k], s->moves[k] |= s->driven[k];
  if (status != LIMB_OK) return sim_failed(job, status, *job->trouble ? job->trouble : "motion");
  const int code = check_begin(job, &job->plan.run.start.q, 1, job->q);
  return code == EXIT_FINE ? check_begin(job, &job->plan.run.start.v, 0, job->v) : code;
}

// keep: replaces the given joints.
static int read_keep(const starting* s)
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

// Quaternions must be nearly unit quaternions; they are normalised.
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
                      "start: the quaternion of '%s', (%g %g %g %g) in the order x y z w, has norm %g instead "
                      "of 1",
                      x.def.name, q[0], q[1], q[2], q[3], norm);
      return EXIT_USAGE;
    }
    for (int k = 0; k < 4; k++) q[k] /= norm;
  }
  return EXIT_FINE;
}

#define ROUNDED 1e-3  // given values may change by that much
#define SEEN    1e-12 // changes below are not reported

static double* sim_copy(sim_job* job, const double* x, int n)
{
  double* y = sim_keep(&job->plan, (size_t)n + 1, sizeof *y);
  if (y) memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

// Says which given values changed, and by how much.
static void report_changes(const sim_job* job, const unsigned char* given, const double* q, const double* v)
{
  const cli_dofs* d = &job->dofs;
  int count = 0;
  for (int k = 0; k < d->nq + d->nv; k++) {
    const int of_q = k < d->nq, i = of_q ? k : k - d->nq;
    const double change = of_q ? job->q[i] - q[i] : job->v[i] - v[i];
    const cli_dof* own = of_q ? &d->q[i] : &d->v[i];
    int fixed = 0;
    for (int j = 0; j < d->nv; j++) fixed |= given[j + (of_q ? 0 : d->nv)] && d->v[j].joint == own->joint;
    if (!fixed || fabs(change) <= SEEN) continue;
    (void)fprintf(stderr, "%s%s%s by %.2g",
                  count++ ? ", " : "limb sim: note: to close the loops, these changed: ", of_q ? "q." : "v.", own->name,
                  change);
  }
  if (count) (void)fprintf(stderr, "\n");
}

static int close_loops(const starting* s)
{
  sim_job* job = s->job;
  int wanted = 1, code = sim_truth(&job->plan, &job->plan.run.start.assemble, &wanted);
  if (code != EXIT_FINE || limb_loop_count(job->robot.model) == 0 || !wanted) return code;
  double tolerance = ROUNDED;
  code = read_keep(s);
  if (code == EXIT_FINE) code = sim_not_negative(&job->plan, &job->plan.run.start.tolerance, &tolerance);
  if (code != EXIT_FINE) return code;
  const limb_start_given given = {
    .q = s->held, .v = s->moves, .time = job->start, .max_tries = CLOSURE_TRIES, .tolerance = tolerance};
  limb_error err = {0};
  double *q = sim_copy(job, job->q, job->dofs.nq), *v = sim_copy(job, job->v, job->dofs.nv);
  if (!q || !v) return sim_out_of_memory(&job->plan);
  const limb_status status = limb_sim_close_start(job->robot.model, &given, job->q, job->v, &err);
  if (status == LIMB_OK && !job->quiet) report_changes(job, s->held, q, v);
  if (status == LIMB_OK) return EXIT_FINE;
  (void)cli_usage(job->plan.args, "start: %s", *err.text ? err.text : limb_status_text(status));
  return cli_exit_code(status);
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
  starting s = {.job = job, .held = calloc(2 * n, 1), .driven = calloc(n, 1)};
  s.moves = s.held ? s.held + job->dofs.nv : NULL;
  job->q = sim_zeros(job->dofs.nq);
  job->v = sim_zeros(job->dofs.nv);
  const int fine = s.held && s.moves && s.driven && job->q && job->v;
  const int code = fine ? read_start(&s) : sim_out_of_memory(&job->plan);
  free(s.held);
  free(s.driven);
  return code;
}
