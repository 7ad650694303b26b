// Schedulers and mpirun, as their environment shows them.
#include "sweep/engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- arrays of jobs --------------------------------------------------------------------------------

// Arrays count from first to last in steps.
static const struct {
  const char *name, *id, *first, *last, *step;
} arrays[] = {
  {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"},
  {"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"},
  {"LSF", "LSB_JOBINDEX", NULL, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP"},
};

// A whole number of the environment; without it, the fallback. -1: it is no number.
static long long number_of(const char* name, long long fallback)
{
  const char* text = name ? getenv(name) : NULL;
  char* end = NULL;
  if (!text || !*text) return fallback;
  const long long x = strtoll(text, &end, 10);
  return *end || x < 0 ? -1 : x;
}

static int wrong_part(const cli_args* args, const char* text)
{
  return cli_usage(args, "--part takes the number of a part and of all, 1/8 to 8/8, not '%s'", text);
}

int cli_find_part(const cli_args* args, uint64_t* part, uint64_t* parts)
{
  const char* text = cli_get(args, "part");
  *part = *parts = 1;
  if (text) {
    char *slash = NULL, *end = NULL;
    const long k = strtol(text, &slash, 10), n = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (!end || *end || k < 1 || k > n || n > 10000000) return wrong_part(args, text);
    *part = (uint64_t)k, *parts = (uint64_t)n;
    return EXIT_FINE;
  }
  if (cli_is(args, "engine", "threads")) return EXIT_FINE;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    const long long id = number_of(arrays[i].id, -1);
    if (id < 0 || !getenv(arrays[i].id)) continue;
    const long long first = number_of(arrays[i].first, 1), last = number_of(arrays[i].last, -1);
    const long long step = number_of(arrays[i].step, 1), count = number_of("SLURM_ARRAY_TASK_COUNT", -1);
    const long long all = step > 0 && last >= first ? (last - first) / step + 1 : -1;
    if (id == 0 && first > 0) continue; // LSF: not an array
    if (all < 1 || id < first || (id - first) % step || (i == 0 && count >= 0 && count != all))
      return cli_usage(args, "the part cannot be read from this array of %s, which has gaps: --part K/N",
                       arrays[i].name);
    *part = (uint64_t)((id - first) / step + 1), *parts = (uint64_t)all;
    (void)fprintf(stderr, "%s: note: part %llu of %llu, by %s\n", cli_title(args), (unsigned long long)*part,
                  (unsigned long long)*parts, arrays[i].id);
    return EXIT_FINE;
  }
  return EXIT_FINE;
}

// ---- MPI -------------------------------------------------------------------------------------------

// How many processes mpirun or srun has started; 1: neither did.
static long long started(void)
{
  static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", NULL};
  long long processes = getenv("PMIX_RANK") ? number_of("SLURM_NTASKS", 1) : 1;
  for (int i = 0; names[i]; i++)
    if (number_of(names[i], 1) > processes) processes = number_of(names[i], 1);
  return processes;
}

// The plug-in, beside the tool or in the library folder of the prefix that it is installed in.
static void* open_plugin(char* tried, size_t size)
{
  static const char* const places[] = {"", "../lib/limb/"};
  char folder[3500], path[4000];
  const ssize_t n = readlink("/proc/self/exe", folder, sizeof folder);
  folder[n > 0 && (size_t)n < sizeof folder ? n : 0] = '\0';
  char* slash = strrchr(folder, '/');
  if (slash) slash[1] = '\0';
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    (void)snprintf(path, sizeof path, "%s%slimb-mpi.so", folder, places[k]);
    if (access(path, R_OK) != 0) continue;
    void* plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!plugin) (void)snprintf(tried, size, "%s", dlerror());
    return plugin;
  }
  (void)snprintf(tried, size, "there is no limb-mpi.so beside it or in ../lib/limb: build limb where MPI is installed");
  return NULL;
}

int cli_open_mpi(const cli_args* args, cli_mpi* out)
{
  char why[400];
  *out = (cli_mpi){.size = 1};
  if (cli_is(args, "engine", "threads") || cli_has(args, "merge")) return EXIT_FINE;
  const long long processes = started();
  if (processes < 2 && !cli_is(args, "engine", "mpi")) return EXIT_FINE;
  void* plugin = open_plugin(why, sizeof why);
  const char* (*begin)(cli_mpi*, size_t) = NULL;
  void* symbol = plugin ? dlsym(plugin, "limb_mpi_begin") : NULL;
  memcpy(&begin, &symbol, sizeof begin);
  if (!begin)
    return cli_usage(args,
                     "started as one of %lld processes, and MPI cannot be used: %s; or use --engine threads or --part",
                     processes, why);
  const char* refused = begin(out, sizeof *out);
  return refused ? cli_usage(args, "%s", refused) : EXIT_FINE;
}
