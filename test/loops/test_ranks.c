// Rows that depend on each other, and rows that only seem to, or only seem not to: near the surface of the
// constraints, where branches meet, where wheels lie flat, and beside gears of any ratio.
#include "loops/closed.h"
#include "loops/closed_bench.h"

#include "limb/assemble.h"

#include <stdbool.h>

static const sp_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static double farthest(int n, const double* x, const double* y)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

// ---- beside the surface ---------------------------------------------------------------------------------

// Bennett's rows depend on each other on the surface only. Next to it every call answers as on it, or
// refuses.
typedef struct beside {
  bench b;
  double q[3], v[3], a[3]; // next to the surface; on it
  double eps;
  int excess; // motors or motions
} beside;

static void check_forward(beside* x, bool moves, double gain)
{
  const double rest[3] = {0};
  const double* v = moves ? x->v : rest;
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    limb_loop_solver o = bench_options((limb_loop_method)method);
    double a[3];
    assert_ok(limb_closed_forward_dynamics(x->b.w, &(limb_closed_motion){.q = x->b.c.q, .v = moves ? x->b.c.v : rest},
                                           x->b.tau, &o, x->a, NULL, NULL));
    o.alpha = o.beta = gain;
    check_at("eps %g, method %d, moves %d, gain %g", x->eps, method, moves, gain);
    limb_closed_report report;
    const limb_status s = limb_closed_forward_dynamics(x->b.w, &(limb_closed_motion){.q = x->q, .v = v}, x->b.tau, &o,
                                                       a, x->b.lambda, &report);
    if (s == LIMB_OK) {
      const double size = 1 + bench_largest(3, x->a);
      assert_that(farthest(3, a, x->a) <= (1e-3 + 30 * (1 + gain * gain) * x->eps) * size);
      continue;
    }
    assert_that(s == LIMB_E_SINGULAR || (s == LIMB_E_NOCONV && bench_iterates(method)));
    assert_that(report.loop == 0 && report.residual > 0);
  }
}

static void check_geometry(beside* x)
{
  limb_mobility mobility;
  limb_status s = limb_mobility_at(x->b.w, x->q, NULL, &mobility);
  assert_that(s == LIMB_E_SINGULAR || (s == LIMB_OK && mobility.mobility == 1));
  double v[3] = {1, 1, 1}, on[3] = {1, 1, 1};
  assert_ok(limb_complete_velocities(x->b.w, x->b.c.q, NULL, NULL, on));
  s = limb_complete_velocities(x->b.w, x->q, NULL, NULL, v);
  assert_that(s == LIMB_E_SINGULAR || (s == LIMB_OK && farthest(3, v, on) < 1e-3));
  limb_closed_forces forces = {.tau = x->b.tree};
  const limb_closed_motion motion = {x->q, x->b.c.v, x->b.a, NULL};
  s = limb_closed_inverse_dynamics(x->b.w, &motion, NULL, NULL, &forces);
  assert_that(s == LIMB_E_SINGULAR || forces.undriven + forces.overdriven == x->excess);
  double after[3], after_on[3];
  const double before[3] = {0.3, -0.2, 0.5};
  assert_ok(limb_closed_impulse(x->b.w, x->b.c.q, before, NULL, after_on, NULL, NULL));
  s = limb_closed_impulse(x->b.w, x->q, before, NULL, after, NULL, NULL);
  assert_that(s == LIMB_E_SINGULAR || (s == LIMB_OK && farthest(3, after, after_on) < 1e-3));
}

START_TEST(next_to_the_surface)
{
  for (uint64_t seed = 1; seed <= (CHECK_SANITIZED ? 2 : 5); seed++) {
    beside x = {.b = bench_of(closed_find("bennett", seed))};
    rng r = {seed};
    double step[3];
    rng_fill(&r, 1, 3, step);
    rng_fill(&r, 3, 3, x.b.tau);
    closed_acceleration(&x.b.c, seed, x.b.a);
    limb_closed_forces forces = {.tau = x.b.tree};
    const limb_closed_motion motion = bench_motion(&x.b);
    assert_ok(limb_closed_inverse_dynamics(x.b.w, &motion, NULL, NULL, &forces));
    x.excess = forces.undriven + forces.overdriven;
    for (x.eps = 1e-12; x.eps < 2e-3; x.eps *= sqrt(10)) {
      assert_ok(limb_integrate(x.b.c.m, x.b.c.q, step, x.eps, x.q));
      memcpy(x.v, x.b.c.v, sizeof x.v);
      check_forward(&x, false, 0);
      check_forward(&x, true, 0);
      check_forward(&x, false, 20);
      check_forward(&x, true, 20);
      check_geometry(&x);
    }
    bench_end(&x.b);
  }
}
END_TEST

