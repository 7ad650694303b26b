// The marks of one call: read, checked, judged.

#include "dynamics/marks.h"

bool limb_marks_valid(const limb_model* m, const unsigned char* given)
{
  for (int k = 0; k < m->nv; k++) {
    if (given[k] != LIMB_FORCE_GIVEN && given[k] != LIMB_ACCELERATION_GIVEN) return false;
  }
  return true;
}

const unsigned char* limb_marks(const limb_data* d, const unsigned char* given)
{
  if (!given) return d->inverse;
  return limb_marks_valid(d->m, given) ? given : NULL;
}

bool limb_marks_sweep(const limb_model* m, const unsigned char* given)
{
  for (int j = 0; m->has_mimic && j < m->njoint; j++) {
    const limb_joint* joint = &m->joint[j];
    if (joint->def.mimic >= 0 && !given[joint->v]) return false;
  }
  return true;
}
