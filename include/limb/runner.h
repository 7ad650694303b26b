// limb: robot dynamics in C. Runs of run files: the simulation that a file describes, and its channels.
//
//     limb_runner* runner = NULL;
//     limb_runner_create(limb_reading_run(reading), robot, NULL, &runner, &err);
//     limb_runner_start(runner, &err);
//     limb_sim_advance(limb_runner_sim(runner), limb_runner_setup_of(runner)->end, &event);
//     limb_runner_destroy(runner);
//
// A runner reads solver, start, inputs, controller and events of a run (limb/run.h) for a model, and sets up a
// simulation (limb/sim.h) that the caller advances. Files are the caller's: a limb_run_rows has their rows.
//
// Errors of the run: LIMB_E_ARG, with line, column and key (err.where) of the value, and one sentence. This header
// belongs to the library limb_study. docs/simulation.md describes run files.
#ifndef LIMB_RUNNER_H
#define LIMB_RUNNER_H

#include "limb/quantities.h"
#include "limb/run.h"
#include "limb/sim.h"
#include "limb/table.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- values of a run ------------------------------------------------------------------------------------

typedef enum limb_run_range {
  LIMB_RUN_ANY = 0,
  LIMB_RUN_POSITIVE = 1,
  LIMB_RUN_NOT_NEGATIVE = 2
} limb_run_range; ///< values are pinned

/// A number with units. *out is unchanged if the value is not given.
/// @return LIMB_OK; LIMB_E_ARG (not a number, not finite, out of range); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_run_number(const limb_run_value* at, limb_run_range range, double* out,
                                                    limb_error* err);

/// Directions of a task (limb/task.h): wx ... vz, angular, linear; all six for an empty list.
LIMB_NODISCARD LIMB_API limb_status limb_run_directions(const limb_run_values* list, unsigned* out, limb_error* err);

/// How to read the model of a run: base, mimic, arguments of xacro, packages, SRDF. What `out` has already of the last
/// three overrides the run. Texts are valid as long as the run.
LIMB_NODISCARD LIMB_API limb_status limb_run_model_options(const limb_run* run, limb_read_options* out,
                                                           limb_error* err);

/// Changes a robot as the model of a run says (limb/edit.h): attaches models, replaces parameters, takes another root,
/// locks joints, adds payloads, in this order. Parameters are numbers of a body (mass, com.x, inertia.xx about the
/// centre of mass; scale multiplies mass and inertia) and members of limb_joint_def that are numbers, as formulas in
/// which `was` is the present value: {"link5.mass", "1.1*was"}.
/// @param run_path  of the run file, for models that it names; NULL: none
/// @param opt       how these are read: package_path, any_file, max_bytes; NULL: the defaults
/// @return LIMB_OK; LIMB_E_ARG (no such joint, body or frame, a value that is not a number); those of limb_read and of
///         the calls of limb/edit.h. The builder is then partly changed.
LIMB_NODISCARD LIMB_API limb_status limb_run_change_model(const limb_run* run, const char* run_path,
                                                          const limb_read_options* opt, limb_builder* b,
                                                          limb_error* err);

/// Puts the joints of a model where a pose of its file holds them; all others stay. Joints that the model does not
/// have, as when they are locked or follow others, are left out.
/// @param held  nq: 1 where the pose gives q; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such pose: err names those that exist).
LIMB_NODISCARD LIMB_API limb_status limb_run_take_pose(const limb_reading* r, const char* name, const limb_model* m,
                                                       double* q, unsigned char* held, limb_error* err);

/// The path of a file that a value names: relative to the folder of the run file if the value comes from there.
/// @param run_path  of the run file; NULL: none
/// @return its length; what does not fit in size is cut off. 0 if there is no value
LIMB_API size_t limb_run_path(const char* run_path, const limb_run_value* at, char* out, size_t size);

// ---- settings over a run --------------------------------------------------------------------------------

/// A setting, by the name and with the text of the option of `limb sim`: {"torque", "elbow=2Nm"}; "": a flag.
typedef struct limb_run_setting {
  const char* name; ///< without dashes: duration, step, q, controller, output, ... NULL ends a list
  const char* text;
} limb_run_setting;

/// A run with settings put over it: single values replace those of the run, entries of lists are added or replace
/// those of the same name, outputs replace those of their kind.
typedef struct limb_run_override limb_run_override;

/// @param run       whose texts must outlive the result; NULL: an empty one
/// @param settings  ended by one without name; their texts must outlive the result
/// @return LIMB_OK; LIMB_E_ARG (an unknown setting, a text that cannot be read, settings that exclude each other);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_run_override_create(const limb_run* run, const limb_run_setting* settings,
                                                             limb_run_override** out, limb_error* err);
