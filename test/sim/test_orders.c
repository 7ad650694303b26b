// Every fixed-step method converges with its nominal order: on trees, free bodies and loops, with and without
// forces that depend on time and state.
//
// A run with n steps is compared with one of Runge-Kutta steps whose error is rounding. Steps are halved
// from run to run, and the observed order is the mean slope of log error over log h in the last two
// halvings before errors become rounding, too: there, terms of higher order have died away, but not always
// altogether. Those of the implicit method are large: its errors fall like h^5 while steps are long, on Bennett's
// linkage with slopes of 4.50, 4.38, 4.25 and 4.15, whatever the kernels. So a slope may be above the order by
// more than below it.
#include "sim/runs.h"

enum { FIRST = 8, LAST = 512, EXACT = 2048 }; // steps

typedef struct scene {
  const char* name;
  double duration;
} scene;

static const scene scenes[] = {
  {"planar_2r", 0.5},    {"panda", 0.2},    {"quadruped", 0.3},     {"two_roots", 0.1},
  {"tree_9", 0.2},       {"four_bar", 0.1}, {"five_bar", 0.3},      {"bennett", 1},
  {"rolling_disc", 0.4}, {"floating", 0.4}, {"gough_stewart", 0.1}, {"driven_arm", 0.3},
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

// A force that pushes and brakes.
static limb_status push(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)q;
  const int nv = *(const int*)context;
  for (int k = 0; k < nv; k++) tau[k] += 0.3 * sin(4 * t + k) - 0.2 * v[k];
  return LIMB_OK;
}

// A force that changes fast with time: linearly implicit methods need its rate, to the order of their own.
static limb_status shake(void* context, double t, const double* q, const double* v, double* tau)
{
  (void)v;
  const int nv = *(const int*)context;
  for (int k = 0; k < nv; k++) tau[k] += 3 * cos(40 * t + k) * (1 + 0.3 * q[k]);
  return LIMB_OK;
}

// The state after so many steps.
static void run(const stage* from, limb_sim_method method, double duration, int steps, limb_sim_force_fn* force,
                stage* to)
{
  limb_sim_options o = run_options(from, method);
  int nv = from->nv;
  o.step = duration / steps;
  o.project = 1e-14;
  limb_sim* sim = run_create(from, &o);
  const limb_sim_force f = {.force = force, .context = &nv};
  if (force) assert_ok(limb_sim_add_force(sim, &f));
  run_end(sim, from, duration, to);
}

static double observed_order(const stage* from, const stage* exact, const scene* s, limb_sim_method method,
                             limb_sim_force_fn* force)
{
  enum { LEFT = 3 };
  const double rounding = 1e-12;
  double error[LEFT] = {0};
  int runs = 0;
  for (int steps = FIRST; steps <= LAST; steps *= 2, runs++) {
    stage end;
    check_at("%s %s %s, %d steps", s->name, limb_sim_method_name(method),
             force == push ? "pushed"
             : force       ? "shaken"
                           : "free",
             steps);
    run(from, method, s->duration, steps, force, &end);
    const double e = stage_distance(exact, &end);
    if (e < rounding) break;
    memmove(error, error + 1, (LEFT - 1) * sizeof *error);
    error[LEFT - 1] = e;
  }
  assert_that(runs >= LEFT);
  return log2(error[0] / error[LEFT - 1]) / (LEFT - 1);
}

static void check_orders(const scene* s, limb_sim_force_fn* force)
{
  static const limb_sim_method methods[] = {LIMB_SIM_EULER, LIMB_SIM_SEMI_IMPLICIT, LIMB_SIM_RK4, LIMB_SIM_VARIATIONAL,
                                            LIMB_SIM_IMPLICIT};
  stage from = stage_make(s->name), exact;
  run(&from, LIMB_SIM_RK4, s->duration, EXACT, force, &exact);
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    const double nominal = limb_sim_method_order(methods[k]);
    const double observed = observed_order(&from, &exact, s, methods[k], force);
    check_at("%s %s: order %g, observed %g", s->name, limb_sim_method_name(methods[k]), nominal, observed);
    assert_that(observed > nominal - 0.15 && observed < nominal + 0.3);
  }
  limb_model_destroy(from.m);
}

// Under a sanitizer a scene is either free or pushed.
START_TEST(orders_of_free_motion)
{
  if (!CHECK_SANITIZED || _i % 2 == 0) check_orders(&scenes[_i], NULL);
}
END_TEST

START_TEST(orders_of_pushed_motion)
{
  if (!CHECK_SANITIZED || _i % 2 == 1) check_orders(&scenes[_i], push);
}
END_TEST

START_TEST(orders_of_shaken_motion)
{
  static const scene shaken[] = {{"planar_2r", 0.5}, {"panda", 0.2}, {"five_bar", 0.3}};
  if (_i < 3) check_orders(&shaken[_i], shake);
}
END_TEST

CHECK_MAIN("sim/orders", SCENES, orders_of_free_motion, orders_of_pushed_motion, orders_of_shaken_motion)
