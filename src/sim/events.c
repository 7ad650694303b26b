// Watched functions, whose roots are events, and the search for the first root in a step.
//
// A root lies between two times at which a function has different signs. The search follows the secant of the
// function that would cross first, with Illinois weights (the end that stays twice counts half), evaluating all
// functions each time, until the bracket is shorter than the tolerance. The event is at the end of the bracket and
// belongs to all functions that cross in it. A function that is zero at the beginning has already had its event.
//
// Steps of adaptive methods may be long, and a function may cross zero twice in one. They are sampled in quarters and
// at the extrema of parabolas through these samples. Anything faster is missed, as are two crossings in a fixed step.
//
// Functions of stops and friction rise through zero at an event; those irrelevant in a mode are -1:
//
//     slips               -direction v - small          comes to rest, or reverses
//     held                h - max, min - h              exceeds what friction and the stop can hold
//     away from a stop    q beyond the limit            unless it already moves away
//     spring, away        k x + min(0, d v)             x beyond the limit: it would push
//     spring, pressed     -(k x + d v)                  it would pull
//     loops               log(condition / bound)        near a singularity
//
// A joint that passes its limit and returns within one step is detected by its velocity, which changes its sign.
// One that reverses twice is detected by its displacement, which is less than its velocities suggest.
//
// Reference: K. Hiebert, L. Shampine, Implicitly defined output points for solutions of ODEs, SAND80-0180, 1980.
// Cost:      accelerations, if something is held; the singular values of loops, if their condition is watched.
#include "sim/stops_and_friction.h"

#include "sim/sim_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_LOOKS = 400 };

// ---- watched functions ----------------------------------------------------------------------------------

// Conditions first, then the functions of modes.
int limb_sim_watch_count(const limb_sim* sim) { return sim->ncondition + limb_sim_mode_watches(sim); }

limb_status limb_sim_add_condition(limb_sim* sim, const limb_sim_condition* c, int* index)
{
  if (!sim || !c || !c->value || c->direction < -1 || c->direction > 1) return LIMB_E_ARG;
  if (sim->started) return LIMB_E_ORDER;
  if (!limb_sim_grow(sim, (void**)&sim->condition, &sim->condition_capacity, sim->ncondition, sizeof *sim->condition))
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
  return limb_sim_modes_need_dynamics(sim);
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
  return limb_sim_watch_modes(sim, at, values + sim->ncondition);
}

// ---- roots ----------------------------------------------------------------------------------------------

// Functions of modes rise.
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
  // Modes fit the state: a positive value is an event that is handled at once.
  const int functions = limb_sim_mode_functions(sim);
  for (int k = sim->ncondition; k < sim->ncondition + functions; k++) sim->watched[k] = fmin(sim->watched[k], -DBL_MIN);
  return LIMB_OK;
}

// Two times, and the values of all watched functions there.
typedef struct bracket {
  double low, high;
  double *at_low, *at_high; // all watched values
  double weight_low, weight_high;
  int last; // end that was moved last: -1 low, 1 high, 0 none
} bracket;

// The first root according to the secants of the functions that cross; false if none does.
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

// Length of a bracket that is short enough [s].
static double tolerance(double t) { return fmax(1e-13, 4 * DBL_EPSILON * fabs(t)); }

