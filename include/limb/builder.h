// limb: robot dynamics in C. Describe a robot: bodies, joints, frames; then build the model.
//
// A builder belongs to one thread at a time. Every call that fails leaves the builder as it was.
// Bodies and joints have separate name spaces; a frame may not be called like a body.
//
//     limb_builder* b = NULL;
//     limb_model* robot = NULL;
//     limb_error err;
//     limb_body_def rod = limb_default_body_def("rod");
//     rod.inertia = limb_inertia_rod(2, 0.5); // along z, about its centre,
//     rod.inertia.com = sp_v3(0, 0, -0.25);   // which is below the hinge
//     limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
//     hinge.axis = sp_v3(0, 1, 0);
//     if (limb_builder_create(NULL, &b) != LIMB_OK) return 1;
//     if (limb_builder_add_body(b, &rod, NULL, &err) != LIMB_OK ||
//         limb_builder_add_joint(b, &hinge, NULL, &err) != LIMB_OK ||
//         limb_builder_build(b, &robot, &err) != LIMB_OK)
//       printf("%s: %s\n", err.where, err.text);
//     limb_builder_destroy(b);
#ifndef LIMB_BUILDER_H
#define LIMB_BUILDER_H

#include "limb/spatial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limb_builder limb_builder;

/// A compiled robot. Immutable: any number of threads may share it.
typedef struct limb_model limb_model;

enum {
  LIMB_WORLD_BODY = 0 ///< the body that exists from the start; its frame is the world (base) frame
};

/// X(ENUM, value, "name", nq, nv): the joint types. Values are pinned.
///
/// Coordinates, with the joint frame fixed in the parent body:
///   revolute     angle about the axis
///   prismatic    displacement along the axis
///   helical      angle about the axis; advances by pitch [m/rad]
///   cylindrical  angle about the axis, then displacement along it
///   universal    angle about axis (fixed in the parent), then about axis2 (fixed in the child)
///   planar       two displacements in the plane normal to the axis, then the angle about it; the
///                first displacement is along axis2, or, when axis2 is zero, along the x axis of the
///                joint frame turned with z onto the axis by the smallest rotation
///   spherical    q: quaternion x y z w; v: angular velocity in child axes
///   free         q: position, quaternion x y z w, in the joint frame; v: (w; v) in child axes
#define LIMB_JOINT_LIST(X)               \
  X(FIXED, 0, "fixed", 0, 0)             \
  X(REVOLUTE, 1, "revolute", 1, 1)       \
  X(PRISMATIC, 2, "prismatic", 1, 1)     \
  X(HELICAL, 3, "helical", 1, 1)         \
  X(CYLINDRICAL, 4, "cylindrical", 2, 2) \
  X(UNIVERSAL, 5, "universal", 2, 2)     \
  X(PLANAR, 6, "planar", 3, 3)           \
  X(SPHERICAL, 7, "spherical", 4, 3)     \
  X(FREE, 8, "free", 7, 6)

typedef enum limb_joint_type {
#define LIMB_X(name, value, text, nq, nv) LIMB_##name = (value),
  LIMB_JOINT_LIST(LIMB_X)
#undef LIMB_X
} limb_joint_type;

/// Whether a motor drives a joint. Values are pinned.
typedef enum limb_drive {
  LIMB_DRIVE_AUTO = 0,   ///< free joints and joints behind a shaft are passive, all others are active
  LIMB_DRIVE_ACTIVE = 1, ///< a motor makes it move as it is told
  LIMB_DRIVE_PASSIVE = 2 ///< it moves as springs, friction and the other bodies make it
} limb_drive;

/// A rigid body. Start from limb_default_body_def().
typedef struct limb_body_def {
  size_t size; ///< sizeof(limb_body_def), set by the default function: lets the struct grow
  const char* name;
  sp_inertia inertia; ///< default: no mass
} limb_body_def;

