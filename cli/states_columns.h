// Columns of a table of states: what they are called, which are there, which are missing or unknown.
#ifndef LIMB_CLI_STATES_COLUMNS_H
#define LIMB_CLI_STATES_COLUMNS_H

#include "states.h"

// Numbers of a group: 0 q, 1 v, 2 a, 3 tau.
int states_width(const cli_dofs* dofs, int group);

// Finds all columns and warns of unknown ones. EXIT_FINE, or EXIT_USAGE after a message.
int states_find_columns(cli_states* s);

// EXIT_FINE when the table has all columns of these groups, else EXIT_USAGE after a message.
int states_check_columns(const cli_states* s, unsigned what, const char* purpose);

// ---- states_given.c --------------------------------------------------------------------------------

// Decides what is given, for the bits STATES_GIVEN and STATES_BASE. EXIT_FINE, or EXIT_USAGE after a message.
int states_find_given(cli_states* s, unsigned what, const char* purpose);
void states_free_given(cli_given* given);

#endif
