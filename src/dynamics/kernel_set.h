// All kernels over one scalar type. No guard: a translation unit includes it once, makes a table of those it
// has users for, and the compiler leaves out the others. It defines before
//
//   the scalar vocabulary   base/real_native.h or a file with the same words, and besides
//                           any_nonfinite(), any_nonfinite_input(), sines(), sign_of()
//   LINK_CONST              struct of link constants over its parameter type
//   KERNEL_SET              name of LIMB_KERNEL_TYPES (model/kernels.h)
//   ROWS                    table of row kernels over the same scalar, if they are compiled elsewhere
//   CHAIN                   table of chain kernels over vectors of the scalar, if there is one
//   CHAIN_PAYS(n)           whether mass matrices of n joints are made by them

// Kernels that nobody asks for.
#pragma GCC diagnostic ignored "-Wunused-function"

#include "linalg/composite_ops.h"
#include "linalg/spatial_ops.h"
#include "model/place.h"

#include "kinematics/link_motion_kernel.h"

#include "dynamics/rnea_kernel.h"

#include "dynamics/articulated_kernel.h"

#include "dynamics/marked_kernel.h"

#include "dynamics/aba_kernel.h"
#include "dynamics/actuator_kernel.h"
#include "dynamics/crba_kernel.h"

#include "dynamics/passes_kernel.h"

#include "linalg/ltl_kernel.h"

#define SET_JOIN2(a, b) a##b
#define SET_JOIN(a, b)  SET_JOIN2(a, b)
typedef SET_JOIN(KERNEL_SET, _motion) motion_in;
typedef SET_JOIN(KERNEL_SET, _load) load_in;
typedef SET_JOIN(KERNEL_SET, _slopes) slopes;
typedef SET_JOIN(KERNEL_SET, _hybrid) hybrid_in;
typedef SET_JOIN(KERNEL_SET, _rows_in) row_in;
typedef SET_JOIN(KERNEL_SET, _rows_out) row_out;

#ifndef ROWS
#include "base/lanes_one.h"

#include "dynamics/row_set.h"
static const SET_JOIN(KERNEL_SET, _rows) rows_here = ROW_KERNELS;
#define ROWS rows_here
#endif

#include "kinematics/site.h"

#include "dynamics/sheet_kernel.h"

#include "dynamics/load_kernel.h"

#include "dynamics/wrench_kernel.h"

static bool set_finite(const limb_model* m, const real* q, const real* v, const real* a)
{
  return !any_nonfinite_input(m->nq, q) && !(v && any_nonfinite_input(m->nv, v)) &&
         !(a && any_nonfinite_input(m->nv, a));
}

static bool set_finite_result(const limb_model* m, const real* x) { return !any_nonfinite(m->nv, x); }

static bool set_finite_matrix(const limb_model* m, const real* A)
{
  const int some = m->nv < 64 ? m->nv : 1; // rows of small matrices together
  for (int i = 0; i < m->nv; i += some) {
    if (any_nonfinite_input(some * m->nv, A + (size_t)i * (size_t)m->nv)) return false;
  }
  return true;
}

static void set_link_motion(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, const real* v,
                            const real* a, real* X, real* vel, real* acc, real* acc_v)
{
  const link_arrays out = {(pose*)X, (motion*)vel, (motion*)acc, (motion*)acc_v};
  load_coordinates(m, k, ws, q);
  const real* cv = v ? in_compiled_order(m, v, ws->v) : NULL;
  const real* ca = a ? in_compiled_order(m, a, ws->a) : NULL;
  link_motion(m, k, ws, cv, ca, &out);
}

// Needs the coordinates loaded. Not for the call below, which is the one that must be fast: whatever stands
// between loading and the passes costs it a tenth.
KERNEL_ONCE void set_loaded_inverse_dynamics(const limb_model* m, const link_const* k, const limb_ws* ws, const real* v,
                                             const real* a, const limb_terms* terms, const real* wrench, real* tau)
{
  newton_euler_passes(m, k, ws, v, a, terms, wrench, tau);
}

static void set_inverse_dynamics(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                                 const real* v, const real* a, const limb_terms* terms, const real* wrench, real* tau)
{
  load_coordinates(m, k, ws, q);
  newton_euler_passes(m, k, ws, v, a, terms, wrench, tau);
}

