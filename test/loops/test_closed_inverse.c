// Inverse dynamics of closed chains: the worked examples of Khalil 2010, and identities over all robots with
// loops. Figures computed outside this project.
#include "loops/closed.h"
#include "loops/closed_bench.h"

#include "limb/dynamics.h"

#include <stdio.h>

#define TOL_FIGURES 1e-11

// ---- figures --------------------------------------------------------------------------------------------

// The force of the closure on its frame b, world axes: frame a is on a body turned by `angle` about z.
static sp_vec3 closure_force(bench* b, double angle)
{
  const limb_closed_motion in = bench_motion(b);
  sp_force loop;
  assert_ok(limb_closed_loads(b->w, &in, b->lambda, LIMB_BODY, NULL, NULL, &loop));
  return sp_mulv(sp_rot_axis(sp_v3(0, 0, 1), angle), loop.f);
}

START_TEST(five_bar)
{
  static const double q[4] = {1.4, -0.3669975550819706, 1.9, 0.3933809588313926};
  static const double v[4] = {0.8, -1.7514444468319623, -1.1, 2.077117927543181};
  static const double a[4] = {0.5, -2.029505051078203, 0.9, -1.0067353005129003};
  static const double tree[4] = {3.205765440096726, 1.6805392336694909, -4.970667024301056, -2.180076678393617};
  static const double want[4] = {-0.2526969407657417, 0, -0.6935056098339045, 0};
  static const double want_A[4] = {0.23530983299276825, 0.057673620822626843, 0.057673620822626816,
                                   0.31923635856955945};
  static const double want_H[2] = {-0.42225811600249175, -1.0096551429578218};
  bench b = bench_with(closed_five_bar(), q, v, a);
  const limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
  assert_close_array(b.tree, tree, 4, TOL_FIGURES, 0);
  assert_close_array(b.tau, want, 4, TOL_FIGURES, 0);
  assert_that(out.undriven == 0 && out.overdriven == 0 && out.bounded == 0 && out.unbalanced == 0);
  // multipliers outside are forces on the left arm, which is a here
  assert_close_vec3(closure_force(&b, q[0] + q[1]), sp_v3(3.749555271648614, 0.8186990336046837, 0), TOL_FIGURES, 0);
  double A[16], H[4];
  int count = 0;
  assert_ok(limb_closed_reduced_dynamics(b.w, &in, NULL, NULL, &count, A, H));
  assert_that(count == 2);
  assert_close_array(A, want_A, 4, TOL_FIGURES, 0);
  assert_close_array(H, want_H, 2, TOL_FIGURES, 0);
  bench_end(&b);
}
END_TEST

START_TEST(four_bar)
{
  static const double q[3] = {0.7, -0.145652786822976, 1.5237581508621456};
  static const double v[3] = {1.3, -1.7498541677143962, 0.11441346611865466};
  static const double a[3] = {-0.6, 1.475717900419038, 1.2677095240767216};
  static const double want[3] = {4.367274542153184, 0, 0};
  bench b = bench_with(closed_four_bar(1, 0.35, 0.9, 0.7), q, v, a);
  const limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
  assert_close_array(b.tau, want, 3, TOL_FIGURES, 0);
  assert_close_vec3(closure_force(&b, q[0] + q[1]), sp_v3(-1.316899673004004, -11.169271543385733, 0), TOL_FIGURES, 0);
  bench_end(&b);
}
END_TEST

// ---- Gough and Stewart's platform -----------------------------------------------------------------------

#define DEGREE 0.017453292519943295769

static const double foot_angle[6] = {15, 105, 135, 225, 255, 345};
static const double head_angle[6] = {45, 75, 165, 195, 285, 315};

static sp_vec3 around(double radius, double degrees, double z)
{
  return sp_v3(radius * cos(degrees * DEGREE), radius * sin(degrees * DEGREE), z);
}

