// Known and unknown joints: the worked examples of Khalil 2010 (elastic 2R, tree of five joints, arm on a moving
// base) to twelve digits, by the kernels and by Khalil's own recursions.
#include "limb/verify.h"

#include "linalg/dense.h"
#include "numbers/khalil_robots.h"
#include "numbers/rig.h"

#include <string.h>

// Completes x by both and compares with the figures.
static void completes(const rig* r, const double* q, const double* v, const unsigned char* given, const double* x,
                      const limb_environment* env, const double* want_a, const double* want_tau)
{
  const int nv = limb_nv(r->m);
  double a[9], tau[9], work[81];
  const limb_hybrid in = {q, v, given, x, env};
  for (int way = 0; way < 3; way++) {
    if (way == 0) assert_ok(limb_hybrid_dynamics(r->d, q, v, given, x, env, a, tau));
    if (way == 1) assert_ok(limb_hybrid_dynamics_by_mass_matrix(r->d, &in, work, a, tau));
    if (way == 2) assert_ok(limb_reference_hybrid(r->m, q, v, given, x, env, a, tau));
    assert_close_array(a, want_a, nv, TOL_NUMBERS, 0);
    assert_close_array(tau, want_tau, nv, TOL_NUMBERS, 0);
  }
}

// ---- elastic 2R ---------------------------------------------------------------------------------

// The spring is the joint's own: -K (q - q0) = -87.5 N m acts, and no motor does.
START_TEST(elastic_joint)
{
  rig r = rig_of(elastic_2r());
  static const double q[2] = {0.3, 0.45}, v[2] = {0.6, -0.9};
  static const double a[2] = {1.2, -29.368696603750177}, tau[2] = {-39.87533493634453, 0};
  static const double push[2] = {250, 0}, direct[2] = {23.78269036932267, -79.94148733282181};
  static const double x[2] = {1.2, 0};
  static const unsigned char force[2] = {LIMB_FORCE_GIVEN, LIMB_FORCE_GIVEN};
  completes(&r, q, v, NULL, x, NULL, a, tau);
  completes(&r, q, v, force, push, NULL, direct, push);
  double spring[2];
  assert_ok(limb_spring_forces(r.d, q, spring));
  assert_close(spring[1], 87.5, TOL_NUMBERS, 0);
  rig_free(&r);
}
END_TEST

// ---- tree of five joints ------------------------------------------------------------------------

// The partition of tau = A a + H, (68) and (71): x completed by the figures of A and H.
static void by_partition(const unsigned char* given, const double* x, double* a, double* tau)
{
  double L[25], rhs[5], H[5];
  int f[5], n = 0;
  for (int i = 0; i < 5; i++) { // H with friction and the wrenches, from the inverse example
    a[i] = given[i] ? x[i] : 0, H[i] = tree5_tau[i];
    for (int j = 0; j < 5; j++) H[i] -= tree5_M[5 * i + j] * tree5_a[j];
    if (!given[i]) f[n++] = i;
  }
  for (int i = 0; i < n; i++) {
    rhs[i] = x[f[i]] - H[f[i]];
    for (int j = 0; j < 5; j++) rhs[i] -= tree5_M[5 * f[i] + j] * a[j];
    for (int j = 0; j < n; j++) L[n * i + j] = tree5_M[5 * f[i] + f[j]];
  }
  assert_that(limb_cholesky(n, L));
  limb_cholesky_solve(n, L, rhs);
  for (int i = 0; i < n; i++) a[f[i]] = rhs[i];
  for (int i = 0; i < 5; i++) {
    tau[i] = H[i];
    for (int j = 0; j < 5; j++) tau[i] += tree5_M[5 * i + j] * a[j];
  }
}

START_TEST(tree_of_five_in_every_pattern)
{
  rig r = rig_of(robot_tree5());
  limb_wrench w[5];
  for (int i = 0; i < 5; i++) {
    w[i] = limb_wrench_by_tip(i + 1, LIMB_BODY, sp_force_from_linear_first(tree5_fe + 6 * i));
  }
  limb_environment env = limb_default_environment(r.m);
  env.nwrench = 5, env.wrench = w;
  for (int pattern = 0; pattern < 32; pattern++) {
    unsigned char given[5];
    double one[5], other[5], mixed[5], a[5], tau[5];
    check_at("tree5, pattern %d", pattern);
    for (int i = 0; i < 5; i++) {
      given[i] = pattern >> i & 1;
      one[i] = given[i] ? tree5_a[i] : tree5_tau[i];
      other[i] = given[i] ? tree5_a_forward[i] : tree5_tau_forward[i];
      mixed[i] = given[i] ? tree5_a[i] : tree5_tau_forward[i];
    }
    completes(&r, tree5_q, tree5_v, given, one, &env, tree5_a, tree5_tau);
    completes(&r, tree5_q, tree5_v, given, other, &env, tree5_a_forward, tree5_tau_forward);
    by_partition(given, mixed, a, tau);
    completes(&r, tree5_q, tree5_v, given, mixed, &env, a, tau);
  }
  rig_free(&r);
}
END_TEST

// ---- arm on a moving base -----------------------------------------------------------------------

