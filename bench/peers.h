// The other libraries, when their module is there.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench_impl.h"

/// Loads the module and lists what is in it; b->no_peers says why there is none.
/// @return 0, or -1 after a message: the file that was asked for is none
int bench_load_peers(bench* b, const bench_options* o);

#endif
