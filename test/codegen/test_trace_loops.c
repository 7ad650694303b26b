// Robots with loops, traced: the expressions against the library, on fixtures and in states taken at random;
// the platform form; hybrid dynamics; and what cannot be had.
#include "codegen/traced.h"

#include "loops/parallel_bench.h"

enum { STATES = CHECK_SANITIZED ? 2 : 6 };

// ---- loops ----------------------------------------------------------------------------------------------

// Laws in time, and what is due to the rows agreeing on the surface only.
static int is_left_out(const closed_case* c) { return (c->flags & CLOSED_LAW) != 0; }

START_TEST(loops_as_the_library_has_them)
{
  if (_i >= closed_count()) return;
  closed_case c = closed_make(_i, 1);
  if (!is_left_out(&c)) compare_loops(c.m, STATES);
  closed_free(&c);
}
END_TEST

// Two motions, and motors at the first joints.
static limb_model* five_bar_with(int motors)
{
  static const char* const joints[] = {"1", "2", "3", "4"};
  return closed_with_motors(closed_five_bar(), joints, motors);
}

// Four motors for two motions: forces of least norm.
START_TEST(motors_in_excess)
{
  limb_model* m = five_bar_with(4);
  limb_error err = {0};
  traced t;
  fixture_ok(trace_model(m, "G,tau", NULL, &t, &err), &err);
  compare_states(&t, STATES);
  traced_free(&t);
  limb_model_destroy(m);
}
END_TEST

// Numbers of the robot and gravity as inputs: the robot's own numbers give the same values.
START_TEST(numbers_may_stay_symbols)
{
  if (_i >= closed_count()) return;
  closed_case c = closed_make(_i, 3);
  if (!is_left_out(&c) && !(c.flags & CLOSED_RANDOM)) {
    limb_error err = {0};
    limb_codegen_options o = limb_default_codegen_options();
    traced t;
    o.what = "G,acc,reduced_h", o.symbols = LIMB_SYMBOLS_ALL, o.gravity_argument = 1;
    fixture_ok(trace_with(c.m, o, &t, &err), &err);
    assert_that(t.p->input[INPUT_PARAMETER].count > 0);
    compare_states(&t, STATES);
    traced_free(&t);
  }
  closed_free(&c);
}
END_TEST

START_TEST(friction_may_be_left_out)
{
  limb_error err = {0};
  limb_codegen_options o = limb_default_codegen_options();
  traced t;
  closed_case c = closed_find("random", 5);
  o.what = "G,acc,reduced_h", o.friction = 0;
  fixture_ok(trace_with(c.m, o, &t, &err), &err);
  compare_states(&t, STATES);
  traced_free(&t);
  closed_free(&c);
}
END_TEST

// ---- platforms ------------------------------------------------------------------------------------------

static const struct {
  limb_model* (*make)(void);
  const char* platform; // NULL: found
} platforms[] = {{gough_floating, NULL},      {gough_floating, "plate"},    {gough_hanging, "platform"},
                 {gough_upside_down, NULL},   {closed_gough_stewart, NULL}, {delta_robot, NULL},
                 {closed_3rrr, "platform"},   {planar_robot, NULL},         {closed_five_bar, "2"},
                 {usual_four_bar, "coupler"}, {closed_slider_crank, "rod"}};

enum { PLATFORMS = sizeof platforms / sizeof platforms[0] };

START_TEST(platforms_as_the_library_has_them)
{
  if (_i >= PLATFORMS) return;
  limb_error err = {0};
  traced t;
  limb_model* m = platforms[_i].make();
  const char* what = "platform_tau,platform_acc,platform_J";
  fixture_ok(trace_model(m, what, platforms[_i].platform, &t, &err), &err);
  compare_states(&t, STATES);
  traced_free(&t);
  limb_model_destroy(m);
}
END_TEST

// ---- hybrid ---------------------------------------------------------------------------------------------

START_TEST(hybrid_as_the_library_has_it)
{
  int count;
  const robot* table = robot_table(&count);
  if (_i >= count || table[_i].flags & ROBOT_LONG) return;
  limb_model* m = table[_i].make();
  compare_hybrid(m, STATES);
  limb_model_destroy(m);
}
END_TEST

// ---- what cannot be had -----------------------------------------------------------------------------------

static void refused(limb_model* m, const char* what, const char* why)
{
  limb_error err = {0};
  traced t;
  check_at("%s of %s", what, limb_model_name(m));
  assert_status(trace_model(m, what, NULL, &t, &err), LIMB_E_UNSUPPORTED);
  assert_that(!t.p);
  if (!strstr(err.text, why)) ck_abort_msg("'%s' does not say '%s'", err.text, why);
  limb_model_destroy(m);
}

