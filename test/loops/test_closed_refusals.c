// Forward dynamics with loops: rows that others imply or contradict, masses that move nothing, and wrong use.
#include "loops/closed.h"
#include "loops/closed_bench.h"

static const sp_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

// ---- redundant and contradictory rows -------------------------------------------------------------------

// The crank held twice, with laws of these amplitudes.
static limb_model* held_twice(double first, double second)
{
  limb_builder* b = fixture_begin("held_twice");
  const sp_pose at = fixture_at(0.3, 0, 0);
  const int crank = fixture_link(b, "crank", LIMB_REVOLUTE, LIMB_WORLD_BODY, at, Z, bench_flat(1, 0.2, 0.1));
  (void)fixture_link(b, "arm", LIMB_REVOLUTE, crank, at, Y, bench_flat(1, 0.2, 0.1));
  const char* const name[2] = {"one", "two"};
  for (int k = 0; k < 2; k++) {
    limb_loop_def law = limb_default_loop_def(name[k], LIMB_LOOP_LOCK, LIMB_WORLD_BODY, crank);
    law.locked = LIMB_TURN_Z, law.pose_a = at;
    law.motion.amplitude = k ? second : first, law.motion.frequency = 1;
    law.motion.phase = acos(-1.0) / 2; // s'' = -amplitude (2 pi)^2, s' = 0
    closed_add_loop(b, &law);
  }
  return fixture_end(b);
}

START_TEST(duplicates)
{
  const double q[2] = {0, 0.4}, v[2] = {0}, tau[2] = {0.3, -0.2};
  bench b = bench_with(held_twice(0.1, 0.1), q, v, NULL);
  for (int method = LIMB_LOOP_METHOD_CLUSTERS; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    limb_closed_report report;
    check_at("method %d", method);
    assert_ok(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, tau, &o, b.a, b.lambda, &report));
    assert_that(report.redundant == 1);
    assert_close(b.a[0], -0.1 * 4 * acos(-1.0) * acos(-1.0), 1e-13, 0);
    assert_close(b.lambda[0], b.lambda[1], 1e-12, 0); // each half
    assert_that(fabs(b.lambda[0]) > 0.1);
  }
  bench_end(&b);
}
END_TEST

START_TEST(contradictions)
{
  const double q[2] = {0, 0.4}, v[2] = {0}, tau[2] = {0.3, -0.2};
  bench b = bench_with(held_twice(0.1, 0.2), q, v, NULL);
  for (int method = LIMB_LOOP_METHOD_CLUSTERS; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    limb_closed_report report;
    check_at("method %d", method);
    assert_status(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, tau, &o, b.a, b.lambda, &report),
      bench_iterates(method) ? LIMB_E_NOCONV : LIMB_E_SINGULAR);
    assert_that(report.redundant == 1 && (report.loop == 0 || report.loop == 1));
    const double apart = 0.1 * 4 * acos(-1.0) * acos(-1.0);
    assert_that(report.residual > (1 - 1e-5) * apart / 2 && report.residual < (1 + 1e-5) * apart);
    if (method != LIMB_LOOP_METHOD_SEQUENTIAL) // of least squares, or of one of them
      assert_close(report.residual, method == LIMB_LOOP_METHOD_PROXIMAL ? apart / 2 : apart, 1e-5, 0);
  }
  bench_end(&b);
}
END_TEST

// ---- masses ---------------------------------------------------------------------------------------------

// Nothing has mass: no method moves it.
START_TEST(weightless)
{
  limb_builder* build = fixture_begin("weightless");
  const sp_pose at = fixture_at(0.3, 0, 0);
  const int one = fixture_link(build, "1", LIMB_REVOLUTE, LIMB_WORLD_BODY, at, Z, (sp_inertia){0});
  (void)fixture_link(build, "2", LIMB_REVOLUTE, one, at, Y, (sp_inertia){0});
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 0, gear.other = 1, gear.coefficient[1] = 2;
  closed_add_loop(build, &gear);
  const double zero[2] = {0};
  bench b = bench_with(fixture_end(build), NULL, NULL, NULL);
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    check_at("method %d", method);
    assert_status(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = zero, .v = zero}, zero, &o, b.a, NULL, NULL),
      LIMB_E_SINGULAR);
  }
  bench_end(&b);
}
END_TEST

// Two carts that move as one. What counts is the mass of both: negative as a whole no method takes it,
// negative in one of them at least all equations together find the motion.
static limb_model* coupled_carts(double m1, double m2)
{
  limb_builder* b = fixture_begin("carts");
  (void)fixture_link(b, "1", LIMB_PRISMATIC, LIMB_WORLD_BODY, fixture_at(0, 0, 0), X,
                     limb_inertia_point(m1, sp_v3(0, 0, 0)));
  (void)fixture_link(b, "2", LIMB_PRISMATIC, LIMB_WORLD_BODY, fixture_at(1, 0, 0), X,
                     limb_inertia_point(m2, sp_v3(0, 0, 0)));
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 0, gear.other = 1, gear.coefficient[1] = 1;
  closed_add_loop(b, &gear);
  return fixture_end(b);
}

START_TEST(negative)
{
  const double zero[2] = {0}, tau[2] = {4, 2};
  bench b = bench_with(coupled_carts(-3, 1), NULL, NULL, NULL);
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    check_at("method %d", method);
    assert_status(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = zero, .v = zero}, tau, &o, b.a, NULL, NULL),
      LIMB_E_SINGULAR);
  }
  bench_end(&b);
  b = bench_with(coupled_carts(-1, 3), NULL, NULL, NULL);
  const limb_loop_solver kkt = bench_options(LIMB_LOOP_METHOD_KKT);
  assert_ok(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = zero, .v = zero}, tau, &kkt, b.a, NULL, NULL));
  assert_close(b.a[0], 3, 1e-14, 0);
  assert_close(b.a[1], 3, 1e-14, 0);
  bench_end(&b);
}
END_TEST

