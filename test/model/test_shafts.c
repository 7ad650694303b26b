// Drives, shafts and series-elastic motors: what the builder takes in and refuses, and what the model says.
#include "model/builder_impl.h"
#include "support/check.h"
#include "support/robots.h"
#include "support/robots_impl.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Joints 0 to 3: "hinge", "slide", "follower" of the hinge, "ball"; all on the world.
static limb_builder* four_joints(void)
{
  limb_builder* b = fixture_begin("four");
  const sp_inertia Y = limb_inertia_box(1, 1, 1, 1);
  const sp_vec3 axis = {0, 3, 4};
  const sp_pose at = {sp_rot_axis(sp_v3(0, 0, 1), 0.5), {1, 2, 3}};
  (void)fixture_link(b, "hinge", LIMB_REVOLUTE, 0, at, axis, Y);
  (void)fixture_link(b, "slide", LIMB_PRISMATIC, 0, at, axis, Y);
  limb_joint_def follower = limb_default_joint_def("follower", LIMB_REVOLUTE, 0, fixture_body(b, "follower", Y));
  follower.mimic = 0;
  (void)fixture_joint(b, &follower);
  (void)fixture_link(b, "ball", LIMB_SPHERICAL, 0, at, axis, Y);
  return b;
}

static limb_motor_def good_motor(int joint)
{
  limb_motor_def def = limb_default_motor_def(joint);
  def.rotor_inertia = 0.5;
  def.ratio = 10;
  def.stiffness = 100;
  return def;
}

// Nothing but the four joints is there, and their names are found.
static void assert_unchanged(const limb_builder* b)
{
  assert_that(limb_builder_body_count(b) == 5 && limb_builder_joint_count(b) == 4);
  assert_that(limb_builder_shaft_count(b) == 0);
  assert_that(limb_builder_find_body(b, "hinge_rotor") == -1);
  assert_that(limb_builder_find_joint(b, "hinge_motor") == -1);
  for (int j = 0; j < 4; j++) assert_that(limb_builder_find_joint(b, b->joint[j].name) == j);
  for (int i = 0; i < 5; i++) assert_that(limb_builder_find_body(b, b->body[i].name) == i);
}

// ---- shafts -----------------------------------------------------------------------------------------

static void shaft_refused(const limb_shaft_def* def, limb_status status, const char* words)
{
  limb_builder* b = four_joints();
  limb_error err = {.status = LIMB_OK};
  check_at("%s", words);
  assert_status(limb_builder_add_shaft(b, def, &err), status);
  assert_that(err.status == status);
  assert_that(strncmp(err.where, "shaft", 5) == 0);
  ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
  assert_status(limb_builder_add_shaft(b, def, NULL), status);
  assert_unchanged(b);
  limb_builder_destroy(b);
}

START_TEST(refused_shafts)
{
  static const struct {
    int joint, motor;
    const char* words;
  } ends[] = {{-1, 0, "joint is -1"},
              {4, 0, "joint is 4"},
              {0, 4, "motor is 4"},
              {0, -2, "motor is -2"},
              {3, 0, "joint is 'ball', a spherical joint"},
              {0, 3, "motor is 'ball'"},
              {2, 1, "joint is 'follower', which follows another joint"},
              {1, 2, "motor is 'follower'"},
              {1, 1, "connects joint 'slide' with itself"}};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    const limb_shaft_def def = limb_default_shaft_def(ends[i].joint, ends[i].motor);
    shaft_refused(&def, LIMB_E_ARG, ends[i].words);
  }
  const char* const name[] = {"ratio", "stiffness", "damping", "rest"};
  for (int k = 0; k < 4; k++) {
    limb_shaft_def def = limb_default_shaft_def(0, 1);
    double* const x[] = {&def.ratio, &def.stiffness, &def.damping, &def.rest};
    *x[k] = nan("");
    shaft_refused(&def, LIMB_E_NONFINITE, name[k]);
    *x[k] = -HUGE_VAL;
    shaft_refused(&def, LIMB_E_NONFINITE, name[k]);
    *x[k] = k == 0 ? 0 : -1;
    if (k < 3) shaft_refused(&def, LIMB_E_ARG, name[k]);
  }
  limb_shaft_def tiny = limb_default_shaft_def(0, 1);
  tiny.ratio = 1e-310; // its inverse is infinite
  shaft_refused(&tiny, LIMB_E_ARG, "ratio");
}
END_TEST

