// Numbers of a simulated state by their names: channels of outputs, and names in formulas.
//
// The quantities are those of `limb eval` (eval.h), and a few of the simulation's own: time, q, v, a, tau,
// lambda, pos, vel, body, total_energy. A name is
//
//     <quantity>[@body|@world|@aligned][.<frame>][.<entry>]        M.elbow.wrist   velocity@body.tool.vx
//
// the frame where the quantity is of one. Without an entry, or with the beginning of some, it stands for
// several numbers.
#ifndef LIMB_CLI_SIM_PROBE_H
#define LIMB_CLI_SIM_PROBE_H

#include "limb/control.h"
#include "limb/sim.h"

#include "eval.h"
#include "output.h"

typedef struct sim_pick {
  int of;        // which block of the sheet
  size_t offset; // in it
} sim_pick;

enum { SIM_PICKS_MOST = 1000000, SIM_NAME_SPACE = 2400 };

typedef struct sim_probe {
  eval_sheet sheet; // a block per quantity, frame and reference
  eval_run run;
  cli_robot robot; // the model and its workspace are somebody else's
  cli_states states;
  cli_dofs* dofs;
  int frame[EVAL_MOST];
  limb_ref ref[EVAL_MOST];
  unsigned known; // bits of states.h: what there is of a state
  int ready;
  int missing; // the last name was of a quantity that there is, and no entry of it
  int count, room;
  sim_pick* pick;
  int failed;        // block that the last reading ended at
  cli_text words;    // names to be suggested, each closed by a zero
  int word;          // the last that was asked for ...
  size_t word_at;    // ... and where it is
  char because[200]; // why the last name was refused; "": there is no such
} sim_probe;

// What is known while forces are computed, and of a state that was reached.
enum {
  SIM_KNOWN_INPUT = STATES_Q | STATES_V | STATES_TIME,
  SIM_KNOWN_ALL = STATES_Q | STATES_V | STATES_TIME | STATES_A | STATES_TAU
};

// For quantities of samples, as Ad: p->run.dt is theirs, set after begin; 0: there are none.
// An empty one; nothing can fail, and it must not be moved. Free in any case, also what is all zero.
void sim_probe_begin(sim_probe* p, const cli_args* args, const cli_robot* robot, cli_dofs* dofs, unsigned known);
void sim_probe_free(sim_probe* p);

// All numbers that a name stands for. How many were added; 0 after p->because was written; -1: out of memory.
int sim_probe_add(sim_probe* p, const char* name);

// The same for formulas: one number, its place among all; -1 when there is none.
int sim_probe_find(void* probe, const char* name);

// For limb_formula_parse: the names that are suggested.
limb_formula_names sim_probe_names(sim_probe* p);

// Memory for the numbers, after the last name. EXIT_FINE, or an exit code after a message.
int sim_probe_ready(sim_probe* p);

// The numbers at a state, p->count of them. What is not known there is not looked at.
limb_status sim_probe_read(sim_probe* p, const limb_sim_state* at, double* x);

// What the last sim_probe_read that failed was about: name of the quantity; and what it has to say.
const char* sim_probe_culprit(const sim_probe* p);

// Name of number k, as a column.
void sim_probe_name(const sim_probe* p, int k, char* text, size_t size);

// The unit of number k; "": not known.
const char* sim_probe_unit(const sim_probe* p, int k);

// 1 when a number looks at accelerations, forces or multipliers.
int sim_probe_needs_dynamics(const sim_probe* p);

// The simulation's own quantities, closed by one without name: sim_quantities.c
extern const eval_quantity sim_quantities[];

#endif
