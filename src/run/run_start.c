// Settings of a run: environment, solver, times, start.
#include "run/run_impl.h"

#include "base/status.h"

#include "limb/ik.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static limb_status read_environment(limb_runner* r)
{
  const limb_run_environment* e = &r->run.environment;
  limb_environment* env = &r->o.env;
  double* const g[] = {&env->gravity.x, &env->gravity.y, &env->gravity.z};
  int without = !env->friction;
  limb_status s = LIMB_OK;
  for (int k = 0; k < 3 && k < e->gravity.count && s == LIMB_OK; k++)
    s = limb_run_quantity(&e->gravity.value[k], LIMB_RUN_ANY, "m/s^2", g[k], r->err);
  if (s == LIMB_OK) s = limb_run_truth(&e->no_friction, &without, r->err);
  if (s == LIMB_OK) s = limb_run_number(&e->coulomb_width, LIMB_RUN_POSITIVE, &env->coulomb_width, r->err);
  env->friction = !without;
  return s;
}

// ---- solver ----------------------------------------------------------------------------------------

static limb_status read_method(limb_runner* r)
{
  enum { MAX = 16 };
  const char* words[MAX + 1] = {NULL};
  int k = 0, word = LIMB_SIM_AUTO;
  for (; k < MAX && limb_sim_method_name((limb_sim_method)k); k++) words[k] = limb_sim_method_name((limb_sim_method)k);
  const limb_run_value* at = &r->run.solver.method;
  const limb_status code = limb_run_word(at, words, &word, r->err);
  r->setup.sim.method = (limb_sim_method)word;
  if (code == LIMB_OK && !limb_sim_has_method(r->setup.sim.method))
    return limb_run_wrong(r->err, at, "method %s requires SUNDIALS, which this build lacks", at->text);
  return code;
}

static limb_status read_steps(limb_runner* r)
{
  const limb_run_solver* s = &r->run.solver;
  limb_sim_options* o = &r->setup.sim;
  double order = 0, max = 0;
  if (limb_sim_method_order(o->method) == 0) o->step = 0; // adaptive methods choose it
  limb_status code = limb_run_quantity(&s->step, LIMB_RUN_POSITIVE, "s", &o->step, r->err);
  if (code == LIMB_OK) code = limb_run_number(&s->relative, LIMB_RUN_POSITIVE, &o->relative, r->err);
  if (code == LIMB_OK) code = limb_run_number(&s->absolute, LIMB_RUN_POSITIVE, &o->absolute, r->err);
  if (code == LIMB_OK) code = limb_run_quantity(&s->max_step, LIMB_RUN_POSITIVE, "s", &o->max_step, r->err);
  r->setup.max_drift = -1;
  if (code == LIMB_OK) code = limb_run_number(&s->max_drift, LIMB_RUN_POSITIVE, &r->setup.max_drift, r->err);
  if (code == LIMB_OK) code = limb_run_whole(&s->order, 20, &order, r->err);
  if (code == LIMB_OK) code = limb_run_whole(&s->max_steps, 1e15, &max, r->err);
  o->order = (int)order;
  o->max_steps = (uint64_t)max;
  if (o->method == LIMB_SIM_AUTO && o->step == 0) o->step = 1e-3;
  return code;
}

static limb_status read_stops(limb_runner* r)
{
  static const char* const stops[] = {"none", "hold", "spring", "impact", "end", NULL};
  static const char* const stictions[] = {"exact", "smooth", NULL};
  const limb_run_solver* s = &r->run.solver;
  limb_sim_options* o = &r->setup.sim;
  int stop = 0, stiction = o->env.coulomb_width > 0 ? LIMB_STICTION_SMOOTH : LIMB_STICTION_EXACT;
  limb_status code = limb_run_word(&s->stop, stops, &stop, r->err);
  if (code == LIMB_OK) code = limb_run_word(&s->stiction, stictions, &stiction, r->err);
  if (code == LIMB_OK) code = limb_run_number(&s->restitution, LIMB_RUN_NOT_NEGATIVE, &o->restitution, r->err);
  if (code == LIMB_OK && o->restitution > 1) code = limb_run_wrong(r->err, &s->restitution, "must be from 0 to 1");
  if (code == LIMB_OK) code = limb_run_number(&s->stop_stiffness, LIMB_RUN_POSITIVE, &o->stop_stiffness, r->err);
  if (code == LIMB_OK) code = limb_run_number(&s->stop_damping, LIMB_RUN_NOT_NEGATIVE, &o->stop_damping, r->err);
  o->stop = (limb_stop)stop;
  o->stiction = (limb_stiction)stiction;
  return code;
}

