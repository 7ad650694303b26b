// Would limb_verify see a mistake? Its checks are compiled here with a comparison that is given a wrong
// second formulation, and every one of them must notice; without the mistake, none must.
#include "support/check.h"
#include "support/robots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mistaken.h"

// Under other names: limb_verify has its own.
#define verify_compare     compare_mistaken
#define verify_dynamics    mistaken_dynamics
#define verify_hybrid      mistaken_hybrid
#define verify_motion      mistaken_motion
#define verify_forms       mistaken_forms
#define verify_derivatives mistaken_derivatives
#define verify_lagrange    mistaken_lagrange
#include "verify/checks_derivatives.c" // NOLINT(bugprone-suspicious-include)
#include "verify/checks_dynamics.c"    // NOLINT(bugprone-suspicious-include)
#include "verify/checks_motion.c"      // NOLINT(bugprone-suspicious-include)
#undef verify_compare

// The largest disagreement of a check in a few states; -1 when it is not for this robot.
static double largest_off(limb_model* m, const verify_check* check, int weightless)
{
  limb_environment env = limb_default_environment(m);
  verify t;
  double most = 0;
  if (weightless) env.gravity = sp_v3(0, 0, 0);
  assert_ok(verify_create(&t, m, &env, 1));
  for (int state = 0; state < 20 && most >= 0; state++) {
    double off = 0;
    assert_ok(verify_next(&t));
    const limb_status s = check->run(&t, &off);
    if (s == LIMB_E_UNSUPPORTED && check->unless) {
      most = -1;
    } else {
      assert_ok(s);
      most = fmax(most, off);
    }
  }
  verify_free(&t);
  return most;
}

static double tolerance(const verify_check* check) { return check->class == VERIFY_DIFFERENCES ? 1e-6 : 1e-9; }

static const verify_check* const lists[] = {verify_dynamics,    verify_hybrid,   verify_motion,
                                            verify_derivatives, verify_lagrange, verify_forms};

enum { LISTS = sizeof lists / sizeof *lists };

START_TEST(mistakes_are_seen)
{
  static const char* const names[] = {"ur5", "tree5", "puma560", "quadruped"};
  const robot* fixture = robot_find(names[_i % 4]);
  limb_model* m = fixture->make();
  for (int k = 0; k < LISTS; k++) {
    for (const verify_check* c = lists[k]; c->quantity; c++) {
      check_at("%s: %s: %s, %s", fixture->name, c->quantity, c->first, c->second);
      mistake = c->class == VERIFY_DIFFERENCES ? 1e-4 : 1e-7;
      // The residual of the power balance is the library's own: there is no second formulation.
      const double off = largest_off(m, c, 0);
      // All are for a robot that floats; those of a free base for no other.
      if (off < 0) assert_that(c->unless && strcmp(fixture->name, "quadruped") != 0);
      if (off >= 0 && c->run != power) assert_that(off > tolerance(c));
    }
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(zeros_are_no_mistakes)
{
  static const char* const names[] = {"pendulum", "point_mass_2r", "scara", "quadruped"};
  const robot* fixture = robot_find(names[_i % 4]);
  limb_model* m = fixture->make();
  mistake = 0;
  for (int k = 0; k < LISTS; k++) {
    for (const verify_check* c = lists[k]; c->quantity; c++) {
      check_at("%s: %s: %s, %s", fixture->name, c->quantity, c->first, c->second);
      assert_that(largest_off(m, c, 0) <= tolerance(c));
      assert_that(largest_off(m, c, 1) <= tolerance(c));
    }
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("verify", 4, mistakes_are_seen, zeros_are_no_mistakes)
