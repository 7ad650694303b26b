// limb: robot dynamics in C. Ask a model about itself; workspaces; the configuration manifold.
//
// A model never changes: share it between threads. A limb_data belongs to one thread at a time.
// Indices: body 0 is the world, bodies and joints are numbered as they were added to the builder.
// A frame index names a body (0 ... bodies-1) or an added frame (from bodies on).
#ifndef LIMB_MODEL_H
#define LIMB_MODEL_H

#include "limb/builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Frees a model; NULL is accepted. No limb_data may use it any more.
LIMB_API void limb_model_destroy(limb_model* m);

/// Takes a model apart again: a builder that describes the same robot, to change it, write it, build it.
/// @return LIMB_OK, LIMB_E_ARG (NULL, half an allocator) or LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_builder_from_model(const limb_model* m, const limb_allocator* alloc,
                                                            limb_builder** out);

// ---- sizes, names, properties (all O(1); NULL gives 0, -1 or NULL) -------------------------------

LIMB_API const char* limb_model_name(const limb_model* m);
LIMB_API int limb_nq(const limb_model* m); ///< length of q; mimic joints have no coordinate
LIMB_API int limb_nv(const limb_model* m); ///< length of v, a, tau
LIMB_API int limb_body_count(const limb_model* m);
LIMB_API int limb_joint_count(const limb_model* m);
LIMB_API int limb_frame_count(const limb_model* m); ///< bodies and added frames
LIMB_API int limb_find_body(const limb_model* m, const char* name);
LIMB_API int limb_find_joint(const limb_model* m, const char* name);
LIMB_API int limb_find_frame(const limb_model* m, const char* name); ///< bodies included
LIMB_API sp_vec3 limb_model_gravity(const limb_model* m);            ///< zero for NULL
LIMB_API double limb_total_mass(const limb_model* m);                ///< bodies fixed to the world included [kg]

/// Everything about one body.
typedef struct limb_body_info {
  const char* name;
  int parent;         ///< body; -1 for the world
  int joint;          ///< to the parent; -1 for the world
  int moved_by;       ///< body whose moving joint carries this one (itself unless fixed); 0: the world
  sp_inertia inertia; ///< as described
} limb_body_info;

/// Everything about one joint; the rest as in limb_joint_def, with unit axes.
typedef struct limb_joint_info {
  limb_joint_def def;        ///< name, type, bodies, placement, axes, limits, friction, ...
  int q, nq;                 ///< first coordinate in q and their number; of a mimic joint: its source's, nq = 0
  int v, nv;                 ///< the same in v
  double multiplier, offset; ///< with mimic chains resolved: q_joint = multiplier q[q] + offset
  int passive;               ///< 1: no motor drives it (limb_drive, AUTO resolved); 0 for fixed and mimic joints
  int shaft;                 ///< shaft that drives it; -1: none
} limb_joint_info;

/// @return LIMB_OK or LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_body(const limb_model* m, int body, limb_body_info* out);
LIMB_NODISCARD LIMB_API limb_status limb_get_joint(const limb_model* m, int joint, limb_joint_info* out);
LIMB_NODISCARD LIMB_API limb_status limb_get_frame(const limb_model* m, int frame, limb_frame_info* out);

/// Number of shafts, 0 for NULL; one of them, as it was described.
LIMB_API int limb_shaft_count(const limb_model* m);
LIMB_NODISCARD LIMB_API limb_status limb_get_shaft(const limb_model* m, int shaft, limb_shaft_def* out);

/// Everything about one closure of a loop (limb/loops.h).
typedef struct limb_loop_info {
  limb_loop_def def;           ///< as described
  int constraint, nconstraint; ///< its first constraint among limb_constraint_count(), and their number
  int holonomic;               ///< how many of them, the first ones, hold places; the others hold velocities only
} limb_loop_info;

/// Number of loops, and of the rows of all their equations; 0 for NULL. A loop by name: -1 when there is
/// none.
LIMB_API int limb_loop_count(const limb_model* m);
LIMB_API int limb_constraint_count(const limb_model* m);
LIMB_API int limb_find_loop(const limb_model* m, const char* name);
LIMB_NODISCARD LIMB_API limb_status limb_get_loop(const limb_model* m, int loop, limb_loop_info* out);

/// 1 when some equation of the loops follows a prescribed motion, a function of time. 0 for NULL.
LIMB_API int limb_has_prescribed_motion(const limb_model* m);

/// The spanning tree: the same robot with its loops cut open, as a view that lives as long as the model. Bodies,
/// joints, frames and coordinates keep their indices; it has no loops. For a robot without loops it is the model
/// itself. Workspaces made from it answer for the tree, those made from the model for the robot with its loops
/// closed. Do not destroy it. NULL for NULL.
LIMB_API const limb_model* limb_spanning_tree(const limb_model* m);

