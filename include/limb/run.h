// limb: robot dynamics in C. Run files: what to simulate, in YAML; docs/simulation.md is the reference.
//
//     limb_reading* r = NULL;
//     limb_read_run("fall.yaml", NULL, &r, NULL);
//     const limb_run* run = limb_reading_run(r);
//     printf("%s for %s\n", run->model.name.text, run->end.text);
//     limb_reading_destroy(r);
//
// A run is texts with their places: numbers are formulas (limb/control.h), names are of a model that the
// reader does not see. What the file says is checked for its form; what it means, for whoever runs it.
//
// This header belongs to the library limb_io.
#ifndef LIMB_RUN_H
#define LIMB_RUN_H

#include "limb/read.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIMB_RUN_SCHEMA = 1 }; ///< the version that a file states

/// A text of the file.
typedef struct limb_run_value {
  const char* text; ///< NULL: it is not there
  const char* key;  ///< where it stands, for messages: "solver.step", "inputs.torques.elbow"
  const char* name; ///< the last word of key, which may be a name with dots: "elbow"
  int line, column; ///< 0: it is not from a file
} limb_run_value;

/// Some of them: entries of a list, or values of a mapping.
typedef struct limb_run_values {
  int count;
  limb_run_value* value;
} limb_run_values;

typedef struct limb_run_model {
  limb_run_value name; ///< a built-in robot, or a path
  limb_run_value base; ///< as --base
  limb_run_value mimic;
} limb_run_model;

typedef struct limb_run_environment {
  limb_run_values gravity; ///< 3, or none
  limb_run_value no_friction, coulomb_width;
} limb_run_environment;

typedef struct limb_run_start {
  limb_run_value time;
  limb_run_values q, v;     ///< by coordinate
  limb_run_value file, row; ///< a table of states, and which of its rows; the first is 1
  limb_run_value assemble;  ///< true, false
  limb_run_values keep;     ///< joints that stay while loops are closed
} limb_run_start;

typedef struct limb_run_solver {
  limb_run_value method, step, relative, absolute, longest, order, most_steps;
  limb_run_value project, closed, baumgarte;
  limb_run_value stiction, stop, restitution, stiffness, damping, condition, work;
} limb_run_solver;

/// One table of forces, or wrenches.
typedef struct limb_run_table {
  limb_run_value file, interpolation;
} limb_run_table;

typedef struct limb_run_wrench {
  limb_run_value frame, reference;
  limb_run_value part[6]; ///< mx my mz fx fy fz
} limb_run_wrench;

/// Motion given on one joint: formulas of time, a law, or a table.
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
  limb_run_value type;                    ///< text NULL: there is none
  limb_run_values kp, kd;                 ///< one with the name "": of all; else by degree of freedom, or direction
  limb_run_values inertia;                ///< of impedance, by direction
  limb_run_values posture_kp, posture_kd; ///< of impedance, as kp
  limb_run_value rate, delay, saturate;
  limb_run_value frame, axes; ///< of impedance: the frame; aligned, body
  limb_run_values directions; ///< of impedance: those that count
  limb_run_values q, v,
    a; ///< reference, by coordinate and degree of freedom; of impedance q is the posture
  limb_run_values position, orientation, velocity,
    acceleration;      ///< of impedance: reference of the frame
  limb_run_value file; ///< reference: a table with q., and perhaps v. and a.
} limb_run_controller;

typedef struct limb_run_event {
  limb_run_value name, when, action;
} limb_run_event;

/// A file to be written: exactly one of file, plot and animation is there.
typedef struct limb_run_output {
  limb_run_value file, plot, animation;
  limb_run_values channels;
  limb_run_values directions; ///< of tasks at frames, as Lambda
  limb_run_value rate, interval, title;
} limb_run_output;

/// All of it. Texts live as long as the reading.
typedef struct limb_run {
  limb_run_value title;
  limb_run_model model;
  limb_run_environment environment;
  limb_run_start start;
  limb_run_value duration, end; ///< at most one of them is there
  limb_run_solver solver;
  limb_run_inputs inputs;
  limb_run_controller controller;
  int nevent;
  limb_run_event* event;
  int noutput;
  limb_run_output* output;
} limb_run;

/// Reads a run file. Findings, source and life of the reading as in limb/read.h; it has no builder.
/// @param opt  only max_bytes and alloc are looked at; NULL: defaults
/// @return as limb_read; LIMB_E_MODEL: something in the file is wrong, the findings say what and where.
LIMB_NODISCARD LIMB_API limb_status limb_read_run(const char* path, const limb_read_options* opt, limb_reading** out,
                                                  limb_error* err);

/// The same from memory.
LIMB_NODISCARD LIMB_API limb_status limb_read_run_text(const char* text, size_t size, const char* name,
                                                       const limb_read_options* opt, limb_reading** out,
                                                       limb_error* err);

/// The run of a reading; NULL when it is none, or a faulty one.
LIMB_API const limb_run* limb_reading_run(const limb_reading* r);

/// 1 when there is a file of that path, and it looks like a run file: its first key is schema, and not limb.
LIMB_API int limb_is_run_file(const char* path);

#ifdef __cplusplus
}
#endif

#endif
