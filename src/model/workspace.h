// Workspace of the kernels, for any scalar type: one layout, measured and laid out by one function.
#ifndef LIMB_WORKSPACE_H
#define LIMB_WORKSPACE_H

#include "base/memory.h"
#include "model/dof_table.h"
#include "model/model_impl.h"

enum {                  // sizes in scalars
  LIMB_WS_PAD = 8,      // sincos works on whole blocks: q, c and s are that much longer
  LIMB_WS_POSE = 12,    // rotation matrix and offset of a ball or free joint
  LIMB_WS_FORCE = 6,    // spatial force
  LIMB_WS_STATE = 9,    // angular velocity, angular and linear acceleration
  LIMB_WS_ABA = 18,     // what ABA keeps of a one-dof link
  LIMB_WS_ABA_AUX = 21, // and of a ball or free one
  LIMB_WS_PARTLY = 42,  // the same with given accelerations
  LIMB_WS_ARTIC = 27    // articulated inertia and bias force
};

typedef struct limb_ws {
  void* q;              // nlink: joint coordinate (angle or displacement)
  void* c;              // nlink: its cosine
  void* s;              // nlink: its sine
  void* dense;          // naux
  void* v;              // ncdof: joint velocities in compiled order
  void* a;              // ncdof: joint accelerations
  void* tau;            // ncdof: joint forces
  void* force;          // 1 + nlink: the world's, then the links'
  void* state;          // nlink: of links whose state must be kept
  double* base;         // nroot states of the base frames; double, but for symbols (base3)
  int base_turns;       // 0: none of them turns or starts to turn
  void* aba;            // nlink
  void* aba_aux;        // naux
  void* partly;         // naux
  unsigned char* given; // ncdof: LIMB_FORCE_GIVEN or not, in compiled order
  void* columns;        // ncdof forces, whole blocks of them: columns of the mass matrix on their way
  void* artic;          // nlink: of links with more than one child
  limb_dof_table table;
  void* packed; // rows of L'DL, when the model wants them at hand (see limb_ws_packed)
} limb_ws;

// Scalars of packed factor storage that the workspace holds; 0: none.
size_t limb_ws_packed(const limb_model* m);

void limb_ws_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_ws* out);

// The part that kinematics and the recursive Newton-Euler kernel need: all before aba.
void limb_ws_lay_out_recursion(limb_arena* a, const limb_model* m, size_t scalar, limb_ws* out);

#endif
