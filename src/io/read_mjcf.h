// What the files of the MJCF reader share.
#ifndef LIMB_IO_READ_MJCF_H
#define LIMB_IO_READ_MJCF_H

#include "base/names.h"
#include "io/file_text.h"
#include "io/mesh.h"
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
  MJCF_MESH,
  MJCF_MATERIAL,
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

// An element with its class, which is one of the model of its scope.
typedef struct mjcf_item {
  const xml_node* node;
  mjcf_kind kind;
  int class_index;                // -1: none
  const struct mjcf_scope* scope; // in which it was found
} mjcf_item;

typedef enum mjcf_from_geom { MJCF_NEVER, MJCF_ALWAYS, MJCF_WHEN_NEEDED } mjcf_from_geom;

// A body of the file, and its pose in the world when q is ref, which is qpos0 of MuJoCo.
typedef struct mjcf_home {
  const char* body;
  sp_pose X;
} mjcf_home;

// A mesh of the assets, and the mass properties that were computed from it.
typedef struct mjcf_mesh {
  const char* name;
  const xml_node* node;
  int loaded;         // 1: inertia is valid; -1: it cannot be used, which was reported
  sp_inertia inertia; // at density 1
} mjcf_mesh;

// A file with all that it includes: its settings, default classes and meshes.
typedef struct mjcf_model {
  const char *path, *name; // name: as asset of another model
  xml_node* root;
  // <compiler>
  double angle;         // radians per unit of the file's angles
  const char* eulerseq; // three of xyzXYZ
  int autolimits;
  mjcf_from_geom from_geom;
  double group_min, group_max; // groups of geoms that contribute to inertia
  double boundmass, boundinertia, totalmass;
  int balance, fit_box, strip_path, align_free;
  const char* meshdir;
  // <default>
  mjcf_class* class_list;
  int nclass, class_cap, main_class;
  limb_names class_names;
  // <asset>
  mjcf_mesh* mesh;
  int nmesh, mesh_cap;
  limb_names mesh_names;
  const xml_node** material; // only if shapes are read
  int nmaterial;
  limb_names material_names;
  struct mjcf_model* next; // all that were loaded
} mjcf_model;

// Whose elements are read: of a model, with additions to their names. A model that is attached, and every copy of what
// <replicate> repeats, has one of its own.
typedef struct mjcf_scope {
  mjcf_model* model;
  const char *prefix, *suffix;
  int depth;              // of models and copies in each other
  const xml_node* source; // what is attached; NULL: a copy
  const struct mjcf_scope* outside;
  const struct mjcf_scope* next; // of the models that are attached
} mjcf_scope;

// A spring and damper with a time constant and a damping ratio.
typedef struct mjcf_spring {
  int joint; // in the raw robot
  double time, ratio;
} mjcf_spring;

typedef struct mjcf {
  memory_pool* pool;
  limb_findings* findings;
  const limb_read_options* opt;
  limb_files* files;
  limb_raw_robot* s;
  mjcf_model* model; // that of the scope
  const mjcf_scope* scope;
  mjcf_model* loaded;         // all models
  const mjcf_scope* attached; // the models that are attached, and copies
  long long visited;          // elements of bodies, copies included
  int depth;                  // of the walk
  // joints: reference values, by index in the raw robot
  double* ref;
  int ref_cap;
  mjcf_spring* spring; // those given by time constants
  int nspring, spring_cap;
  int* slack; // tendons through sites whose rest length is that at springref
  int nslack, slack_cap;
  // the bodies of the file
  mjcf_home* home;
  int nhome, home_cap;
  // things without a name
  int unnamed;
  file_pos first_unnamed;
  const char* first_given;
  int geom_noted;
  // meshes whose files cannot be read: of bodies that do not move, and of others; the first of each
  int nmissing[2];
  mjcf_item missing[2];
  mjcf_model* missing_of[2];
  int no_memory;
} mjcf;

// ---- models (read_mjcf_model.c) -------------------------------------------------------------------

// Makes a model of a parsed file: replaces each <include> by what it includes, reads settings, classes and meshes. NULL
// after an error, or out of memory.
mjcf_model* limb_mjcf_begin_model(mjcf* m, xml_node* root, const char* path);

// The path of a file that an element names: relative to the model, or to the file of the element. NULL after an error.
const char* limb_mjcf_find_file(const mjcf* m, limb_files* files, const char* name, const char* model, limb_rule rule,
                                const xml_node* n);

