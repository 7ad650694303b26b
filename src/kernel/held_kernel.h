// Forward dynamics with loops that hold the ends of chains: articulated bodies, multipliers eliminated on the way.
//
// Reference: A. Sathya, J. Carpentier, Constrained articulated body dynamics algorithms, IEEE Transactions on Robotics
//            41, 2025; E. Popov, A. Vereshchagin, S. Zenkevich, Manipulation robots, 1978; Featherstone 1999.
// Cost:      O(nlink), and r^3 for a closure of r constraints.
//
// A chain belongs to one closure: no other loop moves its joints. It begins at the link that the closure holds and ends
// at its anchor, the first link that is not of the chain, or the world. Seen from the anchor the chain is the tip of
// kernel/aba_kernel.h: with the constraints' unit forces for columns of Phi, and h what they push with,
//
//   y = Phi' a + beta - Lambda h        what the constraints see of the accelerations of the chain's end
//
// a being that of the anchor. The other side of the closure is the world, a second chain with the same anchor or on the
// world, or the anchor itself; all sides add. The joints of the chains alone can move y as they like: Lambda is
// regular, and from y = t
//
//   h = Lambda^-1 (Phi' a + beta - t)
//   left for the anchor:  I + Phi Lambda^-1 Phi'   and   p + Phi Lambda^-1 (beta - t)
//
// as if a body were attached there. Whether the joints can is judged by their columns J of the constraint Jacobian:
// J J' must have pivots that are no less than LIMB_HELD_SPAN of its largest entry. Accelerations contain that of the
// base, gravity, which does not turn here.
#ifndef LIMB_KERNEL_HELD_KERNEL_H
#define LIMB_KERNEL_HELD_KERNEL_H

#include "kernel/cluster_kernel.h"
#include "kernel/held.h"
#include "kernel/lanes_one.h"

// Lanes are constraints. Phi is in world axes, at the origin of the link that it has arrived at.
enum { HELD = LIMB_HELD_ROWS, WIDTH = LIMB_HELD_COLUMNS, RIGHT = 7 };

typedef struct closure {
  cell Phi[2][6][WIDTH]; // of sides b and a: n, f
  cell beta[WIDTH];      // less t
  cell Lambda[HELD][WIDTH];
  cell unit[6][WIDTH];    // n, f: unit forces at the origin of b
  cell span[HELD][WIDTH]; // J J'
  cell Z[HELD][WIDTH];    // Lambda^-1 [Phi', beta - t]
  cell h[WIDTH];
} closure;

_Static_assert(sizeof(closure) <= LIMB_HELD_CLOSURE * sizeof(real), "workspace layout");

// s / D, nlink
typedef cell held_share[WIDTH];

// A joint of a chain, in world axes.
typedef struct chain_joint {
  motion S, c; // axis, velocity-product acceleration
  force G;
  real inverse, u; // 1 / D, u / D
  vec3 out, wp;    // origin of the link less that of the parent; bias of that offset
} chain_joint;

// ---- small matrices -----------------------------------------------------------------------------------

KERNEL lane_vec dotw(vec3 a, const lane_vec x[3])
{
  return addw(addw(mulw(a.x, x[0]), mulw(a.y, x[1])), mulw(a.z, x[2]));
}

// x + a x f
KERNEL void add_crossw(lane_vec x[3], vec3 a, const lane_vec f[3])
{
  x[0] = subw(addw(x[0], mulw(a.y, f[2])), mulw(a.z, f[1]));
  x[1] = subw(addw(x[1], mulw(a.z, f[0])), mulw(a.x, f[2]));
  x[2] = subw(addw(x[2], mulw(a.x, f[1])), mulw(a.y, f[0]));
}

// sum += x' y, of n rows
KERNEL void add_outer_rows(int n, const cell* x, const cell* y, cell (*sum)[WIDTH])
{
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c += LANES) put_lanes(sum[r] + c, addw(lanes_at(sum[r] + c), mulw(x[r], lanes_at(y + c))));
}

