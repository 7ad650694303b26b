// Impulses at stops.
//
// Joints that hit their stops, and those that rest at one, receive simultaneous impulses p >= 0 away from the limits.
// With u their velocities away from the limits, e the restitution, and A the inverse of the mass matrix along the
// possible motion, restricted to these joints,
//
//     u_after = u + A p >= -e u,      p >= 0,      p_i > 0 only where u_after_i = -e_i u_i
//
// (Newton's law.) The kinetic energy changes by the sum of p (u_after + u) / 2: for e = 1 it is conserved. A joint that
// leaves its stop, u > 0, receives no impulse: it would gain energy. If the others throw it back, its own impact
// follows immediately. A joint that has barely started to leave counts as at rest. Friction is bounded and has no
// impulse: joints that stick move like any other. Only prescribed motion and loops resist.
//
// A joint that would rise by less than options.absolute [rad, m] before it returns, or more slowly than that [rad/s,
// m/s], stays at its stop. This ends a series of ever smaller rebounds.
//
// Reference: F. Pfeiffer, C. Glocker, Multibody dynamics with unilateral contacts, 1996; for the pivoting see modes.c.
// Cost:      two evaluations of accelerations for each of these joints, and the cube of their number.
#include "sim/stops_and_friction.h"

#include <string.h>

enum { PATIENCE = 3, ROUNDS = 100, ROUNDS_STOP = 10 };

// Memory, for all joints with stops.
typedef struct impact {
  int n;                  // joints that receive an impulse
  int* joint;             // n: index in sim->mode
  sim_contact* side;      // n: their stops
  double *u, *e, *p, *z;  // n: velocity before, restitution, impulse, u_after + e u
  bool* active;           // p is not zero
  bool* stays;            // n: its rebound would be too small
  double* response;       // n x nv
  double *A, *R, *factor; // n x n
  double *b, *mu, *left;  // n
  double* before;         // nv: velocities
} impact;

limb_status limb_sim_create_impact(limb_sim* sim)
{
  const size_t n = (size_t)sim->nlimit, nv = (size_t)sim->nv;
  impact* w = limb_sim_alloc(sim, 1, sizeof *w);
  double* x = limb_sim_alloc(sim, 7 * n + n * nv + 3 * n * n + nv, sizeof *x);
  int* joint = limb_sim_alloc(sim, n, sizeof *joint);
  sim_contact* side = limb_sim_alloc(sim, n, sizeof *side);
  bool* active = limb_sim_alloc(sim, 2 * n, sizeof *active);
  if (!w || !x || !joint || !side || !active) return LIMB_E_NOMEM;
  double** const of_n[] = {&w->u, &w->e, &w->p, &w->z, &w->b, &w->mu, &w->left};
  for (size_t k = 0; k < sizeof of_n / sizeof of_n[0]; k++, x += n) *of_n[k] = x;
  w->response = x, x += n * nv;
  w->A = x, w->R = x + n * n, w->factor = x + 2 * n * n, w->before = x + 3 * n * n;
  w->joint = joint, w->side = side, w->active = active, w->stays = active + n;
  sim->impact = w;
  return LIMB_OK;
}

static double push(sim_contact side) { return side == SIM_AT_UPPER ? -1 : 1; }
static double push_of(const impact* w, int i) { return push(w->side[i]); }

// ---- joints that receive an impulse ---------------------------------------------------------------------

static limb_status gather(limb_sim* sim, impact* w)
{
  const int nv = sim->nv;
  limb_status s = LIMB_OK;
  w->n = 0;
  limb_sim_mark_given(sim);
  for (int i = 0; i < sim->nmode && s == LIMB_OK; i++) {
    const sim_mode* m = &sim->mode[i];
    const sim_contact side = m->given ? SIM_AWAY : stop_at(sim, m);
    if (side == SIM_AWAY || push(side) * sim->now.v[m->v] > sim->o.absolute) continue;
    const int k = w->n++;
    w->joint[k] = i, w->side[k] = side, w->stays[k] = false;
    w->u[k] = push_of(w, k) * sim->now.v[m->v];
    w->e[k] = sim->o.stop == LIMB_STOP_IMPACT && w->u[k] < 0 ? sim->o.restitution : 0;
    s = limb_sim_impulse_response(sim, sim->now.q, m->v, w->response + (size_t)k * (size_t)nv);
  }
  for (int i = 0; i < w->n; i++) {
    for (int k = 0; k < w->n; k++)
      w->A[i * w->n + k] = push_of(w, i) * push_of(w, k) * w->response[k * nv + sim->mode[w->joint[i]].v];
  }
  memcpy(w->before, sim->now.v, (size_t)nv * sizeof *w->before);
  return s;
}

// ---- impulses -------------------------------------------------------------------------------------------

// p of the active joints, z of the others.
static bool balance(impact* w)
{
  int n = 0;
  for (int i = 0; i < w->n; i++) {
    if (!w->active[i]) continue;
    w->b[n] = -(1 + w->e[i]) * w->u[i], n++;
  }
  for (int i = 0, row = 0; i < w->n; i++) {
    if (!w->active[i]) continue;
    for (int k = 0, column = 0; k < w->n; k++) {
      if (w->active[k]) w->R[row * n + column++] = w->A[i * w->n + k];
    }
    row++;
  }
  const sim_system system = {n, w->R, w->b, w->factor, w->left, w->mu};
  if (n && !limb_sim_solve_shared(&system)) return false;
  for (int i = 0, row = 0; i < w->n; i++) w->p[i] = w->active[i] ? w->mu[row++] : 0;
  for (int i = 0; i < w->n; i++) {
    w->z[i] = (1 + w->e[i]) * w->u[i];
    for (int k = 0; k < w->n; k++) w->z[i] += w->A[i * w->n + k] * w->p[k];
  }
  return true;
}