static int leg_joint(limb_builder* b, const char* name, limb_joint_type type, int parent, sp_pose placement,
                     sp_inertia inertia)
{
  const int body = fixture_body(b, name, inertia);
  limb_joint_def def = limb_default_joint_def(name, type, parent, body);
  def.placement = placement;
  def.axis = sp_v3(0, 0, 1);
  def.drive = type == LIMB_PRISMATIC ? LIMB_DRIVE_ACTIVE : LIMB_DRIVE_PASSIVE;
  def.rotor_inertia = type == LIMB_PRISMATIC ? 3 : 0;
  fixture_joint(b, &def);
  return body;
}

// Khalil 2010, section 5; the platform first.
static limb_model* hexapod(void)
{
  static const double platform_I[6] = {0.55, 0.01, -0.02, 0.60, 0.015, 0.95};
  static const double I1[6] = {0.0008, 0, 0, 0.0007, 0, 0.0009};
  static const double I2[6] = {0.035, 0.0004, 0.0002, 0.004, 0.0003, 0.036};
  static const double I3[6] = {0.020, 0.0002, 0.0001, 0.021, 0.0001, 0.0015};
  const double right = 1.57079632679489661923;
  limb_builder* b = fixture_begin("hexapod");
  const int platform = fixture_link(b, "platform", LIMB_FREE, LIMB_WORLD_BODY, sp_pose_identity(), sp_v3(0, 0, 1),
                                    fixture_inertia(12, sp_v3(0.01, -0.02, 0.03), platform_I));
  for (int k = 0; k < 6; k++) {
    char name[4][16];
    static const char* const part[4] = {"turn", "tilt", "slide", "ball"};
    for (int p = 0; p < 4; p++) snprintf(name[p], sizeof name[p], "%s%d", part[p], k + 1);
    const int turn =
      leg_joint(b, name[0], LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_mdh(foot_angle[k] * DEGREE, 0, -right, 0.6, 0, 0),
                fixture_inertia(0.3, sp_v3(0, 0, 0.01), I1));
    const int tilt = leg_joint(b, name[1], LIMB_REVOLUTE, turn, fixture_mdh(0, 0, right, 0, 0, 0),
                               fixture_inertia(2.5, sp_v3(0.004, -0.18, 0.006), I2));
    const int slide = leg_joint(b, name[2], LIMB_PRISMATIC, tilt, fixture_mdh(0, 0, right, 0, 0, 0),
                                fixture_inertia(1.4, sp_v3(0.003, 0.002, -0.22), I3));
    closed_join(b, name[3], LIMB_LOOP_BALL, slide, sp_pose_identity(), platform,
                sp_pose_make(sp_identity3(), around(0.35, head_angle[k], -0.05)));
  }
  return fixture_end(b);
}

// A value with two derivatives: x + amplitude sin(w t + phase).
typedef struct course {
  double x, v, a;
} course;

static course swing(double centre, double amplitude, double w, double phase, double t)
{
  const double s = sin(w * t + phase), c = cos(w * t + phase);
  return (course){centre + amplitude * s, amplitude * w * c, -amplitude * w * w * s};
}

// Pose, velocity and acceleration of the platform as a free joint has them: R = Rz(yaw) Ry(pitch) Rx(roll).
static void platform_motion(double t, double* q, double* v, double* a)
{
  const double w = 3.14159265358979323846, quarter = w / 2;
  const course x = swing(0, 0.08, w, 0, t), y = swing(-0.06, 0.06, w, quarter, t), z = swing(0.75, 0.05, 2 * w, 0, t);
  const course yaw = swing(0, 0.15, w, quarter, t), pitch = swing(0, 0.10, 2 * w, 0, t),
               roll = swing(0, 0.12, w, 0.3, t);
  const double sr = sin(roll.x), cr = cos(roll.x), sp = sin(pitch.x), cp = cos(pitch.x);
  const sp_mat3 R = sp_rot_rpy(roll.x, pitch.x, yaw.x);
  const sp_quat u = sp_quat_rot(R);
  // rates of angles to angular velocity in body axes, and once more
  const sp_vec3 om = sp_v3(roll.v - sp * yaw.v, cr * pitch.v + sr * cp * yaw.v, -sr * pitch.v + cr * cp * yaw.v);
  const sp_vec3 al = sp_v3(
    roll.a - sp * yaw.a - cp * pitch.v * yaw.v,
    cr * pitch.a + sr * cp * yaw.a - sr * roll.v * pitch.v + cr * cp * roll.v * yaw.v - sr * sp * pitch.v * yaw.v,
    -sr * pitch.a + cr * cp * yaw.a - cr * roll.v * pitch.v - sr * cp * roll.v * yaw.v - cr * sp * pitch.v * yaw.v);
  const sp_vec3 lin = sp_tmulv(R, sp_v3(x.v, y.v, z.v));
  const sp_vec3 acc = sp_sub3(sp_tmulv(R, sp_v3(x.a, y.a, z.a)), sp_cross3(om, lin));
  const double all_q[7] = {x.x, y.x, z.x, u.x, u.y, u.z, u.w};
  const double all_v[6] = {om.x, om.y, om.z, lin.x, lin.y, lin.z};
  const double all_a[6] = {al.x, al.y, al.z, acc.x, acc.y, acc.z};
  memcpy(q, all_q, sizeof all_q), memcpy(v, all_v, sizeof all_v), memcpy(a, all_a, sizeof all_a);
}

