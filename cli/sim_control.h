// A controller of a simulation: what its files share.
#ifndef LIMB_CLI_SIM_CONTROL_H
#define LIMB_CLI_SIM_CONTROL_H

#include "sim_job.h"

typedef enum sim_controller { SIM_PD_GRAVITY, SIM_COMPUTED_TORQUE, SIM_IMPEDANCE, SIM_FEEDFORWARD } sim_controller;

extern const char* const sim_controller_names[]; // by value, closed by NULL

struct sim_control {
  sim_job* job;
  sim_controller type;
  limb_environment env; // what the law knows of the world
  int saturate;
  double *kp, *kd; // nv; of impedance those of the posture

  // References: formulas and a table put their values here.
  double *q, *v, *a;
  double position[3], orientation[4], velocity[6], acceleration[6];
  sim_formulas formulas;
  double** to;     // of each formula
  sim_table table; // 0 ... nq - 1: q, then v, then a
  int* rate_of;    // per column: velocity that is its derivative; -1: none

  // Of impedance.
  int frame;
  limb_ref axes;
  unsigned directions;
  double stiffness[6], resistance[6], inertia[6];
  int shaped, posture;

  limb_loops* loops; // NULL: a tree
  double *work, *tau;
};

// sim_gains.c: gains and settings; references. An exit code, after a message.
int sim_read_gains(sim_job* job, sim_control* c);
int sim_read_reference(sim_job* job, sim_control* c);

#endif
