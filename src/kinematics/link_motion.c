#include "kinematics/link_motion.h"

#include "kernel/tables.h"
#include "kinematics/link_axis.h"

limb_status limb_link_kinematics(limb_data* d, const double* q, const double* v, const double* a,
                                 const limb_link_motion* out)
{
  const limb_model* m = d->m;
  const limb_status s = limb_check_state(d, q, v, a);
  if (s != LIMB_OK) return s;
  if (m->nlink == 0) return LIMB_OK;
  limb_kernels_of(d)->link_motion(m, m->k64, &d->ws, q, v, a, &out->X[0].R.m[0], &out->v[0].w.x, &out->a[0].w.x,
                                  &out->a_v[0].w.x);
  return LIMB_OK;
}

// Where link i is in its parent, in the parent's axes: a joint that slides adds to the constant offset.
static sp_vec3 step_of(const limb_model* m, int i, const double* q, const sp_mat3* R, sp_vec3 z)
{
  const limb_link* link = &m->link[i];
  const limb_link_f64* k = &m->k64[i];
  const double* x = q + link->q;
  if (link->aux >= 0) {
    const sp_pose* at = &m->aux_pose[link->aux];
    const sp_vec3 p = link->joint_class == CLASS_FREE ? sp_v3(x[0], x[1], x[2]) : sp_v3(0, 0, 0);
    return sp_mulv(*R, sp_point(*at, p));
  }
  const double joint = k->mult * x[0] + k->off;
  const double slide = link->joint_class == CLASS_TRANS   ? joint
                       : link->joint_class == CLASS_SCREW ? k->pitch * joint
                                                          : 0;
  return sp_add3(sp_mulv(*R, sp_v3(k->px, k->py, k->pz)), sp_scale3(slide, z));
}

void limb_measure_from_root(const limb_model* m, const double* q, sp_pose* X)
{
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    if (p < 0) {
      X[i].p = sp_v3(0, 0, 0);
    } else {
      X[i].p = sp_add3(X[p].p, step_of(m, i, q, &X[p].R, limb_column3(X[i].R, 2)));
    }
  }
}
