// limb: robot dynamics in C. Describe a robot: bodies, joints, shafts, loops, frames; then build the model.
//
//     limb_joint_def hinge = limb_default_joint_def("hinge", LIMB_REVOLUTE, LIMB_WORLD_BODY, 1);
//     hinge.axis = sp_v3(0, 1, 0);
//     if (limb_builder_add_joint(b, &hinge, NULL, &err) != LIMB_OK) puts(err.text);
//
// A pendulum, complete:
//
//     limb_builder* b = NULL;
//     limb_model* robot = NULL;
//     limb_error err;
//     limb_body_def rod = limb_default_body_def("rod");
//     rod.inertia = limb_inertia_rod(2, 0.5); // along z, about its centre,
//     rod.inertia.com = sp_v3(0, 0, -0.25);   // which is below the hinge
//     if (limb_builder_create(NULL, &b) != LIMB_OK) return 1;
//     if (limb_builder_add_body(b, &rod, NULL, &err) != LIMB_OK ||
//         limb_builder_add_joint(b, &hinge, NULL, &err) != LIMB_OK || // as above
//         limb_builder_build(b, &robot, &err) != LIMB_OK)
//       printf("%s: %s\n", err.where, err.text);
//     limb_builder_destroy(b);
//
// A builder belongs to one thread at a time. A call that fails leaves the builder unchanged. Names of bodies and of
// joints are independent of each other; a frame must not have the name of a body.
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
  LIMB_WORLD_BODY = 0 ///< the body of an empty robot; its frame is the world (base) frame
};

/// X(ENUM, value, "name", nq, nv): the joint types. Values are pinned.
///
/// Coordinates, with the joint frame fixed in the parent body:
///   revolute     angle about the axis
///   prismatic    displacement along the axis
///   helical      angle about the axis; advances along it by pitch [m/rad]
///   cylindrical  angle about the axis, then displacement along it
///   universal    angle about axis (fixed in the parent), then about axis2 (fixed in the child)
///   planar       two displacements in the plane normal to the axis, then the angle about it; the first displacement
///                is along axis2 or, if axis2 is zero, along the x axis of the joint frame after the smallest rotation
///                that turns its z axis into the axis
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

/// Whether a joint has a motor. Values are pinned.
typedef enum limb_drive {
  LIMB_DRIVE_AUTO = 0,   ///< free joints and joints behind a shaft are passive, all others are active
  LIMB_DRIVE_ACTIVE = 1, ///< a motor controls its motion
  LIMB_DRIVE_PASSIVE = 2 ///< springs, friction and the other bodies determine its motion
} limb_drive;

enum {
  LIMB_JOINT_DOFS = 6 ///< most degrees of freedom of a joint
};

/// How joints are placed in a description. Values are pinned.
typedef enum limb_form {
  LIMB_FORM_POSES = 0, ///< the pose of the joint in its parent: xyz and rpy, and an axis
  LIMB_FORM_MDH = 1,   ///< modified Denavit-Hartenberg rows (Khalil 2010)
  LIMB_FORM_DH = 2,    ///< standard Denavit-Hartenberg rows
  LIMB_FORM_POE = 3    ///< product of exponentials: screws, and home poses of the bodies (Lynch and Park 2017)
} limb_form;

/// A rigid body. Start from limb_default_body_def().
typedef struct limb_body_def {
  size_t size; ///< sizeof(limb_body_def), set by the default function: the struct may grow
  const char* name;
  sp_inertia inertia; ///< default: no mass
} limb_body_def;