// true: gains by the step; "ALPHA,BETA": those.
static limb_status read_baumgarte(limb_runner* r)
{
  const limb_run_value* at = &r->run.solver.baumgarte;
  limb_sim_options* o = &r->setup.sim;
  const char* comma = at->text ? strchr(at->text, ',') : NULL;
  if (comma) {
    char first[64];
    limb_run_value alpha = *at, beta = *at;
    (void)snprintf(first, sizeof first, "%.*s", (int)(comma - at->text < 63 ? comma - at->text : 63), at->text);
    alpha.text = first, beta.text = comma + 1;
    const limb_status s = limb_run_number(&alpha, LIMB_RUN_NOT_NEGATIVE, &o->loops.alpha, r->err);
    return s == LIMB_OK ? limb_run_number(&beta, LIMB_RUN_NOT_NEGATIVE, &o->loops.beta, r->err) : s;
  }
  int baumgarte = 0;
  const limb_status s = limb_run_truth(at, &baumgarte, r->err);
  if (s == LIMB_OK && baumgarte && limb_baumgarte(o->step > 0 ? o->step : 1e-3, &o->loops) != LIMB_OK)
    return limb_run_wrong(r->err, at, "the step is too small for it");
  return s;
}

static limb_status read_loops(limb_runner* r)
{
  static const char* const methods[] = {"auto", "clusters", "schur", "kkt", "proximal", "mexx", "sequential", NULL};
  const limb_run_solver* s = &r->run.solver;
  limb_sim_options* o = &r->setup.sim;
  int method = 0, work = 1, code = LIMB_OK;
  if (s->project.text && strcmp(s->project.text, "off") == 0)
    o->project = HUGE_VAL;
  else
    code = limb_run_number(&s->project, LIMB_RUN_NOT_NEGATIVE, &o->project, r->err);
  if (code == LIMB_OK) code = limb_run_word(&s->loop_method, methods, &method, r->err);
  if (code == LIMB_OK) code = limb_run_number(&s->condition, LIMB_RUN_NOT_NEGATIVE, &o->condition, r->err);
  if (code == LIMB_OK) code = limb_run_truth(&s->work, &work, r->err);
  if (code != LIMB_OK) return code;
  o->loops.method = (limb_loop_method)method;
  o->work = work;
  return read_baumgarte(r);
}

limb_status limb_run_read_settings(limb_runner* r)
{
  r->setup.sim = limb_default_sim_options(r->model);
  limb_status code = read_environment(r);
  r->setup.sim.env = r->o.env;
  if (code == LIMB_OK) code = read_method(r);
  if (code == LIMB_OK) code = read_steps(r);
  if (code == LIMB_OK) code = read_stops(r);
  return code == LIMB_OK ? read_loops(r) : code;
}

// ---- time ------------------------------------------------------------------------------------------

limb_status limb_run_read_times(limb_runner* r)
{
  const limb_run* run = &r->run;
  double duration = 0;
  limb_status code = limb_run_quantity(&run->duration, LIMB_RUN_NOT_NEGATIVE, "s", &duration, r->err);
  r->setup.end = r->setup.start + duration;
  if (code == LIMB_OK) code = limb_run_quantity(&run->end, LIMB_RUN_ANY, "s", &r->setup.end, r->err);
  if (code != LIMB_OK) return code;
  if (!run->duration.text && !run->end.text)
    return limb_fail(r->err, LIMB_E_ARG, "", "the duration is missing: duration: or end:");
  if (r->setup.end < r->setup.start)
    return limb_run_wrong(r->err, &run->end, "is %.9g s, before the start at %.9g s", r->setup.end, r->setup.start);
  return LIMB_OK;
}

