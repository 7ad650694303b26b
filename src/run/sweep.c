// Studies: dimensions and their numbers, cases, columns.
#include "run/sweep_impl.h"

#include "base/number.h"
#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_MAX = 1000000000 }; // of rows [Hz]: faster ones would have the same times

// ---- errors -----------------------------------------------------------------------------------------------

// 1 if a value with this key is of the study, and not of a run file of its own.
static int is_of_study(const limb_sweep* s, const limb_error* why)
{
  if (!s->run_path || !s->study->run_path) return 1;
  if (strncmp(why->where, "vary.", 5) == 0 || strncmp(why->where, "collect", 7) == 0) return 1;
  for (int i = 0; i < s->study->nvary; i++)
    for (int k = 0; k < s->study->vary[i].ntarget; k++)
      if (strcmp(s->study->vary[i].target[k].as.name, why->where) == 0) return 1;
  for (const char* const* w = (const char* const[]){"samples", "sampling", "seed", NULL}; *w; w++)
    if (strcmp(why->where, *w) == 0) return 1;
  return 0;
}

limb_status limb_sweep_wrong(const limb_sweep* s, limb_error* err, const limb_error* why)
{
  const char* file = is_of_study(s, why) ? s->path : s->study->run_path;
  char place[64] = "";
  if (why->line > 0) (void)snprintf(place, sizeof place, ":%d:%d", why->line, why->column);
  (void)limb_fail(err, why->status, why->where, "%.120s%s: %s%s%s", file, place, why->where, *why->where ? ": " : "",
                  *why->text ? why->text : limb_status_text(why->status));
  if (err) err->line = why->line, err->column = why->column;
  return why->status;
}

static limb_status no_memory(limb_error* err) { return limb_fail(err, LIMB_E_NOMEM, "", "out of memory"); }

// ---- dimensions -------------------------------------------------------------------------------------------

static limb_status bad_range(limb_error* err, const limb_study_vary* v, const char* text)
{
  return limb_run_wrong(err, &v->name, "%s", text);
}

static limb_status check_numbers(const limb_study_vary* v, sweep_dimension* d, limb_error* err)
{
  const double* p = d->p;
  switch (v->kind) {
  case LIMB_STUDY_LOG_GRID:
    if (!(p[0] > 0 && p[1] > 0)) return bad_range(err, v, "a logarithmic grid needs numbers above zero");
    break;
  case LIMB_STUDY_UNIFORM:
    if (!(p[0] < p[1])) return bad_range(err, v, "low must be below high");
    break;
  case LIMB_STUDY_LOG_UNIFORM:
    if (!(p[0] > 0 && p[0] < p[1])) return bad_range(err, v, "low must be above zero, and below high");
    break;
  case LIMB_STUDY_NORMAL:
    if (!(p[1] > 0)) return bad_range(err, v, "the standard deviation must be above zero");
    break;
  case LIMB_STUDY_LOG_NORMAL:
    if (!(p[0] > 0 && p[1] > 0)) return bad_range(err, v, "median and deviation must be above zero");
    break;
  case LIMB_STUDY_TRIANGULAR:
    if (!(p[0] < p[2] && p[0] <= p[1] && p[1] <= p[2]))
      return bad_range(err, v, "low, mode and high must rise, and low must be below high");
    break;
  case LIMB_STUDY_LIST:
  case LIMB_STUDY_GRID:
  case LIMB_STUDY_CHOOSE: break;
  }
  if (d->limited && !(d->low < d->high)) return bad_range(err, v, "the lower limit must be below the upper one");
  if (d->limited && v->kind == LIMB_STUDY_LOG_NORMAL && !(d->low > 0))
    return bad_range(err, v, "limits must be above zero");
  return LIMB_OK;
}

// Words: numbers, or all of them texts.
static void read_words(const limb_study_vary* v, sweep_dimension* d, double* words)
{
  d->count = v->values.count;
  d->value = words;
  for (int i = 0; i < d->count; i++)
    if (limb_formula_number(v->values.value[i].text, NULL, &words[i], NULL) != LIMB_OK) d->value = NULL;
}

static limb_status read_numbers(const limb_study_vary* v, sweep_dimension* d, limb_error* err)
{
  const bool grid = v->kind == LIMB_STUDY_GRID || v->kind == LIMB_STUDY_LOG_GRID;
  const int numbers = grid ? 2 : v->values.count;
  limb_status s = LIMB_OK;
  for (int i = 0; i < numbers && i < 3 && s == LIMB_OK; i++)
    s = limb_run_number(&v->values.value[i], LIMB_RUN_ANY, &d->p[i], err);
  if (s == LIMB_OK && grid) {
    double count = 0;
    s = limb_run_whole(&v->values.value[2], 1e9, &count, err);
    if (s == LIMB_OK && count < 1) s = bad_range(err, v, "the grid is empty: there would be no case");
    d->count = (int)count;
  }
  d->limited = v->limits.count == 2;
  for (int i = 0; i < v->limits.count && s == LIMB_OK; i++)
    s = limb_run_number(&v->limits.value[i], LIMB_RUN_ANY, i ? &d->high : &d->low, err);
  return s == LIMB_OK ? check_numbers(v, d, err) : s;
}

