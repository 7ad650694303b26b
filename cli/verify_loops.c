// Random states of a robot with loops that close them.
//
// From the start configuration, closed, joints are moved at random and the loops closed again; independent
// velocities and accelerations are random, the others follow. Configurations next to a singularity are
// drawn again, nearer to the start: dynamics is ill-conditioned there, however it is formulated.
#include "verify_loops.h"
#include "closure.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 20 };

static const double MOST_CONDITION = 1e3;

static limb_status allocate(verify* t, verify_closed* c)
{
  const size_t nq = (size_t)t->nq, nv = (size_t)t->nv, nc = (size_t)c->nc;
  const size_t entries = t->nv > VERIFY_LARGE ? 0 : nc * nv;
  c->memory = calloc(3 * nq + 9 * nv + 4 * nc + entries + 1, sizeof *c->memory);
  c->mark = calloc(nv + 1, 1);
  c->loads = calloc((size_t)limb_loop_count(t->m) + 1, sizeof *c->loads);
  if (!c->memory || !c->mark || !c->loads) return LIMB_E_NOMEM;
  double* at = c->memory;
  double** const of_q[] = {&c->start, &c->q, &c->qt};
  double** const of_v[] = {&c->v, &c->a, &c->tau, &c->acc, &c->vt, &c->at, &c->x, &c->y, &c->z};
  double** const of_row[] = {&c->lambda, &c->row, &c->other, &c->rate};
  for (size_t i = 0; i < sizeof of_q / sizeof *of_q; i++) *of_q[i] = at, at += nq;
  for (size_t i = 0; i < sizeof of_v / sizeof *of_v; i++) *of_v[i] = at, at += nv;
  for (size_t i = 0; i < sizeof of_row / sizeof *of_row; i++) *of_row[i] = at, at += nc;
  c->Psi = at;
  return limb_loops_create(t->m, cli_loops_use(t->m), NULL, &c->w);
}

limb_status verify_loops_open(verify* t, limb_assembly_report* report)
{
  verify_closed* c = calloc(1, sizeof *c);
  limb_assembly how = limb_default_assembly();
  if (!c) return LIMB_E_NOMEM;
  t->closed = c;
  c->nc = limb_row_count(t->m);
  c->env = t->env;
  if (c->env.coulomb_width == 0) c->env.coulomb_width = 0.1;
  limb_status s = allocate(t, c);
  if (s == LIMB_OK) s = limb_start(t->m, c->start);
  how.tries = CLOSURE_TRIES;
  return s == LIMB_OK ? limb_assemble(c->w, &how, c->start, report) : s;
}

void verify_loops_free(verify* t)
{
  verify_closed* c = t->closed;
  if (!c) return;
  verify_free_cuts(c);
  limb_loops_destroy(c->w);
  free(c->memory);
  free(c->mark);
  free(c->loads);
  free(c);
  t->closed = NULL;
}

// ---- drawing ---------------------------------------------------------------------------------------

// A joint of the start configuration moves by up to this [rad], and a quarter of it [m].
static limb_status draw_configuration(verify* t, uint64_t* seed, double reach)
{
  verify_closed* c = t->closed;
  const limb_assembly how = limb_default_assembly();
  limb_joint_info x;
  for (int j = 0; j < t->njoint; j++) {
    if (limb_get_joint(t->m, j, &x) != LIMB_OK) continue;
    for (int k = 0; k < x.nv; k++) {
      const int slides = x.def.type == LIMB_PRISMATIC || (x.def.type == LIMB_FREE && k > 2);
      c->x[x.v + k] = reach * cli_draw(seed) / (slides ? 4 : 1);
    }
  }
  limb_status s = limb_integrate(t->m, c->start, c->x, 1, c->q);
  if (s == LIMB_OK) s = limb_assemble(c->w, &how, c->q, NULL);
  if (s == LIMB_OK) s = limb_mobility_at(c->w, c->q, NULL, &c->mobility);
  return s;
}

