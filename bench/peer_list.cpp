// A module of peers: those that were installed when CMake ran.
#include "peer.h"

namespace
{
int list(const bench_library** peers)
{
  int n = 0;
#ifdef BENCH_HAVE_PINOCCHIO
  peers[n++] = bench_pinocchio();
#endif
#ifdef BENCH_HAVE_PINOCCHIO_GENERATED
  peers[n++] = bench_pinocchio_generated();
#endif
#ifdef BENCH_HAVE_KDL
  peers[n++] = bench_kdl();
#endif
#ifdef BENCH_HAVE_MUJOCO
  peers[n++] = bench_mujoco();
#endif
#ifdef BENCH_HAVE_DART
  peers[n++] = bench_dart();
#endif
#ifdef BENCH_HAVE_SIMBODY
  peers[n++] = bench_simbody();
#endif
  (void)peers; // if there are none
  return n;
}
} // namespace

extern "C" __attribute__((visibility("default"))) const bench_peers limb_bench_peers = {BENCH_INTERFACE, list};