// Leg vector q3 (c1 s2, s1 s2, -c2) in the leg's base frame.
static void legs(const double* pose, double* q)
{
  const sp_quat u = {pose[3], pose[4], pose[5], pose[6]};
  const sp_pose X = sp_pose_make(sp_rot_quat(u), sp_v3(pose[0], pose[1], pose[2]));
  for (int k = 0; k < 6; k++) {
    const sp_pose base = fixture_mdh(foot_angle[k] * DEGREE, 0, -1.57079632679489661923, 0.6, 0, 0);
    const sp_vec3 head = sp_point(X, around(0.35, head_angle[k], -0.05));
    const sp_vec3 d = sp_tmulv(base.R, sp_sub3(head, base.p));
    const double length = sp_norm3(d);
    // tilt in (-pi, 0) or (0, pi): either describes the same leg
    q[3 * k] = atan2(d.y, d.x);
    q[3 * k + 1] = acos(-d.z / length);
    q[3 * k + 2] = length;
  }
}

START_TEST(gough_stewart)
{
  static const double time[6] = {0, 0.4, 0.8, 1.0, 1.2, 1.6};
  static const double want[6][6] = {
    {13.060967833926245, 52.50445973691679, 34.38638703706825, 38.81969491790577, 23.47507024247704, 63.61568915196725},
    {46.533218788413826, 5.709729557252566, 22.531621717856016, 35.26840071912868, 9.916289847393465,
     59.571545534217094},
    {89.75306208845093, -6.720109634255065, 42.918880170961145, 89.49503842158525, 46.516848644495255,
     32.27436310900442},
    {77.760321854052, 14.255639495087, 11.137412881906, 59.632567313412, 63.438329213446, -5.649347509977},
    {53.061104454278464, 36.610664027536146, -15.133420275332206, 31.581141630284083, 63.29732512994194,
     -23.840445987212767},
    {28.23488091452927, 77.0382783200539, 27.225704717100665, 56.45834077788939, 69.52668642434821,
     12.368697198324055}};
  bench b = bench_with(hexapod(), NULL, NULL, NULL);
  unsigned char platform[24] = {1, 1, 1, 1, 1, 1};
  for (int k = 0; k < 6; k++) {
    check_at("t = %g", time[k]);
    platform_motion(time[k], b.c.q, b.c.v, b.a);
    legs(b.c.q, b.c.q + 7);
    assert_ok(limb_complete_velocities(b.w, b.c.q, platform, NULL, b.c.v));
    assert_ok(limb_complete_accelerations(b.w, b.c.q, b.c.v, platform, NULL, b.a));
    const limb_closed_motion in = bench_motion(&b);
    limb_closed_forces out = bench_forces(&b);
    assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
    assert_that(out.undriven == 0 && out.overdriven == 0 && out.unbalanced == 0);
    double got[6];
    for (int i = 0; i < 6; i++) got[i] = b.tau[6 + 3 * i + 2];
    assert_close_array(got, want[k], 6, TOL_FIGURES, 0);
  }
  bench_end(&b);
}
END_TEST

