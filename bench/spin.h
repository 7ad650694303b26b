// A pool of two threads of which one never sleeps: what handing over costs at best. limb_threads comes near
// as long as calls follow each other within microseconds.
#ifndef BENCH_SPIN_H
#define BENCH_SPIN_H

#include "limb/batch.h"

typedef struct bench_spin bench_spin;

/// NULL when there is no memory or no thread.
bench_spin* bench_spin_start(void);
void bench_spin_end(bench_spin* s);

const limb_pool* bench_spin_pool(const bench_spin* s);

#endif
