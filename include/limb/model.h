// limb: robot dynamics in C. Models: sizes, names and properties; workspaces; the configuration manifold.
//
//     limb_data* d = NULL;
//     if (limb_data_create(robot, NULL, &d) != LIMB_OK) return 1;    // one workspace per thread
//     if (limb_neutral(robot, q) != LIMB_OK) return 1;               // q: limb_nq(robot) numbers
//     printf("%s: %d velocities\n", limb_model_name(robot), limb_nv(robot));
//
// A model is immutable: any number of threads may share it. A limb_data belongs to one thread at a time.
// Indices: body 0 is the world; bodies and joints are numbered in the order in which they were added to the builder.
// A frame index refers to a body (0 ... bodies-1) or to an added frame (from bodies on).
#ifndef LIMB_MODEL_H
#define LIMB_MODEL_H

#include "limb/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Frees a model; NULL is accepted. Destroy every limb_data that uses it first.
LIMB_API void limb_model_destroy(limb_model* m);

/// Creates a builder that describes the same robot, to modify, write or rebuild it.
/// @return LIMB_OK; LIMB_E_ARG (NULL, incomplete allocator); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_from_model(const limb_model* m, const limb_allocator* alloc,
                                                            limb_builder** out);

// ---- sizes, names, properties: O(1); for NULL they return 0, -1 or NULL ---------------------------

LIMB_API const char* limb_model_name(const limb_model* m);
LIMB_API int limb_nq(const limb_model* m); ///< length of q; mimic joints have no coordinate
LIMB_API int limb_nv(const limb_model* m); ///< length of v, a, tau
LIMB_API int limb_body_count(const limb_model* m);
LIMB_API int limb_joint_count(const limb_model* m);
LIMB_API int limb_frame_count(const limb_model* m); ///< bodies and added frames
LIMB_API int limb_find_body(const limb_model* m, const char* name);
LIMB_API int limb_find_joint(const limb_model* m, const char* name);
LIMB_API int limb_find_frame(const limb_model* m, const char* name); ///< bodies included
LIMB_API sp_vec3 limb_model_gravity(const limb_model* m);            ///< [m/s^2]; zero if m is NULL
LIMB_API double limb_model_loop_tolerance(const limb_model* m);      ///< limb_builder_set_loop_tolerance
LIMB_API double limb_total_mass(const limb_model* m);                ///< [kg], bodies fixed to the world included

/// Properties of a body.
typedef struct limb_body_info {
  const char* name;
  int parent;         ///< body; -1 for the world
  int joint;          ///< the joint that connects it to its parent; -1 for the world
  int moved_by;       ///< body whose moving joint carries this one (the body itself unless it is fixed); 0: the world
  sp_inertia inertia; ///< as described
} limb_body_info;

/// Properties of a joint.
typedef struct limb_joint_info {
  limb_joint_def def;        ///< as described, with unit axes
  int q, nq;                 ///< first coordinate in q and their number; a mimic joint has its source's q, and nq = 0
  int v, nv;                 ///< the same in v
  double multiplier, offset; ///< mimic chains resolved: q_joint = multiplier q[q] + offset
  int passive;               ///< 1: it has no motor (limb_drive, AUTO resolved); 0 for fixed and mimic joints
  int shaft;                 ///< the shaft that drives it; -1: none
} limb_joint_info;

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_body(const limb_model* m, int body, limb_body_info* out);

/// The body to which an auxiliary body belongs; -1 for all other bodies. Readers add a massless body "NAME.axis" and a
/// fixed joint "NAME.offset" if a body in a file is away from the axis of its joint.
LIMB_API int limb_stands_for(const limb_model* m, int body);

enum {
  LIMB_FRAME_HINT = 160 ///< characters of limb_frame_hint
};

/// What was probably meant by a name that no frame has, as the end of a sentence: "; did you mean 'link3'?"; if it is
/// the name of a joint, "; the joint of that name carries 'link3'"; "" if nothing is near. Returns text, which may be
/// NULL.
LIMB_API const char* limb_frame_hint(const limb_model* m, const char* wrong, char text[LIMB_FRAME_HINT]);

