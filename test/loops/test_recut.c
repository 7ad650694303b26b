// The same robot, its loops cut elsewhere: other coordinates, the same motion.
#include "limb/assemble.h"
#include "limb/loops.h"

#include "loops/closed.h"
#include "loops/parallel_robots.h"

#include <stdlib.h>
#include <string.h>

typedef struct twins { // m as it was and as it is cut elsewhere
  closed_case c;
  limb_model* to;
  limb_data *d, *d_to;
  limb_data *w, *w_to;
  double *q, *v, *tau, *a, *tau_to, *a_to; // q, v: of the other
} twins;

// Takes a case over; false when the loop cannot be cut there.
static int twins_of(closed_case c, int loop, int joint, twins* out)
{
  twins t = {.c = c};
  limb_error err = {0};
  const limb_status s = limb_recut(c.m, loop, joint, NULL, &t.to, &err);
  if (s != LIMB_OK) {
    assert_that(s == LIMB_E_UNSUPPORTED || s == LIMB_E_ARG || s == LIMB_E_MODEL);
    assert_that(err.text[0] != '\0' && t.to == NULL);
    closed_free(&t.c);
    return 0;
  }
  assert_ok(limb_data_create(c.m, NULL, &t.d));
  assert_ok(limb_data_create(t.to, NULL, &t.d_to));
  assert_ok(limb_data_create(c.m, NULL, &t.w));
  assert_ok(limb_data_create(t.to, NULL, &t.w_to));
  t.q = numbers(limb_nq(t.to)), t.v = numbers(limb_nv(t.to));
  t.tau = numbers(limb_nv(c.m)), t.a = numbers(limb_nv(c.m));
  t.tau_to = numbers(limb_nv(t.to)), t.a_to = numbers(limb_nv(t.to));
  assert_ok(limb_recut_state(t.d, t.to, c.q, c.v, t.q, t.v));
  *out = t;
  return 1;
}

static void twins_free(twins* t)
{
  limb_data_destroy(t->w), limb_data_destroy(t->w_to);
  limb_data_destroy(t->d), limb_data_destroy(t->d_to);
  free(t->q), free(t->v), free(t->tau), free(t->a), free(t->tau_to), free(t->a_to);
  limb_model_destroy(t->to);
  closed_free(&t->c);
}

// ---- what stays -----------------------------------------------------------------------------------------

static void names_stay(const twins* t)
{
  for (int i = 0; i < limb_body_count(t->c.m); i++) {
    limb_body_info was, is;
    assert_ok(limb_get_body(t->c.m, i, &was));
    assert_ok(limb_get_body(t->to, i, &is));
    ck_assert_str_eq(was.name, is.name);
    assert_close(is.inertia.mass, was.inertia.mass, 0, 0);
  }
  ck_assert_int_eq(limb_loop_count(t->to), limb_loop_count(t->c.m));
  ck_assert_str_eq(limb_model_name(t->to), limb_model_name(t->c.m));
  assert_close(limb_total_mass(t->to), limb_total_mass(t->c.m), 1e-15, 0);
  limb_frame_info frame;
  for (int i = limb_body_count(t->c.m); i < limb_frame_count(t->c.m); i++) {
    assert_ok(limb_get_frame(t->c.m, i, &frame));
    assert_that(limb_find_frame(t->to, frame.name) >= 0);
  }
}

static void loops_are_closed(const twins* t)
{
  limb_loop_gap gap;
  double fastest = 1;
  for (int i = 0; i < limb_nv(t->to); i++) fastest = fmax(fastest, fabs(t->v[i]));
  assert_ok(limb_loop_gap_of(t->w_to, t->q, t->v, NULL, &gap));
  assert_close(gap.position, 0, 0, 1e-11);
  assert_close(gap.velocity, 0, 0, 1e-11 * fastest);
}

