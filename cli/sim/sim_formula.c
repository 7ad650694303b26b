// Formulas of a run, compiled for the names of a state; tables as signals.
#define _POSIX_C_SOURCE 200809L // fileno

#include "limb/table.h"

#include "base/command.h"
#include "base/output.h"
#include "sim/sim.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- formulas --------------------------------------------------------------------------------------

void sim_formulas_begin(sim_formulas* f, sim_job* job, unsigned known)
{
  // The probe contains pointers into itself and must not be moved.
  memset(f, 0, sizeof *f);
  sim_probe_begin(&f->probe, job->plan.args, &job->robot, &job->dofs, known);
}

void sim_formulas_free(sim_formulas* f)
{
  for (int k = 0; k < f->count; k++) limb_formula_destroy(f->formula[k].f);
  free(f->formula);
  free(f->x);
  free(f->symbol);
  free(f->value);
  sim_probe_free(&f->probe);
  memset(f, 0, sizeof *f);
}

static int report_syntax(sim_formulas* f, sim_job* job, const limb_run_value* at, const limb_error* err)
{
  const char* because = f->probe.because;
  if (*because) return sim_wrong(&job->plan, at, "'%.160s': %s", at->text, because);
  return sim_wrong(&job->plan, at, "'%.160s': %s (at character %d)", at->text, err->text, err->column);
}

int sim_formulas_add(sim_formulas* f, sim_job* job, const limb_run_value* at, int* direction, int* index)
{
  const limb_formula_names names = sim_probe_names(&f->probe);
  limb_formula* compiled = NULL;
  limb_error err = {0};
  sim_formula* grown = sim_grow(f->formula, &f->capacity, f->count, sizeof *grown);
  if (!grown) return sim_out_of_memory(&job->plan);
  f->formula = grown;
  *f->probe.because = '\0';
  const limb_status s = direction ? limb_formula_parse_condition(at->text, &names, NULL, &compiled, direction, &err)
                                  : limb_formula_parse(at->text, &names, NULL, &compiled, &err);
  if (s == LIMB_E_NOMEM) return sim_out_of_memory(&job->plan);
  if (s != LIMB_OK) return report_syntax(f, job, at, &err);
  f->formula[f->count] = (sim_formula){compiled, at};
  if (index) *index = f->count;
  f->count++;
  return EXIT_FINE;
}

int sim_formulas_ready(sim_formulas* f)
{
  int max = 0;
  for (int k = 0; k < f->count; k++) {
    const int n = limb_formula_symbol_count(f->formula[k].f);
    if (n > max) max = n;
  }
  f->x = sim_zeros(f->probe.count);
  f->symbol = sim_zeros(max);
  f->value = sim_zeros(f->count);
  if (!f->x || !f->symbol || !f->value) return cli_usage(f->probe.args, "out of memory");
  return EXIT_FINE;
}

static limb_status no_value(sim_formulas* f, sim_job* job, int k, double t)
{
  const limb_run_value* at = f->formula[k].from;
  (void)snprintf(job->trouble, sizeof job->trouble, "%.80s: '%.160s' is %g at %.9g s", at->key, at->text, f->value[k],
                 t);
  return LIMB_E_NONFINITE;
}

limb_status sim_formulas_read(sim_formulas* f, sim_job* job, const limb_sim_state* at)
{
  const limb_status s = sim_probe_read(&f->probe, at, f->x);
  if (s != LIMB_OK) {
    (void)snprintf(job->trouble, sizeof job->trouble, "%s at %.9g s: %s", sim_probe_culprit(&f->probe), at->time,
                   f->probe.reason);
    return s;
  }
  for (int k = 0; k < f->count; k++) {
    const limb_formula* e = f->formula[k].f;
    const int n = limb_formula_symbol_count(e);
    for (int i = 0; i < n; i++) f->symbol[i] = f->x[limb_formula_symbol(e, i)];
    f->value[k] = limb_formula_value(e, f->symbol);
    if (!isfinite(f->value[k])) return no_value(f, job, k, at->time);
  }
  return LIMB_OK;
}

// ---- tables ----------------------------------------------------------------------------------------

