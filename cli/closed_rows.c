// Inverse and direct dynamics of one row, for robots with loops.
#include "cli.h"
#include "closing.h"
#include "closure.h"

#include <stdlib.h>

// Motions that no motor reaches, in this row and not everywhere: a singularity, of the second kind.
static int unbalanced(cli_closing* c, const limb_closed_forces* f)
{
  char text[200];
  (void)snprintf(text, sizeof text, "%d motion%s here that no motor drives; %.3g of the forces is left without balance",
                 f->undriven, f->undriven == 1 ? "" : "s", f->unbalanced);
  return cli_states_failure_because(c->states, LIMB_E_SINGULAR, "inverse dynamics", text);
}

int cli_closed_inverse(cli_closing* c, const limb_environment* env, double* tau, sp_force* load)
{
  cli_states* s = c->states;
  const limb_closed_motion in = {s->q, s->v, s->a, env};
  limb_closed_forces f = {.lambda = c->lambda};
  f.tau = tau;
  limb_status status = limb_closed_inverse_dynamics(c->loops, &in, NULL, &c->options, &f);
  if (status == LIMB_E_SINGULAR && f.undriven > 0) {
    if (f.undriven > c->undriven) return unbalanced(c, &f);
    c->unbalanced = fmax(c->unbalanced, f.unbalanced); // a robot without motors for it
    status = LIMB_OK;
  }
  if (status != LIMB_OK)
    return cli_states_failure_because(s, status, "inverse dynamics",
                                      status == LIMB_E_SINGULAR ? "no torques of the motors balance this motion" : "");
  if (f.overdriven > c->overdriven) c->overdriven = f.overdriven;
  if (!load) return EXIT_FINE;
  status = limb_closed_loads(c->loops, &in, c->lambda, LIMB_BODY, &c->options, load, c->wrench);
  return status == LIMB_OK ? EXIT_FINE : cli_states_failure(s, status, "loads of the joints");
}

int cli_closed_forward(cli_closing* c, const limb_environment* env, limb_closed_method method, double* a)
{
  cli_states* s = c->states;
  const limb_closed_motion in = {.q = s->q, .v = s->v, .env = env};
  limb_closed_options o = limb_default_closed_options();
  limb_closed_report report = {.loop = -1};
  char text[200] = "";
  o.loops = c->options;
  o.method = method;
  const limb_status status = limb_closed_forward_dynamics(c->loops, &in, s->tau, &o, a, c->lambda, &report);
  if (report.redundant > c->redundant) c->redundant = report.redundant;
  if (status == LIMB_OK) return EXIT_FINE;
  if (report.loop >= 0)
    (void)snprintf(text, sizeof text, "%.3g is left of the accelerations of loop '%.64s'", report.residual,
                   cli_loop_name(s->model, report.loop));
  return cli_states_failure_because(s, status, "direct dynamics", text);
}

void cli_closed_tell(const cli_closing* c)
{
  const char* path = c->states->path;
  if (c->unbalanced > 0)
    (void)fprintf(stderr,
                  "%s: note: %d motion%s no motor, and %.3g of the forces along %s is left without "
                  "balance: something else must deliver it\n",
                  path, c->undriven, c->undriven == 1 ? " has" : "s have", c->unbalanced,
                  c->undriven == 1 ? "it" : "them");
  if (c->overdriven > 0)
    (void)fprintf(stderr, "%s: note: %d motor%s more than motions: the torques are those of least norm\n", path,
                  c->overdriven, c->overdriven == 1 ? "" : "s");
  if (c->redundant > 0)
    (void)fprintf(stderr, "%s: note: %d of %d rows of the loops follow from others\n", path, c->redundant,
                  limb_row_count(c->states->model));
}
