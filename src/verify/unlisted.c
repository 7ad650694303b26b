// Joint forces that are not among the parameters (limb/regressor.h): tendons, rotors and viscous friction of joints
// with several degrees of freedom. Written from their definitions in limb/builder.h.
#include "verify/verify_impl.h"

void verify_add_rotors(const limb_model* m, const double* a, double* tau)
{
  limb_joint_info joint;
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++)
    for (int k = 0; k < joint.nv; k++) tau[joint.v + k] += joint.def.armature[k] * a[joint.v + k];
}

static void add_damping(const limb_model* m, const double* v, double* tau)
{
  limb_joint_info joint;
  for (int j = 0; limb_get_joint(m, j, &joint) == LIMB_OK; j++)
    for (int k = 0; k < joint.nv; k++) tau[joint.v + k] += joint.def.damping[k] * v[joint.v + k];
}

static void add_tendon(const limb_model* m, const limb_tendon_def* def, const double* q, const double* v, int friction,
                       double* tau)
{
  limb_joint_info joint;
  double length = 0, rate = 0;
  for (int k = 0; k < def->count && limb_get_joint(m, def->joint[k], &joint) == LIMB_OK; k++) {
    length += def->coefficient[k] * (joint.multiplier * q[joint.q] + joint.offset);
    rate += def->coefficient[k] * joint.multiplier * v[joint.v];
  }
  const double T = def->stiffness * (length - def->rest) + (friction ? def->damping * rate : 0);
  for (int k = 0; k < def->count && limb_get_joint(m, def->joint[k], &joint) == LIMB_OK; k++)
    tau[joint.v] += def->coefficient[k] * joint.multiplier * T;
}

void verify_add_unlisted(const limb_model* m, const double* q, const double* v, const double* a, int friction,
                         double* tau)
{
  limb_tendon_def tendon;
  verify_add_rotors(m, a, tau);
  if (friction) add_damping(m, v, tau);
  for (int k = 0; limb_get_tendon(m, k, &tendon) == LIMB_OK; k++) add_tendon(m, &tendon, q, v, friction, tau);
}