// L D L' = A of n rows in place, D^-1 on the diagonal; the smallest of pivot - enough, enough being a share of the
// diagonal or of the largest one.
KERNEL real factor_rows(int n, cell (*A)[WIDTH], double share, bool of_largest)
{
  real margin = one(), largest = zero();
  for (int i = 0; i < n; i++) largest = neg(lesser(neg(largest), neg(A[i][i])));
  for (int j = 0; j < n; j++) {
    real d = A[j][j];
    const real enough = scale(constant(share), of_largest ? largest : d);
    for (int k = 0; k < j; k++) d = msub(d, A[j][k], A[k][j]);
    margin = lesser(margin, sub(d, enough));
    const real inverse = recip(d);
    A[j][j] = inverse;
    for (int i = j + 1; i < n; i++) {
      real x = A[i][j];
      for (int k = 0; k < j; k++) x = msub(x, A[i][k], A[k][j]);
      A[j][i] = x; // D L'
      A[i][j] = mul(x, inverse);
    }
  }
  return margin;
}

// ---- before the passes --------------------------------------------------------------------------------

// Gravity and the like of a base at rest, in the world.
KERNEL vec3 base_acceleration(context ctx)
{
  return ctx.m->nlink == 0 ? zero3() : mulv(base_pose(ctx.m, 0).R, base_state(ctx, 0).a);
}

KERNEL void put_force(cell (*to)[WIDTH], int r, force F)
{
  to[0][r] = F.n.x, to[1][r] = F.n.y, to[2][r] = F.n.z;
  to[3][r] = F.f.x, to[4][r] = F.f.y, to[5][r] = F.f.z;
}

// The link that the closure holds on side e, pushed with the unit forces; what they see of its bias goes to -beta.
// g: of the base.
KERNEL void push_side(const limb_held_in* in, const limb_held* x, int e, vec3 at, vec3 g, closure* C)
{
  const int i = x->tip[e];
  const pose* X = (const pose*)in->X + i;
  const motion V = ((const motion*)in->vel)[i], A = ((const motion*)in->acc_v)[i];
  const motion bias = {mulv(X->R, A.w), add3(g, mulv(X->R, add_cross3(A.v, V.w, V.v)))};
  const vec3 arm = sub3(at, X->p);
  for (int r = 0; r < x->rows; r++) {
    force F = ((const force*)in->reach)[x->row[r]];
    if (e == 1) F = subf(zerof(), F); // the closure pushes a back
    F.n = add_cross3(F.n, arm, F.f);
    put_force(C->Phi[e], r, F);
    C->beta[r] = sub(C->beta[r], dot_motion(F, bias));
  }
}

// J J' of the chain of side e: its columns at the places of the unit forces.
KERNEL void add_columns(const limb_model* m, const link_const* k, const limb_held_in* in, const limb_held* x, int e,
                        vec3 at, closure* C)
{
  const pose* X = (const pose*)in->X;
  for (int i = x->tip[e]; i != x->end[e]; i = m->link[i].parent) {
    const motion S = link_axis(&m->link[i], &k[i], &X[i], 0, at);
    cell column[WIDTH];
    for (int c = 0; c < x->rows; c += LANES) {
      lane_vec F[6];
      for (int r = 0; r < 6; r++) F[r] = lanes_at(C->unit[r] + c);
      put_lanes(column + c, addw(dotw(S.w, F), dotw(S.v, F + 3)));
    }
    add_outer_rows(x->rows, column, column, C->span);
  }
}

// Returns the margin of J J'.
KERNEL_ONCE real begin_closures(const limb_model* m, const link_const* k, const limb_held_in* in, vec3 g, closure* C)
{
  real margin = one();
  for (int l = 0; l < in->plan->count; l++) {
    const limb_held* x = &in->plan->held[l];
    const limb_loop* loop = &m->loop[l];
    const vec3 at = frame_pose((const pose*)in->X, loop->link_b, &loop->in_b).p;
    for (ptrdiff_t c = 0; c < (ptrdiff_t)(sizeof C[l] / sizeof(cell)); c++) ((cell*)&C[l])[c] = zero();
    for (int r = 0; r < x->rows; r++) {
      const force F = ((const force*)in->reach)[x->row[r]];
      C[l].beta[r] = neg(in->gamma[x->row[r]]);
      put_force(C[l].unit, r, F);
    }
    for (int e = 0; e < 2; e++) {
      if (x->tip[e] >= 0) push_side(in, x, e, at, g, &C[l]);
      add_columns(m, k, in, x, e, at, &C[l]);
    }
    margin = lesser(margin, factor_rows(x->rows, C[l].span, LIMB_HELD_SPAN, true));
  }
  return margin;
}

