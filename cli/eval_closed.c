// `limb eval` of robots with loops: what quantities of the loops need of a table, rows closed or completed
// for them (closing.h), names of the rows of the equations.
#include "cli.h"
#include "eval.h"

#include <string.h>

// ---- what is needed --------------------------------------------------------------------------------

int eval_refuse_tree(const eval_sheet* s)
{
  const limb_model* m = s->run->robot->model;
  for (int i = 0; i < s->count && limb_loop_count(m) == 0; i++) {
    if (s->quantity[i]->of & OF_LOOPS)
      return cli_usage(s->args, "'%s' is of robots with loops, and '%s' has none: it is a tree of joints",
                       s->quantity[i]->name, limb_model_name(m));
  }
  return EXIT_FINE;
}

// The motion of a row, or what its forces cause: the columns decide.
static int choose_motion(eval_sheet* s, const eval_quantity* e, unsigned* needs)
{
  eval_run* run = s->run;
  const cli_states* t = run->states;
  const int a = cli_states_has(t, STATES_A), tau = cli_states_has(t, STATES_TAU);
  int active = 0;
  for (int k = 0; k < run->dofs->nv; k++) active += !run->dofs->v[k].passive;
  if (!a && !tau && active > 0)
    return cli_usage(s->args,
                     "%s: %s needs the a. columns of a motion, or the tau. columns of what causes "
                     "one; there are none of them",
                     t->path, e->name);
  if (a && tau)
    (void)fprintf(stderr,
                  "%s: note: %s is of the motion of a row, for the a. columns are there; without "
                  "them it is of what tau causes\n",
                  t->path, e->name);
  run->by_motion = a;
  *needs = (*needs & ~(unsigned)STATES_GIVEN) | (a ? STATES_A : STATES_TAU | STATES_IDLE);
  return EXIT_FINE;
}

int eval_need(eval_sheet* s, const eval_quantity* e)
{
  unsigned needs = e->needs;
  int code = EXIT_FINE;
  if (e->of & OF_LOOPS) {
    needs |= STATES_PART;
    if (needs & STATES_GIVEN) code = choose_motion(s, e, &needs);
    s->run->closed_groups |= needs & (STATES_Q | STATES_V | STATES_A);
    // Forces that are taken for zero are told once.
    if (s->run->states->wanted & STATES_IDLE) needs &= ~(unsigned)STATES_TAU;
  }
  return code == EXIT_FINE ? cli_states_need(s->run->states, needs, e->name) : code;
}

// ---- rows ------------------------------------------------------------------------------------------

// 1 when a column of q, v or a that quantities of the loops need is not there.
static int lacks_columns(const eval_run* run)
{
  const cli_states* t = run->states;
  for (int g = 0; g < CLOSING_GROUPS; g++) {
    const int width = g == 0 ? run->dofs->nq : run->dofs->nv;
    for (int k = 0; k < width && run->closed_groups & 1U << g; k++)
      if (t->column[g][k] < 0) return 1;
  }
  return 0;
}

int eval_loops_open(eval_sheet* s)
{
  eval_run* run = s->run;
  const unsigned of = eval_of(s);
  if (!(of & OF_LOOPS)) return EXIT_FINE;
  if (of & OF_CLOSED || lacks_columns(run)) {
    const int code = cli_closing_open(&run->closing, run->states, run->closed_groups);
    run->loops = run->closing.loops;
    return code;
  }
  const limb_status status = limb_loops_create(run->robot->model, LIMB_LOOPS_LINEAR, NULL, &run->loops);
  return status == LIMB_OK ? EXIT_FINE : cli_usage(s->args, "loops: %s", limb_status_text(status));
}

void eval_loops_close(eval_sheet* s, int code)
{
  eval_run* run = s->run;
  if (run->closing.loops) {
    if (code == EXIT_FINE) cli_closed_tell(&run->closing);
  } else {
    limb_loops_destroy(run->loops);
  }
  cli_closing_free(&run->closing);
  run->loops = NULL;
}

// ---- names -----------------------------------------------------------------------------------------

void eval_row_name(const limb_model* m, int row, char* text, size_t size)
{
  limb_loop_info x;
  *text = '\0';
  for (int i = 0; i < limb_loop_count(m); i++) {
    if (limb_get_loop(m, i, &x) != LIMB_OK || row < x.row || row >= x.row + x.nrow) continue;
    const char* name = limb_loop_row_name(&x.def, row - x.row);
    (void)snprintf(text, size, "%s.%s", x.def.name, name ? name : "?");
    return;
  }
}
