// Derivatives of inverse and forward dynamics, and the Coriolis matrix: the steps on the dof table.
//
// Reference: Singh, Russell, Wensing 2022 (lane_columns_kernel.h); forward dynamics by implicit differentiation,
//
//   M a + h = tau   =>   da/dx = -M^-1 (d tau / dx)(q, v, a),   da/dtau = M^-1
//
// Cost:      O(n depth), and for forward dynamics O(n^3) of the inverse and two products, by lanes.
#ifndef LIMB_KERNEL_DERIVATIVE_KERNEL_H
#define LIMB_KERNEL_DERIVATIVE_KERNEL_H

#include "kernel/factor_kernel.h"
#include "kernel/kinematics_kernel.h"
#include "kernel/rnea_kernel.h"

#ifndef LANE_KERNELS // table of them over the same scalar, if they are compiled elsewhere
#ifdef STATE_SWEEPS
#include "kernel/state_sweep_kernel.h"
#else
#include "kernel/lane_passes_kernel.h"
#endif
static const lane_kernels lanes_here = LANE_KERNEL_TABLE;
#define LANE_KERNELS lanes_here
#endif

// Whether M is inverted along the tree, by lanes.
KERNEL bool goes_along_tree(const limb_model* m) { return LANE_KERNELS.tree_factor && m->elim.nrun > 0; }

KERNEL_ENTRY void set_solve(const limb_model* m, const limb_ws* ws, const real* packed, real* x)
{
  real* y = ws->tau;
  for (int k = 0; k < m->nv; k++) y[k] = x[m->elim.v[k]];
  ltl_solve(&m->elim, m->nv, packed, y);
  for (int k = 0; k < m->nv; k++) x[m->elim.v[k]] = y[k];
}

KERNEL_ENTRY bool set_finite_matrix(const limb_model* m, const real* A)
{
  const int some = m->nv < 64 ? m->nv : 1; // rows of small matrices together
  for (int i = 0; i < m->nv; i += some) {
    if (any_nonfinite_input(some * m->nv, A + (size_t)i * (size_t)m->nv)) return false;
  }
  return true;
}

// ---- the dof table from the scalar side --------------------------------------------------------------------

// Rows are read from the user's own vectors where those are in compiled order. Ball and free joints are
// turned here, link by link. Cost O(nlink).

KERNEL const real* dof_column(const limb_dof_table* s, int i)
{
  return (const real*)s->cell + table_column(i, ROW_COUNT);
}

KERNEL vec3 at3(const real* at, int row)
{
  const real* x = at + (ptrdiff_t)row * APART;
  return v3(x[0], x[APART], x[2 * APART]);
}

KERNEL pose pose_at(const limb_dof_table* s, const limb_link* link)
{
  const real* at = dof_column(s, limb_slot(link));
  return (pose){columns(at3(at, ROW_R), at3(at, ROW_R + 3), at3(at, ROW_R + 6)), at3(at, ROW_P)};
}

// Coordinates by dofs; zero for ball and free joints, whose dense are worked out.
KERNEL const real* dof_coordinates(const limb_model* m, const limb_dof_table* s, const real* user)
{
  if (m->identity && m->naux == 0) return user;
  real* q = s->q;
  pose* dense = s->dense;
  for (int i = 0; i < m->nlink; i++) {
    const limb_link* link = &m->link[i];
    if (is_dense(link->joint_class))
      dense[link->aux] = ball_or_free_pose(link->joint_class, m, link->aux, user + link->q);
    for (int k = 0; k < link->ndof; k++) q[link->dof + k] = link->ndof == 1 ? user[link->q] : zero();
  }
  return q;
}

// ---- external wrenches on the dof table --------------------------------------------------------------------

// External wrenches on the dof table: what they do to the joint forces, and how that changes with q.
//
//   tau_r -= S_r' F         for every dof r on the way from the root to the link that F acts on
//
//   d tau_r / d q_c -= (S_c x S_r)' F + S_r' dF/dq_c       the first if r moves with q_c
//
// A wrench is fixed in the components it was given by: in the frame's own axes dF = S_c x* F; in world
// axes at the frame's origin only that point moves, by u = v_c + w_c x p: dF = (u x f; 0); at the world's
// origin dF = 0. Cost O(depth^2) per wrench.

typedef struct load {
  int link; // negative: on a body that cannot move
  limb_ref ref;
  force F; // root link's axes and origin
  vec3 p;  // where it acts
} load;

