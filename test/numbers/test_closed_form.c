// The closed forms of Lynch and Park 2017 and of Park, Bobrow, Ploen 1995 in numbers: symbols, their
// derivatives, curvature, to twelve digits.
// Figures computed outside this project.
#include "numbers/rig.h"
#include "numbers/spatial_2r.h"
#include "numbers/ur5_data.h"

#include "limb/lagrange.h"

#include <math.h>

// Gamma_jki of Park, Bobrow, Ploen 1995, third index lowered, as G_ijk.
static void first_lowered(const double Gamma[8], double G[8])
{
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++) G[4 * i + 2 * j + k] = Gamma[4 * j + 2 * k + i];
}

// R_1212 and what follows from it, for two velocities.
static void check_curvature(rig* r, const double q[2], double want_R, double want_K)
{
  static const double u[2] = {0.3, 1.2}, w[2] = {1, -0.4};
  const double want[16] = {[5] = want_R, [6] = -want_R, [9] = -want_R, [10] = want_R};
  double R[16], work[16 + 16 + 4], small[112], Ric[4], M[4], scalar, K;
  assert_ok(limb_curvature(r->d, q, work, R));
  assert_close_array(R, want, 16, TOL_NUMBERS, 0);
  assert_ok(limb_sectional_curvature(r->d, q, u, w, small, &K));
  assert_close(K, want_K, TOL_NUMBERS, 0);
  assert_ok(limb_scalar_curvature(r->d, q, work, &scalar));
  assert_close(scalar, 2 * want_K, TOL_NUMBERS, 0);
  assert_ok(limb_ricci_curvature(r->d, q, work, Ric));
  assert_ok(limb_mass_matrix(r->d, q, M));
  for (int k = 0; k < 4; k++) M[k] *= want_K; // Ric = K M in two dimensions
  assert_close_array(Ric, M, 4, TOL_NUMBERS, 0);
}

// ---- Park, Bobrow, Ploen 1995: spatial 2R -----------------------------------------------------------

START_TEST(spatial_2r)
{
  static const double q[2] = {0.7, -1.1}, v[2] = {0.9, -1.3};
  static const double alpha = 0.10348979236321218, beta = 0.126506608625252; // (61), (62) corrected
  static const double want_C[4] = {-0.13453673007217584, -0.07131777808593667, -0.09314081312689096, 0};
  static const double want_g[2] = {0, -1.745176405051174};
  rig r = rig_of(spatial_2r_make());
  double G[8], want[8], dG[16], C[4], work[8], g[2];
  const double Gamma[8] = {0, -alpha, alpha, 0, alpha, 0, beta, 0};
  first_lowered(Gamma, want);
  assert_ok(limb_christoffel(r.d, q, G));
  assert_close_array(G, want, 8, TOL_NUMBERS, 0);
  assert_ok(limb_connection(r.d, q, G));
  assert_close_array(G, want, 8, TOL_NUMBERS, 0);
  assert_ok(limb_christoffel_by_polarisation(r.d, q, work, G));
  assert_close_array(G, want, 8, TOL_NUMBERS, 0);
  // M depends on q_2 only
  static const double dGamma[8] = {
    0, -0.089755432971398, 0.089755432971398, 0, 0.089755432971398, 0, 0.11022750960747665, 0};
  double want_d[16] = {0}, by_q2[8];
  first_lowered(dGamma, by_q2);
  for (int ijk = 0; ijk < 8; ijk++) want_d[2 * ijk + 1] = by_q2[ijk];
  assert_ok(limb_christoffel_derivative(r.d, q, dG));
  assert_close_array(dG, want_d, 16, TOL_NUMBERS, 0);
  assert_ok(limb_coriolis_matrix_christoffel(r.d, q, v, C));
  assert_close_matrix(C, want_C, 2, 2, TOL_NUMBERS, 0);
  assert_ok(limb_gravity_from_potential(r.d, q, NULL, g)); // phi of (59)
  assert_close_array(g, want_g, 2, TOL_NUMBERS, 0);
  check_curvature(&r, q, -0.054611241614606246, -1.3118562315627142);
  rig_free(&r);
}
END_TEST

// ---- Park, Bobrow, Ploen 1995 on the planar 2R of Ghosal 2010 ---------------------------------------

START_TEST(planar_2r)
{
  static const double q[2] = {0.3, 0.9}, g = 5.688400952024524; // beta sin theta_2
  rig r = rig_of(robot_planar_2r());
  const double Gamma[8] = {0, g, -g, 0, -g, 0, -g, 0};
  double G[8], want[8];
  first_lowered(Gamma, want);
  assert_ok(limb_christoffel(r.d, q, G));
  assert_close_array(G, want, 8, TOL_NUMBERS, 0);
  check_curvature(&r, q, 2.8928975184264747, 0.03210760669186009);
  rig_free(&r);
}
END_TEST

