// Output files that appear whole or not at all: written under a temporary name, then renamed. Signals remove them.
// Devices and pipes are written directly. Also the progress bar, on standard error if it is a terminal; and what a run
// reads and writes.
#ifndef LIMB_CLI_OUTPUT_H
#define LIMB_CLI_OUTPUT_H

#include "base/command.h"

#include "limb/draw.h"

#include <stdint.h>
#include <stdio.h>

typedef struct cli_output {
  FILE* stream;
  char* path;           // where it will be; NULL: standard output
  char* temporary;      // where it is; NULL: standard output, or a device that is written directly
  int replaces;         // there is a file of that name
  limb_picture picture; // LIMB_PICTURE_NONE, or what the SVG in memory becomes when it is committed
  char* drawing;        // it, after the stream is closed
  size_t length;
  int kept; // the temporary file is PATH.part, which stays when the run ends without cli_output_commit
  int lock; // of PATH.part; 0: none
} cli_output;

// Opens the output for a path; NULL or "-": standard output. EXIT_FINE or EXIT_USAGE with a message.
int cli_output_open(cli_output* o, const char* command, const char* path);

// The same for a drawing, whose stream takes SVG: the picture is what the ending of the path says.
int cli_output_open_drawing(cli_output* o, const char* command, const char* path);

// As cli_output_open without a stream, for what opens files itself: by this path, "-" for standard output.
int cli_output_reserve(cli_output* o, const char* command, const char* path);
const char* cli_output_path(const cli_output* o);

// Ends it: flushes, checks, renames. EXIT_FINE or EXIT_USAGE with a message.
int cli_output_commit(cli_output* o, const char* command);

// Reports that something could not be written, and why: by errno, or by this text if errno is 0. A closed pipe (head,
// less) is not reported. EXIT_USAGE.
int cli_unwritten(const char* command, const char* what, const char* why);

// Removes what was written. Does nothing after commit.
void cli_output_abandon(cli_output* o);

// Removes what is not committed yet, without an allocation or a lock, before the process ends.
void cli_remove_unfinished(void);

// The name PATH.part, to be freed; NULL: no memory, or standard output or a device.
char* cli_output_part(const cli_output* o);

// From now on the unfinished file is PATH.part, for --resume: it stays, whatever ends the process. Replaces one that is
// there. EXIT_FINE or EXIT_USAGE with a message.
int cli_output_keep(cli_output* o, const char* command);

// After a failure: keeps what was written if it replaces nothing, else removes it.
void cli_output_salvage(cli_output* o, const char* command);

// Text in memory, to be checked before it becomes a file.
typedef struct cli_text {
  char* bytes; // closed by a zero; NULL: nothing yet
  size_t size, capacity;
  int failed; // memory ran out
} cli_text;

void cli_text_add(void* text, const char* more); // a limb_text_fn; text is a cli_text
void cli_text_free(cli_text* text);

// Writes it to a path, as cli_output_open to cli_output_commit; NULL: standard output.
int cli_text_save(const cli_text* text, const char* command, const char* path);

// The number of a signal, 0: none. After Ctrl-C while a file is open, the command ends its loop, abandons its output
// and returns EXIT_USAGE (the tool then ends by the signal, as shells expect). A command that does not return within a
// tenth of a second is killed, and its unfinished files are removed.
int cli_interrupted(void);

// From here on the first signal, whichever it is, only sets cli_interrupted, and the command ends itself; the second
// one ends the process. A read that waits for input returns within a tenth of a second. The second function ends that:
// after the signal, or before work that does not ask.
void cli_wait_for_signals(void);
void cli_end_patience(void);

// Ends the process by the signal that interrupted it, if one did.
void cli_end_interrupted(void);

// Standard output, unless it is a terminal, holds back its first 64 KiB; the second function drops what it still holds.
void cli_hold_output(void);
void cli_discard_output(void);

// "sweep [#####     ]  17%, 683 cases/s, 12 min 5 s left", on standard error if that is a terminal.
typedef struct cli_progress {
  const char* what;
  uint64_t total;   // 0: not known
  const char* unit; // of a rate that is shown: "cases"; NULL: none is
  double counted;   // how many of that unit were done; 0: what cli_progress_update counts
  uint64_t from;    // done before the clock began
  double start, shown;
  int terminal;
} cli_progress;

cli_progress cli_progress_begin(const char* what, uint64_t total);
void cli_progress_update(cli_progress* p, uint64_t done); // cheap: reads the clock now and then
void cli_progress_skip(cli_progress* p, uint64_t done);   // so much was there already: the clock begins again
void cli_progress_end(cli_progress* p);                   // clears the line
void cli_progress_report(void* progress, uint64_t done, uint64_t total); // an update, as the library calls it

// ---- files -----------------------------------------------------------------------------------------
//
// What a run reads and what it writes. Every input is announced before it is read and every output before anything is
// computed, whatever option, operand or key of a run file names it. No output is an input (device and inode decide, so
// links and standard streams that are files count), and no two outputs are one file.

// Announces a file that is read; "-": standard input; NULL, and what does not exist, is ignored. NULL, or the reason
// why the run must not go on.
const char* cli_input_refused(const char* path);

// Endings of tables of numbers.
#define CLI_TABLES ".csv .npy .arrow .feather .parquet"

// Endings of the pictures that a drawing can become.
#define CLI_DRAWINGS   ".svg .png .pdf .html"
#define CLI_ANIMATIONS ".svg .png .pdf .html .htm"

// Announces a file that is written, "-": standard output, under the name of what asks for it: "--output". NULL, or the
// reason why it cannot be: another ending, a missing
// folder, no permission, a picture that cannot be made here, an input or another output of this run.
const char* cli_output_refused(const char* label, const char* path, const char* endings);

// The same with a message: EXIT_FINE or EXIT_USAGE. cli_writes takes the value of an option, which may be absent.
int cli_reads(const cli_args* args, const char* path);
int cli_writes(const cli_args* args, const char* option, const char* endings);
int cli_writes_to(const cli_args* args, const char* label, const char* path, const char* endings);

// The form of the output: by --format, else by the ending of --output (.txt: text, .tex: latex), else fallback. NULL
// after a message: the two contradict each other.
const char* cli_format(const cli_args* args, const char* fallback);

// Forgets what was announced, before the next command of one process.
void cli_forget_files(void);

// 1 if a path is one of the inputs that were announced.
int cli_is_input(const char* path);

// 1 if a path ends in one of the endings.
int cli_ends_in(const char* path, const char* endings);

// Where a path leads: the target of symbolic links, whether it exists or not. To be freed; NULL: out of memory.
char* cli_resolve(const char* path);

#endif
