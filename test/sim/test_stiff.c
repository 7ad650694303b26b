// Stiff robots: what implicit methods save, and what AUTO makes of them.
//
// An arm of two links whose motors turn them through shafts of 1e6 N m/rad, with Coulomb friction at the
// links, one of which turns round on the way. Small rotors: what the shafts do is over within some 1e-5 s.
// Explicit methods have to follow that, though the arm moves within tenths of a second.
//
// Evaluations are counted as if derivatives came from differences: 2 nv for each. The analytic ones cost
// less.
#include "limb/limb.h"
#include "limb/sim.h"
#include "support/check.h"
#include "support/robots.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { NV = 4, LINKS = 2 };

static const double duration = 1;

typedef struct springs {
  double stiffness, damping;
  double coulomb, motor; // friction of links and motors
} springs;

static const springs stiff = {1e6, 20, 0.5, 0};

static limb_model* build_arm(const springs* s)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  const char *body[LINKS] = {"upper", "fore"}, *joint[LINKS] = {"shoulder", "elbow"};
  const double mass[LINKS] = {2, 1}, inertia[LINKS] = {0.2, 0.1};
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_set_gravity(b, sp_v3(0, -9.81, 0)));
  for (int k = 0; k < LINKS; k++) {
    limb_body_def def = limb_default_body_def(body[k]);
    def.inertia.mass = mass[k];
    def.inertia.com = sp_v3(0.25, 0, 0);
    def.inertia.xx = def.inertia.yy = def.inertia.zz = inertia[k];
    assert_ok(limb_builder_add_body(b, &def, NULL, &err));
  }
  for (int k = 0; k < LINKS; k++) {
    limb_joint_def def = limb_default_joint_def(joint[k], LIMB_REVOLUTE, k, k + 1);
    def.placement.p = sp_v3(k * 0.5, 0, 0);
    def.axis = sp_v3(0, 0, 1);
    def.viscous = 0.1, def.coulomb = s->coulomb;
    assert_ok(limb_builder_add_joint(b, &def, NULL, &err));
  }
  for (int k = 0; k < LINKS; k++) {
    limb_motor_def def = limb_default_motor_def(k);
    def.rotor_inertia = 1e-4;
    def.stiffness = s->stiffness, def.damping = s->damping, def.coulomb = s->motor;
    assert_ok(limb_builder_add_motor(b, &def, NULL, &err));
  }
  assert_ok(limb_builder_build(b, &m, &err));
  limb_builder_destroy(b);
  assert_that(limb_nv(m) == NV);
  return m;
}

static limb_status drive(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)context, (void)q, (void)v;
  tau[LINKS] += 9.8 + 4 * sin(3 * t);
  tau[LINKS + 1] += 2.4 + 1.5 * cos(2.2 * t);
  return LIMB_OK;
}

static limb_sim* make(const limb_model* m, const limb_sim_options* o)
{
  const double q[NV] = {0.2, -0.5, 0.2, -0.5};
  const limb_sim_force f = {.force = drive};
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &f));
  assert_ok(limb_sim_start(sim, 0, q, NULL, NULL));
  return sim;
}

// ---- evaluations -----------------------------------------------------------------------------------------

// The end of a run, and what it cost. False when it did not get there.
typedef struct run_end {
  double x[2 * NV], evaluations;
  uint64_t events;
} run_end;

static bool run(const limb_model* m, const limb_sim_options* o, run_end* end)
{
  limb_sim* sim = make(m, o);
  limb_sim_state now;
  limb_sim_summary sum;
  const bool done = limb_sim_advance(sim, duration, NULL) == LIMB_OK;
  if (done) {
    assert_ok(limb_sim_summary_of(sim, &sum));
    assert_ok(limb_sim_now(sim, &now));
    memcpy(end->x, now.q, NV * sizeof *now.q);
    memcpy(end->x + NV, now.v, NV * sizeof *now.v);
    end->evaluations = (double)(sum.evaluations + 2 * NV * sum.derivatives);
    end->events = sum.events;
  }
  limb_sim_destroy(sim);
  return done;
}

static double distance(const run_end* a, const run_end* b)
{
  double most = 0;
  for (int k = 0; k < 2 * NV; k++) {
    const double error = fabs(a->x[k] - b->x[k]);
    most = error <= most ? most : error; // keeps NaN
  }
  return most;
}

// The fewest evaluations with which a method comes within an error of the end: longer steps, or wider
// tolerances, first. HUGE_VAL when it never does.
static double fewest(const limb_model* m, limb_sim_method method, double error, const run_end* exact)
{
  const bool fixed = limb_sim_method_order(method) > 0;
  double x = method == LIMB_SIM_RK4 ? 5e-5 : fixed ? 0.1 : 1e-3;
  for (int tries = 0; tries < 40; tries++, x /= fixed ? 1.25 : 2) {
    limb_sim_options o = limb_default_sim_options(m);
    run_end end;
    o.method = method;
    if (fixed)
      o.step = x;
    else
      o.relative = x, o.absolute = x / 100;
    if (run(m, &o, &end) && distance(&end, exact) <= error) return end.evaluations;
  }
  return HUGE_VAL;
}

