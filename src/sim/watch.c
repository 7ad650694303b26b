// Functions whose roots are events, and how the first root inside a step is found.
//
// A root lies between two times when a function changes its sign from one to the other. Between them the
// secant of the function that would cross first is followed, with Illinois weights (the end that stays
// twice counts half), all functions being looked at each time, until the bracket is shorter than the
// tolerance. The event is at its end, and is that of all functions that cross in it. A function that is
// zero at the beginning has had its event.
//
// Steps of adaptive methods may be long, and functions may cross zero and come back in one of them: looks at
// quarters of the step, and at the extrema of parabolas through these, find that. What happens faster is not
// seen, and two crossings in one fixed step are not.
//
// Reference: K. Hiebert, L. Shampine, Implicitly defined output points for solutions of ODEs, SAND80-0180,
// 1980.
#include "sim/sim_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_LOOKS = 400 };

// ---- what is watched -------------------------------------------------------------------------------------

// Conditions first; edges_watch.c has the rest.
int limb_sim_watch_count(const limb_sim* sim) { return sim->ncondition + limb_sim_edge_watches(sim); }

limb_status limb_sim_add_condition(limb_sim* sim, const limb_sim_condition* c, int* index)
{
  if (!sim || !c || !c->value || c->direction < -1 || c->direction > 1) return LIMB_E_ARG;
  if (sim->started) return LIMB_E_ORDER;
  if (!limb_sim_grow(sim, (void**)&sim->condition, &sim->condition_room, sim->ncondition, sizeof *sim->condition))
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
      return limb_sim_fail(sim, LIMB_E_NONFINITE, "condition %d is not a number at %.9g s", k, at->t);
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
    if (!sim->fired[k] && crosses(sim, k, before[k], value)) limb_sim_queue_condition(sim, k, before[k], value);
  }
  memset(sim->fired, 0, (size_t)sim->nwatch);
  memcpy(sim->watched, sim->between, (size_t)sim->nwatch * sizeof *sim->watched);
  // Modes fit to the state: what is above zero all the same happens at once.
  const int edges = limb_sim_edge_functions(sim);
  for (int k = sim->ncondition; k < sim->ncondition + edges; k++) sim->watched[k] = fmin(sim->watched[k], -DBL_MIN);
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
  int patience = 3; // less when the function has turned out to be none that secants follow: a jump
  double halved = b->high - b->low;
  for (int looks = 0, since = 0; b->high - b->low > tolerance(b->high); looks++) {
    const bool slow = since >= patience;
    const double t = next_look(b, root, slow);
    if (!(t > b->low && t < b->high)) break;
    if (looks > MOST_LOOKS) return limb_sim_fail(sim, LIMB_E_NOCONV, "an event near %.9g s is not found", b->low);
    const limb_status s = narrow(sim, t, b);
    if (s != LIMB_OK) return s;
    since++;
    if (slow && patience > 1) patience--;
    if (b->high - b->low <= 0.5 * halved) halved = b->high - b->low, since = 0;
    (void)first_root(sim, b, &root);
  }
  return LIMB_OK;
}

// ---- looking inside a step -------------------------------------------------------------------------------

// Times, and the values that were seen then: sim->seen.
typedef struct sight {
  double t;
  double* f;
} sight;

static limb_status look(limb_sim* sim, sight at)
{
  limb_status s = sim->stepper->look(sim, at.t, &sim->probe);
  if (s == LIMB_OK) s = limb_sim_settle(sim, &sim->probe);
  return s == LIMB_OK ? limb_sim_watch(sim, &sim->probe, at.f) : s;
}

// Of whatever direction, and also away from zero.
static bool flips(double before, double after)
{
  return before < 0 ? after >= 0 : before > 0 ? after <= 0 : after != 0;
}

static bool any_flips(const limb_sim* sim, const double* before, const double* after)
{
  for (int k = 0; k < sim->nwatch; k++) {
    if (flips(before[k], after[k])) return true;
  }
  return false;
}

// Something is seen to change between the bracket's beginning and t: the bracket ends there, or begins.
static limb_status narrow_if_inside(limb_sim* sim, double t, bracket* b)
{
  const limb_status s = t > b->low && t < b->high ? narrow(sim, t, b) : LIMB_OK;
  b->weight_low = b->weight_high = 1, b->last = 0;
  return s;
}

