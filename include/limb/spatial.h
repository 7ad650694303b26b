// limb: robot dynamics in C. Values: vectors, rotations, poses, motions, forces, inertias.
//
//     const sp_pose X = sp_pose_make(sp_rot_rpy(0, 0, 1.57), sp_v3(0.3, 0, 0)); // pose of B in A
//     const sp_vec3 x_A = sp_point(X, x_B);                                     // R x_B + p
//     const sp_force f_A = sp_force_out(X, f_B);                                // wrench at the origin of A
//
// Plain structs, passed and returned by value. Motions and forces are different types, angular part first. The pose of
// B in A is (R, p): R turns components in B into components in A, and p is the origin of B in A, so that
// x_A = R x_B + p.
#ifndef LIMB_SPATIAL_H
#define LIMB_SPATIAL_H

#include "limb/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_vec3 {
  double x, y, z;
} sp_vec3;

/// Row-major 3x3 matrix: m[3 * row + column].
typedef struct sp_mat3 {
  double m[9];
} sp_mat3;

typedef struct sp_quat {
  double x, y, z, w;
} sp_quat;

typedef struct sp_pose {
  sp_mat3 R;
  sp_vec3 p; ///< [m]
} sp_pose;

/// Twist or spatial acceleration.
typedef struct sp_motion {
  sp_vec3 w; ///< angular [rad/s]; of an acceleration [rad/s^2]
  sp_vec3 v; ///< linear, at the reference point of the motion [m/s]; of an acceleration [m/s^2]
} sp_motion;

/// Wrench or spatial momentum.
typedef struct sp_force {
  sp_vec3 m; ///< moment about the reference point of the force [N m]; of a momentum [N m s]
  sp_vec3 f; ///< force [N]; of a momentum [N s]
} sp_force;

/// Mass, centre of mass, and rotational inertia about the centre of mass, all in body axes.
typedef struct sp_inertia {
  double mass;                   ///< [kg]
  sp_vec3 com;                   ///< [m]
  double xx, xy, xz, yy, yz, zz; ///< [kg m^2]; xy is the matrix entry: -sum m x y
} sp_inertia;

// ---- vectors and matrices ------------------------------------------------------------------------

static inline sp_vec3 sp_v3(double x, double y, double z)
{
  const sp_vec3 r = {x, y, z};
  return r;
}

static inline sp_vec3 sp_add3(sp_vec3 a, sp_vec3 b) { return sp_v3(a.x + b.x, a.y + b.y, a.z + b.z); }

static inline sp_vec3 sp_sub3(sp_vec3 a, sp_vec3 b) { return sp_v3(a.x - b.x, a.y - b.y, a.z - b.z); }

static inline sp_vec3 sp_scale3(double k, sp_vec3 a) { return sp_v3(k * a.x, k * a.y, k * a.z); }

