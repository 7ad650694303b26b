// Steps past singular configurations of loops, where branches of motion meet.
//
// There Psi loses rank. Let d be the distance, as the smallest pivot of the constraints over the largest one. A
// residual e of the constraints is a distance e / d across the branch, turns its tangent by e / d^2, and changes
// accelerations by e v^2 / d^2. Rounding, e = 1e-16, therefore decides at d = 1e-8 on which branch the motion goes on,
// and projections that are harmless elsewhere spoil velocities at d = 1e-6, however short steps are. Along the branch
// everything is smooth: motion goes on with continuous velocities. So within the zone, d < NEAR times the largest d so
// far,
//
//   - steps are those of RK4 on the branch, or RODAS if the robot is stiff: stages are evaluated at the
//     nearest state that closes the loops
//   - the state itself is not projected, so that nothing but accelerations determines its velocities
//   - d changes by a quarter of the zone in a step, however short those of the method are: errors grow with d^-2
//   - the singular configuration, where d would be zero by a secant, is kept between the nodes of steps
//
// After the zone loops are projected. A projection that changes velocities shows that the motion did not stay on a
// branch, which is an error.
#include "sim/sim_impl.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#define NEAR      0.02 // of the largest ratio of pivots: the zone
#define STABLE    2    // rates of RK4 times its step
#define STEPS     4    // on the way through the zone
#define APPROACH  10   // zones from which on a fixed step may enter it
#define AT_EDGE   1.5  // zones: so near, the next adaptive step enters it
#define SHARE     0.8  // of the way there that an adaptive step may go
#define TRIAL     0.1  // of the distance in rad or m, if that is a radian for the largest one: first displacement
#define SLOW      1e-3 // [rad/s] or [m/s]: speeds below count as that
#define LONGEST   0.05 // [rad] or [m]: motion in a step, also where d hardly changes
#define CONTINUED 1e-6 // relative change of velocities by the projection after the zone

static limb_status create_state(limb_sim* sim, const sim_stepper* stepper, void** state)
{
  void* own = sim->state;
  const limb_status s = *state ? LIMB_OK : stepper->create(sim);
  if (!*state) *state = sim->state;
  sim->state = own;
  return s;
}

limb_status limb_sim_create_passage(limb_sim* sim)
{
  sim_passage* p = &sim->passage;
  const limb_sim_method method = sim->stepper->method;
  const size_t nv = (size_t)sim->nv;
  if (!sim->loops) return LIMB_OK;
  if (!p->a0) {
    double* x = limb_sim_alloc(sim, 4 * nv, sizeof *x);
    if (!x) return LIMB_E_NOMEM;
    p->a0 = x, p->a1 = x + nv, p->u = x + 2 * nv, p->rate = x + 3 * nv;
  }
  limb_status s = create_state(sim, &limb_sim_rk4, &p->explicit_state);
  p->fastest = 0;
  if (s != LIMB_OK || (method != LIMB_SIM_IMPLICIT && method != LIMB_SIM_BDF && method != LIMB_SIM_IDA)) return s;
  s = limb_sim_fastest_rate(sim, &p->fastest);
  return s == LIMB_OK ? create_state(sim, &limb_sim_rosenbrock, &p->implicit_state) : s;
}

void limb_sim_begin_passage(limb_sim* sim)
{
  sim_passage* p = &sim->passage;
  p->top = p->length = 0, p->near = false, p->low = HUGE_VAL;
  p->t[0] = p->t[1] = -HUGE_VAL;
}

void limb_sim_note_pivots(limb_sim* sim, double t, double ratio)
{
  sim_passage* p = &sim->passage;
  p->now = ratio;
  p->top = fmax(p->top, ratio);
  p->low = fmin(p->low, ratio);
  if (t > p->t[0]) p->t[1] = p->t[0], p->ratio[1] = p->ratio[0];
  if (t >= p->t[0] || t < p->t[1]) p->t[0] = t, p->ratio[0] = ratio;
  if (p->t[1] >= p->t[0]) p->t[1] = -HUGE_VAL; // time was set back
}