// ---- along a chain -------------------------------------------------------------------------------------

// Phi and all else across a joint, and to the parent's origin.
KERNEL void pass_chain(const chain_joint* j, int n, int e, closure* C, cell* share)
{
  cell felt[WIDTH];
  for (int c = 0; c < n; c += LANES) {
    lane_vec F[6];
    for (int k = 0; k < 6; k++) F[k] = lanes_at(C->Phi[e][k] + c);
    const lane_vec s = addw(dotw(j->S.w, F), dotw(j->S.v, F + 3));
    put_lanes(felt + c, s);
    put_lanes(share + c, mulw(j->inverse, s));
    const real G[6] = {j->G.n.x, j->G.n.y, j->G.n.z, j->G.f.x, j->G.f.y, j->G.f.z};
    for (int k = 0; k < 6; k++) F[k] = subw(F[k], mulw(G[k], s));
    const lane_vec gained = addw(addw(mulw(j->u, s), dotw(j->c.w, F)), dotw(add3(j->c.v, j->wp), F + 3));
    put_lanes(C->beta + c, addw(lanes_at(C->beta + c), gained));
    add_crossw(F, j->out, F + 3);
    for (int k = 0; k < 6; k++) put_lanes(C->Phi[e][k] + c, F[k]);
  }
  add_outer_rows(n, share, felt, C->Lambda);
}

KERNEL motion motion_in_world(const pose* X, motion a) { return (motion){mulv(X->R, a.w), mulv(X->R, a.v)}; }

// Link i of a chain of side e, its joint eliminated with the pivot D. g: of the base.
KERNEL_ONCE void advance_chain(const limb_model* m, const link_const* k, const limb_held_in* in, const aba_link* x,
                               int i, real D, vec3 g, closure* C)
{
  const int joint_class = m->link[i].joint_class, p = m->link[i].parent, chain = in->plan->chain[i];
  const pose* X = (const pose*)in->X;
  const motion S = add_axis(joint_class, &k[i], (motion){zero3(), zero3()}, one());
  chain_joint j = {.S = motion_in_world(&X[i], S),
                   .c = motion_in_world(&X[i], axis_bias(joint_class, &k[i], x)),
                   .G = {mulv(X[i].R, x->G.n), mulv(X[i].R, x->G.f)},
                   .inverse = recip(D),
                   .u = x->u,
                   .out = zero3(),
                   .wp = g}; // a chain that ends on the world accelerates with it
  if (p >= 0) j.out = sub3(X[i].p, X[p].p), j.wp = mulv(X[p].R, x->wp);
  pass_chain(&j, in->plan->held[chain >> 1].rows, chain & 1, C, ((held_share*)in->share)[i]);
}

// ---- elimination of the multipliers ---------------------------------------------------------------------

// Rows of Phi', in the axes of the anchor, and beta.
KERNEL void load_rows(const limb_held* x, const pose* X, closure* C)
{
  const int anchor = x->anchor;
  for (int r = 0; r < x->rows; r++) {
    force F = zerof();
    for (int e = 0; e < 2; e++) {
      cell(*P)[WIDTH] = C->Phi[e];
      if (anchor < 0 || x->end[e] != anchor) continue;
      F = addf(F, (force){v3(P[0][r], P[1][r], P[2][r]), v3(P[3][r], P[4][r], P[5][r])});
    }
    if (anchor >= 0) F = (force){tmulv(X[anchor].R, F.n), tmulv(X[anchor].R, F.f)};
    cell* Z = C->Z[r];
    Z[0] = F.n.x, Z[1] = F.n.y, Z[2] = F.n.z, Z[3] = F.f.x, Z[4] = F.f.y, Z[5] = F.f.z;
    Z[6] = C->beta[r], Z[7] = zero();
  }
}

// Row z less x times row y; and scaled.
KERNEL void take_right(cell* z, real x, const cell* y)
{
  for (int c = 0; c < RIGHT; c += LANES) put_lanes(z + c, subw(lanes_at(z + c), mulw(x, lanes_at(y + c))));
}

