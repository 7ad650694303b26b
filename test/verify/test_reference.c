// The reference formulations against the worked examples of textbooks and papers; their arguments and memory.
//
// Figures: Lynch and Park 2017 (UR5 in the tables of Modern Robotics; 2R with point masses), Ghosal 2010 (2R on a
// circle), Khalil 2010 (five-joint tree), computed elsewhere to 15 digits by a second formulation.
#include "limb/limb.h"
#include "limb/verify.h"

#include "base/memory.h"
#include "support/budget.h"
#include "support/check.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stddef.h>

// tau = M a + c + g by both formulations.
static void by_both(const limb_model* m, int nv, const double* q, const double* v, const double* a, const double* M,
                    const double* c, const double* g)
{
  assert_that(limb_nv(m) == nv);
  double M2[36], c2[6], g2[6];
  assert_ok(limb_reference_closed_form(m, q, v, NULL, M2, c2, g2));
  assert_close_matrix(M2, M, nv, nv, TOL_ALGEBRA, 0);
  assert_close_array(c2, c, nv, TOL_ALGEBRA, 0);
  assert_close_array(g2, g, nv, TOL_ALGEBRA, 0);

  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  double tau[6], want[6];
  for (int i = 0; i < nv; i++) {
    want[i] = c[i] + g[i];
    for (int j = 0; j < nv; j++) want[i] += M[i * nv + j] * a[j];
  }
  assert_ok(limb_reference_inverse_dynamics(m, q, v, a, &env, tau, NULL));
  assert_close_array(tau, want, nv, TOL_ALGEBRA, 0);
  assert_ok(limb_reference_kane(m, q, v, a, &env, tau));
  assert_close_array(tau, want, nv, TOL_ALGEBRA, 0);
}

// ---- Lynch and Park 2017: UR5 -------------------------------------------------------------------

// Home poses M_{i-1,i} of the centre-of-mass frames: position, and whether turned about y by 90
// degrees.
static const struct {
  double p[3];
  int turned;
} ur5_rel[6] = {{{0, 0, 0.089159}, 0}, {{0.28, 0.13585, 0}, 1}, {{0, -0.1197, 0.395}, 0},
                {{0, 0, 0.14225}, 1},  {{0, 0.093, 0}, 0},      {{0, 0, 0.09465}, 0}};
static const double ur5_mass[6] = {3.7, 8.393, 2.275, 1.219, 1.219, 0.1879};
static const double ur5_inertia[6][3] = {
  {0.010267495893, 0.010267495893, 0.00666},  {0.22689067591, 0.22689067591, 0.0151074},
  {0.049443313556, 0.049443313556, 0.004095}, {0.111172755531, 0.111172755531, 0.21942},
  {0.111172755531, 0.111172755531, 0.21942},  {0.0171364731454, 0.0171364731454, 0.033822}};
static const double ur5_screw[6][6] = {{0, 0, 1, 0, 0, 0},
                                       {0, 1, 0, -0.089159, 0, 0},
                                       {0, 1, 0, -0.089159, 0, 0.425},
                                       {0, 1, 0, -0.089159, 0, 0.81725},
                                       {0, 0, -1, -0.10915, 0.81725, 0},
                                       {0, 1, 0, 0.005491, 0, 0.81725}};