static void bodies_move_alike(const twins* t)
{
  assert_ok(limb_kinematics(t->d, t->c.q, t->c.v, t->a));
  assert_ok(limb_kinematics(t->d_to, t->q, t->v, t->a_to));
  double size = 0;
  for (int i = 1; i < limb_body_count(t->c.m); i++) {
    sp_motion A;
    assert_ok(limb_frame_acceleration(t->d, i, LIMB_BODY, &A));
    size = fmax(size, fmax(sp_norm3(A.w), sp_norm3(A.v)));
  }
  for (int i = 1; i < limb_body_count(t->c.m); i++) {
    sp_pose X, Y;
    sp_motion V, W;
    assert_ok(limb_frame_pose(t->d, i, &X));
    assert_ok(limb_frame_pose(t->d_to, i, &Y));
    assert_close_pose(Y, X, 1e-12, 1e-12);
    assert_ok(limb_frame_velocity(t->d, i, LIMB_BODY, &V));
    assert_ok(limb_frame_velocity(t->d_to, i, LIMB_BODY, &W));
    assert_close_motion(W, V, 1e-11, 1e-11);
    assert_ok(limb_frame_acceleration(t->d, i, LIMB_BODY, &V));
    assert_ok(limb_frame_acceleration(t->d_to, i, LIMB_BODY, &W));
    assert_close_motion(W, V, 0, 1e-9 * size);
  }
}

// The same motors pull: joints with one coordinate.
static void pull(twins* t, rng* r)
{
  for (int j = 0; j < limb_joint_count(t->c.m); j++) {
    limb_joint_info was, is;
    assert_ok(limb_get_joint(t->c.m, j, &was));
    assert_ok(limb_get_joint(t->to, j, &is));
    if (was.nv != 1 || was.passive) continue;
    ck_assert_str_eq(was.def.name, is.def.name);
    t->tau[was.v] = t->tau_to[is.v] = rng_uniform(r, -4, 4);
  }
}

// Of a tree that ends in a body without mass M alone is singular, which the choice of the method has to cope
// with.
static int fall(twins* t)
{
  const limb_status s =
    limb_closed_forward_dynamics(t->w, &(limb_closed_motion){.q = t->c.q, .v = t->c.v}, t->tau, NULL, t->a, NULL, NULL);
  if (s == LIMB_E_SINGULAR) return 0; // of massless bodies, say: none of the named robots
  assert_ok(s);
  assert_ok(limb_closed_forward_dynamics(t->w_to, &(limb_closed_motion){.q = t->q, .v = t->v}, t->tau_to, NULL, t->a_to,
                                         NULL, NULL));
  return 1;
}

static int try_cut(closed_case c, int loop, int joint, uint64_t seed)
{
  twins t;
  rng r = {seed};
  if (!twins_of(c, loop, joint, &t)) return 0;
  names_stay(&t);
  loops_are_closed(&t);
  pull(&t, &r);
  if (fall(&t)) bodies_move_alike(&t);
  twins_free(&t);
  return 1;
}

// ---- named robots ---------------------------------------------------------------------------------------

static const struct {
  const char *robot, *loop, *joint;
} cuts[] = {{"four_bar", "closure", "rocker"},
            {"four_bar", "closure", "coupler"},
            {"four_bar_tilted", "closure", "coupler"},
            {"five_bar", "closure", "2"},
            {"five_bar", "closure", "4"},
            {"slider_crank", "wrist", "slider"},
            {"slider_crank", "wrist", "rod"},
            {"3rrr", "two", "lower2"},
            {"3rrr", "three", "lower1"},
            {"3rrr", "three", "platform"},
            {"bennett", "fourth", "two"},
            {"bennett", "fourth", "three"},
            {"gough_stewart", "ball1", "cylinder1"},
            {"ladder", "pin2", "right2"},
            {"ladder", "pin2", "rung2"},
            {"floating", "closure", "coupler"},
            {"floating", "closure", "rocker"}};

enum { CUTS = sizeof cuts / sizeof cuts[0], STATES = CHECK_SANITIZED ? 2 : 10 };

START_TEST(motion_is_the_same)
{
  for (uint64_t seed = 1; seed <= STATES; seed++) {
    const closed_case c = closed_find(cuts[_i].robot, seed);
    check_at("%s cut at %s, seed %d", c.name, cuts[_i].joint, (int)seed);
    const int loop = limb_find_loop(c.m, cuts[_i].loop), joint = limb_find_joint(c.m, cuts[_i].joint);
    assert_that(loop >= 0 && joint >= 0);
    assert_that(try_cut(c, loop, joint, seed));
  }
}
END_TEST

