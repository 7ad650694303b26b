// Quantities of the Lagrangian, of all bodies at once, of closed forms and of the independent velocities: each against
// plain sums over others.
#include "limb/lagrange.h"
#include "limb/verify.h"

#include "quantities/station.h"

#include <math.h>

static const char* const robots[] = {"ur5", "tree5", "panda", "space_arm", "quadruped", "point_mass_2r"};

enum { ROBOTS = sizeof robots / sizeof *robots };

// One quantity into memory of its own. The caller frees it.
static double* ask(station* t, const char* name)
{
  const limb_item i = station_ask(t, name);
  double* x = calloc(i.size + 1, sizeof *x);
  assert_that(x);
  memcpy(x, t->x, i.size * sizeof *x);
  return x;
}

// X Y, or X' Y, in memory of its own: rows x n times n x columns.
static double* times(int transposed, int rows, int n, int columns, const double* X, const double* Y)
{
  double* Z = calloc((size_t)rows * (size_t)columns + 1, sizeof *Z);
  assert_that(Z);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < columns; j++)
        Z[i * columns + j] += X[transposed ? k * rows + i : i * n + k] * Y[k * columns + j];
  return Z;
}

static double rotor(const limb_model* m, int v)
{
  double sum = 0;
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info x;
    assert_ok(limb_get_joint(m, j, &x));
    if (x.nv == 1 && x.v == v) sum += x.def.gear_ratio * x.def.gear_ratio * x.def.rotor_inertia;
  }
  return sum;
}

// ---- closed form ----------------------------------------------------------------------------------------

// M = A' L' G L A and rotors, L (1 - Gamma) = 1.
static void factors(const char* robot)
{
  station t;
  station_open(&t, robot, NULL);
  const int nv = t.nv, n6 = 6 * limb_described_bodies(t.m, NULL);
  double *A = ask(&t, "factor_A"), *G = ask(&t, "factor_G"), *Gamma = ask(&t, "factor_Gamma"), *L = ask(&t, "factor_L");
  double *LA = times(0, n6, n6, nv, L, A), *GLA = times(0, n6, n6, nv, G, LA), *M = times(1, nv, n6, nv, LA, GLA);
  (void)station_ask(&t, "M");
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++)
      assert_close(t.x[i * nv + j] - (i == j ? rotor(t.m, i) : 0), M[i * nv + j], 1e-12, 1e-12);
  double* LGamma = times(0, n6, n6, n6, L, Gamma);
  for (int i = 0; i < n6 * n6; i++) assert_close(L[i] - LGamma[i], i % (n6 + 1) == 0, 0, 1e-12);
  // c = A' L' (-G L ad_Av Gamma - ad_V' G) L A v                                            (9.83), corrected
  double *ad_Av = ask(&t, "factor_ad_Av"), *ad_V = ask(&t, "factor_ad_V");
  double *V = times(0, n6, nv, 1, LA, t.v), *x = times(0, n6, n6, 1, Gamma, V), *y = times(0, n6, n6, 1, ad_Av, x);
  double *z = times(0, n6, n6, 1, L, y), *GV = times(0, n6, n6, 1, G, V), *turn = times(1, n6, n6, 1, ad_V, GV);
  double *F = times(0, n6, n6, 1, G, z), *h = ask(&t, "h"), *g = ask(&t, "g");
  for (int i = 0; i < n6; i++) F[i] = -F[i] - turn[i];
  double* c = times(1, nv, n6, 1, LA, F);
  for (int i = 0; i < nv; i++) assert_close(c[i], h[i] - g[i], 1e-10, 1e-11);
  double* const all[] = {A, G, Gamma, L, LA, GLA, M, LGamma, ad_Av, ad_V, V, x, y, z, GV, turn, F, h, g, c};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
  station_end(&t);
}

