// The end of memory: the first allocation that fails ends the tool, with exit code 2 and one sentence.
//
// limb's own libraries report failures, but not all libraries that they call look at what malloc returns: SUNDIALS and
// HDF5 go on without. In ELF the malloc of a program comes before that of the C library, also for shared libraries;
// this one only passes calls on and looks at what they return. Elsewhere, and with sanitizers, which have an allocator
// of their own, failures are reported where they are noticed: cli_out_of_memory.
#define _GNU_SOURCE // RTLD_NEXT

#include "base/command.h"
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

static char title[64] = "limb"; // outlives the command

void cli_watch_memory(const char* command) { (void)snprintf(title, sizeof title, "%s", command); }

#if defined(__ELF__) && !defined(SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>

static void say(const char* text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

// Without a lock, a buffer or an allocation: any thread may be anywhere.
static void* granted(void* block, size_t size)
{
  if (block || size == 0) return block;
  say(title);
  say(": out of memory\n");
  cli_remove_unfinished();
  _exit(EXIT_USAGE);
}

#define NEXT(name, type, parameters)    \
  static type(*next_##name) parameters; \
  if (!next_##name) *(void**)&next_##name = dlsym(RTLD_NEXT, #name);

void* malloc(size_t size)
{
  NEXT(malloc, void*, (size_t))
  return granted(next_malloc(size), size);
}

void* calloc(size_t nmemb, size_t size)
{
  NEXT(calloc, void*, (size_t, size_t))
  return granted(next_calloc(nmemb, size), nmemb && size);
}

void* realloc(void* ptr, size_t size)
{
  NEXT(realloc, void*, (void*, size_t))
  return granted(next_realloc(ptr, size), size);
}

void* aligned_alloc(size_t alignment, size_t size)
{
  NEXT(aligned_alloc, void*, (size_t, size_t))
  return granted(next_aligned_alloc(alignment, size), size);
}

int posix_memalign(void** memptr, size_t alignment, size_t size)
{
  NEXT(posix_memalign, int, (void**, size_t, size_t))
  const int code = next_posix_memalign(memptr, alignment, size);
  if (code == ENOMEM) (void)granted(NULL, size);
  return code;
}

#endif
