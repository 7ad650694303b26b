// Events: conditions of the caller's, their order and times, crowds, singularities; with every method.
#include "limb/assemble.h"
#include "sim/slides.h"
#include "support/closed.h"
#include "support/robots_impl.h"

#include <stdbool.h>
#include <string.h>

static const double g = 9.81;

static limb_model* ball(double upper)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 0, 0, 0, 0, upper};
  return slides_build(1, &s, -g, 0);
}

// ---- conditions ------------------------------------------------------------------------------------------

static double place(void* context, const limb_sim_state* at) { return at->q[0] - *(const double*)context; }

static double velocity(void* context, const limb_sim_state* at) { return at->v[0] - *(const double*)context; }

static double acceleration(void* context, const limb_sim_state* at) { return at->a[0] - *(const double*)context; }

static void watch(limb_sim* sim, limb_sim_condition_fn* value, void* context, int direction, int dynamics)
{
  const limb_sim_condition c = {.value = value, .context = context, .direction = direction, .dynamics = dynamics};
  assert_ok(limb_sim_add_condition(sim, &c, NULL));
}

// Heights that a ball passes in one long step, up and down, in order of time.
START_TEST(several_roots_in_one_step)
{
  static const limb_sim_method methods[] = {LIMB_SIM_EULER, LIMB_SIM_RK4,   LIMB_SIM_VARIATIONAL, LIMB_SIM_IMPLICIT,
                                            LIMB_SIM_ERK,   LIMB_SIM_ADAMS, LIMB_SIM_BDF,         LIMB_SIM_IDA};
  limb_model* m = ball(1e6);
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    if (!limb_sim_has_method(methods[k])) continue;
    limb_sim_options o = slides_options(m);
    o.method = methods[k], o.work = 0;
    o.step = methods[k] == LIMB_SIM_EULER ? 1e-5 : 0.25;
    o.relative = 1e-12, o.absolute = 1e-14;
    const double tolerance = methods[k] == LIMB_SIM_EULER ? 1e-4 : 1e-9;
    double heights[4] = {2.1, 1.2, 1.7, 1.7};
    limb_sim* sim = NULL;
    assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
    for (int i = 0; i < 4; i++) watch(sim, place, &heights[i], 0, 0);
    const double v = 6;
    assert_ok(limb_sim_start(sim, 0, (double[]){1}, &v, NULL));
    static const int order[8] = {1, 2, 3, 0, 0, 2, 3, 1};
    for (int i = 0; i < 8; i++) {
      const limb_sim_event e = slides_next(sim, 2, LIMB_EVENT_CONDITION, -1, 0);
      check_at("%s, event %d", limb_sim_method_name(methods[k]), i);
      const double root = sqrt(v * v - 2 * g * (heights[order[i]] - 1));
      assert_that(e.condition == order[i] && !e.ends);
      assert_close(e.time, (v + (i < 4 ? -root : root)) / g, 0, tolerance);
      assert_close(slides_now(sim).q[0], heights[order[i]], 0, 1e-10);
    }
    slides_quiet(sim, 2);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

// A block slides up an incline and sticks; a ball bounces three times: the same times with every method
// that is exact for parabolas.
START_TEST(every_method_has_events)
{
  static const limb_sim_method methods[] = {LIMB_SIM_RK4,   LIMB_SIM_VARIATIONAL, LIMB_SIM_IMPLICIT, LIMB_SIM_ERK,
                                            LIMB_SIM_ADAMS, LIMB_SIM_BDF,         LIMB_SIM_IDA};
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 9, 0, 0, 0, 0};
  limb_model *block = slides_build(1, &s, -4, 0), *m = ball(1e6);
  double worst = 0;
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    if (!limb_sim_has_method(methods[k])) continue;
    limb_sim_options o = slides_options(block);
    o.method = methods[k], o.step = 0.01;
    o.relative = 1e-12, o.absolute = 1e-13;
    limb_sim* sim = slides_start(block, &o, (double[]){0}, (double[]){3});
    worst = fmax(worst, fabs(slides_next(sim, 2, LIMB_EVENT_STICK, 0, 1).time - 3 / 8.5));
    slides_quiet(sim, 2);
    assert_that(slides_now(sim).v[0] == 0);
    limb_sim_destroy(sim);
    o.env = limb_default_environment(m);
    o.stop = LIMB_STOP_IMPACT, o.restitution = 0.8;
    sim = slides_start(m, &o, (double[]){1}, NULL);
    double t = sqrt(2 / g), v = g * t;
    for (int i = 0; i < 3; i++, v *= 0.8, t += 2 * v / g)
      worst = fmax(worst, fabs(slides_next(sim, 5, LIMB_EVENT_IMPACT, 0, -1).time - t));
    check_at("%s: %.2g", limb_sim_method_name(methods[k]), worst);
    assert_that(worst < 1e-9);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(block);
  limb_model_destroy(m);
}
END_TEST

