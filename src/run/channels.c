// Numbers of a simulated state by their names: an evaluator (limb/quantities.h) whose tau is what acts; and the rows of
// outputs: the channels that an output names, and the times of its rows.
#include "run/run_impl.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct limb_channels {
  const limb_model* model;
  limb_environment env;
  limb_evaluator_options options;
  limb_evaluator* e;
  int count;
  bool no_memory;    // a name was refused for lack of it
  bool missing;      // the last name was that of a quantity, with an entry that it does not have
  char because[256]; // why the last name was refused; "": it was not
  int words;         // names to be suggested
  char (*word)[160];
};

limb_status limb_channels_create(const limb_model* m, const limb_environment* env,
                                 const limb_evaluator_options* options, limb_channels** out)
{
  if (!m || !env || !out) return LIMB_E_ARG;
  limb_channels* c = calloc(1, sizeof *c);
  if (!c) return LIMB_E_NOMEM;
  c->model = m;
  c->env = *env;
  c->options = options ? *options : limb_default_evaluator_options();
  c->options.env = &c->env;
  c->options.tau_is_given = 1;
  const limb_status s = limb_evaluator_create(m, &c->options, NULL, &c->e);
  if (s == LIMB_OK)
    *out = c;
  else
    limb_channels_destroy(c);
  return s;
}

void limb_channels_destroy(limb_channels* c)
{
  if (!c) return;
  limb_evaluator_destroy(c->e);
  free(c->word);
  free(c);
}

int limb_channels_count(const limb_channels* c) { return c ? c->count : 0; }

// ---- names -------------------------------------------------------------------------------------------------

// Messages name what a state lacks in words of simulations.
static void explain(limb_channels* c, limb_status s, const limb_error* err)
{
  const limb_quantity_info* q = limb_find_quantity(err->where);
  const bool samples = q && q->needs & LIMB_NEEDS_DT && c->options.dt == 0;
  const bool reference = q && q->needs & (LIMB_NEEDS_V_R | LIMB_NEEDS_A_R);
  if (s != LIMB_E_ORDER)
    (void)snprintf(c->because, sizeof c->because, "%s", err->text);
  else if (reference)
    (void)snprintf(c->because, sizeof c->because,
                   "'%.60s' is of reference velocities, which a simulation cannot provide: use limb eval", err->where);
  else if (samples)
    (void)snprintf(c->because, sizeof c->because, "'%.60s' is of samples: it is a channel, and no name in formulas",
                   err->where);
  else
    (void)snprintf(c->because, sizeof c->because,
                   "'%.60s' follows from the forces, and is not known while they are computed: formulas of inputs are "
                   "of time, q, v and what follows from them",
                   err->where);
}

// How many numbers the name added; 0 after c->because was written; -1: out of memory.
static int add(limb_channels* c, const char* name)
{
  limb_error err = {0};
  const int before = c->count;
  *c->because = '\0';
  c->missing = false;
  const limb_status s = limb_evaluator_add(c->e, name, NULL, NULL, &err);
  if (s == LIMB_E_NOMEM) {
    c->no_memory = true;
    return -1;
  }
  c->count = (int)limb_evaluator_width(c->e);
  if (s == LIMB_OK && c->count > before) return c->count - before;
  c->missing = s == LIMB_E_ARG && limb_find_quantity(err.where) != NULL; // where is the quantity: a label is wrong
  if (s == LIMB_OK)
    (void)snprintf(c->because, sizeof c->because, "'%.80s' has no entries for this robot", name);
  else
    explain(c, s, &err);
  return 0;
}

limb_status limb_channels_add(limb_channels* c, const char* name, limb_error* err)
{
  if (!c || !name) return LIMB_E_ARG;
  const int n = add(c, name);
  if (n < 0) return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  return n > 0 ? LIMB_OK : limb_fail(err, LIMB_E_ARG, name, "%s", c->because);
}

