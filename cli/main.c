// The tool `limb`: reads the command line and calls the command it names.
#include "limb/limb.h"

#include "cli.h"

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

// Prints lines up to NULL. Output that cannot be written (a full disk) is a failure.
static int print_lines(FILE* out, const char* const* lines)
{
  for (; *lines; lines++) {
    if (fprintf(out, "%s\n", *lines) < 0) return EXIT_USAGE;
  }
  return fflush(out) == 0 ? EXIT_FINE : EXIT_USAGE;
}

static int print_version(void)
{
  const unsigned v = limb_version();
  if (printf("limb %u.%u.%u\n", v >> 16, v >> 8 & 0xff, v & 0xff) < 0) return EXIT_USAGE;
  return fflush(stdout) == 0 ? EXIT_FINE : EXIT_USAGE;
}

int main(int argc, char** argv)
{
  if (argc != 2) {
    (void)print_lines(stderr, usage);
    return EXIT_USAGE;
  }
  if (strcmp(argv[1], "demo") == 0) return limb_cmd_demo();
  if (strcmp(argv[1], "--conventions") == 0) return print_lines(stdout, limb_conventions);
  if (strcmp(argv[1], "--version") == 0) return print_version();
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    return print_lines(stdout, usage);
  }
  (void)fprintf(stderr, "limb: unknown command '%s'; limb --help lists them\n", argv[1]);
  return EXIT_USAGE;
}
