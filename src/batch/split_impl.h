// One call on several processors: the parts of a robot.
//
// A part is a robot of its own, on a base that moves: the link that carries it. It shares the constants of
// its links with the model. What no part contains is the trunk, a robot on the model's own base. A limb is
// what one link of the trunk carries: one part, or several in a row, when it is a chain.
//
// Motions of a base are nine numbers: angular velocity, angular acceleration, acceleration of the origin
// (kernel/rnea_kernel.h). Forces are moment and force at a link's origin, in its axes.
#ifndef LIMB_SPLIT_IMPL_H
#define LIMB_SPLIT_IMPL_H

#include "limb/batch.h"

#include "kernel/batch_tables.h"

enum { LIMB_SPLIT_PARTS = LIMB_SPLIT_PROCESSORS_MAX + 1 }; // at most

// What a robot is cut into. Ranges of links that are all descendants of the link before the first one (but
// for the next parts of a limb); ascending.
typedef struct limb_plan {
  int count; // 0: not at all
  struct {
    int begin, end;
    int previous; // part; -1: the trunk carries it
  } part[LIMB_SPLIT_PARTS];
} limb_plan;

typedef struct limb_cut {
  int count;
  limb_part trunk;
  limb_link_f64* k64; // of the trunk
  limb_dof* dof;
  limb_actuator* actuator;
  sp_force* wrench;
  int* link; // of the robot, for those of the trunk
  limb_part* part;
  limb_part* view; // forward: the first links of each part's next one, for a guess of all it holds
  bool rows;       // some limb has several parts
} limb_cut;

typedef enum limb_split_way { LIMB_SPLIT_INVERSE, LIMB_SPLIT_FORWARD } limb_split_way;

struct limb_split {
  const limb_model* m;
  const limb_pool* pool;
  limb_memory memory;
  limb_data* d; // environment, and plain calls
  const limb_split_kernels* kernels;
  limb_cut cut[2]; // by direction
  limb_split_call call;
  int phase;
  int order[LIMB_SPLIT_PARTS]; // parts that have something to do
};

// Where to cut; split_plan.c.
limb_plan limb_plan_cut(const limb_model* m, limb_split_way way, const limb_split_options* options);

#endif