static int is_regular(const limb_mobility* m)
{
  const int drives = m->active == 0 || m->condition_passive < MOST_CONDITION;
  return m->singularity != LIMB_SINGULAR_CLOSURE && m->condition < MOST_CONDITION && drives;
}

// The last draw is the start itself, which counts when nothing was better.
static limb_status find_configuration(verify* t, uint64_t* seed)
{
  double reach = 0.4;
  limb_status s = LIMB_E_NOCONV;
  for (int i = 0; i < DRAWS; i++) {
    s = draw_configuration(t, seed, i + 1 < DRAWS ? reach : 0);
    reach *= 0.8;
    if (s != LIMB_OK && s != LIMB_E_NOCONV) return s;
    if (s == LIMB_OK && is_regular(&t->closed->mobility)) break;
  }
  return s;
}

static limb_status draw_motion(verify* t, uint64_t* seed)
{
  verify_closed* c = t->closed;
  for (int k = 0; k < t->nv; k++) c->v[k] = cli_draw(seed), c->a[k] = cli_draw(seed);
  limb_status s = limb_complete_velocities(c->w, c->q, NULL, NULL, c->v);
  if (s == LIMB_OK) s = limb_complete_accelerations(c->w, c->q, c->v, NULL, NULL, c->a);
  const double fast = fmax(verify_largest(t->nv, c->v), sqrt(verify_largest(t->nv, c->a)));
  const double worst = fmax(c->mobility.condition, c->mobility.condition_passive);
  const double condition = fmin(MOST_CONDITION, worst);
  c->step = t->step / (fmax(1, fast) * fmax(1, condition / 20));
  return s;
}

// Torques of about the size of those that the motion needs.
static limb_status draw_torques(verify* t, uint64_t* seed)
{
  verify_closed* c = t->closed;
  const limb_closed_motion in = {c->q, c->v, c->a, &t->env};
  limb_closed_forces f = {.tau = c->tau, .tree = c->x, .lambda = c->lambda};
  const limb_status s = limb_closed_inverse_dynamics(c->w, &in, NULL, NULL, &f);
  for (int k = 0; k < t->nv; k++) c->tau[k] *= 1 + 0.5 * cli_draw(seed);
  c->size_force = fmax(verify_largest(t->nv, c->x), verify_largest(c->nc, c->lambda));
  return s == LIMB_E_SINGULAR ? LIMB_OK : s; // the nearest ones are as good
}

// Forward dynamics, and what its terms are like before they cancel: without the closures.
static limb_status solve(verify* t)
{
  verify_closed* c = t->closed;
  const limb_closed_motion in = {.q = c->q, .v = c->v, .env = &t->env};
  limb_closed_options o = limb_default_closed_options();
  const int dense = t->nv <= VERIFY_KKT && cli_loops_use(t->m) == LIMB_LOOPS_DENSE;
  o.method = dense ? LIMB_CLOSED_KKT : LIMB_CLOSED_AUTO;
  limb_status s = limb_forward_dynamics(t->d, c->q, c->v, c->tau, &t->env, c->acc);
  c->size_acc = s == LIMB_OK ? verify_largest(t->nv, c->acc) : 0; // a tree may do without mass
  s = limb_closed_forward_dynamics(c->w, &in, c->tau, &o, c->acc, c->lambda, NULL);
  c->size_force = fmax(c->size_force, verify_largest(c->nc, c->lambda));
  return s;
}

limb_status verify_close(verify* t)
{
  verify_closed* c = t->closed;
  uint64_t seed = t->seed;
  if (c->made && c->seed == t->seed) return c->status;
  c->made = 1, c->seed = t->seed;
  limb_status s = find_configuration(t, &seed);
  if (s == LIMB_OK) s = draw_motion(t, &seed);
  if (s == LIMB_OK) s = draw_torques(t, &seed);
  if (s == LIMB_OK) s = solve(t);
  return c->status = s;
}
