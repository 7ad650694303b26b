// Functions whose roots are events, and how the first root inside a step is found.
//
// A root lies between two times when a function changes its sign from one to the other. Between them the
// secant of the function that would cross first is followed, with Illinois weights (the end that stays
// twice counts half), all functions being looked at each time, until the bracket is shorter than the
// tolerance. The event is at its end, and is that of all functions that cross in it. A function that is
// zero at the beginning has had its event. A condition that crosses zero twice in one step is not seen.
//
// Reference: K. Hiebert, L. Shampine, Implicitly defined output points for solutions of ODEs, SAND80-0180,
// 1980.
#include "sim/sim_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_LOOKS = 200 };

// ---- what is watched -------------------------------------------------------------------------------------

// Conditions first; edges_watch.c has the rest.
int limb_sim_watch_count(const limb_sim* sim)
{
  return sim->ncondition + limb_sim_edge_watches(sim);
}

limb_status limb_sim_add_condition(limb_sim* sim, const limb_sim_condition* c, int* index)
{
  if (!sim || !c || !c->value || c->direction < -1 || c->direction > 1) return LIMB_E_ARG;
  if (sim->started) return LIMB_E_ORDER;
  if (!limb_sim_grow(sim, (void**)&sim->condition, &sim->condition_room, sim->ncondition,
                     sizeof *sim->condition))
    return LIMB_E_NOMEM;
  if (index) *index = sim->ncondition;
  sim->condition[sim->ncondition++] = *c;
  return LIMB_OK;
}

static bool dynamics_wanted(const limb_sim* sim)
{
  for (int k = 0; k < sim->ncondition; k++) {
    if (sim->condition[k].dynamics) return true;
  }
  return limb_sim_edges_need_dynamics(sim);
}

limb_status limb_sim_watch(limb_sim* sim, sim_point* at, double* values)
{
  if (!sim->nwatch) return LIMB_OK;
  limb_sim_state state = {at->t, at->q, at->v, NULL, NULL, NULL, 0, NULL};
  if (dynamics_wanted(sim)) {
    const limb_status s = limb_sim_accelerate(sim, at->t, at->q, at->v, sim->a);
    if (s != LIMB_OK) return s;
    state.a = sim->a, state.tau = sim->tau, state.lambda = sim->nc ? sim->lambda : NULL;
    state.nwrench = sim->nwrench, state.wrench = sim->wrench;
  }
  for (int k = 0; k < sim->ncondition; k++) {
    const limb_sim_condition* c = &sim->condition[k];
    values[k] = c->value(c->context, &state);
    if (isnan(values[k]))
      return limb_sim_fail(sim, LIMB_E_NONFINITE, "condition %d is not a number at %.9g s", k,
                           at->t);
  }
  return limb_sim_watch_edges(sim, at, values + sim->ncondition);
}

// ---- roots -----------------------------------------------------------------------------------------------

// Functions of edges rise.
static bool crosses(const limb_sim* sim, int watch, double before, double after)
{
  const int direction = watch < sim->ncondition ? sim->condition[watch].direction : 1;
  const bool rises = before < 0 && after >= 0, falls = before > 0 && after <= 0;
  return (rises && direction >= 0) || (falls && direction <= 0);
}

limb_status limb_sim_watch_now(limb_sim* sim, const double* before)
{
  const limb_status s = limb_sim_watch(sim, &sim->now, sim->between);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < sim->ncondition && before; k++) {
    const double value = sim->between[k];
    if (!sim->fired[k] && crosses(sim, k, before[k], value))
      limb_sim_queue_condition(sim, k, before[k], value);
  }
  memset(sim->fired, 0, (size_t)sim->nwatch);
  memcpy(sim->watched, sim->between, (size_t)sim->nwatch * sizeof *sim->watched);
  // Modes fit to the state: what is above zero all the same happens at once.
  const int edges = limb_sim_edge_functions(sim);
  for (int k = sim->ncondition; k < sim->ncondition + edges; k++)
    sim->watched[k] = fmin(sim->watched[k], -DBL_MIN);
  return LIMB_OK;
}

// Two times, and the functions that cross zero between them.
typedef struct bracket {
  double low, high;
  double *at_low, *at_high; // all watched values
  double weight_low, weight_high;
  int last; // end that was moved last: -1 low, 1 high, 0 none
} bracket;

