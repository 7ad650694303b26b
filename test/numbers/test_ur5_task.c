// The UR5 of Lynch and Park 2017 in task space (section 9.6), and its Coriolis matrix, to twelve digits.
#include "numbers/rig.h"
#include "numbers/ur5_data.h"

#include <math.h>

// clang-format off

// dM/dt in the state of ur5_data.h
static const double ur5_Mdot[36] = {
  -1.9216123989243863, -0.07515902758906823, 0.028456971634341757, 0.013335991089747028,
  0.10682074027456892, 0.016520055291773313, -0.07515902758906817, -1.179965765730647,
  -0.5783914163190406, 0.017902794411210447, -0.019987645986622157, -0.017450498716170708,
  0.028456971634341764, -0.5783914163190403, 0.023182933092566388, 0.016849581154341244,
  -0.019987645986622143, -0.017450498716170708, 0.013335991089747043, 0.017902794411210447,
  0.016849581154341244, 0.01051622921611614, -0.01998764598662215, -0.017450498716170704,
  0.10682074027456889, -0.019987645986622154, -0.019987645986622136, -0.019987645986622143,
  -0.014132035729620867, -5.568564010367049e-18, 0.016520055291773313, -0.017450498716170697,
  -0.017450498716170704, -0.017450498716170697, 2.4132951807346476e-18, 8.847681079329535e-19};

// clang-format on

enum { ROWS = 6 };

typedef struct results {
  double J[36], Jdot_v[6], xdot[6], sigma[6], mobility[36], Lambda[36];
  double mu[6], p[6], eta[6], other[6], Jbar[36], N[36];
} results;

static limb_task_space everything(results* x)
{
  return (limb_task_space){.J = x->J,
                           .Jdot_v = x->Jdot_v,
                           .xdot = x->xdot,
                           .sigma = x->sigma,
                           .mobility = x->mobility,
                           .Lambda = x->Lambda,
                           .mu = x->mu,
                           .p = x->p,
                           .eta = x->eta,
                           .other = x->other,
                           .Jbar = x->Jbar,
                           .N = x->N};
}

static void times(const double* A, const double* x, double* y)
{
  for (int i = 0; i < 6; i++) {
    y[i] = 0;
    for (int k = 0; k < 6; k++) y[i] += A[6 * i + k] * x[k];
  }
}

// (9.97)-(9.99): the twist of the tip in its own axes, as the book has it.
START_TEST(ur5_task_dynamics)
{
  rig r = rig_of(robot_ur5());
  const limb_task tip = {limb_find_frame(r.m, "tip"), LIMB_BODY, LIMB_TWIST};
  const limb_task_stack tasks = {1, &tip};
  double work[1 + 2 * 36 + 2 * 36 + 3 * 6 + 6 * 6], F[6], x[6];
  const double zero[36] = {0};
  results got;
  limb_task_space s = everything(&got);
  ck_assert_uint_eq(limb_task_work(r.m, ROWS), sizeof work / sizeof work[0]);
  assert_ok(limb_task_dynamics(r.d, ur5_q, ur5_v, NULL, &tasks, NULL, work, &s));
  ck_assert_int_eq(s.rows, ROWS);
  assert_close_matrix(got.J, ur5_J_body, 6, 6, TOL_NUMBERS, 0);
  assert_close_array(got.xdot, ur5_V_tip, 6, TOL_NUMBERS, 0);
  times(ur5_Jdot_body, ur5_v, x);
  assert_close_array(got.Jdot_v, x, 6, TOL_NUMBERS, 0);
  assert_close_matrix(got.Lambda, ur5_Lambda, 6, 6, TOL_NUMBERS, 0);
  assert_close_array(got.eta, ur5_eta, 6, TOL_NUMBERS, 0);
  // F = Lambda Vdot + eta
  times(got.Lambda, ur5_Vdot_tip, F);
  for (int i = 0; i < 6; i++) F[i] += got.eta[i];
  assert_close_array(F, ur5_F_task, 6, TOL_NUMBERS, 0);
  // J' p are the torques of gravity; a square task leaves no null space; nothing rubs
  assert_ok(limb_task_torque(r.m, &s, got.p, NULL, x));
  assert_close_array(x, ur5_gravity, 6, TOL_NUMBERS, 0);
  assert_close_matrix(got.N, zero, 6, 6, 0, TOL_NUMBERS);
  assert_close_array(got.other, zero, 6, 0, 0);
  assert_close(got.sigma[0] / got.sigma[5], 10, 0.05, 0); // "cond J = 10"
  rig_free(&r);
}
END_TEST

// tau = J' F for the motion of the book is what inverse dynamics gives without its force at the tip.
START_TEST(ur5_task_torques)
{
  rig r = rig_of(robot_ur5());
  const limb_task tip = {limb_find_frame(r.m, "tip"), LIMB_BODY, LIMB_TWIST};
  const limb_task_stack tasks = {1, &tip};
  double work[256], x[6], tau[6];
  results got;
  limb_task_space s = everything(&got);
  ck_assert_uint_le(limb_task_work(r.m, ROWS), 256);
  assert_ok(limb_task_dynamics(r.d, ur5_q, ur5_v, NULL, &tasks, NULL, work, &s));
  assert_ok(limb_task_torque(r.m, &s, ur5_F_task, NULL, tau));
  for (int i = 0; i < 6; i++) x[i] = ur5_tau[i] - ur5_JT_Ftip[i];
  assert_close_array(tau, x, 6, TOL_NUMBERS, 0);
  assert_ok(limb_task_acceleration(r.d, ur5_q, ur5_v, tau, NULL, &tasks, work, x));
  assert_close_array(x, ur5_Vdot_tip, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// Proposition 9.1: dM/dt - 2 C is skew for the matrix of Christoffel symbols.
START_TEST(ur5_passivity)
{
  rig r = rig_of(robot_ur5());
  double C[36], S[36], minus[36];
  assert_ok(limb_coriolis_matrix(r.d, ur5_q, ur5_v, C));
  assert_close_matrix(C, ur5_C, 6, 6, TOL_NUMBERS, 0);
  for (int i = 0; i < 36; i++) S[i] = ur5_Mdot[i] - 2 * C[i];
  for (int i = 0; i < 36; i++) minus[i] = -S[i % 6 * 6 + i / 6];
  assert_close_matrix(S, minus, 6, 6, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

CHECK_MAIN("numbers/ur5_task", 1, ur5_task_dynamics, ur5_task_torques, ur5_passivity)
