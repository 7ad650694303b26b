// Derivatives of the momentum, of its rate, and of the motion of the centre of mass.
//
// Reference: S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using
//            spatial vector algebra, IEEE RA-L 7, 2022 (the matrix B); docs/linearisation.md.
// Cost:      O(n).
//
//   S         axis of a velocity of link l: world axes, at the link's origin, as all below
//   V_l       velocity of link l; V_p, A_p velocity and spatial acceleration of its parent
//   I, h, f   inertia, momentum and rate of the momentum of link l and all it carries
//   B         sum over the same of (V x* I - I V x + (I V) x*) / 2
//
// A step of q moves what link l carries as one rigid body. Only its parent's motion does not follow: seen
// from the body the parent's velocity changes by V_p x S. With beta = V_p x S
//
//   dh/dq = S x* h + I beta
//   df/dq = S x* f + I (A_p x S + V_p x beta) + 2 B beta
//   df/dv = I ((V_l + V_p) x S) + 2 B S
//
// For particles of mass m, velocity u, position x a motion (b; c) gives 2 B (b; c) = 2 sum m (x x (b x u);
// b x u): with p = sum m u, N = sum m u x' that is 2 (tr N b - N b; b x p), and N moves and adds like h.

#include "limb/kinematics.h"

#include "base/numeric.h"
#include "kinematics/kinematics_impl.h"

// ---- sums over what a link carries --------------------------------------------------------------------------