KERNEL void scale_right(cell* z, real x)
{
  for (int c = 0; c < RIGHT; c += LANES) put_lanes(z + c, mulw(x, lanes_at(z + c)));
}

// W = L^-1 Z
KERNEL void solve_lower(int n, cell (*L)[WIDTH], cell (*Z)[WIDTH])
{
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++) take_right(Z[i], L[i][k], Z[k]);
}

// L'^-1 D^-1 W
KERNEL void solve_upper(int n, cell (*L)[WIDTH], cell (*Z)[WIDTH])
{
  for (int i = n - 1; i >= 0; i--) {
    scale_right(Z[i], L[i][i]);
    for (int k = i + 1; k < n; k++) take_right(Z[i], L[k][i], Z[k]);
  }
}

// I + W' D^-1 W, the last column of W being for the bias.
KERNEL artic add_held(int n, artic I, cell (*L)[WIDTH], cell (*W)[WIDTH])
{
  cell K[6][WIDTH];
  for (int i = 0; i < 6; i++)
    for (int c = 0; c < RIGHT; c += LANES) {
      lane_vec sum = mulw(mul(L[0][0], W[0][i]), lanes_at(W[0] + c));
      for (int r = 1; r < n; r++) sum = addw(sum, mulw(mul(L[r][r], W[r][i]), lanes_at(W[r] + c)));
      put_lanes(K[i] + c, sum);
    }
  I.A = adds(I.A, (sym3){K[0][0], K[0][1], K[0][2], K[1][1], K[1][2], K[2][2]});
  I.B = addM(I.B, (mat3){K[0][3], K[0][4], K[0][5], K[1][3], K[1][4], K[1][5], K[2][3], K[2][4], K[2][5]});
  I.M = adds(I.M, (sym3){K[3][3], K[3][4], K[3][5], K[4][4], K[4][5], K[5][5]});
  I.p = addf(I.p, (force){v3(K[0][6], K[1][6], K[2][6]), v3(K[3][6], K[4][6], K[5][6])});
  return I;
}

// All chains of a closure have arrived: Z, and what they are to the anchor, added to I. Returns the margin of pivots.
KERNEL_ONCE real close_chains(const limb_held* x, const real* poses, closure* C, artic* I)
{
  const int n = x->rows;
  const real margin = factor_rows(n, C->Lambda, LIMB_HELD_DIGITS, false);
  load_rows(x, (const pose*)poses, C);
  solve_lower(n, C->Lambda, C->Z);
  if (I && n > 0) *I = add_held(n, *I, C->Lambda, C->Z);
  solve_upper(n, C->Lambda, C->Z);
  return margin;
}

// h, the anchor accelerating with a.
KERNEL void find_push(int n, closure* C, motion a)
{
  for (int r = 0; r < n; r++) {
    const cell* Z = C->Z[r];
    const force F = {v3(Z[0], Z[1], Z[2]), v3(Z[3], Z[4], Z[5])};
    C->h[r] = add(Z[6], dot_motion(F, a));
  }
}

// ---- the passes -------------------------------------------------------------------------------------------

// aba_inward_step, and the pivot D of a joint with one degree of freedom.
KERNEL artic held_step(int joint_class, context ctx, int i, artic I, const given_inputs* s, real* D, real* min_pivot)
{
  I = add_rigid(I, moments_of(joint_class, &ctx.k[i]));
  if (!is_dense(joint_class)) {
    *D = project_axis(joint_class, &ctx.k[i], axis_column(joint_class, &ctx.k[i], &I));
    if (joint_class >= CLASS_ROT_ANY) *D = plus(parameter(ctx.m->actuator[link_of(ctx, i)->dof].rotor), *D);
  }
  I = pass_joint(joint_class, ctx, i, I, s, min_pivot);
  if (link_of(ctx, i)->parent < 0) return I;
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  return biased_artic_to_parent(&P, ctx, i, I);
}

