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
// principal pivoting: all edges that contradict their mode change it. When that does not end soon, as in long
// chains, a path is followed: friction and stops are lent what they lack to hold everything, and that is
// taken back, from all together, to nothing. On the way edges change their modes one by one; everything is
// linear in between, so that two evaluations tell where the next one does.
//
// Reference: J. Judice, F. Pires, A block principal pivoting algorithm for large-scale strictly monotone
// linear
//            complementarity problems, Computers and Operations Research 21, 1994; R. Cottle, J.-S. Pang, R.
//            Stone, The linear complementarity problem, 1992.
// Cost:      one evaluation of accelerations a round; two or three rounds as a rule. Along the path two
// for each
//            change.
#include "sim/edges.h"

enum { BLOCKS = 12, CHANGES = 100, CHANGES_EDGE = 10 };
enum { FINE = 2 }; // no contradiction

// ---- modes -----------------------------------------------------------------------------------------------

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
  return e->near == SIM_AWAY && !e->locked && (e->slip == SIM_SLIPS_UP || e->slip == SIM_SLIPS_DOWN);
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
    e->near = edge_stop(sim, e);
    e->open = v == 0 && (e->coulomb > 0 || e->near != SIM_AWAY);
    count += e->open;
    if (!e->open)
      release(sim, e, v > 0 ? 1 : -1);
    else if (turns(e))
      release(sim, e, e->slip == SIM_SLIPS_UP ? -1 : 1);
    else
      hold(sim, e);
    e->locked = false;
    e->extra = 0;
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

// Modes at now as they are: accelerations and forces; how many contradict them.
static limb_status look(limb_sim* sim, int* count)
{
  sim_point* p = &sim->now;
  limb_sim_mark_held(sim);
  sim->freely = 0;
  const limb_status s = limb_sim_accelerate(sim, p->t, p->q, p->v, sim->a);
  *count = 0;
  for (int i = 0; i < sim->nedge && s == LIMB_OK; i++) {
    sim_edge* e = &sim->edge[i];
    if (!e->open) continue;
    if (edge_is_held(sim, e)) e->force = fmax(e->force, fabs(sim->holding[e->v]));
    *count += instead(sim, e) != FINE;
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

// ---- the path --------------------------------------------------------------------------------------------

// The mode as it is, with a share of what is lent: how much is left until it must change.
static limb_status measure(limb_sim* sim, double share)
{
  int count;
  for (int i = 0; i < sim->nedge; i++) {
    sim_edge* e = &sim->edge[i];
    e->extra = e->open ? share * e->excess : 0;
  }
  return look(sim, &count);
}

static void room_of(const limb_sim* sim, const sim_edge* e, double* room)
{
  if (edge_is_held(sim, e)) {
    const double h = sim->holding[e->v], slack = edge_slack(sim, e);
    room[0] = edge_most(sim, e) + slack - h;
    room[1] = h - edge_least(sim, e) + slack;
  } else {
    room[0] = sim->a[e->v] * e->went + 1e-9 * sim->freely;
    room[1] = 0;
  }
}

// All are held, with what they lack for that.
static limb_status lend(limb_sim* sim)
{
  for (int i = 0; i < sim->nedge; i++) {
    if (sim->edge[i].open) hold(sim, &sim->edge[i]);
  }
  const limb_status s = measure(sim, 0);
  for (int i = 0; i < sim->nedge && s == LIMB_OK; i++) {
    sim_edge* e = &sim->edge[i];
    if (!e->open) continue;
    room_of(sim, e, e->room);
    e->excess = fmax(0, -fmin(e->room[0], e->room[1])) * (1 + 1e-9);
  }
  return s;
}

// The edge that changes first on the way from `share` to nothing, and the share then; -1 when none does.
static limb_status first_change(limb_sim* sim, double* share, int* first)
{
  limb_status s = measure(sim, *share);
  for (int i = 0; i < sim->nedge && s == LIMB_OK; i++) room_of(sim, &sim->edge[i], sim->edge[i].room);
  if (s == LIMB_OK) s = measure(sim, 0);
  double at = -1;
  *first = -1;
  for (int i = 0; i < sim->nedge && s == LIMB_OK; i++) {
    const sim_edge* e = &sim->edge[i];
    double room[2];
    if (!e->open) continue;
    room_of(sim, e, room);
    for (int k = 0; k < 2; k++) {
      const double t = *share * (-room[k] / (fmax(e->room[k], 0) - room[k])); // linear in between
      if (room[k] < 0 && t > at) at = t, *first = i;
    }
  }
  *share = fmax(at, 0);
  return s;
}

static limb_status follow_path(limb_sim* sim)
{
  double share = 1;
  limb_status s = lend(sim);
  for (int k = 0; k < CHANGES + CHANGES_EDGE * sim->nedge && s == LIMB_OK; k++) {
    int first;
    if ((s = first_change(sim, &share, &first)) != LIMB_OK || first < 0) return s;
    change(sim, &sim->edge[first]); // by the values without anything lent
  }
  if (s != LIMB_OK) return s;
  return limb_sim_fail(sim, LIMB_E_NOCONV, "at %.9g s it is not found which joints stick, slip or rest", sim->now.t);
}

limb_status limb_sim_decide(limb_sim* sim)
{
  limb_status s = LIMB_OK;
  int count = first_guess(sim);
  limb_sim_mark_held(sim);
  if (!count) return LIMB_OK;
  for (int round = 0; round < BLOCKS && s == LIMB_OK; round++) {
    s = look(sim, &count);
    if (s != LIMB_OK || !count) break;
    for (int i = 0; i < sim->nedge; i++) change(sim, &sim->edge[i]);
  }
  if (s == LIMB_OK && count) s = follow_path(sim);
  return s == LIMB_OK && sim->loops && sim->nheld ? find_locked(sim) : s;
}
