// Processor, date and load, where Linux keeps them.
#define _DEFAULT_SOURCE

#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void find_processor(char* name, size_t size)
{
  char line[256];
  int processors = 0;
  FILE* in = fopen("/proc/cpuinfo", "r");
  name[0] = '\0';
  while (in && fgets(line, sizeof line, in)) {
    const char* colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    line[strcspn(line, "\n")] = '\0';
    if (processors++ == 0) (void)snprintf(name, size, "%s", colon + 2);
  }
  if (in) (void)fclose(in);
  const size_t used = strlen(name);
  if (used) (void)snprintf(name + used, size - used, " x %d", processors);
}

void bench_describe_machine(bench_summary* out)
{
  const time_t now = time(NULL);
  struct tm utc;
  find_processor(out->processor, sizeof out->processor);
  out->date[0] = '\0';
  if (gmtime_r(&now, &utc)) (void)strftime(out->date, sizeof out->date, "%Y-%m-%d %H:%M UTC", &utc);
  if (getloadavg(&out->load, 1) != 1) out->load = (double)NAN;
}