START_TEST(no_arguments)
{
  limb_builder* b = four_joints();
  const limb_shaft_def shaft = limb_default_shaft_def(0, 1);
  const limb_motor_def motor = good_motor(0);
  limb_shaft_def out;
  assert_status(limb_builder_add_shaft(NULL, &shaft, NULL), LIMB_E_ARG);
  assert_status(limb_builder_add_shaft(b, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_add_motor(NULL, &motor, NULL, NULL), LIMB_E_ARG);
  assert_status(limb_builder_add_motor(b, NULL, NULL, NULL), LIMB_E_ARG);
  assert_unchanged(b);
  assert_ok(limb_builder_add_shaft(b, &shaft, NULL));
  assert_status(limb_builder_get_shaft(NULL, 0, &out), LIMB_E_ARG);
  assert_status(limb_builder_get_shaft(b, 0, NULL), LIMB_E_ARG);
  assert_status(limb_builder_get_shaft(b, 1, &out), LIMB_E_ARG);
  assert_status(limb_builder_get_shaft(b, -1, &out), LIMB_E_ARG);
  limb_model* m = fixture_end(b);
  assert_status(limb_get_shaft(NULL, 0, &out), LIMB_E_ARG);
  assert_status(limb_get_shaft(m, 0, NULL), LIMB_E_ARG);
  assert_status(limb_get_shaft(m, 1, &out), LIMB_E_ARG);
  assert_status(limb_get_shaft(m, -1, &out), LIMB_E_ARG);
  assert_that(limb_shaft_count(NULL) == 0 && limb_builder_shaft_count(NULL) == 0);
  limb_model_destroy(m);
}
END_TEST

// A joint has one shaft, a motor may drive two joints; a driven joint may drive on.
START_TEST(shafts_of_one_joint)
{
  limb_builder* b = fixture_begin("three");
  const sp_inertia Y = limb_inertia_box(1, 1, 1, 1);
  const char* const name[] = {"x", "y", "z"};
  for (int k = 0; k < 3; k++) (void)fixture_link(b, name[k], LIMB_REVOLUTE, k, sp_pose_identity(), sp_v3(1, 0, 0), Y);
  limb_shaft_def def = limb_default_shaft_def(0, 2);
  limb_error err;
  assert_ok(limb_builder_add_shaft(b, &def, &err));
  assert_status(limb_builder_add_shaft(b, &def, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "driven by a shaft already") && strstr(err.where, "'x'"));
  def.motor = 1;
  assert_status(limb_builder_add_shaft(b, &def, &err), LIMB_E_ARG);
  def.joint = 1, def.motor = 2, def.ratio = -3;
  assert_ok(limb_builder_add_shaft(b, &def, &err));
  assert_that(limb_builder_shaft_count(b) == 2);
  limb_model* m = fixture_end(b);
  limb_joint_info joint;
  for (int k = 0; k < 3; k++) {
    assert_ok(limb_get_joint(m, k, &joint));
    assert_that(joint.shaft == (k < 2 ? k : -1) && joint.passive == (k < 2));
  }
  limb_shaft_def got;
  assert_ok(limb_get_shaft(m, 1, &got));
  assert_that(got.joint == 1 && got.motor == 2 && got.ratio == -3 && got.size == sizeof got);
  limb_model_destroy(m);
}
END_TEST

// ---- motors -----------------------------------------------------------------------------------------

static void motor_refused(const limb_motor_def* def, limb_status status, const char* words)
{
  limb_builder* b = four_joints();
  limb_error err = {.status = LIMB_OK};
  int motor = -7;
  check_at("%s", words);
  assert_status(limb_builder_add_motor(b, def, &motor, &err), status);
  assert_that(motor == -7 && err.status == status && *err.where);
  ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
  assert_unchanged(b);
  const limb_motor_def good = good_motor(0); // the next one is taken
  assert_ok(limb_builder_add_motor(b, &good, &motor, &err));
  assert_that(motor == 4);
  limb_builder_destroy(b);
}

START_TEST(refused_motors)
{
  enum { NUMBERS = 12 };
  for (int k = 0; k < NUMBERS; k++) {
    limb_motor_def def = good_motor(0);
    double* const x[NUMBERS] = {&def.rotor_inertia, &def.rotor_mass, &def.axis.y,  &def.centre.z,
                                &def.ratio,         &def.stiffness,  &def.damping, &def.rest,
                                &def.coulomb,       &def.viscous,    &def.axis.x,  &def.effort_max};
    def.coupled = k == 1;
    *x[k] = nan("");
    motor_refused(&def, LIMB_E_NONFINITE, "not finite");
    *x[k] = -HUGE_VAL;
    motor_refused(&def, k == 11 ? LIMB_E_ARG : LIMB_E_NONFINITE, k == 11 ? "negative" : "not finite");
    *x[k] = k == 4 ? 0 : -1;
    const int any_sign = k == 2 || k == 3 || k == 7 || k == 10;
    if (!any_sign) motor_refused(&def, LIMB_E_ARG, "");
  }
  limb_motor_def def = good_motor(0);
  def.rotor_inertia = 0;
  motor_refused(&def, LIMB_E_ARG, "without inertia");
  def = good_motor(0), def.rotor_mass = 1;
  motor_refused(&def, LIMB_E_ARG, "not coupled");
  def = good_motor(0), def.coupled = 1;
  motor_refused(&def, LIMB_E_ARG, "a coupled rotor has a mass");
  def = good_motor(0), def.coupled = 2;
  motor_refused(&def, LIMB_E_ARG, "coupled is 2");
  def = good_motor(2);
  motor_refused(&def, LIMB_E_ARG, "follows another joint");
  def = good_motor(3);
  motor_refused(&def, LIMB_E_ARG, "one degree of freedom");
  def = good_motor(4);
  motor_refused(&def, LIMB_E_ARG, "joint is 4");
  def = good_motor(-1);
  motor_refused(&def, LIMB_E_ARG, "joint is -1");
}
END_TEST

START_TEST(names_that_are_taken)
{
  const char* const taken[] = {"hinge_rotor", "hinge_motor"};
  for (int k = 0; k < 2; k++) { // a body, a joint
    limb_builder* b = four_joints();
    const int body = fixture_body(b, k ? "other" : taken[0], limb_inertia_box(1, 1, 1, 1));
    const limb_joint_def joint = limb_default_joint_def(k ? taken[1] : "other", LIMB_REVOLUTE, 0, body);
    (void)fixture_joint(b, &joint);
    const limb_motor_def def = good_motor(0);
    limb_error err;
    assert_status(limb_builder_add_motor(b, &def, NULL, &err), LIMB_E_ARG);
    assert_that(strstr(err.where, taken[k]) && strstr(err.text, "already"));
    assert_that(limb_builder_body_count(b) == 6 && limb_builder_joint_count(b) == 5);
    assert_that(limb_builder_find_body(b, k ? taken[0] : taken[1]) == -1);
    assert_that(limb_builder_find_body(b, k ? "other" : taken[0]) == body);
    assert_that(limb_builder_shaft_count(b) == 0);
    limb_builder_destroy(b);
  }
}
END_TEST

START_TEST(a_second_motor_on_one_joint)
{
  limb_builder* b = four_joints();
  const limb_motor_def def = good_motor(0);
  assert_ok(limb_builder_add_motor(b, &def, NULL, NULL));
  assert_status(limb_builder_add_motor(b, &def, NULL, NULL), LIMB_E_ARG);
  assert_that(limb_builder_body_count(b) == 6 && limb_builder_joint_count(b) == 5);
  assert_that(limb_builder_shaft_count(b) == 1);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(an_uncoupled_motor)
{
  limb_builder* b = four_joints();
  limb_motor_def def = good_motor(1);
  def.damping = 3, def.rest = 0.25, def.coulomb = 4, def.viscous = 5, def.effort_max = 6;
  int motor;
  assert_ok(limb_builder_add_motor(b, &def, &motor, NULL));
  assert_that(motor == 4 && motor == limb_builder_find_joint(b, "slide_motor"));
  limb_joint_def j, driven;
  limb_body_def rotor;
  limb_shaft_def s;
  assert_ok(limb_builder_get_joint(b, motor, &j));
  assert_ok(limb_builder_get_joint(b, 1, &driven));
  assert_ok(limb_builder_get_body(b, j.child, &rotor));
  assert_ok(limb_builder_get_shaft(b, 0, &s));
  ck_assert_str_eq(rotor.name, "slide_rotor");
  assert_that(rotor.inertia.mass == 0 && rotor.inertia.zz == 0);
  assert_that(j.type == LIMB_REVOLUTE && j.parent == driven.parent);
  assert_that(j.rotor_inertia == 0.5 && j.gear_ratio == 1 && j.drive == LIMB_DRIVE_AUTO);
  assert_that(j.coulomb == 4 && j.viscous == 5 && j.effort_max == 6 && j.stiffness == 0);
  assert_close_pose(j.placement, driven.placement, 0, 0);
  assert_close_vec3(j.axis, driven.axis, 0, 0);
  assert_that(s.joint == 1 && s.motor == motor && s.ratio == 10);
  assert_that(s.stiffness == 100 && s.damping == 3 && s.rest == 0.25);
  limb_model* m = fixture_end(b);
  for (int i = 0; i < limb_model_note_count(m); i++) { // a rotor is inertia enough
    limb_note note;
    assert_ok(limb_model_note(m, i, &note));
    assert_that(note.kind != LIMB_NOTE_MASSLESS);
  }
  limb_model_destroy(m);
}
END_TEST

START_TEST(a_coupled_motor)
{
  limb_builder* b = four_joints();
  limb_motor_def def = good_motor(0);
  def.coupled = 1, def.rotor_mass = 0.7, def.axis = sp_v3(0, 0, -5), def.centre = sp_v3(0.1, 0, 0);
  int motor;
  assert_ok(limb_builder_add_motor(b, &def, &motor, NULL));
  limb_joint_def j;
  limb_body_def rotor;
  assert_ok(limb_builder_get_joint(b, motor, &j));
  assert_ok(limb_builder_get_body(b, j.child, &rotor));
  const sp_inertia* Y = &rotor.inertia;
  const double got[10] = {Y->mass, Y->com.x, Y->com.y, Y->com.z, Y->xx, Y->xy, Y->xz, Y->yy, Y->yz, Y->zz};
  const double want[10] = {0.7, 0, 0, 0, 0.25, 0, 0, 0.25, 0, 0.5};
  assert_close_array(got, want, 10, 0, 0);
  assert_that(j.rotor_inertia == 0);
  assert_close_vec3(j.axis, sp_v3(0, 0, -1), 0, 0);
  assert_close_vec3(j.placement.p, sp_v3(1 + 0.1 * cos(0.5), 2 + 0.1 * sin(0.5), 3), 1e-15, 0);
  limb_builder_destroy(b);
  // about any axis a: a'Ia = J, and half of it across
  b = four_joints();
  def.axis = sp_v3(1e200, 2e200, 2e200);
  assert_ok(limb_builder_add_motor(b, &def, &motor, NULL));
  Y = &b->body[b->joint[motor].child].inertia;
  const double a[3] = {1 / 3.0, 2 / 3.0, 2 / 3.0};
  const double I[9] = {Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz};
  for (int i = 0; i < 3; i++) {
    double Ia = 0;
    for (int k = 0; k < 3; k++) Ia += I[3 * i + k] * a[k];
    assert_close(Ia, 0.5 * a[i], 1e-15, 1e-16);
  }
  assert_close(Y->xx + Y->yy + Y->zz, 1, 1e-15, 0);
  assert_that(limb_inertia_defect(Y) == NULL);
  limb_builder_destroy(b);
}
END_TEST

// ---- drives -----------------------------------------------------------------------------------------

START_TEST(drives_of_every_type)
{
  for (int type = LIMB_FIXED; type <= LIMB_FREE; type++) {
    for (int drive = -1; drive <= LIMB_DRIVE_PASSIVE + 1; drive++) {
      check_at("type %d, drive %d", type, drive);
      limb_builder* b = fixture_begin("one");
      limb_joint_def def =
        limb_default_joint_def("j", (limb_joint_type)type, 0, fixture_body(b, "a", limb_inertia_box(1, 1, 1, 1)));
      if (type == LIMB_UNIVERSAL) def.axis2 = sp_v3(1, 0, 0);
      memcpy(&def.drive, &drive, sizeof drive); // also what no enumerator has
      const int known = drive >= LIMB_DRIVE_AUTO && drive <= LIMB_DRIVE_PASSIVE;
      const int fine = known && (type != LIMB_FIXED || drive == LIMB_DRIVE_AUTO);
      limb_error err = {.status = LIMB_OK};
      assert_status(limb_builder_add_joint(b, &def, NULL, &err), fine ? LIMB_OK : LIMB_E_ARG);
      if (!fine) {
        assert_that(strstr(err.text, "drive") && limb_builder_joint_count(b) == 0);
        limb_builder_destroy(b);
        continue;
      }
      limb_model* m = fixture_end(b);
      limb_joint_info info;
      assert_ok(limb_get_joint(m, 0, &info));
      const int by_itself = type == LIMB_FREE && drive == LIMB_DRIVE_AUTO;
      assert_that(info.passive == (drive == LIMB_DRIVE_PASSIVE || by_itself));
      assert_that(info.shaft == -1 && (int)info.def.drive == drive);
      limb_model_destroy(m);
    }
  }
}
END_TEST

START_TEST(drives_that_are_told_or_not)
{
  limb_builder* b = four_joints();
  const int body = fixture_body(b, "x", limb_inertia_box(1, 1, 1, 1));
  limb_joint_def def = limb_default_joint_def("x", LIMB_REVOLUTE, 0, body);
  limb_error err;
  def.mimic = 0, def.drive = LIMB_DRIVE_ACTIVE;
  assert_status(limb_builder_add_joint(b, &def, NULL, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "drive") && strstr(err.text, "mimic"));
  def.mimic = -1; // a joint behind a shaft that has a motor of its own besides
  assert_ok(limb_builder_add_joint(b, &def, NULL, &err));
  limb_motor_def motor = good_motor(4);
  assert_ok(limb_builder_add_motor(b, &motor, NULL, &err));
  motor = good_motor(0);
  assert_ok(limb_builder_add_motor(b, &motor, NULL, &err));
  limb_model* m = fixture_end(b);
  const int passive[] = {1, 0, 0, 0, 0, 0, 0}, shaft[] = {1, -1, -1, -1, 0, -1, -1};
  for (int j = 0; j < limb_joint_count(m); j++) {
    limb_joint_info info;
    assert_ok(limb_get_joint(m, j, &info));
    assert_that(info.passive == passive[j] && info.shaft == shaft[j]);
  }
  limb_model_destroy(m);
}
END_TEST

// ---- other versions ---------------------------------------------------------------------------------

// A caller of the time before drives: what lies behind its struct is not looked at.
START_TEST(definitions_of_older_callers)
{
  limb_builder* b = fixture_begin("old");
  limb_joint_def def =
    limb_default_joint_def("j", LIMB_REVOLUTE, 0, fixture_body(b, "a", limb_inertia_box(1, 1, 1, 1)));
  def.size = offsetof(limb_joint_def, drive);
  def.drive = LIMB_DRIVE_PASSIVE;
  (void)fixture_joint(b, &def);
  assert_that(b->joint[0].drive == LIMB_DRIVE_AUTO && b->joint[0].size == sizeof def);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(definitions_of_newer_callers)
{
  struct {
    limb_shaft_def def;
    double news;
  } shaft = {limb_default_shaft_def(0, 1), 0};
  struct {
    limb_motor_def def;
    double news;
  } motor = {good_motor(0), 0};
  limb_builder* b = four_joints();
  shaft.def.size = sizeof shaft, motor.def.size = sizeof motor;
  shaft.news = motor.news = 1;
  assert_status(limb_builder_add_shaft(b, &shaft.def, NULL), LIMB_E_UNSUPPORTED);
  assert_status(limb_builder_add_motor(b, &motor.def, NULL, NULL), LIMB_E_UNSUPPORTED);
  assert_unchanged(b);
  shaft.news = motor.news = 0;
  shaft.def.joint = 1, shaft.def.motor = 0;
  assert_ok(limb_builder_add_shaft(b, &shaft.def, NULL));
  assert_ok(limb_builder_add_motor(b, &motor.def, NULL, NULL));
  shaft.def.size = motor.def.size = 0;
  limb_error err;
  assert_status(limb_builder_add_shaft(b, &shaft.def, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "limb_default_shaft_def"));
  assert_status(limb_builder_add_motor(b, &motor.def, NULL, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "limb_default_motor_def"));
  limb_builder_destroy(b);
}
END_TEST

// ---- there and back ---------------------------------------------------------------------------------

static void assert_same_shaft(const limb_shaft_def* x, const limb_shaft_def* y)
{
  assert_that(x->joint == y->joint && x->motor == y->motor && x->ratio == y->ratio);
  assert_that(x->stiffness == y->stiffness && x->damping == y->damping && x->rest == y->rest);
}

START_TEST(a_builder_from_a_model)
{
  limb_model* (*const make[])(void) = {robot_elastic_arm, robot_two_roots};
  for (int r = 0; r < 2; r++) {
    limb_model *m = make[r](), *back = NULL;
    limb_builder* b = NULL;
    assert_ok(limb_builder_from_model(m, NULL, &b));
    assert_ok(limb_builder_build(b, &back, NULL));
    limb_builder_destroy(b);
    assert_that(limb_shaft_count(m) > 0 && limb_shaft_count(back) == limb_shaft_count(m));
    for (int k = 0; k < limb_shaft_count(m); k++) {
      limb_shaft_def one, two;
      assert_ok(limb_get_shaft(m, k, &one));
      assert_ok(limb_get_shaft(back, k, &two));
      assert_same_shaft(&one, &two);
    }
    for (int j = 0; j < limb_joint_count(m); j++) {
      limb_joint_info one, two;
      assert_ok(limb_get_joint(m, j, &one));
      assert_ok(limb_get_joint(back, j, &two));
      assert_that(one.passive == two.passive && one.shaft == two.shaft);
      assert_that(one.def.drive == two.def.drive);
    }
    double q[32], tau[2][32], v[32] = {0}, a[32] = {0};
    uint64_t seed = 3;
    assert_ok(limb_random(m, &seed, q));
    for (int k = 0; k < limb_nv(m); k++) v[k] = 1 + 0.1 * k, a[k] = 2 - 0.3 * k;
    for (int k = 0; k < 2; k++) {
      limb_data* d = NULL;
      assert_ok(limb_data_create(k ? back : m, NULL, &d));
      assert_ok(limb_inverse_dynamics(d, q, v, a, NULL, tau[k]));
      limb_data_destroy(d);
    }
    assert_that(memcmp(tau[0], tau[1], (size_t)limb_nv(m) * sizeof(double)) == 0);
    limb_model_destroy(m);
    limb_model_destroy(back);
  }
}
END_TEST

CHECK_MAIN("model/shafts", 1, refused_shafts, no_arguments, shafts_of_one_joint, refused_motors, names_that_are_taken,
           a_second_motor_on_one_joint, an_uncoupled_motor, a_coupled_motor, drives_of_every_type,
           drives_that_are_told_or_not, definitions_of_older_callers, definitions_of_newer_callers,
           a_builder_from_a_model)
