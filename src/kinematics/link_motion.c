#include "kinematics/link_motion.h"

#include "model/kernels.h"
#include "model/state_check.h"

limb_status limb_link_kinematics(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_link_motion* out)
{
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, v, a);
  if (s != LIMB_OK) return s;
  if (m->nlink == 0) return LIMB_OK;
  limb_kernels_of(d)->link_motion(m, m->k64, &d->ws, q, v, a, &out->X[0].R.m[0], &out->v[0].w.x,
                                  &out->a[0].w.x, &out->a_v[0].w.x);
  return LIMB_OK;
}
