// What acts on a simulation: forces, sampled controllers, breaks, wrenches, given motion; callbacks that fail.
#include "sim/runs.h"

#include <stdlib.h>

static const limb_sim_method methods[] = {LIMB_SIM_EULER, LIMB_SIM_SEMI_IMPLICIT, LIMB_SIM_RK4,
                                          LIMB_SIM_VARIATIONAL, LIMB_SIM_IMPLICIT, LIMB_SIM_ERK,
                                          LIMB_SIM_ADAMS, LIMB_SIM_BDF, LIMB_SIM_IDA};

enum { METHODS = sizeof methods / sizeof methods[0] };

// Errors that a method may make in the tests here.
static limb_sim_options options_of(const stage* at, limb_sim_method method)
{
  limb_sim_options o = run_options(at, method);
  o.step = limb_sim_method_order(method) == 4 ? 1e-3 : 2e-4;
  if (!limb_sim_method_order(method)) o.step = 0, o.relative = 1e-10, o.absolute = 1e-11;
  return o;
}

static double allowed(limb_sim_method method)
{
  switch (limb_sim_method_order(method)) {
  case 1: return 3e-2;
  case 2: return 1e-5;
  default: return 1e-6;
  }
}

// ---- forces ----------------------------------------------------------------------------------------------

// What drives the arms: two forces by turns, against the same in one.
static limb_status first_half(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q;
  tau[0] += 3 * sin(2 * t) - v[0];
  return LIMB_OK;
}

