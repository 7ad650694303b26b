// Poses, velocities and accelerations: arguments, order of calls, and robots done by hand.
#include "kinematics/moving.h"
#include "support/robots.h"
#include "support/robots_impl.h"

static const limb_ref REFS[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};

static sp_inertia no_mass(void) { return limb_inertia_point(0, sp_v3(0, 0, 0)); }

// A mast fixed to the world, a hinge about z on it and a screw about x on that; frames on each.
static limb_model* make_mast(void)
{
  limb_builder* b = fixture_begin("mast");
  const int mast =
    fixture_link(b, "mast", LIMB_FIXED, 0, fixture_at(1, 2, 3), sp_v3(0, 0, 1), limb_inertia_point(5, sp_v3(0, 0, 1)));
  const int arm = fixture_link(b, "arm", LIMB_REVOLUTE, mast, fixture_at(0, 0, 1), sp_v3(0, 0, 1),
                               limb_inertia_point(1, sp_v3(1, 0, 0)));
  int bit;
  limb_body_def body = limb_default_body_def("bit");
  body.inertia = limb_inertia_point(1, sp_v3(0, 0, 0));
  assert_ok(limb_builder_add_body(b, &body, &bit, NULL));
  limb_joint_def screw = limb_default_joint_def("screw", LIMB_HELICAL, arm, bit);
  screw.placement = fixture_at(2, 0, 0);
  screw.axis = sp_v3(1, 0, 0);
  screw.pitch = 0.25;
  (void)fixture_joint(b, &screw);
  fixture_frame(b, "flag", mast, fixture_at(0, 0, 4));
  fixture_frame(b, "tip", bit, fixture_at(0, 1, 0));
  fixture_frame(b, "mark", 0, fixture_at(7, 8, 9));
  return fixture_end(b);
}