// S_i = Ad(M_i) A_i with M_i the pose of body i with all joints at zero: the UR5 of Lynch and Park.
static void screws(void)
{
  static const double elbow[6] = {0, 1, 0, -0.089159, 0, 0.425}, last[6] = {0, 1, 0, 0.005491, 0, 0.81725};
  station t;
  double q[6] = {0};
  sp_pose home[STATION_NV];
  int body[STATION_NV];
  station_open(&t, "ur5", NULL);
  const int n = limb_described_bodies(t.m, body);
  ck_assert_int_eq(n, 6);
  double *A = ask(&t, "factor_A"), *S = ask(&t, "factor_S");
  assert_ok(limb_reference_poses(t.m, q, home));
  for (int i = 0; i < n; i++) {
    double a[6], s[6];
    for (int k = 0; k < 6; k++) a[k] = A[(6 * i + k) * 6 + i], s[k] = S[(6 * i + k) * 6 + i];
    const sp_motion to = sp_motion_out(home[body[i]], (sp_motion){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}});
    const double want[6] = {to.w.x, to.w.y, to.w.z, to.v.x, to.v.y, to.v.z};
    assert_close_array(s, want, 6, 0, 1e-14);
    if (i == 2) assert_close_array(s, elbow, 6, 0, 1e-12);
    if (i == 5) assert_close_array(s, last, 6, 0, 1e-12);
  }
  t.s.q = NULL; // S and G are the same in all states
  (void)station_ask(&t, "factor_S");
  assert_close_array(t.x, S, 36 * n, 0, 0);
  free(A), free(S);
  station_end(&t);
}

static void factor_arguments(void)
{
  station t;
  station_open(&t, "ur5", NULL);
  const limb_factors at_rest = {.A = t.x}, moving = {.ad_V = t.x};
  assert_that(limb_reference_factors_work(NULL) == 0 && limb_reference_articulated_work(NULL) == 0);
  assert_that(limb_reference_factors_work(t.m) < STATION_NUMBERS && limb_described_bodies(NULL, NULL) == 0);
  ck_assert_int_eq(limb_reference_factors(NULL, t.q, t.v, NULL, t.y, &at_rest), LIMB_E_ARG);
  ck_assert_int_eq(limb_reference_factors(t.m, NULL, t.v, NULL, t.y, &at_rest), LIMB_E_ARG);
  ck_assert_int_eq(limb_reference_factors(t.m, t.q, t.v, NULL, NULL, &at_rest), LIMB_E_ARG);
  ck_assert_int_eq(limb_reference_factors(t.m, t.q, t.v, NULL, t.y, NULL), LIMB_E_ARG);
  ck_assert_int_eq(limb_reference_factors(t.m, t.q, NULL, NULL, t.y, &moving), LIMB_E_ARG);
  ck_assert_int_eq(limb_reference_articulated(t.m, t.q, t.v, NULL, NULL, t.y, t.x, NULL), LIMB_E_ARG);
  ck_assert_int_eq(limb_get_body_motions(t.d, (limb_ref)7, &(limb_body_motions){.pose = NULL}), LIMB_E_ARG);
  ck_assert_int_eq(limb_get_body_motions(NULL, LIMB_BODY, &(limb_body_motions){.pose = NULL}), LIMB_E_ARG);
  sp_pose X[STATION_NV];
  ck_assert_int_eq(limb_get_body_motions(t.d, LIMB_BODY, &(limb_body_motions){.pose = X}), LIMB_E_ORDER);
  ck_assert_int_eq(limb_body_energies(t.d, t.q, NULL, NULL, t.x, NULL), LIMB_E_ARG);
  t.v[1] = (double)NAN;
  ck_assert_int_eq(limb_reference_factors(t.m, t.q, t.v, NULL, t.y, &at_rest), LIMB_E_NONFINITE);
  ck_assert_int_eq(limb_reference_articulated(t.m, t.q, t.v, t.tau, NULL, t.y, t.x, NULL), LIMB_E_NONFINITE);
  ck_assert_int_eq(limb_body_energies(t.d, t.q, t.v, NULL, t.x, NULL), LIMB_E_NONFINITE);
  station_end(&t);
}

