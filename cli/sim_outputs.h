// The files of a simulation: which rows they get, and when.
#ifndef LIMB_CLI_SIM_OUTPUTS_H
#define LIMB_CLI_SIM_OUTPUTS_H

#include "sim_job.h"

// Channels and rates, before the simulation; the files themselves, when it has started. An exit code.
int sim_plan_outputs(sim_job* job);
int sim_open_outputs(sim_job* job);
void sim_close_outputs(sim_job* job);

// When the next row is due; HUGE_VAL: never.
double sim_next_row(const sim_job* job);

// Writes the rows that are due now; last: all files get a row, unless they have one of this time. An exit
// code.
int sim_write_rows(sim_job* job, const limb_sim_state* at, int last);

// The last good state after a failure, in those files whose channels can still be told. Without messages.
void sim_write_last_good(sim_job* job);

// Whatever was written is on disk. An exit code.
int sim_flush_outputs(sim_job* job);

// Ends all files, also after failures. An exit code.
int sim_end_outputs(sim_job* job);

#endif
