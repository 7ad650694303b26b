// Numbers of a simulated state by their names: an evaluator (limb/quantities.h) whose tau is what acts.
#include "run/run_impl.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct limb_channels {
  const limb_model* model;
  limb_environment env;
  limb_evaluator_options options;
  limb_evaluator* e;
  int count;
  bool no_memory;    // a name was refused for lack of it
  bool missing;      // the last name was that of a quantity, with an entry that it does not have
  char because[256]; // why the last name was refused; "": it was not
  int words;         // names to be suggested
  char (*word)[160];
};

limb_status limb_channels_create(const limb_model* m, const limb_environment* env,
                                 const limb_evaluator_options* options, limb_channels** out)
{
  if (!m || !env || !out) return LIMB_E_ARG;
  limb_channels* c = calloc(1, sizeof *c);
  if (!c) return LIMB_E_NOMEM;
  c->model = m;
  c->env = *env;
  c->options = options ? *options : limb_default_evaluator_options();
  c->options.env = &c->env;
  c->options.tau_is_given = 1;
  const limb_status s = limb_evaluator_create(m, &c->options, NULL, &c->e);
  if (s == LIMB_OK)
    *out = c;
  else
    limb_channels_destroy(c);
  return s;
}

void limb_channels_destroy(limb_channels* c)
{
  if (!c) return;
  limb_evaluator_destroy(c->e);
  free(c->word);
  free(c);
}

int limb_channels_count(const limb_channels* c) { return c ? c->count : 0; }

// ---- names -------------------------------------------------------------------------------------------------

// Messages name what a state lacks in words of simulations.
static void explain(limb_channels* c, limb_status s, const limb_error* err)
{
  const limb_quantity_info* q = limb_find_quantity(err->where);
  const bool samples = q && q->needs & LIMB_NEEDS_DT && c->options.dt == 0;
  const bool reference = q && q->needs & (LIMB_NEEDS_V_R | LIMB_NEEDS_A_R);
  if (s != LIMB_E_ORDER)
    (void)snprintf(c->because, sizeof c->because, "%s", err->text);
  else if (reference)
    (void)snprintf(c->because, sizeof c->because,
                   "'%.60s' is of reference velocities, which a simulation cannot provide: use limb eval", err->where);
  else if (samples)
    (void)snprintf(c->because, sizeof c->because, "'%.60s' is of samples: it is a channel, and no name in formulas",
                   err->where);
  else
    (void)snprintf(c->because, sizeof c->because,
                   "'%.60s' follows from the forces, and is not known while they are computed: formulas of inputs are "
                   "of time, q, v and what follows from them",
                   err->where);
}

// How many numbers the name added; 0 after c->because was written; -1: out of memory.
static int add(limb_channels* c, const char* name)
{
  limb_error err = {0};
  const int before = c->count;
  *c->because = '\0';
  c->missing = false;
  const limb_status s = limb_evaluator_add(c->e, name, NULL, NULL, &err);
  if (s == LIMB_E_NOMEM) {
    c->no_memory = true;
    return -1;
  }
  c->count = (int)limb_evaluator_width(c->e);
  if (s == LIMB_OK && c->count > before) return c->count - before;
  c->missing = s == LIMB_E_ARG && limb_find_quantity(err.where) != NULL; // where is the quantity: a label is wrong
  if (s == LIMB_OK)
    (void)snprintf(c->because, sizeof c->because, "'%.80s' has no entries for this robot", name);
  else
    explain(c, s, &err);
  return 0;
}

limb_status limb_channels_add(limb_channels* c, const char* name, limb_error* err)
{
  if (!c || !name) return LIMB_E_ARG;
  const int n = add(c, name);
  if (n < 0) return limb_fail(err, LIMB_E_NOMEM, "", "out of memory");
  return n > 0 ? LIMB_OK : limb_fail(err, LIMB_E_ARG, name, "%s", c->because);
}

// For formulas: one number, its place among all; -1 when there is none.
static int find(void* context, const char* name)
{
  limb_channels* c = context;
  const int before = c->count, items = limb_evaluator_count(c->e);
  const char* other = strcmp(name, "t") == 0 ? "time" : strcmp(name, "energy") == 0 ? "total_energy" : name;
  const int n = add(c, other);
  if (n == 1) return before;
  limb_evaluator_keep(c->e, items);
  c->count = before;
  // An entry that a quantity does not have: the formula knows which one was meant.
  if (c->missing) *c->because = '\0';
  if (n > 1) (void)snprintf(c->because, sizeof c->because, "'%.80s' stands for %d numbers: name one of them", name, n);
  return -1;
}

