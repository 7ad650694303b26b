// Joints with Coulomb friction or stops: what the files that decide about their modes share.
//
// A held joint is acted on by a force h, sim->holding, of friction (at most Fs either way) and the stop (only away from
// the limit). It stays at rest as long as
//
//     min <= h <= max        min = -Fs, or -infinity at the upper stop; max = Fs, or infinity at the lower one
//
// Otherwise it moves up with h = min, or down with h = max.
#ifndef LIMB_SIM_STOPS_AND_FRICTION_H
#define LIMB_SIM_STOPS_AND_FRICTION_H

#include "sim/sim_impl.h"

#include <math.h>

// Whether joints come to rest at stops.
static inline bool stops_hold(const limb_sim* sim)
{
  return sim->o.stop == LIMB_STOP_HOLD || sim->o.stop == LIMB_STOP_IMPACT;
}

static inline bool rests_at_stop(const limb_sim* sim, const sim_mode* m)
{
  return m->contact != SIM_AWAY && stops_hold(sim);
}

static inline bool is_held(const limb_sim* sim, const sim_mode* m)
{
  return !m->given && (m->slip == SIM_STICKS || rests_at_stop(sim, m));
}

// The direction in which the stop pushes.
static inline int stop_direction(const sim_mode* m)
{
  return (m->contact == SIM_AT_LOWER) - (m->contact == SIM_AT_UPPER);
}

static inline double min_holding(const limb_sim* sim, const sim_mode* m)
{
  const bool stopped = rests_at_stop(sim, m) && (stop_direction(m) < 0 || m->lower == m->upper);
  return stopped ? -HUGE_VAL : -(m->coulomb + m->extra);
}

static inline double max_holding(const limb_sim* sim, const sim_mode* m)
{
  const bool stopped = rests_at_stop(sim, m) && (stop_direction(m) > 0 || m->lower == m->upper);
  return stopped ? HUGE_VAL : m->coulomb + m->extra;
}

// Rounding error of the holding force [N, N m]. Watched functions allow twice as much.
static inline double holding_slack(const limb_sim* sim, const sim_mode* m)
{
  return 1e-13 + (sim->loops ? 1e-10 : 1e-12) * (m->coulomb + m->force);
}

// A coordinate this near to a limit is at it.
static inline double limit_tolerance(double limit) { return 1e-12 * (1 + fabs(limit)); }

// The stop where the joint is, if stops hold.
static inline sim_contact stop_at(const limb_sim* sim, const sim_mode* m)
{
  const double q = sim->now.q[m->q];
  if (!stops_hold(sim)) return SIM_AWAY;
  if (m->contact != SIM_AWAY) return m->contact;
  if (q >= m->upper - limit_tolerance(m->upper)) return SIM_AT_UPPER;
  return q <= m->lower + limit_tolerance(m->lower) ? SIM_AT_LOWER : SIM_AWAY;
}

// Marks what is held: prescribed motion, and joints that stick or rest.
void limb_sim_mark_held(limb_sim* sim);

// Marks prescribed motion only: friction does not resist an impulse.
void limb_sim_mark_given(limb_sim* sim);

// Decides the modes of all joints at now: those at rest by a complementarity problem, the others by their
// velocities. modes.c
limb_status limb_sim_decide_modes(limb_sim* sim);

// Applies the impulses of stops to joints with a contact, and decides modes afterwards; memory, at creation. impact.c
limb_status limb_sim_create_impact(limb_sim* sim);
limb_status limb_sim_apply_impacts(limb_sim* sim);

// Functions watched for each joint, in this order. events.c
enum { WATCH_SLIP, WATCH_MAX, WATCH_MIN, WATCH_UPPER, WATCH_LOWER, MODE_WATCHES };

#endif