// Where the secants of the functions that cross say that the first root is; false when nothing crosses.
static bool first_root(const limb_sim* sim, const bracket* b, double* time)
{
  bool any = false;
  *time = b->high;
  for (int k = 0; k < sim->nwatch; k++) {
    if (!crosses(sim, k, b->at_low[k], b->at_high[k])) continue;
    const double low = b->weight_low * b->at_low[k], high = b->weight_high * b->at_high[k];
    *time = fmin(*time, b->low + (b->high - b->low) * (low / (low - high)));
    any = true;
  }
  return any;
}

// Brackets are made as short as this [s], or as the numbers can tell.
static double tolerance(double t) { return fmax(1e-13, 4 * DBL_EPSILON * fabs(t)); }

// Values at t, inside the bracket: it becomes the new end on one side. The side that stays twice counts half.
static limb_status narrow(limb_sim* sim, double t, bracket* b)
{
  limb_status s = limb_sim_inside(sim, t, &sim->probe);
  if (s == LIMB_OK) s = limb_sim_watch(sim, &sim->probe, sim->between);
  if (s != LIMB_OK) return s;
  const bracket left = {b->low, t, b->at_low, sim->between, 1, 1, 0};
  double ignored;
  const bool before = first_root(sim, &left, &ignored);
  double* end = before ? b->at_high : b->at_low;
  memcpy(end, sim->between, (size_t)sim->nwatch * sizeof *end);
  if (before) {
    b->weight_low = b->last > 0 ? 0.5 * b->weight_low : 1;
    b->high = t, b->weight_high = 1, b->last = 1;
  } else {
    b->weight_high = b->last < 0 ? 0.5 * b->weight_high : 1;
    b->low = t, b->weight_low = 1, b->last = -1;
  }
  return LIMB_OK;
}

// The next time to look at: the root of the secant, a little on the other side of it than the last one, so
// that the bracket closes from both sides; the middle, when secants have not halved it for a while.
static double next_look(const bracket* b, double root, bool slow)
{
  const double width = b->high - b->low, little = 0.4 * tolerance(b->high);
  const double t = slow ? b->low + width / 2 : root - b->last * little;
  return fmin(fmax(t, b->low + fmin(little, width / 2)), b->high - fmin(little, width / 2));
}

// A bracket in which something crosses, to the first root in it.
static limb_status locate(limb_sim* sim, double root, bracket* b)
{
  enum { PATIENCE = 3 };
  double halved = b->high - b->low;
  for (int looks = 0, since = 0; b->high - b->low > tolerance(b->high); looks++) {
    const double t = next_look(b, root, since >= PATIENCE);
    if (!(t > b->low && t < b->high)) break;
    if (looks > MOST_LOOKS)
      return limb_sim_fail(sim, LIMB_E_NOCONV, "an event near %.9g s is not found", b->low);
    const limb_status s = narrow(sim, t, b);
    if (s != LIMB_OK) return s;
    since++;
    if (b->high - b->low <= 0.5 * halved) halved = b->high - b->low, since = 0;
    (void)first_root(sim, b, &root);
  }
  return LIMB_OK;
}

limb_status limb_sim_find_event(limb_sim* sim, double until, bool* found, double* time)
{
  bracket b = {sim->now.t, until, sim->watched, sim->watching, 1, 1, 0};
  limb_status s = limb_sim_inside(sim, until, &sim->probe);
  if (s == LIMB_OK) s = limb_sim_watch(sim, &sim->probe, b.at_high);
  if (s == LIMB_OK && sim->nedge) s = limb_sim_look_for_turns(sim, &b.high);
  if (s != LIMB_OK) return s;
  double root;
  *found = first_root(sim, &b, &root);
  if (*found && (s = locate(sim, root, &b)) != LIMB_OK) return s;
  *time = b.high;
  for (int k = 0; k < sim->nwatch; k++)
    sim->fired[k] = *found && crosses(sim, k, b.at_low[k], b.at_high[k]);
  if (!*found) memcpy(sim->watched, b.at_high, (size_t)sim->nwatch * sizeof *sim->watched);
  return LIMB_OK;
}
