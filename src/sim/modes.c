// What happens at an event: joints come to rest, turn round, are let go, run into stops; and what is told
// of it.
//
// Everything that has its root at an instant happens together. Then all joints at rest are decided about anew
// (decide.c), and those that do something else than before are told: one event each. A joint that rests at a
// stop does not stick as well, one that leaves it or rebounds does not slip as well.
#include "sim/edges.h"

#include <string.h>

// ---- events that are not told yet ------------------------------------------------------------------------

static void queue(limb_sim* sim, limb_sim_event event)
{
  event.time = sim->now.t;
  sim->queue[sim->queued++] = event;
  sim->summary.events++;
  sim->over = sim->over || event.ends;
}

bool limb_sim_next_event(limb_sim* sim, limb_sim_event* event)
{
  if (sim->told < sim->queued) {
    *event = sim->queue[sim->told++];
    return true;
  }
  sim->told = sim->queued = 0;
  return false;
}

void limb_sim_queue_condition(limb_sim* sim, int index, double before, double after)
{
  queue(sim, (limb_sim_event){.kind = LIMB_EVENT_CONDITION,
                              .condition = index,
                              .joint = -1,
                              .ends = sim->condition[index].ends,
                              .before = before,
                              .after = after});
}

static void queue_edge(limb_sim* sim, const sim_edge* e, limb_event_kind kind, int side)
{
  queue(sim, (limb_sim_event){.kind = kind,
                              .condition = -1,
                              .joint = e->joint,
                              .side = side,
                              .ends = sim->o.stop == LIMB_STOP_END && kind == LIMB_EVENT_STOP_REACHED,
                              .before = e->before,
                              .after = sim->now.v[e->v]});
}

// ---- what an edge does -----------------------------------------------------------------------------------

enum { MOVES, SLIPS_UP, SLIPS_DOWN, STICKS, RESTS_UPPER, RESTS_LOWER };

static int doing(const limb_sim* sim, const sim_edge* e)
{
  if (e->given) return MOVES;
  if (edge_rests(sim, e)) return e->contact == SIM_AT_UPPER ? RESTS_UPPER : RESTS_LOWER;
  if (e->slip == SIM_STICKS || e->locked) return STICKS;
  return e->slip == SIM_SLIPS_UP ? SLIPS_UP : e->slip == SIM_SLIPS_DOWN ? SLIPS_DOWN : MOVES;
}

static bool is_rest(int what) { return what == RESTS_UPPER || what == RESTS_LOWER; }

static int side_of(int what) // of a stop, or the direction of slip
{
  return (what == RESTS_UPPER || what == SLIPS_UP) - (what == RESTS_LOWER || what == SLIPS_DOWN);
}

static void remember(limb_sim* sim)
{
  for (int i = 0; i < sim->nedge; i++) {
    sim_edge* e = &sim->edge[i];
    e->was = doing(sim, e);
    e->before = sim->now.v[e->v];
  }
}

static void queue_change(limb_sim* sim, const sim_edge* e)
{
  const int what = doing(sim, e);
  if (what == e->was) return;
  if (is_rest(what))
    queue_edge(sim, e, LIMB_EVENT_STOP_REACHED, side_of(what));
  else if (is_rest(e->was))
    queue_edge(sim, e, LIMB_EVENT_STOP_LEFT, side_of(e->was));
  else if (what == STICKS)
    queue_edge(sim, e, LIMB_EVENT_STICK, side_of(e->was));
  else
    queue_edge(sim, e, LIMB_EVENT_SLIP, side_of(what));
}

// A stop that the joint ran into before, and not any more: 1 upper, -1 lower, 0 none.
static int side_hit(const limb_sim* sim, const sim_edge* e)
{
  const double q = sim->now.q[e->q], after = sim->now.v[e->v];
  if (e->given || !stops_hold(sim) || e->before * after > 0) return 0;
  const bool upper = e->before > 0 && q >= e->upper - edge_reach(e->upper);
  const bool lower = e->before < 0 && q <= e->lower + edge_reach(e->lower);
  return upper - lower;
}

// What ran into its stop.
static void queue_hit(limb_sim* sim, const sim_edge* e, int side)
{
  if (is_rest(doing(sim, e))) {
    queue_edge(sim, e, LIMB_EVENT_STOP_REACHED, side);
  } else if (sim->o.stop == LIMB_STOP_IMPACT) {
    queue_edge(sim, e, LIMB_EVENT_IMPACT, side);
  } else {
    queue_edge(sim, e, LIMB_EVENT_STOP_REACHED, side);
    queue_edge(sim, e, LIMB_EVENT_STOP_LEFT, side);
  }
}

// Stops that were hit come first, what that did to the others next.
static void queue_changes(limb_sim* sim)
{
  for (int i = 0; i < sim->nedge; i++) {
    const int side = side_hit(sim, &sim->edge[i]);
    if (side) queue_hit(sim, &sim->edge[i], side);
  }
  for (int i = 0; i < sim->nedge; i++) {
    if (!side_hit(sim, &sim->edge[i])) queue_change(sim, &sim->edge[i]);
  }
}

