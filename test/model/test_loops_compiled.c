// Loops in the compiled model: rows, cut frames, coordinates, the way back to a builder; the start of a
// configuration.
#include "model/loop_robot.h"

#include "limb/kinematics.h"
#include "model/data_impl.h"

// ---- loops ------------------------------------------------------------------------------------------

static void no_law(void* context, double time, double s[3])
{
  (void)context;
  s[0] = s[1] = s[2] = 0 * time;
}

// A loop of every kind with everything that it may have, each called after its kind.
static limb_builder* all_kinds(void)
{
  limb_builder* b = robot_of_joints();
  for (int k = 0; k < KINDS; k++) {
    limb_loop_def def = good((limb_loop_kind)k);
    def.name = limb_loop_kind_name(def.kind);
    if (!is_relation(def.kind)) { // every other body is on side a, and on side b
      def.body_a = k / 2 % 2 ? FLOAT : k % FLOAT;
      def.body_b = k / 2 % 2 ? k % FLOAT : FLOAT;
    }
    if (is_relation(def.kind)) def.joint = SECOND_J, def.coefficient[0] = 0.25;
    if (def.kind == LIMB_LOOP_POLYNOMIAL) def.coefficient[5] = -0.5;
    if (is_relation(def.kind)) def.other = SCREW_J;
    const int rows = k == LIMB_LOOP_LOCK ? 2 : limb_loop_kind_constraints(def.kind);
    def.motion = (limb_prescribed_motion){rows - 1, 0.1 * k, 0.2, 0.3, 0.4, 0.5, no_law, b};
    limb_error err;
    fixture_ok(limb_builder_add_loop(b, &def, NULL, &err), &err);
  }
  return b;
}

START_TEST(rows_of_the_kinds)
{
  limb_builder* b = all_kinds();
  limb_model* m = fixture_end(b);
  int row = 0;
  for (int k = 0; k < KINDS; k++) {
    limb_loop_info info;
    assert_ok(limb_get_loop(m, k, &info));
    check_at("%s", info.def.name);
    const int rows = k == LIMB_LOOP_LOCK ? 2 : limb_loop_kind_constraints((limb_loop_kind)k);
    const bool rolling = k == LIMB_LOOP_KNIFE_EDGE || k == LIMB_LOOP_WHEEL;
    assert_that(info.constraint == row && info.nconstraint == rows);
    assert_that(info.holonomic == (rolling ? 0 : k == LIMB_LOOP_ROLLING_DISC ? 1 : rows));
    const unsigned locked = m->loop[k].locked;
    assert_that(k == LIMB_LOOP_LOCK ? locked == (LIMB_TURN_X | LIMB_MOVE_Z)
                                    : locked == limb_loop_kind_locked((limb_loop_kind)k));
    row += rows;
  }
  assert_that(row == limb_constraint_count(m));
  limb_model_destroy(m);
}
END_TEST

