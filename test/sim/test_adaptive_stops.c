// Adaptive methods (SUNDIALS) where they are easily wrong: forces of time only, late times, a start past an
// old break, steps that are long where something is watched, work of motion that is given.
#include "sim/runs.h"
#include "sim/slides.h"

#include <stdbool.h>

static const limb_sim_method adaptive[] = {LIMB_SIM_ERK, LIMB_SIM_ADAMS, LIMB_SIM_BDF, LIMB_SIM_IDA};

enum { METHODS = sizeof adaptive / sizeof adaptive[0] };

static const slide mass = {.type = LIMB_PRISMATIC, .mass = 1, .inertia = 0.1, .length = 1};

static limb_sim_options with_method(const limb_model* m, limb_sim_method method)
{
  limb_sim_options o = limb_default_sim_options(m);
  o.method = method;
  return o;
}

// ---- forces of time --------------------------------------------------------------------------------------

// Of a mass of 1 that is at rest at first.
typedef struct course {
  const char* name;
  double (*force)(double t);
  double (*place)(double t);
} course;

static double slow_force(double t) { return cos(5 * t); }
static double slow_place(double t) { return (1 - cos(5 * t)) / 25; }
static double fast_force(double t) { return cos(50 * t); }
static double fast_place(double t) { return (1 - cos(50 * t)) / 2500; }
static double even_force(double t) { return 3 - 2 * t; }
static double even_place(double t) { return 1.5 * t * t - t * t * t / 3; }
static double steep_force(double t) { return 90 * pow(t / 10, 8); }
static double steep_place(double t) { return 100 * pow(t / 10, 10); }

static const course courses[] = {{"cos 5 t", slow_force, slow_place},
                                 {"cos 50 t", fast_force, fast_place},
                                 {"a line", even_force, even_place},
                                 {"t^8", steep_force, steep_place}};

enum { COURSES = sizeof courses / sizeof courses[0] };

static limb_status push(void* context, double t, const double* q, const double* v, double* tau)
{
  const course* c = context;
  (void)q, (void)v;
  tau[0] += c->force(t);
  return LIMB_OK;
}

static limb_status pull(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  const course* c = context;
  (void)q, (void)v;
  *wrench = (limb_wrench){1, LIMB_ALIGNED, {{0, 0, 0}, {c->force(t), 0, 0}}};
  return LIMB_OK;
}

// After 10 s, against the exact course.
static void follow(const course* c, const limb_model* m, const limb_sim_options* o)
{
  course own = *c;
  const limb_sim_force f = {.force = push, .context = &own};
  const double q[7] = {[6] = 1};
  const bool slides = limb_nq(m) == 1;
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, o, NULL, &sim, NULL));
  if (slides)
    assert_ok(limb_sim_add_force(sim, &f));
  else
    assert_ok(limb_sim_add_wrenches(sim, 1, pull, &own, NULL));
  assert_ok(limb_sim_start(sim, 0, slides ? (const double[]){0} : q, NULL, NULL));
  slides_quiet(sim, 10);
  check_at("%s, %s of order %d, tolerance %g", c->name, limb_sim_method_name(o->method), o->order, o->relative);
  assert_close(slides_now(sim).q[0], c->place(10), 0, 2000 * o->relative * fmax(1, fabs(c->place(10))));
  limb_sim_destroy(sim);
}

static limb_model* free_body(void)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_body_def body = limb_default_body_def("body");
  const limb_joint_def joint = limb_default_joint_def("joint", LIMB_FREE, 0, 1);
  body.inertia.mass = 1, body.inertia.xx = body.inertia.yy = body.inertia.zz = 0.1;
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_set_gravity(b, sp_v3(0, 0, 0)));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

