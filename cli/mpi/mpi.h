// What `limb sweep` asks of MPI. The tool neither links nor loads it: limb-mpi.so does, a plug-in that is built where
// MPI is found and opened when mpirun has started the tool.
#ifndef LIMB_CLI_MPI_H
#define LIMB_CLI_MPI_H

#include <stddef.h>
#include <stdint.h>

// Hands out cases, as limb_sweep_queue_next.
typedef uint64_t cli_mpi_queue(void* queue, uint64_t wanted, uint64_t* first);

typedef struct cli_mpi {
  int rank, size;
  // Rank 0 hands out what its queue has, to its own workers and, in a thread, to all other ranks.
  int (*serve)(cli_mpi_queue* next, void* queue);
  // The next cases, on any rank, in any thread; `context` is not used.
  cli_mpi_queue* next;
  // From every rank when its workers have ended; on rank 0 it returns when all have.
  void (*leave)(void);
  int (*share)(int code);        // rank 0's number, for all
  int (*largest)(int code);      // of all ranks
  uint64_t (*total)(uint64_t x); // over all ranks
  void (*end)(void);
} cli_mpi;

// The plug-in's only symbol. NULL, or why MPI cannot be used. size: of cli_mpi, as the tool knows it.
const char* limb_mpi_begin(cli_mpi* out, size_t size);

#endif
