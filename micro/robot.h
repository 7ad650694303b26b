// A robot as constant tables, with states and the host's answers: written by describe.c, a program of the
// host, at build time.
#ifndef LIMB_MICRO_ROBOT_H
#define LIMB_MICRO_ROBOT_H

#include "limb/dynamics.h"

typedef struct micro_robot {
  const char* name;
  sp_vec3 gravity;
  int bodies, joints;        ///< without the world
  const limb_body_def* body; ///< body k + 1 of the model is body[k]
  const limb_joint_def* joint;
  int nq, nv, states;
  const double *q, *v, *a; ///< states times nq, nv, nv
  const double* tau;       ///< states times nv: inverse dynamics of q, v, a
  const double* M;         ///< states times nv nv: mass matrices
  const double* drive;     ///< states times nv: forces,
  const double* free;      ///< states times nv: and forward dynamics of q, v, drive
} micro_robot;

extern const micro_robot micro_panda, micro_quadruped;

#endif