// M in the user's order, added to zeros, and its packed rows. Need the coordinates loaded.
KERNEL_ONCE void put_user_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, real* M)
{
  const target to = {M_USER, M};
  crba(m, k, ws, &to);
}

KERNEL_ONCE void put_packed_rows(const limb_model* m, const link_const* k, const limb_ws* ws, real* packed)
{
  if (m->has_mimic || !m->serial) {
    for (size_t i = 0; i < m->elim.packed; i++) packed[i] = zero();
  }
  const target to = {M_PACKED, packed};
  crba(m, k, ws, &to);
}

static void set_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* M)
{
#ifdef CHAIN
  if (q && limb_is_chain(m) && CHAIN_PAYS(m->nv)) {
    CHAIN.mass_matrix(m, k, ws, q, M);
    return;
  }
#endif
  if (q) load_coordinates(m, k, ws, q);
  const size_t entries = (size_t)m->nv * (size_t)m->nv;
  if (!m->identity || !m->serial) {
    for (size_t i = 0; i < entries; i++) M[i] = zero();
  }
  if (m->identity) {
    const target to = {M_COMPILED, M};
    crba(m, k, ws, &to);
  } else {
    put_user_matrix(m, k, ws, M);
  }
}

// Needs the coordinates loaded.
static real set_factor_loaded(const limb_model* m, const link_const* k, const limb_ws* ws, real* packed)
{
  put_packed_rows(m, k, ws, packed);
  return ltl_factor(&m->elim, m->nv, packed, ws->a);
}

static real set_factor(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* packed)
{
  load_coordinates(m, k, ws, q);
  return set_factor_loaded(m, k, ws, packed);
}

static real set_invert(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, real* packed,
                       real* Minv)
{
  const real least = set_factor(m, k, ws, q, packed);
  *ws->sheet.fine = ROWS.invert(&m->elim, m->nv, packed, Minv, ws->sheet.work);
  return least;
}

static void set_solve(const limb_model* m, const limb_ws* ws, const real* packed, real* x)
{
  real* y = ws->tau;
  for (int k = 0; k < m->nv; k++) y[k] = x[m->elim.v[k]];
  ltl_solve(&m->elim, m->nv, packed, y);
  for (int k = 0; k < m->nv; k++) x[m->elim.v[k]] = y[k];
}

static real set_aba(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, const real* v,
                    const real* tau, const limb_terms* terms, const real* wrench, real* a)
{
  load_coordinates(m, k, ws, q);
  const real* cv = in_compiled_order(m, v, ws->v);
  real* ca = m->identity ? a : ws->a;
  const marks forces = {NULL, left_forces(m, ws, cv, tau, terms), NULL};
  const real least = articulated_passes(m, k, ws, cv, wrench, &forces, ca);
  if (!m->identity) in_user_order(m, ca, a);
  return least;
}

static real set_by_mass_matrix(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q,
                               const real* v, const real* tau, const limb_terms* terms, const real* wrench,
                               real* packed, real* a)
{
  load_coordinates(m, k, ws, q);
  const real least = set_factor_loaded(m, k, ws, packed);
  // h + friction + springs - wrenches: inverse dynamics without acceleration
  set_loaded_inverse_dynamics(m, k, ws, v, no_acceleration(m, ws), terms, wrench, a);
  for (int i = 0; i < m->nv; i++) a[i] = sub(tau[i], a[i]);
  set_solve(m, ws, packed, a);
  return least;
}

#include "dynamics/hybrid_kernel.h"

#include "dynamics/derivative_kernel.h"

#include "kinematics/link_axis_kernel.h"

#include "dynamics/regressor_kernel.h"

#include "kinematics/frame_kernel.h"

#if defined(CHAIN)
static real set_forward_chain(const limb_model* m, const link_const* k, const limb_ws* ws, const real* q, const real* v,
                              const real* tau, const limb_terms* terms, const real* wrench, real* a)
{
  return CHAIN.forward(m, k, ws, q, v, tau, terms, wrench, a);
}
#else
#include "linalg/square_kernel.h"

#include "dynamics/forward_chain_kernel.h"
#define set_forward_chain forward_chain
#endif

// A member of a table: SET(aba) is .aba = set_aba.
#define SET(x) .x = set_##x