// On an upright screw, with stops at -4 and 4 rad.
static limb_model* nut(double mass, double inertia, double pitch, double coulomb)
{
  limb_builder* b = fixture_begin("nut");
  fixture_gravity(b, sp_v3(0, 0, -g));
  const sp_inertia Y = {mass, {0.1, 0, 0}, inertia, 0, 0, inertia, 0, inertia - mass * 0.1 * 0.1};
  const int body = fixture_body(b, "nut", Y);
  limb_joint_def def = limb_default_joint_def("screw", LIMB_HELICAL, LIMB_WORLD_BODY, body);
  def.pitch = pitch, def.coulomb = coulomb, def.q_min = -4, def.q_max = 4;
  assert_ok(limb_builder_add_joint(b, &def, NULL, NULL));
  return fixture_end(b);
}

// A nut on an upright screw: J q'' = -m g p -+ friction, J = I + m p^2. It passes an angle, hits a stop, rebounds;
// driven upwards with more friction than weight, it sticks. No energy is lost in between, with every method.
START_TEST(screws_have_events)
{
  static const limb_sim_method methods[] = {LIMB_SIM_RK4,   LIMB_SIM_VARIATIONAL, LIMB_SIM_IMPLICIT, LIMB_SIM_ERK,
                                            LIMB_SIM_ADAMS, LIMB_SIM_BDF,         LIMB_SIM_IDA};
  const double mass = 3, inertia = 0.02, pitch = -0.15, J = inertia + mass * pitch * pitch, weight = mass * g * pitch;
  limb_model *m = nut(mass, inertia, pitch, 0), *block = nut(mass, inertia, pitch, 6);
  const double rate = -weight / J, hit = sqrt(2 * 4 / rate); // turns forward as it falls
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    if (!limb_sim_has_method(methods[k])) continue;
    limb_sim_options o = slides_options(m);
    limb_sim_summary sum;
    o.method = methods[k], o.step = 0.01, o.relative = 1e-12, o.absolute = 1e-13;
    o.stop = LIMB_STOP_IMPACT, o.restitution = 0.5;
    double angle = 1.3;
    limb_sim* sim = NULL;
    assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
    watch(sim, place, &angle, 1, 0);
    assert_ok(limb_sim_start(sim, 0, (double[]){0}, NULL, NULL));
    assert_close(slides_next(sim, 5, LIMB_EVENT_CONDITION, -1, 0).time, sqrt(2 * angle / rate), 0, 1e-9);
    assert_ok(limb_sim_summary_of(sim, &sum));
    assert_close(sum.energy, sum.energy_start, 0, 1e-10);
    assert_close(slides_next(sim, 5, LIMB_EVENT_IMPACT, 0, 1).time, hit, 0, 1e-9);
    assert_close(slides_now(sim).v[0], -0.5 * rate * hit, 1e-9, 0);
    assert_close(slides_next(sim, 5, LIMB_EVENT_IMPACT, 0, 1).time, 2 * hit, 0, 1e-9);
    limb_sim_destroy(sim);
    o.env = limb_default_environment(block);
    o.stop = LIMB_STOP_NONE;
    sim = slides_start(block, &o, (double[]){0}, (double[]){-3});
    const double until = 3 * J / (6 - weight);
    assert_close(slides_next(sim, 2, LIMB_EVENT_STICK, 0, -1).time, until, 0, 1e-9);
    assert_ok(limb_sim_summary_of(sim, &sum));
    assert_close(sum.energy - sum.energy_start, sum.work, 0, 1e-9);
    assert_close(sum.work, -6 * 3 * until / 2, 1e-9, 0);
    slides_quiet(sim, 2);
    assert_that(slides_now(sim).v[0] == 0);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
  limb_model_destroy(block);
}
END_TEST

// Directions, on a spring: rising and falling ones alternate with those of both.
START_TEST(directions)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 0, 0, 50, 0, 0};
  limb_model* m = slides_build(1, &s, 0, 0);
  const limb_sim_options o = slides_options(m);
  limb_sim* sim = NULL;
  double zero = 0;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  watch(sim, place, &zero, 1, 0);
  watch(sim, velocity, &zero, -1, 0);
  watch(sim, acceleration, &zero, 0, 1);
  assert_ok(limb_sim_start(sim, 0, (double[]){1}, NULL, NULL)); // at rest: the velocity is zero now
  const double period = 2 * acos(-1) / 5, at[5] = {0.25, 0.75, 0.75, 1, 1.25};
  static const int which[5] = {2, 0, 2, 1, 2};
  double worst = 0;
  for (int k = 0; k < 5; k++) {
    const limb_sim_event e = slides_next(sim, 5, LIMB_EVENT_CONDITION, -1, 0);
    assert_that(e.condition == which[k]);
    worst = fmax(worst, fabs(e.time - at[k] * period));
  }
  assert_that(worst < 1e-10);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// A rebound carries the velocity across zero: that happens then, and is told.
