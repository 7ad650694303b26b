// Marks: of which degrees of freedom the force is given, and of which the acceleration.

#include "limb/hybrid.h"

#include "model/model_impl.h"

#include <string.h>

static void mark(const limb_joint* joint, limb_given how, unsigned char* given)
{
  if (joint->nv > 0) memset(given + joint->v, how, (size_t)joint->nv);
}

limb_status limb_mark_passive(const limb_model* m, unsigned char* given)
{
  if (!m || !given) return LIMB_E_ARG;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    mark(joint, joint->passive ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN, given);
  }
  return LIMB_OK;
}

limb_status limb_mark_joint(const limb_model* m, int joint, limb_given how, unsigned char* given)
{
  if (!m || !given || joint < 0 || joint >= m->njoint) return LIMB_E_ARG;
  if (how != LIMB_FORCE_GIVEN && how != LIMB_ACCELERATION_GIVEN) return LIMB_E_ARG;
  if (m->joint[joint].def.mimic >= 0) return LIMB_E_ARG;
  mark(&m->joint[joint], how, given);
  return LIMB_OK;
}
