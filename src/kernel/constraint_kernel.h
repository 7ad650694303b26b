// The equations of closures: residuals, Jacobians, biases, forces.
//
// Reference: Khalil 2010, section 2.2, (3) and (4); Ghosal 2010, (12)-(20); Featherstone 2008, chapter 8.
//            Cost O(joints between the two frames) per row.
//
// Everything in world axes. Seen from frame a, b turns by w and its origin moves by u:
//
//   d            origin of b less that of a
//   e_k, r_k     axes of a, axes of b
//   (w; u)       V_b - V_a at the origin of b
//   (w'; u')     its derivative, components taken in the axes of a:  A_b - A_a - V_a x V_rel, and u' += w x u
//
// A row is a velocity  cw . w + cp . u, the derivative of its phi where there is one. With the rates of cw
// and cp, which like all that is fixed in b turn with w, its own derivative is
//
//   cw . w' + cp . u' + cw' . w + cp' . u
//
//   row                phi                   cw             cp      cw'                cp'
//   along e_k          e_k . d               0              e_k     0                  0
//   e_i against r_j    e_i . r_j             r_j x e_i      0       (w x r_j) x e_i    0
//   distance L         (d . d - L^2) / 2 L   0              d / L   0                  u / L
//   prescribed angle   atan2(S, C)           below: S and C are sums of e_i . r_j
//   prescribed length  |d| - L               0              e       0                  (u - (e . u) e) / |d|
//                      e = d / |d|
//   knife edge         -                     0              r_y     0                  w x r_y
//   wheel: axis n = r_z, up z = e_z, x = n x z, s = |x|, track t = x / s, across l = z x t, lowest point
//   at -r t x n
//   its track          -                     -r n           t       -r n'              t'
//   across             -                     -r (t x n) x l l       ...'               l'
//   height             z . d - r s           r (n . z) t    z       r ((n . z) t)'     0
//
// A translation unit defines before: the scalar vocabulary, with root(), the square root; LINK_CONST; and
// LOOP_KERNEL_SET, the name of LIMB_LOOP_KERNEL_TYPES (kernel/tables.h). Without them the scalar is double.
#ifndef LIMB_KERNEL_CONSTRAINT_KERNEL_H
#define LIMB_KERNEL_CONSTRAINT_KERNEL_H

#include "kernel/kinematics_kernel.h"
#include "kernel/tables.h"

#ifndef LOOP_KERNEL_SET
#define LOOP_KERNEL_SET limb_loop_kernels
#endif

typedef LIMB_JOIN(LOOP_KERNEL_SET, _in) loop_in;
typedef LIMB_JOIN(LOOP_KERNEL_SET, _out) loop_out;

typedef struct loop_row {
  real phi;
  vec3 cw, cp, cw_rate, cp_rate;
} loop_row;

typedef struct relative { // frame b seen from frame a
  mat3 a, b;              // axes, as columns
  vec3 at;                // origin of b
  vec3 d;
  vec3 w, u, w_rate, u_rate;
} relative;

// ---- motion of b against a ------------------------------------------------------------------------------

KERNEL pose cut_frame(const pose* X, int link, const sp_pose* in)
{
  return link < 0 ? given_pose(in) : compose(X[link], given_pose(in));
}

KERNEL vec3 cut_origin(const pose* X, int link, const sp_pose* in)
{
  const vec3 p = given3(in->p.x, in->p.y, in->p.z);
  return link < 0 ? p : add3(X[link].p, mulv(X[link].R, p));
}

// A motion of a link, in world axes at a point; zero for the world.
KERNEL motion at_point(const pose* X, const motion* of_link, int link, vec3 at)
{
  if (link < 0) return (motion){zero3(), zero3()};
  const vec3 w = mulv(X[link].R, of_link[link].w), v = mulv(X[link].R, of_link[link].v);
  return (motion){w, add_cross3(v, sub3(X[link].p, at), w)};
}

KERNEL motion subm(motion a, motion b) { return (motion){sub3(a.w, b.w), sub3(a.v, b.v)}; }

// How b moves against a; nothing for v NULL: at rest.
KERNEL void move_relative(const limb_loop* loop, const pose* X, const motion* v, const motion* acc, relative* r)
{
  if (!v) return;
  const motion V_a = at_point(X, v, loop->link_a, r->at);
  const motion V = subm(at_point(X, v, loop->link_b, r->at), V_a);
  const motion A = subm(at_point(X, acc, loop->link_b, r->at), at_point(X, acc, loop->link_a, r->at));
  const motion D = subm(A, crossm(V_a, V));
  r->w = V.w, r->u = V.v;
  r->w_rate = D.w, r->u_rate = add3(D.v, cross3(V.w, V.v));
}