// ---- wrong use ------------------------------------------------------------------------------------------

static limb_status call(const bench* b, const limb_loop_solver* o)
{
  limb_closed_report report;
  return limb_closed_forward_dynamics(b->w, &(limb_closed_motion){.q = b->c.q, .v = b->c.v}, b->tau, o, b->a, b->lambda,
                                      &report);
}

START_TEST(arguments)
{
  bench b = bench_of(closed_find("four_bar", 1));
  const double *q = b.c.q, *v = b.c.v;
  assert_status(limb_closed_forward_dynamics(NULL, &(limb_closed_motion){.q = q, .v = v}, b.tau, NULL, b.a, NULL, NULL),
                LIMB_E_ARG);
  assert_status(limb_closed_forward_dynamics(b.w, NULL, b.tau, NULL, b.a, NULL, NULL), LIMB_E_ARG);
  assert_status(
    limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = NULL, .v = v}, b.tau, NULL, b.a, NULL, NULL),
    LIMB_E_ARG);
  assert_status(
    limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = NULL}, b.tau, NULL, b.a, NULL, NULL),
    LIMB_E_ARG);
  assert_status(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, NULL, NULL, b.a, NULL, NULL),
                LIMB_E_ARG);
  assert_status(limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v}, b.tau, NULL, NULL, NULL, NULL),
                LIMB_E_ARG);
  limb_environment env = limb_default_environment(b.c.m);
  env.nwrench = 1;
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    check_at("method %d", method);
    assert_status(
      limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = q, .v = v, .env = &env}, b.tau, &o, b.a, NULL, NULL),
      LIMB_E_ARG);
  }
  bench_end(&b);
}
END_TEST

START_TEST(options)
{
  bench b = bench_of(closed_find("four_bar", 1));
  const limb_loop_solver fine = limb_default_loop_solver();
  limb_loop_solver o = fine;
  assert_ok(call(&b, &o));
  o.method = (limb_loop_method)7, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.method = (limb_loop_method)-1, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.alpha = -1, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.beta = -1, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.beta = nan(""), assert_status(call(&b, &o), LIMB_E_NONFINITE), o = fine;
  o.regularisation = 0, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.regularisation = HUGE_VAL, assert_status(call(&b, &o), LIMB_E_NONFINITE), o = fine;
  o.max_iterations = 0, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.size = 3, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.loops.tolerance = 0, assert_status(call(&b, &o), LIMB_E_ARG), o = fine;
  o.loops.time = nan(""), assert_status(call(&b, &o), LIMB_E_NONFINITE), o = fine;
  bench_end(&b);
}
END_TEST

START_TEST(not_finite)
{
  const double bad[] = {nan(""), HUGE_VAL, -HUGE_VAL};
  for (size_t k = 0; k < 3; k++) {
    for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
      const limb_loop_solver o = bench_options((limb_loop_method)method);
      bench b = bench_of(closed_find("five_bar", 1));
      double* const place[3] = {&b.c.q[1], &b.c.v[2], &b.tau[3]};
      for (int i = 0; i < 3; i++) {
        const double kept = *place[i];
        *place[i] = bad[k];
        check_at("method %d, vector %d", method, i);
        assert_status(call(&b, &o), LIMB_E_NONFINITE);
        *place[i] = kept;
      }
      b.c.v[0] = 1e200; // its square is not finite
      assert_that(call(&b, &o) != LIMB_OK);
      bench_end(&b);
    }
  }
}
END_TEST

// A workspace for less: clusters, what chooses them and the iteration over the tree work, the others say so.
START_TEST(small_workspace)
{
  bench b = bench_of(closed_find("four_bar", 1));
  limb_data* w = closed_lean(b.c.m);
  for (int method = LIMB_LOOP_METHOD_AUTO; method <= LIMB_LOOP_METHOD_SEQUENTIAL; method++) {
    const limb_loop_solver o = bench_options((limb_loop_method)method);
    check_at("method %d", method);
    assert_status(
      limb_closed_forward_dynamics(w, &(limb_closed_motion){.q = b.c.q, .v = b.c.v}, b.tau, &o, b.a, NULL, NULL),
      method <= LIMB_LOOP_METHOD_CLUSTERS || method == LIMB_LOOP_METHOD_SEQUENTIAL ? LIMB_OK : LIMB_E_ORDER);
  }
  limb_data_destroy(w);
  bench_end(&b);
}
END_TEST

// Mimic joints: clusters do not do them, the choice goes elsewhere.
START_TEST(mimics)
{
  bench b = bench_of(closed_find("random_mimic", 1));
  limb_loop_solver o = bench_options(LIMB_LOOP_METHOD_CLUSTERS);
  limb_closed_report report;
  assert_status(call(&b, &o), LIMB_E_UNSUPPORTED);
  o.method = LIMB_LOOP_METHOD_MEXX, assert_status(call(&b, &o), LIMB_E_UNSUPPORTED);
  o.method = LIMB_LOOP_METHOD_SEQUENTIAL, assert_status(call(&b, &o), LIMB_E_UNSUPPORTED);
  o.method = LIMB_LOOP_METHOD_AUTO;
  assert_ok(
    limb_closed_forward_dynamics(b.w, &(limb_closed_motion){.q = b.c.q, .v = b.c.v}, b.tau, &o, b.a, NULL, &report));
  assert_that(report.method == LIMB_LOOP_METHOD_SCHUR);
  bench_end(&b);
}
END_TEST

CHECK_MAIN("closed_refusals", 1, duplicates, contradictions, weightless, negative, arguments, options, not_finite,
           small_workspace, mimics)
