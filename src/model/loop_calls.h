// How a workspace of a robot with loops answers: the calls of src/loops, as the entry points of the layers below see
// them. A builder gets the table with its first loop, so that a program without loops links none of it.
//
// Arguments are those of the public calls, their pointers checked. Vectors and matrices have the sizes that they have
// for trees. Ghat is the matrix of limb_velocity_map with zero columns for the dependent velocities, nv x nv.
#ifndef LIMB_LOOP_CALLS_H
#define LIMB_LOOP_CALLS_H

#include "limb/derivatives.h"
#include "limb/loops.h"

typedef struct limb_loops limb_loops; // the part of a limb_data that is about its loops

// What is in it.
typedef enum limb_loops_use {
  LIMB_LOOPS_LINEAR, // memory linear in the size of the robot, quadratic only in its largest cluster
  LIMB_LOOPS_DENSE   // matrices of the whole robot as well: a few times 8 (nv + nc)^2 bytes
} limb_loops_use;

typedef struct limb_loop_calls {
  size_t (*size)(const limb_model* m, limb_loops_use use);
  // Finds the constraints that no joint moves, at random configurations. memory: `size` bytes; owner: the workspace.
  limb_status (*init)(limb_data* owner, limb_loops_use use, void* memory, limb_loops** out);

  limb_status (*inverse_dynamics)(limb_loops* w, const double* q, const double* v, const double* a,
                                  const limb_environment* env, double* tau);
  limb_status (*forward_dynamics)(limb_loops* w, const double* q, const double* v, const double* tau,
                                  const limb_environment* env, double* a);
  limb_status (*bias_forces)(limb_loops* w, const double* q, const double* v, const limb_environment* env, double* tau);
  limb_status (*mass_matrix)(limb_loops* w, const double* q, double* M);
  limb_status (*mass_matrix_inverse)(limb_loops* w, const double* q, double* Minv);
  limb_status (*mass_matrix_solve)(limb_loops* w, const double* q, int count, const double* B, double* X);
  limb_status (*coriolis_matrix)(limb_loops* w, const double* q, const double* v, double* C);
  limb_status (*joint_reactions)(limb_loops* w, const double* q, const double* v, const double* a,
                                 const limb_environment* env, limb_ref ref, sp_force* f);
  limb_status (*inverse_dynamics_derivatives)(limb_loops* w, const double* q, const double* v, const double* a,
                                              const limb_environment* env, const limb_id_derivatives* out);
  limb_status (*forward_dynamics_derivatives)(limb_loops* w, const double* q, const double* v, const double* tau,
                                              const limb_environment* env, const limb_fd_derivatives* out);
  // From derivatives of the accelerations by the coordinates of the tree (nv x nv each) to derivatives of the
  // independent ones along motions that keep the loops closed.
  limb_status (*close_derivatives)(limb_loops* w, const double* q, const double* v, const limb_environment* env,
                                   double* da_dq, double* da_dv, double* da_dtau);

  // Psi at any configuration: nrow x nv, from a workspace of its own
  limb_status (*rows)(const limb_model* m, const double* q, double* Psi);
  // x = Ghat' x, for nv rows of `columns` numbers: generalised forces, Jacobians (columns as rows), regressors
  limb_status (*reduce)(limb_loops* w, const double* q, int columns, double* x);
  // rate = Ghat' rate + (dGhat/dt)' x: the rate of the above, from x and its rate for the tree
  limb_status (*reduce_rate)(limb_loops* w, const double* q, const double* v, int columns, const double* x,
                             double* rate);
  // Accelerations of all joints when the independent ones have none: nv numbers in the workspace.
  limb_status (*bias_accelerations)(limb_loops* w, const double* q, const double* v, const double** a);
  // Scratch for nv motions; NULL: the workspace has no dense matrices.
  sp_motion* (*columns)(limb_loops* w);
  // Generalised forces of the tree, `columns` beside each other (nv x columns), become forces of the motors that
  // deliver them, or the accelerations that they cause.
  limb_status (*drive)(limb_loops* w, const double* q, int columns, double* x);
  limb_status (*accelerate)(limb_loops* w, const double* q, int columns, double* x);
} limb_loop_calls;

extern const limb_loop_calls limb_loop_calls_closed; // loops/closed.c

#endif