LIMB_API void limb_run_override_destroy(limb_run_override* o);              ///< NULL is accepted
LIMB_API const limb_run* limb_run_override_run(const limb_run_override* o); ///< valid as long as o; NULL for NULL

// ---- channels -------------------------------------------------------------------------------------------

/// Numbers of a simulated state by the names of limb/quantities.h: q, v.elbow, pose.tool, energy, ...
typedef struct limb_channels limb_channels;

/// @param env      of the simulation; wrenches are those of each state. Copied
/// @param options  NULL: defaults. env and tau_is_given are not read
/// @return LIMB_OK; LIMB_E_ARG; LIMB_E_NOMEM. The model must outlive the channels.
LIMB_NODISCARD LIMB_API limb_status limb_channels_create(const limb_model* m, const limb_environment* env,
                                                         const limb_evaluator_options* options, limb_channels** out);
LIMB_API void limb_channels_destroy(limb_channels* c); ///< NULL is accepted

/// Adds all numbers that a name stands for.
/// @return LIMB_OK; LIMB_E_ARG (err says why); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_channels_add(limb_channels* c, const char* name, limb_error* err);

LIMB_API int limb_channels_count(const limb_channels* c);                                      ///< numbers
LIMB_API void limb_channels_name(const limb_channels* c, int number, char* text, size_t size); ///< as a column
LIMB_API const char* limb_channels_unit(const limb_channels* c, int number);                   ///< "": unknown

/// The numbers at a state.
/// @param x    limb_channels_count numbers (output)
/// @param err  err.where is the quantity that failed
LIMB_NODISCARD LIMB_API limb_status limb_channels_read(limb_channels* c, const limb_sim_state* at, double* x,
                                                       limb_error* err);

// ---- runners --------------------------------------------------------------------------------------------

typedef struct limb_runner limb_runner;

/// Receives notes and warnings, and errors in tables, before the call returns them.
/// @param file  NULL: it is about the run itself
/// @param f     severity, line and column (0: none) and text; other members are ""
typedef void limb_runner_note_fn(void* context, const char* file, const limb_finding* f);

/// Start from limb_default_runner_options().
typedef struct limb_runner_options {
  size_t size;               ///< sizeof(limb_runner_options), set by the default function
  const char* path;          ///< of the run file, for files that it names; NULL: they are in the working directory
  limb_environment env;      ///< the run's settings override it
  limb_ref table_ref;        ///< axes of wrenches in tables; default LIMB_ALIGNED
  limb_runner_note_fn* note; ///< NULL: not needed
  void* context;             ///< of note
  const limb_reading* poses; ///< of the model: named poses that a run may start from; NULL: there are none
} limb_runner_options;

LIMB_API limb_runner_options limb_default_runner_options(const limb_model* m);

/// What a runner has read. Pointers refer to its memory.
typedef struct limb_runner_setup {
  limb_sim_options sim;
  double start, end;      ///< times
  double max_drift;       ///< of the energy, as a share of the largest kinetic energy; negative: not given
  const double *q, *v;    ///< at the start
  int conditions;         ///< events of the run have the condition indices 0 ... conditions - 1
  int conserves_momentum; ///< 1: free joints without drive attach the robot to the world, no force acts from outside
  double period, delay;   ///< of a sampled controller [s]; 0: it is not sampled, or not delayed
} limb_runner_setup;

/// Sets up the simulation of a run. Conditions and inputs may be added to it before limb_runner_start.
/// @param run      copied, but for its texts
/// @param m        as limb_run_model_options says
/// @param options  NULL: defaults
/// @return LIMB_OK; LIMB_E_ARG (the run is wrong: err says where); LIMB_E_NOMEM; those of limb_sim_create,
///         limb_sim_close_start.
LIMB_NODISCARD LIMB_API limb_status limb_runner_create(const limb_run* run, const limb_model* m,
                                                       const limb_runner_options* options, limb_runner** out,
                                                       limb_error* err);
LIMB_API void limb_runner_destroy(limb_runner* r); ///< NULL is accepted; also destroys the simulation

/// As limb_sim_start.
LIMB_NODISCARD LIMB_API limb_status limb_runner_start(limb_runner* r, limb_error* err);

LIMB_API limb_sim* limb_runner_sim(limb_runner* r);                           ///< to be advanced; NULL for NULL
LIMB_API const limb_runner_setup* limb_runner_setup_of(const limb_runner* r); ///< NULL for NULL

/// The rows of an output of the run: which numbers, and when. There is one at the start, at every multiple of the
/// interval after it, and at the end.
typedef struct limb_run_rows limb_run_rows;

