// Motors and gearboxes, foundations, limits and the workspace at rest, against numbers by hand and other formulations.
#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

#include "limb/limb.h"
#include "limb/read.h"
#include "limb/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MAX_NV = 80 };

// A hinge about y with a weight of 1 kg at 1 m on x, and a rotor of the model; limits of torque, speed and position.
static limb_model* make(double rotor)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_body_def body = limb_default_body_def("arm");
  limb_joint_def joint = limb_default_joint_def("hinge", LIMB_REVOLUTE, 0, 1);
  body.inertia = limb_inertia_point(1, sp_v3(1, 0, 0));
  joint.axis = sp_v3(0, 1, 0);
  joint.rotor_inertia = rotor, joint.gear_ratio = 100;
  joint.effort_max = 5, joint.v_max = 2, joint.q_min = -1, joint.q_max = 3;
  assert_ok(limb_builder_create(NULL, &b));
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  return m;
}

static void add(limb_sizing* s, double time, double q, double v, double a, double tau)
{
  const sp_force load = {{0, 0, 0}, {0, 0, 0}};
  limb_sizing_add(s, &(limb_sizing_row){time, &q, &v, &tau, &load, NULL, &a});
}

static limb_sizing* begin(const limb_model* m, const limb_gearmotor* g)
{
  limb_sizing* s = NULL;
  assert_ok(limb_sizing_create(m, &s));
  if (g) assert_ok(limb_sizing_set_gearmotor(s, 0, g));
  return s;
}

// One period of a sine in 1000 steps: trapezoids are exact for periodic functions. RMS T / sqrt 2, power T V sin^2,
// cubic mean at constant speed T (4 / (3 pi))^(1/3).
START_TEST(sine)
{
  enum { STEPS = 1000 };
  const double T = 3, V = 2, N = 50;
  limb_model* m = make(0);
  const limb_gearmotor direct = {.joint = "hinge"}, geared = {.ratio = N};
  limb_sizing *s = begin(m, &direct), *constant = begin(m, &geared);
  limb_sizing_motor x;
  limb_sizing_dof d;
  for (int i = 0; i <= STEPS; i++) {
    const double t = (double)i / STEPS, y = sin(2 * PI * t);
    add(s, t, 0, V * y, 0, T * y);
    add(constant, t, 0, V, 0, T * y);
  }
  assert_ok(limb_sizing_get_motor(s, 0, &x));
  assert_close(x.torque_rms, T / sqrt(2), 1e-12, 0);
  assert_close(x.energy_delivered, T * V / 2, 1e-12, 0);
  assert_close(x.mean_power, T * V / 2, 1e-12, 0);
  assert_that(x.energy_absorbed == 0 && x.torque.value == T && x.power.value == T * V && x.overload == 0);
  assert_ok(limb_sizing_get_dof(s, 0, &d));
  assert_close(d.torque_rms, T / sqrt(2), 1e-12, 0);
  assert_close(d.moving, 1 - 2 * asin(1e-3 / V) / PI, 1e-6, 0);
  assert_ok(limb_sizing_get_motor(constant, 0, &x));
  assert_close(x.output_mean, T * cbrt(4 / (3 * PI)), 1e-9, 0);
  assert_close(x.torque_rms, T / N / sqrt(2), 1e-12, 0);
  assert_close(x.mean_speed, N * V, 1e-12, 0);
  const limb_sizing_total all = limb_sizing_get_total(constant);
  assert_close(all.delivered, T * V / PI, 1e-5, 0);
  assert_close(all.absorbed, T * V / PI, 1e-5, 0);
  assert_close(all.brake.value, -T * V, 1e-12, 0);
  limb_sizing_destroy(s);
  limb_sizing_destroy(constant);
  limb_model_destroy(m);
}
END_TEST

