// Derivatives of the pose, the velocity, the acceleration and the Jacobian of a frame.
//
// Reference: J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018
//            (derivatives of V and A); A. Mueller, Higher derivatives of the kinematic mapping and some applications,
//            Mechanism and Machine Theory 76, 2014 (the Jacobian); docs/linearisation.md.
// Cost:      O(nv + depth); the derivative of the Jacobian O(nv^2 + depth^2), times a vector O(nv + depth).
//
//   S_k       axis of a velocity of link l, world axes, at the origin of the reference
//   V, A      velocity and spatial acceleration of the frame; V_l of link l; V_p, A_p of its parent
//   U_k       how the reference moves with q_k: S_k (BODY), 0 (WORLD), the linear part of S_k (ALIGNED)
//
// A step of q_k moves all axes from link l on as one rigid body, dS_j = S_k x S_j, and nothing before it:
//
//   dV/dq_k   = S_k x (V - V_p) - U_k x V
//   dA/dq_k   = S_k x (A - A_p) + (V_p x S_k) x (V - V_p) - U_k x A
//   dA/dv_k   = V_l x S_k + S_k x (V - V_p)
//   dJ_j/dq_k = [k carries j] S_k x S_j - U_k x S_j
//
// The classical acceleration is A + (0; w x v). The joint of S_k carries S_j when its link is that of S_j or comes
// before it.

#include "limb/kinematics.h"

#include "base/numeric.h"
#include "kinematics/kinematics_impl.h"

#include <string.h>

// ---- pose and velocity --------------------------------------------------------------------------------------

// No NaN and no infinity in the columns; NULL has none.
static bool columns_finite(const limb_model* m, const sp_motion* x)
{
  return !x || limb_finite(6 * (ptrdiff_t)m->nv, &x->w.x);
}

limb_status limb_frame_pose_derivative(const limb_data* d, int frame, sp_pose* out)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  limb_site s;
  if (!out) return LIMB_E_ARG;
  const limb_status status = limb_site_find(d, frame, LIMB_ALIGNED, LIMB_HAS_POSES, &s);
  if (status != LIMB_OK) return status;
  const limb_model* m = d->m;
  const sp_pose *X = d->motion.X, T = limb_site_pose(&s, X);
  for (int k = 0; k < m->nv; k++) out[k] = (sp_pose){0};
  for (int i = s.link; i >= 0; i = m->link[i].parent) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const sp_motion S = sp_scalem(dof->mult, limb_link_axis(m, i, k, &X[i], T.p));
      sp_pose* x = &out[dof->v];
      // dR/dq_k = [w_k] R, column by column
      for (int c = 0; c < 3; c++) {
        const sp_vec3 e = sp_cross3(S.w, limb_column3(T.R, c));
        x->R.m[c] += e.x, x->R.m[3 + c] += e.y, x->R.m[6 + c] += e.z;
      }
      x->p = sp_add3(x->p, S.v);
    }
  }
  return limb_finite(12 * (ptrdiff_t)m->nv, out->R.m) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_frame_velocity_derivatives(const limb_data* d, int frame, limb_ref ref, sp_motion* dq, sp_motion* dv)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  limb_site s;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_VELOCITIES, &s);
  if (status != LIMB_OK) return status;
  const limb_model* m = d->m;
  const sp_pose* X = d->motion.X;
  if (dv) limb_site_jacobian(d, &s, X, ref, dv);
  if (!dq) return columns_finite(m, dv) ? LIMB_OK : LIMB_E_NONFINITE;
  const limb_reference r = limb_reference_of(&s, X, ref);
  const sp_motion V = limb_link_motion_at(X, d->motion.v, s.link, r.T.p);
  limb_columns_clear(m, dq);
  for (int i = s.link; i >= 0; i = m->link[i].parent) {
    const sp_motion V_p = limb_link_motion_at(X, d->motion.v, m->link[i].parent, r.T.p);
    const sp_motion beyond = limb_subm(V, V_p);
    for (int k = 0; k < m->link[i].ndof; k++) {
      const sp_motion S = limb_link_axis(m, i, k, &X[i], r.T.p);
      const sp_motion U = limb_reference_step(&r, S);
      const sp_motion x = limb_velocity_step(S, U, V, beyond);
      limb_columns_add(&m->dof[m->link[i].dof + k], limb_in_reference(&r, x), dq);
    }
  }
  return columns_finite(m, dq) && columns_finite(m, dv) ? LIMB_OK : LIMB_E_NONFINITE;
}

// ---- acceleration -------------------------------------------------------------------------------------------

// Motions of a link, of its parent and of the frame, world axes, at the origin of the reference.
typedef struct motions {
  sp_motion V_l, V_p, A_p, V, A;
  bool classical;
} motions;