// ---- identities -----------------------------------------------------------------------------------------

// Gamma_tr - tau - Psi' lambda, over the size of its parts.
static double imbalance(bench* b)
{
  double *Psi = numbers(b->nc * b->nv), *rest = numbers(b->nv);
  double size = 1e-3;
  assert_ok(limb_loop_equations_at(b->w, b->c.q, NULL, NULL, &(limb_loop_equations){.Psi = Psi}));
  for (int v = 0; v < b->nv; v++) {
    rest[v] = b->tree[v] - b->tau[v];
    for (int r = 0; r < b->nc; r++) {
      rest[v] -= Psi[r * b->nv + v] * b->lambda[r];
      size = fmax(size, fabs(Psi[r * b->nv + v] * b->lambda[r]));
    }
  }
  const double share = bench_largest(b->nv, rest) / fmax(size, bench_largest(b->nv, b->tree));
  free(Psi);
  free(rest);
  return share;
}

// Multipliers of least norm are combinations of the columns of Psi: what is left of lambda when all of
// them, made orthogonal with the longest first, are taken off.
static double superfluous(bench* b)
{
  const int n = b->nv, m = b->nc;
  double *Psi = numbers(m * n), *rest = numbers(m);
  assert_ok(limb_loop_equations_at(b->w, b->c.q, NULL, NULL, &(limb_loop_equations){.Psi = Psi}));
  memcpy(rest, b->lambda, (size_t)m * sizeof *rest);
  for (int k = 0; k < n; k++) {
    int best = -1;
    double most = 1e-16;
    for (int j = 0; j < n; j++) {
      double square = 0;
      for (int i = 0; i < m; i++) square += Psi[i * n + j] * Psi[i * n + j];
      if (square > most) best = j, most = square;
    }
    if (best < 0) break;
    double* axis = numbers(m);
    for (int i = 0; i < m; i++) axis[i] = Psi[i * n + best] / sqrt(most);
    for (int j = -1; j < n; j++) { // -1: lambda itself
      double along = 0;
      for (int i = 0; i < m; i++) along += axis[i] * (j < 0 ? rest[i] : Psi[i * n + j]);
      for (int i = 0; i < m; i++) *(j < 0 ? &rest[i] : &Psi[i * n + j]) -= along * axis[i];
    }
    free(axis);
  }
  const double left = bench_largest(m, rest) / (1 + bench_largest(m, b->lambda));
  free(Psi);
  free(rest);
  return left;
}

// What limb_inverse_dynamics says is balanced by motors and closures; passive joints get nothing.
static void check_balance(bench* b, const limb_closed_forces* out)
{
  unsigned char* given = calloc((size_t)b->nv + 1, 1);
  if (!given) abort();
  assert_ok(limb_given_for_passive(b->c.m, given));
  for (int v = 0; v < b->nv; v++) {
    if (given[v] == LIMB_FORCE_GIVEN) assert_that(b->tau[v] == 0);
  }
  free(given);
  assert_that(out->unbalanced >= 0);
  assert_close(imbalance(b), 0, 0, 1e-12);
  assert_close(superfluous(b), 0, 0, 1e-8);
}

static void balances(bench* b, rng* r)
{
  limb_closed_motion in = bench_motion(b);
  const limb_wrench push = {rng_below(r, limb_body_count(b->c.m)), LIMB_ALIGNED, {rng_vec3(r, 5), rng_vec3(r, 5)}};
  limb_environment env = limb_default_environment(b->c.m);
  env.base_velocity = rng_motion(r, 1, 1);
  env.base_acceleration.v = rng_vec3(r, 3);
  env.nwrench = 1, env.wrench = &push;
  in.env = &env;
  limb_closed_forces out = bench_forces(b);
  const limb_status s = limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out);
  limb_mobility mobility;
  assert_ok(limb_mobility_at(b->w, b->c.q, NULL, &mobility));
  assert_that(out.undriven == mobility.undriven && out.overdriven == mobility.overdriven);
  double* tree = numbers(b->nv);
  assert_ok(limb_inverse_dynamics(b->d, b->c.q, b->c.v, b->a, &env, tree));
  assert_close_array(b->tree, tree, b->nv, 1e-14, 0);
  free(tree);
  if (out.undriven == 0) {
    assert_ok(s);
    assert_that(out.unbalanced == 0);
    check_balance(b, &out);
  } else {
    assert_status(s, LIMB_E_SINGULAR); // no random motion happens by itself
    assert_that(out.unbalanced > 1e-6);
  }
}

