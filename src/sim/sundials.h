// What the steppers over SUNDIALS share: the state as one vector, its rate, tolerances, messages.
//
//   y = (q, v), and the work behind them for ARKODE, or multipliers for IDA. q in its own coordinates,
//   quaternions as four numbers
//   solvers count time from where they last began: it is `origin` there, however late that is
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

// A solver's own polynomial over its last step, or the derivative of that order: CVodeGetDky and the like.
typedef int sundials_polynomial(void* memory, double t, int order, N_Vector y);

enum { WORK_NODES = 6 };

typedef struct sundials {
  SUNContext context;
  void* memory; // of the solver
  N_Vector y, rate, tolerance;
  SUNMatrix A;
  SUNLinearSolver linear;
  SUNNonlinearSolver iteration; // of Adams' method
  sundials_polynomial* polynomial;
  int n;                     // length of y
  double *q, *v, *a;         // nq, nv, nv: scratch
  double *a_q, *a_v;         // nv x nv
  limb_status status;        // of the last evaluation that failed, in this step
  limb_status trouble;       // the same, since the solver began
  char text[160];            // what the solver had to say
  bool elsewhere;            // the solver is not where front is: sent back into the last step, or off the surface
  long failures, iterations; // of its error test, and of its equations, that were counted
  double origin;             // time at which it began
  double from, to;           // its last step, in its own time
  double power[WORK_NODES];  // inside the last step, at Gauss' nodes
} sundials;

// Everything but the solver: n numbers of state; a dense linear solver when `matrix`. limb_sundials_create
// takes memory for it and puts it into sim->state. limb_sundials_free frees what there is.
limb_status limb_sundials_create(limb_sim* sim, int n, bool matrix, sundials** out);
limb_status limb_sundials_fill(limb_sim* sim, int n, bool matrix, sundials* s);
void limb_sundials_free(sundials* s);

// y from a state, and back (unit quaternions): places and velocities.
void limb_sundials_put(const limb_sim* sim, const sim_point* p, N_Vector y);
limb_status limb_sundials_get(const limb_sim* sim, const double* y, double t, sim_point* p);

// y' at a state, t in the solver's time; what ARKODE and CVODE call. 0; 1: try a shorter step; -1: give up.
int limb_sundials_rate(double t, N_Vector y, N_Vector rate, void* user);

// Of q' and of v' by y, for the rows of a dense matrix: see sundials.c.
int limb_sundials_jacobian(double t, N_Vector y, N_Vector rate, SUNMatrix J, void* user, N_Vector a, N_Vector b,
                           N_Vector c);

// Derivatives along the tangent as ones by coordinates: columns of J from `column` on, rows from `row` on.
void limb_sundials_by_coordinates(const limb_sim* sim, const double* q, const double* by_tangent, int row, SUNMatrix J);

// q' by v, times a factor.
void limb_sundials_places(const limb_sim* sim, const double* q, double factor, SUNMatrix J);

// After a step: notes whether the solver's state, which is front, is off the surface of the constraints by
// more than 1000 tolerances. Before the next one: begins anew from sim->begin, which is on it, when that
// was so.
limb_status limb_sundials_mind_drift(limb_sim* sim);
limb_status limb_sundials_come_back(limb_sim* sim, limb_status (*begin_at)(limb_sim*, const sim_point*));

// Failures of the error test and iterations so far, as the solver counts them.
void limb_sundials_count(limb_sim* sim, long failures, long iterations);

// The solver is about to begin at p: its time is zero there.
void limb_sundials_begin(sundials* s, const sim_point* p);

// The solver has reached a time of its own, on the way to t: sim->front has it as the time of the
// simulation. True when that has not gone on yet, because it is so late that a step is less than its
// rounding: one more step is to be made. Work that is done within the rounding of time is not counted.
bool limb_sundials_stands(limb_sim* sim, int flag, double reached, double t);

// The state at t inside the last step, by the solver's polynomial.
limb_status limb_sundials_inside(limb_sim* sim, double t, sim_point* out);

// Work along the last step of a solver whose y does not have it: sim->front.work. See sundials.c.
limb_status limb_sundials_work(limb_sim* sim);

// Collects what the solvers say, instead of standard error.
void limb_sundials_listen(int code, const char* module, const char* function, char* text, void* user);

// A sentence about a failure of the solver.
limb_status limb_sundials_fail(limb_sim* sim, const char* solver, int flag);

// After a step: whether it went well and time went on. Evaluations that fail beyond some time make steps
// shorter and shorter before it.
limb_status limb_sundials_reached(limb_sim* sim, const char* solver, int flag);

// Stores the code of an evaluation for that sentence: what the solver is to be told.
int limb_sundials_code(sundials* s, limb_status status);

#endif