/// 1 for the fixed joint between an auxiliary body and the body to which it belongs.
LIMB_API int limb_joint_is_auxiliary(const limb_model* m, int joint);

/// The bodies as described: all but the world and auxiliary ones, in their order. (An auxiliary body that carries more
/// than the body it belongs to counts as described.)
/// @param body  limb_body_count() indices at most; NULL: not needed (output)
/// @return their number; 0 if m is NULL
LIMB_API int limb_described_bodies(const limb_model* m, int* body);
LIMB_NODISCARD LIMB_API limb_status limb_get_joint(const limb_model* m, int joint, limb_joint_info* out);
LIMB_NODISCARD LIMB_API limb_status limb_get_frame(const limb_model* m, int frame, limb_frame_info* out);

/// Number of shafts (0 if m is NULL), and a shaft as described.
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_shaft_count(const limb_model* m);
LIMB_NODISCARD LIMB_API limb_status limb_get_shaft(const limb_model* m, int shaft, limb_shaft_def* out);

/// Number of tendons (0 if m is NULL), and a tendon as described.
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_tendon_count(const limb_model* m);
LIMB_NODISCARD LIMB_API limb_status limb_get_tendon(const limb_model* m, int tendon, limb_tendon_def* out);

/// Properties of a loop closure (limb/loops.h).
typedef struct limb_loop_info {
  limb_loop_def def;           ///< as described
  int constraint, nconstraint; ///< index of its first constraint (of limb_constraint_count()), and their number
  int holonomic;               ///< how many of them, counted from the first, constrain positions; the others constrain
                               ///< velocities only
} limb_loop_info;

/// Number of loops, and of their constraints; 0 if m is NULL. limb_find_loop returns -1 if no loop has that name.
LIMB_API int limb_loop_count(const limb_model* m);
LIMB_API int limb_constraint_count(const limb_model* m);
LIMB_API int limb_find_loop(const limb_model* m, const char* name);

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_loop(const limb_model* m, int loop, limb_loop_info* out);

/// 1 if a constraint has prescribed motion s(t). 0 if m is NULL.
LIMB_API int limb_has_prescribed_motion(const limb_model* m);

/// The spanning tree: the same robot with its loops cut open, as a view that is valid as long as the model. Bodies,
/// joints, frames and coordinates keep their indices. A workspace created from the view computes with the tree, one
/// created from the model keeps the loops closed. Returns the model itself if it has no loops, NULL if m is NULL.
/// The view must not be destroyed.
LIMB_API const limb_model* limb_spanning_tree(const limb_model* m);

/// Suffixes of the components of a joint: "", ".px" ... ".qw" in q; "", ".wx" ... ".vz" in v. NULL if k is out of
/// range. limb_joint_type_name returns "revolute", ...; NULL for an unknown type.
LIMB_API const char* limb_q_suffix(limb_joint_type type, int k);
LIMB_API const char* limb_v_suffix(limb_joint_type type, int k);
LIMB_API const char* limb_joint_type_name(limb_joint_type type);

// ---- coordinates by name ----------------------------------------------------------------------------

/// A component of q, or of v, a and tau. Members are appended only.
typedef struct limb_dof_info {
  const char* name; ///< name of the joint, with the suffix of the component if there are several: "base.wx"
  int joint;        ///< index in the model
  int index;        ///< component of that joint
  int linear;       ///< 1: units m, m/s, N; 0: rad, rad/s, N m
  int quaternion;   ///< 1: component of a quaternion, without unit
  int passive;      ///< 1: its joint has no motor
  int root;         ///< 1: no other moving joint is between its joint and the world
  int base;         ///< 1: velocity of the moving base (limb_given_for_base)
  int moves;        ///< 1: velocity of that base, or of a free or planar joint on the world that has a motor
} limb_dof_info;

/// Names of all components of q and v of a model. Immutable: threads may share it.
typedef struct limb_dofs limb_dofs;

