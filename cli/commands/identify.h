// What the files of `limb identify` share.
#ifndef LIMB_CLI_IDENTIFY_H
#define LIMB_CLI_IDENTIFY_H

#include "limb/ident.h"

#include "base/command.h"
#include "robot/robot.h"

// The answer in the form of --format; an exit code.
int cli_identify_print(const cli_args* args, const cli_robot* robot, const limb_ident* x);

#endif
