// Loads of grippers: what was fixed to the flange comes back, within its standard deviations as often as they promise;
// friction that the model lacks does not disturb it; a step allocates nothing.
#include "estimate/motion.h"
#include "support/watch.h"

#include "limb/edit.h"

#include <string.h>

enum { DOFS = MOTION_JOINTS };

typedef struct bench {
  limb_model *m, *loaded; // the robot as its model is, and with a load
  int frame;
  sp_inertia load;
  motion log;
} bench;

static const char* const robots[] = {"ur5", "panda", "stanford", "puma560"};

enum { ROBOTS = sizeof robots / sizeof *robots };

static sp_inertia a_load(void)
{
  sp_inertia Y = limb_inertia_box(1.7, 0.12, 0.2, 0.08);
  Y.com = sp_v3(0.02, -0.03, 0.09);
  return Y;
}

static bench bench_make(const char* robot, uint64_t seed)
{
  bench b = {.load = a_load()};
  limb_builder* builder = NULL;
  limb_frame_info frame;
  limb_error err;
  assert_ok(limb_load(robot, NULL, &b.m, &err));
  b.frame = limb_frame_count(b.m) - 1;
  assert_ok(limb_get_frame(b.m, b.frame, &frame));
  assert_ok(limb_builder_from_model(b.m, NULL, &builder));
  assert_ok(limb_builder_add_payload(builder, "box", frame.name, NULL, &b.load, &err));
  assert_ok(limb_builder_build(builder, &b.loaded, &err));
  limb_builder_destroy(builder);
  b.log = motion_make(b.loaded, seed);
  return b;
}

static void bench_end(bench* b)
{
  motion_end(&b->log);
  limb_model_destroy(b->m), limb_model_destroy(b->loaded);
}

// Steps of 1 / rate; friction: viscous and Coulomb of the real robot beside that of the model.
static void run(bench* b, limb_payload* x, double seconds, double rate, double friction)
{
  const double phase = 0.37;
  b->log.friction = 1;
  for (int i = 0; i <= seconds * rate; i++) {
    motion_at(&b->log, phase + i / rate);
    for (int j = 0; j < b->log.nv; j++)
      b->log.tau[j] += friction * (b->log.v[j] + (b->log.v[j] > 0) - (b->log.v[j] < 0) + 0.5);
    assert_ok(limb_payload_step(x, 1 / rate, b->log.q, b->log.v, b->log.tau));
  }
}

START_TEST(load_comes_back)
{
  if (_i >= ROBOTS) return;
  for (int friction = 0; friction < 2; friction++) {
    bench b = bench_make(robots[_i], 4);
    limb_payload* x = NULL;
    limb_payload_result r;
    double phi[10];
    limb_inertia_to_parameters(&b.load, phi);
    assert_ok(limb_payload_create(b.m, b.frame, NULL, &x));
    assert_status(limb_payload_estimate(x, &r), LIMB_E_ORDER);
    run(&b, x, 6, 1000, friction);
    assert_ok(limb_payload_estimate(x, &r));
    check_at("%s, friction %d: mass %g +- %g, residual %g of %g", robots[_i], friction, r.load.mass, r.mass_std,
             r.residual, r.before);
    assert_that(r.hidden == 0 && r.samples == 6001 && r.physical);
    assert_close(r.load.mass, b.load.mass, 0.01, 0);
    assert_close_vec3(r.load.com, b.load.com, 0.03, 0);
    assert_close_array(r.phi + 4, phi + 4, 6, 0.1, 0);
    assert_that(r.residual < 0.05 * r.before);
    limb_payload_destroy(x);
    bench_end(&b);
  }
}
END_TEST

// Shares of 95 % intervals that have the true value: phi, mass, centre and inertia.
START_TEST(standard_deviations_are_honest)
{
  if (_i) return;
  const int draws = CHECK_EFFORT(2, 20, 100);
  int inside = 0, all = 0;
  for (int k = 0; k < draws; k++) {
    bench b = bench_make("ur5", 4);
    limb_payload* x = NULL;
    limb_payload_result r;
    double phi[10];
    b.log.seed = 100 + (uint64_t)k, b.log.noise = 0.3;
    limb_inertia_to_parameters(&b.load, phi);
    assert_ok(limb_payload_create(b.m, b.frame, NULL, &x));
    run(&b, x, 6, 1000, 0.3);
    assert_ok(limb_payload_estimate(x, &r));
    for (int i = 0; i < 10; i++) inside += fabs(r.phi[i] - phi[i]) < 1.96 * sqrt(r.covariance[11 * i]), all++;
    inside += fabs(r.load.mass - b.load.mass) < 1.96 * r.mass_std, all++;
    for (int i = 0; i < 3; i++) inside += fabs((&r.load.com.x)[i] - (&b.load.com.x)[i]) < 1.96 * r.com_std[i], all++;
    for (int i = 0; i < 6; i++) inside += fabs((&r.load.xx)[i] - (&b.load.xx)[i]) < 1.96 * r.inertia_std[i], all++;
    limb_payload_destroy(x);
    bench_end(&b);
  }
  const double share = (double)inside / all;
  check_at("%.1f %% of %d intervals hold", 100 * share, all);
  assert_that(share > (draws < 20 ? 0.75 : 0.9));
}
END_TEST

