// Frame Jacobians and their rates: arguments, zero columns, and that they give the velocities.
#include "kinematics/moving.h"
#include "support/robots.h"

#include <stdbool.h>

static const limb_ref REFS[] = {LIMB_BODY, LIMB_WORLD, LIMB_ALIGNED};

START_TEST(arguments)
{
  moving r = moving_begin(robot_quadruped(), 1);
  sp_motion J[MOVING_MAX];
  const int count = limb_frame_count(r.m);
  assert_ok(limb_frame_jacobian_at(r.d, r.q, count - 1, LIMB_BODY, J)); // the others still have nothing to go by:
  assert_status(limb_frame_jacobian(r.d, 1, LIMB_BODY, J), LIMB_E_ORDER);
  assert_status(limb_frame_jacobian_at(NULL, r.q, 1, LIMB_BODY, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_at(r.d, NULL, 1, LIMB_BODY, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_at(r.d, r.q, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_at(r.d, r.q, count, LIMB_BODY, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_at(r.d, r.q, 1, (limb_ref)7, J), LIMB_E_ARG);
  assert_ok(limb_kinematics(r.d, r.q, NULL, NULL));
  assert_ok(limb_frame_jacobian(r.d, 1, LIMB_BODY, J));
  assert_status(limb_frame_jacobian_rate(r.d, 1, LIMB_BODY, J), LIMB_E_ORDER);
  assert_status(limb_frame_jacobian_rate_times_v(r.d, 1, LIMB_BODY, J), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, r.v, NULL));
  limb_status (*const calls[])(const limb_data*, int, limb_ref, sp_motion*) = {limb_frame_jacobian,
                                                                               limb_frame_jacobian_rate};
  for (int k = 0; k < 2; k++) {
    assert_ok(calls[k](r.d, count - 1, LIMB_ALIGNED, J));
    assert_status(calls[k](NULL, 1, LIMB_BODY, J), LIMB_E_ARG);
    assert_status(calls[k](r.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
    assert_status(calls[k](r.d, -1, LIMB_BODY, J), LIMB_E_ARG);
    assert_status(calls[k](r.d, count, LIMB_BODY, J), LIMB_E_ARG);
    assert_status(calls[k](r.d, 1, (limb_ref)7, J), LIMB_E_ARG);
  }
  assert_status(limb_frame_jacobian_rate_times_v(NULL, 1, LIMB_BODY, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate_times_v(r.d, 1, LIMB_BODY, NULL), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate_times_v(r.d, count, LIMB_BODY, J), LIMB_E_ARG);
  assert_status(limb_frame_jacobian_rate_times_v(r.d, 1, (limb_ref)3, J), LIMB_E_ARG);
  moving_end(&r);
}
END_TEST

static bool is_zero(sp_motion x)
{
  return sp_dot3(x.w, x.w) + sp_dot3(x.v, x.v) == 0; // columns off the path are set, not computed
}

// Whether the joint that moves with v[k] lies between the frame's body and the world.
static bool on_path(const limb_model* m, int frame, int k)
{
  limb_frame_info f;
  assert_ok(limb_get_frame(m, frame, &f));
  for (int b = f.body; b > 0;) {
    limb_body_info body;
    limb_joint_info joint;
    assert_ok(limb_get_body(m, b, &body));
    assert_ok(limb_get_joint(m, body.joint, &joint));
    const int nv = joint.def.mimic >= 0 ? 1 : joint.nv;
    if (k >= joint.v && k < joint.v + nv) return true;
    b = body.parent;
  }
  return false;
}

START_TEST(columns_off_the_path_are_zero)
{
  limb_model* (*const make[])(void) = {robot_humanoid, robot_hand, robot_tree5};
  moving r = moving_begin(make[_i](), 2);
  sp_motion J[MOVING_MAX], Jdot[MOVING_MAX];
  assert_ok(limb_kinematics(r.d, r.q, r.v, NULL));
  for (int frame = 0; frame < limb_frame_count(r.m); frame++) {
    // what was there before must be gone
    for (int k = 0; k < r.nv; k++) J[k] = Jdot[k] = (sp_motion){{1, 1, 1}, {1, 1, 1}};
    assert_ok(limb_frame_jacobian(r.d, frame, LIMB_WORLD, J));
    assert_ok(limb_frame_jacobian_rate(r.d, frame, LIMB_WORLD, Jdot));
    for (int k = 0; k < r.nv; k++) {
      check_at("robot %d, frame %d, column %d", _i, frame, k);
      const bool path = on_path(r.m, frame, k);
      assert_that(is_zero(J[k]) == !path);
      assert_that(path || is_zero(Jdot[k]));
    }
  }
  moving_end(&r);
}
END_TEST

// J v is the velocity; J a + Jdot v the acceleration; Jdot the difference of J along the path.
START_TEST(derivatives)
{
  moving r = moving_begin(robot_random_tree((uint64_t)_i + 5, 20, ROBOT_MIMIC), (uint64_t)_i + 3);
  sp_motion J0[MOVING_MAX], J1[MOVING_MAX], J[MOVING_MAX], Jdot[MOVING_MAX], rate[MOVING_MAX];
  const int n = r.nv;
  for (int c = 0; c < 3 * limb_frame_count(r.m); c++) {
    const int frame = c / 3;
    const limb_ref ref = REFS[c % 3];
    check_at("tree %d, frame %d, reference %d", _i + 5, frame, (int)ref);
    moving_to(&r, -MOVING_STEP);
    assert_ok(limb_frame_jacobian(r.d, frame, ref, J0));
    moving_to(&r, MOVING_STEP);
    assert_ok(limb_frame_jacobian(r.d, frame, ref, J1));
    moving_rate(&J0[0].w.x, &J1[0].w.x, 6 * n, &rate[0].w.x);
    moving_to(&r, 0);
    assert_ok(limb_frame_jacobian(r.d, frame, ref, J));
    assert_ok(limb_frame_jacobian_rate(r.d, frame, ref, Jdot));
    assert_close_motions(Jdot, rate, n, TOL_FD, TOL_FD);

    sp_motion v, a, Jv;
    assert_ok(limb_frame_velocity(r.d, frame, ref, &v));
    assert_close_motion(moving_sum(J, r.v, n), v, TOL_ALGEBRA, TOL_ALGEBRA);
    assert_ok(limb_frame_jacobian_rate_times_v(r.d, frame, ref, &Jv));
    assert_close_motion(moving_sum(Jdot, r.v, n), Jv, TOL_ALGEBRA, TOL_ALGEBRA);
    if (ref == LIMB_ALIGNED)
      assert_ok(limb_frame_classical_acceleration(r.d, frame, ref, &a));
    else
      assert_ok(limb_frame_acceleration(r.d, frame, ref, &a));
    assert_close_motion(sp_addm(moving_sum(J, r.a, n), Jv), a, TOL_ALGEBRA, TOL_ALGEBRA);
  }
  moving_end(&r);
}
END_TEST

// A robot far from the world's origin keeps its digits in its own references.
START_TEST(far_away)
{
  moving r = moving_begin(robot_quadruped(), 4);
  const int foot = limb_frame_count(r.m) - 1;
  const limb_ref refs[] = {LIMB_BODY, LIMB_ALIGNED};
  sp_motion near_by[2][MOVING_MAX], J[MOVING_MAX];
  for (int k = 0; k < 3; k++) r.q[k] = 0;
  assert_ok(limb_kinematics(r.d, r.q, NULL, NULL));
  for (int k = 0; k < 2; k++) assert_ok(limb_frame_jacobian(r.d, foot, refs[k], near_by[k]));
  for (int k = 0; k < 3; k++) r.q[k] = 1e6;
  assert_ok(limb_kinematics(r.d, r.q, NULL, NULL));
  for (int k = 0; k < 2; k++) {
    assert_ok(limb_frame_jacobian(r.d, foot, refs[k], J));
    assert_close_motions(J, near_by[k], r.nv, 1e-9, 0); // 1e6 m are known to 1e-10 m
  }
  moving_end(&r);
}
END_TEST

CHECK_MAIN("jacobian", 3, arguments, columns_off_the_path_are_zero, derivatives, far_away)
