// limb: robot dynamics in C. The library limb in one include; below, all headers in the order to read them.
//
//     limb_model* robot = NULL;
//     if (limb_load("arm.urdf", NULL, &robot, &error) != LIMB_OK) return 1;       // limb/read.h
//     limb_data* d = NULL;
//     if (limb_data_create(robot, NULL, &d) != LIMB_OK) return 1;                 // limb/model.h
//     if (limb_inverse_dynamics(d, q, v, a, NULL, tau) != LIMB_OK) return 1;      // limb/dynamics.h
#ifndef LIMB_LIMB_H
#define LIMB_LIMB_H

// clang-format off
// Describe a robot
#include "limb/base.h"        // statuses, errors, allocators, version
#include "limb/spatial.h"     // vectors, rotations, poses, motions, forces, inertias
#include "limb/builder.h"     // bodies, joints, shafts, loops: from a description to a model
#include "limb/edit.h"        // changes: locked joints, loads, attached robots, another root
#include "limb/model.h"       // properties of a model, workspaces, the configuration manifold

// Compute with it
#include "limb/kinematics.h"  // poses, velocities, Jacobians, centre of mass, momentum, their derivatives
#include "limb/dynamics.h"    // inverse, forward, hybrid dynamics, mass matrix, moving bases, elastic joints
#include "limb/derivatives.h" // first and second derivatives of dynamics, linear models
#include "limb/task.h"        // dynamics at the hand: task space
#include "limb/lagrange.h"    // Christoffel symbols, energies, curvature
#include "limb/regressor.h"   // parameters, regressors, base parameters

// Robots with closed loops
#include "limb/loops.h"       // their equations, mobility, dynamics
#include "limb/assemble.h"    // closing them, branches, projection, maps
#include "limb/parallel.h"    // a platform and its legs

// Many states, any quantity, source code
#include "limb/batch.h"       // many states at once, threads, one call on several processors
#include "limb/ik.h"          // inverse kinematics
#include "limb/quantities.h"  // the registry of quantities, and evaluation by name
#include "limb/codegen.h"     // source code for one robot, equations of motion
// clang-format on

// This header does not include those of the libraries on top, and of OpenMP:
//
//     limb_io     limb/read.h      robots from files and to files, the doctor
//                 limb/table.h     CSV, NPY, Arrow, Parquet, HDF5
//                 limb/run.h       run files
//     limb_sim    limb/sim.h       simulation
//                 limb/control.h   formulas, signals, controllers
//     limb_ident  limb/ident.h     identification: from logs to parameters
//     limb_study  limb/study.h     sizing, differentiation, facts about a robot
//                 limb/verify.h    independent formulations compared
//                 limb/draw.h      curves, animations, maps
//                 limb/runner.h    what a run file describes, as a simulation (with limb_io)
//     none        limb/openmp.h    OpenMP's threads for limb/batch.h

#endif