static limb_status read_dimensions(limb_sweep* s, limb_error* err)
{
  const limb_study* t = s->study;
  size_t words = 0;
  uint32_t sampled = 0;
  limb_status status = LIMB_OK;
  for (int i = 0; i < t->nvary; i++) words += (size_t)t->vary[i].values.count;
  s->dimension = calloc((size_t)t->nvary + 1, sizeof *s->dimension);
  s->words = calloc(words + 1, sizeof *s->words);
  if (!s->dimension || !s->words) return no_memory(err);
  double* w = s->words;
  for (int i = 0; i < t->nvary && status == LIMB_OK; i++) {
    const limb_study_vary* v = &t->vary[i];
    sweep_dimension* d = &s->dimension[s->ndimension++];
    *d = (sweep_dimension){.from = v, .sampled = v->kind >= LIMB_STUDY_UNIFORM};
    if (d->sampled) d->index = sampled++;
    if (v->kind == LIMB_STUDY_LIST || v->kind == LIMB_STUDY_CHOOSE)
      read_words(v, d, w), w += v->values.count;
    else
      status = read_numbers(v, d, err);
  }
  if (status == LIMB_OK && s->sampling == SAMPLE_SOBOL && sampled > SOBOL_DIMENSIONS)
    status = limb_run_wrong(err, &t->sampling, "sobol has %d dimensions, and %u numbers are sampled: use latin",
                            SOBOL_DIMENSIONS, sampled);
  if (status == LIMB_OK && sampled > 0 && !t->samples.text)
    status = limb_run_wrong(err, &t->vary[0].name,
                            "the study has distributions: state how many samples to draw, as in samples: 100");
  if (status == LIMB_OK && sampled == 0 && t->samples.text)
    status = limb_run_wrong(err, &t->samples, "nothing is sampled: the study has lists and grids only");
  return status;
}

static limb_status count_cases(limb_sweep* s, limb_error* err)
{
  const double limit = pow(2, LIMB_SWEEP_CASES_BITS);
  double cases = (double)s->samples;
  char sizes[160] = "";
  size_t used = 0;
  for (int i = 0; i < s->ndimension; i++) {
    const sweep_dimension* d = &s->dimension[i];
    if (d->sampled) continue;
    cases *= d->count;
    if (used < sizeof sizes)
      used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%d", used ? " x " : "", d->count);
  }
  if (cases <= limit) {
    s->cases = s->samples;
    for (int i = 0; i < s->ndimension; i++)
      if (!s->dimension[i].sampled) s->cases *= (uint64_t)s->dimension[i].count;
    return LIMB_OK;
  }
  const limb_run_value* at = s->study->samples.text ? &s->study->samples : &s->study->vary[0].name;
  return limb_run_wrong(err, at, "the study has %.3g cases%s%s%s, and at most 2^%d = %.0f are possible", cases,
                        *sizes ? " (grids of " : "", sizes, *sizes ? ")" : "", LIMB_SWEEP_CASES_BITS, limit);
}

static limb_status read_settings(limb_sweep* s, limb_error* err)
{
  static const char* const ways[] = {"random", "latin", "sobol", NULL};
  const limb_study* t = s->study;
  double samples = 1, seed = 0, points = 50;
  int way = 0;
  s->rate = 0;
  limb_status status = limb_run_whole(&t->samples, 1e15, &samples, err);
  if (status == LIMB_OK && samples < 1) status = limb_run_wrong(err, &t->samples, "must be at least 1");
  if (status == LIMB_OK) status = limb_run_whole(&t->seed, 9007199254740991.0, &seed, err);
  if (status == LIMB_OK) status = limb_run_word(&t->sampling, ways, &way, err);
  if (status == LIMB_OK) status = limb_run_quantity(&t->rate, LIMB_RUN_POSITIVE, "Hz", &s->rate, err);
  if (status == LIMB_OK && s->rate > RATE_MAX) status = limb_run_wrong(err, &t->rate, "must be at most 1 GHz");
  if (status == LIMB_OK) status = limb_run_whole(&t->points, 1e6, &points, err);
  if (status == LIMB_OK && points < 2) status = limb_run_wrong(err, &t->points, "must be at least 2");
  s->samples = (uint64_t)samples, s->seed = (uint64_t)seed, s->points = (int)points;
  s->sampling = (sweep_sampling)way;
  if (status == LIMB_OK) status = read_dimensions(s, err);
  return status == LIMB_OK ? count_cases(s, err) : status;
}

