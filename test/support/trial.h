// A fixture robot in a random state: what every identity is tried on.
//
//     static void bias_at_rest_is_gravity(trial* t) { ... }
//     START_TEST(bias) { trial_over(_i, TRIAL_STATES, bias_at_rest_is_gravity); }
#ifndef LIMB_TEST_TRIAL_H
#define LIMB_TEST_TRIAL_H

#include "support/check.h"
#include "support/rng.h"
#include "support/robots.h"

enum {
  TRIAL_STATES = CHECK_SANITIZED ? 10 : 100, // per robot; memory is used alike in all of them
  TRIAL_FEW = 3,                             // of a long chain, under a sanitizer or where trial_enough is asked
  TRIAL_LONG = 10,                           // of a long chain, unless all is to be tried
  TRIAL_WRENCHES = 3
};

typedef struct trial {
  const robot* robot;
  limb_model* m;
  limb_data* d;
  int nq, nv, nbody, nframe;
  int state;                          // its number
  rng r;                              // for what the test itself draws
  double *q, *v, *a;                  // random; v in [-2, 2], a in [-5, 5]
  limb_wrench wrench[TRIAL_WRENCHES]; // in BODY, WORLD and ALIGNED, on random frames
  limb_environment env;               // default, with these wrenches
  double solve;                       // tolerance of quantities that invert M
  void* block[128];                   // scratch, freed after the state
  int nblock;
} trial;

typedef void trial_fn(trial* t);

// How many robots there are: the number of loops of a test.
int trial_robots(void);

// Calls f for `states` random states of the robot of that index; for fewer of a long chain.
void trial_over(int index, int states, trial_fn* f);

// n zeros (at least one), valid until the state is done.
double* trial_doubles(trial* t, size_t n);
sp_motion* trial_motions(trial* t, size_t n);
sp_force* trial_forces(trial* t, size_t n);
sp_vec3* trial_vec3s(trial* t, size_t n);
sp_pose* trial_poses(trial* t, size_t n);

// The same environment with a random motion of the base.
limb_environment trial_moving_base(trial* t);

// True for robots on which work that grows with the cube of nv, or a list of all frames times nv,
// may be done.
int trial_small(const trial* t);

// True for a long chain from its fourth state on: spares work that grows with the cube of nv.
int trial_enough(const trial* t);

// y = A x for a rows x columns matrix.
void trial_times(const double* A, const double* x, int rows, int columns, double* y);

#endif
