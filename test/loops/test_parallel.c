// Parallel robots: the platform form against the closures themselves, against the generic form, and there and
// back.
#include "loops/closed.h"
#include "loops/parallel_bench.h"

// ---- robots ---------------------------------------------------------------------------------------------

// Six motors for three motions.
static limb_model* eager_3rrr(void)
{
  static const char* const active[] = {"upper1", "lower1", "upper2", "lower2", "upper3", "lower3"};
  return closed_with_motors(closed_3rrr(), active, 6);
}

static const struct {
  limb_model* (*make)(void);
  const char* platform; // NULL: found
  int legs, mobility, drives;
} robots[] = {
  {gough_floating, NULL, 6, 6, 6},      {gough_floating, "plate", 6, 6, 6},    {gough_hanging, "platform", 6, 6, 6},
  {gough_upside_down, NULL, 6, 6, 6},   {closed_gough_stewart, NULL, 6, 6, 6}, {delta_robot, NULL, 3, 3, 3},
  {closed_3rrr, "platform", 3, 3, 3},   {planar_robot, NULL, 3, 3, 3},         {eager_3rrr, "platform", 3, 3, 6},
  {closed_five_bar, "2", 2, 2, 2},      {usual_four_bar, "coupler", 2, 1, 1},  {usual_four_bar, "rocker", 2, 1, 1},
  {closed_slider_crank, "rod", 2, 1, 1}};

enum { ROBOTS = sizeof robots / sizeof robots[0] };

enum { STATES = CHECK_SANITIZED ? 2 : 12 };

// Every robot in several states.
static void over(int index, void (*f)(bench* b, rng* r))
{
  for (int s = 0; s < STATES; s++) {
    bench b = bench_of(robots[index].make(), robots[index].platform, (uint64_t)(s + 1));
    rng r = {(uint64_t)(s + 100)};
    f(&b, &r);
    bench_free(&b);
  }
}

// ---- what is found --------------------------------------------------------------------------------------

START_TEST(legs_are_found)
{
  bench b = bench_of(robots[_i].make(), robots[_i].platform, 1);
  ck_assert_int_eq(b.info.legs, robots[_i].legs);
  ck_assert_int_eq(b.info.mobility, robots[_i].mobility);
  ck_assert_int_eq(b.info.drives, robots[_i].drives);
  const char* platform = robots[_i].platform ? robots[_i].platform : "platform";
  ck_assert_int_eq(b.info.platform, limb_find_body(b.c.m, platform));
  for (int j = 0; j < limb_joint_count(b.c.m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(b.c.m, j, &joint));
    const int leg = limb_parallel_leg_of(b.p, j);
    const int none = joint.def.type == LIMB_FIXED || joint.def.type == LIMB_FREE || joint.def.type == LIMB_PLANAR;
    assert_that(none ? leg == -1 : leg >= 0 && leg < b.info.legs);
  }
  bench_free(&b);
}
END_TEST

START_TEST(joints_of_a_leg_are_together)
{
  bench b = bench_of(gough_floating(), NULL, 1);
  for (int k = 0; k < 6; k++) {
    char name[GOUGH_NAME];
    gough_name(name, "cross", k);
    const int leg = limb_parallel_leg_of(b.p, limb_find_joint(b.c.m, name));
    ck_assert_int_eq(leg, k);
    gough_name(name, "piston", k);
    ck_assert_int_eq(limb_parallel_leg_of(b.p, limb_find_joint(b.c.m, name)), leg);
  }
  ck_assert_int_eq(limb_parallel_leg_of(b.p, -1), -2);
  ck_assert_int_eq(limb_parallel_leg_of(b.p, limb_joint_count(b.c.m)), -2);
  ck_assert_int_eq(limb_parallel_leg_of(NULL, 0), -2);
  bench_free(&b);
}
END_TEST

// ---- motion ---------------------------------------------------------------------------------------------

static void motion_of_platform_is_that_of_all(bench* b, rng* r)
{
  (void)r;
  assert_ok(limb_parallel_motion(b->p, b->c.q, &b->motion, b->x, b->y));
  assert_close_array(b->x, b->c.v, b->nv, 1e-11, 0);
  assert_close_array(b->y, b->a, b->nv, 1e-11, 0);
  assert_ok(limb_parallel_motion(b->p, b->c.q, &b->motion, b->x, NULL));
  assert_close_array(b->x, b->c.v, b->nv, 1e-11, 0);
}

START_TEST(motion_follows) { over(_i, motion_of_platform_is_that_of_all); }
END_TEST

