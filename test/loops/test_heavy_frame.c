// A frame of a heavy and a light bar: a triangle that cannot move, of 1e6 kg and 1e-6 kg, carries a lever. Whatever
// acts, the accelerations of the frame and their derivatives are zero, and those of the lever are a pendulum's.
#include "limb/derivatives.h"
#include "limb/loops.h"
#include "limb/verify.h"

#include "support/check.h"
#include "support/closed_impl.h"

#include <math.h>
#include <string.h>

enum { NV = 3, LEVER = 2 };

#define TURN 1.04719755119659774615

static const double LENGTH = 0.1, GRAVITY = 9.81;
static const double q[NV] = {TURN, 2 * TURN, 0.4}, v[NV] = {0, 0, 1.5}, tau[NV] = {0, 0, 1e-7};

static sp_inertia bar(double mass, double length)
{
  const double I = mass * length * length / 12, six[6] = {0.01 * I, 0, 0, I, 0, I};
  return fixture_inertia(mass, sp_v3(length / 2, 0, 0), six);
}

static limb_model* frame_with_lever(double left_mass, double right_mass)
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
  double dq[NV * NV], dv[NV * NV], dtau[NV * NV];
  const double by_q = 1.5 * GRAVITY / LENGTH * sin(TURN + 0.4), by_tau = 3 / (1e-6 * LENGTH * LENGTH);
  const limb_fd_derivatives out = {.dacc_dq = dq, .dacc_dv = dv, .dacc_dtau = dtau};
  limb_model* m = frame_with_lever(1e6, 1e-6);
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

static limb_status run(limb_data* d, limb_loop_method method, int max_iterations, double lambda[6])
{
  limb_loop_settings o = limb_default_loop_settings();
  limb_loop_details details;
  double a[NV];
  o.solver.method = method, o.solver.max_iterations = max_iterations, o.multipliers = 1;
  assert_ok(limb_set_loops(d, &o));
  const limb_status s = limb_forward_dynamics(d, q, v, tau, NULL, a);
  assert_ok(limb_get_loop_details(d, &details));
  if (s == LIMB_OK) memcpy(lambda, details.lambda, (size_t)limb_constraint_count(limb_data_model(d)) * sizeof *lambda);
  return s;
}

// One of the constraints moves a million times the mass of the other: the iteration is slow, and says so.
START_TEST(proximal_iteration_says_when_it_is_not_done)
{
  double slow[6], exact[6];
  limb_model* m = frame_with_lever(10, 1e-6);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  const int constraints = limb_constraint_count(m);
  assert_ok(run(d, LIMB_LOOP_METHOD_KKT, 50, exact));
  assert_status(run(d, LIMB_LOOP_METHOD_PROXIMAL, 50, slow), LIMB_E_NOCONV);
  assert_ok(run(d, LIMB_LOOP_METHOD_PROXIMAL, 2000, slow));
  assert_close_array(slow, exact, constraints, 1e-7, 1e-7);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Accelerations of a frame are zero: what the methods leave is rounding, not a disagreement.
START_TEST(what_cannot_move_raises_no_alarm)
{
  limb_model* m = frame_with_lever(1, 1);
  limb_verify_options o = limb_default_verify();
  limb_verification* found = NULL;
  o.states = 5;
  assert_ok(limb_verify(m, &o, &found, NULL));
  assert_that(limb_verification_summary(found).failed == 0);
  limb_verification_destroy(found);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("loops/heavy frame", 1, derivatives_are_a_pendulums, proximal_iteration_says_when_it_is_not_done,
           what_cannot_move_raises_no_alarm)
