// What a kernel is given: the robot, its constants over the parameter type, a workspace; and the types of its
// arguments.
//
// A translation unit defines before
//
//   the scalar vocabulary   kernel/scalar_native.h or a file with the same words; default: double
//   LINK_CONST              struct of link constants over its parameter type; default: double's
//   KERNEL_SET              name of LIMB_KERNEL_TYPES (kernel/tables.h); default: double's
#ifndef LIMB_KERNEL_CONTEXT_H
#define LIMB_KERNEL_CONTEXT_H

#include "kernel/tables.h"
#include "kernel/vectors.h"

#ifndef LINK_CONST
#define LINK_CONST limb_link_f64
#endif
#ifndef KERNEL_SET
#define KERNEL_SET limb_kernels
#endif

typedef LINK_CONST link_const;
typedef LIMB_JOIN(KERNEL_SET, _motion) motion_in;
typedef LIMB_JOIN(KERNEL_SET, _load) load_in;
typedef LIMB_JOIN(KERNEL_SET, _slopes) slopes;
typedef LIMB_JOIN(KERNEL_SET, _hybrid) hybrid_in;
typedef LIMB_JOIN(KERNEL_SET, _lanes) lane_kernels;
typedef LIMB_JOIN(KERNEL_SET, _lanes_in) lane_in;
typedef LIMB_JOIN(KERNEL_SET, _lanes_out) lane_out;
typedef LIMB_JOIN(KERNEL_SET, _lanes_second) second_out;

// Passed by value to functions that are inlined, where it costs nothing. Those that are not (KERNEL_ONCE,
// KERNEL_PASS, entries of tables) take its members apart, in registers: on the stack it would be copied.
typedef struct context {
  const limb_model* m;
  const link_const* k; // constants of the links
  const limb_ws* ws;
} context;

// ---- the workspace by types ------------------------------------------------------------------------
//
// One layout serves all scalars (model/data_impl.h). Arrays of structs that belong to a kernel have their typed
// access beside the struct.

KERNEL const limb_link* link_of(context ctx, int i) { return &ctx.m->link[i]; }

// nlink forces, link axes and origins; [-1] is the world's
KERNEL force* link_forces(context ctx) { return (force*)ctx.ws->force + 1; }

// Where a column of a table with so many rows starts (model/dof_table.h), and how far apart its rows are. A scalar that
// holds states fills a line of the cache: its rows are neighbours.
#ifdef STATE_SWEEPS
enum { APART = 1 };
KERNEL ptrdiff_t table_column(int i, int rows) { return (ptrdiff_t)i * rows; }
#else
enum { APART = LIMB_LANES_MAX };
KERNEL ptrdiff_t table_column(int i, int rows) { return limb_dof_table_at(i, rows); }
#endif

// naux: rotation and offset of a ball or free joint in the parent
KERNEL pose* dense_poses(context ctx) { return ctx.ws->dense; }

#endif
