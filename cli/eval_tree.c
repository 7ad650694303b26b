// `limb eval` of robots with loops: which quantities see the tree of joints only, and which rows do not close
// the loops. Both are told, neither is an error: the quantities mean what they say.
#include "cli.h"
#include "closure.h"
#include "eval.h"

#include <string.h>

// Quantities of these tables are of the tree, but for those that closing the loops does not change.
static int is_of_tree(const eval_quantity* e)
{
  enum { TABLES = 6 };
  static const eval_quantity* const tables[TABLES] = {eval_dynamics, eval_hybrid, eval_derivatives,
                                                      eval_geometry, eval_task,   eval_parameters};
  static const char* const same[] = {"friction", "springs", "energy", "theta", "theta_base"};
  for (size_t k = 0; k < sizeof same / sizeof *same; k++)
    if (strcmp(e->name, same[k]) == 0) return 0;
  for (size_t t = 0; t < TABLES; t++)
    for (const eval_quantity* x = tables[t]; x->name; x++)
      if (x == e) return 1;
  return 0;
}

const char* eval_closed_name(const eval_quantity* e)
{
  static const char* const pairs[][2] = {
    {"tau", "tau_active"},         {"acc", "closed_acc"},         {"reactions", "joint_loads"},
    {"dacc_dq", "dacc_closed_dq"}, {"dacc_dv", "dacc_closed_dv"}, {"dacc_dtau", "dacc_closed_dtau"},
  };
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    if (strcmp(e->name, pairs[k][0]) == 0) return pairs[k][1];
  return NULL;
}

int eval_tree_only(const eval_sheet* s, int i)
{
  return limb_loop_count(s->run->robot->model) > 0 && is_of_tree(s->quantity[i]);
}

// What is there with the loops closed: in place of what was asked for, or at all.
static void tell_closed(const eval_sheet* s)
{
  int told = 0;
  for (int i = 0; i < s->count; i++) {
    const char* closed = eval_closed_name(s->quantity[i]);
    if (!closed || !eval_tree_only(s, i)) continue;
    (void)fprintf(stderr, "%s%s for %s", told++ ? ", " : "; with the loops closed: ", closed, s->quantity[i]->name);
  }
  (void)fprintf(stderr, "%s\n", told > 0 ? "" : "; tau_active, closed_acc, limb id and limb fd close them");
}

int eval_watch_open(eval_sheet* s)
{
  const limb_model* m = s->run->robot->model;
  int told = 0;
  if (limb_loop_count(m) == 0) return EXIT_FINE;
  for (int i = 0; i < s->count; i++) {
    if (!eval_tree_only(s, i)) continue;
    if (told == 0)
      (void)fprintf(stderr, "%s: note: with the loops cut open, as a tree of joints: ",
                    limb_reading_source(s->run->robot->reading));
    (void)fprintf(stderr, "%s%s", told++ ? ", " : "", s->quantity[i]->name);
  }
  if (told > 0) tell_closed(s);
  if (!(s->run->states->wanted & STATES_Q)) return EXIT_FINE;
  const limb_status status = limb_loops_create(m, LIMB_LOOPS_LINEAR, NULL, &s->watch.loops);
  return status == LIMB_OK ? EXIT_FINE : cli_usage(s->args, "loops: %s", limb_status_text(status));
}

limb_status eval_watch_row(eval_sheet* s)
{
  const cli_states* t = s->run->states;
  limb_loop_options o = limb_default_loop_options();
  limb_loop_gap gap;
  if (!s->watch.loops) return LIMB_OK;
  if (t->has_time) o.time = t->time;
  const limb_status status = limb_loop_gap_of(s->watch.loops, t->q, t->wanted & STATES_V ? t->v : NULL, &o, &gap);
  if (status != LIMB_OK) return status;
  const int velocity = t->wanted & STATES_V && gap.velocity > gap.place;
  const double apart = velocity ? gap.velocity : gap.place;
  if (apart <= 1e-6) return LIMB_OK;
  if (s->watch.open++ > 0) return LIMB_OK;
  (void)fprintf(stderr, "%s:%d: warning: row %llu does not close the loops: loop '%s' is %.3g apart%s\n", t->path,
                t->line, (unsigned long long)t->count,
                cli_loop_name(t->model, velocity ? gap.velocity_loop : gap.place_loop), apart,
                velocity ? " per s" : "");
  return LIMB_OK;
}

void eval_watch_close(eval_sheet* s)
{
  if (s->watch.open > 1)
    (void)fprintf(stderr, "%s: warning: %llu more rows do not close the loops\n", s->run->states->path,
                  (unsigned long long)(s->watch.open - 1));
  limb_loops_destroy(s->watch.loops);
  s->watch.loops = NULL;
}
