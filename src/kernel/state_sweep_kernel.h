// Inverse dynamics with its derivatives, and the Coriolis matrix, in two sweeps along the tree, for scalars that hold
// states (STATE_SWEEPS): what a link hands to the next stays in registers, and entries go to their places at once.
//
// The formulas are those of kernel/lane_columns_kernel.h and lane_products_kernel.h. Passes over the dof table that
// ask for each row of all columns are for lanes; here one sweep out makes all that is known of a link on the way, one
// back what depends on the links behind. A dof j and one i above it or on its link give, share as share_of() has it,
//
//   M_ji = S_i' T1_j,   dq_ji = psi_i' T4_j + psidot_i' T1_j,   dv_ji = S_i' T4_j + sigma_i' T1_j
//   M_ij = M_ji,        dq_ij = S_i' T2_j,                      dv_ij = S_i' T3_j               for i above
//
// and pairs that are on no path zeros. Cost O(n depth), and n^2 to write zeros.
//
// There are two instances: of a chain whose dofs are the user's and of which everything is wanted, and of all else.
#ifndef LIMB_KERNEL_STATE_SWEEP_KERNEL_H
#define LIMB_KERNEL_STATE_SWEEP_KERNEL_H

#include "kernel/lane_columns_kernel.h"
#include "kernel/state_matrix_kernel.h"

// What is to be made of which state.
typedef struct sweep {
  const table* t;
  const lane_in* in;
  const lane_out* out;
  limb_slopes kind;
} sweep;

KERNEL bool is_line(const table* t) { return t->form == FORM_CHAIN; } // a constant in both instances

// single, a constant in the steps of a link: it has one dof.
KERNEL int dofs_in(bool single, const limb_link* link) { return single ? 1 : link->ndof; }
KERNEL int slot_in(bool single, const limb_link* link) { return single ? link->dof : link->dof + 2; }

// ---- out ---------------------------------------------------------------------------------------------------

// A link, seen from the root link
typedef struct moving {
  pose X;
  motion v, a;
} moving;

KERNEL moving moving_at(const table* t, int slot)
{
  const cell* at = column_at(t, slot);
  return (moving){get_pose(at), get_motion(at, ROW_V), get_motion(at, ROW_A)};
}

KERNEL motion base_motion_at(const cell* base)
{
  return (motion){v3(base[0], base[1], base[2]), v3(base[3], base[4], base[5])};
}

KERNEL moving base_of(const table* t, int root)
{
  const cell* base = t->base + 12 * (ptrdiff_t)root;
  return (moving){no_pose(), base_motion_at(base), base_motion_at(base + 6)};
}

// S of a link's dofs; returns its velocity.
KERNEL motion sweep_axes(bool single, const sweep* s, const limb_link* link, pose X, motion v)
{
  const vec3 e[3] = {column_x(X.R), column_y(X.R), column_z(X.R)};
  for (int k = 0; k < dofs_in(single, link); k++) {
    const int c = link->dof + k;
    const vec3 u = single ? e[2] : e[k % 3];
    const motion S = axis_along(s->t, u, X.p, given_at(s->t, c));
    set_motion(column_at(s->t, c), ROW_S, S);
    v = addm(v, scalem(s->in->v[c], S));
  }
  return v;
}

// psi, psidot and sigma of a link's dofs, its parent moving like `up`; returns its acceleration.
KERNEL motion sweep_rates(bool single, const sweep* s, const limb_link* link, const moving* up, motion v)
{
  motion a = up->a;
  for (int c = link->dof; c < link->dof + dofs_in(single, link); c++) {
    cell* at = column_at(s->t, c);
    const motion S = get_motion(at, ROW_S), psi = crossm(up->v, S);
    set_motion(at, ROW_PSI, psi);
    set_motion(at, ROW_PSIDOT, addm(crossm(up->a, S), crossm(up->v, psi)));
    if (!single) set_motion(at, ROW_SIGMA, sigma_of(s->kind, psi, crossm(v, S)));
    a = addm(a, scalem(s->in->v[c], psi));
    if (s->in->a) a = addm(a, scalem(s->in->a[c], S));
  }
  return a;
}