START_TEST(balance) { bench_over(_i, balances); }
END_TEST

// tau . v + lambda . s' is the rate of the energies and what friction takes.
static void powers(bench* b, rng* r)
{
  (void)r;
  const limb_closed_motion in = bench_motion(b);
  limb_closed_forces out = bench_forces(b);
  const limb_status s = limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out);
  if (s != LIMB_OK) return;
  double* rate = numbers(b->nc);
  assert_ok(limb_loop_equations_at(b->w, b->c.q, NULL, NULL, &(limb_loop_equations){.rate = rate}));
  double power = 0, size = 1e-3;
  for (int v = 0; v < b->nv; v++) power += b->tau[v] * b->c.v[v], size += fabs(b->tree[v] * b->c.v[v]);
  for (int k = 0; k < b->nc; k++) power += b->lambda[k] * rate[k];
  limb_power e;
  assert_ok(limb_power_balance(b->d, b->c.q, b->c.v, b->a, NULL, &e));
  assert_close(power, e.kinetic + e.gravity + e.springs + e.friction, 0, 1e-11 * size);
  free(rate);
}

START_TEST(power) { bench_over(_i, powers); }
END_TEST

// What forward dynamics makes of some torques needs those torques, motors or not. Robots with undriven
// motions are in balance then.
static void returns(bench* b, rng* r)
{
  unsigned char* given = calloc((size_t)b->nv + 1, 1);
  double *tau = numbers(b->nv), *lambda = numbers(b->nc);
  if (!given) abort();
  rng_fill(r, 3, b->nv, tau);
  assert_ok(limb_given_for_passive(b->c.m, given));
  for (int v = 0; v < b->nv; v++) {
    if (given[v] == LIMB_FORCE_GIVEN) tau[v] = 0;
  }
  limb_loop_solver o = limb_default_loop_solver();
  o.method = LIMB_LOOP_METHOD_KKT;
  const limb_closed_motion in = bench_motion(b);
  assert_ok(limb_closed_forward_dynamics(b->w, &in, tau, &o, b->a, lambda, NULL));
  limb_closed_forces out = bench_forces(b);
  assert_ok(limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out));
  const double size = fmax(bench_largest(b->nv, b->tree), 3);
  assert_close(imbalance(b), 0, 0, 1e-10);
  if (out.overdriven == 0) {
    assert_close_array(b->tau, tau, b->nv, 0, 1e-9 * size);
    assert_close_array(b->lambda, lambda, b->nc, 1e-8, 1e-8 * size);
  }
  free(given);
  free(tau);
  free(lambda);
}

START_TEST(there_and_back) { bench_over(_i, returns); }
END_TEST

// A_c and H_c: G' (Gamma_tr) for any independent accelerations.
static void reduces(bench* b, rng* r)
{
  (void)r;
  const int n = b->nv;
  double *A = numbers(n * n), *H = numbers(n), *G = numbers(n * n);
  unsigned char* y = calloc((size_t)n + 1, 1);
  if (!y) abort();
  const limb_closed_motion in = bench_motion(b);
  int count = 0, also = 0;
  assert_ok(limb_closed_reduced_dynamics(b->w, &in, NULL, NULL, &count, A, H));
  assert_ok(limb_independent_velocities(b->w, b->c.q, NULL, y));
  assert_ok(limb_velocity_map(b->w, b->c.q, NULL, NULL, &also, G));
  assert_that(count == also);
  assert_ok(limb_inverse_dynamics(b->d, b->c.q, b->c.v, b->a, NULL, b->tree));
  for (int i = 0; i < count; i++) {
    double got = H[i], want = 0, size = fabs(H[i]) + 1e-3;
    for (int v = 0, j = 0; v < n; v++) {
      want += G[v * count + i] * b->tree[v], size += fabs(G[v * count + i] * b->tree[v]);
      if (!y[v]) continue;
      got += A[i * count + j] * b->a[v], size += fabs(A[i * count + j] * b->a[v]);
      j++;
    }
    assert_close(got, want, 0, 1e-11 * size);
  }
  free(A);
  free(H);
  free(G);
  free(y);
}

