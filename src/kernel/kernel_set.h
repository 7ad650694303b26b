// All kernels over one scalar type: a translation unit makes a table of those that have callers, and the
// compiler leaves out the others. It defines before
//
//   the scalar vocabulary   kernel/scalar_native.h or a file with the same words, and besides
//                           any_nonfinite(), any_nonfinite_input(), sines(), sign_of()
//   LINK_CONST              struct of link constants over its parameter type
//   KERNEL_SET              name of LIMB_KERNEL_TYPES (kernel/tables.h)
//   LANE_KERNELS                    table of row kernels over the same scalar, if they are compiled elsewhere
//   CHAIN                   table of chain kernels over vectors of the scalar, if there is one
//   CHAIN_PAYS(n)           whether mass matrices of n joints are made by them
#ifndef LIMB_KERNEL_KERNEL_SET_H
#define LIMB_KERNEL_KERNEL_SET_H

#include "kernel/aba_kernel.h"
#include "kernel/crba_kernel.h"
#include "kernel/derivative_kernel.h"
#include "kernel/kinematics_kernel.h"
#include "kernel/regressor_kernel.h"

KERNEL_ENTRY bool set_finite(const limb_model* m, const real* q, const real* v, const real* a)
{
  return !any_nonfinite_input(m->nq, q) && !(v && any_nonfinite_input(m->nv, v)) &&
         !(a && any_nonfinite_input(m->nv, a));
}

KERNEL_ENTRY bool set_finite_result(const limb_model* m, const real* x) { return !any_nonfinite(m->nv, x); }

KERNEL_ENTRY void set_link_motion(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                  const real* v, const real* a, real* X, real* vel, real* acc, real* acc_v)
{
  const context ctx = {m, k, ws};
  const link_arrays out = {(pose*)X, (motion*)vel, (motion*)acc, (motion*)acc_v};
  load_coordinates(m, k, ws, q);
  const real* cv = v ? in_compiled_order(m, v, ws->v) : NULL;
  const real* ca = a ? in_compiled_order(m, a, ws->a) : NULL;
  link_motion(ctx, cv, ca, &out);
}

// ---- inverse dynamics ----------------------------------------------------------------------------------

// Needs the coordinates loaded. Not for the call below, which is the one that must be fast: whatever stands
// between loading and the passes costs it a tenth.
KERNEL_ONCE void set_loaded_inverse_dynamics(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                                             const real* a, const limb_terms* terms, const real* wrench, real* tau)
{
  newton_euler_passes(m, k, ws, v, a, terms, wrench, tau);
}

KERNEL_ENTRY void set_inverse_dynamics(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                       const real* v, const real* a, const limb_terms* terms, const real* wrench,
                                       real* tau)
{
  load_coordinates(m, k, ws, q);
  newton_euler_passes(m, k, ws, v, a, terms, wrench, tau);
}

// ---- mass matrix and its factors -----------------------------------------------------------------------

// M in the user's order, or its packed rows. Needs the coordinates loaded.
KERNEL void put_rows_as(const limb_model* m, const link_const* k, const limb_ws* ws, bool packed, real* M)
{
  const context ctx = {m, k, ws};
  const size_t entries = packed ? m->elim.packed : (size_t)m->nv * (size_t)m->nv;
  if (!packed || m->has_mimic || !m->serial) {
    for (size_t i = 0; i < entries; i++) M[i] = zero();
  }
  const target to = {packed ? M_PACKED : M_USER, M};
  crba(ctx, &to);
}

#ifdef LONG_SCALAR
// One function for both where operations are long: asking which it is costs nothing there.
KERNEL_ONCE void put_rows(const limb_model* m, const link_const* k, const limb_ws* ws, bool packed, real* M)
{
  put_rows_as(m, k, ws, packed, M);
}

KERNEL void put_user_rows(const limb_model* m, const link_const* k, const limb_ws* ws, real* M)
{
  put_rows(m, k, ws, false, M);
}

KERNEL void put_packed_rows(const limb_model* m, const link_const* k, const limb_ws* ws, real* packed)
{
  put_rows(m, k, ws, true, packed);
}
#else
KERNEL_ONCE void put_user_rows(const limb_model* m, const link_const* k, const limb_ws* ws, real* M)
{
  put_rows_as(m, k, ws, false, M);
}

