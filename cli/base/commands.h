// The commands, each in its own file; cli_commands (main.c) lists them in the order of the help.
#ifndef LIMB_CLI_COMMANDS_H
#define LIMB_CLI_COMMANDS_H

#include "base/command.h"

extern const cli_command cli_info, cli_check, cli_eval, cli_id, cli_fd, cli_verify, cli_convert;
extern const cli_command cli_sim, cli_assemble, cli_base, cli_codegen, cli_equations, cli_models, cli_bench, cli_demo,
  cli_completion, cli_help;

// The robots that `limb bench` measures, closed by NULL.
extern const char* const cli_bench_robots[];

#endif
