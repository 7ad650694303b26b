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
  assert_that(limb_loops_model(b.dense) == b.c.m && !limb_loops_model(NULL));
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

// Trees have no loops, and every call takes them; the dynamics are those of limb/dynamics.h.
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
  double want[16];
  assert_that(b.nv <= 16);
  for (int i = 0; i < HOT_LOOPS; i++) {
    const int tree_has_none = hot_loops[i].needs & (NEEDS_P | NEEDS_OTHER);
    const loop_inputs in = loop_inputs_of(&b, hot_loops[i].more);
    check_at("%s of a tree", hot_loops[i].name);
    assert_status(hot_loops[i].call(&in), tree_has_none ? LIMB_E_ARG : LIMB_OK);
    if (hot_loops[i].call == closed_inverse) {
      assert_ok(limb_inverse_dynamics(b.d, c.q, c.v, b.a, NULL, want));
      assert_close_array(b.out[0], want, b.nv, TOL_ALGEBRA, 0);
    }
    if (hot_loops[i].needs & NEEDS_TAU && !tree_has_none) {
      assert_ok(limb_forward_dynamics(b.d, c.q, c.v, b.tau, NULL, want));
      assert_close_array(b.out[0], want, b.nv, TOL_SOLVE, 0);
    }
  }
  loop_bed_free(&b);
}
END_TEST

START_TEST(life)
{
  closed_case c = closed_find("gough_stewart", 1);
  const limb_allocator usual = limb_default_allocator();
  limb_allocator broken[2] = {usual, usual};
  broken[0].alloc = NULL, broken[1].free = NULL;
  limb_loops* w = NULL;
  limb_parallel* p = NULL;
  limb_model* m = NULL;
  limb_error err = {0};
  assert_that(limb_loops_size(NULL, LIMB_LOOPS_LINEAR) == 0);
  assert_that(limb_loops_size(c.m, (limb_loops_use)2) == 0);
  for (int use = 0; use < 2; use++) {
    const size_t size = limb_loops_size(c.m, (limb_loops_use)use), all = (size + 191) / 64 * 64;
    char* block = aligned_alloc(LIMB_DATA_ALIGN, all);
    assert_that(size > 0 && block);
    memset(block, 0x5a, all);
    const limb_loops_use u = (limb_loops_use)use;
    assert_status(limb_loops_init(NULL, u, block, size, &w), LIMB_E_ARG);
    assert_status(limb_loops_init(c.m, (limb_loops_use)-1, block, size, &w), LIMB_E_ARG);
    assert_status(limb_loops_init(c.m, u, NULL, size, &w), LIMB_E_ARG);
    assert_status(limb_loops_init(c.m, u, block + 8, size, &w), LIMB_E_ARG);
    assert_status(limb_loops_init(c.m, u, block, size, NULL), LIMB_E_ARG);
    assert_status(limb_loops_init(c.m, u, block, size - 1, &w), LIMB_E_NOMEM);
    assert_that(w == NULL);
    assert_ok(limb_loops_init(c.m, u, block, size, &w));
    limb_mobility found;
    assert_ok(limb_mobility_at(w, c.q, NULL, &found));
    assert_that(found.mobility == 6);
    limb_loops_destroy(w);
    for (size_t i = size; i < all; i++) assert_that(block[i] == 0x5a);
    free(block);
  }
  for (int k = 0; k < 2; k++) {
    w = (limb_loops*)(void*)&c, p = (limb_parallel*)(void*)&c, m = c.m;
    assert_status(limb_loops_create(c.m, LIMB_LOOPS_DENSE, &broken[k], &w), LIMB_E_ARG);
    assert_status(limb_parallel_create(c.m, -1, &broken[k], &p, &err), LIMB_E_ARG);
    assert_status(limb_recut(c.m, 0, 0, &broken[k], &m, &err), LIMB_E_ARG);
    assert_that(!w && !p && !m);
  }
  assert_status(limb_loops_create(NULL, LIMB_LOOPS_DENSE, NULL, &w), LIMB_E_ARG);
  assert_status(limb_loops_create(c.m, (limb_loops_use)3, NULL, &w), LIMB_E_ARG);
  assert_status(limb_loops_create(c.m, LIMB_LOOPS_DENSE, NULL, NULL), LIMB_E_ARG);
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
  limb_loops_destroy(NULL);
  limb_parallel_destroy(NULL);
  closed_free(&c);
}
END_TEST

CHECK_MAIN("robust/arguments_loops", 1, pointers, structs, marks, not_finite, motions_of_platforms, quaternions,
           beyond_the_numbers, environments, workspaces_for_less, robots_without_loops, life)