// Enters a scope, and returns the one that was left: give it back to limb_mjcf_leave.
const mjcf_scope* limb_mjcf_enter(mjcf* m, const mjcf_scope* scope);

// The scope of the model that an <attach> names, and the body or frame in it, or its <worldbody>. keep: its equalities
// will be read. NULL after an error.
const mjcf_scope* limb_mjcf_attach(mjcf* m, const xml_node* n, int keep, const xml_node** source);

// The scope of copy i of n of <replicate>. NULL after an error.
const mjcf_scope* limb_mjcf_copy(mjcf* m, const xml_node* n, int i, int count);

// The name of an element in its scope, or one that it refers to; NULL when it has none.
const char* limb_mjcf_scoped(mjcf* m, const xml_node* n, const char* attribute);

// ---- settings (read_mjcf.c) -----------------------------------------------------------------------

void limb_mjcf_read_compiler(mjcf* m, const xml_node* root);

// ---- classes and values (read_mjcf_value.c) -------------------------------------------------------

// Collects the <default> sections of the model.
void limb_mjcf_read_defaults(mjcf* m);

// The class in a class or childclass attribute of a node; inherited when it has none.
int limb_mjcf_named_class(mjcf* m, const xml_node* n, const char* attribute, int inherited);

// An element of a kind in a body whose children have the class childclass; an element without defaults.
mjcf_item limb_mjcf_make_item(mjcf* m, const xml_node* n, mjcf_kind kind, int childclass);
mjcf_item limb_mjcf_plain(const xml_node* n); // of any scope

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

// The rotation by `times` the angles of the attribute euler.
sp_mat3 limb_mjcf_euler(mjcf* m, const xml_node* n, double times);
#define MJCF_POSE_WORDS "pos quat axisangle xyaxes zaxis euler"

// Reports attributes that are neither used nor ignored (words separated by blanks; ignored may be NULL). quiet: those
// that are ignored are not reported.
void limb_mjcf_check_attributes(mjcf* m, const xml_node* n, const char* used, const char* ignored, int quiet);

// As the functions of the pool; m remembers when memory ran out.
const char* limb_mjcf_join(mjcf* m, const char* a, const char* b, const char* c);
void* limb_mjcf_grow(mjcf* m, void* items, int* cap, int count, size_t size);

// The name of an element, or a made-up one: stem, middle and number. unnamed: count it as an element without a name.
const char* limb_mjcf_name(mjcf* m, const xml_node* n, const char* stem, const char* middle, int number, int unnamed);

// ---- mass (read_mjcf_mass.c, read_mjcf_mesh.c) -----------------------------------------------------

// The mass of a body: its geoms, or its <inertial>.
typedef struct mjcf_mass {
  mjcf_item* geom; // those of groups that count
  sp_pose* X;      // and the frames that their attributes refer to, in the body
  int ngeom, geom_cap, X_cap;
  const xml_node* inertial;
} mjcf_mass;

void limb_mjcf_add_geom(mjcf* m, mjcf_item it, sp_pose X, mjcf_mass* mass);

// Types of geoms, in the order of MuJoCo.
typedef enum mjcf_type {
  MJCF_PLANE,
  MJCF_HFIELD,
  MJCF_SPHERE,
  MJCF_CAPSULE,
  MJCF_ELLIPSOID,
  MJCF_CYLINDER,
  MJCF_BOX,
  MJCF_OF_MESH,
  MJCF_SDF
} mjcf_type;

mjcf_type limb_mjcf_type(mjcf* m, mjcf_item geom);

// Sizes, halves of lengths, and pose of a geom in its frame. 0 after an error.
int limb_mjcf_size(mjcf* m, mjcf_item it, mjcf_type type, double x[3], sp_pose* X);

// The same of a shape that is fitted to a mesh, by its box of equal inertia. Its z axis is the longest.
void limb_mjcf_fit(mjcf* m, mjcf_item it, mjcf_type type, const mjcf_mesh* mesh, double x[3], sp_pose* X);

// The inertia of a body. fixed: it does not move, so that a mesh may be missing.
sp_inertia limb_mjcf_inertia(mjcf* m, const xml_node* n, const char* name, const mjcf_mass* mass, int fixed);

// The axes in which a body of inertia Y is aligned: those of its <inertial> or only geom, or its principal axes.
sp_pose limb_mjcf_axes(mjcf* m, const mjcf_mass* mass, const sp_inertia* Y);