/// Names of the components of one joint: "", ".px" ... ".qw" in q; "", ".wx" ... ".vz" in v.
/// NULL when the index is out of range.
LIMB_API const char* limb_q_suffix(limb_joint_type type, int k);
LIMB_API const char* limb_v_suffix(limb_joint_type type, int k);
LIMB_API const char* limb_joint_type_name(limb_joint_type type);

// ---- coordinates by name ----------------------------------------------------------------------------

/// One number of q, or one of v, a and tau. Members are appended only.
typedef struct limb_dof_info {
  const char* name; ///< that of the joint, and the suffix of the component where it has several: "base.wx"
  int joint;        ///< of the model
  int index;        ///< component of that joint
  int linear;       ///< 1: m, m/s, N; 0: rad, rad/s, N m
  int quaternion;   ///< 1: component of a quaternion, without unit
  int passive;      ///< 1: its joint has no motor
  int root;         ///< 1: between its joint and the world nothing moves
  int base;         ///< 1: of v, of the moving base (limb_given_for_base)
  int moves;        ///< 1: of v, of that base, or of a free or planar joint on the world with a motor
} limb_dof_info;

/// Names of all coordinates of a model. Never changes: threads may share it.
typedef struct limb_dofs limb_dofs;

/// @return LIMB_OK; LIMB_E_ARG (NULL, half an allocator); LIMB_E_NOMEM. The model must outlive it.
LIMB_NODISCARD LIMB_API limb_status limb_dofs_create(const limb_model* m, const limb_allocator* alloc, limb_dofs** out);
LIMB_API void limb_dofs_destroy(limb_dofs* d); ///< NULL is accepted

/// Number k of q, or of v; NULL when out of range.
LIMB_API const limb_dof_info* limb_get_coordinate(const limb_dofs* d, int k);
LIMB_API const limb_dof_info* limb_get_velocity(const limb_dofs* d, int k);

/// Units of a position, velocity, acceleration and force along it: "rad" or "m", ... "" for a quaternion's position.
LIMB_API const char* limb_position_unit(const limb_dof_info* d);
LIMB_API const char* limb_velocity_unit(const limb_dof_info* d);
LIMB_API const char* limb_acceleration_unit(const limb_dof_info* d);
LIMB_API const char* limb_force_unit(const limb_dof_info* d);

// ---- what the compiler did and found -------------------------------------------------------------

/// What a note is about. Values are pinned.
typedef enum limb_note_kind {
  LIMB_NOTE_MERGED = 0,       ///< a body fixed to another was merged with it for computing
  LIMB_NOTE_LOWERED = 1,      ///< a compound joint became a chain of one-degree joints
  LIMB_NOTE_REGROUPED = 2,    ///< inertial parameters without effect of their own moved to the parent
  LIMB_NOTE_MASSLESS = 3,     ///< a joint moves no mass and no rotor: the mass matrix is singular
  LIMB_NOTE_NONPHYSICAL = 4,  ///< an inertia that no rigid body can have
  LIMB_NOTE_MIMIC = 5,        ///< a joint follows another
  LIMB_NOTE_NEARLY_SQUARE = 6 ///< a twist a hair off 0 or 90 degrees costs speed: rounded input?
} limb_note_kind;

/// A word or two about a kind, such as "merged"; NULL for a number that is none.
LIMB_API const char* limb_note_kind_name(limb_note_kind kind);

typedef struct limb_note {
  limb_note_kind kind;
  const char* subject; ///< name of the body or joint; lives as long as the model
  const char* text;    ///< one sentence; lives as long as the model
} limb_note;

/// The report: a list of notes. Nothing that the compiler changes or doubts goes unsaid.
LIMB_API int limb_model_note_count(const limb_model* m);
LIMB_NODISCARD LIMB_API limb_status limb_model_note(const limb_model* m, int index, limb_note* out);

/// Writes the whole report as text through a callback, a line per note.
LIMB_NODISCARD LIMB_API limb_status limb_model_report(const limb_model* m, limb_text_fn* write, void* context);

/// One link of the compiled robot: a row of its table of modified Denavit-Hartenberg parameters (Khalil, with
/// gamma and b for trees; Khalil 2010, section 2.1). The link frame in that of its antecedent, at q = 0, is
///   Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)
/// and q adds multiplier q[q] to theta (revolute) or to r (prismatic); helical: to theta, and pitch times
/// that to r. Spherical and free: the joint's rotation and displacement follow.
typedef struct limb_mdh_row {
  int joint;              ///< joint of the model; compound joints have several rows
  int antecedent;         ///< row; -1: the world
  limb_joint_type type;   ///< revolute (sigma 0), prismatic (sigma 1), helical, spherical or free
  int q;                  ///< coordinate in q, the first of spherical and free ones
  double multiplier;      ///< of a mimic joint; else 1
  double gamma, b, alpha; ///< [rad, m, rad]
  double d, theta, r;     ///< [m, rad, m]; r and b are large when axes are nearly parallel
  double pitch;           ///< helical [m/rad]; else 0
  double inertia[10];     ///< m mx my mz Ixx Ixy Ixz Iyy Iyz Izz about the link's origin, bodies merged
  double grouped[10];     ///< the same with what has no effect of its own moved to the antecedent
} limb_mdh_row;

