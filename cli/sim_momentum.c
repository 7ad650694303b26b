// The momentum of a simulated robot, and when nothing can change it: it touches the world through free joints
// without motor only, nothing pulls at it from outside, and gravity is off.
#include "sim_loop.h"

#include <string.h>

limb_status sim_momentum(sim_job* job, const double* q, const double* v, sp_force* h)
{
  const limb_status s = limb_kinematics(job->robot.data, q, v, NULL);
  return s == LIMB_OK ? limb_momentum(job->robot.data, 1, h) : s;
}

// 1 when a formula or a given motion is of a degree of freedom of this joint.
static int is_driven(const sim_job* job, int joint)
{
  const limb_run_inputs* in = &job->plan.run.inputs;
  for (int k = 0; k < job->dofs.nv; k++) {
    if (job->dofs.v[k].joint != joint) continue;
    for (int i = 0; i < in->torques.count; i++)
      if (strcmp(in->torques.value[i].name, job->dofs.v[k].name) == 0) return 1;
    for (int i = 0; i < in->nmotion; i++)
      if (strcmp(in->motion[i].name, job->dofs.v[k].name) == 0) return 1;
  }
  return 0;
}

static int touches_world(const limb_model* m, int loop)
{
  limb_loop_info x;
  return limb_get_loop(m, loop, &x) != LIMB_OK || x.def.body_a == 0 || x.def.body_b == 0;
}

int sim_conserves_momentum(const sim_job* job)
{
  const limb_model* m = job->robot.model;
  const limb_run* run = &job->plan.run;
  const sp_vec3 g = job->options.env.gravity;
  int free_joints = 0;
  if (g.x != 0 || g.y != 0 || g.z != 0 || run->inputs.nwrench > 0 || run->inputs.ntable > 0) return 0;
  if (run->controller.type.text) return 0; // which may drive the base
  for (int k = 0; k < job->dofs.nv; k++) {
    limb_joint_info x;
    const cli_dof* d = &job->dofs.v[k];
    if (!d->root) continue;
    if (limb_get_joint(m, d->joint, &x) != LIMB_OK || x.def.type != LIMB_FREE) return 0;
    if (is_driven(job, d->joint)) return 0;
    free_joints++;
  }
  for (int i = 0; i < limb_loop_count(m); i++)
    if (touches_world(m, i)) return 0;
  return free_joints > 0;
}
