// Inverse kinematics: joint positions of a Panda for one pose of its flange, nearest to a posture; then a line of the
// flange, pose by pose, and many poses at once on all processors.
#include <limb/limb.h>
#include <limb/read.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 5, MANY = 64 };

static const double posture[7] = {0, 0.3, 0, -1.8, 0, 2.1, 0.8};

// The flange points down, at x along a line.
static sp_pose at(double x) { return sp_pose_make(sp_rot_rpy(acos(-1.0), 0, 0), sp_v3(x, 0.1, 0.4)); }

// Each pose from the solution of the one before.
static limb_status follow(limb_ik* ik)
{
  double q[7];
  limb_ik_report report;
  limb_status s = LIMB_OK;
  for (int i = 0; i < POINTS && s == LIMB_OK; i++) {
    const sp_pose target = at(0.4 + 0.05 * i);
    s = limb_ik_solve(ik, &target, i ? q : posture, q, &report);
    printf("x = %.2f m: joint1 %8.4f, joint4 %8.4f rad; %.1e m and %.1e rad off\n", target.p.x, q[0], q[3],
           report.position, report.angle);
  }
  return s;
}

// Poses that do not follow each other.
static limb_status solve_many(limb_ik* ik)
{
  static sp_pose targets[MANY];
  static double q[MANY * 7];
  static limb_status status[MANY];
  int solved = 0;
  for (int i = 0; i < MANY; i++) targets[i] = at(0.3 + 0.4 * i / MANY);
  const limb_status s = limb_ik_solve_many(ik, MANY, targets, posture, 1, q, NULL, status);
  for (int i = 0; i < MANY; i++) solved += status[i] == LIMB_OK;
  printf("%d of %d poses solved on all processors\n", solved, MANY);
  return s;
}

// A pose that is too far away: where the flange gets, and why no further.
static void tell_why_not(limb_ik* ik)
{
  const sp_pose far_away = at(2);
  double q[7];
  limb_ik_report report;
  limb_ik_result result;
  if (limb_ik_solve(ik, &far_away, posture, q, &report) == LIMB_OK || limb_ik_get_result(ik, 0, &result) != LIMB_OK)
    return;
  printf("x = 2 m: %s; nearest at x = %.3f m\n", limb_ik_reason_text(report.reason), result.pose.p.x);
}

int main(void)
{
  limb_model* m = NULL;
  limb_ik* ik = NULL;
  limb_threads* threads = NULL;
  limb_error err = {0};
  limb_status s = limb_load("panda", NULL, &m, &err);
  const limb_ik_goal flange = limb_default_ik_goal(limb_find_frame(m, "flange"));
  limb_ik_options how = limb_default_ik_options();
  how.reference = posture; // of all solutions for a pose, the nearest to this one
  if (s == LIMB_OK) s = limb_threads_create(0, NULL, &threads);
  if (s == LIMB_OK) how.pool = limb_threads_pool(threads);
  if (s == LIMB_OK) s = limb_ik_create(m, 1, &flange, &how, NULL, &ik);
  if (s == LIMB_OK) s = follow(ik);
  if (s == LIMB_OK) s = solve_many(ik);
  if (s == LIMB_OK) tell_why_not(ik);
  if (s != LIMB_OK) (void)fprintf(stderr, "%s %s\n", limb_status_text(s), err.text);
  limb_ik_destroy(ik);
  limb_threads_destroy(threads);
  limb_model_destroy(m);
  return s != LIMB_OK;
}