// Pose in the world of the root link that carries link i.
KERNEL pose root_step(int joint_class, context ctx, int i, pose W)
{
  const joint_transform P = joint_transform_of(joint_class, ctx, i);
  return moved_pose(W, &P);
}

KERNEL pose root_pose(context ctx, int i)
{
  while (link_of(ctx, i)->parent >= 0) i = link_of(ctx, i)->parent;
  pose X = base_pose(ctx.m, link_of(ctx, i)->root);
  FOR_ROOT_JOINT_CLASS(link_of(ctx, i)->joint_class, X = root_step(CLASS, ctx, i, X))
  return X;
}

// Wrenches of the environment, the same in all states, and others that come as scalars.
KERNEL int loads_of(const motion_in* in) { return in->nwrench + in->nload; }

KERNEL force force_of_wrench(const sp_force* F)
{
  return (force){given3(F->m.x, F->m.y, F->m.z), given3(F->f.x, F->f.y, F->f.z)};
}

KERNEL load load_at(context ctx, int frame, limb_ref ref, force F)
{
  const limb_model* m = ctx.m;
  const limb_ws* ws = ctx.ws;
  const limb_site site = limb_site_of(m, frame);
  load L = {.link = site.link, .ref = ref};
  if (site.link < 0) return L;
  const pose X = pose_at(&ws->table, &m->link[site.link]);
  const pose at = compose(X, given_pose(&site.in_link));
  L.p = at.p;
  if (ref == LIMB_BODY) {
    L.F = force_at(mulv(at.R, F.n), mulv(at.R, F.f), L.p);
    return L;
  }
  const pose W = root_pose(ctx, site.link);
  if (ref == LIMB_WORLD) L.p = sub3(zero3(), tmulv(W.R, W.p));
  L.F = force_at(tmulv(W.R, F.n), tmulv(W.R, F.f), L.p);
  return L;
}

KERNEL load load_of(context ctx, const motion_in* in, int l)
{
  if (l < in->nwrench) {
    const limb_wrench* w = &in->wrench[l];
    return load_at(ctx, w->frame, w->ref, force_of_wrench(&w->wrench));
  }
  const load_in* x = &in->load[l - in->nwrench];
  return load_at(ctx, x->frame, x->ref, *(const force*)x->F);
}

KERNEL motion axis_at(const limb_dof_table* s, int c)
{
  const real* at = dof_column(s, c);
  return (motion){at3(at, ROW_S), at3(at, ROW_S + 3)};
}

KERNEL real power_of(motion S, force F) { return add(dot3(S.w, F.n), dot3(S.v, F.f)); }

KERNEL void subtract_load(context ctx, load L, real* tau)
{
  const limb_model* m = ctx.m;
  const limb_ws* ws = ctx.ws;
  for (int i = L.link; i >= 0; i = m->link[i].parent) {
    for (int r = m->link[i].dof; r < m->link[i].dof + m->link[i].ndof; r++) {
      tau[r] = sub(tau[r], power_of(axis_at(&ws->table, r), L.F));
    }
  }
}

// dF / dq_c
KERNEL force load_rate(load L, motion S)
{
  if (L.ref == LIMB_BODY) return crossf(S, L.F);
  if (L.ref == LIMB_WORLD) return zerof();
  const vec3 u = add3(S.v, cross3(S.w, L.p));
  return (force){cross3(u, L.F.f), zero3()};
}

// Column c, a dof of link j on the way.
KERNEL void subtract_load_column(context ctx, load L, int j, int c, real* dq)
{
  const limb_model* m = ctx.m;
  const limb_ws* ws = ctx.ws;
  const motion S_c = axis_at(&ws->table, c);
  const force rate = load_rate(L, S_c);
  for (int i = L.link; i >= 0; i = m->link[i].parent) {
    for (int r = m->link[i].dof; r < m->link[i].dof + m->link[i].ndof; r++) {
      const motion S_r = axis_at(&ws->table, r);
      real x = power_of(S_r, rate);
      if (i >= j) x = add(x, power_of(crossm(S_c, S_r), L.F)); // behind or on link j
      const limb_dof *dr = &m->dof[r], *dc = &m->dof[c];
      real* entry = &dq[(size_t)dr->v * (size_t)m->nv + (size_t)dc->v];
      *entry = sub(*entry, scale(parameter(dr->mult * dc->mult), x));
    }
  }
}

