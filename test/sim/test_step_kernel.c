// The Runge-Kutta step of the batch, over double: displacements are those of limb_integrate at any angle,
// steps those of LIMB_SIM_RK4, and their order is 4. Robots with ball, free and mimic joints.
#include "sim/runs.h"
#include "support/rng.h"

#include "kernel/arc.h"
#include "model/model_impl.h"

#include "kernel/batch_tables.h"
#include "kernel/step_kernel.h"

// What acts on a robot: forces that are held, and friction.
typedef struct scene {
  limb_data* d;
  limb_environment env;
  double tau[RUN_MOST];
} scene;

static void fall(void* context, const double* q, const double* v, double* a)
{
  scene* s = context;
  assert_ok(limb_forward_dynamics(s->d, q, v, s->tau, &s->env, a));
}

static limb_status hold(void* context, double t, const double* q, const double* v, double* tau)
{
  const scene* s = context;
  (void)t, (void)q, (void)v;
  for (int k = 0; k < limb_nv(limb_data_model(s->d)); k++) tau[k] += s->tau[k];
  return LIMB_OK;
}

static scene scene_make(const stage* at)
{
  scene s = {.env = run_options(at, LIMB_SIM_RK4).env};
  assert_ok(limb_data_create(at->m, NULL, &s.d));
  for (int k = 0; k < at->nv; k++) s.tau[k] = 0.3 * cos(2 * k);
  return s;
}

static void walk(const stage* from, scene* s, double duration, int steps, stage* to)
{
  double room[8 * RUN_MOST];
  assert_that(limb_step_scalars(from->nq, from->nv) <= sizeof room / sizeof *room);
  *to = *from;
  for (int k = 0; k < steps; k++) rk4_step(from->m, duration / steps, fall, s, to->q, to->v, room);
}

static void simulate(const stage* from, scene* s, double duration, int steps, stage* to)
{
  limb_sim_options o = run_options(from, LIMB_SIM_RK4);
  o.step = duration / steps;
  limb_sim* sim = run_create(from, &o);
  const limb_sim_force f = {.force = hold, .context = s};
  assert_ok(limb_sim_add_force(sim, &f));
  run_end(sim, from, duration, to);
}

static const char* const names[] = {"planar_2r", "panda",  "quadruped", "two_roots",    "hand",
                                    "humanoid",  "tree_9", "tree_16",   "tree_12_mimic"};

enum { NAMES = sizeof names / sizeof names[0] };

// ---- displacements ----------------------------------------------------------------------------------------

// Steps of every size: angles from none at all to a turn and a half, across the limits of the series.
START_TEST(displacements_are_those_of_the_manifold)
{
  static const double sizes[] = {0, 1e-170, 1e-17, 1e-8, 1e-3, 0.03, 0.1999, 0.2001, 0.6, 1, 2, 5};
  stage at = stage_make(names[_i]);
  rng r = {(uint64_t)_i + 1};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    double u[RUN_MOST], got[RUN_MOST], want[RUN_MOST];
    for (int i = 0; i < at.nv; i++) u[i] = sizes[k] * rng_uniform(&r, -1, 1);
    check_at("%s, steps of %g", names[_i], sizes[k]);
    displace(at.m, at.q, u, at.v, got, NULL);
    assert_ok(limb_integrate(at.m, at.q, u, 1, want));
    assert_close_array(got, want, at.nq, 1e-14, 0);
  }
  limb_model_destroy(at.m);
}
END_TEST

// q0 (+) (u + e u') is (q0 (+) u) (+) e v but for e^2
START_TEST(rates_are_those_of_local_coordinates)
{
  static const double sizes[] = {0, 1e-12, 1e-3, 0.1, 0.3, 1, 2};
  const double e = 1e-5;
  stage at = stage_make(names[_i]);
  rng r = {(uint64_t)_i + 1};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    double u[RUN_MOST], du[RUN_MOST], q[RUN_MOST], to[2][RUN_MOST], got[RUN_MOST];
    for (int i = 0; i < at.nv; i++) u[i] = sizes[k] * rng_uniform(&r, -1, 1);
    check_at("%s, steps of %g", names[_i], sizes[k]);
    displace(at.m, at.q, u, at.v, q, du);
    for (int side = 0; side < 2; side++) {
      double x[RUN_MOST];
      for (int i = 0; i < at.nv; i++) x[i] = u[i] + (side ? e : -e) * du[i];
      assert_ok(limb_integrate(at.m, at.q, x, 1, to[side]));
    }
    assert_ok(limb_difference(at.m, to[0], to[1], got));
    for (int i = 0; i < at.nv; i++) got[i] /= 2 * e;
    assert_close_array(got, at.v, at.nv, 0, 1e-8);
  }
  limb_model_destroy(at.m);
}
END_TEST

// ---- steps ------------------------------------------------------------------------------------------------

typedef struct start {
  const char* name;
  double fast; // times the velocities
  double norm; // of quaternions
} start;

static void check_steps(const start* begin, const char* name)
{
  stage from = stage_make(name), got, want;
  scene s = scene_make(&from);
  check_at("%s %s", name, begin->name);
  for (int k = 0; k < from.nv; k++) from.v[k] *= begin->fast;
  for (int x = 0; x < from.m->naux; x++) {
    for (int k = 0; k < 4; k++) from.q[from.m->quaternion[x] + k] *= begin->norm;
  }
  walk(&from, &s, 0.02, 8, &got);
  simulate(&from, &s, 0.02, 8, &want);
  double size = 1;
  for (int k = 0; k < from.nv; k++) size = fmax(size, fabs(want.v[k]));
  assert_close(stage_distance(&got, &want), 0, 0, 1e-11 * size);
  limb_data_destroy(s.d);
  limb_model_destroy(from.m);
}

START_TEST(steps_are_those_of_the_simulation)
{
  static const start starts[] = {{"moving", 1, 1}, {"at rest", 0, 1}, {"spinning", 50, 1}, {"off", 1, 1.0008}};
  for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) check_steps(&starts[k], names[_i]);
}
END_TEST

// The mean slope of log error over log h in the last two halvings before errors become rounding.
START_TEST(order_is_four)
{
  enum { FIRST = 16, LAST = 256, EXACT = 2048, LEFT = 3 };
  static const double duration[NAMES] = {0.5, 0.2, 0.3, 0.1, 0.1, 0.1, 0.2, 0.05, 0.1};
  stage from = stage_make(names[_i]), exact, end;
  scene s = scene_make(&from);
  double error[LEFT] = {0};
  simulate(&from, &s, duration[_i], EXACT, &exact);
  for (int steps = FIRST; steps <= LAST; steps *= 2) {
    walk(&from, &s, duration[_i], steps, &end);
    const double e = stage_distance(&exact, &end);
    if (e < 1e-12) break;
    memmove(error, error + 1, (LEFT - 1) * sizeof *error);
    error[LEFT - 1] = e;
  }
  check_at("%s: %g, %g, %g", names[_i], error[0], error[1], error[2]);
  assert_that(error[0] > 0);
  assert_close(log2(error[0] / error[LEFT - 1]) / (LEFT - 1), 4, 0, 0.15);
  limb_data_destroy(s.d);
  limb_model_destroy(from.m);
}
END_TEST

CHECK_MAIN("sim/step_kernel", NAMES, displacements_are_those_of_the_manifold, rates_are_those_of_local_coordinates,
           steps_are_those_of_the_simulation, order_is_four)
