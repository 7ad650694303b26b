// Steps up to a time, and events on the way.
//
//   now     visible to the caller           front     state of the stepper: later than now if an adaptive method
//   begin   start of the last step                    went beyond the requested time
//
// Fixed steps divide the interval to the next stop (the end, or a break of an input) equally. Adaptive steps end there
// as well, or only at breaks, and are interpolated. Where a watched function crosses zero in a step, now moves there,
// modes change, and the stepper restarts.
#include "sim/sim_impl.h"

#include "base/numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

// More events in so short a time [s], with some for each joint with friction or stops, are not a motion any more.
enum { BURST = 1000, BURST_JOINT = 20 };
static const double burst_time = 1e-5;

#define NEAR_OPEN 1e-9 // loops that are open by more are projected even near a singular configuration

// Held joints and prescribed motion stay fixed. If nothing else can move, held joints move and are put back: the gap
// was rounding.
limb_status limb_sim_close_loops(limb_sim* sim, sim_point* p)
{
  limb_loop_options o = sim->o.loops.loops;
  o.held = sim->nheld ? sim->held : NULL;
  limb_status s = limb_project(sim->loops, &o, p->q, p->v, NULL);
  if (s != LIMB_OK && sim->nheld) {
    o.held = sim->motion.given;
    s = limb_project(sim->loops, &o, p->q, p->v, NULL);
  }
  limb_sim_keep_held(sim, p);
  return s;
}

limb_status limb_sim_correct(limb_sim* sim, sim_point* p)
{
  limb_status s = sim->motion.given ? limb_sim_impose(sim, p->t, p->q, p->v) : LIMB_OK;
  limb_sim_keep_held(sim, p);
  if (s != LIMB_OK || !sim->loops) return s;
  limb_loop_options* loops = &sim->o.loops.loops;
  limb_loop_gap gap;
  loops->time = p->t;
  if ((s = limb_loop_gap_of(sim->loops, p->q, p->v, loops, &gap)) != LIMB_OK) return s;
  const double open = fmax(gap.position, gap.velocity);
  if (open > sim->o.project && (!sim->passage.near || open > NEAR_OPEN)) {
    if ((s = limb_sim_close_loops(sim, p)) != LIMB_OK) return s;
    sim->summary.projections++;
    if ((s = limb_loop_gap_of(sim->loops, p->q, p->v, loops, &gap)) != LIMB_OK) return s;
  }
  sim->summary.position_residual = fmax(sim->summary.position_residual, gap.position);
  sim->summary.velocity_residual = fmax(sim->summary.velocity_residual, gap.velocity);
  return LIMB_OK;
}

// ---- one step -------------------------------------------------------------------------------------------

// The number of equal steps from t to `stop`: a length that is a multiple up to rounding counts as one. 0: more than
// floating point can distinguish.
static uint64_t steps_between(const limb_sim* sim, double t, double stop)
{
  const double rounding = 2 * DBL_EPSILON * fmax(fabs(t), fabs(stop));
  const double count = ceil(((stop - t) * (1 - 1e-9) - rounding) / sim->o.step);
  return count * DBL_EPSILON < 1 ? (uint64_t)fmax(1, count) : 0;
}

// The end of the next of the equal steps to `stop`; the current time if they are too short.
static double next_end(limb_sim* sim, double stop)
{
  const double t = sim->front.t;
  if (!sim->leg_steps || sim->leg_end != stop || sim->leg_done >= sim->leg_steps) {
    sim->leg_begin = t, sim->leg_end = stop, sim->leg_done = 0;
    sim->leg_steps = steps_between(sim, t, stop);
    if (!sim->leg_steps) return t;
  }
  sim->leg_done++;
  if (sim->leg_done == sim->leg_steps) return stop;
  return sim->leg_begin + (stop - sim->leg_begin) * ((double)sim->leg_done / (double)sim->leg_steps);
}

static bool finite_point(const limb_sim* sim, const sim_point* p)
{
  return limb_finite(sim->nq, p->q) && limb_finite(sim->nv, p->v);
}