// Estimates of errors of some tables vanish when accelerations are functions of time only.
START_TEST(forces_of_time)
{
  static const double tolerance[] = {1e-5, 1e-8};
  limb_model* const m[] = {slides_build(1, &mass, 0, 0), free_body()};
  for (int i = 0; i < 2 * COURSES && limb_sim_has_method(adaptive[_i]); i++) {
    for (int k = 0; k < 2; k++) {
      limb_sim_options o = with_method(m[i % 2], adaptive[_i]);
      o.relative = tolerance[k], o.absolute = tolerance[k] / 100;
      for (o.order = 0; o.order <= 8; o.order++) {
        if (o.order && (o.order < 3 || adaptive[_i] != LIMB_SIM_ERK)) continue;
        follow(&courses[i / 2], m[i % 2], &o);
      }
    }
  }
  limb_model_destroy(m[0]);
  limb_model_destroy(m[1]);
}
END_TEST

// ---- times -----------------------------------------------------------------------------------------------

// What does not depend on time goes the same way at any time.
START_TEST(late_times)
{
  if (!limb_sim_has_method(adaptive[_i])) return;
  const char* const names[] = {"planar_2r", "four_bar", "floating"};
  for (int i = 0; i < 3; i++) {
    stage from = stage_make(names[i]), early = from, late = from;
    for (double t = 0; t <= 1e10; t = t == 0 ? 1e4 : 1000 * t) {
      const limb_sim_options o = run_options(&from, adaptive[_i]);
      limb_sim* sim = run_create(&from, &o);
      check_at("%s, %s from %g s", names[i], limb_sim_method_name(adaptive[_i]), t);
      assert_ok(limb_sim_start(sim, t, from.q, from.v, NULL));
      run_to(sim, t + 0.25);
      run_to(sim, t + 0.5);
      run_state(sim, t == 0 ? &early : &late);
      limb_sim_destroy(sim);
      if (t > 0) assert_that(stage_distance(&early, &late) < 1e-5);
    }
    limb_model_destroy(from.m);
  }
}
END_TEST

static limb_status jump(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  tau[0] += t < 1 ? 1 : 2;
  return LIMB_OK;
}

static double jumps(void* context, double t)
{
  (void)context;
  return t < 1 ? 1 : HUGE_VAL;
}

// Started again behind a break that was never reached: as if it had been the first start.
START_TEST(start_past_a_break)
{
  if (!limb_sim_has_method(adaptive[_i])) return;
  stage from = stage_make("planar_2r"), end[2] = {from, from};
  const limb_sim_options o = run_options(&from, adaptive[_i]);
  const limb_sim_force f = {.force = jump, .next_break = jumps};
  for (int again = 0; again < 2; again++) {
    limb_sim* sim = run_create(&from, &o);
    assert_ok(limb_sim_add_force(sim, &f));
    if (again) {
      run_start(sim, &from);
      run_to(sim, 0.5);
    }
    assert_ok(limb_sim_start(sim, 2, from.q, from.v, NULL));
    run_to(sim, 3);
    run_state(sim, &end[again]);
    limb_sim_destroy(sim);
  }
  assert_that(stage_distance(&end[0], &end[1]) == 0);
  limb_model_destroy(from.m);
}
END_TEST

START_TEST(iterations_are_counted)
{
  if (!limb_sim_has_method(adaptive[_i])) return;
  stage from = stage_make("planar_2r");
  const limb_sim_options o = run_options(&from, adaptive[_i]);
  limb_sim* sim = run_create(&from, &o);
  run_start(sim, &from);
  run_to(sim, 0.5);
  const limb_sim_summary x = run_summary(sim);
  if (adaptive[_i] == LIMB_SIM_ERK)
    assert_that(x.iterations == 0);
  else
    assert_that(x.iterations >= x.steps && x.iterations < 10 * x.steps);
  limb_sim_destroy(sim);
  limb_model_destroy(from.m);
}
END_TEST

// ---- what happens inside long steps ----------------------------------------------------------------------

static double height(void* context, const limb_sim_state* at) { return at->q[0] - *(const double*)context; }

