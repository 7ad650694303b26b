// The builder behind the opaque type.
#ifndef LIMB_BUILDER_IMPL_H
#define LIMB_BUILDER_IMPL_H

#include "limb/edit.h"

#include "model/model_impl.h"

// A table of names that grows with the builder.
typedef struct builder_names {
  limb_names table;
  size_t capacity; // of table.slot
} builder_names;

struct limb_builder {
  limb_allocator alloc;
  char* name; // owned, like every name below
  sp_vec3 gravity;
  double loop_tolerance;
  limb_body_def* body; // [0] is the world, named "world"
  int nbody, body_cap;
  limb_joint_def* joint; // checked: finite, axes normalised, rotations orthonormal
  int njoint, joint_cap;
  limb_frame* frame;
  int nframe, frame_cap;
  limb_shaft_def* shaft; // checked
  int nshaft, shaft_cap;
  unsigned char* driven; // 1: a shaft drives that joint; of the first driven_cap joints
  int driven_cap;
  limb_tendon_def* tendon; // checked; lists owned
  int ntendon, tendon_cap;
  limb_loop_def* loop; // checked
  int nloop, loop_cap;
  limb_shape_def* shape; // checked; texts owned
  int nshape, shape_cap;
  const struct limb_loop_calls* loop_calls; // set with the first loop: programs without loops do not link them
  builder_names body_names, joint_names, frame_names, loop_names;
};

// model/builder.c: limb_sized_read for the definition of a kind ("joint"), with an error message.
limb_status limb_read_def(void* own, const void* given, size_t size, size_t min_size, const char* kind,
                          limb_error* err);

// model/builder.c: a name of one's own, NULL when out of memory; whether there is a name, and where = "joint
// 'elbow'" for the sentences that follow; capacity of a table for one more name than count (false: out of memory,
// with the table untouched); get(b, i) returns its names.
char* limb_copy_name(const limb_allocator* a, const char* name);
limb_status limb_check_name(const char* name, const char* kind, int index, char where[sizeof((limb_error*)0)->where],
                            limb_error* err);
bool limb_reserve_name(limb_builder* b, builder_names* names, int count, limb_name_fn* get);

// model/builder.c: takes back the body or joint that was added last; nothing else knows of it yet.
void limb_drop_body(limb_builder* b);
void limb_drop_joint(limb_builder* b);

// model/notation.c: adds a massless body "NAME.axis", and the fixed joint "NAME.offset" that carries body NAME at X.
limb_status limb_builder_add_axis(limb_builder* b, const char* name, int body, sp_pose X, int* axis);

// model/tendons.c: frees the tendons.
void limb_free_tendons(limb_builder* b);

// model/shapes.c: frees the shapes; adds those of another builder to bodies body_at[its body] (-1: left out), those on
// its world at a pose.
void limb_free_shapes(limb_builder* b);
limb_status limb_copy_shapes(limb_builder* to, const limb_builder* from, const int* body_at, sp_pose on_world);

// model/builder_parts.c: name of the i-th loop of a builder; number of constraints of a loop that passed the checks.
const char* limb_builder_loop_name(const void* b, int i);
int limb_loop_rows(const limb_loop_def* def);

// model/edit_root.c: the joint seen from its child, its placement aside. False: its rotors or friction would depend on
// its pose.
bool limb_turn_joint(const limb_joint_def* def, limb_joint_def* out);

// model/compile.c: the body of limb_builder_build, arguments checked.
limb_status limb_compile(const limb_builder* b, limb_model** out, limb_error* err);

// ---- what the builder asks of a definition before it takes it in --------------------------------------------

// Checks all of a joint but its name and brings it into the form that the compiler relies on: unit
// axes, orthonormal rotation; a planar joint's axis2 is the first direction (unit, in the plane, also
// where the user left it zero), so that the second is axis x axis2; types that ignore an axis get the
// default one. self is the index the joint is going to have.
limb_status limb_check_joint(const limb_builder* b, int self, limb_joint_def* def, const char* where, limb_error* err);

// Whether a joint that a shaft or a loop (user, as in "a shaft") names as its `end` is there and has one
// degree of freedom.
limb_status limb_check_one_dof(const limb_builder* b, int joint, const char* end, const char* user, const char* where,
                               limb_error* err);

// Whatever limb_shaft_def rules out.
limb_status limb_check_shaft(const limb_builder* b, const limb_shaft_def* def, const char* where, limb_error* err);

// Finite and a rotation, within 1e-6; made orthonormal if it is off by more than rounding.
limb_status limb_check_pose(sp_pose* pose, const char* where, limb_error* err);

#endif
