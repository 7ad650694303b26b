// What limb is meant to reach, in slots: time x scalar multiply-add rate of the same machine.
#ifndef BENCH_TARGETS_H
#define BENCH_TARGETS_H

#include "bench_impl.h"

/// Slots per state that are aimed at; 0 when there is no target.
double bench_target_of(const bench* b, const bench_row* row);

/// Hybrid dynamics is aimed at as a multiple of ABA of the same robot, in the same run.
extern const double bench_hybrid_target;

/// Forward dynamics of ladders as a multiple of ABA of the tree; inverse dynamics of a platform, how much
/// faster than from all equations at once.
extern const double bench_ladder_target, bench_platform_target;

/// How many times as many steps a second as MuJoCo's, both with RK4; 0 when there is no target.
double bench_step_target(const char* robot);

/// Whether a robot is a ladder of four-bar cells.
int bench_is_ladder(const bench_robot* robot);

#endif
