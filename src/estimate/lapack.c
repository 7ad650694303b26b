// Loading LAPACKE.
#define _POSIX_C_SOURCE 200809L // pthread_once

#include "estimate/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static limb_lapack lapack;
static int found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// POSIX allows this conversion to function pointers.
static void load(void)
{
  void* library = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("liblapacke.so", RTLD_NOW | RTLD_LOCAL);
  found = library != NULL;
#define FIND(name, parameters) found = found && (*(void**)& lapack.name = dlsym(library, "LAPACKE_" #name)) != NULL;
  LAPACK_FUNCTIONS(FIND)
#undef FIND
}

const limb_lapack* limb_lapack_load(void)
{
  (void)pthread_once(&once, load);
  return found ? &lapack : NULL;
}
