// Who sticks, slips or rests at a stop, in chains of any length: the answer satisfies the law of friction and
// the law of stops joint by joint. With h for the force that holds a joint, beside everything else that acts,
//
//     a = 0:  least <= h <= most,      a > 0:  h = least,      a < 0:  h = most
#include "sim/slides.h"
#include "support/rng.h"

#include <stdbool.h>

enum { LONG = 250, CHAINS = CHECK_SANITIZED ? 50 : 1000 };

// Masses, friction (between little and more than gravity needs) and places at random: at stops or between.
static void make_links(rng* r, int n, bool stops, slide* s, double* q)
{
  for (int k = 0; k < n; k++) {
    const double coulomb = 0.01 + 4 * n * pow(rng_uniform(r, 0, 1), 3);
    s[k] = (slide){LIMB_REVOLUTE, rng_uniform(r, 0.2, 1.2), 0.02, 0.2, coulomb, 0, 0, -0.3, stops ? 0.3 : 9};
    q[k] = stops ? 0.3 * (rng_below(r, 3) - 1) : rng_uniform(r, -0.25, 0.25);
  }
}

// How far a joint is from what the laws say.
static double contradiction(const slide* s, bool stops, double q, double a, double h)
{
  const double least = stops && q >= s->upper ? -HUGE_VAL : -s->coulomb;
  const double most = stops && q <= s->lower ? HUGE_VAL : s->coulomb;
  if (a == 0) return fmax(h - most, least - h);
  return fabs(h - (a > 0 ? least : most));
}

static void decide(rng* r, int n, bool stops, int* moving)
{
  slide s[LONG];
  double q[LONG], tau[LONG], size = 1;
  make_links(r, n, stops, s, q);
  limb_model* m = slides_build(n, s, 0, -9.81);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  limb_sim_options o = slides_options(m);
  o.stop = stops ? LIMB_STOP_HOLD : LIMB_STOP_NONE;
  limb_sim* sim = slides_start(m, &o, q, NULL);
  const limb_sim_state x = slides_now(sim);
  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  assert_ok(limb_inverse_dynamics(d, x.q, x.v, x.a, &env, tau));
  for (int k = 0; k < n; k++) size = fmax(size, fabs(tau[k]));
  for (int k = 0; k < n; k++) {
    const double miss = contradiction(&s[k], stops, x.q[k], x.a[k], tau[k]);
    check_at("%d joints, joint %d: a %g, h %g, friction %g", n, k, x.a[k], tau[k], s[k].coulomb);
    assert_that(miss <= 1e-9 * size);
    *moving += x.a[k] != 0;
  }
  limb_sim_destroy(sim);
  limb_data_destroy(d);
  limb_model_destroy(m);
}

START_TEST(laws_hold_joint_by_joint)
{
  rng r = {5};
  int moving = 0;
  for (int k = 0; k < CHAINS; k++) decide(&r, k % 4 ? 40 + k % 100 : 3 + k % 10, k % 5, &moving);
  for (int k = 0; k < CHAINS / 50; k++) decide(&r, LONG, k % 5, &moving);
  assert_that(moving > CHAINS);
}
END_TEST

CHECK_MAIN("decide", 1, laws_hold_joint_by_joint)
