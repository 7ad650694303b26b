// What the tool's files share. Commands return an exit code: 0 fine, 1 a failed check, 2 usage or I/O,
// 3 invalid model, 4 numerical failure.
#ifndef LIMB_CLI_H
#define LIMB_CLI_H

enum { EXIT_FINE = 0, EXIT_FINDINGS = 1, EXIT_USAGE = 2, EXIT_MODEL = 3, EXIT_NUMERICAL = 4 };

// Enough for a column: two names of a model, of at most LIMB_NAME_MAX bytes each, and what stands around them.
enum { CLI_NAME_SPACE = 2400 };

// The lines of docs/conventions.md, closed by NULL.
extern const char* const limb_conventions[];

// Flushes standard output. A full disk is reported on standard error, with the name of the command. EXIT_FINE or
// EXIT_USAGE.
int limb_cli_close_output(const char* command);

// `limb demo`: built-in robots, shown and checked.
int limb_cmd_demo(void);

#endif
