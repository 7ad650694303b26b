// Joints with Coulomb friction or stops: which they are, which are held, their forces, and what happens at an event.
//
// Friction and limits of a mimic joint count for its leader: v_f = c v gives |c| Fs, and q_f = c q + o gives limits of
// q. Joints with several degrees of freedom have neither. Where modes handle Coulomb friction, the dynamics must not:
// a huge width makes its tanh(v / width) zero.
//
// Everything that has its root at an instant happens together. Then the modes of all joints at rest are decided anew
// (modes.c), and each joint whose mode has changed causes one event. A joint that rests at a stop does not stick as
// well; one that leaves it or rebounds does not slip as well.
#include "sim/stops_and_friction.h"

#include <string.h>

// ---- joints with friction or stops ----------------------------------------------------------------------

static const double no_coulomb = 1e300; // width [rad/s, m/s]

static sim_mode* mode_of(limb_sim* sim, int* mode_at, const limb_joint_info* info, int joint)
{
  if (mode_at[info->v] < 0) {
    mode_at[info->v] = sim->nmode;
    sim->mode[sim->nmode++] =
      (sim_mode){.v = info->v, .q = info->q, .joint = joint, .lower = -HUGE_VAL, .upper = HUGE_VAL};
  }
  return &sim->mode[mode_at[info->v]];
}

// Limits of the joint, or of one that mimics it, in terms of q.
static void apply_limits(const limb_joint_info* info, sim_mode* m)
{
  const double c = info->multiplier;
  const double a = (info->def.q_min - info->offset) / c, b = (info->def.q_max - info->offset) / c;
  m->lower = fmax(m->lower, fmin(a, b));
  m->upper = fmin(m->upper, fmax(a, b));
}

// Leaders first: events name the leader.
static limb_status find_joints(limb_sim* sim, int* mode_at, bool mimics)
{
  const bool coulomb = sim->o.stiction == LIMB_STICTION_EXACT && sim->o.env.friction;
  for (int j = 0; j < limb_joint_count(sim->m); j++) {
    limb_joint_info info;
    const limb_status s = limb_get_joint(sim->m, j, &info);
    if (s != LIMB_OK) return s;
    if ((info.def.mimic >= 0) != mimics || info.v < 0) continue;
    const limb_joint_def* d = &info.def;
    const bool rubs = coulomb && d->coulomb > 0;
    const bool stops = sim->o.stop != LIMB_STOP_NONE && (d->q_min > -HUGE_VAL || d->q_max < HUGE_VAL);
    if (!rubs && !stops) continue;
    sim_mode* m = mode_of(sim, mode_at, &info, j);
    if (rubs) m->coulomb += fabs(mimics ? info.multiplier : 1) * d->coulomb;
    if (!stops) continue;
    if (!mimics) info.multiplier = 1, info.offset = 0;
    apply_limits(&info, m);
  }
  return LIMB_OK;
}

// A joint with friction or limits of its mimic joints only: events name the joint itself.
static void name_leaders(limb_sim* sim, const int* mode_at)
{
  for (int j = 0; j < limb_joint_count(sim->m); j++) {
    limb_joint_info info;
    if (limb_get_joint(sim->m, j, &info) != LIMB_OK || info.nv != 1 || info.def.mimic >= 0) continue;
    if (mode_at[info.v] >= 0) sim->mode[mode_at[info.v]].joint = j;
  }
}

limb_status limb_sim_find_modes(limb_sim* sim)
{
  sim->env = sim->o.env;
  sim->mode = limb_sim_alloc(sim, (size_t)sim->nv, sizeof *sim->mode);
  int* mode_at = limb_sim_alloc(sim, (size_t)sim->nv, sizeof *mode_at);
  if (!sim->mode || !mode_at) return LIMB_E_NOMEM;
  for (int k = 0; k < sim->nv; k++) mode_at[k] = -1;
  limb_status s = find_joints(sim, mode_at, false);
  if (s == LIMB_OK) s = find_joints(sim, mode_at, true);
  if (s != LIMB_OK) return s;
  name_leaders(sim, mode_at);
  for (int i = 0; i < sim->nmode; i++) {
    const sim_mode* m = &sim->mode[i];
    if (m->coulomb > 0) sim->env.coulomb_width = no_coulomb;
    if (m->lower > -HUGE_VAL || m->upper < HUGE_VAL) sim->nlimit++;
  }
  return sim->nlimit && stops_hold(sim) ? limb_sim_create_impact(sim) : LIMB_OK;
}

