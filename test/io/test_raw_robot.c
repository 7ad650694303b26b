// What all readers share: roots and the world, followers of what stands, names, files that give no text, and
// the list of findings.
#include "limb/limb.h"
#include "limb/read.h"

#include "io/faults.h"
#include "io/findings.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAVY                                                                    \
  "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" HEAVY "</link>"
#define JOINT(name, type, parent, child, inside)                                                \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" \
  "<axis xyz='0 0 1'/>" inside "</joint>"
#define ROBOT(inside) "<robot name='r'>" inside "</robot>"

static limb_reading* read_urdf(const char* text, limb_base base, limb_status want)
{
  limb_read_options opt = limb_default_read_options();
  opt.format = LIMB_FORMAT_URDF;
  opt.base = base;
  limb_reading* r = NULL;
  const limb_status status = limb_read_text(text, strlen(text), "test.urdf", &opt, &r, NULL);
  if (status != want) print_findings(r);
  assert_status(status, want);
  return r;
}

static limb_model* build(limb_reading* r)
{
  limb_model* m = NULL;
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  limb_reading_destroy(r);
  return m;
}

// ---- the world ------------------------------------------------------------------------------------

#define ON_WORLD "<link name='world'/>" LINK("a") JOINT("j", "continuous", "world", "a", "")

START_TEST(a_root_called_world_is_the_world)
{
  limb_reading* r = read_urdf(ROBOT(ON_WORLD), LIMB_BASE_AS_FILE, LIMB_OK);
  assert_that(has_finding(r, "world-root", 1, "link 'world'"));
  limb_model* m = build(r);
  assert_that(limb_nv(m) == 1 && limb_body_count(m) == 2);
  limb_model_destroy(m);
}
END_TEST

START_TEST(a_root_called_world_floats_under_another_name)
{
  limb_model* m = build(read_urdf(ROBOT(ON_WORLD), LIMB_BASE_FLOATING, LIMB_OK));
  limb_joint_info base;
  assert_ok(limb_get_joint(m, limb_find_joint(m, "base"), &base));
  assert_that(base.def.type == LIMB_FREE && limb_nv(m) == 7);
  assert_that(base.def.child == limb_find_body(m, "world_link"));
  limb_model_destroy(m);
  // what the file itself asks for counts as well
  m = build(read_urdf(ROBOT("<limb base='floating'/>" ON_WORLD), LIMB_BASE_AS_FILE, LIMB_OK));
  assert_that(limb_nv(m) == 7);
  limb_model_destroy(m);
}
END_TEST

START_TEST(a_root_called_world_may_have_mass)
{
  limb_reading* r =
    read_urdf(ROBOT(LINK("world") LINK("a") JOINT("j", "continuous", "world", "a", "")), LIMB_BASE_AS_FILE, LIMB_OK);
  assert_that(has_finding(r, "world-root", 1, "link 'world'"));
  limb_model* m = build(r);
  assert_that(limb_total_mass(m) == 4 && limb_find_body(m, "world_link") > 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(stray_roots_are_told_and_copies_are_not)
{
  limb_reading* r = read_urdf(ROBOT(ON_WORLD LINK("b")), LIMB_BASE_AS_FILE, LIMB_E_MODEL);
  assert_that(has_finding(r, "several-roots", 1, "link 'b'"));
  limb_reading_destroy(r);
  r = read_urdf(ROBOT(LINK("a") LINK("b") LINK("b") JOINT("j", "continuous", "a", "b", "")), LIMB_BASE_AS_FILE,
                LIMB_E_MODEL);
  assert_that(count_findings(r, "duplicate-name") == 1 && count_findings(r, "several-roots") == 0);
  limb_reading_destroy(r);
}
END_TEST

// ---- followers of what stands ---------------------------------------------------------------------

// b follows a fixed joint, c follows b: both stand, c at 3 (2 0 + 0.25) + 0.5 = 1.25.
START_TEST(who_follows_a_fixed_joint_is_fixed)
{
  limb_reading* r =
    read_urdf(ROBOT(LINK("o") LINK("a") LINK("b") LINK("c")
                      JOINT("c", "continuous", "b", "c", "<mimic joint='b' multiplier='3' offset='0.5'/>")
                        JOINT("a", "fixed", "o", "a", "")
                          JOINT("b", "continuous", "a", "b", "<mimic joint='a' multiplier='2' offset='0.25'/>")),
              LIMB_BASE_FIXED, LIMB_OK);
  assert_that(count_findings(r, "dropped") == 2);
  limb_joint_def c;
  const limb_builder* b = limb_reading_builder(r);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, "c"), &c));
  assert_that(c.type == LIMB_FIXED);
  assert_close(c.placement.R.m[3], sin(1.25), 1e-15, 0);
  limb_model* m = build(r);
  assert_that(limb_nv(m) == 0);
  limb_model_destroy(m);
}
END_TEST

