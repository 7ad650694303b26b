// Where cases run: in the threads of this process, of all processes that mpirun has started, or as a part of an array
// of jobs.
#ifndef LIMB_CLI_ENGINE_H
#define LIMB_CLI_ENGINE_H

#include "base/command.h"
#include "mpi/mpi.h"

// A part of a study, by --part or by what a scheduler says about arrays of jobs. Part 1 of 1 without either. EXIT_FINE,
// or EXIT_USAGE after a message.
int cli_find_part(const cli_args* args, uint64_t* part, uint64_t* parts);

// Opens MPI if mpirun or --engine mpi asks for it; size 1 and no functions otherwise. EXIT_FINE, or EXIT_USAGE after a
// message.
int cli_open_mpi(const cli_args* args, cli_mpi* out);

#endif
