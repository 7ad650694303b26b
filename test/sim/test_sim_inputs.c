// What acts on a simulation: forces, sampled controllers, breaks, wrenches.
#include "sim/runs.h"

// ---- forces ----------------------------------------------------------------------------------------------

// What drives the arms: two forces by turns, against the same in one.
static limb_status first_half(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q;
  tau[0] += 3 * sin(2 * t) - v[0];
  return LIMB_OK;
}

static limb_status second_half(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)v;
  tau[1] += 2 * t - q[1];
  tau[0] += 1;
  return LIMB_OK;
}

static limb_status both(void* context, double t, const double* q, const double* v, double* tau)
{
  const limb_status s = first_half(context, t, q, v, tau);
  return s == LIMB_OK ? second_half(context, t, q, v, tau) : s;
}

START_TEST(forces_add_up)
{
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_has_method(method)) return;
  stage from = stage_make("planar_2r"), one, two;
  check_at("%s", limb_sim_method_name(method));
  const limb_sim_options o = run_finely(&from, method);
  const limb_sim_force f[] = {{.force = first_half}, {.force = second_half}, {.force = both}};
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_add_force(sim, &f[2]));
  run_end(sim, &from, 0.3, &one);
  sim = run_create(&from, &o);
  for (int k = 0; k < 2; k++) assert_ok(limb_sim_add_force(sim, &f[k]));
  run_end(sim, &from, 0.3, &two);
  assert_that(stage_distance(&one, &two) < 1e-11);
  assert_that(stage_distance(&one, &from) > 0.01);
  limb_model_destroy(from.m);
}
END_TEST

// ---- sampled controllers ---------------------------------------------------------------------------------

typedef struct controller {
  int calls;
} controller;

static limb_status control(void* context, double t, const double* q, const double* v, double* tau)
{
  controller* c = context;
  c->calls++;
  for (int k = 0; k < 2; k++) tau[k] += -40 * (q[k] - 0.3 * sin(t)) - 5 * v[k];
  return LIMB_OK;
}

// What a hand-made loop holds.
static limb_status hold(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)t, (void)q, (void)v;
  for (int k = 0; k < 2; k++) tau[k] += ((const double*)context)[k];
  return LIMB_OK;
}

// From sample to sample and from hold to hold, by hand: held is what acts.
static void hold_loop(limb_sim* sim, double period, double delay, double end, double held[2])
{
  enum { MOST_SAMPLES = 200 };
  double queue[MOST_SAMPLES][2] = {{0}};
  controller c = {0};
  int taken = 0, begun = 0;
  for (;;) {
    const limb_sim_state now = run_now(sim);
    if (now.time == taken * period) {
      assert_that(taken < MOST_SAMPLES);
      assert_ok(control(&c, now.time, now.q, now.v, queue[taken]));
      taken++;
    }
    if (begun < taken && now.time == begun * period + delay) {
      memcpy(held, queue[begun], sizeof queue[0]);
      begun++;
    }
    if (now.time >= end) return;
    const double acts = begun < taken ? begun * period + delay : HUGE_VAL;
    run_to(sim, fmin(end, fmin(taken * period, acts)));
  }
}

// Powers of two, so that times are exact; delays shorter than the period, equal to it, longer, much longer.
START_TEST(samples_are_held)
{
  static const double delays[] = {0, 0.25, 1, 1.5, 3, 5.25};
  const double period = 0x1p-6, end = 0.5;
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_method_order(method)) return;
  stage from = stage_make("planar_2r"), one = from, two = from;
  for (int k = 0; k < 6; k++) {
    const double delay = delays[k] * period;
    double held[2] = {0};
    controller c = {0};
    limb_sim_options o = run_finely(&from, method);
    o.step = 0x1p-9;
    check_at("%s, delay %g periods", limb_sim_method_name(method), delays[k]);
    limb_sim* sim = run_create(&from, &o);
    const limb_sim_force f = {.force = control, .context = &c, .period = period, .delay = delay};
    assert_ok(limb_sim_add_force(sim, &f));
    run_end(sim, &from, end, &one);
    assert_that(c.calls == (int)(end / period) + 1);
    sim = run_create(&from, &o);
    const limb_sim_force by_hand = {.force = hold, .context = held};
    assert_ok(limb_sim_add_force(sim, &by_hand));
    run_start(sim, &from);
    hold_loop(sim, period, delay, end, held);
    run_state(sim, &two);
    limb_sim_destroy(sim);
    assert_that(stage_distance(&one, &two) < 1e-12);
  }
  limb_model_destroy(from.m);
}
END_TEST

