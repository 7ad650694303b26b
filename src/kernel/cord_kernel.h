// Forces that are not linear in q: cords, tendons that are straight between points of bodies, with a spring and a
// damper; springs of ball joints.
//
// Reference: E. Todorov, T. Erez, Y. Tassa, MuJoCo: a physics engine for model-based control, IROS 2012, which calls
//            them spatial tendons.
// Cost:      O(nlink), and per line O(depth); of the slopes O(depth^2) per line and O(n^2) per cord.
//
//   length = sum s |p_b - p_a|             over the lines from a point a to the next one b; s: limb_cord_point.share
//   T      = K (length - rest) + D length'                K counts as a spring, D as friction
//   tau   += J' T,     J_r = sum s u . (P_br - P_ar)
//
//   u       direction of the line, (p_b - p_a) / |p_b - p_a|
//   P_br    velocity of point b per unit of velocity r of a joint that carries it, w_r its angular velocity; joints
//           that carry both ends do not change the line, and are left out
//
// All in world axes. Where velocity c turns a point, it turns with it what joints further out do to the point:
//
//   dP_r/dq_c = w_c x P_r    if r belongs to the same joint as c or to one that c carries;  w_r x P_c  otherwise
//
//   dJ_r/dq_c = sum s ((D_r . D_c - (u . D_r) (u . D_c)) / |p_b - p_a| + u . (dP_br/dq_c - dP_ar/dq_c)),  D = P_b - P_a
#ifndef LIMB_KERNEL_CORD_KERNEL_H
#define LIMB_KERNEL_CORD_KERNEL_H

#include "kernel/kinematics_kernel.h"

// Few robots have such forces: small rather than fast, and out of the way of the others.
#define KERNEL_COLD KERNEL_ONCE __attribute__((cold))

// Where points coincide the line has no direction: u is then zero, as nothing is divided by less than this.
#define CORD_NO_LENGTH 1e-30

// An end of a line: -1 the first, 1 the second.
typedef struct cord_end {
  int link;
  double sign;
  vec3 p;
} cord_end;

typedef struct cord_line {
  cord_end end[2];
  vec3 u;
  real length;
  double share;
} cord_line;

KERNEL cord_end cord_end_of(const pose* X, const limb_cord_point* point, double sign)
{
  const vec3 at = given3(point->at.x, point->at.y, point->at.z);
  if (point->link < 0) return (cord_end){-1, sign, at};
  return (cord_end){point->link, sign, add3(X[point->link].p, mulv(X[point->link].R, at))};
}

// The line to a point from the one before.
KERNEL_COLD cord_line cord_line_to(const pose* X, const limb_cord_point* point)
{
  cord_line l = {{cord_end_of(X, point - 1, -1), cord_end_of(X, point, 1)}, zero3(), zero(), point->share};
  const vec3 d = sub3(l.end[1].p, l.end[0].p);
  l.length = root(plus(constant(CORD_NO_LENGTH), dot3(d, d)));
  l.u = scale3(recip(l.length), d);
  return l;
}

// The next link on the way to the world; -1: it carries the other end as well, and does not change the line.
KERNEL int cord_way(const limb_model* m, int i, const cord_end* other)
{
  return i >= 0 && i <= other->link && other->link < m->link[i].end ? -1 : i;
}

// Velocity r of a link at a point.
KERNEL_COLD motion cord_motion(const limb_model* m, const link_const* k, const pose* X, int i, int r, const vec3* p)
{
  return link_axis(&m->link[i], &k[i], &X[i], r, *p);
}

