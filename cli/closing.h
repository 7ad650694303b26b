// Rows of a table of states for robots with loops: what is there must close the loops, what is missing
// follows from them.
//
// Columns of q, v and a may be missing as long as the others determine them. Missing positions are those on
// the branch of the row before, in the first row on that of the start configuration, closed
// (limb/assemble.h).
#ifndef LIMB_CLI_CLOSING_H
#define LIMB_CLI_CLOSING_H

#include "states.h"

enum { CLOSING_GROUPS = 3 }; // q, v, a

typedef struct cli_closing {
  cli_states* states;
  limb_loops* loops;
  limb_loop_options options;            // the time of the row at hand
  double tolerance;                     // how far apart given numbers may be
  unsigned groups;                      // of STATES_Q, V and A: what rows have
  unsigned char* given[CLOSING_GROUPS]; // nv marks: its columns are there
  int complete[CLOSING_GROUPS];         // 1: all are
  unsigned char* chosen;                // nv: those that the others follow from
  int start_closed;                     // q is closed before the first row
  int undriven;                         // motions without motor, at the start
  double* q;                            // nq, of the row before; at first the start
  double *goal, *delta;                 // nq, nv: scratch
  double *Psi, *gamma;                  // nc x nv and nc, to check accelerations; NULL: not needed
  double* G;                            // nv x nv; NULL: nothing is missing
  double* lambda;                       // nc
  sp_force* wrench;                     // one per loop
  // What was met on the way, to be told at the end.
  double unbalanced;
  int overdriven, redundant;
} cli_closing;

// The options that cli_closing_open understands: --loop-tolerance.
extern const cli_option cli_loop_options[];

// Makes ready for rows with these groups of columns, which the states must have been asked for with
// STATES_PART. From then on cli_states_next completes and checks. EXIT_FINE, or an exit code after a
// message. Free in any case; the states do not complete any longer then.
int cli_closing_open(cli_closing* c, cli_states* states, unsigned groups);
void cli_closing_free(cli_closing* c);

// The row at hand: completes and checks. EXIT_FINE, or an exit code after a message.
int cli_closing_row(cli_closing* c);

// v and a of the row at hand become consistent: the independent ones stay, the others follow.
int cli_closing_rates(cli_closing* c);

// ---- dynamics of a row: closed_rows.c ---------------------------------------------------------------

// Torques at the active joints; zero at passive ones. load: one wrench per joint, in its own axes; NULL: not
// wanted.
int cli_closed_inverse(cli_closing* c, const limb_environment* env, double* tau, sp_force* load);

// Accelerations.
int cli_closed_forward(cli_closing* c, const limb_environment* env, limb_closed_method method, double* a);

// Notes about what was met in all rows.
void cli_closed_tell(const cli_closing* c);

#endif