/// A joint. Start from limb_default_joint_def(). Members that a joint does not have must keep their defaults;
/// otherwise limb_builder_add_joint returns LIMB_E_ARG:
///   axis2                      only universal (required) and planar; not parallel to axis
///   pitch                      only helical
///   q_min ... offset, start,
///   a_max ... jerk_max         only joints with one degree of freedom: revolute, prismatic, helical; the stiffness
///                              also spherical joints
///   multiplier, offset         only with mimic; the multiplier must not be zero
///   drive, start               not for fixed and mimic joints
///   armature, damping          only joints with several degrees of freedom, one number for each. The armature of a
///                              spherical joint and of the turning of a free one is the same about all axes, in
///                              translation a free joint has none: its frame turns, and with it the momentum
/// The axis of fixed, spherical and free joints is ignored. Limits but those of q, rotor, friction, stiffness, armature
/// and damping must not be negative, gear_ratio not zero, q_min not above q_max; start must lie within q_min and q_max
/// unless it is zero.
typedef struct limb_joint_def {
  size_t size; ///< sizeof(limb_joint_def), set by the default function
  const char* name;
  limb_joint_type type;
  int parent, child;    ///< bodies; a body is the child of exactly one joint
  sp_pose placement;    ///< pose of the joint frame in the parent, and of the child frame at q = 0
  sp_vec3 axis;         ///< in the joint frame, of any length except zero; default z
  sp_vec3 axis2;        ///< universal: the second axis; planar: the first direction; default 0
  double pitch;         ///< helical: advance [m/rad]
  double q_min, q_max;  ///< [rad] or [m]; default -+INFINITY: no limits
  double v_max;         ///< [rad/s] or [m/s]; default INFINITY
  double effort_max;    ///< [N m] or [N]; default INFINITY
  double rotor_inertia; ///< of the motor about its own axis [kg m^2]; linear motors: mass [kg]
  double gear_ratio;    ///< motor turns per joint turn; the reflected inertia is gear_ratio^2 rotor_inertia; default 1
  double coulomb;       ///< Fs >= 0 [N m] or [N]
  double viscous;       ///< Fv >= 0 [N m s/rad] or [N s/m]
  double stiffness;     ///< of a spring parallel to the joint, >= 0 [N m/rad] or [N/m]; of a spherical joint towards
                        ///< q = identity: the torque is -stiffness times the rotation vector
  double rest;          ///< q at which that spring is relaxed [rad] or [m]
  int mimic;            ///< joint that this one follows: q = multiplier q_mimic + offset; -1: none
  double multiplier;    ///< default 1
  double offset;        ///< [rad] or [m]
  limb_drive drive;     ///< whether it has a motor; limb_given_for_passive depends on it
  double start;         ///< q from which loops are closed (limb/assemble.h) [rad] or [m]
  double armature[LIMB_JOINT_DOFS]; ///< inertia of motors as the joint feels it, per entry of v [kg m^2] or [kg]
  double damping[LIMB_JOINT_DOFS];  ///< viscous friction, per entry of v [N m s/rad] or [N s/m]
  double a_max;                     ///< acceleration while the joint becomes faster [rad/s^2] or [m/s^2], and
  double deceleration_max;          ///< while it becomes slower; default INFINITY
  double jerk_max;                  ///< [rad/s^3] or [m/s^3]; default INFINITY
} limb_joint_def;

/// A point that a tendon runs through, fixed to a body.
typedef struct limb_tendon_point {
  int body;
  sp_vec3 at;    ///< in the frame of the body [m]
  double pulley; ///< 0: the tendon comes straight from the point before. Above zero: a branch starts here, whose
                 ///< lengths count 1 / pulley; the first point may leave it zero, which counts as 1
} limb_tendon_point;

/// A tendon, a spring and damper with the tension T = stiffness (length - rest) + damping d(length)/dt, either over
/// pulleys on joints with one degree of freedom (set count, joint, coefficient), where -coefficient[k] T acts on joint
/// k, or through points of bodies (set points, point), between which it is straight:
///     length = sum coefficient[k] q_joint[k]        length = sum |p[k] - p[k - 1]| / pulley of the branch
/// Such a tendon pulls below its rest length, too: it is a spring, not a rope. It has no direction, and exerts no
/// force, where two successive points coincide. Start from limb_default_tendon_def(). Damping counts as friction: it is
/// zero in an environment without friction.
typedef struct limb_tendon_def {
  size_t size; ///< sizeof(limb_tendon_def), set by the default function
  const char* name;
  int count;                      ///< of joints; 0: it runs through points
  const int* joint;               ///< different ones; mimic joints are allowed
  const double* coefficient;      ///< radius of the pulley [m], or a number; not zero
  double stiffness;               ///< >= 0 [N/m]
  double damping;                 ///< >= 0 [N s/m]
  double rest;                    ///< length of the relaxed tendon [m]
  int points;                     ///< their number, at least 2 in each branch; 0: it runs over joints
  const limb_tendon_point* point; ///< in order
} limb_tendon_def;

