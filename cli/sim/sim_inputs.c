// Inputs of a simulation: actuator forces, wrenches on frames, prescribed motion.
#include "base/command.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 6 }; // mx my mz fx fy fz

static const char* const part_names[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};

// A table: columns of forces have destinations 0 ... nv - 1, followed by those of wrenches.
typedef struct table_input {
  sim_table table;
  sim_job* job;
  int nwrench;
  int* frame; // nwrench: frames with columns
  limb_ref ref;
} table_input;

struct sim_inputs {
  sim_job* job;
  sim_formulas torques;
  int* dof; // of each formula
  sim_formulas forces;
  int nforce;
  limb_wrench* force; // frames and reference axes of the wrenches
  int (*part)[PARTS]; // formula of each component; -1: zero
  int ntable;
  table_input* table;
};

// ---- actuator forces -------------------------------------------------------------------------------

static limb_status add_torques(void* context, double t, const double* q, const double* v, double* tau)
{
  sim_inputs* in = context;
  const limb_sim_state at = {.time = t, .q = q, .v = v};
  const limb_status s = sim_formulas_read(&in->torques, in->job, &at);
  for (int k = 0; k < in->torques.count && s == LIMB_OK; k++) tau[in->dof[k]] += in->torques.value[k];
  return s;
}

static int open_torques(sim_job* job, sim_inputs* in)
{
  const limb_run_values* list = &job->plan.run.inputs.torques;
  int code = EXIT_FINE;
  sim_formulas_begin(&in->torques, job, SIM_KNOWN_INPUT);
  if (list->count == 0) return EXIT_FINE;
  in->dof = calloc((size_t)list->count, sizeof *in->dof);
  if (!in->dof) return sim_out_of_memory(&job->plan);
  for (int k = 0; k < list->count && code == EXIT_FINE; k++) {
    in->dof[k] = sim_find_dof(job, &list->value[k], 0);
    if (in->dof[k] < 0) return EXIT_USAGE;
    code = sim_formulas_add(&in->torques, job, &list->value[k], NULL, NULL);
  }
  if (code == EXIT_FINE) code = sim_formulas_ready(&in->torques);
  if (code != EXIT_FINE) return code;
  const limb_sim_force f = {.force = add_torques, .context = in};
  const limb_status s = limb_sim_add_force(job->sim, &f);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "torques");
}

// ---- wrenches --------------------------------------------------------------------------------------

static limb_status set_forces(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  sim_inputs* in = context;
  const limb_sim_state at = {.time = t, .q = q, .v = v};
  const limb_status s = sim_formulas_read(&in->forces, in->job, &at);
  for (int i = 0; i < in->nforce && s == LIMB_OK; i++) {
    double x[PARTS];
    for (int k = 0; k < PARTS; k++) x[k] = in->part[i][k] < 0 ? 0 : in->forces.value[in->part[i][k]];
    wrench[i] = in->force[i];
    wrench[i].wrench = sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
  }
  return s;
}

static int read_ref(const sim_job* job, const limb_run_value* at, limb_ref* ref)
{
  static const char* const words[] = {"aligned", "body", "world", NULL};
  static const limb_ref refs[] = {LIMB_ALIGNED, LIMB_BODY, LIMB_WORLD};
  int word = 0;
  const int code = sim_word_of(&job->plan, at, words, &word);
  *ref = refs[word];
  return code;
}

static int open_force(sim_job* job, sim_inputs* in, const limb_run_wrench* w)
{
  limb_wrench* to = &in->force[in->nforce];
  int* part = in->part[in->nforce];
  int code = read_ref(job, &w->reference, &to->ref), count = 0;
  if (code != EXIT_FINE) return code;
  to->frame = sim_find_frame(job, &w->frame);
  if (to->frame < 0) return EXIT_USAGE;
  for (int k = 0; k < PARTS && code == EXIT_FINE; k++) {
    part[k] = -1;
    if (!w->part[k].text) continue;
    code = sim_formulas_add(&in->forces, job, &w->part[k], NULL, &part[k]);
    count++;
  }
  if (code == EXIT_FINE && count == 0)
    return sim_wrong(&job->plan, &w->frame, "one of fx, fy, fz, mx, my, mz is required");
  in->nforce++;
  return code;
}

static int open_forces(sim_job* job, sim_inputs* in)
{
  const limb_run_inputs* run = &job->plan.run.inputs;
  int code = EXIT_FINE;
  sim_formulas_begin(&in->forces, job, SIM_KNOWN_INPUT);
  if (run->nwrench == 0) return EXIT_FINE;
  in->force = calloc((size_t)run->nwrench, sizeof *in->force);
  in->part = calloc((size_t)run->nwrench, sizeof *in->part);
  if (!in->force || !in->part) return sim_out_of_memory(&job->plan);
  for (int i = 0; i < run->nwrench && code == EXIT_FINE; i++) code = open_force(job, in, &run->wrench[i]);
  if (code == EXIT_FINE) code = sim_formulas_ready(&in->forces);
  if (code != EXIT_FINE) return code;
  const limb_status s = limb_sim_add_wrenches(job->sim, in->nforce, set_forces, in, NULL);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "wrenches");
}

