// What the steppers over SUNDIALS share: the state as one vector, its rate, tolerances, messages.
//
//   y = (q, v, work), and multipliers behind them for IDA. q in its own coordinates, quaternions as four
//   numbers
//
// Reference: A. Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation
// solvers, ACM
//            Transactions on Mathematical Software 31, 2005.
#ifndef LIMB_SIM_SUNDIALS_H
#define LIMB_SIM_SUNDIALS_H

#include "sim/sim_impl.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct sundials {
  SUNContext context;
  void* memory; // of the solver
  N_Vector y, rate, tolerance;
  SUNMatrix A;
  SUNLinearSolver linear;
  SUNNonlinearSolver iteration; // of Adams' method
  int n;                        // length of y
  double *q, *v, *a;            // nq, nv, nv: scratch
  double *a_q, *a_v;            // nv x nv
  limb_status status;           // of the last evaluation that failed, in this step
  limb_status trouble;          // the same, since the solver began
  char text[160];               // what the solver had to say
  bool
    elsewhere; // the solver is not where front is: sent back into the last step, or off the surface
  long failures; // of its error test that were counted
} sundials;

// Everything but the solver: n numbers of state, nq + nv + 1 of them in limb_sundials_create, which takes
// memory for it and puts it into sim->state; a dense linear solver when `matrix`. limb_sundials_free frees
// what there is.
limb_status limb_sundials_create(limb_sim* sim, bool matrix, sundials** out);
limb_status limb_sundials_fill(limb_sim* sim, int n, bool matrix, sundials* s);
void limb_sundials_free(sundials* s);

// y from a state, and back (unit quaternions).
void limb_sundials_put(const limb_sim* sim, const sim_point* p, N_Vector y);
limb_status limb_sundials_get(const limb_sim* sim, const double* y, double t, sim_point* p);

// y' at a state; what ARKODE and CVODE call. 0; 1: try a shorter step; -1: give up.
int limb_sundials_rate(double t, N_Vector y, N_Vector rate, void* user);

// Of q' and of v' by y, for the rows of a dense matrix: see sundials.c.
int limb_sundials_jacobian(double t, N_Vector y, N_Vector rate, SUNMatrix J, void* user, N_Vector a,
                           N_Vector b, N_Vector c);

// Derivatives along the tangent as ones by coordinates: columns of J from `column` on, rows from `row` on.
void limb_sundials_by_coordinates(const limb_sim* sim, const double* q, const double* by_tangent,
                                  int row, SUNMatrix J);

// q' by v, times a factor.
void limb_sundials_places(const limb_sim* sim, const double* q, double factor, SUNMatrix J);

// After a step: notes whether the solver's state, which is front, is off the surface of the constraints by
// more than 1000 tolerances. Before the next one: begins anew from sim->begin, which is on it, when that
// was so.
limb_status limb_sundials_mind_drift(limb_sim* sim);
limb_status limb_sundials_come_back(limb_sim* sim,
                                    limb_status (*begin_at)(limb_sim*, const sim_point*));

// Failures of the error test so far, as the solver counts them.
void limb_sundials_count(limb_sim* sim, long failures);

// Collects what the solvers say, instead of standard error.
void limb_sundials_listen(int code, const char* module, const char* function, char* text,
                          void* user);

// A sentence about a failure of the solver.
limb_status limb_sundials_fail(limb_sim* sim, const char* solver, int flag);

// After a step: whether it went well and time went on. Evaluations that fail beyond some time make steps
// shorter and shorter before it.
limb_status limb_sundials_reached(limb_sim* sim, const char* solver, int flag, double reached);

// Stores the code of an evaluation for that sentence: what the solver is to be told.
int limb_sundials_code(sundials* s, limb_status status);

#endif
