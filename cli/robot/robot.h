// The model of a command line: read with its options, findings reported on standard error, built.
#ifndef LIMB_CLI_ROBOT_H
#define LIMB_CLI_ROBOT_H

#include "limb/limb.h"
#include "limb/read.h"
#include "limb/run.h"

#include "base/command.h"
#include "base/output.h"
#include "base/print.h"

#include <stdio.h>

typedef limb_dof_info cli_dof;

// Names and units of the coordinates of a model (limb/model.h), as arrays.
typedef struct cli_dofs {
  int nq, nv;
  cli_dof *q, *v; // one entry per number of q, and per number of v, a and tau
  limb_dofs* own; // the names
} cli_dofs;

typedef struct cli_robot {
  limb_reading* reading;
  limb_model* model;
  limb_data* data;
  cli_dofs dofs;
  limb_environment env; // gravity and friction by the options
  int nread;            // findings of the reader; those of the doctor come after them
} cli_robot;

// Reads, examines and builds the model that the operand names. Errors are listed on standard error with their fix,
// warnings likewise, notes are counted. Errors of the doctor are warnings here: there is a model. Returns EXIT_FINE or
// the exit code of the failure, after which nothing needs to be freed.
int cli_robot_open(const cli_args* args, const char* source, cli_robot* r);
void cli_robot_close(cli_robot* r);

// Changes of a model by a run (limb/run.h), whose file is at a path, or NULL.
typedef struct cli_changes {
  const limb_run* run;
  const char* path;
} cli_changes;

// Applies changes, or those of the command line (NULL), to the builder of a reading. EXIT_FINE, or an exit code after a
// message. options.c
int cli_change(const cli_args* args, const cli_changes* c, const limb_read_options* opt, limb_reading* r);

// Puts the pose of --pose into q, if there is one, and marks its numbers (named: NULL, or nq). EXIT_FINE, or EXIT_USAGE
// after a message. options.c
int cli_take_pose(const cli_args* args, const cli_robot* r, double* q, unsigned char* named);

// The same with other reading options and changes than those of the command line; NULL: those.
int cli_robot_open_as(const cli_args* args, const char* source, const limb_read_options* opt, const cli_changes* c,
                      cli_robot* r);

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

// file:line:column: of a finding, whose own file overrides the one given.
void cli_print_position(FILE* out, const char* file, const limb_finding* f);

// One finding in that form, without its hint; and an error that is not among the findings.
void cli_print_finding(FILE* out, const char* file, const limb_finding* f);
void cli_print_error(FILE* out, const char* file, limb_status s, const limb_error* err);

// How to read, by the options of cli_model_options. EXIT_FINE, or EXIT_USAGE with a message.
int cli_read_options(const cli_args* args, limb_read_options* opt);

// 1 for a note of the compiler about an auxiliary body (limb/study.h), which users did not write.
int cli_note_is_auxiliary(const limb_model* m, const limb_note* note);

// The exit code that a status stands for: EXIT_FINE, EXIT_USAGE, EXIT_MODEL or EXIT_NUMERICAL.
int cli_exit_code(limb_status s);

// Reads a model that was written, under the name of its file.
limb_status cli_text_read(const cli_text* text, limb_format format, const char* path, limb_reading** out,
                          limb_error* err);

// "q.<coordinate>" for each.
limb_status cli_csv_coordinates(limb_csv_writer* w, const cli_dofs* d);

// Names of the dofs that are marked, or of all.
json_t* cli_json_dofs(int n, const cli_dof* d, const unsigned char* mark);

// The reference that an option names; world axes at the frame's origin if it was not given.
limb_ref cli_ref(const cli_args* args, const char* option);

// The same after a message about what failed, with the text of err or of the status; err may be NULL.
int cli_failed(const cli_args* args, const char* about, limb_status s, const limb_error* err);

// --directions: components of a twist as LIMB_WX ... LIMB_VZ; unchanged if the option was not given. EXIT_FINE, or
// EXIT_USAGE after a message.
int cli_directions(const cli_args* args, unsigned* bits);

// ---- dofs ------------------------------------------------------------------------------------------
//
// How the robot is attached to the world, by the joints that move as its base: "fixed" without any, the type when
// they are alike, "other" when they differ or when other joints move right on the world as well. A free joint is
// called "floating" here, as in --base and in model files.
const char* cli_base_name(const limb_model* m, const cli_dofs* d);
const char* cli_base_type(limb_joint_type type); // of one joint

// The frame that an option --frame names; NULL: -1. EXIT_USAGE after a message.
int cli_find_frame(const cli_args* args, const limb_model* m, const char* name, int* frame);

// count configurations of nq numbers as a table: a line per coordinate, a column per configuration, the first ten.
void cli_print_configurations(FILE* out, const limb_model* m, const cli_dofs* dofs, int count, const double* q);

// Number k of q (of_q) or v by its name; -1: none. *near: the name that is nearest then, NULL: none.
int cli_find_dof(const cli_dofs* d, const char* name, int of_q, const char** near);

// ---- loops -----------------------------------------------------------------------------------------

// Names by index; "?" when there is none.
const char* cli_body_name(const limb_model* m, int body);
const char* cli_joint_name(const limb_model* m, int joint);
const char* cli_loop_name(const limb_model* m, int loop);

// Notes about what an evaluator met in all rows of a robot with loops: missing motors, surplus motors, redundant
// equations.
void cli_report_loops(const limb_evaluator* e, const limb_model* m, const char* path);

#endif
