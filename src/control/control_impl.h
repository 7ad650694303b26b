// What control laws share.
#ifndef LIMB_CONTROL_IMPL_H
#define LIMB_CONTROL_IMPL_H

#include "limb/control.h"

// Places in the caller's `work`.
typedef struct control_room {
  double *e, *e1, *a;    // nv: errors, and the acceleration of the goal
  double *x, *y;         // nv: what a law needs besides
  double *J, *Jbar;      // 6 x nv, nv x 6
  double* task;          // of limb_task_dynamics
  unsigned char* active; // nv: 1 where a motor is
} control_room;

control_room limb_control_lay_out(const limb_model* m, double* work);

// What a law of joints begins with: its arguments, checked, and the errors.
typedef struct control_law {
  const limb_model* m;
  int nv;
  int passive; // velocities without motor
  limb_control c;
  control_room r;
} control_law;

limb_status limb_control_begin(const limb_model* m, const double* q, const double* v, const limb_goal* goal,
                               const limb_control* control, double* work, control_law* out);

// Marks the joints with motors, and says how many velocities have none.
limb_status limb_control_mark(const limb_model* m, unsigned char* active, int* passive);

// nv gains that are finite and not negative; NULL is fine.
limb_status limb_control_check_gains(const limb_model* m, const double* gain);

// Adds kp e + kd e1 to x where there is a motor; active NULL: everywhere.
void limb_control_add_pd(const control_law* t, const unsigned char* active, double* x);

// What all laws end with: torques that are finite, and within their limits if asked for.
limb_status limb_control_finish(const limb_model* m, int saturate, double* tau);

#endif
