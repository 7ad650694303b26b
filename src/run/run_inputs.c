// Inputs of a simulation: actuator forces, wrenches on frames, prescribed motion.
#include "run/run_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 6 }; // mx my mz fx fy fz

static const char* const part_names[] = {"mx", "my", "mz", "fx", "fy", "fz", NULL};

// A table: columns of forces have destinations 0 ... nv - 1, followed by those of wrenches.
typedef struct table_input {
  run_table table;
  limb_runner* r;
  int nwrench;
  int* frame; // nwrench: frames with columns
  limb_ref ref;
} table_input;

struct run_inputs {
  limb_runner* r;
  run_formulas torques;
  int* dof; // of each formula
  run_formulas forces;
  int nforce;
  limb_wrench* force; // frames and reference axes of the wrenches
  int (*part)[PARTS]; // formula of each component; -1: zero
  int ntable;
  table_input* table;
};

// ---- actuator forces -------------------------------------------------------------------------------

static limb_status add_torques(void* context, double t, const double* q, const double* v, double* tau)
{
  run_inputs* in = context;
  const limb_sim_state at = {.time = t, .q = q, .v = v};
  const limb_status s = limb_run_formulas_read(&in->torques, in->r, &at);
  for (int k = 0; k < in->torques.count && s == LIMB_OK; k++) tau[in->dof[k]] += in->torques.value[k];
  return s;
}

static limb_status open_torques(limb_runner* r, run_inputs* in)
{
  const limb_run_values* list = &r->run.inputs.torques;
  limb_status code = LIMB_OK;
  if (list->count == 0) return LIMB_OK;
  in->dof = calloc((size_t)list->count, sizeof *in->dof);
  if (!in->dof) return limb_run_no_memory(r);
  for (int k = 0; k < list->count && code == LIMB_OK; k++) {
    in->dof[k] = limb_run_find_dof(r, &list->value[k], 0);
    if (in->dof[k] < 0) return LIMB_E_ARG;
    code = limb_run_formulas_add(&in->torques, r, RUN_KNOWN_INPUT, &list->value[k], NULL, NULL);
  }
  if (code == LIMB_OK) code = limb_run_formulas_ready(&in->torques, r);
  if (code != LIMB_OK) return code;
  const limb_sim_force f = {.force = add_torques, .context = in};
  const limb_status s = limb_sim_add_force(r->sim, &f);
  return s == LIMB_OK ? LIMB_OK : limb_run_failed(r, s, "torques");
}

// ---- wrenches --------------------------------------------------------------------------------------

static limb_status set_forces(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  run_inputs* in = context;
  const limb_sim_state at = {.time = t, .q = q, .v = v};
  const limb_status s = limb_run_formulas_read(&in->forces, in->r, &at);
  for (int i = 0; i < in->nforce && s == LIMB_OK; i++) {
    double x[PARTS];
    for (int k = 0; k < PARTS; k++) x[k] = in->part[i][k] < 0 ? 0 : in->forces.value[in->part[i][k]];
    wrench[i] = in->force[i];
    wrench[i].wrench = sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5]));
  }
  return s;
}

static limb_status read_ref(const limb_runner* r, const limb_run_value* at, limb_ref* ref)
{
  static const char* const words[] = {"aligned", "body", "world", NULL};
  static const limb_ref refs[] = {LIMB_ALIGNED, LIMB_BODY, LIMB_WORLD};
  int word = 0;
  const limb_status code = limb_run_word(at, words, &word, r->err);
  *ref = refs[word];
  return code;
}

static limb_status open_force(limb_runner* r, run_inputs* in, const limb_run_wrench* w)
{
  limb_wrench* to = &in->force[in->nforce];
  int* part = in->part[in->nforce];
  limb_status code = read_ref(r, &w->reference, &to->ref), count = 0;
  if (code != LIMB_OK) return code;
  to->frame = limb_run_find_frame(r, &w->frame);
  if (to->frame < 0) return LIMB_E_ARG;
  for (int k = 0; k < PARTS && code == LIMB_OK; k++) {
    part[k] = -1;
    if (!w->part[k].text) continue;
    code = limb_run_formulas_add(&in->forces, r, RUN_KNOWN_INPUT, &w->part[k], NULL, &part[k]);
    count++;
  }
  if (code == LIMB_OK && count == 0)
    return limb_run_wrong(r->err, &w->frame, "one of fx, fy, fz, mx, my, mz is required");
  in->nforce++;
  return code;
}