START_TEST(a_multiplier_of_zero_fixes_the_follower)
{
  limb_reading* r = read_urdf(ROBOT(LINK("o") LINK("a") LINK("b") JOINT("a", "continuous", "o", "a", "")
                                      JOINT("b", "prismatic", "a", "b",
                                            "<limit lower='0' upper='1' effort='1' velocity='1'/>"
                                            "<mimic joint='a' multiplier='0' offset='0.5'/>")),
                              LIMB_BASE_FIXED, LIMB_OK);
  limb_joint_def b;
  const limb_builder* builder = limb_reading_builder(r);
  assert_ok(limb_builder_get_joint(builder, limb_builder_find_joint(builder, "b"), &b));
  assert_that(b.type == LIMB_FIXED && b.placement.p.z == 0.5);
  limb_reading_destroy(r);
}
END_TEST

// ---- loops -----------------------------------------------------------------------------------------

#define GEAR "<loop_joint name='g' type='gear'><limb joint='a' other='b'/></loop_joint>"
#define FOLLOWER(inside)                 \
  LINK("o")                              \
  LINK("a")                              \
  LINK("b")                              \
  JOINT("a", "continuous", "o", "a", "") \
  JOINT("b", "continuous", "a", "b", "<mimic joint='a'" inside)

// A joint that was read as fixed has no coordinate for a gear; a follower that moves has its leader's.
START_TEST(gears_need_joints_that_move)
{
  limb_reading* r = read_urdf(ROBOT(FOLLOWER(" multiplier='0'/>") GEAR), LIMB_BASE_FIXED, LIMB_E_MODEL);
  limb_finding f;
  assert_that(find_finding(r, "bad-loop", 1, "loop 'g'", &f) && strstr(f.text, "never moves"));
  limb_reading_destroy(r);
  r = read_urdf(ROBOT(FOLLOWER(" multiplier='2'/>") GEAR), LIMB_BASE_FIXED, LIMB_OK);
  limb_loop_def def;
  assert_ok(limb_builder_get_loop(limb_reading_builder(r), 0, &def));
  assert_that(def.joint == 1 && def.other == 2);
  limb_reading_destroy(r);
}
END_TEST

// A link called world that is not the ground goes by another name; loops mean the link all the same.
START_TEST(loops_find_a_link_that_was_renamed)
{
  limb_reading* r = read_urdf(ROBOT(ON_WORLD "<loop_joint name='c' type='ball'><link1 link='a'/><link2 link='world'/>"
                                             "</loop_joint>"),
                              LIMB_BASE_FLOATING, LIMB_OK);
  const limb_builder* b = limb_reading_builder(r);
  limb_loop_def def;
  assert_ok(limb_builder_get_loop(b, 0, &def));
  assert_that(def.body_b == limb_builder_find_body(b, "world_link") && def.body_b > 0);
  limb_reading_destroy(r);
}
END_TEST

// What a builder refuses comes with the place and in the builder's words.
START_TEST(refusals_have_a_place)
{
  limb_reading* r = read_urdf("<robot name='r'>" LINK("o") "\n<loop_joint name='c' type='ball'><link1 link='o'/>"
                                                           "<link2 link='o'/></loop_joint></robot>",
                              LIMB_BASE_FIXED, LIMB_E_MODEL);
  limb_finding f;
  assert_that(find_finding(r, "bad-loop", 2, "loop 'c'", &f) && strstr(f.text, "body 'o'"));
  limb_reading_destroy(r);
}
END_TEST

// ---- names ----------------------------------------------------------------------------------------

