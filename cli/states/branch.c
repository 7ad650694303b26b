// --branch of a state of the command line: which of the ways to close the loops it is, or which of them to take. The
// list is that of `limb assemble --branches` with the same joints held: the same starts in the same order.
// Cost: 200 assemblies (limb_assembly_branches).
#include "base/command.h"
#include "states/states.h"

#include "limb/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLOSING_RESTARTS = 20, RESTARTS = 200 }; // as `limb assemble --branches`

// Velocities of the joints that are given; of ball and free joints all.
static int mark_held(const cli_states* s, const double* row, double* q, unsigned char* held)
{
  int count = 0;
  for (int k = 0; k < s->dofs->nq; k++) {
    limb_joint_info x;
    if (s->column[0][k] < 0 || limb_get_joint(s->model, s->dofs->q[k].joint, &x) != LIMB_OK) continue;
    q[k] = row[s->column[0][k]];
    if (x.nq == x.nv)
      held[x.v + s->dofs->q[k].index] = 1;
    else
      memset(held + x.v, 1, (size_t)x.nv);
  }
  for (int k = 0; k < s->dofs->nv; k++) count += held[k];
  return count;
}

static int failed(const cli_states* s, limb_status status)
{
  (void)cli_usage(s->args, "--branch: %s",
                  status == LIMB_E_NOCONV ? "with the positions of --q the loops do not close"
                                          : limb_status_text(status));
  return cli_exit_code(status);
}

// Lists the branches from f->q on.
static int list(cli_states* s, limb_loop_facts* f, const unsigned char* held, int count)
{
  limb_assembly how = limb_default_assembly();
  how.held = held, how.restarts = CLOSING_RESTARTS;
  limb_status status = limb_close_loops(f, &how);
  if (status == LIMB_OK && !f->closed) status = LIMB_E_NOCONV;
  if (status == LIMB_OK) status = limb_examine_loops(f, NULL);
  if (status == LIMB_OK && count < f->mobility.mobility)
    return cli_usage(s->args,
                     "--branch: --q and motors give %d of %d motions: branches differ only where all are given", count,
                     f->mobility.mobility);
  how.restarts = RESTARTS;
  if (status == LIMB_OK) status = limb_assembly_branches(f->data, f->q, &how, RESTARTS, s->branch, &s->branches);
  return status == LIMB_OK ? EXIT_FINE : failed(s, status);
}

// Number `chosen` becomes the row: all its positions are given.
static int take(cli_states* s, int chosen)
{
  if (chosen > s->branches) {
    (void)cli_usage(s->args, "--branch %d: %d starts found %d branch%s", chosen, RESTARTS, s->branches,
                    s->branches == 1 ? "" : "es");
    return EXIT_NUMERICAL;
  }
  for (int k = 0; k < s->dofs->nq; k++) {
    s->column[0][k] = k; // q is the first group of columns
    s->row[k] = s->branch[(chosen - 1) * (ptrdiff_t)s->dofs->nq + k];
  }
  return EXIT_FINE;
}

int states_find_branches(cli_states* s)
{
  const char* name = cli_get(s->args, "branch");
  double chosen = 0;
  if (!name) return EXIT_FINE;
  if (strcmp(name, "start") != 0) {
    const int code = cli_whole(s->args, "branch", 1, RESTARTS, &chosen);
    if (code != EXIT_FINE) return code;
  }
  if (limb_loop_count(s->model) == 0 || cli_has(s->args, "tree"))
    return cli_usage(s->args, "--branch is for robots with loops, and without --tree");
  limb_status status = limb_loop_facts_create(s->model, &s->loops);
  unsigned char* held = calloc((size_t)s->dofs->nv + 1, 1);
  s->branch = calloc(RESTARTS * (size_t)s->dofs->nq + 1, sizeof *s->branch);
  if (status == LIMB_OK && (!held || !s->branch)) status = LIMB_E_NOMEM;
  int code = status == LIMB_OK ? list(s, s->loops, held, mark_held(s, s->row, s->loops->q, held)) : failed(s, status);
  if (code == EXIT_FINE && chosen > 0) code = take(s, (int)chosen);
  free(held);
  return code;
}

int states_name_branch(const cli_states* s)
{
  int which = -1;
  const limb_status status = limb_branch_of(s->loops->data, s->q, s->branches, s->branch, &which);
  if (status != LIMB_OK) return failed(s, status);
  if (which >= 0)
    (void)fprintf(stderr, "%s: note: this is branch %d of %d that %d starts found\n", s->path, which + 1, s->branches,
                  RESTARTS);
  else
    (void)fprintf(stderr, "%s: note: this is none of the branches, %d, that %d starts found\n", s->path, s->branches,
                  RESTARTS);
  return EXIT_FINE;
}