static void columns_give_the_twist(bench* b, rng* r)
{
  (void)r;
  sp_motion J[24], V = {{0, 0, 0}, {0, 0, 0}};
  if (b->info.drives > b->info.mobility) {
    assert_status(limb_parallel_jacobian(b->p, b->c.q, J), LIMB_E_UNSUPPORTED);
    return;
  }
  assert_ok(limb_parallel_jacobian(b->p, b->c.q, J));
  int n = 0;
  for (int j = 0; j < limb_joint_count(b->c.m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(b->c.m, j, &joint));
    for (int k = 0; k < joint.nv && !joint.passive; k++) V = sp_addm(V, sp_scalem(b->c.v[joint.v + k], J[n++]));
  }
  ck_assert_int_eq(n, b->info.drives);
  assert_close_motion(V, b->motion.velocity, 1e-10, 0);
}

START_TEST(jacobian_columns) { over(_i, columns_give_the_twist); }
END_TEST

// ---- dynamics -------------------------------------------------------------------------------------------

static limb_environment pushed(const bench* b, limb_wrench* w)
{
  limb_environment env = limb_default_environment(b->c.m);
  *w = (limb_wrench){b->info.platform, LIMB_BODY, {{0.3, -1, 2}, {5, -4, 3}}};
  env.base_velocity = (sp_motion){{0.1, 0.2, -0.3}, {0.4, -0.5, 0.6}};
  env.base_acceleration = (sp_motion){{-0.5, 0.2, 0.1}, {1, 0.3, -0.4}};
  env.nwrench = 1, env.wrench = w;
  return env;
}

// Motors do what the tree needs along every motion that the closures allow, and passive joints nothing.
static void motors_balance_the_tree(bench* b, rng* r)
{
  limb_wrench w;
  const limb_environment env = pushed(b, &w);
  assert_ok(limb_parallel_inverse_dynamics(b->p, b->c.q, &b->motion, &env, b->tau));
  assert_ok(limb_inverse_dynamics(b->d, b->c.q, b->c.v, b->a, &env, b->tree));
  double size = 0;
  for (int i = 0; i < b->nv; i++) size += fabs(b->tree[i]) + fabs(b->tau[i]);
  for (int k = 0; k < 8; k++) {
    closed_velocity(&b->c, rng_next(r), b->x);
    double power = 0;
    for (int i = 0; i < b->nv; i++) power += b->x[i] * (b->tree[i] - b->tau[i]);
    assert_close(power, 0, 0, 1e-12 * size);
  }
  for (int j = 0; j < limb_joint_count(b->c.m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(b->c.m, j, &joint));
    for (int k = 0; k < joint.nv && joint.passive; k++) assert_that(b->tau[joint.v + k] == 0);
  }
}

START_TEST(inverse_dynamics) { over(_i, motors_balance_the_tree); }
END_TEST

// Gamma_c = G' Gamma_tr, of least norm where there are more motors than motions.
static void platform_form_is_generic_form(bench* b, rng* r)
{
  (void)r;
  limb_wrench w;
  const limb_environment env = pushed(b, &w);
  const limb_closed_motion in = {b->c.q, b->c.v, b->a, &env};
  limb_closed_forces out = {.tau = b->x};
  assert_ok(limb_parallel_inverse_dynamics(b->p, b->c.q, &b->motion, &env, b->tau));
  assert_ok(limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out));
  assert_close_array(b->tau, b->x, b->nv, 1e-11, 0);
}

START_TEST(generic_inverse) { over(_i, platform_form_is_generic_form); }
END_TEST

static void forward_is_generic_form(bench* b, rng* r)
{
  limb_wrench w;
  limb_environment env = pushed(b, &w);
  env.coulomb_width = 0.1;
  const limb_closed_motion in = {.q = b->c.q, .v = b->c.v, .env = &env};
  sp_motion A;
  rng_fill(r, 3, b->nv, b->tau);
  assert_ok(limb_parallel_forward_dynamics(b->p, b->c.q, b->c.v, b->tau, &env, &A, b->x));
  assert_ok(limb_closed_forward_dynamics(b->w, &in, b->tau, NULL, b->y, NULL, NULL));
  assert_close_array(b->x, b->y, b->nv, 1e-10, 0);
  const limb_platform_motion m = motion_at(b->d, b->info.platform, b->c.q, b->c.v, b->x);
  assert_close_motion(A, m.acceleration, 1e-10, 0);
  assert_ok(limb_parallel_forward_dynamics(b->p, b->c.q, b->c.v, b->tau, &env, NULL, NULL));
}

START_TEST(forward_dynamics) { over(_i, forward_is_generic_form); }
END_TEST

