// The description of a robot as arrays that a change works on: every change of limb/edit.h takes the builder apart,
// alters the arrays, and builds it again through the checks of limb/builder.h.
#ifndef LIMB_EDIT_IMPL_H
#define LIMB_EDIT_IMPL_H

#include "limb/edit.h"

#include "base/status.h"
#include "model/builder_impl.h"

typedef struct edit_tendon {
  limb_tendon_def def; // lists are those of the builder that it is from
  int shift;           // of its joints
  int bodies;          // shift of its bodies but the world
  int ground;          // what carries its world; -1: where the other robot is attached
} edit_tendon;

// Indices are those of the arrays, in which nothing moves; a part without a name, and a shaft whose joint is -1, is
// gone. Shafts, tendons and loops that end at what is gone go with it.
typedef struct edit {
  limb_builder* b;
  limb_error* err;
  limb_body_def* body;
  limb_joint_def* joint;
  limb_frame* frame;
  limb_shaft_def* shaft;
  edit_tendon* tendon;
  limb_loop_def* loop;
  int nbody, njoint, nframe, nshaft, ntendon, nloop;
  size_t body_cap, joint_cap, frame_cap, shaft_cap, tendon_cap, loop_cap;
  int *body_at, *joint_at;   // where they are in the builder that is built again
  int* joint_of;             // per body: the joint whose child it is; -1: none
  struct edit_text* text;    // names that were made up
  const limb_builder* other; // whose parts come behind; NULL: none
  int on_body;               // what carries the world of the other robot, at a pose
  sp_pose on_pose;
} edit;

// Takes a builder apart. more: bodies and joints, as a change may add; of `other` as well as many of each kind as it
// has (NULL: none). LIMB_OK or LIMB_E_NOMEM.
limb_status limb_edit_begin(edit* e, limb_builder* b, int more, const limb_builder* other, limb_error* err);

// Builds the robot again, if s is LIMB_OK, and frees the arrays. The builder is replaced if that succeeds.
limb_status limb_edit_end(edit* e, limb_status s);

// A name out of three parts; NULL when out of memory. With a number if a body, frame or joint has it already.
const char* limb_edit_text(edit* e, const char* a, const char* b, const char* c);
const char* limb_edit_new_name(edit* e, const char* a, const char* b);

// Appends a body or a joint. Its index; -1 if the name is NULL.
int limb_edit_add_body(edit* e, const char* name, const sp_inertia* Y);
int limb_edit_add_joint(edit* e, const limb_joint_def* def);

// After joints got other children.
void limb_edit_find_joints(edit* e);

// Tendons (edit_lock.c): of the builder and of another one, whose joints come behind; a joint held at q; built again.
limb_status limb_edit_take_tendons(edit* e, const limb_builder* other);
void limb_edit_hold_tendons(edit* e, int joint, double q);
limb_status limb_edit_add_tendons(const edit* e, limb_builder* to);

// The body or frame of a name, and its pose in the body.
limb_status limb_edit_find_frame(const edit* e, const char* name, int* body, sp_pose* pose);

// The constant tells the static analyzer that this is no success.
static inline limb_status limb_edit_no_memory(const edit* e)
{
  (void)limb_fail(e->err, LIMB_E_NOMEM, "robot", "out of memory");
  return LIMB_E_NOMEM;
}

#endif
