// Joint reactions: arguments, statics and a spinning arm by hand, and the reference formulation.
#include "kinematics/moving.h"
#include "support/robots.h"
#include "support/robots_impl.h"

#include "limb/verify.h"

// Two masses stacked on the world by fixed joints, and an arm about z on top of them.
static limb_model* make_stack(void)
{
  limb_builder* b = fixture_begin("stack");
  const int foot = fixture_link(b, "foot", LIMB_FIXED, 0, fixture_at(1, 0, 0), sp_v3(0, 0, 1),
                                limb_inertia_point(3, sp_v3(0, 0, 0.5)));
  const int post = fixture_link(b, "post", LIMB_FIXED, foot, sp_pose_make(sp_rot_rpy(0, 0, acos(0.0)), sp_v3(0, 0, 1)),
                                sp_v3(0, 0, 1), limb_inertia_point(2, sp_v3(1, 0, 0)));
  const int arm = fixture_link(b, "arm", LIMB_REVOLUTE, post, fixture_at(0, 0, 1), sp_v3(0, 0, 1),
                               limb_inertia_point(1, sp_v3(2, 0, 0)));
  fixture_frame(b, "tip", arm, fixture_at(2, 0, 0));
  fixture_frame(b, "mark", 0, fixture_at(5, 5, 5));
  fixture_gravity(b, sp_v3(0, 0, -10));
  return fixture_end(b);
}

START_TEST(arguments)
{
  moving r = moving_begin(make_stack(), 1);
  sp_force f[3];
  assert_status(limb_joint_reactions(NULL, r.q, r.v, r.a, NULL, LIMB_BODY, f), LIMB_E_ARG);
  assert_status(limb_joint_reactions(r.d, NULL, r.v, r.a, NULL, LIMB_BODY, f), LIMB_E_ARG);
  assert_status(limb_joint_reactions(r.d, r.q, NULL, r.a, NULL, LIMB_BODY, f), LIMB_E_ARG);
  assert_status(limb_joint_reactions(r.d, r.q, r.v, NULL, NULL, LIMB_BODY, f), LIMB_E_ARG);
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, NULL, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, NULL, (limb_ref)3, f), LIMB_E_ARG);
  limb_wrench w = {limb_frame_count(r.m), LIMB_BODY, {{0, 0, 0}, {0, 0, 0}}};
  limb_environment env = limb_default_environment(r.m);
  env.nwrench = 1;
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, &env, LIMB_BODY, f), LIMB_E_ARG);
  env.wrench = &w;
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, &env, LIMB_BODY, f), LIMB_E_ARG);
  w.frame = -1;
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, &env, LIMB_BODY, f), LIMB_E_ARG);
  w.frame = 1;
  w.ref = (limb_ref)4;
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, &env, LIMB_BODY, f), LIMB_E_ARG);
  w.ref = LIMB_WORLD;
  assert_ok(limb_joint_reactions(r.d, r.q, r.v, r.a, &env, LIMB_BODY, f));
  moving_end(&r);
}
END_TEST

START_TEST(bad_numbers)
{
  moving r = moving_begin(make_stack(), 2);
  sp_force f[3];
  double* const input[] = {r.q, r.v, r.a};
  for (int k = 0; k < 3; k++) {
    const double kept = input[k][0];
    input[k][0] = (double)NAN;
    assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, NULL, LIMB_BODY, f), LIMB_E_NONFINITE);
    input[k][0] = kept;
  }
  limb_environment env = limb_default_environment(r.m);
  env.base_velocity.w.z = HUGE_VAL;
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, &env, LIMB_BODY, f), LIMB_E_NONFINITE);
  // finite input, infinite force
  r.v[0] = 1e200;
  assert_status(limb_joint_reactions(r.d, r.q, r.v, r.a, NULL, LIMB_BODY, f), LIMB_E_NONFINITE);
  moving_end(&r);
}
END_TEST