// With a wider tolerance, as the contract says, the same states are answered.
START_TEST(wider_tolerance)
{
  bench b = bench_of(closed_find("bennett", 1));
  limb_loop_solver o = bench_options(LIMB_LOOP_METHOD_AUTO);
  double q[3], a[3];
  const double step[3] = {1e-6, -1e-6, 2e-6};
  assert_ok(limb_integrate(b.c.m, b.c.q, step, 1, q));
  assert_ok(
    limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = b.c.q, .v = b.c.v}, b.tau, &o, b.a, b.lambda, NULL));
  assert_status(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = b.c.v}, b.tau, &o, a, NULL, NULL),
                LIMB_E_SINGULAR);
  o.loops.tolerance = 1e-3;
  assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = b.c.v}, b.tau, &o, a, NULL, NULL));
  assert_that(farthest(3, a, b.a) < 1e-3 * (1 + bench_largest(3, b.a)));
  bench_end(&b);
}
END_TEST

// ---- where branches meet --------------------------------------------------------------------------------

// A parallelogram stretched out may go on as one, or turn over: its rows depend on each other there, and say
// nothing about which. Next to there they are independent.
START_TEST(branches_meet)
{
  const double q[3] = {0, 0, 0}, v[2][3] = {{0, 0, 0}, {1, -1, 1}};
  bench b = bench_with(closed_four_bar(1, 0.5, 1, 0.5), q, NULL, NULL);
  for (int k = 0; k < 3; k++) b.tau[k] = 1 - k;
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_KKT; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    for (int k = 0; k < 2; k++) {
      limb_closed_report report;
      check_at("method %d, velocity %d", method, k);
      assert_status(
        limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v[k]}, b.tau, &o, b.a, b.lambda, &report),
        LIMB_E_SINGULAR);
      assert_that(report.loop == 0 && report.residual > 1e-3);
      assert_status(
        limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v[k]}, b.tau, &o, b.a, NULL, NULL),
        LIMB_E_SINGULAR);
    }
    const double next[3] = {1e-4, -1e-4, 1e-4};
    assert_ok(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = next, .v = v[0]}, b.tau, &o, b.a, NULL, NULL));
  }
  assert_status(limb_closed_impulse(b.w, q, v[1], NULL, b.a, NULL, NULL), LIMB_E_SINGULAR);
  bench_end(&b);
}
END_TEST

// A truss of two bars in one line moves in the first order only.
START_TEST(shaky)
{
  limb_builder* build = fixture_begin("shaky");
  const int one =
    fixture_link(build, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 0, 0), Z, bench_flat(1, 0.2, 0.1));
  const int two = fixture_link(build, "2", LIMB_REVOLUTE, one, fixture_at(0.5, 0, 0), Z, bench_flat(1, 0.2, 0.1));
  closed_join(build, "pin", LIMB_LOOP_PIN, two, fixture_at(0.5, 0, 0), LIMB_WORLD_BODY, fixture_at(1, 0, 0));
  const double zero[2] = {0};
  bench b = bench_with(fixture_end(build), NULL, NULL, NULL);
  assert_status(
    limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = zero, .v = zero}, zero, NULL, b.a, NULL, NULL),
    LIMB_E_SINGULAR);
  bench_end(&b);
}
END_TEST

// ---- flat wheels ----------------------------------------------------------------------------------------

// A wheel on two sliders: it tilts, or lies for ever.
static limb_model* lying_wheel(limb_loop_kind kind, bool tilts)
{
  limb_builder* b = fixture_begin("lying");
  const sp_pose at = fixture_at(0, 0, 0);
  const sp_inertia mass = bench_flat(1, 0.1, 0.1);
  int body = fixture_link(b, "x", LIMB_PRISMATIC, LIMB_WORLD_BODY, at, X, mass);
  body = fixture_link(b, "y", LIMB_PRISMATIC, body, at, Y, mass);
  body = fixture_link(b, "z", LIMB_PRISMATIC, body, at, Z, mass);
  if (tilts) body = fixture_link(b, "tilt", LIMB_REVOLUTE, body, at, X, mass);
  body = fixture_link(b, "spin", LIMB_REVOLUTE, body, at, Z, mass);
  limb_loop_def def = limb_default_loop_def("wheel", kind, LIMB_WORLD_BODY, body);
  def.radius = 0.3;
  closed_add_loop(b, &def);
  return fixture_end(b);
}

