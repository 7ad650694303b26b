// The targets. They were set on a machine with 14.5 slots per ns: Panda RNEA 1450 slots is 100 ns.
#include "targets.h"

#include "limb/batch.h"

#include <string.h>

typedef struct target {
  const char* robot;
  double slots[BENCH_KERNELS]; // 0: none
} target;

static const target single_targets[] = {{"ur5", {[BENCH_RNEA] = 1300, [BENCH_CRBA] = 950, [BENCH_FD] = 2600}},
                                        {"panda",
                                         {[BENCH_RNEA] = 1450,
                                          [BENCH_CRBA] = 1100,
                                          [BENCH_FD] = 2900,
                                          [BENCH_ID_DERIVATIVES] = 4700,
                                          [BENCH_FD_DERIVATIVES] = 6700}},
                                        {"quadruped", {[BENCH_RNEA] = 3700, [BENCH_CRBA] = 3000, [BENCH_FD] = 9000}},
                                        {"humanoid", {[BENCH_RNEA] = 8000, [BENCH_CRBA] = 9500, [BENCH_FD] = 24000}},
                                        {"chain30", {[BENCH_RNEA] = 7250, [BENCH_FD_ABA] = 21750}},
                                        {"chain1000", {[BENCH_FD_ABA] = 800 * 1e3}},   // 800 slots per joint,
                                        {"chain100000", {[BENCH_FD_ABA] = 800 * 1e5}}, // and linear
                                        {"four_bar", {[BENCH_CLOSED_FD] = 3800}},
                                        {"five_bar", {[BENCH_CLOSED_FD] = 4300}},
                                        {0}};

// Per state of a batch, row-major in and out, on one thread.
static const target batch_targets[] = {
  {"panda", {[BENCH_RNEA] = 440, [BENCH_CRBA] = 480, [BENCH_FD] = 800, [BENCH_ID_DERIVATIVES] = 2900}},
  {"chain30", {[BENCH_RNEA] = 2100}},
  {0}};

// Of one call of generated code.
static const target generated_targets[] = {
  {"ur5", {[BENCH_RNEA] = 760}}, {"panda", {[BENCH_RNEA] = 1090, [BENCH_FD] = 2050}}, {0}};

// How much faster than a batch over double on one thread: float, and each thread.
static const double float_target = 1.8, thread_target = 0.95;

const double bench_hybrid_target = 1.25;
const double bench_ladder_target = 4;
const double bench_platform_target = 3;

double bench_step_target(const char* robot) { return !strcmp(robot, "2r") || !strcmp(robot, "panda") ? 5 : 0; }

int bench_is_ladder(const bench_robot* robot) { return !strncmp(robot->name, "ladder", 6); }

static double look_up(const target* t, const bench_row* row)
{
  for (; t->robot; t++)
    if (!strcmp(t->robot, row->robot->name)) return t->slots[row->kernel];
  return 0;
}

static double slots_of(const bench* b, const bench_row* row) { return row ? row->best * b->rate[BENCH_SCALAR] : 0; }

static double single_target(const bench* b, const bench_row* row)
{
  if (row->kernel == BENCH_STEP_RK4) {
    const double factor = bench_step_target(row->robot->name);
    const bench_row* peer = bench_find(b, "MuJoCo", BENCH_SINGLE, row->robot, BENCH_STEP_RK4);
    return factor > 0 ? slots_of(b, peer) / factor : 0;
  }
  if (row->kernel == BENCH_PLATFORM_ID)
    return slots_of(b, bench_find_limb(b, row->robot, BENCH_CLOSED_ID_KKT)) / bench_platform_target;
  const double aba = slots_of(b, bench_find_limb(b, row->robot, BENCH_FD_ABA));
  if (row->kernel == BENCH_HYBRID) return bench_hybrid_target * aba;
  if (row->kernel == BENCH_CLOSED_FD && bench_is_ladder(row->robot)) return bench_ladder_target * aba;
  return look_up(single_targets, row);
}

double bench_target_of(const bench* b, const bench_row* row)
{
  const bench_library* l = row->library;
  if (!bench_is_limb(l) || l->lanes) return 0;
  if (l->mode == BENCH_SINGLE) return single_target(b, row);
  if (l->mode == BENCH_GENERATED) return look_up(generated_targets, row);
  const double slots = look_up(batch_targets, row);
  if (l->mode == BENCH_BATCH || slots == 0) return slots;
  const bench_row* batch = bench_find(b, l->name, BENCH_BATCH, row->robot, row->kernel);
  if (l->mode == BENCH_FLOAT) return slots_of(b, batch) / float_target;
  return l->pool->threads > 1 ? slots_of(b, batch) / (thread_target * l->pool->threads) : 0;
}
