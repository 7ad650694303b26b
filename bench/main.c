// The program limb-bench: how fast limb is on this machine, next to other libraries. `limb bench` runs
// it; their arguments are described in one place, cli/commands/bench.c.
#include "bench.h"
#include "write.h"

#include "cli/base/command.h"
#include "cli/base/output.h"
#include "cli/base/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROBOTS = 64, NAMES_SPACE = 4096, MOST_THREADS = 4096 };

// What was asked for: the names of the robots, cut apart, and the options.
typedef struct request {
  char names[NAMES_SPACE];
  const char* robots[MOST_ROBOTS + 1];
  bench_options options;
  cli_progress progress;
} request;

static int is_robot(const char* name)
{
  for (const char* const* r = bench_robots(); *r; r++)
    if (strcmp(*r, name) == 0) return 1;
  return 0;
}

static int unknown_robot(const cli_args* args, const char* name)
{
  const char* near = limb_nearest_name(name, bench_robots());
  if (near) return cli_usage(args, "--robots: there is no '%s'; did you mean '%s'?", name, near);
  (void)fprintf(stderr, "%s: --robots: there is no '%s'; there are", cli_title(args), name);
  for (const char* const* r = bench_robots(); *r; r++) (void)fprintf(stderr, " %s", *r);
  (void)fprintf(stderr, "\n");
  return EXIT_USAGE;
}

static int read_robots(const cli_args* args, request* q)
{
  const char* text = cli_get(args, "robots");
  int n = 0;
  if (!text) return EXIT_FINE;
  if (strlen(text) >= sizeof q->names) return cli_usage(args, "--robots: the list is too long");
  (void)snprintf(q->names, sizeof q->names, "%s", text);
  for (char* at = q->names; at;) {
    char* comma = strchr(at, ',');
    if (comma) *comma = '\0';
    if (!is_robot(at) && !bench_is_file(at)) return unknown_robot(args, at);
    if (n == MOST_ROBOTS) return cli_usage(args, "--robots: the list is too long");
    q->robots[n++] = at;
    at = comma ? comma + 1 : NULL;
  }
  q->options.robots = q->robots;
  return EXIT_FINE;
}

static int read_threads(const cli_args* args, request* q)
{
  double x = 0;
  if (!cli_has(args, "threads")) return EXIT_FINE;
  if (!cli_numbers(args, "threads", 1, &x)) return EXIT_USAGE;
  if (!(x >= 0 && x <= MOST_THREADS) || x != (double)(int)x)
    return cli_usage(args, "--threads must be a whole number from 0 to %d", MOST_THREADS);
  q->options.threads = (int)x;
  return EXIT_FINE;
}

// A plot needs chains to draw.
static int check_plot(const cli_args* args, const request* q)
{
  if (!cli_has(args, "plot") || !q->options.robots) return EXIT_FINE;
  for (const char* const* r = q->options.robots; *r; r++)
    if (bench_is_chain(*r)) return EXIT_FINE;
  return cli_usage(args, "--plot draws chains, and --robots names none");
}

enum { PROGRESS_STEPS = 1000 };

static void show_progress(void* context, double share)
{
  cli_progress_update(context, (uint64_t)(share * PROGRESS_STEPS));
}

static int read_request(const cli_args* args, request* q)
{
  q->options = (bench_options){.quick = cli_has(args, "quick"),
                               .peers = !cli_has(args, "no-peers"),
                               .peers_file = cli_get(args, "peers"),
                               .progress = show_progress,
                               .context = &q->progress};
  if (q->options.peers_file && !q->options.peers) return cli_usage(args, "--peers and --no-peers exclude each other");
  int code = read_robots(args, q);
  if (code == EXIT_FINE) code = read_threads(args, q);
  return code == EXIT_FINE ? check_plot(args, q) : code;
}

static int print(const cli_args* args, const bench* b)
{
  const char* format = cli_get(args, "format");
  if (format && strcmp(format, "json") == 0) return cli_json_print(bench_json(b), stdout, cli_title(args));
  if (format && strcmp(format, "csv") == 0) {
    bench_csv(b, stdout);
  } else {
    bench_print(b);
  }
  return limb_cli_close_output(cli_title(args));
}

// Opened before anything is measured: a place that cannot be written to is known at once.
static int measure(const cli_args* args, request* q, cli_output* plot)
{
  q->progress = cli_progress_begin("measuring", PROGRESS_STEPS);
  bench* b = bench_run(&q->options, cli_title(args));
  cli_progress_end(&q->progress);
  if (!b) return EXIT_USAGE;
  int code = print(args, b);
  if (code == EXIT_FINE && plot->stream) {
    code = bench_draw(b, plot->stream) ? cli_output_commit(plot, cli_title(args)) : cli_usage(args, "out of memory");
  }
  bench_free(b);
  return code;
}

static int run(const cli_args* args)
{
  request* q = calloc(1, sizeof *q);
  cli_output plot = {0};
  if (!q) return cli_usage(args, "out of memory");
  int code = read_request(args, q);
  if (code == EXIT_FINE && cli_has(args, "plot"))
    code = cli_output_open_drawing(&plot, cli_title(args), cli_get(args, "plot"));
  if (code == EXIT_FINE) code = measure(args, q, &plot);
  cli_output_abandon(&plot);
  free(q);
  return code;
}

// This program has one command, and its name is that of the program.
const cli_command* const cli_commands[] = {&cli_bench, NULL};

int main(int argc, char** argv)
{
  cli_command command = cli_bench;
  command.run = run;
  const int code = cli_run(&command, argc > 0 ? argc - 1 : 0, argv + 1);
  cli_end_interrupted();
  return code;
}
