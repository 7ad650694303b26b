// Loops in the builder: what is taken in and refused, in which words.
#include "model/loop_robot.h"

// Refused with this status, by name, with these words; nothing has changed.
static void refused(const limb_loop_def* def, limb_status status, const char* words)
{
  limb_builder* b = robot_of_joints();
  limb_error err = {.status = LIMB_OK};
  int loop = -7;
  check_at("kind %d: %s", (int)def->kind, words);
  assert_status(limb_builder_add_loop(b, def, &loop, &err), status);
  assert_that(loop == -7 && err.status == status);
  ck_assert_str_eq(err.where, "loop 'l'");
  ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
  assert_status(limb_builder_add_loop(b, def, NULL, NULL), status);
  assert_that(limb_builder_loop_count(b) == 0 && limb_builder_find_loop(b, "l") == -1);
  limb_builder_destroy(b);
}

// Taken by the builder, refused by the compiler.
static void not_built(const limb_loop_def* def, const char* words)
{
  limb_builder* b = robot_of_joints();
  limb_error err = {.status = LIMB_OK};
  limb_model* m = NULL;
  check_at("%s", words);
  assert_ok(limb_builder_add_loop(b, def, NULL, &err));
  assert_status(limb_builder_build(b, &m, &err), LIMB_E_MODEL);
  assert_that(!m);
  ck_assert_str_eq(err.where, "loop 'l'");
  ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
  assert_status(limb_builder_build(b, &m, NULL), LIMB_E_MODEL);
  limb_builder_destroy(b);
}

// ---- kinds ------------------------------------------------------------------------------------------

static int members(unsigned set)
{
  int n = 0;
  for (int k = 0; k < 32; k++) n += (set >> k & 1) != 0;
  return n;
}

START_TEST(kinds)
{
  for (int k = 0; k < KINDS; k++) {
    const limb_loop_kind kind = (limb_loop_kind)k;
    const unsigned locked = limb_loop_kind_locked(kind);
    assert_that(limb_loop_kind_name(kind) != NULL);
    for (int i = 0; i < k; i++)
      assert_that(strcmp(limb_loop_kind_name(kind), limb_loop_kind_name((limb_loop_kind)i)) != 0);
    if (locked) assert_that(limb_loop_kind_constraints(kind) == members(locked));
  }
  ck_assert_str_eq(limb_loop_kind_name(LIMB_LOOP_POINT_ON_PLANE), "point_on_plane");
  assert_that(limb_loop_kind_locked(LIMB_LOOP_PIN) == (63u & ~(unsigned)LIMB_TURN_Z));
  assert_that(limb_loop_kind_locked(LIMB_LOOP_SLIDER) == (63u & ~(unsigned)LIMB_MOVE_Z));
  assert_that(limb_loop_kind_locked(LIMB_LOOP_UNIVERSAL) == (56u | LIMB_TURN_Z));
  assert_that(limb_loop_kind_locked(LIMB_LOOP_PLANAR) == (LIMB_TURN_X | LIMB_TURN_Y | LIMB_MOVE_Z));
  assert_that(limb_loop_kind_constraints(LIMB_LOOP_LOCK) == 0);
  const limb_loop_kind none[] = {(limb_loop_kind)KINDS, (limb_loop_kind)-1};
  for (int i = 0; i < 2; i++) {
    assert_that(!limb_loop_kind_name(none[i]) && limb_loop_kind_locked(none[i]) == 0);
    assert_that(limb_loop_kind_constraints(none[i]) == 0);
  }
}
END_TEST

// ---- what is refused --------------------------------------------------------------------------------

