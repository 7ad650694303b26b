// A robot as a file describes it: names instead of indices, in any order, each thing with its position in the file.
// Readers fill a raw robot; limb_raw_robot_build checks it as a whole, reports everything that is wrong, and passes
// it to a builder.
#ifndef LIMB_IO_RAW_ROBOT_H
#define LIMB_IO_RAW_ROBOT_H

#include "limb/builder.h"
#include "limb/edit.h"
#include "limb/read.h"

#include "base/names.h"
#include "io/files.h"
#include "io/findings.h"
#include "io/memory_pool.h"

// In all names of other things, "" means that an error was reported already.

typedef struct raw_body {
  const char* name;
  file_pos pos;
  sp_inertia inertia;
} raw_body;

typedef struct raw_joint {
  const char* name;
  file_pos pos;
  const char *parent, *child; // bodies; parent "world" or NULL: the world, unless a body has that name
  sp_pose offset;             // of the child's frame in the joint frame at q = 0
  const char* mimic;          // the joint that it follows; NULL: none
  file_pos mimic_pos;
  limb_joint_def def;          // the rest; its name, parent, child and mimic are not used
  const limb_motor_def* motor; // drives it through a shaft; its joint is not used. NULL: none
  file_pos motor_pos;
} raw_joint;

typedef struct raw_frame {
  const char* name;
  file_pos pos;
  const char* body;
  sp_pose pose; // in the body
} raw_frame;

typedef struct raw_shaft {
  file_pos pos;
  const char *joint, *motor; // driven and driving joint
  limb_shaft_def def;        // the rest
} raw_shaft;

typedef struct raw_tendon_point {
  file_pos pos;
  const char* body;  // as the parent of a joint; not used when a frame is given
  const char* frame; // NULL: none
  sp_vec3 at;        // in the body or frame
  double pulley;
} raw_tendon_point;

typedef struct raw_tendon {
  const char* name;
  file_pos pos;
  const char** joint;      // def.count names
  raw_tendon_point* point; // def.points of them
  limb_tendon_def def;     // the rest; its name, joints and points are not used
} raw_tendon;

// One end of a loop: the pose of its frame in a body, or in a frame of the file.
typedef struct raw_end {
  file_pos pos;
  const char* body;  // as the parent of a joint; not used when a frame is given
  const char* frame; // a frame, or a body, which is one, too; NULL: none
  sp_pose pose;
} raw_end;

typedef struct raw_loop {
  const char* name;
  file_pos pos;
  raw_end end[2];            // a and b; not used for gears and polynomials
  const char *joint, *other; // gears, polynomials
  limb_loop_def def;         // the rest; its name, bodies, poses and joints are not used
} raw_loop;

typedef struct raw_shape {
  file_pos pos;
  int body;           // index in the raw robot; -1: the world
  limb_shape_def def; // the rest; its body is not used
} raw_shape;

// A named configuration. What is wrong with it is reported, and left out.
typedef struct raw_pose {
  const char* name;
  file_pos pos;
  limb_pose_value* value;
  int nvalue, value_cap;
} raw_pose;

// What the language calls things, for messages.
typedef struct raw_words {
  const char *body, *joint, *frame; // "link", "joint", "frame"
} raw_words;

enum {
  LIMB_RAW_MAX = 1 << 19
}; // bodies, joints, frames, shafts, tendons, loops, shapes each: a small file can ask for many

typedef struct limb_raw_robot {
  memory_pool* pool; // for strings that a reader makes up
  limb_findings* findings;
  raw_words words;
  const char* name;       // NULL: not given
  const sp_vec3* gravity; // NULL: not given
  double loop_tolerance;  // 0: not given
  limb_base base;         // as the file states; AS_FILE when it does not
  limb_form form;         // how joints are placed
  int own_world;          // 1: in this language "world" is a name like any other, and means a body of the file
  int may_be_empty;       // 1: a robot without bodies is none to blame
  int too_large;          // 1: there would have been more than LIMB_RAW_MAX
  raw_body* body;
  int nbody, body_cap;
  raw_joint* joint;
  int njoint, joint_cap;
  raw_frame* frame;
  int nframe, frame_cap;
  raw_shaft* shaft;
  int nshaft, shaft_cap;
  raw_tendon* tendon;
  int ntendon, tendon_cap;
  raw_loop* loop;
  int nloop, loop_cap;
  raw_pose* pose;
  int npose, pose_cap;
  raw_shape* shape;
  int nshape, shape_cap;
  int nmissing; // meshes whose file is not found
  const char* missing;
  file_pos missing_pos; // the first of them
} limb_raw_robot;

