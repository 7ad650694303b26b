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

// ---- shapes -----------------------------------------------------------------------------------------
//
// What a robot looks like and what it collides with. Shapes belong to the builder alone: a model has none, and nothing
// depends on them. Readers add those of a file if limb_read_options.shapes is set, writers write them, and changes keep
// them on their bodies. limb_read_triangles (limb/read.h) loads a mesh.
//
//     limb_shape_def shape;
//     for (int i = 0; limb_builder_get_shape(b, i, &shape) == LIMB_OK; i++)
//       if (shape.use & LIMB_SHAPE_VISUAL) draw(&shape);

/// What a shape is for, combined by |. Values are pinned.
typedef enum limb_shape_use {
  LIMB_SHAPE_VISUAL = 1,   ///< it is displayed
  LIMB_SHAPE_COLLISION = 2 ///< it collides
} limb_shape_use;

/// X(ENUM, value, "name", count): the types of shapes, and how many numbers of `extent` they have. Values are pinned.
#define LIMB_SHAPE_LIST(X)        \
  X(BOX, 0, "box", 3)             \
  X(SPHERE, 1, "sphere", 1)       \
  X(CYLINDER, 2, "cylinder", 2)   \
  X(CAPSULE, 3, "capsule", 2)     \
  X(ELLIPSOID, 4, "ellipsoid", 3) \
  X(PLANE, 5, "plane", 2)         \
  X(MESH, 6, "mesh", 3)

typedef enum limb_shape_type {
#define LIMB_X(name, value, text, count) LIMB_SHAPE_##name = (value),
  LIMB_SHAPE_LIST(LIMB_X)
#undef LIMB_X
} limb_shape_type;

/// A shape on a body. Start from limb_default_shape_def(). Texts may be NULL, which is "".
typedef struct limb_shape_def {
  size_t size;      ///< sizeof(limb_shape_def), set by the default function
  const char* name; ///< "": none; names need not differ
  int body;
  unsigned use; ///< at least one limb_shape_use; default visual
  limb_shape_type type;
  sp_pose pose;     ///< of the shape's frame in the body; cylinders and capsules lie along z, planes are normal to z
  double extent[3]; ///< box: edges; sphere: radius; cylinder: radius, length; capsule: radius, length of the cylinder
                    ///< between the half spheres; ellipsoid: radii; plane: edges, 0 if it has no end [m]; mesh:
                    ///< factors of its coordinates, default 1
  const char* mesh; ///< the file of a mesh as the model names it: a path, or package://...
  const char* path; ///< where that file is; "": it was not found
  const char* texture; ///< a picture that the model names
  int has_color;       ///< 1: color is given; 0: that of the mesh, or any
  double color[4];     ///< red, green, blue, opacity, from 0 to 1
} limb_shape_def;

LIMB_API limb_shape_def limb_default_shape_def(limb_shape_type type, int body);

/// "box", "sphere", ...; NULL for any other number.
LIMB_API const char* limb_shape_type_name(limb_shape_type type);

/// Adds a shape. Texts are copied.
/// @param shape  its index, from 0 on in the order of the calls; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such body, type or use, an extent that is not positive, a plane's that is
///         negative, a factor of a mesh that is zero, a mesh without file, a rotation matrix that is not orthonormal to
///         1e-6); LIMB_E_NONFINITE; LIMB_E_UNSUPPORTED (def comes from a newer limb); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_shape(limb_builder* b, const limb_shape_def* def, int* shape,
                                                           limb_error* err);

/// Replaces a shape.
/// @return as limb_builder_add_shape; LIMB_E_ARG also if there is no such shape.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_shape(limb_builder* b, int shape, const limb_shape_def* def,
                                                           limb_error* err);

/// Number of shapes (0 if b is NULL), and a shape as described; its texts are valid until the builder changes.
/// @return of limb_builder_get_shape: LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_builder_shape_count(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_shape(const limb_builder* b, int shape, limb_shape_def* out);

/// Replaces the shapes of a builder by those of another one, on the bodies of the same names: for a builder that comes
/// from a model. Shapes of bodies that it does not have are left out. O(n).
/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_take_shapes(limb_builder* b, const limb_builder* from);

// ---- kinematic calibration -----------------------------------------------------------------------------------
//
//     limb_calibration_options o = limb_default_calibration_options(flange);
//     if (limb_calibration_create(model, &o, &x, &err) != LIMB_OK) puts(err.text);
//     for (...) // every pose
//       if (limb_calibration_add(x, &(limb_measurement){q, LIMB_MEASURE_POSITION, X}, &err) != LIMB_OK) puts(err.text);
//     if (limb_calibration_fit(x, &err) != LIMB_OK) puts(err.text);
//     if (limb_calibration_apply(x, builder, &err) != LIMB_OK) puts(err.text);
//
// Poses, positions or distances of a target on a frame, measured by a device in the world, correct the offsets of
// joints, and their placements by small motions in the axes of the joint. Parameters that the poses cannot tell from
// others stay: QR with column pivoting takes device and target first (where they are unknown), then joint offsets, then
// placements of joints that move, then of fixed ones. Gauss-Newton's method; residuals weigh the kinds of measurements
// (Hollerbach, Wampler 1996). Loops are cut open. Memory comes from malloc.
//
// These calls belong to the library limb_ident.

