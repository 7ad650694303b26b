// SDF: frames, nested models, inclusions and joints. Figures of arm.sdf are those of Drake, which reads SDF through
// libsdformat; faults are named; hostile files end.
#include "io/faults.h"
#include "io/written.h"

#define LINK(name) "<link name='" name "'><inertial><mass>1</mass></inertial></link>"
#define JOINT(name, type, parent, child, more) \
  "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child "</child>" more "</joint>"
#define MODEL(version, text) "<sdf version='" version "'><model name='m'>" text "</model></sdf>"

static limb_reading* read_sdf(const char* text, limb_status* status)
{
  limb_reading* r = NULL;
  *status = limb_read_text(text, strlen(text), "x.sdf", NULL, &r, NULL);
  assert_that(r != NULL);
  check_at("%.300s", text);
  check_reading(r, *status);
  return r;
}

static limb_builder* good(const char* text, limb_reading** r)
{
  limb_status status = LIMB_OK;
  *r = read_sdf(text, &status);
  if (status) print_findings(*r);
  assert_ok(status);
  return limb_reading_builder(*r);
}

static limb_joint_def joint(const limb_builder* b, const char* name)
{
  limb_joint_def def;
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, name), &def));
  return def;
}

// ---- figures --------------------------------------------------------------------------------------

// M, g and C v at q and v, in the order shoulder, elbow, grip, wrist; and the place of the finger.
START_TEST(arm_as_drake_has_it)
{
  static const double q[] = {0.3, 0.2, 0.5, -0.7}, v[] = {0.4, -0.6, 0.8, 1.1};
  static const double M[16] = {
    4.2061086490995592e-01, 2.6377061240517341e-01,  4.6165853315015723e-05,  3.1221006233872332e-04,
    2.6377061240517341e-01, 1.5999999999999983e+00,  -8.5525777323725103e-04, -2.4765863980423086e-04,
    4.6165853315015723e-05, -8.5525777323725103e-04, 2.9000000000000000e-04,  1.9168312276928755e-04,
    3.1221006233872332e-04, -2.4765863980423086e-04, 1.9168312276928755e-04,  1.3817080683405725e-03};
  static const double g[] = {-4.5213150316159920, -14.864561970668531, 1.3422179463396449e-02, 7.9489291684199329e-03};
  static const double Cv[] = {0.08406799121294856, 0.029274066613983, 0.00030368202291403, -0.00061663073347954};
  limb_read_options opt = limb_default_read_options();
  limb_model* m = NULL;
  limb_data* d = NULL;
  double found[16], h[4];
  opt.package_path = LIMB_TEST_DIR "/io/sdf/models";
  assert_ok(limb_load(LIMB_TEST_DIR "/io/sdf/arm.sdf", &opt, &m, NULL));
  ck_assert_int_eq(limb_nv(m), 4);
  assert_ok(limb_data_create(m, NULL, &d));
  limb_environment env = limb_default_environment(m);
  assert_ok(limb_mass_matrix(d, q, found));
  for (int i = 0; i < 16; i++) assert_that(fabs(found[i] - M[i]) < 1e-14);
  assert_ok(limb_gravity_forces(d, q, &env, h));
  for (int i = 0; i < 4; i++) assert_that(fabs(h[i] - g[i]) < 1e-12);
  assert_ok(limb_bias_forces(d, q, v, &env, h));
  for (int i = 0; i < 4; i++) assert_that(fabs(h[i] - g[i] - Cv[i]) < 1e-12);
  limb_data_destroy(d);
  limb_model_destroy(m);
}
END_TEST

// ---- what is read ---------------------------------------------------------------------------------