START_TEST(jumps_cross)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_IMPACT;
  limb_sim* sim = NULL;
  double zero = 0;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  watch(sim, velocity, &zero, 1, 0);
  assert_ok(limb_sim_start(sim, 0, (double[]){1}, NULL, NULL));
  const limb_sim_event hit = slides_next(sim, 2, LIMB_EVENT_IMPACT, 0, -1);
  const limb_sim_event e = slides_next(sim, 2, LIMB_EVENT_CONDITION, -1, 0);
  assert_that(e.time == hit.time && e.before == hit.before && e.after == hit.after);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

START_TEST(condition_ends)
{
  limb_model* m = ball(1e6);
  const limb_sim_options o = slides_options(m);
  double low = 0.25;
  int index = -1;
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_condition(sim, &(limb_sim_condition){.value = place, .context = &low, .ends = 1}, &index));
  assert_ok(limb_sim_start(sim, 0, (double[]){1}, NULL, NULL));
  assert_that(index == 0);
  assert_ok(limb_sim_advance(sim, 5, NULL));
  assert_close(slides_now(sim).time, sqrt(2 * 0.75 / g), 0, 1e-11);
  limb_sim_event e;
  assert_ok(limb_sim_advance(sim, 5, &e));
  assert_that(e.kind == LIMB_EVENT_NONE && e.ends == 1);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// ---- what goes wrong -------------------------------------------------------------------------------------

static double no_number(void* context, const limb_sim_state* at)
{
  (void)context;
  return sqrt(0.5 - at->time);
}

// A rebound that is never too small: more and more of them, until time does not go on.
START_TEST(crowds_end)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_IMPACT, o.restitution = 0.5, o.absolute = 1e-300;
  limb_sim* sim = slides_start(m, &o, (double[]){1}, NULL);
  assert_status(limb_sim_advance(sim, 5, NULL), LIMB_E_NOCONV);
  assert_that(strstr(limb_sim_error(sim), "events within"));
  assert_close(slides_now(sim).time, 3 * sqrt(2 / g), 1e-9, 0); // the sum of the series
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

START_TEST(nonsense_is_refused)
{
  limb_model* m = ball(1e6);
  const limb_sim_options o = slides_options(m);
  double zero = 0;
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_status(limb_sim_add_condition(sim, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_condition(sim, &(limb_sim_condition){0}, NULL), LIMB_E_ARG);
  assert_status(limb_sim_add_condition(sim, &(limb_sim_condition){.value = place, .direction = 2}, NULL), LIMB_E_ARG);
  watch(sim, no_number, NULL, 0, 0);
  assert_ok(limb_sim_start(sim, 0, (double[]){1}, NULL, NULL));
  assert_status(limb_sim_advance(sim, 1, NULL), LIMB_E_NONFINITE);
  assert_that(strstr(limb_sim_error(sim), "not a number"));
  assert_status(limb_sim_add_condition(sim, &(limb_sim_condition){.value = place, .context = &zero}, NULL),
                LIMB_E_ORDER);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// ---- singularities ---------------------------------------------------------------------------------------

// A parallelogram swings towards its flat place, where branches meet, and back, again and again.
START_TEST(singularity_is_told)
{
  limb_model* m = closed_four_bar(1, 0.5, 1, 0.5);
  limb_data* w = NULL;
  assert_ok(limb_data_create(m, NULL, &w));
  limb_sim_options o = slides_options(m);
  o.condition = 7;
  o.work = 0;
  const double low = -acos(-1) / 2, q[3] = {low, -low, low}, v[3] = {5, -5, 5};
  limb_mobility x;
  assert_ok(limb_mobility_at(w, q, NULL, &x));
  assert_that(x.condition < 7);
  limb_sim* sim = slides_start(m, &o, q, v);
  limb_sim_event e;
  double last = 0;
  for (int k = 0; k < 3; k++) {
    e = slides_next(sim, 10, LIMB_EVENT_SINGULAR, -1, 0);
    const limb_sim_state now = slides_now(sim);
    assert_ok(limb_mobility_at(w, now.q, NULL, &x));
    assert_close(x.condition, 7, 1e-9, 0);
    assert_close(e.after, 7, 1e-9, 0);
    assert_that(now.v[0] > 0 && (k == 0 || e.time > last + 1)); // once each time
    last = e.time;
  }
  limb_sim_destroy(sim);
  limb_data_destroy(w);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("events", 1, several_roots_in_one_step, every_method_has_events, screws_have_events, directions, jumps_cross,
           condition_ends, crowds_end, nonsense_is_refused, singularity_is_told)