// ---- start -----------------------------------------------------------------------------------------

typedef struct starting {
  limb_runner* r;
  unsigned char *held, *moves; // nv: positions and velocities that are given
  unsigned char* driven;       // nv: with prescribed motion
} starting;

// Marks the velocity of a coordinate, or all of its ball or free joint.
static void hold(const starting* s, int k)
{
  const limb_runner* r = s->r;
  for (int i = 0; i < r->nv; i++) {
    limb_joint_info x;
    if (r->dv[i].joint != r->dq[k].joint) continue;
    if (limb_get_joint(r->model, r->dv[i].joint, &x) != LIMB_OK) continue;
    if (x.nq != x.nv || r->dv[i].index == r->dq[k].index) s->held[i] = 1;
  }
}

// A row of a table of states: what it has is given.
static limb_status read_row(starting* s)
{
  limb_runner* r = s->r;
  const limb_run_start* run = &r->run.start;
  double row = 1, time = r->setup.start;
  limb_status code = limb_run_whole(&run->row, 1e15, &row, r->err);
  if (code == LIMB_OK && row < 1) code = limb_run_wrong(r->err, &run->row, "rows are counted from 1");
  if (code != LIMB_OK) return code;
  unsigned char* has_q = calloc((size_t)r->nq + 1, 1);
  if (!has_q) return limb_run_no_memory(r);
  code = limb_run_state_row(r, &run->file, &run->row, (uint64_t)row, has_q, s->moves, &time);
  for (int k = 0; k < r->nq && code == LIMB_OK; k++)
    if (has_q[k]) hold(s, k);
  if (!run->time.text) r->setup.start = time;
  free(has_q);
  return code;
}

static const char* unit_of(const limb_runner* r, int k, int of_q)
{
  return of_q ? limb_position_unit(&r->dq[k]) : limb_velocity_unit(&r->dv[k]);
}

// One value for all coordinates, or velocities, except those of ball and free joints. It holds nothing.
static limb_status read_all(const limb_runner* r, const limb_run_value* at, int of_q)
{
  double* const out = of_q ? r->q : r->v;
  limb_status code = limb_run_number(at, LIMB_RUN_ANY, &(double){0}, r->err);
  for (int k = 0; k < (of_q ? r->nq : r->nv) && code == LIMB_OK; k++) {
    limb_joint_info joint;
    if (limb_get_joint(r->model, (of_q ? r->dq : r->dv)[k].joint, &joint) != LIMB_OK) continue;
    if (joint.nq == joint.nv) code = limb_run_quantity(at, LIMB_RUN_ANY, unit_of(r, k, of_q), &out[k], r->err);
  }
  return code;
}

static limb_status read_entry(const starting* s, const limb_run_value* at, int of_q)
{
  const limb_runner* r = s->r;
  if (strcmp(at->name, "*") == 0) return read_all(r, at, of_q);
  const int k = limb_run_find_dof(r, at, of_q);
  if (k < 0) return LIMB_E_ARG;
  if (of_q)
    hold(s, k);
  else
    s->moves[k] = 1;
  return limb_run_quantity(at, LIMB_RUN_ANY, unit_of(r, k, of_q), of_q ? &r->q[k] : &r->v[k], r->err);
}