static inline double sp_dot3(sp_vec3 a, sp_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline double sp_norm3(sp_vec3 a) { return sqrt(sp_dot3(a, a)); }

static inline sp_vec3 sp_cross3(sp_vec3 a, sp_vec3 b)
{
  return sp_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline sp_mat3 sp_identity3(void)
{
  const sp_mat3 r = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return r;
}

/// A x
static inline sp_vec3 sp_mulv(sp_mat3 A, sp_vec3 x)
{
  return sp_v3(A.m[0] * x.x + A.m[1] * x.y + A.m[2] * x.z, A.m[3] * x.x + A.m[4] * x.y + A.m[5] * x.z,
               A.m[6] * x.x + A.m[7] * x.y + A.m[8] * x.z);
}

/// A' x
static inline sp_vec3 sp_tmulv(sp_mat3 A, sp_vec3 x)
{
  return sp_v3(A.m[0] * x.x + A.m[3] * x.y + A.m[6] * x.z, A.m[1] * x.x + A.m[4] * x.y + A.m[7] * x.z,
               A.m[2] * x.x + A.m[5] * x.y + A.m[8] * x.z);
}

static inline sp_mat3 sp_transpose3(sp_mat3 A)
{
  const sp_mat3 r = {{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
  return r;
}

/// A B
static inline sp_mat3 sp_mul3(sp_mat3 A, sp_mat3 B)
{
  sp_mat3 r;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      r.m[3 * i + j] = A.m[3 * i] * B.m[j] + A.m[3 * i + 1] * B.m[3 + j] + A.m[3 * i + 2] * B.m[6 + j];
    }
  }
  return r;
}

// ---- rotations -----------------------------------------------------------------------------------

/// Fixed-axis roll, pitch, yaw as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).
static inline sp_mat3 sp_rot_rpy(double roll, double pitch, double yaw)
{
  const double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch);
  const double cy = cos(yaw), sy = sin(yaw);
  const sp_mat3 r = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
                      sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
  return r;
}

/// Rotation of a quaternion of any norm except zero.
static inline sp_mat3 sp_rot_quat(sp_quat q)
{
  const double s = 2 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const sp_mat3 r = {{1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y - q.w * q.z), s * (q.x * q.z + q.w * q.y),
                      s * (q.x * q.y + q.w * q.z), 1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z - q.w * q.x),
                      s * (q.x * q.z - q.w * q.y), s * (q.y * q.z + q.w * q.x), 1 - s * (q.x * q.x + q.y * q.y)}};
  return r;
}

/// Rotation by an angle about a unit axis (Rodrigues).
static inline sp_mat3 sp_rot_axis(sp_vec3 axis, double angle)
{
  const double c = cos(angle), s = sin(angle), t = 1 - c;
  const double x = axis.x, y = axis.y, z = axis.z;
  const sp_mat3 r = {{t * x * x + c, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c,
                      t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c}};
  return r;
}

/// Unit quaternion with w >= 0 of a rotation matrix.
LIMB_API sp_quat sp_quat_rot(sp_mat3 R);

/// Roll, pitch, yaw (x, y, z) of a rotation matrix, up to rounding, for any pitch; none is a negative zero.
LIMB_API sp_vec3 sp_rpy_rot(sp_mat3 R);

// ---- poses, motions, forces ----------------------------------------------------------------------

static inline sp_pose sp_pose_make(sp_mat3 R, sp_vec3 p)
{
  const sp_pose r = {R, p};
  return r;
}

static inline sp_pose sp_pose_identity(void) { return sp_pose_make(sp_identity3(), sp_v3(0, 0, 0)); }

/// Pose of C in A from the pose X of B in A and the pose Y of C in B.
static inline sp_pose sp_compose(sp_pose X, sp_pose Y)
{
  return sp_pose_make(sp_mul3(X.R, Y.R), sp_add3(X.p, sp_mulv(X.R, Y.p)));
}

/// Pose of A in B from the pose of B in A.
static inline sp_pose sp_invert(sp_pose X)
{
  return sp_pose_make(sp_transpose3(X.R), sp_scale3(-1, sp_tmulv(X.R, X.p)));
}

static inline sp_vec3 sp_point(sp_pose X, sp_vec3 x) { return sp_add3(X.p, sp_mulv(X.R, x)); }

static inline sp_motion sp_motion_make(sp_vec3 w, sp_vec3 v)
{
  const sp_motion r = {w, v};
  return r;
}

static inline sp_force sp_force_make(sp_vec3 m, sp_vec3 f)
{
  const sp_force r = {m, f};
  return r;
}

static inline sp_motion sp_addm(sp_motion a, sp_motion b)
{
  return sp_motion_make(sp_add3(a.w, b.w), sp_add3(a.v, b.v));
}

static inline sp_motion sp_scalem(double k, sp_motion a)
{
  return sp_motion_make(sp_scale3(k, a.w), sp_scale3(k, a.v));
}

static inline sp_force sp_addf(sp_force a, sp_force b) { return sp_force_make(sp_add3(a.m, b.m), sp_add3(a.f, b.f)); }

static inline sp_force sp_scalef(double k, sp_force a) { return sp_force_make(sp_scale3(k, a.m), sp_scale3(k, a.f)); }

