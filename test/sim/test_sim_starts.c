// How simulations begin and end: what is put right at a start, what is refused, what they say about it.
#include "limb/limb.h"
#include "robust/purse.h"
#include "sim/runs.h"
#include "sim/slides.h"

// ---- what is put right -----------------------------------------------------------------------------------

// A quaternion that is nearly of unit norm is one from the start; one that is far from it is refused.
START_TEST(quaternions)
{
  stage at = stage_make("quadruped");
  limb_error err = {0};
  for (int k = 0; k < RUN_ALL; k++) {
    if (!limb_sim_has_method(run_methods[k])) continue;
    const limb_sim_options o = run_options(&at, run_methods[k]);
    stage near = at, far = at, now = at;
    for (int i = 3; i < 7; i++) near.q[i] *= 1 + 1e-5, far.q[i] *= 1.5;
    limb_sim* sim = run_create(&at, &o);
    run_start(sim, &near);
    run_state(sim, &now);
    assert_close_array(now.q, at.q, at.nq, 1e-14, 1e-14);
    assert_status(limb_sim_start(sim, 0, far.q, at.v, &err), LIMB_E_ARG);
    assert_that(strstr(err.text, "quaternion") && strstr(limb_sim_error(sim), "quaternion"));
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

typedef struct law {
  double place, rate;
} law;

static limb_status follow(void* context, double t, double* q, double* v, double* a)
{
  const law* l = context;
  q[0] = l->place + l->rate * t, v[0] = l->rate, a[0] = 0;
  return LIMB_OK;
}

// Motion that is given replaces q and v of its joints; loops are closed by the others, when they can.
START_TEST(given_motion_is_somewhere_else)
{
  static const char* const names[] = {"planar_2r", "four_bar"};
  for (int k = 0; k < 2; k++) {
    stage at = stage_make(names[k]);
    const limb_sim_options o = run_options(&at, LIMB_SIM_RK4);
    unsigned char given[RUN_MOST] = {1};
    law l = {at.q[0] + 0.05, 0.3};
    limb_error err = {0};
    limb_sim* sim = run_create(&at, &o);
    assert_ok(limb_sim_set_motion(sim, given, follow, &l, NULL));
    memset(at.v, 0, sizeof at.v);
    check_at("%s", names[k]);
    run_start(sim, &at);
    limb_sim_state now = run_now(sim);
    assert_that(now.q[0] == l.place && now.v[0] == l.rate);
    if (k == 0) assert_that(now.q[1] == at.q[1] && now.v[1] == 0);
    if (k == 1) {
      limb_loop_info loop;
      assert_ok(limb_get_loop(at.m, 0, &loop));
      assert_that(run_summary(sim).position_residual < 1e-12 && now.q[1] != at.q[1]);
      l.place += 3;
      assert_status(limb_sim_start(sim, 0, at.q, NULL, &err), LIMB_E_NOCONV);
      assert_that(strstr(err.text, "prescribed") && strstr(err.text, loop.def.name));
    }
    limb_sim_destroy(sim);
    limb_model_destroy(at.m);
  }
}
END_TEST

// ---- what is refused -------------------------------------------------------------------------------------

static void assert_refused(const limb_model* m, const limb_sim_options* o, limb_status why, const char* word)
{
  limb_sim* sim = NULL;
  limb_error err = {0};
  const limb_status s = limb_sim_create(m, o, NULL, &sim, &err);
  check_at("%s: %s", word, err.text);
  assert_status(s, why);
  assert_that(!sim && strstr(err.text, word));
}

START_TEST(environments)
{
  stage at = stage_make("planar_2r");
  limb_sim_options o = limb_default_sim_options(at.m);
  const limb_wrench nowhere = {77, LIMB_WORLD, {{0, 0, 0}, {0, 0, 0}}};
  o.env.nwrench = -1;
  assert_refused(at.m, &o, LIMB_E_ARG, "nwrench");
  o.env.nwrench = 1;
  assert_refused(at.m, &o, LIMB_E_ARG, "NULL");
  o.env.wrench = &nowhere;
  assert_refused(at.m, &o, LIMB_E_ARG, "wrenches");
  o.env.nwrench = 0, o.env.nlaw = -1;
  assert_refused(at.m, &o, LIMB_E_ARG, "nlaw");
  o.env.nlaw = 1;
  assert_refused(at.m, &o, LIMB_E_ARG, "NULL");
  o.env.nlaw = 0, o.env.gravity.x = nan("");
  assert_refused(at.m, &o, LIMB_E_NONFINITE, "gravity");
  limb_model_destroy(at.m);
}
END_TEST

// Friction that jumps is no smooth friction.
START_TEST(smooth_friction_needs_a_width)
{
  const slide part = {.type = LIMB_PRISMATIC, .mass = 1, .coulomb = 2};
  limb_model* m = slides_build(1, &part, 1, 0);
  limb_sim* sim = NULL;
  limb_sim_options o = limb_default_sim_options(m);
  o.stiction = LIMB_STICTION_SMOOTH;
  assert_refused(m, &o, LIMB_E_ARG, "coulomb_width");
  o.env.friction = 0;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  limb_sim_destroy(sim);
  o.env.friction = 1, o.env.coulomb_width = 0.01;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  limb_sim_destroy(sim);
  limb_model_destroy(m);
}
END_TEST

static limb_status not_for_long(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  tau[0] += t > 0.25 ? nan("") : 0;
  return LIMB_OK;
}

// Nobody needs the force on a joint that sticks to know that it does not move; it is looked at all the same.
START_TEST(forces_on_joints_that_stick)
{
  const slide part = {.type = LIMB_PRISMATIC, .mass = 1, .coulomb = 5};
  stage at = {.m = slides_build(1, &part, 1, 0), .nq = 1, .nv = 1};
  const limb_sim_force f = {.force = not_for_long};
  for (int k = 0; k < RUN_ALL; k++) {
    if (!limb_sim_has_method(run_methods[k])) continue;
    limb_sim_options o = limb_default_sim_options(at.m);
    limb_sim_event e;
    o.method = run_methods[k];
    limb_sim* sim = run_create(&at, &o);
    assert_ok(limb_sim_add_force(sim, &f));
    run_start(sim, &at);
    check_at("%s", limb_sim_method_name(o.method));
    assert_status(limb_sim_advance(sim, 1, &e), LIMB_E_NONFINITE);
    assert_that(limb_sim_error(sim)[0] && run_now(sim).time <= 0.25 + 1e-6);
    limb_sim_destroy(sim);
  }
  limb_model_destroy(at.m);
}
END_TEST

// ---- what they say ---------------------------------------------------------------------------------------

static limb_status at_will(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)t, (void)q, (void)v, (void)tau;
  return *(const int*)context ? LIMB_E_IO : LIMB_OK;
}

START_TEST(sentences)
{
  stage at = stage_make("planar_2r");
  const limb_sim_options o = run_options(&at, LIMB_SIM_RK4);
  const double bad[2] = {nan(""), 0};
  int fails = 0;
  const limb_sim_force f = {.force = at_will, .context = &fails};
  limb_sim_state now;
  limb_sim* sim = run_create(&at, &o);
  assert_ok(limb_sim_add_force(sim, &f));
  assert_status(limb_sim_start(sim, 0, bad, NULL, NULL), LIMB_E_NONFINITE);
  assert_that(strstr(limb_sim_error(sim), "finite") != NULL);
  run_start(sim, &at);
  assert_that(!limb_sim_error(sim)[0]);
  assert_status(limb_sim_advance(sim, -1, NULL), LIMB_E_ARG);
  assert_that(strstr(limb_sim_error(sim), "time") != NULL);
  run_to(sim, 0.1);
  assert_that(!limb_sim_error(sim)[0]);
  fails = 1;
  assert_status(limb_sim_now(sim, &now), LIMB_E_IO);
  assert_that(limb_sim_error(sim)[0] && now.time == 0.1 && now.q && !now.a);
  fails = 0;
  run_to(sim, 0.2);
  assert_that(!limb_sim_error(sim)[0]);
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}
END_TEST

static double soon(void* context, const limb_sim_state* at)
{
  (void)context;
  return at->time - 0.1;
}

// Who is not told of events can ask.
START_TEST(over)
{
  stage at = stage_make("planar_2r");
  const limb_sim_options o = run_options(&at, LIMB_SIM_RK4);
  const limb_sim_condition c = {.value = soon, .ends = 1};
  limb_sim* sim = run_create(&at, &o);
  assert_that(!limb_sim_over(NULL) && !limb_sim_over(sim));
  assert_ok(limb_sim_add_condition(sim, &c, NULL));
  for (int pass = 0; pass < 2; pass++) {
    run_start(sim, &at);
    assert_ok(limb_sim_advance(sim, 0.05, NULL));
    assert_that(!limb_sim_over(sim));
    assert_ok(limb_sim_advance(sim, 1, NULL));
    assert_that(limb_sim_over(sim) == 1 && fabs(run_now(sim).time - 0.1) < 1e-9);
  }
  limb_sim_destroy(sim);
  limb_model_destroy(at.m);
}
END_TEST

// ---- memory ----------------------------------------------------------------------------------------------

// AUTO chooses one method and another by turns: what they need is taken once.
START_TEST(memory_of_many_starts)
{
  const slide part = {.type = LIMB_PRISMATIC, .mass = 1, .coulomb = 2};
  stage at = {.m = slides_build(1, &part, 1, 0), .nq = 1, .nv = 1};
  limb_sim_options o = limb_default_sim_options(at.m);
  purse p = {.budget = -1};
  const limb_allocator alloc = {purse_alloc, purse_free, &p};
  limb_sim* sim = NULL;
  limb_sim_method method[2] = {LIMB_SIM_AUTO, LIMB_SIM_AUTO};
  long granted = 0;
  o.stiction = LIMB_STICTION_SMOOTH, o.env.coulomb_width = 1e-5;
  assert_ok(limb_sim_create(at.m, &o, &alloc, &sim, NULL));
  for (int k = 0; k < 10; k++) {
    at.v[0] = k % 2 ? 5 : 0; // friction is stiff about rest only
    run_start(sim, &at);
    run_to(sim, 0.01);
    method[k % 2] = run_summary(sim).method;
    if (k == 1) granted = p.granted;
  }
  assert_that(method[0] != method[1]);
  assert_that(p.granted == granted);
  limb_sim_destroy(sim);
  assert_that(p.alive == 0 && !p.misused);
  limb_model_destroy(at.m);
}
END_TEST

// The first joint is given; the others close the loops, and a simulation starts there.
START_TEST(start_is_closed)
{
  stage at = stage_make("four_bar");
  unsigned char held[8] = {1}, moves[8] = {1};
  limb_start_given given = {.q = held, .v = moves, .restarts = 20};
  limb_error err = {0};
  const double q0 = at.q[0];
  for (int k = 1; k < at.nq; k++) at.q[k] += 0.05;
  for (int k = 0; k < at.nv; k++) at.v[k] = k == 0;
  assert_ok(limb_sim_close_start(at.m, &given, at.q, at.v, &err));
  assert_that(at.q[0] == q0 && at.v[0] == 1);
  const limb_sim_options o = run_options(&at, LIMB_SIM_RK4);
  limb_sim* sim = run_create(&at, &o);
  assert_ok(limb_sim_start(sim, 0, at.q, at.v, &err));
  limb_sim_destroy(sim);

  moves[1] = 1, at.v[1] += 1;
  assert_status(limb_sim_close_start(at.m, &given, at.q, at.v, &err), LIMB_E_NOCONV);
  assert_that(strstr(err.text, "velocity of"));
  held[1] = 1, at.q[1] += 100;
  assert_status(limb_sim_close_start(at.m, &given, at.q, at.v, &err), LIMB_E_NOCONV);
  assert_that(strstr(err.text, "loop"));
  assert_status(limb_sim_close_start(at.m, NULL, at.q, at.v, &err), LIMB_E_ARG);
  limb_model_destroy(at.m);
}
END_TEST

CHECK_MAIN("sim/starts", 1, quaternions, given_motion_is_somewhere_else, environments, smooth_friction_needs_a_width,
           forces_on_joints_that_stick, sentences, over, memory_of_many_starts, start_is_closed)
