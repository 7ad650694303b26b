// Who sticks, who slips, who rests at a stop: decided at an instant.
//
// Of every edge at rest the force h that holds it, and its acceleration a, satisfy one of
//
//     held         a = 0,   least <= h <= most
//     moves up     a >= 0,  h = least
//     moves down   a <= 0,  h = most
//
// a is linear in h with the inverse of the mass matrix along what can move, symmetric and positive: there is
// one answer for a (and for h, but for loops, where several can hold the same motion). It is found by block
// principal pivoting: all edges that contradict their mode change it; when that does not lead to fewer
// contradictions a few times, only the last one does, which ends after finitely many rounds.
//
// Reference: J. Judice, F. Pires, A block principal pivoting algorithm for large-scale strictly monotone linear
//            complementarity problems, Computers and Operations Research 21, 1994; for friction R. Featherstone,
//            Rigid body dynamics algorithms, 2008, section 11.4.
// Cost:      one evaluation of accelerations a round; two or three rounds as a rule.
#include "sim/edges.h"

enum { PATIENCE = 3, ROUNDS = 100, ROUNDS_EDGE = 10 };
enum { FINE = 2 }; // no contradiction

// ---- modes -----------------------------------------------------------------------------------------------

// A stop at which the edge is. Where it rests, it is.
static sim_contact stop_near(const limb_sim* sim, const sim_edge* e)
{
  const double q = sim->now.q[e->q];
  if (!stops_hold(sim)) return SIM_AWAY;
  if (e->contact != SIM_AWAY) return e->contact;
  if (q >= e->upper - edge_reach(e->upper)) return SIM_AT_UPPER;
  return q <= e->lower + edge_reach(e->lower) ? SIM_AT_LOWER : SIM_AWAY;
}

static void set_contact(const limb_sim* sim, sim_edge* e, sim_contact contact)
{
  if (stops_hold(sim)) e->contact = contact; // springs are pressed or not whatever friction does
}

// It stays where it is: at a stop of a tree, at the limit exactly.
static void hold(limb_sim* sim, sim_edge* e)
{
  double* q = &sim->now.q[e->q];
  set_contact(sim, e, e->near);
  if (e->coulomb > 0) e->slip = SIM_STICKS;
  if (!sim->loops && edge_rests(sim, e)) *q = edge_push(e) < 0 ? e->upper : e->lower;
  e->place = *q;
}

// It moves that way; where friction is, it acts against that.
static void release(const limb_sim* sim, sim_edge* e, int direction)
{
  set_contact(sim, e, SIM_AWAY);
  if (e->coulomb > 0) e->slip = direction > 0 ? SIM_SLIPS_UP : SIM_SLIPS_DOWN;
  e->went = direction;
}

// At rest away from stops, after it has slipped: it turns round, at first. In loops it may have to, where it
// cannot go on.
static bool turns(const sim_edge* e)
{
  return e->near == SIM_AWAY && !e->locked &&
         (e->slip == SIM_SLIPS_UP || e->slip == SIM_SLIPS_DOWN);
}

// Its velocity. In loops, what others keep at rest moves by rounding.
static double take_rest(limb_sim* sim, const sim_edge* e)
{
  double* v = &sim->now.v[e->v];
  if (sim->loops && fabs(*v) < fmin(sim->o.absolute, 1e-10)) *v = 0;
  return *v;
}

// Edges that move are what their velocity says; of those at rest, those that do not turn round are held, at
// first. Returns how many are at rest.
static int first_guess(limb_sim* sim)
{
  int count = 0;
  for (int i = 0; i < sim->nedge; i++) {
    sim_edge* e = &sim->edge[i];
    if (e->given) continue;
    const double v = take_rest(sim, e);
    e->near = stop_near(sim, e);
    e->open = v == 0 && (e->coulomb > 0 || e->near != SIM_AWAY);
    count += e->open;
    if (!e->open)
      release(sim, e, v > 0 ? 1 : -1);
    else if (turns(e))
      release(sim, e, e->slip == SIM_SLIPS_UP ? -1 : 1);
    else
      hold(sim, e);
    e->locked = false;
  }
  return count;
}

