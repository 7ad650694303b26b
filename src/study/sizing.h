// Sizing: what is gathered row by row, and who gathers it.
#ifndef LIMB_STUDY_SIZING_H
#define LIMB_STUDY_SIZING_H

#include "limb/study.h"

typedef struct sizing_dof {
  int joint, component;
  int q; // index of its coordinate
  int has_position;
  limb_peak torque, speed, power;
  double torque_square; // integral of tau^2
  double delivered, absorbed;
  double q_min, q_max, q_min_time, q_max_time;
  double last_torque, last_power, last_speed;
  double moving; // time with a speed above MOVING
  limb_peak acceleration, deceleration, jerk;
  double last_acceleration;
} sizing_dof;

enum { AXIAL, RADIAL, TILTING, COMPONENTS };

// The bearing of a joint with one axis.
typedef struct sizing_bearing {
  int kind;    // 0: none; 1: turns; 2: slides
  int leader;  // velocity that moves it,
  double rate; // and by how much
  sp_vec3 axis;
  double peak[COMPONENTS], cubes[COMPONENTS]; // int F^3 |ds|
  double last[COMPONENTS], last_speed;
  double travel;
} sizing_bearing;

// A motor; all integrals are by trapezoids.
typedef struct sizing_motor {
  int set;
  limb_gearmotor data;
  double model_rotor; // I_a
  limb_peak torque, speed, power, output, envelope;
  double envelope_torque; // |tau_m| at the peak of the envelope
  double torque_square, overload;
  double delivered, absorbed, travel; // int |w_m|
  double cubes;                       // int |tau_o|^3 |v|
  double last_speed, last_torque, last_output;
  double last_load; // tau_m by the rated torque at its speed
} sizing_motor;

// What the robot exerts on its foundation.
typedef struct sizing_base {
  limb_data* data;    // NULL: nothing is on the world
  limb_status status; // of the kinematics of all rows
  sp_vec3 point;
  limb_sizing_load load;
  double min[6], max[6], across, tilting;
} sizing_base;

struct limb_sizing {
  const limb_model* model;
  int nv;
  uint64_t rows;
  double start, end;       // time of the first and the last row
  sizing_dof* dof;         // nv
  limb_sizing_load* load;  // one per joint
  limb_sizing_load* loop;  // one per loop
  sizing_bearing* bearing; // one per joint
  sizing_motor* motor;     // nv
  double safety;           // for torques
  limb_sizing_total total;
  double last_total; // sum of powers
  sizing_base base;
};

// sizing.c: the value with the largest magnitude
void sizing_keep_peak(limb_peak* p, int first, double time, double value, double other);

// Integrals over a step dt in which x goes in a straight line from x0 to x1: of what is above zero and of what is
// below; of the square. How long |x| is above a bound.
void sizing_add_energy(double dt, double p0, double p1, double* delivered, double* absorbed);
double sizing_square(double dt, double x0, double x1);
double sizing_above(double dt, double x0, double x1, double bound);

void sizing_add_load(limb_sizing_load* l, int first, double time, const sp_force* w);

// sizing_motor.c, sizing_base.c
void sizing_add_motors(limb_sizing* s, const limb_sizing_row* row, int first, double dt);
limb_status sizing_open_base(limb_sizing* s);
void sizing_add_base(limb_sizing* s, const limb_sizing_row* row, int first);

#endif
