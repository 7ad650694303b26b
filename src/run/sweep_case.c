// One case of a study: the run is set up, advanced from row to row, and what the study collects is gathered on the way.
#include "run/sweep_impl.h"

#include "base/names.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 5200, DEFAULT_ROWS = 500, STATISTICS = LIMB_COLLECT_SERIES, COLUMNS_MAX = 1 << 24 };

static const char* const words[LIMB_COLLECT_COUNT] = {"initial", "final", "min",    "max",   "peak",
                                                      "mean",    "rms",   "series", "events"};

// Channels that are read at the same times: at both ends, at rows, at the points of series.
typedef enum channel_set { AT_ENDS, AT_ROWS, AT_POINTS, SETS } channel_set;

static channel_set set_of(limb_study_collected k)
{
  return k <= LIMB_COLLECT_FINAL ? AT_ENDS : k < LIMB_COLLECT_SERIES ? AT_ROWS : AT_POINTS;
}

typedef struct sweep_case {
  limb_sweep* s;
  limb_model* own; // NULL: the model is shared
  const limb_model* model;
  limb_runner* runner;
  const limb_runner_setup* setup;
  limb_channels* set[SETS];
  int first[LIMB_COLLECT_EVENTS], count[LIMB_COLLECT_EVENTS]; // of the numbers in their set
  double* now[SETS];                                          // as read last
  double* before;                                             // of AT_ROWS, at the row before
  double last;                                                // time of that row; NaN: none
  uint64_t row, point;                                        // index of the next ones
  double* x;                                                  // what is collected
} sweep_case;

// ---- setting up -------------------------------------------------------------------------------------------

static limb_status add_channels(sweep_case* c, limb_study_collected k, limb_error* err)
{
  const limb_run_values* list = &c->s->study->collect[k];
  limb_channels* set = c->set[set_of(k)];
  limb_status s = LIMB_OK;
  c->first[k] = limb_channels_count(set);
  for (int i = 0; i < list->count && s == LIMB_OK; i++) {
    limb_error why = {0};
    s = limb_channels_add(set, list->value[i].text, &why);
    if (s == LIMB_E_ARG) s = limb_run_wrong(err, &list->value[i], "'%.80s': %s", list->value[i].text, why.text);
  }
  c->count[k] = limb_channels_count(set) - c->first[k];
  return s;
}

static limb_status open_channels(sweep_case* c, limb_error* err)
{
  limb_evaluator_options how = limb_default_evaluator_options();
  limb_status s = LIMB_OK;
  how.known = RUN_KNOWN_ALL;
  how.dt = c->setup->sim.step;
  for (int k = 0; k < SETS && s == LIMB_OK; k++)
    s = limb_channels_create(c->model, &c->setup->sim.env, &how, &c->set[k]);
  for (int k = 0; k < LIMB_COLLECT_EVENTS && s == LIMB_OK; k++) s = add_channels(c, (limb_study_collected)k, err);
  for (int k = 0; k < SETS && s == LIMB_OK; k++)
    if (!(c->now[k] = limb_run_zeros(limb_channels_count(c->set[k])))) s = LIMB_E_NOMEM;
  if (s == LIMB_OK && !(c->before = limb_run_zeros(limb_channels_count(c->set[AT_ROWS])))) s = LIMB_E_NOMEM;
  return s;
}

// Events are those of the run, or of a joint.
typedef struct event_names {
  const limb_run* run;
  const limb_model* model;
} event_names;

static const char* event_name(const void* context, int i)
{
  const event_names* n = context;
  limb_joint_info joint;
  if (i < n->run->nevent) return n->run->event[i].name.text ? n->run->event[i].name.text : n->run->event[i].when.text;
  return limb_get_joint(n->model, i - n->run->nevent, &joint) == LIMB_OK ? joint.def.name : "";
}