/// An elastic shaft (gear, belt, tendon) between a driven joint and a motor joint, both with one degree of freedom.
/// Neither may be a mimic joint, and at most one shaft drives a joint. Start from limb_default_shaft_def(). Its torque
/// on the joint is
///     T = stiffness (q_motor / ratio - q_joint - rest) + damping (v_motor / ratio - v_joint)
/// and -T / ratio acts on the motor. Damping counts as friction: it is zero in an environment without friction.
typedef struct limb_shaft_def {
  size_t size;      ///< sizeof(limb_shaft_def), set by the default function
  int joint, motor; ///< the driven joint, the driving joint
  double ratio;     ///< motor turns per joint turn; not zero; default 1
  double stiffness; ///< at the joint, >= 0 [N m/rad] or [N/m]
  double damping;   ///< at the joint, >= 0 [N m s/rad] or [N s/m]
  double rest;      ///< q_motor / ratio - q_joint of the relaxed shaft [rad] or [m]
} limb_shaft_def;

/// A series-elastic motor: a rotor on the parent body of a joint, and a shaft between rotor and joint. Start from
/// limb_default_motor_def(). limb_builder_add_motor adds, in this order, a body "<joint>_rotor", a revolute joint
/// "<joint>_motor", whose coordinate is the angle of the motor, and the shaft.
typedef struct limb_motor_def {
  size_t size;                            ///< sizeof(limb_motor_def), set by the default function
  int joint;                              ///< the driven joint; it must have one degree of freedom
  int coupled;                            ///< 0: Spong's model, the motion of its carrier does not affect the rotor;
                                          ///< 1: the full model, a flat disc that is carried along; default 0
  double rotor_inertia;                   ///< about the motor's axis, > 0 [kg m^2]
  double rotor_mass;                      ///< coupled: > 0 [kg], not included in the parent's inertia; otherwise 0
  sp_vec3 axis;                           ///< of the motor, in the joint frame; default 0: that of the joint
  sp_vec3 centre;                         ///< of the rotor, in the joint frame [m]; default 0
  double ratio, stiffness, damping, rest; ///< of the shaft, as in limb_shaft_def
  double coulomb, viscous;                ///< friction at the motor [N m, N m s/rad]
  double effort_max;                      ///< of the motor [N m]; default INFINITY
} limb_motor_def;

/// X(ENUM, value, "name", locked, constraints): how a loop is closed. Values are pinned.
///
/// A geometric closure locks a frame b, on one body, to a frame a, on another one. R and p are the rotation and the
/// position of b in a. `locked` is the set of locked directions of frame a (limb_direction); each is one constraint,
/// in the order of the directions:
///   weld            all six: b coincides with a
///   pin             b turns about z only              (origins coincide, z of b is z of a)
///   slider          b slides along z only
///   cylindrical     b turns about and slides along z
///   ball            b turns freely about the origin
///   universal       origins coincide, y of b is perpendicular to x of a
///   planar          b turns about z and slides along x and y
///   point_on_line   the origin of b is on the z axis of a
///   point_on_plane  the origin of b is in the x-y plane of a
///   lock            the directions in limb_loop_def.locked
/// The other kinds are
///   distance        the distance between the origins is `length`
///   gear            q_joint = ratio q_other + offset: coefficient[1] and [0]
///   polynomial      q_joint = sum of coefficient[k] q_other^k
///   knife_edge      the origin of b has no velocity along y of b, relative to a (non-holonomic)
///   wheel           a wheel of `radius` about z of b rolls on the x-y plane of a: its lowest point does not slip.
///                   Constraints: along its track, and across (non-holonomic). They do not keep it on the plane
///   rolling_disc    the same, and kept on the plane. Constraints: height (holonomic), along, across
/// The constraints of rotations, with a, b, c for x, y, z in cyclic order and R_ab for the entries of R:
///   all three locked        (R_ba - R_ab) / 2     for c
///   two, c free             -R_bc for a,  R_ac for b
///   c alone                 -R_ab: the axis b of frame b stays perpendicular to the axis a of frame a
/// For small rotations all of them are angles. limb_mobility_at (limb/loops.h) reports closures without constraints,
/// and constraints that no joint can move.
/// A wheel or disc that lies flat (its axis within 1e-7 of the plane's normal) has neither track nor lowest point:
/// every call that evaluates its constraints returns LIMB_E_SINGULAR.
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

