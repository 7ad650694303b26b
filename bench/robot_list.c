// The robots: fixtures of the tests, small to large, then those with loops.
#include "robot_list.h"

#include "bench.h"
#include "closed.h"
#include "elastic.h"
#include "support/robots.h"

#define ROBOT_LIST(X)                            \
  X("2r", make_2r, 0)                            \
  X("ur5", make_ur5, 0)                          \
  X("panda", make_panda, 0)                      \
  X("panda_elastic", make_elastic, 0)            \
  X("quadruped", make_quadruped, 0)              \
  X("humanoid", make_humanoid, 0)                \
  X("chain10", robot_chain, 10)                  \
  X("chain30", robot_chain, 30)                  \
  X("chain100", robot_chain, 100)                \
  X("chain200", robot_chain, 200)                \
  X("chain1000", robot_chain, 1000)              \
  X("chain10000", robot_chain, 10000)            \
  X("chain100000", robot_chain, 100000)          \
  X("four_bar", bench_four_bar, 0)               \
  X("five_bar", bench_five_bar, 0)               \
  X("gough_stewart", bench_gough_stewart, 0)     \
  X("humanoid_ankles", bench_humanoid_ankles, 0) \
  X("ladder10", bench_ladder, 10)                \
  X("ladder100", bench_ladder, 100)              \
  X("ladder1000", bench_ladder, 1000)

static limb_model* make_2r(int n) { return (void)n, robot_planar_2r(); }
static limb_model* make_ur5(int n) { return (void)n, robot_ur5(); }
static limb_model* make_panda(int n) { return (void)n, robot_panda(); }
static limb_model* make_quadruped(int n) { return (void)n, robot_quadruped(); }
static limb_model* make_humanoid(int n) { return (void)n, robot_humanoid(); }

// Springs in joints 4 and 6, stiffness as of harmonic drives.
static limb_model* make_elastic(int n) { return (void)n, bench_elastic(robot_panda(), 1U << 3 | 1U << 5, 1e4); }

const bench_entry* bench_list(void)
{
#define ENTRY(name, make, n) {name, make, n},
  static const bench_entry list[] = {ROBOT_LIST(ENTRY){0}};
#undef ENTRY
  return list;
}

const char* const* bench_robots(void)
{
#define NAME(name, make, n) name,
  static const char* const names[] = {ROBOT_LIST(NAME) NULL};
#undef NAME
  return names;
}