KERNEL void subtract_load_slopes(context ctx, load L, real* dq)
{
  const limb_model* m = ctx.m;
  for (int j = L.link; j >= 0; j = m->link[j].parent) {
    for (int c = m->link[j].dof; c < m->link[j].dof + m->link[j].ndof; c++) {
      subtract_load_column(ctx, L, j, c, dq);
    }
  }
}

// All of them: on joint forces in compiled order, and on d tau / d q in the user's.
KERNEL_ONCE void subtract_loads(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                real* tau)
{
  const context ctx = {m, k, ws};
  for (int l = 0; l < loads_of(in); l++) subtract_load(ctx, load_of(ctx, in, l), tau);
}

KERNEL_ONCE void subtract_loads_slopes(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                       real* dq)
{
  const context ctx = {m, k, ws};
  for (int l = 0; l < loads_of(in); l++) subtract_load_slopes(ctx, load_of(ctx, in, l), dq);
}

// ---- derivatives ---------------------------------------------------------------------------------------

// Zeros, where products are added and not put.
KERNEL void clear_matrix(const limb_model* m, real* A)
{
  if (!A || !m->has_mimic) return;
  const size_t count = (size_t)m->nv * (size_t)m->nv;
  for (size_t i = 0; i < count; i++) A[i] = zero();
}

// What a joint itself adds to M, d tau / d q and d tau / d v on their diagonals: rotors, springs and friction
// (actuator_kernel.h), differentiated: tanh' = (1 - tanh^2) / width.
typedef struct own_slopes {
  real x[3];
} own_slopes;

KERNEL own_slopes own_slopes_of(const limb_model* m, const limb_terms* terms, int c, real v)
{
  const limb_actuator* k = &m->actuator[c];
  own_slopes s = {{zero(), zero(), zero()}};
  if (terms->rotors) s.x[0] = given(k->rotor);
  if (terms->springs) s.x[1] = given(k->stiffness);
  if (!terms->friction) return s;
  s.x[2] = given(k->viscous);
  if (terms->width > 0) {
    const real t = sign_of(v, terms->width);
    s.x[2] = kmadd(s.x[2], parameter(k->coulomb / terms->width), sub(one(), mul(t, t)));
  }
  return s;
}

// What a coupling adds to a matrix in the user's order: k c c'.
KERNEL void add_coupling_to(const limb_model* m, const limb_coupling* x, double k, real* A)
{
  for (int i = 0; i < x->count; i++) {
    const limb_dof* row = &m->dof[x->pull[i].dof];
    for (int j = 0; j < x->count; j++) {
      const limb_dof* column = &m->dof[x->pull[j].dof];
      const double c = row->mult * x->pull[i].coefficient * column->mult * x->pull[j].coefficient;
      real* to = &A[(size_t)row->v * (size_t)m->nv + (size_t)column->v];
      *to = plus(parameter(k * c), *to);
    }
  }
}

// To the matrices in the user's order, those that are there.
KERNEL void add_own_to(const limb_model* m, const limb_terms* terms, const real* v, const slopes* to)
{
  real* A[3] = {to->dx, to->dq, to->dv};
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    const own_slopes s = own_slopes_of(m, terms, c, v[c]);
    const size_t at = (size_t)dof->v * ((size_t)m->nv + 1);
    for (int k = 0; k < 3; k++) {
      if (A[k]) A[k][at] = add(A[k][at], scale(parameter(dof->mult * dof->mult), s.x[k]));
    }
  }
  for (int s = 0; s < m->ncoupling; s++) {
    const limb_coupling* x = &m->coupling[s];
    if (to->dq && terms->springs) add_coupling_to(m, x, x->stiffness, to->dq);
    if (to->dv && terms->friction) add_coupling_to(m, x, x->damping, to->dv);
  }
}

// Coordinates for springs and wrenches, which the dof table does not hold.
KERNEL_ONCE void load_others(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in)
{
  const context ctx = {m, k, ws};
  real* q = ws->q;
  if (loads_of(in) > 0 || m->has_cords || m->has_ball_springs) {
    load_coordinates(m, k, ws, in->q);
  } else if (m->has_actuators) {
    for (int i = 0; i < m->nlink; i++) q[i] = coordinate(ctx, in->q, i);
  }
}