void limb_sim_reset_modes(limb_sim* sim)
{
  for (int i = 0; i < sim->nmode; i++) {
    sim_mode* m = &sim->mode[i];
    m->given = sim->motion.given && sim->motion.given[m->v];
    m->slip = SIM_FREE, m->contact = SIM_AWAY;
    m->locked = m->open = false;
    m->force = m->extra = 0;
  }
  limb_sim_mark_given(sim);
}

// ---- held joints ----------------------------------------------------------------------------------------

void limb_sim_mark_given(limb_sim* sim)
{
  sim->nheld = 0;
  for (int k = 0; k < sim->nv; k++) {
    sim->held[k] = sim->motion.given ? sim->motion.given[k] : LIMB_FORCE_GIVEN;
    sim->nheld += sim->held[k] == LIMB_ACCELERATION_GIVEN;
  }
}

void limb_sim_mark_held(limb_sim* sim)
{
  limb_sim_mark_given(sim);
  for (int i = 0; i < sim->nmode; i++) {
    const sim_mode* m = &sim->mode[i];
    if (!is_held(sim, m)) continue;
    sim->held[m->v] = LIMB_ACCELERATION_GIVEN;
    sim->nheld++;
  }
}

void limb_sim_keep_held(const limb_sim* sim, sim_point* p)
{
  for (int i = 0; i < sim->nmode; i++) {
    const sim_mode* m = &sim->mode[i];
    if (!is_held(sim, m) && !m->locked) continue;
    p->q[m->q] = m->held_q;
    p->v[m->v] = 0;
  }
}

// ---- forces ---------------------------------------------------------------------------------------------

// Force of the pressed spring: k (q - limit) + d v, against it.
static double stop_force(const limb_sim* sim, const sim_mode* m, const double* q, const double* v)
{
  const double limit = m->contact == SIM_AT_UPPER ? m->upper : m->lower;
  return -(sim->o.stop_stiffness * (q[m->q] - limit) + sim->o.stop_damping * v[m->v]);
}

void limb_sim_mode_forces(const limb_sim* sim, const double* q, const double* v, double* x)
{
  for (int i = 0; i < sim->nmode; i++) {
    const sim_mode* m = &sim->mode[i];
    if (m->given) continue;
    if (m->slip == SIM_SLIPS_UP) x[m->v] -= m->coulomb;
    if (m->slip == SIM_SLIPS_DOWN) x[m->v] += m->coulomb;
    if (m->extra != 0 && !is_held(sim, m)) x[m->v] -= m->went * m->extra;
    if (m->contact != SIM_AWAY && sim->o.stop == LIMB_STOP_SPRING) x[m->v] += stop_force(sim, m, q, v);
  }
}

void limb_sim_given_friction(limb_sim* sim, const double* v)
{
  for (int i = 0; i < sim->nmode; i++) {
    const sim_mode* m = &sim->mode[i];
    if (!m->given) continue;
    const double friction = m->coulomb * ((v[m->v] > 0) - (v[m->v] < 0));
    sim->tau[m->v] += friction;
    sim->holding[m->v] = -friction;
  }
}

// ---- the queue of events --------------------------------------------------------------------------------

static void queue(limb_sim* sim, limb_sim_event event)
{
  event.time = sim->now.t;
  sim->queue[sim->queued++] = event;
  sim->summary.events++;
  sim->over = sim->over || event.ends;
}

bool limb_sim_next_event(limb_sim* sim, limb_sim_event* event)
{
  if (sim->reported < sim->queued) {
    *event = sim->queue[sim->reported++];
    return true;
  }
  sim->reported = sim->queued = 0;
  return false;
}

void limb_sim_queue_condition(limb_sim* sim, int index, double before, double after)
{
  queue(sim, (limb_sim_event){.kind = LIMB_EVENT_CONDITION,
                              .condition = index,
                              .joint = -1,
                              .ends = sim->condition[index].ends,
                              .before = before,
                              .after = after});
}

static void queue_mode(limb_sim* sim, const sim_mode* m, limb_event_kind kind, int side)
{
  queue(sim, (limb_sim_event){.kind = kind,
                              .condition = -1,
                              .joint = m->joint,
                              .side = side,
                              .ends = sim->o.stop == LIMB_STOP_END && kind == LIMB_EVENT_STOP_REACHED,
                              .before = m->before,
                              .after = sim->now.v[m->v]});
}