// A load that is put down: with a memory the estimate follows; a reset forgets at once.
START_TEST(follows_changes)
{
  if (_i) return;
  bench b = bench_make("ur5", 4);
  limb_payload_options o = limb_default_payload_options();
  limb_payload_result r;
  limb_payload *x = NULL, *all = NULL;
  o.memory = 2;
  assert_ok(limb_payload_create(b.m, b.frame, &o, &x));
  assert_ok(limb_payload_create(b.m, b.frame, NULL, &all));
  run(&b, x, 6, 500, 0), run(&b, all, 6, 500, 0);
  assert_ok(limb_payload_estimate(x, &r));
  assert_close(r.load.mass, b.load.mass, 0.02, 0);
  motion loaded = b.log;
  b.log = motion_make(b.m, 4);
  limb_payload_gap(x), limb_payload_gap(all);
  run(&b, x, 6, 500, 0), run(&b, all, 6, 500, 0);
  assert_ok(limb_payload_estimate(x, &r));
  assert_close(r.load.mass, 0, 0, 0.1);
  assert_ok(limb_payload_estimate(all, &r));
  assert_that(r.load.mass > 0.3);
  limb_payload_reset(all);
  assert_status(limb_payload_estimate(all, &r), LIMB_E_ORDER);
  run(&b, all, 6, 500, 0);
  assert_ok(limb_payload_estimate(all, &r));
  assert_close(r.load.mass, 0, 0, 0.01);
  motion_end(&loaded);
  limb_payload_destroy(x), limb_payload_destroy(all);
  bench_end(&b);
}
END_TEST

// An arm in a plane: what it cannot show is hidden, the rest is right. With the difference of two loads errors of the
// model cancel.
START_TEST(what_is_hidden_is_marked)
{
  if (_i) return;
  bench b = bench_make("planar_2r", 2);
  limb_payload* x = NULL;
  limb_payload_result r, d;
  assert_ok(limb_payload_create(b.m, b.frame, NULL, &x));
  run(&b, x, 8, 1000, 0);
  assert_ok(limb_payload_estimate(x, &r));
  check_at("mass %g +- %g, hidden %x", r.load.mass, r.mass_std, r.hidden);
  assert_that(r.hidden != 0);
  for (int k = 0; k < 10; k++)
    if (r.hidden & 1U << k) assert_that(r.phi[k] == 0 && r.covariance[11 * k] == 0);
  assert_ok(limb_payload_subtract(&r, &r, &d));
  assert_that(d.load.mass == 0 && d.mass_std > r.mass_std && !d.physical);
  limb_payload_destroy(x);
  bench_end(&b);
}
END_TEST

// Short and noisy logs, of a box, of nothing, of what a plane hides: the physical load is one that a body can have, and
// where noise alone makes the difference it is within its reach.
START_TEST(physical_loads)
{
  if (_i > 2) return;
  int impossible = 0;
  for (int k = 0; k < CHECK_EFFORT(2, 6, 30); k++) {
    bench b = bench_make(_i == 2 ? "planar_2r" : "ur5", 4);
    limb_payload* x = NULL;
    limb_payload_result r, p;
    double distance = -1;
    b.log.seed = 100 + (uint64_t)k, b.log.noise = 3;
    if (_i == 1) {
      motion_end(&b.log);
      b.log = motion_make(b.m, 4), b.log.noise = 3, b.log.seed = 100 + (uint64_t)k;
    }
    assert_ok(limb_payload_create(b.m, b.frame, NULL, &x));
    run(&b, x, 3, 200, 0.3);
    assert_ok(limb_payload_estimate(x, &r));
    impossible += !r.physical;
    assert_ok(limb_payload_physical(&r, &p, &distance));
    check_at("mass %g +- %g, physical %g +- %g, %g away", r.load.mass, r.mass_std, p.load.mass, p.mass_std, distance);
    assert_that(p.physical && p.load.mass > 0 && !limb_inertia_defect(&p.load));
    assert_that(distance < 6 && p.mass_std <= r.mass_std + 1e-9);
    assert_that(fabs(p.load.mass - r.load.mass) < 4 * r.mass_std);
    limb_payload_destroy(x);
    bench_end(&b);
  }
  assert_that(impossible > 0);
}
END_TEST

