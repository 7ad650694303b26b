// Columns of a table of states: what they are called, which are there, which are missing or unknown.
#ifndef LIMB_CLI_STATES_COLUMNS_H
#define LIMB_CLI_STATES_COLUMNS_H

#include "states/states.h"

// Groups of columns: 0 q, 1 v, and these.
enum { GROUP_A = 2, GROUP_TAU = 3 };

// Columns of the table, whatever it is: their number, the name of one, one by its name (-1: none).
int states_columns(const cli_states* s);
const char* states_column(const cli_states* s, int k);
int states_find_column(const cli_states* s, const char* name);

// Memory for a row of so many columns, and where quaternions are. states.c
int states_make_room(cli_states* s);
void states_find_quaternions(cli_states* s);

// How many numbers a group has.
int states_width(const cli_dofs* dofs, int group);

// Finds all columns and warns of unknown ones. EXIT_FINE, or EXIT_USAGE after a message.
int states_find_columns(cli_states* s);

// EXIT_FINE when the table has all columns of these groups, else EXIT_USAGE after a message.
int states_check_columns(const cli_states* s, unsigned what, const char* purpose);

// "note: ... takes forces ... for zero: " on standard error; their names are still to come.
void states_note_zero(const cli_states* s, const char* purpose);

// ---- given.c --------------------------------------------------------------------------------

// Decides what is given, for the bits STATES_GIVEN and STATES_BASE. EXIT_FINE, or EXIT_USAGE after a message.
int states_find_given(cli_states* s, unsigned what, const char* purpose);
void states_free_given(cli_given* given);

#endif
