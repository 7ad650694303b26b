// Dynamics with the loops closed, with everything that the public calls (limb/loops.h, loops/closed.c) take from the
// settings of a limb_data as arguments.
#ifndef LIMB_CLOSED_H
#define LIMB_CLOSED_H

#include "limb/derivatives.h"
#include "limb/loops.h"

#include "model/loop_calls.h"

// The part of d that is about its loops; NULL: the robot has none, or d is NULL.
limb_loops* limb_data_loops(limb_data* d);

// A motion of the tree: q and v close the loops, and a does (limb_complete_accelerations); not checked.
typedef struct limb_closed_motion {
  const double *q, *v, *a;
  const limb_environment* env; // NULL: the default
} limb_closed_motion;

// Results of inverse dynamics; NULL: not computed.
typedef struct limb_closed_forces {
  double* tau;       // nv: at active joints; zero at passive ones
  double* tree;      // nv: Gamma_tr, what the tree without closures would need
  double* lambda;    // nc: of least norm if constraints are redundant
  double unbalanced; // as in limb_loop_details (output), as are
  int undriven;      // these,
  int overdriven;
  int bounded;
  int as_tree; // not 0: a joint in no loop gets the force that the motion needs, motor or not
} limb_closed_forces;

// Inverse dynamics: G' tau = G' Gamma_tr. actuation, options: NULL for the defaults.
limb_status limb_closed_inverse_dynamics(limb_data* d, const limb_closed_motion* in, const limb_actuation* actuation,
                                         const limb_loop_options* options, limb_closed_forces* out);

// limb_reduced_dynamics. in->a is not read. independent: NULL for limb_independent_velocities.
limb_status limb_closed_reduced_dynamics(limb_data* d, const limb_closed_motion* in, const unsigned char* independent,
                                         const limb_loop_options* options, int* count, double* A, double* H);

// limb_loop_loads, with given multipliers.
limb_status limb_closed_loads(limb_data* d, const limb_closed_motion* in, const double* lambda, limb_ref ref,
                              const limb_loop_options* options, sp_force* joint, sp_force* loop);

// Findings of forward dynamics, as in limb_loop_details.
typedef struct limb_closed_report {
  limb_loop_method method;
  int redundant;
  double residual;
  int loop;
  int iterations;
} limb_closed_report;

// Forward dynamics. in->a is not read. lambda, report: NULL if not needed.
limb_status limb_closed_forward_dynamics(limb_data* d, const limb_closed_motion* in, const double* tau,
                                         const limb_loop_solver* options, double* a, double* lambda,
                                         limb_closed_report* report);

// limb_loop_impulse. Of the options only `loops` counts.
limb_status limb_closed_impulse(limb_data* d, const double* q, const double* v, const limb_loop_solver* options,
                                double* v_after, double* impulse, limb_closed_report* report);

// Derivatives of forward dynamics by the coordinates of the tree, at constant time; NULL: not computed.
typedef struct limb_closed_derivatives {
  double* a;                                      // nv
  double* lambda;                                 // nc
  double *da_dq, *da_dv, *da_dtau;                // nv x nv
  double *dlambda_dq, *dlambda_dv, *dlambda_dtau; // nc x nv
} limb_closed_derivatives;

// Where constraints are redundant (but not idle), those of the robot that has the independent constraints only: the
// same along motions that keep the loops closed. in->a is not read. dual: for vectors of the same model.
limb_status limb_closed_forward_dynamics_derivatives(limb_data* d, limb_dual* dual, const limb_closed_motion* in,
                                                     const double* tau, const limb_loop_solver* options,
                                                     const limb_closed_derivatives* out);

// Derivatives of inverse dynamics; columns: the independent velocities, ny of them. NULL: not computed.
typedef struct limb_closed_inverse_derivatives {
  double* tau;         // nv
  double* dtau_dy;     // nv x ny: by independent coordinates, the loops staying closed
  double* dtau_dydot;  // nv x ny: by their velocities
  double* dtau_dyddot; // nv x ny: by their accelerations
} limb_closed_inverse_derivatives;

// With least-norm sharing, along motions that keep the loops closed: q, v and a of the tree are functions of y, y' and
// y''. Of in->a only the independent entries are read. count: ny (output). LIMB_E_SINGULAR for robots with undriven
// motions.
limb_status limb_closed_inverse_dynamics_derivatives(limb_data* d, limb_dual* dual, const limb_closed_motion* in,
                                                     const unsigned char* independent, const limb_loop_options* options,
                                                     int* count, const limb_closed_inverse_derivatives* out);

#endif
