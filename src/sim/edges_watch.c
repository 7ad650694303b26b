// What is watched about edges: functions that rise through zero when something happens to them.
//
//     slips               -direction v - a little       it comes to rest, or turns round
//     held                h - most, least - h           more than friction and the stop can do
//     away from a stop    q beyond the limit            unless it moves away already
//     spring, away        k x + min(0, d v)             x beyond the limit: it would be pushed back
//     spring, pressed     -(k x + d v)                  it would be pulled
//     loops               log(condition / bound)        a singularity is near
//
// Functions that are not of interest in a mode are -1. A joint that goes beyond its limit and comes back
// inside one step is seen by its velocity, which changes its sign: where it turns round is then looked
// for. One that turns round twice is seen by the way that it has made, which is less than its velocities say.
//
// Cost: none but for the accelerations that h needs, when something is held; the singular values of loops.
#include "sim/edges.h"

#include <float.h>

static const double still = 1e-14;    // [rad/s, m/s]: less is noise, whatever its sign
static const double idle = -1;        // of a function that is not looked at
static const double nearly = DBL_MIN; // what is as good as zero, and below it

int limb_sim_edge_functions(const limb_sim* sim) { return sim->nedge * EDGE_WATCHES; }

int limb_sim_edge_watches(const limb_sim* sim)
{
  return limb_sim_edge_functions(sim) + (sim->o.condition > 0 && sim->loops);
}

bool limb_sim_edges_need_dynamics(const limb_sim* sim)
{
  for (int i = 0; i < sim->nedge; i++) {
    if (edge_is_held(sim, &sim->edge[i])) return true;
  }
  return false;
}

// ---- functions -------------------------------------------------------------------------------------------

// x: beyond the limit, v: outwards.
static double contact_value(const limb_sim* sim, bool pressed, double x, double v)
{
  const double k = sim->o.stiffness, d = sim->o.damping;
  if (sim->o.stop == LIMB_STOP_SPRING) {
    if (!pressed) return k * x + fmin(0, d * v);
    return v > 0 ? fmin(-(k * x + d * v), -nearly) : -(k * x + d * v);
  }
  return v > 0 ? x : fmin(x, -nearly);
}

static void held_values(const limb_sim* sim, const sim_edge* e, double* values)
{
  const double h = sim->holding[e->v], slack = 2 * edge_slack(sim, e);
  const double least = edge_least(sim, e), most = edge_most(sim, e);
  if (most < HUGE_VAL) values[WATCH_MOST] = h - most - slack;
  if (least > -HUGE_VAL) values[WATCH_LEAST] = least - h - slack;
}

static void edge_values(const limb_sim* sim, const sim_edge* e, const sim_point* at, double* values)
{
  for (int k = 0; k < EDGE_WATCHES; k++) values[k] = idle;
  if (e->given) return;
  if (edge_is_held(sim, e)) {
    held_values(sim, e, values);
    return;
  }
  const double q = at->q[e->q], v = at->v[e->v];
  if (!e->locked && e->slip == SIM_SLIPS_UP) values[WATCH_SLIP] = -v - still;
  if (!e->locked && e->slip == SIM_SLIPS_DOWN) values[WATCH_SLIP] = v - still;
  if (e->upper < HUGE_VAL) values[WATCH_UPPER] = contact_value(sim, e->contact == SIM_AT_UPPER, q - e->upper, v);
  if (e->lower > -HUGE_VAL) values[WATCH_LOWER] = contact_value(sim, e->contact == SIM_AT_LOWER, e->lower - q, -v);
}

// Where ranks cannot be told any more, it is singular.
static limb_status condition_value(limb_sim* sim, const sim_point* at, double* value)
{
  const double most = 1e300;
  limb_mobility x = {0};
  sim->o.closed.loops.time = at->t;
  const limb_status s = limb_mobility_at(sim->loops, at->q, &sim->o.closed.loops, &x);
  if (s != LIMB_OK && s != LIMB_E_SINGULAR) return s;
  const double condition = s == LIMB_OK ? fmin(x.condition, most) : most;
  *value = log(fmax(condition, 1) / sim->o.condition);
  return LIMB_OK;
}

limb_status limb_sim_watch_edges(limb_sim* sim, const sim_point* at, double* values)
{
  for (int i = 0; i < sim->nedge; i++) edge_values(sim, &sim->edge[i], at, values + (size_t)i * EDGE_WATCHES);
  const int own = limb_sim_edge_functions(sim);
  return limb_sim_edge_watches(sim) > own ? condition_value(sim, at, &values[own]) : LIMB_OK;
}

