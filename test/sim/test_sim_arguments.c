// Bad input to a simulation: nothing is taken for granted, statuses say what was wrong, the last good
// state stays.
#include "sim/runs.h"
#include "sim/slides.h"

static limb_status no_force(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)t, (void)q, (void)v, (void)tau;
  return LIMB_OK;
}

static limb_status no_wrench(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  (void)context, (void)t, (void)q, (void)v;
  *wrench = (limb_wrench){1, LIMB_WORLD, {{0, 0, 0}, {0, 0, 0}}};
  return LIMB_OK;
}

static limb_status still(void* context, double t, double* q, double* v, double* a)
{
  (void)context, (void)t;
  q[0] = v[0] = a[0] = 0;
  return LIMB_OK;
}

static double height(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->q[0] - 0.1;
}

static double not_a_number(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->time > 0.1 ? nan("") : 1;
}

// ---- NULL and order --------------------------------------------------------------------------------------

START_TEST(null)
{
  stage at = stage_make("planar_2r");
  limb_sim* sim = NULL;
  limb_sim_state now;
  limb_sim_summary summary;
  limb_sim_event e;
  limb_error err = {0};
  const limb_allocator half = {NULL, NULL, NULL};
  const limb_sim_force none = {0}, f = {.force = no_force};
  const limb_sim_condition nothing = {0}, c = {.value = height}, wrong = {.value = height, .direction = 2};
  const unsigned char given[2] = {1, 0}, strange[2] = {1, 7};
  assert_status(limb_sim_create(NULL, NULL, NULL, &sim, &err), LIMB_E_ARG);
  assert_that(!sim && err.text[0]);
  assert_status(limb_sim_create(at.m, NULL, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_sim_create(at.m, NULL, &half, &sim, NULL), LIMB_E_ARG);
  assert_ok(limb_sim_create(at.m, NULL, NULL, &sim, NULL));
  assert_that(limb_sim_model(sim) == at.m && !limb_sim_model(NULL));
  assert_that(limb_sim_error(sim)[0] == 0 && limb_sim_error(NULL)[0] == 0);
  assert_status(limb_sim_advance(sim, 1, &e), LIMB_E_ORDER);
  assert_status(limb_sim_advance(NULL, 1, &e), LIMB_E_ARG);
  assert_status(limb_sim_advance(NULL, 1, NULL), LIMB_E_ARG);
  assert_status(limb_sim_now(sim, &now), LIMB_E_ORDER);
  assert_status(limb_sim_now(NULL, &now), LIMB_E_ARG);
  assert_status(limb_sim_summary_of(sim, &summary), LIMB_E_ORDER);
  assert_status(limb_sim_summary_of(NULL, &summary), LIMB_E_ARG);
  assert_status(limb_sim_add_force(NULL, &f), LIMB_E_ARG);
  assert_status(limb_sim_add_force(sim, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_force(sim, &none), LIMB_E_ARG);
  assert_status(limb_sim_add_wrenches(NULL, 1, no_wrench, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_wrenches(sim, 0, no_wrench, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_wrenches(sim, -1, no_wrench, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_wrenches(sim, 1, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_set_motion(NULL, given, still, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_set_motion(sim, NULL, still, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_set_motion(sim, given, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_set_motion(sim, strange, still, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_condition(NULL, &c, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_condition(sim, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_condition(sim, &nothing, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_condition(sim, &wrong, NULL), LIMB_E_ARG);
  assert_status(limb_sim_start(NULL, 0, at.q, at.v, &err), LIMB_E_ARG);
  assert_status(limb_sim_start(sim, 0, NULL, at.v, &err), LIMB_E_ARG);
  assert_ok(limb_sim_start(sim, 0, at.q, NULL, NULL));
  assert_status(limb_sim_now(sim, NULL), LIMB_E_ARG);
  assert_status(limb_sim_summary_of(sim, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_force(sim, &f), LIMB_E_ORDER);
  assert_status(limb_sim_add_wrenches(sim, 1, no_wrench, NULL, NULL), LIMB_E_ORDER);
  assert_status(limb_sim_set_motion(sim, given, still, NULL, NULL), LIMB_E_ORDER);
  assert_status(limb_sim_add_condition(sim, &c, NULL), LIMB_E_ORDER);
  assert_ok(limb_sim_advance(sim, 0.1, NULL));
  limb_sim_destroy(sim);
  limb_sim_destroy(NULL);
  limb_model_destroy(at.m);
}
END_TEST

START_TEST(names)
{
  for (int k = 0; k <= 9; k++) {
    const limb_sim_method method = (limb_sim_method)k;
    assert_that(limb_sim_method_name(method) && limb_sim_method_meaning(method));
    assert_that(k < 6 ? limb_sim_has_method(method) : limb_sim_has_method(method) == LIMB_HAVE_SUNDIALS);
  }
  for (int k = -1; k <= 10; k += 11) {
    const limb_sim_method method = (limb_sim_method)k;
    assert_that(!limb_sim_method_name(method) && !limb_sim_method_meaning(method));
    assert_that(!limb_sim_has_method(method) && !limb_sim_method_order(method));
  }
  assert_that(limb_event_kind_name(LIMB_EVENT_SINGULAR) && !limb_event_kind_name((limb_event_kind)8));
  assert_that(!limb_event_kind_name((limb_event_kind)-1));
}
END_TEST

// ---- options ----------------------------------------------------------------------------------------

#define WRONG(field, value)                                                 \
  do {                                                                      \
    limb_sim_options o = limb_default_sim_options(at.m);                    \
    o.field = (value);                                                      \
    err.text[0] = 0;                                                        \
    check_at(#field " = " #value);                                          \
    assert_status(limb_sim_create(at.m, &o, NULL, &sim, &err), LIMB_E_ARG); \
    assert_that(!sim && err.text[0]);                                       \
  } while (0)

START_TEST(options)
{
  stage at = stage_make("planar_2r");
  limb_sim* sim = NULL;
  limb_error err = {0};
  WRONG(size, 3);
  WRONG(method, (limb_sim_method)-1);
  WRONG(method, (limb_sim_method)10);
  WRONG(step, -1);
  WRONG(step, nan(""));
  WRONG(step, HUGE_VAL);
  WRONG(relative, 0);
  WRONG(relative, 2);
  WRONG(relative, nan(""));
  WRONG(absolute, 0);
  WRONG(absolute, -1);
  WRONG(absolute, nan(""));
  WRONG(max_step, -1);
  WRONG(max_step, nan(""));
  WRONG(order, -1);
  WRONG(stiction, (limb_stiction)2);
  WRONG(stop, (limb_stop)5);
  WRONG(stop, (limb_stop)-1);
  WRONG(restitution, 1.5);
  WRONG(restitution, nan(""));
  WRONG(stop_stiffness, 0);
  WRONG(stop_stiffness, HUGE_VAL);
  WRONG(stop_damping, -1);
  WRONG(stop_damping, nan(""));
  WRONG(project, -1);
  WRONG(project, nan(""));
  WRONG(condition, -1);
  WRONG(condition, nan(""));
  limb_sim_options o = limb_default_sim_options(at.m);
  o.method = LIMB_SIM_RK4, o.step = 0;
  assert_status(limb_sim_create(at.m, &o, NULL, &sim, &err), LIMB_E_ARG);
  o = limb_default_sim_options(at.m);
  o.work = 1, o.env.base_velocity.w.x = 1;
  assert_status(limb_sim_create(at.m, &o, NULL, &sim, &err), LIMB_E_ARG);
  limb_model_destroy(at.m);
}
END_TEST

START_TEST(sources)
{
  stage at = stage_make("quadruped");
  const limb_sim_options o = limb_default_sim_options(at.m);
  limb_sim* sim = run_create(&at, &o);
  unsigned char given[RUN_MOST] = {0};
  static const double wrong[][2] = {{-1, 0}, {0, 1}, {1, -1}, {1e-6, 1}, {HUGE_VAL, 0}, {1, HUGE_VAL}};
  for (int k = 0; k < 6; k++) {
    const limb_sim_force f = {.force = no_force, .period = wrong[k][0], .delay = wrong[k][1]};
    check_at("period %g, delay %g", f.period, f.delay);
    assert_status(limb_sim_add_force(sim, &f), LIMB_E_ARG);
  }
  const limb_sim_force f = {.force = no_force, .period = nan("")};
  assert_status(limb_sim_add_force(sim, &f), LIMB_E_ARG);
  given[2] = 1; // one component of the free joint
  assert_status(limb_sim_set_motion(sim, given, still, NULL, NULL), LIMB_E_UNSUPPORTED);
  given[2] = 0;
  assert_ok(limb_sim_set_motion(sim, given, still, NULL, NULL));
  assert_status(limb_sim_set_motion(sim, given, still, NULL, NULL), LIMB_E_ORDER);
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}
END_TEST

// ---- starts and ends -------------------------------------------------------------------------------------

START_TEST(not_finite)
{
  stage at = stage_make("planar_2r");
  const limb_sim_options o = limb_default_sim_options(at.m);
  limb_sim* sim = run_create(&at, &o);
  limb_sim_event e;
  limb_error err = {0};
  const double bad[] = {nan(""), HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 3; k++) {
    stage wrong = at;
    wrong.q[1] = bad[k];
    assert_status(limb_sim_start(sim, 0, wrong.q, at.v, &err), LIMB_E_NONFINITE);
    wrong.v[0] = bad[k];
    assert_status(limb_sim_start(sim, 0, at.q, wrong.v, &err), LIMB_E_NONFINITE);
    assert_status(limb_sim_start(sim, bad[k], at.q, at.v, &err), LIMB_E_NONFINITE);
    assert_status(limb_sim_advance(sim, 1, &e), LIMB_E_ORDER);
    run_start(sim, &at);
    assert_status(limb_sim_advance(sim, bad[k], &e), LIMB_E_ARG);
  }
  run_to(sim, 0.5);
  assert_status(limb_sim_advance(sim, 0.4, &e), LIMB_E_ARG);
  run_to(sim, 0.5);
  assert_that(run_now(sim).time == 0.5);
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}
END_TEST

START_TEST(open_loops)
{
  stage at = stage_make("four_bar"), open = at;
  const limb_sim_options o = limb_default_sim_options(at.m);
  limb_sim* sim = run_create(&at, &o);
  limb_error err = {0};
  limb_loop_info loop;
  assert_ok(limb_get_loop(at.m, 0, &loop));
  open.q[1] += 1e-3;
  assert_status(limb_sim_start(sim, 0, open.q, at.v, &err), LIMB_E_NOCONV);
  assert_that(strstr(err.text, loop.def.name) && strstr(err.text, "open"));
  open = at, open.v[1] += 1e-3, err.text[0] = 0;
  assert_status(limb_sim_start(sim, 0, at.q, open.v, &err), LIMB_E_NOCONV);
  assert_that(strstr(err.text, loop.def.name) != NULL);
  open = at, open.q[1] += 1e-8; // nearly closed is closed
  assert_ok(limb_sim_start(sim, 0, open.q, at.v, &err));
  assert_that(run_summary(sim).position_residual < 1e-12);
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}
END_TEST

// A start that fails leaves a simulation that can be added to and started.
START_TEST(after_a_start_that_failed)
{
  stage at = stage_make("planar_2r");
  const limb_sim_options o = limb_default_sim_options(at.m);
  const limb_sim_condition c = {.value = height};
  const limb_sim_force f = {.force = no_force, .period = 0.01, .delay = 0.1};
  limb_sim* sim = run_create(&at, &o);
  limb_sim_event e;
  const double bad[2] = {nan(""), 0};
  at.q[0] = 0, at.q[1] = 0, at.v[0] = 3, at.v[1] = 0;
  for (int k = 0; k < 20; k++) {
    assert_ok(limb_sim_add_condition(sim, &c, NULL));
    assert_ok(limb_sim_add_wrenches(sim, 3, no_wrench, NULL, NULL));
    assert_ok(limb_sim_add_force(sim, &f));
    run_start(sim, &at);
    assert_ok(limb_sim_advance(sim, 0.5, &e));
    assert_status(limb_sim_start(sim, 0, bad, NULL, NULL), LIMB_E_NONFINITE);
  }
  run_start(sim, &at);
  for (int k = 0; k < 20; k++) {
    assert_ok(limb_sim_advance(sim, 0.5, &e));
    assert_that(e.kind == LIMB_EVENT_CONDITION && e.condition == k);
  }
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}
END_TEST

// ---- runs that go wrong ----------------------------------------------------------------------------------

// A spring far too stiff for the step: the last good state and a sentence are left.
START_TEST(exploding)
{
  const slide part = {.type = LIMB_PRISMATIC, .mass = 1, .stiffness = 1e8};
  stage at = {.m = slides_build(1, &part, 0, 0), .nq = 1, .nv = 1, .q = {0.1}};
  static const limb_sim_method explicit_ones[] = {LIMB_SIM_EULER, LIMB_SIM_SEMI_IMPLICIT, LIMB_SIM_RK4};
  for (int k = 0; k < 3; k++) {
    limb_sim_options o = limb_default_sim_options(at.m);
    limb_sim_event e;
    o.method = explicit_ones[k], o.step = 0.1;
    limb_sim* sim = run_create(&at, &o);
    run_start(sim, &at);
    assert_status(limb_sim_advance(sim, 1e4, &e), LIMB_E_NONFINITE);
    limb_sim_state now;
    const limb_status s = limb_sim_now(sim, &now); // may be too large for accelerations
    check_at("%s: %s, at %g s", limb_sim_method_name(o.method), limb_sim_error(sim), now.time);
    assert_that(s == LIMB_OK || (s == LIMB_E_NONFINITE && !now.a));
    assert_that(limb_sim_error(sim)[0] && now.time > 0 && now.time < 100);
    assert_that(isfinite(now.q[0]) && isfinite(now.v[0]));
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

START_TEST(too_many_steps)
{
  stage at = stage_make("planar_2r");
  for (int k = 0; k < RUN_ALL; k++) {
    limb_sim_options o = limb_default_sim_options(at.m);
    limb_sim_event e;
    if (!limb_sim_has_method(run_methods[k])) continue;
    o.method = run_methods[k], o.max_steps = 7;
    limb_sim* sim = run_create(&at, &o);
    run_start(sim, &at);
    check_at("%s", limb_sim_method_name(o.method));
    assert_status(limb_sim_advance(sim, 100, &e), LIMB_E_NOCONV);
    assert_that(strstr(limb_sim_error(sim), "7 steps"));
    assert_that(run_summary(sim).steps == 7 && run_now(sim).time > 0);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

START_TEST(conditions_that_are_no_numbers)
{
  stage at = stage_make("planar_2r");
  const limb_sim_condition c = {.value = not_a_number};
  for (int k = 0; k < RUN_ALL; k++) {
    limb_sim_options o = limb_default_sim_options(at.m);
    limb_sim_event e;
    if (!limb_sim_has_method(run_methods[k])) continue;
    o.method = run_methods[k];
    limb_sim* sim = run_create(&at, &o);
    assert_ok(limb_sim_add_condition(sim, &c, NULL));
    run_start(sim, &at);
    check_at("%s", limb_sim_method_name(o.method));
    assert_status(limb_sim_advance(sim, 1, &e), LIMB_E_NONFINITE);
    assert_that(limb_sim_error(sim)[0] && run_now(sim).time <= 0.1);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

// A simulation that is over stays where it is; a new start revives it, and repeats it bit for bit.
START_TEST(over_and_again)
{
  stage at = stage_make("planar_2r"), first = at, again = at;
  const limb_sim_condition c = {.value = height, .ends = 1};
  at.q[0] = 0, at.q[1] = 0, at.v[0] = 3, at.v[1] = 0;
  for (int k = 0; k < RUN_ALL; k++) {
    limb_sim_options o = limb_default_sim_options(at.m);
    limb_sim_event e;
    if (!limb_sim_has_method(run_methods[k])) continue;
    o.method = run_methods[k];
    limb_sim* sim = run_create(&at, &o);
    assert_ok(limb_sim_add_condition(sim, &c, NULL));
    for (int pass = 0; pass < 3; pass++) {
      check_at("%s, pass %d", limb_sim_method_name(o.method), pass);
      run_start(sim, &at);
      if (pass == 1) { // left in the middle
        run_to(sim, 0.01);
        continue;
      }
      assert_ok(limb_sim_advance(sim, 2, &e));
      assert_that(e.kind == LIMB_EVENT_CONDITION && e.ends && e.time < 1);
      assert_ok(limb_sim_advance(sim, 2, &e));
      assert_that(e.kind == LIMB_EVENT_NONE && e.ends && run_now(sim).time == e.time);
      run_state(sim, pass ? &again : &first);
    }
    assert_that(!memcmp(first.q, again.q, sizeof again.q) && !memcmp(first.v, again.v, sizeof again.v));
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

// What AUTO stands for depends on the state: another start, another method, and back again to the same bits.
START_TEST(auto_changes_its_mind)
{
  const slide part = {.type = LIMB_PRISMATIC, .mass = 1, .coulomb = 2};
  stage at = {.m = slides_build(1, &part, 1, 0), .nq = 1, .nv = 1}, end[3];
  limb_sim_options o = limb_default_sim_options(at.m);
  limb_sim_summary summary[3];
  o.stiction = LIMB_STICTION_SMOOTH, o.env.coulomb_width = 1e-5;
  limb_sim* sim = run_create(&at, &o);
  for (int k = 0; k < 3; k++) {
    at.v[0] = k == 1 ? 5 : 0; // friction is stiff about rest only
    run_start(sim, &at);
    run_to(sim, 0.1);
    end[k] = at;
    run_state(sim, &end[k]);
    summary[k] = run_summary(sim);
  }
  check_at("%s and %s", limb_sim_method_name(summary[0].method), limb_sim_method_name(summary[1].method));
  assert_that(summary[0].method != summary[1].method && summary[0].method == summary[2].method);
  assert_that(summary[0].steps == summary[2].steps && end[0].v[0] == end[2].v[0]);
  assert_close(end[1].v[0], 5 - 0.1, 1e-6, 0);
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}
END_TEST

CHECK_MAIN("sim/arguments", 1, null, names, options, sources, not_finite, open_loops, after_a_start_that_failed,
           exploding, too_many_steps, conditions_that_are_no_numbers, over_and_again, auto_changes_its_mind)
