// What the files of geometric parameters share.
#ifndef LIMB_GEOMETRY_IMPL_H
#define LIMB_GEOMETRY_IMPL_H

#include "limb/derivatives.h"

#include "model/builder_impl.h"

// Elementary motions: turns about and shifts along the axes.
enum { RX, RY, RZ, PX, PY, PZ };

enum { LIMB_GEOMETRY_WRENCHES = 256 };

typedef struct geometry_parameter {
  int joint;  // of the model
  int motion; // elementary
  int word;   // its name
  double value;
  int extra;  // the joint that stands for it
  int column; // its velocity
} geometry_parameter;

struct limb_geometry {
  limb_allocator alloc;
  const limb_model* m;
  limb_form form;
  int np, nq, nv;
  geometry_parameter* parameter; // np
  char** name;                   // np
  size_t memory_size;            // of the block that begins with parameter
  int* first;                    // per joint: its first parameter; -1: none
  limb_model* extended;          // with a joint per parameter
  limb_data* d;
  int wide;          // velocities of the extended robot
  double *q, *v, *a; // of the extended robot
  double *unit, *matrix;
  sp_motion* column;
  size_t state_size;
  int* core; // POE, while building: per body, what the joints behind it are attached to
  limb_wrench wrench[LIMB_GEOMETRY_WRENCHES];
};

sp_pose limb_elementary(int motion, double x);
sp_pose limb_turn_and_shift(int turn, double angle, double shift); // about and along one axis

// 1 for joints whose motion is exp of one screw.
bool limb_has_screw(limb_joint_type type);

// MDH: turns a joint frame so that z is on the axis.
sp_pose limb_onto_axis(const limb_joint_def* def);

// The joint "NAME.offset" behind the auxiliary body that a joint moves (-1: there is none), and the body behind it.
int limb_offset_joint(const limb_model* m, int joint);
int limb_far_child(const limb_model* m, int joint);

// Where a body is with all joints at 0.
sp_pose limb_home_of(const limb_model* m, int body);

#endif
