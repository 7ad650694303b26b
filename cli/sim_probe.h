// Numbers of a simulated state by their names: channels of outputs, and names in formulas. The names are those of
// limb/quantities.h; in formulas, t is time and energy is total_energy.
#ifndef LIMB_CLI_SIM_PROBE_H
#define LIMB_CLI_SIM_PROBE_H

#include "limb/control.h"
#include "limb/quantities.h"
#include "limb/sim.h"

#include "cli.h"
#include "output.h"
#include "robot.h"
#include "states/dofs.h"

enum { SIM_NAME_SPACE = CLI_NAME_SPACE };

typedef struct sim_probe {
  const cli_args* args;
  const cli_robot* robot; // somebody else's
  const cli_dofs* dofs;
  limb_evaluator_options options; // may be changed until the first name: dt and directions are of outputs
  limb_evaluator* e;              // NULL: no name yet
  limb_environment env;
  int count;         // numbers
  int missing;       // the last name was that of a quantity, with an entry that it does not have
  cli_text words;    // names to be suggested, each closed by a zero
  int word;          // the last that was asked for ...
  size_t word_at;    // ... and where it is
  char because[256]; // why the last name was refused; "": it was not
  char reason[256];  // what the last reading that failed has to say
} sim_probe;

// What is known while forces are computed, and of a state that was reached.
enum {
  SIM_KNOWN_INPUT = LIMB_NEEDS_Q | LIMB_NEEDS_V | LIMB_NEEDS_TIME,
  SIM_KNOWN_ALL = LIMB_NEEDS_Q | LIMB_NEEDS_V | LIMB_NEEDS_TIME | LIMB_NEEDS_A | LIMB_NEEDS_TAU
};

// An empty one; nothing can fail, and it must not be moved. Free in any case, also what is all zero.
void sim_probe_begin(sim_probe* p, const cli_args* args, const cli_robot* robot, const cli_dofs* dofs, unsigned known);
void sim_probe_free(sim_probe* p);

// All numbers that a name stands for. How many were added; 0 after p->because was written; -1: out of memory.
int sim_probe_add(sim_probe* p, const char* name);

// The same for formulas: one number, its place among all; -1 when there is none.
int sim_probe_find(void* probe, const char* name);

// For limb_formula_parse: the names that are suggested.
limb_formula_names sim_probe_names(sim_probe* p);

// The numbers at a state, p->count of them. What is not known there is not read.
limb_status sim_probe_read(sim_probe* p, const limb_sim_state* at, double* x);

// What the last sim_probe_read that failed was about: name of the quantity.
const char* sim_probe_culprit(const sim_probe* p);

// Name of number k, as a column; its unit, "" when it is not known.
void sim_probe_name(const sim_probe* p, int k, char* text, size_t size);
const char* sim_probe_unit(const sim_probe* p, int k);

// The first quantity that is not time; NULL: all are.
const char* sim_probe_beyond_time(const sim_probe* p);

// 1 when a number depends on accelerations, forces or multipliers.
int sim_probe_needs_dynamics(const sim_probe* p);

#endif
