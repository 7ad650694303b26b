// Forward dynamics with loops: reference numbers, and solutions in closed form.
#include "loops/closed.h"
#include "loops/closed_bench.h"

#include <stdio.h>

static const sp_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static void forward(const bench* b, const double* tau)
{
  assert_ok(limb_closed_forward_dynamics(b->w, &(limb_closed_motion){.q = b->c.q, .v = b->c.v}, tau, NULL, b->a,
                                         b->lambda, NULL));
}

// ---- the four-bar with a spring of Ghosal 2010 ----------------------------------------------------------

// Rows: the end of link 2 against that of link 3, in its axes. Gravity is off.
static limb_model* spring_four_bar(double rocker_mass)
{
  limb_builder* b = fixture_begin("spring_four_bar");
  fixture_gravity(b, sp_v3(0, 0, 0));
  const int one = fixture_body(b, "1", bench_flat(20.15, 1.2, 9.6));
  limb_joint_def crank = limb_default_joint_def("1", LIMB_REVOLUTE, LIMB_WORLD_BODY, one);
  crank.axis = Z, crank.stiffness = 0.1;
  (void)fixture_joint(b, &crank);
  const int two = fixture_link(b, "2", LIMB_REVOLUTE, one, fixture_at(1.241, 0, 0), Z, bench_flat(8.25, 0.6, 0.06));
  const int three = fixture_link(b, "3", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(1.241, 0, 0), Z,
                                 bench_flat(rocker_mass, 0.6, 0.06 * rocker_mass / 8.25));
  limb_loop_def end = limb_default_loop_def("end", LIMB_LOOP_LOCK, three, two);
  end.locked = LIMB_MOVE_X | LIMB_MOVE_Y;
  end.pose_a = end.pose_b = fixture_at(1.2, 0, 0);
  closed_add_loop(b, &end);
  return fixture_end(b);
}

// t, theta1, phi2, phi1, their rates, lambda in world axes
static void check_spring_row(bench* b, const double row[9])
{
  const double tau[3] = {1.96, 0, 0}, c = cos(row[3]), s = sin(row[3]);
  check_at("t = %g", row[0]);
  memcpy(b->c.q, row + 1, 3 * sizeof *row);
  memcpy(b->c.v, row + 4, 3 * sizeof *row);
  for (int method = LIMB_LOOP_METHOD_CLUSTERS; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    assert_ok(limb_closed_forward_dynamics(b->w, &(limb_closed_motion){.q = b->c.q, .v = b->c.v}, tau, &o, b->a,
                                           b->lambda, NULL));
    const double world[2] = {c * b->lambda[0] - s * b->lambda[1], s * b->lambda[0] + c * b->lambda[1]};
    assert_close_array(world, row + 7, 2, 1e-11, 0);
  }
}

START_TEST(spring)
{
  static const double row[][9] = {
    {0, 0.01, -0.010170834830751593, 0.010170834830751593, 0, 0, 0, 26.691496396525825, 0.1787374342842446},
    {0.25, 0.011128505994039431, -0.0113186200351769, 0.0113186200351769, 0.009027961163702412, -0.009182193856230668,
     0.009182193856230668, 23.98270962580238, 0.17872021738655675},
    {2.0, 0.08218054320808264, -0.0835852925118894, 0.0835852925118894, 0.07213590647144023, -0.07337041937919887,
     0.07337041937919887, 3.198687208727077, 0.17525375950623728},
    {5.0, 0.4596458570532087, -0.46764694789346695, 0.46764694789346695, 0.17914355851282163, -0.18238062607804445,
     0.18238062607804445, 0.3644264027945132, 0.082125446318324},
    {10.0, 1.7855082721845457, -1.8291233070256987, 1.8291233070256987, 0.34812442176243147, -0.364565450124197,
     0.364565450124197, 0.28553884559109755, -0.6778907765067325},
    {12.0, 2.5345113090938702, -2.6759416542629575, 2.6759416542629575, 0.38199304166728637, -0.5567903423140214,
     0.5567903423140214, 7.533970973733751, -2.4472515969872415},
    {12.236082904465448, 2.6179938779914944, -2.8334920895540296, 2.8334920895540296, 0.2693175230970065,
     -0.9133845236375715, 0.9133845236375715, 213.04680543670236, -54.397614730127195},
    {12.28, 2.626010377315029, -2.8800923281774096, 2.8800923281774096, 0.03431432057720318, -1.2367228461993618,
     1.2367228461993618, 1336.4981045592376, -338.71075678417355},
    {13.0, 2.3010656226213797, -3.057044161620987, 3.057044161620987, -0.45203294216521517, -0.0634577069056909,
     0.0634577069056909, 0.36839444958503537, -0.285330179626026},
  };
  bench b = bench_with(spring_four_bar(8.25), row[0] + 1, NULL, NULL);
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) check_spring_row(&b, row[i]);
  check_spring_row(&b, row[0]);
  assert_close(b.a[0], 0.0361125, 1e-5, 0);
  bench_end(&b);
}
END_TEST

