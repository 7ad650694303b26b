// How commands are described, and how they read their arguments. The --help of a command, shell completion and the man
// page are made from one table.
#ifndef LIMB_CLI_COMMAND_H
#define LIMB_CLI_COMMAND_H

// What a command returns: 0 fine, 1 a failed check, 2 usage or I/O, 3 invalid model, 4 numerical failure.
enum { EXIT_FINE = 0, EXIT_FINDINGS = 1, EXIT_USAGE = 2, EXIT_MODEL = 3, EXIT_NUMERICAL = 4 };

// Enough for a column: a frame and four joints, of at most LIMB_NAME_MAX bytes each, and what stands around them.
enum { CLI_NAME_SPACE = 5200 };

// --threads N of any command: 0 to so many, 0 is one per processor. Checked before the command runs.
enum { CLI_THREADS_MAX = 4096 };

typedef struct cli_option {
  const char* name;     // without dashes: "base"; "": the heading of the options that follow
  const char* argument; // what follows it: "FILE", "X,Y,Z"; of words joined by |, one;
                        // NULL: a flag
  const char* help;     // one line
} cli_option;

typedef struct cli_args cli_args;

// An option whose value is a file that is written; checked before the command runs (base/output.h).
typedef struct cli_written {
  const char* option;  // NULL: the end
  const char* endings; // ".csv .npy"; "": any
} cli_written;

typedef struct cli_command {
  const char* name;
  const char* operands;             // "MODEL TRAJECTORY.csv"; in brackets: may be missing; with "...": any number
  const char* summary;              // one line
  const char* about;                // paragraphs of the help, one a line; NULL: none
  const char* const* examples;      // command lines, each followed by what it does; closed by NULL
  const cli_option* const* options; // groups of options, each closed by an entry without name; NULL-closed
  int (*run)(const cli_args* args); // an exit code; standard output is closed afterwards
  const cli_written* writes;        // NULL: none
  int takes_any;                    // any number of further operands, which may be empty
} cli_command;

// Options that several commands share.
extern const cli_option cli_model_options[];  // --base --no-mimic --from --max-bytes --args ...
extern const cli_option cli_change_options[]; // --attach --root --lock --payload
extern const cli_option cli_world_options[];  // --gravity --base-velocity --no-friction ...
extern const cli_option cli_format_options[]; // --format text|json|csv

// All commands, closed by one without name.
extern const cli_command* const cli_commands[];

// Value of an option, NULL if it was not given; "" for a flag that was given.
const char* cli_get(const cli_args* args, const char* name);
int cli_has(const cli_args* args, const char* name);
int cli_is(const cli_args* args, const char* name, const char* value); // it was given with this value

// The arguments as they were given, closed by NULL; of a command without operands.
char* const* cli_words(const cli_args* args);

int cli_operand_count(const cli_args* args);
const char* cli_operand(const cli_args* args, int k);

// Name of the command, for messages: "limb info".
const char* cli_title(const cli_args* args);

// Numbers in options: "0,0,-9.81" for count 3; all finite. On a mistake: message, and 0.
int cli_numbers(const cli_args* args, const char* name, int count, double* values);

// A whole number in [min, max]; *x stays if the option was not given. EXIT_FINE, or EXIT_USAGE after a message.
int cli_whole(const cli_args* args, const char* name, double min, double max, double* x);

// Which of the words that the option allows was given, from 0; 0 without it.
int cli_choice(const cli_args* args, const char* name);

// A number above zero; the same otherwise.
int cli_positive(const cli_args* args, const char* name, double* x);

// Refuses a list "NAME=X,..." that gives a name twice, and a value for all, "X" or "*=X", after a name, which it would
// replace. EXIT_FINE, or EXIT_USAGE after a message.
int cli_check_names(const cli_args* args, const char* option);

// A message "limb <command>: ..." on standard error; returns EXIT_USAGE.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_usage(const cli_args* args, const char* format, ...);

// ---- memory ----------------------------------------------------------------------------------------
//
// A command that runs out of memory ends with EXIT_USAGE and one sentence, and prints nothing else. Where the program
// can replace malloc (base/out_of_memory.c), it ends there and then, whoever asked. Elsewhere cli_usage is silent from
// then on, and what standard output still holds is discarded.

// From now on messages about memory name this command.
void cli_watch_memory(const char* command);

// Reports it, unless somebody did.
void cli_report_out_of_memory(const cli_args* args);

// The same, as the code of a command; in line, so that the analyzer sees that it is not EXIT_FINE.
static inline int cli_out_of_memory(const cli_args* args)
{
  cli_report_out_of_memory(args);
  return EXIT_USAGE;
}

// For those who cannot end the command: the sentence follows when it ends. reported: there was one already.
void cli_note_out_of_memory(int reported);

// 1 if either happened in this command.
int cli_is_out_of_memory(void);

// Reads the arguments after the name of a command and runs it; --help prints its help instead.
int cli_run(const cli_command* command, int argc, char** argv);

// ---- cli -------------------------------------------------------------------------------------------
//
// What the tool's files share.

// The lines of docs/conventions.md, closed by NULL.
extern const char* const limb_conventions[];

// The scripts of `limb completion`, the files limb.bash, limb.zsh and limb.fish: lines, closed by NULL.
extern const char* const cli_bash[];
extern const char* const cli_zsh[];
extern const char* const cli_fish[];

// Flushes standard output. A full disk is reported on standard error, with the name of the command. EXIT_FINE or
// EXIT_USAGE.
int limb_cli_close_output(const char* command);

// ---- commands --------------------------------------------------------------------------------------
//
// The commands, each in its own file; cli_commands (main.c) lists them in the order of the help.

extern const cli_command cli_mass, cli_info, cli_check, cli_eval, cli_id, cli_fd, cli_verify, cli_view, cli_convert;
extern const cli_command cli_report_command, cli_sim, cli_sweep, cli_ik, cli_assemble, cli_base, cli_excite,
  cli_identify, cli_calibrate, cli_codegen, cli_equations, cli_models, cli_xacro, cli_bench, cli_demo, cli_completion,
  cli_help;

// The robots that `limb bench` measures, closed by NULL.
extern const char* const cli_bench_robots[];

// ---- help ------------------------------------------------------------------------------------------
//
// Help, man page and shell completion, all made from the tables of the commands.

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