START_TEST(bodies_and_poses)
{
  static const struct {
    int a, b;
    const char* words;
  } ends[] = {{-1, BALL, "body_a is -1: there are bodies 0 to 9"},
              {10, BALL, "body_a is 10"},
              {TIP, -2, "body_b is -2"},
              {TIP, 10, "body_b is 10"},
              {TIP, TIP, "both frames are on body 'tip'"},
              {WORLD, WORLD, "both frames are on body 'world'"}};
  for (int k = 0; k < KINDS; k++) {
    limb_loop_def def = good((limb_loop_kind)k);
    for (size_t i = 0; !is_relation(def.kind) && i < sizeof ends / sizeof ends[0]; i++) {
      def.body_a = ends[i].a, def.body_b = ends[i].b;
      refused(&def, LIMB_E_ARG, ends[i].words);
    }
  }
  for (int side = 0; side < 2; side++) {
    limb_loop_def def = good(LIMB_LOOP_PIN);
    sp_pose* X = side ? &def.pose_b : &def.pose_a;
    X->p.y = nan("");
    refused(&def, LIMB_E_NONFINITE, "position is not finite");
    X->p.y = 0;
    X->R.m[4] += 1e-3;
    refused(&def, LIMB_E_ARG, "not a rotation");
    X->R.m[4] = HUGE_VAL;
    refused(&def, LIMB_E_NONFINITE, "rotation is not finite");
  }
}
END_TEST

START_TEST(numbers_must_be_finite)
{
  static const struct {
    const char* name;
    size_t at;
  } number[] = {{"length", offsetof(limb_loop_def, length)},
                {"radius", offsetof(limb_loop_def, radius)},
                {"coefficient[0]", offsetof(limb_loop_def, coefficient)},
                {"coefficient[5]", offsetof(limb_loop_def, coefficient) + 5 * sizeof(double)},
                {"law.constant", offsetof(limb_loop_def, motion.constant)},
                {"law.rate", offsetof(limb_loop_def, motion.rate)},
                {"law.amplitude", offsetof(limb_loop_def, motion.amplitude)},
                {"law.frequency", offsetof(limb_loop_def, motion.frequency)},
                {"law.phase", offsetof(limb_loop_def, motion.phase)}};
  const double bad[] = {nan(""), HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < KINDS; k++) {
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
      limb_loop_def def = good((limb_loop_kind)k);
      memcpy((char*)&def + number[i].at, &bad[i % 3], sizeof(double));
      refused(&def, LIMB_E_NONFINITE, number[i].name);
    }
  }
}
END_TEST

// What a kind must have, and what it must not.
START_TEST(members_of_the_kinds)
{
  for (int k = 0; k < KINDS; k++) {
    const limb_loop_kind kind = (limb_loop_kind)k;
    const bool lock = kind == LIMB_LOOP_LOCK, distance = kind == LIMB_LOOP_DISTANCE;
    const bool wheel = kind == LIMB_LOOP_WHEEL || kind == LIMB_LOOP_ROLLING_DISC;
    limb_loop_def def = good(kind);
    def.locked = lock ? 0 : LIMB_MOVE_X;
    refused(&def, LIMB_E_ARG, lock ? "locked is 0" : "locked is set");
    def.locked = 64;
    refused(&def, LIMB_E_ARG, lock ? "locked is 64" : "locked is set");
    def = good(kind);
    def.length = distance ? 0 : 1;
    refused(&def, LIMB_E_ARG, distance ? "length is 0: it must be positive" : "length is set");
    def.length = -1;
    refused(&def, LIMB_E_ARG, distance ? "length is -1" : "length is set");
    def = good(kind);
    def.radius = wheel ? 0 : 1;
    refused(&def, LIMB_E_ARG, wheel ? "radius is 0: it must be positive" : "radius is set");
    def.radius = -1;
    refused(&def, LIMB_E_ARG, wheel ? "radius is -1" : "radius is set");
    def = good(kind);
    def.motion.constraint = -1;
    refused(&def, LIMB_E_ARG, "law.row is -1: the loop has rows 0 to");
    def.motion.constraint = lock ? 2 : limb_loop_kind_constraints(kind);
    refused(&def, LIMB_E_ARG, "law.row is");
    if (is_relation(kind)) continue;
    def = good(kind);
    def.joint = 0;
    refused(&def, LIMB_E_ARG, "joint is set");
    def = good(kind);
    def.other = 0;
    refused(&def, LIMB_E_ARG, "other is set");
    def = good(kind);
    def.coefficient[3] = 1;
    refused(&def, LIMB_E_ARG, "coefficient is set");
  }
  limb_loop_def def = good(LIMB_LOOP_PIN);
  def.kind = (limb_loop_kind)KINDS;
  refused(&def, LIMB_E_ARG, "there is no loop kind 16");
  def.kind = (limb_loop_kind)-1;
  refused(&def, LIMB_E_ARG, "there is no loop kind -1");
}
END_TEST

