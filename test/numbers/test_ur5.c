// The UR5 of Lynch and Park 2017 (Modern Robotics data), to twelve digits.
#include "limb/verify.h"

#include "numbers/rig.h"
#include "numbers/ur5_data.h"

#include <math.h>
#include <string.h>

static sp_motion motion_of(const double* x) { return sp_motion_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])); }

static sp_force force_of(const double* x) { return sp_force_make(sp_v3(x[0], x[1], x[2]), sp_v3(x[3], x[4], x[5])); }

// nv motion columns as a 6 x nv matrix.
static void as_rows(const sp_motion* J, int n, double* rows)
{
  for (int k = 0; k < n; k++) {
    const double column[6] = {J[k].w.x, J[k].w.y, J[k].w.z, J[k].v.x, J[k].v.y, J[k].v.z};
    for (int i = 0; i < 6; i++) rows[i * n + k] = column[i];
  }
}

START_TEST(ur5_dynamics)
{
  rig r = rig_of(robot_ur5());
  double M[36], x[6];
  assert_ok(limb_mass_matrix(r.d, ur5_q, M));
  assert_close_matrix(M, ur5_M, 6, 6, TOL_NUMBERS, 0);
  const limb_environment none = rig_weightless(&r);
  assert_ok(limb_bias_forces(r.d, ur5_q, ur5_v, &none, x));
  assert_close_array(x, ur5_c, 6, TOL_NUMBERS, 0);
  assert_ok(limb_gravity_forces(r.d, ur5_q, NULL, x));
  assert_close_array(x, ur5_gravity, 6, TOL_NUMBERS, 0);
  const double rest[6] = {0};
  assert_ok(limb_inverse_dynamics(r.d, rest, rest, rest, NULL, x));
  assert_close_array(x, ur5_tau_home, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// Slotine and Li: M a_r + C v_r + g with the matrices of the other program.
START_TEST(ur5_slotine_li)
{
  enum { NP = 6 * (LIMB_BODY_PARAMETERS + LIMB_JOINT_PARAMETERS) };
  rig r = rig_of(robot_ur5());
  const double v_r[6] = {-0.4, 0.8, 1.1, -0.3, 0.6, 2}, a_r[6] = {1, -2, 0.5, 3, -1.5, 0.7};
  double theta[NP], Y[6 * NP], x[6] = {0}, want[6];
  ck_assert_int_eq(limb_parameter_count(r.m), NP);
  assert_ok(limb_parameters(r.m, theta));
  assert_ok(limb_slotine_li_regressor(r.d, ur5_q, ur5_v, v_r, a_r, NULL, Y));
  for (int i = 0; i < 6; i++) {
    want[i] = ur5_gravity[i];
    for (int k = 0; k < 6; k++) want[i] += ur5_M[6 * i + k] * a_r[k] + ur5_C[6 * i + k] * v_r[k];
    for (int k = 0; k < NP; k++) x[i] += Y[i * NP + k] * theta[k];
  }
  assert_close_array(x, want, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

START_TEST(ur5_with_a_force_at_the_tip)
{
  rig r = rig_of(robot_ur5());
  const int tip = limb_find_frame(r.m, "tip");
  const limb_wrench w = limb_wrench_by_tip(tip, LIMB_BODY, force_of(ur5_F_tip));
  limb_environment env = limb_default_environment(r.m);
  env.nwrench = 1, env.wrench = &w;
  double x[6], free[6], work[36];
  assert_ok(limb_inverse_dynamics(r.d, ur5_q, ur5_v, ur5_a, &env, x));
  assert_close_array(x, ur5_tau, 6, TOL_NUMBERS, 0);
  assert_ok(limb_inverse_dynamics(r.d, ur5_q, ur5_v, ur5_a, NULL, free));
  for (int k = 0; k < 6; k++) x[k] -= free[k];
  assert_close_array(x, ur5_JT_Ftip, 6, TOL_NUMBERS,
                     TOL_NUMBERS * 30); // a difference of torques of 30 N m
  assert_ok(limb_forward_dynamics(r.d, ur5_q, ur5_v, ur5_tau_forward, &env, x));
  assert_close_array(x, ur5_a_forward, 6, TOL_NUMBERS, 0);
  assert_ok(limb_forward_dynamics_aba(r.d, ur5_q, ur5_v, ur5_tau_forward, &env, x));
  assert_close_array(x, ur5_a_forward, 6, TOL_NUMBERS, 0);
  assert_ok(limb_reference_joins(r.m, NULL, ur5_q, ur5_v, ur5_tau_forward, &env, x, NULL));
  assert_close_array(x, ur5_a_forward, 6, TOL_NUMBERS, 0);
  assert_ok(limb_forward_dynamics_by_mass_matrix(r.d, ur5_q, ur5_v, ur5_tau_forward, &env, work, x));
  assert_close_array(x, ur5_a_forward, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

START_TEST(ur5_kinematics)
{
  rig r = rig_of(robot_ur5());
  const int tip = limb_find_frame(r.m, "tip");
  sp_pose X;
  sp_motion v, J[6];
  double rows[36];
  assert_ok(limb_kinematics(r.d, ur5_q, ur5_v, ur5_a));
  assert_ok(limb_frame_pose(r.d, tip, &X));
  const double* T = ur5_T_tip;
  const sp_pose want = {{{T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]}}, {T[3], T[7], T[11]}};
  assert_close_pose(X, want, TOL_NUMBERS, 0);
  assert_ok(limb_frame_jacobian(r.d, tip, LIMB_BODY, J));
  as_rows(J, 6, rows);
  assert_close_matrix(rows, ur5_J_body, 6, 6, TOL_NUMBERS, 0);
  assert_ok(limb_frame_jacobian_rate(r.d, tip, LIMB_BODY, J));
  as_rows(J, 6, rows);
  assert_close_matrix(rows, ur5_Jdot_body, 6, 6, TOL_NUMBERS, 0);
  assert_ok(limb_frame_velocity(r.d, tip, LIMB_BODY, &v));
  assert_close_motion(v, motion_of(ur5_V_tip), TOL_NUMBERS, 0);
  assert_ok(limb_frame_acceleration(r.d, tip, LIMB_BODY, &v));
  assert_close_motion(v, motion_of(ur5_Vdot_tip), TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// Quadratic velocity forces at unit velocities give the Christoffel symbols, nothing
// differentiated: Gamma_ijk = (c(e_j + e_k) - c(e_j) - c(e_k))_i / 2.
START_TEST(ur5_christoffel_symbols)
{
  rig r = rig_of(robot_ur5());
  const limb_environment none = rig_weightless(&r);
  double single[6][6], pair[6], got[216], C[36] = {0};
  for (int j = 0; j < 6; j++) {
    double e[6] = {0};
    e[j] = 1;
    assert_ok(limb_bias_forces(r.d, ur5_q, e, &none, single[j]));
  }
  for (int j = 0; j < 6; j++) {
    for (int k = 0; k < 6; k++) {
      double e[6] = {0};
      e[j] += 1, e[k] += 1;
      assert_ok(limb_bias_forces(r.d, ur5_q, e, &none, pair));
      for (int i = 0; i < 6; i++) {
        const double symbol = (pair[i] - single[j][i] - single[k][i]) / 2;
        got[36 * i + 6 * j + k] = symbol;
        C[6 * i + j] += symbol * ur5_v[k];
      }
    }
  }
  assert_close_array(got, ur5_christoffel, 216, TOL_NUMBERS, 0);
  assert_close_matrix(C, ur5_C, 6, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// Solves A x = b for a 6 x 6 matrix by elimination with row exchanges; A is destroyed.
static void solve6(double A[6][6], double b[6])
{
  for (int j = 0; j < 6; j++) {
    int p = j;
    for (int i = j + 1; i < 6; i++) {
      if (fabs(A[i][j]) > fabs(A[p][j])) p = i;
    }
    for (int k = 0; k < 6; k++) {
      const double t = A[j][k];
      A[j][k] = A[p][k], A[p][k] = t;
    }
    const double t = b[j];
    b[j] = b[p], b[p] = t;
    for (int i = 0; i < 6; i++) {
      if (i == j) continue;
      const double f = A[i][j] / A[j][j];
      for (int k = j; k < 6; k++) A[i][k] -= f * A[j][k];
      b[i] -= f * b[j];
    }
  }
  for (int j = 0; j < 6; j++) b[j] /= A[j][j];
}

// Task-space dynamics (9.92)-(9.99): Lambda = J^-T M J^-1, eta = J^-T h - Lambda Jdot v,
// F = Lambda Vdot + eta; column by column from joint-space calls.
START_TEST(ur5_task_space)
{
  rig r = rig_of(robot_ur5());
  const int tip = limb_find_frame(r.m, "tip");
  sp_motion J[6], drift;
  double rows[36], M[36], h[6], Lambda[36], eta[6], F[6], A[6][6];
  assert_ok(limb_kinematics(r.d, ur5_q, ur5_v, ur5_a));
  assert_ok(limb_frame_jacobian(r.d, tip, LIMB_BODY, J));
  assert_ok(limb_frame_jacobian_rate_times_v(r.d, tip, LIMB_BODY, &drift));
  as_rows(J, 6, rows);
  assert_ok(limb_mass_matrix(r.d, ur5_q, M));
  assert_ok(limb_bias_forces(r.d, ur5_q, ur5_v, NULL, h));
  for (int j = 0; j < 7; j++) {
    // x = J^-1 e_j, then J^-T (M x); the last round is J^-T h.
    double x[6] = {0}, y[6];
    if (j < 6) x[j] = 1;
    memcpy(A, rows, sizeof A);
    solve6(A, x);
    for (int i = 0; i < 6; i++) {
      y[i] = j < 6 ? 0 : h[i];
      for (int k = 0; k < 6 && j < 6; k++) y[i] += M[6 * i + k] * x[k];
      for (int k = 0; k < 6; k++) A[i][k] = rows[6 * k + i];
    }
    solve6(A, y);
    for (int i = 0; i < 6; i++) {
      if (j < 6)
        Lambda[6 * i + j] = y[i];
      else
        eta[i] = y[i];
    }
  }
  const double d[6] = {drift.w.x, drift.w.y, drift.w.z, drift.v.x, drift.v.y, drift.v.z};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) eta[i] -= Lambda[6 * i + k] * d[k];
    F[i] = eta[i];
    for (int k = 0; k < 6; k++) F[i] += Lambda[6 * i + k] * ur5_Vdot_tip[k];
  }
  assert_close_matrix(Lambda, ur5_Lambda, 6, 6, TOL_NUMBERS, 0);
  assert_close_array(eta, ur5_eta, 6, TOL_NUMBERS, 0);
  assert_close_array(F, ur5_F_task, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

CHECK_MAIN("numbers/ur5", 1, ur5_dynamics, ur5_slotine_li, ur5_with_a_force_at_the_tip, ur5_kinematics,
           ur5_christoffel_symbols, ur5_task_space)
