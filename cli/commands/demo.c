// `limb demo`: a tour of the tool. Each stop is a command line, printed and run as if it had been typed.
#include "base/command.h"
#include "base/print.h"

#include "limb/base.h"

#include <stdio.h>
#include <string.h>

typedef struct stop {
  const char* why;
  const char* line; // the command line, blanks between words
} stop;

static const stop stops[] = {
  {"What is a robot? Two links in a vertical plane", "limb info planar_2r"},
  {"Its equations of motion, as in a textbook", "limb equations planar_2r"},
  {"An arm with six joints: mass matrix, and torques that hold it still",
   "limb eval ur5 --q shoulder_lift=-60deg,elbow=80deg,wrist_1=-20deg --v 0 --a 0 --what M,tau --format text"},
  {"Let go: ten seconds without motors; the drift is the error of the energy",
   "limb sim planar_2r --duration 10 --method rk4 --step 1ms --output /dev/null"},
  {"Four legs on a free base, thrown up: momentum and energy balance",
   "limb sim quadruped --duration 2 --method rk4 --step 1ms --v base.wx=0.8,base.vz=3,lf_knee=3 --output /dev/null"},
  {"A hand whose fingers follow each other: springs open them, friction takes the energy",
   "limb sim hand --duration 1 --coulomb-width 0.05 --output /dev/null"},
  {"A platform on six legs: the forces of its motors, with all loops closed",
   "limb eval gough_stewart --a 0 --what tau,mobility --format text"},
  {"A crank and a rocker: both ways to close the loop",
   "limb assemble four_bar --hold theta1=2 --branches 4 --format text"},
  {"Can the numbers be trusted? Independent formulations against each other", "limb verify four_bar --states 20"},
};

enum { MAX_WORDS = 24, LINE = 200 };

// Splits the line and runs it; 0: every check passed.
static int run_stop(const stop* s)
{
  char line[LINE], *words[MAX_WORDS + 1] = {NULL};
  int n = 0;
  (void)snprintf(line, sizeof line, "%s", s->line);
  for (char* word = strtok(line, " "); word && n < MAX_WORDS; word = strtok(NULL, " ")) words[n++] = word;
  printf("\n%s# %s%s\n%s$ %s%s\n\n", cli_on(stdout, CLI_FAINT), s->why, cli_off(stdout, CLI_FAINT),
         cli_on(stdout, CLI_BOLD), s->line, cli_off(stdout, CLI_BOLD));
  (void)fflush(stdout);
  const cli_command* command = n > 1 ? cli_find_command(words[1]) : NULL;
  const int code = command ? cli_run(command, n - 2, words + 2) : EXIT_USAGE;
  (void)fflush(stderr);
  return code;
}

static int run_demo(const cli_args* args)
{
  (void)args;
  const uint32_t v = limb_version();
  int code = EXIT_FINE, failed = 0;
  printf("limb %u.%u.%u, robot dynamics in C. SI units, radians; gravity 9.81 m/s^2.\n", v >> 16, v >> 8 & 0xff,
         v & 0xff);
  for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
    const int one = run_stop(&stops[k]);
    if (one != EXIT_FINE) failed++, code = one;
  }
  if (failed)
    printf("\n%s%d of these commands failed: see above.%s\n", cli_on(stdout, CLI_RED), failed,
           cli_off(stdout, CLI_RED));
  else
    printf("\n%sEvery check passed.%s How to do this in C: README.md, examples/. Signs, orders: limb --conventions.\n"
           "Robots in motion: docs/gallery.md; limb sim planar_2r --duration 10s --animate fall.svg\n",
           cli_on(stdout, CLI_GREEN), cli_off(stdout, CLI_GREEN));
  return code;
}

const cli_command cli_demo = {
  .name = "demo",
  .operands = "",
  .summary = "a tour: what limb computes for a few built-in robots, checked on the way",
  .run = run_demo,
};
