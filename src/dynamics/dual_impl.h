// Workspace of derivatives along directions: dual numbers (kernel/numbers.h) through the kernels.
//
// Values are loaded once (limb_dual_point); then each of the LIMB_TANGENTS slots takes one direction
// (limb_dual_along), and one call of a kernel carries all of them.
#ifndef LIMB_DUAL_IMPL_H
#define LIMB_DUAL_IMPL_H

#include "limb/derivatives.h"

#include "base/memory.h"
#include "dynamics/environment.h"
#include "kernel/tables.h"

_Static_assert((int)LIMB_DIRECTIONS == (int)LIMB_TANGENTS, "a pass takes as many directions as a number has");

// Where derivatives are taken: x is the acceleration, or the force that makes it.
typedef struct limb_dual_at {
  const double *q, *v, *x;
  const limb_environment* env;
} limb_dual_at;

enum {        // rows of scratch
  ROWS_ACC,   // change of the accelerations along a group of directions
  ROWS_MU,    // of the weights
  ROWS_FIRST, // accelerations along the first directions of pairs
  ROWS_UNIT,  // unit directions
  ROWS_DQ,    // gradients
  ROWS_DV,
  ROWS_DX,
  LIMB_DUAL_SCRATCH
};

struct limb_dual {
  const limb_model* m;
  limb_memory memory;
  limb_data* d; // over double: checks, environment, poses, solves
  const limb_kernels_dual* kernels;
  limb_ws ws;                      // over dual numbers; its base states are those of d
  limb_dual_at at;                 // what was loaded last; valid during a call
  limb_dual_number *q, *v, *x;     // nq, nv, nv: the same with tangents
  limb_dual_number* y;             // nv: the other one
  limb_dual_number* z;             // nv: forces of hybrid dynamics
  limb_dual_number* wrench;        // nlink forces, link axes
  limb_dual_number *dq, *dv, *dx;  // nv x nv: derivatives of y; NULL when for vectors only
  double* rate;                    // nq: of q along a direction
  double *acc, *mu;                // nv: scratch of second derivatives
  double* rows[LIMB_DUAL_SCRATCH]; // LIMB_TANGENTS x nv each: scratch of second derivatives
  double* work;                    // of tensors (limb_kernels_lanes_second)
  int* path;
  double* slopes; // 4 nv x nv: of accelerations, and a Hessian
};

static inline bool limb_dual_has_loops(const limb_dual* w) { return w && w->m->nloop > 0; }

// Checks everything that a call brings but the environment; dx are the directions of x, and no_dx those of
// the other one, which must not be there.
limb_status limb_dual_check(limb_dual* w, const limb_dual_at* at, const limb_directions* along, const double* dx,
                            const double* no_dx);

// Reads the environment; with_wrenches: brings wrenches to the links, too, and limb_leave(w->d, x) must
// follow.
limb_status limb_dual_enter(limb_dual* w, const limb_dual_at* at, bool with_wrenches, limb_call_environment* x);

// Values, all tangents zero.
void limb_dual_point(limb_dual* w, const limb_dual_at* at);

// Directions first, first + 1, ... in the slots, zeros where there are no more.
void limb_dual_group(limb_dual* w, const limb_directions* along, const double* dx, int first);

// Wrenches of the environment as dual numbers, along directions first, first + 1, ...; NULL when there are
// none.
const limb_dual_number* limb_dual_wrench_group(limb_dual* w, const limb_call_environment* x,
                                               const limb_directions* along, int first);

// May second derivatives be asked for: LIMB_OK, LIMB_E_ARG or LIMB_E_UNSUPPORTED.
limb_status limb_dual_ready(const limb_dual* w);

// By the kernels of inverse or forward dynamics at a point: w->y and its derivatives w->dq, w->dv, w->dx,
// with the tangents of directions first, first + 1, ...
typedef enum limb_dual_kind { LIMB_DUAL_INVERSE, LIMB_DUAL_FORWARD } limb_dual_kind;
limb_status limb_dual_slopes(limb_dual* w, limb_dual_kind kind, const limb_dual_at* at, const limb_directions* along,
                             const double* dx, int first);

// ---- second derivatives in closed form (second_closed.c) ----------------------------------------------------

// A point of inverse or forward dynamics.
typedef struct limb_second_point {
  limb_dual_kind kind;
  limb_dual_at given;   // as the user gave it
  limb_dual_at inverse; // the same point of inverse dynamics: x are accelerations
  limb_call_environment around;
} limb_second_point;

// Whether there is a closed form: not with wrenches or mimic joints.
bool limb_second_is_closed(const limb_dual* w, const limb_second_point* p);

// All tensors that are wanted, those of forward dynamics with out->dqdx only; and Hessians of sums with weights.
limb_status limb_second_tensors(limb_dual* w, const limb_second_point* p, const limb_second_derivatives* out);
limb_status limb_second_hessian(limb_dual* w, const limb_second_point* p, const double* lambda,
                                const limb_second_derivatives* out);

// How many directions the group from first on has.
static inline int limb_dual_used(const limb_directions* along, int first)
{
  const int left = along->count - first;
  return left < LIMB_TANGENTS ? left : LIMB_TANGENTS;
}

static inline const double* limb_row(const double* A, int row, int nv) { return A ? A + (ptrdiff_t)row * nv : NULL; }

#endif
