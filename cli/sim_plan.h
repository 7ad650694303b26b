// What is to be simulated: a run file (limb/run.h), with the options of the command line over it. Everything
// is a text with its place; here are the ways to ask what a text says, and to complain about it.
#ifndef LIMB_CLI_SIM_PLAN_H
#define LIMB_CLI_SIM_PLAN_H

#include "limb/run.h"

#include "command.h"

typedef struct sim_plan {
  const cli_args* args;
  const char* path;      // of the run file; NULL: there is none
  limb_reading* reading; // of it
  limb_run run;          // texts of the file and of the options
  void** kept;           // memory of the plan
  int nkept, kept_room;
} sim_plan;

// The options of `limb sim`, beside those of models and the world.
extern const cli_option sim_plan_options[], sim_input_options[], sim_output_options[];

// Reads the operand: a run file, or a model. EXIT_FINE, or an exit code after messages. Close in any case.
int sim_plan_open(sim_plan* p, const cli_args* args);
void sim_plan_close(sim_plan* p);

// ---- asking: sim_ask.c -----------------------------------------------------------------------------------

// A message about a value, with its place: file and line, or the option. EXIT_USAGE.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int sim_wrong(const sim_plan* p, const limb_run_value* at, const char* format, ...);

// Values of formulas without names, with units; out is left as it is when the value is not there.
int sim_number(const sim_plan* p, const limb_run_value* at, double* out);

// The same, and it must be above zero, or not below.
int sim_positive(const sim_plan* p, const limb_run_value* at, double* out);
int sim_not_negative(const sim_plan* p, const limb_run_value* at, double* out);

// A whole number from 0 on.
int sim_whole(const sim_plan* p, const limb_run_value* at, double most, double* out);

// The index of a word in a list that NULL closes; -1: it is not there.
int sim_index_of(const char* word, const char* const* words);

// One of some words, closed by NULL: its index. true and false: 1 and 0.
int sim_word_of(const sim_plan* p, const limb_run_value* at, const char* const* words, int* out);
int sim_truth(const sim_plan* p, const limb_run_value* at, int* out);

// Directions of a task at a frame (limb/task.h): wx ... vz, angular, linear; an empty list is all six.
int sim_directions(const sim_plan* p, const limb_run_values* list, unsigned* out);

// The path of an input: beside the run file, unless it begins at the root. NULL: no memory, after a message.
const char* sim_beside(sim_plan* p, const limb_run_value* at);

// Memory that lives as long as the plan: zero; NULL when there is none.
void* sim_keep(sim_plan* p, size_t count, size_t size);

int sim_out_of_memory(const sim_plan* p);

// ---- options: sim_options.c ------------------------------------------------------------------------------

// Puts the options over the run. EXIT_FINE, or EXIT_USAGE after a message.
int sim_take_options(sim_plan* p);

#endif
