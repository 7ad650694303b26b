// Common parts of the SUNDIALS steppers: the state as one vector, its rate, tolerances, messages.
//
//   y = (q, v), followed by work (ARKODE) or multipliers (IDA). Quaternions are four numbers
//   solvers count time from `origin`, where they last started
//
// Reference: A. Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, ACM
//            Transactions on Mathematical Software 31, 2005.
#ifndef LIMB_SIM_SUNDIALS_H
#define LIMB_SIM_SUNDIALS_H

#include "sim/sim_impl.h"

#include <arkode/arkode.h>
#include <arkode/arkode_butcher.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// A solver's polynomial over its last step, or a derivative of it: CVodeGetDky and the like.
typedef int sundials_polynomial(void* memory, double t, int order, N_Vector y);

enum { WORK_NODES = 6 };

typedef struct sundials {
  SUNContext context;
  void* memory; // of the solver
  N_Vector y, rate, tolerance;
  N_Vector spare;            // stands in for copies for which there is no memory
  double* spare_data;        // its numbers: solvers may have put others in their place
  SUNMatrix A, spare_matrix; // likewise
  SUNLinearSolver linear;
  SUNNonlinearSolver iteration; // Adams only
  sundials_polynomial* polynomial;
  int n;                     // length of y
  double *q, *v, *a;         // nq, nv, nv: scratch
  double *a_q, *a_v;         // nv x nv
  limb_status status;        // of the last failed evaluation in this step
  limb_status first_failure; // the same, since the solver started
  char text[160];            // message of the solver
  bool out_of_memory;        // a spare vector or matrix is in use: what the solver computes is worthless
  bool displaced;            // the solver is not at front: sent back into the last step, or off the manifold
  long failures, iterations; // of the error test and of Newton's method, counted so far
  double origin;             // time at which it started
  double from, to;           // its last step, in its own time
  double power[WORK_NODES];  // in the last step, at Gauss nodes
} sundials;

// Everything but the solver: n numbers of state; a dense linear solver if `matrix`. limb_sundials_create allocates it
// and sets sim->state.
limb_status limb_sundials_create(limb_sim* sim, int n, bool matrix, sundials** out);
limb_status limb_sundials_fill(limb_sim* sim, int n, bool matrix, sundials* s);
void limb_sundials_free(sundials* s);

// n numbers, zero; NULL: out of memory.
N_Vector limb_sundials_vector(sundials* s);

// The table of the embedded explicit Runge-Kutta method of an order, 2 to 6; NULL: out of memory.
ARKodeButcherTable limb_sundials_table(int order);

// The end of a call that sets a solver up: by its flag, or that memory ran out on the way.
limb_status limb_sundials_ready(limb_sim* sim, const char* solver, int flag);

// y from a state and back, with unit quaternions.
void limb_sundials_put(const limb_sim* sim, const sim_point* p, N_Vector y);
limb_status limb_sundials_get(const limb_sim* sim, const double* y, double t, sim_point* p);

// y' for ARKODE and CVODE, t in the solver's time. 0; 1: try a shorter step; -1: give up.
int limb_sundials_rate(double t, N_Vector y, N_Vector rate, void* user);

// Derivatives of q' and v' with respect to y, as a dense matrix.
int limb_sundials_jacobian(double t, N_Vector y, N_Vector rate, SUNMatrix J, void* user, N_Vector a, N_Vector b,
                           N_Vector c);

// Converts derivatives along the tangent to derivatives by coordinates, in rows of J from `row` on.
void limb_sundials_by_coordinates(const limb_sim* sim, const double* q, const double* by_tangent, int row, SUNMatrix J);

// q' by v, times a factor.
void limb_sundials_coordinates(const limb_sim* sim, const double* q, double factor, SUNMatrix J);

// After a step: notes whether the solver's state is off the constraint manifold by more than 1000 tolerances. Before
// the next one: if so, restarts from sim->begin, which is on it.
limb_status limb_sundials_check_drift(limb_sim* sim);
limb_status limb_sundials_return(limb_sim* sim, limb_status (*begin_at)(limb_sim*, const sim_point*));

// Adds the solver's failures of the error test and its iterations to the summary.
void limb_sundials_count(limb_sim* sim, long failures, long iterations);

// Prepares for a solver that starts at p, its time zero.
void limb_sundials_begin(sundials* s, const sim_point* p);

// Converts the time that the solver has reached, on the way to t, to sim->front. True if the time of the simulation has
// not advanced because the step was less than its rounding: another step is needed. Work within that is not counted.
bool limb_sundials_stalled(limb_sim* sim, int flag, double reached, double t);

// The state at t within the last step, by the solver's polynomial.
limb_status limb_sundials_inside(limb_sim* sim, double t, sim_point* out);

// sim->front.work, for solvers whose y does not contain it: the integral of the power over the last step.
limb_status limb_sundials_work(limb_sim* sim);

// Stores messages of the solvers, instead of printing them.
void limb_sundials_message(int code, const char* module, const char* function, char* text, void* user);

// Reports a failure of the solver.
limb_status limb_sundials_fail(limb_sim* sim, const char* solver, int flag);

// After a step: whether it succeeded and time advanced. Evaluations that fail beyond some time make steps ever shorter
// before it.
limb_status limb_sundials_reached(limb_sim* sim, const char* solver, int flag);

// Stores the status of an evaluation for limb_sundials_fail; returns the code for the solver.
int limb_sundials_code(sundials* s, limb_status status);

#endif