// (95), (96) of the composite robot at its base, and dV_0 - g of (97); linear first.
static const double base_J0c[36] = {10.299999999999999,
                                    0,
                                    0,
                                    0,
                                    2.52158231963013,
                                    -0.671501126123684,
                                    0,
                                    10.299999999999999,
                                    0,
                                    -2.52158231963013,
                                    0,
                                    2.3177010843026493,
                                    0,
                                    0,
                                    10.299999999999997,
                                    0.6715011261236842,
                                    -2.317701084302649,
                                    0,
                                    0,
                                    -2.52158231963013,
                                    0.6715011261236843,
                                    1.9016224308669734,
                                    -0.422719432173089,
                                    -1.2391460296524823,
                                    2.52158231963013,
                                    0,
                                    -2.3177010843026493,
                                    -0.4227194321730892,
                                    2.957078617862449,
                                    -0.37918508193407174,
                                    -0.6715011261236842,
                                    2.3177010843026493,
                                    0,
                                    -1.2391460296524823,
                                    -0.37918508193407185,
                                    1.803403065423679};
static const double base_beta0c[6] = {3.0205723401717535, 5.152264544270635,  1.9934372722801936,
                                      -2.86214278017151,  0.2758185164244426, 2.073320910029969};
static const double base_a0_less_g[6] = {0.34982658472115613, 0.137223689612414,    0.238210591722915,
                                         -1.376330821972569,  -0.20023111588918172, 0.1157738055317314};

typedef struct floating {
  rig r;
  double q[10], v[9];
  sp_vec3 wxv; // by which the paper's acceleration is more than ours
  limb_environment weightless;
} floating;

static floating float_arm(void)
{
  floating f = {.r = rig_of(arm_on_free_base())};
  const sp_motion v0 = sp_motion_from_linear_first(base_v0);
  base_configuration(f.q);
  from_paper(base_v0, base_v, sp_v3(0, 0, 0), f.v);
  f.wxv = sp_cross3(v0.w, v0.v);
  f.weightless = rig_weightless(&f.r);
  return f;
}

// The base's acceleration with gravity and without, and the torques, which gravity does not enter.
START_TEST(moving_base_by_marks)
{
  floating f = float_arm();
  double a[9], x[9] = {0}, tau[9] = {0};
  memcpy(x + 6, base_a, sizeof base_a);
  memcpy(tau + 6, base_tau, sizeof base_tau);
  from_paper(base_a0, base_a, f.wxv, a);
  completes(&f.r, f.q, f.v, NULL, x, NULL, a, tau);
  from_paper(base_a0_less_g, base_a, f.wxv, a);
  completes(&f.r, f.q, f.v, NULL, x, &f.weightless, a, tau);

  static const unsigned char force[9] = {0};
  memcpy(tau + 6, base_tau_forward, sizeof base_tau_forward);
  from_paper(base_a0_forward, base_a_forward, f.wxv, a);
  completes(&f.r, f.q, f.v, force, tau, NULL, a, tau);
  rig_free(&f.r);
}
END_TEST

// Khalil's linear-first matrix by our columns.
static void to_paper(const sp_force J[6], double out[36])
{
  for (int c = 0; c < 6; c++) {
    double column[6];
    sp_force_to_linear_first(J[c], column);
    for (int i = 0; i < 6; i++) out[6 * i + (c + 3) % 6] = column[i];
  }
}

START_TEST(moving_base_by_khalil)
{
  floating f = float_arm();
  double a[9] = {0}, tau[9], want[9], J[36], beta[6];
  limb_reference_base base;
  memcpy(a + 6, base_a, sizeof base_a);
  assert_ok(limb_reference_moving_base_inverse(f.r.m, f.q, f.v, a, NULL, tau, &base));
  assert_close_array(tau + 6, base_tau, 3, TOL_NUMBERS, 0);
  assert_close_motion(base.acceleration, sp_motion_from_linear_first(base_a0), TOL_NUMBERS, 0);
  from_paper(base_a0, base_a, f.wxv, want);
  assert_close_array(a, want, 9, TOL_NUMBERS, 0);
  to_paper(base.J, J);
  sp_force_to_linear_first(base.beta, beta);
  assert_close_matrix(J, base_J0c, 6, 6, TOL_NUMBERS, 0);
  assert_close_array(beta, base_beta0c, 6, TOL_NUMBERS, 0);
  assert_ok(limb_reference_moving_base_inverse(f.r.m, f.q, f.v, a, &f.weightless, tau, &base));
  assert_close_motion(base.acceleration, sp_motion_from_linear_first(base_a0_less_g), TOL_NUMBERS, 0);
  assert_close_array(tau + 6, base_tau, 3, TOL_NUMBERS, 0);

  memcpy(tau + 6, base_tau_forward, sizeof base_tau_forward);
  assert_ok(limb_reference_moving_base_forward(f.r.m, f.q, f.v, tau, NULL, a, &base));
  assert_close_array(a + 6, base_a_forward, 3, TOL_NUMBERS, 0);
  assert_close_motion(base.acceleration, sp_motion_from_linear_first(base_a0_forward), TOL_NUMBERS, 0);
  rig_free(&f.r);
}
END_TEST

CHECK_MAIN("numbers/known and unknown", 1, elastic_joint, tree_of_five_in_every_pattern, moving_base_by_marks,
           moving_base_by_khalil)