// ---- the Lagrangian -------------------------------------------------------------------------------------

static void lagrangian(const char* robot)
{
  station t;
  station_open(&t, robot, NULL);
  const int nv = t.nv;
  double *M = ask(&t, "M"), *p = ask(&t, "dT_dv"), *dT = ask(&t, "dT_dq"), *dU = ask(&t, "dU_dq"), *T = ask(&t, "T");
  double *U = ask(&t, "U"), *L = ask(&t, "L"), *Mdot = ask(&t, "Mdot"), *h = ask(&t, "h"),
         *springs = ask(&t, "springs");
  double *Mv = times(0, nv, nv, 1, M, t.v), *rate = times(0, nv, nv, 1, Mdot, t.v);
  double kinetic = 0, parts = 0, gravity = 0;
  for (int i = 0; i < nv; i++) kinetic += Mv[i] * t.v[i] / 2, parts += rotor(t.m, i) * t.v[i] * t.v[i] / 2;
  assert_close(*T, kinetic, 1e-12, 0);
  assert_close(*L, *T - *U, 1e-12, 1e-12);
  assert_close_array(p, Mv, nv, 1e-11, 1e-12);
  // Lagrange: h + springs = (dM/dt) v - dT/dq + dU/dq, where velocities are rates of coordinates
  if (t.nq == nv)
    for (int i = 0; i < nv; i++) assert_close(h[i] + springs[i], rate[i] - dT[i] + dU[i], 1e-10, 1e-10);
  const limb_item item = station_ask(&t, "body_energy");
  for (size_t i = 0; i < item.size; i += 2) parts += t.x[i], gravity += t.x[i + 1];
  assert_close(kinetic, parts, 1e-12, 0);
  (void)station_ask(&t, "energy");
  assert_close(t.x[2], gravity, 1e-10, 1e-10);
  double* const all[] = {M, p, dT, dU, T, U, L, Mdot, h, springs, Mv, rate};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
  station_end(&t);
}

// Lynch and Park, the 2R with point masses: K_1, K_2, P_1, P_2 as printed, K_2 corrected.
static void point_masses(void)
{
  const double a = 0.5, b = 0.9, da = 1.2, db = -0.7, L1 = 1, L2 = 0.8, m1 = 2, m2 = 1, g = 9.81;
  const double K1 = m1 * L1 * L1 * da * da / 2;
  const double K2 = m2 / 2 *
                    ((L1 * L1 + 2 * L1 * L2 * cos(b) + L2 * L2) * da * da + 2 * (L2 * L2 + L1 * L2 * cos(b)) * da * db +
                     L2 * L2 * db * db);
  const double P1 = m1 * g * L1 * sin(a), P2 = m2 * g * (L1 * sin(a) + L2 * sin(a + b));
  const double want[] = {K1, P1, K2, P2};
  station t;
  station_open(&t, "point_mass_2r", NULL);
  t.q[0] = a, t.q[1] = b, t.v[0] = da, t.v[1] = db;
  assert_that(station_ask(&t, "body_energy").size == 4);
  assert_close_array(t.x, want, 4, 1e-13, 0);
  (void)station_ask(&t, "L"), assert_close(*t.x, K1 + K2 - P1 - P2, 1e-13, 0);
  station_end(&t);
}

// ---- all bodies -----------------------------------------------------------------------------------------

static const char* const refs[] = {"body", "world", "aligned"};

