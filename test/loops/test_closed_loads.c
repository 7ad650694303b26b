// Internal loads of closed chains: every body is in balance, closures included, wherever the loop is cut.
#include "loops/closed.h"
#include "loops/closed_bench.h"

#include <stdbool.h>

// A force in the axes of R at a point of the world, as one in world axes at the world's origin.
static sp_force to_world(sp_mat3 R, sp_vec3 at, sp_force f)
{
  const sp_vec3 force = sp_mulv(R, f.f);
  return sp_force_make(sp_add3(sp_mulv(R, f.m), sp_cross3(at, force)), force);
}

// Momentum rate of a body less its weight, world axes at the world's origin.
static sp_force needed(const bench* b, int body)
{
  sp_pose X;
  sp_motion v, a;
  limb_body_info info;
  assert_ok(limb_get_body(b->c.m, body, &info));
  assert_ok(limb_frame_pose(b->d, body, &X));
  assert_ok(limb_frame_velocity(b->d, body, LIMB_BODY, &v));
  assert_ok(limb_frame_acceleration(b->d, body, LIMB_BODY, &a));
  a.v = sp_sub3(a.v, sp_tmulv(X.R, limb_model_gravity(b->c.m)));
  const sp_inertia* Y = &info.inertia;
  return to_world(X.R, X.p, sp_addf(sp_inertia_times(Y, a), sp_crf(v, sp_inertia_times(Y, v))));
}

static sp_pose cut_frame(const bench* b, int body, sp_pose in)
{
  sp_pose X;
  assert_ok(limb_frame_pose(b->d, body, &X));
  return sp_compose(X, in);
}

static double size_of(sp_force f)
{
  const double x[6] = {f.m.x, f.m.y, f.m.z, f.f.x, f.f.y, f.f.z};
  return bench_largest(6, x);
}

// Adds what closures do to bodies, from the wrenches on frames b in axes of a.
static void add_closures(const bench* b, const sp_force* loop, sp_force* sum)
{
  for (int l = 0; l < limb_loop_count(b->c.m); l++) {
    limb_loop_info info;
    assert_ok(limb_get_loop(b->c.m, l, &info));
    if (info.def.kind == LIMB_LOOP_GEAR || info.def.kind == LIMB_LOOP_POLYNOMIAL) {
      assert_that(size_of(loop[l]) == 0);
      continue;
    }
    const sp_pose A = cut_frame(b, info.def.body_a, info.def.pose_a);
    const sp_pose B = cut_frame(b, info.def.body_b, info.def.pose_b);
    const sp_force F = to_world(A.R, B.p, loop[l]);
    sum[info.def.body_b] = sp_addf(sum[info.def.body_b], F);
    sum[info.def.body_a] = sp_addf(sum[info.def.body_a], sp_scalef(-1, F));
  }
}

static sp_force* forces(int n)
{
  sp_force* f = calloc((size_t)n + 1, sizeof *f);
  if (!f) abort();
  return f;
}

// On every body: its joint, less the joints of its children, and closures make it move as it does.
static void bodies_balance(bench* b, rng* r)
{
  const limb_model* m = b->c.m;
  const int nbody = limb_body_count(m), njoint = limb_joint_count(m);
  sp_force *joint = forces(njoint), *loop = forces(limb_loop_count(m)), *sum = forces(nbody);
  // with any multipliers, and with those of the motion
  rng_fill(r, 20, b->nc, b->lambda);
  const limb_closed_motion in = bench_motion(b);
  limb_closed_forces out = bench_forces(b);
  if (rng_chance(r, 0.7)) (void)!limb_closed_inverse_dynamics(b->w, &in, NULL, NULL, &out);
  assert_ok(limb_closed_loads(b->w, &in, b->lambda, LIMB_WORLD, NULL, joint, NULL));
  assert_ok(limb_closed_loads(b->w, &in, b->lambda, LIMB_BODY, NULL, NULL, loop));
  assert_ok(limb_kinematics(b->d, b->c.q, b->c.v, b->a));
  add_closures(b, loop, sum);
  double size = 1;
  for (int j = 0; j < njoint; j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(m, j, &info));
    sum[info.def.child] = sp_addf(sum[info.def.child], joint[j]);
    sum[info.def.parent] = sp_addf(sum[info.def.parent], sp_scalef(-1, joint[j]));
    size = fmax(size, size_of(joint[j]));
  }
  for (int k = 1; k < nbody; k++) assert_close_force(sum[k], needed(b, k), 0, 1e-12 * size);
  free(joint);
  free(loop);
  free(sum);
}

