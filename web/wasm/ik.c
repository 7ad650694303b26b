// Inverse kinematics of one frame, from where the robot is: what a drag of the view follows.
#include "web.h"

#include "limb/ik.h"

#include <stdlib.h>

struct web_ik {
  limb_ik* own;
  limb_error failed;
  json text;
};

// Free joints stay: a robot that is dragged by a hand does not fly along.
static unsigned char* hold_free_joints(const limb_model* m)
{
  unsigned char* held = calloc((size_t)limb_nv(m) + 1, 1);
  for (int i = 0; held && i < limb_joint_count(m); i++) {
    limb_joint_info joint;
    if (limb_get_joint(m, i, &joint) != LIMB_OK || joint.def.type != LIMB_FREE) continue;
    for (int k = 0; k < joint.nv; k++) held[joint.v + k] = 1;
  }
  return held;
}

web_ik* web_ik_open(const web_robot* r, int frame, int rotation)
{
  web_ik* ik = calloc(1, sizeof *ik);
  unsigned char* held = hold_free_joints(r->model);
  if (ik && held) {
    limb_ik_goal goal = limb_default_ik_goal(frame);
    goal.task.ref = LIMB_ALIGNED;
    goal.task.directions = rotation ? LIMB_TWIST : LIMB_LINEAR;
    limb_ik_options options = limb_default_ik_options();
    options.restarts = 0; // the branch of the drag, or the nearest configuration on it
    options.max_iterations = 60;
    options.tolerance = 1e-9;
    options.held = held;
    (void)web_fail(&ik->failed, limb_ik_create(r->model, 1, &goal, &options, NULL, &ik->own));
  } else {
    free(ik);
    ik = NULL;
  }
  free(held);
  return ik;
}

void web_ik_close(web_ik* ik)
{
  if (!ik) return;
  limb_ik_destroy(ik->own);
  json_free(&ik->text);
  free(ik);
}

int web_ik_solve(web_ik* ik, const double* pose, double* q)
{
  if (ik->failed.status != LIMB_OK) return ik->failed.status;
  sp_pose target = {.p = {pose[9], pose[10], pose[11]}};
  for (int k = 0; k < 9; k++) target.R.m[k] = pose[k];
  limb_ik_report report = {.reason = LIMB_IK_SOLVED};
  const limb_status s = limb_ik_solve(ik->own, &target, q, q, &report);
  json_clear(&ik->text);
  json_begin(&ik->text, "", '{');
  json_text(&ik->text, "reason",
            s == LIMB_OK || s == LIMB_E_NOCONV ? limb_ik_reason_text(report.reason) : limb_status_text(s));
  json_number(&ik->text, "reached", s == LIMB_OK);
  json_number(&ik->text, "distance", report.position);
  json_end(&ik->text, '}');
  return s == LIMB_E_NOCONV ? LIMB_OK : s;
}

const char* web_ik_describe(web_ik* ik)
{
  if (ik->failed.status != LIMB_OK) {
    json_clear(&ik->text);
    json_begin(&ik->text, "", '{');
    web_put_error(&ik->text, &ik->failed);
    json_end(&ik->text, '}');
  }
  return json_done(&ik->text);
}
