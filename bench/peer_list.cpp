// The module of peers: those that were installed when CMake ran.
#include "peer.h"

namespace
{
void list(bench_peer peers[BENCH_PEERS])
{
  peers[0] = {"KDL", nullptr};
  peers[1] = {"MuJoCo", nullptr};
  peers[2] = {"DART", nullptr};
  peers[3] = {"Simbody", nullptr};
#ifdef BENCH_HAVE_KDL
  peers[0].library = bench_kdl();
#endif
#ifdef BENCH_HAVE_MUJOCO
  peers[1].library = bench_mujoco();
#endif
#ifdef BENCH_HAVE_DART
  peers[2].library = bench_dart();
#endif
#ifdef BENCH_HAVE_SIMBODY
  peers[3].library = bench_simbody();
#endif
}
} // namespace

extern "C" __attribute__((visibility("default"))) const bench_peers limb_bench_peers = {BENCH_INTERFACE, list};
