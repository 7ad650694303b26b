// Values of a run: numbers, words, names of joints and frames; formulas, compiled for the names of a state; tables.
#include "run/run_impl.h"

#include "limb/task.h"
#include "base/names.h"
#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- messages ----------------------------------------------------------------------------------------------

limb_status limb_run_wrong(limb_error* err, const limb_run_value* at, const char* format, ...)
{
  char text[sizeof err->text];
  va_list list;
  va_start(list, format);
  (void)vsnprintf(text, sizeof text, format, list);
  va_end(list);
  (void)limb_fail(err, LIMB_E_ARG, at->key, "%s", text);
  if (err) err->line = at->line, err->column = at->column;
  return LIMB_E_ARG;
}

limb_status limb_run_failed(const limb_runner* r, limb_status s, const char* what)
{
  return limb_fail(r->err, s, "", "%s: %s", what, limb_status_text(s));
}

limb_status limb_run_no_memory(const limb_runner* r) { return limb_fail(r->err, LIMB_E_NOMEM, "", "out of memory"); }

double* limb_run_zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// ---- numbers and words -------------------------------------------------------------------------------------

limb_status limb_run_number(const limb_run_value* at, limb_run_range range, double* out, limb_error* err)
{
  return limb_run_quantity(at, range, NULL, out, err);
}

limb_status limb_run_quantity(const limb_run_value* at, limb_run_range range, const char* unit, double* out,
                              limb_error* err)
{
  double x = 0;
  limb_error why = {0};
  if (!at || !out) return LIMB_E_ARG;
  if (!at->text) return LIMB_OK;
  const limb_status s = limb_formula_number(at->text, unit, &x, &why);
  if (s == LIMB_E_NOMEM) return limb_fail(err, s, "", "out of memory");
  if (s != LIMB_OK)
    return limb_run_wrong(err, at, "'%.80s' is not a number: %s", at->text, *why.text ? why.text : limb_status_text(s));
  if (!isfinite(x)) return limb_run_wrong(err, at, "'%.80s' is not finite", at->text);
  if (range == LIMB_RUN_POSITIVE && x <= 0) return limb_run_wrong(err, at, "must be positive, not %g", x);
  if (range == LIMB_RUN_NOT_NEGATIVE && x < 0) return limb_run_wrong(err, at, "must not be negative, as %g is", x);
  *out = x;
  return LIMB_OK;
}

limb_status limb_run_whole(const limb_run_value* at, double max, double* out, limb_error* err)
{
  double x = *out;
  const limb_status s = limb_run_number(at, LIMB_RUN_ANY, &x, err);
  if (s != LIMB_OK || !at->text) return s;
  if (x < 0 || x > max || x != floor(x))
    return limb_run_wrong(err, at, "must be a whole number from 0 to %.0f, not '%.80s'", max, at->text);
  *out = x;
  return LIMB_OK;
}

int limb_run_index_of(const char* word, const char* const* words)
{
  for (int k = 0; words[k]; k++)
    if (strcmp(words[k], word) == 0) return k;
  return -1;
}

static const char* word_at(const void* words, int i) { return ((const char* const*)words)[i]; }

limb_status limb_run_word(const limb_run_value* at, const char* const* words, int* out, limb_error* err)
{
  char all[160] = "";
  size_t used = 0;
  int count = 0;
  if (!at->text) return LIMB_OK;
  const int found = limb_run_index_of(at->text, words);
  if (found >= 0) {
    *out = found;
    return LIMB_OK;
  }
  while (words[count]) count++;
  const char* near = limb_nearest(at->text, count, word_at, words);
  if (near) return limb_run_wrong(err, at, "unknown value '%.40s'; did you mean '%s'?", at->text, near);
  for (int k = 0; words[k] && used < sizeof all - 1; k++) {
    const char* gap = k == 0 ? "" : words[k + 1] ? ", " : " and ";
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", gap, words[k]);
  }
  return limb_run_wrong(err, at, "'%.40s' is none of %s", at->text, all);
}

limb_status limb_run_truth(const limb_run_value* at, int* out, limb_error* err)
{
  static const char* const words[] = {"false", "true", NULL};
  return limb_run_word(at, words, out, err);
}

