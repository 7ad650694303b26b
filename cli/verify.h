// What the files of `limb verify` share: a robot in a random state, and the checks that are made on it.
//
// A check computes one quantity in two ways that share as little as possible, and gives their disagreement
// relative to the size of the quantity, or of the terms that it is the sum of: of a quantity that is zero
// (the rate of a constant M, a balanced weight) there is nothing but their rounding.
#ifndef LIMB_CLI_VERIFY_H
#define LIMB_CLI_VERIFY_H

#include "limb/second_derivatives.h"

#include "compare.h"
#include "robot.h"

// With more bodies or velocities than VERIFY_LARGE there are no matrices; with more velocities than the
// others no regressors, no base parameters, no tensors with three indices, none with four.
enum { VERIFY_LARGE = 3000, VERIFY_WIDE = 400, VERIFY_BASE = 120, VERIFY_CUBE = 48, VERIFY_FOUR = 20 };

// How large things are in a state: what sums of them are measured by when they cancel.
typedef struct verify_sizes {
  double speed, change; // the largest of v, of a
  double force;   // the largest through a joint, by friction or by a spring; never below a part of inertia times a
  double moment;  // sum of m |c| of the bodies, about the world's origin
  double inertia; // sum of their own inertia, and of m c^2 about their joints and about the whole's centre
} verify_sizes;

typedef struct verify_closed verify_closed; // verify_loops.h

typedef struct verify {
  const limb_model* m;
  limb_data* d;
  limb_environment env; // gravity and friction by the options, no wrench
  int nq, nv, nbody, njoint, nframe;
  uint64_t seed;
  double step;          // of finite differences [s]
  double *q, *v, *a;    // the state
  double* tau;          // its inverse dynamics
  int frame;            // where frames are looked at in this state
  verify_sizes size;    // of this state
  unsigned char* given; // nv marks of limb/hybrid.h, at random, and
  double* mixed;        // what they ask for: of a and of tau
  double condition;     // of M, the worst so far; 0: not known
  // Scratch.
  double* memory;
  double *x, *y, *z, *w;                                     // nv each
  double *qt, *vt;                                           // a configuration and velocity nearby
  double *idle_a, *idle_tau;                                 // nv each
  double* nothing;                                           // nv zeros
  unsigned char *all_forces, *all_accelerations, *free_base; // nv marks each
  double *M, *A, *B;                                         // nv x nv, but for large robots
  sp_motion* J;                                              // nv
  sp_force* F;                                               // njoint, and nv
  sp_vec3* c;                                                // nv
  sp_pose* poses;                                            // nbody
  int np;                                                    // parameters
  double *theta, *big;                                       // np; what regressors, tensors and tasks take
  limb_base_parameters* base;                                // made when it is first needed, as these
  limb_dual* dual;
  verify_closed* closed; // NULL: the robot has no loops
} verify;

limb_status verify_create(verify* t, const cli_robot* r, uint64_t seed);
void verify_free(verify* t);

// Makes ready for robots with loops: closes them once, and says how well. LIMB_E_NOCONV when they do not
// close. Free in any case, before verify_free.
limb_status verify_loops_open(verify* t, limb_assembly_report* report); // verify_loops.c
void verify_loops_free(verify* t);

// The next random state.
limb_status verify_next(verify* t);

// A workspace of dual numbers, with matrices up to VERIFY_CUBE; base parameters. Made once.
limb_status verify_dual(verify* t);
limb_status verify_base(verify* t);

// A reference for frames, at random.
limb_ref verify_ref(const verify* t);

// y = A x
void verify_times(const verify* t, const double* A, const double* x, double* y);

// ---- comparing -------------------------------------------------------------------------------------

// The largest magnitude.
double verify_largest(int n, const double* x);

// A quantity that cancels, or that has no reason to be there, is measured by this part of the sizes above:
// small enough to see a mistake, large enough to not see rounding. Finite differences round more.
static const double VERIFY_PART = 1e-5, VERIFY_PART_DIFFERENCES = 1e-3;

// What a finite difference is taken of: n numbers at the time t after the state. with_a: velocities change
// by a; else they stay.
typedef limb_status verify_sample(verify* t, double* values);

// Rate of change of n numbers by a difference of fourth order. scratch: n numbers.
limb_status verify_rate(verify* t, int with_a, verify_sample* f, size_t n, double* rate, double* scratch);

// ---- the checks ------------------------------------------------------------------------------------

typedef limb_status verify_fn(verify* t, double* off);

// What a tolerance is for: plain algebra; quantities that M was inverted for; finite differences.
typedef enum verify_class { VERIFY_ALGEBRA, VERIFY_INVERSE, VERIFY_DIFFERENCES } verify_class;

// How work grows with the robot: 1 with n, 2 with its square, 3 with its cube, 4 with more.
typedef struct verify_check {
  const char *quantity, *first, *second;
  verify_class class;
  int cost;
  verify_fn* run;
  int most;           // velocities; 0: any number
  const char* unless; // why it may not apply to a robot; NULL: it does, unless there is no mass
} verify_check;

extern const verify_check verify_dynamics[]; // closed by one without quantity
extern const verify_check verify_hybrid[];
extern const verify_check verify_motion[];
extern const verify_check verify_derivatives[];
extern const verify_check verify_lagrange[];
extern const verify_check verify_forms[];
extern const verify_check verify_loops[];       // of robots with loops; verify_closed.c
extern const verify_check verify_other_forms[]; // the same; verify_cuts.c

#endif