static void count_step(limb_sim* sim)
{
  limb_sim_summary* c = &sim->summary;
  const double h = sim->front.t - sim->begin.t;
  c->min_step = c->steps ? fmin(c->min_step, h) : h;
  c->max_step = fmax(c->max_step, h);
  c->steps++;
}

// Breaks and events may differ by rounding. Adaptive methods cannot start that near to a stop, and some divide by the
// step. Fixed steps may be that short if time is a large number.
static bool is_hop(const limb_sim* sim, double t)
{
  const double ulps = sim->stepper->pace == SIM_FIXED ? 1 : 16;
  return t - sim->begin.t <= ulps * DBL_EPSILON * fmax(1, fabs(sim->begin.t));
}

// One step of Euler's method to t, which is next to begin: exact up to rounding.
static limb_status hop(limb_sim* sim, double t, sim_point* out)
{
  sim_point* b = &sim->begin;
  const double h = t - b->t;
  double power;
  limb_status s = limb_sim_accelerate(sim, b->t, b->q, b->v, sim->a);
  if (s == LIMB_OK) s = limb_sim_power(sim, b->q, b->v, &power);
  if (s == LIMB_OK) s = limb_integrate(sim->m, b->q, b->v, h, out->q);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < sim->nv; k++) out->v[k] = b->v[k] + h * sim->a[k];
  out->work = b->work + h * power;
  out->t = t;
  return LIMB_OK;
}

// The step itself, to t, and if a singular configuration is near possibly further, but not beyond `stop`; a method that
// was bypassed restarts.
static limb_status step_to(limb_sim* sim, double t, double stop)
{
  if (!is_hop(sim, t)) return sim->loops ? limb_sim_step_past(sim, t, stop) : sim->stepper->step(sim, t);
  const limb_status s = hop(sim, t, &sim->front);
  return s == LIMB_OK && sim->stepper->restart ? sim->stepper->restart(sim) : s;
}

// From front, which is now, to a new front.
static limb_status make_step(limb_sim* sim, double t_end)
{
  if (sim->o.max_steps && sim->summary.steps >= sim->o.max_steps)
    return limb_sim_fail(sim, LIMB_E_NOCONV, "the limit of %llu steps is reached",
                         (unsigned long long)sim->o.max_steps);
  sim->passage.length = sim->front.t - sim->begin.t;
  limb_sim_copy(sim, &sim->front, &sim->begin);
  const sim_pace pace = sim->stepper->pace;
  const double stop = pace == SIM_AHEAD ? sim->bound : fmin(sim->bound, t_end);
  const double t = pace == SIM_FIXED ? next_end(sim, stop) : stop;
  if (!(t > sim->begin.t))
    return limb_sim_fail(sim, LIMB_E_NOCONV, "steps are too short for time to advance at %.9g s", sim->begin.t);
  limb_status s = sim->redundant ? limb_sim_choose_constraints(sim, &sim->begin) : LIMB_OK;
  if (s == LIMB_OK) s = step_to(sim, t, sim->bound);
  sim->known = false;
  if (s == LIMB_OK && !finite_point(sim, &sim->front)) s = LIMB_E_NONFINITE;
  if (s == LIMB_OK) s = limb_sim_correct(sim, &sim->front);
  if (s == LIMB_OK)
    count_step(sim);
  else
    limb_sim_copy(sim, &sim->begin, &sim->front);
  return s;
}

// Repeats the step up to t, and restores front.
static limb_status step_again(limb_sim* sim, double t, sim_point* out)
{
  limb_sim_copy(sim, &sim->front, &sim->spare);
  limb_sim_copy(sim, &sim->begin, &sim->front);
  const limb_status s = sim->stepper->step(sim, t);
  limb_sim_copy(sim, &sim->front, out);
  limb_sim_copy(sim, &sim->spare, &sim->front);
  return s;
}

limb_status limb_sim_state_at(limb_sim* sim, double t, sim_point* out)
{
  limb_status s;
  if (t == sim->front.t) {
    limb_sim_copy(sim, &sim->front, out);
    return LIMB_OK;
  }
  if (is_hop(sim, t))
    s = hop(sim, t, out);
  else if (sim->passage.near)
    s = limb_sim_inside_passage(sim, t, out);
  else
    s = sim->stepper->inside ? sim->stepper->inside(sim, t, out) : step_again(sim, t, out);
  return s == LIMB_OK ? limb_sim_correct(sim, out) : s;
}

