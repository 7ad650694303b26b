// limb: robot dynamics in C. Many states of one robot at once.
//
// A call answers the same question for n states. Several states go through one instruction (lanes), and with
// a pool (limb/batch.h) through several threads. The formulas are those of the calls for one state, in the
// same order; docs/batch.md says how near the answers are, and how fast.
//
//     limb_batch* b;
//     limb_batch_create(model, NULL, NULL, &b);
//     limb_batch_inverse_dynamics(b, n, q, v, a, NULL, tau, NULL);    // q: n rows of nq, the others of nv
//
// Arrays. LIMB_BATCH_BY_STATE: state after state, [n][width], as programs have them; no alignment is asked for.
// LIMB_BATCH_BY_LANE: what the processor works on, blocks of lanes(b) states, [block][width][lane]; an array
// has room for limb_batch_array_length() numbers, and is aligned to LIMB_DATA_ALIGN; lanes behind the last state
// are read and written, and mean nothing. The width is nq, nv, nv nv (row-major, full), or as a call says.
// Inputs must not overlap outputs, but for limb_batch_step.
//
// Every call exists over double and, with _f32, over float: inputs, outputs and the computation itself.
// Lengths of float vectors are twice those of double. Poses of far away and masses of a robot keep seven
// digits then; forward dynamics of long chains loses most of them (docs/batch.md).
//
// Robots with loops are answered with their loops closed, as by the calls for one state. Their kernels choose pivots
// by values, which lanes cannot: states go one by one, on the threads of the pool. State after state and double only,
// without wrenches that vary, and no steps in time (LIMB_E_UNSUPPORTED).
//
// Statuses. A state that fails does not harm the others. Its outputs are NaN, its entry in `status` says why
// (LIMB_E_NONFINITE, LIMB_E_ARG for a quaternion whose norm is more than 1e-3 off 1, LIMB_E_SINGULAR), and
// the call returns the entry of the first such state. status may be NULL. Where nothing is computed,
// LIMB_E_ARG (NULL, a bad frame, a pool or environment that is none), LIMB_E_UNSUPPORTED, neither status
// nor outputs are touched. n may be 0. Calls never allocate; a limb_batch belongs to one caller at a time,
// and the model and the pool must outlive it.
#ifndef LIMB_BATCH_H
#define LIMB_BATCH_H

#include "limb/base.h"
#include "limb/derivatives.h"
#include "limb/dynamics.h"
#include "limb/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- threads ----------------------------------------------------------------------------------------
//
// Threads: handed in by the caller, or limb's own.
//
// Calls that can use several processors take a limb_pool: a function that runs tasks. It stands for whatever
// the program has, a pool of its own, OpenMP (limb/openmp.h), or the threads of limb_threads below. Results
// never depend on the pool: any number of threads gives the same bits.

/// One task of several: index tells which.
typedef void limb_pool_task(void* argument, int index);

/// How tasks are run. Fill all members.
typedef struct limb_pool {
  size_t size;   ///< sizeof(limb_pool)
  int threads;   ///< tasks that run at the same time, at least 1; the caller's thread counts
  void* context; ///< handed on
  /// Runs task(argument, 0), ..., task(argument, count - 1), each exactly once, on any thread and in any
  /// order, and returns when all have ended. What was written before the call is seen by all tasks, what
  /// they wrote by the caller. count may be larger than threads. Tasks never wait for each other.
  void (*run)(void* context, int count, limb_pool_task* task, void* argument);
} limb_pool;

/// Threads that wait for work: for a few microseconds awake, then asleep.
typedef struct limb_threads limb_threads;