START_TEST(mobility_is_the_same)
{
  twins t;
  limb_mobility was, is;
  const closed_case c = closed_find(cuts[_i].robot, 3);
  check_at("%s cut at %s", c.name, cuts[_i].joint);
  assert_that(twins_of(c, limb_find_loop(c.m, cuts[_i].loop), limb_find_joint(c.m, cuts[_i].joint), &t));
  assert_ok(limb_mobility_at(t.w, t.c.q, NULL, &was));
  assert_ok(limb_mobility_at(t.w_to, t.q, NULL, &is));
  ck_assert_int_eq(was.mobility, is.mobility);
  ck_assert_int_eq(was.driven, is.driven);
  twins_free(&t);
}
END_TEST

// The joint and the closure have changed places, names included; back again, all is as it was.
START_TEST(there_and_back)
{
  for (uint64_t seed = 1; seed <= 2; seed++) {
    twins t, back;
    const closed_case c = closed_find(cuts[_i].robot, seed);
    check_at("%s cut at %s and back, seed %d", c.name, cuts[_i].joint, (int)seed);
    const int loop = limb_find_loop(c.m, cuts[_i].loop), joint = limb_find_joint(c.m, cuts[_i].joint);
    assert_that(twins_of(c, loop, joint, &t));
    const int taken = limb_find_joint(c.m, cuts[_i].loop) >= 0;
    if (!taken) ck_assert_int_eq(limb_find_joint(t.to, cuts[_i].loop), joint);
    ck_assert_int_eq(limb_find_loop(t.to, cuts[_i].joint), loop);
    closed_case other = {.name = c.name, .q = numbers(limb_nq(t.to)), .v = numbers(limb_nv(t.to))};
    memcpy(other.q, t.q, (size_t)limb_nq(t.to) * sizeof(double));
    memcpy(other.v, t.v, (size_t)limb_nv(t.to) * sizeof(double));
    other.m = t.to;
    assert_that(twins_of(other, loop, joint, &back));
    t.to = NULL; // the other pair has it
    ck_assert_int_eq(limb_nv(back.to), limb_nv(c.m));
    double* zero = numbers(limb_nv(c.m));
    assert_ok(limb_difference(c.m, c.q, back.q, t.a));
    for (int i = 0; i < limb_nv(c.m); i++) { // whole turns aside, which the new joint does not count
      if (limb_nq(c.m) == limb_nv(c.m)) t.a[i] = remainder(t.a[i], 6.283185307179586);
    }
    assert_close_array(t.a, zero, limb_nv(c.m), 0, 1e-11);
    assert_close_array(back.v, c.v, limb_nv(c.m), 1e-11, 0);
    free(zero);
    twins_free(&back);
    twins_free(&t);
  }
}
END_TEST

// ---- the platform of the numbers: spherical joints turned round -----------------------------------------

static closed_case gough_case(limb_model* m, uint64_t seed)
{
  closed_case c = {.name = limb_model_name(m), .m = m};
  c.q = numbers(limb_nq(m)), c.v = numbers(limb_nv(m));
  assert_ok(limb_start(m, c.q));
  assert_that(closed_close(m, c.q));
  closed_velocity(&c, seed, c.v);
  return c;
}

START_TEST(gough_stewart_cut_elsewhere)
{
  static const struct {
    int hanging;
    const char *loop, *joint;
  } cut[] = {{0, "ball3", "cross3"}, {0, "ball3", "cylinder3"}, {1, "ball2", "cross1"},
             {1, "ball2", "wrist1"}, {1, "ball4", "cylinder1"}, {1, "ball4", "held"}};
  for (size_t k = 0; k < sizeof cut / sizeof cut[0]; k++) {
    const gough_options o = {.hanging = cut[k].hanging};
    const closed_case c = gough_case(gough_robot("gough", o), k);
    check_at("gough cut at %s", cut[k].joint);
    assert_that(try_cut(c, limb_find_loop(c.m, cut[k].loop), limb_find_joint(c.m, cut[k].joint), k));
  }
}
END_TEST

