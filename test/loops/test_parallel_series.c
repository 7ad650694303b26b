// Parallel robots in series: platforms on platforms, module by module, against the whole robot with all loops.
#include "loops/parallel_bench.h"

#include <stdio.h>

enum { MODULES = 3 };

static const sp_pose mounts[MODULES] = {
  {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}},
  {{{0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1}}, {0.01, -0.02, 0.05}},
  {{{0.28, 0, 0.96, 0, 1, 0, -0.96, 0, 0.28}}, {0, 0.03, 0.1}},
};

// ---- the whole robot ----------------------------------------------------------------------------------------

// Bodies, joints and closures of a module, on a body of what is there.
static void add_module(limb_builder* b, const limb_model* m, int number, int on, sp_pose mount)
{
  const int offset = limb_builder_body_count(b) - 1;
  char name[80];
  for (int i = 1; i < limb_body_count(m); i++) {
    limb_body_info body;
    assert_ok(limb_get_body(m, i, &body));
    (void)snprintf(name, sizeof name, "%d_%s", number, body.name);
    (void)fixture_body(b, name, body.inertia);
  }
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(m, j, &joint));
    (void)snprintf(name, sizeof name, "%d_%s", number, joint.def.name);
    joint.def.name = name;
    if (joint.def.parent == LIMB_WORLD_BODY) joint.def.placement = sp_compose(mount, joint.def.placement);
    joint.def.parent = joint.def.parent == LIMB_WORLD_BODY ? on : joint.def.parent + offset;
    joint.def.child += offset;
    fixture_joint(b, &joint.def);
  }
  for (int l = 0; l < limb_loop_count(m); l++) {
    limb_loop_info loop;
    assert_ok(limb_get_loop(m, l, &loop));
    (void)snprintf(name, sizeof name, "%d_%s", number, loop.def.name);
    loop.def.name = name;
    if (loop.def.body_a == LIMB_WORLD_BODY) loop.def.pose_a = sp_compose(mount, loop.def.pose_a);
    if (loop.def.body_b == LIMB_WORLD_BODY) loop.def.pose_b = sp_compose(mount, loop.def.pose_b);
    loop.def.body_a = loop.def.body_a == LIMB_WORLD_BODY ? on : loop.def.body_a + offset;
    loop.def.body_b = loop.def.body_b == LIMB_WORLD_BODY ? on : loop.def.body_b + offset;
    closed_add_loop(b, &loop.def);
  }
}

typedef struct tower {
  bench part[MODULES];
  limb_parallel_module module[MODULES];
  limb_parallel_driven_module driven[MODULES];
  limb_model* m;
  limb_data* d;
  double *q, *v, *a, *tau, *want, *got;
} tower;