typedef struct limb_calibration limb_calibration;

/// What is measured, combined by |, and what is not known of the set-up, combined by |. Values are pinned.
enum {
  LIMB_MEASURE_POSITION = 1, ///< of the target
  LIMB_MEASURE_ROTATION = 2, ///< of the target
  LIMB_MEASURE_DISTANCE = 4, ///< of the target from the origin of the device
  LIMB_UNKNOWN_DEVICE = 1,   ///< pose of the device
  LIMB_UNKNOWN_TARGET = 2    ///< pose of the target on the frame
};

/// Start from limb_default_calibration_options().
typedef struct limb_calibration_options {
  size_t size;      ///< sizeof(limb_calibration_options), set by the default function
  int frame;        ///< body or frame that carries the target
  int offsets_only; ///< 1: joint offsets, and no placements; default 0
  unsigned unknown; ///< LIMB_UNKNOWN_DEVICE, LIMB_UNKNOWN_TARGET; default 0
  sp_pose device;   ///< of the world in the device, or a first guess; default identity
  sp_pose target;   ///< of the target in the frame, or a first guess; default identity
  double train;     ///< share of the measurements, the first ones, that is fitted; the others validate; default 0.7
} limb_calibration_options;

LIMB_API limb_calibration_options limb_default_calibration_options(int frame);

typedef struct limb_measurement {
  const double* q; ///< nq
  unsigned what;   ///< LIMB_MEASURE_POSITION, ...
  sp_pose pose;    ///< of the target in the device
  double distance; ///< >= 0 [m]
} limb_measurement;

/// @return LIMB_OK; LIMB_E_ARG (NULL, no such frame, one that does not move, options out of range); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_calibration_create(const limb_model* m,
                                                            const limb_calibration_options* options,
                                                            limb_calibration** out, limb_error* err);
LIMB_API void limb_calibration_destroy(limb_calibration* x); ///< NULL is accepted

/// @return LIMB_OK; LIMB_E_ARG (NULL, nothing is measured, a negative distance, a matrix that does not rotate);
///         LIMB_E_NONFINITE; LIMB_E_ORDER (after limb_calibration_fit); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_calibration_add(limb_calibration* x, const limb_measurement* measured,
                                                         limb_error* err);

/// @return LIMB_OK; LIMB_E_ARG (NULL; fewer measurements than parameters that they determine: err states how many are
///         needed); LIMB_E_SINGULAR (they show nothing); LIMB_E_NOCONV; LIMB_E_ORDER (a second call); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_calibration_fit(limb_calibration* x, limb_error* err);

/// "device.x", "target.x", "elbow.offset", "elbow.x". x y z [m] and rx ry rz [rad] are small motions in the axes of the
/// device, the target, the joint.
typedef struct limb_calibration_parameter {
  const char* name;
  int angle; ///< 1: [rad], 0: [m]
  int found; ///< 0: the measurements do not determine it, and it stays
  double change, std;
} limb_calibration_parameter;

LIMB_API int limb_calibration_count(const limb_calibration* x); ///< 0 before limb_calibration_fit

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range); LIMB_E_ORDER (before limb_calibration_fit).
LIMB_NODISCARD LIMB_API limb_status limb_calibration_get_parameter(const limb_calibration* x, int k,
                                                                   limb_calibration_parameter* out);

/// Root mean squares of the errors [m, rad, m]; 0: none were measured. The largest of positions or distances [m].
typedef struct limb_calibration_error {
  double position, rotation, distance, largest;
} limb_calibration_error;

typedef struct limb_calibration_facts {
  int measurements, fitted; ///< all, and those that were fitted
  int parameters, found;    ///< all, and those that the measurements determine
  double kept, dropped;     ///< last pivot that counts, first that does not, of columns of length 1
  int iterations;
  limb_calibration_error before[2], after[2]; ///< of those that were fitted; of the others, which validate
  sp_pose device, target;                     ///< as in the options, corrected
} limb_calibration_facts;

/// @return LIMB_OK; LIMB_E_ARG (NULL); LIMB_E_ORDER (before limb_calibration_fit).
LIMB_NODISCARD LIMB_API limb_status limb_calibration_get_facts(const limb_calibration* x, limb_calibration_facts* out);

/// Gives a robot the calibrated placements of its joints: the builder that the model was built from, or
/// limb_builder_from_model. Offsets of joints become part of their placements; device and target are not part of it.
/// @return LIMB_OK; LIMB_E_ARG (NULL, another robot); LIMB_E_ORDER (before limb_calibration_fit); as
///         limb_builder_set_joint.
LIMB_NODISCARD LIMB_API limb_status limb_calibration_apply(const limb_calibration* x, limb_builder* b, limb_error* err);

/// Sentences about suspicious measurements: units, joints that hardly move, outliers. NULL: no more.
LIMB_API const char* limb_calibration_note(const limb_calibration* x, int k);

#ifdef __cplusplus
}
#endif

#endif
