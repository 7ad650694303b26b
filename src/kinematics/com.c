// Centre of mass of the whole robot, and its Jacobian.
//
// Cost: O(n), sums over all links. With M the total mass and c the centre of mass
//
//   M c = sum (R_i h_i + m_i p_i) + h_fixed,   M c' = linear momentum,   M c'' = its rate,
//   M J_k = m_k v_k + w_k x h_k                (m_k, h_k) all that joint k carries, (w_k, v_k) its axis

#include "limb/kinematics.h"

#include "kinematics/link_axis.h"
#include "kinematics/whole_body.h"
#include "model/loop_calls.h"

sp_vec3 limb_first_moment(const limb_model* m, const sp_pose* X)
{
  sp_vec3 sum = limb_moments_first(&m->fixed);
  for (int i = 0; i < m->nlink; i++) {
    const limb_moments* Y = &m->inertia[i];
    const sp_vec3 h = sp_mulv(X[i].R, limb_moments_first(Y));
    sum = sp_add3(sum, sp_add3(h, sp_scale3(Y->m, X[i].p)));
  }
  return sum;
}

limb_status limb_center_of_mass(const limb_data* d, sp_vec3* position, sp_vec3* velocity, sp_vec3* acceleration)
{
  if (!d) return LIMB_E_ARG;
  unsigned need = LIMB_HAS_POSES;
  if (velocity) need |= LIMB_HAS_VELOCITIES;
  if (acceleration) need |= LIMB_HAS_ACCELERATIONS;
  if ((d->have & need) != need) return LIMB_E_ORDER;
  if (d->m->total_mass == 0) return LIMB_E_SINGULAR;
  const double per_mass = 1 / d->m->total_mass;
  const sp_vec3 o = sp_v3(0, 0, 0);
  if (position) *position = sp_scale3(per_mass, limb_first_moment(d->m, d->motion.X));
  if (velocity) *velocity = sp_scale3(per_mass, limb_momentum_about(d->m, &d->motion, o).f);
  if (acceleration) {
    *acceleration = sp_scale3(per_mass, limb_momentum_rate_about(d->m, &d->motion, o).f);
  }
  return LIMB_OK;
}

void limb_first_moment_jacobian(const limb_model* m, const sp_pose* X, limb_moments* composite, sp_vec3* J)
{
  limb_composites(m, X, composite);
  for (int k = 0; k < m->nv; k++) J[k] = sp_v3(0, 0, 0);
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const sp_motion S = limb_link_axis(m, i, k, &X[i], X[i].p);
      const sp_vec3 p = limb_moments_times(&composite[i], S).f;
      J[dof->v] = sp_add3(J[dof->v], sp_scale3(dof->mult, p));
    }
  }
}

limb_status limb_center_of_mass_jacobian(limb_data* d, sp_vec3* J)
{
  if (!d || !J) return LIMB_E_ARG;
  if (!(d->have & LIMB_HAS_POSES)) return LIMB_E_ORDER;
  const limb_model* m = d->m;
  if (m->total_mass == 0) return LIMB_E_SINGULAR;
  limb_first_moment_jacobian(m, d->motion.X, d->composite, J);
  for (int k = 0; k < m->nv; k++) J[k] = sp_scale3(1 / m->total_mass, J[k]);
  return d->loops ? m->loop_calls->reduce(d->loops, d->q, 3, &J[0].x) : LIMB_OK;
}