static limb_status check_events(const sweep_case* c, limb_error* err)
{
  const limb_run_values* list = &c->s->study->collect[LIMB_COLLECT_EVENTS];
  const event_names names = {c->s->run, c->model};
  const int count = c->s->run->nevent + limb_joint_count(c->model);
  for (int i = 0; i < list->count; i++) {
    const limb_run_value* at = &list->value[i];
    bool found = false;
    for (int k = 0; k < count && !found; k++) found = strcmp(event_name(&names, k), at->text) == 0;
    if (found) continue;
    const char* near = limb_nearest(at->text, count, event_name, &names);
    return limb_run_wrong(err, at, "the run has no event '%.60s'%s%.60s%s", at->text, near ? "; did you mean '" : "",
                          near ? near : "", near ? "'?" : ": events of a run have names");
  }
  return LIMB_OK;
}

static double pulse(void* context, const limb_sim_state* at)
{
  limb_sweep* s = context;
  (void)at;
  if (!s->stop || !s->stop(s->context)) return 1;
  s->stopped = true;
  return nan(""); // ends the step with an error
}

static void close_case(sweep_case* c)
{
  for (int k = 0; k < SETS; k++) {
    limb_channels_destroy(c->set[k]);
    free(c->now[k]);
  }
  free(c->before);
  limb_runner_destroy(c->runner);
  limb_model_destroy(c->own);
}

static limb_status open_case(sweep_case* c, limb_sweep* s, limb_error* err)
{
  const limb_sweep* owner = s->owner ? s->owner : s;
  *c = (sweep_case){.s = s, .last = nan("")};
  limb_status status = limb_sweep_open_model(s, &c->own, &c->model, err);
  if (status != LIMB_OK) return status;
  limb_runner_options o = limb_default_runner_options(c->model);
  o.path = s->run_path;
  o.poses = s->own_robot ? s->own_robot : owner->shared.robot;
  status = limb_runner_create(s->run, c->model, &o, &c->runner, err);
  if (status != LIMB_OK) return status;
  c->setup = limb_runner_setup_of(c->runner);
  status = check_events(c, err);
  return status == LIMB_OK ? open_channels(c, err) : status;
}

// ---- columns ----------------------------------------------------------------------------------------------

void limb_sweep_drop_columns(limb_sweep* s)
{
  for (int i = 0; s->column && i < s->ncolumn; i++) free(s->column[i].name), free(s->column[i].unit);
  free(s->column);
  s->column = NULL, s->ncolumn = 0;
}

static limb_status put_column(limb_sweep* s, const char* name, const char* unit)
{
  const size_t n = strlen(name) + 1, u = strlen(unit) + 1;
  sweep_column* at = &s->column[s->ncolumn];
  *at = (sweep_column){malloc(n), malloc(u)};
  if (at->name) memcpy(at->name, name, n);
  if (at->unit) memcpy(at->unit, unit, u);
  s->ncolumn++;
  return at->name && at->unit ? LIMB_OK : LIMB_E_NOMEM;
}

static int points_of(const sweep_case* c, int k) { return k == LIMB_COLLECT_SERIES ? c->s->points : 1; }

// The column of point p of a channel.
static void name_column(const sweep_case* c, limb_study_collected k, int i, int p, char whole[NAME_SIZE + 32])
{
  char name[NAME_SIZE];
  limb_channels_name(c->set[set_of(k)], c->first[k] + i, name, sizeof name);
  (void)snprintf(whole, NAME_SIZE + 32, points_of(c, (int)k) > 1 ? "%s.%s.%d" : "%s.%s", words[k], name, p);
}

static limb_status put_channel(sweep_case* c, limb_study_collected k, int i)
{
  char whole[NAME_SIZE + 32];
  limb_status s = LIMB_OK;
  for (int p = 0; p < points_of(c, (int)k) && s == LIMB_OK; p++) {
    name_column(c, k, i, p, whole);
    s = put_column(c->s, whole, limb_channels_unit(c->set[set_of(k)], c->first[k] + i));
  }
  return s;
}