// What is known of link l, whose parent moves like `up`.
KERNEL moving sweep_out_to(bool single, const sweep* s, int l, moving up)
{
  const table* t = s->t;
  const limb_link* link = &t->m->link[l];
  const int slot = is_line(t) ? l : slot_in(single, link);
  moving x;
  x.X = single ? transform_in_parent(t, given_at(t, slot), s->in->q[slot]) : turn_at(t, link->aux);
  if (is_line(t) ? l == 0 : link->parent < 0) { // its frame is where everything is seen from
    put_base(t, s->in, link->root, x.X);
    up = base_of(t, link->root);
    x.X = up.X;
  } else {
    x.X = compose(up.X, x.X);
  }
  x.v = sweep_axes(single, s, link, x.X, up.v);
  x.a = sweep_rates(single, s, link, &up, x.v);
  cell* at = column_at(t, slot);
  const composite own = own_inertia(x.X, given_at(t, slot));
  const drift D = drift_of(own, x.v);
  set_moments(at, ROW_H, own);
  set_drift(at, D);
  set_force(at, ROW_F, addf(drift_times(D, x.v), inertia_times(own, x.a)));
  if (!is_line(t) && (link->keep || s->in->keep))
    set_pose(at, x.X), set_motion(at, ROW_V, x.v), set_motion(at, ROW_A, x.a);
  return x;
}

KERNEL void sweep_out(const sweep* s)
{
  const limb_model* m = s->t->m;
  moving x = base_of(s->t, 0); // replaced by the first link
  for (int l = 0; l < m->nlink; l++) {
    const int up = m->link[l].parent;
    if (!is_line(s->t) && up >= 0 && up != l - 1) x = moving_at(s->t, limb_slot(&m->link[up]));
    x = is_line(s->t) || m->link[l].ndof == 1 ? sweep_out_to(true, s, l, x) : sweep_out_to(false, s, l, x);
  }
}

// ---- back --------------------------------------------------------------------------------------------------

// A link and all it carries
typedef struct carried {
  composite C;
  drift D;
  force f;
} carried;

KERNEL carried carried_at(const cell* at)
{
  return (carried){get_moments(at, ROW_H, zero()), carried_drift(at), get_force(at, ROW_F)};
}

KERNEL void put_carried(cell* at, const carried* b)
{
  set_moments(at, ROW_H, b->C), set_drift(at, b->D), set_force(at, ROW_F, b->f);
}

// All but the mass, which is known.
KERNEL carried with(const carried* a, const carried* b)
{
  return (carried){{zero(), add3(a->C.h, b->C.h), adds(a->C.J, b->C.J)},
                   {add3(a->D.P, b->D.P), addM(a->D.K, b->D.K)},
                   addf(a->f, b->f)};
}

// Columns T1 ... T4 of a dof, for the products.
typedef struct column_forces {
  force T1, T2, T3;
  vec3 T4;
} column_forces;

KERNEL column_forces forces_of(bool single, const sweep* s, const cell* at, const carried* b)
{
  const motion S = get_motion(at, ROW_S), psi = get_motion(at, ROW_PSI);
  const par share = share_of(s->kind);
  const force by_S = drift_times(b->D, S);
  column_forces T = {inertia_times(b->C, S), zerof(), zerof(), kscale3(share, drift_transposed_times(b->D, S))};
  if (s->out->dq) {
    const force coriolis = kscalef(constant(2), drift_times(b->D, psi));
    T.T2 = addf(addf(coriolis, inertia_times(b->C, get_motion(at, ROW_PSIDOT))), crossf(S, b->f));
  }
  T.T3 = single ? kscalef(share, addf(by_S, inertia_times(b->C, psi)))
                : addf(kscalef(share, by_S), inertia_times(b->C, get_motion(at, ROW_SIGMA)));
  return T;
}