// Two bars between two points of the floor: nothing moves.
static limb_model* triangle(void)
{
  limb_builder* b = fixture_begin("triangle");
  const double I[6] = {0.01, 0, 0, 0.1, 0, 0.1};
  const sp_inertia bar = fixture_inertia(1, sp_v3(0.3, 0, 0), I);
  const int one = closed_hinge(b, "one", LIMB_WORLD_BODY, sp_pose_identity(), bar, 1, 1);
  const int two = closed_hinge(b, "two", one, fixture_at(0.6, 0, 0), bar, 0, -2);
  closed_join(b, "pin", LIMB_LOOP_PIN, LIMB_WORLD_BODY, fixture_at(0.7, 0, 0), two, fixture_at(0.6, 0, 0));
  return fixture_end(b);
}

START_TEST(refusals)
{
  refused(robot_panda(), "Psi", "no loops");
  refused(robot_panda(), "acc_lambda", "no loops");
  refused(robot_panda(), "tree_tau", "use 'tau'");
  refused(closed_five_bar(), "C", "use 'tree_C' for the spanning tree");
  refused(closed_five_bar(), "M", "use 'tree_M' for the spanning tree, 'reduced_M' for the independent coordinates");
  refused(closed_driven_arm(), "gamma", "prescribed motion");
  refused(closed_driven_arm(), "acc", "prescribed motion");
  refused(five_bar_with(1), "tau", "no motor");
  refused(closed_four_bar(10, 0.35, 0.9, 0.7), "G", "no configuration");
  refused(triangle(), "acc", "singular closed form");
  refused(robot_panda(), "platform_tau", "no loops");
}
END_TEST

// Of a platform, and of nothing that is fixed to one.
START_TEST(platforms_are_bodies)
{
  limb_builder* b = fixture_begin("crank");
  const double I[6] = {0.01, 0, 0, 0.1, 0, 0.1};
  const sp_inertia bar = fixture_inertia(1, sp_v3(0.3, 0, 0), I);
  const int one = closed_hinge(b, "one", LIMB_WORLD_BODY, sp_pose_identity(), bar, 1, 1);
  const int two = closed_hinge(b, "two", one, fixture_at(0.6, 0, 0), bar, 0, -1);
  const int three = closed_hinge(b, "three", two, fixture_at(0.6, 0, 0), bar, 0, -1);
  closed_join(b, "pin", LIMB_LOOP_PIN, LIMB_WORLD_BODY, fixture_at(0.7, 0, 0), three, fixture_at(0.6, 0, 0));
  fixture_frame(b, "tool", two, fixture_at(0.3, 0.1, 0));
  limb_model* m = fixture_end(b);
  limb_error err = {0};
  traced t;
  fixture_ok(trace_model(m, "platform_J", "two", &t, &err), &err);
  traced_free(&t);
  assert_status(trace_model(m, "platform_J", "tool", &t, &err), LIMB_E_ARG);
  ck_assert_str_eq(err.where, "frame");
  limb_model_destroy(m);
}
END_TEST

// Fingers that a gear moves apart, each with the same friction: signs of two velocities are two signs.
START_TEST(equal_friction_on_both_sides)
{
  limb_builder* b = fixture_begin("fingers");
  const double I[6] = {0.001, 0, 0, 0.001, 0, 0.001};
  int joint[2];
  for (int k = 0; k < 2; k++) {
    const char* name = k ? "right" : "left";
    const int body = fixture_body(b, name, fixture_inertia(0.1, sp_v3(0, 0.01, 0), I));
    limb_joint_def def = limb_default_joint_def(name, LIMB_PRISMATIC, LIMB_WORLD_BODY, body);
    def.axis = sp_v3(0, 1, 0), def.coulomb = 3;
    joint[k] = fixture_joint(b, &def);
  }
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = joint[0], gear.other = joint[1], gear.coefficient[1] = -1;
  closed_add_loop(b, &gear);
  limb_model* m = fixture_end(b);
  limb_codegen_options o = limb_default_codegen_options();
  limb_codegen* c;
  limb_error err = {0};
  o.what = "reduced_h,tau";
  const limb_status s = limb_codegen_create(m, &o, NULL, &c, &err);
  ck_assert_msg(s == LIMB_OK, "%s: %s", err.where, err.text);
  limb_codegen_free(c);
  limb_model_destroy(m);
}
END_TEST

int CHECK_NAME(void)
{
  int robots;
  (void)robot_table(&robots);
  int most = closed_count() > PLATFORMS ? closed_count() : PLATFORMS;
  if (robots > most) most = robots;
  const TTest* const all[] = {loops_as_the_library_has_them, numbers_may_stay_symbols,
                              platforms_as_the_library_has_them, hybrid_as_the_library_has_it, NULL};
  const TTest* const once[] = {motors_in_excess,     friction_may_be_left_out,     refusals,
                               platforms_are_bodies, equal_friction_on_both_sides, NULL};
  const int failed = check_run("trace_loops", most, all);
  return check_run("trace_loops_refusals", 1, once) | failed;
}