/// Starts threads. The caller's thread works, too: threads - 1 are started. They take no signals, and keep
/// the rounding and the treatment of subnormal numbers that the caller's thread has now. A child of fork()
/// has none of them: it must neither use nor end what its parent started.
/// @param threads  1 ... 4096, or 0: as many as there are processors for this process
/// @return LIMB_OK; LIMB_E_ARG (NULL, a number out of range, half an allocator); LIMB_E_NOMEM;
///         LIMB_E_UNSUPPORTED (limb was built without threads and more than one is asked for, or the system
///         refuses to start them).
LIMB_NODISCARD LIMB_API limb_status limb_threads_create(int threads, const limb_allocator* alloc, limb_threads** out);

/// Ends them; no call may use the pool any more. NULL is accepted.
LIMB_API void limb_threads_destroy(limb_threads* t);

/// Their pool, which lives as long as they do; NULL for NULL. Several callers may use it at the same time,
/// and a task may: who finds the threads busy does the work itself.
LIMB_API const limb_pool* limb_threads_pool(const limb_threads* t);

/// Workspace of batch calls: lanes of one block of states for every thread.
typedef struct limb_batch limb_batch;

enum {
  /// Velocities of a robot whose matrices are made in lanes. Those of larger robots, and regressors of more
  /// than 32768 entries, are made state by state: in rows, over double, and derivatives without wrenches that
  /// vary; LIMB_E_UNSUPPORTED otherwise.
  LIMB_BATCH_MATRICES_MAX = 256
};

/// Where a state's numbers are. Values are pinned.
typedef enum limb_batch_layout {
  LIMB_BATCH_BY_STATE = 0, ///< [state][width]
  LIMB_BATCH_BY_LANE = 1   ///< [block][width][lane]
} limb_batch_layout;

/// Start from limb_default_batch_options(); NULL stands for that.
typedef struct limb_batch_options {
  size_t size;                     ///< sizeof(limb_batch_options), set by the default function
  limb_batch_layout layout;        ///< of all arrays; default: rows
  int wrenches;                    ///< most of limb_batch_environment, default 8
  const limb_pool* pool;           ///< default NULL: the caller's thread only
  const limb_loop_settings* loops; ///< for robots with loops (limb_set_loops); default NULL; read once
} limb_batch_options;

LIMB_API limb_batch_options limb_default_batch_options(void);

/// Bytes that limb_batch_init needs. 0 for a NULL model or options that are none.
LIMB_API size_t limb_batch_size(const limb_model* m, const limb_batch_options* options);

/// Lays a workspace out in caller memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, options or a pool that are
/// none);
///         LIMB_E_NOMEM (size too small).
LIMB_NODISCARD LIMB_API limb_status limb_batch_init(const limb_model* m, const limb_batch_options* options,
                                                    void* memory, size_t size, limb_batch** out);

/// Convenience: allocates (alloc NULL: malloc) and initialises. Free with limb_batch_destroy.
LIMB_NODISCARD LIMB_API limb_status limb_batch_create(const limb_model* m, const limb_batch_options* options,
                                                      const limb_allocator* alloc, limb_batch** out);

/// Ends a workspace, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_batch_destroy(limb_batch* b);

LIMB_API const limb_model* limb_batch_model(const limb_batch* b); ///< NULL for NULL

// ---- lanes ----------------------------------------------------------------------------------------------

/// States of a block: 2, 4 or 8 of double, 4, 8 or 16 of float, as the instruction set has them (limb/base.h).
/// 0 for NULL.
LIMB_API int limb_batch_lanes(const limb_batch* b);
LIMB_API int limb_batch_lanes_f32(const limb_batch* b);

/// Numbers in an array of n states in lanes: n rounded up to whole blocks, times width. 0 for NULL, and when
/// it is more than a size_t holds.
LIMB_API size_t limb_batch_array_length(const limb_batch* b, size_t n, size_t width);
LIMB_API size_t limb_batch_array_length_f32(const limb_batch* b, size_t n, size_t width);