static limb_status open_forces(limb_runner* r, run_inputs* in)
{
  const limb_run_inputs* run = &r->run.inputs;
  limb_status code = LIMB_OK;
  if (run->nwrench == 0) return LIMB_OK;
  in->force = calloc((size_t)run->nwrench, sizeof *in->force);
  in->part = calloc((size_t)run->nwrench, sizeof *in->part);
  if (!in->force || !in->part) return limb_run_no_memory(r);
  for (int i = 0; i < run->nwrench && code == LIMB_OK; i++) code = open_force(r, in, &run->wrench[i]);
  if (code == LIMB_OK) code = limb_run_formulas_ready(&in->forces, r);
  if (code != LIMB_OK) return code;
  const limb_status s = limb_sim_add_wrenches(r->sim, in->nforce, set_forces, in, NULL);
  return s == LIMB_OK ? LIMB_OK : limb_run_failed(r, s, "wrenches");
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
  const run_table* table = &in->table;
  const int nv = in->r->nv;
  (void)q, (void)v;
  const limb_status s = limb_signal_at(table->signal, t, table->x, NULL, NULL);
  for (int k = 0; k < table->columns && s == LIMB_OK; k++)
    if (table->to[k] < nv) tau[table->to[k]] += table->x[k];
  return s;
}

static limb_status set_table(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  table_input* in = context;
  const run_table* table = &in->table;
  const int nv = in->r->nv;
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
  const limb_runner* r = context;
  if (strncmp(column, "tau.", 4) == 0) {
    for (int k = 0; k < r->nv; k++)
      if (strcmp(r->dv[k].name, column + 4) == 0) return k;
    return -1;
  }
  const char* dot = strrchr(column, '.');
  if (strncmp(column, "wrench.", 7) != 0 || dot < column + 7) return -1;
  char frame[160];
  (void)snprintf(frame, sizeof frame, "%.*s", (int)(dot - column - 7), column + 7);
  const int i = limb_find_frame(r->model, frame);
  for (int k = 0; k < PARTS && i >= 0; k++)
    if (strcmp(part_names[k], dot + 1) == 0) return r->nv + PARTS * i + k;
  return -1;
}

// The frames that have columns in the table.
static limb_status find_frames(table_input* in)
{
  const run_table* t = &in->table;
  const int nv = in->r->nv;
  in->frame = calloc((size_t)t->columns + 1, sizeof *in->frame);
  for (int k = 0; k < t->columns && in->frame; k++) {
    if (t->to[k] < nv) continue;
    const int frame = (t->to[k] - nv) / PARTS;
    int known = 0;
    for (int i = 0; i < in->nwrench; i++) known |= in->frame[i] == frame;
    if (!known) in->frame[in->nwrench++] = frame;
  }
  return in->frame ? LIMB_OK : limb_run_no_memory(in->r);
}

static limb_status open_table(limb_runner* r, table_input* in, const limb_run_table* run)
{
  int kind = LIMB_SIGNAL_LINEAR, torques = 0;
  static const char* const kinds[] = {"hold", "linear", "spline", NULL};
  in->r = r;
  in->ref = r->o.table_ref;
  limb_status code = limb_run_word(&run->interpolation, kinds, &kind, r->err);
  if (code == LIMB_OK) code = limb_run_table_open(&in->table, r, &run->file, (limb_signal_kind)kind, column_of, r);
  if (code == LIMB_OK) code = find_frames(in);
  if (code != LIMB_OK) return code;
  for (int k = 0; k < in->table.columns; k++) torques |= in->table.to[k] < r->nv;
  const limb_sim_force f = {.force = add_table, .context = in, .next_break = next_break};
  limb_status s = torques ? limb_sim_add_force(r->sim, &f) : LIMB_OK;
  if (s == LIMB_OK && in->nwrench > 0) s = limb_sim_add_wrenches(r->sim, in->nwrench, set_table, in, next_break);
  return s == LIMB_OK ? LIMB_OK : limb_run_failed(r, s, run->file.text);
}

// ---- prescribed motion -----------------------------------------------------------------------------

typedef struct moving_joint {
  int q, v; // coordinate and degree of freedom
  const limb_run_motion* run;
  limb_formula* formula[3];
  run_table table; // signal NULL: none
  limb_joint_motion motion;
} moving_joint;