/// Number of rows: of compiled links. 0 for NULL.
LIMB_API int limb_mdh_count(const limb_model* m);

/// @return LIMB_OK or LIMB_E_ARG (NULL, index out of range).
LIMB_NODISCARD LIMB_API limb_status limb_get_mdh(const limb_model* m, int index, limb_mdh_row* out);

// ---- workspaces ----------------------------------------------------------------------------------

/// Workspace and results of one thread.
typedef struct limb_data limb_data;

enum {
  LIMB_DATA_ALIGN = 64,       ///< alignment that limb_data_init needs
  LIMB_LOOPS_DENSE_MAX = 1024 ///< nv + nc up to which the workspace of a robot with loops holds dense matrices
};

/// Bytes that limb_data_init needs; O(n) for trees without mimic joints. For a robot with loops it includes what
/// limb/loops.h needs: dense matrices if nv + nc is at most LIMB_LOOPS_DENSE_MAX. 0 for NULL.
LIMB_API size_t limb_data_size(const limb_model* m);

/// The same with dense matrices, however large the robot; limb_data_init uses them if it gets that much memory.
LIMB_API size_t limb_data_dense_size(const limb_model* m);

/// Lays a workspace out in caller memory. Nothing needs to be freed; the same block may be laid out again
/// at any time. (Under AddressSanitizer the block has poisoned gaps: call limb_data_destroy before the
/// memory is used for something else.)
/// @return LIMB_OK; LIMB_E_ARG (NULL, memory not aligned to LIMB_DATA_ALIGN); LIMB_E_NOMEM (size too
///         small); for a robot with loops also what limb_loops_init returns.
LIMB_NODISCARD LIMB_API limb_status limb_data_init(const limb_model* m, void* memory, size_t size, limb_data** out);

/// Convenience: allocates (alloc NULL: malloc) and initialises. Free with limb_data_destroy.
/// @return LIMB_OK; LIMB_E_ARG (m or out is NULL, half an allocator); LIMB_E_NOMEM.
LIMB_NODISCARD LIMB_API limb_status limb_data_create(const limb_model* m, const limb_allocator* alloc, limb_data** out);

/// Ends a workspace: frees one made by limb_data_create, and gives the memory of one made by
/// limb_data_init back to its owner as plain bytes. NULL is accepted.
LIMB_API void limb_data_destroy(limb_data* d);

LIMB_API const limb_model* limb_data_model(const limb_data* d);

// ---- the configuration manifold ------------------------------------------------------------------
// Ball and free joints have more coordinates than velocities. Velocities are in child axes, so the
// increments multiply on the right: q (+) dq = q exp(dq). None of these calls allocates.

/// Zero angles and displacements, unit quaternions (0, 0, 0, 1).
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_neutral(const limb_model* m, double* q);

/// The configuration from which loops are closed: limb_joint_def.start; else neutral.
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_start(const limb_model* m, double* q);

/// Random configuration: uniform within the limits where both are finite, in [-pi, pi] or [-1, 1] m
/// otherwise; uniform rotations. A mimic joint's limits are not looked at.
/// @param seed  in and out; the same seed gives the same sequence on every machine
/// @return LIMB_OK or LIMB_E_ARG (NULL).
LIMB_NODISCARD LIMB_API limb_status limb_random(const limb_model* m, uint64_t* seed, double* q);

/// q_out = q (+) v dt, exact for constant v; quaternions come out with unit norm. q_out may be q.
/// @return LIMB_OK, LIMB_E_ARG (NULL, a quaternion far from unit norm), LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_integrate(const limb_model* m, const double* q, const double* v, double dt,
                                                   double* q_out);

/// The smallest v with q1 = q0 (+) v: the inverse of limb_integrate with dt = 1.
/// @return LIMB_OK, LIMB_E_ARG (NULL, a quaternion far from unit norm), LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_difference(const limb_model* m, const double* q0, const double* q1, double* v);

/// Scales quaternions to unit norm.
/// @return LIMB_OK, LIMB_E_ARG (NULL, a quaternion that is zero), LIMB_E_NONFINITE.
LIMB_NODISCARD LIMB_API limb_status limb_normalize(const limb_model* m, double* q);

#ifdef __cplusplus
}
#endif

#endif