START_TEST(arguments)
{
  moving r = moving_begin(make_mast(), 1);
  const int count = limb_frame_count(r.m);
  sp_pose X;
  sp_motion x;
  assert_status(limb_kinematics(NULL, r.q, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_kinematics(r.d, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_kinematics(r.d, r.q, NULL, r.a), LIMB_E_ARG);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  assert_status(limb_frame_pose(NULL, 0, &X), LIMB_E_ARG);
  assert_status(limb_frame_pose(r.d, 0, NULL), LIMB_E_ARG);
  assert_status(limb_frame_pose(r.d, -1, &X), LIMB_E_ARG);
  assert_status(limb_frame_pose(r.d, count, &X), LIMB_E_ARG);
  assert_ok(limb_frame_pose(r.d, count - 1, &X));
  limb_status (*const calls[])(const limb_data*, int, limb_ref, sp_motion*) = {
    limb_frame_velocity, limb_frame_acceleration, limb_frame_classical_acceleration};
  for (int k = 0; k < 3; k++) {
    assert_status(calls[k](NULL, 0, LIMB_BODY, &x), LIMB_E_ARG);
    assert_status(calls[k](r.d, 0, LIMB_BODY, NULL), LIMB_E_ARG);
    assert_status(calls[k](r.d, -1, LIMB_BODY, &x), LIMB_E_ARG);
    assert_status(calls[k](r.d, count, LIMB_BODY, &x), LIMB_E_ARG);
    assert_status(calls[k](r.d, 0, (limb_ref)3, &x), LIMB_E_ARG);
    assert_status(calls[k](r.d, 0, (limb_ref)-1, &x), LIMB_E_ARG);
    assert_ok(calls[k](r.d, count - 1, LIMB_ALIGNED, &x));
  }
  moving_end(&r);
}
END_TEST

START_TEST(order_of_calls)
{
  moving r = moving_begin(make_mast(), 2);
  sp_pose X;
  sp_motion x;
  assert_status(limb_frame_pose(r.d, 0, &X), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  assert_ok(limb_frame_acceleration(r.d, 2, LIMB_BODY, &x));
  // later calls with less take the rest away
  assert_ok(limb_kinematics(r.d, r.q, r.v, NULL));
  assert_ok(limb_frame_velocity(r.d, 2, LIMB_BODY, &x));
  assert_status(limb_frame_acceleration(r.d, 2, LIMB_BODY, &x), LIMB_E_ORDER);
  assert_status(limb_frame_classical_acceleration(r.d, 2, LIMB_BODY, &x), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, NULL, NULL));
  assert_ok(limb_frame_pose(r.d, 2, &X));
  assert_status(limb_frame_velocity(r.d, 2, LIMB_BODY, &x), LIMB_E_ORDER);
  // and so does one that fails
  r.q[0] = (double)NAN;
  assert_status(limb_kinematics(r.d, r.q, NULL, NULL), LIMB_E_NONFINITE);
  assert_status(limb_frame_pose(r.d, 2, &X), LIMB_E_ORDER);
  moving_end(&r);
}
END_TEST

START_TEST(bad_numbers)
{
  moving r = moving_begin(robot_quadruped(), 3);
  double* const input[] = {r.q, r.v, r.a};
  const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 3; k++) {
    double* x = &input[k][r.nv - 1];
    const double kept = *x;
    for (int n = 0; n < 3; n++) {
      *x = bad[n];
      assert_status(limb_kinematics(r.d, r.q, r.v, r.a), LIMB_E_NONFINITE);
    }
    *x = kept;
  }
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  // the base's quaternion is q[3..6]: its norm may be off by 1e-3
  sp_pose before, after;
  assert_ok(limb_frame_pose(r.d, 5, &before));
  const double scale[] = {1.0009, 0.9991, 1.0011, 0.9989, 0};
  for (int k = 0; k < 5; k++) {
    double q[MOVING_MAX];
    for (int n = 0; n < limb_nq(r.m); n++) q[n] = r.q[n];
    for (int n = 3; n < 7; n++) q[n] *= scale[k];
    assert_status(limb_kinematics(r.d, q, r.v, r.a), k < 2 ? LIMB_OK : LIMB_E_ARG);
    if (k >= 2) continue;
    assert_ok(limb_frame_pose(r.d, 5, &after));
    assert_close_pose(after, before, TOL_ALGEBRA, 0);
  }
  moving_end(&r);
}
END_TEST

START_TEST(world_alone)
{
  limb_model* m = fixture_end(fixture_begin("nothing"));
  moving r = moving_begin(m, 4);
  assert_that(r.nv == 0);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  sp_pose X;
  sp_motion x;
  const sp_motion none = {{0, 0, 0}, {0, 0, 0}};
  assert_ok(limb_frame_pose(r.d, LIMB_WORLD_BODY, &X));
  assert_close_pose(X, sp_pose_identity(), 0, 0);
  for (int k = 0; k < 3; k++) {
    assert_ok(limb_frame_velocity(r.d, 0, REFS[k], &x));
    assert_close_motion(x, none, 0, 0);
    assert_ok(limb_frame_classical_acceleration(r.d, 0, REFS[k], &x));
    assert_close_motion(x, none, 0, 0);
  }
  moving_end(&r);
}
END_TEST

START_TEST(fixed_frames)
{
  moving r = moving_begin(make_mast(), 5);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  const sp_motion none = {{0, 0, 0}, {0, 0, 0}};
  const char* const names[] = {"world", "mast", "flag", "mark"};
  const sp_vec3 places[] = {{0, 0, 0}, {1, 2, 3}, {1, 2, 7}, {7, 8, 9}};
  for (int k = 0; k < 4; k++) {
    const int frame = limb_find_frame(r.m, names[k]);
    sp_pose X;
    sp_motion x;
    assert_ok(limb_frame_pose(r.d, frame, &X));
    assert_close_pose(X, sp_pose_make(sp_identity3(), places[k]), TOL_ALGEBRA, 0);
    for (int n = 0; n < 3; n++) {
      assert_ok(limb_frame_velocity(r.d, frame, REFS[n], &x));
      assert_close_motion(x, none, 0, 0);
      assert_ok(limb_frame_acceleration(r.d, frame, REFS[n], &x));
      assert_close_motion(x, none, 0, 0);
    }
  }
  moving_end(&r);
}
END_TEST

// The hinge stands at 90 degrees and turns with w, the screw at 90 degrees with s: the tip, 1 from the
// screw's axis, is above the end of the arm.
START_TEST(by_hand)
{
  moving r = moving_begin(make_mast(), 6);
  const double right = acos(0.0), w = 2, s = 3, pitch = 0.25;
  const double q[] = {right, right}, v[] = {w, s}, a[] = {0, 0};
  const int tip = limb_find_frame(r.m, "tip");
  assert_ok(limb_kinematics(r.d, q, v, a));
  sp_pose X;
  sp_motion x;
  assert_ok(limb_frame_pose(r.d, tip, &X));
  const double reach = 2 + pitch * right; // along the arm, now the world's y
  assert_close_vec3(X.p, sp_v3(1, 2 + reach, 5), TOL_ALGEBRA, 0);
  // x of the bit is the world's y, its y is z
  const sp_mat3 R = {{0, 0, 1, 1, 0, 0, 0, 1, 0}};
  assert_close_pose(X, sp_pose_make(R, X.p), TOL_ALGEBRA, 0);

  // the hinge moves it along -x, the screw along +x (s x 1) and forward
  const sp_motion aligned = {{0, s, w}, {-w * reach + s, pitch * s, 0}};
  assert_ok(limb_frame_velocity(r.d, tip, LIMB_ALIGNED, &x));
  assert_close_motion(x, aligned, TOL_ALGEBRA, 0);
  assert_ok(limb_frame_velocity(r.d, tip, LIMB_BODY, &x));
  assert_close_motion(x, sp_motion_make(sp_v3(s, w, 0), sp_v3(pitch * s, 0, s - w * reach)), TOL_ALGEBRA, 0);
  assert_ok(limb_frame_velocity(r.d, tip, LIMB_WORLD, &x));
  assert_close_motion(x, sp_motion_make(aligned.w, sp_add3(aligned.v, sp_cross3(X.p, aligned.w))), TOL_ALGEBRA, 0);

  // centripetal of the hinge and of the screw, Coriolis of what moves along the arm and across it
  const sp_vec3 centripetal = {0, -w * w * reach, -s * s};
  const sp_vec3 coriolis = {-2 * w * pitch * s, 2 * w * s, 0};
  assert_ok(limb_frame_classical_acceleration(r.d, tip, LIMB_ALIGNED, &x));
  assert_close_vec3(x.v, sp_add3(centripetal, coriolis), TOL_ALGEBRA, 0);
  assert_close_vec3(x.w, sp_v3(-w * s, 0, 0), TOL_ALGEBRA, 0);
  assert_ok(limb_frame_acceleration(r.d, tip, LIMB_ALIGNED, &x));
  assert_close_vec3(sp_add3(x.v, sp_cross3(aligned.w, aligned.v)), sp_add3(centripetal, coriolis), TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

// Ball and free joints: the velocities are those of the child in its own axes.
START_TEST(velocities_in_child_axes)
{
  limb_builder* b = fixture_begin("two");
  const int ball = fixture_link(b, "ball", LIMB_SPHERICAL, 0, fixture_at(1, 0, 0), sp_v3(0, 0, 1), no_mass());
  const int ship = fixture_link(b, "ship", LIMB_FREE, 0, fixture_at(0, 1, 0), sp_v3(0, 0, 1), no_mass());
  moving r = moving_begin(fixture_end(b), 7);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  sp_motion x;
  assert_ok(limb_frame_velocity(r.d, ball, LIMB_BODY, &x));
  assert_close_motion(x, sp_motion_make(sp_v3(r.v[0], r.v[1], r.v[2]), sp_v3(0, 0, 0)), TOL_ALGEBRA, 0);
  assert_ok(limb_frame_velocity(r.d, ship, LIMB_BODY, &x));
  assert_close_motion(x, sp_motion_make(sp_v3(r.v[3], r.v[4], r.v[5]), sp_v3(r.v[6], r.v[7], r.v[8])), TOL_ALGEBRA, 0);
  sp_pose X;
  assert_ok(limb_frame_pose(r.d, ship, &X));
  assert_close_vec3(X.p, sp_v3(r.q[4], r.q[5] + 1, r.q[6]), TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

static void read_all(const limb_data* d, int frame, sp_pose* X, sp_motion v[3])
{
  assert_ok(limb_frame_pose(d, frame, X));
  for (int k = 0; k < 3; k++) assert_ok(limb_frame_velocity(d, frame, REFS[k], &v[k]));
}

// Velocity and accelerations against differences along a path, over a tree with every joint type.
START_TEST(differences)
{
  moving r = moving_begin(robot_random_tree((uint64_t)_i + 1, 20, ROBOT_MIMIC), (uint64_t)_i + 10);
  for (int frame = 0; frame < limb_frame_count(r.m); frame++) {
    check_at("tree %d, frame %d", _i + 1, frame);
    sp_pose X0, X1;
    sp_motion v0[3], v1[3], v[3], rate[3];
    moving_to(&r, -MOVING_STEP);
    read_all(r.d, frame, &X0, v0);
    moving_to(&r, MOVING_STEP);
    read_all(r.d, frame, &X1, v1);
    sp_vec3 velocity;
    moving_rate(&X0.p.x, &X1.p.x, 3, &velocity.x);
    for (int k = 0; k < 3; k++) moving_rate(&v0[k].w.x, &v1[k].w.x, 6, &rate[k].w.x);

    moving_to(&r, 0);
    sp_pose X;
    sp_motion a;
    read_all(r.d, frame, &X, v);
    assert_close_vec3(v[LIMB_ALIGNED].v, velocity, TOL_FD, TOL_FD);
    for (int k = 0; k < 2; k++) { // BODY, WORLD: the derivative of the twist
      assert_ok(limb_frame_acceleration(r.d, frame, REFS[k], &a));
      assert_close_motion(a, rate[k], TOL_FD, TOL_FD);
    }
    assert_ok(limb_frame_classical_acceleration(r.d, frame, LIMB_ALIGNED, &a));
    assert_close_motion(a, rate[LIMB_ALIGNED], TOL_FD, TOL_FD);

    // the other ways to see the same acceleration
    sp_motion world, aligned, body;
    assert_ok(limb_frame_classical_acceleration(r.d, frame, LIMB_BODY, &body));
    assert_close_vec3(sp_mulv(X.R, body.v), a.v, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_ok(limb_frame_acceleration(r.d, frame, LIMB_WORLD, &world));
    assert_ok(limb_frame_acceleration(r.d, frame, LIMB_ALIGNED, &aligned));
    assert_close_motion(sp_motion_in(sp_pose_make(sp_identity3(), X.p), world), aligned, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_ok(limb_frame_classical_acceleration(r.d, frame, LIMB_WORLD, &a));
    assert_close_vec3(a.v, sp_add3(world.v, sp_cross3(v[LIMB_WORLD].w, v[LIMB_WORLD].v)), TOL_ALGEBRA, TOL_ALGEBRA);
  }
  moving_end(&r);
}
END_TEST

// Dynamics calls have their own scratch.
START_TEST(dynamics_do_not_disturb)
{
  moving r = moving_begin(robot_hand(), 8);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  const int last = limb_frame_count(r.m) - 1;
  sp_pose X, Y;
  sp_motion a, b;
  assert_ok(limb_frame_pose(r.d, last, &X));
  assert_ok(limb_frame_acceleration(r.d, last, LIMB_WORLD, &a));
  double q[MOVING_MAX], tau[MOVING_MAX];
  sp_force f[MOVING_MAX];
  limb_energy e;
  limb_power p;
  assert_ok(limb_neutral(r.m, q));
  assert_ok(limb_inverse_dynamics(r.d, q, r.a, r.v, NULL, tau));
  assert_ok(limb_energies(r.d, q, r.a, NULL, &e));
  assert_ok(limb_power_balance(r.d, q, r.a, r.v, NULL, &p));
  assert_ok(limb_joint_reactions(r.d, q, r.a, r.v, NULL, LIMB_BODY, f));
  assert_ok(limb_frame_pose(r.d, last, &Y));
  assert_ok(limb_frame_acceleration(r.d, last, LIMB_WORLD, &b));
  assert_close_pose(Y, X, 0, 0);
  assert_close_motion(b, a, 0, 0);
  moving_end(&r);
}
END_TEST

CHECK_MAIN("frames", 3, arguments, order_of_calls, bad_numbers, world_alone, fixed_frames, by_hand,
           velocities_in_child_axes, differences, dynamics_do_not_disturb)
