// Linux has a folder for each package, /sys/class/powercap/intel-rapl:0, on processors of AMD, too. Its counter is in
// microjoules and starts again at zero. Since 2020 only root may read it.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "power.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PACKAGES = 16 };

typedef struct counters {
  int count;
  double joules[PACKAGES], range[PACKAGES];
} counters;

static int cause; // errno of the last attempt

static int read_number(int package, const char* name, double* x)
{
  char path[96];
  (void)snprintf(path, sizeof path, "/sys/class/powercap/intel-rapl:%d/%s", package, name);
  errno = 0;
  FILE* f = fopen(path, "r");
  if (!f) {
    if (package == 0) cause = errno;
    return 0;
  }
  const int fine = fscanf(f, "%lf", x) == 1; // NOLINT(cert-err34-c): the kernel writes a number
  (void)fclose(f);
  return fine;
}

static counters look(void)
{
  counters c = {0};
  while (c.count < PACKAGES && read_number(c.count, "energy_uj", &c.joules[c.count])) {
    if (!read_number(c.count, "max_energy_range_uj", &c.range[c.count])) c.range[c.count] = 0;
    c.count++;
  }
  return c;
}

static double spent(const counters* a, const counters* b)
{
  double sum = 0;
  for (int i = 0; i < a->count && i < b->count; i++) {
    const double x = b->joules[i] - a->joules[i];
    sum += 1e-6 * (x < 0 ? x + b->range[i] : x);
  }
  return sum;
}

static double now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char* bench_no_power(void)
{
  if (look().count > 0) return "";
  return cause == EACCES ? "/sys/class/powercap can be read by root alone"
                         : "this machine shows none in /sys/class/powercap";
}

void bench_measure_power(bench* b)
{
  for (int i = 0; i < b->nrow; i++) {
    bench_row* r = &b->row[i];
    r->watts = nan("");
    const counters before = look();
    if (r->library->mode != BENCH_THREADED || before.count == 0) continue;
    const double begin = now();
    while (now() - begin < 0.2) r->library->run[r->kernel](r->self, 0, r->count);
    const counters after = look();
    r->watts = spent(&before, &after) / (now() - begin);
  }
}