// All rows of the reference file, where it is.
START_TEST(spring_file)
{
  const char* folder = getenv("LIMB_SHARED");
  char path[1024], line[1024];
  (void)snprintf(path, sizeof path, "%s/numbers/001_fourbar.csv", folder ? folder : ".");
  FILE* file = fopen(path, "r");
  if (!file) {
    printf("skipped: 001_fourbar.csv: not in $LIMB_SHARED/numbers\n");
    return;
  }
  bench b = bench_with(spring_four_bar(8.25), NULL, NULL, NULL);
  int rows = 0;
  while (fgets(line, sizeof line, file)) {
    double x[9];
    char* at = line;
    int n = 0;
    for (; n < 9; n++) {
      char* end;
      x[n] = strtod(at, &end);
      if (end == at || *end != ',') break;
      at = end + 1;
    }
    if (n < 9) continue;
    check_spring_row(&b, x);
    rows++;
  }
  (void)fclose(file);
  assert_that(rows > 40);
  bench_end(&b);
}
END_TEST

// ---- the five-bar of Khalil 2010 ------------------------------------------------------------------------

START_TEST(five_bar)
{
  const double q[4] = {1.4, -0.3669975550819706, 1.9, 0.3933809588313926};
  const double v[4] = {0.8, -1.7514444468319623, -1.1, 2.077117927543181};
  const double a[4] = {0.5, -2.029505051078203, 0.9, -1.0067353005129003};
  const double tau[4] = {-0.2526969407657417, 0, -0.6935056098339045, 0};
  bench b = bench_with(closed_five_bar(), q, v, NULL);
  forward(&b, tau);
  assert_close_array(b.a, a, 4, 1e-11, 0);
  bench_end(&b);
}
END_TEST

// ---- another cut ----------------------------------------------------------------------------------------

// The four-bar of Khalil 2010, open at either end of the coupler: crank and rocker move the same way, and the
// coupler does.
START_TEST(other_cut)
{
  const double crank = 0.7, rocker = 1.5237581508621456, along = 0.7 - 0.145652786822976;
  const double crank_rate = 1.3, rocker_rate = 0.11441346611865466;
  const double along_rate = 1.3 - 1.7498541677143962;
  const double q[2][3] = {{crank, rocker, along - crank}, {crank, rocker, along - rocker}};
  const double v[2][3] = {{crank_rate, rocker_rate, along_rate - crank_rate},
                          {crank_rate, rocker_rate, along_rate - rocker_rate}};
  const double tau[3] = {1.7, 0, 0};
  double motion[2][3];
  for (int cut = 0; cut < 2; cut++) {
    bench b = bench_with(bench_four_bar(1, cut), q[cut], v[cut], NULL);
    limb_loop_gap gap;
    assert_ok(limb_loop_gap_of(b.w, b.c.q, b.c.v, NULL, &gap));
    assert_close(gap.position + gap.velocity, 0, 0, 1e-14);
    forward(&b, tau);
    memcpy(motion[cut], b.a, sizeof motion[cut]);
    motion[cut][2] += b.a[cut]; // of the coupler against the world
    bench_end(&b);
  }
  assert_close_array(motion[0], motion[1], 3, 1e-12, 0);
}
END_TEST

// ---- solutions in closed form ---------------------------------------------------------------------------