// Where the parabola through three values of the same sign comes nearest to zero, if that is less than half
// as far as they are; else a time before them.
static double nearest(const double t[3], const double f[3])
{
  const double early = t[0] - 1, sign = f[1] < 0 ? -1 : 1;
  const double least = sign * (sign > 0 ? fmin(f[0], fmin(f[1], f[2])) : fmax(f[0], fmax(f[1], f[2])));
  const double d1 = (f[1] - f[0]) / (t[1] - t[0]), d2 = (f[2] - f[1]) / (t[2] - t[1]);
  const double bend = (d2 - d1) / (t[2] - t[0]);
  if (!(least > 0 && sign * bend > 0)) return early;
  const double best = (t[0] + t[1]) / 2 - d1 / (2 * bend);
  if (!(best > t[0] && best < t[2] && best != t[1])) return early;
  const double value = f[0] + (best - t[0]) * (d1 + bend * (best - t[1]));
  return sign * value < least / 2 ? best : early;
}

// Whether function k, of the same sign at three times, changes it in between and back again. sim->between is
// scratch.
static limb_status look_for_peak(limb_sim* sim, int k, const sight at[3], bracket* b)
{
  enum { LOOKS = 3 };
  double t[3] = {at[0].t, at[1].t, at[2].t}, f[3] = {at[0].f[k], at[1].f[k], at[2].f[k]};
  for (int n = 0; n < LOOKS; n++) {
    const sight peak = {nearest(t, f), sim->between};
    if (!(peak.t > t[0] && peak.t > b->low && peak.t < b->high)) return LIMB_OK;
    limb_status s = look(sim, peak);
    if (s != LIMB_OK) return s;
    const int side = peak.t > t[1]; // neighbours: t[side], t[side + 1]
    const double value = peak.f[k], next = t[side + 1];
    if (flips(f[1], value)) {
      s = narrow_if_inside(sim, peak.t, b);
      return s == LIMB_OK ? narrow_if_inside(sim, next, b) : s;
    }
    if (side)
      t[0] = t[1], f[0] = f[1];
    else
      t[2] = t[1], f[2] = f[1];
    t[1] = peak.t, f[1] = value;
  }
  return LIMB_OK;
}

// The bracket, from its beginning up to the first look that has something before it. Its values stay exact:
// looks only say where to narrow it.
static limb_status look_inside(limb_sim* sim, bracket* b)
{
  const double begin = b->low, end = b->high, half = (sim->front.t - sim->begin.t) / 2;
  const size_t n = (size_t)sim->nwatch, bytes = n * sizeof(double);
  const int pairs = (int)fmax(1, ceil((end - begin) / half - 1e-9));
  sight at[3] = {{begin, sim->seen}, {0, sim->seen + n}, {0, sim->seen + 2 * n}};
  memcpy(at[0].f, b->at_low, bytes);
  for (int i = 1; i <= pairs; i++) {
    at[2].t = i == pairs ? end : begin + (end - begin) * i / pairs;
    at[1].t = at[0].t + (at[2].t - at[0].t) / 2;
    limb_status s = look(sim, at[1]);
    if (i == pairs)
      memcpy(at[2].f, b->at_high, bytes);
    else if (s == LIMB_OK)
      s = look(sim, at[2]);
    for (int k = 0; k < sim->nwatch && s == LIMB_OK; k++) s = look_for_peak(sim, k, at, b);
    for (int k = 0; k < 2 && s == LIMB_OK; k++) {
      if (any_flips(sim, at[k].f, at[k + 1].f)) s = narrow_if_inside(sim, at[k + 1].t, b);
    }
    if (s != LIMB_OK || b->high < end) return s;
    at[0].t = at[2].t;
    memcpy(at[0].f, at[2].f, bytes);
  }
  return LIMB_OK;
}

limb_status limb_sim_find_event(limb_sim* sim, double until, bool* found, double* time)
{
  bracket b = {sim->now.t, until, sim->watched, sim->watching, 1, 1, 0};
  limb_status s = limb_sim_inside(sim, until, &sim->probe);
  if (s == LIMB_OK) s = limb_sim_watch(sim, &sim->probe, b.at_high);
  if (s == LIMB_OK && sim->nedge) s = limb_sim_look_for_turns(sim, &b.high);
  if (s == LIMB_OK && sim->stepper->look && b.high - b.low > 1e4 * tolerance(b.high)) s = look_inside(sim, &b);
  if (s != LIMB_OK) return s;
  double root;
  *found = first_root(sim, &b, &root);
  if (*found && (s = locate(sim, root, &b)) != LIMB_OK) return s;
  *time = b.high;
  for (int k = 0; k < sim->nwatch; k++) sim->fired[k] = *found && crosses(sim, k, b.at_low[k], b.at_high[k]);
  if (!*found) memcpy(sim->watched, b.at_high, (size_t)sim->nwatch * sizeof *sim->watched);
  return LIMB_OK;
}