struct run_motion {
  limb_runner* r;
  int count;
  moving_joint* joint;
};

static limb_status move(void* context, double t, double* q, double* v, double* a)
{
  run_motion* m = context;
  limb_status s = LIMB_OK;
  for (int i = 0; i < m->count && s == LIMB_OK; i++) {
    const moving_joint* j = &m->joint[i];
    double x[3] = {0};
    s = limb_joint_motion_at(&j->motion, t, x);
    if (s == LIMB_E_NONFINITE)
      (void)snprintf(m->r->trouble, sizeof m->r->trouble, "the motion of '%.80s' has no value at %.9g s", j->run->name,
                     t);
    q[j->q] = x[0], v[j->v] = x[1], a[j->v] = x[2];
  }
  return s;
}

static double next_break_of_motion(void* context, double t)
{
  const run_motion* m = context;
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
static limb_status find_joint(limb_runner* r, moving_joint* j)
{
  limb_run_value at = *first_of(j->run);
  limb_joint_info x;
  at.name = j->run->name;
  j->v = limb_run_find_dof(r, &at, 0);
  if (j->v < 0) return LIMB_E_ARG;
  if (limb_get_joint(r->model, r->dv[j->v].joint, &x) != LIMB_OK || x.nq != x.nv)
    return limb_run_wrong(r->err, &at, "'%s' is a rotation in space: its motion cannot be prescribed", at.name);
  j->q = x.q + r->dv[j->v].index;
  return LIMB_OK;
}

static int column_of_motion(const void* context, const char* column)
{
  const char* name = context;
  if (strncmp(column, "q.", 2) != 0) return RUN_COLUMN_NONE;
  return strcmp(column + 2, name) == 0 ? 0 : RUN_COLUMN_OTHER;
}

static int find_time(void* context, const char* name)
{
  (void)context;
  return strcmp(name, "t") == 0 || strcmp(name, "time") == 0 ? 0 : -1;
}

// Formulas of time alone.
static limb_status read_formulas(limb_runner* r, moving_joint* j)
{
  const limb_run_motion* run = j->run;
  const limb_run_value* const from[3] = {&run->q, &run->v, &run->a};
  const limb_formula_names names = {.find = find_time};
  if (!run->q.text || !run->v.text || !run->a.text)
    return limb_run_wrong(
      r->err, first_of(run),
      "'%s': all of q, v and a are required; or constant, rate, amplitude, frequency, phase; or a file", run->name);
  for (int k = 0; k < 3; k++) {
    limb_error err = {0};
    const limb_status s = limb_formula_parse(from[k]->text, &names, NULL, &j->formula[k], &err);
    if (s == LIMB_E_NOMEM) return limb_run_no_memory(r);
    if (s != LIMB_OK)
      return limb_run_wrong(r->err, from[k], "'%.160s': %s (at character %d); motion is a formula of time alone",
                            from[k]->text, err.text, err.column);
    j->motion.formula[k] = j->formula[k];
  }
  return LIMB_OK;
}

static limb_status read_harmonic(limb_runner* r, moving_joint* j)
{
  const limb_run_motion* run = j->run;
  limb_joint_motion* m = &j->motion;
  const limb_run_value* const from[] = {&run->constant, &run->rate, &run->amplitude, &run->frequency, &run->phase};
  const char *x = limb_position_unit(&r->dq[j->q]), *v = limb_velocity_unit(&r->dv[j->v]);
  const char* const unit[] = {x, v, x, "Hz", "rad"};
  double* const to[] = {&m->constant, &m->rate, &m->amplitude, &m->frequency, &m->phase};
  limb_status code = LIMB_OK;
  for (int k = 0; k < 5 && code == LIMB_OK; k++)
    code = limb_run_quantity(from[k], LIMB_RUN_ANY, unit[k], to[k], r->err);
  return code;
}

static limb_status read_joint(limb_runner* r, moving_joint* j)
{
  const limb_run_motion* run = j->run;
  const int formulas = run->q.text || run->v.text || run->a.text;
  const int harmonic =
    run->constant.text || run->rate.text || run->amplitude.text || run->frequency.text || run->phase.text;
  limb_status code = find_joint(r, j);
  if (code != LIMB_OK) return code;
  if (formulas + harmonic + (run->file.text != NULL) > 1)
    return limb_run_wrong(r->err, first_of(run), "'%s': give formulas, or constant, rate ..., or a file, not several",
                          run->name);
  if (!run->file.text) return formulas ? read_formulas(r, j) : read_harmonic(r, j);
  code = limb_run_table_open(&j->table, r, &run->file, LIMB_SIGNAL_SPLINE, column_of_motion, r->dv[j->v].name);
  j->motion.signal = j->table.signal;
  return code;
}

limb_status limb_run_open_motion(limb_runner* r)
{
  const limb_run_inputs* run = &r->run.inputs;
  if (run->nmotion == 0) return LIMB_OK;
  run_motion* m = calloc(1, sizeof *m);
  r->motion = m;
  if (!m) return limb_run_no_memory(r);
  m->r = r;
  m->joint = calloc((size_t)run->nmotion, sizeof *m->joint);
  if (!m->joint) return limb_run_no_memory(r);
  limb_status code = LIMB_OK;
  for (int i = 0; i < run->nmotion && code == LIMB_OK; i++) {
    m->joint[i].run = &run->motion[i];
    m->count++;
    code = read_joint(r, &m->joint[i]);
  }
  return code;
}

limb_status limb_run_attach_motion(limb_runner* r)
{
  static const char* const words[] = {"", "v is not the derivative of q", "a is not the derivative of v"};
  run_motion* m = r->motion;
  if (!m) return LIMB_OK;
  unsigned char* given = malloc((size_t)r->nv + 1);
  if (!given) return limb_run_no_memory(r);
  memset(given, LIMB_FORCE_GIVEN, (size_t)r->nv);
  for (int i = 0; i < m->count; i++) {
    const limb_run_motion* run = m->joint[i].run;
    const int wrong = limb_joint_motion_contradiction(&m->joint[i].motion, r->setup.start, r->setup.end);
    if (wrong) {
      free(given);
      return limb_run_wrong(r->err, wrong == 1 ? &run->v : &run->a, "'%s': %s", run->name, words[wrong]);
    }
    given[m->joint[i].v] = LIMB_ACCELERATION_GIVEN;
  }
  const limb_status s = limb_sim_set_motion(r->sim, given, move, m, next_break_of_motion);
  free(given);
  return s == LIMB_OK ? LIMB_OK : limb_run_failed(r, s, "motion");
}

limb_status limb_run_motion_at(limb_runner* r, double t, double* q, double* v, unsigned char* marks)
{
  double* a = limb_run_zeros(r->nv);
  if (!a) return LIMB_E_NOMEM;
  const limb_status s = r->motion ? move(r->motion, t, q, v, a) : LIMB_OK;
  for (int i = 0; r->motion && i < r->motion->count; i++) marks[r->motion->joint[i].v] = 1;
  free(a);
  return s;
}

static void close_motion(limb_runner* r)
{
  run_motion* m = r->motion;
  if (!m) return;
  for (int i = 0; i < m->count; i++) {
    limb_run_table_free(&m->joint[i].table);
    for (int k = 0; k < 3; k++) limb_formula_destroy(m->joint[i].formula[k]);
  }
  free(m->joint);
  free(m);
  r->motion = NULL;
}

// ---- all inputs ------------------------------------------------------------------------------------

limb_status limb_run_open_inputs(limb_runner* r)
{
  const limb_run_inputs* run = &r->run.inputs;
  run_inputs* in = calloc(1, sizeof *in);
  if (!in) return limb_run_no_memory(r);
  r->inputs = in;
  in->r = r;
  limb_status code = open_torques(r, in);
  if (code == LIMB_OK) code = open_forces(r, in);
  if (code != LIMB_OK || run->ntable == 0) return code;
  in->table = calloc((size_t)run->ntable, sizeof *in->table);
  if (!in->table) return limb_run_no_memory(r);
  for (; in->ntable < run->ntable && code == LIMB_OK; in->ntable++)
    code = open_table(r, &in->table[in->ntable], &run->table[in->ntable]);
  return code;
}

void limb_run_close_inputs(limb_runner* r)
{
  run_inputs* in = r->inputs;
  close_motion(r);
  if (!in) return;
  limb_run_formulas_free(&in->torques);
  limb_run_formulas_free(&in->forces);
  for (int i = 0; i < in->ntable; i++) {
    limb_run_table_free(&in->table[i].table);
    free(in->table[i].frame);
  }
  free(in->table);
  free(in->dof);
  free(in->force);
  free(in->part);
  free(in);
  r->inputs = NULL;
}