KERNEL_ONCE void put_packed_rows(const limb_model* m, const link_const* k, const limb_ws* ws, real* packed)
{
  put_rows_as(m, k, ws, true, packed);
}
#endif

KERNEL_ENTRY void set_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* M)
{
  const context ctx = {m, k, ws};
#ifdef CHAIN
  if (q && limb_is_chain(m) && CHAIN_PAYS(m->nv)) {
    CHAIN.mass_matrix(m, k, ws, q, M);
    return;
  }
#endif
  if (q) load_coordinates(m, k, ws, q);
  if (!m->identity) {
    put_user_rows(m, k, ws, M);
    return;
  }
  const size_t entries = (size_t)m->nv * (size_t)m->nv;
  for (size_t i = 0; i < entries && !m->serial; i++) M[i] = zero();
  const target to = {M_COMPILED, M};
  crba(ctx, &to);
}

// Needs the coordinates loaded.
KERNEL_ENTRY real factor_loaded(const limb_model* m, const link_const* k, const limb_ws* ws, real* packed)
{
  put_packed_rows(m, k, ws, packed);
  return ltl_factor(&m->elim, m->nv, packed, ws->a);
}

KERNEL_ENTRY real set_factor(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* packed)
{
  load_coordinates(m, k, ws, q);
  return factor_loaded(m, k, ws, packed);
}

KERNEL_ENTRY real set_invert(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* packed,
                             real* Minv)
{
  if (goes_along_tree(m)) {
    set_mass_matrix(m, k, ws, q, Minv);
    const real margin = LANE_KERNELS.tree_factor(&m->elim, m->nv, Minv, &ws->table);
    *ws->table.finite = LANE_KERNELS.tree_inverse(&m->elim, m->nv, &ws->table, false, Minv, NULL, NULL);
    return margin;
  }
  const real min_pivot = set_factor(m, k, ws, q, packed);
  *ws->table.finite = LANE_KERNELS.invert(&m->elim, m->nv, packed, Minv, ws->table.work, ws->table.list);
  return min_pivot;
}

// ---- forward dynamics ----------------------------------------------------------------------------------

KERNEL_ENTRY real set_aba(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, const real* v,
                          const real* tau, const limb_terms* terms, const real* wrench, real* a)
{
  const context ctx = {m, k, ws};
  load_coordinates(m, k, ws, q);
  const real* cv = in_compiled_order(m, v, ws->v);
  real* ca = m->identity ? a : ws->a;
  const given_inputs forces = {NULL, net_forces(ctx, cv, tau, terms), NULL};
  const real min_pivot = articulated_passes(m, k, ws, cv, wrench, &forces, ca);
  if (!m->identity) in_user_order(m, ca, a);
  return min_pivot;
}

// The margin of ltl_factor, or that of the pivots over what may be rounding of the inertia that is carried: an entry
// of M may be small because large ones cancel in it. Only where articulated bodies were in doubt.
KERNEL real margin_of(const limb_model* m, const real* packed, real min_pivot)
{
  const limb_elimination* e = &m->elim;
  const real unit = one();
  for (int c = 0; c < m->ncdof && !m->has_mimic; c++) {
    const int row = e->dof[c];
    const par doubt = parameter(LIMB_DOUBT / LIMB_DOUBT_SWEEP * m->actuator[c].doubt);
    min_pivot = lesser(min_pivot, kmsub(unit, doubt, packed[e->row[row] + e->depth[row]]));
  }
  return min_pivot;
}

KERNEL_ENTRY real set_by_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                     const real* v, const real* tau, const limb_terms* terms, const real* wrench,
                                     real* packed, real* a)
{
  const context ctx = {m, k, ws};
  load_coordinates(m, k, ws, q);
  const real min_pivot = factor_loaded(m, k, ws, packed);
  // h + friction + springs - wrenches: inverse dynamics without acceleration
  set_loaded_inverse_dynamics(m, k, ws, v, no_acceleration(ctx), terms, wrench, a);
  for (int i = 0; i < m->nv; i++) a[i] = sub(tau[i], a[i]);
  set_solve(m, ws, packed, a);
  return margin_of(m, packed, min_pivot);
}

// ---- hybrid dynamics -----------------------------------------------------------------------------------

