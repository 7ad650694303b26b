// limb: robot dynamics in C. Many states of one robot at once, threads, one call on several processors.
//
//     limb_batch* b = NULL;
//     if (limb_batch_create(model, NULL, NULL, &b) != LIMB_OK) return 1;
//     if (limb_batch_inverse_dynamics(b, n, q, v, a, NULL, tau, NULL) != LIMB_OK) return 1; // n rows of nq, nv, nv
//
// A call computes the same quantity for n states. The processor's vectors hold several states (lanes), and a pool adds
// several threads. The formulas are those of the calls for one state, in the same order; docs/batch.md has accuracy and
// speed. n may be 0. Calls never allocate. A limb_batch belongs to one caller at a time; the model and the pool must
// outlive it.
//
// Arrays. LIMB_BATCH_BY_STATE: state after state, [n][width], without alignment. LIMB_BATCH_BY_LANE: the layout of the
// kernels, blocks of limb_batch_lanes() states, [block][width][lane]; an array must hold limb_batch_array_length()
// numbers and be aligned to LIMB_DATA_ALIGN. Lanes after the last state are read and written, but have no meaning. The
// width is nq, nv, nv nv (row-major, full), or as stated. Inputs must not overlap outputs, except in limb_batch_step.
//
// Every call except second derivatives exists over double and, with _f32, over float: inputs, outputs and computation.
// Float vectors have twice as many lanes. Results have about seven digits then, relative to the size and the mass of
// the whole robot; forward dynamics of long chains loses most of them (docs/batch.md).
//
// Statuses. A state that fails does not affect the others. Its outputs are NaN, its entry in `status` has the reason
// (LIMB_E_NONFINITE; LIMB_E_ARG: a quaternion whose norm differs from 1 by more than 1e-3; LIMB_E_SINGULAR), and the
// call returns the entry of the first such state. status may be NULL. If the call as a whole fails (LIMB_E_ARG: NULL,
// no such frame, an invalid pool or environment; LIMB_E_UNSUPPORTED), status and outputs are unchanged.
//
// Robots with loops: the loops are closed, as in the calls for one state. Their kernels choose pivots by values, which
// lanes cannot; states are computed one by one, on the threads of the pool. Only LIMB_BATCH_BY_STATE and double,
// without wrenches per state and without limb_batch_step (LIMB_E_UNSUPPORTED).
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
//     limb_threads* threads = NULL;
//     if (limb_threads_create(0, NULL, &threads) != LIMB_OK) return 1;      // as many as processors
//     options.pool = limb_threads_pool(threads);
//
// Calls that can use several processors take a limb_pool, a function that runs tasks: a pool of the program, OpenMP
// (limb/openmp.h), or limb_threads below. Results do not depend on the pool: any number of threads gives the same bits.

/// One task; index is its number.
typedef void limb_pool_task(void* argument, int index);

/// How tasks are run. Set all members.
typedef struct limb_pool {
  size_t size;   ///< sizeof(limb_pool)
  int threads;   ///< number of tasks that run at the same time, at least 1; the caller's thread counts
  void* context; ///< passed to run
  /// Runs task(argument, 0), ..., task(argument, count - 1), each exactly once, on any thread and in any order, and
  /// returns when all of them have ended. Tasks see all memory written before the call; the caller sees all memory that
  /// they wrote. count may exceed threads. Tasks never wait for each other.
  void (*run)(void* context, int count, limb_pool_task* task, void* argument);
} limb_pool;

/// Threads that wait for work, a few microseconds actively and then asleep.
typedef struct limb_threads limb_threads;

