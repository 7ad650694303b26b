// A sketch with its names resolved: what sketch_check.c finds out and sketch_build.c uses.
#ifndef LIMB_SKETCH_IMPL_H
#define LIMB_SKETCH_IMPL_H

#include "base/names.h"
#include "io/sketch.h"

#define SKETCH_RENAMED "world_link" // what a body called "world" is called that is not the world

enum {
  SKETCH_WORLD = -1, // as a body: the world
  SKETCH_NONE = -2   // no body, no joint
};

// A loop with its names resolved.
typedef struct sketch_closure {
  int body[2];     // of a and b: body, SKETCH_WORLD or SKETCH_NONE
  sp_pose pose[2]; // in those bodies
  int joint[2];    // joint and other, or SKETCH_NONE
} sketch_closure;

typedef struct sketch_links {
  int* parent;          // per joint: body or SKETCH_WORLD
  int* child;           // per joint: body
  int* mimic;           // per joint: joint or SKETCH_NONE
  int* joint;           // per body: the joint whose child it is, or SKETCH_NONE
  int *driven, *motor;  // per shaft: its joints, or SKETCH_NONE
  sketch_closure* loop; // per loop
  int world;            // body that is the world itself, or SKETCH_NONE
  int renamed;          // body called "world" that is not the world, or SKETCH_NONE
  double* frozen;       // per joint: where one stands that follows what cannot move; NaN for all others
  int root;             // body that hangs on the world by the base, or SKETCH_NONE
  limb_joint_type base; // type of that joint
} sketch_links;

// Who has a name, each by its first.
typedef struct sketch_tables {
  limb_names body, joint, frame, loop;
} sketch_tables;

// A body by name; SKETCH_WORLD for the world, SKETCH_NONE and a finding when there is none. And the names of
// bodies and frames, for limb_names_find.
int limb_sketch_find_body(const limb_sketch* s, const sketch_tables* t, const char* name, const char* role,
                          limb_mark at, limb_subject about);
const char* limb_sketch_body_name(const void* sketch, int i);
const char* limb_sketch_frame_name(const void* sketch, int i);

// sketch_loops.c: what all loops connect, after the followers are settled.
void limb_sketch_resolve_loops(const limb_sketch* s, const sketch_tables* t, sketch_links* l);

// Resolves names and checks the robot as a whole; what is wrong is among the findings then.
// LIMB_OK (also with findings); LIMB_E_NOMEM.
limb_status limb_sketch_check(const limb_sketch* s, const limb_read_options* opt, sketch_links* l);

#endif
