// Named poses of limb YAML, MJCF and SRDF: read, taken over by joint, written again; what does not fit is reported.
#include "limb/read.h"
#include "limb/runner.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char arm[] = "limb: 1\nname: arm\nbodies:\n"
                          "  - {name: a, mass: 1, com: [0, 0, 0.1], inertia: [1, 0, 0, 1, 0, 1]}\n"
                          "  - {name: b, mass: 1, com: [0, 0, 0.1], inertia: [1, 0, 0, 1, 0, 1]}\n"
                          "  - {name: c, mass: 1, com: [0, 0, 0.1], inertia: [1, 0, 0, 1, 0, 1]}\n"
                          "joints:\n"
                          "  - {name: lift, type: prismatic, parent: world, child: a}\n"
                          "  - {name: turn, type: revolute, parent: a, child: b, axis: [0, 1, 0]}\n"
                          "  - {name: ball, type: spherical, parent: b, child: c}\n";

static limb_reading* read_text(const char* text, limb_format format, limb_status want)
{
  limb_reading* r = NULL;
  limb_read_options o = limb_default_read_options();
  o.format = format;
  assert_status(limb_read_text(text, strlen(text), "robot", &o, &r, NULL), want);
  return r;
}

static limb_reading* with_poses(const char* poses, limb_status want)
{
  char text[2000];
  (void)snprintf(text, sizeof text, "%sposes:\n%s", arm, poses);
  return read_text(text, LIMB_FORMAT_YAML, want);
}

static limb_model* build(limb_reading* r)
{
  limb_model* m = NULL;
  assert_ok(limb_builder_build(limb_reading_builder(r), &m, NULL));
  return m;
}

START_TEST(yaml)
{
  limb_reading* r = with_poses("  home: {lift: 12cm, turn: 90deg, ball: [0, 0, 1, 0]}\n  up: {turn: 1}\n", LIMB_OK);
  limb_model* m = build(r);
  double q[6] = {9, 9, 9, 9, 9, 9};
  unsigned char held[6];
  limb_error err = {0};
  const double home[6] = {0.12, 1.57079632679489661923, 0, 0, 1, 0}, up[6] = {0.12, 1, 0, 0, 1, 0};
  assert_that(limb_reading_pose_count(r) == 2);
  assert_ok(limb_run_take_pose(r, "home", m, q, held, &err));
  assert_close_array(q, home, 6, 1e-15, 0);
  assert_ok(limb_run_take_pose(r, "up", m, q, held, &err)); // the others stay
  assert_close_array(q, up, 6, 1e-15, 0);
  assert_that(!held[0] && held[1] && !held[2]);
  assert_status(limb_run_take_pose(r, "hom", m, q, NULL, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "did you mean 'home'?"));
  assert_status(limb_run_take_pose(r, "elsewhere", m, q, NULL, &err), LIMB_E_ARG);
  assert_that(strstr(err.text, "home, up"));
  assert_status(limb_run_take_pose(NULL, "home", m, q, NULL, &err), LIMB_E_ARG);
  assert_status(limb_run_take_pose(r, "home", NULL, q, NULL, NULL), LIMB_E_ARG);
  limb_named_pose p;
  assert_status(limb_reading_get_pose(r, 2, &p), LIMB_E_ARG);
  assert_status(limb_reading_get_pose(r, -1, &p), LIMB_E_ARG);
  assert_status(limb_reading_get_pose(NULL, 0, &p), LIMB_E_ARG);
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(faulty_yaml)
{
  static const char* const bad[] = {
    "  home: {turn: 1m}\n",           "  home: [1]\n", "  home: {turn: [1, 2]}\n", "  home: 3\n",
    "  home: {ball: [0, 0, 0, 0]}\n", "  - 1\n",       "  home: {turn: .nan}\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    limb_reading* r = with_poses(bad[i], LIMB_E_MODEL);
    assert_that(limb_reading_pose_count(r) == 0);
    limb_reading_destroy(r);
  }
  limb_reading* r = with_poses("  home: {tun: 1, turn: 2}\n", LIMB_E_MODEL);
  limb_named_pose p;
  limb_finding f;
  int meant = 0;
  for (int i = 0; limb_findings_get(limb_reading_findings(r), i, &f) == LIMB_OK; i++)
    meant += strstr(f.text, "did you mean 'turn'?") != NULL;
  assert_that(meant == 1);
  limb_reading_destroy(r);
  r = with_poses("  home: {base: [1, 2], turn: 2}\n", LIMB_OK); // of a robot that may float: a warning
  assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_WARNING) == 1);
  assert_ok(limb_reading_get_pose(r, 0, &p));
  assert_that(p.count == 1);
  limb_reading_destroy(r);
}
END_TEST

static void add_text(void* to, const char* more)
{
  char* text = to;
  (void)snprintf(text + strlen(text), 4000 - strlen(text), "%s", more);
}

START_TEST(written_and_read_back)
{
  limb_reading* r = with_poses("  home: {lift: 12cm, ball: [0, 0, 1, 0]}\n  \"my rest\": {turn: 1}\n", LIMB_OK);
  static char text[4000];
  *text = '\0';
  assert_ok(limb_write(limb_reading_builder(r), LIMB_FORMAT_YAML, add_text, text, NULL, NULL));
  assert_ok(limb_write_poses(r, limb_reading_builder(r), add_text, text));
  limb_reading* again = read_text(text, LIMB_FORMAT_YAML, LIMB_OK);
  limb_named_pose p;
  assert_that(limb_reading_pose_count(again) == 2);
  assert_ok(limb_reading_get_pose(again, 1, &p));
  ck_assert_str_eq(p.name, "my rest");
  assert_that(p.count == 1 && p.value[0].q[0] == 1);
  assert_status(limb_write_poses(NULL, NULL, add_text, text), LIMB_E_ARG);
  limb_reading_destroy(r), limb_reading_destroy(again);
}
END_TEST