/// Power of a force on a motion, both at the same point and in the same axes [W].
static inline double sp_dot(sp_motion v, sp_force f) { return sp_dot3(v.w, f.m) + sp_dot3(v.v, f.f); }

/// A motion given in B (at its origin, in its axes), expressed in A: Ad_X v.
static inline sp_motion sp_motion_out(sp_pose X, sp_motion v)
{
  const sp_vec3 w = sp_mulv(X.R, v.w);
  return sp_motion_make(w, sp_add3(sp_mulv(X.R, v.v), sp_cross3(X.p, w)));
}

/// A motion given in A, expressed in B: Ad_X^-1 v.
static inline sp_motion sp_motion_in(sp_pose X, sp_motion v)
{
  return sp_motion_make(sp_tmulv(X.R, v.w), sp_tmulv(X.R, sp_sub3(v.v, sp_cross3(X.p, v.w))));
}

/// A force given in B, expressed in A: Ad_X^-T f.
static inline sp_force sp_force_out(sp_pose X, sp_force f)
{
  const sp_vec3 r = sp_mulv(X.R, f.f);
  return sp_force_make(sp_add3(sp_mulv(X.R, f.m), sp_cross3(X.p, r)), r);
}

/// A force given in A, expressed in B: Ad_X' f.
static inline sp_force sp_force_in(sp_pose X, sp_force f)
{
  return sp_force_make(sp_tmulv(X.R, sp_sub3(f.m, sp_cross3(X.p, f.f))), sp_tmulv(X.R, f.f));
}

/// Motion cross product a x b (the adjoint action ad_a b).
static inline sp_motion sp_crm(sp_motion a, sp_motion b)
{
  return sp_motion_make(sp_cross3(a.w, b.w), sp_add3(sp_cross3(a.w, b.v), sp_cross3(a.v, b.w)));
}

/// Force cross product a x* f (= -ad_a' f).
static inline sp_force sp_crf(sp_motion a, sp_force f)
{
  return sp_force_make(sp_add3(sp_cross3(a.w, f.m), sp_cross3(a.v, f.f)), sp_cross3(a.w, f.f));
}

/// Inertia times motion, both at the origin of the body frame.
static inline sp_force sp_inertia_times(const sp_inertia* Y, sp_motion v)
{
  const sp_vec3 vc = sp_add3(v.v, sp_cross3(v.w, Y->com)), f = sp_scale3(Y->mass, vc);
  const sp_vec3 L = sp_v3(Y->xx * v.w.x + Y->xy * v.w.y + Y->xz * v.w.z, Y->xy * v.w.x + Y->yy * v.w.y + Y->yz * v.w.z,
                          Y->xz * v.w.x + Y->yz * v.w.y + Y->zz * v.w.z);
  return sp_force_make(sp_add3(L, sp_cross3(Y->com, f)), f);
}

// ---- Denavit-Hartenberg parameters -----------------------------------------------------------------

/// Modified parameters with the two of trees (Khalil 2010, (1)):
/// pose = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) [rad, m].
typedef struct limb_mdh {
  double gamma, b, alpha, d, theta, r;
} limb_mdh;

/// Standard parameters: pose = Rz(theta) Tz(d) Tx(a) Rx(alpha) [rad, m].
typedef struct limb_dh {
  double theta, d, a, alpha;
} limb_dh;

/// Every pose has modified parameters. gamma is in (-pi/2, pi/2]; parallel z axes leave b free: it is 0, and d is along
/// the common normal.
LIMB_API limb_mdh limb_mdh_of_pose(sp_pose X);
LIMB_API sp_pose limb_pose_of_mdh(limb_mdh row);

/// @return 1; 0 if the x axis of the frame is not perpendicular to the z axis of the reference, or does not cross it
///         (to 1e-12): such a pose has no standard parameters
LIMB_API int limb_dh_of_pose(sp_pose X, limb_dh* out);
LIMB_API sp_pose limb_pose_of_dh(limb_dh row);

// ---- exponentials, and the maps as 6 x 6 matrices -------------------------------------------------
//
// Matrices are row-major and act on columns (w; v), wrenches on (m; f): angular part first.

