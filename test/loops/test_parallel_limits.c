// Parallel robots: singular poses, what is out of reach, what is refused, arguments and memory.
#include "loops/parallel_bench.h"

// ---- singular poses -------------------------------------------------------------------------------------

static limb_platform_motion at_rest(limb_data* d, int platform, const double* q, const double* zero)
{
  return motion_at(d, platform, q, zero, zero);
}

// Coupler and rocker in line: the crank is stuck, and cannot hold the others.
START_TEST(dead_centre_is_singular)
{
  bench b = bench_of(closed_four_bar(1, 0.35, 0.6, 0.6), "coupler", 1);
  const double crank = acos((1 + 0.35 * 0.35 - 1.44) / 0.7);
  const double line = atan2(-0.35 * sin(crank), 1 - 0.35 * cos(crank));
  const double q[3] = {crank, line - crank, line + PI}, zero[3] = {0};
  sp_motion J[3];
  const limb_platform_motion motion = at_rest(b.d, b.info.platform, q, zero);
  assert_status(limb_parallel_inverse_dynamics(b.p, q, &motion, NULL, b.tau), LIMB_E_SINGULAR);
  assert_status(limb_parallel_jacobian(b.p, q, J), LIMB_E_SINGULAR);
  assert_ok(limb_parallel_motion(b.p, q, &motion, b.x, b.y));
  bench_free(&b);
}
END_TEST

// A stretched leg does not follow the platform.
START_TEST(stretched_leg_is_singular)
{
  bench b = bench_of(closed_five_bar(), "2", 1);
  const double q3 = 2.2, x = 1 + 1.2 * cos(q3), y = 1.2 * sin(q3);
  const double elbow = acos((x * x + y * y - 0.25 - 0.36) / 0.6);
  const double first = atan2(y, x) + atan2(0.6 * sin(elbow), 0.5 + 0.6 * cos(elbow));
  const double q[4] = {first, -elbow, q3, 0}, zero[4] = {0};
  const limb_platform_motion motion = at_rest(b.d, b.info.platform, q, zero);
  limb_loop_gap gap;
  assert_ok(limb_loop_gap_of(b.w, q, NULL, NULL, &gap));
  assert_close(gap.position, 0, 0, 1e-14);
  assert_status(limb_parallel_motion(b.p, q, &motion, b.x, NULL), LIMB_E_SINGULAR);
  assert_status(limb_parallel_forward_dynamics(b.p, q, zero, zero, NULL, NULL, b.x), LIMB_E_SINGULAR);
  bench_free(&b);
}
END_TEST

// ---- what is refused ------------------------------------------------------------------------------------

START_TEST(out_of_reach)
{
  bench b = bench_of(gough_floating(), NULL, 1);
  // prismatic legs reach everywhere: a planar robot does not
  bench c = bench_of(closed_3rrr(), "platform", 1);
  sp_pose far = c.motion.pose;
  far.p.x += 3;
  int failed = -1;
  memcpy(c.q, c.c.q, (size_t)c.nq * sizeof(double));
  assert_status(limb_parallel_inverse_geometry(c.p, &far, c.q, &failed), LIMB_E_NOCONV);
  assert_that(failed >= 0 && failed < 3);
  assert_close_array(c.q, c.c.q, c.nq, 0, 0);
  // out of its plane
  far = c.motion.pose;
  far.p.z = 0.1;
  assert_status(limb_parallel_inverse_geometry(c.p, &far, c.q, &failed), LIMB_E_NOCONV);
  // drives that do not meet
  static const double none[9] = {0};
  memcpy(c.q, none, sizeof none < (size_t)c.nq * sizeof(double) ? sizeof none : (size_t)c.nq * sizeof(double));
  c.q[0] = PI, c.q[2] = PI, c.q[4] = PI;
  const limb_status s = limb_parallel_forward_geometry(c.p, c.q, NULL);
  assert_that(s == LIMB_E_NOCONV || s == LIMB_E_SINGULAR);
  bench_free(&c);
  bench_free(&b);
}
END_TEST