START_TEST(balance_of_bodies) { bench_over(_i, bodies_balance); }
END_TEST

// Of closures: in the axes of frame a, in those of the world, and at the world's origin.
static void axes_of_closures(bench* b, rng* r)
{
  const limb_model* m = b->c.m;
  const int loops = limb_loop_count(m);
  const limb_closed_motion in = bench_motion(b);
  sp_force *body = forces(loops), *aligned = forces(loops), *world = forces(loops);
  rng_fill(r, 20, b->nc, b->lambda);
  assert_ok(limb_closed_loads(b->w, &in, b->lambda, LIMB_BODY, NULL, NULL, body));
  assert_ok(limb_closed_loads(b->w, &in, b->lambda, LIMB_ALIGNED, NULL, NULL, aligned));
  assert_ok(limb_closed_loads(b->w, &in, b->lambda, LIMB_WORLD, NULL, NULL, world));
  assert_ok(limb_kinematics(b->d, b->c.q, NULL, NULL));
  for (int l = 0; l < loops; l++) {
    limb_loop_info x;
    assert_ok(limb_get_loop(m, l, &x));
    if (x.def.joint >= 0) continue;
    const sp_pose A = cut_frame(b, x.def.body_a, x.def.pose_a), B = cut_frame(b, x.def.body_b, x.def.pose_b);
    const sp_force F = sp_force_make(sp_mulv(A.R, body[l].m), sp_mulv(A.R, body[l].f));
    assert_close_force(aligned[l], F, 0, 1e-12 * (1 + size_of(F)));
    assert_close_force(world[l], sp_force_make(sp_add3(F.m, sp_cross3(B.p, F.f)), F.f), 0, 1e-12 * (1 + size_of(F)));
  }
  free(body);
  free(aligned);
  free(world);
}

START_TEST(closures_in_axes) { bench_over(_i, axes_of_closures); }
END_TEST

// Along the axes of the joints: what the tree needs less what geometric closures give. Gears are part of
// what a joint transmits, as motors are.
static void along_axes(bench* b, rng* r)
{
  const limb_model* m = b->c.m;
  const int njoint = limb_joint_count(m);
  sp_force* joint = forces(njoint);
  double *Psi = numbers(b->nc * b->nv), *frictionless = numbers(b->nv);
  rng_fill(r, 20, b->nc, b->lambda);
  limb_environment env = limb_default_environment(m);
  env.friction = 0;
  limb_closed_motion in = bench_motion(b);
  in.env = &env;
  assert_ok(limb_closed_loads(b->w, &in, b->lambda, LIMB_BODY, NULL, joint, NULL));
  assert_ok(limb_loop_equations_at(b->w, b->c.q, NULL, NULL, &(limb_loop_equations){.Psi = Psi}));
  assert_ok(limb_inverse_dynamics(b->d, b->c.q, b->c.v, b->a, &env, frictionless));
  for (int j = 0; j < njoint; j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(m, j, &info));
    const limb_joint_def* def = &info.def;
    if ((def->type != LIMB_REVOLUTE && def->type != LIMB_PRISMATIC) || info.nv == 0) continue;
    const double spring = def->stiffness * (b->c.q[info.q] - def->rest) +
                          def->gear_ratio * def->gear_ratio * def->rotor_inertia * b->a[info.v];
    double want = frictionless[info.v] - spring, size = fabs(want) + fabs(spring) + 1;
    bool follows = false; // a mimic joint adds to the force of the one it follows
    for (int k = 0; k < njoint; k++) {
      limb_joint_info other;
      assert_ok(limb_get_joint(m, k, &other));
      follows = follows || (other.def.mimic >= 0 && other.v == info.v);
    }
    if (follows || limb_shaft_count(m) > 0) continue;
    for (int l = 0; l < limb_loop_count(m); l++) {
      limb_loop_info loop;
      assert_ok(limb_get_loop(m, l, &loop));
      if (loop.def.kind == LIMB_LOOP_GEAR || loop.def.kind == LIMB_LOOP_POLYNOMIAL) continue;
      for (int k = loop.constraint; k < loop.constraint + loop.nconstraint; k++) {
        want -= Psi[k * b->nv + info.v] * b->lambda[k];
        size += fabs(Psi[k * b->nv + info.v] * b->lambda[k]);
      }
    }
    const sp_vec3 part = def->type == LIMB_REVOLUTE ? joint[j].m : joint[j].f;
    assert_close(sp_dot3(def->axis, part) / sp_norm3(def->axis), want, 0, 1e-11 * (size + size_of(joint[j])));
  }
  free(joint);
  free(Psi);
  free(frictionless);
}