/// @param output  of the run of the runner, which must outlive the rows. Without rate and interval, the interval is the
///                largest of 1, 2 or 5 times a power of ten that gives 500 rows, but not below a fixed step. Without
///                channels, rows have q and v; those of an animation have q
/// @return LIMB_OK; LIMB_E_ARG (a value is wrong, a channel is unknown or listed twice: err says where); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_run_rows_create(const limb_runner* r, const limb_run_output* output,
                                                         limb_run_rows** out, limb_error* err);
LIMB_API void limb_run_rows_destroy(limb_run_rows* x);                        ///< NULL is accepted
LIMB_API const limb_channels* limb_run_rows_channels(const limb_run_rows* x); ///< the columns after time
LIMB_API double limb_run_rows_interval(const limb_run_rows* x);               ///< [s]
LIMB_API double limb_run_rows_next(const limb_run_rows* x);                   ///< time of the next row [s]
LIMB_API void limb_run_rows_go_on(limb_run_rows* x,
                                  double time); ///< rows up to this time were written by an earlier run

/// The row at a state, if it is due.
/// @param last  1: the run ends here, which is due unless there was a row at this time
/// @param row   time and the numbers of the channels, valid until the next call; NULL: no row is due (output)
/// @return as limb_channels_read.
LIMB_NODISCARD LIMB_API limb_status limb_run_rows_read(limb_run_rows* x, const limb_sim_state* at, int last,
                                                       const double** row, limb_error* err);

/// Why the simulation ended with an error: a formula without a value, or limb_sim_error(); "": unknown.
LIMB_API const char* limb_runner_error(const limb_runner* r);
LIMB_API int limb_runner_error_is_own(const limb_runner* r); ///< 1: it is a formula, a table or a controller

/// Name of the condition or the joint of an event; "": none.
LIMB_API const char* limb_runner_event_name(const limb_runner* r, const limb_sim_event* event);

/// An event in words: "0.45 s: stop reached: 'elbow', its upper limit, velocity 2.1 to 0"; "" for an argument that is
/// NULL. Text that does not fit is cut.
/// @param text,size  the output and its size in bytes
LIMB_API void limb_runner_event_text(const limb_runner* r, const limb_sim_event* event, char* text, size_t size);

// ---- sweeps ---------------------------------------------------------------------------------------------
//
//     limb_sweep* s = NULL;
//     if (limb_sweep_open("study.yaml", NULL, &s, &err) != LIMB_OK) return puts(err.text), 1;
//     for (uint64_t k = 0; k < limb_sweep_cases(s); k++)
//       if (limb_sweep_case(s, k, row, &err) != LIMB_OK) puts(err.text); // that case failed, others may not
//     limb_sweep_close(s);
//
// A study (limb_read_study, docs/scale.md) as cases: case k has the same numbers whoever computes it, and whenever.
// limb_sweep_run does it with threads and keeps the rows in files, from which limb_sweep_write makes a table.

typedef struct limb_sweep limb_sweep;

/// Reads a study and sets up its first case. A study belongs to one thread; limb_sweep_copy makes others.
/// @param opt  how the model is read: package_path, any_file, max_bytes; NULL: the defaults
/// @param err  err.text begins with file, line and column; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_MODEL, LIMB_E_SYNTAX, LIMB_E_IO as limb_read_study and limb_load; LIMB_E_ARG (a range, a
///         name or a number is wrong, too many cases); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_open(const char* path, const limb_read_options* opt, limb_sweep** out,
                                                    limb_error* err);

/// The same study for another thread. It shares the model with s, which must outlive it.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_copy(const limb_sweep* s, limb_sweep** out, limb_error* err);
LIMB_API void limb_sweep_close(limb_sweep* s); ///< NULL is accepted

enum { LIMB_SWEEP_CASES_BITS = 32 }; ///< a study has at most 2^32 cases

LIMB_API uint64_t limb_sweep_cases(const limb_sweep* s);          ///< 0 for NULL
LIMB_API const char* limb_sweep_hash(const limb_sweep* s);        ///< 32 digits: of all that its numbers depend on
LIMB_API const limb_study* limb_sweep_study(const limb_sweep* s); ///< NULL for NULL

/// Columns: what varies, then `time` (where the case ended), then what is collected.
LIMB_API int limb_sweep_columns(const limb_sweep* s);
LIMB_API int limb_sweep_varied(const limb_sweep* s);                          ///< how many of them vary
LIMB_API const char* limb_sweep_column(const limb_sweep* s, int column);      ///< name; "" out of range
LIMB_API const char* limb_sweep_column_unit(const limb_sweep* s, int column); ///< "": unknown

/// The text that a column has at a value; NULL: it is a column of numbers.
LIMB_API const char* limb_sweep_word(const limb_sweep* s, int column, double value);

/// The values of a case, without running it.
/// @param x  limb_sweep_varied() numbers (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such case).
LIMB_NODISCARD LIMB_API limb_status limb_sweep_values(limb_sweep* s, uint64_t k, double* x);

