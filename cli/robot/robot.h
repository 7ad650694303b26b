// The model of a command line: read with its options, findings reported on standard error, built.
#ifndef LIMB_CLI_ROBOT_H
#define LIMB_CLI_ROBOT_H

#include "limb/limb.h"
#include "limb/read.h"

#include "base/command.h"

#include <stdio.h>

typedef struct cli_robot {
  limb_reading* reading;
  limb_model* model;
  limb_data* data;
  limb_environment env; // gravity and friction by the options
  int nread;            // findings of the reader; those of the doctor come after them
} cli_robot;

// Reads, examines and builds the model that the operand names. Errors are listed on standard error with their fix,
// warnings likewise, notes are counted. Errors of the doctor are warnings here: there is a model. Returns EXIT_FINE or
// the exit code of the failure, after which nothing needs to be freed.
int cli_robot_open(const cli_args* args, const char* source, cli_robot* r);
void cli_robot_close(cli_robot* r);

// The same with other reading options than those of the command line; NULL: those.
int cli_robot_open_as(const cli_args* args, const char* source, const limb_read_options* opt, cli_robot* r);

// As cli_robot_open, but reports errors only: for commands that print findings themselves.
int cli_robot_open_quietly(const cli_args* args, const char* source, cli_robot* r);

// A finding that commands report: all of the reader; of the doctor those of rules about errors (limb check reports the
// rest). 1, or 0 if this one is not reported.
int cli_robot_finding(const cli_robot* r, int index, limb_finding* out);

// A built-in robot, even if a file has its name.
limb_status cli_load_built_in(const char* name, limb_model** out, limb_error* err);

// Prints findings from the given severity on, one per line as compilers do: file:line:column: severity: ...
// Hints follow, and after the first error of a rule what to do about it.
void cli_print_findings(FILE* out, const char* file, const limb_findings* f, limb_severity from);

// One finding in that form, without its hint; and an error that is not among the findings.
void cli_print_finding(FILE* out, const char* file, const limb_finding* f);
void cli_print_error(FILE* out, const char* file, limb_status s, const limb_error* err);

// After the message about a missing model: the built-in robot with a similar name, unless the name looks like a file.
void cli_suggest_robot(FILE* out, const char* name);

// How to read, by the options --base --no-mimic --from --max-bytes. EXIT_FINE, or EXIT_USAGE with a message.
int cli_read_options(const cli_args* args, limb_read_options* opt);

// 1 for a note of the compiler about an auxiliary body (limb/study.h), which users did not write.
int cli_note_is_auxiliary(const limb_model* m, const limb_note* note);

// The exit code that a status stands for: EXIT_FINE, EXIT_USAGE, EXIT_MODEL or EXIT_NUMERICAL.
int cli_exit_code(limb_status s);

#endif