START_TEST(relations_between_joints)
{
  static const struct {
    int joint, other;
    const char* words;
  } ends[] = {{-1, CRANK_J, "joint is -1: there are 9 joints so far"},
              {9, CRANK_J, "joint is 9"},
              {CRANK_J, -1, "other is -1"},
              {CRANK_J, 9, "other is 9"},
              {BALL_J, CRANK_J, "joint is 'ball', a spherical joint"},
              {CRANK_J, TIP_J, "other is 'tip', a fixed joint"},
              {FLOAT_J, CRANK_J, "joint is 'float', a free joint"},
              {CRANK_J, CRANK_J, "connects joint 'crank' with itself"}};
  const limb_loop_kind kind[] = {LIMB_LOOP_GEAR, LIMB_LOOP_POLYNOMIAL};
  for (int k = 0; k < 2; k++) {
    limb_loop_def def = good(kind[k]);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
      def.joint = ends[i].joint, def.other = ends[i].other;
      refused(&def, LIMB_E_ARG, ends[i].words);
    }
    def = good(kind[k]);
    def.pose_a.p.x = 1;
    refused(&def, LIMB_E_ARG, "pose_a is set");
    def = good(kind[k]);
    def.pose_b.R = sp_rot_rpy(0, 0, 1);
    refused(&def, LIMB_E_ARG, "pose_b is set");
    def = good(kind[k]);
    def.coefficient[0] = 2, def.coefficient[1] = 0;
    refused(&def, LIMB_E_ARG, k ? "the polynomial is constant" : "coefficient[1], is zero");
  }
  limb_loop_def def = good(LIMB_LOOP_GEAR);
  def.coefficient[2] = def.coefficient[4] = 1;
  refused(&def, LIMB_E_ARG, "coefficient[4] is set, but a gear");
}
END_TEST

START_TEST(closures_that_nothing_moves)
{
  limb_loop_def def = good(LIMB_LOOP_PIN);
  def.body_a = TIP, def.body_b = SLIDE;
  not_built(&def, "bodies 'tip' and 'slide' are rigidly connected");
  def.body_a = WORLD, def.body_b = PLATE;
  not_built(&def, "bodies 'world' and 'plate' are rigidly connected");
  def = good(LIMB_LOOP_GEAR);
  def.joint = CRANK_J, def.other = SECOND_J;
  not_built(&def, "joints 'crank' and 'second' have the same coordinate");
  def.joint = SECOND_J, def.other = FOLLOWER_J;
  not_built(&def, "joints 'second' and 'follower' have the same coordinate");
}
END_TEST

// ---- what is taken in -------------------------------------------------------------------------------

