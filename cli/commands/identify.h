// What the files of `limb identify` share.
#ifndef LIMB_CLI_IDENTIFY_H
#define LIMB_CLI_IDENTIFY_H

#include "limb/ident.h"

#include "base/command.h"
#include "robot/robot.h"

enum { CLI_ITEM = 400 }; // characters of an item of a list

// What the columns of torques hold: nv each.
typedef struct identify_inputs {
  unsigned char* source; // LIMB_IDENT_TORQUE, ...
  double* gain;          // that the columns are multiplied by
} identify_inputs;

// identify_inputs.c: exit codes, after a message.
int cli_identify_sources(const cli_args* args, const cli_robot* robot, identify_inputs* in);
void cli_identify_free(identify_inputs* in);
int cli_identify_check_loads(const cli_args* args, const limb_model* m);
int cli_identify_load(const cli_args* args, limb_ident* x, const char* log);       // before its rows
int cli_identify_bounds(const cli_args* args, const limb_model* m, limb_ident* x); // before the log

// Tables of the answer: residuals of the fit, or of the physical one; parameters; masses and so on.
cli_table cli_identify_residuals(const cli_robot* robot, const limb_ident* x, int physical);
cli_table cli_identify_parameters(const limb_ident* x);
cli_table cli_identify_standard(const limb_model* m, const limb_ident* x);

// The answer in the form of --format; an exit code.
int cli_identify_print(const cli_args* args, const cli_robot* robot, const limb_ident* x);

// --plot, --report: an exit code. identify_pictures.c
int cli_identify_pictures(const cli_args* args, const cli_robot* robot, limb_ident* x);

// --payload FRAME: the load at a frame is sought; MASS@FRAME is a load that is known. identify_payload.c
extern const cli_option cli_payload_options[];
int cli_seeks_payload(const cli_args* args);
int cli_identify_payload(const cli_args* args);

// Writes a robot to a .urdf or .yaml; a URDF that it was read from is changed in place (NULL: none). An exit code,
// after a message.
int cli_write_model(const cli_args* args, const limb_reading* source, const limb_builder* b, const char* path);

#endif
