// Numbers of a simulated state by their names: an evaluator (limb/quantities.h) whose tau is what acts.
#include "base/command.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

void sim_probe_begin(sim_probe* p, const cli_args* args, const cli_robot* robot, const cli_dofs* dofs, unsigned known)
{
  *p = (sim_probe){.args = args, .robot = robot, .dofs = dofs, .options = limb_default_evaluator_options()};
  p->options.known = known;
  p->options.tau_is_given = 1;
}

void sim_probe_free(sim_probe* p)
{
  limb_evaluator_destroy(p->e);
  cli_text_free(&p->words);
  *p = (sim_probe){0};
}

// ---- names -----------------------------------------------------------------------------------------

// Messages name what a state lacks in words of simulations.
static void explain(sim_probe* p, limb_status s, const limb_error* err)
{
  const limb_quantity_info* q = limb_find_quantity(err->where);
  const int samples = q && q->needs & LIMB_NEEDS_DT && p->options.dt == 0;
  if (s != LIMB_E_ORDER)
    (void)snprintf(p->because, sizeof p->because, "%s", err->text);
  else if (samples)
    (void)snprintf(p->because, sizeof p->because, "'%.60s' is of samples: it is a channel, and no name in formulas",
                   err->where);
  else
    (void)snprintf(p->because, sizeof p->because,
                   "'%.60s' follows from the forces, and is not known while they are computed: formulas of inputs are "
                   "of time, q, v and what follows from them",
                   err->where);
}

int sim_probe_add(sim_probe* p, const char* name)
{
  limb_error err = {0};
  limb_status s = LIMB_OK;
  *p->because = '\0';
  p->missing = 0;
  p->options.env = &p->robot->env;
  if (!p->e) s = limb_evaluator_create(p->robot->model, &p->options, NULL, &p->e);
  if (s == LIMB_OK) s = limb_evaluator_add(p->e, name, NULL, NULL, &err);
  if (s == LIMB_E_NOMEM) return -1;
  const int before = p->count;
  p->count = (int)limb_evaluator_width(p->e);
  if (s == LIMB_OK && p->count > before) return p->count - before;
  p->missing = s == LIMB_E_ARG && limb_find_quantity(err.where) != NULL; // where is the quantity: a label is wrong
  if (s == LIMB_OK)
    (void)snprintf(p->because, sizeof p->because, "'%.80s' has no entries for this robot", name);
  else
    explain(p, s, &err);
  return 0;
}

int sim_probe_find(void* probe, const char* name)
{
  sim_probe* p = probe;
  const int before = p->count, items = limb_evaluator_count(p->e);
  const char* other = strcmp(name, "t") == 0 ? "time" : strcmp(name, "energy") == 0 ? "total_energy" : name;
  const int n = sim_probe_add(p, other);
  if (n == 1) return before;
  limb_evaluator_keep(p->e, items);
  p->count = before;
  // An entry that a quantity does not have: the formula knows which one was meant.
  if (p->missing) *p->because = '\0';
  if (n > 1) (void)snprintf(p->because, sizeof p->because, "'%.80s' stands for %d numbers: name one of them", name, n);
  return -1;
}

// What is suggested in place of a wrong name: coordinates, velocities and what else is known of joints. The texts must
// stay while one of them is chosen.
static void make_names(sim_probe* p)
{
  static const char* const words[] = {"time", "energy", "energy.kinetic", "energy.potential"};
  static const char* const groups[] = {"q.", "v.", "a.", "tau."};
  const cli_dofs* d = p->dofs;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    cli_text_add(&p->words, words[k]);
    cli_text_add(&p->words, "\n");
  }
  for (int g = 0; g < 4; g++) {
    const int n = !(p->options.known & 1U << g) ? 0 : g == 0 ? d->nq : d->nv;
    for (int k = 0; k < n; k++) {
      cli_text_add(&p->words, groups[g]);
      cli_text_add(&p->words, (g == 0 ? d->q : d->v)[k].name);
      cli_text_add(&p->words, "\n");
    }
  }
  for (size_t k = 0; k < p->words.size; k++)
    if (p->words.bytes[k] == '\n') p->words.bytes[k] = '\0';
}

// They are asked for one after the other.
static const char* suggest(void* probe, int i)
{
  sim_probe* p = probe;
  if (p->words.size == 0) make_names(p);
  if (p->words.failed) return NULL;
  if (i == 0) p->word = 0, p->word_at = 0;
  for (; p->word < i && p->word_at < p->words.size; p->word++) p->word_at += strlen(p->words.bytes + p->word_at) + 1;
  return p->word == i && p->word_at < p->words.size ? p->words.bytes + p->word_at : NULL;
}

limb_formula_names sim_probe_names(sim_probe* p) { return (limb_formula_names){sim_probe_find, suggest, p}; }

// The item that number k belongs to, and its place there.
static int item_of(const sim_probe* p, int k, size_t* entry)
{
  limb_item item;
  for (int i = 0; i < limb_evaluator_count(p->e); i++) {
    if (limb_evaluator_get(p->e, i, &item) != LIMB_OK || (size_t)k >= item.offset + item.size) continue;
    *entry = (size_t)k - item.offset;
    return i;
  }
  return -1;
}

void sim_probe_name(const sim_probe* p, int k, char* text, size_t size)
{
  size_t entry = 0;
  const int item = item_of(p, k, &entry);
  if (limb_evaluator_column(p->e, item, entry, text, size) == 0) *text = '\0';
}

const char* sim_probe_unit(const sim_probe* p, int k)
{
  size_t entry = 0;
  const int item = item_of(p, k, &entry);
  return limb_evaluator_unit(p->e, item, entry);
}

const char* sim_probe_beyond_time(const sim_probe* p)
{
  limb_item item;
  for (int i = 0; i < limb_evaluator_count(p->e); i++)
    if (limb_evaluator_get(p->e, i, &item) == LIMB_OK && strcmp(item.quantity->name, "time") != 0)
      return item.quantity->name;
  return NULL;
}

int sim_probe_needs_dynamics(const sim_probe* p)
{
  return (limb_evaluator_needs(p->e) &
          (LIMB_NEEDS_A | LIMB_NEEDS_TAU | LIMB_NEEDS_A_OR_TAU | LIMB_NEEDS_GIVEN | LIMB_NEEDS_BASE)) != 0;
}

// ---- numbers ---------------------------------------------------------------------------------------

limb_status sim_probe_read(sim_probe* p, const limb_sim_state* at, double* x)
{
  limb_error err = {0};
  if (!p->e) return LIMB_OK;
  p->env = p->robot->env;
  p->env.nwrench = at->nwrench;
  p->env.wrench = at->wrench;
  const limb_state state = {
    .q = at->q, .v = at->v, .a = at->a, .tau = at->tau, .time = at->time, .env = &p->env, .lambda = at->lambda};
  const limb_status s = limb_evaluator_run(p->e, &state, x);
  *p->reason = '\0';
  if (s == LIMB_OK) return s;
  limb_item item;
  const int failed = limb_evaluator_failure(p->e, &err);
  // A part of "all" that has no value here is NaN, and no reason to end.
  if (limb_evaluator_get(p->e, failed, &item) == LIMB_OK && item.from_all) return LIMB_OK;
  (void)snprintf(p->reason, sizeof p->reason, "%s", err.text);
  return s;
}

const char* sim_probe_culprit(const sim_probe* p)
{
  limb_item item;
  const int i = limb_evaluator_failure(p->e, NULL);
  return limb_evaluator_get(p->e, i, &item) == LIMB_OK ? item.quantity->name : "kinematics";
}
