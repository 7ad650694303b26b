// Threads that wait for work, over POSIX threads. Without LIMB_HAVE_THREADS there is the caller's only.
//
// One caller at a time has the threads; whoever finds `busy` set runs its tasks by itself. A job is three
// plain members and two counters: `left` tasks are still to be handed out, `undone` have not ended. Who takes
// one from `left` has a task of the present job; that job cannot end before it, so the members may be read.
// Nobody waits for a thread that has no task: one that is slow to wake up finds the next job, or none.
//
// Idle threads look at `left` for some microseconds, then let others run, then sleep. To sleep is to announce it
// first and to look again then; who brings work looks for sleepers afterwards. In the one order of these
// sequentially consistent accesses one of the two sees the other. The caller waits for the end the same way.

#include "base/memory.h"
#include "batch/batch_impl.h"

enum { THREADS_MAX = 4096 };

bool limb_pool_valid(const limb_pool* p) { return p && p->size >= sizeof *p && p->threads >= 1 && p->run; }

static void run_alone(int count, limb_pool_task* task, void* argument)
{
  for (int i = 0; i < count; i++) task(argument, i);
}

#ifdef LIMB_HAVE_THREADS

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum {
  SPINS = 256, // looks, a pause between them: 3 to 10 microseconds
  YIELDS = 8,  // looks after that, other threads between them
  LINE = 64    // bytes; what different threads write is on different lines
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): lines are kept apart
struct limb_threads {
  limb_memory memory;
  limb_pool pool;
  pthread_mutex_t lock; // of the conditions
  pthread_cond_t work;  // idle threads wait for it
  pthread_cond_t end;   // the caller waits for it
  int started;
  pthread_t* thread; // threads - 1
  // The job, and what is fetched together with it.
  alignas(LINE) atomic_int left;
  int count;
  limb_pool_task* task;
  void* argument;
  alignas(LINE) atomic_int undone;
  atomic_int waiting;                // the caller sleeps until undone is 0
  alignas(LINE) atomic_int sleepers; // idle threads that sleep, or are about to
  atomic_int ends;
  alignas(LINE) atomic_int busy; // the caller's alone
};

static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb"); // yield does nothing on most; this one waits about as long as pause
#endif
}

// ---- tasks --------------------------------------------------------------------------------------------------

// Takes a task; -1: none is left.
static int take(limb_threads* t)
{
  int left = atomic_load(&t->left);
  while (left > 0) {
    if (atomic_compare_exchange_weak(&t->left, &left, left - 1)) return t->count - left;
  }
  return -1;
}

// Runs tasks as long as there are any. Whoever ends the last one wakes the caller.
static void work(limb_threads* t)
{
  int done = 0;
  for (int i = take(t); i >= 0; i = take(t), done++) t->task(t->argument, i);
  if (done == 0 || atomic_fetch_sub(&t->undone, done) != done || !atomic_load(&t->waiting)) return;
  pthread_mutex_lock(&t->lock);
  pthread_cond_signal(&t->end);
  pthread_mutex_unlock(&t->lock);
}

// ---- the threads --------------------------------------------------------------------------------------------

static bool called(limb_threads* t) { return atomic_load(&t->left) > 0 || atomic_load(&t->ends); }
static bool ended(limb_threads* t) { return atomic_load(&t->undone) == 0; }

// Waits awake; false when that took too long.
static bool look_out(limb_threads* t, bool (*come)(limb_threads* t))
{
  for (int i = 0; i < SPINS; i++) {
    if (come(t)) return true;
    pause_processor();
  }
  for (int i = 0; i < YIELDS; i++) {
    if (come(t)) return true;
    sched_yield();
  }
  return false;
}

static void sleep_until_called(limb_threads* t)
{
  pthread_mutex_lock(&t->lock);
  atomic_fetch_add(&t->sleepers, 1);
  while (!called(t)) pthread_cond_wait(&t->work, &t->lock);
  atomic_fetch_sub(&t->sleepers, 1);
  pthread_mutex_unlock(&t->lock);
}

static void* live(void* context)
{
  limb_threads* t = context;
  while (!atomic_load(&t->ends)) {
    work(t);
    if (!look_out(t, called)) sleep_until_called(t);
  }
  return NULL;
}