// Hybrid dynamics: of every degree of freedom the force or the acceleration is given.
//
// Reference: Featherstone 2008, section 9.2 and tables 9.1, 9.3. With f for force-given, g for the others,
//
//   articulated bodies   one sweep with given accelerations (aba_kernel.h)                               O(nlink)
//   mass matrix          M_ff a_f = tau_f - (M_fg a_g + h_f),  then tau_g = inverse dynamics of a
//
// Vectors are in the user's order. A force-given coordinate that several joints follow needs the second
// form: their forces are not known apart.

KERNEL_ENTRY real set_hybrid(const limb_model* m, const link_const* k, const limb_ws* ws, const hybrid_in* in, real* a,
                             real* tau)
{
  const context ctx = {m, k, ws};
  load_coordinates(m, k, ws, in->q);
  const real* cv = in_compiled_order(m, in->v, ws->v);
  const real* passive = passive_forces(ctx, cv, in->terms);
  unsigned char* given = ws->given;
  real *x = ws->tau, *felt = ws->columns, *ca = ws->a;
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    given[c] = in->given[dof->v];
    x[c] = in->x[dof->v];
    if (given[c]) x[c] = scale(parameter(dof->mult), x[c]);
    if (!given[c] && passive) x[c] = sub(x[c], passive[c]);
  }
  const given_inputs s = {given, x, felt};
  const real min_pivot = articulated_passes(m, k, ws, cv, in->wrench, &s, ca);
  for (int v = 0; v < m->nv; v++) {
    a[v] = in->x[v];
    tau[v] = in->given[v] ? zero() : in->x[v];
  }
  for (int c = 0; c < m->ncdof; c++) {
    const limb_dof* dof = &m->dof[c];
    if (!given[c]) {
      a[dof->v] = ca[c];
    } else {
      if (passive) felt[c] = kmadd(add(felt[c], passive[c]), parameter(m->actuator[c].rotor), ca[c]);
      tau[dof->v] = add(tau[dof->v], scale(parameter(dof->mult), felt[c]));
    }
  }
  return min_pivot;
}

// Rows and columns of M that are given become those of a multiple of the unit matrix: the factors are those
// of M_ff. The multiple is of the size of M, so that pivots of M_ff that are rounding are seen beside it; it
// is never zero.
KERNEL void keep_force_given(const limb_elimination* e, int n, const unsigned char* given, real* packed)
{
  real size = number(constant(1e-30));
  for (int k = 0; k < n; k++) size = add(size, packed[e->row[k] + e->depth[k]]);
  for (int k = 0; k < n; k++) {
    real* row = packed + e->row[k];
    const bool gone = given[e->v[k]];
    for (int a = e->parent[k]; a >= 0; a = e->parent[a]) {
      if (gone || given[e->v[a]]) row[e->depth[a]] = zero();
    }
    if (gone) row[e->depth[k]] = size;
  }
}

KERNEL_ENTRY real set_hybrid_by_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws,
                                            const hybrid_in* in, real* packed, real* a, real* tau)
{
  load_coordinates(m, k, ws, in->q);
  put_packed_rows(m, k, ws, packed);
  keep_force_given(&m->elim, m->nv, in->given, packed);
  const real min_pivot = ltl_factor(&m->elim, m->nv, packed, ws->a);
  for (int v = 0; v < m->nv; v++) a[v] = in->given[v] ? in->x[v] : zero();
  set_loaded_inverse_dynamics(m, k, ws, in->v, a, in->terms, in->wrench, tau); // M_fg a_g + h_f
  for (int v = 0; v < m->nv; v++) a[v] = in->given[v] ? zero() : sub(in->x[v], tau[v]);
  set_solve(m, ws, packed, a);
  for (int v = 0; v < m->nv; v++) {
    if (in->given[v]) a[v] = in->x[v];
  }
  set_loaded_inverse_dynamics(m, k, ws, in->v, a, in->terms, in->wrench, tau);
  for (int v = 0; v < m->nv; v++) {
    if (!in->given[v]) tau[v] = in->x[v];
  }
  return margin_of(m, packed, min_pivot);
}

// ---- short chains --------------------------------------------------------------------------------------

#if defined(CHAIN)
KERNEL_ENTRY real set_forward_chain(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                    const real* v, const real* tau, const limb_terms* terms, const real* wrench,
                                    real* a)
{
  return CHAIN.forward(m, k, ws, q, v, tau, terms, wrench, a);
}
#else
#define set_forward_chain forward_chain
#endif

// ---- tables ----------------------------------------------------------------------------------------------

// A member of a table: SET(aba) is .aba = set_aba.
#define SET(x) .x = set_##x

#endif
