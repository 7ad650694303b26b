// Compiling a builder into a model: the draft that the steps hand to each other.
//
//   tree.c       bodies parents first, fixed bodies to their carriers, mimic chains resolved
//   links.c      links in depth-first order, one elementary joint each, z on the axis; link frames and joint classes
//                (modified Denavit-Hartenberg where the axes allow it)
//   tendons.c    shafts and tendons as couplings of joints
//   clusters.c   constraints of the loops, their cut frames on the links; loops that share joints
//   regroup.c    link inertias, and their regrouping towards the root
//   eliminate.c  elimination order of the mass matrix
//   report.c     what was merged, lowered, regrouped, and what looks wrong
#ifndef LIMB_COMPILE_IMPL_H
#define LIMB_COMPILE_IMPL_H

#include "base/memory.h"
#include "model/builder_impl.h"
#include "model/model_impl.h"

enum { MAX_STEPS = 3 }; // elementary joints of one joint

// An elementary joint before its frame is chosen.
typedef struct limb_draft_link {
  sp_pose joint_frame; // z on the axis, in the parent's draft frame (roots: in the world)
  double phi, slide;   // link frame = draft frame turned about and moved along z
  double foot;         // where on its own axis the common normal with the parent's axis ends
  int main;            // the child whose axis decides the frame; -1: none
} limb_draft_link;

// Temporary arrays, freed when compiling ends. Bodies and joints are the builder's.
typedef struct limb_draft {
  const limb_builder* b;
  int* body_joint;        // nbody: joint that moves the body; -1: world
  int* carrier;           // nbody
  sp_pose* in_carrier;    // nbody: pose in the carrier's body frame
  int* body_order;        // nbody
  int* child_start;       // nbody + 1: joints that leave a carrier, as slices of child
  int* child;             // njoint: moving joints by carrier
  int* key;               // njoint: what the joints are being sorted by
  int* stack;             // nbody + njoint
  limb_draft_link* link;  // one per elementary joint, in depth-first order
  limb_moments* grouped;  // nlink: inertia while parameters travel to the parents
  sp_pose* body_in_draft; // nbody: carrier's body frame in its last link's draft frame
  int nlink, ncdof, naux, nroot, nq, nv;
  size_t text; // bytes of all names
} limb_draft;

// Elementary joints of a joint: joint class (a CLASS_ value) and axis in the joint frame.
typedef struct limb_step {
  uint8_t joint_class;
  sp_vec3 axis;
} limb_step;

// Fills steps and returns their number; 0 for a fixed joint.
int limb_joint_steps(const limb_joint_def* def, limb_step steps[MAX_STEPS]);

// A rotation with the given unit vector as third column; a signed permutation, free of rounding, when the vector is
// along an axis.
sp_mat3 limb_rotation_onto(sp_vec3 n);

limb_status limb_draft_tree(limb_draft* t, limb_error* err);
limb_status limb_resolve_mimic(const limb_draft* t, limb_model* m, limb_error* err);
void limb_lower(limb_draft* t, limb_model* m);
void limb_reframe(limb_draft* t, limb_model* m);
void limb_regroup(limb_draft* t, limb_model* m);

// The couplings (tendons.c): memory for them, with the lists of the tendons, then their numbers.
void limb_lay_out_couplings(limb_arena* a, const limb_builder* b, limb_model* m);
void limb_set_couplings(limb_model* m);

// Compiled minus described coordinate of a joint with one degree of freedom: link frames choose their own zero.
static inline double limb_shift_of(const limb_model* m, const limb_joint* joint)
{
  return m->k64[joint->link].off - joint->offset;
}

limb_status limb_attach_loops(limb_model* m, limb_error* err);
void limb_lay_out_row_runs(limb_arena* a, int nv, limb_elimination* e);
limb_status limb_eliminate(limb_model* m);
// Robots with more velocities are judged only where they are computed.
enum { LIMB_WEIGHTLESS_MAX = 200 };

limb_status limb_find_weightless(limb_model* m);
void limb_set_doubts(limb_model* m, limb_moments* carried); // nlink: scratch
limb_status limb_write_notes(limb_model* m);

// Pose of link i in its parent with the joint coordinate at zero (regroup.c).
sp_pose limb_rest_pose(const limb_model* m, int i);

#endif
