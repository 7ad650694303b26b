// Motion that is given on some joints, on trees and loops; callbacks that fail.
#include "loops/closed.h"
#include "sim/runs.h"

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
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_has_method(method)) return;
  stage from = stage_make("panda"), ends[2];
  limb_data* d = NULL;
  assert_ok(limb_data_create(from.m, NULL, &d));
  for (int pass = 0; pass < 3; pass++) {
    law l = {&from, {0}};
    for (int k = 0; k < 7; k++) l.given[k] = pass == 0 || k == 1 || k == 4;
    const limb_sim_options o = run_finely(&from, pass == 2 ? LIMB_SIM_RK4 : method);
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
  assert_that(stage_distance(&ends[0], &ends[1]) < 10 * run_allowed(method));
  limb_data_destroy(d);
  limb_model_destroy(from.m);
}
END_TEST

// The first joint of a linkage is driven: its torque is that of inverse dynamics, its loop stays closed.
static void drive(const char* name, limb_sim_method method)
{
  stage from = stage_make(name);
  limb_data* w = NULL;
  law l = {&from, {1}};
  assert_ok(limb_data_create(from.m, NULL, &w));
  const limb_sim_options o = run_finely(&from, method);
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_set_motion(sim, l.given, follow, &l, NULL));
  run_start(sim, &from);
  for (int i = 1; i <= 10; i++) {
    double tau[RUN_MOST], lambda[RUN_MOST];
    limb_loop_gap gap;
    check_at("%s, %s, %d", name, limb_sim_method_name(method), i);
    run_to(sim, 0.05 * i);
    const limb_sim_state now = run_now(sim);
    check_law(&l, &now);
    const limb_closed_motion in = {now.q, now.v, now.a, &o.env};
    limb_closed_forces out = {.tau = tau, .lambda = lambda};
    assert_ok(limb_closed_inverse_dynamics(w, &in, NULL, NULL, &out));
    assert_close_array(now.tau, tau, from.nv, 1e-8, 1e-8);
    assert_close_array(now.lambda, lambda, limb_constraint_count(from.m), 1e-8, 1e-8);
    assert_ok(limb_loop_gap_of(w, now.q, now.v, NULL, &gap));
    assert_that(gap.position < 1e-12 && gap.velocity < 1e-12);
  }
  limb_sim_destroy(sim);
  limb_data_destroy(w);
  limb_model_destroy(from.m);
}

START_TEST(motion_of_a_crank)
{
  if (!limb_sim_has_method(run_methods[_i])) return;
  drive("four_bar", run_methods[_i]);
  drive("bennett", run_methods[_i]);
}
END_TEST

// ---- callbacks that fail ----------------------------------------------------------------------------

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

static limb_status fails_wrench(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
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
  q[1] = v[1] = a[1] = f->value;
  return f->status;
}

// Which of the callbacks fails, and how. The last good state is kept, and a sentence says what happened.
static void fail_once(limb_sim_method method, int which, const failing* how, limb_status want)
{
  const unsigned char given[2] = {0, 1};
  stage from = stage_make("planar_2r");
  limb_sim_options o = run_finely(&from, method);
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
  assert_that(now.time < 0.1003 && now.time > 0.05);
  for (int k = 0; k < 2; k++) assert_that(isfinite(now.q[k]) && isfinite(now.v[k]) && isfinite(now.a[k]));
  run_to(sim, 0.2);
  assert_that(limb_sim_error(sim)[0] == 0);
  limb_sim_destroy(sim);
  limb_model_destroy(from.m);
}

START_TEST(callbacks_fail)
{
  const limb_sim_method method = run_methods[_i];
  if (!limb_sim_has_method(method)) return;
  const failing status = {0.1, 0, LIMB_E_IO}, no_number = {0.1, nan(""), LIMB_OK}, infinite = {0.1, HUGE_VAL, LIMB_OK};
  for (int which = 0; which < 3; which++) {
    check_at("%s, callback %d", limb_sim_method_name(method), which);
    fail_once(method, which, &status, LIMB_E_IO);
    fail_once(method, which, &no_number, LIMB_E_NONFINITE);
    fail_once(method, which, &infinite, LIMB_E_NONFINITE);
  }
}
END_TEST

CHECK_MAIN("sim/motion", RUN_METHODS, motion_of_a_tree, motion_of_a_crank, callbacks_fail)
