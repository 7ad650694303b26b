// Time itself: simulations that begin at large times (seconds since 1970) are as accurate as these numbers
// can tell; steps that are too short; breaks that are none.
#include "sim/runs.h"

static const double since_1970 = 0x1.9p30; // 1.7e9 s: numbers there are 2.4e-7 s apart

// A force that depends on the time since the start.
static limb_status push(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)q;
  const double since = t - *(const double*)context;
  tau[0] += 3 * sin(5 * since) - 0.1 * v[0];
  return LIMB_OK;
}

typedef struct counter {
  int calls;
} counter;

static limb_status count(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)t, (void)q;
  ((counter*)context)->calls++;
  tau[1] += -0.5 * v[1];
  return LIMB_OK;
}

// To t0 + 1/2 s, with a sampled controller or without; halfway there is an event.
static double halfway(void* context, const limb_sim_state* at) { return at->time - *(const double*)context - 0.25; }

static void run_from(const stage* from, limb_sim_method method, double t0, int sampled, stage* to)
{
  limb_sim_options o = run_options(from, method);
  counter c = {0};
  limb_sim_event e;
  const limb_sim_force f = {.force = push, .context = &t0},
                       g = {.force = count, .context = &c, .period = 0x1p-10, .delay = 0x1p-11};
  const limb_sim_condition condition = {.value = halfway, .context = &t0};
  o.step = 0x1p-10;
  limb_sim* sim = run_create(from, &o);
  assert_ok(limb_sim_add_force(sim, &f));
  if (sampled) assert_ok(limb_sim_add_force(sim, &g));
  assert_ok(limb_sim_add_condition(sim, &condition, NULL));
  assert_ok(limb_sim_start(sim, t0, from->q, from->v, NULL));
  const limb_status s = limb_sim_advance(sim, t0 + 0.5, &e);
  check_at("%s from %g, sampled %d: %s", limb_sim_method_name(method), t0, sampled, limb_sim_error(sim));
  assert_ok(s);
  assert_that(e.kind == LIMB_EVENT_CONDITION && fabs(e.time - t0 - 0.25) <= 2e-6);
  run_to(sim, t0 + 0.5);
  *to = *from;
  run_state(sim, to);
  assert_that(!sampled || c.calls == 513);
  limb_sim_destroy(sim);
}

// Times that are multiples of 2^-22 s are exact at both: fixed steps differ by the place of the event.
START_TEST(large_times)
{
  stage from = stage_make("planar_2r"), early, late;
  for (int k = 0; k < 2 * RUN_ALL; k++) {
    const limb_sim_method method = run_methods[k / 2];
    const int sampled = k % 2;
    if (!limb_sim_has_method(method)) continue;
    run_from(&from, method, 0, sampled, &early);
    run_from(&from, method, since_1970, sampled, &late);
    const double off = stage_distance(&early, &late);
    check_at("%s, sampled %d: %.2g", limb_sim_method_name(method), sampled, off);
    assert_that(off < 1e-4);
    assert_that(limb_sim_method_order(method) < 4 || off < 1e-7);
  }
  limb_model_destroy(from.m);
}
END_TEST

// 1 ms is no multiple of what numbers there can tell apart: samples and steps are neither lost nor doubled.
START_TEST(samples_and_steps_at_large_times)
{
  stage from = stage_make("planar_2r");
  for (int pass = 0; pass < 3; pass++) {
    const double t0 = pass == 0 ? 0 : pass == 1 ? since_1970 : -since_1970;
    limb_sim_options o = run_options(&from, LIMB_SIM_RK4);
    counter c = {0};
    const limb_sim_force f = {.force = count, .context = &c, .period = 1e-3, .delay = 1e-3};
    limb_sim* sim = run_create(&from, &o);
    assert_ok(limb_sim_add_force(sim, &f));
    assert_ok(limb_sim_start(sim, t0, from.q, from.v, NULL));
    run_to(sim, t0 + 0.1005);
    check_at("from %g: %d samples, %d steps", t0, c.calls, (int)run_summary(sim).steps);
    assert_that(c.calls == 101 && run_summary(sim).steps == 101);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(from.m);
}
END_TEST

// Steps as short as a few of these numbers keep their order: RK4 there is no Euler.
START_TEST(short_steps_at_large_times)
{
  stage from = stage_make("planar_2r"), exact, end = from;
  limb_sim_options o = run_options(&from, LIMB_SIM_RK4);
  o.step = 0x1p-18;
  const double end_time = 0x1p-7;
  run_end(run_create(&from, &o), &from, end_time, &exact);
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_start(sim, since_1970, from.q, from.v, NULL));
  run_to(sim, since_1970 + end_time);
  run_state(sim, &end);
  limb_sim_destroy(sim);
  assert_that(stage_distance(&exact, &end) < 1e-12);
  limb_model_destroy(from.m);
}
END_TEST