KERNEL relative relative_motion(const limb_loop* loop, const pose* X, const motion* v, const motion* acc)
{
  const pose a = cut_frame(X, loop->link_a, &loop->in_a);
  const pose b = cut_frame(X, loop->link_b, &loop->in_b);
  relative r = {a.R, b.R, b.p, sub3(b.p, a.p), zero3(), zero3(), zero3(), zero3()};
  move_relative(loop, X, v, acc, &r);
  return r;
}

// ---- rows -----------------------------------------------------------------------------------------------

KERNEL loop_row along_row(const relative* r, int k)
{
  const vec3 e = column_of(r->a, k);
  return (loop_row){dot3(e, r->d), zero3(), e, zero3(), zero3()};
}

KERNEL loop_row against_row(const relative* r, int i, int j)
{
  const vec3 e = column_of(r->a, i), f = column_of(r->b, j);
  return (loop_row){dot3(e, f), cross3(f, e), zero3(), cross3(cross3(r->w, f), e), zero3()};
}

KERNEL loop_row times_row(par k, loop_row x)
{
  return (loop_row){scale(k, x.phi), kscale3(k, x.cw), kscale3(k, x.cp), kscale3(k, x.cw_rate), kscale3(k, x.cp_rate)};
}

KERNEL loop_row add_row(loop_row x, loop_row y)
{
  return (loop_row){add(x.phi, y.phi), add3(x.cw, y.cw), add3(x.cp, y.cp), add3(x.cw_rate, y.cw_rate),
                    add3(x.cp_rate, y.cp_rate)};
}

// The sine of the turn about axis c, with a, b, c in cyclic order (limb/builder.h). turns: those that are locked, one
// bit each.
KERNEL loop_row sine_row(const relative* r, unsigned turns, int c)
{
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  if (turns == 7)
    return times_row(constant(0.5), add_row(against_row(r, b, a), times_row(constant(-1), against_row(r, a, b))));
  if (turns == 1U << c) return times_row(constant(-1), against_row(r, a, b));
  if (turns >> b & 1U) return against_row(r, b, a);     // a is free: e_b . r_a
  return times_row(constant(-1), against_row(r, a, b)); // b is free: -e_a . r_b
}

// The angle whose sine and cosine are s and c, up to a common factor: (c s' - s c') / (s^2 + c^2) is its rate. phi is
// left to the caller.
KERNEL loop_row angle_row(const relative* r, loop_row s, loop_row c)
{
  const real inverse = recip(madd(mul(s.phi, s.phi), c.phi, c.phi));
  const real x = mul(inverse, c.phi), y = mul(inverse, s.phi);
  const real c1 = dot3(c.cw, r->w), s1 = dot3(s.cw, r->w);
  const real loss = scale(constant(2), madd(mul(x, c1), y, s1)); // of 1 / (s^2 + c^2)
  const real x1 = sub(mul(inverse, c1), mul(loss, x)), y1 = sub(mul(inverse, s1), mul(loss, y));
  loop_row row = {zero(), sub3(scale3(x, s.cw), scale3(y, c.cw)), zero3(), zero3(), zero3()};
  row.cw_rate = add3(sub3(scale3(x1, s.cw), scale3(y1, c.cw)), sub3(scale3(x, s.cw_rate), scale3(y, c.cw_rate)));
  return row;
}

// The turn about axis c. One that is prescribed is an angle; the others that are locked then hold that axis only.
KERNEL loop_row turn_row(const limb_loop* loop, const relative* r, int c)
{
  const unsigned turns = loop->locked & 7U;
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  if (loop->angle < 0) return sine_row(r, turns, c);
  if (loop->angle != c) return sine_row(r, turns == 7 ? turns & ~(1U << loop->angle) : turns, c);
  const loop_row first = against_row(r, a, a), second = against_row(r, b, b);
  if (turns == 7) return angle_row(r, sine_row(r, turns, c), times_row(constant(0.5), add_row(first, second)));
  return angle_row(r, sine_row(r, turns, c), turns >> b & 1U ? first : second);
}

KERNEL loop_row distance_row(const relative* r, double length)
{
  const par inverse = parameter(1 / length);
  const real phi = scale(parameter(0.5 / length), plus(parameter(-length * length), dot3(r->d, r->d)));
  return (loop_row){phi, zero3(), kscale3(inverse, r->d), zero3(), kscale3(inverse, r->u)};
}