KERNEL real held_inward(context ctx, const limb_held_in* in, const given_inputs* s, vec3 g, closure* C)
{
  const limb_model* m = ctx.m;
  const limb_held_plan* plan = in->plan;
  const aba_link* x = aba_links(ctx);
  artic* kept = kept_artics(ctx);
  artic I = no_artic();
  real min_pivot = one(), D = one();
  for (int i = m->nlink - 1; i >= 0; i--) {
    const limb_link* link = &m->link[i];
    const int p = link->parent, chain = plan->chain[i];
    if (link->keep) I = add_artic(I, kept[i]);
    I.p = addf(I.p, x[i].f0);
    if (plan->at[i] >= 0) {
      artic whole = I;
      for (int k = plan->at[i]; k >= 0; k = plan->held[k].next)
        min_pivot = lesser(min_pivot, close_chains(&plan->held[k], in->X, &C[k], &whole));
      I = whole;
    }
    FOR_JOINT_CLASS(link->aba_class, I = held_step(CLASS, ctx, i, I, s, &D, &min_pivot))
    if (chain >= 0) advance_chain(m, ctx.k, in, &x[i], i, D, g, &C[chain >> 1]);
    if (p != i - 1 || p < 0) {
      if (p >= 0) kept[p] = link->last ? I : add_artic(kept[p], I);
      I = no_artic();
    }
  }
  for (int k = 0; k < plan->count; k++)
    if (plan->held[k].anchor < 0) min_pivot = lesser(min_pivot, close_chains(&plan->held[k], in->X, &C[k], NULL));
  return min_pivot;
}

// What the end of the chain of link i takes from its u / D.
KERNEL real share_of(const limb_held_in* in, const closure* C, int i)
{
  const int l = in->plan->chain[i] >> 1;
  const cell* s = ((held_share*)in->share)[i];
  real sum = zero();
  for (int r = 0; r < in->plan->held[l].rows; r++) sum = madd(sum, s[r], C[l].h[r]);
  return sum;
}

KERNEL void held_accelerate(context ctx, const limb_held_in* in, const given_inputs* s, closure* C, real* qdd)
{
  const limb_model* m = ctx.m;
  const limb_held_plan* plan = in->plan;
  state* kept = kept_states(ctx);
  aba_link* x = aba_links(ctx);
  for (int k = 0; k < plan->count; k++)
    if (plan->held[k].anchor < 0) find_push(plan->held[k].rows, &C[k], (motion){zero3(), zero3()});
  for (int b = 0; b < m->nbranch; b++) {
    const limb_branch* branch = &m->branch[b];
    const state start = start_state(ctx, branch);
    motion a = {start.al, start.a};
    for (int i = branch->begin; i < branch->end; i++) {
      const limb_link* link = &m->link[i];
      if (plan->chain[i] >= 0) x[i].u = sub(x[i].u, share_of(in, C, i));
      FOR_JOINT_CLASS(link->aba_class, a = aba_accelerate_step(CLASS, ctx, i, a, s, qdd); qdd += dofs_of(CLASS))
      if (link->keep) kept[i].al = a.w, kept[i].a = a.v;
      for (int k = plan->at[i]; k >= 0; k = plan->held[k].next) find_push(plan->held[k].rows, &C[k], a);
    }
  }
}

// Accelerations in the user's order; the smallest margin of a pivot: not positive where chains cannot do what their
// closures ask, or the mass matrix may be singular. Needs the coordinates loaded.
KERNEL_ENTRY real set_held_forward(const limb_model* m, const link_const* k, const limb_ws* ws, const limb_held_in* in,
                                   real* a)
{
  const context ctx = {m, k, ws};
  const real* cv = in_compiled_order(m, in->v, ws->v);
  const given_inputs s = {NULL, net_forces(ctx, cv, in->tau, in->terms), NULL};
  const vec3 g = base_acceleration(ctx);
  real* ca = m->identity ? a : ws->a;
  closure* C = in->closures;
  const real span = begin_closures(m, k, in, g, C);
  if (!(span > 0)) return span;
  velocities_out(m, k, ws, cv);
  if (in->wrench) aba_wrenches(ctx, in->wrench);
  const real margin = held_inward(ctx, in, &s, g, C);
  held_accelerate(ctx, in, &s, C, ca);
  if (!m->identity) in_user_order(m, ca, a);
  return margin;
}

#endif