// Whether the robot of this case has the columns of the first one, in their order.
static bool has_columns(const sweep_case* c)
{
  const limb_sweep* s = c->s;
  char whole[NAME_SIZE + 32];
  int at = s->ndimension + 1;
  for (int k = 0; k < LIMB_COLLECT_EVENTS; k++)
    for (int i = 0; i < c->count[k]; i++, at += points_of(c, k)) {
      if (at >= s->ncolumn) return false;
      name_column(c, (limb_study_collected)k, i, 0, whole);
      if (strcmp(whole, s->column[at].name) != 0) return false;
    }
  return at + 2 * s->study->collect[LIMB_COLLECT_EVENTS].count == s->ncolumn;
}

static limb_status put_events(limb_sweep* s)
{
  const limb_run_values* events = &s->study->collect[LIMB_COLLECT_EVENTS];
  char name[NAME_SIZE];
  limb_status status = LIMB_OK;
  for (int i = 0; i < events->count && status == LIMB_OK; i++) {
    (void)snprintf(name, sizeof name, "first.%.5000s", events->value[i].text);
    status = put_column(s, name, "s");
    (void)snprintf(name, sizeof name, "count.%.5000s", events->value[i].text);
    if (status == LIMB_OK) status = put_column(s, name, "");
  }
  return status;
}

static limb_status name_columns(sweep_case* c, limb_error* err)
{
  limb_sweep* s = c->s;
  int count = s->ndimension + 1 + 2 * s->study->collect[LIMB_COLLECT_EVENTS].count;
  for (int k = 0; k < STATISTICS; k++) count += c->count[k];
  const double all = count + (double)s->points * c->count[LIMB_COLLECT_SERIES];
  if (all > COLUMNS_MAX)
    return limb_fail(err, LIMB_E_ARG, "collect",
                     "%.0f columns are collected, and at most %d are possible: fewer points", all, COLUMNS_MAX);
  count = (int)all;
  limb_sweep_drop_columns(s); // of a case before that could not be set up
  s->column = calloc((size_t)count, sizeof *s->column);
  limb_status status = s->column ? LIMB_OK : LIMB_E_NOMEM;
  for (int i = 0; i < s->ndimension && status == LIMB_OK; i++) status = put_column(s, s->study->vary[i].name.name, "");
  if (status == LIMB_OK) status = put_column(s, "time", "s");
  for (int k = 0; k < LIMB_COLLECT_EVENTS; k++)
    for (int i = 0; i < c->count[k] && status == LIMB_OK; i++) status = put_channel(c, (limb_study_collected)k, i);
  return status == LIMB_OK ? put_events(s) : status;
}

// Two columns of one name would be one to whoever reads the table.
static limb_status check_twice(const limb_sweep* s, limb_error* err)
{
  for (int i = 0; i < s->ncolumn && s->ncolumn < 4000; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(s->column[i].name, s->column[k].name) == 0)
        return limb_fail(err, LIMB_E_ARG, "collect", "the column '%.100s' is there twice", s->column[i].name);
  return LIMB_OK;
}

limb_status limb_sweep_set_up(limb_sweep* s, limb_error* err)
{
  sweep_case c;
  const limb_status status = open_case(&c, s, err);
  close_case(&c);
  return status;
}

limb_status limb_sweep_find_columns(limb_sweep* s, limb_error* err)
{
  sweep_case c;
  limb_status status = open_case(&c, s, err);
  if (status == LIMB_OK) status = name_columns(&c, err);
  if (status == LIMB_OK) status = check_twice(s, err);
  close_case(&c);
  return status;
}

// ---- rows -------------------------------------------------------------------------------------------------

// Where the numbers of a kind are in the row.
static double* place_of(const sweep_case* c, int kind)
{
  double* x = c->x + 1;
  for (int k = 0; k < kind; k++) x += points_of(c, k) * c->count[k];
  return x;
}

static limb_status read_set(sweep_case* c, channel_set set, const limb_sim_state* at, limb_error* err)
{
  limb_error why = {0};
  const limb_status s = limb_channels_read(c->set[set], at, c->now[set], &why);
  return s == LIMB_OK ? s : limb_fail(err, s, why.where, "at %.9g s: %.200s", at->time, why.text);
}

