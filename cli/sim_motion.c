// Motion given on some joints: formulas of time for q, v and a; a law constant + rate t + amplitude
// sin(2 pi frequency t + phase); or a table, by a spline. Derivatives are exact or given, never
// differences; these only tell formulas that contradict each other.
#include "cli.h"
#include "sim_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct given_joint {
  int q, v; // coordinate and degree of freedom
  const limb_run_motion* run;
  int formula;       // first of three; -1: none
  limb_time_law law; // when neither formulas nor table
  sim_table table;   // signal NULL: none
} given_joint;

struct sim_motion {
  sim_job* job;
  int count;
  given_joint* joint;
  sim_formulas formulas;
};

static void law_at(const limb_time_law* l, double t, double x[3])
{
  const double w = 2 * PI * l->frequency, phi = w * t + l->phase;
  x[0] = l->constant + l->rate * t + l->amplitude * sin(phi);
  x[1] = l->rate + l->amplitude * w * cos(phi);
  x[2] = -l->amplitude * w * w * sin(phi);
}

static limb_status joint_at(const sim_motion* m, const given_joint* j, double t, double x[3])
{
  if (j->table.signal) return limb_signal_at(j->table.signal, t, &x[0], &x[1], &x[2]);
  if (j->formula < 0)
    law_at(&j->law, t, x);
  else
    memcpy(x, m->formulas.value + j->formula, 3 * sizeof *x);
  return LIMB_OK;
}

static limb_status move(void* context, double t, double* q, double* v, double* a)
{
  sim_motion* m = context;
  const limb_sim_state at = {.time = t, .q = q, .v = v};
  limb_status s = m->formulas.count > 0 ? sim_formulas_read(&m->formulas, m->job, &at) : LIMB_OK;
  for (int i = 0; i < m->count && s == LIMB_OK; i++) {
    double x[3] = {0};
    s = joint_at(m, &m->joint[i], t, x);
    q[m->joint[i].q] = x[0], v[m->joint[i].v] = x[1], a[m->joint[i].v] = x[2];
  }
  return s;
}

static double next_break(void* context, double t)
{
  const sim_motion* m = context;
  double first = HUGE_VAL;
  for (int i = 0; i < m->count; i++)
    if (m->joint[i].table.signal) first = fmin(first, limb_signal_next_break(m->joint[i].table.signal, t));
  return first;
}

// ---- reading ---------------------------------------------------------------------------------------------

// The first value of a motion that is there, for messages.
static const limb_run_value* first_of(const limb_run_motion* r)
{
  enum { KEYS = 9 };
  const limb_run_value* const all[KEYS] = {&r->q,         &r->v,         &r->a,     &r->constant, &r->rate,
                                           &r->amplitude, &r->frequency, &r->phase, &r->file};
  for (int k = 0; k < KEYS; k++)
    if (all[k]->text) return all[k];
  return &r->q;
}

// The joint must have one degree of freedom: a rotation has no such formulas.
static int find_joint(sim_job* job, given_joint* j)
{
  limb_run_value at = *first_of(j->run);
  limb_joint_info x;
  at.name = j->run->name;
  j->v = sim_find_dof(job, &at, 0);
  if (j->v < 0) return EXIT_USAGE;
  if (limb_get_joint(job->robot.model, job->dofs.v[j->v].joint, &x) != LIMB_OK || x.nq != x.nv)
    return sim_wrong(&job->plan, &at, "'%s' turns freely: its motion cannot be given", at.name);
  j->q = x.q + job->dofs.v[j->v].index;
  return EXIT_FINE;
}

static int column_of(const void* context, const char* column)
{
  const char* name = context;
  if (strncmp(column, "q.", 2) != 0) return SIM_COLUMN_NONE;
  return strcmp(column + 2, name) == 0 ? 0 : SIM_COLUMN_OTHER;
}

static int read_formulas(sim_job* job, sim_motion* m, given_joint* j)
{
  const limb_run_motion* r = j->run;
  if (!r->q.text || !r->v.text || !r->a.text)
    return sim_wrong(&job->plan, first_of(r),
                     "'%s': q, v and a are needed, all three: derivatives are not guessed; or a law "
                     "(constant, rate, amplitude, frequency, phase), or a file",
                     r->name);
  int code = sim_formulas_add(&m->formulas, job, &r->q, NULL, &j->formula);
  if (code == EXIT_FINE) code = sim_formulas_add(&m->formulas, job, &r->v, NULL, NULL);
  return code == EXIT_FINE ? sim_formulas_add(&m->formulas, job, &r->a, NULL, NULL) : code;
}

static int read_law(sim_job* job, given_joint* j)
{
  const limb_run_motion* r = j->run;
  const limb_run_value* const from[] = {&r->constant, &r->rate, &r->amplitude, &r->frequency, &r->phase};
  double* const to[] = {&j->law.constant, &j->law.rate, &j->law.amplitude, &j->law.frequency, &j->law.phase};
  int code = EXIT_FINE;
  for (int k = 0; k < 5 && code == EXIT_FINE; k++) code = sim_number(&job->plan, from[k], to[k]);
  return code;
}

static int read_joint(sim_job* job, sim_motion* m, given_joint* j)
{
  const limb_run_motion* r = j->run;
  const int formulas = r->q.text || r->v.text || r->a.text;
  const int law = r->constant.text || r->rate.text || r->amplitude.text || r->frequency.text || r->phase.text;
  j->formula = -1;
  int code = find_joint(job, j);
  if (code != EXIT_FINE) return code;
  if (formulas + law + (r->file.text != NULL) > 1)
    return sim_wrong(&job->plan, first_of(r), "'%s': formulas, a law, or a file, not several", r->name);
  if (r->file.text)
    return sim_table_open(&j->table, job, &r->file, LIMB_SIGNAL_SPLINE, column_of, job->dofs.v[j->v].name);
  return formulas ? read_formulas(job, m, j) : read_law(job, j);
}