// Evaluates at t, within the bracket; t replaces one end. The end that stays twice counts half.
static limb_status narrow(limb_sim* sim, double t, bracket* b)
{
  limb_status s = limb_sim_state_at(sim, t, &sim->probe);
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

// The next time to evaluate: the root of the secant, moved a little past it, so that the bracket closes from both
// sides; the middle, if secants have not halved it for a while.
static double next_look(const bracket* b, double root, bool slow)
{
  const double width = b->high - b->low, little = 0.4 * tolerance(b->high);
  const double t = slow ? b->low + width / 2 : root - b->last * little;
  return fmin(fmax(t, b->low + fmin(little, width / 2)), b->high - fmin(little, width / 2));
}

// Narrows a bracket with a crossing to its first root.
static limb_status locate(limb_sim* sim, double root, bracket* b)
{
  int patience = 3; // less once secants have proved useless, as at a jump
  double halved = b->high - b->low;
  for (int looks = 0, since = 0; b->high - b->low > tolerance(b->high); looks++) {
    const bool slow = since >= patience;
    const double t = next_look(b, root, slow);
    if (!(t > b->low && t < b->high)) break;
    if (looks > MAX_LOOKS)
      return limb_sim_fail(sim, LIMB_E_NOCONV, "the search for an event near %.9g s fails", b->low);
    const limb_status s = narrow(sim, t, b);
    if (s != LIMB_OK) return s;
    since++;
    if (slow && patience > 1) patience--;
    if (b->high - b->low <= 0.5 * halved) halved = b->high - b->low, since = 0;
    (void)first_root(sim, b, &root);
  }
  return LIMB_OK;
}

// ---- sampling a step ------------------------------------------------------------------------------------

// A time, and the values there: in sim->seen.
typedef struct sight {
  double t;
  double* f;
} sight;

static limb_status look(limb_sim* sim, sight at)
{
  limb_status s = sim->stepper->look(sim, at.t, &sim->probe);
  if (s == LIMB_OK) s = limb_sim_correct(sim, &sim->probe);
  return s == LIMB_OK ? limb_sim_watch(sim, &sim->probe, at.f) : s;
}

// A change of sign in any direction, or from zero.
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

// Something changes between the start of the bracket and t: t becomes its end, or its start.
static limb_status narrow_if_inside(limb_sim* sim, double t, bracket* b)
{
  const limb_status s = t > b->low && t < b->high ? narrow(sim, t, b) : LIMB_OK;
  b->weight_low = b->weight_high = 1, b->last = 0;
  return s;
}

// Where the parabola through three values of the same sign comes nearest to zero, if it is less than half as far as
// they are; else a time before them.
static double nearest(const double t[3], const double f[3])
{
  const double early = t[0] - 1, sign = f[1] < 0 ? -1 : 1;
  const double min = sign * (sign > 0 ? fmin(f[0], fmin(f[1], f[2])) : fmax(f[0], fmax(f[1], f[2])));
  const double d1 = (f[1] - f[0]) / (t[1] - t[0]), d2 = (f[2] - f[1]) / (t[2] - t[1]);
  const double bend = (d2 - d1) / (t[2] - t[0]);
  if (!(min > 0 && sign * bend > 0)) return early;
  const double best = (t[0] + t[1]) / 2 - d1 / (2 * bend);
  if (!(best > t[0] && best < t[2] && best != t[1])) return early;
  const double value = f[0] + (best - t[0]) * (d1 + bend * (best - t[1]));
  return sign * value < min / 2 ? best : early;
}

// Whether function k, with the same sign at three times, changes it twice in between. Uses sim->between.
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

// Shortens the bracket to the first sample before which something changes. Its values stay exact: samples only show
// where to narrow it.
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

// Whether a function may cross zero twice within a step. Samples of explicit methods cost evaluations.
static bool sampled(const limb_sim* sim)
{
  if (!sim->stepper->look || sim->passage.near) return false;
  for (int k = 0; k < sim->ncondition; k++) {
    if (!sim->condition[k].polled) return true;
  }
  return sim->nwatch > sim->ncondition;
}

limb_status limb_sim_find_event(limb_sim* sim, double until, bool* found, double* time)
{
  bracket b = {sim->now.t, until, sim->watched, sim->watching, 1, 1, 0};
  limb_status s = limb_sim_state_at(sim, until, &sim->probe);
  if (s == LIMB_OK) s = limb_sim_watch(sim, &sim->probe, b.at_high);
  if (s == LIMB_OK && sim->nmode) s = limb_sim_find_turns(sim, &b.high);
  if (s == LIMB_OK && sampled(sim) && b.high - b.low > 1e4 * tolerance(b.high)) s = look_inside(sim, &b);
  if (s != LIMB_OK) return s;
  double root;
  *found = first_root(sim, &b, &root);
  if (*found && (s = locate(sim, root, &b)) != LIMB_OK) return s;
  *time = b.high;
  for (int k = 0; k < sim->nwatch; k++) sim->fired[k] = *found && crosses(sim, k, b.at_low[k], b.at_high[k]);
  if (!*found) memcpy(sim->watched, b.at_high, (size_t)sim->nwatch * sizeof *sim->watched);
  return LIMB_OK;
}

// ---- functions of stops and friction --------------------------------------------------------------------

static const double still = 1e-14;    // [rad/s, m/s]: smaller velocities are noise
static const double idle = -1;        // value of a function that is not watched now
static const double nearly = DBL_MIN; // -nearly: just below zero

int limb_sim_mode_functions(const limb_sim* sim) { return sim->nmode * MODE_WATCHES; }

int limb_sim_mode_watches(const limb_sim* sim)
{
  return limb_sim_mode_functions(sim) + (sim->o.condition > 0 && sim->loops);
}

bool limb_sim_modes_need_dynamics(const limb_sim* sim)
{
  for (int i = 0; i < sim->nmode; i++) {
    if (is_held(sim, &sim->mode[i])) return true;
  }
  return false;
}

// x: beyond the limit, v: outwards.
static double contact_value(const limb_sim* sim, bool pressed, double x, double v)
{
  const double k = sim->o.stop_stiffness, d = sim->o.stop_damping;
  if (sim->o.stop == LIMB_STOP_SPRING) {
    if (!pressed) return k * x + fmin(0, d * v);
    return v > 0 ? fmin(-(k * x + d * v), -nearly) : -(k * x + d * v);
  }
  return v > 0 ? x : fmin(x, -nearly);
}

static void held_values(const limb_sim* sim, const sim_mode* m, double* values)
{
  const double h = sim->holding[m->v], slack = 2 * holding_slack(sim, m);
  const double min = min_holding(sim, m), max = max_holding(sim, m);
  if (max < HUGE_VAL) values[WATCH_MAX] = h - max - slack;
  if (min > -HUGE_VAL) values[WATCH_MIN] = min - h - slack;
}

static void mode_values(const limb_sim* sim, const sim_mode* m, const sim_point* at, double* values)
{
  for (int k = 0; k < MODE_WATCHES; k++) values[k] = idle;
  if (m->given) return;
  if (is_held(sim, m)) {
    held_values(sim, m, values);
    return;
  }
  const double q = at->q[m->q], v = at->v[m->v];
  if (!m->locked && m->slip == SIM_SLIPS_UP) values[WATCH_SLIP] = -v - still;
  if (!m->locked && m->slip == SIM_SLIPS_DOWN) values[WATCH_SLIP] = v - still;
  if (m->upper < HUGE_VAL) values[WATCH_UPPER] = contact_value(sim, m->contact == SIM_AT_UPPER, q - m->upper, v);
  if (m->lower > -HUGE_VAL) values[WATCH_LOWER] = contact_value(sim, m->contact == SIM_AT_LOWER, m->lower - q, -v);
}

// Singular also if the rank cannot be determined.
static limb_status condition_value(limb_sim* sim, const sim_point* at, double* value)
{
  const double max = 1e300;
  limb_mobility x = {0};
  sim->o.loops.loops.time = at->t;
  const limb_status s = limb_mobility_at(sim->loops, at->q, &sim->o.loops.loops, &x);
  if (s != LIMB_OK && s != LIMB_E_SINGULAR) return s;
  const double condition = s == LIMB_OK ? fmin(x.condition, max) : max;
  *value = log(fmax(condition, 1) / sim->o.condition);
  return LIMB_OK;
}

limb_status limb_sim_watch_modes(limb_sim* sim, const sim_point* at, double* values)
{
  for (int i = 0; i < sim->nmode; i++) mode_values(sim, &sim->mode[i], at, values + (size_t)i * MODE_WATCHES);
  const int own = limb_sim_mode_functions(sim);
  return limb_sim_mode_watches(sim) > own ? condition_value(sim, at, &values[own]) : LIMB_OK;
}

// ---- reversals within a step ----------------------------------------------------------------------------

// A time, the distance of the joint beyond its limit, and its outward velocity.
typedef struct moment {
  double t, x, v;
} moment;

static moment moment_of(const sim_mode* m, int side, const sim_point* p)
{
  const double q = p->q[m->q];
  return (moment){p->t, side > 0 ? q - m->upper : m->lower - q, side * p->v[m->v]};
}

// Whether it may pass the limit in between: where the tangents of both ends meet, with a margin of one half.
static bool may_reach(moment a, moment b)
{
  const double h = b.t - a.t;
  const double meet = fmin(fmax((b.x - a.x - b.v * h) / (a.v - b.v), 0), h);
  return fmax(a.x + 1.5 * a.v * meet, b.x) > 0;
}

// Follows the velocity to zero between a and b, until the joint is beyond the limit and still moving out (true,
// sim->probe), or cannot reach it.
static limb_status turns_beyond(limb_sim* sim, const sim_mode* m, int side, moment a, moment b, bool* beyond)
{
  enum { LOOKS = 60 };
  *beyond = false;
  for (int k = 0; k < LOOKS && may_reach(a, b); k++) {
    const double share = fmin(fmax(a.v / (a.v - b.v), 0.1), 0.9); // linear interpolation
    const double t = a.t + (b.t - a.t) * share;
    if (!(t > a.t && t < b.t)) break;
    const limb_status s = limb_sim_state_at(sim, t, &sim->probe);
    if (s != LIMB_OK) return s;
    const moment mid = moment_of(m, side, &sim->probe);
    *beyond = mid.v > 0 && mid.x > 0;
    if (*beyond) break;
    if (mid.v > 0)
      a = mid;
    else
      b = mid;
  }
  return LIMB_OK;
}

static limb_status look_at_side(limb_sim* sim, const sim_mode* m, int side, double* high)
{
  const moment a = moment_of(m, side, &sim->now), b = moment_of(m, side, &sim->probe);
  if (m->contact != SIM_AWAY || !(a.v > 0 && b.v < 0) || !(a.x <= 0)) return LIMB_OK;
  if (!may_reach(a, b)) return LIMB_OK;
  bool beyond = false;
  limb_status s = turns_beyond(sim, m, side, a, b, &beyond);
  if (s != LIMB_OK) return s;
  if (!beyond) return limb_sim_state_at(sim, *high, &sim->probe);
  *high = sim->probe.t;
  return limb_sim_watch(sim, &sim->probe, sim->watching);
}

// Where the parabola with the velocities of both ends and the displacement between them is lowest; outside the interval
// if it is not negative there.
static double lowest(double h, double v0, double v1, double way)
{
  const double c = 3 * (v0 + v1) - 6 * way / h, b = v1 - v0 - c; // v0 + b s + c s^2
  const double s = -b / (2 * c);
  return c > 0 && v0 + s * (b + s * c) < 0 ? s * h : -1;
}

// A joint that slips at both ends and may reverse twice in between.
static limb_status look_at_slip(limb_sim* sim, const sim_mode* m, int direction, double* high)
{
  const sim_point *a = &sim->now, *b = &sim->probe;
  const double v0 = direction * a->v[m->v], v1 = direction * b->v[m->v], h = *high - a->t;
  if (!(v0 > 0 && v1 > 0)) return LIMB_OK;
  const double after = lowest(h, v0, v1, direction * (b->q[m->q] - a->q[m->q]));
  if (!(after > 0 && after < h)) return LIMB_OK;
  const limb_status s = limb_sim_state_at(sim, a->t + after, &sim->probe);
  if (s != LIMB_OK) return s;
  if (direction * sim->probe.v[m->v] > -still) return limb_sim_state_at(sim, *high, &sim->probe);
  *high = sim->probe.t;
  return limb_sim_watch(sim, &sim->probe, sim->watching);
}

limb_status limb_sim_find_turns(limb_sim* sim, double* high)
{
  for (int i = 0; i < sim->nmode; i++) {
    const sim_mode* m = &sim->mode[i];
    if (m->given || is_held(sim, m)) continue;
    limb_status s = LIMB_OK;
    if (m->upper < HUGE_VAL) s = look_at_side(sim, m, 1, high);
    if (s == LIMB_OK && m->lower > -HUGE_VAL) s = look_at_side(sim, m, -1, high);
    if (s == LIMB_OK && !m->locked && m->coulomb > 0) s = look_at_slip(sim, m, m->slip == SIM_SLIPS_UP ? 1 : -1, high);
    if (s != LIMB_OK) return s;
  }
  return LIMB_OK;
}