// ---- whatever can be cut --------------------------------------------------------------------------------

START_TEST(random_robots)
{
  static const char* const name[] = {"random", "random_mimic", "random_redundant"};
  int done = 0;
  for (uint64_t seed = 1; seed <= (CHECK_SANITIZED ? 3 : 12); seed++) {
    for (int k = 0; k < 3; k++) {
      closed_case c = closed_find(name[k], seed);
      const int loops = limb_loop_count(c.m), joints = limb_joint_count(c.m);
      closed_free(&c);
      for (int i = 0; i < loops * joints; i++) {
        check_at("%s, seed %d, loop %d, joint %d", name[k], (int)seed, i / joints, i % joints);
        done += try_cut(closed_find(name[k], seed), i / joints, i % joints, seed);
      }
    }
  }
  assert_that(done >= 3);
}
END_TEST

// Every type that may lie on the way, turned round; every closure that may become a joint.
START_TEST(every_type_turns_round)
{
  static const limb_joint_type type[] = {LIMB_FIXED,     LIMB_REVOLUTE,  LIMB_PRISMATIC, LIMB_HELICAL,    LIMB_PLANAR,
                                         LIMB_UNIVERSAL, LIMB_SPHERICAL, LIMB_FREE,      LIMB_CYLINDRICAL};
  static const limb_loop_kind kind[] = {LIMB_LOOP_WELD,        LIMB_LOOP_PIN,       LIMB_LOOP_SLIDER, LIMB_LOOP_BALL,
                                        LIMB_LOOP_CYLINDRICAL, LIMB_LOOP_UNIVERSAL, LIMB_LOOP_PLANAR};
  const double I[6] = {0.02, 0.001, 0.002, 0.03, -0.001, 0.04};
  int done = 0;
  for (int k = 0; k < 9 * 7 * 2; k++) {
    rng r = {(uint64_t)k + 5};
    limb_builder* b = fixture_begin("ring");
    int parent = LIMB_WORLD_BODY;
    const limb_joint_type chain[4] = {LIMB_REVOLUTE, type[k % 9], LIMB_SPHERICAL, LIMB_FREE};
    static const char* const name[4] = {"one", "two", "three", "four"};
    int body[5] = {LIMB_WORLD_BODY};
    for (int i = 0; i < 4; i++) {
      body[i + 1] = fixture_body(b, name[i], fixture_inertia(1 + 0.3 * i, rng_vec3(&r, 0.1), I));
      limb_joint_def def = limb_default_joint_def(name[i], chain[i], parent, body[i + 1]);
      def.placement = rng_pose(&r, 0.5);
      def.axis = rng_direction(&r);
      if (def.type == LIMB_UNIVERSAL || def.type == LIMB_PLANAR) def.axis2 = rng_direction(&r);
      if (def.type == LIMB_HELICAL) def.pitch = 0.2;
      if (def.type != LIMB_FIXED) def.drive = LIMB_DRIVE_PASSIVE;
      fixture_joint(b, &def);
      parent = body[i + 1];
    }
    const int turned = k / 9 / 7;
    limb_loop_def loop = limb_default_loop_def("ring", kind[k / 9 % 7], LIMB_WORLD_BODY, parent);
    if (turned) loop.body_a = parent, loop.body_b = LIMB_WORLD_BODY;
    loop.pose_a = rng_pose(&r, 0.3), loop.pose_b = rng_pose(&r, 0.3);
    closed_add_loop(b, &loop);
    closed_case c = {.name = "ring", .m = fixture_end(b)};
    check_at("ring with %s closed by %s", limb_joint_type_name(chain[1]), limb_loop_kind_name(loop.kind));
    c.q = numbers(limb_nq(c.m)), c.v = numbers(limb_nv(c.m));
    assert_ok(limb_random(c.m, &r.state, c.q));
    for (int t = 0; t < 20 && !closed_close(c.m, c.q); t++) assert_ok(limb_random(c.m, &r.state, c.q));
    assert_that(closed_close(c.m, c.q));
    limb_data* w = NULL;
    limb_loop_gap gap;
    assert_ok(limb_data_create(c.m, NULL, &w));
    assert_ok(limb_loop_gap_of(w, c.q, NULL, NULL, &gap));
    limb_data_destroy(w);
    if (gap.position > 1e-9) { // turned the wrong way round: not closed
      closed_free(&c);
      continue;
    }
    closed_velocity(&c, 3, c.v);
    assert_that(try_cut(c, 0, 0, 1));
    done++;
  }
  assert_that(done >= 60);
}
END_TEST

