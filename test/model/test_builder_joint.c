// The joints that the builder accepts and refuses, in which words, and the form in which it keeps them.
#include "model/builder_impl.h"
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A builder with bodies "a" and "b".
static limb_builder* two_bodies(void)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  const limb_body_def one = limb_default_body_def("a"), two = limb_default_body_def("b");
  assert_ok(limb_builder_add_body(b, &one, NULL, NULL));
  assert_ok(limb_builder_add_body(b, &two, NULL, NULL));
  return b;
}

// Joint "j" from the world to "a".
static limb_joint_def joint_of(limb_joint_type type) { return limb_default_joint_def("j", type, LIMB_WORLD_BODY, 1); }

// The joint as the builder keeps it.
static limb_joint_def kept(const limb_joint_def* def)
{
  limb_builder* b = two_bodies();
  limb_error err;
  assert_ok(limb_builder_add_joint(b, def, NULL, &err));
  limb_joint_def r = b->joint[0];
  r.name = NULL;
  limb_builder_destroy(b);
  return r;
}

// The joint is refused with this status, by name, with these words in the message.
static void refused(const limb_joint_def* def, limb_status status, const char* words)
{
  limb_builder* b = two_bodies();
  limb_error err = {.status = LIMB_OK};
  check_at("%s: %s", limb_joint_type_name(def->type), words);
  int joint = -7;
  assert_status(limb_builder_add_joint(b, def, &joint, &err), status);
  assert_that(joint == -7);
  assert_that(err.status == status);
  ck_assert_str_eq(err.where, "joint 'j'");
  ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
  assert_status(limb_builder_add_joint(b, def, NULL, NULL), status);
  assert_that(limb_builder_joint_count(b) == 0 && limb_builder_find_joint(b, "j") == -1);
  limb_builder_destroy(b);
}

// ---- geometry ---------------------------------------------------------------------------------------