static void forward_undoes_inverse(bench* b, rng* r)
{
  (void)r;
  assert_ok(limb_parallel_inverse_dynamics(b->p, b->c.q, &b->motion, NULL, b->tau));
  assert_ok(limb_parallel_forward_dynamics(b->p, b->c.q, b->c.v, b->tau, NULL, NULL, b->x));
  assert_close_array(b->x, b->a, b->nv, 1e-9, 0);
}

START_TEST(there_and_back) { over(_i, forward_undoes_inverse); }
END_TEST

// ---- geometry -------------------------------------------------------------------------------------------

// A closed configuration some way off, on the same branch: in b->q.
static int wander(bench* b, double far)
{
  memcpy(b->q, b->c.q, (size_t)b->nq * sizeof(double));
  double fastest = 0;
  for (int i = 0; i < b->nv; i++) fastest = fmax(fastest, fabs(b->c.v[i]));
  for (int k = 0; k < 20; k++) { // in small steps, along velocities that stay consistent
    closed_case at = b->c;
    at.q = b->q;
    closed_velocity(&at, 7, b->x);
    assert_ok(limb_integrate(b->c.m, b->q, b->x, far / 20 / fmax(fastest, 1), b->q));
    if (!closed_close(b->c.m, b->q)) return 0;
  }
  return 1;
}

static void assert_same_place(bench* b, const double* q)
{
  assert_ok(limb_difference(b->c.m, b->q, q, b->x));
  for (int i = 0; i < b->nv; i++) b->y[i] = 0;
  assert_close_array(b->x, b->y, b->nv, 0, 1e-9);
}

static void geometry_comes_back(bench* b, rng* r)
{
  (void)r;
  if (!wander(b, 0.3)) return;
  for (int i = 0; i < b->nv; i++) b->y[i] = 0;
  const limb_platform_motion goal = motion_at(b->d, b->info.platform, b->q, b->y, b->y);
  double* q = numbers(b->nq);
  int failed = 5;
  memcpy(q, b->c.q, (size_t)b->nq * sizeof(double));
  assert_ok(limb_parallel_inverse_geometry(b->p, &goal.pose, q, &failed));
  ck_assert_int_eq(failed, -1);
  assert_same_place(b, q);
  // the drives of the one, everything else of the other
  memcpy(q, b->c.q, (size_t)b->nq * sizeof(double));
  for (int j = 0; j < limb_joint_count(b->c.m); j++) {
    limb_joint_info joint;
    assert_ok(limb_get_joint(b->c.m, j, &joint));
    for (int k = 0; k < joint.nq && !joint.passive; k++) q[joint.q + k] = b->q[joint.q + k];
  }
  sp_pose pose;
  assert_ok(limb_parallel_forward_geometry(b->p, q, &pose));
  assert_same_place(b, q);
  assert_close_pose(pose, goal.pose, 0, 1e-9);
  assert_ok(limb_parallel_forward_geometry(b->p, q, NULL));
  free(q);
}

START_TEST(geometry) { over(_i, geometry_comes_back); }
END_TEST

START_TEST(geometry_from_open_legs)
{
  bench b = bench_of(gough_floating(), NULL, 3);
  assert_ok(limb_start(b.c.m, b.q));
  assert_ok(limb_parallel_inverse_geometry(b.p, &b.motion.pose, b.q, NULL));
  assert_same_place(&b, b.c.q);
  bench_free(&b);
}
END_TEST

// Over a long way, around, and back: the same branch.
START_TEST(geometry_stays_on_its_branch)
{
  bench b = bench_of(closed_3rrr(), "platform", 2);
  memcpy(b.q, b.c.q, (size_t)b.nq * sizeof(double));
  sp_pose pose = b.motion.pose;
  for (int k = 1; k <= 8; k++) {
    sp_pose to = pose;
    to.p = sp_add3(pose.p, sp_v3(0.15 * sin(PI * k / 4), 0.15 * (1 - cos(PI * k / 4)), 0));
    to.R = sp_mul3(pose.R, sp_rot_axis(sp_v3(0, 0, 1), 0.2 * sin(PI * k / 4)));
    assert_ok(limb_parallel_inverse_geometry(b.p, &to, b.q, NULL));
  }
  assert_same_place(&b, b.c.q);
  bench_free(&b);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {legs_are_found,   motion_follows,  jacobian_columns,
                              inverse_dynamics, generic_inverse, forward_dynamics,
                              there_and_back,   geometry,        NULL};
  const TTest* const once[] = {joints_of_a_leg_are_together, geometry_from_open_legs, geometry_stays_on_its_branch,
                               NULL};
  const int failed = check_run("parallel", ROBOTS, all);
  return check_run("parallel_once", 1, once) | failed;
}