// ---- tables ----------------------------------------------------------------------------------------

static double next_break(void* context, double t)
{
  const table_input* in = context;
  return limb_signal_next_break(in->table.signal, t);
}

static limb_status add_table(void* context, double t, const double* q, const double* v, double* tau)
{
  table_input* in = context;
  const sim_table* table = &in->table;
  const int nv = in->job->dofs.nv;
  (void)q, (void)v;
  const limb_status s = limb_signal_at(table->signal, t, table->x, NULL, NULL);
  for (int k = 0; k < table->columns && s == LIMB_OK; k++)
    if (table->to[k] < nv) tau[table->to[k]] += table->x[k];
  return s;
}

static limb_status set_table(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  table_input* in = context;
  const sim_table* table = &in->table;
  const int nv = in->job->dofs.nv;
  (void)q, (void)v;
  const limb_status s = limb_signal_at(table->signal, t, table->x, NULL, NULL);
  for (int i = 0; i < in->nwrench && s == LIMB_OK; i++) {
    double x[PARTS] = {0};
    for (int k = 0; k < table->columns; k++)
      if (table->to[k] >= nv && (table->to[k] - nv) / PARTS == in->frame[i])
        x[(table->to[k] - nv) % PARTS] = table->x[k];
    wrench[i] = (limb_wrench){in->frame[i], in->ref, sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]))};
  }
  return s;
}

// tau.<joint>, wrench.<frame>.fx
static int column_of(const void* context, const char* column)
{
  const sim_job* job = context;
  const cli_dofs* d = &job->dofs;
  if (strncmp(column, "tau.", 4) == 0) {
    for (int k = 0; k < d->nv; k++)
      if (strcmp(d->v[k].name, column + 4) == 0) return k;
    return -1;
  }
  const char* dot = strrchr(column, '.');
  if (strncmp(column, "wrench.", 7) != 0 || dot < column + 7) return -1;
  char frame[CLI_NAME_SPACE];
  (void)snprintf(frame, sizeof frame, "%.*s", (int)(dot - column - 7), column + 7);
  const int i = limb_find_frame(job->robot.model, frame);
  for (int k = 0; k < PARTS && i >= 0; k++)
    if (strcmp(part_names[k], dot + 1) == 0) return d->nv + PARTS * i + k;
  return -1;
}

// The frames that have columns in the table.
static int find_frames(table_input* in)
{
  const sim_table* t = &in->table;
  const int nv = in->job->dofs.nv;
  in->frame = calloc((size_t)t->columns + 1, sizeof *in->frame);
  for (int k = 0; k < t->columns && in->frame; k++) {
    if (t->to[k] < nv) continue;
    const int frame = (t->to[k] - nv) / PARTS;
    int known = 0;
    for (int i = 0; i < in->nwrench; i++) known |= in->frame[i] == frame;
    if (!known) in->frame[in->nwrench++] = frame;
  }
  return in->frame ? EXIT_FINE : sim_out_of_memory(&in->job->plan);
}

static int open_table(sim_job* job, table_input* in, const limb_run_table* run)
{
  int kind = LIMB_SIGNAL_LINEAR, torques = 0;
  const char* ref = cli_get(job->plan.args, "wrench-ref");
  const limb_run_value given = {ref, "--wrench-ref", "wrench-ref", 0, 0};
  static const char* const kinds[] = {"hold", "linear", "spline", NULL};
  in->job = job;
  int code = sim_word_of(&job->plan, &run->interpolation, kinds, &kind);
  if (code == EXIT_FINE) code = read_ref(job, &given, &in->ref);
  if (code == EXIT_FINE) code = sim_table_open(&in->table, job, &run->file, (limb_signal_kind)kind, column_of, job);
  if (code == EXIT_FINE) code = find_frames(in);
  if (code != EXIT_FINE) return code;
  for (int k = 0; k < in->table.columns; k++) torques |= in->table.to[k] < job->dofs.nv;
  const limb_sim_force f = {.force = add_table, .context = in, .next_break = next_break};
  limb_status s = torques ? limb_sim_add_force(job->sim, &f) : LIMB_OK;
  if (s == LIMB_OK && in->nwrench > 0) s = limb_sim_add_wrenches(job->sim, in->nwrench, set_table, in, next_break);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, run->file.text);
}