START_TEST(names_that_steer_a_terminal_are_refused)
{
  static const char* const bad[] = {"limb: 1\nname: \"\\e]0;x\\a\"\nbodies: [{name: a, mass: 1}]\n",
                                    "limb: 1\nbodies: [{name: \"a\\nb\", mass: 1}]\n",
                                    "limb: 1\nbodies: [{name: \"a\\u009b31m\", mass: 1}]\n"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    limb_reading* r = NULL;
    check_at("text %zu", i);
    assert_status(limb_read_text(bad[i], strlen(bad[i]), "x.yaml", NULL, &r, NULL), LIMB_E_MODEL);
    assert_that(count_findings(r, "bad-value") == 1);
    limb_finding f;
    for (int k = 0; limb_findings_get(limb_reading_findings(r), k, &f) == LIMB_OK; k++) {
      assert_that(!strchr(f.where, 27) && !strchr(f.text, 27) && !strstr(f.where, "\xc2\x9b"));
    }
    limb_reading_destroy(r);
  }
}
END_TEST

static const char* nth_name(const void* context, int i) { return ((const char* const*)context)[i]; }

START_TEST(suggestions_are_near_or_none)
{
  static const char* const names[] = {"pos", "armature", "b", "Elbow", "forearm_roll"};
  static const char* const cases[][2] = {{"pso", "pos"},
                                         {"armture", "armature"},
                                         {"B", "b"},
                                         {"elbow", "Elbow"},
                                         {"forearmroll", "forearm_roll"},
                                         {"a", NULL},
                                         {"xy", NULL},
                                         {"shoulder", NULL},
                                         {"", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char want[LIMB_WHERE_SPACE] = "";
    if (cases[i][1]) (void)snprintf(want, sizeof want, "; did you mean '%s'?", cases[i][1]);
    check_at("'%s'", cases[i][0]);
    assert_that(strcmp(limb_did_you_mean(NULL, cases[i][0], 5, nth_name, names).text, want) == 0);
  }
}
END_TEST

// ---- files ----------------------------------------------------------------------------------------

START_TEST(files_that_give_no_text_are_findings)
{
  static const char* const names[] = {"no/such/file.urdf", "no_such_robot", LIMB_TEST_DIR};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    limb_reading* r = NULL;
    limb_error err = {0};
    check_at("%s", names[i]);
    assert_status(limb_read(names[i], NULL, &r, &err), LIMB_E_IO);
    assert_that(has_finding(r, "unreadable", 0, "") && err.text[0]);
    limb_reading_destroy(r);
  }
}
END_TEST

START_TEST(a_file_hides_a_built_in_robot_but_not_by_force)
{
  char folder[] = "limb_test_XXXXXX", back[4096];
  assert_that(getcwd(back, sizeof back) && mkdtemp(folder) && chdir(folder) == 0);
  FILE* f = fopen("ur5", "w");
  assert_that(f && fputs(ROBOT(LINK("mine")), f) >= 0 && fclose(f) == 0);
  limb_reading* r = NULL;
  assert_ok(limb_read("ur5", NULL, &r, NULL));
  assert_that(limb_builder_find_body(limb_reading_builder(r), "mine") == 1);
  limb_reading_destroy(r);
  assert_ok(limb_read_robot("ur5", NULL, &r, NULL));
  assert_that(limb_builder_joint_count(limb_reading_builder(r)) >= 6);
  limb_reading_destroy(r);
  assert_status(limb_read_robot("none", NULL, &r, NULL), LIMB_E_IO);
  limb_reading_destroy(r);
  assert_that(remove("ur5") == 0 && mkdir("ur5", 0700) == 0);
  assert_ok(limb_read("ur5", NULL, &r, NULL)); // a folder hides nothing
  limb_reading_destroy(r);
  assert_that(rmdir("ur5") == 0 && chdir(back) == 0 && rmdir(folder) == 0);
}
END_TEST

START_TEST(there_is_a_limit_to_the_number_of_bodies)
{
  enum { BODIES = 600000 };
  static const char head[] = "<mujoco><worldbody>", body[] = "<body/>", tail[] = "</worldbody></mujoco>";
  char* text = malloc(sizeof head + sizeof tail + (size_t)BODIES * sizeof body);
  assert_that(text);
  char* end = text + sprintf(text, "%s", head);
  for (int i = 0; i < BODIES; i++) end += sprintf(end, "%s", body);
  end += sprintf(end, "%s", tail);
  limb_reading* r = NULL;
  assert_status(limb_read_text(text, (size_t)(end - text), "many.mjcf", NULL, &r, NULL), LIMB_E_IO);
  assert_that(has_finding(r, "too-many", 0, ""));
  limb_reading_destroy(r);
  free(text);
}
END_TEST