// Joint forces in the user's order, from those of the rigid bodies in ct: actuators' besides, less what the
// wrenches do.
KERNEL void table_forces(context ctx, const motion_in* in, const lane_in* rows, real* ct, real* tau)
{
  const limb_model* m = ctx.m;
  if (loads_of(in) > 0) subtract_loads(ctx.m, ctx.k, ctx.ws, in, ct);
  if (m->has_actuators) add_actuators(ctx, rows->v, rows->a, in->terms, ct);
  if (ct != tau) in_user_order(m, ct, tau);
}

// d tau / d q and d tau / d v of all that is not a rigid body; dx, if wanted, is M.
KERNEL void other_slopes(context ctx, const motion_in* in, const real* cv, const slopes* out)
{
  const limb_model* m = ctx.m;
  if (m->has_actuators) add_own_to(m, in->terms, cv, out);
  if (m->has_cords) add_cord_slopes(ctx.m, ctx.k, ctx.ws, cv, in->terms, out->dq, out->dv);
  if (m->has_ball_springs && in->terms->springs && out->dq) add_ball_spring_slopes(ctx.m, ctx.ws, out->dq);
  if (loads_of(in) > 0 && out->dq) subtract_loads_slopes(ctx.m, ctx.k, ctx.ws, in, out->dq);
}

KERNEL_ENTRY bool set_id_derivatives(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                     const slopes* out)
{
  const context ctx = {m, k, ws};
  const lane_in rows = {.q = dof_coordinates(m, &ws->table, in->q),
                        .v = in_compiled_order(m, in->v, ws->v),
                        .a = in_compiled_order(m, in->x, ws->a),
                        .base = ws->base,
                        .base_turns = ws->base_turns,
                        .keep = loads_of(in) > 0};
  const bool bodies_only = !m->has_actuators && loads_of(in) == 0;
  real* ct = m->identity && bodies_only && out->y ? out->y : ws->force;
  const lane_out to = {ct, out->dx, out->dq, out->dv};
  clear_matrix(m, out->dx), clear_matrix(m, out->dq), clear_matrix(m, out->dv);
  const bool fine = LANE_KERNELS.inverse(m, &ws->table, &rows, &to);
  load_others(m, k, ws, in);
  if (out->y) table_forces(ctx, in, &rows, ct, out->y);
  other_slopes(ctx, in, rows.v, out);
  return fine && (loads_of(in) == 0 || !out->dq || set_finite_matrix(m, out->dq));
}

KERNEL lane_in rows_of_motion(const limb_model* m, const limb_ws* ws, const motion_in* in)
{
  return (lane_in){.q = dof_coordinates(m, &ws->table, in->q),
                   .v = in_compiled_order(m, in->v, ws->v),
                   .a = in_compiled_order(m, in->x, ws->a),
                   .base = ws->base,
                   .base_turns = ws->base_turns};
}

KERNEL_ENTRY bool set_id_second(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                const second_out* out)
{
  (void)k;
  const lane_in rows = rows_of_motion(m, ws, in);
  return LANE_KERNELS.second(m, &ws->table, &rows, out);
}

KERNEL_ENTRY bool set_id_hessian(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                 const real* lambda, const second_out* out)
{
  (void)k;
  const lane_in rows = rows_of_motion(m, ws, in);
  return LANE_KERNELS.hessian(m, &ws->table, &rows, lambda, out);
}

KERNEL_ENTRY bool set_take_product(const limb_model* m, const limb_ws* ws, const real* A, real* X)
{
  return LANE_KERNELS.take_product(NULL, m->nv, A, X, ws->table.work, ws->table.list);
}

KERNEL_ENTRY bool set_fd_second(const limb_model* m, const lane_out* first, const second_out* out)
{
  return LANE_KERNELS.forward_second(m, first, out);
}

// The packed rows of M, from all of it in the user's order.
KERNEL void pack(const limb_elimination* e, int n, const real* M, real* packed)
{
  for (int k = 0; k < n; k++) {
    const real* row = M + (size_t)e->v[k] * (size_t)n;
    for (int a = k; a >= 0; a = e->parent[a]) packed[e->row[k] + e->depth[a]] = row[e->v[a]];
  }
}

