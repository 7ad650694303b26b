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
static limb_model* four_bar(double size, double digit)
{
  const double k2 = 0.01 * size * size, I[6] = {k2, 0, 0, 2 * k2, 0, 2 * k2};
  const sp_inertia bar = fixture_inertia(1, sp_v3(0.3 * size, 0, 0), I);
  limb_builder* b = fixture_begin("rounded_four_bar");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const int crank = closed_hinge(b, "crank", LIMB_WORLD_BODY, sp_pose_identity(), bar, 1, 1);
  const int coupler = closed_hinge(b, "coupler", crank, fixture_at(0.5 * size, 0, 0), bar, 0, -0.5);
  const int rocker = closed_hinge(b, "rocker", LIMB_WORLD_BODY, fixture_at(size, 0, 0), bar, 0, 1.5);
  const double x = 0.9 * size, y = 0.7 * size;
  if (digit == 0) closed_join(b, "pin", LIMB_LOOP_PIN, coupler, fixture_at(x, 0, 0), rocker, fixture_at(y, 0, 0));
  for (int k = 0; k < 2 && digit > 0; k++) {
    const double z = 0.02 * size * k;
    closed_join(b, k ? "far" : "near", LIMB_LOOP_BALL, coupler, rounded(x, 0, z, digit, k), rocker,
                rounded(y, 0, z, digit, 2 + k));
  }
  return fixture_end(b);
}

typedef struct answer {
  double q[NV], v[NV], a[NV], tau[NV];
} answer;

static answer solve(limb_data* d, double size, limb_loop_method method)
{
  answer x = {.v = {1, 0, 0}};
  const double given[NV] = {3 * size, 0, 0};
  const unsigned char held[NV] = {1, 0, 0};
  limb_assembly how = limb_default_assembly();
  limb_assembly_report report;
  limb_loop_settings o = limb_default_loop_settings();
  limb_loop_details details;
  how.held = held;
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
  assert_close(x.tau[0], given[0], 1e-3, 0);
  return x;
}

static void check(double size, double digit)
{
  limb_model *exact = four_bar(size, 0), *m = four_bar(size, digit);
  limb_data *e, *d;
  limb_mobility mobility;
  assert_ok(limb_data_create(exact, NULL, &e));
  assert_ok(limb_data_create(m, NULL, &d));
  const answer want = solve(e, size, LIMB_LOOP_METHOD_AUTO);
  // the proximal iteration says that it does not converge where constraints disagree by that much
  const int last = digit < 1e-6 * size ? LIMB_LOOP_METHOD_PROXIMAL : LIMB_LOOP_METHOD_KKT;
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= last; method++) {
    check_at("size %g, digit %g, method %d", size, digit, method);
    const answer got = solve(d, size, (limb_loop_method)method);
    assert_close_array(got.q, want.q, NV, 0, 10 * digit / size);
    assert_close_array(got.a, want.a, NV, 1e-3, 0);
    assert_ok(limb_mobility_at(d, got.q, NULL, &mobility));
    ck_assert_int_eq(mobility.mobility, 1);
    ck_assert_int_eq(mobility.redundant, 4);
  }
  limb_data_destroy(d), limb_data_destroy(e);
  limb_model_destroy(m), limb_model_destroy(exact);
}

// In the small one the digits are four millionths of a bar.
START_TEST(every_method_finds_the_ranks)
{
  static const double digits[] = {1e-9, 5e-9, 2e-8};
  for (int k = 0; k < 3; k++) check(1, digits[k]), check(0.01, digits[k]);
}
END_TEST

CHECK_MAIN("loops/rounded loops", 1, every_method_finds_the_ranks)