limb_status limb_run_directions(const limb_run_values* list, unsigned* out, limb_error* err)
{
  static const char* const words[] = {"wx", "wy", "wz", "vx", "vy", "vz", "angular", "linear", NULL};
  static const unsigned bits[] = {LIMB_WX, LIMB_WY, LIMB_WZ, LIMB_VX, LIMB_VY, LIMB_VZ, LIMB_ANGULAR, LIMB_LINEAR};
  if (!list || !out) return LIMB_E_ARG;
  *out = list->count > 0 ? 0 : (unsigned)LIMB_TWIST;
  for (int i = 0; i < list->count; i++) {
    int k = 0;
    const limb_status s = limb_run_word(&list->value[i], words, &k, err);
    if (s != LIMB_OK) return s;
    *out |= bits[k];
  }
  return LIMB_OK;
}

limb_status limb_run_model_options(const limb_run* run, limb_read_options* out, limb_error* err)
{
  static const char* const bases[] = {"as-file", "fixed", "floating", "planar", NULL};
  static const limb_base base[] = {LIMB_BASE_AS_FILE, LIMB_BASE_FIXED, LIMB_BASE_FLOATING, LIMB_BASE_PLANAR};
  int word = -1, mimic = 1, any_file = 0;
  if (!run || !out) return LIMB_E_ARG;
  const limb_run_model* m = &run->model;
  limb_status s = limb_run_word(&m->base, bases, &word, err);
  if (s == LIMB_OK) s = limb_run_truth(&m->mimic, &mimic, err);
  if (s == LIMB_OK) s = limb_run_truth(&m->any_file, &any_file, err);
  if (word >= 0) out->base = base[word];
  if (!mimic) out->no_mimic = 1;
  if (any_file) out->any_file = 1;
  if (!out->xacro_arguments || !*out->xacro_arguments) out->xacro_arguments = m->arguments; // options override the run
  if (!out->package_path) out->package_path = m->packages;
  if (!out->srdf) out->srdf = m->srdf_path;
  if (!out->model_name) out->model_name = m->model_name.text;
  return s;
}

size_t limb_run_path(const char* run_path, const limb_run_value* at, char* out, size_t size)
{
  if (!at || !at->text || (!out && size > 0)) return 0;
  const char* slash = at->line > 0 && run_path ? strrchr(run_path, '/') : NULL;
  const int folder = slash && *at->text != '/' ? (int)(slash - run_path) + 1 : 0;
  return (size_t)snprintf(out, size, "%.*s%s", folder, folder ? run_path : "", at->text);
}

// ---- joints and frames -------------------------------------------------------------------------------------

typedef struct dof_list {
  const limb_dof_info* dof;
} dof_list;

static const char* dof_name(const void* context, int i) { return ((const dof_list*)context)->dof[i].name; }

int limb_run_find_dof(const limb_runner* r, const limb_run_value* at, int of_q)
{
  const dof_list list = {of_q ? r->dq : r->dv};
  const int n = of_q ? r->nq : r->nv;
  const size_t length = strlen(at->name);
  const char* first = NULL;
  int components = 0;
  for (int k = 0; k < n; k++) {
    const char* name = list.dof[k].name;
    if (strcmp(name, at->name) == 0) return k;
    if (strncmp(name, at->name, length) != 0 || name[length] != '.') continue;
    if (components++ == 0) first = name;
  }
  if (components > 0)
    return limb_run_wrong(r->err, at, "'%.64s' has %d components: name one, as in %s", at->name, components, first), -1;
  const char* near = limb_nearest(at->name, n, dof_name, &list);
  (void)limb_run_wrong(r->err, at, "the model has no joint '%.64s'%s%s%s", at->name, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "; limb info names them");
  return -1;
}

int limb_run_find_frame(const limb_runner* r, const limb_run_value* at)
{
  const limb_model* m = r->model;
  const int frame = limb_find_frame(m, at->text);
  if (frame >= 0) return frame;
  char hint[LIMB_FRAME_HINT];
  (void)limb_run_wrong(r->err, at, "the model has no frame '%.64s'%s", at->text, limb_frame_hint(m, at->text, hint));
  return -1;
}