// ---- changes of modes -----------------------------------------------------------------------------------

enum { MOVES, SLIPS_UP, SLIPS_DOWN, STICKS, RESTS_UPPER, RESTS_LOWER };

static int doing(const limb_sim* sim, const sim_mode* m)
{
  if (m->given) return MOVES;
  if (rests_at_stop(sim, m)) return m->contact == SIM_AT_UPPER ? RESTS_UPPER : RESTS_LOWER;
  if (m->slip == SIM_STICKS || m->locked) return STICKS;
  return m->slip == SIM_SLIPS_UP ? SLIPS_UP : m->slip == SIM_SLIPS_DOWN ? SLIPS_DOWN : MOVES;
}

static bool is_rest(int what) { return what == RESTS_UPPER || what == RESTS_LOWER; }

static int side_of(int what) // of a stop, or the direction of slip
{
  return (what == RESTS_UPPER || what == SLIPS_UP) - (what == RESTS_LOWER || what == SLIPS_DOWN);
}

static void remember(limb_sim* sim)
{
  for (int i = 0; i < sim->nmode; i++) {
    sim_mode* m = &sim->mode[i];
    m->was = doing(sim, m);
    m->before = sim->now.v[m->v];
  }
}

static void queue_change(limb_sim* sim, const sim_mode* m)
{
  const int what = doing(sim, m);
  if (what == m->was) return;
  if (is_rest(what))
    queue_mode(sim, m, LIMB_EVENT_STOP_REACHED, side_of(what));
  else if (is_rest(m->was))
    queue_mode(sim, m, LIMB_EVENT_STOP_LEFT, side_of(m->was));
  else if (what == STICKS)
    queue_mode(sim, m, LIMB_EVENT_STICK, side_of(m->was));
  else
    queue_mode(sim, m, LIMB_EVENT_SLIP, side_of(what));
}

// The stop that the joint hit: 1 upper, -1 lower, 0 none.
static int side_hit(const limb_sim* sim, const sim_mode* m)
{
  const double q = sim->now.q[m->q], after = sim->now.v[m->v];
  if (m->given || !stops_hold(sim) || m->before * after > 0) return 0;
  const bool upper = m->before > 0 && q >= m->upper - limit_tolerance(m->upper);
  const bool lower = m->before < 0 && q <= m->lower + limit_tolerance(m->lower);
  return upper - lower;
}

// Events of a joint that hit its stop.
static void queue_hit(limb_sim* sim, const sim_mode* m, int side)
{
  if (is_rest(doing(sim, m))) {
    queue_mode(sim, m, LIMB_EVENT_STOP_REACHED, side);
  } else if (sim->o.stop == LIMB_STOP_IMPACT) {
    queue_mode(sim, m, LIMB_EVENT_IMPACT, side);
  } else {
    queue_mode(sim, m, LIMB_EVENT_STOP_REACHED, side);
    queue_mode(sim, m, LIMB_EVENT_STOP_LEFT, side);
  }
}

// Stops that were hit come first, then the effect on the others.
static void queue_changes(limb_sim* sim)
{
  for (int i = 0; i < sim->nmode; i++) {
    const int side = side_hit(sim, &sim->mode[i]);
    if (side) queue_hit(sim, &sim->mode[i], side);
  }
  for (int i = 0; i < sim->nmode; i++) {
    if (!side_hit(sim, &sim->mode[i])) queue_change(sim, &sim->mode[i]);
  }
}

// ---- handling roots -------------------------------------------------------------------------------------

static void fire_conditions(limb_sim* sim)
{
  for (int k = 0; k < sim->ncondition; k++) {
    if (sim->fired[k]) limb_sim_queue_condition(sim, k, sim->watching[k], sim->watching[k]);
  }
  const int last = sim->ncondition + limb_sim_mode_functions(sim);
  if (last == sim->nwatch || !sim->fired[last]) return;
  const double condition = sim->o.condition * exp(sim->watching[last]);
  queue(sim, (limb_sim_event){
               .kind = LIMB_EVENT_SINGULAR, .condition = -1, .joint = -1, .before = condition, .after = condition});
}

