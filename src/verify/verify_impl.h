// What the files of limb_verify share: a robot in a random state, and the checks that are made on it.
//
// A check computes one quantity in two ways that share as little as possible, and returns their difference relative to
// the size of the quantity, or of the terms that it is the sum of: if the quantity is zero (the rate of a constant M, a
// balanced weight), only their rounding is left.
#ifndef LIMB_VERIFY_IMPL_H
#define LIMB_VERIFY_IMPL_H

#include "limb/limb.h"
#include "limb/verify.h"

#include "base/numeric.h"

#include <float.h>
#include <math.h>

// Above VERIFY_LARGE bodies or velocities there are no matrices; above the other numbers of velocities no regressors,
// no base parameters, no tensors with three indices, none with four.
enum { VERIFY_LARGE = 3000, VERIFY_WIDE = 400, VERIFY_BASE = 120, VERIFY_CUBE = 48, VERIFY_FOUR = 20 };

// Sizes in a state, by which sums are measured when they cancel.
typedef struct verify_sizes {
  double speed, change; // the largest of v, of a
  double force;   // the largest through a joint, by friction or by a spring; never below a part of inertia times a
  double moment;  // sum of m |c| of the bodies, about the world's origin, and of their m times radius of gyration
  double inertia; // sum of their own inertia, and of m c^2 about their joints and about the whole's centre; at least
                  // the largest in M
} verify_sizes;

typedef struct verify_closed verify_closed; // below

typedef struct verify {
  const limb_model* m;
  limb_data* d;
  limb_environment env; // gravity and friction by the options, no wrench
  int nq, nv, nbody, njoint, nframe;
  uint64_t seed;
  double step;          // of finite differences [s]
  double *q, *v, *a;    // the state
  double* tau;          // its inverse dynamics
  int frame;            // that is checked in this state
  verify_sizes size;    // of this state
  unsigned char* given; // nv: what is given of each (limb/dynamics.h), at random;
  double* mixed;        // the given numbers of a and of tau
  double condition;     // of M, the worst so far; 0: not known
  double lost;          // share of accelerations that is rounding of M, and of forces: the worst so far
  double closed_lost;   // the same with the loops closed; both 0: not known
  int unresolved;       // by finite differences: the check that is being made
  double used;          // step of the last finite difference
  double lost_rates;    // share of rates of accelerations that is their rounding over such a step: the worst so far
  // Scratch.
  double* memory;
  double *x, *y, *z, *w, *term;                              // nv each
  double *qt, *vt;                                           // a configuration and velocity nearby
  double *idle_a, *idle_tau;                                 // nv each
  double* nothing;                                           // nv zeros
  unsigned char *all_forces, *all_accelerations, *free_base; // nv each
  double *M, *A, *B;                                         // nv x nv, but for large robots
  sp_motion* J;                                              // nv
  sp_force* F;                                               // njoint, and nv
  sp_vec3* c;                                                // nv
  sp_pose* poses;                                            // nbody
  int np;                                                    // parameters
  double *theta, *big;                                       // np; what regressors, tensors and tasks take
  limb_base_parameters* base;                                // created on first use, as these
  limb_dual* dual;
  verify_closed* closed; // NULL: the robot has no loops
} verify;

// env: without wrenches. The model must outlive it.
limb_status verify_create(verify* t, const limb_model* m, const limb_environment* env, uint64_t seed);
void verify_free(verify* t);

// Prepares robots with loops: closes them once, and reports how well. LIMB_E_NOCONV: they do not close. Free in any
// case, before verify_free.
limb_status verify_loops_open(verify* t, limb_assembly_report* report);
void verify_loops_free(verify* t);

// Adds the joint forces that are not among the parameters; of these, what rotors ask.
void verify_add_unlisted(verify* t, const double* q, const double* v, const double* a, int friction, double* tau);
void verify_add_rotors(const limb_model* m, const double* a, double* tau);

// The next random state.
limb_status verify_next(verify* t);

// A workspace of dual numbers, with matrices up to VERIFY_CUBE; base parameters. Made once.
limb_status verify_dual(verify* t);
limb_status verify_base(verify* t);

// A reference for frames, at random.
limb_ref verify_ref(const verify* t);

// ---- sums --------------------------------------------------------------------------------------------

// y = A x
void verify_times(int rows, int columns, const double* A, const double* x, double* y);

// sum = A x + B y + M z; returns the largest magnitude in a term.
double verify_sum(verify* t, const double* x, const double* y, const double* z, double* sum);

// Adds x_k times column k of that width, one after the other; *size grows to the largest part.
void verify_combine(int n, int width, const double* columns, const double* x, double* sum, double* size);

// Adds the wrenches t->F of joints on the world; the weight, about the world's origin, after limb_kinematics.
limb_status verify_on_world(verify* t, sp_force* sum, double* size);
limb_status verify_weight(verify* t, sp_force* sum, double* size);

// ---- comparing -------------------------------------------------------------------------------------

// *off grows to the largest difference of n numbers relative to the largest of them, or to size if that is larger;
// infinite if one of them is not a number. Returns s; compares nothing after a failure.
limb_status verify_compare(limb_status s, double* off, int n, const double* x, const double* y, double size);

// The largest magnitude.
double verify_largest(int n, const double* x);