// Losses count against the motor while it drives or holds, and for it while it brakes; rotors are accelerated; the
// rotor of the file takes the place of that of the model.
START_TEST(gearbox)
{
  limb_model *light = make(0), *heavy = make(1e-4); // reflected: 1e-4 * 100^2 = 1 kg m^2
  const limb_gearmotor lossy = {.ratio = 50, .efficiency = 0.8, .inertia = 1e-3}, bare = {.ratio = 50};
  const struct {
    const limb_model* m;
    const limb_gearmotor* g;
    double v, a, tau, torque, output;
  } cases[] = {{light, &lossy, 2, 0, 10, 10 / (50 * 0.8), 10},
               {light, &lossy, -2, 0, 10, 10 * 0.8 / 50, 10},
               {light, &lossy, 0, 0, -10, -10 / (50 * 0.8), -10},
               {light, &lossy, 2, 3, 10, 10 / (50 * 0.8) + 1e-3 * 50 * 3, 10},
               {heavy, &lossy, 2, 3, 10, 7 / (50 * 0.8) + 1e-3 * 50 * 3, 7},
               {heavy, &bare, 2, 3, 10, 10.0 / 50, 7}}; // nothing is lost: torque of the joint by the ratio
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    limb_sizing* s = begin(cases[k].m, cases[k].g);
    limb_sizing_motor x;
    double speed = 0, torque = 0;
    add(s, 0, 0, cases[k].v, cases[k].a, cases[k].tau);
    assert_ok(limb_sizing_get_motor(s, 0, &x));
    assert_close(x.torque.value, cases[k].torque, 1e-14, 0);
    assert_close(x.torque_rms, fabs(cases[k].torque), 1e-14, 0);
    assert_close(x.output.value, cases[k].output, 1e-14, 0);
    assert_ok(limb_sizing_motor_now(s, 0, &speed, &torque));
    assert_that(speed == 50 * cases[k].v && torque == x.torque.value);
    limb_sizing_destroy(s);
  }
  limb_model_destroy(light);
  limb_model_destroy(heavy);
}
END_TEST

static const limb_sizing_check* find(const limb_sizing_check* list, int count, limb_sizing_limit limit)
{
  for (int k = 0; k < count; k++)
    if (list[k].limit == limit) return &list[k];
  return NULL;
}

// Constant torque up to the rated speed, constant power beyond it; three quarters of the time above the rated torque at
// that speed.
START_TEST(envelope)
{
  limb_model* m = make(0);
  const limb_gearmotor g = {.rated_torque = 1,
                            .peak_torque = 2,
                            .rated_speed = 1,
                            .max_speed = 1.5,
                            .output_peak = 4,
                            .output_mean = 1,
                            .input_speed = 4};
  limb_sizing* s = begin(m, &g);
  limb_sizing_check list[16];
  int count = 0;
  assert_close(limb_gearmotor_torque(&g, 1, -0.5), 2, 0, 0);
  assert_close(limb_gearmotor_torque(&g, 1, 4), 0.5, 1e-15, 0);
  assert_close(limb_gearmotor_torque(&g, 0, 4), 0.25, 1e-15, 0);
  assert_ok(limb_sizing_set_safety(s, 1.25));
  add(s, 0, 0, 2, 0, 0), add(s, 1, 3, 2, 0, 2);
  limb_sizing_motor x;
  assert_ok(limb_sizing_get_motor(s, 0, &x));
  assert_close(x.overload, 0.75, 1e-15, 0);
  assert_close(x.envelope.value, 2, 1e-15, 0); // 2 N m at twice the rated speed
  assert_ok(limb_sizing_checks(s, 16, list, &count));
  assert_that(count == 10 && list[1].limit == LIMB_SIZING_MOTOR_ENVELOPE && list[1].over);
  for (int k = 1; k < count; k++) assert_that(list[k].used <= list[k - 1].used);
  assert_close(list[1].used, 2.5, 1e-15, 0); // safety counts
  assert_close(list[1].bound, 1, 1e-15, 0);
  assert_close(find(list, count, LIMB_SIZING_MOTOR_PEAK)->used, 1.25, 1e-15, 0);
  assert_close(find(list, count, LIMB_SIZING_MOTOR_RMS)->used, 1.25 * 2 * sqrt(2), 1e-15, 0);
  assert_close(find(list, count, LIMB_SIZING_MOTOR_SPEED)->used, 2 / 1.5, 1e-15, 0); // but not for speeds
  assert_close(find(list, count, LIMB_SIZING_GEARBOX_PEAK)->used, 0.625, 1e-15, 0);
  assert_close(find(list, count, LIMB_SIZING_GEARBOX_MEAN)->used, 1.25 * cbrt(4.0), 1e-15, 0);
  assert_close(find(list, count, LIMB_SIZING_TORQUE)->used, 0.5, 1e-15, 0);
  const limb_sizing_check *q = find(list, count, LIMB_SIZING_POSITION), *v = find(list, count, LIMB_SIZING_SPEED);
  assert_that(q->used == 1 && !q->over && v->used == 1 && !v->over); // at the limit is within
  assert_ok(limb_sizing_checks(s, 0, NULL, &count));
  assert_that(count == 10);
  limb_sizing_destroy(s);
  limb_model_destroy(m);
}
END_TEST