// A named pose of the model. Its joints are given.
static limb_status take_pose(const starting* s)
{
  limb_runner* r = s->r;
  const limb_run_value* at = &r->run.start.pose;
  limb_error why = {0};
  if (!at->text) return LIMB_OK;
  if (!r->o.poses) return limb_run_wrong(r->err, at, "named poses are those of a file, and the model has none");
  unsigned char* named = calloc((size_t)r->nq + 1, 1);
  if (!named) return limb_run_no_memory(r);
  limb_status status = limb_run_take_pose(r->o.poses, at->text, r->model, r->q, named, &why);
  for (int k = 0; k < r->nq && status == LIMB_OK; k++)
    if (named[k]) hold(s, k);
  free(named);
  return status == LIMB_OK ? status : limb_run_wrong(r->err, at, "%s", why.text);
}

static limb_status read_entries(const starting* s)
{
  const limb_run_start* run = &s->r->run.start;
  limb_status code = LIMB_OK;
  for (int i = 0; i < run->q.count && code == LIMB_OK; i++) code = read_entry(s, &run->q.value[i], 1);
  for (int i = 0; i < run->v.count && code == LIMB_OK; i++) code = read_entry(s, &run->v.value[i], 0);
  return code;
}

// Given entries must agree with prescribed motion, which has been put into x.
static limb_status check_begin(const limb_runner* r, const limb_run_values* list, int of_q, const double* x)
{
  for (int i = 0; i < list->count; i++) {
    double given = 0;
    if (strcmp(list->value[i].name, "*") == 0) continue;
    const int k = limb_run_find_dof(r, &list->value[i], of_q);
    if (k < 0 || limb_run_number(&list->value[i], LIMB_RUN_ANY, &given, r->err) != LIMB_OK) return LIMB_E_ARG;
    if (fabs(given - x[k]) <= 1e-6 * fmax(1, fabs(given))) continue;
    return limb_run_wrong(r->err, &list->value[i], "is %.9g, but the prescribed motion begins with %.9g", given, x[k]);
  }
  return LIMB_OK;
}

// Joints with prescribed motion start where it begins.
static limb_status begin_motion(const starting* s)
{
  limb_runner* r = s->r;
  const limb_status status = limb_run_motion_at(r, r->setup.start, r->q, r->v, s->driven);
  for (int k = 0; k < r->nv; k++) s->held[k] |= s->driven[k], s->moves[k] |= s->driven[k];
  if (status != LIMB_OK) return limb_run_failed(r, status, *r->trouble ? r->trouble : "motion");
  const limb_status code = check_begin(r, &r->run.start.q, 1, r->q);
  return code == LIMB_OK ? check_begin(r, &r->run.start.v, 0, r->v) : code;
}

// hold: replaces the given joints.
static limb_status read_hold(const starting* s)
{
  const limb_run_values* hold = &s->r->run.start.hold;
  const limb_runner* r = s->r;
  if (hold->count > 0) memcpy(s->held, s->driven, (size_t)r->nv);
  for (int i = 0; i < hold->count; i++) {
    limb_run_value joint = hold->value[i];
    int found = 0;
    joint.name = joint.text;
    for (int k = 0; k < r->nv; k++) {
      limb_joint_info x;
      if (limb_get_joint(r->model, r->dv[k].joint, &x) != LIMB_OK) continue;
      if (strcmp(x.def.name, joint.text) == 0) s->held[k] = 1, found = 1;
    }
    if (!found && limb_run_find_dof(s->r, &joint, 0) < 0) return LIMB_E_ARG;
  }
  return LIMB_OK;
}