// Where the entries of dof j and a dof i go in the user's matrices: row j and row i; mimic joints add them, scaled.
typedef struct pair_entries {
  ptrdiff_t lower, upper;
  bool above; // i is of a link above: the other half is known, too
  bool adds;
  par share;
} pair_entries;

KERNEL pair_entries entries_at(const table* t, int j, int i, bool above)
{
  const limb_model* m = t->m;
  const ptrdiff_t n = m->nv;
  if (is_line(t)) return (pair_entries){j * n + i, i * n + j, above, false, constant(1)};
  const limb_dof *r = &m->dof[j], *c = &m->dof[i];
  return (pair_entries){r->v * n + c->v, c->v * n + r->v, above, m->has_mimic, parameter(r->mult * c->mult)};
}

KERNEL void put_entries(cell* A, const pair_entries* e, real lower, real upper)
{
  if (__builtin_expect(e->adds, 0)) {
    A[e->lower] = add_cell(A[e->lower], scale_cell(e->share, lower));
    if (e->above) A[e->upper] = add_cell(A[e->upper], scale_cell(e->share, upper));
    return;
  }
  A[e->lower] = lower;
  if (e->above) A[e->upper] = upper;
}

// Entries of the dof with columns T and one at `at`, of a link above or the same; several: its link has several dofs.
// Returns their sum.
KERNEL real put_pair(lane_out out, limb_slopes kind, const column_forces* T, const cell* at, bool several,
                     pair_entries e)
{
  const motion S = get_motion(at, ROW_S), psi = get_motion(at, ROW_PSI);
  real sum = zero();
  if (out.M) {
    sum = dot6(S, T->T1);
    put_entries(out.M, &e, sum, sum);
  }
  if (out.dq) {
    const real x = add(dot3(psi.w, T->T4), dot6(get_motion(at, ROW_PSIDOT), T->T1)), y = dot6(S, T->T2);
    put_entries(out.dq, &e, x, y);
    sum = add(sum, add(x, y));
  }
  if (out.dv) {
    const real by_sigma = several ? dot6(get_motion(at, ROW_SIGMA), T->T1) : scale(share_of(kind), dot6(psi, T->T1));
    const real x = add(dot3(S.w, T->T4), by_sigma), y = dot6(S, T->T3);
    put_entries(out.dv, &e, x, y);
    sum = add(sum, add(x, y));
  }
  return sum;
}

// Of dof j of link l with all those above it, and on its link.
KERNEL real put_pairs(const sweep* s, int l, int j, const column_forces* T)
{
  const limb_model* m = s->t->m;
  real sum = zero();
  for (int i = j; i >= 0 && is_line(s->t); i--) {
    sum = add(sum, put_pair(*s->out, s->kind, T, column_at(s->t, i), false, entries_at(s->t, j, i, i < j)));
  }
  if (is_line(s->t)) return sum;
  for (int i = l; i >= 0; i = m->link[i].parent) {
    const limb_link* up = &m->link[i];
    for (int d = up->dof; d < end_of_dofs(up) && up->ndof > 1; d++) {
      const pair_entries e = entries_at(s->t, j, d, i != l);
      sum = add(sum, put_pair(*s->out, s->kind, T, column_at(s->t, d), true, e));
    }
    if (up->ndof > 1) continue;
    const pair_entries e = entries_at(s->t, j, up->dof, i != l);
    sum = add(sum, put_pair(*s->out, s->kind, T, column_at(s->t, up->dof), false, e));
  }
  return sum;
}

