// Simulations against reference numbers: the two-link arm in free fall and the four-bar with a spring of
// Ghosal 2010.
//
// Both tables are solutions of much higher order or precision than any method here.
#include "sim/runs.h"

#include "numbers/numbers_data.h"
#include "support/closed_impl.h"

#include <stdio.h>

typedef struct method_case {
  limb_sim_method method;
  double step, relative; // the one that counts
} method_case;

static limb_sim_options options_of(const stage* at, const method_case* c)
{
  limb_sim_options o = limb_default_sim_options(at->m);
  o.method = c->method;
  if (c->relative > 0)
    o.relative = c->relative, o.absolute = c->relative / 10, o.step = 0;
  else
    o.step = c->step;
  return o;
}

// ---- the two-link arm in free fall -----------------------------------------------------------------------

static double fall(const method_case* c)
{
  stage at = {.m = robot_planar_2r(), .nq = 2, .nv = 2};
  const limb_sim_options o = options_of(&at, c);
  memcpy(at.q, freefall[0], 2 * sizeof(double));
  limb_sim* sim = run_create(&at, &o);
  run_start(sim, &at);
  double worst = 0;
  for (int row = 1; row <= 100; row++) {
    check_at("%s, row %d", limb_sim_method_name(c->method), row);
    run_to(sim, row == 100 ? 10 : 0.1 * row);
    const limb_sim_state now = run_now(sim);
    for (int k = 0; k < 4; k++) {
      const double x = k < 2 ? now.q[k] : now.v[k - 2];
      worst = fmax(worst, fabs(x - freefall[row][k]));
    }
    assert_that(worst <= 1e-9);
  }
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
  return worst;
}

START_TEST(free_fall_of_two_links)
{
  static const method_case cases[] = {
    {LIMB_SIM_RK4, 5e-4, 0},    {LIMB_SIM_IMPLICIT, 5e-4, 0}, {LIMB_SIM_ERK, 0, 1e-12},
    {LIMB_SIM_ADAMS, 0, 1e-13}, {LIMB_SIM_BDF, 0, 1e-14},     {LIMB_SIM_IDA, 0, 1e-14},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    if (!limb_sim_has_method(cases[k].method)) continue;
    const double worst = fall(&cases[k]);
    printf("free fall, %s: %.2g\n", limb_sim_method_name(cases[k].method), worst);
  }
}
END_TEST

// ---- the four-bar with a spring --------------------------------------------------------------------------

static sp_inertia bar(double mass, double x, double inertia)
{
  return fixture_inertia(mass, sp_v3(x, 0, 0), (double[6]){inertia, 0, 0, inertia, 0, inertia});
}

// A wound spring, 0.1 (19.6 - theta1), opens it; no gravity. Rows in the axes of the rocker.
static stage spring_four_bar(void)
{
  const sp_vec3 z = {0, 0, 1};
  limb_builder* b = fixture_begin("four_bar_spring");
  fixture_gravity(b, sp_v3(0, 0, 0));
  const int one = fixture_body(b, "crank", bar(20.15, 1.2, 9.6));
  limb_joint_def crank = limb_default_joint_def("theta1", LIMB_REVOLUTE, LIMB_WORLD_BODY, one);
  crank.axis = z, crank.stiffness = 0.1, crank.rest = 19.6;
  (void)fixture_joint(b, &crank);
  const int two = fixture_link(b, "coupler", LIMB_REVOLUTE, one, fixture_at(1.241, 0, 0), z, bar(8.25, 0.6, 0.06));
  const int three =
    fixture_link(b, "rocker", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(1.241, 0, 0), z, bar(8.25, 0.6, 0.06));
  limb_loop_def end = limb_default_loop_def("end", LIMB_LOOP_LOCK, three, two);
  end.locked = LIMB_MOVE_X | LIMB_MOVE_Y;
  end.pose_a = end.pose_b = fixture_at(1.2, 0, 0);
  closed_add_loop(b, &end);
  stage at = {.m = fixture_end(b), .nq = 3, .nv = 3};
  at.q[0] = 0.01, at.q[1] = -0.010170834830751593, at.q[2] = 0.010170834830751593;
  return at;
}

static const double pi = 3.14159265358979323846;

static double at_150(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->q[0] - 150 * (pi / 180);
}

// Coupler and rocker in one line.
static double aligned(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->q[0] + at->q[1] - at->q[2] + pi;
}

static double greatest_force(limb_sim* sim)
{
  const limb_sim_state now = run_now(sim);
  return hypot(now.lambda[0], now.lambda[1]);
}

static void check_multipliers(limb_sim* sim, const double want[2], double rtol)
{
  const limb_sim_state now = run_now(sim);
  const double c = cos(now.q[2]), s = sin(now.q[2]);
  const double world[2] = {c * now.lambda[0] - s * now.lambda[1], s * now.lambda[0] + c * now.lambda[1]};
  assert_close_array(world, want, 2, rtol, 0);
}