// Curves by points: between them straight lines, beyond the last one nothing.
START_TEST(curves)
{
  limb_model* m = make(0);
  static const double rated[] = {1, 1, 3, 0.5}, peak[] = {0, 2, 2, 2, 4, 1};
  const limb_gearmotor g = {.rated_curve = {2, rated}, .peak_curve = {3, peak}};
  const double speed[] = {0, 1, 2, 3, 3.0001, -3}, rest[] = {1, 1, 0.75, 0.5, 0, 0.5},
               high[] = {2, 2, 2, 1.5, 1.49995, 1.5};
  for (int k = 0; k < 6; k++) {
    assert_close(limb_gearmotor_torque(&g, 0, speed[k]), rest[k], 1e-15, 0);
    assert_close(limb_gearmotor_torque(&g, 1, speed[k]), high[k], 1e-15, 0);
  }
  limb_sizing_motor x;
  limb_sizing_check list[16];
  int count = 0;
  for (int fast = 0; fast < 2; fast++) { // 1 N m at 3 rad/s; at 5 rad/s there is none
    limb_sizing* s = begin(m, &g);
    const double v = fast ? 5 : 3;
    add(s, 0, 0, v, 0, 1), add(s, 1, 3, v, 0, 1);
    assert_ok(limb_sizing_get_motor(s, 0, &x));
    assert_that(x.data.rated_torque == 1 && x.data.peak_torque == 2 && x.data.max_speed == 4 && x.overload == 1);
    assert_ok(limb_sizing_checks(s, 16, list, &count));
    const limb_sizing_check *rms = find(list, count, LIMB_SIZING_MOTOR_RMS),
                            *at_speed = find(list, count, LIMB_SIZING_MOTOR_ENVELOPE),
                            *most = find(list, count, LIMB_SIZING_MOTOR_SPEED);
    assert_that(rms && at_speed && most && most->over == fast && rms->over && at_speed->over == fast);
    assert_close(at_speed->value, 1, 1e-15, 0);
    assert_close(at_speed->bound, fast ? 0 : 1.5, 1e-15, 0);
    assert_close(rms->bound, fast ? 0 : 0.5, 1e-15, 0);
    assert_that(fast ? isinf(x.envelope.value) && isinf(rms->used) : fabs(at_speed->used - 1 / 1.5) < 1e-15);
    limb_sizing_destroy(s);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(arguments)
{
  static const double back[] = {1, 1, 1, 1}, negative[] = {0, -1}, endless[] = {HUGE_VAL, 1};
  limb_model *m = make(0), *dog = robot_find("quadruped")->make();
  limb_sizing* s = begin(m, NULL);
  const limb_gearmotor good = {.ratio = 2}, bad[] = {{.ratio = -1},
                                                     {.efficiency = 1.1},
                                                     {.inertia = nan("")},
                                                     {.rated_curve = {2, back}},
                                                     {.peak_curve = {1, negative}},
                                                     {.peak_curve = {1, endless}},
                                                     {.peak_curve = {-1, back}},
                                                     {.peak_curve = {1, NULL}}};
  limb_sizing_motor x;
  limb_sizing_base base;
  double y;
  int count;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_status(limb_sizing_set_gearmotor(s, 0, &bad[k]), LIMB_E_ARG);
  assert_status(limb_sizing_set_gearmotor(s, 1, &good), LIMB_E_ARG);
  assert_status(limb_sizing_get_motor(s, 0, &x), LIMB_E_UNSUPPORTED);
  assert_status(limb_sizing_motor_now(s, 0, &y, &y), LIMB_E_UNSUPPORTED);
  assert_status(limb_sizing_set_safety(s, 0.5), LIMB_E_ARG);
  assert_ok(limb_sizing_checks(s, 0, NULL, &count));
  assert_that(count == 0); // without a row nothing is used
  assert_status(limb_sizing_get_base(s, &base), LIMB_E_UNSUPPORTED);
  add(s, 0, 0, 0, 0, 0);
  assert_status(limb_sizing_set_gearmotor(s, 0, &good), LIMB_E_ORDER);
  assert_that(!limb_sizing_limit_words((limb_sizing_limit)99) && limb_sizing_limit_kind((limb_sizing_limit)-1) == -1);
  limb_sizing_destroy(s);
  s = NULL;
  assert_ok(limb_sizing_create(dog, &s));
  assert_status(limb_sizing_set_gearmotor(s, 0, &good), LIMB_E_UNSUPPORTED);
  limb_sizing_destroy(s);
  limb_model_destroy(m);
  limb_model_destroy(dog);
}
END_TEST

// Newton and Euler for the whole robot: the foundation carries m g - dh/dt, whatever the joints.
static void compare_base(const limb_model* m, uint64_t seed)
{
  double q[MAX_NV + 40], v[MAX_NV], a[MAX_NV], tau[MAX_NV] = {0};
  sp_force load[100], rate;
  sp_vec3 com;
  limb_data* d = NULL;
  limb_sizing* s = NULL;
  limb_sizing_base base;
  rng r = {seed};
  const limb_environment env = limb_default_environment(m);
  limb_facts facts;
  assert_ok(limb_sizing_create(m, &s));
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_random(m, &r.state, q));
  for (int k = 0; k < limb_nv(m); k++) v[k] = rng_uniform(&r, -1, 1), a[k] = rng_uniform(&r, -1, 1);
  assert_ok(limb_joint_reactions(d, q, v, a, NULL, LIMB_BODY, load));
  limb_sizing_add(s, &(limb_sizing_row){0, q, v, tau, load, NULL, a});
  assert_ok(limb_sizing_get_base(s, &base));
  assert_ok(limb_kinematics(d, q, v, a));
  assert_ok(limb_momentum_rate(d, 0, &rate));
  assert_ok(limb_center_of_mass(d, &com, NULL, NULL));
  assert_ok(limb_facts_of(m, &facts));
  const sp_vec3 weight = sp_scale3(facts.mass, env.gravity);
  const sp_vec3 f = sp_sub3(weight, rate.f), m0 = sp_sub3(sp_cross3(com, weight), rate.m);
  const sp_vec3 at = sp_sub3(m0, sp_cross3(base.point, f));
  assert_close_vec3(base.load.at_force.f, f, 1e-11, 1e-11);
  assert_close_vec3(base.load.at_force.m, at, 1e-10, 1e-11);
  assert_that(base.min[5] == base.max[5] && base.across == hypot(base.load.at_force.f.x, base.load.at_force.f.y));
  limb_sizing_destroy(s);
  limb_data_destroy(d);
}

// A part of the robot that moves about the world does not load the foundation.
static int moves(const limb_model* m)
{
  limb_joint_info x;
  for (int j = 0; limb_get_joint(m, j, &x) == LIMB_OK; j++)
    if (x.def.parent == LIMB_WORLD_BODY && (x.def.type == LIMB_FREE || x.def.type == LIMB_PLANAR)) return 1;
  return 0;
}

START_TEST(foundation)
{
  int count = 0, compared = 0;
  const robot* list = robot_table(&count);
  for (int k = 0; k < count; k++) {
    limb_sizing* s = NULL;
    limb_sizing_base base;
    if (list[k].nv >= MAX_NV || list[k].flags & ROBOT_FREE_BASE) continue;
    limb_model* m = list[k].make();
    const double zero[2 * MAX_NV] = {0};
    const sp_force none[100] = {{{0, 0, 0}, {0, 0, 0}}};
    assert_ok(limb_sizing_create(m, &s));
    limb_sizing_add(s, &(limb_sizing_row){0, zero, zero, zero, none, NULL, zero});
    const int stands = limb_sizing_get_base(s, &base) != LIMB_E_UNSUPPORTED;
    limb_sizing_destroy(s);
    if (stands && !moves(m)) compare_base(m, (uint64_t)k + 1), compared++;
    limb_model_destroy(m);
  }
  assert_that(compared > 8);
}
END_TEST

// Closures on the world carry a part of the weight; gravity is along -y or -z, and everything is at rest.
START_TEST(foundation_of_loops)
{
  static const char* const names[] = {"four_bar", "five_bar", "gough_stewart", "delta"};
  int compared = 0;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    limb_model* m = NULL;
    limb_sizing* s = NULL;
    limb_evaluator* e = NULL;
    limb_sizing_base base;
    limb_facts facts;
    double q[MAX_NV + 40], zero[MAX_NV] = {0}, x[2000];
    if (limb_load(names[k], NULL, &m, NULL) != LIMB_OK) continue;
    const int joints = limb_joint_count(m), loops = limb_loop_count(m);
    sp_force f[200];
    assert_ok(limb_closed_start(m, q));
    assert_ok(limb_evaluator_create(m, NULL, NULL, &e));
    assert_ok(limb_evaluator_add(e, "reactions@body", NULL, NULL, NULL));
    assert_ok(limb_evaluator_add(e, "loop_loads@body", NULL, NULL, NULL));
    assert_ok(limb_evaluator_run(e, &(limb_state){.q = q, .v = zero, .a = zero}, x));
    for (int i = 0; i < joints + loops; i++) {
      const double* w = x + 6 * i;
      f[i] = sp_force_make(sp_v3(w[0], w[1], w[2]), sp_v3(w[3], w[4], w[5]));
    }
    assert_ok(limb_sizing_create(m, &s));
    limb_sizing_add(s, &(limb_sizing_row){0, q, zero, zero, f, f + joints, zero});
    assert_ok(limb_sizing_get_base(s, &base));
    assert_ok(limb_facts_of(m, &facts));
    const sp_vec3 g = limb_default_environment(m).gravity;
    assert_close_vec3(base.load.at_force.f, sp_scale3(facts.mass, g), 1e-9, 1e-12);
    compared++;
    limb_sizing_destroy(s);
    limb_evaluator_destroy(e);
    limb_model_destroy(m);
  }
  assert_that(compared >= 2);
}
END_TEST