/// Rows to lanes and back. Lanes behind the last state repeat it.
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_lanes(const limb_batch* b, size_t n, size_t width, const double* rows,
                                                        double* lanes);
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_states(const limb_batch* b, size_t n, size_t width,
                                                         const double* lanes, double* rows);
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_lanes_f32(const limb_batch* b, size_t n, size_t width,
                                                            const float* rows, float* lanes);
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_states_f32(const limb_batch* b, size_t n, size_t width,
                                                             const float* lanes, float* rows);

// ---- surroundings ---------------------------------------------------------------------------------------

/// A wrench that acts ON the robot, another one in every state: moment and force, as in limb_wrench.
typedef struct limb_batch_wrench {
  int frame; ///< body or added frame
  limb_ref ref;
  const double* f64; ///< n states of 6 numbers mx my mz fx fy fz, for calls over double
  const float* f32;  ///< the same for calls over float
} limb_batch_wrench;

/// What surrounds the robot. Start from limb_default_batch_environment(); NULL stands for that.
typedef struct limb_batch_environment {
  size_t size;                 ///< sizeof(limb_batch_environment), set by the default function
  const limb_environment* all; ///< in all states; NULL: the default. Force laws: LIMB_E_UNSUPPORTED
  int nwrench;
  const limb_batch_wrench* wrench; ///< nwrench of them, besides those in `all`
} limb_batch_environment;

LIMB_API limb_batch_environment limb_default_batch_environment(void);

// ---- dynamics -------------------------------------------------------------------------------------------

