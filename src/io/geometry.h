// Rotations from the angles of model files, and lengths of vectors. All readers use these functions, so that an
// angle gives the same rotation, bit by bit, in every language.
#ifndef LIMB_IO_GEOMETRY_H
#define LIMB_IO_GEOMETRY_H

#include "limb/spatial.h"

#define LIMB_PI 3.14159265358979323846

// An angle of more than a turn is probably in degrees.
int limb_looks_like_degrees(double radians);

// Rz(yaw) Ry(pitch) Rx(roll), and the rotation about a unit vector. An angle within 1e-15 of a multiple of a
// right angle, such as pi/2 or 90 degrees in a file, gives exact zeros and ones; 1.5708 remains as it is. No entry
// is a negative zero.
sp_mat3 limb_rot_rpy(const double rpy[3]);
sp_mat3 limb_rot_axis(sp_vec3 axis, double angle);

// Rz(rz) Tz(z) and Rx(rx) Tx(x): the halves of a Denavit-Hartenberg transform.
sp_pose limb_screw_z(double rz, double z);
sp_pose limb_screw_x(double rx, double x);

// The smallest rotation that takes one unit vector to another; half a turn about a coordinate axis when they are
// opposite. from must be a coordinate axis.
sp_mat3 limb_rot_to(sp_vec3 from, sp_vec3 to);

// Rotation of a quaternion of any norm except zero, also without negative zeros.
sp_mat3 limb_rot_quat(double x, double y, double z, double w);

// 1 when a rotation, a pose is exactly the identity; a vector is zero; two vectors, two rotations are equal.
int limb_no_rotation(const sp_mat3* R);
int limb_is_identity(const sp_pose* X);
int limb_is_zero(sp_vec3 x);
int limb_same_vector(sp_vec3 a, sp_vec3 b);
int limb_same_rotation(const sp_mat3* A, const sp_mat3* B);

// The six moments xx xy xz yy yz zz of an inertia.
void limb_get_moments(const sp_inertia* Y, double I[6]);
void limb_set_moments(sp_inertia* Y, const double I[6]);

// 1 when a body has mass or rotational inertia.
int limb_has_inertia(const sp_inertia* Y);

// Length of a vector whose squares may overflow or underflow; infinite beyond 1.8e308.
double limb_length(sp_vec3 x);

// x / |x|; x must not be zero.
sp_vec3 limb_unit(sp_vec3 x);

#endif
