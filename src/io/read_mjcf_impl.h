// MJCF in parts: read_mjcf.c sections and settings, read_mjcf_class.c default classes, read_mjcf_value.c
// attributes and poses, read_mjcf_body.c the tree, read_mjcf_joint.c its joints, read_mjcf_inertia.c masses,
// read_mjcf_equality.c couplings between joints, read_mjcf_closure.c closures between bodies,
// read_mjcf_actuator.c what drives them.
#ifndef LIMB_READ_MJCF_IMPL_H
#define LIMB_READ_MJCF_IMPL_H

#include "base/names.h"
#include "io/readers.h"
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

// A default class: attributes per kind, over those of its parent.
typedef struct mjcf_class {
  const char* name;
  limb_mark mark;
  int section; // it is a <default> right below the root
  int parent;  // -1: none
  int depth;
  const xml_node* item[MJCF_KINDS]; // NULL: says nothing about this kind
} mjcf_class;

// An element with the class that completes it.
typedef struct mjcf_item {
  const xml_node* node;
  mjcf_kind kind;
  int class_index; // -1: none
} mjcf_item;

typedef enum mjcf_from_geom { MJCF_NEVER, MJCF_ALWAYS, MJCF_WHEN_NEEDED } mjcf_from_geom;

// A body of the file, and where it is in the world when q is ref: at qpos0, as MuJoCo calls it.
typedef struct mjcf_home {
  const char* body;
  sp_pose X;
} mjcf_home;

typedef struct mjcf {
  limb_store* pool;
  limb_findings* findings;
  const limb_read_options* opt;
  limb_sketch* s;
  // <compiler>
  double angle;         // radians per unit of the file's angles
  const char* eulerseq; // three of xyzXYZ
  int autolimits;
  mjcf_from_geom from_geom;
  double group_min, group_max; // geoms that count for inertia
  double boundmass, boundinertia, totalmass;
  int balance;
  // <default>
  mjcf_class* class_list;
  int nclass, class_cap, main_class;
  limb_names class_names;
  // joints: reference values, by index in the sketch
  double* ref;
  int ref_cap;
  // the bodies of the file
  mjcf_home* home;
  int nhome, home_cap;
  // things without a name
  int unnamed;
  limb_mark first_unnamed;
  const char* first_given;
  int geom_noted;
  int no_memory;
} mjcf;

// ---- read_mjcf_class.c

// Collects the <default> sections below the root.
void limb_mjcf_take_defaults(mjcf* m, const xml_node* root);

// The class that a class or childclass attribute of a node names; inherited when it has none.
int limb_mjcf_named_class(mjcf* m, const xml_node* n, const char* attribute, int inherited);

// An element of a kind below a body whose children have the class childclass.
mjcf_item limb_mjcf_make_item(mjcf* m, const xml_node* n, mjcf_kind kind, int childclass);
mjcf_item limb_mjcf_plain(const xml_node* n);

// Value of an attribute, of the element or of its class; NULL when nothing gives it.
const char* limb_mjcf_get(const mjcf* m, mjcf_item it, const char* name);

// ---- read_mjcf_value.c

// Element and name, for messages.
limb_subject limb_mjcf_subject(const xml_node* n);

// From least to most numbers. How many there are; 0: the attribute is not given, or faulty and reported.
int limb_mjcf_numbers(mjcf* m, mjcf_item it, const char* name, int least, int most, double* x);

// Fills x[0 ... 2] as MuJoCo does: each class may change the first numbers and leave the others. How many
// were given; -1 after an error.
int limb_mjcf_layered(mjcf* m, mjcf_item it, const char* name, double x[3]);

// One of the words, separated by blanks: its place; fallback when not given or faulty.
int limb_mjcf_word(mjcf* m, mjcf_item it, const char* name, const char* words, int fallback);