/// Pose after moving with the constant body twist V for unit time: exp of [V]. Any angle; V = screw axis times angle.
/// Without cancellation for small angles. Park, Bobrow, Ploen 1995, (15)-(17).
LIMB_API sp_pose sp_exp(sp_motion V);

/// The body twist that leads to a pose in unit time, with the smallest angle, at most pi: sp_exp(sp_log(X)) = X. Of the
/// two axes of a half turn one is chosen.
LIMB_API sp_motion sp_log(sp_pose X);

/// Ad_X: sp_motion_out(X, v) = Ad v, sp_force_in(X, f) = Ad' f.
LIMB_API void sp_adjoint_matrix(sp_pose X, double Ad[36]);

/// ad_V: sp_crm(V, x) = ad x, sp_crf(V, f) = -ad' f.
LIMB_API void sp_ad_matrix(sp_motion V, double ad[36]);

/// Spatial inertia at the origin of the body frame: sp_inertia_times(Y, v) = G v; Lynch and Park 2017, (9.52), for any
/// origin. NULL gives NaN.
LIMB_API void sp_inertia_matrix(const sp_inertia* Y, double G[36]);

// ---- conversion from and to linear-first vectors (Khalil 2010, ROS, Pinocchio) --------------------

static inline sp_motion sp_motion_from_linear_first(const double x[6])
{
  return sp_motion_make(sp_v3(x[3], x[4], x[5]), sp_v3(x[0], x[1], x[2]));
}

static inline sp_force sp_force_from_linear_first(const double x[6])
{
  return sp_force_make(sp_v3(x[3], x[4], x[5]), sp_v3(x[0], x[1], x[2]));
}

static inline void sp_motion_to_linear_first(sp_motion v, double x[6])
{
  x[0] = v.v.x, x[1] = v.v.y, x[2] = v.v.z, x[3] = v.w.x, x[4] = v.w.y, x[5] = v.w.z;
}

static inline void sp_force_to_linear_first(sp_force f, double x[6])
{
  x[0] = f.f.x, x[1] = f.f.y, x[2] = f.f.z, x[3] = f.m.x, x[4] = f.m.y, x[5] = f.m.z;
}

// ---- inertias of simple solids, composition, shifts, parameter vectors ----------------------------
//
// Inertias are about the centre of mass, in the axes stated. Lengths in m, masses in kg. These functions check nothing;
// limb_inertia_defect() and limb_model_note() report inertias that no rigid body can have.

/// Solid box with edges x, y, z, centred at the origin.
LIMB_API sp_inertia limb_inertia_box(double mass, double x, double y, double z);

/// Solid cylinder along z, centred at the origin.
LIMB_API sp_inertia limb_inertia_cylinder(double mass, double radius, double length);

/// Cylinder along z with a hole along its axis, centred at the origin.
LIMB_API sp_inertia limb_inertia_hollow_cylinder(double mass, double outer, double inner, double length);

/// Solid cone about z: the centre of its base is the origin, its apex is at z = height. The centre of mass is at a
/// quarter of the height.
LIMB_API sp_inertia limb_inertia_cone(double mass, double radius, double height);

/// Solid sphere centred at the origin.
LIMB_API sp_inertia limb_inertia_sphere(double mass, double radius);

/// Solid half of a sphere: its flat side is in the x-y plane, centred at the origin, the dome is above it. The centre
/// of mass is at z = 3/8 radius.
LIMB_API sp_inertia limb_inertia_hemisphere(double mass, double radius);

/// Solid ellipsoid with the semi-axes x, y, z, centred at the origin.
LIMB_API sp_inertia limb_inertia_ellipsoid(double mass, double x, double y, double z);

/// Solid capsule along z: a cylinder of the given length with two half spheres, centred.
LIMB_API sp_inertia limb_inertia_capsule(double mass, double radius, double length);

/// Thin spherical shell centred at the origin.
LIMB_API sp_inertia limb_inertia_shell(double mass, double radius);

/// Thin cylindrical tube along z without end caps, centred at the origin.
LIMB_API sp_inertia limb_inertia_tube(double mass, double radius, double length);