/// limb_inverse_dynamics. O(n) per state.
LIMB_NODISCARD LIMB_API limb_status limb_batch_inverse_dynamics(limb_batch* b, size_t n, const double* q,
                                                                const double* v, const double* a,
                                                                const limb_batch_environment* env, double* tau,
                                                                limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_inverse_dynamics_f32(limb_batch* b, size_t n, const float* q,
                                                                    const float* v, const float* a,
                                                                    const limb_batch_environment* env, float* tau,
                                                                    limb_status* status);

/// limb_forward_dynamics.
LIMB_NODISCARD LIMB_API limb_status limb_batch_forward_dynamics(limb_batch* b, size_t n, const double* q,
                                                                const double* v, const double* tau,
                                                                const limb_batch_environment* env, double* a,
                                                                limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_forward_dynamics_f32(limb_batch* b, size_t n, const float* q,
                                                                    const float* v, const float* tau,
                                                                    const limb_batch_environment* env, float* a,
                                                                    limb_status* status);

/// limb_bias_forces. Wrenches do not enter.
LIMB_NODISCARD LIMB_API limb_status limb_batch_bias_forces(limb_batch* b, size_t n, const double* q, const double* v,
                                                           const limb_batch_environment* env, double* tau,
                                                           limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_bias_forces_f32(limb_batch* b, size_t n, const float* q, const float* v,
                                                               const limb_batch_environment* env, float* tau,
                                                               limb_status* status);

/// limb_gravity_forces.
LIMB_NODISCARD LIMB_API limb_status limb_batch_gravity_forces(limb_batch* b, size_t n, const double* q,
                                                              const limb_batch_environment* env, double* tau,
                                                              limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_gravity_forces_f32(limb_batch* b, size_t n, const float* q,
                                                                  const limb_batch_environment* env, float* tau,
                                                                  limb_status* status);

/// limb_mass_matrix.
/// @param M  n states of nv x nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_mass_matrix(limb_batch* b, size_t n, const double* q, double* M,
                                                           limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_mass_matrix_f32(limb_batch* b, size_t n, const float* q, float* M,
                                                               limb_status* status);

/// limb_mass_matrix_inverse.
/// @param Minv  n states of nv x nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_mass_matrix_inverse(limb_batch* b, size_t n, const double* q,
                                                                   double* Minv, limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_mass_matrix_inverse_f32(limb_batch* b, size_t n, const float* q,
                                                                       float* Minv, limb_status* status);

// ---- derivatives ----------------------------------------------------------------------------------------

/// limb_id_derivatives for n states: of each array n times as much; what is NULL is not wanted.
typedef struct limb_id_derivatives_f32 {
  float *tau, *dtau_dq, *dtau_dv, *M;
} limb_id_derivatives_f32;

/// limb_inverse_dynamics_derivatives.
LIMB_NODISCARD LIMB_API limb_status limb_batch_inverse_dynamics_derivatives(limb_batch* b, size_t n, const double* q,
                                                                            const double* v, const double* a,
                                                                            const limb_batch_environment* env,
                                                                            const limb_id_derivatives* out,
                                                                            limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_inverse_dynamics_derivatives_f32(limb_batch* b, size_t n, const float* q,
                                                                                const float* v, const float* a,
                                                                                const limb_batch_environment* env,
                                                                                const limb_id_derivatives_f32* out,
                                                                                limb_status* status);

/// limb_fd_derivatives over float.
typedef struct limb_fd_derivatives_f32 {
  float *acc, *dacc_dq, *dacc_dv, *dacc_dtau;
} limb_fd_derivatives_f32;

/// limb_forward_dynamics_derivatives.
LIMB_NODISCARD LIMB_API limb_status limb_batch_forward_dynamics_derivatives(limb_batch* b, size_t n, const double* q,
                                                                            const double* v, const double* tau,
                                                                            const limb_batch_environment* env,
                                                                            const limb_fd_derivatives* out,
                                                                            limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_forward_dynamics_derivatives_f32(limb_batch* b, size_t n, const float* q,
                                                                                const float* v, const float* tau,
                                                                                const limb_batch_environment* env,
                                                                                const limb_fd_derivatives_f32* out,
                                                                                limb_status* status);

// ---- kinematics -----------------------------------------------------------------------------------------

/// Poses of frames in the world.
/// @param frame  nframe bodies or added frames, at most as many as there are
/// @param X      n states of nframe times 12 numbers: rotation, row-major, then position (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_frame_poses(limb_batch* b, size_t n, const double* q, int nframe,
                                                           const int* frame, double* X, limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_frame_poses_f32(limb_batch* b, size_t n, const float* q, int nframe,
                                                               const int* frame, float* X, limb_status* status);

/// Jacobian of a frame: limb_frame_jacobian.
/// @param J  n states of nv columns of 6 numbers, angular first (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_frame_jacobian(limb_batch* b, size_t n, const double* q, int frame,
                                                              limb_ref ref, double* J, limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_frame_jacobian_f32(limb_batch* b, size_t n, const float* q, int frame,
                                                                  limb_ref ref, float* J, limb_status* status);

// ---- identification -------------------------------------------------------------------------------------

/// limb_regressor.
/// @param Y  n states of nv x np, np = limb_parameter_count() (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_regressor(limb_batch* b, size_t n, const double* q, const double* v,
                                                         const double* a, const limb_batch_environment* env, double* Y,
                                                         limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_regressor_f32(limb_batch* b, size_t n, const float* q, const float* v,
                                                             const float* a, const limb_batch_environment* env,
                                                             float* Y, limb_status* status);

// ---- steps in time --------------------------------------------------------------------------------------

/// Steps of the classical Runge-Kutta method of order 4, on the manifold (Munthe-Kaas) for ball and free
/// joints, as LIMB_SIM_RK4 makes them; forces and wrenches are held. Exact Coulomb friction, stops and
/// events are the simulator's (limb/sim.h).
typedef struct limb_batch_steps {
  double step; ///< [s], positive
  int count;   ///< steps of every state, from 0
} limb_batch_steps;

/// @param q, v  the states, replaced by those after the steps; a state that fails becomes NaN
/// @param tau   n states of nv forces; NULL: zero
LIMB_NODISCARD LIMB_API limb_status limb_batch_step(limb_batch* b, size_t n, double* q, double* v, const double* tau,
                                                    const limb_batch_environment* env, const limb_batch_steps* steps,
                                                    limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_step_f32(limb_batch* b, size_t n, float* q, float* v, const float* tau,
                                                        const limb_batch_environment* env,
                                                        const limb_batch_steps* steps, limb_status* status);

// ---- one call on several processors -----------------------------------------------------------------
//
// One call on several processors.
//
// A limb_split cuts one robot into parts that a pool (limb/batch.h) works on at the same time. Two kinds of
// robots can be cut: trees with independent branches (two arms, many legs), and long serial chains. Others,
// and those too small to gain, go through the plain calls of limb/dynamics.h: asking costs nothing.
//
//     limb_split* s;
//     limb_split_create(model, pool, NULL, NULL, &s);
//     limb_split_forward_dynamics(s, q, v, tau, NULL, a);
//
// Results are those of the plain calls: by the same operations in the same order for trees, up to rounding
// for chains. They depend on the model and the options, never on the pool: any number of threads gives the
// same bits. docs/long-chains.md has the algorithms, what they cost and how exact they are.
//
// Measured on two processors, a tree breaks even with two branches of 20 joints (inverse dynamics; forward:
// between 10 and 20), a chain with 200 (forward: between 300 and 500). Cuts are made from
// about twice that on.
//
// Many states are better served by limb/batch.h: whole states need no cuts.

/// A robot cut into parts, and their workspaces. Belongs to one caller at a time; model and pool must outlive
/// it.
typedef struct limb_split limb_split;

enum {
  LIMB_SPLIT_PROCESSORS_MAX = 256 ///< most that a robot is cut for
};

/// Start from limb_default_split_options(); NULL stands for that.
typedef struct limb_split_options {
  size_t size;    ///< sizeof(limb_split_options), set by the default function
  int processors; ///< what the cuts are made for, 1 ... LIMB_SPLIT_PROCESSORS_MAX; default 2. Results of chains
                  ///< depend on it in their last digits
  int min_saving; ///< joints that a call must save, or it is not split; 0, the default: as measured
} limb_split_options;

LIMB_API limb_split_options limb_default_split_options(void);

/// Bytes that limb_split_init needs; O(n). 0 for a NULL model or options that are none.
LIMB_API size_t limb_split_size(const limb_model* m, const limb_split_options* options);

/// Cuts a robot in caller memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, options or a pool that are
/// none);
///         LIMB_E_NOMEM (size too small).
LIMB_NODISCARD LIMB_API limb_status limb_split_init(const limb_model* m, const limb_pool* pool,
                                                    const limb_split_options* options, void* memory, size_t size,
                                                    limb_split** out);

/// Convenience: allocates (alloc NULL: malloc) and initialises. Free with limb_split_destroy.
LIMB_NODISCARD LIMB_API limb_status limb_split_create(const limb_model* m, const limb_pool* pool,
                                                      const limb_split_options* options, const limb_allocator* alloc,
                                                      limb_split** out);

/// Ends it, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_split_destroy(limb_split* s);

LIMB_API const limb_model* limb_split_model(const limb_split* s); ///< NULL for NULL

/// Parts that the two calls work on; 1: the plain call is made. 0 for NULL.
LIMB_API int limb_split_inverse_parts(const limb_split* s);
LIMB_API int limb_split_forward_parts(const limb_split* s);

/// limb_inverse_dynamics. Wrenches and force laws cost one more pass, which is not split.
LIMB_NODISCARD LIMB_API limb_status limb_split_inverse_dynamics(limb_split* s, const double* q, const double* v,
                                                                const double* a, const limb_environment* env,
                                                                double* tau);

/// limb_forward_dynamics. As exact as the plain call, unless parts are shorter than a hundred joints.
LIMB_NODISCARD LIMB_API limb_status limb_split_forward_dynamics(limb_split* s, const double* q, const double* v,
                                                                const double* tau, const limb_environment* env,
                                                                double* a);

#ifdef __cplusplus
}
#endif

#endif