static limb_status take_ends(sweep_case* c, limb_study_collected k, const limb_sim_state* at, limb_error* err)
{
  if (c->count[k] == 0) return LIMB_OK;
  const limb_status s = read_set(c, AT_ENDS, at, err);
  if (s == LIMB_OK) memcpy(place_of(c, (int)k), c->now[AT_ENDS] + c->first[k], (size_t)c->count[k] * sizeof(double));
  return s;
}

// Extremes, and integrals by trapezoids.
static void accumulate(sweep_case* c, int k, double dt)
{
  const double *now = c->now[AT_ROWS] + c->first[k], *before = c->before + c->first[k];
  double* x = place_of(c, k);
  const bool begins = isnan(c->last);
  for (int i = 0; i < c->count[k]; i++) {
    const double a = before[i], b = now[i];
    switch (k) {
    case LIMB_COLLECT_MIN: x[i] = begins ? b : fmin(x[i], b); break;
    case LIMB_COLLECT_MAX: x[i] = begins ? b : fmax(x[i], b); break;
    case LIMB_COLLECT_PEAK: x[i] = begins ? fabs(b) : fmax(x[i], fabs(b)); break;
    case LIMB_COLLECT_MEAN: x[i] = begins ? 0 : x[i] + dt * (a + b) / 2; break;
    default: x[i] = begins ? 0 : x[i] + dt * (a * a + a * b + b * b) / 3; break;
    }
  }
}

static limb_status take_row(sweep_case* c, const limb_sim_state* at, limb_error* err)
{
  if (at->time == c->last || limb_channels_count(c->set[AT_ROWS]) == 0) return LIMB_OK;
  const limb_status s = read_set(c, AT_ROWS, at, err);
  if (s != LIMB_OK) return s;
  for (int k = LIMB_COLLECT_MIN; k <= LIMB_COLLECT_RMS; k++) accumulate(c, k, at->time - c->last);
  c->last = at->time;
  memcpy(c->before, c->now[AT_ROWS], (size_t)limb_channels_count(c->set[AT_ROWS]) * sizeof(double));
  return s;
}

static limb_status take_point(sweep_case* c, const limb_sim_state* at, limb_error* err)
{
  const int points = c->s->points;
  const limb_status s = read_set(c, AT_POINTS, at, err);
  double* x = place_of(c, LIMB_COLLECT_SERIES);
  for (int i = 0; s == LIMB_OK && i < c->count[LIMB_COLLECT_SERIES]; i++)
    x[i * points + (int)c->point] = c->now[AT_POINTS][i];
  return s;
}

static double row_time(const sweep_case* c)
{
  const double length = c->setup->end - c->setup->start, k = (double)c->row;
  if (limb_channels_count(c->set[AT_ROWS]) == 0 || (length <= 0 && k > 0)) return HUGE_VAL;
  return c->setup->start + (c->s->rate > 0 ? k / c->s->rate : k * length / DEFAULT_ROWS);
}

static double point_time(const sweep_case* c)
{
  const int points = c->s->points;
  if (c->count[LIMB_COLLECT_SERIES] == 0 || c->point >= (uint64_t)points) return HUGE_VAL;
  if (c->point + 1 == (uint64_t)points) return c->setup->end;
  return c->setup->start + (double)c->point * (c->setup->end - c->setup->start) / (points - 1);
}

// What is due now.
static limb_status take_due(sweep_case* c, const limb_sim_state* at, limb_error* err)
{
  limb_status s = LIMB_OK;
  if (row_time(c) <= at->time) {
    s = take_row(c, at, err);
    while (row_time(c) <= at->time) c->row++;
  }
  for (; s == LIMB_OK && point_time(c) <= at->time; c->point++) s = take_point(c, at, err);
  return s;
}

