// `limb eval`: what quantities need of a table, what its columns give, rows of robots with loops.
#include "base/command.h"
#include "eval/eval.h"

#include <string.h>

const limb_quantity_info* eval_quantity(const char* name)
{
  char head[64];
  const size_t length = strcspn(name, ".@");
  (void)snprintf(head, sizeof head, "%.*s", (int)(length < 63 ? length : 63), name);
  return limb_find_quantity(head);
}

const cli_given* eval_given(const eval_run* r, int of_base)
{
  const cli_given* g = of_base ? &r->states.base : &r->states.given;
  return g->mark ? g : NULL;
}

int eval_find_base(eval_run* r, const char* name)
{
  const limb_quantity_info* q = eval_quantity(name);
  cli_dofs* d = &r->robot.dofs;
  if (!q || q->robots != LIMB_ROBOTS_MOVING_BASE) return EXIT_FINE;
  for (int k = 0; k < d->nv; k++)
    if (d->v[k].base) return EXIT_FINE;
  for (int k = 0; k < d->nv; k++)
    d->v[k].base =
      d->v[k].root && cli_states_knows(&r->states, STATES_TAU, k) && !cli_states_knows(&r->states, STATES_A, k);
  return EXIT_FINE;
}

// Hybrid quantities take what the columns give.
int eval_need_given(eval_run* r, const char* name)
{
  const limb_quantity_info* q = eval_quantity(name);
  const unsigned needs = q ? q->needs : 0;
  const unsigned what = (needs & LIMB_NEEDS_GIVEN ? STATES_GIVEN : 0) | (needs & LIMB_NEEDS_BASE ? STATES_BASE : 0);
  if (what == 0 || (limb_loop_count(r->robot.model) > 0 && !r->options.tree)) return EXIT_FINE; // refused later
  int base = 0;
  for (int k = 0; k < r->robot.dofs.nv; k++) base += r->robot.dofs.v[k].base;
  return what & STATES_BASE && base == 0 ? EXIT_FINE : cli_states_need(&r->states, what, q->name);
}

// The motion of a row, or what its forces cause: the columns decide.
static int choose_motion(eval_run* r, const limb_quantity_info* q, unsigned* what)
{
  const cli_states* t = &r->states;
  const int a = cli_states_has(t, STATES_A), tau = cli_states_has(t, STATES_TAU);
  int active = 0;
  for (int k = 0; k < r->robot.dofs.nv; k++) active += !r->robot.dofs.v[k].passive;
  if (!a && !tau && active > 0)
    return cli_usage(r->args,
                     "%s: %s needs the a. columns of a motion, or the tau. columns of what causes one; there are none "
                     "of them",
                     t->path, q->name);
  if (a && tau)
    (void)fprintf(stderr,
                  "%s: note: %s is of the motion of a row, for the a. columns are there; without them it is of what "
                  "tau causes\n",
                  t->path, q->name);
  *what |= a ? STATES_A : STATES_TAU | STATES_IDLE;
  return EXIT_FINE;
}

// Asks the states for what an item needs.
static int need_columns(eval_run* r, const limb_item* item)
{
  const limb_quantity_info* q = item->quantity;
  const int loops = limb_loop_count(r->robot.model) > 0 && !r->options.tree;
  unsigned what = q->needs & (STATES_Q | STATES_V | STATES_A | STATES_TAU | STATES_V_R | STATES_A_R);
  if (item->from_all || !r->states.row) return EXIT_FINE; // it is known
  int code = q->needs & LIMB_NEEDS_A_OR_TAU ? choose_motion(r, q, &what) : EXIT_FINE;
  if (loops) what |= STATES_PART | (what & STATES_TAU ? STATES_IDLE : 0);
  // Forces that are taken for zero are reported once.
  if (loops && r->states.wanted & STATES_IDLE) what &= ~(unsigned)STATES_TAU;
  if (code == EXIT_FINE) code = cli_states_need(&r->states, what, q->name);
  return code;
}

int eval_check_columns(eval_run* r)
{
  int code = EXIT_FINE;
  for (int i = 0; i < r->count; i++) {
    limb_item item;
    if (limb_evaluator_get(r->e, i, &item) != LIMB_OK) continue;
    const int c = need_columns(r, &item);
    if (c != EXIT_FINE) code = c;
  }
  return code;
}

// What every row has, for "all": groups of which all columns are there, with loops those of which some are.
unsigned eval_known_columns(const eval_run* r)
{
  const cli_states* t = &r->states;
  const int loops = limb_loop_count(r->robot.model) > 0 && !r->options.tree;
  unsigned known = t->has_time ? LIMB_NEEDS_TIME : 0;
  for (int g = 0; g < STATES_GROUPS && t->row; g++) {
    const int n = g == 0 ? r->robot.dofs.nq : r->robot.dofs.nv;
    int there = 0;
    for (int k = 0; k < n; k++) there += t->column[g][k] >= 0;
    if (there == n || (loops && g < 3 && there > 0)) known |= states_bit(g);
  }
  return known;
}

// Rows of robots with loops are completed where quantities need closed loops, or where columns are missing.
int eval_complete_rows(eval_run* r)
{
  const unsigned groups = r->states.wanted & (STATES_Q | STATES_V | STATES_A);
  int missing = 0;
  if (limb_loop_count(r->robot.model) == 0 || r->options.tree || !r->states.row || !groups) return EXIT_FINE;
  for (int g = 0; g < 3; g++)
    for (int k = 0; k < (g == 0 ? r->robot.dofs.nq : r->robot.dofs.nv) && groups & 1U << g; k++)
      missing += r->states.column[g][k] < 0;
  if (!(limb_evaluator_needs(r->e) & LIMB_NEEDS_CLOSED) && missing == 0 && !r->states.branch) return EXIT_FINE;
  return cli_states_complete(&r->states, groups);
}