/// Starts threads: threads - 1, because the caller's thread works as well. They block all signals, and keep the
/// rounding mode and the treatment of subnormal numbers of the caller's thread. A child of fork() has none of them: it
/// must neither use nor destroy those of its parent.
/// @param threads  1 ... 4096; 0: the number of processors available to this process
/// @return LIMB_OK; LIMB_E_ARG (NULL, a number out of range, incomplete allocator); LIMB_E_NOMEM; LIMB_E_UNSUPPORTED
///         (more than one thread, and limb was built without threads or the system cannot start them).
LIMB_NODISCARD LIMB_API limb_status limb_threads_create(int threads, const limb_allocator* alloc, limb_threads** out);

/// Ends the threads. No call may use their pool any more. NULL is accepted.
LIMB_API void limb_threads_destroy(limb_threads* t);

/// Their pool, valid as long as the threads; NULL if t is NULL. Several callers may use it at the same time, and so may
/// a task: a caller that finds the threads busy does the work itself.
LIMB_API const limb_pool* limb_threads_pool(const limb_threads* t);

/// Workspace of batch calls: one block of states for each thread.
typedef struct limb_batch limb_batch;

enum {
  /// Largest nv for which matrices are computed in lanes. Matrices of larger robots, and regressors of more than 32768
  /// entries, are computed state by state: only LIMB_BATCH_BY_STATE and double, derivatives only without wrenches per
  /// state; otherwise LIMB_E_UNSUPPORTED.
  LIMB_BATCH_MATRICES_MAX = 256
};

/// Layout of arrays. Values are pinned.
typedef enum limb_batch_layout {
  LIMB_BATCH_BY_STATE = 0, ///< [state][width]
  LIMB_BATCH_BY_LANE = 1   ///< [block][width][lane]
} limb_batch_layout;

/// Start from limb_default_batch_options(); NULL: these defaults.
typedef struct limb_batch_options {
  size_t size;                     ///< sizeof(limb_batch_options), set by the default function
  limb_batch_layout layout;        ///< of all arrays; default LIMB_BATCH_BY_STATE
  int wrenches;                    ///< largest nwrench of limb_batch_environment; default 8
  const limb_pool* pool;           ///< default NULL: the caller's thread only
  const limb_loop_settings* loops; ///< for robots with loops (limb_set_loops), read once; default NULL: the defaults
  int second;                      ///< 1: scratch for second derivatives, limb_dual_size() a thread; default 0
} limb_batch_options;

LIMB_API limb_batch_options limb_default_batch_options(void);

/// Bytes that limb_batch_init needs. 0 if m is NULL or the options are invalid.
LIMB_API size_t limb_batch_size(const limb_model* m, const limb_batch_options* options);

/// Lays out a workspace in the caller's memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, invalid options or pool); LIMB_E_NOMEM
///         (size too small).
LIMB_NODISCARD LIMB_API limb_status limb_batch_init(const limb_model* m, const limb_batch_options* options,
                                                    void* memory, size_t size, limb_batch** out);

/// Allocates (alloc NULL: malloc) and initialises a workspace. Free with limb_batch_destroy.
/// @return as limb_batch_init; LIMB_E_ARG also for an incomplete allocator.
LIMB_NODISCARD LIMB_API limb_status limb_batch_create(const limb_model* m, const limb_batch_options* options,
                                                      const limb_allocator* alloc, limb_batch** out);

/// Ends a workspace, as limb_data_destroy does. NULL is accepted.
LIMB_API void limb_batch_destroy(limb_batch* b);

LIMB_API const limb_model* limb_batch_model(const limb_batch* b); ///< NULL if b is NULL

// ---- lanes ----------------------------------------------------------------------------------------------

/// States per block: 2, 4 or 8 of double, 4, 8 or 16 of float, depending on the instruction set (limb/base.h). 0 if b
/// is NULL.
LIMB_API int limb_batch_lanes(const limb_batch* b);
LIMB_API int limb_batch_lanes_f32(const limb_batch* b);

/// Numbers in an array of n states in LIMB_BATCH_BY_LANE: n rounded up to whole blocks, times width. 0 if b is NULL or
/// the number exceeds SIZE_MAX.
LIMB_API size_t limb_batch_array_length(const limb_batch* b, size_t n, size_t width);
LIMB_API size_t limb_batch_array_length_f32(const limb_batch* b, size_t n, size_t width);

