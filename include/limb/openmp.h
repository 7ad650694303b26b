// limb: robot dynamics in C. A pool (limb/batch.h) of OpenMP's threads, for programs that are compiled with
// OpenMP (-fopenmp). Compiled without, it is a pool of one thread. The library itself needs no OpenMP.
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

/// As many threads as OpenMP would use now; a task that uses the pool runs its tasks itself, unless OpenMP is
/// told to nest.
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
