// What the files of the MJCF reader share.
#ifndef LIMB_IO_READ_MJCF_H
#define LIMB_IO_READ_MJCF_H

#include "base/names.h"
#include "io/file_text.h"
#include "io/reading.h"
#include "io/xml.h"

// Elements that take attributes from default classes.
typedef enum mjcf_kind {
  MJCF_JOINT,
  MJCF_GEOM,
  MJCF_SITE,
  MJCF_TENDON,
  MJCF_EQUALITY,
  MJCF_GENERAL, // <general>, an actuator
  MJCF_KINDS,
  MJCF_PLAIN = MJCF_KINDS // no defaults
} mjcf_kind;

// A default class: attributes per kind, which override those of its parent.
typedef struct mjcf_class {
  const char* name;
  file_pos pos;
  int section; // it is a <default> directly below the root
  int parent;  // -1: none
  int depth;
  const xml_node* item[MJCF_KINDS]; // NULL: none for this kind
} mjcf_class;

// An element with its class.
typedef struct mjcf_item {
  const xml_node* node;
  mjcf_kind kind;
  int class_index; // -1: none
} mjcf_item;

typedef enum mjcf_from_geom { MJCF_NEVER, MJCF_ALWAYS, MJCF_WHEN_NEEDED } mjcf_from_geom;

// A body of the file, and its pose in the world when q is ref, which is qpos0 of MuJoCo.
typedef struct mjcf_home {
  const char* body;
  sp_pose X;
} mjcf_home;

typedef struct mjcf {
  memory_pool* pool;
  limb_findings* findings;
  const limb_read_options* opt;
  limb_raw_robot* s;
  // <compiler>
  double angle;         // radians per unit of the file's angles
  const char* eulerseq; // three of xyzXYZ
  int autolimits;
  mjcf_from_geom from_geom;
  double group_min, group_max; // groups of geoms that contribute to inertia
  double boundmass, boundinertia, totalmass;
  int balance;
  // <default>
  mjcf_class* class_list;
  int nclass, class_cap, main_class;
  limb_names class_names;
  // joints: reference values, by index in the raw robot
  double* ref;
  int ref_cap;
  // the bodies of the file
  mjcf_home* home;
  int nhome, home_cap;
  // things without a name
  int unnamed;
  file_pos first_unnamed;
  const char* first_given;
  int geom_noted;
  // bodies whose inertia would follow from a shape that cannot be computed
  int nshape;
  const xml_node* shape;  // the first of the geoms
  const char* shape_name; // its body
  int shape_is_mesh;
  int no_memory;
} mjcf;

// ---- classes and values (read_mjcf_value.c) -------------------------------------------------------

// Collects the <default> sections below the root.
void limb_mjcf_read_defaults(mjcf* m, const xml_node* root);

// The class in a class or childclass attribute of a node; inherited when it has none.
int limb_mjcf_named_class(mjcf* m, const xml_node* n, const char* attribute, int inherited);

// An element of a kind in a body whose children have the class childclass; an element without defaults.
mjcf_item limb_mjcf_make_item(mjcf* m, const xml_node* n, mjcf_kind kind, int childclass);
mjcf_item limb_mjcf_plain(const xml_node* n);

// Value of an attribute, of the element or of its class; NULL when neither has it.
const char* limb_mjcf_get(const mjcf* m, mjcf_item it, const char* name);

// Reports a finding about an element, whose kind and name are its subject.
limb_subject limb_mjcf_subject(const xml_node* n);
LIMB_PRINTF(4, 5) void limb_mjcf_report(mjcf* m, limb_rule rule, const xml_node* n, const char* format, ...);

// From min to max numbers. Returns how many there are; 0 when the attribute is not given, or after an error.
int limb_mjcf_numbers(mjcf* m, mjcf_item it, const char* name, int min, int max, double* x);

// Fills x[0 ... 2] as MuJoCo does: each class may set the first numbers and leave the others. Returns how many were
// given; -1 after an error.
int limb_mjcf_layered(mjcf* m, mjcf_item it, const char* name, double x[3]);

// The index of one of the words, separated by blanks; fallback when it is not given, or after an error.
int limb_mjcf_word(mjcf* m, mjcf_item it, const char* name, const char* words, int fallback);

// pos and orientation; the frame of fromto with half its length (0 after an error).
sp_pose limb_mjcf_pose(mjcf* m, mjcf_item it);
int limb_mjcf_fromto(mjcf* m, mjcf_item it, sp_pose* X, double* half);
#define MJCF_POSE_WORDS "pos quat axisangle xyaxes zaxis euler"

// Reports attributes that are neither used nor ignored (words separated by blanks; ignored may be NULL). quiet: those
// that are ignored are not reported.
void limb_mjcf_check_attributes(mjcf* m, const xml_node* n, const char* used, const char* ignored, int quiet);

// As the functions of the pool; m remembers when memory ran out.
const char* limb_mjcf_join(mjcf* m, const char* a, const char* b, const char* c);
void* limb_mjcf_grow(mjcf* m, void* items, int* cap, int count, size_t size);

// The name of an element, or a made-up one: stem, middle and number. unnamed: count it as an element without a name.
const char* limb_mjcf_name(mjcf* m, const xml_node* n, const char* stem, const char* middle, int number, int unnamed);

// ---- bodies (read_mjcf_body.c) --------------------------------------------------------------------

void limb_mjcf_read_world(mjcf* m, const xml_node* worldbody, int* bodies);

// Reports them, once.
void limb_mjcf_report_shapes(mjcf* m);

// Scales all bodies to the total mass that <compiler> requests.
void limb_mjcf_scale_mass(mjcf* m);

// ---- joints (read_mjcf_joint.c) -------------------------------------------------------------------

typedef struct mjcf_joint {
  mjcf_item item;
  sp_pose X; // of the frame that its attributes refer to, in the body
} mjcf_joint;

// A body, for its joints.
typedef struct mjcf_carried {
  const char *name, *parent; // parent NULL: the world
  sp_pose X;                 // in the parent
  file_pos pos;
} mjcf_carried;

// Connects a body of the raw robot to its parent by its joints, one after the other.
void limb_mjcf_add_joints(mjcf* m, const mjcf_carried* b, const mjcf_joint* joint, int count);

// Reports that the pose of a body in the file has no effect, because it is part of q.
void limb_mjcf_report_start(mjcf* m, const mjcf_carried* b);

// ---- equalities and tendons (read_mjcf_equality.c) ------------------------------------------------

// All <equality> sections below the root.
void limb_mjcf_read_equalities(mjcf* m, const xml_node* root);
void limb_mjcf_read_tendons(mjcf* m, const xml_node* section);

#endif