// The pendulum is heaviest when it is level, and reaches as far as its frames; never below a random state.
START_TEST(at_rest)
{
  limb_model *m = make(0), *ur5 = robot_ur5(), *loop = NULL;
  double q = 0, random[6], tau[6];
  limb_extreme torque = {.q = &q}, arm[6] = {{0, 0, NULL}}, reach = {0, 0, NULL};
  limb_data* d = NULL;
  uint64_t seed = 7;
  assert_ok(limb_rest_extremes(m, NULL, &torque, &reach));
  assert_close(fabs(torque.value), 9.81, 1e-12, 0);
  assert_close(q, torque.value < 0 ? 0 : PI, 0, 1e-7); // within -1 ... 3: level at 0 only
  assert_that(torque.value < 0);
  assert_ok(limb_rest_extremes(ur5, NULL, arm, &reach));
  assert_ok(limb_data_create(ur5, NULL, &d));
  for (int i = 0; i < 20000; i++) {
    sp_pose X;
    assert_ok(limb_random(ur5, &seed, random));
    assert_ok(limb_gravity_forces(d, random, NULL, tau));
    assert_ok(limb_kinematics(d, random, NULL, NULL));
    for (int k = 0; k < 6; k++) assert_that(fabs(tau[k]) <= fabs(arm[k].value) * (1 + 1e-9) + 1e-9);
    for (int k = 0; k < limb_frame_count(ur5); k++) {
      assert_ok(limb_frame_pose(d, k, &X));
      assert_that(sp_norm3(X.p) <= reach.value * (1 + 1e-9));
    }
  }
  assert_close(arm[0].value, 0, 0, 1e-12); // about the vertical
  limb_facts facts;
  assert_ok(limb_facts_of(ur5, &facts));
  assert_that(reach.value <= facts.reach);
  assert_status(limb_rest_extremes(m, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_rest_extremes(NULL, NULL, &torque, NULL), LIMB_E_ARG);
  assert_ok(limb_load("four_bar", NULL, &loop, NULL));
  assert_status(limb_rest_extremes(loop, NULL, NULL, &reach), LIMB_E_UNSUPPORTED);
  limb_data_destroy(d);
  limb_model_destroy(m);
  limb_model_destroy(ur5);
  limb_model_destroy(loop);
}
END_TEST

static const limb_sizing_check* find_check(const limb_sizing_check* c, int n, limb_sizing_limit limit)
{
  for (int k = 0; k < n; k++)
    if (c[k].limit == limit) return &c[k];
  ck_abort_msg("no such check");
  return NULL;
}

// Faster from 0 to 1 at 4, slower at -7, both for half a second; the jerk between rows is 11 in 0.5.
START_TEST(limits_of_acceleration)
{
  limb_builder* b = NULL;
  limb_model *m = make(0), *limited = NULL;
  limb_joint_def def;
  assert_ok(limb_builder_from_model(m, NULL, &b));
  assert_ok(limb_builder_get_joint(b, 0, &def));
  def.a_max = 5, def.deceleration_max = 6, def.jerk_max = 44;
  assert_ok(limb_builder_set_joint(b, 0, &def, NULL));
  assert_ok(limb_builder_build(b, &limited, NULL));
  limb_sizing* s = begin(limited, NULL);
  limb_sizing_check check[20];
  int n = 0;
  add(s, 0, 0, 1, 4, 0);
  add(s, 0.5, 0.5, 1, -7, 0);
  assert_ok(limb_sizing_checks(s, 20, check, &n));
  const limb_sizing_check* c = find_check(check, n, LIMB_SIZING_ACCELERATION);
  assert_that(c->value == 4 && c->bound == 5 && c->time == 0 && !c->over);
  c = find_check(check, n, LIMB_SIZING_DECELERATION);
  assert_that(c->value == -7 && c->bound == 6 && c->time == 0.5 && c->over);
  c = find_check(check, n, LIMB_SIZING_JERK);
  assert_that(c->value == -22 && c->used == 0.5);
  limb_sizing_destroy(s);
  limb_builder_destroy(b);
  limb_model_destroy(limited);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("sizing_motor", 1, limits_of_acceleration, sine, gearbox, envelope, curves, arguments, foundation,
           foundation_of_loops, at_rest)