typedef struct table_columns {
  int time;    // its column
  int* column; // of each that is for us
} table_columns;

// Finds the columns for us; a note names the others.
static int find_columns(const sim_job* job, const limb_run_value* file, const char* path, const limb_csv_reader* csv,
                        sim_column_fn* where, const void* context, sim_table* t, table_columns* c)
{
  const int n = limb_csv_column_count(csv);
  int others = 0;
  const char* other = NULL;
  c->time = limb_csv_find(csv, "time");
  if (c->time < 0) return sim_wrong(&job->plan, file, "%s has no column time", path);
  c->column = calloc((size_t)n + 1, sizeof *c->column);
  t->to = calloc((size_t)n + 1, sizeof *t->to);
  if (!c->column || !t->to) return sim_out_of_memory(&job->plan);
  for (int k = 0; k < n; k++) {
    const int to = k == c->time ? -1 : where(context, limb_csv_column(csv, k));
    if (to == SIM_COLUMN_NONE && k != c->time) others++, other = limb_csv_column(csv, k);
    if (to < 0) continue;
    c->column[t->columns] = k;
    t->to[t->columns++] = to;
  }
  if (t->columns == 0)
    return sim_wrong(&job->plan, file, "%s has no suitable column, only others such as '%s'", path,
                     other ? other : "time");
  if (others > 0 && !job->quiet)
    (void)fprintf(stderr, "%s:1: note: %d column%s not used, such as '%s'\n", path, others,
                  others == 1 ? " is" : "s are", other);
  return EXIT_FINE;
}

static int make_signal(const sim_job* job, const limb_run_value* file, const char* path, const limb_table* data,
                       limb_signal_kind kind, sim_table* t)
{
  const limb_samples samples = {.count = data->rows, .time = data->time, .columns = t->columns, .value = data->value};
  limb_error err = {0};
  const limb_status s = limb_signal_create(kind, &samples, NULL, &t->signal, &err);
  if (s != LIMB_OK && s != LIMB_E_NOMEM) return sim_wrong(&job->plan, file, "%s: %s", path, err.text);
  t->x = sim_zeros(t->columns), t->x1 = sim_zeros(t->columns), t->x2 = sim_zeros(t->columns);
  return s == LIMB_OK && t->x && t->x1 && t->x2 ? EXIT_FINE : sim_out_of_memory(&job->plan);
}

int sim_table_open(sim_table* t, sim_job* job, const limb_run_value* file, limb_signal_kind kind, sim_column_fn* where,
                   const void* context)
{
  const char* path = sim_input_path(&job->plan, file);
  if (!path || cli_reads(job->plan.args, path) != EXIT_FINE) return EXIT_USAGE;
  errno = 0;
  FILE* stream = fopen(path, "rb");
  if (!stream) return sim_wrong(&job->plan, file, "%s: %s", path, strerror(errno));
  limb_error err = {0};
  limb_csv_reader* csv = NULL;
  table_columns c = {0};
  limb_table data = {0};
  limb_status s = limb_csv_open(stream, NULL, &csv, &err);
  int code = EXIT_FINE;
  if (s == LIMB_OK) code = find_columns(job, file, path, csv, where, context, t, &c);
  if (s == LIMB_OK && code == EXIT_FINE) s = limb_table_read(csv, c.time, t->columns, c.column, &data, &err);
  if (s == LIMB_OK && code == EXIT_FINE && limb_csv_unended(csv))
    (void)fprintf(stderr, "%s:%d: warning: the last line does not end: its last number may have been cut off\n", path,
                  limb_csv_line(csv));
  if (s == LIMB_OK && code == EXIT_FINE) code = make_signal(job, file, path, &data, kind, t);
  if (s != LIMB_OK) {
    cli_print_error(stderr, path, s, &err);
    code = EXIT_USAGE;
  }
  limb_csv_close(csv);
  (void)fclose(stream);
  free(c.column);
  limb_table_free(&data);
  return code;
}

void sim_table_free(sim_table* t)
{
  limb_signal_destroy(t->signal);
  free(t->to);
  free(t->x);
  free(t->x1);
  free(t->x2);
  *t = (sim_table){0};
}