// A disc that rolls in a circle, its axis n inclined by theta to the vertical and turning with Omega:
//   (C + m r^2) w3 Omega sin = A Omega^2 sin cos - m g r cos,     w = Omega z + spin n,  w3 = w . n
//   w' = Omega z x w,   v = r w3 t,   v' = Omega z x v
START_TEST(steady_disc)
{
  const double m = 2, radius = 0.3, A = 0.05, C = 0.08, g = 9.81, theta = 1.1, turn = 1.7;
  const double s = sin(theta), c = cos(theta), I[6] = {A, 0, 0, A, 0, C};
  limb_builder* build = fixture_begin("disc");
  fixture_gravity(build, sp_v3(0, 0, -g));
  const int disc = fixture_link(build, "disc", LIMB_FREE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), Z,
                                fixture_inertia(m, sp_v3(0, 0, 0), I));
  limb_loop_def roll = limb_default_loop_def("roll", LIMB_LOOP_ROLLING_DISC, LIMB_WORLD_BODY, disc);
  roll.radius = radius;
  closed_add_loop(build, &roll);
  const double w3 = (A * turn * turn * s * c - m * g * radius * c) / ((C + m * radius * radius) * turn * s);
  const sp_vec3 n = {s, 0, c}, t = {0, -1, 0};
  const sp_vec3 w = sp_add3(sp_scale3(turn, Z), sp_scale3(w3 - turn * c, n));
  const sp_vec3 speed = sp_scale3(radius * w3, t);
  const sp_vec3 w_rate = sp_cross3(sp_scale3(turn, Z), w);
  const sp_vec3 v_rate = sp_cross3(sp_scale3(turn, Z), speed);
  const sp_mat3 R = sp_rot_axis(Y, theta); // z of the disc is n
  const double q[7] = {0, 0, radius * s, 0, sin(theta / 2), 0, cos(theta / 2)};
  // velocities are in the axes of the body, and so are their derivatives
  const sp_vec3 part[4] = {sp_tmulv(R, w), sp_tmulv(R, speed), sp_tmulv(R, w_rate),
                           sp_tmulv(R, sp_sub3(v_rate, sp_cross3(w, speed)))};
  const double v[6] = {part[0].x, part[0].y, part[0].z, part[1].x, part[1].y, part[1].z};
  const double a[6] = {part[2].x, part[2].y, part[2].z, part[3].x, part[3].y, part[3].z};
  const double tau[6] = {0};
  bench b = bench_with(fixture_end(build), q, v, NULL);
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(b.w, b.c.q, b.c.v, NULL, &gap));
  assert_close(gap.position + gap.velocity, 0, 0, 1e-14);
  forward(&b, tau);
  assert_close_array(b.a, a, 6, 1e-12, 0);
  // what holds it: m g upwards, nothing along the track, the centripetal force across it
  const double lambda[3] = {m * g, 0, m * radius * w3 * turn};
  assert_close_array(b.lambda, lambda, 3, 1e-12, 0);
  bench_end(&b);
}
END_TEST

// Chaplygin's sleigh: a knife edge d behind the centre of mass. With J = I + m d^2, u along the edge:
//   u' = d w^2,  J w' = -m d u w;   from u = 0:  u = E tanh(k E t),  w = E sqrt(m / J) / cosh(k E t),  k =
//   m d / J
static limb_model* sleigh(double m, double I, double d)
{
  limb_builder* b = fixture_begin("sleigh");
  fixture_gravity(b, sp_v3(0, 0, -9.81));
  const sp_pose at = fixture_at(0, 0, 0);
  const int x = fixture_link(b, "x", LIMB_PRISMATIC, LIMB_WORLD_BODY, at, X, (sp_inertia){0});
  const int y = fixture_link(b, "y", LIMB_PRISMATIC, x, at, Y, (sp_inertia){0});
  const int sled = fixture_link(b, "sled", LIMB_REVOLUTE, y, at, Z, bench_flat(m, 0, I));
  closed_join(b, "edge", LIMB_LOOP_KNIFE_EDGE, LIMB_WORLD_BODY, at, sled, fixture_at(-d, 0, 0));
  return fixture_end(b);
}

// x, y: of the centre of mass
static void sleigh_slope(const bench* b, const double* s, double* rate)
{
  const double tau[3] = {0};
  memcpy(b->c.q, s, 3 * sizeof *s);
  memcpy(b->c.v, s + 3, 3 * sizeof *s);
  forward(b, tau);
  memcpy(rate, s + 3, 3 * sizeof *s);
  memcpy(rate + 3, b->a, 3 * sizeof *s);
}

START_TEST(chaplygin)
{
  enum { STEPS = 200 };
  const double m = 3, I = 0.7, d = 0.4, w0 = 1.5, J = I + m * d * d, E = w0 * sqrt(J / m);
  const double k = m * d / J, h = 0.01;
  bench b = bench_with(sleigh(m, I, d), NULL, NULL, NULL);
  double s[6] = {0, 0, 0, 0, d * w0, w0}; // the edge rests, u = 0: its body turns about it
  for (int i = 0; i < STEPS; i++) {
    double slope[4][6], at[6];
    for (int stage = 0; stage < 4; stage++) {
      const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
      for (int j = 0; j < 6; j++) at[j] = s[j] + (stage ? part * slope[stage - 1][j] : 0);
      sleigh_slope(&b, at, slope[stage]);
    }
    for (int j = 0; j < 6; j++) s[j] += h / 6 * (slope[0][j] + 2 * slope[1][j] + 2 * slope[2][j] + slope[3][j]);
    const double t = (i + 1) * h, u = s[3] * cos(s[2]) + s[4] * sin(s[2]);
    check_at("t = %g", t);
    assert_close(u, E * tanh(k * E * t), 1e-8, 0);
    assert_close(s[5], E * sqrt(m / J) / cosh(k * E * t), 1e-8, 0);
  }
  bench_end(&b);
}
END_TEST