/// The model must outlive the result.
/// @return LIMB_OK; LIMB_E_ARG (NULL, incomplete allocator); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_dofs_create(const limb_model* m, const limb_allocator* alloc, limb_dofs** out);
LIMB_API void limb_dofs_destroy(limb_dofs* d); ///< NULL is accepted

/// Component k of q, or of v; NULL if k is out of range.
LIMB_API const limb_dof_info* limb_get_coordinate(const limb_dofs* d, int k);
LIMB_API const limb_dof_info* limb_get_velocity(const limb_dofs* d, int k);

/// Units of position, velocity, acceleration and force: "rad" or "m", ...; "" for the position of a quaternion.
LIMB_API const char* limb_position_unit(const limb_dof_info* d);
LIMB_API const char* limb_velocity_unit(const limb_dof_info* d);
LIMB_API const char* limb_acceleration_unit(const limb_dof_info* d);
LIMB_API const char* limb_force_unit(const limb_dof_info* d);

// ---- the compiler's report -------------------------------------------------------------------------

/// Subject of a note. Values are pinned.
typedef enum limb_note_kind {
  LIMB_NOTE_MERGED = 0,        ///< a body fixed to another one was merged with it
  LIMB_NOTE_LOWERED = 1,       ///< a compound joint was replaced by a chain of joints with one degree of freedom
  LIMB_NOTE_REGROUPED = 2,     ///< inertial parameters without effect of their own were added to the parent's
  LIMB_NOTE_MASSLESS = 3,      ///< a joint moves neither mass nor rotor: the mass matrix is singular
  LIMB_NOTE_NONPHYSICAL = 4,   ///< an inertia that no rigid body can have
  LIMB_NOTE_MIMIC = 5,         ///< a joint follows another one
  LIMB_NOTE_NEARLY_SQUARE = 6, ///< a twist is almost 0 or 90 degrees, which costs speed: probably rounded input
  LIMB_NOTE_UNLISTED = 7       ///< forces that are not among the parameters (limb/regressor.h)
} limb_note_kind;

/// Short name of a kind, such as "merged"; NULL for an unknown kind.
LIMB_API const char* limb_note_kind_name(limb_note_kind kind);

typedef struct limb_note {
  limb_note_kind kind;
  const char* subject; ///< name of the body or joint; valid as long as the model
  const char* text;    ///< one sentence; valid as long as the model
} limb_note;

/// The notes: everything that the compiler changed or suspects.
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_API int limb_model_note_count(const limb_model* m);
LIMB_NODISCARD LIMB_API limb_status limb_model_note(const limb_model* m, int index, limb_note* out);

/// Passes all notes to a callback as text, one line per note.
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_model_report(const limb_model* m, limb_text_fn* write, void* context);

/// A compiled link: one row of the table of modified Denavit-Hartenberg parameters (Khalil, with gamma and b for
/// trees; Khalil 2010, section 2.1). The pose of the link frame in the frame of its antecedent, at q = 0, is
///   Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
/// q adds multiplier q[q] to theta (revolute) or to r (prismatic); helical: to theta, and pitch times that to r.
/// Spherical and free: followed by the rotation and the displacement of the joint.
typedef struct limb_mdh_row {
  int joint;              ///< index in the model; compound joints have several rows
  int antecedent;         ///< row of the antecedent; -1: the world
  limb_joint_type type;   ///< revolute (sigma 0), prismatic (sigma 1), helical, spherical or free
  int q;                  ///< index in q; spherical and free: of the first component
  double multiplier;      ///< of a mimic joint; otherwise 1
  double gamma, b, alpha; ///< [rad, m, rad]
  double d, theta, r;     ///< [m, rad, m]; r and b are large if axes are nearly parallel
  double pitch;           ///< helical [m/rad]; otherwise 0
  double inertia[10];     ///< m mx my mz Ixx Ixy Ixz Iyy Iyz Izz about the origin of the link, fixed bodies merged
  double grouped[10];     ///< the same after parameters without effect of their own are moved to the antecedent
} limb_mdh_row;