// Two controllers whose samples fall together but for rounding, delays that are periods but for rounding.
START_TEST(samples_of_all_methods)
{
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_has_method(method)) return;
  stage from = stage_make("planar_2r"), exact, end;
  for (int pass = 0; pass < 2; pass++) {
    limb_sim_options o = run_finely(&from, pass ? method : LIMB_SIM_RK4);
    controller c[2] = {{0}, {0}};
    const limb_sim_force f[] = {
      {.force = control, .context = &c[0], .period = 0.01, .delay = 0.02},
      {.force = control, .context = &c[1], .period = 0.03, .delay = 0.07},
    };
    check_at("%s", limb_sim_method_name(o.method));
    if (!pass) o.step = 2e-4;
    limb_sim* sim = run_create(&from, &o);
    for (int k = 0; k < 2; k++) assert_ok(limb_sim_add_force(sim, &f[k]));
    run_end(sim, &from, 0.605, pass ? &end : &exact);
    assert_that(c[0].calls == 61 && c[1].calls == 21);
  }
  check_at("%s: %.2g", limb_sim_method_name(method), stage_distance(&exact, &end));
  assert_that(stage_distance(&exact, &end) < 10 * run_allowed(method));
  limb_model_destroy(from.m);
}
END_TEST

// ---- breaks ----------------------------------------------------------------------------------------------

static const double jump = 0.1234567;

static limb_status jumps(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  tau[0] += t < jump ? 10 : -25;
  return LIMB_OK;
}

static double next_jump(void* context, double t)
{
  (void)context;
  return t < jump ? jump : HUGE_VAL;
}

// Steps of 0.02 s and 0.01 s: how much smaller the error becomes, as a power of two.
static double order_across_jump(limb_sim_method method, limb_sim_break_fn* next)
{
  stage from = stage_make("planar_2r"), exact, end;
  const limb_sim_force right = {.force = jumps, .next_break = next_jump};
  const limb_sim_force f = {.force = jumps, .next_break = next};
  limb_sim_options o = run_finely(&from, LIMB_SIM_RK4);
  double error[2];
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_add_force(sim, &right));
  run_end(sim, &from, 0.4, &exact);
  for (int k = 0; k < 2; k++) {
    o = run_finely(&from, method);
    o.step = k ? 0.005 : 0.01;
    sim = run_create(&from, &o);
    assert_ok(limb_sim_add_force(sim, &f));
    run_end(sim, &from, 0.4, &end);
    error[k] = stage_distance(&exact, &end);
  }
  limb_model_destroy(from.m);
  return log2(error[0] / error[1]);
}

START_TEST(breaks_keep_the_order)
{
  const int order = limb_sim_method_order(run_methods[_i]);
  if (!order) return;
  const double observed = order_across_jump(run_methods[_i], next_jump);
  check_at("%s: order %.2f", limb_sim_method_name(run_methods[_i]), observed);
  assert_that(observed > order - 0.4);
  if (order == 4) assert_that(order_across_jump(run_methods[_i], NULL) < 2.5); // without the break it is lost
}
END_TEST

static double at_jump(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->time - jump;
}