limb_raw_robot limb_raw_robot_make(memory_pool* pool, limb_findings* f, raw_words words);

// Add a body, joint, frame, shaft, tendon or loop with defaults, to be filled in at once: the pointer is valid until
// the next one of its kind. NULL when out of memory, or when there are too many (reported). A joint has the defaults of
// limb_default_joint_def, is fixed and has no offset; a loop has the defaults of limb_default_loop_def.
raw_body* limb_raw_add_body(limb_raw_robot* s, const char* name, file_pos at);
raw_joint* limb_raw_add_joint(limb_raw_robot* s, const char* name, file_pos at);
raw_frame* limb_raw_add_frame(limb_raw_robot* s, const char* name, file_pos at);
raw_shaft* limb_raw_add_shaft(limb_raw_robot* s, file_pos at);
raw_tendon* limb_raw_add_tendon(limb_raw_robot* s, const char* name, file_pos at);
raw_loop* limb_raw_add_loop(limb_raw_robot* s, const char* name, limb_loop_kind kind, file_pos at);

// Adds a shape to a body that was added. Its mesh, if it has one, is looked for from the folder of the file `from`;
// what is not found is reported with all others. 0 when out of memory.
int limb_raw_add_shape(limb_raw_robot* s, int body, const limb_shape_def* def, limb_files* files, const char* from,
                       file_pos at);

// The pose of a name, new or not, valid until the next one; a value of the last one. 0 when out of memory.
int limb_raw_add_pose(limb_raw_robot* s, const char* name, file_pos at);
int limb_raw_hold(limb_raw_robot* s, const char* joint, int count, const double* q);

// Sets the gravity, in the pool. 0 when out of memory.
int limb_raw_set_gravity(limb_raw_robot* s, sp_vec3 g);

// The i-th name, for limb_names_find. A table of the joints, each by its first occurrence; 0 when out of memory.
const char* limb_raw_body_name(const void* s, int i);
const char* limb_raw_joint_name(const void* s, int i);
const char* limb_raw_frame_name(const void* s, int i);
int limb_raw_joint_names(const limb_raw_robot* s, limb_names* t);

// Positions of what a builder holds, by its indices.
typedef struct raw_positions {
  file_pos *body, *joint, *loop;
  int nbody, njoint, nloop;
  const int* of_raw; // per body of the raw robot: its index in the builder
} raw_positions;

// Checks names, tree and mimics and passes the robot to a builder, bodies and joints in their order. A joint with an
// offset becomes a joint to a massless body "<child>.axis" and a fixed joint "<child>.offset" to the child. Motors
// come after all joints, then shafts, frames and loops. All faults are reported; those that the builder finds, in its
// own words.
// LIMB_OK; LIMB_E_MODEL; LIMB_E_NOMEM.
limb_status limb_raw_robot_build(const limb_raw_robot* s, const limb_read_options* opt, limb_builder** out,
                                 raw_positions* positions);

// Limits between which no position lies are reported and removed, as dynamics does not need them. The reader warns and
// goes on; the doctor makes an error of it.
void limb_raw_check_limits(limb_findings* f, file_pos at, limb_subject about, limb_joint_def* def);

// ---- resolved names -------------------------------------------------------------------------------
//
// What raw_robot_check.c finds and raw_robot.c uses.

#define RAW_WORLD_RENAMED "world_link" // the new name of a body called "world" that is not the world

enum {
  RAW_WORLD = -1, // as a body: the world
  RAW_NONE = -2   // no body, no joint
};

typedef struct raw_closure {
  int body[2];     // of a and b: body, RAW_WORLD or RAW_NONE
  sp_pose pose[2]; // in these bodies
  int joint[2];    // joint and other, or RAW_NONE
} raw_closure;

typedef struct raw_links {
  int* parent;          // per joint: body or RAW_WORLD
  int* child;           // per joint: body
  int* mimic;           // per joint: joint or RAW_NONE
  int* joint;           // per body: the joint whose child it is, or RAW_NONE
  int *driven, *motor;  // per shaft: its joints, or RAW_NONE
  raw_closure* loop;    // per loop
  int world;            // body that is the world itself, or RAW_NONE
  int renamed;          // body called "world" that is not the world, or RAW_NONE
  double* frozen;       // per joint: its value if it follows a joint that cannot move; NaN for all others
  int root;             // body that the base attaches to the world, or RAW_NONE
  limb_joint_type base; // type of that joint
} raw_links;

// Resolves names and checks the robot as a whole; faults are reported.
// LIMB_OK (also with findings); LIMB_E_NOMEM.
limb_status limb_raw_robot_check(const limb_raw_robot* s, const limb_read_options* opt, raw_links* l);

#endif
