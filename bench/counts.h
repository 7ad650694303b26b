// Exact operation counts of the kernels.
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include "bench_impl.h"

/// Counts what limb's rows take, where the kernels are counted.
void bench_count_rows(bench* b);

#endif