// What is suggested in place of a wrong name: coordinates, velocities and what else is known of joints.
static void make_words(limb_channels* c)
{
  static const char* const words[] = {"time", "energy", "energy.kinetic", "energy.potential"};
  static const char* const groups[] = {"q", "v", "a", "tau"};
  enum { WORDS = sizeof words / sizeof *words, GROUPS = sizeof groups / sizeof *groups };
  const int nq = limb_nq(c->model), nv = limb_nv(c->model);
  limb_dofs* dofs = NULL;
  c->word = calloc((size_t)(WORDS + nq + 3 * nv), sizeof *c->word);
  if (!c->word || limb_dofs_create(c->model, NULL, &dofs) != LIMB_OK) return;
  for (int k = 0; k < WORDS; k++) (void)snprintf(c->word[c->words++], sizeof *c->word, "%s", words[k]);
  for (int g = 0; g < GROUPS; g++) {
    const int n = !(c->options.known & 1U << g) ? 0 : g == 0 ? nq : nv;
    for (int k = 0; k < n; k++) {
      const limb_dof_info* dof = g == 0 ? limb_get_coordinate(dofs, k) : limb_get_velocity(dofs, k);
      (void)snprintf(c->word[c->words++], sizeof *c->word, "%s.%s", groups[g], dof->name);
    }
  }
  limb_dofs_destroy(dofs);
}

static const char* suggest(void* context, int i)
{
  limb_channels* c = context;
  if (!c->word) make_words(c);
  return i < c->words ? c->word[i] : NULL;
}

limb_formula_names limb_channels_names(limb_channels* c)
{
  *c->because = '\0';
  return (limb_formula_names){find, suggest, c};
}

bool limb_channels_no_memory(const limb_channels* c) { return c->no_memory; }

const char* limb_channels_refusal(limb_channels* c) { return c->because; }

// The item that a number belongs to, and its place there.
static int item_of(const limb_channels* c, int number, size_t* entry)
{
  limb_item item;
  *entry = 0;
  for (int i = 0; c && i < limb_evaluator_count(c->e); i++) {
    if (limb_evaluator_get(c->e, i, &item) != LIMB_OK || (size_t)number >= item.offset + item.size) continue;
    *entry = (size_t)number - item.offset;
    return i;
  }
  return -1;
}

void limb_channels_name(const limb_channels* c, int number, char* text, size_t size)
{
  size_t entry = 0;
  const int item = item_of(c, number, &entry);
  if (!text || size == 0) return;
  if (item < 0 || limb_evaluator_column(c->e, item, entry, text, size) == 0) *text = '\0';
}

const char* limb_channels_unit(const limb_channels* c, int number)
{
  size_t entry = 0;
  const int item = item_of(c, number, &entry);
  return item < 0 ? "" : limb_evaluator_unit(c->e, item, entry);
}

bool limb_channels_need_dynamics(const limb_channels* c)
{
  return (limb_evaluator_needs(c->e) &
          (LIMB_NEEDS_A | LIMB_NEEDS_TAU | LIMB_NEEDS_A_OR_TAU | LIMB_NEEDS_GIVEN | LIMB_NEEDS_BASE)) != 0;
}

// ---- numbers -----------------------------------------------------------------------------------------------

limb_status limb_channels_read(limb_channels* c, const limb_sim_state* at, double* x, limb_error* err)
{
  limb_error why = {0};
  limb_item item;
  if (!c || !at || !x) return LIMB_E_ARG;
  if (limb_evaluator_count(c->e) == 0) return LIMB_OK;
  limb_environment env = c->env;
  env.nwrench = at->nwrench;
  env.wrench = at->wrench;
  const limb_state state = {
    .q = at->q, .v = at->v, .a = at->a, .tau = at->tau, .time = at->time, .env = &env, .lambda = at->lambda};
  const limb_status s = limb_evaluator_run(c->e, &state, x);
  if (s == LIMB_OK) return s;
  const int failed = limb_evaluator_failure(c->e, &why);
  const bool known = limb_evaluator_get(c->e, failed, &item) == LIMB_OK;
  // A part of "all" that has no value here is NaN, and no reason to end.
  if (known && item.from_all) return LIMB_OK;
  return limb_fail(err, s, known ? item.quantity->name : "kinematics", "%s", why.text);
}