// Whether a step to t may enter the zone, or begins in it. Adaptive steps end before it, however long they would be:
// they would pass it unseen.
static limb_status look_ahead(limb_sim* sim, double* t, bool* near)
{
  sim_passage* p = &sim->passage;
  limb_status s = LIMB_OK;
  *near = false;
  if (p->t[0] < sim->begin.t - 1.01 * p->length || p->top == 0) // the method does not evaluate accelerations
    s = limb_sim_accelerate(sim, sim->begin.t, sim->begin.q, sim->begin.v, p->a0);
  if (s != LIMB_OK) return s;
  const double zone = NEAR * p->top, here = p->ratio[0];
  *near = here <= zone;
  if (*near || p->t[1] == -HUGE_VAL || !(here < p->ratio[1])) return s;
  const double left = p->t[0] - sim->begin.t + (here - zone) / (p->ratio[1] - here) * (p->t[0] - p->t[1]);
  const bool fixed = sim->stepper->pace == SIM_FIXED;
  *near = fixed ? here <= APPROACH * zone && left <= *t - sim->begin.t : left <= 0 || here <= AT_EDGE * zone;
  if (!fixed && !*near) *t = fmin(*t, sim->begin.t + SHARE * left);
  return s;
}

// d at the state reached in so short a time.
static limb_status ratio_after(limb_sim* sim, double time, double* ratio)
{
  sim_passage* p = &sim->passage;
  const sim_point *b = &sim->begin, *to = &sim->shifted;
  for (int k = 0; k < sim->nv; k++) {
    p->u[k] = time * (b->v[k] + time / 2 * p->a0[k]);
    to->v[k] = b->v[k] + time * p->a0[k];
  }
  limb_status s = limb_sim_displace(sim, b->q, p->u, 1, to->q);
  if (s == LIMB_OK) s = limb_sim_accelerate(sim, b->t, to->q, to->v, p->a1);
  *ratio = p->now;
  return s;
}

// The slope of d at the beginning of a step, at least half way to the singular configuration.
static limb_status find_slope(limb_sim* sim, double here, double* slope)
{
  enum { TRIES = 4 };
  const double speed = fmax(limb_largest((size_t)sim->nv, sim->begin.v), SLOW);
  double time = TRIAL * here / sim->passage.top / speed;
  limb_status s = LIMB_OK;
  for (int k = 0; k < TRIES && s == LIMB_OK; k++) {
    double there;
    s = ratio_after(sim, time, &there);
    *slope = (there - here) / time;
    const double z = here / -*slope;
    if (*slope >= 0 || (time > 0.25 * z && time < 0.75 * z)) break;
    time = fmin(z / 2, 8 * time);
  }
  return s;
}

// The length of a step, with its nodes apart from a singular configuration z ahead: that is between nodes, at the share
// c of a step, and half a usual step after the one before.
static double straddling(double z, double usual, double c)
{
  if (z <= 1.1 * c * usual) return z / c;
  return z < 1.5 * usual ? z - usual / 2 : usual;
}

// The time in which the fastest joint moves by LONGEST.
static double longest(const limb_sim* sim)
{
  const size_t nv = (size_t)sim->nv;
  const double v = limb_largest(nv, sim->begin.v), a = limb_largest(nv, sim->passage.a0);
  return 2 * LONGEST / (v + sqrt(v * v + 2 * a * LONGEST) + SLOW * LONGEST);
}

static limb_status enter(limb_sim* sim)
{
  sim_passage* p = &sim->passage;
  p->near = true, p->crossed = false, p->closest = HUGE_VAL;
  limb_status s = limb_sim_close_loops(sim, &sim->begin);
  if (s == LIMB_OK) s = limb_sim_energy_at(sim, &sim->begin, &p->energy);
  p->energy -= sim->begin.work;
  return s;
}

