// What is given of each degree of freedom: the columns decide. a.<joint>: its acceleration; tau.<joint>: its
// force; neither: a force of zero when it has no motor. Nothing else is guessed.
#include "base/command.h"
#include "states/states.h"

#include <stdlib.h>

enum { MAX_LISTED = 10 };

// What the columns say about a degree of freedom, as bits; 0: its force is given.
enum {
  ACCELERATES = 1, // its acceleration is given
  ASSUMED = 2,     // no column and no motor: the force is zero
  BOTH = 4,        // a mistake, as the next one
  NEITHER = 8,
  A_UNUSED = 16, // columns that are ignored
  TAU_UNUSED = 32,
};

static unsigned judge(const cli_states* s, int k, int for_base)
{
  const cli_dof* dof = &s->dofs->v[k];
  const int a = s->column[GROUP_A][k] >= 0, tau = s->column[GROUP_TAU][k] >= 0;
  if (for_base && dof->base) return (tau ? 0 : ASSUMED) | (a ? A_UNUSED : 0);
  if (a && tau) return for_base ? ACCELERATES | TAU_UNUSED : BOTH;
  if (a) return ACCELERATES;
  if (tau) return 0;
  return dof->passive ? ASSUMED : NEITHER;
}

// ---- reporting -------------------------------------------------------------------------------------

static int count_of(const unsigned* all, int n, unsigned one)
{
  int count = 0;
  for (int k = 0; k < n; k++) count += (all[k] & one) != 0;
  return count;
}

// "elbow, wrist and 3 more", with something in front of each name, and the end of the line.
static void list(const cli_states* s, const unsigned* all, unsigned one, const char* before)
{
  const int n = s->dofs->nv;
  int listed = 0;
  for (int k = 0; k < n && listed < MAX_LISTED; k++) {
    if (!(all[k] & one)) continue;
    (void)fprintf(stderr, "%s%s%s", listed ? ", " : "", before, s->dofs->v[k].name);
    listed++;
  }
  if (count_of(all, n, one) > listed) (void)fprintf(stderr, " and %d more", count_of(all, n, one) - listed);
  (void)fprintf(stderr, "\n");
}

// EXIT_FINE, or EXIT_USAGE after messages.
static int complain(const cli_states* s, const unsigned* all, const char* purpose)
{
  const int n = s->dofs->nv;
  int code = EXIT_FINE;
  if (count_of(all, n, BOTH) > 0) {
    code = cli_usage(s->args,
                     "%s: %s takes a. or tau. of a joint, not both: the column that is there says "
                     "what is given; leave one of them out",
                     s->path, purpose);
    (void)fprintf(stderr, "  both are there: ");
    list(s, all, BOTH, "");
  }
  if (count_of(all, n, NEITHER) > 0) {
    code = cli_usage(s->args,
                     "%s: %s needs a column of every joint with a motor: a. when its acceleration "
                     "is given, tau. when its force is",
                     s->path, purpose);
    (void)fprintf(stderr, "  neither is there: ");
    list(s, all, NEITHER, "");
  }
  return code;
}

static void warn_unused(const cli_states* s, const unsigned* all, unsigned one, const char* prefix, const char* purpose,
                        const char* because)
{
  if (count_of(all, s->dofs->nv, one) == 0) return;
  (void)fprintf(stderr, "%s:1: warning: %s does not use these columns, %s: ", s->path, purpose, because);
  list(s, all, one, prefix);
}

static void report(const cli_states* s, const unsigned* all, const char* purpose)
{
  const int n = s->dofs->nv;
  warn_unused(s, all, TAU_UNUSED, "tau.", purpose, "for the accelerations are there");
  warn_unused(s, all, A_UNUSED, "a.", purpose, "for accelerations of the base are its answer");
  if (count_of(all, n, ASSUMED) == 0) return;
  states_note_zero(s, purpose);
  list(s, all, ASSUMED, "");
}

// ---- finding ---------------------------------------------------------------------------------------

static void settle(const cli_states* s, const unsigned* all, const cli_given* out)
{
  for (int k = 0; k < s->dofs->nv; k++) {
    const int accelerates = (all[k] & ACCELERATES) != 0;
    out->mark[k] = accelerates ? LIMB_ACCELERATION_GIVEN : LIMB_FORCE_GIVEN;
    out->column[k] = s->column[accelerates ? GROUP_A : GROUP_TAU][k];
  }
}

static int find(const cli_states* s, cli_given* out, int for_base, const char* purpose)
{
  const int nv = s->dofs->nv;
  const size_t n = (size_t)nv + 1;
  if (out->mark) return EXIT_FINE; // listed before
  unsigned* all = calloc(n, sizeof *all);
  *out = (cli_given){calloc(n, 1), calloc(n, sizeof *out->column)};
  int code = EXIT_FINE;
  if (!all || !out->mark || !out->column) {
    code = cli_out_of_memory(s->args);
  } else {
    for (int k = 0; k < nv; k++) all[k] = judge(s, k, for_base);
    code = complain(s, all, purpose);
    if (code == EXIT_FINE) report(s, all, purpose), settle(s, all, out);
  }
  if (code != EXIT_FINE) states_free_given(out);
  free(all);
  return code;
}

int states_find_given(cli_states* s, unsigned what, const char* purpose)
{
  int code = EXIT_FINE;
  if (what & STATES_GIVEN) code = find(s, &s->given, 0, purpose);
  if (code == EXIT_FINE && what & STATES_BASE) code = find(s, &s->base, 1, purpose);
  return code;
}

void states_free_given(cli_given* given)
{
  free(given->mark);
  free(given->column);
  *given = (cli_given){NULL, NULL};
}
