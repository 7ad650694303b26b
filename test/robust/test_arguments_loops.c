// Every call about loops rejects what its header says it rejects: NULL, values that are not finite,
// quaternions that are not unit, workspaces made for less.
#include "base/memory.h"
#include "loops/closed.h"
#include "robust/hot_loops.h"

// ---- pointers ------------------------------------------------------------------------------------------

// Without a pointer that it needs a call fails; without any other it does not.
START_TEST(pointers)
{
  loop_bed b = loop_bed_gough();
  assert_that(b.p && b.other && b.map.velocity[0] >= 0);
  for (int i = 0; i < HOT_LOOPS; i++) {
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    check_at("%s", hot_loops[i].name);
    assert_ok(hot_loops[i].call(&in));
    for (int k = 0; k < LOOP_POINTERS; k++) {
      in = loop_inputs_of(&b, hot_loops[i].more);
      take_away(&in, k);
      check_at("%s without pointer %d", hot_loops[i].name, k);
      assert_status(hot_loops[i].call(&in), hot_loops[i].needs >> k & 1U ? LIMB_E_ARG : LIMB_OK);
    }
  }
  loop_bed_free(&b);
}
END_TEST

// Those that the table does not reach: structs of pointers, indices, platforms.
START_TEST(structs)
{
  loop_bed b = loop_bed_gough();
  const limb_closed_motion in = {b.c.q, b.c.v, b.a, NULL};
  limb_closed_forces forces = {.tau = b.out[0]};
  const limb_closed_derivatives fd = {.a = b.out[0]};
  const limb_closed_inverse_derivatives id = {.tau = b.out[0]};
  int n = 0;
  double *A = b.out[1], *H = b.out[2];
  assert_status(limb_loop_equations_at(b.dense, b.c.q, b.c.v, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_inverse_dynamics(b.dense, NULL, NULL, NULL, &forces), LIMB_E_ARG);
  assert_status(limb_closed_inverse_dynamics(b.dense, &in, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_reduced_dynamics(b.dense, NULL, NULL, NULL, &n, A, H), LIMB_E_ARG);
  assert_status(limb_closed_loads(b.dense, NULL, b.lambda, LIMB_BODY, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_loads(b.dense, &in, b.lambda, (limb_ref)7, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_forward_dynamics_derivatives(b.dense, b.dual, NULL, b.tau, NULL, &fd), LIMB_E_ARG);
  assert_status(limb_closed_forward_dynamics_derivatives(b.dense, b.dual, &in, b.tau, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_closed_inverse_dynamics_derivatives(b.dense, b.dual, NULL, NULL, NULL, &n, &id), LIMB_E_ARG);
  assert_status(limb_closed_inverse_dynamics_derivatives(b.dense, b.dual, &in, NULL, NULL, &n, NULL), LIMB_E_ARG);
  assert_status(limb_assembly_branches(b.dense, b.c.q, NULL, 0, b.out[0], &n), LIMB_E_ARG);
  assert_status(limb_baumgarte(1e-3, NULL), LIMB_E_ARG);
  assert_that(limb_data_model(b.dense) == b.c.m && !limb_data_model(NULL));
  assert_status(limb_parallel_get(NULL, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_get(b.p, NULL), LIMB_E_ARG);
  assert_that(limb_parallel_leg_of(NULL, 0) == -2 && limb_parallel_leg_of(b.p, -1) == -2);
  assert_that(limb_parallel_leg_of(b.p, limb_joint_count(b.c.m)) == -2);
  loop_bed_free(&b);
}
END_TEST

// Marks are 0 or 1, and as many are set as there are motions; otherwise refused, never followed.
START_TEST(marks)
{
  loop_bed b = loop_bed_gough();
  unsigned char* bad = calloc((size_t)b.nv, 1);
  assert_that(bad != NULL);
  for (int i = 0; i < HOT_LOOPS; i++) {
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    in.marks = b.independent;
    check_at("%s with marks", hot_loops[i].name);
    assert_ok(hot_loops[i].call(&in));
    if (!(hot_loops[i].flags & TAKES_MARKS)) continue;
    in.marks = bad;
    memset(bad, 0, (size_t)b.nv);
    assert_status(hot_loops[i].call(&in), LIMB_E_SINGULAR);
    memset(bad, 1, (size_t)b.nv);
    assert_status(hot_loops[i].call(&in), LIMB_E_SINGULAR);
    memcpy(bad, b.independent, (size_t)b.nv);
    bad[b.nv - 1] = 2;
    assert_status(hot_loops[i].call(&in), LIMB_E_ARG);
  }
  free(bad);
  loop_bed_free(&b);
}
END_TEST

// ---- numbers -------------------------------------------------------------------------------------------

// NaN and infinities at every position of every array that is read.
START_TEST(not_finite)
{
  loop_bed b = loop_bed_gough();
  const int n[5] = {b.nq, b.nv, b.nv, b.nv, b.nc};
  double* const array[5] = {b.c.q, b.c.v, b.a, b.tau, b.lambda};
  for (int i = 0; i < HOT_LOOPS; i++) {
    const unsigned reads = hot_loops[i].needs | hot_loops[i].reads;
    for (int which = 0; which < 5; which++) {
      if (!(reads & (unsigned)NEEDS_Q << which)) continue;
      const unsigned some = which == 1 ? READS_SOME_V : which == 2 ? READS_SOME_A : 0;
      for (int k = 0; k < n[which]; k++) {
        if (hot_loops[i].flags & some && !b.independent[k]) continue;
        const loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
        const double keep = array[which][k];
        array[which][k] = bad_number(i + k);
        check_at("%s, array %d, position %d", hot_loops[i].name, which, k);
        assert_status(hot_loops[i].call(&in), LIMB_E_NONFINITE);
        array[which][k] = keep;
      }
    }
    const loop_inputs in = loop_inputs_of(&b, hot_loops[i].more); // and all is as it was before
    check_at("%s after refusals", hot_loops[i].name);
    assert_ok(hot_loops[i].call(&in));
  }
  loop_bed_free(&b);
}
END_TEST

// Every number of the platform's motion; then places, velocities and accelerations that the robot does not
// have.
START_TEST(motions_of_platforms)
{
  loop_bed b = loop_bed_gough();
  enum { POSE = sizeof(sp_pose) / sizeof(double), ALL = sizeof(limb_platform_motion) / 8 };
  for (int i = 0; i < HOT_LOOPS; i++) {
    const unsigned reads = hot_loops[i].flags & (READS_POSE | READS_MOTION);
    if (!reads) continue;
    for (int k = 0; k < (reads & READS_MOTION ? ALL : POSE); k++) {
      const limb_platform_motion keep = b.motion;
      const double bad = bad_number(k);
      memcpy((char*)&b.motion + (size_t)k * sizeof bad, &bad, sizeof bad);
      const loop_inputs in = loop_inputs_of(&b, NO_OPTIONS);
      check_at("%s, number %d of the motion", hot_loops[i].name, k);
      assert_status(hot_loops[i].call(&in), LIMB_E_NONFINITE);
      b.motion = keep;
    }
    const limb_platform_motion keep = b.motion;
    b.motion.pose.R.m[0] += 0.1;
    const loop_inputs in = loop_inputs_of(&b, NO_OPTIONS);
    check_at("%s, a pose that is none", hot_loops[i].name);
    assert_status(hot_loops[i].call(&in), LIMB_E_ARG);
    b.motion = keep;
  }
  loop_bed_free(&b);
}
END_TEST

START_TEST(quaternions)
{
  static const double scale[4] = {0, 1.0011, 0.9989, 1.0005};
  loop_bed b = loop_bed_gough();
  limb_joint_info platform = {0};
  for (int j = 0; j < limb_joint_count(b.c.m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(b.c.m, j, &info));
    if (info.nq == 7) platform = info;
  }
  assert_that(platform.nq == 7);
  for (int i = 0; i < HOT_LOOPS; i++) {
    for (int k = 0; k < 4; k++) {
      double keep[4];
      memcpy(keep, b.c.q + platform.q + 3, sizeof keep);
      for (int j = 0; j < 4; j++) b.c.q[platform.q + 3 + j] *= scale[k];
      const loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
      check_at("%s, quaternion of norm %g", hot_loops[i].name, scale[k]);
      // a little off is put right, not refused
      assert_status(hot_loops[i].call(&in), k < 3 ? LIMB_E_ARG : LIMB_OK);
      memcpy(b.c.q + platform.q + 3, keep, sizeof keep);
    }
  }
  loop_bed_free(&b);
}
END_TEST

// Finite numbers whose results are beyond the numbers: never LIMB_OK, whatever outputs are wanted.
START_TEST(beyond_the_numbers)
{
  loop_bed b = loop_bed_gough();
  for (int k = 0; k < b.nv; k++) b.c.v[k] = 1e200, b.a[k] = 1e308, b.tau[k] = 1e308;
  for (int k = 0; k < b.nc; k++) b.lambda[k] = 1e308;
  for (int i = 0; i < HOT_LOOPS; i++) {
    if (!(hot_loops[i].needs & (NEEDS_A | NEEDS_TAU))) continue;
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    for (int k = LOOP_OUTPUTS; k > 0; k--) { // all, then fewer and fewer
      const limb_status s = hot_loops[i].call(&in);
      check_at("%s with %d outputs: %s", hot_loops[i].name, k, limb_status_text(s));
      assert_that(s == LIMB_E_NONFINITE || s == LIMB_E_ARG);
      if (!(hot_loops[i].needs & (unsigned)NEEDS_OUT0 << (k - 1))) in.out[k - 1] = NULL;
    }
  }
  // large torques alone: the rows are in order, the accelerations are not
  for (int k = 0; k < b.nv; k++) b.c.v[k] = 0;
  loop_inputs in = loop_inputs_of(&b, NO_OPTIONS);
  in.out[1] = in.out[2] = NULL;
  assert_status(closed_forward(&in), LIMB_E_NONFINITE);
  loop_bed_free(&b);
}
END_TEST

// ---- the environment -----------------------------------------------------------------------------------

START_TEST(environments)
{
  loop_bed b = loop_bed_gough();
  for (int i = 0; i < HOT_LOOPS; i++) {
    if (!(hot_loops[i].flags & TAKES_ENVIRONMENT)) continue;
    struct {
      limb_environment env;
      double more[2];
    } e = {.env = limb_default_environment(b.c.m)};
    limb_wrench w = {1, LIMB_BODY, {{1, 2, 3}, {4, 5, 6}}};
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    in.env = &e.env;
    e.env.nwrench = 1, e.env.wrench = &w;
    check_at("%s with a wrench", hot_loops[i].name);
    assert_ok(hot_loops[i].call(&in));
    double* const number[] = {
      &e.env.gravity.y, &e.env.base_velocity.w.x, &e.env.base_acceleration.v.z, &e.env.coulomb_width, &w.wrench.m.x,
      &w.wrench.f.z};
    for (int k = 0; k < 6; k++) {
      const double keep = *number[k];
      *number[k] = bad_number(k);
      check_at("%s, number %d of the environment", hot_loops[i].name, k);
      assert_status(hot_loops[i].call(&in), LIMB_E_NONFINITE);
      *number[k] = keep;
    }
    check_at("%s, counts and sizes", hot_loops[i].name);
    w.frame = limb_frame_count(b.c.m);
    assert_status(hot_loops[i].call(&in), LIMB_E_ARG);
    w.frame = 1, w.ref = (limb_ref)3;
    assert_status(hot_loops[i].call(&in), LIMB_E_ARG);
    w.ref = LIMB_WORLD, e.env.nwrench = -1;
    assert_status(hot_loops[i].call(&in), LIMB_E_ARG);
    e.env.nwrench = 1, e.env.size = 0;
    assert_status(hot_loops[i].call(&in), LIMB_E_ARG);
    e.env.size = sizeof e;
    assert_ok(hot_loops[i].call(&in));
    e.more[1] = 1;
    assert_status(hot_loops[i].call(&in), LIMB_E_UNSUPPORTED);
  }
  loop_bed_free(&b);
}
END_TEST

// ---- workspaces ----------------------------------------------------------------------------------------

START_TEST(workspaces_for_less)
{
  loop_bed b = loop_bed_gough();
  for (int i = 0; i < HOT_LOOPS; i++) {
    loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    in.w = b.linear;
    check_at("%s in a small workspace", hot_loops[i].name);
    assert_status(hot_loops[i].call(&in), hot_loops[i].flags & WANTS_DENSE ? LIMB_E_ORDER : LIMB_OK);
  }
  // dual numbers of another robot, and another robot as the same one
  limb_model* stranger = closed_five_bar();
  limb_dual* dual = NULL;
  assert_ok(limb_dual_create(stranger, LIMB_DUAL_VECTORS, NULL, &dual));
  loop_inputs in = loop_inputs_of(&b, NO_OPTIONS);
  in.dual = dual, in.other = stranger;
  assert_status(forward_derivatives(&in), LIMB_E_ARG);
  assert_status(inverse_derivatives(&in), LIMB_E_ARG);
  assert_status(recut_state(&in), LIMB_E_ARG);
  limb_dual_destroy(dual);
  limb_model_destroy(stranger);
  loop_bed_free(&b);
}
END_TEST

// Trees have no loops, and public calls about loops take them: every configuration is closed, all velocities are
// independent, and held coordinates go wherever they are told to.
START_TEST(robots_without_loops)
{
  limb_model* m = robot_find("panda")->make();
  closed_case c = {.name = "panda", .m = m};
  c.q = calloc((size_t)limb_nq(m), sizeof *c.q), c.v = calloc((size_t)limb_nv(m), sizeof *c.v);
  assert_that(c.q && c.v);
  uint64_t seed = 4;
  assert_ok(limb_random(m, &seed, c.q));
  for (int k = 0; k < limb_nv(m); k++) c.v[k] = 0.3 - 0.1 * k;
  loop_bed b = loop_bed_make(c);
  assert_that(b.nc == 0 && !b.p && !b.other);
  for (int i = 0; i < HOT_LOOPS; i++) {
    const int none = hot_loops[i].needs & (NEEDS_P | NEEDS_OTHER) || hot_loops[i].flags & NO_TREES;
    const loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    check_at("%s of a tree", hot_loops[i].name);
    assert_status(hot_loops[i].call(&in), none ? LIMB_E_ARG : LIMB_OK);
  }
  loop_bed_free(&b);
}
END_TEST

START_TEST(answers_without_loops)
{
  limb_model* m = robot_find("panda")->make();
  limb_data* d = NULL;
  double q[9], goal[9], v[9] = {0.5, -0.25}, G[81];
  unsigned char held[9] = {1, 1}, independent[9] = {0};
  const int nq = limb_nq(m), nv = limb_nv(m);
  uint64_t seed = 4;
  int count = 0;
  assert_that(nv <= 9 && nq == nv);
  assert_ok(limb_data_create(m, NULL, &d));
  assert_ok(limb_random(m, &seed, q));
  assert_ok(limb_random(m, &seed, goal));
  limb_mobility is;
  assert_ok(limb_mobility_at(d, q, NULL, &is));
  assert_that(is.mobility == nv && is.gruebler == nv && is.rank == 0 && is.driven == is.active && is.overdriven == 0);
  assert_that(is.active + is.passive == nv && is.condition == 1 && is.singularity == LIMB_REGULAR);
  limb_loop_gap gap = {1, 1, 0, 0};
  assert_ok(limb_loop_gap_of(d, q, v, NULL, &gap));
  assert_that(gap.position == 0 && gap.velocity == 0 && gap.position_loop == -1 && gap.velocity_loop == -1);
  assert_ok(limb_independent_velocities(d, q, NULL, independent));
  for (int k = 0; k < nv; k++) assert_that(independent[k] == 1);
  assert_ok(limb_velocity_map(d, q, NULL, NULL, &count, G));
  assert_that(count == nv);
  for (int k = 0; k < nv * nv; k++) assert_that(G[k] == (k % (nv + 1) == 0));
  assert_status(limb_complete_velocities(d, q, held, NULL, v), LIMB_E_SINGULAR);
  // only what is held goes to the goal; a map is of the poses there
  double to[9], x[3 * 9];
  memcpy(to, q, sizeof q);
  assert_ok(limb_follow_branch(d, goal, held, NULL, to));
  for (int k = 0; k < nq; k++) assert_close(to[k], k < 2 ? goal[k] : q[k], 1e-15, 0);
  limb_map map = limb_default_map();
  limb_map_point point[3];
  map.velocity[0] = 1, map.lower[0] = -1, map.upper[0] = 0, map.count[0] = 3, map.frame = limb_frame_count(m) - 1;
  assert_ok(limb_map_over(d, q, &map, NULL, point, x));
  for (int i = 0; i < 3; i++) {
    sp_pose pose;
    assert_that(point[i].closed && point[i].mobility.mobility == nv);
    assert_close(x[i * nq + 1], -1 + 0.5 * i, 1e-15, 0);
    assert_ok(limb_kinematics(d, x + (size_t)i * (size_t)nq, NULL, NULL));
    assert_ok(limb_frame_pose(d, map.frame, &pose));
    assert_that(memcmp(&pose, &point[i].pose, sizeof pose) == 0);
  }
  limb_assembly_report report;
  assert_ok(limb_assemble(d, NULL, q, &report));
  assert_that(report.residual == 0 && report.loop == -1 && report.starts == 1);
  assert_ok(limb_assembly_branches(d, goal, NULL, 1, to, &count));
  assert_that(count == 1 && memcmp(to, goal, (size_t)nq * sizeof *to) == 0);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

START_TEST(life)
{
  closed_case c = closed_find("gough_stewart", 1);
  const limb_allocator usual = limb_default_allocator();
  limb_allocator broken[2] = {usual, usual};
  broken[0].alloc = NULL, broken[1].free = NULL;
  limb_data* w = NULL;
  limb_parallel* p = NULL;
  limb_model* m = NULL;
  limb_error err = {0};
  for (int dense = 0; dense < 2; dense++) { // what test_arguments_cold tries with trees
    const size_t size = dense ? limb_data_dense_size(c.m) : limb_data_size(c.m), all = (size + 191) / 64 * 64;
    char* block = aligned_alloc(LIMB_DATA_ALIGN, all);
    assert_that(size > 0 && block);
    memset(block, 0x5a, all);
    assert_status(limb_data_init(c.m, block + 8, size, &w), LIMB_E_ARG);
    if (!dense) assert_status(limb_data_init(c.m, block, size - 1, &w), LIMB_E_NOMEM);
    assert_that(w == NULL);
    assert_ok(limb_data_init(c.m, block, size, &w));
    limb_mobility found;
    assert_ok(limb_mobility_at(w, c.q, NULL, &found));
    assert_that(found.mobility == 6);
    limb_data_destroy(w);
    for (size_t i = size; i < all; i++) assert_that(block[i] == 0x5a);
    free(block);
    w = NULL;
  }
  for (int k = 0; k < 2; k++) {
    w = (limb_data*)(void*)&c, p = (limb_parallel*)(void*)&c, m = c.m;
    assert_status(limb_data_create(c.m, &broken[k], &w), LIMB_E_ARG);
    assert_status(limb_parallel_create(c.m, -1, &broken[k], &p, &err), LIMB_E_ARG);
    assert_status(limb_recut(c.m, 0, 0, &broken[k], &m, &err), LIMB_E_ARG);
    assert_that(!w && !p && !m);
  }
  assert_status(limb_parallel_create(NULL, -1, NULL, &p, &err), LIMB_E_ARG);
  assert_status(limb_parallel_create(c.m, -2, NULL, &p, &err), LIMB_E_ARG);
  assert_status(limb_parallel_create(c.m, limb_body_count(c.m), NULL, &p, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_create(c.m, -1, NULL, NULL, &err), LIMB_E_ARG);
  assert_status(limb_recut(NULL, 0, 0, NULL, &m, &err), LIMB_E_ARG);
  assert_status(limb_recut(c.m, -1, 0, NULL, &m, &err), LIMB_E_ARG);
  assert_status(limb_recut(c.m, limb_loop_count(c.m), 0, NULL, &m, NULL), LIMB_E_ARG);
  assert_status(limb_recut(c.m, 0, -1, NULL, &m, &err), LIMB_E_ARG);
  assert_status(limb_recut(c.m, 0, limb_joint_count(c.m), NULL, &m, &err), LIMB_E_ARG);
  assert_status(limb_recut(c.m, 0, 0, NULL, NULL, &err), LIMB_E_ARG);
  limb_data_destroy(NULL);
  limb_parallel_destroy(NULL);
  closed_free(&c);
}
END_TEST

CHECK_MAIN("robust/arguments_loops", 1, pointers, structs, marks, not_finite, motions_of_platforms, quaternions,
           beyond_the_numbers, environments, workspaces_for_less, robots_without_loops, answers_without_loops, life)
