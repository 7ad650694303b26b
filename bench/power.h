// Power while all processors compute: the counters of energy of processor packages (RAPL), where they can be read.
#ifndef BENCH_POWER_H
#define BENCH_POWER_H

#include "bench_impl.h"

/// Fills in the watts of rows with threads, a fifth of a second each; NaN without counters.
void bench_measure_power(bench* b);

/// Why there are no watts: "" if there are.
const char* bench_no_power(void);

#endif