START_TEST(flat_wheels)
{
  const limb_loop_kind kind[2] = {LIMB_LOOP_WHEEL, LIMB_LOOP_ROLLING_DISC};
  const double turn = acos(-1.0);
  for (int k = 0; k < 2; k++) {
    bench b = bench_with(lying_wheel(kind[k], true), NULL, NULL, NULL);
    const double tilt[] = {0, 1e-12, -1e-9, 5e-8, turn, turn + 1e-9};
    const double v[5] = {0}, tau[5] = {0};
    double Psi[15];
    const limb_loop_equations out = {.Psi = Psi};
    limb_mobility mobility;
    for (size_t i = 0; i < sizeof tilt / sizeof *tilt; i++) {
      const double q[5] = {0, 0, 0.1, tilt[i], 0.2};
      check_at("%d, tilt %g", k, tilt[i]);
      assert_status(limb_loop_equations_at(b.w, q, v, NULL, &out), LIMB_E_SINGULAR);
      assert_status(
        limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, tau, NULL, b.a, NULL, NULL),
        LIMB_E_SINGULAR);
      assert_status(limb_mobility_at(b.w, q, NULL, &mobility), LIMB_E_SINGULAR);
    }
    const double q[5] = {0, 0, 0.3 * sin(1e-3), 1e-3, 0.2};
    assert_ok(limb_loop_equations_at(b.w, q, v, NULL, &out));
    assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, tau, NULL, b.a, NULL, NULL));
    bench_end(&b);
    limb_model* m = lying_wheel(kind[k], false);
    limb_data* w;
    assert_status(limb_data_create(m, NULL, &w), LIMB_E_SINGULAR);
    assert_that(!w);
    limb_model_destroy(m);
  }
}
END_TEST

// ---- gears ----------------------------------------------------------------------------------------------

// A four-bar whose crank is turned through a gear.
static limb_model* geared_four_bar(double ratio)
{
  limb_builder* b = fixture_begin("geared");
  const sp_pose at = fixture_at(0, 0, 0);
  const int one = fixture_link(b, "crank", LIMB_REVOLUTE, LIMB_WORLD_BODY, at, Z, bench_flat(1, 0.1, 0.1));
  const int two = fixture_link(b, "coupler", LIMB_REVOLUTE, one, fixture_at(0.3, 0, 0), Z, bench_flat(1, 0.4, 0.1));
  const int three =
    fixture_link(b, "rocker", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(1, 0, 0), Z, bench_flat(1, 0.3, 0.1));
  (void)fixture_link(b, "motor", LIMB_REVOLUTE, LIMB_WORLD_BODY, fixture_at(0, 1, 0), Z,
                     bench_flat(1 / (ratio * ratio), 0, 0.1 / (ratio * ratio)));
  closed_join(b, "pin", LIMB_LOOP_PIN, two, fixture_at(0.9, 0, 0), three, fixture_at(0.7, 0, 0));
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 3, gear.other = 0, gear.coefficient[1] = ratio;
  closed_add_loop(b, &gear);
  return fixture_end(b);
}

// Units of the motor's angle do not matter to the rest.
START_TEST(gears_of_any_ratio)
{
  double a[4] = {0}, v[4] = {0};
  const double ratio[] = {1, 1e-12, 1e-6, 1e6, 1e10, 1e12};
  for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++) {
    bench b = bench_with(geared_four_bar(ratio[i]), NULL, NULL, NULL);
    double* q = b.c.q;
    q[0] = 0.7, q[1] = -0.3, q[2] = 1.2, q[3] = 0.7 * ratio[i];
    limb_assembly how = limb_default_assembly();
    const unsigned char held[4] = {1, 0, 0, 1};
    how.held = held;
    check_at("ratio %g", ratio[i]);
    assert_ok(limb_assemble(b.w, &how, q, NULL));
    limb_mobility mobility;
    assert_ok(limb_mobility_at(b.w, q, NULL, &mobility));
    assert_that(mobility.mobility == 1 && mobility.idle == 3 && mobility.redundant == 3);
    const unsigned char independent[2][4] = {{1, 0, 0, 0}, {0, 0, 0, 1}}; // the slow one follows
    double x[4] = {1, 0, 0, ratio[i]}, rest[4] = {0}, tau[4] = {0.4, -0.2, 0.1, 0};
    assert_ok(limb_complete_velocities(b.w, q, independent[ratio[i] > 1], NULL, x));
    // all equations at once: masses that are not 1e24 apart
    const bool moderate = ratio[i] > 1e-7 && ratio[i] < 1e7;
    for (int method = LIMB_LOOP_METHOD_CLUSTERS; method <= (moderate ? LIMB_LOOP_METHOD_KKT : LIMB_LOOP_METHOD_SCHUR);
         method++) {
      const limb_loop_solver o = bench_options((limb_loop_method)method);
      check_at("ratio %g, method %d", ratio[i], method);
      assert_ok(
        limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = rest}, tau, &o, b.a, b.lambda, NULL));
      x[3] /= method == LIMB_LOOP_METHOD_CLUSTERS ? ratio[i] : 1, b.a[3] /= ratio[i];
      if (i == 0) memcpy(a, b.a, sizeof a), memcpy(v, x, sizeof v);
      assert_that(farthest(4, x, v) < 1e-9 && farthest(4, b.a, a) < 1e-6 * bench_largest(4, a));
    }
    bench_end(&b);
  }
}
END_TEST

