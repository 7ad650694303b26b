// Loops in model files: the four-bar of Khalil 2010 in all languages, the words and forms of URDF, the cut
// joints of SYMORO.
#include "io/loop_reading.h"
#include "support/rng.h"

#include <math.h>

// ---- one robot, four languages ----------------------------------------------------------------------

// numbers/003_closed_fourbar.csv of the references: closed there, with the cut joint at theta4
static const double closed_at[3] = {0.7, -0.145652786822976, 1.5237581508621456};
static const double theta4 = 0.9694109376851217;

enum { LANGUAGES = 4 };

static const char* const four[LANGUAGES] = {"fourbar.limb.yaml", "fourbar.urdf", "fourbar.par", "fourbar.xml"};

static limb_reading* read_four(int k)
{
  char path[1024];
  limb_reading* r = NULL;
  (void)snprintf(path, sizeof path, "%s/io/same/%s", LIMB_TEST_DIR, four[k]);
  check_at("%s", path);
  assert_ok(limb_read(path, NULL, &r, NULL));
  ck_assert_int_eq(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING), 0);
  return r;
}

START_TEST(the_four_bar_is_the_same_in_all_languages)
{
  for (int k = 0; k < LANGUAGES; k++) {
    limb_reading* r = read_four(k);
    const int ball = k == 3; // MJCF has no pin
    ck_assert_int_eq(loop_count(r), 1);
    const limb_loop_def def = loop_at(r, 0);
    ck_assert_str_eq(def.name, "joint4");
    ck_assert_int_eq(def.kind, ball ? LIMB_LOOP_BALL : LIMB_LOOP_PIN);
    ck_assert_str_eq(body_at(r, def.body_a), "link2");
    ck_assert_str_eq(body_at(r, def.body_b), "link3");
    assert_close_pose(def.pose_a, at(0.9, 0, 0), 0, ball ? 1e-15 : 0);
    assert_close_pose(def.pose_b, at(0.7, 0, 0), 0, ball ? 1e-15 : 0);
    const sp_pose X = closure(r, 0, closed_at);
    assert_close_vec3(X.p, sp_v3(0, 0, 0), 0, 2e-15);
    assert_close_vec3(column(X.R, 0), sp_v3(cos(theta4), sin(theta4), 0), 0, 2e-15);
    for (int j = 0; j < 3; j++) {
      const char name[] = {'j', 'o', 'i', 'n', 't', (char)('1' + j), 0};
      const limb_joint_def joint = joint_of(r, name);
      assert_that((joint.drive == LIMB_DRIVE_PASSIVE) == (j > 0));
      assert_that(joint.start == (k == 2 ? 0 : closed_at[j])); // .par has no word for it
    }
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(the_trees_of_the_four_bar_are_the_same)
{
  limb_reading* first = read_four(0);
  rig want = build(first);
  for (int k = 1; k < LANGUAGES; k++) {
    limb_reading* r = read_four(k);
    rig got = build(r);
    rng random = {(uint64_t)k};
    for (int i = 0; i < 20; i++) {
      double q[3], v[3], a[3], x[3], y[3];
      rng_fill(&random, 3, 3, q);
      rng_fill(&random, 2, 3, v);
      rng_fill(&random, 5, 3, a);
      assert_ok(limb_inverse_dynamics(got.d, q, v, a, NULL, x));
      assert_ok(limb_inverse_dynamics(want.d, q, v, a, NULL, y));
      check_at("%s", four[k]);
      assert_close_array(x, y, 3, 1e-14, 0);
    }
    rig_free(&got);
    limb_reading_destroy(r);
  }
  rig_free(&want);
  limb_reading_destroy(first);
}
END_TEST

// ---- URDF -------------------------------------------------------------------------------------------

#define MASS                                                                                 \
  "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" " \
  "izz=\"1\"/></inertial>"

static limb_reading* read_urdf(const char* loops)
{
  char text[3000];
  (void)snprintf(text, sizeof text,
                 "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" MASS "</link><link name=\"c\">" MASS "</link>"
                 "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
                 "<axis xyz=\"0 0 1\"/><limb start=\"-0.5\"/></joint>"
                 "<joint name=\"k\" type=\"prismatic\"><parent link=\"b\"/><child link=\"c\"/>"
                 "<axis xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>\n"
                 "%s</robot>",
                 loops);
  return read_with(LIMB_FORMAT_URDF, text, NULL);
}

#define ENDS "<link1 link=\"a\" xyz=\"1 2 3\"/><link2 link=\"c\" rpy=\"0 0 1.5707963267948966\"/>"

START_TEST(types_of_loop_joints)
{
  static const struct {
    const char* type;
    limb_loop_kind kind;
    int turned; // z lies along the axis
  } cases[] = {{"revolute", LIMB_LOOP_PIN, 1},
               {"continuous", LIMB_LOOP_PIN, 1},
               {"pin", LIMB_LOOP_PIN, 1},
               {"prismatic", LIMB_LOOP_SLIDER, 1},
               {"slider", LIMB_LOOP_SLIDER, 1},
               {"cylindrical", LIMB_LOOP_CYLINDRICAL, 1},
               {"planar", LIMB_LOOP_PLANAR, 1},
               {"fixed", LIMB_LOOP_WELD, 0},
               {"weld", LIMB_LOOP_WELD, 0},
               {"spherical", LIMB_LOOP_BALL, 0},
               {"ball", LIMB_LOOP_BALL, 0},
               {"point_on_line", LIMB_LOOP_POINT_ON_LINE, 0},
               {"knife_edge", LIMB_LOOP_KNIFE_EDGE, 0}};
  const sp_mat3 quarter = {{0, -1, 0, 1, 0, 0, 0, 0, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[400];
    (void)snprintf(text, sizeof text, "<loop_joint name=\"l\" type=\"%s\">" ENDS "<axis xyz=\"0 2 0\"/></loop_joint>",
                   cases[i].type);
    limb_reading* r = read_urdf(text);
    const limb_loop_def def = loop_at(r, 0);
    check_at("%s", cases[i].type);
    ck_assert_int_eq(def.kind, cases[i].kind);
    assert_that(def.body_a == limb_builder_find_body(limb_reading_builder(r), "a"));
    assert_close_vec3(def.pose_a.p, sp_v3(1, 2, 3), 0, 0);
    const sp_vec3 axis = cases[i].turned ? sp_v3(0, 1, 0) : sp_v3(0, 0, 1);
    assert_close_vec3(column(def.pose_a.R, 2), axis, 0, 0); // exact: right angles are
    assert_close_vec3(column(def.pose_b.R, 2), sp_mulv(quarter, axis), 0, 0);
    ck_assert_int_eq(has_finding(r, "ignored", 2, "loop 'l'"), !cases[i].turned);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(a_universal_closure_has_two_axes)
{
  limb_reading* r = read_urdf("<loop_joint name=\"l\" type=\"universal\"><link1 link=\"a\"/>"
                              "<link2 link=\"c\"/></loop_joint>"
                              "<loop_joint name=\"m\" type=\"universal\"><link1 link=\"a\"/>"
                              "<link2 link=\"c\"/><axis xyz=\"0 0 1\"/><limb axis2=\"3 0 0\"/>"
                              "</loop_joint>"
                              "<constraint name=\"n\" type=\"universal\"><parent link=\"a\"/>"
                              "<parent_axis xyz=\"0 0 -1\"/><child link=\"c\"/>"
                              "<child_axis xyz=\"0 -1 0\"/></constraint>");
  assert_close_pose(loop_at(r, 0).pose_a, sp_pose_identity(), 0, 0);
  assert_close_pose(loop_at(r, 0).pose_b, sp_pose_identity(), 0, 0);
  assert_close_vec3(column(loop_at(r, 1).pose_a.R, 0), sp_v3(0, 0, 1), 0, 0);
  assert_close_vec3(column(loop_at(r, 1).pose_b.R, 1), sp_v3(1, 0, 0), 0, 0);
  assert_close_vec3(column(loop_at(r, 2).pose_a.R, 0), sp_v3(0, 0, -1), 0, 0);
  assert_close_vec3(column(loop_at(r, 2).pose_b.R, 1), sp_v3(0, -1, 0), 0, 0);
  limb_reading_destroy(r);
}
END_TEST

// The same closure in every form that is read.
START_TEST(forms_of_loops)
{
  static const char* const forms[] = {
    "<loop_joint name=\"l\" type=\"revolute\"><link1 link=\"b\" xyz=\"1 2 3\" rpy=\"0 0.3 0\"/>"
    "<link2 link=\"c\" xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/></loop_joint>",
    "<loop_joint name=\"l\" type=\"revolute\"><axis xyz=\"0 1 0\"/><link2 link=\"c\"><origin "
    "xyz=\"0 0 1\"/></link2><link1 link=\"b\"><origin xyz=\"1 2 3\" rpy=\"0 0.3 0\"/></link1>"
    "</loop_joint>",
    "<loop_joint name=\"l\" type=\"revolute\"><link1 link=\"b\" xyz=\"1 2 3\" rpy=\"0 0.3 0\"/>"
    "<link1 link=\"c\" xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/></loop_joint>",
    "<loop name=\"l\" type=\"revolute\"><predecessor link=\"b\"><origin xyz=\"1 2 3\" rpy=\"0 0.3 "
    "0\"/></predecessor><successor link=\"c\"><origin xyz=\"0 0 1\"/></successor>"
    "<axis xyz=\"0 1 0\"/></loop>",
    "<constraint name=\"l\" type=\"revolute\"><parent link=\"b\"/><parent_origin xyz=\"1 2 3\" "
    "rpy=\"0 0.3 0\"/><parent_axis xyz=\"0 1 0\"/><child link=\"c\"/><child_origin xyz=\"0 0 1\"/>"
    "<child_axis xyz=\"0 1 0\"/></constraint>"};
  limb_reading* first = read_urdf(forms[0]);
  const limb_loop_def want = loop_at(first, 0);
  for (size_t i = 1; i < sizeof forms / sizeof forms[0]; i++) {
    limb_reading* r = read_urdf(forms[i]);
    const limb_loop_def def = loop_at(r, 0);
    ck_assert_int_eq(def.kind, want.kind);
    assert_that(def.body_a == want.body_a && def.body_b == want.body_b);
    assert_close_pose(def.pose_a, want.pose_a, 0, 0);
    assert_close_pose(def.pose_b, want.pose_b, 0, 0);
    ck_assert_int_eq(has_finding(r, "unknown-tag", 0, NULL), 0);
    limb_reading_destroy(r);
  }
  limb_reading_destroy(first);
}
END_TEST

START_TEST(what_limb_adds_to_urdf)
{
#define PLAIN "<link1 link=\"a\"/><link2 link=\"c\"/>"
  limb_reading* r =
    read_urdf("<loop_joint name=\"0\" type=\"lock\">" PLAIN "<limb locked=\" turn_x  move_z\"/></loop_joint>"
              "<loop_joint name=\"1\" type=\"distance\">" PLAIN "<limb length=\"0.5\"><law constant=\"1\" "
              "rate=\"2\" amplitude=\"3\" frequency=\"4\" phase=\"5\"/></limb></loop_joint>"
              "<loop_joint name=\"2\" type=\"rolling_disc\">" PLAIN
              "<limb radius=\"0.1\"><law row=\"2\" rate=\"7\"/></limb></loop_joint>"
              "<loop_joint name=\"3\" type=\"gear\"><limb joint=\"j\" other=\"k\" ratio=\"-2\" "
              "offset=\"0.25\"/></loop_joint>"
              "<loop_joint name=\"4\" type=\"gear\"><limb joint=\"k\" other=\"j\"/></loop_joint>"
              "<loop_joint name=\"5\" type=\"polynomial\"><limb joint=\"j\" other=\"k\" "
              "coefficients=\"1 2 3 4 5 6\"/></loop_joint>");
  ck_assert_int_eq(loop_count(r), 6);
  assert_that(loop_at(r, 0).locked == (LIMB_TURN_X | LIMB_MOVE_Z));
  const limb_loop_def rod = loop_at(r, 1), disc = loop_at(r, 2), gear = loop_at(r, 3);
  assert_that(rod.length == 0.5 && rod.motion.constraint == 0 && rod.motion.constant == 1 && rod.motion.rate == 2);
  assert_that(rod.motion.amplitude == 3 && rod.motion.frequency == 4 && rod.motion.phase == 5);
  assert_that(disc.radius == 0.1 && disc.motion.constraint == 2 && disc.motion.rate == 7);
  const limb_builder* b = limb_reading_builder(r);
  assert_that(gear.joint == limb_builder_find_joint(b, "j"));
  assert_that(gear.other == limb_builder_find_joint(b, "k"));
  assert_that(gear.coefficient[0] == 0.25 && gear.coefficient[1] == -2);
  assert_that(loop_at(r, 4).coefficient[0] == 0 && loop_at(r, 4).coefficient[1] == 1);
  for (int k = 0; k < 6; k++) assert_that(loop_at(r, 5).coefficient[k] == k + 1);
  assert_that(joint_of(r, "j").start == -0.5 && joint_of(r, "k").start == 0);
  limb_reading_destroy(r);
}
END_TEST

// ---- SYMORO -----------------------------------------------------------------------------------------

// Two loops: joints 4 and 5 are cut, frames 6 and 7 are theirs. Frame 7 is fixed in frame 6, as in files of
// OpenSYMORO.
static const char two_loops[] = "NL = 3\nNJ = 5\nNF = 7\nType = 2\n%s"
                                "Ant = {0,1,0,2,1,3,6}\nSigma = {0,0,0,%d,%d,2,2}\nB = {0,0,0,0.1,0,0.2,0}\n"
                                "d = {0,1,2,3,4,5,6}\nR = {0,0,0,0.5%s,0,0,0.3}\ngamma = {0,0,0,Pi/2,0,0,Pi/2}\n"
                                "Alpha = {0,0,0,-Pi/2,0,0,0}\nMu = {1,0,0,0,0,0,0}\nTheta = {t1,t2,t3,%s,t5,0,0}\n"
                                "XX = {1,1,1}\nXY = {0,0,0}\nXZ = {0,0,0}\nYY = {1,1,1}\nYZ = {0,0,0}\nZZ = {1,1,1}\n"
                                "MX = {0,0,0}\nMY = {0,0,0}\nMZ = {0,0,0}\nM = {1,1,1}\nIA = {0,0,0}\nFV = {0,0,0}\n"
                                "FS = {0,0,0}\nG = {0,0,-9.81}\n(* End of definition *)\n";

static limb_reading* read_two_loops(const char* more, int sigma)
{
  char text[2000];
  const int turning = sigma == 0, moving = sigma == 1;
  (void)snprintf(text, sizeof text, two_loops, more, sigma, 0, moving ? "+r4" : "", turning ? "t4+Pi/2" : "0");
  return read_with(LIMB_FORMAT_PAR, text, NULL);
}

START_TEST(cut_joints)
{
  static const limb_loop_kind kinds[] = {LIMB_LOOP_PIN, LIMB_LOOP_SLIDER, LIMB_LOOP_WELD};
  for (int sigma = 0; sigma < 3; sigma++) {
    limb_reading* r = read_two_loops("", sigma);
    ck_assert_int_eq(loop_count(r), 2);
    const limb_loop_def first = loop_at(r, 0), second = loop_at(r, 1);
    ck_assert_str_eq(first.name, "joint4");
    ck_assert_int_eq(first.kind, kinds[sigma]);
    ck_assert_str_eq(body_at(r, first.body_a), "link2");
    ck_assert_str_eq(body_at(r, first.body_b), "link3");
    // Rz(90) Tz(0.1) Rx(-90) Tx(3) Tz(0.5): z lies along -x
    assert_close_vec3(first.pose_a.p, sp_v3(-0.5, 3, 0.1), 0, 1e-15);
    assert_close_vec3(column(first.pose_a.R, 2), sp_v3(-1, 0, 0), 0, 1e-15);
    assert_close_pose(first.pose_b, at(5, 0, 0.2), 0, 0);
    ck_assert_str_eq(second.name, "joint5");
    ck_assert_int_eq(second.kind, LIMB_LOOP_PIN);
    ck_assert_str_eq(body_at(r, second.body_a), "link1");
    ck_assert_str_eq(body_at(r, second.body_b), "link3");
    assert_close_vec3(second.pose_b.p, sp_v3(5, 6, 0.5), 0, 1e-15); // through frame 6
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(cut_frames_of_the_base)
{
  limb_reading* r = NULL;
  char text[2000];
  static const char old[] = "Ant = {0,1,0,2,1,3,6}";
  // Z: the base is two metres to the left
  (void)snprintf(text, sizeof text, two_loops, "Z = {1,0,0,0,0,1,0,2,0,0,1,0,0,0,0,1}\n", 0, 0, "", "t4");
  char* ant = strstr(text, old);
  assert_that(ant != NULL);
  memcpy(ant, "Ant = {0,1,0,2,1,0,6}", sizeof old - 1); // frame 6 in frame 0, and with it frame 7
  r = read_with(LIMB_FORMAT_PAR, text, NULL);
  ck_assert_int_eq(loop_at(r, 0).body_b, 0);
  assert_close_pose(loop_at(r, 0).pose_b, at(5, 2, 0.2), 0, 0);
  assert_close_vec3(loop_at(r, 1).pose_b.p, sp_v3(5, 8, 0.5), 0, 1e-15);
  limb_reading_destroy(r);
}
END_TEST

// ---- files cut off, memory that runs out ------------------------------------------------------------

static const struct {
  const char* file;
  limb_format format;
} hurt[] = {{"same/fourbar.urdf", LIMB_FORMAT_URDF},
            {"same/fourbar.xml", LIMB_FORMAT_MJCF},
            {"same/fourbar.par", LIMB_FORMAT_PAR}};

enum { NHURT = sizeof hurt / sizeof hurt[0] };

START_TEST(one_byte_wrong_anywhere)
{
  for (int i = 0; i < NHURT; i++) {
    size_t size;
    char* text = file_text(hurt[i].file, &size);
    change_bytes(hurt[i].format, text, size, "<\"x9-\xff");
    free(text);
  }
}
END_TEST

START_TEST(memory_runs_out)
{
  for (int i = 0; i < NHURT; i++) {
    size_t size;
    char* text = file_text(hurt[i].file, &size);
    starve(hurt[i].format, text, size);
    free(text);
  }
}
END_TEST

CHECK_MAIN("loops in files", 1, the_four_bar_is_the_same_in_all_languages, the_trees_of_the_four_bar_are_the_same,
           types_of_loop_joints, a_universal_closure_has_two_axes, forms_of_loops, what_limb_adds_to_urdf, cut_joints,
           cut_frames_of_the_base, one_byte_wrong_anywhere, memory_runs_out)