// For formulas: one number, its place among all; -1 when there is none.
static int find(void* context, const char* name)
{
  limb_channels* c = context;
  const int before = c->count, items = limb_evaluator_count(c->e);
  const char* other = strcmp(name, "t") == 0 ? "time" : strcmp(name, "energy") == 0 ? "total_energy" : name;
  const int n = add(c, other);
  if (n == 1) return before;
  limb_evaluator_keep(c->e, items);
  c->count = before;
  // An entry that a quantity does not have: the formula knows which one was meant.
  if (c->missing) *c->because = '\0';
  if (n > 1) (void)snprintf(c->because, sizeof c->because, "'%.80s' stands for %d numbers: name one of them", name, n);
  return -1;
}

// What is suggested in place of a wrong name: coordinates, velocities and what else is known of joints.
static void make_words(limb_channels* c)
{
  static const char* const words[] = {"time", "energy", "energy.kinetic", "energy.potential"};
  static const char* const groups[] = {"q", "v", "a", "tau"};
  enum { WORDS = sizeof words / sizeof *words, GROUPS = sizeof groups / sizeof *groups };
  const int nq = limb_nq(c->model), nv = limb_nv(c->model);
  limb_dofs* dofs = NULL;
  c->word = calloc((size_t)(WORDS + nq + 3 * nv), sizeof *c->word);
  if (!c->word || limb_dofs_create(c->model, NULL, &dofs) != LIMB_OK) return;
  for (int k = 0; k < WORDS; k++) (void)snprintf(c->word[c->words++], sizeof *c->word, "%s", words[k]);
  for (int g = 0; g < GROUPS; g++) {
    const int n = !(c->options.known & 1U << g) ? 0 : g == 0 ? nq : nv;
    for (int k = 0; k < n; k++) {
      const limb_dof_info* dof = g == 0 ? limb_get_coordinate(dofs, k) : limb_get_velocity(dofs, k);
      (void)snprintf(c->word[c->words++], sizeof *c->word, "%s.%s", groups[g], dof->name);
    }
  }
  limb_dofs_destroy(dofs);
}

static const char* suggest(void* context, int i)
{
  limb_channels* c = context;
  if (!c->word) make_words(c);
  return i < c->words ? c->word[i] : NULL;
}

limb_formula_names limb_channels_names(limb_channels* c)
{
  *c->because = '\0';
  return (limb_formula_names){find, suggest, c};
}

bool limb_channels_no_memory(const limb_channels* c) { return c->no_memory; }

const char* limb_channels_refusal(limb_channels* c) { return c->because; }

// The item that a number belongs to, and its place there.
static int item_of(const limb_channels* c, int number, size_t* entry)
{
  limb_item item;
  *entry = 0;
  for (int i = 0; c && i < limb_evaluator_count(c->e); i++) {
    if (limb_evaluator_get(c->e, i, &item) != LIMB_OK || (size_t)number >= item.offset + item.size) continue;
    *entry = (size_t)number - item.offset;
    return i;
  }
  return -1;
}

void limb_channels_name(const limb_channels* c, int number, char* text, size_t size)
{
  size_t entry = 0;
  const int item = item_of(c, number, &entry);
  if (!text || size == 0) return;
  if (item < 0 || limb_evaluator_column(c->e, item, entry, text, size) == 0) *text = '\0';
}

const char* limb_channels_unit(const limb_channels* c, int number)
{
  size_t entry = 0;
  const int item = item_of(c, number, &entry);
  return item < 0 ? "" : limb_evaluator_unit(c->e, item, entry);
}

bool limb_channels_need_dynamics(const limb_channels* c)
{
  return (limb_evaluator_needs(c->e) &
          (LIMB_NEEDS_A | LIMB_NEEDS_TAU | LIMB_NEEDS_A_OR_TAU | LIMB_NEEDS_GIVEN | LIMB_NEEDS_BASE)) != 0;
}

// ---- numbers -----------------------------------------------------------------------------------------------