/// A joint. Start from limb_default_joint_def(). What a joint cannot have must keep its default, or
/// limb_builder_add_joint refuses it with LIMB_E_ARG:
///   axis2                      only universal (where it must be set) and planar; not parallel to axis
///   pitch                      only helical
///   q_min ... offset, start    only joints with one degree of freedom: revolute, prismatic, helical
///   multiplier, offset         only with mimic; a multiplier of zero never
///   drive, start               not fixed and mimic joints
/// Fixed, spherical and free joints have no axis: theirs is not looked at. v_max, effort_max, rotor,
/// friction and stiffness may not be negative, gear_ratio not zero, q_min not above q_max; start, unless it
/// is zero, lies between them.
typedef struct limb_joint_def {
  size_t size; ///< sizeof(limb_joint_def), set by the default function
  const char* name;
  limb_joint_type type;
  int parent, child;    ///< bodies; a body is the child of exactly one joint
  sp_pose placement;    ///< pose of the joint frame in the parent; at q = 0 the child frame lies there
  sp_vec3 axis;         ///< in the joint frame, any length but zero; default z
  sp_vec3 axis2;        ///< universal: the second axis; planar: the first direction; default 0
  double pitch;         ///< helical: advance [m/rad]
  double q_min, q_max;  ///< [rad] or [m]; default -+INFINITY: none
  double v_max;         ///< [rad/s] or [m/s]; default INFINITY
  double effort_max;    ///< [N m] or [N]; default INFINITY
  double rotor_inertia; ///< of the motor, about its own axis [kg m^2] (or [kg] for linear motors)
  double gear_ratio;    ///< motor turns per joint turn; the joint feels gear_ratio^2 rotor_inertia
  double coulomb;       ///< Fs >= 0 [N m] or [N]
  double viscous;       ///< Fv >= 0 [N m s/rad] or [N s/m]
  double stiffness;     ///< of a spring beside the joint, >= 0 [N m/rad] or [N/m]
  double rest;          ///< q at which that spring is relaxed
  int mimic;            ///< joint that this one follows: q = multiplier q_mimic + offset; -1: none
  double multiplier;    ///< default 1
  double offset;        ///< [rad] or [m]
  limb_drive drive;     ///< whether it has a motor: what limb_given_for_passive goes by
  double start;         ///< q from which loops are closed (limb/assemble.h) [rad] or [m]
} limb_joint_def;

/// An elastic shaft (gear, belt, tendon) between two joints with one degree of freedom, a driven one and a
/// motor; neither may be a mimic joint, and a joint is driven by one shaft at most. Start from
/// limb_default_shaft_def(). Its torque on the joint is
///     T = stiffness (q_motor / ratio - q_joint - rest) + damping (v_motor / ratio - v_joint)
/// and the motor feels -T / ratio. Damping counts as friction: an environment without friction has none.
typedef struct limb_shaft_def {
  size_t size;      ///< sizeof(limb_shaft_def), set by the default function
  int joint, motor; ///< joints: driven, driving
  double ratio;     ///< motor turns per joint turn; not zero; default 1
  double stiffness; ///< at the joint, >= 0 [N m/rad] or [N/m]
  double damping;   ///< at the joint, >= 0 [N m s/rad] or [N s/m]
  double rest;      ///< q_motor / ratio - q_joint of the relaxed shaft [rad] or [m]
} limb_shaft_def;

/// A series-elastic motor: a rotor on the parent body of a joint, and the shaft between them. Start from
/// limb_default_motor_def(). limb_builder_add_motor adds, in this order, a body "<joint>_rotor", a revolute
/// joint "<joint>_motor" and the shaft: a coordinate, the motor's angle, and its torque.
typedef struct limb_motor_def {
  size_t size;                            ///< sizeof(limb_motor_def), set by the default function
  int joint;                              ///< driven; it must have one degree of freedom
  int coupled;                            ///< 0: Spong's model, the rotor feels nothing of its carrier's motion; 1: the
                                          ///< full model, a flat disc that is carried along; default 0
  double rotor_inertia;                   ///< about the motor's axis, > 0 [kg m^2]
  double rotor_mass;                      ///< coupled: > 0 [kg], and no part of the parent's inertia; else 0
  sp_vec3 axis;                           ///< of the motor, in the joint frame; default 0: the joint's own
  sp_vec3 centre;                         ///< of the rotor, in the joint frame; default 0
  double ratio, stiffness, damping, rest; ///< of the shaft, as in limb_shaft_def
  double coulomb, viscous;                ///< friction of the motor, at the motor
  double effort_max;                      ///< of the motor [N m]; default INFINITY
} limb_motor_def;

