// Centre of mass: arguments, robots without mass, a case by hand, differences along a path.
#include "kinematics/moving.h"
#include "support/robots.h"
#include "support/robots_impl.h"

// Point masses: 1 fixed at (0, 0, 3), 2 at the end of an arm of length 1 that turns about z.
static limb_model* make_crane(double scale)
{
  limb_builder* b = fixture_begin("crane");
  const int mast = fixture_link(b, "mast", LIMB_FIXED, 0, fixture_at(0, 0, 2), sp_v3(0, 0, 1),
                                limb_inertia_point(scale * 1, sp_v3(0, 0, 1)));
  (void)fixture_link(b, "arm", LIMB_REVOLUTE, mast, fixture_at(0, 0, 1), sp_v3(0, 0, 1),
                     limb_inertia_point(scale * 2, sp_v3(1, 0, 0)));
  return fixture_end(b);
}

START_TEST(arguments)
{
  moving r = moving_begin(make_crane(1), 1);
  sp_vec3 c, v, a, J[1];
  assert_status(limb_center_of_mass(NULL, &c, &v, &a), LIMB_E_ARG);
  assert_status(limb_center_of_mass_jacobian(NULL, J), LIMB_E_ARG);
  assert_status(limb_center_of_mass_jacobian(r.d, NULL), LIMB_E_ARG);
  assert_status(limb_center_of_mass(r.d, &c, NULL, NULL), LIMB_E_ORDER);
  assert_status(limb_center_of_mass_jacobian(r.d, J), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, NULL, NULL));
  assert_ok(limb_center_of_mass(r.d, &c, NULL, NULL));
  assert_ok(limb_center_of_mass(r.d, NULL, NULL, NULL));
  assert_ok(limb_center_of_mass_jacobian(r.d, J));
  assert_status(limb_center_of_mass(r.d, &c, &v, NULL), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, r.v, NULL));
  assert_ok(limb_center_of_mass(r.d, NULL, &v, NULL));
  assert_status(limb_center_of_mass(r.d, &c, &v, &a), LIMB_E_ORDER);
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  assert_ok(limb_center_of_mass(r.d, &c, &v, &a));
  moving_end(&r);
}
END_TEST

START_TEST(without_mass)
{
  moving r = moving_begin(make_crane(0), 2);
  sp_vec3 c, J[1];
  sp_force f;
  assert_ok(limb_kinematics(r.d, r.q, r.v, r.a));
  assert_status(limb_center_of_mass(r.d, &c, NULL, NULL), LIMB_E_SINGULAR);
  assert_status(limb_center_of_mass_jacobian(r.d, J), LIMB_E_SINGULAR);
  // there is no centre to take momentum about, but about the origin it is zero
  const sp_force none = {{0, 0, 0}, {0, 0, 0}};
  assert_status(limb_momentum(r.d, 1, &f), LIMB_E_SINGULAR);
  assert_ok(limb_momentum(r.d, 0, &f));
  assert_close_force(f, none, 0, 0);
  moving_end(&r);
}
END_TEST

START_TEST(by_hand)
{
  moving r = moving_begin(make_crane(1), 3);
  const double right = acos(0.0), w = 3, dw = 6;
  sp_vec3 c, v, a, J[1];
  assert_ok(limb_kinematics(r.d, &right, &w, &dw));
  assert_ok(limb_center_of_mass(r.d, &c, &v, &a));
  assert_close_vec3(c, sp_v3(0, 2.0 / 3, 3), TOL_ALGEBRA, 0);
  assert_close_vec3(v, sp_v3(-2, 0, 0), TOL_ALGEBRA, 0);
  assert_close_vec3(a, sp_v3(-4, -6, 0), TOL_ALGEBRA, 0);
  assert_ok(limb_center_of_mass_jacobian(r.d, J));
  assert_close_vec3(J[0], sp_v3(-2.0 / 3, 0, 0), TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

// The sum over the bodies as described, whatever was merged and regrouped.
static sp_vec3 center_of_bodies(const moving* r)
{
  sp_vec3 sum = {0, 0, 0};
  for (int b = 0; b < limb_body_count(r->m); b++) {
    limb_body_info info;
    sp_pose X;
    assert_ok(limb_get_body(r->m, b, &info));
    assert_ok(limb_frame_pose(r->d, b, &X));
    sum = sp_add3(sum, sp_scale3(info.inertia.mass, sp_point(X, info.inertia.com)));
  }
  return sp_scale3(1 / limb_total_mass(r->m), sum);
}

START_TEST(differences)
{
  moving r = moving_begin(robot_random_tree((uint64_t)_i + 9, 30, ROBOT_MIMIC), (uint64_t)_i + 4);
  sp_vec3 c0, c1, v0, v1, c, v, a, rate, J[MOVING_MAX], Jv = {0, 0, 0};
  moving_to(&r, -MOVING_STEP);
  assert_ok(limb_center_of_mass(r.d, &c0, &v0, NULL));
  moving_to(&r, MOVING_STEP);
  assert_ok(limb_center_of_mass(r.d, &c1, &v1, NULL));
  moving_to(&r, 0);
  assert_ok(limb_center_of_mass(r.d, &c, &v, &a));
  check_at("tree %d", _i + 9);
  assert_close_vec3(c, center_of_bodies(&r), TOL_ALGEBRA, 0);
  moving_rate(&c0.x, &c1.x, 3, &rate.x);
  assert_close_vec3(v, rate, TOL_FD, 0);
  moving_rate(&v0.x, &v1.x, 3, &rate.x);
  assert_close_vec3(a, rate, TOL_FD, 0);
  assert_ok(limb_center_of_mass_jacobian(r.d, J));
  for (int k = 0; k < r.nv; k++) Jv = sp_add3(Jv, sp_scale3(r.v[k], J[k]));
  assert_close_vec3(Jv, v, TOL_ALGEBRA, 0);
  moving_end(&r);
}
END_TEST

CHECK_MAIN("com", 4, arguments, without_mass, by_hand, differences)
