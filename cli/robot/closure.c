// Closing the loops of a robot where its model begins, and what is seen there.
#include "robot/robot.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_DENSE = 3000 }; // velocities and rows for which matrices of the whole robot are made

limb_loops_use cli_loops_use(const limb_model* m)
{
  return limb_nv(m) + limb_constraint_count(m) <= MOST_DENSE ? LIMB_LOOPS_DENSE : LIMB_LOOPS_LINEAR;
}

limb_status cli_closure_make(const limb_model* m, cli_closure* out)
{
  *out = (cli_closure){.model = m, .report = {.loop = -1}};
  out->q = calloc((size_t)limb_nq(m) + 1, sizeof *out->q);
  out->redundant = calloc((size_t)limb_constraint_count(m) + 1, 1);
  out->still = calloc((size_t)limb_nv(m) + 1, sizeof *out->still);
  if (!out->q || !out->redundant || !out->still) return LIMB_E_NOMEM;
  const limb_status s = limb_loops_create(m, cli_loops_use(m), NULL, &out->loops);
  return s == LIMB_OK ? limb_start(m, out->q) : s;
}

void cli_closure_free(cli_closure* c)
{
  limb_loops_destroy(c->loops);
  free(c->q);
  free(c->redundant);
  free(c->still);
  *c = (cli_closure){0};
}

limb_status cli_closure_assemble(cli_closure* c, const limb_assembly* how)
{
  limb_assembly o = limb_default_assembly();
  o.max_tries = CLOSURE_TRIES;
  const limb_status s = limb_assemble(c->loops, how ? how : &o, c->q, &c->report);
  c->closed = s == LIMB_OK;
  return s == LIMB_E_NOCONV ? LIMB_OK : s;
}

// A velocity stands still when its row of G is zero: no motion of the independent ones moves it.
static limb_status find_still(cli_closure* c, const limb_loop_options* options)
{
  const size_t nv = (size_t)limb_nv(c->model);
  int ny = 0;
  c->nstill = -1;
  if (cli_loops_use(c->model) != LIMB_LOOPS_DENSE) return LIMB_OK;
  double* G = calloc(nv * nv + 1, sizeof *G);
  if (!G) return LIMB_E_NOMEM;
  const limb_status s = limb_velocity_map(c->loops, c->q, NULL, options, &ny, G);
  if (s == LIMB_OK) c->nstill = 0;
  for (size_t v = 0; v < nv && s == LIMB_OK; v++) {
    double most = 0;
    for (size_t k = 0; k < (size_t)ny; k++) most = fmax(most, fabs(G[v * (size_t)ny + k]));
    if (most < 1e-9) c->still[c->nstill++] = (int)v;
  }
  free(G);
  return s;
}

limb_status cli_closure_look(cli_closure* c, const limb_loop_options* options)
{
  limb_status s = limb_mobility_at(c->loops, c->q, options, &c->mobility);
  if (s == LIMB_OK) s = limb_redundant_constraints(c->loops, c->q, options, c->redundant);
  return s == LIMB_OK ? find_still(c, options) : s;
}

const char* cli_loop_name(const limb_model* m, int loop)
{
  limb_loop_info x;
  return limb_get_loop(m, loop, &x) == LIMB_OK ? x.def.name : "?";
}

int cli_has_laws(const limb_model* m) { return limb_has_prescribed_motion(m); }

int cli_redundant_of(const cli_closure* c, int loop)
{
  limb_loop_info x;
  int n = 0;
  if (limb_get_loop(c->model, loop, &x) != LIMB_OK) return 0;
  for (int r = 0; r < x.nconstraint; r++) n += c->redundant[x.constraint + r];
  return n;
}

int cli_is_locked(const cli_closure* c)
{
  return c->closed && limb_loop_count(c->model) > 0 && limb_nv(c->model) > 0 && c->mobility.mobility == 0 &&
         !cli_has_laws(c->model);
}

void cli_report_loops(const limb_evaluator* e, const limb_model* m, const char* path)
{
  limb_evaluator_facts f = {0};
  if (limb_evaluator_get_facts(e, &f) != LIMB_OK) return;
  if (f.unbalanced > 0)
    (void)fprintf(stderr,
                  "%s: note: %d motion%s no motor, and %.3g of the forces along %s is left without balance: something "
                  "else must deliver it\n",
                  path, f.undriven, f.undriven == 1 ? " has" : "s have", f.unbalanced, f.undriven == 1 ? "it" : "them");
  if (f.overdriven > 0)
    (void)fprintf(stderr, "%s: note: %d motor%s more than motions: the torques are those of least norm\n", path,
                  f.overdriven, f.overdriven == 1 ? "" : "s");
  if (f.redundant > 0)
    (void)fprintf(stderr, "%s: note: %d of %d equations of the loops follow from others\n", path, f.redundant,
                  limb_constraint_count(m));
}

const char* cli_singularity_name(limb_singularity s)
{
  switch (s) {
  case LIMB_REGULAR: return "regular";
  case LIMB_SINGULAR_DRIVES: return "drives";
  case LIMB_SINGULAR_PLATFORM: return "platform";
  case LIMB_SINGULAR_BOTH: return "both";
  case LIMB_SINGULAR_CLOSURE: return "closure";
  }
  return "?";
}