/// Directions of a frame, combined by |: rotation about and translation along its axes. Values are pinned.
typedef enum limb_direction {
  LIMB_TURN_X = 1,
  LIMB_TURN_Y = 2,
  LIMB_TURN_Z = 4,
  LIMB_MOVE_X = 8,
  LIMB_MOVE_Y = 16,
  LIMB_MOVE_Z = 32
} limb_direction;

/// Sets s, s' and s'' at a time: the value of a constraint of a loop, instead of zero. Hot calls call it.
typedef void limb_motion_fn(void* context, double time, double s[3]);

/// s(t) = constant + rate t + amplitude sin(2 pi frequency t + phase) + fn(t). For a rotation, s is the angle, through
/// any number of turns; for a distance, it is added to the length; for a non-holonomic constraint, the prescribed
/// velocity is s'.
typedef struct limb_prescribed_motion {
  int constraint; ///< of the loop, from 0 on: the one with this motion
  double constant, rate, amplitude, frequency, phase;
  limb_motion_fn* fn; ///< NULL: none. Models with a function cannot be written to files
  void* context;      ///< passed to fn; must outlive the model
} limb_prescribed_motion;

enum {
  LIMB_LOOP_COEFFICIENTS = 6 ///< of a polynomial
};

/// A closure of a loop, in addition to the tree of joints. Start from limb_default_loop_def(). Members that a kind does
/// not have must keep their defaults. The bodies of gear and polynomial are ignored on input and -1 on output.
/// Frames a and b are the cut frames k and k + B of Khalil 2010.
typedef struct limb_loop_def {
  size_t size; ///< sizeof(limb_loop_def), set by the default function
  const char* name;
  limb_loop_kind kind;
  int body_a, body_b;                         ///< two different bodies; one may be the world
  sp_pose pose_a, pose_b;                     ///< of the frames a and b in their bodies
  unsigned locked;                            ///< lock: at least one limb_direction
  double length;                              ///< distance: > 0 [m]
  double radius;                              ///< wheel, rolling_disc: > 0 [m]
  int joint, other;                           ///< gear, polynomial: two different joints with one degree of freedom
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

/// A joint at the parent's origin about z, without limits, friction, rotor, spring and mimic.
LIMB_API limb_joint_def limb_default_joint_def(const char* name, limb_joint_type type, int parent, int child);

/// A shaft without stiffness and damping.
LIMB_API limb_shaft_def limb_default_shaft_def(int joint, int motor);

/// A tendon over no joints and points, without stiffness and damping.
LIMB_API limb_tendon_def limb_default_tendon_def(const char* name);

/// A motor on the axis of the joint, uncoupled, without inertia and stiffness.
LIMB_API limb_motor_def limb_default_motor_def(int joint);

/// A closure between the origins of two bodies. For gear and polynomial, set joint, other and coefficient.
LIMB_API limb_loop_def limb_default_loop_def(const char* name, limb_loop_kind kind, int body_a, int body_b);

/// A torque over the speed, as data sheets draw it: straight lines between points, constant below the first speed; none
/// beyond the last one.
typedef struct limb_torque_curve {
  int count;           ///< of points; 0: not known
  const double* point; ///< count x 2: speed [rad/s], zero or more, growing; torque [N m], zero or more
} limb_torque_curve;

/// Motor and gearbox of a joint with one degree of freedom, for sizing (limb/study.h); files of them are read by
/// limb_read_motors (limb/read.h). Not part of the dynamics: that is rotor_inertia. Zero: not known.
typedef struct limb_gearmotor {
  const char* joint;           ///< its name
  const char *motor, *gearbox; ///< names, for tables; NULL: none
  double rated_torque;         ///< of the motor, what it can deliver all the time: its RMS torque stays below [N m]
  double peak_torque;          ///< what it can deliver for a short time [N m]
  double rated_speed;          ///< up to which it delivers these torques; beyond it, their power there [rad/s]
  double max_speed;            ///< [rad/s]
  double inertia;              ///< of what turns with the motor, about its axis [kg m^2]; 0: the rotor of the model
  double ratio;                ///< speed of the motor by that of the joint, above zero [1, of slides rad/m]; 0: 1
  double efficiency;           ///< of the gearbox, at most 1; 0: 1
  double output_mean;          ///< torque, of slides force, at the output of the gearbox: cubic mean [N m, N],
  double output_peak;          ///< and largest
  double input_speed;          ///< of the gearbox, largest [rad/s]
  int slides;                  ///< 1: for joints that slide
  int line;                    ///< in the file
  limb_torque_curve rated_curve, peak_curve; ///< instead of rated_speed; where torques and max_speed are zero, their
                                             ///< largest torque and speed take their places
} limb_gearmotor;

/// Creates an empty robot: the world body, and gravity (0, 0, -9.81) m/s^2.
/// @param alloc  source of memory for builder and model; NULL: malloc. Copied
/// @return LIMB_OK; LIMB_E_ARG (out is NULL, incomplete allocator); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_create(const limb_allocator* alloc, limb_builder** out);

/// Frees a builder; NULL is accepted. Models built from it stay valid.
LIMB_API void limb_builder_destroy(limb_builder* b);

/// Sets the name of the robot, which is copied; default "robot".
/// @return LIMB_OK; LIMB_E_ARG (NULL, empty name); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_name(limb_builder* b, const char* name);

/// Sets the default gravity of the model: an acceleration in world axes [m/s^2].
/// @return LIMB_OK; LIMB_E_ARG (b is NULL); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_gravity(limb_builder* b, sp_vec3 gravity);

/// Largest tolerance of loops [m, rad].
#define LIMB_LOOP_TOLERANCE_MAX 1e-3

/// Sets how far loops may stay open [m, rad] where no configuration closes them and least squares leave a residual, as
/// for overconstrained loops whose poses have few digits; default 1e-7. Loops that can close are closed to rounding
/// all the same. The limb_assembly_report has what stays open.
/// @return LIMB_OK; LIMB_E_ARG (b is NULL; not above zero and at most LIMB_LOOP_TOLERANCE_MAX); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_loop_tolerance(limb_builder* b, double tolerance);

/// Adds a body. It also needs a joint.
/// @param body  its index, from 1 on in the order of the calls; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty name or that of another body or frame); LIMB_E_NONFINITE;
///         LIMB_E_UNSUPPORTED (def comes from a newer limb and sets a member that this one does not know);
///         LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_body(limb_builder* b, const limb_body_def* def, int* body,
                                                          limb_error* err);

