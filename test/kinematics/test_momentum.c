// Momentum, its rate and its matrix: arguments, one body by hand, differences along a path.
#include "kinematics/moving.h"
#include "support/robots.h"
#include "support/robots_impl.h"

START_TEST(arguments)
{
  moving r = moving_begin(robot_quadruped(), 1);
  sp_force f, A[MOVING_MAX];
  for (int centroidal = 0; centroidal < 2; centroidal++) {
    assert_status(limb_momentum(NULL, centroidal, &f), LIMB_E_ARG);
    assert_status(limb_momentum(r.d, centroidal, NULL), LIMB_E_ARG);
    assert_status(limb_momentum_rate(NULL, centroidal, &f), LIMB_E_ARG);
    assert_status(limb_momentum_rate(r.d, centroidal, NULL), LIMB_E_ARG);
    assert_status(limb_momentum_matrix(NULL, centroidal, A), LIMB_E_ARG);
    assert_status(limb_momentum_matrix(r.d, centroidal, NULL), LIMB_E_ARG);
    assert_status(limb_momentum_matrix_at(NULL, r.q, centroidal, A), LIMB_E_ARG);
    assert_status(limb_momentum_matrix_at(r.d, NULL, centroidal, A), LIMB_E_ARG);
    assert_status(limb_momentum_matrix_at(r.d, r.q, centroidal, NULL), LIMB_E_ARG);
    assert_ok(limb_momentum_matrix_at(r.d, r.q, centroidal, A));
  }
  assert_status(limb_momentum_matrix(r.d, 0, A), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, NULL, NULL));
  assert_ok(limb_momentum_matrix(r.d, 1, A));
  assert_status(limb_momentum(r.d, 0, &f), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, r.v, NULL));
  assert_ok(limb_momentum(r.d, 1, &f));
  assert_status(limb_momentum_rate(r.d, 0, &f), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  assert_ok(limb_momentum_rate(r.d, 1, &f));
  moving_end(&r);
}
END_TEST

// One box in space: R I w about its centre, and the orbital part about the world's origin.
START_TEST(one_body)
{
  limb_builder* b = fixture_begin("box");
  const sp_vec3 com = {0.1, 0.2, 0.3};
  sp_inertia box = limb_inertia_box(2, 1, 2, 3);
  box.com = com;
  (void)fixture_link(b, "box", LIMB_FREE, 0, sp_pose_identity(), sp_v3(0, 0, 1), box);
  moving r = moving_begin(fixture_end(b), 2);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  sp_pose X;
  sp_motion v;
  sp_force f;
  assert_ok(limb_frame_pose(r.d, 1, &X));
  assert_ok(limb_frame_velocity(r.d, 1, LIMB_BODY, &v));
  const sp_vec3 spin = sp_v3(box.xx * v.w.x, box.yy * v.w.y, box.zz * v.w.z);
  const sp_vec3 L = sp_mulv(X.R, spin);
  const sp_vec3 p = sp_scale3(2, sp_mulv(X.R, sp_add3(v.v, sp_cross3(v.w, com))));
  assert_ok(limb_momentum(r.d, 1, &f));
  assert_close_force(f, sp_force_make(L, p), TOL_ALGEBRA, 0);
  assert_ok(limb_momentum(r.d, 0, &f));
  assert_close_force(f, sp_force_make(sp_add3(L, sp_cross3(sp_point(X, com), p)), p), TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

// What cannot move has no momentum, but shifts the centre.
START_TEST(fixed_bodies_only)
{
  limb_builder* b = fixture_begin("table");
  (void)fixture_link(b, "table", LIMB_FIXED, 0, fixture_at(1, 0, 0), sp_v3(0, 0, 1), limb_inertia_box(10, 1, 1, 1));
  moving r = moving_begin(fixture_end(b), 3);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  const sp_force none = {{0, 0, 0}, {0, 0, 0}};
  sp_force f;
  sp_vec3 c;
  for (int centroidal = 0; centroidal < 2; centroidal++) {
    assert_ok(limb_momentum(r.d, centroidal, &f));
    assert_close_force(f, none, 0, 0);
    assert_ok(limb_momentum_rate(r.d, centroidal, &f));
    assert_close_force(f, none, 0, 0);
    assert_ok(limb_momentum_matrix(r.d, centroidal, &f));
  }
  assert_ok(limb_center_of_mass(r.d, &c, NULL, NULL));
  assert_close_vec3(c, sp_v3(1, 0, 0), TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

START_TEST(differences)
{
  moving r = moving_begin(robot_random_tree((uint64_t)_i + 20, 30, ROBOT_MIMIC), (uint64_t)_i + 5);
  for (int centroidal = 0; centroidal < 2; centroidal++) {
    check_at("tree %d, centroidal %d", _i + 20, centroidal);
    sp_force h0, h1, h, rate, want, A[MOVING_MAX], Av = {{0, 0, 0}, {0, 0, 0}};
    moving_to(&r, -MOVING_STEP);
    assert_ok(limb_momentum(r.d, centroidal, &h0));
    moving_to(&r, MOVING_STEP);
    assert_ok(limb_momentum(r.d, centroidal, &h1));
    moving_rate(&h0.m.x, &h1.m.x, 6, &want.m.x);
    moving_to(&r, 0);
    assert_ok(limb_momentum_rate(r.d, centroidal, &rate));
    assert_close_force(rate, want, TOL_FD, 0);
    assert_ok(limb_momentum(r.d, centroidal, &h));
    assert_ok(limb_momentum_matrix(r.d, centroidal, A));
    for (int k = 0; k < r.nv; k++) Av = sp_addf(Av, sp_scalef(r.v[k], A[k]));
    assert_close_force(Av, h, TOL_ALGEBRA, 0);
    sp_vec3 velocity;
    assert_ok(limb_center_of_mass(r.d, NULL, &velocity, NULL));
    assert_close_vec3(h.f, sp_scale3(limb_total_mass(r.m), velocity), TOL_ALGEBRA, 0);
  }
  moving_end(&r);
}
END_TEST

CHECK_MAIN("momentum", 4, arguments, one_body, fixed_bodies_only, differences)
