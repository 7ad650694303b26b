// What the files of `limb check` share.
#ifndef LIMB_CLI_CHECK_H
#define LIMB_CLI_CHECK_H

#include "json.h"
#include "robot.h"

typedef struct check_result {
  const char* file; // as on the command line
  const char* name; // as in messages
  int errors, warnings, notes;
  int unreadable; // there is nothing to count
  int code;       // of this file alone
} check_result;

// A run over all files.
typedef struct check_run {
  const cli_args* args;
  int strict, quiet, json;
  int repaired; // a repair was begun, which prints the summary of the file itself
  FILE* out;    // where people read
  char* told;   // per rule: its why and fix were printed
  json_t* list; // one object per file
} check_run;

// "fine", "warnings", "errors", "no model" or "cannot be read".
const char* check_verdict(const check_result* x);

// Counts findings and gives the exit code that they stand for.
void check_count(const check_run* run, const limb_findings* f, check_result* x);

// One finding, with the likely cause, and with why and fix the first time.
void check_print_finding(check_run* run, const char* file, const limb_finding* f);  // check_print.c
void check_print_summary(const check_run* run, int n, const check_result* results); // check_print.c
int check_print_rules(const check_run* run);                                        // check_print.c

// Repairs what was read, writes it to the path and tells what changed and what remains.
int check_repair(check_run* run, limb_reading* r, const char* path, check_result* x,
                 json_t* answer); // check_repair.c

#endif