// Zeros for dof j and those behind its subtree, with which it is on no path. What mimic joints add to is zero already.
KERNEL void put_zeros(const sweep* s, int l, int j)
{
  const limb_model* m = s->t->m;
  cell* const to[3] = {s->out->M, s->out->dq, s->out->dv};
  for (int i = end_of_dofs(&m->link[m->link[l].end - 1]); i < m->ncdof && !m->has_mimic; i++) {
    const ptrdiff_t r = m->dof[j].v, c = m->dof[i].v, n = m->nv;
    for (int k = 0; k < 3; k++)
      if (to[k]) to[k][r * n + c] = to[k][c * n + r] = zero();
  }
}

// Link l, `behind` being what the next one carries. Returns the sum of entries.
KERNEL real sweep_back_to(bool single, const sweep* s, int l, carried* behind)
{
  const table* t = s->t;
  const limb_model* m = t->m;
  const limb_link* link = &m->link[l];
  const int slot = is_line(t) ? l : slot_in(single, link);
  carried b = carried_at(column_at(t, slot));
  if (l + 1 < m->nlink && (is_line(t) || m->link[l + 1].parent == l)) b = with(&b, behind);
  b.C.m = get_given(given_at(t, slot), GIVEN_MASS);
  real sum = zero();
  for (int c = link->dof; c < link->dof + dofs_in(single, link); c++) {
    const cell* at = column_at(t, c);
    const column_forces T = forces_of(single, s, at, &b);
    if (s->out->tau) s->out->tau[c] = dot6(get_motion(at, ROW_S), b.f);
    if (!is_line(t)) put_zeros(s, l, c);
    sum = add(sum, put_pairs(s, l, c, &T));
  }
  if (!is_line(t) && link->parent >= 0 && link->parent != l - 1) {
    cell* up = column_at(t, limb_slot(&m->link[link->parent]));
    const carried more = carried_at(up), all = with(&more, &b);
    put_carried(up, &all);
  }
  *behind = b;
  return sum;
}

KERNEL bool sweep_both_ways(const sweep* s)
{
  const table* t = s->t;
  if (t->m->nlink == 0) return true; // nor is there a base, or a column
  sweep_out(s);
  carried behind = carried_at(column_at(t, 0)); // replaced by the last link
  real sum = zero();
  for (int l = t->m->nlink - 1; l >= 0; l--) {
    const bool single = is_line(t) || t->m->link[l].ndof == 1;
    sum = add(sum, single ? sweep_back_to(true, s, l, &behind) : sweep_back_to(false, s, l, &behind));
  }
  return finite_lanes(sum);
}

// What of tau, M, dq and dv is not NULL; dv is a Coriolis matrix by its kind. False: something in the matrices is not
// finite.
KERNEL_ONCE bool sweep_tree(const limb_model* m, const limb_dof_table* d, const lane_in* in, const lane_out* out,
                            limb_slopes kind)
{
  const table t = table_of(m, d, FORM_TREE);
  return sweep_both_ways(&(sweep){&t, in, out, kind});
}

KERNEL_ENTRY bool sweep_inverse(const limb_model* m, const limb_dof_table* s, const lane_in* in, const lane_out* out)
{
  const bool all = out->tau && out->M && out->dq && out->dv && in->a && !in->keep;
  if (!all || m->nrun != 1 || m->naux > 0 || !m->identity) return sweep_tree(m, s, in, out, SLOPES_FORCE);
  const table t = table_of(m, s, FORM_CHAIN);
  const lane_out to = *out;
  return sweep_both_ways(&(sweep){&t, in, &to, SLOPES_FORCE});
}

KERNEL_ENTRY bool sweep_coriolis(const limb_model* m, const limb_dof_table* s, const lane_in* in, limb_slopes kind,
                                 const lane_out* out)
{
  return sweep_tree(m, s, in, out, kind);
}

#define LANE_KERNEL_TABLE                                                                     \
  {                                                                                           \
    .lanes = 1, .inverse = sweep_inverse, .coriolis = sweep_coriolis, .invert = state_invert, \
    .body_rows = lane_body_rows, .take_product = state_take_product                           \
  }

#endif
