// Memory of simulations: any allocation may fail, nothing is lost, a start that failed may be repeated;
// and none is taken once a simulation runs, but by SUNDIALS.
#include "robust/purse.h"
#include "sim/runs.h"
#include "support/watch.h"

#include <errno.h>

static limb_status push(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q;
  tau[0] += sin(t) - 0.1 * v[0];
  return LIMB_OK;
}

static limb_status pull(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  (void)context, (void)q, (void)v;
  *wrench = (limb_wrench){1, LIMB_WORLD, {{0, 0, 0}, {t, 0, 0}}};
  return LIMB_OK;
}

static limb_status rest(void* context, double t, double* q, double* v, double* a)
{
  const stage* at = context;
  (void)t;
  q[0] = at->q[0], v[0] = a[0] = 0;
  return LIMB_OK;
}

static double halfway(void* context, const limb_sim_state* at)
{
  (void)context;
  return sin(40 * at->time) - 0.3;
}

// Everything that acts and is watched; stops at the first failure.
static limb_status furnish(limb_sim* sim, stage* at, int driven)
{
  const limb_sim_force f = {.force = push}, sampled = {.force = push, .period = 3e-3, .delay = 5e-3};
  const limb_sim_condition c = {.value = halfway, .dynamics = 1};
  unsigned char given[RUN_MOST] = {1};
  limb_status s = limb_sim_add_force(sim, &f);
  if (s == LIMB_OK) s = limb_sim_add_force(sim, &sampled);
  if (s == LIMB_OK) s = limb_sim_add_wrenches(sim, 1, pull, NULL, NULL);
  if (s == LIMB_OK) s = limb_sim_add_condition(sim, &c, NULL);
  if (s == LIMB_OK && driven) s = limb_sim_set_motion(sim, given, rest, at, NULL);
  return s;
}

static limb_sim_options options_of(const stage* at, limb_sim_method method)
{
  limb_sim_options o = limb_default_sim_options(at->m);
  o.method = method, o.work = 1, o.stop = LIMB_STOP_HOLD;
  return o;
}

// From nothing to a start; when that fails, the start again with memory for all.
static limb_status life(stage* at, limb_sim_method method, purse* p)
{
  const limb_allocator alloc = {purse_alloc, purse_free, p};
  const limb_sim_options o = options_of(at, method);
  limb_sim* sim = NULL;
  limb_status s = limb_sim_create(at->m, &o, &alloc, &sim, NULL);
  assert_that((s == LIMB_OK) == (sim != NULL));
  if (s == LIMB_OK) s = furnish(sim, at, 0);
  if (s == LIMB_OK) {
    limb_error err = {0};
    s = limb_sim_start(sim, 0, at->q, at->v, &err);
    if (s == LIMB_E_NOMEM) {
      assert_that(err.text[0]);
      p->budget = -1;
      assert_ok(limb_sim_start(sim, 0, at->q, at->v, NULL));
      assert_ok(limb_sim_advance(sim, 0.01, NULL));
    }
  }
  limb_sim_destroy(sim);
  return s;
}

START_TEST(every_allocation_may_fail)
{
  static const char* const names[] = {"tree5", "four_bar", "bennett"};
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_has_method(method)) return;
  for (int k = 0; k < 3; k++) {
    stage at = stage_make(names[k]);
    purse p = {.budget = -1};
    assert_ok(life(&at, method, &p));
    assert_that(p.alive == 0 && p.bytes == 0 && !p.misused);
    const long needed = p.granted;
    for (long n = 0; n < needed; n += CHECK_EFFORT(needed / 200 + 1, 1, 1)) {
      check_at("%s, %s, allocation %ld of %ld fails", names[k], limb_sim_method_name(method), n + 1, needed);
      p = (purse){.budget = n};
      assert_status(life(&at, method, &p), LIMB_E_NOMEM);
      assert_that(p.alive == 0 && p.bytes == 0 && !p.misused);
    }
    limb_model_destroy(at.m);
  }
}
END_TEST

// Steps, events, breaks, samples, summaries: no memory, and errno stays.
START_TEST(running_takes_no_memory)
{
  static const char* const names[] = {"tree5", "quadruped", "hand", "four_bar", "bennett", "rolling_disc"};
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_method_order(method)) return;
  for (int k = 0; k < 6; k++) {
    stage at = stage_make(names[k]);
    limb_sim_options o = options_of(&at, method);
    o.stop = LIMB_STOP_NONE;
    limb_sim* sim = run_create(&at, &o);
    limb_sim_event e = {.kind = LIMB_EVENT_CONDITION};
    limb_sim_state now;
    limb_sim_summary summary;
    limb_status s = LIMB_OK;
    int events = 0;
    at.v[0] = names[k][0] == 't' ? 0 : at.v[0];
    assert_ok(furnish(sim, &at, names[k][0] == 't'));
    run_start(sim, &at);
    errno = EXDEV;
    calls = 0, watching = 1;
    while (s == LIMB_OK && e.kind != LIMB_EVENT_NONE && events < 20) {
      s = limb_sim_advance(sim, 0.02, &e);
      if (s == LIMB_OK) s = limb_sim_now(sim, &now);
      if (s == LIMB_OK) s = limb_sim_summary_of(sim, &summary);
      events++;
    }
    watching = 0;
    const int error = errno;
    check_at("%s, %s: %s", names[k], limb_sim_method_name(method), limb_sim_error(sim));
    assert_ok(s);
    assert_that(events > 1 && now.time == 0.02 && calls == 0 && error == EXDEV);
    limb_sim_destroy(sim);
    limb_model_destroy(at.m);
  }
}
END_TEST

CHECK_MAIN("sim/memory", RUN_ALL, every_allocation_may_fail, running_takes_no_memory)
