// limb: robot dynamics in C. Threads: handed in by the caller, or limb's own.
//
// Calls that can use several processors take a limb_pool: a function that runs tasks. It stands for whatever
// the program has, a pool of its own, OpenMP (limb/openmp.h), or the threads of limb_threads below. Results
// never depend on the pool: any number of threads gives the same bits.
#ifndef LIMB_POOL_H
#define LIMB_POOL_H

#include "limb/base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