// ---- formulas ----------------------------------------------------------------------------------------------

typedef struct run_formula {
  limb_formula* f;
  const limb_run_value* from;
} run_formula;

void limb_run_formulas_free(run_formulas* f)
{
  for (int k = 0; k < f->count; k++) limb_formula_destroy(f->formula[k].f);
  free(f->formula);
  free(f->x);
  free(f->symbol);
  free(f->value);
  limb_channels_destroy(f->channels);
  *f = (run_formulas){0};
}

// Memory for one more formula, and the channels of the first.
static limb_status extend(run_formulas* f, const limb_runner* r, unsigned known)
{
  if (!f->channels) {
    limb_evaluator_options o = limb_default_evaluator_options();
    o.known = known;
    const limb_status s = limb_channels_create(r->model, &r->setup.sim.env, &o, &f->channels);
    if (s != LIMB_OK) return limb_run_failed(r, s, "formulas");
  }
  if (f->count < f->capacity) return LIMB_OK;
  const int more = f->capacity ? 2 * f->capacity : 32;
  run_formula* grown = realloc(f->formula, (size_t)more * sizeof *grown);
  if (!grown) return limb_run_no_memory(r);
  f->formula = grown, f->capacity = more;
  return LIMB_OK;
}

limb_status limb_run_formulas_add(run_formulas* f, limb_runner* r, unsigned known, const limb_run_value* at,
                                  int* direction, int* index)
{
  limb_formula* compiled = NULL;
  limb_error err = {0};
  limb_status s = extend(f, r, known);
  if (s != LIMB_OK) return s;
  const limb_formula_names names = limb_channels_names(f->channels);
  s = direction ? limb_formula_parse_condition(at->text, &names, NULL, &compiled, direction, &err)
                : limb_formula_parse(at->text, &names, NULL, &compiled, &err);
  if (s == LIMB_E_NOMEM || limb_channels_no_memory(f->channels)) return limb_run_no_memory(r);
  const char* because = limb_channels_refusal(f->channels);
  if (s != LIMB_OK && *because) return limb_run_wrong(r->err, at, "'%.160s': %s", at->text, because);
  if (s != LIMB_OK) return limb_run_wrong(r->err, at, "'%.160s': %s (at character %d)", at->text, err.text, err.column);
  f->formula[f->count] = (run_formula){compiled, at};
  if (index) *index = f->count;
  f->count++;
  return LIMB_OK;
}

limb_status limb_run_formulas_ready(run_formulas* f, const limb_runner* r)
{
  int max = 0;
  for (int k = 0; k < f->count; k++) {
    const int n = limb_formula_symbol_count(f->formula[k].f);
    if (n > max) max = n;
  }
  f->x = limb_run_zeros(limb_channels_count(f->channels));
  f->symbol = limb_run_zeros(max);
  f->value = limb_run_zeros(f->count);
  return f->x && f->symbol && f->value ? LIMB_OK : limb_run_no_memory(r);
}

limb_status limb_run_formulas_read(run_formulas* f, limb_runner* r, const limb_sim_state* at)
{
  limb_error err = {0};
  const limb_status s = limb_channels_read(f->channels, at, f->x, &err);
  if (s != LIMB_OK) {
    (void)snprintf(r->trouble, sizeof r->trouble, "%s at %.9g s: %s", err.where, at->time, err.text);
    return s;
  }
  for (int k = 0; k < f->count; k++) {
    const limb_formula* e = f->formula[k].f;
    const limb_run_value* from = f->formula[k].from;
    const int n = limb_formula_symbol_count(e);
    for (int i = 0; i < n; i++) f->symbol[i] = f->x[limb_formula_symbol(e, i)];
    f->value[k] = limb_formula_value(e, f->symbol);
    if (isfinite(f->value[k])) continue;
    (void)snprintf(r->trouble, sizeof r->trouble, "%.80s: '%.160s' is %g at %.9g s", from->key, from->text, f->value[k],
                   at->time);
    return LIMB_E_NONFINITE;
  }
  return LIMB_OK;
}