static limb_status second_half(void* context, double t, const double* q, const double* v,
                               double* tau)
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
  const limb_sim_method method = methods[_i];
  stage from = stage_make("planar_2r"), one, two;
  if (!limb_sim_has_method(method)) return;
  check_at("%s", limb_sim_method_name(method));
  const limb_sim_options o = options_of(&from, method);
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
  stage from = stage_make("planar_2r"), one = from, two = from;
  const limb_sim_method method = methods[_i];
  if (!limb_sim_method_order(method)) return;
  for (int k = 0; k < 6; k++) {
    const double delay = delays[k] * period;
    double held[2] = {0};
    controller c = {0};
    limb_sim_options o = options_of(&from, method);
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
  const limb_sim_method method = methods[_i];
  stage from = stage_make("planar_2r"), exact, end;
  if (!limb_sim_has_method(method)) return;
  for (int pass = 0; pass < 2; pass++) {
    limb_sim_options o = options_of(&from, pass ? method : LIMB_SIM_RK4);
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
  assert_that(stage_distance(&exact, &end) < 10 * allowed(method));
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
  limb_sim_options o = options_of(&from, LIMB_SIM_RK4);
  double error[2];
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_add_force(sim, &right));
  run_end(sim, &from, 0.4, &exact);
  for (int k = 0; k < 2; k++) {
    o = options_of(&from, method);
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
  const int order = limb_sim_method_order(methods[_i]);
  if (!order) return;
  const double observed = order_across_jump(methods[_i], next_jump);
  check_at("%s: order %.2f", limb_sim_method_name(methods[_i]), observed);
  assert_that(observed > order - 0.4);
  if (order == 4) assert_that(order_across_jump(methods[_i], NULL) < 2.5); // without the break it is lost
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
  const limb_sim_method method = methods[_i];
  stage from = stage_make("planar_2r"), exact, end = from;
  if (!limb_sim_has_method(method)) return;
  limb_sim_options o = options_of(&from, method);
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
  assert_that(stage_distance(&exact, &end) < 1e-3 * allowed(method));
  limb_model_destroy(from.m);
}
END_TEST

// ---- wrenches --------------------------------------------------------------------------------------------

static limb_wrench pull(int frame, double t, const double* v)
{
  const sp_force f = {{0.3 * t, -0.2, 0.1}, {2 * cos(3 * t), -1 - 0.3 * v[0], 0.5}};
  return (limb_wrench){frame, LIMB_WORLD, f};
}

static limb_status pull_wrench(void* context, double t, const double* q, const double* v,
                               limb_wrench* wrench)
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

static limb_status pull_joints(void* context, double t, const double* q, const double* v,
                               double* tau)
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
  const limb_sim_method method = methods[_i];
  if (!limb_sim_has_method(method)) return;
  for (int k = 0; k < 3; k++) {
    stage from = stage_make(names[k]), one, two;
    puller p = {NULL, limb_frame_count(from.m) - 1, from.nv};
    const limb_sim_options o = options_of(&from, method);
    assert_ok(limb_data_create(from.m, NULL, &p.d));
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

// ---- given motion ----------------------------------------------------------------------------------------

typedef struct law {
  const stage* at;
  unsigned char given[RUN_MOST];
} law;

// q0 + v0 t + c t^2 (1 + sin t) of joints with one coordinate each.
static limb_status follow(void* context, double t, double* q, double* v, double* a)
{
  const law* l = context;
  for (int k = 0; k < l->at->nv; k++) {
    if (!l->given[k]) continue;
    const double c = 0.5 + 0.1 * k, s = 1 + sin(t), ds = cos(t), dds = -sin(t);
    q[k] = l->at->q[k] + l->at->v[k] * t + c * t * t * s;
    v[k] = l->at->v[k] + c * (2 * t * s + t * t * ds);
    a[k] = c * (2 * s + 4 * t * ds + t * t * dds);
  }
  return LIMB_OK;
}

static void check_law(const law* l, const limb_sim_state* now)
{
  double q[RUN_MOST], v[RUN_MOST], a[RUN_MOST];
  memcpy(q, now->q, sizeof(double) * (size_t)l->at->nv);
  memcpy(v, now->v, sizeof(double) * (size_t)l->at->nv);
  memcpy(a, now->a, sizeof(double) * (size_t)l->at->nv);
  assert_ok(follow((void*)(uintptr_t)l, now->time, q, v, a));
  assert_close_array(now->q, q, l->at->nv, 1e-14, 0);
  assert_close_array(now->v, v, l->at->nv, 1e-12, 0);
  assert_close_array(now->a, a, l->at->nv, 1e-12, 0);
}

// All joints given: torques are those of inverse dynamics. Some: also, and the others have none.
START_TEST(motion_of_a_tree)
{
  const limb_sim_method method = methods[_i];
  if (!limb_sim_has_method(method)) return;
  stage from = stage_make("panda"), ends[2];
  limb_data* d = NULL;
  assert_ok(limb_data_create(from.m, NULL, &d));
  for (int pass = 0; pass < 3; pass++) {
    law l = {&from, {0}};
    for (int k = 0; k < 7; k++) l.given[k] = pass == 0 || k == 1 || k == 4;
    const limb_sim_options o = options_of(&from, pass == 2 ? LIMB_SIM_RK4 : method);
    limb_sim* sim = run_create(&from, &o);
    check_at("%s, pass %d", limb_sim_method_name(method), pass);
    assert_ok(limb_sim_set_motion(sim, l.given, follow, &l, NULL));
    run_start(sim, &from);
    for (int i = 1; i <= 5; i++) {
      double tau[RUN_MOST];
      run_to(sim, 0.04 * i);
      const limb_sim_state now = run_now(sim);
      check_law(&l, &now);
      assert_ok(limb_inverse_dynamics(d, now.q, now.v, now.a, &o.env, tau));
      assert_close_array(now.tau, tau, 7, 1e-9, 1e-9);
      for (int k = 0; k < 7; k++) assert_that(l.given[k] || now.tau[k] == 0);
    }
    if (pass) ends[pass - 1] = from, run_state(sim, &ends[pass - 1]);
    limb_sim_destroy(sim);
  }
  check_at("%s: %.2g", limb_sim_method_name(method), stage_distance(&ends[0], &ends[1]));
  assert_that(stage_distance(&ends[0], &ends[1]) < 10 * allowed(method));
  limb_data_destroy(d);
  limb_model_destroy(from.m);
}
END_TEST

// The crank of a four-bar is driven: its torque is that of inverse dynamics, its loop stays closed.
START_TEST(motion_of_a_crank)
{
  const limb_sim_method method = methods[_i];
  if (!limb_sim_has_method(method)) return;
  stage from = stage_make("four_bar");
  limb_loops* w = NULL;
  law l = {&from, {1}};
  assert_ok(limb_loops_create(from.m, LIMB_LOOPS_DENSE, NULL, &w));
  const limb_sim_options o = options_of(&from, method);
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_set_motion(sim, l.given, follow, &l, NULL));
  run_start(sim, &from);
  for (int i = 1; i <= 10; i++) {
    double tau[3], lambda[3];
    limb_loop_gap gap;
    check_at("%s, %d", limb_sim_method_name(method), i);
    run_to(sim, 0.05 * i);
    const limb_sim_state now = run_now(sim);
    check_law(&l, &now);
    const limb_closed_motion in = {now.q, now.v, now.a, &o.env};
    limb_closed_forces out = {.tau = tau, .lambda = lambda};
    assert_ok(limb_closed_inverse_dynamics(w, &in, NULL, NULL, &out));
    assert_close_array(now.tau, tau, 3, 1e-8, 1e-8);
    assert_close_array(now.lambda, lambda, limb_row_count(from.m), 1e-8, 1e-8);
    assert_ok(limb_loop_gap_of(w, now.q, now.v, NULL, &gap));
    assert_that(gap.place < 1e-12 && gap.velocity < 1e-12);
  }
  limb_sim_destroy(sim);
  limb_loops_destroy(w);
  limb_model_destroy(from.m);
}
END_TEST

// ---- callbacks that fail -----------------------------------------------------------------------------------

typedef struct failing {
  double after, value;
  limb_status status;
} failing;

static limb_status fails(void* context, double t, const double* q, const double* v, double* tau)
{
  const failing* f = context;
  (void)q, (void)v;
  if (t <= f->after) return LIMB_OK;
  tau[0] += f->value;
  return f->status;
}

static limb_status fails_wrench(void* context, double t, const double* q, const double* v,
                                limb_wrench* wrench)
{
  double x[1] = {0};
  const limb_status s = fails(context, t, q, v, x);
  *wrench = (limb_wrench){1, LIMB_WORLD, {{0, 0, x[0]}, {0, 0, 0}}};
  return s;
}

static limb_status fails_motion(void* context, double t, double* q, double* v, double* a)
{
  const failing* f = context;
  q[1] = v[1] = a[1] = 0;
  if (t <= f->after) return LIMB_OK;
  a[1] = f->value;
  return f->status;
}

// Which of the callbacks fails, and how. The last good state is kept, and a sentence says what happened.
static void fail_once(limb_sim_method method, int which, const failing* how, limb_status want)
{
  const unsigned char given[2] = {0, 1};
  stage from = stage_make("planar_2r");
  limb_sim_options o = options_of(&from, method);
  failing f = *how;
  limb_sim_event e;
  from.q[1] = from.v[1] = 0;
  limb_sim* sim = run_create(&from, &o);
  const limb_sim_force force = {.force = fails, .context = &f};
  if (which == 0) assert_ok(limb_sim_add_force(sim, &force));
  if (which == 1) assert_ok(limb_sim_add_wrenches(sim, 1, fails_wrench, &f, NULL));
  if (which == 2) assert_ok(limb_sim_set_motion(sim, given, fails_motion, &f, NULL));
  run_start(sim, &from);
  assert_status(limb_sim_advance(sim, 0.2, &e), want);
  check_at("%s, callback %d: %s", limb_sim_method_name(method), which, limb_sim_error(sim));
  assert_that(strlen(limb_sim_error(sim)) > 10);
  f.after = 1; // it recovers
  const limb_sim_state now = run_now(sim);
  assert_that(now.time <= 0.1 && now.time > 0.05);
  for (int k = 0; k < 2; k++)
    assert_that(isfinite(now.q[k]) && isfinite(now.v[k]) && isfinite(now.a[k]));
  run_to(sim, 0.2);
  assert_that(limb_sim_error(sim)[0] == 0);
  limb_sim_destroy(sim);
  limb_model_destroy(from.m);
}

START_TEST(callbacks_fail)
{
  const limb_sim_method method = methods[_i];
  if (!limb_sim_has_method(method)) return;
  const failing status = {0.1, 0, LIMB_E_IO}, no_number = {0.1, nan(""), LIMB_OK},
                infinite = {0.1, HUGE_VAL, LIMB_OK};
  for (int which = 0; which < 3; which++) {
    check_at("%s, callback %d", limb_sim_method_name(method), which);
    fail_once(method, which, &status, LIMB_E_IO);
    fail_once(method, which, &no_number, LIMB_E_NONFINITE);
    fail_once(method, which, &infinite, LIMB_E_NONFINITE);
  }
}
END_TEST

CHECK_MAIN("sim/inputs", METHODS, forces_add_up, samples_are_held, samples_of_all_methods,
           breaks_keep_the_order, breaks_with_events, wrenches_are_forces, motion_of_a_tree,
           motion_of_a_crank, callbacks_fail)
