// Inverse dynamics of a chain with its derivatives in two sweeps, for lanes of states (CHAIN_SWEEPS): what a
// link hands to the next stays in registers.
//
// The formulas are those of kernel/lane_columns_kernel.h and lane_products_kernel.h. Passes over the dof table that
// ask for each row of all columns are for lanes; here one sweep out makes all that is known of a column on
// the way, one back what depends on the links behind. The products of a pair of dofs i <= j come together:
//
//   M_ji = M_ij = S_i' T1_j,   dq_ji = psi_i' T4_j + psidot_i' T1_j,   dv_ji = S_i' T4_j + 2 psi_i' T1_j
//                              dq_ij = S_i' T2_j,                      dv_ij = S_i' T3_j          for i < j
#ifndef LIMB_KERNEL_CHAIN_SWEEP_KERNEL_H
#define LIMB_KERNEL_CHAIN_SWEEP_KERNEL_H

#include "kernel/lane_products_kernel.h"

// Of a link and all it carries
typedef struct carried {
  composite C;
  drift D;
  force f;
} carried;

KERNEL drift add_drift(drift a, drift b) { return (drift){add3(a.P, b.P), addM(a.K, b.K)}; }

// The motion of the link that a column's link is attached to.
typedef struct parent_motion {
  pose X;
  motion v, a;
} parent_motion;

KERNEL motion base_motion_at(const cell* base)
{
  return (motion){v3(base[0], base[1], base[2]), v3(base[3], base[4], base[5])};
}

// Column i on the way out: S, psi, psidot, and what its link adds to those before it.
KERNEL parent_motion sweep_out_to(const table* t, const lane_in* in, int i, parent_motion p)
{
  cell* at = column_at(t, i);
  const double* given = given_at(t, i);
  pose X = transform_in_parent(t, given, in->q[i]);
  if (i == 0) {
    X = begin_at(t, in, 0, 0, X);
    p.v = base_motion_at(t->base), p.a = base_motion_at(t->base + 6);
  } else {
    X = compose(p.X, X);
  }
  const motion S = axis_of(t, X, given);
  const motion v = addm(p.v, scalem(in->v[i], S)), psi = crossm(v, S);
  const motion a = addm(p.a, addm(scalem(in->v[i], psi), scalem(in->a[i], S)));
  const composite own = own_inertia(X, given);
  const drift D = drift_of(own, v);
  set_motion(at, ROW_S, S);
  set_motion(at, ROW_PSI, psi);
  set_motion(at, ROW_PSIDOT, addm(crossm(a, S), crossm(v, psi)));
  set_moments(at, ROW_H, own);
  set_drift(at, D);
  set_force(at, ROW_F, addf(drift_times(D, v), inertia_times(own, a)));
  return (parent_motion){X, v, a};
}

// Columns T1 ... T4 of dof i, for the products.
typedef struct column_forces {
  force T1, T2, T3;
  vec3 T4;
} column_forces;

KERNEL column_forces forces_of(const cell* at, const carried* b)
{
  const motion S = get_motion(at, ROW_S), psi = get_motion(at, ROW_PSI);
  const force coriolis = kscalef(constant(2), drift_times(b->D, psi));
  const force inertial = inertia_times(b->C, get_motion(at, ROW_PSIDOT));
  return (column_forces){inertia_times(b->C, S), addf(addf(coriolis, inertial), crossf(S, b->f)),
                         kscalef(constant(2), addf(drift_times(b->D, S), inertia_times(b->C, psi))),
                         kscale3(constant(2), drift_transposed_times(b->D, S))};
}

// Entries of dof j with all those up to it; returns their sum.
KERNEL real sweep_products(const table* t, const sink* to, int j, const column_forces* T)
{
  real sum = zero();
  for (int i = 0; i <= j; i++) {
    const cell* at = column_at(t, i);
    const ptrdiff_t lower = j * to->stride + i, upper = i * to->stride + j;
    const motion S = get_motion(at, ROW_S), psi = get_motion(at, ROW_PSI);
    const real M = dot6(S, T->T1);
    const real dq = add(dot3(psi.w, T->T4), dot6(get_motion(at, ROW_PSIDOT), T->T1));
    const real dv = kmadd(dot3(S.w, T->T4), constant(2), dot6(psi, T->T1));
    to->dq[upper] = dot6(S, T->T2), to->dv[upper] = dot6(S, T->T3);
    to->M[upper] = to->M[lower] = M, to->dq[lower] = dq, to->dv[lower] = dv;
    sum = add(sum, add(add(M, dq), add(dv, add(to->dq[upper], to->dv[upper]))));
  }
  return sum;
}

// tau, M, d tau / d q, d tau / d v; false: something in the matrices is not finite.
KERNEL bool sweep_inverse(const table* t, const lane_in* in, const lane_out* out)
{
  const int n = t->m->ncdof;
  const sink to = sink_of(t, out);
  parent_motion x = {no_pose(), {zero3(), zero3()}, {zero3(), zero3()}};
  for (int i = 0; i < n; i++) x = sweep_out_to(t, in, i, x);
  const sym3 none = {zero(), zero(), zero(), zero(), zero(), zero()};
  carried b = {{zero(), zero3(), none}, {zero3(), columns(zero3(), zero3(), zero3())}, zerof()};
  real sum = zero();
  for (int i = n - 1; i >= 0; i--) {
    const cell* at = column_at(t, i);
    const composite own = get_moments(at, ROW_H, zero());
    b.C = (composite){get_given(given_at(t, i), GIVEN_MASS), add3(b.C.h, own.h), adds(b.C.J, own.J)};
    b.D = add_drift(b.D, carried_drift(at));
    b.f = addf(b.f, get_force(at, ROW_F));
    const column_forces T = forces_of(at, &b);
    out->tau[i] = dot6(get_motion(at, ROW_S), b.f);
    sum = add(sum, sweep_products(t, &to, i, &T));
  }
  return finite_lanes(sum);
}

#endif
