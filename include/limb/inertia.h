// limb: robot dynamics in C. Inertias of simple solids, composition, shifts, parameter vectors.
//
// All results are about the centre of mass in the axes named. Lengths in m, masses in kg. Nothing is
// checked here: the builder and limb_model_note() judge an inertia when it becomes part of a model.
#ifndef LIMB_INERTIA_H
#define LIMB_INERTIA_H

#include "limb/spatial.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Solid box with edges x, y, z, centred at the origin.
LIMB_API sp_inertia limb_inertia_box(double mass, double x, double y, double z);

/// Solid cylinder along z, centred at the origin.
LIMB_API sp_inertia limb_inertia_cylinder(double mass, double radius, double length);

/// Solid sphere centred at the origin.
LIMB_API sp_inertia limb_inertia_sphere(double mass, double radius);

/// Solid capsule along z: a cylinder of the given length with two half spheres, centred.
LIMB_API sp_inertia limb_inertia_capsule(double mass, double radius, double length);

/// Thin spherical shell centred at the origin.
LIMB_API sp_inertia limb_inertia_shell(double mass, double radius);

/// Thin cylindrical tube along z without end caps, centred at the origin.
LIMB_API sp_inertia limb_inertia_tube(double mass, double radius, double length);

/// Thin rod along z, centred at the origin.
LIMB_API sp_inertia limb_inertia_rod(double mass, double length);

/// Point mass.
LIMB_API sp_inertia limb_inertia_point(double mass, sp_vec3 at);

/// Two rigidly joined bodies, both given in the same frame: the parallel-axis theorem.
LIMB_API sp_inertia limb_inertia_add(sp_inertia a, sp_inertia b);

/// An inertia given in frame B, expressed in A; X is the pose of B in A.
LIMB_API sp_inertia limb_inertia_move(sp_pose X, sp_inertia b);

/// Rotational inertia about the frame origin instead of the centre of mass: (xx xy xz yy yz zz).
LIMB_API void limb_inertia_about_origin(const sp_inertia* Y, double moments[6]);

/// The ten parameters (m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), inertia about the origin.
LIMB_API void limb_inertia_to_parameters(const sp_inertia* Y, double theta[10]);

/// Inverse of limb_inertia_to_parameters. A zero mass gives a zero centre of mass.
LIMB_API sp_inertia limb_inertia_from_parameters(const double theta[10]);

/// Principal moments, ascending, and axes (may be NULL) of the rotational inertia about the centre of mass: column k
/// of axes is the unit axis of moment k. The columns are a rotation up to the sign of one of them. All numbers must be
/// finite.
LIMB_API void limb_inertia_principal(const sp_inertia* Y, double moment[3], sp_mat3* axes);

/// Y with the rotational inertia sum_k moment[k] axis_k axis_k'; mass and centre of mass are kept.
LIMB_API sp_inertia limb_inertia_from_principal(sp_inertia Y, const double moment[3], const sp_mat3* axes);

/// Why an inertia cannot belong to a rigid body, or NULL when it can: negative mass, inertia without
/// mass, a principal moment that is negative or larger than the sum of the other two.
LIMB_API const char* limb_inertia_defect(const sp_inertia* Y);

#ifdef __cplusplus
}
#endif

#endif
