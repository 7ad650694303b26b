// Steps up to a time, and events on the way.
//
//   now     what the caller sees          front     where the stepper is: later than now when an adaptive one
//   begin   where the last step began               went beyond what was asked for
//
// The way to the next stop (the end, or a break of an input) is cut into equal steps by methods with fixed
// steps; adaptive ones end there, too, or at breaks only, and are interpolated. Where a watched function
// crosses zero inside a step, now goes there, modes change, and the stepper begins anew.
#include "sim/sim_impl.h"

#include "base/numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

// So many events in so short a time [s], and some for each edge, are no motion any more.
enum { CROWD = 1000, CROWD_EDGE = 20 };
static const double crowd_time = 1e-5;

// What is held or given stays where it is. Where nothing else can move, the held ones do, and are put back:
// what was open was rounding.
static limb_status close_loops(limb_sim* sim, sim_point* p)
{
  limb_loop_options o = sim->o.closed.loops;
  o.held = sim->nheld ? sim->held : NULL;
  limb_status s = limb_project(sim->loops, &o, p->q, p->v, NULL);
  if (s != LIMB_OK && sim->nheld) {
    o.held = sim->motion.given;
    s = limb_project(sim->loops, &o, p->q, p->v, NULL);
  }
  limb_sim_keep(sim, p);
  return s;
}

limb_status limb_sim_settle(limb_sim* sim, sim_point* p)
{
  limb_status s = sim->motion.given ? limb_sim_impose(sim, p->t, p->q, p->v) : LIMB_OK;
  limb_sim_keep(sim, p);
  if (s != LIMB_OK || !sim->loops) return s;
  limb_loop_options* loops = &sim->o.closed.loops;
  limb_loop_gap gap;
  loops->time = p->t;
  if ((s = limb_loop_gap_of(sim->loops, p->q, p->v, loops, &gap)) != LIMB_OK) return s;
  if (fmax(gap.place, gap.velocity) > sim->o.project) {
    if ((s = close_loops(sim, p)) != LIMB_OK) return s;
    sim->summary.projections++;
    if ((s = limb_loop_gap_of(sim->loops, p->q, p->v, loops, &gap)) != LIMB_OK) return s;
  }
  sim->summary.largest_place = fmax(sim->summary.largest_place, gap.place);
  sim->summary.largest_velocity = fmax(sim->summary.largest_velocity, gap.velocity);
  return LIMB_OK;
}

// ---- one step --------------------------------------------------------------------------------------------

// How many equal steps it takes from t to `stop`: a length that is a multiple but for rounding is one. No
// more than numbers can tell apart; 0: they would be more.
static uint64_t steps_between(const limb_sim* sim, double t, double stop)
{
  const double rounding = 2 * DBL_EPSILON * fmax(fabs(t), fabs(stop));
  const double count = ceil(((stop - t) * (1 - 1e-9) - rounding) / sim->o.step);
  return count * DBL_EPSILON < 1 ? (uint64_t)fmax(1, count) : 0;
}

// End of the next of the equal steps to `stop`; where it is already when these are too short.
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
  c->shortest = c->steps ? fmin(c->shortest, h) : h;
  c->longest = fmax(c->longest, h);
  c->steps++;
}

// Breaks and events may differ by rounding. Adaptive methods refuse to begin where they must end at once,
// and some divide by the step. Fixed steps may be wanted so short, when time is a large number.
static bool is_hop(const limb_sim* sim, double t)
{
  const double ulps = sim->stepper->pace == SIM_FIXED ? 1 : 16;
  return t - sim->begin.t <= ulps * DBL_EPSILON * fmax(1, fabs(sim->begin.t));
}

// One step of Euler's method to t, which is next to begin: exact to rounding.
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

// The step itself; a method that was passed over begins anew.
static limb_status step_to(limb_sim* sim, double t)
{
  if (!is_hop(sim, t)) return sim->stepper->step(sim, t);
  const limb_status s = hop(sim, t, &sim->front);
  return s == LIMB_OK && sim->stepper->restart ? sim->stepper->restart(sim) : s;
}