/// Sets a case up without running it: the wrong units and names that it would fail by.
/// @param err  err.text begins with file, line and column; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such case, a value that the run cannot have); as limb_runner_create.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_check(limb_sweep* s, uint64_t k, limb_error* err);

/// Runs a case.
/// @param x    limb_sweep_columns() numbers; of a case that fails, those after what varies are NaN (output)
/// @param err  why it failed
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such case, a value that the run cannot have); what a simulation returns.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_case(limb_sweep* s, uint64_t k, double* x, limb_error* err);

/// Asked after each step; 1: the case at hand ends, unfinished. From any thread.
typedef int limb_sweep_stop_fn(void* context);
LIMB_API void limb_sweep_set_stop(limb_sweep* s, limb_sweep_stop_fn* stop, void* context); ///< stop NULL: never

/// Cases of a part of a study, handed out to workers; knows which of them a folder has already. Part p of n has the
/// cases k with k mod n = p - 1.
typedef struct limb_sweep_queue limb_sweep_queue;

typedef struct limb_sweep_place {
  const char* folder;   ///< of the rows
  uint64_t part, parts; ///< 1 <= part <= parts
  int resume;           ///< 1: go on with what the folder has; 0: it must not have rows of this part
  int workers;          ///< that take cases at the same time; 0: one
} limb_sweep_place;

/// @return LIMB_OK; LIMB_E_ORDER (the folder has rows of this part, and resume is 0; or they are being written now);
///         LIMB_E_MODEL (rows of another study); LIMB_E_ARG; LIMB_E_IO; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_queue_create(const limb_sweep* s, const limb_sweep_place* place,
                                                            limb_sweep_queue** out, limb_error* err);
LIMB_API void limb_sweep_queue_destroy(limb_sweep_queue* q); ///< NULL is accepted

/// The next cases that nobody has: from first on, in steps of parts. Fewer than wanted near the end, so that workers
/// end together. May be called from several threads.
/// @param context  the queue
/// @return their number; 0: all are handed out
LIMB_API uint64_t limb_sweep_queue_next(void* context, uint64_t wanted, uint64_t* first);

LIMB_API uint64_t limb_sweep_queue_count(const limb_sweep_queue* q);  ///< cases of the part
LIMB_API uint64_t limb_sweep_queue_before(const limb_sweep_queue* q); ///< of these, that the folder had
LIMB_API uint64_t limb_sweep_queue_taken(const limb_sweep_queue* q);  ///< and handed out since

/// How workers run. Start from all zero.
typedef struct limb_sweep_job {
  limb_sweep_place place;
  int threads; ///< 0: as many as processors
  int worker;  ///< number of the first worker; different in every process that writes to the folder
  uint64_t (*next)(void* queue, uint64_t wanted, uint64_t* first); ///< as limb_sweep_queue_next
  void* queue;
  limb_sweep_stop_fn* stop;         ///< ends all workers, after which rows of finished cases are in the folder
  void (*tick)(void* tick_context); ///< called by workers now and then, by one at a time: for progress
  void *stop_context, *tick_context;
} limb_sweep_job;

/// Runs cases until the queue is empty. Cases that fail are rows with a reason.
/// @param done  cases that were run; NULL: not needed (output)
/// @return LIMB_OK, also if it was stopped; LIMB_E_IO (rows cannot be written); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_run(const limb_sweep* s, const limb_sweep_job* job, uint64_t* done,
                                                   limb_error* err);

/// What a folder has of a study.
typedef struct limb_sweep_state {
  uint64_t rows, failed; ///< different cases; of these, that failed
  uint64_t missing;
  uint64_t first_missing; ///< case; 0 if none is
  char reason[200];       ///< of the first case that failed
} limb_sweep_state;

/// Writes all rows of a folder as a table: case, status, reason, and the columns of the study, by case. With rows
/// missing, nothing is written unless `missing` is 1: those cases are then left out.
/// @param path    of the table; NULL: only counts
/// @param format  of the table; NONE: by the path
/// @param state  NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ORDER (rows are missing: err names parts or cases); LIMB_E_MODEL (rows of another study);
///         LIMB_E_IO; LIMB_E_UNSUPPORTED (a format without texts); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_write(limb_sweep* s, const char* folder, const char* path,
                                                     limb_table_format format, int missing, limb_sweep_state* state,
                                                     limb_error* err);

/// Removes rows from a folder, and the folder if nothing else is in it.
/// @param part, parts  the part whose rows are removed; parts 1: all rows
/// @return LIMB_OK; LIMB_E_ORDER (a process is writing them); LIMB_E_IO; LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_sweep_clear(const char* folder, uint64_t part, uint64_t parts,
                                                     limb_error* err);

#ifdef __cplusplus
}
#endif

#endif