// ---- prescribed motion -----------------------------------------------------------------------------

typedef struct moving_joint {
  int q, v; // coordinate and degree of freedom
  const limb_run_motion* run;
  limb_formula* formula[3];
  sim_table table; // signal NULL: none
  limb_joint_motion motion;
} moving_joint;

struct sim_motion {
  sim_job* job;
  int count;
  moving_joint* joint;
};

static limb_status move(void* context, double t, double* q, double* v, double* a)
{
  sim_motion* m = context;
  limb_status s = LIMB_OK;
  for (int i = 0; i < m->count && s == LIMB_OK; i++) {
    const moving_joint* j = &m->joint[i];
    double x[3] = {0};
    s = limb_joint_motion_at(&j->motion, t, x);
    if (s == LIMB_E_NONFINITE)
      (void)snprintf(m->job->trouble, sizeof m->job->trouble, "the motion of '%.80s' has no value at %.9g s",
                     j->run->name, t);
    q[j->q] = x[0], v[j->v] = x[1], a[j->v] = x[2];
  }
  return s;
}

static double next_break_of_motion(void* context, double t)
{
  const sim_motion* m = context;
  double first = HUGE_VAL;
  for (int i = 0; i < m->count; i++) first = fmin(first, limb_joint_motion_next_break(&m->joint[i].motion, t));
  return first;
}

// The first value of a motion, for messages.
static const limb_run_value* first_of(const limb_run_motion* r)
{
  enum { KEYS = 9 };
  const limb_run_value* const all[KEYS] = {&r->q,         &r->v,         &r->a,     &r->constant, &r->rate,
                                           &r->amplitude, &r->frequency, &r->phase, &r->file};
  for (int k = 0; k < KEYS; k++)
    if (all[k]->text) return all[k];
  return &r->q;
}

// The joint must have one degree of freedom per coordinate: rotations have no such formulas.
static int find_joint(sim_job* job, moving_joint* j)
{
  limb_run_value at = *first_of(j->run);
  limb_joint_info x;
  at.name = j->run->name;
  j->v = sim_find_dof(job, &at, 0);
  if (j->v < 0) return EXIT_USAGE;
  if (limb_get_joint(job->robot.model, job->dofs.v[j->v].joint, &x) != LIMB_OK || x.nq != x.nv)
    return sim_wrong(&job->plan, &at, "'%s' is a rotation in space: its motion cannot be prescribed", at.name);
  j->q = x.q + job->dofs.v[j->v].index;
  return EXIT_FINE;
}

static int column_of_motion(const void* context, const char* column)
{
  const char* name = context;
  if (strncmp(column, "q.", 2) != 0) return SIM_COLUMN_NONE;
  return strcmp(column + 2, name) == 0 ? 0 : SIM_COLUMN_OTHER;
}

static int find_time(void* context, const char* name)
{
  (void)context;
  return strcmp(name, "t") == 0 || strcmp(name, "time") == 0 ? 0 : -1;
}

// Formulas of time alone.
static int read_formulas(sim_job* job, moving_joint* j)
{
  const limb_run_motion* r = j->run;
  const limb_run_value* const from[3] = {&r->q, &r->v, &r->a};
  const limb_formula_names names = {.find = find_time};
  if (!r->q.text || !r->v.text || !r->a.text)
    return sim_wrong(&job->plan, first_of(r),
                     "'%s': all of q, v and a are required; or constant, rate, amplitude, frequency, phase; or a file",
                     r->name);
  for (int k = 0; k < 3; k++) {
    limb_error err = {0};
    const limb_status s = limb_formula_parse(from[k]->text, &names, NULL, &j->formula[k], &err);
    if (s == LIMB_E_NOMEM) return sim_out_of_memory(&job->plan);
    if (s != LIMB_OK)
      return sim_wrong(&job->plan, from[k], "'%.160s': %s (at character %d); motion is a formula of time alone",
                       from[k]->text, err.text, err.column);
    j->motion.formula[k] = j->formula[k];
  }
  return EXIT_FINE;
}

static int read_harmonic(sim_job* job, moving_joint* j)
{
  const limb_run_motion* r = j->run;
  limb_joint_motion* m = &j->motion;
  const limb_run_value* const from[] = {&r->constant, &r->rate, &r->amplitude, &r->frequency, &r->phase};
  double* const to[] = {&m->constant, &m->rate, &m->amplitude, &m->frequency, &m->phase};
  int code = EXIT_FINE;
  for (int k = 0; k < 5 && code == EXIT_FINE; k++) code = sim_number(&job->plan, from[k], to[k]);
  return code;
}

