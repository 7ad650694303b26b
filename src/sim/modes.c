// Which joints stick, slip or rest at a stop: decided at an instant.
//
// For every joint at rest, the holding force h and the acceleration a satisfy one of
//
//     held         a = 0,   min <= h <= max
//     moves up     a >= 0,  h = min
//     moves down   a <= 0,  h = max
//
// a is linear in h, by the inverse of the mass matrix along the possible motion, which is symmetric and positive. So a
// is unique (and h, except with loops, where several forces can hold the same motion). It is found by block principal
// pivoting: all joints that contradict their mode change it. If this does not converge soon, as in long chains, a path
// is followed: friction and stops first get the force they lack to hold everything, which is then reduced to zero for
// all together. Joints change their modes one by one on the way; everything is linear in between, so two evaluations
// locate the next change.
//
// Reference: J. Judice, F. Pires, A block principal pivoting algorithm for large-scale strictly monotone linear
//            complementarity problems, Computers and Operations Research 21, 1994; R. Cottle, J.-S. Pang, R. Stone, The
//            linear complementarity problem, 1992.
// Cost:      one evaluation of accelerations a round, usually two or three rounds; on the path two for each change.
#include "sim/stops_and_friction.h"

enum { BLOCKS = 12, CHANGES = 100, CHANGES_JOINT = 10 };
enum { FINE = 2 }; // no contradiction

// ---- modes ----------------------------------------------------------------------------------------------

static void set_contact(const limb_sim* sim, sim_mode* m, sim_contact contact)
{
  if (stops_hold(sim)) m->contact = contact; // springs do not depend on friction
}

// Holds the joint: at a stop of a tree exactly at the limit.
static void hold(limb_sim* sim, sim_mode* m)
{
  double* q = &sim->now.q[m->q];
  set_contact(sim, m, m->near);
  if (m->coulomb > 0) m->slip = SIM_STICKS;
  if (!sim->loops && rests_at_stop(sim, m)) *q = stop_direction(m) < 0 ? m->upper : m->lower;
  m->held_q = *q;
}

// Releases the joint in that direction; friction acts against it.
static void release(const limb_sim* sim, sim_mode* m, int direction)
{
  set_contact(sim, m, SIM_AWAY);
  if (m->coulomb > 0) m->slip = direction > 0 ? SIM_SLIPS_UP : SIM_SLIPS_DOWN;
  m->went = direction;
}

// Whether a joint at rest away from stops, after slipping, reverses first. In loops it may have to.
static bool turns(const sim_mode* m)
{
  return m->near == SIM_AWAY && !m->locked && (m->slip == SIM_SLIPS_UP || m->slip == SIM_SLIPS_DOWN);
}

// Its velocity. In loops, joints at rest move by rounding.
static double take_rest(limb_sim* sim, const sim_mode* m)
{
  double* v = &sim->now.v[m->v];
  if (sim->loops && fabs(*v) < fmin(sim->o.absolute, 1e-10)) *v = 0;
  return *v;
}

// First modes: moving joints by their velocity; those at rest are held, unless they reverse. Returns the number at
// rest.
static int first_guess(limb_sim* sim)
{
  int count = 0;
  for (int i = 0; i < sim->nmode; i++) {
    sim_mode* m = &sim->mode[i];
    if (m->given) continue;
    const double v = take_rest(sim, m);
    m->near = stop_at(sim, m);
    m->open = v == 0 && (m->coulomb > 0 || m->near != SIM_AWAY);
    count += m->open;
    if (!m->open)
      release(sim, m, v > 0 ? 1 : -1);
    else if (turns(m))
      release(sim, m, m->slip == SIM_SLIPS_UP ? -1 : 1);
    else
      hold(sim, m);
    m->locked = false;
    m->extra = 0;
  }
  return count;
}

// ---- contradictions -------------------------------------------------------------------------------------

// The mode that resolves a contradiction: 1 or -1, move that way; 0, held; FINE: no contradiction.
static int instead(const limb_sim* sim, const sim_mode* m)
{
  if (is_held(sim, m)) {
    const double h = sim->holding[m->v], slack = holding_slack(sim, m);
    return h > max_holding(sim, m) + slack ? -1 : h < min_holding(sim, m) - slack ? 1 : FINE;
  }
  const double noise = 1e-9 * sim->unheld; // loops: noise of joints that others hold
  return sim->a[m->v] * m->went < -noise ? 0 : FINE;
}

// Accelerations and forces for the modes as they are; the number of contradictions.
static limb_status look(limb_sim* sim, int* count)
{
  sim_point* p = &sim->now;
  limb_sim_mark_held(sim);
  sim->unheld = 0;
  const limb_status s = limb_sim_accelerate(sim, p->t, p->q, p->v, sim->a);
  *count = 0;
  for (int i = 0; i < sim->nmode && s == LIMB_OK; i++) {
    sim_mode* m = &sim->mode[i];
    if (!m->open) continue;
    if (is_held(sim, m)) m->force = fmax(m->force, fabs(sim->holding[m->v]));
    *count += instead(sim, m) != FINE;
  }
  return s;
}

