// The workspace behind the opaque type.
#ifndef LIMB_DATA_IMPL_H
#define LIMB_DATA_IMPL_H

#include "base/memory.h"
#include "model/dof_table.h"
#include "model/model_impl.h"

// ---- arrays of one scalar -----------------------------------------------------------------------------------

// Workspace of the kernels, for any scalar type: one layout, measured and laid out by one function.

enum {                  // sizes in scalars
  LIMB_WS_PAD = 8,      // sincos works on whole blocks: q, c and s are that much longer
  LIMB_WS_POSE = 12,    // rotation matrix and offset of a ball or free joint
  LIMB_WS_FORCE = 6,    // spatial force
  LIMB_WS_STATE = 9,    // angular velocity, angular and linear acceleration
  LIMB_WS_ABA = 18,     // what ABA keeps of a one-dof link
  LIMB_WS_ABA_AUX = 21, // and of a ball or free one
  LIMB_WS_PARTLY = 42,  // the same with given accelerations
  LIMB_WS_ARTIC = 27,   // articulated inertia and bias force
  LIMB_WS_LINK = 27     // what ABA, a regressor or momentum derivatives keep of a link, one of them at a time
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
  void* state;          // nkept: of links whose state must be kept
  double* base;         // nroot states of the base frames; double, but for symbols (base3)
  int base_turns;       // 0: none of them turns or starts to turn
  void* quaternions;    // robots with springs of ball joints: 4 naux
  void* cords;          // robots with cords: nlink poses and 2 ncdof numbers (kernel/cord_kernel.h)
  void* aba;            // nlink times LIMB_WS_LINK
  void* aba_aux;        // naux
  void* partly;         // naux
  unsigned char* given; // ncdof: LIMB_FORCE_GIVEN or not, in compiled order
  void* columns;        // ncdof forces, whole blocks of them: columns of the mass matrix on their way
  void* artic;          // nkept: of links with more than one child
  limb_dof_table table;
  void* packed; // rows of L'DL, when the model wants them at hand (see limb_ws_packed)
} limb_ws;

// Scalars of packed factor storage that the workspace holds; 0: none.
size_t limb_ws_packed(const limb_model* m);

void limb_ws_lay_out(limb_arena* a, const limb_model* m, size_t scalar, limb_ws* out);

// The part that kinematics and the recursive Newton-Euler kernel need: all before aba.
void limb_ws_lay_out_recursion(limb_arena* a, const limb_model* m, size_t scalar, limb_ws* out);

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

_Static_assert(sizeof(limb_carried) <= LIMB_WS_LINK * sizeof(double), "ws.aba holds them");

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
  limb_carried* carried;              // nlink: scratch of the momentum's derivatives, in ws.aba
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

// Workspaces without dense matrices, for who does not need them. limb_data_lean_size: bytes.
size_t limb_data_lean_size(const limb_model* m);
limb_status limb_data_init_lean(const limb_model* m, void* memory, size_t size, limb_data** out);

// Calls that have no answer for a robot with loops refuse it: limb_spanning_tree() gives its tree.
static inline bool limb_has_loops(const limb_data* d) { return d && d->loops; }

#endif