// "tool=x,y,z,qx,qy,qz,qw", or a position alone.
static limb_status read_pose(const limb_runner* r, int* frame, sp_pose* target, unsigned* directions)
{
  enum { NUMBERS = 7, NAME = 256 };
  const limb_run_value* at = &r->run.start.target;
  const char *equals = strchr(at->text, '='), *next = equals ? equals + 1 : NULL;
  double x[NUMBERS] = {0, 0, 0, 0, 0, 0, 1};
  char text[NAME], hint[LIMB_FRAME_HINT];
  int count = 0;
  (void)snprintf(text, sizeof text, "%.*s", equals ? (int)(equals - at->text) : 0, at->text);
  *frame = equals ? limb_find_frame(r->model, text) : -1;
  if (!equals) return limb_run_wrong(r->err, at, "is FRAME=X,Y,Z or FRAME=X,Y,Z,QX,QY,QZ,QW, not '%s'", at->text);
  if (*frame < 0)
    return limb_run_wrong(r->err, at, "the model has no frame '%s'%s", text, limb_frame_hint(r->model, text, hint));
  while (next && count < NUMBERS) {
    const size_t length = strcspn(next, ",");
    limb_run_value number = *at;
    (void)snprintf(text, sizeof text, "%.*s", (int)(length < NAME - 1 ? length : NAME - 1), next);
    number.text = text;
    const limb_status s = limb_run_number(&number, LIMB_RUN_ANY, &x[count++], r->err);
    if (s != LIMB_OK) return s;
    next = next[length] ? next + length + 1 : NULL;
  }
  if (next || (count != 3 && count != NUMBERS)) return limb_run_wrong(r->err, at, "takes 3 or 7 numbers");
  const double norm = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
  if (!(fabs(norm - 1) <= 1e-3)) return limb_run_wrong(r->err, at, "the quaternion has norm %g instead of 1", norm);
  *target = sp_pose_make(sp_rot_quat((sp_quat){x[3], x[4], x[5], x[6]}), sp_v3(x[0], x[1], x[2]));
  *directions = count == 3 ? (unsigned)LIMB_LINEAR : (unsigned)LIMB_TWIST;
  return LIMB_OK;
}

// Positions at which a frame has the pose that is asked for, from those given so far; loops are closed along with it.
static limb_status reach_pose(const starting* s)
{
  limb_runner* r = s->r;
  int frame = -1;
  sp_pose target;
  unsigned directions = 0;
  if (!r->run.start.target.text) return LIMB_OK;
  limb_status code = read_pose(r, &frame, &target, &directions);
  if (code != LIMB_OK) return code;
  limb_ik_goal goal = limb_default_ik_goal(frame);
  limb_ik_options how = limb_default_ik_options();
  limb_ik_report report = {LIMB_IK_SOLVED, 0, 0, 0, 0, 0, 0};
  limb_ik* ik = NULL;
  goal.task.directions = directions;
  how.time = r->setup.start, how.held = s->driven;
  code = limb_ik_create(r->model, 1, &goal, &how, NULL, &ik);
  if (code == LIMB_OK) code = limb_ik_solve(ik, &target, r->q, r->q, &report);
  limb_ik_destroy(ik);
  for (int k = 0; k < r->nv; k++) s->held[k] = 1; // the loops are closed
  if (code == LIMB_OK || code == LIMB_E_NOMEM) return code == LIMB_OK ? code : limb_run_no_memory(r);
  if (code != LIMB_E_NOCONV) return limb_run_failed(r, code, "target");
  const limb_run_value* at = &r->run.start.target;
  (void)limb_run_wrong(r->err, at, "%s: the frame stays %.6g m and %.6g rad away", limb_ik_reason_text(report.reason),
                       report.position, report.angle);
  return code;
}

// Quaternions must be nearly unit quaternions; they are normalised.
static limb_status check_quaternions(const limb_runner* r)
{
  const limb_model* m = r->model;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    if (limb_get_joint(m, j, &x) != LIMB_OK || x.nq == x.nv) continue;
    double* q = r->q + x.q + x.nq - 4;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1) <= 1e-3))
      return limb_fail(r->err, LIMB_E_ARG, "",
                       "start: the quaternion of '%s', (%g %g %g %g) in the order x y z w, has norm %g instead of 1",
                       x.def.name, q[0], q[1], q[2], q[3], norm);
    for (int k = 0; k < 4; k++) q[k] /= norm;
  }
  return LIMB_OK;
}

enum { RESTARTS = 20 }; // of an assembly
#define ROUNDED 1e-3    // given values may change by that much
#define SEEN    1e-12   // changes below are not reported

