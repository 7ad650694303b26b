// The batch behind the opaque type, and its kernels as the entry points see them: plain pointers, whatever
// the vectors inside are (batch/batch_kernel.h).
#ifndef LIMB_BATCH_IMPL_H
#define LIMB_BATCH_IMPL_H

#include "limb/batch.h"
#include "limb/closed.h"

#include "base/memory.h"
#include "model/kernels.h"

// What a call asks of every state.
typedef struct limb_batch_job {
  const limb_model* m;
  int block;             // states that go through a kernel together
  const void* k;         // link constants over the scalar of the call
  bool lanes;            // arrays are in lanes, not in rows
  ptrdiff_t n;           // states
  const void *q, *v, *x; // x: accelerations or forces; NULL: none
  void* out[4];
  limb_status* status; // NULL: not wanted
  limb_terms terms;
  double* base; // states of the bases (limb_ws)
  int base_turns;
  int nfixed; // wrenches, the same in all states
  const limb_wrench* fixed;
  int nvaried; // and others
  const limb_batch_wrench* varied;
  const int* frame; // of kinematics
  int nframe;
  limb_ref ref;
  int np;                      // of the regressor
  const limb_environment* env; // as given, for calls state by state
  const limb_batch_steps* steps;
} limb_batch_job;

// The first state that failed, and how; PTRDIFF_MAX and LIMB_OK: none.
typedef struct limb_batch_failure {
  ptrdiff_t state;
  limb_status status;
} limb_batch_failure;

// Room for the scalars of one block of states: vectors of LIMB_BATCH_VECTOR bytes at most.
enum {
  LIMB_BATCH_VECTOR = 64,
  LIMB_BATCH_REGRESSOR_MOST = 1 << 15 // entries of a regressor that is made in lanes: 2 MB
};

typedef struct limb_batch_space {
  limb_ws ws;
  void *q, *v, *x, *y;        // nq, nv, nv, nv
  void* other;                // nv: accelerations by another method
  void* zeros;                // nv
  void* matrix[3];            // nv x nv each; NULL beyond LIMB_BATCH_MATRICES_MOST velocities
  void* regressor;            // nv x np; NULL: too large
  void* X;                    // nlink poses
  void* wrench;               // nlink forces
  void* load;                 // 8 for each of the wrenches that vary, 6 of them used
  void* loads;                // what the kernels call them
  void* wide;                 // poses of all bodies and frames, or a Jacobian
  void* stages;               // of a step in time (batch/step.h)
  limb_data* d;               // for robots that go state by state
  limb_batch_failure failure; // of the thread that works here
} limb_batch_space;

// Computes on states first ... end - 1, first being the first of a block.
typedef limb_batch_failure limb_batch_run(const limb_batch_job* job, const limb_batch_space* s, ptrdiff_t first,
                                          ptrdiff_t end);

// n states of so many numbers, rows to lanes or back.
typedef void limb_batch_turn(ptrdiff_t n, ptrdiff_t width, const void* from, void* to);

typedef struct limb_batch_kernels {
  int lanes; // states of a block
  limb_batch_turn *to_lanes, *to_rows;
  limb_batch_run *inverse_dynamics, *mass_matrix, *mass_matrix_inverse, *forward_dynamics;
  limb_batch_run *id_derivatives,
    *fd_derivatives; // out: the vector, by q, by v, by the last argument
  limb_batch_run *frame_poses, *frame_jacobian, *regressor;
  limb_batch_run* steps;       // out: q and v, which are q and v of the job as well
  limb_batch_run* bias_forces; // without v: gravity forces; NULL: inverse dynamics of the bodies alone
} limb_batch_kernels;

LIMB_DECLARE_TABLES(limb_batch_kernels, limb_batch_kernels_f64);
LIMB_DECLARE_TABLES(limb_batch_kernels, limb_batch_kernels_f32);

const limb_batch_kernels* limb_batch_kernels_f64_here(void);
const limb_batch_kernels* limb_batch_kernels_f32_here(void);

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

// Ways for robots whose matrices find no room in lanes: one call for one state. Double and rows only.
extern const limb_batch_kernels limb_batch_one_by_one;

// The kernels of a call. Those that are NULL in it, limb_batch_go refuses.
static inline const limb_batch_kernels* limb_batch_kernels_of(const limb_batch_call* c)
{
  if (c->b->m->nloop > 0) return &limb_batch_one_by_one;
  return c->type == LIMB_BATCH_F32 ? c->b->f32 : c->b->f64;
}

// A job from a call, surroundings left out. LIMB_E_ARG: no batch, more states than memory holds, or lanes
// that are not aligned.
limb_status limb_batch_prepare(const limb_batch_call* c, limb_batch_job* out);

// Reads the surroundings. LIMB_E_ARG, LIMB_E_UNSUPPORTED and LIMB_E_NONFINITE as limb_environment_read.
limb_status limb_batch_surround(const limb_batch_call* c, limb_batch_job* job);

// What a batch says of surroundings that single calls refuse: LIMB_E_NONFINITE is kept for states.
static inline limb_status limb_batch_refusal(limb_status s) { return s == LIMB_E_NONFINITE ? LIMB_E_ARG : s; }

// The same, but of what they say gravity only.
limb_status limb_batch_surround_gravity(const limb_batch_call* c, limb_batch_job* job);

// Runs a job over all states; returns the status of the first that failed. LIMB_E_UNSUPPORTED without a kernel.
limb_status limb_batch_go(limb_batch* b, const limb_batch_job* job, limb_batch_run* kernel);

// The kernels of a call with matrices that may find no room in lanes; NULL: there are none (LIMB_E_UNSUPPORTED).
const limb_batch_kernels* limb_batch_matrix_kernels(const limb_batch_call* c, bool in_lanes);

#endif
