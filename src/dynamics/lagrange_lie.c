// The robot in one common frame: poses, composites, velocities, momenta.
//
// Reference: Park, Bobrow, Ploen 1995, section 4, for trees. Cost: O(n).

#include "dynamics/lagrange_impl.h"
#include "kinematics/kinematics_impl.h"

limb_status limb_lie_at(limb_data* d, const double* q, limb_lie* t)
{
  const limb_model* m = d->m;
  sp_pose* X = d->own.X;
  const limb_status s = limb_link_kinematics(d, q, NULL, NULL, &d->own);
  if (s != LIMB_OK) return s;
  limb_measure_from_root(m, q, X);
  limb_composites(m, X, d->composite);
  *t = (limb_lie){m, X, d->composite};
  return LIMB_OK;
}

void limb_lie_velocities(const limb_lie* t, const double* u, sp_motion* V)
{
  const limb_model* m = t->m;
  const sp_motion rest = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < m->nlink; i++) {
    const int p = m->link[i].parent;
    V[i] = p < 0 ? rest : V[p];
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_axis a = limb_axis_of(t, i, k);
      V[i] = sp_addm(V[i], sp_scalem(a.mult * u[a.v], a.S));
    }
  }
}

void limb_lie_momenta(const limb_lie* t, const sp_motion* V, sp_force* h)
{
  const limb_model* m = t->m;
  for (int i = 0; i < m->nlink; i++) {
    const sp_motion own = sp_motion_in(t->X[i], V[i]);
    h[i] = sp_force_out(t->X[i], limb_moments_times(&m->inertia[i], own));
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link[i].parent;
    if (p >= 0) h[p] = sp_addf(h[p], h[i]);
  }
}

void limb_add_turning(const limb_model* m, const double* v, const double* x, double* y)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->aux < 0) continue;
    const int J = m->dof[link->dof].v; // its velocities are the user's
    const bool slides = link->joint_class == CLASS_FREE;
    const sp_vec3 w = sp_v3(v[J], v[J + 1], v[J + 2]), n = sp_v3(x[J], x[J + 1], x[J + 2]);
    sp_vec3 u = {0, 0, 0}, f = {0, 0, 0};
    if (slides) u = sp_v3(v[J + 3], v[J + 4], v[J + 5]), f = sp_v3(x[J + 3], x[J + 4], x[J + 5]);
    const sp_force r = sp_crf(sp_motion_make(w, u), sp_force_make(n, f));
    y[J] += r.m.x, y[J + 1] += r.m.y, y[J + 2] += r.m.z;
    if (slides) y[J + 3] += r.f.x, y[J + 4] += r.f.y, y[J + 5] += r.f.z;
  }
}
