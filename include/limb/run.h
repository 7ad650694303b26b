// limb: robot dynamics in C. Run files: what to simulate, in YAML (docs/simulation.md).
//
//     limb_reading* r = NULL;
//     if (limb_read_run("fall.yaml", NULL, &r, NULL) != LIMB_OK) return 1;
//     const limb_run* run = limb_reading_run(r);
//     printf("%s for %s\n", run->model.name.text, run->end.text);
//     limb_reading_destroy(r);
//
// A run consists of strings with their positions: numbers are formulas (limb/control.h), and names refer to a model
// that the reader does not know. The reader checks the form of the file; the simulation checks its meaning.
//
// This header belongs to the library limb_io (CMake limb::io, pkg-config limb-io).
#ifndef LIMB_RUN_H
#define LIMB_RUN_H

#include "limb/read.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIMB_RUN_SCHEMA = 1 }; ///< the value of `schema` in a run file

/// A value in the file.
typedef struct limb_run_value {
  const char* text; ///< NULL: not given
  const char* key;  ///< its path, for messages: "solver.step", "inputs.torques.elbow"
  const char* name; ///< the last part of key, which may itself contain dots: "elbow"
  int line, column; ///< 0: not from a file
} limb_run_value;

/// Several values: entries of a list, or values of a mapping.
typedef struct limb_run_values {
  int count;
  limb_run_value* value;
} limb_run_values;

typedef struct limb_run_model {
  limb_run_value name; ///< a built-in robot, or a path
  limb_run_value base; ///< as the option --base
  limb_run_value mimic;
  limb_run_values attach;  ///< as the options --attach, --root, --lock, --payload: "hand.urdf:flange:left_"
  limb_run_value root;     ///< a body
  limb_run_values lock;    ///< "finger=2cm", or "finger" for where it starts
  limb_run_values payload; ///< "5kg@flange", "5kg" for the end of the robot; also "5kg,com=(0,0,1cm),inertia=(1,1,1)"
  limb_run_values parameters;   ///< numbers of bodies and joints by name: link5.mass, elbow.viscous (limb/runner.h)
  limb_run_values args;         ///< as the options --args, --package-path, --any-file, --srdf, --model-name; paths
  limb_run_values package_path; ///< are relative to the run
  limb_run_value any_file, srdf, model_name;
  const char* const* arguments; ///< args and package_path as limb_read_options has them; NULL: none
  const char* packages;
  const char* srdf_path;
} limb_run_model;

typedef struct limb_run_environment {
  limb_run_values gravity; ///< 3, or none
  limb_run_value no_friction, coulomb_width;
} limb_run_environment;

typedef struct limb_run_start {
  limb_run_value time;
  limb_run_values q, v;     ///< by coordinate
  limb_run_value file, row; ///< a table of states, and the number of the row, from 1
  limb_run_value assemble;  ///< true, false
  limb_run_value tolerance; ///< by which given values may change to close the loops
  limb_run_values hold;     ///< joints that stay where they begin while loops are closed
  limb_run_value target;    ///< pose of a frame, instead of positions: "tool=x,y,z" or "tool=x,y,z,qx,qy,qz,qw"
  limb_run_value pose;      ///< name of a configuration of the model; q and v override it
} limb_run_start;

typedef struct limb_run_solver {
  limb_run_value method, step, relative, absolute, max_step, order, max_steps;
  limb_run_value project, loop_method, baumgarte;
  limb_run_value stiction, stop, restitution, stop_stiffness, stop_damping, condition, work, max_drift;
} limb_run_solver;

/// A table of forces, or of wrenches.
typedef struct limb_run_table {
  limb_run_value file, interpolation;
} limb_run_table;

typedef struct limb_run_wrench {
  limb_run_value frame, reference;
  limb_run_value part[6]; ///< mx my mz fx fy fz
} limb_run_wrench;

/// Prescribed motion of one joint: formulas of time, constants, or a table.
typedef struct limb_run_motion {
  const char* name; ///< of the coordinate
  limb_run_value q, v, a;
  limb_run_value constant, rate, amplitude, frequency, phase;
  limb_run_value file;
} limb_run_motion;

typedef struct limb_run_inputs {
  limb_run_values torques; ///< by degree of freedom
  int ntable;
  limb_run_table* table;
  int nwrench;
  limb_run_wrench* wrench;
  int nmotion;
  limb_run_motion* motion;
} limb_run_inputs;

typedef struct limb_run_controller {
  limb_run_value type;     ///< text NULL: no controller
  limb_run_values kp, kd;  ///< one value with the name "" applies to all; otherwise by degree of freedom, or direction
  limb_run_values inertia; ///< impedance: by direction
  limb_run_values posture_kp, posture_kd; ///< impedance: as kp
  limb_run_value rate, delay, saturate;
  limb_run_value frame, axes; ///< impedance: the frame; aligned, body
  limb_run_values directions; ///< impedance: those that are controlled
  limb_run_values q, v, a;    ///< reference, by coordinate and degree of freedom; impedance: q is the posture
  limb_run_values position, orientation, velocity, acceleration; ///< impedance: reference of the frame
  limb_run_value file; ///< reference: a table with columns q., and optionally v. and a.
} limb_run_controller;