static limb_model* (*const kinds[][MODULES])(void) = {
  {gough_floating, gough_floating, gough_floating},
  {gough_floating, gough_hanging, closed_gough_stewart},
  {delta_robot, gough_floating, delta_robot},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static tower tower_of(int kind, uint64_t seed)
{
  tower t = {.m = NULL};
  int nq = 0, nv = 0, on = LIMB_WORLD_BODY;
  for (int k = 0; k < MODULES; k++) {
    t.part[k] = bench_of(kinds[kind][k](), NULL, seed + 31 * (uint64_t)k);
    nq += t.part[k].nq, nv += t.part[k].nv;
  }
  limb_builder* b = fixture_begin("tower");
  fixture_gravity(b, limb_model_gravity(t.part[0].c.m));
  t.q = numbers(nq), t.v = numbers(nv), t.a = numbers(nv), t.tau = numbers(nv), t.want = numbers(nv),
  t.got = numbers(nv);
  for (int k = 0, at = 0, av = 0; k < MODULES; k++) {
    bench* part = &t.part[k];
    const int offset = limb_builder_body_count(b) - 1;
    add_module(b, part->c.m, k, on, mounts[k]);
    on = offset + part->info.platform;
    memcpy(t.q + at, part->c.q, (size_t)part->nq * sizeof *t.q);
    memcpy(t.v + av, part->c.v, (size_t)part->nv * sizeof *t.v);
    memcpy(t.a + av, part->a, (size_t)part->nv * sizeof *t.a);
    t.module[k] = (limb_parallel_module){part->p, mounts[k], part->c.q, part->motion, t.tau + av};
    t.driven[k] = (limb_parallel_driven_module){
      .p = part->p, .mount = mounts[k], .q = part->c.q, .v = part->c.v, .tau = t.tau + av, .a = t.got + av};
    at += part->nq, av += part->nv;
  }
  t.m = fixture_end(b);
  ck_assert_int_eq(limb_nv(t.m), nv);
  assert_ok(limb_data_create(t.m, NULL, &t.d));
  return t;
}

static void tower_free(tower* t)
{
  for (int k = 0; k < MODULES; k++) bench_free(&t->part[k]);
  limb_data_destroy(t->d);
  limb_model_destroy(t->m);
  free(t->q), free(t->v), free(t->a), free(t->tau), free(t->want), free(t->got);
}

// ---- tests --------------------------------------------------------------------------------------------------

// On the ground, and on a moving ship.
static limb_environment environment_of(const limb_model* m, uint64_t seed)
{
  limb_environment env = limb_default_environment(m);
  if (seed < 2) return env;
  env.gravity = sp_v3(1, -3, -9);
  env.base_velocity = (sp_motion){{0.2, -0.3, 0.1}, {0.4, 0, -0.2}};
  env.base_acceleration = (sp_motion){{-0.5, 0.4, 0.3}, {1, 2, -0.5}};
  return env;
}

// Torques of the drives, and the wrench on the ground, with all loops closed at once; also on a moving ship.
START_TEST(modules_are_the_whole)
{
  for (uint64_t seed = 1; seed < (CHECK_SANITIZED ? 2 : 6); seed++) {
    tower t = tower_of(_i, seed);
    const limb_environment env = environment_of(t.m, seed);
    sp_force W;
    check_at("tower %d, seed %d", _i, (int)seed);
    assert_ok(limb_inverse_dynamics(t.d, t.q, t.v, t.a, &env, t.want));
    assert_ok(limb_parallel_series_inverse_dynamics(t.module, MODULES, &env, &W));
    assert_close_array(t.tau, t.want, limb_nv(t.m), TOL_ALGEBRA, 0);
    tower_free(&t);
  }
}
END_TEST

// Accelerations under random torques, passive joints included, against all loops closed at once; and back: the modules'
// inverse dynamics of that motion asks the same wrench of the ground.
START_TEST(modules_move_as_the_whole)
{
  for (uint64_t seed = 1; seed < (CHECK_SANITIZED ? 3 : 6); seed++) {
    tower t = tower_of(_i, seed);
    const limb_environment env = environment_of(t.m, seed);
    rng r = {seed};
    sp_force W, want;
    rng_fill(&r, 20, limb_nv(t.m), t.tau);
    check_at("tower %d, seed %d", _i, (int)seed);
    assert_ok(limb_forward_dynamics(t.d, t.q, t.v, t.tau, &env, t.want));
    assert_ok(limb_parallel_series_forward_dynamics(t.driven, MODULES, &env, &W));
    assert_close_array(t.got, t.want, limb_nv(t.m), TOL_ALGEBRA, 0);
    for (int k = 0; k < MODULES; k++) t.module[k].motion.acceleration = t.driven[k].acceleration;
    assert_ok(limb_parallel_series_inverse_dynamics(t.module, MODULES, &env, &want));
    assert_close_array(&W.m.x, &want.m.x, 6, TOL_ALGEBRA, 0);
    tower_free(&t);
  }
}
END_TEST

// At rest the ground carries the weight of all.
START_TEST(ground_carries_the_weight)
{
  tower t = tower_of(_i, 3);
  const sp_motion rest = {{0, 0, 0}, {0, 0, 0}};
  sp_force W;
  double weight = 0;
  for (int k = 0; k < MODULES; k++) t.module[k].motion.velocity = t.module[k].motion.acceleration = rest;
  for (int b = 1; b < limb_body_count(t.m); b++) {
    limb_body_info body;
    assert_ok(limb_get_body(t.m, b, &body));
    weight += body.inertia.mass;
  }
  assert_ok(limb_parallel_series_inverse_dynamics(t.module, MODULES, NULL, &W));
  const sp_vec3 g = limb_model_gravity(t.m);
  const double got[3] = {W.f.x, W.f.y, W.f.z}, want[3] = {-weight * g.x, -weight * g.y, -weight * g.z};
  assert_close_array(got, want, 3, TOL_ALGEBRA, 0);
  tower_free(&t);
}
END_TEST

START_TEST(refusals)
{
  tower t = tower_of(0, 1);
  limb_environment env = limb_default_environment(t.m);
  const limb_wrench w = {0, LIMB_WORLD, {{0, 0, 0}, {0, 0, 1}}};
  assert_ok(limb_parallel_series_inverse_dynamics(t.module, MODULES, NULL, NULL));
  assert_status(limb_parallel_series_inverse_dynamics(NULL, MODULES, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_series_inverse_dynamics(t.module, 0, NULL, NULL), LIMB_E_ARG);
  env.nwrench = 1, env.wrench = &w;
  assert_status(limb_parallel_series_inverse_dynamics(t.module, MODULES, &env, NULL), LIMB_E_UNSUPPORTED);
  limb_parallel_module bad = t.module[0];
  bad.tau = NULL;
  assert_status(limb_parallel_series_inverse_dynamics(&bad, 1, NULL, NULL), LIMB_E_ARG);
  bad = t.module[0], bad.mount.p.x = nan("");
  assert_status(limb_parallel_series_inverse_dynamics(&bad, 1, NULL, NULL), LIMB_E_NONFINITE);
  bad = t.module[0], bad.motion.pose.p.x += 0.1; // not where the legs are
  assert_status(limb_parallel_series_inverse_dynamics(&bad, 1, NULL, NULL), LIMB_E_ARG);
  tower_free(&t);
}
END_TEST

START_TEST(refusals_forward)
{
  tower t = tower_of(0, 1);
  limb_environment env = limb_default_environment(t.m);
  const limb_wrench w = {0, LIMB_WORLD, {{0, 0, 0}, {0, 0, 1}}};
  assert_ok(limb_parallel_series_forward_dynamics(t.driven, MODULES, NULL, NULL));
  assert_status(limb_parallel_series_forward_dynamics(NULL, MODULES, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_series_forward_dynamics(t.driven, 0, NULL, NULL), LIMB_E_ARG);
  env.nwrench = 1, env.wrench = &w;
  assert_status(limb_parallel_series_forward_dynamics(t.driven, MODULES, &env, NULL), LIMB_E_UNSUPPORTED);
  limb_parallel_driven_module bad = t.driven[0];
  bad.tau = NULL;
  assert_status(limb_parallel_series_forward_dynamics(&bad, 1, NULL, NULL), LIMB_E_ARG);
  bad = t.driven[0], bad.mount.R.m[4] = HUGE_VAL;
  assert_status(limb_parallel_series_forward_dynamics(&bad, 1, NULL, NULL), LIMB_E_NONFINITE);
  limb_parallel_driven_module twice[2] = {t.driven[0], t.driven[0]}; // one workspace for two
  assert_status(limb_parallel_series_forward_dynamics(twice, 2, NULL, NULL), LIMB_E_ARG);
  double* wrong = numbers(t.part[0].nv); // a single leg moves: its loop opens
  wrong[0] = 1;
  bad = t.driven[0], bad.v = wrong;
  assert_status(limb_parallel_series_forward_dynamics(&bad, 1, NULL, NULL), LIMB_E_ARG);
  free(wrong);
  tower_free(&t);
}
END_TEST

int CHECK_NAME(void)
{
  const int one = check_run("loops/parallel_series", 1, (const TTest* const[]){refusals, refusals_forward, NULL});
  const int all = check_run(
    "loops/parallel_series, towers", KINDS,
    (const TTest* const[]){modules_are_the_whole, modules_move_as_the_whole, ground_carries_the_weight, NULL});
  return one ? one : all;
}