#define NO_LENGTH 1e-300 // beside the square of a length: keeps its inverse finite

KERNEL loop_row length_row(const relative* r, double length)
{
  const real size = root(plus(parameter(NO_LENGTH), dot3(r->d, r->d))), inverse = recip(size);
  const vec3 e = scale3(inverse, r->d);
  const vec3 rate = scale3(inverse, sub3(r->u, scale3(dot3(e, r->u), e)));
  return (loop_row){plus(parameter(-length), size), zero3(), e, zero3(), rate};
}

KERNEL loop_row knife_row(const relative* r)
{
  const vec3 y = column_y(r->b);
  return (loop_row){zero(), zero3(), y, zero3(), cross3(r->w, y)};
}

typedef struct wheel {
  vec3 n, z, t, l, n_rate, t_rate, l_rate;
  real s, n_z;
} wheel;

KERNEL wheel wheel_of(const relative* r)
{
  wheel x;
  x.n = column_z(r->b), x.z = column_z(r->a);
  const vec3 cross = cross3(x.n, x.z);
  x.s = root(dot3(cross, cross));
  x.n_z = dot3(x.n, x.z);
  const real inverse = recip(x.s);
  x.t = scale3(inverse, cross);
  x.l = cross3(x.z, x.t);
  x.n_rate = cross3(r->w, x.n);
  const vec3 rate = cross3(x.n_rate, x.z);
  x.t_rate = scale3(inverse, sub3(rate, scale3(dot3(x.t, rate), x.t)));
  x.l_rate = cross3(x.z, x.t_rate);
  return x;
}

KERNEL loop_row height_row(const relative* r, const wheel* x, par radius)
{
  const vec3 rate = add3(scale3(dot3(x->n_rate, x->z), x->t), scale3(x->n_z, x->t_rate));
  return (loop_row){sub(dot3(x->z, r->d), scale(radius, x->s)), kscale3(radius, scale3(x->n_z, x->t)), x->z,
                    kscale3(radius, rate), zero3()};
}

KERNEL loop_row track_row(const wheel* x, par radius)
{
  const vec3 no = zero3();
  return (loop_row){zero(), sub3(no, kscale3(radius, x->n)), x->t, sub3(no, kscale3(radius, x->n_rate)), x->t_rate};
}

KERNEL loop_row across_row(const wheel* x, par radius)
{
  const vec3 up = cross3(x->t, x->n);
  const vec3 up_rate = add3(cross3(x->t_rate, x->n), cross3(x->t, x->n_rate));
  const vec3 rate = add3(cross3(up_rate, x->l), cross3(up, x->l_rate));
  const vec3 no = zero3();
  return (loop_row){zero(), sub3(no, kscale3(radius, cross3(up, x->l))), x->l, sub3(no, kscale3(radius, rate)),
                    x->l_rate};
}

// The rows of a geometric closure; of those with locked directions, the ones that `wanted` marks by bits.
KERNEL void rows_of(const limb_loop* loop, const relative* r, unsigned wanted, loop_row* row)
{
  int n = 0;
  const par radius = parameter(loop->def.radius);
  switch (loop->def.kind) {
  case LIMB_LOOP_DISTANCE:
    row[n++] = loop->prescribed ? length_row(r, loop->def.length) : distance_row(r, loop->def.length);
    break;
  case LIMB_LOOP_KNIFE_EDGE: row[n++] = knife_row(r); break;
  case LIMB_LOOP_ROLLING_DISC:
  case LIMB_LOOP_WHEEL: {
    const wheel x = wheel_of(r);
    if (loop->def.kind == LIMB_LOOP_ROLLING_DISC) row[n++] = height_row(r, &x, radius);
    row[n++] = track_row(&x, radius);
    row[n++] = across_row(&x, radius);
    break;
  }
  default:
    for (int k = 0; k < 6; k++) {
      if (!(loop->locked >> k & 1U)) continue;
      if (wanted >> n & 1U) row[n] = k < 3 ? turn_row(loop, r, k) : along_row(r, k - 3);
      n++;
    }
  }
}

KERNEL real constraint_bias(const relative* r, const loop_row* x)
{
  return add(add(dot3(x->cw, r->w_rate), dot3(x->cp, r->u_rate)), add(dot3(x->cw_rate, r->w), dot3(x->cp_rate, r->u)));
}

// ---- their Jacobian -------------------------------------------------------------------------------------

