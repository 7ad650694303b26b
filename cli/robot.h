// The model of a command line: read with its options, findings told on standard error, built.
#ifndef LIMB_CLI_ROBOT_H
#define LIMB_CLI_ROBOT_H

#include "limb/limb.h"
#include "limb/read.h"

#include "command.h"

#include <stdio.h>

typedef struct cli_robot {
  limb_reading* reading;
  limb_model* model;
  limb_data* data;
  limb_environment env; // gravity and friction by the options
} cli_robot;

// Reads and builds the model that the operand names. Errors are all listed on standard error, warnings too,
// notes only counted. Returns EXIT_FINE or the exit code of the failure; nothing is left to free then.
int cli_robot_open(const cli_args* args, const char* source, cli_robot* r);
void cli_robot_close(cli_robot* r);

// The same, but tells errors only: for commands that show findings themselves.
int cli_robot_open_quietly(const cli_args* args, const char* source, cli_robot* r);

// Prints findings from the given severity on, one per line as compilers do: file:line:column: severity: ...
void cli_print_findings(FILE* out, const char* file, const limb_findings* f, limb_severity from);

// One finding in that form, without its hint; and an error that is not among the findings.
void cli_print_finding(FILE* out, const char* file, const limb_finding* f);
void cli_print_error(FILE* out, const char* file, limb_status s, const limb_error* err);

// How to read, by the options --base --no-mimic --from --max-bytes. EXIT_FINE, or EXIT_USAGE with a message.
int cli_read_options(const cli_args* args, limb_read_options* opt);

// The exit code that a status stands for: EXIT_FINE, EXIT_USAGE, EXIT_MODEL or EXIT_NUMERICAL.
int cli_exit_code(limb_status s);

#endif
