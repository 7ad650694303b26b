// Adaptive methods (SUNDIALS): against each other and a run of short fixed steps, errors that follow the
// tolerance, times that are reached exactly, jumps and events on the way.
#include "sim/runs.h"

static const limb_sim_method adaptive[] = {LIMB_SIM_ERK, LIMB_SIM_ADAMS, LIMB_SIM_BDF, LIMB_SIM_IDA};

enum { METHODS = sizeof adaptive / sizeof adaptive[0] };

typedef struct scene {
  const char* name;
  double duration;
  int steps; // of the run that is compared with
} scene;

static const scene scenes[] = {
  {"planar_2r", 1, 4000},    {"panda", 0.3, 4000},    {"quadruped", 0.3, 2000},    {"elastic_arm", 0.03, 40000},
  {"two_roots", 0.1, 2000},  {"hand", 0.05, 4000},    {"tree_9", 0.2, 2000},       {"four_bar", 0.4, 4000},
  {"five_bar", 0.3, 4000},   {"bennett", 0.5, 1000},  {"rolling_disc", 0.5, 2000}, {"sled", 0.5, 1000},
  {"diff_drive", 0.5, 1000}, {"floating", 0.4, 2000}, {"gough_stewart", 0.2, 500}, {"driven_arm", 0.3, 2000},
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

// Its beginning only under a sanitizer.
static scene scene_of(int i)
{
  scene s = scenes[i];
  if (CHECK_SANITIZED) s.duration /= 5, s.steps /= 5;
  return s;
}

static limb_sim_options tight(const stage* at, limb_sim_method method, double relative)
{
  limb_sim_options o = run_options(at, method);
  o.relative = relative, o.absolute = relative / 10, o.step = 0;
  return o;
}

static void exact_run(const stage* from, const scene* s, stage* to)
{
  limb_sim_options o = run_options(from, LIMB_SIM_RK4);
  o.step = s->duration / s->steps;
  run_end(run_create(from, &o), from, s->duration, to);
}

// ---- all agree -------------------------------------------------------------------------------------------

static double error_of(const stage* from, const stage* exact, const limb_sim_options* o, double duration)
{
  stage end;
  run_end(run_create(from, o), from, duration, &end);
  return stage_distance(exact, &end);
}

START_TEST(all_methods_agree)
{
  static const double tolerance[] = {1e-6, 1e-8, 1e-10};
  const scene s = scene_of(_i);
  stage from = stage_make(s.name), exact;
  exact_run(&from, &s, &exact);
  for (int k = 0; k < METHODS; k++) {
    if (!limb_sim_has_method(adaptive[k])) continue;
    double error[3];
    for (int i = 0; i < 3; i++) {
      const limb_sim_options o = tight(&from, adaptive[k], tolerance[i]);
      check_at("%s, %s, tolerance %g", s.name, limb_sim_method_name(adaptive[k]), tolerance[i]);
      error[i] = error_of(&from, &exact, &o, s.duration);
    }
    check_at("%s, %s: errors %.2g %.2g %.2g", s.name, limb_sim_method_name(adaptive[k]), error[0], error[1], error[2]);
    assert_that(error[0] < 5e-3 && error[1] < 2e-4 && error[2] < 5e-7);
    assert_that(error[2] < 0.05 * error[0] || error[2] < 10 * tolerance[2]);
  }
  limb_model_destroy(from.m);
}
END_TEST

// Tables of all orders do what the tolerance says, and higher orders need fewer steps where it is tight.
// (A table that was taken for one whose last stage is the first of the next step would be of order 1.)
START_TEST(orders_of_tables)
{
  static const int orders[] = {2, 3, 4, 5, 6};
  if (_i || !limb_sim_has_method(LIMB_SIM_ERK)) return;
  stage from = stage_make("planar_2r"), exact;
  const scene s = {"planar_2r", CHECK_EFFORT(0.1, 1, 1), CHECK_EFFORT(800, 8000, 8000)};
  exact_run(&from, &s, &exact);
  uint64_t before = UINT64_MAX;
  for (int k = 0; k < 5; k++) {
    uint64_t steps[2];
    for (int i = 0; i < 2; i++) {
      limb_sim_options o = tight(&from, LIMB_SIM_ERK, i ? 1e-11 : 1e-8);
      o.order = orders[k];
      stage end = from;
      limb_sim* sim = run_create(&from, &o);
      run_start(sim, &from);
      run_to(sim, s.duration);
      run_state(sim, &end);
      steps[i] = run_summary(sim).steps;
      limb_sim_destroy(sim);
      const double error = stage_distance(&exact, &end);
      check_at("order %d, tolerance %g: error %.2g, %llu steps", orders[k], o.relative, error,
               (unsigned long long)steps[i]);
      assert_that(error < 300 * o.relative);
    }
    // Steps are as long as the root of the tolerance: that of order p, or of p + 1 when errors are
    // extrapolated.
    const double ratio = log((double)steps[1] / (double)steps[0]) / log(1e3);
    assert_that(ratio < 1.25 / orders[k] && ratio > 0.5 / (orders[k] + 1));
    assert_that(steps[1] < before);
    before = steps[1];
  }
  limb_model_destroy(from.m);
}
END_TEST

// ---- on the way ------------------------------------------------------------------------------------------

// Times are reached bit for bit, and looking more often hardly changes the way.
START_TEST(times_are_reached)
{
  const scene s = scene_of(_i);
  stage from = stage_make(s.name), once, often = from;
  for (int k = 0; k < METHODS; k++) {
    if (!limb_sim_has_method(adaptive[k])) continue;
    const limb_sim_options o = tight(&from, adaptive[k], 1e-9);
    check_at("%s, %s", s.name, limb_sim_method_name(adaptive[k]));
    run_end(run_create(&from, &o), &from, s.duration, &once);
    limb_sim* sim = run_create(&from, &o);
    run_start(sim, &from);
    for (int i = 1; i <= 50; i++) {
      const double t = i == 50 ? s.duration : s.duration * i / 50.0 * (1 - 1e-3 * sin(i));
      run_to(sim, t);
      assert_that(run_now(sim).time == t);
      run_to(sim, t); // again: nothing to do
    }
    run_state(sim, &often);
    limb_sim_destroy(sim);
    assert_that(stage_distance(&once, &often) < 5e-6);
  }
  limb_model_destroy(from.m);
}
END_TEST

// ---- jumps -----------------------------------------------------------------------------------------------

// Pushes one way, then the other.
static const double turn = 0.0873;

static limb_status bang(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  tau[0] += t < turn ? 20 : -30;
  return LIMB_OK;
}

static double turns(void* context, double t)
{
  (void)context;
  return t < turn ? turn : HUGE_VAL;
}

// A break is met exactly: two runs, one on each side of it, give the same.
START_TEST(jumps_are_met)
{
  const char* name = (const char* const[]){"planar_2r", "four_bar"}[_i % 2];
  if (_i > 1) return;
  stage from = stage_make(name), exact, end;
  limb_sim_options o = run_options(&from, LIMB_SIM_RK4);
  const limb_sim_force f = {.force = bang, .next_break = turns};
  o.step = 1e-4;
  for (int k = -1; k < METHODS; k++) {
    if (k >= 0) {
      if (!limb_sim_has_method(adaptive[k])) continue;
      o = tight(&from, adaptive[k], 1e-10);
    }
    limb_sim* sim = run_create(&from, &o);
    assert_ok(limb_sim_add_force(sim, &f));
    check_at("%s, %s", name, limb_sim_method_name(o.method));
    run_start(sim, &from);
    run_to(sim, 0.2);
    end = from;
    run_state(sim, &end);
    if (k < 0) exact = end;
    assert_that(k < 0 || run_summary(sim).restarts >= 1);
    limb_sim_destroy(sim);
    assert_that(stage_distance(&exact, &end) < 2e-7);
  }
  limb_model_destroy(from.m);
}
END_TEST

static double passes(void* context, const limb_sim_state* at) { return sin(3 * at->q[0]) - *(const double*)context; }

// Events of a condition come at the same times for all methods, and going on after them changes nothing.
START_TEST(events_on_the_way)
{
  const scene* s = &scenes[_i];
  enum { MOST_EVENTS = 20 };
  double level = 0.1, times[MOST_EVENTS] = {0};
  stage from = stage_make(s->name);
  int events = -1;
  for (int k = -1; k < METHODS; k++) {
    limb_sim_options o = run_options(&from, LIMB_SIM_RK4);
    o.step = s->duration / s->steps * 2;
    if (k >= 0) {
      if (!limb_sim_has_method(adaptive[k])) continue;
      o = tight(&from, adaptive[k], 1e-11), o.max_step = s->duration / 50;
    }
    limb_sim* sim = run_create(&from, &o);
    const limb_sim_condition c = {.value = passes, .context = &level};
    assert_ok(limb_sim_add_condition(sim, &c, NULL));
    run_start(sim, &from);
    limb_sim_event e = {.kind = LIMB_EVENT_CONDITION};
    int n = 0;
    for (; n < MOST_EVENTS; n++) {
      check_at("%s, %s, event %d", s->name, limb_sim_method_name(o.method), n);
      assert_ok(limb_sim_advance(sim, s->duration, &e));
      if (e.kind == LIMB_EVENT_NONE) break;
      assert_that(e.kind == LIMB_EVENT_CONDITION && e.condition == 0 && fabs(e.before) < 1e-9);
      if (k < 0) times[n] = e.time;
      assert_close(e.time, times[n], 0, 2e-7);
    }
    if (k < 0) events = n;
    assert_that(n == events);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(from.m);
}
END_TEST

static double never(void* context, const limb_sim_state* at)
{
  ++*(int*)context;
  return at->time < 0 ? -1 : 1;
}

// A function that is polled costs no evaluations: samples within a step of ARKODE do, twelve at order 6.
START_TEST(polling_is_free)
{
  enum { NONE, POLLED, WATCHED };
  if (_i > 0) return; // one robot is enough
  stage from = stage_make("planar_2r");
  for (int k = 0; k < METHODS; k++) {
    if (!limb_sim_has_method(adaptive[k])) continue;
    uint64_t evaluations[3];
    for (int way = NONE; way <= WATCHED; way++) {
      const limb_sim_options o = tight(&from, adaptive[k], 1e-9);
      limb_sim* sim = run_create(&from, &o);
      int calls = 0;
      const limb_sim_condition c = {.value = never, .context = &calls, .polled = way == POLLED};
      if (way != NONE) assert_ok(limb_sim_add_condition(sim, &c, NULL));
      run_start(sim, &from);
      run_to(sim, 0.5);
      limb_sim_summary sum;
      assert_ok(limb_sim_summary_of(sim, &sum));
      evaluations[way] = sum.evaluations;
      check_at("%s: %d calls", limb_sim_method_name(o.method), calls);
      if (way == POLLED) assert_that((uint64_t)calls >= sum.steps && (uint64_t)calls <= sum.steps + 2);
      limb_sim_destroy(sim);
    }
    assert_that(evaluations[POLLED] == evaluations[NONE]);
    if (adaptive[k] == LIMB_SIM_ERK) assert_that(evaluations[WATCHED] > 2 * evaluations[NONE]);
  }
  limb_model_destroy(from.m);
}
END_TEST

CHECK_MAIN("sim/adaptive", SCENES, all_methods_agree, orders_of_tables, times_are_reached, jumps_are_met,
           events_on_the_way, polling_is_free)
