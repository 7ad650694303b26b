// The sizing table (limb/study.h) on paper: text for people, JSON and CSV for programs.
#ifndef LIMB_CLI_SIZING_H
#define LIMB_CLI_SIZING_H

#include "limb/study.h"

#include "robot/robot.h"
#include "states/dofs.h"

#include <stdio.h>

typedef struct cli_sizing {
  const limb_sizing* sizing;
  const cli_robot* robot;
  const cli_dofs* dofs;
  const char* trajectory; // its path
} cli_sizing;

// Prints the table. format: "text", "json" or "csv". EXIT_FINE, or EXIT_USAGE after a message.
int cli_sizing_print(const cli_sizing* s, const char* format, FILE* out);

#endif
