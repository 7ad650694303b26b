// realpath, which wasi-libc of Debian 12 lacks. The files of a page are in memory and have no links: a path is made
// absolute and loses "." and "..". As in POSIX, a path that names nothing is ENOENT.
#include "realpath.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Appends one part of a path to an absolute one. 0 if it does not fit.
static int append(char* path, const char* part, size_t size)
{
  if (size == 0 || (size == 1 && *part == '.')) return 1;
  if (size == 2 && memcmp(part, "..", 2) == 0) {
    char* last = strrchr(path, '/');
    if (last) *last = '\0';
    return 1;
  }
  const size_t length = strlen(path);
  if (length + size + 2 > PATH_MAX) return 0;
  path[length] = '/';
  memcpy(path + length + 1, part, size);
  path[length + 1 + size] = '\0';
  return 1;
}

char* realpath(const char* path, char* resolved)
{
  char absolute[PATH_MAX] = "";
  for (const char* part = path; *part;) {
    const size_t size = strcspn(part, "/");
    if (!append(absolute, part, size)) return errno = ENAMETOOLONG, NULL;
    part += size + (part[size] == '/');
  }
  if (!*absolute) (void)strcpy(absolute, "/");
  struct stat about;
  if (stat(absolute, &about) != 0) return NULL;
  if (!resolved) return strdup(absolute);
  return strcpy(resolved, absolute);
}