/// Number of rows, that is, of compiled links. 0 if m is NULL.
LIMB_API int limb_mdh_count(const limb_model* m);

/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_mdh(const limb_model* m, int index, limb_mdh_row* out);

// ---- the robot in the notations of books -----------------------------------------------------------
//
// Tables of the robot as described: frames are those of its bodies, and a joint goes from body to body, across the
// auxiliary bodies that readers add.

/// A factor of the product of exponentials (Lynch and Park 2017, chapters 4 and 8),
///   pose of the child = exp(S_1 q_1) ... exp(S_i q_i) M_i
/// of the joints from the world to the child, one factor per component. All joints are at 0, mimic joints included.
typedef struct limb_screw_row {
  int joint, component;
  limb_joint_type type; ///< revolute, prismatic or helical; of spherical and free joints: what the velocity component
                        ///< does. Their rotation is exp of all three components at once
  int parent, child;    ///< bodies
  sp_motion space;      ///< S_i, in world axes at the origin of the world
  sp_motion body;       ///< A_i = Ad(M_i^-1) S_i, in the axes of the child
  sp_pose home;         ///< M_i, of the child in the world
  sp_pose in_parent;    ///< M_{i-1,i} = M_{i-1}^-1 M_i, of the child in the parent
} limb_screw_row;

/// Component 0 ... of a joint: as many as it has velocities; fixed joints have one, with S = 0. O(depth + n).
/// @return LIMB_OK; LIMB_E_ARG (NULL, index out of range, an auxiliary joint).
LIMB_NODISCARD LIMB_API limb_status limb_get_screw(const limb_model* m, int joint, int component, limb_screw_row* out);

/// Pose of a frame in the world with every joint at 0. O(depth).
/// @return LIMB_OK; LIMB_E_ARG (NULL, no such frame).
LIMB_NODISCARD LIMB_API limb_status limb_frame_home(const limb_model* m, int frame, sp_pose* out);

/// The Denavit-Hartenberg row of a joint, from the frame of its parent to that of its child. Revolute, prismatic and
/// helical joints move about or along z, of the child (modified) or of the parent (standard).
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (the joint moves about another axis, the pose has no standard row);
///         LIMB_E_ARG (NULL, no such joint, an auxiliary joint).
LIMB_NODISCARD LIMB_API limb_status limb_get_joint_mdh(const limb_model* m, int joint, limb_mdh* out);
LIMB_NODISCARD LIMB_API limb_status limb_get_joint_dh(const limb_model* m, int joint, limb_dh* out);

/// 1 if the bodies of the robot have frames of a notation: limb_get_joint_mdh or limb_get_joint_dh has a row for every
/// moving joint; modified: and gamma = b = 0 for one joint on each body that carries any (Khalil 2010, section 2.1).
LIMB_API int limb_has_mdh_frames(const limb_model* m);
LIMB_API int limb_has_dh_frames(const limb_model* m);

/// A row of the standard Denavit-Hartenberg table of a serial chain.
typedef struct limb_dh_row {
  int joint;            ///< index in the model
  limb_joint_type type; ///< revolute: q adds multiplier q[q] to theta; prismatic: to d
  int q;
  double multiplier; ///< of a mimic joint; otherwise 1
  limb_dh row;
} limb_dh_row;

/// The table of any serial chain of revolute and prismatic joints, with frames on the common normals of its axes:
///   pose of the last body = base row_1 ... row_n tool
/// @param max    capacity of rows
/// @param count  number of rows, which may exceed max (output)
/// @param tool   the identity if the last body has a frame of the notation (output)
/// @return LIMB_OK; LIMB_E_UNSUPPORTED (branches, another joint); LIMB_E_ARG.
LIMB_NODISCARD LIMB_API limb_status limb_get_dh_table(const limb_model* m, sp_pose* base, int max, limb_dh_row* rows,
                                                      int* count, sp_pose* tool);