// Before 1.5 axes are in the frame of the model, until 1.6 they may be, from 1.7 on they are in that of the joint.
START_TEST(axes_by_version)
{
#define TURNED(flag)                                                                                     \
  "<link name='b'><pose>0 0 0 0 0 1.5707963267948966</pose></link>" JOINT("j", "revolute", "world", "b", \
                                                                          "<axis><xyz>1 0 0</xyz>" flag "</axis>")
  static const char* const texts[] = {MODEL("1.4", TURNED("")), MODEL("1.6", TURNED("")),
                                      MODEL("1.6", TURNED("<use_parent_model_frame>1</use_parent_model_frame>")),
                                      MODEL("1.9", TURNED(""))};
  static const double y[] = {-1, 0, -1, 0};
  for (int i = 0; i < 4; i++) {
    limb_reading* r = NULL;
    const sp_vec3 axis = joint(good(texts[i], &r), "j").axis;
    assert_that(fabs(axis.y - y[i]) < 1e-15 && fabs(axis.x - (1 + y[i])) < 1e-15);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(properties_of_joints)
{
  limb_reading* r = NULL;
  limb_builder* b =
    good(MODEL("1.11",
               LINK("a") LINK("b") LINK("c") LINK("d") JOINT("w", "fixed", "world", "a", "")
                 JOINT("j", "revolute", "a", "b",
                       "<axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>2</upper><velocity>3</velocity></limit>"
                       "<dynamics><damping>4</damping></dynamics></axis><drake:rotor_inertia>0.1</drake:rotor_inertia>"
                       "<drake:gear_ratio>50</drake:gear_ratio>") JOINT("s", "screw", "b", "c",
                                                                        "<screw_thread_pitch>0.01</screw_thread_pitch>"
                                                                        "<axis><xyz>0 0 1</xyz></axis>")
                   JOINT("p", "prismatic", "c", "d",
                         "<axis><xyz>1 0 0</xyz><mimic joint='j'><multiplier>2</multiplier><offset>1</offset>"
                         "<reference>0.25</reference></mimic></axis>")),
         &r);
  const limb_joint_def j = joint(b, "j"), s = joint(b, "s"), p = joint(b, "p");
  assert_that(isinf(j.q_min) && j.q_max == 2 && j.v_max == 3 && isinf(j.effort_max) && j.viscous == 4);
  assert_that(j.rotor_inertia == 0.1 && j.gear_ratio == 50);
  assert_that(s.type == LIMB_HELICAL && fabs(s.pitch - 0.01 / 6.283185307179586) < 1e-18);
  assert_that(p.mimic == limb_builder_find_joint(b, "j") && p.multiplier == 2 && p.offset == 0.5);
  limb_reading_destroy(r);
}
END_TEST

// A link without a joint floats; those of a static model do not; several float one by one.
START_TEST(roots)
{
  limb_reading* r = NULL;
  limb_builder* b = good(MODEL("1.9", LINK("a")), &r);
  assert_that(joint(b, "base").type == LIMB_FREE);
  limb_reading_destroy(r);
  b = good(MODEL("1.9", "<static>true</static>" LINK("a") LINK("b")), &r);
  assert_that(joint(b, "a.joint").type == LIMB_FIXED && joint(b, "b.joint").type == LIMB_FIXED);
  limb_reading_destroy(r);
  b = good(MODEL("1.9", LINK("a") LINK("b")), &r);
  assert_that(joint(b, "a.joint").type == LIMB_FREE && joint(b, "b.joint").type == LIMB_FREE);
  limb_reading_destroy(r);
}
END_TEST

// A second joint to one link closes a loop: the four-bar of unit length has one degree of freedom.
START_TEST(second_parents_are_loops)
{
#define BAR(name, pose) "<link name='" name "'><pose>" pose "</pose><inertial><mass>1</mass></inertial></link>"
#define HINGE(name, parent, child, pose) \
  JOINT(name, "revolute", parent, child, "<pose relative_to='__model__'>" pose "</pose><axis><xyz>0 1 0</xyz></axis>")
  limb_reading* r = NULL;
  limb_model* m = NULL;
  limb_builder* b =
    good(MODEL("1.9", BAR("a", "0 0 0 0 0 0") BAR("b", "0 0 1 0 0 0") BAR("c", "1 0 0 0 0 0")
                        HINGE("j1", "world", "a", "0 0 0 0 0 0") HINGE("j2", "a", "b", "0 0 1 0 0 0")
                          HINGE("j3", "world", "c", "1 0 0 0 0 0") HINGE("j4", "b", "c", "1 0 1 0 0 0")),
         &r);
  ck_assert_int_eq(count_findings(r, "assumed"), 4); // the moments of three links, the loop
  assert_ok(limb_builder_build(b, &m, NULL));
  ck_assert_int_eq(limb_nv(m), 3);
  ck_assert_int_eq(limb_loop_count(m), 1);
  limb_model_destroy(m);
  page p = written(b, LIMB_FORMAT_SDF, NULL); // and back
  limb_reading* other = NULL;
  limb_loop_def was, is;
  b = good(p.text, &other);
  assert_ok(limb_builder_get_loop(limb_reading_builder(r), 0, &was));
  assert_ok(limb_builder_get_loop(b, 0, &is));
  assert_that(is.kind == LIMB_LOOP_PIN && strcmp(is.name, "j4") == 0);
  assert_close_pose(is.pose_a, was.pose_a, 1e-15, 1e-15);
  assert_close_pose(is.pose_b, was.pose_b, 1e-15, 1e-15);
  free(p.text);
  limb_reading_destroy(other);
  limb_reading_destroy(r);
}
END_TEST

// A ball joint with friction, and Drake's point of one body on a point of another one, which need not coincide at 0.
START_TEST(balls_close_loops)
{
  limb_reading *r = NULL, *other = NULL;
  limb_loop_def loop;
  limb_builder* b = good(
    MODEL("1.9", BAR("a", "0 0 0 0 0 0") BAR("b", "0 0 1 0 0 0") HINGE("j1", "world", "a", "0 0 0 0 0 0") JOINT(
                   "j2", "ball", "a", "b",
                   "<axis><dynamics><damping>0.5</damping></dynamics></axis>") "<drake:ball_constraint name='rope' "
                                                                               "xmlns:drake='d'>"
                                                                               "<drake:ball_constraint_body_A>world</"
                                                                               "drake:ball_constraint_body_A>"
                                                                               "<drake:ball_constraint_body_B>b</"
                                                                               "drake:ball_constraint_body_B>"
                                                                               "<drake:ball_constraint_p_AP>1 2 "
                                                                               "3</drake:ball_constraint_p_AP>"
                                                                               "<drake:ball_constraint_p_BQ>0 0 "
                                                                               "0.5</drake:ball_constraint_p_BQ></"
                                                                               "drake:ball_constraint>"),
    &r);
  for (int k = 0; k < 2; k++) {
    assert_close_array(joint(b, "j2").damping, ((double[]){0.5, 0.5, 0.5}), 3, 0, 0);
    assert_ok(limb_builder_get_loop(b, 0, &loop));
    assert_that(loop.kind == LIMB_LOOP_BALL && loop.body_a == LIMB_WORLD_BODY && strcmp(loop.name, "rope") == 0);
    assert_close_vec3(loop.pose_a.p, sp_v3(1, 2, 3), 0, 0);
    assert_close_vec3(loop.pose_b.p, sp_v3(0, 0, 0.5), 0, 0);
    page p = written(b, LIMB_FORMAT_SDF, NULL);
    limb_reading_destroy(other);
    b = good(p.text, &other);
    free(p.text);
  }
  limb_reading_destroy(other);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(worlds)
{
#define WORLD(text) "<sdf version='1.9'><world name='w'><gravity>0 0 -1.6</gravity>" text "</world></sdf>"
  static const char text[] = WORLD("<model name='floor'><static>1</static>" LINK("f") "</model><model name='x'>" LINK(
    "a") "</model><model name='y'>" LINK("b") "</model>");
  limb_read_options opt = limb_default_read_options();
  limb_reading* r = NULL;
  limb_status status = LIMB_OK;
  r = read_sdf(text, &status);
  assert_status(status, LIMB_E_MODEL);
  limb_finding f = {.hint = ""};
  assert_that(find_finding(r, "no-body", 1, NULL, &f) && strstr(f.hint, "floor, x, y"));
  limb_reading_destroy(r);
  opt.model_name = "y";
  assert_ok(limb_read_text(text, sizeof text - 1, "x.sdf", &opt, &r, NULL));
  assert_that(limb_builder_find_body(limb_reading_builder(r), "b") > 0);
  limb_reading_destroy(r);
  limb_builder* b =
    good(WORLD("<model name='floor'><static>1</static>" LINK("f") "</model><model name='x'>" LINK("a") "</model>"), &r);
  assert_that(limb_builder_find_body(b, "a") > 0);
  limb_reading_destroy(r);
}
END_TEST

// ---- faults ---------------------------------------------------------------------------------------

static const struct {
  const char *text, *rule, *sentence;
} wrong[] = {
  {"<sdf version='1.9'/>", "no-body", "it has no model"},
  {"<sdf version='1.9'><model name='m'/></sdf>", "no-body", ""},
  {MODEL("1.9", "<link/>"), "no-name", ""},
  {MODEL("1.9", LINK("a") LINK("a")), "duplicate-name", ""},
  {MODEL("1.9", LINK("a") JOINT("j", "revolute", "a", "b", "")), "undefined-body", "'b' is not defined"},
  {MODEL("1.9", LINK("a") JOINT("j", "revolt", "world", "a", "")), "bad-joint", "did you mean 'revolute'?"},
  {MODEL("1.9", LINK("a") JOINT("j", "gearbox", "world", "a", "")), "unsupported", "gearbox"},
  {MODEL("1.9", LINK("a") JOINT("j", "fixed", "a", "world", "")), "bad-joint", "the world cannot be the child"},
  {MODEL("1.9", LINK("a") "<joint name='j' type='fixed'><child>a</child></joint>"), "missing-key",
   "it has no <parent>"},
  {MODEL("1.9", LINK("a") JOINT("j", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>")), "bad-axis", "zero"},
  {MODEL("1.9", LINK("a") JOINT("j", "revolute", "world", "a", "<axis><xyz>0 1</xyz></axis>")), "bad-number", "three"},
  {MODEL("1.9", LINK("a") JOINT("j", "screw", "world", "a", "<axis/>")), "missing-key", "screw_thread_pitch"},
  {MODEL("1.9", "<link name='a'><pose>0 0 1</pose></link>"), "bad-number", "6 numbers"},
  {MODEL("1.9", "<link name='a'><pose>0 0 nan 0 0 0</pose></link>"), "bad-number", "6 numbers"},
  {MODEL("1.9", "<link name='a'><inertial><mass>heavy</mass></inertial></link>"), "bad-number", "heavy"},
  {MODEL("1.9", "<link name='a'><inertial auto='true'/></link>"), "unsupported", "collision"},
  {MODEL("1.9", "<link name='a'><pose relative_to='f'/></link><frame name='f' attached_to='a'><pose/></frame>"),
   "cycle", "relative to itself"},
  {MODEL("1.9", LINK("a") "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"), "cycle", ""},
  {MODEL("1.9", LINK("a") "<include/>"), "missing-key", "<uri>"},
  {MODEL("1.9", LINK("a") "<include><uri>model://none</uri></include>"), "unreadable", ""},
  {MODEL("1.9", LINK("a") "<include><uri>/etc/passwd.x</uri></include>"), "unreadable", "not in a file"},
  {"<sdf><model name='m'>" LINK("a"), "syntax", ""},
  {"<robot name='r'/>", "wrong-format", ""},
};

START_TEST(faults_are_named)
{
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    limb_read_options opt = limb_default_read_options();
    limb_reading* r = NULL;
    limb_finding f = {.text = ""};
    opt.format = LIMB_FORMAT_SDF;
    const limb_status status = limb_read_text(wrong[i].text, strlen(wrong[i].text), "x.sdf", &opt, &r, NULL);
    check_at("%s", wrong[i].text);
    assert_that(status != LIMB_OK);
    check_reading(r, status);
    int named = 0;
    for (int k = 0; limb_findings_get(limb_reading_findings(r), k, &f) == LIMB_OK; k++)
      named |= strcmp(f.rule, wrong[i].rule) == 0 && strstr(f.text, wrong[i].sentence) != NULL;
    if (!named) print_findings(r);
    assert_that(named);
    limb_reading_destroy(r);
  }
}
END_TEST

// Models in models, and a frame on a frame on a frame.
START_TEST(long_chains_end)
{
  enum { MANY = 20000 };
  limb_status status = LIMB_OK;
  char* text = malloc(MANY * 100);
  assert_that(text != NULL);
  char* p = text + sprintf(text, "<sdf version='1.9'>");
  for (int i = 0; i < 100; i++) p += sprintf(p, "<model name='m%d'>", i);
  for (int i = 0; i < 100; i++) p += sprintf(p, "</model>");
  (void)sprintf(p, "</sdf>");
  limb_reading_destroy(read_sdf(text, &status));
  assert_status(status, LIMB_E_MODEL);
  p = text + sprintf(text, "<sdf version='1.9'><model name='m'><link name='f0'/>");
  for (int i = 1; i < MANY; i++) p += sprintf(p, "<frame name='f%d' attached_to='f%d'/>", MANY - i, MANY - i - 1);
  (void)sprintf(p, "</model></sdf>");
  limb_reading_destroy(read_sdf(text, &status));
  assert_status(status, LIMB_E_MODEL);
  free(text);
}
END_TEST

START_TEST(memory_that_runs_out)
{
  static const char text[] = MODEL(
    "1.9", LINK("a") LINK("b") JOINT("w", "fixed", "world", "a", "")
             JOINT("j", "revolute", "a", "b", "<axis/>") "<frame name='f' attached_to='b'/><model name='n'>" LINK(
               "c") "</model>" JOINT("k", "ball", "b", "n::c", "") JOINT("l", "revolute", "a", "n::c", "<axis/>"));
  starve(LIMB_FORMAT_SDF, text, sizeof text - 1);
}
END_TEST

CHECK_MAIN("sdf", 1, arm_as_drake_has_it, axes_by_version, properties_of_joints, roots, second_parents_are_loops,
           balls_close_loops, worlds, faults_are_named, long_chains_end, memory_that_runs_out)
