// Loops of a file with few digits: two ball joints on one hinge close a four-bar that one pin would close. Least
// squares leave them open; which constraints depend on others is seen all the same, by every method.
#include "limb/assemble.h"
#include "limb/loops.h"

#include "support/check.h"
#include "support/closed_impl.h"

#include <math.h>

enum { NV = 3 };

// The largest error of a number with eight digits, along axes at random.
static sp_pose rounded(double x, double y, double z, double digit, int k)
{
  static const double share[4][3] = {{0.9, -0.7, 0.8}, {-0.6, 0.9, 0.5}, {0.7, 0.8, -0.9}, {-0.8, -0.5, 0.6}};
  return fixture_at(x + digit * share[k][0], y + digit * share[k][1], z + digit * share[k][2]);
}

// digit 0: one pin, exact.
static limb_model* four_bar(double digit)
{
  const double I[6] = {0.01, 0, 0, 0.02, 0, 0.02};
  const sp_inertia bar = fixture_inertia(1, sp_v3(0.3, 0, 0), I);
  limb_builder* b = fixture_begin("rounded_four_bar");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int crank = closed_hinge(b, "crank", LIMB_WORLD_BODY, sp_pose_identity(), bar, 1, 1);
  const int coupler = closed_hinge(b, "coupler", crank, fixture_at(0.5, 0, 0), bar, 0, -0.5);
  const int rocker = closed_hinge(b, "rocker", LIMB_WORLD_BODY, fixture_at(1, 0, 0), bar, 0, 1.5);
  if (digit == 0) closed_join(b, "pin", LIMB_LOOP_PIN, coupler, fixture_at(0.9, 0, 0), rocker, fixture_at(0.7, 0, 0));
  for (int k = 0; k < 2 && digit > 0; k++)
    closed_join(b, k ? "far" : "near", LIMB_LOOP_BALL, coupler, rounded(0.9, 0, 0.02 * k, digit, k), rocker,
                rounded(0.7, 0, 0.02 * k, digit, 2 + k));
  return fixture_end(b);
}

typedef struct answer {
  double q[NV], v[NV], a[NV], tau[NV];
} answer;

static answer solve(limb_data* d, limb_loop_method method)
{
  answer x = {.v = {1, 0, 0}};
  const double given[NV] = {3, 0, 0};
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report;
  limb_loop_settings o = limb_default_loop_settings();
  limb_loop_details details;
  o.solver.method = method, o.multipliers = o.report = 1;
  assert_ok(limb_set_loops(d, &o));
  assert_ok(limb_start(limb_data_model(d), x.q));
  assert_ok(limb_assemble(d, &how, x.q, &report));
  assert_that(report.residual <= 1e-7);
  assert_ok(limb_complete_velocities(d, x.q, NULL, NULL, x.v));
  assert_ok(limb_forward_dynamics(d, x.q, x.v, given, NULL, x.a));
  assert_ok(limb_get_loop_details(d, &details));
  for (int r = 0; r < limb_constraint_count(limb_data_model(d)); r++) assert_that(fabs(details.lambda[r]) < 1e3);
  assert_ok(limb_inverse_dynamics(d, x.q, x.v, x.a, NULL, x.tau));
  assert_close(x.tau[0], given[0], 1e-4, 0);
  return x;
}

START_TEST(every_method_finds_the_ranks)
{
  static const double digits[] = {1e-9, 5e-9, 2e-8};
  for (int k = 0; k < 3; k++) {
    limb_model *exact = four_bar(0), *m = four_bar(digits[k]);
    limb_data *e, *d;
    limb_mobility mobility;
    assert_ok(limb_data_create(exact, NULL, &e));
    assert_ok(limb_data_create(m, NULL, &d));
    const answer want = solve(e, LIMB_LOOP_METHOD_AUTO);
    for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_PROXIMAL; method++) {
      check_at("digit %g, method %d", digits[k], method);
      const answer got = solve(d, (limb_loop_method)method);
      assert_close_array(got.q, want.q, NV, 0, 1e-6);
      assert_close_array(got.a, want.a, NV, 1e-4, 0);
      assert_ok(limb_mobility_at(d, got.q, NULL, &mobility));
      ck_assert_int_eq(mobility.mobility, 1);
      ck_assert_int_eq(mobility.redundant, 4);
    }
    limb_data_destroy(d), limb_data_destroy(e);
    limb_model_destroy(m), limb_model_destroy(exact);
  }
}
END_TEST

CHECK_MAIN("loops/rounded loops", 1, every_method_finds_the_ranks)
