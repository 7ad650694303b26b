// Joints by what they have.
#ifndef LIMB_IO_JOINTS_H
#define LIMB_IO_JOINTS_H

#include "limb/builder.h"

// One coordinate: limits, drive, friction and mimics are for these.
static inline int one_dof(limb_joint_type type)
{
  return type == LIMB_REVOLUTE || type == LIMB_PRISMATIC || type == LIMB_HELICAL;
}

// Of these, the coordinate is an angle.
static inline int turns(limb_joint_type type) { return type == LIMB_REVOLUTE || type == LIMB_HELICAL; }

// A direction: limb_joint_def.axis counts.
static inline int has_axis(limb_joint_type type)
{
  return type != LIMB_FIXED && type != LIMB_SPHERICAL && type != LIMB_FREE;
}

#endif