static void motions(const char* robot)
{
  static const char* const names[][2] = {{"body_velocity", "velocity"}, {"body_acceleration", "acceleration"}};
  station t;
  int body[STATION_NV];
  char name[120];
  station_open(&t, robot, NULL);
  const int n = limb_described_bodies(t.m, body), nv = t.nv;
  for (int k = 0; k < 6; k++) {
    (void)snprintf(name, sizeof name, "%s@%s", names[k / 3][0], refs[k % 3]);
    double* all = ask(&t, name);
    for (int i = 0; i < n; i++) {
      limb_body_info x;
      assert_ok(limb_get_body(t.m, body[i], &x));
      (void)snprintf(name, sizeof name, "%s@%s.%s", names[k / 3][1], refs[k % 3], x.name);
      (void)station_ask(&t, name);
      assert_close_array(&all[6 * i], t.x, 6, 0, 0);
    }
    free(all);
  }
  double *J = ask(&t, "body_J@world"), *V = ask(&t, "body_velocity@world"), *X = ask(&t, "body_pose");
  double* Jv = times(0, 6 * n, nv, 1, J, t.v);
  assert_close_array(Jv, V, 6 * n, 1e-11, 1e-12);
  for (int i = 0; i < n; i++) {
    sp_pose pose;
    assert_ok(limb_kinematics(t.d, t.q, NULL, NULL));
    assert_ok(limb_frame_pose(t.d, body[i], &pose));
    assert_close_array(&X[16 * i], &pose.p.x, 3, 0, 0);
    assert_close_array(&X[16 * i + 7], pose.R.m, 9, 0, 0);
  }
  free(J), free(V), free(X), free(Jv);
  station_end(&t);
}

// The sum of all net wrenches about the world's origin is the rate of momentum.
static void net_wrenches(const char* robot)
{
  station t;
  sp_force rate;
  station_open(&t, robot, NULL);
  assert_ok(limb_kinematics(t.d, t.q, t.v, t.a));
  assert_ok(limb_momentum_rate(t.d, 0, &rate));
  const double want[6] = {rate.m.x, rate.m.y, rate.m.z, rate.f.x, rate.f.y, rate.f.z};
  const limb_item item = station_ask(&t, "net_wrench@world");
  for (int k = 0; k < 6; k++) {
    double sum = 0;
    for (size_t i = (size_t)k; i < item.size; i += 6) sum += t.x[i];
    assert_close(sum, want[k], 1e-10, 1e-10);
  }
  // turned into the body and back: the same force, whatever the reference
  double *body = ask(&t, "net_wrench@body"), *aligned = ask(&t, "net_wrench@aligned");
  for (size_t i = 0; i < item.size; i += 3) {
    double a = 0, b = 0;
    for (int k = 0; k < 3; k++)
      a += body[i + (size_t)k] * body[i + (size_t)k], b += aligned[i + (size_t)k] * aligned[i + (size_t)k];
    assert_close(a, b, 1e-10, 1e-10);
  }
  free(body), free(aligned);
  station_end(&t);
}

// f = I^A a + p^A is the wrench of each joint in the motion that tau causes, and has friction, springs and rotors.
static void articulated(const char* robot)
{
  station t;
  station_open(&t, robot, NULL);
  const int n = limb_body_count(t.m);
  double acc[STATION_NV], *I = t.x, *work = t.y;
  sp_force p[STATION_NV], f[STATION_NV];
  sp_motion a[STATION_NV];
  sp_pose X[STATION_NV];
  if (limb_reference_articulated(t.m, t.q, t.v, t.tau, &t.env, work, I, p) == LIMB_E_UNSUPPORTED) { // mimic joints
    station_end(&t);
    return;
  }
  assert_ok(limb_reference_articulated(t.m, t.q, t.v, t.tau, &t.env, work, I, p));
  assert_ok(limb_forward_dynamics(t.d, t.q, t.v, t.tau, &t.env, acc));
  assert_ok(limb_reference_inverse_dynamics(t.m, t.q, t.v, acc, &t.env, t.y + 200000, f));
  assert_ok(limb_kinematics(t.d, t.q, t.v, acc));
  assert_ok(limb_get_body_motions(t.d, LIMB_BODY, &(limb_body_motions){.pose = X, .acceleration = a}));
  for (int i = 1; i < n; i++) {
    const sp_vec3 down = sp_tmulv(X[i].R, t.env.gravity);
    const double x[6] = {a[i].w.x, a[i].w.y, a[i].w.z, a[i].v.x - down.x, a[i].v.y - down.y, a[i].v.z - down.z};
    const double want[6] = {f[i].m.x, f[i].m.y, f[i].m.z, f[i].f.x, f[i].f.y, f[i].f.z};
    double got[6] = {p[i].m.x, p[i].m.y, p[i].m.z, p[i].f.x, p[i].f.y, p[i].f.z};
    for (int r = 0; r < 36; r++) {
      got[r / 6] += I[36 * i + r] * x[r % 6];
      assert_close(I[36 * i + r], I[36 * i + 6 * (r % 6) + r / 6], 1e-10, 1e-10); // symmetric
    }
    assert_close_array(got, want, 6, 1e-8, 1e-8);
  }
  station_end(&t);
}

