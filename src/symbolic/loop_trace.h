// Robots with loops over symbols: their equations, and all velocities as functions of the independent ones.
//
// Reference: Khalil 2010, (55)-(58); kernel/constraint_kernel.h has the equations, symbolic/loop_split.h the
// choice, symbolic/solve_kernel.h the solution.
//
//   v = G y'        a = G y'' + g        y: independent coordinates
//
// Dependent velocities are found block by block: a loop whose unknowns are as many as its rows is a block of
// its own, those of earlier blocks being known; what is left of a cluster is one more.
#ifndef LIMB_LOOP_TRACE_H
#define LIMB_LOOP_TRACE_H

#include "symbolic/loop_split.h"
#include "symbolic/trace.h"

LIMB_LOOP_KERNEL_TYPES(limb_loop_kernels_symbol, limb_scalar, limb_link_symbol);

typedef struct limb_loop_kernels_symbol {
  LIMB_KERNEL(limb_loop_kernels_symbol, rows);
} limb_loop_kernels_symbol;

extern const limb_loop_kernels_symbol limb_loop_trace_kernels; // loop_trace_kernels.c

typedef struct limb_trace_block limb_trace_block; // loop_trace.c

// A robot with loops at a state of symbols. Vectors and matrices of the tree are in the user's order, rows in
// that of the clusters.
typedef struct limb_loop_trace {
  limb_tracer* t;
  limb_model m;                       // the robot; poses of frames without rounding
  limb_scalar *X, *vel, *acc, *acc_v; // of the links: 12, 6, 6 and 6 each
  limb_scalar *Psi, *gamma;           // blocks of the clusters; nrow
  limb_split split;
  int nblock;
  limb_trace_block* block;
  limb_scalar *G, *g; // nv x ny; nv
} limb_loop_trace;

// A pose without the rounding of numbers that would be 0, 1 or -1 but for it.
sp_pose limb_settled_pose(sp_pose X);

// Psi, and gamma if the robot moves. LIMB_E_UNSUPPORTED: there are no loops, or laws.
limb_status limb_trace_rows(limb_tracer* t, bool moving, limb_loop_trace* out);

// The same, then the choice, G, and g if the robot moves. prefer: as for limb_split_choose.
limb_status limb_trace_map(limb_tracer* t, const unsigned char* prefer, bool moving, limb_loop_trace* out);

// G' f: ny numbers.
void limb_trace_along(const limb_loop_trace* c, const limb_scalar* f, limb_scalar* out);

// G' M G: ny x ny, from the mass matrix of the tree. LIMB_E_NOMEM.
limb_status limb_trace_reduced_mass(limb_loop_trace* c, limb_scalar* out);

// What the tree needs for accelerations a: inverse dynamics.
void limb_trace_tree(limb_loop_trace* c, const limb_scalar* v, const limb_scalar* a, limb_scalar* out);

// Multipliers of least norm with (Psi' lambda)_d = f_d. f is used up.
limb_status limb_trace_multipliers(limb_loop_trace* c, limb_scalar* f, limb_scalar* lambda);

// tau at active joints that balances tree; zero at the others. LIMB_E_UNSUPPORTED: motions without motor.
limb_status limb_trace_share(limb_loop_trace* c, const limb_scalar* tree, limb_scalar* tau);

// a = G y'' + g for the y'' that tau makes: forward dynamics at v. LIMB_E_NOMEM.
limb_status limb_trace_forward(limb_loop_trace* c, const limb_scalar* tau, limb_scalar* a);

// x = G y, and with more: x += more.
void limb_trace_follow(const limb_loop_trace* c, const limb_scalar* y, const limb_scalar* more, limb_scalar* x);

#endif
