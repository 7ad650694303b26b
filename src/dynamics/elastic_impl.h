// Workspace of the inverse dynamics of robots with shafts: power series (kernel/numbers.h) through the kernels.
#ifndef LIMB_ELASTIC_IMPL_H
#define LIMB_ELASTIC_IMPL_H

#include "limb/dynamics.h"

#include "base/memory.h"
#include "dynamics/environment.h"
#include "kernel/numbers.h"

_Static_assert((int)LIMB_ELASTIC_ORDER_MAX == (int)LIMB_SERIES_DEGREE + 2,
               "positions have two derivatives more than forces");

// Where a shaft stands among the others: its force contains the motors of shafts that must be solved before.
typedef struct limb_shaft_level {
  int pass; // in which its motor is solved, from 1 on
  // derivatives that its motor's angle has less than the links; with friction, which damps: [1]
  int cost[2];
  int behind; // shaft that has the driven joint for a motor; -1: none
} limb_shaft_level;

typedef struct limb_levels {
  limb_shaft_level* shaft; // nshaft
  int* driven;             // nv: shaft that drives it; -1: none
  int* driving;            // nv: shaft that it drives; -1: none
  int passes;
  int order[2]; // derivatives of the links' motion that are needed, as cost
} limb_levels;

struct limb_series {
  const limb_model* m;
  limb_memory memory;
  limb_data* d; // over double: checks and environment
  limb_levels levels;
  limb_ws ws;                     // over series; its base states are those of d
  limb_series_number *q, *v, *a;  // nq, nv, nv
  limb_series_number* tau;        // nv: without the shafts
  limb_series_number* torque;     // nshaft: T
  limb_series_number *X, *wrench; // nlink poses and forces on links, in link axes
  double* at;                     // nq: the configuration, with zeros for the angles of motors that follow
};

#endif