// Scales all bodies to the total mass that <compiler> requests.
void limb_mjcf_scale_mass(mjcf* m);

// Enters the meshes of the <asset> sections of the model.
void limb_mjcf_list_meshes(mjcf* m);

// The name of an asset, its own, or that of its file without folders and ending; the path of a file, relative to the
// model: meshdir/file, without folders by strippath.
const char* limb_mjcf_asset_name(mjcf* m, const xml_node* n);
const char* limb_mjcf_asset_path(mjcf* m, const char* file);

// The triangles of a mesh whose vertices are in the model, placed and scaled; in the pool.
// LIMB_OK; LIMB_E_MODEL (there is none, or after an error); LIMB_E_NOMEM.
limb_status limb_mjcf_inline_mesh(mjcf* m, const char* name, limb_mesh* out);

// The height field of a name; NULL: none. Its half lengths, height and base; 0 after an error. Whether its heights are
// in a picture, which limb does not read.
const xml_node* limb_mjcf_find_field(mjcf* m, const char* name);
int limb_mjcf_field_size(mjcf* m, const xml_node* field, double size[4]);
int limb_mjcf_is_picture(const xml_node* field);

// Reports the meshes whose files cannot be read, together.
void limb_mjcf_report_meshes(mjcf* m);

// The mesh of a geom; NULL after an error, which is only a note if it is optional.
const mjcf_mesh* limb_mjcf_load_mesh(mjcf* m, mjcf_item geom, int optional);

// The mesh of that name; NULL: none. Its node with its class; the path of its file, relative to the model.
const mjcf_mesh* limb_mjcf_find_mesh(const mjcf* m, const char* name);
mjcf_item limb_mjcf_mesh_item(mjcf* m, const mjcf_mesh* mesh);
const char* limb_mjcf_mesh_name(mjcf* m, mjcf_item mesh);

// ---- shapes for display (read_mjcf_shape.c) --------------------------------------------------------

// Shapes of a body until its index is known.
typedef struct mjcf_shapes {
  limb_shape_def* shape;
  file_pos* pos;
  int count, shape_cap, pos_cap;
} mjcf_shapes;

// Enters the materials of the <asset> sections of the model.
void limb_mjcf_list_materials(mjcf* m);

// Adds the shape of a geom, whose attributes refer to a frame at X in the body; moves all to a body of the raw robot.
void limb_mjcf_add_shape(mjcf* m, mjcf_item geom, sp_pose X, mjcf_shapes* shapes);
void limb_mjcf_keep_shapes(mjcf* m, const mjcf_shapes* shapes, int body);

// ---- bodies (read_mjcf_body.c) --------------------------------------------------------------------

void limb_mjcf_read_world(mjcf* m, const xml_node* worldbody, int* bodies);

// The <keyframe> sections, as poses (read_poses.c).
void limb_mjcf_read_keys(mjcf* m, const xml_node* root);

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
  const sp_pose* aligned; // its principal axes, which a free joint may take for its frame; NULL: it may not
} mjcf_carried;

// Connects a body of the raw robot to its parent by its joints, one after the other.
void limb_mjcf_add_joints(mjcf* m, const mjcf_carried* b, const mjcf_joint* joint, int count);

// Stiffness and damping by <joint springdamper>, which follow from the inertia that the joints move at q = ref, and
// rest lengths of tendons.
void limb_mjcf_settle_springs(mjcf* m);

// Reports that the pose of a body in the file has no effect, because it is part of q.
void limb_mjcf_report_start(mjcf* m, const mjcf_carried* b);

// ---- equalities and tendons (read_mjcf_equality.c, read_mjcf_tendon.c) -----------------------------

// All <equality> sections of the model, and of the models that are attached.
void limb_mjcf_read_equalities(mjcf* m);

// What an element of the model is about: joints and sites by name. 0: out of memory.
typedef struct mjcf_parts {
  limb_names joint, site;
} mjcf_parts;

int limb_mjcf_enter_parts(mjcf* m, mjcf_parts* t);
const char* limb_mjcf_site_name(const void* context, int i);

// The <tendon> sections of the model; a damper on one of its tendons; a tendon by its name, or NULL.
void limb_mjcf_read_tendons(mjcf* m, const mjcf_parts* parts);
void limb_mjcf_damp_tendon(mjcf* m, const mjcf_parts* parts, const xml_node* tendon, double damping);
const xml_node* limb_mjcf_find_tendon(mjcf* m, const char* name);

#endif