// N of a link, in its axes about its origin: u = v + w x x, so N = v h' + [w] S with S = sum m x x'.
static sp_mat3 spread(const limb_moments* Y, sp_motion v)
{
  const sp_vec3 h = limb_moments_first(Y);
  const sp_vec3 x = sp_add3(sp_scale3(h.x, v.v), sp_cross3(v.w, sp_v3(Y->xx, Y->xy, Y->xz)));
  const sp_vec3 y = sp_add3(sp_scale3(h.y, v.v), sp_cross3(v.w, sp_v3(Y->xy, Y->yy, Y->yz)));
  const sp_vec3 z = sp_add3(sp_scale3(h.z, v.v), sp_cross3(v.w, sp_v3(Y->xz, Y->yz, Y->zz)));
  return (sp_mat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

static sp_force turned(sp_mat3 R, sp_force f) { return sp_force_make(sp_mulv(R, f.m), sp_mulv(R, f.f)); }

// sum += c, whose point lies at r from that of sum.
static void add_moved(limb_carried* sum, const limb_carried* c, sp_vec3 r)
{
  const sp_vec3 o = sp_v3(0, 0, 0), p = c->h.f;
  const double u[3] = {p.x, p.y, p.z}, x[3] = {r.x, r.y, r.z};
  sum->h = sp_addf(sum->h, limb_force_at(c->h, r, o));
  sum->f = sp_addf(sum->f, limb_force_at(c->f, r, o));
  // N + p r'
  for (int k = 0; k < 9; k++) sum->N.m[k] += c->N.m[k] + u[k / 3] * x[k % 3];
}

// What every link carries; rates only when there are accelerations.
static void carry(limb_data* d)
{
  const limb_model* m = d->m;
  const limb_link_motion* s = &d->motion;
  limb_composites(m, s->X, d->composite);
  for (int i = 0; i < m->nlink; i++) {
    const limb_moments* Y = &m->inertia[i];
    const sp_mat3 R = s->X[i].R;
    limb_carried c = {.h = turned(R, limb_moments_times(Y, s->v[i]))};
    c.N = sp_mul3(sp_mul3(R, spread(Y, s->v[i])), sp_transpose3(R));
    if (d->have & LIMB_HAS_ACCELERATIONS) c.f = turned(R, limb_momentum_rate_of(Y, s->v[i], s->a[i]));
    d->carried[i] = c;
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link[i].parent;
    if (p >= 0) add_moved(&d->carried[p], &d->carried[i], sp_sub3(s->X[i].p, s->X[p].p));
  }
}

// ---- one column ---------------------------------------------------------------------------------------------

typedef struct axis {
  sp_motion S, V_l, V_p, A_p;
  const limb_moments* Y;
  const limb_carried* c;
} axis;

typedef sp_force column_fn(const axis* x);

// 2 B (b; c)
static sp_force twice_B(const limb_carried* c, sp_vec3 b)
{
  const double trace = c->N.m[0] + c->N.m[4] + c->N.m[8];
  const sp_vec3 m = sp_sub3(sp_scale3(trace, b), sp_mulv(c->N, b));
  return sp_scalef(2, sp_force_make(m, sp_cross3(b, c->h.f)));
}

static sp_force momentum_by_v(const axis* x) { return limb_moments_times(x->Y, x->S); }

static sp_force momentum_by_q(const axis* x)
{
  const sp_motion beta = sp_crm(x->V_p, x->S);
  return sp_addf(sp_crf(x->S, x->c->h), limb_moments_times(x->Y, beta));
}

static sp_force rate_by_q(const axis* x)
{
  const sp_motion beta = sp_crm(x->V_p, x->S);
  const sp_motion a = sp_addm(sp_crm(x->A_p, x->S), sp_crm(x->V_p, beta));
  const sp_force moved = sp_addf(sp_crf(x->S, x->c->f), limb_moments_times(x->Y, a));
  return sp_addf(moved, twice_B(x->c, beta.w));
}

static sp_force rate_by_v(const axis* x)
{
  const sp_motion a = sp_crm(sp_addm(x->V_l, x->V_p), x->S);
  return sp_addf(limb_moments_times(x->Y, a), twice_B(x->c, x->S.w));
}

static axis axis_of(const limb_data* d, int i, int k)
{
  const limb_model* m = d->m;
  const limb_link_motion* s = &d->motion;
  const int p = m->link[i].parent;
  const sp_vec3 at = s->X[i].p;
  axis x = {.Y = &d->composite[i], .c = &d->carried[i]};
  x.S = limb_link_axis(m, i, k, &s->X[i], at);
  x.V_l = limb_link_motion_at(s->X, s->v, i, at);
  x.V_p = limb_link_motion_at(s->X, s->v, p, at);
  if (d->have & LIMB_HAS_ACCELERATIONS) x.A_p = limb_link_motion_at(s->X, s->a, p, at);
  return x;
}

// ---- momentum -----------------------------------------------------------------------------------------------

// Columns about the point `at`. F: the linear part of what is differentiated, for a centre of mass that
// moves with q; it takes dc/dq x F off the moment. Else zero.
static limb_status columns(const limb_data* d, column_fn* f, sp_vec3 at, sp_vec3 F, sp_force* out)
{
  const limb_model* m = d->m;
  const double per_mass = m->total_mass == 0 ? 0 : 1 / m->total_mass;
  for (int k = 0; k < m->nv; k++) out[k] = (sp_force){{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const axis x = axis_of(d, i, k);
      sp_force y = limb_force_at(f(&x), d->motion.X[i].p, at);
      const sp_vec3 dc = sp_scale3(per_mass, momentum_by_v(&x).f);
      y.m = sp_sub3(y.m, sp_cross3(dc, F));
      out[dof->v] = sp_addf(out[dof->v], sp_scalef(dof->mult, y));
    }
  }
  return limb_finite(6 * (ptrdiff_t)m->nv, &out->m.x) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_momentum_derivative(limb_data* d, int centroidal, sp_force* dq)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  sp_vec3 at;
  if (!d || !dq) return LIMB_E_ARG;
  if (!(d->have & LIMB_HAS_VELOCITIES)) return LIMB_E_ORDER;
  const limb_status status = limb_momentum_point(d, centroidal, &at);
  if (status != LIMB_OK) return status;
  const sp_vec3 o = sp_v3(0, 0, 0);
  carry(d);
  const sp_vec3 p = centroidal ? limb_momentum_about(d->m, &d->motion, at).f : o;
  return columns(d, momentum_by_q, at, p, dq);
}

limb_status limb_momentum_rate_derivatives(limb_data* d, int centroidal, sp_force* dq, sp_force* dv)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  sp_vec3 at;
  if (!d) return LIMB_E_ARG;
  if (!(d->have & LIMB_HAS_ACCELERATIONS)) return LIMB_E_ORDER;
  limb_status status = limb_momentum_point(d, centroidal, &at);
  if (status != LIMB_OK) return status;
  const sp_vec3 o = sp_v3(0, 0, 0);
  carry(d);
  const sp_vec3 dp = centroidal ? limb_momentum_rate_about(d->m, &d->motion, at).f : o;
  if (dq) status = columns(d, rate_by_q, at, dp, dq);
  if (dv && status == LIMB_OK) status = columns(d, rate_by_v, at, o, dv);
  return status;
}

// ---- centre of mass: the linear part, per mass --------------------------------------------------------------

static limb_status linear_columns(const limb_data* d, column_fn* f, sp_vec3* out)
{
  const limb_model* m = d->m;
  const double per_mass = 1 / m->total_mass;
  if (!out) return LIMB_OK;
  for (int k = 0; k < m->nv; k++) out[k] = sp_v3(0, 0, 0);
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link[i].ndof; k++) {
      const limb_dof* dof = &m->dof[m->link[i].dof + k];
      const axis x = axis_of(d, i, k);
      out[dof->v] = sp_add3(out[dof->v], sp_scale3(dof->mult * per_mass, f(&x).f));
    }
  }
  return limb_finite(3 * (ptrdiff_t)m->nv, &out->x) ? LIMB_OK : LIMB_E_NONFINITE;
}

limb_status limb_center_of_mass_derivatives(limb_data* d, sp_vec3* dv_dq, sp_vec3* da_dq, sp_vec3* da_dv)
{
  if (limb_has_loops(d)) return LIMB_E_UNSUPPORTED;
  if (!d) return LIMB_E_ARG;
  const unsigned need = da_dq || da_dv ? LIMB_HAS_ACCELERATIONS : LIMB_HAS_VELOCITIES;
  if (!(d->have & need)) return LIMB_E_ORDER;
  if (d->m->total_mass == 0) return LIMB_E_SINGULAR;
  carry(d);
  limb_status status = linear_columns(d, momentum_by_q, dv_dq);
  if (status == LIMB_OK) status = linear_columns(d, rate_by_q, da_dq);
  if (status == LIMB_OK) status = linear_columns(d, rate_by_v, da_dv);
  return status;
}
