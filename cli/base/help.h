// Help, man page and shell completion, all made from the tables of the commands.
#ifndef LIMB_CLI_HELP_H
#define LIMB_CLI_HELP_H

#include "base/command.h"

// Each prints to standard output; EXIT_FINE, or EXIT_USAGE if that fails.
int cli_help_overview(void);
int cli_help_command(const cli_command* command);
int cli_help_man(void);

// The overview on standard error, for a command line that names no command.
void cli_help_mistake(void);

// The command with a name; NULL: there is none.
const cli_command* cli_find_command(const char* name);

// "unknown command ..." on standard error, with the nearest one; EXIT_USAGE.
int cli_unknown_command(const char* name);

#endif
