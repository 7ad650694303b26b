// Loads the modules of peers. The tool itself is linked with none of them: who has not built a module
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

static void add(bench* b, const bench_peers* module)
{
  const bench_library* peers[BENCH_PEERS];
  const int n = module->list(peers);
  for (int k = 0; k < n && b->npeer < BENCH_PEERS; k++) b->peer[b->npeer++] = peers[k];
}

// Pinocchio is all headers: each of its modules is the work of one compiler.
static const char* const places[] = {"limb_bench_pinocchio_gcc.so", "limb_bench_pinocchio_clang.so",
                                     "limb_bench_pinocchio_generated.so", "limb_bench_peers.so"};

// All modules beside the program or in bench/ there; if there are none, why.
static void look(bench* b)
{
  char folder[PATH_SPACE], path[PATH_SPACE + 48];
  find_folder(folder, sizeof folder);
  (void)snprintf(b->no_peers, sizeof b->no_peers,
                 "there is no limb_bench_peers.so beside the program; make bench builds it");
  for (size_t k = 0; k < 2 * (sizeof places / sizeof *places) && *folder; k++) {
    const char *why, *file = places[k / 2];
    (void)snprintf(path, sizeof path, "%s/%s%s", folder, k % 2 ? "bench/" : "", file);
    if (access(path, R_OK) != 0) continue;
    const bench_peers* found = load(path, &why);
    if (found) add(b, found);
    if (!found) (void)snprintf(b->no_peers, sizeof b->no_peers, "%s cannot be used: %s", file, why);
  }
}

int bench_load_peers(bench* b, const bench_options* o)
{
  if (!o->peers) {
    (void)snprintf(b->no_peers, sizeof b->no_peers, "left out");
  } else if (o->peers_file) {
    char path[PATH_SPACE];
    const char* why;
    // Without a slash dlopen would look in the folders of libraries.
    const char* here = strchr(o->peers_file, '/') ? "" : "./";
    (void)snprintf(path, sizeof path, "%s%s", here, o->peers_file);
    const bench_peers* found = load(path, &why);
    if (!found) (void)fprintf(stderr, "%s: %s: %s\n", b->title, o->peers_file, why);
    if (!found) return -1;
    add(b, found);
  } else {
    look(b);
  }
  return 0;
}