// From front, which is now, to a new front.
static limb_status make_step(limb_sim* sim, double t_end)
{
  if (sim->o.most_steps && sim->summary.steps >= sim->o.most_steps)
    return limb_sim_fail(sim, LIMB_E_NOCONV, "%llu steps were made, which is the bound",
                         (unsigned long long)sim->o.most_steps);
  limb_sim_copy(sim, &sim->front, &sim->begin);
  const sim_pace pace = sim->stepper->pace;
  const double stop = pace == SIM_AHEAD ? sim->bound : fmin(sim->bound, t_end);
  const double t = pace == SIM_FIXED ? next_end(sim, stop) : stop;
  if (!(t > sim->begin.t))
    return limb_sim_fail(sim, LIMB_E_NOCONV, "steps are so short that time does not go on at %.9g s", sim->begin.t);
  limb_status s = sim->redundant ? limb_sim_choose_rows(sim, &sim->begin) : LIMB_OK;
  if (s == LIMB_OK) s = step_to(sim, t);
  sim->known = false;
  if (s == LIMB_OK && !finite_point(sim, &sim->front)) s = LIMB_E_NONFINITE;
  if (s == LIMB_OK) s = limb_sim_settle(sim, &sim->front);
  if (s == LIMB_OK)
    count_step(sim);
  else
    limb_sim_copy(sim, &sim->begin, &sim->front);
  return s;
}

// The step again, shorter: front is put back afterwards.
static limb_status step_again(limb_sim* sim, double t, sim_point* out)
{
  limb_sim_copy(sim, &sim->front, &sim->spare);
  limb_sim_copy(sim, &sim->begin, &sim->front);
  const limb_status s = sim->stepper->step(sim, t);
  limb_sim_copy(sim, &sim->front, out);
  limb_sim_copy(sim, &sim->spare, &sim->front);
  return s;
}

limb_status limb_sim_inside(limb_sim* sim, double t, sim_point* out)
{
  limb_status s;
  if (t == sim->front.t) {
    limb_sim_copy(sim, &sim->front, out);
    return LIMB_OK;
  }
  if (is_hop(sim, t))
    s = hop(sim, t, out);
  else
    s = sim->stepper->inside ? sim->stepper->inside(sim, t, out) : step_again(sim, t, out);
  return s == LIMB_OK ? limb_sim_settle(sim, out) : s;
}

// ---- on the way ------------------------------------------------------------------------------------------

// After a jump at now: the stepper goes on from there. Watched values before it: to see what it carried
// across zero.
static limb_status restart(limb_sim* sim, const double* before)
{
  limb_status s = limb_sim_settle(sim, &sim->now);
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
  limb_status s = limb_sim_inside(sim, time, &sim->probe);
  if (s != LIMB_OK) return s;
  if (time > sim->crowd_begin + crowd_time) sim->crowd = 0, sim->crowd_begin = time;
  if (++sim->crowd > CROWD + CROWD_EDGE * sim->nedge)
    return limb_sim_fail(sim, LIMB_E_NOCONV, "more than %d events within %g s, at %.9g s", sim->crowd - 1, crowd_time,
                         time);
  limb_sim_copy(sim, &sim->probe, &sim->now);
  sim->known = false;
  if ((s = limb_sim_happen(sim)) != LIMB_OK) {
    limb_sim_copy(sim, &sim->probe, &sim->now); // as it was
    return s;
  }
  return restart(sim, sim->watching);
}

// Inputs jump at now.
static limb_status pass_break(limb_sim* sim)
{
  limb_status s = limb_sim_pass_break(sim);
  if (s == LIMB_OK) s = limb_sim_pass_jump(sim);
  return s == LIMB_OK ? restart(sim, sim->watched) : s;
}

// Goes on to t_end at most, or to an event.
static limb_status go_on(limb_sim* sim, double t_end)
{
  limb_status s = LIMB_OK;
  if (sim->now.t >= sim->bound) return pass_break(sim); // an event was there, too
  if (sim->now.t >= sim->front.t && (s = make_step(sim, t_end)) != LIMB_OK) return s;
  const double until = fmin(sim->front.t, t_end);
  bool found = false;
  double time = until;
  if (sim->nwatch && (s = limb_sim_find_event(sim, until, &found, &time)) != LIMB_OK) return s;
  if (found) return meet_event(sim, time);
  if ((s = limb_sim_inside(sim, until, &sim->now)) != LIMB_OK) return s;
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
    return limb_sim_fail(sim, LIMB_E_ARG, "%.9g s is not a time after %.9g s, which was reached", t_end, sim->now.t);
  while (limb_sim_next_event(sim, e) || (sim->now.t < t_end && !sim->over)) {
    if (e->kind != LIMB_EVENT_NONE && event) break;
    const limb_status s = e->kind == LIMB_EVENT_NONE ? go_on(sim, t_end) : LIMB_OK;
    if (s != LIMB_OK) return limb_sim_tell(sim, s);
    *e = none;
  }
  sim->error[0] = 0; // of attempts that others have made good
  if (e->kind == LIMB_EVENT_NONE) e->time = sim->now.t, e->ends = sim->over;
  return LIMB_OK;
}
