// What the files of `limb identify` share.
#ifndef LIMB_CLI_IDENTIFY_H
#define LIMB_CLI_IDENTIFY_H

#include "limb/ident.h"

#include "base/command.h"
#include "robot/robot.h"

// The answer in the form of --format; an exit code.
int cli_identify_print(const cli_args* args, const cli_robot* robot, const limb_ident* x);

// --payload FRAME: the load at a frame is sought; MASS@FRAME is a load that is known. identify_payload.c
extern const cli_option cli_payload_options[];
int cli_seeks_payload(const cli_args* args);
int cli_identify_payload(const cli_args* args);

// Writes a robot to a .urdf or .yaml. An exit code, after a message.
int cli_write_model(const cli_args* args, const limb_builder* b, const char* path);

#endif
