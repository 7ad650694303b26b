// Exact operation counts of the kernels, robot by robot.
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include "options.h"
#include "peer.h"

/// Prints what RNEA, CRBA and ABA take on each robot: a table, or an array for JSON.
void bench_counts_print(const bench_robot* robots, int n, bench_format format);

#endif