limb_status limb_channels_read(limb_channels* c, const limb_sim_state* at, double* x, limb_error* err)
{
  limb_error why = {0};
  limb_item item;
  if (!c || !at || !x) return LIMB_E_ARG;
  if (limb_evaluator_count(c->e) == 0) return LIMB_OK;
  limb_environment env = c->env;
  env.nwrench = at->nwrench;
  env.wrench = at->wrench;
  const limb_state state = {
    .q = at->q, .v = at->v, .a = at->a, .tau = at->tau, .time = at->time, .env = &env, .lambda = at->lambda};
  const limb_status s = limb_evaluator_run(c->e, &state, x);
  if (s == LIMB_OK) return s;
  const int failed = limb_evaluator_failure(c->e, &why);
  const bool known = limb_evaluator_get(c->e, failed, &item) == LIMB_OK;
  // A part of "all" that has no value here is NaN, and no reason to end.
  if (known && item.from_all) return LIMB_OK;
  return limb_fail(err, s, known ? item.quantity->name : "kinematics", "%s", why.text);
}

// ---- rows of outputs ---------------------------------------------------------------------------------------

enum { NAME_SIZE = 5200, MAX_COMPARED = 2000 }; // of a column; columns that are compared with each other

struct limb_run_rows {
  const limb_runner* r;
  const limb_run_output* output;
  limb_channels* channels;
  double* row;     // time and numbers
  double rate;     // rows per second; 0: by interval alone
  double interval; // s
  uint64_t k;      // index of the next row
  double last;     // time of the last row; NaN: none
};

// ---- rows: when ------------------------------------------------------------------------------------------

static double default_interval(const limb_runner_setup* s)
{
  const double length = s->end - s->start;
  if (!(length > 0)) return 1;
  const double max = length / 500 * (1 + 1e-9), ten = pow(10, floor(log10(max)));
  return fmax(max >= 5 * ten ? 5 * ten : max >= 2 * ten ? 2 * ten : ten, s->sim.step);
}

static limb_status read_rate(limb_run_rows* x, limb_error* err)
{
  const limb_run_output* o = x->output;
  const limb_runner_setup* setup = &x->r->setup;
  limb_status s = limb_run_quantity(&o->rate, LIMB_RUN_POSITIVE, "Hz", &x->rate, err);
  if (s == LIMB_OK) s = limb_run_quantity(&o->interval, LIMB_RUN_POSITIVE, "s", &x->interval, err);
  if (s != LIMB_OK) return s;
  if (x->rate == 0 && x->interval == 0) x->interval = default_interval(setup);
  // 29 / 100 is the 0.29 that people write; 29 * 0.01 is not.
  const double per_second = x->interval > 0 ? round(1 / x->interval) : 0;
  if (x->interval > 0 && fabs(per_second * x->interval - 1) < 1e-12) x->rate = per_second;
  if (x->rate > 0) x->interval = 1 / x->rate;
  if ((setup->end - setup->start) / x->interval <= 1e9) return LIMB_OK;
  return limb_run_wrong(err, o->rate.text ? &o->rate : &o->interval, "more than 1e9 rows");
}

static double due(const limb_run_rows* x)
{
  const double k = (double)x->k;
  return x->r->setup.start + (x->rate > 0 ? k / x->rate : k * x->interval);
}

// Times of different outputs that differ by rounding are equal.
static bool is_due(const limb_run_rows* x, double now) { return due(x) <= now + 1e-9 * x->interval; }

double limb_run_rows_next(const limb_run_rows* x)
{
  if (!x) return HUGE_VAL;
  const double t = due(x), end = x->r->setup.end;
  return t >= end - 1e-9 * x->interval ? end : t;
}

// ---- rows: which numbers ---------------------------------------------------------------------------------

// Columns must differ.
static limb_status check_twice(const limb_run_rows* x, const limb_run_value* at, limb_error* err)
{
  const limb_channels* c = x->channels;
  char name[NAME_SIZE], other[NAME_SIZE];
  for (int i = 0; i < limb_channels_count(c); i++) {
    limb_channels_name(c, i, name, sizeof name);
    for (int k = 0; k < i; k++) {
      limb_channels_name(c, k, other, sizeof other);
      if (strcmp(name, other) == 0) return limb_run_wrong(err, at, "'%.100s' is listed twice", name);
    }
  }
  return LIMB_OK;
}

