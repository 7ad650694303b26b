// Derivatives of the frame Jacobian: the kinematic Hessian, whole, times a vector, times a force.
//
// Reference: A. Mueller, Higher derivatives of the kinematic mapping and some applications, Mechanism and
//            Machine Theory 76, 2014; docs/linearisation.md.
// Cost:      O(nv^2 + depth^2); times a vector O(nv + depth).
//
//   dJ_j/dq_k = [k carries j] S_k x S_j - U_k x S_j
//
// S_k axes on the path from the frame to the world, in world axes at the origin of the reference. The joint
// of S_k carries S_j when its link is that of S_j or comes before it. U_k: how the reference moves with
// q_k (frame_derivatives.c).

#include "limb/kinematics_derivatives.h"

#include "kinematics/path.h"

#include <string.h>

// Where the entries of the Hessian go: to the tensor, or multiplied with a force into a matrix.
typedef struct sink {
  sp_motion* tensor;
  sp_force f;
  double* matrix;
} sink;

static void take(const sink* out, const limb_model* m, const limb_dof* k, const limb_dof* j, sp_motion x)
{
  const size_t n = (size_t)m->nv, row = (size_t)k->v, column = (size_t)j->v;
  const double mult = k->mult * j->mult;
  sp_motion* into = out->tensor ? &out->tensor[row * n + column] : NULL;
  if (into) *into = sp_addm(*into, sp_scalem(mult, x));
  if (out->matrix) out->matrix[column * n + row] += mult * sp_dot(x, out->f);
}

// All j for the k-th velocity of link i.
static void hessian_row(const limb_data* d, const limb_site* s, const limb_reference* r, int i, int k, const sink* out)
{
  const limb_model* m = d->m;
  const sp_pose* X = d->motion.X;
  const sp_motion S = limb_link_axis(m, i, k, &X[i], r->T.p);
  const sp_motion U = limb_reference_step(r, S), carried = limb_subm(S, U);
  for (int l = s->link; l >= 0; l = m->link[l].parent) {
    for (int j = 0; j < m->link[l].ndof; j++) {
      const sp_motion S_j = limb_link_axis(m, l, j, &X[l], r->T.p);
      // on one path a parent has the smaller number
      const sp_motion x = sp_crm(i <= l ? carried : sp_scalem(-1, U), S_j);
      take(out, m, &m->dof[m->link[i].dof + k], &m->dof[m->link[l].dof + j], limb_in_reference(r, x));
    }
  }
}

static void hessian(const limb_data* d, const limb_site* s, limb_ref ref, const sink* out)
{
  const limb_reference r = limb_reference_of(s, d->motion.X, ref);
  for (int i = s->link; i >= 0; i = d->m->link[i].parent) {
    for (int k = 0; k < d->m->link[i].ndof; k++) hessian_row(d, s, &r, i, k, out);
  }
}

limb_status limb_frame_jacobian_derivative(const limb_data* d, int frame, limb_ref ref, sp_motion* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_POSES, &s);
  if (status != LIMB_OK) return status;
  const size_t n = (size_t)d->m->nv;
  memset(out, 0, n * n * sizeof *out);
  const sink into = {.tensor = out};
  hessian(d, &s, ref, &into);
  return limb_finite((ptrdiff_t)(6 * n * n), &out->w.x) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_frame_jacobian_derivative_transposed(const limb_data* d, int frame, limb_ref ref, sp_force f,
                                                      double* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_POSES, &s);
  if (status != LIMB_OK) return status;
  if (!limb_finite3(f.m) || !limb_finite3(f.f)) return LIMB_E_NONFINITE;
  const size_t n = (size_t)d->m->nv;
  memset(out, 0, n * n * sizeof *out);
  const sink into = {.f = f, .matrix = out};
  hessian(d, &s, ref, &into);
  return limb_finite((ptrdiff_t)(n * n), out) ? LIMB_OK : LIMB_E_NONFINITE;
}

// S x of a link.
static sp_motion joint_motion(const limb_model* m, int i, const sp_pose* X, sp_vec3 at, const double* x)
{
  sp_motion sum = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < m->link[i].ndof; k++) {
    const limb_dof* dof = &m->dof[m->link[i].dof + k];
    sum = sp_addm(sum, sp_scalem(dof->mult * x[dof->v], limb_link_axis(m, i, k, &X[i], at)));
  }
  return sum;
}

limb_status limb_frame_jacobian_derivative_times(const limb_data* d, int frame, limb_ref ref, const double* x,
                                                 sp_motion* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  limb_site s;
  if (!x || !out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_POSES, &s);
  if (status != LIMB_OK) return status;
  const limb_model* m = d->m;
  const sp_pose* X = d->motion.X;
  if (!limb_finite(m->nv, x)) return LIMB_E_NONFINITE;
  const limb_reference r = limb_reference_of(&s, X, ref);
  sp_motion V = {{0, 0, 0}, {0, 0, 0}}, beyond = V;
  for (int i = s.link; i >= 0; i = m->link[i].parent) V = sp_addm(V, joint_motion(m, i, X, r.T.p, x));
  limb_columns_clear(m, out);
  for (int i = s.link; i >= 0; i = m->link[i].parent) {
    beyond = sp_addm(beyond, joint_motion(m, i, X, r.T.p, x)); // V - V_p of velocities x
    for (int k = 0; k < m->link[i].ndof; k++) {
      const sp_motion S = limb_link_axis(m, i, k, &X[i], r.T.p);
      const sp_motion U = limb_reference_step(&r, S);
      const sp_motion y = limb_velocity_step(S, U, V, beyond);
      limb_columns_add(&m->dof[m->link[i].dof + k], limb_in_reference(&r, y), out);
    }
  }
  return limb_finite(6 * (ptrdiff_t)m->nv, &out->w.x) ? LIMB_OK : LIMB_E_NONFINITE;
}
