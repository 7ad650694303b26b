// Friction and stops in every joint of robots with loops: nothing fails, no energy is lost or found, and what
// comes to rest is at rest.
#include "sim/slides.h"
#include "support/closed.h"

#include <stdbool.h>

// A copy whose joints with one degree of freedom all rub, and have limits about where they are.
static limb_model* rubbing(const closed_case* c, double coulomb, double range)
{
  const limb_model* m = c->m;
  limb_builder* b = NULL;
  limb_model* out = NULL;
  limb_error err;
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_set_gravity(b, limb_default_environment(m).gravity));
  for (int i = 1; i < limb_body_count(m); i++) {
    limb_body_info x;
    assert_ok(limb_get_body(m, i, &x));
    limb_body_def body = limb_default_body_def(x.name);
    body.inertia = x.inertia;
    assert_ok(limb_builder_add_body(b, &body, NULL, &err));
  }
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    assert_ok(limb_get_joint(m, j, &x));
    if (x.nv == 1 && x.nq == 1) {
      x.def.coulomb = coulomb * (1 + j % 3);
      if (range > 0) x.def.q_min = c->q[x.q] - range, x.def.q_max = c->q[x.q] + 1.1 * range;
      if (range > 0) x.def.start = c->q[x.q];
    }
    assert_ok(limb_builder_add_joint(b, &x.def, NULL, &err));
  }
  for (int l = 0; l < limb_loop_count(m); l++) {
    limb_loop_info x;
    assert_ok(limb_get_loop(m, l, &x));
    assert_ok(limb_builder_add_loop(b, &x.def, NULL, &err));
  }
  assert_ok(limb_builder_build(b, &out, &err));
  limb_builder_destroy(b);
  return out;
}

static const char* const robots[] = {"four_bar",  "four_bar_tilted", "five_bar", "slider_crank",
                                     "gear_pair", "bennett",         "ladder",   "3rrr"};

static void run(const closed_case* c, limb_sim_method method, limb_stop stop, double coulomb, bool at_rest)
{
  if (!limb_sim_has_method(method)) return;
  limb_model* m = rubbing(c, coulomb, stop == LIMB_STOP_NONE ? 0 : 0.05);
  limb_sim_options o = slides_options(m);
  o.method = method;
  o.stop = stop;
  o.stop_stiffness = 1e3, o.stop_damping = 1;
  limb_sim* sim = slides_start(m, &o, c->q, at_rest ? NULL : c->v);
  const double end = CHECK_EFFORT(0.02, 0.05, method == LIMB_SIM_RK4 ? 0.15 : 0.05);
  const limb_status s = limb_sim_advance(sim, end, NULL);
  check_at("%s, %s, stop %d, friction %g, at rest %d: %s", c->name, limb_sim_method_name(method), (int)stop, coulomb,
           at_rest, limb_sim_error(sim));
  assert_ok(s);
  limb_sim_summary x;
  assert_ok(limb_sim_summary_of(sim, &x));
  assert_that(x.position_residual < 1e-12 && fabs(slides_missing(sim)) < 1e-4);
  if (coulomb > 50) { // everything sticks from the beginning
    const limb_sim_state now = slides_now(sim);
    for (int k = 0; k < limb_nv(m) && at_rest; k++) assert_that(now.v[k] == 0);
    for (int k = 0; k < limb_nq(m) && at_rest; k++) assert_that(now.q[k] == c->q[k]);
  }
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}

START_TEST(every_joint_rubs)
{
  static const double coulomb[] = {0.03, 0.3, 2, 100};
  const closed_case c = closed_find(robots[_i], 3);
  for (int stop = LIMB_STOP_NONE; stop <= LIMB_STOP_IMPACT; stop++) {
    for (int k = 0; k < 4; k++) {
      run(&c, LIMB_SIM_RK4, (limb_stop)stop, coulomb[k], true);
      if (coulomb[k] < 50) run(&c, LIMB_SIM_RK4, (limb_stop)stop, coulomb[k], false);
    }
  }
  closed_case own = c;
  closed_free(&own);
}
END_TEST

// Held joints depend on each other: methods that solve for multipliers have rows too many then.
START_TEST(held_joints_depend_on_each_other)
{
  const closed_case c = closed_find(robots[_i], 3);
  for (int method = LIMB_SIM_AUTO; method <= LIMB_SIM_IDA; method++) {
    const bool exact = limb_sim_method_order((limb_sim_method)method) != 1;
    run(&c, (limb_sim_method)method, LIMB_STOP_NONE, 100, true);
    run(&c, (limb_sim_method)method, LIMB_STOP_HOLD, 100, true);
    if (exact) run(&c, (limb_sim_method)method, LIMB_STOP_NONE, 0.5, false);
  }
  closed_case own = c;
  closed_free(&own);
}
END_TEST

CHECK_MAIN("stops_loops", 8, every_joint_rubs, held_joints_depend_on_each_other)