static int read_joint(sim_job* job, moving_joint* j)
{
  const limb_run_motion* r = j->run;
  const int formulas = r->q.text || r->v.text || r->a.text;
  const int harmonic = r->constant.text || r->rate.text || r->amplitude.text || r->frequency.text || r->phase.text;
  int code = find_joint(job, j);
  if (code != EXIT_FINE) return code;
  if (formulas + harmonic + (r->file.text != NULL) > 1)
    return sim_wrong(&job->plan, first_of(r), "'%s': give formulas, or constant, rate ..., or a file, not several",
                     r->name);
  if (!r->file.text) return formulas ? read_formulas(job, j) : read_harmonic(job, j);
  code = sim_table_open(&j->table, job, &r->file, LIMB_SIGNAL_SPLINE, column_of_motion, job->dofs.v[j->v].name);
  j->motion.signal = j->table.signal;
  return code;
}

int sim_open_motion(sim_job* job)
{
  const limb_run_inputs* run = &job->plan.run.inputs;
  if (run->nmotion == 0) return EXIT_FINE;
  sim_motion* m = calloc(1, sizeof *m);
  job->motion = m;
  if (!m) return sim_out_of_memory(&job->plan);
  m->job = job;
  m->joint = calloc((size_t)run->nmotion, sizeof *m->joint);
  if (!m->joint) return sim_out_of_memory(&job->plan);
  int code = EXIT_FINE;
  for (int i = 0; i < run->nmotion && code == EXIT_FINE; i++) {
    m->joint[i].run = &run->motion[i];
    m->count++;
    code = read_joint(job, &m->joint[i]);
  }
  return code;
}

int sim_attach_motion(sim_job* job)
{
  static const char* const words[] = {"", "v is not the derivative of q", "a is not the derivative of v"};
  sim_motion* m = job->motion;
  if (!m) return EXIT_FINE;
  unsigned char* given = sim_keep(&job->plan, (size_t)job->dofs.nv, 1);
  if (!given) return sim_out_of_memory(&job->plan);
  memset(given, LIMB_FORCE_GIVEN, (size_t)job->dofs.nv);
  for (int i = 0; i < m->count; i++) {
    const limb_run_motion* r = m->joint[i].run;
    const int wrong = limb_joint_motion_contradiction(&m->joint[i].motion, job->start, job->end);
    if (wrong) return sim_wrong(&job->plan, wrong == 1 ? &r->v : &r->a, "'%s': %s", r->name, words[wrong]);
    given[m->joint[i].v] = LIMB_ACCELERATION_GIVEN;
  }
  const limb_status s = limb_sim_set_motion(job->sim, given, move, m, next_break_of_motion);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "motion");
}

limb_status sim_motion_at(sim_job* job, double t, double* q, double* v, unsigned char* marks)
{
  double* a = sim_zeros(job->dofs.nv);
  if (!a) return LIMB_E_NOMEM;
  const limb_status s = job->motion ? move(job->motion, t, q, v, a) : LIMB_OK;
  for (int i = 0; job->motion && i < job->motion->count; i++) marks[job->motion->joint[i].v] = 1;
  free(a);
  return s;
}

static void close_motion(sim_job* job)
{
  sim_motion* m = job->motion;
  if (!m) return;
  for (int i = 0; i < m->count; i++) {
    sim_table_free(&m->joint[i].table);
    for (int k = 0; k < 3; k++) limb_formula_destroy(m->joint[i].formula[k]);
  }
  free(m->joint);
  free(m);
  job->motion = NULL;
}

// ---- all inputs ------------------------------------------------------------------------------------

int sim_open_inputs(sim_job* job)
{
  const limb_run_inputs* run = &job->plan.run.inputs;
  sim_inputs* in = calloc(1, sizeof *in);
  if (!in) return sim_out_of_memory(&job->plan);
  job->inputs = in;
  in->job = job;
  int code = open_torques(job, in);
  if (code == EXIT_FINE) code = open_forces(job, in);
  if (code != EXIT_FINE || run->ntable == 0) return code;
  in->table = calloc((size_t)run->ntable, sizeof *in->table);
  if (!in->table) return sim_out_of_memory(&job->plan);
  for (; in->ntable < run->ntable && code == EXIT_FINE; in->ntable++)
    code = open_table(job, &in->table[in->ntable], &run->table[in->ntable]);
  return code;
}

void sim_close_inputs(sim_job* job)
{
  sim_inputs* in = job->inputs;
  close_motion(job);
  if (!in) return;
  sim_formulas_free(&in->torques);
  sim_formulas_free(&in->forces);
  for (int i = 0; i < in->ntable; i++) {
    sim_table_free(&in->table[i].table);
    free(in->table[i].frame);
  }
  free(in->table);
  free(in->dof);
  free(in->force);
  free(in->part);
  free(in);
  job->inputs = NULL;
}
