// Rows of outputs: the channels that an output names, and the times of its rows.
#include "run/run_impl.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// ---- when ----------------------------------------------------------------------------------------------------------

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
  limb_status s = limb_run_number(&o->rate, LIMB_RUN_POSITIVE, &x->rate, err);
  if (s == LIMB_OK) s = limb_run_number(&o->interval, LIMB_RUN_POSITIVE, &x->interval, err);
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

// ---- which numbers -------------------------------------------------------------------------------------------------

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

// ---- rows ----------------------------------------------------------------------------------------------------------

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
