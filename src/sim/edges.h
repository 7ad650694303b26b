// Edges of a simulation, as the files see them that decide about them.
//
// An edge that is held is pushed by a force h, sim->holding, which friction and the stop share between them:
// friction no more than Fs either way, the stop only away from the limit. It stays as long as
//
//     least <= h <= most        least = -Fs, or -infinity at the upper stop; most = Fs, or infinity at the
//     lower
//
// and moves up with h = least, down with h = most, otherwise.
#ifndef LIMB_SIM_EDGES_H
#define LIMB_SIM_EDGES_H

#include "sim/sim_impl.h"

#include <math.h>

// Joints rest at stops of this kind.
static inline bool stops_hold(const limb_sim* sim)
{
  return sim->o.stop == LIMB_STOP_HOLD || sim->o.stop == LIMB_STOP_IMPACT;
}

static inline bool edge_rests(const limb_sim* sim, const sim_edge* e)
{
  return e->contact != SIM_AWAY && stops_hold(sim);
}

static inline bool edge_is_held(const limb_sim* sim, const sim_edge* e)
{
  return !e->given && (e->slip == SIM_STICKS || edge_rests(sim, e));
}

// The direction in which the stop at which it is pushes.
static inline int edge_push(const sim_edge* e) { return (e->contact == SIM_AT_LOWER) - (e->contact == SIM_AT_UPPER); }

static inline double edge_least(const limb_sim* sim, const sim_edge* e)
{
  const bool stopped = edge_rests(sim, e) && (edge_push(e) < 0 || e->lower == e->upper);
  return stopped ? -HUGE_VAL : -(e->coulomb + e->extra);
}

static inline double edge_most(const limb_sim* sim, const sim_edge* e)
{
  const bool stopped = edge_rests(sim, e) && (edge_push(e) > 0 || e->lower == e->upper);
  return stopped ? HUGE_VAL : e->coulomb + e->extra;
}

// What rounding may add to the force that holds it [N, N m]. A force is watched for twice that much.
static inline double edge_slack(const limb_sim* sim, const sim_edge* e)
{
  return 1e-13 + (sim->loops ? 1e-10 : 1e-12) * (e->coulomb + e->force);
}

// A coordinate this near to a limit is at it.
static inline double edge_reach(double limit) { return 1e-12 * (1 + fabs(limit)); }

// The stop that holds it at which it is; where it has a contact, it is.
static inline sim_contact edge_stop(const limb_sim* sim, const sim_edge* e)
{
  const double q = sim->now.q[e->q];
  if (!stops_hold(sim)) return SIM_AWAY;
  if (e->contact != SIM_AWAY) return e->contact;
  if (q >= e->upper - edge_reach(e->upper)) return SIM_AT_UPPER;
  return q <= e->lower + edge_reach(e->lower) ? SIM_AT_LOWER : SIM_AWAY;
}

// Marks who is held. edges.c
void limb_sim_mark_held(limb_sim* sim);

// The same for an impulse: only motion that is given resists, friction has no time. edges.c
void limb_sim_mark_given(limb_sim* sim);

// Modes of all edges at now: those at rest by a complementarity problem, the others by their velocities.
// decide.c
limb_status limb_sim_decide(limb_sim* sim);

// Stops act on edges that have a contact, running into it or at rest: velocities of now, and modes after
// that.
// begin: memory, at create. impact.c
limb_status limb_sim_begin_impact(limb_sim* sim);
limb_status limb_sim_strike(limb_sim* sim);

// Functions that are watched of one edge, in this order. edges_watch.c
enum { WATCH_SLIP, WATCH_MOST, WATCH_LEAST, WATCH_UPPER, WATCH_LOWER, EDGE_WATCHES };

#endif
