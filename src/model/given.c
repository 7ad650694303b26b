// Which degrees of freedom have their force given, and which their acceleration: arrays of limb_given.

#include "limb/dynamics.h"
#include "limb/elastic.h"

#include "model/model_impl.h"

#include <string.h>

static void mark(const limb_joint* joint, limb_given how, unsigned char* given)
{
  if (joint->nv > 0) memset(given + joint->v, (int)how, (size_t)joint->nv);
}

int limb_count_given(const limb_model* m, const unsigned char* given, limb_given how)
{
  if (!m || !given) return -1;
  int count = 0;
  for (int k = 0; k < m->nv; k++) count += given[k] == how;
  return count;
}

limb_status limb_given_for_passive(const limb_model* m, unsigned char* given)
{
  if (!m || !given) return LIMB_E_ARG;
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    mark(joint, joint->passive ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN, given);
  }
  return LIMB_OK;
}

// Whether a body is the world, fixed to it, or moved by a joint that was marked as one of the base.
static bool on_base(const limb_model* m, int body, const unsigned char* given)
{
  const int carrier = m->body[body].carrier;
  if (carrier == LIMB_WORLD_BODY) return true;
  const limb_joint* joint = &m->joint[m->body[carrier].joint];
  return joint->nv > 0 && given[joint->v] == LIMB_FORCE_GIVEN;
}

limb_status limb_given_for_base(const limb_model* m, unsigned char* given)
{
  if (!m || !given) return LIMB_E_ARG;
  for (int k = 1; k < m->nbody; k++) { // parents first
    const limb_body* body = &m->body[m->body_order[k]];
    const limb_joint* joint = &m->joint[body->joint];
    const bool held = m->nloop > 0 && joint->nv > 0 && m->clusters.of_v[joint->v] >= 0; // by loops
    const bool floats = joint->passive && !held && joint->shaft < 0 && on_base(m, body->parent, given);
    mark(joint, floats ? LIMB_FORCE_GIVEN : LIMB_ACCELERATION_GIVEN, given);
  }
  return LIMB_OK;
}

limb_status limb_given_for_elastic(const limb_model* m, unsigned char* given)
{
  if (!m || !given) return LIMB_E_ARG;
  memset(given, LIMB_ACCELERATION_GIVEN, (size_t)m->nv);
  for (int j = 0; j < m->njoint; j++) { // a mimic joint's spring is one of its source
    if (m->joint[j].def.stiffness > 0) given[m->joint[j].v] = LIMB_FORCE_GIVEN;
  }
  for (int j = 0; j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (joint->nv == 0) continue;
    if (joint->shaft >= 0)
      given[joint->v] = LIMB_FORCE_GIVEN;
    else if (!joint->passive)
      memset(given + joint->v, LIMB_ACCELERATION_GIVEN, (size_t)joint->nv);
  }
  return LIMB_OK;
}

limb_status limb_set_given(const limb_model* m, int joint, limb_given how, unsigned char* given)
{
  if (!m || !given || joint < 0 || joint >= m->njoint) return LIMB_E_ARG;
  if (how != LIMB_FORCE_GIVEN && how != LIMB_ACCELERATION_GIVEN) return LIMB_E_ARG;
  if (m->joint[joint].def.mimic >= 0) return LIMB_E_ARG;
  mark(&m->joint[joint], how, given);
  return LIMB_OK;
}