static void change(limb_sim* sim, sim_mode* m)
{
  const int next = m->open ? instead(sim, m) : FINE;
  if (next == FINE) return;
  if (next == 0)
    hold(sim, m);
  else
    release(sim, m, next);
}

// ---- loops: joints that others lock ---------------------------------------------------------------------

// Response of the joint to its own force, with everything held, or only prescribed motion.
static limb_status own_response(limb_sim* sim, const sim_mode* m, bool free, double* response)
{
  if (free) limb_sim_mark_given(sim);
  const limb_status s = limb_sim_impulse_response(sim, sim->now.q, m->v, sim->y);
  *response = sim->y[m->v];
  if (free) limb_sim_mark_held(sim);
  return s;
}

// Finds released joints at rest that cannot move because held ones lock them.
static limb_status find_locked(limb_sim* sim)
{
  const double little = 1e-9, still = little * sim->unheld;
  bool any = false;
  for (int i = 0; i < sim->nmode; i++) {
    sim_mode* m = &sim->mode[i];
    if (!m->open || is_held(sim, m) || fabs(sim->a[m->v]) > still) continue;
    double tied = 0, free = 0;
    limb_status s = own_response(sim, m, false, &tied);
    if (s == LIMB_OK) s = own_response(sim, m, true, &free);
    if (s != LIMB_OK) return s;
    m->locked = fabs(tied) <= little * free;
    m->held_q = sim->now.q[m->q];
    any = true;
  }
  sim_point* p = &sim->now; // responses have overwritten the forces
  return any ? limb_sim_accelerate(sim, p->t, p->q, p->v, sim->a) : LIMB_OK;
}

// ---- the path -------------------------------------------------------------------------------------------

// Accelerations and forces for the modes as they are, with a share of the lacking force.
static limb_status measure(limb_sim* sim, double share)
{
  int count;
  for (int i = 0; i < sim->nmode; i++) {
    sim_mode* m = &sim->mode[i];
    m->extra = m->open ? share * m->excess : 0;
  }
  return look(sim, &count);
}

static void margin_of(const limb_sim* sim, const sim_mode* m, double* margin)
{
  if (is_held(sim, m)) {
    const double h = sim->holding[m->v], slack = holding_slack(sim, m);
    margin[0] = max_holding(sim, m) + slack - h;
    margin[1] = h - min_holding(sim, m) + slack;
  } else {
    margin[0] = sim->a[m->v] * m->went + 1e-9 * sim->unheld;
    margin[1] = 0;
  }
}

// Holds all joints, with the force they lack.
static limb_status lend(limb_sim* sim)
{
  for (int i = 0; i < sim->nmode; i++) {
    if (sim->mode[i].open) hold(sim, &sim->mode[i]);
  }
  const limb_status s = measure(sim, 0);
  for (int i = 0; i < sim->nmode && s == LIMB_OK; i++) {
    sim_mode* m = &sim->mode[i];
    if (!m->open) continue;
    margin_of(sim, m, m->margin);
    m->excess = fmax(0, -fmin(m->margin[0], m->margin[1])) * (1 + 1e-9);
  }
  return s;
}

// The joint that changes first as `share` decreases to zero, and the share then; -1: none.
static limb_status first_change(limb_sim* sim, double* share, int* first)
{
  limb_status s = measure(sim, *share);
  for (int i = 0; i < sim->nmode && s == LIMB_OK; i++) margin_of(sim, &sim->mode[i], sim->mode[i].margin);
  if (s == LIMB_OK) s = measure(sim, 0);
  double at = -1;
  *first = -1;
  for (int i = 0; i < sim->nmode && s == LIMB_OK; i++) {
    const sim_mode* m = &sim->mode[i];
    double margin[2];
    if (!m->open) continue;
    margin_of(sim, m, margin);
    for (int k = 0; k < 2; k++) {
      const double t = *share * (-margin[k] / (fmax(m->margin[k], 0) - margin[k])); // linear in between
      if (margin[k] < 0 && t > at) at = t, *first = i;
    }
  }
  *share = fmax(at, 0);
  return s;
}

static limb_status follow_path(limb_sim* sim)
{
  double share = 1;
  limb_status s = lend(sim);
  for (int k = 0; k < CHANGES + CHANGES_JOINT * sim->nmode && s == LIMB_OK; k++) {
    int first;
    if ((s = first_change(sim, &share, &first)) != LIMB_OK || first < 0) return s;
    change(sim, &sim->mode[first]); // by the values at share 0
  }
  if (s != LIMB_OK) return s;
  return limb_sim_fail(sim, LIMB_E_NOCONV, "which joints stick, slip or rest at %.9g s cannot be decided", sim->now.t);
}

limb_status limb_sim_decide_modes(limb_sim* sim)
{
  limb_status s = LIMB_OK;
  int count = first_guess(sim);
  limb_sim_mark_held(sim);
  if (!count) return LIMB_OK;
  for (int round = 0; round < BLOCKS && s == LIMB_OK; round++) {
    s = look(sim, &count);
    if (s != LIMB_OK || !count) break;
    for (int i = 0; i < sim->nmode; i++) change(sim, &sim->mode[i]);
  }
  if (s == LIMB_OK && count) s = follow_path(sim);
  return s == LIMB_OK && sim->loops && sim->nheld ? find_locked(sim) : s;
}
