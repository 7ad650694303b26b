// `limb bench`: how fast limb is on this machine, next to other libraries. It runs limb-bench (bench/main.c),
// a program beside this one, whose arguments are described here.
#include "base/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SPACE = 4096 };

static const char program[] = "limb-bench";

// The program in the folder of this one; the name alone if that folder is not known.
static void find_program(char path[PATH_SPACE])
{
  const size_t capacity = PATH_SPACE - sizeof program;
  const ssize_t n = readlink("/proc/self/exe", path, capacity);
  path[n > 0 && (size_t)n < capacity ? n : 0] = '\0';
  char* slash = strrchr(path, '/');
  memcpy(slash ? slash + 1 : path, program, sizeof program);
}

static int run(const cli_args* args)
{
  char path[PATH_SPACE], *const *words = cli_words(args);
  size_t n = 0;
  while (words[n]) n++;
  char** given = calloc(n + 2, sizeof *given);
  if (!given) return cli_out_of_memory(args);
  find_program(path);
  given[0] = path;
  memcpy(given + 1, words, n * sizeof *given);
  (void)execvp(path, given);
  const int why = errno;
  free(given);
  if (why != ENOENT) return cli_usage(args, "%s: %s", path, strerror(why));
  return cli_usage(args, "%s is not there; `make bench` in the sources of limb builds it", path);
}

// Those of bench/robot_list.c.
const char* const cli_bench_robots[] = {
  "2r",       "ur5",           "panda",           "panda_elastic", "quadruped",  "humanoid",    "chain10",
  "chain30",  "chain100",      "chain200",        "chain1000",     "chain10000", "chain100000", "four_bar",
  "five_bar", "gough_stewart", "humanoid_ankles", "ladder10",      "ladder100",  "ladder1000",  NULL,
};

static const cli_option options[] = {
  {"", NULL, "what is measured"},
  {"robots", "ROBOTS", "only these, with commas between them (default: all); files, too, FILE+free with a free base"},
  {"quick", NULL, "a tenth of the time, coarser"},
  {"threads", "N", "of the rows with threads (default: 0, one per processor)"},
  {"no-peers", NULL, "limb alone"},
  {"peers", "FILE", "a module of other libraries (default: all limb_bench_*.so beside the program or in bench/ there)"},
  {"", NULL, "the output"},
  {"format", "text|json|csv", "output format"},
  {"plot", "FILE", "draw the cost of chains against their number of joints"},
  {0},
};

const cli_command cli_bench = {
  .name = "bench",
  .operands = "",
  .summary = "measure the speed of limb on this machine, beside other libraries",
  .about =
    "Measures inverse and forward dynamics, mass matrix, Jacobian, derivatives and more: one call at a time, batches "
    "over double and float, batches on all threads; and Pinocchio, MuJoCo, KDL, DART and Simbody if their modules "
    "are there. All rows are measured in the same rounds, on the same random states, after their answers have been "
    "compared. The command runs the program limb-bench beside limb; make bench, in the sources of limb, builds it "
    "and the modules.\n"
    "Times are those of the best short slice, per state. Slots are times multiplied by the rate of scalar "
    "multiply-adds of the same run, two for each: they depend little on clock and machine. GFLOP/s are counted by "
    "running the kernels over a scalar that counts, and compared with the measured peak of the machine.\n"
    "The robots: 2r ur5 panda panda_elastic quadruped humanoid chain10 chain30 chain100 chain200 chain1000 "
    "chain10000 chain100000, and with loops four_bar five_bar gough_stewart humanoid_ankles ladder10 ladder100 "
    "ladder1000. A run takes one to two minutes, with --quick some ten seconds.",
  .examples = (const char* const[]){"limb bench --quick --no-peers", "limb alone, coarsely",
                                    "limb bench --robots ur5,panda --format csv > this_machine.csv",
                                    "two robots as a table", "limb bench --plot cost.svg",
                                    "everything, and how cost grows with the number of joints", NULL},
  .options = (const cli_option* const[]){options, NULL},
  .run = run,
};
