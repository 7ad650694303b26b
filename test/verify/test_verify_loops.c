// Would limb_verify see a mistake in a robot with loops? As in test_verify.c: the checks are compiled
// with a comparison that is given a wrong second formulation, and every one must notice; without the
// mistake, none must.
#include "support/check.h"
#include "support/closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Under other names: limb_verify has its own.
#define verify_loops           mistaken_loops
#define verify_other_forms     mistaken_other_forms
#define verify_is_dense        mistaken_is_dense
#define verify_multipliers     mistaken_multipliers
#define verify_get_multipliers mistaken_get_multipliers
#define verify_loops_open      mistaken_loops_open
#define verify_loops_free      mistaken_loops_free
#define verify_close           mistaken_close
#define verify_free_cuts       mistaken_free_cuts

#include "mistaken.h"

#define verify_compare compare_mistaken
#include "verify/checks_loops.c"  // NOLINT(bugprone-suspicious-include)
#include "verify/closed_states.c" // NOLINT(bugprone-suspicious-include)
#undef verify_compare

// The largest disagreement of a check in a few states; -1 when it is not for this robot.
static double largest_off(limb_model* m, const verify_check* check)
{
  const limb_environment env = limb_default_environment(m);
  limb_assembly_report report;
  verify t;
  double most = -1;
  assert_ok(verify_create(&t, m, &env, 1));
  assert_ok(verify_loops_open(&t, &report));
  for (int state = 0; state < (CHECK_SANITIZED ? 2 : 8); state++) {
    double off = 0;
    assert_ok(verify_next(&t));
    const limb_status s = check->run(&t, &off);
    if (s == LIMB_OK) most = fmax(most, off);
    if (s != LIMB_OK) assert_that(s == LIMB_E_UNSUPPORTED || s == LIMB_E_SINGULAR);
  }
  verify_loops_free(&t);
  verify_free(&t);
  return most;
}

static double tolerance(const verify_check* check) { return check->class >= VERIFY_DIFFERENCES ? 1e-6 : 1e-9; }

static const verify_check* const lists[] = {verify_loops, verify_other_forms};
static const char* const robots[] = {"four_bar", "five_bar", "gough_stewart", "bennett"};

enum { ROBOTS = sizeof robots / sizeof *robots };

START_TEST(mistakes_are_seen)
{
  if (_i >= ROBOTS) return;
  closed_case x = closed_find(robots[_i], 1);
  int made = 0;
  for (size_t k = 0; k < 2; k++) {
    for (const verify_check* c = lists[k]; c->quantity; c++) {
      check_at("%s: %s: %s, %s", x.name, c->quantity, c->first, c->second);
      mistake = c->class >= VERIFY_DIFFERENCES ? 1e-3 : 1e-5;
      const double off = largest_off(x.m, c);
      if (off < 0) assert_that(c->unless);
      if (off >= 0) assert_that(off > tolerance(c));
      made += off >= 0;
    }
  }
  assert_that(made >= 12);
  closed_free(&x);
}
END_TEST

START_TEST(without_them_all_agree)
{
  closed_case x = closed_make(_i, 1);
  mistake = 0;
  for (size_t k = 0; k < 2; k++) {
    for (const verify_check* c = lists[k]; c->quantity; c++) {
      check_at("%s: %s: %s, %s", x.name, c->quantity, c->first, c->second);
      assert_that(largest_off(x.m, c) <= tolerance(c));
    }
  }
  closed_free(&x);
}
END_TEST

CHECK_MAIN("verify_loops", closed_count(), mistakes_are_seen, without_them_all_agree)