typedef struct limb_run_event {
  limb_run_value name, when, action;
} limb_run_event;

/// A file to be written: exactly one of file, plot and animation is given.
typedef struct limb_run_output {
  limb_run_value file, plot, animation;
  limb_run_values channels;
  limb_run_values directions; ///< for tasks at frames, such as Lambda
  limb_run_value rate, interval, title;
} limb_run_output;

/// The whole run. Strings are valid as long as the reading.
typedef struct limb_run {
  limb_run_value title;
  limb_run_model model;
  limb_run_environment environment;
  limb_run_start start;
  limb_run_value duration, end; ///< at most one of them is given
  limb_run_solver solver;
  limb_run_inputs inputs;
  limb_run_controller controller;
  int nevent;
  limb_run_event* event;
  int noutput;
  limb_run_output* output;
} limb_run;

/// Reads a run file. The reading is that of limb/read.h, but without builder.
/// @param opt  only max_bytes and alloc are used; NULL: the defaults
/// @return as limb_read; LIMB_E_MODEL: the file has errors, which are among the findings.
LIMB_NODISCARD LIMB_API limb_status limb_read_run(const char* path, const limb_read_options* opt, limb_reading** out,
                                                  limb_error* err);

/// The same from memory.
LIMB_NODISCARD LIMB_API limb_status limb_read_run_text(const char* text, size_t size, const char* name,
                                                       const limb_read_options* opt, limb_reading** out,
                                                       limb_error* err);

/// The run of a reading; NULL if the file was faulty or is not a run file.
LIMB_API const limb_run* limb_reading_run(const limb_reading* r);

/// 1 if the file exists and seems to be a run file: its first key is schema, not limb.
LIMB_API int limb_is_run_file(const char* path);

// ---- studies: many cases of one run ---------------------------------------------------------------------
//
// A study names a run, what varies from case to case, and what is collected (docs/scale.md). limb/runner.h runs it.

enum { LIMB_STUDY_SCHEMA = 1 }; ///< the value of `study` in a study file

/// How the values of something that varies are given. Values are pinned.
typedef enum limb_study_kind {
  LIMB_STUDY_LIST = 0,        ///< numbers or texts, each in its turn
  LIMB_STUDY_GRID = 1,        ///< from, to, count: evenly spaced
  LIMB_STUDY_LOG_GRID = 2,    ///< the same for the logarithm
  LIMB_STUDY_UNIFORM = 3,     ///< low, high
  LIMB_STUDY_LOG_UNIFORM = 4, ///< low, high
  LIMB_STUDY_NORMAL = 5,      ///< mean, standard deviation
  LIMB_STUDY_LOG_NORMAL = 6,  ///< median, standard deviation of the logarithm
  LIMB_STUDY_TRIANGULAR = 7,  ///< low, mode, high
  LIMB_STUDY_CHOOSE = 8       ///< numbers or texts, one of them at random
} limb_study_kind;

/// Where a value of a case goes.
typedef struct limb_study_target {
  limb_run_value as; ///< name: a path in the run, "start.q.elbow"; text: what it becomes, {} standing for the value
  char* slot;        ///< the text of that value in the run of the reading: a case is written here
  size_t size;       ///< of the slot in bytes, enough for all values
} limb_study_target;

typedef struct limb_study_vary {
  limb_run_value name; ///< name: as in the study; line, column: where
  limb_study_kind kind;
  limb_run_values values; ///< numbers, or texts of a list and of choose
  limb_run_values limits; ///< normal, log_normal: low and high; or none
  int ntarget;
  limb_study_target* target;
} limb_study_vary;

/// What is made of a channel in each case. Values are pinned.
typedef enum limb_study_collected {
  LIMB_COLLECT_INITIAL = 0,
  LIMB_COLLECT_FINAL = 1,
  LIMB_COLLECT_MIN = 2,
  LIMB_COLLECT_MAX = 3,
  LIMB_COLLECT_PEAK = 4, ///< the largest magnitude
  LIMB_COLLECT_MEAN = 5, ///< over time
  LIMB_COLLECT_RMS = 6,  ///< over time
  LIMB_COLLECT_SERIES = 7,
  LIMB_COLLECT_EVENTS = 8, ///< names of events: when each was first, and how often
  LIMB_COLLECT_COUNT = 9
} limb_study_collected;

typedef struct limb_study {
  limb_run_value title;
  const char* run_path; ///< of the run file; NULL: the study contains its run
  limb_run_value samples, sampling, seed;
  int nvary;
  limb_study_vary* vary;
  limb_run_values collect[LIMB_COLLECT_COUNT];
  limb_run_value rate;   ///< at which extremes and means are taken
  limb_run_value points; ///< of each series
  limb_run_value output;
} limb_study;

/// Reads a study and its run, which limb_reading_run has: values that vary are those of limb_study_target.slot.
/// Otherwise as limb_read_run.
LIMB_NODISCARD LIMB_API limb_status limb_read_study(const char* path, const limb_read_options* opt, limb_reading** out,
                                                    limb_error* err);

/// The study of a reading; NULL if the file was faulty or is not a study.
LIMB_API const limb_study* limb_reading_study(const limb_reading* r);

#ifdef __cplusplus
}
#endif

#endif
