#include "support/watch.h"

#include <errno.h>
#include <stdlib.h>

volatile int watching;
volatile long calls;

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
