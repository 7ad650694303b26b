// Common parts of controllers.
#ifndef LIMB_CONTROL_IMPL_H
#define LIMB_CONTROL_IMPL_H

#include "limb/control.h"

// Arrays in the caller's `work`.
typedef struct control_work {
  double *e, *e1, *a;    // nv: errors, and the acceleration of the goal
  double *x, *y;         // nv: scratch
  double *J, *Jbar;      // 6 x nv, nv x 6
  double* task;          // of limb_task_dynamics
  unsigned char* active; // nv: 1 where there is a motor
} control_work;

control_work limb_control_lay_out(const limb_model* m, double* work);

// A joint controller: its checked arguments, and the errors.
typedef struct controller {
  const limb_model* m;
  int nv;
  int passive; // velocities without a motor
  limb_control c;
  control_work r;
} controller;

limb_status limb_control_begin(const limb_model* m, const double* q, const double* v, const limb_goal* goal,
                               const limb_control* control, double* work, controller* out);

// Marks the velocities with motors and counts those without.
limb_status limb_control_mark(const limb_model* m, unsigned char* active, int* passive);

// Checks that nv gains are finite and not negative; NULL is accepted.
limb_status limb_control_check_gains(const limb_model* m, const double* gain);

// Adds kp e + kd e1 to x where there is a motor; everywhere if active is NULL.
void limb_control_add_pd(const controller* t, const unsigned char* active, double* x);

// Checks that torques are finite, and limits them if requested.
limb_status limb_control_finish(const limb_model* m, int saturate, double* tau);

#endif