// The paper's link frames sit in the centres of mass; limb's sit on the joint axes. Body i keeps
// the axes of M_i, with its origin in the point w x v of the screw S_i = (w; v).
static limb_model* make_ur5(void)
{
  limb_builder* b = fixture_begin("ur5");
  sp_pose M = sp_pose_identity(), parent = M;
  int body = LIMB_WORLD_BODY;
  sp_vec3 com = {0, 0, 0};
  for (int i = 0; i < 6; i++) {
    const double *S = ur5_screw[i], *p = ur5_rel[i].p, *I = ur5_inertia[i];
    const sp_mat3 turn = {{0, 0, 1, 0, 1, 0, -1, 0, 0}};
    const sp_pose rel = {ur5_rel[i].turned ? turn : sp_identity3(), {p[0], p[1], p[2]}};
    M = sp_compose(M, rel);
    const sp_vec3 w = {S[0], S[1], S[2]}, v = {S[3], S[4], S[5]};
    const sp_pose home = {M.R, sp_cross3(w, v)};
    com = sp_tmulv(M.R, sp_sub3(M.p, home.p));
    const double about_com[6] = {I[0], 0, 0, I[1], 0, I[2]};
    const char name[2] = {(char)('1' + i), 0};
    body = fixture_link(b, name, LIMB_REVOLUTE, body, sp_compose(sp_invert(parent), home), sp_tmulv(M.R, w),
                        fixture_inertia(ur5_mass[i], com, about_com));
    parent = home;
  }
  const sp_pose tip = {{{1, 0, 0, 0, 0, 1, 0, -1, 0}}, {0, 0.0823, 0}};
  fixture_frame(b, "tip", body, sp_compose(sp_pose_make(sp_identity3(), com), tip));
  return fixture_end(b);
}

START_TEST(lynch_park_ur5)
{
  const double q[6] = {0.1, -1.2, 1.4, -0.6, 0.9, -0.3}, v[6] = {0.5, -0.7, 0.9, -1.1, 1.3, -1.5};
  const double a[6] = {2, 1.5, -1, 0.8, -0.6, 1.2};
  // clang-format off
  const double M[36] = {
    1.9214495514743328, -0.36050098024601235, 0.02023624901217779, 0.0049103764965741335,
    -0.2307688765839337, 0.005227341755777253,
    -0.36050098024601224, 2.8358480654702873, 0.9556552398339032, 0.24057627496867606,
    -0.0036900012916097173, 0.010652202528183186,
    0.02023624901217779, 0.9556552398339032, 0.8455893526075192, 0.24599841985902174,
    -0.0036900012916097173, 0.010652202528183186,
    0.004910376496574131, 0.24057627496867606, 0.24599841985902177, 0.24205943878527447,
    -0.0036900012916097173, 0.010652202528183186,
    -0.23076887658393372, -0.0036900012916097165, -0.0036900012916097165,
    -0.0036900012916097165, 0.2517848163560166, 0,
    0.005227341755777253, 0.010652202528183186, 0.010652202528183186, 0.010652202528183186, 0,
    0.0171364731454};
  // clang-format on
  const double c[6] = {-0.7831663164583802, 0.06832573032668203, 0.4034097645596768,
                       0.03881716532174442, 0.07216140544926727, 0.03340927818970906};
  const double g[6] = {0, -31.196977948821004, -15.43913725027491, -0.06794113683678768, 0, 0};
  const double tau[6] = {3.1940041450942704, -26.504771580498087, -13.369771624758592,
                         0.8737860887744557, 1.4493976795443655,  0.5782755927623817};
  const sp_pose tip = {
    {{-0.5044398043340197, -0.5616293672074135, 0.6558299609606562, 0.7014853353169404, 0.17630031885341318,
      0.6905335052750623, -0.5034469268341358, 0.8083876863624191, 0.3050418666328926}},
    {0.6154955334853248, 0.22286893881033595, 0.3452740890732224}};
  limb_model* m = make_ur5();
  by_both(m, 6, q, v, a, M, c, g);

  limb_frame_info frame;
  assert_ok(limb_get_frame(m, limb_find_frame(m, "tip"), &frame));
  sp_pose T[7];
  assert_ok(limb_reference_poses(m, q, T));
  assert_close_pose(sp_compose(T[frame.body], frame.pose), tip, TOL_ALGEBRA, 0);

  const sp_force F_tip = {{1, -2, 0.5}, {3, -1, 4}};
  const limb_wrench w = limb_wrench_by_tip(limb_find_frame(m, "tip"), LIMB_BODY, F_tip);
  limb_environment env = limb_default_environment(m);
  env.nwrench = 1, env.wrench = &w;
  double got[6];
  assert_ok(limb_reference_inverse_dynamics(m, q, v, a, &env, got, NULL));
  assert_close_array(got, tau, 6, TOL_ALGEBRA, 0);
  assert_ok(limb_reference_kane(m, q, v, a, &env, got));
  assert_close_array(got, tau, 6, TOL_ALGEBRA, 0);
  limb_model_destroy(m);
}
END_TEST