static limb_status add_channel(limb_run_rows* x, const limb_run_value* at, limb_error* err)
{
  limb_error why = {0};
  if (strcmp(at->text, "time") == 0 || strcmp(at->text, "t") == 0) return LIMB_OK; // always included
  const limb_status s = limb_channels_add(x->channels, at->text, &why);
  return s == LIMB_OK || s == LIMB_E_NOMEM ? s : limb_run_wrong(err, at, "'%.80s': %s", at->text, why.text);
}

static limb_status read_channels(limb_run_rows* x, limb_error* err)
{
  static const char* const usual[] = {"q", "v"};
  const limb_run_values* list = &x->output->channels;
  const bool animated = !x->output->file.text && !x->output->plot.text;
  limb_status s = LIMB_OK;
  for (int k = 0; (animated || list->count == 0) && k < 2 - animated && x->r->nv > 0 && s == LIMB_OK; k++)
    s = limb_channels_add(x->channels, usual[k], NULL);
  for (int i = 0; i < list->count && s == LIMB_OK; i++) s = add_channel(x, &list->value[i], err);
  if (s != LIMB_OK || limb_channels_count(x->channels) >= MAX_COMPARED || list->count < 2) return s;
  return check_twice(x, &list->value[0], err);
}

static limb_status make_channels(limb_run_rows* x, limb_error* err)
{
  limb_evaluator_options how = limb_default_evaluator_options();
  how.known = RUN_KNOWN_ALL;
  how.dt = x->interval; // for Ad and Bd
  limb_status s = limb_run_directions(&x->output->directions, &how.directions, err);
  if (s == LIMB_OK) s = limb_channels_create(x->r->model, &x->r->setup.sim.env, &how, &x->channels);
  return s == LIMB_OK ? read_channels(x, err) : s;
}

limb_status limb_run_rows_create(const limb_runner* r, const limb_run_output* output, limb_run_rows** out,
                                 limb_error* err)
{
  if (!r || !output || !out) return limb_fail(err, LIMB_E_ARG, "", "a runner, an output and a place are needed");
  limb_run_rows* x = calloc(1, sizeof *x);
  if (!x) return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  *x = (limb_run_rows){.r = r, .output = output, .last = nan("")};
  limb_status s = read_rate(x, err);
  if (s == LIMB_OK) s = make_channels(x, err);
  if (s == LIMB_OK) x->row = limb_run_zeros(limb_channels_count(x->channels));
  if (s == LIMB_OK && !x->row) s = LIMB_E_NOMEM;
  if (s == LIMB_OK)
    *out = x;
  else
    limb_run_rows_destroy(x);
  return s;
}

void limb_run_rows_destroy(limb_run_rows* x)
{
  if (!x) return;
  limb_channels_destroy(x->channels);
  free(x->row);
  free(x);
}

const limb_channels* limb_run_rows_channels(const limb_run_rows* x) { return x ? x->channels : NULL; }

double limb_run_rows_interval(const limb_run_rows* x) { return x ? x->interval : 0; }

void limb_run_rows_go_on(limb_run_rows* x, double time)
{
  if (!x) return;
  x->last = time;
  while (is_due(x, time)) x->k++;
}

// ---- rows -------------------------------------------------------------------------------------------------

limb_status limb_run_rows_read(limb_run_rows* x, const limb_sim_state* at, int last, const double** row,
                               limb_error* err)
{
  if (!x || !at || !row) return limb_fail(err, LIMB_E_ARG, "", "rows, a state and a place are needed");
  *row = NULL;
  if (!is_due(x, at->time) && !(last && x->last != at->time)) return LIMB_OK;
  const limb_status s = limb_channels_read(x->channels, at, x->row + 1, err);
  if (s != LIMB_OK) return s;
  x->row[0] = x->last = at->time;
  while (is_due(x, at->time)) x->k++;
  *row = x->row;
  return LIMB_OK;
}