START_TEST(steps_too_short)
{
  static const double steps[] = {1e-300, 1e-20, 1e-17};
  stage at = stage_make("planar_2r");
  for (int k = 0; k < 3; k++) {
    limb_sim_options o = run_options(&at, LIMB_SIM_RK4);
    limb_sim_event e;
    o.step = steps[k];
    limb_sim* sim = run_create(&at, &o);
    run_start(sim, &at);
    assert_status(limb_sim_advance(sim, 1, &e), LIMB_E_NOCONV);
    assert_that(strstr(limb_sim_error(sim), "short") && run_now(sim).time == 0);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

// ---- breaks that are none --------------------------------------------------------------------------------

static double said(void* context, double t)
{
  (void)t;
  return *(const double*)context;
}

// Good at the start, bad after the first break.
static double once(void* context, double t) { return t < 0.1 ? 0.1 : *(const double*)context; }

static limb_status still(void* context, double t, double* q, double* v, double* a)
{
  (void)context, (void)t;
  q[0] = v[0] = a[0] = 0;
  return LIMB_OK;
}

static limb_status no_wrench(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  (void)context, (void)t, (void)q, (void)v;
  *wrench = (limb_wrench){1, LIMB_WORLD, {{0, 0, 0}, {0, 0, 0}}};
  return LIMB_OK;
}

static limb_status no_force(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)t, (void)q, (void)v, (void)tau;
  return LIMB_OK;
}

static limb_sim* with_breaks(const stage* at, int kind, limb_sim_break_fn* next, double* value)
{
  const limb_sim_options o = run_options(at, LIMB_SIM_RK4);
  const unsigned char given[2] = {1, 0};
  const limb_sim_force f = {.force = no_force, .context = value, .next_break = next};
  limb_sim* sim = run_create(at, &o);
  if (kind == 0) assert_ok(limb_sim_add_force(sim, &f));
  if (kind == 1) assert_ok(limb_sim_add_wrenches(sim, 1, no_wrench, value, next));
  if (kind == 2) assert_ok(limb_sim_set_motion(sim, given, still, value, next));
  return sim;
}

START_TEST(breaks_that_are_none)
{
  stage at = stage_make("planar_2r");
  double wrong[] = {nan(""), 0, -1, -HUGE_VAL};
  limb_sim_event e;
  for (int i = 0; i < 12; i++) {
    limb_error err = {0};
    check_at("kind %d, break at %g", i / 4, wrong[i % 4]);
    limb_sim* sim = with_breaks(&at, i / 4, said, &wrong[i % 4]);
    assert_status(limb_sim_start(sim, 0, at.q, at.v, &err), LIMB_E_ARG);
    assert_that(strstr(err.text, "break") && strstr(limb_sim_error(sim), "break"));
    limb_sim_destroy(sim);
    sim = with_breaks(&at, i / 4, once, &wrong[i % 4]);
    run_start(sim, &at);
    for (int again = 0; again < 2; again++) {
      assert_status(limb_sim_advance(sim, 1, &e), LIMB_E_ARG);
      assert_that(strstr(limb_sim_error(sim), "break") && run_now(sim).time == 0.1);
    }
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

CHECK_MAIN("sim/time", 1, large_times, samples_and_steps_at_large_times, short_steps_at_large_times, steps_too_short,
           breaks_that_are_none)