START_TEST(motions_that_legs_forbid)
{
  bench b = bench_of(delta_robot(), NULL, 1);
  limb_platform_motion turn = b.motion;
  turn.velocity.w.x += 0.1;
  assert_status(limb_parallel_motion(b.p, b.c.q, &turn, b.x, NULL), LIMB_E_ARG);
  turn = b.motion;
  turn.acceleration.w.y += 0.1;
  assert_status(limb_parallel_motion(b.p, b.c.q, &turn, b.x, b.y), LIMB_E_ARG);
  assert_status(limb_parallel_inverse_dynamics(b.p, b.c.q, &turn, NULL, b.tau), LIMB_E_ARG);
  turn = b.motion;
  turn.pose.p.x += 1e-3; // not where q says
  assert_status(limb_parallel_motion(b.p, b.c.q, &turn, b.x, NULL), LIMB_E_ARG);
  sp_pose pose = b.motion.pose;
  pose.R = sp_mul3(pose.R, sp_rot_axis(sp_v3(1, 0, 0), 0.1));
  memcpy(b.q, b.c.q, (size_t)b.nq * sizeof(double));
  assert_status(limb_parallel_inverse_geometry(b.p, &pose, b.q, NULL), LIMB_E_NOCONV);
  b.c.v[b.nv - 1] += 0.1;
  assert_status(limb_parallel_forward_dynamics(b.p, b.c.q, b.c.v, b.tau, NULL, NULL, b.x), LIMB_E_ARG);
  b.c.q[b.nq - 1] += 0.1;
  sp_motion J[3];
  assert_status(limb_parallel_jacobian(b.p, b.c.q, J), LIMB_E_ARG);
  bench_free(&b);
}
END_TEST

static void refused(limb_model* m, const char* platform, limb_status want, const char* word)
{
  limb_parallel* p = NULL;
  limb_error err = {0};
  const int body = platform ? limb_find_body(m, platform) : -1;
  check_at("%s, platform %s", limb_model_name(m), platform ? platform : "found");
  assert_status(limb_parallel_create(m, body, NULL, &p, &err), want);
  assert_that(p == NULL);
  ck_assert_msg(strstr(err.text, word) != NULL, "%s: %s", err.where, err.text);
  limb_model_destroy(m);
}

// A platform on three legs, and on that another.
static limb_model* stacked(void)
{
  limb_builder* b = fixture_begin("stacked");
  int base = LIMB_WORLD_BODY;
  const double I[6] = {0.1, 0, 0, 0.1, 0, 0.2};
  for (int stage = 0; stage < 2; stage++) {
    const char* name = stage ? "upper" : "lower";
    const int platform = fixture_body(b, name, fixture_inertia(2, sp_v3(0, 0, 0), I));
    limb_joint_def free = limb_default_joint_def(name, LIMB_FREE, LIMB_WORLD_BODY, platform);
    free.placement = fixture_at(0, 0, 0.4 * (stage + 1));
    fixture_joint(b, &free);
    for (int k = 0; k < 3; k++) {
      char word[GOUGH_NAME];
      const sp_mat3 R = sp_rot_axis(sp_v3(0, 0, 1), 2.0943951023931953 * k);
      gough_name(word, stage ? "u" : "l", k);
      const int rocker = closed_add(b, &(closed_link){.name = word,
                                                      .type = LIMB_REVOLUTE,
                                                      .parent = base,
                                                      .placement = sp_pose_make(R, sp_mulv(R, sp_v3(0.3, 0, 0))),
                                                      .axis = sp_v3(0, 1, 0),
                                                      .inertia = fixture_inertia(1, sp_v3(0, 0, 0.1), I)});
      gough_name(word, stage ? "us" : "ls", k);
      const int slide = closed_add(b, &(closed_link){.name = word,
                                                     .type = LIMB_PRISMATIC,
                                                     .parent = rocker,
                                                     .placement = fixture_at(0, 0, 0.4),
                                                     .axis = sp_v3(0, 0, 1),
                                                     .inertia = fixture_inertia(1, sp_v3(0, 0, 0), I),
                                                     .active = 1});
      closed_join(b, word, LIMB_LOOP_BALL, slide, sp_pose_identity(), platform,
                  sp_pose_make(sp_identity3(), sp_mulv(R, sp_v3(0.2, 0, 0))));
    }
    base = platform;
  }
  return fixture_end(b);
}

START_TEST(robots_that_are_none)
{
  refused(stacked(), "lower", LIMB_E_UNSUPPORTED, "stages");
  refused(stacked(), NULL, LIMB_E_UNSUPPORTED, "stages");
  refused(stacked(), "upper", LIMB_E_MODEL, "1 leg");
  refused(usual_four_bar(), NULL, LIMB_E_MODEL, "name the platform");
  refused(closed_sled(), NULL, LIMB_E_MODEL, "no parallel robot");
  refused(closed_gear_pair(), NULL, LIMB_E_UNSUPPORTED, "rows");
  refused(closed_floating(), "coupler", LIMB_E_UNSUPPORTED, "lead");
  refused(closed_sled(), "base", LIMB_E_UNSUPPORTED, "velocities");
  refused(closed_driven_arm(), "two", LIMB_E_UNSUPPORTED, "moves in time");
  refused(gough_loose(), NULL, LIMB_E_UNSUPPORTED, "rows");
  refused(gough_floating(), "world", LIMB_E_MODEL, "cannot move");
}
END_TEST