// Adds to the block of the cluster, n columns wide, from the first row of the loop on.
KERNEL void loop_block(const limb_model* m, const link_const* k, const limb_loop* loop, const pose* X, vec3 at,
                       unsigned wanted, const loop_row* row, int n, real* block)
{
  for (int x = 0; x < loop->naxis; x++) {
    const limb_loop_axis* axis = &loop->axis[x];
    const motion S = loop_column(m, k, X, axis, at);
    const par mult = parameter(axis->mult);
    for (int r = 0; r < loop->nrow; r++) {
      if (!(wanted >> r & 1U)) continue;
      real* entry = &block[(ptrdiff_t)r * n + axis->column];
      *entry = add(*entry, scale(mult, add(dot3(row[r].cw, S.w), dot3(row[r].cp, S.v))));
    }
  }
}

// ---- gears and polynomials --------------------------------------------------------------------------------

typedef struct joint_row { // q_0 - p(q_1)
  real phi;
  real slope[2]; // by the user's velocities
  real bias;
} joint_row;

KERNEL joint_row joint_row_of(const limb_loop* loop, const real* q, const real* v, const real* a)
{
  real x[2];
  for (int e = 0; e < 2; e++) x[e] = plus(parameter(loop->off[e]), scale(parameter(loop->mult[e]), q[loop->q[e]]));
  real p = zero(), p1 = zero(), p2 = zero(); // p, p' and p'' / 2 after Horner
  for (int k = LIMB_LOOP_COEFFICIENTS - 1; k >= 0; k--) {
    p2 = madd(p1, p2, x[1]);
    p1 = madd(p, p1, x[1]);
    p = plus(parameter(loop->def.coefficient[k]), mul(p, x[1]));
  }
  const par m0 = parameter(loop->mult[0]), m1 = parameter(loop->mult[1]);
  joint_row r = {sub(x[0], p), {number(m0), neg(scale(m1, p1))}, zero()};
  if (!v) return r;
  const real v1 = scale(m1, v[loop->v[1]]);
  r.bias = neg(mul(add(p2, p2), mul(v1, v1)));
  if (a) r.bias = madd(madd(r.bias, r.slope[0], a[loop->v[0]]), r.slope[1], a[loop->v[1]]);
  return r;
}

// ---- all loops --------------------------------------------------------------------------------------------

KERNEL void geometric_loop(const limb_model* m, const link_const* k, const limb_loop* loop, const loop_in* in,
                           const loop_out* out)
{
  const limb_cluster* c = &m->clusters.cluster[loop->cluster];
  const pose* X = (const pose*)in->X;
  const unsigned wanted = in->wanted ? in->wanted[loop - m->loop] : 63U;
  const relative r = relative_motion(loop, X, (const motion*)in->vel, (const motion*)in->acc);
  loop_row row[6];
  const int first = c->row + loop->local;
  rows_of(loop, &r, wanted, row);
  for (int i = 0; i < loop->nrow; i++) {
    if (!(wanted >> i & 1U)) continue;
    if (out->phi) out->phi[first + i] = row[i].phi;
    if (out->bias) out->bias[first + i] = constraint_bias(&r, &row[i]);
    if (out->reach) ((force*)out->reach)[first + i] = (force){row[i].cw, row[i].cp};
  }
  if (out->Psi)
    loop_block(m, k, loop, X, r.at, wanted, row, c->nv, out->Psi + c->block + (ptrdiff_t)loop->local * c->nv);
}

// Rows of turns, which come first.
KERNEL int turn_rows(const limb_loop* loop)
{
  const unsigned turns = loop->locked & 7U;
  return (int)((turns & 1U) + (turns >> 1 & 1U) + (turns >> 2 & 1U));
}

// Whether all rows that are wanted are along axes: dense only.
KERNEL bool is_translational(const limb_loop* loop, unsigned wanted)
{
  return loop->locked != 0 && (wanted & ((1U << turn_rows(loop)) - 1U)) == 0;
}

