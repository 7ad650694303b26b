// What the files of the limb YAML reader share.
#ifndef LIMB_IO_READ_YAML_H
#define LIMB_IO_READ_YAML_H

#include "base/names.h"
#include "io/file_text.h"
#include "io/properties.h"
#include "io/reading.h"
#include "io/yaml.h"

#include <stdbool.h>

// Pose of a body in the world at q = 0, for joints placed by screws.
typedef struct yaml_home {
  const char* body;
  file_pos pos;
  sp_pose pose;
  bool carried; // by a joint, which this pose places
} yaml_home;

typedef enum yaml_form {
  FORM_UNSTATED, // not stated in the file; reported where it is first needed
  FORM_REPORTED,
  FORM_MODIFIED, // dh
  FORM_STANDARD,
  FORM_SPACE, // poe
  FORM_BODY,
  FORM_TOOL
} yaml_form;

typedef struct yaml_reader {
  limb_reporter report;
  memory_pool* pool;
  limb_raw_robot* raw;
  double angle; // radians per unit of angles
  yaml_form dh, poe;
  sp_pose tool;    // in the world at q = 0
  yaml_home* home; // of the bodies that have one
  int nhome;
  limb_names home_names;
  limb_names joint_names; // for shafts and loops
  limb_names body_names;  // for shapes
  limb_source* src;
  int axisless; // joints whose axis is assumed
  struct {
    const char* joint;
    file_pos pos;
  } first_axisless;
  bool out_of_memory;
} yaml_reader;

// Begins an entry of a list: a mapping with a name and known keys. It becomes the subject of reports. 0: not a mapping.
int limb_yaml_begin(yaml_reader* r, const yml_node* n, const char* kind, const char* keys, const char** name);

// ---- poses and placement (read_yaml_pose.c) -------------------------------------------------------

#define YAML_POSE_KEYS "xyz rpy quaternion matrix"

// The pose in the keys of a mapping, which may have other keys, too. 1, or 0 after an error.
int limb_yaml_pose(yaml_reader* r, const yml_node* map, sp_pose* X);

// A mapping with the keys of a pose, or of a rotation, and no others. 0 for NULL.
int limb_yaml_pose_value(yaml_reader* r, const yml_node* n, sp_pose* X);
int limb_yaml_rotation_value(yaml_reader* r, const yml_node* n, sp_mat3* R);

int limb_yaml_vec3(yaml_reader* r, const yml_node* n, const char* unit, sp_vec3* x);

// The direction of an axis: not zero; a length other than 1 is reported.
int limb_yaml_direction(yaml_reader* r, const yml_node* n, sp_vec3* x);

// The home of a body; NULL when it has none.
yaml_home* limb_yaml_find_home(const yaml_reader* r, const char* body);

// ---- inertia (read_yaml_inertia.c) ----------------------------------------------------------------

#define YAML_INERTIA_KEYS "mass com inertia solid solids density inertia_axes parameters"

// The inertia in the keys of a body; what is missing or assumed is reported.
void limb_yaml_inertia(yaml_reader* r, const yml_node* n, sp_inertia* Y);

// ---- joints and shafts (read_yaml_joint.c) --------------------------------------------------------

// The numbers of a table of properties that are keys of a mapping, into the struct of the table. angle: the coordinate
// of the joint is an angle.
void limb_yaml_properties(yaml_reader* r, const yml_node* map, const property* p, int count, bool angle, void* out);

// A word that another language uses instead; pairs of words, separated by blanks: other, own, other, own.
void limb_yaml_suggest(const yaml_reader* r, const yml_node* n, const char* what, const char* pairs);

// Entries of the lists joints and shafts.
void limb_yaml_joint(yaml_reader* r, const yml_node* n);
void limb_yaml_tendon(yaml_reader* r, const yml_node* n);
void limb_yaml_shaft(yaml_reader* r, const yml_node* n);

// Whether the coordinate of a joint of this name is an angle.
bool limb_yaml_turns(const yaml_reader* r, const char* joint);

// The type of a joint while it is placed, if it is not known yet.
enum {
  TYPE_OPEN = -1,   // not stated
  TYPE_FAULTY = -2, // an error was reported
};

// Places a joint by a pose, a dh row, a screw or homes, and determines its type; its own axis is read later.
// 1, or 0 after an error.
int limb_yaml_place(yaml_reader* r, const yml_node* n, raw_joint* j, int* type);

// The frame that a Denavit-Hartenberg row without sigma leads to. 1, or 0 after an error.
int limb_yaml_row_pose(yaml_reader* r, const yml_node* n, sp_pose* X);

// ---- loops (read_yaml_loop.c) ---------------------------------------------------------------------

// An entry of the list loops, after all joints.
void limb_yaml_loop(yaml_reader* r, const yml_node* n);

// ---- shapes (read_yaml_shape.c) -------------------------------------------------------------------

// An entry of the list shapes, after all bodies.
void limb_yaml_shape(yaml_reader* r, const yml_node* n);

#endif
