// The variational method over long runs: energy without drift, the way back in time, and rest.
#include "sim/runs.h"
#include "sim/slides.h"

#define MANY CHECK_EFFORT(20000, 1000000, 10000000) // steps: half a minute

// ---- energy without drift --------------------------------------------------------------------------------

enum { LOOKS = 400 };

// Errors of the energy at equal intervals.
static void energy_errors(const stage* from, limb_sim_method method, double step, double end, double error[LOOKS])
{
  limb_sim_options o = limb_default_sim_options(from->m);
  o.method = method, o.step = step;
  limb_sim* sim = run_create(from, &o);
  run_start(sim, from);
  for (int k = 0; k < LOOKS; k++) {
    run_to(sim, end * (k + 1) / LOOKS);
    const limb_sim_summary s = run_summary(sim);
    error[k] = s.energy - s.energy_start;
  }
  limb_sim_destroy(sim);
}

// A line through the errors: how much it rises from one end to the other, and how well that is known, both
// against the scatter about it.
static void fit_line(const double error[LOOKS], double* rise, double* scatter)
{
  double mean = 0, slope = 0, xx = 0, rest = 0;
  for (int k = 0; k < LOOKS; k++) mean += error[k] / LOOKS;
  for (int k = 0; k < LOOKS; k++) {
    const double x = (double)k / (LOOKS - 1) - 0.5;
    slope += x * error[k], xx += x * x;
  }
  slope /= xx;
  for (int k = 0; k < LOOKS; k++) {
    const double x = (double)k / (LOOKS - 1) - 0.5;
    rest += pow(error[k] - mean - slope * x, 2) / LOOKS;
  }
  *rise = slope, *scatter = sqrt(rest);
}

static int ascending(const void* a, const void* b)
{
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Of the sizes of n errors.
static double median(int n, const double* error)
{
  double sorted[LOOKS];
  for (int i = 0; i < n; i++) sorted[i] = fabs(error[i]);
  qsort(sorted, (size_t)n, sizeof *sorted, ascending);
  return sorted[n / 2];
}

// The slope has a deviation of scatter sqrt(12 / LOOKS): a rise of 4 of these does not happen by chance.
static void no_drift(const double error[LOOKS])
{
  double rise, scatter;
  fit_line(error, &rise, &scatter);
  check_at("energy: rises by %.2g, scatter %.2g", rise, scatter);
  assert_that(fabs(rise) < 4 * scatter * sqrt(12.0 / LOOKS));
  // nor do errors grow: single ones are large when the arms are fast, so their median is looked at
  assert_that(median(LOOKS / 4, error + LOOKS - LOOKS / 4) < 2 * median(LOOKS / 4, error));
}

START_TEST(energy_of_a_double_pendulum)
{
  stage from = {.m = robot_planar_2r(), .nq = 2, .nv = 2};
  const double step = 0.01, end = MANY * step;
  double error[LOOKS], rise, scatter;
  from.q[0] = -0.5, from.q[1] = 1;
  energy_errors(&from, LIMB_SIM_VARIATIONAL, step, end, error);
  no_drift(error);
  energy_errors(&from, LIMB_SIM_RK4, step, end / 10, error);
  fit_line(error, &rise, &scatter);
  check_at("rk4: rises by %.2g, scatter %.2g", rise, scatter);
  assert_that(CHECK_SANITIZED || fabs(rise) > 40 * scatter * sqrt(12.0 / LOOKS));
  limb_model_destroy(from.m);
}
END_TEST

START_TEST(energy_of_a_four_bar)
{
  stage from = stage_make("four_bar");
  double error[LOOKS];
  energy_errors(&from, LIMB_SIM_VARIATIONAL, 2e-3, MANY / 20 * 2e-3, error);
  no_drift(error);
  limb_model_destroy(from.m);
}
END_TEST

// ---- the way back ----------------------------------------------------------------------------------------

START_TEST(the_way_back)
{
  static const char* const names[] = {"planar_2r",     "quadruped",    "four_bar",
                                      "gough_stewart", "rolling_disc", "floating"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    stage from = stage_make(names[k]), there, back;
    limb_sim_options o = limb_default_sim_options(from.m);
    o.method = LIMB_SIM_VARIATIONAL, o.step = 5e-3;
    run_end(run_create(&from, &o), &from, 0.5, &there);
    for (int i = 0; i < from.nv; i++) there.v[i] = -there.v[i];
    run_end(run_create(&there, &o), &there, 0.5, &back);
    for (int i = 0; i < from.nv; i++) back.v[i] = -back.v[i];
    check_at("%s: %.2g", names[k], stage_distance(&from, &back));
    assert_that(stage_distance(&from, &there) > 0.01);
    assert_that(stage_distance(&from, &back) < 1e-9);
    limb_model_destroy(from.m);
  }
}
END_TEST

// ---- rest ------------------------------------------------------------------------------------------------

// Velocities vanish, the rounding of forces does not.
START_TEST(comes_to_rest)
{
  static const double step[] = {1e-1, 3e-2, 1e-2};
  const slide s[2] = {{LIMB_REVOLUTE, 1, 0.1, 0.5, 0, 1, 0, 0, 0}, {LIMB_REVOLUTE, 1, 0.1, 0.5, 0, 1, 0, 0, 0}};
  limb_model* m = slides_build(2, s, 0, -9.81);
  for (size_t k = 0; k < sizeof step / sizeof step[0]; k++) {
    limb_sim_options o = slides_options(m);
    o.method = LIMB_SIM_VARIATIONAL, o.step = step[k];
    limb_sim* sim = slides_start(m, &o, (double[]){-1, 0.5}, NULL);
    check_at("steps of %g s", step[k]);
    run_to(sim, 300);
    const limb_sim_state x = slides_now(sim);
    assert_that(fmax(fabs(x.v[0]), fabs(x.v[1])) < 1e-12);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("sim/energy", 1, energy_of_a_double_pendulum, energy_of_a_four_bar, the_way_back, comes_to_rest)
