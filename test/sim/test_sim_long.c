// Long runs: momenta stay. A body that turns about its unstable middle axis, and a robot that floats.
#include "sim/runs.h"

#include "support/robots_impl.h"

enum { MANY = CHECK_SANITIZED ? 20000 : 1000000 }; // steps

// ---- a body without torques ------------------------------------------------------------------------------

// One body at a joint, moments of inertia 1, 2, 3, no gravity; its centre of mass is off the joint when it
// is free.
static stage body_at(limb_joint_type type)
{
  const double moments[6] = {1, 0, 0, 2, 0, 3};
  const sp_vec3 com = {type == LIMB_FREE ? 0.2 : 0, 0, 0};
  limb_builder* b = fixture_begin("body");
  fixture_gravity(b, sp_v3(0, 0, 0));
  fixture_link(b, "body", type, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1), fixture_inertia(4, com, moments));
  stage at = {.m = fixture_end(b)};
  at.nq = limb_nq(at.m), at.nv = limb_nv(at.m);
  assert_ok(limb_neutral(at.m, at.q));
  at.v[0] = 1e-3, at.v[1] = 1, at.v[2] = 2e-3;
  if (type == LIMB_FREE) at.v[3] = 0.1, at.v[4] = -0.2, at.v[5] = 0.05;
  return at;
}

static sp_force momentum_of(limb_data* d, limb_sim* sim, int centroidal)
{
  const limb_sim_state now = run_now(sim);
  sp_force L;
  assert_ok(limb_kinematics(d, now.q, now.v, NULL));
  assert_ok(limb_momentum(d, centroidal, &L));
  return L;
}

// It tumbles: the middle axis turns round and round.
static void tumble(limb_joint_type type, limb_sim_method method, int steps)
{
  const double step = 1e-3;
  stage from = body_at(type);
  limb_sim_options o = limb_default_sim_options(from.m);
  limb_data* d = NULL;
  int turned = 0;
  o.method = method, o.step = step;
  assert_ok(limb_data_create(from.m, NULL, &d));
  limb_sim* sim = run_create(&from, &o);
  run_start(sim, &from);
  const sp_force before = momentum_of(d, sim, 1);
  for (int k = 1; k <= 100; k++) {
    run_to(sim, steps / 100 * step * k);
    const limb_sim_state now = run_now(sim);
    const double* Q = now.q + from.nq - 4;
    check_at("%s, %s, %d of 100", type == LIMB_SPHERICAL ? "ball" : "free", limb_sim_method_name(method), k);
    assert_close_force(momentum_of(d, sim, 1), before, 1e-10, 0);
    assert_close(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3], 1, 1e-15, 1e-15);
    turned += now.v[1] < 0;
  }
  assert_that(CHECK_SANITIZED || turned > 5);
  assert_close(run_summary(sim).energy, run_summary(sim).energy_start, 1e-9, 0);
  limb_sim_destroy(sim);
  limb_data_destroy(d);
  limb_model_destroy(from.m);
}

START_TEST(middle_axis_of_a_ball) { tumble(LIMB_SPHERICAL, LIMB_SIM_RK4, MANY); }
END_TEST

START_TEST(middle_axis_of_a_free_body) { tumble(LIMB_FREE, LIMB_SIM_RK4, MANY); }
END_TEST

START_TEST(middle_axis_variational) { tumble(LIMB_SPHERICAL, LIMB_SIM_VARIATIONAL, MANY / 5); }
END_TEST

// ---- momenta of a robot that floats ----------------------------------------------------------------------

static limb_status wave(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  for (int k = 6; k < 13; k++) tau[k] += 0.02 * sin(2 * t + k);
  return LIMB_OK;
}

START_TEST(floating_arm_keeps_its_momenta)
{
  stage from = {.m = robot_panda_on_base(LIMB_FREE, 20), .nq = 14, .nv = 13};
  limb_sim_options o = limb_default_sim_options(from.m);
  uint64_t seed = 3;
  limb_data* d = NULL;
  const limb_sim_force f = {.force = wave};
  assert_ok(limb_random(from.m, &seed, from.q));
  for (int k = 0; k < 13; k++) from.v[k] = 0.3 * sin(1 + 2 * k);
  o.method = LIMB_SIM_VARIATIONAL, o.step = 2e-3, o.env.gravity = sp_v3(0, 0, 0);
  assert_ok(limb_data_create(from.m, NULL, &d));
  limb_sim* sim = run_create(&from, &o);
  assert_ok(limb_sim_add_force(sim, &f));
  run_start(sim, &from);
  const sp_force before = momentum_of(d, sim, 0);
  for (int k = 1; k <= 20; k++) {
    check_at("after %d s", k);
    run_to(sim, k);
    assert_close_force(momentum_of(d, sim, 0), before, 1e-11, 0);
  }
  limb_sim_destroy(sim);
  limb_data_destroy(d);
  limb_model_destroy(from.m);
}
END_TEST

CHECK_MAIN("sim/long", 1, middle_axis_of_a_ball, middle_axis_of_a_free_body, middle_axis_variational,
           floating_arm_keeps_its_momenta)
