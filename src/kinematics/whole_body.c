// Centre of mass and momentum of the whole robot, their Jacobians and rates.
//
// Reference: D. Orin, A. Goswami, S.-H. Lee, Centroidal dynamics of a humanoid robot, Autonomous Robots
//            35, 2013.
// Cost:      O(n), sums over all links.
//
// With M the total mass and c the centre of mass
//
//   M c = sum (R_i h_i + m_i p_i) + h_fixed,   M c' = linear momentum,   M c'' = its rate,
//   M J_k = m_k v_k + w_k x h_k                (m_k, h_k) all that joint k carries, (w_k, v_k) its axis
//
//   momentum of link i   I_i v_i                 link axes at the link origin
//   its rate             I_i a_i + v_i x* I_i v_i
//   column of joint k    I_k^c S_k               I_k^c: inertia of all that the joint carries
//
// Moved to a point c, a force gains (p_i - c) x f. About the centre of mass the rate has no further term although that
// point moves: c' is parallel to the linear momentum.

#include "limb/kinematics.h"

#include "kernel/tables.h"
#include "kinematics/kinematics_impl.h"
#include "model/loop_calls.h"

// ---- centre of mass -----------------------------------------------------------------------------------------

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

// ---- momentum -----------------------------------------------------------------------------------------------

// A force given in link axes at the link origin: world axes, at the point `at`.
static sp_force to_point(const sp_pose* X, sp_force f, sp_vec3 at)
{
  return limb_force_at(sp_force_make(sp_mulv(X->R, f.m), sp_mulv(X->R, f.f)), X->p, at);
}

sp_force limb_momentum_about(const limb_model* m, const limb_link_motion* s, sp_vec3 at)
{
  sp_force sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < m->nlink; i++) {
    const sp_force h = limb_moments_times(&m->inertia[i], s->v[i]);
    sum = sp_addf(sum, to_point(&s->X[i], h, at));
  }
  return sum;
}

sp_force limb_momentum_rate_about(const limb_model* m, const limb_link_motion* s, sp_vec3 at)
{
  sp_force sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < m->nlink; i++) {
    const sp_force f = limb_momentum_rate_of(&m->inertia[i], s->v[i], s->a[i]);
    sum = sp_addf(sum, to_point(&s->X[i], f, at));
  }
  return sum;
}

// Moments given in axes that R turns into others, in those: R h, R S R'.
static limb_moments turn(sp_mat3 R, const limb_moments* Y)
{
  const sp_mat3 S = {{Y->xx, Y->xy, Y->xz, Y->xy, Y->yy, Y->yz, Y->xz, Y->yz, Y->zz}};
  const sp_mat3 T = sp_mul3(sp_mul3(R, S), sp_transpose3(R));
  const sp_vec3 h = sp_mulv(R, limb_moments_first(Y));
  const limb_moments r = {Y->m, h.x, h.y, h.z, T.m[0], T.m[1], T.m[2], T.m[4], T.m[5], T.m[8]};
  return r;
}

// sum += Y, whose point lies at r from that of sum: S + r h' + h r' + m r r'.
static void add_shifted(limb_moments* sum, const limb_moments* Y, sp_vec3 r)
{
  sum->m += Y->m;
  sum->hx += Y->hx + Y->m * r.x;
  sum->hy += Y->hy + Y->m * r.y;
  sum->hz += Y->hz + Y->m * r.z;
  sum->xx += Y->xx + 2 * r.x * Y->hx + Y->m * r.x * r.x;
  sum->yy += Y->yy + 2 * r.y * Y->hy + Y->m * r.y * r.y;
  sum->zz += Y->zz + 2 * r.z * Y->hz + Y->m * r.z * r.z;
  sum->xy += Y->xy + r.x * Y->hy + r.y * Y->hx + Y->m * r.x * r.y;
  sum->xz += Y->xz + r.x * Y->hz + r.z * Y->hx + Y->m * r.x * r.z;
  sum->yz += Y->yz + r.y * Y->hz + r.z * Y->hy + Y->m * r.y * r.z;
}

void limb_composites(const limb_model* m, const sp_pose* X, limb_moments* composite)
{
  for (int i = 0; i < m->nlink; i++) composite[i] = turn(X[i].R, &m->inertia[i]);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link[i].parent;
    if (p >= 0) add_shifted(&composite[p], &composite[i], sp_sub3(X[i].p, X[p].p));
  }
}

limb_status limb_momentum_point(const limb_data* d, int centroidal, sp_vec3* at)
{
  *at = sp_v3(0, 0, 0);
  return centroidal ? limb_center_of_mass(d, at, NULL, NULL) : LIMB_OK;
}

limb_status limb_momentum(const limb_data* d, int centroidal, sp_force* out)
{
  sp_vec3 at;
  if (!d || !out) return LIMB_E_ARG;
  if (!(d->have & LIMB_HAS_VELOCITIES)) return LIMB_E_ORDER;
  const limb_status status = limb_momentum_point(d, centroidal, &at);
  if (status == LIMB_OK) *out = limb_momentum_about(d->m, &d->motion, at);
  return status;
}

limb_status limb_momentum_rate(const limb_data* d, int centroidal, sp_force* out)
{
  sp_vec3 at;
  if (!d || !out) return LIMB_E_ARG;
  if (!(d->have & LIMB_HAS_ACCELERATIONS)) return LIMB_E_ORDER;
  const limb_status status = limb_momentum_point(d, centroidal, &at);
  if (status == LIMB_OK) *out = limb_momentum_rate_about(d->m, &d->motion, at);
  return status;
}

limb_status limb_momentum_matrix(limb_data* d, int centroidal, sp_force* A)
{
  sp_vec3 at;
  if (!d || !A) return LIMB_E_ARG;
  if (!(d->have & LIMB_HAS_POSES)) return LIMB_E_ORDER;
  const limb_status status = limb_momentum_point(d, centroidal, &at);
  if (status != LIMB_OK) return status;
  const limb_model* m = d->m;
  limb_kernels_of(d)->momentum_matrix(m, m->k64, d->motion.X[0].R.m, centroidal != 0, &d->composite[0].m, &A[0].m.x);
  return d->loops ? m->loop_calls->reduce(d->loops, d->q, 6, &A[0].m.x) : LIMB_OK;
}

limb_status limb_momentum_matrix_at(limb_data* d, const double* q, int centroidal, sp_force* A)
{
  if (!d || !q || !A) return LIMB_E_ARG;
  limb_status s = limb_check_state(d, q, NULL, NULL);
  if (s != LIMB_OK) return s;
  const limb_model* m = d->m;
  if (centroidal && m->total_mass == 0) return LIMB_E_SINGULAR;
  if (m->nlink == 0) return LIMB_OK;
  limb_kernels_of(d)->momentum_matrix_at(m, m->k64, &d->ws, q, centroidal != 0, &d->own.X[0].R.m[0], &A[0].m.x);
  return d->loops ? m->loop_calls->reduce(d->loops, q, 6, &A[0].m.x) : LIMB_OK;
}