// ---- contradictions -------------------------------------------------------------------------------------

// A crank held twice, with laws that need not agree, and a pair of geared wheels that has nothing to do with
// it.
static limb_model* held_beside_gears(double first, double second)
{
  limb_builder* b = fixture_begin("held");
  const sp_pose at = fixture_at(0.3, 0, 0);
  const sp_inertia mass = bench_flat(1, 0.2, 0.1);
  const int crank = fixture_link(b, "crank", LIMB_REVOLUTE, LIMB_WORLD_BODY, at, Z, mass);
  (void)fixture_link(b, "left", LIMB_REVOLUTE, LIMB_WORLD_BODY, at, Z, mass);
  (void)fixture_link(b, "right", LIMB_REVOLUTE, LIMB_WORLD_BODY, at, Z, mass);
  for (int k = 0; k < 2; k++) {
    limb_loop_def law = limb_default_loop_def(k ? "two" : "one", LIMB_LOOP_LOCK, LIMB_WORLD_BODY, crank);
    law.locked = LIMB_TURN_Z, law.pose_a = at;
    law.motion.amplitude = k ? second : first, law.motion.frequency = 1;
    law.motion.phase = acos(-1.0) / 2;
    closed_add_loop(b, &law);
  }
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 1, gear.other = 2, gear.coefficient[1] = 1;
  closed_add_loop(b, &gear);
  return fixture_end(b);
}

// What is large elsewhere excuses nothing here.
START_TEST(judged_by_cluster)
{
  const double zero[3] = {0}, tau[3] = {0, 1e10, 0};
  bench b = bench_with(held_beside_gears(0.1, 0.2), zero, zero, NULL);
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_KKT; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    limb_closed_report report;
    check_at("method %d", method);
    assert_status(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = zero, .v = zero}, tau, &o, b.a, NULL, &report),
      LIMB_E_SINGULAR);
    assert_that(report.loop == 0 || report.loop == 1);
  }
  bench_end(&b);
  b = bench_with(held_beside_gears(0.1, 0.1), zero, zero, NULL);
  assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = zero, .v = zero}, tau, NULL, b.a, NULL, NULL));
  bench_end(&b);
}
END_TEST

// Nor do large gains of stabilisation.
START_TEST(gains_excuse_nothing)
{
  const double zero[3] = {0};
  limb_loop_solver o = bench_options(LIMB_LOOP_METHOD_AUTO);
  o.alpha = o.beta = 1000;
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    o.method = (limb_loop_method)method;
    const double second[] = {0.2, 0.1 + 1e-4}; // far from the laws; a little off
    for (int k = 0; k < 2; k++) {
      bench b = bench_with(held_beside_gears(0.1, second[k]), NULL, NULL, NULL);
      const double q[3] = {0.1, 0, 0};
      limb_closed_report report;
      check_at("method %d, law %d", method, k);
      assert_status(
        limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = zero}, zero, &o, b.a, NULL, &report),
        bench_iterates(method) ? LIMB_E_NOCONV : LIMB_E_SINGULAR);
      assert_that(report.loop == 0 || report.loop == 1);
      bench_end(&b);
    }
    bench b = bench_with(held_beside_gears(0.1, 0.1), NULL, NULL, NULL);
    const double off[3] = {0.09, 0, 0};
    assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = off, .v = zero}, zero, &o, b.a, NULL, NULL));
    bench_end(&b);
  }
}
END_TEST

CHECK_MAIN("ranks", 1, next_to_the_surface, wider_tolerance, branches_meet, shaky, flat_wheels, gears_of_any_ratio,
           judged_by_cluster, gains_excuse_nothing)
