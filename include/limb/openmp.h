// limb: robot dynamics in C. A pool (limb/batch.h) of OpenMP's threads.
//
//     const limb_pool pool = limb_openmp_pool();
//     limb_batch_options o = limb_default_batch_options();
//     o.pool = &pool;
//
// For programs compiled with OpenMP (-fopenmp); without OpenMP it is a pool of one thread. The library itself does not
// need OpenMP.
#ifndef LIMB_OPENMP_H
#define LIMB_OPENMP_H

#include "limb/batch.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline void limb_openmp_run(void* context, int count, limb_pool_task* task, void* argument)
{
  (void)context;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
#endif
  for (int i = 0; i < count; i++) task(argument, i);
}

/// A pool with as many threads as OpenMP would use now. If a task uses the pool, it runs the tasks itself, unless
/// nested parallelism is enabled in OpenMP.
static inline limb_pool limb_openmp_pool(void)
{
#ifdef _OPENMP
  const int threads = omp_get_max_threads();
#else
  const int threads = 1;
#endif
  const limb_pool pool = {sizeof(limb_pool), threads, NULL, limb_openmp_run};
  return pool;
}

#ifdef __cplusplus
}
#endif

#endif