// ---- turning round ---------------------------------------------------------------------------------------

// A time, how far the joint is beyond its limit, and its velocity outwards.
typedef struct moment {
  double t, x, v;
} moment;

static moment moment_of(const sim_edge* e, int side, const sim_point* p)
{
  const double q = p->q[e->q];
  return (moment){p->t, side > 0 ? q - e->upper : e->lower - q, side * p->v[e->v]};
}

// Whether it may get beyond in between: where the tangents of both ends meet, and half as much again.
static bool may_reach(moment a, moment b)
{
  const double h = b.t - a.t;
  const double meet = fmin(fmax((b.x - a.x - b.v * h) / (a.v - b.v), 0), h);
  return fmax(a.x + 1.5 * a.v * meet, b.x) > 0;
}

// Follows the velocity to zero between a and b, until the joint is beyond the limit, still moving out (true,
// sim->probe), or cannot get there.
static limb_status turns_beyond(limb_sim* sim, const sim_edge* e, int side, moment a, moment b, bool* beyond)
{
  enum { LOOKS = 60 };
  *beyond = false;
  for (int k = 0; k < LOOKS && may_reach(a, b); k++) {
    const double share = fmin(fmax(a.v / (a.v - b.v), 0.1), 0.9); // of the way to zero
    const double t = a.t + (b.t - a.t) * share;
    if (!(t > a.t && t < b.t)) break;
    const limb_status s = limb_sim_inside(sim, t, &sim->probe);
    if (s != LIMB_OK) return s;
    const moment m = moment_of(e, side, &sim->probe);
    *beyond = m.v > 0 && m.x > 0;
    if (*beyond) break;
    if (m.v > 0)
      a = m;
    else
      b = m;
  }
  return LIMB_OK;
}

static limb_status look_at_side(limb_sim* sim, const sim_edge* e, int side, double* high)
{
  const moment a = moment_of(e, side, &sim->now), b = moment_of(e, side, &sim->probe);
  if (e->contact != SIM_AWAY || !(a.v > 0 && b.v < 0) || !(a.x <= 0)) return LIMB_OK;
  if (!may_reach(a, b)) return LIMB_OK;
  bool beyond = false;
  limb_status s = turns_beyond(sim, e, side, a, b, &beyond);
  if (s != LIMB_OK) return s;
  if (!beyond) return limb_sim_inside(sim, *high, &sim->probe);
  *high = sim->probe.t;
  return limb_sim_watch(sim, &sim->probe, sim->watching);
}

// Where a parabola with the velocities of both ends, and the way between them, is lowest: outside of them
// when it is not below zero.
static double lowest(double h, double v0, double v1, double way)
{
  const double c = 3 * (v0 + v1) - 6 * way / h, b = v1 - v0 - c; // v0 + b s + c s^2
  const double s = -b / (2 * c);
  return c > 0 && v0 + s * (b + s * c) < 0 ? s * h : -1;
}

// A joint that slips at both ends, and may turn round twice in between.
static limb_status look_at_slip(limb_sim* sim, const sim_edge* e, int direction, double* high)
{
  const sim_point *a = &sim->now, *b = &sim->probe;
  const double v0 = direction * a->v[e->v], v1 = direction * b->v[e->v], h = *high - a->t;
  if (!(v0 > 0 && v1 > 0)) return LIMB_OK;
  const double after = lowest(h, v0, v1, direction * (b->q[e->q] - a->q[e->q]));
  if (!(after > 0 && after < h)) return LIMB_OK;
  const limb_status s = limb_sim_inside(sim, a->t + after, &sim->probe);
  if (s != LIMB_OK) return s;
  if (direction * sim->probe.v[e->v] > -still) return limb_sim_inside(sim, *high, &sim->probe);
  *high = sim->probe.t;
  return limb_sim_watch(sim, &sim->probe, sim->watching);
}

limb_status limb_sim_look_for_turns(limb_sim* sim, double* high)
{
  for (int i = 0; i < sim->nedge; i++) {
    const sim_edge* e = &sim->edge[i];
    if (e->given || edge_is_held(sim, e)) continue;
    limb_status s = LIMB_OK;
    if (e->upper < HUGE_VAL) s = look_at_side(sim, e, 1, high);
    if (s == LIMB_OK && e->lower > -HUGE_VAL) s = look_at_side(sim, e, -1, high);
    if (s == LIMB_OK && !e->locked && e->coulomb > 0) s = look_at_slip(sim, e, e->slip == SIM_SLIPS_UP ? 1 : -1, high);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}
