// Coulomb friction with sticking: against closed forms, and never a chatter.
#include "sim/slides.h"

#include <stdbool.h>

static const double g = 9.81;

// A force that grows with time, on the first joint.
static limb_status ramp(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)q, (void)v;
  tau[0] += *(const double*)context * t;
  return LIMB_OK;
}

static limb_sim* start_ramp(const limb_model* m, const limb_sim_options* o, double* rate, const double* q)
{
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &(limb_sim_force){.force = ramp, .context = rate}));
  assert_ok(limb_sim_start(sim, 0, q, NULL, NULL));
  return sim;
}

// ---- one joint -------------------------------------------------------------------------------------------

// Up an incline, and back when friction does not hold it there.
START_TEST(block_on_an_incline)
{
  for (int holds = 0; holds < 2; holds++) {
    const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, holds ? 9 : 6, 0, 0, 0, 0};
    const double slope = 4, up = slope + s.coulomb / 2, v = 3;
    limb_model* m = slides_build(1, &s, -slope, 0);
    const limb_sim_options o = slides_options(m);
    limb_sim* sim = slides_start(m, &o, (double[]){0}, &v);
    const limb_event_kind kind = holds ? LIMB_EVENT_STICK : LIMB_EVENT_SLIP;
    const limb_sim_event e = slides_next(sim, 2, kind, 0, holds ? 1 : -1);
    assert_close(e.time, v / up, 0, 1e-12);
    slides_quiet(sim, 2);
    const limb_sim_state x = slides_now(sim);
    const double top = v * v / (2 * up), left = 2 - v / up, down = slope - s.coulomb / 2;
    assert_close(x.q[0], holds ? top : top - down * left * left / 2, 1e-12, 0);
    if (holds) assert_that(x.v[0] == 0 && x.a[0] == 0);
    assert_that(fabs(slides_missing(sim)) < 1e-11);
    limb_sim_destroy(sim);
    limb_model_destroy(m);
  }
}
END_TEST