/// Adds a joint. Joints are numbered from 0 in the order of the calls, which is also the order of q and v. A mimic
/// joint may refer to a joint that is added later.
/// @param joint  its index; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty or repeated name, no such body, the world or the parent itself as
///         child, zero axis, a rotation matrix that is not orthonormal to 1e-6, a joint that mimics itself, any
///         violation of the rules of limb_joint_def); LIMB_E_NONFINITE (limits may be infinite);
///         LIMB_E_UNSUPPORTED (as for a body); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_joint(limb_builder* b, const limb_joint_def* def, int* joint,
                                                           limb_error* err);

/// Adds a named frame fixed in a body. Every body is itself a frame with the name of the body.
/// @param frame  its index among the added frames, from 0 on; NULL: not needed (output). The frames of the model are
///               its bodies, then these: see limb_find_frame
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty name or that of another body or frame, no such body, a rotation matrix
///         that is not orthonormal to 1e-6); LIMB_E_NONFINITE; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_frame(limb_builder* b, const char* name, int body,
                                                           const sp_pose* pose, int* frame, limb_error* err);

/// Adds a shaft between two joints that exist already.
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such joint, any violation of the rules of limb_shaft_def); LIMB_E_NONFINITE;
///         LIMB_E_UNSUPPORTED (as for a body); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_shaft(limb_builder* b, const limb_shaft_def* def, limb_error* err);

/// Adds the rotor, the motor joint and the shaft of a series-elastic joint. On failure it adds none of them.
/// @param motor  index of the motor joint; NULL: not needed (output)
/// @return as limb_builder_add_shaft; LIMB_E_ARG also if one of the two names exists.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_motor(limb_builder* b, const limb_motor_def* def, int* motor,
                                                           limb_error* err);

/// Number of shafts (0 if b is NULL), and a shaft as described.
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_builder_shaft_count(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_shaft(const limb_builder* b, int shaft, limb_shaft_def* out);

/// Adds a tendon over joints, or through points of bodies, that exist already. The lists of the definition are copied.
/// @param tendon  its index, from 0 on in the order of the calls; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty name, no such joint or body, a joint that occurs twice or does not have
///         one degree of freedom, any violation of the rules of limb_tendon_def); LIMB_E_NONFINITE;
///         LIMB_E_UNSUPPORTED (as for a body); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_tendon(limb_builder* b, const limb_tendon_def* def, int* tendon,
                                                            limb_error* err);