// Formulas of motion are of time alone: a motion that depends on itself is none.
static int check_formulas(sim_job* job, const sim_motion* m)
{
  const char* other = sim_probe_beyond_time(&m->formulas.probe);
  if (other)
    return sim_wrong(&job->plan, m->formulas.formula[0].from, "motion is given by formulas of time alone, not of '%s'",
                     other);
  return EXIT_FINE;
}

// ---- formulas that contradict each other -----------------------------------------------------------------

// 1: dx is not the derivative of a formula that goes from before to after within dt.
static int differs(double before, double after, double dt, double dx)
{
  const double d = (after - before) / dt, size = fmax(fabs(d), fabs(dx));
  return fabs(d - dx) > 1e-3 * size + 1e-6 * fmax(1, fabs(after));
}

// Adds one to wrong[j][k] when formula k + 1 of joint j is not the derivative of formula k at t. Times at
// which formulas have no value are left out. x: three values of each formula, as room.
static void compare_at(sim_job* job, sim_motion* m, double t, double* x, int (*wrong)[2])
{
  const int n = m->formulas.count;
  const double h = 1e-8 * fmax(1, fabs(t)), times[] = {t - h, t, t + h};
  for (int i = 0; i < 3; i++) {
    const limb_sim_state at = {.time = times[i], .q = job->q, .v = job->v};
    const limb_status s = sim_formulas_read(&m->formulas, job, &at);
    *job->trouble = '\0';
    if (s != LIMB_OK) return;
    memcpy(x + i * n, m->formulas.value, (size_t)n * sizeof *x);
  }
  for (int i = 0; i < m->count; i++) {
    const int f = m->joint[i].formula;
    for (int k = 0; k < 2 && f >= 0; k++)
      wrong[i][k] += differs(x[f + k], x[2 * n + f + k], times[2] - times[0], x[n + f + k + 1]);
  }
}

// Differences at some times; a jump may be at one of them.
static int compare(sim_job* job, sim_motion* m, double* x, int (*wrong)[2])
{
  enum { TIMES = 7 };
  static const char* const words[] = {"v is not the derivative of q", "a is not the derivative of v"};
  for (int i = 1; i <= TIMES && job->end > job->start; i++) {
    const double part = fmod(0.6180339887 * i, 1);
    compare_at(job, m, job->start + part * (job->end - job->start), x, wrong);
  }
  for (int i = 0; i < 2 * m->count; i++) {
    const limb_run_motion* r = m->joint[i / 2].run;
    if (wrong[i / 2][i % 2] > 1) return sim_wrong(&job->plan, i % 2 ? &r->a : &r->v, "'%s': %s", r->name, words[i % 2]);
  }
  return EXIT_FINE;
}

// v must be the derivative of q, and a that of v: else nothing that follows means anything.
static int check_derivatives(sim_job* job, sim_motion* m)
{
  double* x = sim_zeros(3 * m->formulas.count);
  int(*wrong)[2] = calloc((size_t)m->count + 1, sizeof *wrong);
  int code;
  if (x && wrong)
    code = compare(job, m, x, wrong);
  else
    code = sim_out_of_memory(&job->plan);
  free(x);
  free(wrong);
  return code;
}

int sim_attach_motion(sim_job* job)
{
  sim_motion* m = job->motion;
  if (!m) return EXIT_FINE;
  const int code = m->formulas.count > 0 ? check_derivatives(job, m) : EXIT_FINE;
  if (code != EXIT_FINE) return code;
  unsigned char* given = calloc((size_t)job->dofs.nv + 1, 1);
  if (!given) return sim_out_of_memory(&job->plan);
  for (int k = 0; k < job->dofs.nv; k++) given[k] = LIMB_FORCE_GIVEN;
  for (int i = 0; i < m->count; i++) given[m->joint[i].v] = LIMB_ACCELERATION_GIVEN;
  const limb_status s = limb_sim_set_motion(job->sim, given, move, m, next_break);
  free(given);
  return s == LIMB_OK ? EXIT_FINE : sim_failed(job, s, "motion");
}

int sim_open_motion(sim_job* job)
{
  const limb_run_inputs* run = &job->plan.run.inputs;
  if (run->nmotion == 0) return EXIT_FINE;
  sim_motion* m = calloc(1, sizeof *m);
  job->motion = m;
  if (!m) return sim_out_of_memory(&job->plan);
  m->job = job;
  sim_formulas_begin(&m->formulas, job, SIM_KNOWN_INPUT);
  m->joint = calloc((size_t)run->nmotion, sizeof *m->joint);
  if (!m->joint) return sim_out_of_memory(&job->plan);
  int code = EXIT_FINE;
  for (int i = 0; i < run->nmotion && code == EXIT_FINE; i++) {
    m->joint[i].run = &run->motion[i];
    m->count++;
    code = read_joint(job, m, &m->joint[i]);
  }
  if (code == EXIT_FINE) code = sim_formulas_ready(&m->formulas);
  return code == EXIT_FINE ? check_formulas(job, m) : code;
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

void sim_close_motion(sim_job* job)
{
  sim_motion* m = job->motion;
  if (!m) return;
  for (int i = 0; i < m->count; i++) sim_table_free(&m->joint[i].table);
  sim_formulas_free(&m->formulas);
  free(m->joint);
  free(m);
  job->motion = NULL;
}