// The first joint feels the rest through its own axis: S' I^A S = 1 / (M^-1)_11, and M is printed for this robot.
static void articulated_number(void)
{
  const double M11 = 0.516351834446801, M12 = -0.042881483332011, M22 = 0.084182532844332;
  char path[1000];
  station t;
  (void)snprintf(path, sizeof path, "%s/../examples/books/spatial_2r.limb.yaml", LIMB_TEST_DIR);
  station_open(&t, path, NULL);
  t.q[0] = 0.7, t.q[1] = -1.1;
  double *A = ask(&t, "factor_A"), *I = ask(&t, "articulated_inertia.link1");
  double sum = 0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) sum += A[2 * i] * I[6 * i + j] * A[2 * j];
  assert_close(sum, M11 - M12 * M12 / M22, 1e-12, 0);
  (void)station_ask(&t, "sectional_curvature"); // K of the same robot
  assert_close(t.x[1], -1.311856231562714, 1e-11, 0);
  assert_that(t.x[0] == 0 && t.x[3] == 0);
  free(A), free(I);
  station_end(&t);
}

static void principal(void)
{
  station t;
  int body[STATION_NV];
  station_open(&t, "panda", NULL);
  const int n = limb_described_bodies(t.m, body);
  double *I = ask(&t, "principal_moments"), *R = ask(&t, "principal_axes");
  for (int i = 0; i < n; i++) {
    limb_body_info x;
    double Y[9] = {0};
    assert_ok(limb_get_body(t.m, body[i], &x));
    for (int k = 0; k < 27; k++)
      Y[k / 3] += R[9 * i + k / 9 * 3 + k % 3] * I[3 * i + k % 3] * R[9 * i + k / 3 % 3 * 3 + k % 3];
    const double want[9] = {x.inertia.xx, x.inertia.xy, x.inertia.xz, x.inertia.xy, x.inertia.yy,
                            x.inertia.yz, x.inertia.xz, x.inertia.yz, x.inertia.zz};
    assert_close_array(Y, want, 9, 1e-12, 1e-14);
  }
  free(I), free(R);
  station_end(&t);
}

// ---- curvature ------------------------------------------------------------------------------------------

static void planes(void)
{
  station t;
  station_open(&t, "tree5", NULL);
  const int n = t.nv;
  double *R = ask(&t, "curvature"), *M = ask(&t, "M"), *K = ask(&t, "sectional_curvature"), top = 0, uu = 0, uw = 0,
         ww = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double area = M[i * n + i] * M[j * n + j] - M[i * n + j] * M[i * n + j];
      if (i != j) assert_close(K[i * n + j], R[((i * n + j) * n + i) * n + j] / area, 1e-8, 1e-10);
      uu += t.v[i] * M[i * n + j] * t.v[j], uw += t.v[i] * M[i * n + j] * t.a[j], ww += t.a[i] * M[i * n + j] * t.a[j];
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) top += R[((i * n + j) * n + k) * n + l] * t.v[i] * t.a[j] * t.v[k] * t.a[l];
    }
  (void)station_ask(&t, "plane_curvature");
  assert_close(*t.x, top / (uu * ww - uw * uw), 1e-8, 1e-10);
  (void)station_ask(&t, "dchristoffel_dq");
  assert_ok(limb_christoffel_derivative(t.d, t.q, t.y));
  assert_close_array(t.x, t.y, n * n * n * n, 0, 0);
  double *Jdot = ask(&t, "Jdot"), *rest = times(0, 6, n, 1, Jdot, t.v);
  (void)station_ask(&t, "Jdotv");
  assert_close_array(rest, t.x, 6, 1e-11, 1e-12);
  free(R), free(M), free(K), free(Jdot), free(rest);
  station_end(&t);
}

