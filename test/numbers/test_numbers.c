// The worked examples of the cited texts that concern trees, to twelve digits; test_ur5.c has
// the UR5.
#include "numbers/khalil_robots.h"
#include "numbers/numbers_data.h"
#include "numbers/rig.h"
#include "numbers/spatial_2r.h"
#include "support/robots_impl.h"

#include <string.h>

// ---- Lynch and Park 2017: 2R with point masses --------------------------------------------------

START_TEST(point_mass_2r)
{
  static const double q[2] = {0.5, 0.9}, v[2] = {1.2, -0.7}, a[2] = {0.4, -1.1};
  static const double want_M[4] = {4.634575949233061, 1.1372879746165312, 1.1372879746165312, 0.64};
  static const double want_c[2] = {0.745727217965364, 0.9023925998908608};
  static const double want_g[2] = {27.16115693391476, 1.3339021374810907};
  static const double want[2] = {28.509697759495165, 1.9872099272185642};
  rig r = rig_of(robot_point_mass_2r());
  double M[4], x[2];
  assert_ok(limb_mass_matrix(r.d, q, M));
  assert_close_matrix(M, want_M, 2, 2, TOL_NUMBERS, 0);
  const limb_environment none = rig_weightless(&r);
  assert_ok(limb_bias_forces(r.d, q, v, &none, x));
  assert_close_array(x, want_c, 2, TOL_NUMBERS, 0);
  assert_ok(limb_gravity_forces(r.d, q, NULL, x));
  assert_close_array(x, want_g, 2, TOL_NUMBERS, 0);
  assert_ok(limb_inverse_dynamics(r.d, q, v, a, NULL, x));
  assert_close_array(x, want, 2, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// ---- Ghosal 2010: 2R ----------------------------------------------------------------------------

START_TEST(planar_2r_on_a_circle)
{
  rig r = rig_of(robot_planar_2r());
  const int tip = limb_find_frame(r.m, "tip");
  for (size_t i = 0; i < sizeof circle / sizeof circle[0]; i++) {
    const double* row = circle[i];
    double tau[2], a[2];
    sp_pose X;
    check_at("2R on a circle, t = %g", row[0]);
    assert_ok(limb_inverse_dynamics(r.d, row + 3, row + 5, row + 7, NULL, tau));
    assert_close_array(tau, row + 9, 2, TOL_NUMBERS, 0);
    assert_ok(limb_forward_dynamics(r.d, row + 3, row + 5, row + 9, NULL, a));
    assert_close_array(a, row + 7, 2, 0, 1e-12 * 10); // torques of 200 N m through M^-1
    assert_ok(limb_kinematics(r.d, row + 3, NULL, NULL));
    assert_ok(limb_frame_pose(r.d, tip, &X));
    assert_close_vec3(X.p, sp_v3(row[1], row[2], 0), TOL_NUMBERS, 0);
  }
  rig_free(&r);
}
END_TEST

START_TEST(planar_2r_in_free_fall)
{
  rig r = rig_of(robot_planar_2r());
  const int tip = limb_find_frame(r.m, "tip");
  for (size_t i = 0; i < sizeof freefall / sizeof freefall[0]; i++) {
    const double* row = freefall[i];
    limb_energy e;
    sp_pose X;
    check_at("2R in free fall, row %d", (int)i);
    assert_ok(limb_energies(r.d, row, row + 2, NULL, &e));
    assert_close(e.kinetic + e.gravity, -267.02221555415794, TOL_NUMBERS, 0);
    assert_ok(limb_kinematics(r.d, row, NULL, NULL));
    assert_ok(limb_frame_pose(r.d, tip, &X));
    assert_close_vec3(X.p, sp_v3(row[4], row[5], 0), TOL_NUMBERS, 0);
  }
  rig_free(&r);
}
END_TEST

// dy/dt of y = (q, v) under no torque.
static void fall(const rig* r, const double y[4], double dy[4])
{
  static const double none[2] = {0, 0};
  dy[0] = y[2], dy[1] = y[3];
  assert_ok(limb_forward_dynamics(r->d, y, y + 2, none, NULL, dy + 2));
}

// Classical Runge-Kutta steps from each row to the next; the step is short enough for 1e-11.
START_TEST(planar_2r_falls_from_row_to_row)
{
  rig r = rig_of(robot_planar_2r());
  const int steps = 400;
  const double h = 0.1 / steps;
  for (int row = 0; row < 20; row++) {
    double y[4], z[4], k[4][4];
    memcpy(y, freefall[row], sizeof y);
    for (int i = 0; i < steps; i++) {
      fall(&r, y, k[0]);
      for (int s = 1; s < 4; s++) {
        const double part = s == 3 ? h : h / 2;
        for (int j = 0; j < 4; j++) z[j] = y[j] + part * k[s - 1][j];
        fall(&r, z, k[s]);
      }
      for (int j = 0; j < 4; j++) {
        y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
      }
    }
    check_at("2R in free fall, from row %d to the next", row);
    assert_close_array(y, freefall[row + 1], 4, 1e-11, 0);
  }
  rig_free(&r);
}
END_TEST

// ---- Khalil 2010: 2R with an elastic joint ------------------------------------------------------

START_TEST(spring_2r)
{
  rig r = rig_of(elastic_2r());
  static const double q[2] = {0.3, 0.45}, v[2] = {0.6, -0.9};
  static const double a[2] = {1.2, -29.368696603750177}, tau[2] = {-39.87533493634453, 0};
  static const double push[2] = {250, 0}, want[2] = {23.78269036932267, -79.94148733282181};
  double x[2];
  assert_ok(limb_inverse_dynamics(r.d, q, v, a, NULL, x));
  assert_close_array(x, tau, 2, TOL_NUMBERS,
                     TOL_NUMBERS * 100); // terms of 100 N m cancel in the passive joint
  assert_ok(limb_forward_dynamics(r.d, q, v, push, NULL, x));
  assert_close_array(x, want, 2, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// ---- Khalil 2010: tree of five joints -----------------------------------------------------------

START_TEST(tree_of_five)
{
  rig r = rig_of(robot_tree5());
  limb_wrench w[5];
  for (int i = 0; i < 5; i++) { // what each link does to the environment, linear first
    w[i] = limb_wrench_by_tip(i + 1, LIMB_BODY, sp_force_from_linear_first(tree5_fe + 6 * i));
  }
  limb_environment env = limb_default_environment(r.m);
  env.nwrench = 5, env.wrench = w;
  double x[5], M[25], work[25];
  assert_ok(limb_inverse_dynamics(r.d, tree5_q, tree5_v, tree5_a, &env, x));
  assert_close_array(x, tree5_tau, 5, TOL_NUMBERS, 0);
  assert_ok(limb_mass_matrix(r.d, tree5_q, M));
  assert_close_matrix(M, tree5_M, 5, 5, TOL_NUMBERS, 0);
  assert_ok(limb_bias_forces(r.d, tree5_q, tree5_v, &env, x));
  assert_close_array(x, tree5_bias, 5, TOL_NUMBERS, 0);
  assert_ok(limb_gravity_forces(r.d, tree5_q, &env, x));
  assert_close_array(x, tree5_gravity, 5, TOL_NUMBERS, 0);
  assert_ok(limb_forward_dynamics(r.d, tree5_q, tree5_v, tree5_tau_forward, &env, x));
  assert_close_array(x, tree5_a_forward, 5, TOL_NUMBERS, 0);
  assert_ok(limb_forward_dynamics_aba(r.d, tree5_q, tree5_v, tree5_tau_forward, &env, x));
  assert_close_array(x, tree5_a_forward, 5, TOL_NUMBERS, 0);
  assert_ok(limb_forward_dynamics_by_mass_matrix(r.d, tree5_q, tree5_v, tree5_tau_forward, &env, work, x));
  assert_close_array(x, tree5_a_forward, 5, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// ---- Khalil 2010: arm on a free base ------------------------------------------------------------

START_TEST(arm_with_free_base)
{
  static const int order[9] = {3, 4, 5, 0, 1, 2, 6, 7, 8};
  rig r = rig_of(arm_on_free_base());
  double q[10];
  base_configuration(q);
  const sp_motion v0 = sp_motion_from_linear_first(base_v0);
  const sp_vec3 wxv = sp_cross3(v0.w, v0.v);
  double v[9], a[9], x[9], M[81], want_M[81], want[9];
  from_paper(base_v0, base_v, sp_v3(0, 0, 0), v);
  from_paper(base_a0, base_a, wxv, a);
  assert_ok(limb_mass_matrix(r.d, q, M));
  for (int i = 0; i < 9; i++) {
    for (int j = 0; j < 9; j++) want_M[9 * i + j] = base_M[9 * order[i] + order[j]];
  }
  assert_close_matrix(M, want_M, 9, 9, TOL_NUMBERS, 0);
  // h = H + A (w x v): the two accelerations differ.
  assert_ok(limb_bias_forces(r.d, q, v, NULL, x));
  for (int i = 0; i < 9; i++) {
    const double* row = base_M + 9 * order[i];
    want[i] = base_bias[order[i]] + row[0] * wxv.x + row[1] * wxv.y + row[2] * wxv.z;
  }
  assert_close_array(x, want, 9, TOL_NUMBERS, 0);
  // Nothing pushes the base; the terms that cancel there are of the size of the weight, 100 N.
  const double tau[9] = {0, 0, 0, 0, 0, 0, base_tau[0], base_tau[1], base_tau[2]};
  assert_ok(limb_inverse_dynamics(r.d, q, v, a, NULL, x));
  assert_close_array(x, tau, 9, 0, TOL_NUMBERS * 100);
  const double push[9] = {0, 0, 0, 0, 0, 0, base_tau_forward[0], base_tau_forward[1], base_tau_forward[2]};
  assert_ok(limb_forward_dynamics(r.d, q, v, push, NULL, x));
  from_paper(base_a0_forward, base_a_forward, wxv, want);
  assert_close_array(x, want, 9, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// ---- Park, Bobrow, Ploen 1995: spatial 2R -------------------------------------------------------

START_TEST(spatial_2r)
{
  rig r = rig_of(spatial_2r_make());
  static const double q[2] = {0.7, -1.1}, v[2] = {0.9, -1.3}, a[2] = {0.4, 0.8};
  static const double want_M[4] = {0.5163518344468014, -0.042881483332011215, -0.042881483332011215,
                                   0.08418253284433172};
  static const double C[4] = {-0.13453673007217584, -0.07131777808593667, -0.09314081312689096, 0};
  static const double want_g[2] = {0, -1.745176405051174};
  static const double want[2] = {0.14386560155987085, -1.7788097039227149};
  double M[4], x[2];
  assert_ok(limb_mass_matrix(r.d, q, M));
  assert_close_matrix(M, want_M, 2, 2, TOL_NUMBERS, 0);
  assert_ok(limb_gravity_forces(r.d, q, NULL, x));
  assert_close_array(x, want_g, 2, TOL_NUMBERS, 0);
  const limb_environment none = rig_weightless(&r);
  assert_ok(limb_bias_forces(r.d, q, v, &none, x));
  const double Cv[2] = {C[0] * v[0] + C[1] * v[1], C[2] * v[0] + C[3] * v[1]};
  assert_close_array(x, Cv, 2, TOL_NUMBERS, 0);
  assert_ok(limb_inverse_dynamics(r.d, q, v, a, NULL, x));
  assert_close_array(x, want, 2, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

CHECK_MAIN("numbers", 1, point_mass_2r, planar_2r_on_a_circle, planar_2r_in_free_fall, planar_2r_falls_from_row_to_row,
           spring_2r, tree_of_five, arm_with_free_base, spatial_2r)
