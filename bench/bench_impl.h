// What a run knows: robots, libraries, rows. Shared by the files of bench/.
#ifndef BENCH_BENCH_IMPL_H
#define BENCH_BENCH_IMPL_H

#include "bench.h"
#include "measure.h"

enum {
  BENCH_ROBOTS_MAX = 24,
  BENCH_NAME = 48,
  BENCH_BATCHES = 4, ///< batch, float, threads, and batch in lanes
};

struct bench {
  const char* title;     ///< of messages
  bench_summary machine; ///< as it was before the run
  limb_model* model[BENCH_ROBOTS_MAX];
  char name[BENCH_ROBOTS_MAX][BENCH_NAME]; ///< of robots from files
  bench_robot robot[BENCH_ROBOTS_MAX];
  bench_states states[BENCH_ROBOTS_MAX];
  int nrobot;
  limb_threads* threads;
  bench_library batch[BENCH_BATCHES];
  const bench_library* peer[BENCH_PEERS];
  int npeer;          ///< 0: not measured
  char no_peers[320]; ///< why they are not
  bench_row* row;     ///< nrow of them
  int nrow, row_room;
  const char* isa;
  double rate[BENCH_UNITS]; ///< of the yardsticks [1/ns]
};

/// limb is in here several times: by what its kernels need, and by how it is called.
int bench_is_limb(const bench_library* l);

/// Rows of all libraries on all robots. @return 0, or -1 (out of memory).
int bench_add_rows(bench* b, int quick);

/// Compares every row with limb's single call; says which ones differ so much that times mean nothing.
void bench_compare(bench* b);

/// Names rows that failed in a state while they were timed, and takes their times away: failing is fast.
void bench_look_for_failures(bench* b);

void bench_free_rows(bench* b);

/// Name of a quantity; of a mode.
const char* bench_quantity(bench_kernel kernel);
const char* bench_mode_name(bench_mode mode);

/// The row of a library in a mode, of limb row-major; NULL: not measured.
const bench_row* bench_find(const bench* b, const char* library, bench_mode mode, const bench_robot* robot,
                            bench_kernel kernel);

/// limb's single call.
const bench_row* bench_find_limb(const bench* b, const bench_robot* robot, bench_kernel kernel);

#endif