static void take_event(sweep_case* c, const limb_sim_event* event)
{
  const limb_run_values* list = &c->s->study->collect[LIMB_COLLECT_EVENTS];
  double* x = place_of(c, LIMB_COLLECT_EVENTS);
  for (int i = 0; i < list->count; i++, x += 2) {
    if (strcmp(limb_runner_event_name(c->runner, event), list->value[i].text) != 0) continue;
    if (x[1] == 0) x[0] = event->time;
    x[1]++;
  }
}

// ---- the run ----------------------------------------------------------------------------------------------

static limb_status broke(sweep_case* c, limb_status s, limb_error* err)
{
  limb_sim_state at = {0};
  const char* own = limb_runner_error(c->runner);
  (void)!limb_sim_now(limb_runner_sim(c->runner), &at);
  return limb_fail(err, s, "", "the simulation ended at %.9g s: %s", at.time, *own ? own : limb_status_text(s));
}

static limb_status take_start(sweep_case* c, limb_sim_state* at, limb_error* err)
{
  limb_status s = limb_sim_now(limb_runner_sim(c->runner), at);
  if (s != LIMB_OK) return broke(c, s, err);
  s = take_ends(c, LIMB_COLLECT_INITIAL, at, err);
  return s == LIMB_OK ? take_due(c, at, err) : s;
}

static limb_status take_end(sweep_case* c, const limb_sim_state* at, limb_error* err)
{
  limb_status s = take_ends(c, LIMB_COLLECT_FINAL, at, err);
  if (s == LIMB_OK) s = take_row(c, at, err);
  const double length = at->time - c->setup->start;
  double *mean = place_of(c, LIMB_COLLECT_MEAN), *rms = place_of(c, LIMB_COLLECT_RMS);
  for (int i = 0; i < c->count[LIMB_COLLECT_MEAN]; i++)
    mean[i] = length > 0 ? mean[i] / length : c->before[c->first[LIMB_COLLECT_MEAN] + i];
  for (int i = 0; i < c->count[LIMB_COLLECT_RMS]; i++)
    rms[i] = length > 0 ? sqrt(rms[i] / length) : fabs(c->before[c->first[LIMB_COLLECT_RMS] + i]);
  c->x[0] = at->time;
  return s;
}

static limb_status advance(sweep_case* c, limb_error* err)
{
  limb_sim* sim = limb_runner_sim(c->runner);
  limb_sim_state at;
  limb_status s = take_start(c, &at, err);
  bool over = c->setup->end <= c->setup->start;
  while (s == LIMB_OK && !over) {
    const double goal = fmin(fmin(row_time(c), point_time(c)), c->setup->end);
    limb_sim_event event = {.kind = LIMB_EVENT_NONE};
    s = limb_sim_advance(sim, goal, &event);
    if (s == LIMB_OK) s = limb_sim_now(sim, &at);
    if (s != LIMB_OK) return broke(c, s, err);
    over = event.kind == LIMB_EVENT_NONE ? goal >= c->setup->end : event.ends;
    if (event.kind == LIMB_EVENT_NONE)
      s = take_due(c, &at, err);
    else
      take_event(c, &event);
  }
  return s == LIMB_OK ? take_end(c, &at, err) : s;
}

limb_status limb_sweep_run_case(limb_sweep* s, double* x, limb_error* err)
{
  sweep_case c;
  limb_status status = open_case(&c, s, err);
  c.x = x;
  if (status == LIMB_OK && c.own && !has_columns(&c))
    status = limb_fail(err, LIMB_E_ARG, "", "this robot has other columns than that of the first case");
  if (status == LIMB_OK) {
    const limb_sim_condition watch = {.value = pulse, .context = s, .polled = 1};
    double* events = place_of(&c, LIMB_COLLECT_EVENTS);
    for (int i = 0; i < s->study->collect[LIMB_COLLECT_EVENTS].count; i++) events[2 * i + 1] = 0;
    status = limb_sim_add_condition(limb_runner_sim(c.runner), &watch, NULL);
  }
  if (status == LIMB_OK) status = limb_runner_start(c.runner, err);
  if (status == LIMB_OK) status = advance(&c, err);
  close_case(&c);
  return status;
}