// ---- findings -------------------------------------------------------------------------------------

START_TEST(what_is_said_once_is_said_once)
{
  limb_findings* f = NULL;
  assert_ok(limb_findings_create(NULL, &f));
  for (int i = 0; i < 3000; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "n%d", i % 1000);
    limb_report_once(f, RULE_IGNORED, at_line(i, 1), (limb_subject){"element", name}, "%d", i);
    limb_report_hint(f, "hint %d", i);
  }
  assert_that(limb_findings_count(f) == 1000);
  limb_finding last;
  assert_ok(limb_findings_get(f, 999, &last));
  assert_that(strcmp(last.hint, "hint 999") == 0); // not that of one that was not told again
  limb_report_once(f, RULE_ASSUMED, (file_pos){0}, (limb_subject){"element", "n1"}, "another rule");
  assert_that(limb_findings_count(f) == 1001);
  limb_findings_destroy(f);
}
END_TEST

START_TEST(errors_are_not_crowded_out)
{
  limb_findings* f = NULL;
  assert_ok(limb_findings_create(NULL, &f));
  for (int i = 0; i < 30000; i++) limb_report(f, RULE_IGNORED, at_line(i, 1), (limb_subject){NULL, NULL}, "note");
  limb_report(f, RULE_SYNTAX, at_line(1, 1), (limb_subject){NULL, NULL}, "error");
  assert_that(limb_findings_count(f) < 30000);
  assert_that(limb_findings_count_from(f, LIMB_ERROR) == 1);
  limb_findings_destroy(f);
}
END_TEST

// ---- what is not written --------------------------------------------------------------------------

static void forget(void* context, const char* text) { (void)context, (void)text; }

START_TEST(robots_that_cannot_be_built_are_not_written)
{
  limb_builder* b = NULL;
  assert_ok(limb_builder_create(NULL, &b));
  assert_status(limb_write(b, LIMB_FORMAT_YAML, forget, NULL, NULL, NULL), LIMB_E_MODEL);
  const limb_body_def body = limb_default_body_def("body");
  assert_ok(limb_builder_add_body(b, &body, NULL, NULL));
  assert_status(limb_write(b, LIMB_FORMAT_YAML, forget, NULL, NULL, NULL), LIMB_E_MODEL);
  assert_status(limb_write(b, LIMB_FORMAT_URDF, forget, NULL, NULL, NULL), LIMB_E_MODEL);
  assert_status(limb_write(b, LIMB_FORMAT_PAR, forget, NULL, NULL, NULL), LIMB_E_MODEL);
  const limb_joint_def joint = limb_default_joint_def("joint", LIMB_REVOLUTE, 0, 1);
  assert_ok(limb_builder_add_joint(b, &joint, NULL, NULL));
  assert_ok(limb_write(b, LIMB_FORMAT_YAML, forget, NULL, NULL, NULL));
  assert_ok(limb_write(b, LIMB_FORMAT_URDF, forget, NULL, NULL, NULL));
  assert_ok(limb_write(b, LIMB_FORMAT_PAR, forget, NULL, NULL, NULL));
  limb_builder_destroy(b);
}
END_TEST

CHECK_MAIN("io/raw_robot", 1, a_root_called_world_is_the_world, a_root_called_world_floats_under_another_name,
           a_root_called_world_may_have_mass, stray_roots_are_told_and_copies_are_not,
           who_follows_a_fixed_joint_is_fixed, a_multiplier_of_zero_fixes_the_follower, gears_need_joints_that_move,
           loops_find_a_link_that_was_renamed, refusals_have_a_place, names_that_steer_a_terminal_are_refused,
           suggestions_are_near_or_none, files_that_give_no_text_are_findings,
           a_file_hides_a_built_in_robot_but_not_by_force, there_is_a_limit_to_the_number_of_bodies,
           what_is_said_once_is_said_once, errors_are_not_crowded_out, robots_that_cannot_be_built_are_not_written)