/// X(ENUM, value, "name", locked, rows): how a loop is closed. Values are pinned.
///
/// A geometric closure holds a frame b, on one body, against a frame a, on another: R and p are rotation and
/// place of b seen from a. `locked` is a set of directions of frame a (limb_direction) that are held, one row
/// of equations each, in the order of the directions:
///   weld            all six: b lies on a
///   pin             turns about z only              (origins meet, z of b is z of a)
///   slider          slides along z only
///   cylindrical     turns about and slides along z
///   ball            turns freely about the origin
///   universal       origins meet, y of b is at right angles to x of a
///   planar          turns about z and slides along x and y
///   point_on_line   the origin of b is on the z axis of a
///   point_on_plane  the origin of b is in the x-y plane of a
///   lock            whatever limb_loop_def.locked says
/// and the others are
///   distance        the origins are `length` apart
///   gear            q_joint = ratio q_other + offset: coefficient[1] and [0]
///   polynomial      q_joint = sum of coefficient[k] q_other^k
///   knife_edge      the origin of b has no velocity along y of b, seen from a (non-holonomic)
///   wheel           a wheel of `radius` about z of b rolls on the x-y plane of a: its lowest point does not
///                   slip. Rows: along its track, and across (non-holonomic). That it stays on the plane is
///                   not its business.
///   rolling_disc    the same, and it stays on the plane. Rows: height (holonomic), along, across
///                   A wheel or disc that lies flat (its axis within 1e-7 of the plane's normal) has no track
///                   and no lowest point: LIMB_E_SINGULAR from all that looks at its rows
/// The rows of rotations, with a, b, c for x, y, z in cyclic order and R_ab for the entries of R:
///   all three locked        (R_ba - R_ab) / 2     for c
///   two, c left free        -R_bc for a,  R_ac for b
///   c alone                 -R_ab: the axis b of frame b stays at right angles to the axis a of frame a
/// All are angles, for small ones. Closures that leave no row, and rows that no joint can move, are findings
/// of limb_mobility (limb/loops.h).
#define LIMB_LOOP_LIST(X)                       \
  X(LOCK, 0, "lock", 0, 0)                      \
  X(WELD, 1, "weld", 63, 6)                     \
  X(PIN, 2, "pin", 59, 5)                       \
  X(SLIDER, 3, "slider", 31, 5)                 \
  X(CYLINDRICAL, 4, "cylindrical", 27, 4)       \
  X(BALL, 5, "ball", 56, 3)                     \
  X(UNIVERSAL, 6, "universal", 60, 4)           \
  X(PLANAR, 7, "planar", 35, 3)                 \
  X(POINT_ON_LINE, 8, "point_on_line", 24, 2)   \
  X(POINT_ON_PLANE, 9, "point_on_plane", 32, 1) \
  X(DISTANCE, 10, "distance", 0, 1)             \
  X(GEAR, 11, "gear", 0, 1)                     \
  X(POLYNOMIAL, 12, "polynomial", 0, 1)         \
  X(KNIFE_EDGE, 13, "knife_edge", 0, 1)         \
  X(WHEEL, 14, "wheel", 0, 2)                   \
  X(ROLLING_DISC, 15, "rolling_disc", 0, 3)

typedef enum limb_loop_kind {
#define LIMB_X(name, value, text, locked, rows) LIMB_LOOP_##name = (value),
  LIMB_LOOP_LIST(LIMB_X)
#undef LIMB_X
} limb_loop_kind;

/// Directions of a frame, to be combined: turning about and moving along its axes. Values are pinned.
typedef enum limb_direction {
  LIMB_TURN_X = 1,
  LIMB_TURN_Y = 2,
  LIMB_TURN_Z = 4,
  LIMB_MOVE_X = 8,
  LIMB_MOVE_Y = 16,
  LIMB_MOVE_Z = 32
} limb_direction;

/// s, s' and s'' at a time: what a row of a loop is to be instead of zero. Called from inside hot calls.
typedef void limb_motion_fn(void* context, double time, double s[3]);

/// s(t) = constant + rate t + amplitude sin(2 pi frequency t + phase) + fn(t). Of a row that turns, s is the angle,
/// through any number of turns; of a distance, what is added to the length; of a non-holonomic row, a velocity, s' is
/// meant.
typedef struct limb_prescribed_motion {
  int constraint; ///< of the loop, from 0 on: the one that follows this motion
  double constant, rate, amplitude, frequency, phase;
  limb_motion_fn* fn; ///< NULL: none. Models with one cannot be written to files
  void* context;      ///< handed on; must live as long as the model
} limb_prescribed_motion;