START_TEST(implicit_methods_save_evaluations)
{
  limb_model* m = build_arm(&stiff);
  limb_sim_options o = limb_default_sim_options(m);
  run_end exact, again;
  o.method = LIMB_SIM_RK4, o.step = 1e-5;
  assert_that(run(m, &o, &exact));
  assert_that(exact.events >= 1);
  o.method = LIMB_SIM_IMPLICIT, o.step = 2e-4;
  assert_that(run(m, &o, &again));
  assert_that(distance(&again, &exact) < 1e-9);
  const double rough = 1e-4, fine = 1e-7;
  const double by_rk4 = fewest(m, LIMB_SIM_RK4, fine, &exact);
  assert_that(by_rk4 == fewest(m, LIMB_SIM_RK4, rough, &exact)); // longer steps explode
  const double implicit = fewest(m, LIMB_SIM_IMPLICIT, rough, &exact);
  check_at("rk4 %g, implicit %g", by_rk4, implicit);
  assert_that(by_rk4 >= 100 * implicit);
  if (limb_sim_has_method(LIMB_SIM_BDF)) {
    const double bdf = fewest(m, LIMB_SIM_BDF, fine, &exact);
    check_at("rk4 %g, bdf %g", by_rk4, bdf);
    assert_that(by_rk4 >= 100 * bdf);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- AUTO ------------------------------------------------------------------------------------------------

// What it chooses, and that it says why.
static void check_choice(limb_sim* sim, limb_sim_method want, limb_sim_method without)
{
  limb_sim_summary sum;
  assert_ok(limb_sim_summary_of(sim, &sum));
  check_at("%s: %s", limb_sim_method_name(sum.method), sum.because);
  assert_that(sum.method == (limb_sim_has_method(LIMB_SIM_ERK) ? want : without));
  assert_that(strlen(sum.because) > 10);
  limb_sim_destroy(sim);
}

START_TEST(auto_by_stiffness)
{
  const springs vibrates = {1e6, 0, 0.5, 0}, soft = {1, 0.01, 0.5, 0}, sticks = {1e6, 20, 50, 50};
  const springs* const all[] = {&stiff, &vibrates, &soft, &sticks};
  const limb_sim_method want[] = {LIMB_SIM_BDF, LIMB_SIM_ERK, LIMB_SIM_ERK, LIMB_SIM_BDF};
  const limb_sim_method without[] = {LIMB_SIM_IMPLICIT, LIMB_SIM_IMPLICIT, LIMB_SIM_RK4, LIMB_SIM_IMPLICIT};
  for (int k = 0; k < 4; k++) {
    limb_model* m = build_arm(all[k]);
    limb_sim_options o = limb_default_sim_options(m);
    check_choice(make(m, &o), want[k], without[k]);
    o.step = 0; // to be found
    check_choice(make(m, &o), want[k], without[k]);
    limb_model_destroy(m);
  }
}
END_TEST

// Friction with a narrow width is as stiff as any spring; exact friction is not.
START_TEST(auto_by_friction)
{
  limb_model* m = robot_puma560();
  limb_sim_options o = limb_default_sim_options(m);
  const double q[6] = {0};
  for (int smooth = 0; smooth < 2; smooth++) {
    limb_sim* sim = NULL;
    if (smooth) o.stiction = LIMB_STICTION_SMOOTH, o.env.coulomb_width = 1e-3;
    assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
    assert_ok(limb_sim_start(sim, 0, q, NULL, NULL));
    check_choice(sim, smooth ? LIMB_SIM_BDF : LIMB_SIM_ERK, smooth ? LIMB_SIM_IMPLICIT : LIMB_SIM_RK4);
  }
  limb_model_destroy(m);
}
END_TEST

// A controller that is sampled makes multistep methods begin anew all the time.
START_TEST(auto_by_samples)
{
  limb_model* m = build_arm(&stiff);
  const limb_sim_options o = limb_default_sim_options(m);
  const limb_sim_force f = {.force = drive, .period = 1e-2};
  const double q[NV] = {0};
  limb_sim* sim = NULL;
  assert_ok(limb_sim_create(m, &o, NULL, &sim, NULL));
  assert_ok(limb_sim_add_force(sim, &f));
  assert_ok(limb_sim_start(sim, 0, q, NULL, NULL));
  check_choice(sim, LIMB_SIM_IMPLICIT, LIMB_SIM_IMPLICIT);
  limb_model_destroy(m);
}
END_TEST

// Long chains, and robots that nothing moves. A method that is asked for needs no reason.
START_TEST(auto_at_the_edges)
{
  limb_model* const all[] = {robot_chain(1000), robot_scara(), robot_quadruped()};
  for (int k = 0; k < 3; k++) {
    limb_sim_options o = limb_default_sim_options(all[k]);
    static double q[1000];
    limb_sim* sim = NULL;
    limb_sim_summary sum;
    assert_ok(limb_neutral(all[k], q));
    assert_ok(limb_sim_create(all[k], &o, NULL, &sim, NULL));
    assert_ok(limb_sim_start(sim, 0, q, NULL, NULL));
    check_choice(sim, LIMB_SIM_ERK, LIMB_SIM_RK4);
    o.method = LIMB_SIM_RK4;
    assert_ok(limb_sim_create(all[k], &o, NULL, &sim, NULL));
    assert_ok(limb_sim_start(sim, 0, q, NULL, NULL));
    assert_ok(limb_sim_summary_of(sim, &sum));
    assert_that(sum.method == LIMB_SIM_RK4 && !strcmp(sum.because, ""));
    limb_sim_destroy(sim);
    limb_model_destroy(all[k]);
  }
}
END_TEST

CHECK_MAIN("sim/stiff", 1, implicit_methods_save_evaluations, auto_by_stiffness, auto_by_friction, auto_by_samples,
           auto_at_the_edges)
