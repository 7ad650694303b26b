// Prints what was measured: tables for people.
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench_impl.h"

/// A ratio of times in a column of 10 characters; a dash when one was not measured.
void bench_print_ratio(const bench_row* x, const bench_row* y);

/// Tables of robots with loops: beside the tree without them, ladders, platforms. Nothing when none was
/// measured.
void bench_report_closed(const bench* b);

/// Tables of simulation: steps per second, other methods. Nothing when none was measured.
void bench_report_sim(const bench* b);

#endif
