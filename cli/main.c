// The tool `limb`: reads the command line and calls the command it names.
#include "limb/base.h"
#include "limb/limb.h"

#include "base/command.h"
#include "base/output.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const cli_command* const cli_commands[] = {
  &cli_info,           &cli_check,    &cli_eval,      &cli_id,         &cli_fd,        &cli_sim,      &cli_sweep,
  &cli_report_command, &cli_view,     &cli_verify,    &cli_convert,    &cli_ik,        &cli_assemble, &cli_base,
  &cli_excite,         &cli_identify, &cli_calibrate, &cli_codegen,    &cli_equations, &cli_models,   &cli_mass,
  &cli_xacro,          &cli_bench,    &cli_demo,      &cli_completion, &cli_help,      NULL,
};

static int show_conventions(void)
{
  for (const char* const* line = limb_conventions; *line; line++) puts(*line);
  return limb_cli_close_output("limb");
}

static int show_version(void)
{
  const unsigned v = limb_version();
  printf("limb %u.%u.%u\n", v >> 16, v >> 8 & 0xff, v & 0xff);
  printf("instruction set: %s\n", limb_isa_name());
  return limb_cli_close_output("limb");
}

static const struct {
  const char* name;
  int (*run)(void);
} flags[] = {{"--conventions", show_conventions},
             {"--version", show_version},
             {"--help", cli_help_overview},
             {"-h", cli_help_overview}};

static int run_flag(int argc, char** argv)
{
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (strcmp(argv[1], flags[i].name) != 0) continue;
    if (argc == 2) return flags[i].run();
    (void)fprintf(stderr, "limb %s: unexpected argument '%s'\n", argv[1], argv[2]);
    return EXIT_USAGE;
  }
  (void)fprintf(stderr, "limb: unknown option '%s'; the first argument is a command: limb --help\n", argv[1]);
  return EXIT_USAGE;
}

// Letters and digits: nothing that a terminal would act on.
static int is_plain(const char* text)
{
  while (isalnum((unsigned char)*text)) text++;
  return *text == '\0';
}

// A request that cannot be met, LIMB_ISA in the environment, is reported.
static void report_refused_isa(void)
{
  const char* refused = limb_isa_refused();
  if (!refused) return;
  (void)fprintf(stderr,
                "limb: warning: LIMB_ISA: the instruction set '%.20s' is not available (known: base, v3, v4); "
                "%s is used\n",
                is_plain(refused) ? refused : "?", limb_isa_name());
}

int main(int argc, char** argv)
{
  cli_hold_output();
  report_refused_isa();
  if (argc < 2) {
    cli_help_mistake();
    return EXIT_USAGE;
  }
  if (argv[1][0] == '-') return run_flag(argc, argv);
  const cli_command* command = cli_find_command(argv[1]);
  if (!command) return cli_unknown_command(argv[1]);
  const int code = cli_run(command, argc - 2, argv + 2);
  cli_end_interrupted();
  return code;
}
