// The targets. They were set on a machine with 14.5 slots per ns: Panda RNEA 1450 slots is 100 ns.
#include "targets.h"

#include <string.h>

typedef struct target {
  const char* robot;
  double slots[BENCH_KERNELS]; // in the order of bench_kernel; 0: none
} target;

static const target targets[] = {{"ur5", {1300, 950, 2600, 0, 0, 0}},
                                 {"panda", {1450, 1100, 2900, 0, 0, 0, 0, 0, 4700, 6700}},
                                 {"quadruped", {3700, 3000, 9000, 0, 0, 0}},
                                 {"humanoid", {8000, 9500, 24000, 0, 0, 0}},
                                 {"chain30", {7250, 0, 0, 0, 21750, 0}},
                                 {"chain1000", {0, 0, 0, 0, 800 * 1e3, 0}}, // 800 slots per joint,
                                 {"chain100000", {0, 0, 0, 0, 800 * 1e5, 0}}, // and linear
                                 {"four_bar", {[BENCH_CLOSED_FD] = 3800}},
                                 {"five_bar", {[BENCH_CLOSED_FD] = 4300}}};

const double bench_hybrid_target = 1.25;
const double bench_ladder_target = 4;
const double bench_platform_target = 3;

double bench_step_target(const char* robot)
{
  return !strcmp(robot, "2r") || !strcmp(robot, "panda") ? 5 : 0;
}

double bench_target(const char* robot, bench_kernel kernel)
{
  for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
    if (!strcmp(targets[i].robot, robot)) return targets[i].slots[kernel];
  }
  return 0;
}
