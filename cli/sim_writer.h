// Files that rows of a simulation go to: tables in CSV, NPY and HDF5, curves, moving pictures. Tables grow on
// disk as the simulation goes on, so that nothing is lost when it ends early.
#ifndef LIMB_CLI_SIM_WRITER_H
#define LIMB_CLI_SIM_WRITER_H

#include "sim_job.h"

typedef struct sim_writer sim_writer;

typedef struct sim_format {
  const char* name;
  int channels; // 0: it has none, rows are time and q
  // Each: EXIT_FINE, or an exit code after a message.
  int (*open)(sim_writer* w);
  int (*row)(sim_writer* w, const double* x); // time, and one number per column
  int (*flush)(sim_writer* w);                // what was given so far is on disk; NULL: only at the end
  int (*end)(sim_writer* w);
  void (*free)(sim_writer* w);
} sim_format;

struct sim_writer {
  const sim_format* format;
  const sim_job* job;
  const limb_run_output* run;
  const char* path;
  const sim_probe* probe; // names and units of the columns behind time
  uint64_t rows;
  int broken; // writing failed, which was told
  FILE* stream;
  void* own; // of the format
};

extern const sim_format sim_csv, sim_npy,
  sim_hdf5;                                      // sim_write_csv.c, sim_write_npy.c, sim_write_hdf5.c
extern const sim_format sim_plot, sim_animation; // sim_write_pictures.c

// The format of a table by its suffix; NULL: none is known.
const sim_format* sim_format_of(const char* path);

// Opens a file to be written in place; "-": standard output. An exit code.
int sim_writer_stream(sim_writer* w, const char* mode);

// A message, the first time, that the file could not be written: EXIT_USAGE.
int sim_unwritten(sim_writer* w);

#endif
