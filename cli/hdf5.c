// Loads HDF5, once.
#include "hdf5.h"

#include <dlfcn.h>
#include <stdio.h>

// Under the names of Debian and of everybody else. Without a package for developers names end in a number.
static void* open_library(void)
{
  static const char* const names[] = {"libhdf5_serial.so", "libhdf5.so"};
  static const char* const numbers[] = {"", ".320", ".310", ".200", ".103", ".101", ".100"};
  void* library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !library; k++) {
      char name[32];
      (void)snprintf(name, sizeof name, "%s%s", names[i], numbers[k]);
      library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  return library;
}

// 1 when all that is used is there. Pointers to functions are stored as POSIX has it.
static int find_functions(void* library, hdf5* h)
{
  int found = 1;
#define FIND(type, name, parameters) found &= (*(void**)& h->name = dlsym(library, #name)) != NULL;
  HDF5_FUNCTIONS(FIND)
#undef FIND
  return found;
}

static int find_values(void* library, hdf5* h)
{
  int found = 1;
#define FIND(name)                              \
  {                                             \
    const hid_t* value = dlsym(library, #name); \
    if (value) h->name = *value;                \
    found &= value != NULL;                     \
  }
  HDF5_VALUES(FIND)
#undef FIND
  return found;
}

// NULL, or why it cannot be used.
static const char* load(hdf5* h)
{
  unsigned version[3] = {0};
  void* library = open_library();
  if (!library) return "libhdf5 is not installed";
  if (!find_functions(library, h)) return "this libhdf5 lacks a function";
  if (h->H5get_libversion(&version[0], &version[1], &version[2]) < 0 || (version[0] == 1 && version[1] < 10))
    return "this libhdf5 is older than 1.10";
  if (h->H5open() < 0 || !find_values(library, h)) return "this libhdf5 does not start";
  return NULL;
}

const hdf5* cli_hdf5(const char** why)
{
  static hdf5 loaded;
  static int done;
  static const char* failed;
  if (!done) failed = load(&loaded);
  done = 1;
  *why = failed;
  return failed ? NULL : &loaded;
}