// What w x v of the classical acceleration brings.
static sp_motion with_classical(const motions* x, sp_motion dV, sp_motion dA)
{
  if (!x->classical) return dA;
  const sp_vec3 turn = sp_add3(sp_cross3(dV.w, x->V.v), sp_cross3(x->V.w, dV.v));
  return sp_motion_make(dA.w, sp_add3(dA.v, turn));
}

static sp_motion acceleration_by_q(const motions* x, sp_motion S, sp_motion U)
{
  const sp_motion V = limb_subm(x->V, x->V_p), A = limb_subm(x->A, x->A_p);
  const sp_motion dV = limb_velocity_step(S, U, x->V, V);
  // S_k x (A - A_p) + (V_p x S_k) x (V - V_p) - U_k x A
  const sp_motion moved = sp_addm(sp_crm(S, A), sp_crm(sp_crm(x->V_p, S), V));
  return with_classical(x, dV, limb_subm(moved, sp_crm(U, x->A)));
}

static sp_motion acceleration_by_v(const motions* x, sp_motion S)
{
  // V_l x S_k + S_k x (V - V_p)
  const sp_motion dA = sp_addm(sp_crm(x->V_l, S), sp_crm(S, limb_subm(x->V, x->V_p)));
  return with_classical(x, S, dA);
}

static void acceleration_columns(const limb_data* d, const limb_site* s, const limb_reference* r, bool classical,
                                 sp_motion* dq, sp_motion* dv)
{
  const limb_model* m = d->m;
  const sp_pose* X = d->motion.X;
  const sp_vec3 at = r->T.p;
  motions x = {.classical = classical};
  x.V = limb_link_motion_at(X, d->motion.v, s->link, at);
  x.A = limb_link_motion_at(X, d->motion.a, s->link, at);
  for (int i = s->link; i >= 0; i = m->link[i].parent) {
    x.V_l = limb_link_motion_at(X, d->motion.v, i, at);
    x.V_p = limb_link_motion_at(X, d->motion.v, m->link[i].parent, at);
    x.A_p = limb_link_motion_at(X, d->motion.a, m->link[i].parent, at);
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const sp_motion S = limb_link_axis(m, i, k, &X[i], at), U = limb_reference_step(r, S);
      if (dq) limb_columns_add(dof, limb_in_reference(r, acceleration_by_q(&x, S, U)), dq);
      if (dv) limb_columns_add(dof, limb_in_reference(r, acceleration_by_v(&x, S)), dv);
    }
  }
}

static limb_status accelerations(const limb_data* d, int frame, limb_ref ref, bool classical, sp_motion* const out[3])
{
  limb_site s;
  const limb_status status = limb_site_find(d, frame, ref, LIMB_HAS_ACCELERATIONS, &s);
  if (status != LIMB_OK) return status;
  sp_motion *dq = out[0], *dv = out[1], *da = out[2];
  const limb_reference r = limb_reference_of(&s, d->motion.X, ref);
  if (dq) limb_columns_clear(d->m, dq);
  if (dv) limb_columns_clear(d->m, dv);
  if (da) limb_site_jacobian(d, &s, d->motion.X, ref, da);
  if (dq || dv) acceleration_columns(d, &s, &r, classical, dq, dv);
  const bool fine = columns_finite(d->m, dq) && columns_finite(d->m, dv) && columns_finite(d->m, da);
  return fine ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_frame_acceleration_derivatives(const limb_data* d, int frame, limb_ref ref, sp_motion* dq,
                                                sp_motion* dv, sp_motion* da)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  return accelerations(d, frame, ref, false, (sp_motion* const[]){dq, dv, da});
}

limb_status limb_frame_classical_acceleration_derivatives(const limb_data* d, int frame, limb_ref ref, sp_motion* dq,
                                                          sp_motion* dv, sp_motion* da)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  return accelerations(d, frame, ref, true, (sp_motion* const[]){dq, dv, da});
}

// ---- the Jacobian -------------------------------------------------------------------------------------------

// Where the entries of the Hessian go: to the tensor, or multiplied with a force into a matrix.
typedef struct sink {
  sp_motion* tensor;
  sp_force f;
  double* matrix;
} sink;

static void add_entry(const sink* out, const limb_model* m, const limb_dof* k, const limb_dof* j, sp_motion x)
{
  const size_t n = (size_t)m->nv, row = (size_t)k->v, column = (size_t)j->v;
  const double mult = k->mult * j->mult;
  sp_motion* entry = out->tensor ? &out->tensor[row * n + column] : NULL;
  if (entry) *entry = sp_addm(*entry, sp_scalem(mult, x));
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
      add_entry(out, m, &m->dof[m->link[i].dof + k], &m->dof[m->link[l].dof + j], limb_in_reference(r, x));
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