/// Creates a builder that describes the same robot with modified Denavit-Hartenberg frames: that of
/// limb_builder_from_model if limb_has_mdh_frames; otherwise the joints with one degree of freedom move auxiliary
/// bodies "NAME.axis" in the frames of the compiled links, and fixed joints "NAME.offset" carry the bodies.
/// @return LIMB_OK; LIMB_E_ARG (NULL, incomplete allocator, a body or joint that has such a name, a name above 1000
///         bytes); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_with_mdh(const limb_model* m, const limb_allocator* alloc,
                                                          limb_builder** out);

// ---- workspaces ----------------------------------------------------------------------------------

/// Workspace and results; used by one thread at a time.
typedef struct limb_data limb_data;

enum {
  LIMB_DATA_ALIGN = 64,       ///< alignment of the memory passed to limb_data_init
  LIMB_LOOPS_DENSE_MAX = 1024 ///< largest nv + nc for which the workspace of a robot with loops has dense matrices
};

/// Bytes that limb_data_init needs; O(n) for trees without mimic joints. For a robot with loops this includes the
/// memory of limb/loops.h, with dense matrices if nv + nc <= LIMB_LOOPS_DENSE_MAX. 0 if m is NULL.
LIMB_API size_t limb_data_size(const limb_model* m);

/// The same with dense matrices for a robot of any size. limb_data_init uses them if it gets that much memory.
LIMB_API size_t limb_data_dense_size(const limb_model* m);

/// Lays out a workspace in the caller's memory. Nothing needs to be freed, and the same block may be laid out again at
/// any time. (Under AddressSanitizer the block has poisoned gaps: call limb_data_destroy before the memory is used for
/// something else.)
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN); LIMB_E_NOMEM (size too small); for a
///         robot with loops also LIMB_E_SINGULAR (a wheel or disc that lies flat wherever the joints are) and
///         LIMB_E_NONFINITE (constraints that overflow).
LIMB_NODISCARD LIMB_API limb_status limb_data_init(const limb_model* m, void* memory, size_t size, limb_data** out);

/// Allocates (alloc NULL: malloc) and initialises a workspace. Free with limb_data_destroy.
/// @return as limb_data_init; LIMB_E_ARG also for an incomplete allocator.
LIMB_NODISCARD LIMB_API limb_status limb_data_create(const limb_model* m, const limb_allocator* alloc, limb_data** out);

/// Frees a workspace made by limb_data_create. For one made by limb_data_init, the memory is the caller's again, as
/// plain bytes. NULL is accepted.
LIMB_API void limb_data_destroy(limb_data* d);

LIMB_API const limb_model* limb_data_model(const limb_data* d); ///< NULL if d is NULL

// ---- the configuration manifold ------------------------------------------------------------------
//
// Ball and free joints have more coordinates than velocities. Velocities are in the axes of the child, so increments
// multiply on the right: q (+) dq = q exp(dq). None of these calls allocates.

/// The neutral configuration: zero angles and displacements, unit quaternions (0, 0, 0, 1).
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_neutral(const limb_model* m, double* q);

/// The start configuration, from which loops are closed: limb_joint_def.start where it is set, otherwise neutral.
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_start(const limb_model* m, double* q);

/// Random configuration: uniform within the limits of a joint if both are finite, otherwise within [-pi, pi] rad or
/// [-1, 1] m; uniform rotations. The limits of mimic joints are ignored.
/// @param seed  in and out; the same seed gives the same sequence on every machine
/// @return LIMB_OK; LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_random(const limb_model* m, uint64_t* seed, double* q);

/// q_out = q (+) v dt, exact for constant v; quaternions are returned with unit norm. q_out may be q.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a quaternion far from unit norm); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_integrate(const limb_model* m, const double* q, const double* v, double dt,
                                                   double* q_out);

/// The smallest v with q1 = q0 (+) v: the inverse of limb_integrate with dt = 1.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a quaternion far from unit norm); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_difference(const limb_model* m, const double* q0, const double* q1, double* v);

/// Scales quaternions to unit norm.
/// @return LIMB_OK; LIMB_E_ARG (NULL, a zero quaternion); LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_normalize(const limb_model* m, double* q);

#ifdef __cplusplus
}
#endif

#endif
