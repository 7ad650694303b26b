// A folder of its own for a target that opens the files that its input names.
#ifndef LIMB_FUZZ_FOLDER_H
#define LIMB_FUZZ_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Makes an empty folder and works there from then on; 0: it cannot.
static inline int work_in_new_folder(void)
{
  const char* temporary = getenv("TMPDIR");
  char folder[256];
  (void)snprintf(folder, sizeof folder, "%.200s/limb_fuzz_XXXXXX", temporary ? temporary : "/tmp");
  return mkdtemp(folder) && chdir(folder) == 0;
}

#endif