// Thrown up, q = 10 t - 5 t^2: heights are passed twice, in one step or not; so is the ground, where it
// begins.
START_TEST(thrown_up)
{
  static const double heights[] = {0, 1, 4.5, 4.99, 4.9999};
  if (!limb_sim_has_method(adaptive[_i])) return;
  limb_model* m = slides_build(1, &mass, -10, 0);
  for (int i = 0; i < 5; i++) {
    for (int direction = -1; direction <= 1; direction++) {
      double h = heights[i];
      const double half = sqrt(1 - h / 5);
      const limb_sim_condition c = {.value = height, .context = &h, .direction = direction};
      const limb_sim_options o = with_method(m, adaptive[_i]);
      limb_sim* sim = NULL;
      limb_sim_event e;
      assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
      assert_ok(limb_sim_add_condition(sim, &c, NULL));
      assert_ok(limb_sim_start(sim, 0, (const double[]){0}, (const double[]){10}, NULL));
      check_at("%s, height %g, direction %d", limb_sim_method_name(o.method), h, direction);
      for (int side = h > 0 ? -1 : 1; side <= 1; side += 2) {
        if (side * direction > 0) continue;
        assert_ok(limb_sim_advance(sim, 20, &e));
        assert_that(e.kind == LIMB_EVENT_CONDITION);
        assert_close(e.time, 1 + side * half, 0, 3e-7 / half);
      }
      slides_quiet(sim, 20);
      limb_sim_destroy(sim);
    }
  }
  limb_model_destroy(m);
}
END_TEST

static double passed(void* context, const limb_sim_state* at)
{
  return at->time < *(const double*)context ? -1e-6 : 1e6;
}

// A condition that jumps inside a step of days.
START_TEST(jump_in_a_long_step)
{
  if (!limb_sim_has_method(adaptive[_i])) return;
  limb_model* m = slides_build(1, &mass, 0, 0);
  for (double when = 1e-3; when < 1e6; when *= 37) {
    limb_sim* sim = NULL;
    limb_sim_event e;
    const limb_sim_condition c = {.value = passed, .context = &when};
    const limb_sim_options o = with_method(m, adaptive[_i]);
    assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
    assert_ok(limb_sim_add_condition(sim, &c, NULL));
    assert_ok(limb_sim_start(sim, 0, (const double[]){0}, (const double[]){1}, NULL));
    assert_ok(limb_sim_advance(sim, 1e6, &e));
    check_at("%s, jump at %g s: %g s", limb_sim_method_name(o.method), when, e.time);
    assert_that(e.kind == LIMB_EVENT_CONDITION);
    assert_close(e.time, when, 0, 1e-12 * fmax(1, when));
    slides_quiet(sim, 1e6);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- work ------------------------------------------------------------------------------------------------

static limb_status drive(void* context, double t, double* q, double* v, double* a)
{
  const stage* at = context;
  q[0] = at->q[0] + at->v[0] * t + 0.3 * (1 - cos(3 * t));
  v[0] = at->v[0] + 0.9 * sin(3 * t), a[0] = 2.7 * cos(3 * t);
  return LIMB_OK;
}

// The crank of a linkage is turned: all that moves is given, and work is what that took, whenever one looks,
// with tolerances as they come.
START_TEST(work_of_a_driven_linkage)
{
  if (!limb_sim_has_method(adaptive[_i])) return;
  stage from = stage_make("four_bar");
  limb_sim_options o = run_options(&from, adaptive[_i]);
  const unsigned char given[RUN_MOST] = {1};
  double most = 0;
  o.work = 1;
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_set_motion(sim, given, drive, &from, NULL));
  run_start(sim, &from);
  for (int k = 1; k <= 100; k++) {
    run_to(sim, 0.02 * k);
    const limb_sim_summary x = run_summary(sim);
    most = fmax(most, fabs(x.work));
    check_at("%s: work %.9g", limb_sim_method_name(o.method), x.work);
    assert_close(x.energy - x.energy_start, x.work, 0, 1e-6 * (1 + most));
  }
  assert_that(most > 0.1);
  limb_sim_destroy(sim);
  limb_model_destroy(from.m);
}
END_TEST

CHECK_MAIN("sim/adaptive_stops", METHODS, forces_of_time, late_times, start_past_a_break, iterations_are_counted,
           thrown_up, jump_in_a_long_step, work_of_a_driven_linkage)