// An event and a break at one time: both are met.
START_TEST(breaks_with_events)
{
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_has_method(method)) return;
  stage from = stage_make("planar_2r"), exact, end = from;
  limb_sim_options o = run_finely(&from, method);
  controller c = {0};
  const limb_sim_force f[] = {{.force = jumps, .next_break = next_jump},
                              {.force = control, .context = &c, .period = jump, .delay = jump / 2}};
  const limb_sim_condition condition = {.value = at_jump};
  for (int pass = 0; pass < 2; pass++) {
    limb_sim* sim = run_create(&from, &o);
    limb_sim_event e;
    check_at("%s, pass %d", limb_sim_method_name(method), pass);
    for (int k = 0; k < 2; k++) assert_ok(limb_sim_add_force(sim, &f[k]));
    if (!pass) {
      run_end(sim, &from, 0.4, &exact);
      continue;
    }
    assert_ok(limb_sim_add_condition(sim, &condition, NULL));
    run_start(sim, &from);
    assert_ok(limb_sim_advance(sim, 0.4, &e));
    assert_that(e.kind == LIMB_EVENT_CONDITION && fabs(e.time - jump) < 1e-12);
    check_at("%s, pass %d: %s", limb_sim_method_name(method), pass, limb_sim_error(sim));
    run_to(sim, 0.4);
    run_state(sim, &end);
    limb_sim_destroy(sim);
  }
  assert_that(c.calls == 8);
  check_at("%s: %.2g apart", limb_sim_method_name(method), stage_distance(&exact, &end));
  assert_that(stage_distance(&exact, &end) < (limb_sim_method_order(method) ? 1e-3 : 3e-2) * run_allowed(method));
  limb_model_destroy(from.m);
}
END_TEST

// ---- wrenches --------------------------------------------------------------------------------------------

static limb_wrench pull(int frame, double t, const double* v)
{
  const sp_force f = {{0.3 * t, -0.2, 0.1}, {2 * cos(3 * t), -1 - 0.3 * v[0], 0.5}};
  return (limb_wrench){frame, LIMB_WORLD, f};
}

static limb_status pull_wrench(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  (void)q;
  wrench[0] = pull(*(const int*)context, t, v);
  wrench[1] = pull(0, t, v); // the world feels nothing
  return LIMB_OK;
}

typedef struct puller {
  limb_data* d;
  int frame, nv;
} puller;

static limb_status pull_joints(void* context, double t, const double* q, const double* v, double* tau)
{
  const puller* p = context;
  sp_motion J[RUN_MOST];
  limb_status s = limb_kinematics(p->d, q, NULL, NULL);
  if (s == LIMB_OK) s = limb_frame_jacobian(p->d, p->frame, LIMB_WORLD, J);
  const limb_wrench w = pull(p->frame, t, v);
  for (int k = 0; k < p->nv && s == LIMB_OK; k++) tau[k] += sp_dot(J[k], w.wrench);
  return s;
}

START_TEST(wrenches_are_forces)
{
  static const char* const names[] = {"planar_2r", "quadruped", "four_bar"};
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_has_method(method)) return;
  for (int k = 0; k < 3; k++) {
    stage from = stage_make(names[k]), one, two;
    puller p = {NULL, limb_frame_count(from.m) - 1, from.nv};
    const limb_sim_options o = run_finely(&from, method);
    assert_ok(limb_data_create(limb_spanning_tree(from.m), NULL, &p.d));
    check_at("%s, %s", names[k], limb_sim_method_name(method));
    limb_sim* sim = run_create(&from, &o);
    assert_ok(limb_sim_add_wrenches(sim, 2, pull_wrench, &p.frame, NULL));
    run_end(sim, &from, 0.05, &one);
    sim = run_create(&from, &o);
    const limb_sim_force f = {.force = pull_joints, .context = &p};
    assert_ok(limb_sim_add_force(sim, &f));
    run_end(sim, &from, 0.05, &two);
    assert_that(stage_distance(&one, &two) < (limb_sim_method_order(method) ? 1e-10 : 1e-7));
    limb_data_destroy(p.d);
    limb_model_destroy(from.m);
  }
}
END_TEST

CHECK_MAIN("sim/inputs", RUN_METHODS, forces_add_up, samples_are_held, samples_of_all_methods, breaks_keep_the_order,
           breaks_with_events, wrenches_are_forces)