// Notes which given values changed, and by how much.
static void report_changes(const limb_runner* r, const unsigned char* given, const double* before)
{
  char text[1000] = "";
  size_t used = 0;
  for (int k = 0; k < r->nq + r->nv && used < sizeof text; k++) {
    const bool of_q = k < r->nq;
    const int i = of_q ? k : k - r->nq;
    const double change = (of_q ? r->q[i] : r->v[i]) - before[k];
    const limb_dof_info* own = of_q ? &r->dq[i] : &r->dv[i];
    bool fixed = false;
    for (int j = 0; j < r->nv; j++) fixed |= given[j + (of_q ? 0 : r->nv)] && r->dv[j].joint == own->joint;
    if (!fixed || fabs(change) <= SEEN) continue;
    used +=
      (size_t)snprintf(text + used, sizeof text - used, "%s%s%s by %.2g",
                       used ? ", " : "to close the loops, these changed: ", of_q ? "q." : "v.", own->name, change);
  }
  const limb_finding f = {.rule = "", .severity = LIMB_NOTE, .where = "", .text = text, .hint = "", .file = ""};
  if (used && r->o.note) r->o.note(r->o.context, NULL, &f);
}

static limb_status close_loops(const starting* s)
{
  limb_runner* r = s->r;
  double tolerance = ROUNDED;
  int requested = 1;
  limb_status code = limb_run_truth(&r->run.start.assemble, &requested, r->err);
  if (code == LIMB_OK) code = read_hold(s); // also where nothing is closed: names must be right
  if (code == LIMB_OK) code = limb_run_number(&r->run.start.tolerance, LIMB_RUN_NOT_NEGATIVE, &tolerance, r->err);
  if (code != LIMB_OK || limb_loop_count(r->model) == 0 || !requested) return code;
  const limb_start_given given = {
    .q = s->held, .v = s->moves, .time = r->setup.start, .restarts = RESTARTS, .tolerance = tolerance};
  limb_error err = {0};
  double* before = limb_run_zeros(r->nq + r->nv);
  if (!before) return limb_run_no_memory(r);
  memcpy(before, r->q, (size_t)r->nq * sizeof *before);
  memcpy(before + r->nq, r->v, (size_t)r->nv * sizeof *before);
  code = limb_sim_close_start(r->model, &given, r->q, r->v, &err);
  if (code == LIMB_OK) report_changes(r, s->held, before);
  free(before);
  if (code == LIMB_OK) return code;
  return limb_fail(r->err, code, "", "start: %s", *err.text ? err.text : limb_status_text(code));
}

static limb_status read_start(starting* s)
{
  limb_runner* r = s->r;
  const limb_run_start* run = &r->run.start;
  const limb_status status = limb_start(r->model, r->q);
  if (status != LIMB_OK) return limb_run_failed(r, status, "start");
  limb_status code = limb_run_quantity(&run->time, LIMB_RUN_ANY, "s", &r->setup.start, r->err);
  if (code == LIMB_OK && run->file.text) code = read_row(s);
  if (code == LIMB_OK) code = take_pose(s);
  if (code == LIMB_OK) code = read_entries(s);
  if (code == LIMB_OK) code = begin_motion(s);
  if (code == LIMB_OK) code = check_quaternions(r);
  if (code == LIMB_OK) code = reach_pose(s);
  return code == LIMB_OK ? close_loops(s) : code;
}

limb_status limb_run_read_start(limb_runner* r)
{
  const size_t n = (size_t)r->nv + 1;
  starting s = {.r = r, .held = calloc(2 * n, 1), .driven = calloc(n, 1)};
  s.moves = s.held ? s.held + r->nv : NULL;
  r->q = limb_run_zeros(r->nq);
  r->v = limb_run_zeros(r->nv);
  const int fine = s.held && s.moves && s.driven && r->q && r->v;
  const limb_status code = fine ? read_start(&s) : limb_run_no_memory(r);
  free(s.held);
  free(s.driven);
  return code;
}