// The joint comes to rest. In loops others may do so with it, up to rounding.
static void come_to_rest(limb_sim* sim, const sim_mode* m)
{
  double* v = sim->now.v;
  const double rounding = fmax(1e-11, 100 * fabs(v[m->v]));
  v[m->v] = 0;
  for (int i = 0; i < sim->nmode && sim->loops; i++) {
    const sim_mode* other = &sim->mode[i];
    if (!other->given && fabs(v[other->v]) <= rounding) v[other->v] = 0;
  }
}

// True if impulses are needed.
static bool meet_stop(limb_sim* sim, sim_mode* m, sim_contact contact)
{
  const bool pressed = m->contact != SIM_AWAY;
  const int side = contact == SIM_AT_UPPER ? 1 : -1;
  if (stops_hold(sim)) {
    m->contact = contact;
    return true;
  }
  if (sim->o.stop == LIMB_STOP_SPRING) m->contact = pressed ? SIM_AWAY : contact;
  queue_mode(sim, m, pressed ? LIMB_EVENT_STOP_LEFT : LIMB_EVENT_STOP_REACHED, side);
  return false;
}

limb_status limb_sim_handle_event(limb_sim* sim)
{
  bool strike = false, change = false;
  fire_conditions(sim);
  remember(sim);
  for (int i = 0; i < sim->nmode; i++) {
    sim_mode* m = &sim->mode[i];
    const unsigned char* fired = sim->fired + sim->ncondition + (size_t)i * MODE_WATCHES;
    const bool upper = fired[WATCH_UPPER], lower = fired[WATCH_LOWER];
    const bool hit = (upper || lower) && meet_stop(sim, m, upper ? SIM_AT_UPPER : SIM_AT_LOWER);
    if (fired[WATCH_SLIP] && !hit) come_to_rest(sim, m);
    strike = strike || hit;
    for (int k = 0; k < MODE_WATCHES; k++) change = change || fired[k];
  }
  if (sim->over || !change) return LIMB_OK;
  const limb_status s = strike ? limb_sim_apply_impacts(sim) : limb_sim_decide_modes(sim);
  if (s == LIMB_OK) queue_changes(sim);
  return s;
}

limb_status limb_sim_pass_jump(limb_sim* sim)
{
  if (!sim->nmode) return LIMB_OK;
  remember(sim);
  const limb_status s = limb_sim_decide_modes(sim);
  if (s == LIMB_OK) queue_changes(sim);
  return s;
}

// ---- the start ------------------------------------------------------------------------------------------

// A joint that starts beyond a limit cannot be stopped there.
static limb_status check_limits(limb_sim* sim, const sim_mode* m)
{
  const double q = sim->now.q[m->q];
  const double beyond = fmax(q - m->upper, m->lower - q), rounding = 1e-9;
  if (!(beyond > rounding * (1 + fabs(q))) || sim->o.stop == LIMB_STOP_SPRING || m->given) return LIMB_OK;
  limb_joint_info info;
  const limb_status s = limb_get_joint(sim->m, m->joint, &info);
  if (s != LIMB_OK) return s;
  return limb_sim_fail(sim, LIMB_E_ARG, "joint '%s' is at %.9g, beyond its limit by %.3g", info.def.name, q, beyond);
}

// Springs of stops that are pressed at the start; limits that are passed by rounding.
static void begin_contact(limb_sim* sim, sim_mode* m)
{
  const double q = sim->now.q[m->q], v = sim->now.v[m->v];
  const double k = sim->o.stop_stiffness, d = sim->o.stop_damping;
  if (m->given) return;
  if (sim->o.stop == LIMB_STOP_SPRING) {
    if (q > m->upper && k * (q - m->upper) + d * v > 0) m->contact = SIM_AT_UPPER;
    if (q < m->lower && k * (m->lower - q) - d * v > 0) m->contact = SIM_AT_LOWER;
  } else if (!sim->loops) {
    sim->now.q[m->q] = fmin(fmax(q, m->lower), m->upper);
  }
}

limb_status limb_sim_begin_modes(limb_sim* sim)
{
  for (int i = 0; i < sim->nmode; i++) {
    const limb_status s = check_limits(sim, &sim->mode[i]);
    if (s != LIMB_OK) return s;
    begin_contact(sim, &sim->mode[i]);
  }
  return limb_sim_decide_modes(sim);
}