/// Thin rod along z, centred at the origin.
LIMB_API sp_inertia limb_inertia_rod(double mass, double length);

/// Point mass at a position.
LIMB_API sp_inertia limb_inertia_point(double mass, sp_vec3 at);

/// A cloud of point masses, such as the points of a scan: they share the mass in proportion to their weights.
/// @param count   of the points; 0 gives no mass
/// @param at      count positions
/// @param weight  count numbers whose sum is not zero; NULL: all points have the same mass
LIMB_API sp_inertia limb_inertia_points(double mass, int count, const sp_vec3* at, const double* weight);

/// X(ENUM, value, "name", lengths): the solids by name, with the number of their lengths. Lengths are in the order of
/// the parameters of limb_inertia_NAME. Values are pinned.
#define LIMB_SOLID_LIST(X)                    \
  X(BOX, 0, "box", 3)                         \
  X(SPHERE, 1, "sphere", 1)                   \
  X(SHELL, 2, "shell", 1)                     \
  X(ROD, 3, "rod", 1)                         \
  X(CYLINDER, 4, "cylinder", 2)               \
  X(CAPSULE, 5, "capsule", 2)                 \
  X(TUBE, 6, "tube", 2)                       \
  X(HOLLOW_CYLINDER, 7, "hollow_cylinder", 3) \
  X(CONE, 8, "cone", 2)                       \
  X(HEMISPHERE, 9, "hemisphere", 1)           \
  X(ELLIPSOID, 10, "ellipsoid", 3)

typedef enum limb_solid {
#define LIMB_X(name, value, text, lengths) LIMB_SOLID_##name = (value),
  LIMB_SOLID_LIST(LIMB_X)
#undef LIMB_X
} limb_solid;

/// Inertia of a solid, as limb_inertia_NAME; of an unknown one, no mass.
LIMB_API sp_inertia limb_solid_inertia(limb_solid solid, double mass, const double* lengths);

/// Volume [m^3], so that mass = density * volume. 0 for what has none (rod, shell, tube) and for an unknown solid.
LIMB_API double limb_solid_volume(limb_solid solid, const double* lengths);

/// Inertia of two rigidly connected bodies, both given in the same frame: the parallel-axis theorem.
LIMB_API sp_inertia limb_inertia_add(sp_inertia a, sp_inertia b);

/// An inertia given in frame B, expressed in frame A; X is the pose of B in A.
LIMB_API sp_inertia limb_inertia_move(sp_pose X, sp_inertia b);

/// Rotational inertia about the origin of the frame instead of the centre of mass: (xx xy xz yy yz zz) [kg m^2]. In
/// all functions of inertias, a NULL input gives NaN and a NULL output is ignored.
LIMB_API void limb_inertia_about_origin(const sp_inertia* Y, double moments[6]);

/// The ten parameters (m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), with the inertia about the origin.
LIMB_API void limb_inertia_to_parameters(const sp_inertia* Y, double theta[10]);

/// Inverse of limb_inertia_to_parameters. A zero mass gives a zero centre of mass.
LIMB_API sp_inertia limb_inertia_from_parameters(const double theta[10]);

/// Principal moments in ascending order, and principal axes (NULL: not computed) of the rotational inertia about the
/// centre of mass: column k of axes is the unit axis of moment k. The matrix is a rotation up to the sign of one
/// column. All numbers must be finite.
LIMB_API void limb_inertia_principal(const sp_inertia* Y, double moment[3], sp_mat3* axes);

/// Y with the rotational inertia sum_k moment[k] axis_k axis_k'; mass and centre of mass do not change.
LIMB_API sp_inertia limb_inertia_from_principal(sp_inertia Y, const double moment[3], const sp_mat3* axes);

/// Why no rigid body can have this inertia: negative mass, inertia without mass, a principal moment that is negative or
/// larger than the sum of the other two. NULL if a body can have it.
LIMB_API const char* limb_inertia_defect(const sp_inertia* Y);

#ifdef __cplusplus
}
#endif

#endif
