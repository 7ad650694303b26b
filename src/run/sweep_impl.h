// Studies that are run:
//
//   sweep.c          the study as a whole: dimensions, cases, columns
//   sweep_sample.c   numbers of cases
//   sweep_model.c    the model that cases share, and the hash of all that results depend on
//   sweep_case.c     one case
//   sweep_rows.c     rows on disk
//   sweep_run.c      cases that are handed out, and the threads that take them
//   sweep_table.c    the table of all rows
#ifndef LIMB_SWEEP_IMPL_H
#define LIMB_SWEEP_IMPL_H

#include "limb/runner.h"

#include "run/run_impl.h"

// ---- numbers that follow from their place: sweep_sample.c -------------------------------------------------

// Philox4x32-10: 128 bits from a counter of 128 bits and a key of 64.
void limb_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// A number in (0, 1) for a sample of a dimension; 53 bits.
double limb_sample_random(uint64_t seed, uint64_t sample, uint32_t dimension);

// Latin hypercube: each of n samples in a stratum of its own.
double limb_sample_latin(uint64_t seed, uint64_t sample, uint64_t n, uint32_t dimension);

// Sobol's sequence (Joe and Kuo 2008), shifted by the seed; the same without the shift, 32 bits.
enum { SOBOL_DIMENSIONS = 32 };
double limb_sample_sobol(uint64_t seed, uint64_t sample, uint32_t dimension);
uint32_t limb_sobol_bits(uint32_t sample, uint32_t dimension);

// The inverse of the normal distribution function.
double limb_normal_quantile(double p);

typedef enum sweep_sampling { SAMPLE_RANDOM, SAMPLE_LATIN, SAMPLE_SOBOL } sweep_sampling;

// What varies, with its numbers.
typedef struct sweep_dimension {
  const limb_study_vary* from;
  bool sampled;        // not of the grid
  uint32_t index;      // among the sampled ones
  double p[3];         // numbers of the kind
  double low, high;    // limits
  bool limited;        // there are limits
  int count;           // of the grid, of words
  const double* value; // of words that are numbers; NULL: they are texts
} sweep_dimension;

// The value of a dimension in a sample, or at an entry of its grid; for words, its index.
double limb_dimension_at(const sweep_dimension* d, sweep_sampling how, uint64_t seed, uint64_t sample,
                         uint64_t samples);
double limb_dimension_entry(const sweep_dimension* d, uint64_t entry);

// ---- the study --------------------------------------------------------------------------------------------

// What all copies of a study share.
typedef struct sweep_shared {
  limb_reading* robot; // NULL: each case reads its own
  limb_model* model;   // of all cases; NULL: cases change it
  limb_model* base;    // what cases change; NULL: they do not, or read their own
  char hash[33];
} sweep_shared;

typedef struct sweep_column {
  char* name;
  char* unit;
} sweep_column;

struct limb_sweep {
  const limb_sweep* owner; // of what is shared; NULL: this one
  char* path;
  limb_read_options read;
  limb_sweep_stop_fn* stop;
  void* context; // of stop
  limb_reading* reading;
  const limb_study* study;
  const limb_run* run;
  const char* run_path; // for files that the run names
  sweep_shared shared;
  int ndimension;
  sweep_dimension* dimension;
  double* words; // numbers of all dimensions that have words
  sweep_sampling sampling;
  uint64_t seed, samples, cases;
  double rate; // 0: 500 rows
  int points;  // of a series
  int ncolumn; // all: what varies, time, what is collected
  sweep_column* column;
  double* scratch;         // ncolumn
  limb_reading* own_robot; // of the case at hand, if it reads its own
  bool stopped;            // by stop, while the case at hand was running
};

// An error with the file, line and column of a value.
limb_status limb_sweep_wrong(const limb_sweep* s, limb_error* err, const limb_error* why);

// The text of a target with a value, to t->size bytes.
void limb_sweep_fill(const limb_study_target* t, const char* value, char* to);

// Writes the values of a case into the run and, one per dimension, into x.
void limb_sweep_take_case(limb_sweep* s, uint64_t k, double* x);

// ---- the model: sweep_model.c -----------------------------------------------------------------------------

// What all cases share, and the hash. The first case has been taken.
limb_status limb_sweep_open_shared(limb_sweep* s, limb_error* err);

// The model of the case at hand; *own: to be destroyed.
limb_status limb_sweep_open_model(limb_sweep* s, limb_model** own, const limb_model** out, limb_error* err);

// ---- one case: sweep_case.c -------------------------------------------------------------------------------

// The columns that a case collects, without running it: limb_sweep.column from ndimension on. After take_case.
limb_status limb_sweep_find_columns(limb_sweep* s, limb_error* err);
void limb_sweep_drop_columns(limb_sweep* s);

// Sets it up, and no more. After take_case.
limb_status limb_sweep_set_up(limb_sweep* s, limb_error* err);

// Runs the case whose values the run has; x: ncolumn - ndimension numbers.
limb_status limb_sweep_run_case(limb_sweep* s, double* x, limb_error* err);

// ---- rows on disk: sweep_rows.c ---------------------------------------------------------------------------
//
// A worker appends the rows of its cases to a file of its own, in rising order. A file begins with a header; each row
// has its length and a checksum, so that what was cut off while it was written is found and left out.

typedef struct sweep_rows sweep_rows;

// Opens a new file of a worker in the folder.
limb_status limb_rows_create(const limb_sweep* s, const char* folder, uint64_t part, uint64_t parts, int worker,
                             sweep_rows** out, limb_error* err);

// Adds a case: width numbers, or why it failed. Written at once if flush is set.
limb_status limb_rows_add(sweep_rows* r, uint64_t k, limb_status failed, const double* x, const char* why, bool flush);
limb_status limb_rows_close(sweep_rows* r); // NULL is accepted

typedef struct sweep_row {
  uint64_t k;
  limb_status failed;
  const double* x; // width numbers
  const char* why; // "" unless it failed
} sweep_row;

typedef struct sweep_part {
  uint64_t part, parts;
} sweep_part;

// Files of a folder, read row by row. A file of another study is LIMB_E_MODEL.
typedef struct sweep_reader sweep_reader;
limb_status limb_reader_open(const limb_sweep* s, const char* path, sweep_reader** out, limb_error* err);
bool limb_reader_next(sweep_reader* r, sweep_row* out); // false: the end, or what was cut off
sweep_part limb_reader_part(const sweep_reader* r);
bool limb_reader_is_cut(const sweep_reader* r); // after the end: the file goes on with what is no row
void limb_reader_close(sweep_reader* r);

// Paths of all files of rows in a folder, sorted; count 0 if there is no folder. Free with limb_paths_free.
typedef struct sweep_paths {
  int count;
  char** path;
} sweep_paths;
limb_status limb_rows_list(const char* folder, sweep_paths* out, limb_error* err);
void limb_paths_free(sweep_paths* p);

// 1 if a process writes the file now.
int limb_rows_is_busy(const char* path);

int limb_sweep_row_width(const limb_sweep* s); // numbers of a row: what is collected

#endif
