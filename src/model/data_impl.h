// The workspace behind the opaque type.
#ifndef LIMB_DATA_IMPL_H
#define LIMB_DATA_IMPL_H

#include "base/memory.h"
#include "model/model_impl.h"
#include "model/workspace.h"

struct limb_loops;

// Motion of every link, as the kinematics kernel leaves it.
typedef struct limb_link_motion {
  sp_pose* X;     // pose in the world
  sp_motion* v;   // velocity, link axes and origin
  sp_motion* a;   // spatial acceleration, link axes and origin
  sp_motion* a_v; // its part without joint accelerations (a = 0)
} limb_link_motion;

// A link with all it carries, world axes, about the link's origin.
typedef struct limb_carried {
  sp_force h, f; // momentum and its rate
  sp_mat3 N;     // sum of m u x' over its particles: velocity u, place x
} limb_carried;

enum { LIMB_HAS_POSES = 1, LIMB_HAS_VELOCITIES = 2, LIMB_HAS_ACCELERATIONS = 4 };

struct limb_data {
  const limb_model* m;
  limb_memory memory;
  limb_ws ws;                         // kernels
  const struct limb_kernels* kernels; // for this processor; set by the first call that needs them
  bool base_is_default;               // ws.base holds the default environment
  limb_link_motion motion;            // what limb_kinematics computed; read by the kinematics calls
  unsigned have;                      // which parts of motion are valid
  limb_link_motion own;               // the same for dynamics calls, which must not disturb the user's
  sp_force* body_force;               // nbody; joint reactions
  sp_force* link_force;               // nlink: external wrenches, link axes and origin; all zero between calls
  limb_moments* composite;            // nlink: scratch of the momentum matrix
  limb_carried* carried;              // nlink: scratch of the momentum's derivatives
  unsigned char* inverse;             // nv marks of the inverse problem: limb_given_for_passive
  unsigned char* base;                // nv marks of the base: limb_given_for_base
  double* user_v;                     // nv: scratch in the user's order
  double* zeros;                      // nv zeros
  double *probe, *probe_x, *probe_a;  // nv each: scratch of limb_is_regular
  double *probe_tau, *probe_q;        // nv, 2 nq
  double* probe_base;                 // nroot states of bases at rest, without gravity
  struct limb_loops* loops;           // robots with loops: what answers with them closed; NULL: there are none
  double *own_q, *own_v;              // robots with loops: the state of limb_kinematics,
  const double *q, *v;                // which these point to
};

// Calls that have no answer for a robot with loops refuse it: limb_spanning_tree() gives its tree.
static inline bool limb_has_loops(const limb_data* d) { return d && d->loops; }

#endif