// At rest the joints carry the weight above them, with its moment.
START_TEST(weight)
{
  moving r = moving_begin(make_stack(), 3);
  const double q = 0, v = 0, a = 0;
  sp_force f[3];
  // arm: 10 N at x' = 2 of the post's axes, which are turned by 90 degrees: world y
  assert_ok(limb_joint_reactions(r.d, &q, &v, &a, NULL, LIMB_ALIGNED, f));
  assert_close_force(f[2], sp_force_make(sp_v3(20, 0, 0), sp_v3(0, 0, 10)), TOL_ALGEBRA, 0);
  assert_close_force(f[1], sp_force_make(sp_v3(40, 0, 0), sp_v3(0, 0, 30)), TOL_ALGEBRA, 0);
  assert_close_force(f[0], sp_force_make(sp_v3(40, 0, 0), sp_v3(0, 0, 60)), TOL_ALGEBRA, 0);
  assert_ok(limb_joint_reactions(r.d, &q, &v, &a, NULL, LIMB_BODY, f));
  assert_close_force(f[2], sp_force_make(sp_v3(0, -20, 0), sp_v3(0, 0, 10)), TOL_ALGEBRA, 0);
  assert_close_force(f[1], sp_force_make(sp_v3(0, -40, 0), sp_v3(0, 0, 30)), TOL_ALGEBRA, 0);
  assert_close_force(f[0], sp_force_make(sp_v3(40, 0, 0), sp_v3(0, 0, 60)), TOL_ALGEBRA, 0);
  // about the world's origin, 1 along x away: the weights gain -x moments about y
  assert_ok(limb_joint_reactions(r.d, &q, &v, &a, NULL, LIMB_WORLD, f));
  assert_close_force(f[2], sp_force_make(sp_v3(20, -10, 0), sp_v3(0, 0, 10)), TOL_ALGEBRA, 0);
  assert_close_force(f[0], sp_force_make(sp_v3(40, -60, 0), sp_v3(0, 0, 60)), TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

// A push at the tip, named in three ways; pushes on the world do nothing.
START_TEST(wrenches)
{
  moving r = moving_begin(make_stack(), 4);
  const double q = 0, v = 0, a = 0;
  const int tip = limb_find_frame(r.m, "tip"), mark = limb_find_frame(r.m, "mark");
  // the tip is at (1, 2, 2), its x along the world's y; 4 N along the world's x
  const limb_wrench push[] = {{tip, LIMB_BODY, {{0, 0, 0}, {0, -4, 0}}},
                              {tip, LIMB_ALIGNED, {{0, 0, 0}, {4, 0, 0}}},
                              {tip, LIMB_WORLD, {{0, 8, -8}, {4, 0, 0}}},
                              {mark, LIMB_ALIGNED, {{1, 2, 3}, {4, 5, 6}}},
                              {0, LIMB_BODY, {{1, 2, 3}, {4, 5, 6}}}};
  for (int k = 0; k < 5; k++) {
    check_at("wrench %d", k);
    limb_environment env = limb_default_environment(r.m);
    env.gravity = sp_v3(0, 0, 0);
    env.wrench = &push[k];
    env.nwrench = 1;
    sp_force f[3];
    const double on = k < 3;
    assert_ok(limb_joint_reactions(r.d, &q, &v, &a, &env, LIMB_ALIGNED, f));
    assert_close_force(f[2], sp_force_make(sp_v3(0, 0, 8 * on), sp_v3(-4 * on, 0, 0)), TOL_ALGEBRA, TOL_ALGEBRA);
    assert_close_force(f[1], sp_force_make(sp_v3(0, -4 * on, 8 * on), sp_v3(-4 * on, 0, 0)), TOL_ALGEBRA, TOL_ALGEBRA);
    assert_close_force(f[0], sp_force_make(sp_v3(0, -8 * on, 8 * on), sp_v3(-4 * on, 0, 0)), TOL_ALGEBRA, TOL_ALGEBRA);
  }
  moving_end(&r);
}
END_TEST

// The arm turns with w: the hinge pulls with m w^2 r. The same when the world turns instead.
START_TEST(spinning)
{
  moving r = moving_begin(make_stack(), 5);
  const double q = 0, zero = 0, w = 3;
  limb_environment env = limb_default_environment(r.m);
  env.gravity = sp_v3(0, 0, 0);
  const sp_force pull = {{0, 0, 0}, {-1 * w * w * 2, 0, 0}};
  sp_force f[3];
  assert_ok(limb_joint_reactions(r.d, &q, &w, &zero, &env, LIMB_BODY, f));
  assert_close_force(f[2], pull, TOL_ALGEBRA, TOL_ALGEBRA);
  // about an axis through the hinge, at (1, 0): the origin of the world runs around it, and however
  // fast both run along does not matter
  env.base_velocity = sp_motion_make(sp_v3(0, 0, w), sp_v3(1e6, 2e6, 3e6));
  env.base_acceleration = sp_motion_make(sp_v3(0, 0, 0), sp_v3(w * w, 0, 0));
  assert_ok(limb_joint_reactions(r.d, &q, &zero, &zero, &env, LIMB_BODY, f));
  assert_close_force(f[2], pull, TOL_ALGEBRA, TOL_ALGEBRA);
  // both: 2 w
  assert_ok(limb_joint_reactions(r.d, &q, &w, &zero, &env, LIMB_BODY, f));
  assert_close_force(f[2], sp_scalef(4, pull), TOL_ALGEBRA, TOL_ALGEBRA);
  // the post's own mass, at 1 from the axis, turns with the world only
  assert_close_force(f[1], sp_force_make(sp_v3(0, -72, 0), sp_v3(-72 - 18, 0, 0)), TOL_ALGEBRA, TOL_ALGEBRA);
  moving_end(&r);
}
END_TEST

START_TEST(world_alone)
{
  moving r = moving_begin(fixture_end(fixture_begin("nothing")), 6);
  sp_force f[1];
  assert_ok(limb_joint_reactions(r.d, r.q, r.v, r.a, NULL, LIMB_BODY, f));
  moving_end(&r);
}
END_TEST

// Every joint type, mimics, a moving base and wrenches, against the Lie-group form of Lynch and Park 2017.
START_TEST(reference_form)
{
  moving r = moving_begin(robot_random_tree((uint64_t)_i + 60, 40, ROBOT_MIMIC), (uint64_t)_i + 7);
  rng g = {(uint64_t)_i + 1};
  limb_wrench w[5];
  for (int k = 0; k < 5; k++) {
    w[k] = (limb_wrench){rng_below(&g, limb_frame_count(r.m)), (limb_ref)(k % 3), {rng_vec3(&g, 1), rng_vec3(&g, 1)}};
  }
  limb_environment env = limb_default_environment(r.m);
  env.gravity = rng_vec3(&g, 10);
  env.base_velocity = rng_motion(&g, 1, 1);
  env.base_acceleration = rng_motion(&g, 1, 1);
  env.wrench = w;
  env.nwrench = 5;
  const int nbody = limb_body_count(r.m), njoint = limb_joint_count(r.m);
  double tau[MOVING_MAX];
  sp_force on_body[MOVING_MAX], f[3][MOVING_MAX];
  assert_ok(limb_reference_inverse_dynamics(r.m, r.q, r.v, r.a, &env, tau, on_body));
  for (int k = 0; k < 3; k++) {
    assert_ok(limb_joint_reactions(r.d, r.q, r.v, r.a, &env, (limb_ref)k, f[k]));
  }
  assert_ok(limb_kinematics(r.d, r.q, NULL, NULL));
  double size = 0;
  for (int j = 0; j < njoint; j++) {
    size = fmax(size, fmax(sp_norm3(f[LIMB_ALIGNED][j].m), sp_norm3(f[LIMB_ALIGNED][j].f)));
  }
  for (int b = 1; b < nbody; b++) {
    check_at("tree %d, body %d", _i + 60, b);
    limb_body_info info;
    sp_pose X;
    assert_ok(limb_get_body(r.m, b, &info));
    assert_ok(limb_frame_pose(r.d, b, &X));
    const sp_force want = on_body[b], world = sp_force_out(X, want);
    const sp_force aligned = {sp_mulv(X.R, want.m), sp_mulv(X.R, want.f)};
    assert_close_force(f[LIMB_BODY][info.joint], want, 0, TOL_ALGEBRA * size);
    assert_close_force(f[LIMB_WORLD][info.joint], world, 0, 10 * TOL_ALGEBRA * size);
    assert_close_force(f[LIMB_ALIGNED][info.joint], aligned, 0, TOL_ALGEBRA * size);
  }
  moving_end(&r);
}
END_TEST

CHECK_MAIN("reactions", 4, arguments, bad_numbers, weight, wrenches, spinning, world_alone, reference_form)