// ---- what is refused ------------------------------------------------------------------------------------

static void refused(limb_model* m, const char* loop, const char* joint, limb_status want, const char* word)
{
  limb_model* out = NULL;
  limb_error err = {0};
  check_at("%s: %s, %s", limb_model_name(m), loop, joint);
  assert_status(limb_recut(m, limb_find_loop(m, loop), limb_find_joint(m, joint), NULL, &out, &err), want);
  assert_that(out == NULL);
  ck_assert_msg(strstr(err.text, word) != NULL, "%s: %s", err.where, err.text);
  limb_model_destroy(m);
}

START_TEST(cuts_that_cannot_be)
{
  refused(closed_five_bar(), "closure", "1", LIMB_E_UNSUPPORTED, "motor");
  refused(closed_floating(), "closure", "hand", LIMB_E_ARG, "not on the loop");
  refused(closed_gear_pair(), "gear", "left", LIMB_E_UNSUPPORTED, "not a joint");
  refused(closed_sled(), "blade", "base", LIMB_E_UNSUPPORTED, "not a joint");
  refused(closed_gough_stewart(), "ball1", "platform", LIMB_E_UNSUPPORTED, "type");
  refused(gough_hanging(), "ball2", "cylinder1", LIMB_E_UNSUPPORTED, "spring");
  refused(closed_four_bar(1, 0.35, 0.9, 0.7), "nothing", "rocker", LIMB_E_ARG, "loops");
}
END_TEST

START_TEST(arguments)
{
  closed_case c = closed_find("four_bar", 1);
  twins t;
  limb_model* out = NULL;
  const limb_allocator half = {0};
  assert_status(limb_recut(NULL, 0, 1, NULL, &out, NULL), LIMB_E_ARG);
  assert_status(limb_recut(c.m, 0, 1, NULL, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_recut(c.m, 1, 1, NULL, &out, NULL), LIMB_E_ARG);
  assert_status(limb_recut(c.m, 0, 3, NULL, &out, NULL), LIMB_E_ARG);
  assert_status(limb_recut(c.m, 0, 1, &half, &out, NULL), LIMB_E_ARG);
  assert_that(twins_of(c, 0, 1, &t));
  assert_status(limb_recut_state(NULL, t.to, c.q, c.v, t.q, t.v), LIMB_E_ARG);
  assert_status(limb_recut_state(t.d, NULL, c.q, c.v, t.q, t.v), LIMB_E_ARG);
  assert_status(limb_recut_state(t.d, t.to, NULL, c.v, t.q, t.v), LIMB_E_ARG);
  assert_status(limb_recut_state(t.d, t.to, c.q, c.v, NULL, t.v), LIMB_E_ARG);
  assert_status(limb_recut_state(t.d, t.to, c.q, c.v, t.q, NULL), LIMB_E_ARG);
  assert_ok(limb_recut_state(t.d, t.to, c.q, NULL, t.q, NULL));
  limb_model* stranger = closed_five_bar();
  assert_status(limb_recut_state(t.d, stranger, c.q, NULL, t.q, NULL), LIMB_E_ARG);
  limb_model_destroy(stranger);
  c.q[0] = nan("");
  assert_status(limb_recut_state(t.d, t.to, c.q, NULL, t.q, NULL), LIMB_E_NONFINITE);
  twins_free(&t);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {motion_is_the_same, mobility_is_the_same, there_and_back, NULL};
  const TTest* const once[] = {gough_stewart_cut_elsewhere, random_robots, every_type_turns_round,
                               cuts_that_cannot_be,         arguments,     NULL};
  const int failed = check_run("recut", CUTS, all);
  return check_run("recut_once", 1, once) | failed;
}
