// Forward dynamics with loops that hold the ends of chains, as its caller sees it (kernel/held_kernel.h, loops/held.c).
#ifndef LIMB_KERNEL_HELD_H
#define LIMB_KERNEL_HELD_H

#include "kernel/tables.h"

enum { LIMB_HELD_ROWS = 6, LIMB_HELD_COLUMNS = 8, LIMB_HELD_CLOSURE = 38 * LIMB_HELD_COLUMNS };

#define LIMB_HELD_SPAN   1e-4 // pivots of J J', J: how chains move the constraints; beside the largest entry
#define LIMB_HELD_DIGITS 1e-6 // pivots of Lambda, beside their own diagonal

typedef struct limb_held {       // a closure, numbered as the loops
  int rows, row[LIMB_HELD_ROWS]; // constraints that are not idle, in the order of the clusters
  int tip[2], end[2];            // links that it holds, b and a, and where their chains end; -1: the world
  int anchor;                    // the one of these that is a link; -1: none
  int next;                      // closure with the same anchor; -1: none
} limb_held;

typedef struct limb_held_plan {
  int count; // closures; 0: the robot is not like that
  limb_held* held;
  int* chain; // nlink: 2 closure + side; -1: in no chain
  int* at;    // nlink: first closure with that anchor; -1: none
} limb_held_plan;

typedef struct limb_held_in {
  const limb_held_plan* plan;
  const double *v, *tau;
  const limb_terms* terms;
  const double* wrench;
  const double *X, *vel, *acc_v; // of all links (limb_link_motion)
  const double *reach, *gamma;   // of all constraints
  void* closures;                // count, LIMB_HELD_CLOSURE doubles each
  void* share;                   // nlink, LIMB_HELD_COLUMNS doubles each
} limb_held_in;

typedef struct limb_held_kernels {
  // a; the smallest margin of a pivot: not positive where a state is not for it. NULL where every byte counts.
  double (*forward)(const limb_model* m, const limb_link_f64* k, const limb_ws* ws, const limb_held_in* in, double* a);
} limb_held_kernels;

LIMB_DECLARE_TABLES(limb_held_kernels, limb_held_kernels_f64);

// The fastest set that this processor runs.
const limb_held_kernels* limb_held_kernels_here(void);

#endif