// ---- events and breaks on the way -----------------------------------------------------------------------

// After a jump at now: restarts the stepper. `before`: watched values before the jump, to detect sign changes.
static limb_status restart(limb_sim* sim, const double* before)
{
  limb_status s = limb_sim_correct(sim, &sim->now);
  if (s != LIMB_OK) return s;
  limb_sim_copy(sim, &sim->now, &sim->front);
  limb_sim_copy(sim, &sim->now, &sim->begin);
  sim->leg_steps = 0;
  sim->known = false;
  s = limb_sim_watch_now(sim, before);
  if (s != LIMB_OK || !sim->stepper->restart) return s;
  sim->summary.restarts++;
  return sim->stepper->restart(sim);
}

static limb_status meet_event(limb_sim* sim, double time)
{
  limb_status s = limb_sim_state_at(sim, time, &sim->probe);
  if (s != LIMB_OK) return s;
  if (time > sim->burst_begin + burst_time) sim->burst = 0, sim->burst_begin = time;
  if (++sim->burst > BURST + BURST_JOINT * sim->nmode)
    return limb_sim_fail(sim, LIMB_E_NOCONV, "more than %d events within %g s, at %.9g s", sim->burst - 1, burst_time,
                         time);
  limb_sim_copy(sim, &sim->probe, &sim->now);
  sim->known = false;
  if ((s = limb_sim_handle_event(sim)) != LIMB_OK) {
    limb_sim_copy(sim, &sim->probe, &sim->now); // restored
    return s;
  }
  return restart(sim, sim->watching);
}

// Passes a break: inputs jump at now.
static limb_status pass_break(limb_sim* sim)
{
  limb_status s = limb_sim_pass_break(sim);
  if (s == LIMB_OK) s = limb_sim_pass_jump(sim);
  return s == LIMB_OK ? restart(sim, sim->watched) : s;
}

// Advances to t_end at most, or to an event.
static limb_status go_on(limb_sim* sim, double t_end)
{
  limb_status s = LIMB_OK;
  if (sim->now.t >= sim->bound) return pass_break(sim); // an event at the same time
  if (sim->now.t >= sim->front.t && (s = make_step(sim, t_end)) != LIMB_OK) return s;
  const double until = fmin(sim->front.t, t_end);
  bool found = false;
  double time = until;
  if (sim->nwatch && (s = limb_sim_find_event(sim, until, &found, &time)) != LIMB_OK) return s;
  if (found) return meet_event(sim, time);
  if ((s = limb_sim_state_at(sim, until, &sim->now)) != LIMB_OK) return s;
  sim->known = false;
  return sim->now.t < sim->bound ? LIMB_OK : pass_break(sim);
}

limb_status limb_sim_advance(limb_sim* sim, double t_end, limb_sim_event* event)
{
  const limb_sim_event none = {LIMB_EVENT_NONE, 0, -1, -1, 0, 0, 0, 0};
  limb_sim_event unseen, *e = event ? event : &unseen;
  *e = none;
  if (!sim) return LIMB_E_ARG;
  if (!sim->started) return LIMB_E_ORDER;
  sim->error[0] = 0;
  if (!(t_end >= sim->now.t) || !limb_finite(1, &t_end))
    return limb_sim_fail(sim, LIMB_E_ARG, "%.9g s is before the current time %.9g s, or not finite", t_end, sim->now.t);
  if (limb_sim_check_clock(sim, t_end) != LIMB_OK) return LIMB_E_NOCONV;
  while (limb_sim_next_event(sim, e) || (sim->now.t < t_end && !sim->over)) {
    if (e->kind != LIMB_EVENT_NONE && event) break;
    const limb_status s = e->kind == LIMB_EVENT_NONE ? go_on(sim, t_end) : LIMB_OK;
    if (s != LIMB_OK) return limb_sim_report(sim, s);
    *e = none;
  }
  sim->error[0] = 0; // of failed attempts that were recovered
  if (e->kind == LIMB_EVENT_NONE) e->time = sim->now.t, e->ends = sim->over;
  return LIMB_OK;
}