// Half periods of a sinusoid about -+F/k, the amplitude less by 2 F/k each time; sticks within F/k.
START_TEST(spring_and_friction)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 3, 0, 50, 0, 0};
  limb_model* m = slides_build(1, &s, 0, 0);
  limb_sim_options o = slides_options(m);
  const double w = sqrt(50.0 / 2), dead = 3.0 / 50, start = 1.01;
  const double half = acos(-1) / w;
  limb_sim* sim = slides_start(m, &o, &start, NULL);
  double x = start, worst = 0;
  int turns = 0;
  for (;; turns++) {
    const int side = turns % 2 ? 1 : -1; // direction of the half period
    x = -(x + side * 2 * dead);
    const bool sticks = fabs(x) <= dead;
    limb_sim_event e;
    assert_ok(limb_sim_advance(sim, 20, &e));
    worst = fmax(worst, fabs(e.time - (turns + 1) * half));
    assert_that(e.kind == (sticks ? LIMB_EVENT_STICK : LIMB_EVENT_SLIP) && e.joint == 0);
    assert_that(e.side == (sticks ? side : -side) && slides_now(sim).v[0] == 0);
    assert_close(slides_now(sim).q[0], x, 0, 1e-9);
    if (sticks) break;
  }
  assert_that(turns == 7 && worst < 1e-9);
  assert_that(fabs(slides_missing(sim)) < 1e-9);
  const double place = slides_now(sim).q[0];
  slides_quiet(sim, 20);
  assert_that(slides_now(sim).q[0] == place && slides_now(sim).v[0] == 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// A force that grows: it slips when that is more than friction, and moves as if it had always grown from
// there.
START_TEST(ramp_lets_go)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 3, 0, 0, 0, 0};
  limb_model* m = slides_build(1, &s, 0, 0);
  limb_sim_options o = slides_options(m);
  for (int sign = -1; sign <= 1; sign += 2) {
    double rate = sign * 1.7;
    limb_sim* sim = start_ramp(m, &o, &rate, (double[]){0.5});
    slides_quiet(sim, 1);
    assert_that(slides_now(sim).q[0] == 0.5 && slides_now(sim).v[0] == 0);
    const limb_sim_event e = slides_next(sim, 3, LIMB_EVENT_SLIP, 0, sign);
    assert_close(e.time, 3 / 1.7, 0, 1e-11);
    slides_quiet(sim, 3);
    const double left = 3 - 3 / 1.7;
    assert_close(slides_now(sim).q[0], 0.5 + rate * left * left * left / 12, 1e-10, 0);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

// A controller that is sampled: its force jumps, and what sticks is let go at that very time.
static limb_status jump(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  tau[0] += t >= 0.5 - 1e-12 ? 4 : 1;
  return LIMB_OK;
}

static double force_left(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->tau[0] - 2;
}

START_TEST(jump_lets_go)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 3, 0, 0, 0, 0};
  limb_model* m = slides_build(1, &s, 0, 0);
  const limb_sim_options o = slides_options(m);
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &(limb_sim_force){.force = jump, .period = 0.1}));
  assert_ok(limb_sim_add_condition(sim, &(limb_sim_condition){.value = force_left, .dynamics = 1}, NULL));
  assert_ok(limb_sim_start(sim, 0, (double[]){0}, NULL, NULL));
  assert_close(slides_next(sim, 1, LIMB_EVENT_SLIP, 0, 1).time, 0.5, 1e-15, 0);
  assert_close(slides_next(sim, 1, LIMB_EVENT_CONDITION, -1, 0).time, 0.5, 1e-15,
               0); // it jumps, too
  slides_quiet(sim, 1);
  assert_close(slides_now(sim).q[0], 0.5 * 0.5 * 0.25, 1e-12, 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// Slows down, sticks for a moment and goes on, all in one step: the velocity is 40 (t - 0.05)^2 - 0.004 at
// first.
static limb_status slow_down(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  tau[0] += 1 + 80 * (t - 0.05);
  return LIMB_OK;
}

START_TEST(short_rest_is_seen)
{
  const slide s = {LIMB_PRISMATIC, 1, 0.1, 0, 1, 0, 0, 0, 0};
  limb_model* m = slides_build(1, &s, 0, 0);
  limb_sim_options o = slides_options(m);
  o.step = 0.1;
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &(limb_sim_force){.force = slow_down}));
  assert_ok(limb_sim_start(sim, 0, (double[]){0}, (double[]){0.096}, NULL));
  assert_close(slides_next(sim, 0.1, LIMB_EVENT_STICK, 0, 1).time, 0.04, 0, 1e-11);
  assert_close(slides_next(sim, 0.1, LIMB_EVENT_SLIP, 0, 1).time, 0.05, 0, 1e-11);
  slides_quiet(sim, 0.1);
  assert_close(slides_now(sim).v[0], 0.1, 1e-9, 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// On the spring of a stop, which carries most of the weight: friction carries the rest, 3.62 N.
START_TEST(sticks_on_a_spring)
{
  for (int holds = 0; holds < 2; holds++) {
    const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, holds ? 3.7 : 3.5, 0, 0, 0, 9};
    limb_model* m = slides_build(1, &s, -g, 0);
    limb_sim_options o = slides_options(m);
    o.stop = LIMB_STOP_SPRING;
    o.stop_stiffness = 800, o.stop_damping = 10;
    limb_sim* sim = slides_start(m, &o, (double[]){-0.02}, NULL);
    if (holds) slides_quiet(sim, 1);
    if (!holds) (void)slides_next(sim, 1, LIMB_EVENT_STICK, 0, -1);
    assert_that(slides_now(sim).v[0] == 0 && (slides_now(sim).q[0] == -0.02) == holds);
    limb_sim_destroy(sim);
    limb_model_destroy(m);
  }
}
END_TEST

// It stops at the very time of a sample.
static limb_status nothing(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)t, (void)q, (void)v, (void)tau;
  return LIMB_OK;
}

