// How the options of `limb sim` are taken apart: lists, pairs, entries that are added to a run.
#ifndef LIMB_CLI_SIM_OPTIONS_H
#define LIMB_CLI_SIM_OPTIONS_H

#include "sim_plan.h"

// A text of an option as a value: its key is "--option".
limb_run_value sim_option_value(sim_plan* p, const char* option, const char* text);

// A copy of an array, one entry longer: zero. NULL: out of memory. Of texts: a copy, closed by a zero.
void* sim_longer(sim_plan* p, const void* items, int count, size_t size);

// Adds a value to a list; puts it in the place of the one with its name, when there is one. An exit code.
int sim_append(sim_plan* p, limb_run_values* list, limb_run_value v);
int sim_put(sim_plan* p, limb_run_values* list, limb_run_value v);

// The next part of a list: up to a separator outside brackets and quotes, without blanks around it. NULL at
// the end, or when memory runs out.
char* sim_next_part(sim_plan* p, const char** at, char separator);

// "elbow=2*t" to a value with that name. EXIT_FINE, or EXIT_USAGE after a message.
int sim_take_pair(sim_plan* p, const char* option, char* part, limb_run_value* out);

// A list of such pairs, put into others; a list of words, in place of others. An exit code.
int sim_take_pairs(sim_plan* p, const char* option, limb_run_values* list);
int sim_take_words(sim_plan* p, const char* option, limb_run_values* list);

// --torque ... --motion: sim_options_inputs.c; --controller, --event ... --animate: sim_options_outputs.c
int sim_take_inputs(sim_plan* p);
int sim_take_controller(sim_plan* p);
int sim_take_events(sim_plan* p);
int sim_take_outputs(sim_plan* p);

#endif
