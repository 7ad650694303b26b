// Joint limits: stops that hold, springs, impacts, ends; against closed forms.
#include "sim/slides.h"

#include <string.h>

static const double g = 9.81, eps_t = 1e-11;

// A ball above the floor at 0; the ceiling is at `upper`.
static limb_model* ball(double upper)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 0, 0, 0, 0, upper};
  return slides_build(1, &s, -g, 0);
}

// ---- one joint -------------------------------------------------------------------------------------------

START_TEST(stop_holds)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_HOLD;
  limb_sim* sim = slides_start(m, &o, (double[]){1.3}, NULL);
  const double fall = sqrt(2 * 1.3 / g);
  const limb_sim_event e = slides_next(sim, 5, LIMB_EVENT_STOP_REACHED, 0, -1);
  assert_close(e.time, fall, 0, eps_t);
  assert_close(e.before, -g * fall, 1e-10, 0);
  assert_that(e.after == 0);
  slides_quiet(sim, 5);
  const limb_sim_state x = slides_now(sim);
  assert_that(x.q[0] == 0 && x.v[0] == 0 && x.a[0] == 0 && x.time == 5);
  assert_that(fabs(slides_missing(sim)) < 1e-9);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// Lifted by a force that grows with time: it leaves where the force carries the weight.
static limb_status lift(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)q, (void)v;
  tau[0] += *(const double*)context * t;
  return LIMB_OK;
}