// A cut frame lies where a frame of the same pose on the same body lies, whatever the configuration.
START_TEST(cut_frames)
{
  limb_builder* b = all_kinds();
  char name[32];
  for (int k = 0; k < KINDS; k++) {
    const limb_loop_def* def = &b->loop[k];
    if (is_relation(def->kind)) continue;
    (void)snprintf(name, sizeof name, "%d a", k);
    fixture_frame(b, name, def->body_a, def->pose_a);
    (void)snprintf(name, sizeof name, "%d b", k);
    fixture_frame(b, name, def->body_b, def->pose_b);
  }
  limb_model* m = fixture_end(b);
  limb_data* d = NULL;
  double q[32];
  uint64_t seed = 17;
  assert_ok(limb_data_create(m, NULL, &d));
  assert_that(limb_nq(m) <= 32);
  for (int k = 0; k < KINDS; k++) {
    const limb_loop* loop = &m->loop[k];
    check_at("%s", loop->def.name);
    assert_ok(limb_random(m, &seed, q));
    assert_ok(limb_kinematics(d, q, NULL, NULL));
    const int link[] = {loop->link_a, loop->link_b};
    const sp_pose in_link[] = {loop->in_a, loop->in_b};
    for (int side = 0; side < 2; side++) {
      if (is_relation(loop->def.kind)) {
        assert_that(link[side] == -1);
        continue;
      }
      sp_pose X = in_link[side], want;
      if (link[side] >= 0) X = sp_compose(d->motion.X[link[side]], X);
      (void)snprintf(name, sizeof name, "%d %c", k, "ab"[side]);
      assert_ok(limb_frame_pose(d, limb_find_frame(m, name), &want));
      assert_close_pose(X, want, TOL_ALGEBRA, 0);
      assert_that(loop->q[side] == -1 && loop->v[side] == -1);
    }
  }
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// Coordinates of followers are those of the joint they come down to: second = 0.5 (-2 q + 0.3) + 0.1.
START_TEST(coordinates)
{
  limb_model* m = fixture_end(all_kinds());
  const int kind[] = {LIMB_LOOP_GEAR, LIMB_LOOP_POLYNOMIAL};
  for (int k = 0; k < 2; k++) {
    const limb_loop* loop = &m->loop[kind[k]];
    assert_that(loop->def.body_a == -1 && loop->def.body_b == -1);
    assert_that(loop->q[0] == m->joint[CRANK_J].q && loop->v[0] == m->joint[CRANK_J].v);
    assert_that(loop->q[1] == m->joint[SCREW_J].q && loop->v[1] == m->joint[SCREW_J].v);
    assert_that(loop->q[1] != loop->v[1]); // the ball before it has a quaternion
    assert_close(loop->mult[0], -1, TOL_ALGEBRA, 0);
    assert_close(loop->off[0], 0.25, TOL_ALGEBRA, 0);
    assert_that(loop->mult[1] == 1 && loop->off[1] == 0);
  }
  limb_model_destroy(m);
}
END_TEST

// A rotation that is off by less than 1e-6 is made one.
START_TEST(rotations_are_made_orthonormal)
{
  limb_builder* b = robot_of_joints();
  limb_loop_def def = good(LIMB_LOOP_PIN), out;
  const sp_mat3 exact = def.pose_a.R;
  for (int i = 0; i < 9; i++) def.pose_a.R.m[i] *= 1 + 2e-7 * (i % 2 ? -1 : 1);
  assert_ok(limb_builder_add_loop(b, &def, NULL, NULL));
  assert_ok(limb_builder_get_loop(b, 0, &out));
  const sp_mat3 G = sp_mul3(sp_transpose3(out.pose_a.R), out.pose_a.R);
  assert_close_array(G.m, sp_identity3().m, 9, 1e-15, 0);
  assert_close_array(out.pose_a.R.m, exact.m, 9, 1e-6, 0);
  assert_that(memcmp(&out.pose_b, &def.pose_b, sizeof def.pose_b) == 0);
  limb_builder_destroy(b);
}
END_TEST

static void same_loop(const limb_loop_def* x, const limb_loop_def* y)
{
  const limb_prescribed_motion *s = &x->motion, *t = &y->motion;
  check_at("%s", x->name);
  ck_assert_str_eq(x->name, y->name);
  assert_that(x->size == y->size && x->kind == y->kind && x->locked == y->locked);
  assert_that(x->body_a == y->body_a && x->body_b == y->body_b);
  assert_that(memcmp(&x->pose_a, &y->pose_a, sizeof x->pose_a) == 0);
  assert_that(memcmp(&x->pose_b, &y->pose_b, sizeof x->pose_b) == 0);
  assert_that(x->length == y->length && x->radius == y->radius);
  assert_that(x->joint == y->joint && x->other == y->other);
  assert_that(memcmp(x->coefficient, y->coefficient, sizeof x->coefficient) == 0);
  assert_that(s->constraint == t->constraint && s->constant == t->constant && s->rate == t->rate);
  assert_that(s->amplitude == t->amplitude && s->frequency == t->frequency && s->phase == t->phase);
  assert_that(s->fn == t->fn && s->context == t->context);
}

START_TEST(round_trip)
{
  limb_builder *b = all_kinds(), *again = NULL;
  limb_model* m = NULL;
  assert_ok(limb_builder_build(b, &m, NULL));
  assert_ok(limb_builder_from_model(m, NULL, &again));
  assert_that(limb_builder_loop_count(again) == KINDS);
  for (int k = 0; k < KINDS; k++) {
    limb_loop_def told, kept;
    assert_ok(limb_builder_get_loop(b, k, &told));
    assert_ok(limb_builder_get_loop(again, k, &kept));
    same_loop(&kept, &told);
    assert_that(limb_builder_find_loop(again, told.name) == k);
  }
  limb_builder_destroy(b);
  limb_builder_destroy(again);
  for (int k = 0; k < KINDS; k++) // the model has names of its own
    assert_that(limb_find_loop(m, limb_loop_kind_name((limb_loop_kind)k)) == k);
  limb_model_destroy(m);
}
END_TEST

// A joint that moves no mass may be held by loops: the report does not name it then. No other loop helps.
START_TEST(massless_joints)
{
  enum { NO_LOOP, ELSEWHERE, HELD, WAYS };
  for (int way = NO_LOOP; way < WAYS; way++) {
    limb_builder* b = robot_of_joints();
    limb_loop_def def = good(way == HELD ? LIMB_LOOP_GEAR : LIMB_LOOP_PIN);
    (void)fixture_link(b, "empty", LIMB_REVOLUTE, TIP, sp_pose_identity(), sp_v3(0, 0, 1), (sp_inertia){0});
    if (way == HELD) def.joint = limb_builder_find_joint(b, "empty"), def.other = SCREW_J, def.coefficient[1] = 2;
    if (way != NO_LOOP) assert_ok(limb_builder_add_loop(b, &def, NULL, NULL));
    limb_model* m = fixture_end(b);
    int found = 0;
    for (int i = 0; i < limb_model_note_count(m); i++) {
      limb_note note;
      assert_ok(limb_model_note(m, i, &note));
      if (note.kind != LIMB_NOTE_MASSLESS) continue;
      found++;
      ck_assert_str_eq(note.subject, "empty");
    }
    check_at("way %d", way);
    assert_that(found == (way != HELD));
    limb_model_destroy(m);
  }
}
END_TEST

// ---- the start --------------------------------------------------------------------------------------

static void start_refused(limb_joint_def def, limb_status status, const char* words)
{
  limb_builder* b = robot_of_joints();
  limb_error err;
  def.name = "new";
  def.child = fixture_body(b, "new", limb_inertia_box(1, 1, 2, 3));
  check_at("%s", words);
  assert_status(limb_builder_add_joint(b, &def, NULL, &err), status);
  ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
  limb_builder_destroy(b);
}

START_TEST(starts_that_are_refused)
{
  limb_joint_def def = limb_default_joint_def(NULL, LIMB_REVOLUTE, WORLD, 0);
  def.start = nan("");
  start_refused(def, LIMB_E_NONFINITE, "start is not finite");
  def.start = -HUGE_VAL;
  start_refused(def, LIMB_E_NONFINITE, "start is not finite");
  def.start = 2, def.q_max = 1;
  start_refused(def, LIMB_E_ARG, "start (2) is not between q_min (-inf) and q_max (1)");
  def.q_max = 3, def.mimic = 0;
  start_refused(def, LIMB_E_ARG, "start is set, but the joint follows another");
  def = limb_default_joint_def(NULL, LIMB_SPHERICAL, WORLD, 0);
  def.start = 1;
  start_refused(def, LIMB_E_ARG, "start is set, but a spherical joint cannot have it");
  def.type = LIMB_FIXED;
  start_refused(def, LIMB_E_ARG, "start is set, but a fixed joint cannot have it");
}
END_TEST

START_TEST(start_of_a_configuration)
{
  limb_builder* b = robot_of_joints();
  const double start[] = {0.5, -2, 0};
  for (int i = 0; i < 3; i++) {
    char name[] = "new x";
    name[4] = (char)('0' + i);
    limb_joint_def def = limb_default_joint_def(name, LIMB_PRISMATIC, WORLD, 0);
    def.child = fixture_body(b, name, limb_inertia_box(1, 1, 2, 3));
    def.start = start[i];
    if (i == 2) def.q_min = 1, def.start = 0; // not set: limits are not asked
    if (i == 1) def.q_min = -2;
    (void)fixture_joint(b, &def);
  }
  limb_joint_def old = limb_default_joint_def("old", LIMB_PRISMATIC, WORLD, 0);
  old.child = fixture_body(b, "old", limb_inertia_box(1, 1, 2, 3));
  old.start = 7;
  old.size = offsetof(limb_joint_def, start); // of a caller that knows no start
  (void)fixture_joint(b, &old);
  limb_model* m = fixture_end(b);
  double q[32], want[32];
  assert_that(limb_nq(m) <= 32);
  assert_ok(limb_start(m, q));
  assert_ok(limb_neutral(m, want));
  want[m->joint[FLOAT_J + 1].q] = 0.5, want[m->joint[FLOAT_J + 2].q] = -2;
  for (int i = 0; i < limb_nq(m); i++) assert_that(q[i] == want[i]);
  assert_status(limb_start(NULL, q), LIMB_E_ARG);
  assert_status(limb_start(m, NULL), LIMB_E_ARG);
  limb_joint_def joint;
  limb_builder* again = NULL;
  assert_ok(limb_builder_from_model(m, NULL, &again));
  assert_ok(limb_builder_get_joint(again, FLOAT_J + 2, &joint));
  assert_that(joint.start == -2);
  limb_builder_destroy(again);
  limb_model_destroy(m);
}
END_TEST

CHECK_MAIN("model/loops_compiled", 1, rows_of_the_kinds, cut_frames, coordinates, rotations_are_made_orthonormal,
           round_trip, massless_joints, starts_that_are_refused, start_of_a_configuration)
