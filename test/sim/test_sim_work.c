// Energy and work: what is there now, less what was there, is what was done. For every method, with
// friction, forces, wrenches, force laws, given motion, moving loops, and stops that are springs.
#include "sim/runs.h"

enum { PUSHED = 1, PULLED = 2, DRIVEN = 4, SAMPLED = 8 };

typedef struct scene {
  const char* name;
  unsigned acts;
  double duration;
} scene;

static const scene scenes[] = {
  {"planar_2r", PUSHED, 0.5},
  {"planar_2r", PULLED | SAMPLED, 0.5},
  {"tree5", PUSHED, 0.5},
  {"puma560", PUSHED | PULLED, 0.2},
  {"hand", 0, 0.05},
  {"quadruped", PULLED, 0.2},
  {"elastic_arm", PULLED, 0.005},
  {"two_roots", PUSHED, 0.1},
  {"panda", DRIVEN | PUSHED, 0.2},
  {"tree5", DRIVEN | PULLED, 0.3},
  {"four_bar", PUSHED | PULLED, 0.3},
  {"four_bar", DRIVEN, 0.3},
  {"rolling_disc", PUSHED, 0.3},
  {"driven_arm", PUSHED, 0.3},
  {"gough_stewart", PULLED, 0.1},
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

static limb_status push(void* context, double t, const double* q, const double* v, double* tau)
{
  const stage* at = context;
  (void)q;
  for (int k = 0; k < at->nv; k++) tau[k] += 2 * sin(5 * t + k) - 0.1 * v[k];
  return LIMB_OK;
}

static limb_status pull(void* context, double t, const double* q, const double* v, limb_wrench* wrench)
{
  const stage* at = context;
  (void)q, (void)v;
  *wrench = (limb_wrench){limb_frame_count(at->m) - 1, LIMB_BODY, {{0.1 * t, 0.2, -0.1}, {3 * cos(4 * t), 2, 1}}};
  return LIMB_OK;
}

// The first joint turns evenly faster.
static limb_status drive(void* context, double t, double* q, double* v, double* a)
{
  const stage* at = context;
  q[0] = at->q[0] + at->v[0] * t + t * t, v[0] = at->v[0] + 2 * t, a[0] = 2;
  return LIMB_OK;
}

static limb_sim* make(const scene* s, stage* at, limb_sim_method method)
{
  limb_sim_options o = run_options(at, method);
  unsigned char given[RUN_MOST] = {1};
  const limb_sim_force f = {.force = push, .context = at};
  const limb_sim_force sampled = {.force = push, .context = at, .period = 0.02, .delay = 0.013};
  o.work = 1;
  o.step = s->duration / (limb_sim_method_order(method) == 1 ? 2000 : 500);
  if (!limb_sim_method_order(method)) o.step = 0, o.relative = 1e-9, o.absolute = 1e-10;
  limb_sim* sim = run_create(at, &o);
  if (s->acts & PUSHED) assert_ok(limb_sim_add_force(sim, &f));
  if (s->acts & SAMPLED) assert_ok(limb_sim_add_force(sim, &sampled));
  if (s->acts & PULLED) assert_ok(limb_sim_add_wrenches(sim, 1, pull, at, NULL));
  if (s->acts & DRIVEN) assert_ok(limb_sim_set_motion(sim, given, drive, at, NULL));
  return sim;
}

// Against what moves at all.
static double allowed(limb_sim_method method)
{
  switch (limb_sim_method_order(method)) {
  case 1: return 0.1;
  case 2: return 1e-4;
  default: return limb_sim_method_order(method) == 4 ? 1e-6 : 1e-5;
  }
}

static void balance(const scene* s, limb_sim_method method)
{
  stage from = stage_make(s->name);
  double moved = 1e-3;
  limb_sim* sim = make(s, &from, method);
  check_at("%s %u, %s", s->name, s->acts, limb_sim_method_name(method));
  run_start(sim, &from);
  for (int k = 1; k <= 5; k++) {
    run_to(sim, s->duration * k / 5);
    const limb_sim_summary x = run_summary(sim);
    moved = fmax(moved, fmax(fabs(x.energy - x.energy_start), fabs(x.work)));
    check_at("%s %u, %s: energy %.9g, before %.9g, work %.9g", s->name, s->acts, limb_sim_method_name(method), x.energy,
             x.energy_start, x.work);
    assert_close(x.energy - x.energy_start, x.work, 0, allowed(method) * (moved + 1));
  }
  assert_that(fabs(run_summary(sim).work) > 1e-4); // something was done
  limb_sim_destroy(sim);
  limb_model_destroy(from.m);
}

START_TEST(work_is_energy)
{
  if (!limb_sim_has_method(run_methods[_i])) return;
  for (int k = 0; k < SCENES; k++) balance(&scenes[k], run_methods[_i]);
}
END_TEST

// Not asked for, it is zero, and the motion the same.
START_TEST(work_changes_nothing)
{
  if (!limb_sim_method_order(run_methods[_i])) return;
  stage from = stage_make("tree5"), with, without;
  limb_sim_options o = run_options(&from, run_methods[_i]);
  run_end(run_create(&from, &o), &from, 0.05, &without);
  o.work = 1;
  run_end(run_create(&from, &o), &from, 0.05, &with);
  assert_that(memcmp(with.q, without.q, sizeof with.q) == 0);
  assert_that(memcmp(with.v, without.v, sizeof with.v) == 0);
  limb_model_destroy(from.m);
}
END_TEST

CHECK_MAIN("sim/work", RUN_METHODS, work_is_energy, work_changes_nothing)
