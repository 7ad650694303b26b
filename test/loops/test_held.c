// Forward dynamics with loops that hold the ends of chains (loops/held.c): feet on the ground, platforms.
#include "loops/loops_impl.h"

#include "loops/closed_bench.h"
#include "support/rng.h"
#include "support/robots.h"

enum { NAMES = 4 };

// Bodies of a robot that are held where they are at q, in a random place of theirs.
static limb_model* hold(limb_model* bare, const char* const name[NAMES], limb_loop_kind kind, rng* r, const double* q)
{
  limb_builder* b = NULL;
  limb_data* d = NULL;
  limb_model* m = NULL;
  assert_ok(limb_data_create(bare, NULL, &d));
  assert_ok(limb_kinematics(d, q, NULL, NULL));
  assert_ok(limb_builder_from_model(bare, NULL, &b));
  for (int k = 0; k < NAMES && name[k]; k++) {
    const int body = limb_find_body(bare, name[k]);
    sp_pose X;
    assert_ok(limb_frame_pose(d, body, &X));
    limb_loop_def foot = limb_default_loop_def(name[k], kind, k % 2 ? LIMB_WORLD_BODY : body,
                                               k % 2 ? body : LIMB_WORLD_BODY); // either end
    const sp_pose in = sp_pose_make(sp_rot_rpy(0.3, 0.2, 0.1), rng_vec3(r, 0.1));
    const sp_pose at = sp_compose(X, in);
    foot.pose_a = k % 2 ? at : in, foot.pose_b = k % 2 ? in : at;
    closed_add_loop(b, &foot);
  }
  assert_ok(limb_builder_build(b, &m, NULL));
  limb_builder_destroy(b);
  limb_data_destroy(d);
  return m;
}

static void surround(const limb_model* m, rng* r, limb_wrench* on, limb_environment* env)
{
  *env = limb_default_environment(m);
  for (int k = 0; k < 2; k++)
    on[k] = (limb_wrench){.frame = 1 + rng_below(r, limb_body_count(m) - 1),
                          .ref = k ? LIMB_BODY : LIMB_ALIGNED,
                          .wrench = {rng_vec3(r, 2), rng_vec3(r, 5)}};
  env->wrench = on, env->nwrench = 2;
}

// Accelerations of the usual call, against those cluster by cluster. True: the chains were used.
static bool agrees(bench* b, const limb_environment* env)
{
  limb_loops* w = limb_data_loops(b->w);
  const limb_closed_motion in = {.q = b->c.q, .v = b->c.v, .env = env};
  const limb_forward_in x = {b->c.q, b->c.v, b->tau, env};
  const limb_loop_solver by = bench_options(LIMB_LOOP_METHOD_CLUSTERS), usual = limb_default_loop_solver();
  double *a = numbers(b->nv), *want = numbers(b->nv);
  bool done = false;
  assert_that(w->held.count > 0);
  assert_ok(limb_forward_held(w, &x, &usual, a, &done));
  assert_ok(limb_closed_forward_dynamics(b->w, &in, b->tau, &by, want, NULL, NULL));
  assert_ok(limb_forward_dynamics(b->closed, b->c.q, b->c.v, b->tau, env, a));
  assert_close_array(a, want, b->nv, 0, 1e-10 * (1 + bench_largest(b->nv, want)));
  free(a), free(want);
  return done;
}

static void draw_motion(bench* b, rng* r)
{
  for (int i = 0; i < b->nv; i++) b->c.v[i] = rng_uniform(r, -1, 1), b->tau[i] = rng_uniform(r, -20, 20);
  assert_ok(limb_complete_velocities(b->closed, b->c.q, NULL, NULL, b->c.v));
}

enum { TRIALS = 20, MOST = 15 };

// bend: of all joints, not of the base. Returns how often the chains were used.
static int stands(limb_model* make(void), const char* const name[NAMES], limb_loop_kind kind, double bend)
{
  rng r = {5};
  int held = 0;
  for (int k = 0; k < TRIALS; k++) {
    limb_model* bare = make();
    double* q = numbers(limb_nq(bare));
    double* step = numbers(limb_nv(bare));
    limb_wrench on[2];
    limb_environment env;
    for (int i = 0; i < limb_nv(bare); i++)
      step[i] = i < 6 ? rng_uniform(&r, -0.3, 0.3) : bend * rng_uniform(&r, 0.5, 1);
    assert_ok(limb_start(bare, q));
    assert_ok(limb_integrate(bare, q, step, 1, q));
    bench b = bench_with(hold(bare, name, kind, &r, q), q, NULL, NULL);
    draw_motion(&b, &r);
    surround(b.c.m, &r, on, &env);
    held += agrees(&b, NULL);
    (void)agrees(&b, &env);
    env.base_velocity = (sp_motion){rng_vec3(&r, 0.5), rng_vec3(&r, 0.5)};
    assert_that(!agrees(&b, &env)); // a base that turns: cluster by cluster
    bench_end(&b);
    limb_model_destroy(bare);
    free(q), free(step);
  }
  return held;
}

static const char* const paws[NAMES] = {"lf_foot", "rf_foot", "lh_foot", "rh_foot"};
static const char* const feet[NAMES] = {"l_foot", "r_foot"};
static const char* const one_foot[NAMES] = {"l_foot"};
static const char* const limbs[NAMES] = {"l_foot", "r_foot", "l_hand", "r_hand"};

START_TEST(feet_on_the_ground)
{
  assert_that(stands(robot_quadruped, paws, LIMB_LOOP_BALL, 0.9) >= MOST);
  assert_that(stands(robot_humanoid, feet, LIMB_LOOP_BALL, 0.6) >= MOST);
  assert_that(stands(robot_humanoid, feet, LIMB_LOOP_WELD, 0.6) >= MOST);
  assert_that(stands(robot_humanoid, one_foot, LIMB_LOOP_WELD, 0.6) >= MOST);
  assert_that(stands(robot_humanoid, limbs, LIMB_LOOP_BALL, 0.6) >= MOST);
}
END_TEST

// Chains that cannot move their ends every way: the answer is that of the clusters.
START_TEST(stretched_legs) { assert_that(stands(robot_humanoid, feet, LIMB_LOOP_WELD, 0) == 0); }
END_TEST

// Six legs on the world, their ends on the platform.
START_TEST(platform)
{
  for (uint64_t seed = 1; seed <= 20; seed++) {
    rng r = {seed};
    bench b = bench_of(closed_find("gough_stewart", seed));
    limb_wrench on[2];
    limb_environment env;
    draw_motion(&b, &r);
    surround(b.c.m, &r, on, &env);
    assert_that(agrees(&b, NULL));
    assert_that(agrees(&b, &env));
    bench_end(&b);
  }
}
END_TEST

// Two feet of the same leg share its joints: no chain is a closure's own.
START_TEST(shared_chains)
{
  static const char* const twice[NAMES] = {"l_foot", "l_shank"};
  rng r = {3};
  limb_model* bare = robot_humanoid();
  double* q = numbers(limb_nq(bare));
  assert_ok(limb_start(bare, q));
  bench b = bench_with(hold(bare, twice, LIMB_LOOP_BALL, &r, q), q, NULL, NULL);
  assert_that(limb_data_loops(b.w)->held.count == 0);
  bench_end(&b);
  limb_model_destroy(bare);
  free(q);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const tests[] = {feet_on_the_ground, stretched_legs, platform, shared_chains, NULL};
  return check_run("held", 1, tests);
}