// Length of a cord beyond its rest, and J in compiled order if it is wanted.
KERNEL_COLD real cord_stretch(const limb_model* m, const link_const* k, const pose* X, const limb_coupling* x, real* J)
{
  real stretch = number(parameter(-x->rest));
  for (int c = 0; J && c < m->ncdof; c++) J[c] = zero();
  for (int n = 1; n < x->npoint; n++) {
    if (x->point[n].share == 0) continue;
    const cord_line l = cord_line_to(X, &x->point[n]);
    stretch = kmadd(stretch, parameter(l.share), l.length);
    for (int e = 0; e < 2 && J; e++) {
      const cord_end* other = &l.end[1 - e];
      for (int i = cord_way(m, l.end[e].link, other); i >= 0; i = cord_way(m, m->link[i].parent, other)) {
        for (int r = 0; r < m->link[i].ndof; r++) {
          real* to = &J[m->link[i].dof + r];
          const motion P = cord_motion(m, k, X, i, r, &l.end[e].p);
          *to = kmadd(*to, parameter(l.end[e].sign * l.share), dot3(l.u, P.v));
        }
      }
    }
  }
  return stretch;
}

// Poses of the links, J, and what J' v changes by, in the workspace of a robot with cords.
typedef struct cord_work {
  pose* X;
  real *J, *dJv;
} cord_work;

KERNEL cord_work cord_work_of(const limb_model* m, const limb_ws* ws)
{
  pose* X = ws->cords;
  real* J = (real*)(X + m->nlink);
  return (cord_work){X, J, J + m->ncdof};
}

// The tension, and J.
KERNEL_COLD real cord_tension(const limb_model* m, const link_const* k, const limb_ws* ws, const limb_coupling* x,
                              const real* v, const limb_terms* terms)
{
  const context ctx = {m, k, ws};
  const cord_work w = cord_work_of(ctx.m, ctx.ws);
  const real stretch = cord_stretch(ctx.m, ctx.k, w.X, x, w.J);
  real T = zero(), rate = zero();
  for (int c = 0; c < ctx.m->ncdof; c++) rate = madd(rate, w.J[c], v[c]);
  if (terms->springs) T = scale(parameter(x->stiffness), settled(stretch));
  if (terms->friction) T = kmadd(T, parameter(x->damping), settled(rate));
  return settled(T);
}

KERNEL_COLD void cord_poses(const limb_model* m, const link_const* k, const limb_ws* ws)
{
  const link_arrays out = {.X = cord_work_of(m, ws).X};
  link_motion((context){m, k, ws}, NULL, NULL, &out);
}

// To joint forces in compiled order. Needs the coordinates loaded.
KERNEL_COLD void add_cords(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                           const limb_terms* terms, real* tau)
{
  const cord_work w = cord_work_of(m, ws);
  cord_poses(m, k, ws);
  for (int s = 0; s < m->ncoupling; s++) {
    if (m->coupling[s].npoint == 0) continue;
    const real T = cord_tension(m, k, ws, &m->coupling[s], v, terms);
    for (int c = 0; c < m->ncdof; c++) tau[c] = madd(tau[c], w.J[c], T);
  }
}

// ---- slopes ------------------------------------------------------------------------------------------------

// A velocity of a link on the way to the end of a line.
typedef struct cord_axis {
  int link;
  motion P; // w, and the velocity of the point
} cord_axis;

// dJ_r/dq_c of a line, for r on the way to its end e, and c on the way to its end f.
KERNEL_COLD real cord_slope(const cord_line* l, const cord_end* e, const cord_end* f, const cord_axis* r,
                            const cord_axis* c)
{
  const real across = msub(dot3(r->P.v, c->P.v), dot3(l->u, r->P.v), dot3(l->u, c->P.v));
  real x = scale(constant(e->sign * f->sign), over(across, l->length));
  if (e == f) {
    const vec3 turned = r->link >= c->link ? cross3(c->P.w, r->P.v) : cross3(r->P.w, c->P.v);
    x = kmadd(x, constant(e->sign), dot3(l->u, turned));
  }
  return scale(parameter(l->share), x);
}