START_TEST(arguments)
{
  bench b = bench_of(gough_floating(), NULL, 1);
  limb_parallel* p = NULL;
  limb_error err;
  sp_motion J[6];
  const double* q = b.c.q;
  limb_platform_motion bad = b.motion;
  assert_status(limb_parallel_create(NULL, -1, NULL, &p, &err), LIMB_E_ARG);
  assert_status(limb_parallel_create(b.c.m, -1, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_create(b.c.m, -2, NULL, &p, &err), LIMB_E_ARG);
  assert_status(limb_parallel_create(b.c.m, limb_body_count(b.c.m), NULL, &p, &err), LIMB_E_ARG);
  assert_status(limb_parallel_get(NULL, &b.info), LIMB_E_ARG);
  assert_status(limb_parallel_get(b.p, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_motion(b.p, NULL, &b.motion, b.x, b.y), LIMB_E_ARG);
  assert_status(limb_parallel_motion(b.p, q, NULL, b.x, b.y), LIMB_E_ARG);
  assert_status(limb_parallel_motion(b.p, q, &b.motion, NULL, b.y), LIMB_E_ARG);
  assert_status(limb_parallel_jacobian(NULL, q, J), LIMB_E_ARG);
  assert_status(limb_parallel_jacobian(b.p, q, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_inverse_dynamics(NULL, q, &b.motion, NULL, b.tau), LIMB_E_ARG);
  assert_status(limb_parallel_inverse_dynamics(b.p, q, &b.motion, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_forward_dynamics(b.p, q, NULL, b.tau, NULL, NULL, b.x), LIMB_E_ARG);
  assert_status(limb_parallel_inverse_geometry(b.p, NULL, b.q, NULL), LIMB_E_ARG);
  assert_status(limb_parallel_forward_geometry(b.p, NULL, NULL), LIMB_E_ARG);
  bad.velocity.v.y = nan("");
  assert_status(limb_parallel_motion(b.p, q, &bad, b.x, b.y), LIMB_E_NONFINITE);
  assert_status(limb_parallel_inverse_dynamics(b.p, q, &bad, NULL, b.tau), LIMB_E_NONFINITE);
  bad = b.motion;
  bad.pose.p.x = HUGE_VAL;
  assert_status(limb_parallel_inverse_geometry(b.p, &bad.pose, b.q, NULL), LIMB_E_NONFINITE);
  bad.pose = b.motion.pose;
  bad.pose.R.m[0] = 3;
  assert_status(limb_parallel_inverse_geometry(b.p, &bad.pose, b.q, NULL), LIMB_E_ARG);
  b.tau[0] = nan("");
  assert_status(limb_parallel_forward_dynamics(b.p, q, b.c.v, b.tau, NULL, NULL, b.x), LIMB_E_NONFINITE);
  memcpy(b.q, q, (size_t)b.nq * sizeof(double));
  b.q[0] = nan("");
  assert_status(limb_parallel_forward_geometry(b.p, b.q, NULL), LIMB_E_NONFINITE);
  assert_status(limb_parallel_inverse_geometry(b.p, &b.motion.pose, b.q, NULL), LIMB_E_NONFINITE);
  limb_parallel_destroy(NULL);
  bench_free(&b);
}
END_TEST

// ---- memory ---------------------------------------------------------------------------------------------

typedef struct purse {
  int budget; // allocations still granted
  int alive;  // blocks not yet given back
} purse;

static void* purse_alloc(void* context, size_t size, size_t align)
{
  purse* x = context;
  if (x->budget-- <= 0) return NULL;
  x->alive++;
  const size_t unit = align < 64 ? 64 : align;
  return aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

static void purse_free(void* context, void* memory, size_t size)
{
  (void)size;
  if (!memory) return;
  ((purse*)context)->alive--;
  free(memory);
}

START_TEST(memory)
{
  limb_model* m = gough_floating();
  const int loop = limb_find_loop(m, "ball3"), joint = limb_find_joint(m, "cross3");
  int enough = 0;
  for (int budget = 0; enough < 2; budget++) {
    check_at("%d allocations", budget);
    purse x = {budget, 0};
    const limb_allocator alloc = {purse_alloc, purse_free, &x};
    limb_parallel* p = NULL;
    limb_model* to = NULL;
    limb_error err;
    enough = 0;
    limb_status s = limb_parallel_create(m, -1, &alloc, &p, &err);
    assert_that(s == LIMB_OK || (s == LIMB_E_NOMEM && err.status == s));
    enough += s == LIMB_OK;
    limb_parallel_destroy(p);
    ck_assert_int_eq(x.alive, 0);
    x.budget = budget;
    s = limb_recut(m, loop, joint, &alloc, &to, &err);
    assert_that(s == LIMB_OK || (s == LIMB_E_NOMEM && err.status == s));
    enough += s == LIMB_OK;
    limb_model_destroy(to);
    ck_assert_int_eq(x.alive, 0);
  }
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("parallel_limits", 1, dead_centre_is_singular, stretched_leg_is_singular, out_of_reach,
           motions_that_legs_forbid, robots_that_are_none, arguments, memory)