START_TEST(stop_is_left)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_HOLD;
  double rate = 7;
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &(limb_sim_force){.force = lift, .context = &rate}));
  assert_ok(limb_sim_start(sim, 0, (double[]){0}, NULL, NULL));
  const limb_sim_event e = slides_next(sim, 5, LIMB_EVENT_STOP_LEFT, 0, -1);
  const double left = 2 * g / rate;
  assert_close(e.time, left, 0, 1e-10);
  slides_quiet(sim, 5);
  const double s = 5 - left; // a = rate (t - left) / m
  assert_close(slides_now(sim).q[0], rate * s * s * s / 12, 1e-9, 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

START_TEST(impacts_follow_restitution)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_IMPACT;
  o.restitution = 0.8;
  limb_sim* sim = slides_start(m, &o, (double[]){1}, NULL);
  double t = sqrt(2 / g), v = g * t, worst = 0;
  int count = 0;
  limb_sim_event e;
  for (;; count++) {
    assert_ok(limb_sim_advance(sim, 20, &e));
    if (e.kind != LIMB_EVENT_IMPACT) break;
    worst = fmax(worst, fabs(e.time - t));
    assert_close(e.before, -v, 1e-7, 1e-10);
    assert_close(e.after, -0.8 * e.before, 1e-15, 0);
    v *= 0.8, t += 2 * v / g;
  }
  // A rebound that would rise by less than 1e-10 m is none: v^2 = 2 g h.
  assert_that(e.kind == LIMB_EVENT_STOP_REACHED && e.side == -1 && e.after == 0);
  assert_that(0.8 * v < sqrt(2 * g * 1e-10) && v >= sqrt(2 * g * 1e-10) && count > 40);
  assert_that(worst < 1e-9);
  slides_quiet(sim, 20);
  assert_that(slides_now(sim).v[0] == 0 && slides_now(sim).q[0] == 0);
  assert_that(fabs(slides_missing(sim)) < 1e-9);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

START_TEST(elastic_impacts_keep_energy)
{
  limb_model* m = ball(1.5);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_IMPACT;
  o.restitution = 1;
  limb_sim* sim = slides_start(m, &o, (double[]){0.5}, (double[]){6}); // reaches the ceiling, too
  limb_sim_event e;
  int count = 0;
  for (assert_ok(limb_sim_advance(sim, 10, &e)); e.kind; assert_ok(limb_sim_advance(sim, 10, &e)))
    assert_that(e.kind == LIMB_EVENT_IMPACT && e.side == (count++ % 2 ? -1 : 1));
  limb_sim_summary x;
  assert_ok(limb_sim_summary_of(sim, &x));
  assert_that(count > 20);
  assert_close(x.energy, x.energy_start, 1e-12, 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// Onto a spring without damping: contact lasts as the sinusoid about the place of rest says.
START_TEST(spring_pushes)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_SPRING;
  o.stop_stiffness = 800, o.stop_damping = 0, o.step = 1e-4;
  limb_sim* sim = slides_start(m, &o, (double[]){0.2}, NULL);
  const double v = sqrt(2 * g * 0.2), w = sqrt(800.0 / 2);
  const double t1 = v / g, t2 = t1 + (acos(-1) + 2 * atan(g / (w * v))) / w;
  limb_sim_event e = slides_next(sim, 5, LIMB_EVENT_STOP_REACHED, 0, -1);
  assert_close(e.time, t1, 0, eps_t);
  assert_close(e.after, -v, 1e-10, 0);
  e = slides_next(sim, 5, LIMB_EVENT_STOP_LEFT, 0, -1);
  assert_close(e.time, t2, 0, 1e-9);
  assert_close(e.after, v, 1e-8, 0);
  assert_that(fabs(slides_missing(sim)) < 1e-9);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// With a strong damper the spring never pulls: it leaves beyond the limit, and comes back without force.
// It comes to rest on the spring, m g / k below the limit: with every method.
START_TEST(rests_on_a_spring)
{
  limb_model* m = ball(1e6);
  for (int method = LIMB_SIM_EULER; method <= LIMB_SIM_IDA; method++) {
    limb_sim_options o = slides_options(m);
    if (!limb_sim_has_method((limb_sim_method)method)) continue;
    o.method = (limb_sim_method)method;
    o.stop = LIMB_STOP_SPRING;
    limb_sim* sim = slides_start(m, &o, (double[]){1}, (double[]){0});
    const limb_status status = limb_sim_advance(sim, 3, NULL);
    check_at("%s: %s", limb_sim_method_name(o.method), limb_sim_error(sim));
    assert_ok(status);
    assert_that(fabs(slides_now(sim).v[0]) < 1e-6);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(spring_does_not_pull)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_SPRING;
  o.stop_stiffness = 800, o.stop_damping = 30, o.step = 1e-3;
  double rate = 400;
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &(limb_sim_force){.force = lift, .context = &rate}));
  assert_ok(limb_sim_start(sim, 0, (double[]){-0.02}, NULL, NULL)); // pressed at the start
  const limb_sim_event e = slides_next(sim, 5, LIMB_EVENT_STOP_LEFT, 0, -1);
  const limb_sim_state x = slides_now(sim);
  assert_that(x.q[0] < -1e-4); // not back yet
  assert_close(800 * x.q[0] + 30 * x.v[0], 0, 0, 1e-8);
  assert_close(x.a[0], rate * e.time / 2 - g, 1e-9, 0);
  slides_quiet(sim, 0.5);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

START_TEST(end_ends)
{
  limb_model* m = ball(1e6);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_END;
  limb_sim* sim = slides_start(m, &o, (double[]){1}, NULL);
  limb_sim_event e = slides_next(sim, 5, LIMB_EVENT_STOP_REACHED, 0, -1);
  assert_that(e.ends == 1 && e.before == e.after);
  assert_close(e.time, sqrt(2 / g), 0, eps_t);
  assert_ok(limb_sim_advance(sim, 5, &e));
  assert_that(e.kind == LIMB_EVENT_NONE && e.ends == 1 && slides_now(sim).time < 1);
  assert_ok(limb_sim_start(sim, 0, (double[]){1}, NULL, NULL)); // begins anew
  assert_ok(limb_sim_advance(sim, 5, NULL));
  assert_close(slides_now(sim).time, sqrt(2 / g), 0, eps_t);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// ---- beginnings ------------------------------------------------------------------------------------------

START_TEST(starts_beyond_and_at_limits)
{
  limb_model* m = ball(2);
  for (int stop = LIMB_STOP_HOLD; stop <= LIMB_STOP_END; stop++) {
    limb_sim_options o = slides_options(m);
    o.stop = (limb_stop)stop;
    limb_sim* sim = NULL;
    limb_error err = {0};
    assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
    const limb_status want = stop == LIMB_STOP_SPRING ? LIMB_OK : LIMB_E_ARG;
    assert_status(limb_sim_start(sim, 0, (double[]){2.25}, NULL, &err), want);
    if (want) assert_that(strstr(err.text, "joint0") && strstr(err.text, "0.25"));
    assert_ok(limb_sim_start(sim, 0, (double[]){2}, NULL, NULL)); // falls
    assert_ok(limb_sim_advance(sim, 0.1, NULL));
    assert_close(slides_now(sim).q[0], 2 - g * 0.005, 1e-12, 0);
    limb_sim_destroy(sim);
  }
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_HOLD;
  limb_sim* sim = slides_start(m, &o, (double[]){0}, NULL); // rests
  slides_quiet(sim, 1);
  assert_that(slides_now(sim).q[0] == 0 && slides_now(sim).v[0] == 0);
  assert_ok(limb_sim_start(sim, 0, (double[]){0}, (double[]){-1}, NULL)); // runs into it
  assert_close(slides_next(sim, 1, LIMB_EVENT_STOP_REACHED, 0, -1).time, 0, 0, eps_t);
  slides_quiet(sim, 1);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// Thrown up so that it just reaches the ceiling, and is back long before the step is over.
START_TEST(grazing_is_seen)
{
  for (int beyond = 0; beyond < 2; beyond++) {
    limb_model* m = ball(1.5);
    limb_sim_options o = slides_options(m);
    o.stop = LIMB_STOP_IMPACT;
    o.restitution = 1;
    o.step = 0.5;
    const double top = 1.5 + (beyond ? 1e-6 : -1e-6), v = sqrt(2 * g * (top - 1));
    limb_sim* sim = slides_start(m, &o, (double[]){1}, &v);
    if (beyond) {
      const limb_sim_event e = slides_next(sim, 0.5, LIMB_EVENT_IMPACT, 0, 1);
      assert_close(e.time, (v - sqrt(v * v - g)) / g, 0, 1e-10);
    }
    slides_quiet(sim, 0.5);
    limb_sim_destroy(sim);
    limb_model_destroy(m);
  }
}
END_TEST

// ---- several joints --------------------------------------------------------------------------------------

// A block in a box that slides itself: the block hits the end of the box, which rests at its own stop.
START_TEST(impulse_goes_through_a_resting_joint)
{
  const slide s[2] = {{LIMB_PRISMATIC, 3, 0.1, 0, 0, 0, 0, 0, 5}, {LIMB_PRISMATIC, 2, 0.1, 0, 0, 0, 0, -1, 1}};
  limb_model* m = slides_build(2, s, 0, 0);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_IMPACT;
  o.restitution = 0.5;
  // Into the lower end: the box is pushed against its stop, which gives the impulse.
  limb_sim* sim = slides_start(m, &o, (double[]){0, 0}, (double[]){0, -4});
  limb_sim_event e = slides_next(sim, 2, LIMB_EVENT_IMPACT, 1, -1);
  assert_close(e.time, 0.25, 0, eps_t);
  assert_that(slides_now(sim).v[0] == 0);
  assert_close(slides_now(sim).v[1], 2, 1e-12, 0);
  // Into the upper end then: the box leaves, momentum is kept: 3 V + 2 (V + u) = 2 * 2, u = -1.
  e = slides_next(sim, 2, LIMB_EVENT_IMPACT, 1, 1);
  assert_close(e.time, 1.25, 0, 1e-10);
  (void)slides_next(sim, 2, LIMB_EVENT_STOP_LEFT, 0, -1);
  assert_close(slides_now(sim).v[0], 1.2, 1e-12, 0);
  assert_close(slides_now(sim).v[1], -1, 1e-12, 0);
  assert_that(fabs(slides_missing(sim)) < 1e-12);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// The second joint of an arm hits its stop while the first one sticks: friction has no impulse.
START_TEST(stop_shakes_a_joint_loose)
{
  const slide s[2] = {{LIMB_REVOLUTE, 1, 0.2, 0.7, 5, 0, 0, 0, 0}, {LIMB_REVOLUTE, 1, 0.1, 0.5, 0, 0, 0, -0.5, 0.5}};
  limb_model* m = slides_build(2, s, 0, 0);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_HOLD;
  limb_sim* sim = slides_start(m, &o, (double[]){0.3, 0}, (double[]){0, 2});
  const limb_sim_event e = slides_next(sim, 2, LIMB_EVENT_STOP_REACHED, 1, 1);
  assert_close(slides_next(sim, 2, LIMB_EVENT_SLIP, 0, 1).time, e.time, 0, 0);
  const limb_sim_state x = slides_now(sim);
  double M[4];
  assert_ok(limb_mass_matrix(d, x.q, M));
  // The impulse is at the second joint: (M dv)_0 = 0.
  assert_that(x.v[1] == 0 && e.before > 1.9);
  assert_close(M[0] * x.v[0] + M[1] * (0 - e.before), 0, 0, 1e-12);
  const double loose = x.v[0];
  const double stopped = slides_next(sim, 2, LIMB_EVENT_STICK, 0, 1).time;
  assert_close(stopped, e.time + M[0] * loose / 5, 0, 1e-10); // the arm as one piece
  limb_sim_destroy(sim);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A chain falls onto all its stops, and stays there.
START_TEST(many_stops)
{
  slide s[6];
  for (int k = 0; k < 6; k++) s[k] = (slide){LIMB_REVOLUTE, 1, 0.02, 0.3, 0, 0.05, 0, -0.4 - 0.05 * k, 0.4};
  limb_model* m = slides_build(6, s, 1, -g);
  for (int stop = LIMB_STOP_HOLD; stop <= LIMB_STOP_IMPACT; stop++) {
    limb_sim_options o = slides_options(m);
    o.stop = (limb_stop)stop;
    o.restitution = 0.3;
    o.stop_damping = 5;
    if (stop == LIMB_STOP_SPRING) o.step = 1e-4;
    limb_sim* sim = slides_start(m, &o, (double[]){0.2, 0.1, 0, -0.1, 0.1, 0}, NULL);
    assert_ok(limb_sim_advance(sim, CHECK_SANITIZED ? 1 : 8, NULL));
    const limb_sim_state x = slides_now(sim);
    for (int k = 0; k < 6 && stop != LIMB_STOP_SPRING; k++)
      assert_that(x.q[k] <= s[k].upper + 1e-9 && x.q[k] >= s[k].lower - 1e-9);
    assert_that(fabs(slides_missing(sim)) < 1e-4);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

// Two equal masses on one line, the second at its stop on the first and leaving it with 1 m/s, when the first
// runs into its own with 2 m/s. It is stopped or thrown back, and meets the second. With e = 1: velocities
// (-2, -1) become (2, -1), (-1, 2), (1, 2).
START_TEST(impact_throws_back_what_leaves)
{
  const slide s[2] = {{LIMB_PRISMATIC, 1, 0.1, 0, 0, 0, 0, 0, 5}, {LIMB_PRISMATIC, 1, 0.1, 0, 0, 0, 0, 0, 5}};
  limb_model* m = slides_build(2, s, 0, 0);
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_IMPACT, o.restitution = 1;
  limb_sim* sim = slides_start(m, &o, (double[]){0, 0}, (double[]){-2, 1});
  static const int joint[] = {0, 1, 0};
  static const double after[] = {2, 3, 1};
  for (int k = 0; k < 3; k++) {
    const limb_sim_event e = slides_next(sim, 1, LIMB_EVENT_IMPACT, joint[k], -1);
    assert_that(e.time < 1e-12);
    assert_close(e.after, after[k], 1e-9, 0);
  }
  slides_quiet(sim, 1);
  const limb_sim_state x = slides_now(sim);
  assert_close(x.v[0], 1, 1e-9, 0), assert_close(x.v[1], 1, 1e-9, 0);
  limb_sim_destroy(sim);
  o.stop = LIMB_STOP_HOLD; // both masses end with the mean of their velocities, or the first at rest
  sim = slides_start(m, &o, (double[]){0, 0}, (double[]){-2, 1});
  assert_ok(limb_sim_advance(sim, 1, NULL));
  limb_sim_summary y;
  assert_ok(limb_sim_summary_of(sim, &y));
  assert_that(y.energy <= y.energy_start && fabs(slides_missing(sim)) < 1e-9);
  assert_that(fabs(slides_now(sim).v[0]) < 1e-9 && fabs(slides_now(sim).v[1]) < 1e-9);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// A joint that mimics another, q1 = -2 q0 + 0.1: its limits and its friction are those of its leader.
static limb_model* follower(void)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  assert_ok(limb_builder_create(NULL, &b));
  for (int k = 0; k < 2; k++) {
    limb_body_def body = limb_default_body_def(k ? "second" : "first");
    body.inertia.mass = 1 + k;
    body.inertia.xx = body.inertia.yy = body.inertia.zz = 0.1;
    assert_ok(limb_builder_add_body(b, &body, NULL, &err));
    limb_joint_def j = limb_default_joint_def(k ? "follower" : "leader", LIMB_PRISMATIC, 0, k + 1);
    j.axis = sp_v3(1, 0, 0);
    j.coulomb = 0.5 * (1 + k);
    j.q_min = k ? -0.9 : -9, j.q_max = k ? 0.7 : 9;
    if (k) j.mimic = 0, j.multiplier = -2, j.offset = 0.1;
    assert_ok(limb_builder_add_joint(b, &j, NULL, &err));
  }
  assert_ok(limb_builder_build(b, &m, &err));
  limb_builder_destroy(b);
  return m;
}

START_TEST(limits_of_a_follower)
{
  limb_model* m = follower();
  limb_sim_options o = slides_options(m);
  o.stop = LIMB_STOP_HOLD;
  o.env.gravity = sp_v3(0, 0, 0);
  const double v = 3, mass = 1 + 4 * 2, friction = 0.5 + 2 * 1;
  for (int side = -1; side <= 1; side += 2) {
    const double start = side * v, way = side > 0 ? 0.5 : 0.3, slow = friction / mass;
    limb_sim* sim = slides_start(m, &o, (double[]){0}, &start);
    const limb_sim_event e = slides_next(sim, 2, LIMB_EVENT_STOP_REACHED, 0, side);
    assert_close(e.time, (v - sqrt(v * v - 2 * slow * way)) / slow, 0, 1e-11);
    slides_quiet(sim, 2);
    assert_close(slides_now(sim).q[0], side * way, 1e-15, 0);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("stops", 1, stop_holds, stop_is_left, impacts_follow_restitution, elastic_impacts_keep_energy, spring_pushes,
           rests_on_a_spring, spring_does_not_pull, end_ends, starts_beyond_and_at_limits, grazing_is_seen,
           impulse_goes_through_a_resting_joint, stop_shakes_a_joint_loose, many_stops, impact_throws_back_what_leaves,
           limits_of_a_follower)