enum {
  LIMB_LOOP_COEFFICIENTS = 6 ///< of a polynomial
};

/// A closure of a loop, beside the tree of joints. Start from limb_default_loop_def(). What a kind does not
/// have must keep its default; the bodies of gear and polynomial are not looked at, and -1 when asked for.
/// Bodies and frames: the cut frames k (a) and k + B (b) of Khalil 2010.
typedef struct limb_loop_def {
  size_t size; ///< sizeof(limb_loop_def), set by the default function
  const char* name;
  limb_loop_kind kind;
  int body_a, body_b;                         ///< not the same; the world is one of them often enough
  sp_pose pose_a, pose_b;                     ///< of the frames a and b in their bodies
  unsigned locked;                            ///< lock: limb_direction, one at least
  double length;                              ///< distance: > 0 [m]
  double radius;                              ///< wheel, rolling_disc: > 0 [m]
  int joint, other;                           ///< gear, polynomial: joints with one degree of freedom, not the same
  double coefficient[LIMB_LOOP_COEFFICIENTS]; ///< gear, polynomial
  limb_prescribed_motion motion;              ///< default: all zero
} limb_loop_def;

/// A frame fixed in a body.
typedef struct limb_frame_info {
  const char* name;
  int body;
  sp_pose pose; ///< in the body
} limb_frame_info;

/// A body without mass.
LIMB_API limb_body_def limb_default_body_def(const char* name);

/// A joint at the parent's origin about z, without limits, friction, rotor, spring or mimic.
LIMB_API limb_joint_def limb_default_joint_def(const char* name, limb_joint_type type, int parent, int child);

/// A shaft without stiffness or damping.
LIMB_API limb_shaft_def limb_default_shaft_def(int joint, int motor);

/// A motor on the axis of the joint, uncoupled, without inertia or stiffness.
LIMB_API limb_motor_def limb_default_motor_def(int joint);

/// A closure between the origins of two bodies; gear and polynomial: set joint, other and coefficient.
LIMB_API limb_loop_def limb_default_loop_def(const char* name, limb_loop_kind kind, int body_a, int body_b);

/// An empty robot: the world body and gravity (0, 0, -9.81).
/// @param alloc  where builder and model take memory from; NULL for malloc. Copied.
/// @return LIMB_OK, LIMB_E_ARG (out is NULL, half an allocator) or LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_create(const limb_allocator* alloc, limb_builder** out);

/// Frees a builder; NULL is accepted. Models built from it live on.
LIMB_API void limb_builder_destroy(limb_builder* b);

/// Name of the robot, copied; default "robot".
/// @return LIMB_OK; LIMB_E_ARG (NULL, empty name); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_name(limb_builder* b, const char* name);

/// Default gravity of the model, an acceleration in world axes [m/s^2].
/// @return LIMB_OK, LIMB_E_ARG (b is NULL) or LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_gravity(limb_builder* b, sp_vec3 gravity);

/// Adds a body. It still needs a joint.
/// @param body  its index, from 1 on in the order of the calls (output, may be NULL)
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty name or that of a body or frame); LIMB_E_NONFINITE;
///         LIMB_E_UNSUPPORTED (def is of a newer limb and sets what this one does not know);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_body(limb_builder* b, const limb_body_def* def, int* body,
                                                          limb_error* err);

/// Adds a joint. Joints are numbered from 0 in the order of the calls; this is the order of q and v.
/// A mimic joint may name a joint that is added later.
/// @param joint  its index (output, may be NULL)
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty or repeated name, a body that is not there, the world or
///         the parent itself as child, zero axis, a rotation that is not one to 1e-6, a joint that
///         mimics itself, whatever limb_joint_def rules out); LIMB_E_NONFINITE (limits may be
///         infinite); LIMB_E_UNSUPPORTED (as for a body); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_joint(limb_builder* b, const limb_joint_def* def, int* joint,
                                                           limb_error* err);

/// Adds a named frame fixed in a body. Every body is itself a frame of that name.
/// @param frame  its index among the added frames, from 0 on (output, may be NULL); in the model the
///               frames are the bodies, then these: see limb_find_frame
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty name or that of a body or frame, a body that is not
///         there, a rotation that is not one to 1e-6); LIMB_E_NONFINITE; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_frame(limb_builder* b, const char* name, int body,
                                                           const sp_pose* pose, int* frame, limb_error* err);