static bool contradicts(const impact* w, int i, double min_p, double min_z)
{
  if (w->stays[i]) return false;
  return w->active[i] ? w->p[i] < min_p : w->z[i] < min_z;
}

// Pivoting, as in modes.c.
static bool find_impulses(impact* w)
{
  const double rounding = 1e-13;
  int fewest = w->n + 1, patience = PATIENCE;
  for (int i = 0; i < w->n; i++) w->active[i] = w->u[i] < 0 || w->stays[i];
  for (int round = 0; round < ROUNDS + ROUNDS_STOP * w->n; round++) {
    double fastest = 0, hardest = 0;
    if (!balance(w)) return false;
    for (int i = 0; i < w->n; i++) fastest = fmax(fastest, fabs(w->u[i])), hardest = fmax(hardest, fabs(w->p[i]));
    int count = 0, last = -1;
    for (int i = 0; i < w->n; i++) {
      if (contradicts(w, i, -rounding * hardest, -rounding * fastest)) count++, last = i;
    }
    if (count == 0) return true;
    if (count < fewest)
      fewest = count, patience = PATIENCE;
    else
      patience--;
    for (int i = patience < 0 ? last : 0; i <= last; i++) {
      if (contradicts(w, i, -rounding * hardest, -rounding * fastest)) w->active[i] = !w->active[i];
    }
  }
  return false;
}

// Velocities after the impulses; joints that come to rest do so exactly.
static void apply(limb_sim* sim, const impact* w)
{
  const int nv = sim->nv;
  const double rounding = 1e-14;
  double* v = sim->now.v;
  double max = 0;
  memcpy(v, w->before, (size_t)nv * sizeof *v);
  for (int i = 0; i < w->n; i++) {
    const double p = push_of(w, i) * w->p[i];
    for (int k = 0; k < nv; k++) v[k] += p * w->response[i * nv + k];
  }
  for (int k = 0; k < nv; k++) max = fmax(max, fabs(v[k] - w->before[k]));
  for (int i = 0; i < sim->nmode; i++) {
    const int k = sim->mode[i].v;
    if (w->before[k] == 0 && fabs(v[k]) <= rounding * max) v[k] = 0;
  }
  for (int i = 0; i < w->n; i++) {
    sim_mode* m = &sim->mode[w->joint[i]];
    if (w->active[i]) v[m->v] = w->e[i] == 0 ? 0 : -w->e[i] * w->before[m->v];
    if (fabs(v[m->v]) < sim->o.absolute) v[m->v] = 0;
    m->contact = v[m->v] == 0 ? w->side[i] : SIM_AWAY;
  }
}

// ---- small rebounds -------------------------------------------------------------------------------------

// Joints that would rise too little stay; *any: there are some.
static limb_status keep_small(limb_sim* sim, impact* w, bool* any)
{
  bool leaves = false;
  *any = false;
  for (int i = 0; i < w->n; i++) leaves = leaves || sim->now.v[sim->mode[w->joint[i]].v] != 0;
  if (!leaves) return LIMB_OK;
  const sim_point* p = &sim->now;
  const limb_status s = limb_sim_accelerate(sim, p->t, p->q, p->v, sim->a);
  for (int i = 0; i < w->n && s == LIMB_OK; i++) {
    const int k = sim->mode[w->joint[i]].v;
    const double u = push_of(w, i) * sim->now.v[k], back = -push_of(w, i) * sim->a[k];
    if (!(u > 0) || !(u * u < 2 * sim->o.absolute * back)) continue;
    w->e[i] = 0, w->stays[i] = *any = true;
  }
  return s;
}

static limb_status kinetic_energy(limb_sim* sim, double* energy)
{
  limb_energy e = {0};
  const limb_status s = limb_energies(sim->d, sim->now.q, sim->now.v, &sim->env, &e);
  *energy = e.kinetic;
  return s;
}

static limb_status strike_once(limb_sim* sim, impact* w)
{
  if (!find_impulses(w))
    return limb_sim_fail(sim, LIMB_E_NOCONV, "the impulses of the stops at %.9g s cannot be found", sim->now.t);
  apply(sim, w);
  return limb_sim_decide_modes(sim);
}

limb_status limb_sim_apply_impacts(limb_sim* sim)
{
  impact* w = sim->impact;
  sim_point* now = &sim->now;
  double before = 0, after = 0;
  limb_status s = sim->o.work ? kinetic_energy(sim, &before) : LIMB_OK;
  sim->o.loops.loops.time = now->t;
  if (s == LIMB_OK) s = gather(sim, w);
  if (s == LIMB_OK) s = strike_once(sim, w);
  for (int round = 0; round <= w->n && s == LIMB_OK; round++) {
    bool any;
    s = keep_small(sim, w, &any);
    if (s != LIMB_OK || !any) break;
    s = strike_once(sim, w);
  }
  if (s == LIMB_OK && sim->o.work) s = kinetic_energy(sim, &after);
  if (s == LIMB_OK) now->work += after - before;
  return s;
}
