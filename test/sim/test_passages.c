// Motion past singular configurations of loops, where branches meet: against exact reductions, at every step length.
#include "sim/runs.h"
#include "support/closed_impl.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static sp_inertia rod(double length)
{
  const double I = length * length * length / 12, moments[6] = {0, 0, 0, I, 0, I};
  return fixture_inertia(length, sp_v3(length / 2, 0, 0), moments);
}

// Two parallelograms side by side: three upright bars, two couplers; all of length and mass 1 (IFToMM's N-four-bar).
static limb_model* double_four_bar(void)
{
  limb_builder* b = fixture_begin("double_four_bar");
  const sp_vec3 z = sp_v3(0, 0, 1);
  int bar[3];
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  static const char *const bars[] = {"bar0", "bar1", "bar2"}, *const couplers[] = {"coupler0", "coupler1"};
  for (int k = 0; k < 3; k++)
    bar[k] = fixture_link(b, bars[k], LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(k, 0, 0), z, rod(1));
  for (int k = 0; k < 2; k++) {
    const int coupler = fixture_link(b, couplers[k], LIMB_REVOLUTE, bar[k], fixture_at(1, 0, 0), z, rod(1));
    closed_join(b, k ? "pin1" : "pin0", LIMB_LOOP_POINT_ON_LINE, bar[k + 1], fixture_at(1, 0, 0), coupler,
                fixture_at(1, 0, 0));
  }
  return fixture_end(b);
}

static const double upright[5] = {pi / 2, pi / 2, pi / 2, -pi / 2, -pi / 2}, pushed[5] = {-1, -1, -1, 1, 1};

typedef struct sized {
  limb_sim_method method;
  double step, relative, within; // m, m/s and J
} sized;

static const sized methods[] = {{LIMB_SIM_RK4, 1e-3, 0, 1e-6},         {LIMB_SIM_RK4, 5e-4, 0, 1e-6},
                                {LIMB_SIM_RK4, 2.5e-4, 0, 1e-6},       {LIMB_SIM_IMPLICIT, 2e-3, 0, 1e-6},
                                {LIMB_SIM_VARIATIONAL, 1e-3, 0, 1e-4}, {LIMB_SIM_ERK, 1e-3, 1e-10, 1e-6},
                                {LIMB_SIM_ADAMS, 1e-3, 1e-11, 1e-6}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static limb_sim* started(const limb_model* m, const sized* how, const double* q, const double* v)
{
  limb_sim_options o = limb_default_sim_options(m);
  limb_sim* sim;
  o.method = how->method, o.step = how->step;
  if (how->relative > 0) o.relative = how->relative, o.absolute = how->relative / 100;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_start(sim, 0, q, v, NULL));
  return sim;
}