// ---- Lynch and Park 2017, Ghosal 2010: planar 2R ------------------------------------------------

// Two rotations about z in a vertical plane, gravity along -y.
static limb_model* make_2r(double length, sp_inertia first, sp_inertia second)
{
  limb_builder* b = fixture_begin("2R");
  fixture_gravity(b, sp_v3(0, -9.81, 0));
  const sp_vec3 z = {0, 0, 1};
  const int upper = fixture_link(b, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), z, first);
  fixture_link(b, "2", LIMB_REVOLUTE, upper, fixture_at(length, 0, 0), z, second);
  return fixture_end(b);
}

START_TEST(lynch_park_point_masses)
{
  const double q[2] = {0.5, 0.9}, v[2] = {1.2, -0.7}, a[2] = {0.4, -1.1};
  const double M[4] = {4.634575949233061, 1.1372879746165312, 1.1372879746165312, 0.64};
  const double c[2] = {0.745727217965364, 0.9023925998908608};
  const double g[2] = {27.16115693391476, 1.3339021374810907};
  const double tau[2] = {28.509697759495165, 1.9872099272185642};
  const double none[6] = {0};
  limb_model* m = make_2r(1, fixture_inertia(2, sp_v3(1, 0, 0), none), fixture_inertia(1, sp_v3(0.8, 0, 0), none));
  by_both(m, 2, q, v, a, M, c, g);
  double got[2];
  assert_ok(limb_reference_inverse_dynamics(m, q, v, a, NULL, got, NULL));
  assert_close_array(got, tau, 2, TOL_ALGEBRA, 0);
  limb_model_destroy(m);
}
END_TEST

// t = 0, 1 ... 10 s on the circle, theta2 > 0.
static const struct {
  double q[2], v[2], a[2], tau[2];
} circle[] = {
  // clang-format off
  {{0.31092685703559849, 0.79539883018414356}, {0.15732250999911433, -0.21115726199762371},
   {-0.02120757867545914, 0.088969637349413137}, {238.43532575420273, 32.289399435226403}},
  {{0.44318323776234676, 0.6514053083995827}, {0.093176069495739032, -0.055023437801121016},
   {-0.10253698677950262, 0.21430957832606923}, {226.90296406382322, 32.692463594969755}},
  {{0.48190178702416239, 0.70375518676394852}, {-0.013772733671093771, 0.14962059009976009},
   {-0.092968826950132785, 0.15812749808036006}, {216.89646706820224, 26.59347448757996}},
  {{0.42996104548859931, 0.90956454421253724}, {-0.082602043560590591, 0.24075753153705491},
   {-0.048524606887284205, 0.031976339803476132}, {211.76095075768947, 16.064368193011292}},
  {{0.3275665249672143, 1.1517336858069424}, {-0.11821681706168741, 0.23058517730629341},
   {-0.024156141569986874, -0.046631183111915242}, {210.48727250202884, 6.1568527108230185}},
  {{0.20156712244914232, 1.3489818562981022}, {-0.12879340367839434, 0.15458376953417251},
   {0.0060615110463649077, -0.10251703391458559}, {213.29130682543704, 1.0606208302564734}},
  {{0.083408326410510901, 1.445702869651972}, {-0.099273370779002833, 0.033623695937107975},
   {0.055000577095476644, -0.13352895172902974}, {219.62049834526736, 2.6752875898155507}},
  {{0.019411405934518633, 1.4125543858460624}, {-0.022197084935938824, -0.098042233506834975},
   {0.09344907084420697, -0.12243413616976571}, {228.24399347967694, 9.8159266898974202}},
  {{0.044957269823548924, 1.2599016817679913}, {0.072345080462502692, -0.19958254209538274},
   {0.088051895109052834, -0.07669418082265088}, {237.20133590966358, 19.01423116017721}},
  {{0.15559445569259026, 1.032008854874855}, {0.14202814577331537, -0.24539799310135377},
   {0.04683107070671286, -0.011577576496571592}, {242.19827351107833, 27.121220193214337}},
  {{0.31092685703559849, 0.79539883018414356}, {0.15732250999911433, -0.21115726199762371},
   {-0.02120757867545914, 0.088969637349413137}, {238.43532575420273, 32.289399435226403}},
  // clang-format on
};

