// Formulas of a run, compiled against the names of a state.
#include "cli.h"
#include "sim_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sim_formulas_begin(sim_formulas* f, sim_job* job, unsigned known)
{
  // The probe's own pointers are into itself: it is not moved from here on.
  memset(f, 0, sizeof *f);
  sim_probe_begin(&f->probe, job->plan.args, &job->robot, &job->dofs, known);
}

void sim_formulas_free(sim_formulas* f)
{
  for (int k = 0; k < f->count; k++) limb_expression_destroy(f->formula[k].e);
  free(f->formula);
  free(f->x);
  free(f->symbol);
  free(f->value);
  sim_probe_free(&f->probe);
  memset(f, 0, sizeof *f);
}

static int complain(sim_formulas* f, sim_job* job, const limb_run_value* at, const limb_error* err)
{
  const char* because = f->probe.because;
  if (*because) return sim_wrong(&job->plan, at, "'%.160s': %s", at->text, because);
  return sim_wrong(&job->plan, at, "'%.160s': %s (at character %d)", at->text, err->text, err->column);
}

int sim_formulas_add(sim_formulas* f, sim_job* job, const limb_run_value* at, int* direction, int* index)
{
  const limb_expression_names names = sim_probe_names(&f->probe);
  limb_expression* e = NULL;
  limb_error err = {0};
  if (f->count == f->room) {
    const int room = f->room ? 2 * f->room : 16;
    sim_formula* more = realloc(f->formula, (size_t)room * sizeof *more);
    if (!more) return sim_out_of_memory(&job->plan);
    f->formula = more;
    f->room = room;
  }
  *f->probe.because = '\0';
  const limb_status s = direction ? limb_condition_parse(at->text, &names, NULL, &e, direction, &err)
                                  : limb_expression_parse(at->text, &names, NULL, &e, &err);
  if (s == LIMB_E_NOMEM) return sim_out_of_memory(&job->plan);
  if (s != LIMB_OK) return complain(f, job, at, &err);
  f->formula[f->count] = (sim_formula){e, at};
  if (index) *index = f->count;
  f->count++;
  return EXIT_FINE;
}

int sim_formulas_ready(sim_formulas* f)
{
  int most = 0;
  for (int k = 0; k < f->count; k++) {
    const int n = limb_expression_symbol_count(f->formula[k].e);
    if (n > most) most = n;
  }
  f->x = sim_zeros(f->probe.count);
  f->symbol = sim_zeros(most);
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
    const limb_expression* e = f->formula[k].e;
    const int n = limb_expression_symbol_count(e);
    for (int i = 0; i < n; i++) f->symbol[i] = f->x[limb_expression_symbol(e, i)];
    f->value[k] = limb_expression_value(e, f->symbol);
    if (!isfinite(f->value[k])) return no_value(f, job, k, at->time);
  }
  return LIMB_OK;
}