START_TEST(axes) { bench_over(_i, along_axes); }
END_TEST

// ---- another cut ----------------------------------------------------------------------------------------

typedef struct loads {
  double crank;           // torque of the motor
  sp_force at_ground[2];  // on crank and rocker, by the ground; world
  sp_force on_coupler[2]; // by crank, by rocker; world
} loads;

// The angles of the parts are the same; the coupler's is counted from crank or rocker. a: of the parts.
static loads loads_of(int cut, const double* angle, const double* rate, const double* second)
{
  double x[3][3];
  const double* const from[3] = {angle, rate, second};
  for (int k = 0; k < 3; k++) x[k][0] = from[k][0], x[k][1] = from[k][2], x[k][2] = from[k][1] - from[k][cut ? 2 : 0];
  bench b = bench_with(bench_four_bar(1, cut), x[0], x[1], x[2]);
  const limb_closed_motion in = bench_motion(&b);
  limb_closed_forces out = bench_forces(&b);
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(b.w, b.c.q, b.c.v, NULL, &gap));
  assert_that(gap.position < 1e-14 && gap.velocity < 1e-14);
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
  sp_force joint[3], loop[1];
  assert_ok(limb_closed_loads(b.w, &in, b.lambda, LIMB_WORLD, NULL, joint, NULL));
  assert_ok(limb_closed_loads(b.w, &in, b.lambda, LIMB_BODY, NULL, NULL, loop));
  assert_ok(limb_kinematics(b.d, b.c.q, NULL, NULL));
  limb_loop_info info;
  assert_ok(limb_get_loop(b.c.m, 0, &info));
  const sp_pose A = cut_frame(&b, info.def.body_a, info.def.pose_a);
  const sp_pose B = cut_frame(&b, info.def.body_b, info.def.pose_b);
  const sp_force closure = sp_scalef(-1, to_world(A.R, B.p, loop[0])); // on a, the coupler
  loads l = {.crank = b.tau[0], .at_ground = {joint[0], joint[1]}};
  l.on_coupler[cut] = joint[2];
  l.on_coupler[!cut] = closure;
  bench_end(&b);
  return l;
}

START_TEST(another_cut)
{
  // crank, coupler, rocker against the ground
  static const double angle[3] = {0.7, 0.7 - 0.145652786822976, 1.5237581508621456};
  static const double rate[3] = {1.3, 1.3 - 1.7498541677143962, 0.11441346611865466};
  static const double second[3] = {-0.6, -0.6 + 1.475717900419038, 1.2677095240767216};
  const loads x = loads_of(0, angle, rate, second), y = loads_of(1, angle, rate, second);
  assert_close(x.crank, 4.367274542153184, 1e-11, 0);
  assert_close(y.crank, x.crank, 1e-12, 0);
  for (int k = 0; k < 2; k++) {
    assert_close_force(y.at_ground[k], x.at_ground[k], 1e-12, 0);
    assert_close_force(y.on_coupler[k], x.on_coupler[k], 1e-12, 0);
  }
  // the force of the rocker on the coupler: figures computed outside this project
  assert_close_vec3(x.on_coupler[1].f, sp_v3(1.316899673004004, 11.169271543385733, 0), 1e-11, 0);
}
END_TEST

// ---- edges ----------------------------------------------------------------------------------------------

