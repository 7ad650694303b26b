// malloc and its kin, watched. Defines them: for one source of a program.
#ifndef LIMB_TEST_WATCH_H
#define LIMB_TEST_WATCH_H

#include "support/check.h"

#include <errno.h>
#include <stdlib.h>

// Allocations of any kind in this program are counted while watching is set. glibc lets a program
// define malloc; a sanitizer has its own already.
#if defined(__GLIBC__) && !CHECK_SANITIZED
#define CAN_WATCH 1
#else
#define CAN_WATCH 0
#endif

static volatile int watching = 0;
static volatile long calls = 0;

#if CAN_WATCH
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t align, size_t size);
void __libc_free(void* memory);

static void seen(void)
{
  if (watching) calls++;
}

void* malloc(size_t size)
{
  seen();
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size)
{
  seen();
  return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size)
{
  seen();
  return __libc_realloc(old, size);
}

void* aligned_alloc(size_t align, size_t size)
{
  seen();
  return __libc_memalign(align, size);
}

int posix_memalign(void** out, size_t align, size_t size)
{
  seen();
  *out = __libc_memalign(align, size);
  return *out ? 0 : ENOMEM;
}

void free(void* memory)
{
  if (memory) seen();
  __libc_free(memory);
}
#endif

#endif
