// What a run reads and what it writes. Every input is announced before it is read and every output before anything is
// computed, whatever option, operand or key of a run file names it. No output is an input (device and inode decide, so
// links and standard streams that are files count), and no two outputs are one file.
#ifndef LIMB_CLI_FILES_H
#define LIMB_CLI_FILES_H

#include "base/command.h"

// Announces a file that is read; "-": standard input; NULL, and what does not exist, is ignored. NULL, or the reason
// why the run must not go on.
const char* cli_input_refused(const char* path);

// Announces a file that is written, "-": standard output, under the name of what asks for it: "--output". NULL, or the
// reason why it cannot be: another ending, a missing folder, no permission, an input or another output of this run.
const char* cli_output_refused(const char* label, const char* path, const char* endings);

// The same with a message: EXIT_FINE or EXIT_USAGE. cli_writes takes the value of an option, which may be absent.
int cli_reads(const cli_args* args, const char* path);
int cli_writes(const cli_args* args, const char* option, const char* endings);
int cli_writes_to(const cli_args* args, const char* label, const char* path, const char* endings);

// The form of the output: by --format, else by the ending of --output (.txt: text, .tex: latex), else fallback. NULL after
// a message: the two contradict each other.
const char* cli_format(const cli_args* args, const char* fallback);

// 1 if a path is one of the inputs that were announced.
int cli_is_input(const char* path);

// 1 if a path ends in one of the endings.
int cli_ends_in(const char* path, const char* endings);

// Where a path leads: the target of symbolic links, whether it exists or not. To be freed; NULL: out of memory.
char* cli_resolve(const char* path);

#endif
