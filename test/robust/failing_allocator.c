// A library to preload: the program runs once per request, and the n-th allocation of that run fails, whoever asks.
//
// What has to be loaded is loaded once. Before main it waits for requests on standard input, and forks a process for
// each, which goes on to main with its standard output and standard error in files of the current folder.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// The allocator of glibc, past this one.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

typedef struct request {
  long fails; // number of the allocation that fails; 0: none does
  long last;  // and those after it, up to this one
} request;

typedef struct answer {
  long status; // as of waitpid
  long asked;  // allocations
} answer;

static request failing;
static long* asked; // in memory that the processes share; NULL: nothing is counted

static int refuse(void)
{
  if (!asked) return 0;
  const long n = __atomic_add_fetch(asked, 1, __ATOMIC_RELAXED);
  if (n < failing.fails || n > failing.last) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return refuse() ? NULL : __libc_malloc(size); }

void* calloc(size_t count, size_t size) { return refuse() ? NULL : __libc_calloc(count, size); }

void* realloc(void* block, size_t size) { return refuse() ? NULL : __libc_realloc(block, size); }

void* aligned_alloc(size_t align, size_t size) { return refuse() ? NULL : __libc_memalign(align, size); }

void* memalign(size_t align, size_t size) { return refuse() ? NULL : __libc_memalign(align, size); }

int posix_memalign(void** out, size_t align, size_t size)
{
  void* block = refuse() ? NULL : __libc_memalign(align, size);
  if (!block) return ENOMEM;
  *out = block;
  return 0;
}

static void move_to(int stream, const char* path, int flags)
{
  const int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, stream) < 0) _exit(99);
  (void)close(file);
}

__attribute__((constructor)) static void serve(void)
{
  const char* text = getenv("FAILING_ALLOCATOR");
  const int answers = text ? atoi(text) : -1;
  if (!text) return;
  long* count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (count == MAP_FAILED) _exit(99);
  while (read(0, &failing, sizeof failing) == (ssize_t)sizeof failing) {
    *count = 0;
    const pid_t child = fork();
    if (child == 0) {
      (void)close(answers);
      move_to(0, "/dev/null", O_RDONLY);
      move_to(1, "stdout", O_WRONLY | O_CREAT | O_TRUNC);
      move_to(2, "stderr", O_WRONLY | O_CREAT | O_TRUNC);
      asked = count;
      return;
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) _exit(99);
    const answer a = {status, *count};
    if (write(answers, &a, sizeof a) != (ssize_t)sizeof a) _exit(99);
  }
  _exit(0);
}