/// Conversion between the layouts. Lanes after the last state repeat it.
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_lanes(const limb_batch* b, size_t n, size_t width, const double* rows,
                                                        double* lanes);
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_states(const limb_batch* b, size_t n, size_t width,
                                                         const double* lanes, double* rows);
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_lanes_f32(const limb_batch* b, size_t n, size_t width,
                                                            const float* rows, float* lanes);
LIMB_NODISCARD LIMB_API limb_status limb_batch_to_states_f32(const limb_batch* b, size_t n, size_t width,
                                                             const float* lanes, float* rows);

// ---- environment ----------------------------------------------------------------------------------------

/// A wrench that acts ON the robot, with a value for each state: moment and force, as in limb_wrench.
typedef struct limb_batch_wrench {
  int frame; ///< body or added frame
  limb_ref ref;
  const double* f64; ///< n states of 6 numbers mx my mz fx fy fz, for calls over double
  const float* f32;  ///< the same for calls over float
} limb_batch_wrench;

/// Environment of all states. Start from limb_default_batch_environment(); NULL: these defaults.
typedef struct limb_batch_environment {
  size_t size;                 ///< sizeof(limb_batch_environment), set by the default function
  const limb_environment* all; ///< in all states; NULL: the default. Force laws: LIMB_E_UNSUPPORTED
  int nwrench;
  const limb_batch_wrench* wrench; ///< nwrench wrenches, in addition to those in `all`
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

/// limb_bias_forces. Wrenches have no effect.
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

/// Entries of M that a tree does not make zero: of two velocities on one path from the base to a tip, each pair once. 0
/// if m is NULL.
LIMB_API int limb_packed_count(const limb_model* m);

/// Which they are, in the order of the call below: entry k is M[row[k]][column[k]], and the same the other way round.
/// @param row, column  limb_packed_count() velocities each (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_packed_entries(const limb_model* m, int* row, int* column);

/// limb_mass_matrix without zeros and without the other half: fewer numbers to write, for branched robots nearly half
/// of the time.
/// @param M  n states of limb_packed_count() numbers (output)
/// @return also LIMB_E_UNSUPPORTED (loops, more than LIMB_BATCH_MATRICES_MAX velocities).
LIMB_NODISCARD LIMB_API limb_status limb_batch_packed_mass_matrix(limb_batch* b, size_t n, const double* q, double* M,
                                                                  limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_packed_mass_matrix_f32(limb_batch* b, size_t n, const float* q, float* M,
                                                                      limb_status* status);

/// limb_mass_matrix_inverse.
/// @param Minv  n states of nv x nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_mass_matrix_inverse(limb_batch* b, size_t n, const double* q,
                                                                   double* Minv, limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_mass_matrix_inverse_f32(limb_batch* b, size_t n, const float* q,
                                                                       float* Minv, limb_status* status);

/// limb_coriolis_matrix.
/// @param C  n states of nv x nv (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_coriolis_matrix(limb_batch* b, size_t n, const double* q,
                                                               const double* v, double* C, limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_coriolis_matrix_f32(limb_batch* b, size_t n, const float* q,
                                                                   const float* v, float* C, limb_status* status);

// ---- derivatives ----------------------------------------------------------------------------------------

/// limb_id_derivatives over float. For n states each array has n times the numbers of one state; NULL: not computed.
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

// Second derivatives are computed state by state, on the threads of the pool, with limb_batch_options.second = 1
// (otherwise LIMB_E_ARG): over double, in LIMB_BATCH_BY_STATE, without loops and without wrenches per state
// (LIMB_E_UNSUPPORTED).

/// limb_inverse_dynamics_second_derivatives: n states of nv x nv x nv numbers each.
LIMB_NODISCARD LIMB_API limb_status limb_batch_inverse_dynamics_second_derivatives(
  limb_batch* b, size_t n, const double* q, const double* v, const double* a, const limb_batch_environment* env,
  const limb_second_derivatives* out, limb_status* status);

/// limb_forward_dynamics_second_derivatives.
LIMB_NODISCARD LIMB_API limb_status limb_batch_forward_dynamics_second_derivatives(
  limb_batch* b, size_t n, const double* q, const double* v, const double* tau, const limb_batch_environment* env,
  const limb_second_derivatives* out, limb_status* status);

/// Hessians of sums with weights.
typedef struct limb_batch_hessian {
  const double* lambda;        ///< n states of nv weights
  limb_second_derivatives out; ///< n states of nv x nv numbers each; NULL: not computed
} limb_batch_hessian;

/// limb_inverse_dynamics_hessian.
LIMB_NODISCARD LIMB_API limb_status limb_batch_inverse_dynamics_hessian(limb_batch* b, size_t n, const double* q,
                                                                        const double* v, const double* a,
                                                                        const limb_batch_environment* env,
                                                                        const limb_batch_hessian* H,
                                                                        limb_status* status);

/// limb_forward_dynamics_hessian.
LIMB_NODISCARD LIMB_API limb_status limb_batch_forward_dynamics_hessian(limb_batch* b, size_t n, const double* q,
                                                                        const double* v, const double* tau,
                                                                        const limb_batch_environment* env,
                                                                        const limb_batch_hessian* H,
                                                                        limb_status* status);

// ---- kinematics -----------------------------------------------------------------------------------------

/// Poses of frames in the world.
/// @param frame  nframe bodies or added frames, at most limb_frame_count()
/// @param X      n states of nframe times 12 numbers: rotation, row-major, then position (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_frame_poses(limb_batch* b, size_t n, const double* q, int nframe,
                                                           const int* frame, double* X, limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_frame_poses_f32(limb_batch* b, size_t n, const float* q, int nframe,
                                                               const int* frame, float* X, limb_status* status);

/// Jacobian of a frame, as limb_frame_jacobian.
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

/// limb_inertial_regressor: the columns of the bodies alone.
/// @param Y  n states of nv x np, np = limb_inertial_parameter_count() (output)
LIMB_NODISCARD LIMB_API limb_status limb_batch_inertial_regressor(limb_batch* b, size_t n, const double* q,
                                                                  const double* v, const double* a,
                                                                  const limb_batch_environment* env, double* Y,
                                                                  limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_inertial_regressor_f32(limb_batch* b, size_t n, const float* q,
                                                                      const float* v, const float* a,
                                                                      const limb_batch_environment* env, float* Y,
                                                                      limb_status* status);

// ---- steps in time --------------------------------------------------------------------------------------

/// Steps of the classical Runge-Kutta method of order 4 (for ball and free joints on the manifold: Munthe-Kaas), as
/// LIMB_SIM_RK4 makes them. Forces and wrenches are constant. Exact Coulomb friction, stops and events are available in
/// limb/sim.h only.
typedef struct limb_batch_steps {
  double step; ///< > 0 [s]
  int count;   ///< steps of each state, >= 0
} limb_batch_steps;

/// @param q, v  the states before and after the steps (in and out); a state that fails becomes NaN
/// @param tau   n states of nv forces; NULL: zero
LIMB_NODISCARD LIMB_API limb_status limb_batch_step(limb_batch* b, size_t n, double* q, double* v, const double* tau,
                                                    const limb_batch_environment* env, const limb_batch_steps* steps,
                                                    limb_status* status);
LIMB_NODISCARD LIMB_API limb_status limb_batch_step_f32(limb_batch* b, size_t n, float* q, float* v, const float* tau,
                                                        const limb_batch_environment* env,
                                                        const limb_batch_steps* steps, limb_status* status);

// ---- one call on several processors -----------------------------------------------------------------
//
//     limb_split* s = NULL;
//     if (limb_split_create(model, pool, NULL, NULL, &s) != LIMB_OK) return 1;
//     if (limb_split_forward_dynamics(s, q, v, tau, NULL, a) != LIMB_OK) return 1;
//
// A limb_split divides one robot into parts that a pool works on at the same time. Two kinds of robots can be divided:
// trees with independent branches (two arms, many legs), and long serial chains. For others, and for robots too small
// to gain, it calls the functions of limb/dynamics.h, at no extra cost.
//
// Results are those of limb/dynamics.h: the same operations in the same order for trees, equal up to rounding for
// chains. They depend on the model and the options, but not on the pool: any number of threads gives the same bits.
// docs/long-chains.md has algorithms, cost and accuracy.
//
// Measured on two processors, a tree breaks even at two branches of 20 joints (inverse dynamics; forward: between 10
// and 20), a chain at 200 joints (forward: between 300 and 500). Robots are divided from about twice that on. For many
// states the batch calls above are faster: they need no division.

/// A robot divided into parts, with their workspaces. Belongs to one caller at a time; the model and the pool must
/// outlive it.
typedef struct limb_split limb_split;

enum {
  LIMB_SPLIT_PROCESSORS_MAX = 256 ///< largest limb_split_options.processors
};

/// Start from limb_default_split_options(); NULL: these defaults.
typedef struct limb_split_options {
  size_t size;    ///< sizeof(limb_split_options), set by the default function
  int processors; ///< number that the division is made for, 1 ... LIMB_SPLIT_PROCESSORS_MAX; default 2. The last digits
                  ///< of results of chains depend on it
  int min_saving; ///< a call is divided if that saves at least this number of joints; default 0: a measured number
} limb_split_options;

LIMB_API limb_split_options limb_default_split_options(void);

/// Bytes that limb_split_init needs; O(n). 0 if m is NULL or the options are invalid.
LIMB_API size_t limb_split_size(const limb_model* m, const limb_split_options* options);

/// Divides a robot, in the caller's memory, as limb_data_init does.
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN, invalid options or pool); LIMB_E_NOMEM
///         (size too small).
LIMB_NODISCARD LIMB_API limb_status limb_split_init(const limb_model* m, const limb_pool* pool,
                                                    const limb_split_options* options, void* memory, size_t size,
                                                    limb_split** out);

/// Allocates (alloc NULL: malloc) and initialises. Free with limb_split_destroy.
/// @return as limb_split_init; LIMB_E_ARG also for an incomplete allocator.
LIMB_NODISCARD LIMB_API limb_status limb_split_create(const limb_model* m, const limb_pool* pool,
                                                      const limb_split_options* options, const limb_allocator* alloc,
                                                      limb_split** out);

/// Ends a division, as limb_data_destroy ends a workspace. NULL is accepted.
LIMB_API void limb_split_destroy(limb_split* s);

LIMB_API const limb_model* limb_split_model(const limb_split* s); ///< NULL if s is NULL

/// Number of parts that the two calls work on; 1: the robot is not divided. 0 if s is NULL.
LIMB_API int limb_split_inverse_parts(const limb_split* s);
LIMB_API int limb_split_forward_parts(const limb_split* s);

/// limb_inverse_dynamics. Wrenches and force laws need another pass, which is not divided.
LIMB_NODISCARD LIMB_API limb_status limb_split_inverse_dynamics(limb_split* s, const double* q, const double* v,
                                                                const double* a, const limb_environment* env,
                                                                double* tau);

/// limb_forward_dynamics. As accurate as that call unless parts are shorter than a hundred joints.
LIMB_NODISCARD LIMB_API limb_status limb_split_forward_dynamics(limb_split* s, const double* q, const double* v,
                                                                const double* tau, const limb_environment* env,
                                                                double* a);

#ifdef __cplusplus
}
#endif

#endif
