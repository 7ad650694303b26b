// The tool `limb`: reads the command line and calls the command it names.
#include "limb/limb.h"

#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char* const usage[] = {
  "usage: limb <command>",
  "",
  "commands",
  "  demo           what limb computes, for a few built-in robots",
  "",
  "options",
  "  --conventions  units, frames, orders and signs of everything that limb reads and writes",
  "  --help         this text",
  "  --version      version of the library",
  "",
  "exit codes: 0 fine, 1 findings or a failed check, 2 usage or I/O, 3 invalid model,",
  "            4 numerical failure",
  NULL,
};

int limb_cli_close_output(const char* command)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_FINE;
  (void)fprintf(stderr, "%s: the output could not be written%s%s\n", command, errno ? ": " : "",
                errno ? strerror(errno) : "");
  return EXIT_USAGE;
}

// Lines up to NULL.
static void print_lines(FILE* out, const char* const* lines)
{
  for (; *lines; lines++) (void)fprintf(out, "%s\n", *lines);
}

static int show_lines(const char* const* lines)
{
  print_lines(stdout, lines);
  return limb_cli_close_output("limb");
}

static int show_usage(void) { return show_lines(usage); }

static int show_conventions(void) { return show_lines(limb_conventions); }

static int show_version(void)
{
  const unsigned v = limb_version();
  printf("limb %u.%u.%u\n", v >> 16, v >> 8 & 0xff, v & 0xff);
  return limb_cli_close_output("limb");
}

static const struct {
  const char* name;
  int (*run)(void);
} commands[] = {{"demo", limb_cmd_demo},
                {"--conventions", show_conventions},
                {"--version", show_version},
                {"--help", show_usage},
                {"-h", show_usage}};

int main(int argc, char** argv)
{
  if (argc < 2) {
    print_lines(stderr, usage);
    return EXIT_USAGE;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(argv[1], commands[i].name) != 0) continue;
    if (argc == 2) return commands[i].run();
    (void)fprintf(stderr, "limb %s: unexpected argument '%s'\n", argv[1], argv[2]);
    return EXIT_USAGE;
  }
  (void)fprintf(stderr, "limb: unknown command '%s'; limb --help lists them\n", argv[1]);
  return EXIT_USAGE;
}