/// Number of tendons (0 if b is NULL), and a tendon as described; its lists are valid until the builder is destroyed.
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_builder_tendon_count(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_tendon(const limb_builder* b, int tendon, limb_tendon_def* out);

/// Adds a closure of a loop between bodies, or a relation between joints, that exist already.
/// @param loop  its index, from 0 on in the order of the calls; NULL: not needed (output)
/// @return LIMB_OK; LIMB_E_ARG (NULL, an empty or repeated name, no such body or joint, a rotation matrix that is not
///         orthonormal to 1e-6, any violation of the rules of limb_loop_def); LIMB_E_NONFINITE; LIMB_E_UNSUPPORTED (as
///         for a body); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_add_loop(limb_builder* b, const limb_loop_def* def, int* loop,
                                                          limb_error* err);

/// Number of loops (0 if b is NULL); a loop as described; index by name, -1: none has it.
/// @return of limb_builder_get_loop: LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_builder_loop_count(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_loop(const limb_builder* b, int loop, limb_loop_def* out);
LIMB_API int limb_builder_find_loop(const limb_builder* b, const char* name);

/// Name of a kind, "pin", "ball", ..., NULL for an unknown one; the directions that it locks (0 for lock and for kinds
/// that are not geometric); the number of its constraints (0 for lock, which has one per locked direction).
LIMB_API const char* limb_loop_kind_name(limb_loop_kind kind);
LIMB_API unsigned limb_loop_kind_locked(limb_loop_kind kind);
LIMB_API int limb_loop_kind_constraints(limb_loop_kind kind);

/// Name of constraint k of a closure: "turn_x" ... "move_z" for a locked direction, "distance", "gear", "polynomial",
/// "knife", "height", "along", "across". NULL if k is out of range (of the locked directions) or def is NULL.
LIMB_API const char* limb_loop_constraint_name(const limb_loop_def* def, int k);

/// Number of bodies, the world included; of joints; of added frames. 0 if b is NULL.
LIMB_API int limb_builder_body_count(const limb_builder* b);
LIMB_API int limb_builder_joint_count(const limb_builder* b);
LIMB_API int limb_builder_frame_count(const limb_builder* b);

/// Index of a body or joint by name; -1: none has it. O(1).
LIMB_API int limb_builder_find_body(const limb_builder* b, const char* name);
LIMB_API int limb_builder_find_joint(const limb_builder* b, const char* name);

/// The definitions: name, gravity and tolerance of loops of the robot, a body, a joint (with unit axes), an added
/// frame. Names are valid until the builder changes. If b is NULL, the name is NULL, gravity and tolerance are zero.
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API const char* limb_builder_name(const limb_builder* b);
LIMB_API sp_vec3 limb_builder_gravity(const limb_builder* b);
LIMB_API double limb_builder_loop_tolerance(const limb_builder* b);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_body(const limb_builder* b, int body, limb_body_def* out);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_joint(const limb_builder* b, int joint, limb_joint_def* out);
LIMB_NODISCARD LIMB_API limb_status limb_builder_get_frame(const limb_builder* b, int frame, limb_frame_info* out);

/// Replaces the inertia of a body, for example to add a payload or to correct an error.
/// @return LIMB_OK; LIMB_E_ARG (NULL, the world, no such body); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_builder_set_inertia(limb_builder* b, int body, const sp_inertia* Y);

/// Compiles the robot into an immutable model: merges fixed bodies, lowers compound joints, chooses link frames and
/// groups inertial parameters. limb_model_note() reports all changes. The builder remains usable. O(n log n) time, O(n)
/// memory.
/// @return LIMB_OK; LIMB_E_MODEL (a body without joint or with two, a kinematic cycle, a mimic cycle, a mimic target
///         that cannot be followed, a loop between bodies that are rigidly connected or between joints of which one
///         mimics the other); LIMB_E_ARG; LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_build(const limb_builder* b, limb_model** out, limb_error* err);

#ifdef __cplusplus
}
#endif

#endif