// t, theta1, phi1, their rates, lambda in world axes
static const double rows[][7] = {
  {2, 0.08218054320808264, 0.0835852925118894, 0.07213590647144023, 0.07337041937919887, 3.198687208727077,
   0.17525375950623728},
  {5, 0.4596458570532087, 0.46764694789346695, 0.17914355851282163, 0.18238062607804445, 0.3644264027945132,
   0.082125446318324},
  {10, 1.7855082721845457, 1.8291233070256987, 0.34812442176243147, 0.364565450124197, 0.28553884559109755,
   -0.6778907765067325},
  {12, 2.5345113090938702, 2.6759416542629575, 0.38199304166728637, 0.5567903423140214, 7.533970973733751,
   -2.4472515969872415},
};

static void check_row(limb_sim* sim, const double row[7], double tolerance)
{
  run_to(sim, row[0]);
  const limb_sim_state now = run_now(sim);
  const double got[] = {now.q[0], now.q[2], now.v[0], now.v[2], now.q[1]};
  const double want[] = {row[1], row[2], row[3], row[4], -row[2]};
  assert_close_array(got, want, 5, 0, tolerance);
  check_multipliers(sim, row + 5, 10 * tolerance);
}

// The time of an event, of that condition.
static double meet(limb_sim* sim, double end, int condition)
{
  limb_sim_event e;
  assert_ok(limb_sim_advance(sim, end, &e));
  assert_that(e.kind == LIMB_EVENT_CONDITION && e.condition == condition);
  return e.time;
}

// Largest |lambda| by a parabola through samples around its peak.
static void check_peak(limb_sim* sim)
{
  const double middle = 12.29545, d = 2e-4;
  double f[3];
  for (int k = 0; k < 3; k++) {
    run_to(sim, middle + (k - 1) * d);
    f[k] = greatest_force(sim);
  }
  const double slope = (f[2] - f[0]) / 2, bend = f[0] - 2 * f[1] + f[2];
  assert_that(bend < 0);
  assert_close(middle - d * slope / bend, 12.29545, 0, 1e-5);
  assert_close(f[1] - slope * slope / (2 * bend), 2007.31, 0, 0.01);
}

static void four_bar(const method_case* c)
{
  stage at = spring_four_bar();
  const limb_sim_options o = options_of(&at, c);
  const limb_sim_condition conditions[] = {{.value = at_150, .direction = 1}, {.value = aligned}};
  limb_sim* sim = run_create(&at, &o);
  for (int k = 0; k < 2; k++) assert_ok(limb_sim_add_condition(sim, &conditions[k], NULL));
  run_start(sim, &at);
  check_at("four-bar, %s", limb_sim_method_name(c->method));
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) check_row(sim, rows[k], 1e-9);
  const double t150 = meet(sim, 13, 0);
  assert_close(t150, 12.23608290446545, 0, 1e-8);
  check_multipliers(sim, (double[2]){213.04680543670236, -54.397614730127195}, 1e-6);
  const double t_line = meet(sim, 13, 1);
  assert_close(t_line, 12.28299560962995, 0, 1e-8);
  check_multipliers(sim, (double[2]){1504.71031256, -381.67117000}, 1e-6);
  check_peak(sim);
  run_to(sim, 13);
  const limb_sim_state now = run_now(sim);
  assert_close(now.q[0], 2.3010656226213797, 0, 1e-7);
  assert_close(now.v[0], -0.45203294216521517, 0, 1e-7);
  const limb_sim_summary s = run_summary(sim);
  assert_that(s.position_residual <= 1e-11 && s.velocity_residual <= 1e-11);
  printf("four-bar, %s: t(150 deg) off by %.2g s, alignment by %.2g s, residuals %.2g %.2g, energy "
         "%.2g J, %llu steps\n",
         limb_sim_method_name(c->method), t150 - 12.23608290446545, t_line - 12.28299560962995, s.position_residual,
         s.velocity_residual, s.energy - s.energy_start, (unsigned long long)s.steps);
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}

START_TEST(four_bar_that_a_spring_opens)
{
  static const method_case cases[] = {
    {LIMB_SIM_RK4, 1e-3, 0},    {LIMB_SIM_IMPLICIT, 1e-3, 0}, {LIMB_SIM_ERK, 0, 1e-11},
    {LIMB_SIM_ADAMS, 0, 1e-11}, {LIMB_SIM_BDF, 0, 1e-12},     {LIMB_SIM_IDA, 0, 1e-13},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    if (limb_sim_has_method(cases[k].method)) four_bar(&cases[k]);
  }
}
END_TEST

CHECK_MAIN("sim/numbers", 1, free_fall_of_two_links, four_bar_that_a_spring_opens)