START_TEST(event_at_a_break)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 9, 0, 0, 0, 0};
  limb_model* m = slides_build(1, &s, -4, 0);
  const limb_sim_options o = slides_options(m);
  for (int k = -8; k <= 8; k++) {
    limb_sim* sim = NULL;
    assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
    assert_ok(limb_sim_add_force(sim, &(limb_sim_force){.force = nothing, .period = 0.1}));
    const double v = 8.5 * (0.5 + k * 2e-14);
    assert_ok(limb_sim_start(sim, 0, (double[]){0}, &v, NULL));
    assert_close(slides_next(sim, 1, LIMB_EVENT_STICK, 0, 1).time, 0.5, 0, 1e-12);
    slides_quiet(sim, 1);
    assert_that(slides_now(sim).v[0] == 0);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- several joints --------------------------------------------------------------------------------------

// Comes to rest and stays there, to the last bit.
START_TEST(pendulum_comes_to_rest)
{
  const slide s = {LIMB_REVOLUTE, 1, 0.05, 0.8, 1.2, 0, 0, 0, 0};
  limb_model* m = slides_build(1, &s, 0, -g);
  limb_sim_options o = slides_options(m);
  limb_sim* sim = slides_start(m, &o, (double[]){0.4}, NULL);
  limb_sim_event e = {0};
  int turns = 0;
  do {
    assert_ok(limb_sim_advance(sim, 60, &e));
    turns += e.kind == LIMB_EVENT_SLIP;
  } while (e.kind == LIMB_EVENT_SLIP);
  assert_that(e.kind == LIMB_EVENT_STICK && e.after == 0 && turns >= 3);
  const double q = slides_now(sim).q[0];
  slides_quiet(sim, 60);
  const limb_sim_state x = slides_now(sim);
  assert_that(x.q[0] == q && x.v[0] == 0 && x.a[0] == 0);
  assert_that(fabs(slides_missing(sim)) < 1e-9);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// At any time friction does what it may: it acts against the motion in full, or holds with no more than that.
static void check_laws(limb_data* d, const limb_sim_state* x, const slide* s, int n)
{
  double tau[8];
  limb_environment env = limb_default_environment(limb_data_model(d));
  env.friction = 0;
  assert_ok(limb_inverse_dynamics(d, x->q, x->v, x->a, &env, tau));
  for (int k = 0; k < n; k++) { // tau: what friction has to deliver
    const double F = s[k].coulomb, slip = 1e-6;
    if (x->v[k] == 0 && x->a[k] == 0) assert_that(fabs(tau[k]) <= F * (1 + 1e-9));
    if (fabs(x->v[k]) > slip) assert_close(tau[k], x->v[k] > 0 ? -F : F, 1e-9, 1e-10);
  }
}

START_TEST(chain_with_friction_everywhere)
{
  enum { N = 4 };
  slide s[N];
  for (int k = 0; k < N; k++) s[k] = (slide){LIMB_REVOLUTE, 1 - 0.1 * k, 0.02, 0.4, 1.5 / (k + 1), 0, 0, 0, 0};
  limb_model* m = slides_build(N, s, 0, -g);
  limb_data* d = NULL;
  assert_ok(limb_data_create(m, NULL, &d));
  limb_sim_options o = slides_options(m);
  o.step = 5e-4;
  limb_sim* sim = slides_start(m, &o, (double[N]){1, -0.5, 1, 0.3}, (double[N]){0, 2, 0, -3});
  const double end = CHECK_SANITIZED ? 1 : 11; // it takes 10.55 s to come to rest
  int events = 0;
  limb_sim_event e;
  for (double t = 0; t < end;) {
    assert_ok(limb_sim_advance(sim, t + 0.01, &e));
    const limb_sim_state x = slides_now(sim);
    if (!e.kind) check_laws(d, &x, s, N); // at events a joint may have just turned
    t = x.time;
    events += e.kind != LIMB_EVENT_NONE;
  }
  assert_that(events > 5 && events < 300 && fabs(slides_missing(sim)) < 1e-8);
  const limb_sim_state x = slides_now(sim);
  for (int k = 0; k < N && !CHECK_SANITIZED; k++) assert_that(x.v[k] == 0);
  limb_sim_destroy(sim);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// A long chain, let go from a horizontal place: who moves at first, and who sticks, is a large problem
// with one answer, which must satisfy the law of friction joint by joint.
START_TEST(long_chain_is_let_go)
{
  enum { N = 120 };
  static const double friction[] = {0.01, 0.1, 0.5, 2};
  slide s[N];
  for (size_t f = 0; f < sizeof friction / sizeof friction[0]; f++) {
    for (int k = 0; k < N; k++) s[k] = (slide){LIMB_REVOLUTE, 1, 0.01, 0.1, friction[f] * (N - k), 0, 0, 0, 0};
    limb_model* m = slides_build(N, s, 0, -g);
    limb_data* d = NULL;
    assert_ok(limb_data_create(m, NULL, &d));
    const limb_sim_options o = slides_options(m);
    limb_environment env = limb_default_environment(m);
    env.friction = 0;
    const double q[N] = {0};
    double tau[N];
    limb_sim* sim = slides_start(m, &o, q, NULL);
    const limb_sim_state x = slides_now(sim);
    assert_ok(limb_inverse_dynamics(d, x.q, x.v, x.a, &env, tau));
    int held = 0;
    for (int k = 0; k < N; k++) {
      const double F = s[k].coulomb;
      check_at("friction %g, joint %d, a %g", friction[f], k, x.a[k]);
      if (x.a[k] == 0)
        assert_that(fabs(tau[k]) <= F + 1e-7);
      else
        assert_close(tau[k], x.a[k] > 0 ? -F : F, 1e-9, 1e-7);
      held += x.a[k] == 0;
    }
    assert_that(held > 10 && held < N);
    limb_sim_destroy(sim);
    limb_data_destroy(d);
    limb_model_destroy(m);
  }
}
END_TEST

// Two blocks on each other, the force on the lower: it takes the upper one along as long as friction can.
START_TEST(upper_block_is_taken_along)
{
  const slide s[2] = {{LIMB_PRISMATIC, 3, 0.1, 0, 0, 0, 0, 0, 0}, {LIMB_PRISMATIC, 2, 0.1, 0, 4, 0, 0, 0, 0}};
  limb_model* m = slides_build(2, s, 0, 0);
  const limb_sim_options o = slides_options(m);
  double rate = 5;
  limb_sim* sim = start_ramp(m, &o, &rate, (double[]){0, 0});
  // 2 a = 4 with a = 5 t / (3 + 2): it slips back at t = 2.
  const limb_sim_event e = slides_next(sim, 3, LIMB_EVENT_SLIP, 1, -1);
  assert_close(e.time, 2, 0, 1e-11);
  assert_close(slides_now(sim).v[0], 2, 1e-11, 0);
  slides_quiet(sim, 3);
  assert_close(slides_now(sim).v[0], 2 + (2.5 * 5 - 4) / 3, 1e-11, 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// ---- motion that is given, mimic joints, smooth friction --------------------------------------------

static limb_status swing(void* context, double t, double* q, double* v, double* a)
{
  (void)context;
  q[0] = sin(t), v[0] = cos(t), a[0] = -sin(t);
  return LIMB_OK;
}

START_TEST(given_motion_feels_friction)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 3, 0.5, 0, 0, 0};
  limb_model* m = slides_build(1, &s, 0, 0);
  const limb_sim_options o = slides_options(m);
  limb_sim* sim = NULL;
  const unsigned char given = LIMB_ACCELERATION_GIVEN;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_set_motion(sim, &given, swing, NULL, NULL));
  assert_ok(limb_sim_start(sim, 0, (double[]){0}, NULL, NULL));
  for (int k = 1; k <= 6; k++) {
    slides_quiet(sim, k);
    const double v = cos(k);
    assert_close(slides_now(sim).tau[0], -2 * sin(k) + 0.5 * v + (v > 0 ? 3 : -3), 1e-12, 0);
    // E - E0 = work of motor and friction together, but for the steps across turning points
    assert_that(fabs(slides_missing(sim)) < 1e-5);
  }
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

START_TEST(smooth_friction_has_no_events)
{
  const slide s = {LIMB_PRISMATIC, 2, 0.1, 0, 9, 0, 0, 0, 0};
  limb_model* m = slides_build(1, &s, -4, 0);
  limb_sim_options o = slides_options(m);
  o.stiction = LIMB_STICTION_SMOOTH;
  o.env.coulomb_width = 0.01;
  limb_sim* sim = slides_start(m, &o, (double[]){0}, (double[]){3});
  slides_quiet(sim, 2);
  const double creep = 0.01 * atanh(8.0 / 9);
  assert_close(slides_now(sim).v[0], -creep, 1e-6, 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// ---- loops -----------------------------------------------------------------------------------------------

// Two slides and a gear between them: q1 = ratio q0.
static limb_model* geared(const slide* s, double ratio)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  assert_ok(limb_builder_create(NULL, &b));
  for (int k = 0; k < 2; k++) {
    limb_body_def body = limb_default_body_def(k ? "second" : "first");
    body.inertia.mass = s[k].mass;
    body.inertia.xx = body.inertia.yy = body.inertia.zz = 0.1;
    assert_ok(limb_builder_add_body(b, &body, NULL, &err));
    limb_joint_def j = limb_default_joint_def(k ? "b" : "a", LIMB_PRISMATIC, 0, k + 1);
    j.axis = sp_v3(1, 0, 0);
    j.coulomb = s[k].coulomb;
    if (s[k].upper > 0) j.q_min = s[k].lower, j.q_max = s[k].upper;
    assert_ok(limb_builder_add_joint(b, &j, NULL, &err));
  }
  limb_loop_def gear = limb_default_loop_def("gear", LIMB_LOOP_GEAR, -1, -1);
  gear.joint = 1, gear.other = 0, gear.coefficient[1] = ratio;
  assert_ok(limb_builder_add_loop(b, &gear, NULL, &err));
  assert_ok(limb_builder_build(b, &m, &err));
  limb_builder_destroy(b);
  return m;
}

// Both frictions hold together: the least norm of forces would let go too early.
START_TEST(loop_sticks_with_all_its_friction)
{
  const double ratio = -3, rate = 5, F = 2 + 3 * 1.5, mass = 2 + 9 * 0.5;
  const slide s[2] = {{LIMB_PRISMATIC, 2, 0, 0, 2, 0, 0, 0, 0}, {LIMB_PRISMATIC, 0.5, 0, 0, 1.5, 0, 0, 0, 0}};
  limb_model* m = geared(s, ratio);
  const limb_sim_options o = slides_options(m);
  double growth = rate;
  limb_sim* sim = start_ramp(m, &o, &growth, (double[]){0, 0});
  const double slip = F / rate, left = 2 - slip;
  const limb_sim_event e = slides_next(sim, 2, LIMB_EVENT_SLIP, 0, 1);
  assert_close(e.time, slip, 0, 2e-9);
  assert_close(slides_next(sim, 2, LIMB_EVENT_SLIP, 1, -1).time, e.time, 0, 0);
  slides_quiet(sim, 2);
  assert_close(slides_now(sim).v[0], rate * left * left / 2 / mass, 1e-8, 0);
  assert_close(slides_now(sim).v[1], ratio * slides_now(sim).v[0], 1e-12, 0);
  assert_that(fabs(slides_missing(sim)) < 1e-10);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

START_TEST(loop_comes_to_rest)
{
  const slide s[2] = {{LIMB_PRISMATIC, 2, 0, 0, 2, 0, 0, 0, 0}, {LIMB_PRISMATIC, 0.5, 0, 0, 1.5, 0, 0, 0, 0}};
  limb_model* m = geared(s, 3);
  const limb_sim_options o = slides_options(m);
  limb_sim* sim = slides_start(m, &o, (double[]){0, 0}, (double[]){1, 3});
  const limb_sim_event e = slides_next(sim, 5, LIMB_EVENT_STICK, 0, 1);
  assert_close(e.time, 6.5 / 6.5, 0, 1e-11);
  (void)slides_next(sim, 5, LIMB_EVENT_STICK, 1, 1);
  slides_quiet(sim, 5);
  assert_that(slides_now(sim).v[0] == 0 && slides_now(sim).v[1] == 0);
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

// A stop on the driven side, through the gear.
START_TEST(loop_meets_a_stop)
{
  const slide s[2] = {{LIMB_PRISMATIC, 2, 0, 0, 0, 0, 0, 0, 0}, {LIMB_PRISMATIC, 0.5, 0, 0, 0, 0, 0, -6, 6}};
  limb_model* m = geared(s, 3);
  for (int stop = LIMB_STOP_HOLD; stop <= LIMB_STOP_IMPACT; stop += 2) {
    limb_sim_options o = slides_options(m);
    o.stop = (limb_stop)stop;
    limb_sim* sim = slides_start(m, &o, (double[]){0, 0}, (double[]){1, 3});
    const bool holds = stop == LIMB_STOP_HOLD;
    const limb_sim_event e = slides_next(sim, 5, holds ? LIMB_EVENT_STOP_REACHED : LIMB_EVENT_IMPACT, 1, 1);
    assert_close(e.time, 2, 0, 1e-11);
    assert_close(e.after, holds ? 0 : -1.5, 1e-12, 0);
    assert_close(slides_now(sim).v[0], holds ? 0 : -0.5, 1e-12, 1e-13);
    slides_quiet(sim, 5);
    assert_close(slides_now(sim).q[0], holds ? 2 : 0.5, 0, 1e-10);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("friction", 1, block_on_an_incline, spring_and_friction, ramp_lets_go, jump_lets_go, short_rest_is_seen,
           sticks_on_a_spring, event_at_a_break, pendulum_comes_to_rest, chain_with_friction_everywhere,
           long_chain_is_let_go, upper_block_is_taken_along, given_motion_feels_friction, smooth_friction_has_no_events,
           loop_sticks_with_all_its_friction, loop_comes_to_rest, loop_meets_a_stop)
