// The plug-in of `limb sweep` for MPI: rank 0 hands out cases, by messages of a few bytes.
//
// A worker asks for as many cases as keep it busy for a fifth of a second, so that rank 0, which needs about a
// microsecond for each, serves some hundred thousand workers. Its thread sleeps between looks: it takes nothing from
// the workers of its own rank. MPI ends the job when a rank dies; rows that were written stay.
#define _POSIX_C_SOURCE 200809L // nanosleep

#include "mpi/mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <time.h>

enum { TAG_ASK = 1, TAG_ANSWER, TAG_LEAVE, NAP = 50000 }; // ns between looks

static struct {
  int rank, size, others; // that have not left
  cli_mpi_queue* next;
  void* queue;
  pthread_t server;
  int serving;
  pthread_mutex_t asking; // one thread of a rank asks at a time
} mpi = {.asking = PTHREAD_MUTEX_INITIALIZER};

// Answers one message, if there is one.
static int answer(void)
{
  MPI_Status from;
  int there = 0;
  uint64_t wanted = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
  if (!there || (from.MPI_TAG != TAG_ASK && from.MPI_TAG != TAG_LEAVE)) return 0;
  MPI_Recv(&wanted, 1, MPI_UINT64_T, from.MPI_SOURCE, from.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (from.MPI_TAG == TAG_LEAVE) {
    mpi.others--;
    return 1;
  }
  uint64_t range[2] = {0, 0};
  range[1] = mpi.next(mpi.queue, wanted, &range[0]);
  MPI_Send(range, 2, MPI_UINT64_T, from.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD);
  return 1;
}

static void* run_server(void* context)
{
  const struct timespec nap = {.tv_nsec = NAP};
  while (mpi.others > 0)
    if (!answer()) (void)nanosleep(&nap, NULL);
  return context;
}

static int serve(cli_mpi_queue* next, void* queue)
{
  mpi.next = next, mpi.queue = queue;
  mpi.others = mpi.size - 1;
  mpi.serving = mpi.rank == 0 && mpi.others > 0 && pthread_create(&mpi.server, NULL, run_server, NULL) == 0;
  return mpi.rank > 0 || mpi.others == 0 || mpi.serving;
}

static uint64_t ask(void* context, uint64_t wanted, uint64_t* first)
{
  uint64_t range[2];
  (void)context;
  if (mpi.rank == 0) return mpi.next(mpi.queue, wanted, first);
  pthread_mutex_lock(&mpi.asking);
  MPI_Send(&wanted, 1, MPI_UINT64_T, 0, TAG_ASK, MPI_COMM_WORLD);
  MPI_Recv(range, 2, MPI_UINT64_T, 0, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_mutex_unlock(&mpi.asking);
  *first = range[0];
  return range[1];
}

static void leave(void)
{
  const uint64_t nothing = 0;
  if (mpi.rank > 0) MPI_Send(&nothing, 1, MPI_UINT64_T, 0, TAG_LEAVE, MPI_COMM_WORLD);
  if (mpi.serving) pthread_join(mpi.server, NULL);
}

static int share(int code)
{
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

static int largest(int code)
{
  int all = code;
  MPI_Allreduce(&code, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static uint64_t total(uint64_t x)
{
  uint64_t all = x;
  MPI_Allreduce(&x, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void end(void) { MPI_Finalize(); }

const char* limb_mpi_begin(cli_mpi* out, size_t size)
{
  int provided = 0;
  if (size != sizeof *out) return "the plug-in is of another version of limb";
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) return "MPI does not start";
  if (provided < MPI_THREAD_MULTIPLE) return "this MPI does not support threads (MPI_THREAD_MULTIPLE)";
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &mpi.size);
  *out = (cli_mpi){mpi.rank, mpi.size, serve, ask, leave, share, largest, total, end};
  return NULL;
}