// A bead on a wire that is turned with Omega: r'' = r Omega^2, and the torque is 2 m r r' Omega. The
// closure is theta = Omega t.
START_TEST(bead)
{
  const double m = 0.4, turn = 2.5, time = 0.3, r0 = 0.2;
  const double r = r0 * cosh(turn * time), r_rate = r0 * turn * sinh(turn * time);
  limb_builder* build = fixture_begin("bead");
  fixture_gravity(build, sp_v3(0, 0, -9.81));
  const sp_pose at = fixture_at(0, 0, 0);
  const int wire = fixture_link(build, "wire", LIMB_REVOLUTE, LIMB_WORLD_BODY, at, Z, bench_flat(1, 0, 0.1));
  (void)fixture_link(build, "bead", LIMB_PRISMATIC, wire, at, X, limb_inertia_point(m, sp_v3(0, 0, 0)));
  limb_loop_def law = limb_default_loop_def("turned", LIMB_LOOP_LOCK, LIMB_WORLD_BODY, wire);
  law.locked = LIMB_TURN_Z, law.motion.rate = turn;
  closed_add_loop(build, &law);
  const double q[2] = {turn * time, r}, v[2] = {turn, r_rate}, tau[2] = {0};
  const double a[2] = {0, r * turn * turn}, torque = 2 * m * r * r_rate * turn;
  bench b = bench_with(fixture_end(build), q, v, NULL);
  limb_loop_solver o = limb_default_loop_solver();
  limb_closed_report report;
  o.loops.time = time;
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    o.method = (limb_loop_method)method;
    assert_ok(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, tau, &o, b.a, b.lambda, &report));
    assert_close_array(b.a, a, 2, 1e-13, 0);
    assert_close(b.lambda[0], torque, 1e-12, 0);
    assert_that(report.redundant == 0 && report.loop == 0);
  }
  bench_end(&b);
}
END_TEST

// ---- masses that vanish ---------------------------------------------------------------------------------

// A rocker without mass: the tree cannot be accelerated by finite forces, the linkage can.
START_TEST(massless)
{
  const double q[3] = {0.459645857053209, -0.467646947893467, 0.467646947893467};
  const double v[3] = {0}, tau[3] = {1.96, 0, 0};
  double a[3];
  bench none = bench_with(spring_four_bar(0), q, v, NULL);
  bench light = bench_with(spring_four_bar(1e-7), q, v, NULL);
  const limb_loop_solver kkt = bench_options(LIMB_LOOP_METHOD_KKT), schur = bench_options(LIMB_LOOP_METHOD_SCHUR);
  assert_ok(
    limb_closed_forward_dynamics(none.w, &(limb_closed_motion){.q = q, .v = v}, tau, &kkt, a, none.lambda, NULL));
  assert_ok(limb_closed_forward_dynamics(light.w, &(limb_closed_motion){.q = q, .v = v}, tau, &schur, light.a,
                                         light.lambda, NULL));
  assert_close_array(a, light.a, 3, 1e-7, 0);
  assert_status(limb_closed_forward_dynamics(none.w, &(limb_closed_motion){.q = q, .v = v}, tau, &schur, a, NULL, NULL),
                LIMB_E_SINGULAR);
  bench_end(&none), bench_end(&light);
}
END_TEST

// ---- surroundings ---------------------------------------------------------------------------------------

static sp_force drag(void* context, const limb_frame_state* at)
{
  ++*(int*)context;
  return (sp_force){sp_scale3(-0.3, at->velocity.w), sp_scale3(-2, at->velocity.v)};
}