START_TEST(keyframes)
{
  static const char text[] =
    "<mujoco><worldbody><body name='base'><freejoint name='root'/><geom size='.1'/>"
    "<body name='arm'><joint name='x' ref='10'/><joint name='y' type='ball'/><geom size='.1' pos='0 0 "
    "1'/></body></body>"
    "</worldbody><keyframe><key name='up' qpos='1 2 3 1 0 0 0 .5 0 1 0 0'/><key qpos='1 2'/><key name='v' qvel='1'/>"
    "</keyframe></mujoco>";
  limb_reading* r = read_text(text, LIMB_FORMAT_MJCF, LIMB_OK);
  limb_model* m = build(r);
  double q[12] = {0};
  const double want[12] = {1, 2, 3, 0, 0, 0, 1, 0.5, 1, 0, 0, 0};
  assert_ok(limb_run_take_pose(r, "up", m, q, NULL, NULL));
  assert_close_array(q, want, 12, 0, 0);
  assert_that(limb_findings_count(limb_reading_findings(r)) > 0); // two numbers are no qpos
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

// ---- SRDF -------------------------------------------------------------------------------------------

static limb_status read_with(const char* srdf, limb_reading** out)
{
  char path[] = "limb_poses_XXXXXX"; // in the working directory
  const int file = mkstemp(path);
  assert_that(file >= 0);
  FILE* stream = fdopen(file, "w");
  assert_that(stream != NULL);
  (void)fputs(srdf, stream);
  (void)fclose(stream);
  limb_read_options o = limb_default_read_options();
  o.srdf = path;
  const limb_status s = limb_read_text(arm, sizeof arm - 1, "arm", &o, out, NULL);
  (void)remove(path);
  return s;
}

START_TEST(srdf)
{
  limb_reading* r = NULL;
  assert_ok(read_with("<robot name='arm'><virtual_joint name='fixed'/>"
                      "<group_state name='home' group='one'><joint name='lift' value='0.5'/>"
                      "<joint name='fixed' value='1'/></group_state>"
                      "<group_state name='folded' group='one'><joint name='turn' value='2'/></group_state>"
                      "<group_state name='home' group='two'><joint name='turn' value='1'/></group_state>"
                      "<rotor_params><joint name='turn' mass='2e-5' gear_ratio='-100'/>"
                      "<joint name='gone' mass='1' gear_ratio='1'/></rotor_params></robot>",
                      &r));
  limb_joint_def turn;
  const limb_builder* b = limb_reading_builder(r);
  assert_ok(limb_builder_get_joint(b, limb_builder_find_joint(b, "turn"), &turn));
  assert_that(turn.rotor_inertia == 2e-5 && turn.gear_ratio == -100);
  limb_named_pose p;
  assert_that(limb_reading_pose_count(r) == 2);
  limb_model* m = build(r);
  double q[6] = {0};
  assert_ok(limb_run_take_pose(r, "home", m, q, NULL, NULL)); // of both groups
  assert_that(q[0] == 0.5 && q[1] == 1);
  assert_ok(limb_run_take_pose(r, "folded", m, q, NULL, NULL));
  assert_that(q[1] == 2);
  assert_ok(limb_reading_get_pose(r, 0, &p));
  limb_model_destroy(m);
  limb_reading_destroy(r);
}
END_TEST

START_TEST(faulty_srdf)
{
  static const char* const bad[] = {
    "",
    "text",
    "<robot",
    "<sdf/>",
    "<robot name='x'><link name='a'/></robot>",
    "<robot><rotor_params><joint name='turn' mass='-1' gear_ratio='1'/></rotor_params></robot>",
    "<robot><rotor_params><joint name='turn' mass='1' gear_ratio='0'/></rotor_params></robot>",
    "<robot><rotor_params><joint name='turn' mass='1'/></rotor_params></robot>",
    "<robot><group_state group='a'/></robot>",
    "<robot><group_state name='a'><joint name='turn'/></group_state></robot>",
    "<robot><group_state name='a'><joint name='turn' value='x'/></group_state></robot>",
    "<robot><group_state name='a'><joint name='turn' value='1e999'/></group_state></robot>",
    "<robot><group_state name='a'><joint name='turn' value='1 2'/></group_state></robot>",
    "<robot><group_state name='a'><joint name='turn' value='1 2 3 4 5 6 7 8'/></group_state></robot>"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    limb_reading* r = NULL;
    assert_that(read_with(bad[i], &r) != LIMB_OK);
    assert_that(limb_findings_count_from(limb_reading_findings(r), LIMB_ERROR) > 0);
    limb_reading_destroy(r);
  }
  limb_reading* r = NULL;
  limb_read_options o = limb_default_read_options();
  o.srdf = "/no/such/file.srdf";
  assert_that(limb_read_text(arm, sizeof arm - 1, "arm", &o, &r, NULL) != LIMB_OK);
  limb_reading_destroy(r);
}
END_TEST

int CHECK_NAME(void)
{
  const TTest* const all[] = {yaml, faulty_yaml, written_and_read_back, keyframes, srdf, faulty_srdf, NULL};
  return check_run("poses", 1, all);
}
