// A robot as a file tells it: names instead of indices, any order, a place for everything. Readers fill a
// sketch; one function checks it as a whole, reports all offenders, and describes it to a builder.
#ifndef LIMB_SKETCH_H
#define LIMB_SKETCH_H

#include "limb/builder.h"
#include "limb/read.h"

#include "base/names.h"
#include "io/findings.h"
#include "io/store.h"

typedef struct sketch_body {
  const char* name;
  limb_mark mark;
  sp_inertia inertia;
} sketch_body;

typedef struct sketch_joint {
  const char* name;
  limb_mark mark;
  const char *parent,
    *child;          // bodies; parent "world" (or NULL): the world, unless a body is called so; "": an
                     // error was reported already
  sp_pose offset;    // of the child's frame in the joint frame at q = 0
  const char* mimic; // the joint it follows; NULL: none
  limb_mark mimic_mark;
  limb_joint_def def;          // all the rest; its name, parent, child and mimic are not looked at
  const limb_motor_def* motor; // drives it through a shaft; its joint is not looked at. NULL: none
  limb_mark motor_mark;
} sketch_joint;

typedef struct sketch_frame {
  const char* name;
  limb_mark mark;
  const char* body;
  sp_pose pose; // in the body
} sketch_frame;

typedef struct sketch_shaft {
  limb_mark mark;
  const char *joint, *motor; // joints: driven, driving; "": an error was reported already
  limb_shaft_def def;        // all the rest
} sketch_shaft;

// One end of a closure: the pose of its frame in a body, or in a frame of the file.
typedef struct sketch_end {
  limb_mark mark;
  const char* body;  // as the parent of a joint; not looked at when there is a frame
  const char* frame; // a frame, or a body, which is one; NULL: none; "": an error was reported already
  sp_pose pose;
} sketch_end;

typedef struct sketch_loop {
  const char* name;
  limb_mark mark;
  sketch_end end[2];         // a and b; not looked at for gear and polynomial
  const char *joint, *other; // gear, polynomial; "": an error was reported already
  limb_loop_def def;         // all the rest: kind, locked, length, radius, coefficient, law. Its name, bodies,
                             // poses and joints are not looked at
} sketch_loop;

// What this language calls things, for messages.
typedef struct sketch_words {
  const char *body, *joint, *frame; // "link", "joint", "frame"
} sketch_words;

enum { LIMB_SKETCH_MOST = 1 << 19 }; // bodies, joints, frames, shafts, loops each: a small file can ask for many

typedef struct limb_sketch {
  limb_store* pool; // strings that a reader makes up live here; the others in its document
  limb_findings* findings;
  sketch_words words;
  const char* name;       // of the robot; NULL: none given
  const sp_vec3* gravity; // NULL: none given
  limb_base base;         // what the file says; AS_FILE when it says nothing
  int own_world;          // 1: in this language "world" is a name like others, and means a body of the file
  int too_large;          // 1: there would have been more than LIMB_SKETCH_MOST
  sketch_body* body;
  int nbody, body_cap;
  sketch_joint* joint;
  int njoint, joint_cap;
  sketch_frame* frame;
  int nframe, frame_cap;
  sketch_shaft* shaft;
  int nshaft, shaft_cap;
  sketch_loop* loop;
  int nloop, loop_cap;
} limb_sketch;

limb_sketch limb_sketch_make(limb_store* pool, limb_findings* f, sketch_words words);

// A new body, joint, frame, shaft or loop with defaults, to be filled in at once (the pointer is good until
// the next one of its kind); NULL when out of memory, or when there are too many (reported). A joint has the
// defaults of limb_default_joint_def, type fixed, identity offset; a loop those of limb_default_loop_def, and
// names that count as reported already.
sketch_body* limb_sketch_body(limb_sketch* s, const char* name, limb_mark at);
sketch_joint* limb_sketch_joint(limb_sketch* s, const char* name, limb_mark at);
sketch_frame* limb_sketch_frame(limb_sketch* s, const char* name, limb_mark at);
sketch_shaft* limb_sketch_shaft(limb_sketch* s, limb_mark at);
sketch_loop* limb_sketch_loop(limb_sketch* s, const char* name, limb_loop_kind kind, limb_mark at);

// Joints by name, each by its first; 0 when out of memory. And the names, for limb_names_find.
int limb_sketch_joint_names(const limb_sketch* s, limb_names* t);
const char* limb_sketch_joint_name(const void* sketch, int i);

// A name with an ending, in the pool; NULL when out of memory.
const char* limb_sketch_suffixed(const limb_sketch* s, const char* name, const char* suffix);

// Places of what a builder holds, by its indices.
typedef struct sketch_marks {
  limb_mark *body, *joint, *loop;
  int nbody, njoint, nloop;
  const int* of_sketch; // per body of the sketch: its index in the builder
} sketch_marks;

// Checks names, tree and mimics and describes the robot to a builder, bodies and joints in the order of the
// sketch. A joint with an offset becomes a joint to a massless body "<child>.axis" and a fixed joint
// "<child>.offset" to the child. Motors come after all joints, in their order, then shafts, frames and loops.
// Offenders are reported, all of them; what a builder refuses, in its own words.
// LIMB_OK; LIMB_E_MODEL; LIMB_E_NOMEM.
limb_status limb_sketch_build(const limb_sketch* s, const limb_read_options* opt, limb_builder** out,
                              sketch_marks* marks);

#endif
