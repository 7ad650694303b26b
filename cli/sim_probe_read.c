// Numbers of a simulated state: memory for them, and what they are at a state.
#include "cli.h"
#include "closure.h"
#include "sim_probe.h"

#include <stdlib.h>
#include <string.h>

// ---- memory ----------------------------------------------------------------------------------------------

static int out_of_memory(const sim_probe* p) { return cli_usage(p->sheet.args, "out of memory"); }

// What `limb eval` reads from columns. Of all joints the force; of a moving base the force, of the others the
// acceleration.
static int make_given(sim_probe* p)
{
  const size_t n = (size_t)p->dofs->nv + 1;
  cli_states* s = &p->states;
  s->given = (cli_given){calloc(n, 1), calloc(n, sizeof(int)), calloc(n, sizeof(double))};
  s->base = (cli_given){calloc(n, 1), calloc(n, sizeof(int)), calloc(n, sizeof(double))};
  if (!s->given.mark || !s->given.column || !s->given.x || !s->base.mark || !s->base.column || !s->base.x)
    return out_of_memory(p);
  for (int k = 0; k < p->dofs->nv; k++) {
    s->given.mark[k] = LIMB_FORCE_GIVEN;
    s->base.mark[k] = p->dofs->v[k].base ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN;
  }
  return EXIT_FINE;
}

static int make_loops(sim_probe* p)
{
  const limb_status s = limb_loops_create(p->robot.model, cli_loops_use(p->robot.model), NULL, &p->run.loops);
  if (s == LIMB_OK) {
    p->run.closing.undriven = p->dofs->nv; // a simulated motion needs no motor
    return EXIT_FINE;
  }
  (void)cli_usage(p->sheet.args, "loops: %s", limb_status_text(s));
  return cli_exit_code(s);
}

int sim_probe_ready(sim_probe* p)
{
  eval_sheet* s = &p->sheet;
  unsigned needs = 0;
  for (int i = 0; i < s->count; i++) {
    if (s->quantity[i]->level > p->run.level) p->run.level = s->quantity[i]->level;
    needs |= s->quantity[i]->needs;
  }
  int code = eval_find_floating(s);
  if (code == EXIT_FINE) code = eval_make_room(s);
  if (code == EXIT_FINE && needs & (STATES_GIVEN | STATES_BASE)) code = make_given(p);
  if (code == EXIT_FINE && eval_of(s) & OF_LOOPS) code = make_loops(p);
  p->ready = code == EXIT_FINE;
  return code;
}

// ---- numbers ---------------------------------------------------------------------------------------------

// The states of `limb eval` are pointers that it only reads.
static double* borrow(const double* x)
{
  double* p = NULL;
  memcpy(&p, &x, sizeof p);
  return p;
}

static void take_state(sim_probe* p, const limb_sim_state* at)
{
  cli_states* s = &p->states;
  s->time = at->time;
  s->q = borrow(at->q), s->v = borrow(at->v), s->a = borrow(at->a), s->tau = borrow(at->tau);
  p->run.lambda = at->lambda;
  p->robot.env.nwrench = at->nwrench;
  p->robot.env.wrench = at->wrench;
  for (int k = 0; k < p->dofs->nv && s->given.mark; k++) {
    s->given.x[k] = at->tau[k];
    s->base.x[k] = p->dofs->v[k].base ? at->tau[k] : at->a[k];
  }
}

limb_status sim_probe_read(sim_probe* p, const limb_sim_state* at, double* x)
{
  eval_run* run = &p->run;
  take_state(p, at);
  *run->because = '\0';
  limb_status s = eval_move(run);
  for (int i = 0; i < p->sheet.count && s == LIMB_OK; i++) {
    run->frame = p->frame[i];
    run->ref = p->ref[i];
    run->task.frame = p->frame[i], run->task.ref = p->ref[i];
    s = p->sheet.quantity[i]->compute(run, p->sheet.x[i]);
    p->failed = i;
  }
  for (int k = 0; k < p->count && s == LIMB_OK; k++) x[k] = p->sheet.x[p->pick[k].of][p->pick[k].offset];
  return s;
}

const char* sim_probe_culprit(const sim_probe* p)
{
  return p->sheet.count > 0 ? p->sheet.quantity[p->failed]->name : "kinematics";
}