// T dJ/dq of a line, to the user's matrix, and v' dJ/dq.
KERNEL void add_cord_row(context ctx, const cord_line* l, const cord_end* e, int r, const cord_axis* row, real T,
                         real v, real* dq)
{
  const limb_model* m = ctx.m;
  const cord_work w = cord_work_of(m, ctx.ws);
  const limb_dof* to = &m->dof[r];
  for (int f = 0; f < 2; f++) {
    const cord_end* other = &l->end[1 - f];
    for (int j = cord_way(m, l->end[f].link, other); j >= 0; j = cord_way(m, m->link[j].parent, other)) {
      for (int c = 0; c < m->link[j].ndof; c++) {
        const limb_dof* by = &m->dof[m->link[j].dof + c];
        const cord_axis column = {j, cord_motion(m, ctx.k, w.X, j, c, &l->end[f].p)};
        const real x = cord_slope(l, e, &l->end[f], row, &column);
        real *sum = &w.dJv[m->link[j].dof + c], *entry = &dq[(size_t)to->v * (size_t)m->nv + (size_t)by->v];
        *sum = madd(*sum, v, x);
        *entry = madd(*entry, scale(parameter(to->mult * by->mult), T), x);
      }
    }
  }
}

KERNEL void add_line_slopes(context ctx, const cord_line* l, real T, const real* v, real* dq)
{
  const limb_model* m = ctx.m;
  const cord_work w = cord_work_of(m, ctx.ws);
  for (int e = 0; e < 2; e++) {
    const cord_end* other = &l->end[1 - e];
    for (int i = cord_way(m, l->end[e].link, other); i >= 0; i = cord_way(m, m->link[i].parent, other)) {
      for (int r = 0; r < m->link[i].ndof; r++) {
        const int row = m->link[i].dof + r;
        const cord_axis axis = {i, cord_motion(m, ctx.k, w.X, i, r, &l->end[e].p)};
        add_cord_row(ctx, l, &l->end[e], row, &axis, T, v[row], dq);
      }
    }
  }
}

// What changes with the tension, J' dT/dq and J' dT/dv.
KERNEL void add_tension_slopes(context ctx, const limb_coupling* x, const limb_terms* terms, real* dq, real* dv)
{
  const limb_model* m = ctx.m;
  const cord_work w = cord_work_of(m, ctx.ws);
  const par K = parameter(terms->springs ? x->stiffness : 0), D = parameter(terms->friction ? x->damping : 0);
  for (int r = 0; r < m->ncdof; r++) {
    for (int c = 0; c < m->ncdof; c++) {
      const limb_dof *row = &m->dof[r], *column = &m->dof[c];
      const size_t at = (size_t)row->v * (size_t)m->nv + (size_t)column->v;
      const real J = scale(parameter(row->mult * column->mult), w.J[r]);
      if (dq) dq[at] = madd(dq[at], J, kdot2(K, w.J[c], D, w.dJv[c]));
      if (dv) dv[at] = madd(dv[at], J, scale(D, w.J[c]));
    }
  }
}

// To d tau / d q and d tau / d v in the user's order, those that are there. Needs the coordinates loaded.
KERNEL_COLD void add_cord_slopes(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                                 const limb_terms* terms, real* dq, real* dv)
{
  const context ctx = {m, k, ws};
  const cord_work w = cord_work_of(m, ws);
  cord_poses(m, k, ws);
  for (int s = 0; s < m->ncoupling; s++) {
    const limb_coupling* x = &m->coupling[s];
    if (x->npoint == 0) continue;
    const real T = cord_tension(m, k, ws, x, v, terms);
    for (int c = 0; c < m->ncdof; c++) w.dJv[c] = zero();
    for (int n = 1; n < x->npoint && dq; n++) {
      if (x->point[n].share == 0) continue;
      const cord_line l = cord_line_to(w.X, &x->point[n]);
      add_line_slopes(ctx, &l, T, v, dq);
    }
    add_tension_slopes(ctx, x, terms, dq, dv);
  }
}

// ---- springs of ball joints --------------------------------------------------------------------------------
//
// Reference: F. Bullo, R. Murray, Proportional derivative (PD) control on the Euclidean group, 1995, section 2.
//
//   tau += K phi                    phi: rotation vector of the joint, of length theta <= pi
//   phi = 2 g u,                    (u, c): its unit quaternion with c >= 0;   g(c) = acos(c) / sqrt(1 - c^2)
//   dphi/dq = 1 + [phi] / 2 + beta [phi]^2,     beta = (1 - (theta / 2) cot(theta / 2)) / theta^2 = -g'(c) / (4 g^2)
//
// g is analytic for c > -1: a polynomial in 1 - c has all its digits without a branch, at rest too. Turned by pi, the
// torque changes sign.