// R_1212 = beta (alpha delta - beta^2 - delta^2) cos theta_2 / (alpha delta - delta^2 - beta^2 cos^2 theta_2)
START_TEST(planar_2r_in_symbols)
{
  const double m = 12.456, l = 1, r1 = 0.773, r2 = 0.583, I = 1.042;
  const double alpha = I + I + m * l * l + m * r1 * r1 + m * r2 * r2, beta = m * l * r2;
  const double delta = I + m * r2 * r2;
  rig r = rig_of(robot_planar_2r());
  for (int k = -6; k <= 6; k++) {
    const double q[2] = {0.4 * k, 0.5 * k}, c = cos(q[1]);
    const double det = alpha * delta - delta * delta - beta * beta * c * c;
    const double R = beta * (alpha * delta - beta * beta - delta * delta) * c / det;
    check_curvature(&r, q, R, R / det);
  }
  rig_free(&r);
}
END_TEST

// ---- Lynch and Park 2017: UR5 -----------------------------------------------------------------------

// clang-format off
static const double ur5_Mdot[36] = {
  -1.9216123989243863, -0.07515902758906823, 0.028456971634341757, 0.013335991089747028,
  0.10682074027456892, 0.016520055291773313, -0.07515902758906817, -1.179965765730647,
  -0.5783914163190406, 0.017902794411210447, -0.019987645986622157, -0.017450498716170708,
  0.028456971634341764, -0.5783914163190403, 0.023182933092566388, 0.016849581154341244,
  -0.019987645986622143, -0.017450498716170708, 0.013335991089747043, 0.017902794411210447,
  0.016849581154341244, 0.01051622921611614, -0.01998764598662215, -0.017450498716170704,
  0.10682074027456889, -0.019987645986622154, -0.019987645986622136, -0.019987645986622143,
  -0.014132035729620867, 0, 0.016520055291773313, -0.017450498716170697, -0.017450498716170704,
  -0.017450498716170697, 0, 0};
static const double ur5_Mdot_minus_2C[36] = {
  0, -0.9235507512826883, 0.18897354274575962, 0.03945844034000845, 0.009417745276369793,
  0.001489454930637884, 0.9235507512826884, 0, -0.343218796426329, -0.012456020924733364,
  -0.066837688744634, -0.021333623205935962, -0.18897354274575956, 0.34321879642632924, 0,
  -0.0040303148697796165, -0.06683768874463386, -0.02133362320593595, -0.03945844034000846,
  0.012456020924733373, 0.0040303148697796165, 0, -0.06683768874463378, -0.021333623205935934,
  -0.009417745276369807, 0.066837688744634, 0.06683768874463383, 0.06683768874463379, 0,
  0.017621608875628088, -0.0014894549306378804, 0.02133362320593595, 0.02133362320593595,
  0.02133362320593594, -0.017621608875628088, 0};
// clang-format on

START_TEST(ur5)
{
  rig r = rig_of(robot_ur5());
  double G[216], work[42], C[36], Mdot[36], g[6];
  assert_ok(limb_christoffel(r.d, ur5_q, G));
  assert_close_array(G, ur5_christoffel, 216, TOL_NUMBERS, 0);
  assert_ok(limb_connection(r.d, ur5_q, G));
  assert_close_array(G, ur5_christoffel, 216, TOL_NUMBERS, 0);
  assert_ok(limb_christoffel_by_polarisation(r.d, ur5_q, work, G));
  assert_close_array(G, ur5_christoffel, 216, TOL_NUMBERS, 0);
  assert_ok(limb_coriolis_matrix_christoffel(r.d, ur5_q, ur5_v, C));
  assert_close_matrix(C, ur5_C, 6, 6, TOL_NUMBERS, 0);
  assert_ok(limb_coriolis_matrix(r.d, ur5_q, ur5_v, C));
  assert_close_matrix(C, ur5_C, 6, 6, TOL_NUMBERS, 0);
  assert_ok(limb_mass_matrix_rate(r.d, ur5_q, ur5_v, Mdot));
  assert_close_matrix(Mdot, ur5_Mdot, 6, 6, TOL_NUMBERS, 0);
  for (int k = 0; k < 36; k++) Mdot[k] -= 2 * C[k];
  assert_close_matrix(Mdot, ur5_Mdot_minus_2C, 6, 6, TOL_NUMBERS, 0);
  assert_ok(limb_gravity_from_potential(r.d, ur5_q, NULL, g));
  assert_close_array(g, ur5_gravity, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

CHECK_MAIN("numbers/closed_form", 1, spatial_2r, planar_2r, planar_2r_in_symbols, ur5)
