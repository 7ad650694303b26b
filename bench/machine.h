// What a run tells of the machine, so that its numbers can be read later.
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include "bench.h"

/// Fills processor, date (UTC) and load; what the system does not tell is "" or NaN.
void bench_describe_machine(bench_summary* out);

#endif