START_TEST(ghosal_circle)
{
  const double I[6] = {0, 0, 0, 0, 0, 1.042};
  limb_model* m =
    make_2r(1, fixture_inertia(12.456, sp_v3(0.773, 0, 0), I), fixture_inertia(12.456, sp_v3(0.583, 0, 0), I));
  for (size_t k = 0; k < sizeof circle / sizeof *circle; k++) {
    check_at("row %zu", k);
    double tau[2];
    assert_ok(limb_reference_inverse_dynamics(m, circle[k].q, circle[k].v, circle[k].a, NULL, tau, NULL));
    assert_close_array(tau, circle[k].tau, 2, TOL_ALGEBRA, 0);
    assert_ok(limb_reference_kane(m, circle[k].q, circle[k].v, circle[k].a, NULL, tau));
    assert_close_array(tau, circle[k].tau, 2, TOL_ALGEBRA, 0);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- Khalil 2010: tree of five ------------------------------------------------------------------

static const struct {
  int parent, sliding;
  double gamma, b, alpha, d, theta, r, m, com[3], I[6], Ia, Fs, Fv; // I: xx xy xz yy yz zz
  double fe[6];                                                     // on the environment: force, moment
} tree5[5] = {
  // clang-format off
  {0, 0, -0.52, 0.71, -0.0, 0.5, 0.73, -0.61, 1.18, {0.281, 0.128, 0.159},
   {0.096, -0.012, -0.001, 0.107, -0.003, 0.097}, 0.087, 0.22, 0.16,
   {1.42, -1.21, 0.11, -1.5, -0.25, -0.01}},
  {1, 0, -0.46, 0.58, -0.05, 0.79, -0.42, 0.39, 2.92, {0.199, 0.2, -0.069},
   {0.12, 0.021, 0.004, 0.102, 0.033, 0.078}, 0.116, 0.25, 0.28,
   {2.45, 1.03, 0.56, -1.54, -0.56, -0.25}},
  {2, 1, 0.94, 0.48, -0.24, 0.97, -0.61, 0.93, 2.35, {0.065, 0.271, -0.24},
   {0.111, 0.007, 0.016, 0.091, 0.018, 0.098}, 0.126, 0.21, 0.27,
   {-1.17, 0.21, 0.4, 0.1, 1.44, 2.68}},
  {1, 0, 0.55, -0.92, -0.73, -0.15, 0.1, 0.68, 2.82, {-0.026, 0.116, 0.009},
   {0.105, 0.005, 0.001, 0.082, 0.037, 0.113}, 0.061, 0.14, 0.18,
   {-0.26, 0.02, 1.81, -0.58, -0.84, 1.68}},
  {4, 0, -0.96, 0.36, 0.54, -0.22, -0.11, -0.49, 1.98, {-0.181, 0.194, -0.156},
   {0.075, -0.017, -0.013, 0.108, -0.017, 0.117}, 0.178, 0.16, 0.29,
   {1.3, -0.17, 1.33, 0.34, 2.82, 1.3}},
  // clang-format on
};

static limb_model* make_tree5(void)
{
  limb_builder* b = fixture_begin("tree5");
  fixture_gravity(b, sp_v3(0.3, -0.5, -9.7));
  for (int j = 0; j < 5; j++) {
    const char name[2] = {(char)('1' + j), 0};
    const double* com = tree5[j].com;
    const int body = fixture_body(b, name, fixture_inertia(tree5[j].m, sp_v3(com[0], com[1], com[2]), tree5[j].I));
    limb_joint_def def =
      limb_default_joint_def(name, tree5[j].sliding ? LIMB_PRISMATIC : LIMB_REVOLUTE, tree5[j].parent, body);
    def.placement = fixture_mdh(tree5[j].gamma, tree5[j].b, tree5[j].alpha, tree5[j].d, tree5[j].theta, tree5[j].r);
    def.rotor_inertia = tree5[j].Ia / 4, def.gear_ratio = -2;
    def.coulomb = tree5[j].Fs, def.viscous = tree5[j].Fv;
    fixture_joint(b, &def);
  }
  return fixture_end(b);
}

START_TEST(khalil_tree)
{
  const double q[5] = {0.4, -0.7, 0.25, 1.1, -0.3}, v[5] = {0.9, -1.2, 0.35, 0.6, 1.4};
  const double a[5] = {-0.5, 0.8, 1.3, -0.9, 0.2};
  // clang-format off
  const double M[25] = {
    16.358288358440564, 6.977196955405546, 1.3130703116133682, 1.2984469773254312,
    0.6016418546696448,
    6.977196955405546, 4.167135740382067, 0.6583250010630953, 0, 0,
    1.313070311613368, 0.6583250010630953, 2.4760000000000013, 0, 0,
    1.2984469773254312, 0, 0, 1.1014479504758057, 0.412132158740123,
    0.6016418546696448, 0, 0, 0.41213215874012293, 0.43438605999999985};
  // clang-format on
  const double h[5] = {2.6037841499892993, 0.09721146429983193, 22.080100270307437, 7.141901637696327,
                       0.6827705746371177};
  const double g[5] = {2.647335369588236, 0.23456280718308406, 22.182838702947627, 6.9062966528902585,
                       0.7823545241273253};
  const double tau[5] = {5.225459997747591, 3.4195487522029495, 25.87352511535123, 9.881190063881183,
                         1.9639079164361846};
  limb_model* m = make_tree5();
  double M2[25], c[5], g2[5], h2[5], got[5];
  assert_ok(limb_reference_closed_form(m, q, v, NULL, M2, c, g2));
  for (int k = 0; k < 5; k++) h2[k] = c[k] + g2[k];
  assert_close_matrix(M2, M, 5, 5, TOL_ALGEBRA, 0);
  assert_close_array(g2, g, 5, TOL_ALGEBRA, 0);
  assert_close_array(h2, h, 5, TOL_ALGEBRA, 0);

  limb_wrench w[5];
  for (int j = 0; j < 5; j++) w[j] = limb_wrench_by_tip(j + 1, LIMB_BODY, sp_force_from_linear_first(tree5[j].fe));
  limb_environment env = limb_default_environment(m);
  env.nwrench = 5, env.wrench = w;
  assert_ok(limb_reference_inverse_dynamics(m, q, v, a, &env, got, NULL));
  assert_close_array(got, tau, 5, TOL_ALGEBRA, 0);
  limb_model_destroy(m);
}
END_TEST

// ---- arguments and memory -----------------------------------------------------------------------

// A ball joint that carries a rod with friction in its hinge.
static limb_model* make_small(const limb_allocator* alloc)
{
  limb_builder* b;
  limb_model* m;
  assert_ok(limb_builder_create(alloc, &b));
  const int ball = fixture_link(b, "ball", LIMB_SPHERICAL, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                                limb_inertia_sphere(1, 0.1));
  limb_joint_def def =
    limb_default_joint_def("hinge", LIMB_REVOLUTE, ball, fixture_body(b, "rod", limb_inertia_rod(2, 1)));
  def.coulomb = 7;
  fixture_joint(b, &def);
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

START_TEST(rejects_bad_arguments)
{
  limb_model* m = make_small(NULL);
  double q[5] = {0, 0, 0, 1, 0.3}, v[4] = {0}, a[4] = {0}, tau[4], c[4], M[16];
  sp_pose T[3];
#define INVERSE(q, v, a, env) limb_reference_inverse_dynamics(m, q, v, a, env, tau, NULL)
#define KANE(q, v, a, env)    limb_reference_kane(m, q, v, a, env, tau)
#define CLOSED(q, v, env)     limb_reference_closed_form(m, q, v, env, M, c, tau)
  assert_status(limb_reference_inverse_dynamics(NULL, q, v, a, NULL, tau, NULL), LIMB_E_ARG);
  assert_status(limb_reference_inverse_dynamics(m, q, v, a, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(INVERSE(NULL, v, a, NULL), LIMB_E_ARG);
  assert_status(INVERSE(q, NULL, a, NULL), LIMB_E_ARG);
  assert_status(INVERSE(q, v, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_reference_kane(NULL, q, v, a, NULL, tau), LIMB_E_ARG);
  assert_status(limb_reference_kane(m, q, v, a, NULL, NULL), LIMB_E_ARG);
  assert_status(KANE(NULL, v, a, NULL), LIMB_E_ARG);
  assert_status(KANE(q, NULL, a, NULL), LIMB_E_ARG);
  assert_status(KANE(q, v, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_reference_closed_form(NULL, q, v, NULL, M, tau, tau), LIMB_E_ARG);
  assert_status(CLOSED(NULL, v, NULL), LIMB_E_ARG);
  assert_status(CLOSED(q, NULL, NULL), LIMB_E_ARG);
  assert_ok(limb_reference_closed_form(m, q, v, NULL, NULL, NULL, NULL));
  assert_status(limb_reference_poses(NULL, q, T), LIMB_E_ARG);
  assert_status(limb_reference_poses(m, NULL, T), LIMB_E_ARG);
  assert_status(limb_reference_poses(m, q, NULL), LIMB_E_ARG);

  const double bad[3] = {nan(""), HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < 3; i++) {
    double* place[] = {&q[4], &v[1], &a[2]};
    for (int k = 0; k < 3; k++) {
      const double kept = *place[k];
      *place[k] = bad[i];
      assert_status(INVERSE(q, v, a, NULL), LIMB_E_NONFINITE);
      assert_status(KANE(q, v, a, NULL), LIMB_E_NONFINITE);
      if (k < 2) assert_status(CLOSED(q, v, NULL), LIMB_E_NONFINITE);
      if (k < 1) assert_status(limb_reference_poses(m, q, T), LIMB_E_NONFINITE);
      *place[k] = kept;
    }
    limb_environment env = limb_default_environment(m);
    env.gravity.y = bad[i];
    assert_status(INVERSE(q, v, a, &env), LIMB_E_NONFINITE);
    assert_status(KANE(q, v, a, &env), LIMB_E_NONFINITE);
    assert_status(CLOSED(q, v, &env), LIMB_E_NONFINITE);
  }
  v[0] = 1e200;
  assert_status(INVERSE(q, v, a, NULL), LIMB_E_NONFINITE);
  assert_status(CLOSED(q, v, NULL), LIMB_E_NONFINITE);
  v[0] = 0, q[3] = 1.0011;
  assert_status(INVERSE(q, v, a, NULL), LIMB_E_ARG);
  assert_status(CLOSED(q, v, NULL), LIMB_E_ARG);
  assert_status(limb_reference_poses(m, q, T), LIMB_E_ARG);
  q[3] = 1.0009;
  assert_ok(INVERSE(q, v, a, NULL));
  limb_model_destroy(m);
}
END_TEST

START_TEST(reads_the_environment)
{
  limb_model* m = make_small(NULL);
  double q[5] = {0, 0, 0, 1, 0.3}, v[4] = {0}, a[4] = {0}, tau[4], c[4], M[16];
  limb_wrench w = {0, LIMB_BODY, {{0, 0, 0}, {0, 0, 0}}};
  limb_environment env = limb_default_environment(m);
  env.nwrench = -1;
  assert_status(INVERSE(q, v, a, &env), LIMB_E_ARG);
  env.nwrench = 1;
  assert_status(INVERSE(q, v, a, &env), LIMB_E_ARG);
  assert_status(CLOSED(q, v, &env), LIMB_E_ARG);
  env.wrench = &w;
  assert_ok(INVERSE(q, v, a, &env));
  for (w.frame = -1; w.frame <= 3; w.frame += 4) assert_status(INVERSE(q, v, a, &env), LIMB_E_ARG);
  w.frame = 1, w.ref = (limb_ref)3;
  assert_status(INVERSE(q, v, a, &env), LIMB_E_ARG);
  w.ref = LIMB_BODY, w.wrench.f.x = nan("");
  assert_status(INVERSE(q, v, a, &env), LIMB_E_NONFINITE);

  env.size = offsetof(limb_environment, nwrench); // a caller that knows no wrenches and no friction
  env.gravity = sp_v3(0, 0, 0);
  const double sign[3] = {-1, 0, 1}, none[4] = {0};
  for (int k = 0; k < 3; k++) {
    v[3] = 2 * sign[k];
    assert_ok(INVERSE(q, v, a, &env));
    assert_close(tau[3], 7 * sign[k], 0, 0);
  }
  env = limb_default_environment(m);
  env.gravity = sp_v3(0, 0, 0), env.friction = 0;
  assert_ok(INVERSE(q, v, a, &env));
  assert_close_array(tau, none, 4, 0, 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(works_without_joints)
{
  limb_builder* b = fixture_begin("weld");
  fixture_link(b, "block", LIMB_FIXED, LIMB_WORLD_BODY, fixture_at(1, 2, 3), sp_v3(0, 0, 1),
               limb_inertia_point(2, sp_v3(0.5, 0, 0)));
  limb_model* welded = fixture_end(b);
  limb_model* empty = fixture_end(fixture_begin("empty"));
  double none = 0; // there are no coordinates, but NULL is an error
  sp_pose T[2];
  sp_force F[2];
  assert_ok(limb_reference_inverse_dynamics(welded, &none, &none, &none, NULL, &none, F));
  const sp_force weight = {{0, -9.81, 0}, {0, 0, 2 * 9.81}};
  assert_close_force(F[1], weight, TOL_ALGEBRA, 0);
  assert_ok(limb_reference_closed_form(welded, &none, &none, NULL, &none, &none, &none));
  assert_ok(limb_reference_inverse_dynamics(empty, &none, &none, &none, NULL, &none, F));
  assert_ok(limb_reference_closed_form(empty, &none, &none, NULL, &none, &none, &none));
  assert_ok(limb_reference_poses(empty, &none, T));
  assert_close_pose(T[0], sp_pose_identity(), 0, 0);
  limb_model_destroy(welded), limb_model_destroy(empty);
}
END_TEST

START_TEST(survives_without_memory)
{
  budget b = {limb_default_allocator(), 1000, 0};
  const limb_allocator alloc = {budget_alloc, budget_free, &b};
  limb_model* m = make_small(&alloc);
  const double q[5] = {0, 0, 0, 1, 0.3}, v[4] = {0}, a[4] = {0};
  double tau[4], c[4], M[16];
  sp_pose T[3];
  const int live = b.live;
  for (int left = 0; left < 2; left++) {
    const limb_status want = left ? LIMB_OK : LIMB_E_NOMEM;
    b.left = left;
    assert_status(INVERSE(q, v, a, NULL), want);
    b.left = left;
    assert_status(KANE(q, v, a, NULL), want);
    b.left = left;
    assert_status(CLOSED(q, v, NULL), want);
    b.left = left;
    assert_status(limb_reference_poses(m, q, T), want);
    assert_that(b.live == live);
  }
  limb_model_destroy(m);
  assert_that(b.live == 0);
}
END_TEST

CHECK_MAIN("reference", 1, lynch_park_ur5, lynch_park_point_masses, ghosal_circle, khalil_tree, rejects_bad_arguments,
           reads_the_environment, works_without_joints, survives_without_memory)