// A quantity that cancels, or is zero, is measured by this part of the sizes above: small enough to show a mistake,
// large enough to hide rounding. Finite differences round more.
static const double VERIFY_PART = 1e-5, VERIFY_PART_DIFFERENCES = 1e-3;

// qt, vt: the state a time later (or earlier), with the constant acceleration a or with none.
limb_status verify_move(verify* t, int with_a, double time);

// A sample of a finite difference: n numbers a time later. The difference is of fourth order, and its own error is
// known by another step. Other steps are tried where it exceeds a tenth of the tolerance, relative to the rate or to
// size. LIMB_E_SINGULAR with t->unresolved: no step will do. verify_rate has t->step.
typedef limb_status verify_sample(verify* t, double time, double* values);
limb_status verify_difference(verify* t, double step, double size, verify_sample* f, int n, double* rate);
limb_status verify_rate(verify* t, double size, verify_sample* f, int n, double* rate);

// ---- the checks ------------------------------------------------------------------------------------

typedef limb_status verify_fn(verify* t, double* off); // *off: 0 before

// The largest sum of a row of an nv x nv matrix.
double verify_norm(const verify* t, const double* A);

// Notes the condition of M at q, of the tree or with the loops closed, and what rounding loses of accelerations of
// size `change` by forces of size `force`: forces along joints are sums of those through them, which may be far larger.
// M, and its inverse in A.
limb_status verify_condition(verify* t, limb_data* d, const double* q, double force, double change);

// What a tolerance is for: plain algebra; quantities that M was inverted for; finite differences; both.
typedef enum verify_class {
  VERIFY_ALGEBRA,
  VERIFY_INVERSE,
  VERIFY_DIFFERENCES,
  VERIFY_INVERSE_DIFFERENCES
} verify_class;

// How much more than is usual rounding may take.
static const double VERIFY_SAFE = 100;

// The share of a result that rounding may take when a matrix of that condition is inverted, and the largest tolerance.
static inline double verify_lost(double condition) { return VERIFY_SAFE * DBL_EPSILON * condition; }
static const double VERIFY_LOST = 1e-2;

// The share of forces through joints that is rounding of those along them.
static const double VERIFY_FORCES = 4 * DBL_EPSILON;

// How work grows with the robot: 1 with n, 2 with its square, 3 with its cube, 4 with more.
typedef struct verify_check {
  const char *quantity, *first, *second; // names of the registry, separated by commas; how, and how else
  verify_class class;
  int cost;
  verify_fn* run;
  int max_nv;         // velocities; 0: any number
  const char* unless; // why it may not apply to a robot; NULL: it applies unless there is no mass
} verify_check;

extern const verify_check verify_dynamics[]; // closed by one without quantity
extern const verify_check verify_hybrid[];
extern const verify_check verify_motion[];
extern const verify_check verify_derivatives[];
extern const verify_check verify_lagrange[];
extern const verify_check verify_forms[];
extern const verify_check verify_loops[]; // of robots with loops
extern const verify_check verify_other_forms[];

// ---- robots with loops -----------------------------------------------------------------------------

// States that close the loops, the same robot with its loops cut elsewhere, and as a platform on legs.

enum {
  VERIFY_CUTS = 16, // max. number of other cuts
  VERIFY_KKT = 200  // velocities for which all equations are solved at once
};

// The robot with one loop cut elsewhere.
typedef struct verify_cut {
  limb_model* m;
  limb_data *tree, *d;     // of the spanning tree; with the loops closed
  double *q, *v, *a, *tau; // q owns the memory of all
} verify_cut;

struct verify_closed {
  limb_data* d;         // with the loops closed; verify's is of the spanning tree
  void* block;          // its memory
  limb_environment env; // as verify's, Coulomb friction smooth: differences go over its step
  int nc;               // constraints
  double* start;        // nq: closed
  // The state of verify's seed `seed`: q closed, v and a consistent, tau at joints with a motor.
  uint64_t seed;
  int made;
  limb_status status; // LIMB_OK if there is one
  limb_mobility mobility;
  double step; // of finite differences [s]: smaller where joints are fast, or a singularity is near
  double *q, *v, *a, *tau;
  // Forward dynamics under tau, by all equations at once up to VERIFY_KKT, and sizes of what cancels in it.
  double *acc, *lambda;
  double size_acc, size_force;
  // Scratch.
  double* memory;
  double *qt, *vt, *at, *x, *y, *z; // nq, then nv each
  double *row, *other, *rate;       // nc each
  double* Psi;                      // nc x nv, but for large robots
  unsigned char* mark;              // nv
  sp_force* loads;                  // one per loop
  // Created on first use.
  int ncut, cuts_made;
  limb_model* pinned; // planar loops closed by pins, which can be exchanged with joints; NULL: none
  limb_data* pinned_data;
  verify_cut cut[VERIFY_CUTS];
  limb_parallel* platform;
  int platform_made;
};

// The closed state that belongs to verify's. LIMB_OK, or why there is none.
limb_status verify_close(verify* t);

// Chooses the method of forward dynamics with the loops closed, and keeps multipliers; copies them (nc).
limb_status verify_multipliers(verify_closed* c, limb_loop_method method);
void verify_get_multipliers(const verify_closed* c, double* lambda);

// Frees the robots that are cut elsewhere, and the platform.
void verify_free_cuts(verify_closed* c);

// 1 unless matrices of the whole robot would be too large.
int verify_is_dense(const limb_model* m);

#endif
