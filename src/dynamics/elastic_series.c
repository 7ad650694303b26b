// The recursive Newton-Euler kernel over power series in time: forces and their derivatives along a motion.
//
// Cost: O(n), and the square of the degree.
//
// A trajectory is q(0) and the derivatives of v. Coordinates that are not angles or displacements follow from
// q' = q w / 2 for the quaternion q of a ball or free joint, and p' = R(q) v for a free one's position.

#include "dynamics/elastic_impl.h"
#include "kinematics/site.h"

#include "kernel/scalar_series.h"

#define FEW_JOINT_CLASSES 1
#include "kernel/kinematics_kernel.h"

#include "kernel/rnea_kernel.h"

// ---- the trajectory ---------------------------------------------------------------------------------

// x(0) + the integral of the rate
static void integrate(const real* rate, real* x)
{
  x->n = rate->n;
  for (int k = 0; k < x->n; k++) x->c[k + 1] = rate->c[k] / (double)(k + 1);
}

// u' = u w / 2 as quaternions x y z w
static void integrate_turning(const real* w, real* u)
{
  real *x = &u[0], *y = &u[1], *z = &u[2], *s = &u[3];
  const int n = w[0].n;
  const double size = sqrt(x->c[0] * x->c[0] + y->c[0] * y->c[0] + z->c[0] * z->c[0] + s->c[0] * s->c[0]);
  for (int i = 0; i < 4; i++) u[i] = (real){.c = {u[i].c[0] / size}, .n = n};
  for (int k = 0; k < n; k++) {
#define TIMES(a, b) convolution(a, b, 0, k)
    const double half = 0.5 / (double)(k + 1);
    x->c[k + 1] = half * (TIMES(s, &w[0]) + TIMES(y, &w[2]) - TIMES(z, &w[1]));
    y->c[k + 1] = half * (TIMES(s, &w[1]) + TIMES(z, &w[0]) - TIMES(x, &w[2]));
    z->c[k + 1] = half * (TIMES(s, &w[2]) + TIMES(x, &w[1]) - TIMES(y, &w[0]));
    s->c[k + 1] = -half * (TIMES(x, &w[0]) + TIMES(y, &w[1]) + TIMES(z, &w[2]));
#undef TIMES
  }
}

// R(u) v = v + s t + x cross t,  t = 2 x cross v
static vec3 turned_by_quaternion(const real* u, vec3 v)
{
  const vec3 x = v3(u[0], u[1], u[2]), t = kscale3(constant(2), cross3(x, v));
  return add3(v, add3(scale3(u[3], t), cross3(x, t)));
}

static void integrate_joint(const limb_joint* joint, const real* v, real* q)
{
  v += joint->v, q += joint->q;
  if (joint->def.type == LIMB_SPHERICAL) {
    integrate_turning(v, q);
  } else if (joint->def.type == LIMB_FREE) {
    integrate_turning(v, q + 3);
    const vec3 rate = turned_by_quaternion(q + 3, v3(v[3], v[4], v[5]));
    integrate(&rate.x, &q[0]), integrate(&rate.y, &q[1]), integrate(&rate.z, &q[2]);
  } else {
    for (int k = 0; k < joint->nv; k++) integrate(&v[k], &q[k]);
  }
}

// Derivatives, in rows of nv, as coefficients.
static real series_of(const double* d, int nv, int degree)
{
  real x = {.n = degree};
  double factorial = 1;
  for (int k = 0; k <= degree; k++) {
    if (k > 0) factorial *= (double)k;
    x.c[k] = d[(ptrdiff_t)k * nv] / factorial;
  }
  return x;
}

void limb_series_load(limb_series* w, int degree, const double* d)
{
  const limb_model* m = w->m;
  for (int k = 0; k < m->nv; k++) {
    w->v[k] = series_of(d + k, m->nv, degree);
    w->a[k] = series_of(d + m->nv + k, m->nv, degree);
  }
  for (int k = 0; k < m->nq; k++) w->q[k] = number(w->at[k]);
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint[j].nv > 0) integrate_joint(&m->joint[j], w->v, w->q);
  }
}

// ---- forces -----------------------------------------------------------------------------------------

// A wrench on a frame as a force on its link at X, in link axes at the link's origin.
static force on_link(const pose* X, const limb_site* site, const limb_wrench* w)
{
  if (w->ref == LIMB_BODY) {
    const sp_force F = sp_force_out(site->in_link, w->wrench);
    return (force){given3(F.m.x, F.m.y, F.m.z), given3(F.f.x, F.f.y, F.f.z)};
  }
  const sp_vec3 n = w->wrench.m, f = w->wrench.f, at = site->in_link.p;
  const vec3 fl = tmulv(X->R, given3(f.x, f.y, f.z)), nl = tmulv(X->R, given3(n.x, n.y, n.z));
  // from where it acts to the link's origin
  const vec3 arm = w->ref == LIMB_WORLD ? sub3(zero3(), tmulv(X->R, X->p)) : given3(at.x, at.y, at.z);
  return (force){add3(nl, cross3(arm, fl)), fl};
}

static void set_wrenches(limb_series* w, const limb_surroundings* x)
{
  const limb_model* m = w->m;
  pose* X = (pose*)w->X;
  force* on = (force*)w->wrench;
  const link_arrays out = {X, NULL, NULL, NULL};
  link_motion((context){m, m->k64, &w->ws}, NULL, NULL, &out);
  for (int i = 0; i < m->nlink; i++) on[i] = zerof();
  for (int k = 0; k < x->ngiven; k++) {
    const limb_site site = limb_site_of(m, x->given[k].frame);
    if (site.link < 0) continue; // on a body that cannot move
    on[site.link] = addf(on[site.link], on_link(&X[site.link], &site, &x->given[k]));
  }
}

void limb_series_forces(limb_series* w, const limb_surroundings* x)
{
  const limb_model* m = w->m;
  const context ctx = {m, m->k64, &w->ws};
  load_coordinates(m, m->k64, &w->ws, w->q);
  const real *v = in_compiled_order(m, w->v, ctx.ws->v), *a = in_compiled_order(m, w->a, ctx.ws->a);
  real* tau = ctx.ws->tau;
  rnea_outward(m, m->k64, &w->ws, v, a);
  if (x->ngiven > 0) {
    set_wrenches(w, x);
    subtract_wrenches(ctx, w->wrench);
  }
  rnea_inward(ctx, tau);
  add_joint_actuators(ctx, v, a, &x->terms, tau);
  in_user_order(m, tau, w->tau);
}