START_TEST(bodies_of_a_joint)
{
  static const struct {
    int parent, child;
    const char* words;
  } wrong[] = {
    {-1, 1, "parent is -1"}, {3, 1, "parent is 3"},          {0, -1, "child is -1"},           {0, 3, "bodies 0 to 2"},
    {1, 0, "the world"},     {1, 1, "body 'a' with itself"}, {0, 0, "the child is the world"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    limb_joint_def def = joint_of(LIMB_REVOLUTE);
    def.parent = wrong[i].parent;
    def.child = wrong[i].child;
    refused(&def, LIMB_E_ARG, wrong[i].words);
  }
  limb_joint_def def = joint_of(LIMB_REVOLUTE);
  memcpy(&def.type, &(int){9}, sizeof def.type);
  limb_builder* b = two_bodies();
  assert_status(limb_builder_add_joint(b, &def, NULL, NULL), LIMB_E_ARG);
  limb_builder_destroy(b);
}
END_TEST

START_TEST(axes)
{
  static const limb_joint_type with[] = {LIMB_REVOLUTE,    LIMB_PRISMATIC, LIMB_HELICAL,
                                         LIMB_CYLINDRICAL, LIMB_UNIVERSAL, LIMB_PLANAR};
  for (int i = 0; i < 6; i++) {
    limb_joint_def def = joint_of(with[i]);
    if (with[i] == LIMB_UNIVERSAL) def.axis2 = sp_v3(1, 0, 0);
    def.axis = sp_v3(0, 3, 4);
    assert_close_vec3(kept(&def).axis, sp_v3(0, 0.6, 0.8), 4 * DBL_EPSILON, 0);
    def.axis = sp_v3(0, 3e-320, 4e-320);
    assert_close_vec3(kept(&def).axis, sp_v3(0, 0.6, 0.8), 1e-3, 0);
    def.axis = sp_v3(0, 3e300, 4e300);
    assert_close_vec3(kept(&def).axis, sp_v3(0, 0.6, 0.8), 4 * DBL_EPSILON, 0);
    def.axis = sp_v3(0, 0, -1);
    assert_that(kept(&def).axis.z == -1);
    def.axis = sp_v3(0, 0, 0);
    refused(&def, LIMB_E_ARG, "axis is zero");
    def.axis = sp_v3(0, nan(""), 1);
    refused(&def, LIMB_E_NONFINITE, "axis is not finite");
  }
  static const limb_joint_type without[] = {LIMB_FIXED, LIMB_SPHERICAL, LIMB_FREE};
  for (int i = 0; i < 3; i++) {
    limb_joint_def def = joint_of(without[i]);
    def.axis = sp_v3(nan(""), 0, 0);
    const sp_vec3 axis = kept(&def).axis;
    assert_that(axis.x == 0 && axis.y == 0 && axis.z == 1);
  }
}
END_TEST

START_TEST(unit_axes_stay_as_they_are)
{
  // Normalising twice must not change a bit, or a model read back from its own description drifts.
  for (int i = 1; i < 200; i++) {
    limb_joint_def def = joint_of(LIMB_PLANAR);
    def.axis = sp_v3(sin(i), cos(3 * i), 0.01 * i);
    def.axis2 = sp_v3(1, 0.3, -0.2);
    def = kept(&def);
    assert_close(sp_norm3(def.axis), 1, 4 * DBL_EPSILON, 0);
    assert_close(sp_norm3(def.axis2), 1, 4 * DBL_EPSILON, 0);
    assert_close(sp_dot3(def.axis, def.axis2), 0, 0, 4 * DBL_EPSILON);
    def.name = "j";
    const limb_joint_def again = kept(&def);
    assert_close_vec3(again.axis, def.axis, 0, 0);
    assert_close_vec3(again.axis2, def.axis2, 0, 0);
  }
}
END_TEST

START_TEST(second_axis)
{
  limb_joint_def def = joint_of(LIMB_UNIVERSAL);
  refused(&def, LIMB_E_ARG, "set it to the second axis");
  def.axis2 = sp_v3(0, 0, -2);
  refused(&def, LIMB_E_ARG, "parallel");
  def.axis2 = sp_v3(0, HUGE_VAL, 0);
  refused(&def, LIMB_E_NONFINITE, "axis2");
  def.axis2 = sp_v3(0, 3, 4); // need not be square to the first
  assert_close_vec3(kept(&def).axis2, sp_v3(0, 0.6, 0.8), 4 * DBL_EPSILON, 0);

  def = joint_of(LIMB_PLANAR);
  def.axis2 = sp_v3(0, 2, 5); // projected
  assert_close_vec3(kept(&def).axis2, sp_v3(0, 1, 0), 4 * DBL_EPSILON, 0);
  def.axis2 = sp_v3(0, 0, 5);
  refused(&def, LIMB_E_ARG, "parallel");

  def = joint_of(LIMB_REVOLUTE);
  def.axis2 = sp_v3(0, 1, 0);
  refused(&def, LIMB_E_ARG, "axis2 is set, but a revolute joint has none");
}
END_TEST

START_TEST(planar_default)
{
  // The smallest rotation that takes z to the axis turns about z x axis; it takes x to axis2.
  for (int i = 0; i < 400; i++) {
    const double azimuth = 0.37 * i, tilt = i % 4 == 0 ? pow(10, -i / 25.0) : 3.14159 * i / 400;
    const double down = i % 8 == 0 ? -1 : 1;
    limb_joint_def def = joint_of(LIMB_PLANAR);
    def.axis = sp_v3(sin(tilt) * cos(azimuth), sin(tilt) * sin(azimuth), down * cos(tilt));
    def = kept(&def);
    const double turn = down > 0 ? tilt : 3.14159265358979324 - tilt;
    const sp_mat3 R = sp_rot_axis(sp_v3(-sin(azimuth), cos(azimuth), 0), turn);
    check_at("tilt %g", tilt);
    assert_close_vec3(def.axis2, sp_mulv(R, sp_v3(1, 0, 0)), 1e-13, 0);
    assert_close(sp_dot3(def.axis2, def.axis), 0, 0, 4 * DBL_EPSILON);
  }
  limb_joint_def def = joint_of(LIMB_PLANAR);
  assert_that(kept(&def).axis2.x == 1);
  def.axis = sp_v3(0, 0, -1);
  assert_that(kept(&def).axis2.x == 1);
}
END_TEST

START_TEST(placements)
{
  // Rotations that are exact to rounding are kept bit by bit.
  limb_joint_def def = joint_of(LIMB_REVOLUTE);
  def.placement = sp_pose_make(sp_rot_rpy(0.3, -1.2, 2.5), sp_v3(1, 2, 3));
  limb_joint_def r = kept(&def);
  assert_close_pose(r.placement, def.placement, 0, 0);

  // Rotations with seven digits are made orthonormal.
  const sp_mat3 R = def.placement.R;
  for (int i = 0; i < 9; i++) def.placement.R.m[i] = round(R.m[i] * 1e7) / 1e7;
  r = kept(&def);
  const sp_mat3 one = sp_mul3(sp_transpose3(r.placement.R), r.placement.R);
  assert_close_matrix(one.m, sp_identity3().m, 3, 3, 4 * DBL_EPSILON, 0);
  assert_close_matrix(r.placement.R.m, R.m, 3, 3, 1e-7, 0);

  for (int i = 0; i < 9; i++) def.placement.R.m[i] = round(R.m[i] * 1e3) / 1e3;
  refused(&def, LIMB_E_ARG, "is off by ");
  def.placement.R = (sp_mat3){{1, 0, 0, 0, 1, 0, 0, 0, -1}};
  refused(&def, LIMB_E_ARG, "is off by 2 ");
  def.placement.R = (sp_mat3){{0}};
  refused(&def, LIMB_E_ARG, "not a rotation");
  def.placement.R.m[4] = nan("");
  refused(&def, LIMB_E_NONFINITE, "rotation");
  def = joint_of(LIMB_FREE);
  def.placement.p.y = HUGE_VAL;
  refused(&def, LIMB_E_NONFINITE, "position");
}
END_TEST

// ---- properties -------------------------------------------------------------------------------------

static const struct {
  const char* name;
  size_t at;
  double allowed;
  double wrong[3]; // 0 ends the list
} property[] = {
  {"q_min", offsetof(limb_joint_def, q_min), -2, {HUGE_VAL}},
  {"q_max", offsetof(limb_joint_def, q_max), 2, {-HUGE_VAL}},
  {"v_max", offsetof(limb_joint_def, v_max), 0, {-1, -HUGE_VAL}},
  {"effort_max", offsetof(limb_joint_def, effort_max), 5, {-1, -HUGE_VAL}},
  {"rotor_inertia", offsetof(limb_joint_def, rotor_inertia), 1e-3, {-1e-9, HUGE_VAL}},
  {"gear_ratio", offsetof(limb_joint_def, gear_ratio), -100, {HUGE_VAL}},
  {"coulomb", offsetof(limb_joint_def, coulomb), 0.1, {-0.1, HUGE_VAL}},
  {"viscous", offsetof(limb_joint_def, viscous), 0.2, {-0.2, HUGE_VAL}},
  {"stiffness", offsetof(limb_joint_def, stiffness), 30, {-30, HUGE_VAL}},
  {"rest", offsetof(limb_joint_def, rest), -0.5, {HUGE_VAL, -HUGE_VAL}},
  {"multiplier", offsetof(limb_joint_def, multiplier), -2, {HUGE_VAL}},
  {"offset", offsetof(limb_joint_def, offset), 0.7, {HUGE_VAL}},
};

static void set(limb_joint_def* def, size_t at, double x) { memcpy((char*)def + at, &x, sizeof x); }

START_TEST(properties_of_one_dof_joints)
{
  for (size_t i = 0; i < sizeof property / sizeof property[0]; i++) {
    limb_joint_def def = joint_of(LIMB_PRISMATIC);
    def.mimic = 7; // lets multiplier and offset be set
    set(&def, property[i].at, property[i].allowed);
    (void)kept(&def);
    set(&def, property[i].at, nan(""));
    refused(&def, LIMB_E_NONFINITE, property[i].name);
    for (int k = 0; k < 3 && property[i].wrong[k] != 0; k++) {
      set(&def, property[i].at, property[i].wrong[k]);
      const bool limit = property[i].at <= offsetof(limb_joint_def, effort_max);
      refused(&def, isinf(property[i].wrong[k]) && !limit ? LIMB_E_NONFINITE : LIMB_E_ARG, property[i].name);
    }
  }
  limb_joint_def def = joint_of(LIMB_REVOLUTE);
  def.gear_ratio = 0;
  refused(&def, LIMB_E_ARG, "gear_ratio is zero");
  def = joint_of(LIMB_REVOLUTE);
  def.q_min = 1, def.q_max = 0.5;
  refused(&def, LIMB_E_ARG, "q_min (1) and q_max (0.5)");
  def.q_max = 1;
  (void)kept(&def);
}
END_TEST

START_TEST(properties_of_other_joints)
{
  static const limb_joint_type other[] = {LIMB_FIXED,  LIMB_CYLINDRICAL, LIMB_UNIVERSAL,
                                          LIMB_PLANAR, LIMB_SPHERICAL,   LIMB_FREE};
  for (int t = 0; t < 6; t++) {
    limb_joint_def plain = joint_of(other[t]);
    if (other[t] == LIMB_UNIVERSAL) plain.axis2 = sp_v3(1, 0, 0);
    (void)kept(&plain);
    for (size_t i = 0; i < sizeof property / sizeof property[0]; i++) {
      limb_joint_def def = plain;
      if (other[t] == LIMB_SPHERICAL && property[i].at == offsetof(limb_joint_def, stiffness)) continue; // it has
      set(&def, property[i].at, property[i].allowed);
      refused(&def, LIMB_E_ARG, property[i].name);
      set(&def, property[i].at, nan(""));
      refused(&def, LIMB_E_ARG, property[i].name);
    }
    limb_joint_def def = plain;
    def.mimic = 3;
    refused(&def, LIMB_E_ARG, "mimic is set");
    def = plain;
    def.pitch = 0.1;
    refused(&def, LIMB_E_ARG, "pitch is set");
  }
}
END_TEST

START_TEST(pitch)
{
  limb_joint_def def = joint_of(LIMB_HELICAL);
  (void)kept(&def);
  def.pitch = -0.01;
  assert_that(kept(&def).pitch == -0.01);
  def.pitch = nan("");
  refused(&def, LIMB_E_NONFINITE, "pitch");
  def = joint_of(LIMB_REVOLUTE);
  def.pitch = 0.01;
  refused(&def, LIMB_E_ARG, "use helical");
}
END_TEST

START_TEST(mimic)
{
  limb_joint_def def = joint_of(LIMB_REVOLUTE);
  def.mimic = -2;
  refused(&def, LIMB_E_ARG, "mimic is -2");
  def.mimic = 0;
  refused(&def, LIMB_E_ARG, "mimics itself");
  def.mimic = 1; // added later, or found missing by the build
  assert_that(kept(&def).mimic == 1);
  def.multiplier = 0;
  refused(&def, LIMB_E_ARG, "fixed joint");
  def = joint_of(LIMB_REVOLUTE);
  def.multiplier = 2;
  refused(&def, LIMB_E_ARG, "set mimic too");
}
END_TEST

// Three hinges in a row, and a ball joint behind them, built with the given leaders of the hinges: the
// error names the joint whose reference is bad.
static void bad_mimic(const int leader[3], const char* where, const char* words)
{
  limb_builder* b = NULL;
  limb_model* m = NULL;
  limb_error err;
  assert_ok(limb_builder_create(NULL, &b));
  static const char* const name[4] = {"a", "b", "c", "ball"};
  for (int k = 0; k < 4; k++) {
    const limb_body_def body = limb_default_body_def(name[k]);
    assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
    limb_joint_def def = limb_default_joint_def(name[k], k < 3 ? LIMB_REVOLUTE : LIMB_SPHERICAL, k, k + 1);
    if (k < 3) def.mimic = leader[k];
    assert_ok(limb_builder_add_joint(b, &def, NULL, NULL));
  }
  assert_status(limb_builder_build(b, &m, &err), LIMB_E_MODEL);
  ck_assert_str_eq(err.where, where);
  assert_that(strstr(err.text, words) && m == NULL);
  limb_builder_destroy(b);
}

START_TEST(mimic_of_what_is_not_there)
{
  bad_mimic((const int[3]){1, 2, 9}, "joint 'c'", "follows joint 9");
  bad_mimic((const int[3]){1, 2, 3}, "joint 'c'", "follows joint 'ball', which has 3 degrees");
  bad_mimic((const int[3]){2, -1, 3}, "joint 'c'", "follows joint 'ball'");
  bad_mimic((const int[3]){1, 3, -1}, "joint 'b'", "follows joint 'ball'");
}
END_TEST

START_TEST(mimic_in_a_circle)
{
  bad_mimic((const int[3]){-1, 2, 1}, "joint 'b'", "circle");
  bad_mimic((const int[3]){1, 2, 1}, "joint 'c'", "circle"); // a leads into it, c is on it
}
END_TEST

CHECK_MAIN("builder_joint", 1, bodies_of_a_joint, axes, unit_axes_stay_as_they_are, second_axis, planar_default,
           placements, properties_of_one_dof_joints, properties_of_other_joints, pitch, mimic,
           mimic_of_what_is_not_there, mimic_in_a_circle)