START_TEST(reduced) { bench_over(_i, reduces); }
END_TEST

// ---- edges ----------------------------------------------------------------------------------------------

// A four-bar that nobody drives: balanced in the motion that it has by itself, and in no other.
START_TEST(nobody_drives)
{
  static const double q[3] = {0.7, 1.5237581508621456, -0.145652786822976};
  bench b = bench_with(bench_four_bar(0, 0), q, NULL, NULL);
  const double zero[3] = {0};
  assert_that(closed_close(b.c.m, b.c.q));
  closed_velocity(&b.c, 3, b.c.v);
  const limb_closed_motion in = bench_motion(&b);
  assert_ok(limb_closed_forward_dynamics(b.w, &in, zero, NULL, b.a, NULL, NULL));
  limb_closed_forces out = bench_forces(&b);
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
  assert_that(out.undriven == 1 && out.overdriven == 0);
  assert_close_array(b.tau, zero, 3, 0, 0);
  assert_close(imbalance(&b), 0, 0, 1e-11);
  // another motion: a motor at the crank would have to balance what is left, along some independent velocity
  closed_acceleration(&b.c, 7, b.a);
  assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out), LIMB_E_SINGULAR);
  bench driven = bench_with(bench_four_bar(1, 0), b.c.q, b.c.v, b.a);
  const limb_closed_motion same = bench_motion(&driven);
  limb_closed_forces with = bench_forces(&driven);
  assert_ok(limb_closed_inverse_dynamics(driven.w, &same, NULL, NULL, &with));
  double G[9];
  unsigned char y[3];
  int count;
  assert_ok(limb_velocity_map(b.w, b.c.q, NULL, NULL, &count, G));
  assert_ok(limb_independent_velocities(b.w, b.c.q, NULL, y));
  assert_that(count == 1);
  assert_close(out.unbalanced, fabs(driven.tau[0] * G[0]), 1e-11, 0);
  bench_end(&driven);
  bench_end(&b);
}
END_TEST

// Coupler and rocker in one line: the crank's motor stands still there, and holds nothing that moves.
START_TEST(dead_point)
{
  const double crank = 2 * asin(0.6), c = cos(crank), s = sin(crank);
  const double q[3] = {crank, atan2(-s, 1 - c) - crank, atan2(s, c - 1)};
  bench b = bench_with(closed_four_bar(1, 1, 0.6, 0.6), q, NULL, NULL);
  const limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(b.w, b.c.q, b.c.v, NULL, &gap));
  assert_that(gap.position < 1e-15);
  assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out), LIMB_E_SINGULAR);
  assert_that(out.undriven == 1 && out.overdriven == 1 && out.unbalanced > 1);
  // without weight there is nothing to hold
  limb_environment env = limb_default_environment(b.c.m);
  env.gravity = sp_v3(0, 0, 0);
  const limb_closed_motion light = {b.c.q, b.c.v, b.a, &env};
  assert_ok(limb_closed_inverse_dynamics(b.w, &light, NULL, NULL, &out));
  bench_end(&b);
}
END_TEST