// Forward dynamics with one call: robots of one block whose dofs are the user's, without wrenches or couplings.
KERNEL real forward_block(context ctx, const motion_in* in, const slopes* out)
{
  const limb_model* m = ctx.m;
  const limb_ws* ws = ctx.ws;
  enum { SOME = LIMB_LANES_MAX };
  lane_in rows = {.q = in->q, .v = in->v, .base = ws->base, .base_turns = ws->base_turns};
  const lane_out to = {out->y ? out->y : ws->a, out->dx, out->dq, out->dv};
  const real* tau = in->x;
  real own[3][SOME];
  if (m->has_actuators) {
    real* passive = ws->tau; // what friction and springs take away
    for (int c = 0; c < m->ncdof; c++) {
      const own_slopes s = own_slopes_of(m, in->terms, c, in->v[c]);
      for (int x = 0; x < 3; x++) own[x][c] = s.x[x];
      passive[c] = zero();
    }
    for (int x = 0; x < 3; x++) rows.slope[x] = own[x];
    load_others(ctx.m, ctx.k, ctx.ws, in);
    add_actuators(ctx, in->v, no_acceleration(ctx), in->terms, passive);
    for (int c = 0; c < m->ncdof; c++) passive[c] = sub(in->x[c], passive[c]);
    tau = passive;
  }
  return LANE_KERNELS.forward_block(m, &ws->table, &rows, tau, &to);
}

KERNEL_ENTRY real set_fd_derivatives(const limb_model* m, const link_const* k, const limb_ws* ws, const motion_in* in,
                                     const slopes* out)
{
  const context ctx = {m, k, ws};
  const limb_dof_table* s = &ws->table;
  const bool one_block = m->nrun == 1 && m->naux == 0 && m->ncdof <= LANE_KERNELS.lanes;
  if (LANE_KERNELS.forward_block && one_block && m->identity && loads_of(in) == 0 && m->ncoupling == 0)
    return forward_block(ctx, in, out);
  lane_in rows = {.q = dof_coordinates(m, s, in->q),
                  .v = in_compiled_order(m, in->v, ws->v),
                  .base = ws->base,
                  .base_turns = ws->base_turns};
  const lane_out to = {ws->force, out->dx, out->dq, out->dv};
  const slopes mass = {NULL, NULL, NULL, out->dx}, by_state = {NULL, out->dq, out->dv, NULL};
  real *a = out->y ? out->y : ws->columns, *packed = limb_ws_packed(m) > 0 ? ws->packed : out->dq;
  clear_matrix(m, out->dx);
  LANE_KERNELS.bias(m, s, &rows, &to);
  load_others(m, k, ws, in);
  rows.a = no_acceleration(ctx);
  table_forces(ctx, in, &rows, ws->force, a);
  if (m->has_actuators) add_own_to(m, in->terms, rows.v, &mass);
  // a = M^-1 (tau - h)
  for (int i = 0; i < m->nv; i++) a[i] = sub(in->x[i], a[i]);
  const bool along = goes_along_tree(m), anywhere = m->ncoupling > 0; // couplings join any two
  bool fine = true;
  real min_pivot;
  if (along) {
    min_pivot = LANE_KERNELS.tree_factor(&m->elim, m->nv, out->dx, s);
    LANE_KERNELS.tree_solve(&m->elim, m->nv, s, a);
  } else {
    pack(&m->elim, m->nv, out->dx, packed);
    min_pivot = ltl_factor(&m->elim, m->nv, packed, ws->a);
    set_solve(m, ws, packed, a);
    fine = LANE_KERNELS.invert(&m->elim, m->nv, packed, out->dx, s->work, s->list);
  }
  clear_matrix(m, out->dq), clear_matrix(m, out->dv);
  LANE_KERNELS.slopes(m, s, in_compiled_order(m, a, ws->force), &to);
  other_slopes(ctx, in, rows.v, &by_state);
  if (along) {
    fine = LANE_KERNELS.tree_inverse(&m->elim, m->nv, s, anywhere, out->dx, out->dq, out->dv);
  } else {
    const limb_elimination* tree = anywhere ? NULL : &m->elim;
    fine &= LANE_KERNELS.take_product(tree, m->nv, out->dx, out->dq, s->work, s->list);
    fine &= LANE_KERNELS.take_product(tree, m->nv, out->dx, out->dv, s->work, s->list);
  }
  *s->finite = fine;
  return min_pivot;
}

KERNEL_ENTRY bool set_coriolis_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                      const real* v, limb_slopes kind, real* C)
{
  const lane_in rows = {.q = dof_coordinates(m, &ws->table, q), .v = in_compiled_order(m, v, ws->v)};
  const lane_out to = {NULL, NULL, NULL, C};
  (void)k;
  clear_matrix(m, C);
  return LANE_KERNELS.coriolis(m, &ws->table, &rows, kind, &to);
}

#endif
