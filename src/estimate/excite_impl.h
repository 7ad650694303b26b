// What the files of excitation share: the problem, what one search works with.
//
//   excite.c            options, searches, the answer
//   excite_search.c     the descent from one start
//   excite_motion.c     Fourier series, limits and their barrier
//   excite_criterion.c  the information matrix, the criterion and its gradient
#ifndef LIMB_EXCITE_IMPL_H
#define LIMB_EXCITE_IMPL_H

#include "limb/ident.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// Samples of the optimisation per harmonic, and those by which the answer is judged.
enum { SAMPLES_PER_HARMONIC = 20, JUDGED = 1000 };

typedef struct limb_limits {
  double q_min, q_max, v, a, tau; // HUGE_VAL: none
} limb_limits;

// A column of friction, rotor or spring: its entry in one row of the regressor.
typedef struct limb_line_term {
  int parameter; // of theta
  limb_parameter_kind kind;
  int row;
  double multiplier;
} limb_line_term;

// The problem: the same for all searches, read only.
// Steps of all searches, for progress.
typedef struct limb_excite_watch {
  _Atomic uint64_t done;
  atomic_flag busy; // somebody reports
} limb_excite_watch;

typedef struct limb_excite_problem {
  const limb_model* m;
  limb_excite_options o;
  limb_environment env, smooth; // smooth: Coulomb friction that has derivatives
  limb_dofs* dofs;
  limb_base_parameters* base;
  int nv, width, samples; // width: coefficients of a joint
  limb_limits* limit;     // nv, as the robot has them
  double* basis;          // samples x 3 x width: functions and their derivatives by time
  int np, nb, offsets;    // of theta; base parameters; columns of constant torques
  int n, nb_kept;         // columns that motions can show; how many of them are base parameters
  int* column;            // n: index among base parameters and offsets
  double* expand;         // np x nb_kept: Y_b = Y expand
  int bodies;             // that have inertial parameters
  int* body;
  int terms;
  limb_line_term* term;
  limb_excite_watch* watch; // NULL: nobody is interested
} limb_excite_problem;

struct limb_excitation {
  limb_excite_problem p;
  double *center, *x;
  limb_excitation_facts facts;
  char (*hidden)[160];
};

// What a search works with.
typedef struct limb_excite_search {
  const limb_excite_problem* p;
  limb_data* d;
  double *center, *x; // nv, nv x width
  double *q, *v, *a, *tau;
  double *gq, *gv, *ga;                // gradient by the state of a sample
  double* Y;                           // samples x nv x n
  double *N, *C, *H, *A, *B, *D, *inv; // n x n each
  double* work;                        // nv x (np + n)
  double *theta, *dtau;                // nv x np; 3 nv nv
  sp_motion *dV, *J, *Aq, *Av, *hess;  // nv each; hess nv nv
  double condition;                    // at the start, then of the result
  bool found;
  limb_error err;
} limb_excite_search;

// ---- excite_motion.c ----------------------------------------------------------------------------------------

// Functions of one joint at time t, and their first and second derivatives: 3 x width.
void limb_excite_basis(double duration, int harmonics, double t, double* out);

// State at time t by the coefficients.
void limb_excite_state(const limb_excite_problem* p, const double* basis, const double* center, const double* x,
                       double* q, double* v, double* a);

// The barrier of a state, times weight, and its derivatives added to gq, gv and ga (NULL: not computed). HUGE_VAL
// where a limit is broken; which: a sentence about the worst one (NULL: not needed).
limb_status limb_excite_barrier(limb_excite_search* s, double weight, bool gradient, double* value);

// Largest use of the limits by the state at hand, of each kind; 1: all that may be used.
enum { USE_POSITION, USE_SPEED, USE_ACCELERATION, USE_TORQUE, USE_KEEP, USES };

typedef struct limb_limit_use {
  double use[USES];
  int at[USES]; // velocity, or box
} limb_limit_use;

limb_status limb_excite_use(limb_excite_search* s, limb_limit_use* u);

// A sentence about the limit that is broken most.
void limb_excite_describe(const limb_excite_problem* p, const limb_limit_use* u, const char* where, limb_error* err,
                          limb_status status);

// ---- excite_criterion.c -------------------------------------------------------------------------------------

// Equations of the state at hand: nv x n.
limb_status limb_excite_equations(limb_excite_search* s, bool smooth, double* Y);

// Adds the gradient of sum(G .* Y) by the state to gq, gv, ga; G: nv x n.
limb_status limb_excite_equations_gradient(limb_excite_search* s, const double* G);

// From N = sum Y'Y: the criterion; gradient: and H, with d criterion = sum(H .* dN). HUGE_VAL: N is singular.
double limb_excite_criterion_of(limb_excite_search* s, bool gradient);

// Condition and log-determinant of the first n columns after scaling.
double limb_excite_condition(limb_excite_search* s, int n, double* logdet);

// ---- excite_search.c ----------------------------------------------------------------------------------------

bool limb_excite_search_make(const limb_excite_problem* p, limb_excite_search* s);
void limb_excite_search_free(limb_excite_search* s);
void limb_excite_descend(limb_excite_search* s, uint64_t seed);

// N += Y'Y, Y: nv x n
void limb_excite_add_square(int nv, int n, const double* Y, double* N);

// Of the motion at as many evenly spaced samples: N, with Coulomb friction as it is (where information is asked for),
// and the use of limits (NULL: not needed).
limb_status limb_excite_judge(limb_excite_search* s, int samples, bool information, limb_limit_use* u);

#endif
