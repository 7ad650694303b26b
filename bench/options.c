// The command line of the benchmark.
#include "options.h"

#include <stdio.h>
#include <string.h>

const char bench_usage[] =
  "usage: limb_bench [options]\n"
  "  --format text|csv|json  how to print (text)\n"
  "  --robots a,b            only these: 2r ur5 panda panda_elastic quadruped humanoid\n"
  "                          chain10 chain30 chain100 chain200 chain1000 chain100000\n"
  "                          four_bar five_bar gough_stewart humanoid_ankles\n"
  "                          ladder10 ladder100 ladder1000\n"
  "  --no-peers              limb alone\n"
  "  --quick                 a tenth of the time, coarser\n"
  "  --help                  this text\n";

static int set_format(bench_options* o, const char* name)
{
  static const char* const names[] = {"text", "csv", "json"};
  for (int i = 0; i < 3; i++) {
    if (!strcmp(name, names[i])) {
      o->format = (bench_format)i;
      return 0;
    }
  }
  fprintf(stderr, "limb_bench: no format '%s' (text, csv, json)\n", name);
  return -1;
}

int bench_options_parse(bench_options* o, int argc, char** argv)
{
  *o = (bench_options){.format = BENCH_TEXT, .peers = 1};
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(arg, "--quick")) {
      o->quick = 1;
    } else if (!strcmp(arg, "--no-peers")) {
      o->peers = 0;
    } else if (!strcmp(arg, "--help")) {
      o->help = 1;
    } else if (!strcmp(arg, "--format") && value) {
      if (set_format(o, argv[++i])) return -1;
    } else if (!strcmp(arg, "--robots") && value) {
      o->robots = argv[++i];
    } else {
      fprintf(stderr, "limb_bench: cannot use '%s'\n%s", arg, bench_usage);
      return -1;
    }
  }
  return 0;
}

int bench_options_wants(const bench_options* o, const char* robot)
{
  if (!o->robots) return 1;
  const size_t n = strlen(robot);
  for (const char* p = o->robots; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
    if (!strncmp(p, robot, n) && (p[n] == ',' || p[n] == '\0')) return 1;
  }
  return 0;
}

int bench_options_named(const bench_options* o)
{
  if (!o->robots) return -1;
  int n = 1;
  for (const char* p = strchr(o->robots, ','); p; p = strchr(p + 1, ',')) n++;
  return n;
}