typedef struct ball_turn {
  vec3 phi;
  real beta;
} ball_turn;

// From a quaternion of any norm. The polynomial is g in 1 - c on [0, 1], by Chebyshev's nodes: within 3e-19.
KERNEL_COLD ball_turn ball_turn_of(const real* u)
{
  enum { COUNT = 24 };
  static const double series[COUNT] = {
    3.659122389158953e-05, -0.00036477640279838913, 0.0017291072948732483, -0.005142525502431651,
    0.010725062370190754,  -0.016619375390181164,   0.019812667901296665,  -0.018555018218110963,
    0.013853605165441644,  -0.008278968205055692,   0.004029832910424122,  -0.0014936300890953343,
    0.0006107247864522731, 0.00014358403701863258,  0.0005778044178899122, 0.0011664917099132952,
    0.0024868159073461495, 0.005327970080234008,    0.011544013675423239,  0.025396825310535744,
    0.05714285714499993,   0.13333333333330513,     0.3333333333333335,    1.0};
  const real inverse = recip(root(add(dot2(u[0], u[0], u[1], u[1]), dot2(u[2], u[2], u[3], u[3]))));
  const real near = mul(inverse, sign_of(plus(constant(1e-30), u[3]), 0)); // of u and -u, which are the same turn
  const real x = sub(one(), mul(near, u[3]));
  real g = number(constant(series[0])), slope = zero();
  for (int k = 1; k < COUNT; k++) {
    slope = settled(madd(g, x, slope));
    g = settled(plus(constant(series[k]), mul(x, g)));
  }
  const vec3 phi = scale3(scale(constant(2), mul(g, near)), v3(u[0], u[1], u[2]));
  return (ball_turn){phi, over(slope, scale(constant(4), mul(g, g)))};
}

// The quaternions of the joints, four numbers for each ball or free one.
KERNEL const real* ball_quaternion(const limb_ws* ws, const limb_link* link)
{
  return (const real*)ws->quaternions + 4 * (ptrdiff_t)link->aux;
}

// To joint forces in compiled order. Needs the coordinates loaded.
KERNEL_COLD void add_ball_springs(const limb_model* m, const limb_ws* ws, real* tau)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->joint_class != CLASS_BALL) continue;
    const par K = parameter(m->actuator[link->dof].stiffness);
    const vec3 phi = ball_turn_of(ball_quaternion(ws, link)).phi;
    real* to = tau + link->dof;
    to[0] = kmadd(to[0], K, phi.x), to[1] = kmadd(to[1], K, phi.y), to[2] = kmadd(to[2], K, phi.z);
  }
}

// To d tau / d q in the user's order, but for K 1, which is there as of any spring. Needs the coordinates loaded.
KERNEL_COLD void add_ball_spring_slopes(const limb_model* m, const limb_ws* ws, real* dq)
{
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (link->joint_class != CLASS_BALL) continue;
    const par K = parameter(m->actuator[link->dof].stiffness);
    const ball_turn t = ball_turn_of(ball_quaternion(ws, link));
    for (int c = 0; c < 3; c++) { // column c of [phi] / 2 + beta [phi]^2
      const vec3 e = v3(number(constant(c == 0)), number(constant(c == 1)), number(constant(c == 2)));
      const vec3 once = cross3(t.phi, e), twice = cross3(t.phi, once);
      const vec3 x = add3(kscale3(constant(0.5), once), scale3(t.beta, twice));
      const real column[3] = {x.x, x.y, x.z};
      for (int r = 0; r < 3; r++) {
        const size_t row = (size_t)m->dof[link->dof + r].v;
        real* to = &dq[row * (size_t)m->nv + (size_t)m->dof[link->dof + c].v];
        *to = kmadd(*to, K, column[r]);
      }
    }
  }
}

#endif