// ---- roots -----------------------------------------------------------------------------------------------

static void fire_conditions(limb_sim* sim)
{
  for (int k = 0; k < sim->ncondition; k++) {
    if (sim->fired[k]) limb_sim_queue_condition(sim, k, sim->watching[k], sim->watching[k]);
  }
  const int last = sim->ncondition + limb_sim_edge_functions(sim);
  if (last == sim->nwatch || !sim->fired[last]) return;
  const double condition = sim->o.condition * exp(sim->watching[last]);
  queue(sim, (limb_sim_event){
               .kind = LIMB_EVENT_SINGULAR, .condition = -1, .joint = -1, .before = condition, .after = condition});
}

// It comes to rest. In loops others may do so with it, but for rounding.
static void come_to_rest(limb_sim* sim, const sim_edge* e)
{
  double* v = sim->now.v;
  const double rounding = fmax(1e-11, 100 * fabs(v[e->v]));
  v[e->v] = 0;
  for (int i = 0; i < sim->nedge && sim->loops; i++) {
    const sim_edge* other = &sim->edge[i];
    if (!other->given && fabs(v[other->v]) <= rounding) v[other->v] = 0;
  }
}

// True when stops are to strike.
static bool meet_stop(limb_sim* sim, sim_edge* e, sim_contact contact)
{
  const bool pressed = e->contact != SIM_AWAY;
  const int side = contact == SIM_AT_UPPER ? 1 : -1;
  if (stops_hold(sim)) {
    e->contact = contact;
    return true;
  }
  if (sim->o.stop == LIMB_STOP_SPRING) e->contact = pressed ? SIM_AWAY : contact;
  queue_edge(sim, e, pressed ? LIMB_EVENT_STOP_LEFT : LIMB_EVENT_STOP_REACHED, side);
  return false;
}

limb_status limb_sim_happen(limb_sim* sim)
{
  bool strike = false, change = false;
  fire_conditions(sim);
  remember(sim);
  for (int i = 0; i < sim->nedge; i++) {
    sim_edge* e = &sim->edge[i];
    const unsigned char* fired = sim->fired + sim->ncondition + (size_t)i * EDGE_WATCHES;
    const bool upper = fired[WATCH_UPPER], lower = fired[WATCH_LOWER];
    const bool hit = (upper || lower) && meet_stop(sim, e, upper ? SIM_AT_UPPER : SIM_AT_LOWER);
    if (fired[WATCH_SLIP] && !hit) come_to_rest(sim, e);
    strike = strike || hit;
    for (int k = 0; k < EDGE_WATCHES; k++) change = change || fired[k];
  }
  if (sim->over || !change) return LIMB_OK;
  const limb_status s = strike ? limb_sim_strike(sim) : limb_sim_decide(sim);
  if (s == LIMB_OK) queue_changes(sim);
  return s;
}

limb_status limb_sim_pass_jump(limb_sim* sim)
{
  if (!sim->nedge) return LIMB_OK;
  remember(sim);
  const limb_status s = limb_sim_decide(sim);
  if (s == LIMB_OK) queue_changes(sim);
  return s;
}

// ---- at the start ----------------------------------------------------------------------------------------

// A joint that begins beyond a limit cannot be stopped there.
static limb_status check_limits(limb_sim* sim, const sim_edge* e)
{
  const double q = sim->now.q[e->q];
  const double beyond = fmax(q - e->upper, e->lower - q), rounding = 1e-9;
  if (!(beyond > rounding * (1 + fabs(q))) || sim->o.stop == LIMB_STOP_SPRING || e->given) return LIMB_OK;
  limb_joint_info info;
  const limb_status s = limb_get_joint(sim->m, e->joint, &info);
  if (s != LIMB_OK) return s;
  return limb_sim_fail(sim, LIMB_E_ARG, "joint '%s' is at %.9g, beyond its limit by %.3g", info.def.name, q, beyond);
}

// A stop whose spring is pressed at the start; one that a joint has passed by rounding.
static void begin_contact(limb_sim* sim, sim_edge* e)
{
  const double q = sim->now.q[e->q], v = sim->now.v[e->v];
  const double k = sim->o.stiffness, d = sim->o.damping;
  if (e->given) return;
  if (sim->o.stop == LIMB_STOP_SPRING) {
    if (q > e->upper && k * (q - e->upper) + d * v > 0) e->contact = SIM_AT_UPPER;
    if (q < e->lower && k * (e->lower - q) - d * v > 0) e->contact = SIM_AT_LOWER;
  } else if (!sim->loops) {
    sim->now.q[e->q] = fmin(fmax(q, e->lower), e->upper);
  }
}

limb_status limb_sim_begin_modes(limb_sim* sim)
{
  for (int i = 0; i < sim->nedge; i++) {
    const limb_status s = check_limits(sim, &sim->edge[i]);
    if (s != LIMB_OK) return s;
    begin_contact(sim, &sim->edge[i]);
  }
  return limb_sim_decide(sim);
}