START_TEST(references_and_wrenches)
{
  bench b = bench_of(closed_find("five_bar", 3));
  closed_acceleration(&b.c, 1, b.a);
  // wrenches of the environment act beside those of the closures
  const limb_wrench push = {2, LIMB_ALIGNED, {{0.3, -0.2, 1}, {4, 5, -6}}};
  limb_environment env = limb_default_environment(b.c.m);
  env.nwrench = 1, env.wrench = &push;
  limb_closed_motion in = bench_motion(&b);
  in.env = &env;
  limb_closed_forces out = bench_forces(&b);
  assert_ok(limb_closed_inverse_dynamics(b.w, &in, NULL, NULL, &out));
  sp_force world[4], body[4], aligned[4], tree[4];
  assert_ok(limb_closed_loads(b.w, &in, b.lambda, LIMB_WORLD, NULL, world, NULL));
  assert_ok(limb_closed_loads(b.w, &in, b.lambda, LIMB_BODY, NULL, body, NULL));
  assert_ok(limb_closed_loads(b.w, &in, b.lambda, LIMB_ALIGNED, NULL, aligned, NULL));
  assert_ok(limb_kinematics(b.d, b.c.q, NULL, NULL));
  for (int j = 0; j < 4; j++) {
    sp_pose X;
    assert_ok(limb_frame_pose(b.d, j + 1, &X)); // joint j carries body j + 1
    assert_close_force(to_world(X.R, X.p, body[j]), world[j], 1e-13, 0);
    assert_close_force(to_world(sp_identity3(), X.p, aligned[j]), world[j], 1e-13, 0);
  }
  // without multipliers: the tree
  for (int k = 0; k < b.nc; k++) b.lambda[k] = 0;
  assert_ok(limb_closed_loads(b.w, &in, b.lambda, LIMB_WORLD, NULL, world, NULL));
  assert_ok(limb_joint_reactions(b.d, b.c.q, b.c.v, b.a, &env, LIMB_WORLD, tree));
  assert_close_forces(world, tree, 4, 0, 0);
  bench_end(&b);
}
END_TEST

START_TEST(wrong_arguments)
{
  bench b = bench_of(closed_find("four_bar", 1));
  limb_closed_motion in = bench_motion(&b);
  sp_force joint[3], loop[1];
  assert_ok(limb_closed_loads(b.w, &in, b.lambda, LIMB_BODY, NULL, NULL, NULL));
  assert_status(limb_closed_loads(NULL, &in, b.lambda, LIMB_BODY, NULL, joint, loop), LIMB_E_ARG);
  assert_status(limb_closed_loads(b.w, NULL, b.lambda, LIMB_BODY, NULL, joint, loop), LIMB_E_ARG);
  assert_status(limb_closed_loads(b.w, &in, NULL, LIMB_BODY, NULL, joint, loop), LIMB_E_ARG);
  assert_status(limb_closed_loads(b.w, &in, b.lambda, (limb_ref)7, NULL, joint, loop), LIMB_E_ARG);
  const double** const part[3] = {&in.q, &in.v, &in.a};
  for (int k = 0; k < 3; k++) {
    const double* whole = *part[k];
    const double bad[3] = {0, nan(""), 0};
    *part[k] = NULL;
    assert_status(limb_closed_loads(b.w, &in, b.lambda, LIMB_BODY, NULL, joint, loop), LIMB_E_ARG);
    *part[k] = bad;
    assert_status(limb_closed_loads(b.w, &in, b.lambda, LIMB_BODY, NULL, joint, loop), LIMB_E_NONFINITE);
    *part[k] = whole;
  }
  b.lambda[2] = HUGE_VAL;
  assert_status(limb_closed_loads(b.w, &in, b.lambda, LIMB_BODY, NULL, joint, loop), LIMB_E_NONFINITE);
  b.lambda[2] = b.lambda[3] = 1.7e308;
  assert_status(limb_closed_loads(b.w, &in, b.lambda, LIMB_WORLD, NULL, joint, loop), LIMB_E_NONFINITE);
  bench_end(&b);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const once[] = {another_cut, references_and_wrenches, wrong_arguments, NULL};
  const TTest* const each[] = {balance_of_bodies, closures_in_axes, axes, NULL};
  const int failed = check_run("closed_loads", 1, once);
  return check_run("closed_loads_over", closed_count(), each) | failed;
}
