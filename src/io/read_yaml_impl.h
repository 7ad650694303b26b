// The reader of limb YAML: what its files share.
#ifndef LIMB_READ_YAML_IMPL_H
#define LIMB_READ_YAML_IMPL_H

#include "base/names.h"
#include "io/readers.h"
#include "io/yaml.h"

#include <stdbool.h>

// Pose of a body in the world at q = 0, for joints placed by screws.
typedef struct yaml_home {
  const char* body;
  limb_mark mark;
  sp_pose pose;
  bool carried; // by a joint, which it places
} yaml_home;

typedef enum yaml_form {
  FORM_UNSTATED, // the file does not say; the first who asks reports it
  FORM_REPORTED,
  FORM_MODIFIED, // dh
  FORM_STANDARD,
  FORM_SPACE, // poe
  FORM_BODY
} yaml_form;

typedef struct yaml_reader {
  yml_check check;
  limb_store* pool;
  limb_sketch* sketch;
  double angle; // radians per unit of angles
  yaml_form dh, poe;
  yaml_home* home; // one per body that has one
  int nhome;
  limb_names home_names;
  limb_names joint_names; // for shafts and loops, when there are any
  int axisless;           // joints whose axis is assumed
  struct {
    const char* joint;
    limb_mark mark;
  } first_axisless;
  bool out_of_memory;
} yaml_reader;

// The number of entries of an array.
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

// ---- read_yaml_pose.c -------------------------------------------------------------------------------

#define YAML_POSE_KEYS "xyz", "rpy", "quaternion", "matrix"

// The pose whose keys stand in this mapping (others may stand there, too). 1, or 0 after an error.
int limb_yaml_pose(yaml_reader* r, const yml_node* map, sp_pose* X);

// A mapping with the keys of a pose and no others; of a rotation. NULL: 0.
int limb_yaml_pose_value(yaml_reader* r, const yml_node* n, sp_pose* X);
int limb_yaml_rotation_value(yaml_reader* r, const yml_node* n, sp_mat3* R);

int limb_yaml_vec3(yaml_reader* r, const yml_node* n, sp_vec3* x);

// The direction of an axis: not zero; a length that is not 1 is noted.
int limb_yaml_direction(yaml_reader* r, const yml_node* n, sp_vec3* x);

// ---- read_yaml_body.c -------------------------------------------------------------------------------

void limb_yaml_body(yaml_reader* r, const yml_node* n);

// The home of a body; NULL when it has none.
yaml_home* limb_yaml_find_home(const yaml_reader* r, const char* body);

// ---- read_yaml_elastic.c ----------------------------------------------------------------------------

struct yaml_property; // yaml_schema.h

// The number of one property in the mapping of its section, into the struct that it belongs to. turns: the
// joint's coordinate is an angle. 1; 0 when it is not there, or after an error.
int limb_yaml_property(yaml_reader* r, const yml_node* section, const struct yaml_property* p, bool turns, void* out);

// drive: of a joint, and elastic: of one with one degree of freedom. After its other properties.
void limb_yaml_drive(yaml_reader* r, const yml_node* joint, sketch_joint* j);
void limb_yaml_elastic(yaml_reader* r, const yml_node* joint, sketch_joint* j);

// One of the list shafts:.
void limb_yaml_shaft(yaml_reader* r, const yml_node* n);

// ---- read_yaml_joint.c, read_yaml_place.c ------------------------------------------------------------

void limb_yaml_joint(yaml_reader* r, const yml_node* n);

// What is known of a joint's type while it is placed.
enum {
  TYPE_OPEN = -1,   // not stated
  TYPE_FAULTY = -2, // an error was reported
};

// Places a joint by pose, dh row, screw or homes, and settles its type; its own axis comes later.
// 1, or 0 after an error.
int limb_yaml_place(yaml_reader* r, const yml_node* n, sketch_joint* j, int* type);

// The frame that a Denavit-Hartenberg row without sigma leads to. 1, or 0 after an error.
int limb_yaml_row_pose(yaml_reader* r, const yml_node* n, sp_pose* X);

// ---- read_yaml_loop.c -------------------------------------------------------------------------------

// One of the list loops:, after all joints.
void limb_yaml_loop(yaml_reader* r, const yml_node* n);

#endif