// A force law is asked once, and acts as the wrench it gives.
START_TEST(laws)
{
  bench b = bench_of(closed_find("four_bar", 3));
  int asked = 0;
  const double tau[3] = {1, 0, 0};
  double a[3];
  limb_wrench wrench;
  const limb_force_law law = {2, LIMB_ALIGNED, drag, &asked};
  limb_environment env = limb_default_environment(b.c.m), held = env;
  env.nlaw = 1, env.law = &law;
  assert_ok(limb_force_law_wrenches(b.d, b.c.q, b.c.v, &env, &wrench));
  held.nwrench = 1, held.wrench = &wrench;
  for (int method = LIMB_LOOP_METHOD_CLUSTERS; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    check_at("method %d", method);
    asked = 0;
    assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = b.c.q, .v = b.c.v, .env = &env}, tau, &o,
                                           b.a, NULL, NULL));
    assert_that(asked == 1);
    assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = b.c.q, .v = b.c.v, .env = &held}, tau, &o, a,
                                           NULL, NULL));
    assert_close_array(b.a, a, 3, 1e-12, 0);
    assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = b.c.q, .v = b.c.v}, tau, &o, a, NULL, NULL));
    assert_that(fabs(a[0] - b.a[0]) > 1e-3 * fabs(a[0]));
  }
  bench_end(&b);
}
END_TEST

// ---- long chains ----------------------------------------------------------------------------------------

// A rope in half a circle, held at both ends: one cluster of 80 velocities, for which Schur's method is chosen. All
// methods agree up to the condition of the rope.
START_TEST(held_rope)
{
  enum { LINKS = 80 };
  const double turn = acos(-1.0) / LINKS;
  limb_builder* build = fixture_begin("rope");
  const sp_vec3 rod = sp_v3(0, 0, -0.1);
  const sp_inertia link = {.mass = 0.1, .com = {0, 0, -0.05}, .xx = 1e-4, .yy = 1e-4, .zz = 1e-6};
  double q[LINKS], v[LINKS] = {0}, tau[LINKS], a[LINKS];
  int body = LIMB_WORLD_BODY;
  sp_vec3 end = sp_v3(0, 0, 0);
  for (int k = 0; k < LINKS; k++) {
    char name[16];
    (void)snprintf(name, sizeof name, "%d", k);
    body = fixture_link(build, name, LIMB_REVOLUTE, body, fixture_at(0, 0, k ? rod.z : 0), sp_v3(0, 1, 0), link);
    end = sp_add3(end, sp_mulv(sp_rot_axis(sp_v3(0, 1, 0), -turn * (k + 0.5)), rod));
    q[k] = k ? -turn : -turn / 2, tau[k] = 0.01 * cos(k);
  }
  limb_loop_def ball = limb_default_loop_def("end", LIMB_LOOP_BALL, LIMB_WORLD_BODY, body);
  ball.pose_a.p = end, ball.pose_b.p = rod;
  closed_add_loop(build, &ball);
  bench b = bench_with(fixture_end(build), q, v, NULL);
  limb_closed_report report;
  const limb_closed_motion in = {.q = q, .v = v};
  assert_ok(limb_closed_forward_dynamics(b.w, &in, tau, NULL, b.a, NULL, &report));
  assert_that(report.method == LIMB_LOOP_METHOD_SCHUR);
  for (int method = LIMB_LOOP_METHOD_CLUSTERS; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    check_at("method %d", method);
    assert_ok(limb_closed_forward_dynamics(b.w, &in, tau, &o, a, NULL, &report));
    assert_that((int)report.method == method);
    assert_close_array(a, b.a, LINKS, 1e-7, 0);
  }
  bench_end(&b);
}
END_TEST

// ---- joints in no loop ----------------------------------------------------------------------------------

// They move as without the loop beside them.
START_TEST(beside_a_loop)
{
  const double q[4] = {0.3, 0.8}, v[4] = {1, -2}, tau[4] = {3, 4};
  double a[2];
  limb_model* m = robot_planar_2r();
  limb_data* alone = NULL;
  assert_ok(limb_data_create(m, NULL, &alone));
  assert_ok(limb_forward_dynamics(alone, q, v, tau, NULL, a));
  limb_data_destroy(alone);
  bench b = bench_with(bench_beside_loop(m), q, v, NULL);
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    limb_closed_report report;
    check_at("method %d", method);
    assert_ok(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, tau, &o, b.a, b.lambda, &report));
    assert_close_array(b.a, a, 2, 1e-12, 0);
    assert_that(b.a[2] == 0 && b.a[3] == 0 && report.redundant == 0 && report.residual == 0);
  }
  bench_end(&b);
}
END_TEST

CHECK_MAIN("closed_forward", 1, spring, spring_file, five_bar, other_cut, steady_disc, chaplygin, bead, massless, laws,
           held_rope, beside_a_loop)
