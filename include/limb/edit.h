// limb: robot dynamics in C. Change a robot: lock joints, carry loads, attach, remove, hold it by another link.
//
//     limb_builder* b = NULL;
//     limb_error err;
//     const sp_inertia load = limb_inertia_point(5);
//     if (limb_builder_from_model(arm, NULL, &b) != LIMB_OK) return 1;
//     if (limb_builder_lock(b, limb_builder_find_joint(b, "finger"), NULL, &err) != LIMB_OK ||
//         limb_builder_add_payload(b, "load", "flange", NULL, &load, &err) != LIMB_OK ||
//         limb_builder_build(b, &changed, &err) != LIMB_OK)
//       printf("%s: %s\n", err.where, err.text);
//     limb_builder_destroy(b);
//
// Each call changes a builder (limb/builder.h), which comes from a file (limb_reading_builder), from a model
// (limb_builder_from_model) or from a program. A call that fails leaves it unchanged. What a call removes leaves no
// gap: later bodies, joints, frames and loops move up, so find them again by name. Names in definitions that were
// asked for before a call are not valid after it. Each call takes O(n).
//
// All of them return LIMB_OK; LIMB_E_ARG (NULL, no such body, joint or frame, a number that is not finite, a name that
// exists); LIMB_E_MODEL (the change contradicts the rest of the robot: err says what); LIMB_E_NOMEM.
#ifndef LIMB_EDIT_H
#define LIMB_EDIT_H

#include "limb/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fixes a joint at a configuration. Joints that mimic it are fixed where it holds them, as is the one that it mimics,
/// and the other joint of a gear or polynomial. A shaft with one locked end becomes a spring and a damper at the other.
/// Closures between bodies that are then rigidly connected must be closed, to 1e-7 or the tolerance of loops, and are
/// removed. The dynamics of the other joints are those of the robot with this joint held at q.
/// @param q  nq numbers of its type; NULL: where it starts (limb_joint_def.start; zero, or no rotation)
LIMB_NODISCARD LIMB_API limb_status limb_builder_lock(limb_builder* b, int joint, const double* q, limb_error* err);

/// Replaces a joint by a fixed one that holds its child at a pose in its parent. The other rules are those of
/// limb_builder_lock; a joint that mimics it or is geared to it is an error, as no coordinate is known.
LIMB_NODISCARD LIMB_API limb_status limb_builder_weld(limb_builder* b, int joint, sp_pose pose, limb_error* err);

/// Removes a body with everything that it carries: bodies, joints, frames, and shafts and loops that end there. A
/// joint that stays and mimics one that goes is an error: lock it first.
LIMB_NODISCARD LIMB_API limb_status limb_builder_remove(limb_builder* b, int body, limb_error* err);

/// What has a name. Values are pinned.
typedef enum limb_part_kind {
  LIMB_PART_BODY = 0,
  LIMB_PART_JOINT = 1,
  LIMB_PART_FRAME = 2,
  LIMB_PART_LOOP = 3
} limb_part_kind;

/// Gives a body (not the world), joint, added frame or loop another name.
LIMB_NODISCARD LIMB_API limb_status limb_builder_rename(limb_builder* b, limb_part_kind part, int index,
                                                        const char* name, limb_error* err);

/// How the robot stands on the world: LIMB_FIXED, LIMB_PLANAR (in the plane normal to z, passive) or LIMB_FREE.
///
/// A single joint on the world of one of these types is the base, and is replaced by one of the given type. Otherwise
/// the joints of the robot begin at the world itself: they, and the frames and loops there, move to a body "ground"
/// without mass, on a joint "base". Free joints stay.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_base(limb_builder* b, limb_joint_type type, limb_error* err);

/// Makes another body the root: the joints between it and the base are turned round. Bodies, frames and joints keep
/// their names, and bodies their frames.
///
/// A robot with a free base is the same robot in other coordinates: those of the base are now the pose and twist of the
/// new root. A fixed base holds the new root instead, where it held the old one: the arm stands on its hand. A robot
/// whose joints begin at the world gets a ground first, as by limb_builder_set_base. Other bases are LIMB_E_MODEL.
///
/// A joint that is turned round keeps its coordinate, if it has one, with the axis in the opposite direction; a
/// universal joint has its coordinates in reverse order, spherical and planar joints that of the inverse motion. Where
/// an axis would miss the origin of the body that is now behind it, a massless body "NAME.axis" and a fixed joint
/// "NAME.offset" stand in between. limb_recut_state (limb/assemble.h) converts states.
LIMB_NODISCARD LIMB_API limb_status limb_builder_reroot(limb_builder* b, int body, limb_error* err);

/// Puts a copy of another robot on a body: what stands on its world is then on `frame`. Free joints of the other robot
/// on its world become fixed. Gravity and name are those of b.
/// @param frame   a body or frame of b by name
/// @param prefix  put before each name of the other robot; NULL: "". A fixed joint on its world whose name exists is
///                called after the body it carries: "NAME_mount"
LIMB_NODISCARD LIMB_API limb_status limb_builder_attach(limb_builder* b, const char* frame, const limb_builder* other,
                                                        const char* prefix, limb_error* err);

/// Fixes a body to a body or frame by name: a load. Its joint is called "NAME_joint".
/// @param pose  of its frame in `frame`; NULL: the same
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_payload(limb_builder* b, const char* name, const char* frame,
                                                             const sp_pose* pose, const sp_inertia* Y, limb_error* err);

/// Replace a definition: what limb_builder_get_... returned, with other members. The whole robot is checked again.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_body(limb_builder* b, int body, const limb_body_def* def,
                                                          limb_error* err);
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_joint(limb_builder* b, int joint, const limb_joint_def* def,
                                                           limb_error* err);
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_frame(limb_builder* b, int frame, const limb_frame_info* def,
                                                           limb_error* err);
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_shaft(limb_builder* b, int shaft, const limb_shaft_def* def,
                                                           limb_error* err);
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_loop(limb_builder* b, int loop, const limb_loop_def* def,
                                                          limb_error* err);

#ifdef __cplusplus
}
#endif

#endif
