// Heavy and light bars in one loop. A triangle that cannot move, of 1e6 kg and 1e-6 kg, carries a lever: whatever acts,
// the accelerations of the frame and their derivatives are zero, and those of the lever are a pendulum's.
#include "limb/derivatives.h"
#include "limb/loops.h"

#include "support/check.h"
#include "support/closed_impl.h"

#include <math.h>
#include <string.h>

enum { NV = 3, LEVER = 2, MASSES = 121 };

#define TURN 1.04719755119659774615

static const double LENGTH = 0.1, GRAVITY = 9.81;

static sp_inertia bar(double mass, double length)
{
  const double I = mass * length * length / 12, six[6] = {0.01 * I, 0, 0, I, 0, I};
  return fixture_inertia(mass, sp_v3(length / 2, 0, 0), six);
}

static limb_model* frame(double left_mass, double right_mass)
{
  limb_builder* b = fixture_begin("heavy_frame");
  fixture_gravity(b, sp_v3(0, -GRAVITY, 0));
  const int left = closed_hinge(b, "left", LIMB_WORLD_BODY, sp_pose_identity(), bar(left_mass, 1), 0, TURN);
  const int right = closed_hinge(b, "right", LIMB_WORLD_BODY, fixture_at(1, 0, 0), bar(right_mass, 1), 0, 2 * TURN);
  closed_hinge(b, "lever", left, fixture_at(0.5, 0.1, 0), bar(1e-6, LENGTH), 1, 0.4);
  closed_join(b, "top", LIMB_LOOP_PIN, left, fixture_at(1, 0, 0), right, fixture_at(1, 0, 0));
  return fixture_end(b);
}

// m L^2 / 3 a = tau - m g L / 2 cos(angle). Columns of the frame's coordinates turn the lever, too.
START_TEST(derivatives_are_a_pendulums)
{
  const double q[NV] = {TURN, 2 * TURN, 0.4}, v[NV] = {0, 0, 1.5}, tau[NV] = {0, 0, 1e-7};
  double dq[NV * NV], dv[NV * NV], dtau[NV * NV];
  const double by_q = 1.5 * GRAVITY / LENGTH * sin(TURN + 0.4), by_tau = 3 / (1e-6 * LENGTH * LENGTH);
  const limb_fd_derivatives out = {.dacc_dq = dq, .dacc_dv = dv, .dacc_dtau = dtau};
  limb_model* m = frame(1e6, 1e-6);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_forward_dynamics_derivatives(d, q, v, tau, NULL, &out));
  for (int i = 0; i < NV; i++) {
    for (int k = 0; k < NV; k++) {
      check_at("row %d, column %d", i, k);
      const double one = i == LEVER && k == LEVER;
      if (i != LEVER || k == LEVER) assert_close(dq[i * NV + k], one * by_q, 0, 1e-10 * by_q);
      assert_close(dv[i * NV + k], 0, 0, 1e-10);
      assert_close(dtau[i * NV + k], one * by_tau, 0, 1e-10 * by_tau);
    }
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

static double largest(const double lambda[6])
{
  double peak = 0;
  for (int r = 0; r < 6; r++) peak = fmax(peak, fabs(lambda[r]));
  return peak;
}

static limb_status run(limb_data* d, limb_loop_method method, int max_iterations, double lambda[6])
{
  limb_loop_settings o = limb_default_loop_settings();
  limb_loop_details details;
  const double at[NV] = {TURN, -TURN, TURN}, rest[NV] = {0}, tau[NV] = {0};
  double a[NV];
  o.solver.method = method, o.solver.max_iterations = max_iterations, o.multipliers = 1;
  assert_ok(limb_set_loops(d, &o));
  const limb_status s = limb_forward_dynamics(d, at, rest, tau, NULL, a);
  assert_ok(limb_get_loop_details(d, &details));
  if (s == LIMB_OK) memcpy(lambda, details.lambda, (size_t)limb_constraint_count(limb_data_model(d)) * sizeof *lambda);
  return s;
}

// A parallelogram of heavy cranks and a light coupler.
static limb_model* parallelogram(double mass)
{
  limb_builder* b = fixture_begin("parallelogram");
  fixture_gravity(b, sp_v3(0, -GRAVITY, 0));
  const int crank = closed_hinge(b, "crank", LIMB_WORLD_BODY, sp_pose_identity(), bar(mass, 0.5), 1, TURN);
  const int coupler = closed_hinge(b, "coupler", crank, fixture_at(0.5, 0, 0), bar(1e-6, 1), 0, -TURN);
  const int rocker = closed_hinge(b, "rocker", LIMB_WORLD_BODY, fixture_at(1, 0, 0), bar(mass, 0.25), 0, TURN);
  closed_join(b, "pin", LIMB_LOOP_PIN, coupler, fixture_at(1, 0, 0), rocker, fixture_at(0.5, 0, 0));
  return fixture_end(b);
}

// Too few iterations are told before multipliers lose digits; however heavy the cranks are, the usual number will do.
START_TEST(proximal_iteration_says_when_it_is_not_done)
{
  int finished = 0;
  for (int k = 0; k < MASSES; k++) {
    double by_iteration[6] = {0}, exact[6] = {0};
    limb_model* m = parallelogram(pow(10, k / 40.0));
    limb_data* d = NULL;
    check_at("mass %d", k);
    assert_ok(limb_data_create(m, NULL, &d));
    assert_ok(run(d, LIMB_LOOP_METHOD_KKT, 50, exact));
    const limb_status s = run(d, LIMB_LOOP_METHOD_PROXIMAL, k % 2 ? 50 : 1 + k % 4, by_iteration);
    assert_that(s == LIMB_OK || k % 2 == 0);
    if (s == LIMB_OK)
      assert_close_array(by_iteration, exact, limb_constraint_count(m), 0, 1e-9 * largest(exact));
    else
      assert_status(s, LIMB_E_NOCONV);
    finished += s == LIMB_OK;
    limb_data_destroy(d);
    limb_model_destroy(m);
  }
  assert_that(finished > 0 && finished < MASSES);
}
END_TEST

CHECK_MAIN("loops/heavy frame", 1, derivatives_are_a_pendulums, proximal_iteration_says_when_it_is_not_done)
