// The kernels of many states, and of parts of a robot on several processors, as the entry points see them.
//
// Plain pointers, whatever the vectors inside are (kernel/batch_kernel.h).
#ifndef LIMB_KERNEL_BATCH_TABLES_H
#define LIMB_KERNEL_BATCH_TABLES_H

#include "limb/batch.h"
#include "limb/derivatives.h"
#include "limb/loops.h"

#include "kernel/tables.h"

// Scalars that a step in time needs besides its state: six vectors of velocities and one of coordinates.
static inline size_t limb_step_scalars(int nq, int nv) { return 6 * (size_t)nv + (size_t)nq; }

// What a call asks of every state.
typedef struct limb_batch_job {
  const limb_model* m;
  int block;             // states that go through a kernel together
  const void* k;         // link constants over the scalar of the call
  bool lanes;            // arrays are in lanes, not in rows
  ptrdiff_t n;           // states
  const void *q, *v, *x; // x: accelerations or forces; NULL: none
  const double* lambda;  // weights of Hessians; NULL: tensors
  void* out[4];
  limb_status* status; // NULL: not needed
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

// Scratch for the scalars of one block of states: vectors of LIMB_BATCH_VECTOR bytes at most.
enum {
  LIMB_BATCH_VECTOR = 64,
  LIMB_BATCH_REGRESSOR_MOST = 1 << 15 // entries of a regressor that is made in lanes: 2 MB
};

typedef struct limb_batch_space {
  limb_ws ws;
  void *q, *v, *x, *y; // nq, nv, nv, nv
  void* other;         // nv: accelerations by another method
  void* zeros;         // nv
  void* matrix[3];     // nv x nv each; NULL beyond LIMB_BATCH_MATRICES_MAX velocities
  void* regressor;     // nv x np, all columns or the bodies' alone; NULL: too large
  void* X;             // nlink poses
  void* wrench;        // nlink forces
  void* load;          // 8 for each of the wrenches that vary, 6 of them used
  void* loads;         // what the kernels call them
  void* wide;          // poses of all bodies and frames, or a Jacobian
  void* stages;        // of a step in time (kernel/step_kernel.h)
  limb_dual* w;        // of second derivatives; NULL: no scratch for them
  limb_data* d;        // for robots that go state by state, and states in doubt:
  bool (*is_regular)(limb_data* d, const double* q, const unsigned char* given);
  limb_status (*accelerate)(limb_data* d, const limb_kernels_motion* in, const double* wrench, double* a);
  double* lane;               // nq, 3 nv, nlink forces: one state in doubt, of a batch over float
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
  limb_batch_run *inverse_dynamics, *mass_matrix, *packed_mass_matrix, *mass_matrix_inverse, *forward_dynamics,
    *coriolis_matrix;
  limb_batch_run *id_derivatives,
    *fd_derivatives; // out: the vector, by q, by v, by the last argument
  limb_batch_run *frame_poses, *frame_jacobian, *regressor;
  limb_batch_run* steps;       // out: q and v, which are q and v of the job as well
  limb_batch_run* bias_forces; // without v: gravity forces; NULL: inverse dynamics of the bodies alone
  // out: by q and q, q and v, v and v, q and the last argument; NULL: not in lanes
  limb_batch_run *id_second, *fd_second;
} limb_batch_kernels;

LIMB_DECLARE_TABLES(limb_batch_kernels, limb_batch_kernels_f64);
LIMB_DECLARE_TABLES(limb_batch_kernels, limb_batch_kernels_f32);

const limb_batch_kernels* limb_batch_kernels_f64_here(void);
const limb_batch_kernels* limb_batch_kernels_f32_here(void);

// ---- parts of a robot ------------------------------------------------------------------------------

enum { LIMB_TIP_COLUMNS = 8 }; // columns of a limb_tip

// What the last link of a part does against the base: pose, velocity, and accelerations over a base at rest.
typedef struct limb_relative {
  double R[9], p[3]; // row-major
  double w[3], v[3], al[3], a[3];
} limb_relative;

// A part that carries the next one at its tip (kernel/aba_kernel.h), known up to a difference: rows of columns.
typedef struct limb_tip {
  double Phi[6][LIMB_TIP_COLUMNS], beta[LIMB_TIP_COLUMNS], Lambda[6][LIMB_TIP_COLUMNS];
  double h[LIMB_TIP_COLUMNS]; // the difference in force
  double (*share)[LIMB_TIP_COLUMNS];
} limb_tip;

// That difference: h = W a + h0, for the acceleration a that the base of the part would give its last link.
typedef struct limb_grip {
  double W[6][6], h0[6];
} limb_grip;

typedef struct limb_part {
  limb_model m; // the part
  limb_ws ws;
  limb_link* link; // of m
  limb_branch* branch;
  int begin, dof;       // its first link and compiled degree of freedom in the robot; trunk: 0
  int previous, next;   // parts of the limb; -1: none
  int trunk_link;       // link of the trunk that carries the limb
  const double* wrench; // on its links; NULL: none
  limb_relative relative;
  limb_tip tip;
  limb_grip grip;
  double min_pivot; // margin of a pivot
  bool fine;        // results are finite
} limb_part;

// The user's vectors of a call: x and y are a and tau, or the other way round. Nothing in it is on the
// caller's stack, which the caller goes on writing to: other processors would wait for its lines.
typedef struct limb_split_call {
  const double *q, *v, *x;
  double* y;
  limb_terms terms;
} limb_split_call;

// Kernels on one part. hand: it is no trunk.
typedef struct limb_split_kernels {
  void (*load)(const limb_part* p, const limb_split_call* c);
  void (*inverse_out)(const limb_part* p, const limb_split_call* c);
  void (*inverse_back)(const limb_part* p, bool is_part, const limb_split_call* c);
  bool (*inverse_end)(const limb_part* p, const limb_split_call* c); // true: results are finite
  void (*relative)(const limb_part* p, const limb_split_call* c, limb_relative* out);
  // the motion of the last link; a force on it, added to what the base transmits
  void (*advance)(const limb_relative* r, const double* base, double* last);
  void (*hand_on)(const limb_relative* r, const double* force, double* add_scaled);
  void (*forward_out)(const limb_part* p, const limb_split_call* c);
  // holds, if not NULL, becomes what the part is without the next one
  double (*forward_back)(const limb_part* p, bool is_part, limb_tip* holds);
  bool (*forward_end)(const limb_part* p, const limb_split_call* c, const limb_tip* holds);
} limb_split_kernels;

LIMB_DECLARE_TABLES(limb_split_kernels, limb_split_kernels_f64);

const limb_split_kernels* limb_split_kernels_here(void);

#endif