// ---- loops ----------------------------------------------------------------------------------------------

// Khalil's five-bar: A_c and H_c.
static void reduced(void)
{
  static const double q[4] = {1.4, -0.366997555081971, 1.9, 0.393380958831393};
  static const double A[4] = {0.235309832992768, 0.057673620822627, 0.057673620822627, 0.319236358569559};
  static const double H[2] = {-0.422258116002492, -1.009655142957822};
  station t;
  station_open(&t, "five_bar", NULL);
  memcpy(t.q, q, sizeof q);
  const double y[4] = {0.8, 0, -1.1, 0};
  memcpy(t.v, y, sizeof y);
  assert_ok(limb_complete_velocities(t.loops, t.q, NULL, NULL, t.v));
  t.env.nwrench = 0;
  (void)station_ask(&t, "reduced_M"), assert_close_array(t.x, A, 4, 1e-11, 1e-11);
  const limb_item item = station_ask(&t, "reduced_h");
  assert_close_array(t.x, H, 2, 1e-11, 1e-11);
  ck_assert_str_eq(limb_evaluator_label(t.e, 0, 0, 1), "right_shoulder");
  assert_that(item.length[0] == 2);
  double *G = ask(&t, "G"), *Psi = ask(&t, "Psi"), *zero = times(0, t.nc, t.nv, 2, Psi, G);
  for (int i = 0; i < 2 * t.nc; i++) assert_close(zero[i], 0, 0, 1e-12);
  free(G), free(Psi), free(zero);
  station_end(&t);
}

// M (v_after - v) = Psi' impulse and Psi v_after = 0, for velocities that open the loop.
static void impacts(void)
{
  station t;
  station_open(&t, "four_bar", NULL);
  limb_evaluator_options o = limb_default_evaluator_options();
  limb_evaluator* tree = NULL;
  t.v[0] += 1, t.v[1] -= 0.5;
  const int nv = t.nv, nc = t.nc;
  double *P = ask(&t, "impulse"), *after = ask(&t, "v_after"), *Psi = ask(&t, "Psi");
  double *zero = times(0, nc, nv, 1, Psi, after), *push = times(1, nv, nc, 1, Psi, P), M[STATION_NV * STATION_NV];
  o.tree = 1;
  assert_ok(limb_evaluator_create(t.m, &o, NULL, &tree));
  assert_ok(limb_evaluator_add(tree, "M", NULL, NULL, NULL));
  assert_ok(limb_evaluator_run(tree, &t.s, M));
  for (int i = 0; i < nc; i++) assert_close(zero[i], 0, 0, 1e-11);
  for (int i = 0; i < nv; i++) {
    double sum = 0;
    for (int k = 0; k < nv; k++) sum += M[i * nv + k] * (after[k] - t.v[k]);
    assert_close(sum, push[i], 1e-10, 1e-10);
  }
  limb_evaluator_destroy(tree);
  free(P), free(after), free(Psi), free(zero), free(push);
  station_end(&t);
}

// ---- all of them ----------------------------------------------------------------------------------------

START_TEST(each_robot)
{
  for (int i = 0; i < ROBOTS; i++)
    factors(robots[i]), lagrangian(robots[i]), motions(robots[i]), net_wrenches(robots[i]), articulated(robots[i]);
}
END_TEST

START_TEST(numbers) { screws(), point_masses(), articulated_number(), reduced(); }
END_TEST

START_TEST(sums) { principal(), planes(), impacts(); }
END_TEST

START_TEST(arguments) { factor_arguments(); }
END_TEST

CHECK_MAIN("quantities_of_bodies", 1, each_robot, numbers, sums, arguments)