// ---- cases ------------------------------------------------------------------------------------------------

// The template with the value in place of each {}.
void limb_sweep_fill(const limb_study_target* t, const char* value, char* to)
{
  const char* from = t->as.text;
  size_t used = 0;
  for (const char* place; (place = strstr(from, "{}")); from = place + 2)
    used += (size_t)snprintf(to + used, t->size - used, "%.*s%s", (int)(place - from), from, value);
  (void)snprintf(to + used, t->size - used, "%s", from);
}

static double value_of(const limb_sweep* s, const sweep_dimension* d, uint64_t sample, uint64_t* grid)
{
  if (d->sampled) return limb_dimension_at(d, s->sampling, s->seed, sample, s->samples);
  const uint64_t count = d->count > 0 ? (uint64_t)d->count : 1, entry = *grid % count;
  *grid /= count;
  return limb_dimension_entry(d, entry);
}

// Samples are the innermost; of the grid, the last dimension changes first.
void limb_sweep_take_case(limb_sweep* s, uint64_t k, double* x)
{
  uint64_t grid = k / s->samples;
  for (int i = s->ndimension - 1; i >= 0; i--) {
    const sweep_dimension* d = &s->dimension[i];
    const limb_study_vary* from = d->from;
    if (!from) continue;
    const double value = value_of(s, d, k % s->samples, &grid);
    const bool words = from->kind == LIMB_STUDY_LIST || from->kind == LIMB_STUDY_CHOOSE;
    char number[LIMB_NUMBER_SPACE];
    (void)limb_print_number(value, number);
    for (int t = 0; t < from->ntarget; t++)
      limb_sweep_fill(&from->target[t], words ? from->values.value[(int)value].text : number, from->target[t].slot);
    x[i] = words && d->value ? d->value[(int)value] : value;
  }
}

limb_status limb_sweep_values(limb_sweep* s, uint64_t k, double* x)
{
  if (!s || !x || k >= s->cases) return LIMB_E_ARG;
  limb_sweep_take_case(s, k, x);
  return LIMB_OK;
}

limb_status limb_sweep_check(limb_sweep* s, uint64_t k, limb_error* err)
{
  if (!s || k >= s->cases) return limb_fail(err, LIMB_E_ARG, "", "there is no such case");
  limb_error why = {0};
  limb_sweep_take_case(s, k, s->scratch);
  const limb_status status = limb_sweep_set_up(s, &why);
  why.status = status;
  return status == LIMB_OK ? status : limb_sweep_wrong(s, err, &why);
}

limb_status limb_sweep_case(limb_sweep* s, uint64_t k, double* x, limb_error* err)
{
  if (!s || !x || k >= s->cases) return limb_fail(err, LIMB_E_ARG, "", "there is no such case");
  limb_error why = {0};
  limb_sweep_take_case(s, k, x);
  for (int i = s->ndimension; i < s->ncolumn; i++) x[i] = nan("");
  s->stopped = false;
  const limb_status status = limb_sweep_run_case(s, x + s->ndimension, &why);
  if (status == LIMB_OK) return status;
  for (int i = s->ndimension; i < s->ncolumn; i++) x[i] = nan("");
  why.status = status;
  return limb_fail(err, status, why.where, "%s%s%s", why.where, *why.where ? ": " : "",
                   *why.text ? why.text : limb_status_text(status));
}

// ---- opening and closing ----------------------------------------------------------------------------------

static limb_status read_study(limb_sweep* s, limb_error* err)
{
  limb_error why = {0};
  limb_status status = limb_read_study(s->path, &s->read, &s->reading, &why);
  if (status != LIMB_OK) {
    char line[LIMB_ERROR_LINE];
    return limb_fail(err, status, why.where, "%s", limb_error_line(s->path, &why, line));
  }
  s->study = limb_reading_study(s->reading);
  s->run = limb_reading_run(s->reading);
  s->run_path = s->study->run_path ? s->study->run_path : s->path;
  status = read_settings(s, &why);
  why.status = status;
  return status == LIMB_OK ? status : limb_sweep_wrong(s, err, &why);
}