// Work for so many has come. Those who are awake will look before they sleep.
static void wake(limb_threads* t, int wanted)
{
  const int sleepers = atomic_load(&t->sleepers);
  const int missing = wanted - (t->started - sleepers);
  if (sleepers == 0 || missing <= 0) return;
  pthread_mutex_lock(&t->lock);
  if (missing >= sleepers) {
    pthread_cond_broadcast(&t->work);
  } else {
    for (int i = 0; i < missing; i++) pthread_cond_signal(&t->work);
  }
  pthread_mutex_unlock(&t->lock);
}

// ---- the caller ---------------------------------------------------------------------------------------------

static void wait_for_end(limb_threads* t)
{
  if (look_out(t, ended)) return;
  pthread_mutex_lock(&t->lock);
  atomic_store(&t->waiting, 1);
  while (!ended(t)) pthread_cond_wait(&t->end, &t->lock);
  atomic_store(&t->waiting, 0);
  pthread_mutex_unlock(&t->lock);
}

static void run(void* context, int count, limb_pool_task* task, void* argument)
{
  limb_threads* t = context;
  if (count <= 1 || t->started == 0 || atomic_exchange(&t->busy, 1)) {
    run_alone(count, task, argument);
    return;
  }
  t->task = task, t->argument = argument, t->count = count;
  atomic_store_explicit(&t->undone, count, memory_order_relaxed);
  atomic_store(&t->left, count); // all of the above is seen by who takes a task
  wake(t, count - 1);
  work(t);
  wait_for_end(t);
  atomic_store(&t->busy, 0);
}

// ---- beginning and end --------------------------------------------------------------------------------------

static int processors(void)
{
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (int)online;
}

static bool make_locks(limb_threads* t)
{
  if (pthread_mutex_init(&t->lock, NULL)) return false;
  if (pthread_cond_init(&t->work, NULL) == 0) {
    if (pthread_cond_init(&t->end, NULL) == 0) return true;
    pthread_cond_destroy(&t->work);
  }
  pthread_mutex_destroy(&t->lock);
  return false;
}

static void stop(limb_threads* t)
{
  atomic_store(&t->ends, 1);
  wake(t, t->started);
  for (int i = 0; i < t->started; i++) pthread_join(t->thread[i], NULL);
  pthread_cond_destroy(&t->end);
  pthread_cond_destroy(&t->work);
  pthread_mutex_destroy(&t->lock);
}

// Signals stay with the threads of the program.
static limb_status start(limb_threads* t)
{
  if (!make_locks(t)) return LIMB_E_UNSUPPORTED;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = 0;
  while (!failed && t->started < t->pool.threads - 1) {
    failed = pthread_create(&t->thread[t->started], NULL, live, t);
    if (!failed) t->started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!failed) return LIMB_OK;
  stop(t);
  return LIMB_E_UNSUPPORTED;
}

static size_t size_of(int threads) { return sizeof(limb_threads) + (size_t)(threads - 1) * sizeof(pthread_t); }

static void clear(limb_threads* t) { *t = (limb_threads){.thread = (pthread_t*)(void*)(t + 1)}; }

#else

struct limb_threads {
  limb_memory memory;
  limb_pool pool;
};

static void run(void* context, int count, limb_pool_task* task, void* argument)
{
  (void)context;
  run_alone(count, task, argument);
}

static int processors(void) { return 1; }
static limb_status start(limb_threads* t) { return t->pool.threads == 1 ? LIMB_OK : LIMB_E_UNSUPPORTED; }
static void stop(limb_threads* t) { (void)t; }
static void clear(limb_threads* t) { *t = (limb_threads){0}; }
static size_t size_of(int threads) { return (void)threads, sizeof(limb_threads); }

#endif

limb_status limb_threads_create(int threads, const limb_allocator* alloc, limb_threads** out)
{
  if (!out) return LIMB_E_ARG;
  *out = NULL;
  if (threads < 0 || threads > THREADS_MAX) return LIMB_E_ARG;
  if (threads == 0) threads = processors();
  limb_memory memory;
  limb_status s = limb_memory_take(alloc, size_of(threads), &memory);
  if (s != LIMB_OK) return s;
  limb_threads* t = memory.block;
  clear(t);
  t->memory = memory;
  t->pool = (limb_pool){sizeof(limb_pool), threads, t, run};
  s = start(t);
  if (s == LIMB_OK)
    *out = t;
  else
    limb_memory_end(memory);
  return s;
}

void limb_threads_destroy(limb_threads* t)
{
  if (!t) return;
  stop(t);
  limb_memory_end(t->memory);
}

const limb_pool* limb_threads_pool(const limb_threads* t) { return t ? &t->pool : NULL; }