// pos and orientation, or the frame of fromto with half its length; half is 0 without fromto.
sp_pose limb_mjcf_pose(mjcf* m, mjcf_item it);
int limb_mjcf_fromto(mjcf* m, mjcf_item it, sp_pose* X, double* half);

// Reports attributes that are neither used nor ignored (words separated by blanks; ignored may be NULL).
// quiet: the ignored ones are not even noted.
void limb_mjcf_check_attributes(mjcf* m, const xml_node* n, const char* used, const char* ignored, int quiet);

// Whether a rotation is another than none at all.
int limb_mjcf_is_turned(const sp_mat3* R);

// a + middle + b in the pool; NULL when out of memory, which m remembers.
const char* limb_mjcf_join(mjcf* m, const char* a, const char* middle, const char* b);

// An array with room for one more than count: itself, or a longer one in the pool; NULL when out of memory,
// which m remembers.
void* limb_mjcf_more(mjcf* m, void* items, int* cap, int count, size_t size);

// ---- read_mjcf_inertia.c

// What a body weighs: the sum of its geoms, or its inertial element.
typedef struct mjcf_mass {
  sp_inertia geoms;
  int ngeom;             // that count
  int faulty;            // one of them was reported: what the body weighs is not known
  const xml_node* mesh;  // one that would count, and cannot; NULL: none
  const xml_node* shell; // the same, hollow
  const xml_node* inertial;
} mjcf_mass;

// Adds a geom that stands in the body frame at X.
void limb_mjcf_add_geom(mjcf* m, mjcf_item it, sp_pose X, mjcf_mass* mass);

// The inertia of the body of that name.
sp_inertia limb_mjcf_body_inertia(mjcf* m, const xml_node* n, const char* name, const mjcf_mass* mass);

// Scales all bodies to the total mass that <compiler> asks for.
void limb_mjcf_scale_mass(mjcf* m);

// ---- read_mjcf_joint.c

typedef struct mjcf_joint {
  mjcf_item item;
  sp_pose X; // of the frame that its attributes are in, in the body
} mjcf_joint;

// A body, for its joints.
typedef struct mjcf_carried {
  const char *name, *parent; // parent NULL: the world
  sp_pose X;                 // in the parent
  limb_mark mark;
} mjcf_carried;

// Joins a body that is in the sketch to its parent by its joints, one after the other.
void limb_mjcf_add_joints(mjcf* m, const mjcf_carried* b, const mjcf_joint* joint, int count);

// Says that the pose of a body in the file has no effect, because it is part of q.
void limb_mjcf_note_start(mjcf* m, const mjcf_carried* b);

// Counts a thing that had no name.
void limb_mjcf_note_unnamed(mjcf* m, limb_mark at, const char* given);

// ---- read_mjcf_body.c

void limb_mjcf_take_world(mjcf* m, const xml_node* worldbody, int* bodies);

// ---- read_mjcf_closure.c

// Tables of bodies and sites by name, for all closures; 0 when out of memory.
typedef struct mjcf_names {
  limb_names body, site;
} mjcf_names;

int limb_mjcf_enter_names(mjcf* m, mjcf_names* t);

// <connect> or <weld>.
void limb_mjcf_take_closure(mjcf* m, const mjcf_names* t, mjcf_item it);

// A new loop of the name of the element, or one that is made up; NULL when out of memory, which m remembers.
sketch_loop* limb_mjcf_new_loop(mjcf* m, const xml_node* n, limb_loop_kind kind);

// ---- read_mjcf_equality.c

// All <equality> sections below the root.
void limb_mjcf_take_equalities(mjcf* m, const xml_node* root);
void limb_mjcf_take_tendons(mjcf* m, const xml_node* section);

// ---- read_mjcf_actuator.c

void limb_mjcf_take_actuators(mjcf* m, const xml_node* section);

// Of a robot with loops: joints with an actuator are active, the others passive.
void limb_mjcf_mark_drives(mjcf* m, const xml_node* root);

#endif