// The columns of the first case that can be set up. If none of some can, the first one's error is that of the study.
static limb_status first_case(limb_sweep* s, limb_error* err)
{
  double* x = calloc((size_t)s->ndimension + 1, sizeof *x);
  limb_error first = {0}, why = {0};
  if (!x) return no_memory(err);
  limb_status status = LIMB_E_ARG;
  for (uint64_t k = 0; k < s->cases && k < 16 && status != LIMB_OK; k++) {
    limb_sweep_take_case(s, k, x);
    if (k == 0 && !s->owner) status = limb_sweep_open_shared(s, &why);
    if (k == 0 && !s->owner && status != LIMB_OK) break;
    status = limb_sweep_find_columns(s, &why);
    why.status = status;
    if (k == 0) first = why;
  }
  free(x);
  if (status == LIMB_OK) return status;
  if (!first.status) first = why, first.status = status;
  return limb_sweep_wrong(s, err, &first);
}

static limb_status open_study(const char* path, const limb_read_options* opt, const limb_sweep* owner, limb_sweep** out,
                              limb_error* err)
{
  limb_read_options own = limb_default_read_options();
  const limb_status sized = opt ? limb_sized_read(&own, sizeof own, opt, sizeof own) : LIMB_OK;
  if (sized != LIMB_OK) return limb_fail(err, sized, "", "options: their size is unknown");
  const size_t size = strlen(path) + 1;
  limb_sweep* s = calloc(1, sizeof *s);
  if (!s) return no_memory(err);
  *s = (limb_sweep){.owner = owner, .path = malloc(size), .read = own};
  limb_status status = s->path ? LIMB_OK : no_memory(err);
  if (s->path) memcpy(s->path, path, size);
  if (status == LIMB_OK) status = read_study(s, err);
  if (status == LIMB_OK) status = first_case(s, err);
  if (status == LIMB_OK && owner && (s->ncolumn != owner->ncolumn || s->cases != owner->cases))
    status = limb_fail(err, LIMB_E_ORDER, "", "%.200s changed while it was read", path);
  if (status == LIMB_OK && !(s->scratch = calloc((size_t)s->ncolumn + 1, sizeof *s->scratch))) status = no_memory(err);
  if (status == LIMB_OK)
    *out = s;
  else
    limb_sweep_close(s);
  return status;
}

limb_status limb_sweep_open(const char* path, const limb_read_options* opt, limb_sweep** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!path || !out) return limb_fail(err, LIMB_E_ARG, "", "a path and a place for the study are needed");
  return open_study(path, opt, NULL, out, err);
}

limb_status limb_sweep_copy(const limb_sweep* s, limb_sweep** out, limb_error* err)
{
  if (out) *out = NULL;
  if (!s || !s->path || !out) return limb_fail(err, LIMB_E_ARG, "", "a study and a place for the copy are needed");
  return open_study(s->path, &s->read, s->owner ? s->owner : s, out, err);
}

void limb_sweep_close(limb_sweep* s)
{
  if (!s) return;
  limb_sweep_drop_columns(s);
  free(s->scratch);
  free(s->dimension);
  free(s->words);
  free(s->path);
  limb_model_destroy(s->shared.model);
  limb_model_destroy(s->shared.base);
  limb_reading_destroy(s->shared.robot);
  limb_reading_destroy(s->own_robot);
  limb_reading_destroy(s->reading);
  free(s);
}

// ---- questions --------------------------------------------------------------------------------------------

void limb_sweep_set_stop(limb_sweep* s, limb_sweep_stop_fn* stop, void* context)
{
  if (s) s->stop = stop, s->context = context;
}

uint64_t limb_sweep_cases(const limb_sweep* s) { return s ? s->cases : 0; }

const char* limb_sweep_hash(const limb_sweep* s) { return !s ? "" : s->owner ? s->owner->shared.hash : s->shared.hash; }

const limb_study* limb_sweep_study(const limb_sweep* s) { return s ? s->study : NULL; }

int limb_sweep_columns(const limb_sweep* s) { return s ? s->ncolumn : 0; }

int limb_sweep_varied(const limb_sweep* s) { return s ? s->ndimension : 0; }

int limb_sweep_row_width(const limb_sweep* s) { return s->ncolumn - s->ndimension; }

static bool has_column(const limb_sweep* s, int column) { return s && column >= 0 && column < s->ncolumn; }

const char* limb_sweep_column(const limb_sweep* s, int column)
{
  return has_column(s, column) ? s->column[column].name : "";
}

const char* limb_sweep_column_unit(const limb_sweep* s, int column)
{
  return has_column(s, column) ? s->column[column].unit : "";
}

const char* limb_sweep_word(const limb_sweep* s, int column, double value)
{
  if (!has_column(s, column) || column >= s->ndimension) return NULL;
  const sweep_dimension* d = &s->dimension[column];
  if (d->value || (d->from->kind != LIMB_STUDY_LIST && d->from->kind != LIMB_STUDY_CHOOSE)) return NULL;
  return value >= 0 && value < d->count ? d->from->values.value[(int)value].text : "";
}