START_TEST(names)
{
  limb_builder* b = robot_of_joints();
  limb_error err;
  limb_loop_def def = good(LIMB_LOOP_BALL);
  int loop = -1;
  def.name = NULL;
  assert_status(limb_builder_add_loop(b, &def, NULL, &err), LIMB_E_ARG);
  ck_assert_str_eq(err.where, "loop 0");
  def.name = "";
  assert_status(limb_builder_add_loop(b, &def, NULL, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "no name"));
  char name[24] = "ball"; // bodies and joints have name spaces of their own
  def.name = name;
  assert_ok(limb_builder_add_loop(b, &def, &loop, &err));
  assert_that(loop == 0);
  name[0] = 'c'; // copied
  assert_that(limb_builder_find_loop(b, "ball") == 0);
  def.name = "ball";
  assert_status(limb_builder_add_loop(b, &def, &loop, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "there is a loop of this name already"));
  for (int i = 1; i < 100; i++) {
    (void)snprintf(name, sizeof name, "loop %d", i);
    def.name = name;
    assert_ok(limb_builder_add_loop(b, &def, &loop, &err));
    assert_that(loop == i && limb_builder_loop_count(b) == i + 1);
  }
  limb_model* m = fixture_end(b);
  assert_that(limb_loop_count(m) == 100 && limb_constraint_count(m) == 300);
  assert_that(limb_find_loop(m, "ball") == 0 && limb_find_loop(m, "loop 0") == -1);
  for (int i = 1; i < 100; i++) {
    limb_loop_info info;
    (void)snprintf(name, sizeof name, "loop %d", i);
    assert_that(limb_find_loop(m, name) == i);
    assert_ok(limb_get_loop(m, i, &info));
    ck_assert_str_eq(info.def.name, name);
    assert_that(info.constraint == 3 * i && info.nconstraint == 3 && info.holonomic == 3);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(no_arguments)
{
  limb_builder* b = robot_of_joints();
  const limb_loop_def def = good(LIMB_LOOP_WELD);
  limb_loop_def out;
  limb_loop_info info;
  assert_status(limb_builder_add_loop(NULL, &def, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_add_loop(b, NULL, NULL, NULL), LIMB_E_ARG);
  assert_that(limb_builder_find_loop(b, "l") == -1);
  assert_ok(limb_builder_add_loop(b, &def, NULL, NULL));
  assert_status(limb_builder_get_loop(NULL, 0, &out), LIMB_E_ARG);
  assert_status(limb_builder_get_loop(b, 0, NULL), LIMB_E_ARG);
  assert_status(limb_builder_get_loop(b, 1, &out), LIMB_E_ARG);
  assert_status(limb_builder_get_loop(b, -1, &out), LIMB_E_ARG);
  assert_that(limb_builder_loop_count(NULL) == 0 && limb_builder_find_loop(NULL, "l") == -1);
  assert_that(limb_builder_find_loop(b, NULL) == -1);
  limb_model* m = fixture_end(b);
  assert_status(limb_get_loop(NULL, 0, &info), LIMB_E_ARG);
  assert_status(limb_get_loop(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_loop(m, 1, &info), LIMB_E_ARG);
  assert_status(limb_get_loop(m, -1, &info), LIMB_E_ARG);
  assert_that(limb_loop_count(NULL) == 0 && limb_constraint_count(NULL) == 0);
  assert_that(limb_find_loop(NULL, "l") == -1 && limb_find_loop(m, NULL) == -1);
  limb_model_destroy(m);
  m = robot_tree5();
  assert_that(limb_loop_count(m) == 0 && limb_constraint_count(m) == 0 && limb_find_loop(m, "l") == -1);
  limb_model_destroy(m);
}
END_TEST

START_TEST(definitions_of_other_versions)
{
  struct {
    limb_loop_def def;
    double surplus;
  } newer = {good(LIMB_LOOP_BALL), 0};
  limb_builder* b = robot_of_joints();
  limb_error err;
  limb_loop_def out, older = good(LIMB_LOOP_DISTANCE);
  newer.def.size = sizeof newer;
  assert_ok(limb_builder_add_loop(b, &newer.def, NULL, &err));
  newer.surplus = 1;
  newer.def.name = "newer";
  assert_status(limb_builder_add_loop(b, &newer.def, NULL, &err), LIMB_E_UNSUPPORTED);
  assert_that(strstr(err.text, "newer limb") && strcmp(err.where, "loop") == 0);
  older.name = "older";
  older.motion.amplitude = nan(""); // beyond what such a caller knows: ignored
  older.size = offsetof(limb_loop_def, motion);
  assert_ok(limb_builder_add_loop(b, &older, NULL, &err));
  assert_ok(limb_builder_get_loop(b, 1, &out));
  assert_that(out.size == sizeof out && out.length == 0.5 && out.motion.amplitude == 0);
  older.size = offsetof(limb_loop_def, pose_a) - 1;
  assert_status(limb_builder_add_loop(b, &older, NULL, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "limb_default_loop_def()"));
  limb_builder_destroy(b);
}
END_TEST

CHECK_MAIN("model/loops", 1, kinds, bodies_and_poses, numbers_must_be_finite, members_of_the_kinds,
           relations_between_joints, closures_that_nothing_moves, names, no_arguments, definitions_of_other_versions)