// geometric_loop for rows along axes, without phi and reach: the axes of b do not matter, nor do those of
// a that are free.
KERNEL void places_loop(const limb_model* m, const link_const* k, const limb_loop* loop, unsigned wanted,
                        const loop_in* in, const loop_out* out)
{
  const limb_cluster* c = &m->clusters.cluster[loop->cluster];
  const pose* X = (const pose*)in->X;
  relative r;
  r.at = cut_origin(X, loop->link_b, &loop->in_b);
  r.u_rate = zero3();
  move_relative(loop, X, (const motion*)in->vel, (const motion*)in->acc, &r);
  vec3 e[3];
  int row[3], count = 0, at = turn_rows(loop);
  for (int x = 0; x < 3; x++) {
    if (!(loop->locked >> (3 + x) & 1U)) continue;
    if (wanted >> at & 1U) {
      const double* R = loop->in_a.R.m;
      const vec3 own = given3(R[x], R[3 + x], R[6 + x]);
      e[count] = loop->link_a < 0 ? own : mulv(X[loop->link_a].R, own);
      row[count++] = at;
    }
    at++;
  }
  for (int i = 0; i < count; i++) out->bias[c->row + loop->local + row[i]] = dot3(e[i], r.u_rate);
  real* block = out->Psi + c->block + (ptrdiff_t)loop->local * c->nv;
  for (int x = 0; x < loop->naxis; x++) {
    const limb_loop_axis* axis = &loop->axis[x];
    const vec3 v = kscale3(parameter(axis->mult), loop_column(m, k, X, axis, r.at).v);
    for (int i = 0; i < count; i++) {
      real* entry = &block[(ptrdiff_t)row[i] * c->nv + axis->column];
      *entry = add(*entry, dot3(e[i], v));
    }
  }
}

KERNEL void joint_loop(const limb_model* m, const limb_loop* loop, const loop_in* in, const loop_out* out)
{
  const limb_cluster* c = &m->clusters.cluster[loop->cluster];
  const joint_row r = joint_row_of(loop, in->q, in->v, in->a);
  const int first = c->row + loop->local;
  if (out->phi) out->phi[first] = r.phi;
  if (out->bias) out->bias[first] = r.bias;
  if (out->reach) ((force*)out->reach)[first] = (force){v3(r.slope[0], r.slope[1], zero()), zero3()};
  if (!out->Psi) return;
  real* block = out->Psi + c->block + (ptrdiff_t)loop->local * c->nv;
  for (int e = 0; e < 2; e++) block[loop->column[e]] = r.slope[e];
}

KERNEL_ENTRY void set_rows(const limb_model* m, const link_const* k, const loop_in* in, const loop_out* out)
{
  const bool lean = in->wanted && out->Psi && out->bias && !out->phi && !out->reach;
  for (ptrdiff_t i = 0; out->Psi && i < m->clusters.entries; i++) out->Psi[i] = zero();
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    if (loop->q[0] >= 0)
      joint_loop(m, loop, in, out);
    else if (lean && is_translational(loop, in->wanted[l]))
      places_loop(m, k, loop, in->wanted[l], in, out);
    else
      geometric_loop(m, k, loop, in, out);
  }
}

// ---- forces -----------------------------------------------------------------------------------------------

// Adds a force at a point, world axes, to that of a link in its own axes.
KERNEL void push_link(const pose* X, int link, vec3 at, force F, force* wrench)
{
  if (link < 0) return;
  const vec3 n = add_cross3(F.n, sub3(at, X[link].p), F.f);
  wrench[link] = addf(wrench[link], (force){tmulv(X[link].R, n), tmulv(X[link].R, F.f)});
}

// Adds what the closures do: wrenches on the links, forces on the user's velocities (gears). reach as rows
// left it.
KERNEL_ENTRY void set_forces(const limb_model* m, const real* poses, const real* reach, const real* lambda,
                             real* wrench, real* tau)
{
  const pose* X = (const pose*)poses;
  for (int l = 0; l < m->nloop; l++) {
    const limb_loop* loop = &m->loop[l];
    const int first = m->clusters.cluster[loop->cluster].row + loop->local;
    const force* row = (const force*)reach + first;
    if (loop->q[0] >= 0) {
      tau[loop->v[0]] = madd(tau[loop->v[0]], lambda[first], row->n.x);
      tau[loop->v[1]] = madd(tau[loop->v[1]], lambda[first], row->n.y);
      continue;
    }
    force F = zerof();
    for (int r = 0; r < loop->nrow; r++)
      F = addf(F, (force){scale3(lambda[first + r], row[r].n), scale3(lambda[first + r], row[r].f)});
    const vec3 at = cut_origin(X, loop->link_b, &loop->in_b);
    push_link(X, loop->link_b, at, F, (force*)wrench);
    push_link(X, loop->link_a, at, subf(zerof(), F), (force*)wrench);
  }
}

// A member of a table: SET(rows) is .rows = set_rows.
#ifndef SET
#define SET(x) .x = set_##x
#endif

#endif
