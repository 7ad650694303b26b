// Joints with Coulomb friction or limits that stop them: who they are, who is held, which forces they feel.
//
// A mimic joint's friction and limits are its leader's: v_f = c v gives |c| Fs, and q_f = c q + o gives
// limits of q. Joints with more than one degree of freedom have neither. Where Coulomb friction is handled
// by modes, that of the dynamics is switched off by a width that makes tanh(v / width) zero.
#include "sim/edges.h"

#include <string.h>

// ---- who they are ----------------------------------------------------------------------------------------

static const double no_coulomb = 1e300; // width [rad/s, m/s]

static sim_edge* edge_of(limb_sim* sim, int* edge_at, const limb_joint_info* info, int joint)
{
  if (edge_at[info->v] < 0) {
    edge_at[info->v] = sim->nedge;
    sim->edge[sim->nedge++] =
      (sim_edge){.v = info->v, .q = info->q, .joint = joint, .lower = -HUGE_VAL, .upper = HUGE_VAL};
  }
  return &sim->edge[edge_at[info->v]];
}

// Limits of the joint, or of one that mimics it, in terms of q.
static void narrow(const limb_joint_info* info, sim_edge* e)
{
  const double c = info->multiplier;
  const double a = (info->def.q_min - info->offset) / c, b = (info->def.q_max - info->offset) / c;
  e->lower = fmax(e->lower, fmin(a, b));
  e->upper = fmin(e->upper, fmax(a, b));
}

// A leader comes before those that mimic it: its own index is the one that is told.
static limb_status find_edges(limb_sim* sim, int* edge_at, bool mimics)
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
    sim_edge* e = edge_of(sim, edge_at, &info, j);
    if (rubs) e->coulomb += fabs(mimics ? info.multiplier : 1) * d->coulomb;
    if (!stops) continue;
    if (!mimics) info.multiplier = 1, info.offset = 0;
    narrow(&info, e);
  }
  return LIMB_OK;
}

// A joint that only others' friction or limits made an edge is told as itself, not as the one that mimics it.
static void name_leaders(limb_sim* sim, const int* edge_at)
{
  for (int j = 0; j < limb_joint_count(sim->m); j++) {
    limb_joint_info info;
    if (limb_get_joint(sim->m, j, &info) != LIMB_OK || info.nv != 1 || info.def.mimic >= 0) continue;
    if (edge_at[info.v] >= 0) sim->edge[edge_at[info.v]].joint = j;
  }
}

limb_status limb_sim_begin_edges(limb_sim* sim)
{
  sim->env = sim->o.env;
  sim->edge = limb_sim_take(sim, (size_t)sim->nv, sizeof *sim->edge);
  int* edge_at = limb_sim_take(sim, (size_t)sim->nv, sizeof *edge_at);
  if (!sim->edge || !edge_at) return LIMB_E_NOMEM;
  for (int k = 0; k < sim->nv; k++) edge_at[k] = -1;
  limb_status s = find_edges(sim, edge_at, false);
  if (s == LIMB_OK) s = find_edges(sim, edge_at, true);
  if (s != LIMB_OK) return s;
  name_leaders(sim, edge_at);
  for (int i = 0; i < sim->nedge; i++) {
    const sim_edge* e = &sim->edge[i];
    if (e->coulomb > 0) sim->env.coulomb_width = no_coulomb;
    if (e->lower > -HUGE_VAL || e->upper < HUGE_VAL) sim->nlimit++;
  }
  return sim->nlimit && stops_hold(sim) ? limb_sim_begin_impact(sim) : LIMB_OK;
}

void limb_sim_forget_modes(limb_sim* sim)
{
  for (int i = 0; i < sim->nedge; i++) {
    sim_edge* e = &sim->edge[i];
    e->given = sim->motion.given && sim->motion.given[e->v];
    e->slip = SIM_FREE, e->contact = SIM_AWAY;
    e->locked = e->open = false;
    e->force = e->extra = 0;
  }
  limb_sim_mark_given(sim);
}

// ---- who is held -----------------------------------------------------------------------------------------

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
  for (int i = 0; i < sim->nedge; i++) {
    const sim_edge* e = &sim->edge[i];
    if (!edge_is_held(sim, e)) continue;
    sim->held[e->v] = LIMB_ACCELERATION_GIVEN;
    sim->nheld++;
  }
}

void limb_sim_keep(const limb_sim* sim, sim_point* p)
{
  for (int i = 0; i < sim->nedge; i++) {
    const sim_edge* e = &sim->edge[i];
    if (!edge_is_held(sim, e) && !e->locked) continue;
    p->q[e->q] = e->place;
    p->v[e->v] = 0;
  }
}

// ---- forces ----------------------------------------------------------------------------------------------

// Of the stop that it presses: k (q - limit) + d v, against it.
static double stop_force(const limb_sim* sim, const sim_edge* e, const double* q, const double* v)
{
  const double limit = e->contact == SIM_AT_UPPER ? e->upper : e->lower;
  return -(sim->o.stiffness * (q[e->q] - limit) + sim->o.damping * v[e->v]);
}

void limb_sim_mode_forces(const limb_sim* sim, const double* q, const double* v, double* x)
{
  for (int i = 0; i < sim->nedge; i++) {
    const sim_edge* e = &sim->edge[i];
    if (e->given) continue;
    if (e->slip == SIM_SLIPS_UP) x[e->v] -= e->coulomb;
    if (e->slip == SIM_SLIPS_DOWN) x[e->v] += e->coulomb;
    if (e->extra != 0 && !edge_is_held(sim, e)) x[e->v] -= e->went * e->extra;
    if (e->contact != SIM_AWAY && sim->o.stop == LIMB_STOP_SPRING) x[e->v] += stop_force(sim, e, q, v);
  }
}

void limb_sim_given_friction(limb_sim* sim, const double* v)
{
  for (int i = 0; i < sim->nedge; i++) {
    const sim_edge* e = &sim->edge[i];
    if (!e->given) continue;
    const double friction = e->coulomb * ((v[e->v] > 0) - (v[e->v] < 0));
    sim->tau[e->v] += friction;
    sim->holding[e->v] = -friction;
  }
}