// At rest and hanging: forces cancel, and what rounding leaves of them is no reason to refuse.
START_TEST(rounding_is_balance)
{
  limb_model* m = robot_quadruped();
  const double mass = limb_total_mass(m);
  bench b = bench_with(bench_beside_loop(m), NULL, NULL, NULL);
  assert_ok(limb_neutral(b.c.m, b.c.q));
  const limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  // standing in the air: the base is not held
  assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out), LIMB_E_SINGULAR);
  assert_that(out.undriven == 6 && out.overdriven == 0);
  assert_close(out.unbalanced, 9.81 * mass, 1e-12, 0);
  // falling
  b.a[5] = -9.81;
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
  bench_end(&b);
  // a pendulum that nobody drives, hanging down and upright
  limb_builder* u = fixture_begin("pendulum");
  static const double I[6] = {0.01, 0, 0, 0.01, 0, 0.01};
  closed_add(u, &(closed_link){.name = "rod",
                               .type = LIMB_REVOLUTE,
                               .parent = LIMB_WORLD_BODY,
                               .placement = sp_pose_identity(),
                               .axis = {0, 1, 0},
                               .inertia = fixture_inertia(2, sp_v3(0.4, 0, 0), I)});
  static const double down[3] = {1.57079632679489661923};
  bench p = bench_with(bench_beside_loop(fixture_end(u)), down, NULL, NULL);
  const limb_closed_motion rest = bench_motion(&p);
  limb_closed_forces none = bench_forces(&p);
  assert_ok(limb_closed_inverse_dynamics(p.w, &rest, NULL, NULL, &none));
  assert_that(none.undriven == 1);
  p.c.q[0] = 1.5;
  assert_status(limb_closed_inverse_dynamics(p.w, &rest, NULL, NULL, &none), LIMB_E_SINGULAR);
  bench_end(&p);
}
END_TEST

START_TEST(wrong_arguments)
{
  static const double q[3] = {0.7, 1.5237581508621456, -0.145652786822976};
  bench b = bench_with(bench_four_bar(1, 0), q, NULL, NULL);
  limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  double A[9], H[3];
  int count;
  assert_status(limb_closed_inverse_dynamics(NULL, &in, NULL, NULL, &out), LIMB_E_ARG);
  assert_status(limb_closed_inverse_dynamics(b.w, NULL, NULL, NULL, &out), LIMB_E_ARG);
  assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, NULL), LIMB_E_ARG);
  limb_loop_options o = limb_default_loop_options();
  o.tolerance = 0;
  assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, &o, &out), LIMB_E_ARG);
  o.tolerance = nan("");
  assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, &o, &out), LIMB_E_NONFINITE);
  const double** const part[3] = {&in.q, &in.v, &in.a};
  for (int k = 0; k < 3; k++) {
    const double* whole = *part[k];
    *part[k] = NULL;
    assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out), LIMB_E_ARG);
    if (k < 2) assert_status(limb_closed_reduced_dynamics(b.w, &in, NULL, NULL, &count, A, H), LIMB_E_ARG);
    const double bad[3] = {0, k == 1 ? HUGE_VAL : nan(""), 0};
    *part[k] = bad;
    assert_status(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out), LIMB_E_NONFINITE);
    *part[k] = whole;
  }
  // nothing wanted is allowed
  limb_closed_forces nothing = {.unbalanced = 1, .undriven = 1, .overdriven = 1, .bounded = 1};
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &nothing));
  assert_that(nothing.undriven == 0 && nothing.unbalanced == 0);
  assert_status(limb_closed_reduced_dynamics(NULL, &in, NULL, NULL, &count, A, H), LIMB_E_ARG);
  assert_status(limb_closed_reduced_dynamics(b.w, &in, NULL, NULL, NULL, A, H), LIMB_E_ARG);
  assert_status(limb_closed_reduced_dynamics(b.w, &in, NULL, NULL, &count, NULL, H), LIMB_E_ARG);
  assert_status(limb_closed_reduced_dynamics(b.w, &in, NULL, NULL, &count, A, NULL), LIMB_E_ARG);
  limb_data* small = closed_lean(b.c.m);
  assert_status(limb_closed_reduced_dynamics(small, &in, NULL, NULL, &count, A, H), LIMB_E_ORDER);
  assert_ok(limb_closed_inverse_dynamics(small, &in, NULL, NULL, &out));
  limb_data_destroy(small);
  bench_end(&b);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const once[] = {five_bar,        four_bar, gough_stewart, nobody_drives, dead_point, rounding_is_balance,
                               wrong_arguments, NULL};
  const TTest* const each[] = {balance, power, there_and_back, reduced, NULL};
  const int failed = check_run("closed_inverse", 1, once);
  return check_run("closed_inverse_over", closed_count(), each) | failed;
}