// After the zone; sim->begin is there.
static limb_status leave(limb_sim* sim)
{
  sim_passage* p = &sim->passage;
  limb_sim_summary* c = &sim->summary;
  double energy, change = 0;
  p->near = false;
  memcpy(p->u, sim->begin.v, (size_t)sim->nv * sizeof *p->u);
  limb_status s = limb_sim_close_loops(sim, &sim->begin);
  if (s == LIMB_OK) s = limb_sim_energy_at(sim, &sim->begin, &energy);
  if (s != LIMB_OK) return s;
  for (int k = 0; k < sim->nv; k++) change = fmax(change, fabs(sim->begin.v[k] - p->u[k]));
  if (change > CONTINUED * limb_largest((size_t)sim->nv, p->u))
    return limb_sim_fail(sim, LIMB_E_SINGULAR,
                         "branches of motion meet at the singular configuration near %.9g s, and the motion did not "
                         "stay on one: a shorter step may help",
                         p->when);
  if (!p->crossed) return LIMB_OK;
  energy -= sim->begin.work + p->energy;
  if (!c->singular++ || p->closest < c->singular_distance)
    c->singular_distance = p->closest, c->singular_time = p->when;
  c->singular_energy = fmax(c->singular_energy, fabs(energy));
  return LIMB_OK;
}

// A step within the zone, no further than `end`.
static limb_status pass(limb_sim* sim, double end)
{
  sim_passage* p = &sim->passage;
  const sim_point* b = &sim->begin;
  double slope;
  limb_status s = p->near ? LIMB_OK : enter(sim);
  limb_sim_copy(sim, b, &sim->front);
  if (s == LIMB_OK) s = limb_sim_accelerate(sim, b->t, b->q, b->v, p->a0);
  if (s == LIMB_OK) s = limb_sim_power(sim, b->q, b->v, &p->power);
  const double here = p->now, zone = NEAR * p->top;
  if (s == LIMB_OK) s = find_slope(sim, here, &slope);
  if (s != LIMB_OK) return s;
  const double z = slope < 0 ? here / -slope : HUGE_VAL;
  const double usual = fmin(zone / STEPS / fabs(slope), longest(sim));
  const bool stiff = p->fastest * usual > STABLE;
  const double length = fmin(straddling(z, usual, stiff ? 0.81 : 0.75), end - b->t);
  void* own = sim->state;
  sim->state = stiff ? p->implicit_state : p->explicit_state;
  p->low = HUGE_VAL;
  s = (stiff ? &limb_sim_rosenbrock : &limb_sim_rk4)->step(sim, length == end - b->t ? end : b->t + length);
  sim->state = own;
  sim->leg_steps = 0;
  if (s == LIMB_OK) s = limb_sim_accelerate(sim, sim->front.t, sim->front.q, sim->front.v, p->a1);
  if (z < length) p->crossed = true, p->when = b->t + z;
  p->closest = fmin(p->closest, p->low / p->top);
  return s;
}

limb_status limb_sim_step_past(limb_sim* sim, double t, double end)
{
  sim_passage* p = &sim->passage;
  bool near = false;
  limb_status s = look_ahead(sim, &t, &near);
  if (s != LIMB_OK) return s;
  if (!near && p->near) {
    s = leave(sim);
    limb_sim_copy(sim, &sim->begin, &sim->front);
    if (s == LIMB_OK && sim->stepper->restart) s = sim->stepper->restart(sim);
  }
  if (!near && s == LIMB_OK) {
    p->low = HUGE_VAL;
    s = sim->stepper->step(sim, t);
    near = p->low < NEAR * p->top; // a stage was in the zone
  }
  return near ? pass(sim, end) : s;
}

// Cubic polynomials through both ends of the last step, with their rates.
limb_status limb_sim_inside_passage(limb_sim* sim, double t, sim_point* out)
{
  const sim_passage* p = &sim->passage;
  const sim_point *b = &sim->begin, *f = &sim->front;
  const double h = f->t - b->t, x = (t - b->t) / h;
  const double rise = x * x * (3 - 2 * x), out_of = h * x * (1 - x) * (1 - x), into = h * x * x * (x - 1);
  limb_status s = limb_difference(sim->m, b->q, f->q, p->u);
  if (s != LIMB_OK) return s;
  limb_sim_tangent_rate(sim, p->u, f->v, p->rate);
  for (int k = 0; k < sim->nv; k++) {
    p->u[k] = rise * p->u[k] + out_of * b->v[k] + into * p->rate[k];
    out->v[k] = b->v[k] + rise * (f->v[k] - b->v[k]) + out_of * p->a0[k] + into * p->a1[k];
  }
  out->work = b->work + p->power * h * x + (f->work - b->work - p->power * h) * x * x;
  out->t = t;
  return limb_sim_displace(sim, b->q, p->u, 1, out->q);
}
