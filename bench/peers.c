// Loads the module of peers. The tool itself is linked with none of them: who has not built the module
// measures limb alone.
#define _POSIX_C_SOURCE 200809L

#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SPACE = 4096 };

// The module at a path; NULL, and *why. It is never unloaded: libraries in C++ do not always take that well.
static const bench_peers* load(const char* path, const char** why)
{
  void* module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const bench_peers* found = module ? dlsym(module, "limb_bench_peers") : NULL;
  *why = NULL;
  if (!found) {
    const char* text = dlerror();
    *why = text ? text : "it has no list of peers";
    return NULL;
  }
  if (found->interface == BENCH_INTERFACE) return found;
  *why = "it was built for another version of the program";
  return NULL;
}

// The folder of this program, without a slash at the end; "" when the system does not tell.
static void find_folder(char* folder, size_t size)
{
  const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
  folder[n > 0 ? n : 0] = '\0';
  char* slash = strrchr(folder, '/');
  *(slash ? slash : folder) = '\0';
}

static const char* const places[] = {"limb_bench_peers.so", "bench/limb_bench_peers.so"};

// The first module beside the program, or NULL, and why there is none.
static const bench_peers* look(bench* b)
{
  char folder[PATH_SPACE], path[PATH_SPACE + 32];
  find_folder(folder, sizeof folder);
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    const char* why;
    (void)snprintf(path, sizeof path, "%s/%s", folder, places[k]);
    if (!*folder || access(path, R_OK) != 0) continue;
    const bench_peers* found = load(path, &why);
    if (found) return found;
    (void)snprintf(b->no_peers, sizeof b->no_peers, "%s cannot be used: %s", places[k], why);
    return NULL;
  }
  (void)snprintf(b->no_peers, sizeof b->no_peers,
                 "there is no limb_bench_peers.so beside the program; make bench builds it");
  return NULL;
}

int bench_load_peers(bench* b, const bench_options* o)
{
  const bench_peers* found = NULL;
  if (!o->peers) {
    (void)snprintf(b->no_peers, sizeof b->no_peers, "left out");
  } else if (o->peers_file) {
    char path[PATH_SPACE];
    const char* why;
    // Without a slash dlopen would look in the folders of libraries.
    const char* here = strchr(o->peers_file, '/') ? "" : "./";
    (void)snprintf(path, sizeof path, "%s%s", here, o->peers_file);
    found = load(path, &why);
    if (!found) (void)fprintf(stderr, "%s: %s: %s\n", b->title, o->peers_file, why);
    if (!found) return -1;
  } else {
    found = look(b);
  }
  if (!found) return 0;
  found->list(b->peer);
  b->npeer = BENCH_PEERS;
  return 0;
}