// ---- contradictions --------------------------------------------------------------------------------------

// What it should do instead: 1 or -1, move that way; 0, be held; FINE.
static int instead(const limb_sim* sim, const sim_edge* e)
{
  if (edge_is_held(sim, e)) {
    const double h = sim->holding[e->v], slack = edge_slack(sim, e);
    return h > edge_most(sim, e) + slack ? -1 : h < edge_least(sim, e) - slack ? 1 : FINE;
  }
  const double noise = 1e-9 * sim->freely; // loops: of those that others hold
  return sim->a[e->v] * e->went < -noise ? 0 : FINE;
}

// Modes at now as they are: accelerations and forces; how many contradict them, and the last of those.
static limb_status look(limb_sim* sim, int* count, int* last)
{
  sim_point* p = &sim->now;
  limb_sim_mark_held(sim);
  sim->freely = 0;
  const limb_status s = limb_sim_accelerate(sim, p->t, p->q, p->v, sim->a);
  *count = 0, *last = -1;
  for (int i = 0; i < sim->nedge && s == LIMB_OK; i++) {
    sim_edge* e = &sim->edge[i];
    if (!e->open) continue;
    if (edge_is_held(sim, e)) e->force = fmax(e->force, fabs(sim->holding[e->v]));
    if (instead(sim, e) != FINE) ++*count, *last = i;
  }
  return s;
}

static void change(limb_sim* sim, sim_edge* e)
{
  const int next = e->open ? instead(sim, e) : FINE;
  if (next == FINE) return;
  if (next == 0)
    hold(sim, e);
  else
    release(sim, e, next);
}

// ---- loops: those that others hold -----------------------------------------------------------------------

// Answer of the edge to its own force; with all that is held, or only with what is given.
static limb_status own_response(limb_sim* sim, const sim_edge* e, bool free, double* response)
{
  if (free) limb_sim_mark_given(sim);
  const limb_status s = limb_sim_impulse_response(sim, sim->now.q, e->v, sim->y);
  *response = sim->y[e->v];
  if (free) limb_sim_mark_held(sim);
  return s;
}

// Released edges at rest that cannot move, since what is held holds them, too.
static limb_status find_locked(limb_sim* sim)
{
  const double little = 1e-9, still = little * sim->freely;
  bool any = false;
  for (int i = 0; i < sim->nedge; i++) {
    sim_edge* e = &sim->edge[i];
    if (!e->open || edge_is_held(sim, e) || fabs(sim->a[e->v]) > still) continue;
    double tied = 0, free = 0;
    limb_status s = own_response(sim, e, false, &tied);
    if (s == LIMB_OK) s = own_response(sim, e, true, &free);
    if (s != LIMB_OK) return s;
    e->locked = fabs(tied) <= little * free;
    e->place = sim->now.q[e->q];
    any = true;
  }
  sim_point* p = &sim->now; // responses have left their own forces
  return any ? limb_sim_accelerate(sim, p->t, p->q, p->v, sim->a) : LIMB_OK;
}

limb_status limb_sim_decide(limb_sim* sim)
{
  const int open = first_guess(sim);
  limb_sim_mark_held(sim);
  if (!open) return LIMB_OK;
  int fewest = sim->nedge + 1, patience = PATIENCE;
  for (int round = 0; round < ROUNDS + ROUNDS_EDGE * sim->nedge; round++) {
    int count, last;
    const limb_status s = look(sim, &count, &last);
    if (s != LIMB_OK) return s;
    if (count == 0) return sim->loops && sim->nheld ? find_locked(sim) : LIMB_OK;
    if (count < fewest)
      fewest = count, patience = PATIENCE;
    else
      patience--;
    for (int i = patience < 0 ? last : 0; i <= last; i++) change(sim, &sim->edge[i]);
  }
  return limb_sim_fail(sim, LIMB_E_NOCONV,
                       "at %.9g s it is not found which joints stick, slip or rest", sim->now.t);
}