// Ten passages in ten seconds. The exact state is that of the reduction to one angle: 3 theta'^2 / 2 + 3.5 g sin theta
// is constant.
START_TEST(double_four_bar_passes)
{
  const sized* how = &methods[_i];
  if (!limb_sim_has_method(how->method)) return;
  limb_model* m = double_four_bar();
  limb_sim* sim = started(m, how, upright, pushed);
  limb_sim_state now;
  limb_sim_summary s;
  for (double t = 0.05; t < 10.01; t += 0.05) { // also rows within the passages
    const double end = t > 9.99 ? 10 : t;
    assert_ok(limb_sim_advance(sim, end, NULL));
    assert_ok(limb_sim_now(sim, &now));
    for (int k = 1; k < 3; k++) {
      assert_close(now.q[k], now.q[0], 0, 1e-7);
      assert_close(now.v[k], now.v[0], 0, 1e-6);
    }
    assert_close(1.5 * now.v[0] * now.v[0] + 3.5 * 9.81 * sin(now.q[0]), 35.835, 0, how->within);
  }
  const double angle = now.q[0], speed = now.v[0];
  assert_close(cos(angle), 0.328458111533, 0, how->within);
  assert_close(sin(angle), 0.944518538181, 0, how->within);
  assert_close(-speed * sin(angle), 1.423051470, 0, 3 * how->within);
  assert_close(speed * cos(angle), -0.494868845, 0, 3 * how->within);
  assert_ok(limb_sim_summary_of(sim, &s));
  assert_close(s.energy - s.energy_start, 0, 0, how->within);
  assert_that(s.singular == 10);
  assert_that(s.singular_distance > 1e-5 && s.singular_distance < 0.02 && s.singular_energy < 1e-6);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// Passages do not spoil the order of a method of first order: half the step, half the error and half the drift, which
// is that of the method; none of it is due to the passages.
START_TEST(first_order_stays_first_order)
{
  limb_model* m = double_four_bar();
  double error[3], drift[3];
  for (int k = 0; k < 3; k++) {
    const sized how = {LIMB_SIM_SEMI_IMPLICIT, 2e-3 / (1 << k), 0, 0};
    limb_sim* sim = started(m, &how, upright, pushed);
    limb_sim_state now;
    limb_sim_summary s;
    assert_ok(limb_sim_advance(sim, 10, NULL));
    assert_ok(limb_sim_now(sim, &now));
    assert_ok(limb_sim_summary_of(sim, &s));
    assert_that(s.singular == 10 && s.singular_energy < 1e-6);
    error[k] = hypot(cos(now.q[0]) - 0.328458111533, sin(now.q[0]) - 0.944518538181);
    drift[k] = fabs(s.energy - s.energy_start);
    if (k > 0) assert_close(error[k], error[k - 1] / 2, 0.1, 0);
    if (k > 0) assert_close(drift[k], drift[k - 1] / 2, 0.1, 0);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

// However long their steps are, and without rows on the way, adaptive methods see all passages. What the run loses is
// what the method loses elsewhere, too: bdf needs a tenth of the default tolerance for 1e-6 J.
START_TEST(no_passage_is_missed)
{
  static const sized how[] = {{LIMB_SIM_ERK, 1e-3, 1e-6, 1e-3},
                              {LIMB_SIM_ERK, 1e-3, 0, 1e-6},
                              {LIMB_SIM_ADAMS, 1e-3, 0, 1e-6},
                              {LIMB_SIM_IDA, 1e-3, 0, 2e-6},
                              {LIMB_SIM_BDF, 1e-3, 0, 1e-5}};
  limb_model* m = double_four_bar();
  for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
    if (!limb_sim_has_method(how[k].method)) continue;
    limb_sim* sim = started(m, &how[k], upright, pushed);
    limb_sim_summary s;
    assert_ok(limb_sim_advance(sim, 10, NULL));
    assert_ok(limb_sim_summary_of(sim, &s));
    check_at("%s at %g: %llu passages, %.1e J", limb_sim_method_name(how[k].method), how[k].relative,
             (unsigned long long)s.singular, s.energy - s.energy_start);
    assert_that(s.singular == 10 && s.singular_energy < 1e-6 && s.kinetic > 30 && s.kinetic < 71);
    assert_close(s.energy, s.energy_start, 0, how[k].within);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

// A step so long that a stop of the motion within the zone leaves the distance constant: it is cut.
START_TEST(long_steps_are_cut)
{
  limb_model* m = double_four_bar();
  const sized how = {LIMB_SIM_RK4, 0.05, 0, 0};
  limb_sim* sim = started(m, &how, upright, pushed);
  limb_sim_summary s;
  assert_ok(limb_sim_advance(sim, 10, NULL));
  assert_ok(limb_sim_summary_of(sim, &s));
  check_at("%llu passages, steps to %g s", (unsigned long long)s.singular, s.max_step);
  assert_that(s.singular > 0 && s.max_step < 0.06);
  assert_close(s.energy, s.energy_start, 0, 5e-3);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// A four-bar whose bars can lie in one line, 1 + 1.5 = 2 + 0.5, on a curved branch, fast and slowly.
START_TEST(change_point_passes)
{
  limb_builder* b = fixture_begin("change_point");
  const sp_vec3 z = sp_v3(0, 0, 1);
  const int crank = fixture_link(b, "crank", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), z, rod(1));
  const int coupler = fixture_link(b, "coupler", LIMB_REVOLUTE, crank, fixture_at(1, 0, 0), z, rod(2));
  const int rocker = fixture_link(b, "rocker", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0.5, 0, 0), z, rod(1.5));
  closed_join(b, "pin", LIMB_LOOP_POINT_ON_LINE, rocker, fixture_at(1.5, 0, 0), coupler, fixture_at(2, 0, 0));
  limb_model* m = fixture_end(b);
  const limb_start_given given = {.q = (const unsigned char[]){1, 0, 0}, .v = (const unsigned char[]){1, 0, 0}};
  const double speed[] = {-3, -0.1};
  for (int k = 0; k < 2; k++) {
    double q[3] = {2, -1.6, 1.6}, v[3] = {speed[k]}, end[3][3];
    assert_ok(limb_sim_close_start(m, &given, q, v, NULL));
    for (int run = 0; run < 3; run++) {
      static const double step[] = {1e-3, 3.7e-4, 2e-3};
      const sized how = {run < 2 ? LIMB_SIM_RK4 : LIMB_SIM_IMPLICIT, step[run] * (k ? 10 : 1), 0, 0};
      limb_sim* sim = started(m, &how, q, v);
      limb_sim_state now;
      limb_sim_summary s;
      assert_ok(limb_sim_advance(sim, -7 / speed[k], NULL));
      assert_ok(limb_sim_now(sim, &now));
      assert_ok(limb_sim_summary_of(sim, &s));
      check_at("speed %g, run %d: %llu passages", speed[k], run, (unsigned long long)s.singular);
      assert_that(s.singular >= 1);
      assert_close(s.energy, s.energy_start, 1e-7, 0);
      memcpy(end[run], now.q, sizeof end[run]);
      if (run > 0) assert_close_array(end[run], end[0], 3, 0, 1e-6);
      limb_sim_destroy(sim);
    }
  }
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const each[] = {double_four_bar_passes, NULL};
  const TTest* const all[] = {first_order_stays_first_order, no_passage_is_missed, long_steps_are_cut,
                              change_point_passes, NULL};
  const int failed = check_run("sim/passages: methods", METHODS, each);
  return check_run("sim/passages", 1, all) | failed;
}
