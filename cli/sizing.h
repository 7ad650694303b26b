// The sizing table of a trajectory: what each joint must deliver, and what load it must carry.
//
// Integrals over time are taken with the actual steps between rows: trapezoids of tau^2, and of the power
// tau v, whose positive and negative parts are separated where the line between two rows crosses zero.
// Memory does not grow with the number of rows.
#ifndef LIMB_CLI_SIZING_H
#define LIMB_CLI_SIZING_H

#include "dofs.h"
#include "robot.h"

#include <stdio.h>

// The largest magnitude of something, when it was, and what went with it.
typedef struct sizing_peak {
  double value; // with its sign
  double time;
  double other; // torque: speed at that time; speed: torque at that time
} sizing_peak;

// One degree of freedom.
typedef struct sizing_dof {
  sizing_peak torque, speed, power;
  double torque_square; // integral of tau^2
  double done, taken;   // work by the actuator, and work on it, both >= 0 [J]
  double q_least, q_most, q_least_time, q_most_time;
  int has_q;                // 0: a component of a rotation, which has no range
  double q_min, q_max;      // limits; infinite when there are none
  double v_max, effort_max; // the same
  double last_torque, last_power;
} sizing_dof;

// One joint: the wrench it transmits, in its own axes at its origin, at the largest force and moment. One
// closure: the wrench on its frame b, from a, in the axes of a at the origin of b.
typedef struct sizing_load {
  double force, force_time, moment, moment_time;
  sp_force at_force, at_moment;
} sizing_load;

// A joint that follows another: its motion is that of its leader's coordinate, times multiplier, plus offset.
// What its limits are measured by; its torque is part of the leader's.
typedef struct sizing_follower {
  cli_dof dof;       // its name and unit
  int leader;        // degree of freedom
  sizing_dof motion; // speed.value, speed.time, positions and their limits, v_max
} sizing_follower;

typedef struct cli_sizing {
  const limb_model* model;
  const cli_dofs* dofs;
  uint64_t rows;
  double start, end; // time of the first and the last row
  sizing_dof* dof;   // nv
  sizing_load* load; // one per joint of the model
  sizing_load* loop; // one per loop
  int* q_index;      // of each degree of freedom
} cli_sizing;

// 1, or 0 when memory runs out. model and dofs must outlive it.
int cli_sizing_make(cli_sizing* s, const limb_model* model, const cli_dofs* dofs);
void cli_sizing_free(cli_sizing* s);

// What one row brings.
typedef struct sizing_row {
  double time;
  const double *q, *v, *tau;
  const sp_force* load; // of the joints, as limb_joint_reactions and limb_closed_loads give it for LIMB_BODY
  const sp_force* loop; // of the closures, by limb_closed_loads; NULL: there are none
} sizing_row;

void cli_sizing_add(cli_sizing* s, const sizing_row* row);

// Derived figures. Mean power is that of |tau v|.
double cli_sizing_duration(const cli_sizing* s);
double cli_sizing_rms(const cli_sizing* s, int k);
double cli_sizing_mean_power(const cli_sizing* s, int k);

// Follower number k, from 0 on; 0 when there are no more.
int cli_sizing_follower(const cli_sizing* s, int k, sizing_follower* out);

// 1 when a loop transmits a wrench: gears and polynomials act along the axes of joints, whose loads have it.
int cli_sizing_has_wrench(const cli_sizing* s, int loop, limb_loop_info* out);

// Room to the nearer limit of the position: negative beyond it, infinite without limits.
double cli_sizing_room(const sizing_dof* d);

// Prints the table. format: "text", "json" or "csv". EXIT_FINE, or EXIT_USAGE after a message.
int cli_sizing_print(const cli_sizing* s, const cli_robot* robot, const char* format, const char* trajectory,
                     FILE* out);

#endif
