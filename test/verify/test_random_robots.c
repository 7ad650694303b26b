// Does limb_verify agree with itself on any robot? Every alarm on a random robot is a mistake: of the library, of the
// reference, or of the tolerance. LIMB_TEST_ROBOTS=first:count tries others; tools/tier2 robots tries 100,000.
#include "limb/verify.h"

#include "support/check.h"
#include "support/robots.h"

#include <stdio.h>
#include <stdlib.h>

enum { STATES = 3 };

// Prints what failed; how many did.
static int alarms_of(uint64_t seed)
{
  limb_model* m = robot_any(seed);
  limb_verification* v = NULL;
  limb_verify_options o = limb_default_verify();
  limb_verify_result r;
  int count = 0;
  o.states = STATES, o.seed = seed;
  const limb_status s = limb_verify(m, &o, &v, NULL);
  // Closures hold at a random configuration, which nobody is told: it may not be found again.
  if (s != LIMB_E_NOCONV) assert_ok(s);
  for (int k = 0; s == LIMB_OK && limb_verification_get(v, k, &r) == LIMB_OK; k++) {
    if (r.verdict != LIMB_VERDICT_FAILED) continue;
    count++;
    (void)fprintf(stderr, "robot %llu: %s by %s and %s: %.2g (tolerance %.2g, condition %.1e), %s\n",
                  (unsigned long long)seed, r.quantity, r.first, r.second, r.difference, r.tolerance,
                  limb_verification_summary(v).condition, limb_status_text(r.status));
  }
  limb_verification_destroy(v);
  limb_model_destroy(m);
  return count;
}

// Robots that raised an alarm once: articulated bodies that lost digits behind a light base, a leg that carries the
// platform and closes on itself, light and heavy bodies in one loop, a rod about its own axis, springs near rest, a
// tree without mass in a direction in which loops hardly give it any, a closure that does not touch the platform.
START_TEST(alarms_of_the_past)
{
  static const unsigned long long seeds[] = {1664,  5486,  9370,  21696, 22792, 23294, 9441,  39339,  52886,
                                             53266, 54693, 57654, 59063, 62504, 65841, 72006, 104224, 114360};
  int alarms = 0;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    check_at("robot %llu", seeds[i]);
    alarms += alarms_of(seeds[i]);
  }
  ck_assert_int_eq(alarms, 0);
}
END_TEST

START_TEST(every_alarm_is_a_true_one)
{
  const char* range = getenv("LIMB_TEST_ROBOTS");
  unsigned long long first = 0, count = CHECK_EFFORT(20, 300, 300);
  int alarms = 0;
  if (range) assert_that(sscanf(range, "%llu:%llu", &first, &count) == 2);
  for (unsigned long long seed = first; seed < first + count; seed++) {
    check_at("robot %llu", seed);
    alarms += alarms_of(seed) > 0;
  }
  ck_assert_int_eq(alarms, 0);
}
END_TEST

CHECK_MAIN("verify/random_robots", 1, alarms_of_the_past, every_alarm_is_a_true_one)