// Without noise: a load that is physical stays, a point mass gets hardly any inertia.
START_TEST(physical_loads_stay)
{
  if (_i > 1) return;
  bench b = bench_make("ur5", 4);
  limb_payload* x = NULL;
  limb_payload_result r;
  double distance = 0;
  assert_ok(limb_payload_create(b.m, b.frame, NULL, &x));
  run(&b, x, 4, 1000, 0);
  assert_ok(limb_payload_estimate(x, &r));
  if (_i) {
    r.load = limb_inertia_point(2, sp_v3(0.1, 0, 0.05));
    limb_inertia_to_parameters(&r.load, r.phi);
  }
  const sp_inertia before = r.load;
  assert_ok(limb_payload_physical(&r, &r, &distance));
  check_at("%g away", distance);
  assert_close(r.load.mass, before.mass, 1e-2, 0);
  assert_close_vec3(r.load.com, before.com, 2e-2, 0);
  assert_that(distance < 4 && r.load.xx < before.xx + 3 * r.inertia_std[0] + 1e-3);
  assert_status(limb_payload_physical(NULL, &r, NULL), LIMB_E_ARG);
  memset(r.covariance, 0, sizeof r.covariance);
  assert_status(limb_payload_physical(&r, &r, NULL), LIMB_E_SINGULAR);
  limb_payload_destroy(x);
  bench_end(&b);
}
END_TEST

START_TEST(steps_do_not_allocate)
{
  if (_i || !CAN_WATCH) return;
  bench b = bench_make("panda", 4);
  limb_payload* x = NULL;
  limb_payload_result r;
  assert_ok(limb_payload_create(b.m, b.frame, NULL, &x));
  run(&b, x, 3, 200, 0);
  watching = 1, calls = 0;
  const limb_status s = limb_payload_step(x, 1e-3, b.log.q, b.log.v, b.log.tau);
  const limb_status t = limb_payload_estimate(x, &r), u = limb_payload_physical(&r, &r, NULL);
  watching = 0;
  assert_ok(s), assert_ok(t), assert_ok(u);
  assert_that(calls == 0);
  limb_payload_destroy(x);
  bench_end(&b);
}
END_TEST

START_TEST(bad_calls_are_refused)
{
  if (_i) return;
  limb_model *m = NULL, *closed = NULL;
  limb_payload* x = NULL;
  limb_payload_result r;
  double q[DOFS] = {0}, bad[DOFS] = {(double)NAN};
  limb_payload_options o = limb_default_payload_options();
  assert_ok(limb_load("ur5", NULL, &m, NULL));
  assert_ok(limb_load("four_bar", NULL, &closed, NULL));
  const int last = limb_frame_count(m) - 1;
  assert_status(limb_payload_create(NULL, last, NULL, &x), LIMB_E_ARG);
  assert_status(limb_payload_create(m, last, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_payload_create(m, 0, NULL, &x), LIMB_E_ARG);
  assert_status(limb_payload_create(m, 1000, NULL, &x), LIMB_E_ARG);
  assert_status(limb_payload_create(closed, limb_body_count(closed) - 1, NULL, &x), LIMB_E_UNSUPPORTED);
  o.gain = -1;
  assert_status(limb_payload_create(m, last, &o, &x), LIMB_E_ARG);
  o.gain = 20, o.memory = 1;
  assert_status(limb_payload_create(m, last, &o, &x), LIMB_E_ARG);
  o.memory = 0, o.friction = 64;
  assert_status(limb_payload_create(m, last, &o, &x), LIMB_E_ARG);
  assert_ok(limb_payload_create(m, last, NULL, &x));
  assert_status(limb_payload_step(x, 0, q, q, q), LIMB_E_ARG);
  assert_status(limb_payload_step(x, 1e-3, q, q, NULL), LIMB_E_ARG);
  assert_ok(limb_payload_step(x, 1e-3, q, q, q));
  assert_status(limb_payload_step(x, 1e-3, q, q, bad), LIMB_E_NONFINITE);
  assert_status(limb_payload_step(x, 1e-3, bad, q, q), LIMB_E_NONFINITE);
  assert_status(limb_payload_step(x, 1e-3, q, bad, q), LIMB_E_NONFINITE);
  assert_status(limb_payload_estimate(x, &r), LIMB_E_ORDER);
  assert_status(limb_payload_estimate(NULL, &r), LIMB_E_ARG);
  assert_status(limb_payload_subtract(NULL, &r, &r), LIMB_E_ARG);
  limb_payload_gap(NULL), limb_payload_reset(NULL), limb_payload_destroy(NULL);
  limb_payload_destroy(x);
  limb_model_destroy(m), limb_model_destroy(closed);
}
END_TEST

CHECK_MAIN("payload", ROBOTS, load_comes_back, standard_deviations_are_honest, follows_changes,
           what_is_hidden_is_marked, physical_loads, physical_loads_stay, steps_do_not_allocate, bad_calls_are_refused)