/// Adds a shaft between two joints that were added before.
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such joint, whatever limb_shaft_def rules out); LIMB_E_NONFINITE;
///         LIMB_E_UNSUPPORTED (as for a body); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_shaft(limb_builder* b, const limb_shaft_def* def, limb_error* err);

/// Adds rotor, motor joint and shaft of a series-elastic joint, or nothing.
/// @param motor  index of the motor's joint (output, may be NULL)
/// @return as limb_builder_add_shaft; LIMB_E_ARG also when one of the two names is taken.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_motor(limb_builder* b, const limb_motor_def* def, int* motor,
                                                           limb_error* err);

/// Number of shafts; what was said about one. 0 for NULL.
LIMB_API int limb_builder_shaft_count(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_shaft(const limb_builder* b, int shaft, limb_shaft_def* out);

/// Adds a closure of a loop between bodies, or a relation between joints, that were added before.
/// @param loop  its index, from 0 on in the order of the calls (output, may be NULL)
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty or repeated name, no such body or joint, a rotation that is
///         not one to 1e-6, whatever limb_loop_def rules out); LIMB_E_NONFINITE; LIMB_E_UNSUPPORTED (as for
///         a body); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_loop(limb_builder* b, const limb_loop_def* def, int* loop,
                                                          limb_error* err);

/// Number of loops; what was said about one; its index by name, -1 when there is none. 0 for NULL.
LIMB_API int limb_builder_loop_count(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_loop(const limb_builder* b, int loop, limb_loop_def* out);
LIMB_API int limb_builder_find_loop(const limb_builder* b, const char* name);

/// "pin", "ball", ...; NULL for a number that is none. The directions that a kind locks (0 for lock and those
/// that are not geometric), and the number of its rows (0 for lock: as many as are locked).
LIMB_API const char* limb_loop_kind_name(limb_loop_kind kind);
LIMB_API unsigned limb_loop_kind_locked(limb_loop_kind kind);
LIMB_API int limb_loop_kind_constraints(limb_loop_kind kind);

/// What row k of a closure is about: "turn_x" ... "move_z" for a direction that is locked, "distance",
/// "gear", "polynomial", "knife", "height", "along", "across"; NULL beyond the last (of directions), and for
/// NULL.
LIMB_API const char* limb_loop_constraint_name(const limb_loop_def* def, int k);

/// Number of bodies, the world included; of joints; of added frames. 0 for NULL.
LIMB_API int limb_builder_body_count(const limb_builder* b);
LIMB_API int limb_builder_joint_count(const limb_builder* b);
LIMB_API int limb_builder_frame_count(const limb_builder* b);

/// Index of a body or joint by name; -1 when there is none. O(1).
LIMB_API int limb_builder_find_body(const limb_builder* b, const char* name);
LIMB_API int limb_builder_find_joint(const limb_builder* b, const char* name);

/// What was said: the robot's name and gravity, a body, a joint (axes normalised), an added frame. Names live
/// until the builder changes. NULL or zero for NULL.
/// @return LIMB_OK or LIMB_E_ARG (NULL, index out of range).
LIMB_API const char* limb_builder_name(const limb_builder* b);
LIMB_API sp_vec3 limb_builder_gravity(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_body(const limb_builder* b, int body, limb_body_def* out);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_joint(const limb_builder* b, int joint, limb_joint_def* out);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_frame(const limb_builder* b, int frame, limb_frame_info* out);

/// Changes the inertia of a body that was added: a payload, a repair.
/// @return LIMB_OK; LIMB_E_ARG (NULL, the world, no such body); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_inertia(limb_builder* b, int body, const sp_inertia* Y);

/// Compiles the robot into an immutable model: merges fixed bodies, lowers compound joints, chooses
/// link frames and groups inertial parameters. What it did is told by limb_model_note().
/// The builder stays usable. O(n log n) time, O(n) memory.
/// @return LIMB_OK; LIMB_E_MODEL (a body without joint or with two, a kinematic cycle, a mimic cycle
///         or a mimic target that cannot be followed, a loop between bodies that are rigidly connected or
///         between joints of which one mimics the other); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_build(const limb_builder* b, limb_model** out, limb_error* err);

#ifdef __cplusplus
}
#endif

#endif
