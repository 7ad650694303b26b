// Simulations of fixture robots: where they begin, how they are run, how far ends are apart.
#ifndef LIMB_TEST_RUNS_H
#define LIMB_TEST_RUNS_H

#include "limb/sim.h"
#include "support/check.h"
#include "support/closed.h"
#include "support/robots.h"

#include <math.h>
#include <string.h>

enum { RUN_MOST = 64 };

// A robot in a state.
typedef struct stage {
  limb_model* m;
  int nq, nv;
  double q[RUN_MOST], v[RUN_MOST];
} stage;

// A fixture of that name, tree or with loops, in a random state that is the same each time.
static inline stage stage_make(const char* name)
{
  stage at = {0};
  const robot* tree = robot_find(name);
  if (tree) {
    uint64_t seed = 7;
    at.m = tree->make();
    assert_ok(limb_random(at.m, &seed, at.q));
    for (int k = 0; k < limb_nv(at.m); k++) at.v[k] = sin(1 + 3 * k);
  } else {
    closed_case c = closed_find(name, 5);
    at.m = c.m;
    memcpy(at.q, c.q, (size_t)limb_nq(at.m) * sizeof *c.q);
    memcpy(at.v, c.v, (size_t)limb_nv(at.m) * sizeof *c.v);
    c.m = NULL;
    closed_free(&c);
  }
  at.nq = limb_nq(at.m), at.nv = limb_nv(at.m);
  return at;
}

// All methods; AUTO is the last one.
static const limb_sim_method run_methods[] = {
  LIMB_SIM_EULER, LIMB_SIM_SEMI_IMPLICIT, LIMB_SIM_RK4, LIMB_SIM_VARIATIONAL, LIMB_SIM_IMPLICIT,
  LIMB_SIM_ERK,   LIMB_SIM_ADAMS,         LIMB_SIM_BDF, LIMB_SIM_IDA,         LIMB_SIM_AUTO};

enum { RUN_ALL = sizeof run_methods / sizeof run_methods[0], RUN_METHODS = RUN_ALL - 1 };

// Options for runs whose forces do not jump.
static inline limb_sim_options run_options(const stage* at, limb_sim_method method)
{
  limb_sim_options o = limb_default_sim_options(at->m);
  o.method = method;
  o.stiction = LIMB_STICTION_SMOOTH, o.env.coulomb_width = 1;
  return o;
}

// The same with short steps or a tight tolerance, and the errors that methods may make with these.
static inline limb_sim_options run_finely(const stage* at, limb_sim_method method)
{
  limb_sim_options o = run_options(at, method);
  o.step = limb_sim_method_order(method) == 4 ? 1e-3 : 2e-4;
  if (!limb_sim_method_order(method)) o.relative = 1e-10, o.absolute = 1e-11;
  return o;
}

static inline double run_allowed(limb_sim_method method)
{
  switch (limb_sim_method_order(method)) {
  case 1: return 3e-2;
  case 2: return 1e-5;
  default: return 1e-6;
  }
}

static inline limb_sim* run_create(const stage* at, const limb_sim_options* o)
{
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(at->m, o, NULL, &sim, NULL));
  return sim;
}

static inline void run_start(limb_sim* sim, const stage* at)
{
  limb_error err = {0};
  const limb_status s = limb_sim_start(sim, 0, at->q, at->v, &err);
  if (s != LIMB_OK) check_at("start: %s", err.text);
  assert_ok(s);
}

static inline limb_sim_state run_now(limb_sim* sim)
{
  limb_sim_state x;
  assert_ok(limb_sim_now(sim, &x));
  return x;
}

static inline limb_sim_summary run_summary(limb_sim* sim)
{
  limb_sim_summary x;
  assert_ok(limb_sim_summary_of(sim, &x));
  return x;
}

// On to t, where nothing happens.
static inline void run_to(limb_sim* sim, double t)
{
  limb_sim_event e;
  const limb_status s = limb_sim_advance(sim, t, &e);
  if (s != LIMB_OK) check_at("%s", limb_sim_error(sim));
  assert_ok(s);
  assert_that(e.kind == LIMB_EVENT_NONE && e.time == t);
}

static inline void run_state(limb_sim* sim, stage* to)
{
  const limb_sim_state now = run_now(sim);
  memcpy(to->q, now.q, (size_t)to->nq * sizeof *now.q);
  memcpy(to->v, now.v, (size_t)to->nv * sizeof *now.v);
}

// Started, run to t, and freed: the state there.
static inline void run_end(limb_sim* sim, const stage* from, double t, stage* to)
{
  *to = *from;
  run_start(sim, from);
  run_to(sim, t);
  run_state(sim, to);
  limb_sim_destroy(sim);
}

// The largest difference of two states, along the manifold and of velocities.
static inline double stage_distance(const stage* a, const stage* b)
{
  double d[RUN_MOST], most = 0;
  assert_ok(limb_difference(a->m, a->q, b->q, d));
  for (int k = 0; k < a->nv; k++) most = fmax(most, fmax(fabs(d[k]), fabs(a->v[k] - b->v[k])));
  return most;
}

#endif
