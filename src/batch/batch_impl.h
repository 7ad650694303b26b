// The batch behind the opaque type, and its kernels as the entry points see them: plain pointers, whatever
// the vectors inside are (kernel/batch_kernel.h).
#ifndef LIMB_BATCH_IMPL_H
#define LIMB_BATCH_IMPL_H

#include "limb/batch.h"
#include "limb/loops.h"

#include "base/memory.h"
#include "kernel/batch_tables.h"

struct limb_batch {
  const limb_model* m;
  limb_memory memory;
  limb_batch_options options;
  limb_link_f32* k32; // nlink: link constants in float
  int np;             // parameters of the regressor
  int nspace;         // of the pool's threads
  limb_batch_space* space;
  const limb_batch_kernels *f64, *f32;
};

// Whether a call is over float: which constants and kernels it takes.
typedef enum limb_batch_type { LIMB_BATCH_F64, LIMB_BATCH_F32 } limb_batch_type;

// A call as it was made. v and x (accelerations or forces) are NULL where it has none.
typedef struct limb_batch_call {
  limb_batch* b;
  limb_batch_type type;
  size_t n;
  const void *q, *v, *x;
  const limb_batch_environment* env;
  void* out[4];
  limb_status* status;
} limb_batch_call;

// Whether a regressor of np columns fits into a workspace in lanes.
static inline bool limb_batch_regressor_fits(const limb_model* m, int np)
{
  return np == 0 || m->nv <= LIMB_BATCH_REGRESSOR_MOST / np;
}

// For robots whose matrices do not fit in lanes: one call for one state. Double, and state after state, only.
extern const limb_batch_kernels limb_batch_one_by_one;

// The kernels of a call; limb_batch_go refuses those that are NULL.
static inline const limb_batch_kernels* limb_batch_kernels_of(const limb_batch_call* c)
{
  if (c->b->m->nloop > 0) return &limb_batch_one_by_one;
  return c->type == LIMB_BATCH_F32 ? c->b->f32 : c->b->f64;
}

// A job from a call, without its environment. LIMB_E_ARG: no batch, more states than memory holds, or lanes that are
// not aligned.
limb_status limb_batch_prepare(const limb_batch_call* c, limb_batch_job* out);

// Reads the environment. LIMB_E_ARG, LIMB_E_UNSUPPORTED and LIMB_E_NONFINITE as limb_environment_read.
limb_status limb_batch_read_environment(const limb_batch_call* c, limb_batch_job* job);

// The status of an environment that single calls refuse: LIMB_E_NONFINITE is kept for states.
static inline limb_status limb_batch_refusal(limb_status s) { return s == LIMB_E_NONFINITE ? LIMB_E_ARG : s; }

// The same, but only gravity.
limb_status limb_batch_read_gravity(const limb_batch_call* c, limb_batch_job* job);

// Runs a job over all states; returns the status of the first that failed. LIMB_E_UNSUPPORTED without a kernel.
limb_status limb_batch_go(limb_batch* b, const limb_batch_job* job, limb_batch_run* kernel);

// The kernels of a call with matrices that may not fit in lanes, which goes state by state where it can from so many
// velocities on; NULL: there are none (LIMB_E_UNSUPPORTED).
const limb_batch_kernels* limb_batch_matrix_kernels(const limb_batch_call* c, bool in_lanes, int singly_from);

// Whether a pool of the caller can be used (threads.c).
bool limb_pool_valid(const limb_pool* p);

// ---- one call on several processors -------------------------------------------------------------------------

// One call on several processors: the parts of a robot.
//
// A part is a robot of its own, on a base that moves: the link that carries it. It shares the constants of
// its links with the model. What no part contains is the trunk, a robot on the model's own base. A limb is
// what one link of the trunk carries: one part, or several in a row, when it is a chain.
//
// Motions of a base are nine numbers: angular velocity, angular acceleration, acceleration of the origin
// (kernel/rnea_kernel.h). Forces are moment and force at a link's origin, in its axes.

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
