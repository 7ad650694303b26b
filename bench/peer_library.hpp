// What every peer says of itself.
#ifndef BENCH_PEER_LIBRARY_HPP
#define BENCH_PEER_LIBRARY_HPP

#include "peer.h"

namespace bench
{
/// A library that offers nothing yet.
inline bench_library describe(const char* name, const char* version, int max_links)
{
  bench_library l{};
  l.name = name;
  l.version = version;
  l.build = BENCH_BUILD;
  l.max_links = max_links;
  return l;
}

/// What all peers can do.
inline void offer(bench_library& l, bench_call* rnea, bench_call* crba, bench_call* fd, bench_call* jacobian)
{
  l.run[BENCH_RNEA] = rnea;
  l.run[BENCH_CRBA] = crba;
  l.run[BENCH_FD] = fd;
  l.run[BENCH_JACOBIAN] = jacobian;
}
} // namespace bench

#endif
